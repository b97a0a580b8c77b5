"""Every Eval Ever: valid by its own schemas, true to the run, and back again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import eyechart as ec
from eyechart.analysis.observations import OUTCOMES
from eyechart.app import export_rows
from eyechart.app.export import export
from eyechart.app.importing import import_logs
from eyechart.app.opened import Run
from eyechart.core.errors import InputError
from eyechart.share import every_eval_ever as eee

CREATED = 1_700_000_000


@pytest.fixture(scope="session")
def valid(shared):
    """Checks an aggregate or a line by the published schemas."""
    jsonschema = pytest.importorskip("jsonschema")
    names = {"aggregate": "eval.schema.json", "line": "instance_level_eval.schema.json"}
    folder = shared / "fixtures" / "every_eval_ever"
    made = {
        kind: jsonschema.Draft7Validator(json.loads((folder / name).read_text(encoding="utf-8")))
        for kind, name in names.items()
    }
    return lambda kind, value: [f"{e.json_path}: {e.message}" for e in made[kind].iter_errors(value)]


def written(folder: Path) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Aggregates with their lines, found by the name that the aggregate gives."""
    out = []
    for path in sorted(folder.rglob("*.json")):
        log = json.loads(path.read_text(encoding="utf-8"))
        details = log["detailed_evaluation_results"]
        data = (folder / details["file_path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == details["checksum"]
        rows = [json.loads(line) for line in data.decode().split("\n") if line]
        assert len(rows) == details["total_rows"]
        out.append((log, rows))
    return out


def scores(run: Run, cell: int = 0) -> Counter[tuple[str, int, str, float]]:
    """Every score of a set-up: item, repeat, outcome, value."""
    seen = run.observations
    rows = seen.rows(cell)
    return Counter(
        (seen.items[seen.item[r]], int(seen.repeat[r]), OUTCOMES[seen.outcome[r]].value, float(seen.value[r]))
        for r in range(rows.start, rows.stop)
        if seen.scored[r]
    )


NAMES = ("grid", "options", "chat", "plain chat", "failing", "unread", "hostile", "judged")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_valid_true_and_comes_back(name, runs, valid):
    run = runs(name)
    done = export(run, to="every-eval-ever", out="out", created=CREATED)
    found = {log["source_metadata"]["additional_details"]["setup"]: (log, rows) for log, rows in written(Path("out"))}
    assert sorted(found) == [c["id"] for c in run.facts["cells"]]
    assert len(done.files) == 2 * len(found)
    for log, rows in found.values():
        assert valid("aggregate", log) == []
        assert [problem for row in rows for problem in valid("line", row)] == []
        (result,) = log["evaluation_results"]
        assert {row["evaluation_result_id"] for row in rows} == {result["evaluation_result_id"]}
        assert {row["evaluation_id"] for row in rows} == {log["evaluation_id"]}
    for number, score in enumerate(run.scores()):
        log, rows = found[score.cell]
        details = log["evaluation_results"][0]["score_details"]
        assert details["score"] == pytest.approx(score.new_items.value, abs=1e-12)
        told = details["uncertainty"]
        ends = told["confidence_interval"]
        assert (ends["lower"], ends["upper"], ends["confidence_level"]) == (
            score.new_items.interval.low,
            score.new_items.interval.high,
            0.95,
        )
        assert told["num_samples"] == score.items
        assert details["details"]["fingerprint_effective"] == score.digest
        assert details["details"]["seal"] == run.folder.read_json("seal.json")["root"]
        mine = Counter(
            (r["sample_id"], int(r["metadata"]["eyechart_repeat"]), r["metadata"]["eyechart_outcome"],
             r["evaluation"]["score"]) for r in rows
        )  # fmt: skip
        assert mine == scores(run, number)
    back = import_logs("out", out="back", report=False)
    assert back.refused == ()
    assert len(back.runs) == len(found)
    assert not [text for one in back.runs for text in one.findings if "claims" in text or "claimed" in text]
    again = Counter(frozenset(scores(ec.open(one.folder)).items()) for one in back.runs)
    assert again == Counter(frozenset(scores(run, number).items()) for number in range(len(found)))


def test_a_repeat_that_says_the_same_is_still_a_repeat(runs):
    run = runs("grid")
    export(run, to="every-eval-ever", out="out", created=CREATED)
    sampled = [one for one in import_logs("out", out="back", report=False).runs if one.repeats == 4]
    assert len(sampled) == 2
    for one in sampled:
        assert len(scores(ec.open(one.folder))) == 40


def test_the_fingerprint_comes_back_as_it_was_stated(runs):
    run = runs("grid")
    export(run, to="every-eval-ever", out="out", created=CREATED)
    wanted = {c["id"]: c["stated"] for c in run.facts["cells"]}
    for one in import_logs("out", out="back", report=False).runs:
        facts = ec.open(one.folder).facts
        source = json.loads((one.folder / "source" / "log.json").read_text(encoding="utf-8"))
        told = next(s["value"] for s in source["settings"] if s["path"] == "every_eval_ever.source_metadata")
        stated = wanted[told["additional_details"]["setup"]]
        mine = facts["cells"][0]["stated"]
        for section in ("dataset", "prompt", "decoding", "repeats"):
            for name, value in stated.get(section, {}).items():
                assert mine[section][name] == value, (section, name)
        assert mine["model"]["backend"] == "imported"


@pytest.mark.parametrize(
    "junk", ["{", "[]", '{"decoding": {"temperature": "hot"}}', '{"model": {"url": "http://a:b@c"}}', 3]
)
def test_a_hostile_fingerprint_does_no_harm(junk, runs):
    export(runs("options"), to="every-eval-ever", out="out", created=CREATED)
    (path,) = Path("out").rglob("*.json")
    log = json.loads(path.read_text(encoding="utf-8"))
    log["evaluation_results"][0]["generation_config"]["additional_details"]["fingerprint_as_stated"] = junk
    path.write_text(json.dumps(log), encoding="utf-8")
    (one,) = import_logs("out", out="back", report=False).runs
    assert len(scores(ec.open(one.folder))) == 10
    assert "a:b" not in (one.folder / "source" / "log.json").read_text(encoding="utf-8")


def test_no_failure_is_a_wrong_answer(runs):
    run = runs("failing")
    counted = run.observations.outcome_counts(0)
    assert counted["failed"] > 0
    done = export(run, to="every-eval-ever", out="out", created=CREATED)
    ((log, rows),) = written(Path("out"))
    assert len(rows) == sum(n for name, n in counted.items() if name != "failed") == done.rows
    assert {row["metadata"]["eyechart_outcome"] for row in rows} <= {"correct", "incorrect"}
    details = log["evaluation_results"][0]["score_details"]["details"]
    assert details["answers_failed"] == str(counted["failed"])
    assert len(json.loads(details["answers_without_a_score"])) == counted["failed"]
    assert any("never written as wrong" in note for note in done.notes)


def test_nothing_is_invented(runs):
    export(runs("options"), to="every-eval-ever", out="out", created=CREATED)
    ((log, rows),) = written(Path("out"))
    args = log["evaluation_results"][0]["generation_config"]["generation_args"]
    assert not {"temperature", "top_p", "top_k", "max_tokens"} & set(args)  # nothing is decoded
    assert log["model_info"]["additional_details"]["model_availability"] == "unknown"
    assert "developer" not in log["model_info"]
    for row in rows:
        assert row["output"] == {"raw": []}  # no text was written; what was chosen stands apart
        assert row["answer_attribution"][0]["extraction_method"] == "option_logprob"
        assert len(json.loads(row["metadata"]["option_logprobs"])) == len(row["input"]["choices"])


def test_settings_factors_and_publisher_are_told(runs):
    export(
        runs("grid"), to="every-eval-ever", out="out", created=CREATED, organization="Lab", relationship="third_party"
    )
    for log, _ in written(Path("out")):
        assert log["source_metadata"]["source_organization_name"] == "Lab"
        assert log["source_metadata"]["evaluator_relationship"] == "third_party"
        config = log["evaluation_results"][0]["generation_config"]
        heat = config["additional_details"]["factor decoding.temperature"]
        assert config["generation_args"]["temperature"] == float(heat)
        assert ("top_p" in config["generation_args"]) == (heat == "0.7")  # inert where nothing is sampled
        assert json.loads(config["additional_details"]["decoding_stop"]) == ["###"]
        assert json.loads(config["additional_details"]["fingerprint_as_stated"])["decoding"]["seed"] == 3


def test_a_judge_is_named_with_its_prompt(runs):
    export(runs("judged"), to="every-eval-ever", out="out", created=CREATED)
    ((log, _),) = written(Path("out"))
    judge = log["evaluation_results"][0]["metric_config"]["llm_scoring"]
    assert judge["judges"][0]["model_info"]["name"] == "simulated_judge"
    assert "{{" in judge["input_prompt"]


def test_the_same_result_has_the_same_name(runs):
    run = runs("grid")
    one = export(run, to="every-eval-ever", out="out", created=CREATED)
    two = export(run, to="every-eval-ever", out="out", created=CREATED + 60)
    assert one.files == two.files
    assert len(set(one.files)) == 8


def test_data_of_the_hub_is_named_as_such(runs, valid):
    run = runs("options")
    known = export_rows.told(run)
    stated = {**known.setups[0].stated, "dataset": {"name": "org/set", "subset": "part", "revision": "abc"}}
    data = {**known.setups[0].data, "kind": "hub", "split": "validation"}
    setup = replace(known.setups[0], stated=stated, data=data)
    samples = eee.Samples(path=f"{eee.place_of(known, setup)}_samples.jsonl", sha256="0" * 64, rows=10)
    made = eee.aggregate(known, setup, list(export_rows.rows(run, 0)), samples, eee.Publisher(), CREATED)
    assert valid("aggregate", made) == []
    source = made["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["hf_repo"], source["hf_split"]) == ("hf_dataset", "org/set", "validation")
    assert source["sample_ids"] == data["drawn"]


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "..", ".", "a/../../b", "a\x00b", "\u202e", "-", "x" * 300])
def test_no_name_leads_out_of_the_folder(name):
    study = ec.loads(
        f"dataset: {{name: chart, subset: sentiment, limit: 3}}\nmodel: {{backend: synthetic, name: {json.dumps(name)}}}\n"
    )
    done = study.run("run").export("every-eval-ever", "out/deep")
    assert all(path.resolve().is_relative_to(Path("out/deep").resolve()) for path in done.files)
    assert all(path.is_file() and len(path.relative_to("out/deep").parts) == 5 for path in done.files)


def test_one_set_up_by_name(runs):
    run = runs("grid")
    done = export(f"{run.folder.path}#c002", to="every-eval-ever", out="out", created=CREATED)
    ((log, _),) = written(Path("out"))
    assert log["source_metadata"]["additional_details"]["setup"] == "c002"
    assert len(done.files) == 2
    with pytest.raises(InputError, match="no set-up c009"):
        export(f"{run.folder.path}#c009", to="every-eval-ever", out="out")


@pytest.mark.parametrize("log", ["lm_eval", "inspect/pubmedqa.json", "helm", "evalscope"])
def test_logs_of_others_go_out_as_far_as_they_are_known(log, shared, valid):
    found = import_logs(shared / "fixtures" / log, out="in", report=False)
    assert found.runs
    for number, one in enumerate(found.runs):
        run = ec.open(one.folder)
        before = Counter(frozenset(scores(run, c).items()) for c in range(len(run.facts["cells"])) if scores(run, c))
        if not before:
            continue
        out = Path(f"out{number}")
        export(run, to="every-eval-ever", out=out, created=CREATED)
        for made, rows in written(out):
            assert valid("aggregate", made) == []
            assert [problem for row in rows for problem in valid("line", row)] == []
            assert made["eval_library"]["name"] == one.harness
            assert made["evaluation_results"][0]["evaluation_name"] == one.task
            details = made["evaluation_results"][0]["score_details"]["details"]
            assert details["fingerprint_stated"].startswith("s1:")  # no effective one: the log does not say all
            assert "fingerprint_effective" not in details
            args = made["evaluation_results"][0]["generation_config"]["generation_args"]
            assert not ("temperature" in args and "decoding.temperature" in one.unknown)
            assert not ("max_tokens" in args and "decoding.max_new_tokens" in one.unknown)
            assert "execution_command" not in args
        back = import_logs(out, out=f"back{number}", report=False)
        after = Counter(frozenset(scores(ec.open(b.folder)).items()) for b in back.runs)
        assert after == before
