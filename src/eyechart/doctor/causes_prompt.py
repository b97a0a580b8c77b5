"""Faults of what was sent: templates, begin-of-text tokens, shots from the test, answers that stand in the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from eyechart.core.records import Item
from eyechart.doctor.case import Answer, Diagnosis, Side, enough, fact, ids
from eyechart.doctor.causes_reading import told

MARKERS = (
    "<|im_start|>", "<|im_end|>", "[INST]", "[/INST]", "<|start_header_id|>", "<|eot_id|>", "<start_of_turn>",
    "<end_of_turn>", "<|user|>", "<|assistant|>", "<<SYS>>", "<|end_of_turn|>", "### Instruction:", "### Response:",
)  # fmt: skip
"""What chat templates write between turns."""
BEGINNINGS = ("<s>", "<|begin_of_text|>", "<bos>", "<|startoftext|>", "<|endoftext|>")
"""Begin-of-text tokens as text: the tokenizer adds one of its own."""
PASSAGE = 100
"""Characters of a field from which it is a passage, in which the answer may stand."""
ASKED = 300
"""Items whose questions are looked for in the prompts of others."""
SHORT = 12
"""Characters below which a question found elsewhere says nothing."""
MOST = 0.5


def template_twice(side: Side) -> Diagnosis | None:
    """A chat template inside the chat template."""
    hit = [one for one in side.answers if "template_twice" in one.notes]
    mark = ""
    if not hit and side.asking.get("prompt", {}).get("chat_template"):
        hit = [one for one in side.answers if _marker(one.last)]
        mark = _marker(hit[0].last) if hit else ""
    if not hit:
        return None
    said = fact(
        "template_twice", n=len(hit), of=len(side.answers), marker=mark or MARKERS[0], items=ids(o.item for o in hit)
    )
    experiment = side.rerun("prompt: {chat_template: false}")
    return told(side, "template_twice", hit, (said,), experiment)


def template_foreign(side: Side) -> Diagnosis | None:
    """Markers of a chat template in what the model wrote, or by hand in a plain prompt: template and model do not fit."""
    echo = [one for one in side.texts if _marker(one.text or "")]
    plain = [] if side.asking.get("prompt", {}).get("chat_template") else [o for o in side.answers if _marker(o.prompt)]
    if not enough(len(echo), len(side.answers)):
        echo = []
    if not echo:
        return None
    marker = _marker(echo[0].text or "")
    facts = [fact("markers", n=len(echo), of=len(side.answers), marker=marker, items=ids(o.item for o in echo))]
    if plain:
        facts.append(fact("markers_sent", n=len(plain), marker=_marker(plain[0].prompt)))
    hang = [one for one in echo if not one.right]
    experiment = side.rerun("prompt: {chat_template: true}")
    return told(side, "template_foreign", hang, tuple(facts), experiment, strength="likely")


def double_bos(side: Side) -> Diagnosis | None:
    """Two begin-of-text tokens."""
    hit = [one for one in side.answers if "double_bos" in one.notes]
    if hit:
        facts = (fact("double_bos", n=len(hit), of=len(side.answers), items=ids(o.item for o in hit)),)
        return told(side, "double_bos", hit, facts, side.rerun("prompt: {template: ...}"))
    hit = [one for one in side.answers if one.prompt.lstrip().startswith(BEGINNINGS)]
    if not hit:
        return None
    begin = next(text for text in BEGINNINGS if hit[0].prompt.lstrip().startswith(text))
    facts = (fact("bos_as_text", n=len(hit), of=len(side.answers), begin=begin),)
    experiment = side.rerun("prompt: {template: ...}")
    return told(side, "double_bos", hit, facts, experiment, strength="likely")


def _marker(text: str) -> str:
    return next((marker for marker in MARKERS if marker in text), "")


def prompt_tail(side: Side) -> Diagnosis | None:
    """A plain prompt that ends in a space: the next word usually brings its own, and this one makes it another token."""
    if side.asking.get("prompt", {}).get("chat_template") or not side.generates:
        return None
    hit = [one for one in side.answers if one.last.endswith((" ", "\t", "\u3000"))]
    if len(hit) < MOST * max(1, len(side.answers)) or not hit:
        return None
    facts = (fact("tail", n=len(hit), of=len(side.answers), end=repr(hit[0].last[-8:])),)
    experiment = side.rerun(_without_tail(side))
    return told(side, "prompt_tail", hit, facts, experiment, strength="possible")


def _without_tail(side: Side) -> str:
    """The line of the study that ends without white space: the cue where there is one, else the template."""
    prompt = side.asking.get("prompt", {})
    part = "cue" if prompt.get("cue") else "template"
    return f"prompt: {{{part}: {json.dumps(str(prompt.get(part) or '...').rstrip(), ensure_ascii=False)}}}"


def shot_overlap(side: Side) -> Diagnosis | None:
    """Questions under test that stand in the prompts of other items: shots, or an instruction, taken from the test."""
    first = {one.item: one for one in reversed(side.answers)}
    heads: dict[str, set[str]] = {}
    for name, one in first.items():
        question = _question(side.items.get(name))
        at = one.prompt.rfind(question) if question else -1
        if at > 0:
            heads.setdefault(one.prompt[:at], set()).add(name)
    if not heads:
        return None
    asked = [(name, _question(side.items[name])) for name in list(first)[:ASKED] if name in side.items]
    # A question that is part of another one is no shot: whole lines only.
    shown: list[str] = []
    for name, question in asked:
        if len(question) >= SHORT and any(_stands(question, head) for head in heads):
            shown.append(name)
    if not shown:
        return None
    gold = [name for name in shown if _answered(side.items[name], heads)]
    facts = (fact("overlap", n=len(shown), of=len(asked), answered=len(gold), items=ids(shown)),)
    hang = [one for one in side.answers if one.item in set(shown)]
    experiment = side.rerun("prompt: {few_shot: {source: validation}}")
    return told(side, "shot_overlap", hang, facts, experiment)


def _stands(question: str, head: str) -> bool:
    at = head.find(question)
    while at >= 0:
        end = at + len(question)
        if not head[end : end + 1].isalnum() and not head[max(0, at - 1) : at].isalnum():
            return True
        at = head.find(question, at + 1)
    return False


def _answered(item: Item, heads: Iterable[str]) -> bool:
    question = _question(item)
    for head in heads:
        at = head.find(question)
        if at >= 0 and any(gold and gold in head[at + len(question) :] for gold in item.gold):
            return True
    return False


def gold_in_prompt(side: Side) -> Diagnosis | None:
    """The right answer stands in the prompt, apart from question, options and passages, far more often than the
    answers of other items do."""
    first = {one.item: one for one in reversed(side.answers)}
    names = [name for name in first if name in side.items and side.items[name].gold]
    if len(names) < 10:
        return None
    rest = {name: _rest(first[name], side.items[name]) for name in names}
    own = [name for name in names if _holds(rest[name], side.items[name])]
    other = sum(_holds(rest[a], side.items[b]) for a, b in zip(names, names[1:] + names[:1], strict=True))
    if len(own) < MOST * len(names) or other > len(own) / 2:
        return None
    facts = (fact("leaked", n=len(own), of=len(names), other=other, items=ids(own)),)
    hang = [one for one in side.answers if one.item in set(own)]
    return told(side, "gold_in_prompt", hang, facts, side.rerun("prompt: {template: ...}"))


def _rest(one: Answer, item: Item) -> str:
    """The prompt of an item without its question, its options and passages."""
    text = one.prompt
    known = [_question(item), *item.choices]
    known += [value for value in item.fields.values() if isinstance(value, str) and len(value) >= PASSAGE]
    for part in sorted((k for k in known if k), key=len, reverse=True):
        # Every option is taken out once: one that stands there again is the leak looked for.
        text = text.replace(part, "\n", 1)
    return text


def _holds(text: str, item: Item) -> bool:
    return any(len(gold) > 1 and re.search(rf"(?<!\w){re.escape(gold)}(?!\w)", text) is not None for gold in item.gold)


def _question(item: Item | None) -> str:
    fields: Mapping[str, object] = item.fields if item else {}
    return str(fields.get("question") or "").strip()
