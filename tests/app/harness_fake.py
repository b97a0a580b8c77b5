"""Stands for an interpreter that has lm_eval and inspect_ai: takes their command lines, writes logs as they do.

The form of its logs is that of lm_eval 0.4.13 and inspect_ai 0.3.285, keys and nesting as those wrote them. What it
answers follows from the item, the shots, the temperature and the seed alone. The task says how it misbehaves.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ITEMS = 12
WORDS = ("red", "blue", "green", "white")


def luck(*parts: object) -> float:
    return int(hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def answer(item: int, shots: int, temperature: float, seed: int | None) -> str:
    """Right more often with shots; the seed counts where something is drawn."""
    drawn = luck(item, shots) if not temperature else luck(item, shots, temperature, seed)
    right = WORDS[item % 4]
    return right if drawn < 0.4 + 0.1 * shots else WORDS[(item + 1) % 4]


def misbehave(task: str) -> None:
    if task == "crash" and not Path("mended").exists():
        sys.stderr.write("loading\nValueError: boom\n")
        sys.exit(3)
    if task == "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        Path("pids").write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
        time.sleep(60)
    if task == "leak":
        sys.stderr.write("the key is " + os.environ.get("OPENAI_API_KEY", "-") + "\n")
    if task == "silent":
        sys.exit(0)


def lm_eval(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    for name in ("model", "tasks", "model_args", "gen_kwargs", "seed", "num_fewshot", "limit", "output_path",
                 "batch_size", "system_instruction", "include_path", "fewshot_as_multiturn"):  # fmt: skip
        parser.add_argument(f"--{name}")
    parser.add_argument("--log_samples", action="store_true")
    parser.add_argument("--apply_chat_template", action="store_true")
    given = parser.parse_args(words)
    sent = json.loads(given.gen_kwargs or "{}")
    seeds = [int(s) for s in given.seed.split(",")]
    arguments = json.loads(given.model_args or "{}")
    shots = int(given.num_fewshot or 0)
    facts: dict = {"results": {}, "group_subtasks": {}, "configs": {}, "versions": {}, "n-shot": {}, "n-samples": {},
                   "higher_is_better": {}}  # fmt: skip
    folder = Path(given.output_path) / arguments.get("model", given.model)
    folder.mkdir(parents=True)
    stamp = "2025-01-02T03-04-05.678901"
    for task in given.tasks.split(","):
        misbehave(task)
        mine = 0 if task == "zero" else shots
        used = {"until": ["\n"], "max_gen_toks": 8, **({} if task == "unsampled" else sent)}
        rows = [doc(task, i, mine, used) for i in range(min(ITEMS, int(given.limit or ITEMS)))]
        (folder / f"samples_{task}_{stamp}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        result: dict = {"alias": task, "sample_len": len(rows)}
        for name in ("strict", "loose"):
            values = [row["exact_match"] for row in rows if row["filter"] == name]
            result[f"exact_match,{name}"] = sum(values) / len(values) + (0.25 if task == "wrong_sum" else 0)
            result[f"exact_match_stderr,{name}"] = "N/A"
        facts["results"][task] = result
        facts["configs"][task] = {
            "task": task, "dataset_path": "json", "test_split": "test", "doc_to_text": "{{q}}", "num_fewshot": mine,
            "output_type": "generate_until", "generation_kwargs": used, "repeats": 1,
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        }  # fmt: skip
        facts["versions"][task], facts["n-shot"][task] = 1.0, mine
        facts["n-samples"][task] = {"original": ITEMS, "effective": len(rows) // 2}
        facts["higher_is_better"][task] = {"exact_match": True}
    facts |= {
        "config": {
            "model": given.model, "model_args": arguments, "batch_size": int(given.batch_size or 1), "limit": None,
            "gen_kwargs": sent, "random_seed": seeds[0], "numpy_seed": seeds[1], "torch_seed": seeds[2],
            "fewshot_seed": seeds[3],
        },
        "date": 1735787045.0, "lm_eval_version": os.environ.get("FAKE_VERSION", "0.4.13"), "transformers_version": "N/A",
        "model_name": arguments.get("model", given.model), "system_instruction": given.system_instruction,
        "fewshot_as_multiturn": given.fewshot_as_multiturn == "true", "chat_template": None,
        "total_evaluation_time_seconds": "1.5",
    }  # fmt: skip
    (folder / f"results_{stamp}.json").write_text(json.dumps(facts), encoding="utf-8")


def doc(task: str, i: int, shots: int, used: dict) -> dict:
    name = ("strict", "loose")[i % 2]
    at = i // 2
    seed = 0 if task == "deaf" else used.get("seed")
    said = answer(at, shots, used.get("temperature", 0), seed)
    right = WORDS[at % 4]
    asked = f"Which {task if task == 'animals' else 'colour'} is {at}?"
    right = f"{right} cat" if task == "animals" else right
    score = float(said == right) if name == "strict" else 1.0
    return {
        "doc_id": at, "doc": {"q": asked}, "target": right,
        "arguments": {"gen_args_0": {"arg_0": f"{'shot ' * shots}{asked}", "arg_1": used}},
        "resps": [[said]], "filtered_resps": [said], "filter": name, "metrics": ["exact_match"], "exact_match": score,
        "doc_hash": "d", "prompt_hash": "p", "target_hash": "t",
    }  # fmt: skip


def inspect_ai(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("task")
    for name in ("model", "model-base-url", "temperature", "max-tokens", "seed", "limit", "sample-shuffle", "epochs",
                 "display", "log-format", "log-dir", "task-config", "system-message"):  # fmt: skip
        parser.add_argument(f"--{name}")
    parser.add_argument("--no-fail-on-error", action="store_true")
    given = parser.parse_args(words)
    task = Path(given.task).stem
    misbehave(task)
    config = {"temperature": given.temperature, "max_tokens": given.max_tokens, "seed": given.seed}
    config = {k: float(v) if k == "temperature" else int(v) for k, v in config.items() if v is not None}
    count = min(ITEMS, int(given.limit or ITEMS))
    told = json.loads(Path(given.task_config).read_text(encoding="utf-8")) if given.task_config else {}
    samples = [sample(task, i, config, told, given.system_message) for i in range(count)]
    right = sum(one["scores"]["match"]["value"] == "C" for one in samples if "scores" in one)
    done = [one for one in samples if "scores" in one]
    status = "error" if task == "unfinished" else "success"
    header = {
        "version": 2, "status": status,
        "eval": {
            "created": "2025-01-02T03:04:05+00:00", "task": task, "task_args": told, "model": given.model,
            "dataset": {"name": "colours", "samples": ITEMS, "sample_ids": [one["id"] for one in samples]},
            "model_generate_config": config, "model_base_url": given.model_base_url,
            "config": {"limit": count, "epochs": 1,
                       **({"sample_shuffle": int(given.sample_shuffle)} if given.sample_shuffle else {})},
            "packages": {"inspect_ai": "0.3.285"},
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": config},
        "results": {
            "total_samples": count, "completed_samples": len(done),
            "scores": [{"name": "match", "scorer": "match", "metrics": {
                "accuracy": {"name": "accuracy", "value": right / len(done) if done else None}}}],
        },
        "stats": {"started_at": "2025-01-02T03:04:05+00:00", "completed_at": "2025-01-02T03:05:05+00:00"},
    }  # fmt: skip
    Path(given.log_dir).mkdir(parents=True)
    with zipfile.ZipFile(Path(given.log_dir) / f"2025-01-02_{task}.eval", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header))
        for one in samples:
            file.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))


def sample(task: str, i: int, config: dict, told: dict, system: str | None) -> dict:
    said = answer(i, int(told.get("shots", 0)), config.get("temperature", 0), config.get("seed"))
    asked = [{"role": "system", "content": system}] if system else []
    asked.append({"role": "user", "content": f"Which colour is {i}?"})
    wire = {k: v for k, v in config.items() if not (task == "lost" and k == "seed")}
    one: dict = {
        "id": f"item-{i}", "epoch": 1, "input": f"Which colour is {i}?", "target": WORDS[i % 4],
        "messages": [*asked, {"role": "assistant", "content": said}],
        "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": said}, "stop_reason": "stop"}]},
        "scores": {"match": {"value": "C" if said == WORDS[i % 4] else "I", "answer": said}},
        "events": [{"event": "model", "config": config, "call": {"request": {"model": "m", **wire}}}],
    }  # fmt: skip
    if task == "flaky" and i == 3:
        del one["scores"], one["output"]
        one["messages"] = asked
        one["error"] = {"message": "the server said 500"}
    return one


if __name__ == "__main__":
    if sys.argv[1] == "-c":
        print(os.environ.get("FAKE_VERSION", "0.4.13") if "lm_eval" in sys.argv[2] else "0.3.285")
    else:
        assert sys.argv[1] == "-m"
        {"lm_eval": lm_eval, "inspect_ai": inspect_ai}[sys.argv[2]](sys.argv[3:])
