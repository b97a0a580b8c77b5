"""A judge of right and wrong: how it errs, and the score that people's labels make of its verdicts.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> truth = (rng.random(1000) < 0.6).astype(float)
>>> verdicts = np.where(rng.random(1000) < 0.15, 1 - truth, truth)
>>> labels = np.where(np.arange(1000) < 200, truth, np.nan)
>>> found = audit_rates(Binary(source="t", items=tuple(map(str, range(1000))), judge=verdicts, human=labels)).overall
>>> found.basis, round(found.raw.value, 3), round(found.ppi.value, 3), round(float(truth.mean()), 3)
('ppi', 0.551, 0.575, 0.581)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from eyechart.analysis.judgements import Binary, FloatArray
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import agreement, cohen_kappa
from eyechart.stats.association import pearson
from eyechart.stats.corrected import (
    STRANGE,
    Homogeneity,
    Powered,
    Rates,
    judge_rates,
    ppi_mean,
    rogan_gladen,
    slice_p,
    youden_homogeneity,
)
from eyechart.stats.intervals import mean_clustered

Number = Estimate | NotEstimable
Basis = Literal["ppi", "human", "rogan_gladen", "none"]
ALL = "all answers"


ALONE = "the interval of Rogan-Gladen takes answers for independent: with clusters it is too narrow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The score of one target, or of all together, in every way that its labels allow; fractions of 1."""

    target: str
    n: int
    """Answers with a readable verdict; all else below is of these."""
    labelled: int
    unreadable: int
    raw: Number
    """What the judge says. Its interval knows nothing of the judge's errors."""
    human: Number
    """The labels alone."""
    ppi: Number
    """Labels and verdicts together (PPI++); needs a random labelled slice of this target."""
    weight: float | None
    """How far the judge is listened to in `ppi`, 0 to 1."""
    rogan_gladen: Number
    """The judge's rate with its errors turned around; needs error rates that hold here."""
    rates: Rates | None
    """Errors on labelled answers; None without labels, or where the judge gives scores between 0 and 1."""
    agreement: Number
    kappa: Number
    correlation: Number
    """Pearson's, where the judge gives scores."""
    slice_p: float | None
    """p of "the judge says the same of the labelled as of the rest"; low: they were not picked at random."""
    basis: Basis
    """Which of them may be quoted: the first that holds of `ppi`, `human`, `rogan_gladen`."""
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> Number:
        """The number that may be quoted, or why there is none."""
        found = {"ppi": self.ppi, "human": self.human, "rogan_gladen": self.rogan_gladen}
        return found[self.basis] if self.basis != "none" else self.ppi


@dataclass(frozen=True, slots=True, kw_only=True)
class RateAudit:
    source: str
    overall: Corrected
    targets: tuple[Corrected, ...]
    """One for each target where the table names several."""
    homogeneity: Homogeneity | NotEstimable
    """Whether the judge errs alike on all targets (Youden's J)."""
    notes: tuple[str, ...] = ()


def audit_rates(binary: Binary, *, calibration: Binary | None = None, level: float = 0.95) -> RateAudit:
    """Errors of a judge and the corrected score, for all answers and for each target.

    `calibration`: labels of other answers, used for Rogan and Gladen where a target has too few of its own. Labels of
    another target are *borrowed*: PPI is refused, and Rogan-Gladen says so. PPI is refused as well where the judge says
    something else of the labelled than of the rest (p < .001): they were no random slice; and over all targets where
    some of them have no labels.

    What cannot be estimated stands as NotEstimable in its place. Sources: `stats.corrected`.

    >>> b = Binary(source="t", items=tuple("abcd"), judge=np.array([1.0, 1, 0, 1]), human=np.full(4, np.nan))
    >>> audit_rates(b).overall.ppi.reason
    'no labels of this target'
    """
    every = np.ones(len(binary.items), dtype=np.bool_)
    names = tuple(dict.fromkeys(binary.targets or ()))
    masks = [np.array([t == name for t in binary.targets or ()]) for name in names] if len(names) > 1 else []
    known = ~np.isnan(binary.human) & ~np.isnan(binary.judge)
    without = [name for name, mask in zip(names, masks, strict=True) if not known[mask].any()] if masks else []
    targets = tuple(
        _corrected(binary, mask, name, _pool(binary, ~mask, calibration), level)
        for name, mask in zip(names, masks, strict=True)
    ) if masks else ()  # fmt: skip
    overall = _corrected(binary, every, ALL if len(names) != 1 else names[0], _labels(calibration), level)
    if without and known.any():
        reason = f"no labels of {', '.join(without[:3])}{' and others' if len(without) > 3 else ''}: they come from other targets"
        overall = _refused(overall, reason)
    alike = _homogeneity(targets)
    if isinstance(alike, Homogeneity) and alike.p < STRANGE:
        reason = f"the judge errs otherwise on other targets (p {alike.p:.1g}): their error rates do not hold here"
        targets = tuple(_unturned(t, reason) if _borrows(t) else t for t in targets)
        overall = _unturned(overall, reason) if without else overall
    return RateAudit(
        source=binary.source,
        overall=overall,
        targets=targets,
        homogeneity=alike,
        notes=binary.notes,
    )


