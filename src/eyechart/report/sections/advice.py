"""What to do with each factor, and the numbers that say so."""

from __future__ import annotations

from eyechart.analysis.shares import Advice, Attributed
from eyechart.core.records import Interval, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Row, Text, message
from eyechart.report.common import NAME, listed, row, table
from eyechart.report.messages.known import recognised
from eyechart.report.text import short
from eyechart.stats.shares import Share, Shares

WORDS = {"lock": "lock", "average over": "average", "annotate": "annotate", "declare as a boundary": "declare"}


def advice(found: Attributed) -> list[Block]:
    """One line a factor."""
    if not found.advice:
        return []
    keys = ("factor", "do", "why", "means")
    columns = [(message(f"advice.col.{key}"), False) for key in keys]
    rows = [_row(one, found) for one in found.advice]
    title, caption = message("advice.title"), message("advice.caption")
    return [table(columns, rows, title=title, caption=caption, details=(3,))]


def _row(one: Advice, found: Attributed) -> Row:
    key = WORDS.get(one.disposition)
    word: Text = message(f"advice.do.{key}") if key else one.disposition
    means = " · ".join(f"{level}: {numbers.points(mean)}" for level, mean in one.means)
    return row(one.factor, Cell(text=word, mark="apart"), evidence(one, found), means)


def evidence(one: Advice, found: Attributed) -> Text:
    """Why, from the numbers, so that it is said in the language of the report."""
    shares = found.shares
    if isinstance(shares, NotEstimable):
        return message("advice.why.unknown", reason=recognised(shares.reason))
    own = next((part for part in shares.parts if part.facets == (one.factor,)), None)
    if own is None:
        return message("advice.why.confounded")
    means = [mean for _, mean in one.means]
    width = numbers.points(max(means) - min(means)) if means else "?"
    if one.disposition == "average over":
        return message("advice.why.average", parts=listed(_names(one.factor, shares, found.level)))
    if one.disposition == "declare as a boundary":
        return message("advice.why.declare", width=width)
    most = own.interval.high**0.5 if isinstance(own.interval, Interval) else None
    if one.disposition == "annotate" and most is not None:
        return message("advice.why.annotate", most=numbers.points(most))
    if own.p < 1 - found.level or _names(one.factor, shares, found.level):
        return message("advice.why.moves", width=width, p=_p(own))
    if most is None:
        return message("advice.why.nothing", p=_p(own))
    return message("advice.why.nothing.most", most=numbers.points(most), p=_p(own))


def _p(own: Share) -> Text:
    return numbers.probability(own.p)


def _names(factor: str, shares: Shares, level: float) -> list[Text]:
    """Interactions of the factor that are beyond noise."""
    found = [p for p in shares.parts if factor in p.facets and len(p.facets) > 1 and p.p < 1 - level]
    return [" × ".join(short(facet, NAME) for facet in part.facets) for part in found]
