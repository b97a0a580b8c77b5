"""Short answers: the option that the whole text is."""

from __future__ import annotations

import re

from eyechart.extract.choice_menu import EDGES, Menu, lower
from eyechart.extract.choice_words import FILL, SLOT

CLOSERS = "*_`)]}\"' \n"
_NUMBERED = re.compile(r"(?:number|no\.?|nr\.?) ?([1-9])")
_SAYS = (
    r"[*_#> \n]{0,4}(?:(?:[sS]o|[tT]hus|[tT]herefore|[hH]ence),? )?(?:(?:[tT]he|[mM]y) )?(?:(?:[fF]inal|[cC]orrect|[bB]est|[rR]ight) )?"
    r"(?:[aA]nswer|ANSWER|[oO]ption|[cC]hoice|答案|正确答案|故?应?选|Antwort|Réponse|Respuesta|Resposta|Risposta|Jawaban|Ответ|答え|正解|정답|[iI]t'?s|[iI] (?:think|choose|pick|say)|[iI]'d (?:say|pick|choose|go with))"
    r"(?: is| est| es)?[是为는은は]?[ *_:=]{0,5}\n{0,2}[*_$(\[{\"]{0,4}"
)
_PLAIN = re.compile(_SAYS + r"(?:\\boxed\{)?([A-Za-z])[)*\]}$_\".。]{0,6}\s{0,200}")
"""The commonest whole answers, `The answer is B.`: an announcement and one letter."""


_LABELLED = re.compile(rf"(?:{_SAYS}|[*_#> (\[\n]{{0,4}})([A-Za-z])[)\].:*]{{1,3}} {{1,2}}([^\n]{{1,160}})\s{{0,200}}")
"""A letter and the text put with it: the answer where that is the very text of the option."""


def whole_answer(options: Menu, text: str) -> tuple[int, int, tuple[int, ...]] | None:
    """The options that the whole text is, and where: `B`, `(b).`, `AC`, or the text of one."""
    if len(text) > 400 or text.rstrip(CLOSERS)[-1:] == "?" or ("~~" in text and "~~~" not in text):
        return None
    core = text.strip(EDGES)
    option = options.by_label.get(core.upper()) if len(core) < 9 else None
    if option is not None:
        start = text.index(core)
        return start, start + len(core), (option,)
    last = core[-2:]
    if options.latin and (last[-1:].isupper() or not (last[:1].isascii() and last[:1].isalnum())):
        plain = _PLAIN.fullmatch(text)
        if plain and (option := options.by_label.get(plain[1].upper())) is not None:
            return *plain.span(1), (option,)
    if options.latin and lower(core).endswith(options.lasts):
        named = _LABELLED.fullmatch(text)
        option = options.by_label.get(named[1].upper(), -1) if named else -1
        if named and (lower(named[2]).strip(EDGES), option) in options.texts:
            return named.start(1), named.end(2), (option,)
    filled = FILL.match(lower(text)) if text[:1] in "\\`*$([{" else None
    start = filled.end() if filled else 0
    rest = text[start:]
    start += len(rest) - len(rest.lstrip(EDGES))
    end = start + len(text[start:].rstrip(EDGES))
    core = text[start:end]
    option = options.by_label.get(core.upper())
    if option is not None:
        return start, end, (option,)
    plain = " ".join(lower(core).split())
    written = options.bare.get(plain)
    if written is not None:
        return start, end, (written,)
    if len(core) > 60:
        return None
    numbered = _NUMBERED.fullmatch(plain) if core[-1:].isdigit() else None
    if numbered and int(numbered[1]) <= len(options.labels):
        return start, end, (int(numbered[1]) - 1,)
    letters = core.split()
    if options.latin and len(letters) > 1 and all(c in options.by_label for c in letters):
        several = sorted({options.by_label[c] for c in letters})
        return (start, end, tuple(several)) if len(several) < len(options.labels) else None
    if options.latin and 1 < len(core) <= len(options.labels) and core.isupper() and core.isascii():
        several = sorted({options.by_label.get(c, -1) for c in core})
        if several[0] >= 0 and len(several) == len(core):
            return start, end, tuple(several)
    return None


def bare_number(text: str, options: Menu) -> tuple[int, int, int] | None:
    """A number that is the whole answer, or stands alone in the answer slot, and where."""
    if not text[-6:].strip(EDGES)[-1:].isdigit():
        return None
    slots = SLOT.finditer(lower(text)) if len(text) < 60 else ()
    filled = FILL.match(lower(text), slots[0].end()) if slots else None
    begin = filled.end() if filled else 0
    core = text[begin:].strip(EDGES)
    if (
        not (core.isdigit() and core.isascii() and len(core) < 3)
        or core in options.by_label
        or any(t == core for t, _ in options.texts)
    ):
        return None
    start = text.index(core, begin)
    return start, start + len(core), int(core)
