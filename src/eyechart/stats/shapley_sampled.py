"""Shapley values from a few orders of the fields, where all their mixtures would be too many.

An order and its reverse go together. For a game of single effects and interactions of two, one such pair gives the
exact values already: every field meets each other field once before and once behind it. So what differs between
pairs is interactions of three and more, and what their luck adds to an interval is measured by that difference.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level
from eyechart.stats.laws import t_quantile, t_two_sided
from eyechart.stats.means import TINY, cluster_sums, moments, t_estimate
from eyechart.stats.shapley import interleaved

Order = tuple[int, ...]

ONE_PAIR = "one pair of orders: the interval holds where no three fields interact"

TWO_PAIRS = "two pairs of orders: where three fields do much together the intervals may be too narrow"

POOLED = 4
"""Degrees of freedom that the upper half of the fields counts for, when a field's own variance between orders is
taken."""


MOST_BALANCED = 24
"""Fields of which orders are balanced over triples (2,024 of them): a second. More are drawn at random."""

STEPS = 20
"""Moves tried for one order, times the number of fields: behind it the balance stands still (4 to 16 fields)."""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """An estimator of all shares, linear in the scores of `coalitions`."""

    coalitions: tuple[int, ...]
    weights: FloatArray
    """[draws, fields, coalitions]: one draw where it is exact, one a pair of orders where it is sampled."""
    exact: bool

    @property
    def draws(self) -> int:
        return self.weights.shape[0]


def antithetic(fields: int, pairs: int, rng: np.random.Generator) -> tuple[tuple[Order, Order], ...]:
    """`pairs` different random orders of `range(fields)`, each with its reverse, balanced over triples of fields.

    Fewer than asked for where there are no more (half of all orders). An order and its reverse agree on which of
    three fields stands between the other two, and what those three do together goes to the outer ones. So a triple
    that has the same one in the middle in every pair has its share wrong, while the pairs agree: luck that no spread
    between pairs can show, and that one triple in nine has with three pairs drawn at random. Each order after the
    first is therefore moved, step by step, to where fewer triples have a middle that they had before. Labels play
    no part in it: each order alone is as likely as any other, and shares stay unbiased. The first orders of more
    pairs are those of fewer.

    Sources: Mitchell, Cooper, Frank and Holmes, Sampling Permutations for Shapley Value Estimation (2022), section
    4, antithetic sampling. Balance over triples is ours, by simulation (docs/explain.md).

    >>> [one] = antithetic(3, 1, np.random.default_rng(0))
    >>> one[1] == one[0][::-1], sorted(one[0])
    (True, [0, 1, 2])
    >>> len(antithetic(3, 9, np.random.default_rng(0)))
    3
    """
    most = 1
    for n in range(2, fields + 1):
        most = min(most * n, 10**9)
    balance = _Balance(fields if fields <= MOST_BALANCED else 0)
    found: dict[Order, None] = {}
    while len(found) < min(pairs, max(1, most // 2)):
        order = tuple(int(i) for i in rng.permutation(fields))
        if order in found or order[::-1] in found:
            continue
        if found and balance.triples.size:
            order = balance.better(order, found, rng)
        balance.add(order)
        found[order] = None
    return tuple((order, order[::-1]) for order in found)


class _Balance:
    """How often each field of every triple stood between the other two."""

    def __init__(self, fields: int) -> None:
        self.fields = fields
        self.triples = np.array(list(combinations(range(fields), 3)), dtype=np.intp).reshape(-1, 3)
        self.rows = np.arange(len(self.triples))
        self.seen = np.zeros(self.triples.shape, dtype=np.intp)

    def middles(self, order: Order) -> Codes:
        place = np.empty(self.fields, dtype=np.intp)
        place[list(order)] = np.arange(self.fields)
        return place[self.triples].argsort(axis=1)[:, 1]

    def cost(self, order: Order) -> int:
        return int(self.seen[self.rows, self.middles(order)].sum())

    def better(self, order: Order, taken: Container[Order], rng: np.random.Generator) -> Order:
        """`order` after a random walk over moves of one field that never raises the cost."""
        cost = self.cost(order)
        for _ in range(STEPS * self.fields):
            moved = list(order)
            away, to = (int(i) for i in rng.integers(self.fields, size=2))
            moved.insert(to, moved.pop(away))
            tried = tuple(moved)
            if tried in taken or tried[::-1] in taken:
                continue
            if (now := self.cost(tried)) <= cost:
                order, cost = tried, now
        return order

    def add(self, order: Order) -> None:
        if self.triples.size:
            self.seen[self.rows, self.middles(order)] += 1


def sampled_weights(pairs: Sequence[tuple[Order, Order]], asked: Sequence[int], free: Sequence[int]) -> Weights:
    """Weights over all fields from orders of `asked` alone; `free` ones are averaged over exactly.

    `asked` and `free` are the bits of the fields; orders are of positions in `asked`. Coalitions needed: the
    prefixes of every order, each with all 2^free sets of free fields.

    >>> w = sampled_weights([((0, 1), (1, 0))], asked=(0, 1), free=())
    >>> w.coalitions, w.weights[0].tolist()
    ((0, 1, 2, 3), [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]])
    """
    rows: list[dict[tuple[int, int], float]] = []
    for pair in pairs:
        row: dict[tuple[int, int], float] = {}
        for order in pair:
            _add_order(row, [asked[i] for i in order], free, 1 / len(pair))
        rows.append(row)
    coalitions = tuple(sorted({coalition for row in rows for _, coalition in row}))
    at = {coalition: i for i, coalition in enumerate(coalitions)}
    weights = np.zeros((len(rows), len(asked) + len(free), len(coalitions)))
    for k, row in enumerate(rows):
        for (field, coalition), weight in row.items():
            weights[k, field, at[coalition]] += weight
    return Weights(coalitions=coalitions, weights=weights, exact=False)


def _add_order(row: dict[tuple[int, int], float], order: Sequence[int], free: Sequence[int], share: float) -> None:
    before, within = interleaved(len(order), len(free))
    prefix = [0]
    for field in order:
        prefix.append(prefix[-1] | 1 << field)
    for chosen in range(2 ** len(free)):
        these = [field for i, field in enumerate(free) if chosen >> i & 1]
        extra = sum(1 << field for field in these)
        for place, field in enumerate(order):
            weight = share * float(before[place, len(these)])
            _add(row, field, prefix[place + 1] | extra, weight)
            _add(row, field, prefix[place] | extra, -weight)
        for place, start in enumerate(prefix):
            for field in free:
                if field not in these:
                    weight = share * float(within[place, len(these)])
                    _add(row, field, start | extra | 1 << field, weight)
                    _add(row, field, start | extra, -weight)


def _add(row: dict[tuple[int, int], float], field: int, coalition: int, weight: float) -> None:
    row[field, coalition] = row.get((field, coalition), 0.0) + weight


def mean_over_draws(
    draws: FloatArray, codes: Codes | None, *, level: float, names: Sequence[str]
) -> tuple[Estimate | NotEstimable, ...]:
    """Means of `draws` [pairs of orders, fields, items], with intervals over items *and* over orders.

    Items are a sample, orders are a sample, and every item meets every order: the variance of a mean is
    V_items + V_orders, where V_items is that of the items' means (`means.t_estimate`, clusters included) and
    V_orders = max(0, between - residual) / pairs, with `between` the variance of the pairs' means and `residual`
    what is left of the items within pairs. A few pairs tell little of `between`: two of three fields that act together
    may show none at all. So each field's is the larger of its own and of its own drawn towards the mean of the upper
    half of all fields, which counts as 4 degrees of freedom (`POOLED`). Never downwards, and not towards the mean of
    all: fields that do nothing agree in every order, and would make narrow what they say nothing about. Degrees of
    freedom of the sum by Satterthwaite.
    Where orders add nothing the interval is that over items, with all its care for few items that differ; it is
    never narrower. One draw: the interval over items, as for exact shares (say so where it is not: `ONE_PAIR`). p is
    of "no share".

    Coverage by simulation: docs/explain.md.
    Sources: Cameron, Gelbach and Miller (2011) on two ways of clustering; Smyth, Linear Models and Empirical Bayes
    Methods (2004), for the pooling; Satterthwaite (1946). That 4 is enough is ours, by simulation.

    >>> draws = np.array([[[0.0, 1.0, 0.0, 1.0]], [[0.0, 1.0, 0.5, 0.5]]])
    >>> [e] = mean_over_draws(draws, None, level=0.95, names=["cue"])
    >>> e.value, round(e.interval.low, 2), round(e.interval.high, 2)
    (0.5, -0.23, 1.0)
    """
    check_level(level)
    pairs = draws.shape[0]
    each = np.array(draws.mean(axis=0))
    each[np.abs(each) <= TINY] = 0.0
    alone = [
        t_estimate(row, codes, level=level, name=name, limits=(-1.0, 1.0), null=0.0)
        for row, name in zip(each, names, strict=True)
    ]
    if pairs < 2 or draws.shape[2] == 0:
        return tuple(alone)
    between, residual = _between(draws, codes)
    between, df = _pooled(between, pairs)
    extra = np.maximum(0.0, between - residual) / pairs
    return tuple(
        one if isinstance(one, NotEstimable) else _widened(one, float(extra[j]), float(between[j]) / pairs, df, pairs)
        for j, one in enumerate(alone)
    )


def orders_outweigh(draws: FloatArray, codes: Codes | None) -> tuple[bool, ...]:
    """Whether the luck of the orders is more of each field's variance than the luck of the items, [fields].

    `draws` as in `mean_over_draws`. False for all where one pair, or one item, cannot tell.

    >>> draws = np.array([[[0.0, 0.1, 0.0, 0.1]], [[0.5, 0.6, 0.6, 0.5]]])
    >>> orders_outweigh(draws, None), orders_outweigh(draws[:1], None)
    ((True,), (False,))
    """
    pairs, fields, n = draws.shape
    if pairs < 2 or n < 2 or (codes is not None and int(codes.max()) < 1):
        return (False,) * fields
    between, residual = _between(draws, codes)
    extra = np.maximum(0.0, between - residual) / pairs
    items = [moments(row, codes).se ** 2 for row in draws.mean(axis=0)]
    return tuple(bool(one > max(two, TINY)) for one, two in zip(extra, items, strict=True))


def _pooled(between: FloatArray, pairs: int) -> tuple[FloatArray, int]:
    """Each field's variance between orders, never lower than it was seen, and its degrees of freedom."""
    if between.size < 2:
        return between, pairs - 1
    df = POOLED + pairs - 1
    upper = float(np.sort(between)[between.size // 2 :].mean())
    return np.maximum(between, (POOLED * upper + (pairs - 1) * between) / df), df


def _between(draws: FloatArray, codes: Codes | None) -> tuple[FloatArray, FloatArray]:
    """Variance of the pairs' means, and the part of it that items within pairs explain; both [fields]."""
    pairs, _, n = draws.shape
    means = draws.mean(axis=2)
    left = draws - draws.mean(axis=0)[None] - means[:, :, None] + means.mean(axis=0)[None, :, None]
    sums = np.stack([cluster_sums(np.ascontiguousarray(one.T), codes).T for one in left])
    units = sums.shape[2]
    residual = np.sum(sums**2, axis=(0, 2)) / ((pairs - 1) * max(units - 1, 1)) * units / n**2
    return means.var(axis=0, ddof=1), residual


def _widened(one: Estimate, extra: float, orders: float, df: float, pairs: int) -> Estimate:
    if extra <= TINY**2 or one.interval is None or one.p is None:
        return one
    se2 = (one.se or 0.0) ** 2
    total = (se2 + extra) ** 2 / (se2**2 / (one.df or max(1, one.n - 1)) + orders**2 / df)
    se = (se2 + extra) ** 0.5
    level = one.interval.level
    half = t_quantile(0.5 + level / 2, total) * se
    low, high = max(-1.0, min(one.interval.low, one.value - half)), min(1.0, max(one.interval.high, one.value + half))
    method = f"t({total:.1f}) over items and {pairs} pairs of orders"
    p = max(one.p, t_two_sided(one.value / se, total))
    return replace(one, se=se, df=total, p=p, interval=Interval(low=low, high=high, level=level, method=method))


def tabulated(weights: Weights, values: Mapping[int, FloatArray]) -> FloatArray:
    """Shares [draws, fields, items] from the items' scores in every coalition.

    Coalitions that are one evaluation may share one array: their weights are added before anything is multiplied.

    >>> w = sampled_weights([((0, 1), (1, 0))], asked=(0, 1), free=())
    >>> low, high = np.array([0.0]), np.array([1.0])
    >>> tabulated(w, {0: low, 1: low, 2: high, 3: high}).tolist()
    [[[0.0], [1.0]]]
    """
    distinct: dict[int, int] = {}
    arrays: list[FloatArray] = []
    at: list[int] = []
    for coalition in weights.coalitions:
        array = values[coalition]
        if id(array) not in distinct:
            distinct[id(array)] = len(arrays)
            arrays.append(array)
        at.append(distinct[id(array)])
    draws, fields, _ = weights.weights.shape
    together = np.zeros((draws, fields, len(arrays)))
    for column, into in enumerate(at):
        together[:, :, into] += weights.weights[:, :, column]
    return np.asarray(together @ np.stack(arrays), dtype=np.float64)
