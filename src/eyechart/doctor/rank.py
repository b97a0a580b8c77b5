"""All rules over a case: which causes were found, the heaviest evidence first.

Order: by strength (`proven`, `present`, `likely`, `possible`), then causes in which the fault itself is seen before fields that
merely differ, then by the share of verdicts that hang on it. Rules that test return their p whatever it is; Holm's
correction runs over all of them together, so that a clean run is called ill by a test in at most 1 % of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eyechart.core.records import Estimate
from eyechart.doctor import causes_data, causes_prompt, causes_reading, causes_sampling, causes_score
from eyechart.doctor.case import SOME, STRENGTHS, Case, Diagnosis, Side, fact
from eyechart.doctor.causes_pair import between
from eyechart.doctor.claims import Reproduced, reproduced
from eyechart.doctor.fields import Difference, moved_nothing
from eyechart.doctor.gap import Gap, gap_of
from eyechart.stats.multiple import holm
from eyechart.stats.paired import mcnemar_exact

ALPHA = 0.01
"""Level of all tests together."""
ZERO = 0.0005
"""Change of score that is 0.0 points."""
Rule = Callable[[Side], Diagnosis | None]

RULES: tuple[Rule, ...] = (
    causes_sampling.seed_shared,
    causes_sampling.seed_ignored,
    causes_sampling.sampling_unseeded,
    causes_sampling.temperature_inert,
    causes_sampling.repeats_copied,
    causes_sampling.runs_uneven,
    causes_sampling.unsteady,
    causes_prompt.template_twice,
    causes_prompt.template_foreign,
    causes_prompt.double_bos,
    causes_prompt.prompt_tail,
    causes_prompt.shot_overlap,
    causes_prompt.gold_in_prompt,
    causes_reading.truncated,
    causes_reading.context_full,
    causes_reading.reader_strict,
    causes_reading.reader_loose,
    causes_reading.unread,
    causes_reading.stop_cuts,
    causes_reading.empty,
    causes_reading.refusals,
    causes_reading.machine,
    causes_reading.parser_changed,
    causes_data.missing,
    causes_data.first_n,
    causes_data.duplicated,
    causes_data.contradicting,
    causes_data.served,
    causes_data.parameter_ignored,
    causes_score.at_chance,
    causes_score.below_chance,
    causes_score.position_bias,
    causes_score.too_high,
)
"""What can be seen in one evaluation. One line a cause; what takes two stands in `causes_pair`."""

PARTICULAR = {
    "reader_differs": ("reader_strict", "reader_loose", "format_missed"),
    "token_limit": ("truncated",),
    "stop_differs": ("stop_cuts",),
    "seed_scope": ("seed_shared",),
    "chat_template": ("template_twice", "template_foreign", "double_bos"),
    "decoding_differs": ("temperature_inert", "truncated"),
    "shots_drawn": ("shot_overlap",),
    "shots_pool": ("shot_overlap",),
    "shots_count": ("shot_overlap",),
    "instruction_extra": ("shot_overlap", "gold_in_prompt", "format_missed", "refusals", "template_twice",
                          "template_foreign", "truncated", "reader_strict"),
    "template_differs": ("prompt_tail", "gold_in_prompt", "double_bos", "shot_overlap", "template_twice",
                         "template_foreign", "format_missed"),
    "prompt_edited": ("prompt_tail", "double_bos", "template_twice"),
    "other_model": ("machine", "empty", "position_bias", "refusals", "template_foreign", "format_missed", "reader_strict",
                    "reader_loose", "truncated"),
    "backend": ("double_bos", "template_twice", "template_foreign", "truncated", "machine"),
    "option_order": ("position_bias",),
    "items_differ": ("missing_items", "duplicated_items", "contradicting_items"),
    "unsteady": ("truncated", "empty", "refusals", "format_missed", "template_foreign", "double_bos", "position_bias"),
    "seed_ignored": ("repeats_copied",),
}  # fmt: skip
"""A field that differs, and the faults in which it may show: where one of these is seen on one side only, it is the
cause, and the field stands in its evidence."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What the doctor found."""

    case: Case
    causes: tuple[Diagnosis, ...]
    """The likeliest first."""
    shared: tuple[Diagnosis, ...] = ()
    """Of two evaluations: faults that both have alike, which explain no difference."""
    gap: Gap | None = None
    claimed: tuple[Reproduced, ...] = ()
    """Ways of counting that give the number somebody claims."""
    tested: int = 0
    """Tests that were made, over which p was corrected."""
    differs: tuple[Difference, ...] = ()
    """Of two evaluations without a cause: fields of their effective fingerprints that differ all the same."""
    hidden: bool = False
    """Whether the digests of the two fingerprints differ and no stored field does: it is in the data or the shots."""

    @property
    def beyond(self) -> bool:
        """Whether the difference is more than noise; False where there is one evaluation."""
        return self.gap is not None and self.gap.beyond

    @property
    def change(self) -> Estimate | None:
        found = self.gap.change if self.gap else None
        return found if isinstance(found, Estimate) else None


