"""What every registered scorer and postprocess keeps to. A new one is covered by its line in the registry."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.plugins import POSTPROCESSES, SCORERS, Scorer, make
from eyechart.core.records import Item, Outcome, Score

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "function": {"path": "builtins:str.startswith"},
    "verdict": {"labels": ("A", "B")},
}

ITEMS = {
    "choice": Item(id="1", fields={}, choices=("Rome", "Paris", "", "-"), gold=("Paris",), gold_index=1),
    "number": Item(id="2", fields={}, gold=("1,200.5", "x")),
    "no_gold": Item(id="3", fields={}, gold=()),
    "blank_gold": Item(id="4", fields={}, gold=("", " \n")),
    "marks": Item(id="5", fields={}, gold=("...",)),
    "unlabelled": Item(id="6", fields={}, choices=("a", "b")),
}
HOSTILE = ("", " ", "\x00", "\u202e\u200fB", "١٢", "e\u0301ﬁ", "x" * 200_000, "9" * 100_000, "1e999", ".", "-")


def scorer(name: str) -> Scorer:
    return make(SCORERS, {name: dict(ARGUMENTS.get(name, {}))})


def check(score: Score) -> None:
    """Value and outcome agree; whatever is not plainly right or wrong has a reason."""
    if score.outcome is Outcome.UNSCORED:
        assert score.value is None
        assert score.reason
    elif score.outcome is Outcome.CORRECT:
        assert score.value == 1.0
    elif score.outcome is Outcome.INCORRECT:
        assert score.value is not None
        assert 0.0 <= score.value < 1.0
    else:
        assert score.outcome is Outcome.UNPARSEABLE
        assert score.value == 0.0
        assert score.reason


@pytest.mark.parametrize("name", SCORERS.names())
def test_is_a_frozen_dataclass_with_a_version(name: str) -> None:
    plugin: Any = scorer(name)
    assert isinstance(plugin.version, int)
    kind: Any = SCORERS.get(name)
    assert kind.__dataclass_params__.frozen
    assert plugin == scorer(name)


@pytest.mark.parametrize(
    "thing",
    [SCORERS.get(n) for n in SCORERS.names()] + [POSTPROCESSES.get(n) for n in POSTPROCESSES.names()],
)
def test_docstring_carries_a_doctest(thing: Any) -> None:
    examples = [t for t in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__) if t.examples]
    assert examples
    for test in examples:
        test.globs.update(vars(inspect.getmodule(thing)))
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("tidy", POSTPROCESSES.names())
@pytest.mark.parametrize("name", SCORERS.names())
def test_is_deterministic_and_total(name: str, tidy: str) -> None:
    clean = POSTPROCESSES.get(tidy)
    for item in ITEMS.values():
        for answer in (*HOSTILE, "Paris", "B", "1200.5"):
            once = scorer(name).score(answer, item, ("A", "B"), clean)
            assert once == scorer(name).score(answer, item, ("A", "B"), clean)
            check(once)


@pytest.mark.parametrize("name", SCORERS.names())
def test_an_item_without_gold_is_unscored_whatever_was_answered(name: str) -> None:
    for item in (ITEMS["no_gold"], ITEMS["blank_gold"]):
        for answer in HOSTILE:
            assert scorer(name).score(answer, item, (), str).outcome is Outcome.UNSCORED


@pytest.mark.parametrize("tidy", POSTPROCESSES.names())
@pytest.mark.parametrize("name", SCORERS.names())
def test_nothing_is_never_right(name: str, tidy: str) -> None:
    for item in ITEMS.values():
        for answer in ("", " ", "\n"):
            score = scorer(name).score(answer, item, ("A", "B"), POSTPROCESSES.get(tidy))
            assert score.outcome is not Outcome.CORRECT


@pytest.mark.parametrize("name", ["exact", "contains", "choice"])
@settings(deadline=None)
@given(gold=st.text(min_size=1, max_size=20).filter(str.strip), tidy=st.sampled_from(POSTPROCESSES.names()))
def test_the_gold_answer_itself_is_right(name: str, gold: str, tidy: str) -> None:
    item = Item(id="1", fields={}, choices=(gold, "\x01\x02"), gold=(gold,), gold_index=0)
    clean = POSTPROCESSES.get(tidy)
    score = scorer(name).score(gold, item, (), clean)
    assert score.outcome is Outcome.CORRECT or (name == "contains" and not clean(gold).strip())


@pytest.mark.parametrize("name", POSTPROCESSES.names())
@settings(deadline=None)
@given(text=st.text(st.sampled_from("aThe AN.,-+5%“”*` \n狗。C#é")) | st.text())
def test_postprocesses_are_idempotent(name: str, text: str) -> None:
    tidy = POSTPROCESSES.get(name)
    assert tidy(tidy(text)) == tidy(text)
