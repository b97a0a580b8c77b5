"""What stored answers say of seeds and graders: whether repeats differ, and whether reading them again changes anything."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eyechart.analysis.observations import OUTCOMES
from eyechart.app.finished import Finished
from eyechart.core.effective import Asking, Reading
from eyechart.core.records import Outcome
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.rules.values import Probe, Reread, Varied
from eyechart.store.store import Store

READ = 2_000
"""Answers read again; of more, so many are taken at equal distances."""
ITEMS = 500
"""Items of a set-up whose repeats are looked at; of more, so many are taken at equal distances."""
RARE = 1e-6
"""Chance below which two runs that are equal in every answer are called copies."""


def varied(run: Finished, cells: Sequence[int]) -> tuple[Varied, ...]:
    """The repeats of the set-ups number `cells`, by the texts that were answered; those asked once are left out."""
    seen = run.observations
    out: list[Varied] = []
    for cell in cells:
        at = seen.rows(cell)
        if at.start == at.stop or int(seen.repeat[at].max()) == 0:
            continue
        step = max(1, -(-len(seen.items) // ITEMS))
        rows = np.flatnonzero(seen.item[at] % step == 0) + at.start
        keys = [run.keys[int(call)] for call in seen.call[rows]]
        with Store(run.folder.store, create=False) as store:
            texts = {key: answer.text for key, answer in store.answers(set(keys)).items() if answer.text is not None}
        table: dict[int, dict[int, str]] = {}
        for item, repeat, key in zip(seen.item[rows], seen.repeat[rows], keys, strict=True):
            if key in texts:
                table.setdefault(int(item), {})[int(repeat)] = texts[key]
        several = [answers for answers in table.values() if len(answers) > 1]
        if several:
            out.append(
                Varied(
                    setup=run.facts["cells"][cell]["id"],
                    items=len(several),
                    differ=sum(len(set(answers.values())) > 1 for answers in several),
                    repeats=int(seen.repeat[at].max()) + 1,
                    copies=_copies(several),
                )
            )
    return tuple(out)


def _copies(several: Sequence[Mapping[int, str]]) -> tuple[int, ...]:
    """Runs that are equal to another one in every text, where independent runs would hardly ever be.

    The bound is that of `stats.runs.same_runs`, over texts: K (K - 1) / 2 times the product over items of the share of
    pairs of runs that agree on the item. Where all runs are equal it is 1 and says nothing.
    """
    runs = sorted({run for answers in several for run in answers})
    whole = [answers for answers in several if len(answers) == len(runs)]
    if len(runs) < 3 or not whole:  # of two runs that are equal nothing tells copies from a sure model
        return ()
    columns: dict[tuple[str, ...], list[int]] = {}
    for run in runs:
        columns.setdefault(tuple(answers[run] for answers in whole), []).append(run)
    pairs = len(runs) * (len(runs) - 1) / 2
    chance = pairs
    for answers in whole:
        values = list(answers.values())
        agree = sum(values[i] == values[j] for i in range(len(values)) for j in range(i))
        chance *= agree / pairs
    groups = [group for group in columns.values() if len(group) > 1]
    return tuple(groups[0]) if groups and len(columns) > 1 and chance < RARE else ()


def probe_beside(run: Finished) -> Probe | None:
    """What a determinism probe of this very engine found that lies in the folder of the run, or beside it."""
    cell = run.facts["cells"][0]
    engine = next((e for e in run.facts["engines"] if e["digest"] == cell["engine"]), None)
    for folder in (run.folder.path, run.folder.path.with_name(f"{run.folder.path.name}-determinism")):
        try:
            kept: Any = json.loads((folder / "determinism.json").read_text(encoding="utf-8"))
            same: list[Any] = [s for s in kept["settings"] if s["condition"] in ("again", "fresh")]
            shares = [float(s["other_text"]) for s in same if s["other_text"] is not None]
            if engine is not None and kept["engine"] == {k: v for k, v in engine.items() if k != "digest"} and shares:
                return Probe(calls=sum(int(s["calls"]) for s in same), differ=max(shares))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def reread_twice(run: Finished) -> Reread:
    """Answers of the run read by its own readers, twice, and held against the verdicts in the run."""
    rows = _rows(run)
    if isinstance(rows, str):
        return Reread(answers=0, apart=0, moved=0, left=rows)
    seen = run.observations
    step = max(1, -(-len(rows) // READ))
    apart = moved = count = 0
    with Store(run.folder.store, create=False) as store:
        for number, cell in enumerate(run.facts["cells"]):
            mine = [row for at, row in rows[::step] if at == number]
            if not mine:
                continue
            renderer = Renderer(Asking.from_body(cell["effective"]["asking"]))
            reading = Reading.from_body("generate", cell["effective"]["reading"])
            answers = store.answers({run.keys[int(seen.call[row])] for row in mine})
            for row in mine:
                response = answers.get(run.keys[int(seen.call[row])])
                if response is None or response.text is None:
                    continue
                item = renderer.prepared(run.items[seen.items[int(seen.item[row])]])
                labels = renderer.labels(item)
                first, second = (read_response(response, item, labels, reading)[1] for _ in range(2))
                count += 1
                apart += (first.outcome, first.value) != (second.outcome, second.value)
                held = OUTCOMES[int(seen.outcome[row])]
                value = float(seen.value[row]) if bool(seen.scored[row]) else None
                moved += (first.outcome, first.value) == (second.outcome, second.value) and (
                    first.outcome is not held or (value is not None and first.value != value)
                )
    return Reread(answers=count, apart=apart, moved=moved, left=None if count else "nothing")


def _rows(run: Finished) -> list[tuple[int, int]] | str:
    """Set-up and row of every answer that can be read again here; or why there is none."""
    out: list[tuple[int, int]] = []
    left = "nothing"
    for number, cell in enumerate(run.facts["cells"]):
        why = _left(cell)
        if why is not None:
            left = left if why == "options" else why
            continue
        rows = run.observations.rows(number)
        out += [
            (number, row)
            for row in range(rows.start, rows.stop)
            if OUTCOMES[int(run.observations.outcome[row])] is not Outcome.FAILED
        ]
    return out or left


def _left(cell: Mapping[str, Any]) -> str | None:
    """Why the answers of a set-up are not read again."""
    body: Mapping[str, Any] = cell["effective"]
    if body["asking"]["elicit"] == "options":
        return "options"
    score: Any = body["reading"].get("score")
    name = next(iter(score), "") if isinstance(score, Mapping) else score  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(name) if name in ("judge", "code", "function", "recorded") else None
