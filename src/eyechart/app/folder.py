"""A run folder: everything a stranger needs to check a number.

study.yaml          as given
run.json            digests, cells, engines, versions, command line, counts
items.jsonl         the items asked, with their gold answers
certificates.json   of the graders, where there are any
source/log.json     of an imported log: its files, what it says, what it does not say
store.sqlite        every request and response
observations.npz    the tidy table
report.html, report.json
seal.json           SHA-256 of each of the files above
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.core.errors import InputError, Stopped
from eyechart.core.records import Item

SEALED = (
    "study.yaml",
    "run.json",
    "items.jsonl",
    "observations.npz",
    "report.html",
    "report.json",
    "certificates.json",
    "source/log.json",
)


_DAMAGED = "is damaged; give `eyechart run` again to write it anew"


@dataclass(frozen=True)
class Folder:
    path: Path

    @property
    def store(self) -> Path:
        return self.path / "store.sqlite"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    def prepare(self) -> None:
        """Make the folder, or refuse one that holds something else."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise InputError(f"{self.path} is a file, not a folder")
            empty = not self.path.exists() or not any(self.path.iterdir())
            if not empty and not (self.path / "study.yaml").exists() and not self.store.exists():
                raise InputError(f"{self.path} holds something that is not a run; name another folder with --out")
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {str(self.path)[:80]}: {error.strerror}") from None

    def write(self, name: str, content: str | bytes) -> None:
        """Whole or not at all: a half-written file is never left under its name."""
        data = content.encode("utf-8") if isinstance(content, str) else content
        target, draft = self.path / name, self.path / f".{name}.part"
        try:
            draft.write_bytes(data)
            os.replace(draft, target)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise Stopped(
                f"{target}: cannot write ({error.strerror}); answers so far are stored: free some space and give "
                "the same command again"
            ) from None

    def write_json(self, name: str, value: Any) -> None:
        self.write(name, json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n")

    def read_json(self, name: str) -> dict[str, Any]:
        path = self.path / name
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a finished run: it has no {name}") from None
        except OSError as error:
            raise InputError(f"cannot read {str(path)[:80]}: {error.strerror}") from None
        except ValueError:
            raise InputError("is not valid JSON: the file is damaged", file=str(path)) from None

    def write_observations(self, observed: Observations, keys: Iterable[str]) -> None:
        buffer = BytesIO()
        arrays = {"keys": np.array(list(keys), dtype=np.str_), **observed.arrays()}
        # As savez_compressed, which knows no level: digests hardly shrink, and packing them hard takes a second in 100,000.
        with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=1) as file:
            for name, array in arrays.items():
                with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        self.write("observations.npz", buffer.getvalue())

    def write_items(self, items: Iterable[Item]) -> None:
        lines = [item_line(item) for item in items]
        self.write("items.jsonl", "\n".join(lines) + "\n")

    def read_items(self) -> dict[str, Item]:
        path, out = self.path / "items.jsonl", dict[str, Item]()
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except OSError:
            raise InputError(f"{self.path} is not a finished run: it has no items.jsonl") from None
        except UnicodeDecodeError:
            raise InputError(_DAMAGED, file=str(path)) from None
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                row = json.loads(line)
                row["gold"], row["choices"] = tuple(row["gold"]), tuple(row["choices"])
                out[row["id"]] = Item(**row)
            except (ValueError, TypeError, KeyError):
                raise InputError(_DAMAGED, file=str(path), line=number) from None
        return out

    def read_observations(self) -> tuple[Observations, tuple[str, ...]]:
        path, items = self.path / "observations.npz", self.read_items()
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as data:
                arrays = {name: data[name] for name in data.files}
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a finished run: it has no observations.npz") from None
        except (ValueError, OSError, BadZipFile, KeyError, EOFError):
            raise InputError(_DAMAGED, file=str(path)) from None
        if list(arrays["outcomes"]) != [o.value for o in OUTCOMES]:
            raise InputError("was written with other outcomes; read the run again", file=str(path))
        if lost := [str(name) for name in arrays["items"] if str(name) not in items]:
            raise InputError(f"lacks {len(lost)} items; {_DAMAGED}", file=str(self.path / "items.jsonl"))
        order = [items[str(name)] for name in arrays["items"]]
        observed = Observations(
            cells=tuple(str(c) for c in arrays["cells"]),
            items=tuple(i.id for i in order),
            groups=tuple(i.group for i in order),
            clusters=tuple(i.cluster for i in order),
            chance=tuple(1 / len(i.choices) if len(i.choices) > 1 else None for i in order),
            **{n: arrays[n] for n in ("cell", "item", "repeat", "outcome", "value", "scored", "call")},
        )
        return observed, tuple(str(k) for k in arrays["keys"])

    def broken_seal(self) -> list[str]:
        """One line for each sealed file that is not as it was sealed; empty when all are."""
        try:
            sealed: dict[str, str] = self.read_json("seal.json")["files"]
        except (InputError, KeyError, TypeError):
            return ["seal.json: is missing or damaged"]
        out: list[str] = []
        for name, was in sealed.items():
            path = self.path / name
            if not path.exists():
                out.append(f"{name}: is missing")
            elif sha256(path) != was:
                out.append(f"{name}: was changed since the run was sealed")
        return out

    def seal(self) -> None:
        files = {name: sha256(self.path / name) for name in SEALED if (self.path / name).exists()}
        root = hashlib.sha256("".join(f"{n}\n{h}\n" for n, h in sorted(files.items())).encode()).hexdigest()
        self.write_json("seal.json", {"files": files, "root": f"z1:{root}"})


def item_line(item: Item) -> str:
    """An item as a line of items.jsonl."""
    row = {
        "id": item.id,
        "fields": dict(item.fields),
        "gold": item.gold,
        "choices": item.choices,
        "gold_index": item.gold_index,
        "group": item.group,
        "cluster": item.cluster,
        "slice": item.slice,
    }
    return _ITEM.encode(row)


_ITEM = json.JSONEncoder(ensure_ascii=False, default=str)  # made once: an item a line, and there may be many


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
