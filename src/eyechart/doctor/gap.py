"""The difference between two evaluations: which answers belong together, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.core.records import Estimate, NotEstimable
from eyechart.doctor.case import Answer, Case, Key, Side
from eyechart.doctor.causes_data import asked_of
from eyechart.stats.paired import paired_change

LEVEL = 0.99
"""Of the interval that is shown, and by which a difference is called more than noise: one level for both."""

SHOWN = 0.0005
"""Half a tenth of a point: an end nearer to 0 is shown as 0.0."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """What lies between `a` and `b`."""

    pairs: tuple[tuple[Answer, Answer], ...]
    """Scored answers to one item and repeat, of a and of b."""
    twins: Mapping[str, str]
    """Item of a to the same question in b."""
    change: Estimate | NotEstimable
    """Mean over shared items of b less a."""
    all_items: float | None
    """Score of b less score of a, each over its own items."""
    flips: tuple[Key, ...]
    """Of a: item and repeat whose verdict differs."""
    texts: int
    """Pairs of which both have a text."""
    same_texts: int

    @property
    def beyond(self) -> bool:
        """Whether the difference over shared items is more than the noise of items and repeats: its interval excludes
        0, and as it is shown, in tenths of a point."""
        ends = self.change.interval if isinstance(self.change, Estimate) else None
        return ends is not None and (ends.low > SHOWN or ends.high < -SHOWN) and bool(self.flips)

    @property
    def share(self) -> float:
        return len(self.flips) / len(self.pairs) if self.pairs else 0.0


def gap_of(case: Case) -> Gap | None:
    """None where there is one evaluation only."""
    if case.b is None:
        return None
    a, b = case.a, case.b
    twins = matched(a, b)
    pairs: list[tuple[Answer, Answer]] = []
    for one in a.counted:
        other = b.by_key.get((twins.get(one.item, ""), one.repeat))
        if other is not None and other.outcome.counted and other.value is not None:
            pairs.append((one, other))
    shared = [(a.means[x], b.means[y]) for x, y in twins.items() if x in a.means and y in b.means]
    change = (
        paired_change([y for _, y in shared], [x for x, _ in shared], level=LEVEL)
        if shared
        else NotEstimable(name="change", reason="the two share no item that both scored")
    )
    both = [(x, y) for x, y in pairs if x.text is not None and y.text is not None]
    return Gap(
        pairs=tuple(pairs),
        twins=twins,
        change=change,
        all_items=None if a.score is None or b.score is None else b.score - a.score,
        flips=tuple(x.key for x, y in pairs if x.right != y.right),
        texts=len(both),
        same_texts=sum(x.text == y.text for x, y in both),
    )


def matched(a: Side, b: Side) -> Mapping[str, str]:
    """Items of `a` to those of `b`: by id where the question is one, else by what is asked, else by id."""
    asked_b: dict[str, str] = {}
    for name, item in b.items.items():
        asked_b.setdefault(asked_of(item), name)
    out: dict[str, str] = {}
    taken: set[str] = set()
    for name, item in a.items.items():
        twin = name if name in b.items and asked_of(b.items[name]) == asked_of(item) else asked_b.get(asked_of(item))
        if twin is None and name in b.items:
            twin = name
        if twin is not None and twin not in taken:
            out[name] = twin
            taken.add(twin)
    return out
