"""Cardinals from 0 to 100 in words: German, French, Spanish, Portuguese, Italian, Indonesian, Russian, Korean."""

from __future__ import annotations

import re
from functools import cache

_SMALL = {
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove",
    "ru": "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать "
    "шестнадцать семнадцать восемнадцать девятнадцать",
}
_TENS = {
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    "ru": "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто",
}
_OTHERWISE_WORDS = frozenset(
    [
        "un",
        "uno",
        "um",
        "sei",
        "due",
        "tre",
        "null",
        "cent",
        "elf",
        "seize",
        "sept",
        "lima",
        "dua",
        "do",
        "일",
        "이",
        "삼",
        "사",
        "오",
        "육",
        "칠",
        "팔",
        "구",
        "영",
    ]
)
"""Words that mean something else as well, here or in another language: numbers only where nothing else is said."""
_PHRASE = re.compile(r"[^\W\d_]+(?:[- ][^\W\d_]+){0,4}")
_LONGEST = 200


def _spoken(tongue: str, tens: int, one: int, small: list[str], big: list[str]) -> list[str]:
    """How `tens * 10 + one` is said; several spellings where there are."""
    head, tail = big[tens - 2], small[one]
    match tongue:
        case "de":
            return [f"{tail.removesuffix('s') if one == 1 else tail}und{head}"]
        case "fr":
            if tens in (7, 9):
                head, tail = big[tens - 3].removesuffix("s"), small[10 + one]
            head = head.removesuffix("s") if tens in (8, 9) else head
            return [f"{head}-{tail}", f"{head} {tail}", f"{head} et {tail}", f"{head}-et-{tail}"]
        case "es":
            joined = {"dos": "dós", "tres": "trés", "seis": "séis"}.get(tail, tail)
            return [f"veinti{joined}"] if tens == 2 else [f"{head} y {tail}"]
        case "pt":
            return [f"{head} e {tail}"]
        case "it":
            return [(head[:-1] if one in (1, 8) else head) + ("tré" if one == 3 else tail), head + tail]
        case _:
            return [f"{head} {tail}"]


@cache
def _known() -> dict[str, int]:
    out: dict[str, int] = {}
    for tongue, text in _SMALL.items():
        small, big = text.split(), _TENS[tongue].split()
        out.update({word: n for n, word in enumerate(small)})
        for tens in range(2, 10):
            out[big[tens - 2]] = tens * 10
            for one in range(1, 10):
                out.update(dict.fromkeys(_spoken(tongue, tens, one, small, big), tens * 10 + one))
        out[big[8]] = 100
    indonesian = ["nol", "satu", "dua", "tiga", "empat", "lima", "enam", "tujuh", "delapan", "sembilan"]
    korean = ["영", *"일이삼사오육칠팔구"]
    for n in range(100):
        tens, one = divmod(n, 10)
        tail = indonesian[one] if one or not n else ""
        head = "" if not tens else "sepuluh" if tens == 1 else f"{indonesian[tens]} puluh"
        out[f"{head} {tail}".strip() if tens != 1 or not one else "sebelas" if one == 1 else f"{tail} belas"] = n
        if tens:
            out[("" if tens == 1 else korean[tens]) + "십" + (korean[one] if one else "")] = n
    out.pop("once")
    return out


def spoken(text: str) -> tuple[int, int, int] | None:
    """Start, end and value of the first cardinal in words in a short text without digits; None where it has none.

    >>> [spoken(t) for t in ("zweiundvierzig", "c'est quarante-deux", "cuarenta y dos", "사십이")]
    [(0, 14, 42), (6, 19, 42), (0, 14, 42), (0, 3, 42)]
    >>> spoken("quatre-vingt-dix-sept"), spoken("un homme")
    ((0, 21, 97), None)
    """
    if len(text) > _LONGEST:
        return None
    known = _known()
    alone = text.strip(" .!*_\n。").count(" ") == 0
    for match in _PHRASE.finditer(text.lower()):
        words = [(m.start() + match.start(), m.end() + match.start()) for m in re.finditer(r"[^- ]+", match[0])]
        for first in range(len(words)):
            for last in range(len(words) - 1, first - 1, -1):
                start, end = words[first][0], words[last][1]
                value = known.get(text[start:end].lower())
                if value is not None and (
                    first < last
                    or match[0][start - match.start() : end - match.start()] not in _OTHERWISE_WORDS
                    or alone
                ):
                    return start, end, value
    return None
