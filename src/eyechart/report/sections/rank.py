"""Ranking: contestants of one procedure with the ranks they may have, and what stands apart."""

from __future__ import annotations

from collections.abc import Iterator

from eyechart.analysis.rank import Apart, League, Place, Ranked
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Heading, Note, Part, Prose, Row, Table, Text, message
from eyechart.report.common import interval_cell, p_cell, row, score_cell, table
from eyechart.report.messages.known import recognised
from eyechart.report.text import short
from eyechart.stats.compare import Pair
from eyechart.stats.ranks import RiskAdjusted

ASKED_FOR = (
    "rank.forced", "rank.unread", "rank.note.unknown", "rank.note.hardware", "rank.warn.left_out", "rank.warn.repeats",
    "rank.apart.other", "rank.apart.alone", "rank.apart.set_ups", "rank.apart.again", "rank.apart.unscored",
    "rank.apart.seed", "rank.apart.spread", "rank.note.together",
)  # fmt: skip
"""Words that `analysis.rank` and `app.rank` hand over with what they found."""
VALUE = 80
"""Characters of a field's value that are shown."""
PAIRS = 60
"""Pairs shown; a larger ranking has its groups."""


def rank_part(found: Ranked) -> Part:
    """The whole ranking as one section."""
    blocks: list[Block] = [Prose(text=sentence(found))]
    blocks += [Note(kind="warning" if found.fingerprint is None else "info", text=text) for text in found.notes]
    if found.contestant:
        blocks.append(Note(kind="info", text=message("rank.contestant", fields=", ".join(found.contestant))))
    for place, league in enumerate(found.leagues):
        if len(found.leagues) > 1:
            blocks.append(Heading(text=league_sentence(league), level=3, anchor=f"league-{place + 1}"))
        blocks += league_blocks(league, found.level)
    if found.apart:
        blocks.append(apart_table(found.apart, message("rank.apart")))
    return Part(name="rank", title=message("section.rank"), blocks=tuple(blocks))


def title(found: Ranked) -> Text:
    n = sum(len(league.places) for league in found.leagues)
    return message("rank.title", n=n) if n else message("rank.title.none")


def sentence(found: Ranked) -> Text:
    """The answer: who can be told apart, or why nothing can be ranked."""
    if not found.leagues:
        names = dict.fromkeys(one.name for one in found.apart)
        if any(one.reason in (message("rank.apart.seed"), message("rank.apart.spread")) for one in found.apart):
            return message("rank.none.together")
        if found.mixed:
            return message("rank.mixed", fields=", ".join(found.mixed))
        return message("rank.none.one", name=next(iter(names))) if len(names) == 1 else message("rank.none")
    said = league_sentence(found.leagues[0])
    n = len(found.apart) + sum(len(league.places) for league in found.leagues[1:])
    if not n:
        return said
    return message("rank.said.apart.one", said=said) if n == 1 else message("rank.said.apart.many", said=said, n=n)


def league_sentence(league: League) -> Text:
    best = league.groups[0]
    top = message("rank.top.one", name=best[0]) if len(best) == 1 else message("rank.top.none", names=", ".join(best))
    n, items = numbers.whole(len(league.places)), numbers.whole(league.items)
    if len(league.set_ups) == 1:
        return message("rank.said", n=n, items=items, top=top)
    return message("rank.said.set_ups", n=n, items=items, set_ups=len(league.set_ups), top=top)


def league_blocks(league: League, level: float) -> Iterator[Block]:
    yield _ranks(league, level)
    yield from (Note(kind="warning", text=text) for text in league.warnings)
    if all(len(group) == 1 for group in league.groups):
        yield Prose(text=message("rank.groups.none"))
    else:
        yield _groups(league)
    if league.risk is not None:
        yield Prose(text=risk_text(league))
    if len(league.pairs) <= PAIRS:
        yield _pairs(league)
    if league.procedure:
        key = "rank.procedure" if len(league.set_ups) == 1 else "rank.procedure.set_ups"
        rows = [_field(path, value) for path, value in league.procedure]
        yield table([(message("rank.col.field"), False), (message("rank.col.value"), False)], rows, title=message(key))
    if len(league.set_ups) > 1:
        paths = [path for path, _ in league.set_ups[0]]
        rows = [row(*(Cell(text=short(value, VALUE), code=True) for _, value in one)) for one in league.set_ups]
        yield table([(path, False) for path in paths], rows, title=message("rank.set_ups"))


def rank_text(place: Place) -> Text:
    """`1`, or `2–3` where the data leave several open."""
    if place.low == place.high:
        return str(place.low)
    return message("rank.range", low=place.low, high=place.high)


