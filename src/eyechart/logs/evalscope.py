"""Logs of evalscope: `reports`, `reviews`, `predictions` and `configs` of one output folder, report 1 and 2.

Rows stand in the order in which answers came: they are joined by `index`. `seed` of the configuration seeds the client;
what reaches the model is `generation_config.seed`. Subsets of a data set are groups of one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.bounded import DEEPEST, LONGEST, MOST
from eyechart.core.bounded import whole as whole_tree
from eyechart.core.errors import InputError
from eyechart.logs.evalscope_rows import Parts, rows
from eyechart.logs.kinds import first_line, top_keys
from eyechart.logs.lm_eval_rows import params_of
from eyechart.logs.plain import (
    dig,
    mapping,
    moment,
    number,
    read_json,
    sequence,
    short,
    text,
    whole,
)
from eyechart.logs.values import Claim, Foreign, Found, Setting, Unreadable

HARNESS = "evalscope"
PARTS = ("reports", "reviews", "predictions")


def find(files: Sequence[Path]) -> Iterator[Found]:
    roots: dict[Path, None] = {}
    for path in files:
        if len(path.parts) > 3 and path.parent.parent.name in PARTS and _is_part(path):
            roots.setdefault(path.parents[2])
    for root in roots:
        for parts in _parts(root):
            config = _config_of(root)
            mine = tuple(p for p in (parts.report, *parts.reviews, *parts.predictions) if p is not None)
            every = (*mine, config) if config else mine
            yield Found(harness=HARNESS, path=mine[0], files=every, read=partial(read, parts, config))


def _is_part(path: Path) -> bool:
    kind = path.parent.parent.name
    if kind == "reports":
        return path.suffix == ".json" and {"dataset_name", "metrics"} <= set(top_keys(path))
    if path.suffix != ".jsonl":
        return False
    row = first_line(path)
    return "index" in row and bool({"sample_score", "model_output", "choices", "review"}.intersection(row))


def _parts(root: Path) -> Iterator[Parts]:
    folders = {kind: root / kind for kind in PARTS}
    models = {p.name for folder in folders.values() if folder.is_dir() for p in folder.iterdir() if p.is_dir()}
    for model in sorted(models):
        reports = sorted((folders["reports"] / model).glob("*.json"))
        names = [p.stem for p in reports]
        by: dict[str, dict[str, list[Path]]] = {name: {"reviews": [], "predictions": []} for name in names}
        for kind in ("reviews", "predictions"):
            for path in sorted((folders[kind] / model).glob("*.jsonl")):
                fits = [n for n in names if path.stem == n or path.stem.startswith(f"{n}_")]
                name = max(fits, key=len) if fits else path.stem.rpartition("_")[0] or path.stem
                by.setdefault(name, {"reviews": [], "predictions": []})[kind].append(path)
        for name, found in by.items():
            report = next((p for p in reports if p.stem == name), None)
            yield Parts(root, model, name, report, tuple(found["reviews"]), tuple(found["predictions"]))


def _config_of(root: Path) -> Path | None:
    found = sorted((root / "configs").glob("task_config*.y*ml"))
    return found[-1] if found and not found[-1].is_symlink() else None


def read_yaml(path: Path) -> Any:
    """A YAML file of another program: dates and all, within the bounds of a study. Raises Unreadable."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        if path.stat().st_size > LONGEST:
            raise Unreadable(f"{path.name} is longer than {LONGEST:,} bytes")
        given = path.read_text(encoding="utf-8", errors="replace")
        yaml = YAML(typ="safe", pure=True)
        yaml.Composer = whole_tree(path.name)  # pyright: ignore[reportAttributeAccessIssue]
        return yaml.load(given)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    except InputError:
        raise Unreadable(f"{path.name} stands for more than {MOST:,} values, or nests them {DEEPEST} deep") from None
    except (YAMLError, ValueError, RecursionError, OSError) as error:
        raise Unreadable(f"{path.name} is not valid YAML: {short(error, 80)}") from None


