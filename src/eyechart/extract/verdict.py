"""The verdict that a judge commits to: a word of its menu, a number of its scale, or one number a criterion."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.declined import declined
from eyechart.extract.passage import Passage, passage
from eyechart.extract.verdict_menu import Menu, Scale, words
from eyechart.extract.verdict_prose import Statement, lines, statements
from eyechart.extract.verdict_rubric import rubric
from eyechart.extract.verdict_slots import Slot, masked, objects, slots
from eyechart.extract.verdict_words import CONTRAST, TURN

_WINDOW = 30_000
"""Characters at the end of a text that are looked at."""
_menu = lru_cache(maxsize=64)(words)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict a judge commits to; no verdict, with the reason, where a careful person could not name one.

    The last announced verdict counts (`Verdict:`, `Grade:`, `[[A]]`, `\\\\boxed{}`, a JSON field, 判定, Urteil ...), and one called
    final or overall before others; else the whole answer or a line by itself; else a sentence that says so. A name is
    matched as a whole word, never inside another. What the judge quotes is not its own verdict.

    Two verdicts that differ, with no change of mind between them, are a conflict: no value, and a reason that begins
    with `conflict:` and names both. So is a number that a flag or words beside it contradict: with `{"score": 0.75,
    "pass": false}` the number lies above `threshold`, the middle of the scale where none is stated.

    The value is the word as `labels` gives it, or a plain decimal number (`4`, `4.5`); with `criteria` one of either for
    each, in their order: `clarity=4;truth=2`. A criterion without one leaves the whole without a value.

    >>> item = Item(id="1", fields={})
    >>> pair = Verdict(labels=("A", "B", "tie"))
    >>> texts = ("I prefer the first answer.", "GRADE: A. On reflection,\\nGRADE: B", "Both are equally good.", "A or B")
    >>> [pair.read(text, item, ()).value for text in texts]
    ['A', 'B', 'tie', None]
    >>> scale = Verdict(low=1, high=5)
    >>> for text in ('It says "Score: 5". Score: 2/5', "8/10", "Score: 2\\nGrade: 4"):
    ...     found = scale.read(text, item, ())
    ...     print(found.value, found.reason)
    2 None
    None 8/10 is not on the scale from 1 to 5
    None conflict: Score: 2 against Grade: 4
    >>> Verdict(low=1, high=5, criteria=("clarity", "truth")).read("Truth: 2\\nClarity: 4", item, ()).value
    'clarity=4;truth=2'
    """

    version: ClassVar[int] = 1

    labels: tuple[str, ...] = ()
    """The words on the menu: first, second and perhaps tie; or from the worst to the best."""
    low: float | None = None
    high: float | None = None
    """The ends of the scale, where numbers are asked for."""
    step: float | None = None
    """How far apart the numbers of the scale are; None: any number between the ends."""
    criteria: tuple[str, ...] = ()
    """Names of a rubric, each with a verdict of its own."""
    threshold: float | None = None
    """From where on a number passes, in units of the scale."""

    def __post_init__(self) -> None:
        for name in ("labels", "criteria"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        if bool(self.labels) == (self.low is not None or self.high is not None):
            raise ValueError("write either labels, as [A, B, tie], or a scale, as low: 1 and high: 5")
        if self.labels:
            if len(self.labels) < 2:
                raise ValueError("labels must be two words or more")
            return
        if self.low is None or self.high is None or not _finite(self.low) or not _finite(self.high):
            raise ValueError("low and high must both be numbers, as low: 1 and high: 5")
        if not self.low < self.high:
            raise ValueError(f"low must be below high, not {self.low:g} and {self.high:g}")
        if self.step is not None and (not _finite(self.step) or self.step <= 0):
            raise ValueError(f"step must be a number above 0, not {self.step!r}")
        if self.threshold is not None and not _finite(self.threshold):
            raise ValueError(f"threshold must be a number, not {self.threshold!r}")

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        """`labels` (those of the judged task) are no verdicts and are not looked at.

        Outcome where there is no value: truncated inside hidden reasoning, refused, else unparseable.
        """
        view = passage(text)
        if view.unfinished:
            return _none(view, "ends inside its hidden reasoning", Outcome.TRUNCATED)
        found = self._read(view, item)
        if found.value is None and view.uncut and not (found.reason or "").startswith("conflict:"):
            again = self._read(view.whole(), item)
            return again if again.value is not None else found
        return found

    def _read(self, view: Passage, item: Item) -> Extraction:
        if not view.text.strip():
            return _none(view, "empty answer")
        menu = self._asked()
        off = max(0, len(view.text) - _WINDOW)
        text = view.text[off:]
        if self.criteria:
            value, reason, span = rubric(text, self.criteria, menu)
            if value is None:
                return _none(view, reason)
            return _taken(view, value, (off + span[0], off + span[1]), "a score for every criterion")
        announced = slots(text, menu)
        said = _resolved(text, _own(text, announced, item))
        if said is not None:
            if said.value is not None:
                said = self._checked(text, said, announced, menu)
            if said.value is None:
                return _none(view, said.reason)
            return _taken(view, said.value, (off + said.start, off + said.end), "in the verdict slot")
        return self._unannounced(view, text, off, menu)

    def _asked(self) -> Menu:
        if self.labels:
            return _menu(self.labels)
        assert self.low is not None and self.high is not None  # noqa: PT018 - as checked above
        return Scale(self.low, self.high, self.step)

    def _checked(self, text: str, said: Slot, announced: list[Slot], menu: Menu) -> Slot:
        """`said`, or the conflict between it and what stands beside it."""
        assert said.value is not None
        if isinstance(menu, Scale):
            pivot = self.threshold if self.threshold is not None else (menu.low + menu.high) / 2
            number = float(said.value)
            for slot in announced:
                if slot.flag is not None and ((number > pivot and not slot.flag) or (number < pivot and slot.flag)):
                    return _conflict(said, slot.shown)
        plain = _without_objects(masked(text, prose=True))
        for one in statements(plain, menu):
            if one.value is None or one.value == said.value or one.weight < 2:
                continue
            if _turned(text, said, one):
                continue
            if said.start <= one.start < said.end + 200 and text[said.end : one.start].count("\n") == 0 == one.weight:
                continue
            return _conflict(said, " ".join(text[one.start : one.end + 20].split()))
        return said

    def _unannounced(self, view: Passage, text: str, off: int, menu: Menu) -> Extraction:
        plain = _without_objects(masked(text, prose=True))
        sentences = _heaviest(plain, statements(plain, menu))
        stood = lines(_without_objects(masked(text)), menu)
        if stood and len({one.value for one in stood}) == 1:
            stood += [one for one in sentences if one.weight > 1 and not _turned(text, stood[-1], one)]
        for found in (stood, sentences):
            values = {one.value for one in found if one.value is not None}
            if len(values) > 1:
                both = " against ".join(text[one.start : one.end + 12].split("\n")[0].strip() for one in found[-2:])
                return _none(view, f"conflict: {both}")
            if values:
                last = [one for one in found if one.value is not None][-1]
                return _taken(
                    view, last.value or "", (off + last.start, off + last.end), "said in words", last.weight > 1
                )
            if found:
                return _none(view, found[-1].reason)
        why = declined(view.text)
        if why is not None:
            return _none(view, why[1], why[0])
        return _none(view, "no verdict in the answer")


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, tuple | list):
        raise ValueError(f"{name} must be a list of words, as [A, B], not {value!r:.60}")
    texts = tuple(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not all(isinstance(one, str) and one.strip() for one in texts):  # pyright: ignore[reportUnknownVariableType]
        raise ValueError(f"{name} must be words that are not empty (put no and yes in quotes), not {value!r:.60}")
    out: tuple[str, ...] = texts  # pyright: ignore[reportUnknownVariableType]
    if len({one.strip().lower() for one in out}) < len(out):
        raise ValueError(f"{name} must differ from one another, not {value!r:.60}")
    if name == "criteria" and any(re.search(r"[=;]", one) for one in out):
        raise ValueError(f"criteria must hold neither = nor ;, not {value!r:.60}")
    return out


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _own(text: str, announced: list[Slot], item: Item) -> list[Slot]:
    """Without lines that stand word for word in the judged answer, where others are left."""
    judged = [value for key, value in item.fields.items() if key.startswith("output") and isinstance(value, str)]
    if not judged:
        return announced

    def echoed(slot: Slot) -> bool:
        start = text.rfind("\n", 0, slot.start) + 1
        line = text[start : slot.end].strip()
        return len(line) > 3 and any(line in one for one in judged)

    kept = [slot for slot in announced if not echoed(slot)]
    return kept if any(slot.value is not None for slot in kept) else announced


def _resolved(text: str, announced: list[Slot]) -> Slot | None:
    """The one verdict of the slots, the conflict between them, or what is wrong with the last; None where there is none."""
    real = [slot for slot in announced if slot.flag is None]
    if not real:
        return None
    top = max(slot.strength for slot in real)
    live = [slot for slot in real if slot.strength == top]
    if live[-1].value is None:
        return live[-1]
    read = [slot for slot in live if slot.value is not None]
    if len({slot.value for slot in read}) > 1:
        read = _after_turn(text, read)
    if len({slot.value for slot in read}) > 1:
        other = next(slot for slot in reversed(read) if slot.value != read[-1].value)
        return _conflict(other, read[-1].shown)
    return read[-1]


def _after_turn(text: str, read: list[Slot]) -> list[Slot]:
    for k in range(len(read) - 1, 0, -1):
        if TURN.search(text, read[k - 1].end, read[k].start):
            return read[k:]
    return read


def _conflict(slot: Slot, other: str) -> Slot:
    return slot._replace(value=None, reason=f"conflict: {slot.shown or slot.value} against {other}"[:200])


def _turned(text: str, one: Slot | Statement, other: Slot | Statement) -> bool:
    """Whether something between the two says that the second takes back, or outweighs, the first."""
    between = text[min(one.end, other.end) : max(one.start, other.start)]
    return TURN.search(between) is not None or CONTRAST.search(between) is not None


def _heaviest(text: str, found: list[Statement]) -> list[Statement]:
    if not found:
        return found
    top = max(one.weight for one in found)
    live = [one for one in found if one.weight == top]
    for k in range(len(live) - 1, 0, -1):
        if TURN.search(text, live[k - 1].end, live[k].start):
            return live[k:]
    return live


def _without_objects(text: str) -> str:
    for start, end, _ in objects(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _taken(view: Passage, value: str, span: tuple[int, int], reason: str, committed: bool = True) -> Extraction:
    start, end = view.span(*span)
    end = max(end, start + 1)
    step = Step("taken", reason, (start, end))
    return Extraction(value=value, span=(start, end), committed=committed, steps=(*view.steps, step))


def _none(view: Passage, reason: str, outcome: Outcome = Outcome.UNPARSEABLE) -> Extraction:
    return Extraction(value=None, reason=reason, outcome=outcome, steps=view.steps)
