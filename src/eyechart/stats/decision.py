"""What the components of variance are good for: how far a mean will move if it is measured in another way.

Components of one judge (strategies, items, orders of presentation), from an analysis of variance:

>>> components = {("item",): 0.080, ("order",): 0.001, ("item", "order"): 0.010, ("item", "order", "run"): 0.040}
>>> study = decision_study(components, {"item": 400, "order": 2, "run": 1})
>>> [(c.name, round(c.share, 3)) for c in study.contributions]
[('order', 0.656), ('item', 0.262), ('run', 0.066), ('item x order', 0.016)]
>>> round(study.se, 4)
0.0276
>>> smallest_numbers(components, {"item": 400, "order": 2, "run": 1}, se=0.025)["order"]
3
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite, prod, sqrt

from eyechart.core.records import NotEstimable
from eyechart.stats.anova import RUN
from eyechart.stats.means import TINY

Facets = tuple[str, ...]
Components = Mapping[Facets, float]
"""Variance component by the facets that it belongs to, as `Anova.components` (items in clusters:
`components_of_means`): clipped, squared fractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one effect adds to the variance of the mean."""

    name: str
    facets: Facets
    variance: float
    share: float
    """Of the variance of the mean, in [0, 1]; 0 for all where that is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How well a mean over the given numbers of levels stands for the mean over all that could have been drawn."""

    numbers: Mapping[str, int]
    fixed: tuple[str, ...]
    measured: str | None
    variance: float
    """Error variance of the mean, or of the mean of one level of `measured`; squared fractions."""
    se: float
    contributions: tuple[Contribution, ...]
    """To `variance`, greatest first; they add up to it."""
    relative_variance: float | NotEstimable
    """Error variance in comparing levels of `measured`: what is common to them falls out."""
    relative: float | NotEstimable
    """E rho^2, in [0, 1]: how well levels of `measured` are told apart."""
    absolute: float | NotEstimable
    """Phi, in [0, 1]: how well the score of one level is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """The words of gauge repeatability and reproducibility. Variances in squared fractions."""

    part: str
    """What plays the part that is measured: the facet whose levels are to be told apart."""
    part_variance: float
    repeatability: float
    """The same in all respects, asked again."""
    reproducibility: float
    """The same part in another configuration."""
    total: float
    grr: float
    """%GRR: standard deviation of the gauge in per cent of the total one, in [0, 100]."""
    ndc: int | NotEstimable
    """Number of distinct categories that can be told apart; five are wished for."""
    verdict: str
    """`good` under 10 %, `may do` up to 30 %, `not good enough` above."""
    warnings: tuple[str, ...] = ()


def decision_study(
    components: Components, numbers: Mapping[str, int], *, fixed: Collection[str] = (), measured: str | None = None
) -> Decision:
    """Error variance and reliability of a mean over `numbers` of levels of each facet.

    `components`: variance by facets, not below 0 (`Anova.components`: from a random model). `numbers`:
    levels averaged over, 1 or more, for every facet but `measured`; runs count within a cell. Each effect
    adds its component divided by the number of its levels in the mean. `fixed` facets are not sampled: their
    levels are all there are, and `numbers` must hold how many; an effect of fixed facets alone adds
    nothing, one with a random facet adds its part as ever.

    With `measured` (a model, a configuration) the mean is that of one of its levels. What the level is
    worth, its own component with that of its interactions with fixed facets, is wanted; effects that it
    shares with a random facet are relative error, those without it are common to all levels and count for
    the absolute error only. relative = wanted / (wanted + relative error), absolute likewise; NotEstimable
    where nothing was named or nothing varies. Without runs the `residual` of an analysis holds run noise,
    which more runs would divide: the forecast is then a little too large.

    ValueError: a component below 0 or not finite, a facet without a number, a number below 1, a facet that
    no component knows, `measured` that is fixed or among `numbers`.

    Source: Brennan, Generalizability Theory (2001): universe scores, error variances and coefficients of
    random and mixed designs; Cronbach, Gleser, Nanda and Rajaratnam (1972).

    >>> components = {("model",): 0.010, ("item",): 0.090, ("model", "item"): 0.050}
    >>> study = decision_study(components, {"item": 100}, measured="model")
    >>> round(study.relative, 4), round(study.absolute, 4), round(study.variance, 6)
    (0.9524, 0.8772, 0.0014)
    >>> decision_study(components, {"model": 4, "item": 100}, fixed=("item",)).contributions[0].name
    'model'
    """
    _check(components, numbers, fixed, measured)
    divisors = {**numbers, measured: 1} if measured is not None else dict(numbers)
    still = {*fixed, measured}
    error = {f: value / prod(divisors[one] for one in f) for f, value in components.items() if not still >= set(f)}
    variance = sum(error.values())
    contributions = [
        Contribution(
            name=RUN if RUN in f else " x ".join(f),
            facets=f,
            variance=part,
            share=part / variance if variance > 0 else 0.0,
        )
        for f, part in error.items()
    ]
    nothing = NotEstimable(name="reliability", reason="no facet of measurement was named")
    relative_variance: float | NotEstimable = nothing
    relative: float | NotEstimable = nothing
    absolute: float | NotEstimable = nothing
    if measured is not None:
        wanted = _wanted(components, numbers, fixed, measured)
        relative_variance = sum(part for f, part in error.items() if measured in f)
        relative, absolute = _reliability(wanted, relative_variance), _reliability(wanted, variance)
    return Decision(
        numbers=dict(numbers),
        fixed=tuple(fixed),
        measured=measured,
        variance=variance,
        se=sqrt(variance),
        contributions=tuple(sorted(contributions, key=lambda c: -c.variance)),
        relative_variance=relative_variance,
        relative=relative,
        absolute=absolute,
    )


