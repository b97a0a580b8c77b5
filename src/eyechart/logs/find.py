"""Which file is whose: folders are walked, each harness takes the files it knows, the rest is named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.logs import evalscope, every_eval_ever, helm, inspect_log, lighteval, lm_eval, opencompass, promptfoo
from eyechart.logs.plain import stand_in
from eyechart.logs.values import Found

MOST = 50_000
"""Files looked at in one go."""
LIKELY = (".json", ".jsonl", ".eval", ".parquet")
"""Endings of logs: only such files are named where nobody knows them."""

HARNESSES: tuple[Callable[[Sequence[Path]], Iterator[Found]], ...] = (
    promptfoo.find,
    lighteval.find,
    lm_eval.find,
    inspect_log.find,
    helm.find,
    evalscope.find,
    opencompass.find,
    every_eval_ever.find,
)
"""Asked in this order; a file belongs to the first that takes it."""


@dataclass(frozen=True, kw_only=True)
class Search:
    found: tuple[Found, ...]
    unknown: tuple[tuple[Path, str], ...]
    """Files that are no log of a known harness, and why each was not read."""


def search(paths: Sequence[Path]) -> Search:
    """All logs at or below `paths`, in the order of their files. Links inside folders are not followed."""
    unknown: dict[Path, str] = {}
    files: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            unknown[path] = "is not there"
        elif path.is_dir():
            for one in _walk(path, unknown):
                files.setdefault(one)
                if len(files) > MOST:
                    unknown[path] = f"holds more than {MOST:,} files: name a folder below it"
                    break
        elif path.is_file():
            files.setdefault(path)
        else:  # a pipe would be waited for
            unknown[path] = "is no plain file"
    left, found = list(files), list[Found]()
    for find in HARNESSES:
        mine = list(find(left))
        found += mine
        taken = {file for one in mine for file in one.files}
        left = [path for path in left if path not in taken]
    given = set(paths)
    for path in left:
        if path in given or path.suffix in LIKELY:
            unknown.setdefault(path, stand_in(path) or "is no log of a harness that is known here")
    return Search(found=tuple(found), unknown=tuple(unknown.items()))


def _walk(folder: Path, unknown: dict[Path, str]) -> Iterator[Path]:
    for at, below, names in os.walk(folder, followlinks=False):
        below[:] = sorted(name for name in below if not name.startswith(".") and not _is_run(Path(at) / name))
        for name in sorted(names):
            path = Path(at) / name
            if path.is_symlink():
                if path.suffix in LIKELY:
                    unknown[path] = "is a link, and is not followed; name it itself"
            elif path.is_file():
                yield path


def _is_run(folder: Path) -> bool:
    """Run folders of this house are no foreign logs."""
    return (folder / "run.json").exists() and (folder / "store.sqlite").exists()
