"""One factor at a time, and the full factorial."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from eyechart.core.effective import DEFAULTS
from eyechart.core.factors import get
from eyechart.core.spec import Factor, Spec


def baseline_levels(spec: Spec, factors: Sequence[Factor]) -> tuple[int, ...]:
    """The level on which each factor stands in the baseline.

    What the spec states; else the default, where it is among the levels; else the first level.

    >>> t = Factor(name="t", path="decoding.temperature", levels=(("hot", 1.0), ("cold", 0.0)))
    >>> baseline_levels(Spec(), [t]), baseline_levels(Spec(decoding={"temperature": 1}), [t])
    ((1,), (0,))
    """
    return tuple(_baseline_level(spec, factor) for factor in factors)


def _baseline_level(spec: Spec, factor: Factor) -> int:
    if not factor.path:
        return 0
    stated = get(spec, factor.path)
    for wanted in (stated, DEFAULTS.get(factor.path)):
        if wanted is None or factor.path.endswith("+"):
            continue
        for i, (_, value) in enumerate(factor.levels):
            if value == wanted and isinstance(value, bool) == isinstance(wanted, bool):
                return i
    return 0


def one_at_a_time(spec: Spec, factors: Sequence[Factor]) -> list[tuple[int, ...]]:
    """The baseline, then every other level of every factor with the rest at the baseline.

    >>> f = [Factor(name=n, path=p, levels=(("a", 0), ("b", 1), ("c", 2)))
    ...      for n, p in (("x", "dataset.seed"), ("y", "decoding.seed"))]
    >>> one_at_a_time(Spec(), f)
    [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)]
    """
    base = baseline_levels(spec, factors)
    cells = [base]
    for i, factor in enumerate(factors):
        cells += [
            (*base[:i], level, *base[i + 1 :]) for level in range(len(factor.levels)) if level != base[i]
        ]  # fmt: skip
    return cells


def factorial(spec: Spec, factors: Sequence[Factor]) -> list[tuple[int, ...]]:
    """Every combination of levels, the baseline first."""
    base = baseline_levels(spec, factors)
    rest = product(*(range(len(f.levels)) for f in factors))
    return [base, *(cell for cell in rest if cell != base)]
