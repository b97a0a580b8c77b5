"""Few-shot examples: the stated rule, keyed draws, and never an item under test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.effective import effective
from eyechart.core.records import Item
from eyechart.core.spec import Spec
from eyechart.data.shots import Chooser, choose

Message = Callable[..., str]


def make(prefix: str, n: int) -> list[Item]:
    return [Item(id=f"{prefix}{i}", fields={"question": f"{prefix} {i} + 1?"}, gold=(str(i + 1),)) for i in range(n)]


POOL, TESTED = make("v", 12), make("t", 6)


def few_shot(**stated: Any) -> dict[str, Any]:
    """As `Asking.prompt` has it, with the defaults filled in and the inert fields left out."""
    return dict(effective(Spec.model_validate({"prompt": {"few_shot": stated}})).asking.prompt["few_shot"])


def ids(chooser: Chooser, item: Item = TESTED[0]) -> list[str]:
    return [shot.id for shot in chooser.shots(item)]


def test_no_shots() -> None:
    chooser = choose({}, [], TESTED)
    assert (ids(chooser), chooser.identity()) == ([], {})


def test_first() -> None:
    chooser = choose(few_shot(count=3, difficulty="first"), POOL, TESTED)
    assert ids(chooser) == ["v0", "v1", "v2"]
    assert ids(choose(few_shot(count=3, difficulty="first", order="reversed"), POOL, TESTED)) == ["v2", "v1", "v0"]


def test_named() -> None:
    chooser = choose(few_shot(ids=["v5", "v1"]), POOL, TESTED)
    assert ids(chooser) == ["v5", "v1"]
    assert chooser.identity() == choose(few_shot(ids=["v5", "v1"]), POOL[:6], TESTED).identity()
    assert chooser.identity() != choose(few_shot(ids=["v1", "v5"]), POOL, TESTED).identity()


def test_a_fixed_draw_is_one_draw_for_all_items() -> None:
    chooser = choose(few_shot(count=4, seed=3), POOL, TESTED)
    assert len({tuple(ids(chooser, item)) for item in TESTED}) == 1
    assert ids(chooser) != ids(choose(few_shot(count=4, seed=4), POOL, TESTED))
    assert ids(choose(few_shot(count=4, seed=3, order="reversed"), POOL, TESTED)) == ids(chooser)[::-1]


def test_a_draw_per_item_belongs_to_the_item() -> None:
    chooser = choose(few_shot(count=4, draw="per_item"), POOL, TESTED)
    drawn = {item.id: ids(chooser, item) for item in TESTED}
    assert len({tuple(shots) for shots in drawn.values()}) > 1
    alone = choose(few_shot(count=4, draw="per_item"), POOL, TESTED[3:4])
    assert ids(alone, TESTED[3]) == drawn["t3"]


@given(st.permutations(POOL), st.integers(0, 999), st.integers(1, 11), st.sampled_from(["fixed", "per_item"]))
def test_draws_are_keyed(pool: list[Item], seed: int, count: int, draw: str) -> None:
    """Neither the order of the pool nor the number of shots changes who comes first."""
    small = choose(few_shot(count=count, seed=seed, draw=draw), pool, TESTED)
    large = choose(few_shot(count=count + 1, seed=seed, draw=draw), POOL, TESTED)
    for item in TESTED:
        assert ids(small, item) == ids(large, item)[:count]
        assert len(set(ids(small, item))) == count
    assert small.identity() == large.identity()


def test_every_candidate_is_drawn_about_equally_often() -> None:
    count = Counter(name for seed in range(600) for name in ids(choose(few_shot(count=3, seed=seed), POOL, TESTED)))
    assert all(abs(count[item.id] - 150) < 55 for item in POOL)  # five standard deviations


def test_an_item_is_never_its_own_shot() -> None:
    """An id that both splits use for other questions is no overlap, and is passed over in a draw of its own."""
    tested = [Item(id="v3", fields={"question": "something else?"}, gold=("1",))]
    chooser = choose(few_shot(count=11, draw="per_item"), POOL, tested)
    assert "v3" not in ids(chooser, tested[0])
    assert len(ids(chooser, tested[0])) == 11


def test_identity_is_the_content_of_the_pool() -> None:
    chooser = choose(few_shot(count=2), POOL, TESTED)
    assert chooser.identity().keys() == {"shots"}
    changed = [replace(POOL[0], gold=("other",)), *POOL[1:]]
    assert choose(few_shot(count=2), changed, TESTED).identity() != chooser.identity()
    first = choose(few_shot(count=2, difficulty="first"), POOL, TESTED)
    later = choose(few_shot(count=2, difficulty="first"), [*POOL[:2], *POOL[:1:-1]], TESTED)
    assert first.identity() == later.identity()


MC = Item(id="m", fields={"question": "Which is true?"}, choices=("x", "y"), gold=("x",), gold_index=0)
OVERLAPS = [
    (TESTED[2], "t2"),
    (replace(TESTED[2], id="new"), "new asks what t2 asks"),
    (replace(TESTED[2], id="new", fields={"question": " T 2 +\u00a01? "}), "new asks what t2 asks"),
    (replace(TESTED[2], id="new", gold=("another",)), "new asks what t2 asks"),
    (replace(MC, id="n", choices=("y", "x"), gold_index=1), "n asks what m asks"),
    (replace(MC, id="n", choices=("x", "other"), gold_index=0), "n asks what m asks"),
]  # fmt: skip


@pytest.mark.parametrize(("shot", "named"), OVERLAPS)
def test_overlap_is_refused(shot: Item, named: str, message: Message) -> None:
    said = message(lambda: choose(few_shot(count=2), [*POOL, shot], [*TESTED, MC]))
    assert said.startswith("prompt.few_shot.source: 1 of 13 rows of the split validation are also under test (")
    assert named in said


def test_many_overlaps_name_the_first(message: Message) -> None:
    said = message(lambda: choose(few_shot(count=2), [*POOL, *TESTED], TESTED))
    assert "6 of 18 rows" in said
    assert "(t0, t1, t2 and 3 more, such as 't 0 + 1?')" in said


NO_OVERLAPS = [
    replace(MC, id="n", choices=("p", "q"), gold=("p",)),
    replace(MC, id="n", fields={"question": "Which is true?", "passage": "Another text."}),
    Item(id="t2", fields={"question": "same id, other question"}, gold=("1",)),
    Item(id="n", fields={"question": "t 2 - 1?"}, gold=("1",)),
]


@pytest.mark.parametrize("shot", NO_OVERLAPS)
def test_what_is_no_overlap(shot: Item) -> None:
    choose(few_shot(count=2), [*POOL, shot], [*TESTED, MC])


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ({"count": 13}, "prompt.few_shot.count: 13 shots are asked for, and the split validation has 12 rows to choose from"),
        ({"count": 13, "difficulty": "first"}, "prompt.few_shot.count: 13 shots are asked for"),
        ({"ids": ["v1", "v99"]}, "prompt.few_shot.ids: the split validation has no item v99; did you mean v9?"),
        ({"ids": ["v1", "nothing"]}, "prompt.few_shot.ids: the split validation has no item nothing; the first there are: v0, v1, v10 and 9 more"),
        ({"ids": ["v1", "v1"]}, "prompt.few_shot.ids: item v1 is named twice"),
        ({"count": 3, "difficulty": "easiest"}, "prompt.few_shot.reference: easiest needs difficulty: `eyechart difficulty STUDY` measures it; name its file here"),
        ({"count": 3, "difficulty": "balanced"}, "prompt.few_shot.reference: balanced needs difficulty"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_line(stated: dict[str, Any], text: str, message: Message) -> None:
    assert message(lambda: choose(few_shot(**stated), POOL, TESTED)).startswith(text)


def test_a_pool_that_is_too_small_for_a_draw_per_item(message: Message) -> None:
    tested = [Item(id="v3", fields={"question": "something else?"}, gold=("1",))]
    choose(few_shot(count=12), POOL, tested)
    assert "12 shots" in message(lambda: choose(few_shot(count=12, draw="per_item"), POOL, tested))