def diagnose(case: Case, rules: Iterable[Rule] = RULES) -> Findings:
    """Look at `case` with every rule.

    >>> from eyechart.core.records import Outcome
    >>> from eyechart.doctor.case import Answer
    >>> blank = [Answer(item=f"q{i}", repeat=0, outcome=Outcome.UNPARSEABLE, value=0.0, text="") for i in range(9)]
    >>> right = [Answer(item=f"r{i}", repeat=0, outcome=Outcome.CORRECT, value=1.0, text="4") for i in range(9)]
    >>> [(d.cause, d.strength, d.share) for d in diagnose(Case(a=Side(name="a", answers=(*blank, *right)))).causes]
    [('empty', 'present', 0.5)]
    """
    found = {"a": _looked(case.a, rules), "b": _looked(case.b, rules) if case.b else []}
    gap = gap_of(case)
    if case.b is None or gap is None:
        kept, tested = _corrected(found["a"])
        return Findings(case=case, causes=_settled(kept, None), claimed=reproduced(case), tested=tested)
    apart, shared = _compared(case, found["a"], found["b"])
    kept, tested = _corrected([*apart, *between(case, gap)])
    causes = _settled(_particular(kept), gap)
    differs = () if causes else moved_nothing(case.a, case.b)
    return Findings(
        case=case,
        causes=causes,
        differs=differs,
        hidden=not causes and not differs and case.a.digest != case.b.digest,
        shared=_ranked(_corrected(shared)[0]),
        gap=gap,
        claimed=reproduced(case),
        tested=tested,
    )


def _settled(found: list[Diagnosis], gap: Gap | None) -> tuple[Diagnosis, ...]:
    """`proven` is kept for what is known to have moved the score: by reading again, or as all that differs where the
    change is more than noise. Of any other fact only that it is so is known."""
    return _ranked([_weighed(one, gap) for one in found])


def _weighed(one: Diagnosis, gap: Gap | None) -> Diagnosis:
    if one.only:
        return replace(one, strength="proven")
    moved = one.explains is not None and abs(one.explains) >= ZERO
    if one.strength == "proven" and moved:
        return one
    differs = one.where == "between" and one.cause in FIELDS
    within = gap is not None and not gap.beyond
    weighed = one
    if one.strength == "proven" or (differs and one.strength == "likely"):
        weighed = replace(one, strength=("possible" if within else "likely") if differs else "present")
    if within and not moved and not one.alone and (differs or one.strength == "proven"):
        weighed = replace(weighed, facts=(*one.facts, fact("not_moved")))
    return weighed


def _looked(side: Side, rules: Iterable[Rule]) -> list[Diagnosis]:
    return [found for rule in rules if (found := rule(side)) is not None] if side.answers else []


def _corrected(found: list[Diagnosis]) -> tuple[list[Diagnosis], int]:
    tests = [d for d in found if d.p is not None]
    adjusted = iter(holm([d.p or 0.0 for d in tests]).tolist())
    out = [replace(d, p=next(adjusted)) if d.p is not None else d for d in found]
    kept = [d for d in out if d.p is None or d.p < ALPHA]
    return [replace(d, p=None) if d.sifted else d for d in kept], len(tests)


