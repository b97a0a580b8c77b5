"""Models (or engines) against each other: who is better, by how much, and does the order hold over set-ups?"""

from __future__ import annotations

from eyechart.analysis.compare import Compared, OverSetUps
from eyechart.analysis.results import Analysis
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Heading, Message, Note, Prose, Row, Table, Text, message
from eyechart.report.common import (
    NAME,
    counted,
    interval_cell,
    listed,
    missing,
    p_cell,
    points_cell,
    reason_of,
    row,
    score_cell,
    table,
)
from eyechart.report.messages.known import recognised
from eyechart.report.sections.repeats import per_cent
from eyechart.report.text import short
from eyechart.stats.compare import Comparison, Pair
from eyechart.stats.ranks import Beats, FlipRate, RiskAdjusted, Turn, Turns

MOST_SENTENCES = 3
"""More pairs than this are told by the table alone."""


def contest(analysis: Analysis) -> list[Block]:
    """Nothing where no model was moved."""
    found = analysis.contest
    if found is None:
        return []
    pairs = found.comparisons.pairs
    blocks: list[Block] = [
        Heading(text=message("contest.title", factor=short(found.by, NAME)), level=3, anchor="contest"),
        Prose(text=_summary(found)),
    ]
    if 1 < len(pairs) <= MOST_SENTENCES:
        blocks += [Prose(text=verdict(pair)) for pair in pairs]
    turned = [] if found.over is None else [(a, b) for a, b, t in found.over.turns if isinstance(t.beyond_noise, Turn)]
    if turned:
        names = [message("contest.both", a=short(a, NAME), b=short(b, NAME)) for a, b in turned[:MOST_SENTENCES]]
        pairs_told = listed(names) if len(turned) <= MOST_SENTENCES else counted("count.pairs", len(turned))
        blocks.append(Note(kind="warning", text=message("contest.turns", pairs=pairs_told)))
    blocks += [_models(found), _pairs(found)]
    if found.over is not None:
        blocks.append(_order(found.over, found))
    return blocks + [Note(kind="warning", text=recognised(text)) for text in dict.fromkeys(found.warnings)]


def _summary(found: Compared) -> Text:
    pairs, groups = found.comparisons.pairs, found.comparisons.groups
    if len(pairs) == 1:
        return verdict(pairs[0])
    said = {
        "n": numbers.whole(len(pairs)),
        "apart": numbers.whole(sum(pair.verdict in ("a is better", "b is better") for pair in pairs)),
        "level": numbers.percent(found.level),
    }
    best = groups[0] if groups else ()
    names = ", ".join(short(name, NAME) for name in best)
    return message("contest.best" if len(best) == 1 else "contest.no_best", names=names, **said)


def verdict(pair: Pair) -> Text:
    """The word on a pair, with its numbers."""
    c = pair.comparison
    a, b = short(pair.a, NAME), short(pair.b, NAME)
    if isinstance(c.change, NotEstimable):
        return message("contest.unknown", a=a, b=b, reason=recognised(c.change.reason))
    if pair.verdict == "same":
        return message("contest.same", a=a, b=b, bound=numbers.points(c.bound))
    if pair.verdict == "not distinguishable":
        return message("contest.unclear", a=a, b=b, more=_more(c))
    better, other = (b, a) if pair.verdict == "b is better" else (a, b)
    return message("contest.better", better=better, other=other, size=numbers.points(abs(c.change.value)))


def _more(c: Comparison) -> Text:
    """What would tell the two apart."""
    items = None if c.needed_items is None else numbers.whole(max(1, c.needed_items - c.n))
    runs = numbers.whole(c.needed_runs) if isinstance(c.needed_runs, int) else None
    if items is not None and runs is not None:
        return message("contest.more.both", items=items, runs=runs)
    if items is not None:
        return message("contest.more.items", n=items)
    return message("contest.more.unknown") if runs is None else message("contest.more.runs", n=runs)


