"""reproduce: run an evaluation again from its folder, and judge the new score against the interval it should lie in.

Nothing of the first run is reused: the second has a store of its own, so that no answer is a cache hit. Where the same
requests go to the same engine and nothing is drawn anew, answers must be equal one by one; where they are not, that
is said, and the scores are held against the noise of runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyechart.app.finished import Finished, finished
from eyechart.app.folder import RUNS, Folder
from eyechart.app.grid import EngineUse
from eyechart.app.harness_again import run_again
from eyechart.app.harness_facts import made_by_harness
from eyechart.app.harness_start import Started
from eyechart.app.kept import whole
from eyechart.app.relaid import Relaying, first_difference
from eyechart.app.report import write_report
from eyechart.app.run import Progress, Ran, run
from eyechart.core.codec import dump_study, load_study
from eyechart.core.effective import effective
from eyechart.core.errors import InputError
from eyechart.core.identity import engine_digest
from eyechart.core.judging import judge_of
from eyechart.core.plugins import BACKENDS
from eyechart.core.records import NotEstimable
from eyechart.core.spec import Model, Spec, StudySpec
from eyechart.stats.reproduction import WITHIN, Reproduction, equal_answers, same_items
from eyechart.store.store import Entry, Store

HARMLESS = frozenset(("echo", "synthetic", "simulated_judge", "embedded", "llamacpp", "replay"))
"""Backends that run no code of the folder's choosing, and send nothing anywhere."""
FOREIGN: Mapping[str, str] = {
    "command": "runs a command",
    "function": "runs a Python function",
    "openai": "sends to a server, and may hand it a key",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Answers of both runs to the very same request and repeat."""

    compared: int
    differ: int
    first: str | None
    """The first that differs: item, repeat and both texts; None where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAgain:
    """One set-up, run twice."""

    cell: str
    levels: tuple[tuple[str, str], ...]
    answers: Answers
    result: Reproduction | NotEstimable


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """What running it again showed."""

    path: Path
    out: Path
    cells: tuple[CellAgain, ...]
    calls: Mapping[str, int]
    may_differ: tuple[str, ...]
    """What stood otherwise the second time: engine, versions."""
    stopped: str | None
    """Why the second run is not complete; None when it is."""

    @property
    def code(self) -> str:
        """`reproduced`, `not_reproduced` or `cannot_tell`, of all set-ups together."""
        verdicts = [
            "cannot tell" if isinstance(c.result, NotEstimable) else c.result.verdict for c in self.cells
        ]  # fmt: skip
        if "not reproduced" in verdicts:
            return "not_reproduced"
        return "cannot_tell" if "cannot tell" in verdicts or self.stopped or not verdicts else "reproduced"

    @property
    def sentence(self) -> str:
        """The one line that a reader needs."""
        if self.stopped:
            return f"Cannot tell yet: {self.stopped}; the same command goes on."
        chosen = _telling(self.cells, self.code)
        text, count = _told(chosen), len(self.cells)
        of = f" ({chosen.cell} of {count} set-ups)" if count > 1 else ""
        first = {"reproduced": "Reproduced", "not_reproduced": "Not reproduced", "cannot_tell": "Cannot tell"}[
            self.code
        ]
        may = (
            ""
            if self.code == "reproduced" or not self.may_differ
            else f" It may differ by right: {self.may_differ[0]}."
        )
        return f"{first}{of}: {text}.{may}"

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{escape(cell.cell)}: {escape(_told(cell))}</li>" for cell in self.cells)
        return f"<p>{escape(self.sentence)}</p><ul>{rows}</ul>"


def _telling(cells: Sequence[CellAgain], code: str) -> CellAgain:
    """The set-up that decides: the first with the verdict of the whole."""
    for cell in cells:
        verdict = "cannot tell" if isinstance(cell.result, NotEstimable) else cell.result.verdict
        if verdict.replace(" ", "_") == code:
            return cell
    return cells[0]


def _told(cell: CellAgain) -> str:
    result, answers = cell.result, cell.answers
    if isinstance(result, NotEstimable):
        return result.reason
    if result.repeated == "the same answers":
        return f"all {answers.compared:,} answers are equal, and so is the score, {result.second * 100:.1f} points"
    text = f"{result.second * 100:.1f} points after {result.first * 100:.1f}"
    if result.interval is not None:
        low, high = result.interval.low * 100, result.interval.high * 100
        where = "inside" if low <= result.second * 100 <= high else "outside"
        text += f", {where} [{low:.1f}, {high:.1f}], where {result.interval.level * 100:.4g} % of new runs lie if nothing changed"
    if answers.differ:
        text += f"; {answers.differ:,} of {answers.compared:,} answers to the same request differ"
    if result.reason:
        text += f"; {result.reason}"
    if result.needed:
        text += f"; --repeats {result.needed} would do"
    return text


def reproduce(
    path: Path | str,
    out: Path | str | None = None,
    *,
    repeats: int | None = None,
    seed: int | None = None,
    trust: bool = False,
    within: float = WITHIN,
    progress: Progress | None = None,
    started: Started | None = None,
    allow_weak_sandbox: bool = False,
) -> Reproduced:
    """Run the study of folder `path` again into `out`; given again, it goes on, and asks nothing that is there.

    `seed`: another decoding seed, so that samples are drawn anew. `repeats`: of the second run. `within`: half-width,
    a fraction of 1, up to which the interval is narrow enough to say *reproduced*. `trust`: do what the folder says,
    where that runs code of its author or sends to a server. `progress` is told of calls, `started` of each process
    where a harness made the run: it is then run again by the same harness, from the folder where its files are.

    Raises InputError for an imported log, which cannot be asked, and where `trust` is needed.
    """
    first = finished(Folder(Path(path)))
    by_harness = made_by_harness(first.facts)
    if first.facts.get("imported") and not by_harness:
        raise InputError(f"{path} is an imported log: nothing can be asked of it; write a study, run it, and compare")
    target = Folder(Path(out) if out is not None else RUNS / _name(first, repeats, seed))
    if target.path.resolve() == first.folder.path.resolve():
        raise InputError("the second run needs a folder of its own; name another with --out")
    study = _changed(load_study((first.folder.path / "study.yaml").read_text(encoding="utf-8-sig")), repeats, seed)
    if by_harness:
        otherwise = run_again(first, study, target, trust=trust, started=started)
        return compared(first, finished(target), within=within, otherwise=otherwise)
    opened = _Live(first.folder.path)
    laid = Relaying(study, first.facts, whole(first.folder, first.facts), first.folder, opened.open)
    if not trust:
        for cell in first.facts["cells"]:
            _refuse(laid.set_up(cell).spec)  # of study.yaml, which is what would be run, whatever run.json says
    grid = laid.grid()
    ran: Ran | None = None
    try:
        ran = run(grid, dump_study(study), target, progress=progress, weak_sandbox=allow_weak_sandbox)
    finally:
        if ran is not None:
            write_report(target)
            target.seal()
    return compared(first, finished(target), ran, within=within)


def _name(first: Finished, repeats: int | None, seed: int | None) -> str:
    more = ("" if seed is None else f"-seed{seed}") + ("" if repeats is None else f"-x{repeats}")
    return f"{first.folder.path.resolve().name}-again{more}"


def _changed(study: StudySpec, repeats: int | None, seed: int | None) -> StudySpec:
    spec = study.spec
    if repeats is not None:
        spec = spec.model_copy(update={"repeats": spec.repeats.model_copy(update={"count": repeats})})
    if seed is not None:
        spec = spec.model_copy(update={"decoding": spec.decoding.model_copy(update={"seed": seed})})
    return study.model_copy(update={"spec": spec})


def _refuse(spec: Spec) -> None:
    """A folder may come from anybody: what it would do here is said before it is done."""
    ask = "give --trust if you know where the folder comes from"
    for one in (spec, judge_of(spec)):
        if one is None:
            continue
        backend = one.model.backend or "embedded"
        if backend not in HARMLESS:
            what = str(one.model.path or one.model.url or one.model.name)
            raise InputError(f"this run {FOREIGN.get(backend, f'asks through {backend}')} ({what[:80]}); {ask}")
        reading = effective(one).reading
        for part in (reading.score, reading.extraction):
            if isinstance(part, Mapping) and "function" in part:
                path = str(dict(part)["function"])
                raise InputError(f"this run is scored by code of its author ({path[:80]}); {ask}")


@dataclass(frozen=True)
class _Live:
    """Opens the engines that a study states; a model file is looked for here, and above the folder."""

    folder: Path

    def open(self, model: Model, wanted: str) -> EngineUse:
        located = model
        if model.path and not Path(model.path).is_absolute():
            for base in (Path(), *self.folder.resolve().parents):
                if (base / model.path).exists():
                    located = model.model_copy(update={"path": str(base / model.path)})
                    break
        backend = BACKENDS.get(model.backend or "embedded")(located)
        engine = backend.engine()
        return EngineUse(model=located, backend=backend, engine=engine, digest=engine_digest(engine))


def compared(
    first: Finished,
    second: Finished,
    ran: Ran | None = None,
    *,
    within: float = WITHIN,
    otherwise: str | None = None,
) -> Reproduced:
    """Two runs of one study, set-up by set-up; every verdict at the level that makes 95 % over all of them.
    `otherwise`: what is known to stand otherwise, beyond what run.json says."""
    cells = first.facts["cells"]
    level = 1 - 0.05 / max(1, len(cells))
    pair = _Pair(first, second)
    return Reproduced(
        path=first.folder.path,
        out=second.folder.path,
        cells=tuple(pair.cell(at, level, within) for at in range(len(cells))),
        calls=ran.calls() if ran else dict(second.facts["calls"]),
        may_differ=tuple(dict.fromkeys((*([otherwise] if otherwise else []), *_otherwise(first.facts, second.facts)))),
        stopped=second.facts["stopped"] or (_lacking(second.facts) if second.facts["missing"] else None),
    )


def _lacking(facts: Mapping[str, Any]) -> str:
    return f"{facts['missing']:,} calls were not made"


def _otherwise(one: Mapping[str, Any], two: Mapping[str, Any]) -> Iterator[str]:
    """What may move an answer and stood otherwise."""
    for a, b in zip(one["engines"], two["engines"], strict=False):
        then, now = ({k: v for k, v in body.items() if k != "digest"} for body in (a, b))
        if found := first_difference(then, now):
            yield f"the engine is another one ({found[0]}: {found[1]} then, {found[2]} now)"
    for name in ("machine", "processor", "cores"):
        if one["runtime"].get(name) != two["runtime"].get(name):
            yield f"the machine is another one ({name}: {one['runtime'].get(name)} then, {two['runtime'].get(name)} now)"
    then, now = (body["runtime"].get("packages", {}) for body in (one, two))
    if found := first_difference(then, now):
        yield f"other versions ({found[0]}: {found[1]} then, {found[2]} now)"


@dataclass(frozen=True)
class _Pair:
    first: Finished
    second: Finished

    @cached_property
    def items(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.first.observations.items)}

    @cached_property
    def places(self) -> dict[tuple[tuple[str, str], ...], int]:
        """Set-ups of the second run by their levels: processes of a harness may have broken off in between."""
        return {_levels(cell): at for at, cell in enumerate(self.second.facts["cells"])}

    def cell(self, at: int, level: float, within: float) -> CellAgain:
        said = self.first.facts["cells"][at]
        there = self.places.get(_levels(said))
        if there is None:
            lost = NotEstimable(
                name="reproduction", reason="the second run does not have this set-up: its process broke off"
            )
            none = Answers(compared=0, differ=0, first=None)
            return CellAgain(cell=said["id"], levels=tuple(said["levels"].items()), answers=none, result=lost)
        answers, whole_ = self.answers(at, there)
        one, hidden = self.matrix(self.first, at)
        two, gone = self.matrix(self.second, there)
        result: Reproduction | NotEstimable
        if (
            whole_
            and not answers.differ
            and one.shape == two.shape
            and bool((hidden == gone).all())
            and not hidden.all()
        ):
            seen = ~hidden.all(axis=1)
            means = np.where(~hidden, one, 0).sum(axis=1)[seen] / (~hidden).sum(axis=1)[seen]
            result = equal_answers(float(means.mean()), int(seen.sum()), one.shape[1], level)
        else:
            result = same_items(one, two, masks=(hidden, gone), level=level, within=within)
        return CellAgain(cell=said["id"], levels=tuple(said["levels"].items()), answers=answers, result=result)

    def matrix(self, run_: Finished, at: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Scores [items, repeats] in the order of the first run, and which are missing."""
        seen = run_.observations
        values, scored, codes = seen.matrix(at)
        place = np.array([self.items.get(name, -1) for name in seen.items], dtype=np.int64)[codes]
        out = np.zeros((len(self.items), max(1, values.shape[1])))
        missing = np.ones(out.shape, dtype=np.bool_)
        known = place >= 0
        out[place[known]], missing[place[known]] = values[known], ~scored[known]
        return out, missing

    def answers(self, at: int, there: int) -> tuple[Answers, bool]:
        """Answers to the same request, compared; and whether those are all there are on both sides."""
        one, two = self.entries(self.first, at), self.entries(self.second, there)
        both = [row for row in one if row in two and one[row].request_digest == two[row].request_digest]
        differ = [row for row in both if _said(one[row]) != _said(two[row])]
        first = None
        if differ:
            item, repeat = differ[0]
            texts = (f"{_said(side[differ[0]])!r:.60}" for side in (one, two))
            first = f"item {item}, repeat {repeat}: {' then, '.join(texts)} now"
        return Answers(compared=len(both), differ=len(differ), first=first), len(both) == len(one) == len(two)

    def entries(self, run_: Finished, at: int) -> dict[tuple[str, int], Entry]:
        seen = run_.observations
        rows = seen.rows(at)
        keys = [run_.keys[int(call)] for call in seen.call[rows]]
        with Store(run_.folder.store, create=False) as store:
            known = {entry.key: entry for entry in store.entries(keys)}
        places = zip(seen.item[rows].tolist(), seen.repeat[rows].tolist(), keys, strict=True)
        return {(seen.items[item], repeat): known[key] for item, repeat, key in places if key in known}


def _levels(cell: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(k), str(v)) for k, v in cell["levels"].items()))


def _said(entry: Entry) -> object:
    """What an answer says: not how long it took, nor who served it."""
    response = entry.response
    return response.text if response.text is not None else response.option_logprobs
