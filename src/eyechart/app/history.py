"""history: one fixed set over versions of a model or a prompt. Never calls a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from os.path import commonpath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.error_terms import FILE, Record, Shown
from eyechart.analysis.history import MOVING, History, Watch
from eyechart.analysis.history import history as looked_at
from eyechart.analysis.history_terms import Measured, Spent
from eyechart.analysis.results import Number
from eyechart.analysis.scores import common_spread
from eyechart.analysis.setups import SetUp
from eyechart.app.answers import of_run
from eyechart.app.finished import Finished
from eyechart.app.grade import Graded, grade_lines
from eyechart.app.history_record import read_record, shown
from eyechart.app.lines import Line
from eyechart.app.paper import doubted, paper, write_paper
from eyechart.app.reread import usual
from eyechart.app.setups import Found, doubts_of, read_all, runs_in
from eyechart.core.codec import load_study
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.graders import CAREFUL
from eyechart.core.records import Estimate, NotEstimable
from eyechart.core.spec import Prices
from eyechart.report.blocks import Part
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.notebook import fragment
from eyechart.report.sections.history import history_part, sentence, title
from eyechart.store.store import Store

READ = 5_000
"""Answers of one run up to which other readers read them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logbook(History):
    """A `History` with its record of error terms and its pictures."""

    record: Record | None = None
    entries: tuple[Shown, ...] = ()
    unread: tuple[str, ...] = field(default=())
    """Folders that are no runs of this version, one line each."""
    doubts: tuple[str, ...] = ()
    """Runs whose numbers are not as they were sealed."""

    def part(self) -> Part:
        return doubted(history_part(self, self.record, self.entries), self.doubts)

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be."""
        write_paper(Path(path), say(title(self), language), [self.part()], language)
        return Path(path)

    def __str__(self) -> str:
        return say(sentence(self), "en")

    def _repr_html_(self) -> str:
        return fragment(paper(say(title(self), "en"), [self.part()]))


def history(
    *runs: str | Path,
    moving: Sequence[str] = (),
    record: Path | str | None = None,
    readers: bool = True,
    **watch: Any,
) -> Logbook:
    """Runs of one fixed set in the order of time: what moved, when, which error grew, what was fixed, what it cost.

    `runs`: run folders, `RUN#c001`, folders that hold runs; of a run with several set-ups the baseline is followed.
    `moving`: fields that may differ beside those of the model, its engine, and the prompt. `record`: the file of error
    terms; by default `eyechart-history.yaml` in the folder that holds the runs. `readers`: whether answers are read
    again by the usual readers, to see how far these disagree. `watch`: `level`, `rate`, `looks`, `bound`, `given`,
    fields of `analysis.history.Watch`. Raises InputError.
    """
    if not runs:
        raise InputError("name runs, or a folder that holds them")
    found, unread = runs_in(runs)
    made = Watch(moving=tuple(dict.fromkeys((*MOVING, *moving))), **watch)
    measured = [_measured(run, one, readers) for run, one in read_all(found, unread, baseline=True)]
    if not measured:
        raise InputError("none of these runs has an answer")
    if not made.given and all(one.at is None for one in measured):
        raise InputError("no run says when it was made; give them in order, with --order given", field="--order")
    try:
        seen = looked_at(measured, made)
    except ValueError as error:
        raise InputError(str(error), field="--looks") from None
    file = Path(record) if record is not None else record_beside(runs)
    told = read_record(file)
    by_folder = {Path(one.set_up.run).resolve(): one for one in measured}
    return Logbook(
        **{part.name: getattr(seen, part.name) for part in fields(History)},
        record=told,
        entries=() if told is None else shown(told, by_folder, file.parent),
        unread=tuple(unread),
        doubts=doubts_of(found),
    )


def record_beside(runs: Sequence[str | Path]) -> Path:
    """Where the record of error terms stands: in the folder that was named, else in that which holds all runs."""
    paths = [Path(str(one).rpartition("#")[0] or str(one)) if "#" in str(one) else Path(one) for one in runs]
    if len(paths) == 1 and not (paths[0] / "run.json").is_file():
        return paths[0] / FILE
    return Path(commonpath([path.absolute().parent for path in paths])) / FILE


def _measured(found: Found, one: SetUp, readers: bool) -> Measured:
    disagree, spread = _readers(found, one) if readers else _unread("readers were not asked for")
    return Measured(
        set_up=one,
        at=_at(found.run.facts["finished"]),
        readers=disagree,
        reader_spread=spread,
        spread=_spread(found.run),
        spent=_spent(found),
    )


def _at(text: Any) -> datetime | None:
    """A time as it stands in `run.json`; one without a zone is taken for UTC. None where it is no time."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _unread(reason: str) -> tuple[NotEstimable, NotEstimable]:
    return NotEstimable(name="readers", reason=reason), NotEstimable(name="reader_spread", reason=reason)


