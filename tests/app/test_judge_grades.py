"""The audit of grades: planted effects found, none found where none was planted, gaps and odd tables."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.analysis.grade_agreement import AgainstPeople, Repeats
from eyechart.analysis.judged_grades import audit_grades
from eyechart.analysis.judgements import Grades
from eyechart.core.records import Estimate, NotEstimable
from eyechart.data.judge_tables import read_judgements


@pytest.fixture(scope="module")
def grades(shared: Path) -> Grades:
    found = read_judgements(shared / "data" / "judge_graded.csv").groups[0][1]
    assert isinstance(found, Grades)
    return found


def test_planted_effects_are_found_and_own_is_named_without_being_told(grades: Grades) -> None:
    for own in (None, "M1"):
        audit = audit_grades(grades, own=own)
        found = {e.name: e for e in audit.effects}
        assert {n: e.finding for n, e in found.items()} == {
            "length": "biased", "own_model": "biased", "leniency": "biased", "compression": "negligible"
        }  # fmt: skip
        assert found["own_model"].towards.startswith("M1 (its own model")
        assert ("say --own M1" in found["own_model"].towards) == (own is None)
        for name, planted in (("length", 0.35 / 4), ("own_model", 0.5 / 4)):
            e = found[name].value
            assert isinstance(e, Estimate)
            assert e.interval is not None
            assert e.interval.low < planted < e.interval.high, name
    assert isinstance(audit.repeats, Repeats)
    assert audit.repeats.floor < 0.6
    for number, wanted in ((audit.repeats.single, 0.792821), (audit.repeats.unanimous, 0.375)):
        assert isinstance(number, Estimate)
        assert number.value == pytest.approx(wanted, abs=1e-6)
    assert isinstance(audit.people, AgainstPeople)


def random_grades(rng: np.random.Generator, n: int = 240) -> Grades:
    """A judge that is right but for noise; lengths and models say nothing."""
    human = rng.integers(1, 6, n).astype(np.float64)
    scores: NDArray[np.float64] = human[:, None] + rng.choice([-1, 0, 0, 1], (n, 2))
    return Grades(
        source="t",
        items=tuple(map(str, range(n))),
        scores=scores,
        human=human,
        models=tuple(rng.choice(["A", "B", "C"], n).tolist()),
        lengths=np.exp(rng.normal(5, 1, n)),
        scale=(0, 6),
    )


def test_nothing_is_found_where_nothing_was_planted() -> None:
    rng = np.random.default_rng(0)
    alarms = sum(
        any(e.finding == "biased" and e.name != "compression" for e in audit_grades(random_grades(rng)).effects)
        for _ in range(12)
    )
    assert alarms <= 3


def test_gaps_and_absent_columns_are_told_and_never_nan() -> None:
    bare = Grades(source="t", items=tuple("abcd"), scores=np.array([[1.0], [np.nan], [3.0], [2.0]]))
    audit = audit_grades(bare)
    assert (audit.n, audit.unreadable, audit.effects) == (3, 1, ())
    assert isinstance(audit.repeats, NotEstimable)
    assert isinstance(audit.people, NotEstimable)
    empty = Grades(source="t", items=("a",), scores=np.array([[np.nan, np.nan]]), human=np.array([1.0]))
    assert all(isinstance(e.value, NotEstimable) and e.finding == "unknown" for e in audit_grades(empty).effects)
    with pytest.raises(ValueError, match="none of the models"):
        audit_grades(bare, own="M9")
