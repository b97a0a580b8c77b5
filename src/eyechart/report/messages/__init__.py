"""The one catalogue of words, in English and Chinese, and the way texts become words.

>>> from eyechart.report.blocks import message
>>> say(message("count.setups.many", n=3), "en"), say(message("count.setups.many", n=3), "zh")
('3 set-ups', '3 种配置')
>>> say("what a model wrote\\x1b[0m", "zh")
'what a model wrote\\\\x1b[0m'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from string import Formatter

from eyechart.report.blocks import Message, Text
from eyechart.report.messages import en, en_graders, en_statistics, zh, zh_graders, zh_statistics
from eyechart.report.messages.known import WHY_EN, WHY_ZH
from eyechart.report.text import clean

EN: Mapping[str, str] = {**en.EN, **en_statistics.EN, **en_graders.EN, **WHY_EN}
ZH: Mapping[str, str] = {**zh.ZH, **zh_statistics.ZH, **zh_graders.ZH, **WHY_ZH}
CATALOGUE: Mapping[str, Mapping[str, str]] = {"en": EN, "zh": ZH}


def knows(key: str) -> bool:
    return key in EN


def _same(text: str) -> str:
    return text


@cache
def _parsed(language: str, key: str) -> tuple[tuple[str, str | None], ...]:
    return tuple((words, name) for words, name, _, _ in Formatter().parse(CATALOGUE[language][key]))


def say(text: Text, language: str, raw: Callable[[str], str] = clean, words: Callable[[str], str] = _same) -> str:
    """`text` in `language`. `raw` is put on what is shown as it is, `words` on what comes from the catalogue.

    KeyError for a key that the catalogue lacks, or a parameter that the words ask for and `text` lacks.
    """
    if isinstance(text, str):
        return raw(text)
    params = dict(text.params)
    parts: list[str] = []
    for literal, name in _parsed(language, text.key):
        parts.append(words(literal))
        if name is not None:
            parts.append(say(params[name], language, raw, words))
    return "".join(parts)


__all__ = ["CATALOGUE", "EN", "ZH", "Message", "knows", "say"]
