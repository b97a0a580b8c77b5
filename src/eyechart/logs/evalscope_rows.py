"""Answers in logs of evalscope: reviews, joined with predictions by their index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Outcome, Request, Response
from eyechart.logs.plain import (
    content_of,
    dig,
    failed,
    generated,
    item_of,
    mapping,
    messages,
    number,
    read_lines,
    scored,
    sequence,
    short,
    text,
    whole,
)
from eyechart.logs.values import Notes, Row, Scored

USABLE = ("success", "fallback", "degraded")
"""Values of its `ScoreStatus` whose score it counts (constants.py, `is_usable`). Under all others (`transport_error`,
`parse_error`, `invalid_session`, `excluded`) a score is not there, and is no zero."""


@dataclass(frozen=True)
class Parts:
    """What one output folder holds of one data set of one model."""

    root: Path
    model: str
    dataset: str
    report: Path | None
    reviews: tuple[Path, ...]
    predictions: tuple[Path, ...]


def rows(parts: Parts, params: tuple[tuple[str, Any], ...], repeats: int, notes: Notes) -> Iterator[Row]:
    sources = parts.reviews or parts.predictions
    grouped = len(sources) > 1
    for path in sources:
        subset = path.stem.removeprefix(parts.dataset).strip("_") or "default"
        told = _predictions(parts, path.name, notes) if parts.reviews else {}
        counted: Counter[str] = Counter()
        seen: set[int] = set()
        broke: Counter[str] = Counter()
        doubts: Counter[str] = Counter()
        for row in read_lines(path, notes):
            index = whole(row.get("index"))
            if index is None:
                notes.say(f"{path.name}: a row without index was left out")
                continue
            seen.add(index)
            broke.update(f"{name} ({short(why, 40)})" for name, why in mapping(dig(row, *_ERRORS)).items())
            doubts.update(_doubts(row, told.get(index), bool(told)))
            one = _row(
                row, index, told.get(index), params, f"{subset}/" if grouped else "", subset if grouped else None
            )
            repeat = whole(dig(row, "sample_score", "generation_index"))
            if repeat is None and repeats > 1:
                repeat = counted[one.item.id]
                counted[one.item.id] += 1
            yield Row(item=one.item, request=one.request, answer=one.answer, scores=one.scores, repeat=repeat)
        for why, many in broke.items():
            notes.say(f"{many:,} answers have 0 where the metric itself broke: {why}; they are unscored here")
        for doubt, many in doubts.items():
            notes.say(f"{path.name}: {many:,} {'answers' if many > 1 else 'answer'} {doubt}")
        if unseen := sum(not failure[2] for index, failure in told.items() if index not in seen):
            notes.say(f"{path.name}: {unseen:,} of the predictions beside it without a review of the same index")
        for index, failure in told.items():
            if index not in seen and failure[2]:
                item = item_of(f"{subset}/{index}" if grouped else str(index), None, group=subset if grouped else None)
                request = Request(elicit="generate", prompt="", params=params)
                yield Row(item=item, request=request, answer=failed(failure[2]), scores=())


_ERRORS = ("sample_score", "score", "metadata", "metric_errors")

Told = tuple[str | None, int | None, Any, str | None]
"""Why an answer ended, how many tokens it had, the error that stands in its place, and its text."""


def _doubts(row: Mapping[str, Any], told: Told | None, predicted: bool) -> Iterator[str]:
    """What stands against one review: its own status, and the prediction of its index."""
    status = text(dig(row, "sample_score", "score", "status"))
    if status is not None and status not in USABLE:
        yield f"marked {short(status, 30)} by the harness, under which a score does not count: unscored here"
    if status == "fallback":
        yield "scored by rule because the judge failed (status fallback)"
    reviewed = dig(row, "sample_score", "score", "prediction")
    if told is None:
        if predicted:
            yield "reviewed, and there is no prediction of that index"
    elif told[3] is not None and isinstance(reviewed, str) and not _alike(told[3], reviewed):
        yield "unlike the prediction of the same index: predictions and reviews are not of one run, or were moved"


def _alike(first: str, second: str) -> bool:
    """Whether one is the other, or a part of it: reviews may leave out the reasoning in front of an answer.

    >>> _alike("<think>2+3</think> 5", "5"), _alike("5", "7"), _alike("", "7")
    (True, False, False)
    """
    first, second = " ".join(first.split()), " ".join(second.split())
    return first == second or (bool(first) and bool(second) and (first in second or second in first))


def _predictions(parts: Parts, name: str, notes: Notes) -> dict[int, Told]:
    out: dict[int, Told] = {}
    for path in parts.predictions:
        if path.name != name:
            continue
        for row in read_lines(path, notes):
            index, output = whole(row.get("index")), mapping(row.get("model_output"))
            if index is not None:
                choice = next(iter(sequence(output.get("choices"))), None)
                said = content_of(dig(choice, "message", "content"))
                stop = text(dig(choice, "stop_reason"))
                stop = "length" if stop in ("max_tokens", "length") else stop
                out[index] = (stop, whole(dig(output, "usage", "output_tokens")), output.get("error"), said)
    return out


def _row(
    row: Mapping[str, Any],
    index: int,
    told: Told | None,
    params: tuple[tuple[str, Any], ...],
    prefix: str,
    group: str | None,
) -> Row:
    sample = mapping(row.get("sample_score"))
    score = mapping(sample.get("score"))
    named = text(sample.get("group_id")) or text(sample.get("sample_id")) or str(index)
    talk = messages(row.get("messages"))
    last = max((i for i, m in enumerate(talk) if m.role == "assistant"), default=len(talk))
    asked = talk[:last]
    said = score.get("prediction")
    if not isinstance(said, str):
        said = content_of(dig(next(iter(sequence(dig(row, "model_output", "choices"))), None), "message", "content"))
    if said is None and last < len(talk):
        said = talk[last].content
    old = mapping(next(iter(sequence(row.get("choices"))), None))  # before 1.0
    said = said if said is not None else content_of(dig(old, "message", "content"))
    question = next((m.content for m in reversed(asked) if m.role == "user"), None)
    target = text(row.get("target")) or text(dig(old, "review", "gold"))
    request = Request(elicit="generate", messages=asked, params=params)
    if not asked:
        request = Request(elicit="generate", prompt="", params=params)
    more = mapping(sample.get("sample_metadata"))
    item = item_of(prefix + named, question, gold=[target] if target else [], group=group, more=more)
    error = told[2] if told else dig(row, "model_output", "error")
    answer: Response | Failure = failed(error)
    if not error or said:
        answer = generated(said, finish_reason=told[0] if told else None, completion_tokens=told[1] if told else None)
    scores = tuple(_scores(score, old))
    return Row(item=item, request=request, answer=answer, scores=scores)


def _scores(score: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[Scored]:
    unread = score.get("extracted_prediction") in (None, "") and "extracted_prediction" in score
    broke = tuple(mapping(dig(score, "metadata", "metric_errors")))
    excluded = score.get("status") not in (None, *USABLE)
    for name, value in mapping(score.get("value")).items():
        if excluded or any(
            name.lower().startswith(metric.lower()) for metric in broke
        ):  # logged as 0, and no answer was looked at
            yield Scored(name, None, Outcome.UNSCORED)
        else:
            yield scored(name, number(value), unread=unread)
    if not score and "review" in old:
        yield scored("acc", number(dig(old, "review", "result")))
