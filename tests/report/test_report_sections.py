"""What the layers say, and what they must not say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from report_cases import FACTORS, empty, realistic, report

from eyechart.analysis.results import Analysis
from eyechart.core.findings import Severity, State
from eyechart.core.records import NotEstimable
from eyechart.report.blocks import (
    BarsBlock,
    Block,
    ChecklistBlock,
    CurveBlock,
    DotsBlock,
    HeatMapBlock,
    Message,
    Note,
    RadarBlock,
    SamplesBlock,
    SpanBlock,
    Table,
    Verdict,
)
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import say
from eyechart.report.sections import build
from eyechart.report.sections.ledger import WANTED
from eyechart.report.sentences import beyond_luck, plain_sentences, tone_of
from eyechart.rules.values import Ruled


def blocks(given: ReportInput, name: str) -> tuple[Block, ...]:
    return build(given, (name,))[0].blocks


T = TypeVar("T")


def only(given: ReportInput, name: str, kind: type[T]) -> T:
    (found,) = [block for block in blocks(given, name) if isinstance(block, kind)]
    return found


def words(given: ReportInput) -> list[str]:
    return [say(text, given.language) for text in plain_sentences(given.analysis)]


def test_three_plain_sentences() -> None:
    how_far, what, how_sure = words(report())
    assert how_far.startswith("Over 19 set-ups the score runs from 47.5 to 71.5 points, a range of 24.0;")
    assert "luck alone would give about 3.7" in how_far
    assert what.startswith("What moves it most is reader = strict regex, by \N{MINUS SIGN}14.8 points")
    assert "5 more levels move it beyond noise" in what
    assert "with new items [60.0, 70.2]" in how_sure
    assert "asked again: not estimable (every run gave the same answers by construction)" in how_sure


def test_nothing_flagged_is_not_said_to_be_steady() -> None:
    base = realistic()
    calm = replace(base, heat=tuple(replace(e, flagged=False) for e in base.heat))
    assert tone_of(calm) == "quiet"
    assert "That is no proof that none does" in words(report(calm))[1]
    untested = replace(calm, heat=tuple(replace(e, p_corrected=None) for e in calm.heat))
    assert tone_of(untested) == "unknown"
    assert "cannot be told" in words(report(untested))[1]


def test_one_set_up_has_no_range() -> None:
    base = realistic()
    assert base.range is not None
    one = replace(base, scores=base.scores[:1], range=replace(base.range, cells=1))
    assert words(report(one))[0].startswith("Only one set-up was tried")
    assert not any(s.kind == "range" for s in only(report(one), "verdict", SpanBlock).spans)


def test_luck_unknown_is_said() -> None:
    base = realistic()
    assert base.range is not None
    blind = replace(base, range=replace(base.range, luck=None))
    assert beyond_luck(blind.range) is None
    assert "is not known" in words(report(blind))[0]
    assert any(isinstance(b, Note) and b.kind == "missing" for b in blocks(report(blind), "score"))


def test_a_range_within_luck_is_called_so() -> None:
    base = realistic()
    assert base.range is not None
    small = replace(base, range=replace(base.range, low=0.64, high=0.66))
    assert beyond_luck(small.range) is False
    keys = [b.text.key for b in blocks(report(small), "score") if hasattr(b, "text") and isinstance(b.text, Message)]
    assert "score.luck.within" in keys


def test_sentences_of_the_caller_come_first() -> None:
    given = report(sentences=("one", "two", "three"))
    verdict = only(given, "verdict", Verdict)
    assert (verdict.text, verdict.details) == ("one", ("two", "three"))


def test_an_unknown_interval_has_no_width() -> None:
    spans = {span.kind: span for span in only(report(), "verdict", SpanBlock).spans}
    assert spans["repeat"].low is None
    assert spans["items"].low == pytest.approx(0.5999764788)
    assert spans["luck"].high - spans["luck"].low == pytest.approx(0.037)  # type: ignore[operator]


def test_not_above_chance_is_said_at_the_top() -> None:
    base = realistic()
    low = replace(base, scores=(replace(base.scores[0], above_chance=False), *base.scores[1:]))
    notes = [b for b in blocks(report(low), "verdict") if isinstance(b, Note)]
    assert any("not shown to be above chance (25.0 points)" in say(note.text, "en") for note in notes)


def test_failed_calls_are_loud_from_one_in_a_hundred() -> None:
    base = realistic()

    def kinds(failed: int) -> set[str]:
        first = replace(base.scores[0], outcomes={**base.scores[0].outcomes, "failed": failed})
        given = report(replace(base, scores=(first, *base.scores[1:])))
        return {b.kind for b in blocks(given, "verdict") if isinstance(b, Note)}

    assert kinds(1) == {"info"}
    assert kinds(2000) == {"warning"}


def test_every_run_of_every_set_up_is_a_dot() -> None:
    given = report()
    dots = only(given, "score", DotsBlock)
    assert sorted(r for row in dots.rows for r in row.runs) == sorted(r for s in given.analysis.scores for r in s.runs)
    assert {row.href for row in dots.rows} == {f"cell-{s.cell}" for s in given.analysis.scores}


def test_the_map_has_every_level_once() -> None:
    rows = only(report(), "dashboard", HeatMapBlock).rows
    assert {row.factor: [tile.level for tile in row.tiles] for row in rows} == {
        factor: [level for level, _ in levels] for factor, levels in FACTORS.items()
    }
    marks = {(row.factor, tile.level): tile.mark for row in rows for tile in row.tiles}
    assert marks["reader", "strict regex"] == "flagged"
    assert marks["reader", "first_letter"] == "baseline"
    assert marks["quantization", "int4"] == "missing"
    assert marks["shots", "3"] == ""


def test_a_level_that_changes_nothing_is_inert_not_zero() -> None:
    base = realistic()
    same = NotEstimable(name="change", reason="the same evaluation as the baseline level")
    heat = tuple(replace(e, change=same, contexts=0, inert=2) if e.level == "0.2" else e for e in base.heat)
    tiles = only(report(replace(base, heat=heat)), "dashboard", HeatMapBlock).rows[0].tiles
    assert [tile.mark for tile in tiles][:2] == ["baseline", "inert"]
    assert tiles[1].change is None


def test_subjects_stand_in_rows_below_all_of_them() -> None:
    tables = [b for b in blocks(report(), "dashboard") if isinstance(b, Table)]
    table = tables[0]
    names = [row.cells[0].text for row in table.rows]
    assert names[1:] == list(realistic().groups)
    assert [c.group for c in table.columns[1:3]] == ["temperature", "temperature"]
    assert all(cell.reason is not None for row in table.rows for cell in row.cells[-1:])  # int4: not estimable


def test_a_factor_without_a_known_spread_has_no_corner() -> None:
    radar = only(report(), "dashboard", RadarBlock)
    axes = {axis.name: axis for axis in radar.axes}
    assert axes["quantization"].corrected is None
    layers = [say(axis.layer or "", "en") for axis in radar.axes]
    assert layers == ["prompt", "prompt", "decoding", "model", "reading"]


def test_two_factors_are_bars_not_a_radar() -> None:
    base = realistic()
    two = report(replace(base, spreads=base.spreads[:2]))
    assert len(only(two, "dashboard", BarsBlock).bars) == 2
    many = report(replace(base, spreads=base.spreads * 4))
    assert len(only(many, "dashboard", BarsBlock).bars) == 20


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("flat", "Flat: over the whole range it moves by less than 2.0 points."),
        ("slopes", "It slopes"),
        ("bends", "It bends: a straight line misses it by more than 2.0 points."),
        ("cannot tell", "Cannot tell: neither a slope nor flatness"),
        ("wobbles", "a sentence of its own"),
    ],
)
def test_a_curve_says_its_verdict(verdict: str, said: str) -> None:
    base = realistic()
    curve = replace(base.curves[0], verdict=verdict, sentence="a sentence of its own")
    view = only(report(replace(base, curves=(curve,))), "dashboard", CurveBlock).curves[0]
    assert say(view.verdict, "en").startswith(said)
    assert say(view.details[0], "en") == "\N{MINUS SIGN}0.59 points per 0.1 [\N{MINUS SIGN}0.80, \N{MINUS SIGN}0.38]"


def test_a_slope_is_told_by_a_step_that_fits() -> None:
    views = only(report(), "dashboard", CurveBlock).curves
    assert [say(view.details[0], "en").split(" [")[0] for view in views] == [
        "\N{MINUS SIGN}0.59 points per 0.1",
        "+0.56 points per 1",
        "+0.10 points per 100",
    ]


def test_a_jump_in_the_words_of_the_analysis_is_told_in_points() -> None:
    base = realistic()
    curve = replace(base.curves[0], jumps=("-0.027 between 0.8 and 1", "as it is"))
    view = only(report(replace(base, curves=(curve,))), "dashboard", CurveBlock).curves[0]
    assert [say(line, "en") for line in view.details[1:3]] == [
        "Jump: \N{MINUS SIGN}2.7 points between 0.8 and 1",
        "Jump: as it is",
    ]


def test_three_raw_failures_for_each_level_that_moved() -> None:
    given = report()
    found = [b for b in blocks(given, "ledger") if isinstance(b, SamplesBlock)]
    moved = [e for e in given.analysis.heat if e.flagged]
    assert len(found) == len(moved)
    for block in found:
        assert len(block.samples) >= WANTED or block.note is not None
    assert len(found[0].samples) == 5


def test_a_level_that_raises_the_score_shows_what_it_avoids() -> None:
    base = realistic()
    spared = tuple(replace(s, factor="template", level="question-answer") for s in base.samples[:3])
    given = report(replace(base, samples=(*base.samples, *spared)))
    found = {say(b.title, "en"): b for b in blocks(given, "ledger") if isinstance(b, SamplesBlock)}
    block = found["template = step by step, +6.6 points"]
    assert len(block.samples) == 3
    assert "failures of the baseline level, question-answer" in say(block.side or "", "en")
    assert not any("within noise" in title for title in found)


def test_samples_of_no_flagged_level_are_shown_apart() -> None:
    base = realistic()
    calm = replace(base, heat=tuple(replace(e, flagged=False) for e in base.heat))
    found = [b for b in blocks(report(calm), "ledger") if isinstance(b, SamplesBlock)]
    assert say(found[0].title, "en") == "reader = strict regex, within noise"
    assert sum(len(b.samples) for b in found) == len(base.samples)


def test_warnings_of_estimates_are_shown_once_with_their_number() -> None:
    base = realistic()
    warned = [replace(s, new_items=replace(s.new_items, warnings=("few clusters",))) for s in base.scores[:3]]  # type: ignore[type-var]
    given = report(replace(base, scores=(*warned, *base.scores[3:])))
    notes = [say(b.text, "en") for b in blocks(given, "ledger") if isinstance(b, Note)]
    assert notes == [base.warnings[0], "few clusters (3 set-ups)"]
    many = report(replace(base, warnings=tuple(f"warning {i}" for i in range(60))))
    notes = [say(b.text, "en") for b in blocks(many, "ledger") if isinstance(b, Note)]
    assert notes[-1] == "36 more warnings are in the JSON of this report."


def test_what_was_left_out_stands_beside_the_units() -> None:
    base = realistic()
    first = replace(base.scores[0], new_items=replace(base.scores[0].new_items, excluded=2))  # type: ignore[type-var]
    tables = [
        b for b in blocks(report(replace(base, scores=(first, *base.scores[1:]))), "score") if isinstance(b, Table)
    ]
    assert say(tables[0].rows[1].cells[4].text, "en") == "300, 2 left out"


def test_every_field_of_the_fingerprint_is_there_with_its_state() -> None:
    given = report()
    tables = [b for b in blocks(given, "compliance") if isinstance(b, Table)]
    fields = next(t for t in tables if isinstance(t.title, Message) and t.title.key == "fields.title")
    assert [(row.cells[1].text, row.cells[3].mark) for row in fields.rows] == [
        (field.path, field.state) for field in given.fingerprint
    ]


def found(name: str, state: State, severity: Severity = "warning", **more: Any) -> Ruled:
    return Ruled(id=name, state=state, severity=severity, text=f"{name} holds", evidence="seen", **more)


def test_broken_rules_come_first_with_their_reason_and_remedy() -> None:
    rules = (
        found("kept", "kept", reason="why", remedy="do"),
        found("untold", "unknown", "error", remedy="ask"),
        found("mild", "broken", "note"),
        found("bad", "broken", "error", reason="It matters.", remedy="Do it."),
    )
    items = only(report(rules=rules), "compliance", ChecklistBlock).items
    assert [say(i.item, "en") for i in items] == [
        "bad holds (error)", "mild holds (note)", "untold holds (error)", "kept holds",
    ]  # fmt: skip
    assert [say(i.evidence, "en") for i in items] == [
        "seen. Why it matters: It matters. What to do: Do it.", "seen", "seen. What to do: ask", "seen",
    ]  # fmt: skip
    notes = [say(b.text, "en") for b in blocks(report(rules=rules), "verdict") if isinstance(b, Note)]
    assert "1 rule is broken: bad holds." in notes  # a note that is broken is no alarm


def test_without_rules_that_is_said() -> None:
    blocks_ = build(ReportInput(title="", analysis=empty()), ("compliance",))[0].blocks
    assert isinstance(blocks_[0], Note)
    assert say(blocks_[0].text, "en") == "No rules were applied here."


def test_a_section_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    from eyechart.report import sections

    def more(given: ReportInput) -> list[Block]:
        return [Note(kind="info", text=given.title)]

    registry: sections.Registry[sections.Section] = sections.Registry("section")
    registry.add("more", more)
    monkeypatch.setattr(sections, "EXTRA", registry)
    parts = build(report())
    assert parts[-1].name == "more"
    assert parts[-1].blocks == (Note(kind="info", text=report().title),)


def test_nothing_is_made_of_nothing() -> None:
    nothing: Analysis = empty()
    assert all(part.blocks for part in build(ReportInput(title="", analysis=nothing)))
