"""A command sits the same test as a model: the prompt on its standard input, the answer on its output.

    model: {backend: command, path: "./rules.sh --strict"}

It is started without a shell, once a call. The hashes of the program and of every argument that is
a file are part of the engine, so a changed script is asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.backends.shown import refused
from eyechart.core.errors import InputError
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model

ABLE = Capabilities(generate=True)


@dataclass(frozen=True, kw_only=True)
class Command:
    argv: tuple[str, ...]
    hashes: tuple[tuple[str, str], ...]
    """File name and SHA-256 of the program and of each argument that is a file."""
    timeout: float = 120.0
    capabilities: Capabilities = ABLE
    batch: int = 1
    concurrency: int = 2

    def engine(self) -> Engine:
        facts = (("argv", json.dumps(self.argv)), ("sha256", json.dumps(self.hashes)), ("version", 1))
        return Engine(backend="command", facts=facts)

    def facts(self) -> Mapping[str, Scalar]:
        return {"argv": json.dumps(self.argv), "sha256": json.dumps(self.hashes)}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [await self._answer(call) for call in calls]

    async def close(self) -> None:
        return None

    async def _answer(self, call: Call) -> Response | Failure:
        request = call.request
        if (failure := refused(request, ABLE)) is not None:
            return failure
        asked = request.prompt
        if asked is None:
            asked = json.dumps([{"role": m.role, "content": m.content} for m in request.messages])
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*self.argv, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            return Failure(kind="crashed", reason=f"cannot start {self.argv[0]}: {error.strerror}")
        try:
            out, err = await asyncio.wait_for(process.communicate(asked.encode()), self.timeout)
        except TimeoutError:
            process.kill()
            await process.wait()
            return Failure(kind="timeout", reason=f"no answer within {self.timeout:g} s", retryable=True)
        if process.returncode:
            said = err.decode(errors="replace").strip().splitlines()
            tail = said[-1][:200] if said else "it said nothing"
            return Failure(kind="crashed", reason=f"exit code {process.returncode}: {tail}")
        try:
            text = out.decode()
        except UnicodeDecodeError:
            return Failure(kind="garbage", reason="the output is not UTF-8")
        return Response(text=text, finish_reason="stop", served_model=self.argv[0])


def open_backend(model: Model) -> Command:
    argv = tuple(shlex.split(model.path or ""))
    if not argv:
        raise InputError("write the command line", field="model.path")
    program = shutil.which(argv[0])
    if program is None:
        raise InputError(f"there is no command {argv[0]}", field="model.path")
    files = [Path(program), *(Path(a) for a in argv[1:] if Path(a).is_file())]
    hashes = tuple((f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files)
    timeout = float((model.options or {}).get("timeout", 120.0))
    return Command(argv=argv, hashes=hashes, timeout=timeout)
