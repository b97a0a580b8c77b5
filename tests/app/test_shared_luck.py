"""rank and history of runs whose items share their luck: no pair is settled, no change is told, and it is said first."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.history import history
from eyechart.analysis.history_terms import Measured, Spent
from eyechart.analysis.observations import OUTCOMES
from eyechart.analysis.rank import rank
from eyechart.analysis.setups import SetUp
from eyechart.analysis.together import SEED, SPREAD, moving
from eyechart.cli import main
from eyechart.core.records import NotEstimable, Outcome
from eyechart.report.messages import EN, ZH, say
from eyechart.report.sections.history import history_part, sentence, terms_sentence
from eyechart.report.sections.rank import rank_part
from eyechart.stats.changes import Changes

STUDY = """
name: {name}
dataset: {{name: chart, subset: facts, limit: 40}}
model: {{name: {name}, backend: synthetic, options: {{accuracy: 0.7}}}}
decoding: {{temperature: 0.7, seed_scope: {scope}}}
evaluation: {{extraction: choice}}
repeats: {{count: 2, seed: {seed}}}
"""


def at(name: str, day: int, values: np.ndarray, *, shared_seed: bool = False) -> Measured:
    n, nothing = len(values), NotEstimable(name="none", reason="not asked for")
    right, wrong = (OUTCOMES.index(o) for o in (Outcome.CORRECT, Outcome.INCORRECT))
    from datetime import UTC, datetime

    return Measured(
        set_up=SetUp(
            source=f"w{day}", run=f"w{day}", fields={"model.name": name}, digest=f"e1:{name}{day}",
            items=tuple(f"i{k:04d}" for k in range(n)), contents=tuple(f"c{k}" for k in range(n)), values=values,
            missing=np.zeros(values.shape, dtype=np.bool_), clusters=None, shared_seed=shared_seed,
            outcomes=np.where(values > 0.5, right, wrong).astype(np.int8),
        ),
        at=datetime(2020, 1, day, tzinfo=UTC), readers=nothing, reader_spread=nothing, spread=nothing,
        spent=Spent(calls=n, reused=0, seconds=1.0, money=None, currency=None),
    )  # fmt: skip


def series(seed: int, repeats: int, shock: float, *, shared_seed: bool = False) -> list[Measured]:
    """Six times of one model of 100 items; each repeat of each has a luck of its own that all items share."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.6, 1.0, (100, 1))
    return [
        at("m", day + 1, (rng.normal(size=(100, repeats)) < skill + rng.normal(0, shock, repeats)).astype(float),
           shared_seed=shared_seed)
        for day in range(6)
    ]  # fmt: skip


def test_one_seed_for_all_items_tells_no_change():
    """Without the rule a common shock of .2 raises false alarms in about half of these series."""
    silly = sum(bool(c.changes) for s in range(12) if isinstance(c := history(series(s, 1, 0.3)).changes, Changes))
    assert silly >= 3  # the negative control: one run shows nothing, so only the stated seed can tell
    found = history(series(0, 1, 0.3, shared_seed=True))
    assert isinstance(found.changes, NotEstimable)
    assert found.changes.reason == SEED
    assert all(isinstance(moment.step, NotEstimable) for moment in found.moments[1:])
    assert not any(term.moved for moment in found.moments for term in moment.terms)
    assert say(found.notes[0], "en").startswith("All items of w1, w2")
    for language in ("en", "zh"):
        told = say(sentence(found), language)
        assert (SEED in told) == (language == "en")
    assert terms_sentence(found) is None
    assert history_part(found, None).blocks


def test_repeats_that_spread_too_far_tell_no_change():
    found = history(series(1, 4, 0.6))
    assert isinstance(found.changes, NotEstimable)
    assert found.changes.reason == SPREAD
    sound = [moving([one.set_up for one in series(seed, 4, 0.0)]) for seed in range(40)]
    assert sum(why is not None for row in sound for why in row) <= 1  # .001 over the six of each series


def test_what_moves_together_is_not_ranked():
    rng = np.random.default_rng(3)
    skill = rng.normal(0.6, 1.0, (100, 1))
    fair = [
        at(name, day, (rng.normal(size=(100, 2)) < skill).astype(float)).set_up for day, name in ((1, "a"), (2, "b"))
    ]
    lucky = at("c", 3, (rng.normal(size=(100, 2)) < skill + 0.5).astype(float), shared_seed=True).set_up
    found = rank([*fair, lucky])
    assert {place.name for place in found.leagues[0].places} == {"a", "b"}
    (one,) = found.apart
    assert (one.name, say(one.reason, "en").split(" (")[0]) == (
        "c",
        "all its items were sampled with one seed and move together",
    )
    assert rank_part(found).blocks


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_are_there(language: str):
    words = EN if language == "en" else ZH
    for key in ("rank.none.together", "rank.note.together", "rank.apart.seed", "rank.apart.spread", "history.note.seed",
                "history.note.spread", "history.note.clusters", "history.why.seed", "history.why.spread"):  # fmt: skip
        assert key in words
    assert (EN["history.why.seed"], EN["history.why.spread"]) == (SEED, SPREAD)


def test_as_a_user_sees_it():
    for scope in ("run", "item"):
        for number, name in enumerate(("a", "b")):
            ec.loads(STUDY.format(name=name, scope=scope, seed=number)).run(f"{scope}/{name}")
    done = CliRunner().invoke(main, ["rank", "run", "--json"])
    assert done.exit_code == 3
    assert "move together" in json.loads(done.stdout)["verdict"]["text"]
    assert CliRunner().invoke(main, ["rank", "item"]).exit_code == 0
    told = CliRunner().invoke(main, ["history", "run", "--no-readers"]).stdout
    assert "whether the score moved is not known: all items of a run share one seed" in told
    assert "note: All items of " in told
    assert "share one seed" not in CliRunner().invoke(main, ["history", "item", "--no-readers"]).stdout
    assert Path("run/a/run.json").is_file()
