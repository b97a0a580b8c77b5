"""The pure part: what a status, a header or a body means, and that no key comes through."""

from __future__ import annotations

import json
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.backends.openai_faults import clean, from_status, message, parse, quoted, retry_after, scrub
from eyechart.core.records import Failure

KEY = "sk-proj-Zq3/x+9_vWtB7"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e999"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "Thu, 01 Jan 2099 00:00:00 GMT", "Date": "Wed, 31 Dec 2098 23:59:30 GMT"}, 30.0),
        ({"Retry-After": "Thu, 01 Jan 2009 00:00:00 GMT"}, 0.0),
        ({"Retry-After": "Thu, 99 Jan 2009 00:00:00 GMT"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_without_the_servers_clock() -> None:
    assert retry_after({"Retry-After": formatdate(1_000_010, usegmt=True)}, now=1_000_000) == 10.0


@pytest.mark.parametrize("status", [*range(400, 419), 421, 422, 425, 429, 451, *range(500, 512), 520, 599])
def test_no_4xx_is_repeated_but_four(status: int) -> None:
    found = from_status(status, {"Retry-After": "3"}, b"{}")
    assert found.retryable == (status in (408, 409, 425, 429) or (status >= 500 and status not in (501, 505)))
    assert found.retry_after == (3.0 if found.retryable else None)
    assert found.reason.startswith(f"{status}: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"message": "m", "object": "error"}, "m"),
        ({"detail": "m"}, "m"),
        ({"detail": [{"msg": "m"}]}, None),
        ([1], None),
        (None, None),
    ],
)
def test_message(body: object, words: str | None) -> None:
    assert message(body) == words


def test_quoted_is_one_short_clean_line() -> None:
    raw = b"\x1b[31mred\x00\n\tand\xe2\x80\xae\xff more " + b"x" * 10_000
    said = quoted(raw, None)
    assert said.isprintable()
    assert len(said) == 201
    assert said.startswith("[31mred and � more xxx")
    assert quoted(b"", None) == "(an empty body)"


def test_hostile_bodies_are_quick() -> None:
    for body in (b"<" * 10**6, b"<script" * 10**5, b"<!--" * 10**5, b"&#1" * 10**5, b"[" * 10**6):
        assert len(quoted(body, KEY)) <= 201


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        f"Bearer {KEY}",
        json.dumps(KEY),
        KEY.replace("/", "%2F").replace("+", "%2B"),
        KEY[:8] + "*" * 10 + KEY[-4:],
        KEY[:12] + "...",
        KEY[:9] + "…",
        "<b>" + KEY + "</b>",
        "".join(f"&#{ord(c)};" for c in KEY) + "<i>",
        "x" * 195 + KEY,
        " " * 4990 + KEY,
    ],
)
def test_scrubbed(form: str) -> None:
    for text in (form, f"Incorrect API key provided: {form}. See"):
        said = clean(text, KEY)
        assert KEY[:7] not in said
        assert KEY[-6:] not in said


@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60),
    before=st.text(max_size=300),
    after=st.text(max_size=50),
    status=st.sampled_from([400, 401, 404, 429, 500, 302]),
)
def test_no_key_in_any_reason(key: str, before: str, after: str, status: int) -> None:
    for body in (before + key + after, json.dumps({"error": {"message": before + key + after}})):
        raw = body.encode("utf-8", "replace")
        for found in (
            from_status(status, {"Location": key}, raw, key=key),
            parse(raw, "text/" + key, key=key),
        ):
            assert isinstance(found, Failure)
            left = found.reason.replace("[key]", " ")
            assert key not in left


def test_a_short_key_is_scrubbed_too() -> None:
    assert scrub("token EMPTY is wrong", "EMPTY") == "token [key] is wrong"


def test_credentials_of_a_proxy_are_scrubbed() -> None:
    assert scrub("http://me:pw@proxy:3128 refused", None) == "http://[key]@proxy:3128 refused"


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        (b"", "application/json", "200 with broken JSON: (an empty body)"),
        (b'{"a": 1}', "", None),
        (b'{"a": 1}', "application/json; charset=utf-8", None),
        (b'{"a": 1}', "application/problem+json", None),
        (b'{"a": 1}', "Application/JSON", None),
        (b'{"a": 1}', "text/plain", "200 of type text/plain instead of JSON"),
        (b'\xef\xbb\xbf{"a": 1}', "application/json", "200 with broken JSON"),
        ('{"a": "ü"}'.encode("utf-16"), "application/json", "200 with invalid UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "application/json", "200 with invalid UTF-8"),
        (b'{"a": ' + b"9" * 5000 + b"}", "application/json", "200 with broken JSON"),
        (b'"text"', "application/json", "not an object"),
        (b"null", "application/json", "not an object"),
    ],
)
def test_parse(raw: bytes, kind: str, words: str | None) -> None:
    found = parse(raw, kind)
    if words is None:
        assert found == {"a": 1}
    else:
        assert isinstance(found, Failure)
        assert words in found.reason
        assert found.kind == "garbage"