def _labels(binary: Binary | None) -> tuple[FloatArray, FloatArray]:
    if binary is None:
        return np.empty(0), np.empty(0)
    rows = ~np.isnan(binary.human) & ~np.isnan(binary.judge)
    return binary.judge[rows], binary.human[rows]


def _pool(binary: Binary, others: np.ndarray, calibration: Binary | None) -> tuple[FloatArray, FloatArray]:
    """Labels that a target may borrow: stated ones, else those of the other targets."""
    if calibration is not None:
        return _labels(calibration)
    rows = others & ~np.isnan(binary.human) & ~np.isnan(binary.judge)
    return binary.judge[rows], binary.human[rows]


def _corrected(
    binary: Binary, mask: np.ndarray, target: str, borrowed: tuple[FloatArray, FloatArray], level: float
) -> Corrected:
    readable = mask & ~np.isnan(binary.judge)
    known = readable & ~np.isnan(binary.human)
    rest = readable & ~known
    groups = None if binary.clusters is None else np.asarray(binary.clusters)

    def of(rows: np.ndarray) -> np.ndarray | None:
        return None if groups is None else groups[rows]

    said, true, other = binary.judge[known], binary.human[known], binary.judge[rest]
    pair = None if groups is None else (groups[known], groups[rest])
    p = slice_p(said, other, clusters=pair)
    warnings = _told(binary, mask, said, other, p)
    powered: Powered | NotEstimable
    if said.size == 0:
        powered = NotEstimable(name="PPI++", reason="no labels of this target")
    elif p is not None and p < STRANGE:
        reason = f"the labelled are no random slice: the judge passes {said.mean():.0%} of them, {other.mean():.0%} of the rest"
        powered = NotEstimable(name="PPI++", reason=reason, n=said.size)
    else:
        powered = ppi_mean(said, true, other, clusters=pair, level=level)
    turned, own = _turned(binary.judge[readable], (said, true), borrowed, level)
    human = mean_clustered(true, of(known), level=level, name="labels alone")
    binary_judge = _binary(said, true)
    unlike = NotEstimable(name="agreement", reason="the judge gives scores: see the correlation", n=said.size)
    found = Corrected(
        target=target,
        n=int(readable.sum()),
        labelled=said.size,
        unreadable=int((mask & np.isnan(binary.judge)).sum()),
        raw=mean_clustered(binary.judge[readable], of(readable), level=level, name="judge's rate"),
        human=human,
        ppi=powered.mean if isinstance(powered, Powered) else powered,
        weight=powered.weight if isinstance(powered, Powered) else None,
        rogan_gladen=turned,
        rates=judge_rates(said, true, of(known), level=level) if binary_judge and said.size else None,
        agreement=agreement(said, true, of(known), level=level) if binary_judge else unlike,
        kappa=cohen_kappa(said, true, clusters=of(known), level=level)
        if binary_judge
        else replace(unlike, name="kappa"),
        correlation=pearson(said, true, of(known), level=level),
        slice_p=p,
        basis="none",
        warnings=(*warnings, *own, *((ALONE,) if groups is not None and isinstance(turned, Estimate) else ())),
    )
    return replace(found, basis=_basis(found, picked=p is not None and p < STRANGE))


