"""The words of a report in English: readers, changed verdicts, certificates of graders."""

from __future__ import annotations

EN: dict[str, str] = {
    "readers.title": "How much of it is the reading?",
    "readers.widest": "The very same answers score from {low} ({low_reader}) to {high} ({high_reader}), by who reads them:"
    " {subject}, {n} graders, no new call. That part of a score says nothing about the model.",
    "readers.small": "By who reads them the same answers score from {low} ({low_reader}) to {high} ({high_reader}) at the"
    " most: {subject}, {n} graders. The reading hardly matters here.",
    "readers.none": "Fewer than two graders could score these answers.",
    "readers.turned": "{a} is ahead of {b} by {up} points if read by {ahead}, and behind by {down} if read by {behind};"
    " both differences are more than the noise of the items, corrected for all pairs and graders.",
    "readers.table": "The same answers under other graders",
    "readers.caption": "Every set-up that asked something different, widest spread first. {left} The grader careful"
    " reads as a careful person would; the others are rules in wide use, mistakes included. In brackets: share of answers"
    " in which the grader found none. The answers are the same, so these differences have no sampling error. Order turned"
    " by the grader: {turned} of {pairs} pairs of set-ups, {certain} of them beyond the noise of items on both sides.",
    "readers.left": "Not shown: {n} more.",
    "readers.blind": "{reader}, which finds no answer in {share} %",
    "readers.col.spread": "Spread over readers",
    "readers.cell": "{score} ({unread} %)",
    "readers.one": "fewer than two graders could score these answers",
    "readers.unscored": "this grader could score none of the answers",
    "flips.title": "Why verdicts changed",
    "flips.caption": "Answers to the same item and repeat that are right at one of level and baseline and wrong at the"
    " other: + gained at the level, − lost. Read differently: the very same text. Written differently: the same answer in"
    " it, and one of the readings missed it. The rest was answered differently: a change of the model, not of the reader.",
    "flips.col.changed": "Changed verdicts",
    "flips.of": "{n} of {compared}",
    "flips.cell": "+{gained} −{lost}",
    "flips.cause.read_differently": "Read differently",
    "flips.cause.written_differently": "Written differently",
    "flips.cause.truncated": "Cut off",
    "flips.cause.refused": "Refused",
    "flips.cause.no_answer_found": "No answer found",
    "flips.cause.changed_answer": "Answered differently",
    # Certificates
    "graders.title": "Graders and their certificates",
    "graders.caption": "From the stress test of each grader: right answers restyled that it rejected, wrong but plausible"
    " ones that it accepted, and the largest rate that so many cases leave possible (one-sided exact 95 % bound). The cases"
    " are generated; the bounds speak of that generator, not of any model.",
    "graders.col.grader": "Grader",
    "graders.col.kind": "Questions",
    "graders.col.state": "Certificate",
    "graders.col.rejected": "Right rejected",
    "graders.col.accepted": "Wrong accepted",
    "graders.col.made": "By eyechart",
    "graders.count": "{failures} of {n}, at most {bound} %",
    "graders.none": "not tested",
    "graders.state.certified": "certified",
    "graders.state.failing": "misses its targets",
    "graders.state.stale": "stale: the grader changed",
    "graders.state.untested": "not for such questions",
    "graders.state.none": "none",
    "graders.kind.choice": "choices",
    "graders.kind.number": "numbers",
    "graders.kind.math": "mathematics",
    "graders.kind.text": "short text",
    "graders.kind.code": "code",
}
