"""Faults, each planted alone in a copy of the clean folders: which finding must come, and at which file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import pstdev
from typing import Any

from audited import arrays, board, facts, inspect_log, lm_log, said

Rows = list[dict[str, Any]]
FAULTS: list[tuple[str, str, str, Callable[[Path], object]]] = []
"""Id of the finding, a part of the name of its file, the part of the clean folder it is planted in, and the change."""
ALPHA = "org__alpha-7b"


def fault(name: str, file: str) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    def add(change: Callable[[Path], object]) -> Callable[[Path], object]:
        part = "" if file.endswith(".csv") else "runs" if file in ("plum", "prune") else "logs"
        FAULTS.append((name, file, part, change))
        return change

    return add


def each(change: Callable[[int, dict[str, Any]], dict[str, Any]]) -> Callable[[Rows], Rows]:
    return lambda rows: [change(i, row) for i, row in enumerate(rows)]


def claimed(**values: Any) -> Callable[[dict[str, Any]], None]:
    def change(found: dict[str, Any]) -> None:
        for key, value in values.items():
            name = {"value": "exact_match,strict-match", "se": "exact_match_stderr,strict-match"}[key]
            found[name] = value(found[name])

    return change


# Claimed numbers


@fault("claim.score", ALPHA)
def score_is_not_that_of_its_items(root: Path) -> object:
    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, claims=claimed(value=lambda v: v + 0.05))


@fault("claim.score", "log-alpha")
def best_of_the_runs_is_claimed(root: Path) -> object:
    def best(rows: Rows) -> Rows:
        for row in rows:
            if row["epoch"] == 2 and row["id"] in ("q1", "q2", "q3"):
                row["scores"]["match"]["value"] = "C"
        return rows

    path = root / "logs/inspect/log-alpha.json"
    inspect_log(path, "org/alpha-7b", samples=best)
    log = json.loads(path.read_text())
    runs = [[s["scores"]["match"]["value"] == "C" for s in log["samples"] if s["epoch"] == e] for e in (1, 2, 3, 4)]
    log["results"]["scores"][0]["metrics"]["accuracy"]["value"] = max(sum(r) / len(r) for r in runs)
    return path.write_text(json.dumps(log))


@fault("claim.n", ALPHA)
def fewer_items_are_claimed(root: Path) -> object:
    def half(found: dict[str, Any]) -> None:
        found["n-samples"] = {"gsm8k": {"original": 40, "effective": 40}}

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, facts=half)


@fault("claim.none", "log-alpha")
def no_number_is_claimed(root: Path) -> object:
    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", accuracy=float("nan"))


@fault("se.bootstrap", ALPHA)
def error_is_divided_by_the_root_of_the_replicates(root: Path) -> object:
    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, claims=claimed(se=lambda v: v / 1000**0.5))


@fault("se.zero", ALPHA)
def error_is_zero(root: Path) -> object:
    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, claims=claimed(se=lambda v: 0.0))


@fault("se.impossible", ALPHA)
def error_is_three_times_too_large(root: Path) -> object:
    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, claims=claimed(se=lambda v: 3 * v))


def _with_error(root: Path, error: Callable[[list[list[bool]]], float]) -> object:
    path = root / "logs/inspect/log-alpha.json"
    log = json.loads(path.read_text())
    runs = [[s["scores"]["match"]["value"] == "C" for s in log["samples"] if s["epoch"] == e] for e in (1, 2, 3, 4)]
    metrics = log["results"]["scores"][0]["metrics"]
    metrics["stderr"] = {"name": "stderr", "value": error(runs)}
    return path.write_text(json.dumps(log))


@fault("se.pooled", "log-alpha")
def repeats_are_counted_as_items(root: Path) -> object:
    return _with_error(root, lambda runs: pstdev([float(v) for r in runs for v in r]) / sum(map(len, runs)) ** 0.5)


@fault("se.run_sd", "log-alpha")
def spread_of_runs_is_the_error(root: Path) -> object:
    return _with_error(root, lambda runs: pstdev([sum(r) / len(r) for r in runs]))


# Labels


def _moved(root: Path, to: str, source: str = f"logs/lm/{ALPHA}") -> object:
    (root / to).parent.mkdir(parents=True, exist_ok=True)
    return shutil.move(root / source, root / to)


@fault("label.model", "org__beta-13b")
def folder_names_another_model(root: Path) -> object:
    return _moved(root, "logs/other/org__beta-13b")


@fault("label.model", "qwen2-instruct")
def folder_names_another_family(root: Path) -> object:
    lm_log(root / "logs/lm", "meta/Llama-3-8B", folder="qwen2-instruct")


@fault("label.size", "alpha-13b")
def folder_names_another_size(root: Path) -> object:
    return _moved(root, "logs/other/alpha-13b")


@fault("label.task", "mmlu")
def folder_names_another_task(root: Path) -> object:
    return _moved(root, f"logs/mmlu/{ALPHA}")


@fault("label.shots", "0-shot")
def folder_names_other_shots(root: Path) -> object:
    return _moved(root, "logs/other/alpha-7b-0-shot")


@fault("label.quantization", "int4")
def folder_names_another_precision(root: Path) -> object:
    return _moved(root, "logs/other/alpha-7b-int4")


@fault("label.temperature", "temp0.2")
def file_names_another_temperature(root: Path) -> object:
    return _moved(root, "logs/inspect/alpha-temp0.2.json", "logs/inspect/log-alpha.json")


# One measurement, two names


def marked(rows: Rows) -> Rows:
    """The same answers in a file of other bytes."""
    return [row | {"note": 1} for row in rows]


@fault("copy.model", "delta")
def one_models_answers_under_another_name(root: Path) -> object:
    return lm_log(root / "logs/lm", "lab/delta-9b", voice="org/alpha-7b", share=0.5, rows=marked)


@fault("copy.file", "delta")
def one_file_of_answers_under_two_names(root: Path) -> object:
    where = lm_log(root / "logs/lm", "lab/delta-9b")
    (samples,) = where.glob("samples_*")
    shutil.copy(next((root / "logs/lm" / ALPHA).glob("samples_*")), samples)


@fault("copy.setting", "again")
def a_setting_did_not_reach_the_model(root: Path) -> object:
    def other(found: dict[str, Any]) -> None:
        found["config"]["model_dtype"] = "torch.bfloat16"

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, folder="again", facts=other, rows=marked)


@fault("copy.part", "delta")
def a_cache_answered_for_many_items(root: Path) -> object:
    def mixed(i: int, row: dict[str, Any]) -> dict[str, Any]:
        if i % 3:
            text = said("org/alpha-7b", i, bool(row["exact_match"]))
            # As many as were right, or wrong, on both sides are equal word for word.
            return row | {"resps": [[text]], "filtered_resps": [text]}
        return row

    return lm_log(root / "logs/lm", "lab/delta-9b", share=0.55, rows=each(mixed))


@fault("copy.scores", "both.csv")
def two_models_of_a_table_have_the_same_scores(root: Path) -> object:
    rows = [(m, f"q{i}", (i * 7919) % 5 < 2) for m in ("a", "b") for i in range(600)]
    return board(root / "both.csv", [(m, q, int(v)) for m, q, v in rows], "model,item,score")


@fault("mixed.name", "again")
def two_procedures_go_by_one_name(root: Path) -> object:
    def other(found: dict[str, Any]) -> None:
        found["configs"]["gsm8k"]["num_fewshot"] = 0
        found["n-shot"] = {"gsm8k": 0}

    return lm_log(root / "logs/lm", "org/alpha-7b", voice="again", folder="again", facts=other)


# Items


@fault("items.missing", ALPHA)
def log_holds_a_part_of_what_was_asked(root: Path) -> object:
    def more(found: dict[str, Any]) -> None:
        found["n-samples"] = {"gsm8k": {"original": 1319, "effective": 1319}}

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, facts=more)


@fault("items.missing", ALPHA)
def items_that_others_have_are_not_here(root: Path) -> object:
    def fewer(found: dict[str, Any]) -> None:
        found["n-samples"] = {"gsm8k": {"original": 60, "effective": 60}}

    def kept(rows: Rows) -> Rows:
        return [row for i, row in enumerate(rows) if i % 4]

    def mean(found: dict[str, Any]) -> None:
        found.clear()

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=kept, facts=fewer, claims=mean)


@fault("items.twice", ALPHA)
def questions_are_asked_twice(root: Path) -> object:
    def again(rows: Rows) -> Rows:
        return [row | {"doc": rows[i % 60]["doc"], "target": rows[i % 60]["target"]} for i, row in enumerate(rows)]

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=again)


@fault("items.first", ALPHA)
def the_first_items_were_taken(root: Path) -> object:
    def limited(found: dict[str, Any]) -> None:
        found["config"]["limit"] = 80.0

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, facts=limited)


@fault("items.first", "delta")
def items_are_the_first_of_another(root: Path) -> object:
    return lm_log(root / "logs/lm", "lab/delta-9b", n=30)


@fault("items.gold", "delta")
def another_answer_key(root: Path) -> object:
    def key(i: int, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"target": "none\n#### 7", "doc": {**row["doc"], "answer": "none\n#### 7"}} if i < 5 else row

    return lm_log(root / "logs/lm", "lab/delta-9b", rows=each(key))


@fault("items.changed", "delta")
def another_question_under_the_same_id(root: Path) -> object:
    def ask(i: int, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"doc": {**row["doc"], "question": f"And what is {i} times {i}?"}} if i < 6 else row

    return lm_log(root / "logs/lm", "lab/delta-9b", rows=each(ask))


@fault("shots.test", ALPHA)
def a_question_of_the_test_is_a_shot(root: Path) -> object:
    def shot(i: int, row: dict[str, Any]) -> dict[str, Any]:
        asked = f"How many apples are {i} and {i} apples together?"
        prompt = f"Question: How many apples are 3 and 3 apples together?\nAnswer: 6\n\nQuestion: {asked}\nAnswer:"
        used = row["arguments"]["gen_args_0"] | {"arg_0": prompt}
        return row | {"doc": {**row["doc"], "question": asked}, "arguments": {"gen_args_0": used}}

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=each(shot))


# Answers


@fault("failures.wrong", ALPHA)
def errors_of_a_server_are_wrong_answers(root: Path) -> object:
    def broke(i: int, row: dict[str, Any]) -> dict[str, Any]:
        text = "Error code: 429 - Rate limit reached for requests"
        return row | {"resps": [[text]], "filtered_resps": [text]} if row["exact_match"] == 0 and i % 2 else row

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=each(broke))


@fault("failures.wrong", "log-alpha")
def failed_samples_are_counted_as_wrong(root: Path) -> object:
    def broke(rows: Rows) -> Rows:
        out: Rows = []
        for i, row in enumerate(rows):
            wrong = row["scores"]["match"]["value"] == "I"
            dead = {"error": {"message": "boom"}, "scores": {}, "output": {"model": "m", "choices": []}}
            out.append(row | dead if wrong and i % 3 == 0 else row)
        return out

    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", epochs=1, samples=broke)


@fault("answers.failed", "log-alpha")
def many_calls_broke_off(root: Path) -> object:
    def broke(rows: Rows) -> Rows:
        dead = {"error": {"message": "boom"}, "scores": {}, "output": {"model": "m", "choices": []}}
        return [row | dead if i % 9 == 0 else row for i, row in enumerate(rows)]

    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", samples=broke)


@fault("answers.empty", ALPHA)
def empty_texts_are_wrong_answers(root: Path) -> object:
    def empty(i: int, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"resps": [[""]], "filtered_resps": [""]} if row["exact_match"] == 0 and i % 2 else row

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=each(empty))


@fault("answers.cut", "log-alpha")
def answers_end_at_the_limit(root: Path) -> object:
    def cut(rows: Rows) -> Rows:
        for row in rows:
            if row["scores"]["match"]["value"] == "I":
                row["output"]["choices"][0]["stop_reason"] = "max_tokens"
        return rows

    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", samples=cut)


@fault("answers.constant", ALPHA)
def one_answer_to_everything(root: Path) -> object:
    def same(i: int, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"resps": [["#### 42"]], "filtered_resps": ["#### 42"]}

    return lm_log(root / "logs/lm", "org/alpha-7b", share=0.5, rows=each(same))


# Repeats


def _epochs(root: Path, change: Callable[[Rows], Rows], **more: Any) -> object:
    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", samples=change, **more)


def _by(rows: Rows) -> dict[tuple[str, int], dict[str, Any]]:
    return {(row["id"], row["epoch"]): row for row in rows}


@fault("repeats.same", "log-alpha")
def all_repeats_came_from_a_cache(root: Path) -> object:
    def first(rows: Rows) -> Rows:
        known = _by(rows)
        return [{**known[row["id"], 1], "epoch": row["epoch"]} for row in rows]

    return _epochs(root, first)


@fault("repeats.copies", "log-alpha")
def one_repeat_is_a_copy_of_another(root: Path) -> object:
    def copied(rows: Rows) -> Rows:
        known = _by(rows)
        return [{**known[row["id"], 2], "epoch": 4} if row["epoch"] == 4 else row for row in rows]

    return _epochs(root, copied)


@fault("repeats.spread", "log-alpha")
def all_items_share_the_luck_of_a_run(root: Path) -> object:
    def lucky(rows: Rows) -> Rows:
        for i, row in enumerate(rows):
            if row["epoch"] == 2 and i % 3:
                row["scores"]["match"]["value"] = "C"
            if row["epoch"] == 3 and i % 3:
                row["scores"]["match"]["value"] = "I"
        return rows

    return _epochs(root, lucky)


@fault("repeats.sorted", "log-alpha")
def samples_are_stored_right_ones_first(root: Path) -> object:
    def ordered(rows: Rows) -> Rows:
        out: Rows = []
        for name in dict.fromkeys(row["id"] for row in rows):
            mine = sorted((r for r in rows if r["id"] == name), key=lambda r: r["scores"]["match"]["value"])
            out += [{**row, "epoch": i + 1} for i, row in enumerate(mine)]
        return out

    return _epochs(root, ordered)


@fault("repeats.gaps", "log-alpha")
def some_items_have_fewer_repeats(root: Path) -> object:
    return _epochs(root, lambda rows: [r for i, r in enumerate(rows) if r["epoch"] < 4 or i % 5])


@fault("log.incomplete", "log-alpha")
def the_log_was_cancelled(root: Path) -> object:
    return inspect_log(root / "logs/inspect/log-alpha.json", "org/alpha-7b", header={"status": "cancelled"})


@fault("unreadable", ALPHA)
def a_log_is_cut_off(root: Path) -> object:
    (path,) = (root / "logs/lm" / ALPHA).glob("results_*")
    return path.write_text(path.read_text()[:-200])


# Runs of this house


@fault("seal.broken", "plum")
def a_sealed_file_was_changed(root: Path) -> object:
    path = root / "runs/plum/items.jsonl"
    return path.write_text(path.read_text().replace("picture number 7?", "picture number 8?"))


@fault("claim.score", "plum")
def the_report_states_another_score(root: Path) -> object:
    def right(table: dict[str, Any]) -> None:
        table["value"][:40] = 1.0

    return arrays(root / "runs/plum", right)


@fault("run.unfinished", "plum")
def a_run_stopped_early(root: Path) -> object:
    return facts(root / "runs/plum", lambda f: f.update(missing=17, stopped="by budget"))


@fault("items.missing", "plum")
def a_run_lacks_items(root: Path) -> object:
    return facts(root / "runs/plum", lambda f: f["data"][0].update(count=150, of=150))


@fault("mixed.name", "prune")
def a_run_was_made_otherwise_under_its_name(root: Path) -> object:
    shutil.copytree(root / "runs/pear", root / "runs/prune")

    def renamed(f: dict[str, Any]) -> None:
        f["name"] = "plum"
        f["cells"][0]["effective"]["model"]["name"] = "plum"
        f["cells"][0]["effective"]["asking"]["decoding"]["temperature"] = 0.2

    return facts(root / "runs/prune", renamed)


@fault("repeats.copies", "plum")
def a_repeat_of_a_run_is_a_copy(root: Path) -> object:
    def copied(table: dict[str, Any]) -> None:
        third, first = table["repeat"] == 3, table["repeat"] == 1
        table["value"][third] = table["value"][first]
        table["outcome"][third] = table["outcome"][first]

    return arrays(root / "runs/plum", copied)


@fault("unreadable", "plum")
def the_answers_of_a_run_are_damaged(root: Path) -> object:
    return (root / "runs/plum/store.sqlite").write_bytes(b"no store" * 100)


@fault("unreadable", "plum")
def the_table_of_a_run_is_damaged(root: Path) -> object:
    return (root / "runs/plum/observations.npz").write_bytes(b"PK\x03\x04 no table")


# Leaderboards

FAIR: list[tuple[Any, ...]] = [
    ("a", "math", "0.500", 0.0158, 1000), ("b", "math", 0.62, 0.0153, 1000), ("c", "math", 0.731, 0.014, 1000),
    ("a", "code", "0.410", 0.0348, 200), ("b", "code", 0.455, 0.0352, 200), ("c", "code", 0.52, 0.0353, 200),
]  # fmt: skip


def _board(name: str, at: int | None, *row: Any, more: list[tuple[Any, ...]] | None = None) -> Callable[[Path], object]:
    def change(root: Path) -> object:
        rows: list[tuple[Any, ...]] = list(FAIR)
        if at is not None:
            rows[at] = row
        return board(root / f"{name}.csv", [*rows, *(more or [])])

    change.__name__ = name
    return change


def boards() -> None:
    """Each in a board that is fair but for one row."""
    mean, se = (0.5 * 1000 + 0.41 * 200) / 1200, (0.0158**2 + 0.0348**2) ** 0.5 / 2
    pooled = ((1000 * 0.0158) ** 2 + (200 * 0.0348) ** 2) ** 0.5 / 1200
    assert abs(mean - 0.485) < 1e-9
    for name, change in (
        ("claim.grim", _board("no_such_share", 3, "a", "code", 0.4133, 0.0348, 200)),
        ("se.impossible", _board("error_too_large", 1, "b", "math", 0.62, 0.0453, 1000)),
        ("se.impossible", _board("error_too_small", 1, "b", "math", 0.62, 0.0053, 1000)),
        ("se.bootstrap", _board("one_error_by_root_of_b", 1, "b", "math", 0.62, 0.000485, 1000)),
        ("se.zero", _board("no_error", 1, "b", "math", 0.62, "0.0000", 1000)),
        ("board.empty", _board("a_row_failed", 1, "b", "math", "error", None, 1000)),
        ("board.average", _board("wrong_average", None, more=[("a", "average", "0.520", None, None)])),
        ("se.group", _board("mean_of_errors", None, more=[("a", "average", "0.455", 0.0253, None)])),
        ("se.group", _board("error_of_another_mean", None, more=[("a", "average", "0.455", round(pooled, 4), None)])),
        ("board.twice", _board("one_model_twice", None, more=[("a", "math", 0.57, 0.0157, 1000)])),
        ("board.n", _board("fewer_items_for_one", 1, "b", "math", 0.62, 0.0485, 100)),
    ):
        FAULTS.append((name, f"{change.__name__}.csv", "", change))
    assert abs(se - 0.0191) < 1e-3


boards()


@fault("se.bootstrap", "all.csv")
def every_error_is_divided_alike(root: Path) -> object:
    rows = [
        (m, s, round((s * (1 - s) / 500) ** 0.5 / 1000**0.5, 6), 500) for m, s in (("a", 0.4), ("b", 0.52), ("c", 0.66))
    ]
    return board(root / "all.csv", rows, "model,score,stderr,n")


@fault("board.ties", "ties.csv")
def two_models_tie_everywhere(root: Path) -> object:
    rows = [
        ("a", 61.37, 40.12, 77.93),
        ("b", 61.37, 40.12, 77.93),
        ("c", 55.02, 48.77, 70.01),
        ("d", 43.3, 31.62, 64.8),
    ]
    return board(root / "ties.csv", rows, "model,math,code,facts")
