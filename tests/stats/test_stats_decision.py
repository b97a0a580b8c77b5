"""Forecasts from variance components: error, reliability, smallest numbers, gauge words."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.anova import Anova, crossed_anova
from eyechart.stats.decision import Decision, Facets, decision_study, gauge, smallest_numbers

Table = NDArray[np.float64]

ALL: dict[Facets, float] = {
    ("model",): 0.010,
    ("cue",): 0.002,
    ("item",): 0.090,
    ("model", "cue"): 0.003,
    ("model", "item"): 0.050,
    ("cue", "item"): 0.010,
    ("model", "cue", "item"): 0.020,
    ("model", "cue", "item", "run"): 0.080,
}


def number(value: float | NotEstimable) -> float:
    assert isinstance(value, float), value
    return value


def _scores(rng: np.random.Generator, sizes: Mapping[str, int], kept: Mapping[Facets, Table] | None = None) -> Table:
    """Scores [model, cue, item, run]; effects in `kept` are used again, all others drawn anew."""
    axes = list(sizes)
    values = np.zeros(tuple(sizes.values()))
    for facets, component in ALL.items():
        shape = [sizes[one] if one in facets else 1 for one in axes]
        values += kept[facets] if kept and facets in kept else component**0.5 * rng.normal(size=shape)
    return values


def _fixed_effects(rng: np.random.Generator, sizes: Mapping[str, int], kept: set[str]) -> dict[Facets, Table]:
    axes = list(sizes)
    return {
        facets: component**0.5 * rng.normal(size=[sizes[one] if one in facets else 1 for one in axes])
        for facets, component in ALL.items()
        if set(facets) <= kept
    }


@pytest.mark.parametrize("fixed", [(), ("cue",), ("model",), ("model", "cue")])
def test_the_error_of_a_mean_equals_monte_carlo(fixed: tuple[str, ...]) -> None:
    """Planted components, the whole measurement done again with everything redrawn that is not fixed."""
    rng = np.random.default_rng(len(fixed))
    numbers = {"model": 3, "cue": 2, "item": 10, "run": 2}
    kept = _fixed_effects(rng, numbers, set(fixed))
    means = [float(_scores(rng, numbers, kept).mean()) for _ in range(6000)]
    study = decision_study(ALL, numbers, fixed=fixed)
    # The standard error of a variance of 6,000 normal values is 1.8 % of it.
    assert np.var(means) == pytest.approx(study.variance, rel=0.06)
    assert sum(c.variance for c in study.contributions) == pytest.approx(study.variance)
    assert sum(c.share for c in study.contributions) == pytest.approx(1.0)
    assert list(study.contributions) == sorted(study.contributions, key=lambda c: -c.variance)
    assert not any(set(c.facets) <= set(fixed) for c in study.contributions)


@pytest.mark.parametrize("fixed", [(), ("cue",)])
def test_reliability_is_the_correlation_of_two_measurements(fixed: tuple[str, ...]) -> None:
    """Relative: same models, all else drawn anew, correlated over models within a replication.

    Absolute: the same over single models of different replications, so that what is common to all counts as error.
    """
    rng = np.random.default_rng(9)
    sizes = {"model": 40, "cue": 2, "item": 12, "run": 2}
    within: list[Table] = []
    single: list[Table] = []
    truth: list[Table] = []
    for _ in range(500):
        kept = _fixed_effects(rng, sizes, {"model", *fixed})
        own = {f: table for f, table in kept.items() if "model" in f}
        own |= {f: table for f, table in kept.items() if f == ("cue",)}
        first, second = (_scores(rng, sizes, own).mean(axis=(1, 2, 3)) for _ in range(2))
        within.append(np.stack([first - first.mean(), second - second.mean()]))
        wanted = sum((table.mean(axis=(1, 2, 3)) for f, table in own.items() if "model" in f), np.zeros(40))
        single.append(first - wanted - sum((table.mean() for f, table in own.items() if "model" not in f), 0.0))
        truth.append(wanted)
    centred = np.array(within)  # [replications, 2, models]
    correlation = float(np.sum(centred[:, 0] * centred[:, 1]) / np.sum(centred[:, 0] ** 2))
    study = decision_study(ALL, {"cue": 2, "item": 12, "run": 2}, fixed=fixed, measured="model")
    assert correlation == pytest.approx(number(study.relative), abs=0.012)
    spread: Table = np.var(np.array(truth), axis=1, ddof=1)
    universe, error = float(spread.mean()), float(np.mean(np.square(single)))
    assert error == pytest.approx(study.variance, rel=0.06)
    assert universe / (universe + error) == pytest.approx(number(study.absolute), abs=0.015)


def test_against_the_formulas_of_two_facets() -> None:
    components = {("model",): 0.010, ("item",): 0.090, ("model", "item"): 0.050}
    study = decision_study(components, {"item": 100}, measured="model")
    assert study.relative == pytest.approx(0.010 / (0.010 + 0.050 / 100))
    assert study.absolute == pytest.approx(0.010 / (0.010 + 0.140 / 100))
    assert study.relative_variance == pytest.approx(0.050 / 100)
    assert study.se == pytest.approx((0.140 / 100) ** 0.5)
    plain = decision_study(components, {"model": 4, "item": 100})
    assert plain.variance == pytest.approx(0.010 / 4 + 0.090 / 100 + 0.050 / 400)
    assert isinstance(plain.relative, NotEstimable)
    census = decision_study(components, {"item": 100}, fixed=("item",), measured="model")
    assert (census.variance, census.relative) == (0, 1.0)


def test_relative_reliability_is_cronbachs_alpha() -> None:
    """An old name of the same number: persons x items, Hoyt's 1 - MS_residual / MS_persons."""
    table = np.random.default_rng(0).normal(size=(30, 8)) + np.random.default_rng(1).normal(size=(30, 1))
    anova = crossed_anova(table, ("model", "item"))
    assert isinstance(anova, Anova)
    alpha = 8 / 7 * (1 - table.var(axis=0, ddof=1).sum() / table.sum(axis=1).var(ddof=1))
    components = {f: v for f, v in anova.components.items() if v > 0} | {("item",): anova["item"].clipped}
    assert decision_study(components, {"item": 8}, measured="model").relative == pytest.approx(alpha)


