"""Faults of reading: answers cut off, not found, read too strictly or too loosely, refused, empty, failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from eyechart.core.records import Outcome
from eyechart.doctor.case import Answer, Diagnosis, Experiment, Fact, Side, Strength, enough, fact, ids, points

UNREAD = (Outcome.UNPARSEABLE, Outcome.TRUNCATED)
MEMORY = ("out of memory", "oom", "bad_alloc", "cannot allocate", "cuda error", "killed")
BUSY = ("timeout", "rate_limited", "server_error", "connection", "crashed")
FEW_RETRIES = 3


def told(
    side: Side,
    cause: str,
    hangs: Iterable[Answer],
    facts: tuple[Fact, ...],
    experiment: Experiment,
    strength: Strength = "proven",
    explains: float | None = None,
) -> Diagnosis:
    keys = frozenset(one.key for one in hangs)
    return Diagnosis(
        cause=cause,
        strength=strength,
        facts=facts,
        experiment=experiment,
        hangs=keys,
        share=len(keys) / max(1, len(side.answers)),
        explains=explains,
    )


def truncated(side: Side) -> Diagnosis | None:
    """Answers that ended at the token limit before there was an answer that anybody could read."""
    cut = [one for one in side.texts if one.finish == "length"]
    hang = [one for one in cut if not one.right and (one.careful or one.outcome) in UNREAD]
    if not enough(len(hang), len(side.answers)):
        return None
    limit = side.asking.get("decoding", {}).get("max_new_tokens")
    facts = (
        fact("cut", n=len(cut), of=len(side.answers), limit=str(limit)),
        fact("cut_hanging", n=len(hang), most=points(len(hang) / len(side.answers)), items=ids(o.item for o in hang)),
    )
    more = 4 * int(limit) if isinstance(limit, int) else 512
    experiment = side.rerun(f"decoding: {{max_new_tokens: {more}}}")
    return told(side, "truncated", hang, facts, experiment)


def context_full(side: Side) -> Diagnosis | None:
    """Answers that ended because the context was full."""
    full = [one for one in side.texts if "context_full" in one.notes]
    if not full:
        return None
    facts = (fact("context_full", n=len(full), of=len(side.answers), items=ids(o.item for o in full)),)
    hang = [one for one in full if not one.right]
    return told(side, "context_full", hang, facts, side.rerun("model: {context_length: 8192}"))


def reader_strict(side: Side) -> Diagnosis | None:
    """Right answers that the run's reading gave no credit for."""
    lost = [one for one in side.counted if one.careful is Outcome.CORRECT and not one.right]
    if not enough(len(lost), len(side.counted)):
        return None
    return told(
        side,
        "reader_strict",
        lost,
        (_reread("reader_lost", side, lost), *_cases(lost)),
        side.reread(),
        strength=_surely(side),
        explains=-len(lost) / len(side.counted),
    )


def reader_loose(side: Side) -> Diagnosis | None:
    """Credit for answers that a careful reader does not find right."""
    given = [one for one in side.counted if one.right and one.careful not in (None, Outcome.CORRECT, Outcome.UNSCORED)]
    if not enough(len(given), len(side.counted)):
        return None
    return told(
        side,
        "reader_loose",
        given,
        (_reread("reader_gave", side, given), *_cases(given)),
        side.reread(),
        strength=_surely(side),
        explains=len(given) / len(side.counted),
    )


def _surely(side: Side) -> Strength:
    """What a foreign harness compared is not known: it may have had more to go by than text and key."""
    return "proven" if side.foreign is None else "likely"


def _reread(key: str, side: Side, hang: list[Answer]) -> Fact:
    reader = side.effective.get("reading", {}).get("extraction", "?")
    share = points(len(hang) / len(side.counted))
    name = reader if isinstance(reader, str) else next(iter(reader))
    return fact(key, n=len(hang), of=len(side.counted), points=share, reader=str(name), items=ids(o.item for o in hang))


def _cases(hang: list[Answer]) -> tuple[Fact, ...]:
    """Two answers as they were given, of two items."""
    first = {one.item: one for one in reversed(hang)}
    return tuple(fact("case", item=name, text=_short(one.text or "")) for name, one in list(first.items())[-2:][::-1])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:40]} ... {line[-30:]}"


