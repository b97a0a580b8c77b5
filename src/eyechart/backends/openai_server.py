"""What stands behind the backends `openai` and `llamacpp`: one client of an OpenAI-compatible server.

See `backends.openai` for what a study may write.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator

from eyechart.backends.openai_faults import Bad, NotShown
from eyechart.backends.openai_options import Rows, option_rows, read_echo, rows_after, top_rows
from eyechart.backends.openai_path import read_path
from eyechart.backends.openai_reply import counts, first_choice, noted, plain, read_text
from eyechart.backends.openai_wire import RAW, Scoring, Wire
from eyechart.backends.shown import candidates_of, refused
from eyechart.core.errors import InputError
from eyechart.core.identity import canonical_json
from eyechart.core.records import Call, Capabilities, Engine, Failure, Request, Response, Scalar
from eyechart.core.registry import hint
from eyechart.core.spec import Flag, Int, Model, Num, Value

if TYPE_CHECKING:
    from eyechart.backends.openai_http import Client

Reply = dict[str, Any]
VERSION = 1
"""Moves when the same request would be put to a server, or its reply read, in another way."""
CONNECT = 10.0

_OURS = frozenset((
    "model", "prompt", "messages", "temperature", "top_p", "top_k", "min_p", "repetition_penalty",
    "repeat_penalty", "presence_penalty", "frequency_penalty", "max_tokens", "max_completion_tokens",
    "n_predict", "stop", "seed", "echo", "logprobs", "top_logprobs", "n_probs", "stream", "n", "best_of",
))  # fmt: skip
"""Fields of a body that the fingerprint states elsewhere."""
_STATED = (
    "revision", "sha256", "tokenizer", "chat_template_sha256", "dtype", "quantization", "context_length",
    "batch_size", "threads", "parallel", "adapters",
)  # fmt: skip
"""What a Model says about the served one; nobody checks it, but two claims are two engines."""


_SECRET = re.compile(r'(?i)"([^"]*(?:api.?key|secret|password|authorization)[^"]*)":')


class Settings(Value):
    """`model.options` of this backend."""

    dialect: Literal["openai", "vllm", "llamacpp", "ollama"] = "openai"
    concurrency: Int = Field(default=16, gt=0)
    timeout: Num = Field(default=120.0, gt=0)
    option_scoring: Scoring = "auto"
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    extra_body: Mapping[str, Any] = Field(default_factory=dict)
    top_logprobs: Int | None = Field(default=None, gt=0)
    proxy_from_env: Flag = False

    @field_validator("extra_body")
    @classmethod
    def _free(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        if taken := sorted(_OURS.intersection(value)):
            raise ValueError(f"{taken[0]} is set by the fingerprint (decoding, model), not here")
        if found := _SECRET.search(_json(value)):
            raise ValueError(f"{found[1]} looks like a secret; name a variable in model.api_key_env instead")
        return value


def _json(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except TypeError as error:
        raise ValueError(f"cannot be sent as JSON: {error}") from None


def open_backend(model: Model) -> OpenAI:
    """The backend for `model`; reads no key and makes no call. Raises InputError.

    >>> backend = open_backend(Model(backend="openai", name="m", url="http://localhost:8000/v1/"))
    >>> backend.engine().body()
    {'backend': 'openai', 'dialect': 'openai', 'name': 'm', 'option_scoring': 'auto', 'url': 'http://localhost:8000/v1', 'version': 1}
    """
    if not model.name:
        raise InputError("say which model the server shall use, as it lists it at /v1/models", field="model.name")
    name = model.api_key_env
    if name is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(
            "is the name of an environment variable, not the key itself; what it holds now is not shown here",
            field="model.api_key_env",
        )
    settings = _settings(model.options or {})
    return OpenAI(model=model, settings=settings, url=_url(model.url))


def _settings(options: Mapping[str, Any]) -> Settings:
    known = Settings.model_fields
    for name in options:
        if name not in known:
            advice = hint(name, known)
            raise InputError(f"the openai backend has no option {name}; {advice}", field="model.options")
    try:
        return Settings(**options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(("model.options", *(str(part) for part in first["loc"])))
        raise InputError(first["msg"].removeprefix("Value error, "), field=where) from None


def _url(url: str | None) -> str:
    """The base that paths are put behind, in one spelling.

    >>> _url("HTTP://LocalHost:8000/v1/")
    'http://localhost:8000/v1'
    """
    like = "write it like http://127.0.0.1:8000/v1"
    if not url:
        raise InputError(f"the openai backend needs the server's address; {like}", field="model.url")
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018  (raises where it is no number)
    except ValueError:
        raise InputError(f"is not an address; {like}", field="model.url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"is not an address; {like}", field="model.url")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise InputError(f"holds more than an address (it would be stored); {like}", field="model.url")
    for path in ("/chat/completions", "/completions"):
        if parts.path.rstrip("/").endswith(path):
            raise InputError(f"ends in {path}, which is put behind it; {like}", field="model.url")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _repeats(found: Response, key: str) -> bool:
    parts = (found.text, found.finish_reason, found.served_model, found.system_fingerprint)
    return any(key in part for part in parts if part)


@dataclass(kw_only=True)
class OpenAI:
    """See the module. `ask` may be called many times at once, from one event loop."""

    model: Model
    settings: Settings
    url: str
    batch: int = 1
    capabilities: Capabilities = field(init=False)
    concurrency: int = field(init=False)

    def __post_init__(self) -> None:
        s = self.settings
        self.concurrency = s.concurrency
        self._wire = Wire(
            name=self.model.name or "", dialect=s.dialect, limit_field=s.limit_field, top=s.top_logprobs,
            extra=s.extra_body,
        )  # fmt: skip
        speech = self._wire.speech
        self._chosen: Scoring = speech.scoring if s.option_scoring == "auto" else s.option_scoring
        self.capabilities = Capabilities(
            options=True,
            seeds=True,
            token_logprobs=True,
            ignores=speech.ignores,
            operational=("timeout", "proxy_from_env"),
        )
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def engine(self) -> Engine:
        """What is known of the served model. Options that cannot move an answer (time-out, proxies)
        are left out; the concurrency is in it where stated, since batches move numerics."""
        s, model = self.settings, self.model
        facts: dict[str, Scalar] = {
            "version": VERSION, "url": self.url, "name": model.name, "dialect": s.dialect,
            "option_scoring": s.option_scoring,
        }  # fmt: skip
        if model.api is not None:
            facts["api"] = model.api
        if s.limit_field != "max_tokens":
            facts["limit_field"] = s.limit_field
        if s.extra_body:
            facts["extra_body"] = _json(s.extra_body)
        if "concurrency" in s.model_fields_set:
            facts["concurrency"] = s.concurrency
        stated = model.stated()
        for name in _STATED:
            if (value := stated.get(name)) is not None:
                facts[name] = value if isinstance(value, str | int | float) else canonical_json(value)
        return Engine(backend="openai", facts=tuple(sorted(facts.items())))

    def facts(self) -> Mapping[str, Scalar]:
        """Empty: a server tells a name, not what stands behind it."""
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        """One attempt a call. Raises InputError where the key is not there, and nothing else."""
        return [await self._one(call.request) for call in calls]

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _key(self) -> str | None:
        """The key, read anew for each call and kept nowhere. Raises InputError, which never shows it."""
        name = self.model.api_key_env
        if name is None:
            return None
        key = os.environ.get(name, "").strip()
        if not key:
            raise InputError(
                f"the environment variable {name} is not set; it holds the key for {self.url}",
                field="model.api_key_env",
            )
        if not (key.isascii() and key.isprintable()):
            raise InputError(
                f"the environment variable {name} holds characters that no key has (a line break, a letter "
                "outside ASCII)", field="model.api_key_env",
            )  # fmt: skip
        return key

    def _open(self) -> Client:
        loop = asyncio.get_running_loop()
        if self._client is None:
            from eyechart.backends.openai_http import Client

            s = self.settings
            self._loop = loop
            self._client = Client(
                self.url,
                connections=s.concurrency,
                timeout=s.timeout,
                connect=CONNECT,
                proxy=s.proxy_from_env,
            )
        elif self._loop is not loop:
            raise RuntimeError("this backend was used in another event loop; await close() there first")
        return self._client

    async def _one(self, request: Request) -> Response | Failure:
        asked = "chat" if request.messages else "completions"
        if self.model.api not in (None, asked):
            reason = f"a request for {asked} while model.api says {self.model.api}; write model.api: {asked}"
            return Failure(kind="bad_request", reason=reason)
        if (failure := refused(request, self.capabilities)) is not None:
            return failure
        key = self._key()
        try:
            if request.elicit == "options":
                found = await self._options(request, key)
            else:
                body = self._wire.generate(request)
                if isinstance(body, Failure):
                    return body
                reply, notes = await self._post(request, body, key)
                found = read_text(reply, request, self._wire.name)
                if candidates_of(request):
                    found = self._with_path(found, reply, request)
                if notes:
                    found = replace(found, notes=found.notes + notes)
        except Bad as bad:
            return bad.failure
        if key and len(key) >= 8 and _repeats(found, key):
            return Failure(kind="garbage", reason="the reply repeats the API key, and is not kept for that")
        return found

    def _with_path(self, found: Response, reply: Reply, request: Request) -> Response:
        """With the steps of its path. Raises Bad where the server shows none."""
        most, notes = self._wire.candidates(request), found.notes
        if most < candidates_of(request):
            notes += (f"candidates:{most}",)
        if request.param("temperature", 1) != 1 and self.settings.dialect not in RAW:
            notes += ("logprobs_perhaps_after_temperature",)
        path = read_path(first_choice(reply), found.text or "", most)
        made = found.completion_tokens
        if made is not None and len(path) < made - (found.finish_reason == "stop"):  # an end token need not be shown
            notes += (f"path_shows:{len(path)}_of_{made}_tokens",)
        return replace(found, path=path, notes=notes)

    async def _post(self, request: Request, body: Reply, key: str | None) -> tuple[Reply, tuple[str, ...]]:
        """The reply, and what to note about the server. Raises Bad."""
        path = "chat/completions" if request.messages else "completions"
        found = await self._open().post(path, json.dumps(body).encode(), key)
        if isinstance(found, Failure):
            raise Bad(found.kind, found.reason, retryable=found.retryable, retry_after=found.retry_after)
        reply, software = found
        if software == "llama.cpp" and self.settings.dialect != "llamacpp":
            return reply, ("dialect_is:llamacpp",)
        return reply, ()

    async def _options(self, request: Request, key: str | None) -> Response:
        """By the way that is stated; `auto` settles on one, for all items alike, with the first answer."""
        if not all(request.options):
            raise Bad("not_measurable", "an empty option has no log-probability")
        if request.messages and self.settings.option_scoring == "echo":
            raise NotShown("a chat answer repeats no prompt; write option_scoring: auto, or use completions")
        if request.messages or self._chosen == "top_logprobs":
            return await self._by_top(request, key)
        try:
            found = await self._by_echo(request, key)
        except Bad as bad:
            if self._chosen != "auto" or not (isinstance(bad, NotShown) or bad.failure.kind == "bad_request"):
                raise
            if isinstance(bad, NotShown):
                self._chosen = "top_logprobs"
            found = await self._by_top(request, key)
            self._chosen = "top_logprobs"
            return found
        if self._chosen == "auto":
            self._chosen = "echo"
        return found

    async def _by_top(self, request: Request, key: str | None) -> Response:
        reply, notes = await self._post(request, self._wire.top_logprobs(request), key)
        rows = top_rows(reply, request.options, self._wire.shown(request))
        return self._scored([reply], rows, ("option_scoring:top_logprobs", *notes))

    async def _by_echo(self, request: Request, key: str | None) -> Response:
        prompt = request.prompt or ""
        texts = [prompt + option for option in request.options]
        reply, notes = await self._post(request, self._wire.echo(request, texts), key)
        echoed, replies = read_echo(reply, texts), [reply]
        rows = option_rows(echoed, request.options)
        if rows is None:
            alone, _ = await self._post(request, self._wire.echo(request, [prompt]), key)
            rows = rows_after(read_echo(alone, [prompt])[0], echoed, request.options)
            replies.append(alone)
        return self._scored(replies, rows, ("option_scoring:echo", *notes))

    def _scored(self, replies: Sequence[Reply], rows: Rows, notes: tuple[str, ...]) -> Response:
        used = [counts(reply) for reply in replies]
        prompt, made = ([u[i] for u in used] for i in (0, 1))
        reply = replies[0]
        return Response(
            option_logprobs=rows,
            prompt_tokens=None if None in prompt else sum(n or 0 for n in prompt),
            completion_tokens=None if None in made else sum(n or 0 for n in made),
            served_model=plain(reply.get("model")),
            system_fingerprint=plain(reply.get("system_fingerprint")),
            notes=(*noted(reply, self._wire.name), *notes),
        )
