"""What a gate needs beside the scores of a run: its answers under other readers, labels of people, shared seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.gate_estimates import Labels, Readers
from eyechart.analysis.gate_text import Limit
from eyechart.app.answers import of_run
from eyechart.app.finished import Finished
from eyechart.app.grade import grade_lines
from eyechart.app.reread import usual
from eyechart.core.errors import InputError
from eyechart.core.graders import Kind
from eyechart.core.records import NotEstimable
from eyechart.core.registry import hint
from eyechart.data.table_files import Rows, open_columns
from eyechart.stats.agreement import krippendorff_alpha
from eyechart.stats.ceiling import majority
from eyechart.stats.evidence import Coefficient, Evidence
from eyechart.stats.laws import t_quantile

PERSON = ("human_", "second_")
ITEM = ("item_id", "id", "item")


def readers_of(run: Finished, cell: int, limits: Sequence[Limit]) -> dict[tuple[int, str | None], Readers | str]:
    """The answers of the set-ups that a limit on the extractor spread looks at, read again.

    Raises InputError for a reader that is not there.
    """
    known = [str(one["id"]) for one in run.facts["cells"]]
    wanted: dict[tuple[int, str | None], None] = {}
    for limit in limits:
        if limit.estimate != "extractor_spread":
            continue
        name = limit.option("cell")  # one that is not there is refused where its limit is looked at
        here = [cell] if name is None else [i for i, one in enumerate(known) if name in ("", one)]
        wanted |= dict.fromkeys((at, limit.named) for at in here)
    return {(at, named): _readers(run, at, named) for at, named in wanted}


def _readers(run: Finished, cell: int, named: str | None) -> Readers | str:
    facts = run.facts["cells"][cell]
    score = facts["effective"]["reading"].get("score")
    if score == "judge" or (isinstance(score, Mapping) and "verdict" in score):
        return "a judge graded it: a verdict is no text to be read by rules"
    lines = list(of_run(run, {str(facts["id"])}))
    if not lines:
        return "options were scored: no text was written that could be read"
    kinds: set[Kind] = {line.kind for line in lines}
    if "code" in kinds:
        return "its answers are programs, which rules of reading say nothing about"
    where = {item: i for i, item in enumerate(run.observations.items)}
    names = usual(kinds) if named is None else tuple(dict.fromkeys(n.strip() for n in named.split("+") if n.strip()))
    if len(names) < 2:
        raise InputError(f"extractor_spread({named}): two readers make a spread; write careful+last_number")
    table = np.full((len(names), len(where)), np.nan)
    for row, name in enumerate(names):
        sums, counts = np.zeros(len(where)), np.zeros(len(where))
        for line, graded in zip(lines, grade_lines(lines, name), strict=True):
            if graded.value is not None:
                sums[where[line.item.id]] += graded.value
                counts[where[line.item.id]] += 1
        table[row] = np.divide(sums, counts, out=np.full(len(where), np.nan), where=counts > 0)
    return Readers(names=names, table=table)


def labels_of(path: Path, run: Finished) -> tuple[Labels, list[str]]:
    """Right (1) or wrong (0) by people, of the items of `run`, as `judge sheet read` writes them.

    Columns: `item_id` (an item, or `cell/item` as answers are exported), `human`, and `human_1`, `human_2`, ... where
    there are several people. Raises InputError for a table without them, for grades that are not 0 or 1, and where no
    item is one of the run.
    """
    if ".parquet" in path.suffixes:
        raise InputError("is Parquet; give CSV or JSON Lines", file=str(path))
    with ExitStack() as files:
        header, found = open_columns(str(path), lambda names: names, files)
        rows = [(line, dict(zip(header, cells, strict=False))) for line, cells in cast("Rows", found)]
    id_column = next((column for column in ITEM if column in header), None)
    people = [column for column in header if column.startswith(PERSON[0]) and column[len(PERSON[0]) :].isdigit()]
    if id_column is None or ("human" not in header and not people):
        close = hint(str(header[0]) if header else "", ("item_id", "human"))
        raise InputError(f"needs the columns item_id and human ({close})", file=str(path))
    items = [_item(str(row[id_column]).removeprefix("'"), run) for _, row in rows]
    table = np.array([[_label(row.get(c), line, c, path) for c in people] for line, row in rows]).reshape(len(rows), -1)
    if "human" in header:
        said = np.array([_label(row.get("human"), line, "human", path) for line, row in rows])
    else:
        said = majority(table)
    right = {item: float(v) for item, v in zip(items, said, strict=True) if item is not None and not np.isnan(v)}
    lost = sum(item is None for item in items)
    if not right:
        raise InputError(f"none of its {len(rows)} labels is about an item of {run.folder.path}", file=str(path))
    notes = [f"{lost} of {len(rows)} labelled items are not in the run"] if lost else []
    notes += [f"{len(right)} items of {len(run.items)} have a label"]
    return Labels(right=right, alpha=_alpha(table), people=len(people)), notes


def _item(name: str, run: Finished) -> str | None:
    if name in run.items:
        return name
    inner = name.split("/", 1)[1] if "/" in name else ""
    if inner in run.items:
        return inner
    stem = inner.rpartition("/")[0]
    return stem if stem in run.items else None


def _label(value: Any, line: int, column: str, path: Path) -> float:
    text = "" if value is None else str(value).strip()
    if not text:
        return float("nan")
    known = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "wrong": 0.0, "right": 1.0, "false": 0.0, "true": 1.0}
    if text.casefold() not in known:
        raise InputError(
            f"{text:.40} is no verdict; a spot check wants 1 right or 0 wrong (judge sheet export --scale 0 1)",
            file=str(path), line=line, field=column,
        )  # fmt: skip
    return known[text.casefold()]


def _alpha(table: NDArray[np.float64]) -> Evidence | NotEstimable:
    if table.shape[1] < 2:
        return NotEstimable(name="people", reason="one person labelled: agreement needs two", n=len(table))
    found = krippendorff_alpha(table, metric="nominal")
    if isinstance(found, NotEstimable):
        return found
    if found.interval is None:
        return NotEstimable(name="people", reason="all agree in full: how far that may move is not known", n=found.n)
    df = found.n - 1.0
    high, low = np.arctanh(found.interval.high), np.arctanh(found.interval.low)
    return Coefficient(value=found.value, se=float(high - low) / 2 / t_quantile(0.975, df), df=df)
