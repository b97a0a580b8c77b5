"""verify: a folder that another version of eyechart wrote.

Seal, store and what is listed by its digest do not hang on a version. What is worked out again does: this version may
read an answer, or say a sentence, otherwise. A difference there is no proof of tampering, and none of the contrary: anybody
can write another version into a run.json. So it is `unknown`, the whole is never said to hold, and what was verified is
named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eyechart.app.verify_case import DAMAGE, Case
from eyechart.core.findings import Finding
from eyechart.version import __version__

WORKED_OUT = frozenset((
    "readable", "laid_out", "set_ups", "requests", "answers", "scores", "counts", "certificates", "source", "claims",
    "report", "page",
))  # fmt: skip
"""Checks whose outcome rests on how a version writes requests, reads answers, and words a report."""
OF_STUDY = frozenset(("study", "complete", "items"))
"""And these, where this version cannot read the study at all: it may have fields that came later."""
BEYOND = (("seal", "its seal"), ("store_digests", "the digests of its store"), ("scores", "its scores"))


def excused(case: Case, found: Sequence[Finding]) -> Iterator[Finding]:
    """`found` as it is; what is broken and may be so by another version is unknown, one finding a check.

    The first difference of each check is named, with the number of the others.
    """
    version = case.other_version
    if version is None:
        yield from found
        return
    checks = WORKED_OUT if _readable(case) else WORKED_OUT | OF_STUDY
    told: set[str] = set()
    for one in found:
        # Requests that cannot be laid out leave every score unchecked: that too hangs on the version.
        if one.id not in checks or not (one.fails or (one.id == "laid_out" and one.state == "unknown")):
            yield one
        elif one.id not in told:
            told.add(one.id)
            more = sum(other.fails and other.id == one.id for other in found) - 1
            and_more = f" (and {more:,} more)" if more > 0 else ""
            yield replace(
                one,
                state="unknown",
                evidence=f"made by version {version}, this is {__version__}: {one.evidence}{and_more}",
                remedy=f"install eyechart {version}, and verify the folder with it",
            )


def _readable(case: Case) -> bool:
    try:
        _ = case.study
    except DAMAGE:
        return False
    return True


def untold(found: Sequence[Finding]) -> Finding | None:
    """The first finding that hangs on the version; None where there is none."""
    return next((f for f in found if f.state == "unknown" and str(f.evidence).startswith("made by version ")), None)


def beyond(found: Sequence[Finding]) -> str:
    """What was verified, as the sentence says it: `Nothing is verified beyond its seal and the digests of its store`."""
    states: dict[str, set[str]] = {}
    for one in found:
        states.setdefault(one.id, set()).add(one.state)
    kept = [name for id_, name in BEYOND if states.get(id_) == {"kept"}]
    if not kept:
        return "Nothing is verified"
    return "Nothing is verified beyond " + (", ".join(kept[:-1]) + " and " if kept[1:] else "") + kept[-1]
