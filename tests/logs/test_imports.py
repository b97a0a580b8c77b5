"""Logs of each harness become runs whose scores are those of the log, or say why not."""

from __future__ import annotations

import json
from pathlib import Path

import made_logs as made
import numpy as np
import pytest
from click.testing import CliRunner

from eyechart.app.evaluated import evaluated
from eyechart.app.importing import Imported, Imports, import_log
from eyechart.app.importing import import_logs as import_with_report
from eyechart.app.opened import open as open_run
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import Outcome
from eyechart.store.store import Store


def import_logs(*paths: Path | str, out: Path | str | None = None) -> Imports:
    """Without the report, which most tests do not look at."""
    return import_with_report(*paths, out=out, report=False)


def only(found: Imports) -> Imported:
    assert not found.refused, found.refused
    (run,) = found.runs
    return run


def score(run: Imported, reading: str) -> float:
    (found,) = [r for r in run.readings if r.name == reading]
    assert found.mean is not None
    return found.mean


def settings(run: Imported) -> dict[str, object]:
    """What study.yaml states, by path."""
    out: dict[str, object] = {}

    def walk(part: dict, prefix: str) -> None:
        for key, value in part.items():
            if isinstance(value, dict) and not prefix.startswith("evaluation."):
                walk(value, f"{prefix}{key}.")
            else:
                out[f"{prefix}{key}"] = value

    walk(open_run(run.folder).facts["cells"][0]["stated"], "")
    return out


def has(findings: tuple[str, ...], *words: str) -> bool:
    return any(all(word in finding for word in words) for finding in findings)


def eyechart(*words: str | Path):
    return CliRunner().invoke(main, [str(w) for w in words])


# What is imported is a run


def test_filters_of_one_log_are_readings_of_the_same_answers():
    run = only(import_logs(made.gsm8k(Path("log")), out="run"))
    assert run.folder == Path("run")
    assert [r.name for r in run.readings] == ["exact_match@strict-match", "exact_match@flexible-extract"]
    assert (score(run, "exact_match@strict-match"), score(run, "exact_match@flexible-extract")) == (0.25, 0.75)
    assert [r.claimed for r in run.readings] == [0.25, 0.75]
    assert run.findings == ()
    opened = open_run("run")
    assert opened.observations.outcome_counts(0) == {"correct": 5, "incorrect": 5, "unparseable": 10}
    assert len(opened.keys) == 20  # one answer an item, whoever reads it
    flips = opened.flips("c000", "c001")
    assert {f.cause.value for f in flips} == {"read_differently"}
    assert len(flips) == 10


def test_every_command_reads_an_imported_run():
    made.gsm8k(Path("log"))
    assert eyechart("import", "log", "--out", "run").exit_code == 0
    other = made.lm_results("gsm8k", {}, 20, model_name="org/other")
    rows = [made.lm_row(i, f"#### {2 * i}", f"#### {2 * i}", 1.0) for i in range(20)]
    made.put(Path("log2/results_2025-01-01T00-00-00.1.json"), other)
    made.put_lines(Path("log2/samples_gsm8k_2025-01-01T00-00-00.1.jsonl"), rows)
    assert eyechart("import", "log2", "--out", "other").exit_code == 0
    for words in (
        ("show", "run"),
        ("summarize", "run", "--by", "reading"),
        ("compare", "run", "--by", "reading"),
        ("compare", "run#c001", "other"),
        ("shares", "run"),
        ("reread", "run"),
        ("flips", "run", "c000", "c001"),
        ("grade", "run"),
        ("report", "run", "--out", "report.md"),
        ("report", "run", "--out", "report.html", "--lang", "zh"),
        ("store", "verify", "run/store.sqlite"),
    ):
        done = eyechart(*words)
        assert done.exit_code == 0, (words, done.output, done.stderr)
    assert "exact McNemar" in eyechart("compare", "run#c001", "other").output
    assert not open_run("run").folder.broken_seal()


def test_what_needs_calls_is_refused_in_one_line():
    made.gsm8k(Path("log"))
    eyechart("import", "log", "--out", "run")
    for words in (("run", "run/study.yaml"), ("plan", "run/study.yaml")):
        done = eyechart(*words)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert "this needs calls, and this is an imported log" in done.stderr


def test_the_report_shows_what_the_log_does_not_say_as_unknown():
    made.gsm8k(Path("log"))
    eyechart("import", "log", "--out", "run", "--report")
    told = json.loads(Path("run/report.json").read_text())
    fields = {f["path"]: f for f in told["fingerprint"]}
    assert fields["decoding.temperature"]["value"] == "0.0"
    assert fields["prompt.few_shot.count"]["value"] == "5"
    for path in ("prompt.cue", "prompt.options.style", "evaluation.postprocess", "model.sha256"):
        assert fields[path]["state"] == "unknown", path
        assert fields[path]["value"] is None, path
    assert "default" not in {f["state"] for f in told["fingerprint"]}


