"""A published number without its run, held against a run of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Literal

from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.laws import normal_quantile
from eyechart.stats.reproduction import WITHIN, Number, Reproduction, other_items_than, same_items_as

Items = Literal["same", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What was published of a score."""

    text: str
    """As it was written: its digits say how far it is rounded."""
    se: float | None = None
    interval: tuple[float, float] | None = None
    """At 95 %, of new items."""
    n: int | None = None
    """Items behind it; gives a standard error where none is stated."""
    runs: int = 1

    def number(self) -> Number:
        """Raises InputError for what is no score, or contradicts itself.

        >>> one = Claim(text="0.71", n=1000).number(); one.rounding, round(one.se, 4)
        (0.005, 0.0143)
        """
        try:
            value = float(self.text)
        except ValueError:
            raise InputError(f"{self.text[:40]} is no number; write 0.71", field="--claimed") from None
        if not 0 <= value <= 1:
            raise InputError(f"{self.text} is no fraction of 1; write 0.71 for 71 points", field="--claimed")
        digits = len(self.text.strip().lower().partition("e")[0].partition(".")[2])
        rounding = 0.5 * 10.0**-digits if "e" not in self.text.lower() and digits else 0.0
        return Number(value=value, rounding=rounding, se=self._error(value), runs=self.runs)

    def _error(self, value: float) -> float | None:
        if self.se is not None and self.interval is not None:
            raise InputError("state the standard error or the interval, not both", field="--se")
        if self.interval is not None:
            low, high = self.interval
            if not low <= value <= high:
                raise InputError(f"the score {value:g} does not lie in it", field="--interval")
            return (high - low) / 2 / normal_quantile(0.975)
        if self.se is not None or self.n is None:
            return self.se
        return sqrt(value * (1 - value) / self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstClaim:
    """A run of one's own beside a published number."""

    cell: str
    claim: Number
    items: Items
    result: Reproduction | NotEstimable

    @property
    def code(self) -> str:
        if isinstance(self.result, NotEstimable):
            return "cannot_tell"
        return self.result.verdict.replace(" ", "_")

    @property
    def sentence(self) -> str:
        claimed = f"{self.claim.value * 100:.4g} points were published"
        if isinstance(self.result, NotEstimable):
            return f"Cannot tell: {claimed}; {self.result.reason}."
        first = self.result.verdict.capitalize()
        noise = "run noise alone, since the items are the same" if self.items == "same" else "both samples of items"
        text = f"{first}: {claimed}, and {self.cell} gives {self.result.second * 100:.1f}"
        if self.result.interval is not None:
            low, high = self.result.interval.low * 100, self.result.interval.high * 100
            text += f"; by {noise} it should lie in [{low:.1f}, {high:.1f}]"
        elif self.result.verdict == "reproduced":
            text += ", equal in every digit that was published"
        else:
            text += f", {self.result.difference * 100:+.1f}"
        text += f"; {self.result.reason}" if self.result.reason else ""
        if (other := self.result.other_items) is not None:
            where = "inside" if other.low <= self.claim.value <= other.high else "outside"
            text += f"; another sample of items would give [{other.low * 100:.1f}, {other.high * 100:.1f}]"
            text += f" in {other.level * 100:g} %: what was published lies {where}"
        more = f"; repeats: {self.result.needed} would do" if self.result.needed else ""
        return f"{text}{more}."


def against_claim(run: Path | str, claim: Claim, *, items: Items = "same", within: float = WITHIN) -> AgainstClaim:
    """The baseline of a run, or RUN#cell, against a published number. Calls nothing.

    `items`: whether the run asks the very items of the claim, or others of their kind. Raises InputError for a run or
    set-up that is not there.
    """
    done, at = _cell(str(run))
    number, seen = claim.number(), done.observations
    name, score = str(done.facts["cells"][at]["id"]), done.scores()[at].new_items
    if items == "same":
        values, scored, _ = seen.matrix(at)
        result = same_items_as(
            number,
            values,
            mask=~scored,
            sampled=done.facts["cells"][at].get("sampled"),
            new=score if isinstance(score, Estimate) else None,
            within=within,
        )
    else:
        result = other_items_than(number, score, within=within) if isinstance(score, Estimate) else score
    return AgainstClaim(cell=name, claim=number, items=items, result=result)


def _cell(text: str) -> tuple[Finished, int]:
    folder, mark, cell = text.rpartition("#") if "#" in text and not Path(text).exists() else (text, "", "")
    done = finished(Folder(Path(folder)))
    known = [str(one["id"]) for one in done.facts["cells"]]
    if mark and cell not in known:
        raise InputError(f"{folder} has no set-up {cell}; {hint(cell, known)}")
    return done, known.index(cell) if mark else 0
