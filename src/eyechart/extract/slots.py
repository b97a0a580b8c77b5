"""Answers where the prompt had asked for them: a line, a box, a key of a JSON object. By rules in wide use."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import found, nothing

_ANSWER_LINE = re.compile(r"(?i)Answer[^\S\n]*:[^\S\n]*([^\n]+)")


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    """What stands behind the first `Answer:` on its line, as simple-evals reads MATH (`ANSWER_PATTERN`).

    Its known mistakes stay: `**Answer:** 5` gives `** 5`, and the first `Answer:` wins.

    >>> AnswerLine().read("So...\\nAnswer: 5 apples\\nAnswer: 6", Item(id="1", fields={}), ()).value
    '5 apples'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = _ANSWER_LINE.search(text)
        if match and match.group(1).strip():
            return found(match.group(1).strip(), match.span(1))
        return nothing("no 'Answer:' with text behind it" if text.strip() else "empty answer")


@dataclass(frozen=True, kw_only=True)
class LastBoxed:
    """What stands in the last `\\\\boxed{...}`, its braces balanced, as the MATH data set is scored.

    Hidden reasoning is read like the rest, and a box that is retracted counts. Source: Hendrycks et al.
    (2021), `last_boxed_only_string`.

    >>> LastBoxed().read(r"First \\boxed{1}, then \\boxed{\\frac{1}{2}}.", Item(id="1", fields={}), ()).value
    '\\\\frac{1}{2}'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        start = text.rfind("\\boxed{")
        if start < 0:
            return nothing("no \\boxed{} in the answer" if text.strip() else "empty answer")
        start += len("\\boxed{")
        depth = 1
        for match in re.compile(r"[{}]").finditer(text, start):
            depth += 1 if match.group() == "{" else -1
            if not depth:
                return found(text[start : match.start()], (start, match.start()))
        return nothing("the last \\boxed{ is not closed")


@dataclass(frozen=True, kw_only=True)
class JsonAnswer:
    """The value of `key` where the whole text is one JSON object; `fences` strips a code fence around it.

    The strict rule in wide use: a sentence before the object, or a line break within a string, and
    nothing is read. A value that is no text is written as JSON.

    >>> item = Item(id="1", fields={})
    >>> text = '```json\\n{"reasoning": "6 x 3", "answer": 18}\\n```'
    >>> JsonAnswer().read(text, item, ()).value, JsonAnswer(fences=True).read(text, item, ()).value
    (None, '18')
    """

    version: ClassVar[int] = 1

    key: str = "answer"
    fences: bool = False

    def __post_init__(self) -> None:
        if not isinstance(cast("Any", self.key), str) or not self.key:
            raise ValueError(f"key must be the name of a key, as answer, not {self.key!r}")

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        body = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```") if self.fences else text
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return nothing("the whole is not one JSON object" if text.strip() else "empty answer")
        if not isinstance(value, dict) or self.key not in value:
            return nothing(f"a JSON value without the key {self.key}")
        answer: object = cast("dict[str, object]", value)[self.key]
        shown = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if not shown.strip():
            return nothing(f"the key {self.key} is empty")
        where = text.rfind(shown)
        return found(shown, (where, where + len(shown))) if where >= 0 else found(shown, (0, len(text)))
