"""Harnesses that run a whole evaluation by themselves: what a study may set of them, and the command line it becomes.

A command line is a list of words, never text for a shell. What a harness cannot set is refused, with the option that
can: nothing that a study states may be without effect in silence.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, cast

from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.identity import digest
from eyechart.core.registry import hint
from eyechart.core.spec import Spec

SECRET = ("api_key", "apikey", "token", "auth_token", "secret", "password", "authorization")
HASHED = 64_000_000
"""Bytes of a task file up to which its content is hashed; of larger ones size and time stand for it."""
TASK_FILES = (".yaml", ".yml", ".py", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".jinja", ".parquet")
MOST_FILES = 2_000


@dataclass(frozen=True, kw_only=True)
class Line:
    """A harness run, ready to be started."""

    words: tuple[str, ...]
    """After the interpreter, but for where the log goes."""
    wanted: tuple[tuple[str, Any], ...]
    """Settings that must take effect: a path, as the log's reader calls it, and the value it must have."""
    files: tuple[Path, ...] = ()
    """Files and folders of the task: their content is part of what is run."""
    written: tuple[tuple[str, str, str], ...] = ()
    """Flag, name and content of configuration files that are written beside the log."""
    keys: tuple[tuple[str, str | None], ...] = ()
    """Variable that the harness reads its key from, and the one it is taken from; None: no key is needed."""


class Writer(Protocol):
    def __call__(self, spec: Spec, base: Path, seed: int | None, /) -> Line: ...


@dataclass(frozen=True, kw_only=True)
class Harness:
    """A harness that can be started."""

    backend: str
    """Its name in `model.backend`."""
    name: str
    """As its reader of logs calls it."""
    package: str
    """The distribution that has to be installed."""
    extra: str
    line: Writer
    """Raises InputError for a field that the harness cannot set."""
    log: Callable[[Path], tuple[str, ...]]
    """The words that say where the log goes."""
    oldest: str
    """The first version that takes such command lines."""
    dropped: str
    """Beginning of environment variables that would set options behind the study's back."""


@dataclass(frozen=True, kw_only=True)
class Interpreter:
    """Where a harness is installed."""

    path: str
    version: str


def leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """
    >>> dict(leaves({"a": {"b": 1, "c": {"d": 2}}, "e": 3}))
    {'a.b': 1, 'a.c.d': 2, 'e': 3}
    """
    for key, part in value.items():
        if isinstance(part, Mapping):
            yield from leaves(cast("Mapping[str, Any]", part), f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", part


def refuse_others(
    spec: Spec, name: str, able: Sequence[str], options: Sequence[str], instead: Mapping[str, str]
) -> None:
    """Raises InputError for a stated field that is neither in `able` nor `model.options` of `options`; `instead` says,
    by the beginning of a path, where the harness takes it from."""
    for path, _ in leaves(spec.stated()):
        if path.startswith("model.options."):
            key = path.split(".")[2]
            if key not in options:
                raise InputError(f"{name} has no such option here; {hint(key, options)}", field=f"model.options.{key}")
        elif path not in able:
            begins = [start for start in instead if path == start or path.startswith(f"{start}.")]
            where = instead[max(begins, key=len)] if begins else "leave it out"
            raise InputError(f"{name} cannot set this: {where}", field=path)


def option(spec: Spec, name: str) -> Any:
    return (spec.model.options or {}).get(name)


def text_option(spec: Spec, name: str, *, needed: str | None = None) -> str | None:
    """A text in `model.options`. Raises InputError where it is something else, or lacking though `needed` (an example)."""
    value = option(spec, name)
    if value is None and needed is None:
        return None
    if not isinstance(value, str) or not value:
        raise InputError(f"write a text, e.g. {needed or name}", field=f"model.options.{name}")
    return value


def words_option(spec: Spec, name: str) -> tuple[str, ...]:
    """A text or a list of texts in `model.options`; () where it is not there."""
    value = option(spec, name)
    if value is None:
        return ()
    many = [value] if isinstance(value, str) else value
    if not isinstance(many, list | tuple) or not all(
        isinstance(one, str | int | float) for one in cast("list[Any]", many)
    ):
        raise InputError("write a text or a list of texts", field=f"model.options.{name}")
    return tuple(str(one) for one in cast("list[Any]", many))


def mapping_option(spec: Spec, name: str) -> dict[str, Any]:
    """A mapping in `model.options`. Raises InputError where it is something else, or holds a secret."""
    value = option(spec, name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError("write a mapping, e.g. {num_concurrent: 4}", field=f"model.options.{name}")
    found = dict(cast("Mapping[str, Any]", value))
    for key in found:
        if key.lower().replace("-", "_") in SECRET:
            raise InputError(
                "looks like a secret, which would be stored: name an environment variable in model.api_key_env instead",
                field=f"model.options.{name}.{key}",
            )
    return found


def further(spec: Spec, taken: Sequence[str]) -> tuple[str, ...]:
    """`model.options.args`: words passed on as they are. Raises InputError for a flag that the study sets itself."""
    words = words_option(spec, "args")
    for word in words:
        flag = word.partition("=")[0]
        if flag in taken:
            raise InputError(f"{flag} is set by the study: write its field or option", field="model.options.args")
    return words


def keys_of(spec: Spec, variable: str) -> tuple[tuple[str, str | None], ...]:
    """Where the harness finds its key. A server that is named and asks for none gets none."""
    if spec.model.api_key_env is not None:
        return ((variable, spec.model.api_key_env),)
    return ((variable, None),) if spec.model.url is not None else ()


@lru_cache(maxsize=64)
def interpreter(package: str, name: str, extra: str, given: str | None) -> Interpreter:
    """The interpreter that has the harness, and which version: the one given, else this one. Starts nothing of it.

    Raises MissingExtra, or InputError where the interpreter given does not have it.
    """
    if given is None:
        try:
            return Interpreter(path=sys.executable, version=metadata.version(package))
        except metadata.PackageNotFoundError:
            raise MissingExtra(name, package, extra) from None
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    try:
        done = subprocess.run([given, "-c", ask], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{given} cannot be started: {why}", field="model.options.python") from None
    if done.returncode or not done.stdout.strip():
        raise InputError(
            f"{given} has no {package}: install it there, or leave model.options.python out",
            field="model.options.python",
        )
    return Interpreter(path=given, version=done.stdout.split()[-1])


def older(version: str, oldest: str) -> bool:
    """Whether `version` comes before `oldest`; what is no number counts as nothing.

    >>> older("0.4.8", "0.4.9"), older("0.4.13", "0.4.9"), older("0.5.0.dev1", "0.4.9")
    (True, False, False)
    """
    one, other = (tuple(int(p) if p.isdecimal() else 0 for p in v.split(".")[:3]) for v in (version, oldest))
    return one < other


def located(base: Path, given: str) -> str:
    """An interpreter as the study means it: relative paths start at the study. A link is not followed: a virtual
    environment is known by its own path.

    >>> located(Path("/studies"), "env/bin/python"), located(Path("/studies"), "python3.11")
    ('/studies/env/bin/python', 'python3.11')
    """
    plain = os.path.expanduser(given)
    if os.sep not in plain and "/" not in plain:
        return plain
    return plain if os.path.isabs(plain) else os.path.abspath(base / plain)


def line_digest(where: Interpreter, line: Line, repeat: int) -> str:
    """What is run, by content: the words, the version, the files of the task. Where the log goes is no part of it."""
    body = {
        "python": where.path,
        "version": where.version,
        "words": line.words,
        "written": [[flag, content] for flag, _, content in line.written],
        "files": content_of(line.files),
        "repeat": repeat,
    }
    return digest("h1", body)


def content_of(paths: Sequence[Path]) -> list[list[str]]:
    """Name and SHA-256 of each file of a task, folders walked; at most `MOST_FILES` of a folder."""
    out: list[list[str]] = []
    for path in paths:
        if path.is_dir():
            found = (p for p in sorted(path.rglob("*")) if p.suffix in TASK_FILES and p.is_file())
            inside = [p for p in found if not any(part.startswith(".") for part in p.relative_to(path).parts)]
            out += [[str(p.relative_to(path)), _sha(p)] for p in inside[:MOST_FILES]]
        elif path.is_file():
            out.append([path.name, _sha(path)])
    return out


def _sha(path: Path) -> str:
    stat = path.stat()
    if stat.st_size > HASHED:
        return f"{stat.st_size} bytes, {stat.st_mtime_ns}"
    return _hashed(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=10_000)
def _hashed(path: Path, size: int, time: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
