"""Prompts that begin alike, computed as a tree: what they share is read once.

Prompts are cut into chunks of one size, counted from their start; a chunk is computed behind the chunks before it. So
what is computed for a prompt is the same whether it is asked alone or among a hundred others, and sharing moves no bit
(tests/backends/embedded). A longest common prefix would be cut elsewhere for each company, and did move them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHUNK = 32
"""Tokens. Larger ones are shared less often and padded more, smaller ones are slower to compute."""
TOKENS = 4096
"""Prompts of one tree times the longest of them; bounds memory, and moves no answer."""
Ids = tuple[int, ...]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The chunks at one depth of a tree, one a row."""

    depth: int
    ids: Ints
    """[rows, CHUNK]; padded on the right, where nothing looks back from."""
    parents: Ints
    """[rows]: the row of the chunk before, in the level above."""
    last: Ints
    """[rows]: place of the last token within the chunk."""
    ends: tuple[tuple[int, int], ...]
    """Row and prompt, for the prompts that end here."""


def trees(prompts: Sequence[Ids]) -> list[list[Ids]]:
    """Prompts side by side that begin alike, so many at a time.

    >>> [len(tree) for tree in trees([(i,) * 1500 for i in range(5)])]
    [2, 2, 1]
    """
    out: list[list[Ids]] = []
    longest = 0
    for ids in sorted(prompts):
        longest = max(longest, len(ids))
        if not out or (len(out[-1]) + 1) * longest > TOKENS:
            out.append([])
            longest = len(ids)
        out[-1].append(ids)
    return out


def levels(prompts: Sequence[Ids]) -> Iterator[Level]:
    """The tree of `prompts`, none of them empty, from its root on.

    >>> first, second = levels([tuple(range(40)), tuple(range(33)), (7,)])
    >>> first.ids.shape, first.last.tolist(), first.ends
    ((2, 32), [31, 0], ((1, 2),))
    >>> second.parents.tolist(), second.last.tolist(), second.ends
    ([0, 0], [7, 0], ((0, 0), (1, 1)))
    """
    at = dict.fromkeys(range(len(prompts)), 0)  # prompt -> the row of its chunk in the level above
    depth = 0
    while at:
        rows: dict[tuple[int, Ids], int] = {}
        ends: list[tuple[int, int]] = []
        below: dict[int, int] = {}
        for prompt, parent in at.items():
            ids = prompts[prompt]
            chunk = ids[depth * CHUNK : (depth + 1) * CHUNK]
            row = rows.setdefault((parent, chunk), len(rows))
            if len(ids) > (depth + 1) * CHUNK:
                below[prompt] = row
            else:
                ends.append((row, prompt))
        ids = np.zeros((len(rows), CHUNK), dtype=np.int64)
        for row, (_, chunk) in enumerate(rows):
            ids[row, : len(chunk)] = chunk
        yield Level(
            depth=depth,
            ids=ids,
            parents=np.array([parent for parent, _ in rows], dtype=np.int64),
            last=np.array([len(chunk) - 1 for _, chunk in rows], dtype=np.int64),
            ends=tuple(ends),
        )
        at, depth = below, depth + 1
