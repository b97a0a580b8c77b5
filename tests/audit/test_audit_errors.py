"""Texts of servers and clients are told from answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from audit_planted import each
from audited import lm_log

from eyechart.app.audit import audit
from eyechart.auditing.answers import error_text

ERRORS = (
    "Error: 429 Too Many Requests",
    "Error code: 429 - Rate limit reached for requests",
    "litellm.RateLimitError: RateLimitError: OpenAIException - quota",
    "openai.APIError: boom",
    "openai.APIError",
    "HTTP 429",
    "HTTP/1.1 503",
    "HTTP error 502",
    "status code 502",
    "Request failed with status code 500",
    "502 Bad Gateway",
    "503 Service Unavailable",
    "404 Not Found",
    "insufficient_quota",
    "You exceeded your current quota, please check your plan",
    "CUDA out of memory. Tried to allocate 2.00 GiB",
    "torch.cuda.OutOfMemoryError: CUDA out of memory.",
    '{"error": {"message": "overloaded", "code": 529}}',
    '{"error": "model not loaded"}',
    '{"type": "error", "error": {"type": "overloaded_error"}}',
    "ReadTimeout",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='x', port=443)",
    "ReadTimeout('timed out')",
    "ConnectionError: x",
    "ERROR",
    "[ERROR]",
    "Error",
    "ERROR: generation failed",
    "error: could not connect to the server",
    "Exception: something broke in the worker",
    "Internal Server Error",
    "Rate limit exceeded",
    "Connection refused",
    "Request timed out.",
    "Service unavailable.",
    "Traceback (most recent call last):\n  File x",
    "API error",
    "Server error: try again",
)
ANSWERS = (
    "",
    "B",
    "Exceptional: positive",
    "Exception: the answer is B",
    "Exception: B",
    "Error: the correct option is C",
    "The service unavailable to humans",
    "The standard error is 4.5",
    "There is an error in line 404",
    "An error of 5% at most",
    "error 450 / 2",
    "The area code is 415",
    "Area code: 415",
    "429",
    "503",
    "500 dollars",
    "Room 404",
    "HTTP 404 means that a page was not found",
    "Status code 500 indicates a fault of the server",
    "It raises a ValueError: 3",
    "ValueError",
    "Timeout",
    "Terror: a film of 1978",
    "Errors: none",
    "Erroneous",
    "The connection between the two is weak",
    "He was refused a connection to the church",
    "A gateway to the west",
    "Server: Apache",
    "The request failed to move the king",
    "negative",
    "{\"answer\": \"error\"}",
    "The film is an exception to the rule",
    "Rate the limit of the function: 4",
)  # fmt: skip


@pytest.mark.parametrize("text", ERRORS)
def test_errors_are_told(text: str):
    assert error_text(text)
    assert error_text(f"  {text}\n")


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_are_left_alone(text: str):
    assert not error_text(text)


def test_long_answers_about_errors_are_answers():
    assert not error_text("Error code: 429. " + "A server sends it where a client asks too often. " * 20)


def test_where_an_error_is_asked_for_it_is_an_answer(tmp_path: Path):
    """What does this program print? An exception is a wrong answer there, and no failure of a server."""

    def broke(i: int, row: dict[str, Any]) -> dict[str, Any]:
        text = "ValueError: invalid literal for int()"
        return row | {"resps": [[text]], "filtered_resps": [text]} if row["exact_match"] == 0 and i % 2 else row

    def asked(i: int, row: dict[str, Any]) -> dict[str, Any]:
        row = broke(i, row)
        return row | {"target": "KeyError: 'a'"} if i == 0 else row

    found = audit(lm_log(tmp_path / "one", "org/alpha-7b", share=0.5, rows=each(broke)))
    assert [f.id for f in found.of("failures.wrong")] == ["failures.wrong"]
    found = audit(lm_log(tmp_path / "two", "org/alpha-7b", share=0.5, rows=each(asked)))
    assert not found.of("failures.wrong")
