"""A judge whose biases are set by hand: ground truth for what an audit says of judges.

    model:
      backend: simulated_judge
      options:
        quality: 1.6           # weight of the true difference in quality, which is standard normal
        position: 0.7          # log-odds in favour of the first slot
        length: 0.9            # for the log of the ratio of lengths
        own: {model: M1, add: 0.6}
        likes:                 # for an answer that holds such a text
          - {contains: "**", add: 0.5}
        short: {words: 8, add: -8}      # for an answer of fewer words; without it an empty answer may win
        leniency: 0.0          # points of the scale, on single answers
        compression: 1.0       # what differences on the scale are multiplied by
        wobble: 0.5            # new noise of every repeat, where it is sampled
        ties: 0.05             # share of pairs it calls a tie, where it may
        unreadable: 0.02       # share of verdicts that nobody can read
        seed: 0

It sees the item (no other backend but `synthetic` does). Whether it prefers a is drawn with these log-odds,
once an item: its taste is the same whichever answer is shown first, so that without biases and without
wobble nothing moves it. It obeys the last sentence of the built-in prompts of `judge` (labels, scale and
direction) and writes nothing else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, cast

from eyechart.backends.shown import refused
from eyechart.core.errors import InputError
from eyechart.core.identity import canonical, digest, request_digest, rng_for
from eyechart.core.records import Call, Capabilities, Engine, Failure, Item, Request, Response, Scalar
from eyechart.core.registry import hint
from eyechart.core.spec import Model

_MENU = re.compile(r"(?:where X is|nothing but) one of: ([^\n]*)\.\s*$")
_LETTERS: Sequence[str] = ("A", "B")
_RANGE = re.compile(r"a number from (\S+) \((worst|best)\) to (\S+) \((?:worst|best)\)\.\s*$")


@dataclass(frozen=True, kw_only=True)
class SimulatedJudge:
    quality: float = 1.6
    position: float = 0.0
    length: float = 0.0
    own: Mapping[str, Any] = field(default_factory=dict[str, Any])
    likes: tuple[Mapping[str, Any], ...] = ()
    short: Mapping[str, Any] = field(default_factory=dict[str, Any])
    leniency: float = 0.0
    compression: float = 1.0
    wobble: float = 0.0
    ties: float = 0.0
    unreadable: float = 0.0
    seed: int = 0

    capabilities = Capabilities(generate=True, seeds=True)
    batch = 64
    concurrency = 1

    def engine(self) -> Engine:
        stated = {f.name: getattr(self, f.name) for f in fields(self)}
        return Engine(backend="simulated_judge", facts=(("settings", digest("o1", canonical(stated))), ("version", 1)))

    def facts(self) -> Mapping[str, Scalar]:
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [self._answer(call) for call in calls]

    async def close(self) -> None:
        return None

    def worth(self, item: Item, side: str) -> float:
        """The true quality of an answer of `item`: standard normal, and the same however the answer is written."""
        return float(rng_for(self.seed, item.id, side, "quality").standard_normal())

    def log_odds(self, item: Item) -> float:
        """Of preferring the answer in the first slot to the one in the second, repeats aside."""
        first, second = ("b", "a") if item.fields.get("swapped") else ("a", "b")
        odds = self.quality * (self.worth(item, first) - self.worth(item, second)) + self.position
        odds += self.length * math.log(_size(item, "output_a") / _size(item, "output_b"))
        return odds + self._taste(item, "_a") - self._taste(item, "_b")

    def _taste(self, item: Item, slot: str) -> float:
        """What model and manner of the answer in a slot are worth to this judge."""
        text = str(item.fields.get(f"output{slot}", ""))
        found = sum(float(like["add"]) for like in self.likes if str(like["contains"]) in text)
        if self.short and len(text.split()) < self.short["words"]:
            found += float(self.short["add"])
        own = self.own.get("model")
        return found + (float(self.own["add"]) if own and item.fields.get(f"model{slot}") == own else 0.0)

    def _answer(self, call: Call) -> Response | Failure:
        if (failure := refused(call.request, self.capabilities)) is not None:
            return failure
        if call.item is None:
            return Failure(kind="bad_request", reason="the simulated judge is asked for text about an item")
        if "output_a" not in call.item.fields and "output" not in call.item.fields:
            return Failure(kind="bad_request", reason="the simulated judge sees no answer to judge")
        text = self._said(call.request, call.item, call.repeat if call.request.param("temperature", 0) else 0)
        return Response(text=text, finish_reason="stop", served_model="simulated judge", completion_tokens=1)

    def _said(self, request: Request, item: Item, repeat: int) -> str:
        rng = rng_for(self.seed, request_digest(request), repeat, "verdict")
        if rng.random() < self.unreadable:
            return "It depends on what is wanted."
        again = self.wobble * float(rng.logistic()) if request.param("temperature", 0) else 0.0
        asked = _asked(request)
        if "output_a" in item.fields:
            return self._preferred(item, asked, again)
        return self._graded(item, asked, again)

    def _preferred(self, item: Item, asked: str, again: float) -> str:
        menu: Sequence[str] = _menu(asked) or _LETTERS
        if len(menu) > 2 and rng_for(self.seed, item.id, "tie").random() < self.ties:
            return menu[2]
        taste = float(rng_for(self.seed, item.id, "taste").logistic())  # in favour of content a
        odds = self.log_odds(item) + (-taste if item.fields.get("swapped") else taste) + again
        return menu[0] if odds > 0 else menu[1]

    def _graded(self, item: Item, asked: str, again: float) -> str:
        menu = _menu(asked)
        scale = _RANGE.search(asked)
        low, high = (0.0, len(menu) - 1.0) if menu else (1.0, 5.0)
        if scale:
            low, high = float(scale[1]), float(scale[3])
        taste = float(rng_for(self.seed, item.id, "taste").normal(0, 0.5))
        worth = self.quality / 1.6 * self.worth(item, "a") + taste + again + self._taste(item, "")
        worth += self.length * math.log(_size(item, "output") / 100)
        grade = (low + high) / 2 + (high - low) / 4 * self.compression * worth + self.leniency
        grade = round(min(high, max(low, grade)))
        if menu:
            return menu[grade]
        return f"{low + high - grade:g}" if scale and scale[2] == "best" else f"{grade:g}"


def _size(item: Item, name: str) -> int:
    return max(1, len(str(item.fields.get(name, ""))))


def _asked(request: Request) -> str:
    return request.prompt if request.prompt is not None else request.messages[-1].content


def _menu(asked: str) -> Sequence[str]:
    found = _MENU.search(asked)
    return tuple(word.strip() for word in found[1].split(",")) if found else ()


def open_backend(model: Model) -> SimulatedJudge:
    """Raises InputError for an option that is not there, or one that is not written as shown above."""
    options = dict(model.options or {})
    known = [f.name for f in fields(SimulatedJudge)]
    for key, value in options.items():
        if key not in known:
            raise InputError(
                f"the simulated judge has no option {key}; {hint(key, known)}", field=f"model.options.{key}"
            )
        if key not in ("own", "likes", "short") and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise InputError(f"{value} is not a number", field=f"model.options.{key}")
    for key, parts in (("own", "{model: M1, add: 0.6}"), ("short", "{words: 8, add: -8}")):
        value = options.get(key)
        wanted = {"model", "add"} if key == "own" else {"words", "add"}
        if value and (not isinstance(value, Mapping) or set(cast("Mapping[str, Any]", value)) != wanted):
            raise InputError(f"write {parts}", field=f"model.options.{key}")
    likes = cast("Sequence[Any]", options.get("likes") or ())
    for like in likes:
        if not isinstance(like, Mapping) or set(cast("Mapping[str, Any]", like)) != {"contains", "add"}:
            raise InputError("write each as {contains: text, add: 0.5}", field="model.options.likes")
    options["likes"] = tuple(likes)
    return SimulatedJudge(**options)
