"""answers: everything a finished run was answered, as lines for a grader. Never calls a model."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.lines import Line
from eyechart.core.effective import Asking, Reading
from eyechart.core.graders import Kind
from eyechart.core.records import Item
from eyechart.render import Renderer
from eyechart.score.quantity_kind import kind_of_gold
from eyechart.store.store import Store


def of_folder(path: Path) -> Iterator[Line]:
    """Raises InputError where `path` is not a run folder."""
    return of_run(finished(Folder(path)))


def of_run(run: Finished, cells: Container[str] | None = None) -> Iterator[Line]:
    """Every answer of a run under every set-up that asked for text, in the order of its set-ups.

    `cells`: only those. The id is `cell/item`, with `/repeat` behind it where there are several; `model` is the set-up.
    """
    seen = run.observations
    with Store(run.folder.store, create=False) as store:
        for number, cell in enumerate(run.facts["cells"]):
            if cells is not None and cell["id"] not in cells:
                continue
            body: Mapping[str, Any] = cell["effective"]
            renderer = Renderer(Asking.from_body(body["asking"]))
            if renderer.asking.elicit != "generate":
                continue
            reading = Reading.from_body("generate", body["reading"])
            rows = seen.rows(number)
            keys = [run.keys[int(call)] for call in seen.call[rows]]
            answers = store.answers(set(keys))
            several = bool(seen.repeat[rows].any())
            for row, key in zip(range(rows.start, rows.stop), keys, strict=True):
                response = answers.get(key)
                if response is None or response.text is None:
                    continue
                item = renderer.prepared(run.items[seen.items[int(seen.item[row])]])
                name = f"{cell['id']}/{item.id}" + (f"/{int(seen.repeat[row])}" if several else "")
                labels = tuple(renderer.labels(item))
                yield Line(
                    id=name, kind=kind_of(reading, item), response=response, item=item, labels=labels, model=cell["id"]
                )


def kind_of(reading: Reading, item: Item) -> Kind:
    """What kind of question an item of a run is: by its choices and gold, and by the scorer where that says more."""
    if reading.score in ("math", "code"):
        return cast("Kind", reading.score)
    if item.choices:
        return "choice"
    return kind_of_gold(item.gold[0]) if item.gold else "text"
