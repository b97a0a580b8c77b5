"""judge drift: one judge on the same anchors at two dates or more. Never calls a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eyechart.analysis.judged_probes import needed
from eyechart.analysis.judgements import TOLERANCE, Finding, Grades, Pairs
from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.app.judge_probes import Judged
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.data.judge_tables import read_judgements
from eyechart.stats.drift import Chart, cusum, drift


@dataclass(frozen=True, slots=True, kw_only=True)
class Drifted:
    """What a judge says of the same things at several dates."""

    sources: tuple[str, ...]
    anchors: int
    """Things with a readable verdict at every date."""
    left_out: int
    """Things without one at some date."""
    change: Estimate | NotEstimable
    """Last date less the first, a fraction of the scale; of pairs, of the preference for a."""
    changed: float
    """Share of anchors whose score is another one."""
    finding: Finding
    needed: int | NotEstimable
    """Anchors that would show a change as large as the tolerance."""
    chart: Chart | NotEstimable
    """CUSUM over all dates; NotEstimable for two."""
    notes: tuple[str, ...] = ()


def judge_drift(sources: Sequence[str], *, tolerance: float = TOLERANCE, level: float = 0.95) -> Drifted:
    """Compare what a judge said at several dates: tables of verdicts, or folders of `judge run`, the first one first.

    Raises InputError for fewer than two sources, a table of several judges, or no thing that all of them judged.
    """
    if len(sources) < 2:
        raise InputError("one date shows no drift; name an earlier and a later table or run of the same anchors")
    dates = [_scores(source) for source in sources]
    shared = [name for name in dates[0] if all(name in date for date in dates)]
    if not shared:
        raise InputError("the dates share no item with a readable verdict; judge the same anchors each time")
    table = np.array([[date[name] for name in shared] for date in dates])
    if table.min() < 0 or table.max() > 1:  # grades: one scale for all dates, never that of each by itself
        table = (table - table.min()) / max(float(np.ptp(table)), 1e-12)
    change = drift(table[0], table[-1], scale=(0.0, 1.0), level=level)
    every = dict.fromkeys(name for date in dates for name in date)
    lacking = NotEstimable(name="cusum", reason="two dates make no chart", n=2)
    return Drifted(
        sources=tuple(sources),
        anchors=len(shared),
        left_out=len(every) - len(shared),
        change=change,
        changed=float((np.abs(table[-1] - table[0]) > 1e-12).mean()),
        finding=_finding(change, tolerance, level),
        needed=needed(change, tolerance, level),
        chart=cusum(table) if len(dates) > 2 else lacking,
        notes=_otherwise(sources),
    )


def _finding(change: Estimate | NotEstimable, tolerance: float, level: float) -> Finding:
    if isinstance(change, NotEstimable):
        return "unknown"
    interval = change.interval
    if interval is not None and -tolerance < interval.low and interval.high < tolerance:
        return "negligible"
    return "biased" if change.p is not None and change.p <= 1 - level else "unsure"


def _scores(source: str) -> Mapping[str, float]:
    """Score in [0, 1] by item, those that were readable."""
    if Path(source).is_dir():
        judged = Judged(finished(Folder(Path(source))))
        with np.errstate(invalid="ignore"):
            opinions = judged.opinions(0)
        known = ~np.isnan(opinions)
        sums = np.where(known, opinions, 0.0).sum(axis=1)
        counts = known.sum(axis=1)
        return {i.id: float(s / c) for i, s, c in zip(judged.items, sums, counts, strict=True) if c}
    read = read_judgements(source)
    if len(read.groups) != 1:
        raise InputError("holds several judges; give one table for each", file=source)
    found = read.groups[0][1]
    if isinstance(found, Pairs):
        scores = (1 + (found.ab + found.ba) / 2) / 2
    elif isinstance(found, Grades):
        scores = found.scores[:, 0]
        if found.models is not None:  # several models may answer one question
            names = [f"{item} by {model}" for item, model in zip(found.items, found.models, strict=True)]
            return {name: float(score) for name, score in zip(names, scores, strict=True) if not np.isnan(score)}
    else:
        scores = found.judge
    return {name: float(score) for name, score in zip(found.items, scores, strict=True) if not np.isnan(score)}


def _otherwise(sources: Sequence[str]) -> tuple[str, ...]:
    """What else changed between runs: the judge itself, or what it is asked."""
    runs = [finished(Folder(Path(source))) for source in sources if Path(source).is_dir()]
    if len(runs) < len(sources):
        return ("tables do not tell whether the judge or its rubric changed; give folders of `judge run` for that",)
    cells = [run.facts["cells"][0] for run in runs]
    said: list[str] = []
    if len({cell["engine"] for cell in cells}) > 1:
        said.append("the judge is another one: its engine changed between these runs")
    if len({str(cell["effective"]["asking"]) for cell in cells}) > 1:
        said.append("the judge was asked otherwise: its prompt or decoding changed between these runs")
    return tuple(said)
