"""May a run be held against a baseline? Only where the procedure is one, and the contestant alone differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from eyechart.app.finished import Finished
from eyechart.core.errors import InputError
from eyechart.core.records import Item

SHOWN = 40
Side = tuple[str, Finished, int]
FREE = ("repeats", "dataset.items", "decoding.seed")
"""How often, which of the same questions, and another draw: none of these is a procedure."""
UNTOLD = (("digest",), ("settings",))
"""Of an engine: digests of what else is in it."""


def comparable(run: Side, baseline: Side, contestant: Sequence[str]) -> list[str]:
    """What is to be said of the comparison. Raises InputError where it is none: other fields differ than those named,
    the same questions are different ones, or a run is compared with itself."""
    (name, mine, cell), (other, theirs, at) = run, baseline
    if mine.folder.path.resolve() == theirs.folder.path.resolve() and cell == at:
        raise InputError(f"{other} is the run itself; name another as --baseline")
    a, b = (dict(fields(one.facts["cells"][i]["effective"])) for one, i in ((theirs, at), (mine, cell)))
    apart = [path for path in dict.fromkeys((*a, *b)) if a.get(path) != b.get(path) and not _within(path, FREE)]
    wrong = [path for path in apart if not _within(path, contestant)]
    if wrong:
        said = "; ".join(f"{path}: {_shown(a.get(path))} -> {_shown(b.get(path))}" for path in wrong[:4])
        more = f" and {len(wrong) - 4} more" if len(wrong) > 4 else ""
        sections = dict.fromkeys(".".join(path.split(".")[:2]) for path in wrong)
        named = " ".join(f"--contestant {path}" for path in sections)
        raise InputError(
            f"{name} and {other} were measured by different procedures ({said}{more}); a difference would be theirs. "
            f"Run one again as the other, or say {named} if that is what is compared",
            field="--baseline",
        )
    return [*_items(name, mine, other, theirs), *_engines(mine, cell, theirs, at), *_answered(name, mine)]


def fields(effective: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Effective fields under the names of the fingerprint.

    >>> dict(fields({"asking": {"decoding": {"top_p": 1}, "elicit": "generate"}, "reading": {"score": "exact"}}))
    {'decoding.top_p': 1, 'evaluation.elicit': 'generate', 'evaluation.score': 'exact'}
    """
    for path, value in _leaves((), effective):
        section, *rest = path
        if section == "asking":
            section, *rest = rest
            if section == "seed":
                section, rest = "decoding", ["seed", *rest]
            elif section not in ("prompt", "decoding", "judge"):
                section, rest = "evaluation", [section, *rest]
        elif section == "reading":
            section = "evaluation"
        yield ".".join((section, *rest)), value


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from _leaves((*path, key), inner)
    else:
        yield path, value


def _within(path: str, parts: Sequence[str]) -> bool:
    return any(path == part or path.startswith(f"{part}.") for part in parts)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _items(name: str, mine: Finished, other: str, theirs: Finished) -> Iterator[str]:
    shared = mine.items.keys() & theirs.items.keys()
    if not shared:
        raise InputError(f"{name} and {other} share no item: nothing can be compared", field="--baseline")
    odd = sorted(item for item in shared if _asks(mine.items[item]) != _asks(theirs.items[item]))
    if odd:
        raise InputError(
            f"{len(odd):,} of {len(shared):,} items that {name} and {other} name alike are different questions, or have "
            f"other right answers, the first: {odd[0]:.60}",
            field="--baseline",
        )
    for one, run in ((name, mine), (other, theirs)):
        if alone := len(run.items.keys() - shared):
            yield f"{alone:,} items are in {one} alone and are left out of the comparison"


def _asks(item: Item) -> object:
    return item.fields, item.gold, item.choices


def _engines(mine: Finished, cell: int, theirs: Finished, at: int) -> Iterator[str]:
    """What else may have moved an answer: the build that answered."""
    facts = [_engine(theirs, at), _engine(mine, cell)]
    apart = [
        ".".join(path) for path in dict.fromkeys((*facts[0], *facts[1])) if facts[0].get(path) != facts[1].get(path)
    ]
    if apart:
        yield f"what answered differs as well, in {', '.join(apart[:6])}"


def _answered(name: str, mine: Finished) -> Iterator[str]:
    calls: Mapping[str, Any] = mine.facts["calls"]
    imported = (mine.folder.path / "source").is_dir()  # of a log: nothing was ever asked
    if calls.get("needed") and calls.get("stored") == calls.get("needed") and not imported:
        yield f"{name} asked nothing: all of its answers came from the store"


def _engine(run: Finished, cell: int) -> dict[tuple[str, ...], Any]:
    wanted = run.facts["cells"][cell]["engine"]
    known: list[Mapping[str, Any]] = [one for one in run.facts["engines"] if one["digest"] == wanted]
    return {path: value for one in known for path, value in _leaves((), one) if path not in UNTOLD}
