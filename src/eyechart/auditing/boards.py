"""Plain leaderboards: a model, a score, perhaps a standard error and a number of items in a row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import pi, sqrt

from eyechart.auditing.evidence import Claimed, Dossier, Row
from eyechart.auditing.labels import same_model
from eyechart.auditing.numbers import NEAR, alone, fits_share, replicates
from eyechart.auditing.said import Where, found, listed, points
from eyechart.core.findings import Finding, Severity

ASSUMED: Mapping[str, tuple[str, ...]] = {
    "binary": ("claim.grim.said", "claim.grim.samples", "se.impossible.small", "se.bootstrap.said"),
    "independent": ("se.impossible.large",),
    "scale": ("se.impossible.any",),
    "zero": ("se.zero.said",),
}
"""What is taken of a column, and the findings that rest on it."""
WEIGHS: Mapping[str, Severity] = {"scale": "warning", "zero": "warning"}
USUAL = 3
"""Rows that must break a rule before the rule is at fault."""
LUCK = 1e-3
"""Chance below which equal scores are no accident, over all pairs of the board."""


def of_board(one: Dossier) -> Iterator[Finding]:
    """Everything a board says of itself; nothing of any other kind of dossier."""
    if one.bad_rows:
        lines = listed([f"line {line}: {text}" for line, text in one.bad_rows])
        yield found('board.empty', Where(one.name, one.file, one.bad_rows[0][0]), {"n": len(one.bad_rows), "names": lines})  # fmt: skip
    plain = _learnt([row for row in one.rows if not row.derived])
    slips = list(_slip(one, plain))
    yield from slips
    yield from _numbers(one, plain, bool(slips))
    yield from _twice(one, plain)
    yield from _sizes(one, plain)
    yield from _ties(one, plain)
    yield from _averages(one)


def _where(one: Dossier, row: Row) -> Where:
    subject = f"{one.name}: {row.model}" + (f", {row.task}" if row.task else "")
    return Where(subject, one.file, row.claim.line)


def _learnt(rows: Sequence[Row]) -> list[Row]:
    """Whether scores are 0 and 1 is learnt from the board, where its words leave it open: most rows tell."""
    known = [fit for row in rows if row.claim.binary is None and (fit := fits_share(row.claim)) is not None]
    if len(known) < 3 or sum(known) < 0.6 * len(known):
        return list(rows)
    return [
        row if row.claim.binary is not None else replace(row, claim=replace(row.claim, binary=True)) for row in rows
    ]


def _numbers(one: Dossier, rows: Sequence[Row], slipped: bool) -> Iterator[Finding]:
    """Each row by itself; but where most rows of a task, or of a column, break a rule, the rule is wrong and not the
    rows: one note, and nothing of them that rests on it."""
    errors = sum(row.claim.se is not None for row in rows)
    seen = [(row, list(alone(row.claim, _where(one, row), errors))) for row in rows]
    if slipped:
        seen = [(row, [f for f in said if f.id != "se.bootstrap"]) for row, said in seen]
    for by_task in (True, False):
        columns: dict[tuple[str, str | None], list[int]] = defaultdict(list)
        for i, (row, _) in enumerate(seen):
            columns[row.claim.key, row.task if by_task else None].append(i)
        for places in columns.values():
            for how, keys in ASSUMED.items():
                hits = [i for i in places if any(_rests(f, keys) for f in seen[i][1])]
                of = sum(_tested(seen[i][0].claim, how) for i in places)
                if len(hits) < USUAL or 2 * len(hits) < of:
                    continue
                claim = seen[hits[0]][0].claim
                yield found("board.rule", Where(one.name, one.file, claim.line), {"key": claim.key, "n": len(hits), "of": of}, how=how, severity=WEIGHS.get(how))  # fmt: skip
                for i in places:
                    seen[i] = (seen[i][0], [f for f in seen[i][1] if not _rests(f, keys)])
    for _, said in seen:
        yield from said


def _rests(one: Finding, keys: Sequence[str]) -> bool:
    return not isinstance(one.evidence, str) and one.evidence.key.removeprefix("audit.") in keys


def _tested(claim: Claimed, how: str) -> bool:
    """Whether a rule says anything of a row."""
    return claim.value is not None and claim.n is not None and (how == "binary" or claim.se is not None)


def _slip(one: Dossier, rows: Sequence[Row]) -> Iterator[Finding]:
    """One slip in all rows: every standard error is that of a share over the root of one number."""
    open_ = [r.claim for r in rows if r.claim.se and r.claim.n and r.claim.value and 0 < r.claim.value < 1]
    found_: list[int | None] = []
    for claim in open_:
        assert claim.value is not None
        assert claim.se is not None
        assert claim.n is not None
        found_.append(replicates(sqrt(claim.value * (1 - claim.value) / claim.n), claim.se, claim.se_off))
    if len(found_) >= 3 and len(set(found_)) == 1 and found_[0] is not None:
        first = open_[0]
        assert first.value is not None
        assert first.se is not None
        assert first.n is not None
        right = sqrt(first.value * (1 - first.value) / first.n)
        yield found('se.bootstrap', Where(one.name, one.file, first.line), {"rows": len(found_), "b": found_[0], "claimed": points(first.se), "found": points(right), "n": first.n}, how='all')  # fmt: skip


def _twice(one: Dossier, rows: Sequence[Row]) -> Iterator[Finding]:
    """Under one name and one setting; columns of numbers that nobody knows may tell the rows apart: then a warning."""
    places: dict[tuple[str, str | None, str, tuple[str, ...]], list[Row]] = defaultdict(list)
    for row in rows:
        places[row.model, row.task, row.claim.key, row.setting].append(row)
    for (model, task, *_), same in places.items():
        severity = "warning" if len({row.beside for row in same}) > 1 else None
        values = {row.claim.value for row in same if row.claim.value is not None}
        if len(values) > 1:
            shown = listed([points(v) for v in sorted(values)])
            yield found('board.twice', Where(one.name, one.file, same[1].claim.line), {"names": shown, "model": model, "of": task or same[0].claim.key}, severity=severity)  # fmt: skip


def _sizes(one: Dossier, rows: Sequence[Row]) -> Iterator[Finding]:
    """Models of one task that were asked different numbers of items."""
    places: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.claim.n is not None:
            places[row.task or row.claim.key].append(row)
    for task, same in places.items():
        sizes = Counter(row.claim.n for row in same)
        if len(sizes) < 2 or len(same) < 3:
            continue
        usual, count = sizes.most_common(1)[0]
        if 2 * count <= len(same):
            continue
        odd = [row for row in same if row.claim.n != usual]
        names = listed([f"{row.model}: {row.claim.n:,}" for row in odd])
        yield found('board.n', Where(one.name, one.file, odd[0].claim.line), {"task": task, "names": names, "usual": usual or 0, "count": count})  # fmt: skip


def _ties(one: Dossier, rows: Sequence[Row]) -> Iterator[Finding]:
    """Two models with equal scores on every task, to the last digit, where luck would not do that.

    A score of n items falls on one of about 2 sqrt(pi) sd cells of 1/n; with digits alone, on one of 2 sqrt(pi) s
    cells of the last digit, s the spread of the board. The likelier of the two is taken: the bound is generous.
    """
    by: dict[str, dict[tuple[str | None, str, tuple[str, ...]], Claimed]] = defaultdict(dict)
    for row in rows:
        if row.claim.value is not None:
            by[row.model][row.task, row.claim.key, row.setting] = row.claim
    spread: dict[tuple[str | None, str, tuple[str, ...]], float] = {}
    for place in {p for claims in by.values() for p in claims}:
        values = [c[place].value or 0.0 for c in by.values() if place in c]
        mean = sum(values) / len(values)
        spread[place] = sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1))
    names = list(by)
    pairs = len(names) * (len(names) - 1) / 2
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            shared = [p for p in by[a] if p in by[b]]
            if not shared or any(by[a][p].value != by[b][p].value for p in shared) or same_model(a, b):
                continue
            chance = pairs
            for place in shared:
                chance *= _tie(by[a][place], spread[place])
            if chance < LUCK:
                yield found('board.ties', Where(f'{one.name}: {b}', one.file, by[b][shared[0]].line), {"a": a, "b": b, "n": len(shared), "value": points(by[a][shared[0]].value or 0.0)})  # fmt: skip


def _tie(claim: Claimed, spread: float) -> float:
    """A bound on the chance that two models of about one strength have this very score."""
    p, step = claim.value or 0.0, 2 * claim.off
    if not 0 < p < 1 or spread == 0:
        return 1.0
    cells = [2 * sqrt(pi) * spread / step if step > 0 else 1.0]
    if claim.n:
        cells.append(2 * sqrt(pi * claim.n * p * (1 - p)))
    return min(1.0, 1 / min(cells))


def _averages(one: Dossier) -> Iterator[Finding]:
    """Rows and columns that say they are an average of others.

    Weights need not be on the board, nor one scale for all of it (10 points beside 100): only what lies outside its parts
    is no average of them. Where most averages lie among their parts and are no plain mean, that is one note.
    """
    odd: list[Finding] = []
    scales, looked = _scales(one.rows), 0
    for row in one.rows:
        parts = {name: part for name, part in row.parts.items() if part.value is not None}
        value = row.claim.value
        if not row.derived or value is None or len(parts) < 2:
            continue
        looked += 1
        known, off = list(parts.values()), row.claim.off + 1e-9
        fits = _fits(known, value, off, [1.0] * len(parts))
        factors = [scales.get(name, 1.0) for name in parts]
        where, shown = _where(one, row), {"key": row.claim.key, "claimed": points(value), "n": len(parts)}
        shown["found"] = points(sum(part.value or 0.0 for part in known) / len(known))
        if fits:
            yield from _average_error(row, known, fits, where)
        elif _fits(known, value, off, factors):
            continue
        elif any(_among(known, value, off, by) for by in ([1.0] * len(parts), factors)):
            odd.append(found("board.average", where, shown, how="weights", severity="warning"))
        else:
            yield found("board.average", where, shown)
    if len(odd) >= USUAL and 2 * len(odd) >= looked:
        first = next(row for row in one.rows if row.derived)
        yield found("board.rule", Where(one.name, one.file, odd[0].line), {"key": first.claim.key, "n": len(odd), "of": looked}, how="average")  # fmt: skip
    else:
        yield from odd


def _scales(rows: Sequence[Row]) -> Mapping[str, float]:
    """By what a column whose scores are all under a tenth (a hundredth) of the scale of the board may have to be
    multiplied, to be on it."""
    most: dict[str, float] = {}
    for row in rows:
        if not row.derived and row.claim.value is not None:
            name = row.task or row.claim.key
            most[name] = max(most.get(name, 0.0), row.claim.value)
    if max(most.values(), default=0.0) <= 0.1:
        return {}
    return {name: 100.0 if high <= 0.01 else 10.0 for name, high in most.items() if high <= 0.1}


def _fits(parts: Sequence[Claimed], value: float, off: float, factors: Sequence[float]) -> list[str]:
    """By which weights, equal ones or numbers of items, an average is that of its parts: rounded or cut."""
    values = [(part.value or 0.0) * by for part, by in zip(parts, factors, strict=True)]
    sizes = [part.n for part in parts]
    known = [n for n in sizes if n]
    means = {"plain": sum(values) / len(values)}
    if len(known) == len(parts):
        means["weighed"] = sum(v * n for v, n in zip(values, known, strict=True)) / sum(known)
    slack = off + max(part.off * by for part, by in zip(parts, factors, strict=True))
    return [name for name, mean in means.items() if -slack <= mean - value <= slack + off]


def _among(parts: Sequence[Claimed], value: float, off: float, factors: Sequence[float]) -> bool:
    values = [(part.value or 0.0) * by for part, by in zip(parts, factors, strict=True)]
    slack = off + max(part.off * by for part, by in zip(parts, factors, strict=True))
    return min(values) - slack <= value <= max(values) + slack


def _average_error(row: Row, parts: Sequence[Claimed], fits: Sequence[str], where: Where) -> Iterator[Finding]:
    """The standard error of an average, of independent tasks: sqrt(sum w^2 se^2)."""
    errors = [part.se for part in parts if part.se is not None]
    claimed = row.claim.se
    if claimed is None or len(errors) < len(parts):
        return
    sizes = [part.n or 1 for part in parts]
    ways = {
        "plain": sqrt(sum(e * e for e in errors)) / len(errors),
        "weighed": sqrt(sum((n * e) ** 2 for n, e in zip(sizes, errors, strict=True))) / sum(sizes),
    }
    off = row.claim.se_off + max(part.se_off for part in parts)
    right = [ways[name] for name in fits]
    if any(abs(claimed - se) <= max(off, NEAR * se) for se in right):
        return
    how = "said"
    if abs(claimed - sum(errors) / len(errors)) <= off + NEAR * claimed / 5:
        how = "mean"
    elif "weighed" not in fits and abs(claimed - ways["weighed"]) <= max(off, NEAR * ways["weighed"]):
        how = "weighed"
    yield found('se.group', Where(where.subject, where.file, where.line), {"key": row.claim.key, "claimed": points(claimed), "found": points(right[0]), "n": len(parts)}, how=how)  # fmt: skip
