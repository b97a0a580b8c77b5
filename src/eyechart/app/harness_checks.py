"""Whether what a study set took effect in a harness: from the log that came of it, never from the command line.

A setting that the log shows otherwise is broken, one that it does not show is unknown, and neither is passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eyechart.core.findings import Finding, State
from eyechart.core.records import Message, Response
from eyechart.logs.plain import short
from eyechart.logs.values import Foreign, Row

SEEN = 1_000
"""Different sets of parameters of one log that are kept apart; a log has one, or a few."""


ENOUGH = 20
"""Pairs of answers under two seeds from which it is odd that all are equal."""
UNTOLD = "The log does not show it: compare the prompts of two set-ups, or what they score."


@dataclass
class Sent:
    """What the requests of one harness run held, as its log shows them."""

    params: dict[tuple[tuple[str, Any], ...], None] = field(default_factory=dict[tuple[tuple[str, Any], ...], None])
    chats: int = 0
    rows: int = 0
    """As many as the log has lines of answers: one answer may stand in several, one for each reading."""
    calls: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Item and repeat of each request; `lost` those that broke off."""
    lost: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    systems: dict[str | None, None] = field(default_factory=dict[str | None, None])
    items: set[str] = field(default_factory=set[str])
    texts: dict[str, str | None] = field(default_factory=dict[str, str | None])
    """The answer to each item, the first where there are several."""

    def look(self, row: Row) -> Row:
        self.rows += 1
        self.items.add(row.item.id)
        call = (row.item.id, row.repeat or 0)
        self.calls.add(call)
        if not isinstance(row.answer, Response):
            self.lost.add(call)
        if len(self.params) < SEEN:
            self.params.setdefault(row.request.params)
        self.chats += bool(row.request.messages)
        if len(self.systems) < SEEN:
            self.systems.setdefault(_system(row.request.messages))
        if isinstance(row.answer, Response):
            self.texts.setdefault(row.item.id, row.answer.text)
        return row


def _system(messages: Sequence[Message]) -> str | None:
    return next((m.content for m in messages if m.role == "system"), None)


def checks(subject: str, wanted: Sequence[tuple[str, Any]], foreign: Foreign, sent: Sent) -> Iterator[Finding]:
    """A finding for each setting of one harness run."""
    known: dict[str, Any] = {}
    for setting in foreign.settings:
        known.setdefault(setting.path, setting.value)
        if isinstance(setting.value, Mapping):
            known |= {f"{setting.path}.{k}": v for k, v in setting.value.items()}  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    for path, value in wanted:
        yield _one(subject, path, value, foreign, sent, known)


def _one(subject: str, path: str, value: Any, foreign: Foreign, sent: Sent, known: Mapping[str, Any]) -> Finding:
    if path.startswith("decoding.") and foreign.elicit == "options":
        evidence = "the task scores options by log-probability; nothing is decoded, and this moves nothing"
        return _finding(subject, path, value, "broken", evidence, severity="warning")
    if path in ("items", "items.limit"):
        return _counted(subject, path, value, foreign, sent)
    if path == "chat":
        state: State = "kept" if sent.chats == sent.rows else "broken"
        evidence = f"{sent.chats:,} of {sent.rows:,} requests in the log are chats"
        if not sent.chats and known.get("prompt.chat_template"):
            state, evidence = "kept", "the log names the template that was applied"
        return _finding(subject, "prompt.chat_template", value, state, evidence)
    if path == "system":
        found: list[Any] = list(sent.systems)
        return _compared(subject, "prompt.system", value, found, "in the requests of the log")
    name = path.removeprefix("decoding.")
    if name != path and sent.params:
        found = list(dict.fromkeys(_plain(dict(params).get(name)) for params in sent.params))
        return _compared(subject, path, value, found, "in the requests of the log")
    return _compared(subject, path, value, [_plain(known[path])] if path in known else [None], "in the log")


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _compared(subject: str, path: str, value: Any, found: Sequence[Any], where: str) -> Finding:
    wrong = [one for one in found if one is not None and not _equal(one, value)]
    if wrong:
        told = ", ".join(short(repr(one), 60) for one in wrong[:3])
        return _finding(subject, path, value, "broken", f"{told} stands {where}, not {short(repr(value), 60)}")
    if not found or all(one is None for one in found):
        if path == "prompt.system":
            return _finding(subject, path, value, "broken", f"no system message stands {where}")
        return _finding(subject, path, value, "unknown", f"nothing is said of it {where}")
    if any(one is None for one in found):
        return _finding(subject, path, value, "broken", f"it stands in some of the requests only, {where}")
    return _finding(subject, path, value, "kept", f"{short(repr(value), 60)} stands {where}")


