"""A fair judge is left in peace at the stated rate, whatever its noise and that of people."""

from __future__ import annotations

import numpy as np
import pytest

from eyechart.analysis import judged_grades, judged_joint
from eyechart.analysis.judged_probes import Probed, moved
from eyechart.analysis.judgements import Grades, Pairs, corrected
from eyechart.core.records import Estimate, NotEstimable

LEFT_OUT = NotEstimable(name="left out", reason="not looked at here")


def graded(rng: np.random.Generator, *, people: float, noise: float, length: float = 0.0, own: float = 0.0) -> Grades:
    """200 answers by three models of different quality; the better ones are longer as well."""
    n = 200
    model = rng.integers(0, 3, n)
    quality = 3 + 0.5 * (model == 0) - 0.5 * (model == 1) + rng.normal(0, 0.8, n)
    lengths = np.exp(5 + 0.35 * (quality - 3) + rng.normal(0, 0.4, n))
    z = (np.log(lengths) - np.log(lengths).mean()) / np.log(lengths).std()
    human = np.clip(np.round(quality + rng.normal(0, people, n)), 1, 5)
    judged = quality + length * z + own * (model == 0) + rng.normal(0, noise, n)
    return Grades(
        source="simulated",
        items=tuple(map(str, range(n))),
        scores=np.clip(np.round(judged), 1, 5)[:, None],
        human=human,
        models=tuple(f"M{m + 1}" for m in model),
        lengths=lengths,
        scale=(1, 5),
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without reliability and agreement, whose bootstraps take most of the time."""
    monkeypatch.setattr(judged_grades, "repeats_of", lambda *_: LEFT_OUT)
    monkeypatch.setattr(judged_grades, "against_people", lambda *_: LEFT_OUT)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("people", "noise"), [(0.7, 0.5), (1.0, 0.5), (0.7, 1.0)])
def test_better_models_and_longer_answers_are_no_bias_of_a_fair_judge_of_grades(people, noise):
    alarms, naive, judges = 0, 0, 100
    for seed in range(judges):
        audit = judged_grades.audit_grades(graded(np.random.default_rng(seed), people=people, noise=noise), own="M1")
        alarms += any(e.finding == "biased" for e in audit.effects)
        naive += any(
            e.name in ("length", "own_model") and e.p_adjusted is not None and e.p_adjusted <= 0.05
            for e in audit.effects
        )
    assert alarms <= 0.05 * judges + 2 * (0.05 * 0.95 * judges) ** 0.5
    assert naive > alarms  # what holding people's grade alone would call a bias


@pytest.mark.usefixtures("quick")
def test_a_favour_that_no_noise_explains_is_still_called_one():
    found = 0
    for seed in range(30):
        grades = graded(np.random.default_rng(seed), people=0.3, noise=0.3, own=1.5)
        effects = judged_grades.audit_grades(grades, own="M1").effects
        found += next(e for e in effects if e.name == "own_model").finding == "biased"
    assert found >= 24


def test_without_people_favour_cannot_be_told_from_quality():
    rng = np.random.default_rng(0)
    grades = graded(rng, people=0.5, noise=0.5, own=1.0)
    alone = Grades(
        source="t", items=grades.items, scores=grades.scores, models=grades.models, lengths=grades.lengths, scale=(1, 5)
    )
    findings = {e.name: e.finding for e in judged_grades.audit_grades(alone, own="M1").effects}
    assert findings["own_model"] == "unknown"


def probes(rng: np.random.Generator, n: int, repeats: int, wobble: float, planted: float = 0.0) -> list[Probed]:
    """One judge, ten edits: its log-odds for each pair, noise of its own each time it is asked."""
    odds = rng.normal(0, 2, n) + rng.logistic(0, 1, n)
    tie = rng.random((n, 1)) < 0.05

    def asked(shift: float) -> np.ndarray:
        said = odds[:, None] + shift + wobble * rng.logistic(0, 1, (n, repeats))
        out = (said > 0).astype(float)
        out[rng.random((n, repeats)) < 0.03] = np.nan
        return np.where(tie, 0.5, out)

    before = asked(0.0)
    shifts = [planted, *[0.0] * 9]
    return [
        Probed(name=f"probe {i}", towards="it", before=before, after=asked(shift), rewording=i >= 8)
        for i, shift in enumerate(shifts)
    ]


@pytest.mark.parametrize(
    ("judges", "n"),
    [(60, 100), pytest.param(500, 100, marks=pytest.mark.slow), pytest.param(300, 300, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(("repeats", "wobble"), [(1, 0.0), (1, 1.0), (3, 1.0)])
def test_probes_of_a_judge_that_no_edit_moves_find_nothing(judges, n, repeats, wobble):
    alarms = 0
    for seed in range(judges):
        effects = [moved(p) for p in probes(np.random.default_rng(seed), n, repeats, wobble)]
        alarms += any(e.finding == "biased" for e in corrected(effects))
    assert alarms <= 0.05 * judges + 2.5 * (0.05 * 0.95 * judges) ** 0.5


def test_intervals_of_a_planted_effect_cover_it_and_its_forecast_of_pairs_holds():
    truth = []
    for seed in range(2000, 2010):
        (one, *_) = probes(np.random.default_rng(seed), 20_000, 1, 0.5, planted=1.0)
        truth.append(np.nanmean(one.after) - np.nanmean(one.before))
    covered, seen, needed = 0, 0, []
    for seed in range(200):
        (one, *_) = probes(np.random.default_rng(seed), 150, 1, 0.5, planted=1.0)
        value = moved(one, tolerance=float(np.mean(truth))).value
        assert isinstance(value, Estimate)
        assert value.interval is not None
        covered += value.interval.low <= np.mean(truth) <= value.interval.high
        seen += value.p is not None and value.p <= 0.05
        found = moved(one, tolerance=float(np.mean(truth))).needed
        needed += [found] if isinstance(found, int) else []
    assert 0.90 <= covered / 200 <= 0.99
    assert (np.median(needed) <= 150) == (seen / 200 >= 0.8)


def paired(rng: np.random.Generator, n: int, people: float, judge: float) -> Pairs:
    """Three models of different quality, better answers longer; people and judge see quality, each with its own sharpness."""
    who = np.array([rng.choice(3, 2, replace=False) for _ in range(n)])
    quality = np.array([0.5, 0.0, -0.5])[who] + rng.normal(size=(n, 2))
    lengths = np.exp(5 + 0.6 * (0.5 * quality + 0.87 * rng.normal(size=(n, 2))))
    ahead = quality[:, 0] - quality[:, 1]

    def voted(sharpness: float) -> np.ndarray:
        return np.where(rng.random(n) < 1 / (1 + np.exp(-sharpness * ahead)), 1.0, -1.0)

    def verdicts() -> np.ndarray:
        said = voted(judge)
        said[rng.random(n) < 0.05] = 0.0
        said[rng.random(n) < 0.03] = np.nan
        return said

    models = tuple((f"M{a + 1}", f"M{b + 1}") for a, b in who)
    items = tuple(map(str, range(n)))
    return Pairs(
        source="simulated",
        items=items,
        ab=verdicts(),
        ba=verdicts(),
        human=voted(people),
        models=models,
        lengths=lengths,
    )


@pytest.mark.parametrize(
    ("judges", "n"),
    [(60, 200), pytest.param(300, 200, marks=pytest.mark.slow), pytest.param(100, 800, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(("people", "judge"), [(1.2, 1.2), (1.0, 3.0), (3.0, 0.8)])
def test_a_judge_that_sees_quality_better_or_worse_than_people_is_not_biased_for_it(
    monkeypatch, judges, n, people, judge
):
    for part in ("rates_of", "favour_of"):  # resampled, and no part of this
        monkeypatch.setattr(judged_joint, part, lambda *_: LEFT_OUT)
    alarms, covered = 0, 0
    for seed in range(judges):
        pairs = paired(np.random.default_rng(seed), n, people, judge)
        audit = judged_joint.audit_pairs(pairs, own="M1")
        alarms += any(e.finding == "biased" for e in audit.effects)
        (won,) = audit.win_rates
        covered += won.without == won.raw
    assert alarms <= 0.05 * judges + 2.5 * (0.05 * 0.95 * judges) ** 0.5
    assert covered >= 0.95 * judges  # no quality is taken out of a win rate
