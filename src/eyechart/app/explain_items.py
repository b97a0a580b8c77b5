"""Which items two evaluations were asked, and by which answers they count: what no mixture can mix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from eyechart.analysis.explanation import OwnItems
from eyechart.app.evaluated import Evaluated
from eyechart.app.explain_fields import located
from eyechart.app.explain_grid import Laid, lay
from eyechart.core.effective import effective
from eyechart.core.errors import InputError
from eyechart.core.identity import canonical_json
from eyechart.core.records import Estimate, Item, NotEstimable
from eyechart.data.shots import CONTEXT


def check_data(side: Evaluated, laid: Laid, coalition: int) -> None:
    """Raises InputError where the data of a run reads otherwise now than when it was run: its answers would be scored
    by answers that it never had."""
    then = _recorded(side)
    now = laid.grid.data[laid.grid.cells[laid.cell[coalition]].data].identity.get("items")
    if then is not None and then != now:
        where = side.spec.dataset.path or side.spec.dataset.name or "its data"
        raise InputError(
            f"{side.name} was run on other items or answers than {where} gives now: put the data back as it was, or run "
            "it again (`eyechart flips` reads what the run itself keeps)"
        )


def _recorded(side: Evaluated) -> str | None:
    """Digest of the items of a run, by content; None where it was not run, or is an imported log, which has none."""
    if side.run is None or side.cell is None:
        return None
    data: Mapping[str, Any] = side.run.facts["cells"][side.cell]["effective"].get("dataset") or {}
    return data.get("items")


def items_of(side: Evaluated) -> tuple[Item, ...]:
    """The items of a run as it keeps them; else those that its data gives."""
    if side.run is not None:
        return tuple(side.run.items.values())
    return lay(located(side.spec, side.base), (), [0], side.base).grid.data[0].items


def same_questions(a: Iterable[Item], b: Iterable[Item]) -> bool:
    """Whether two sets of items ask the same, whatever counts as right.

    >>> one = Item(id="1", fields={"question": "2 + 2?", "answer": "4"}, gold=("4",))
    >>> same_questions([one], [Item(id="1", fields={"question": "2 + 2?", "answer": "5"}, gold=("5",))])
    True
    >>> same_questions([one], [Item(id="1", fields={"question": "2 + 3?", "answer": "5"}, gold=("5",))])
    False
    """
    return {item.id: _asked(item) for item in a} == {item.id: _asked(item) for item in b}


def _asked(item: Item) -> str:
    return canonical_json({
        "asked": [str(item.fields.get(name) or "") for name in ("question", *CONTEXT)],
        "choices": list(item.choices),
    })  # fmt: skip


def own_items(side: Evaluated, laid: Laid) -> OwnItems | None:
    """What B scored on its own items, where they or their answers are others than those of A."""
    if side.run is None or side.cell is None:
        return None
    data = laid.grid.data[laid.grid.cells[laid.cell[0]].data]
    means = side.run.observations.means(side.cell)
    known = means[np.isfinite(means)]
    if not known.size or _recorded(side) == data.identity.get("items"):
        return None
    return OwnItems(score=float(known.mean()), items=int(known.size), key=same_questions(data.items, items_of(side)))


def fewer_repeats(side: Evaluated, laid: Laid, coalition: int, score: Estimate | NotEstimable) -> str | None:
    """What to say where a side has more repeats than the other, so that not all of them are used.

    `score`: of this side, on the repeats that are used.
    """
    used = laid.grid.cells[laid.cell[coalition]].repeats
    own: int = (
        side.run.facts["cells"][side.cell]["repeats"]
        if side.run is not None and side.cell is not None
        else effective(side.spec).repeats
    )
    if own <= used:
        return None
    said = f"{side.name}: {used} of its {own} repeats {'is' if used == 1 else 'are'} used, as the other side has {used}"
    if side.run is None or side.cell is None or isinstance(score, NotEstimable):
        return said
    means = side.run.observations.means(side.cell)
    known = means[np.isfinite(means)]
    if not known.size:
        return said
    here, there = f"{100 * score.value:.1f}", f"{100 * known.mean():.1f}"
    return f"{said}; so it scores {here} here, and {there} in the run itself, over all {own}"
