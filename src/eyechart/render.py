"""Spec x Item x repeat -> Request; pure.

A prompt is put together in one order, always: instruction, shots, the item by its template, the
cue; then text edits, Unicode form and line ends. Nothing is stripped: the
bytes that leave here are the bytes that are hashed and sent.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from eyechart.core.effective import Asking
from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for, seed_for
from eyechart.core.plugins import EDITS, ItemEdit, TextEdit, make, split_name
from eyechart.core.records import Item, Message, Request

if TYPE_CHECKING:
    from jinja2 import Template

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENDS = {"crlf": "\r\n", "cr": "\r"}

_jinja = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)


@lru_cache(maxsize=512)
def _compiled(text: str, where: str) -> Template:
    try:
        return _jinja.from_string(text)
    except TemplateSyntaxError as error:
        raise InputError(f"not a valid template: {error.message} (line {error.lineno} of it)", field=where) from None


@dataclass(frozen=True)
class Renderer:
    """Renders the items of one way of asking.

    >>> from eyechart.core.effective import effective
    >>> from eyechart.core.spec import Spec
    >>> asking = effective(Spec(prompt={"template": "{{question}}", "cue": " ="})).asking
    >>> item = Item(id="1", fields={"question": "1 + 1"}, gold=("2",))
    >>> Renderer(asking).request(item, (), 0).prompt
    '1 + 1 ='
    """

    asking: Asking

    @cached_property
    def _prompt(self) -> Mapping[str, Any]:
        return self.asking.prompt

    @cached_property
    def _edits(self) -> tuple[tuple[str, TextEdit | ItemEdit], ...]:
        return tuple((split_name(e)[0], make(EDITS, e)) for e in self._prompt["edits"] if e != "none")

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(self._prompt["options"]["labels"])

    def labels(self, item: Item) -> tuple[str, ...]:
        """Option labels in the item's order of choices; too few labels are refused."""
        if item.choices and self._labels and len(self._labels) < len(item.choices):
            raise InputError(
                f"item {item.id} has {len(item.choices)} options and there are {len(self._labels)} labels; add labels",
                field="prompt.options.labels",
            )
        return self._labels[: len(item.choices)]

    def prepared(self, item: Item) -> Item:
        """The item after data edits and the order of its options: what is asked, and what is graded."""
        changed = self._changed(item)
        return item if changed is item else renewed(item, changed)

    def _changed(self, item: Item) -> Item:
        order = self._prompt["options"]["order"]
        if order != "given" and len(item.choices) > 1:
            item = reorder(item, _order(order, item))
        for name, edit in self._edits:
            if edit.target == "item":
                edited = cast("ItemEdit", edit)
                item = edited.apply(item, lambda name=name, item=item: rng_for(0, item.id, name))
        return item

    def request(self, item: Item, shots: Sequence[Item], repeat: int) -> Request:
        """One repeat of `item`; both it and `shots` are given as `prepared` returns them.

        Raises InputError for a template that names a field the item does not have.
        """
        return self.requests(item, shots, repeat + 1)[repeat]

    def requests(self, item: Item, shots: Sequence[Item], repeats: int) -> list[Request]:
        """All repeats of `item`: one and the same request, unless something is sampled."""
        options = self._continuations(item) if self.asking.elicit == "options" else ()
        prompt, messages = self._texts(item, shots)
        request = Request(
            elicit="options" if options else "generate",
            prompt=prompt,
            messages=messages,
            options=options,
            params=self.asking.params,
        )
        if not self.asking.sampled:
            return [request] * repeats
        return [
            replace(request, params=tuple(sorted((*request.params, ("seed", self._seed(item, repeat))))))
            for repeat in range(repeats)
        ]

    def _seed(self, item: Item, repeat: int) -> int:
        seed, scope = self.asking.seed, self.asking.seed_scope
        if scope == "fixed":
            return seed
        return seed_for(seed, repeat) if scope == "run" else seed_for(seed, item.id, repeat)

    def _continuations(self, item: Item) -> tuple[str, ...]:
        if not item.choices:
            raise InputError(
                f"item {item.id} has no options to score; ask by `elicit: generate`, or map the "
                "options in dataset.fields.choices",
                field="evaluation.elicit",
            )
        texts = self.labels(item) if self.asking.options == "letters" else item.choices
        if len(texts) < len(item.choices):
            raise InputError("options are asked for by letter and there are no labels", field="prompt.options.labels")
        written = [self._fill("answer", item, answer=text) for text in texts]
        return tuple(text.lstrip() for text in written) if self._prompt["chat_template"] else tuple(written)

    def _texts(self, item: Item, shots: Sequence[Item]) -> tuple[str | None, tuple[Message, ...]]:
        prompt = self._prompt
        head = f"{prompt['instruction']}\n\n" if prompt["instruction"] else ""
        asked = self._fill("template", item) + prompt["cue"]
        pairs = [(self._fill("template", s) + prompt["cue"], self._answer(s)) for s in shots]
        chat = prompt["chat_template"]
        if chat and pairs and prompt["few_shot"]["format"] == "turns":
            users = [question for question, _ in pairs] + [asked]
            users[0] = head + users[0]
            replies = [answer.lstrip() for _, answer in pairs]
        else:
            between = prompt.get("separator", "")
            users = [head + "".join(q + a + between for q, a in pairs) + asked]
            replies = []
        last = len(users) - 1
        users = [self._finish(self._edited(text, item, i == 0, i == last)) for i, text in enumerate(users)]
        if not chat:
            return users[0], ()
        messages: list[Message] = []
        if prompt.get("system"):
            messages.append(Message(role="system", content=self._finish(prompt["system"])))
        for i, text in enumerate(users):
            messages.append(Message(role="user", content=text))
            if i < len(replies):
                messages.append(Message(role="assistant", content=self._finish(replies[i])))
        return None, tuple(messages)

    def _answer(self, shot: Item) -> str:
        """A shot's answer: its label where letters are asked for, else its text."""
        letters = self.asking.options == "letters" if self.asking.elicit == "options" else False
        if shot.gold_index is not None and letters:
            return self._fill("answer", shot, answer=self.labels(shot)[shot.gold_index])
        if not shot.gold:
            raise InputError(f"item {shot.id} has no answer and cannot be a shot", field="prompt.few_shot")
        return self._fill("answer", shot, answer=shot.gold[0])

    def _fill(self, part: str, item: Item, answer: str | None = None) -> str:
        names = self._variables(item)
        if answer is not None:
            names["answer"] = answer
            if item.gold_index is not None and item.choices:
                names["label"] = (self.labels(item) or [""] * len(item.choices))[item.gold_index]
        try:
            return _compiled(self._prompt[part], f"prompt.{part}").render(names)
        except UndefinedError:
            raise _undefined(self._prompt[part], names, item, part) from None
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise InputError(f"cannot be filled for item {item.id}: {error}", field=f"prompt.{part}") from None

    def _variables(self, item: Item) -> dict[str, Any]:
        names: dict[str, Any] = dict(item.fields)
        labels = self.labels(item)
        if item.choices:
            options = self._prompt["options"]
            names["choices"] = item.choices
            names["labels"] = labels
            for letter, choice in zip(_LETTERS, item.choices, strict=False):
                names[f"choice_{letter}"] = choice
            if "style" in options:
                shown = labels or ("",) * len(item.choices)
                lines = [
                    options["style"].replace("{label}", lab).replace("{text}", text)
                    for lab, text in zip(shown, item.choices, strict=True)
                ]
                names["options"] = options["separator"].join(lines)
        names.setdefault("options", "")
        if item.group is not None:
            names.setdefault("group", item.group)
        return names

    def _edited(self, text: str, item: Item, first: bool, last: bool) -> str:
        """Text edits on one user message; a prefix goes on the first only, a suffix on the last."""
        for name, edit in self._edits:
            if edit.target != "text":
                continue
            edit = cast("TextEdit", edit)
            if edit.where == "all" or (edit.where == "first" and first) or (edit.where == "last" and last):
                text = edit.apply(text, lambda name=name: rng_for(0, item.id, name))
        return text

    def _finish(self, text: str) -> str:
        if form := self._prompt["unicode_form"]:
            text = unicodedata.normalize(form, text)
        if ends := self._prompt["line_ends"]:
            text = text.replace("\r\n", "\n").replace("\n", _ENDS[ends])
        return text


