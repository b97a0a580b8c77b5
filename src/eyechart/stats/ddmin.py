"""Delta debugging: a smallest part of a whole that still has a property, in few looks.

`ddmin` of Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on
Software Engineering 28(2), 2002, figure 5. It is a generator: it yields what is to be tried and is sent what was
seen, so that one text of it serves sets of fields, lines of a prompt, and tests without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import pairwise

Search = Generator[tuple[int, ...], bool, tuple[int, ...]]


def ddmin(parts: int) -> Search:
    """Indices of `range(parts)` that have the property together, none of which can be left out.

    Yields ascending tuples of indices, each at most once, and is sent whether the property holds of them. That it
    holds of all parts is taken for granted: look first. The answer is 1-minimal (no single index can be taken
    away), not the smallest there is, unless the property is monotone and one part decides. It takes at most about
    `parts ** 2 + 3 * parts` looks, and about `2 * log2(parts)` where one part decides alone.

    >>> search = ddmin(8)
    >>> looks, wanted = 0, next(search)
    >>> try:
    ...     while True:
    ...         looks, wanted = looks + 1, search.send({2, 5} <= set(wanted))
    ... except StopIteration as end:
    ...     end.value, looks
    ((2, 5), 15)

    Raises ValueError where `parts` is negative.
    """
    if parts < 0:
        raise ValueError(f"parts: {parts} is less than none")
    seen: dict[tuple[int, ...], bool] = {}

    def holds(wanted: tuple[int, ...]) -> Generator[tuple[int, ...], bool, bool]:
        if wanted not in seen:
            seen[wanted] = yield wanted
        return seen[wanted]

    kept, chunks = tuple(range(parts)), 2
    while len(kept) > 1:
        smaller = yield from _smaller(kept, chunks, holds)
        if smaller is not None:
            kept, chunks = smaller
        elif chunks < len(kept):
            chunks = min(len(kept), 2 * chunks)
        else:
            break
    # The paper takes for granted that nothing at all lacks the property; whoever tries only single parts of
    # one part would never notice.
    if len(kept) == 1 and (yield from holds(())):
        return ()
    return kept


def _smaller(
    kept: tuple[int, ...], chunks: int, holds: Callable[[tuple[int, ...]], Generator[tuple[int, ...], bool, bool]]
) -> Generator[tuple[int, ...], bool, tuple[tuple[int, ...], int] | None]:
    """One of the chunks, or all but one of them, that has the property; and into how many to cut it next."""
    cuts = [len(kept) * i // chunks for i in range(chunks + 1)]
    pieces = [kept[a:b] for a, b in pairwise(cuts)]
    for piece in pieces:
        if (yield from holds(piece)):
            return piece, 2
    if chunks > 2:  # with two, a complement is the other piece
        for at in range(chunks):
            rest = tuple(index for i, piece in enumerate(pieces) if i != at for index in piece)
            if (yield from holds(rest)):
                return rest, max(chunks - 1, 2)
    return None


def search(parts: int, holds: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """`ddmin` where the property can be asked on the spot.

    >>> search(5, lambda wanted: sum(wanted) >= 5)
    (3, 4)
    """
    looking = ddmin(parts)
    try:
        wanted = next(looking)
        while True:
            wanted = looking.send(holds(wanted))
    except StopIteration as end:
        return end.value
