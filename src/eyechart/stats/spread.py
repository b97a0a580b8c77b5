"""How far configurations of one evaluation lie apart, once their noise is taken off.

The standard deviation of measured means holds two things: the spread of the true means, and the
noise of each measurement. With few items the second can be all there is:

>>> rng = np.random.default_rng(1)
>>> s = crossed_spread(rng.integers(0, 2, size=(8, 50)))      # eight names for one and the same coin
>>> round(s.raw_sd, 3), s.sd.reason
(0.068, 'no spread beyond noise')
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.laws import chi2_upper, f_upper, normal_cdf, t_quantile
from eyechart.stats.means import FEW, TINY, Method, cluster_sums, effective_clusters, moments, satterthwaite


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Spread of configuration means, raw and with the noise taken off. Fractions of 1."""

    name: str
    n: int
    """Number of configurations."""
    raw_sd: float
    """Standard deviation of the means as measured (n - 1 form)."""
    noise_sd: float
    """What that would be on average if all configurations were the same."""
    variance: float
    """raw_sd^2 - noise_sd^2 as it comes out: below 0 where noise explains more than all of it."""
    variance_clipped: float
    sd: float | NotEstimable
    """Root of `variance`; NotEstimable("no spread beyond noise") where that is not above 0."""
    reliability: float | None
    """Share of the raw variance that is not noise, in [0, 1]; None where the means are all equal."""
    p: float
    """Of "all true means are equal"."""
    method: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Sampling variance of a vector of means, summed over its directions."""

    variance: float
    df: float
    """Degrees of freedom of one direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRange:
    """How far the outermost of several levels lie apart. Fractions of 1."""

    width: float
    """As measured: the more levels and the fewer items, the more of it is luck."""
    corrected: float
    """With the deviations of the levels drawn together to their noise-removed standard deviation."""
    low: float
    """Lower end of the interval of that difference, simultaneous over all pairs of levels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Squares:
    """Sums of squares of a complete table of configurations x items."""

    config: float
    item: float
    residual: float

    @property
    def total(self) -> float:
        return self.config + self.item + self.residual


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """How many pairs of set-ups lie further apart than a threshold; the field's *variant divergence*."""

    threshold: float
    pairs: int
    apart: int
    share: float
    flagged: bool
    """Whether any pair is apart."""
    lowest: int
    highest: int
    """Positions of the set-ups with the lowest and the highest mean."""
    gap: float


def noise_corrected_sd(means: ArrayLike, ses: ArrayLike, *, name: str = "spread") -> Spread | NotEstimable:
    """Spread of independently measured means: Var(means) - mean(se^2).

    `means` [C] and their standard errors `ses` [C], fractions of 1; for means measured on different
    items. On shared items the standard errors count the items' own difficulty, which moves all means
    alike, as noise, and too much is taken off: use `crossed_spread`. p by Cochran's Q (chi-square).
    NotEstimable: fewer than two configurations. ValueError: NaN, lengths differ, a standard error
    that is not above 0 (an unknown one written as 0).

    Sources: DerSimonian and Laird (1986) for the idea (unweighted form here); Cochran (1954) for Q.

    >>> s = noise_corrected_sd([0.50, 0.60, 0.70], [0.04, 0.04, 0.04])
    >>> round(s.raw_sd, 4), round(s.sd, 4), round(s.reliability, 2), round(s.p, 4)
    (0.1, 0.0917, 0.84, 0.0019)
    """
    m, se = vector(means, "means"), vector(ses, "ses")
    if m.size != se.size or bool((se <= 0).any()):
        raise ValueError("one standard error above 0 for each mean wanted; one that is unknown is not 0")
    if m.size < 2:
        return NotEstimable(name=name, reason="fewer than two configurations have no spread", n=m.size)
    weights = 1 / se**2
    q = float(np.sum(weights * (m - np.sum(weights * m) / weights.sum()) ** 2))
    p = chi2_upper(q, m.size - 1)
    return _spread(name, m, float(np.mean(se**2)), p, "Var(means) - mean se^2", ())


