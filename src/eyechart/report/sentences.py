"""The answer in three plain sentences: how far, what moved it most, how sure.

They are worked out from the analysis alone, so that a terminal, a web page and a report say the same.
A score is called unmoved nowhere: where nothing stands out of the noise, that is what is said.
"""

from __future__ import annotations

from eyechart.analysis.results import Analysis, CellScore, Range
from eyechart.report import numbers
from eyechart.report.blocks import Message, Text, Tone, message
from eyechart.report.common import baseline_of, counted, flagged, reason_for, setup


def tone_of(analysis: Analysis) -> Tone:
    """`moves` where a level stands out of the noise; `quiet` where one could have and none does."""
    if flagged(analysis):
        return "moves"
    tested = any(not e.baseline and numbers.finite(e.p_corrected) for e in analysis.heat)
    return "quiet" if tested else "unknown"


def plain_sentences(analysis: Analysis) -> tuple[Text, Text, Text]:
    """Range, mover, certainty.

    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> [text.key for text in plain_sentences(nothing)]
    ['sentence.range.none', 'sentence.mover.unknown', 'sentence.sure.none']
    """
    return _range(analysis), _mover(analysis), _sure(analysis)


def goal_sentence(goal: str | None, analysis: Analysis) -> Text | None:
    """What the study was for, and what its numbers say of that; None where it stated no goal.

    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> goal_sentence("ceiling", nothing).key, goal_sentence(None, nothing)
    ('goal.ceiling.none', None)
    """
    if goal not in ("ceiling", "production", "sensitivity"):
        return None
    spread = analysis.range
    if goal == "production":
        return _seen(analysis)
    if spread is None or spread.cells < 2 or not (numbers.finite(spread.low) and numbers.finite(spread.high)):
        return message("goal.ceiling.none" if goal == "ceiling" else "goal.sensitivity.none")
    known = {"n": counted("count.setups", spread.cells), "high": numbers.points(spread.high)}
    if goal == "ceiling":
        best = next((score for score in analysis.scores if score.cell == spread.high_cell), None)
        name = setup(best, baseline_of(analysis)) if best is not None else spread.high_cell
        known["name"] = name
        interval = numbers.interval_of(best.new_items) if best is not None else None
        if interval is None:
            return message("goal.ceiling", **known)
        return message("goal.ceiling.interval", interval=numbers.ends(interval), **known)
    wide = {"width": numbers.points(spread.high - spread.low), "n": known["n"]}
    apart = beyond_luck(spread)
    if apart is None or spread.luck is None:
        return message("goal.sensitivity.no_luck", **wide)
    luck = numbers.points(spread.luck)
    if apart:
        return message("goal.sensitivity.beyond", luck=luck, **wide)
    return message("goal.sensitivity.within", luck=luck, **wide)


def _seen(analysis: Analysis) -> Message:
    """What users of the deployed set-up, the baseline, would see."""
    score = baseline_of(analysis)
    value = baseline_value(score)
    if score is None or value is None:
        return message("goal.production.none")
    said = {"score": numbers.points(value), "level": numbers.percent(analysis.level)}
    fresh = numbers.interval_of(score.new_items)
    if fresh is None:
        return message("goal.production.no_interval", score=said["score"])
    return message("goal.production", interval=numbers.ends(fresh), **said)


def _range(analysis: Analysis) -> Message:
    spread = analysis.range
    if spread is None or not (numbers.finite(spread.low) and numbers.finite(spread.high)):
        alone = baseline_value(analysis.scores[0]) if len(analysis.scores) == 1 else None
        if alone is not None:
            return message("sentence.range.one", score=numbers.points(alone))
        return message("sentence.range.none")
    if spread.cells < 2:
        return message("sentence.range.one", score=numbers.points(spread.low))
    wide = {
        "n": counted("count.setups", spread.cells),
        "low": numbers.points(spread.low),
        "high": numbers.points(spread.high),
        "width": numbers.points(spread.high - spread.low),
    }
    if not numbers.finite(spread.luck):
        return message("sentence.range.no_luck", **wide)
    return message("sentence.range.luck", luck=numbers.points(spread.luck), **wide)


def _mover(analysis: Analysis) -> Message:
    moved = flagged(analysis)
    if not moved:
        if tone_of(analysis) != "quiet":
            return message("sentence.mover.unknown")
        return message("sentence.mover." + ("apart" if beyond_luck(analysis.range) else "none"))
    most = moved[0]
    change = numbers.known(most.change)
    interval = numbers.interval_of(most.change)
    known = {
        "factor": most.factor,
        "level": most.level,
        "change": numbers.signed(change.value if change else 0.0),
    }
    if interval is not None:
        text = numbers.ends(interval, change=True)
        known_text = message("sentence.mover.interval", interval=text, **known)
    else:
        known_text = message("sentence.mover.plain", **known)
    if len(moved) == 1:
        return known_text
    return message("sentence.mover.more", first=known_text, others=counted("count.more_levels", len(moved) - 1))


def _sure(analysis: Analysis) -> Message:
    score = baseline_of(analysis)
    value = baseline_value(score)
    if score is None or value is None:
        return message("sentence.sure.none")
    again, fresh = numbers.interval_of(score.repeat_it), numbers.interval_of(score.new_items)
    said = {"score": numbers.points(value), "level": numbers.percent(analysis.level)}
    if again and fresh:
        return message("sentence.sure.both", again=numbers.ends(again), fresh=numbers.ends(fresh), **said)
    if fresh:
        reason = reason_for(score.repeat_it)
        return message("sentence.sure.items", fresh=numbers.ends(fresh), reason=reason, **said)
    if again:
        reason = reason_for(score.new_items)
        return message("sentence.sure.again", again=numbers.ends(again), reason=reason, **said)
    return message("sentence.sure.neither", **said)


def baseline_value(score: CellScore | None) -> float | None:
    """The score of a set-up, from whichever of its two estimates is there."""
    if score is None:
        return None
    for number in (score.new_items, score.repeat_it):
        estimate = numbers.known(number)
        if estimate:
            return estimate.value
    runs = [run for run in score.runs if numbers.finite(run)]
    return sum(runs) / len(runs) if runs else None


def beyond_luck(spread: Range | None) -> bool | None:
    """Whether the range is wider than noise alone would give; None where that is not known."""
    if spread is None or not numbers.finite(spread.luck) or not numbers.finite(spread.high - spread.low):
        return None
    return spread.high - spread.low > spread.luck
