"""Every Eval Ever 0.3.0: an aggregate for each set-up, and a line for each answer that has a score.

The schema has no place for an answer without a score, so a failed call is in no line: it would have to be written
as 0, and read as wrong. It is counted in `score_details.details`. The schema knows no factors either: levels stand
as text beside the parameters they moved. Values of `additional_details` must be text. Source: Every Eval Ever
(arXiv 2606.14516), `eval.schema.json` and `instance_level_eval.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eyechart.core.records import Estimate, NotEstimable
from eyechart.share.told import Answered, Plain, Relationship, Setup, Told, dataset_of, means, metric_of

SCHEMA = "0.3.0"
HERE = ("embedded", "transformers", "llamacpp", "function", "command", "echo", "synthetic", "simulated_judge")
"""Backends that answer on the machine of whoever ran the study."""
LISTED = 1000
"""Ids of failed answers that are listed; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Who publishes: nothing that a run could know."""

    organization: str = "unknown"
    relationship: Relationship = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The file of lines beside an aggregate."""

    path: str
    """From the root of the repository: `data/BENCHMARK/DEVELOPER/MODEL/UUID_samples.jsonl`."""
    sha256: str
    rows: int


def model_of(setup: Setup) -> str:
    """The model by its name; where nobody named it, by its file or its backend."""
    name = setup.said("model", "name") or setup.engine.get("name") or setup.engine.get("model")
    path = str(setup.said("model", "path") or "").rpartition("/")[2]
    return str(name or path or setup.engine.get("backend") or "unknown")


def benchmark_of(setup: Setup) -> str:
    """What was asked: of a log its task; else the data by its name or file, and the part of it."""
    if setup.foreign and setup.data.get("given"):
        return str(setup.data["given"])
    name = dataset_of(setup) or str(setup.said("dataset", "path") or "").rpartition("/")[2]
    name = str(name or setup.data.get("given") or "unknown")
    part = setup.said("dataset", "subset")
    return f"{name}/{part}" if part else name


def place_of(told: Told, setup: Setup) -> str:
    """Path of the aggregate without its ending, in the layout of the public repository. The UUID follows from the
    fingerprint and the seal, so that the same result has the same name.

    >>> path_part("a b/../c"), path_part("")
    ('a-b-..-c', 'unknown')
    """
    developer, mark, model = model_of(setup).rpartition("/")
    digits = hashlib.sha256(f"{setup.digest}\n{told.seal}\n{setup.id}".encode()).hexdigest()
    uuid = (
        f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{'89ab'[int(digits[16], 16) % 4]}{digits[17:20]}-{digits[20:32]}"
    )
    parts = (path_part(benchmark_of(setup)), path_part(developer if mark else "unknown"), path_part(model))
    return "/".join(("data", *parts, uuid))


def path_part(name: str) -> str:
    """A name as one part of a path, that leads nowhere else."""
    kept = re.sub(r"[^\w.+-]", "-", name).strip(".-")[:80]
    return kept or "unknown"


def evaluation_id(setup: Setup, created: int) -> str:
    """Set-ups of one run are asked at one time: their ids tell them apart."""
    return f"{path_part(benchmark_of(setup))}/{path_part(model_of(setup))}/{created}-{setup.id}"


def result_id(setup: Setup) -> str:
    return f"{setup.id}/{setup.digest}"


def aggregate(
    told: Told, setup: Setup, rows: Sequence[Answered], samples: Samples, publisher: Publisher, created: int
) -> dict[str, Any]:
    """The aggregate of one set-up. `rows`: all of its answers, also those without a score; `created`: seconds since
    the epoch.

    Raises ValueError where no answer has a score: the schema has no place for that.
    """
    library = _library(told)
    out: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id(setup, created),
        "evaluation_timestamp": told.started,
        "retrieved_timestamp": str(created),
        "source_metadata": {
            "source_name": told.name,
            "source_type": "evaluation_run",
            "source_organization_name": publisher.organization,
            "evaluator_relationship": publisher.relationship,
            "additional_details": {**told.stamp(setup), "written_by": f"eyechart {told.version}"},
        },
        "eval_library": library,
        "model_info": model_info(setup.engine, setup.section("model"), model_of(setup)),
        "evaluation_results": [_result(told, setup, rows)],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": samples.path,
            "hash_algorithm": "sha256",
            "checksum": samples.sha256,
            "total_rows": samples.rows,
        },
    }
    return {key: value for key, value in out.items() if value is not None}


