"""What people reach, and a judge beside them: by hand, at known truth, and where nothing can be told."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.ceiling import Ceiling, ceiling, majority

Floats = NDArray[np.float64]


def raters(rng: np.random.Generator, wrong: list[float], n: int = 200) -> Floats:
    truth = rng.integers(0, 2, n)
    return np.column_stack([np.where(rng.random(n) < w, 1 - truth, truth) for w in wrong]).astype(np.float64)


def least(labels: Floats, judge: Floats) -> tuple[float, float]:
    """Naive twin: a person and the judge against most of the other people, one label at a time."""
    mine, judges = list[float](), list[float]()
    for row, said in zip(labels, judge, strict=True):
        hits: list[tuple[bool, bool]] = []
        for person, label in enumerate(row):
            others = [x for i, x in enumerate(row) if i != person and not np.isnan(x)]
            counts = sorted(((others.count(x), x) for x in set(others)), reverse=True)
            tie = len(counts) > 1 and counts[0][0] == counts[1][0]
            if counts and not tie and not np.isnan(label) and not np.isnan(said):
                hits.append((label == counts[0][1], said == counts[0][1]))
        if hits:
            mine.append(float(np.mean([a for a, _ in hits])))
            judges.append(float(np.mean([b for _, b in hits])))
    return float(np.mean(mine)), float(np.mean(judges))


@pytest.mark.parametrize("people", [2, 3, 4, 5])
def test_a_person_and_the_judge_are_held_against_the_same_others(people: int) -> None:
    rng = np.random.default_rng(people)
    table = rng.integers(1, 4, (60, people)).astype(np.float64)
    table[rng.random(table.shape) < 0.2] = np.nan
    judge = rng.integers(1, 4, 60).astype(np.float64)
    judge[:5] = np.nan
    found = ceiling(table, judge)
    assert isinstance(found, Ceiling)
    values = [e.value for e in (found.person_with_others, found.judge_with_others) if isinstance(e, Estimate)]
    assert values == pytest.approx(least(table, judge))
    assert isinstance(found.judge_less_person, Estimate)
    assert found.judge_less_person.value == pytest.approx(values[1] - values[0])
    assert found.units == int(((~np.isnan(table)).sum(axis=1) > 1).sum())


@pytest.mark.parametrize("judges", [60, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("judge", "below"), [(0.15, False), (0.30, True)])
def test_a_judge_as_good_as_people_is_not_called_worse_and_a_worse_one_is(
    judge: float, below: bool, judges: int
) -> None:
    covered, seen = 0, 0
    # Of four people each errs in .15; others agree with the truth by most of three, ties are not possible.
    right = 0.85**3 + 3 * 0.85**2 * 0.15
    truth = ((1 - judge) - 0.85) * (2 * right - 1)
    for seed in range(judges):
        table = raters(np.random.default_rng(seed), [0.15] * 4 + [judge])
        less = getattr(ceiling(table[:, :4], table[:, 4]), "judge_less_person", None)
        assert isinstance(less, Estimate)
        assert less.interval is not None
        covered += less.interval.low <= truth <= less.interval.high
        seen += less.interval.high < 0
    assert abs(covered / judges - 0.95) <= 3 * (0.95 * 0.05 / judges) ** 0.5
    assert seen >= 0.9 * judges if below else seen <= 0.025 * judges + 2.5 * (0.025 * 0.975 * judges) ** 0.5


def test_grades_are_weighed_and_a_tie_is_no_majority() -> None:
    assert majority([[12, 13, 13, 12]]).tolist() == pytest.approx([np.nan], nan_ok=True)
    assert np.isnan(majority(np.full((2, 2), np.nan))).all()
    rng = np.random.default_rng(2)
    quality = rng.normal(3, 1, 150)
    table = np.clip(np.round(quality[:, None] + rng.normal(0, 0.6, (150, 4))), 1, 5)
    plain, weighed = ceiling(table[:, :3], table[:, 3]), ceiling(table[:, :3], table[:, 3], weights="quadratic")
    assert isinstance(plain, Ceiling)
    assert isinstance(weighed, Ceiling)
    assert weighed.people > plain.people + 0.2
    assert isinstance(weighed.alpha, Estimate)
    assert weighed.alpha.value == pytest.approx(weighed.people, abs=0.05)


def test_without_a_majority_of_others_there_is_no_comparison() -> None:
    found = ceiling([[1, np.nan], [0, np.nan], [1, 1]], [1, 0, 1])
    assert isinstance(found, NotEstimable)
