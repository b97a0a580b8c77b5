"""Whether an option that is named in a text is chosen there, denied, or only spoken of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eyechart.extract.choice_clause import EDGES, WINDOW, WORDS, clause_at, denies, supposed, weighs
from eyechart.extract.choice_clues import Clues
from eyechart.extract.choice_contrast import contrasted, headed
from eyechart.extract.choice_menu import Mention, Menu, Named, labels, ranks, text_at, texts
from eyechart.extract.choice_signs import (
    AFTER_A,
    ARTICLES,
    DENIED_AFTER,
    EXCEPT_AFTER,
    EXCEPT_BEFORE,
    GO,
    HAN_LEADS,
    HAN_NAMES,
    INVERTED,
    LEADS,
    SAID_AFTER,
    STRONG_LEADS,
    WEIGHED_AFTER,
)  # fmt: skip
from eyechart.extract.choice_words import FILL, NO_OPTION, PLACEHOLDER

_LONG = 400
_LOOK_BACK = 160
"""Behind an announcement in a text of more than `_LONG` characters, what stands further back is not weighed."""
_EXCEPT = ("but", "except", "other than", "besides", "apart", "aside", "除")
_GO_ON = ("with", "on", "for", "towards")
_REASONS = frozenset(("since", "given", "because", "as", "when", "after"))
_GIVEN = re.compile(r" ?(?:since|given|because|as|when|after) ")
_ASIDE = re.compile(
    r"\((?:[^()\n]{0,30}\b(?:would be|was|see also|see|cf\.?|vs\.?|not)\b[:\s]{0,2}(?:option )?|was: ?)$"
)
_AGREED = re.compile(r"[?\s]{0,3}(?:yes|correct|right|exactly|是的|对|ja|oui|sí|sim)\b")
_SO = ("so,", "yes,", "therefore,", "thus,", "hence,", "finally,", "ultimately,", "overall,", "因此，", "所以，")
_OPENERS = frozenset("*_`([{\"'$「『《【<")
_CLOSERS = frozenset("*_`)]}\"'$」』》】>")
_RUN = re.compile(r"[A-Z]{2,26}(?![\w'+#&-])(?! \d)")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def mentions(options: Menu, text: str, clue: Clues, heads: Sequence[re.Match[str]]) -> list[Mention]:
    """Every place in `text` that names an option, in order; what is only a letter of a name is left out.

    `heads`: its announcements.
    """
    low = clue.low
    named: dict[int, Mention] = {}
    written = texts(options, low)
    slots = announced(options, text, clue, heads) if heads else {}
    since = 0
    if len(text) > _LONG:
        since = max((m.start for m in slots.values() if m.stance == "said"), default=0) - _LOOK_BACK
    busy = [m[:2] for m in slots.values() if m.kind == "text"] + [n[:2] for n in written]
    for match in labels(options, text):
        start, end = match.span()
        if start < since or (busy and _inside(busy, start, end)):
            continue
        found = slots.get(start) or _letter(options, text, clue, start, end)
        if found:
            named[start] = found
    for place in written if slots else (*written, *ranks(options, low, clue.words)):
        if place.start >= since and place.start not in named:
            slot = slots.get(place.start)
            named[place.start] = slot if slot and slot.kind != "label" else _judged(clue, place, _led(low, place.start))
    for start, slot in slots.items():
        named.setdefault(start, slot)
    return contrasted(clue, sorted(named.values()) if len(named) > 1 else list(named.values()))


def _inside(busy: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether `start` to `end` lies within one of `busy` that is longer."""
    return any(a <= start and end <= b and b - a > end - start for a, b in busy)


def announced(options: Menu, text: str, clue: Clues, heads: Sequence[re.Match[str]]) -> dict[int, Mention]:
    """What stands behind each of `heads`, announcements (`Answer:`, `答案是`, a box), by where it begins."""
    out: dict[int, Mention] = {}
    low = clue.low
    for slot in heads:
        begin = slot.end()
        filled = FILL.match(low, begin)
        at = filled.end() if filled else begin
        opened = at
        while opened > begin and text[opened - 1] in "[<({$":
            opened -= 1
        if (opened < at and PLACEHOLDER.match(low, opened)) or PLACEHOLDER.match(low, at):
            continue
        found = text_at(options, low, at) if at < len(low) else None
        if found is None and at > (near := begin + (low[begin : begin + 1] == " ")):
            found = text_at(options, low, near)
            at = near if found else at
        run = _RUN.match(text, at) if found is None and options.latin else None
        if run and list(run.group()) == sorted({c for c in run.group() if c in options.by_label}):
            for i, char in enumerate(run.group()):
                out[at + i] = Mention(at + i, at + i + 1, options.by_label[char], "label", 4, "said")
            continue
        if found is None or (found.end - found.start == 1 and low[at].upper() in options.by_label):
            found = _label_at(options, text, at) or found
        if found is None:
            other = NO_OPTION.match(low, at)
            if other and other.end() > at:
                out.setdefault(at, Mention(at, other.end(), -1, "text", 4, "said"))
            continue
        if clue.plain:
            out[at] = Mention(*found, 4, "said")
            continue
        mention = _judged(clue, found, 4)
        if head := headed(low, found.start) or headed(low, slot.start()) or supposed(clue, slot.start()):
            out[at] = mention._replace(stance=head)
            continue
        if clue.denies and denies(clue, begin, *clause_at(low, begin)) and slot.group()[-1] not in ":\n{":
            mention = mention._replace(stance="denied")
        elif mention.stance == "hedged" or (
            mention.stance == "weighed" and weighs(clue, *clause_at(low, found.start)) is not None
        ):
            mention = mention._replace(stance="said" if slot.group()[-1:] in ":{=>\n" else "hedged")
        out[at] = mention
    return out


