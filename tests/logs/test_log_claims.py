"""What a log says of its own rows: over how many a metric is, which are copies, which the harness itself does not count,
and which files beside it hold nothing."""

from __future__ import annotations

import json
from pathlib import Path

import made_logs as made
import pytest

from eyechart.app.importing import import_logs
from eyechart.logs.find import search
from eyechart.logs.inspect_log import read as read_inspect
from eyechart.logs.plain import parse
from eyechart.logs.values import Unreadable

UNLIKE = "unlike the prediction of the same index: predictions and reviews are not of one run, or were moved"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def test_inspect_says_for_each_scorer_over_how_many_it_is():
    samples = [made.inspect_sample(i, "C") for i in range(10)]
    header = made.inspect_header(samples, 1.0)
    header["results"]["completed_samples"] = 10
    header["results"]["scores"][0] |= {"scored_samples": 7, "unscored_samples": 3}
    (log,) = read_inspect(made.inspect_eval(Path("log.eval"), samples, header))
    assert {claim.n for claim in log.claims} == {7}


def test_inspect_says_it_took_the_first_items_only_where_there_were_more():
    samples = [made.inspect_sample(i, "C") for i in range(6)]
    for there, said in ((6, False), (60, True)):
        header = made.inspect_header(samples, 1.0)
        header["eval"]["config"]["limit"] = 100 if there == 6 else 6
        header["eval"]["dataset"] |= {"samples": there, "shuffled": False}
        (log,) = read_inspect(made.inspect_eval(Path(f"{there}.eval"), samples, header))
        assert any("the first items" in finding for finding in log.findings) is said


def evalscope(root: Path, statuses: list[str], shift: int = 0, limit: str = "100") -> Path:
    def said(i: int) -> str:
        return f"the answer is {i}"

    rows = [
        {"index": i, "target": "1", "messages": [{"role": "user", "content": f"q{i}"}],
         "sample_score": {"sample_id": i, "score": {"value": {"acc": 1.0}, "prediction": said(i), "status": status}}}
        for i, status in enumerate(statuses)
    ]  # fmt: skip
    told = [
        {"index": i + shift, "model_output": {"choices": [{"message": {"content": said(i)}, "stop_reason": "stop"}]}}
        for i in range(len(statuses))
    ]
    made.put_lines(root / "out/reviews/m/d_main.jsonl", rows)
    made.put_lines(root / "out/predictions/m/d_main.jsonl", told)
    subset = {"name": "main", "score": 1.0, "num": len(rows)}
    metrics = [{"name": "acc", "score": 1.0, "num": len(rows), "categories": [{"name": ["x"], "subsets": [subset]}]}]
    made.put(root / "out/reports/m/d.json", {"dataset_name": "d", "model_name": "m", "metrics": metrics})
    made.put(root / "out/configs/task_config.yaml", f"limit: {limit}\n")
    return root


def test_a_score_that_evalscope_does_not_count_is_none():
    statuses = ["success", "degraded", "fallback", "transport_error", "parse_error", "excluded", "invalid_session"]
    (run,) = import_logs(evalscope(Path("a"), statuses), report=False).runs
    assert (run.items, run.readings[0].items) == (7, 3)
    assert sum("unscored here" in finding for finding in run.findings) == 4
    assert any("scored by rule because the judge failed" in finding for finding in run.findings)


def test_a_review_unlike_the_prediction_of_its_index_is_a_finding():
    (good,) = import_logs(evalscope(Path("a"), ["success"] * 5), report=False).runs
    assert good.findings == ()
    (moved,) = import_logs(evalscope(Path("b"), ["success"] * 5, shift=1), report=False).runs
    assert moved.findings == (
        "d_main.jsonl: 1 answer reviewed, and there is no prediction of that index",
        f"d_main.jsonl: 4 answers {UNLIKE}",
        "d_main.jsonl: 1 of the predictions beside it without a review of the same index",
    )


@pytest.mark.parametrize(("limit", "said"), [("100", False), ("1.0", False), ("5", True), ("0.5", True)])
def test_evalscope_says_it_took_the_first_items_only_where_it_may_have(limit, said):
    (run,) = import_logs(evalscope(Path("a"), ["success"] * 5, limit=limit), report=False).runs
    assert any("the first items" in finding for finding in run.findings) is said
    (log,) = [one for found in search([Path("a")]).found for one in found.read()]
    assert (log.limit is not None) is said


@pytest.mark.parametrize("depth", [600, 5_000])
def test_nesting_that_ends_the_stack_of_python_is_a_line(depth):
    text = "[" * depth + '"\\ud83d"' + "]" * depth  # half a character: what was parsed is walked once more
    with pytest.raises(Unreadable, match=r"nested too deep|not whole JSON"):
        parse(text.encode(), "it")


def test_a_copy_of_a_row_of_promptfoo_is_no_repeat():
    path = made.promptfoo(Path("out.json"))
    log = json.loads(path.read_text(encoding="utf-8"))
    rows = log["results"]["results"]
    for i, row in enumerate(rows):
        row["id"] = f"call-{i}"
    made.put(path, log)
    before = import_logs(path, report=False, out="one").runs
    rows.append(json.loads(json.dumps(rows[0])))
    made.put(path, log)
    after = import_logs(path, report=False, out="two").runs
    assert [(r.items, r.repeats) for r in before] == [(r.items, r.repeats) for r in after]
    assert sum("1 row is there twice under one id" in finding for run in after for finding in run.findings) == 1


@pytest.mark.parametrize(
    ("content", "why"), [(POINTER, "is a Git LFS pointer"), ("", "is empty"), ("garbage\n", "holds no row of samples")]
)
def test_samples_that_hold_nothing_belong_to_their_log_and_are_named(content, why):
    path = next(made.choices(Path("log"), n=4).glob("samples_*.jsonl"))
    path.write_text(content, encoding="utf-8")
    found = import_logs("log", report=False)
    assert (found.runs, found.refused) == ((), ())
    assert any(finding.startswith(f"{path.name} {why}") for finding in found.claimed[0].findings)


def test_one_bad_line_in_front_does_not_lose_the_rows_behind_it():
    path = next(made.choices(Path("log"), n=4).glob("samples_*.jsonl"))
    path.write_bytes(b"\x00\xff\xfe garbage\n" + path.read_bytes())
    (run,) = import_logs("log", report=False).runs
    assert run.items == 4
    assert f"{path.name}: line 1 is not whole JSON and was left out" in run.findings


def test_a_pointer_alone_says_what_it_is():
    made.put(Path("log.eval"), POINTER)
    made.put(Path("log.json"), POINTER)
    found = import_logs("log.eval", "log.json", report=False)
    assert {why for _, why in found.refused} == {
        "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"
    }
