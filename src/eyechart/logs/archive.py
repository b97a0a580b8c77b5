"""Members of a zip archive, read in memory and within limits; nothing is ever unpacked to disk."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from eyechart.core.errors import MissingExtra
from eyechart.logs.plain import WHOLE, parse
from eyechart.logs.values import Unreadable

MEMBERS = 500_000
RATIO, ROOM = 300, 2_000_000_000
"""An archive may unpack to `ROOM` bytes, or to `RATIO` times its size where that is more."""
ZSTD = 93
"""Method of members compressed by Zstandard: zipfile knows it from Python 3.14 on."""


class Archive:
    """A zip file whose members are JSON. Of several members with one name the last counts."""

    def __init__(self, path: Path, file: ZipFile) -> None:
        self.path, self.file = path, file
        infos = file.infolist()
        if len(infos) > MEMBERS:
            raise Unreadable(f"holds {len(infos):,} members; up to {MEMBERS:,} are read")
        room = max(ROOM, RATIO * path.stat().st_size)
        if sum(info.file_size for info in infos) > room:
            raise Unreadable(f"would unpack to more than {room:,} bytes")
        self.members = {info.filename: info for info in infos}

    def names(self, start: str) -> list[str]:
        return [name for name in self.members if name.startswith(start) and name.endswith(".json")]

    def json(self, name: str) -> Any:
        """Raises Unreadable for a member that is damaged, MissingExtra for a compression not known here."""
        info = self.members[name]
        if info.file_size > WHOLE:
            raise Unreadable(f"{name} is {info.file_size:,} bytes long")
        try:
            data = self._zstd(info) if info.compress_type == ZSTD else self._plain(info)
        except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError) as error:
            raise Unreadable(f"{name} is damaged: {str(error)[:80]}") from None
        if len(data) > info.file_size:
            raise Unreadable(f"{name} is longer than it says")
        return parse(data, name)

    def _plain(self, info: ZipInfo) -> bytes:
        with self.file.open(info) as member:
            return member.read(info.file_size + 1)

    def _zstd(self, info: ZipInfo) -> bytes:
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            start = file.read(30)
            if len(start) < 30 or start[:4] != b"PK\x03\x04" or info.flag_bits & 1:
                raise BadZipFile("no header, or encrypted")
            file.seek(int.from_bytes(start[26:28], "little") + int.from_bytes(start[28:30], "little"), 1)
            packed = file.read(info.compress_size)
        data = unpacked(packed, info.file_size)
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise BadZipFile("its checksum does not fit")
        return data


def unpacked(packed: bytes, size: int) -> bytes:
    """Zstandard data of a known size. Raises MissingExtra where no package here can unpack it."""
    try:
        zstandard = cast("Any", import_module("zstandard"))
    except ImportError:
        try:
            arrow = cast("Any", import_module("pyarrow"))
        except ImportError:
            raise MissingExtra("this log", "zstandard", "logs") from None
        return bytes(arrow.Codec("zstd").decompress(packed, decompressed_size=size)) if size else b""
    with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
        try:
            return bytes(reader.read(size + 1))
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None


@contextmanager
def opened(path: Path) -> Generator[Archive]:
    """Raises Unreadable for what is no zip archive."""
    try:
        with ZipFile(path) as file:
            yield Archive(path, file)
    except (BadZipFile, LargeZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(f"is no whole zip archive: {str(error)[:80]}") from None