def _library(told: Told) -> dict[str, Any]:
    runtime = told.runtime
    if told.imported is not None:
        details = _texts({"unknown_to_the_log": list(told.imported.get("unknown", ()))})
        name, version = told.imported.get("harness"), told.imported.get("version")
        return {"name": str(name or "unknown"), "version": str(version or "unknown"), "additional_details": details}
    kept = ("python", "platform", "machine", "processor", "cores", "packages", "git")
    details = _texts({name: runtime[name] for name in kept if name in runtime})
    return {"name": "eyechart", "version": told.version, "additional_details": details}


def model_info(engine: Plain, stated: Plain, name: str) -> dict[str, Any]:
    backend = str(engine.get("backend") or stated.get("backend") or "unknown")
    facts = {f"engine_{k}": v for k, v in engine.items() if k not in ("digest", "backend", "version")}
    known = {k: v for k, v in stated.items() if k in ("revision", "sha256", "dtype", "quantization", "context_length")}
    details = _texts({"engine_digest": engine.get("digest"), **facts, **known})
    out: dict[str, Any] = {"name": name, "id": name}
    if backend != "imported":
        out["inference_engine"] = {"name": backend}
        if engine.get("version") is not None:
            out["inference_engine"]["version"] = str(engine["version"])
    deployment = "self_deployed" if backend in HERE else "unknown"
    return out | {"additional_details": {**details, "deployment_type": deployment, "model_availability": "unknown"}}


def _result(told: Told, setup: Setup, rows: Sequence[Answered]) -> dict[str, Any]:
    values = means(rows)
    if not values:
        raise ValueError(f"set-up {setup.id} has no score")
    out: dict[str, Any] = {
        "evaluation_result_id": result_id(setup),
        "evaluation_name": benchmark_of(setup),
        "source_data": _source(setup),
        "evaluation_timestamp": told.started,
        "metric_config": _metric(setup, rows),
        "score_details": {
            "score": sum(values) / len(values),
            "details": _texts({**told.stamp(setup), **_counts(told, setup, rows)}),
            "uncertainty": _uncertainty(setup, values),
        },
        "generation_config": _generation(told, setup),
    }
    return {key: value for key, value in out.items() if value is not None}


def _source(setup: Setup) -> dict[str, Any]:
    data, stated = setup.data, setup.section("dataset")
    kept = ("version", "revision", "subset", "seed", "limit", "split")
    details = _texts({name: stated[name] for name in kept if name in stated})
    details |= _texts({f"data_{name}": data.get(name) for name in ("sha256", "resolved", "items", "count", "of")})
    name = benchmark_of(setup)
    if data.get("kind") == "hub" and stated.get("name"):
        out: dict[str, Any] = {"dataset_name": name, "source_type": "hf_dataset", "hf_repo": stated["name"]}
        if data.get("split"):
            out["hf_split"] = str(data["split"])
        return out | {"sample_ids": [str(i) for i in data.get("drawn", ())], "additional_details": details}
    return {"dataset_name": name, "source_type": "other", "additional_details": details}


def _metric(setup: Setup, rows: Sequence[Answered]) -> dict[str, Any]:
    binary = all(row.value in (0, 1) for row in rows if row.value is not None)
    what = "Share of right answers" if binary else "Mean score of the answers"
    rule = setup.recorded[1] if setup.recorded is not None else ""
    out: dict[str, Any] = {
        "evaluation_description": f"{what}; failed calls and answers that cannot be scored are left out, and counted.",
        "metric_id": metric_of(setup, binary),
        "metric_name": metric_of(setup, binary),
        "metric_kind": "accuracy" if binary else "mean_score",
        "metric_unit": "proportion",
        "metric_parameters": {"repeats": setup.score.repeats} | ({"filter": rule} if rule else {}),
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
        "additional_details": _texts(
            {
                "reader": setup.part("reading", "extraction") or setup.reader,
                "scorer": setup.scorer,
                "is_correct": "true where the score is 1",
            }
        ),
    }
    judge = setup.part("judge")
    template = setup.part("judge", "asking", "prompt", "template")
    if isinstance(judge, Mapping) and isinstance(template, str):
        model: Plain = setup.part("judge", "model") or {}
        info = model_info({}, model, str(model.get("name") or model.get("backend") or "unknown"))
        heat = setup.part("judge", "asking", "decoding", "temperature")
        one = {"model_info": info} | ({} if heat is None else {"temperature": heat})
        out["llm_scoring"] = {"judges": [one], "input_prompt": template}
    return out


