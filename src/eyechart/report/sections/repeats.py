"""Can the repeats be believed? What the runs of each set-up say of themselves."""

from __future__ import annotations

import math

from eyechart.analysis.repeats import ALPHA
from eyechart.analysis.results import Analysis, CellScore, Repeats
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Row, Text, message
from eyechart.report.common import anchors, baseline_of, listed, missing, reason_of, row, setup, table
from eyechart.report.messages.known import recognised
from eyechart.stats.repeats import NoiseSplit

ODD, COPIES = 0.05, 0.001
"""Levels at which a run is called outlying, and equal runs copies, over all set-ups together."""


def repeats(analysis: Analysis) -> list[Block]:
    """One table for all set-ups that were asked more than once; nothing where none was."""
    checked = [(s, s.checks) for s in analysis.scores if s.checks is not None]
    if not checked:
        return []
    base, where = baseline_of(analysis), anchors(analysis)
    runs = {s.repeats for s, _ in checked}
    same = str(runs.pop()) if len(runs) == 1 else "k"
    keys = ("right", "wrong", "flips", "share", "all", "spread", "verdict", "middle", "odd")
    columns: list[tuple[Text, bool]] = [(message("setups.setup"), False)]
    columns += [(message(f"repeats.col.{key}", k=same), key not in ("verdict", "odd")) for key in keys]
    family = len(checked)
    rows = [_row(s, checks, base, where[s.cell], family=family, told=same == "k") for s, checks in checked]
    caption = message("repeats.caption")
    return [table(columns, rows, title=message("repeats.title"), caption=caption, details=(1, 2, 4, 8))]


def _row(score: CellScore, checks: Repeats, base: CellScore | None, href: str, *, family: int, told: bool) -> Row:
    name = Cell(text=message("setup.named", cell=score.cell, name=setup(score, base)), href=href)
    noise = checks.noise
    counts = _counts(noise)
    every = _all(checks, score.repeats if told else None)
    return row(
        name, *counts, _share(noise), every, *_spread(checks, family), _middle(checks), _odd(checks, family)
    )  # fmt: skip


def _counts(noise: NoiseSplit | NotEstimable) -> list[Cell]:
    if isinstance(noise, NotEstimable):
        return [missing(recognised(noise.reason))] * 3
    counts = (noise.always_right, noise.always_wrong, noise.flipping)
    return [Cell(text=numbers.whole(n), value=float(n)) for n in counts]


def _share(noise: NoiseSplit | NotEstimable) -> Cell:
    if isinstance(noise, NotEstimable):
        return missing(recognised(noise.reason))
    if not numbers.finite(noise.run_share):
        return missing(message("reason.all_equal"))
    return per_cent(noise.run_share)


def per_cent(share: float) -> Cell:
    """
    >>> per_cent(0.153).text.params
    (('share', '15'),)
    """
    return Cell(text=message("unit.percent", share=whole_per_cent(share)), value=share)


def whole_per_cent(share: float) -> str:
    """A share in whole per cent, which never rounds something to nothing nor most to all.

    >>> whole_per_cent(0.694), whole_per_cent(0.003), whole_per_cent(0.997), whole_per_cent(0.0)
    ('69', '< 1', '> 99', '0')
    """
    if not math.isfinite(share):
        return "?"
    if 0 < share < 0.005:
        return "< 1"
    return "> 99" if 0.995 <= share < 1 else numbers.decimal(100 * share, 0)


def _all(checks: Repeats, runs: int | None) -> Cell:
    estimate, interval = numbers.known(checks.pass_all), numbers.interval_of(checks.pass_all)
    if estimate is None:
        return missing(reason_of(checks.pass_all))
    ends = f" {numbers.ends(interval)}" if interval else ""
    text: Text = numbers.points(estimate.value) + ends
    if runs is not None:
        text = message("repeats.all", k=runs, score=text)
    return Cell(text=text, value=estimate.value)


def _spread(checks: Repeats, family: int) -> tuple[Cell, Cell]:
    """The standard deviation of runs seen, beside what independent items allow; and the verdict in words."""
    equal = [same for same in checks.same_runs if not same.flipping_elsewhere or same.chance * family < COPIES]
    said: list[Text] = []
    for same in equal:
        runs = ", ".join(str(run + 1) for run in same.runs)
        said.append(message("repeats.same", runs=runs) if same.flipping_elsewhere else message("repeats.same.all"))
    found = checks.exchangeable
    if isinstance(found, NotEstimable):
        why = missing(recognised(found.reason))
        return why, Cell(text=listed(said), mark="apart") if said else why
    sds = f"{numbers.points(found.run_sd, 2)} / {numbers.points(found.expected_sd, 2)}"
    odd = found.verdict in ("spread too much", "too equal") and found.p * family < ALPHA
    word = {"spread too much": "more", "too equal": "less", "too few flips": "few"}.get(found.verdict, "fair")
    if odd or word == "few":
        said.insert(0, message(f"repeats.{word}"))
    elif not said:
        said.append(message("repeats.fair"))
    return Cell(text=sds, value=found.run_sd), Cell(text=listed(said), mark="apart" if odd or equal else "")


def _middle(checks: Repeats) -> Cell:
    found = checks.centre
    if isinstance(found, NotEstimable):
        return missing(recognised(found.reason))
    text = " · ".join(numbers.points(value) for value in (found.mean, found.median, found.trimmed))
    return Cell(text=text, value=found.mean)


def _odd(checks: Repeats, family: int) -> Cell:
    odd = [run for run in checks.odd_runs if run.p * family < ODD]
    if not odd:
        return Cell(text=message("repeats.odd.none"))
    named = [
        message("repeats.odd", run=o.run + 1, score=numbers.points(o.value), p=numbers.probability(o.p)) for o in odd
    ]
    return Cell(text=listed(named), mark="apart")
