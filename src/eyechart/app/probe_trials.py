"""Which settings of a determinism probe can be tried on a backend, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eyechart.app.probe_passes import Trial
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.plugins import BACKENDS, Backend
from eyechart.core.registry import hint
from eyechart.core.spec import Model
from eyechart.probes.determinism import CONDITIONS, STATED

BATCHES = (1, 7)
"""One, and an odd number: what shares a batch then differs from the stated one almost everywhere."""
THREADS = (1, 2)
CONCURRENCIES = (1, 4)
NUMBERED: Mapping[str, Sequence[int]] = {"batch": BATCHES, "threads": THREADS, "concurrency": CONCURRENCIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Untried:
    """A condition that could not be tried here."""

    condition: str
    why: str
    """Key of a sentence in the catalogue of reports."""
    detail: str = ""
    """What is put into it."""


def wanted(text: str) -> dict[str, tuple[int, ...]]:
    """`again,batch:8` to conditions and the numbers stated for them.

    >>> wanted("again,batch:8,batch:3")
    {'again': (), 'batch': (8, 3)}

    Raises InputError for a condition that is not there, or a number where none belongs.
    """
    out: dict[str, tuple[int, ...]] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, mark, number = part.partition(":")
        if name not in CONDITIONS:
            raise InputError(f"there is no condition {name}; {hint(name, CONDITIONS)}", field="--conditions")
        if mark and (name not in NUMBERED or not number.isdigit() or int(number) < 1):
            like = ", ".join(f"{n}:{NUMBERED[n][-1]}" for n in NUMBERED)
            raise InputError(f"{part}: a whole number behind a colon is for {like}", field="--conditions")
        out[name] = out.get(name, ()) + ((int(number),) if mark else ())
    if not out:
        raise InputError(f"name at least one of {', '.join(CONDITIONS)}", field="--conditions")
    return out


def trials(
    model: Model, backend: Backend, conditions: Mapping[str, Sequence[int]], repeats: int
) -> tuple[tuple[Trial, ...], tuple[Untried, ...]]:
    """The pass as stated first; then every setting that can be tried."""
    found: list[Trial] = [Trial(condition=STATED, setting=STATED)]
    untried: list[Untried] = []
    for name in CONDITIONS:
        if name not in conditions:
            continue
        mine = list(_TRIED[name](model, backend, conditions[name], repeats))
        found += [one for one in mine if isinstance(one, Trial)]
        untried += [Untried(condition=name, why=one[0], detail=one[1]) for one in mine if isinstance(one, tuple)]
    return tuple(found), tuple(untried)


Tried = Iterator[Trial | tuple[str, str]]


def _served(backend: Backend) -> bool:
    return backend.engine().backend == "openai"


def _again(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    yield Trial(condition="again", setting=STATED, occasions=repeats)


def _fresh(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    if _served(backend):
        yield "server_start", ""
    else:
        yield Trial(condition="fresh", setting="another process", fresh=True)


def _batch(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    if _served(backend):
        yield "server_batch", ""
    elif backend.batch == 1 and not numbers:
        yield "one_call", ""
    else:
        for n in dict.fromkeys(numbers or BATCHES):
            if n != backend.batch:
                yield Trial(condition="batch", setting=f"batches of {n}", batch=n)


def _threads(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    known = dict(backend.engine().facts).get("threads")
    if _served(backend):
        yield "server_threads", ""
    elif known is None:
        yield "no_threads", ""
    else:
        for n in dict.fromkeys(numbers or THREADS):
            if n != known:
                yield from _reopened("threads", f"{n} threads", model, backend, {"threads": n})


def _order(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    yield Trial(condition="order", setting="reversed", order="reversed")
    yield Trial(condition="order", setting="shuffled", order="shuffled")


def _concurrency(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    for n in dict.fromkeys(numbers or CONCURRENCIES):
        if n == backend.concurrency:
            continue
        if _served(backend):
            changed = {"options": {**(model.options or {}), "concurrency": n}}
            yield from _reopened("concurrency", f"{n} at once", model, backend, changed)
        elif backend.concurrency > 1:
            yield Trial(condition="concurrency", setting=f"{n} at once", concurrency=min(n, backend.concurrency))
        else:
            yield "one_call", ""
            return


def _cache(model: Model, backend: Backend, numbers: Sequence[int], repeats: int) -> Tried:
    options: dict[str, Any] = dict(model.options or {})
    engine = backend.engine()
    if engine.backend == "llamacpp":
        for on in (False, True):
            if dict(engine.facts).get("prefix_cache") != on:
                changed = {"options": {**options, "prefix_cache": on}}
                yield from _reopened("cache", _named(on), model, backend, changed)
    elif not _served(backend):
        yield "keeps_nothing", ""
    elif options.get("dialect") == "llamacpp":
        extra: dict[str, Any] = dict(options.get("extra_body") or {})
        for on in (False, True):
            if extra.get("cache_prompt") is not on:
                changed = {"options": {**options, "extra_body": {**extra, "cache_prompt": on}}}
                yield from _reopened("cache", _named(on), model, backend, changed)
    elif options.get("dialect") == "vllm":
        extra = dict(options.get("extra_body") or {})
        # vLLM shares a cached prefix only among requests of one salt: a new one starts cold.
        changed = {"options": {**options, "extra_body": {**extra, "cache_salt": "eyechart-determinism"}}}
        yield from _reopened("cache", "prefix cache of its own", model, backend, changed)
    else:
        yield "no_field", ""


def _named(on: bool) -> str:
    return f"prefix cache {'on' if on else 'off'}"


def _reopened(condition: str, setting: str, model: Model, backend: Backend, changed: Mapping[str, Any]) -> Tried:
    """The model opened with other settings, if it takes them: an engine that stays the same did not."""
    other = model.model_copy(update=dict(changed))
    try:
        opened = BACKENDS.get(model.backend or "embedded")(other)
    except EyechartError as error:
        yield "error", f"{setting}: {error}"
        return
    if opened.engine() == backend.engine():
        yield "not_settable", setting
        return
    yield Trial(condition=condition, setting=setting, model=other)


_TRIED = {
    "again": _again, "fresh": _fresh, "batch": _batch, "threads": _threads, "order": _order,
    "concurrency": _concurrency, "cache": _cache,
}  # fmt: skip
