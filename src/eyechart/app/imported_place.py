"""import: the folder that a run goes to. What another log made is never written over, and no run goes into another."""

from __future__ import annotations

from pathlib import Path

from eyechart.app.folder import Folder, safe_name
from eyechart.app.imported_rows import described
from eyechart.core.errors import EyechartError, InputError
from eyechart.logs.values import Foreign


def free(base: Path, foreign: Foreign, taken: set[Path]) -> Folder:
    """A folder named after task and model that is free, or holds this very log from an earlier import."""
    parts = (foreign.task, (foreign.model or "unknown-model").rpartition("/")[2])
    name = safe_name("-".join(parts))
    number = 1
    while True:
        folder = Folder(base / (name if number == 1 else f"{name}-{number}"))
        if folder.path not in taken and (not folder.path.exists() or _holds(folder, foreign)):
            return folder
        number += 1


def own(base: Path, foreign: Foreign) -> Folder:
    """The folder that was named, for a log of one run: new, empty, or made from this very log before."""
    folder = Folder(base)
    if _used(base) and not _holds(folder, foreign):
        raise InputError(f"{base} holds {_what(base)}, and not this log; name another folder with --out")
    return folder


def outside(base: Path, *, within: bool) -> None:
    """No run goes into another one. `within`: whether folders are made below `base`, or it is the folder itself."""
    for place in (base, *base.resolve().parents)[0 if within else 1 :]:
        if (place / "run.json").exists() and (place / "observations.npz").exists():
            raise InputError(f"{place} is a run, and other runs cannot go into it; name another folder with --out")


def _used(path: Path) -> bool:
    """Whether something is there that would be lost."""
    return path.exists() and (not path.is_dir() or any(path.iterdir()))


def _what(path: Path) -> str:
    if (path / "source" / "log.json").exists():
        return "the run of another log"
    return "another run" if (path / "run.json").exists() else "something else"


def _holds(folder: Folder, foreign: Foreign) -> bool:
    """Whether an import of this very log made the run in the folder; one that a harness made here is none of it."""
    try:
        if "procedure" in folder.read_json("run.json"):
            return False
        kept = Folder(folder.path / "source").read_json("log.json")
        same = (kept["task"], kept["model"]) == (foreign.task, foreign.model)
        return same and kept["files"] == [described(path) for path in foreign.files]
    except (EyechartError, KeyError, TypeError, OSError):
        return False
