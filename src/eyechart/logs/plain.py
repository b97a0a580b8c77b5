"""Foreign JSON, made harmless: whatever stands where, a reader gets the type it asked for or nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from eyechart.core.records import Failure, Item, Message, Outcome, Response
from eyechart.logs.values import Notes, Scored, Unreadable

WHOLE = 400_000_000
"""Bytes of a JSON file that is read in one piece."""
LINE = 50_000_000
"""Bytes of one line of a JSON Lines file."""
_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)  # made once: there may be a line for each of 100,000 samples
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_SECRET = re.compile(r"(?i)(api_?key|token|secret|password|authorization|credential)s?$")
_LOGIN = re.compile(r"//[^/\s@:]+:[^/\s@]+@")
"""Name and password in a URL."""
_LETTER = re.compile(r"\(?([A-Z])[).]?")


def parse(data: bytes, what: str) -> Any:
    """JSON with `NaN` and `Infinity` read as absent. Raises Unreadable with `what` in front."""
    try:
        found = _DECODER.decode(data.decode("utf-8-sig" if data[:3] == _MARK else "utf-8"))
    except UnicodeDecodeError as error:
        raise Unreadable(f"{what} is not UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{what} is not whole JSON: {str(error)[:80]}") from None
    try:
        return _without_halves(found) if _ESCAPED.search(data) else found
    except RecursionError:
        raise Unreadable(f"{what} is nested too deep") from None


def _without_halves(value: Any) -> Any:
    """Halves of characters (`\\ud83d` alone) can be stored nowhere: they become U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_halves(k): _without_halves(v) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_without_halves(v) for v in cast("list[Any]", value)]
    return value


def stand_in(path: Path) -> str | None:
    """Why a file holds nothing, where it is only the place of one that does: it is empty, or names what is elsewhere.

    Raises nothing; None also for a file that cannot be opened.
    """
    try:
        with path.open("rb") as file:
            start = file.read(200)
    except OSError:
        return None
    return _empty(start)


def _empty(start: bytes) -> str | None:
    """
    >>> _empty(b""), _empty(b"version https://git-lfs.github.com/spec/v1"), _empty(b"{}")
    ('is empty', 'is a Git LFS pointer, not the file itself: fetch it with git lfs pull', None)
    """
    if not start.strip():
        return "is empty"
    if start.startswith(b"version https://git-lfs.github.com/spec/"):
        return "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"
    if start.lstrip(b"./").startswith((b"annex/objects/", b"git/annex/objects/")):
        return "is a git-annex pointer, not the file itself: fetch it with git annex get"
    return None


def read_json(path: Path) -> Any:
    """A whole JSON file. Raises Unreadable."""
    try:
        size = path.stat().st_size
        if size > WHOLE:
            raise Unreadable(f"is {size:,} bytes long; JSON is read up to {WHOLE:,}")
        data = path.read_bytes()
        if len(data) < 500 and (why := _empty(data)):
            raise Unreadable(why)
        return parse(data, "it")
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def read_lines(path: Path, notes: Notes) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON Lines file, or of one JSON list under that name; a line that is none is said and passed over.

    Raises Unreadable for a file that cannot be opened, or a line longer than `LINE`.
    """
    try:
        with path.open("rb") as file:
            start = file.read(200)
            if (why := _empty(start)) and len(start) < 200:
                raise Unreadable(f"{path.name} {why}")
            if start.lstrip()[:1] == b"[":
                yield from (mapping(row) for row in sequence(read_json(path)) if isinstance(row, dict))
                return
            file.seek(0)
            number = 0
            while line := file.readline(LINE + 1):
                number += 1
                if len(line) > LINE:
                    raise Unreadable(f"line {number} is longer than {LINE:,} bytes")
                if not line.strip():
                    continue
                try:
                    found = parse(line, "line")
                except Unreadable:
                    notes.say(f"{path.name}: line {number} is not whole JSON and was left out")
                    continue
                if isinstance(found, dict):
                    yield cast("Mapping[str, Any]", found)
                else:
                    notes.say(f"{path.name}: line {number} is no JSON object and was left out")
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}") from None


def mapping(value: Any) -> Mapping[str, Any]:
    """
    >>> mapping({"a": 1}), mapping([1]), mapping(None)
    ({'a': 1}, {}, {})
    """
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}  # an abstract type costs five times this


def sequence(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def dig(value: Any, *keys: str) -> Any:
    """What stands at the end of a path of keys; None where it breaks off.

    >>> dig({"a": {"b": 2}}, "a", "b"), dig({"a": 1}, "a", "b")
    (2, None)
    """
    for key in keys:
        value = mapping(value).get(key)
    return value


def text(value: Any) -> str | None:
    """Text, or a number written out; None for anything else and for nothing.

    >>> text("a"), text(3), text(""), text([1]), text(True)
    ('a', '3', None, None, 'true')
    """
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, int | float) else None


def number(value: Any) -> float | None:
    """A finite number; truth values are 1 and 0; the text "N/A", and any other, is none.

    >>> number(1), number(True), number("N/A"), number(float("nan")), number("0.5")
    (1.0, 1.0, None, None, None)
    """
    if not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """A whole number that is one.

    >>> whole(3), whole(3.0), whole(True), whole("3")
    (3, 3, None, None)
    """
    found = None if isinstance(value, bool) else number(value)
    return int(found) if found is not None and found.is_integer() and abs(found) < 2**53 else None


def written(value: Any) -> float | None:
    """As `number`, also of a number in text: `"-1.25"`.

    >>> written("-1.25"), written("inf"), written("x")
    (-1.25, None, None)
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return number(value)


