"""What flows through the house: items, requests, responses, readings, estimates.

All are frozen values, equal by content. Identity (digests, keys, row numbers) is computed outside
them, in `core.identity`. Absence is a type of its own: a call that failed is a `Failure`, a number
that cannot be known is `NotEstimable`; neither is ever written as zero, NaN or an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, cast

Scalar = str | int | float | bool | None


class Outcome(StrEnum):
    """How the reading of one response ended; one enum everywhere.

    >>> [o.value for o in Outcome if o.counted]
    ['correct', 'incorrect', 'unparseable', 'refused', 'truncated']
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNPARSEABLE = "unparseable"
    """An answer came, but no single answer can be attributed to it."""
    REFUSED = "refused"
    TRUNCATED = "truncated"
    """Cut off by the token limit before an answer was found."""
    FAILED = "failed"
    """The call itself failed; says nothing about the model."""
    UNSCORED = "unscored"
    """The scorer could not say; says nothing about the model."""

    @property
    def counted(self) -> bool:
        """Whether this outcome is in the denominator of the default score."""
        return self not in (Outcome.FAILED, Outcome.UNSCORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question of a data set, as every part of the house sees it."""

    id: str
    """Belongs to the record, not to its position: a subset keeps its ids."""
    fields: Mapping[str, Any]
    """All columns of the source row, by name; what a template may use."""
    gold: tuple[str, ...] = ()
    """Accepted answers as text; for a choice item the text of the right choice."""
    choices: tuple[str, ...] = ()
    gold_index: int | None = None
    """Position of the right choice; None where the item has no choices."""
    group: str | None = None
    """Subject or template: rows of the heat map, strata of a sample."""
    cluster: str | None = None
    """Items that share a passage: the unit of resampling."""
    slice: str | None = None
    """Edge cases, reported apart."""
    line: int | None = None
    """Line number in the source file, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What will be sent; exactly one of `prompt` and `messages` is set.

    `elicit="generate"` asks for text; `elicit="options"` asks for the log-probability of each of
    `options` as a continuation of the prompt; `elicit="next"` for the whole distribution of the next
    token behind the prompt, and `elicit="attention"` for where the last position looks: probes ask
    these two. A `generate` with the parameter `candidates` also shows its path: so many of the likeliest
    tokens at every step. `params` holds the effective decoding parameters
    under the names of the fingerprint (`temperature`, `top_p`, `top_k`, `min_p`,
    `repetition_penalty`, `presence_penalty`, `frequency_penalty`, `max_new_tokens`, `stop`,
    `seed`), defaults filled in and inert ones left out, sorted by name.
    """

    elicit: Literal["generate", "options", "next", "attention"]
    prompt: str | None = None
    messages: tuple[Message, ...] = ()
    options: tuple[str, ...] = ()
    params: tuple[tuple[str, Any], ...] = ()

    def param(self, name: str, default: Any = None) -> Any:
        for key, value in self.params:
            if key == name:
                return value
        return default

    def body(self) -> dict[str, Any]:
        """The plain form: what is stored, and what the digest is taken of."""
        out: dict[str, Any] = {"elicit": self.elicit}
        if self.prompt is not None:
            out["prompt"] = self.prompt
        if self.messages:
            out["messages"] = [[m.role, m.content] for m in self.messages]
        if self.options:
            out["options"] = list(self.options)
        if self.params:
            out["params"] = {k: list(cast("tuple[Any, ...]", v)) if isinstance(v, tuple) else v for k, v in self.params}
        return out

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Request:
        stated: Mapping[str, Any] = body.get("params", {})
        params = {k: tuple(cast("list[Any]", v)) if isinstance(v, list) else v for k, v in stated.items()}
        return cls(
            elicit=body["elicit"],
            prompt=body.get("prompt"),
            messages=tuple(Message(role=r, content=c) for r, c in body.get("messages", ())),
            options=tuple(body.get("options", ())),
            params=tuple(sorted(params.items())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, asked for the `repeat`-th time (from 0)."""

    request: Request
    repeat: int
    item: Item | None = None
    """Whose request it is. Never part of a key; only a backend that plays a model of known
    accuracy (`synthetic`) may look at it."""


class Candidate(NamedTuple):
    """A token that could have come at a step."""

    token: str
    """As text; a part of a character is shown as the tokenizer shows it."""
    logprob: float
    """Natural, at temperature 1, before any cut (top_p, top_k, penalties)."""
    id: int | None = None


class PathStep(NamedTuple):
    """One step of a generation: what was taken, and what else could have been."""

    token: str
    logprob: float | None
    """Of the token taken; None where the backend shows only the likeliest ones, and it is not among them."""
    candidates: tuple[Candidate, ...]
    """The likeliest first."""
    entropy: float | None = None
    """Of the whole distribution, in nats; None where the backend does not show all of it."""
    id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back from one call that succeeded."""

    text: str | None = None
    """Generated text, untouched; None where options were scored."""
    finish_reason: str | None = None
    """`stop`, `length`, or the server's own word; None where the backend does not say."""
    option_logprobs: tuple[tuple[float, ...], ...] | None = None
    """For each option the natural-log probabilities of its tokens, in order."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    sent: str | None = None
    """The prompt as the model saw it (chat template applied), where the backend shows it."""
    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    path: tuple[PathStep, ...] | None = None
    """Where `candidates` were asked for: one step a generated token, the end-of-text token included."""
    distribution: str | None = None
    """Of `elicit="next"`: natural log-probabilities of the whole vocabulary, [V], as `stats.packed` writes arrays."""
    attention: str | None = None
    """Of `elicit="attention"`: weights from the last position, [layers, heads, prompt tokens], packed likewise."""
    pieces: tuple[str, ...] | None = None
    """The tokens of the prompt as text, in order, where a probe asked and the backend shows them."""
    served_model: str | None = None
    system_fingerprint: str | None = None
    notes: tuple[str, ...] = ()
    """Findings of the backend: `double_bos`, `template_twice`, `parameter_ignored:seed`, ..."""

    def body(self) -> dict[str, Any]:
        """The plain form, without what is not there. By hand: `asdict` would copy every token list."""
        found = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in found if value is not None and value != ()}

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Response:
        out = dict(body)
        if (lp := out.get("option_logprobs")) is not None:
            out["option_logprobs"] = tuple(tuple(float(x) for x in row) for row in lp)
        for key in ("prompt_ids", "completion_ids", "notes", "pieces"):
            if out.get(key) is not None:
                out[key] = tuple(out[key])
        if (path := out.get("path")) is not None:
            out["path"] = tuple(_step(row) for row in path)
        return cls(**out)


def _step(row: Sequence[Any]) -> PathStep:
    token, logprob, candidates, entropy, number = row
    return PathStep(token, logprob, tuple(Candidate(*c) for c in candidates), entropy, number)


FailureKind = Literal[
    "timeout", "connection", "rate_limited", "server_error", "bad_request", "garbage", "empty",
    "too_long", "not_measurable", "not_recorded", "crashed",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A call that did not succeed. Never an answer, never a wrong answer, never under an answer's key."""

    kind: FailureKind
    reason: str
    """One line for a person: what happened and, where known, what to do."""
    retryable: bool = False
    retry_after: float | None = None
    """Seconds the server asked us to wait; None where it did not say."""


class Step(NamedTuple):
    """One thing a reader did on its way from the raw text to the answer.

    A tuple, and kept for every reading: the trace of a verdict is the trace of that very reading, not of
    a second one made to explain it.
    """

    what: Literal["cut", "passed", "taken", "read"]
    """`cut`: left out of view. `passed`: a candidate that is not the answer. `taken`: the answer.
    `read`: how its value was understood."""
    reason: str
    """One plain phrase, e.g. `hidden reasoning`, `negated`, `in the answer slot`."""
    span: tuple[int, int] | None = None
    """What it is about, in the raw text; None where it is about no one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The answer found in a response, or the reason why none was."""

    value: str | None
    """None: no answer found."""
    span: tuple[int, int] | None = None
    """Where in the raw text it stood."""
    reason: str | None = None
    outcome: Outcome | None = None
    """Where no answer was found: `unparseable`, `refused` or `truncated`. Where one was found that can be no
    right one whatever the gold, such as two options and no choice between them: `incorrect`."""
    committed: bool = True
    """Whether the text puts the value forward as its answer; False for one taken from the way to it, which
    counts only where the text was not cut off."""
    steps: tuple[Step, ...] = ()
    """How it was found, in order; the rules of common practice are one step and keep none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    outcome: Outcome
    value: float | None
    """In [0, 1]; None for `failed` and `unscored`."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    low: float
    high: float
    level: float
    method: str
    """How it was made, e.g. `Wilson`, `t, CR1 by item`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number that remembers how it was obtained."""

    name: str
    value: float
    se: float | None = None
    df: float | None = None
    """Degrees of freedom behind `se`, where it has any."""
    interval: Interval | None = None
    p: float | None = None
    n: int
    """Number of independent units (items or clusters) behind it."""
    seed: int | None = None
    excluded: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEstimable:
    """Stands where an Estimate cannot; never zero for "unknown"."""

    name: str
    reason: str
    n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a backend can show. What it cannot is said as "not measurable here", never guessed."""

    generate: bool = True
    options: bool = False
    """Log-probability of a given continuation."""
    seeds: bool = False
    token_logprobs: bool = False
    """The likeliest tokens at every step of a generation (`candidates`)."""
    full_distribution: bool = False
    """`elicit="next"`: every token's probability behind a prompt."""
    attention: bool = False
    """`elicit="attention"`."""
    prompt_ids: bool = False
    ignores: tuple[str, ...] = ()
    """Decoding parameters that this backend cannot honour; a study that sets one is refused."""
    operational: tuple[str, ...] = ()
    """Those of `model.options` that cannot move an answer (time-outs, proxies): left out of digests."""

    def lacks(self, request: Request) -> str | None:
        """Why a backend that can do this much cannot show what `request` asks for; None where it can.

        Decoding parameters are not looked at: `ignores` names those that are not honoured.

        >>> Capabilities(options=True).lacks(Request(elicit="next", prompt="Hi"))
        'not measurable here: this backend does not show the distribution of the next token'
        """
        missing = {
            "generate": None if self.generate else "gives no text",
            "options": None if self.options else "gives no log-probability of a given answer; ask by elicit: generate",
            "next": None if self.full_distribution else "does not show the distribution of the next token",
            "attention": None if self.attention else "shows no attention",
        }[request.elicit]
        if missing is None and not self.token_logprobs and request.param("candidates") is not None:
            missing = "does not show what else could have come at a step"
        elif missing and request.elicit == "next" and self.token_logprobs:
            missing += ", only its likeliest tokens (candidates)"
        return f"not measurable here: this backend {missing}" if missing else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What answers, as far as it is known before the call; part of the store's key.

    `facts` are sorted pairs: backend and its version, model file hash or served name, precision,
    quantization, context length, batch size, threads, cache and concurrency mode: everything that
    moves numerics.
    """

    backend: str
    facts: tuple[tuple[str, Scalar], ...] = field(default=())

    def body(self) -> dict[str, Any]:
        return {"backend": self.backend, **dict(self.facts)}
