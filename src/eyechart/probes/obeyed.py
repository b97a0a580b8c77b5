"""Which decoding parameters does the server follow? Asked so that the answer tells, and says where it cannot.

A few open prompts are asked hot with several seeds, and then with one thing changed that should leave a single
answer: temperature 0, a top_p that holds one token, top_k 1, the same seed twice. Under "the parameter does nothing"
the answers of both kinds are exchangeable, and the exact p of `stats.sameness` says how rare such a difference would
be. So:

- *obeyed* is said at p <= `ALPHA`: of a parameter that does nothing it is said in at most that share of probes;
- *ignored* is said only of prompts that were seen to be open (hot answers that differ), where more than half of the
  pairs that should be equal differ, and p is over `CALM`; where seeds do nothing because one stream serves all, it
  rests on hot answers that leave the greedy path and are yet all the same, which independent draws give with a
  chance under 2^-(seeds - 1) a prompt, since a token off that path has a probability under one half;
- a temperature is also called ignored where every hot answer is the greedy one, although the log-probabilities that
  the backend shows give that a chance of at most `ALPHA`;
- everything else is *cannot tell*, with the reason. A prompt of which the model is sure makes no parameter "ignored".

`max_new_tokens` and `stop` are read off single answers at temperature 0.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any, Literal

from eyechart.core.flows import Came, Flow
from eyechart.core.records import Call, Message, Request, Response
from eyechart.stats.sameness import equal_pairs, groups_p, twins_p

ALPHA = 0.001
CALM = 0.05
HOT = 1.5
LONG, SHORT = 24, 5
"""Tokens of an answer, and of one that is cut."""
SEEDS = 5
NARROW = 1e-6
"""A top_p that holds one token whatever the model: the likeliest of a million has more."""
PROMPTS = (
    "Once upon a time, in a small village by the sea, there lived",
    "Here is a list of ten unusual names for a cat:\n1.",
    "Dear diary, today I went to the market and bought",
)
"""Open on purpose: nobody could say how they go on."""

Saying = tuple[str, tuple[tuple[str, str], ...]]
"""What was seen: the key of a sentence in the catalogue of reports, and what is put into it."""
Verdict = Literal["obeyed", "ignored", "cannot tell"]
NAMES = ("temperature", "top_p", "top_k", "seed", "max_new_tokens", "stop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obeyed:
    """What became of one parameter."""

    name: str
    verdict: Verdict
    evidence: tuple[Saying, ...]
    """What was seen, in order."""
    calls: int
    """Answers it rests on."""
    p: float | None = None
    """Of "it does nothing"; None where nothing was tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """All of them."""

    parameters: tuple[Obeyed, ...]
    calls: int
    failed: int
    open_prompts: int
    """Of `PROMPTS`: how many gave different texts when asked hot."""
    notes: tuple[Saying, ...] = ()


def said(key: str, **params: str | int) -> Saying:
    """
    >>> said("limit_passed", n=2)
    ('limit_passed', (('n', '2'),))
    """
    return key, tuple((name, str(value)) for name, value in params.items())


