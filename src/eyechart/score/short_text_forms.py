"""Short texts in the form in which they are compared: words, numbers, dates, JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from eyechart.score.short_text_facts import ORDINAL, ROMAN, SHORT

_SUPERSCRIPT = {
    0x2070: "^0",
    0xB9: "^1",
    0xB2: "^2",
    0xB3: "^3",
    **{0x2070 + i: f"^{i}" for i in range(4, 10)},
    0x207B: "^-",
}
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\u0060", "'"),
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\u2015\u00ad", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u200e\u200f", None),
        "\u2044": "/",
        "\u0130": "I",
        "\u0131": "i",
    }
)
_ABBREVIATION = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]\.\s?){1,8}[^\W\d_]\.?(?![^\W\d_])")
_PUNCTUATION = r"\s!-/:-@\[-`{-~\u00a1-\u00b1\u00b4\u00b6-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
_HAN = r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?<![^\W_{_HAN}])-?[0-9](?:,?[0-9]){{0,60}}(?:\.[0-9]{{1,60}})?(?:\^-?[0-9]{{1,9}})?%?(?![^{_PUNCTUATION}{_HAN}])|[{_HAN}]+"
    rf"|[^{_PUNCTUATION}{_HAN}]+(?:\+\+|#|\^-?[0-9]{{1,9}})?|&"
)
_SIGNS = re.compile(r"<=|>=|!=|[<>=≤≥≠+*/|¬×÷^→]|(?<=\w)#|-(?!\w|\s)|~(?=\w)|!(?=\w)")
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: i for i, word in enumerate(_ONES.split())} | {w: 20 + 10 * i for i, w in enumerate(_TENS.split())}
_ABROAD = {
    word: i
    for line in (
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
        "zéro un deux trois quatre cinq six sept huit neuf dix",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
        "〇 一 二 三 四 五 六 七 八 九 十",
        "ноль один два три четыре пять шесть семь восемь девять десять",
        "nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh",
    )
    for i, word in enumerate(line.split())
} | {"两": 2, "兩": 2}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_COUNTED = frozenset(("a", *_NUMBERS, *_SCALES))
_SPELLED = re.compile(
    rf"(?<![^\W_])(?:(?:a (?=hundred|thousand|million|billion))?(?:{'|'.join((*_ONES.split(), *_TENS.split(), *_SCALES))})(?![^\W_])(?:[\s-](?:and (?=(?:{'|'.join((*_ONES.split(), *_TENS.split()))})(?![^\W_])))?(?=[a-z])|)){{1,12}}",
    re.IGNORECASE,
)
_ARTICLES = frozenset(("a", "an", "the"))
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LONGEST = 2_000
"""Characters of an answer that are compared."""


class Word(NamedTuple):
    """A word as it is compared, and where it stands in the text it came from."""

    form: str
    start: int
    end: int
    article: bool = False
    """Whether it is an article: it stands before a word, and no capital A within a name (`Vitamin A`) is one."""


def plain(text: str) -> str:
    """Compatibility forms, quotation marks, dashes; what changes the meaning (superscripts) is kept apart.

    >>> plain("ﬁnance ’ \u2011 10²"), plain("$H_2O$")
    ("finance ' - 10^2", '$H2O$')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPT)).translate(_PLAIN)
    return _INDEX.sub(r"\1\2", text) if "_" in text else text


_INDEX = re.compile(r"(?<=[A-Za-z)])_(?:\{([0-9]{1,4})\}|([0-9]{1,4}))")


