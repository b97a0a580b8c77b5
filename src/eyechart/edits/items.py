"""Edits of the data: options and question, before the prompt is put together. The gold answer moves along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, cast, get_args

from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for
from eyechart.core.plugins import EDITS, TextEdit, make
from eyechart.core.records import Item
from eyechart.core.registry import hint
from eyechart.core.spec import Name
from eyechart.edits.letters import CaseStyle, cased
from eyechart.edits.styles import one_of, some_text, whole_number
from eyechart.render import reorder

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

OrderStyle = Literal["reversed", "rotated", "shuffled"]


@dataclass(frozen=True, kw_only=True)
class OptionOrder:
    """The options reversed, rotated (the first `by` go to the end), or shuffled. Only `shuffled` draws.

    Options shift under fixed labels, so the right letter changes with them.

    >>> item = Item(id="1", fields={}, choices=("red", "green", "blue"), gold=("red",), gold_index=0)
    >>> moved = OptionOrder(style="rotated").apply(item, rng=None)
    >>> moved.choices, moved.gold_index, moved.gold
    (('green', 'blue', 'red'), 2, ('red',))
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"

    style: OrderStyle = "reversed"
    by: int = 1
    """How far `rotated` rotates."""

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(OrderStyle))
        whole_number("by", self.by, 1, 100)

    @property
    def random(self) -> bool:
        return self.style == "shuffled"

    def apply(self, item: Item, rng: Rng) -> Item:
        n = len(item.choices)
        if n < 2:
            return item
        if self.style == "reversed":
            return reorder(item, tuple(reversed(range(n))))
        if self.style == "rotated":
            return reorder(item, tuple((i + self.by) % n for i in range(n)))
        return reorder(item, tuple(int(i) for i in rng().permutation(n)))


@dataclass(frozen=True, kw_only=True)
class OptionCase:
    """The text of every option, and of the gold answer, in another case. Draws nothing.

    >>> item = Item(id="1", fields={}, choices=("Red", "Green"), gold=("Red",), gold_index=0)
    >>> OptionCase(style="upper").apply(item, rng=None).gold
    ('RED',)
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    random: ClassVar[bool] = False

    style: CaseStyle = "lower"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(CaseStyle))

    def apply(self, item: Item, rng: Rng) -> Item:
        return _with_choices(item, lambda text: cased(text, self.style))


@dataclass(frozen=True, kw_only=True)
class QuestionCase:
    """The column of the question in another case; options and gold answer stay. Draws nothing.

    An answer that copies from the question comes back in the new case: read it with
    `postprocess: lowercase`.

    >>> item = Item(id="1", fields={"question": "Is it so?"})
    >>> QuestionCase(style="upper").apply(item, rng=None).fields["question"]
    'IS IT SO?'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    random: ClassVar[bool] = False

    style: CaseStyle = "lower"
    field: str = "question"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(CaseStyle))
        some_text("field", self.field)

    def apply(self, item: Item, rng: Rng) -> Item:
        return _with_field(item, self.field, lambda text: cased(text, self.style))


@dataclass(frozen=True, kw_only=True)
class InQuestion:
    """Any text edit, put on one column of the item and not on the whole prompt. Draws where that edit draws.

    >>> item = Item(id="1", fields={"question": "Is it so?"})
    >>> InQuestion(edit="fullwidth_punctuation").apply(item, rng=None).fields["question"]
    'Is it so？'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"

    edit: Name
    """`typos`, or with parameters `{typos: {rate: 0.2}}`."""
    field: str = "question"

    def __post_init__(self) -> None:
        _inner(self.edit)
        some_text("field", self.field)

    @property
    def random(self) -> bool:
        return bool(getattr(_inner(self.edit), "random", True))

    def apply(self, item: Item, rng: Rng) -> Item:
        edit = _inner(self.edit)
        return _with_field(item, self.field, lambda text: edit.apply(text, rng))


@dataclass(frozen=True, kw_only=True)
class InOptions:
    """Any text edit, put on the text of every option and on the gold answer. Draws where that edit draws.

    What is drawn for an option depends on its text and not on its place, so that the same slips are
    made in whatever order the options stand.

    >>> item = Item(id="1", fields={}, choices=("yes, sir", "no"), gold=("yes, sir",), gold_index=0)
    >>> InOptions(edit={"list_commas": {"style": "tight"}}).apply(item, rng=None).gold
    ('yes,sir',)
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"

    edit: Name

    def __post_init__(self) -> None:
        _inner(self.edit)

    @property
    def random(self) -> bool:
        return bool(getattr(_inner(self.edit), "random", True))

    def apply(self, item: Item, rng: Rng) -> Item:
        edit = _inner(self.edit)
        return _with_choices(item, lambda text: edit.apply(text, lambda: rng_for(int(rng().random() * 2**31), text)))


def _inner(name: object) -> TextEdit:
    if not isinstance(name, str | Mapping):
        raise ValueError(f"edit must name a text edit, e.g. {{typos: {{rate: 0.2}}}}, not {name!r}")
    edit = make(EDITS, cast("Name", name))
    if edit.target != "text":
        raise ValueError(f"edit must change text, and {name} changes the item itself")
    return cast("TextEdit", edit)


def _with_choices(item: Item, change: Callable[[str], str]) -> Item:
    """Every option changed, and the gold texts with them. An item without options stays as it is."""
    if not item.choices:
        return item
    return replace(item, choices=tuple(map(change, item.choices)), gold=tuple(map(change, item.gold)))


def _with_field(item: Item, field: str, change: Callable[[str], str]) -> Item:
    text = item.fields.get(field)
    if isinstance(text, str):
        return replace(item, fields={**item.fields, field: change(text)})
    if field in item.fields:
        raise InputError(f"{field} of item {item.id} is not a text but {text!r:.60}", field="prompt.edits")
    advice = hint(field, item.fields)
    raise InputError(f"item {item.id} has no column {field}; {advice}", field="prompt.edits")
