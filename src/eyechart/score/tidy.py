"""Postprocesses: plain functions of text, put on the answer and on the gold one alike."""

from __future__ import annotations

import re
import string

_MARKS = ".,;:!?'\"()[]{}<>*_`-" + "…。，、；：！？“”‘’«»「」『』（）【】《》–—"
_LEFT = re.compile(rf"(?:(?![-+]?\.?[0-9])(?:[{re.escape(_MARKS)}]|\s))*")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def none(text: str) -> str:
    """The text as it stands.

    >>> none(" Paris. ")
    ' Paris. '
    """
    return text


def strip(text: str) -> str:
    """Without white space at its ends.

    >>> strip(" Paris. ")
    'Paris.'
    """
    return text.strip()


def lowercase(text: str) -> str:
    """In lower case, white space and punctuation as they stand.

    >>> lowercase("Paris.")
    'paris.'
    """
    return text.lower()


def strip_punc(text: str) -> str:
    """Without punctuation and white space at its ends; what stands inside stays.

    A sign or point before a number stays, and so do `% $ + # / = ~ ^`, so that neither -5 becomes 5
    nor 3.14 becomes 314 nor C++ becomes C. Removing all punctuation, as SQuAD does, makes them equal.

    >>> strip_punc(" **St. John's**. "), strip_punc("(-5)"), strip_punc(".5!"), strip_punc("C++")
    ("St. John's", '-5', '.5', 'C++')
    """
    match = _LEFT.match(text)
    end = len(text)
    while end and (text[end - 1] in _MARKS or text[end - 1].isspace()):
        end -= 1
    return text[match.end() if match else 0 : end]


def strip_punctuation_and_lowercase(text: str) -> str:
    """`strip_punc`, then lower case.

    >>> strip_punctuation_and_lowercase("“Paris!”")
    'paris'
    """
    return strip_punc(text).lower()


def squad(text: str) -> str:
    """As SQuAD's evaluation script: lower case, no ASCII punctuation, no a, an, the, single spaces.

    Faithful, mistakes included: `3.14` and `314` become one, `-5` and `5` too, and nothing is left of
    `A` (the scorers never take nothing for an answer). Source: Rajpurkar et al. (2016).

    >>> squad("The  cat's, a pet!"), squad("3.14"), squad("A")
    ('cats pet', '314', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def lm_eval_gsm8k(text: str) -> str:
    """What GSM8K in lm-evaluation-harness leaves out on both sides: commas, dollar signs, all up to the last
    `#### `, one full stop at the end; then lower case.

    `$29.00.` is `29.00` then, which is not the text `29`: the harness compares texts.
    Source: `regexes_to_ignore` and `ignore_case` of its gsm8k.yaml.

    >>> lm_eval_gsm8k("#### $1,234."), lm_eval_gsm8k("$29.00.")
    ('1234', '29.00')
    """
    text = text.replace(",", "").replace("$", "")
    text = text[text.rfind("#### ") + 5 :] if "#### " in text else text
    return text.removesuffix(".").lower()
