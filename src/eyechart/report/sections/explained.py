"""Why two evaluations differ: the sentence, the shares, what is inert, what closes the gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eyechart.analysis.explained import Closing, Explained, Interaction, Part, Verdict
from eyechart.analysis.explanation import Explanation, FieldChange
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report import blocks as b
from eyechart.report import numbers
from eyechart.report.blocks import Bar, BarsBlock, Block, Cell, Note, Row, Table, Text, message
from eyechart.report.common import NAME, counted, interval_cell, p_cell, row, score_cell, table
from eyechart.report.messages.known import recognised
from eyechart.report.text import short

TITLE = message("explained.title")
NAMED = 6
"""Fields in one clause of the sentence; the table has all."""
PAIRS_NAMED = 3
"""Pairs said in words; the table has all."""
WHY = {
    "how often something is asked moves no score": "explained.why.apart",
    "it takes no effect: the evaluation is the same with either": "explained.why.same",
}


def explained_parts(found: Explanation) -> tuple[b.Part, ...]:
    """The sections of the report of an explanation."""
    return (b.Part(name="explained", title=TITLE, blocks=tuple(explained(found))),)


def explained(found: Explanation) -> list[Block]:
    """The answer, the shares of all fields, pairs that interact, and what takes no effect."""
    one = found.found
    tone = "unknown" if isinstance(one.gap, NotEstimable) else "moves" if one.of(Verdict.EXPLAINS) else "quiet"
    out: list[Block] = [b.Verdict(text=headline(found), tone=tone, details=tuple(details(found)))]
    out.append(b.Prose(text=message("explained.sides", a=short(found.a, NAME), b=short(found.b, NAME))))
    out += [_shares(found), *_pairs(one)]
    if found.inert:
        out.append(_inert(found))
    seen = dict.fromkeys((*found.notes, *one.warnings))
    return out + [Note(kind="warning", text=recognised(text)) for text in seen]


def headline(found: Explanation) -> Text:
    """The answer in one sentence: of the gap, how much is which field, what explains nothing, what cannot be told."""
    one = found.found
    gap = _gap(one)
    if isinstance(one.gap, NotEstimable):
        return gap
    towards = -1.0 if one.gap.value < 0 else 1.0
    beyond = _beyond(one)
    clauses = [_clause(part, towards, beyond) for part in one.of(Verdict.EXPLAINS)]
    nothing, unknown = one.of(Verdict.NOTHING), one.of(Verdict.UNKNOWN)
    if nothing:
        key = "explained.nothing" if len(nothing) == 1 else "explained.nothings"
        word = {"field" if len(nothing) == 1 else "fields": _names(part.field for part in nothing)}
        clauses.append(message(key, tolerance=numbers.points(one.tolerance), **word))
    if unknown:
        clauses.append(message("explained.unknown", fields=_names(part.field for part in unknown)))
    if not clauses:
        return gap
    said = clauses[0]
    for clause in clauses[1:]:
        said = message("explained.clause", first=said, second=clause)
    if beyond and one.of(Verdict.EXPLAINS):
        return message("explained.of", gap=gap, size=numbers.points(abs(one.gap.value)), parts=said)
    return message("explained.shares", gap=gap, parts=said)


def _clause(part: Part, towards: float, beyond: bool) -> Text:
    if not beyond or isinstance(part.share, NotEstimable):
        return message("explained.part", share=spread(part.share), field=_name(part.field))
    with_it = part.share.value * towards >= 0
    share = spread(part.share, towards if with_it else -towards)
    return message("explained.part" if with_it else "explained.against", share=share, field=_name(part.field))


def details(found: Explanation) -> list[Text]:
    """What stands behind the sentence: the closing set, pairs that matter, how it was measured, what would help."""
    one = found.found
    out: list[Text] = []
    if isinstance(one.gap, Estimate):
        out += _closing(one)
        out += [_pair(pair) for pair in _strong(one)[:PAIRS_NAMED]]
    asked = found.asked
    counts: dict[str, Text] = {"mixtures": str(asked.mixtures), "of": str(asked.of)}
    if not _shared(one):
        reasons = [part.share.reason for part in one.parts if isinstance(part.share, NotEstimable)]
        out += [message("explained.unshared", reason=recognised(reason)) for reason in reasons[:1]]
    elif one.exact:
        out.append(message("explained.exact", **counts))
    elif one.draws == 1:
        out.append(message("explained.one_pair"))
    else:
        out.append(message("explained.sampled", draws=one.draws, **counts))
    out.append(
        message(
            "explained.calls",
            needed=numbers.whole(asked.needed),
            stored=numbers.whole(asked.stored),
            made=numbers.whole(asked.made),
            failed=numbers.whole(asked.failed),
        )
    )
    if one.excluded:
        out.append(message("explained.excluded", n=numbers.whole(one.excluded)))
    if found.merged:
        fields = _names(found.merged)
        if asked.settle is None:
            out.append(message("explained.apart", fields=fields))
        else:
            out.append(message("explained.settle", fields=fields, calls=numbers.whole(asked.settle)))
    if found.own is not None and isinstance(one.score_b, Estimate):
        change = numbers.signed(found.own.score - one.score_b.value)
        items = counted("count.items", found.own.items)
        key = "explained.own_key" if found.own.key else "explained.own"
        out.append(message(key, items=items, score=numbers.points(found.own.score), change=change))
    return out


def spread(one: Estimate | NotEstimable, towards: float = 1.0) -> str:
    """`11.0 ± 2.0`, in points; the ends where they are uneven. `towards` -1 turns the sign.

    >>> from eyechart.core.records import Interval
    >>> ends = Interval(low=-0.13, high=-0.09, level=0.95, method="t")
    >>> spread(Estimate(name="cue", value=-0.11, n=9, interval=ends), -1)
    '11.0 ± 2.0'
    >>> ends = Interval(low=-0.13, high=0.09, level=0.95, method="t")
    >>> spread(Estimate(name="cue", value=-0.11, n=9, interval=ends), -1)
    '11.0 [−9.0, 13.0]'
    """
    if isinstance(one, NotEstimable):
        return "–"
    value = numbers.points(one.value * towards)
    if one.interval is None:
        return value
    low, high = sorted((one.interval.low * towards, one.interval.high * towards))
    below, above = one.value * towards - low, high - one.value * towards
    if min(below, above) > 0.9 * max(below, above):
        return f"{value} ± {numbers.points(max(below, above))}"
    return f"{value} [{numbers.points(low)}, {numbers.points(high)}]"


def _gap(one: Explained) -> Text:
    if isinstance(one.gap, NotEstimable):
        return message("explained.gap.unknown", reason=recognised(one.gap.reason))
    a, b_ = (score.value if isinstance(score, Estimate) else None for score in (one.score_a, one.score_b))
    return message(
        "explained.gap" if _beyond(one) else "explained.no_gap",
        a="–" if a is None else numbers.points(a),
        b="–" if b_ is None else numbers.points(b_),
        items=counted("count.items", one.items),
        gap=numbers.signed(one.gap.value),
        ends="" if one.gap.interval is None else numbers.ends(one.gap.interval, change=True),
    )


def _beyond(one: Explained) -> bool:
    gap = one.gap
    return isinstance(gap, Estimate) and gap.interval is not None and not gap.interval.low <= 0 <= gap.interval.high


def _closing(one: Explained) -> list[Text]:
    closing = one.closing
    if isinstance(closing, Closing) and len(closing.fields) == len(one.parts):
        return []  # all of B closes the gap to B: no news
    if isinstance(closing, NotEstimable):
        return [message("explained.closing.none")] if closing.reason.startswith("no measured") else []
    how = "least" if closing.smallest else "minimal" if closing.minimal else "unseen" if closing.unseen else "seen"
    out: list[Text] = [message(f"explained.closing.{how}", fields=_names(closing.fields), left=spread(closing.left))]
    if closing.alike > 1:
        out.append(message("explained.closing.alike", n=closing.alike))
    if closing.items != one.items:
        out.append(message("explained.closing.items", items=counted("count.items", closing.items)))
    return out


def _shared(one: Explained) -> bool:
    """Whether the gap was divided at all: where too few items count, shares, pairs and intervals are not spoken of."""
    return any(isinstance(part.share, Estimate) for part in one.parts)


def _strong(one: Explained) -> list[Interaction]:
    def size(pair: Interaction) -> float:
        return abs(pair.index.value) if isinstance(pair.index, Estimate) else 0.0

    return sorted((pair for pair in one.interactions if pair.named), key=size, reverse=True)


def _pair(pair: Interaction) -> Text:
    first, second = (_name(field) for field in pair.fields)
    return message("explained.pair", first=first, second=second, index=spread(pair.index))


def _shares(found: Explanation) -> Block:
    one = found.found
    keys = ("field", "a", "b", "share", "ends", "p", "verdict")
    numeric = {"share", "ends", "p"}
    columns = [(message(f"explained.col.{key}"), key in numeric) for key in keys]
    twin = table(columns, [_share_row(found, part) for part in one.parts], details=(1, 2))
    bars = tuple(
        Bar(name=_name(part.field), value=part.share.value, text=numbers.signed(part.share.value))
        for part in one.parts
        if isinstance(part.share, Estimate)
    )
    if not _shared(one):
        return Table(columns=twin.columns, rows=twin.rows, title=message("explained.bars"))
    caption = message("explained.caption", level=numbers.decimal(100 * one.level, 0))
    # Bars show parts of a whole; shares that pull against each other are a table.
    if not bars or min(bar.value or 0.0 for bar in bars) < 0 < max(bar.value or 0.0 for bar in bars):
        return Table(columns=twin.columns, rows=twin.rows, title=message("explained.bars"), caption=caption)
    turned = tuple(Bar(name=bar.name, value=abs(bar.value or 0.0), text=bar.text) for bar in bars)
    return BarsBlock(title=message("explained.bars"), caption=caption, bars=turned, twin=twin)


def _share_row(found: Explanation, part: Part) -> Row:
    changes = found.field(part.field).changes
    return row(
        Cell(text=part.field),
        *_sides(changes),
        score_cell(part.share, change=True),
        interval_cell(part.share, change=True),
        p_cell(part.p),
        message(f"explained.verdict.{part.verdict.value}"),
    )


def _sides(changes: Sequence[FieldChange]) -> tuple[Cell, Cell]:
    if len(changes) == 1:
        sides = (changes[0].a, changes[0].b)
        return tuple(
            Cell(text=message("explained.unstated")) if text is None else Cell(text=text, code=True) for text in sides
        )  # pyright: ignore[reportReturnType]
    texts = ["; ".join(f"{c.path}={v}" for c in changes if (v := getattr(c, side)) is not None) for side in ("a", "b")]
    first, second = (Cell(text=text, code=True) if text else Cell(text=message("explained.unstated")) for text in texts)
    return first, second


def _pairs(one: Explained) -> list[Block]:
    if not _shared(one):
        return []
    if not one.exact:
        return [Note(kind="info", text=message("explained.pairs.unknown"))]
    if not any(isinstance(pair.index, Estimate) for pair in one.interactions):
        return []
    named = _strong(one)
    if not named:
        return [Note(kind="info", text=message("explained.pairs.none"))]
    columns = [(message(f"explained.col.{key}"), key != "pair") for key in ("pair", "index", "ends", "p")]
    rows = [
        row(
            message("list.times", first=_name(pair.fields[0]), second=_name(pair.fields[1])),
            score_cell(pair.index, change=True),
            interval_cell(pair.index, change=True),
            p_cell(pair.p),
        )
        for pair in named
    ]
    return [table(columns, rows, title=message("explained.pairs"))]


def _inert(found: Explanation) -> Table:
    keys = ("field", "a", "b", "reason")
    columns = [(message(f"explained.col.{key}"), False) for key in keys]
    rows = [row(Cell(text=idle.name), *_sides(idle.changes), why(idle.reason)) for idle in found.inert]
    return table(columns, rows, title=message("explained.inert"))


def why(reason: str) -> Text:
    return message(WHY[reason]) if reason in WHY else recognised(reason)


def _names(names: Iterable[str]) -> Text:
    known = [_name(name) for name in names]
    out: Text = known[0]
    for name in known[1:NAMED]:
        out = message("list.comma", first=out, second=name)
    return message("list.comma", first=out, second="…") if len(known) > NAMED else out


def _name(name: str) -> str:
    return short(name, NAME)