def _equal(one: Any, other: Any) -> bool:
    """
    >>> _equal(0.7, 0.70), _equal(1, True), _equal("a", "a"), _equal("8", 8), _equal(("x",), ("x",))
    (True, False, True, True, True)
    """
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or str(one) == str(other)


def _counted(subject: str, path: str, value: int, foreign: Foreign, sent: Sent) -> Finding:
    """`foreign.total`: how many the log says were asked. Fewer than the limit are right where the data has no more."""
    groups = max(1, len({name.rpartition("/")[0] for name in sent.items if "/" in name}))
    have = len(sent.items)
    state: State = "kept" if have == value * (groups if path == "items.limit" else 1) else "unknown"
    evidence = f"the log holds {have:,} items" + (f" of {groups:,} tasks" if groups > 1 else "")
    if have > value * groups:
        state = "broken"
    elif state == "unknown":
        evidence += ": as many as the data has, or fewer than were to be asked"
    shown = "dataset.limit" if path == "items.limit" else "model.options.samples"
    return _finding(subject, shown, value, state, evidence)


def _finding(subject: str, path: str, value: Any, state: State, evidence: str, severity: Any = "error") -> Finding:
    return Finding(
        id=f"took_effect.{path}",
        state=state,
        severity=severity if state == "broken" else "warning",
        text=f"{path}: {short(repr(value), 60)} took effect.",
        evidence=evidence,
        remedy={"kept": None, "unknown": UNTOLD}.get(state, _remedy(path)),
        subject=subject,
    )


def _remedy(path: str) -> str:
    if path == "prompt.few_shot.count":
        return "A task that sets num_fewshot: 0 itself is not overridden: take that line out of the task."
    if path == "decoding.seed":
        return "The seed may not reach the model: treat repeats as draws that nobody can repeat."
    return "Look at how the task sets it, or leave it out of the study: as it is, it moves nothing."


def seed_moves(setups: Sequence[Sequence[tuple[int | None, Sent]]]) -> Finding | None:
    """Whether answers of repeats with other seeds differ at all, over all set-ups: for each the seed and the requests of
    its repeats. None where there is nothing to compare.

    Equal answers are no proof: where a model is sure, it draws the same. So few of them tell nothing.
    """
    same, pairs = 0, 0
    for runs in setups:
        told = [(seed, sent.texts) for seed, sent in runs if seed is not None]
        for seed, texts in told[1:]:
            first = told[0][1]
            if seed != told[0][0]:
                shared = [n for n in texts if texts[n] is not None and first.get(n) is not None]
                pairs += len(shared)
                same += sum(texts[name] == first[name] for name in shared)
    if not pairs:
        return None
    state: State = "kept" if same < pairs else "broken" if pairs >= ENOUGH else "unknown"
    return Finding(
        id="took_effect.seed_moves_answers",
        state=state,
        severity="warning",
        text="Another seed gives other answers.",
        evidence=f"{pairs - same:,} of {pairs:,} answers differ from those under the first seed",
        remedy=None
        if state == "kept"
        else "The seed does not reach the model, or it is too sure to draw anything else: such repeats carry no news.",
        subject="all set-ups",
    )


def together(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Equal findings of several runs as one, which says of how many."""
    many = Counter((f.id, f.state, f.text, f.evidence) for f in found)
    first: dict[Any, Finding] = {}
    for one in found:
        first.setdefault((one.id, one.state, one.text, one.evidence), one)
    out: list[Finding] = []
    for key, one in first.items():
        subject = one.subject if many[key] == 1 else f"{many[key]} harness runs"
        out.append(
            Finding(
                id=one.id, state=one.state, severity=one.severity, text=one.text, evidence=one.evidence,
                remedy=one.remedy, subject=subject,
            )
        )  # fmt: skip
    return tuple(out)
