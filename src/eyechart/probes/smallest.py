"""The smallest part of a change that still changes the answer.

Between two wordings: delta debugging (`stats.ddmin`) over the parts of the change. What is looked for is a part that,
put on the first wording alone, gives the answer of the second; the whole change does, and nothing of it does not, so
both ends hold. The result is 1-minimal: without any one of its parts the second answer does not come; where it has few
parts, all of its own parts are tried too, and none gives it.

Of one wording: what can be left out of it so that the answer changes. Every unit is left out alone, all at once; if
one of them does it, that is a minimum. If none does, units are left out together, those first whose loss alone took
most probability from the answer, until it changes, and the set so found is made 1-minimal by delta debugging. White
space alone is not left out, and an answer that can no longer be read is no other answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, TypeVar

from eyechart.core.flows import Came, Flow
from eyechart.core.records import Call, Capabilities, Failure, NotEstimable, Response
from eyechart.probes.decoding import prompt_of
from eyechart.probes.prompt_values import Given, Minimal, Question, Smallest
from eyechart.probes.seen import NOT_HERE, Kind, Seen, asked, given
from eyechart.probes.wording import Change, Unit, applied, changes, deletions, same_turns, texts_of, with_texts
from eyechart.stats.ddmin import ddmin

NAME = "smallest change"
MOST = 24
"""Units that are left out together at most; beyond, little of the question is left."""
THOROUGH = 4
"""Parts of a result up to which every proper part of it is tried as well: 14 looks at the most."""
LARGEST = 400
"""Units of a prompt, or parts of a change, that are gone through; a prompt of more is cut by lines instead."""
ANSWERING: tuple[Kind, ...] = ("answer", "options", "top", "next")
"""What holds the answer, the first that is asked for."""
LOOKS = 500
"""Prompts that are tried at the most: delta debugging of n parts may take n squared."""
Pieces = tuple[str, ...]
T = TypeVar("T")
Asks = Generator[Sequence[Call], Sequence[Came], T]


class _Failing(Exception):
    """A call failed: nothing can be said. Never leaves this file."""


def smallest_change(
    a: Question,
    b: Question,
    unit: Unit,
    able: Capabilities,
    *,
    pieces: tuple[Pieces | None, Pieces | None] = (None, None),
) -> Flow[Smallest | NotEstimable]:
    """The smallest part of the change from `a` to `b`, in `unit`, that gives the answer of `b`.

    `pieces`: the tokens of each prompt, for `tokens`. NotEstimable where the answers do not differ, where the
    prompts do not (another field moved the answer), where they have other turns or options, and where a call failed.

    >>> from eyechart.core.flows import canned
    >>> from eyechart.core.records import Request
    >>> def wording(text):
    ...     return Question(name=text, request=Request(elicit="next", prompt=text), options=(" yes", " no"))
    >>> def model(call):
    ...     yes = 0.9 if "really" in call.request.prompt else 0.1
    ...     return Response(option_logprobs=((math.log(yes),), (math.log(1 - yes),)))
    >>> a, b = wording("Is it good?"), wording("Is it really so very good, then?")
    >>> found = canned(smallest_change(a, b, "words", Capabilities(options=True)), model)
    >>> [c.after for c in found.chosen], found.of, found.prompt
    (['really'], 9, 'Is it reallygood?')
    """
    try:
        return (yield from _change(a, b, unit, able, pieces))
    except _Failing as failing:
        return NotEstimable(name=NAME, reason=str(failing))


def smallest_deletion(
    a: Question, unit: Unit, able: Capabilities, *, pieces: Pieces | None = None
) -> Flow[Smallest | NotEstimable]:
    """The smallest deletion, in `unit`, after which the answer to `a` is another one; see the module.

    NotEstimable where nothing that was tried changes it, where `a` has no answer, and where a call failed.
    """
    try:
        return (yield from _deletion(a, unit, able, pieces))
    except _Failing as failing:
        return NotEstimable(name=NAME, reason=str(failing))


def _change(
    a: Question, b: Question, unit: Unit, able: Capabilities, pieces: tuple[Pieces | None, Pieces | None]
) -> Asks[Smallest | NotEstimable]:
    if not same_turns(a.request, b.request):
        return NotEstimable(name=NAME, reason="the two prompts have other turns")
    if (a.item and a.item.choices) != (b.item and b.item.choices) or a.options != b.options or a.labels != b.labels:
        return NotEstimable(name=NAME, reason="the two are asked with other options, or in another order")
    parts = changes(texts_of(a.request), texts_of(b.request), unit, pieces)
    if not parts:
        return NotEstimable(name=NAME, reason="the two prompts are the same text")
    if len(parts) > LARGEST:
        return NotEstimable(name=NAME, reason=f"the change has {len(parts):,} parts; look at it by lines")
    before, after = yield from _given(a, [(), parts], able)
    if before.answer == after.answer:
        return NotEstimable(name=NAME, reason="the answer is the same for both prompts")
    looks = _Looks(a, parts, able, {(): before, tuple(range(len(parts))): after})
    kept, minimal = yield from looks.reduce(range(len(parts)), lambda one: one.answer == after.answer)
    return looks.found("change", unit, kept, minimal)


def _deletion(a: Question, unit: Unit, able: Capabilities, pieces: Pieces | None) -> Asks[Smallest | NotEstimable]:
    parts = deletions(texts_of(a.request), unit, pieces)
    if len(parts) > LARGEST:
        return NotEstimable(name=NAME, reason=f"the prompt has {len(parts):,} {unit}; look at it by lines")
    seen = yield from _seen(a, [(), *([part] for part in parts)], able)
    before, alone = given(seen[0]), [given(one) for one in seen[1:]]
    if before.answer is None:
        return NotEstimable(name=NAME, reason=f"there is no answer that could change: {before.reason}")
    single = [i for i, one in enumerate(alone) if _other(one, before)]
    if single:
        best = min(single, key=lambda i: len(parts[i].before))
        also = tuple(parts[i] for i in single if i != best)
        looks = _Looks(a, parts, able, {(): before, (best,): alone[best]}, len(seen))
        return replace(looks.found("deletion", unit, (best,), "minimum"), also=also)
    support = [_support(one, seen[0]) for one in seen[1:]]
    order = sorted(range(len(parts)), key=lambda i: support[i])[:MOST]
    ladder = [sorted(order[: n + 1]) for n in range(1, len(order))]
    rungs = yield from _given(a, [[parts[i] for i in rung] for rung in ladder], able)
    first = next((n for n, one in enumerate(rungs) if _other(one, before)), None)
    if first is None:
        reason = f"no single deletion changes the answer, nor do the {len(order)} that weigh most together"
        return NotEstimable(name=NAME, reason=reason, n=len(parts))
    looks = _Looks(a, parts, able, {(): before, tuple(ladder[first]): rungs[first]}, len(seen) + len(ladder))
    kept, minimal = yield from looks.reduce(ladder[first], lambda one: _other(one, before))
    # None does it alone, so two that do are as few as there can be.
    return looks.found("deletion", unit, kept, "minimum" if len(kept) == 2 else minimal)


class _Looks:
    """What was tried of the parts of one change, and how to make a set of them smaller."""

    def __init__(
        self,
        a: Question,
        parts: Sequence[Change],
        able: Capabilities,
        known: dict[tuple[int, ...], Given],
        made: int | None = None,
    ) -> None:
        self.a, self.parts, self.able, self.known = a, parts, able, known
        self.made = len(known) if made is None else made

    def at(self, wanted: tuple[int, ...]) -> Asks[Given]:
        if wanted not in self.known:
            (self.known[wanted],) = yield from _given(self.a, [[self.parts[i] for i in wanted]], self.able)
            self.made += 1
        return self.known[wanted]

    def reduce(self, whole: Sequence[int], holds: Callable[[Given], bool]) -> Asks[tuple[tuple[int, ...], Minimal]]:
        """A subset of `whole` of which `holds` is true and no single part can be left out; where it is small, no
        proper part of it does, and all were tried."""
        search = ddmin(len(whole))
        wanted: tuple[int, ...] | None = next(search)
        kept: tuple[int, ...] = tuple(whole)
        while wanted is not None:
            if self.made >= LOOKS:
                return kept, "unfinished"
            tried = tuple(whole[i] for i in wanted)
            turns = holds((yield from self.at(tried)))
            if turns and len(tried) < len(kept):
                kept = tried
            try:
                wanted = search.send(turns)
            except StopIteration as end:
                ended: tuple[int, ...] = end.value
                kept, wanted = tuple(whole[i] for i in ended), None
        if len(kept) < 2:
            return kept, "minimum"
        if len(kept) > THOROUGH:
            return kept, "1-minimal"
        for size in range(1, len(kept)):
            for fewer in combinations(kept, size):
                if holds((yield from self.at(fewer))):
                    return fewer, "minimum" if size == 1 else "minimal"
        return kept, "minimal"

    def found(
        self, kind: Literal["change", "deletion"], unit: Unit, kept: tuple[int, ...], minimal: Minimal
    ) -> Smallest:
        chosen = tuple(self.parts[i] for i in kept)
        return Smallest(
            kind=kind,
            unit=unit,
            chosen=chosen,
            of=len(self.parts),
            prompt=prompt_of(_worded(self.a, chosen).request),
            before=self.known[()],
            after=self.known[kept],
            looks=self.made,
            minimal=minimal,
        )


def _other(found: Given, before: Given) -> bool:
    return found.answer is not None and found.answer != before.answer


def _worded(a: Question, chosen: Sequence[Change]) -> Question:
    return replace(a, request=with_texts(a.request, applied(texts_of(a.request), chosen)))


def _given(a: Question, sets: Sequence[Sequence[Change]], able: Capabilities) -> Asks[list[Given]]:
    """The answer to `a` with each set of changes."""
    seen = yield from _seen(a, sets, able)
    return [given(one) for one in seen]


def _seen(a: Question, sets: Sequence[Sequence[Change]], able: Capabilities) -> Asks[list[Seen]]:
    """Only what the answer needs is asked: options, a generation, or the likeliest token."""
    questions = [_worded(a, chosen) for chosen in sets]
    wanted: list[tuple[int, Kind, Call]] = []
    for i, question in enumerate(questions):
        every = asked(question, able, attention=False)
        for kind in ANSWERING:
            if (request := every.get(kind)) is not None:
                wanted.append((i, kind, Call(request=request, repeat=0, item=question.item)))
                break
        else:
            raise _Failing(NOT_HERE)
    came = yield [call for _, _, call in wanted]
    out: list[Seen] = []
    for (i, kind, _), one in zip(wanted, came, strict=True):
        if isinstance(one, Failure):
            raise _Failing(one.reason)
        out.append(Seen(question=questions[i], came={kind: one}))
    return out


def _support(seen: Seen, before: Seen) -> float:
    """Log-probability that `seen` leaves to the answer of `before`: of its option against the best other one, else
    of its first token; 0 for all where neither is visible."""
    scored, start = _scores(seen), _scores(before)
    if scored is not None and start is not None:
        best = max(range(len(start)), key=lambda i: start[i])
        return scored[best] - max((x for i, x in enumerate(scored) if i != best), default=0.0)
    if not before.path or not seen.path:
        return 0.0
    token = before.path[0].token
    return max((c.logprob for c in seen.path[0].candidates if c.token == token), default=-math.inf)


def _scores(seen: Seen) -> list[float] | None:
    for one in seen.came.values():
        if isinstance(one, Response) and one.option_logprobs is not None:
            return [math.fsum(tokens) for tokens in one.option_logprobs]
    return None
