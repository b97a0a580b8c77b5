"""A model of Hugging Face Transformers, in this process: `pip install 'eyechart[transformers]'`.

    model:
      backend: transformers
      path: models/SmolLM2-135M        # a folder (config.json, weights, tokenizer) or a .gguf file; or
      name: HuggingFaceTB/SmolLM2-135M # the hub's id, with `revision`
      dtype: bfloat16                  # float32 unless stated; `auto` takes what the model's config says
      options: {device: cuda, attention: eager}

`model.options`:

    device      cpu (default), cuda, cuda:1, mps, xpu
    attention   sdpa (default), eager, flash_attention_2, flash_attention_3

A .gguf file is turned into `dtype` while it is loaded, which Transformers does slowly (half a minute for
a small model). A hub model is taken from the hub's cache where it lies there. Code that comes with a
model is never run. Weights are used as stored: to measure a quantization, name weights that have it.

For probes it shows the whole distribution of the next token, `candidates` at every step of a generation and, with
`attention: eager`, where the last position of a prompt looks; the other kernels never hold these weights.

One call is answered at a time, and nothing of it is kept for the next: answers do not depend on order
or company. Options go on from the prompt, read once; `completion_tokens` counts their tokens. What is
generated ends with the end tokens that model, generation settings and tokenizer name, with `stop`, or
at `max_new_tokens`; the end token is in `completion_ids` and not in the text.

The notes of a Response: `double_bos` (the ids begin with two), `template_twice` (a message holds the
template's own user line, see `transformers_loading.user_marker`), `template_tells_date` (the rendered
prompt changes with the day), `boundary_retokenised` (prompt and option would share a token, so the
option was tokenised by itself), `closing_token_dropped` (the tokenizer closes texts with a token, from
which nothing could go on), `context_full` (the context ended before `max_new_tokens`),
`attention_of:1_of_2_layers` (the others have no attention).
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from eyechart.backends.shown import refused
from eyechart.backends.transformers_files import Files, find_model, find_tokenizer
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.identity import canonical_json
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.registry import hint
from eyechart.core.spec import Model, Value

if TYPE_CHECKING:
    from eyechart.backends.transformers_loaded import Loaded
    from eyechart.backends.transformers_loading import Source

VERSION = 1
"""Moves when the same request would be put to a model, or its scores read, in another way."""
WHAT = "the Transformers backend"
DTYPES = {
    "float32": ("fp32", "f32"), "bfloat16": ("bf16",), "float16": ("fp16", "f16", "half"), "auto": (),
}  # fmt: skip
KERNELS = ("kernels", "flash-attn", "causal-conv1d", "mamba-ssm", "flash-linear-attention")
QUANTIZERS = ("bitsandbytes", "gptqmodel", "autoawq", "torchao", "compressed-tensors", "optimum-quanto", "hqq")
"""Packages that compute in place of torch where they are installed: on an accelerator, for such weights."""
_REFUSED = {
    "url": "the Transformers backend runs the model itself; leave url out, or write backend: openai",
    "parallel": "the Transformers backend runs on one device; leave parallel out",
    "adapters": "the Transformers backend loads no adapters: merge them into the model and name that folder",
}
CAPABLE = Capabilities(
    generate=True, options=True, seeds=True, token_logprobs=True, full_distribution=True, prompt_ids=True
)
"""Attention as well, where it is computed by the kernel that keeps the weights: `attention: eager`."""
_TURN = threading.Lock()
"""One model computes at a time in this process: the number of threads is torch's, not a model's."""


class Settings(Value):
    """`model.options` of this backend."""

    device: str = Field(default="cpu", pattern=r"^(cpu|mps|(cuda|xpu)(:\d+)?)$")
    attention: Literal["sdpa", "eager", "flash_attention_2", "flash_attention_3"] = "sdpa"


def open_backend(model: Model) -> Transformers:
    """Looks at the files and loads nothing. Raises InputError for what cannot be honoured, MissingExtra."""
    for name, reason in _REFUSED.items():
        if getattr(model, name) is not None:
            raise InputError(reason, field=f"model.{name}")
    if model.batch_size not in (None, 1):
        raise InputError(
            "one call is answered at a time, so that answers do not depend on who shares a batch; leave it out",
            field="model.batch_size",
        )
    settings = _settings(model.options or {})
    dtype = _dtype(model.dtype)
    files = _files(model)
    _check_quantization(model, files)
    tokenizer = None
    if model.tokenizer is not None:
        tokenizer = find_tokenizer(model.tokenizer) if Path(model.tokenizer).expanduser().exists() else model.tokenizer
    backend = Transformers(
        model=model,
        settings=settings,
        dtype=dtype,
        files=files,
        tokenizer=tokenizer,
        versions=_versions(files, settings.device),
        threads=model.threads or _cores(),
    )
    if files and model.sha256 is not None and model.sha256.lower() != backend.sha256:
        raise InputError(f"the model's files have the hash {backend.sha256}, not {model.sha256}", field="model.sha256")
    return backend


def _files(model: Model) -> Files | None:
    """The local files; None for a model of the hub."""
    if model.path is not None:
        return find_model(model.path)
    if not model.name:
        raise InputError("name a local folder in model.path, or a model of the hub in model.name", field="model.path")
    if Path(model.name).exists():  # Transformers would load it, under the name of something else
        raise InputError(f"{model.name} is a folder here: write it as model.path", field="model.name")
    if model.sha256 is not None:
        raise InputError(
            "only local files can be checked against a hash; a model of the hub is fixed by model.revision",
            field="model.sha256",
        )
    return None


def _settings(options: Mapping[str, Any]) -> Settings:
    known = Settings.model_fields
    for name in options:
        if name not in known:
            advice = hint(name, known)
            raise InputError(f"{WHAT} has no option {name}; {advice}", field="model.options")
    try:
        return Settings(**options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(("model.options", *(str(part) for part in first["loc"])))
        message = "write cpu, cuda, cuda:1, mps or xpu" if first["type"] == "string_pattern_mismatch" else first["msg"]
        raise InputError(message, field=where) from None


def _dtype(stated: str | None) -> str:
    """
    >>> _dtype("BF16"), _dtype(None)
    ('bfloat16', 'float32')
    """
    wanted = (stated or "float32").lower().removeprefix("torch.")
    for name, others in DTYPES.items():
        if wanted == name or wanted in others:
            return name
    raise InputError(f"{stated} is none of: {', '.join(DTYPES)}", field="model.dtype")


def _check_quantization(model: Model, files: Files | None) -> None:
    """A folder says how its weights are stored; of a .gguf file or a hub model it is the user's word."""
    if model.quantization is None or files is None or files.gguf is not None:
        return
    stated = model.quantization if isinstance(model.quantization, str) else model.quantization.scheme
    config: Any = files.config().get("quantization_config") or {}
    stored = str(config.get("quant_method", "none"))
    if stated.lower() != stored.lower():
        raise InputError(
            f"these weights are stored with quantization {stored} and used as stored; name a folder or a .gguf "
            f"file quantized by {stated}",
            field="model.quantization",
        )


