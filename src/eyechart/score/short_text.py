"""Short texts against each other: the same answer in other words, or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from eyechart.core.records import Item, Outcome, Score
from eyechart.score.gold import golds, right, unparseable, unscored
from eyechart.score.short_text_forms import HAN, LONGEST, Word, dates, forms, json_form, plain, same, words
from eyechart.score.short_text_stance import denied, hedged, polarity, settled, spoken


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_YES = _set(
    "true yes correct wahr ja vrai oui sí verdadero sim verdadeiro vero benar да верно 是 对 正确 真 はい 예 نعم हाँ"
)
_NO = _set(
    "false no incorrect falsch nein faux non falso não salah tidak нет неверно 否 不是 错 错误 假 いいえ 아니요 لا नहीं"
)
_ORDER = re.compile(
    r"\b(?:in (?:the )?(?:\w+ )?order|order(?:ed)? (?:of|by|from|the)|rank|sort|sequence|chronolog\w+|ascending|descending|alphabetical\w*|from (?:first|smallest|largest|oldest|nearest|the sun))\b"
    r"|顺序|排序|依次|从[大小高低近远早]到",
    re.IGNORECASE,
)
_ITEMS = re.compile(
    r"\s*(?:,(?![0-9]{3}(?![0-9]))\s*(?:and|und|et|y|e|dan|и)?\s+|[;、，；]\s*|\s(?:and|und|et|y|dan|и|&)\s|\n(?:[-*•]|[0-9]{1,2}[.)])?\s*|和|与|及)\s*(?=\S)"
)
_AFTER_VERB = re.compile(r"^[^,;、]{0,60}\s(?:are|were|is|sind|sont|son|são|sono)\s")
_BULLET = re.compile(r"^\s*(?:[-*•+]|[0-9]{1,2}[.)])\s+")
_OR = re.compile(
    r"\b(?:or|either|oder|ou|atau|или|vs\.?|versus)\b|(?<=\w)\s?/\s?(?=[^\W\d])|或者?|还是|または|또는|أو",
    re.IGNORECASE,
)
_LEAD = _set(
    "a an and answer are as at author be believe but by called capital certainly city clearly correct country "
    "definitely dr final for from he hence her him i in is it it's its king lady lake lord mount mr mrs ms "
    "named obviously of on one only president probably prof professor queen river saint say she sir so state "
    "surely that the therefore they think this thus to town was with writer yes"
)
_TRAIL = _set(
    "and are as at because by city did for from gas had has he in is it made of on river she since that was "
    "were which who with would"
)
_PLACE = _set(
    "cape central east eastern el fort great la las le little los lower new north northern old port saint san "
    "santa south southern st united upper west western"
)
_SUFFIX = _set("ii iii iv jr sr")
_HAN_AFTER = frozenset("。，,.!！?？;； 是的吧呢啊也就、市省县国人先でだ입이은는가）)」》\"'")


@dataclass(frozen=True, kw_only=True)
class ShortTextScore:
    """Right if the answer says what any gold text says: alone, or in a sentence that asserts it and no other.

    Compared are words: width, ligatures, case, quotation marks, hyphens, white space, articles and points of
    abbreviations do not count, number words equal digits, dates and JSON are compared by what they mean,
    yes and true are one. Not right are the gold denied, one of two (`Paris or Rome`), one item too many, part
    of a longer name (`New York` for York). A hedge, a refusal and a yes that is a no are unparseable. What the
    answer says to a grader is not read. The postprocess is not applied.

    >>> item = Item(id="1", fields={}, gold=("William Shakespeare", "the Bard"))
    >>> answers = ("It was SHAKESPEARE.", "Not Shakespeare", "Bard or Marlowe", "maybe Shakespeare")
    >>> [ShortTextScore().score(answer, item, (), str).outcome.value for answer in answers]
    ['correct', 'incorrect', 'incorrect', 'unparseable']
    """

    version: ClassVar[int] = 1
    family_name: bool = True
    """Whether `Shakespeare` is enough for `William Shakespeare`."""
    case: bool = False
    """Whether upper and lower case are told apart."""
    accents: bool = True
    """Whether accents are told apart: with True, `resume` is not `résumé`."""
    ordered: bool | None = None
    """Whether the order of a list counts; None: where a field of the item asks for an order."""

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored("the item has no gold answer")
        if not answer.strip():
            return unparseable("no answer")
        ordered = self.ordered if self.ordered is not None else _asks_for_order(item.fields)
        best = None
        for gold in texts:
            one = self._against(answer[:LONGEST], gold, ordered)
            if one.outcome is Outcome.CORRECT:
                return one
            best = one if best is None or one.outcome is Outcome.INCORRECT else best
        return best or unparseable("no answer")

    def _against(self, answer: str, gold: str, ordered: bool) -> Score:
        target = json_form(gold)
        if target is not None:
            return _json(answer, target)
        mine, wanted = self._plain(answer).strip(), self._plain(gold).strip()
        have, want = self._words(mine), self._words(wanted)
        if mine == wanted or (want and same(forms(have), forms(want))):
            return right(True, "the same words")
        if not want:
            return right(False, "another text")
        mine = settled(spoken(mine)).strip()
        word = wanted.casefold().strip(" .")
        truth = "true" if word in _YES else "false" if word in _NO else None
        if truth:
            return _polar(mine, truth)
        have = self._words(mine)
        if same(forms(have), forms(want)):
            return right(True, "the same words")
        if not have:
            return unparseable("nothing but marks")
        dated = dates(wanted)
        if len(dated) == 1 and dated[0][2] - dated[0][1] >= len(wanted) - 2:
            return _dated(mine, dated[0][0])
        listed = _listed(wanted)
        if len(listed) > 1:
            return self._items(mine, listed, ordered)
        return self._inside(mine, have, wanted, want)

    def _plain(self, text: str) -> str:
        return plain(text, accents=not self.accents)

    def _words(self, text: str) -> list[Word]:
        return words(text, case=self.case)

    def _items(self, mine: str, wanted: Sequence[str], ordered: bool) -> Score:
        """A list against a list."""
        have = [
            forms(self._words(part))
            for part in _listed(_AFTER_VERB.sub("", mine.rpartition(":")[2].rstrip(" ."), count=1))
        ]
        want = [forms(self._words(part)) for part in wanted]
        if hedged(mine):
            return unparseable("hedged")
        if have == want:
            return right(True, "the same items")
        if sorted(have) == sorted(want):
            return right(not ordered, "the same items in another order")
        return right(False, "other items")

    def _inside(self, mine: str, have: list[Word], wanted: str, want: list[Word]) -> Score:
        """The gold in a sentence: asserted, and nothing else with it."""
        if HAN.search(wanted):
            places = _han_places(mine, wanted)
        else:
            places = _places(have, [w for w in want if w.form not in ("a", "an", "the")] or want)
        named = False
        if not places and self.family_name and (family := _family(wanted, want)):
            places, named = _places(have, [family]), True
        good = [(i, j) for i, j in places if self._asserted(mine, have, i, j, want, named=named)]
        if not good:
            reason = "the gold is denied, or part of something else" if places else "another text"
            return (
                unparseable("hedged or declined")
                if hedged(mine) and not _contradicted(mine, places)
                else right(False, reason)
            )
        if hedged(mine):
            return unparseable("hedged")
        start, end = good[0]
        if _OR.search(mine):
            return right(False, "several answers and no choice")
        if _several(mine, start, end):
            return right(False, "more than was asked for")
        return right(True, "the family name" if named else "asserted in a sentence")

    def _asserted(
        self, mine: str, have: list[Word], start: int, end: int, want: Sequence[Word], *, named: bool
    ) -> bool:
        if denied(mine, start, end):
            return False
        if not have or HAN.match(mine[start : start + 1]):
            return True
        before = next((w for w in reversed(have) if w.end <= start), None)
        after = next((w for w in have if w.start >= end), None)
        title = mine[start : start + 1].isupper()
        if before and _touch(mine, before, start) and before.form not in _LEAD:
            capital = mine[before.start].isupper()
            if capital and title and (named or before.form in _PLACE or not self._given(have, want, before)):
                return False
            if not title and len(have) <= len(want) + 2 and before.form not in _LEAD:
                return False
        if after and not mine[end : after.start].strip(" ") and after.form not in _TRAIL:
            if title and mine[after.start].isupper():
                return False
            if len(have) <= len(want) + 2 and not _verb(mine):
                return False
        return True

    def _given(self, have: Sequence[Word], want: Sequence[Word], before: Word) -> bool:
        """Whether the word before the gold may be a given name: the gold is one word that a family name may be."""
        return self.family_name and len(want) == 1 and before.form not in _PLACE


def _touch(mine: str, before: Word, start: int) -> bool:
    """Whether nothing but white space stands between, or the points of initials."""
    gap = mine[before.end : start]
    return not gap.strip(" ") or (len(before.form) <= 3 and not gap.strip(" .ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def _verb(text: str) -> bool:
    return bool(re.search(r"\b(?:is|was|are|were|has|have|had|'s)\b|'s\b", text, re.IGNORECASE))


def _asks_for_order(fields: Mapping[str, Any]) -> bool:
    return any(isinstance(value, str) and _ORDER.search(value[:LONGEST]) for value in fields.values())


def _json(answer: str, target: str) -> Score:
    text = answer.strip()
    mine = json_form(text)
    if mine is None and (start := min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)) >= 0:
        mine = json_form(text[start : max(text.rfind("}"), text.rfind("]")) + 1])
        return right(mine == target, "JSON" if mine else "no valid JSON")
    if mine is None and hedged(text):
        return unparseable("hedged or declined")
    return right(mine == target, "JSON" if mine else "no JSON")


def _polar(mine: str, truth: str) -> Score:
    said = polarity(mine)
    if hedged(mine) and not re.match(r"\W*(?:yes|no|true|false)\b", mine, re.IGNORECASE):
        return unparseable("hedged")
    if said in ("true", "false"):
        return right(said == truth)
    return unparseable({"both": "says yes and no", "neither": "says neither yes nor no"}.get(said, "a double negation"))


def _dated(mine: str, wanted: tuple[int, int, int]) -> Score:
    found = [d for d in dates(mine) if not denied(mine, d[1], d[2])]
    if hedged(mine):
        return unparseable("hedged")
    return right(bool(found) and all(date == wanted for date, _, _ in found), "by date")


def _listed(text: str) -> list[str]:
    parts = [_BULLET.sub("", part).strip(" .[](){}\"'*") for part in _ITEMS.split(text.strip(" .[]{}()"))]
    return [part for part in parts if part]


def _places(have: Sequence[Word], want: Sequence[Word]) -> list[tuple[int, int]]:
    """Where the words of the gold stand in a row, as places of the text."""
    row = [w.form for w in want]
    n = len(row)
    first = row[0] if row else ""
    out: list[tuple[int, int]] = []
    for i in range(len(have) - n + 1):
        if have[i].form == first and [w.form for w in have[i : i + n]] == row:
            out.append((have[i].start, have[i + n - 1].end))
    return out


def _han_places(mine: str, wanted: str) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    at = mine.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        after, before = mine[end : end + 1], mine[at - 1 : at] if at else ""
        bare = len(mine) <= len(wanted) + 4 and "是" not in mine and not re.search(r"[\s:：]", before or " ")
        if not (after and after not in _HAN_AFTER and HAN.match(after)) and not (bare and before and HAN.match(before)):
            out.append((at, end))
        at = mine.find(wanted, end)
    return out


def _family(wanted: str, want: Sequence[Word]) -> Word | None:
    """The family name of a person; None where the gold does not look like the name of one."""
    parts = wanted.replace(",", " ").split()
    if not 2 <= len(want) <= 5 or not all(p[0].isupper() for p in parts):
        return None
    if want[0].form in _PLACE or any(c.isdigit() for c in wanted):
        return None
    names = [w for w in want if w.form not in _SUFFIX]
    return names[-1] if len(names) > 1 and len(names[-1].form) > 1 else None


def _contradicted(mine: str, places: Sequence[tuple[int, int]]) -> bool:
    return any(denied(mine, start, end) for start, end in places)


def _several(mine: str, start: int, end: int) -> bool:
    """Whether the answer is a list of which the gold is one item."""
    clause = re.split(r"(?<=\w\w)[.!?;]\s|[。；]|\n\n", mine)[0]
    if end > len(clause):
        return False
    tail = clause[end:]
    if re.match(
        r"\s*(?:,[^,.]{1,30}){0,8},?\s(?:and|as well as|und|et|y|dan|и|&)\s+(?!(?:is|it|was|has|the|not|that|so|lies)\b)\S",
        tail,
    ):
        return True
    if re.match(r"\s*(?:和|与|及|、|以及|と)", tail) or re.search(r"(?:和|与|及|、|と)\s*$", clause[:start]):
        return True
    head = clause[:start]
    if re.search(r"\S\s*(?:,|\s(?:and|as well as|und|et|y|dan|и|&))\s+(?:the )?$", head) and not re.search(
        r"\b(?:not|but|so|yes|no|well|think|sure|hence|thus|therefore|answer|ok|okay|believe|course|is|was|as|in)\b[^,]*,\s*$",
        head,
        re.IGNORECASE,
    ):
        return not _verb(head) or bool(re.search(r"\s(?:and|und|et|y|dan|и|&)\s+(?:the )?$", head))
    items = [part for part in _listed(clause) if len(part.split()) <= 3]
    return len(items) >= 3 and len(items) == len(_listed(clause)) and not _verb(clause)
