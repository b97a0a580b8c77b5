"""verify: a third party, with a run folder alone, works every number out again and checks every digest.

Nothing is asked of any model, and nothing of the study's author is run unless `run_code` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from eyechart.app import harness_verify as harness
from eyechart.app import verify_claims as claims
from eyechart.app import verify_imported as imported
from eyechart.app import verify_scores as scores
from eyechart.app import verify_store as stored
from eyechart.app.folder import Folder
from eyechart.app.harness_facts import made_by_harness
from eyechart.app.seal import read_seal
from eyechart.app.signing import signature
from eyechart.app.verify_case import DAMAGE, Case, Check, examined, said
from eyechart.app.verify_versions import beyond, excused, untold
from eyechart.core.findings import Finding, counted, worst_first
from eyechart.core.identity import short
from eyechart.report.checks import SIGNS

OWN = (
    claims.STUDY, claims.COMPLETE, claims.ENGINES, claims.CELLS, claims.ITEMS, claims.REQUESTS, scores.ANSWERS,
    scores.SCORES, scores.COUNTS, claims.CERTIFICATES, scores.REPORT, scores.PAGE,
)  # fmt: skip
"""Of a run of ours, in the order in which one rests on the other."""
ALONE = (
    (("seal", "resealed"), "its seal"), (("store_tables", "store_digests"), "the digests of its answers"),
    (("items",), "its items"), (("scores",), "its scores, which follow from log-probabilities"),
    (("claims",), "that the numbers the log claims are the means of these scores"),
    (("report", "page"), "its report"),
)  # fmt: skip
"""What can be told of an imported run by its folder alone, in words."""
NEEDS_GRID = frozenset(("set_ups", "items", "requests", "answers", "scores", "counts"))


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What checking a run folder found."""

    path: Path
    findings: tuple[Finding, ...]
    root: str | None
    """Of the seal: publish it, and anybody can tell whether they hold the same folder. None without a seal."""
    effective: str | None
    """Effective digest of the baseline, as run.json says it."""
    imported: bool = False
    """Whether it was made from the log of another harness, whose answers and scores it takes over."""

    @property
    def code(self) -> str:
        """`verified`, `broken`, or `partly`: nothing is wrong, and something cannot be told. `cannot_tell`: another
        version of eyechart is said to have made it, and this one comes to something else; or there is no seal, so
        that any file may have been changed."""
        counts = counted(f for f in self.findings if f.severity == "error")
        if counts["broken"]:
            return "broken"
        if untold(self.findings) or self.root is None:
            return "cannot_tell"
        return "partly" if counts["unknown"] else "verified"

    @property
    def sentence(self) -> str:
        """The one line that a reviewer reads."""
        of, counts = len(self.findings), counted(self.findings)
        if self.code == "broken":
            first = next(f for f in worst_first(self.findings) if f.fails)
            return f"{self.path} does not hold: {counts['broken']} of {of} checks fail. First: {first.evidence}."
        if (one := untold(self.findings)) is not None:
            return f"It cannot be told whether {self.path} holds. {beyond(self.findings)}: {one.id}, {one.evidence}."
        if self.root is None:
            kept = len({f.id for f in self.findings if f.state == "kept"})
            return (
                f"It cannot be told whether {self.path} is as it was written: there is no seal.json. What could be "
                f"checked without it fits together ({kept} checks), as it would if a forger had written all of it."
            )
        source = next((f.state for f in self.findings if f.id == "source"), None) if self.imported else None
        if self.code == "partly" and source == "unknown":
            return self._alone()
        if self.code == "partly":
            first = next(f for f in self.findings if f.state == "unknown" and f.severity == "error")
            return (
                f"Nothing in {self.path} is wrong as far as it can be told, but {counts['unknown']} of {of} checks "
                f"cannot be made: {first.evidence}."
            )
        root = f" Seal {short(self.root)}."
        if source == "kept":
            return (
                f"{self.path} holds: its log, imported again, gives the same items, answers and scores "
                f"({counts['kept']} checks).{root}"
            )
        return f"{self.path} holds: every number follows from its stored answers ({counts['kept']} checks).{root}"

    def _alone(self) -> str:
        """Of an imported run without its log: what was checked, and what was not."""
        unknown = {f.id for f in self.findings if f.state == "unknown" and f.severity == "error"}
        kept = {f.id for f in self.findings if f.state == "kept"} - unknown
        parts = [words for ids, words in ALONE if kept.issuperset(ids)]
        checked = ", ".join(parts[:-1]) + (" and " if parts[1:] else "") + parts[-1] if parts else "nothing"
        more = f"; {len(rest)} other checks cannot be made" if (rest := unknown - {"source", "scores"}) else ""
        return (
            f"{self.path} was imported, and the log it was made from is not here. Checked and right: {checked}. Not "
            f"checked: that answers and scores are those of the log, which eyechart verify {self.path} --source LOG "
            f"does{more}."
        )

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{SIGNS[f.state]} {escape(str(f.evidence))}</li>" for f in worst_first(self.findings))
        return f"<p>{escape(self.sentence)}</p><ul>{rows}</ul>"


