"""Tokens, paths and differences to draw: usual ones, long ones, and ones that an enemy wrote."""

from __future__ import annotations

import math
import random

from report_hostile import HOSTILE

from eyechart.app.paper import paper
from eyechart.report.blocks import (
    Block,
    DiffBlock,
    DiffCase,
    Part,
    PathBlock,
    PathLine,
    PathPoint,
    Piece,
    Table,
    TokenMark,
    TokenRow,
    TokensBlock,
)
from eyechart.report.common import row, table
from eyechart.report.differences import differences
from eyechart.report.inputs import Language, ReportInput

USUAL = (" the", " model", "\n", " says", " not", "ing", ",", "  ", "你好", " a\tb", "שלום", " عربي", "�", "")


def twin(rows: int = 3) -> Table:
    return table([("step", True), ("token", False)], [row(str(i), f"token {i}") for i in range(rows)])


def tokens(n: int = 60, *, signed: bool = True, texts: tuple[str, ...] = USUAL) -> TokensBlock:
    draw = random.Random(1)
    marks = tuple(
        TokenMark(
            text=texts[i % len(texts)],
            weight=None if i % 11 == 10 else draw.uniform(-1 if signed else 0, 1),
            tip=f"token {i}: {texts[i % len(texts)]}",
            mark="flagged" if i % 17 == 3 else "",
        )
        for i in range(n)
    )
    rows = (TokenRow(name="prompt A", tokens=marks),)
    return TokensBlock(title=f"Tokens {n}", caption="Share of each", rows=rows, twin=twin())


def _point(draw: random.Random, texts: tuple[str, ...], known: bool) -> PathPoint:
    p, token = draw.choice((0.9999996, 0.9, 0.55, 0.2, 1.0)), draw.choice(texts)
    return PathPoint(
        token=token,
        p=p if known or draw.random() < 0.8 else None,
        entropy=draw.random() * 0.3 - math.log(p) if known else None,
        margin=0.1 if known else None,
        open=p < 0.6,
        candidates=((token, p), (" a", (1 - p) / 2), (draw.choice(texts), (1 - p) / 3)),
    )


def path(
    n: int, *, parting: int | None = None, lines: int = 1, known: bool = True, texts: tuple[str, ...] = USUAL
) -> PathBlock:
    draw = random.Random(3)
    first = [_point(draw, texts, known) for _ in range(n)]
    others = [
        first[:parting] + ([] if parting is None else [_point(draw, texts, known) for _ in range(n - parting)])
        for _ in range(lines - 1)
    ]
    drawn = tuple(
        PathLine(name=f"line {i} {texts[0]}", points=tuple(points)) for i, points in enumerate([first, *others])
    )
    return PathBlock(title=f"Path {n} {lines}", caption="Steps", lines=drawn, parting=parting, twin=twin())


def difference(texts: tuple[str, ...] = ("So the answer is A.", "I cannot say.", "الجواب هو ب")) -> DiffBlock:
    cases: list[DiffCase] = []
    for i, text in enumerate(texts):
        left, right = differences(f"{'common words ' * 60}{text} end", f"{'common words ' * 60}not {text}\n end\n")
        cases.append(
            DiffCase(name=f"item {text}", left=left, right=right, left_note=text, right_note="" if i else "right")
        )
    cases.append(DiffCase(name="nothing on one side", left=(Piece(text="x" * 9000, changed=True),), right=()))
    return DiffBlock(
        title="Side by side", left="plain", right=texts[0], cases=tuple(cases), note="how they were chosen"
    )


def usual() -> tuple[Block, ...]:
    nothing = PathBlock(title="No path", caption="", lines=(), parting=None, twin=twin(0))
    return (
        tokens(),
        tokens(50, signed=False),
        path(12),
        path(30, parting=9, lines=2),
        path(130, known=False),
        path(500, parting=133, lines=2),
        nothing,
        difference(),
    )


def enemy() -> tuple[Block, ...]:
    return (
        tokens(80, texts=HOSTILE),
        path(20, parting=3, lines=2, texts=HOSTILE),
        path(90, parting=61, lines=3, texts=HOSTILE),
        difference(HOSTILE),
    )


def pictured(blocks: tuple[Block, ...], language: Language = "en") -> ReportInput:
    return paper("pictures", [Part(name="pictures", title="Pictures", blocks=blocks)], language)


NAMES = ("pictures",)
