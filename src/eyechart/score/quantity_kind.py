"""Which reader and scorer a gold answer asks for."""

from __future__ import annotations

import re
from typing import Literal

from eyechart.score.math import tree
from eyechart.score.quantity import quantity

_DATE = re.compile(r"[0-9]{1,4}[-/][0-9]{1,2}[-/][0-9]{1,4}")
_SYMBOLS = re.compile(r"[-+*/^_=<>|!¬∪∩\\√±:]|(?<=[A-Za-z])['(]|[\[(][^\])]*,|^[a-z\u0370-\u03ff]$")
_KNOWN = re.compile(r"\\[a-zA-Z]+|\b(?:sin|cos|tan|log|ln|exp|sqrt|pi|max|min|or|and)\b")
_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff\uac00-\ud7af]|\\text")
_PLAIN = re.compile(r"[nN]/[aA]|[^\w]{1,3}|[A-Za-z][-+]|-?[A-Za-z](?:[,:;. ]+[A-Za-z])*[.:]?(?<![a-z])|[0-9/:. -]+")
_SIGN = re.compile(r"[0-9^_=<>≤≥±√π∞∪\\+*/²³½]")


def kind_of_gold(gold: str) -> Literal["number", "math", "text"]:
    """What kind of answer a gold text is: which reader and scorer are to be used for it.

    >>> [kind_of_gold(g) for g in ("1,234", "1.5 km", "50%", "15:30", "120k", "-1/2")] == ["number"] * 6
    True
    >>> [kind_of_gold(g) for g in ("(1, 2)", "5, -5", "x^2+1", "3\\\\sqrt{2}", "1 < x < 2", "\\\\pi")] == ["math"] * 6
    True
    >>> [kind_of_gold(g) for g in ("x-y", "n!", "|x|", "(a, b)", "\\\\theta", "x", "P(A|B)", "-x")] == ["math"] * 8
    True
    >>> [kind_of_gold(g) for g in ("Paris", "B", "2024-01-15", "Apollo 11", "")] == ["text"] * 5
    True
    """
    text = gold.strip()
    if not text or _DATE.fullmatch(text):
        return "text"
    if quantity(text) is not None:
        return "number"
    if _SYMBOLS.search(text) and not _WORD.search(_KNOWN.sub("", text)) and not _PLAIN.fullmatch(text):
        return "math"
    return "math" if _SIGN.search(text) and tree(text) is not None else "text"
