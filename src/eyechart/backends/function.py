"""A plain Python function sits the same test as a model: `model: {backend: function, path: module:function}`.

The function is given the prompt (a text, or a list of `{"role", "content"}` messages) and returns a
text. The hash of its source file is part of the engine, so a changed function is asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from eyechart.backends.shown import refused
from eyechart.core.errors import InputError
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model

ABLE = Capabilities(generate=True)


@dataclass(frozen=True, kw_only=True)
class Function:
    path: str
    function: Callable[[Any], Any]
    source: str
    """SHA-256 of the file the function stands in."""
    capabilities: Capabilities = ABLE
    batch: int = 1
    concurrency: int = 1

    def engine(self) -> Engine:
        facts = (("path", self.path), ("sha256", self.source), ("version", 1))
        return Engine(backend="function", facts=facts)

    def facts(self) -> Mapping[str, Scalar]:
        return {"function": self.path, "sha256": self.source}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [await asyncio.to_thread(self._answer, call) for call in calls]

    async def close(self) -> None:
        return None

    def _answer(self, call: Call) -> Response | Failure:
        request = call.request
        if (failure := refused(request, ABLE)) is not None:
            return failure
        asked: Any = request.prompt
        if asked is None:
            asked = [{"role": m.role, "content": m.content} for m in request.messages]
        try:
            answer = self.function(asked)
        except (Exception, SystemExit) as error:  # a function that exits must not end the run
            text = str(error).splitlines()[0] if str(error) else ""
            return Failure(kind="crashed", reason=f"{self.path} raised {type(error).__name__}: {text}"[:300])
        if not isinstance(answer, str):
            kind = type(answer).__name__
            return Failure(kind="garbage", reason=f"{self.path} returned {kind}, not a text")
        return Response(text=answer, finish_reason="stop", served_model=self.path)


def open_backend(model: Model) -> Function:
    path = model.path or ""
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise InputError("write the function as module:function", field="model.path")
    if os.getcwd() not in sys.path:  # the folder the command is given in; last, so that it shadows nothing
        sys.path.append(os.getcwd())
    try:
        module = import_module(module_name)
    except Exception as error:
        raise InputError(f"cannot import {module_name}: {type(error).__name__}: {error}", field="model.path") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"{module_name} has no function {name}", field="model.path")
    return Function(path=path, function=function, source=_source_hash(module, function))


def _source_hash(module: Any, function: Any) -> str:
    try:
        file = inspect.getsourcefile(function) or module.__file__
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except (TypeError, OSError):
        raise InputError(
            "the source of this function cannot be read, so a change in it could not be seen; give one that "
            "stands in a file",
            field="model.path",
        ) from None
