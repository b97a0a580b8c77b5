"""Small logs of each harness, as it writes them: what the fixtures beside the project do not cover."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STAMP = "2025-03-04T05-06-07.891011"


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def put_lines(path: Path, rows: Sequence[Any]) -> Path:
    return put(path, "".join(json.dumps(row) + "\n" for row in rows))


# lm-evaluation-harness


def lm_row(doc: int, said: str | list[str], target: str, score: float, **more: Any) -> dict[str, Any]:
    texts = [said] if isinstance(said, str) else said
    used = {"until": ["\n\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 256}
    return {
        "doc_id": doc,
        "doc": {"question": f"What is {doc} + {doc}?", "answer": target},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": f"Question: What is {doc} + {doc}?\nAnswer:", "arg_1": used}},
        "resps": [texts],
        "filtered_resps": [texts[0]],
        "filter": "strict-match",
        "metrics": ["exact_match"],
        "doc_hash": "0" * 64,
        "prompt_hash": "1" * 64,
        "target_hash": "2" * 64,
        "exact_match": score,
        **more,
    }


def lm_results(task: str, results: dict[str, Any], n: int, **more: Any) -> dict[str, Any]:
    return {
        "results": {task: {"alias": task, **results}},
        "group_subtasks": {task: []},
        "configs": {
            task: {
                "task": task,
                "dataset_path": "openai/gsm8k",
                "dataset_name": "main",
                "test_split": "test",
                "fewshot_split": "train",
                "doc_to_text": "Question: {{question}}\nAnswer:",
                "num_fewshot": 5,
                "output_type": "generate_until",
                "generation_kwargs": {"until": ["\n\n"], "do_sample": False, "temperature": 0.0},
                "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
                "repeats": 1,
            }
        },
        "versions": {task: 3.0},
        "n-shot": {task: 5},
        "higher_is_better": {task: {"exact_match": True}},
        "n-samples": {task: {"original": n, "effective": n}},
        "config": {"model": "hf", "model_args": "pretrained=org/small,dtype=float16", "model_sha": "abc123",
                   "model_dtype": "torch.float16", "batch_size": "8", "limit": None, "gen_kwargs": None,
                   "fewshot_seed": 1234},
        "git_hash": "1f84a09f",
        "date": 1740000000.5,
        "model_name": "org/small",
        "chat_template": None,
        "system_instruction": None,
        "lm_eval_version": "0.4.9",
        "task_hashes": {task: "f" * 64},
        **more,
    }  # fmt: skip


def gsm8k(folder: Path, n: int = 20) -> Path:
    """Two filters over the same answers: the strict one misses those without `####`."""
    rows: list[dict[str, Any]] = []
    for flexible in (False, True):
        for doc in range(n):
            right, marked = doc % 4 != 0, doc % 2 == 0
            value = 2 * doc if right else 2 * doc + 1
            said = f"It is {value}. #### {value}" if marked else f"It is {value}."
            kept = str(value) if flexible or marked else "[invalid]"
            row = lm_row(doc, said, f"{doc} + {doc} = <<{doc}+{doc}={2 * doc}>>{2 * doc}\n#### {2 * doc}",
                         float(right and (flexible or marked)))  # fmt: skip
            rows.append(row | {"filter": "flexible-extract" if flexible else "strict-match", "filtered_resps": [kept]})
    scores = {f: [r["exact_match"] for r in rows if r["filter"] == f] for f in ("strict-match", "flexible-extract")}
    claims: dict[str, Any] = {}
    for name, values in scores.items():
        mean = sum(values) / n
        claims[f"exact_match,{name}"] = mean
        claims[f"exact_match_stderr,{name}"] = (sum((v - mean) ** 2 for v in values) / (n - 1) / n) ** 0.5
    put(folder / "org__small" / f"results_{STAMP}.json", lm_results("gsm8k", claims, n))
    put_lines(folder / "org__small" / f"samples_gsm8k_{STAMP}.jsonl", rows)
    return folder


def choices(folder: Path, n: int = 12, task: str = "arc_easy") -> Path:
    """Options by log-probability: `acc` and `acc_norm` as the harness works them out."""
    rows: list[dict[str, Any]] = []
    for doc in range(n):
        texts = [" a", " bb", " cccc", " dd"]
        sums = [-3.0 - (doc % 3), -4.0, -5.0 + 0.1 * doc, -6.0]
        best = max(range(4), key=lambda i: sums[i])
        normed = max(range(4), key=lambda i: sums[i] / len(texts[i].strip()))
        gold = doc % 4
        rows.append({
            "doc_id": doc,
            "doc": {"question": f"Which {doc}?", "choices": {"text": ["a", "bb", "cccc", "dd"], "label": list("ABCD")}},
            "target": gold,
            "arguments": {f"gen_args_{i}": {"arg_0": f"Question: Which {doc}?\nAnswer:", "arg_1": t}
                          for i, t in enumerate(texts)},
            "resps": [[[str(s), "False"]] for s in sums],
            "filtered_resps": [[str(s), "False"] for s in sums],
            "filter": "none",
            "metrics": ["acc", "acc_norm"],
            "acc": float(best == gold),
            "acc_norm": float(normed == gold),
        })  # fmt: skip
    claims = {f"{m},none": sum(r[m] for r in rows) / n for m in ("acc", "acc_norm")}
    results = lm_results(task, {**claims, "acc_stderr,none": "N/A"}, n)
    results["configs"][task] |= {"output_type": "multiple_choice", "num_fewshot": 0}
    put(folder / f"results_{STAMP}.json", results)
    put_lines(folder / f"samples_{task}_{STAMP}.jsonl", rows)
    return folder


# Inspect


def inspect_sample(number: int, value: Any, epoch: int = 1, said: str | None = None, **more: Any) -> dict[str, Any]:
    said = said if said is not None else f"ANSWER: {number}"
    return {
        "id": f"q{number}",
        "epoch": epoch,
        "input": f"How much is {number}?",
        "target": str(number),
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": f"How much is {number}?", "source": "input"},
            {"role": "assistant", "content": said, "source": "generate"},
        ],
        "output": {
            "model": "served-model",
            "choices": [{"message": {"role": "assistant", "content": said}, "stop_reason": "stop"}],
            "usage": {"input_tokens": 10, "output_tokens": 3},
        },
        "scores": {"match": {"value": value, "answer": said[-1:], "explanation": said}},
        "metadata": {},
        "events": [{"event": "model", "config": {"temperature": 0.7, "max_tokens": 64, "seed": 5}}],
        **more,
    }


def inspect_header(samples: Sequence[dict[str, Any]], accuracy: float, epochs: int = 1, **more: Any) -> dict[str, Any]:
    ids = list(dict.fromkeys(s["id"] for s in samples))
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "sums",
            "created": "2025-05-12T20:28:13-04:00",
            "dataset": {"name": "sums", "location": "local", "samples": len(ids), "sample_ids": ids, "shuffled": False},
            "model": "openai/some-model",
            "model_generate_config": {},
            "config": {"epochs": epochs, "epochs_reducer": ["mean"]},
            "packages": {"inspect_ai": "0.3.200"},
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}],
                 "config": {"temperature": 0.7, "max_tokens": 64}},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": [
            {"name": "match", "scorer": "match", "reducer": "mean", "metrics": {
                "accuracy": {"name": "accuracy", "value": accuracy}}}]},
        "stats": {"started_at": "2025-05-12T20:28:13-04:00", "completed_at": "2025-05-12T20:30:13-04:00"},
        **more,
    }  # fmt: skip


def inspect_json(path: Path, samples: Sequence[dict[str, Any]], accuracy: float, **more: Any) -> Path:
    return put(path, {**inspect_header(samples, accuracy, **more), "samples": list(samples)})


def inspect_eval(path: Path, samples: Sequence[dict[str, Any]], header: dict[str, Any] | None) -> Path:
    """Deflated members; without a header it is a log that broke off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        start = inspect_header(samples, 0.0)
        file.writestr("_journal/start.json", json.dumps({k: start[k] for k in ("version", "eval", "plan")}))
        for sample in samples:
            file.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        if header is not None:
            file.writestr("header.json", json.dumps(header))
    return path


