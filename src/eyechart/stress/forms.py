"""How an answer itself may be written: a letter, a number, an expression, a text.

A form gives None where it does not fit the answer (`1,234` needs a thousand). `plain` forms carry no
markup, so that they may stand inside JSON, a fence or bold type. `strict` forms would be doubtful in the
middle of a sentence (a lower-case `a`) and stand only alone or behind a label with a colon.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from eyechart.stress.cases import Kind
from eyechart.stress.tasks import LETTERS, Task, decimal

Write = Callable[[Task, str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    name: str
    write: Write
    """The task and the answer to be written, right or wrong, as it stands in the key."""
    plain: bool = True
    letter: bool = False
    """Names an option by its letter alone."""
    strict: bool = False
    english: bool = False
    """Holds English words: stands in English frames only."""
    comma: bool = False
    """Groups thousands by commas, which are decimal marks in German and its like: never in their frames."""


def _template(name: str, template: str, **flags: bool) -> Form:
    def write(task: Task, answer: str) -> str:
        return template.replace("{x}", answer).replace("{text}", task.choices.get(answer, ""))

    return Form(name=name, write=write, **flags)


def _shifted(name: str, first: str, **flags: bool) -> Form:
    """A letter of another alphabet whose A is `first`."""

    def write(task: Task, answer: str) -> str:
        return chr(ord(first) + LETTERS.index(answer))

    return Form(name=name, write=write, **flags)


_CHOICE = (
    _template("letter", "{x}", letter=True),
    _template("parentheses", "({x})", letter=True),
    _template("full-width parentheses", "（{x}）", letter=True),
    _template("square brackets", "[{x}]", letter=True),
    _template("bold", "**{x}**", plain=False, letter=True),
    _template("bold parentheses", "**({x})**", plain=False, letter=True),
    _template("underscores", "__{x}__", plain=False, letter=True),
    _template("code", "`{x}`", plain=False, letter=True),
    _template("boxed", r"\boxed{{x}}", plain=False, letter=True),
    _template("boxed text", r"\boxed{\text{{x}}}", plain=False, letter=True),
    _template("boxed bold", r"\boxed{\textbf{({x})}}", plain=False, letter=True),
    _template("dollars", "${x}$", plain=False, letter=True),
    _template("dollars boxed", r"$\boxed{{x}}$", plain=False, letter=True),
    _shifted("full-width letter", "Ａ", letter=True),
    _shifted("circled letter", "Ⓐ", letter=True),
    _shifted("mathematical bold letter", "𝐀", letter=True),
    Form(name="lower case", write=lambda task, answer: answer.lower(), letter=True, strict=True),
    Form(name="lower case parentheses", write=lambda task, answer: f"({answer.lower()})", letter=True, strict=True),
    _template("letter and text", "{x}. {text}", strict=True),
    _template("letter, bracket, text", "{x}) {text}", strict=True),
    _template("parentheses and text", "({x}) {text}"),
    _template("letter, colon, text", "{x}: {text}", strict=True),
    _template("bold letter and text", "**{x}. {text}**", plain=False, strict=True),
    _template("boxed letter and text", r"\boxed{\text{{x}. {text}}}", plain=False),
    _template("text", "{text}"),
    _template("bold text", "**{text}**", plain=False),
    _template("quoted text", "“{text}”", plain=False),
    _template("text and letter", "{text} ({x})"),
)

_UNITS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
          "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spell(n: int) -> str:
    """A whole number from 1 to 999,999 in English words.

    >>> spell(42), spell(312), spell(21038)
    ('forty-two', 'three hundred and twelve', 'twenty-one thousand and thirty-eight')
    """
    if n < 20:
        return _UNITS[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_UNITS[n % 10]}" if n % 10 else "")
    unit, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    head, rest = divmod(n, unit)
    joint = " and " if rest < 100 else " "
    return f"{spell(head)} {name}" + (joint + spell(rest) if rest else "")


def _value(answer: str) -> Fraction:
    return Fraction(answer.removesuffix("%"))


def _signed(answer: str, write: Callable[[Fraction], str | None]) -> str | None:
    """Of the size, with the sign before and the per cent behind put back."""
    value = _value(answer)
    written = write(abs(value))
    if written is None:
        return None
    return ("-" if value < 0 else "") + written + ("%" if answer.endswith("%") else "")


def _number(name: str, write: Callable[[Fraction], str | None], **flags: bool) -> Form:
    return Form(name=name, write=lambda task, answer: _signed(answer, write), **flags)


def _whole(value: Fraction, least: int = 0) -> bool:
    return value.denominator == 1 and value >= least


def _grouped(mark: str, least: int) -> Callable[[Fraction], str | None]:
    return lambda v: f"{int(v):,}".replace(",", mark) if _whole(v, least) else None


def _zeros(v: Fraction) -> str | None:
    """Never three decimals: `10.750` might be thousands."""
    places = len(decimal(v).partition(".")[2])
    return (f"{decimal(v)}.00", f"{decimal(v)}0", None)[min(places, 2)]


def _power(value: Fraction, template: str) -> str | None:
    if not _whole(value, 10_000) or value % 1000:
        return None
    digits = str(value).rstrip("0")
    front = digits[0] + (f".{digits[1:]}" if digits[1:] else "")
    return template.replace("{x}", front).replace("{n}", str(len(str(value)) - 1))


def _scaled(value: Fraction, by: int, word: str) -> str | None:
    return f"{decimal(value / by)}{word}" if _whole(value, by) and not value % (by // 10) else None


def _mixed(value: Fraction, template: str) -> str | None:
    if value.denominator not in (2, 4) or value < 1:
        return None
    whole, rest = divmod(value.numerator, value.denominator)
    return template.replace("{w}", str(whole)).replace("{a}", str(rest)).replace("{b}", str(value.denominator))


def _vulgar(value: Fraction) -> str | None:
    sign = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾"}.get(value % 1)
    return f"{int(value)}{sign}" if sign and value >= 1 else None


def _ratio(value: Fraction, template: str) -> str | None:
    if value.denominator not in (2, 4):
        return None
    return template.replace("{a}", str(value.numerator)).replace("{b}", str(value.denominator))


def _digits(zero: str) -> Write:
    table = {ord("0") + i: chr(ord(zero) + i) for i in range(10)}
    return lambda task, answer: answer.translate(table) if answer.removesuffix("%").isdigit() else None


def _words(task: Task, answer: str) -> str | None:
    value = _value(answer)
    if not _whole(abs(value), 1) or abs(value) > 9999:
        return None
    return ("minus " if value < 0 else "") + spell(abs(int(value))) + (" percent" if answer.endswith("%") else "")


def _united(template: str) -> Write:
    def write(task: Task, answer: str) -> str | None:
        return template.replace("{x}", answer).replace("{u}", task.unit) if task.unit not in ("", "$", "%") else None

    return write


def _money(template: str, comma: bool) -> Write:
    def write(task: Task, answer: str) -> str | None:
        value = _value(answer)
        if task.unit != "$" or value < 0 or value.denominator != 1:
            return None
        return template.replace("{x}", f"{int(value):,}" if comma else str(value))

    return write


def _percent(template: str) -> Write:
    return lambda task, answer: template.replace("{x}", answer[:-1]) if answer.endswith("%") else None


_NUMBER = (
    Form(name="digits", write=lambda task, answer: answer),
    _template("bold", "**{x}**", plain=False),
    _template("code", "`{x}`", plain=False),
    Form(name="boxed", write=lambda task, answer: rf"\boxed{{{answer.replace('%', chr(92) + '%')}}}", plain=False),
    Form(name="dollars boxed", write=lambda task, answer: rf"$\boxed{{{answer.replace('%', chr(92) + '%')}}}$",
         plain=False),
    Form(name="inline LaTeX", write=lambda task, answer: rf"\({answer.replace('%', chr(92) + '%')}\)", plain=False),
    Form(name="Unicode minus", write=lambda task, answer: answer.replace("-", "−") if "-" in answer else None),
    Form(name="en dash minus", write=lambda task, answer: answer.replace("-", "–") if "-" in answer else None),
    Form(name="full-width digits", write=_digits("０")),
    Form(name="Arabic digits", write=_digits("٠")),
    Form(name="Devanagari digits", write=_digits("०")),
    Form(name="words", write=_words, english=True),
    _number("thousands commas", _grouped(",", 1000), comma=True),
    _number("thousands LaTeX", lambda v: f"{int(v):,}".replace(",", "{,}") if _whole(v, 1000) else None, plain=False, comma=True),
    _number("thousands narrow spaces", _grouped("\u202f", 10_000)),
    _number("zero decimals", _zeros),
    _number("scientific ×", lambda v: _power(v, "{x} × 10^{n}")),
    _number("scientific superscript", lambda v: _superscript(v)),
    _number("scientific LaTeX", lambda v: _power(v, r"{x} \times 10^{{n}}"), plain=False),
    _number("scientific e", lambda v: _power(v, "{x}e{n}")),
    _number("million", lambda v: _scaled(v, 1_000_000, " million"), english=True),
    _number("万", lambda v: _scaled(v, 10_000, "万")),
    _number("fraction", lambda v: _ratio(v, "{a}/{b}")),
    _number("fraction LaTeX", lambda v: _ratio(v, r"\frac{{a}}{{b}}"), plain=False),
    _number("mixed number", lambda v: _mixed(v, "{w} {a}/{b}")),
    _number("vulgar fraction", _vulgar),
    Form(name="unit", write=_united("{x} {u}")),
    Form(name="unit in box", write=_united(r"\boxed{{x}\text{ {u}}}"), plain=False),
    Form(name="bold unit", write=_united("**{x} {u}**"), plain=False),
    Form(name="dollar sign", write=_money("${x}", comma=False)),
    Form(name="dollar sign, commas", write=_money("${x}", comma=True), comma=True),
    Form(name="dollar sign, cents", write=_money("${x}.00", comma=True), comma=True),
    Form(name="escaped dollar sign", write=_money(r"\${x}", comma=False), plain=False),
    Form(name="dollars, a word", write=_money("{x} dollars", comma=False), english=True),
    Form(name="USD", write=_money("USD {x}", comma=False)),
    Form(name="per cent, a space", write=_percent("{x} %")),
    Form(name="percent, a word", write=_percent("{x} percent"), english=True),
)  # fmt: skip


def _superscript(value: Fraction) -> str | None:
    written = _power(value, "{x} × 10{n}")
    if written is None:
        return None
    head, tail = written.rsplit("10", 1)
    return head + "10" + tail.translate({ord(d): s for d, s in zip("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)})


_MATH = (
    _template("as it is", "{x}"),
    _template("boxed", r"\boxed{{x}}", plain=False),
    _template("dollars", "${x}$", plain=False),
    _template("dollars boxed", r"$\boxed{{x}}$", plain=False),
    _template("display boxed", r"$$\boxed{{x}}$$", plain=False),
    _template("inline LaTeX", r"\({x}\)", plain=False),
    _template("display LaTeX", r"\[ {x} \]", plain=False),
    _template("boxed spaces", r"\boxed{ {x} }", plain=False),
    _template("fbox", r"\fbox{${x}$}", plain=False),
    _template("displaystyle", r"$\displaystyle {x}$", plain=False),
)

_TEXT = (
    _template("as it is", "{x}"),
    _template("bold", "**{x}**", plain=False),
    _template("italics", "*{x}*", plain=False),
    _template("quotes", '"{x}"', plain=False),
    _template("typographic quotes", "“{x}”", plain=False),
    _template("guillemets", "«{x}»", plain=False),
    _template("corner brackets", "「{x}」", plain=False),
    _template("code", "`{x}`", plain=False),
    _template("boxed text", r"\boxed{\text{{x}}}", plain=False),
    Form(name="decomposed", write=lambda task, answer: _decomposed(answer)),
    Form(name="no-break space", write=lambda task, answer: answer.replace(" ", "\u00a0") if " " in answer else None),
    Form(name="zero-width space", write=lambda task, answer: _parted(answer)),
)


def _decomposed(text: str) -> str | None:
    moved = unicodedata.normalize("NFD", text)
    return moved if moved != text else None


def _parted(text: str) -> str | None:
    """Never between a letter and its combining mark, which would move the mark."""
    return None if any(map(unicodedata.combining, text)) else f"{text[:2]}\u200b{text[2:]}"


FORMS: dict[Kind, tuple[Form, ...]] = {"choice": _CHOICE, "number": _NUMBER, "math": _MATH, "text": _TEXT}
"""Of each kind but code, all the ways of writing an answer."""
