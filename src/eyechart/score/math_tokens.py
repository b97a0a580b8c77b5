"""LaTeX and plain mathematics to tokens: markup that means nothing dropped, all spellings of a sign made one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from eyechart.core.numerals_units import SCALES, UNITS

LONGEST = 4_000
_TOKENS = 2_000


class Unreadable(ValueError):
    """The text is no mathematics that is understood here."""


_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_DROPPED = re.compile(
    r"\\(?:left|right|big|Big|bigg|Bigg|displaystyle|textstyle|limits|quad|qquad)(?![a-zA-Z])|(?<!\\)\\[,;:! ]|~|\\\$|\\\\(?![a-z])(?=\s*$)|(?<!\\)\\[()\[\]]|\$"
)
WRAPPED = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname|bf|rm) ?\{([^{}]{0,200})\}"
)
_TOKEN = re.compile(
    r"\s*(?:(?P<num>[0-9]{1,3}(?:\{,\}[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|\\begin ?\{(?P<open>[a-z]*matrix|array)\}(?:\{[a-z|]*\})?|\\end ?\{(?P<close>[a-z]*matrix|array)\}"
    r"|(?P<text>\x02[^\x03]*\x03)|\\(?P<cmd>[a-zA-Z]+|[%{}|\\])"
    r"|(?P<word>(?:arc)?(?:sin|cos|tan)h?|sec|csc|cot|log|ln|exp|sqrt|cbrt|abs|pi|infinity|infty|inf|frac|and|or|max|min|gcd|lcm|mod|union)(?![a-z])"
    r"|(?P<name>[^\W\d_])|(?P<op><=|>=|!=|==|\*\*|[-+*/^_!=<>(),;:{}\[\]|%±≤≥≠×·⋅÷√∞∪∩∈°&πθ−∓≈⌊⌋⌈⌉'¬]))"
)
FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "sec",
        "csc",
        "cot",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "log",
        "ln",
        "exp",
        "sqrt",
        "cbrt",
        "abs",
        "max",
        "min",
        "gcd",
        "lcm",
        "lg",
    ]
)
_COMMANDS = {
    "cdot": "*",
    "times": "*",
    "ast": "*",
    "div": "/",
    "pm": "±",
    "mp": "±",
    "le": "≤",
    "leq": "≤",
    "leqslant": "≤",
    "ge": "≥",
    "geq": "≥",
    "geqslant": "≥",
    "lt": "<",
    "gt": ">",
    "ne": "≠",
    "neq": "≠",
    "cup": "∪",
    "in": "∈",
    "infty": "∞",
    "%": "%",
    "{": "\\{",
    "}": "\\}",
    "lbrace": "\\{",
    "rbrace": "\\}",
    "|": "|",
    "vert": "|",
    "mid": "|",
    "circ": "°",
    "degree": "°",
    "pi": "π",
    "dfrac": "frac",
    "tfrac": "frac",
    "cfrac": "frac",
    "\\": "row",
    "lvert": "|",
    "rvert": "|",
    "land": "and",
    "lor": "or",
    "approx": "≈",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "equiv": "=",
    "colon": ":",
    "ln": "ln",
    "dbinom": "binom",
    "tbinom": "binom",
    "mathbb": "mathbb",
    "langle": "(",
    "rangle": ")",
    "cap": "∩",
}
_PLAIN = {
    "×": "*",
    "·": "*",
    "⋅": "*",
    "÷": "/",
    "**": "^",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "=",
    "−": "-",
    "∓": "±",
    "ou": "or",
}
UNIT_WORDS = frozenset(w for w in (*UNITS, *SCALES) if len(w) > 1 and w.isascii() and w.isalpha()) | frozenset(
    ["apples", "units", "square", "sq", "cubic", "per", "km", "cm", "mm", "kg", "of", "the", "a"]
)
_THOUSANDS = re.compile(r"(?<![0-9.,{(\[])([0-9]{1,3}(?:,[0-9]{3})+)(?![0-9,]|, ?[0-9])")


def _periodic(found: re.Match[str]) -> str:
    """`0.1\\\\overline{6}` as the fraction that it is."""
    whole, fixed, period = found.groups()
    below = (10 ** len(period) - 1) * 10 ** len(fixed)
    return rf"\frac{{{int(whole + fixed + period) - int(whole + fixed)}}}{{{below}}}"


def _outward(found: re.Match[str]) -> str:
    """`]1, 2[` as `(1, 2)`."""
    return f"({found[1]},{found[2]}" + (")" if found[3] == "[" else "]")


_SPELT: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\bplus or minus\b|\+/-|\+-(?=[ 0-9a-z(\\])", re.IGNORECASE), "±"),
    (re.compile(r"(?<=[0-9a-z)}\] ]) ?\b(?:oder|ou|o|u)\b(?= ?[-a-z0-9(\\])", re.IGNORECASE), " or "),
    (re.compile(r"(?<=[0-9a-z)}\] ]) ?\b(?:und|et|y)\b(?= [-a-z] ?=)", re.IGNORECASE), " and "),
    (re.compile(r"(?<=[)\]]) ?U ?(?=[(\[])"), "∪"),
    (re.compile(r"(?<=[a-z]) in (?=[(\[\]])"), " ∈ "),
    (re.compile(r"\\mathbb ?\{?R\}?|\ball real numbers\b|ℝ", re.IGNORECASE), "(-∞,∞)"),
    (re.compile(r"^(?:approximately|about|exactly) ", re.IGNORECASE), ""),
    (re.compile(r"∅"), r"\\emptyset "),
    (re.compile(r"⟨"), "("),
    (re.compile(r"⟩"), ")"),
    (re.compile(r"\bsquare root of ", re.IGNORECASE), r"\\sqrt "),
    (re.compile(r"\{ ?([^{}]{1,60}?) ?\\over ?([^{}]{1,60}) ?\}"), r"\\frac{\1}{\2}"),
    (re.compile(r"([0-9]{1,30})\.([0-9]{0,30})\\overline ?\{([0-9]{1,20})\}"), _periodic),
    (re.compile(r"\]([^\[\](),]{1,40}),([^\[\](),]{1,40})([\[\]])"), _outward),
    (re.compile(r"\[([^\[\](),]{1,40}),([^\[\](),]{1,40})\["), r"[\1,\2)"),
)
"""Signs in words and other notations of the same, put into the one that is parsed."""


def spelt(text: str) -> str:
    """`text` with words and other notations put into the one that is parsed.

    >>> spelt("plus or minus 5"), spelt("]1, 2["), spelt("0.\\\\overline{3}"), spelt("x=1 oder x=2")
    ('± 5', '(1, 2)', '\\\\frac{3}{9}', 'x=1 or  x=2')
    """
    if len(text) > 400:
        return text
    for pattern, sign in _SPELT:
        text = pattern.sub(sign, text)
    return text


class Token(NamedTuple):
    kind: str
    text: str
    spaced: bool = False


def _wrapped(match: re.Match[str]) -> str:
    inner = match[1].strip()
    low = inner.lower()
    if low in ("and", "or"):
        return f" {low} "
    if re.fullmatch(r"[-+]?[0-9.,/ ]+%?|[a-zA-Z]", inner):
        return inner
    return f"\x02{inner}\x03"


def _prepared(text: str) -> str:
    text = WRAPPED.sub(_wrapped, text)
    text = _DROPPED.sub(" ", text)
    text = _THOUSANDS.sub(lambda m: m[1].replace(",", ""), text)
    text = re.sub(r"(?<=[0-9])\\?,\\!(?=[0-9]{3})", "", text)
    if not text.isascii():
        text = re.sub(r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]+", lambda m: "^{" + m[0].translate(_SUPER) + "}", text)
        text = re.sub("[¼½¾⅐-⅞]", _vulgar, text)
        text = text.replace("和", " and ").replace("或", " or ").replace("，", ",").replace("、", ",")
    return text.strip().rstrip(".。").strip()


def _vulgar(match: re.Match[str]) -> str:
    value = Fraction(unicodedata.numeric(match[0])).limit_denominator(20)
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def tokens(text: str) -> list[Token]:
    text = _prepared(text)
    if len(text) > LONGEST:
        raise Unreadable("too long")
    out: list[Token] = []
    at = 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            raise Unreadable(f"{text[at : at + 1]!r} is not understood")
        kind = m.lastgroup or ""
        word = m[kind]
        if kind == "cmd":
            word = _COMMANDS.get(word, word)
            kind = "op" if not word.isalpha() or word == "π" else "cmd"
        elif kind == "word":
            word, kind = ({"pi": "π", "infinity": "∞", "infty": "∞", "inf": "∞", "union": "∪"}.get(word, word)), "cmd"
            kind = "op" if word in "π∞∪" else kind
        elif kind == "op":
            word = _PLAIN.get(word, word)
        elif kind == "name" and word == "π":
            kind = "op"
        elif kind == "text":
            word = word[1:-1]
        out.append(Token(kind, word, m.start(kind) > at))
        at = m.end()
        if len(out) > _TOKENS:
            raise Unreadable("too many tokens")
    return out