def reorder(item: Item, order: Sequence[int]) -> Item:
    """The item with its options in another order; the gold one moves along.

    >>> item = Item(id="1", fields={}, choices=("a", "b", "c"), gold=("a",), gold_index=0)
    >>> moved = reorder(item, (2, 0, 1)); moved.choices, moved.gold_index
    (('c', 'a', 'b'), 1)
    """
    gold = None if item.gold_index is None else list(order).index(item.gold_index)
    return replace(item, choices=tuple(item.choices[i] for i in order), gold_index=gold)


def renewed(before: Item, after: Item) -> Item:
    """`after` with every other column that repeats a changed question or option changed alike.

    Data often has one text in several columns (`choices` and `A`, `B`; `text` and `question`), and a
    template may use any of them: a stale one would show an order that is not the one graded.

    >>> item = Item(id="1", fields={"A": "x", "B": "y"}, choices=("x", "y"), gold_index=0)
    >>> dict(renewed(item, reorder(item, (1, 0))).fields)
    {'A': 'y', 'B': 'x'}
    """
    swaps: list[tuple[Any, Any]] = [(before.fields.get("question"), after.fields.get("question"))]
    texts = {value for value in before.fields.values() if isinstance(value, str)}
    # Columns are taken for the options only where all options have one: a subject may be called like an option.
    if len(before.choices) == len(after.choices) and texts.issuperset(before.choices):
        swaps += list(zip(before.choices, after.choices, strict=True))
    fields: dict[str, Any] = {}
    for name, value in after.fields.items():
        if value != before.fields.get(name) or name == "question":
            fields[name] = value  # the edit itself wrote it
        elif isinstance(value, list | tuple) and tuple(cast("Sequence[Any]", value)) == before.choices:
            fields[name] = list(after.choices)
        else:
            same: list[Any] = [new for old, new in swaps if old is not None and old == value]
            fields[name] = same[0] if same else value
    return replace(after, fields=fields)


def _order(order: str, item: Item) -> tuple[int, ...]:
    n = len(item.choices)
    if order == "reversed":
        return tuple(reversed(range(n)))
    return tuple(int(i) for i in rng_for(0, item.id, "option_order").permutation(n))


def _undefined(template: str, names: Mapping[str, Any], item: Item, part: str) -> InputError:
    from jinja2 import meta

    from eyechart.core.registry import nearest

    missing = sorted(meta.find_undeclared_variables(_jinja.parse(template)) - set(names))
    name = missing[0] if missing else "?"
    if name == "answer":
        return InputError("the template shows {{answer}}: the model would be told", field=f"prompt.{part}")
    close = nearest(name, names)
    hint = f"did you mean {{{{{close}}}}}?" if close else f"there are: {', '.join(sorted(names))}"
    where = f" (line {item.line} of the data)" if item.line else ""
    return InputError(
        f"names {{{{{name}}}}}, which item {item.id}{where} does not have; {hint}", field=f"prompt.{part}"
    )
