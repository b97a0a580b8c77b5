"""What a history rests on, with runs made in memory: unlike numbers of repeats, and who belongs to whom."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import eyechart as ec
from eyechart.analysis.history import Watch, _aligned, history
from eyechart.analysis.history_terms import Measured, Spent, score_of
from eyechart.analysis.observations import OUTCOMES
from eyechart.analysis.rank import rank
from eyechart.analysis.setups import SetUp
from eyechart.cli import main
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.report.messages import say
from eyechart.report.sections.history import history_part, sentence
from eyechart.stats.changes import Changes, change_points
from eyechart.stats.paired import paired_change

RIGHT, WRONG = (OUTCOMES.index(o) for o in (Outcome.CORRECT, Outcome.INCORRECT))


def measured(values: NDArray[np.float64], day: int, order: NDArray[np.intp] | None = None, **fields: str) -> Measured:
    """A run of `values` [items, repeats] on a day; `order` is that of its items in the folder."""
    n = len(values)
    order = np.arange(n) if order is None else order
    nothing = NotEstimable(name="none", reason="not asked for")
    return Measured(
        set_up=SetUp(
            source=f"w{day}", run=f"w{day}", fields={"model.name": "m", **fields}, digest=f"e1:{day}",
            items=tuple(f"i{k:04d}" for k in order), contents=tuple(f"c{k}" for k in order), values=values[order],
            missing=np.zeros(values.shape, dtype=np.bool_), clusters=None,
            outcomes=np.where(values[order] > 0.5, RIGHT, WRONG).astype(np.int8),
        ),
        at=datetime(2020, 1, day, tzinfo=UTC), readers=nothing, reader_spread=nothing, spread=nothing,
        spent=Spent(calls=n, reused=0, seconds=1.0, money=None, currency=None),
    )  # fmt: skip


def drawn(seed: int, repeats: list[int]) -> list[Measured]:
    rng = np.random.default_rng(seed)
    skill = rng.beta(2, 1, (40, 1))
    return [measured((rng.random((40, k)) < skill).astype(float), day + 1) for day, k in enumerate(repeats)]


def test_a_time_of_fewer_runs_is_no_change() -> None:
    """One run at one time and twenty at the others: as many of each are compared, else noise looks like a change."""
    alarms = careless = 0
    for seed in range(60):
        series = drawn(seed, [*[20] * 7, 1])
        table, _, left, repeats = _aligned(series)
        assert (left, repeats) == (0, 1)
        means = np.array([one.set_up.values.mean(axis=1) for one in series])
        for kind, scores in (("ours", table), ("careless", means)):
            found = change_points(scores, seed=seed, draws=99)
            assert isinstance(found, Changes)
            alarmed = bool(found.changes)
            alarms, careless = (alarms + alarmed, careless) if kind == "ours" else (alarms, careless + alarmed)
    assert alarms <= 8  # of 60 at 5 %: at most 8 with probability .99
    assert careless > alarms + 3  # the negative control; of 200 it raises 17 %


def test_items_are_matched_by_name_whatever_their_order() -> None:
    rng = np.random.default_rng(0)
    values = (rng.random((30, 2)) < 0.6).astype(float)
    found = history([measured(values, 1), measured(values, 2, rng.permutation(30))])
    step = found.moments[1].step
    assert not isinstance(step, NotEstimable)
    assert step is not None
    assert (step.higher, step.lower) == (0, 0)
    assert isinstance(found.changes, Changes)
    assert found.changes.changes == ()


def test_the_largest_set_is_the_series_and_the_rest_is_named() -> None:
    values = (np.random.default_rng(1).random((30, 1)) < 0.6).astype(float)
    runs = [measured(values, day, **{"decoding.temperature": "0.0"}) for day in (3, 1, 2)]
    runs.append(measured(values, 4, **{"decoding.temperature": "0.7"}))
    found = history(runs)
    assert [m.source for m in found.moments] == ["w1", "w2", "w3"]
    assert all(a.at < b.at for a, b in pairwise(found.moments))  # type: ignore[operator]
    (other,) = found.apart
    assert [(d.field, d.here, d.there) for d in other.differences] == [("decoding.temperature", "0.7", "0.0")]
    both = history(runs, Watch(moving=("model", "decoding.temperature")))
    assert len(both.moments) == 4
    with pytest.raises(ValueError, match="no runs"):
        history([])


def test_a_score_is_that_of_the_items_that_have_one() -> None:
    one = measured(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]), 1)
    score = score_of(one.set_up, 0.95)
    assert isinstance(score, Estimate)
    assert score.value == pytest.approx(0.5)


def test_a_run_without_a_score_stands_apart_and_spoils_nothing() -> None:
    values = (np.random.default_rng(1).random((30, 1)) < 0.6).astype(float)
    lost = measured(values, 3)
    lost = replace(lost, set_up=replace(lost.set_up, missing=np.ones_like(lost.set_up.missing)))
    found = history([measured(values, 1), measured(values, 2), lost])
    assert (len(found.moments), found.items) == (2, 30)
    assert [one.source for one in found.apart] == ["w3"]
    ranked = rank([lost.set_up, *(measured(values, d, **{"model.name": f"m{d}"}).set_up for d in (1, 2))])
    assert len(ranked.leagues[0].places) == 2
    assert [one.source for one in ranked.apart] == ["w3"]
    nothing = history([lost])
    assert nothing.moments == ()
    assert say(sentence(nothing), "en") == "None of these runs has a score."
    assert history_part(nothing, None).blocks


def test_measuring_the_worst_one_again_always_looks_like_a_fix() -> None:
    """Six terms of one true rate, nothing is fixed. The one that stood out is smaller the next time: against the run
    that found it, "fixed" far too often; against a fresh run, at the rate that is said."""
    biased = honest = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found, fresh, after = (rng.random((6, 150)) < 0.12 for _ in range(3))
        worst = int(found.mean(axis=1).argmax())
        for kind, before in (("biased", found), ("honest", fresh)):
            change = paired_change(after[worst], before[worst])
            assert isinstance(change, Estimate)
            assert change.interval is not None
            smaller = change.interval.high < 0
            biased, honest = (biased + smaller, honest) if kind == "biased" else (biased, honest + smaller)
    assert biased > 16
    assert honest <= 11  # of 200 at 2.5 %: at most 11 with probability .99


def test_the_page_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[2] / "docs"
    page, bots = ((docs / name).read_text(encoding="utf-8") for name in ("history.md", "rank.md"))
    (code,), (words,) = (re.findall(r"```python\n(.*?)```", text, re.DOTALL) for text in (page, bots))
    (study,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"```console\n\$ eyechart history weeks\n(.*?)```", page, re.DOTALL)
    Path("bots.py").write_text(words, encoding="utf-8")
    Path("weekly.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    for name in ("bots", "weekly"):
        sys.modules.pop(name, None)
    for week in range(1, 7):
        ec.loads(study.replace("v1", f"v{week}")).run(f"weeks/w{week}")
    for name in ("bots", "weekly"):
        sys.modules.pop(name, None)
    printed = CliRunner().invoke(main, ["history", "weeks"]).stdout.splitlines()
    assert [line for line in shown.splitlines() if line not in printed] == []
