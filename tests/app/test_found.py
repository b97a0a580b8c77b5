"""What a newcomer found, kept as tests: each names the class of input that went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate


def call(*words: str, code: int = 0, input: str | None = None):
    done = CliRunner().invoke(main, list(words), catch_exceptions=False, input=input)
    assert done.exit_code == code, done.output + done.stderr
    return done


def write(text: str, name: str = "study.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


BASE = "dataset: {name: chart, subset: sentiment, limit: 30}\nmodel: {backend: synthetic}\nevaluation: {extraction: lenient}\n"


def test_heat_map_spread_and_curve_speak_of_one_effect():
    """Factors that are inert in some settings must not weight what they do not touch."""
    effects = '[{when: {contains: " B:"}, add: -0.2}, {when: {elicit: options}, add: 0.25}]'
    one = ec.loads(
        f"dataset: {{name: chart, subset: sentiment}}\nmodel: {{backend: synthetic, options: {{effects: {effects}}}}}\n"
        "evaluation: {extraction: lenient}\nrepeats: {count: 2, greedy: 1}\ndesign: factorial\nfactors:\n"
        "  - {prompt.few_shot.count: [0, 2, 4]}\n  - {decoding.temperature: [0, 0.4, 0.8]}\n"
        "  - {evaluation.elicit: [generate, options]}\n  - {evaluation.extraction: [lenient, first_word]}\n"
    )
    run = one.run("run")
    means = {s.factor: dict(s.means) for s in run.spreads()}
    for entry in run.heatmap():
        if entry.baseline:
            continue
        assert isinstance(entry.change, Estimate)
        levels = means[entry.factor]
        base = next(e.level for e in run.heatmap() if e.factor == entry.factor and e.baseline)
        assert entry.change.value == pytest.approx(levels[entry.level] - levels[base])
    for curve in run.curves():
        points = [p.value for p in curve.points if isinstance(p, Estimate)]
        assert points == pytest.approx([means[curve.factor][name] for name in means[curve.factor]])


def test_two_numbers_are_a_contrast_not_a_curve():
    run = ec.loads(BASE + "factors: [{decoding.temperature: [0, 0.7]}]").run("run")
    assert run.curves() == ()


@pytest.mark.parametrize("reader", ["first_letter", "answer_letter", "last_letter"])
def test_a_right_letter_is_right(reader):
    rows = [
        {"question": f"q{i}", "choices": ["red", "green", "blue", "pink"], "answer": "ABCD"[i % 4]} for i in range(8)
    ]
    write("\n".join(json.dumps(r) for r in rows), "mine.jsonl")
    write("def f(prompt):\n    return 'Answer: ' + 'ABCD'[int(prompt[1:]) % 4]\n", "letters.py")
    run = ec.loads(
        "dataset: {path: mine.jsonl}\nmodel: {backend: function, path: 'letters:f'}\n"
        f"prompt: {{template: '{{{{question}}}}'}}\nevaluation: {{extraction: {reader}}}\n"
    ).run("run")
    if reader == "answer_letter":
        assert run.scores()[0].runs == (1.0,)
    assert run.facts["cells"][0]["effective"]["reading"]["score"] == "choice"


def test_a_run_that_was_stopped_says_so_first():
    write(BASE + "budget: {calls: 8}\nfactors: [{decoding.temperature: [0, 0.7]}]")
    done = call("run", "study.yaml", "--out", "r", "--quiet", code=4)
    assert "Incomplete: 8 of 60 calls" in done.stdout.splitlines()[1]
    assert "Incomplete: 8 of 60 calls" in call("show", "r").stdout.splitlines()[0]
    assert json.loads(call("show", "r", "--json").stdout)["warnings"]
    page = Path("r/report.html").read_text(encoding="utf-8")
    assert page.index("Incomplete") < page.index('<section id="score"') if '<section id="score"' in page else True
    call("report", "r", "--lang", "zh", "--out", "z.md")
    assert "运行未完成" in Path("z.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("body", ["raise KeyError('q')", "return 'yes'", "return None", "return 7"])
def test_a_scorer_that_fails_is_said_with_its_reason(body):
    write(f"def s(answer, gold):\n    {body}\n", "scoring.py")
    write(
        "dataset: {name: chart, subset: sentiment, limit: 6}\nmodel: {backend: synthetic}\n"
        "evaluation: {method: function, function: 'scoring:s'}\n"
    )
    done = call("run", "study.yaml", "--out", "r", "--quiet", code=3)
    assert "could not be scored" in done.stdout
    assert "scoring:s" in done.stderr
    assert "scoring:s" in Path("r/report.html").read_text(encoding="utf-8")
    assert ec.open("r").scores()[0].outcomes == {"unscored": 6}


def test_one_set_up_has_no_range_and_that_is_what_is_said():
    write(BASE)
    done = call("run", "study.yaml", "--quiet")
    assert "Only one set-up was tried" in done.stdout
    assert "no set-up has" not in done.stdout


def test_several_answers_to_one_prompt_are_its_repeats():
    write('{"question": "q", "answer": "7"}', "mine.jsonl")
    write("\n".join(json.dumps({"prompt": "q", "output": o}) for o in "778"), "answers.jsonl")
    text = (
        "dataset: {path: mine.jsonl}\nmodel: {backend: replay, path: answers.jsonl}\n"
        "prompt: {template: '{{question}}'}\nrepeats: 3\n"
    )
    assert ec.loads(text).run("r").scores()[0].runs == (1.0, 1.0, 0.0)
    write('{"prompt": "q", "output": "7", "repeat": 0}\n{"prompt": "q", "output": "8", "repeat": 0}', "answers.jsonl")
    with pytest.raises(InputError, match=r"answers.jsonl:2: repeat 0 of this prompt stands further up"):
        ec.loads(text).run("s")


@pytest.mark.parametrize("name", ["observations.npz", "items.jsonl", "run.json", "store.sqlite"])
@pytest.mark.parametrize("damage", ["empty", "half", "noise", "gone"])
def test_a_damaged_run_folder_is_one_line(name, damage):
    ec.loads(BASE).execute("r")
    path = Path("r") / name
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "half": data[: len(data) // 2], "noise": b"\x00\xff" * 300}[damage])
    done = CliRunner().invoke(main, ["show", "r"])
    assert done.exit_code in (0, 2)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if done.exit_code:
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_name_too_long_for_a_folder_is_one_line():
    write(BASE)
    assert "cannot write" in call("run", "study.yaml", "--quiet", "--out", "x" * 400, code=2).stderr


def test_a_function_that_exits_fails_its_call_only():
    write("import sys\ndef f(prompt):\n    sys.exit(5)\n", "leaving.py")
    write("dataset: {name: chart, subset: sentiment, limit: 3}\nmodel: {backend: function, path: 'leaving:f'}\n")
    assert "SystemExit" in call("run", "study.yaml", "--quiet", code=3).stderr


def test_a_changed_file_of_a_run_breaks_its_seal():
    ec.loads(BASE).execute("r")
    call("store", "verify", "r")
    with Path("r/study.yaml").open("a", encoding="utf-8") as file:
        file.write("# changed")
    assert "study.yaml: was changed" in call("store", "verify", "r", code=1).stdout
    Path("r/seal.json").unlink()
    assert "seal.json" in call("store", "verify", "r", code=1).stdout


def test_a_corrected_answer_is_read_again_never_asked_again():
    rows = [{"question": f"q{i}", "answer": "yes"} for i in range(12)]
    write("\n".join(json.dumps(r) for r in rows), "mine.jsonl")
    text = (
        "dataset: {path: mine.jsonl}\nmodel: {backend: synthetic}\nprompt: {template: '{{question}}'}\n"
        "decoding: {temperature: 0.7}\nrepeats: 3\n"
    )
    ec.loads(text).execute("r")
    rows[4]["answer"] = "no"
    write("\n".join(json.dumps(r) for r in rows), "mine.jsonl")
    assert ec.loads(text).execute("r").made == 0


def test_a_prompt_without_the_question_is_noticed():
    plan = ec.loads(BASE + "prompt: {template: constant}").plan()
    assert any("different prompts" in note for note in plan.grid.notes)


def test_a_misspelt_reader_costs_no_call():
    write(BASE.replace("lenient", "leniant") + "budget: {calls: 5}")
    done = call("run", "study.yaml", "--out", "r", "--quiet", code=2)
    assert "evaluation.extraction: no reader is named 'leniant'; did you mean 'lenient'?" in done.stderr
    assert not Path("r").exists()


def test_a_study_from_standard_input():
    assert "30 calls" in call("plan", "-", input=BASE).stdout


def test_a_wrong_level_says_what_to_write():
    write(BASE + "factors: [{prompt.chat_template: [off, on]}]")
    assert "'off' does not fit: write true or false" in call("plan", "study.yaml", code=2).stderr
