"""What can go wrong between a request and its answer, each as a Failure with a line for a person.

Pure: bytes, status and headers in, a Failure or a checked reply out. Whatever a server says is
cleaned before it is quoted: the key (also where the server cut or masked it), control characters
and mark-up are taken out, and no more than 200 characters are kept.
"""

from __future__ import annotations

import html
import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote

from eyechart.core.records import Failure, FailureKind

QUOTED = 200
"""Characters of a server's words that a reason may hold."""
_READ = 5_000
"""Characters of a body that are looked at for them."""
_HIDDEN = "[key]"
_BY_SIGHT = re.compile(r"(?i)\bbearer\s+[^\s\"',]+|\b(?:sk|pk|gsk|hf|xai)[-_][\w*.…-]{6,}")
_CREDENTIALS = re.compile(r"//[^/\s@]+@")
_MARKUP = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^<>]{0,500}>")
_TOO_LONG = re.compile(
    r"(?i)context[ _](?:length|window|size)|exceeds? the (?:available )?context|prompt is too long|"
    r"maximum (?:model|sequence|input|prompt) length|max_model_len|too many (?:input )?tokens"
)


class Bad(Exception):
    """Inside the backend only: carries the Failure that a call ends as."""

    def __init__(
        self, kind: FailureKind, reason: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        self.failure = Failure(kind=kind, reason=reason, retryable=retryable, retry_after=retry_after)
        super().__init__(reason)


class NotShown(Bad):
    """The server answered, and does not show what was asked for: another way may be tried."""

    def __init__(self, reason: str) -> None:
        reason = f"this server shows no log-probability for a given continuation: {reason}"
        super().__init__("not_measurable", reason)


def scrub(text: str, key: str | None) -> str:
    """`text` without the key and what looks like one.

    >>> scrub("Incorrect API key provided: sk-ab12********yz90.", "sk-ab1234567yz90")
    'Incorrect API key provided: [key]'
    >>> scrub("bad key topsecret-1 (topsec...)", "topsecret-1")
    'bad key [key] ([key])'
    """
    if key:
        for form in {key, quote(key, safe=""), json.dumps(key)[1:-1]}:
            text = text.replace(form, _HIDDEN)
        if len(key) >= 8:  # shown in part, cut or masked
            text = re.sub(re.escape(key[:6]) + r"[\w*.…-]*", _HIDDEN, text)
            text = re.sub(r"[\w*.…-]*" + re.escape(key[-6:]), _HIDDEN, text)
    return _CREDENTIALS.sub(f"//{_HIDDEN}@", _BY_SIGHT.sub(_HIDDEN, text))


def clean(text: str, key: str | None) -> str:
    """One printable line of at most 200 characters, without mark-up and without the key.

    >>> clean("<html><title>503</title><style>a{}</style><p>Back\\nsoon</p>", None)
    '503 Back soon'
    """
    text = text[:_READ]
    if "<" in text:
        text = html.unescape(_MARKUP.sub(" ", text))
    line = " ".join("".join(c if c.isprintable() else " " for c in scrub(text, key)).split())
    return line if len(line) <= QUOTED else line[:QUOTED] + "…"


def quoted(raw: bytes, key: str | None) -> str:
    """What a body says: the message of a JSON error, else its first characters.

    >>> quoted(b'{"error": {"message": "no such model", "type": "x"}}', None)
    'no such model'
    """
    text = raw[: 4 * _READ].decode("utf-8", "replace")
    said = message(_json_or_none(text)) or text
    return clean(said, key) or "(an empty body)"


def message(reply: Any) -> str | None:
    """The words of an error object as the servers write it."""
    if not isinstance(reply, dict):
        return None
    reply = cast("dict[str, Any]", reply)
    error = reply.get("error", reply)
    if isinstance(error, str):
        return error
    if isinstance(error, dict):
        error = cast("dict[str, Any]", error)
        for name in ("message", "detail", "msg"):
            if isinstance(error.get(name), str):
                return cast("str", error[name])
    return None


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def from_status(
    status: int, headers: Mapping[str, str], raw: bytes, *, key: str | None = None, url: str = ""
) -> Failure:
    """The Failure that a status other than 200 is.

    >>> from_status(429, {"Retry-After": "2"}, b"slow down")
    Failure(kind='rate_limited', reason='429: slow down', retryable=True, retry_after=2.0)
    """
    said = quoted(raw, key)
    if 300 <= status < 400:
        where = clean(headers.get("Location", "nowhere"), key)
        return Failure(
            kind="bad_request", reason=f"{status}: the server sends us on to {where}; write that in model.url"
        )
    kind, retryable = _kind(status)
    if kind == "bad_request":
        if status == 413 or _TOO_LONG.search(said):
            kind = "too_long"
        elif status == 404:
            said += f" (asked: {url}; model.url is like http://host:8000/v1, model.name as the server has it)"
        elif status in (401, 403) and key is None:
            said += " (no key was sent: name the variable that holds it in model.api_key_env)"
    elif kind == "rate_limited" and "insufficient_quota" in raw[:_READ].decode("utf-8", "replace"):
        retryable = False  # an empty purse does not fill by waiting
    return Failure(
        kind=kind,
        reason=f"{status}: {said}",
        retryable=retryable,
        retry_after=retry_after(headers) if retryable else None,
    )


def _kind(status: int) -> tuple[FailureKind, bool]:
    if status == 429:
        return "rate_limited", True
    if status == 408:
        return "timeout", True
    if status in (409, 425):
        return "server_error", True
    if status >= 500 and status not in (501, 505):
        return "server_error", True
    return "bad_request", False


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds from now, of a number or an HTTP date; None where it is not said or makes no sense.

    A date is measured against the server's own `Date`, so that a wrong clock does no harm.

    >>> retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:05 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"})
    5.0
    """
    said, scale = headers.get("retry-after-ms"), 0.001
    if said is None:
        said, scale = headers.get("Retry-After"), 1.0
    if said is None:
        return None
    try:
        seconds = float(said) * scale
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    except ValueError:
        at = _date(said)
    if at is None:
        return None
    here = _date(headers.get("Date", "")) if now is None else now
    return max(0.0, at - (time.time() if here is None else here))


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def parse(raw: bytes, content_type: str, *, key: str | None = None, url: str = "") -> dict[str, Any] | Failure:
    """The reply of a status 200 as a mapping, or why it is none.

    >>> parse(b'{"choices": [', "application/json").reason
    '200 with broken JSON: {"choices": ['
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind and "json" not in kind:
        return _garbage(f"200 of type {clean(kind, key)} instead of JSON", raw, key)
    try:
        reply = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return _garbage("200 with invalid UTF-8", raw, key, retryable=True)
    except (ValueError, RecursionError):
        return _garbage("200 with broken JSON", raw, key, retryable=True)
    if not isinstance(reply, dict):
        return _garbage("200 with JSON that is not an object", raw, key)
    reply = cast("dict[str, Any]", reply)
    if reply.get("error"):  # some gateways put the failure of what stands behind them into a 200
        error: Any = reply["error"]
        code: Any = cast("dict[str, Any]", error).get("code") if isinstance(error, dict) else None
        status = code if type(code) is int and 400 <= code < 600 else 500
        return from_status(status, {}, raw, key=key, url=url)
    return reply


def _garbage(what: str, raw: bytes, key: str | None, *, retryable: bool = False) -> Failure:
    return Failure(kind="garbage", reason=f"{what}: {quoted(raw, key)}", retryable=retryable)