def _label_at(options: Menu, text: str, at: int) -> Named | None:
    """The label at `at`, capital or not; an article, a pronoun and a letter that begins a word are none."""
    if not options.latin:
        for label, option in options.by_label.items():
            end = at + len(label)
            if (
                text[at:end].upper() == label
                and not text[end : end + 1].isalnum()
                and text[end : end + 1] not in ("%", "/")
            ):
                return (
                    None
                    if text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()
                    else Named(at, end, option, "label")
                )
        return None
    char = text[at : at + 1]
    if not (char.isascii() and char.isalpha()):
        return None
    after = text[at + 1 : at + 2]
    if (after.isascii() and after.isalnum()) or "\u00c0" <= after <= "\u024f" or after in tuple("+#&@"):
        return None
    if after in ("'", "-") and text[at + 2 : at + 3].isalpha():
        return None
    if char.islower() and not _ends(text, at + 1):
        return None
    if char in "aAI" and not stands(text, at + 1, char):
        return None
    return Named(at, at + 1, options.by_label.get(char.upper(), -1), "label")


def _ends(text: str, end: int) -> bool:
    rest = text[end : end + 3].lstrip(" ")
    return not rest or not (rest[0].isalnum() and rest[0].isascii())


def stands(text: str, end: int, char: str) -> bool:
    """Whether `A` or `I` that ends at `end` may be a label: not an article, not a pronoun."""
    if text[end : end + 1] != " ":
        return True
    word = WORDS.match(text, end + 1)
    if word is None:
        return True
    if char == "I":
        return word.group().lower() in ("because", "since", "as", "and", "or", "is", "was")
    return word.group().lower() in AFTER_A


def _letter(options: Menu, text: str, clue: Clues, start: int, end: int) -> Mention | None:
    """A label somewhere in a sentence; None where it is part of a name, an article or a pronoun."""
    option, low = options.by_label.get(text[start:end].upper(), -1), clue.low
    before, after = text[start - 1 : start], text[end : end + 1]
    wrapped = before in _OPENERS and after in _CLOSERS and before != "" and after != ""
    place = Named(start, end, option, "label")
    if option < 0 and text[start - 1 : end + 1] == "[X]":
        return None
    if not wrapped:
        if options.latin and text[start] in "AI" and not stands(text, end, text[start]):
            return None
        if after in HAN_NAMES and after:
            return None
        if (
            before >= "\u3040"
            and _HAN.match(before)
            and before not in HAN_LEADS
            and text[start - 2 : start] not in ("可能", "或许", "也许")
        ):
            return None
    strength = 3 if wrapped and before in "*[({$`" else _led(low, start)
    if _alone(text, start, end):
        strength = 3
    if not strength or (option < 0 and strength < 3):
        return None
    if not options.latin and strength < 2 and not wrapped and not _noun(text, start):
        return None
    found = _judged(clue, place, strength)
    if strength == 1 == found.strength and found.stance == "said" and options.latin and _SUBJECT.match(low, end):
        return found._replace(stance="weighed")
    return found


_SUBJECT = re.compile(
    r"[*_)\]\"']{0,3} (?:is (?!the |more |less |better |worse |[a-z]+ly |[a-z]+[.,;!]|[a-z]+$)|sounds|has|was|will|would|had|gets|says|states|refers|means|claims|or not)"
)
"""A letter of which only something is said."""


def _noun(text: str, start: int) -> bool:
    return bool(
        re.search(
            r"(?:option|choice|answer|statement|选项|選項)s?[\s(*]{0,3}$", text[max(0, start - 14) : start].lower()
        )
    )


