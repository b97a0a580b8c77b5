"""Response -> answer -> score: postprocess, reader and scorer of one Reading, wired together; pure.

Reading is free: the same stored responses are read again under another Reading without any call.
(The scorer `function` runs the user's code, and is as pure as that is.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from eyechart.core.effective import Reading
from eyechart.core.identity import canonical_json
from eyechart.core.plugins import POSTPROCESSES, READERS, SCORERS, Reader, Scorer, make
from eyechart.core.records import Extraction, Failure, Item, Outcome, Response, Score
from eyechart.core.spec import Name
from eyechart.extract.declined import declined
from eyechart.extract.passage import passage
from eyechart.score.options import score_options


def read_response(
    response: Response | Failure,
    item: Item,
    labels: Sequence[str],
    reading: Reading,
    options: Sequence[str] = (),
) -> tuple[Extraction, Score]:
    """The answer found in `response`, and its score.

    `item` and `labels` as the prompt showed them (`Renderer.prepared`, `Renderer.labels`); `options` as
    the request asked for them. Where the reader finds no answer, the outcome is refused if the text says
    so, else truncated if the token limit cut it off, else unparseable. A value that the reader did not see
    committed to (the last number of a chain of thought) is no answer where the limit cut the text off.
    An item that cannot be scored at all is unscored whatever was answered.

    >>> item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    >>> reading = Reading(elicit="generate", extraction="first_letter", score="choice")
    >>> found, score = read_response(Response(text="It is (B)."), item, ("A", "B"), reading)
    >>> found.value, found.span, score.value
    ('B', (7, 8), 1.0)
    >>> cut = Response(text="Let me think", finish_reason="length")
    >>> read_response(cut, item, ("A", "B"), reading)[1].outcome.value
    'truncated'

    Raises InputError for a reader, scorer or postprocess that is not there.
    """
    if isinstance(response, Failure):
        reason = f"{response.kind}: {response.reason}"
        return _unread(reason, Outcome.FAILED)
    if reading.elicit == "options":
        return score_options(response.option_logprobs, options, item, reading.normalize)
    if response.text is None:
        return _unread("the response holds no text", Outcome.UNSCORED)
    reader, scorer = _plugins(reading)
    tidy = POSTPROCESSES.get(reading.postprocess)
    found = reader.read(response.text, item, labels)
    if found.value is not None and not found.committed and response.finish_reason == "length":
        reason = f"cut off at the token limit before it came to an answer ({found.value:.40} was on the way)"
        found = replace(found, value=None, span=None, reason=reason, outcome=Outcome.TRUNCATED)
    if found.value is not None and found.outcome is not Outcome.INCORRECT:
        return found, scorer.score(found.value, item, labels, tidy)
    if found.value is None:
        found = replace(found, outcome=_no_answer(response, found))
    asked = scorer.score("", item, labels, tidy)  # no answer is right; but can the item be scored at all?
    if asked.outcome is Outcome.UNSCORED:
        return found, asked
    return found, Score(outcome=found.outcome or Outcome.UNPARSEABLE, value=0.0, reason=found.reason)


def _plugins(reading: Reading) -> tuple[Reader, Scorer]:
    """Made once: a reading is asked for as often as there are answers."""
    return _made(_key(reading.extraction), _key(reading.score))


def _key(name: Name) -> str:
    return name if isinstance(name, str) else canonical_json(name)


@lru_cache(maxsize=256)
def _made(extraction: str, score: str) -> tuple[Reader, Scorer]:
    return make(READERS, _name(extraction)), make(SCORERS, _name(score))


def _name(key: str) -> Name:
    return json.loads(key) if key.startswith("{") else key


def _unread(reason: str, outcome: Outcome) -> tuple[Extraction, Score]:
    return Extraction(value=None, reason=reason), Score(outcome=outcome, value=None, reason=reason)


def _no_answer(response: Response, found: Extraction) -> Outcome:
    if found.outcome is Outcome.REFUSED or found.outcome is Outcome.TRUNCATED:
        return found.outcome
    why = declined(passage(response.text or "").text)  # what it says to itself is no refusal
    if why is not None and why[0] is Outcome.REFUSED:
        return Outcome.REFUSED
    return Outcome.TRUNCATED if response.finish_reason == "length" else Outcome.UNPARSEABLE