def crossed_spread(
    table: ArrayLike, clusters: ArrayLike | None = None, *, name: str = "spread", method: Method = "cr1"
) -> Spread | NotEstimable:
    """Spread of configuration means over the same items: Var(means) - MS_residual / n.

    `table` [C, n]: configurations x items, complete, scores in [0, 1] or means over repeats. The
    items' difficulty is common to all configurations and falls out; what is left as noise is
    configuration x item and repeat-to-repeat together, so the result speaks of new items of this
    kind. `clusters` [n]: residuals are summed within clusters before they are squared; `method` says how
    they make the noise, cr2 being unbiased where sizes differ (`noise_of_means`). p by the F test of the
    two-way table (binary scores are fine from about 50 items, see tests), with clusters over the cr2
    noise and its Satterthwaite degrees of freedom, whatever the `method`; it is for configurations that
    are exchangeable: a little too small where some pairs of configurations move together.

    NotEstimable: fewer than two configurations, fewer than two items or clusters, no residual at all
    (all configurations move all items alike). ValueError: NaN, outside [0, 1].

    Sources: the two-way random model, Searle, Casella and McCulloch, Variance Components (1992), ch. 4;
    Brennan, Generalizability Theory (2001), for reliability; for clusters as `noise_of_means`.

    >>> s = crossed_spread([[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
    >>> round(s.raw_sd, 4), round(s.noise_sd, 4), round(s.sd, 4), round(s.reliability, 4)
    (0.1915, 0.1683, 0.0913, 0.2273)
    """
    scores = matrix(table, "table", (0.0, 1.0))
    configs, n = scores.shape
    codes = cluster_codes(clusters, n)
    units = n if codes is None or n == 0 else int(codes.max()) + 1
    if configs < 2:
        return NotEstimable(name=name, reason="fewer than two configurations have no spread", n=configs)
    if units < 2:
        return NotEstimable(name=name, reason="one item or cluster: noise and spread cannot be told apart", n=units)
    means = scores.mean(axis=1)
    residual = _residual(scores)
    if float(np.max(np.abs(residual))) <= TINY:
        reason = "all configurations move all items alike: there is no noise to compare with"
        return NotEstimable(name=name, reason=reason, n=configs)
    lengths = np.sum(cluster_sums(residual.T, codes) ** 2, axis=1)
    # Without clusters this is MS_residual / n: sum e^2 / ((C-1)(n-1) n).
    robust = noise_of_means(lengths, float(np.sum(residual**2)), cluster_sizes(codes, n))
    below = robust.variance / (configs - 1)
    f = float(np.var(means, ddof=1)) / below if below > TINY**2 else np.inf
    p = f_upper(f, configs - 1, (configs - 1) * robust.df)
    noise = below if method == "cr2" else units / (units - 1) * float(lengths.sum()) / n**2 / (configs - 1)
    warnings: tuple[str, ...] = ()
    if codes is not None and effective_clusters(codes) < FEW:
        warnings = (f"{effective_clusters(codes):.1f} effective clusters, under {FEW}: the noise is poorly known",)
    words = "MS_residual / n" if codes is None else f"{method.upper()} residual variance"
    return _spread(name, means, noise, p, f"Var(means) - {words}", warnings)


def cluster_sizes(codes: Codes | None, n: int) -> FloatArray:
    """Items of each cluster, [G]; `n` ones without clusters.

    >>> cluster_sizes(np.array([0, 0, 1]), 3).tolist(), cluster_sizes(None, 2).tolist()
    ([2.0, 1.0], [1.0, 1.0])
    """
    return np.ones(n) if codes is None else np.bincount(codes).astype(np.float64)


