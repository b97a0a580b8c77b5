"""Are repeats repeats? Run means against what independent items allow, copies, an order, one seed for all.

Every set of repeats of an audit is one test of a family: p values are multiplied by its size (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from eyechart.analysis.together import spread_of_runs
from eyechart.auditing.evidence import NOTHING, Bools, Dossier, Exhibit, Floats, Scores
from eyechart.auditing.said import Where, found
from eyechart.core.findings import Finding
from eyechart.stats.runs import Exchangeability, same_runs

STRONG = 1e-3
"""Level over the whole family at which repeats are called none; between it and `ALPHA` a note is left."""
ALPHA = 0.05
TEXTS = 20
"""Long texts that must be equal before repeats are called copies."""
FLIPS = 10
MOST = 3_000
WARM = 0.3
"""Temperature from which equal long texts are no consequence of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatsLooked:
    """What the looks at repeats gave, over all sets."""

    sets: int = 0
    tested: int = 0
    """Sets in which items changed, so that something can be tested."""
    below: int = 0
    """With a spread that has p < .001, uncorrected."""
    corrected: int = 0
    """And p < .05 after Bonferroni."""
    by_runs: tuple[tuple[int, int, int, int], ...] = ()
    """The last three for each number of runs, which stands in front."""


@dataclass(frozen=True, slots=True)
class _Set:
    dossier: Dossier
    exhibit: Exhibit
    scores: Scores
    test: Exchangeability | None


def of_all(dossiers: Sequence[Dossier]) -> tuple[list[Finding], RepeatsLooked]:
    sets = [one for dossier in dossiers for one in _sets(dossier)]
    tests = [one.test for one in sets if one.test is not None]
    family = max(1, len(tests))
    out: list[Finding] = []
    for one in sets:
        out += _spread(one, family)
        out += _copies(one, max(1, len(sets)))
    for dossier in dossiers:
        for exhibit in dossier.exhibits:
            out += _drawn(exhibit, dossier.file)
    counts = [
        (runs, *_counts([t for t in tests if t.runs == runs], family)) for runs in sorted({t.runs for t in tests})
    ]
    tested, below, corrected = _counts(tests, family)
    return out, RepeatsLooked(sets=len(sets), tested=tested, below=below, corrected=corrected, by_runs=tuple(counts))


def _counts(tests: Sequence[Exchangeability], family: int) -> tuple[int, int, int]:
    more = [test.p_more for test in tests]
    return len(more), sum(p < STRONG for p in more), sum(p * family < ALPHA for p in more)


def _sets(dossier: Dossier) -> Iterator[_Set]:
    for exhibit in dossier.exhibits:
        if not exhibit.repeats_are_runs or not exhibit.scores:
            continue
        scores = exhibit.scores[0]
        if scores.values.shape[1] < 2 or exhibit.n < 2 or not scores.scored.any():
            continue
        found_ = spread_of_runs(scores.values, scores.scored, exhibit.clusters)
        test = found_ if found_ is not None and found_.flipping >= FLIPS else None
        yield _Set(dossier, exhibit, scores, test)


def _spread(one: _Set, family: int) -> Iterator[Finding]:
    test = one.test
    if test is None:
        return
    place = Where(one.exhibit.name, one.dossier.file)
    shown = {"sd": f"{100 * test.run_sd:.2f}", "allowed": f"{100 * test.expected_sd:.2f}", "runs": test.runs,
             "n": test.n, "family": family}  # fmt: skip
    more, less = test.p_more * family, test.p_less * family
    means = one.scores.values.mean(axis=0)
    falls = "falls" if (np.diff(means) < 0).all() else "rises" if (np.diff(means) > 0).all() else None
    if more < ALPHA:
        yield found('repeats.spread', place, {"p": _p(more), **shown}, how=falls if test.runs > 3 else None, severity=None if more < STRONG else 'note')  # fmt: skip
    elif less < STRONG and test.verdict == "too equal":
        yield found("repeats.equal", place, {"p": _p(less), **shown})
    # Runs that truly differ put right answers first as well: the order within items is told where it could be the cause.
    ordered = more >= ALPHA or falls is not None
    alone = _alone(one)
    p = sorted_p(one.scores.values[alone], one.scores.scored[alone]) if ordered else None
    if p is not None and p * family < STRONG:
        yield found("repeats.sorted", place, {"p": _p(p * family), "runs": test.runs, "n": test.flipping})


def _alone(one: _Set) -> Bools:
    """[items] of those of a cluster, which may share a draw, the first that changes; all, where there are no clusters."""
    values, scored = one.scores.values, one.scores.scored
    if one.exhibit.clusters is None:
        return np.ones(len(values), dtype=np.bool_)
    changes = np.ptp(np.where(scored, values, values[:, :1]), axis=1) > 0
    order = np.argsort(~changes, kind="stable")
    first = order[np.unique(one.exhibit.clusters[order], return_index=True)[1]]
    return np.isin(np.arange(len(values)), first)