def risk_text(league: League) -> Text:
    """The order by a rule over set-ups, with the rule; or why there is none."""
    risk = league.risk
    if not isinstance(risk, RiskAdjusted):
        reason = recognised(risk.reason) if isinstance(risk, NotEstimable) else ""
        return message("rank.risk.none", reason=reason)
    corrected: Text = "" if isinstance(risk.corrected, NotEstimable) else message("rank.risk.corrected")
    order = ", ".join(league.places[i].name for i in risk.order)
    return message("rank.risk", rule=risk.rule, n=len(league.set_ups), corrected=corrected, order=order)


def _ranks(league: League, level: float) -> Table:
    rule = league.risk.rule if isinstance(league.risk, RiskAdjusted) else None
    columns: list[tuple[Text, bool]] = [
        (message("rank.col.rank"), True),
        (message("rank.col.name"), False),
        (message("rank.col.score"), True),
        (message("rank.col.ends", level=numbers.percent(level)), True),
        *([(message("rank.col.reliable", rule=rule), True)] if rule else []),
        (message("rank.col.repeats"), True),
        (message("rank.col.source"), False),
        (message("rank.col.fingerprint"), False),
    ]
    rows = [_rank_row(place, rule) for place in league.places]
    caption = message("rank.table.caption", level=numbers.percent(level))
    return table(columns, rows, title=message("rank.table"), caption=caption)


def _rank_row(place: Place, rule: str | None) -> Row:
    reliable: list[Cell] = []
    if rule:
        value = place.reliable
        reliable = [Cell() if value is None else Cell(text=numbers.points(value), value=value)]
    return row(
        Cell(text=rank_text(place), value=float(place.low)),
        short(place.name, VALUE),
        score_cell(place.score),
        interval_cell(place.score),
        *reliable,
        Cell(text=message("missing")) if place.repeats is None else _count(place.repeats),
        Cell(text=_first(place.sources), code=True),
        Cell(text=_first(place.fingerprints) or message("missing"), code=True),
    )


def _count(n: int) -> Cell:
    return Cell(text=numbers.whole(n), value=float(n))


def _first(names: tuple[str, ...]) -> str:
    """The first of several, and how many more."""
    return "" if not names else names[0] if len(names) == 1 else f"{names[0]} (+{len(names) - 1})"


def _groups(league: League) -> Table:
    rows = [
        row(Cell(text=chr(ord("a") + place % 26), value=float(place)), ", ".join(short(n, VALUE) for n in group))
        for place, group in enumerate(league.groups)
    ]
    columns = [(message("rank.col.group"), False), (message("rank.col.members"), False)]
    return table(columns, rows, title=message("rank.groups"))


def verdict_text(pair: Pair) -> Text:
    if pair.verdict == "same":
        return message("rank.verdict.same", bound=numbers.points(pair.comparison.bound))
    if pair.verdict == "not distinguishable":
        return message("rank.verdict.open")
    return message("rank.verdict.better", name=pair.b if pair.verdict == "b is better" else pair.a)


def _pairs(league: League) -> Table:
    rows = [
        row(
            f"{short(pair.b, VALUE)} − {short(pair.a, VALUE)}",
            score_cell(pair.comparison.change, change=True),
            interval_cell(pair.comparison.change, change=True),
            p_cell(pair.p_holm),
            verdict_text(pair),
        )
        for pair in league.pairs
    ]
    level = next(
        (numbers.percent(i.level) for p in league.pairs if (i := numbers.interval_of(p.comparison.change))), "95"
    )
    columns = [
        (message("rank.col.pair"), False),
        (message("rank.col.change"), True),
        (message("rank.col.ends", level=level), True),
        (message("rank.col.p"), True),
        (message("rank.col.verdict"), False),
    ]
    caption = message("rank.pairs.caption", n=len(league.pairs))
    return table(columns, rows, title=message("rank.pairs"), caption=caption)


def _field(path: str, value: str) -> Row:
    return row(Cell(text=path, code=True), Cell(text=short(value, VALUE), code=True))


def apart_table(apart: tuple[Apart, ...], title: Text) -> Table:
    """What stands apart, field by field, with what separates it."""
    rows: list[Row] = []
    for one in apart:
        head = (short(one.name, VALUE), Cell(text=one.source, code=True), one.reason)
        if not one.differences:
            rows.append(row(*head, "", "", ""))
        for place, d in enumerate(one.differences):
            fields = (d.field, short(d.here, VALUE), short(d.there, VALUE))
            cells = [Cell(text=text, code=True) for text in fields]
            rows.append(row(*(head if place == 0 else ("", "", "")), *cells))
    keys = ("name", "source", "why", "field", "here", "there_plain")
    columns = [(message(f"rank.col.{key}"), False) for key in keys]
    return table(columns, rows, title=title, caption=message("rank.apart.caption"))