def _counts(told: Told, setup: Setup, rows: Sequence[Answered]) -> dict[str, Any]:
    """How the answers ended; those without a score by name, for no line tells of them."""
    found = Counter(row.outcome.value for row in rows)
    out: dict[str, Any] = {f"answers_{name}": count for name, count in found.items()}
    lost = [f"{row.item.id} ({row.outcome.value}, repeat {row.repeat})" for row in rows if row.value is None]
    if lost:
        out["answers_without_a_score"] = lost[:LISTED]
    if told.missing:
        out["calls_never_answered_in_the_run"] = told.missing
    score = setup.score
    out["score_without_unread_answers"] = score.read_only
    out["score_by_guessing"] = score.chance
    out["score_of_each_repeat"] = list(score.runs) if score.repeats > 1 else None
    again = score.repeat_it
    out["interval_asked_again"] = _interval(again) or (again.reason if isinstance(again, NotEstimable) else None)
    out["warnings"] = list(score.warnings) or None
    return out


def _interval(number: Estimate | NotEstimable) -> list[Any] | None:
    if isinstance(number, NotEstimable) or number.interval is None:
        return None
    ends = number.interval
    return [ends.low, ends.high, {"level": ends.level, "method": ends.method}]


def _uncertainty(setup: Setup, values: Sequence[float]) -> dict[str, Any]:
    """For another sample of items of the same kind."""
    out: dict[str, Any] = {"num_samples": len(values)}
    if len(values) > 1:
        out["standard_deviation"] = statistics.stdev(values)
    number = setup.score.new_items
    if isinstance(number, NotEstimable):
        return out
    method = number.interval.method if number.interval is not None else "analytic"
    if number.se is not None:
        units = "" if number.n == len(values) else f"; {number.n} independent clusters"
        out["standard_error"] = {"value": number.se, "method": f"analytic, over items{units}"}
    if number.interval is not None:
        ends = number.interval
        out["confidence_interval"] = {
            "lower": ends.low, "upper": ends.high, "confidence_level": ends.level, "method": method,
        }  # fmt: skip
    return out


def _generation(told: Told, setup: Setup) -> dict[str, Any]:
    decoding: Plain = setup.part("asking", "decoding") or {}
    args: dict[str, Any] = {
        "temperature": decoding.get("temperature"),
        "top_p": decoding.get("top_p", setup.said("decoding", "top_p") if setup.sampled else None),
        "top_k": decoding.get("top_k", setup.said("decoding", "top_k") if setup.sampled else None),
        "max_tokens": decoding.get("max_new_tokens"),
        "execution_command": None if told.imported is not None else told.runtime.get("command"),
        "prompt_template": setup.part("asking", "prompt", "template"),
    }
    more = {f"factor {name}": level for name, level in setup.levels}
    more |= {
        f"decoding_{k}": v for k, v in decoding.items() if k not in ("temperature", "top_p", "top_k", "max_new_tokens")
    }
    prompt: Plain = setup.part("asking", "prompt") or {}
    more |= {f"prompt_{k}": v for k, v in prompt.items() if k != "template" and v not in ("", None, [])}
    more |= {"elicit": setup.elicit, "seed": setup.part("asking", "seed"), "repeats": setup.part("repeats")}
    more |= {"fingerprint_as_stated": setup.stated, "fingerprint_as_it_took_effect": setup.effective}
    return {
        "generation_args": {key: value for key, value in args.items() if value is not None},
        "additional_details": _texts(more),
    }


