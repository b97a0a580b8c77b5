"""What a person points at where a command takes A, B or RUN: a run folder, a log, `RUN#cell`, or a fingerprint file.

Heavy rooms are imported where they are needed: whoever asks only what an argument is pays for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eyechart.app.pointed import existing
from eyechart.core.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an argument points."""

    name: str
    """As it was given."""
    kind: Literal["run", "fingerprint"]
    path: Path
    """The run folder (of a log a temporary one), or the file; `-` is standard input."""
    cell: str | None = None
    log: bool = False
    notes: tuple[str, ...] = ()


def place(text: str) -> Place:
    """What `text` names, and where it is. A log is read; nothing else is.

    `LOG#name` names one of several runs of a log, `LOG#c001` another reading of its only one.

    Raises InputError for what is not there, or for a log that cannot be read or holds several runs.
    """
    plain, cell = Path(text), None
    if text != "-" and existing(text) is None:
        head, mark, cell = text.rpartition("#")
        plain = Path(head)
        if not mark or not head or existing(head) is None:
            raise InputError(f"there is no run folder, fingerprint or RUN#cell {text}, and no log of that name")
    if plain.is_dir() and (plain / "run.json").is_file():
        return Place(name=text, kind="run", path=plain, cell=cell)
    if text != "-" and _log(plain):
        from eyechart.app.logged import read_log

        set_up = cell is not None and cell[:1] == "c" and cell[1:].isdigit()
        found = read_log(plain, None if set_up else cell)
        return Place(
            name=text, kind="run", path=found.folder, cell=cell if set_up else None, log=True, notes=(found.note,)
        )
    if plain.is_dir():
        return Place(name=text, kind="run", path=plain, cell=cell)  # whoever opens it says what is missing
    if cell is not None:
        raise InputError(f"{plain} is a file and holds no set-ups; only RUN#cell names one")
    return Place(name=text, kind="fingerprint", path=plain)


def _log(path: Path) -> bool:
    if path.suffix in (".yaml", ".yml"):  # before anything is imported: a fingerprint, in nearly all cases
        return False
    from eyechart.app.logged import is_log

    return is_log(path)


def as_run(text: Path | str) -> str:
    """`text` where a command takes RUN: a log becomes the folder of the run in it (`#cell` kept); all else is left as
    it is.

    >>> as_run("eyechart-runs/study#c001")
    'eyechart-runs/study#c001'
    """
    text = str(text)
    if text == "-":
        return text
    head = text if existing(text) is not None else text.rpartition("#")[0]
    if not head or existing(head) is None or (Path(head) / "run.json").is_file() or not _log(Path(head)):
        return text
    found = place(text)
    return str(found.path) if found.cell is None else f"{found.path}#{found.cell}"


def split_cell(text: Path | str) -> tuple[Path, str | None]:
    """The folder of `RUN#cell`, and its set-up; None where none is named. A folder may have a # in its name.

    >>> split_cell("eyechart-runs/study")[1] is None, split_cell("not/there#c001")[1] is None
    (True, True)
    """
    head, mark, cell = str(text).rpartition("#")
    if mark and head and cell and existing(text) is None and (Path(head) / "run.json").is_file():
        return Path(head), cell
    return Path(text), None
