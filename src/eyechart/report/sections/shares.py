"""What made the score move: variance shares, single answers, forecasts, the gauge, and what to do about it."""

from __future__ import annotations

from eyechart.analysis.results import Analysis
from eyechart.analysis.shares import ITEM, RUN, SET_UP, TWICE, TWICE_CLUSTERED, Attributed, Forecast
from eyechart.core.records import Interval, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Bar, BarsBlock, Block, Cell, Heading, Note, Prose, Row, Text, message
from eyechart.report.common import NAME, counted, listed, missing, p_cell, points_cell, row, table
from eyechart.report.messages.known import recognised
from eyechart.report.sections.advice import advice
from eyechart.report.sections.repeats import per_cent, whole_per_cent
from eyechart.report.text import short
from eyechart.stats.anova import RESIDUAL, Anova, Effect
from eyechart.stats.decision import Gauge
from eyechart.stats.shares import NOTHING, Share, Shares

MOST_BARS = 12
"""Parts in the picture; the table has all."""
TOLD, LISTED = 0.01, 0.001
"""Shares of single answers from which a part is named in the sentence, and in the table."""

PLANS = {
    "as measured": "as_measured",
    TWICE: "items",
    TWICE_CLUSTERED: "items",
    "twice the runs": "runs",
    "one run": "run",
    "one set-up": "setup",
}


def shares(analysis: Analysis) -> list[Block]:
    found = analysis.attribution
    blocks: list[Block] = [Heading(text=message("shares.title"), level=3, anchor="shares")]
    if found is None:
        return [*blocks, Note(kind="missing", text=message("shares.none"))]
    if isinstance(found, NotEstimable):
        return [*blocks, Note(kind="missing", text=message("shares.unknown", reason=recognised(found.reason)))]
    blocks.append(_head(found))
    if isinstance(found.shares, Shares):
        blocks += _parts(found, found.shares)
    blocks += advice(found)
    blocks += _answers(found)
    blocks += _forecasts(found) + _gauge(found)
    warnings = [text for text in dict.fromkeys(found.warnings) if text != NOTHING]  # said at the head
    return blocks + [Note(kind="warning", text=recognised(text)) for text in warnings]


def beyond(found: Shares, level: float) -> bool:
    """Whether the set-ups lie further apart than noise explains: else there is nothing to divide."""
    return found.spread.p < 1 - level and isinstance(found.spread.sd, float)


def _head(found: Attributed) -> Block:
    said: dict[str, Text] = {
        "n": counted("count.setups", found.set_ups),
        "low": numbers.points(found.low),
        "high": numbers.points(found.high),
    }
    if isinstance(found.shares, NotEstimable):
        reason = recognised(found.shares.reason)
        return Note(kind="missing", text=message("shares.head.unknown", reason=reason, **said))
    spread = found.shares.spread
    if not beyond(found.shares, found.level) or not isinstance(spread.sd, float):
        said |= {"sd": numbers.points(spread.raw_sd, 2), "noise": numbers.points(spread.noise_sd, 2)}
        return Note(kind="info", text=message("shares.head.nothing", **said))
    return Prose(text=message("shares.head", sd=numbers.points(spread.sd, 2), **said))


def _parts(found: Attributed, divided: Shares) -> list[Block]:
    ranked = sorted(divided.parts, key=lambda part: -part.clipped)
    keys = ("part", "share", "ends", "sd", "p")
    columns = [(message(f"shares.col.{key}"), key != "part") for key in keys]
    twin = table(columns, [_part_row(part) for part in ranked], caption=message("shares.caption"))
    if not beyond(divided, found.level):
        return [twin]
    bars = tuple(_bar(part) for part in ranked[:MOST_BARS])
    title, caption = message("shares.bars"), message("shares.caption")
    return [BarsBlock(title=title, caption=caption, bars=bars, twin=table(columns, twin.rows))]


def _bar(part: Share) -> Bar:
    share = part.share_clipped
    if not isinstance(share, float):
        return Bar(name=part_name(part.facets), value=None, text=message("missing"), mark="missing")
    return Bar(name=part_name(part.facets), value=share, text=message("unit.percent", share=whole_per_cent(share)))


def _part_row(part: Share) -> Row:
    share, ends = part.share_clipped, part.share_interval
    cells = [
        missing(recognised(share.reason)) if isinstance(share, NotEstimable) else per_cent(share),
        missing(recognised(ends.reason)) if isinstance(ends, NotEstimable) else _ends(ends),
        points_cell(part.clipped**0.5, message("reason.not_finite")),
        p_cell(part.p),
    ]
    return row(part_name(part.facets), *cells)


def _ends(interval: Interval) -> Cell:
    low, high = numbers.decimal(100 * interval.low, 0), numbers.decimal(100 * interval.high, 0)
    return Cell(text=f"[{low}, {high}]", value=interval.low)


def part_name(facets: tuple[str, ...], special: frozenset[str] = frozenset()) -> Text:
    """`cue × temperature`; names in `special` are ours and translated.

    >>> part_name(("cue", "item"), frozenset({"item"})).params
    (('first', 'cue'), ('second', Message(key='facet.item', params=())))
    """
    if not facets:
        return message("shares.left_over")
    out: Text = ""
    for place, facet in enumerate(facets):
        name = FACETS[facet]() if facet in special and facet in FACETS else short(facet, NAME)
        out = name if place == 0 else message("list.times", first=out, second=name)
    return out


FACETS = {
    ITEM: lambda: message("facet.item"),
    RUN: lambda: message("facet.run"),
    SET_UP: lambda: message("facet.setup"),
}


