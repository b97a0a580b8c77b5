"""What of a long or marked-up text is looked at for an option, and what stands before the place where it breaks off."""

from __future__ import annotations

import re

_TAGS = re.compile(
    r"</?(?:b|i|u|em|strong|p|div|span|code|pre|output|response|result|reply|h[1-6]|li|ul|ol|br|mark|td|tr|table) ?/?>|<!--[^>]{0,200}-->"
    r"|<think(?:ing)?>[^<]{0,2000}</think(?:ing)?>",
    re.IGNORECASE,
)
"""Markup that says nothing about the answer, and comments."""
_FORMAT = re.compile(r"(?<![^\W_])[A-P](?: ?\| ?[A-P]){2,}(?![^\W_])")
"""The labels of the format asked for: `{"answer": "A|B|C|D"}`."""
HEAD, TAIL = 2_000, 8_000
_SHORT = 60
"""Characters of the longest text that is an answer and not a working."""
_GOES_ON = (
    "so", "therefore", "thus", "hence", "next", "then", "now", "finally", "because", "since", "step", "answer", "but", "however",
    "wait", "actually", "no", "or", "the answer", "the correct", "my answer", "final", "let", "first", "second",
)  # fmt: skip
"""How a sentence begins that concludes from the last one, takes it back, or only now comes to the answer."""


def seen(text: str) -> str:
    """`text` with its middle blanked where it is very long: nobody answers there, and all stays where it is."""
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + "\n" + " " * (len(text) - HEAD - TAIL - 1) + text[-TAIL:]
    if "<" in text:
        bare = _TAGS.sub(lambda match: " " * len(match.group()), text)
        text = bare if bare.strip() else text
    if "|" in text:
        text = _FORMAT.sub(lambda match: " " * len(match.group()), text)
    return text


def said_first(text: str) -> tuple[str, str]:
    """The first line, where more follows, and all up to the last whole sentence, where a fragment follows that takes up
    nothing of it; each only where it is short, empty where it is not.

    >>> said_first("Positive\\n\\nThe answer is"), said_first("Very positive. The")
    (('Positive', ''), ('', 'Very positive.'))
    >>> said_first("B is London. So"), said_first("B."), said_first("Is it B? The")
    (('', ''), ('', ''), ('', ''))
    """
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    line = text[:end] if 0 <= end - start <= _SHORT else ""
    stop = max(text.rfind(mark) for mark in (". ", ".\n", "! ", "!\n", "\n", "。")) + 1  # 12.5 ends no sentence
    head, tail = text[:stop], text[stop:].strip(" \t*_#>-").lower()
    alone = head.strip()
    if not tail or not alone or len(alone) > _SHORT or tail.startswith(_GOES_ON) or "?" in head or " or " in head:
        return line, ""
    return line, head.rstrip() if alone[-1] in ".!。" else ""