def _versions(files: Files | None, device: str) -> Mapping[str, str]:
    """Of what turns text into numbers, read without importing it. Raises MissingExtra."""
    found = {name: _version(name, WHAT) for name in ("torch", "transformers", "tokenizers")}
    if files is not None and files.gguf is not None:
        what = f"a .gguf file in {WHAT}"
        found["gguf"] = _version("gguf", what)
        _version("accelerate", what)  # must be there, and moves no number
    optional = KERNELS if device != "cpu" else ()
    if files is None or files.config().get("quantization_config"):
        optional += QUANTIZERS
    for name in optional:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _version(name: str, what: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise MissingExtra(what, name, "transformers") from None


def _cores() -> int:
    """Those this process may use: a container's share, not the machine's."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(kw_only=True)
class Transformers:
    """See the module. Loaded by the first `ask`, let go by `close`."""

    model: Model
    settings: Settings
    dtype: str
    files: Files | None
    tokenizer: str | Files | None
    versions: Mapping[str, str]
    threads: int
    batch: int = 1
    concurrency: int = 1
    capabilities: Capabilities = field(init=False)
    _loaded: Loaded | None = field(default=None, init=False, repr=False)
    _leave: threading.Event = field(default_factory=threading.Event, init=False, repr=False)

    def __post_init__(self) -> None:
        self.capabilities = replace(CAPABLE, attention=self.settings.attention == "eager")

    @cached_property
    def sha256(self) -> str | None:
        """Of the local files, when the backend was first asked for it."""
        return self.files.sha256() if self.files else None

    def engine(self) -> Engine:
        """Known before anything is loaded. Where the model lies and what it is called is not in it, if
        its files are here: their hash is."""
        model = self.model
        facts: dict[str, Scalar] = {
            **self.versions, "version": VERSION, "dtype": self.dtype, "device": self.settings.device,
            "attention": self.settings.attention, "batch": self.batch,
        }  # fmt: skip
        if self.files:
            facts["sha256"] = self.sha256
        else:
            facts |= {"name": model.name, "revision": model.revision or "main"}
        if self.settings.device == "cpu":
            facts["threads"] = self.threads
        if isinstance(self.tokenizer, Files):
            facts["tokenizer_sha256"] = self.tokenizer.sha256()
        elif self.tokenizer is not None:
            facts["tokenizer"] = self.tokenizer
        if model.quantization is not None:
            stated = model.quantization
            facts["quantization"] = stated if isinstance(stated, str) else canonical_json(stated.stated())
        for name in ("context_length", "chat_template_sha256"):
            if (value := getattr(model, name)) is not None:
                facts[name] = value
        return Engine(backend="transformers", facts=tuple(sorted(facts.items())))

    def facts(self) -> Mapping[str, Scalar]:
        found: dict[str, Scalar] = {"sha256": self.sha256} if self.files else {}
        if isinstance(self.tokenizer, Files):
            found["tokenizer"] = self.tokenizer.sha256()
        return found

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        """Raises InputError or MissingExtra where the model cannot be loaded, and nothing else."""
        return [await asyncio.to_thread(self._answer, call) for call in calls]

    async def close(self) -> None:
        """Ends a call that is under way after its next token, and lets the model go."""
        self._leave.set()
        await asyncio.to_thread(self._drop)

    def _drop(self) -> None:
        with _TURN:
            self._loaded = None
            self._leave.clear()

    def _answer(self, call: Call) -> Response | Failure:
        if (failure := refused(call.request, self.capabilities)) is not None:
            if call.request.elicit == "attention":
                advice = f"model.options.attention is {self.settings.attention}, which keeps no weights: write eager"
                return replace(failure, reason=f"not measurable here: {advice}")
            return failure
        from eyechart.backends.transformers_loaded import Loaded, Refused
        from eyechart.backends.transformers_loading import first_line

        with _TURN:
            if self._loaded is None:
                self._loaded = Loaded(self._source())
            if self.settings.device == "cpu":
                # Here and not once: the number belongs to the thread that computes.
                self._loaded.torch.set_num_threads(self.threads)
            try:
                return self._loaded.answer(call.request, self._leave.is_set)
            except Refused as said:
                return said.failure
            except Exception as error:
                return Failure(kind="crashed", reason=f"{type(error).__name__}: {first_line(error)}"[:300])

    def _source(self) -> Source:
        from eyechart.backends.transformers_loading import Source

        if self.files and self.files.sha256() != self.sha256:
            raise InputError(
                f"the files of {self.files.name} have changed since the start; start again", field="model.path"
            )
        return Source(
            name=self.files.name if self.files else self.model.name or "",
            files=self.files,
            revision=self.model.revision,
            tokenizer=self.tokenizer,
            dtype=self.dtype,
            attention=self.settings.attention,
            device=self.settings.device,
            context_length=self.model.context_length,
            chat_template_sha256=self.model.chat_template_sha256,
        )