def test_import_again_writes_the_same_run():
    made.gsm8k(Path("log"))
    first = only(import_logs("log"))
    before = (first.folder / "observations.npz").read_bytes()
    second = only(import_logs("log"))
    assert second.folder == first.folder
    assert (second.folder / "observations.npz").read_bytes() == before


def test_another_log_of_the_same_task_and_model_gets_a_folder_of_its_own():
    made.gsm8k(Path("log"))
    made.gsm8k(Path("log2"), n=12)
    assert only(import_logs("log")).folder != only(import_logs("log2")).folder


def test_a_folder_that_holds_something_else_is_not_touched():
    made.gsm8k(Path("log"))
    made.put(Path("mine/notes.txt"), "keep")
    done = eyechart("import", "log", "--out", "mine")
    assert done.exit_code == 2
    assert "holds something else" in done.stderr
    assert [p.name for p in Path("mine").iterdir()] == ["notes.txt"]


def test_python_opens_the_one_run():
    run = import_log(made.gsm8k(Path("log")), out="run")
    assert [round(s.new_items.value, 2) for s in run.scores()] == [0.25, 0.75]
    with pytest.raises(InputError, match="nothing could be imported"):
        import_log(made.put(Path("x.json"), "{}"))


def test_json_has_scores_as_fractions_and_reasons_for_what_is_absent():
    made.gsm8k(Path("log"))
    told = json.loads(eyechart("import", "log", "--out", "run", "--no-report", "--json").output)
    (run,) = told["data"]["runs"]
    assert run["readings"][0]["claimed"] == 0.25
    assert run["readings"][0]["score"]["value"] == 0.25
    assert run["report"] is None
    assert run["report_reason"] == "not written; eyechart report run does"
    made.put(Path("log2/results_2025-01-01T00-00-00.1.json"), made.lm_results("t", {"f1,none": 0.2}, 5))
    (claimed,) = json.loads(eyechart("import", "log2", "--json").output)["data"]["claimed"]
    assert claimed["claims"][0]["se"] is None
    assert claimed["claims"][0]["se_reason"] == "the log does not say"
    assert claimed["intervals"] == [None]
    assert "model.sha256" in run["unknown"]


# lm-evaluation-harness


def test_options_are_scored_as_the_log_says_and_worked_out_again():
    run = only(import_logs(made.choices(Path("log")), out="run"))
    assert has(run.findings, "acc: 4 items have two likeliest options")
    assert len(run.findings) == 1
    opened = open_run("run")
    item = next(iter(opened.items.values()))
    assert item.choices == ("a", "bb", "cccc", "dd")
    assert item.gold_index == 0
    assert opened.facts["cells"][1]["effective"]["reading"] == {"normalize": "characters", "transform": "none"}


def test_a_claimed_score_that_options_do_not_give_is_a_finding():
    made.choices(Path("log"))
    path = next(Path("log").glob("samples*"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["acc_norm"] = 1.0 - rows[1]["acc_norm"]
    made.put_lines(path, rows)
    run = only(import_logs("log"))
    assert has(run.findings, "acc_norm", "1 scores of items are not what the log-probabilities")
    assert has(run.findings, "acc_norm,none", "the log claims")


def test_an_aggregate_that_does_not_follow_is_said_with_both_numbers():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("results*"))
    told = json.loads(path.read_text())
    told["results"]["gsm8k"]["exact_match,strict-match"] = 0.4
    made.put(path, told)
    run = only(import_logs("log"))
    assert has(run.findings, "exact_match,strict-match", "claims 0.4", "20 items give 0.25")
    assert score(run, "exact_match@strict-match") == 0.25


def test_a_part_of_the_samples_is_said_to_be_a_part():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("results*"))
    told = json.loads(path.read_text())
    told["n-samples"]["gsm8k"]["effective"] = 1319
    made.put(path, told)
    assert has(only(import_logs("log")).findings, "the log holds 20 of the 1,319 items")


def test_parameters_are_those_that_were_sent():
    rows = [made.lm_row(i, "x", "y", 0.0) for i in range(3)]
    told = made.lm_results("t", {}, 3)
    told["config"]["gen_kwargs"] = "temperature=0.8,do_sample=True"
    told["configs"]["t"]["generation_kwargs"] = {"temperature": 0.3}
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log"))
    stated = settings(run)
    assert stated["decoding.temperature"] == 0.0
    assert stated["decoding.max_new_tokens"] == 256
    assert stated["decoding.stop"] == ["\n\n"]
    assert has(run.findings, "gen_kwargs asked for temperature=0.8", "0.0")