def read(parts: Parts, config_file: Path | None) -> Iterator[Foreign]:
    """Raises Unreadable."""
    report = mapping(read_json(parts.report)) if parts.report else mapping(None)
    findings: list[str] = []
    config: Mapping[str, Any] = {}
    try:
        config = mapping(read_yaml(config_file)) if config_file else mapping(None)
    except Unreadable as error:
        findings.append(str(error))
    if config_file is None:
        findings.append("no configuration beside the reports: how they were made stands nowhere")
    if parts.report is None:
        findings.append("no report beside the reviews: no aggregate is claimed")
    settings, said = _settings(parts, report, config)
    params = {s.path.removeprefix("decoding."): s.value for s in settings if s.path.startswith("decoding.")}
    repeats = whole(config.get("repeats")) or 1
    # Version 2 counts answers, and version 1 items.
    each = repeats if report.get("schema_version") == 2 else 1
    limit = config.get("limit") if _cut(config.get("limit"), report) else None
    used = parts.reviews or parts.predictions
    if not parts.reviews and used:
        findings.append("no reviews: the log gives no score of an item")
    yield Foreign(
        harness=HARNESS,
        version=text(config.get("evalscope_version")),
        task=parts.dataset,
        model=text(report.get("model_name")) or text(config.get("model")) or parts.model,
        files=tuple(p for p in (parts.report, config_file, *parts.reviews, *parts.predictions) if p is not None),
        rows=partial(rows, parts, tuple(sorted(params.items())), repeats) if used else None,
        settings=tuple(settings),
        claims=tuple(_claims(report, parts, each)),
        total=None if (total := _total(report)) is None else total // each,
        limit=limit if limit is None or number(limit) is not None else short(limit, 20),
        findings=(*findings, *said),
        complete=dig(report, "execution_summary", "incomplete") is not True,
        started=moment(text(config.get("created_at")) or text(config.get("timestamp"))),
    )


def _settings(parts: Parts, report: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[list[Setting], list[str]]:
    data = {**mapping(dig(config, "resolved_benchmarks", parts.dataset)),
            **mapping(dig(config, "dataset_args", parts.dataset))}  # fmt: skip
    generation = mapping(config.get("generation_config"))
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(data.get("dataset_id")) or text(report.get("dataset_name")), "dataset_args"),
        ("dataset.split", text(data.get("eval_split")), "dataset_args.eval_split"),
        ("prompt.few_shot.count", whole(data.get("few_shot_num")), "dataset_args.few_shot_num"),
        ("prompt.system", text(data.get("system_prompt")), "dataset_args.system_prompt"),
        ("model.name", text(config.get("model")) or text(report.get("model_name")), "model"),
        ("model.url", text(config.get("api_url")), "api_url"),
        ("repeats.count", whole(config.get("repeats")), "repeats"),
        ("evaluation.framework_version", text(config.get("evalscope_version")), "configs"),
    ]
    if whole(data.get("few_shot_num")):
        given.append(("prompt.few_shot.source", text(data.get("train_split")), "dataset_args.train_split"))
    given += [(f"decoding.{k}", v, "generation_config") for k, v in params_of(generation).items()]
    out = [Setting(path=path, value=value, by=by) for path, value, by in given if value is not None]
    kept = {k: v for k, v in config.items() if k not in ("dataset_args", "resolved_benchmarks")} | {
        f"dataset_args.{parts.dataset}": dict(data)
    }
    out += [Setting(path=f"evalscope.{k}", value=v, by="configs") for k, v in kept.items() if v is not None]
    said: list[str] = []
    if config.get("seed") is not None and generation.get("seed") is None:
        said.append(f"seed {short(config['seed'], 20)} is the client's: no seed was sent with the requests")
    if _cut(limit := config.get("limit"), report):
        said.append(f"limit {short(limit, 20)}: the first items of the data were taken, not a sample of them")
    return out, said


def _cut(limit: Any, report: Mapping[str, Any]) -> bool:
    """Whether a limit, which is one of each subset, may have left items out: a subset shorter than it is whole, and
    1.0 is a share of all. How many there were, the log does not say."""
    if limit is None:
        return False
    first = next(iter(sequence(report.get("metrics"))), None)
    subsets = [s for c in sequence(dig(first, "categories")) for s in sequence(dig(c, "subsets"))]
    counts = [whole(dig(s, "num")) for s in subsets if dig(s, "is_aggregate") is not True]
    most = number(limit)
    if isinstance(limit, float) and limit <= 1:
        return limit < 1
    return most is None or not counts or any(n is None or n >= most for n in counts)


