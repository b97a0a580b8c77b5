"""What an audit of a judge says, in sentences: which biases, how strongly, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eyechart.analysis.judged_pairs import Number
from eyechart.analysis.judgements import Effect
from eyechart.cli.output import points
from eyechart.core.records import Estimate

OPPOSITE = {
    "the first slot": "the second slot",
    "longer answers": "shorter answers",
    "higher grades than people's": "lower grades than people's",
    "a wider spread than people's": "a narrower spread than people's",
}
GIVEN = ("leniency", "compression")
"""Effects on grades as such, which favour no answer."""

OTHERWISE = "another verdict"
"""What asking in other words favours."""
MOST = 4
"""Things named in one sentence; more are counted."""


def sentence(effects: Sequence[Effect]) -> str:
    """What is biased, what is negligible, what cannot be told: one line.

    >>> from eyechart.core.records import NotEstimable
    >>> sentence([Effect(name="length", towards="the longer answer", value=NotEstimable(name="l", reason="no lengths"))])
    'Nothing can be told of this judge: no lengths.'
    """
    shown = led(effects)
    doubted = [favours(e) for e in shown if e.finding == "unsure"]
    biased = [e for e in shown if e.finding == "biased"]
    gives = [favours(e) for e in biased if e.name in GIVEN]
    moves = [thing(e) for e in biased if e.towards == OTHERWISE]
    prefers = [favours(e) for e in biased if e.name not in GIVEN and e.towards != OTHERWISE]
    groups = (("prefers", prefers), ("gives", gives), ("changes its verdict with", moves))
    said = [f"{verb} {joined(most(things))}" for verb, things in groups if things]
    first = f"This judge is biased: it {' and '.join(said)}." if said else ""
    if doubted:
        also = f"{'It also' if said else 'This judge'} prefers {joined(doubted)}"
        return f"{first} {also}: its favour or their quality, people's votes do not tell.".strip()
    if first:
        return first
    unsure = [thing(e) for e in effects if e.finding == "unsure"]
    negligible = [thing(e) for e in effects if e.finding == "negligible"]
    if negligible and not unsure:
        return f"No bias is found: {joined(negligible)} move{'s' * (len(negligible) == 1)} this judge by less than is of interest."
    if unsure:
        return f"No bias is shown, and these verdicts are too few to exclude one: {joined(unsure)}."
    reasons = dict.fromkeys(e.value.reason for e in effects if not isinstance(e.value, Estimate))
    return f"Nothing can be told of this judge: {'; '.join(reasons) or 'no effects'}."


def led(effects: Sequence[Effect]) -> list[Effect]:
    """What the first lines speak of: effects that are there, biased or perhaps quality; of models the most favoured."""
    found = [e for e in effects if e.finding == "biased" or _doubted(e)]
    return [e for e in found if not e.name.startswith("model ") or all(f.name != "own_model" for f in found)]


def _doubted(effect: Effect) -> bool:
    """Shown to be there, but perhaps quality."""
    i = effect.value.interval if isinstance(effect.value, Estimate) else None
    p = effect.p_adjusted
    return effect.finding == "unsure" and i is not None and p is not None and p <= 1 - i.level


def most(things: Sequence[str]) -> list[str]:
    """Each once, the first of them by name, the rest by number."""
    once = list(dict.fromkeys(things))
    return once if len(once) <= MOST + 1 else [*once[:MOST], f"{len(once) - MOST} more"]


def thing(effect: Effect) -> str:
    named = effect.name.startswith(("own_model", "model ")) or effect.name in GIVEN
    return effect.towards.partition(" (")[0] if named else effect.name.replace("_", " ")


def favours(effect: Effect) -> str:
    """What an effect favours, by its sign."""
    towards = effect.towards.replace("the longer answer", "longer answers")
    if not isinstance(effect.value, Estimate) or effect.value.value >= 0:
        return towards
    return OPPOSITE.get(towards) or f"others over {towards.partition(' (')[0]}"


def joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def strength(effects: Sequence[Effect]) -> Iterator[str]:
    """How strongly, in points and log-odds; then what is too small to matter and what is not known."""
    found = [e for e in led(effects) if isinstance(e.value, Estimate)]
    if found:
        yield f"How strongly, in points: {'; '.join(most([_strong(e) for e in found]))}."


def rest(effects: Sequence[Effect]) -> Iterator[str]:
    biased = any(e.finding == "biased" for e in effects)
    negligible = [thing(e) for e in effects if e.finding == "negligible"]
    if negligible and biased:
        yield f"Negligible, within +-{points(effects[0].tolerance)} points: {joined(negligible)}."
    unsure = [e for e in effects if e.finding == "unsure"]
    if unsure:
        yield f"Not known yet: {joined([thing(e) + _enough(e) for e in unsure])}."
    unknown = [e for e in effects if e.finding == "unknown"]
    if unknown:
        yield f"Cannot be told here: {joined([f'{thing(e)} ({_why(e)})' for e in unknown])}."


def _why(effect: Effect) -> str:
    return effect.value.reason if not isinstance(effect.value, Estimate) else "; ".join(effect.notes)


def _enough(effect: Effect) -> str:
    seen = effect.value.n if isinstance(effect.value, Estimate) else 0
    return f" (about {effect.needed:,} would tell)" if isinstance(effect.needed, int) and effect.needed > seen else ""


def _strong(effect: Effect) -> str:
    shown = effect.unit.partition(" (")[0] or effect.towards
    odds = effect.log_odds
    extra = f"; log-odds {odds.value:+.2f}" if isinstance(odds, Estimate) else ""
    return f"{shown} {signed(effect.value, extra)}"


def signed(number: Number, extra: str = "") -> str:
    if not isinstance(number, Estimate):
        return "–"
    i = number.interval
    ends = f"{i.level:.0%}: {points(i.low, signed=True)} to {points(i.high, signed=True)}" if i else ""
    inside = f"{ends}{extra}" if ends else extra.removeprefix("; ")
    return points(number.value, signed=True) + (f" ({inside})" if inside else "")


def plain(number: Number) -> str:
    if not isinstance(number, Estimate):
        return f"– ({number.reason})"
    i = number.interval
    return points(number.value) + (f" ({points(i.low)} to {points(i.high)})" if i else "")
