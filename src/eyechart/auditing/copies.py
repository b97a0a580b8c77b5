"""One measurement under two names: files byte for byte, texts item by item, scores where there are no texts.

How much equality proves depends on what is equal. Two models give the same letter wherever both are right, and often
where both are wrong: equal answers of that kind on an easy test say nothing. Each equal item is therefore weighed by a
generous bound on the chance that two models agree in it: `SAME_LONG` for a text of some length, `SAME_WRONG` for a
short answer that is wrong, 1 for a short one that is right. Models err alike (they share about 60 % of their wrong
options: Kim, Garg, Peng and Garg, Correlated Errors in Large Language Models, 2025), and the bound is above that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from eyechart.auditing.evidence import NOTHING, Bools, Digests, Dossier, Exhibit, Floats, digest
from eyechart.auditing.labels import same_model, squeezed
from eyechart.auditing.mixed import differences
from eyechart.auditing.said import Params, Where, found, listed
from eyechart.core.findings import SEVERITIES, Finding

SAME_LONG = 0.5
SAME_WRONG = 0.9
LUCK = 1e-6
"""Chance below which equality is no accident, over all pairs that were compared."""
WHOLE = 0.98
"""Share of equal answers from which one is called a copy of the other."""
PART = 20
"""Long texts that must be equal before a part is called a copy."""
ENOUGH = 20
"""Items from which equal answers of one model and procedure are called one measurement."""
LEAST = 5
"""Items that two must share to be compared."""


@dataclass(frozen=True, slots=True)
class _One:
    """A dossier and the exhibit that is compared: its first of each model."""

    dossier: Dossier
    exhibit: Exhibit


def of_all(dossiers: Sequence[Dossier]) -> tuple[list[Finding], int]:
    """Findings, and how many pairs were compared item by item."""
    same = _same_files(dossiers)
    out: list[Finding] = []
    known = set[tuple[str, str]]()
    for (a, b), (name, its) in same.items():
        if not _alike(a, b):
            known.add((a.name, b.name))
            shown: Params = {"a": f"{a.name} ({name})", "b": its, "model": b.model or "?"}
            out.append(found("copy.file", Where(b.name, b.file), shown))
    chosen = [one for dossier in dossiers for one in _firsts(dossier)]
    buckets = [_Bucket(members) for members in overlapping(chosen)]
    compared = sum(len(b.members) * (len(b.members) - 1) // 2 for b in buckets)
    for bucket in buckets:
        out += bucket.findings(max(1, compared), known)
    told = {(one.subject or "").partition("#")[0] for one in out if one.id.startswith("copy.")}
    for (a, b), (name, its) in same.items():
        if _alike(a, b) and b.name not in told:
            shown = {"a": f"{a.name} ({name})", "b": its}
            out.append(found("copy.again", Where(b.name, b.file), shown, how="files"))
    return out, compared


def _alike(a: Dossier, b: Dossier) -> bool:
    return a.model is not None and b.model is not None and same_model(a.model, b.model)


def _firsts(dossier: Dossier) -> Iterator[_One]:
    seen = set[str | None]()
    for exhibit in dossier.exhibits:
        if exhibit.model not in seen and exhibit.n:
            seen.add(exhibit.model)
            yield _One(dossier, exhibit)


def _same_files(dossiers: Sequence[Dossier]) -> dict[tuple[Dossier, Dossier], tuple[str, str]]:
    """Pairs of dossiers with a file that is equal byte for byte, and what it is called in both."""
    owners: dict[tuple[str, int], list[tuple[Dossier, str]]] = defaultdict(list)
    told: dict[str, set[int]] = defaultdict(set)
    for dossier in dossiers:
        own = _told(dossier) if dossier.sums else 0
        for name, sha in dossier.sums:
            owners[sha, own].append((dossier, name))
            told[sha].add(own)
    # One file beside two sets of answers holds neither: data, a configuration. A log of several models gives several
    # sets as well: its copy is known by the answers of each.
    whole = {sha for dossier in dossiers for _, sha in dossier.sums if len(dossier.sums) == 1}
    owners = {key: same for key, same in owners.items() if len(told[key[0]]) == 1 or key[0] in whole}
    out: dict[tuple[Dossier, Dossier], tuple[str, str]] = {}
    for same in owners.values():
        first, name = same[0]
        for other, its in same[1:]:
            if first.file != other.file:
                out.setdefault((first, other), (name, its))
    return out


def _told(one: Dossier) -> int:
    """A digest of what was answered to which items: of scores without answers, of claims without either."""
    parts: list[object] = []
    for exhibit in one.exhibits:
        first: list[float] = exhibit.answers[:, 0].tolist() if exhibit.repeats else [0.0] * exhibit.n
        if not any(first) and exhibit.scores:
            first = exhibit.scores[0].values[:, 0].tolist()
        keys: list[int] = exhibit.key.tolist()
        parts.append(sorted(zip(keys, first, strict=True)))
    return digest(repr(parts or [(c.key, c.value, c.n, c.group) for c in one.claims]))


def overlapping(chosen: Sequence[_One]) -> Iterator[list[_One]]:
    """Those that share items, directly or by others."""
    parent = list(range(len(chosen)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    owner: dict[int, int] = {}
    for at, one in enumerate(chosen):
        for key in one.exhibit.key.tolist():
            parent[root(at)] = root(owner.setdefault(key, at))
    groups: dict[int, list[_One]] = defaultdict(list)
    for at, one in enumerate(chosen):
        groups[root(at)].append(one)
    yield from (members for members in groups.values() if len(members) > 1)


class _Bucket:
    """Exhibits of shared items as matrices, [exhibits, items]."""

    def __init__(self, members: list[_One]) -> None:
        self.members = members
        keys = np.unique(np.concatenate([m.exhibit.key for m in members]))
        shape = (len(members), len(keys))
        self.answers: Digests = np.zeros(shape, dtype=np.int64)
        self.long: Bools = np.zeros(shape, dtype=np.bool_)
        self.value: Floats = np.full(shape, -1.0)
        for row, member in enumerate(members):
            one = member.exhibit
            _, first = np.unique(one.key, return_index=True)
            at = np.searchsorted(keys, one.key[first])
            if one.repeats:
                self.answers[row, at] = one.answers[first, 0]
                self.long[row, at] = one.telling[first, 0]
            if one.scores:
                scores = one.scores[0]
                means = np.full(one.n, -1.0)
                means[scores.has] = scores.means
                self.value[row, at] = means[first]

    def findings(self, pairs: int, known: set[tuple[str, str]]) -> Sequence[Finding]:
        """One for each copy, however many others are equal to it: the worst, of equal ones that of the first."""
        worst: dict[tuple[str | None, bool], Finding] = {}
        for one in self._pairs(pairs, known):
            place = one.subject, one.id == "copy.part"
            had = worst.get(place)
            if had is None or SEVERITIES.index(one.severity) < SEVERITIES.index(had.severity):
                worst[place] = one
        return list(worst.values())

    def _pairs(self, pairs: int, known: set[tuple[str, str]]) -> Iterator[Finding]:
        parts: list[tuple[float, int, int, int, int]] = []
        shares: list[float] = []
        for a in range(len(self.members) - 1):
            rest = slice(a + 1, None)
            both = (self.answers[a] != NOTHING) & (self.answers[rest] != NOTHING)
            equal = both & (self.answers[a] == self.answers[rest])
            long = both & (self.long[a] | self.long[rest])
            counts = (both.sum(axis=1), equal.sum(axis=1), long.sum(axis=1), (long & equal).sum(axis=1))
            wrong = (equal & ~long & (self.value[a] >= 0) & (self.value[a] < 0.5)).sum(axis=1)
            for b, (n, same, texts, alike, errors) in enumerate(zip(*counts, wrong, strict=True), a + 1):
                one, two = self.members[a], self.members[b]
                if one.dossier is two.dossier and one.exhibit.model == two.exhibit.model:
                    continue
                if n < LEAST:
                    yield from self._scores(a, b, pairs)
                    continue
                chance = float(alike) * log(SAME_LONG) + float(errors) * log(SAME_WRONG)
                if same >= WHOLE * n and chance < log(LUCK / pairs):
                    if (one.dossier.name, two.dossier.name) not in known:
                        yield _copied(one, two, int(same), int(n), int(alike), int(errors))
                elif same == n >= ENOUGH and _once(one, two):
                    yield _copied(one, two, int(same), int(n), int(alike), int(errors))
                elif texts >= PART and not _related(one.exhibit.model, two.exhibit.model):
                    shares.append(alike / texts)
                    parts.append((alike / texts, a, b, int(alike), int(texts)))
        for share, a, b, alike, texts in parts:
            others = np.median(shares) if len(shares) > 2 else 0.0
            if alike >= PART and share >= (0.3 if len(shares) > 2 else 0.5) and others <= 0.05:
                one, two = self.members[a], self.members[b]
                yield found('copy.part', Where(_name(two), two.dossier.file), {"a": _name(one), "n": alike, "of": texts, "others": f'{100 * others:.0f}'})  # fmt: skip

    def _scores(self, a: int, b: int, pairs: int) -> Iterator[Finding]:
        """Where there are no texts: equal scores of every item, weighed likewise."""
        one, two = self.members[a], self.members[b]
        x, y = self.value[a], self.value[b]
        both = (x >= 0) & (y >= 0)
        n = int(both.sum())
        if n < 20 or (x[both] != y[both]).any():
            return
        part = int(((x[both] > 0) & (x[both] < 1)).sum())
        few = min(int((x[both] == 0).sum()), int((x[both] == 1).sum()))
        if part * log(SAME_LONG) + few * log(SAME_WRONG) >= log(LUCK / pairs):
            return
        if one.exhibit.model and two.exhibit.model and same_model(one.exhibit.model, two.exhibit.model):
            yield found('copy.again', Where(_name(two), two.dossier.file), {"a": _name(one), "n": n, "model": two.exhibit.model}, how='scores')  # fmt: skip
            return
        yield found(
            "copy.scores", Where(_name(two), two.dossier.file), {"a": _name(one), "n": n, "wrong": few, "part": part}
        )


def _copied(one: _One, two: _One, same: int, n: int, long: int, wrong: int) -> Finding:
    a, b = one.exhibit, two.exhibit
    place = Where(_name(two), two.dossier.file)
    shown = {"a": _name(one), "same": same, "n": n, "long": long, "wrong": wrong}
    if not (a.model and b.model and same_model(a.model, b.model)):
        alias = bool(a.model and b.model and _related(a.model, b.model))
        return found('copy.model', place, {"model": a.model or '?', "other": b.model or '?', **shown}, severity='warning' if alias else 'error')  # fmt: skip
    apart = differences(a.procedure, b.procedure)
    if apart:
        said = listed([f"{path}: {x} there, {y} here" for path, x, y in apart])
        return found("copy.setting", place, {"fields": said, **shown})
    return found("copy.again", place, {"model": b.model, **shown})


def _once(one: _One, two: _One) -> bool:
    """Whether two of one model and procedure are equal in every repeat: a note needs no more, for it accuses nobody."""
    a, b = one.exhibit, two.exhibit
    named = a.model is not None and b.model is not None and same_model(a.model, b.model)
    return named and np.array_equal(a.answers, b.answers) and not differences(a.procedure, b.procedure)


def _name(one: _One) -> str:
    return one.exhibit.name


def _related(a: str | None, b: str | None) -> bool:
    """Whether two names may be builds of one model: one begins like the other."""
    if a is None or b is None:
        return False
    one, two = sorted((squeezed(a.rpartition("/")[2]), squeezed(b.rpartition("/")[2])), key=len)
    return bool(one) and two.startswith(one)
