from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import click

from eyechart.analysis.compare import Compared, OverSetUps, points, turn_text, verdict
from eyechart.analysis.runs import CELL
from eyechart.app.tables import OF, is_run, runs_table
from eyechart.cli.columns import columned, split
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers, clean
from eyechart.cli.tabled import POINTS, open_table, provenance, table_options
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.compare import Pair
from eyechart.stats.ranks import Turn


@click.command("compare")
@table_options()
@click.argument("labels", nargs=-1)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Column whose labels are compared: model, or of a run that moves no model its factor, or its set-ups (cell).",
)
@click.option(
    "--over", metavar="FACTOR,...", help="Average over the set-ups of these, and see whether the order holds."
)
@click.option("--bound", type=POINTS, default=0.01, show_default=True, help="So small a difference is the same.")
@click.option("--power", type=Finite(0.5, 0.999), default=0.8, show_default=True, help="For what would tell.")
@answers("compare")
def command(
    table: str,
    labels: tuple[str, ...],
    level: float,
    seed: int,
    by: str | None,
    over: str | None,
    bound: float,
    power: float,
    **where: Any,
) -> Answer:
    """Which is better in T, item by item: LABELS of a column (all of them where none are named).

    T is a table of scores or a run folder; instead of labels, other run folders (or RUN#cell) are compared
    with it. Of a run, each item is averaged over the set-ups of all other factors. The difference of two is second minus first. The word comes
    from the interval of the paired difference, and "the same" only from a test of equivalence.
    """
    factors = split(over)
    if labels and all(is_run(path) for path in (table, *labels)):
        read, common = runs_table([table, *labels])
        by, labels, factors = OF, (), factors or common
    else:
        read = open_table(table, columns=(by or "model", *factors), **where)
        by = by or read.usual()
        if by != CELL:  # a set-up is one level of each factor
            factors = factors or tuple(name for name in read.factors if name != by)
    found = read.compare(by, *labels, over=factors, level=level, bound=bound, power=power, seed=seed)
    data = data_of(found)
    words = [pair.verdict for pair in found.comparisons.pairs]
    code = words[0].replace(" ", "_") if len(words) == 1 else "compared"
    few = all(isinstance(p.comparison.change, NotEstimable) for p in found.comparisons.pairs)
    return Answer(
        code="too_little_data" if few else code,
        text=found.sentence,
        data=data,
        lines=_lines(found),
        warnings=[*found.notes, *found.warnings],
        exit_code=3 if few else 0,
    )


def _lines(found: Compared) -> Iterator[str]:
    pairs = found.comparisons.pairs
    if len(pairs) == 1:
        yield from (line for line in found.details if line)
    yield ""
    yield from columned([found.by, "score"], [[name, points(mean)] for name, mean in found.comparisons.means])
    clusters = "" if found.clusters is None else f" in {found.clusters:,} clusters"
    runs = ", ".join(f"{n} of {name}" for name, n in found.runs)
    yield f"{found.items:,} items{clusters}; runs: {runs}"
    yield ""
    header = ["second - first", "change", "interval", "p", "p (Holm)", "p (BH)", "higher", "lower", "smallest seen"]
    yield from columned(header, [_row(pair) for pair in pairs])
    yield ""
    if len(pairs) == 1:
        yield from _about(pairs[0], "items" if found.clusters is None else "clusters")
    else:
        yield from (verdict(pair) for pair in pairs)
        yield ""
        yield from (
            f"not distinguishable from each other: {', '.join(group)}"
            for group in found.comparisons.groups
            if len(group) > 1
        )
    if found.over is not None:
        yield ""
        yield from over_lines(found.over, found.source, found.by)
    yield ""
    yield provenance(found.fingerprint)


def _row(pair: Pair) -> list[str]:
    c = pair.comparison
    name = f"{pair.b} - {pair.a}"
    if isinstance(c.change, NotEstimable):
        return [name, *["–"] * 8]
    i = c.change.interval
    ends = f"[{points(i.low, True)}, {points(i.high, True)}]" if i else "–"
    ps = [_p(p) for p in (c.p, pair.p_holm, pair.p_bh)]
    least = "–" if c.smallest_difference is None else points(c.smallest_difference)
    return [name, points(c.change.value, True), ends, *ps, f"{c.higher:,}", f"{c.lower:,}", least]


def _p(p: float | None) -> str:
    return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}"


def _eq(p: float) -> str:
    return "< .001" if p < 0.001 else f"= {p:.3f}"


def _about(pair: Pair, units: str) -> Iterator[str]:
    c = pair.comparison
    change = c.change
    if isinstance(change, Estimate) and change.se is not None:
        method = "" if change.interval is None else f" by {change.interval.method}"
        unpaired = "" if c.unpaired_se is None else f"; unpaired it would be {100 * c.unpaired_se:.2f}"
        yield f"difference {100 * change.value:+.2f} points, standard error {100 * change.se:.2f}{method}{unpaired}"
    if c.mcnemar is not None:
        yield f"exact McNemar: p {_eq(c.mcnemar)}, from {c.higher:,} items that only {pair.b} and {c.lower:,} that only {pair.a} got right"
    yield f"sign flips of {units}: p {_eq(c.p_flip)}"
    if c.equivalence_p is not None:
        yield f"the same within {points(c.bound)} points: p {_eq(c.equivalence_p)} (two one-sided tests)"
    if c.smallest_difference is not None:
        yield f"smallest difference that this comparison would show: {points(c.smallest_difference)} points"


def over_lines(over: OverSetUps, source: str, by: str) -> Iterator[str]:
    """What the order does over set-ups."""
    yield f"over {len(over.set_ups)} set-ups of {', '.join(over.factors)}:"
    for a, b, share in over.beats:
        if not isinstance(share, NotEstimable):
            yield f"  {a} is above {b} in {share.share:.0%} of them, tied in {share.ties:.0%}"
    if not isinstance(over.flips, NotEstimable):
        yield f"  two set-ups drawn at random turn the order of a pair in {over.flips.pooled:.0%} of cases (noise turns it too)"
    if isinstance(over.concordance, Estimate) and len(over.means) > 2:
        yield f"  Kendall's W (1: the same order everywhere): {over.concordance.value:.2f}"
    for a, b, turns in over.turns:
        yield f"  {turn_text(over, a, b, turns)}"
        turn = turns.beyond_noise if isinstance(turns.beyond_noise, Turn) else turns.seen
        for place in () if turn is None else (turn.first, turn.second):
            conditions = zip(over.factors, over.set_ups[place], strict=True)
            where = " ".join(f"--where {shlex.quote(f'{factor}={label}')}" for factor, label in conditions)
            yield clean(f"    eyechart compare {shlex.join([source, a, b])} --by {shlex.quote(by)} {where}")
    names = [name for name, _ in over.means]
    if not isinstance(over.risk_adjusted, NotEstimable):
        order = ", ".join(names[i] for i in over.risk_adjusted.order)
        yield f"  by {over.risk_adjusted.rule} over set-ups: {order}"
