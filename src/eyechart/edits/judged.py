"""Edits of a judged item that change what stands around the answers: their order, who wrote them, what others say of them.

A judged item has `fields["question"]`, and `output_a` and `output_b` or one `output`; `model_a`, `model_b` or `model` where known.
`fields["swapped"]` is true where content b is shown first, and `fields["probed"]` names the content that a probe
changed: `a`, `b`, `output`, or `both`. The gold verdict is about contents, not slots: no edit here moves it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, get_args

from eyechart.core.records import Item
from eyechart.core.spec import Name
from eyechart.edits.judged_side import Fair, Side, changed, chinese, column, pairwise, picked, swapped
from eyechart.edits.judged_text import (
    CiteOutput,
    DistractOutput,
    EmptyOutput,
    FallacyOutput,
    FormatOutput,
    InstructOutput,
    PadOutput,
    ToneOutput,
    TruncateOutput,
)
from eyechart.edits.styles import one_of, whole_number

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng


@dataclass(frozen=True, kw_only=True)
class SwapOutputs:
    """The two answers exchanged, with every other pair of columns `x_a`, `x_b` or `a_x`, `b_x`. Draws nothing.

    `fields["swapped"]` says so; twice is as it was. What `bandwagon` says of the first answer goes with it to
    the second. A fair judge does not move: its preference is for the same content. One answer, or none, stays.

    >>> item = Item(id="1", fields={"output_a": "x", "output_b": "y", "model_a": "m", "model_b": "n"})
    >>> dict(SwapOutputs().apply(item, rng=None).fields)
    {'output_a': 'y', 'output_b': 'x', 'model_a': 'n', 'model_b': 'm', 'swapped': True}
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    random: ClassVar[bool] = False
    fair: ClassVar[Fair] = "none"
    towards: ClassVar[str] = "the answer shown first"

    def apply(self, item: Item, rng: Rng) -> Item:
        if not pairwise(item):
            return item
        found = item.fields
        fields = {key: found.get(_twin(key), value) for key, value in found.items() if key != "swapped"}
        question = found.get("question")
        if isinstance(question, str) and "probed" in found:
            fields["question"] = _CROWD.sub(lambda match: match[1] + _OTHER[match[2]], question)
        if not swapped(item):
            fields["swapped"] = True
        return replace(item, fields=fields)


def _twin(key: str) -> str:
    if key.endswith(("_a", "_b")):
        return key[:-1] + ("b" if key.endswith("a") else "a")
    if key.startswith(("a_", "b_")):
        return ("b" if key.startswith("a") else "a") + key[1:]
    return key


_CROWD = re.compile(
    r"((?:^|\n\n)(?:\([0-9]{2,3}% of readers prefer the |（[0-9]{2,3}%的读者更喜欢第))(first|second|一|二)(?= answer\.\)$|个回答。）$)"
)
_OTHER = {"first": "second", "second": "first", "一": "二", "二": "一"}


