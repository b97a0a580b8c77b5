"""Columns of text for a terminal, and names given as a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eyechart.cli.output import clean


def split(names: str | None) -> tuple[str, ...]:
    """
    >>> split("cot, temperature"), split(None)
    (('cot', 'temperature'), ())
    """
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


def columned(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Rows under a header; the first `left` columns to the left, the rest to the right.

    >>> columned(["model", "score"], [["A", "56.2"], ["longer", "4.0"]])
    ['model   score', 'A        56.2', 'longer    4.0']
    """
    lines = [[clean(cell).replace("\\n", " ") for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in lines) for i in range(len(header))]
    out: list[str] = []
    for row in lines:
        pairs = list(zip(row, widths, strict=True))
        cells = [cell.ljust(width) for cell, width in pairs[:left]] + [
            cell.rjust(width) for cell, width in pairs[left:]
        ]
        out.append("  ".join(cells).rstrip())
    return out
