"""The report in a terminal, drawn with rich. Nothing that a model wrote reaches the terminal as a command.

Charts become rows of letters: widths and runs as strips, volatility as bars, curves as one line of
levels. Raw text is put into `rich.text.Text`, whose words are never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from eyechart.report import numbers
from eyechart.report.blocks import (
    BarsBlock,
    Block,
    Cell,
    ChecklistBlock,
    CurveBlock,
    CurveView,
    DiffBlock,
    DotsBlock,
    Heading,
    HeatMapBlock,
    Note,
    PathBlock,
    Prose,
    RadarBlock,
    SamplesBlock,
    SampleView,
    SpanBlock,
    Table,
    Text,
    TokensBlock,
    Verdict,
    message,
)
from eyechart.report.common import checklist_table
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import say
from eyechart.report.sections import build
from eyechart.report.svg.marks import Scale, scale_over
from eyechart.report.terminal_pictures import ROWS, difference, path, tokens
from eyechart.report.text import ELLIPSIS, clean, clean_lines, clip

ANSWER, WORDS = 400, 160
NUMBERS = 26
"""Letters that a number beside a strip may take."""
LEVELS = "▁▂▃▄▅▆▇█"
TONES = {"moves": "bold yellow", "quiet": "bold cyan", "unknown": "bold"}
MARKS = {"kept": "✓ ", "broken": "✗ ", "stated": "● ", "default": "○ ", "inert": "– ", "unknown": "? "}


def render_terminal(given: ReportInput, *, width: int = 100, colour: bool = False, names: tuple[str, ...] = ()) -> str:
    """The report as text; `names` chooses sections (`verdict`, `score`, ...), all by default.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> print(render_terminal(ReportInput(title="a study", analysis=nothing), names=("verdict",)).splitlines()[0])
    a study
    """
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="256" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    console.print(view(given, names, width=width))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def view(given: ReportInput, names: tuple[str, ...] = (), *, width: int = 100) -> Group:
    """The same for a console of one's own."""
    return Group(*_report(given, names, width))


def _report(given: ReportInput, names: tuple[str, ...], width: int) -> Iterator[RenderableType]:
    language = given.language
    yield Line(_raw(given.title), style="bold")
    for part in build(given, names):
        if part.name != "verdict":
            yield Line(f"\n{_say(part.title, language).upper()}", style="bold")
        for block in part.blocks:
            yield from _block(block, language, width)


def _raw(text: str) -> str:
    shown, left = clip(text, WORDS)
    return clean(shown) + (f"{ELLIPSIS} (+{left})" if left else "")


def _say(text: Text, language: str) -> str:
    return say(text, language, _raw)


def _block(block: Block, language: str, width: int) -> Iterator[RenderableType]:
    match block:
        case Verdict():
            yield Line(_say(message(f"tone.{block.tone}"), language), style=TONES[block.tone])
            yield from (Line(_say(line, language)) for line in (block.text, *block.details))
        case Heading():
            yield Line(f"\n{_say(block.text, language)}", style="bold")
        case Prose():
            yield Line(_say(block.text, language))
        case Note():
            line = Line(f"{_say(message(f'ui.{block.kind}'), language)}: ", style="yellow")
            yield line.append(_say(block.text, language), style="default")
        case Table():
            yield from _titled(block.title, block.caption, language)
            yield from _table(block, language, width)
        case ChecklistBlock():
            yield from _titled(block.title, None, language)
            yield from _table(checklist_table(block), language, width)
        case CurveBlock():
            yield from _titled(block.title, None, language)
            for curve in block.curves:
                yield from _curve(curve, language)
        case SamplesBlock():
            yield Line(f"\n{_say(block.title, language)}", style="bold")
            if block.side is not None:
                yield Line(_say(block.side, language), style="dim")
            for sample in block.samples:
                yield from _sample(sample, language)
            if block.note is not None:
                yield Line(_say(block.note, language), style="dim")
        case TokensBlock() | PathBlock():
            yield from _titled(block.title, block.caption, language)
            yield from tokens(block, language) if isinstance(block, TokensBlock) else path(block, language)
            if len(block.twin.rows) <= ROWS:
                yield from _table(block.twin, language, width)
            else:
                yield Line(_say(message("pictures.rows", n=len(block.twin.rows)), language), style="dim")
        case DiffBlock():
            yield from _titled(block.title, block.note, language)
            for case in block.cases:
                yield Line(f"\n{_say(case.name, language)}" if case.name else "", style="bold")
                yield from difference(block, case, language)
        case _:
            yield from _titled(block.title, None, language)
            yield from _chart(block, language, width)