def as_zstd(path: Path, out: Path) -> Path:
    """The same archive with members compressed by Zstandard (method 93), as new versions write it."""
    import struct
    import zlib

    import pyarrow

    data, central = b"", b""
    with zipfile.ZipFile(path) as file:
        members = [(name, file.read(name)) for name in file.namelist()]
    for name, plain in members:
        packed = bytes(pyarrow.Codec("zstd").compress(plain, asbytes=True))
        head = struct.pack("<HHHHHIII", 63, 0, 93, 0, 33, zlib.crc32(plain), len(packed), len(plain))
        raw = name.encode()
        central += b"PK\x01\x02" + struct.pack("<H", 63) + head + struct.pack("<HHHHHII", len(raw), 0, 0, 0, 0, 0, len(data)) + raw  # fmt: skip
        data += b"PK\x03\x04" + head + struct.pack("<HH", len(raw), 0) + raw + packed
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(central), len(data), 0)
    out.write_bytes(data + central + end)
    return out


# promptfoo


def promptfoo(path: Path, repeat: int = 2, cached: bool = False, apart: bool = False, said: bool = True) -> Path:
    """`cached`: all but the first answer are replays; `apart`: each of its own repeat. `said`: `repeat` in the log."""
    rows: list[dict[str, Any]] = []
    for at in range(4):
        for turn in range(repeat):
            drawn = turn if apart or not cached else 0
            passed = (at + drawn) % 2 == 0
            rows.append({
                "id": f"r{at}{turn}", "testIdx": at * repeat + turn, "promptIdx": 0, "promptId": "p" * 8,
                "provider": {"id": "openai:gpt-x", "label": ""},
                "prompt": {"raw": f"Capital of country {at}?", "label": "Capital of {{country}}?"},
                "vars": {"country": f"country {at}"},
                "testCase": {"vars": {"country": f"country {at}"}, "assert": [{"type": "equals", "value": f"City {at}"}]},
                "response": {"output": f"City {at if passed else 99}.{drawn}", "cached": cached and turn > 0,
                             "finishReason": "stop"},
                "success": passed, "score": 1 if passed else 0, "namedScores": {}, "failureReason": 0 if passed else 1,
            })  # fmt: skip
    rows.append(rows[-1] | {"testIdx": 99, "vars": {"country": "nowhere"}, "success": False, "score": 0,
                            "testCase": {"vars": {"country": "nowhere"}, "assert": []},
                            "response": {}, "failureReason": 2, "error": "API error: 500"})  # fmt: skip
    passed = sum(r["success"] for r in rows)
    return put(path, {
        "evalId": "eval-abc",
        "results": {
            "version": 3, "timestamp": "2025-02-03T04:05:06.000Z",
            "prompts": [{"raw": "Capital of {{country}}?", "label": "Capital of {{country}}?", "id": "p" * 8,
                         "provider": "openai:gpt-x",
                         "metrics": {"testPassCount": passed, "testFailCount": len(rows) - 1 - passed,
                                     "testErrorCount": 1}}],
            "results": rows, "stats": {},
        },
        "config": {"description": "capitals", "evaluateOptions": {"repeat": repeat} if said else {},
                   "providers": [{"id": "openai:gpt-x", "config": {"temperature": 0.5, "max_tokens": 20,
                                                                   "apiKey": "sk-secret"}}]},
        "metadata": {"promptfooVersion": "0.118.0"},
    })  # fmt: skip


