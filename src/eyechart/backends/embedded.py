"""The embedded model: a GGUF file on the CPU, by OpenVINO. The default; no network after the first fetch.

    model: {backend: embedded}                              # SmolLM2-135M-Instruct, fetched once
    model: {backend: embedded, path: other.gguf, threads: 4, dtype: f32}

It shows token ids, log-probabilities of any continuation, the whole distribution of the next token and, with
`candidates`, what else could have come at every step (only its attention it does not show), and it honours every
decoding parameter and seed. In float32 (the default) an answer depends on the request alone, bit for bit,
whoever shares the batch; with `dtype: bf16` calls are asked one by one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec

from eyechart.backends import embedded_build as build
from eyechart.backends.embedded_session import ABLE, Session
from eyechart.backends.gguf import ModelFile, locate
from eyechart.core.errors import EyechartError, InputError, MissingExtra
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model

VERSION = 1
"""Moves when the same request would be answered in another way."""
BATCH = 16
THREADS = 2
"""Not the number of cores: two is what was measured to repeat bit for bit; `model.threads` for more."""
TYPES = ("f32", "bf16")


@dataclass(kw_only=True)
class Embedded:
    file: ModelFile
    dtype: str
    threads: int
    batch: int
    software: str
    concurrency: int = 1
    capabilities: Capabilities = ABLE
    _session: Session | None = field(default=None, init=False, repr=False)

    def engine(self) -> Engine:
        facts: dict[str, Scalar] = {
            "version": VERSION,
            "openvino": self.software,
            "prepared": build.FORMAT,
            "sha256": self.file.sha256,
            "dtype": self.dtype,
            "threads": self.threads,
            "batching": "left 16, rows by threads" if self.dtype == "f32" else "alone",
        }
        return Engine(backend="embedded", facts=tuple(sorted(facts.items())))

    def facts(self) -> Mapping[str, Scalar]:
        return {"sha256": self.file.sha256}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return await asyncio.to_thread(self._answer, calls)

    async def close(self) -> None:
        self._session = None

    def _answer(self, calls: Sequence[Call]) -> list[Response | Failure]:
        try:
            return self.session().answer(calls)
        except EyechartError:
            raise
        except Exception as error:
            text = str(error).strip().splitlines()
            reason = f"the engine broke: {type(error).__name__}: {text[-1] if text else ''}"[:300]
            return [Failure(kind="crashed", reason=reason)] * len(calls)

    def session(self) -> Session:
        """The model at work; fetched, made ready and compiled when first asked for."""
        if self._session is None:
            path = self.file.ready()
            self._session = Session(build.prepared(path, self.file.sha256, self.software), self.dtype, self.threads)
        return self._session


def open_backend(model: Model) -> Embedded:
    """Raises MissingExtra without OpenVINO, InputError for a file or model that is not there."""
    for package in ("openvino", "openvino_genai", "gguf"):
        if find_spec(package) is None:
            raise MissingExtra("the embedded model", package, "local")
    dtype = (model.dtype or "f32").lower().replace("float", "f")
    if dtype not in TYPES:
        raise InputError(f"the embedded engine has {', '.join(TYPES)}, not {model.dtype}", field="model.dtype")
    return Embedded(
        file=locate(model),
        dtype=dtype,
        threads=model.threads or THREADS,
        batch=(model.batch_size or BATCH) if dtype == "f32" else 1,
        software=metadata.version("openvino-genai"),
    )