def _titled(title: Text | None, caption: Text | None, language: str) -> Iterator[RenderableType]:
    if title is not None:
        yield Line(f"\n{_say(title, language)}", style="bold")
    if caption is not None:
        yield Line(_say(caption, language), style="dim")


def _chart(
    block: SpanBlock | HeatMapBlock | RadarBlock | BarsBlock | DotsBlock, language: str, width: int
) -> Iterator[RenderableType]:
    match block:
        case SpanBlock():
            yield _spans(block, language, width)
        case DotsBlock():
            yield _dots(block, language, width)
        case RadarBlock():
            axes = [(_say(axis.name, language), axis.corrected) for axis in block.axes]
            shown = [(name, value, "" if value is None else numbers.points(value, 2)) for name, value in axes]
            yield _bars(shown, width)
        case BarsBlock():
            yield Line(_say(block.caption, language), style="dim")
            yield _bars([(_say(b.name, language), b.value, _say(b.text, language)) for b in block.bars], width)
            yield from _table(block.twin, language, width)
        case HeatMapBlock():
            yield from _table(block.twin, language, width)


def strip_of(width: int) -> int:
    """Letters of a strip on a console of `width`.

    >>> strip_of(120), strip_of(80), strip_of(50)
    (44, 28, 16)
    """
    return max(16, min(44, width - 52))


def _grid(width: int, *columns: tuple[str, bool]) -> Grid:
    """Names, a strip and a number; names too long for what the strip leaves end in an ellipsis."""
    grid = Grid(box=None, padding=(0, 2, 0, 0), show_header=any(title for title, _ in columns), header_style="dim")
    for title, numeric in columns:
        justify = "right" if numeric else "left"
        grid.add_column(Line(title), justify=justify, overflow="ellipsis", no_wrap=True)
    grid.columns[0].max_width = max(8, width - strip_of(width) - NUMBERS)
    return grid


def _table(table: Table, language: str, width: int) -> Iterator[RenderableType]:
    """A table; where the console is too narrow for it, without some of its details, and saying so."""
    titles = [
        " ".join(_say(text, language) for text in (column.group, column.title) if text is not None)
        for column in table.columns
    ]
    rows = [[_cell(cell, language) for cell in row.cells] for row in table.rows]
    wide = [max([cell_len(title), *(row[place].cell_len for row in rows)]) + 3 for place, title in enumerate(titles)]
    shown = _room(table, wide, width)
    for places in _strips(table, wide, shown, width):
        yield _columns(table, titles, rows, places)
    left = [title for place, title in enumerate(titles) if place not in shown]
    if left:
        yield Line(_say(message("ui.narrow", columns=", ".join(left)), language), style="dim")


def _columns(table: Table, titles: list[str], rows: list[list[Line]], places: list[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, 1), header_style="dim", show_edge=False)
    for place in places:
        numeric = table.columns[place].numeric
        justify = "right" if numeric else "left"
        grid.add_column(Line(titles[place]), justify=justify, overflow="fold", no_wrap=numeric)
    for row, cells in zip(table.rows, rows, strict=True):
        style = "bold" if row.mark in ("baseline", "total") else ""
        grid.add_row(*(cells[place] for place in places), style=style)
    return grid


def _room(table: Table, wide: list[int], width: int) -> list[int]:
    """The columns that are shown: all, or so many details fewer that the rest fits."""
    shown = list(range(len(wide)))
    for place in reversed(range(len(wide))):
        if sum(wide[p] for p in shown) > width and table.columns[place].detail:
            shown.remove(place)
    return shown


def _strips(table: Table, wide: list[int], shown: list[int], width: int) -> list[list[int]]:
    """A map that is too wide, cut into several under each other; its first column heads each."""
    if sum(wide[p] for p in shown) <= width or not all(table.columns[p].numeric for p in shown[1:]):
        return [shown]
    first, strips, used = shown[0], [[shown[0]]], wide[shown[0]]
    for place in shown[1:]:
        if used + wide[place] > width and len(strips[-1]) > 1:
            strips.append([first])
            used = wide[first]
        strips[-1].append(place)
        used += wide[place]
    return strips


def _cell(cell: Cell, language: str) -> Line:
    text = MARKS.get(cell.mark, "") + _say(cell.text, language)
    if cell.mark == "flagged":
        sign = "" if cell.heat is None else "▲" if cell.heat > 0 else "▼"
        return Line(text + sign, style="bold yellow")
    return Line(text, style={"broken": "bold yellow", "apart": "bold", "missing": "dim"}.get(cell.mark, ""))


