"""Questions to authors: exactly what is not said, never what is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.check import known_from
from eyechart.app.disclose import Disclosure, disclose
from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.app.imported_facts import ASKED
from eyechart.app.importing import import_logs
from eyechart.cli import main
from eyechart.report.messages import say
from eyechart.rules.questions import GROUPS, questions
from eyechart.rules.values import Known, Moved, Setup

ELSEWHERE = {
    "dataset.revision": "data_version", "dataset.split": "split", "model.revision": "weights", "model.sha256": "weights",
    "model.name": "model_name", "evaluation.framework_version": "harness_version",
}  # fmt: skip
"""Questions that ask for several fields at once, any of which answers them."""


def ids(found: Disclosure) -> set[str]:
    return {one.id for one in found.questions}


def made(folder: Path) -> Path:
    sys.path.insert(0, str(Path(__file__).parents[1] / "logs"))
    try:
        from made_logs import every_eval_ever
    finally:
        sys.path.pop(0)
    return every_eval_ever(folder)


@pytest.mark.parametrize("log", ["lm_eval", "helm", "evalscope/qwen-plus", "inspect/pubmedqa.json", "every_eval_ever"])
def test_a_log_is_asked_for_what_it_does_not_say_and_for_nothing_else(request: pytest.FixtureRequest, log: str) -> None:
    """Held against the list of unknown fields that the import itself keeps."""
    where = made(Path("eee")) if log == "every_eval_ever" else request.getfixturevalue("shared") / "fixtures" / log
    found = disclose(where)
    (imported, *_) = import_logs(where, out="imported", report=False).runs
    run = finished(Folder(imported.folder))
    stated: dict[str, Any] = run.facts["cells"][0]["stated"]
    unknown = set(run.facts["imported"]["unknown"])
    known = known_from(run)
    asked = ids(found)
    for path in ASKED:
        name = ELSEWHERE.get(path, path.rpartition(".")[2])
        name = {"count": "shots"}.get(name, name)
        if path not in unknown:
            section, _, rest = path.partition(".")
            said = stated.get(section, {})
            for part in rest.split("."):
                said = said.get(part) if isinstance(said, dict) else None
            if said is not None and path not in ("dataset.revision",):
                assert name not in asked, (path, said)
        elif name not in ("data_version", "weights"):
            assert name in asked, path
    for one in found.questions:
        values = [
            known.value(path) for path in one.paths if path in known.fields and known.fields[path].state == "stated"
        ]
        if one.id not in ("items", "extraction", "grader", "judge", "shot_choice", "data_version", "weights"):
            assert not values, (one.id, values)


def test_the_log_that_gives_a_commit_is_not_asked_for_the_hash_of_its_files(shared: Path) -> None:
    found = disclose(shared / "fixtures" / "lm_eval")
    assert ids(found) == {
        "data_version", "items", "quantization", "extraction", "grader", "failures", "tries", "command",
    }  # fmt: skip
    effects = {one.id: None if one.effect is None else say(one.effect, "en") for one in found.questions}
    assert effects["items"] == (
        "with other items it could lie from 0.0 to 27.8 points, by the 95 % interval over 10 items."
    )
    assert effects["extraction"] is not None
    assert "usual ways of reading the very same answers" in effects["extraction"]
    assert effects["quantization"] is None


def test_aggregates_alone_are_asked_too_and_several_want_a_name(shared: Path) -> None:
    folder = Path("agg")
    folder.mkdir()
    (log,) = (shared / "fixtures" / "lm_eval").glob("results*.json")
    (folder / log.name).write_bytes(log.read_bytes())
    done = CliRunner().invoke(main, ["disclose", "agg"])
    assert (done.exit_code, "name one, e.g. agg#math_perturbed_full" in done.stderr) == (2, True)
    done = CliRunner().invoke(main, ["disclose", "agg#math_rephrased_ful"])
    assert "did you mean math_rephrased_full?" in done.stderr
    found = disclose("agg#math_rephrased_full")
    assert {"data_version", "items", "tries"} <= ids(found)
    assert not {"model_name", "weights", "dtype", "template", "harness_version"} & ids(found)


FULL = """
dataset: {name: a/b, revision: 1a2b3c4, split: test, limit: 100, seed: 1}
prompt:
  template: "{{question}}"
  chat_template: true
  few_shot: {count: 3, source: dev, difficulty: random, seed: 3}
