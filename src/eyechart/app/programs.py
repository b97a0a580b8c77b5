"""programs: generated code, run in the sandbox, and what its tests say."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.core.errors import InputError
from eyechart.core.records import Extraction, Item, Score


def ensure_sandbox(*, weak: bool = False) -> None:
    """Raises InputError where programs could not be run, before a model is asked for any."""
    from eyechart.sandbox.isolation import isolation, refusal

    kind = isolation().kind
    if kind == "none" or (kind == "weak" and not weak):
        raise InputError(refusal())


def settled(programs: Sequence[tuple[Extraction, Item]], *, weak: bool = False) -> list[Score]:
    """The score of each program under the tests that are its item's gold answer; equal pairs run once.

    Unscored, with what to do, where this machine cannot isolate a program and `weak` does not allow that.
    """
    if not programs:
        return []
    from eyechart.sandbox.grade import grade_programs

    pairs = [(found.value or "", "\n".join(item.gold)) for found, item in programs]
    distinct = list(dict.fromkeys(pairs))
    scores = dict(zip(distinct, grade_programs(distinct, weak=weak), strict=True))
    return [scores[pair] for pair in pairs]
