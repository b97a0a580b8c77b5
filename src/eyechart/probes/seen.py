"""What a prompt probe asks about one wording, and what came back.

Of each wording it is asked: the answer as the evaluation asks it (greedily), the whole distribution of the next token
where the backend shows it, else its likeliest tokens; the log-probabilities of the options; the attention of the last
position. What the backend cannot show is not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

import numpy as np

from eyechart.core.flows import Came, Flow
from eyechart.core.records import Call, Capabilities, Failure, PathStep, Request, Response
from eyechart.probes.decoding import shown
from eyechart.probes.prompt_values import Given, Question, Where
from eyechart.reading import read_response
from eyechart.score.options import choose
from eyechart.stats.divergence import Floats
from eyechart.stats.packed import unpack

VISIBLE = 20
"""Candidates asked for at every step: as many as servers in wide use give."""
NOT_HERE = "not measurable here: this backend shows no probabilities of tokens"
Kind = Literal["answer", "options", "next", "top", "attention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came back about one question."""

    question: Question
    came: Mapping[Kind, Came]

    def response(self, kind: Kind) -> Response | None:
        found = self.came.get(kind)
        return found if isinstance(found, Response) else None

    @property
    def failure(self) -> Failure | None:
        """Why there is no answer."""
        found = self.came.get("answer") or self.came.get("options") or self.came.get("next") or self.came.get("top")
        return found if isinstance(found, Failure) else None

    @property
    def path(self) -> tuple[PathStep, ...]:
        """The greedy path, or its first step; empty where it is not shown."""
        for kind in ("answer", "top"):
            response = self.response(kind)
            if response is not None and response.path:
                return response.path
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A decisive position, before it is looked at."""

    where: Where
    step: int
    prefix: str
    """What was generated before it."""


def greedy(request: Request) -> Request:
    """The same request with nothing left to chance.

    >>> greedy(Request(elicit="generate", prompt="p", params=(("seed", 1), ("temperature", 0.7)))).params
    (('temperature', 0.0),)
    """
    if request.elicit != "generate":
        return request
    dropped = ("temperature", "top_p", "top_k", "min_p", "seed")
    kept = [(name, value) for name, value in request.params if name not in dropped]
    return replace(request, params=tuple(sorted([*kept, ("temperature", 0.0)])))


def asked(question: Question, able: Capabilities, attention: bool) -> dict[Kind, Request]:
    """Every request that the probe makes of one question. What the backend cannot show is not asked for."""
    request = greedy(question.request)
    bare = replace(request, elicit="next", options=(), params=())
    one = replace(bare, elicit="generate", params=(("max_new_tokens", 1), ("temperature", 0.0)))
    out: dict[Kind, Request] = {}
    if request.elicit == "generate":
        out["answer"] = shown(request, VISIBLE) if able.token_logprobs else request
    elif request.elicit == "options":
        out["answer"] = request
    if question.options and able.options and request.elicit != "options":
        out["options"] = replace(bare, elicit="options", options=question.options)
    if able.full_distribution:
        out["next"] = bare
    if able.token_logprobs and request.elicit != "generate":
        out["top"] = shown(one, VISIBLE)
    if attention and able.attention:
        out["attention"] = replace(bare, elicit="attention")
    return out


def gather(questions: Sequence[Question], able: Capabilities, *, attention: bool = True) -> Flow[tuple[Seen, ...]]:
    """Ask everything about all questions at once."""
    wanted: list[tuple[int, Kind, Request]] = []
    for i, question in enumerate(questions):
        for kind, request in asked(question, able, attention).items():
            wanted.append((i, kind, request))
    came = yield [Call(request=request, repeat=0, item=questions[i].item) for i, _, request in wanted]
    found: list[dict[Kind, Came]] = [{} for _ in questions]
    for (i, kind, _), one in zip(wanted, came, strict=True):
        found[i][kind] = one
    return tuple(Seen(question=q, came=got) for q, got in zip(questions, found, strict=True))


def given(seen: Seen) -> Given:
    """The answer, by content.

    Of a bare text it is the likeliest option, or the likeliest next token where there are no options.
    """
    question, answer = seen.question, seen.response("answer")
    if question.reading is not None and question.item is not None and answer is not None:
        item, labels = question.item, question.labels
        found, score = read_response(answer, item, labels, question.reading, question.request.options)
        value = found.value
        if value in labels and value not in item.choices and len(labels) == len(item.choices):
            value = item.choices[labels.index(value)]
        return Given(answer=value, reason=found.reason, outcome=score.outcome)
    scored, steps = seen.response("options"), seen.path
    if scored is not None and scored.option_logprobs is not None:
        index, reason = choose(scored.option_logprobs, question.options, "none")
        return Given(answer=None if index is None else question.options[index], reason=reason)
    if steps and steps[0].candidates:
        return Given(answer=steps[0].candidates[0].token)
    whole = whole_of(seen.came.get("next"))
    if whole is not None:
        return Given(answer=f"token {int(whole.argmax())}")
    return Given(answer=None, reason=NOT_HERE)


def places(a: Seen, b: Seen) -> tuple[Place, ...]:
    """The decisive positions of two wordings, in order."""
    out = [Place(where="first", step=0, prefix="")]
    if a.question.request.elicit != "generate" or not a.path or not b.path:
        return tuple(out)
    parting = _parting(a.path, b.path)
    found = [_answer_step(side) for side in (a, b)]
    begins = min((step for step in found if step is not None), default=None)
    shared = len(a.path) if parting is None else parting
    if begins is not None and 0 < begins < shared:
        out.append(Place(where="answer", step=begins, prefix=_text(a.path[:begins])))
    if parting is not None and 0 < parting < min(len(a.path), len(b.path)):
        out.append(Place(where="parting", step=parting, prefix=_text(a.path[:parting])))
    return tuple(out)


def deepen(wanted: Sequence[tuple[Seen, Sequence[Place]]], able: Capabilities) -> Flow[tuple[Mapping[int, Came], ...]]:
    """The whole distributions at the places behind the first, by step; nothing where the backend shows none.

    A chat cannot be taken up in the middle of an answer, so its later places have only the likeliest tokens.
    """
    calls: list[tuple[int, int, Call]] = []
    for i, (side, spots) in enumerate(wanted):
        request = side.question.request
        for place in spots:
            if place.step and able.full_distribution and request.prompt is not None:
                after = Request(elicit="next", prompt=request.prompt + place.prefix)
                calls.append((i, place.step, Call(request=after, repeat=0, item=side.question.item)))
    out: list[dict[int, Came]] = [{} for _ in wanted]
    if calls:
        came = yield [call for _, _, call in calls]
        for (i, step, _), one in zip(calls, came, strict=True):
            out[i][step] = one
    return tuple(out)


def whole_of(found: Came | None) -> Floats | None:
    """The log-probabilities of the whole vocabulary, [V]; None where they are not shown."""
    if not isinstance(found, Response) or found.distribution is None:
        return None
    return unpack(found.distribution).astype(np.float64)


def _parting(a: Sequence[PathStep], b: Sequence[PathStep]) -> int | None:
    for i, (one, two) in enumerate(zip_longest(a, b)):
        if one is None or two is None or (one.token, one.id) != (two.token, two.id):
            return i
    return None


def _text(steps: Sequence[PathStep]) -> str:
    return "".join(step.token for step in steps)


def _answer_step(side: Seen) -> int | None:
    """The step that wrote the first character of the answer; None where none was read, or tokens do not add up."""
    question, response = side.question, side.response("answer")
    if response is None or response.text is None or question.item is None or question.reading is None:
        return None
    found, _ = read_response(response, question.item, question.labels, question.reading, ())
    if found.span is None or not _text(side.path).startswith(response.text):
        return None
    at = 0
    for i, step in enumerate(side.path):
        at += len(step.token)
        if at > found.span[0]:
            return i
    return None