def test_forecast_holds_for_the_same_data() -> None:
    """From an analysis to the variance of its own mean: MS lines of the model that made the data."""
    rng = np.random.default_rng(3)
    sizes = {"model": 3, "cue": 3, "item": 15, "run": 2}
    forecasts: list[float] = []
    means: list[float] = []
    for _ in range(1500):
        values = _scores(rng, sizes)
        anova = crossed_anova(values, ("model", "cue", "item"), repeats=True)
        assert isinstance(anova, Anova)
        raw = sum(e.component / np.prod([sizes[one] for one in e.facets]) for e in anova.effects)
        forecasts.append(float(raw))
        means.append(anova.mean)
        assert decision_study(anova.components, sizes).variance >= raw - 1e-12  # clipping never takes away
    assert np.mean(forecasts) == pytest.approx(np.var(means), rel=0.12)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.2]), min_size=8, max_size=8),
    st.sampled_from(["se", "relative", "absolute"]),
    st.sampled_from([0.02, 0.1, 0.5, 0.8, 0.9]),
    st.sampled_from([(), ("cue",)]),
)
def test_smallest_numbers_equal_trying_all(
    values: list[float], wish: str, value: float, fixed: tuple[str, ...]
) -> None:
    components = dict(zip(ALL, values, strict=True))
    numbers = {"cue": 2, "item": 20, "run": 1}
    found = smallest_numbers(components, numbers, fixed=fixed, measured="model", **{wish: value})
    assert set(found) == set(numbers) - set(fixed)
    for facet, m in found.items():

        def meets(some: int, facet: str = facet) -> bool:
            study = decision_study(components, {**numbers, facet: some}, fixed=fixed, measured="model")
            if wish == "se":
                return study.se <= value * (1 + 1e-9)
            wanted = getattr(study, wish)
            # Nothing varies: no reliability, but no error either.
            return isinstance(wanted, NotEstimable) or wanted >= value * (1 - 1e-9)

        if isinstance(m, NotEstimable):
            assert "however many" in m.reason
            assert not meets(10**7)
        else:
            assert m == next(some for some in range(1, 10**6) if meets(some))


def test_smallest_numbers_for_a_plain_mean() -> None:
    components = {("item",): 0.2, ("item", "run"): 0.05}
    found = smallest_numbers(components, {"item": 100, "run": 1}, se=0.03)
    assert found["item"] == 278  # .25 / .0009 = 277.8
    assert isinstance(found["run"], NotEstimable)
    assert found["run"].reason == "however many, the error stays at 0.0447 where 0.03 is wished"
    wishes: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "one wish"),
        ({"se": 0.1, "relative": 0.9}, "one wish"),
        ({"se": 0.0}, "above 0"),
        ({"relative": 1.0}, "between 0 and 1"),
        ({"absolute": 0.9}, "measured"),
    )
    for wish, message in wishes:
        with pytest.raises(ValueError, match=message):
            smallest_numbers(components, {"item": 100, "run": 1}, **wish)


