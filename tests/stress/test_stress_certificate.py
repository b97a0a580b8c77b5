"""Bounds against SciPy; the certificate goes through JSON unchanged, and stale with its grader."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.stress import Answered, Certificate, Counts, as_data, from_data, stress
from eyechart.stress.report import Tally, bound


def sometimes(cases):
    return [Answered(verdict="correct" if i % 3 else "incorrect", seconds=i * 1e-6) for i, _ in enumerate(cases)]


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    counts = Counts(right=200, wrong=200, pairs=20, hostile=300)
    report = stress(sometimes, kinds=["math", "code"], seed=4, counts=counts)
    return Certificate(grader="sometimes", digest="sha256:ab", version="9.9", report=report)


def test_the_rule_of_three_at_its_edge():
    assert bound(0, 2995) <= 0.001 < bound(0, 2994)
    assert bound(0, 1000) == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert bound(1, 4742) <= 0.001 < bound(1, 4741)
    assert bound(5, 5) == 1.0


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None, max_examples=60)
def test_bounds_and_intervals_are_those_of_scipy(drawn):
    stats = pytest.importorskip("scipy.stats")
    k, n = drawn
    tally = Tally(family="wrong", kind="text", n=n, failures=k, errors=0)
    exact = stats.binomtest(k, n).proportion_ci(0.95, "exact")
    assert (tally.interval.low, tally.interval.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    one_sided = stats.binomtest(k, n, alternative="less").proportion_ci(0.95, "exact")
    assert tally.bound == pytest.approx(one_sided.high, abs=1e-9)
    assert tally.rate <= tally.bound <= tally.interval.high + 1e-12


@given(st.integers(1, 10_000), st.sampled_from(["right", "wrong"]))
@settings(deadline=None)
def test_a_statement_never_says_more_than_its_bound(n, family):
    tally = Tally(family=family, kind="text", n=n, failures=0, errors=0)
    said = float(tally.statement.split()[2]) / 100
    assert (1 - said if family == "right" else said) >= tally.bound - 1e-9


def test_round_trip_through_json(certificate):
    data = json.loads(json.dumps(as_data(certificate), allow_nan=False))
    assert from_data(data) == certificate
    assert as_data(from_data(data)) == data
    assert data["not_tested"] == ["choice", "number", "text"]
    assert "independent draws from this generator" in data["caveat"]


def test_a_word_changed_in_the_file_certifies_nothing(certificate):
    data = as_data(certificate) | {"certified": True, "refused": []}
    assert not from_data(data).certified


def test_it_goes_stale_with_the_grader_and_with_the_version(certificate):
    assert certificate.holds_for("sha256:ab", "9.9")
    assert not certificate.holds_for("sha256:ac", "9.9")
    assert not certificate.holds_for("sha256:ab", "10.0")


@pytest.mark.parametrize("data", [{}, {"certificate": 2}, {"certificate": 1, "grader": "x"}])
def test_what_is_no_certificate_is_refused_in_one_line(data):
    with pytest.raises(InputError, match="certificate"):
        from_data(data)


def test_a_damaged_report_is_refused(certificate):
    data = as_data(certificate)
    data["report"] = {name: value for name, value in data["report"].items() if name != "times"}
    with pytest.raises(InputError, match="KeyError: 'times'"):
        from_data(data)
