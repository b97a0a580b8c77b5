"""What the doctor says: terminal, JSON, report and notebook; claims, symptoms in words, logs of other harnesses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from planted import BASE, SAMPLED, causes, every, look, run, study, text, wordy

import eyechart as ec
import eyechart.app.doctor
from eyechart.app.doctor import diagnose
from eyechart.cli import COMMANDS, main
from eyechart.core.errors import InputError
from eyechart.core.records import Failure
from eyechart.doctor import rank, symptoms
from eyechart.doctor.claims import parse_claim
from eyechart.report.messages import EN, ZH

pytestmark = pytest.mark.usefixtures("unreported")


def told(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["doctor", *words])
    assert done.exit_code == code, (done.output, done.stderr)
    return done.stdout


def envelope(*words: str) -> dict[str, Any]:
    return json.loads(told(*words, "--json"))


# Words


def known_causes() -> set[str]:
    return {key.rpartition(".")[2] for key in EN if key.startswith("doctor.cause.")}


def test_every_cause_has_its_words_and_its_remedy_in_both_languages():
    source = "\n".join(p.read_text("utf-8") for p in Path(rank.__file__).parent.glob("*.py"))
    named = set(re.findall(r'cause="(\w+)"', source)) | set(
        re.findall(r'(?:_made|told)\(\s*(?:side, )?"(\w+)"', source)
    )
    named |= {cause for symptom in symptoms.SYMPTOMS for cause in symptom.causes}
    assert len(named) >= 50
    for cause in named:
        for catalogue in (EN, ZH):
            assert catalogue[f"doctor.cause.{cause}"]
            assert catalogue[f"doctor.remedy.{cause}"]
    assert {key.rpartition(".")[2] for key in EN if key.startswith("doctor.remedy.")} == known_causes()
    facts = set(re.findall(r'fact\(\s*"(\w+)"', source))
    assert len(facts) > 50
    assert all(f"doctor.said.{name}" in EN for name in facts)


def test_fields_that_differ_are_all_known_causes():
    from eyechart.doctor.fields import GROUPS

    assert {cause for _, cause in GROUPS} | set(rank.PARTICULAR) <= known_causes()
    assert {fault for faults in rank.PARTICULAR.values() for fault in faults} <= known_causes()


# Symptoms


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("the same seed gives different answers", "seed_ignored"),
        ("temperature 0 but the output changes every time", "seed_ignored"),
        ("all five runs are identical", "temperature_inert"),
        ("accuracy fluctuates wildly between runs", "seed_shared"),
        ("score moves with batch size", "batch"),
        ("correct answers are marked wrong", "reader_strict"),
        ("the score is suspiciously high", "gold_in_prompt"),
        ("accuracy is at chance level", "at_chance"),
        ("answers are cut off in the middle", "truncated"),
        ("I get 50 but the paper reports 70", "template_differs"),
        ("after the upgrade scores are different", "harness_version"),
        ("the int4 build scores lower", "precision"),
        ("CUDA out of memory and timeouts", "machine"),
        ("the judge changed its mind", "judge_changed"),
        ("the model refuses to answer", "refusals"),
        ("同样的种子，每次答案都不一样", "seed_ignored"),
        ("答案被截断了", "truncated"),
        ("论文里的分数复现不出来", "template_differs"),
        ("答对了却判错", "reader_strict"),
        ("量化之后变差了", "precision"),
        ("模型总是选A", "at_chance"),
        ("显存不足，经常超时", "machine"),
    ],
)
def test_words_lead_to_the_usual_cause(words, cause):
    assert cause in symptoms.usual(words)[:2], symptoms.usual(words)


def test_a_symptom_alone_says_that_nothing_was_measured():
    said = envelope("--symptom", "same seed, other answers")
    assert said["verdict"]["code"] == "not_measured"
    assert "Nothing was measured" in said["verdict"]["text"]
    assert said["data"]["causes"] == []
    assert said["data"]["symptom"]["measured"] is False
    assert said["data"]["symptom"]["usual"][0] == "seed_ignored"
    assert said["data"]["symptom"]["usual"][0] == "seed_ignored"


@pytest.mark.parametrize("words", ["the coffee is cold", "", "   ", "咖啡凉了"])
def test_words_in_which_nothing_is_recognised_say_what_could_be_said(words):
    for run_too in ((), (run("a"),)):
        done = CliRunner().invoke(main, ["doctor", *run_too, "--symptom", words])
        assert done.exit_code == 2
        assert "seed" in done.stderr
        assert "种子" in done.stderr


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("分数太低", {"reader_strict"}),
        ("温度为0但两次结果不同", {"seed_ignored"}),
        ("one seed", {"seed_shared"}),
        ("seed_shared", {"seed_shared"}),
        ("chat template twice", {"template_twice"}),
        ("聊天模板套了两次", {"template_twice"}),
        ("the prompt ends with white space", {"prompt_tail"}),
        ("another answer key", {"key_differs"}),
        ("标准答案不同", {"key_differs"}),
        ("vllm gives other results than huggingface", {"chat_template", "double_bos", "precision", "backend"}),
    ],
)
def test_near_words_of_a_name_lead_to_its_cause(words, first):
    assert set(diagnose(symptom=words).usual[: len(first)]) == first


def test_every_cause_is_found_by_its_own_name():
    for language in (EN, ZH):
        for cause in known_causes():
            assert cause in diagnose(symptom=language[f"doctor.cause.{cause}"]).usual[:3], cause


def test_a_symptom_beside_a_run_keeps_both_apart():
    b = run("b", change=every(4, lambda c, came: text(came, "")))
    said = envelope(b, "--symptom", "empty output")
    assert [one["cause"] for one in said["data"]["causes"]] == ["empty"]
    assert said["data"]["symptom"]["usual"]
    assert said["data"]["symptom"]["measured"] is True
    assert "from experience" in told(b, "--symptom", "empty output")
    assert "Nothing was measured" not in told(b, "--symptom", "empty output")
    assert "None of its usual causes shows" in told(b, "--symptom", "the judge changed")


def test_measured_causes_that_fit_the_symptom_stand_first():
    both = every(
        2, lambda call, came: text(came, "") if int(call.item.id[1:]) % 4 else text(came, "I cannot help with that.")
    )
    b = run("b", change=both)
    assert {"empty", "refusals"} <= set(causes(look(b)))
    for symptom, first in (("blank answers", "empty"), ("the model refuses", "refusals")):
        assert causes(look(b, symptom=symptom))[0] == first


# Claims: which way of counting gives the number


def test_a_claim_is_read_with_its_digits():
    assert parse_claim("0.6") == (0.6, 0.05)
    assert parse_claim("62.13pt")[1] == pytest.approx(0.00005)
    assert parse_claim("62.13 %") == parse_claim("62,13 points") == parse_claim("62.13分")
    assert parse_claim("1") == (1.0, 0.5)
    for bad in ("high", "nan", "-3", "1e9", "", "120", "1.2", "62.0", "120%", "inf", "0.5x", "．５"):
        with pytest.raises(InputError):
            parse_claim(bad)


@pytest.mark.parametrize("way", ["plain", "failed_wrong", "unread_left_out", "above_chance", "best_run", "any_run",
                                 "all_runs", "careful", "majority"])  # fmt: skip
def test_the_way_that_was_claimed_is_found(way):
    """Each way of counting is worked out here again, by hand, from the outcomes."""

    def spoilt(call, came):
        n = int(call.item.id[1:])
        if n % 10 == 0:
            return Failure(kind="timeout", reason="no answer in time")
        return text(came, "Well, well.") if n % 10 == 1 else wordy(call, came) if n % 10 == 2 else came

    b = run("b", change=spoilt, evaluation={"extraction": "whole", "score": "choice"}, **SAMPLED)
    side = look(b, claimed="0.5").findings.case.a  # type: ignore[union-attr]
    right = {a.key: a.right for a in side.answers if a.outcome.counted}
    items = {item: [v for (i, _), v in right.items() if i == item] for item, _ in right}
    plain = sum(right.values()) / len(right)
    failed = sum(a.outcome.value == "failed" for a in side.answers)
    unread = sum(a.outcome.value == "unparseable" for a in side.answers if a.outcome.counted)
    runs = [[v for (_, r), v in right.items() if r == k] for k in range(4)]
    careful = sum(a.careful is not None and a.careful.value == "correct" for a in side.answers if a.outcome.counted)
    by_hand = {
        "plain": plain,
        "failed_wrong": sum(right.values()) / (len(right) + failed),
        "unread_left_out": sum(right.values()) / (len(right) - unread),
        "above_chance": (plain - 0.25) / 0.75,
        "best_run": max(sum(r) / len(r) for r in runs),
        "any_run": sum(any(v) for v in items.values()) / len(items),
        "all_runs": sum(all(v) for v in items.values()) / len(items),
        "majority": sum(sum(v) > 2 for v in items.values()) / len(items),
        "careful": careful / len(right),
    }
    assert failed
    assert unread
    found = look(b, claimed=f"{by_hand[way]:.6f}")
    fits = [one.way for one in found.findings.claimed if one.fits]  # type: ignore[union-attr]
    assert way in fits
    assert len(fits) <= 2


def test_a_claim_that_nothing_gives_is_said():
    b = run("b")
    assert "None of the usual ways" in told(b, "--claimed", "0.01234")
    assert "The plain score gives it" in told(b, "--claimed", f"{_score(b):.4f}")
    assert envelope(b, "--claimed", "1.234%")["data"]["claimed"]["ways"][0]["fits"] is False
    assert "claimed: 73.3 points" in told(b, "--claimed", "0.733").splitlines()
    assert "claimed: 73.3 points" in told(b, "--claimed", "73.3pt").splitlines()
    done = CliRunner().invoke(main, ["doctor", b, "--claimed", "73.3"])
    assert done.exit_code == 2
    assert "0.733, 73.3pt or 73.3%" in done.stderr


def _score(name: str) -> float:
    score = look(name).findings.case.a.score  # type: ignore[union-attr]
    assert score is not None
    return score


# Faces


def test_terminal_json_and_exit_codes():
    a, b = run("a"), run("b", prompt={"cue": "Answer: "})
    lines = told(a, b)
    assert "1. the prompt ends in white space, in b" in lines
    assert "To decide:" in lines
    assert "Remedy:" in lines
    said = envelope(a, b)
    assert said["verdict"]["code"] == "found"
    first = said["data"]["causes"][0]
    assert first["cause"] == "prompt_tail"
    assert first["explains"] is None
    assert first["reason"]
    assert 0 < first["share"] <= 1
    assert isinstance(first["experiment"]["calls"], int)
    assert first["experiment"]["command"].split()[1] in COMMANDS
    assert said["data"]["difference"]["compared"] == 120
    told(a, b, "--check")  # possible is no failed check
    told(run("c", change=every(4, lambda c, came: text(came, ""))), "--check", code=1)
    assert envelope(a)["verdict"]["code"] == "nothing_found"
    told(a, "--check")


def test_reports_in_both_languages_and_a_notebook():
    a, b = run("a"), run("b", change=every(3, wordy), evaluation={"extraction": "whole", "score": "choice"})
    for name, lang, words in (
        ("x.html", "en", "answers are read too strictly"),
        ("x.md", "zh", "读取过严"),
        ("x.json", "en", "proven"),
    ):
        told(a, b, "--report", name, "--lang", lang, "--claimed", "0.5", "--symptom", "marked wrong")
        assert words in Path(name).read_text("utf-8")
    page = look(a, b)._repr_html_()
    assert "answers are read too strictly" in page
    assert "<script" not in page


def test_hostile_answers_stay_text():
    nasty = "\x1b[31mred <script>alert(1)</script> and the answer is "
    b = run("b", change=every(2, lambda c, came: text(came, nasty + c.item.choices[c.item.gold_index] + ".")),
            evaluation={"extraction": "whole", "score": "choice"})  # fmt: skip
    out = told(b, "--report", "x.html")
    assert "\\x1b[31m" in out
    assert "\x1b" not in out
    page = Path("x.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "<script>alert" not in look(b)._repr_html_()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a run"),
        (("nowhere",), "there is no run folder"),
        (("--claimed", "0.5"), "name a run"),
        (("--claimed", "0.5", "--symptom", "cut off"), "needs the run"),
        (("study.yaml",), "was not run yet"),
        (("--symptom", "cut off", "--report", "x.pdf"), "ends in .html"),
    ],
)
def test_wrong_use_is_one_line(words, said):
    Path("study.yaml").write_text(study(BASE), encoding="utf-8")
    done = CliRunner().invoke(main, ["doctor", *words])
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_of_a_large_run_a_seeded_sample_of_items_is_looked_at(monkeypatch):
    b = run("b", change=every(4, lambda c, came: text(came, "")), repeats={"count": 2})
    monkeypatch.setattr(eyechart.app.doctor, "LOOKED", 100)
    found = look(b)
    assert causes(found) == ["empty"]
    assert found.findings is not None
    assert len(found.findings.case.a.answers) == 100
    assert any("100 of 240 answers" in note for note in found.notes)
    assert look(b) == found  # the same sample again
    assert len(diagnose(b, claimed="0.5").findings.case.a.answers) == 240  # type: ignore[union-attr]


def test_set_ups_of_one_run_are_named_as_elsewhere():
    b = run("b", study(BASE, factors=[{"prompt.cue": {"plain": "Answer:", "spaced": "Answer: "}}]))
    found = look(f"{b}#c000", f"{b}#c001")
    assert causes(found)[0] == "prompt_tail"
    assert any("c000, its baseline" in note for note in look(b).notes)


def test_runs_that_are_held_are_as_good_as_their_folders():
    a, b = run("a"), run("b", prompt={"cue": "Answer: "})
    assert diagnose(ec.open(a), ec.open(b)) == diagnose(a, Path(b))


def test_logs_of_other_harnesses_are_looked_at_too(shared):
    fixtures = shared / "fixtures"
    if not fixtures.is_dir():
        pytest.skip("no logs of other harnesses beside the project")
    done = CliRunner().invoke(main, ["import", str(fixtures / "inspect"), "--no-report", "--out", "logs"])
    assert done.exit_code == 0, done.stderr
    folders = sorted(str(path) for path in Path("logs").iterdir())
    assert len(folders) >= 2
    first = look(folders[0])
    assert causes(first)[0] == "first_n"  # a limit took the first items, by the log's own word
    assert first.causes[0].experiment.what == "foreign"
    for a in folders:
        assert "parser_changed" not in causes(look(a))  # what gave its verdicts is not here to be read again
        for b in folders:
            for one in look(a, b).causes:
                unsaid = {f.params for f in one.facts if f.key == "field" and "temperature" in dict(f.params)["path"]}
                assert not unsaid  # a field that one log does not say differs from nothing
