"""A number that somebody claims: which usual way of counting these answers gives it?

Nothing here says that a way of counting is wrong; it says which one reproduces the number. With two digits many do,
and by chance: the tolerance is half a unit of the last digit that was written.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from eyechart.core.errors import InputError
from eyechart.core.records import Outcome
from eyechart.doctor.case import Case, Side

_CLAIM = re.compile(r"([0-9]{1,9}(?:[.,][0-9]{0,15})?|[.,][0-9]{1,15})\s*(%|％|pts?|points?|分)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """One way of counting and what it gives."""

    way: str
    """Key of the catalogue under `doctor.way.`."""
    value: float
    fits: bool
    """Whether it gives the claimed number, as exactly as that was written."""
    detail: str = ""


def parse_claim(text: str) -> tuple[float, float]:
    """A claimed score as a fraction, and half a unit of its last digit.

    >>> parse_claim("0.62"), parse_claim("62.0pt"), parse_claim("62 %")
    ((0.62, 0.005), (0.62, 0.0005), (0.62, 0.005))

    Raises InputError for what is no number from 0 to 1, and none from 0 to 100 with its unit.
    """
    value, digits, scale = _claim(text)
    return float(value) / scale, 0.5 * 10.0**-digits / scale


def claim_in_points(text: str) -> str:
    """The claim as it was read, in points, to the digits in which it was written.

    >>> claim_in_points("0.733"), claim_in_points("62 %"), claim_in_points("0.7000")
    ('73.3', '62', '70.00')

    Raises InputError as `parse_claim`.
    """
    value, digits, scale = _claim(text)
    return f"{value * (100 // scale):.{max(0, digits - (2 if scale == 1 else 0))}f}"


def _claim(text: str) -> tuple[Decimal, int, int]:
    """Number, digits behind the point, and what is 1 in its unit."""
    seen = _CLAIM.fullmatch(text.strip())
    if seen is None:
        raise InputError(f"{text!r} is no score; write 0.62, 62pt or 62%", field="--claimed")
    number, unit = seen[1].replace(",", "."), seen[2]
    value, digits = Decimal(number), len(number.partition(".")[2])
    if unit is None and value > 1:
        said = f"write {value / 100}, {number}pt or {number}%" if value <= 100 else "write 0.62, 62pt or 62%"
        raise InputError(f"{text} is above 1, the highest score, and has no unit; {said}", field="--claimed")
    if value > 100:
        raise InputError(f"{text} is above 100 points, the highest score", field="--claimed")
    return value, digits, 100 if unit else 1


def reproduced(case: Case) -> tuple[Reproduced, ...]:
    """Every usual way of counting the answers of `case.a`, those that give the claimed number first; empty where
    nothing is claimed or scored."""
    if case.claimed is None or not case.a.counted:
        return ()
    claim, half = parse_claim(case.claimed)
    found = [
        Reproduced(way=way, value=value, fits=abs(value - claim) <= half + 1e-9, detail=detail)
        for way, value, detail in ways(case.a)
    ]
    return tuple(sorted(found, key=lambda r: (not r.fits, abs(r.value - claim))))


def ways(side: Side) -> Iterator[tuple[str, float, str]]:
    """Name, value and detail of each; a way that gives the plain score by construction is left out."""
    counted = side.counted
    if side.score is None:
        return
    yield "plain", side.score, ""
    right = sum(one.value or 0.0 for one in counted)
    failed = sum(one.outcome is Outcome.FAILED for one in side.answers)
    if failed:
        yield "failed_wrong", right / (len(counted) + failed), str(failed)
    unread = [one for one in counted if one.outcome in (Outcome.UNPARSEABLE, Outcome.TRUNCATED, Outcome.REFUSED)]
    if unread and len(unread) < len(counted):
        yield "unread_left_out", right / (len(counted) - len(unread)), str(len(unread))
    cut = [one for one in counted if one.finish == "length"]
    if cut and len(cut) < len(counted):
        yield (
            "cut_left_out",
            sum(o.value or 0.0 for o in counted if o.finish != "length") / (len(counted) - len(cut)),
            str(len(cut)),
        )
    careful = [one for one in counted if one.careful is not None and one.careful.counted]
    if careful and len(careful) == len(counted):
        value = sum(one.careful is Outcome.CORRECT for one in careful) / len(careful)
        if any((one.careful is Outcome.CORRECT) != one.right for one in careful):
            yield "careful", value, ""
    chance = [1 / one.options for one in counted if one.options > 1]
    if len(chance) == len(counted):
        base = sum(chance) / len(chance)
        yield "above_chance", (side.score - base) / (1 - base), ""
    yield from _over_repeats(side)
    yield from _over_groups(side)
    for name in ("none", "tokens", "characters", "bytes"):
        known = [dict(one.by_length).get(name) for one in counted]
        if known and all(known) and name != side.effective.get("reading", {}).get("normalize"):
            yield "by_length", sum(k is Outcome.CORRECT for k in known) / len(known), name
    if len(side.setups) > 1:
        name, best = max(side.setups, key=lambda s: s[1])
        yield "best_setup", best, name


def _over_repeats(side: Side) -> Iterator[tuple[str, float, str]]:
    if side.repeats < 2:
        return
    runs: dict[int, list[float]] = defaultdict(list)
    items: dict[str, list[bool]] = defaultdict(list)
    for one in side.counted:
        runs[one.repeat].append(one.value or 0.0)
        items[one.item].append(one.right)
    means = [sum(v) / len(v) for _, v in sorted(runs.items())]
    yield "best_run", max(means), str(len(means))
    yield "worst_run", min(means), str(len(means))
    yield "first_run", means[0], ""
    yield "any_run", sum(any(v) for v in items.values()) / len(items), str(side.repeats)
    yield "all_runs", sum(all(v) for v in items.values()) / len(items), str(side.repeats)
    yield "majority", sum(sum(v) * 2 > len(v) for v in items.values()) / len(items), str(side.repeats)


def _over_groups(side: Side) -> Iterator[tuple[str, float, str]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for item, mean in side.means.items():
        group = side.items[item].group if item in side.items else None
        if group is not None:
            groups[group].append(mean)
    sizes = Counter(len(values) for values in groups.values())
    if len(groups) > 1 and len(sizes) > 1:
        yield "over_groups", sum(sum(v) / len(v) for v in groups.values()) / len(groups), str(len(groups))
