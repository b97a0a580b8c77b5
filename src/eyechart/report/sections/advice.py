"""What to do with each factor, and the numbers that say so."""

from __future__ import annotations

from eyechart.analysis.advice import Advice, corrected_p, few_clusters, moving_together
from eyechart.analysis.shares import Attributed
from eyechart.core.records import Interval, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Row, Text, message
from eyechart.report.common import NAME, listed, row, table
from eyechart.report.messages.known import recognised
from eyechart.report.text import short

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
    few = few_clusters(shares)
    if few is not None:
        return message("advice.why.unknown", reason=recognised(few))
    means = [mean for _, mean in one.means]
    width = numbers.points(max(means) - min(means)) if means else "?"
    p, others = corrected_p(shares)[own.name], moving_together(one.factor, shares)
    told = numbers.probability(p)
    if one.disposition == "average over":
        return message("advice.why.average", parts=listed([_name(part.facets) for part in others]))
    if one.disposition == "declare as a boundary":
        return message("advice.why.declare", width=width)
    most = own.interval.high**0.5 if isinstance(own.interval, Interval) else None
    if one.disposition == "annotate" and most is not None:
        return message("advice.why.annotate", most=numbers.points(most))
    if p < 1 - shares.level or others:
        return message("advice.why.moves", width=width, p=told)
    if most is None:
        return message("advice.why.nothing", p=told)
    return message("advice.why.nothing.most", most=numbers.points(most), p=told)


def _name(facets: tuple[str, ...]) -> Text:
    return " × ".join(short(facet, NAME) for facet in facets)
