"""Samples of lm-evaluation-harness: one line a document and filter, with everything it asked for it."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Item, Request, Response
from eyechart.logs.plain import (
    dig,
    failed,
    generated,
    item_of,
    letter_of,
    mapping,
    messages,
    number,
    read_lines,
    scored,
    sequence,
    text,
    whole,
    written,
)
from eyechart.logs.values import Notes, Row, Scored

INVALID = "[invalid]"
"""What its filters put where they find nothing."""
_LOGPROB = re.compile(r"[\[(]\s*['\"]?(-?[\d.e+-]+|-?inf|nan)", re.IGNORECASE)
QUESTIONS = ("question", "query", "problem", "prompt", "goal", "ctx", "input", "sentence", "text", "premise")
_NAMES = {"until": "stop", "max_gen_toks": "max_new_tokens", "max_tokens": "max_new_tokens",
          "max_new_tokens": "max_new_tokens", "stop": "stop", "stop_sequences": "stop"}  # fmt: skip
_SAME = ("do_sample", "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty",
         "frequency_penalty", "seed")  # fmt: skip


def params_of(given: Any) -> dict[str, Any]:
    """Generation keywords under the names of the fingerprint; others are left to the log.

    >>> params_of({"until": ["\\n"], "max_gen_toks": 64, "do_sample": False, "num_beams": 1})
    {'stop': ('\\n',), 'max_new_tokens': 64, 'do_sample': False}
    """
    out: dict[str, Any] = {}
    for key, value in mapping(given).items():
        if (name := _NAMES.get(key)) == "stop":
            stops = (value,) if isinstance(value, str) else tuple(s for s in sequence(value) if isinstance(s, str))
            if stops or value == []:
                out["stop"] = stops
        elif name and whole(value) is not None:
            out[name] = whole(value)
        elif key == "do_sample" and isinstance(value, bool):
            out[key] = value
        elif key in ("top_k", "seed") and whole(value) is not None:
            out[key] = whole(value)
        elif key in _SAME and key != "do_sample" and not isinstance(value, bool) and number(value) is not None:
            out[key] = number(value)
    return out


def requests_of(row: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Prompt, and generation keywords or continuation, of each request of a row, old style or new.

    >>> requests_of({"arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": []}}}})
    [('Q', {'until': []})]
    >>> requests_of({"arguments": [["Q", " yes"], ["Q", " no"]]})
    [('Q', ' yes'), ('Q', ' no')]
    """
    given = row.get("arguments")
    if isinstance(given, dict):
        rows = [(dig(one, "arg_0"), dig(one, "arg_1")) for one in mapping(given).values()]
    else:
        rows = [(one[0], one[1] if len(one) > 1 else None) for one in map(sequence, sequence(given)) if one]
    return [(prompt, _unwritten(more)) for prompt, more in rows]


def _unwritten(value: Any) -> Any:
    """Keywords that were written as text, `"{'until': ['x']}"`, back as a mapping."""
    if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}" and len(value) < 20_000:
        try:
            found: Any = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
        return mapping(found) or value
    return value


def rows(
    files: Sequence[tuple[str, Path]],
    kind: str,
    grouped: bool,
    down: frozenset[str],
    filters: Sequence[str],
    notes: Notes,
) -> Iterator[Row]:
    """`grouped`: items are named and grouped by their task. `down`: metrics that are left out. `filters`: in their
    order, for rows that do not name theirs."""
    params = _Params()
    for task, path in files:
        seen: Counter[str] = Counter()
        for row in read_lines(path, notes):
            doc = text(row.get("doc_id"))
            if doc is None:
                notes.say(f"{path.name}: a row without doc_id was left out")
                continue
            name = f"{task}/{doc}" if grouped else doc
            if "filter" not in row and filters:
                row = {**row, "filter": filters[seen[doc] % len(filters)]}
                seen[doc] += 1
            sent = requests_of(row)
            if kind == "multiple_choice":
                sent = _conditional(sent)
            item = _item(name, row, sent, kind, task if grouped else None)
            scores = tuple(_scores(row, down, notes))
            if kind == "generate_until":
                yield from _generated(item, row, sent, scores, params)
            else:
                request, answer = _options(row, sent, kind)
                yield Row(item=item, request=request, answer=answer, scores=scores)


