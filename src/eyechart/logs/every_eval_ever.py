"""Every Eval Ever: an aggregate `*.json`, and `*.jsonl` with one line an instance, as its schema 0.2 and 0.3 say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.records import Request
from eyechart.logs.kinds import first_line, head, keys_of
from eyechart.logs.plain import (
    content_of,
    dig,
    failed,
    generated,
    item_of,
    letter_of,
    mapping,
    messages,
    moment,
    number,
    read_json,
    read_lines,
    sequence,
    text,
    whole,
)
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "Every Eval Ever"


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
    return {"schema_version", "evaluation_id"} <= set(keys_of(head(path)))


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
        yield _foreign(path, files, log, name, mine)
    for name in told:
        if name is not None and name not in present and not alone:
            yield _foreign(path, [], log, name, [r for r in results if r.get("evaluation_name") == name])


def _foreign(
    path: Path | None, files: Sequence[Path], log: Mapping[str, Any], name: str, results: Sequence[Mapping[str, Any]]
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
    for key in ("schema_version", "evaluation_id", "source_metadata", "eval_library", "model_info"):
        if log.get(key) is not None:
            settings.append(Setting(path=f"every_eval_ever.{key}", value=log[key], by="aggregate"))
    settings += [Setting(path="every_eval_ever.result", value=dict(r), by="evaluation_results") for r in results]
    rows_in = whole(dig(log, "detailed_evaluation_results", "total_rows"))
    findings = [] if path else ["no aggregate beside the instances: how they were made stands nowhere"]
    if rows_in is not None and files and len(set(sequence(dig(data, "sample_ids")))) > rows_in:
        findings.append(f"the aggregate names more samples than its {rows_in:,} rows")
    return Foreign(
        harness=HARNESS,
        version=version,
        task=name,
        model=model,
        files=tuple(p for p in (path, *files) if p is not None),
        rows=partial(rows, tuple(files), name, _bounds(first)) if files else None,
        settings=tuple(settings),
        claims=tuple(_claims(results)),
        total=_asked(results),
        findings=tuple(findings),
        started=moment(_seconds(log.get("evaluation_timestamp"))),
        packages={text(library.get("name")) or "eval_library": version} if version else {},
    )


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


def _claims(results: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """The first metric of an evaluation is the one its instances have."""
    for number_, result in enumerate(results):
        name = text(dig(result, "metric_config", "metric_name")) or text(result.get("evaluation_name")) or "score"
        bounds = _bounds(result)
        yield Claim(
            reading="score" if number_ == 0 else name,
            key=name,
            value=_scaled(number(dig(result, "score_details", "score")), bounds),
            se=number(dig(result, "score_details", "uncertainty", "standard_error", "value")),
            n=whole(dig(result, "score_details", "uncertainty", "num_samples")),
        )


def rows(files: Sequence[Path], name: str, bounds: tuple[float, float] | None, notes: Notes) -> Iterator[Row]:
    for path in files:
        for row in read_lines(path, notes):
            if row.get("evaluation_name") != name:
                continue
            sample = text(row.get("sample_id"))
            if sample is None:
                notes.say(f"{path.name}: a row without sample_id was left out")
                continue
            yield _row(sample, row, bounds)


def _row(sample: str, row: Mapping[str, Any], bounds: tuple[float, float] | None) -> Row:
    given = mapping(row.get("input"))
    gold = [t for one in sequence(given.get("reference")) if (t := text(one)) is not None]
    choices = [str(c) for c in sequence(given.get("choices")) if isinstance(c, str)]
    at = choices.index(gold[0]) if gold and gold[0] in choices else letter_of(gold[0]) if gold and choices else None
    if at is None or at >= len(choices):
        choices, at = [], None
    item = item_of(sample, text(given.get("raw")), gold=gold, choices=choices, at=at, more=mapping(row.get("metadata")))
    talk = messages(row.get("messages"))
    last = max((i for i, m in enumerate(talk) if m.role == "assistant"), default=len(talk))
    said = next((o for o in sequence(dig(row, "output", "raw")) if isinstance(o, str)), None)
    if said is None:
        said = content_of(dig(row, "output", "raw")) if isinstance(dig(row, "output", "raw"), str) else None
    if said is None and last < len(talk):
        said = talk[last].content
    prompt = text(given.get("formatted")) or text(given.get("raw")) or ""
    asked = talk[:last]
    request = Request(elicit="generate", messages=asked) if asked else Request(elicit="generate", prompt=prompt)
    error = text(row.get("error"))
    answer = failed(error) if error and said is None else generated(said)
    value = _scaled(number(dig(row, "evaluation", "score")), bounds)
    return Row(item=item, request=request, answer=answer, scores=(Scored("score", value),))