def smallest_numbers(
    components: Components,
    numbers: Mapping[str, int],
    *,
    fixed: Collection[str] = (),
    measured: str | None = None,
    se: float | None = None,
    relative: float | None = None,
    absolute: float | None = None,
) -> dict[str, int | NotEstimable]:
    """The smallest number of levels of each random facet that reaches a wished precision, the others as in `numbers`.

    An order of magnitude, where the components are estimates: with `measured` it hangs on how far apart a
    few levels happen to lie. (Four models, 100 items, two runs: in 95 % of studies of one and the same kind
    it lay anywhere from 134 to 5,123 items.) Exactly one wish: `se` of the mean (above 0), or `relative` or `absolute` reliability in (0, 1), which
    need `measured`. Error variance is a + b / m in the number m of one facet, so that m is known at once.
    NotEstimable for a facet that cannot do it however many there are: the reason says what it stops at.
    ValueError: no wish or several, a wish out of range, reliability without `measured`; and as
    `decision_study`.

    Source: as `decision_study`.

    >>> components = {("model",): 0.010, ("item",): 0.090, ("model", "item"): 0.050, ("model", "item", "run"): 0.1}
    >>> found = smallest_numbers(components, {"item": 100, "run": 1}, measured="model", relative=0.9)
    >>> found["item"], found["run"]
    (135, 2)
    >>> smallest_numbers(components, {"item": 20, "run": 1}, measured="model", relative=0.9)["run"].reason
    'however many, the error stays at 0.05 where 0.0333 is wished'
    """
    wishes = {"se": se, "relative": relative, "absolute": absolute}
    stated = {name: value for name, value in wishes.items() if value is not None}
    if len(stated) != 1:
        raise ValueError(f"one wish wanted of se, relative and absolute, {len(stated)} given")
    ((wish, value),) = stated.items()
    if not 0 < value < (1 if wish != "se" else float("inf")):
        raise ValueError(f"{wish}: {'above 0' if wish == 'se' else 'between 0 and 1'} wanted, {value} given")
    if wish != "se" and measured is None:
        raise ValueError(f"{wish} reliability is that of a facet: name it as `measured`")
    allowed = value**2
    if wish != "se" and measured is not None:
        _check(components, numbers, fixed, measured)
        allowed = _wanted(components, numbers, fixed, measured) * (1 - value) / value
    out: dict[str, int | NotEstimable] = {}
    for facet in (one for one in numbers if one not in fixed):
        study = decision_study(components, {**numbers, facet: 1}, fixed=fixed, measured=measured)
        counted = [c for c in study.contributions if wish != "relative" or measured in c.facets]
        divided = sum(c.variance for c in counted if facet in c.facets)
        out[facet] = _smallest(sum(c.variance for c in counted) - divided, divided, allowed, facet)
    return out


def _smallest(rest: float, divided: float, allowed: float, facet: str) -> int | NotEstimable:
    """Least m with rest + divided / m <= allowed."""
    slack = TINY * max(allowed, rest + divided)
    if rest + divided <= allowed + slack:
        return 1
    if rest >= allowed - slack:
        reason = f"however many, the error stays at {sqrt(rest):.3g} where {sqrt(allowed):.3g} is wished"
        return NotEstimable(name=facet, reason=reason)
    return ceil(divided / (allowed - rest) * (1 - TINY))


