"""The top of the page: the answer in plain language, and a picture of which width is the large one."""

from __future__ import annotations

from eyechart.analysis.results import Analysis, Number, Range
from eyechart.report import numbers
from eyechart.report.blocks import Block, Note, Row, Span, SpanBlock, Text, Verdict, message
from eyechart.report.common import baseline_of, counted, listed, row, table
from eyechart.report.inputs import ReportInput
from eyechart.report.sentences import baseline_value, plain_sentences, tone_of

LOUD = 0.01
"""Failed calls are a warning from this share on; below it they are noted."""


def verdict(given: ReportInput) -> list[Block]:
    analysis = given.analysis
    sentences = given.sentences or plain_sentences(analysis)
    blocks: list[Block] = [
        Verdict(text=sentences[0], tone=tone_of(analysis), details=tuple(sentences[1:])),
    ]
    blocks += _alarms(given)
    spans = _spans(analysis)
    if spans:
        rows = [_span_row(span) for span in spans]
        columns = ((message("spans.what"), False), (message("spans.value"), False))
        twin = table((*columns, (message("spans.ends"), True)), rows)
        blocks.append(SpanBlock(title=message("spans.title"), spans=tuple(spans), twin=twin))
    return blocks


def _alarms(given: ReportInput) -> list[Block]:
    """What must be known before any number is believed."""
    out: list[Block] = []
    score = baseline_of(given.analysis)
    if score is None:
        out.append(Note(kind="missing", text=message("note.no_baseline")))
    elif score.above_chance is False:
        chance = numbers.points(score.chance) if numbers.finite(score.chance) else "?"
        out.append(Note(kind="warning", text=message("note.at_chance", chance=chance)))
    failed = sum(s.outcomes.get("failed", 0) for s in given.analysis.scores)
    total = sum(sum(s.outcomes.values()) for s in given.analysis.scores)
    if failed:
        said = {
            "n": numbers.whole(failed),
            "total": numbers.whole(total),
            "share": numbers.part(failed / total),
        }
        loud = failed >= LOUD * total
        out.append(Note(kind="warning" if loud else "info", text=message("note.failed", **said)))
    broken = [rule.text for rule in given.rules if rule.fails]
    if broken:
        text = message("note.broken", n=counted("count.rules", len(broken)), rules=listed(broken[:3]))
        out.append(Note(kind="warning", text=text))
    return out


def _spans(analysis: Analysis) -> list[Span]:
    score = baseline_of(analysis)
    value = baseline_value(score)
    out: list[Span] = []
    if score is not None and value is not None:
        out.append(_interval("repeat", message("spans.repeat"), score.repeat_it, value))
        out.append(_interval("items", message("spans.items"), score.new_items, value))
    if analysis.range is not None:
        out += _widths(analysis.range)
    return out


def _interval(kind: str, name: Text, number: Number, value: float) -> Span:
    interval = numbers.interval_of(number)
    text: Text = message("spans.unknown")
    if interval is not None:
        text = message("spans.interval", score=numbers.points(value), ends=numbers.ends(interval))
    return Span(
        name=name,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        point=value,
        value=text,
        kind="repeat" if kind == "repeat" else "items",
    )


def _widths(spread: Range) -> list[Span]:
    if spread.cells < 2 or not (numbers.finite(spread.low) and numbers.finite(spread.high)):
        return []
    n = counted("count.setups", spread.cells)
    text = message(
        "spans.width",
        low=numbers.points(spread.low),
        high=numbers.points(spread.high),
        width=numbers.points(spread.high - spread.low),
    )
    median = spread.median if numbers.finite(spread.median) else (spread.low + spread.high) / 2
    out = [
        Span(
            name=message("spans.range", n=n),
            low=spread.low,
            high=spread.high,
            point=median,
            value=text,
            kind="range",
        )
    ]
    if numbers.finite(spread.luck):
        half = spread.luck / 2
        luck = message("spans.luck_width", width=numbers.points(spread.luck))
        name = message("spans.luck", n=n)
        out.append(Span(name=name, low=median - half, high=median + half, point=None, value=luck, kind="luck"))
    return out


def _span_row(span: Span) -> Row:
    if span.low is None or span.high is None:
        return row(span.name, span.value, message("missing"))
    if span.kind == "luck":  # a width: its ends are where it is drawn, and no interval of it
        return row(span.name, span.value, message("spans.luck_drawn"))
    return row(span.name, span.value, f"[{numbers.points(span.low)}, {numbers.points(span.high)}]")
