"""A sample is keyed by the items themselves, and has the mix of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.records import Item
from eyechart.data.sample import Share, allocate, draw, fit, shares

sizes = st.dictionaries(st.sampled_from([None, "a", "b", "c", "d", "e"]), st.integers(1, 40), min_size=1)
seeds = st.integers(0, 2**31 - 1)


def items(counts: dict[str | None, int]) -> list[Item]:
    return [Item(id=f"{group}-{i}", fields={}, group=group) for group, n in counts.items() for i in range(n)]


def ids(sample: Sequence[Item]) -> set[str]:
    return {item.id for item in sample}


@given(sizes, seeds, st.data())
def test_the_order_of_the_file_does_not_matter(counts: dict[str | None, int], seed: int, data: st.DataObject) -> None:
    whole = items(counts)
    limit = data.draw(st.integers(1, len(whole)))
    shuffled = data.draw(st.permutations(whole))
    sample = draw(whole, limit, seed)
    assert len(sample) == limit
    assert ids(sample) == ids(draw(shuffled, limit, seed))
    assert list(sample) == [item for item in whole if item.id in ids(sample)]


@given(sizes, seeds, st.data())
def test_every_group_gets_its_share(counts: dict[str | None, int], seed: int, data: st.DataObject) -> None:
    whole = items(counts)
    limit = data.draw(st.integers(1, len(whole)))
    taken = Counter(item.group for item in draw(whole, limit, seed))
    places = allocate(counts, limit, seed)
    assert {group: n for group, n in places.items() if n} == dict(taken)
    for group, size in counts.items():
        assert abs(taken[group] - limit * size / len(whole)) < 1
        assert taken[group] <= size


@given(sizes, seeds, st.data())
def test_a_larger_sample_holds_the_smaller_one(counts: dict[str | None, int], seed: int, data: st.DataObject) -> None:
    whole = items(counts)
    small, large = sorted(data.draw(st.lists(st.integers(1, len(whole)), min_size=2, max_size=2)))
    few, many = draw(whole, small, seed), draw(whole, large, seed)
    less, more = allocate(counts, small, seed), allocate(counts, large, seed)
    for group in counts:
        if less[group] <= more[group]:
            assert ids([i for i in few if i.group == group]) <= ids([i for i in many if i.group == group])
    if len(counts) == 1:
        assert ids(few) <= ids(many)


@given(sizes, seeds)
def test_a_limit_that_is_not_smaller_takes_all(counts: dict[str | None, int], seed: int) -> None:
    whole = items(counts)
    for limit in (None, len(whole), len(whole) + 1):
        assert draw(whole, limit, seed) == tuple(whole)


def test_never_the_first_n() -> None:
    whole = items({"a": 1000})
    places = [i for i, item in enumerate(whole) if item in draw(whole, 100, 0)]
    assert 400 < sum(places) / len(places) < 600
    overlap = len(ids(draw(whole, 100, 0)) & ids(draw(whole, 100, 1)))
    assert overlap < 30  # ten are expected


def test_every_item_is_drawn_about_equally_often() -> None:
    whole = items({"a": 30, "b": 10})
    count = Counter(item.id for seed in range(2000) for item in draw(whole, 8, seed))
    assert set(count) == ids(whole)
    assert all(abs(n - 400) < 90 for n in count.values())  # five standard deviations


def test_places_left_over_do_not_go_by_the_alphabet() -> None:
    """57 equal groups and 10 places: another ten groups with every seed."""
    counts: dict[str | None, int] = {f"g{i:02d}": 20 for i in range(57)}
    chosen = Counter(g for seed in range(200) for g, n in allocate(counts, 10, seed).items() if n)
    assert len(chosen) == 57
    assert max(chosen.values()) < 70


def test_shares_and_fit() -> None:
    whole = items({"b": 30, None: 10, "a": 60})
    mix = shares(whole, draw(whole, 10, 0))
    assert [(s.group, s.whole, s.sample) for s in mix] == [("a", 60, 6), ("b", 30, 3), (None, 10, 1)]
    found = fit(mix)
    assert found is not None
    assert (found.statistic, found.df, found.p) == (0.0, 2, 1.0)
    assert fit(shares(whole, whole)) is None
    assert fit(shares(items({"a": 9}), draw(items({"a": 9}), 3, 0))) is None


def test_fit_is_pearsons_chi_square() -> None:
    stats = pytest.importorskip("scipy.stats")
    found = fit(
        [
            Share(group="a", whole=60, sample=10),
            Share(group="b", whole=30, sample=2),
            Share(group="c", whole=10, sample=3),
        ]
    )
    assert found is not None
    statistic, p = stats.chisquare([10, 2, 3], [9, 4.5, 1.5])
    assert found.statistic == pytest.approx(statistic)
    assert found.p == pytest.approx(p)
