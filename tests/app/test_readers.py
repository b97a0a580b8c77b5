"""Orders that the grader turns: certain only beyond the noise of items, over all that was looked at, and by clusters."""

from __future__ import annotations

import numpy as np

from eyechart.analysis.readers import Read, spread_over_readers


def subject(name: str, values: np.ndarray, items: list[str], clusters: dict[str, str] | None = None) -> Read:
    return Read(
        name=name, items=tuple(items), values=values, found=np.ones(values.shape, bool), clusters=clusters or {}
    )


def test_equal_models_are_seldom_called_turned_for_certain() -> None:
    """Six equal models of independent noise under eight graders: at most one study in twenty may cry wolf."""
    rng = np.random.default_rng(7)
    items = [str(i) for i in range(60)]
    false = 0
    for _ in range(100):
        reads = [subject(str(m), (rng.random((8, 60)) < 0.5).astype(float), items) for m in range(6)]
        false += any(t.certain for t in spread_over_readers([f"g{i}" for i in range(8)], reads).turned)
    assert false <= 8  # 5 expected at the most; 11 would have p = .01


def test_items_that_share_a_passage_are_no_independent_evidence() -> None:
    """The same differences, once as 40 items and once as 4 passages of ten: only the first is certain."""
    items = [str(i) for i in range(40)]
    ahead = np.repeat([1.0, 1.0, 1.0, 0.0], 10)
    a, b = np.array([ahead, 0 * ahead]), np.array([0 * ahead, ahead])
    passages = {item: f"p{int(item) // 10}" for item in items}
    apart = spread_over_readers(["g", "h"], [subject("a", a, items), subject("b", b, items)])
    together = spread_over_readers(["g", "h"], [subject("a", a, items, passages), subject("b", b, items, passages)])
    assert [t.certain for t in apart.turned] == [True]
    assert [t.certain for t in together.turned] == [False]


def test_one_lost_answer_does_not_take_a_pair_out() -> None:
    items = [str(i) for i in range(10)]
    one = subject("a", np.ones((2, 10)), items)
    other = subject("b", np.ones((2, 9)), items[:9])
    assert spread_over_readers(["g", "h"], [one, other]).pairs == 1
    assert spread_over_readers(["g", "h"], [one, subject("c", np.ones((2, 1)), ["x"])]).pairs == 0