def gauge(components: Components, part: str, *, over: Mapping[str, int] | None = None) -> Gauge:
    """Gauge repeatability and reproducibility: can this evaluation tell levels of `part` apart?

    `components` as in `decision_study`; `part` is the facet that is measured. With `part="item"` a
    measurement is one answer, and the question is whether single items can be told apart; with
    `part="model"` it is a score, and `over` says what it is a mean of, e.g. {"item": 800}: such facets are the same
    for all parts, effects of them alone are common to all measurements and left out, and others are divided
    by their numbers. Repeatability is what holds `run` or, without runs, the residual (the component of
    all facets together, which then also holds the highest interaction); reproducibility is all else but the part.

    %GRR = 100 sd_gauge / sd_total; ndc = 1.41 sd_part / sd_gauge, rounded down, NotEstimable without gauge variance.
    ValueError: no component of the part or of runs or residual, nothing that varies, and as `decision_study`.

    Source: Automotive Industry Action Group, Measurement Systems Analysis (%GRR, ndc, and bands of 10 and 30 %).

    >>> components = {("model",): 0.010, ("item",): 0.090, ("model", "item"): 0.050, ("model", "item", "run"): 0.1}
    >>> g = gauge(components, "model", over={"item": 800})
    >>> g.part, round(g.grr, 1), g.ndc, g.verdict
    ('model', 13.6, 10, 'may do')
    >>> gauge(components, "item").verdict
    'not good enough'
    """
    over = dict(over or {})
    facets = {one for f in components for one in f}
    _check(components, dict.fromkeys(facets - {part}, 1) | over, (), part)
    runs = [f for f in components if RUN in f] or [f for f in components if set(f) == facets]
    if (part,) not in components or not runs or (part,) in runs:
        raise ValueError(f"components of {part!r} and of {RUN!r} or of all facets together wanted, as from an analysis")
    told = {f: value for f, value in components.items() if not over.keys() >= set(f)}
    scaled = {f: value / prod(over.get(one, 1) for one in f) for f, value in told.items()}
    repeatability, part_variance, total = sum(scaled.get(f, 0.0) for f in runs), scaled[part,], sum(scaled.values())
    if total <= TINY**2:
        raise ValueError("all components are 0: there is nothing to measure")
    device = max(0.0, total - part_variance)
    grr, categories = 100 * sqrt(device / total), NotEstimable(name="ndc", reason="no variance but that of the parts")
    residual = "without runs, repeatability holds the highest interaction as well"
    return Gauge(
        part=part,
        part_variance=part_variance,
        repeatability=repeatability,
        reproducibility=max(0.0, device - repeatability),
        total=total,
        grr=grr,
        ndc=floor(1.41 * sqrt(part_variance / device)) if device > TINY * total else categories,
        verdict="good" if grr < 10 else "may do" if grr <= 30 else "not good enough",
        warnings=() if RUN in facets else (residual,),
    )


def _wanted(components: Components, numbers: Mapping[str, int], fixed: Collection[str], measured: str) -> float:
    """Variance of what levels of `measured` are worth: their own, and with fixed facets alone."""
    mine = {f: value for f, value in components.items() if measured in f and {*fixed, measured} >= set(f)}
    return sum(value / prod(numbers[one] for one in f if one != measured) for f, value in mine.items())


def _reliability(wanted: float, error: float) -> float | NotEstimable:
    if wanted + error <= TINY**2:
        return NotEstimable(name="reliability", reason="nothing varies")
    return wanted / (wanted + error)


def _check(components: Components, numbers: Mapping[str, int], fixed: Collection[str], measured: str | None) -> None:
    for facets, value in components.items():
        if not (isfinite(value) and value >= 0):
            raise ValueError(f"component of {' x '.join(facets)}: 0 or more wanted (clip it), {value} given")
    facets = {one for f in components for one in f}
    if measured is not None and (measured in fixed or measured in numbers or measured not in facets):
        raise ValueError(f"measured {measured!r} must be a facet of the components, neither fixed nor averaged over")
    for one in {*fixed, *numbers} - facets:
        raise ValueError(f"no component knows the facet {one!r}; there are {', '.join(sorted(facets))}")
    for one in sorted(facets - {measured}):
        if numbers.get(one, 0) < 1:
            raise ValueError(f"number of {one!r}: 1 or more wanted, {numbers.get(one)} given")