@lru_cache(maxsize=512)
def words(text: str, *, case: bool = False, accents: bool = True, spelling: bool = False) -> tuple[Word, ...]:
    """The words and numbers of `text` (a `plain` one), number words as digits; without `accents`, unmarked; British
    spelling is American, unless `spelling` is asked for.

    >>> [w.form for w in words("The U.S.A. has forty-two C++ cats' e-mails, 1,000.50, a hundred and one")]
    ['the', 'usa', 'has', '42', 'c++', 'cats', 'e', 'mails', '1000.5', '101']
    """
    if "." in text:
        text = _ABBREVIATION.sub(lambda m: re.sub(r"[.\s]", "", m.group()).ljust(len(m.group())), text)
    out: list[Word] = []
    until = 0
    for match in _TOKEN.finditer(re.sub(r"(?<=[^\W\d_])'(?=[^\W\d_])", "\x00", text)):
        start, end = match.span()
        if start < until:
            continue
        form = match.group().replace("\x00", "")
        form = form if case else form.casefold().replace("i\u0307", "i")
        if not accents and not form.isascii():
            form = "".join(c for c in unicodedata.normalize("NFD", form) if not "\u0300" <= c <= "\u036f")
        low = form.lower()
        if (
            low in _COUNTED
            and (spelled := _SPELLED.match(text, start))
            and (value := _value(spelled.group())) is not None
        ):
            until = end = start + len(spelled.group().rstrip(" -"))
            form = str(value)
        elif low in _NUMBERS:
            form = str(_NUMBERS[low])
        elif form[:1].isdigit() or form[:1] == "-":
            form = form.replace(",", "")
            form = form.rstrip("0").rstrip(".") if "." in form and form[-1:].isdigit() and "^" not in form else form
        elif form == "&":
            form = "and"
        elif not form.isalnum() and not any(c.isalnum() for c in form):
            continue
        elif form in ("us", "usa") and (
            form == "usa" or match.group() == "US" or end - start == len(text.strip(" .*"))
        ):
            form = "usa"
        elif len(form) > 3 and form.isascii() and not spelling:
            form = american(form)
        article = (
            form in _ARTICLES
            and _BEFORE_WORD.match(text, end) is not None
            and (
                match.group() != "A"
                or not text[:start].strip(_QUOTES)
                or text.isupper()
                or text[start - 2 : start - 1] in ".:!?\n"
            )
        )
        out.append(Word(form, start, end, article))
    return tuple(out)


_BEFORE_WORD = re.compile(r"\s[\"'*_`(]{0,3}[^\W_]")
_QUOTES = " \t\n*_`\"'(["
_BRITISH = re.compile(
    r"(?P<our>(?:un|dis)?(?:col|fav|hon|hum|lab|neighb|rum|vap|behavi|flav|harb|od|parl|sav|splend|tum|val|vig|arm|cand|endeav|ferv))our"
    r"|(?P<re>(?:kilo|centi|milli)?(?:cent|theat|lit|met|fib|lust|somb|spect|calib|sab|meag))re(?=s?$)"
    r"|(?P<ise>[a-z]{3,})is(?=(?:e[drs]?|ers|ing|ations?)$)|(?P<lyse>[a-z]{3,}ly)s(?=e[ds]?$|ing$)"
    r"|(?P<ll>travel|cancel|label|model|fuel|signal|counsel)l(?=(?:ed|ing|ers?)$)|(?P<nce>def|off|lic|pret)ence(?=s?$)"
)
_SPELT = {
    "grey": "gray", "aluminium": "aluminum", "sulphur": "sulfur", "programme": "program", "plough": "plow", "mould": "mold",
    "moustache": "mustache", "catalogue": "catalog", "dialogue": "dialog", "jewellery": "jewelry", "pyjamas": "pajamas",
    "oesophagus": "esophagus", "anaemia": "anemia", "leukaemia": "leukemia", "haemoglobin": "hemoglobin", "oestrogen": "estrogen",
    "foetus": "fetus", "diarrhoea": "diarrhea", "encyclopaedia": "encyclopedia", "caesium": "cesium", "manoeuvre": "maneuver",
}  # fmt: skip
_AMERICAN = {"our": "or", "re": "er", "ise": "iz", "lyse": "z", "ll": "", "nce": "ense"}