# OpenCompass


def opencompass(root: Path, split: bool = False) -> Path:
    rows = [{"origin_prompt": [{"role": "HUMAN", "prompt": f"Say {i}"}], "prediction": f"The answer is {i}",
             "gold": str(i if i % 3 else i + 1)} for i in range(9)]  # fmt: skip
    parts = [rows[:5], rows[5:]] if split else [rows]
    for number, part in enumerate(parts):
        name = f"sums_{number}.json" if split else "sums.json"
        put(root / "predictions" / "some-model" / name, {str(i): row for i, row in enumerate(part)})
    details: dict[str, Any] = {"type": "GEN"}
    for i, row in enumerate(rows):
        details[str(i)] = {"prompt": row["origin_prompt"], "origin_prediction": row["prediction"],
                           "predictions": str(i), "references": row["gold"], "correct": row["gold"] == str(i)}  # fmt: skip
    right = sum(details[str(i)]["correct"] for i in range(9))
    put(root / "results" / "some-model" / "sums.json", {"accuracy": 100 * right / 9, "details": details})
    return root


# lighteval


def lighteval(root: Path, options: bool = False) -> Path:
    import pyarrow
    from pyarrow import parquet

    rows: list[dict[str, Any]] = []
    for i in range(8):
        choice = (
            {"choices": [" yes", " no"], "gold_index": i % 2} if options else {"choices": [str(i)], "gold_index": 0}
        )
        losses = [-1.0 - i % 3, -2.0]
        said = [] if options else [f"It is {i if i % 4 else 77}"]
        right = float((losses[1] > losses[0]) == (i % 2 == 1)) if options else float(i % 4 != 0)
        rows.append({
            "doc": {"query": f"Question {i}?", **choice, "id": str(i), "task_name": "sums|0", "num_samples": 1},
            "model_response": {"input": f"Question {i}? Answer:", "text": said, "logprobs": losses if options else []},
            "metric": {"acc" if options else "em": right},
        })  # fmt: skip
    name = "acc" if options else "em"
    score = sum(r["metric"][name] for r in rows) / 8
    error = (sum((r["metric"][name] - score) ** 2 for r in rows) / 7 / 8) ** 0.5
    stamp = "2025-03-04T05-06-07.891011"
    fn = "LoglikelihoodAcc(logprob_normalization=None)" if options else "ExactMatches()"
    put(root / "results" / "org" / "small" / f"results_{stamp}.json", {
        "config_general": {"lighteval_sha": "?", "max_samples": 8, "model_name": "org/small",
                           "model_config": {"model_name": "org/small", "revision": "main", "dtype": "float16",
                                            "generation_parameters": {"temperature": 0, "seed": None},
                                            "system_prompt": None}},
        "results": {"sums|0": {name: score, f"{name}_stderr": error},
                    "sums:_average|0": {name: score}, "all": {name: score}},
        "versions": {"sums|0": 1},
        "config_tasks": {"sums|0": {"name": "sums", "hf_repo": "org/sums", "hf_subset": "default",
                                    "evaluation_splits": ["test"], "generation_size": 64, "stop_sequence": ["\n"],
                                    "metrics": [{"metric_name": name, "higher_is_better": True,
                                                 "sample_level_fn": fn, "corpus_level_fn": "mean"}]}},
        "summary_tasks": {},
    })  # fmt: skip
    folder = root / "details" / "org" / "small" / stamp
    folder.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"details_sums|0_{stamp}.parquet")
    return root


