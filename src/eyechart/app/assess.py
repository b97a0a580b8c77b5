"""assess: answers that a judge reads. What it is asked follows from stored answers, and is stored beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from eyechart.app.grid import Grid, GridCell
from eyechart.core.identity import call_key, request_digest
from eyechart.core.records import Call, Item, Outcome, Response, Score
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.runner.fulfil import Planned
from eyechart.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Question:
    """One answer put before a judge, as often as it is to be asked."""

    answer: str
    """Store key of the answer."""
    item: Item
    planned: tuple[Planned, ...]


def judged_item(item: Item, response: Response) -> Item:
    """`item` as a judge sees it: with the answer, and with the right one as `reference` where there is one.

    >>> judged_item(Item(id="1", fields={"question": "?"}, gold=("4",)), Response(text="5")).fields["output"]
    '5'
    """
    fields = {**item.fields, "output": response.text or ""}
    if item.gold:
        fields["reference"] = item.gold[0]
    return replace(item, fields=fields, choices=(), gold=(), gold_index=None)


def questions(grid: Grid, cell: GridCell, store: Store) -> Iterator[Question]:
    """What the judge of `cell` is asked about the answers that are there."""
    judge = cell.effective.judge
    if judge is None or cell.judge is None:
        return
    renderer = Renderer(judge.asking)
    engine = grid.engines[cell.judge].digest
    ask = grid.asks[cell.ask]
    answers = store.answers([planned.key for row in ask.planned for planned in row[: cell.repeats]])
    for item, row in zip(ask.items, ask.planned, strict=True):
        for planned in row[: cell.repeats]:
            response = answers.get(planned.key)
            if response is None or response.text is None:
                continue
            judged = renderer.prepared(judged_item(item, response))
            made: list[Planned] = []
            for repeat, request in enumerate(renderer.requests(judged, (), judge.repeats)):
                digest = request_digest(request)
                call = Call(request=request, repeat=repeat, item=judged)
                made.append(Planned(key=call_key(digest, engine, repeat), request_digest=digest, call=call))
            yield Question(answer=planned.key, item=judged, planned=tuple(made))


def wanted(grid: Grid, store: Store) -> dict[str, tuple[int, Planned]]:
    """Every call of a judge, once, with its engine, by store key."""
    out: dict[str, tuple[int, Planned]] = {}
    for cell in grid.cells:
        if cell.judge is not None:
            for question in questions(grid, cell, store):
                for planned in question.planned:
                    out.setdefault(planned.key, (cell.judge, planned))
    return out


def assessed(grid: Grid, cell: GridCell, store: Store) -> tuple[dict[str, Score], set[str]]:
    """By store key of the answer, what the judge of `cell` says: the mean over its repeats. And the keys of
    calls that were not made yet.

    A verdict that cannot be read, and a call that failed, are no opinion: without any other the answer is unscored.
    """
    judge = cell.effective.judge
    out: dict[str, Score] = {}
    waiting: set[str] = set()
    if judge is None:
        return out, waiting
    asked = list(questions(grid, cell, store))
    keys = [planned.key for question in asked for planned in question.planned]
    answers = store.answers(keys)
    failures = store.failures(key for key in keys if key not in answers)
    for question in asked:
        opinions: list[Score] = []
        for planned in question.planned:
            got = answers.get(planned.key) or failures.get(planned.key)
            if got is None:
                waiting.add(planned.key)
            else:
                opinions.append(read_response(got, question.item, (), judge.reading)[1])
        if opinions:
            out[question.answer] = mean_opinion(opinions)
    return out, waiting


def mean_opinion(opinions: Sequence[Score]) -> Score:
    """The mean of what a judge says in its repeats.

    >>> half = Score(outcome=Outcome.INCORRECT, value=0.5)
    >>> mean_opinion([half, Score(outcome=Outcome.CORRECT, value=1.0), Score(outcome=Outcome.UNSCORED, value=None)]).value
    0.75
    """
    values = [score.value for score in opinions if score.value is not None]
    if not values:
        reason = opinions[0].reason or "no verdict could be read"
        return Score(outcome=Outcome.UNSCORED, value=None, reason=f"the judge: {reason}")
    value = sum(values) / len(values)
    return Score(
        outcome=Outcome.CORRECT if value == 1 else Outcome.INCORRECT, value=value, reason="what the judge says"
    )