def american(word: str) -> str:
    """`word`, in lower case, spelt as in America.

    >>> [american(w) for w in ("neighbours", "theatre", "organising", "grey", "four", "size", "wise")]
    ['neighbors', 'theater', 'organizing', 'gray', 'four', 'size', 'wise']
    """
    match = _BRITISH.match(word)
    if match is None or match.lastgroup is None:
        return _SPELT.get(word, word)
    return match[match.lastgroup] + _AMERICAN[match.lastgroup] + word[match.end() :]


def _value(text: str) -> int | None:
    """The number that `text` spells; None where it is several numbers in a row."""
    total, part, last = 0, 0, 1_000
    for word in re.split(r"[\s-]+", text.lower().strip(" -")):
        if word in ("a", "and"):
            continue
        scale = _SCALES.get(word)
        if scale == 100:
            part, last = (part or 1) * 100, 100
        elif scale:
            total, part, last = total + (part or 1) * scale, 0, 1_000
        else:
            value = _NUMBERS[word]
            if not (last >= 100 or (last >= 20 and 0 < value < 10)):
                return None
            part, last = part + value, value
    return total + part


def signs(text: str) -> tuple[str, ...]:
    """The marks of `text` that mean something: `x > 5` is not `x < 5`, `A+` not `A`, `[1, 2)` not `(1, 2)`.

    >>> signs("x > 5"), signs("**Na+**"), signs("e-mail"), signs("[1, 2)")
    (('>',), ('+',), (), ('[', ')'))
    """
    text = text.replace("**", "").strip(" .,;\n\"'`")
    found = tuple(m.group() for m in _SIGNS.finditer(text))
    edges = (text[0], text[-1]) if text[:1] in ("(", "[") and text[-1:] in (")", "]") and "," in text else ()
    return found + (edges if edges != ("(", ")") else ())


def forms(found: Sequence[Word]) -> tuple[str, ...]:
    """The words without articles, unless nothing else is there; a number word of another language by itself is digits.

    >>> [forms(words(t)) for t in ("The Louvre", "A", "zwei", "Henry the Eighth", "Vitamin A")]
    [('louvre',), ('a',), ('2',), ('henry', '8'), ('vitamin', 'a')]
    """
    if len(found) == 1:
        return (str(_ABROAD[found[0].form]) if found[0].form in _ABROAD else found[0].form,)
    kept = [w.form for w in found if not w.article]
    if len(kept) > 1:
        kept = [SHORT.get(w, w) for w in kept[:-1]] + [ROMAN.get(kept[-1]) or ORDINAL.get(kept[-1]) or kept[-1]]
    return tuple(kept or (w.form for w in found))


def same(mine: tuple[str, ...], gold: tuple[str, ...]) -> bool:
    """Whether two answers are word for word the same, but for gaps between letters (`e-mail`, `email`).

    >>> same(("e", "mail"), ("email",)), same(("1", "2"), ("12",)), same((), ())
    (True, False, False)
    """
    if not mine or not gold:
        return False
    if mine == gold:
        return True
    joined = "".join(mine)
    return joined == "".join(gold) and not any(c.isdigit() for c in joined)


_MONTHS = {
    name: i + 1
    for line in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for i, name in enumerate(line.split())
}
_DAY = r"([0-3]?[0-9])(?:st|nd|rd|th|\.)?"
_MONTH = r"([^\W\d_]{3,10})\.?"
_DATES = (
    (
        re.compile(rf"(?<![\w.])(?:the )?{_DAY},? (?:of |de )?{_MONTH},? (?:de )?([0-9]{{4}})(?!\w)", re.IGNORECASE),
        (3, 2, 1),
    ),
    (re.compile(rf"(?<!\w){_MONTH} (?:the )?{_DAY},? ([0-9]{{4}})(?!\w)", re.IGNORECASE), (3, 1, 2)),
    (re.compile(r"(?<![\w/-])([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?![\w/-])"), (1, 3, 4)),
    (re.compile(r"([0-9]{4})\s?年\s?([0-9]{1,2})\s?月\s?([0-9]{1,2})\s?日"), (1, 2, 3)),
    (re.compile(r"(?<![\w.])([0-3]?[0-9])\.\s?([0-9]{1,2})\.\s?([0-9]{4})(?!\w)"), (3, 2, 1)),
)


