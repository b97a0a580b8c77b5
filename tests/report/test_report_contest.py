"""Models against each other: verdicts in words, letters of groups, and whether the order holds."""

from __future__ import annotations

import re
from dataclasses import replace

from report_cases import empty
from report_measured import compared, measured, planted
from report_words import rows, table, told, words

from eyechart.analysis.compare import compare
from eyechart.core.records import NotEstimable
from eyechart.report.blocks import Table
from eyechart.report.messages import say
from eyechart.report.sections.contest import contest, letter, verdict


def test_without_models_there_is_no_contest() -> None:
    assert contest(measured(contest=None)) == []
    assert contest(empty()) == []


def test_a_pair_is_told_in_one_sentence_and_turns_are_loud() -> None:
    found = contest(measured())
    assert told(found)[0].startswith(
        "small and large cannot be told apart; that is no proof that they are the same. About"
    )
    assert "The order is not the same everywhere" in told(found)[1]
    assert told(found, "zh")[0].startswith("small 与 large 无法区分")
    (row,) = rows(table(found, "contest.order"))
    assert row[1:4] == ["50 %", "50 %", "67 %"]
    assert re.fullmatch(r"template from \S+.* to .*: small goes from [\d.]+ points above large to [\d.]+ below", row[4])


def test_many_models_have_groups_and_letters() -> None:
    found = contest(measured(contest="many"))
    assert told(found)[0].startswith("Of 6 pairs 6 can be told apart; xl is better than all others (95 %")
    models = rows(table(found, "contest.models"))
    assert [row[0] for row in models] == ["xl", "l", "m", "s"]
    assert [row[2] for row in models] == ["a", "b", "c", "d"]
    assert len(rows(table(found, "contest.pairs"))) == 6
    assert rows(table(found, "contest.order"))[0][4] == "none found"
    assert rows(table(found, "contest.order"), "zh")[0][4] == "未发现"
    assert letter(25) == "z"


def test_what_cannot_be_told_apart_shares_a_letter() -> None:
    close = compare(planted({"model": ("s", "m", "l")}, {(2,): 0.4}), "model")
    found = contest(replace(measured(), contest=close))
    letters = {row[0]: row[2] for row in rows(table(found, "contest.models"))}
    assert letters["s"] == letters["m"] != letters["l"]
    assert len(told(found)) == 4
    assert not [b for b in found if isinstance(b, Table) and "order" in words(b.title)]


def test_every_verdict_has_a_sentence() -> None:
    (pair,) = compared("alone").comparisons.pairs
    assert say(verdict(pair), "en") == "m is better than s by 28.8 points."
    assert say(verdict(replace(pair, verdict="a is better")), "zh") == "s 优于 m，高出 28.8 分。"
    assert say(verdict(replace(pair, verdict="same")), "en") == "s and m are the same within 1.0 points."
    blind = replace(pair.comparison, needed_items=None, needed_runs=None)
    assert "What would tell is not known" in say(
        verdict(replace(pair, verdict="not distinguishable", comparison=blind)), "en"
    )
    gone = replace(pair.comparison, change=NotEstimable(name="c", reason="no items"))
    assert say(verdict(replace(pair, comparison=gone)), "zh") == "s 与 m 无法比较：没有题目。"
