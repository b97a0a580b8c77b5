"""Every Eval Ever: an aggregate `*.json`, and `*.jsonl` with one line an instance, as its schema 0.2 and 0.3 say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.codec import SECTIONS
from eyechart.core.records import Outcome, Request
from eyechart.logs.kinds import first_line, top_keys
from eyechart.logs.plain import (
    dig,
    failed,
    generated,
    item_of,
    letter_of,
    mapping,
    messages,
    moment,
    number,
    parse,
    read_json,
    read_lines,
    sequence,
    text,
    whole,
)
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "Every Eval Ever"
OURS = frozenset((
    "eyechart_repeat", "eyechart_outcome", "fingerprint", "answer_key", "group", "finish_reason", "option_logprobs",
    "chat_messages",
))  # fmt: skip
"""Metadata that `eyechart export` writes beside an answer, and that is no part of the item."""


def find(files: Sequence[Path]) -> Iterator[Found]:
    """An aggregate and its instances are joined by the file it names, else by their evaluation id."""
    aggregates = [p for p in files if p.suffix == ".json" and _is_aggregate(p)]
    instances = [p for p in files if p.suffix == ".jsonl" and _is_instances(p)]
    taken: set[Path] = set()
    for path in aggregates:
        mine = [p for p in _beside(path, instances) if p not in taken]
        taken.update(mine)
        yield Found(harness=HARNESS, path=path, files=(path, *mine), read=partial(read, path, mine))
    for path in instances:
        if path not in taken:
            yield Found(harness=HARNESS, path=path, files=(path,), read=partial(read, None, [path]))


def _is_aggregate(path: Path) -> bool:
    return {"schema_version", "evaluation_id"} <= set(top_keys(path))


def _is_instances(path: Path) -> bool:
    return {"evaluation_id", "sample_id", "evaluation"} <= set(first_line(path))


def _beside(path: Path, known: Sequence[Path]) -> list[Path]:
    try:
        log = mapping(read_json(path))
    except Unreadable:
        return []
    named = text(dig(log, "detailed_evaluation_results", "file_path"))
    near = [p for p in path.parent.glob("*.jsonl") if not p.is_symlink() and _is_instances(p)]
    every = list(dict.fromkeys([*known, *near]))
    if named and (found := [p for p in every if p.name == Path(named).name]):
        return found[:1]
    return [p for p in every if first_line(p).get("evaluation_id") == log.get("evaluation_id")]


def read(path: Path | None, files: Sequence[Path]) -> Iterator[Foreign]:
    """One run an evaluation name. Raises Unreadable."""
    log = mapping(read_json(path)) if path else mapping(None)
    results = [mapping(r) for r in sequence(log.get("evaluation_results"))]
    told = {text(r.get("evaluation_name")): r for r in reversed(results)}
    present: dict[str, None] = {}
    for file in files:
        for row in read_lines(file, Notes()):
            if name := text(row.get("evaluation_name")):
                present.setdefault(name)
    alone = len(present) == 1 and len(told) == 1
    for name in present:
        mine = results if alone else [r for r in results if r.get("evaluation_name") == name]
        yield _foreign(path, files, log, name, mine, len(present) == 1)
    for name in told:
        if name is not None and name not in present and not alone:
            yield _foreign(path, [], log, name, [r for r in results if r.get("evaluation_name") == name], False)


def _foreign(
    path: Path | None,
    files: Sequence[Path],
    log: Mapping[str, Any],
    name: str,
    results: Sequence[Mapping[str, Any]],
    alone: bool,
) -> Foreign:
    first = mapping(results[0] if results else None)
    row = first_line(files[0]) if files else mapping(None)
    library = mapping(log.get("eval_library"))
    version = text(library.get("version"))
    version = None if version == "unknown" else version
    model = text(dig(log, "model_info", "id")) or text(dig(log, "model_info", "name")) or text(row.get("model_id"))
    args = mapping(dig(first, "generation_config", "generation_args"))
    data = mapping(first.get("source_data"))
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(data.get("hf_repo")) or text(data.get("dataset_name")), "source_data"),
        ("dataset.split", text(data.get("hf_split")), "source_data.hf_split"),
        ("prompt.template", _template(args.get("prompt_template")), "generation_args.prompt_template"),
        ("model.name", model, "model_info"),
        ("decoding.temperature", number(args.get("temperature")), "generation_args"),
        ("decoding.top_p", number(args.get("top_p")), "generation_args"),
        ("decoding.top_k", whole(args.get("top_k")), "generation_args"),
        ("decoding.max_new_tokens", whole(args.get("max_tokens")), "generation_args"),
        ("evaluation.framework_version", version, "eval_library"),
    ]
    settings = [Setting(path=p, value=v, by=by) for p, v, by in given if v is not None]
    settings += _fingerprint(dig(first, "generation_config", "additional_details", "fingerprint_as_stated"))
    for key in ("schema_version", "evaluation_id", "source_metadata", "eval_library", "model_info"):
        if log.get(key) is not None:
            settings.append(Setting(path=f"every_eval_ever.{key}", value=log[key], by="aggregate"))
    settings += [Setting(path="every_eval_ever.result", value=dict(r), by="evaluation_results") for r in results]
    rows_in = whole(dig(log, "detailed_evaluation_results", "total_rows"))
    findings = [] if path else ["no aggregate beside the instances: how they were made stands nowhere"]
    findings += [
        f"{r}: lower is better, so it is no score and is left out" for r in _names(results, down=True).values()
    ]
    return Foreign(
        harness=HARNESS,
        version=version,
        task=name,
        model=model,
        files=tuple(p for p in (path, *files) if p is not None),
        rows=partial(rows, tuple(files), name, tuple(results), rows_in if alone else None) if files else None,
        settings=tuple(settings),
        claims=tuple(_claims(results, text(row.get("evaluation_result_id")) is not None)),
        total=_asked(results),
        findings=tuple(findings),
        started=moment(_seconds(log.get("evaluation_timestamp"))),
        packages={text(library.get("name")) or "eval_library": version} if version else {},
    )


def _fingerprint(told: Any) -> Iterator[Setting]:
    """Every field of the fingerprint that `eyechart export` wrote beside a result, but for those of the reading: what
    is imported was read by the log."""
    try:
        found = parse(told.encode(), "fingerprint") if isinstance(told, str) else None
    except (Unreadable, UnicodeEncodeError):
        return
    for path, value in _leaves(mapping(found), "", 8):
        section, _, name = path.partition(".")
        if section in SECTIONS and section not in ("evaluation", "judge") and name not in ("backend", "path", "url"):
            yield Setting(path=path, value=value, by="fingerprint_as_stated")


def _leaves(value: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, part in value.items():
        if isinstance(part, dict) and depth and f"{prefix}{key}" != "model.options":
            yield from _leaves(mapping(part), f"{prefix}{key}.", depth - 1)
        elif not isinstance(part, dict):
            yield f"{prefix}{key}", part


def _template(value: Any) -> str | None:
    found = text(value)
    return found if found and "{{" in found else None


def _seconds(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdecimal() else value
    except ValueError:
        return value


def _asked(results: Sequence[Mapping[str, Any]]) -> int | None:
    for result in results:
        found = whole(dig(result, "score_details", "uncertainty", "num_samples"))
        if found is not None:
            return found
    return None


def _bounds(result: Mapping[str, Any]) -> tuple[float, float] | None:
    """Lowest and highest score of an instance, where the log states both; others are taken as fractions of 1."""
    config = mapping(result.get("metric_config"))
    low, high = number(config.get("min_score")), number(config.get("max_score"))
    return (low, high) if low is not None and high is not None and high > low else None


def _scaled(value: float | None, bounds: tuple[float, float] | None) -> float | None:
    if value is None or bounds is None:
        return value
    return (value - bounds[0]) / (bounds[1] - bounds[0])


def _names(results: Sequence[Mapping[str, Any]], *, down: bool = False) -> dict[str | None, str]:
    """Metric of each result by its id; `down`: of those where lower is better."""
    out: dict[str | None, str] = {}
    for result in results:
        config = mapping(result.get("metric_config"))
        if (config.get("lower_is_better") is True) == down:
            name = (
                text(config.get("metric_name")) or text(config.get("metric_id")) or text(result.get("evaluation_name"))
            )
            out.setdefault(text(result.get("evaluation_result_id")), name or "score")
    return out


def _claims(results: Sequence[Mapping[str, Any]], joined: bool) -> Iterator[Claim]:
    """`joined`: instances name the result they belong to; else they have the first metric of their evaluation."""
    names = _names(results)
    for position, result in enumerate(results):
        if dig(result, "metric_config", "lower_is_better") is True:
            continue
        name = names.get(text(result.get("evaluation_result_id")), "score")
        bounds = _bounds(result)
        yield Claim(
            reading=name if joined or position else "score",
            key=name,
            value=_scaled(number(dig(result, "score_details", "score")), bounds),
            se=number(dig(result, "score_details", "uncertainty", "standard_error", "value")),
            n=whole(dig(result, "score_details", "uncertainty", "num_samples")),
        )


def rows(
    files: Sequence[Path], name: str, results: Sequence[Mapping[str, Any]], told: int | None, notes: Notes
) -> Iterator[Row]:
    """`told`: how many rows the aggregate says there are."""
    names, down, count = _names(results), _names(results, down=True), 0
    bounds = {text(r.get("evaluation_result_id")): _bounds(r) for r in reversed(results)}
    alone = _bounds(results[0]) if results else None
    for path in files:
        for row in read_lines(path, notes):
            if row.get("evaluation_name") != name:
                continue
            count += 1
            sample, key = text(row.get("sample_id")), text(row.get("evaluation_result_id"))
            if sample is None:
                notes.say(f"{path.name}: a row without sample_id was left out")
            elif key is None or key not in down:
                reading = "score" if key is None else names.get(key, "score")
                yield from _rows(sample, row, reading, bounds.get(key, alone))
    if told is not None and told != count:
        notes.say(f"the aggregate says that there are {told:,} rows, and there are {count:,}")


def _rows(sample: str, row: Mapping[str, Any], reading: str, bounds: tuple[float, float] | None) -> Iterator[Row]:
    """Several answers of one row have one score together: it stands with the first."""
    given = mapping(row.get("input"))
    told = given.get("reference")
    gold = [t for one in (sequence(told) or [told]) if (t := text(one)) is not None]
    choices = [str(c) for c in sequence(given.get("choices")) if isinstance(c, str)]
    at = choices.index(gold[0]) if gold and gold[0] in choices else letter_of(gold[0]) if gold and choices else None
    if at is None or at >= len(choices):
        choices, at = [], None
    more = mapping(row.get("metadata"))
    known, ended = _ours(more)
    group = text(more.get("group")) if known is not None else None
    more = {key: value for key, value in more.items() if known is None or key not in OURS}
    item = item_of(sample, text(given.get("raw")), gold=gold, choices=choices, at=at, group=group, more=more)
    talk = messages(row.get("messages"))
    last = max((i for i, m in enumerate(talk) if m.role == "assistant"), default=len(talk))
    raw = dig(row, "output", "raw")
    texts = [raw] if isinstance(raw, str) else [o for o in sequence(raw) if isinstance(o, str)]
    if not texts and last < len(talk):
        texts = [talk[last].content]
    prompt = text(given.get("formatted")) or text(given.get("raw")) or ""
    asked = talk[:last]
    request = Request(elicit="generate", messages=asked) if asked else Request(elicit="generate", prompt=prompt)
    error = text(row.get("error"))
    value = _scaled(number(dig(row, "evaluation", "score")), bounds)
    if not texts:
        answer = failed(error) if error else generated(None)
        scores = () if error else (Scored(reading, value, ended),)
        yield Row(item=item, request=request, answer=answer, scores=scores, repeat=known)
    for repeat, said in enumerate(texts):
        mine = Scored(reading, value, ended) if repeat == 0 else Scored(reading, None)
        turn = repeat if len(texts) > 1 else known
        yield Row(item=item, request=request, answer=generated(said), scores=(mine,), repeat=turn)


def _ours(metadata: Mapping[str, Any]) -> tuple[int | None, Outcome | None]:
    """Repeat and outcome, where `eyechart export` wrote the line: the schema has no field for them."""
    repeat, outcome = metadata.get("eyechart_repeat"), metadata.get("eyechart_outcome")
    counted = {one.value: one for one in Outcome if one.counted}
    number_of = int(repeat) if isinstance(repeat, str) and re.fullmatch(r"[0-9]{1,4}", repeat) else None
    return number_of, counted.get(outcome) if isinstance(outcome, str) else None
