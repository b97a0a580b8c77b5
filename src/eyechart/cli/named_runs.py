"""What commands on several runs have in common: fields named in an option, and the word on runs whose seal does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eyechart.app.finished import doubt_of
from eyechart.app.folder import Folder
from eyechart.app.place import as_run, split_cell
from eyechart.app.setups import runs_in
from eyechart.cli.columns import split
from eyechart.core.errors import InputError
from eyechart.core.factors import field_names
from eyechart.core.registry import hint

BESIDE = ("engine", "hardware", "dataset", "judge", "evaluation.judge")
"""Parts whose fields stand in what took effect, and not all in what is stated."""


def fields(named: Sequence[str], option: str = "--contestant") -> tuple[str, ...]:
    """Fields of an option that may be given several times, with commas or without.

    Raises InputError for what is no field, with the nearest right name.

    >>> fields(("model.dtype, model.threads", "engine.version"))
    ('model.dtype', 'model.threads', 'engine.version')
    """
    found = tuple(dict.fromkeys(name for text in named for name in split(text)))
    known = field_names()
    # A plug-in has parts of its own: evaluation.extraction.regex.
    open_ended = [name for name in known if not any(other.startswith(f"{name}.") for other in known)]
    for name in found:
        if name not in known and not name.startswith(tuple(f"{part}." for part in (*open_ended, *BESIDE))):
            raise InputError(f"there is no field {name}; {hint(name, known)}", field=option)
    return found


def doubts(runs: Sequence[str]) -> list[str]:
    """What is to be said first of runs whose numbers are not as they were sealed, once a run. Tables have no seal."""
    named = [run for run in runs if not Path(run).is_file()]
    found = runs_in(named)[0] if named else []
    return list(dict.fromkeys(one.run.doubt for one in found if one.run.doubt is not None))


def doubt_about(run: str) -> str | None:
    """As `doubts`, of one RUN, RUN#cell or log; None also where there is no run: whoever opens it says what is missing."""
    folder, _ = split_cell(as_run(run))
    return doubt_of(Folder(folder)) if (folder / "run.json").is_file() else None
