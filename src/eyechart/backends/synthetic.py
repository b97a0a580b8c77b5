"""A model whose true accuracy, factor effects and noise are set by hand: ground truth for statistics.

    model:
      backend: synthetic
      options:
        accuracy: 0.7          # mean over items
        item_sd: 0.15          # spread of difficulty over items
        effects:               # added to the probability of a right answer
          - {when: {temperature: 0.7}, add: -0.1}
          - {when: {contains: "Answer with one word"}, add: 0.05}
          - {when: {elicit: options}, add: 0.1}
        latency: 0.0           # seconds a batch
        failing: 0.0           # share of calls that end as a failure
        seed: 0

It sees the item (no other backend does) and draws right or wrong with the planted probability: at
temperature 0 one draw a request, the same for every repeat; when sampled, a new one a seed. A
probability is held within [0, 1], so effects are exact only where no item reaches the edge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from eyechart.backends.shown import refused
from eyechart.core.errors import InputError
from eyechart.core.identity import canonical, digest, request_digest, rng_for
from eyechart.core.records import Call, Capabilities, Engine, Failure, Item, Request, Response, Scalar
from eyechart.core.registry import hint
from eyechart.core.spec import Model


@dataclass(frozen=True, kw_only=True)
class Synthetic:
    accuracy: float = 0.7
    item_sd: float = 0.15
    effects: tuple[Mapping[str, Any], ...] = ()
    latency: float = 0.0
    failing: float = 0.0
    seed: int = 0
    written: str = " {answer}"
    """How an answer is written."""

    capabilities = Capabilities(generate=True, options=True, seeds=True, operational=("latency",))
    batch = 16
    concurrency = 4

    def engine(self) -> Engine:
        stated = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "latency"}
        return Engine(backend="synthetic", facts=(("settings", digest("o1", canonical(stated))), ("version", 1)))

    def facts(self) -> Mapping[str, Scalar]:
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        if self.latency:
            await asyncio.sleep(self.latency)
        return [self._answer(call) for call in calls]

    async def close(self) -> None:
        return None

    def probability(self, request: Request, item: Item) -> float:
        """The planted probability of a right answer to `request` about `item`."""
        half = min(self.item_sd * 3**0.5, self.accuracy, 1 - self.accuracy)  # uniform: the mean stays put
        base = self.accuracy + half * (2 * rng_for(self.seed, item.id, "difficulty").random() - 1)
        added = sum(float(e["add"]) for e in self.effects if _holds(e["when"], request))
        return min(1.0, max(0.0, base + added))

    def _answer(self, call: Call) -> Response | Failure:
        request, item = call.request, call.item
        if (failure := refused(request, self.capabilities)) is not None:
            return failure
        if item is None or not item.gold:
            return Failure(kind="bad_request", reason="the synthetic model needs an item with a gold answer")
        # Greedy: one draw a request. Sampled: the request holds the seed, and a repeat is a new draw.
        repeat = call.repeat if request.param("temperature", 0) else 0
        rng = rng_for(self.seed, request_digest(request), repeat, "verdict")
        right = bool(rng.random() < self.probability(request, item))
        if self.failing and rng_for(self.seed, request_digest(request), repeat, "failing").random() < self.failing:
            return Failure(kind="server_error", reason="planted failure")
        if request.elicit == "options":
            return _scored(request, item, right, int(rng.integers(1 << 30)))
        answer = item.gold[0] if right else _wrong(item, int(rng.integers(1 << 30)))
        return Response(
            text=self.written.replace("{answer}", answer),
            finish_reason="stop",
            prompt_tokens=len(_text(request).split()),
            completion_tokens=1,
            served_model="synthetic",
        )


def _text(request: Request) -> str:
    if request.prompt is not None:
        return request.prompt
    return "\n".join(m.content for m in request.messages)


def _holds(when: Mapping[str, Any], request: Request) -> bool:
    for key, value in when.items():
        if key == "contains":
            if str(value) not in _text(request):
                return False
        elif key == "elicit":
            if request.elicit != value:
                return False
        elif request.param(key) != value:
            return False
    return True


def _wrong(item: Item, draw: int) -> str:
    others = [c for i, c in enumerate(item.choices) if i != item.gold_index and c not in item.gold]
    if others:
        return others[draw % len(others)]
    try:
        return str(int(item.gold[0]) + 1 + draw % 9)
    except ValueError:
        return f"not {item.gold[0]}"


def _scored(request: Request, item: Item, right: bool, draw: int) -> Response | Failure:
    if item.gold_index is None or len(request.options) != len(item.choices):
        return Failure(kind="bad_request", reason="the synthetic model scores options of choice items only")
    others = [i for i in range(len(request.options)) if i != item.gold_index]
    best = item.gold_index if right or not others else others[draw % len(others)]
    rows = tuple((-0.2,) if i == best else (-2.0 - 0.01 * i,) for i in range(len(request.options)))
    return Response(option_logprobs=rows, served_model="synthetic", prompt_tokens=len(_text(request).split()))


def open_backend(model: Model) -> Synthetic:
    """Raises InputError for an option that is not there or an effect without `when` and `add`."""
    options = dict(model.options or {})
    known = [f.name for f in fields(Synthetic)]
    for key in options:
        if key not in known:
            advice = hint(key, known)
            raise InputError(f"the synthetic model has no option {key}; {advice}", field=f"model.options.{key}")
    effects = options.get("effects") or ()
    for effect in cast("Sequence[Any]", effects):
        if not isinstance(effect, Mapping) or set(cast("Mapping[str, Any]", effect)) != {"when", "add"}:
            raise InputError(
                "write each effect as {when: {temperature: 0.7}, add: -0.1}", field="model.options.effects"
            )
    options["effects"] = tuple(cast("Sequence[Mapping[str, Any]]", effects))
    return Synthetic(**options)
