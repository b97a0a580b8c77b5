"""A flow against a store and a backend: nothing twice, and never more than the budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from eyechart.backends.synthetic import Synthetic
from eyechart.core.errors import Stopped
from eyechart.core.flows import Flow
from eyechart.core.records import Call, Item, Request
from eyechart.core.spec import Budget
from eyechart.runner.drive import drive
from eyechart.store.store import Store

ITEM = Item(id="i", fields={}, gold=("4",))


def steps(*prompts: str) -> Flow[int]:
    """One call a step."""
    for prompt in prompts:
        yield [Call(request=Request(elicit="generate", prompt=prompt), repeat=0, item=ITEM)]
    return len(prompts)


@pytest.mark.parametrize("calls", [1, 2, 3])
async def test_a_budget_is_never_exceeded_and_the_flow_goes_on(tmp_path: Path, calls: int) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        with pytest.raises(Stopped, match=f"budget of {calls} calls reached"):
            await drive(steps("a", "b", "c", "d"), Synthetic(), store, budget=Budget(calls=calls))
        assert store.counts().responses == calls
        assert await drive(steps("a", "b", "c", "d"), Synthetic(), store, budget=Budget(calls=4 - calls)) == 4
        assert store.counts().responses == 4
        assert await drive(steps("a", "a", "b"), Synthetic(), store, budget=Budget(calls=1)) == 3
