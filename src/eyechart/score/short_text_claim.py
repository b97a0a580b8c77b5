"""What a short text claims: the phrases it puts forward as the answer, and how they stand to a gold answer.

A gold answer counts where a claim is: at the head of a clause (`Paris`, `Paris is the capital`) or behind a copula
(`the capital is Paris`). Anywhere else (`near Paris`, `larger than Paris`) it is a side mention, and no answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from eyechart.score.short_text_facts import ADJECTIVE, COMMON, COUNTRIES, ORDINAL, PARTICLES, ROMAN, SHORT, terms
from eyechart.score.short_text_forms import Word
from eyechart.score.short_text_names import Person, alien, forename, full
from eyechart.score.short_text_stance import denied

Role = Literal["bare", "subject", "label", "predicate", "place", "object"]
Relation = Literal["match", "several", "denied", "rival", "other"]


class Phrase(NamedTuple):
    """Where a phrase that may be the answer begins, and where its clause ends."""

    start: int
    end: int
    role: Role
    concluding: bool = False
    """Whether the text comes to it at last, so that it outweighs what was claimed before."""
    contrast: bool = False
    """Whether its clause begins with `but` or the like."""


_CLAUSE = re.compile(
    r"(?<=\w\w\w)[.](?:\"|\)|\*)*\s+(?=\S)|(?<=\d)\.\s+(?=[A-Z])|[!?]['\")*]*\s+|\.\.\.\s*|[;\n。！？]"
    r"|(?:,\s*|\s)(?=(?:but|however|yet|sondern|sino|mais|aber|pero|mas|ma|но)\s)|,\s(?=(?:а|so)\s)|\s-\s(?=(?:no|not|people|some|many|most|others|it|it's|that|that's|they|he|she|this|there|and|but|so|though|although|which|who|where|when)\b)"
)
_DROPPED = re.compile(
    r"\W*(?:if|before [0-9]|until|back|in the past|formerly|previously|originally|once,|initially|historically"
    r"|at first|contrary|not to be confused|wenn|si |(?:common(?:ly)? )?(?:wrong|incorrect|false|mistaken|gold|reference)\b[^:]{0,20}:)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:many|some|most|people|others|they|you|sources?|critics|students|commonly|often|widely|it is|once|might|(?:the|some) [a-z]+)\b[^:]{0,40}"
    r"\b(?:think|say|says|said|believe|believed|assume|assumed|claim|claimed|guess|consider|considered|thought|cited|(?<!the )(?<!right )(?<!correct )answer(?!\s(?:is|would|was))|expect|mistaken|confused)\b"
    r"|\b(?:used to (?:be|think|say|believe)|was (?:once|formerly|originally|previously|initially|long)|no longer|has never|have never|until|looks|seems"
    r"|doubt|don't (?:think|believe)|misconception|myth|would (?:have been|be wrong)|wouldn't|hardly|far from)\b|ehemalig|früher|anciennement",
    re.IGNORECASE,
)
_CONCESSION = re.compile(
    r"\W*(?:while|formerly|previously|originally|initially|historically|although|though|even though|whereas|despite|besides|unlike|instead of|rather than|apart from|aside from"
    r"|according to|based on|to my|as far as|in my|given|since then|except for|obwohl|bien que|aunque|contrary to)\b[^,:]{0,160}[,:]\s*",
    re.IGNORECASE,
)
_CUT = re.compile(
    r",?\s(?:because|though|although|whereas|while|even though|so that|rather than|instead of|followed by)\s"
    r"|,\s(?:which|who|whose|where|when|as|since|given|after|before|with|denn|weil|da|car|puisque|porque)\s",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|been|(?:it|that|he|she|this|there|here|answer|name|i)'(?:s|d say)|fue|foi|fut|fu|ist|war|sind|wurde|lautet|heißt|est|était|es|é|è|adalah|ialah|это"
    r"|means|means that|called|named|titled|spelled|spelt|pronounced|say|must be|think|guess|believe|believe that|choose|pick|(?:go|went|going) with|(?:belongs|goes|went|refers) to|credited to|equals|becomes?|became"
    r"|remains?)\s+(?:to be\s+)?|\b(?:c|l)'est\s+|(?:\s-|[:=])\s*(?=\S)",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:is|are|was|were|be|been|lies|died|live[sd]|works?|happens|occurs|takes place|took place|began|ended|flows|(?<!,\s)found)\s(?:(?!the\b|an?\b)[a-z]+\s){0,3}"
    r"(?:in|at|on|by|as|into|through|during|of|for|from|to)\s+|(?<!,\s)\b(?:[a-z]+ed\s(?:in|at|on|by)|[A-Za-z][a-z]+(?:ed|en|wn|ung|uilt)\sby)\s+|\b(?:[Ff]ue|[Ff]oi|wurde|été|stato|stata)\s(?:\w+\s){0,2}(?:por|par|von|da|en|em|in)\s+|\b[a-z]+\s(?:in|on|since|around)\s+(?=[0-9])|\b(?:ha[sd]|have|produces?|contains?|gives?|emits?|forms?|uses?|needs?|made of|made from)\s+"
)
_CONTRAST = re.compile(r"\W*(?:but|however|yet|sondern|sino|mais|aber|pero|mas|ma|но|а)\b", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\W*(?:but|however|yet|sondern|sino|mais|aber|pero|mas|ma|но|а|so|therefore|thus|hence|no|actually|rather|in (?:fact|reality|truth)|it's|it is|that's|that is"
    r"|the (?:correct |right |final )?answer|my answer|now|today|i'd|i)\b",
    re.IGNORECASE,
)
_LEAD = terms(
    "yet however a an and answer as at author be believe but by called certainly city clearly color colour correct "
    "country definitely dr element frau herr lady madame miss mme monsieur prince princess word number year name term state planet species symbol final finally "
    "for hence her him his in indeed is it it's its king lord mr mrs ms named obviously of oh ok okay on "
    "one only president probably prof professor queen river say she he sir so sure surely that the "
    "therefore they think this thus to town was with writer yes no well actually likely then both about "
    "approximately around roughly exactly der die das den le la les un une el los las o os i il lo der "
    "eine ein sino sondern mais aber pero mas ma но а это nein sí si oui ja most now today rather "
    "definitely simply just course i'd guess your my our"
)
_TAIL = terms(
    "and are as at because by city did does do for from gas had has have he in is it made of on river she "
    "since that was were which who with would can will may should must where when also today now here "
    "based located born during until before after being first alone itself himself herself only too wrote "
    "won made led gave took became began built found held sang ran came saw went ruled lies through over "
    "under between near around about if ist war est es é è era adalah"
)
_KIND = frozenset(("river", "desert", "ocean", "mountains", "mountain"))
"""What may follow a name without changing who bears it: the Nile River is the Nile; Kansas City is not Kansas."""
_SCALE = terms("hundred thousand million billion trillion percent dozen point")
_PREPOSITION = terms("as at by for from in on to with")
_NOT_AND = r"(?!(?:is|it|its|was|has|the|not|that|so|lies|he|she|they|i|we|[a-z]+ed)\b)"
_AND = re.compile(
    rf"(?:[,\s]\s*)?(?:and|as well as|und|et|y|e|dan|и|&|plus|then)\s+{_NOT_AND}\S|\s*(?:[/|+→]|->)\s*\S", re.IGNORECASE
)
_AND_THE = re.compile(
    r"(?:,\s(?:the|an?)\s[\w' -]{1,30}){0,6},?\s(?:and|or|und|et|y)\s(?:the|an?)\s[\w'-]{1,30}(?:\s[\w'-]{1,30})?\W{0,3}$",
    re.IGNORECASE,
)
_NAMES = re.compile(r"(?:,\s[A-Z][^,]{1,30}){1,8},?\s(?:and|or)\s[A-Z][^,]{1,30}$")
_STOP = re.compile(r"[,(\[\n]")
_ITEM = re.compile(r"\s*,\s*([^,;.()\n:—]{1,40})")
_ADVERB = re.compile(
    r"(?:\w+ly|i|of|in|on|at|the|an?|with|and|not|which|who|where|for|by|or|if|as|is|was|its|it|one|per|yes|right|also|too|near|about|too|sir|though|however|no|der|die|le|la|el|en|in)\b",
    re.IGNORECASE,
)


_WITHIN = terms("england georgia scotland wales")
"""Countries that may also lie in another one: Georgia, USA."""


def clauses(text: str) -> Iterator[tuple[int, int, bool]]:
    """The clauses of `text` with whether one is a question; what a parenthesis, a reason or a relative clause says is left out.

    >>> text = "While Rome is old, it is Paris. Or so?"
    >>> [(text[i:j], asked) for i, j, asked in clauses(text)]
    [('While Rome is old, it is Paris', False), ('Or so?', True)]
    """
    start = 0
    for stop in (*_CLAUSE.finditer(text), None):
        end = stop.start() if stop else len(text)
        if text[start:end].strip(" .,"):
            mark = stop.group()[:1] if stop else text.rstrip(" *\"')")[-1:]
            yield start, end, mark in ("?", "？")
        start = stop.end() if stop else end


def phrases(text: str) -> list[Phrase]:
    """The heads of all claims in `text`, in order.

    >>> text = "Many say Rome, but the capital is Paris."
    >>> [text[p.start : p.end] for p in phrases(text)]
    ['but the capital is Paris.', 'Paris.']
    """
    out: list[Phrase] = []
    found = list(clauses(text))
    for start, end, asked in found:
        conceded = _CONCESSION.match(text, start, end)
        if (asked and len(found) > 1) or _DROPPED.match(text, conceded.end() if conceded else start, end):
            continue
        concluding = _CONCLUDES.match(text, start, end) is not None
        contrast = _CONTRAST.match(text, start, end) is not None
        start = conceded.end() if conceded else start
        cut = _CUT.search(text, start + 1, end)
        end = cut.start() if cut and text[start : cut.start()].strip() else end
        comma = text.find(",", start, end)
        reported = _REPORTED.search(text, start, end)
        if reported and (comma < 0 or reported.start() < comma or reported.end() > comma > reported.start()):
            continue
        heads = [
            (m.end(), "label" if m.group().strip() in (":", "-") else "predicate")
            for m in _COPULA.finditer(text, start, end)
        ]
        placed = [(m.end(), "place") for m in _PLACED.finditer(text, start, end)]
        out.append(
            Phrase(
                start,
                end,
                "subject" if heads or placed or not _short(text[start:end]) else "bare",
                concluding,
                contrast,
            )
        )
        out += [Phrase(at, end, role, concluding, contrast) for at, role in sorted(heads + placed) if at < end]  # pyright: ignore[reportArgumentType]
    return out


def _short(clause: str) -> bool:
    """Whether a clause is no more than a name or a thing: at most two words of weight, or capitals only."""
    row = clause.partition(",")[0].split()
    while row and row[0].strip("*_\"'.:").lower() in _LEAD:
        row = row[1:]
    return len(row) <= 2 or all(w[0].isupper() or not w[0].isalpha() or w in PARTICLES or w == "of" for w in row)


def relation(
    text: str, have: Sequence[Word], phrase: Phrase, rows: Sequence[tuple[str, ...]], known: str, who: Person
) -> Relation:
    """How the claim at `phrase` stands to the gold, whose words (or those of its short forms) are `rows`.

    `who` is the person it names; `known` is the question in lower case: who is named in it is no rival.
    """
    at = bisect_left(have, phrase.start, key=lambda w: w.start)
    first = at
    for _ in range(9):
        for row in rows:
            stop = at + len(row)
            if stop <= len(have) and have[stop - 1].end <= phrase.end and _fits(have[at:stop], row):
                if (row in who.rows or who.thing) and alien(text, have, first, at, stop, who):
                    return "rival"
                return _matched(text, have, phrase, at, stop, rows[0])
        stop = full(text, have, at, who)
        if stop and have[stop - 1].end <= phrase.end:
            return _matched(text, have, phrase, at, stop, rows[0])
        if at >= len(have) or have[at].start >= phrase.end or not _leads(text, have[at], at == first):
            break
        at += 1
    return "rival" if _name(text, have, phrase, at, known) else "other"


def _fits(have: Sequence[Word], row: tuple[str, ...]) -> bool:
    if any(SHORT.get(w.form, w.form) != part for w, part in zip(have[:-1], row[:-1], strict=True)):
        return False
    last = have[-1].form
    return last == row[-1] or (len(row) > 1 and row[-1] in (ROMAN.get(last), ORDINAL.get(last)))


def _leads(text: str, word: Word, first: bool) -> bool:
    if glued(text, word.start, word.end):
        return False
    if word.form in _LEAD:
        if word.form in ("los", "las") and text[word.start].isupper():
            return False  # Los Angeles is no place called Angeles
        return first or word.form not in _PREPOSITION
    if not first or not text[word.start : word.end].isalpha():
        return False
    kind = text[word.start].islower() and text[: word.start][-4:].lower() == "the "
    return (kind and text[word.end : word.end + 2].strip().isupper()) or word.form.endswith("ly")


def _matched(text: str, have: Sequence[Word], phrase: Phrase, at: int, stop: int, row: tuple[str, ...]) -> Relation:
    start, end = have[at].start, have[stop - 1].end
    if glued(text, start, end):
        return "other"
    if denied(text[: phrase.end], start, end) or re.match(
        r"\s*(?:[-,]\s*no\b|\((?:wrong|incorrect|not|false)\b)", text[end : phrase.end + 1], re.IGNORECASE
    ):
        return "denied"
    rest = text[end : phrase.end]
    if re.search(r"\bboth (?:the )?$", text[:start][-10:], re.IGNORECASE):
        return "several"
    if text[start].isupper() and phrase.role in ("bare", "subject") and _NAMES.match(rest):
        return "several"
    if _AND.match(rest) or (phrase.role in ("bare", "predicate", "subject") and _AND_THE.match(rest)):
        return "several"
    item = _ITEM.match(rest)
    if (
        item
        and phrase.role in ("bare", "label", "predicate")
        and _listing(item.group(1), text[start].isupper(), row, phrase.role)
    ):
        return "several"
    after = have[stop] if stop < len(have) and have[stop].start < phrase.end else None
    if after and phrase.role in ("bare", "subject") and text[end : after.start].strip() in ("the", "a", "an"):
        return "several"
    if after is None or text[end : after.start].strip(" '\"*_`"):
        return "match"
    word = text[after.start : after.end]
    if (after.form in _TAIL and word.islower()) or after.form in _KIND:
        return "match"
    if word[0].islower() and (
        (text[start:end].isdigit() and after.form not in _SCALE)
        or (after.form == "to" and phrase.role in ("place", "predicate"))
    ):
        return "match"
    if not word[0].islower() or not text[start].isupper():
        return "match" if not word[0].isalnum() or (phrase.role == "place" and word[0].islower()) else "other"
    return "match" if re.search(r"(?:ed|[^s]s|ly)$", word) and stop + 1 < len(have) else "other"


def glued(text: str, start: int, end: int) -> bool:
    """Whether what stands at `start` to `end` is a part of a compound.

    >>> glued("non-toxic", 4, 9), glued("Paris - yes", 0, 5), glued("user@paris.com", 5, 10)
    (True, False, True)
    """
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return bool(
        (before and before[-1] in "-_@/.+^~¬<>=\\" and (before[:-1].isalnum() or before[-1] in "~¬"))
        or (after and after[0] in "-_@/.+^#=<>" and after[1:].isalnum())
        or after[:1] in ("+", "#")
    )


def _listing(item: str, title: bool, row: tuple[str, ...], role: str) -> bool:
    """Whether what follows a comma is one more item, not an addition such as a country or an apposition."""
    parts = re.split(r"\s(?:and|und|et|y|e|dan|и|&)\s", item)[0].split()
    if " ".join(parts).lower() in COUNTRIES:
        return len(row) == 1 and row[0] in COUNTRIES - _WITHIN
    if not parts or len(parts) > 3 or _ADVERB.match(item):
        return False
    if any(c.isdigit() for c in item) and not any(c.isdigit() for c in "".join(row)):
        return False
    if {p.lower().strip(".") for p in parts} <= set(row) or not parts[0][0].isalnum():
        return False
    return len(parts) == 1 or (all(p[0].isupper() for p in parts)) if title else role == "bare" and len(parts) <= 2


def _name(text: str, have: Sequence[Word], phrase: Phrase, at: int, known: str) -> bool:
    """Whether the phrase is a bare name, and so another answer."""
    if (phrase.role == "place" and not phrase.contrast) or at >= len(have):
        return False
    stop = _STOP.search(text, have[at].start, phrase.end)
    end = stop.start() if stop else phrase.end
    row: list[Word] = []
    for word in have[at : at + 5]:
        if word.start >= end:
            break
        row.append(word)
    if not row or row[0].form == "not":
        return False
    if phrase.role == "subject":
        row = [w for i, w in enumerate(row) if all(text[v.start].isupper() for v in row[: i + 1])]
    if not row or len(row) > 4 or text[row[0].start : row[-1].end].lower() in known:
        return False
    return all(text[w.start].isupper() or w.form in ("of", "the", "da", "de", "van", "von") for w in row)


def given(have: Sequence[Word], text: str, phrase: Phrase, want: str) -> bool:
    """Whether the phrase is a full name whose last word is `want`: `Marie Curie` for Curie.

    >>> from eyechart.score.short_text_forms import words
    >>> [given(words(t), t, Phrase(0, len(t), "bare"), w) for t, w in (("Marie Curie", "curie"), ("Equatorial Guinea", "guinea"))]
    [True, False]
    """
    if forename(want) or want in COMMON:
        return False
    at = bisect_left(have, phrase.start, key=lambda w: w.start)
    while at < len(have) and have[at].form in _LEAD and have[at].form not in ("los", "las"):
        at += 1
    row = [w for w in have[at : at + 4] if w.end <= phrase.end]
    for i, word in enumerate(row):
        if not text[word.start].isupper() or (i and text[row[i - 1].end : word.start].strip(" .")):
            return False
        if (
            i
            and word.form == want
            and not denied(text[: phrase.end], word.start, word.end)
            and text[word.end : phrase.end].strip(" .*")[:1] in ("", ",", "(")
        ):
            return True
        if ADJECTIVE.match(word.form):
            return False
    return False
