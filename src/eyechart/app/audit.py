"""audit: many runs and logs in, what does not fit out. Calls no model, and writes nothing into what it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from eyechart.app.audit_claims import read_claimed
from eyechart.app.audit_logs import DAMAGE
from eyechart.app.audit_sources import Source, sources
from eyechart.app.paper import paper, write_paper
from eyechart.auditing.draw import drawn, turns
from eyechart.auditing.evidence import Dossier
from eyechart.auditing.examine import Audited, examine
from eyechart.auditing.said import Where, found
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.findings import Finding
from eyechart.core.registry import hint
from eyechart.data.claimed import Told
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.notebook import fragment
from eyechart.report.sections.audit import audit_part, title

COLUMNS = ("by", "item", "score", "gold", "metrics")
FEW = 200
"""Runs and logs up to which all are looked at, where no number is asked for."""


@dataclass(frozen=True, kw_only=True)
class Audit(Audited):
    """What an audit found, with its pictures."""

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be."""
        write_paper(Path(path), say(title(self), language), [audit_part(self)], language)
        return Path(path)

    def __str__(self) -> str:
        return say(self.verdict, "en")

    def _repr_html_(self) -> str:
        return fragment(paper(say(title(self), "en"), [audit_part(self)]))


def audit(
    *paths: Path | str,
    n: int | None = None,
    seed: int = 0,
    turn: int = 0,
    everything: bool = False,
    claims: Path | str | None = None,
    raw: Path | str | None = None,
    **columns: Any,
) -> Audit:
    """Every check of an audit over the run folders, logs and tables at and below `paths`.

    `n`: so many of them, drawn by `seed`; `turn` (from 0) walks on, and every one is drawn once before any is drawn
    again. Without `n` all are looked at, of more than 200 so many; `everything`: all, however many.
    `claims` and `raw`: a table of published numbers, and one of the scores they are made of. `columns` says what is what
    in them: `by`, a list of those that match the rows; `metrics`, a mapping of those of the claims to `accuracy`,
    `agreement`, `pass@k` or `pass^k`; `item`; `score`, a list of those of scores, or, with `gold`, of answers that are
    right where they equal it. What is not named is guessed, and said in `notes`.

    Raises InputError where a path is not there, or `claims` and `raw` do not fit. A file that is damaged is a finding.
    """
    if (claims is None) != (raw is None):
        raise InputError("claims and raw scores belong together: give --claims FILE and --raw FILE")
    if n is not None and n < 1:
        raise InputError(f"at least one run must be drawn, not {n}", field="--n")
    if turn < 0:
        raise InputError(f"turns count from 0, not {turn}", field="--turn")
    if not paths and claims is None:
        raise InputError("name a run folder, a log, a table, or a folder that holds some")
    notes: list[str] = []
    unreadable: list[Finding] = []
    dossiers: list[Dossier] = []
    known, skipped = sources([Path(path) for path in paths]) if paths else (list[Source](), list[str]())
    chosen, left = _chosen(known, None if everything else n or FEW, seed, turn)
    for source in chosen:
        dossiers += _read(source, unreadable, notes, skipped)
    if claims is not None and raw is not None:
        rows, wrong = read_claimed(Path(claims), Path(raw), _told(columns), notes)
        dossiers += rows
        unreadable += wrong
    made = examine(dossiers, unreadable)
    size = None if not left else (len(chosen), seed, turn, turns(len(known), n or FEW))
    made = replace(made, left_out=left, drawn=size, skipped=tuple(skipped), notes=tuple(notes))
    return Audit(**{one.name: getattr(made, one.name) for one in fields(made)})


def _told(columns: Mapping[str, Any]) -> Told:
    for name in columns:
        if name not in COLUMNS:
            raise InputError(f"there is no option {name}; {hint(name, COLUMNS)}")
    lists = {
        name: (value,) if isinstance(value := columns.get(name) or (), str) else tuple(value)
        for name in ("by", "score")
    }
    metrics: Mapping[str, str] = columns.get("metrics") or {}
    return Told(**lists, item=columns.get("item"), gold=columns.get("gold"), metrics=tuple(metrics.items()))


def _chosen(known: Sequence[Source], n: int | None, seed: int, turn: int) -> tuple[list[Source], tuple[str, ...]]:
    """The sources of this draw, and the names of the others."""
    if n is None or n >= len(known):
        return list(known), ()
    names = set(drawn([source.name for source in known], n, seed, turn))
    return [s for s in known if s.name in names], tuple(s.name for s in known if s.name not in names)


def _read(source: Source, unreadable: list[Finding], notes: list[str], skipped: list[str]) -> list[Dossier]:
    """The dossiers of a source; where it is damaged, what could be read of it and a finding."""
    out: list[Dossier] = []
    try:
        for dossier in source.read(unreadable, notes):
            out.append(dossier)  # noqa: PERF402 - those before a damaged one are kept
    except EyechartError as error:
        if source.sure:
            file = str(source.file)
            why = str(error).removeprefix(f"{file}: ")
            unreadable.append(found("unreadable", Where(source.name, file), {"why": why}, state="unknown"))
        else:
            skipped.append(f"{source.name} ({str(error).removeprefix(f'{source.file}: ')})")
    except DAMAGE as error:
        why = f"it is damaged ({type(error).__name__})"
        unreadable.append(found("unreadable", Where(source.name, str(source.file)), {"why": why}, state="unknown"))
    return out
