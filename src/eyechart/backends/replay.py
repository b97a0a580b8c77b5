"""Answers from what was stored or written down before; never calls anything.

    model: {backend: replay, path: runs/first}          # a run folder, or its store.sqlite
    model: {backend: replay, path: answers.jsonl}       # lines of {"prompt", "output", "repeat"?}

Lines with one prompt and no `repeat` are its repeats, in order.

A request that is not in there is a failure (`not_recorded`), never a guess.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eyechart.backends.shown import refused
from eyechart.core.errors import InputError
from eyechart.core.identity import request_digest
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model
from eyechart.store.store import Store

STORED = Capabilities(
    generate=True, options=True, seeds=True, token_logprobs=True, full_distribution=True, attention=True
)
"""Of a run: whatever was recorded in it; the rest is `not_recorded`."""
WRITTEN = Capabilities(generate=True, seeds=True)
"""Of lines of prompt and output: texts, and nothing beside them."""


@dataclass(frozen=True, kw_only=True)
class Replay:
    path: str
    sha256: str
    store: Store | None = None
    lines: Mapping[tuple[str, int], str] | None = None
    capabilities: Capabilities = STORED
    batch: int = 64
    concurrency: int = 1

    def engine(self) -> Engine:
        return Engine(backend="replay", facts=(("sha256", self.sha256), ("version", 1)))

    def facts(self) -> Mapping[str, Scalar]:
        return {"sha256": self.sha256}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [self._answer(call) for call in calls]

    async def close(self) -> None:
        if self.store is not None:
            self.store.close()

    def _answer(self, call: Call) -> Response | Failure:
        request, found = call.request, None
        if (failure := refused(request, self.capabilities)) is not None:
            return failure
        if self.store is not None:
            found = self.store.by_request(request_digest(request), call.repeat)
        elif self.lines is not None:
            asked = request.prompt if request.prompt is not None else request.messages[-1].content
            text = self.lines.get((asked, call.repeat))
            found = None if text is None else Response(text=text)
        if found is None:
            return Failure(kind="not_recorded", reason=f"{self.path} holds no answer to this request")
        return found


def open_backend(model: Model) -> Replay:
    if not model.path:
        raise InputError("name a run folder, a store, or a .jsonl of prompt and output", field="model.path")
    path = Path(model.path)
    if path.is_dir():
        path /= "store.sqlite"
    if not path.is_file():
        raise InputError(f"there is no file {path}", field="model.path")
    if path.suffix == ".jsonl":
        data = path.read_bytes()
        return Replay(
            path=str(path), sha256=hashlib.sha256(data).hexdigest(), lines=_lines(path, data), capabilities=WRITTEN
        )
    store = Store(path, create=False)
    # By content, not by the file's bytes: opening a database changes those.
    keys = "\n".join(sorted(store.digests()))
    return Replay(path=str(path), sha256=hashlib.sha256(keys.encode()).hexdigest(), store=store)


def _lines(path: Path, data: bytes) -> dict[tuple[str, int], str]:
    out: dict[tuple[str, int], str] = {}
    for number, line in enumerate(data.decode("utf-8-sig", errors="replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError:
            raise InputError("not valid JSON", file=str(path), line=number) from None
        if not isinstance(row, dict):
            raise InputError("each line is an object with prompt and output", file=str(path), line=number)
        fields = cast("dict[str, Any]", row)
        prompt, output, repeat = fields.get("prompt"), fields.get("output"), fields.get("repeat")
        if repeat is None and isinstance(prompt, str):  # the same prompt again is the next repeat
            repeat = next(i for i in range(len(out) + 1) if (prompt, i) not in out)
        if not isinstance(prompt, str) or not isinstance(output, str) or not isinstance(repeat, int):
            raise InputError("each line is an object with prompt and output", file=str(path), line=number)
        if (prompt, repeat) in out:
            raise InputError(f"repeat {repeat} of this prompt stands further up", file=str(path), line=number)
        out[prompt, repeat] = output
    return out
