"""doubts: where two graders disagree about the same outputs, the most suspicious verdicts first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.app.grade import Graded
from eyechart.app.lines import Line, Unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One output about which two graders disagree."""

    mine: Graded
    theirs: Graded
    output: str
    gold: str
    suspicion: int
    """Higher is worse; only for the order."""
    why: str


def doubts(given: Sequence[Line | Unusable], mine: Sequence[Graded], theirs: Sequence[Graded]) -> list[Doubt]:
    """The lines on which the verdicts differ; those that a grader cannot grade at all say nothing of the other.

    First those where one grader accepts what the other calls wrong, since one of them must be mistaken
    about the model; then those where one accepts what the other cannot read; then the rest. Within each,
    the answers that hold the gold text and were not accepted come first, and longer outputs later: they
    take longer to look at.
    """
    out: list[Doubt] = []
    for line, one, other in zip(given, mine, theirs, strict=True):
        if not isinstance(line, Line) or one.verdict == other.verdict or None in (one.verdict, other.verdict):
            continue
        text = line.response.text or ""
        at = line.item.gold_index
        label = f"{line.labels[at]} = " if at is not None and at < len(line.labels) else ""
        gold = label + " | ".join(line.item.gold)
        verdicts = {one.verdict, other.verdict}
        accepted = "correct" in verdicts
        level = 3 if verdicts == {"correct", "incorrect"} else 2 if accepted else 1
        held = accepted and any(g.strip() and g.strip().lower() in text.lower() for g in line.item.gold)
        out.append(
            Doubt(
                mine=one,
                theirs=other,
                output=text,
                gold=gold,
                suspicion=level * 2 + held,
                why=_why(one, other, held),
            )
        )
    return sorted(out, key=lambda d: (-d.suspicion, len(d.output)))


def _why(one: Graded, other: Graded, held: bool) -> str:
    if one.extracted != other.extracted:
        return f"one read {_shown(one)}, the other {_shown(other)}" + (
            "; the gold text stands in the output" if held else ""
        )
    return f"both read {_shown(one)}, and compare it differently"


def _shown(graded: Graded) -> str:
    return "nothing" if graded.extracted is None else repr(graded.extracted[:40])