@dataclass(frozen=True, kw_only=True)
class Bandwagon:
    """A sentence behind the question that most readers prefer one answer. Draws only which answer.

    It names the answer by the slot in which it is shown, and goes along when the two are swapped later. Of one answer it says that
    most readers gave it the highest mark. An item without `question` stays. A fair judge does not move.
    The bandwagon bias of Koo et al. (2023), "Benchmarking Cognitive Biases in Large Language Models as Evaluators".

    >>> item = Item(id="1", fields={"question": "Capital?", "output_a": "x", "output_b": "y"})
    >>> Bandwagon(side="b").apply(item, rng=None).fields["question"]
    'Capital?\\n\\n(90% of readers prefer the second answer.)'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    fair: ClassVar[Fair] = "none"
    towards: ClassVar[str] = "the answer that readers are said to prefer"

    side: Side = "random"
    percent: int = 90

    def __post_init__(self) -> None:
        one_of("side", self.side, get_args(Side))
        whole_number("percent", self.percent, 51, 100)

    @property
    def random(self) -> bool:
        return self.side == "random"

    def apply(self, item: Item, rng: Rng) -> Item:
        question, content = item.fields.get("question"), picked(item, self.side, rng)
        if not isinstance(question, str) or content is None:
            return item
        zh = chinese(question)
        if content == "output":
            said = (
                f"（{self.percent}%的读者给了这个回答最高分。）"
                if zh
                else f"({self.percent}% of readers gave this answer the highest mark.)"
            )
        else:
            first = column(item, content) == "output_a"
            said = (
                f"（{self.percent}%的读者更喜欢第{'一' if first else '二'}个回答。）"
                if zh
                else f"({self.percent}% of readers prefer the {'first' if first else 'second'} answer.)"
            )
        return changed(item, content, question=f"{question}\n\n{said}")


NameStyle = Literal["true", "exchanged"]


@dataclass(frozen=True, kw_only=True)
class NameModels:
    """The name of its model in front of every answer, the true one or that of the other. Draws nothing.

    From `model_a` and `model_b`, or `model`; an item where one is missing stays. `fields["probed"]` is `both` of two answers: the
    effect is of a name, so it is to be signed by `model_a` and `model_b`. A fair judge does not move.
    The compassion fade of Koo et al. (2023), "Benchmarking Cognitive Biases in Large Language Models as Evaluators".

    >>> item = Item(id="1", fields={"output": "Paris.", "model": "m-1"})
    >>> NameModels().apply(item, rng=None).fields["output"]
    '[Answer of m-1]\\nParis.'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    random: ClassVar[bool] = False
    fair: ClassVar[Fair] = "none"
    towards: ClassVar[str] = "the answer under the favoured name"

    style: NameStyle = "true"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(NameStyle))

    def apply(self, item: Item, rng: Rng) -> Item:
        ends = ("_a", "_b") if pairwise(item) else ("",)
        texts = [item.fields.get(f"output{end}") for end in ends]
        names = [item.fields.get(f"model{end}") for end in ends]
        if not all(isinstance(one, str) and one.strip() for one in (*texts, *names)):
            return item
        if self.style == "exchanged":
            names.reverse()
            if len(names) == 1 or names[0] == names[1]:
                return item
        shown = {
            f"output{end}": (f"【{name}的回答】\n{text}" if chinese(str(text)) else f"[Answer of {name}]\n{text}")
            for end, text, name in zip(ends, texts, names, strict=True)
        }
        return changed(item, "both" if len(ends) == 2 else "output", **shown)


class Row(NamedTuple):
    """One probe of an audit."""

    edit: Name
    """The registered edit with its parameters."""
    towards: str
    """What a positive effect favours."""
    fair: Fair
    """Which way a fair judge moves: `none`, or `down`, against the answer that was changed."""


_PROBES: Mapping[str, tuple[type, dict[str, str]]] = {
    "position": (SwapOutputs, {}),
    "padding": (PadOutput, {"style": "restate"}),
    "repeated_list": (PadOutput, {"style": "repeat_list"}),
    "filler": (PadOutput, {"style": "filler"}),
    "format": (FormatOutput, {"style": "markdown"}),
    "authority": (CiteOutput, {"style": "book"}),
    "authority_url": (CiteOutput, {"style": "url"}),
    "authority_quote": (CiteOutput, {"style": "quote"}),
    "cheerful": (ToneOutput, {"style": "cheerful"}),
    "angry": (ToneOutput, {"style": "angry"}),
    "fearful": (ToneOutput, {"style": "fearful"}),
    "apologetic": (ToneOutput, {"style": "apologetic"}),
    "bandwagon": (Bandwagon, {}),
    "distraction": (DistractOutput, {}),
    "fallacy": (FallacyOutput, {"style": "ignorance"}),
    "circular": (FallacyOutput, {"style": "circular"}),
    "instruction": (InstructOutput, {"style": "plain"}),
    "hidden_instruction": (InstructOutput, {"style": "html_comment"}),
    "system_instruction": (InstructOutput, {"style": "system"}),
    "empty": (EmptyOutput, {"style": "empty"}),
    "master_key": (EmptyOutput, {"style": "colon"}),
    "master_thought": (EmptyOutput, {"style": "thought"}),
    "master_solution": (EmptyOutput, {"style": "solution"}),
    "truncation": (TruncateOutput, {}),
    "names": (NameModels, {"style": "true"}),
    "exchanged_names": (NameModels, {"style": "exchanged"}),
}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


PROBES: Mapping[str, Row] = MappingProxyType(
    {
        name: Row(_snake(kind.__name__) if not chosen else {_snake(kind.__name__): chosen}, kind.towards, kind.fair)
        for name, (kind, chosen) in _PROBES.items()
    }
)
"""The probes of a judge by name. Each item is judged as it is and with the edit made.

>>> PROBES["padding"].edit, PROBES["padding"].fair, PROBES["truncation"].fair
({'pad_output': {'style': 'restate'}}, 'none', 'down')
"""
