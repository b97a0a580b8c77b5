"""A gate that is run every week on an unchanged model must not flap, and must see a real drop.

Each week is a new sample of items (that is what the intervals promise), asked again by the same model; every limit lies
exactly at the truth, which is where a gate is called broken most easily.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from eyechart.analysis.gate import broken, hold
from eyechart.analysis.gate_estimates import Given
from eyechart.analysis.gate_members import members
from eyechart.analysis.gate_text import Limit, read_limit
from eyechart.analysis.layout import CellInfo, FactorInfo, Layout
from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.core.records import Outcome

TEMPERATURES = (0.2, 0.5, 0.8)
CUES = ("plain", "polite")
SUBJECTS = ("algebra", "botany", "chess", "drama")
RATE, RUNS, EACH = 0.05, 3, 50
UNPARSED = 0.06
SLOPE, CUE = -0.5, 0.25  # on the logit, per 1.0 of temperature and for the second cue
HARD, EASE = 1.2, 0.6  # standard deviation and mean of how easy an item is, on the logit

LAYOUT = Layout(
    factors=(
        FactorInfo(name="temperature", levels=("0.2", "0.5", "0.8"), baseline="0.2", x=TEMPERATURES),
        FactorInfo(name="cue", levels=CUES, baseline="plain"),
    ),
    cells=tuple(
        CellInfo(id=f"c{2 * i + j:03d}", levels=(("temperature", str(t)), ("cue", cue)), digest="", sampled=True)
        for i, t in enumerate(TEMPERATURES)
        for j, cue in enumerate(CUES)
    ),
)


def chances(ease: np.ndarray, drop: float = 0.0) -> np.ndarray:
    """P(right) [cells, items]."""
    shifts = np.array([SLOPE * t + CUE * j for t in TEMPERATURES for j in (0, 1)])
    right = 1 / (1 + np.exp(-(ease[None, :] + shifts[:, None])))
    return (1 - UNPARSED) * right - drop


def week(rng: np.random.Generator, ease: np.ndarray, drop: float = 0.0) -> Given:
    """One run of the study, as the tidy table of a run folder would hold it."""
    p = chances(ease, drop)
    cells, items = p.shape
    u = rng.random((cells, items, RUNS))
    right = u < p[:, :, None]
    unread = u > 1 - UNPARSED
    outcome = np.where(
        right,
        OUTCOMES.index(Outcome.CORRECT),
        np.where(unread, OUTCOMES.index(Outcome.UNPARSEABLE), OUTCOMES.index(Outcome.INCORRECT)),
    )
    grid = np.indices(right.shape).reshape(3, -1)
    names = tuple(f"q{i}" for i in range(items))
    return Given(
        observed=Observations(
            cells=tuple(cell.id for cell in LAYOUT.cells),
            items=names,
            groups=tuple(SUBJECTS[i % len(SUBJECTS)] for i in range(items)),
            clusters=(None,) * items,
            chance=(None,) * items,
            cell=grid[0].astype(np.int32),
            item=grid[1].astype(np.int32),
            repeat=grid[2].astype(np.int32),
            outcome=outcome.reshape(-1).astype(np.int8),
            value=right.reshape(-1).astype(float),
            scored=np.ones(right.size, dtype=bool),
            call=np.arange(right.size),
        ),
        layout=LAYOUT,
    )


def items_of(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(EASE, HARD, EACH * len(SUBJECTS))


@cache
def at_the_truth() -> tuple[Limit, ...]:
    """Eight limits, each exactly at what is true of this model over all items."""
    p = chances(np.random.default_rng(0).normal(EASE, HARD, 1_000_000))
    means = p.mean(axis=1)
    n = EACH * len(SUBJECTS)
    x = np.array(TEMPERATURES) - np.mean(TEMPERATURES)
    slope = abs(float(x @ means.reshape(3, 2).mean(axis=1) / (x @ x)))
    base = p[0]
    truth = {
        "score >=": means[0],
        "volatility(group) <=": means.std(ddof=1),
        "volatility(pooled) <=": means.std(ddof=1),
        "slope(temperature) <=": slope / 10,
        "range <=": np.ptp(means),
        "unparsed <=": UNPARSED,
        "run_noise <=": (float((base * (1 - base)).mean()) / n) ** 0.5,
        "pass^3 >=": float((base**3).mean()),
    }
    return tuple(read_limit(f"{text} {float(bound):.9f} of 1") for text, bound in truth.items())


def broken_of(given: Given, limits: tuple[Limit, ...]) -> tuple[bool, ...]:
    return broken([(limit, members(given, limit)) for limit in limits], RATE)


def broken_weeks(weeks: int, seed: int) -> tuple[int, dict[str, int]]:
    """Weeks in which anything is broken, and how often each limit is."""
    total, of = 0, dict.fromkeys((limit.text for limit in at_the_truth()), 0)
    for number in range(weeks):
        rng = np.random.default_rng((seed, number))
        found = broken_of(week(rng, items_of(rng)), at_the_truth())
        total += any(found)
        for limit, one in zip(at_the_truth(), found, strict=True):
            of[limit.text] += one
    return total, of


def drops_found(weeks: int, seed: int, drop: float) -> int:
    """Against a baseline on the same items: weeks in which the drop is called broken."""
    limits = (read_limit("drop <= 0 points"), read_limit("moved <= 20 points"))
    ease = items_of(np.random.default_rng(seed))
    base = week(np.random.default_rng((seed, 10**6)), ease)
    out = 0
    for number in range(weeks):
        here = week(np.random.default_rng((seed, number)), ease, drop)
        out += broken_of(Given(observed=here.observed, layout=LAYOUT, baseline=base), limits)[0]
    return out


def kept_weeks(weeks: int, seed: int) -> dict[str, int]:
    """Weeks in which a limit at the truth is called kept, which it is not, by a hair."""
    of = dict.fromkeys((limit.text for limit in at_the_truth()), 0)
    for number in range(weeks):
        rng = np.random.default_rng((seed, number))
        given = week(rng, items_of(rng))
        for one in hold([(limit, members(given, limit)) for limit in at_the_truth()], RATE):
            of[one.limit.text] += one.state == "kept"
    return of


def at_most(events: int, weeks: int, rate: float) -> bool:
    """Whether `events` of `weeks` are no more than chance makes of `rate`: under three standard deviations."""
    return events <= weeks * rate + 3 * (weeks * rate * (1 - rate)) ** 0.5


def test_sixty_weeks_of_an_unchanged_model_are_quiet():
    total, of = broken_weeks(60, seed=1)
    assert at_most(total, 60, RATE), of


def holed(given: Given, share: float) -> Given:
    """`given` with the calls of some items lost in the last set-up."""
    seen = given.observed
    hit = (seen.cell == len(seen.cells) - 1) & (seen.item < share * len(seen.items))
    outcome = np.where(hit, OUTCOMES.index(Outcome.FAILED), seen.outcome).astype(np.int8)
    return Given(observed=replace(seen, outcome=outcome, scored=seen.scored & ~hit), layout=LAYOUT)


@pytest.mark.parametrize("text", ["volatility <= 30 points", "volatility(group) <= 60 points", "range <= 60 points",
                                  "volatility(pooled) <= 30 points", "range(temperature) <= 40 points"])  # fmt: skip
def test_what_compares_set_ups_counts_the_items_that_one_of_them_lacks(text: str) -> None:
    rng = np.random.default_rng(1)
    whole = week(rng, items_of(rng))
    limit = read_limit(text)
    states = {share: hold([(limit, members(holed(whole, share), limit))])[0] for share in (0.0, 0.02, 0.9)}
    assert [one.state for one in states.values()] == ["kept", "kept", "unknown"]
    assert all(look.member.lost is None for look in states[0.0].looks)
    lost = [look.member.lost for look in states[0.9].looks]
    assert all(one is not None and dict(one.why).keys() == {"failed"} for one in lost)
    if "temperature" not in text:  # of its levels an item has a row left in the other cue
        assert all(one is not None and one.items == round(0.9 * one.of) for one in lost)


def test_a_drop_against_the_baseline_is_found():
    # One fixed baseline: its own noise is in every week, so that false alarms come in rows. Hence several baselines.
    quiet = sum(drops_found(20, seed=seed, drop=0.0) for seed in range(5))
    assert at_most(quiet, 100, 0.10)
    assert drops_found(40, seed=9, drop=0.12) >= 36


@pytest.mark.slow
def test_a_thousand_weeks_of_an_unchanged_model_are_quiet():
    total, of = broken_weeks(1000, seed=2)
    assert at_most(total, 1000, RATE), of


@pytest.mark.slow
def test_no_limit_is_called_kept_that_is_not():
    of = kept_weeks(300, seed=3)
    assert all(at_most(events, 300, RATE) for events in of.values()), of


@pytest.mark.slow
def test_the_power_that_the_page_states():
    """200 items, three runs of each: what is found of a drop by 6 and by 10 points."""
    weeks = 200
    found = {drop: sum(drops_found(weeks // 20, seed=s, drop=drop) for s in range(20)) / weeks for drop in (0.06, 0.10)}
    assert found[0.06] >= 0.55
    assert found[0.10] >= 0.95
