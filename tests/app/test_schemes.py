"""Schemes: each sentence stands or falls with its parts, and what `init` writes loads and has the parts it names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from eyechart.app.schemes import TASKS, Scheme, scheme_of, sentences
from eyechart.cli import init as module
from eyechart.cli import main
from eyechart.core.codec import load_study

DOCS = Path(__file__).parents[2] / "docs" / "schemes.md"
FULL = Scheme(exact=False, judge="pointwise", repeats=3, sampled=True, seeded=True, factors=1, labels=200, people=2, random=True)  # fmt: skip
PAIRS = replace(FULL, judge="pairwise")


def supported(scheme: Scheme) -> set[str]:
    return {one.id for one in sentences(scheme) if one.supported}


def scheme(text: str, **more: Any) -> Scheme:
    return scheme_of(load_study(text), **more)


def test_all_parts_support_all_sentences_of_their_kind() -> None:
    everything = {one.id for one in sentences(FULL)}
    assert supported(FULL) == everything - {"judge_prefers", "people_prefer"}
    assert supported(PAIRS) == everything - {"judge_grades", "right"}


@pytest.mark.parametrize(
    ("whole", "change", "lost"),
    [
        (FULL, {"judge": None}, {"judge_grades", "judge_agrees", "corrected"}),
        (FULL, {"labels": 0, "people": 0}, {"right", "judge_agrees", "corrected", "people_agree"}),
        (PAIRS, {"labels": 0, "people": 0}, {"people_prefer", "judge_agrees", "corrected", "people_agree"}),
        (FULL, {"random": False}, {"right", "corrected"}),
        (PAIRS, {"random": None}, {"people_prefer", "corrected"}),
        (FULL, {"people": 1}, {"people_agree"}),
        (FULL, {"repeats": 1}, {"repeated"}),
        (FULL, {"seeded": False}, {"same_again"}),
        (FULL, {"seeded": False, "sampled": False}, set()),
        (FULL, {"factors": 0}, {"moved"}),
    ],
)
def test_each_missing_part_takes_its_sentences_and_no_others(
    whole: Scheme, change: dict[str, Any], lost: set[str]
) -> None:
    assert supported(whole) - supported(replace(whole, **change)) == lost


def test_a_judge_alone_never_says_right() -> None:
    for mode in ("pointwise", "pairwise"):
        assert "right" not in supported(Scheme(exact=False, judge=mode, repeats=9))
    assert "right" in supported(Scheme(exact=True))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{}", {"exact": True, "judge": None, "repeats": 1, "sampled": False, "seeded": False, "factors": 0}),
        ("evaluation: {method: judge, judge: {rubric: x}}", {"exact": False, "judge": "pointwise"}),
        ("judge: {mode: pairwise}", {"exact": False, "judge": "pairwise"}),
        ("judge: {rubric: x}", {"exact": False, "judge": "pointwise"}),
        ("evaluation: {method: semantic}", {"exact": False, "judge": None}),
        ("evaluation: {method: code}", {"exact": True}),
        ("decoding: {temperature: 0.5, seed: 0}\nrepeats: {count: 4, greedy: 1}", {"sampled": True, "seeded": True, "repeats": 4}),
        ("repeats: {count: 4, greedy: 1}", {"sampled": False, "repeats": 1}),
        ("decoding: {do_sample: true}", {"sampled": True}),
        ("decoding: {do_sample: false, temperature: 0.9}", {"sampled": False}),
        ("factors:\n  - {decoding.temperature: [0.0, 0.7]}", {"sampled": True, "factors": 1}),
        ("factors:\n  - {prompt.cue: [a, b]}", {"sampled": False, "factors": 1}),
    ],
)  # fmt: skip
def test_parts_of_a_study(text: str, parts: dict[str, Any]) -> None:
    found = scheme(text)
    assert {name: getattr(found, name) for name in parts} == parts


def test_labels_are_told_beside_the_study() -> None:
    found = scheme("judge: {mode: pairwise}", labels=20, people=2, random=True)
    assert {"people_prefer", "corrected", "people_agree"} <= supported(found)
    assert scheme("{}", people=2).people == 0


def invoke(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(main, ["init", *words])
    assert done.exit_code == code, (words, done.output, done.stderr)
    return done


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("sampling", ["yes", "no"])
def test_what_init_writes_loads_and_has_the_parts(task: str, sampling: str) -> None:
    invoke("--task", task, "--sampling", sampling, "--people", "yes", "--labels", "77", "--budget", "500")
    text = Path("study.yaml").read_text(encoding="utf-8")
    study = load_study(text)
    found = scheme_of(study, labels=77, people=2, random=True)
    modes = {"open": "pointwise", "pairwise": "pairwise"}
    assert found.judge == modes.get(task)
    assert found.exact == (task not in modes)
    assert found.seeded
    assert found.sampled == (sampling == "yes" and task != "pairwise")
    assert found.repeats == (5 if found.sampled else 1)
    assert found.factors >= 1
    assert study.budget.calls == 500
    assert "--count 77 --people 2" in text
    assert "people_agree" in supported(found)


@pytest.mark.parametrize(
    ("rows", "task"),
    [
        ([{"question": "1+1", "answer": "2"}, {"question": "2+2", "answer": "4"}], "number"),
        ([{"question": "who", "answer": "me"}, {"question": "2+2", "answer": "4"}], "text"),
        ([{"question": "q", "choices": ["a", "b"], "answer": "a"}, {"question": "r", "choices": ["a", "b"], "answer": "b"}], "choice"),
        ([{"id": "1", "question": "why?"}, {"id": "2", "question": "how?"}], "open"),
        ([{"id": "1", "question": "q", "output_a": "x", "output_b": "y"}, {"id": "2", "question": "r", "output_a": "x", "output_b": "z"}], "pairwise"),
    ],
)  # fmt: skip
def test_the_task_is_seen_from_the_data_and_said(rows: list[dict[str, Any]], task: str) -> None:
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = invoke("mine.jsonl", "--scheme", "--backend", "synthetic")
    assert f"not stated, so: task {task}, people no, sampling no, budget none" in done.stdout
    load_study(Path("study.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("task", ["choice", "number", "open"])
def test_a_plan_can_be_made_of_it(task: str) -> None:
    rows = [{"id": str(i), "question": f"{i} + 1 = ?"} for i in range(5)]
    Path("questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    invoke("--task", task, "--sampling", "yes", "--backend", "synthetic")
    done = CliRunner().invoke(main, ["plan", "study.yaml", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["data"]["calls"]["needed"] > 0


def test_without_a_scheme_init_is_what_it_was() -> None:
    invoke()
    text = Path("study.yaml").read_text(encoding="utf-8")
    assert "Scheme" not in text
    assert len(load_study(text).factors) == 4


def test_on_a_terminal_it_asks_only_what_is_not_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def prompt(text: str, **options: Any) -> Any:
        asked.append(text)
        return {"What": "number", "Can": True, "How": 30}.get(text.split()[0], options["default"])

    class Terminal:
        @staticmethod
        def isatty() -> bool:
            return True

    monkeypatch.setattr(module.click, "prompt", prompt)
    monkeypatch.setattr(module.sys, "stdin", Terminal)
    command = module.command.callback.__wrapped__  # type: ignore[union-attr]
    answer = command(data=None, out=Path("s.yaml"), scheme=True, function=None, backend=None, url=None, model=None,
                     force=False, task=None, people=None, labels=None, sampling=True, budget=None)  # fmt: skip
    assert [text.split()[0] for text in asked] == ["What", "Can", "How"]
    assert "not stated" not in "".join(answer.lines)
    text = Path("s.yaml").read_text(encoding="utf-8")
    assert "labels of people on 30 answers" in text
    assert "extraction: number" in text


@pytest.mark.parametrize(
    "words",
    [["--task", "poetry"], ["--labels", "0"], ["--people", "perhaps"], ["--budget", "-1"], ["none.csv", "--scheme"]],
)
def test_mistakes_are_told_without_a_traceback(words: list[str]) -> None:
    done = invoke(*words, code=2)
    assert "Traceback" not in done.output
    assert not Path("study.yaml").exists()


def test_the_page_prints_what_it_shows() -> None:
    shown = 0
    for block in re.findall(r"```console\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        for part in ("\n" + block).split("\n$ ")[1:]:
            words, *lines = part.splitlines()
            printed = CliRunner().invoke(main, words.split()[1:]).stdout.splitlines()
            for line in lines:
                assert line in printed, (words, line)
                shown += 1
    assert shown == 3


def test_the_page_names_every_sentence() -> None:
    page = " ".join(DOCS.read_text(encoding="utf-8").split()).casefold()
    for one in sentences(FULL):
        start = " ".join(one.text.split()[:5]).rstrip(".,").casefold()
        assert start in page or one.id == "corrected", one.text