@lru_cache(maxsize=512)
def dates(text: str) -> tuple[tuple[tuple[int, int, int], int, int], ...]:
    """The dates in `text`, each (year, month, day) with its place. `7/4/1776` is none: it is read in two ways (`unclear`).

    >>> [d for d, _, _ in dates("July 4, 1776; the 4th of July 1776; 1776-07-04; 1776年7月4日; 4.7.1776; 7/4/1776")]
    [(1776, 7, 4), (1776, 7, 4), (1776, 7, 4), (1776, 7, 4), (1776, 7, 4)]
    """
    out: list[tuple[tuple[int, int, int], int, int]] = []
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            year, month, day = (match.group(i) for i in order)
            known = int(month) if month.isdecimal() else _MONTHS.get(month.lower(), 0)
            if 1 <= known <= 12 and 1 <= int(day) <= 31:
                out.append(((int(year), known, int(day)), match.start(), match.end()))
    for match in _SLASHED.finditer(text):
        day, month = int(match[1]), int(match[3])
        if day <= 12 < month:
            day, month = month, day
        if 1 <= month <= 12 and (day > 12 or day == month) and day <= 31:
            out.append(((int(match[4]), month, day), match.start(), match.end()))
    return tuple(sorted(out, key=lambda found: found[1]))


_SLASHED = re.compile(r"(?<![\w/-])([0-3]?[0-9])([-/])([0-3]?[0-9])\2([0-9]{4})(?![\w/-])")


def unclear(text: str) -> tuple[tuple[int, int, int], ...]:
    """The days that a date which can be read in two ways may be.

    >>> unclear("7/4/1776"), unclear("14/7/1789")
    (((1776, 7, 4), (1776, 4, 7)), ())
    """
    out: list[tuple[int, int, int]] = []
    for match in _SLASHED.finditer(text):
        a, b, year = int(match[1]), int(match[3]), int(match[4])
        if 1 <= a <= 12 and 1 <= b <= 12 and a != b:
            out += [(year, a, b), (year, b, a)]
    return tuple(out)


@lru_cache(maxsize=256)
def json_form(text: str) -> str | None:
    """The canonical form of a JSON object or array; None where `text` is none.

    >>> json_form('{"b": 1.0, "a": [true]}'), json_form('{"a": 1,}'), json_form("12")
    ('{"a": [true], "b": 1}', None, None)
    """
    text = text.strip()
    if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
        return None
    try:
        value = json.loads(text, parse_constant=_refuse, parse_int=_whole, parse_float=_real, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def leaves(text: str) -> tuple[str, ...]:
    """The texts and numbers in a JSON object or array; of an object with an answer, those of the answer.

    >>> leaves('{"why": "it is", "answer": "Oslo"}'), leaves('["a", "b"]'), leaves("Oslo")
    (('Oslo',), ('a', 'b'), ())
    """
    found = json_form(text)
    out: list[str] = []
    left: list[Any] = [json.loads(found)] if found else []
    while left:
        value = left.pop()
        if isinstance(value, dict):
            whole = cast("dict[str, Any]", value)
            key = next((k for k in whole if k.lower().replace("_", " ") in ("answer", "final answer")), None)
            left += [whole[key]] if key is not None else list(whole.values())[::-1]
        elif isinstance(value, list):
            left += cast("list[Any]", value)[::-1]
        elif isinstance(value, (str, int, float)):
            out.append(str(value))
    return tuple(out)


_LONGEST_NUMBER = 400


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice says two things."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else _refuse("a key twice")


def _whole(text: str) -> int:
    return int(text) if len(text) <= _LONGEST_NUMBER else _refuse(text)


def _real(text: str) -> float | int:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
