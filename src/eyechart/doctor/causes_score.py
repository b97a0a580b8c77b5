"""Faults that the score itself shows: no better than guessing, one option always, too good to be true."""

from __future__ import annotations

from collections import Counter

from eyechart.core.records import Outcome
from eyechart.doctor.case import Answer, Diagnosis, Side, fact, points
from eyechart.doctor.causes_reading import told
from eyechart.stats.intervals import clopper_pearson, wilson
from eyechart.stats.laws import binomial_cdf

WRONG = 12
"""Wrong answers from which their places are looked at."""
LEAN = 1.5
"""Times its due that one place must get of the wrong answers to be worth a word."""
NEAR = 0.1
"""How far above guessing the interval may reach where a run is called "at chance"."""
TOP = 0.97
"""A score surely above this is looked at twice."""
LEVEL = 0.05


def _first(side: Side) -> list[Answer]:
    """One scored answer an item: exact tests want independent items."""
    return list({one.item: one for one in reversed(side.counted)}.values())


def _chance(answers: list[Answer]) -> float | None:
    sizes = [one.options for one in answers]
    return sum(1 / size for size in sizes) / len(sizes) if sizes and all(size > 1 for size in sizes) else None


def at_chance(side: Side) -> Diagnosis | None:
    """Not shown to be above guessing: the task is not understood, not read, or these items are too few to tell. Likely
    where it is surely not far above."""
    found = _first(side)
    chance = _chance(found)
    if chance is None:
        return None
    n, right = len(found), sum(one.right for one in found)
    above = 1 - binomial_cdf(right - 1, n, chance) if right else 1.0
    below = binomial_cdf(right, n, chance)
    ends = clopper_pearson(right, n)
    if ends.low > chance or below < LEVEL / 10:
        return None
    surely = above > LEVEL and ends.high <= chance + NEAR
    said = {"score": points(right / n), "chance": points(chance), "low": points(ends.low), "high": points(ends.high)}
    facts = (fact("at_chance", n=n, p=f"{above:.2f}", **said),)
    return told(side, "at_chance", (), facts, side.reread(), strength="likely" if surely else "possible")


def below_chance(side: Side) -> Diagnosis | None:
    """Worse than guessing, which no honest try is: labels shifted by one, a wrong key, a sign turned around."""
    found = _first(side)
    chance = _chance(found)
    if chance is None or len(found) < WRONG:
        return None
    read = [one for one in found if one.picked is not None]  # what was not read is another cause
    n, right = len(read), sum(one.picked == one.gold for one in read)
    if n < WRONG:
        return None
    p = binomial_cdf(right, n, chance)
    shift = Counter(
        (one.picked - one.gold) % one.options for one in read if one.picked is not None and one.gold is not None
    )
    facts = [fact("below_chance", n=n, score=points(right / n), chance=points(chance))]
    by, count = shift.most_common(1)[0] if shift else (0, 0)
    if by and count > n / 2:
        facts.append(fact("shifted", n=count, of=n, by=by))
    return Diagnosis(
        cause="below_chance", strength="likely", facts=tuple(facts), experiment=side.look(), p=p, share=1 - right / n
    )


def position_bias(side: Side) -> Diagnosis | None:
    """Wrong answers fall on one place of the list far more often than on the others."""
    wrong = [
        one
        for one in _first(side)
        if one.picked is not None and one.gold is not None and one.picked != one.gold and one.options > 1
    ]
    if len(wrong) < WRONG:
        return None
    places = max(one.options for one in wrong)
    counts = Counter(one.picked for one in wrong)
    best, p = (0, 0, 0.0), 1.0
    for place in range(places):
        due = sum(1 / (o.options - 1) for o in wrong if o.gold != place and place < o.options) / len(wrong)
        seen = counts[place]
        if seen and 0 < due < 1:
            tail = min(1.0, places * (1 - binomial_cdf(seen - 1, len(wrong), due)))
            if tail < p:
                best, p = (place, seen, due), tail
    place, seen, due = best
    if not due or seen < LEAN * due * len(wrong):
        return Diagnosis(cause="position_bias", strength="likely", facts=(), experiment=side.look(), p=1.0)
    picked = [one for one in _first(side) if one.picked is not None]
    every = sum(one.picked == place for one in picked)
    facts = (
        fact("position", place=place + 1, seen=seen, of=len(wrong), due=f"{due * len(wrong):.0f}"),
        fact("position_all", place=place + 1, n=every, of=len(picked)),
    )
    experiment = side.rerun("prompt: {options: {order: shuffled}}")
    return Diagnosis(
        cause="position_bias", strength="likely", facts=facts, experiment=experiment, p=p, share=seen / len(picked)
    )


def too_high(side: Side) -> Diagnosis | None:
    """A score that is surely very high: rare enough to look for a leak."""
    found = _first(side)
    if not found:
        return None
    n, right = len(found), sum(one.right for one in found)
    low = wilson(right, n).low
    if low <= TOP or any(one.outcome is Outcome.UNSCORED for one in side.answers):
        return None
    facts = (fact("too_high", n=n, score=points(right / n), low=points(low)),)
    return told(side, "too_high", (), facts, side.rerun("prompt: {edits: [shuffle_options]}"), strength="possible")
