"""Which runs are looked at this time: a seeded draw that walks through all of them before it repeats one."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b


def turns(count: int, n: int) -> int:
    """How many draws of `n` it takes to see all of `count`.

    >>> turns(7, 2), turns(0, 2)
    (4, 1)
    """
    return max(1, -(-count // n))


def drawn(names: Sequence[str], n: int, seed: int, turn: int) -> tuple[str, ...]:
    """`n` of `names` in their order; fewer in the last turn of a round.

    `turn` counts from 0. The order of a round is that of a keyed digest of each name, so that a run that is added
    later changes where the others stand by at most one place. Every round has an order of its own.

    >>> names = ["a", "b", "c", "d", "e"]
    >>> [drawn(names, 2, 7, turn) for turn in range(3)]
    [('a', 'b'), ('d', 'e'), ('c',)]
    >>> drawn(names, 2, 7, 0) == drawn(names[::-1], 2, 7, 0)[::-1]
    True
    """
    round_, place = divmod(turn, turns(len(names), n))
    order = sorted(names, key=lambda name: (_key(seed, round_, name), name))
    chosen = set(order[place * n : place * n + n])
    return tuple(name for name in names if name in chosen)


def _key(seed: int, round_: int, name: str) -> bytes:
    return blake2b(f"{seed}\n{round_}\n{name}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
