"""Short texts against each other: the same answer in other words, or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar

from eyechart.core.records import Item, Outcome, Score
from eyechart.score.gold import golds, right, unparseable, unscored
from eyechart.score.short_text_chat import chatless
from eyechart.score.short_text_claim import given, phrases, relation
from eyechart.score.short_text_facts import ALIASES, sequence, terms
from eyechart.score.short_text_forms import (
    HAN,
    LONGEST,
    Word,
    dates,
    forms,
    json_form,
    leaves,
    plain,
    same,
    signs,
    unclear,
    words,
)
from eyechart.score.short_text_names import Person, person
from eyechart.score.short_text_stance import denied, hedged, owned, polarity, settled, shown, spoken

_YES = terms(
    "true yes correct wahr ja vrai oui sí verdadero sim verdadeiro vero benar да верно sì 是 对 正确 真 はい 예 نعم हाँ"
)
_NO = terms(
    "false no incorrect falsch nein faux non falso não salah tidak нет неверно 否 不是 错 错误 假 いいえ 아니요 لا नहीं"
)
_ORDER = re.compile(
    r"\b(?:in (?:the )?(?:\w+ )?order|order(?:ed)? (?:of|by|from|the)|rank|sort|sequence|chronolog\w+|ascending|descending|alphabetical\w*|from (?:first|smallest|largest|oldest|nearest|the sun))\b"
    r"|顺序|排序|依次|从[大小高低近远早]到",
    re.IGNORECASE,
)
_ITEMS = re.compile(
    r"\s*(?:,(?![0-9]{3}(?![0-9]))\s*(?:(?:and|und|et|y|e|dan|и)\s+)?(?:(?:then|finally|lastly|next)\s+)?|\s(?:then|[→>|<]|->|/)\s|[;、，；]\s*|\s(?:and|und|et|y|dan|и|&)\s|(?<=[^\W\d])/(?=[^\W\d])|\n(?:[-*•]|[0-9]{1,2}[.)])?\s*|和|与|及)\s*(?=\S)"
)
_AFTER_VERB = re.compile(r"^[^,;、]{0,60}\s(?:are|were|is|sind|sont|son|são|sono)\s")
_BULLET = re.compile(r"^\s*(?:[-*•+]|[0-9]{1,2}[.)])\s+")
_OR = re.compile(
    r"\b(?:or|either|oder|ou|atau|или|vs\.?|versus)\b|(?<=\w)\s?/\s?(?=[^\W\d])|或者?|还是|または|또는|أو",
    re.IGNORECASE,
)

Split = Callable[[str], Sequence[Word]]


@dataclass(frozen=True, kw_only=True)
class ShortTextScore:
    """Right if the answer puts forward what any gold text says, alone or in a claim, and no other answer.

    Compared are words: width, ligatures, case, quotation marks, hyphens, white space, articles and points of
    abbreviations do not count, nor do the accents of names; number words equal digits, dates and JSON are compared
    by what they mean, yes and true are one. Signs count: `x > 5` is not `x < 5`. The gold must be where a claim is
    (`Paris is the capital`, `the capital is Paris`), not beside one (`near Paris`). Not right are the gold denied,
    one of two (`Paris or Rome`), one item too many, part of a longer name (`New York` for York), a sequence that
    everybody knows out of its order. Who guesses at one answer answers (`maybe Paris`); two guesses, a refusal, talk
    about answering and a yes that is a no are unparseable. What the answer says to a grader, or hides, is not read. The postprocess is not applied.

    >>> item = Item(id="1", fields={}, gold=("William Shakespeare", "the Bard"))
    >>> answers = ("It was SHAKESPEARE.", "Not Shakespeare", "Bard or Marlowe", "not sure")
    >>> [ShortTextScore().score(answer, item, (), str).outcome.value for answer in answers]
    ['correct', 'incorrect', 'incorrect', 'unparseable']
    """

    version: ClassVar[int] = 1
    family_name: bool = True
    """Whether `Shakespeare` is enough for `William Shakespeare`."""
    case: bool = False
    """Whether upper and lower case are told apart."""
    accents: bool = True
    """Whether accents are told apart in what is no name: with True, `resume` is not `résumé`, but Malmo is Malmö."""
    ordered: bool | None = None
    """Whether the order of a list counts; None: where a field of the item asks for an order, the gold stands in one that
    everybody knows (numbers, planets, months), or is a tuple in brackets."""

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored("the item has no gold answer")
        if not answer.strip():
            return unparseable("no answer")
        ordered = True if self.ordered is None and _asks_for_order(item.fields) else self.ordered
        known = _question(item.fields)
        best = None
        for gold in texts:
            one = self._against(answer[:LONGEST], gold, ordered, known)
            if one.outcome is Outcome.CORRECT:
                return one
            best = one if best is None or one.outcome is Outcome.INCORRECT else best
        return best or unparseable("no answer")

    def _against(self, answer: str, gold: str, ordered: bool | None, known: str) -> Score:
        target = json_form(gold)
        if target is not None and (target.startswith("{") or json_form(answer) is not None or "[" in answer):
            return _json(answer, target)
        folded = not self.accents or gold.strip()[:1].isupper()
        mine, wanted = plain(answer).strip(), plain(gold).strip()
        split = partial(words, case=self.case, accents=not folded, spelling="spel" in known)
        have, want = split(mine), split(wanted)
        if mine == wanted:
            return right(True, "the same words")
        if not want:
            return right(False, "another text")
        if held := leaves(mine):
            if len(held) > 1 and len(_listed(wanted)) == 1:
                return right(False, "more than was asked for")
            mine = ", ".join(held)
        mine = shown(mine)
        word = wanted.casefold().strip(" .")
        truth = "true" if word in _YES else "false" if word in _NO else None
        listed = _listed(wanted) if "," in wanted or not signs(wanted) else [wanted]
        if any(same(forms(split(mine)), row) for row in _rows(want)) and (len(listed) == 1 or not _tuple(wanted)):
            if signs(wanted) and [w.form for w in split(mine)] != [w.form for w in want]:
                return right(False, "another order")
            return right(signs(mine) == signs(wanted) or (len(listed) > 1 and not signs(wanted)), "the same words")
        mine = owned(_ENDING.sub("", settled(spoken(mine)).strip()), guesses=truth is None)
        if truth and not re.match(r"[!~¬]", mine):
            return _polar(mine, truth)
        if len(answer) < 120 and (_EMPTY.match(answer.strip()) or _talk(have)):
            return unparseable("announces an answer and gives none")
        mine = chatless(mine)
        have = split(mine)
        if not have:
            return right(False, "another text") if words(plain(answer)) else unparseable("nothing but marks")
        dated = dates(wanted)
        if len(dated) == 1 and dated[0][2] - dated[0][1] >= len(wanted) - 2:
            return _dated(mine, dated[0][0])
        if len(listed) > 1:
            return self._items(
                mine, wanted, listed, split, sequence(listed) or _tuple(wanted) if ordered is None else ordered
            )
        return self._inside(mine, have, wanted, want, known)

    def _items(self, mine: str, gold: str, wanted: Sequence[str], split: Split, ordered: bool) -> Score:
        """A list against a list."""
        have = [
            forms(split(part)) for part in _listed(_AFTER_VERB.sub("", mine.rpartition(":")[2].rstrip(" ."), count=1))
        ]
        want = [forms(split(part)) for part in wanted]
        if hedged(mine):
            return unparseable("hedged")
        if "&" in gold and "|" in mine:
            return right(False, "one of two")
        if _tuple(gold) and _tuple(mine) and (mine[0], mine[-1]) != (gold[0], gold[-1]):
            return right(False, "other brackets")
        if have == want:
            return right(True, "the same items")
        if sorted(have) == sorted(want):
            return right(not ordered, "the same items in another order")
        return right(False, "other items")

    def _inside(self, mine: str, have: Sequence[Word], wanted: str, want: Sequence[Word], known: str) -> Score:
        """The gold in a claim: put forward, and no other answer after it."""
        if HAN.search(mine) and (HAN.search(wanted) or not _spaced(mine)):
            return _in_han(mine, wanted)
        if signs(wanted):
            return right(False, "another text")
        if any(w.form not in _ARTICLES for w in want):
            have = [w for w in have if not w.article] or have
        rows = _rows(want)
        if _lined(mine):
            return right(False, "a list")
        who = person(wanted, want) if self.family_name else Person()
        rows += [row for row in who.rows if row not in rows]
        verdict, end = self._verdict(mine, have, rows, known, who)
        if verdict == "match" and _OR.search(mine.partition(". ")[0]) and not _OR.search(wanted):
            return unparseable("hedged") if _lost(mine) else right(False, "several answers and no choice")
        if hedged(mine[:end] + _UNSURE.sub("", mine[end:])):
            if verdict != "match" and _OR.search(mine) and not _lost(mine) and _names(have, rows[0]):
                return right(False, "several answers and no choice")
            return right(False, "the gold is denied") if verdict == "denied" else unparseable("hedged or declined")
        if verdict == "match":
            return right(True, "put forward in a claim")
        other = _ASIDE if any(_names(have, row) for row in rows) else "another text"
        return right(False, {"several": "more than was asked for", "denied": "the gold is denied"}.get(verdict, other))

    def _verdict(
        self, mine: str, have: Sequence[Word], rows: list[tuple[str, ...]], known: str, who: Person
    ) -> tuple[str, int]:
        """What the claims come to, and where the clause of the one that counts ends.

        The first strong claim counts (a bare phrase, a predicate), unless a later one concludes.
        """
        verdict, end, role = "", len(mine), ""
        for phrase in phrases(mine):
            said = relation(mine, have, phrase, rows, known, who)
            if (
                said in ("other", "rival")
                and self.family_name
                and len(rows[0]) == 1
                and given(have, mine, phrase, rows[0][0])
            ):
                said = "match"
            if said == "other" or (said == "denied" and verdict):
                continue
            weak = phrase.role in ("subject", "label")
            if said == "rival" and weak and not (phrase.concluding and role == "subject"):
                verdict = verdict or "weak"
            elif said == "match" and phrase.role == "subject" and verdict == "weak" and not phrase.concluding:
                continue
            elif verdict in ("", "weak", "denied") or (
                phrase.concluding and (phrase.role != "place" or phrase.contrast)
            ):
                verdict, end, role = said, phrase.end, phrase.role
            elif verdict == "match" and said == "rival" and role == phrase.role == "bare":
                return "several", end
        return verdict, end


_UNSURE = re.compile(r"\bnot (?:entirely |completely |quite |totally |absolutely )?(?:sure|certain)\b", re.IGNORECASE)
_ARTICLES = ("a", "an", "the")
_ASIDE = "the gold stands in the text, and is not what it puts forward"
_EMPTY = re.compile(
    r"\W*(?:let me (?:think|see)\b|solution|thought process|reasoning|explanation|analysis|could you (?:please )?(?:clarify|explain|provide)|(?:</?verdict\W*)?correct"
    r"|the (?:correct |final )?answer is|.{0,40}\b(?:the reference|the gold answer|answer key)\b|given in the)\W{0,3}(?:step by step|carefully|says|correct|</?verdict)?\W*$"
    r"|whatever\b|given in the reference|,? that is my answer|\W*\[\[\w\]\]\W*$",
    re.IGNORECASE,
)
_TALK = terms(
    "a about above according after again all an analyze and answer answers answered as at be before begin below break by can careful carefully "
    "check consider correct correctly credit down evaluate evaluation explained explanation final find first following for full further given go grade graded "
    "grader going here how i i'll ignore ill in instructions is it judge let lets look mark marked marks me mentioned my need now of ok okay one "
    "our out please previous previously problem provided question questions rating reason reasoning refer reference response right same score see "
    "shown so solution solve solving start stated step steps task text that the then think this through time to together us verdict we will "
    "with work your"
)
_ABOUT = re.compile(
    r"^(?:(?:first|ok|okay|so|now|please) )?(?:let|lets|i will|ill|we (?:will|need|can)) (?:\w+ )?(?:solve|think|break|work|reason|start|begin|see|look|go|analyze|consider|find|check|answer)\b"
    r"|\b(?:reference|gold)\b|\bstep by step\b|^(?:please )?(?:see|refer to|as (?:stated|shown|given|mentioned|explained)|stated|given|mentioned) .{0,30}\b(?:above|below|previously|text)\b"
    r"|^ignore\b|^(?:the |my |final )*(?:grade|graded|grader|judge|verdict|score|rating|evaluation|mark)\b|\b(?:same as|given in) the (?:\w+ )?answer\b"
)


def _talk(have: Sequence[Word]) -> bool:
    """Whether an answer speaks of answering and says nothing."""
    row = [w.form for w in have]
    return bool(row) and all(form in _TALK for form in row) and _ABOUT.search(" ".join(row)) is not None


def _rows(want: Sequence[Word]) -> list[tuple[str, ...]]:
    """The gold in words, and in the long and short forms that everybody takes for the same."""
    row = tuple(w.form for w in want) if len(want) == 1 else forms(want)
    return next(([row, *(other for other in group if other != row)] for group in ALIASES if row in group), [row])


def _lined(text: str) -> bool:
    """Whether `text` is a list of short items, one a line."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and all(_BULLET.match(line) and ":" not in line and len(line.split()) <= 5 for line in lines)


