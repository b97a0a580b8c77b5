"""The record of error terms beside runs: read, checked, added to. `eyechart-history.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from os.path import relpath
from pathlib import Path
from typing import Any, cast

from eyechart.analysis.error_terms import (
    FILE,
    Entry,
    Record,
    Shown,
    Verified,
    Version,
    draws_used_again,
    holds,
    mistake,
)
from eyechart.analysis.history_terms import BY_ITEM, Measured, change_of, clusters_of, shares
from eyechart.analysis.results import Number
from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.core.codec import Document, read_yaml
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.core.registry import hint

TOP = ("protocol", "changelog", "terms")
PROTOCOL = ("name", "version")
CHANGELOG = ("version", "change")
ENTRY = ("term", "found", "cause", "fix", "verified", "closed")
VERIFIED = ("run", "against")
ASKED = (*ENTRY[:4], "run", "against", "closed", "protocol", "version", "change")
"""What `--record KEY=VALUE` takes; `run` and `against` are those of `verified`."""


def read_record(path: Path) -> Record | None:
    """The record in a file; None where there is none. Raises InputError, one line, for the first mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read: write UTF-8 text", file=str(path)) from None
    return parse_record(text, path)


def parse_record(text: str, path: Path) -> Record:
    """As `read_record`, of text; runs are named relative to the folder of `path`, and looked at where they verify."""
    document = read_yaml(text, str(path))
    data = _mapping(document, document.data or {}, (), TOP)
    protocol = _mapping(document, data.get("protocol") or {}, ("protocol",), PROTOCOL)
    changelog = [
        _mapping(document, one, ("changelog", i), CHANGELOG) for i, one in enumerate(_list(document, data, "changelog"))
    ]
    versions = tuple(
        Version(
            version=_said(document, one, ("changelog", i), "version"),
            change=_said(document, one, ("changelog", i), "change"),
        )
        for i, one in enumerate(changelog)
    )
    version = _text(document, protocol, ("protocol",), "version")
    if version is not None and versions and versions[-1].version != version:
        raise document.error(
            f"the protocol is version {version}, and its changelog ends with {versions[-1].version}: add a line for it",
            ("protocol", "version"),
        )
    entries = tuple(_entry(document, one, i, path.parent) for i, one in enumerate(_list(document, data, "terms")))
    return Record(
        protocol=_text(document, protocol, ("protocol",), "name"), version=version, changelog=versions, entries=entries
    )


def _entry(document: Document, given: Any, place: int, base: Path) -> Entry:
    at = ("terms", place)
    row = _mapping(document, given, at, ENTRY)
    verified = None
    if row.get("verified") is not None:
        pair = _mapping(document, row["verified"], (*at, "verified"), VERIFIED)
        named = [_said(document, pair, (*at, "verified"), name) for name in VERIFIED]
        verified = Verified(run=named[0], against=named[1])
    entry = Entry(
        term=_said(document, row, at, "term"),
        found=_said(document, row, at, "found"),
        cause=_text(document, row, at, "cause"),
        fix=_text(document, row, at, "fix"),
        verified=verified,
        closed=_text(document, row, at, "closed"),
        line=document.line(at),
    )
    # As it is spelt if that shows the mistake; two spellings of one run are one run all the same.
    wrong = mistake(entry) or mistake(_resolved(entry, base)) or _stale(entry, base)
    if wrong:
        raise document.error(wrong, (*at, "verified") if verified is not None else at)
    return entry


def _resolved(entry: Entry, base: Path) -> Entry:
    """With its runs as full paths, so that two spellings of one run are one."""

    def full(run: str) -> str:
        return str((base / run.partition("#")[0]).resolve())

    verified = entry.verified
    if verified is not None:
        verified = Verified(run=full(verified.run), against=full(verified.against))
    return replace(entry, found=full(entry.found), verified=verified)


def _stale(entry: Entry, base: Path) -> str | None:
    """Whether a verifying run holds draws that found the error: then it was not measured anew."""
    if entry.verified is None:
        return None
    try:
        keys = finished(Folder(base / entry.found.partition("#")[0])).keys
        for name in (entry.verified.run, entry.verified.against):
            again = draws_used_again(keys, finished(Folder(base / name.partition("#")[0])).keys)
            if again:
                return (
                    f"{again:,} answers of {name} are draws of {entry.found}, which found the error: verify on fresh "
                    "ones, with another decoding.seed or other items"
                )
    except InputError as error:
        return f"cannot be verified: {error}"
    return None


def shown(record: Record, measured: Mapping[Path, Measured], base: Path) -> tuple[Shown, ...]:
    """Every entry with the change of its term between its two runs, where both are of the history."""
    return tuple(_shown(entry, measured, base) for entry in record.entries)


def _shown(entry: Entry, measured: Mapping[Path, Measured], base: Path) -> Shown:
    if entry.verified is None:
        return Shown(entry=entry, change=None, holds=None)
    change = _change(entry.term, entry.verified, measured, base)
    return Shown(entry=entry, change=change, holds=holds(change))


