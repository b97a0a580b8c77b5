"""Intraclass correlations: published examples, reference numbers, coverage on grades."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intraclass import Form, icc

SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
FORMS: tuple[Form, ...] = ("1", "A", "C")


def found(*args: object, **options: object) -> Estimate:
    e = icc(*args, **options)  # pyright: ignore[reportArgumentType]
    assert isinstance(e, Estimate), e
    return e


@pytest.mark.parametrize(
    ("form", "averaged", "value"),
    [
        ("1", False, 0.17),
        ("A", False, 0.29),
        ("C", False, 0.71),
        ("1", True, 0.44),
        ("A", True, 0.62),
        ("C", True, 0.91),
    ],
)
def test_shrout_and_fleiss_1979_table_4(form: Form, averaged: bool, value: float) -> None:
    assert found(SHROUT, form=form, averaged=averaged).value == pytest.approx(value, abs=0.006)


def test_reference_numbers(shared: Path) -> None:
    reference = json.loads((shared / "data" / "judge_reference.json").read_text())["graded"]
    with (shared / "data" / "judge_graded.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    repeats = np.array([[float(r[c]) for c in ("j0", "j1", "j2")] for r in rows])
    people = np.array([[float(r["human"]), float(r["j0"])] for r in rows])
    for form in FORMS:
        for averaged, word in ((False, "1"), (True, "k")):
            wanted = f"ICC({form},{word})"
            mine = found(repeats, form=form, averaged=averaged)
            assert mine.value == pytest.approx(reference["ICC repeats"][wanted][0], abs=1e-6)
            assert ("mean of 3 raters" if averaged else "single rater") in mine.name
            other = found(people, form=form, averaged=averaged).value
            assert other == pytest.approx(reference["ICC human-j0"][wanted], abs=1e-6)


def simulated(rng: np.random.Generator, n: int, strict: NDArray[np.float64], graded: bool) -> NDArray[np.float64]:
    x = rng.normal(3, 1, (n, 1)) + strict + rng.normal(0, 0.7, (n, strict.size))
    return np.clip(np.round(x), 1, 5) if graded else x


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("form", ["1", "C"])
def test_f_intervals_cover_also_on_grades(form: Form, graded: bool) -> None:
    rng = np.random.default_rng(11)
    none = np.zeros(3)
    truth = found(simulated(rng, 100_000, none, graded), form=form).value
    intervals = [found(simulated(rng, 40, none, graded), form=form).interval for _ in range(500)]
    hits = np.mean([i is not None and i.low <= truth <= i.high for i in intervals])
    assert 0.92 <= hits <= 0.98


def test_interval_of_absolute_agreement_covers_with_raters_drawn_anew() -> None:
    """ICC(A,1) speaks of other raters too: their strictness is drawn anew each time. Truth 1 / (1 + .25 + .49)."""
    rng = np.random.default_rng(12)
    intervals = [found(simulated(rng, 40, rng.normal(0, 0.5, 4), False)).interval for _ in range(500)]
    assert np.mean([i is not None and i.low <= 1 / 1.74 <= i.high for i in intervals]) >= 0.92


def test_clusters_of_one_give_nearly_the_f_interval_and_real_ones_a_wider_one() -> None:
    rng = np.random.default_rng(13)
    topic = np.repeat(np.arange(20), 5)
    ratings = rng.normal(0, 1, 20)[topic][:, None] + rng.normal(0, 0.3, (100, 1)) + rng.normal(0, 0.7, (100, 3))
    plain, clustered = found(ratings).interval, found(ratings, clusters=topic).interval
    assert plain is not None
    assert clustered is not None
    assert clustered.high - clustered.low > 1.15 * (plain.high - plain.low)
    assert found(ratings, clusters=topic).value == pytest.approx(found(ratings).value, rel=1e-9)


def test_what_cannot_be_said() -> None:
    for ratings in ([[1.0], [2.0], [3.0]], [[1, 1], [1, 1], [1, 1]], [[1, 2], [np.nan, 1], [2, 2]]):
        assert isinstance(icc(ratings), NotEstimable)
    whole = found([[1, 1], [2, 2], [3, 3]])
    assert (whole.value, whole.interval) == (1.0, None)
    with pytest.raises(ValueError, match="form"):
        icc(SHROUT, form="B")  # pyright: ignore[reportArgumentType]


def test_raters_who_know_nothing_have_none() -> None:
    rng = np.random.default_rng(14)
    i = found(rng.normal(size=(200, 3))).interval
    assert i is not None
    assert i.low < 0 < i.high
