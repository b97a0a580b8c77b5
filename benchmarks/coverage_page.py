"""What every interval and test of `eyechart.stats` does where the truth is known: writes docs/coverage.md.

`python benchmarks/coverage_page.py` writes the page, `--row NAME` prints one row of it. Each row has its own
random numbers, keyed by the seed and the row's name, so that rows do not depend on each other.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from coverage_base import (
    PAGE,
    ROUNDS,
    SEED,
    Arm,
    Row,
    Table,
)
from coverage_scores import (
    false_words,
    new_clusters,
    new_items,
    paired_rows,
    paired_tests,
    repeats,
    resampled_items,
    resampled_runs,
    true_words,
)
from coverage_sets import (
    bounds,
    means,
    other_alarms,
    other_intervals,
    ranks_and_ratios,
    repeats_alike,
    shapes,
    share_alarms,
    share_rows,
    tries,
)

from eyechart.core.identity import rng_for
from eyechart.stats import (
    power,
)


class Line(NamedTuple):
    """One arm of a row, over all its rounds."""

    name: str
    arm: Arm
    rounds: int
    value: float
    error: float
    """Monte Carlo standard error of `value`."""
    size: float
    warned: float | None
    absent: float


def line_name(row: Row, arm: Arm) -> str:
    return f"{row.name}: {arm.label}" if arm.label else row.name


def measure(row: Row, rounds: int) -> list[Line]:
    """All arms of `row`, on the row's own random numbers."""
    rng, n = rng_for(SEED, "coverage", row.name), max(2, round(rounds * row.part))
    shots = [row.trial(rng) for _ in range(n)]
    lines = list[Line]()
    for i, arm in enumerate(row.arms):
        seen = [s[i] for s in shots if s[i].hit is not None]
        sizes, k = np.array([s.size for s in seen]), max(1, len(seen))
        value = sum(bool(s.hit) for s in seen) / k
        error = (value * (1 - value) / k) ** 0.5
        if arm.kind == "mean":
            value, error = float(sizes.mean()), float(sizes.std(ddof=1)) / k**0.5
        width = float(sizes.mean()) if seen else 0.0
        told = [s.warned for s in seen if s.warned is not None]
        warned = sum(told) / k if told else None
        lines.append(Line(line_name(row, arm), arm, n, value, error, width, warned, 1 - len(seen) / n))
    return lines


def mark(line: Line) -> str:
    """What is said of a line outside its band; empty inside it. It judges the numbers as they are printed."""
    arm, why = line.arm, f": {line.arm.why}" if line.arm.why else ""
    value = round(100 * line.value, 1)
    if arm.kind == "mean":
        return f"**off**{why}" if abs(line.value - (arm.promise or 0.0)) > 3 * line.error else ""
    if arm.promise is None:
        if arm.kind == "power" or 93 <= value <= 97:
            return ""
        if value > 97:
            return "wide, by construction" if arm.kind == "exact" else f"wide{why}"
        if arm.kind == "other":
            return f"short{why}"
        told = "cannot warn" if line.warned is None else f"warned in {round(100 * line.warned, 1):.0f} %"
        return f"**short**, {told}{why}"
    promise = round(100 * arm.promise, 1)
    if arm.kind == "power":
        return f"**off the formula**{why}" if abs(value - promise) > 5 else ""
    if arm.kind == "most":
        low, high = 0.0, promise + 300 * (arm.promise * (1 - arm.promise) / line.rounds) ** 0.5
    else:
        low, high = 0.6 * promise, 1.4 * promise
    if low <= value <= high:
        return ""
    return f"careful{why}" if value < low else f"too many{why}" if arm.kind == "other" else f"**too many**{why}"


HEADS = {
    "interval": ("Design", "Rounds", "Covered %", "±", "Width", "Warned %", "No interval %", "Mark"),
    "rate": ("Design", "Rounds", "Seen %", "±", "Promised %", "No answer %", "Mark"),
    "mean": ("Quantity", "Rounds", "True", "Mean", "±", "Mark"),
}


def kind(arm: Arm) -> str:
    return "mean" if arm.kind == "mean" else "interval" if arm.promise is None and arm.kind != "power" else "rate"


def cells(line: Line) -> tuple[str, ...]:
    arm, value, error = line.arm, f"{100 * line.value:.1f}", f"{100 * line.error:.1f}"
    absent, first = f"{100 * line.absent:.1f}", (line.name, str(line.rounds))
    if kind(arm) == "mean":
        return (*first, f"{arm.promise:.4f}", f"{line.value:.4f}", f"{line.error:.4f}", mark(line))
    if kind(arm) == "interval":
        warned = "-" if line.warned is None else f"{100 * line.warned:.1f}"
        return (*first, value, error, f"{line.size:.3f}", warned, absent, mark(line))
    words = {"most": "at most ", "power": "formula: ", "about": "", "other": ""}[arm.kind]
    promised = "" if arm.promise is None else f"{words}{100 * arm.promise:.1f}"
    return (*first, value, error, promised, absent, mark(line))


def show(line: Line) -> str:
    return f"| {' | '.join(cells(line))} |"