def _binary(*parts: FloatArray) -> bool:
    return all(bool(((v == 0) | (v == 1)).all()) for v in parts)


def _told(binary: Binary, mask: np.ndarray, said: FloatArray, other: FloatArray, p: float | None) -> tuple[str, ...]:
    out = list[str]()
    unreadable = int((mask & np.isnan(binary.judge)).sum())
    if unreadable:
        out.append(f"{unreadable} verdicts could not be read; every rate is of the others")
    if p is not None and p < STRANGE:
        out.append(
            f"the labelled were not picked at random (judge {said.mean():.1%} of them, {other.mean():.1%} of the rest, "
            f"p {p:.1g}): the labels alone do not speak for the rest either"
        )
    elif p is not None and p < 0.05:
        out.append(f"the judge says something else of the labelled than of the rest (p {p:.2g}): picked at random?")
    return tuple(out)


def _turned(
    judged: FloatArray, own: tuple[FloatArray, FloatArray], borrowed: tuple[FloatArray, FloatArray], level: float
) -> tuple[Number, tuple[str, ...]]:
    """Rogan-Gladen from labels of the target, or else from borrowed ones, and what is to be said of it."""
    name = "Rogan-Gladen"
    labels, warnings = own, tuple[str, ...]()
    if min(np.sum(own[1] == 1), np.sum(own[1] == 0)) == 0 and borrowed[0].size:
        labels, warnings = (
            borrowed,
            (f"calibration borrowed: error rates are those of {borrowed[0].size} other answers",),
        )
    said, true = labels
    if said.size == 0:
        return NotEstimable(name=name, reason="no labels"), ()
    if not _binary(judged, said, true):
        return NotEstimable(name=name, reason="the judge or people give scores, not verdicts", n=said.size), ()
    right, wrong = true == 1, true == 0
    found = rogan_gladen(
        (int(judged.sum()), judged.size),
        (int(said[right].sum()), int(right.sum())),
        (int((1 - said[wrong]).sum()), int(wrong.sum())),
        level=level,
        name=name,
    )
    if isinstance(found, NotEstimable):
        return found, warnings
    if labels is borrowed and found.warnings:  # put back into [0, 1]: these error rates cannot hold here
        return NotEstimable(name=name, reason=found.warnings[0], n=said.size), warnings
    return replace(found, warnings=(*warnings, *found.warnings)), warnings


def _basis(found: Corrected, *, picked: bool) -> Basis:
    if isinstance(found.ppi, Estimate):
        return "ppi"
    if isinstance(found.human, Estimate) and found.labelled == found.n and not picked:
        return "human"
    return "rogan_gladen" if isinstance(found.rogan_gladen, Estimate) else "none"


def _refused(found: Corrected, reason: str) -> Corrected:
    absent = NotEstimable(name="PPI++", reason=reason, n=found.labelled)
    changed = replace(found, ppi=absent, weight=None, warnings=(*found.warnings, f"calibration borrowed: {reason}"))
    return replace(changed, basis=_basis(changed, picked=False))


def _borrows(found: Corrected) -> bool:
    return found.rates is None or min(found.rates.positives, found.rates.negatives) == 0


def _unturned(found: Corrected, reason: str) -> Corrected:
    absent = NotEstimable(name="Rogan-Gladen", reason=reason, n=found.labelled)
    changed = replace(found, rogan_gladen=absent)
    return replace(changed, basis=_basis(changed, picked=False))


def _homogeneity(targets: Sequence[Corrected]) -> Homogeneity | NotEstimable:
    counts = list[tuple[int, int, int, int]]()
    for target in targets:
        r = target.rates
        if r is not None and isinstance(r.sensitivity, Estimate) and isinstance(r.specificity, Estimate):
            hits, refused = round(r.sensitivity.value * r.positives), round(r.specificity.value * r.negatives)
            counts.append((hits, r.positives, refused, r.negatives))
    return youden_homogeneity(counts)