def short(value: Any, size: int = 80) -> str:
    """For a message: one line, cut."""
    line = " ".join(str(value).split())
    return line if len(line) <= size else line[: size - 1] + "…"


def harmless(value: Any, depth: int = 12) -> Any:
    """Foreign settings to be kept: no secrets, no endless nesting, nothing that JSON cannot hold.

    >>> harmless({"api_key": "sk-1", "a": {"auth_token": "x", "b": 1}})
    {'api_key': '(not kept)', 'a': {'auth_token': '(not kept)', 'b': 1}}
    """
    if depth == 0:
        return short(value)
    if isinstance(value, dict):
        pairs = cast("Mapping[Any, Any]", value).items()
        return {
            str(k): "(not kept)"
            if _SECRET.search(str(k)) and isinstance(v, str) and v and v.lower() not in ("true", "false")
            else harmless(v, depth - 1)
            for k, v in pairs
        }
    if isinstance(value, list | tuple):
        return [harmless(v, depth - 1) for v in cast("Sequence[Any]", value)[:1000]]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return _LOGIN.sub("//(not kept)@", value)
    return value if value is None or isinstance(value, int | float | bool) else str(value)


def pairs_of(given: Any) -> Mapping[str, Any]:
    """`pretrained=x,dtype=float16`, or a mapping, as a mapping; a comma inside a value stays in it.

    >>> pairs_of("pretrained=a/b,stop=x,y,dtype=float16")
    {'pretrained': 'a/b', 'stop': 'x,y', 'dtype': 'float16'}
    """
    if isinstance(given, dict):
        return cast("Mapping[str, Any]", given)
    out: dict[str, Any] = {}
    last = None
    for part in given.split(",") if isinstance(given, str) else ():
        key, mark, value = part.partition("=")
        if mark and re.fullmatch(r"[\w.-]+", key.strip()):
            last = key.strip()
            out[last] = value
        elif last is not None:
            out[last] = f"{out[last]},{part}"
    return out


def moment(value: Any) -> str | None:
    """Seconds since the epoch, or text that begins like ISO 8601, as ISO 8601 to the second.

    >>> moment(0), moment("2025-05-12T20:28:13-04:00"), moment("soon"), moment(3391296.9)
    ('1970-01-01T00:00:00+00:00', '2025-05-12T20:28:13-04:00', None, '1970-02-09T06:01:36+00:00')
    """
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).isoformat(timespec="seconds")
        except ValueError:
            return None
    seconds = number(value)
    if seconds is None or isinstance(value, bool):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return None


def scored(reading: str, value: float | None, *, unread: bool = False) -> Scored:
    """`unread`: the harness found no answer in the text."""
    return Scored(reading, value, Outcome.UNPARSEABLE if unread and value == 0 else None)


def failed(reason: Any) -> Failure:
    """A call that the log says broke off: it counts neither as right nor as wrong."""
    return Failure(kind="crashed", reason=short(reason, 200) or "the log gives no reason")


def messages(value: Any) -> tuple[Message, ...]:
    """Chat messages whose roles and contents are text; parts of contents are put together.

    >>> [m.content for m in messages([{"role": "user", "content": [{"type": "text", "text": "hi"}]}])]
    ['hi']
    """
    out: list[Message] = []
    for one in sequence(value):
        role, content = dig(one, "role"), content_of(dig(one, "content"))
        if role not in ("system", "user", "assistant"):
            role = "system" if role == "developer" else "user"
        if content is not None:
            out.append(Message(role=cast("Any", role), content=content))
    return tuple(out)


def content_of(value: Any) -> str | None:
    """The text of a message: itself, or its parts of text; reasoning stands apart and is left out."""
    if isinstance(value, str):
        return value
    parts = [dig(part, "text") for part in sequence(value) if dig(part, "type") in ("text", None)]
    return "\n".join(p for p in parts if isinstance(p, str)) if sequence(value) else None


def item_of(
    name: str,
    question: str | None,
    *,
    gold: Sequence[str] = (),
    choices: Sequence[str] = (),
    at: int | None = None,
    group: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Item:
    """An item; `at` is the position of the right choice. Of `more` columns only short plain ones are kept: the
    foreign file has the rest."""
    right = at if at is not None and 0 <= at < len(choices) else None
    fields = {str(k): v for k, v in (more or {}).items() if _small(v)}
    if question is not None:
        fields["question"] = question
    return Item(
        id=name,
        fields=fields,
        gold=(choices[right],) if right is not None else tuple(gold),
        choices=tuple(choices),
        gold_index=right,
        group=group,
    )


def _small(value: Any) -> bool:
    return isinstance(value, bool) or number(value) is not None or (isinstance(value, str) and len(value) <= 120)


def letter_of(value: str | None) -> int | None:
    """Position of an option called by its letter.

    >>> letter_of("B"), letter_of("(C)"), letter_of("yes")
    (1, 2, None)
    """
    found = _LETTER.fullmatch((value or "").strip())
    return ord(found[1]) - ord("A") if found else None


def generated(value: str | None, **more: Any) -> Response | Failure:
    """An answer; a log that holds none says nothing about the model."""
    return failed("the log holds no answer") if value is None else Response(text=value, **more)
