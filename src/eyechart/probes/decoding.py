"""The decoding probe: step by step what came, what else could have, and where two paths part.

A path is one generation with its candidates. Of two paths nothing is aligned behind the step at which they part:
the texts are then different, and a step of one has no counterpart in the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

from eyechart.core.flows import Flow
from eyechart.core.records import Call, Failure, PathStep, Request, Response

OPEN = 0.8
"""A step is open where the likeliest token has less probability than this: at temperature 1 another one would come at
least one time in five. One number, so that a flat distribution counts as open as well as a close second."""
CANDIDATES = 10
"""Shown at every step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a path; probabilities are of temperature 1, before any cut."""

    token: str
    p: float | None
    """Of the token taken; None where the backend shows only the likeliest ones, and it is not among them."""
    entropy: float | None
    """Of the whole distribution, in nats; None where the backend does not show all of it."""
    margin: float | None
    """Probability of the likeliest token less that of the next; None where fewer than two are shown."""
    open: bool | None
    """None where no candidate is shown."""
    greedy: bool | None
    """Whether the token taken is the likeliest."""
    candidates: tuple[tuple[str, float], ...]
    """Token and probability, the likeliest first."""
    id: int | None = None

    def same(self, other: Step) -> bool:
        """Whether both took the same token: by its number where both have one."""
        if self.id is not None and other.id is not None:
            return self.id == other.id
        return self.token == other.token


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """One path of a prompt, under one setting."""

    name: str
    text: str
    steps: tuple[Step, ...]
    finish: str | None
    """`stop`, `length`, or the server's own word."""
    sampled: bool

    @property
    def open(self) -> tuple[int, ...]:
        """Indices of the open steps."""
        return tuple(i for i, step in enumerate(self.steps) if step.open)

    @property
    def logprob(self) -> float | None:
        """Of the whole path at temperature 1, natural; None where some token's is not shown."""
        shown = [math.log(s.p) if s.p else -math.inf for s in self.steps if s.p is not None]
        return math.fsum(shown) if len(shown) == len(self.steps) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwalked:
    """A path that could not be had."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """Where two paths part."""

    first: str
    second: str
    """Names of the paths."""
    step: int | None
    """Index of the first step that differs; None where the paths are the same, to the end."""
    tokens: tuple[str | None, str | None]
    """What each took there; None where it had ended."""
    open: bool | None
    """Whether the step was open: then the parting says nothing odd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingProbe:
    """What the probe found for one prompt."""

    item: str | None
    prompt: str
    walks: tuple[Walk, ...]
    missing: tuple[Unwalked, ...] = ()
    partings: tuple[Parting, ...] = ()
    """Of every two paths."""
    notes: tuple[str, ...] = ()

    @property
    def parting(self) -> int | None:
        """Index of the first step at which not all paths agree; None where all are the same, or there is one."""
        return min((p.step for p in self.partings if p.step is not None), default=None)


def walk(
    settings: Sequence[tuple[str, Request]], *, item: str | None = None, candidates: int = CANDIDATES
) -> Flow[DecodingProbe]:
    """Ask for the path of each named request; all are of one prompt, or of what is taken for one.

    Raises ValueError without a request, or for one that generates nothing.

    >>> from eyechart.core.flows import canned
    >>> from eyechart.core.records import Candidate
    >>> def model(call):
    ...     token = "b" if call.request.param("seed") == 2 else "a"
    ...     step = PathStep(token, -0.7, (Candidate("a", -0.69), Candidate("b", -0.7)))
    ...     return Response(text=token, path=(step,))
    >>> asked = [(f"seed {s}", Request(elicit="generate", prompt="p", params=(("seed", s),))) for s in (1, 2)]
    >>> found = canned(walk(asked), model)
    >>> found.parting, found.partings[0].tokens, found.walks[0].open
    (0, ('a', 'b'), (0,))
    """
    if not settings or any(request.elicit != "generate" for _, request in settings):
        raise ValueError("a path is that of a generation: give one or more requests that generate")
    came = yield [Call(request=shown(request, candidates), repeat=0) for _, request in settings]
    walks: list[Walk] = []
    missing: list[Unwalked] = []
    for (name, request), response in zip(settings, came, strict=True):
        if isinstance(response, Failure):
            missing.append(Unwalked(name=name, reason=response.reason))
        elif response.path is None:
            missing.append(Unwalked(name=name, reason="not measurable here: this backend shows no candidates"))
        else:
            walks.append(_walked(name, request, response, response.path))
    return DecodingProbe(
        item=item,
        prompt=prompt_of(settings[0][1]),
        walks=tuple(walks),
        missing=tuple(missing),
        partings=tuple(part(a, b) for a, b in combinations(walks, 2)),
    )


def joined(parts: Sequence[DecodingProbe], notes: Sequence[str] = ()) -> DecodingProbe:
    """The paths of several probes of one item as one probe: those of two models, for example."""
    walks = [walk for part_ in parts for walk in part_.walks]
    return replace(
        parts[0],
        walks=tuple(walks),
        missing=tuple(one for part_ in parts for one in part_.missing),
        partings=tuple(part(a, b) for a, b in combinations(walks, 2)),
        notes=tuple(notes),
    )


def shown(request: Request, candidates: int) -> Request:
    """The same generation, with its path shown."""
    kept = [(name, value) for name, value in request.params if name != "candidates"]
    return replace(request, params=tuple(sorted([*kept, ("candidates", candidates)])))


def prompt_of(request: Request) -> str:
    """The prompt as one text for people to look at: a chat has its roles before each turn."""
    if request.prompt is not None:
        return request.prompt
    return "\n\n".join(f"[{m.role}]\n{m.content}" for m in request.messages)


def part(a: Walk, b: Walk) -> Parting:
    """Where `a` and `b` part.

    A path that ended where the other goes on parts there; one cut off by its limit does so as well.
    """
    for i, (one, two) in enumerate(zip_longest(a.steps, b.steps)):
        if one is None or two is None or not one.same(two):
            return Parting(
                first=a.name,
                second=b.name,
                step=i,
                tokens=(one.token if one else None, two.token if two else None),
                open=one.open if one else two.open if two else None,
            )
    return Parting(first=a.name, second=b.name, step=None, tokens=(None, None), open=None)


def _walked(name: str, request: Request, response: Response, path: Sequence[PathStep]) -> Walk:
    return Walk(
        name=name,
        text=response.text or "",
        steps=tuple(step_of(step) for step in path),
        finish=response.finish_reason,
        sampled=float(request.param("temperature", 0.0)) > 0,
    )


def step_of(step: PathStep) -> Step:
    """
    >>> from eyechart.core.records import Candidate
    >>> one = step_of(PathStep("a", -0.1, (Candidate("a", -0.1), Candidate("b", -2.5))))
    >>> round(one.margin, 3), one.open, one.greedy, one.entropy
    (0.823, False, True, None)
    """
    likely = [(c.token, math.exp(c.logprob)) for c in step.candidates]
    top = step.candidates[0] if step.candidates else None
    greedy = (
        None
        if top is None
        else top.id == step.id
        if step.id is not None and top.id is not None
        else top.token == step.token
    )
    return Step(
        token=step.token,
        p=None if step.logprob is None else math.exp(step.logprob),
        entropy=step.entropy,
        margin=likely[0][1] - likely[1][1] if len(likely) > 1 else None,
        open=likely[0][1] < OPEN if likely else None,
        greedy=greedy,
        candidates=tuple(likely),
        id=step.id,
    )
