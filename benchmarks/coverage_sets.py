"""Rows of docs/coverage.md on many set-ups: shares, forecasts, curves, ranks; pass@k and alarms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from coverage_base import (
    Arm,
    Array,
    Rng,
    Row,
    Shot,
    coins,
    cover,
    covered,
    expected,
    labels,
    logistic,
    one_p,
    says,
)

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats import (
    curves,
    decision,
    intervals,
    paired,
    passk,
    power,
    ranks,
    runs,
    spread,
    suites,
    variances,
)
from eyechart.stats import shares as parts
from eyechart.stats.anova import Anova, crossed_anova
from eyechart.stats.multiple import holm


def tries() -> Iterator[Row]:
    a, b = 0.4, 0.6
    crowd = labels([4] * 30)
    for k, (n, crowded) in product((1, 2, 5), ((30, False), (120, False), (120, True))):
        j, where = np.arange(k), (crowd if crowded else np.arange(n))
        any_right, all_right = 1 - float(np.prod((b + j) / (a + b + j))), float(np.prod((a + j) / (a + b + j)))
        for sign, function, truth in (("@", passk.pass_at_k, any_right), ("^", passk.pass_all_k, all_right)):
            if sign == "^" and k == 1:
                continue  # the same as pass@1
            yield cover(
                f"pass{sign}{k}, 10 tries of {n} items" + (", 30 clusters of 4 alike" if crowded else ""),
                lambda r, w=where: r.binomial(10, r.beta(a, b, w.max() + 1)[w]),
                truth,
                lambda c, s, f=function, k=k, w=where: f(c, np.full(c.size, 10), k, w),
                arms=[Arm(why="most items are at 0 or 1")],
            )


SIZES, FACETS = (3, 2, 2), ("cue", "shots", "order")
CUE, SHOTS = np.array([-0.1, 0.0, 0.1]).reshape(3, 1, 1), np.array([-0.03, 0.03]).reshape(1, 2, 1)
BOTH = 0.04 * np.array([[1, -1], [0, 0], [-1, 1]])[..., None]
CHANCE: Array = np.zeros(SIZES) + CUE + SHOTS + BOTH
PLANTED = {name: float(np.mean(x * x)) * 12 / 11 for name, x in (("cue", CUE), ("shots", SHOTS), ("cue x shots", BOTH))}
WHOLE = sum(PLANTED.values())


def answers(rng: Rng, chance: Array, n: int, taste: float = 0.0) -> Array:
    """Scores [3, 2, 2, n]; `taste` is how differently the items take to the cues."""
    easy = rng.uniform(0.3, 0.7, n) + taste * rng.uniform(-1, 1, (3, 1, 1, n))
    return coins(rng, np.clip(chance[..., None] + easy, 0, 1), *SIZES, n)


def share_rows() -> Iterator[Row]:
    def both(r: Rng, n: int) -> list[Shot]:
        found = parts.factorial_shares(answers(r, CHANCE, n), FACETS, seed=int(r.integers(2**31)), draws=400)
        assert isinstance(found, parts.Shares)
        by = {p.name: p for p in found.parts}
        of = [covered(by[name].interval, value) for name, value in PLANTED.items()]
        return of + [covered(by[name].share_interval, value / WHOLE) for name, value in PLANTED.items()]

    near = "an effect near its own noise"
    arms = [Arm(f"{what} of {name}", why=near) for what in ("variance", "share") for name in PLANTED]
    for n in (100, 300, 1000):
        yield Row(f"`factorial_shares`, {n} items", lambda r, n=n: both(r, n), arms, 0.4)
    levels = np.array(list(product(*map(range, SIZES))))[:-2]
    chance = (CHANCE - BOTH).reshape(12)[:-2]
    wobble = 1e-6 * np.sin(np.arange(200) + np.arange(10)[:, None] ** 2)
    exact = parts.fitted_shares(levels, 0.5 + chance[:, None] + wobble, FACETS, seed=0, draws=40)
    assert isinstance(exact, parts.Shares)
    truth = [p.raw for p in exact.parts[:2]]

    def fitted(r: Rng) -> list[Shot]:
        table = coins(r, chance[:, None] + r.uniform(0.3, 0.7, 200), 10, 200)
        found = parts.fitted_shares(levels, table, FACETS, seed=int(r.integers(2**31)), draws=400)
        assert isinstance(found, parts.Shares)
        return [covered(p.interval, t) for p, t in zip(found.parts[:2], truth, strict=True)]

    yield Row(
        "`fitted_shares`, 10 of 12 configurations, 200 items",
        fitted,
        [Arm("variance of cue"), Arm("variance of shots", why=near)],
        0.4,
    )


def share_alarms() -> Iterator[Row]:
    easy = "F takes the noise of all parts to be alike"
    for taste in (0.0, 0.3):

        def null(r: Rng, taste: float = taste) -> tuple[bool, ...]:
            table = answers(r, np.zeros(SIZES), 100, taste)
            found = parts.factorial_shares(table, FACETS, seed=0, draws=40)
            assert isinstance(found, parts.Shares)
            return isinstance(found.parts[0].share, float), found.parts[0].p < 0.05

        arms = [Arm("shares given", "about", 0.05, easy), Arm("cue moves, p < .05", "about", 0.05)]
        yield says(f"12 equal configurations, 100 items, taste {taste}", null, *arms, part=0.5)

    yield says(
        "`crossed_spread`, 8 equal configurations, 100 items",
        lambda r: one_p(spread.crossed_spread(coins(r, r.uniform(0.1, 0.9, 100), 8, 100))),
        Arm("", "about", 0.05),
    )
    codes = labels([3, 4, 5, 6, 7] * 5)
    yield says(
        "`crossed_spread`, 8 equal configurations, 25 clusters of 3 to 7 moved by each",
        lambda r: one_p(
            spread.crossed_spread(
                coins(r, r.uniform(0.3, 0.7, 125) + r.uniform(-0.3, 0.3, (8, 25))[:, codes], 8, 125), codes
            )
        ),
        Arm("", "about", 0.05, "an approximation with clusters"),
    )

    def apart(r: Rng) -> bool | None:
        found = [intervals.mean_clustered(coins(r, 0.6, 100)) for _ in range(8)]
        values = [(e.value, e.se) for e in found if isinstance(e, Estimate) and e.se]
        return one_p(spread.noise_corrected_sd(*zip(*values, strict=True)))

    yield says("`noise_corrected_sd`, 8 equal means of 100 items each", apart, Arm("", "about", 0.05))


COMPONENTS = {("cue",): 0.004, ("item",): 0.09, ("cue", "item"): 0.02, ("cue", "item", "run"): 0.08}
HERE, LATER = {"cue": 6, "item": 20, "run": 2}, {"cue": 12, "item": 100, "run": 1}


def measured(rng: Rng, numbers: dict[str, int]) -> Array:
    """Normal scores [cue, item, run] of true mean 0."""
    shapes = ([n if f in facets else 1 for f, n in numbers.items()] for facets in COMPONENTS)
    drawn = (v**0.5 * rng.normal(size=s) for v, s in zip(COMPONENTS.values(), shapes, strict=True))
    return np.asarray(sum(drawn))


def means() -> Iterator[Row]:
    def planted(r: Rng) -> list[Shot]:
        found = parts.factorial_shares(answers(r, CHANCE, 300), FACETS, seed=0, draws=40)
        assert isinstance(found, parts.Shares)
        by = {p.name: p for p in found.parts}
        values = [by[name].variance for name in (*PLANTED, "order")]
        ratios = [by[name].share for name in (*PLANTED, "order")]
        told = [Shot(True, v) if isinstance(v, float) else Shot(None) for v in ratios]
        return [*(Shot(True, 1000 * v) for v in values), *told]

    truth = {**PLANTED, "order": 0.0}
    arms = [Arm(f"variance of {name} x 1000", "mean", 1000 * v) for name, v in truth.items()]
    arms += [Arm(f"share of {name}", "mean", v / WHOLE, "a ratio; under 0.01 off") for name, v in truth.items()]
    yield Row("`factorial_shares`, 300 items, mean estimates", planted, arms, 0.25)

    def study(r: Rng) -> list[Shot]:
        table = measured(r, HERE)
        found = crossed_anova(table, ("cue", "item"), repeats=True)
        assert isinstance(found, Anova)
        forecasts = [decision.decision_study(found.components, n).variance for n in (HERE, LATER)]
        happened = [float(table.mean()) ** 2, float(measured(r, LATER).mean()) ** 2]
        return [Shot(True, 1000 * x) for x in (*happened, *forecasts)]

    planned = [1000 * decision.decision_study(COMPONENTS, n).variance for n in (HERE, LATER)]
    where = ("as measured", "12 cues, 100 items, one run")
    clip = "components are cut at 0, which lifts the forecast"
    arms = [
        *(Arm(f"squared error of the mean x 1000, {w}", "mean", v) for w, v in zip(where, planned, strict=True)),
        *(Arm(f"forecast x 1000 from one study, {w}", "mean", v, clip) for w, v in zip(where, planned, strict=True)),
    ]
    yield Row("`decision_study`, 6 cues, 20 items, 2 runs", study, arms)


def repeats_alike() -> Iterator[Row]:
    def odd(x: Array, alpha: float) -> bool | None:
        found = runs.exchangeable(x, alpha=alpha)
        return None if isinstance(found, NotEstimable) else found.verdict in ("spread too much", "too equal")

    careful = "sums of 0/1 scores are a lattice"
    for n, k in ((60, 3), (60, 5), (200, 10)):
        yield says(
            f"independent runs, {n} items, {k} runs",
            lambda r, n=n, k=k: tuple(odd(x, a) for x in [coins(r, r.beta(2, 2, (n, 1)), n, k)] for a in (0.01, 0.05)),
            Arm("alpha 0.01 (default)", "about", 0.01, careful),
            Arm("alpha 0.05", "about", 0.05, careful),
        )
    for sd, (n, k) in product((0.1, 0.25, 0.5), ((200, 5), (200, 10))):
        yield says(
            f"one seed for all items, logits moved by sd {sd}, {n} items, {k} runs",
            lambda r, n=n, k=k, sd=sd: odd(
                coins(r, logistic(r.normal(0, 1.5, (n, 1)) + r.normal(0, sd, k)), n, k), 0.01
            ),
            Arm("seen at alpha 0.01", "power"),
        )

    def outlier(r: Rng, by: float) -> bool | None:
        found = runs.odd_runs(r.normal(0.6, 0.02, 8) + by * np.eye(8)[0])
        return None if isinstance(found, NotEstimable) else bool(found)

    yield says("`odd_runs`, 8 normal runs", lambda r: outlier(r, 0), Arm("any named", "most", 0.05))
    yield says("`odd_runs`, 8 runs, one 6 sd off", lambda r: outlier(r, 0.12), Arm("any named", "power"))


def curve(rng: Rng, shape: Array, n: int, bound: float) -> curves.CurveResult:
    easy = rng.uniform(0.25, 0.75, n)
    found = curves.response_curve(
        np.linspace(0, 1, shape.size), coins(rng, easy + shape[:, None], shape.size, n), bound=bound
    )
    assert isinstance(found, curves.CurveResult)
    return found


def shapes() -> Iterator[Row]:
    line = np.linspace(0, 1, 5)

    def null(r: Rng) -> tuple[bool | None, ...]:
        c = curve(r, 0 * line, 150, 0.0001)
        return one_p(c.slope), c.p_bend is not None and c.p_bend < 0.05, c.jump is not None or c.turns

    arms = [Arm("slope, p < .05", "about", 0.05), Arm("bend, p < .05", "about", 0.05)]
    arms.append(Arm("a jump or a turn", "most", 0.05))
    yield says("flat curve, 5 levels, 150 items", null, *arms, part=0.5)
    yield says(
        "change of exactly the bound 0.1, 500 items",
        lambda r: curve(r, 0.1 * line, 500, 0.1).verdict == "flat",
        Arm("said flat", "most", 0.05),
        part=0.5,
    )
    for word, height, n in (("flat", 0.0, 2000), ("slopes", 0.1, 300), ("slopes", 0.2, 300)):
        yield says(
            f"change {height} over the range, {n} items, bound 0.05",
            lambda r, w=word, h=height, n=n: curve(r, h * line, n, 0.05).verdict == w,
            Arm(f"said {word}", "power"),
            part=0.25,
        )

    def heat(r: Rng) -> tuple[bool, bool]:
        easy = r.uniform(0.2, 0.8, 150)
        base = coins(r, easy, 150)
        found = [paired.paired_change(coins(r, easy, 150), base) for _ in range(40)]
        ps = [e.p for e in found if isinstance(e, Estimate) and e.p is not None]
        return bool((holm(ps) < 0.05).any()), min(ps) < 0.05

    yield says(
        "heat map: 40 set-ups equal to one baseline, 150 items",
        heat,
        Arm("any change shown, Holm", "most", 0.05),
        Arm("any change shown, uncorrected", "other", 0.05, "what no correction does"),
        part=0.5,
    )

    def contradiction(r: Rng) -> bool:
        found = dict[str, Estimate | NotEstimable]()
        for i in range(6):
            easy = r.uniform(0.2, 0.8, 200)
            found[str(i)] = paired.paired_change(coins(r, easy, 200), coins(r, easy, 200))
        t = suites.trends(found)
        return bool(t.up or t.down)

    yield says("`trends`, 6 benchmarks that did not move", contradiction, Arm("any up or down", "most", 0.05))


def ranks_and_ratios() -> Iterator[Row]:
    few = "few values, far from normal"
    for m, rho in ((12, 0.8), (30, 0.8), (30, 0.0)):
        truth = 2 / np.pi * float(np.arcsin(rho)), 6 / np.pi * float(np.arcsin(rho / 2))

        def agreement(r: Rng, m: int = m, rho: float = rho, truth: tuple[float, float] = truth) -> list[Shot]:
            x = r.standard_normal(m)
            y = rho * x + (1 - rho**2) ** 0.5 * r.standard_normal(m)
            found = suites.rank_agreement(x, y, draws=400, seed=int(r.integers(2**31)))
            assert isinstance(found, suites.RankAgreement)
            return [covered(found.tau, truth[0]), covered(found.spearman, truth[1])]

        arms = [Arm("tau", why=few), Arm("Spearman", why=few)]
        yield Row(f"`rank_agreement`, {m} models, correlation {rho}", agreement, arms, 0.25)
    true = np.array([-1.5, -1, -0.5, -0.25, 0, 0, 0.25, 0.5, 1, 1.5])
    for sd in (0.0, 0.03, 0.1):

        def again(r: Rng, sd: float = sd) -> list[Shot]:
            p = r.uniform(0.3, 0.7, 100) + sd * true[:, None] / true.std(ddof=1)
            noise = float(np.mean(p * (1 - p))) / 100
            found = variances.reliability(coins(r, p, 10, 100), draws=400, seed=int(r.integers(2**31)))
            return [covered(found, sd**2 / (sd**2 + noise))]

        yield Row(f"`reliability`, 10 configurations of sd {sd}, 100 items", again, [Arm(why=few)], 0.25)
    codes = labels([3] * 40)

    def noisy(r: Rng, sharp: float) -> Array:
        logit = sharp * (r.standard_normal(120) + r.standard_normal(40)[codes])
        return coins(r, logistic(logit)[:, None], 120, 4)

    noise = [expected(lambda z: logistic(z) * (1 - logistic(z)), s * 2**0.5) for s in (1, 3)]
    for s in (1, 3):
        yield Row(
            f"`run_noise_ratio`, 40 clusters of 3, 4 runs, true ratio {noise[s // 2] / noise[0]:.2f}",
            lambda r, s=s: [
                covered(variances.run_noise_ratio(noisy(r, s), noisy(r, 1), codes), noise[s // 2] / noise[0], True)
            ],
        )
    for c, f in product((6, 12, 30), (1, 2)):
        yield Row(
            f"`spread_ratio`, {c} skewed values each, true ratio {f**2}",
            lambda r, c=c, f=f: [
                covered(variances.spread_ratio(f * r.beta(5, 2, c), r.beta(5, 2, c)), f**2, ratio=True)
            ],
            [Arm(why=few)],
        )


def other_intervals() -> Iterator[Row]:
    score = intervals.mean_clustered
    for weights, truth in (("equal", (2 / 3 + 1 / 4 + 1 / 2) / 3), ("items", (12 * 2 / 3 + 40 / 4 + 300 / 2) / 352)):
        yield cover(
            f"`aggregate`, benchmarks of 12, 40 and 300 items, weights {weights}",
            lambda r: [score(v) for v in (r.beta(2, 1, 12), r.beta(1, 3, 40), r.beta(2, 2, 300))],
            truth,
            lambda e, s, w=weights: suites.aggregate(e, w),
        )
    line = np.linspace(0, 1, 5)
    for n in (50, 300):
        yield Row(
            f"`response_curve`, change 0.1 over 5 levels, {n} items",
            lambda r, n=n: [covered(curve(r, 0.1 * line, n, 0.02).slope, 0.1)],
            part=0.5,
        )
    gaps = np.linspace(-0.1, 0.16, 12)

    def beaten(r: Rng) -> list[Shot]:
        easy = r.uniform(0.25, 0.75, 500)
        a, b = coins(r, easy + gaps[:, None], 12, 500), coins(r, easy, 12, 500)
        return [covered(ranks.beats(a, b, seed=int(r.integers(2**31)), draws=400), float((gaps > 0).mean()))]

    yield Row("`beats`, 12 configurations, 500 items", beaten, [Arm(why="a share of 12 moves in steps")], 0.2)
    needed = power.runs_for(0.018, 0.005)
    assert isinstance(needed, power.Needed)

    def pilot(r: Rng) -> list[Shot]:
        found = power.runs_for(float(r.normal(0, 0.018, 10).std(ddof=1)), 0.005, pilot=10)
        assert isinstance(found, power.Needed)
        return [Shot((found.low or 0) <= needed.t <= (found.high or 0), float((found.high or 0) - (found.low or 0)))]

    yield Row("`runs_for`, low to high, pilot of 10 runs", pilot)


def bounds() -> Iterator[Row]:
    def missed(found: Any, truth: float, applies: bool) -> bool:
        return applies and covered(found, truth).hit is False

    right, bound = 0.025 ** (1 / 12) - 1e-6, 1 - 0.05 ** (1 / 50) + 1e-6

    def all_right(r: Rng) -> bool:
        x = np.repeat(coins(r, right, 12), 5)
        return missed(intervals.mean_clustered(x, labels([5] * 12)), right, bool(x.all()))

    def no_flips(r: Rng) -> bool:
        x = coins(r, bound, 50, 2)
        return missed(intervals.repeat_interval(x), bound, not np.ptp(x, axis=1).any())

    def no_change(r: Rng) -> bool:
        x = coins(r, bound, 50)
        return missed(paired.paired_change(x, np.zeros(50)), bound, not x.any())

    worst = "the truth just beyond it"
    promises = ((all_right, "12 clusters, all right", 0.025), (no_flips, "no item flipped", 0.05))
    for trial, name, promise in (*promises, (no_change, "no item changed", 0.05)):
        yield says(f"exact bound where {name}, {worst}", trial, Arm("it misses", "most", promise))


def other_alarms() -> Iterator[Row]:
    for m in (7, 12):

        def unrelated(r: Rng, m: int = m) -> tuple[bool | None, ...]:
            found = suites.rank_agreement(r.random(m), r.random(m), draws=199, seed=int(r.integers(2**31)))
            assert isinstance(found, suites.RankAgreement)
            return one_p(found.tau), one_p(found.spearman)

        arms = [Arm(x, "most", 0.05) for x in ("tau, p < .05", "Spearman, p < .05")]
        yield says(f"`rank_agreement`, {m} models, unrelated", unrelated, *arms, part=0.25)
    yield says(
        "`kendall_tau`, 10 models, unrelated",
        lambda r: one_p(ranks.kendall_tau(r.random(10), r.random(10))),
        Arm("", "most", 0.05),
    )
    yield says(
        "`kendall_w`, 7 models, 8 configurations, unrelated",
        lambda r: one_p(ranks.kendall_w(r.random((7, 8)))),
        Arm("", "about", 0.05, "chi-square is rough here"),
    )
    for f, arm in ((1, Arm("", "most", 0.05)), (2, Arm("", "power"))):
        yield says(
            f"`spread_ratio`, 12 skewed values each, true ratio {f**2}, p < .05",
            lambda r, f=f: one_p(variances.spread_ratio(f * r.beta(5, 2, 12), r.beta(5, 2, 12))),
            arm,
        )

    def items(r: Rng, sharp: float) -> Array:
        return coins(r, logistic(sharp * r.normal(0, 1.4, 120))[:, None], 120, 4)

    for s, arm in ((1, Arm("", "about", 0.05)), (2, Arm("", "power"))):
        yield says(
            f"`run_noise_ratio`, 120 items, 4 runs, logits {s} times as far, p < .05",
            lambda r, s=s: one_p(variances.run_noise_ratio(items(r, s), items(r, 1))),
            arm,
        )