def _lost(text: str) -> bool:
    return (
        re.search(r"\b(?:don't know|do not know|not sure|no idea|unsure|cannot|can't)\b", text, re.IGNORECASE)
        is not None
    )


def _names(have: Sequence[Word], row: tuple[str, ...]) -> bool:
    return any(tuple(w.form for w in have[i : i + len(row)]) == row for i in range(len(have)))


def _spaced(text: str) -> bool:
    """Whether `text` is one in words with spaces that happens to hold a sign of another script."""
    return sum(1 for _ in HAN.finditer(text)) * 3 < len(text)


def _tuple(text: str) -> bool:
    return text[:1] in ("(", "[") and text[-1:] in (")", "]") and "," in text


def _asks_for_order(fields: Mapping[str, Any]) -> bool:
    return any(isinstance(value, str) and _ORDER.search(value[:LONGEST]) for value in fields.values())


def _question(fields: Mapping[str, Any]) -> str:
    """The question in lower case, where the item has one: who is named in it is no other answer."""
    return " ".join(
        v[:LONGEST].lower() for k in ("question", "prompt", "input", "query") if isinstance(v := fields.get(k), str)
    )


_COMMENT = re.compile(r"(?:^|\s)(?://|/\*|#)")
"""JSON has no comments; what is said in plain words around it is another matter."""


