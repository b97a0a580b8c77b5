"""Changed verdicts in a report: counts by cause, typical cases, what was left out; inert, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from report_cases import report
from report_hostile import HOSTILE
from report_page import Page
from test_report_media import HIDDEN, assert_inert

from eyechart.analysis.flips import Cause, Flip, FlipCase, FlipCases, Ledger, Side
from eyechart.app.paper import paper
from eyechart.core.records import Outcome
from eyechart.report.blocks import DiffBlock, Note, Table, Verdict
from eyechart.report.html import render_html
from eyechart.report.markdown import render_markdown
from eyechart.report.messages import EN, say
from eyechart.report.plain import render_json
from eyechart.report.sections.flips import ledger_part, ledger_sentence, left_out, typical_cases
from eyechart.report.terminal import render_terminal


def side(text: str | None, *, right: bool, read: str | None, gold: str = "London") -> Side:
    outcome = Outcome.CORRECT if right else Outcome.INCORRECT
    return Side(text=text, outcome=outcome, value=float(right), extracted=read, careful=read, gold=(gold,))


def flip(cause: Cause, a: str | None = "It is London.", b: str | None = "It is Paris.", item: str = "q1") -> Flip:
    return Flip(
        item=item, repeat=0, cause=cause, a=side(a, right=True, read="London"), b=side(b, right=False, read="Paris")
    )


def cases(flips: tuple[Flip, ...], *, beyond: bool = True, level: str = "own") -> FlipCases:
    made = tuple(FlipCase(flip=one, a="c000", b="c001") for one in flips)
    return FlipCases(
        factor="prompt.cue", baseline="plain", level=level, beyond_noise=beyond, total=len(made), cases=made
    )


def hostile_flips() -> tuple[Flip, ...]:
    return tuple(
        Flip(
            item=HOSTILE[i],
            repeat=i,
            cause=list(Cause)[i % len(Cause)],
            a=side(text, right=True, read=HOSTILE[i - 1], gold=HOSTILE[i - 2]),
            b=side(f"{text} {HOSTILE[i - 3]}", right=False, read=text),
        )
        for i, text in enumerate(HOSTILE)
    )


def hostile_ledger() -> Ledger:
    return Ledger(a=HOSTILE[0], b=HOSTILE[4], compared=90, flips=hostile_flips(), only_a=2, uncounted=1234)


def test_typical_cases_stand_behind_the_counts() -> None:
    given = report(cases=cases((flip(Cause.ANSWER), flip(Cause.READ, b="It is London."))))
    (block,) = typical_cases(given)
    assert isinstance(block, DiffBlock)
    first, second = block.cases
    assert [piece.text for piece in first.left if piece.changed] == ["London"]
    assert [piece.text for piece in first.right if piece.changed] == ["Paris"]
    assert not any(piece.changed for piece in (*second.left, *second.right))
    assert say(first.name, "en") == "Item q1, repeat 0, c000 to c001: Answered differently"
    assert say(first.right_note, "en") == "incorrect; read as: Paris; right answer: London"
    assert "beyond noise" in say(block.note or "", "en")
    assert "2 of 2 changed verdicts" in say(block.note or "", "en")


def test_a_level_within_the_noise_is_not_said_to_be_beyond() -> None:
    (block,) = typical_cases(report(cases=cases((flip(Cause.ANSWER),), beyond=False)))
    assert isinstance(block, DiffBlock)
    assert say(block.note or "", "en").startswith("No level that changed verdicts moved the score beyond noise")


def test_no_cases_no_block() -> None:
    assert typical_cases(report()) == []
    assert typical_cases(report(cases=cases(()))) == []


def test_scored_options_have_no_text_and_say_so() -> None:
    (block,) = typical_cases(report(cases=cases((flip(Cause.ANSWER, a=None, b=None),))))
    assert isinstance(block, DiffBlock)
    assert block.cases[0].left == ()
    assert say(block.cases[0].left_note, "en") == (
        "correct; options were scored, no text was written; chosen: London; right answer: London"
    )


def test_a_ledger_is_counted_by_cause_the_most_frequent_first() -> None:
    flips = (flip(Cause.READ, item="a"), flip(Cause.ANSWER, item="b"), flip(Cause.ANSWER, item="c"))
    part = ledger_part(Ledger(a="one", b="two", compared=10, flips=flips, only_b=3))
    assert say(ledger_sentence(Ledger(a="one", b="two", compared=10, flips=flips)), "en") == (
        "3 of 10 verdicts differ between one and two: two gains 0 and loses 3."
    )
    (table,) = [block for block in part.blocks if isinstance(block, Table)]
    assert [[say(cell.text, "en") for cell in row.cells] for row in table.rows] == [
        ["Answered differently", "2", "0", "2"], ["Read differently", "1", "0", "1"],
    ]  # fmt: skip
    assert [say(block.text, "en") for block in part.blocks if isinstance(block, Note)] == [
        "3 items were asked in two only."
    ]
    assert not any(isinstance(block, Verdict) for block in part.blocks)  # nothing was tested, nothing is claimed


def test_nothing_in_common_is_said_to_be_that() -> None:
    part = ledger_part(Ledger(a="one", b="two", compared=0, flips=(), only_a=4, only_b=4))
    assert isinstance(part.blocks[0], Note)
    assert part.blocks[0].kind == "missing"
    assert say(ledger_sentence(Ledger(a="one", b="two", compared=7, flips=())), "en") == (
        "No verdict of 7 differs between one and two."
    )
    assert left_out(Ledger(a="one", b="two", compared=7, flips=())) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_answers_are_shown_and_do_nothing(language: Any) -> None:
    ledger = paper("x", [ledger_part(hostile_ledger())], language)
    run = report(cases=cases(hostile_flips(), level=HOSTILE[5]), language=language)
    for given, names in ((ledger, ("flips",)), (run, ())):
        page = Page(render_html(given, names=names))
        assert page.faults == []
        assert len(page.find("script")) == 1
        assert_inert(render_markdown(given, names=names))
        assert not HIDDEN.search(render_terminal(given, names=names))
        json.loads(render_json(given, names=names))


def test_every_cause_has_its_words() -> None:
    assert all(f"flips.cause.{cause}" in EN for cause in Cause)
