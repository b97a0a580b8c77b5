"""Claimed numbers against what they are numbers of: scores, standard errors, counts.

Where the scores of the items are there, a claim is worked out again. Where they are not, arithmetic is left: a share
of n items is a whole number over n (GRIM: Brown and Heathers 2017), and the standard error of a mean of scores of 0
and 1 follows from the mean and n alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, sqrt
from statistics import NormalDist

import numpy as np

from eyechart.auditing.evidence import Bools, Claimed, Exhibit, Floats, Lost, Scores
from eyechart.auditing.said import Params, Where, found, points
from eyechart.core.findings import Finding, Severity

NEAR = 0.05
"""Within 5 % of what a usual slip gives, a standard error is that slip."""
EXACT = 0.002
"""Within rounding of it."""
CHANCE = 1e-3
"""Over all rows of a board, that a right bootstrap is taken for another formula."""
SAMPLES = 64
"""Samples of each item up to which a score may be their mean."""
NO_SAMPLES = 500
"""More samples of each item than anybody draws: what only they would give is an error."""
REPLICATES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000)
"""Numbers of bootstrap replicates in use."""
FAR = 1.5
"""A standard error that is off by this factor is no rounding and no other formula of the same thing."""


def of_exhibit(one: Exhibit, file: str, subject: str, claims_file: str | None = None) -> Iterator[Finding]:
    """Every claim that stands beside the scores it is made of."""
    whole = one.total is None or one.n >= one.total
    for scores in one.scores:
        for claim in scores.claims:
            where = Where(subject, claims_file or file, claim.line)
            yield from _against(claim, scores, one, where, whole)


def _against(claim: Claimed, scores: Scores, one: Exhibit, where: Where, whole: bool) -> Iterator[Finding]:
    if claim.value is None:
        yield _finding("claim.none", claim, where)
        return
    chosen = scores.has
    if claim.group is not None:
        chosen = chosen & np.array([g == claim.group for g in one.groups], dtype=np.bool_)
    if not claim.mean or not chosen.any():
        if not chosen.any():
            yield from alone(claim, where)
        return
    values = scores.values.sum(axis=1)[chosen] / scores.scored.sum(axis=1)[chosen]
    given = int(scores.scored[chosen].sum())
    if whole and claim.n is not None and claim.n != len(values):
        yield _finding("claim.n", claim, where, {"claimed": claim.n, "n": len(values), "answers": given})
    mean = float(values.mean())
    if abs(mean - claim.value) > claim.off + 1e-9:
        if whole:
            yield _other_score(claim, scores, one, where, values)
        return
    if claim.se is not None and whole and len(values) > 1:
        yield from _error_of(claim, scores, one, where, chosen)


def _other_score(claim: Claimed, scores: Scores, one: Exhibit, where: Where, values: Floats) -> Finding:
    """A score that its items do not give: by which usual slip, if by one."""
    assert claim.value is not None
    shown = {"claimed": points(claim.value), "found": points(float(values.mean())), "n": len(values)}
    lost = one.lost.failed
    if lost and _is(claim, float(scores.values.sum()) / (int(scores.scored.sum()) + lost)):
        return _finding("failures.wrong", claim, where, {"lost": lost, **shown}, how="counted")
    groups = _group_means(scores, one)
    if claim.group is None and len(groups) > 1 and _is(claim, float(np.mean(groups))):
        return _finding("claim.groups", claim, where, {"groups": len(groups), **shown})
    runs = [float(v[s].mean()) for v, s in zip(scores.values.T, scores.scored.T, strict=True) if s.any()]
    if len(runs) > 1 and _is(claim, max(runs)):
        return _finding("claim.score", claim, where, {"runs": len(runs), **shown}, how="best")
    return _finding("claim.score", claim, where, {**shown})


def _is(claim: Claimed, value: float) -> bool:
    return claim.value is not None and abs(value - claim.value) <= claim.off + 1e-9


def _group_means(scores: Scores, one: Exhibit) -> list[float]:
    found_: dict[str, list[float]] = {}
    names = [g for g, has in zip(one.groups, scores.has, strict=True) if has]
    for name, mean in zip(names, scores.means, strict=True):
        if name is not None:
            found_.setdefault(name, []).append(float(mean))
    return [float(np.mean(values)) for values in found_.values()]


def _error_of(claim: Claimed, scores: Scores, one: Exhibit, where: Where, chosen: Bools) -> Iterator[Finding]:
    """A claimed standard error against every formula in good use, then against the usual slips."""
    assert claim.se is not None
    assert claim.value is not None
    values = scores.values.sum(axis=1)[chosen] / scores.scored.sum(axis=1)[chosen]
    plain = float(np.std(values, ddof=1)) / sqrt(len(values))
    groups = [g for g, has in zip(one.groups, chosen, strict=True) if has]
    right = [plain, plain * sqrt((len(values) - 1) / len(values)), *_grouped(values, groups)]
    if one.clusters is not None:
        right += _grouped(values, [str(c) for c in one.clusters[chosen]])
    if any(_near(claim, se) for se in right):
        return
    shown = {"claimed": points(claim.se), "found": points(plain), "n": len(values)}
    if claim.se == 0:
        if plain > claim.se_off:
            yield _finding("se.zero", claim, where, {**shown}, how="some")
        return
    # A usual slip is met exactly; what is no such slip to the digit may be a bootstrap, which strays.
    for share in (EXACT, NEAR):
        slip = _slip(claim, scores, chosen, values, shown, share)
        if slip is not None:
            yield _finding(slip[0], claim, where, slip[1])
            return
        if share == EXACT and any(_near(claim, se, tolerance(1)) for se in right):
            return
    if (b := replicates(plain, claim.se, claim.se_off)) is not None:
        yield _finding("se.bootstrap", claim, where, {"b": b, **shown})
        return
    if plain > 0 and 1 / FAR < claim.se / plain < FAR:
        yield _finding("se.other", claim, where, {**shown})
    else:
        # Clusters that nobody named may make it as large as the spread of one score, and no larger.
        could = plain < claim.se <= _spread(claim.value) + claim.se_off
        yield _finding("se.impossible", claim, where, {**shown}, how="items", severity="warning" if could else None)


def _slip(
    claim: Claimed, scores: Scores, chosen: Bools, values: Floats, shown: Params, share: float
) -> tuple[str, Params] | None:
    """The spread of runs, or repeats counted as items."""
    runs = [float(v[s].mean()) for v, s in zip(scores.values.T, scores.scored.T, strict=True) if s.any()]
    if len(runs) > 1 and any(_near(claim, float(np.std(runs, ddof=ddof)), share) for ddof in (0, 1)):
        return "se.run_sd", {"runs": len(runs), **shown}
    cells = scores.values[chosen][scores.scored[chosen]]
    pooled = [float(np.std(cells, ddof=d)) / sqrt(len(cells)) for d in (0, 1)]
    if len(cells) > len(values) and any(_near(claim, se, share) for se in pooled):
        return "se.pooled", {"answers": len(cells), **shown}
    return None


def _grouped(values: Floats, groups: Sequence[str | None]) -> list[float]:
    """Standard errors that know groups: pooled within them, and clustered with and without C/(C-1)."""
    names = sorted({g for g in groups if g is not None})
    if len(names) < 2 or None in groups:
        return []
    code = np.array([names.index(g) for g in groups if g is not None])
    sizes, n = np.bincount(code), len(values)
    centre = np.bincount(code, weights=values) / sizes
    inside = float(((values - centre[code]) ** 2).sum())
    out: list[float] = []
    if n > len(names):
        parts = np.bincount(code, weights=(values - centre[code]) ** 2)
        out.append(sqrt(inside / (n - len(names)) / n))
        ok = sizes > 1
        if ok.all():
            each = parts / (sizes - 1) / sizes
            out += [sqrt(float((each * (sizes / n) ** 2).sum())), sqrt(float(each.sum())) / len(names)]
            out.append(sqrt(float((sizes * sizes * each * (sizes - 1)).sum() / (n - len(names)) / n / n)))
    sums = np.bincount(code, weights=values - values.mean())
    clustered = sqrt(float((sums**2).sum())) / n
    return [*out, clustered, clustered * sqrt(len(names) / (len(names) - 1))]


def _near(claim: Claimed, se: float, share: float = NEAR) -> bool:
    assert claim.se is not None
    return abs(se - claim.se) <= max(claim.se_off, share * se)


def tolerance(rows: int) -> float:
    """How far, as a share of itself, the furthest of `rows` right standard errors may be off: each has a relative sd of
    1 / sqrt(2 B), by the smallest number B of bootstrap replicates in use.

    >>> round(tolerance(1), 2), round(tolerance(100), 2)
    (0.23, 0.31)
    """
    return NormalDist().inv_cdf(1 - CHANCE / 2 / max(1, rows)) / sqrt(2 * REPLICATES[0])


def replicates(right: float, claimed: float, off: float) -> int | None:
    """The number B of bootstrap replicates by whose root a standard error was divided; None where none fits.

    >>> replicates(0.01, 0.01 / 1000**0.5, 1e-6), replicates(0.01, 0.005, 1e-6)
    (1000, None)
    """
    if not claimed > 2 * off:
        return None
    return next((b for b in REPLICATES if abs(right / sqrt(b) - claimed) <= max(off, 0.1 * claimed)), None)


# Claims alone


def alone(claim: Claimed, where: Where, rows: int = 1) -> Iterator[Finding]:
    """What arithmetic says of a claim whose scores are not there, one of `rows` that are looked at.

    An error is what no formula gives. A share that is none, or a standard error that independent scores of 0 and 1 do not
    have, is a warning: a mean over samples of each item or over groups, or clustered items, would give it.
    """
    if claim.value is None:
        yield _finding("claim.none", claim, where)
        return
    p, n = claim.value, claim.n
    if n is None or n < 1 or not 0 <= p <= 1 or not claim.mean:
        return
    if claim.binary and claim.off * n < 0.3 and not _whole(p, claim.off, n):
        low, high = int(p * n) / n, (int(p * n) + 1) / n
        shown = {"value": points(p), "n": n, "low": points(low), "high": points(high)}
        k = next((k for k in range(2, SAMPLES + 1) if _whole(p, claim.off, k * n)), None)
        if k is None:
            yield _finding("claim.grim", claim, where, shown)
        else:
            yield _finding("claim.grim", claim, where, {**shown, "k": k}, how="samples")
    if claim.se is not None:
        yield from _error_alone(claim, where, p, n, tolerance(rows))


def _whole(p: float, off: float, n: int) -> bool:
    """Whether a whole number over n is p, rounded or cut to its digits."""
    return ceil((p - off - 1e-9) * n) <= floor(max(p + off + 1e-9, p + 2 * off - 1e-9) * n)


def _error_alone(claim: Claimed, where: Where, p: float, n: int, near: float) -> Iterator[Finding]:
    assert claim.se is not None
    inside = claim.off < p < 1 - claim.off
    shown = {"claimed": points(claim.se), "value": points(p), "n": n}
    if claim.se <= 0:
        if n == 1:
            yield _finding("se.zero", claim, where, {**shown}, how="one", severity="warning")
        elif inside and claim.se_off < _of_share(p, n) / 2:
            yield _finding("se.zero", claim, where, {**shown})
        elif not inside:
            from eyechart.stats.intervals import wilson

            ends = wilson(round(p * n), n)
            ends_ = {"low": points(ends.low), "high": points(ends.high)}
            yield _finding("se.zero", claim, where, {**shown, **ends_}, how="end", severity="note")
        return
    if n < 2 or not inside:
        return
    most = _of_share(p, n - 1)
    slack = claim.se_off + near * most + _moved(p, claim.off, n)
    if claim.se > (1 + NEAR) * _spread(p) + claim.se_off + claim.off:
        yield _finding("se.impossible", claim, where, {"most": points(_spread(p)), **shown}, how="any")
        return
    if claim.se > most + slack:
        if claim.binary is not None or claim.se > FAR * most:
            yield _finding(
                "se.impossible", claim, where, {"most": points(most), **shown}, how="large", severity="warning"
            )
        return
    if claim.binary and claim.se < _of_share(p, n) - slack:
        b = replicates(_of_share(p, n), claim.se, claim.se_off)
        if b is not None:
            # So many samples of each item, of items that are all alike, would give it as well.
            could = b < NO_SAMPLES
            shown["found"] = points(_of_share(p, n))
            yield _finding("se.bootstrap", claim, where, {"b": b, **shown}, severity="warning" if could else None)
        else:
            most = _of_share(p, n)
            yield _finding(
                "se.impossible", claim, where, {"most": points(most), **shown}, how="small", severity="warning"
            )


def _of_share(p: float, n: int) -> float:
    """Standard error of a mean of n scores of 0 and 1; the largest of any scores in [0, 1] with this mean."""
    return sqrt(max(0.0, p * (1 - p)) / n)


def _spread(p: float) -> float:
    """The largest standard deviation that scores in [0, 1] with this mean can have: no mean of them varies more."""
    return sqrt(max(0.0, p * (1 - p)))


def _moved(p: float, off: float, n: int) -> float:
    """How far it moves over the digits in which p was written."""
    return max(abs(_of_share(min(1.0, max(0.0, p + d)), n - 1) - _of_share(p, n - 1)) for d in (-off, off))


def fits_share(claim: Claimed) -> bool | None:
    """Whether a standard error is that of a mean of scores of 0 and 1; None where it cannot be said.

    >>> fits_share(Claimed(key="acc", value=0.5, se=0.05, n=100)), fits_share(Claimed(key="acc", value=0.5))
    (True, None)
    """
    if claim.value is None or claim.se is None or claim.n is None or claim.n < 2 or not 0 < claim.value < 1:
        return None
    right = [_of_share(claim.value, n) for n in (claim.n, claim.n - 1)]
    slack = claim.se_off + _moved(claim.value, claim.off, claim.n) if 0 < claim.value < 1 else claim.se_off
    return any(abs(claim.se - r) <= max(slack, 0.01 * r) for r in right)


def rates(lost: Lost) -> float:
    """Share of answers that broke off, in [0, 1]; 0 where there are none at all."""
    return lost.failed / lost.answers if lost.answers else 0.0


def _finding(
    name: str,
    claim: Claimed,
    where: Where,
    params: Params | None = None,
    *,
    how: str | None = None,
    severity: Severity | None = None,
) -> Finding:
    of = f"{claim.key} of {claim.group}" if claim.group else claim.key
    return found(name, where, {"key": of, **(params or {})}, how=how, severity=severity)
