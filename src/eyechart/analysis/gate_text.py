"""Limits as people write them: `volatility(group) <= 1.0 points`.

>>> limit = read_limit("slope(temperature, group=gsm8k) <= 0.5 points per 0.1")
>>> limit.estimate, limit.named, limit.options, limit.op, limit.bound
('slope', 'temperature', (('group', 'gsm8k'),), 'at most', 0.005)
>>> read_limit("score >= 70")
Traceback (most recent call last):
...
eyechart.core.errors.InputError: score >= 70: 70 of what? write 70 points (of 100), or 0.7 of 1
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from eyechart.core.errors import InputError
from eyechart.core.findings import Severity
from eyechart.core.registry import hint

Op = Literal["at most", "at least"]
EXAMPLE = "volatility(group) <= 1.0 points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An estimate that a limit may be put on."""

    text: str
    """What it is, in one sentence."""
    named: str | None = None
    """What its first argument names, where it has one; `?` behind it: may be left out."""
    options: tuple[str, ...] = ()
    """Other arguments it takes."""
    needs: Literal["baseline", "labels"] | None = None
    plain: bool = False
    """A coefficient, not a share of 1: written without a unit."""

    @property
    def shape(self) -> str:
        """As it is written, e.g. `slope(FACTOR, group)`."""
        named = () if self.named is None else (f"[{self.named[:-1]}]" if self.named[-1] == "?" else self.named,)
        parts = (*named, *(f"[{option}]" for option in self.options))
        return f"({', '.join(parts)})" if parts else ""