def _conditional(sent: Sequence[tuple[Any, Any]]) -> Sequence[tuple[Any, Any]]:
    """Without the requests that `acc_mutual_info` adds: every option once more, after nothing.

    >>> _conditional([("Q", " a"), ("Q", " b"), ("", "a"), ("", "b")])
    [('Q', ' a'), ('Q', ' b')]
    """
    half = len(sent) // 2
    first, more = sent[:half], sent[half:]
    if half < 2 or len(more) != half or any(prompt != "" for prompt, _ in more) or all(p == "" for p, _ in first):
        return sent
    alike = all(str(a).strip() == str(b).strip() for (_, a), (_, b) in zip(first, more, strict=True))
    return first if alike else sent


def _scores(row: Mapping[str, Any], down: frozenset[str], notes: Notes) -> Iterator[Scored]:
    named = [str(m) for m in sequence(row.get("metrics"))]
    if not named:  # before 0.4.3 a row did not say which of its keys are metrics
        named = [key for key, value in row.items() if key not in ("doc_id",) and number(value) is not None]
    filtered = text(row.get("filter")) or "none"
    kept = sequence(row.get("filtered_resps"))
    unread = bool(kept) and all(one == INVALID for one in kept)
    for metric in named:
        if metric in down or metric == "bypass":
            continue
        value = row.get(metric)
        if isinstance(value, list | dict):
            notes.say(f"{metric} is no score of an item (the harness pools it) and is left out")
            continue
        name = metric if filtered == "none" else f"{metric}@{filtered}"
        yield scored(name, number(value), unread=unread)


class _Params:
    """`params_of` as sorted pairs; rows of one log nearly always say the same."""

    def __init__(self) -> None:
        self.given: Any = None
        self.pairs: tuple[tuple[str, Any], ...] = ()

    def of(self, given: Any) -> tuple[tuple[str, Any], ...]:
        if given != self.given:
            self.given, self.pairs = given, tuple(sorted(params_of(given).items()))
        return self.pairs


def _generated(
    item: Item, row: Mapping[str, Any], sent: Sequence[tuple[Any, Any]], scores: tuple[Scored, ...], params: _Params
) -> Iterator[Row]:
    """A row for each repeat. The harness gives them one score together: it stands with the first."""
    prompt, used = sent[0] if sent else (None, None)
    request = _asked(prompt, params.of(used))
    texts = _texts(row.get("resps"))
    several = len(texts) > 1
    if not texts:
        yield Row(item=item, request=request, answer=failed("the log holds no answer"), scores=scores)
    for repeat, one in enumerate(texts):
        mine = scores if repeat == 0 else tuple(Scored(s.reading, None) for s in scores)
        answer = generated(one)
        yield Row(item=item, request=request, answer=answer, scores=mine, repeat=repeat if several else None)


def _texts(resps: Any) -> list[str | None]:
    """The answers to the first request: `[[a, b]]`, or `[a, b]` of old logs."""
    found = sequence(resps)
    if found and isinstance(found[0], list | tuple):
        found = sequence(found[0])
    return [one if isinstance(one, str) else None for one in found]


def _asked(prompt: Any, pairs: tuple[tuple[str, Any], ...]) -> Request:
    """A chat stands in the log as JSON text: `[{"role": "user", ...}]`."""
    if len(sequence(prompt)) == 1:
        prompt = sequence(prompt)[0]
    chat: Any = prompt
    if isinstance(prompt, str) and prompt.startswith('[{"role"'):
        try:
            chat = json.loads(prompt)
        except (ValueError, RecursionError):
            chat = None
    told = messages(chat)
    if told:
        return Request(elicit="generate", messages=told, params=pairs)
    return Request(elicit="generate", prompt=prompt if isinstance(prompt, str) else "", params=pairs)


def _options(row: Mapping[str, Any], sent: Sequence[tuple[Any, Any]], kind: str) -> tuple[Request, Response | Failure]:
    """Where each option has a prompt of its own, the options are shown with theirs."""
    prompts = [p if isinstance(p, str) else "" for p, _ in sent]
    texts = [t if isinstance(t, str) else "" for _, t in sent]
    if kind == "loglikelihood_rolling":
        request = Request(elicit="options", prompt="", options=tuple(prompts[:1]))
    elif len(set(prompts)) > 1:
        request = Request(elicit="options", prompt="", options=tuple(map("".join, zip(prompts, texts, strict=True))))
    else:
        request = Request(elicit="options", prompt=prompts[0] if prompts else "", options=tuple(texts))
    found = [_logprob(one) for one in sequence(row.get("resps"))][: len(request.options)]
    known = [value for value in found if value is not None]
    if not known or len(known) < len(request.options):
        return request, failed("the log lacks the log-probability of an option, or it is not finite")
    return request, Response(option_logprobs=tuple((value,) for value in known))