# Every Eval Ever


def every_eval_ever(folder: Path) -> Path:
    rows = [{
        "schema_version": "instance_level_eval_0.2.2", "evaluation_id": "sums/org_small/1", "model_id": "org/small",
        "evaluation_name": "sums", "sample_id": f"s{i}", "interaction_type": "single_turn",
        "input": {"raw": f"What is {i}?", "reference": [str(i)]},
        "output": {"raw": [f"It is {i if i % 2 else 0}"]}, "messages": None,
        "answer_attribution": [], "evaluation": {"score": float(i % 2), "is_correct": bool(i % 2)},
    } for i in range(10)]  # fmt: skip
    put_lines(folder / "sums_samples.jsonl", rows)
    put(folder / "sums.json", {
        "schema_version": "0.2.2", "evaluation_id": "sums/org_small/1", "retrieved_timestamp": "1740000000",
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "o",
                            "evaluator_relationship": "third_party"},
        "eval_library": {"name": "lm_eval", "version": "unknown"},
        "model_info": {"name": "small", "id": "org/small"},
        "evaluation_results": [{
            "evaluation_name": "sums", "source_data": {"dataset_name": "sums", "source_type": "hf_dataset",
                                                       "hf_repo": "org/sums", "hf_split": "test"},
            "metric_config": {"lower_is_better": False, "score_type": "continuous", "min_score": 0, "max_score": 1},
            "score_details": {"score": 0.5, "uncertainty": {"num_samples": 10}},
            "generation_config": {"generation_args": {"temperature": 0.0, "max_tokens": 100}},
        }],
        "detailed_evaluation_results": {"format": "jsonl", "file_path": "data/x/sums_samples.jsonl", "total_rows": 10},
    })  # fmt: skip
    return folder