def letter(place: int) -> str:
    """
    >>> letter(0), letter(27)
    ('a', 'b2')
    """
    return chr(ord("a") + place % 26) + (str(place // 26 + 1) if place >= 26 else "")


def _models(found: Compared) -> Table:
    """Each model with its mean and the letters of the groups that it is in."""
    groups = found.comparisons.groups
    keys = ["model", "score", "groups"]
    adjusted = _adjusted(found)
    rows: list[Row] = []
    for name, mean in found.comparisons.means:
        letters = " ".join(letter(i) for i, group in enumerate(groups) if name in group)
        cells: list[Cell | Text] = [name, Cell(text=numbers.points(mean), value=mean), letters]
        if adjusted is not None:
            cells.append(adjusted.get(name, missing(message("reason.not_finite"))))
        rows.append(row(*cells))
    if adjusted is not None:
        keys.append("careful")
    columns = [(message(f"contest.col.{key}"), key in ("score", "careful")) for key in keys]
    caption = message("contest.models.caption", items=counted("count.items", found.items))
    return table(columns, rows, title=message("contest.models"), caption=caption)


def _adjusted(found: Compared) -> dict[str, Cell] | None:
    """Mean less one standard deviation over set-ups, noise removed where that can be."""
    if found.over is None or not isinstance(found.over.risk_adjusted, RiskAdjusted):
        return None
    values = found.over.risk_adjusted.corrected
    if isinstance(values, NotEstimable):
        return dict.fromkeys(found.labels, missing(recognised(values.reason)))
    return {
        name: Cell(text=numbers.points(value), value=value)
        for name, value in zip(found.labels, values, strict=False)
    }  # fmt: skip


def _pairs(found: Compared) -> Table:
    keys = ("pair", "verdict", "change", "ends", "p", "smallest")
    columns = [(message(f"contest.col.{key}"), key in keys[2:]) for key in keys]
    rows = [
        row(
            _pair(pair.a, pair.b),
            _word(pair),
            score_cell(pair.comparison.change, change=True),
            interval_cell(pair.comparison.change, change=True),
            p_cell(pair.p_holm),
            points_cell(pair.comparison.smallest_difference, message("reason.no_noise"), 1),
        )
        for pair in found.comparisons.pairs
    ]
    caption = message("contest.pairs.caption", level=numbers.percent(found.level), bound=numbers.points(found.bound))
    return table(columns, rows, title=message("contest.pairs"), caption=caption)


def _pair(a: str, b: str) -> Message:
    return message("contest.pair", a=short(a, NAME), b=short(b, NAME))


def _word(pair: Pair) -> Cell:
    if isinstance(pair.comparison.change, NotEstimable):
        return missing(reason_of(pair.comparison.change))
    if pair.verdict in ("a is better", "b is better"):
        better = pair.b if pair.verdict == "b is better" else pair.a
        return Cell(text=message("contest.word.better", name=short(better, NAME)), mark="apart")
    return Cell(text=message("contest.word.same" if pair.verdict == "same" else "contest.word.unclear"))


def _order(over: OverSetUps, found: Compared) -> Table:
    """In what share of set-ups each is above the other, and the smallest change that turns them."""
    keys = ("pair", "first", "second", "flips", "turn")
    columns = [(message(f"contest.col.{key}"), key in ("first", "second", "flips")) for key in keys]
    turns = {(a, b): t for a, b, t in over.turns}
    rates = _rates(over, found)
    rows: list[Row] = []
    for a, b, beat in over.beats:
        turn = turns.get((a, b))
        rows.append(row(_pair(a, b), *_above(beat), rates.get((a, b)) or missing(message("reason.one_set_up")),
                        missing(message("reason.no_test")) if turn is None else turn_text(over, a, b, turn)))  # fmt: skip
    caption: Text = message("contest.order.caption", n=counted("count.setups", len(over.set_ups)))
    if over.left_out:
        caption = message("contest.order.left_out", text=caption, n=counted("count.setups", over.left_out))
    if not isinstance(over.concordance, NotEstimable):
        w = numbers.decimal(over.concordance.value, 2)
        caption = message("contest.order.agree", text=caption, w=w)
    return table(columns, rows, title=message("contest.order"), caption=caption)


def _rates(over: OverSetUps, found: Compared) -> dict[tuple[str, str], Cell]:
    if not isinstance(over.flips, FlipRate):
        return {}
    return {(found.labels[i], found.labels[j]): per_cent(rate) for i, j, rate in over.flips.pairs}


def _above(beat: Beats | NotEstimable) -> list[Cell]:
    if isinstance(beat, NotEstimable):
        return [missing(recognised(beat.reason))] * 2
    return [per_cent(beat.share), per_cent(max(0.0, 1 - beat.share - beat.ties))]


def turn_text(over: OverSetUps, a: str, b: str, turns: Turns) -> Text:
    """Between which two set-ups the order turns, or that it does not."""
    sure = isinstance(turns.beyond_noise, Turn)
    turn = turns.beyond_noise if isinstance(turns.beyond_noise, Turn) else turns.seen
    if turn is None:
        return message("contest.turn.never")
    first, second = over.set_ups[turn.first], over.set_ups[turn.second]
    moved = [
        message("contest.turn.moved", factor=short(over.factors[i], NAME), low=short(first[i], NAME),
                high=short(second[i], NAME))
        for i in turn.facets
    ]  # fmt: skip
    return message(
        "contest.turn.sure" if sure else "contest.turn.unsure",
        a=short(a, NAME),
        b=short(b, NAME),
        up=numbers.points(turn.change_first),
        down=numbers.points(-turn.change_second),
        moved=listed(moved),
    )