def test_repeats_of_one_row_are_kept_and_only_what_is_scored_has_a_score():
    rows = [made.lm_row(i, [f"a{i}", f"b{i}", f"c{i}"], "a1", float(i == 1)) for i in range(6)]
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log", out="run"))
    assert run.repeats == 3
    counts = open_run("run").observations.outcome_counts(0)
    assert counts == {"correct": 1, "incorrect": 5, "unscored": 12}
    assert len(open_run("run").keys) == 18


def test_repeats_that_are_copies_are_no_repeats():
    rows = [made.lm_row(i, ["same", "same", "same"], "same", 1.0) for i in range(6)]
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log"))
    assert run.repeats == 1
    assert has(run.findings, "all repeats of every item are equal")


def test_a_second_run_appended_to_a_file_is_a_repeat_and_a_copy_is_not():
    first = [made.lm_row(i, f"a{i}", "a1", float(i == 1)) for i in range(12)]
    second = [made.lm_row(i, f"b{i}", "a1", 0.0) for i in range(12)]
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), [*first, *second])
    assert only(import_logs("log")).repeats == 2
    made.put_lines(Path("copy/samples_t_2025-01-01T00-00-00.1.jsonl"), [*first, *first])
    run = only(import_logs("copy"))
    assert run.repeats == 1
    assert has(run.findings, "a row repeats another one", "12 times")


def test_equal_prompts_of_two_items_keep_both_answers():
    rows = [made.lm_row(i, f"answer {i}", "x", 0.0) for i in range(30)]
    for row in rows:
        row["arguments"]["gen_args_0"]["arg_0"] = "the very same prompt"
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log", out="run"))
    opened = open_run(run.folder)
    with Store(opened.folder.store, create=False) as store:
        texts = {a.text for a in store.answers(opened.keys).values()}
    assert texts == {f"answer {i}" for i in range(30)}


def test_old_keys_without_filters():
    made.put(
        Path("log/results.json"),
        {"results": {"sciq": {"acc": 0.891, "acc_stderr": 0.0098598}}, "versions": {"sciq": 0},
         "config": {"model": "gpt2", "model_args": "use_fast=True,pretrained=org/m", "num_fewshot": 0}},
    )  # fmt: skip
    found = import_logs("log")
    (one,) = found.claimed
    assert one.model == "org/m"
    assert [(c.reading, c.value, c.se) for c in one.claims] == [("acc", 0.891, 0.0098598)]
    done = eyechart("import", "log")
    assert done.exit_code == 3
    assert "aggregates alone" in done.output


def test_aggregates_alone_get_the_interval_of_a_share():
    told = made.lm_results("t", {"exact_match,none": 0.0004, "exact_match_stderr,none": "N/A"}, 5000)
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    (one,) = import_logs("log").claimed
    assert one.claims[0].se is None
    assert one.intervals()[0] == pytest.approx((0.000110, 0.001457), abs=1e-6)  # Wilson, 2 of 5,000


def test_tasks_of_a_group_are_one_run_with_groups():
    told = made.lm_results("mmlu", {"acc,none": 0.25}, 24)
    del told["configs"]["mmlu"]
    for task in ("mmlu_a", "mmlu_b"):
        folder = made.choices(Path("parts") / task, task=task)
        part = json.loads(next(folder.glob("results*")).read_text())
        for key in ("results", "configs", "versions", "n-shot", "n-samples", "higher_is_better"):
            told[key] |= part[key]
        samples = next(folder.glob("samples*"))
        made.put(Path("log") / samples.name, samples.read_text())
    told["group_subtasks"] = {"mmlu": ["mmlu_a", "mmlu_b"]}
    told["groups"] = {"mmlu": {"acc,none": 0.25}}
    made.put(Path(f"log/results_{made.STAMP}.json"), told)
    run = only(import_logs("log", out="run"))
    assert (run.task, run.items) == ("mmlu", 24)
    assert set(open_run("run").observations.groups) == {"mmlu_a", "mmlu_b"}
    assert not has(run.findings, "claims")


def test_metrics_that_are_no_scores_are_left_out_aloud():
    rows = [made.lm_row(i, "x", "y", 0.0, ppl=12.5 + i, f1=[0.5, 1], brier=0.2) for i in range(4)]
    for row in rows:
        row["metrics"] = ["exact_match", "ppl", "f1", "brier"]
    told = made.lm_results("t", {"exact_match,none": 0.0, "ppl,none": 14.0}, 4)
    told["higher_is_better"]["t"]["brier"] = False
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log"))
    assert [r.name for r in run.readings] == ["exact_match@strict-match"]
    assert has(run.findings, "ppl@strict-match is no score between 0 and 1")
    assert has(run.findings, "f1 is no score of an item")
    assert has(run.findings, "brier: lower is better")


# Inspect