def _metric_name(metric: Any) -> str | None:
    """Version 1 has `name`; version 2 an `identity`, which may be a name or say more."""
    found = dig(metric, "name") or dig(metric, "identity")
    if isinstance(found, dict):
        found = dig(found, "name") or dig(found, "metric") or dig(found, "metric_name") or dig(found, "id")
    return text(found)


def _total(report: Mapping[str, Any]) -> int | None:
    first = next(iter(sequence(report.get("metrics"))), None)
    found = whole(dig(report, "execution_summary", "requested")) or whole(report.get("num"))
    return found if found is not None else whole(dig(first, "num"))


def _claims(report: Mapping[str, Any], parts: Parts, each: int) -> Iterator[Claim]:
    """`each`: how many answers of an item are counted in `num`."""
    several = len(parts.reviews) > 1
    first = first_line(parts.reviews[0]) if parts.reviews else mapping(None)
    scored_by = tuple(mapping(dig(first, "sample_score", "score", "value")))
    listed = sequence(report.get("metrics"))
    off = 1.2e-4 if several else 6e-5  # four digits; over subsets, a mean of means that were rounded before
    for metric in listed:
        name = _metric_name(metric)
        if name is None:
            continue
        reading, how = _plain_metric(name)
        how = how and dig(metric, "identity", "aggregation") in (None, "mean")
        key = " ".join((name, *_dimensions(metric)))
        if reading not in scored_by:  # version 2 calls `accuracy` what an item has as `acc`
            short_name = {"accuracy": "acc"}.get(reading)
            alone = scored_by[0] if len(scored_by) == len(listed) == 1 else reading
            reading = (
                short_name if short_name in scored_by else _spelt((name, *_dimensions(metric)), scored_by) or alone
            )
        value, n = number(dig(metric, "score")), _over(metric, each)
        yield Claim(reading=reading, key=key, value=value, n=n, mean=how, off=off)
        for category in sequence(dig(metric, "categories")) if several else ():
            for subset in sequence(dig(category, "subsets")):
                if dig(subset, "is_aggregate") is not True:
                    group, score = text(dig(subset, "name")), number(dig(subset, "score"))
                    of = _over(subset, each)
                    yield Claim(reading=reading, key=key, value=score, n=of, mean=how, off=6e-5, group=group)


def _over(part: Any, each: int) -> int | None:
    found = whole(dig(part, "num"))
    return None if found is None else found // each


def _dimensions(metric: Any) -> list[str]:
    """What version 2 says of a metric beside its name: `{"ngram": 1, "statistic": "recall"}`."""
    given = mapping(dig(metric, "identity", "dimensions"))
    return [str(given[k]) for k in sorted(given, key=lambda k: k == "statistic")]  # the statistic is said last


def _spelt(words: Sequence[str], names: Sequence[str]) -> str | None:
    """The one of `names` whose parts begin these words, in their order.

    >>> _spelt(("rouge", "l", "recall"), ("Rouge-1-R", "Rouge-L-R", "Rouge-L-F")), _spelt(("bleu", "1"), ("rouge-1",))
    ('Rouge-L-R', None)
    """
    fits = [
        name
        for name in names
        if len(parts := re.findall(r"[a-z0-9]+", name.lower())) == len(words)
        and all(word.lower().startswith(part) for word, part in zip(words, parts, strict=True))
    ]
    return fits[0] if len(fits) == 1 else None


def _plain_metric(name: str) -> tuple[str, bool]:
    """`mean_acc` is the mean of `acc`; `pass@1` and others are made otherwise.

    >>> _plain_metric("mean_acc"), _plain_metric("AverageAccuracy"), _plain_metric("vote@5")
    (('acc', True), ('acc', True), ('vote@5', False))
    """
    if name.startswith("mean_"):
        return name.removeprefix("mean_"), True
    if name in ("AverageAccuracy", "WeightedAverageAccuracy"):
        return "acc", True
    return name, "@" not in name and "^" not in name
