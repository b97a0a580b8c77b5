"""Answers on their way into an exhibit: texts become digests, and what they are besides right or wrong is counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from eyechart.auditing.answers import RAISED, error_text
from eyechart.auditing.evidence import LONG, NOTHING, Claimed, Exhibit, Lost, Scores, digest
from eyechart.auditing.mixed import short
from eyechart.auditing.shots import in_prompts
from eyechart.core.identity import plain_json
from eyechart.core.records import Failure, Item, Outcome, Request, Response
from eyechart.extract.declined import declined

BOILERPLATE = 3
"""Items of one evaluation with the same text, from which it tells no two models apart."""
PROMPTS = 60
"""Prompts of an evaluation that are searched for questions of the test: shots are as good as always the same."""
REPEATS = 1_000
CUT = ("length", "max_tokens", "max_output_tokens", "model_length")

Cell = tuple[int, int]
"""Item and repeat."""


@dataclass(slots=True)
class _Answer:
    digest: int = NOTHING
    long: bool = False
    seed: int = NOTHING
    failed: bool = False
    error: bool = False
    empty: bool = False
    refused: bool | None = None
    cut: bool = False
    head: str = ""


class Wild(NamedTuple):
    """A reading with scores outside 0 to 1: its ends, and how many of all are outside."""

    name: str
    low: float
    high: float
    out: int
    of: int

    @property
    def slip(self) -> bool:
        """Whether nearly all are scores, and some are none: a likelihood or a length has few in there."""
        return self.out * 5 <= self.of

    @property
    def said(self) -> str:
        return f"{self.name} is no score between 0 and 1 ({self.low:.4g} to {self.high:.4g}) and is left out"


@dataclass
class Gatherer:
    """Takes one answer after the other, in any order."""

    items: dict[str, int] = field(default_factory=dict[str, int])
    contents: list[int] = field(default_factory=list[int])
    wholes: list[int] = field(default_factory=list[int])
    """As `contents`, with every other text of the item."""
    golds: list[int] = field(default_factory=list[int])
    groups: list[str | None] = field(default_factory=list[str | None])
    clusters: list[str | None] = field(default_factory=list[str | None])
    questions: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    answers: dict[Cell, _Answer] = field(default_factory=dict[Cell, _Answer])
    readings: dict[str, dict[Cell, tuple[float | None, Outcome]]] = field(
        default_factory=dict[str, dict[Cell, tuple[float | None, Outcome]]]
    )
    texts: Counter[str] = field(default_factory=Counter[str])
    """Short beginnings of answers, as long as they are few."""
    asked: dict[str, Counter[int]] = field(default_factory=dict[str, Counter[int]])
    """Reading to how often each item was asked under it."""
    wild: list[Wild] = field(default_factory=list[Wild])
    """Readings that are no scores between 0 and 1; known once the exhibit is there."""
    wanted: bool = False
    """Whether an item asks for an error: then the text of one is an answer."""
    cached: int = 0
    again: int = 0
    _first: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def item(self, item: Item) -> int:
        """Its number; two questions under one name are two items."""
        question = _question(item)
        content = digest(plain_json([question, list(item.choices)])) if question else NOTHING
        name, number = item.id, 1
        while name in self.items and self.contents[self.items[name]] != content:
            number += 1
            name = f"{item.id}~{number}"
        if name in self.items:
            return self.items[name]
        at = self.items[name] = len(self.items)
        self.contents.append(content)
        self.wholes.append(digest(plain_json([question, list(item.choices), _rest(item)])) if question else NOTHING)
        self.golds.append(digest(plain_json(list(item.gold))) if item.gold else NOTHING)
        self.groups.append(item.group)
        self.clusters.append(item.cluster)
        self._first.append(tuple(g.strip() for g in item.gold))
        self.wanted = self.wanted or any(error_text(g) or RAISED.search(g) for g in (*item.gold, *item.choices))
        if question:
            self.questions.append((name, question))
        return at

    def answer(self, at: int, repeat: int, got: Response | Failure | None) -> None:
        self.answers.setdefault((at, repeat), self._answer(at, got))

    def ask(self, name: str, at: int, repeat: int, request: Request) -> None:
        """What was sent: the prompt of some, the seed of any."""
        known = self.answers.get((at, repeat))
        seed = request.param("seed")
        if known is not None and isinstance(seed, int) and not isinstance(seed, bool):
            known.seed = digest(str(seed)) if abs(seed) >= 2**62 else seed or NOTHING + 2**62
        if len(self.prompts) < PROMPTS and repeat == 0:
            self.prompts.append((name, request.prompt or "\n".join(m.content for m in request.messages)))

    def score(self, reading: str, at: int, repeat: int, value: float | None, outcome: Outcome) -> bool:
        """False, and counted, where this answer has a score under this reading already."""
        cells = self.readings.setdefault(reading, {})
        self.asked.setdefault(reading, Counter())[at] += 1
        if (at, repeat) in cells:
            self.again += 1
            return False
        cells[at, repeat] = value, outcome
        return True

    def bare(self, at: int, repeat: int, failed: bool) -> None:
        """An answer without any score stands under every reading; two filters of it that give none are no copies."""
        outcome = Outcome.FAILED if failed else Outcome.UNSCORED
        for reading in list(self.readings) or ["unscored"]:
            if (at, repeat) not in self.readings.get(reading, {}):
                self.score(reading, at, repeat, None, outcome)

    def _answer(self, at: int, got: Response | Failure | None) -> _Answer:
        out = _Answer()
        if isinstance(got, Failure):
            out.failed = True
        elif got is not None and got.text is not None:
            text = got.text
            plain = text.strip()
            out.digest, out.head, out.empty = digest(text), plain[:200], not plain
            out.long = len(plain) >= LONG and plain not in self._first[at]
            out.cut = got.finish_reason in CUT
            out.error = error_text(plain)
            if len(self.texts) < 3:
                self.texts[plain[:200]] += 1
        elif got is not None and got.option_logprobs:
            out.digest, out.long = digest(repr(got.option_logprobs)), True
        return out

    # When all is there

    def exhibit(self, claims: Mapping[str, Sequence[Claimed]], **facts: Any) -> Exhibit:
        """`claims`: those of each reading; `facts`: the other fields of the exhibit."""
        n = len(self.items)
        used = sorted({r for _, r in self.answers} | {r for cells in self.readings.values() for _, r in cells})
        place = {repeat: i for i, repeat in enumerate(used)}
        shape = (n, len(used))
        digests, seeds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        telling = np.zeros(shape, dtype=np.bool_)
        for (item, repeat), one in self.answers.items():
            at = item, place[repeat]
            digests[at], telling[at], seeds[at] = one.digest, one.long, one.seed
        self._without_boilerplate(digests, telling)
        names = sorted({c for c in self.clusters if c is not None})
        shared = 0 < len(names) < n and None not in self.clusters
        return Exhibit(
            items=tuple(self.items),
            contents=np.array(self._told_apart(), dtype=np.int64),
            golds=np.array(self.golds, dtype=np.int64),
            groups=tuple(self.groups),
            clusters=np.array([names.index(c) for c in self.clusters if c], dtype=np.int64) if shared else None,
            answers=digests,
            telling=telling,
            seeds=seeds,
            asked=tuple(next(iter(self.asked.values()), Counter[int]())[at] for at in range(n)),
            scores=tuple(self._scores(claims, place, shape)),
            shots_from_test=in_prompts(self.questions, self.prompts),
            lost=self._lost(),
            constant=short(next(iter(self.texts)), 60) if self._constant() else None,
            **facts,
        )

    def _told_apart(self) -> list[int]:
        """Items that share a question ("Sum up the text.") are known by all their texts; others by the question."""
        times = Counter(self.contents)
        return [w if times[c] > 1 else c for c, w in zip(self.contents, self.wholes, strict=True)]

    def _constant(self) -> bool:
        return len(self.texts) == 1 and bool(next(iter(self.texts)).strip())

    @staticmethod
    def _without_boilerplate(digests: Any, telling: Any) -> None:
        """A text that many items have (a refusal, an echo) does not tell two models apart."""
        for column in range(digests.shape[1]):
            found, at, counts = np.unique(digests[:, column], return_inverse=True, return_counts=True)
            if len(found):
                telling[:, column] &= counts[at] < BOILERPLATE

    def _scores(
        self, claims: Mapping[str, Sequence[Claimed]], place: Mapping[int, int], shape: tuple[int, int]
    ) -> Iterator[Scores]:
        for name, cells in self.readings.items():
            values, scored = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
            for (item, repeat), (value, outcome) in cells.items():
                if value is not None and outcome.counted:
                    values[item, place[repeat]], scored[item, place[repeat]] = value, True
            known = values[scored]
            if known.size and (float(known.min()) < 0 or float(known.max()) > 1):
                out = int(((known < 0) | (known > 1)).sum())
                self.wild.append(Wild(name, float(known.min()), float(known.max()), out, known.size))
                continue  # no score: a likelihood, a length
            yield Scores(name=name, values=values, scored=scored, claims=tuple(claims.get(name, ())))

    def _lost(self) -> Lost:
        """Over the first reading, which is the one that is shown."""
        cells = next(iter(self.readings.values()), dict[Cell, tuple[float | None, Outcome]]())
        counts = Counter[str]()
        for cell, one in self.answers.items():
            value, outcome = cells.get(cell, (None, Outcome.UNSCORED))
            if value is None or not outcome.counted:
                counts["failed"] += one.failed or outcome is Outcome.FAILED
            elif value == 0:
                if one.failed or (one.error and not self.wanted):
                    counts["wrong_failed"] += 1
                elif one.empty and one.digest != NOTHING:
                    counts["wrong_empty"] += 1
                elif outcome is Outcome.TRUNCATED or one.cut:
                    counts["wrong_cut"] += 1
                elif outcome is Outcome.REFUSED or (outcome is Outcome.INCORRECT and _refuses(one.head)):
                    counts["wrong_refused"] += 1
        return Lost(answers=len(self.answers), cached=self.cached, again=self.again, **counts)


def _refuses(head: str) -> bool:
    found = declined(head) if head else None
    return found is not None and found[0] is Outcome.REFUSED


MAIN = ("question", "query", "prompt", "input", "problem")
KEYS = re.compile(
    r"(?:^|_)(?:answers?|targets?|gold|labels?|solution|rationale|id|uuid|hash|time|date)(?:$|_)", re.IGNORECASE
)
"""Fields that are no part of what is asked."""


def _rest(item: Item) -> list[str]:
    """Other texts of an item; short ones are categories."""
    return [v for k, v in sorted(item.fields.items()) if isinstance(v, str) and len(v) >= 15 and not KEYS.search(k)]


def _question(item: Item) -> str:
    """What it asks, with its passage: all texts among its fields where none goes by that name."""
    fields = item.fields
    main = next((fields[k] for k in MAIN if fields.get(k)), None)
    if main is None:
        return ""
    extra = [fields[k] for k in ("passage", "context") if fields.get(k)]
    return "\n".join(str(part) for part in (*extra, main))
