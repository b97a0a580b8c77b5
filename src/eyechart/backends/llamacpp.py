"""llama.cpp in this process: any GGUF file, through the engine's own server on a loopback port.

    model: {backend: llamacpp, path: model.gguf, threads: 2, context_length: 4096}

One request at a time and no prefix cache: shared prefixes and neighbours in a batch were seen to move
log-probabilities on this engine, so both are off, and are named in the engine's identity. It shows no
log-probability of a given text, only of the likeliest next tokens: options that are single tokens can be
scored, others are "not measurable here". `candidates` shows the likeliest tokens at every step, with their ids.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from typing import Any

from eyechart.backends.gguf import ModelFile, locate
from eyechart.backends.openai_server import OpenAI
from eyechart.backends.openai_server import open_backend as open_server
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model

VERSION = 1
CONTEXT = 4096
THREADS = 2


ABLE = Capabilities(generate=True, options=True, seeds=True, token_logprobs=True)


@dataclass(kw_only=True)
class LlamaCpp:
    file: ModelFile
    threads: int = THREADS
    context: int = CONTEXT
    software: str
    batch: int = 1
    concurrency: int = 1
    capabilities: Capabilities = ABLE
    _server: Any = field(default=None, init=False, repr=False)
    _client: OpenAI | None = field(default=None, init=False, repr=False)

    def engine(self) -> Engine:
        facts: dict[str, Scalar] = {
            "version": VERSION,
            "xllamacpp": self.software,
            "sha256": self.file.sha256,
            "context_length": self.context,
            "threads": self.threads,
            "parallel": 1,
            "prefix_cache": False,
        }
        return Engine(backend="llamacpp", facts=tuple(sorted(facts.items())))

    def facts(self) -> Mapping[str, Scalar]:
        return {"sha256": self.file.sha256}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        if self._client is None:
            url = await asyncio.to_thread(self._start)
            self._client = open_server(
                Model(
                    name=self.file.path.name,
                    url=f"{url}/v1",
                    options={"dialect": "llamacpp", "concurrency": 1, "extra_body": {"cache_prompt": False}},
                )
            )
        return await self._client.ask(calls)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()
        self._server = None  # the engine stops its server when nobody holds it

    def _start(self) -> str:
        """Loads the model and returns the address of its server, which listens to this machine only."""
        path = self.file.ready()
        # Spinning threads starve everything else on a busy machine: 6 tokens a second instead of 26.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        engine: Any = import_module("xllamacpp")
        settings = engine.CommonParams()
        settings.model.path = str(path)
        settings.model_alias = {path.name}  # else the server names the model by its path on this machine
        settings.n_parallel = 1
        settings.n_ctx = self.context
        settings.cpuparams.n_threads = self.threads
        settings.cpuparams_batch.n_threads = self.threads
        settings.verbosity = 0
        settings.hostnames = ["127.0.0.1"]
        settings.port = 0
        try:
            self._server = engine.Server(settings)
        except Exception as error:
            raise InputError(f"llama.cpp cannot load {path.name}: {error}", field="model.path") from None
        return str(self._server.listening_address)


def open_backend(model: Model) -> LlamaCpp:
    try:
        software = metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        raise MissingExtra("the llama.cpp backend", "xllamacpp", "llamacpp") from None
    return LlamaCpp(
        file=locate(model),
        threads=model.threads or THREADS,
        context=model.context_length or CONTEXT,
        software=software,
    )
