"""A run folder: everything a stranger needs to check a number.

study.yaml          as given
run.json            digests, cells, engines, versions, command line, counts
items.jsonl         the items asked, with their gold answers
inputs.json         what else the requests rest on: the few-shot pool, and items that differ between set-ups
certificates.json   of the graders, where there are any
source/log.json     of an imported log: its files, what it says, what it does not say
store.sqlite        every request and response
observations.npz    the tidy table
report.html, report.json
seal.json           a digest tree over all of it (`app.seal`)
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.app.seal import NAME as SEAL
from eyechart.app.seal import Seal, changes, read_seal, root_holds, root_of, taken, written
from eyechart.core.errors import InputError, Stopped
from eyechart.core.records import Item

_DAMAGED = "is damaged; give `eyechart run` again to write it anew"


RUNS = Path("eyechart-runs")
"""Where runs go unless told otherwise, below the current folder."""


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
        except (ValueError, RecursionError):
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
            except (ValueError, TypeError, KeyError, RecursionError):
                raise InputError(_DAMAGED, file=str(path), line=number) from None
        return out

    def read_observations(self, items: Mapping[str, Item] | None = None) -> tuple[Observations, tuple[str, ...]]:
        """The tidy table, and the store key of each call. `items`: where they were read already."""
        path = self.path / "observations.npz"
        items = self.read_items() if items is None else items
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as data:
                arrays = {name: data[name] for name in data.files}
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a finished run: it has no observations.npz") from None
        except (ValueError, OSError, BadZipFile, KeyError, EOFError, NotImplementedError, zlib.error):
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
        """One line for each thing that is not as it was sealed; empty where all is."""
        try:
            sealed = read_seal(self.path)
        except InputError:
            sealed = None
        if sealed is None:
            return [f"{SEAL}: is missing or damaged"]
        out = [str(change) for change in changes(self.path, sealed)]
        if not root_holds(sealed):
            out.insert(0, f"{SEAL}: was changed: its root is not that of what it lists")
        if sealed.under_way:
            out.append(f"{SEAL}: a run was begun in this folder and not concluded; give it again")
        return out

    def sealed(self) -> bool:
        """Whether a run was concluded here, and sealed."""
        try:
            found = read_seal(self.path)
        except InputError:
            return False
        return found is not None and not found.under_way

    def unseal(self) -> None:
        """A run begins to write. What somebody else changed since the last seal is kept with it, for the next one."""
        try:
            sealed = read_seal(self.path)
        except InputError as error:
            sealed = Seal(files={}, sizes={}, chunks={}, store={}, changed=(f"{SEAL}: {error.message}",))
        if sealed is None:
            sealed = Seal(files={}, sizes={}, chunks={}, store={})
        said = dict.fromkeys(sealed.changed)
        said |= dict.fromkeys(str(change) for change in changes(self.path, sealed, appended=True))
        if sealed.root and not root_holds(sealed):
            said[f"{SEAL}: its root was not that of what it listed"] = None
        self._write_seal(replace(sealed, changed=tuple(said), under_way=True))

    def seal(self) -> None:
        """Seal what is there now. The caller knows that nobody else changed anything: it called `unseal` before it
        wrote, or saw an empty `broken_seal`. What earlier seals tell of strangers' changes stays told."""
        try:
            sealed = read_seal(self.path)
        except InputError as error:
            sealed = Seal(files={}, sizes={}, chunks={}, store={}, changed=(f"{SEAL}: {error.message}",))
        self._write_seal(taken(self.path, changed=sealed.changed if sealed else ()))

    def _write_seal(self, seal: Seal) -> None:
        self.write(SEAL, written(replace(seal, root=root_of(seal))))


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


def safe_name(name: str) -> str:
    """A folder name that no study can make into a path elsewhere."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-")
    return kept[:80] or "study"
