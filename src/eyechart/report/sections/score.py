"""Layer 1: the score, its two intervals, the range over set-ups, and every run of every set-up."""

from __future__ import annotations

from eyechart.analysis.results import Analysis, CellScore, Number, Range
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    DotRow,
    DotsBlock,
    Heading,
    Note,
    Prose,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import (
    anchors,
    baseline_of,
    counted,
    interval_cell,
    missing,
    points_cell,
    reason_of,
    row,
    score_cell,
    setup,
    table,
)
from eyechart.report.inputs import ReportInput
from eyechart.report.messages.known import recognised_method
from eyechart.report.sections.readers import readers
from eyechart.report.sections.repeats import repeats
from eyechart.report.sentences import baseline_value, beyond_luck


def score(given: ReportInput) -> list[Block]:
    analysis = given.analysis
    if not analysis.scores:
        return [Note(kind="missing", text=message("score.none"))]
    blocks = _baseline(analysis)
    if analysis.range is not None and analysis.range.cells > 1:
        blocks += _range(analysis, analysis.range)
    blocks.append(_dots(analysis))
    blocks += repeats(analysis)
    blocks.append(_setups(analysis))
    blocks += readers(given)
    return blocks


def _baseline(analysis: Analysis) -> list[Block]:
    base = baseline_of(analysis)
    value = baseline_value(base)
    if base is None or value is None:
        return [Note(kind="missing", text=message("score.no_baseline"))]
    said: dict[str, Text] = {
        "score": numbers.points(value),
        "items": counted("count.items", base.items),
        "repeats": counted("count.repeats", base.repeats),
    }
    blocks: list[Block] = [Prose(text=message("score.headline", **said))]
    if numbers.finite(base.chance):
        key = {True: "score.above_chance", False: "score.at_chance", None: "score.chance_unclear"}
        blocks.append(Prose(text=message(key[base.above_chance], chance=numbers.points(base.chance))))
    rows = [
        _named("score.repeat_it", base.repeat_it, analysis),
        _named("score.new_items", base.new_items, analysis),
        _answered(base),
    ]
    columns = ("score.col.name", False), ("score.col.value", True), ("score.col.ends", True)
    more = ("score.col.method", False), ("score.col.units", True)
    titles = [(message(key), numeric) for key, numeric in (*columns, *more)]
    blocks.append(table(titles, rows, title=message("score.intervals")))
    return blocks


def _named(key: str, number: Number, analysis: Analysis) -> Row:
    interval = numbers.interval_of(number)
    method: Cell | Text = ""
    if interval is not None:
        method = message(
            "score.method", level=numbers.percent(interval.level), method=recognised_method(interval.method)
        )
    units = _units(number)
    name = message(key, level=numbers.percent(analysis.level))
    return row(name, score_cell(number), interval_cell(number), method, units)


def _units(number: Number) -> Cell:
    estimate = numbers.known(number)
    if estimate is None:
        return missing(reason_of(number))
    text: Text = numbers.whole(estimate.n)
    if estimate.excluded:
        text = message("score.units.excluded", n=text, excluded=numbers.whole(estimate.excluded))
    return Cell(text=text, value=float(estimate.n))


def _answered(base: CellScore) -> Row:
    name = message("score.answered_only")
    if not numbers.finite(base.read_only):
        return row(name, missing(message("reason.nothing_answered")), "", "", "")
    left = sum(base.outcomes.get(key, 0) for key in ("correct", "incorrect"))
    value = Cell(text=numbers.points(base.read_only), value=base.read_only)
    return row(name, value, "", message("score.answered_method"), Cell(text=str(left), value=float(left)))


def _range(analysis: Analysis, spread: Range) -> list[Block]:
    where = anchors(analysis)
    said = {
        "n": counted("count.setups", spread.cells),
        "low": numbers.points(spread.low),
        "high": numbers.points(spread.high),
        "low_cell": spread.low_cell,
        "high_cell": spread.high_cell,
        "median": numbers.points(spread.median),
    }
    blocks: list[Block] = [
        Heading(text=message("score.range"), level=3, anchor="range"),
        Prose(text=message("score.range.text", **said)),
    ]
    beyond = beyond_luck(spread)
    if beyond is None:
        blocks.append(Note(kind="missing", text=message("score.luck.unknown")))
    else:
        luck = numbers.points(spread.luck or 0.0)
        key = "score.luck.beyond" if beyond else "score.luck.within"
        blocks.append(Prose(text=message(key, luck=luck, width=numbers.points(spread.high - spread.low))))
    rows = [
        row(
            message("score.lowest"),
            _linked(spread.low, spread.low_cell, where),
            _name(analysis, spread.low_cell),
        ),
        row(
            message("score.highest"),
            _linked(spread.high, spread.high_cell, where),
            _name(analysis, spread.high_cell),
        ),
        row(message("score.sd_raw"), _sd(spread.sd_raw), message("score.sd_raw.text")),
        row(message("score.sd_corrected"), _sd(spread.sd_corrected), message("score.sd_corrected.text")),
        row(message("score.divergence"), _divergence(spread), message("score.divergence.text")),
    ]
    columns = (("score.col.what", False), ("score.col.value", True), ("score.col.note", False))
    blocks.append(table([(message(key), numeric) for key, numeric in columns], rows))
    return blocks


