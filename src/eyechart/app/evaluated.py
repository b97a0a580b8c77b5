"""What a person points at where a command takes A, B or RUN: a run folder, `RUN#cell`, or a fingerprint file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.study import load
from eyechart.core.errors import InputError
from eyechart.core.registry import hint
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

    Raises InputError for what is not there, or is no run and no fingerprint.
    """
    plain = Path(text)
    if text != "-" and not plain.exists():
        folder, mark, cell = text.rpartition("#")
        if mark and Path(folder).is_dir():
            return _of_run(text, Path(folder), cell)
        raise InputError(f"there is no run folder, fingerprint or RUN#cell {text}")
    if plain.is_dir():
        return _of_run(text, plain, None)
    study = load(plain)
    notes = (f"{text} is a study: its baseline is taken, and its factors are left alone",) if study.spec.factors else ()
    return Evaluated(name=text, spec=study.spec.spec, base=study.base, study=study.spec, notes=notes)


def _of_run(name: str, path: Path, cell: str | None) -> Evaluated:
    run = finished(Folder(path))
    known = [str(one["id"]) for one in run.facts["cells"]]
    notes: tuple[str, ...] = ()
    if cell is None and len(known) > 1:
        notes = (
            f"{name} holds {len(known)} set-ups: {known[0]}, its baseline, is taken; {name}#{known[1]} names another",
        )
    if cell is not None and cell not in known:
        raise InputError(f"{path} has no set-up {cell}; {hint(cell, known)}")
    at = 0 if cell is None else known.index(cell)
    try:
        spec = Spec.model_validate(run.facts["cells"][at]["stated"])
    except ValidationError:
        raise InputError(f"{path} was written by another version of eyechart; run the study again") from None
    return Evaluated(name=name, spec=spec, base=_base(spec, path), run=run, cell=at, notes=notes)


def _base(spec: Spec, folder: Path) -> Path:
    """Where the data of a run lies: here, or in a folder above the run; a run folder does not say it."""
    wanted = [p for p in (spec.dataset.path, *(spec.dataset.splits or {}).values()) if p and ":" not in p]
    for base in (Path(), *folder.resolve().parents):
        if all((base / p).exists() for p in wanted):
            return base
    return Path()