def instance(setup: Setup, row: Answered, created: int) -> dict[str, Any] | None:
    """The line of one answer; None where it has no score, or is not in the store."""
    if row.value is None:
        return None
    item, request, response = row.item, row.request, row.response
    asked = _asked(row)
    reference = list(item.gold)
    talk = request.messages if request is not None else ()
    turns = sum(message.role == "user" for message in talk) > 1
    said = response.text if response is not None else None
    out: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id(setup, created),
        "model_id": model_of(setup),
        "evaluation_name": benchmark_of(setup),
        "evaluation_result_id": result_id(setup),
        "sample_id": item.id,
        "sample_hash": hashlib.sha256("\x1f".join((asked, *reference)).encode("utf-8", "replace")).hexdigest(),
        "interaction_type": "multi_turn" if turns else "single_turn",
        "input": {"raw": asked, "formatted": _formatted(row), "reference": reference,
                  "choices": list(item.choices) or None},
        "output": None if turns else {"raw": [] if said is None else [said]},
        "messages": _messages(row) if turns else None,
        "answer_attribution": _attribution(setup, row, len(talk) if turns else None),
        "evaluation": {"score": row.value, "is_correct": row.value == 1.0},
        "token_usage": _tokens(row),
        "metadata": _texts(_metadata(setup, row, turns)),
    }  # fmt: skip
    needed = ("output", "messages") if turns else ("output",)
    return {key: value for key, value in out.items() if value is not None or key in needed}


def _asked(row: Answered) -> str:
    found = row.item.fields.get("question")
    if isinstance(found, str):
        return found
    return (row.request.prompt if row.request is not None else None) or ""


def _formatted(row: Answered) -> str | None:
    if row.response is not None and row.response.sent is not None:
        return row.response.sent
    return row.request.prompt if row.request is not None else None


def _messages(row: Answered) -> list[dict[str, Any]]:
    talk = [(m.role, m.content) for m in row.request.messages] if row.request is not None else []
    talk.append(("assistant", row.response.text or "" if row.response is not None else ""))
    return [{"turn_idx": i, "role": role, "content": content} for i, (role, content) in enumerate(talk)]


def _attribution(setup: Setup, row: Answered, turn: int | None) -> list[dict[str, Any]]:
    """`turn`: of the answer in the talk; None: there is one turn. Empty where nothing was read out of it."""
    if row.extracted is None:
        return []
    source = "output.raw" if turn is None else "messages[turn_idx].content"
    return [{"turn_idx": turn or 0, "source": source, "extracted_value": row.extracted,
             "extraction_method": setup.reader, "is_terminal": True}]  # fmt: skip


def _tokens(row: Answered) -> dict[str, int] | None:
    got = row.response
    if got is None or got.prompt_tokens is None or got.completion_tokens is None:
        return None
    total = got.prompt_tokens + got.completion_tokens
    return {"input_tokens": got.prompt_tokens, "output_tokens": got.completion_tokens, "total_tokens": total}


def _metadata(setup: Setup, row: Answered, turns: bool) -> dict[str, Any]:
    item, got = row.item, row.response
    sums = [sum(part) for part in got.option_logprobs] if got is not None and got.option_logprobs else None
    unseen = row.request is not None and not turns and _formatted(row) is None
    talk = [[m.role, m.content] for m in row.request.messages] if unseen and row.request is not None else None
    return {
        "eyechart_repeat": row.repeat,
        "eyechart_outcome": row.outcome.value,
        "fingerprint": setup.digest,
        "answer_key": row.key,
        "group": item.group,
        "cluster": item.cluster,
        "slice": item.slice,
        "finish_reason": got.finish_reason if got is not None else None,
        "option_logprobs": sums,
        "chat_messages": talk,
    }


def _texts(value: Plain) -> dict[str, str]:
    """Values as the text that the schema wants; what is absent stays absent.

    >>> _texts({"a": 1, "b": None, "c": ["é"], "d": "x", "e": True})
    {'a': '1', 'c': '["é"]', 'd': 'x', 'e': 'true'}
    """
    return {
        key: part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)
        for key, part in value.items()
        if part is not None
    }