BY = ("cell", "group")
DEFINITIONS: Mapping[str, Definition] = {
    "score": Definition(text="mean score of the items that were scored", options=BY),
    "volatility": Definition(
        text="standard deviation of the true mean over all set-ups of one contestant, noise removed; group: of each subject,"
        " worst first; pooled: root mean square over the subjects",
        options=("group", "pooled"),
    ),
    "subject_spread": Definition(
        text="standard deviation of the true means of the subjects in one set-up, noise removed", options=("cell",)
    ),
    "slope": Definition(
        text="size of the change of the score per 0.1 of an ordered factor, by a straight line over its levels",
        named="FACTOR",
        options=("group",),
    ),
    "range": Definition(
        text="distance of the two set-ups (or levels of FACTOR) furthest apart, luck taken off", named="FACTOR?", options=("group",)
    ),
    "extractor_spread": Definition(
        text="distance of the two readers furthest apart on the same answers: the careful one and the usual rules, or those"
        " that are named, joined by +",
        named="READERS?",
        options=("cell",),
    ),
    "unparsed": Definition(text="share of answers in which no single answer was found", options=BY),
    "refused": Definition(text="share of answers that refuse", options=BY),
    "truncated": Definition(text="share of answers cut off before an answer was found", options=BY),
    "failed": Definition(text="share of calls that failed; counted, for this run alone", options=("cell",)),
    "unscored": Definition(text="share of answers the scorer says nothing about; counted, for this run alone", options=("cell",)),
    "run_noise": Definition(text="standard deviation of the score of one run on these items, asked again", options=("cell",)),
    "flips": Definition(text="chance that two runs of one item end differently", options=BY),
    "pass_all": Definition(text="chance that K runs of one item are all right (pass^K)", named="K", options=BY),
    "drop": Definition(
        text="score of the baseline run less that of this one on the same items: how much worse", options=("group",), needs="baseline"
    ),
    "change": Definition(
        text="this run less the baseline run on the same items: of score, unparsed, refused, truncated, flips or volatility",
        named="ESTIMATE?",
        options=("group",),
        needs="baseline",
    ),
    "moved": Definition(
        text="size of the change of the score against the baseline run, up or down", options=("group",), needs="baseline"
    ),
    "spot_check": Definition(
        text="share of the labelled items on which the verdict is that of most people", needs="labels"
    ),
    "people": Definition(
        text="Krippendorff's alpha of the people who labelled, nominal; a number without unit", needs="labels", plain=True
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit, as it was written and as it was understood."""

    text: str
    estimate: str
    named: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    """Option and value; "" for all of them."""
    op: Op
    bound: float
    """Fraction of 1, or the coefficient."""
    id: str = ""
    severity: Severity = "error"
    why: str | None = None
    file: str | None = None
    line: int | None = None

    def option(self, name: str) -> str | None:
        """Its value, "" for "each", None where it was not given."""
        return dict(self.options).get(name)


_LIMIT = re.compile(r"\s*([a-z_]+)(\^\d+)?\s*(?:\((.*)\))?\s*(<=|>=|≤|≥|<|>|=+|at most|at least)\s*(.+?)\s*", re.DOTALL)
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(.*)", re.DOTALL)
_UNITS = {
    "point": 0.01, "points": 0.01, "pt": 0.01, "pts": 0.01, "pp": 0.01, "%": 0.01, "percent": 0.01, "of 1": 1.0,
}  # fmt: skip
_OPS: Mapping[str, Op] = {"<=": "at most", "≤": "at most", "at most": "at most", ">=": "at least", "≥": "at least",
                          "at least": "at least"}  # fmt: skip


def read_limit(text: str) -> Limit:
    """The limit that `text` writes. Raises InputError: what is wrong, and what to write."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise InputError(f"{text.strip()[:80] or 'nothing'}: no limit; write one as {EXAMPLE}")
    name, power, inside, op, rest = found.groups()
    if name == "pass" and power:
        name, inside = "pass_all", ", ".join(part for part in (power[1:], inside) if part)
    elif power:
        raise InputError(f"{text.strip()}: {name}{power} is no estimate; pass{power} is")
    if name not in DEFINITIONS:
        raise InputError(f"{text.strip()}: there is no estimate {name}; {hint(name, DEFINITIONS)}")
    if op not in _OPS:
        instead = {"<": "<=", ">": ">="}.get(op, "<= or >=")
        raise InputError(f"{text.strip()}: write {instead} in place of {op}")
    definition = DEFINITIONS[name]
    named, options = _arguments(text, name, definition, inside or "")
    return Limit(
        text=" ".join(text.split()), estimate=name, named=named, options=options, op=_OPS[op],
        bound=_bound(text, name, definition, rest),
    )  # fmt: skip


def _arguments(
    text: str, name: str, definition: Definition, inside: str
) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    named: str | None = None
    options: dict[str, str] = {}
    for part in _parts(inside):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key in definition.options and (equals or named is not None or definition.named is None or key in BY):
            if key in options or (equals and not value):
                raise InputError(f"{text.strip()}: say {key} once, as {key} (each) or {key}=NAME")
            options[key] = value.strip("\"'")
        elif definition.named is not None and named is None and not equals:
            named = key.strip("\"'")
        else:
            raise InputError(f"{text.strip()}: {name} takes no {part.strip()}; write {name}{definition.shape}")
    if named is None and definition.named is not None and definition.named[-1] != "?":
        raise InputError(f"{text.strip()}: {name} of what? write {name}{definition.shape}")
    if name == "pass_all" and not (named or "").isdigit():
        raise InputError(f"{text.strip()}: K is a number of runs; write pass^5")
    return named, tuple(options.items())


def _parts(inside: str) -> list[str]:
    """Split at commas that stand in no quotes."""
    return [part for part in re.findall(r"(?:[^,\"]|\"[^\"]*\")+", inside) if part.strip()]


def _bound(text: str, name: str, definition: Definition, rest: str) -> float:
    found = _NUMBER.fullmatch(rest)
    if found is None:
        raise InputError(f"{text.strip()}: {rest} is no number; write one as {EXAMPLE}")
    number, unit = float(found[1]), " ".join(found[2].split())
    if definition.plain:
        if unit:
            raise InputError(f"{text.strip()}: {name} has no unit; write {found[1]}")
        return number
    per = 1.0
    if name == "slope" and " per " in f" {unit} ":
        unit, _, width = unit.partition("per ")
        unit = unit.strip()
        try:
            per = 0.1 / float(width)
        except (ValueError, ZeroDivisionError):
            raise InputError(f"{text.strip()}: per {width} is no step; write 0.5 points per 0.1") from None
    if unit not in _UNITS:
        points = f"{found[1]} points (of 100), or {float(found[1]) / 100:g} of 1"
        what = f"{unit} is no unit" if unit else f"{found[1]} of what?"
        raise InputError(f"{text.strip()}: {what}{';' if unit else ''} write {points}")
    return round(number * _UNITS[unit] * per, 12)