def _logprob(one: Any) -> float | None:
    """The log-probability in `[["-1.2", "False"]]`, `[-1.2, false]` or `"(-1.2, False)"`.

    >>> _logprob([["-1.2", "False"]]), _logprob(["(-2.5, True)"]), _logprob([[-3.0, True]]), _logprob("x")
    (-1.2, -2.5, -3.0, None)
    """
    while isinstance(one, list | tuple) and one:
        one = one[0]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(one, str) and (found := _LOGPROB.match(one)):
        return written(found[1])
    return written(one)


def _item(name: str, row: Mapping[str, Any], sent: Sequence[tuple[Any, Any]], kind: str, group: str | None) -> Item:
    doc = mapping(row.get("doc"))
    question = next((doc[key] for key in QUESTIONS if isinstance(doc.get(key), str)), None)
    if question is None and sent and isinstance(sent[0][0], str):
        question = sent[0][0][-2000:]
    target = _target(row.get("target"))
    if kind == "multiple_choice" and len(sent) > 1:
        texts = [t.strip() if isinstance(t, str) else "" for _, t in sent]
        if len({p for p, _ in sent if isinstance(p, str)}) > 1:  # the prompts differ, not the continuations
            texts = [p if isinstance(p, str) else "" for p, _ in sent]
        at = _claimed(row, _candidates(target, texts))
        return item_of(name, question, choices=texts, at=at, gold=target, group=group, more=doc)
    choices = _choices(doc) if kind == "generate_until" else []
    at = next(iter(_candidates(target, choices)), None)
    if at is None:
        choices = []
    return item_of(name, question, choices=choices, at=at, gold=[_last(t) for t in target], group=group, more=doc)


def _target(value: Any) -> list[str]:
    many = [t for one in sequence(value) if (t := text(one)) is not None]
    one = text(value)
    return many or ([one] if one is not None else [])


def _last(target: str) -> str:
    """GSM8K's answers hold their solution: what stands behind `####` is the answer.

    >>> _last("3 + 4 = <<3+4=7>>7\\n#### 7"), _last(" Paris")
    ('7', 'Paris')
    """
    return target.rpartition("####")[2].strip()


def _choices(doc: Mapping[str, Any]) -> list[str]:
    for key in ("choices", "options"):
        if (found := doc.get(key)) is None:
            continue
        texts = sequence(dig(found, "text")) or sequence(found)
        if len(texts) > 1 and all(isinstance(t, str) for t in texts):
            return [str(t) for t in texts]
    return []


def _candidates(target: Sequence[str], choices: Sequence[str]) -> list[int]:
    """Which choice the target may mean: by its text, as a position, or by its letter; the likeliest first.

    >>> _candidates(["1"], ["3", "1", "2"]), _candidates(["2"], ["3", "1", "2"]), _candidates(["B"], ["x", "y"])
    ([1], [2], [1])
    """
    out: list[int] = []
    for one in target[:1]:
        plain, texts = one.strip(), list(choices)
        if texts.count(plain) == 1:
            out.append(texts.index(plain))
        if plain.isdecimal() and len(plain) < 3:
            out.append(int(plain))
        if (at := letter_of(plain)) is not None:
            out.append(at)
    return [at for at in dict.fromkeys(out) if at < len(choices)]


def _claimed(row: Mapping[str, Any], candidates: Sequence[int]) -> int | None:
    """Of several readings of a target, the one that the log's own accuracy agrees with."""
    acc, found = number(row.get("acc")), [_logprob(one) for one in sequence(row.get("resps"))]
    known = [value for value in found if value is not None]
    if len(candidates) > 1 and acc in (0.0, 1.0) and known and len(known) == len(found):
        best = known.index(max(known))
        candidates = [at for at in candidates if (at == best) == (acc == 1.0)] or candidates
    return next(iter(candidates), None)