@dataclass(frozen=True, slots=True)
class _Texts:
    """Answers of all prompts under one setting: [prompts][answers]; None for a call that failed."""

    rows: tuple[tuple[str | None, ...], ...]
    sure: tuple[float | None, ...] = ()
    """Log-probability of the first answer of each prompt, at temperature 1; None where not shown."""

    def pairs(self) -> tuple[int, int]:
        """Equal pairs, and all."""
        rows = [_known(row) for row in self.rows]
        return sum(equal_pairs(r) for r in rows), sum(len(r) * (len(r) - 1) // 2 for r in rows)


def probe_parameters(
    *, chat: bool = False, ignores: Sequence[str] = (), shows: bool = False, prompts: Sequence[str] = PROMPTS
) -> Flow[Probed]:
    """Ask, and tell. 84 calls of at most `LONG` tokens each, for three prompts.

    `chat`: as messages, for a study that asks so. `ignores`: parameters that the backend itself says it cannot
    send; they are not asked. `shows`: whether it shows the log-probabilities of a generation; then a temperature
    can be called ignored where nothing is ever drawn.

    >>> from eyechart.core.flows import canned
    >>> found = canned(probe_parameters(), lambda call: Response(text="the same"))
    >>> {o.verdict for o in found.parameters if o.name != "stop"}
    {'cannot tell'}
    """
    asks = _Asker(chat, tuple(prompts))
    unsent = {name: Obeyed(name=name, verdict="cannot tell", evidence=(said("unsent"),), calls=0) for name in ignores}
    if "temperature" in ignores:
        return Probed(
            parameters=tuple(unsent.get(name, replace(unsent["temperature"], name=name)) for name in NAMES),
            calls=0, failed=0, open_prompts=0,
        )  # fmt: skip
    seeded = "seed" not in ignores
    # Seeds at temperature 0 as well: only the temperature differs, also where a server has one seed for all without.
    shown = {"candidates": 1} if shows else {}
    cold = yield from asks.ask(SEEDS, lambda i: _hot(3000 + i, seeded) | {"temperature": 0.0} | shown, again=not seeded)
    hot = yield from asks.ask(SEEDS, lambda i: _hot(1000 + i, seeded), again=not seeded)
    found = {"temperature": _setting("temperature", "temperature 0", cold, hot)}
    for name, value in (("top_p", NARROW), ("top_k", 1)):
        if name not in ignores:
            one = yield from asks.ask(
                SEEDS, lambda i, more={name: value}: _hot(2000 + i, seeded) | more, again=not seeded
            )
            found[name] = _setting(name, f"{name} {value:g}", one, hot)
    if seeded:
        twin = yield from asks.ask(SEEDS, lambda i: _hot(1000 + i, seeded), repeat=1)
        found["seed"] = _seed(hot, twin, cold)
    if "max_new_tokens" not in ignores:
        found["max_new_tokens"] = yield from _limit(asks)
    if "stop" not in ignores:
        found["stop"] = yield from _stop(asks, cold)
    opened = sum(len(set(_known(row))) > 1 for row in hot.rows)
    return Probed(
        parameters=tuple(found.get(name) or unsent[name] for name in NAMES),
        calls=asks.calls,
        failed=asks.failed,
        open_prompts=opened,
        notes=_notes(cold, hot),
    )


def _params(temperature: float, **more: Any) -> dict[str, Any]:
    return {"temperature": temperature, "max_new_tokens": LONG, **more}


def _hot(seed: int, seeded: bool) -> dict[str, Any]:
    return _params(HOT, **({"seed": seed} if seeded else {}))


class _Asker:
    """Puts the prompts, and counts."""

    def __init__(self, chat: bool, prompts: tuple[str, ...]) -> None:
        self.chat, self.prompts, self.calls, self.failed = chat, prompts, 0, 0

    def put(self, requests: Sequence[tuple[Request, int]]) -> Flow[list[Came]]:
        came = yield [Call(request=request, repeat=repeat) for request, repeat in requests]
        self.calls += len(came)
        self.failed += sum(not isinstance(c, Response) for c in came)
        return list(came)

    def request(self, prompt: str, params: dict[str, Any]) -> Request:
        listed = tuple(sorted(params.items()))
        if self.chat:
            return Request(elicit="generate", messages=(Message(role="user", content=prompt),), params=listed)
        return Request(elicit="generate", prompt=prompt, params=listed)

    def ask(
        self, count: int, params: Callable[[int], dict[str, Any]], *, repeat: int = 0, again: bool = False
    ) -> Generator[Sequence[Call], Sequence[Came], _Texts]:
        """`count` answers of each prompt. `again`: the same request so often, else one each of `params`."""
        asked = [
            (self.request(prompt, params(i)), i if again else repeat) for prompt in self.prompts for i in range(count)
        ]
        came = yield from self.put(asked)
        texts = [c.text if isinstance(c, Response) else None for c in came]
        starts = range(0, len(texts), count)
        return _Texts(tuple(tuple(texts[at : at + count]) for at in starts), tuple(_sure(came[at]) for at in starts))


def _sure(came: Came) -> float | None:
    path = came.path if isinstance(came, Response) else None
    steps = [step.logprob for step in path or ()]
    return sum(x for x in steps if x is not None) if steps and None not in steps else None


def _known(row: Sequence[str | None]) -> list[str]:
    return [text for text in row if text is not None]


def _setting(name: str, setting: str, calm: _Texts, hot: _Texts) -> Obeyed:
    """A setting that should leave one answer a prompt, against answers that were drawn."""
    both = [(_known(c), _known(h)) for c, h in zip(calm.rows, hot.rows, strict=True)]
    usable = [(c, h) for c, h in both if len(c) > 1 and len(h) > 1 and any(text.strip() for text in (*c, *h))]
    calls = sum(len(c) + len(h) for c, h in usable)
    if not usable:
        return Obeyed(name=name, verdict="cannot tell", evidence=(said("too_few"),), calls=calls)
    opened = [(c, h) for c, h in usable if len(set(h)) > 1]
    equal, pairs = sum(equal_pairs(c) for c, _ in usable), sum(len(c) * (len(c) - 1) // 2 for c, _ in usable)
    hot_equal, hot_pairs = sum(equal_pairs(h) for _, h in usable), sum(len(h) * (len(h) - 1) // 2 for _, h in usable)
    _, p = groups_p(usable)
    evidence = [
        said("pairs", setting=setting, equal=equal, pairs=pairs, hot=f"{HOT:g}", drawn=hot_equal, others=hot_pairs)
    ]
    verdict: Verdict = "cannot tell"
    if p <= ALPHA:
        verdict = "obeyed"
        if equal < pairs:
            evidence.append(said("something_else"))
    elif not opened and name == "temperature" and (chance := _never_drawn(calm, hot)) <= ALPHA:
        verdict, p = "ignored", chance
        evidence.append(said("greedy_only"))
    elif not opened:
        evidence.append(said("not_open"))
    elif p > CALM and 2 * equal < pairs:
        verdict = "ignored"
    return Obeyed(name=name, verdict=verdict, evidence=tuple(evidence), calls=calls, p=p)


def _never_drawn(calm: _Texts, hot: _Texts) -> float:
    """Bound on the chance that draws at `HOT` would all give the greedy text; 1 where nothing is shown.

    A temperature over 1 makes the likeliest token less likely, so that P(greedy text) at `HOT` is at most its
    probability at 1."""
    chance = 0.0
    for row, greedy, sure in zip(hot.rows, calm.rows, calm.sure, strict=True):
        texts = _known(row)
        if sure is not None and texts and greedy[0] is not None and set(texts) == {greedy[0]}:
            chance += sure * len(texts)
    return exp(chance)


def _seed(hot: _Texts, twin: _Texts, cold: _Texts) -> Obeyed:
    """The same seed twice, against different seeds."""
    rows = [
        [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        for first, second in zip(hot.rows, twin.rows, strict=True)
    ]
    usable = [row for row in rows if len(row) > 1]
    calls = sum(2 * len(row) for row in usable)
    if not usable:
        return Obeyed(name="seed", verdict="cannot tell", evidence=(said("too_few"),), calls=calls)
    equal, p = twins_p(usable)
    twins = sum(len(row) for row in usable)
    distinct = [len({text for pair in row for text in pair}) for row in usable]
    evidence = [said("twins", equal=equal, twins=twins)]
    if max(distinct) == 1:
        return _one_stream(usable, cold, calls, evidence)
    other = sum(equal_pairs([a for a, _ in row]) for row in usable)
    pairs = sum(len(row) * (len(row) - 1) // 2 for row in usable)
    evidence.append(said("twins_other", equal=other, pairs=pairs))
    verdict: Verdict = "cannot tell"
    if p <= ALPHA:
        verdict = "obeyed"
        if equal < twins:
            evidence.append(said("something_else"))
    elif p > CALM and 2 * equal < twins:
        verdict = "ignored"
    return Obeyed(name="seed", verdict=verdict, evidence=tuple(evidence), calls=calls, p=p)


def _one_stream(rows: Sequence[Sequence[tuple[str, str]]], cold: _Texts, calls: int, evidence: list[Saying]) -> Obeyed:
    """All hot answers of each prompt are one text: nothing drawn, or drawn with one seed for all?"""
    greedy = [set(_known(row)) for row in cold.rows]
    left = [row for row, texts in zip(rows, greedy, strict=False) if len(texts) == 1 and row[0][0] not in texts]
    chance = 1.0
    for row in left:
        chance *= 0.5 ** (len(row) - 1)
    evidence.append(said("one_text"))
    if left and chance <= ALPHA:
        evidence.append(said("one_stream"))
        return Obeyed(name="seed", verdict="ignored", evidence=tuple(evidence), calls=calls, p=chance)
    evidence.append(said("nothing_drawn"))
    return Obeyed(name="seed", verdict="cannot tell", evidence=tuple(evidence), calls=calls)


def _limit(asks: _Asker) -> Flow[Obeyed]:
    """Short and long answers of the same prompts, at temperature 0."""
    requests = [asks.request(p, _params(0.0) | {"max_new_tokens": n}) for p in asks.prompts for n in (SHORT, LONG)]
    came = yield from asks.put([(request, 9) for request in requests])
    followed, passed, told = 0, 0, 0
    for short, long in zip(came[::2], came[1::2], strict=True):
        if not isinstance(short, Response) or not isinstance(long, Response):
            continue
        told += 1
        made, text, more = short.completion_tokens, short.text or "", long.text or ""
        words = len(text.split())
        if (made is not None and made > SHORT) or words > SHORT:  # no token holds two words
            passed += 1
        elif len(text) < len(more) and (made is None or made <= SHORT):
            followed += 1
    evidence = [said("limit_ends", limit=SHORT, n=followed, all=told)]
    if passed:
        evidence = [said("limit_passed", limit=SHORT, n=passed, all=told)]
    verdict: Verdict = "ignored" if passed else "obeyed" if told and followed == told else "cannot tell"
    if verdict == "cannot tell" and told:
        evidence.append(said("limit_own"))
    return Obeyed(name="max_new_tokens", verdict=verdict, evidence=tuple(evidence), calls=2 * told)


def _stop(asks: _Asker, cold: _Texts) -> Flow[Obeyed]:
    """A word out of the middle of the greedy answer, as a stop."""
    tried: list[tuple[Request, str, str]] = []
    for prompt, row in zip(asks.prompts, cold.rows, strict=True):
        text = next(iter(_known(row)), "")
        if word := _middle(text):
            tried.append((asks.request(prompt, _params(0.0, stop=(word,))), word, text))
    if not tried:
        return Obeyed(name="stop", verdict="cannot tell", evidence=(said("no_middle"),), calls=0)
    came = yield from asks.put([(request, 0) for request, _, _ in tried])
    followed, passed, told = 0, 0, 0
    for (_, word, text), got in zip(tried, came, strict=True):
        if not isinstance(got, Response):
            continue
        told += 1
        short = got.text or ""
        if word in short.removesuffix(word):
            passed += 1
        elif short.removesuffix(word) == text[: text.find(word)]:
            followed += 1
    if passed:
        evidence = said("stop_passed", n=passed, all=told)
        return Obeyed(name="stop", verdict="ignored", evidence=(evidence,), calls=told)
    evidence = said("stop_ends", n=followed, all=told)
    verdict: Verdict = "obeyed" if told and followed == told else "cannot tell"
    return Obeyed(name="stop", verdict=verdict, evidence=(evidence,), calls=told)


def _middle(text: str) -> str | None:
    """A word of the second half of `text` that does not stand in the first, with the space before it.

    >>> _middle("one two three four five six"), _middle("yes")
    (' five', None)
    """
    words = text.split(" ")
    for at in range(len(words) // 2 + 1, len(words) - 1):
        found = " " + words[at]
        before = " ".join(words[:at])
        if len(words[at]) > 2 and words[at].isalpha() and found not in before and at > 1:
            return found
    return None


def _notes(cold: _Texts, hot: _Texts) -> tuple[Saying, ...]:
    equal, pairs = cold.pairs()
    hot_equal, hot_pairs = hot.pairs()
    if pairs and equal == pairs and hot_equal == hot_pairs and cold.rows == hot.rows:
        return (said("same_text"),)
    if 0 < equal < pairs and 2 * equal >= pairs:
        return (said("cold_varies"),)
    return ()