decoding: {temperature: 0.7, top_p: 0.9, max_new_tokens: 64, stop: ["x"], seed: 4}
model: {name: m, revision: 1a2b3c4, dtype: bf16, quantization: none, batch_size: 8}
evaluation: {method: numeric, framework: lm_eval, framework_version: 0.4.9}
repeats: 5
runtime: {hardware: A100, command: lm_eval --x, framework_version: 0.4.9}
"""


def test_a_description_that_says_all_is_asked_only_for_its_numbers() -> None:
    assert ids(disclose(ec.loads(FULL))) == {"interval", "failures", "tries"}


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("revision: 1a2b3c4, split", "revision: main, split", "data_version"), ("split: test, ", "", "split"),
        ("limit: 100, ", "", "items"), ('template: "{{question}}"', "separator: x", "template"),
        ("chat_template: true", "cue: x", "chat_template"), ("count: 3, ", "", "shots"),
        ("source: dev, ", "", "shot_source"), ("difficulty: random, seed: 3", "order: drawn", "shot_choice"),
        ("temperature: 0.7, ", "", "temperature"), ("top_p: 0.9, ", "", "top_p"),
        ("max_new_tokens: 64, ", "", "max_new_tokens"), ('stop: ["x"], ', "", "stop"), (", seed: 4}", "}", "seed"),
        ("{name: m, ", "{", "model_name"), ("m, revision: 1a2b3c4, ", "m, ", "weights"), ("dtype: bf16, ", "", "dtype"),
        ("quantization: none, ", "", "quantization"), (", batch_size: 8", "", "batch_size"),
        ("hardware: A100, ", "", "hardware"), ("{method: numeric, ", "{", "extraction"),
        ("0.4.9}\nrepeats: 5", "0.4.9}", "repeats"), ("command: lm_eval --x, ", "", "command"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_asked_for_and_nothing_beside_it(old: str, new: str, name: str) -> None:
    assert old in FULL
    assert ids(disclose(ec.loads(FULL.replace(old, new)))) == {"interval", "failures", "tries", name}


def test_numbers_in_somebodys_words_are_no_evidence_of_how_far_it_moves() -> None:
    """Percent or fractions, who knows; and it may be no number at all."""
    for low in (0.1, 65, "x", [1]):
        flat = {"model_name": "m", "decode": {}, "task": {"name": "g"}, "score": {"low": low, "high": 70, "se": low}}
        found = disclose(ec.loads(json.dumps(flat)))
        assert all(one.effect is None and one.size is None for one in found.questions)


def test_greedy_answers_without_shots_are_not_asked_for_seeds_and_splits() -> None:
    flat = {"model_name": "m", "decode": {"temperature": 0}, "task": {"name": "g", "fewshot": 0}, "score": {"acc": 1}}
    asked = ids(disclose(ec.loads(json.dumps(flat))))
    assert not asked & {"seed", "top_p", "shot_source", "shot_choice", "repeats", "temperature", "shots", "data_name"}
    assert {"stop", "max_new_tokens", "template", "interval", "weights"} <= asked


def test_a_run_of_this_house_says_all_and_what_moved_is_told() -> None:
    text = (
        "dataset: {name: chart, subset: sentiment, limit: 40}\nmodel: {backend: synthetic, options: {accuracy: 0.9}}\n"
    )
    assert disclose(ec.loads(text).run("plain")).questions == ()
    assert CliRunner().invoke(main, ["disclose", "plain"]).stdout == "Nothing is left to ask of plain.\n"


def test_the_letter_is_numbered_grouped_bilingual_and_inert() -> None:
    evil = json.dumps({"model_name": "m", "decode": {}, "task": {"name": "g"}})
    Path("[x](http:__h)\x1b[31m.json").write_text(evil, encoding="utf-8")
    for language, word in (("en", "Why it matters:"), ("zh", "为何重要：")):
        done = CliRunner().invoke(
            main, ["disclose", "[x](http:__h)\x1b[31m.json", "--out", "q.md", "--lang", language, "--json"]
        )
        data = json.loads(done.stdout)["data"]
        assert [one["number"] for one in data["questions"]] == list(range(1, data["count"] + 1))
        assert [g for g in GROUPS if g in {q["group"] for q in data["questions"]}] == list(
            dict.fromkeys(q["group"] for q in data["questions"])
        )
        letter = Path("q.md").read_text(encoding="utf-8")
        assert letter.count(word) == data["count"] > 15
        assert f"{data['count']}. " in letter
        assert "\x1b" not in letter
        assert "[x](http" not in letter
        assert all("reason" in q or q["effect"] for q in data["questions"])
    for ending in ("html", "json"):
        assert (
            CliRunner().invoke(main, ["disclose", "[x](http:__h)\x1b[31m.json", "--out", f"q.{ending}"]).exit_code == 0
        )
    assert "Which data set" not in Path("q.html").read_text("utf-8")  # it is named
    assert "Which split was scored?" in Path("q.html").read_text("utf-8")
    assert "<script" not in disclose(Path("[x](http:__h)\x1b[31m.json"))._repr_html_()


@pytest.mark.parametrize(
    ("facts", "moved", "name", "words", "size"),
    [
        ({}, {"decoding.temperature": Moved(change=-0.061, beyond=True)}, "temperature",
         "by 6.1 points in this run, more than noise explains.", 0.061),
        ({}, {"prompt.chat_template": Moved(change=0.02, beyond=False)}, "chat_template",
         "by 2.0 points in this run, which noise alone may explain.", 0.02),
        ({"outcomes.truncated": 0.125}, {}, "max_new_tokens",
         "up to 12.5 points, the share of answers that were cut off.", 0.125),
        ({"score.repeat_low": 0.4, "score.repeat_high": 0.5}, {}, "seed",
         "asked again it could lie from 40.0 to 50.0 points, by the 95 % interval.", 0.1),
        ({"score.low": 0.4, "score.high": 0.6, "data.count": 50}, {}, "items",
         "with other items it could lie from 40.0 to 60.0 points, by the 95 % interval over 50 items.", 0.2),
        ({"outcomes.failed": 0.01, "outcomes.unscored": 0.02}, {}, "failures",
         "up to 3.0 points, the share of answers without a score.", 0.03),
        ({"outcomes.truncated": 0.0}, {}, "stop", None, None),
    ],
)  # fmt: skip
def test_how_far_it_can_move_the_score_is_said_by_a_number_of_the_run_or_not_at_all(
    facts: dict[str, float], moved: dict[str, Moved], name: str, words: str | None, size: float | None
) -> None:
    known = Known(name="log", kind="imported", facts=facts, moved=moved, setups=(Setup(id="c000"),))
    one = next(q for q in questions(known) if q.id == name)
    assert (None if one.effect is None else say(one.effect, "en")) == words
    assert one.size == (None if size is None else pytest.approx(size))