def test_nothing_varies() -> None:
    study = decision_study({("model",): 0.0, ("model", "item"): 0.0}, {"item": 5}, measured="model")
    assert isinstance(study, Decision)
    assert isinstance(study.relative, NotEstimable)
    assert (study.variance, [c.share for c in study.contributions]) == (0.0, [0.0])
    equal = decision_study({("model",): 0.0, ("model", "item"): 0.1}, {"item": 5}, measured="model")
    assert (equal.relative, equal.absolute) == (0.0, 0.0)


def test_what_is_refused() -> None:
    components = {("item",): 0.1, ("cue", "item"): 0.1}
    cases: tuple[tuple[dict[Facets, float], dict[str, int], dict[str, Any], str], ...] = (
        ({("item",): -0.1}, {"item": 5}, {}, "clip"),
        ({("item",): float("nan")}, {"item": 5}, {}, "clip"),
        (components, {"item": 5}, {}, "number of 'cue'"),
        (components, {"item": 5, "cue": 0}, {}, "number of 'cue'"),
        (components, {"item": 5, "cue": 1, "qeu": 2}, {}, "no component knows the facet 'qeu'"),
        (components, {"item": 5, "cue": 1}, {"fixed": ("qeu",)}, "no component knows"),
        (components, {"item": 5, "cue": 1}, {"measured": "cue"}, "neither fixed nor averaged"),
        (components, {"item": 5}, {"measured": "cue", "fixed": ("cue",)}, "neither fixed nor averaged"),
        (components, {"item": 5, "cue": 1}, {"measured": "model"}, "must be a facet"),
    )
    for bad, numbers, more, message in cases:
        with pytest.raises(ValueError, match=message):
            decision_study(bad, numbers, **more)


def test_gauge() -> None:
    items = gauge(ALL, "item")
    assert items.part == "item"
    assert items.repeatability == pytest.approx(0.080)
    assert items.part_variance == pytest.approx(0.090)
    total = sum(ALL.values())
    assert items.total == pytest.approx(total)
    assert items.reproducibility == pytest.approx(total - 0.170)
    assert items.grr == pytest.approx(100 * ((total - 0.090) / total) ** 0.5)
    assert (items.ndc, items.verdict, items.warnings) == (1, "not good enough", ())  # 1.41 * .717
    models = gauge(ALL, "model", over={"item": 500, "run": 2})
    assert models.repeatability == pytest.approx(0.080 / 1000)
    # The items are the same for all models, the cue is not.
    assert models.reproducibility == pytest.approx(0.002 + 0.003 + (0.050 + 0.010 + 0.020) / 500)
    bands = {gauge({("m",): 1.0, ("m", "run"): noise}, "m").verdict: noise for noise in (0.009, 0.05, 0.2)}
    assert bands == {"good": 0.009, "may do": 0.05, "not good enough": 0.2}
    exact = gauge({("m",): 1.0, ("m", "run"): 0.0}, "m")
    assert (exact.grr, exact.verdict) == (0.0, "good")
    assert isinstance(exact.ndc, NotEstimable)
    residual = gauge({("m",): 1.0, ("i",): 0.5, ("m", "i"): 0.1}, "m")
    assert residual.repeatability == pytest.approx(0.1)
    assert "highest interaction" in residual.warnings[0]
    for components, part, over, message in (
        ({("m",): 1.0, ("i",): 1.0}, "m", None, "from an analysis"),
        ({("m", "run"): 1.0, ("i",): 1.0}, "m", None, "from an analysis"),
        ({("m",): 0.0, ("m", "run"): 0.0}, "m", None, "nothing to measure"),
        ({("m",): 1.0, ("m", "run"): 0.1}, "m", {"m": 3}, "averaged over"),
        ({("m",): 1.0, ("m", "run"): 0.1}, "m", {"items": 3}, "no component knows"),
    ):
        with pytest.raises(ValueError, match=message):
            gauge(components, part, over=over)


def test_categories_told_apart_equal_simulation() -> None:
    """ndc = 1.41 sd_part / sd_gauge: the root of two in it is that of the difference of two measurements."""
    rng = np.random.default_rng(0)
    parts, noise = rng.normal(0, 0.3, 100_000), rng.normal(0, 0.1, (2, 100_000))
    repeated = float(np.corrcoef(parts + noise[0], parts + noise[1])[0, 1])
    found = gauge({("m",): 0.09, ("m", "run"): 0.01}, "m")
    assert found.ndc == int(np.floor(1.41 * (repeated / (1 - repeated)) ** 0.5))
    assert found.grr == pytest.approx(100 * (1 - repeated) ** 0.5, abs=0.3)
