"""The one catalogue of words, in English and Chinese, and the way texts become words.

>>> from eyechart.report.blocks import message
>>> say(message("count.setups.many", n=3), "en"), say(message("count.setups.many", n=3), "zh")
('3 set-ups', '3 种配置')
>>> say("what a model wrote\\x1b[0m", "zh")
'what a model wrote\\\\x1b[0m'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from string import Formatter

from eyechart.core.words import Message, Text
from eyechart.report.messages import (
    en,
    en_audit,
    en_determinism,
    en_diff,
    en_difficulty,
    en_doctor,
    en_explained,
    en_flips,
    en_gate,
    en_goals,
    en_graders,
    en_history,
    en_judges,
    en_pairs,
    en_pictures,
    en_probes,
    en_rank,
    en_rules,
    en_statistics,
    zh,
    zh_audit,
    zh_determinism,
    zh_diff,
    zh_difficulty,
    zh_doctor,
    zh_explained,
    zh_flips,
    zh_gate,
    zh_goals,
    zh_graders,
    zh_history,
    zh_judges,
    zh_pairs,
    zh_pictures,
    zh_probes,
    zh_rank,
    zh_rules,
    zh_statistics,
)
from eyechart.report.messages.known import HOW_EN, HOW_ZH, WHY_EN, WHY_ZH, recognised
from eyechart.report.text import clean

EN: Mapping[str, str] = {
    **en.EN,
    **en_statistics.EN,
    **en_goals.EN,
    **en_graders.EN,
    **en_history.EN,
    **en_flips.EN,
    **en_gate.EN,
    **en_judges.EN,
    **en_pictures.EN,
    **en_probes.EN,
    **en_rank.EN,
    **en_rules.EN,
    **en_difficulty.EN,
    **en_pairs.EN,
    **en_explained.EN,
    **en_determinism.EN,
    **en_doctor.EN,
    **en_diff.EN,
    **en_audit.EN,
    **WHY_EN,
    **HOW_EN,
}
ZH: Mapping[str, str] = {
    **zh.ZH,
    **zh_statistics.ZH,
    **zh_goals.ZH,
    **zh_graders.ZH,
    **zh_history.ZH,
    **zh_flips.ZH,
    **zh_gate.ZH,
    **zh_judges.ZH,
    **zh_pictures.ZH,
    **zh_probes.ZH,
    **zh_rank.ZH,
    **zh_rules.ZH,
    **zh_difficulty.ZH,
    **zh_pairs.ZH,
    **zh_explained.ZH,
    **zh_determinism.ZH,
    **zh_doctor.ZH,
    **zh_diff.ZH,
    **zh_audit.ZH,
    **WHY_ZH,
    **HOW_ZH,
}
LONGEST = 400
"""Characters of a sentence that is looked up; a longer one is a stranger's."""
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


@cache
def _judged() -> tuple[tuple[str, re.Pattern[str]], ...]:
    keys = [key for key in EN if key.rpartition(".")[0] == "judges.said"]
    return tuple(
        (key, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(EN[key])), re.DOTALL)) for key in keys
    )


def in_words(text: str) -> Text:
    """What an audit of a judge says in English, by its key where the catalogue has it word for word; else as it is.

    >>> in_words("the first slot").key, say(in_words("12 verdicts are ties, which the joint model leaves out"), "zh")
    ('judges.said.first', '12 个判定为平局，联合模型未计入')
    >>> in_words("a model's name")
    "a model's name"
    """
    if len(text) > LONGEST:
        return text
    for key, pattern in _judged():
        if found := pattern.fullmatch(text):
            return Message(key, tuple(found.groupdict().items()))
    return recognised(text)


__all__ = ["CATALOGUE", "EN", "ZH", "Message", "in_words", "knows", "say"]
