"""One process at a time on a run folder."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from eyechart.core.errors import InputError


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Holds `folder/.lock`; the operating system lets go of it when the process dies, however it dies.

    Raises InputError where another process holds it.
    """
    path = folder / ".lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _try(handle):
            raise InputError(f"another process is at work on this run; wait for it to end ({folder})")
        yield
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: byte-range locks
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
