"""Fields of the fingerprint, named in an option."""

from __future__ import annotations

from collections.abc import Sequence

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
