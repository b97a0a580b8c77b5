"""What a text holds at all of the words and marks by which an option is denied or weighed: looked for once.

Most answers hold none of them, and need not be asked at every option what stands around it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from eyechart.extract.choice_signs import HEDGES, NEGATIVE, WEIGHING, wordset

_RUNS = re.compile(r"[a-z]+")
_ANY_RUNS = re.compile(r"[^\W\d_]+")
_BEHIND = "*_`()[]{}$\"'<>#~|.,:;!。，、！：；「」『』《》【】 \t\n\\"
_ODD = re.compile(
    r"[×\u2190-\u2bff]|неверн|неправ"
    r"|(?![الجوابإةاهصيحنئأ\u0909\u0924\u094d\u0930\u091c\u0935\u093e\u092c\u0939\u0948\u0938\u0940])[\u0590-\u1fff]"
    r"|[不並并非误誤错錯排没沒勿别別否除若虽雖假违違間な틀오아]|では|じゃ|ません|如果|一开始|一開始|最初|起初|考虑|考慮|看似"
)
"""Marks; Chinese, Japanese and Korean that may deny; any Arabic or Hindi but the letters of an announcement."""


def _heads(words: frozenset[str]) -> frozenset[str]:
    """The longest run of letters of each: `don` of `don't`."""
    return frozenset(max(_ANY_RUNS.findall(word), key=len) for word in words)


_DENY = _heads(NEGATIVE) | wordset(
    """rule ruled rules ruling rather instead way circumstances steer stay beware avoid avoidance avoided avoiding avoids
    cross crossed crossing strike strikes"""
)
_REFUTE = wordset(
    """wrong incorrect false untrue out ruled eliminated excluded invalid impossible inaccurate mistake mistaken error
    errors trap traps misconception misconceptions least worst not unlikely rejected falsch nicht faux fausse incorrecte
    incorrecto incorrecta falso falsa errado errada errato errata sbagliato sbagliata salah isn aren wasn doesn don cannot
    can couldn won wouldn does do did didn could would fail fails contradicts no non nein pas discarded dismissed
    discounted não не нет"""
)
_WEIGH = (
    _heads(WEIGHING)
    | HEDGES
    | wordset(
        """students people many most some others beginners candidates learners might they everyone everybody
    someone somebody user users student friend teacher classmate colleague mark grade score count accept treat"""
    )
)
_STIR = wordset(
    """although apart aside besides but candidate circumstances close common contender distract distractor
    distractors distracting drop earlier example except expected failed first form format g ground grader had however if initial initially
    instance key longer makes may near nd next nope official original originally other partial partially partly plausible
    popular possibility possible possibly preliminary previous rd reference remove runner sample se template second see si stay tempting
    tentative third though unless vs was wenn without yet cf если не нет"""
) | (_DENY | _REFUTE | _WEIGH)


class Clues(NamedTuple):
    """A text in lower case and what was found in it."""

    low: str
    words: frozenset[str]
    """Its runs of letters."""
    plain: bool
    """Whether nothing in it denies or weighs: what is named is said."""
    end: int
    """Behind this place stand only marks."""
    denies: bool
    """Whether it may hold a word that denies what follows it."""
    refutes: bool
    """Whether it may hold a word that denies what stands before it."""
    weighs: bool
    """Whether it may hold a word that only considers what follows it."""


def words_in(low: str) -> frozenset[str]:
    """The runs of letters in `low`, which is in lower case.

    >>> sorted(words_in("it isn't b2"))
    ['b', 'isn', 'it', 't']
    """
    return frozenset((_RUNS if low.isascii() else _ANY_RUNS).findall(low))


def clues(low: str) -> Clues:
    """
    >>> [clues(text).plain for text in ("the answer is b.", "it is not b", "答案是b", "不选b", "b?")]
    [True, False, True, False, False]
    """
    words = words_in(low)
    end = len(low.rstrip(_BEHIND))
    odd = not low.isascii() and _ODD.search(low) is not None
    if words.isdisjoint(_STIR) and not odd and "?" not in low and "~~" not in low and "[" not in low:
        return Clues(low, words, "is it" not in low, end, False, False, "is it" in low)
    wide = not low.isascii()
    return Clues(
        low,
        words,
        False,
        end,
        wide or not words.isdisjoint(_DENY),
        wide or not words.isdisjoint(_REFUTE),
        wide or not words.isdisjoint(_WEIGH) or "at first" in low or "is it" in low,
    )