def epochs(n: int = 6) -> list[dict]:
    return [
        made.inspect_sample(i, "C" if (i + e) % 2 else "I", e, said=f"ANSWER: {i if (i + e) % 2 else 99}")
        for i in range(n)
        for e in (1, 2)
    ]


@pytest.mark.parametrize("kind", ["json", "eval", "zstd"])
def test_inspect_in_every_container(kind):
    samples = epochs()
    header = made.inspect_header(samples, 0.5, epochs=2)
    path = Path(f"log.{'json' if kind == 'json' else 'eval'}")
    if kind == "json":
        made.inspect_json(path, samples, 0.5, epochs=2)
    else:
        made.inspect_eval(path, samples, header)
    if kind == "zstd":
        pytest.importorskip("pyarrow")
        path = made.as_zstd(path, Path("new.eval"))
    run = only(import_logs(path, out="run"))
    assert (run.items, run.repeats, score(run, "match")) == (6, 2, 0.5)
    assert run.findings == ()
    assert settings(run)["decoding.seed"] == 5  # of the call, which the plan does not have
    opened = open_run("run")
    with Store(opened.folder.store, create=False) as store:
        entry = next(store.entries(opened.keys[:1]))
    assert [m.role for m in entry.request.messages] == ["system", "user"]
    assert entry.response.served_model == "served-model"


def test_a_log_that_broke_off_is_read_and_said_to_be_incomplete():
    samples = epochs()
    run = only(import_logs(made.inspect_eval(Path("crash.eval"), samples[:5], None)))
    assert run.items == 3
    assert has(run.findings, "not complete")


def test_values_of_inspect():
    values = ["C", "I", "P", "N", 0.25, True, None, "0.75"]
    samples = [made.inspect_sample(i, value) for i, value in enumerate(values)]
    samples.append(made.inspect_sample(8, "C", error={"message": "sandbox failed"}, output={"choices": []}, scores={}))
    run = only(import_logs(made.inspect_json(Path("log.json"), samples, 0.5), out="run"))
    seen = open_run("run").observations
    assert seen.value[seen.scored].tolist() == [1, 0, 0.5, 0, 0.25, 1, 0.75]
    counts = seen.outcome_counts(0)
    assert (counts["unparseable"], counts["unscored"], counts["failed"]) == (1, 1, 1)
    assert has(run.findings, "1 answers broke off", "sandbox failed")
    assert score(run, "match") == pytest.approx(3.5 / 7)


def test_nan_is_a_score_that_is_not_there():
    path = made.inspect_json(Path("log.json"), [made.inspect_sample(i, float("nan")) for i in range(3)], 0.5)
    run = only(import_logs(path, out="run"))
    assert run.readings[0].mean is None
    assert open_run("run").observations.outcome_counts(0) == {"unscored": 3}


def test_attachments_are_put_back():
    sample = made.inspect_sample(1, "C")
    sample["messages"][1]["content"] = "attachment://abc"
    sample["attachments"] = {"abc": "a very long question"}
    import_logs(made.inspect_json(Path("log.json"), [sample], 1.0), out="run")
    opened = open_run("run")
    with Store(opened.folder.store, create=False) as store:
        assert next(store.entries(opened.keys)).request.messages[1].content == "a very long question"


