"""Reports of version 2, in the shape that evalscope 1.14 writes: `num` counts answers, metrics have dimensions."""

from __future__ import annotations

import json
from pathlib import Path

from eyechart.app.importing import import_logs


def _review(index: int, item: int, repeat: int, value: dict[str, float], said: str, errors: dict[str, str]) -> dict:
    score = {"value": value, "prediction": said, "extracted_prediction": said, "metadata": {"metric_errors": errors}}
    sample = {"score": score, "sample_id": index, "group_id": item, "generation_index": repeat, "sample_metadata": {}}
    talk = [{"role": "user", "content": f"question {item}?"}, {"role": "assistant", "content": said}]
    return {"index": index, "target": ["3"], "messages": talk, "sample_score": sample}


def _metric(name: str, dimensions: dict, subsets: dict[str, tuple[float, int]], score: float) -> dict:
    parts = [{"name": n, "score": s, "num": k, "is_aggregate": False} for n, (s, k) in subsets.items()]
    total = sum(k for _, k in subsets.values())
    identity = {"name": name, "aggregation": "mean", "dimensions": dimensions}
    return {"identity": identity, "num": total, "score": score, "categories": [{"name": ["default"], "subsets": parts}]}


def _write(root: Path, dataset: str, metrics: list[dict], reviews: dict[str, list[dict]]) -> None:
    report = {"schema_version": 2, "dataset_name": dataset, "model_name": "m", "metrics": metrics}
    total = sum(len(rows) for rows in reviews.values())
    report["execution_summary"] = {"requested": total, "incomplete": False}
    files = {root / "reports" / "m" / f"{dataset}.json": json.dumps(report)}
    for subset, rows in reviews.items():
        files[root / "reviews" / "m" / f"{dataset}_{subset}.jsonl"] = "\n".join(json.dumps(row) for row in rows)
    files[root / "configs" / "task_config.yaml"] = "repeats: 2\ngeneration_config: {temperature: 0.7, max_tokens: 40}\n"
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def test_answers_are_no_items_and_a_mean_of_rounded_means_is_no_error():
    rows = {"one": [], "two": []}
    right = {"one": 0, "two": 2}
    for subset, many in (("one", 12), ("two", 15)):
        for item in range(many):
            for repeat in range(2):
                value = {"accuracy": float(item < right[subset] and repeat == 0)}
                rows[subset].append(_review(2 * item + repeat, item, repeat, value, f"{item} {repeat}", {}))
    subsets = {"one": (0.0, 24), "two": (round(2 / 30, 4), 30)}
    claimed = round(0.0667 * 30 / 54, 4)  # as the harness works it out: .0371, where the items give .0370
    _write(Path("out"), "mcq", [_metric("accuracy", {}, subsets, claimed)], rows)
    (run,) = import_logs(Path("out"), out="runs").runs
    assert (run.items, run.repeats, run.findings) == (27, 2, ())
    assert abs(run.readings[0].mean - 2 / 54) < 1e-12


def test_a_metric_that_broke_is_unscored_and_dimensions_name_the_reading():
    value = {"bleu-1": 0.0, "Rouge-1-R": 0.5, "Rouge-L-R": 0.25, "Rouge-L-F": 0.5}
    broke = {"BLEU": "LookupError: no such resource"}
    rows = [_review(2 * i + r, i, r, value, f"{i} {r}", broke) for i in range(4) for r in range(2)]
    metrics = [
        _metric("bleu", {"ngram": 1}, {"a": (0.0, 8)}, 0.0),
        _metric("rouge", {"ngram": 1, "statistic": "recall"}, {"a": (0.5, 8)}, 0.5),
        _metric("rouge", {"statistic": "recall", "variant": "l"}, {"a": (0.25, 8)}, 0.25),
        _metric("rouge", {"statistic": "f1", "variant": "l"}, {"a": (0.75, 8)}, 0.75),
    ]
    _write(Path("out"), "qa", metrics, {"a": rows})
    (run,) = import_logs(Path("out"), out="runs").runs
    found = {reading.name: (reading.mean, reading.claimed) for reading in run.readings}
    assert found == {
        "bleu-1": (None, 0.0), "Rouge-1-R": (0.5, 0.5), "Rouge-L-R": (0.25, 0.25), "Rouge-L-F": (0.5, 0.75),
    }  # fmt: skip
    assert any("8 answers have 0 where the metric itself broke: BLEU" in text for text in run.findings)
    assert any("rouge l f1: the log claims 0.75" in text for text in run.findings)
    assert not any("recall" in text for text in run.findings)
