"""What moved the scores of a table: forecasts for clusters, advice, and what becomes of items that lack a score."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.analysis.advice import advise, corrected_p, moving_together
from eyechart.analysis.heat import factor_spreads, heat_map
from eyechart.analysis.layout import CellInfo, FactorInfo, Layout
from eyechart.analysis.observations import Builder, Observations
from eyechart.analysis.shares import ROUGHLY, Attributed, attribute
from eyechart.analysis.table import Labels, Table
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.report.messages import say
from eyechart.report.sections.advice import evidence
from eyechart.stats.anova import Anova, level_means
from eyechart.stats.means import moments
from eyechart.stats.shares import factorial_shares

Rng = np.random.Generator


def column(values: Sequence[Any]) -> Labels:
    names = list(dict.fromkeys(map(str, values)))
    return Labels(names=tuple(names), codes=np.array([names.index(str(v)) for v in values], dtype=np.int32))


def made(rows: Sequence[tuple[Any, ...]], factors: Sequence[str], clusters: bool = False) -> Table:
    """Rows of item, cluster, run, levels and score."""
    item, cluster, run, *levels, score = zip(*rows, strict=True)
    return Table(
        source="made",
        score=np.array(score, dtype=np.float64),
        item=column(item),
        cluster=column(cluster) if clusters else None,
        run=column(run),
        columns={name: column(each) for name, each in zip(factors, levels, strict=True)},
        names={"item": "item", "score": "score", "run": "run"},
    )


def answers(
    rng: Rng,
    cells: Sequence[tuple[int, ...]],
    effect: Callable[[tuple[int, ...]], float] = lambda _: 0.0,
    items: int = 120,
    runs: int = 1,
) -> list[tuple[Any, ...]]:
    skill = rng.uniform(0.2, 0.6, items)
    return [
        (i, i, k, *cell, float(rng.random() < skill[i] + effect(cell)))
        for cell in cells
        for i in range(items)
        for k in range(runs)
    ]


def clustered(rng: Rng, groups: int = 40, size: int = 10) -> list[tuple[Any, ...]]:
    passage = rng.normal(0, 1.2, groups)
    skill = passage[:, None] + rng.normal(0, 0.5, (groups, size))
    return [
        (f"{g}-{j}", g, k, prompt, float(rng.random() < 1 / (1 + np.exp(-skill[g, j] - 0.5 * prompt))))
        for prompt in (0, 1)
        for g in range(groups)
        for j in range(size)
        for k in (0, 1)
    ]


def told(found: Attributed) -> dict[str, str]:
    return {one.factor: one.disposition for one in found.advice}


# Clusters


def test_the_forecast_counts_clusters_and_not_items() -> None:
    rows = clustered(np.random.default_rng(8))
    found = attribute(made(rows, ["prompt"], clusters=True), ["prompt"], draws=40)
    items = {row[0]: row[1] for row in rows}
    means = np.array([float(np.mean([row[-1] for row in rows if row[0] == item])) for item in items], dtype=np.float64)
    plans = {f.plan: f for f in found.forecasts}
    wanted = moments(means, np.array(list(items.values()))).se
    assert plans["as measured"].se_fixed == pytest.approx(wanted, rel=0.01)
    twice = plans["twice the items (and clusters)"]
    assert dict(twice.numbers)["item"] == 800
    assert twice.se_fixed == pytest.approx(wanted / 2**0.5, rel=0.02)
    alone = attribute(made(rows, ["prompt"]), ["prompt"], draws=40)
    single = {f.plan: f for f in alone.forecasts}
    assert single["as measured"].se_fixed == pytest.approx(moments(means, None).se, rel=0.01)
    assert single["as measured"].se_fixed < 0.5 * wanted
    assert "twice the items" in single
    assert found.anova == alone.anova or isinstance(found.anova, Anova)
    assert isinstance(found.anova, Anova)
    assert isinstance(alone.anova, Anova)
    assert found.anova.components == alone.anova.components  # single answers are what they are


def test_a_wished_reliability_takes_more_items_where_they_share_clusters() -> None:
    rng = np.random.default_rng(3)
    taste = rng.normal(0, 0.8, (4, 40))
    rows = [
        (f"{g}-{j}", g, k, model, float(rng.random() < 1 / (1 + np.exp(-0.3 * model - taste[model, g]))))
        for model in range(4)
        for g in range(40)
        for j in range(5)
        for k in (0, 1)
    ]
    numbers: list[int] = []
    for clusters in (False, True):
        found = attribute(made(rows, ["model"], clusters), ["model"], part="model", reliability=0.95, draws=40)
        wanted = dict(found.needed)["item"]
        assert isinstance(wanted, int)
        assert ROUGHLY in found.warnings
        assert not isinstance(found.gauge, NotEstimable)
        numbers.append(wanted)
    assert numbers[1] > 1.5 * numbers[0]


def test_one_cluster_gives_no_forecast() -> None:
    rows = [(i, "all", *rest) for i, _, *rest in answers(np.random.default_rng(0), [(0,), (1,)])]
    found = attribute(made(rows, ["cue"], clusters=True), ["cue"], draws=40)
    assert isinstance(found.anova, Anova)
    assert found.forecasts == ()
    assert isinstance(found.decision, NotEstimable)
    assert "share one cluster" in found.decision.reason


def test_few_clusters_lock_every_factor() -> None:
    rng = np.random.default_rng(1)
    rows = [(i, i % 8, *rest) for i, _, *rest in answers(rng, [(0,), (1,)], lambda cell: 0.3 * cell[0], items=80)]
    found = attribute(made(rows, ["cue"], clusters=True), ["cue"], draws=40)
    assert told(found) == {"cue": "lock"}
    assert "8.0 effective clusters, under 20" in found.advice[0].evidence
    assert say(evidence(found.advice[0], found), "en").startswith("cannot be told (8.0 effective clusters")
    assert "有效簇数为 8.0" in say(evidence(found.advice[0], found), "zh")


# Advice


@pytest.mark.parametrize("factors", [3, 5])
def test_nothing_is_advised_about_factors_that_do_nothing(factors: int) -> None:
    """Without correction some factor was to be averaged over in 20 % of studies of three, and 64 % of five."""
    rng, names = np.random.default_rng(7), list("abcde")[:factors]
    cells = list(product((0, 1), repeat=factors))
    acted = 0
    for _ in range(20):
        found = attribute(made(answers(rng, cells, items=60), names), names, draws=40)
        words = set(told(found).values())
        acted += bool(words - {"lock", "annotate"})
        assert "nothing to divide" not in found.sentence or words <= {"lock", "annotate"}
    assert acted <= 4  # of 20 at 5 %: more by chance three times in a thousand


def test_a_boundary_is_shown_and_not_the_luck_of_many_levels() -> None:
    """Eight cues 3 points apart: the measured range alone calls it a boundary in one study of six."""
    rng, cells = np.random.default_rng(5), np.indices((8, 2)).reshape(2, -1).T
    words: dict[float, Counter[str]] = {}
    for top, studies in ((0.03, 120), (0.15, 20)):
        words[top] = Counter()
        for _ in range(studies):
            chance = rng.uniform(0.2, 0.75, 400) + np.linspace(0, top, 8)[:, None, None]
            table = (rng.random((8, 2, 400)) < chance).astype(np.float64)
            found = factorial_shares(table, ("cue", "shots"), seed=1, draws=40)
            cue = level_means(cells, table.reshape(16, 400))[0]
            words[top][advise("cue", [str(i) for i in range(8)], cue, None, found).disposition] += 1
    assert words[0.03]["declare as a boundary"] <= 13
    assert words[0.15]["declare as a boundary"] == 20


def test_parts_are_corrected_for_their_number_and_for_the_whole() -> None:
    rng = np.random.default_rng(3)
    table = (rng.random((2, 2, 2, 150)) < 0.5 + 0.1 * np.indices((2, 2, 2))[0][..., None]).astype(np.float64)
    found = factorial_shares(table, "abc", seed=0, draws=40)
    assert not isinstance(found, NotEstimable)
    p = corrected_p(found)
    assert len(p) == 7
    assert p["a"] == max(found.spread.p, min(1.0, 7 * found.parts[0].p))  # the smallest of seven
    assert all(p[part.name] >= max(part.p, found.spread.p) for part in found.parts)
    assert all(p[part.name] < 0.05 for part in moving_together("a", found))


def test_a_level_does_not_answer_for_what_was_set_with_it() -> None:
    cells = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 0, 2)]
    rows = answers(np.random.default_rng(7), cells, lambda cell: 0.02 * cell[0] + 0.15 * cell[1], items=1500)
    found = attribute(made(rows, "abc"), "abc", draws=40)
    assert found.design == "unbalanced"
    assert told(found)["a"] != "declare as a boundary"
    assert told(found)["b"] == "declare as a boundary"
    means = {one.factor: [mean for _, mean in one.means] for one in found.advice}
    assert means["a"][1] - means["a"][0] == pytest.approx(0.02, abs=0.025)  # plain means: .10 apart
    assert means["b"][1] - means["b"][0] == pytest.approx(0.15, abs=0.025)


# Missing rows


def test_one_missing_row_leaves_the_table_of_single_answers_as_it_was() -> None:
    rows = answers(np.random.default_rng(5), [(0,), (1,), (2,)], items=60, runs=4)
    whole, less = (attribute(made(part, ["cue"]), ["cue"], draws=40) for part in (rows, rows[:-1]))
    for found in (whole, less):
        assert isinstance(found.anova, Anova)
        assert found.runs == 4
    assert isinstance(whole.anova, Anova)
    assert isinstance(less.anova, Anova)
    for effect in whole.anova.effects:
        assert less.anova[effect.name].component_share == pytest.approx(effect.component_share, abs=0.02)
    assert less.anova.sizes["item"] == 59
    assert less.items == 60
    assert any(w.startswith("1 of 60 items lack a run in some set-up") for w in less.warnings)
    assert dict(less.forecasts[0].numbers)["item"] == 60


def test_why_runs_are_not_told_apart_is_said() -> None:
    rng = np.random.default_rng(6)
    rows = answers(rng, [(0,), (1,)], items=40, runs=3)
    holes = [row for row in rows if row[0] % 3 or row[2]]
    uneven = [row for row in rows if row[3] or not row[2]]
    late = [row for row in rows if row[0] < 15 or row[2] < 2]
    for some, reason in ((holes, None), (uneven, "set-ups have 1 to 3 runs"), (late, "only 15 of 40 items")):
        found = attribute(made(some, ["cue"]), ["cue"], draws=40)
        assert (found.runs == 3) == (reason is None)
        assert any(reason in w for w in found.warnings) if reason else found.items == 40


def measured(scores: NDArray[np.float64]) -> tuple[Observations, Layout]:
    """Cells are all pairs of setting and level: `scores` [settings, levels, items]; NaN: failed."""
    settings, levels, n = scores.shape
    table, names = (
        Builder.empty(),
        [(("level", str(b)), ("setting", str(a))) for a in range(settings) for b in range(levels)],
    )
    for cell, row in enumerate(scores.reshape(-1, n)):
        for item, value in enumerate(row):
            known = not np.isnan(value)
            outcome = Outcome.CORRECT if value == 1 else Outcome.INCORRECT
            table.add(
                cell, item, 0, outcome if known else Outcome.FAILED, float(value) if known else None, cell * n + item
            )
    ids, nobody = [f"c{i}" for i in range(settings * levels)], [None] * n
    observed = table.build(ids, [f"i{i}" for i in range(n)], ["even", "odd"] * (n // 2), nobody, nobody)
    cells = tuple(CellInfo(id=one, levels=at, digest=one, sampled=False) for one, at in zip(ids, names, strict=True))
    factors = tuple(
        FactorInfo(name=name, levels=tuple(map(str, range(size))), baseline="0")
        for name, size in (("level", levels), ("setting", settings))
    )
    return observed, Layout(factors=factors, cells=cells)


def test_an_item_that_failed_once_is_averaged_over_the_rest() -> None:
    """Eight set-ups, one answer in ten lost: what all have is 43 of 100 items, what some pair has nearly all."""
    rng = np.random.default_rng(0)
    scores = (rng.random((4, 2, 100)) < 0.5).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    scores[0] = np.nan_to_num(scores[0])
    scores[:, 0, 7] = np.nan  # no pair at all
    observed, layout = measured(scores)
    entry = next(e for e in heat_map(observed, layout, 0.95) if (e.factor, e.level) == ("level", "1"))
    change = entry.change
    assert isinstance(change, Estimate)
    assert (change.n, change.excluded) == (99, 1)
    each = [np.mean([b - a for a, b in scores[:, :, i] if not np.isnan(a + b)]) for i in range(100) if i != 7]
    assert change.value == pytest.approx(np.mean(each))
    assert change.se == pytest.approx(np.std(each, ddof=1) / 99**0.5)
    groups = {name: number for name, number, _ in entry.groups}
    assert {name: (g.n, g.excluded) for name, g in groups.items() if isinstance(g, Estimate)} == {
        "even": (50, 0),
        "odd": (49, 1),
    }
    spread = factor_spreads(observed, layout)[0]
    assert spread.range == pytest.approx(abs(change.value))


def test_whole_tables_are_averaged_as_ever() -> None:
    scores = (np.random.default_rng(1).random((3, 2, 40)) < 0.5).astype(float)
    observed, layout = measured(scores)
    change = next(e for e in heat_map(observed, layout, 0.95) if (e.factor, e.level) == ("level", "1")).change
    assert isinstance(change, Estimate)
    assert change.excluded == 0
    assert change.value == pytest.approx(scores[:, 1].mean() - scores[:, 0].mean())