def verify(
    path: Path | str,
    *,
    public_key: Path | str | None = None,
    source: Sequence[Path | str] = (),
    run_code: bool = False,
    allow_weak_sandbox: bool = False,
) -> Verified:
    """Work out again everything that the run in folder `path` claims. Writes nothing into it.

    `public_key`: of whoever is to have signed it (minisign), as a file or as its text. `source`: files or folders
    where the logs of an imported run are. `run_code`: run generated programs in the sandbox, and the scoring function
    of the study as it is.

    Raises InputError where there is no folder, or the key is none.
    """
    given = Path(path)
    found: list[Finding] = []
    with examined(given) as copy:
        case = Case(given, copy, run_code, tuple(map(Path, source)), allow_weak_sandbox)
        found += [finding for check in stored.CHECKS for finding in check(case)]
        if public_key is not None:
            found += signature(given, public_key)
        found += excused(case, _contents(case))
        root, effective = _identity(copy)
        foreign = _foreign(case)
    return Verified(path=given, findings=tuple(found), root=root, effective=effective, imported=foreign)


def _contents(case: Case) -> list[Finding]:
    try:
        by_harness = made_by_harness(case.facts)
        checks = harness.CHECKS if by_harness else imported.CHECKS if case.imported else OWN
    except DAMAGE as error:
        return [_READABLE.broken(said(error), file="run.json")]
    refused = _no_grid(case) if checks is OWN else None
    out: list[Finding] = []
    for check in checks:
        if refused is None or check.id not in NEEDS_GRID:
            out += check(case)
    return out if refused is None else [*out, refused]


def _no_grid(case: Case) -> Finding | None:
    """What keeps the requests from being written again: told once, in place of every check that rests on them."""
    try:
        _ = case.grid
    except DAMAGE as error:
        file = getattr(error, "file", None)
        if file == "inputs.json" and not (case.copy.path / file).exists():
            seal = read_seal(case.copy.path)
            if seal is None or file not in seal.files:
                return _LAID.unknown(
                    said(error), remedy="run the study again with this eyechart; its answers are taken from the store"
                )
        return _LAID.broken(said(error), file=file, line=getattr(error, "line", None))
    return None


def _foreign(case: Case) -> bool:
    try:
        return case.imported and not made_by_harness(case.facts)
    except DAMAGE:
        return False


def _identity(copy: Folder) -> tuple[str | None, str | None]:
    try:
        seal = read_seal(copy.path)
        effective = copy.read_json("run.json")["digests"]["effective"]
    except DAMAGE:
        return None, None
    return (seal.root if seal else None), effective


_READABLE = Check("readable", "The folder is a run.", lambda case, check: ())
_LAID = Check("laid_out", "Study, items and shots of the folder make its requests.", lambda case, check: ())
