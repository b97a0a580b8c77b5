"""A file of limits: YAML, with a line number for every mistake, and a JSON Schema for editors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

from eyechart.analysis.gate_text import DEFINITIONS, EXAMPLE, Limit, read_limit
from eyechart.core.codec import Document, read_yaml
from eyechart.core.errors import InputError
from eyechart.core.findings import Severity
from eyechart.core.registry import hint

KEYS = ("limits", "rate", "baseline", "contestant", "labels")
OF_LIMIT = ("limit", "id", "severity", "why")
_ID = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, kw_only=True)
class LimitFile:
    """What a file of limits says. Paths are relative to where it lies, and are written out here."""

    limits: tuple[Limit, ...]
    rate: float | None = None
    baseline: str | None = None
    contestant: tuple[str, ...] = ()
    labels: Path | None = None


def read_limits(path: Path) -> LimitFile:
    """The limits in `path`. Raises InputError; its text has one line for each mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", field="--limits") from None
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read; write limits as YAML in UTF-8", file=str(path)) from None
    return limits_of(text, str(path), path.parent)


def limits_of(text: str, file: str, base: Path) -> LimitFile:
    """As `read_limits`, of text.

    >>> limits_of("limits:\\n- score >= 0.6 of 1\\n- {limit: unparsed <= 2 %, severity: warning}", "gate.yaml",
    ...           Path()).limits[1].severity
    'warning'
    """
    document = read_yaml(text, file)
    data: Any = document.data
    if isinstance(data, list):
        document.lines = {("limits", *path): line for path, line in document.lines.items()}
        data = cast("Any", {"limits": data})
    if not isinstance(data, dict):
        raise InputError(f"write limits as a list, each as {EXAMPLE}", file=file)
    found = cast("dict[str, Any]", data)
    problems: list[InputError] = [
        document.error(f"there is no field {key}; {hint(key, KEYS)}", (key,)) for key in found if key not in KEYS
    ]
    limits = _limits(document, found.get("limits"), problems)
    rate = found.get("rate")
    if rate is not None and not (isinstance(rate, float) and 0 < rate <= 0.5):
        problems.append(document.error("write a chance above 0 and up to 0.5, e.g. 0.05", ("rate",)))
    contestant: Any = found.get("contestant") or []
    for key in ("baseline", "labels"):
        if found.get(key) is not None and not isinstance(found[key], str):
            problems.append(document.error("write one path", (key,)))
    if isinstance(contestant, str):
        contestant = [contestant]
    if not isinstance(contestant, list) or any(not isinstance(one, str) for one in cast("list[Any]", contestant)):
        problems.append(document.error("write fields of the fingerprint, e.g. [model]", ("contestant",)))
    if problems:
        first, rest = problems[0], "".join(f"\n{problem}" for problem in problems[1:])
        raise InputError(first.message + rest, file=first.file, line=first.line, field=first.field)
    given: Mapping[str, str | None] = {key: found.get(key) for key in ("baseline", "labels")}
    return LimitFile(
        limits=limits,
        rate=rate,
        baseline=None if given["baseline"] is None else str(base / given["baseline"]),
        contestant=tuple(cast("list[str]", contestant)),
        labels=None if given["labels"] is None else base / given["labels"],
    )


def _limits(document: Document, entries: Any, problems: list[InputError]) -> tuple[Limit, ...]:
    if not isinstance(entries, list) or not entries:
        problems.append(document.error(f"write a list of limits, each as {EXAMPLE}", ("limits",)))
        return ()
    out: list[Limit] = []
    for i, entry in enumerate(cast("list[Any]", entries)):
        try:
            out.append(_limit(document, i, entry))
        except InputError as error:
            problems.append(error)
    try:
        return with_ids(out)
    except InputError as error:
        problems.append(replace_place(error, document))
        return ()


def replace_place(error: InputError, document: Document) -> InputError:
    return InputError(error.message, file=error.file or document.file, line=error.line, field=error.field)


def _limit(document: Document, i: int, entry: Any) -> Limit:
    path = ("limits", i)
    if isinstance(entry, str):
        entry = {"limit": entry}
    if not isinstance(entry, dict):
        raise document.error(f"write a limit as {EXAMPLE}", path)
    found = cast("dict[str, Any]", entry)
    for key in found:
        if key not in OF_LIMIT:
            raise document.error(f"there is no field {key}; {hint(key, OF_LIMIT)}", (*path, key))
    if not isinstance(found.get("limit"), str):
        raise document.error(f"needs a limit, e.g. limit: {EXAMPLE}", path)
    severity = found.get("severity", "error")
    if severity not in get_args(Severity):
        raise document.error(
            f"is error, warning or note; {hint(str(severity), get_args(Severity))}", (*path, "severity")
        )
    name, why = found.get("id", ""), found.get("why")
    if not isinstance(name, str) or (name and not _ID.fullmatch(name)):
        raise document.error("an id is letters, digits, _, . and -", (*path, "id"))
    if why is not None and not isinstance(why, str):
        raise document.error("is one sentence", (*path, "why"))
    try:
        limit = read_limit(found["limit"])
    except InputError as error:
        raise document.error(error.message, path) from None
    return replace(limit, id=name, severity=severity, why=why, file=document.file, line=document.line(path))


def with_ids(limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """An id for each: the one that was given, else its estimate and what it is taken of, numbered where that repeats.

    >>> [limit.id for limit in with_ids([read_limit("score >= 60 %"), read_limit("volatility(group) <= 1 %")] * 2)]
    ['score', 'volatility.group', 'score-2', 'volatility.group-2']

    Raises InputError where one id was given twice.
    """
    for i, limit in enumerate(limits):
        if limit.id and any(limit.id == earlier.id for earlier in limits[:i]):
            raise InputError(f"the id {limit.id} stands twice", file=limit.file, line=limit.line)
    taken, out = {limit.id for limit in limits if limit.id}, list[Limit]()
    for limit in limits:
        if limit.id:
            out.append(limit)
            continue
        parts = [limit.estimate, limit.named or "", *(value or key for key, value in limit.options)]
        stem = ".".join(re.sub(r"[^A-Za-z0-9_-]+", "-", part).strip("-") for part in parts if part)
        name = next(
            n for i in range(1, len(limits) + len(taken) + 2) if (n := stem if i == 1 else f"{stem}-{i}") not in taken
        )
        taken.add(name)
        out.append(replace(limit, id=name))
    return tuple(out)


def schema() -> dict[str, Any]:
    """JSON Schema of a file of limits."""
    names = "|".join(DEFINITIONS)
    text = {
        "type": "string",
        "pattern": rf"^\s*({names}|pass\^[0-9]+)\s*(\(.*\))?\s*(<=|>=|≤|≥|at most|at least)\s*[-+0-9.].*$",
        "description": f"e.g. {EXAMPLE}; eyechart gate --list names the estimates",
    }
    entry = {
        "type": "object",
        "required": ["limit"],
        "additionalProperties": False,
        "properties": {
            "limit": text,
            "id": {"type": "string", "pattern": f"^{_ID.pattern}$"},
            "severity": {"enum": list(get_args(Severity))},
            "why": {"type": "string"},
        },
    }
    limits = {"type": "array", "minItems": 1, "items": {"oneOf": [text, entry]}}
    fields = {"type": "array", "items": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eyechart limits",
        "type": "object",
        "required": ["limits"],
        "additionalProperties": False,
        "properties": {
            "limits": limits,
            "rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
            "baseline": {"type": "string"},
            "contestant": {"oneOf": [{"type": "string"}, fields]},
            "labels": {"type": "string"},
        },
    }
