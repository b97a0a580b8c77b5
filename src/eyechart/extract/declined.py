"""Why a text holds no answer: it refuses, it does not know, it goes round in circles, or it only begins."""

from __future__ import annotations

import re
from functools import lru_cache

from eyechart.core.records import Outcome

_HEAD = 400
"""Characters looked at: whoever refuses says so at once."""

_REFUSAL = re.compile(
    r"\b(?:i['’]?m|i am|we['’]?re|we are) (?:very |so |really |truly )?(?:sorry|afraid|unable|not (?:able|allowed|permitted|in a position|comfortable|going))\b"
    r"|\b(?:i|we) (?:really )?(?:can ?not|can['’]?t|won['’]?t|will not|am unable to|must (?:decline|refuse)|(?:respectfully )?(?:decline|refuse)|shouldn['’]?t|should not)\b(?! (?:be (?:\d+ ?% |entirely |completely |fully |absolutely )?(?:sure|certain)|tell|say for sure|determine|decide|find|(?:pick|choose|select|accept|justify|endorse|recommend|go with|agree with) (?:option )?\(?[a-p]\)?(?:[.,;!]| because| since|$)))"
    r"|^\W{0,4}(?:my apologies|apologies|sorry)\b|\bas an ai\b|\bagainst (?:my|the|our) (?:policy|policies|guidelines|programming)\b"
    r"|抱歉|对不起|對不起|很遗憾|无法(?:回答|提供|协助|帮助|满足|完成)|無法(?:回答|提供|協助)|不能(?:回答|提供|协助|帮助|帮你)|作为(?:一个|一名)?(?:AI|人工智能)|拒绝回答|我无法|我不能"
    r"|\b(?:es tut mir leid|tut mir leid|ich kann (?:das|dir|ihnen|diese)|je suis désolée?|je ne peux pas|désolée?|lo siento|no puedo|me desculpe|desculpe|não posso|mi dispiace|non posso|maaf|saya tidak (?:bisa|dapat))\b"
    r"|申し訳|お答えできません|できません|죄송|할 수 없습니다|извините|к сожалению|я не могу|عذر|آسف|لا أستطيع|क्षमा|माफ़",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:i|we) (?:do not|don['’]?t|really don['’]?t|honestly don['’]?t) (?:know|have (?:enough|an answer|the answer|any idea|a clue)|recall|remember)\b"
    r"|\b(?:i['’]?m|i am|we are|we['’]?re) (?:not sure|unsure|uncertain|not certain)\b|\bno (?:idea|clue)\b|\bnot enough information\b|\bunknown\b|\b(?:i|we) (?:really |honestly )?(?:can ?not|can['’]?t) (?:be (?:\d+ ?% |entirely |completely |fully |absolutely )?(?:sure|certain)|tell|say|determine|decide)\b"
    r"|\bi give up\b|\bidk\b|\bn/a\b|不知道|不清楚|不确定|不確定|无从得知|说不准|不晓得"
    r"|\b(?:weiß (?:ich|es) nicht|ich weiß (?:es )?nicht|keine ahnung|je ne sais pas|no (?:lo )?sé|não sei|non (?:lo )?so|tidak tahu)\b"
    r"|わかりません|分かりません|知りません|모르겠|не знаю|لا أعرف|नहीं (?:पता|जानता|मालूम)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")
_LOOPS = 4
"""As often as a phrase comes back to back before it is called a loop."""


@lru_cache(maxsize=64)
def declined(text: str) -> tuple[Outcome, str] | None:
    """Why `text`, in which no answer was found, holds none; None where it might.

    >>> declined("I'm sorry, but I can't help with that.")
    (<Outcome.REFUSED: 'refused'>, 'refuses to answer')
    >>> declined("我不知道。")[1], declined(" \\n")[1], declined("Wait, no. " * 9)[1]
    ('does not know', 'empty answer', 'goes round in circles')
    >>> declined("The capital is Paris.") is None
    True
    """
    if not text.strip():
        return Outcome.UNPARSEABLE, "empty answer"
    head = text.strip()[:_HEAD]
    if _UNSURE.search(head):
        return Outcome.UNPARSEABLE, "does not know"
    if _REFUSAL.search(head):
        return Outcome.REFUSED, "refuses to answer"
    if not _WORDS.search(head):
        return Outcome.UNPARSEABLE, "nothing but marks"
    if loops(text):
        return Outcome.UNPARSEABLE, "goes round in circles"
    return None


def loops(text: str) -> bool:
    """Whether the end of `text` is one phrase again and again.

    >>> loops("Let me think. Let me think. Let me think. Let me think."), loops("No, no, no."), loops("1, 2, 3, 4, 5")
    (True, False, False)
    """
    words = _WORDS.findall(text[-_HEAD * 5 :].lower())
    for size in range(2, min(40, len(words) // _LOOPS) + 1):
        tail = words[-size:]
        if all(words[-size * (k + 1) : -size * k] == tail for k in range(1, _LOOPS)):
            return True
        off = words[-size - 1 : -1]  # the last word may be the first of the next round
        if len(words) > size * _LOOPS and all(
            words[-size * (k + 1) - 1 : -size * k - 1] == off for k in range(1, _LOOPS)
        ):
            return True
    return False
