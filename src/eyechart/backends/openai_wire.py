"""What is sent to an OpenAI-compatible server: names of parameters by dialect, and bodies.

The servers share one protocol and differ in the parameters beyond it, and in what they do where a
parameter is left out: llama.cpp then samples with `top_k` 40, `top_p` .95 and `min_p` .05, vLLM with
the model's own generation_config. A study that says nothing means "off", so the dialects that know
such a parameter send its neutral value in every request. The plain `openai` dialect sends what is
stated and nothing else: that API's own defaults are neutral.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from eyechart.backends.shown import candidates_of
from eyechart.core.records import Failure, Request

Scoring = Literal["echo", "top_logprobs", "auto"]

_STANDARD = {name: name for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty", "stop", "seed")}
EXTENDED = ("top_k", "min_p", "repetition_penalty")
"""Known to some servers only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    names: Mapping[str, str]
    """Our name of a decoding parameter to the server's; what is not here is refused."""
    neutral: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Sent where the request states nothing else, under the server's names."""
    scoring: Scoring = "auto"
    """How options are scored where nobody says."""
    top: int = 20
    """How many likeliest tokens a completion is asked for; a chat completion is asked for 20."""
    advice: str = "say model.options.dialect: vllm (also for SGLang) or llamacpp"
    """What to do about a parameter that this dialect lacks."""

    @property
    def ignores(self) -> tuple[str, ...]:
        return tuple(name for name in EXTENDED if name not in self.names)


DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(names=_STANDARD, top=5),
    "vllm": Dialect(
        names=_STANDARD | {name: name for name in EXTENDED},
        neutral={"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
        scoring="echo",
    ),
    "llamacpp": Dialect(
        names=_STANDARD | {"top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty"},
        neutral={"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
        scoring="top_logprobs",  # it takes `echo: true` without a word and ignores it
        top=200,
    ),
    "ollama": Dialect(
        names=_STANDARD,
        neutral={"top_p": 1.0},
        scoring="top_logprobs",
        advice="Ollama's OpenAI routes drop it without a word; set it in a Modelfile (PARAMETER ...)",
    ),
}
"""The servers' own words. Ollama: openai/openai.go lists the fields its routes read."""


RAW = frozenset(("llamacpp",))
"""Dialects whose log-probabilities are known to be those before the temperature: llama.cpp unless it is asked for
post_sampling_probs. Not vllm: that dialect stands for SGLang too, which shows those after it (sgl-project/sglang pull
2664), and vLLM has a switch (--logprobs-mode). Hosted ones differ (standardcompletions/rfcs issue 11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How requests are put to one served model."""

    name: str
    dialect: str
    limit_field: str = "max_tokens"
    top: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def speech(self) -> Dialect:
        return DIALECTS[self.dialect]

    def generate(self, request: Request) -> dict[str, Any] | Failure:
        """The body that asks for text.

        >>> wire = Wire(name="m", dialect="llamacpp")
        >>> wire.generate(Request(elicit="generate", prompt="Hi", params=(("max_new_tokens", 3), ("top_k", 7))))
        {'model': 'm', 'top_p': 1.0, 'top_k': 7, 'min_p': 0.0, 'repeat_penalty': 1.0, 'prompt': 'Hi', 'max_tokens': 3}
        >>> Wire(name="m", dialect="openai").generate(Request(elicit="generate", prompt="", params=(("top_k", 7),))).reason
        'top_k is not an OpenAI parameter; say model.options.dialect: vllm (also for SGLang) or llamacpp'
        """
        body = self._start(request)
        names = self.speech.names
        for key, value in request.params:
            if key == "max_new_tokens":
                body[self.limit_field] = value
            elif key == "candidates":
                body |= self._logprobs(request, self.candidates(request))
            elif key in names:
                body[names[key]] = list(value) if key == "stop" else value
            else:
                whose = "Ollama" if self.dialect == "ollama" else "OpenAI"
                reason = f"{key} is not an {whose} parameter; {self.speech.advice}"
                return Failure(kind="bad_request", reason=reason)
        return body

    def top_logprobs(self, request: Request) -> dict[str, Any]:
        """The body that asks for the likeliest first tokens; see `openai_options`."""
        body = self._start(request) | {self.limit_field: 1, "temperature": 1.0}
        return body | self._logprobs(request, self.shown(request))

    def echo(self, request: Request, texts: list[str]) -> dict[str, Any]:
        """The body that asks for the log-probabilities of whole texts.

        One token is generated and thrown away: some servers read `max_tokens: 0` as "no limit".
        """
        asked = {"prompt": texts, "echo": True, "logprobs": 1, self.limit_field: 1, "temperature": 1.0}
        return self._start(request) | asked

    def shown(self, request: Request) -> int:
        """How many of the likeliest tokens are asked for."""
        return self.top or (20 if request.messages else self.speech.top)

    def candidates(self, request: Request) -> int:
        """How many candidates a step are asked for: those wanted, or as many as such a server shows at most."""
        return min(candidates_of(request), self.shown(request))

    def _logprobs(self, request: Request, most: int) -> dict[str, Any]:
        return {"logprobs": True, "top_logprobs": most} if request.messages else {"logprobs": most}

    def _start(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.name, **self.speech.neutral, **self.extra}
        if request.messages:
            body["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
        else:
            body["prompt"] = request.prompt
        return body
