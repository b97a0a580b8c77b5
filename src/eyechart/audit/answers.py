"""What came back, and how it was counted: failures, empty texts, refusals, one answer for everything."""

from __future__ import annotations

from collections.abc import Iterator

from eyechart.audit.evidence import Dossier, Exhibit
from eyechart.audit.said import Where, found, listed
from eyechart.core.findings import Finding

FEW = 3
SOME = 0.02
"""So many answers, and this share of them, are more than an accident."""
CUT = 0.10
CONSTANT = 20
"""Items from which one answer to all of them is worth a word."""


def of_dossier(dossier: Dossier) -> Iterator[Finding]:
    place = Where(dossier.name, dossier.file)
    if dossier.seal:
        yield found("seal.broken", place, {"n": len(dossier.seal), "names": listed(dossier.seal)})
    if dossier.missing or dossier.stopped:
        yield found(
            "run.unfinished", place, {"n": dossier.missing, "of": dossier.needed, "why": dossier.stopped or "-"}
        )
    if not dossier.complete:
        yield found("log.incomplete", place)
    for line in dossier.said:
        yield found("log.said", place, {"said": line})
    for one in dossier.exhibits:
        yield from _of_exhibit(one, dossier.file)


def _of_exhibit(one: Exhibit, file: str) -> Iterator[Finding]:
    lost, place = one.lost, Where(one.name, file)
    if lost.wrong_failed:
        yield found(
            "failures.wrong", place, {"n": lost.wrong_failed, "of": lost.answers, "ends": _ends(one, lost.wrong_failed)}
        )
    if lost.failed:
        few = lost.failed < SOME * lost.answers
        yield found("answers.failed", place, {"n": lost.failed, "of": lost.answers}, severity="note" if few else None)
    for name, n, share in (
        ("answers.empty", lost.wrong_empty, SOME),
        ("answers.refused", lost.wrong_refused, SOME),
        ("answers.cut", lost.wrong_cut, CUT),
    ):
        if n >= FEW and n >= share * lost.answers:
            yield found(name, place, {"n": n, "of": lost.answers, "ends": _ends(one, n)})
    if lost.cached:
        yield found("repeats.cached", place, {"n": lost.cached}, how="marked")
    if lost.again:
        yield found("answers.again", place, {"n": lost.again, "of": lost.answers})
    if one.constant is not None and one.n >= CONSTANT:
        yield found("answers.constant", place, {"said": one.constant, "n": one.n})
    if one.shots_from_test:
        shots = list(dict.fromkeys(shot for shot, _ in one.shots_from_test))
        asked = {of for _, of in one.shots_from_test}
        yield found("shots.test", place, {"n": len(shots), "names": listed(shots), "of": len(asked)})


def _ends(one: Exhibit, n: int) -> str:
    """The score with and without `n` answers that are counted as wrong."""
    if not one.scores:
        return "-"
    scores = one.scores[0]
    total, right = int(scores.scored.sum()), float(scores.values.sum())
    if not total > n:
        return "-"
    return f"{100 * right / total:.1f}, {100 * right / (total - n):.1f}"
