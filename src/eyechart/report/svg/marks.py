"""The few marks that the charts share. Everything is written here, and everything is escaped here.

Charts that may be as wide as the page place their marks in per cent of the width, so that letters stay
the same size on a telephone; charts of a fixed size use pixels. Colours are classes, never values: the
style sheet knows light, dark and print.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from eyechart.report import numbers
from eyechart.report.blocks import Text, message
from eyechart.report.messages import say
from eyechart.report.text import ELLIPSIS, clean

FARTHEST = 1e9
"""No mark is placed further out than this: a picture has no room for more."""


@dataclass(frozen=True, slots=True)
class Pen:
    """What a chart must know about the page it is drawn on."""

    language: str
    fresh: Callable[[str], str]
    """An id that no other element of the page has."""
    wide: bool = False
    """One chart over the whole page."""

    def say(self, text: Text) -> str:
        """Plain text in the language of the page, not yet escaped."""
        return say(text, self.language)


def tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """One element. `class_` is `class`, `text_anchor` is `text-anchor`; None leaves an attribute out.

    >>> tag("text", words("a < b"), x=1.25, class_="ink")
    '<text x="1.2" class="ink">a &lt; b</text>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            shown = value if isinstance(value, str) else number(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{escape(shown)}"')
    inside = "".join(children)
    return f"<{' '.join(parts)}>{inside}</{name}>" if inside else f"<{' '.join(parts)}/>"


def words(text: str) -> str:
    return escape(clean(text))


def number(value: float) -> str:
    """
    >>> number(3.0), number(-0.04), number(12.345)
    ('3', '0', '12.3')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def percent(share: float) -> str:
    """
    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    text = f"{100 * share:.2f}".rstrip("0").rstrip(".")
    return f"{'0' if text == '-0' else text}%"


def picture(pen: Pen, title: Text, about: Text, *children: str, **attributes: str | float | None) -> str:
    """The whole of a chart: a named image that says what it shows and that a table follows."""
    name, note = pen.fresh("title"), pen.fresh("desc")
    heading = pen.say(title).strip() or pen.say(message("ui.empty"))
    told = f"{pen.say(about)} {pen.say(message('ui.chart', title=heading))}"
    return tag(
        "svg",
        tag("title", words(heading), id=name),
        tag("desc", words(told), id=note),
        *children,
        role="img",
        aria_labelledby=name,
        aria_describedby=note,
        **attributes,
    )


def width_of(text: str, size: float) -> float:
    """About how wide `text` is, in pixels, at a font size of `size`.

    >>> round(width_of("score", 12)), round(width_of("得分", 12))
    (34, 24)
    """
    return size * sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.56 for c in text)


def fit(text: str, room: float, size: float) -> str:
    """`text`, cut to `room` pixels with an ellipsis.

    >>> fit("a very long name", 60, 12), fit("short", 60, 12)
    ('a very …', 'short')
    """
    text = clean(text[:400])
    if width_of(text, size) <= room:
        return text
    left, kept = room - width_of(ELLIPSIS, size), 0
    for character in text:
        left -= width_of(character, size)
        if left < 0:
            break
        kept += 1
    return text[:kept] + ELLIPSIS


@dataclass(frozen=True, slots=True)
class Scale:
    """Scores to places along an axis.

    >>> Scale(0.0, 1.0, 0, 200).at(0.25)
    50.0
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (bounded(value) - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        return [tick for tick in ticks(self.low, self.high, wanted) if self.low <= tick <= self.high]


def bounded(value: float) -> float:
    return min(FARTHEST, max(-FARTHEST, value))


def scale_over(values: Iterable[float], start: float, end: float, *, least: float = 0.02, wanted: int = 5) -> Scale:
    """A scale over `values`, a little wider than they are, and never narrower than `least`.

    Scores end at 0 and 1, and so does the scale where all values lie between them.

    >>> scale = scale_over([0.71, 0.74], 0, 100, least=0.1)
    >>> round(scale.low, 3), round(scale.high, 3)
    (0.65, 0.8)
    """
    known = [bounded(value) for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = max(high - low, least)
    middle = (low + high) / 2
    step = step_for(room * 1.08, wanted)
    bottom = math.floor((middle - room * 0.54) / step + 0.5) * step
    top = math.ceil((middle + room * 0.54) / step - 0.5) * step
    bottom, top = min(bottom, low), max(top, high)
    if low >= 0.0 and high <= 1.0:
        bottom, top = max(0.0, bottom), min(1.0, top)
    return Scale(bottom, top if top > bottom else bottom + step, start, end)


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers from `low` to `high`.

    >>> [round(tick, 3) for tick in ticks(0.68, 0.78)]
    [0.68, 0.7, 0.72, 0.74, 0.76, 0.78]
    """
    step = step_for(high - low, wanted)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, min(last, first + 4 * wanted) + 1)]


def step_for(room: float, wanted: int) -> float:
    """The round step, 1, 2 or 5 times a power of ten, that goes into `room` at most `wanted` times.

    >>> step_for(0.07, 4), step_for(3.0, 5)
    (0.02, 1.0)
    """
    rough = max(room, 1e-9) / max(1, wanted)
    size = 10.0 ** math.floor(math.log10(rough))
    return next((factor * size for factor in (1, 2, 5) if factor * size >= rough), 10 * size)


def tick_label(value: float, step: float) -> str:
    """A score on an axis, in points.

    >>> tick_label(0.7, 0.1), tick_label(0.715, 0.005)
    ('70', '71.5')
    """
    return numbers.points(value, 0 if step >= 0.0099 else 1 if step >= 0.00099 else 2)


def heat_class(share: float | None) -> str:
    """The class of one of eleven colours, from -1 (lower) over 0 to 1 (higher).

    >>> heat_class(-1.0), heat_class(0.05), heat_class(0.3), heat_class(None)
    ('hn5', 'h0', 'hp2', 'hx')
    """
    if share is None or not math.isfinite(share):
        return "hx"
    step = round(5 * min(1.0, max(-1.0, share)))
    return "h0" if step == 0 else f"h{'p' if step > 0 else 'n'}{abs(step)}"