def _change(term: str, verified: Verified, measured: Mapping[Path, Measured], base: Path) -> Number:
    if term not in BY_ITEM:
        return NotEstimable(name=term, reason="not an error term that is measured item by item")
    pair = [measured.get((base / name.partition("#")[0]).resolve()) for name in (verified.run, verified.against)]
    if pair[0] is None or pair[1] is None:
        return NotEstimable(name=term, reason="its runs are not in this history")
    after, before = pair[0], pair[1]
    if after.set_up.asked != before.set_up.asked:
        return NotEstimable(name=term, reason="its two runs asked other items")
    return change_of(term, shares(after)[term], shares(before)[term], clusters_of(after))


def add(path: Path, told: Mapping[str, str]) -> str:
    """Write one more step into the record, and say what. Raises InputError, and writes nothing, where it is wrong.

    `told`: keys of `ASKED`. With `term` an open entry of that name is continued, else a new one begins; with `version`
    (and `protocol` the first time) the protocol moves on, `change` says how.
    """
    for key in told:
        if key not in ASKED:
            raise InputError(f"there is no {key} in a record; {hint(key, ASKED)}", field="--record")
    told = {key: _beside(path, value) if key in ("found", *VERIFIED) else value for key, value in told.items()}
    data = _plain(path)
    if "version" in told or "protocol" in told:
        said = _add_version(data, told)
    elif "term" in told:
        said = _add_term(data, told)
    else:
        raise InputError("name the error: --record term=truncated", field="--record")
    text = _dumped(data)
    parse_record(text, path)
    try:
        draft = path.with_name(f".{path.name}.part")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field="--record") from None
    return said


def _beside(path: Path, run: str) -> str:
    """A run named from here, as it is named from the folder of the record."""
    folder, mark, cell = run.partition("#")
    if not (Path(folder) / "run.json").is_file():
        raise InputError(f"there is no run {folder}", field="--record")
    return relpath(Path(folder).resolve(), path.absolute().parent.resolve()).replace("\\", "/") + mark + cell


def _add_version(data: dict[str, Any], told: Mapping[str, str]) -> str:
    if stray := [key for key in told if key not in ("protocol", "version", "change")]:
        raise InputError(f"{stray[0]} is of an error term, not of a protocol: give it with term=", field="--record")
    protocol: dict[str, Any] = data.setdefault("protocol", {})
    if "protocol" in told:
        protocol["name"] = told["protocol"]
    if "version" in told:
        if "change" not in told:
            raise InputError("say what changed: --record change=...", field="--record")
        protocol["version"] = told["version"]
        data.setdefault("changelog", []).append({"version": told["version"], "change": told["change"]})
    return f"protocol {protocol.get('name', '(no name)')} version {protocol.get('version', '(no version)')}"


def _add_term(data: dict[str, Any], told: Mapping[str, str]) -> str:
    entries: list[dict[str, Any]] = data.setdefault("terms", [])
    open_ones = [one for one in entries if one.get("term") == told["term"] and one.get("closed") is None]
    fresh = not open_ones
    entry: dict[str, Any] = {} if fresh else open_ones[-1]
    for key in ("term", "found", "cause", "fix", "closed"):
        if key in told:
            entry[key] = told[key]
    pair = {key: told[key] for key in VERIFIED if key in told}
    if pair:
        entry["verified"] = {**entry.get("verified", {}), **pair}
    if fresh:
        if "found" not in entry:
            raise InputError(
                f"no open entry of {told['term']}: name the run that found it, found=RUN", field="--record"
            )
        entries.append(entry)
    return f"{told['term']}: {', '.join(key for key in told if key != 'term') or 'nothing new'}"


def _plain(path: Path) -> dict[str, Any]:
    """The file as it can be added to, comments kept; empty where there is none. A wrong file is refused first."""
    if read_record(path) is None:
        return {}
    from ruamel.yaml import YAML

    return cast("Any", YAML(typ="rt", pure=True)).load(path.read_text(encoding="utf-8")) or {}


def _dumped(data: Mapping[str, Any]) -> str:
    from ruamel.yaml import YAML

    yaml = cast("Any", YAML(typ="rt", pure=True))
    yaml.width = 120
    stream = StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _mapping(document: Document, value: Any, path: tuple[str | int, ...], known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise document.error(f"a mapping wanted, with {', '.join(known)}", path)
    for key in cast("dict[str, Any]", value):
        if key not in known:
            raise document.error(f"there is no {key} here; {hint(key, known)}", (*path, key))
    return cast("dict[str, Any]", value)


def _list(document: Document, data: Mapping[str, Any], key: str) -> list[Any]:
    value: Any = data.get(key) or []
    if not isinstance(value, list):
        raise document.error("a list wanted, with a dash before each entry", (key,))
    return cast("list[Any]", value)


def _text(document: Document, row: Mapping[str, Any], path: tuple[str | int, ...], key: str) -> str | None:
    value = row.get(key)
    if value is None or isinstance(value, str):
        if value is not None and not value.strip():
            raise document.error("is empty: write it, or leave it out", (*path, key))
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise document.error("text wanted", (*path, key))


def _said(document: Document, row: Mapping[str, Any], path: tuple[str | int, ...], key: str) -> str:
    value = _text(document, row, path, key)
    if value is None:
        raise document.error(f"{key} is missing", path)
    return value


__all__ = ["FILE", "add", "parse_record", "read_record", "shown"]