def _readers(found: Found, one: SetUp) -> tuple[NDArray[np.float64] | NotEstimable, Number]:
    """For each item the share of its answers that a careful reader scores otherwise than the study does; and the highest
    less the lowest score that the usual readers give."""
    cell = found.cell or str(found.run.facts["cells"][0]["id"])
    score = next(c for c in found.run.facts["cells"] if c["id"] == cell)["effective"]["reading"].get("score")
    if score == "judge" or (isinstance(score, Mapping) and "verdict" in score):
        return _unread("a judge read the answers")
    if int((one.outcomes >= 0).sum()) > READ:
        return _unread(f"more than {READ:,} answers: eyechart reread reads them again")
    try:
        lines = tuple(of_run(found.run, {cell}))
        if not lines:
            return _unread("options were scored; no text was written")
        if any(line.kind == "code" for line in lines):
            return _unread("answers are programs")
        names = usual({line.kind for line in lines})
        graded = {name: grade_lines(lines, name) for name in dict.fromkeys((CAREFUL, *names))}
    except EyechartError as error:
        return _unread(str(error))
    means = [
        float(np.mean(known)) for rows in graded.values() if (known := [r.value for r in rows if r.value is not None])
    ]
    spread = Estimate(name="reader_spread", value=max(means) - min(means), n=len(lines)) if len(means) > 1 else _few()
    return _otherwise(one, lines, graded[CAREFUL]), spread


def _few() -> NotEstimable:
    return NotEstimable(name="reader_spread", reason="fewer than two readers score these answers")


def _otherwise(one: SetUp, lines: Sequence[Line], careful: Sequence[Graded]) -> NDArray[np.float64] | NotEstimable:
    place = {item: i for i, item in enumerate(one.items)}
    several = one.values.shape[1] > 1
    total, count = np.zeros(len(place)), np.zeros(len(place))
    for line, row in zip(lines, careful, strict=True):
        at, repeat = place[line.item.id], int(line.id.rpartition("/")[2]) if several else 0
        if row.value is not None and not one.missing[at, repeat]:
            total[at] += abs(row.value - float(one.values[at, repeat]))
            count[at] += 1
    if not bool((count > 0).any()):
        return NotEstimable(name="readers", reason="no answer is scored by both readers")
    known = count > 0
    return np.where(known, total / np.maximum(count, 1), np.nan)  # NaN: of this item nothing is known


def _spread(run: Finished) -> Number:
    """Standard deviation of the score over the set-ups of a run, noise removed."""
    if len(run.layout.cells) < 2:
        return NotEstimable(name="set_ups", reason="one set-up")
    found = common_spread(run.observations, list(range(len(run.layout.cells))))
    if found is None or not isinstance(found.sd, float):
        return NotEstimable(name="set_ups", reason="no spread beyond noise")
    return Estimate(name="set_ups", value=found.sd, n=len(run.layout.cells))


def _spent(found: Found) -> Spent:
    facts = found.run.facts
    if found.imported is not None:
        return Spent(calls=None, reused=0, seconds=_seconds(facts), money=None, currency=None)
    prices = _prices(found.run)
    calls, money, known = 0, 0.0, prices is not None
    with Store(found.run.folder.store, create=False) as store:
        for engine in facts["engines"]:
            # Only what this folder asked for itself has an attempt in its store; taken over answers have none.
            pace = store.pace(engine["digest"])
            if pace is None:
                continue
            calls += pace.calls
            if prices is None or pace.prompt_tokens is None or pace.completion_tokens is None:
                known = False
            else:
                cost = pace.prompt_tokens * prices.prompt + pace.completion_tokens * prices.completion
                money += pace.calls * cost / 1e6
        answered = len(store.known(set(found.run.keys)))
    return Spent(
        calls=calls,
        reused=max(0, answered - calls),
        seconds=_seconds(facts),
        money=money if known and calls else None,
        currency=prices.currency if prices is not None and known and calls else None,
    )


def _prices(run: Finished) -> Prices | None:
    try:
        return load_study((run.folder.path / "study.yaml").read_text(encoding="utf-8")).prices
    except (EyechartError, OSError, UnicodeDecodeError):
        return None


def _seconds(facts: Mapping[str, Any]) -> float | None:
    started, ended = _at(facts["started"]), _at(facts["finished"])
    if started is None or ended is None or ended < started:
        return None
    return (ended - started).total_seconds()