def unread(side: Side) -> Diagnosis | None:
    """Answers in which nobody finds an answer: the model does not keep to the format, or was not told it."""
    blank = _blank(side)
    lost = [
        one
        for one in side.counted
        if not one.right and (one.careful or one.outcome) is Outcome.UNPARSEABLE and one.key not in blank
    ]
    lost = [one for one in lost if one.finish != "length"]
    if side.asking.get("decoding", {}).get("stop") or not enough(len(lost), len(side.counted)):
        return None
    facts = (fact("unread", n=len(lost), of=len(side.counted), items=ids(o.item for o in lost)), *_cases(lost))
    return told(side, "format_missed", lost, facts, side.look(), strength="likely")


def stop_cuts(side: Side) -> Diagnosis | None:
    """Answers that end at a stop text before there is an answer."""
    stop = side.asking.get("decoding", {}).get("stop")
    if not stop:
        return None
    hang = [
        one
        for one in side.texts
        if one.finish != "length" and not one.right and (one.careful or one.outcome) is Outcome.UNPARSEABLE
    ]
    if not enough(len(hang), len(side.answers)):
        return None
    named = ", ".join(repr(text) for text in stop)
    facts = (fact("stopped", n=len(hang), of=len(side.answers), stop=named, items=ids(o.item for o in hang)),)
    return told(side, "stop_cuts", hang, facts, side.rerun("decoding: {stop: []}"), strength="likely")


def _blank(side: Side) -> set[tuple[str, int]]:
    return {one.key for one in side.texts if not (one.text or "").strip()}


def empty(side: Side) -> Diagnosis | None:
    """Answers without any text."""
    if side.asking.get("decoding", {}).get("stop"):
        return None  # `stop_cuts` looks at those
    blank = _blank(side)
    hang = [one for one in side.texts if one.key in blank]
    if not enough(len(hang), len(side.answers)):
        return None
    facts = (fact("empty", n=len(hang), of=len(side.answers), items=ids(o.item for o in hang)),)
    return told(side, "empty", hang, facts, side.look())


def refusals(side: Side) -> Diagnosis | None:
    """Answers that decline to answer; they count as not right."""
    hang = [one for one in side.answers if Outcome.REFUSED in (one.outcome, one.careful)]
    if not enough(len(hang), len(side.answers)):
        return None
    facts = (fact("refused", n=len(hang), of=len(side.answers), items=ids(o.item for o in hang)), *_cases(hang))
    return told(side, "refusals", hang, facts, side.look())


def machine(side: Side) -> Diagnosis | None:
    """Calls that failed: a machine that is shared, too small or out of memory; the items left are not all items."""
    failed = [one for one in side.answers if one.outcome is Outcome.FAILED]
    busy = side.retries > 0.2 * max(1, side.calls) and side.retries >= FEW_RETRIES
    if not failed and not busy:
        return None
    facts: list[Fact] = []
    if failed:
        kinds = Counter((one.failure or "").partition(":")[0] for one in failed)
        said = ", ".join(f"{kind} {n:,}" for kind, n in kinds.most_common())
        most = points(len(failed) / len(side.answers))
        facts.append(
            fact(
                "failed", n=len(failed), of=len(side.answers), kinds=said, most=most, items=ids(o.item for o in failed)
            )
        )
    if busy:
        facts.append(fact("retried", n=side.retries, of=side.calls))
    low = " ".join((one.failure or "").lower() for one in failed)
    memory = next((word for word in MEMORY if word in low), None)
    if memory:
        facts.append(fact("memory", words=memory))
    likely = memory is not None or any((one.failure or "").partition(":")[0] in BUSY for one in failed) or busy
    experiment = side.resume(len(failed)) if failed else side.rerun("model: {options: {concurrency: 1}}")
    return told(side, "machine", failed, tuple(facts), experiment, strength="likely" if likely else "possible")


def parser_changed(side: Side) -> Diagnosis | None:
    """The same text under the same reading has another verdict now: the reader or scorer is of another version, or
    does not give the same verdict twice."""
    moved = [one for one in side.counted if one.again is not None and one.again is not one.outcome]
    if not moved:
        return None
    facts = (
        fact("read_again", n=len(moved), of=len(side.counted), version=side.version, items=ids(o.item for o in moved)),
    )
    gained = sum((one.again is Outcome.CORRECT) - one.right for one in moved) / len(side.counted)
    return told(side, "parser_changed", moved, facts, side.reread(), explains=-gained)
