"""Response -> answer -> score: postprocess, reader and scorer of one Reading, wired together; pure.

Reading is free: the same stored responses are read again under another Reading without any call.
(The scorer `function` runs the user's code, and is as pure as that is.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from eyechart.core.effective import Reading
from eyechart.core.plugins import POSTPROCESSES, READERS, SCORERS, make
from eyechart.core.records import Extraction, Failure, Item, Outcome, Response, Score
from eyechart.score.options import score_options

_REFUSAL = re.compile(r"\s*(?:(?:I['’]m sorry|I cannot|I can['’]t)\b|抱歉|我无法)", re.IGNORECASE)


def read_response(
    response: Response | Failure,
    item: Item,
    labels: Sequence[str],
    reading: Reading,
    options: Sequence[str] = (),
) -> tuple[Extraction, Score]:
    """The answer found in `response`, and its score.

    `item` and `labels` as the prompt showed them (`Renderer.prepared`, `Renderer.labels`); `options` as
    the request asked for them. Where the reader finds no answer, the outcome is refused if the text
    begins with an apology (a short list of phrases, on purpose), else truncated if the token limit cut
    it off, else unparseable. An item that cannot be scored at all is unscored whatever was answered.

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
    reader, scorer = make(READERS, reading.extraction), make(SCORERS, reading.score)
    tidy = POSTPROCESSES.get(reading.postprocess)
    if response.text is None:
        return _unread("the response holds no text", Outcome.UNSCORED)
    found = reader.read(response.text, item, labels)
    if found.value is not None:
        return found, scorer.score(found.value, item, labels, tidy)
    found = replace(found, outcome=_no_answer(response))
    asked = scorer.score("", item, labels, tidy)  # no answer is right; but can the item be scored at all?
    if asked.outcome is Outcome.UNSCORED:
        return found, asked
    return found, Score(outcome=found.outcome or Outcome.UNPARSEABLE, value=0.0, reason=found.reason)


def _unread(reason: str, outcome: Outcome) -> tuple[Extraction, Score]:
    return Extraction(value=None, reason=reason), Score(outcome=outcome, value=None, reason=reason)


def _no_answer(response: Response) -> Outcome:
    if _REFUSAL.match(response.text or ""):
        return Outcome.REFUSED
    return Outcome.TRUNCATED if response.finish_reason == "length" else Outcome.UNPARSEABLE
