"""What determinism probes have shown of an engine: settings that moved no bit, so that a difference in them is inert."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from eyechart.analysis.differing import Difference, Told
from eyechart.core.words import Text, message

FOLDERS = (Path("eyechart-runs"), Path("eyechart-probes"))
SETTINGS: Mapping[str, tuple[str, str]] = {
    "threads": ("threads", "{n} threads"),
    "batch_size": ("batch", "batches of {n}"),
    "batch": ("batch", "batches of {n}"),
    "concurrency": ("concurrency", "{n} at once"),
}
"""Last part of a field, and the condition and setting of the probe that tries it."""


def shown_equal(a: Told, b: Told, found: Iterable[Difference], near: Sequence[Path]) -> dict[str, Text]:
    """Fields of `found` of which a probe of this very engine showed that they move no bit, with what it saw.

    `near`: folders beside whose runs probes may lie. A probe counts where its engine is that of one side, it tried the
    value of the other, every call came back equal, and log-probabilities were compared, not texts alone.
    """
    wanted = [one for one in found if one.kind == "may" and one.path.rpartition(".")[2] in SETTINGS]
    if not wanted:
        return {}
    probes = list(_probes((*FOLDERS, *near)))
    out: dict[str, Text] = {}
    for one in wanted:
        for told, value in ((a, one.b), (b, one.a)):
            condition, like = SETTINGS[one.path.rpartition(".")[2]]
            engine = {name.removeprefix("engine."): fact for name, fact in told.engine.items()}
            for probe in probes:
                seen = _equal(probe, engine, condition, like.replace("{n}", str(value)))
                if seen is not None:
                    out[one.path] = message("diff.why.probed", n=seen, setting=like.replace("{n}", str(value)))
    return out


def _probes(folders: Iterable[Path]) -> Iterator[Mapping[str, Any]]:
    for path in dict.fromkeys(found for folder in folders for found in sorted(folder.glob("*/determinism.json"))):
        with suppress(OSError, ValueError):
            probe = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(probe, dict):
                yield cast("dict[str, Any]", probe)


def _equal(probe: Mapping[str, Any], engine: Mapping[str, Any], condition: str, setting: str) -> int | None:
    """How many calls came back bit for bit under `setting`; None where not all did, or it was not tried."""
    if not engine or probe.get("engine") != engine:
        return None
    for one in cast("list[Mapping[str, Any]]", probe.get("settings", ())):
        if (one.get("condition"), one.get("setting")) == (condition, setting):
            whole = one.get("calls") and one.get("equal") == one.get("calls") and not one.get("failed")
            return int(one["calls"]) if whole and one.get("visible") in ("options", "tokens") else None
    return None