def _linked(value: float, cell: str, where: dict[str, str]) -> Cell:
    return Cell(text=numbers.points(value), value=value, href=where.get(cell))


def _name(analysis: Analysis, cell: str) -> Text:
    found = next((s for s in analysis.scores if s.cell == cell), None)
    if found is None:
        return cell
    return message("setup.named", cell=cell, name=setup(found, baseline_of(analysis)))


def _sd(value: float | None) -> Cell:
    if not numbers.finite(value):
        return missing(message("reason.no_noise"))
    return Cell(text=numbers.points(value, 2), value=value)


def _divergence(spread: Range) -> Cell:
    text = message("score.divergence.value", n=spread.divergent_pairs, pairs=spread.pairs)
    return Cell(text=text, value=float(spread.divergent_pairs))


def _dots(analysis: Analysis) -> DotsBlock:
    base = baseline_of(analysis)
    where = anchors(analysis)
    ordered = sorted(analysis.scores, key=lambda s: -(baseline_value(s) or 0.0))
    rows = tuple(
        DotRow(
            name=message("setup.named", cell=s.cell, name=setup(s, base)),
            href=where[s.cell],
            runs=tuple(run for run in s.runs if numbers.finite(run)),
            mean=baseline_value(s),
            repeat=_ends(s.repeat_it),
            items=_ends(s.new_items),
            mark="baseline" if s.baseline else "",
        )
        for s in ordered
    )
    twin = table(
        [(message("setups.setup"), False), (message("setups.score"), True), (message("dots.runs"), False)],
        [_dots_row(r) for r in rows],
    )
    return DotsBlock(
        title=message("dots.title"),
        caption=message("dots.caption", level=numbers.percent(analysis.level)),
        rows=rows,
        baseline=baseline_value(base),
        twin=twin,
    )


def _ends(number: Number) -> tuple[float, float] | None:
    interval = numbers.interval_of(number)
    return (interval.low, interval.high) if interval else None


def _dots_row(dots: DotRow) -> Row:
    value = (
        missing(message("reason.no_run"))
        if dots.mean is None
        else Cell(text=numbers.points(dots.mean), value=dots.mean)
    )
    runs: Text = ", ".join(numbers.points(run) for run in dots.runs) or message("dots.none")
    return row(dots.name, value, runs)


def _setups(analysis: Analysis) -> Table:
    base = baseline_of(analysis)
    usual = dict(base.levels) if base else {}
    factors = list(dict.fromkeys(factor for s in analysis.scores for factor, _ in s.levels))
    where = anchors(analysis)
    columns: list[tuple[Text, bool]] = [(message("setups.setup"), False)]
    columns += [(factor, False) for factor in factors]
    numeric = ["setups.score", "setups.items", "setups.again", "setups.answered", "setups.chance", "setups.n"]
    chances = len({s.chance for s in analysis.scores}) > 1  # else it is said once, above
    columns += [(message(key), True) for key in numeric if chances or key != "setups.chance"]
    columns.append((message("setups.digest"), False))
    rows = [_setup_row(s, factors, usual, where[s.cell], chances=chances) for s in analysis.scores]
    level = numbers.percent(analysis.level)
    # Where there is little room columns go from the right, the levels last: rows must stay told apart.
    details = [*range(1, len(factors) + 1), *range(len(factors) + 3, len(columns))]
    caption = message("setups.caption", level=level)
    return table(columns, rows, title=message("setups.title"), caption=caption, details=details)


def _setup_row(s: CellScore, factors: list[str], usual: dict[str, str], anchor: str, *, chances: bool) -> Row:
    levels = dict(s.levels)
    cells: list[Cell | Text] = [Cell(text=s.cell, href=anchor, code=True)]
    for factor in factors:
        level = levels.get(factor)
        moved = level is not None and usual.get(factor) != level
        cells.append(
            missing(message("reason.no_level")) if level is None else Cell(text=level, mark="apart" if moved else "")
        )
    value = baseline_value(s)
    cells.append(missing(message("reason.no_run")) if value is None else Cell(text=numbers.points(value), value=value))
    cells += [interval_cell(s.new_items), interval_cell(s.repeat_it)]
    cells.append(points_cell(s.read_only, message("reason.nothing_answered"), 1))
    if chances:
        cells.append(points_cell(s.chance, message("reason.no_chance"), 1))
    size = message("setups.size", items=s.items, repeats=s.repeats)
    cells += [Cell(text=size, value=float(s.items)), Cell(text=short_digest(s.digest), code=True)]
    out = row(*cells, anchor=anchor)
    return Row(cells=out.cells, anchor=anchor, mark="baseline" if s.baseline else "")


def short_digest(digest: str) -> str:
    """
    >>> short_digest("e1:0123456789abcdef0123")
    'e1:0123456789ab'
    """
    tag, colon, body = digest.rpartition(":")
    return f"{tag}{colon}{body[:12]}"
