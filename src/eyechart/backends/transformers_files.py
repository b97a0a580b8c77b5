"""The local files a Transformers model is made of, and their hash. Imports nothing heavy.

A folder as `save_pretrained` writes it (config.json, weights, tokenizer), or one .gguf file, which
holds all of that. The hash of a .gguf file is that of the file. The hash of a folder is what
`sha256sum FILES | sha256sum` prints, FILES being the names of its parts in order.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import InputError

SINGLE = ("model.safetensors", "pytorch_model.bin")
"""Weights in one file, in the order in which Transformers looks; each may instead have an index of parts."""
SMALL = frozenset((".json", ".txt", ".model", ".jinja", ".tiktoken", ".spm", ".bpe"))
"""What a configuration or a tokenizer may be made of. Too many of them ask again; too few would mix answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    folder: Path
    parts: tuple[str, ...]
    """Names in `folder`, sorted: all that loading may read."""
    gguf: str | None = None
    """The one file that is the whole model."""

    @property
    def name(self) -> str:
        return self.gguf or self.folder.name

    def sha256(self) -> str:
        """Of the parts as they are now; a file is read again only when its time or size has changed."""
        if self.gguf is not None:
            return _hash(self.folder / self.gguf)
        lines = "".join(f"{_hash(self.folder / part)}  {part}\n" for part in self.parts)
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()

    def config(self) -> dict[str, Any]:
        """config.json; {} where there is none."""
        return {} if self.gguf is not None else _json(self.folder / "config.json")


def find_model(path: str) -> Files:
    """Raises InputError in one line that says what to write instead."""
    place = Path(path).expanduser()
    if place.is_file():
        if place.suffix.lower() != ".gguf":
            raise InputError(f"name the model's folder or a .gguf file, not {path}", field="model.path")
        return _gguf(place)
    if not place.is_dir():
        raise InputError(
            f"there is no folder or file {path}; a model of the Hugging Face hub goes by model.name",
            field="model.path",
        )
    if (place / "adapter_config.json").is_file():
        raise InputError(
            f"{path} holds an adapter; merge it into its model (PEFT: merge_and_unload) and save that",
            field="model.path",
        )
    weights = _weights(place) if (place / "config.json").is_file() else ()
    if weights:
        return Files(folder=place, parts=tuple(sorted({*weights, *_small(place)})))
    files = sorted(place.glob("*.gguf"))
    if len(files) == 1:
        return _gguf(files[0])
    if files:
        names = ", ".join(one.name for one in files[:5])
        raise InputError(f"{path} holds {len(files)} .gguf files: name one of them ({names})", field="model.path")
    raise InputError(
        f"{path} holds no model: config.json with {' or '.join(SINGLE)}, or a .gguf file", field="model.path"
    )


def find_tokenizer(path: str) -> Files:
    """A folder with a tokenizer in it."""
    place = Path(path).expanduser()
    parts = _small(place) if place.is_dir() else ()
    if not any(part.startswith(("tokenizer", "vocab", "spiece")) for part in parts):
        raise InputError(f"{path} is no folder with a tokenizer (tokenizer.json)", field="model.tokenizer")
    return Files(folder=place, parts=parts)


def _gguf(file: Path) -> Files:
    with file.open("rb") as head:
        if head.read(4) != b"GGUF":
            raise InputError(f"{file} is not a GGUF file", field="model.path")
    return Files(folder=file.parent, parts=(file.name,), gguf=file.name)


def _weights(place: Path) -> tuple[str, ...]:
    for name in SINGLE:
        if (place / name).is_file():
            return (name,)
        index = place / f"{name}.index.json"
        if index.is_file():
            shards = set(cast("dict[str, str]", _json(index).get("weight_map") or {}).values())
            if lost := sorted(shard for shard in shards if not (place / shard).is_file()):
                raise InputError(f"{place} lacks {lost[0]}, which {index.name} names", field="model.path")
            return tuple(sorted(shards))
    return ()


def _small(place: Path) -> tuple[str, ...]:
    return tuple(sorted(p.name for p in place.iterdir() if p.suffix.lower() in SMALL and p.is_file()))


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}", field="model.path") from None
    if not isinstance(found, dict):
        raise InputError(f"{file} is not a mapping", field="model.path")
    return cast("dict[str, Any]", found)


def _hash(file: Path) -> str:
    try:
        stat = file.stat()
        return _hashed(file, stat.st_mtime_ns, stat.st_size, stat.st_ino)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}", field="model.path") from None


@lru_cache(maxsize=1024)
def _hashed(file: Path, changed: int, size: int, inode: int) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
