"""diff: known pairs of evaluations, each with what a careful person would say of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.differing import Told
from eyechart.analysis.differing_fields import differences
from eyechart.analysis.differing_flags import flags
from eyechart.app.diff import Diffed, diff
from eyechart.app.diff_told import of_spec
from eyechart.app.place import Place
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.spec import Spec
from eyechart.report.diff_words import headline
from eyechart.report.messages import say


def kinds(found: Diffed) -> dict[str, str]:
    return {one.path: one.kind for one in found.differences}


def told(name: str, **plain: Any) -> Told:
    return of_spec(Place(name=name, kind="fingerprint", path=Path("-")), Spec(**plain)).told


def of(a: dict[str, Any], b: dict[str, Any]) -> dict[str, str]:
    return {d.path: d.kind for d in differences(told("a", **a), told("b", **b), items_same=True)}


CASES: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = [
    ("greedy by either name", {"decoding": {"do_sample": False, "temperature": 0.8}}, {"decoding": {"do_sample": False}},
     {"decoding.temperature": "inert"}),
    ("do_sample spelt out", {"decoding": {"temperature": 0.8}}, {"decoding": {"do_sample": True, "temperature": 0.8}},
     {"decoding.do_sample": "inert"}),
    ("top_k 1 against temperature 0", {"decoding": {"temperature": 0.8, "top_k": 1}}, {"decoding": {"temperature": 0}},
     {"decoding.temperature": "may", "decoding.top_k": "may", "decoding.seed": "may", "decoding.seed_scope": "may"}),
    ("one name, two hashes", {"model": {"name": "m", "sha256": "a" * 64}}, {"model": {"name": "m", "sha256": "b" * 64}},
     {"model.sha256": "scores"}),
    ("two names, one hash", {"model": {"name": "m", "sha256": "a" * 64}}, {"model": {"name": "n", "sha256": "a" * 64}},
     {"model.name": "provenance"}),
    ("one stop sequence more", {"decoding": {"stop": ["Q:"]}}, {"decoding": {"stop": ["Q:", "</s>"]}},
     {"decoding.stop": "scores"}),
    ("seed of shots at no shots", {"prompt": {"few_shot": {"count": 0, "seed": 1}}}, {"prompt": {"few_shot": {"count": 0, "seed": 2}}},
     {"prompt.few_shot.seed": "inert"}),
    ("seed at temperature 0", {"decoding": {"temperature": 0, "seed": 1}}, {"decoding": {"temperature": 0, "seed": 2}},
     {"decoding.seed": "inert"}),
    ("other draws", {"decoding": {"temperature": 1, "seed": 1}}, {"decoding": {"temperature": 1, "seed": 2}},
     {"decoding.seed": "may"}),
    ("threads", {"model": {"threads": 1}}, {"model": {"threads": 2}}, {"model.threads": "may"}),
    ("batch", {"model": {"batch_size": 1}}, {"model": {"batch_size": 8}}, {"model.batch_size": "may"}),
    ("parallel", {"model": {"parallel": {"tensor": 1}}}, {"model": {"parallel": {"tensor": 2}}}, {"model.parallel.tensor": "may"}),
    ("the key that pays", {"model": {"api_key_env": "A"}}, {"model": {"api_key_env": "B"}}, {"model.api_key_env": "provenance"}),
    ("a method for its parts", {"evaluation": {"method": "numeric"}},
     {"evaluation": {"elicit": "generate", "extraction": "number", "score": "number"}},
     {"evaluation.method": "inert", "evaluation.elicit": "inert", "evaluation.extraction": "inert", "evaluation.score": "inert"}),
    ("two methods", {"evaluation": {"method": "numeric"}}, {"evaluation": {"method": "contains"}},
     {"evaluation.extraction": "scores", "evaluation.score": "scores"}),
    ("decoding where options are scored", {"evaluation": {"elicit": "options"}, "decoding": {"temperature": 1}},
     {"evaluation": {"elicit": "options"}, "decoding": {"temperature": 0}}, {"decoding.temperature": "inert"}),
    ("one server for another", {"model": {"backend": "openai", "name": "m", "url": "http://a/v1"}},
     {"model": {"backend": "openai", "name": "m", "url": "http://b/v1"}}, {"model.url": "may"}),
    ("off as sent, and left to the server",
     {"model": {"backend": "openai", "name": "m", "url": "http://a/v1"}, "decoding": {"temperature": 1}},
     {"model": {"backend": "openai", "name": "m", "url": "http://a/v1"}, "decoding": {"temperature": 1, "top_p": 0.9}},
     {"decoding.top_p": "may"}),
    ("what a dialect sends", {"model": {"backend": "openai", "name": "m", "url": "http://a/v1", "options": {"dialect": "vllm"}},
                              "decoding": {"temperature": 1}},
     {"model": {"backend": "openai", "name": "m", "url": "http://a/v1", "options": {"dialect": "openai"}},
      "decoding": {"temperature": 1}},
     {"model.options.dialect": "may", "decoding.top_p": "may", "decoding.top_k": "may", "decoding.min_p": "may",
      "decoding.repetition_penalty": "may"}),
    ("how often", {"repeats": 1}, {"repeats": 3}, {"repeats.count": "may"}),
    ("another judge", {"evaluation": {"method": "judge", "judge": {"rubric": "x"}}},
     {"evaluation": {"method": "judge", "judge": {"rubric": "y"}}}, {"evaluation.judge.prompt.template": "scores"}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "a", "b", "wanted"), CASES, ids=[case[0] for case in CASES])
def test_a_pair_of_fingerprints(what: str, a: dict[str, Any], b: dict[str, Any], wanted: dict[str, str]) -> None:
    assert of(a, b) == wanted
    assert of(b, a) == wanted


def test_the_same_evaluation_is_said_to_be_the_same_first() -> None:
    Path("a.yaml").write_text("dataset: {name: chart}\nevaluation: {method: numeric}\n", encoding="utf-8")
    Path("b.yaml").write_text(
        "evaluation: {method: numeric, elicit: generate}\ndataset: {name: chart}\n", encoding="utf-8"
    )
    found = diff("a.yaml", "b.yaml")
    assert found.same
    assert say(headline(found), "en").startswith("The same evaluation")
    assert kinds(found) == {"evaluation.elicit": "inert"}


def test_two_files_that_say_the_same_in_two_folders_name_two_files() -> None:
    for name, answer in (("one", "4"), ("two", "5")):
        Path(name).mkdir()
        row = {"id": "1", "question": "2 + 2?", "answer": answer}
        Path(name, "q.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        Path(name, "s.yaml").write_text("dataset: {path: q.jsonl}\nmodel: {backend: echo}\n", encoding="utf-8")
    found = diff("one/s.yaml", "two/s.yaml")
    assert kinds(found) == {"dataset.items": "scores"}
    assert found.items is not None
    (change,) = found.items.changes
    assert (change.item, change.what, change.a, change.b) == ("1", "relabelled", "4", "5")
    assert not found.same
    assert [side for side, _ in found.items.untold] == ["a", "b"], "neither was run"


ROWS = [{"id": f"q{n}", "question": f"Say the number {n}.", "answer": str(n)} for n in range(20)]


def written(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "def say(prompt):\n    n = int(prompt.split('number ')[1].split('.')[0])\n    return str(n if n % 4 else n + 1)\n"
    Path("sayer.py").write_text(said, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("sayer", None)


def study(data: str, **more: str) -> ec.Study:
    extra = "".join(f"{name}: {value}\n" for name, value in more.items())
    return ec.loads(
        f"dataset: {{path: {data}}}\nmodel: {{backend: function, path: 'sayer:say'}}\n"
        f"evaluation: {{extraction: whole, score: exact}}\n{extra}"
    )


def test_another_answer_key_is_compared_item_by_item_and_its_effect_is_what_a_run_under_it_scores(say_it: None) -> None:
    changed = [dict(row) for row in ROWS]
    changed[0]["answer"] = "1"  # the model says 1: right under this key alone
    changed[4]["answer"] = "5"  # likewise
    changed[1]["answer"] = "nothing"  # the model says 1: right under the old key alone
    changed[2]["question"] = "Say the number 2. Please."
    written("a.jsonl", ROWS)
    written("b.jsonl", [*changed[:18], {"id": "new", "question": "Say the number 77.", "answer": "77"}])
    a, b = study("a.jsonl").run("a"), study("b.jsonl").run("b")
    found = diff(a, b)
    items = found.items
    assert items is not None
    assert items.shared == 18
    assert {(c.item, c.what) for c in items.changes} == {
        ("q0", "relabelled"), ("q1", "relabelled"), ("q4", "relabelled"), ("q2", "changed"), ("q18", "dropped"), ("q19", "dropped"), ("new", "added"),
    }  # fmt: skip
    of_a, of_b = items.effects
    # Naive twin: the function's answers under both keys, counted by hand over the 18 shared items.
    said = [str(n if n % 4 else n + 1) for n in range(18)]
    own = sum(s == row["answer"] for s, row in zip(said, ROWS, strict=False)) / 18
    other = sum(s == row["answer"] for s, row in zip(said, changed, strict=False)) / 18
    assert (of_a.own, of_a.other, of_a.n, of_a.moved) == (pytest.approx(own), pytest.approx(other), 18, 3)
    assert other - own == pytest.approx(1 / 18)
    assert (of_b.own, of_b.other) == (pytest.approx(other), pytest.approx(own))
    assert kinds(found)["dataset.items"] == "scores"


def test_options_in_another_order_are_the_same_question_and_the_same_key(say_it: None) -> None:
    one = [{"id": "1", "question": "Say the number 3.", "choices": ["3", "4"], "answer": "3"}]
    other = [{"id": "1", "question": "Say the number 3.", "choices": ["4", "3"], "answer": "3"}]
    written("a.jsonl", one)
    written("b.jsonl", other)
    found = diff(study("a.jsonl"), study("b.jsonl"))
    assert found.items is None
    assert kinds(found)["dataset.items"] == "may", "the template shows the order"


def test_nothing_is_drawn_and_verdicts_differ_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("moody.py").write_text(
        "import pathlib\ndef say(p):\n    return pathlib.Path('mood').read_text()\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    written("a.jsonl", [{"id": str(n), "question": f"q{n}", "answer": "yes"} for n in range(5)])
    made = "dataset: {path: a.jsonl}\nmodel: {backend: function, path: 'moody:say'}\ndecoding: {temperature: 0, seed: SEED}\n"
    runs: list[ec.Run] = []
    for seed, mood in (("1", "yes"), ("2", "no")):
        Path("mood").write_text(mood, encoding="utf-8")
        runs.append(ec.loads(made.replace("SEED", seed)).run(f"run{seed}"))
    found = diff(*runs)
    assert kinds(found)["decoding.seed"] == "inert"
    (flag,) = [one for one in found.flags if one.id == "nondeterminism"]
    assert "5 of 5 verdicts differ under seeds 1 and 2" in say(flag.evidence, "en")
    same = diff(runs[0], runs[0])
    assert same.same
    assert same.differences == ()
    assert same.flags == ()


def test_two_runs_of_one_evaluation_are_the_same_and_only_say_when_they_were_made(say_it: None) -> None:
    written("a.jsonl", ROWS)
    a, b = study("a.jsonl").run("a"), study("a.jsonl").run("b")
    found = diff("a", "b")
    assert found.same
    assert found.a.digest == a.facts["cells"][0]["digest"]
    assert set(kinds(found).values()) <= {"provenance"}
    assert found.flags == ()
    fingerprint = diff(study("a.jsonl"), b)
    assert fingerprint.same
    assert fingerprint.a.digest == fingerprint.b.digest


def test_a_goal_fills_in_as_if_it_were_written() -> None:
    Path("a.yaml").write_text("dataset: {name: chart}\npreset: sensitivity\n", encoding="utf-8")
    Path("b.yaml").write_text("dataset: {name: chart}\n", encoding="utf-8")
    assert any("goal" in note for note in diff("a.yaml", "b.yaml").notes)


@pytest.mark.parametrize("equal", [20, 19])
def test_a_probe_that_showed_bit_equality_makes_a_setting_inert(say_it: None, equal: int) -> None:
    engine = {"backend": "x", "threads": 2}
    a = Told(name="a", form="run", effective={"model.threads": 2}, stated={"model.threads": 2},
             engine={f"engine.{k}": v for k, v in engine.items()})  # fmt: skip
    b = Told(name="b", form="run", effective={"model.threads": 1}, stated={"model.threads": 1},
             engine={"engine.backend": "x", "engine.threads": 1})  # fmt: skip
    from eyechart.app.diff_probed import shown_equal

    setting = {
        "condition": "threads",
        "setting": "1 threads",
        "calls": 20,
        "equal": equal,
        "failed": 0,
        "visible": "options",
    }
    Path("eyechart-runs/p").mkdir(parents=True)
    probe = {"engine": engine, "settings": [setting]}
    Path("eyechart-runs/p/determinism.json").write_text(json.dumps(probe), encoding="utf-8")
    found = differences(a, b)
    assert [d.kind for d in found] == ["may"]
    known = shown_equal(a, b, found, [])
    again = differences(a, b, shown_equal=known)
    assert [d.kind for d in again] == (["inert"] if equal == 20 else ["may"])


def test_one_name_and_no_hash_may_be_two_models() -> None:
    both: dict[str, Any] = {"form": "run", "effective": {"model.backend": "openai", "model.name": "m"}}
    (one,) = differences(Told(name="a", **both), Told(name="b", **both))
    assert (one.path, one.kind) == ("model.sha256", "may")
    assert differences(Told(name="a", **both), Told(name="a", **both)) == ()


def test_where_the_model_is_elsewhere_this_machine_is_provenance() -> None:
    def at(name: str, backend: str, processor: str) -> Told:
        return Told(name=name, form="run", effective={"model.backend": backend, "model.sha256": "a"},
                    runtime={"processor": processor, "git.commit": name})  # fmt: skip

    for backend, kind in (("openai", "provenance"), ("embedded", "may")):
        found = {d.path: d.kind for d in differences(at("a", backend, "x"), at("b", backend, "y"))}
        assert found == {"processor": kind, "git.commit": "provenance"}


def test_what_replies_taught_is_said_beside_the_fields() -> None:
    a = Told(name="a", form="run", replies={"double_bos": 3, "parameter_ignored:seed": 2, "cut_at_limit": 9})
    assert {(f.id, f.subject) for f in flags(a, Told(name="b", form="run"), ())} == {
        ("double_bos", "a"), ("parameter_ignored", "a"),
    }  # fmt: skip


def invoke(*words: str) -> Any:
    return CliRunner().invoke(main, ["diff", *words])


def test_the_command_in_all_its_faces() -> None:
    Path("a.yaml").write_text("dataset: {name: chart}\nprompt: {cue: 'A:'}\n", encoding="utf-8")
    Path("b.yaml").write_text('dataset: {name: chart}\nprompt: {cue: "\\e[31mB"}\n', encoding="utf-8")
    done = invoke("a.yaml", "b.yaml")
    assert done.exit_code == 0
    assert done.stdout.startswith("1 field scores differently (prompt.cue).")
    assert "≠ prompt.cue" in done.stdout
    assert "\x1b" not in done.stdout
    assert "default of eyechart" in done.stdout
    assert "default of eyechart" not in invoke("a.yaml", "b.yaml", "--brief").stdout
    assert invoke("a.yaml", "b.yaml", "--exit-code").exit_code == 1
    assert invoke("a.yaml", "a.yaml", "--exit-code").exit_code == 0
    answer = json.loads(invoke("a.yaml", "b.yaml", "--json").stdout)
    assert answer["verdict"]["code"] == "scores_differently"
    (row,) = answer["data"]["differences"]
    assert (row["path"], row["kind"], row["a"], row["b"]) == ("prompt.cue", "scores", "A:", "\x1b[31mB")
    assert answer["data"]["items"] is None
    for ending in ("html", "md", "json"):
        for language in ("en", "zh"):
            report = f"d.{ending}"
            assert invoke("a.yaml", "b.yaml", "--report", report, "--language", language).exit_code == 0
            text = Path(report).read_text(encoding="utf-8")
            assert "prompt.cue" in text
            assert "\x1b" not in text
            assert ("得分不同" in text) == (language == "zh")
    assert "<script" not in diff("a.yaml", "b.yaml")._repr_html_()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.yaml", "nothing"), "there is no run folder, fingerprint or RUN#cell nothing, and no log of that name"),
        (("a.yaml", "a.yaml#c001"), "is a file and holds no set-ups"),
        (("a.yaml", "bad.yaml"), "bad.yaml:1: prmpt: there is no section prmpt; did you mean prompt?"),
        (("a.yaml", "a.yaml", "--report", "x.pdf"), "--report"),
        (("a.yaml", "empty"), "is not a finished run"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str) -> None:
    Path("a.yaml").write_text("dataset: {name: chart}\n", encoding="utf-8")
    Path("bad.yaml").write_text("prmpt: {cue: x}\n", encoding="utf-8")
    Path("empty").mkdir()
    done = invoke(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("spoilt", ['{"format": 1}', "[]", "{", '{"cells": [{"id": "c000"}]}', '{"cells": 3}'])
def test_a_spoilt_run_is_one_line(spoilt: str, say_it: None) -> None:
    written("a.jsonl", ROWS)
    study("a.jsonl").run("a")
    whole = json.loads(Path("a/run.json").read_text(encoding="utf-8"))
    text = json.dumps(whole | json.loads(spoilt)) if "cells" in spoilt else spoilt
    Path("a/run.json").write_text(text, encoding="utf-8")
    done = invoke("a", "a")
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 1), done.stderr


def test_what_is_no_evaluation_is_said() -> None:
    with pytest.raises(InputError, match="a int is no evaluation"):
        diff(3, 4)


OURS = 'dataset: {name: chart, subset: sentiment}\nprompt: {template: "{{question}}", cue: "A:"}\ndecoding: {max_new_tokens: 9}\n'


def test_a_description_of_another_s_number_gets_no_default_of_ours(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs.yaml", tmp_path / "ours.yaml"
    theirs.write_text("model_name: them\ndecode: {temperature: 0.5}\ntask: {name: chart}\n", encoding="utf-8")
    ours.write_text(f"{OURS}evaluation: {{method: numeric}}\n", encoding="utf-8")
    for a, b in ((theirs, ours), (ours, theirs)):
        found = diff(a, b)
        seen = kinds(found)
        assert seen["decoding.temperature"] == "scores"  # it is stated there, and ours is a default
        for path in ("prompt.template", "prompt.cue", "decoding.max_new_tokens", "evaluation.extraction"):
            assert seen[path] == "may"
        why = {one.path: say(one.why, "en") for one in found.differences}
        assert why["prompt.cue"] == f"{theirs} does not state it"
        assert not found.same
    twice = diff(theirs, theirs)
    assert (twice.same, twice.differences) == (False, ())  # what neither states may not be the same


def test_differences_that_rest_on_a_default_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bare, ours = Path("bare.yaml"), Path("ours.yaml")
    bare.write_text("dataset: {name: chart, subset: sentiment}\ndecoding: {max_new_tokens: 8}\n", encoding="utf-8")
    ours.write_text(OURS, encoding="utf-8")
    found = diff(bare, ours)
    scoring = {one.path for one in found.of("scores")}
    assert {"prompt.template", "prompt.cue", "decoding.max_new_tokens"} <= scoring
    # Of these the limit stands in both, and how options look follows from the template: two rest on a default alone.
    assert "2 of those that score differently only by a default of eyechart: bare.yaml does not state" in str(found)
    assert str(found) == say(headline(found), "en")
    bare.write_text(OURS.replace("9}", "8}"), encoding="utf-8")
    assert "default of eyechart" not in str(diff(bare, ours))