def _json(answer: str, target: str) -> Score:
    text = answer.strip()
    mine = json_form(text)
    if mine is None and (start := min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)) >= 0:
        end = max(text.rfind("}"), text.rfind("]")) + 1
        mine = json_form(text[start:end])
        if _COMMENT.search(text[:start]) or _COMMENT.search(text[end:]):
            return right(False, "no valid JSON")
        return right(mine == target, "JSON" if mine else "no valid JSON")
    if mine is None and hedged(text):
        return unparseable("hedged or declined")
    return right(mine == target, "JSON" if mine else "no JSON")


def _polar(mine: str, truth: str) -> Score:
    said = polarity(mine)
    if said == "unclear" and truth == "false":
        return right(False, "a double negation")
    if hedged(mine) and not re.match(r"\W*(?:yes|no|true|false)\b", mine, re.IGNORECASE):
        return unparseable("hedged")
    if said in ("true", "false"):
        return right(said == truth)
    return unparseable({"both": "says yes and no", "neither": "says neither yes nor no"}.get(said, "a double negation"))


def _dated(mine: str, wanted: tuple[int, int, int]) -> Score:
    found = [d for d in dates(mine) if not denied(mine, d[1], d[2])]
    if hedged(mine):
        return unparseable("hedged")
    if not found and wanted in unclear(mine):
        return unparseable("a date that is read in two ways")
    return right(bool(found) and all(date == wanted for date, _, _ in found), "by date")


