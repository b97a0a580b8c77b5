"""Limits in words: every outcome, every advice, in both languages, and no end that is shown on the wrong side."""

from __future__ import annotations

import pytest

from eyechart.analysis.gate import Held, Member, hold
from eyechart.analysis.gate_text import read_limit
from eyechart.core.records import NotEstimable
from eyechart.report.messages import say
from eyechart.report.sections.gate import amount, finding, gate, looked, verdict
from eyechart.stats.evidence import Coefficient, Counted, Deviation, Evidence, Mean, Size
from eyechart.stats.limits import mean_shown


def held(text: str, *evidence: Evidence | NotEstimable, runs: int | None = None, share: float | None = None) -> Held:
    names = [None] if len(evidence) == 1 else ["law", "history", "algebra", "art", "botany", "chess", "drama"]
    members = [
        Member(subject=name, evidence=one, items=100, runs=runs, run_share=share)
        for name, one in zip(names, evidence, strict=False)
    ]
    return hold([(read_limit(text), members)])[0]


def unread(n: int) -> Evidence:
    found = mean_shown([1.0] * n + [0.0] * (100 - n), kind="share")
    assert not isinstance(found, NotEstimable)
    return found


CASES = {
    "broken": (held("unparsed <= 2 %", unread(20)), "20.00 points, at least 13.66 points at 95 %: beyond the limit of 2.00 points."),
    "kept": (held("unparsed <= 20 %", unread(5)), "5.00 points, at most 10.23 points at 95 %: within the limit of 20.00 points."),
    "unknown": (held("unparsed <= 5 %", unread(6)), "the limit of 5.00 points lies between."),
    "counted": (held("failed <= 1 %", Counted(value=0.02)), "2.00 points, counted, of 100 in all; the limit is 1.00 points."),
    "reason": (held("score >= 1 %", NotEstimable(name="x", reason="no items")), "cannot be estimated: no items."),
    "subject": (held("score(group) >= 1 %", NotEstimable(name="x", reason="no items"), unread(50)), "law: cannot be estimated: no items."),
    "likewise": (held("unparsed(group) <= 2 %", *[unread(40)] * 7), "Likewise: history, algebra, art, botany and 2 more."),
    "more": (held("unparsed(group) <= 5 %", unread(60), unread(6)), "For 1 more it cannot be told."),
    "slope": (held("slope(t) <= 1 points", Size(inner=Mean(value=-0.05, se=0.01, df=99, centre=-0.05), value=0.05)), "points per 0.1"),
    "plain": (held("people >= 0.8", Coefficient(value=0.5, se=0.1, df=99)), "0.50, at most 0.62 at 95 %: beyond the limit of 0.80."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_outcome_in_words(name: str) -> None:
    one, words = CASES[name]
    assert words in say(finding(one).evidence, "en")
    assert say(finding(one).evidence, "zh") != say(finding(one).evidence, "en")


@pytest.mark.parametrize(
    ("one", "key"),
    [
        (held("unparsed <= 5 %", unread(8)), "gate.needs.items"),
        (held("unparsed <= 5 %", unread(8), runs=3, share=0.05), "gate.needs.items_only"),
        (held("unparsed <= 5 %", unread(9), runs=3, share=1.0), "gate.needs.either"),
        (held("unparsed <= 6 %", unread(6), runs=3, share=1.0), "gate.needs.nothing"),
        (held("run_noise <= 2 points", Deviation(value=0.03, df=2), runs=3), "gate.needs.runs"),
    ],
)
def test_each_advice_in_words(one: Held, key: str) -> None:
    remedy = finding(one).remedy
    assert remedy is not None
    assert not isinstance(remedy, str)
    assert remedy.key == key
    assert say(remedy, "en").startswith("Cannot tell")
    assert say(remedy, "zh").startswith("无法判断")


def test_what_is_decided_has_no_advice() -> None:
    assert finding(CASES["broken"][0]).remedy is None
    assert finding(CASES["kept"][0]).remedy is None


def test_one_that_lies_outside_is_enough_and_the_cheapest_is_named() -> None:
    one = held("unparsed(group) <= 5 %", unread(8), unread(9), unread(0))
    remedy = finding(one).remedy
    assert remedy is not None
    assert "in history" in say(remedy, "en")


def test_ends_are_rounded_away_from_what_they_show() -> None:
    limit = read_limit("score >= 60 points")
    assert say(amount(limit, 0.599999, 1), "en") == "60.00 points"
    assert say(amount(limit, 0.600001, -1), "en") == "60.00 points"
    assert say(amount(limit, 0.600001, 1), "en") == "60.01 points"


@pytest.mark.parametrize("name", CASES)
def test_the_section_holds_every_number(name: str) -> None:
    one, _ = CASES[name]
    blocks = gate([one])
    table = blocks[-1]
    assert len(getattr(table, "rows", ())) == len(one.looks)
    assert "numbers were looked at" in say(looked(one), "en")


def test_the_verdict_counts_what_fails() -> None:
    warned = finding(CASES["broken"][0])
    from dataclasses import replace

    soft = replace(warned, severity="warning")
    kept, unknown = finding(CASES["kept"][0]), finding(CASES["unknown"][0])
    assert say(verdict([warned, kept]), "en") == "1 of 2 limits broken"
    assert say(verdict([kept, unknown]), "en") == "Cannot tell for 1 of 2 limits; none is broken"
    assert say(verdict([kept]), "en") == "1 of 1 limits kept"
    assert say(verdict([kept, soft]), "en") == "1 of 1 limits kept; of those that only warn, 1 broken"
    unsure = replace(unknown, severity="warning")
    both = say(verdict([kept, soft, unsure]), "en")
    assert both == "1 of 1 limits kept; of those that only warn, 1 broken; of those that only warn, 1 cannot be told"
