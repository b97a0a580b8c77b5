"""Model cards, flat snapshots, and what is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.export import TARGETS, export
from eyechart.cli import main
from eyechart.core import flat
from eyechart.core.codec import load_study, read_yaml
from eyechart.core.errors import InputError
from eyechart.share.every_eval_ever import benchmark_of
from eyechart.share.told import Setup, dataset_of, metric_of


def front(text: str) -> dict:
    _, head, _ = text.split("---\n", 2)
    return read_yaml(head).data


def test_a_model_card_says_score_interval_and_fingerprint(runs):
    run = runs("grid")
    text = export(run, to="model-card", out="out").files[0].read_text(encoding="utf-8")
    ((entry,),) = ([front(text)["model-index"]],)
    (result,) = entry[0]["results"]
    (metric,) = result["metrics"]
    base = run.scores()[0]
    assert metric["value"] == pytest.approx(base.new_items.value, abs=1e-11)
    assert metric["args"]["fingerprint_effective"] == base.digest == run.facts["digests"]["effective"]
    assert metric["args"]["interval_new_items"]["low"] == pytest.approx(base.new_items.interval.low, abs=1e-11)
    assert metric["args"]["seal"] == run.folder.read_json("seal.json")["root"]
    assert "eyechart verify run of grid" in text
    low, high = (100 * end for end in (base.new_items.interval.low, base.new_items.interval.high))
    assert f"[{low:.1f}, {high:.1f}]" in text
    assert base.digest in text.split("---\n", 2)[2]


def test_the_hub_reads_the_card(runs):
    hub = pytest.importorskip("huggingface_hub")
    paths = [runs(name).folder.path for name in ("grid", "failing")]
    path = export(*paths, to="model-card", out="out").files[0]
    card = hub.ModelCard.load(path)
    results = card.data.eval_results
    assert [r.metric_value for r in results] == [ec.open(p).scores()[0].new_items.value for p in paths]
    assert {r.metric_type for r in results} == {"accuracy"}
    assert all(r.metric_args["fingerprint_effective"].startswith("e1:") for r in results)
    assert card.data.model_name == "synthetic"


def test_failures_are_told_on_the_card(runs):
    run = runs("failing")
    text = export(run, to="model-card", out="out").files[0].read_text(encoding="utf-8")
    failed = run.observations.outcome_counts(0)["failed"]
    assert f"| not counted | {failed} failed: neither right nor wrong |" in text
    assert front(text)["model-index"][0]["results"][0]["metrics"][0]["args"]["not_counted"] == {"failed": failed}


def test_a_name_cannot_write_into_the_card():
    study = ec.loads(
        "name: '| x | <script> ![a](http://b) --- @you'\n"
        'dataset: {name: chart, subset: sentiment, limit: 5}\nmodel: {backend: synthetic, name: "a: [b]\\n- c"}\n'
    )
    run = study.run("run")
    text = export(run, to="model-card", out="out").files[0].read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "![a]" not in text
    assert front(text)["model-index"][0]["name"] == "a: [b]\n- c"


def test_a_snapshot_is_a_fingerprint_with_its_score(runs):
    run = runs("grid")
    done = export(run, to="snapshot", out="out")
    assert len(done.files) == len(run.facts["cells"])
    for path, cell, score in zip(done.files, run.facts["cells"], run.scores(), strict=True):
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        assert flat.is_flat(data)
        assert data["score"]["fingerprint_effective"] == cell["digest"]
        assert data["score"]["acc_mean"] == score.new_items.value
        if len(score.runs) > 1:
            assert (data["score"]["acc_min"], data["score"]["acc_max"]) == (min(score.runs), max(score.runs))
        else:
            assert "acc_min" not in data["score"]  # one run has no range
        spec = load_study(text).spec
        assert spec.decoding.temperature == cell["stated"]["decoding"]["temperature"]
        assert spec.repeats.count == 4
    assert any("evaluation.extraction" in note for note in done.notes)


@pytest.mark.parametrize("to", TARGETS)
def test_a_broken_seal_writes_nothing(to, runs):
    run = runs("options")
    facts = run.folder.path / "run.json"
    facts.write_text(facts.read_text(encoding="utf-8").replace('"made": 10', '"made": 11'), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be traced to its fingerprint"):
        export(run.folder.path, to=to, out="out")
    assert not Path("out").exists()


def test_a_run_without_a_seal_or_fingerprint_writes_nothing(runs):
    run = runs("options")
    (run.folder.path / "seal.json").unlink()
    with pytest.raises(InputError, match=r"seal\.json"):
        export(run, to="csv", out="out")
    again = runs("options")
    facts = json.loads((again.folder.path / "run.json").read_text(encoding="utf-8"))
    facts["cells"][0]["digest"] = ""
    again.folder.write_json("run.json", facts)
    shutil.rmtree("out", ignore_errors=True)
    again.folder.seal()
    with pytest.raises(InputError, match="c000 has no fingerprint: its score is not written"):
        export(again.folder.path, to="csv", out="out")


@pytest.mark.parametrize("to", ["every-eval-ever", "model-card", "snapshot"])
def test_what_a_judge_says_is_no_accuracy(to):
    pairs = '{"question": "Two and two?", "output_a": "4", "output_b": "5", "human": "a"}\n'
    Path("pairs.jsonl").write_text(pairs, encoding="utf-8")
    run = ec.loads("dataset: {path: pairs.jsonl}\njudge: {mode: pairwise}\nmodel: {backend: simulated_judge}\n").run(
        "run"
    )
    with pytest.raises(
        InputError, match=f"what a judge says of answers, and {to} has a place for right and wrong alone"
    ):
        export(run, to=to, out="out")
    assert export(run, to="csv", out="out").rows == 1


def test_a_table_is_no_run():
    Path("scores.csv").write_text("item,score\na,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="a table has no fingerprint"):
        export("scores.csv", to="model-card", out="out")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere", "--to", "csv"], "there is no run folder nowhere"),
        (["run of options", "run of options", "--to", "csv"], "two runs would be written as"),
        (["run of options", "--to", "csv", "--out", "a.txt"], "is a file; name a folder"),
        (["run of options#c9", "--to", "csv"], "has no set-up c9"),
    ],
)
def test_mistakes_are_one_line(words, said, runs):
    runs("options")
    Path("a.txt").write_text("", encoding="utf-8")
    done = CliRunner().invoke(main, ["export", *words])
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_command_tells_what_it_wrote(runs):
    run = runs("grid")
    done = CliRunner().invoke(main, ["export", str(run.folder.path), "--to", "every-eval-ever", "--json"])
    assert done.exit_code == 0
    data = json.loads(done.stdout)["data"]
    assert data["rows"] == len(run.observations)
    assert all(Path(name).is_file() for name in data["files"])
    assert (
        CliRunner().invoke(main, ["export", str(run.folder.path), "--to", "csv"]).stdout.startswith("Wrote 100 answers")
    )


def test_a_folder_of_runs_goes_out_as_its_runs_do(runs):
    for name in ("grid", "options"):
        shutil.copytree(runs(name).folder.path, Path("several") / name)
    (Path("several") / "damaged").mkdir()
    (Path("several") / "damaged" / "run.json").write_text("{", encoding="utf-8")
    found = export("several", to="csv", out="out")
    assert sorted(path.name for path in found.files if path.suffix == ".csv") == ["grid.csv", "options.csv"]
    assert "damaged" in found.notes[0]
    assert str(found) == f"Wrote {found.rows:,} answers in {len(found.files)} files."
    done = CliRunner().invoke(main, ["export", "several", "--to", "model-card"])
    assert done.exit_code == 0
    assert done.stdout.startswith("Wrote 2 scores in 1 file.")


def test_one_set_up_at_hand_goes_out_alone(runs):
    path = runs("grid").folder.path
    by_name, at_hand = (
        export(one, to="snapshot", out=f"out{n}") for n, one in enumerate((f"{path}#c001", ec.open(f"{path}#c001")))
    )
    assert [f.name for f in by_name.files] == [f.name for f in at_hand.files]
    assert [f.read_text(encoding="utf-8") for f in by_name.files] == [
        f.read_text(encoding="utf-8") for f in at_hand.files
    ]


def test_a_score_is_written_without_the_dust_of_adding_it_up():
    study = (
        "dataset: {path: many.jsonl}\nmodel: {backend: echo}\nprompt: {template: '{{question}}', cue: ''}\n"
        "evaluation: {extraction: whole, score: exact}\n"
    )
    text = "".join(
        json.dumps({"id": str(n), "question": "a", "answer": "a" if n % 50 < 39 else "b"}) + "\n" for n in range(100)
    )
    Path("many.jsonl").write_text(text, encoding="utf-8")
    run = ec.loads(study).run("many")
    card = export(run, to="model-card", out="out").files[0].read_text(encoding="utf-8")
    assert "value: 0.78\n" in card


def test_logs_go_out_under_the_names_that_they_give():
    task = {"task": "reviews_short", "dataset_path": "json", "dataset_kwargs": {}, "output_type": "generate_until"}
    made = Setup(
        id="c000", levels=(), digest="s1:x", effective={}, engine={}, baseline=True, sampled=False, score=None,
        stated={
            "dataset": {"name": task["dataset_path"]},
            "model": {"backend": "imported", "name": "m"},
            "evaluation": {"extraction": {"recorded": {"rule": "strict"}}, "score": {"recorded": {"metric": "exact_match"}}},
        },
        data={"given": task["task"]},
    )  # fmt: skip
    assert benchmark_of(made) == "reviews_short"
    assert dataset_of(made) is None
    assert (metric_of(made, True), made.recorded) == ("exact_match", ("exact_match", "strict"))
    ours = replace(made, stated={"dataset": {"name": "json"}, "model": {"backend": "echo"}})
    assert (benchmark_of(ours), metric_of(ours, True), metric_of(ours, False)) == ("json", "accuracy", "mean_score")


def test_python_has_it_on_the_run(runs):
    assert runs("options").export("csv", "out").files[0].name == "run-of-options.csv"


def test_a_run_in_which_nothing_has_a_score_is_said():
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 4}\nmodel: {backend: synthetic, options: {failing: 1.0}}\n"
    )
    assert study.execute("run").failed == 4
    done = CliRunner().invoke(main, ["export", "run", "--to", "every-eval-ever"])
    assert (done.exit_code, done.stdout.strip()) == (3, "Nothing was written: no set-up has a score.")
    assert "no answer has a score" in done.stderr
    with pytest.raises(InputError, match="has no score to write"):
        export("run", to="model-card", out="out")