def _ranked(found: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    return tuple(sorted(found, key=lambda d: (_weight(d), not d.alone, d.cause in FIELDS, -abs(d.share), d.cause)))


def _weight(one: Diagnosis) -> int:
    """What alone differs stands before faults that are no more than likely: it brought them."""
    return STRENGTHS.index("likely" if one.alone and one.strength == "possible" else one.strength)


FIELDS = frozenset((*PARTICULAR, "asked_differently", "normalize_differs", "precision", "batch", "harness_version",
                    "judge_changed", "data_version", "key_differs", "tasks_contradict", "at_chance", "below_chance", "too_high")) - {"items_differ", "first_n", "unsteady", "seed_ignored"}  # fmt: skip
"""Causes that say no more than that something differs, or what the score shows of itself."""


def _compared(case: Case, a: list[Diagnosis], b: list[Diagnosis]) -> tuple[list[Diagnosis], list[Diagnosis]]:
    """Faults of one side, or of one more than of the other; and those that both have alike."""
    mine, yours = ({d.cause: d for d in many} for many in (a, b))
    apart: list[Diagnosis] = []
    shared: list[Diagnosis] = []
    for cause in dict.fromkeys((*mine, *yours)):
        one, other = mine.get(cause), yours.get(cause)
        if cause == "at_chance" and None in (one, other) and "possible" in {d.strength for d in (one, other) if d}:
            continue  # a score that is not shown to be above guessing is a result, not what made it so
        if one is not None and other is not None and (one.p is None) == (other.p is None):
            # A rule that tests speaks on both sides; it finds something only where its p is small.
            sure = [d for d in (one, other) if d.p is None or d.p < ALPHA] or [
                min((one, other), key=lambda d: d.p or 0.0)
            ]
            one, other = (d if d in sure else None for d in (one, other))
        more = max((d for d in (one, other) if d is not None), key=lambda d: d.share)
        less = other if more is one else one
        where = "a" if more is one else "b"
        share = more.share - (less.share if less else 0.0)
        if less is not None and (share < SOME or more.p is not None):
            shared.append(replace(more, where="both"))
            continue
        p = more.p
        if more.hangs:
            only_more = len(more.hangs - (less.hangs if less else frozenset()))
            only_less = len(less.hangs - more.hangs) if less else 0
            uneven = mcnemar_exact(only_more, only_less)
            sifted = p is None
            p = uneven if p is None else max(p, uneven)
            more = replace(more, sifted=sifted)
            if p >= ALPHA and more.strength == "proven":
                more, p = replace(more, strength="possible"), None
        apart.append(replace(more, where=where, share=share, p=p))
    return apart, shared


def _particular(found: list[Diagnosis]) -> list[Diagnosis]:
    """Put fields that differ into the evidence of the fault they led to; several findings of one cause become one."""
    merged: dict[str, Diagnosis] = {}
    for one in found:
        known = merged.get(one.cause)
        merged[one.cause] = one if known is None else _joined(known, one)
    led: set[str] = set()  # a fault is led to by one field: another one that differs too stays a cause of its own
    for field, faults in PARTICULAR.items():
        seen = [merged[f] for f in faults if f in merged and f not in led]
        if field not in merged or not seen:
            continue
        best = max(seen, key=lambda d: (-STRENGTHS.index(d.strength), d.share))
        merged[best.cause] = replace(_joined(best, merged.pop(field)), strength=best.strength)
        led.add(best.cause)
    return list(merged.values())


def _joined(one: Diagnosis, other: Diagnosis) -> Diagnosis:
    return replace(
        one,
        strength=min((one.strength, other.strength), key=STRENGTHS.index),
        facts=(*one.facts, *(f for f in other.facts if f not in one.facts)),
        share=max(one.share, other.share),
        explains=one.explains if one.explains is not None else other.explains,
    )
