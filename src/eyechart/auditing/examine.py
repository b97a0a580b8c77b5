"""The audit: every rule over every dossier, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from eyechart.auditing import answers, boards, copies, items, labels, mixed, numbers, repeats
from eyechart.auditing.evidence import Dossier, Exhibit
from eyechart.auditing.repeats import RepeatsLooked
from eyechart.auditing.said import Where, found
from eyechart.core.findings import Finding, worst_first
from eyechart.core.words import Text, message


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """How much was looked at."""

    dossiers: int = 0
    evaluations: int = 0
    items: int = 0
    answers: int = 0
    claims: int = 0
    """Claimed numbers."""
    recomputed: int = 0
    """Of them, with the scores of their items at hand."""
    pairs: int = 0
    """Pairs of evaluations compared item by item."""
    repeats: RepeatsLooked = field(default_factory=RepeatsLooked)


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What an audit found."""

    findings: tuple[Finding, ...]
    """Broken and unknown ones, worst first; one `kept` for each dossier in which nothing was found."""
    looked: Looked
    names: tuple[str, ...]
    """Of the dossiers, in order."""
    left_out: tuple[str, ...] = ()
    """Runs that this draw did not look at."""
    drawn: tuple[int, int, int, int] | None = None
    """n, seed, turn and number of turns of a round; None: everything was looked at."""
    skipped: tuple[str, ...] = ()
    """Files that are no run, log or table."""
    notes: tuple[str, ...] = ()

    def of(self, name: str) -> tuple[Finding, ...]:
        """Findings of an id."""
        return tuple(one for one in self.findings if one.id == name)

    @property
    def errors(self) -> int:
        return sum(one.fails for one in self.findings)

    @property
    def warnings(self) -> int:
        return sum(one.state == "broken" and one.severity == "warning" for one in self.findings)

    @property
    def notes_left(self) -> int:
        return sum(one.state == "broken" and one.severity == "note" for one in self.findings)

    @property
    def verdict(self) -> Text:
        """One sentence."""
        shown = {"n": f"{self.looked.dossiers:,}", "errors": f"{self.errors:,}", "warnings": f"{self.warnings:,}",
                 "notes": f"{self.notes_left:,}"}  # fmt: skip
        if not self.looked.dossiers:
            return message("audit.verdict.nothing")
        if self.errors:
            return message("audit.verdict.errors", **shown)
        if self.warnings:
            return message("audit.verdict.warnings", **shown)
        return message("audit.verdict.clean", **shown)


def examine(dossiers: Sequence[Dossier], unreadable: Sequence[Finding] = ()) -> Audited:
    """All rules over all dossiers. `unreadable`: findings of files that could not be read."""
    out: list[Finding] = list(unreadable)
    models = {m for d in dossiers for m in [d.model, *(e.model for e in d.exhibits)] if m}
    tasks = {d.task for d in dossiers if d.task}
    for one in dossiers:
        out += _alone(one, models, tasks)
    among, pairs = copies.of_all(dossiers)
    out += among
    out += mixed.of_all(dossiers)
    out += items.of_all(dossiers)
    runs, looked = repeats.of_all(dossiers)
    out += runs
    dirty = [f.subject or "" for f in out if f.state == "broken" and f.severity != "note"]
    for one in dossiers:
        if not any(s == one.name or s.startswith((f"{one.name}#", f"{one.name}: ")) for s in dirty):
            out += _silent(one)
    exhibits = [e for d in dossiers for e in d.exhibits]
    beside = [c for e in exhibits for s in e.scores for c in s.claims]
    return Audited(
        findings=tuple(worst_first(out)),
        looked=Looked(
            dossiers=len(dossiers),
            evaluations=len(exhibits) + sum(len(d.rows) for d in dossiers),
            items=sum(e.n for e in exhibits),
            answers=sum(int(e.lost.answers) for e in exhibits),
            claims=len(beside) + sum(len(d.claims) + len(d.rows) for d in dossiers),
            recomputed=sum(map(_held, exhibits))
            + sum(len(d.claims) for d in dossiers if d.kind == "claims" and d.exhibits),
            pairs=pairs,
            repeats=looked,
        ),
        names=tuple(one.name for one in dossiers),
    )


def _silent(one: Dossier) -> Iterator[Finding]:
    """A dossier in which nothing was found: whether there was anything that could be."""
    held = sum(map(_held, one.exhibits)) or (one.kind == "claims" and one.exhibits)
    place = Where(one.name, one.file)
    if held:
        yield found("clean", place, severity="note", state="kept")
    elif one.rows:
        yield found("clean", place, how="board", severity="note", state="kept")
    elif one.kind != "claims":  # those without raw rows are told as such
        claims = sum(len(s.claims) for e in one.exhibits for s in e.scores) + len(one.claims)
        yield found("unheld", place, {"n": claims}, state="unknown")


def _held(one: Exhibit) -> int:
    """Claims that could be worked out again from the scores of items."""
    return sum(c.value is not None and c.mean and bool(s.has.any()) for s in one.scores for c in s.claims)


def _alone(one: Dossier, models: set[str], tasks: set[str]) -> Iterator[Finding]:
    for exhibit in one.exhibits:
        yield from numbers.of_exhibit(exhibit, one.file, exhibit.name)
    for claim in one.claims if one.kind != "claims" else ():  # those were held against their raw rows
        yield from numbers.alone(claim, Where(one.name, one.file, claim.line))
    yield from boards.of_board(one)
    yield from labels.of_labels(one, models, tasks)
    yield from answers.of_dossier(one)
    yield from items.of_dossier(one)
