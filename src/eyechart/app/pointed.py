"""What a person names must be there, and be a plain file or a folder: a pipe would be waited for without end."""

from __future__ import annotations

import errno
from pathlib import Path

from eyechart.core.errors import InputError

STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What a shell gives for `<(command)`: somebody is writing there."""


def existing(text: Path | str, *, plain: bool = True) -> Path | None:
    """The file or folder of that name; None where there is none.

    Raises InputError for an empty name, one that no file can have, and, unless `plain` is False, a pipe or a device.

    >>> existing("not/there") is None, existing(".") == Path(".")
    (True, True)
    >>> existing("")
    Traceback (most recent call last):
    eyechart.core.errors.InputError: a name is empty; name a file or a folder (a single dot is this one)
    >>> existing("x" * 5_000)
    Traceback (most recent call last):
    eyechart.core.errors.InputError: no file or folder can be called xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: File name too long
    """
    name = str(text)
    if not name:
        raise InputError("a name is empty; name a file or a folder (a single dot is this one)")
    path = Path(name)
    try:
        there = path.exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"no file or folder can be called {name[:40]}...: {error.strerror}") from None
        raise InputError(f"cannot be read: {error.strerror}", file=name) from None
    if not there:
        return None
    if plain and not path.is_dir() and not path.is_file() and not name.startswith(STREAMS):
        raise InputError("is neither a plain file nor a folder, and is not waited for", file=name)
    return path
