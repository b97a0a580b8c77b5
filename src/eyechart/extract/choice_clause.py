"""The clause before an option: whether it denies what follows, only considers it, or only supposes something."""

from __future__ import annotations

import re
from typing import Literal

from eyechart.extract.choice_clues import Clues
from eyechart.extract.choice_menu import Stance
from eyechart.extract.choice_signs import HAN_DENIED, HEDGES, NEGATIVE, WEIGHING

EDGES = "*_`\"'()[]{}$<>#~|「」『』《》【】 \t"
"""Marks around an option within a sentence."""
WINDOW = 64
"""Characters of a clause that are looked at."""
WORDS = re.compile(r"[^\W\d_][\w'’]*")
_STOP = re.compile(r".*(?:[.;:!?\n,()→。，、但]| (?:but|however|instead|aber|mais|pero|mas?) |而是)", re.DOTALL)
"""Up to the last mark or word that begins another clause."""
_STILL = ("only", "just", "doubt", "nur", "solo")
_NO_WITH = ("es", "son", "puede", "la", "el", "option")
_OTHERS = re.compile(
    r"\b(?:students|people|many|most|some|others|beginners|candidates|learners|you might|one might|they|everyone|everybody|someone|somebody|users?|student|friend|teacher|classmate|colleague)\b(?: \w+){0,2}"
    r" (?:cho(?:ose|se)|pick(?:ed)?|sa(?:y|id)|th(?:ink|ought)|select(?:ed)?|answer(?:ed)?|go for|went for|assume[d]?|believe[d]?|guess(?:ed)?|fall for|mark(?:ed)?)s?\b"
)
"""Somebody else's choice."""
_ORDERED = re.compile(r"\b(?:mark|grade|score|count|accept|treat) (?:this|it|me|my (?:answer|response))\b")
"""Said to whoever grades."""
_THEIRS = frozenset(
    [
        "students",
        "people",
        "many",
        "most",
        "some",
        "others",
        "beginners",
        "candidates",
        "learners",
        "might",
        "they",
        "everyone",
        "everybody",
        "someone",
        "somebody",
        "user",
        "users",
        "student",
        "friend",
        "teacher",
        "classmate",
        "colleague",
        "mark",
        "grade",
        "score",
        "count",
        "accept",
        "treat",
    ]
)
"""One of these is in whatever either of them matches."""
_CONDITION = re.compile(
    r"\b(?:if|had|wenn|si|se|если)\b[^.!?\n]{3,80}\b(?:would|could|were|wäre|serait|sería|seria)\b|如果|假如"
)
_FORMAT = re.compile(
    r"(?:^|[.!?\n:] ?)(?:(?:please |then )?(?:(?P<told>respond|reply)|answer|output|return|use|write|end|finish|give)|(?P<yours>(?:the last line of )?your))"
    r"\b[^.!?\n]{0,60}\b(?:format|form|template)\b(?:[ :*_\"'`(]|(?(told)\n|(?(yours)\n|(?!)))){0,6}$"
)
"""The instruction how to answer, repeated."""
_IF = frozenset(("if", "had", "wenn", "si", "se"))
_FORMATS = frozenset(("format", "form", "template"))
_IFS = ("如果", "若", "假设", "虽然", "起初", "一开始", "最初", "考虑", "看似")
_NOT_IT = re.compile(
    r"rul(?:e[sd]?|ing) out|rather than|instead of|not the|no way|no circumstances|steer clear of|stay away from|beware of|avoid|cross(?:ed|ing)? out|strike"
)


def supposed(clue: Clues, start: int) -> Literal["weighed"] | None:
    """Whether the sentence that announces an answer at `start` only supposes something."""
    low = clue.low
    window = low[max(0, start - 120) : start]
    if not clue.words.isdisjoint(_FORMATS) and _FORMAT.search(window):
        return "weighed"
    if (low.isascii() and _IF.isdisjoint(clue.words)) or not window.strip():
        return None
    sentence = window[max(window.rfind(stop) for stop in (". ", "\n", "! ", "? ")) + 1 :]
    return "weighed" if _CONDITION.search(sentence + low[start : start + 24]) else None


def clause_at(low: str, start: int) -> tuple[str, list[str]]:
    """What stands before `start` in its clause, at most `WINDOW` characters, and its last words."""
    window = low[max(0, start - WINDOW) : start].rstrip(EDGES) + " "
    stop = _STOP.match(window)
    clause = window[stop.end() :] if stop else window
    return clause, WORDS.findall(clause)[-8:]


def denies(clue: Clues, start: int, clause: str, words: list[str]) -> bool:
    if not clue.denies:
        return False
    low = clue.low
    if "whether" in words:
        words = words[words.index("whether") + 1 :]
    if not NEGATIVE.isdisjoint(words):
        for i, word in enumerate(words):
            following = words[i + 1] if i + 1 < len(words) else ""
            sure = word == "doubt" and ("no" in words[:i] or "without" in words[:i])
            none = word != "no" or following in _NO_WITH or (not following and low[start + 1 : start + 2].isalpha())
            if word in NEGATIVE and none and not sure and following not in _STILL:
                return True
    if clause.rstrip(EDGES)[-1:] in ("❌", "✗", "✘"):
        return True
    if _NOT_IT.search(clause, max(0, len(clause) - 26)):
        return True
    return not low.isascii() and HAN_DENIED.search(low[max(0, start - 24) : start]) is not None


def weighs(clue: Clues, clause: str, words: list[str]) -> Stance | None:
    """Whether the clause before an option only considers it, or puts it forward with a hedge."""
    if not clue.weighs:
        return None
    if (
        not WEIGHING.isdisjoint(words)
        or "at first" in clause
        or "is it" in clause[:6]
        or (
            len(words) > 1
            and (len(words) > 7 or not _THEIRS.isdisjoint(words))
            and (_OTHERS.search(clause) or _ORDERED.search(clause))
        )
        or clause.rstrip().endswith(_IFS)
    ):
        return None if "forced" in words or "pressed" in words or "must" in words else "weighed"
    return None if HEDGES.isdisjoint(words) else "hedged"