def noise_of_means(lengths: FloatArray, squares: float, sizes: FloatArray) -> Noise:
    """CR2 variance of a vector of means over items in clusters of `sizes` [G], and its degrees of freedom.

    An item's deviation from the means is a vector; `lengths` [G] are the squared lengths of its sums
    within clusters, `squares` the squared lengths over all items. The variance is
    sum lengths / (1 - m/n) / n^2: unbiased for independent items, as `means.moments` for a vector of one.
    Degrees of freedom by Satterthwaite under equal correlation within clusters, which is pooled over
    directions (the one-way analysis of variance): G - 1 for clusters of one size, less the less alike
    they are. At least two clusters.

    Sources: Bell and McCaffrey (2002); Imbens and Kolesar (2016); Donner (1986) for the correlation.

    >>> found = noise_of_means(np.array([0.25] * 4), 1.0, np.ones(4))           # the scores 0, 1, 0, 1
    >>> round(found.variance**0.5, 4), found.df
    (0.2887, 3.0)
    >>> round(noise_of_means(np.array([4.0, 1, 1]), 4.0, np.array([8.0, 2, 2])).df, 2)
    1.32
    """
    n, groups = float(sizes.sum()), sizes.size
    variance = float(np.sum(lengths / (1 - sizes / n))) / n**2
    if float(np.ptp(sizes)) == 0:
        return Noise(variance=variance, df=float(groups - 1))
    over = float(np.sum(lengths / sizes))
    between, within = over / (groups - 1), max(0.0, squares - over) / max(n - groups, 1.0)
    usual = (n - float(np.sum(sizes**2)) / n) / (groups - 1)
    spread = between + (usual - 1) * within
    correlation = min(1.0, max(0.0, (between - within) / spread)) if spread > TINY**2 else 0.0
    return Noise(variance=variance, df=satterthwaite(sizes, correlation))


def level_range(table: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95) -> LevelRange:
    """How far the highest of L levels lies above the lowest, with luck taken off.

    `table` [L, n]: the score of each item on each level, complete, any finite numbers; `clusters` [n].
    The largest of many measured differences is too large. `corrected` is the measured one times the root
    of the share of the variance of level means that is not noise (CR2); `low` is the lower end of the
    paired t interval of the two outermost levels, by Bonferroni over all L(L - 1)/2 pairs, so that having
    chosen them costs nothing. ValueError: one level, fewer than two items or clusters, NaN.

    Sources: Dunn (1961) for the pairs; the shrinking is that of `crossed_spread.sd`.

    >>> rng = np.random.default_rng(2)
    >>> found = level_range(rng.random((8, 200)) < 0.5)             # eight names for one and the same coin
    >>> round(found.width, 3), round(found.corrected, 3), found.low < 0
    (0.09, 0.0, True)
    """
    check_level(level)
    scores = matrix(table, "table")
    levels, n = scores.shape
    codes = cluster_codes(clusters, n)
    sizes = cluster_sizes(codes, n)
    if levels < 2 or sizes.size < 2:
        raise ValueError("two levels and two items or clusters wanted")
    means, residual = scores.mean(axis=1), _residual(scores)
    noise = noise_of_means(np.sum(cluster_sums(residual.T, codes) ** 2, axis=1), float(np.sum(residual**2)), sizes)
    raw = float(np.var(means, ddof=1))
    kept = max(0.0, 1 - noise.variance / (levels - 1) / raw) if raw > TINY**2 else 0.0
    gap = moments(scores[int(means.argmax())] - scores[int(means.argmin())], codes)
    t = t_quantile(1 - (1 - level) / (levels * (levels - 1)), gap.df)
    return LevelRange(width=gap.mean, corrected=gap.mean * kept**0.5, low=gap.mean - t * gap.se)


def _residual(scores: FloatArray) -> FloatArray:
    rows, columns = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    return scores - rows - columns + scores.mean()


