"""What a finished run is made of, for those who write it in other formats. Never calls a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from eyechart.analysis.observations import OUTCOMES
from eyechart.app.finished import Finished
from eyechart.core.effective import Asking, Reading
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.records import Item
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.share.told import Answered, Setup, Told, provable
from eyechart.store.store import Entry, Store
from eyechart.version import __version__

BATCH = 2_000
"""Answers read from the store at once."""


def told(run: Finished) -> Told:
    """A run with its fingerprints and its seal.

    Raises InputError where the seal is missing or broken, or a set-up has no fingerprint: its numbers could be anything.
    """
    broken = run.folder.broken_seal()
    if broken:
        raise InputError(
            f"its numbers cannot be traced to its fingerprint ({'; '.join(broken[:3])}), so they are not written: "
            f"`eyechart run` seals a run anew, `eyechart verify {run.folder.path}` says what was changed",
            file=str(run.folder.path),
        )
    facts = run.facts
    imported = facts.get("imported")
    scores = {score.cell: score for score in run.scores()}
    engines = {engine["digest"]: engine for engine in facts["engines"]}
    setups = tuple(
        Setup(
            id=cell["id"],
            levels=tuple(cell["levels"].items()),
            digest=cell["digest"],
            stated=cell["stated"],
            effective=cell["effective"],
            engine=engines.get(cell["engine"], {}),
            score=scores[cell["id"]],
            baseline=number == 0,
            sampled=cell["sampled"] is not False,
            data=_data(facts["data"], cell),
        )
        for number, cell in enumerate(facts["cells"])
    )
    return provable(
        Told(
            name=str(facts["name"] or run.folder.path.resolve().name),
            folder=run.folder.path.resolve().name,
            version=str(facts.get("eyechart") or __version__),
            digests=facts["digests"],
            seal=str(run.folder.read_json("seal.json").get("root") or ""),
            setups=setups,
            factors=tuple(factor.name for factor in run.layout.factors),
            runtime=facts["runtime"],
            started=_moment(facts["started"]),
            finished=_moment(facts["finished"]),
            missing=int(facts["missing"]),
            clustered=any(item.cluster is not None for item in run.items.values()),
            imported=imported,
        )
    )


def _data(uses: list[dict[str, Any]], cell: dict[str, Any]) -> dict[str, Any]:
    """The items of a set-up among those of the run: by their digest; of an imported log there is one sample."""
    wanted = cell["effective"].get("dataset", {}).get("items")
    return next((use for use in uses if wanted is not None and use.get("items") == wanted), uses[0] if uses else {})


def _moment(text: str) -> str | None:
    """ISO 8601; None for a log that does not say."""
    return text if text[:1].isdigit() else None


def rows(run: Finished, cell: int) -> Iterator[Answered]:
    """Every answer of set-up number `cell`, read again for what was found in it; its outcome and score are those that
    the run has."""
    facts, seen = run.facts["cells"][cell], run.observations
    renderer = Renderer(Asking.from_body(facts["effective"]["asking"]))
    reading = Reading.from_body(renderer.asking.elicit, facts["effective"]["reading"])
    shown: dict[str, Item] = {}
    where = seen.rows(cell)
    with Store(run.folder.store, create=False) as store:
        for start in range(where.start, where.stop, BATCH):
            part = range(start, min(start + BATCH, where.stop))
            keys = {row: run.keys[int(seen.call[row])] for row in part}
            entries = {entry.key: entry for entry in store.entries(keys.values())}
            for row in part:
                name = seen.items[int(seen.item[row])]
                if name not in shown:
                    shown[name] = _prepared(renderer, run.items[name])
                entry = entries.get(keys[row])
                yield Answered(
                    item=shown[name],
                    repeat=int(seen.repeat[row]),
                    outcome=OUTCOMES[int(seen.outcome[row])],
                    value=float(seen.value[row]) if seen.scored[row] else None,
                    key=keys[row],
                    request=entry.request if entry else None,
                    response=entry.response if entry else None,
                    extracted=_extracted(entry, shown[name], renderer, reading) if entry else None,
                )


def _prepared(renderer: Renderer, item: Item) -> Item:
    try:
        return renderer.prepared(item)
    except EyechartError:
        return item


def _extracted(entry: Entry, item: Item, renderer: Renderer, reading: Reading) -> str | None:
    """What was read out of an answer; None where nothing was, or its reader is not here any more."""
    with suppress(EyechartError):
        labels = tuple(renderer.labels(item))
        found, _ = read_response(entry.response, item, labels, reading, entry.request.options)
        return found.value
    return None
