"""Raw answers worth looking at: what went wrong at the levels that moved the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.analysis.results import Analysis, HeatEntry, Sample
from eyechart.app.finished import Finished
from eyechart.app.imported_rule import recorded_rule
from eyechart.core.effective import Asking, Reading
from eyechart.core.records import Request, Response
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.store.store import Entry, Store

PER_LEVEL = 3


def samples(run: Finished, analysis: Analysis, per_level: int = PER_LEVEL) -> tuple[Sample, ...]:
    """At least `per_level` failures (where there are so many) for each level that moved the score,
    and for each level that lost the most where none was flagged."""
    flagged = [e for e in analysis.heat if e.flagged] or _largest(analysis)
    wanted: list[tuple[HeatEntry, int]] = []
    for entry in flagged:
        wanted += [(entry, row) for row in _failing_rows(run, entry, per_level)]
    seen = run.observations
    keys = {run.keys[int(seen.call[row])] for _, row in wanted}
    with Store(run.folder.store, create=False) as store:
        entries = {e.key: e for e in store.entries(keys)}
    out: list[Sample] = []
    for entry, row in wanted:
        found = entries.get(run.keys[int(seen.call[row])])
        if found is not None:
            out.append(_sample(run, entry, row, found))
    return tuple(out)


def _largest(analysis: Analysis) -> list[HeatEntry]:
    def size(entry: HeatEntry) -> float:
        return abs(getattr(entry.change, "value", 0.0))

    return sorted((e for e in analysis.heat if not e.baseline), key=size, reverse=True)[:2]


def _failing_rows(run: Finished, entry: HeatEntry, count: int) -> list[int]:
    """Rows scored 0 on this side of the change, first those that the other side got right."""
    seen, layout = run.observations, run.layout
    factor = next(f for f in layout.factors if f.name == entry.factor)
    worse = entry.level if getattr(entry.change, "value", 0.0) <= 0 else factor.baseline
    better = factor.baseline if worse == entry.level else entry.level
    picked: dict[int, None] = {}
    spare: dict[int, None] = {}
    for context in layout.contexts(factor):
        if worse not in context or better not in context or context[worse] == context[better]:
            continue
        other = seen.means(context[better])
        for row in _wrong(seen, context[worse]):
            (picked if other[seen.item[row]] > 0.5 else spare).setdefault(row)
    rows = _spread(list(picked), count)
    return rows + _spread(list(spare), count - len(rows))


def _wrong(seen: Observations, cell: int) -> list[int]:
    rows = seen.rows(cell)
    wrong = np.flatnonzero(seen.scored[rows] & (seen.value[rows] == 0))
    return [rows.start + int(r) for r in wrong]


def _spread(rows: list[int], count: int) -> list[int]:
    """`count` of them, spread over all: not three of one set-up."""
    if count >= len(rows):
        return rows
    return [rows[int((i + 0.5) * len(rows) / count)] for i in range(count)]


def _sample(run: Finished, entry: HeatEntry, row: int, found: Entry) -> Sample:
    seen = run.observations
    cell: Mapping[str, Any] = run.facts["cells"][int(seen.cell[row])]
    body: Mapping[str, Any] = cell["effective"]
    renderer = Renderer(Asking.from_body(body["asking"]))
    item = renderer.prepared(run.items[seen.items[int(seen.item[row])]])
    reading = Reading.from_body(renderer.asking.elicit, body["reading"])
    extraction, score = read_response(found.response, item, renderer.labels(item), reading, found.request.options)
    return Sample(
        cell=cell["id"],
        item=item.id,
        group=item.group,
        prompt=_prompt(found.request),
        text=_text(found.request, found.response),
        outcome=OUTCOMES[int(seen.outcome[row])].value,
        extracted=extraction.value,
        rule=recorded_rule(reading.extraction),
        gold=" | ".join(item.gold),
        reason=f"the judge gives {seen.value[row]:.2f}"
        if reading.score == "judge"
        else score.reason or extraction.reason,
        factor=entry.factor,
        level=cell["levels"][entry.factor],
    )


def _prompt(request: Request) -> str:
    if request.prompt is not None:
        return request.prompt
    return "\n\n".join(f"[{m.role}]\n{m.content}" for m in request.messages)


def _text(request: Request, response: Response) -> str:
    if response.text is not None:
        return response.text
    rows = response.option_logprobs or ()
    return "\n".join(f"{o.strip()}: {sum(lp):.3f}" for o, lp in zip(request.options, rows, strict=False))
