"""judge audit of a run: its verdicts as tables, and every probe against the baseline. Never calls a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.judged_grades import audit_grades
from eyechart.analysis.judged_joint import audit_pairs
from eyechart.analysis.judged_probes import Fair, Probed, moved, retest
from eyechart.analysis.judgements import TOLERANCE, Effect, Grades, Pairs, corrected, held_back
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.core.effective import Asking
from eyechart.core.errors import InputError
from eyechart.core.judging import SWAP
from eyechart.core.plugins import split_name
from eyechart.core.records import Estimate, Item, NotEstimable
from eyechart.edits.judged import PROBES
from eyechart.render import Renderer

FloatArray = NDArray[np.float64]
_HUMAN = {"a": 1.0, "b": -1.0, "tie": 0.0}


@dataclass(frozen=True)
class Judged:
    """The verdicts of a run whose model is a judge."""

    run: Finished

    @cached_property
    def menu(self) -> Mapping[str, Any]:
        """Parameters of the scorer of verdicts: mode, and labels or scale. Raises InputError for other runs."""
        score = self.run.facts["cells"][0]["effective"]["reading"].get("score")
        if not isinstance(score, Mapping) or "verdict" not in score:
            raise InputError(
                f"{self.run.folder.path} is no run of a judge: its study states no `judge`; audit what a judge said of "
                "these answers as a table, or by `eyechart judge run`"
            )
        return cast("Mapping[str, Any]", score["verdict"])

    @property
    def pairwise(self) -> bool:
        return self.menu["mode"] == "pairwise"

    @cached_property
    def items(self) -> tuple[Item, ...]:
        return tuple(self.run.items[name] for name in self.run.observations.items)

    @cached_property
    def clusters(self) -> tuple[str, ...] | None:
        known = [item.cluster for item in self.items]
        return tuple(c for c in known if c is not None) if all(c is not None for c in known) else None

    def opinions(self, cell: int) -> FloatArray:
        """[items, repeats]: scores in [0, 1]; 1 where content a is preferred. NaN where unreadable or not asked."""
        seen = self.run.observations
        rows = seen.rows(cell)
        repeats = int(self.run.facts["cells"][cell]["repeats"])
        out = np.full((len(seen.items), repeats), np.nan)
        known = seen.scored[rows]
        out[seen.item[rows][known], seen.repeat[rows][known]] = seen.value[rows][known]
        return out

    def edits(self, cell: int) -> list[str]:
        return [split_name(edit)[0] for edit in self._prompt(cell)["edits"]]

    def _prompt(self, cell: int) -> Mapping[str, Any]:
        return self.run.facts["cells"][cell]["effective"]["asking"]["prompt"]

    def shown(self, cell: int) -> list[Item]:
        """The items as the judge saw them in `cell`."""
        renderer = Renderer(Asking.from_body(self.run.facts["cells"][cell]["effective"]["asking"]))
        return [renderer.prepared(item) for item in self.items]

    def single_changes(self) -> list[tuple[int, str, str]]:
        """Cells that differ from the baseline in one factor: cell, factor, level."""
        base = dict(self.run.facts["cells"][0]["levels"])
        out: list[tuple[int, str, str]] = []
        for number, cell in enumerate(self.run.facts["cells"]):
            changed = [(name, level) for name, level in cell["levels"].items() if base[name] != level]
            if len(changed) == 1:
                out.append((number, *changed[0]))
        return out


def audit_run(
    path: Path | str, *, own: str | None = None, tolerance: float = TOLERANCE, level: float = 0.95
) -> JudgeAudit:
    """What a run of `eyechart judge run` says of its judge. `own`: the model in the data that is the judge itself.

    Raises InputError where the folder is no run of a judge.
    """
    return audit_of(finished(Folder(Path(path))), own=own, tolerance=tolerance, level=level)


def audit_of(run: Finished, *, own: str | None = None, tolerance: float = TOLERANCE, level: float = 0.95) -> JudgeAudit:
    """As `audit_run`, of a run at hand."""
    judged = Judged(run)
    cells = judged.run.facts["cells"]
    model: Mapping[str, Any] = cells[0]["stated"].get("model", {})
    name = str(model.get("name") or model.get("path") or model.get("backend") or "embedded")
    own, notes = _own(judged, own, name)
    swapped = next((n for n, _, _ in judged.single_changes() if _swaps(judged, n)), None)
    if judged.pairwise:
        base = audit_pairs(_pairs(judged, swapped), own=own, tolerance=tolerance, level=level)
    else:
        base = audit_grades(_grades(judged), own=own, tolerance=tolerance, level=level)
    length = next((e.value for e in base.effects if e.name == "length" and judged.pairwise), None)
    probes: list[Effect] = []
    for cell, factor, chosen in judged.single_changes():
        if cell == swapped:
            continue
        probe, growth = _probe(judged, cell, factor, chosen)
        if probe is None:
            notes.append(f"{factor}: changes nothing in these answers, and was not tried")
            continue
        effect = moved(probe, tolerance=tolerance, level=level)
        probes.append(replace(effect, notes=(*effect.notes, *_longer(growth, length))))
    if judged.pairwise and swapped is None:
        notes.append(
            "asked in one order only: position cannot be told from preference; add judge.order: [given, swapped]"
        )
    return JudgeAudit(
        source=str(run.folder.path),
        judge=name,
        mode=str(judged.menu["mode"]),
        base=base,
        effects=_together(base.effects, probes, level),
        retest=retest(
            judged.opinions(0),
            metric="nominal" if judged.pairwise else "interval",
            level=level,
            clusters=judged.clusters,
        ),
        own=own,
        notes=tuple(notes),
    )


def _together(base: Sequence[Effect], probes: Sequence[Effect], level: float) -> tuple[Effect, ...]:
    """All corrected for each other. What `base` could not tell from quality stays untold, however small its p."""
    found = corrected((*base, *probes), level)
    kept = [
        replace(new, finding=old.finding) if new.finding == "biased" and old.finding in ("unsure", "unknown") else new
        for old, new in zip(base, found, strict=False)
    ]
    return held_back(found, (*kept, *found[len(base) :]), level)


def _swaps(judged: Judged, cell: int) -> bool:
    return set(judged.edits(cell)) ^ set(judged.edits(0)) == {SWAP}


def _own(judged: Judged, own: str | None, name: str) -> tuple[str | None, list[str]]:
    models = {str(item.fields[f]) for item in judged.items for f in ("model", "model_a", "model_b") if f in item.fields}
    if own is not None and own not in models:
        raise InputError(f"no answer is by {own}; there are: {', '.join(sorted(models)) or 'no columns of models'}")
    if own is None and name in models:
        return name, [f"own model <- {name}, the name of the judge"]
    return own, []


def _pairs(judged: Judged, swapped: int | None) -> Pairs:
    """The first repeat of both orders."""
    first = 2 * judged.opinions(0)[:, 0] - 1
    second = 2 * judged.opinions(swapped)[:, 0] - 1 if swapped is not None else np.full_like(first, np.nan)
    ab, ba = (second, first) if SWAP in judged.edits(0) else (first, second)
    human = np.array([_HUMAN.get(item.gold[0], np.nan) if item.gold else np.nan for item in judged.items])
    models = [(item.fields.get("model_a"), item.fields.get("model_b")) for item in judged.items]
    sizes = [[max(1, len(str(item.fields[f"output_{side}"]))) for side in "ab"] for item in judged.items]
    return Pairs(
        source=str(judged.run.folder.path),
        items=tuple(item.id for item in judged.items),
        ab=ab,
        ba=ba,
        human=None if np.isnan(human).all() else human,
        models=tuple((str(a), str(b)) for a, b in models) if all(a and b for a, b in models) else None,
        lengths=np.array(sizes, dtype=float),
        clusters=judged.clusters,
    )


def _grades(judged: Judged) -> Grades:
    menu = judged.menu
    words = list(menu.get("labels", ()))
    low, high = (0.0, len(words) - 1.0) if words else (float(menu["low"]), float(menu["high"]))
    human = np.array([_number(item, words) for item in judged.items])
    models = [item.fields.get("model") for item in judged.items]
    return Grades(
        source=str(judged.run.folder.path),
        items=tuple(item.id for item in judged.items),
        scores=low + judged.opinions(0) * (high - low),
        human=None if np.isnan(human).all() else human,
        models=tuple(str(m) for m in models) if all(models) else None,
        lengths=np.array([max(1, len(str(item.fields["output"]))) for item in judged.items], dtype=float),
        scale=(low, high),
        clusters=judged.clusters,
    )


def _number(item: Item, words: Sequence[str]) -> float:
    """What people say of an item on the scale; NaN where nobody was asked."""
    if not item.gold:
        return float("nan")
    if words:
        return float(words.index(item.gold[0])) if item.gold[0] in words else float("nan")
    try:
        return float(item.gold[0])
    except ValueError:
        return float("nan")


def _probe(judged: Judged, cell: int, factor: str, level: str) -> tuple[Probed | None, float]:
    """What a cell tried, None where it changed no item; and how much longer it made the answers, as a log."""
    before, after = judged.opinions(0), judged.opinions(cell)
    probe = next((p for p in PROBES.values() if split_name(p.edit)[0] in judged.edits(cell)), None)
    shown = judged.shown(cell) if probe is not None else []
    sides = [cast("str | None", item.fields.get("probed")) for item in shown]
    if probe is None or "both" in sides:  # no answer is favoured
        return _reworded(judged, before, after, factor, level), 0.0
    touched = np.array([side is not None for side in sides])
    if not touched.any():
        return None, 0.0
    turned = np.array([side == "b" for side in sides])
    for opinions in (before, after):
        opinions[turned] = 1 - opinions[turned]
        opinions[~touched] = np.nan
    fair: Fair = "never" if split_name(probe.edit)[0] == "empty_output" else probe.fair
    growth = 0.0 if fair != "none" else _growth(judged.items, shown, swapped=SWAP in judged.edits(cell))
    return (
        Probed(name=factor, towards=probe.towards, before=before, after=after, fair=fair, clusters=judged.clusters),
        growth,
    )


def _growth(items: Sequence[Item], shown: Sequence[Item], *, swapped: bool) -> float:
    """Mean log of new over old length of the answers that were changed."""
    logs: list[float] = []
    for old, new in zip(items, shown, strict=True):
        side = new.fields.get("probed")
        if side is None:
            continue
        was = "output" if side == "output" else f"output_{side}"
        now = was if side == "output" or not swapped else f"output_{'b' if side == 'a' else 'a'}"
        logs.append(float(np.log(max(1, len(str(new.fields[now]))) / max(1, len(str(old.fields[was]))))))
    return float(np.mean(logs)) if logs else 0.0


def _longer(growth: float, length: Estimate | NotEstimable | None) -> Iterator[str]:
    """An edit that adds words is judged for its length as well."""
    if growth > 0.1 and isinstance(length, Estimate) and length.interval and length.interval.low > 0:
        alone = length.value * growth / np.log(2)
        yield f"it makes the answer {np.exp(growth) - 1:.0%} longer; length alone would give about {alone * 100:+.1f} points"


def _reworded(judged: Judged, before: FloatArray, after: FloatArray, factor: str, level: str) -> Probed:
    towards: Literal["another verdict", "higher scores"] = "another verdict" if judged.pairwise else "higher scores"
    return Probed(
        name=factor if level == "edited" else f"{factor} {level}", towards=towards, before=before, after=after, rewording=judged.pairwise,
        clusters=judged.clusters,
    )  # fmt: skip