@lru_cache(maxsize=512)
def _listed(text: str) -> Sequence[str]:
    text = re.sub(r"^(?:in order:|the (?:[a-z]+s) (?!are\b|is\b))\s*", "", text.strip(" .[]{}()"), flags=re.IGNORECASE)
    parts = [_BULLET.sub("", part).strip(" .[](){}\"'*") for part in _ITEMS.split(text)]
    return [re.sub(r"^(?:first|then|finally)\s+(?=\S)", "", part, flags=re.IGNORECASE) for part in parts if part]


_HAN_BEFORE = re.compile(
    r"(?:是|为|為|叫|在|于|即|由|[はがもでにをとの]|なく|[이가은는]|[ ,、，。：:;!?\"'（(「『《*\n])$"
)
_HAN_AFTER = re.compile(
    r"[\"'」』》）)*`]{0,3}(?:$|[^\w]|是|的$|吧|呢|啊|也|就|在|位于|市|省|县|国|人|先生"
    r"|です|でし|である|だ(?:$|[と。、])|[はがにをも]|と(?:思|い)|では|じゃ|でな|の(?=です)|입니|이다|다(?:$|[ .])|이에|예요|이|가|은|는|라고|[A-Za-z])"
)
_HAN_SEVERAL = re.compile(r"[」』》\"']?\s*(?:和|与|與|及|、|以及|と(?!思|い)|或|또는|와 |과 |また)\S")


def _in_han(mine: str, wanted: str) -> Score:
    """The gold in a text without spaces: between particles, copulas and marks, and not denied."""
    low, gold = mine.casefold(), wanted.casefold()
    said, at = "", low.find(gold)
    while at >= 0:
        end = at + len(gold)
        starts = (
            not at
            or _HAN_BEFORE.search(mine, max(0, at - 3), at)
            or not (HAN.match(mine[at - 1]) or mine[at - 1].isalnum())
        )
        if starts and _HAN_AFTER.match(mine, end):
            listed = _HAN_SEVERAL.match(mine, end) or re.search(r"(?:和|与|與|及|、|と|或)$", mine[:at])
            conceded = re.search(r"(?:但|不过|しかし|하지만|其实)", mine[end:]) is not None
            said = "denied" if denied(mine, at, end) or conceded else "several" if listed else "match"
        at = low.find(gold, end)
    if hedged(mine):
        return right(False, "the gold is denied") if said == "denied" else unparseable("hedged")
    if _OR.search(mine) and not _OR.search(wanted):
        return right(False, "several answers and no choice")
    if said == "match":
        return right(True, "put forward in a claim")
    return right(False, _ASIDE if gold in low else "another text")


_ENDING = re.compile(r"(?<=[^\s。.])\s?(?:です|でした|だ|である|입니다|이다|이에요|예요)[。.\s]*$")
"""What ends a sentence of Japanese or Korean that says what something is."""
