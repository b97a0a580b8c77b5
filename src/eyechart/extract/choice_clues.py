"""What a text holds at all of the words and marks by which an option is denied or weighed: looked for once.

Most answers hold none of them, and need not be asked at every option what stands around it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from eyechart.extract.choice_signs import HEDGES, NEGATIVE, WEIGHING

_RUNS = re.compile(r"[a-z]+")
_ANY_RUNS = re.compile(r"[^\W\d_]+")
_BEHIND = "*_`()[]{}$\"'<>#~|.,:;!。，、！：；「」『』《》【】 \t\n\\"
_ODD = re.compile(
    r"[×\u2190-\u2bff]|неверн|неправ"
    r"|(?![الجوابإةاهصيحنئأ\u0909\u0924\u094d\u0930\u091c\u0935\u093e\u092c\u0939\u0948\u0938\u0940])[\u0590-\u1fff]"
    r"|[不並并非误誤错錯排没沒勿别別否除若虽雖假违違間な틀오아]|では|じゃ|ません|如果|一开始|一開始|最初|起初|考虑|考慮|看似"
)
"""Marks; Chinese, Japanese and Korean that may deny; any Arabic or Hindi but the letters of an announcement."""

_STIR = frozenset(
    """abord accept ain although apart aren aside avoid avoidance avoided avoiding avoids beginners besides beware
    but can candidate candidates circumstances close common contender contradicts could couldn count cross crossed
    crossing cf did didn discarded discounted dismissed distract distractor distractors distracting do does doesn don
    earlier errada errado errata errato error errors everyone example except expected fail failed fails false falsa falso
    falsch fausse faux first g grade grader ground had hardly however if impossible inaccurate incorrect incorrecta
    incorrecte incorrecto initial initially instance instead invalid irrelevant isn key learners least longer makes many
    mark may might misconception misconceptions mistake mistaken most near nd nein next nicht no non nope not official
    original originally other others out partial partially partly pas people plausible popular possibility possible possibly preliminary previous rather
    rd reference rejected rule ruled rules ruling runner salah sample sbagliata sbagliato score se second see
    shouldn si some stay steer strike strikes students tempting tentative they third though trap traps treat unless unlikely
    untrue vs was wasn way wenn whether without won worst would wouldn wrong yet если не нет""".split()
) | {word for signs in (NEGATIVE, WEIGHING, HEDGES) for word in signs if _ANY_RUNS.fullmatch(word)}


class Clues(NamedTuple):
    """A text in lower case and what was found in it."""

    low: str
    words: frozenset[str]
    """Its runs of letters."""
    plain: bool
    """Whether nothing in it denies or weighs: what is named is said."""
    end: int
    """Behind this place stand only marks."""


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
    plain = (
        words.isdisjoint(_STIR)
        and "?" not in low
        and "~~" not in low
        and "[" not in low
        and "is it" not in low
        and (low.isascii() or _ODD.search(low) is None)
    )
    return Clues(low, words, plain, len(low.rstrip(_BEHIND)))
