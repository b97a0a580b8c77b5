"""How hard the few-shot candidates are: buckets, the file, and draws by difficulty."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.analysis.difficulty import BUCKETS, Difficulty, bucketed, difficulty_of
from eyechart.core.effective import effective
from eyechart.core.errors import InputError
from eyechart.core.records import Item, Response
from eyechart.core.spec import Spec
from eyechart.data.difficulty import check_pool, content_of, read_difficulty, written
from eyechart.data.shots import Chooser, choose

Message = Callable[..., str]


def make(prefix: str, n: int) -> list[Item]:
    return [Item(id=f"{prefix}{i}", fields={"question": f"{prefix} {i} + 1?"}, gold=(str(i + 1),)) for i in range(n)]


POOL, TESTED = make("v", 12), make("t", 6)
DS = [0.1, 2.0, 0.2, 5.0, 0.15, 2.2, 5.5, 0.3, 1.9, 0.05, 2.1, 0.25]
"""Six easy, four middle, two hard."""
EASY, MIDDLE, HARD = {0, 2, 4, 7, 9, 11}, {1, 5, 8, 10}, {3, 6}


def measured(pool: Sequence[Item], ds: Sequence[float | str]) -> Difficulty:
    made = bucketed([(item.id, content_of(item)) for item in pool], ds, {"split": "validation"})
    return replace(made, file="d.json")


KNOWN = measured(POOL, DS)


def few_shot(**stated: Any) -> dict[str, Any]:
    return dict(effective(Spec.model_validate({"prompt": {"few_shot": stated}})).asking.prompt["few_shot"])


def chooser(known: Difficulty = KNOWN, pool: Sequence[Item] = POOL, **stated: Any) -> Chooser:
    return choose(few_shot(**{"difficulty": "balanced", **stated}), pool, TESTED, known)


def ids(made: Chooser, item: Item = TESTED[0]) -> list[str]:
    return [shot.id for shot in made.shots(item)]


def of(names: Sequence[str], made: Chooser) -> Counter[str]:
    by_id = {item.id: item for item in made.pool}
    return Counter(str(made.bucket(by_id[name])) for name in names)


def test_buckets_are_the_three_clusters() -> None:
    named = {b: {int(r.id[1:]) for r in KNOWN.rows if r.bucket == b} for b in BUCKETS}
    assert named == {"easy": EASY, "middle": MIDDLE, "hard": HARD}
    assert [(b.name, b.count, b.low, b.high) for b in KNOWN.buckets] == [
        ("easy", 6, 0.05, 0.3), ("middle", 4, 1.9, 2.2), ("hard", 2, 5.0, 5.5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ds", "wanted"),
    [
        ([1.0, 1.0, 1.0], ["middle"] * 3),
        ([1.0, 2.0, 2.0], ["easy", "hard", "hard"]),
        ([math.inf, math.inf], ["middle", "middle"]),
        ([1.0, math.inf], ["easy", "hard"]),
        ([1.0, 2.0, math.inf], ["easy", "middle", "hard"]),
        ([1.0, 2.0, 3.0, math.inf], ["easy", "middle", "hard", "hard"]),
        ([1.0, "no answer", 3.0], ["easy", None, "hard"]),
        (["no answer"], [None]),
    ],
)
def test_few_distinct_and_infinite_d(ds: list[float | str], wanted: list[str | None]) -> None:
    made = measured(POOL[: len(ds)], ds)
    assert [r.bucket for r in made.rows] == wanted
    if len(set(wanted) - {None}) < 3:
        assert any("fewer than three distinct D" in note for note in made.notes)
    if math.inf in ds:
        assert any("p = 0" in note for note in made.notes)
        assert made.buckets[-1].infinite == ds.count(math.inf)
        assert made.buckets[-1].centre is None or math.isfinite(made.buckets[-1].centre)


def test_d_against_naive_softmax() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        rows = [tuple((-rng.exponential(2, rng.integers(1, 5))).tolist()) for _ in range(4)]
        p = np.exp([sum(r) for r in rows])
        found = [difficulty_of(Response(option_logprobs=tuple(rows)), i) for i in range(4)]
        assert found == pytest.approx((-np.log(p / p.sum())).tolist())
        assert math.fsum(math.exp(-d) for d in found if isinstance(d, float)) == pytest.approx(1)
        assert difficulty_of(Response(option_logprobs=(rows[0],)), None) == pytest.approx(-sum(rows[0]))


@pytest.mark.parametrize(
    ("rows", "right", "wanted"),
    [
        (((-math.inf,), (-1.0,)), 0, math.inf),
        (((-math.inf,), (-1.0,)), 1, 0.0),
        (((-math.inf,), (-math.inf,)), 0, "every option has probability 0"),
        (((-9e4,), (-9e4,)), 0, math.log(2)),  # far under the smallest float, and yet a half
        (((math.nan,), (-1.0,)), 1, "is not a number"),
        (((), (-1.0,)), 1, "no log-probability"),
        (None, 0, "no log-probability"),
        (((-math.inf,),), None, math.inf),
    ],
)
def test_p_of_nothing(rows: Any, right: int | None, wanted: float | str) -> None:
    found = difficulty_of(Response(option_logprobs=rows), right)
    if isinstance(wanted, str):
        assert isinstance(found, str)
        assert wanted in found
    else:
        assert found == pytest.approx(wanted)


def test_the_file_comes_back(tmp_path: Path) -> None:
    known = measured(POOL, [*DS[:-2], math.inf, "timeout: too slow"])
    (tmp_path / "d.json").write_text(written(known), encoding="utf-8")
    again = read_difficulty("d.json", tmp_path)
    assert (again.rows, again.identity(), again.buckets) == (known.rows, known.identity(), known.buckets)
    assert again.about == {"split": "validation"}
    check_pool(again, POOL[::-1])
    plain = json.loads(written(known))
    assert (plain["items"][10]["p"], plain["items"][10]["d"]) == (0.0, "infinite")
    assert plain["items"][11]["d"] is None


REFUSED = [
    ("", "there is no file other.json; `eyechart difficulty STUDY --out other.json` writes it"),
    ("{", "d.json cannot be read as JSON"),
    ("[]", "d.json is not a file of `eyechart difficulty`"),
    ('{"format": "eyechart.difficulty/1"}', "d.json is damaged"),
    ('{"format": "eyechart.difficulty/1", "digest": "", "items": [{"id": 1}]}', "d.json is damaged"),
    ('{"format": "eyechart.difficulty/1", "digest": "", "items": [1]}', "d.json is damaged"),
    (written(KNOWN).replace('"d": 0.3', '"d": 0.31'), "d.json was changed by hand; measure again"),
    (written(KNOWN).replace('"bucket": "hard"', '"bucket": "easy"'), "d.json was changed by hand"),
    (written(KNOWN).replace('"bucket": "hard"', '"bucket": "cruel"'), "d.json is damaged"),
    (written(KNOWN).replace('"d": 0.3,', '"d": -0.3,'), "d.json is damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_is_no_file_of_ours_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    if text:
        (tmp_path / "d.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_difficulty("d.json" if text else "other.json", tmp_path)
    assert str(error.value).startswith("prompt.few_shot.reference: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_pool_that_changed_is_refused(message: Message) -> None:
    changed = [replace(POOL[0], gold=("other",)), *POOL[1:]]
    assert "d.json was measured on another pool: 1 new or changed (v0)" in message(
        lambda: chooser(count=3, pool=changed)
    )
    assert "1 gone (v11)" in message(lambda: chooser(count=3, pool=POOL[:-1]))
    more = [*POOL, Item(id="v12", fields={"question": "new"}, gold=("1",))]
    assert "1 new or changed (v12)" in message(lambda: chooser(count=3, pool=more))
    assert "also under test" in message(
        lambda: chooser(count=3, pool=[*POOL, TESTED[0]], known=measured([*POOL, TESTED[0]], [*DS, 1.0]))
    )
    assert "12 rows to choose from" in message(lambda: chooser(count=13))


@settings(deadline=None, max_examples=40)
@given(st.permutations(POOL), st.integers(0, 999), st.sampled_from(["fixed", "per_item"]))
def test_balanced_draws(pool: list[Item], seed: int, draw: str) -> None:
    """k = 3m takes m of each, one more the middle, two more middle and easy; more shots hold the fewer."""
    before: set[str] = set()
    for count in range(1, 8):
        made = chooser(count=count, seed=seed, draw=draw, pool=pool)
        names = ids(made)
        each, rest = divmod(count, 3)
        hard = min(each, 2)
        extra = each - hard  # two hard ones only: who is next takes over
        wanted = {"middle": each + (rest > 0), "easy": each + (rest > 1), "hard": hard}
        wanted["middle"] += extra
        if count == 7:
            wanted = {"middle": 3, "easy": 2, "hard": 2}
        assert of(names, made) == Counter({k: v for k, v in wanted.items() if v})
        assert before <= set(names)
        assert len(set(names)) == count
        assert names == ids(chooser(count=count, seed=seed, draw=draw))  # the order of the file is nothing
        before = set(names)


def test_a_bucket_that_is_used_up_is_passed_over() -> None:
    assert of(ids(chooser(count=10)), chooser(count=1)) == Counter(easy=4, middle=4, hard=2)
    assert set(ids(chooser(count=12))) == {item.id for item in POOL}


def test_the_place_of_a_shot_says_nothing_of_its_difficulty() -> None:
    places = Counter(
        str(made.bucket(made.shots(TESTED[0])[0])) for made in (chooser(count=3, seed=s) for s in range(300))
    )
    assert all(70 <= places[name] <= 130 for name in BUCKETS)


def test_every_candidate_of_a_bucket_is_drawn_about_equally_often() -> None:
    count = Counter(name for seed in range(600) for name in ids(chooser(count=3, seed=seed)))
    assert all(abs(count[f"v{i}"] - 600 / len(mine)) < 75 for mine in (EASY, MIDDLE, HARD) for i in mine)


def test_a_draw_per_item_belongs_to_the_item() -> None:
    made = chooser(count=3, draw="per_item")
    drawn = {item.id: ids(made, item) for item in TESTED}
    assert len({tuple(names) for names in drawn.values()}) > 1
    assert all(of(names, made) == Counter(easy=1, middle=1, hard=1) for names in drawn.values())
    alone = choose(few_shot(difficulty="balanced", count=3, draw="per_item"), POOL, TESTED[3:4], KNOWN)
    assert ids(alone, TESTED[3]) == drawn["t3"]


def test_easiest_is_the_lowest_d_with_ties_by_id() -> None:
    made = chooser(difficulty="easiest", count=3)
    assert ids(made) == ["v9", "v0", "v4"]
    tied = measured(POOL, [1.0] * 12)
    assert ids(chooser(known=tied, difficulty="easiest", count=3)) == ["v0", "v1", "v10"]


def test_candidates_without_d_are_never_drawn(message: Message) -> None:
    known = measured(POOL, [*DS[:9], "empty", "empty", "empty"])
    drawn = {name for seed in range(50) for name in ids(chooser(known=known, count=3, seed=seed))}
    assert drawn == {f"v{i}" for i in range(9)}
    assert "9 rows to choose from" in message(lambda: chooser(known=known, count=10))


def test_identity_holds_the_file_only_where_it_is_used() -> None:
    other = measured(POOL, [*DS[1:], DS[0]])
    nearly = measured(POOL, [d + 1e-9 for d in DS])
    assert [row.bucket for row in nearly.rows] == [row.bucket for row in KNOWN.rows]
    assert nearly.identity() != KNOWN.identity()  # another file
    assert chooser(count=3).identity() == chooser(count=3, known=nearly).identity()  # and the same draw
    assert chooser(count=3).identity().keys() == {"shots", "difficulty"}
    assert chooser(count=3).identity() != chooser(count=3, known=other).identity()
    plain = [choose(few_shot(count=3), POOL, TESTED, known).identity() for known in (None, KNOWN, other)]
    assert plain[0] == plain[1] == plain[2]
    easiest = [chooser(count=3, difficulty="easiest", known=known).identity() for known in (KNOWN, nearly)]
    assert easiest[0] == easiest[1]  # the same shots in the same order: the same evaluation


def test_the_path_is_no_part_of_the_effective_form() -> None:
    a, b = (
        effective(
            Spec.model_validate({"prompt": {"few_shot": {"count": 3, "difficulty": "balanced", "reference": name}}})
        )
        for name in ("a.json", "b.json")
    )
    assert a == b
    unused = effective(Spec.model_validate({"prompt": {"few_shot": {"count": 3, "reference": "a.json"}}}))
    assert [i.path for i in unused.inert] == ["prompt.few_shot.reference"]
    stated = {"count": 3, "difficulty": "easiest", "seed": 4, "draw": "per_item", "reference": "a.json"}
    easiest = effective(Spec.model_validate({"prompt": {"few_shot": stated}}))
    assert {i.path for i in easiest.inert} == {"prompt.few_shot.seed", "prompt.few_shot.draw"}


def test_what_is_said_of_a_draw() -> None:
    said = list(chooser(count=3).said())
    assert said[0] == "difficulty of few-shot candidates, from d.json: easy 6, middle 4, hard 2"
    assert said[1].startswith("balanced shots, seed 0: ")
    assert {word for word in said[1].replace(",", "").split() if word in BUCKETS} == set(BUCKETS)
    assert list(chooser(count=3, draw="per_item").said())[1].startswith("balanced shots, seed 0: 3 for each item")
    assert list(choose(few_shot(count=3), POOL, TESTED, KNOWN).said()) == []
