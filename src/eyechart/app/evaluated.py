"""The evaluation that a person points at: a set-up of a run, of a log, or a fingerprint file.

Heavy rooms are imported where they are needed: whoever asks only what an argument is pays for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.app.place import Place, place
from eyechart.core.errors import InputError

if TYPE_CHECKING:
    from eyechart.app.finished import Finished
    from eyechart.core.spec import Spec, StudySpec


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """One evaluation, run or not."""

    name: str
    """As it was given."""
    spec: Spec
    base: Path
    """Relative paths in `spec` start here."""
    study: StudySpec | None = None
    """The file it stands in; None for a set-up of a run."""
    run: Finished | None = None
    cell: int | None = None
    """Which set-up of `run` it is."""
    notes: tuple[str, ...] = ()

    @property
    def store(self) -> Path | None:
        """Where its answers are, if it was run."""
        return self.run.folder.store if self.run is not None else None


def evaluated(text: str) -> Evaluated:
    """The evaluation that `text` names. Calls no model.

    Raises InputError for what is not there, or is no run, no log and no fingerprint.
    """
    at = place(text)
    if at.kind == "run":
        return _of_run(at)
    from eyechart.app.study import load

    study = load(at.path)
    notes = (f"{text} is a study: its baseline is taken, and its factors are left alone",) if study.spec.factors else ()
    return Evaluated(name=text, spec=study.spec.spec, base=study.base, study=study.spec, notes=notes)


def _of_run(at: Place) -> Evaluated:
    from pydantic import ValidationError

    from eyechart.app.finished import finished
    from eyechart.app.folder import Folder
    from eyechart.core.spec import Spec

    run = finished(Folder(at.path))
    number, notes = which(at, [str(one["id"]) for one in run.facts["cells"]])
    try:
        spec = Spec.model_validate(run.facts["cells"][number]["stated"])
    except ValidationError:
        raise InputError(f"{at.path} was written by another version of eyechart; run the study again") from None
    notes = (*at.notes, *notes)
    return Evaluated(name=at.name, spec=spec, base=_base(spec, at.path), run=run, cell=number, notes=notes)


def which(at: Place, known: list[str]) -> tuple[int, tuple[str, ...]]:
    """The number of the set-up that is meant among those that are `known`, and what is to be said of it.

    Raises InputError for a set-up that is not there.
    """
    if at.cell is not None:
        if at.cell not in known:
            from eyechart.core.registry import hint

            raise InputError(f"{at.path} has no set-up {at.cell}; {hint(at.cell, known)}")
        return known.index(at.cell), ()
    if len(known) > 1:
        said = f"{at.name} holds {len(known)} set-ups: {known[0]}, its baseline, is taken; {at.name}#{known[1]} names another"
        return 0, (said,)
    return 0, ()


def _base(spec: Spec, folder: Path) -> Path:
    """Where the data of a run lies: here, or in a folder above the run; a run folder does not say it."""
    wanted = [p for p in (spec.dataset.path, *(spec.dataset.splits or {}).values()) if p and ":" not in p]
    for base in (Path(), *folder.resolve().parents):
        if all((base / p).exists() for p in wanted):
            return base
    return Path()