def sorted_p(values: Floats, scored: Bools) -> float | None:
    """Chance that so many changing items have their right answers first (or all last) by luck; None: too few.

    `values`, `scored` [items, runs]. An item of c right answers of K has them in front with chance 1 / C(K, c); the sum
    over items is Poisson-binomial, and its tail is worked out exactly; twice the smaller of the two orders. Items of
    scores between 0 and 1 are left out, and of more than `MOST` changing items the first.

    >>> rng = np.random.default_rng(0)
    >>> fair = (rng.random((300, 5)) < 0.5).astype(float)
    >>> sorted_p(fair, fair >= 0) > 0.01, sorted_p(np.sort(fair)[:, ::-1], fair >= 0) < 1e-9
    (True, True)
    """
    k = values.shape[1]
    whole = scored.all(axis=1) & np.isin(values, (0.0, 1.0)).all(axis=1)
    rows = values[whole]
    right = rows.sum(axis=1).astype(int)
    rows, right = rows[(right > 0) & (right < k)], right[(right > 0) & (right < k)]
    if k < 3 or len(rows) < FLIPS:
        return None
    rows, right = rows[:MOST], right[:MOST]
    law = np.ones(1)
    for c in right:
        law = np.convolve(law, (1 - 1 / comb(k, int(c)), 1 / comb(k, int(c))))
    steps = np.diff(rows, axis=1)
    counts = (int((steps <= 0).all(axis=1).sum()), int((steps >= 0).all(axis=1).sum()))
    return min(1.0, 2 * min(float(law[n:].sum()) for n in counts))


def _copies(one: _Set, family: int) -> Iterator[Finding]:
    """Repeats that are equal in every item."""
    place = Where(one.exhibit.name, one.dossier.file)
    alone = _alone(one)
    thin = same_runs(one.scores.values[alone], mask=~one.scores.scored[alone]) if not alone.all() else ()
    for same in same_runs(one.scores.values, mask=~one.scores.scored):
        runs = ", ".join(str(run + 1) for run in same.runs)
        chance = max([same.chance, *(t.chance for t in thin if set(same.runs) <= set(t.runs))])
        if same.flipping_elsewhere and chance * family < STRONG:
            yield found("repeats.copies", place, {"runs": runs, "n": same.flipping_elsewhere, "p": _p(chance * family)})
    short, runs = _gaps(one)
    if short:
        yield found("repeats.gaps", place, {"n": short, "of": one.exhibit.n, "runs": runs})


def _gaps(one: _Set) -> tuple[int, int]:
    """Items that were asked less often than others of their task, and the most repeats of such a task.

    Tasks of a group may each have a number of their own, and a filter may give several answers one score.
    """
    if one.exhibit.lost.failed or one.exhibit.lost.cached:
        return 0, 0
    counts = np.array(one.exhibit.asked) if one.exhibit.asked else one.scores.scored.sum(axis=1)
    names = [group or "" for group in one.exhibit.groups]
    short, runs = 0, 0
    for name in dict.fromkeys(names):
        mine = counts[[n == name for n in names]]
        few = int(((mine > 0) & (mine < mine.max())).sum())
        short, runs = short + few, max(runs, int(mine.max()) if few else 0)
    return short, runs


def _drawn(one: Exhibit, file: str) -> Iterator[Finding]:
    """Whether each answer was a draw of its own: texts and seeds."""
    place = Where(one.name, file)
    if not one.repeats_are_runs or one.n < 2:
        return
    if one.repeats > 1:
        first, rest = one.answers[:, :1], one.answers[:, 1:]
        both = (first != NOTHING) & (rest != NOTHING)
        long = both & one.telling[:, :1]
        equal = both & (first == rest)
        n = int(long.sum())
        if n >= TEXTS and bool((equal == both).all()):
            warm = _heat(one) is None or (_heat(one) or 0.0) >= WARM
            shown = {"n": int(both.sum()), "runs": one.repeats}
            if one.sampled and _one_seed(one):
                yield found("repeats.seed", place, shown, how="same")
                return
            if one.sampled:
                # A cache, and a server that no temperature reached, look alike: only what a log marks is called a cache.
                yield found("repeats.same", place, shown, severity=None if warm else "warning")
            else:
                yield found("repeats.greedy", place, shown, how="said" if one.sampled is False else "unknown")
    if one.sampled and one.n >= TEXTS:
        columns = [column[column != NOTHING] for column in one.seeds.T]
        if columns and all(len(c) >= TEXTS and len(np.unique(c)) == 1 for c in columns):
            few = len(columns) < 2
            yield found(
                "repeats.seed", place, {"n": one.n, "seed": str(int(columns[0][0]))}, severity="note" if few else None
            )


def _one_seed(one: Exhibit) -> bool:
    """Whether every repeat whose seed is known was sent that of the first."""
    first, rest = one.seeds[:, :1], one.seeds[:, 1:]
    both = (first != NOTHING) & (rest != NOTHING)
    return bool(both.any()) and bool((first == rest)[both].all())


def _heat(one: Exhibit) -> float | None:
    try:
        return float(one.procedure.get("decoding.temperature", ""))
    except ValueError:
        return None


def _p(value: float) -> str:
    value = min(1.0, value)
    return f"{value:.2g}" if value >= 1e-12 else "1e-12"
