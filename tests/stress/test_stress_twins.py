"""Graders with known faults get the certificates they deserve, and the fault is named by its style."""

import re
import unicodedata
from collections.abc import Callable

import pytest

from eyechart.core.identity import seed_for
from eyechart.stress import Answered, Case, Certificate, Counts, stress

SMALL = Counts(right=600, wrong=600, pairs=60, hostile=2000)


def grader(judge: Callable[[Case], str | None], seconds: float = 0.001):
    def verdicts(cases):
        return [Answered(verdict=judge(case), seconds=seconds) for case in cases]

    return verdicts


def certified(verdicts, counts: Counts = SMALL, kinds=("choice", "number")) -> Certificate:
    report = stress(verdicts, kinds=kinds, seed=1, counts=counts)
    return Certificate(grader="twin", digest="d1", version="1", report=report)


def knows(case: Case) -> str:
    """What no grader can: the verdict itself."""
    return "correct" if case.expected == "correct" else "incorrect"


def said(yes: object) -> str:
    return "correct" if yes else "incorrect"


def exact(case: Case) -> str:
    return said(case.output.strip() == case.gold)


def contains(case: Case) -> str:
    return said(case.gold in case.output)


def first_letter(case: Case) -> str:
    found = re.findall(r"\b[A-D]\b", case.output)
    return said(found and found[0] == case.gold)


def last_letter(case: Case) -> str:
    found = re.findall(r"\b[A-D]\b", case.output)
    return said(found and found[-1] == case.gold)


def last_number(case: Case) -> str:
    found = re.findall(r"-?\d+(?:\.\d+)?%?", case.output.replace(",", ""))
    return said(found and found[-1] == case.gold)


def test_a_perfect_grader_is_certified_and_only_for_what_was_tested():
    certificate = certified(grader(knows, 1e-6), Counts(right=3000, wrong=3000, pairs=50), ["text", "number"])
    assert certificate.refused == ()
    assert certificate.certified
    assert certificate.kinds == ("text", "number")
    assert certificate.untested == ("choice", "math", "code")
    assert "number: at least 99.90 % of right answers accepted" in "\n".join(certificate.statements)
    assert "code: not tested" in certificate.statements


def test_six_hundred_cases_without_a_failure_are_too_few_and_say_what_they_show():
    certificate = certified(grader(knows))
    assert not certificate.certified
    assert "number: right answers rejected 0 of 600 (bound 0.498%, wanted 0.1%)" in certificate.refused
    assert any("at least 99.50 %" in line for line in certificate.statements)


def test_always_correct_accepts_everything_and_turns_nothing():
    report = certified(grader(lambda case: "correct")).report
    assert (report.tally("right", "number").failures, report.tally("wrong", "number").failures) == (0, 600)
    assert report.tally("hostile", "number").failures == report.tally("hostile", "number").n
    assert [(p.kept, p.turned) for p in report.pairs] == [(60, 0), (60, 0)]


def test_never_correct_rejects_everything_and_is_not_certified_by_keeping_every_verdict():
    certificate = certified(grader(lambda case: "unparseable"))
    assert certificate.report.tally("right", "choice").rate == 1.0
    assert certificate.report.tally("wrong", "choice").failures == 0
    assert [(p.kept, p.turned) for p in certificate.report.pairs] == [(60, 0), (60, 0)]
    assert not certificate.certified


@pytest.mark.parametrize(
    ("judge", "kind", "rejects", "accepts"),
    [
        (exact, "number", 0.8, 0.0),
        (contains, "number", 0.1, 0.3),
        (contains, "choice", 0.1, 0.3),
        (first_letter, "choice", 0.2, 0.15),
        (last_letter, "choice", 0.2, 0.1),
        (last_number, "number", 0.2, 0.05),
    ],
)
def test_the_usual_rules_fail_as_they_are_known_to(judge, kind, rejects, accepts):
    report = certified(grader(judge), kinds=[kind]).report
    assert report.tally("right", kind).rate >= rejects
    assert report.tally("wrong", kind).rate >= accepts
    assert report.pairs[0].kept < report.pairs[0].n or judge is exact


