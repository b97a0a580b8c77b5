"""Which of the judged answers an edit changes, and in what language it speaks.

A judged item holds `output_a` and `output_b`, or one `output`. Where `fields["swapped"]` is true, content b stands in
`output_a`. An edit notes the content it changed in `fields["probed"]`, so that the note stays right when the two are swapped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from eyechart.core.records import Item
from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

Side = Literal["a", "b", "random"]
Fair = Literal["none", "down"]
"""Which way a fair judge moves: not at all, or against the answer that was changed."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_SENTENCE = re.compile(r"(?:[^.?!。！？\n]|[.?!](?=\S))+[.?!。！？]*")


def pairwise(item: Item) -> bool:
    """Whether `item` holds two answers as text."""
    return all(isinstance(item.fields.get(key), str) for key in ("output_a", "output_b"))


def swapped(item: Item) -> bool:
    return item.fields.get("swapped") is True


def column(item: Item, content: str) -> str:
    """Where `content` (`a`, `b` or `output`) stands.

    >>> column(Item(id="1", fields={"swapped": True}), "a")
    'output_b'
    """
    if content == "output":
        return "output"
    return f"output_{content}" if not swapped(item) else f"output_{'b' if content == 'a' else 'a'}"


def picked(item: Item, side: Side, rng: Rng) -> str | None:
    """The content to change: `a`, `b` or `output`; None where the item holds no answers.

    A content that was changed before is changed again under `random`, so that edits put together probe one answer. The draw
    is of content: the same one is drawn in either order.
    """
    if not pairwise(item):
        return "output" if isinstance(item.fields.get("output"), str) else None
    if side != "random":
        return side
    before = item.fields.get("probed")
    if before in ("a", "b"):
        return str(before)
    return "ab"[int(rng().integers(2))]


def changed(item: Item, content: str, **fields: Any) -> Item:
    """`item` with `fields` in place, and the note which content was changed."""
    return replace(item, fields={**item.fields, **fields, "probed": content})


def chinese(text: str) -> bool:
    """Whether `text` is for the greater part Chinese: a character says about as much as three letters.

    >>> chinese("巴黎是 France 的首都"), chinese("Paris (巴黎) is the capital.")
    (True, False)
    """
    return len(_HAN.findall(text)) * 3 > sum(char.isalpha() for char in text)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text`, without the space around them; a line ends one too.

    >>> sentences("It is 3.5 km. Far?\\n是的。不远。")
    ('It is 3.5 km.', 'Far?', '是的。', '不远。')
    """
    parts = (match.group().strip() for match in _SENTENCE.finditer(text))
    return tuple(part for part in parts if any(char.isalnum() for char in part))


@dataclass(frozen=True, kw_only=True)
class Probe:
    """An edit of one judged answer: of content `side`, drawn for each item where it is `random`; of `output` where there is one.

    Subclasses say how the text changes (`change`). A text that `change` gives back as it was leaves the item as it was.
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    fair: ClassVar[Fair] = "none"
    towards: ClassVar[str] = "the changed answer"

    side: Side = "random"

    def __post_init__(self) -> None:
        one_of("side", self.side, get_args(Side))

    @property
    def random(self) -> bool:
        return self.side == "random"

    def apply(self, item: Item, rng: Rng) -> Item:
        content = picked(item, self.side, rng)
        if content is None:
            return item
        where = column(item, content)
        text = str(item.fields[where])
        after = self.change(text) if text.strip() else text
        return item if after == text else changed(item, content, **{where: after})

    def change(self, text: str) -> str:
        """`text`, which is not blank, changed; as it was where the edit does not apply."""
        raise NotImplementedError


def behind(text: str, words: str) -> str:
    """`words` as the next sentence of `text`; on a line of their own behind a list, a table or code."""
    last = text.rstrip("\n").rpartition("\n")[2].lstrip()
    if text.endswith("\n") or re.match(r"[-*+|#>`]|\d+[.)]", last):
        return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{words}"
    return text + ("" if chinese(words) or text[-1:].isspace() else " ") + words