def _spread(name: str, means: FloatArray, noise: float, p: float, method: str, warnings: tuple[str, ...]) -> Spread:
    raw = float(np.var(means, ddof=1))
    variance = raw - noise
    sd = variance**0.5 if variance > 0 else NotEstimable(name=name, reason="no spread beyond noise", n=means.size)
    return Spread(
        name=name,
        n=means.size,
        raw_sd=raw**0.5,
        noise_sd=noise**0.5,
        variance=variance,
        variance_clipped=max(0.0, variance),
        sd=sd,
        reliability=max(0.0, variance) / raw if raw > TINY**2 else None,
        p=p,
        method=method,
        warnings=warnings,
    )


def crossed_squares(table: ArrayLike) -> Squares:
    """Sums of squares of configurations, items and the rest, for a complete `table` [C, n].

    Always defined for a table of at least one row and column (ValueError otherwise, and for NaN).
    Source: two-way analysis of variance without replication.

    >>> s = crossed_squares([[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
    >>> [round(x, 6) for x in (s.total, s.config, s.item, s.residual)]
    [4.95, 0.55, 2.7, 1.7]
    """
    scores = matrix(table, "table")
    if scores.size == 0:
        raise ValueError("table: at least one row and one column wanted")
    configs, n = scores.shape
    return Squares(
        config=n * float(np.sum((scores.mean(axis=1) - scores.mean()) ** 2)),
        item=configs * float(np.sum((scores.mean(axis=0) - scores.mean()) ** 2)),
        residual=float(np.sum(_residual(scores) ** 2)),
    )


def expected_max_of_noise(c: int) -> float:
    """Expected maximum of `c` independent standard normal draws: what the best of `c` equal set-ups gains.

    In standard errors: 32 equal configurations measured with an error of 1.5 points show a best one
    3.1 points above the truth. 0 for c = 1 (nothing was chosen). ValueError for c < 1.
    Source: order statistics, E max = integral of x c phi(x) Phi(x)^(c-1); David and Nagaraja (2003).

    >>> round(expected_max_of_noise(32), 2), round(expected_max_of_noise(2), 4)
    (2.07, 0.5642)
    """
    if c < 1:
        raise ValueError(f"at least one configuration wanted, {c} given")
    if c == 1:
        return 0.0
    # The trapezoidal rule is exact to rounding for analytic functions that vanish at both ends.
    x = np.linspace(-10.0, 10.0, 4001)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.sum(x * c * density * normal_cdf(x) ** (c - 1)) * (x[1] - x[0]))


def variant_divergence(
    means: ArrayLike, threshold: float = 0.05, *, name: str = "divergence"
) -> Divergence | NotEstimable:
    """Pairs of set-ups of one model on one benchmark that lie more than `threshold` apart.

    `means` [C] and `threshold`: fractions of 1. The word is the field's own: it looks at measured
    means and takes no noise off, so stand it beside `crossed_spread`, never in its place. Exactly
    `threshold` apart is not apart (rounding of 1e-9 allowed). NotEstimable: fewer than two set-ups.
    ValueError: NaN, threshold not above 0.

    Source: spec S5 (set-ups more than 5 points, 5 % of the range, apart).

    >>> d = variant_divergence([0.70, 0.75, 0.81])
    >>> d.pairs, d.apart, round(d.share, 3), d.flagged, round(d.gap, 2)
    (3, 2, 0.667, True, 0.11)
    """
    m = vector(means, "means")
    if not threshold > 0:
        raise ValueError(f"threshold above 0 wanted, {threshold} given")
    if m.size < 2:
        return NotEstimable(name=name, reason="fewer than two set-ups make no pair", n=m.size)
    ordered = np.sort(m)
    # For each mean, those beyond its threshold: everything behind the first place that is far enough.
    first = np.searchsorted(ordered, ordered + threshold + 1e-9, side="right")
    apart, pairs = int(np.sum(m.size - first)), m.size * (m.size - 1) // 2
    return Divergence(
        threshold=threshold,
        pairs=pairs,
        apart=apart,
        share=apart / pairs,
        flagged=apart > 0,
        lowest=int(np.argmin(m)),
        highest=int(np.argmax(m)),
        gap=float(ordered[-1] - ordered[0]),
    )
