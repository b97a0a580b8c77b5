"""Text that came from a model or a file, made safe to look at.

Whatever a model writes is shown, nothing it writes may act: control characters, escape sequences of
terminals, marks that turn the direction of writing, and characters without width become visible
escapes; what is too long is clipped, and the number of characters left out is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ELLIPSIS = "…"

_HIDDEN = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: terminal escapes start here
    "\u00ad\u061c\u180e\u200b\u200e\u200f"  # soft hyphen, direction marks, zero-width space
    "\u2028-\u202e\u2060-\u206f\ufeff"  # separators, embeddings, overrides, isolates, BOM
    "\ufff9-\uffff\ud800-\udfff"  # interlinear marks, non-characters, lone surrogates
    "\U000e0000-\U000e0fff"  # tags: text that cannot be seen
)
_UNSAFE = re.compile(f"[{_HIDDEN}]")
_UNSAFE_BUT_LINES = re.compile(f"(?![\n\t])[{_HIDDEN}]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def escape(character: str) -> str:
    r"""The visible form of one character.

    >>> print(escape("\x1b"), escape("\u202e"), escape("\n"))
    \x1b \u202e \n
    """
    return character.encode("unicode_escape").decode("ascii")


def clean(text: str) -> str:
    r"""One line, with everything that cannot be seen, or that could act, as a visible escape.

    >>> print(clean("red: \x1b[31m, two\nlines, \u202eturned"))
    red: \x1b[31m, two\nlines, \u202eturned
    """
    return _UNSAFE.sub(lambda match: escape(match[0]), text)


def clean_lines(text: str) -> str:
    r"""As `clean`, with line ends and tabs left standing.

    >>> print(clean_lines("a\r\nb\x00"))
    a
    b\x00
    """
    return _UNSAFE_BUT_LINES.sub(lambda match: escape(match[0]), text.replace("\r\n", "\n"))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    r"""The parts of `clean_lines(text)`, each with whether it stands for something that cannot be seen.

    >>> list(pieces("a\x00b"))
    [('a', False), ('\\x00', True), ('b', False)]
    """
    text, start = text.replace("\r\n", "\n"), 0
    for match in _UNSAFE_BUT_LINES.finditer(text):
        if match.start() > start:
            yield text[start : match.start()], False
        yield escape(match[0]), True
        start = match.end()
    if start < len(text):
        yield text[start:], False


def turns(text: str) -> bool:
    """Whether `text` holds letters that run from right to left, and so must be kept apart.

    >>> turns("שלום"), turns("hello")
    (True, False)
    """
    return _RIGHT_TO_LEFT.search(text) is not None


def clip(text: str, limit: int) -> tuple[str, int]:
    """The first `limit` characters, and how many were left out.

    >>> clip("abcdef", 4), clip("abc", 4)
    (('abcd', 2), ('abc', 0))
    """
    return (text, 0) if len(text) <= limit else (text[:limit], len(text) - limit)


def clip_middle(text: str, head: int, tail: int) -> tuple[str, str, int]:
    """Beginning, end, and how many characters between them were left out.

    >>> clip_middle("abcdefgh", 2, 3), clip_middle("abc", 2, 3)
    (('ab', 'fgh', 3), ('abc', '', 0))
    """
    if len(text) <= head + tail:
        return text, "", 0
    return text[:head], text[len(text) - tail :], len(text) - head - tail


def short(text: str, limit: int) -> str:
    """One clean line of at most `limit` characters, an ellipsis included.

    >>> short("a long name", 6), short("name", 6)
    ('a lon…', 'name')
    """
    line = clean(text[: limit + 1])
    return line if len(line) <= limit else line[: max(0, limit - 1)] + ELLIPSIS


def slug(*parts: str) -> str:
    """An id for a link, the same for the same parts and different for different ones.

    >>> slug("cell", "c007"), slug("cell", "温度 1")
    ('cell-c007', 'cell-_6e29__5ea6__20_1')
    """
    return "-".join(re.sub(r"[^A-Za-z0-9.]", lambda match: f"_{ord(match[0]):x}_", part) for part in parts)