def _strip(scale: Scale, marks: Sequence[tuple[float, float, str]]) -> str:
    """One line of letters; later marks stand over earlier ones."""
    line = [" "] * (round(scale.end) + 1)
    for low, high, letter in marks:
        first, last = round(scale.at(low)), round(scale.at(high))
        line[first : last + 1] = [letter] * (last - first + 1)
    return "".join(line)


def _spans(block: SpanBlock, language: str, width: int) -> Grid:
    seen = [v for span in block.spans for v in (span.low, span.high, span.point) if v is not None]
    scale = scale_over(seen, 0, strip_of(width) - 1, least=0.05)
    grid = _grid(width, ("", False), ("", False), ("", True))
    for span in block.spans:
        marks: list[tuple[float, float, str]] = []
        if span.low is not None and span.high is not None:
            letter = {"range": "━", "luck": "┄"}.get(span.kind, "─")
            marks.append((span.low, span.high, letter))
        if span.point is not None:
            marks.append((span.point, span.point, "●"))
        strip = _strip(scale, marks)
        grid.add_row(Line(_say(span.name, language)), Line(strip), Line(_say(span.value, language)))
    return grid


def _dots(block: DotsBlock, language: str, width: int) -> Grid:
    seen = [v for r in block.rows for v in (*r.runs, r.mean, *(r.repeat or ()), *(r.items or ())) if v is not None]
    scale = scale_over(seen, 0, strip_of(width) - 1, least=0.05)
    ends = f"{numbers.points(scale.low)}{' ' * (strip_of(width) - 10)}{numbers.points(scale.high):>5}"
    grid = _grid(
        width,
        (_say(message("setups.setup"), language), False),
        (ends, False),
        (_say(message("setups.score"), language), True),
    )
    for row in block.rows:
        marks = [(*ends, letter) for ends, letter in ((row.items, "─"), (row.repeat, "━")) if ends is not None]
        marks += [(run, run, "•") for run in row.runs]
        marks += [] if row.mean is None else [(row.mean, row.mean, "┃")]
        score = "?" if row.mean is None else numbers.points(row.mean)
        style = "bold" if row.mark == "baseline" else ""
        grid.add_row(Line(_say(row.name, language), style=style), Line(_strip(scale, marks)), Line(score))
    return grid


def _bars(values: Sequence[tuple[str, float | None, str]], width: int) -> Grid:
    most = max([0.01, *(v for _, v, _ in values if v is not None)])
    grid = _grid(width, ("", False), ("", False), ("", True))
    for name, value, text in values:
        if value is None:
            grid.add_row(Line(name), Line("?", style="dim"), Line("–"))
        else:
            bar = "█" * round(strip_of(width) * (max(0.0, value) / most))  # in this order: a product may overflow
            grid.add_row(Line(name), Line(bar, style="blue"), Line(text))
    return grid


def _curve(curve: CurveView, language: str) -> Iterator[RenderableType]:
    known = [point.y for point in curve.points if point.y is not None]
    scale = scale_over(known, 0, len(LEVELS) - 1, least=0.05)
    spark = "".join(" " if p.y is None else LEVELS[round(scale.at(p.y))] for p in curve.points)
    line = Line(_say(curve.factor, language), style="bold")
    line.append(f"  {spark}  ", style="blue")
    yield line.append(_say(curve.verdict, language), style="not bold")
    yield from (Line(f"  {_say(detail, language)}", style="dim") for detail in curve.details)


def _sample(sample: SampleView, language: str) -> Iterator[RenderableType]:
    facts = [sample.cell, sample.item, sample.group or "", _say(sample.outcome, language)]
    head = " · ".join(_raw(fact) for fact in facts if fact)
    read = _say(message("ui.nothing_read") if sample.extracted is None else sample.extracted, language)
    told = [(message("ui.extracted"), read), (message("ui.gold"), _raw(sample.gold))]
    tail = "  ".join(f"{_say(key, language)}: {value}" for key, value in told)
    yield Line(f"{head}  {tail}", style="dim")
    text, left = clip(sample.text, ANSWER)
    yield Padding(Line(clean_lines(text) or _say(message("ui.empty"), language)), (0, 0, 0, 2))
    if left:
        yield Padding(Line(_say(message("ui.left_out", n=left), language), style="dim"), (0, 0, 0, 2))
