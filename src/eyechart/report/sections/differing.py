"""How two evaluations differ: the sentence, the fields by layer, the items one by one, who filled in what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eyechart.analysis.differing import Difference, Differing, ItemChange, Kind
from eyechart.core.words import Text, message
from eyechart.report.blocks import Block, Cell, Mark, Note, Part, Prose, Row, Table
from eyechart.report.common import row, table
from eyechart.report.diff_words import filled, headline, item_sentences, values
from eyechart.report.text import short

LONG = 160
"""Characters of a value in the table."""
ITEMS = 200
"""Items shown; the JSON has all."""
MARKS: dict[Kind, Mark] = {"scores": "flagged", "may": "unknown", "inert": "inert", "provenance": ""}


def differing_part(found: Differing, notes: Sequence[str] = ()) -> Part:
    """The section of a report."""
    return Part(name="diff", title=message("section.diff"), blocks=tuple(_blocks(found, notes)))


def _blocks(found: Differing, notes: Sequence[str]) -> Iterator[Block]:
    # No verdict with a tone: that fields differ does not say yet that a score moved.
    yield Prose(text=headline(found))
    yield from (Prose(text=text) for text in item_sentences(found))
    for note in notes:
        yield Note(kind="info", text=note)
    if found.flags:
        from eyechart.report.checks import checklist

        yield checklist(found.flags, message("diff.flags"))
    if found.differences:
        yield _fields(found)
    if found.items is not None:
        yield from _items(found.items.changes, found)
    if found.unset:
        yield _unset(found)


def _fields(found: Differing) -> Table:
    columns: list[tuple[Text, bool]] = [
        (message("diff.col.layer"), False),
        (message("diff.col.field"), False),
        (short(found.a.name, 40), False),
        (short(found.b.name, 40), False),
        (message("diff.col.kind"), False),
        (message("diff.col.why"), False),
    ]
    rows = [_row(one) for one in found.differences]
    return table(columns, rows, title=message("diff.fields"), caption=message("diff.fields.caption"), details=(0,))


def _row(one: Difference) -> Row:
    a, b = values(one, LONG)
    return row(
        message(f"diff.layer.{one.layer}"),
        Cell(text=one.path, code=True),
        Cell(text=a, code=True),
        Cell(text=b, code=True),
        Cell(text=message(f"diff.kind.{one.kind}"), mark=MARKS[one.kind]),
        one.why,
    )


def _items(changes: Sequence[ItemChange], found: Differing) -> Iterator[Block]:
    columns: list[tuple[Text, bool]] = [
        (message("diff.items.col.item"), False),
        (message("diff.items.col.what"), False),
        (short(found.a.name, 40), False),
        (short(found.b.name, 40), False),
    ]
    rows = [
        row(short(one.item, 60), message(f"diff.items.{one.what}"), _side(one.a), _side(one.b))
        for one in changes[:ITEMS]
    ]
    more = message("diff.items.more", n=ITEMS, of=len(changes)) if len(changes) > ITEMS else None
    yield table(columns, rows, title=message("diff.items"), caption=more)


def _side(text: str | None) -> Text:
    return message("diff.absent") if text is None else short(text, 80)


def _unset(found: Differing) -> Table:
    columns: list[tuple[Text, bool]] = [
        (message("diff.col.field"), False),
        (short(found.a.name, 40), False),
        (short(found.b.name, 40), False),
    ]
    rows = [row(Cell(text=one.path, code=True), filled(one.a), filled(one.b)) for one in found.unset]
    return table(columns, rows, title=message("diff.unset"), caption=message("diff.unset.caption"))
