"""From the path in a study to bytes and their hash.

items.jsonl                     relative to the folder of the study file
/data/items.csv.gz              absolute; unpacked here, hashed as it lies on disk
package:NAME/inner/items.csv    a data file inside an installed package, whose code is not run
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.core.registry import nearest
from eyechart.data.values import listed

FIELD = "dataset.path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    given: str
    """The path as the study gives it."""
    suffix: str
    """Of the file inside: `.csv` for `items.csv.gz`."""
    data: bytes
    """Unpacked."""
    sha256: str
    """Of the bytes as they lie on disk, packed or not."""


def read_raw(given: str, base: Path, field: str = FIELD) -> Raw:
    """The bytes behind `given`. Raises InputError, blaming `field`, where there are none."""
    data = _package(given, field) if given.startswith("package:") else _file(given, base, field)
    return raw(given, data)


def raw(given: str, data: bytes) -> Raw:
    """
    >>> raw("a.csv.gz", gzip.compress(b"x")).data
    b'x'
    """
    suffixes = [s.lower() for s in PurePosixPath(given.replace("\\", "/")).suffixes]
    sha256 = hashlib.sha256(data).hexdigest()
    if suffixes and suffixes[-1] == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise InputError("is not a whole gzip file; pack it again, or give it unpacked", file=given) from None
        suffixes.pop()
    return Raw(given=given, suffix=suffixes[-1] if suffixes else "", data=data, sha256=sha256)


def _file(given: str, base: Path, field: str) -> bytes:
    if "://" in given:
        raise InputError(f"{given} is an address; fetch the file first, and write where it lies", field=field)
    path = base / Path(given).expanduser()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {given}{_folder(path)}", field=field) from None
    except IsADirectoryError:
        names = sorted(p.name for p in path.iterdir() if p.is_file())
        there = f"one of its files: {listed(names)}" if names else "a file"
        raise InputError(f"{given} is a folder; name {there}", field=field) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{given} cannot be read: {reason}", field=field) from None


def _folder(path: Path) -> str:
    """What stands in the way, or what was meant."""
    parent = path.parent
    if not parent.is_dir():
        return f": there is no folder {parent}"
    names = sorted(p.name for p in parent.iterdir() if p.is_file())
    close = nearest(path.name, names)
    return f" in {parent.resolve()}; " + (f"did you mean {close}?" if close else f"there are: {listed(names)}")


def _package(given: str, field: str) -> bytes:
    """A file inside a package, found by its import spec: the package itself is not imported.

    (`importlib.resources.files("a")` would run `a/__init__.py`. Only the parents of a dotted name are run.)
    """
    name, _, inner = given.removeprefix("package:").partition("/")
    if not name or not inner or ".." in PurePosixPath(inner).parts:
        raise InputError(f"{given} names no file; write package:NAME/inner/items.jsonl", field=field)
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise InputError(f"no package {name} can be imported here; install it, or write a file path", field=field)
    locations = list(spec.submodule_search_locations or ())
    if not locations:
        raise InputError(f"{name} is a single module, not a package with files in it", field=field)
    for location in locations:
        path = Path(location, *PurePosixPath(inner).parts)
        try:
            return path.read_bytes()
        except OSError:
            pass
        try:  # inside a zip archive
            return cast("Any", spec.loader).get_data(str(path))
        except (OSError, AttributeError):
            continue
    where = _folder(Path(locations[0], *PurePosixPath(inner).parts))
    raise InputError(f"package {name} has no file {inner}{where}", field=field)