@pytest.mark.parametrize(
    ("kind", "style", "fault"),
    [
        ("number", "thousands commas", lambda text: re.search(r"\d,\d", text)),
        ("number", "full-width digits", lambda text: re.search("[０-９]", text)),
        ("choice", "circled letter", lambda text: re.search("[Ⓐ-Ⓩ]", text)),
        ("choice", "label German", lambda text: "Antwort:" in text),
        ("text", "decomposed", lambda text: unicodedata.normalize("NFC", text) != text),
        ("math", "fbox", lambda text: "fbox" in text),
    ],
)
def test_a_planted_fault_is_found_by_its_style(kind, style, fault):
    report = certified(grader(lambda case: "unparseable" if fault(case.output) else knows(case)), kinds=[kind]).report
    found = [group for group in report.styles if group.family == "right"]
    assert style in {group.name for group in found[:2]}
    worst = next(group for group in found if group.name == style)
    assert worst.failures == worst.n > 3
    first = next(failed for failed in report.failed if failed.family == "right")
    assert {group.name for group in found[:1]} <= set(first.style.split(" + "))
    assert all(failed.verdict == "unparseable" for failed in report.failed)


def test_a_fault_of_one_task_is_found_by_its_base():
    report = certified(grader(lambda case: "incorrect" if case.base == "number/33" else knows(case))).report
    assert [group.name for group in report.tasks] == ["number/33"]
    assert report.tasks[0].failures == report.tasks[0].n


def test_a_crashing_grader_fails_and_its_errors_stand_apart():
    def verdicts(cases):
        broken = Answered(verdict=None, seconds=0.0, error="ValueError: bad")
        return [broken if i % 10 == 0 else Answered(verdict=knows(c), seconds=0.0) for i, c in enumerate(cases)]

    certificate = certified(verdicts)
    tally = certificate.report.tally("wrong", "number")
    assert (tally.failures, tally.errors) == (60, 60)
    assert certificate.report.failed[0].error == "ValueError: bad"
    assert any("not answered" in line for line in certificate.refused)


def test_no_verdict_and_an_invented_one_are_errors():
    report = certified(grader(lambda case: None)).report
    assert {(t.failures, t.errors) for t in report.tallies} == {(t.n, t.n) for t in report.tallies}
    assert [(p.kept, p.turned) for p in report.pairs] == [(0, 0), (0, 0)]
    assert certified(grader(lambda case: "maybe")).report.tally("right", "choice").errors == 600


def test_a_flaky_grader_shows_about_its_rate():
    report = certified(grader(lambda case: knows(case) if seed_for(1, case.id) % 20 else "incorrect")).report
    assert 0.01 < report.tally("right", "number").rate < 0.12


def test_a_slow_grader_is_refused_by_the_megabyte():
    counts = Counts(right=3000, wrong=3000, pairs=0, hostile=500)
    certificate = certified(grader(knows, seconds=0.001), counts, ["number"])
    assert certificate.report.slowest[0].seconds == pytest.approx(2.0)
    assert certificate.refused == (
        "number: hostile inputs of 500 characters tried, wanted 1,000,000",
        f"number: 2.00 s a megabyte of {certificate.report.slowest[0].style}, wanted under 1",
    )
    assert (certificate.report.times.median, certificate.report.times.largest) == (0.001, 0.001)


def test_all_five_programs_must_pass():
    def picky(case: Case) -> str:
        return "incorrect" if case.base == "code/fib" and case.operators[0] == "solution 4" else knows(case)

    report = certified(grader(picky), kinds=["code"]).report
    assert (report.five.tasks, report.five.passed, report.five.failed) == (30, 29, ("code/fib",))
    few = certified(grader(knows), Counts(right=3, wrong=3, pairs=0, hostile=0), ["code"])
    assert few.report.five is None
    assert "code: all five equivalent solutions not tested" in few.refused
    assert "code: hostile inputs not tested" in few.refused
