"""A sample of a data set: seeded, stratified by group, never "the first N".

Each group gets its share of the places (largest remainders), and within a group those items are taken
whose hash of seed and id is smallest. The hash belongs to the item, so the order of the file does not
matter, and a larger sample holds every item of a smaller one wherever it gives that group as many places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eyechart.core.identity import seed_for
from eyechart.core.records import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One group, in the whole and in the sample."""

    group: str | None
    whole: int
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Pearson's chi-square test of the sample's mix of groups against that of the whole.

    The strata make the mix fit by construction, up to rounding; a small `p` says that rounding alone has
    bent it, as it does where there are more groups than places.
    """

    statistic: float
    df: int
    p: float


def draw(items: Sequence[Item], limit: int | None, seed: int) -> tuple[Item, ...]:
    """`limit` of `items`, in their own order; all of them where there are not more.

    >>> items = [Item(id=str(i), fields={}, group="ab"[i % 2]) for i in range(100)]
    >>> [item.id for item in draw(items, 4, seed=1)]
    ['6', '13', '38', '95']
    """
    if limit is None or limit >= len(items):
        return tuple(items)
    strata: dict[str | None, list[Item]] = {}
    for item in items:
        strata.setdefault(item.group, []).append(item)
    places = allocate({group: len(members) for group, members in strata.items()}, limit, seed)
    taken: set[str] = set()
    for group, members in strata.items():
        ranked = sorted(members, key=lambda item: (seed_for(seed, "sample", item.id), item.id))
        taken.update(item.id for item in ranked[: places[group]])
    return tuple(item for item in items if item.id in taken)


def allocate(sizes: Mapping[str | None, int], limit: int, seed: int) -> dict[str | None, int]:
    """Places for each group, by largest remainders; among equal ones the seed decides, not the alphabet.

    >>> allocate({"a": 70, "b": 20, "c": 10}, 10, seed=0)
    {'a': 7, 'b': 2, 'c': 1}
    """
    total = sum(sizes.values())
    places = {group: limit * size // total for group, size in sizes.items()}
    left = limit - sum(places.values())

    def rank(group: str | None) -> tuple[int, int, str]:
        return -(limit * sizes[group] % total), seed_for(seed, "stratum", group or ""), group or ""

    for group in sorted(sizes, key=rank)[:left]:
        places[group] += 1
    return places


def shares(items: Sequence[Item], drawn: Sequence[Item]) -> tuple[Share, ...]:
    """Counts of each group, in the order of their names; no group comes last."""
    whole = Counter(item.group for item in items)
    sample = Counter(item.group for item in drawn)
    ordered = sorted(whole, key=lambda group: (group is None, group or ""))
    return tuple(Share(group=group, whole=whole[group], sample=sample[group]) for group in ordered)


def fit(mix: Sequence[Share]) -> Fit | None:
    """None where nothing was left out, or where there is only one group.

    >>> fit([Share(group="a", whole=50, sample=5), Share(group="b", whole=50, sample=5)])
    Fit(statistic=0.0, df=1, p=1.0)
    """
    from eyechart.stats.laws import chi2_upper

    whole, sample = sum(s.whole for s in mix), sum(s.sample for s in mix)
    if len(mix) < 2 or sample == whole:
        return None
    expected = [sample * s.whole / whole for s in mix]
    statistic = sum((s.sample - e) ** 2 / e for s, e in zip(mix, expected, strict=True))
    return Fit(statistic=statistic, df=len(mix) - 1, p=chi2_upper(statistic, len(mix) - 1))
