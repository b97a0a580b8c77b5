"""The tokens of two prompts as a picture: what differs, and how attention moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from eyechart.probes.prompt_values import AttentionChange, Pair
from eyechart.probes.wording import units
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Note, Piece, Row, Table, Text, TokenMark, TokenRow, TokensBlock, message
from eyechart.report.common import missing, row, table

ROWS = 200
"""Tokens in the table beside the picture, those that moved most first."""


def tokens(pair: Pair, why: Callable[[str], Text]) -> Iterator[Block]:
    """The picture of one pair: attention where it is known, else only where the prompts differ."""
    found = pair.attention
    if isinstance(found, AttentionChange):
        yield _attention(found)
        yield _layers(found)
        return
    yield Note(kind="missing", text=message("probes.no_attention", reason=why(found.reason)))
    a, b = pair.a.pieces or units(pair.a.prompt, "words"), pair.b.pieces or units(pair.b.prompt, "words")
    if a != b:
        yield _differing(a, b)


def pieces_of(a: str, b: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two texts, word by word, with what stands on one side only marked.

    >>> pieces_of("a b", "a c")[1]
    (Piece(text='a ', changed=False), Piece(text='c', changed=True))
    """
    one, two = units(a, "words"), units(b, "words")
    left, right = list[Piece](), list[Piece]()
    for kind, i, j, k, m in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        for side, words in ((left, one[i:j]), (right, two[k:m])):
            if words:
                side.append(Piece(text="".join(words), changed=kind != "equal"))
    return tuple(left), tuple(right)


def _differing(a: Sequence[str], b: Sequence[str]) -> TokensBlock:
    rows: list[list[TokenMark]] = [[], []]
    twin: list[Row] = []
    for kind, i, j, k, m in SequenceMatcher(None, list(a), list(b), autojunk=False).get_opcodes():
        mark = "" if kind == "equal" else "apart"
        rows[0] += [TokenMark(text=token, mark=mark) for token in a[i:j]]
        rows[1] += [TokenMark(text=token, mark=mark) for token in b[k:m]]
        if kind != "equal":
            twin.append(row(Cell(text="".join(a[i:j]), code=True), Cell(text="".join(b[k:m]), code=True)))
    columns = [(message("probes.col.first"), False), (message("probes.col.second"), False)]
    return TokensBlock(
        title=message("probes.differing"),
        caption=message("probes.differing.caption"),
        rows=(
            TokenRow(name=message("probes.col.first"), tokens=tuple(rows[0])),
            TokenRow(name=message("probes.col.second"), tokens=tuple(rows[1])),
        ),
        twin=table(columns, twin, title=message("probes.differing")),
    )


def _attention(found: AttentionChange) -> TokensBlock:
    """Scaled by the largest weight behind the first token, which most heads use as a place to rest."""
    sides = [[t for t in found.tokens if t.weights[side] is not None] for side in (0, 1)]
    tallest = max((t.weights[i] or 0.0 for i, side in enumerate(sides) for t in side[1:]), default=0.0) or 1.0
    moved = [(t.weights[1] or 0.0) - (t.weights[0] or 0.0) for t in found.tokens]
    widest = max((abs(x) for x in moved[1:]), default=0.0) or 1.0
    rows = [
        TokenRow(
            name=message("probes.col.first" if i == 0 else "probes.col.second"),
            tokens=tuple(
                TokenMark(text=t.text, weight=_held((t.weights[i] or 0.0) / tallest), tip=_percent(t.weights[i]))
                for t in side
            ),
        )
        for i, side in enumerate(sides)
    ]
    change = tuple(
        TokenMark(
            text=t.text,
            weight=_held(by / widest),
            tip=numbers.signed(by, 2),
            mark="apart" if None in t.weights else "",
        )
        for t, by in zip(found.tokens, moved, strict=True)
    )
    keys = ("token", "first", "second", "moved")
    columns = [(message(f"probes.col.{key}"), key != "token") for key in keys]
    order = sorted(range(len(moved)), key=lambda i: -abs(moved[i]))[:ROWS]
    return TokensBlock(
        title=message("probes.attention"),
        caption=message("probes.attention.caption"),
        rows=(*rows, TokenRow(name=message("probes.col.moved"), tokens=change)),
        twin=table(
            columns,
            [
                row(
                    Cell(text=found.tokens[i].text, code=True),
                    *(_weight(weight) for weight in found.tokens[i].weights),
                    Cell(text=numbers.signed(moved[i], 2), value=moved[i]),
                )
                for i in order
            ],
            title=message("probes.attention"),
        ),
    )


def _layers(found: AttentionChange) -> Table:
    keys = ("layer", "moved_mean", "head", "moved_most")
    columns = [(message(f"probes.col.{key}"), True) for key in keys]
    rows = [
        row(
            Cell(text=numbers.whole(at.layer), value=at.layer),
            Cell(text=numbers.points(at.mean), value=at.mean),
            Cell(text=numbers.whole(at.head), value=at.head),
            Cell(text=numbers.points(at.most), value=at.most),
        )
        for at in found.layers
    ]
    return table(columns, rows, title=message("probes.layers"), caption=message("probes.layers.caption"))


def _held(weight: float) -> float:
    return max(-1.0, min(1.0, weight))


def _percent(weight: float | None) -> Text:
    return "" if weight is None else f"{numbers.part(weight)} %"


def _weight(weight: float | None) -> Cell:
    if weight is None:
        return missing(message("probes.not_there"))
    return Cell(text=f"{numbers.part(weight)} %", value=weight)