def _alone(text: str, start: int, end: int) -> bool:
    """Whether nothing but marks stands on the line beside text[start:end]."""
    left, right = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    right = len(text) if right < 0 else right
    if right - left > 40:
        return False
    return not text[left:start].strip(EDGES + ".:-") and not text[end:right].strip(EDGES + ".:;,!。")


def _led(low: str, start: int) -> int:
    """How firmly what stands before `start` leads up to an option; 0 where it makes a name of it."""
    window = low[max(0, start - WINDOW) : start]
    bare = window.rstrip(EDGES)
    if window.rstrip().endswith("~~"):
        return 1
    if bare.endswith(_SO):
        return 2
    if not bare or bare[-1] in ".;:!?\n,/&+-=>→。，、；：！？":
        return 2 if bare and bare[-1] in "=>→:" else 1
    if _HAN.match(bare[-1]):
        if bare.endswith(("因为", "因為")):
            return 1
        return 2 if bare[-1] in "选選是为為故" else 1
    words = WORDS.findall(bare[-24:])
    last = words[-1] if words else ""
    if last == "a" and (len(words) < 2 or words[-2] in ("a", "b", "c", "d")):
        return 0
    if not bare[-1].isalnum():
        return 2 if bare[-1] in "✅✔✓👉➡" else 1
    if last in _GO_ON and len(words) > 1 and words[-2] in GO:
        return 2
    lead = next((word for word in reversed(words) if word not in ARTICLES), last)
    if last in STRONG_LEADS or lead in STRONG_LEADS or (last.endswith("ly") and len(last) > 4):
        return 2
    return 1 if last in LEADS or bare[-1].isdigit() else 0


def _judged(clue: Clues, place: Named, strength: int) -> Mention:
    """`place` with its stance, from the clause before it and the words behind it."""
    start, end, option, kind = place
    strength = strength or (1 if kind != "label" else 0)
    low = clue.low
    if clue.plain and (strength > 3 or kind != "text" or _REASONS.isdisjoint(clue.words)):
        if end >= clue.end or low[end] in ".,;!\n":
            return Mention(start, end, option, kind, strength, "said")
        if SAID_AFTER.match(low, end):
            return Mention(start, end, option, kind, max(strength, 3), "said")
        if low.find("option", end) < 0:
            return Mention(start, end, option, kind, strength, "said")
    window = low[max(0, start - WINDOW) : start]
    if any(word in window for word in _EXCEPT) and EXCEPT_BEFORE.search(window):
        skipped = EXCEPT_AFTER.match(low, end)
        behind = skipped.end() if skipped else end
        if DENIED_AFTER.match(low, behind):
            return Mention(start, end, option, kind, 3, "said")
        said = bool(re.search(r"\b(?:no|none|nothing|nobody)\b", window[-40:]))
        return Mention(start, end, option, kind, 3, "said" if said else "denied")
    behind = end < clue.end and low[end] not in ".,;!"
    if behind and clue.refutes and DENIED_AFTER.match(low, end):
        return Mention(start, end, option, kind, strength, "denied")
    if head := headed(low, start):
        return Mention(start, end, option, kind, strength, head)
    clause, words = clause_at(low, start)
    if denies(clue, start, clause, words):
        return Mention(start, end, option, kind, strength, "denied")
    if behind and SAID_AFTER.match(low, end):
        doubted = weighs(clue, clause, words) == "weighed" or _asked(low, end)
        return Mention(start, end, option, kind, max(strength, 3), "weighed" if doubted else "said")
    if ("(" in window and _ASIDE.search(low[max(0, start - 40) : start])) or (
        kind == "label" and words[-1:] == ["was"]
    ):
        return Mention(start, end, option, kind, strength, "weighed")
    if (
        kind == "text"
        and strength < 4
        and "," in low[end : end + 40]
        and _GIVEN.match(clause)
        and "," in low[end : end + 40].split(".")[0]
    ):
        return Mention(start, end, option, kind, strength, "weighed")
    asked = WEIGHED_AFTER.match(low, end)
    if asked:
        agreed = _AGREED.match(low, asked.end())
        guessed = (
            asked.group()[-1] == "?"
            and clause.lstrip().split(" ", 1)[0] not in INVERTED
            and weighs(clue, clause, words)
        )
        return Mention(start, end, option, kind, strength, "said" if agreed else guessed or "weighed")
    only_asked = strength < 3 and _asked(low, end)
    return Mention(
        start, end, option, kind, strength, weighs(clue, clause, words) or ("weighed" if only_asked else "said")
    )


def _asked(low: str, end: int) -> bool:
    """Whether the sentence that goes on at `end` is a question that is not at once answered with yes."""
    if low.find("?", end, end + 40) < 0:
        return False
    mark = _MARK.search(low, end, end + 40)
    return bool(mark and mark.group() == "?" and not _AGREED.match(low, mark.start()))


_MARK = re.compile(r"[.!?\n。！]")
