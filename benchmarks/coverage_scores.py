"""Rows of docs/coverage.md on one score and on two: intervals, differences, resampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from coverage_base import (
    CLUSTERS,
    NORMAL,
    OTHERS,
    SEED,
    Arm,
    Array,
    Rng,
    Row,
    clustered,
    coins,
    cover,
    expected,
    labels,
    logistic,
    says,
)
from numpy.typing import NDArray

from eyechart.core.identity import rng_for
from eyechart.core.records import NotEstimable
from eyechart.stats import (
    bootstrap,
    compare,
    intervals,
    paired,
    power,
)


def new_items() -> Iterator[Row]:
    mean = intervals.mean_clustered
    few = "the count is discrete"
    for p, n in product((0.5, 0.9, 0.97), (30, 50, 300)):
        yield cover(
            f"single runs, p {p}, n {n}",
            lambda r, p=p, n=n: coins(r, p, n),
            p,
            lambda v, s: mean(v),
            arms=[Arm(why=few)],
        )
    for a, b, n, k in ((2, 2, 30, 5), (0.5, 0.5, 200, 3), (9, 1, 50, 10)):
        yield cover(
            f"means of {k} repeats, chances Beta({a}, {b}), n {n}",
            lambda r, a=a, b=b, n=n, k=k: r.binomial(k, r.beta(a, b, n)) / k,
            a / (a + b),
            lambda v, s: mean(v),
        )


def new_clusters() -> Iterator[Row]:
    mean = intervals.mean_clustered
    for (name, sizes), icc, p in product(CLUSTERS.items(), (0.05, 0.3), (0.6, 0.95)):
        codes = labels(sizes)
        yield cover(
            f"{name}, ICC {icc}, mean {p}",
            lambda r, sizes=sizes, icc=icc, p=p: clustered(r, sizes, p, icc),
            p,
            lambda v, s, c=codes: mean(v, c),
            lambda v, s, c=codes: mean(v, c, method="cr1"),
            lambda v, s: mean(v),
            arms=OTHERS,
        )
    for p in (0.8, 0.95):
        yield cover(
            f"12 clusters of 5, each all right or all wrong, mean {p}",
            lambda r, p=p: np.repeat(coins(r, p, 12), 5),
            p,
            lambda v, s: mean(v, labels([5] * 12)),
            arms=[Arm(why="each cluster is one item in truth, too")],
        )
    groups = labels([10, 40, 200])
    by = np.array([0.5, 0.7, 0.9])
    for weigh, truth in (("items", float(by[groups].mean())), ("groups", float(by.mean()))):
        yield cover(
            f"`mean_stratified`, groups of 10, 40, 200, {weigh} of equal weight",
            lambda r: coins(r, by[groups], 250),
            truth,
            lambda v, s, weigh=weigh: intervals.mean_stratified(v, groups, weigh=weigh),
        )
    for p, n in ((0.5, 20), (0.9, 50), (0.97, 300)):
        yield cover(
            f"`clopper_pearson`, p {p}, n {n}",
            lambda r, p=p, n=n: int(r.binomial(n, p)),
            p,
            lambda x, s, n=n: intervals.clopper_pearson(x, n),
            arms=[Arm(kind="exact")],
        )


def repeats() -> Iterator[Row]:
    again = intervals.repeat_interval
    rng, flips = rng_for(SEED, "chances of items"), "few flips leave few degrees of freedom"
    kinds: dict[str, tuple[Array, Sequence[int]]] = {
        "uniform chances, 125 items": (rng.random(125), (2, 3, 5, 10)),
        "u-shaped chances, 300 items": (rng.beta(0.2, 0.2, 300), (2, 3, 5, 10)),
        "4 flaky of 100 items": (np.where(np.arange(100) < 4, 0.5, np.round(rng.random(100))), (3, 10)),
        "flips of one in a hundred, 100 items": (np.where(rng.random(100) < 0.6, 0.99, 0.01), (3, 10)),
    }
    for name, (p, counts) in kinds.items():
        for k in counts:
            yield cover(
                f"{name}, {k} runs",
                lambda r, p=p, k=k: coins(r, p[:, None], p.size, k),
                float(p.mean()),
                lambda x, s: again(x),
                arms=[Arm(why=flips)],
            )
    rare = 1 - 0.05 ** (1 / 20)
    yield cover(
        "rare flips, 20 items, 2 runs",
        lambda r: coins(r, rare, 20, 2),
        rare,
        lambda x, s: again(x),
        arms=[Arm(why=flips)],
    )

    p = rng.random(80)

    def gaps(r: Rng) -> tuple[Array, NDArray[np.bool_]]:
        mask = r.random((80, 4)) < 0.3
        mask[:, 0] = False  # each item keeps a run, so that the mean wanted stays the same
        return coins(r, p[:, None], 80, 4), mask

    yield cover("uniform chances, 80 items, 4 runs, gaps", gaps, float(p.mean()), lambda x, s: again(x[0], mask=x[1]))
    base = rng.normal(0, 1.5, 100)
    missed = "few runs that move together"
    for k, sd in product((5, 10), (0.1, 0.25, 0.5)):
        yield cover(
            f"one seed for all 100 items, logits moved by sd {sd}, {k} runs",
            lambda r, k=k, sd=sd: coins(r, logistic(base[:, None] + r.normal(0, sd, k)), 100, k),
            expected(lambda z: logistic(base[:, None] + z).mean(axis=0), sd),
            lambda x, s: again(x),
            lambda x, s: again(x, by="items"),
            lambda x, s: again(x, by="runs"),
            arms=(Arm("by=auto", why=missed), Arm("by=items", "other", why="told nothing of the seed"), Arm("by=runs")),
        )


def changes(rng: Rng, up: float, down: float, n: int, size: int = 1) -> tuple[Array, Array]:
    """Single runs of b and a: b alone right in `up`, a alone in `down`, whole clusters of `size` alike."""
    u, both = np.repeat(rng.random(n // size), size), coins(rng, 0.5, n)
    a = np.where(u < up, 0.0, np.where(u < up + down, 1.0, both))
    return np.where(u < up, 1.0, np.where(u < up + down, 0.0, both)), a


def moved(rng: Rng, sizes: Sequence[int], gap: float, k: int) -> tuple[Array, Array]:
    """k runs of b and a: items and clusters of their own difficulty for each, b better by `gap` on average."""
    easy = rng.uniform(0.3, 0.6, sum(sizes))
    own = rng.uniform(-0.2, 0.2, (2, len(sizes)))[:, labels(sizes)]
    b, a = (coins(rng, (easy + shift)[:, None], easy.size, k) for shift in (own[0] + gap, own[1]))
    return b, a


def paired_rows() -> Iterator[Row]:
    change = paired.paired_change
    sparse = "few items changed"
    for up, down, n in ((0.2, 0.2, 125), (0.25, 0.15, 50), (0.08, 0.02, 200), (0.01, 0.01, 1000), (0.03, 0, 100)):
        yield cover(
            f"changes +{up} -{down}, n {n}",
            lambda r, up=up, down=down, n=n: changes(r, up, down, n),
            up - down,
            lambda x, s: change(*x),
            arms=[Arm(why=sparse)],
        )
    for name, sizes in CLUSTERS.items():
        codes = labels(sizes)
        yield cover(
            f"{name}, single runs, change 0.05",
            lambda r, sizes=sizes: moved(r, sizes, 0.05, 1),
            0.05,
            lambda x, s, c=codes: change(x[0][:, 0], x[1][:, 0], c),
            lambda x, s, c=codes: change(x[0][:, 0], x[1][:, 0], c, method="cr1"),
            arms=OTHERS[:2],
        )
    for n, k in ((30, 5), (125, 5)):
        yield cover(
            f"means of {k} repeats, n {n}, change 0.05",
            lambda r, n=n, k=k: moved(r, [1] * n, 0.05, k),
            0.05,
            lambda x, s: change(x[0].mean(axis=1), x[1].mean(axis=1)),
        )


def word(b: Array, a: Array, c: Any = None, bound: float = 0.0001) -> str:
    found = compare.compare_pair(a.reshape(len(a), -1), b.reshape(len(b), -1), c, bound=bound)
    return found.verdict if isinstance(found, compare.Comparison) else ""


def false_words() -> Iterator[Row]:
    better = Arm("said better", "about", 0.05, "few effective clusters")
    for name, sizes, k in (("100 items, single runs", [1] * 100, 1), ("100 items, 5 runs", [1] * 100, 5)):
        yield says(f"no change, {name}", lambda r, s=sizes, k=k: "better" in word(*moved(r, s, 0, k)), better, part=0.5)
    for name in ("25 clusters of 3 to 7", "8 clusters of 10", "10 skewed clusters (40 to 3)"):
        yield says(
            f"no change, {name}, 5 runs",
            lambda r, s=CLUSTERS[name]: "better" in word(*moved(r, s, 0, 5), labels(s)),
            better,
            part=0.5,
        )
    exact = Arm("said better", "most", 0.05)
    yield says("no change, 6 changed of 300 items", lambda r: "better" in word(*changes(r, 0.01, 0.01, 300)), exact)
    for up, down, n, size in ((0.25, 0.2, 1000, 1), (0.06, 0.01, 400, 1), (0.05, 0, 200, 1), (0.05, 0, 800, 4)):
        yield says(
            f"change at the bound 0.05: +{up} -{down}, n {n}, clusters of {size}",
            lambda r, u=up, d=down, n=n, z=size: word(*changes(r, u, d, n, z), labels([z] * (n // z)), 0.05) == "same",
            Arm("said same", "most", 0.05),
            part=0.5,
        )


def true_words() -> Iterator[Row]:
    yield says(
        "no change, +0.1 -0.1, n 1500, bound 0.05",
        lambda r: word(*changes(r, 0.1, 0.1, 1500), None, 0.05) == "same",
        Arm("said same", "power", 2 * NORMAL.cdf(0.05 / (0.2 / 1500) ** 0.5 - 1.644854) - 1),
        part=0.25,
    )
    for gap in (0.03, 0.06, 0.09, 0.12):
        formula = NORMAL.cdf(gap / ((0.3 - gap**2) / 400) ** 0.5 - 1.959964)
        yield says(
            f"change {gap}, 0.3 of 400 items changed",
            lambda r, g=gap: word(*changes(r, 0.15 + g / 2, 0.15 - g / 2, 400)) == "b is better",
            Arm("said better", "power", formula),
            part=0.25,
        )
    enough = power.items_for(0.06, (0.3 - 0.06**2) ** 0.5)
    assert isinstance(enough, int)
    yield says(
        f"change 0.06, the {enough} items of `items_for` at power 0.8",
        lambda r: word(*changes(r, 0.18, 0.12, enough)) == "b is better",
        Arm("said better", "power", 0.8),
        part=0.25,
    )


def paired_tests() -> Iterator[Row]:
    def family(r: Rng) -> bool:
        easy = r.standard_normal((80, 1))
        models = {str(m): coins(r, logistic(easy + 0.7 * r.standard_normal((80, 1))), 80, 2) for m in range(4)}
        found = compare.compare_all(models, bound=0.0001)
        return isinstance(found, compare.Comparisons) and any("better" in p.verdict for p in found.pairs)

    yield says("`compare_all`, 4 equal models", family, Arm("any said better", "most", 0.05), part=0.4)
    for n, share in ((100, 0.3), (100, 0.1)):

        def tests(r: Rng, n: int = n, share: float = share) -> tuple[bool | None, ...]:
            b, a = changes(r, share / 2, share / 2, n)
            exact = paired.mcnemar_exact(int((b > a).sum()), int((b < a).sum()))
            return exact < 0.05, paired.sign_flip_p(b - a, seed=int(r.integers(2**31)), draws=999) < 0.05

        arms = [Arm(x, "most", 0.05) for x in ("`mcnemar_exact`", "`sign_flip_p`")]
        yield says(f"no change, {share} of {n} items changed", tests, *arms)
    s, c = CLUSTERS["10 skewed clusters (40 to 3)"], labels(CLUSTERS["10 skewed clusters (40 to 3)"])
    yield says(
        "no change, `sign_flip_p` over 10 skewed clusters, all flips",
        lambda r: paired.sign_flip_p(np.subtract(*moved(r, s, 0, 1))[:, 0], c, seed=0) < 0.05,
        Arm("", "most", 0.05),
    )


def boot(x: Array, s: int, **how: Any) -> Any:
    draws = bootstrap.layered_bootstrap(x, seed=s, draws=500, **how)
    return draws if isinstance(draws, NotEstimable) else bootstrap.percentile_interval(draws[:, 0])


def bca(x: Array, s: int) -> Any:
    draws = bootstrap.bootstrap_means([x], seed=s)
    return draws if isinstance(draws, NotEstimable) else bootstrap.bca_interval(draws[:, 0], x)


def resampled_items() -> Iterator[Row]:
    few = "few items or clusters: percentiles know no t"
    for n in (100, 10):
        yield cover(
            f"by=items: {n} new items, 10 runs",
            lambda r, n=n: coins(r, r.beta(2, 2, (n, 1)), n, 10),
            0.5,
            lambda x, s: boot(x, s, by="items"),
            lambda x, s: intervals.mean_clustered(x.mean(axis=1)),
            arms=(Arm("percentiles", why=few), Arm("t of item means", "other")),
            part=0.25,
        )
    sizes = CLUSTERS["25 clusters of 3 to 7"]
    yield cover(
        "by=items: 25 clusters of 3 to 7, ICC 0.3, one run",
        lambda r: clustered(r, sizes, 0.6, 0.3)[:, None],
        0.6,
        lambda x, s: boot(x, s, by="items", clusters=labels(sizes)),
        lambda x, s: intervals.mean_clustered(x[:, 0], labels(sizes)),
        arms=(Arm("percentiles", why=few), Arm("CR2", "other")),
        part=0.25,
    )
    yield cover(
        "30 skewed items, Beta(0.5, 4)",
        lambda r: r.beta(0.5, 4, 30),
        1 / 9,
        bca,
        lambda x, s: boot(x[:, None], s, by="items"),
        lambda x, s: intervals.mean_clustered(x),
        arms=(
            Arm("BCa", why="30 skewed values are few"),
            Arm("percentiles", why="30 skewed values are few"),
            Arm("t, Wilson shape", "other"),
        ),
        part=0.25,
    )


def resampled_runs() -> Iterator[Row]:
    p = rng_for(SEED, "layered").beta(2, 2, 100)
    for k in (3, 10):
        yield cover(
            f"by=runs: the same 100 items, {k} runs",
            lambda r, k=k: coins(r, p[:, None], 100, k),
            float(p.mean()),
            lambda x, s: boot(x, s, by="runs"),
            lambda x, s: intervals.repeat_interval(x),
            arms=(Arm("percentiles"), Arm("`repeat_interval`", "other")),
            part=0.25,
        )
    few = "ten runs resampled are ten runs: no better than z with their own sd"
    for sd in (0.0, 0.03, 0.1):
        yield cover(
            f"by=both: 100 new items, 10 new runs, all items moved by sd {sd} together",
            lambda r, sd=sd: coins(r, np.clip(r.beta(2, 2, (100, 1)) + r.normal(0, sd, 10), 0, 1), 100, 10),
            0.5,
            lambda x, s: boot(x, s, by="both", shared=True),
            lambda x, s: boot(x, s, by="items"),
            arms=(Arm("percentiles, shared", why=few), Arm("percentiles of items alone", "other")),
            part=0.25,
        )
    for k in (5, 10, 50):
        yield cover(
            f"by=runs, shared: run scores alone, {k} runs",
            lambda r, k=k: np.tile(np.clip(r.normal(0.5, 0.05, (1, k)), 0, 1), (2, 1)),
            0.5,
            lambda x, s: boot(x, s, by="runs", shared=True),
            lambda x, s: intervals.repeat_interval(x, by="runs"),
            arms=(Arm("percentiles", why=few.replace("ten", str(k))), Arm("t of run means", "other")),
            part=0.5,
        )
