"""The grammar of quantities: a number as people and models write it, with its scale and unit, to an exact fraction.

Shared by the readers, which look for quantities in a text, and the scorers, which parse the one that was found.
Expected is text as `extract.passage` leaves it: plain digits, hyphens and spaces; superscripts and `½` as they were.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from eyechart.core.numerals_clock import clock, han_times
from eyechart.core.numerals_digits import amount, zeros
from eyechart.core.numerals_units import GLUED, NAMES, SCALES, UNITS, alike
from eyechart.core.numerals_words import worded

LONGEST = 400
"""Characters of the longest number read: enough for any answer, too few to stall on."""
_DIGITS = 1_200
"""Digits of the longest power worked out."""

_FRAC = r"\\[dtc]?frac ?(?:\{ ?(-?[0-9]{1,60}) ?\} ?\{ ?([0-9]{1,60}) ?\}|([0-9])([0-9]))"
_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_RUN = r"(?:[0-9]+|\.[0-9]+)(?:(?:[.,']|\{,\}|\\[,!;:] ?|,\\! ?|[ _](?=[0-9]{3}(?![0-9])))[0-9]+)*"
_TOKEN = re.compile(rf"{_FRAC}|([{_VULGAR}])|({_RUN})")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = r"(?:\^ ?(?:\{ ?)?([-+]?[0-9]{1,4})(?![0-9])(?: ?\})?|\*\*([-+]?[0-9]{1,4})(?![0-9])|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))"
_TEN = re.compile(rf" ?(?:×|[xX]|\*|·|⋅|\\times|\\cdot) ?10{_POWER}")
_BARE_POWER = re.compile(_POWER)
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]{1,4})(?![0-9A-Za-z])")
_MIXED = re.compile(
    rf" ?(?:\\[dtc]?frac ?(?:\{{ ?([0-9]{{1,60}}) ?\}} ?\{{ ?([0-9]{{1,60}}) ?\}}|([0-9])([0-9]))|([{_VULGAR}]))"
)
_MIXED_PLAIN = re.compile(r"(?: |-| and )([0-9]{1,9})[/⁄]([0-9]{1,9})(?![0-9/])")
_OVER = re.compile(r" ?[/⁄] ?([0-9]{1,60})(?![0-9/]|\.[0-9])")
_AFTER = re.compile(
    r"(?P<gap> ?(?:\\[,; ] ?)?(?:\\(?:text|mathrm|textrm|mbox|operatorname)\{ ?)?)(?P<word>[^\W\d_]+|\\?[%$]|[‰°¢€£¥₹₩₽℃℉]|\^ ?\{?\\circ\}?|\\degree)"
)
_SQUARED = re.compile(r"(?:²|³|\^ ?\{?[23]\}?)")
_PER = re.compile(r" ?/ ?(h|s|hr|hour|second|sec)\b| per (hour|second)\b")
_CELSIUS = re.compile(r" ?(?:\\text\{|\\mathrm\{)?([CF])\b\}?")
_MONEY = "$€£¥₹₩₽"
_MINUS = re.compile(
    r"(?:(?<!al )(?<!au )(?<!du )(?<!lo )\b(?:minus|negative|moins|menos|meno|минус|ناقص|سالب|ऋण|eksi) |マイナス|마이너스 ?|[负負]|零下)$",
    re.IGNORECASE,
)
_OPERAND = re.compile(r"[0-9)%](?: [^\W\d_]{1,16})? ?$")
"""What makes the `minus` behind it an operator."""
_MINUSES = (
    "minus ", "negative ", "moins ", "menos ", "meno ", "минус ", "ناقص ", "سالب ", "ऋण ", "eksi ",
    "マイナス", "마이너스", "마이너스 ", "负", "負", "零下",
)  # fmt: skip
"""What `_MINUS` ends in."""
_TIMELY = ": .hHaApPU"
"""What can follow the digits of an hour."""
_SIGNS = {"-": -1, "+": 1, "±": 0}


class Quantity(NamedTuple):
    """A number in a text. `value` is in units of `unit`; a percentage of 50 has value 50 and unit `%`."""

    start: int
    end: int
    value: Fraction
    unit: str | None = None
    """A name in `UNITS`, `clock` for a time of day (in minutes), or None."""
    place: Fraction | int = 0
    """Size of the last digit that is not a zero at the end of a whole number: what it was rounded to, at the coarsest."""
    scaled: bool = False
    """Whether a scale word or letter stood behind it: `120k`, `1.5 million`, `3亿`."""
    both: bool = False
    """Whether ± stood before it."""
    words: bool = False


def _raised(value: Fraction, power: str) -> Fraction | None:
    exponent = int(power.translate(_SUPER))
    size = len(str(value.numerator)) + len(str(value.denominator))
    if size * abs(exponent) > _DIGITS or (not value and exponent < 0):
        return None
    return value**exponent


def _number(text: str, match: re.Match[str]) -> tuple[Fraction, Fraction | int, int] | None:
    """Value, place and end of the number that begins at `match`, exponents and fractions read with it."""
    above, below, a, b, vulgar, run = match.groups()
    end = match.end()
    if run is None:
        if vulgar:
            value = Fraction(unicodedata.numeric(vulgar)).limit_denominator(20)
        else:
            bottom = int(below or b)
            if not bottom:
                return None
            value = Fraction(int(above or a), bottom)
        return value, Fraction(0), end
    if len(run) > LONGEST:
        return None
    read = amount(run)
    if read is None:
        return None
    value, place, length = read
    end = match.start() + length
    if end == len(text):
        return value, place, end
    following = text[end]
    if following in "eE" and (m := _EXPONENT.match(text, end)):
        scale = Fraction(10) ** int(m[1]) if abs(int(m[1])) <= _DIGITS else None
        return (value * scale, place * scale, m.end()) if scale is not None else None
    if following in " ×xX*·⋅\\" and (m := _TEN.match(text, end)):
        scale = _raised(Fraction(10), m[1] or m[2] or m[3])
        return (value * scale, place * scale, m.end()) if scale is not None else None
    if following in "^*⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹" and (m := _BARE_POWER.match(text, end)):
        raised = _raised(value, m[1] or m[2] or m[3])
        return (raised, 10 ** zeros(raised), m.end()) if raised is not None else None
    if value.denominator == 1 and run.isdigit() and (following in " \\/⁄-" or following in _VULGAR):
        return _fraction(text, value, place, end)
    return value, place, end


def _fraction(
    text: str, value: Fraction, place: Fraction | int, end: int
) -> tuple[Fraction, Fraction | int, int] | None:
    if m := _MIXED.match(text, end):
        if m[5]:
            return value + Fraction(unicodedata.numeric(m[5])).limit_denominator(20), Fraction(0), m.end()
        if below := int(m[2] or m[4]):
            return value + Fraction(int(m[1] or m[3]), below), Fraction(0), m.end()
    elif (m := _MIXED_PLAIN.match(text, end)) and 0 < int(m[1]) < int(m[2]):
        return value + Fraction(int(m[1]), int(m[2])), Fraction(0), m.end()
    elif m := _OVER.match(text, end):
        return (value / int(m[1]), Fraction(0), m.end()) if int(m[1]) else None
    return value, place, end


def _unit(text: str, end: int, money: str | None) -> tuple[str | None, int, int, bool]:
    """Unit, scale, end and whether scaled, of what stands behind the digits that end at `end`."""
    scale, unit, scaled = 1, money, False
    for _ in range(3):
        m = _AFTER.match(text, end)
        if m is None:
            break
        word, glued = m["word"], not m["gap"]
        if word == "$" and text.count("$", max(0, end - 200), end) % 2:  # closes a formula
            break
        found, length = _lookup(word, glued)
        if glued and money and word == "m":
            found, length = 10**6, 1
        if isinstance(found, int) and unit in (None, money):
            scale, scaled, end = (
                scale * found,
                scaled or word.lower() not in ("dozen", "dozens"),
                m.start("word") + length,
            )
            continue
        if isinstance(found, str) and (unit is None or unit in (found, money)):
            stop = m.start("word") + length
            if unit == money and money and found in ("%", "°"):
                break
            unit, end = _compound(text, found, stop)
            if text.startswith("}", end) and "{" in m["gap"]:
                end += 1
        break
    return unit, scale, end, scaled


def _compound(text: str, unit: str, end: int) -> tuple[str, int]:
    if unit == "°" and (m := _CELSIUS.match(text, end)):
        return "°" + m[1], m.end()
    if UNITS[unit].dimension == "length" and end < len(text):
        if m := _SQUARED.match(text, end):
            power = unit + ("²" if "2" in m[0] or "²" in m[0] else "³")
            if power in UNITS:
                return power, m.end()
        if m := _PER.match(text, end):
            speed = {"m": "m/", "km": "km/", "mi": "mi/"}.get(NAMES[UNITS[unit]], "?") + (m[1] or m[2])[0]
            if speed in UNITS:
                return NAMES[UNITS[speed]], m.end()
    return unit, end


def _lookup(word: str, glued: bool) -> tuple[int | str | None, int]:
    """A scale (whole number) or the name of a unit that `word` begins with, and how much of it that is."""
    if word.startswith(("^", "\\d")):
        return "°", len(word)
    if word.startswith("\\"):
        word = word[1:]
        return word, len(word) + 1
    if word.isascii() or len(word) > 40:
        for name in (word, word.lower()):
            if name in SCALES and (glued or name not in GLUED):
                return SCALES[name], len(word)
            if name in UNITS and name != "clock":
                return name, len(word)
        if word.lower() == "per":
            return None, 0
        return None, 0
    for length in range(min(len(word), 12), 0, -1):
        head = word[:length].lower()
        if length < len(word) and word[length - 1].isalpha() and not _han(word[0]):
            continue
        if head in SCALES:
            return SCALES[head], length
        if head in UNITS:
            return head, length
    return None, 0


def _han(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af"


def _prefix(text: str, start: int) -> tuple[int, int, str | None]:
    """Start of the number with its sign and currency, its sign (0 for ±) and the currency before it."""
    at, sign, money = start, 1, None
    for _ in range(2):
        back = at
        while back > 0 and text[back - 1] == " " and at - back < 2:
            back -= 1
        if back >= 2 and text[back - 2 : back] == "\\$":
            at, money = back - 2, "$"
            continue
        if back >= 3 and text[back - 3 : back] == "\\pm":
            return back - 3, 0, money
        char = text[back - 1] if back else ""
        if char and char in _MONEY and money is None:
            at, money = back - 1, char
            if char == "$" and back > 2 and text[back - 3 : back - 1] in ("US", "HK"):
                at -= 2
            continue
        if char in _SIGNS and char:
            if char != "±" and _binary(text, back - 1, spaced=back < at):
                break
            at, sign = back - 1, _SIGNS[char]
            if money is None:
                continue
        break
    if sign <= 0 or not at or not text[max(0, at - 10) : at].lower().endswith(_MINUSES):
        return at, sign, money
    word = _MINUS.search(text, max(0, at - 10), at)
    if word and not _OPERAND.search(text, max(0, word.start() - 24), word.start()):
        return word.start(), -1, money
    return at, sign, money


def _binary(text: str, sign: int, *, spaced: bool) -> bool:
    """Whether the sign at `sign` stands between two operands: `5-3`, `x - 5`; not in `to -3`, `= - 5`."""
    before = sign
    while before > 0 and text[before - 1] == " ":
        before -= 1
    if not before:
        return False
    char = text[before - 1]
    if not (char.isalnum() or char in ")]}%°!²³" or char in _VULGAR):
        return False
    word = char.isalpha() and (
        (before > 1 and text[before - 2].isalpha()) or not (char.isascii() or "α" <= char <= "ω")
    )
    return before == sign or spaced or not word


@lru_cache(maxsize=512)
def scan(text: str) -> tuple[Quantity, ...]:
    """The quantities in `text`, in order, none within another. Time is linear for texts of bounded length.

    >>> [(str(q.value), q.unit) for q in scan("It fell 5% from $1,234.50 to -3½ km at 3:30 PM, a hundred of 1.2万")]
    [('5', '%'), ('2469/2', '$'), ('-7/2', 'km'), ('930', 'clock'), ('100', None), ('12000', None)]
    """
    out: list[Quantity] = []
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        start = match.start()
        if start and not _starts(text, start):
            continue
        run = match[6]
        if run and len(run) < 6 and text[at : at + 1] in _TIMELY and at < len(text) and (when := clock(text, start)):
            out.append(Quantity(start, when[1], when[0], "clock"))
            at = when[1]
        elif (quantity := _quantity(text, match)) is None:
            more = _OVER.match(text, at)  # a division by zero
            at = more.end() if more else at
        else:
            out.append(quantity)
            at = max(quantity.end, start + 1)
    times = () if text.isascii() else han_times(text)
    for start, end, minutes in times:
        out = [q for q in out if q.end <= start or q.start >= end]
        out.append(Quantity(start, end, minutes, "clock"))
    if times:
        out.sort()
    words = worded(text)
    if words:
        out = _with_words(text, out, words)
    return _joined(text, out) if len(out) > 1 else tuple(out)


def _starts(text: str, start: int) -> bool:
    """Whether a number can begin at `start`: not within a word (`v2`, `x2`), but after a command or a times sign."""
    before = text[start - 1]
    if not (before.isascii() and before.isalpha()):
        return before != "_" or start == 1 or text[start - 2] in "_ \n"
    word = start - 1
    while word > 0 and text[word - 1].isascii() and text[word - 1].isalpha() and start - word < 12:
        word -= 1
    if word > 0 and text[word - 1] == "\\":
        return True
    return before in "xX" and word == start - 1 and word > 0 and text[word - 1].isdigit()


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    read = _number(text, match)
    if read is None:
        return None
    value, place, end = read
    start, sign, money = _prefix(text, match.start())
    unit, scale, end, scaled = (money, 1, end, False) if end == len(text) else _unit(text, end, money)
    if sign < 0:
        value = -value
    if scale != 1:
        value, place = value * scale, place * scale
    return Quantity(start, end, value, unit, place, scaled, sign == 0)


def _with_words(text: str, out: list[Quantity], words: tuple[tuple[int, int, Fraction], ...]) -> list[Quantity]:
    taken = [(q.start, q.end) for q in out]
    for start, end, value in words:
        if any(a < end and start < b for a, b in taken):
            continue
        unit, scale, end, _ = _unit(text, end, None)
        if text[start : start + 3] == "百分之":
            value, unit = value * 1, None
        out.append(Quantity(start, end, value * scale, unit, Fraction(0), words=True))
    return sorted(out)


def _joined(text: str, found: list[Quantity]) -> tuple[Quantity, ...]:
    """`2 hours 30 minutes` and `5 dollars and 50 cents` are one quantity each."""
    out: list[Quantity] = []
    for q in found:
        last = out[-1] if out else None
        if (
            last
            and last.scaled
            and q.scaled
            and last.unit is None
            and 0 < q.value < last.place
            and text[last.end : q.start].strip(" ,") in ("", "and")
        ):  # `1 million 200 thousand`
            out[-1] = last._replace(end=q.end, value=last.value + q.value, unit=q.unit, place=q.place)
            continue
        if (
            last
            and last.unit
            and q.unit
            and q.unit != last.unit
            and not UNITS[q.unit].offset
            and alike(UNITS[last.unit], UNITS[q.unit])
            and UNITS[q.unit].size < UNITS[last.unit].size
            and text[last.end : q.start].strip(" ,零") in ("", "and", "und", "et", "y", "e")
            and text[q.start : q.start + 1] not in ("-", "+")
        ):
            more = q.value * UNITS[q.unit].size / UNITS[last.unit].size
            out[-1] = last._replace(end=q.end, value=last.value + more)
            continue
        out.append(q)
    return tuple(out)