def ours(found: Attributed) -> frozenset[str]:
    """Names of facets that no factor of the study has taken."""
    return frozenset({ITEM, RUN, SET_UP}) - set(found.factors)


def _answers(found: Attributed) -> list[Block]:
    anova = found.anova
    if isinstance(anova, NotEstimable):
        return [Note(kind="missing", text=message("answers.unknown", reason=recognised(anova.reason)))]
    ranked = sorted(anova.effects, key=lambda e: -e.clipped)
    effects = [e for e in ranked if e.component_share >= LISTED or e.name in (ITEM, RUN, RESIDUAL)]
    rows = [
        row(
            _effect_name(e, ours(found)),
            _meaning(e),
            per_cent(e.component_share),
            points_cell(e.clipped**0.5, message("reason.not_finite"), 1),
        )
        for e in effects
    ]
    keys = ("part", "meaning", "share", "sd")
    columns = [(message(f"answers.col.{key}"), key in ("share", "sd")) for key in keys]
    caption = message("answers.caption", sentence=_answer_sentence(anova))
    if len(effects) < len(ranked):
        caption = message("answers.caption.more", caption=caption, n=len(ranked) - len(effects))
    return [table(columns, rows, title=message("answers.title"), caption=caption)]


def _effect_name(effect: Effect, special: frozenset[str]) -> Text:
    if effect.name in (RUN, RESIDUAL):
        return message("facet.run" if effect.name == RUN else "facet.residual")
    return part_name(effect.facets, special)


def _meaning(effect: Effect) -> Text:
    if effect.name in (RUN, RESIDUAL):
        return message(f"answers.what.{effect.name}")
    kind = {(True, 1): "item", (True, 2): "takes"}.get((ITEM in effect.facets, len(effect.facets)))
    if kind is None:
        kind = "takes_more" if ITEM in effect.facets else "factor" if len(effect.facets) == 1 else "together"
    return message(f"answers.what.{kind}")


def _answer_sentence(anova: Anova) -> Text:
    """`69 % is which item is asked, 13 % how items take cue, 15 % chance from run to run`."""
    parts: list[tuple[float, Text]] = []
    pooled = {"setup": 0.0, "more": 0.0}
    for e in anova.effects:
        if e.name in (RUN, RESIDUAL):
            parts.append((e.component_share, message(f"answers.part.{e.name}")))
        elif e.facets == (ITEM,):
            parts.append((e.component_share, message("answers.part.item")))
        elif ITEM in e.facets and len(e.facets) == 2:
            other = next(f for f in e.facets if f != ITEM)
            parts.append((e.component_share, _takes(other)))
        else:
            pooled["more" if ITEM in e.facets else "setup"] += e.component_share
    parts += [(share, message(f"answers.part.{key}")) for key, share in pooled.items()]
    kept = sorted((p for p in parts if p[0] >= TOLD), key=lambda p: -p[0])
    out: Text = ""
    for share, what in kept:
        one = message("answers.part", share=whole_per_cent(share), what=what)
        out = one if out == "" else message("list.comma", first=out, second=one)
    return out


def _takes(facet: str) -> Text:
    return (
        message("answers.part.setups") if facet == SET_UP else message("answers.part.takes", factor=short(facet, NAME))
    )


def _forecasts(found: Attributed) -> list[Block]:
    if not found.forecasts:
        return []
    keys = ("plan", "fixed", "random", "numbers")
    columns = [(message(f"forecast.col.{key}"), key in ("fixed", "random")) for key in keys]
    rows = [_forecast_row(f, ours(found)) for f in found.forecasts]
    caption = message("forecast.caption")
    return [table(columns, rows, title=message("forecast.title"), caption=caption, details=(3,))]


def _forecast_row(plan: Forecast, special: frozenset[str]) -> Row:
    key = PLANS.get(plan.plan)
    told = [message("forecast.number", name=part_name((name,), special), n=n) for name, n in plan.numbers]
    unknown = message("reason.not_finite")
    return row(
        message(f"forecast.plan.{key}") if key else plan.plan,
        points_cell(plan.se_fixed, unknown),
        points_cell(plan.se_random, unknown),
        listed(told),
    )


def _gauge(found: Attributed) -> list[Block]:
    gauge = found.gauge
    if isinstance(gauge, NotEstimable):
        return [Note(kind="missing", text=message("gauge.unknown", reason=recognised(gauge.reason)))]
    part = part_name((gauge.part,), ours(found))
    columns = [(message(f"gauge.col.{key}"), key == "value") for key in ("what", "value", "note")]
    unknown = message("reason.not_finite")
    rows = [
        row(message(f"gauge.{key}"), points_cell(variance**0.5, unknown), message(f"gauge.{key}.text"))
        for key, variance in (("repeatability", gauge.repeatability), ("reproducibility", gauge.reproducibility))
    ]
    share = message("unit.percent", share=numbers.decimal(gauge.grr, 0))
    rows.append(row(message("gauge.grr"), Cell(text=share, value=gauge.grr), message(_verdict(gauge))))
    rows.append(row(message("gauge.ndc"), _classes(gauge), message("gauge.ndc.text")))
    caption = message("gauge.caption.item" if gauge.part == ITEM else "gauge.caption", part=part)
    return [table(columns, rows, title=message("gauge.title", part=part), caption=caption)]


def _verdict(gauge: Gauge) -> str:
    return {"good": "gauge.good", "may do": "gauge.may_do"}.get(gauge.verdict, "gauge.not_good")


def _classes(gauge: Gauge) -> Cell:
    if isinstance(gauge.ndc, NotEstimable):
        return missing(recognised(gauge.ndc.reason))
    return Cell(text=numbers.whole(gauge.ndc), value=float(gauge.ndc))
