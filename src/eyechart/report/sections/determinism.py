"""Is temperature 0 the same every time? What the same requests gave under other conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eyechart.core.records import Estimate, NotEstimable
from eyechart.probes.determinism import Determinism, Measured, Replicas, swing
from eyechart.probes.obeyed import Probed
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Note, Part, Prose, Row, Text, Tone, Verdict, message
from eyechart.report.common import listed, missing, reason_of, row, table

Untried = Sequence[tuple[str, str, str]]
"""Condition, key of the reason, and what is put into it."""
Paces = Sequence[tuple[str, str, float]]
Remedies = Sequence[tuple[str, str, str, Paces]]
"""Name, setting, state, and what the probe measured of its cost."""
Saying = tuple[str, tuple[tuple[str, str], ...]]
SETTINGS = {
    "stated": "as stated",
    "process": "another process",
    "batches": r"batches of (?P<n>\d+)",
    "threads": r"(?P<n>\d+) threads",
    "reversed": "reversed",
    "shuffled": "shuffled",
    "at_once": r"(?P<n>\d+) at once",
    "cache_on": "prefix cache on",
    "cache_off": "prefix cache off",
    "cache_own": "prefix cache of its own",
}
OWN = {
    "nothing was compared": "compared",
    "no item has a score in every pass": "passes",
    "one pass shows no noise: ask again": "one_pass",
    "one item says nothing about others": "one_item",
}


def part(
    *,
    found: Determinism,
    untried: Untried = (),
    obeyed: Probed | None = None,
    environment: Sequence[tuple[str, str]] = (),
    remedies: Remedies = (),
    sampled: bool = False,
) -> Part:
    """The section, as a part of a report."""
    blocks = (
        *determinism(found, untried, sampled=sampled),
        *(parameters(obeyed) if obeyed is not None else ()),
        *_environment(environment, remedies),
    )
    return Part(name="determinism", title=message("determinism.title"), blocks=blocks)


def determinism(found: Determinism, untried: Untried = (), *, sampled: bool = False) -> list[Block]:
    """Every setting against the study as stated."""
    blocks: list[Block] = [_verdict(found, sampled)]
    if found.measured:
        blocks.append(_settings(found))
    blocks += [
        Note(
            kind="missing",
            text=message(
                "determinism.untried",
                condition=message(f"determinism.condition.{name}"),
                reason=untried_why(why, detail),
            ),
        )
        for name, why, detail in untried
    ]
    blocks += _departures(found)
    blocks += _replicas(found.replicas)
    return blocks


def named(setting: str) -> Text:
    """A setting by its name in the catalogue; one that is not there as it is.

    >>> named("batches of 7").params
    (('n', '7'),)
    """
    for key, pattern in SETTINGS.items():
        if found := re.fullmatch(pattern, setting):
            return message(f"determinism.set.{key}", **found.groupdict())
    return setting


def untried_why(key: str, detail: str = "") -> Text:
    """Why a condition could not be tried."""
    return message(f"determinism.untried.{key}", detail=detail) if detail else message(f"determinism.untried.{key}")


def why_not(number: Estimate | NotEstimable) -> Text:
    """Why there is no number."""
    key = OWN.get(number.reason) if isinstance(number, NotEstimable) else None
    return message(f"determinism.lacks.{key}") if key else reason_of(number)


def sayings(found: Sequence[Saying]) -> Text:
    """What was seen of a parameter, as one text."""
    texts: list[Text] = [message(f"determinism.said.{key}", **dict(params)) for key, params in found]
    out = texts[0] if texts else message("missing")
    for text in texts[1:]:
        out = message("determinism.and", first=out, second=text)
    return out


def remedy(name: str, paces: Paces = ()) -> tuple[Text, Text, Text]:
    """Against what a setting helps, for which versions, and what it costs."""
    cost: Text = message(f"determinism.cost.{name}")
    if paces:
        measured = listed(
            [message("determinism.paced", setting=_named(c, s), ratio=f"{ratio:.2f}") for c, s, ratio in paces]
        )
        cost = message("determinism.and", first=measured, second=cost)
    return message(f"determinism.helps.{name}"), message(f"determinism.holds.{name}"), cost


def _verdict(found: Determinism, sampled: bool) -> Verdict:
    moved = [one for one in found.measured if _moves(one)]
    upper = max((_upper(one.other_text) for one in found.measured), default=None, key=lambda x: x or 0.0)
    n = numbers.whole(found.items)
    if not found.measured or all(one.calls == 0 for one in found.measured):
        text: Text = message("determinism.nothing")
        return Verdict(text=text, tone="unknown")
    if moved:
        names = listed([_moved(one) for one in moved])
        text = message("determinism.moves", settings=names, n=n)
    else:
        shown = numbers.points(upper) if upper is not None else "?"
        text = message("determinism.quiet", n=n, settings=len(found.measured), upper=shown)
    details: list[Text] = [message("determinism.sampled")] if sampled else []
    details += [_noise("determinism.noise", found.noise), _noise("determinism.noise_settings", found.noise_settings)]
    return Verdict(text=text, tone=_tone(found), details=tuple(details))


def _tone(found: Determinism) -> Tone:
    """Of the score, which may stand where bits and texts move."""
    known = [one.other_verdict for one in found.measured if isinstance(one.other_verdict, Estimate)]
    if not known:
        return "unknown"
    return "moves" if any(share.value > 0 for share in known) else "quiet"


def _moved(one: Measured) -> Text:
    if not isinstance(one.other_text, Estimate):
        return _setting(one)
    return message("determinism.moved", setting=_setting(one), share=numbers.points(one.other_text.value))


def _moves(one: Measured) -> bool:
    texts = isinstance(one.other_text, Estimate) and one.other_text.value > 0
    return texts or (one.equal is not None and one.equal < one.calls)


def _upper(number: Estimate | NotEstimable) -> float | None:
    interval = numbers.interval_of(number)
    return interval.high if interval is not None else None


def _noise(key: str, number: Estimate | NotEstimable) -> Text:
    far = swing(number)
    interval = numbers.interval_of(number)
    if isinstance(number, NotEstimable) or far is None or interval is None:
        return message(f"{key}.unknown", reason=why_not(number))
    return message(key, sd=numbers.points(number.value), ends=numbers.ends(interval), swing=numbers.points(far))


def _setting(one: Measured) -> Text:
    return _named(one.condition, one.setting)


def _named(condition: str, setting: str) -> Text:
    return message(
        "determinism.setting", condition=message(f"determinism.condition.{condition}"), setting=named(setting)
    )


def _settings(found: Determinism) -> Block:
    keys = ("setting", "calls", "texts", "bits", "largest", "verdicts", "score", "change", "pace")
    columns: list[tuple[Text, bool]] = [(message(f"determinism.col.{key}"), key != "setting") for key in keys]
    caption = message("determinism.caption", score=_points(found.stated.score))
    rows = [_row(one) for one in found.measured]
    return table(columns, rows, title=message("determinism.table"), caption=caption, details=(1, 4, 8))


def _row(one: Measured) -> Row:
    calls = Cell(text=numbers.whole(one.calls), value=float(one.calls))
    if one.failed:
        calls = Cell(text=message("determinism.failed", n=calls.text, failed=one.failed), value=float(one.calls))
    unseen = message("determinism.unseen")
    bits = missing(unseen)
    if one.equal is not None:
        text = message("determinism.of", n=numbers.whole(one.equal), all=numbers.whole(one.calls))
        bits = Cell(text=text, value=float(one.equal), mark="flagged" if one.equal < one.calls else "")
    largest = missing(unseen) if one.largest is None else Cell(text=f"{one.largest:.2g}", value=one.largest)
    known = [score for score in one.scores if score is not None]
    score = Cell(text=" · ".join(_points(s) for s in known), value=known[0]) if known else missing(_no_score())
    return row(
        Cell(text=_setting(one)), calls, _share(one.other_text), bits, largest, _share(one.other_verdict), score,
        _change(one), _pace(one),
    )  # fmt: skip


def _no_score() -> Text:
    return message("determinism.no_score")


def _points(value: float | None) -> str:
    return numbers.points(value) if value is not None else "?"


def _share(number: Estimate | NotEstimable) -> Cell:
    if isinstance(number, NotEstimable):
        return missing(why_not(number))
    ends = f" {numbers.ends(number.interval)}" if number.interval is not None else ""
    return Cell(
        text=message("unit.percent", share=numbers.points(number.value) + ends),
        value=number.value,
        mark="flagged" if number.value > 0 else "",
    )


def _change(one: Measured) -> Cell:
    if isinstance(one.other_verdict, NotEstimable):
        return missing(_no_score())
    text = message("determinism.change", gained=one.gained, lost=one.lost)
    return Cell(text=text, value=float(one.gained + one.lost))


def _pace(one: Measured) -> Cell:
    if one.pace is None:
        return missing(message("determinism.no_pace"))
    return Cell(text=f"{one.pace:.2f}", value=one.pace)


def _departures(found: Determinism) -> Iterator[Block]:
    rows: list[Row] = []
    for one in found.measured:
        for parting in one.departures[:2]:
            near: Cell = missing(message("determinism.unseen"))
            if parting.margin is not None:
                near = Cell(text=f"{parting.margin:.2g}", value=parting.margin)
            place = message(f"determinism.at.{parting.unit}", at=parting.at)
            rows.append(
                row(
                    Cell(text=_setting(one)),
                    Cell(text=parting.item, code=True),
                    Cell(text=place, value=float(parting.at)),
                    Cell(text=parting.stated, code=True),
                    Cell(text=parting.other, code=True),
                    near,
                )
            )
    if rows:
        keys = ("setting", "item", "place", "stated", "other", "near")
        columns: list[tuple[Text, bool]] = [
            (message(f"determinism.col.{key}"), key in ("place", "near")) for key in keys
        ]
        caption = message("determinism.departures.caption")
        yield table(columns, rows, title=message("determinism.departures"), caption=caption)


def _replicas(replicas: Replicas) -> Iterator[Block]:
    if len(replicas.served) < 2:
        return
    silent = message("determinism.untold")
    rows = [
        row(Cell(text=s.model or silent), Cell(text=s.fingerprint or silent, code=s.fingerprint is not None),
            Cell(text=numbers.whole(s.calls), value=float(s.calls)))
        for s in replicas.served
    ]  # fmt: skip
    keys = ("model", "fingerprint", "replies")
    columns: list[tuple[Text, bool]] = [(message(f"determinism.col.{key}"), key == "replies") for key in keys]
    items = ", ".join(replicas.items[:10])
    caption = message(
        "determinism.replicas.caption",
        same=numbers.whole(replicas.same[0]), pairs=numbers.whole(replicas.same[1]),
        across=numbers.whole(replicas.across[0]), others=numbers.whole(replicas.across[1]),
        items=items or message("determinism.no_item"),
    )  # fmt: skip
    yield table(columns, rows, title=message("determinism.replicas"), caption=caption)


def parameters(obeyed: Probed) -> list[Block]:
    """Which decoding parameters were followed."""
    columns: list[tuple[Text, bool]] = [
        (message(f"determinism.col.{key}"), key in ("answers", "p"))
        for key in ("parameter", "verdict", "evidence", "answers", "p")
    ]
    rows: list[Row] = []
    for one in obeyed.parameters:
        p = (
            Cell(text=numbers.probability(one.p), value=one.p)
            if one.p is not None
            else missing(message("reason.no_test"))
        )
        verdict = message(f"determinism.verdict.{one.verdict.replace(' ', '_')}")
        rows.append(
            row(
                Cell(text=one.name, code=True),
                Cell(
                    text=verdict,
                    mark="broken" if one.verdict == "ignored" else "kept" if one.verdict == "obeyed" else "unknown",
                ),
                Cell(text=sayings(one.evidence)),
                Cell(text=numbers.whole(one.calls), value=float(one.calls)),
                p,
            )
        )
    caption = message("determinism.parameters.caption", calls=obeyed.calls, open=obeyed.open_prompts)
    out: list[Block] = [table(columns, rows, title=message("determinism.parameters"), caption=caption)]
    out += [Note(kind="info", text=sayings([note])) for note in obeyed.notes]
    if obeyed.failed:
        out.append(Note(kind="warning", text=message("determinism.obeyed_failed", n=obeyed.failed)))
    return out


def _environment(environment: Sequence[tuple[str, str]], remedies: Remedies) -> Iterator[Block]:
    if remedies:
        keys = ("setting", "state", "helps", "holds", "cost")
        columns: list[tuple[Text, bool]] = [(message(f"determinism.col.{key}"), False) for key in keys]
        rows = [
            row(Cell(text=setting, code=True), Cell(text=message(f"determinism.state.{state.replace(' ', '_')}")),
                *(Cell(text=text) for text in remedy(name, paces)))
            for name, setting, state, paces in remedies
        ]  # fmt: skip
        yield table(columns, rows, title=message("determinism.remedies"))
    if environment:
        named: list[tuple[Text, bool]] = [
            (message("determinism.col.fact"), False),
            (message("determinism.col.value"), False),
        ]
        facts = [row(Cell(text=name, code=True), Cell(text=value, code=True)) for name, value in environment]
        yield table(named, facts, title=message("determinism.environment"))
    yield Prose(text=message("determinism.promise"))
