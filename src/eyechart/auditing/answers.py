"""What came back, and how it was counted: failures, empty texts, refusals, one answer for everything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eyechart.auditing.evidence import Dossier, Exhibit
from eyechart.auditing.said import Where, found, listed
from eyechart.core.findings import Finding

NAMED = r"(?:[A-Za-z_]\w*\.)*[A-Z]?\w*(?:Error|ERROR|Exception|Timeout)|error"
"""The class of an exception, with its module: `openai.APIError`, `ReadTimeout`; a bare `Error` as well."""
CODE = r"[45]\d\d"
STATUS = re.compile(
    rf"\b(?:errors?|https?(?:/\d(?:\.\d)?)?|status)\b\W{{0,4}}(?:code|status|error)?\W{{0,3}}\b{CODE}\b(?!\s*[%/])"
    rf"|^\W*{CODE}\b\W{{0,3}}(?:error|client error|server error|too many requests|bad (?:gateway|request)|not found"
    r"|unauthorized|forbidden|internal server error|service unavailable|gateway time-?out)\b",
    re.IGNORECASE,
)
"""A status code of HTTP beside the word that makes it one."""
WHAT = re.compile(
    r"\b(?:rate[ _]?limit(?:ed| exceeded| reached|[ _]error)|internal server error|bad gateway|too many requests"
    r"|gateway time-?out|connection (?:reset|refused|aborted|timed out|error)|(?:read|request|operation) timed out"
    r"|insufficient_quota|exceeded your current quota|cuda out of memory|out of memory error|max retries exceeded"
    r"|invalid api key|invalid_api_key|context_length_exceeded|model_not_found|server_error|overloaded_error"
    r"|temporarily unavailable|503 service unavailable)\b"
    r"|^\W*service unavailable\W*$|^\W*traceback \(most recent",
    re.IGNORECASE,
)
"""What servers and clients say, and models answer seldom."""
FAILED = re.compile(
    r"^\W{0,3}(?:(?:api|request|openai|server|client|generation|inference|network|connection)[ _-]?"
    r"(?:error|failed|failure|exception|timeout)|timed out)\b(?=\W*$|\s*[:(\[-])",
    re.IGNORECASE,
)
BARE = re.compile(r"^\W*(?:ERROR|Error|API_ERROR|TIMEOUT)\W*$")
RAISED = re.compile(rf"^\W*({NAMED})\s*(?:\((?P<called>.*)\)\s*$|:\s*(?P<why>.*)$|$)", re.DOTALL)
ANSWERS = re.compile(
    r"\b(?:the|final|correct|best) (?:\w+ )?(?:answer|option|choice)\b|\banswer\s*(?:is|:)|\\boxed|####|^\W*\(?[A-J]\)?\W*$"
    r"|\b(?:means?|indicates?|stands for|refers to|is (?:the|a|an) (?:http )?(?:status|response|error) code)\b"
    r"|^\W*-?\d+(?:\.\d+)?\W*$|^\W*(?:yes|no|true|false|positive|negative|neutral)\W*$",
    re.IGNORECASE,
)
"""What reads as an answer, or as words about an error, where something looks like one."""
OBJECT = re.compile(
    r'^\s*\{\s*["\']error["\']\s*:\s*(?:\{|["\'])|^\s*\{\s*["\'](?:object|type)["\']\s*:\s*["\']error["\']'
)
ERROR_LONGEST = 400
"""Characters of an error: longer texts are an answer about one."""


def error_text(text: str) -> bool:
    """Whether a text is one of a server or a client, and not of a model: an exception, a status, an error object.

    >>> [error_text(t) for t in ("Error: 429 Too Many Requests", "openai.APIError: boom", '{"error": {"code": 500}}')]
    [True, True, True]
    >>> [error_text(t) for t in ("Exception: the answer is B", "Exceptional: positive", "It raises a ValueError: 3")]
    [False, False, False]
    """
    plain = text.strip()
    if not plain:
        return False
    if OBJECT.search(plain):
        return len(plain) <= 10 * ERROR_LONGEST
    if len(plain) > ERROR_LONGEST or ANSWERS.search(plain):
        return False
    if BARE.search(plain) or FAILED.search(plain) or WHAT.search(plain) or STATUS.search(plain):
        return True
    raised = RAISED.search(plain)
    if raised is None:
        return False
    why = raised["why"] if raised["why"] is not None else raised["called"]
    # "ValueError" alone is an answer to a question about code; with a reason behind it, it was raised.
    if why:
        return not ANSWERS.search(why)
    return "." in raised[1] or (raised[1].endswith("Timeout") and raised[1] != "Timeout")


FEW = 3
SOME = 0.02
"""So many answers, and this share of them, are more than an accident."""
CUT = 0.10
CONSTANT = 20
"""Items from which one answer to all of them is worth a word."""


def of_dossier(dossier: Dossier) -> Iterator[Finding]:
    place = Where(dossier.name, dossier.file)
    if dossier.seal:
        yield found("seal.broken", place, {"n": len(dossier.seal), "names": listed(dossier.seal)})
    if dossier.missing or dossier.stopped:
        yield found(
            "run.unfinished", place, {"n": dossier.missing, "of": dossier.needed, "why": dossier.stopped or "-"}
        )
    if not dossier.complete:
        yield found("log.incomplete", place)
    for reading, n in dossier.turned:
        yield found("scores.turned", place, {"key": reading, "n": n})
    for reading, which in dossier.wild:
        yield found("scores.range", place, {"key": reading, "which": which})
    for line in dossier.said:
        yield found("log.said", place, {"said": line})
    for one in dossier.exhibits:
        yield from _of_exhibit(one, dossier.file)


def _of_exhibit(one: Exhibit, file: str) -> Iterator[Finding]:
    lost, place = one.lost, Where(one.name, file)
    if lost.wrong_failed:
        yield found(
            "failures.wrong", place, {"n": lost.wrong_failed, "of": lost.answers, "ends": _ends(one, lost.wrong_failed)}
        )
    if lost.failed:
        few = lost.failed < SOME * lost.answers
        yield found("answers.failed", place, {"n": lost.failed, "of": lost.answers}, severity="note" if few else None)
    for name, n, share in (
        ("answers.empty", lost.wrong_empty, SOME),
        ("answers.refused", lost.wrong_refused, SOME),
        ("answers.cut", lost.wrong_cut, CUT),
    ):
        if n >= FEW and n >= share * lost.answers:
            yield found(name, place, {"n": n, "of": lost.answers, "ends": _ends(one, n)})
    if lost.cached:
        yield found("repeats.cached", place, {"n": lost.cached})
    if lost.again and not (one.repeats > 1 and _alike(one)):
        yield found("answers.again", place, {"n": lost.again, "of": lost.answers})
    if one.constant is not None and one.n >= CONSTANT:
        yield found("answers.constant", place, {"said": one.constant, "n": one.n})
    if one.shots_from_test:
        shots = list(dict.fromkeys(shot for shot, _ in one.shots_from_test))
        asked = {of for _, of in one.shots_from_test}
        yield found("shots.test", place, {"n": len(shots), "names": listed(shots), "of": len(asked)})


def _alike(one: Exhibit) -> bool:
    """Whether all items of a task were asked equally often: then rows that are equal are repeats without a number."""
    counts: dict[str | None, set[int]] = {}
    for group, n in zip(one.groups, one.asked, strict=False):
        counts.setdefault(group, set()).add(n)
    return bool(counts) and all(len(seen) == 1 for seen in counts.values())


def _ends(one: Exhibit, n: int) -> str:
    """The score with and without `n` answers that are counted as wrong."""
    if not one.scores:
        return "-"
    scores = one.scores[0]
    total, right = int(scores.scored.sum()), float(scores.values.sum())
    if not total > n:
        return "-"
    return f"{100 * right / total:.1f}, {100 * right / (total - n):.1f}"
