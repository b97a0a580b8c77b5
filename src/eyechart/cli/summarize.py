from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from eyechart.analysis.summarize import Summaries, Summary, spoken
from eyechart.cli.columns import columned, split
from eyechart.cli.numbers_in import Fraction
from eyechart.cli.output import Answer, answers, points
from eyechart.cli.tabled import open_table, provenance, table_options
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.power import ResamplingLimit
from eyechart.stats.repeats import NoiseSplit
from eyechart.stats.runs import Centre, RunSpread


@click.command("summarize")
@table_options()
@click.option("--by", metavar="COLUMN,...", help="One score for each label, e.g. model.")
@click.option("--k", "ks", metavar="K,...", help="Also pass@k and pass^k.")
@click.option("--chance", type=Fraction(), help="What guessing would score, e.g. 0.25.")
@click.option("--own-draws/--shared-draws", default=None, help="Each item and run has its own seed; or one seed a run.")
@click.option("--draws", type=click.IntRange(40), default=1000, show_default=True, help="Resamples.")
@answers("summarize")
def command(
    table: str,
    level: float,
    seed: int,
    by: str | None,
    ks: str | None,
    chance: float | None,
    draws: int,
    own_draws: bool | None,
    **where: Any,
) -> Answer:
    """How sure is each score of T, a table of scores (CSV, TSV, JSON Lines, Parquet, `-`) or a run folder.

    Two intervals, which answer two questions: the same items run again, and new items of the same kind.
    """
    columns = split(by)
    read = open_table(table, columns=columns, **where)
    found = read.summarize(
        *columns, level=level, ks=numbers(ks), chance=chance, seed=seed, draws=draws, own_draws=own_draws
    )
    data = data_of(found)
    few = all(isinstance(g.new_items, NotEstimable) for g in found.groups)
    return Answer(
        code="too_little_data" if few else "summarized",
        text=found.sentence,
        data=data,
        lines=_lines(found),
        warnings=_warnings(found),
        exit_code=3 if few else 0,
    )


def numbers(text: str | None) -> tuple[int, ...]:
    found = split(text)
    if not all(n.isdigit() and int(n) > 0 for n in found):
        raise click.BadParameter(f"whole numbers above 0, as in 1,5: not {text}", param_hint="--k")
    return tuple(int(n) for n in found)


def _warnings(found: Summaries) -> list[str]:
    """The same warning of many groups is one line."""
    who: dict[str, list[str]] = {}
    for group in found.groups:
        for warning in group.warnings:
            who.setdefault(warning, []).append(group.name)
    out = list(found.notes)
    for warning, names in who.items():
        if len(names) == len(found.groups):
            out.append(warning)
        else:
            out.append(f"{', '.join(names[:5])}{f' and {len(names) - 5} more' * (len(names) > 5)}: {warning}")
    return out


def _lines(found: Summaries) -> Iterator[str]:
    yield ""
    header = [", ".join(found.by) or "score", "score", "run again", "new items", "items", "clusters", "runs"]
    yield from columned(header, [_row(g) for g in found.groups])
    for group in found.groups:
        yield ""
        yield from _about(group, found)
    yield ""
    yield provenance(found.fingerprint)


def _row(g: Summary) -> Sequence[str]:
    clusters = "–" if g.clusters is None else f"{g.clusters:,}"
    return [g.name, points(g.score), _ends(g.repeat_it), _ends(g.new_items), f"{g.items:,}", clusters, str(g.runs)]


def _ends(number: Estimate | NotEstimable) -> str:
    if isinstance(number, NotEstimable) or number.interval is None:
        return "–"
    return f"[{points(number.interval.low)}, {points(number.interval.high)}]"


def _about(g: Summary, found: Summaries) -> Iterator[str]:
    """How the numbers of one group were made, and what its repeats say."""
    yield f"{g.name}:"
    for what, number in (("new items", g.new_items), ("run again", g.repeat_it)):
        if isinstance(number, Estimate) and number.interval is not None:
            se = "" if number.se is None else f", standard error {100 * number.se:.2f}"
            yield f"  {what}: {spoken(number)} by {number.interval.method}{se}"
        else:
            yield f"  {what}: {spoken(number)}"
    if found.own_draws is None and isinstance(g.repeat_it, Estimate) and g.repeat_it.n == g.runs < g.items:
        yield "  (whether each item and run had a draw of its own is not known; if so, --own-draws gives a narrower one)"
    if g.naive_se is not None and isinstance(g.new_items, Estimate) and g.new_items.se and g.runs > 1:
        yield (
            f"  {g.rows:,} rows taken for {g.rows:,} items would give a standard error of {100 * g.naive_se:.2f}: "
            f"wrong by a factor of {g.new_items.se / g.naive_se:.1f}"
        )
    if isinstance(g.run_scores, RunSpread):
        scores = ", ".join(points(s) for s in g.run_scores.scores[:12]) + (
            " ..." if len(g.run_scores.scores) > 12 else ""
        )
        middle = g.checks.centre if g.checks is not None else None
        middles = (
            f"; median {points(middle.median)}, trimmed mean {points(middle.trimmed)}"
            if isinstance(middle, Centre)
            else ""
        )
        yield f"  runs: {scores} (standard deviation {100 * g.run_scores.sd:.1f}{middles})"
        yield (
            f"  the lowest and highest of {len(g.run_scores.scores)} runs are no interval: they hold the next run "
            f"with chance {g.run_scores.covers_next:.2f}"
        )
    if g.checks is not None and isinstance(g.checks.noise, NoiseSplit):
        n = g.checks.noise
        yield (
            f"  items: {n.always_right:,} always right, {n.always_wrong:,} always wrong, {n.flipping:,} flip"
            + (
                ""
                if n.run_share is None
                else f"; {n.run_share:.0%} of the variance of a single score is run-to-run noise"
            )
        )
    for p in g.passes:
        yield f"  pass@{p.k}: {_passed(p.any)}; pass^{p.k}: {_passed(p.every)}"
    yield from _resampled(g, found.draws)


def _passed(number: Estimate | NotEstimable) -> str:
    if isinstance(number, NotEstimable):
        return f"not estimable ({number.reason})"
    return f"{points(number.value)} {_ends(number)}"


def _resampled(g: Summary, draws: int) -> Iterator[str]:
    both, runs = g.resampled_items, g.resampled_runs
    if isinstance(both, Estimate):
        yield f"  resampled {draws:,} times over items{' and runs' * (g.runs > 1)}: {spoken(both)}"
    if isinstance(runs, Estimate):
        yield f"  resampled {draws:,} times over runs: {spoken(runs)}"
    if isinstance(g.limit, ResamplingLimit):
        yield (
            f"  {g.limit.runs} runs resampled are still {g.limit.runs} runs: +- {100 * g.limit.half_width:.2f} points by t "
            f"for their mean, where fifty would give +- {100 * g.limit.half_width_more:.2f}; resampling {g.limit.runs} covers "
            f"{g.limit.covered:.0%}, not {g.limit.level:.0%}"
        )