def test_old_inspect_logs_with_one_score():
    samples = [made.inspect_sample(i, "C" if i % 2 else "I") for i in range(4)]
    for sample in samples:
        sample["score"] = sample.pop("scores")["match"]
    told = made.inspect_header(samples, 0.5) | {"samples": samples, "version": 1}
    told["results"] = {"scorer": {"name": "score"}, "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}}
    run = only(import_logs(made.put(Path("log.json"), told)))
    assert score(run, "score") == 0.5
    assert run.readings[0].claimed == 0.5


def test_choices_and_letters():
    samples = [made.inspect_sample(i, "C", choices=["yes", "no"], said="ANSWER: B") for i in range(2)]
    for sample in samples:
        sample["target"] = "B"
    import_logs(made.inspect_json(Path("log.json"), samples, 1.0), out="run")
    item = open_run("run").items["q1"]
    assert (item.choices, item.gold) == (("yes", "no"), ("no",))


# The others


def test_promptfoo_repeats_errors_and_secrets():
    run = only(import_logs(made.promptfoo(Path("out.json")), out="run"))
    assert (run.items, run.repeats) == (5, 2)
    seen = open_run("run").observations
    assert seen.outcome_counts(0) == {"correct": 4, "incorrect": 4, "failed": 1}
    assert run.readings[0].claimed == run.readings[0].mean == 0.5
    assert settings(run)["decoding.temperature"] == 0.5
    assert "sk-secret" not in (Path("run/source/log.json").read_text() + Path("run/run.json").read_text())


def test_promptfoo_answers_from_its_cache_are_no_repeats():
    run = only(import_logs(made.promptfoo(Path("out.json"), repeat=3, cached=True)))
    assert run.repeats == 1
    assert has(run.findings, "8 answers are marked as replayed from a cache")


def test_promptfoo_answers_from_a_cache_that_knows_the_repeat_are_kept():
    run = only(import_logs(made.promptfoo(Path("out.json"), repeat=3, cached=True, apart=True)))
    assert (run.items, run.repeats) == (5, 3)
    assert has(run.findings, "an answer of its own for each repeat")


def test_promptfoo_repeats_that_only_the_command_line_asked_for():
    run = only(import_logs(made.promptfoo(Path("out.json"), said=False), out="run"))
    assert (run.items, run.repeats) == (5, 2)
    assert settings(run)["repeats.count"] == 2


def test_promptfoo_providers_of_one_id_are_told_apart_by_their_label():
    log = json.loads(made.promptfoo(Path("out.json")).read_text())
    rows, (prompt,) = log["results"]["results"], log["results"]["prompts"]
    for label, at in (("cold", 0), ("hot", 1)):
        for row in rows[at::2]:
            row["provider"]["label"], row["promptIdx"] = label, at
            row["vars"] = row["testCase"]["vars"] = {"country": f"{row['vars']['country']} {row['testIdx'] // 2}"}
    log["results"]["prompts"] = [prompt, prompt]
    config = log["config"]["providers"][0]
    log["config"]["providers"] = [
        config | {"label": "cold", "config": {"temperature": 0}},
        config | {"label": "hot", "config": {"temperature": 1.5}},
    ]
    made.put(Path("out.json"), log)
    found = {run.task: settings(run)["decoding.temperature"] for run in import_logs("out.json").runs}
    assert found == {"capitals, cold": 0, "capitals, hot": 1.5}


@pytest.mark.parametrize("split", [False, True])
def test_opencompass(split):
    run = only(import_logs(made.opencompass(Path("out/exp/run1"), split), out="run"))
    assert run.items == 9
    assert score(run, "correct") == pytest.approx(run.readings[0].claimed)
    item = open_run("run").items["7"]
    assert item.gold == ("7",)
    assert "decoding.temperature" in run.unknown


@pytest.mark.parametrize("options", [False, True])
def test_lighteval(options):
    pytest.importorskip("pyarrow")
    run = only(import_logs(made.lighteval(Path("out"), options), out="run"))
    assert (run.task, run.items) == ("sums|0", 8)
    (reading,) = run.readings  # derived rows are no tasks
    assert reading.mean == reading.claimed
    assert not has(run.findings, "claims")
    assert run.version is None
    assert ("decoding.temperature" in settings(run)) is not options


def test_every_eval_ever():
    run = only(import_logs(made.every_eval_ever(Path("data")), out="run"))
    assert (run.items, score(run, "score")) == (10, 0.5)
    assert run.findings == ()
    assert settings(run)["decoding.max_new_tokens"] == 100


# Real logs


def test_every_fixture_gives_the_scores_it_claims(shared):
    found = import_logs(shared / "fixtures", out="runs")
    names = {(r.harness, r.task, r.model) for r in found.runs}
    assert len(names) == 7
    for run in found.runs:
        for reading in run.readings:
            if reading.claimed is not None:
                assert reading.mean == pytest.approx(reading.claimed), run.folder
        assert not has(run.findings, "claims"), run.findings
        assert eyechart("show", run.folder).exit_code == 0
    assert {c.task for c in found.claimed} == {"math_rephrased_full", "simpleqa_verified", "wikipedia"}
    assert {path.name for path, _ in found.refused} == {"eval.schema.json", "instance_level_eval.schema.json"}
    assert "stop_sequences: the adapter asked for ['\\n'], and what was sent has []" in next(
        r.findings for r in found.runs if r.harness == "HELM"
    )


def test_two_models_of_a_fixture_are_compared_item_by_item(shared):
    found = import_logs(shared / "fixtures" / "evalscope", out="runs")
    a, b = (run.folder for run in found.runs)
    assert "10 items" in eyechart("compare", a, b).output
    one, two = open_run(a), open_run(b)
    assert one.items.keys() == two.items.keys()
    assert all(one.items[i].gold == two.items[i].gold for i in one.items)  # joined by index, not by order of answers


def test_items_of_evalscope_have_their_own_answers(shared):
    """Rows stand in the order of answers: each must end under its own question."""
    found = import_logs(shared / "fixtures" / "evalscope" / "qwen3-max", out="run")
    opened = open_run(found.runs[0].folder)
    with Store(opened.folder.store, create=False) as store:
        for row, item in enumerate(opened.observations.item):
            name = opened.observations.items[int(item)]
            call = opened.keys[int(opened.observations.call[row])]
            text = store.answers([call])[call].text
            assert opened.items[name].gold[0] in text.replace(",", "")
    assert np.all(opened.observations.outcome == list(Outcome).index(Outcome.CORRECT))


def test_different_questions_under_one_name_are_said_where_runs_are_compared():
    for name, words in (("a", "What is"), ("b", "How much is")):
        rows = [made.lm_row(i, "x", "y", float(i % 2)) for i in range(8)]
        for row in rows:
            row["doc"]["question"] = f"{words} {row['doc_id']}?"
        made.put_lines(Path(f"{name}/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
        import_logs(name, out=f"run_{name}")
    done = eyechart("compare", "run_a", "run_b")
    assert "8 of 8 items that run_a and run_b name alike are different questions" in done.stderr


def test_old_samples_are_one_list_whose_rows_do_not_name_their_filter():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("samples*"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        for key in ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash"):
            del row[key]
        row["arguments"] = [list(one.values()) for one in row["arguments"].values()]
    made.put(path, json.dumps(rows, indent=2))
    run = only(import_logs("log"))
    assert [(r.name, r.mean) for r in run.readings] == [
        ("exact_match@strict-match", 0.25),
        ("exact_match@flexible-extract", 0.75),
    ]
    assert run.findings == ()


def test_a_score_whose_answer_is_not_in_the_log_is_kept():
    samples = [made.inspect_sample(i, "C" if i else "I") for i in range(4)]
    samples[1]["output"] = {"model": "m", "choices": []}
    samples[1]["messages"] = samples[1]["messages"][:2]
    run = only(import_logs(made.inspect_json(Path("log.json"), samples, 0.75), out="run"))
    assert score(run, "match") == 0.75
    assert run.findings == ("the log scores an answer that it does not hold: its score is kept",)
    assert open_run("run").facts["calls"] == {"needed": 3, "made": 0, "stored": 3, "failed": 0}


def test_the_mean_of_groups_is_told_from_the_mean_of_items(tmp_path):
    told = made.lm_results("both", {"acc,none": 0.5 * (0.25 + 0.0)}, 16)
    for task, n in (("big", 12), ("small", 4)):
        folder = made.choices(Path("parts") / task, n=n, task=task)
        path = next(folder.glob("samples*"))
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        if task == "small":
            rows = [row | {"acc": 0.0, "acc_norm": 0.0} for row in rows]
        part = json.loads(next(folder.glob("results*")).read_text())
        part["results"][task] = {"acc,none": sum(r["acc"] for r in rows) / n}
        for key in ("results", "configs", "n-samples", "higher_is_better"):
            told[key] |= part[key]
        made.put_lines(Path("log") / path.name, rows)
    told["group_subtasks"] = {"both": ["big", "small"]}
    made.put(Path(f"log/results_{made.STAMP}.json"), told)
    run = only(import_logs("log"))
    assert has(run.findings, "acc,none 0.125 is the mean of 2 groups; that of the items is 0.1875")


def test_an_imported_run_is_named_where_commands_take_an_evaluation():
    made.gsm8k(Path("log"))
    import_logs("log", out="run")
    one = evaluated("run#c001")
    assert one.spec.evaluation.extraction == {"recorded": {"rule": "flexible-extract"}}
    assert one.spec.model.name == "org/small"
    assert one.spec.prompt.few_shot.count == 5


def test_a_run_of_options_knows_no_decoding():
    run = only(import_logs(made.choices(Path("log")), out="run"))
    assert not any(path.startswith("decoding.") for path in run.unknown)
    assert open_run("run").facts["cells"][0]["sampled"] is False


def test_limits_are_said_to_be_no_samples():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("results*"))
    told = json.loads(path.read_text())
    told["config"]["limit"] = 20
    made.put(path, told)
    assert has(only(import_logs("log")).findings, "limit 20: the first items of the data were taken")


def test_secrets_in_model_arguments_are_not_kept():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("results*"))
    told = json.loads(path.read_text())
    told["config"]["model_args"] = "model=x,api_key=sk-abc,base_url=http://u:pw@host/v1"
    made.put(path, told)
    import_logs("log", out="run")
    kept = "".join(p.read_text() for p in (Path("run/run.json"), Path("run/source/log.json"), Path("run/study.yaml")))
    assert "sk-abc" not in kept
    assert "u:pw" not in kept


def test_splits_of_helm_are_held_against_their_own_statistics(shared):
    folder = Path("helm")
    folder.mkdir()
    for path in (shared / "fixtures" / "helm" / "hellaswag-pythia-1b").iterdir():
        text = path.read_text()
        if path.name != "stats.json":
            told = json.loads(text)
            for one in told.get("request_states", [])[:3] if isinstance(told, dict) else []:
                one["instance"]["split"] = "test"
            text = json.dumps(told)
        made.put(folder / path.name, text)
    run = only(import_logs(folder, out="run"))
    assert set(open_run("run").observations.groups) == {"test", "valid"}
    assert has(run.findings, "exact_match of valid: the log claims 0.3, and the scores of its 7 items give")


def test_report_2_of_evalscope(shared):
    source = shared / "fixtures" / "evalscope" / "qwen-plus"
    for path in source.rglob("*.*"):
        made.put(Path("out") / path.relative_to(source), path.read_text())
    identity = {"name": "accuracy", "aggregation": "mean", "dimensions": {}}
    made.put(
        Path("out/reports/qwen-plus/gsm8k.json"),
        {
            "schema_version": 2, "dataset_name": "gsm8k", "model_name": "qwen-plus",
            "metrics": [{"identity": identity, "num": 10, "score": 0.9, "macro_score": 0.9, "categories": []}],
            "primary_metric_identity": identity,
            "execution_summary": {"requested": 12, "succeeded": 10, "errored": 2, "incomplete": True},
        },
    )  # fmt: skip
    run = only(import_logs("out", out="run"))
    assert run.readings[0].claimed == 0.9
    assert has(run.findings, "accuracy: the log claims 0.9", "10 items give 1")
    assert has(run.findings, "10 of the 12 items")
    assert has(run.findings, "not complete")


def test_a_run_whose_every_sample_broke_off():
    sample = made.inspect_sample(1, "C", error={"message": "no services"}, output={"choices": [], "completion": ""})
    sample["scores"] = {}
    told = made.inspect_header([sample], 0.7) | {"samples": [sample]}
    told["results"] |= {"total_samples": 80, "completed_samples": 78}
    run = only(import_logs(made.put(Path("log.json"), told), out="run"))
    assert open_run("run").observations.outcome_counts(0) == {"failed": 1}
    assert [(r.name, r.mean, r.claimed) for r in run.readings] == [("match", None, 0.7)]
    assert has(run.findings, "the log holds 1 of the 80 items")
    assert has(run.findings, "match accuracy 0.7: the log has no score of an item")


def test_a_pooled_metric_leaves_answers_to_be_read_again():
    rows = [made.lm_row(i, f"It is {2 * i}.", str(2 * i), 0.0) for i in range(5)]
    for row in rows:
        row |= {"metrics": ["f1"], "f1": [str(row["doc_id"]), ["x"]], "filter": "none"}
    told = made.lm_results("t", {"f1,none": 0.2}, 5)
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log", out="run"))
    assert [(r.name, r.mean, r.claimed) for r in run.readings] == [("f1", None, 0.2)]
    assert "careful" in eyechart("reread", "run").output


def test_every_eval_ever_with_two_metrics_of_the_same_answers():
    folder = made.every_eval_ever(Path("data"))
    rows = [json.loads(line) for line in (folder / "sums_samples.jsonl").read_text().splitlines()]
    told = json.loads((folder / "sums.json").read_text())
    (first,) = told["evaluation_results"]
    first |= {"evaluation_result_id": "r1", "metric_config": first["metric_config"] | {"metric_name": "exact"}}
    loss = first | {"evaluation_result_id": "r3", "metric_config": {"metric_name": "loss", "lower_is_better": True}}
    half = first | {"evaluation_result_id": "r2", "score_details": {"score": 0.25},
                    "metric_config": first["metric_config"] | {"metric_name": "half", "max_score": 2}}  # fmt: skip
    told["evaluation_results"] = [first, half | {"score_details": {"score": 0.5}}, loss]
    made.put(folder / "sums.json", told)
    every = [row | {"evaluation_result_id": key} for key in ("r1", "r2", "r3") for row in rows]
    made.put_lines(folder / "sums_samples.jsonl", every)
    run = only(import_logs(folder, out="run"))
    assert [(r.name, r.mean, r.claimed) for r in run.readings] == [("exact", 0.5, 0.5), ("half", 0.25, 0.25)]
    assert has(run.findings, "loss: lower is better")
    assert has(run.findings, "says that there are 10 rows, and there are 30")
    assert len(open_run("run").keys) == 10


def test_promptfoo_before_evaluations_had_ids():
    path = made.promptfoo(Path("out.json"), repeat=1)
    told = json.loads(path.read_text())
    for row in told["results"]["results"]:
        for key in ("testIdx", "promptIdx", "promptId", "failureReason"):
            row.pop(key, None)
    made.put(path, {"results": told["results"] | {"version": 2}, "config": told["config"]})
    run = only(import_logs(path))
    assert (run.harness, run.items) == ("promptfoo", 5)
    assert score(run, "pass") == 0.5


def test_a_group_of_unlike_tasks_is_taken_apart():
    told = made.lm_results("leaderboard", {}, 0)
    del told["configs"]["leaderboard"]
    for task in ("bbh_a", "bbh_b"):
        made.choices(Path("parts") / task, task=task)
    made.gsm8k(Path("parts/gsm8k"))
    for folder in Path("parts").iterdir():
        part = json.loads(next(folder.rglob("results*")).read_text())
        for key in ("results", "configs", "versions", "n-shot", "n-samples", "higher_is_better"):
            told[key] |= part[key]
        samples = next(folder.rglob("samples*"))
        made.put(Path("log") / samples.name, samples.read_text())
    told["results"] |= {"bbh": {"acc,none": 0.25}}
    told["group_subtasks"] = {"leaderboard": ["bbh", "gsm8k"], "bbh": ["bbh_a", "bbh_b"]}
    made.put(Path(f"log/results_{made.STAMP}.json"), told)
    found = import_logs("log")
    assert sorted((run.task, run.items) for run in found.runs) == [("bbh", 24), ("gsm8k", 20)]
    assert not found.claimed
    assert not found.refused


def test_a_group_that_names_itself_is_no_endless_loop():
    made.gsm8k(Path("log"))
    path = next(Path("log").rglob("results*"))
    told = json.loads(path.read_text())
    told["group_subtasks"] = {"a": ["b"], "b": ["a"], "c": ["c"], "gsm8k": []}
    made.put(path, told)
    assert [run.task for run in import_logs("log").runs] == ["gsm8k"]


def test_perplexity_is_no_score():
    rows = [
        {"doc_id": i, "doc": {"page": "text"}, "target": "text", "arguments": {"gen_args_0": {"arg_0": "text"}},
         "resps": [[-12.5]], "filtered_resps": [-12.5], "filter": "none", "metrics": ["word_perplexity"],
         "word_perplexity": [-12.5, 7]}
        for i in range(3)
    ]  # fmt: skip
    told = made.lm_results("wikitext", {"word_perplexity,none": 23.5}, 3)
    told["configs"]["wikitext"]["output_type"] = "loglikelihood_rolling"
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    made.put_lines(Path("log/samples_wikitext_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log", out="run"))
    assert [(r.name, r.mean, r.claimed) for r in run.readings] == [("unscored", None, None)]
    assert has(run.findings, "word_perplexity,none 23.5: the log has no score of an item")


def test_a_metric_whose_name_holds_the_mark_of_filters():
    rows = [made.lm_row(i, "x", "y", 0.0) for i in range(4)]
    for row in rows:
        row |= {"metrics": ["pass@1"], "pass@1": float(row["doc_id"] % 2), "filter": "create_test"}
    told = made.lm_results("humaneval", {"pass@1,create_test": 0.5}, 4)
    made.put(Path("log/results_2025-01-01T00-00-00.1.json"), told)
    made.put_lines(Path("log/samples_humaneval_2025-01-01T00-00-00.1.jsonl"), rows)
    run = only(import_logs("log", out="run"))
    assert run.readings[0].claimed == run.readings[0].mean == 0.5
    evaluation = open_run("run").facts["cells"][0]["stated"]["evaluation"]
    assert evaluation["score"] == {"recorded": {"metric": "pass@1"}}
    assert evaluation["extraction"] == {"recorded": {"rule": "create_test"}}


def test_old_details_of_lighteval_hold_lists_as_text():
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    made.lighteval(Path("out"))
    path = next(Path("out").rglob("*.parquet"))
    rows = [
        {"example": f"Question {i}?", "instruction": "", "full_prompt": f"Q: Question {i}?\nA:", "gold": f"['{i}']",
         "predictions": f"['It is {i if i % 4 else 77}']", "choices": f"['{i}']", "gold_index": "[0]",
         "pred_logits": "[]", "metrics": {"em": float(i % 4 != 0)}}
        for i in range(8)
    ]  # fmt: skip
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    run = only(import_logs("out", out="run"))
    assert score(run, "em") == run.readings[0].claimed
    opened = open_run("run")
    assert opened.items["3"].gold == ("3",)
    with Store(opened.folder.store, create=False) as store:
        entry = next(store.entries(opened.keys[3:4]))
    assert (entry.request.prompt, entry.response.text) == ("Q: Question 3?\nA:", "It is 3")


def test_details_without_results_are_read_alone():
    pytest.importorskip("pyarrow")
    made.lighteval(Path("out"))
    next(Path("out").rglob("results_*.json")).unlink()
    run = only(import_logs("out"))
    assert run.readings[0].claimed is None
    assert has(run.findings, "no results beside the details")
    assert "model.name" in run.unknown


def test_a_file_given_alone_finds_its_mates():
    made.gsm8k(Path("log"))
    alone = only(import_logs(next(Path("log").rglob("samples*")), out="a"))
    assert alone.readings[0].claimed == 0.25
    made.opencompass(Path("out/x/y"))
    run = only(import_logs(next(Path("out").rglob("predictions/*/*.json")), out="b"))
    assert run.readings[0].claimed == pytest.approx(2 / 3)
