"""What a run folder says that was observed, by the names under which rules look at it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from eyechart.app.finished import Finished
from eyechart.core.records import Estimate
from eyechart.rules.observed import width
from eyechart.rules.values import Moved

Plain = Mapping[str, Any]
_SAID = "not said by the log"
"""What stands in `run.json` where an imported log is silent."""


def _whole(value: Any) -> int:
    """A count; TypeError for anything else that stands in its place."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r:.40} is no count")
    return value


def observed(run: Finished, imported: Plain | None) -> Iterable[tuple[str, Any]]:
    facts = run.facts
    runtime: dict[str, Any] = facts["runtime"]
    for name in ("command", "platform", "machine", "processor", "cores", "python"):
        if runtime.get(name) not in (None, _SAID):
            yield f"runtime.{name}", runtime[name]
    for name, version in runtime.get("packages", {}).items():
        yield f"runtime.packages.{name}", version
    git: dict[str, Any] = runtime.get("git") or {}
    yield from ((f"runtime.git.{name}", git[name]) for name in ("commit", "dirty") if git.get(name) is not None)
    for name, value in stated_runtime(run.folder.path / "study.yaml").items():
        yield f"runtime.{name}", value
    if imported is None:
        yield "harness.name", "eyechart"
        yield "harness.version", facts["eyechart"]
    else:
        yield "harness.name", imported["harness"]
        if imported.get("version") is not None:
            yield "harness.version", imported["version"]
    engine = facts["cells"][0]["engine"]
    for one in facts["engines"]:
        if one["digest"] == engine:
            yield from ((f"engine.{k}", v) for k, v in one.items() if k != "digest" and v is not None)
    yield from _data(run, imported)
    for name in ("stated", "effective"):
        if facts["digests"].get(name):
            yield f"digest.{name}", facts["digests"][name]


def _data(run: Finished, imported: Plain | None) -> Iterable[tuple[str, Any]]:
    uses: Sequence[Plain] = run.facts["data"]
    for name in ("sha256", "resolved", "split"):
        if uses[0].get(name) is not None:
            yield f"data.{name}", uses[0][name]
    count, ids = sum(_whole(u["count"]) for u in uses), sum(len(u["drawn"]) for u in uses)
    yield from (("data.count", count), ("data.ids", ids))
    of = None if any(u["of"] is None for u in uses) else sum(_whole(u["of"]) for u in uses)
    if of is not None:
        yield "data.of", of
    if imported is not None:
        drawn = [str(name) for use in uses for name in use["drawn"]]
        limit = next((u["limit"] for u in uses if u.get("limit") is not None), None)
        yield from limited(limit, count, of)
        ids_first = {str(i) for i in range(len(drawn))} == {d.lstrip("0") or "0" for d in drawn}
        yield "data.first", bool(drawn) and ids_first


def limited(limit: float | str | None, count: int | None, of: int | None) -> Iterable[tuple[str, Any]]:
    """`data.limit`, where a log states one and it left items out. Where it does not say how many there are, a limit that
    was reached is taken to have left some out."""
    if limit is None or (of is not None and count is not None and count >= of):
        return
    number = isinstance(limit, int | float)
    if of is not None or count is None or not number or limit < 1 or count >= limit:
        yield "data.limit", f"{limit:g}" if number else limit


def numbers(run: Finished) -> Iterable[tuple[str, Any]]:
    facts, analysis = run.facts, run.analysis
    calls: Plain = facts["calls"]
    yield from (("run.setups", len(facts["cells"])), ("run.repeats", facts["cells"][0]["repeats"]))
    needed, failed, missing = _whole(calls["needed"]), _whole(calls["failed"]), _whole(facts["missing"])
    yield from (("run.calls", needed), ("run.failed", failed), ("run.missing", missing))
    if needed:
        yield "run.failed_share", failed / needed
    yield "run.complete", not missing and not failed
    base = next((score for score in analysis.scores if score.baseline), None)
    if base is not None:
        if isinstance(base.new_items, Estimate):
            yield "score.value", base.new_items.value
        for name, number in (("half_width", base.new_items), ("repeat_half_width", base.repeat_it)):
            if (half := width(number)) is not None and isinstance(number, Estimate) and number.interval is not None:
                yield f"score.{name}", half
                yield f"score.{name.replace('half_width', 'low')}", number.interval.low
                yield f"score.{name.replace('half_width', 'high')}", number.interval.high
        if base.chance is not None:
            yield "score.chance", base.chance
        total = sum(base.outcomes.values())
        for name in ("unparseable", "refused", "truncated", "failed", "unscored"):
            if total:
                yield f"outcomes.{name}", base.outcomes.get(name, 0) / total
    if analysis.range is not None:
        yield "score.range", analysis.range.high - analysis.range.low


def moved(run: Finished) -> dict[str, Moved]:
    """By path: the largest change that a level of its factor made, and whether noise explains it."""
    out: dict[str, Moved] = {}
    paths = {f["name"]: [f["path"]] if f["path"] else _paths(f) for f in run.facts["factors"]}
    for entry in run.analysis.heat:
        if not isinstance(entry.change, Estimate) or entry.baseline:
            continue
        for path in paths.get(entry.factor, ()):
            found = Moved(change=entry.change.value, beyond=entry.flagged)
            if path not in out or abs(found.change) > abs(out[path].change):
                out[path] = found
    return out


def _paths(factor: Plain) -> list[str]:
    return list(dict.fromkeys(path for level in factor["levels"] for path in level["value"]))


def stated_runtime(path: Any) -> dict[str, Any]:
    """The section `runtime:` of a file, as far as its values are plain; nothing where it cannot be read."""
    from eyechart.core.codec import read_yaml
    from eyechart.core.errors import InputError

    try:
        data = read_yaml(path.read_text(encoding="utf-8-sig"), str(path)).data
    except (OSError, UnicodeDecodeError, InputError):
        return {}
    return plain_runtime(data)


def plain_runtime(data: Any) -> dict[str, Any]:
    given: Any = cast("Plain", data).get("runtime") if isinstance(data, Mapping) else None
    if not isinstance(given, Mapping):
        return {}
    return {str(k): v for k, v in cast("Plain", given).items() if isinstance(v, str | int | float | bool)}