def tables() -> list[Table]:
    limit = power.resampling_limit(1.0, 10, more=50, seed=SEED)
    assert isinstance(limit, power.ResamplingLimit)
    resampling = (
        "`layered_bootstrap` with `percentile_interval` (500 draws), beside the closed form on the same data. Ten runs "
        "resampled are still ten runs: their interval by t is "
        f"{limit.half_width / limit.half_width_more:.2f} times as wide as that of fifty, whatever the number of draws, "
        f"and percentiles of ten cover {100 * limit.covered:.1f} % (± {100 * limit.covered_error:.1f}, "
        "`resampling_limit`)."
    )
    told = "What is said where nothing was planted, or where something was."
    return [
        Table(
            "New items",
            "`mean_clustered` on single runs, on means of repeats and on clusters; in clusters beside CR1 with t(G-1), "
            "which most tools print, and beside no clusters at all.",
            [*new_items(), *new_clusters()],
        ),
        Table("Repeat it", "`repeat_interval`: the same items, new runs.", list(repeats())),
        Table("Paired changes", "`paired_change`: two set-ups on the same items.", list(paired_rows())),
        Table(
            "Verdicts",
            "`compare_pair` and the tests behind it, at alpha 0.05.",
            [*false_words(), *true_words(), *paired_tests()],
        ),
        Table("Resampling", resampling, [*resampled_items(), *resampled_runs()]),
        Table("Several tries", "`pass_at_k` and `pass_all_k`, chances of items Beta(0.4, 0.6).", list(tries())),
        Table(
            "Shares of variance: intervals",
            "`factorial_shares` and `fitted_shares` with planted effects of a cue (3 levels), shots (2), the two "
            "together, and an order (2) that does nothing.",
            list(share_rows()),
        ),
        Table("Shares of variance: false alarms", "All configurations are equal.", list(share_alarms())),
        Table(
            "Shares and forecasts: bias",
            "The mean of an estimate over all rounds beside the planted value; marked where they are three "
            "errors apart.",
            list(means()),
        ),
        Table("Are runs repeats?", f"`exchangeable` and `odd_runs`. {told}", list(repeats_alike())),
        Table(
            "Curves and heat maps", f"`response_curve`, `paired_change` under Holm, `trends`. {told}", list(shapes())
        ),
        Table(
            "Other intervals",
            "Ranks, reliability, ratios of variances, aggregates, slopes, runs needed. The width of a ratio is that of "
            "its logarithm, that of `runs_for` is in runs.",
            [*ranks_and_ratios(), *other_intervals()],
        ),
        Table("Other tests", told, [*bounds(), *other_alarms()]),
    ]


INTRO = """\
# What the intervals and tests do

This page is made by `python benchmarks/coverage_page.py` and never by hand.
Each row is a simulation with known truth: data are drawn, the public function is called, and it is counted how often
the interval held the truth, or how often something was said.
There are {designs} designs and {count} lines, for intervals at nominal 95 %.
The seed is {seed}; each design has random numbers of its own, keyed by the seed and its name.
`python benchmarks/coverage_page.py --row "NAME"` makes one design again, by the name of any of its lines.

- **Rounds**: {rounds:,}, or a part of it where a round is long.
- **±**: the Monte Carlo standard error. It is 0.5 points for 95 % of 2,000 rounds, and 1.0 for 500.
- **Covered %**: of the intervals that were given. **No interval %**: rounds in which the answer was "not estimable".
- **Width**: mean width of the interval, in fractions of 1 (of scores, variances, shares or ranks).
- **Warned %**: intervals that came with a warning; "-" where the result has no place for one.
- **Mark**, for intervals: empty from 93 to 97 %. *Wide* is above. Exact methods and bounds promise at least 95 %:
  they are *wide, by construction*. **Short** is below, with the share of cases in which the result warns.
- **Mark**, for tests: *careful*, under 0.6 times the promised rate; **too many**, over 1.4 times it or, where "at most" is
  promised, more than three errors above it; **off the formula**, more than five points from the power that
  the formula gives. Nothing is promised where that column is empty: what is seen there is power.
- Lines for comparison (CR1, clusters ignored, closed forms) are marked *short* or *wide* without more words.

"""


def summary(measured: Sequence[tuple[str, Line]]) -> str:
    """How many of our own intervals lie in the band, and every line with a mark in bold."""
    ours = [round(100 * line.value, 1) for _, line in measured if line.arm.kind in ("ours", "exact")]
    wide, short = sum(v > 97 for v in ours), sum(v < 93 for v in ours)
    marked = [f"- {title}, {line.name}: {mark(line)}" for title, line in measured if "**" in mark(line)]
    return (
        f"## All that falls short\n\nOf {len(ours)} lines of intervals (without those for comparison), "
        f"{len(ours) - wide - short} lie in the band, {wide} are wide and {short} are short. "
        "These are all lines with a mark in bold.\n\n" + "\n".join(marked or ["- None."]) + "\n"
    )


def page(rounds: int) -> str:
    body, everything, designs = "", list[tuple[str, Line]](), 0
    for table in tables():
        lines = [line for row in table.rows for line in measure(row, rounds)]
        assert {kind(line.arm) for line in lines} == {kind(lines[0].arm)}, table.title
        heads = HEADS[kind(lines[0].arm)]
        body += f"## {table.title}\n\n{table.text}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
        body += "".join(f"{show(line)}\n" for line in lines) + "\n"
        everything += [(table.title, line) for line in lines]
        designs += len(table.rows)
    return INTRO.format(count=len(everything), designs=designs, seed=SEED, rounds=rounds) + body + summary(everything)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", help="print this row alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    wanted = parser.parse_args()
    if wanted.row is None:
        PAGE.write_text(page(wanted.rounds), encoding="utf-8")
        return
    every = [row for table in tables() for row in table.rows]
    found = [row for row in every if wanted.row in (row.name, *(line_name(row, arm) for arm in row.arms))]
    if not found:
        raise SystemExit(f"no row {wanted.row!r}; names stand in the first column of {PAGE.name}")
    for line in measure(found[0], wanted.rounds):
        print(show(line))


if __name__ == "__main__":
    main()
