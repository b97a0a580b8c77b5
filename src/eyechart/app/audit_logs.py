"""Logs of other harnesses as dossiers: read as a stream, never written."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from eyechart.app.audit_gather import REPEATS, Gatherer
from eyechart.app.audit_runs import limit_of, of_answers, remarks
from eyechart.auditing.evidence import Claimed, Dossier, Exhibit, Row
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.identity import plain_json
from eyechart.core.records import Failure, Outcome, Response
from eyechart.logs.plain import dig, mapping, number, read_json, short
from eyechart.logs.values import Claim, Foreign, Found, Notes, Unreadable
from eyechart.logs.values import Row as Answered
from eyechart.score.options import choose

BINARY = re.compile(r"(?:^|[^a-z])(?:acc|accuracy|exact_match|em|pass@1|is_correct|correct)(?:$|[^a-z])", re.IGNORECASE)
"""Names of metrics whose scores are 0 or 1."""
GRADED = ("Inspect",)
"""Harnesses whose accuracy may hold half points."""
DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RuntimeError, MemoryError, OSError,
          BadZipFile, EOFError, zlib.error, struct.error)  # fmt: skip
"""What hostile data may still raise behind all checks; a person sees one line."""
FIELDS = ("prompt.", "decoding.", "evaluation.", "dataset.", "model.")
FREE = ("model.name", "model.path", "model.url", "dataset.name", "dataset.path", "dataset.limit")


def read_log(found: Found, name: str, label: tuple[str, ...]) -> Iterator[Dossier]:
    """Each task of a log. Raises InputError with one line where it is damaged."""
    try:
        foreigners = list(found.read())
        several = len(foreigners) > 1
        for foreign in foreigners:
            yield _dossier(foreign, f"{name} ({foreign.task})" if several else name, label, found)
    except (Unreadable, MissingExtra) as error:
        raise InputError(str(error), file=str(found.path)) from None
    except DAMAGE as error:
        text = f"is no whole log of {found.harness}: {type(error).__name__}, {short(error, 100)}"
        raise InputError(text, file=str(found.path)) from None


def _dossier(foreign: Foreign, name: str, label: tuple[str, ...], found: Found) -> Dossier:
    notes = Notes()
    for text in foreign.findings:
        notes.say(text)
    claims = tuple(_claimed(claim, foreign) for claim in foreign.claims)
    seen = _Seen()
    exhibit = _exhibit(foreign, name, found.path, claims, notes, seen) if foreign.rows is not None else None
    known = {s.path: s.value for s in foreign.settings}
    beside = {s.name for s in exhibit.scores} if exhibit else set[str]()
    shots, heat = known.get("prompt.few_shot.count"), known.get("decoding.temperature")
    precision = " ".join(str(known[k]) for k in ("model.quantization", "model.dtype") if known.get(k))
    return Dossier(
        name=name,
        file=str(found.path),
        kind="log",
        maker=foreign.harness,
        label=label,
        exhibits=(exhibit,) if exhibit else (),
        claims=tuple(c for c, f in zip(claims, foreign.claims, strict=True) if f.reading not in beside),
        model=foreign.model,
        task=foreign.task,
        shots=shots if isinstance(shots, int) else None,
        temperature=float(heat) if isinstance(heat, int | float) else None,
        precision=precision or None,
        rows=tuple(_averages(foreign, claims)),
        sums=tuple(_sums(p for p in foreign.files if of_answers(p.name))),
        complete=foreign.complete,
        turned=tuple(seen.turned.items()),
        wild=seen.wild,
        said=tuple(remarks(notes.texts())),
    )


def _sums(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for path in files:
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                yield path.name, hashlib.file_digest(file, "sha256").hexdigest()


def _averages(foreign: Foreign, claims: Sequence[Claimed]) -> Iterator[Row]:
    """Aggregates over groups that have numbers of their own: an average is held against them."""
    for whole in (c for c in claims if c.group is None and c.value is not None):
        parts = {c.group: c for c in claims if c.group is not None and c.key == whole.key}
        if len(parts) > 1:
            yield Row(model=foreign.model or "?", task=foreign.task, claim=whole, parts=parts, derived=True)


def _claimed(claim: Claim, foreign: Foreign) -> Claimed:
    grouped = any(c.group is not None for c in foreign.claims) and claim.group is None
    named = bool(BINARY.search(claim.key)) and claim.mean and not grouped and foreign.harness not in GRADED
    return Claimed(
        key=claim.key,
        value=claim.value,
        se=claim.se,
        n=claim.n,
        off=claim.off,
        se_off=max(1e-6, 2 * claim.off),
        mean=claim.mean,
        binary=True if named else None,
        group=claim.group,
    )


@dataclass
class _Seen:
    """What is told of the scores of items beside the exhibit."""

    turned: Counter[str] = field(default_factory=Counter[str])
    wild: tuple[tuple[str, str], ...] = ()

    def take(self, row: Answered, readings: Mapping[str, Mapping[str, Any]]) -> None:
        """Works the scores of options out again, from the log-probabilities of the log: as an import does."""
        if not isinstance(row.answer, Response) or row.answer.option_logprobs is None or row.item.gold_index is None:
            return
        for one in row.scores:
            how = readings.get(one.reading, {}).get("normalize")
            if isinstance(how, str) and one.value is not None:
                best, reason = choose(row.answer.option_logprobs, row.request.options, how)
                if reason != "tie" and best is not None and float(best == row.item.gold_index) != one.value:
                    self.turned[one.reading] += 1


def _exhibit(
    foreign: Foreign, name: str, path: Path, claims: Sequence[Claimed], notes: Notes, seen: _Seen
) -> Exhibit | None:
    assert foreign.rows is not None
    made = Gatherer()
    numbered: dict[int, dict[int, int]] = {}
    for row in foreign.rows(notes):
        _take(row, made, numbered)
        seen.take(row, foreign.readings)
    if not made.items:
        raise Unreadable("holds no answers")
    procedure = {
        s.path: _plain(s.value)
        for s in foreign.settings
        if s.path.startswith(FIELDS) and s.path not in FREE and s.value is not None
    }
    if foreign.version:
        procedure["evaluation.framework_version"] = foreign.version
    of_reading: dict[str, list[Claimed]] = {}
    for claim, source in zip(claims, foreign.claims, strict=True):
        of_reading.setdefault(source.reading, []).append(claim)
    for reading, key in _empty(foreign):
        if reading in made.readings and reading not in of_reading:
            of_reading[reading] = [Claimed(key=key, value=None)]
    exhibit = made.exhibit(
        of_reading,
        name=name,
        file=str(path),
        model=foreign.model,
        task=foreign.task,
        procedure=procedure,
        sampled=_sampled(procedure),
        total=foreign.total,
        first=limit_of(foreign.findings),
    )
    for one in made.wild:
        if not one.slip:
            notes.say(one.said)
    seen.wild = tuple((w.name, f"{w.out:,} of {w.of:,} ({w.low:.4g} to {w.high:.4g})") for w in made.wild if w.slip)
    return exhibit


def _empty(foreign: Foreign) -> Iterator[tuple[str, str]]:
    """Reading and key of the metrics for which lm-evaluation-harness writes no number: null, "N/A", NaN."""
    if foreign.harness != "lm-evaluation-harness":
        return
    for path in foreign.files:
        if not path.name.startswith("results") or path.suffix != ".json":
            continue
        for key, value in mapping(dig(read_json(path), "results", foreign.task)).items():
            metric, _, filtered = key.partition(",")
            if number(value) is None and not metric.endswith("_stderr"):
                yield metric if filtered in ("", "none") else f"{metric}@{filtered}", key


def _plain(value: object) -> str:
    try:
        return value if isinstance(value, str) else plain_json(value)
    except (ValueError, TypeError):  # NaN, or what is no JSON
        return str(value)


def _sampled(procedure: dict[str, str]) -> bool | None:
    """Whether answers were drawn at random, as far as the log says."""
    if procedure.get("decoding.do_sample") == "false":
        return False
    try:
        return float(procedure["decoding.temperature"]) > 0
    except (KeyError, ValueError):
        return None


def _take(row: Answered, made: Gatherer, numbered: dict[int, dict[int, int]]) -> None:
    at = made.item(row.item)
    known = numbered.setdefault(at, {})
    sign = hash((row.request, row.answer))
    if row.cached and (row.repeat or known):
        made.cached += 1
        return
    # Where the log does not count, further different answers are repeats, and an equal one is the same answer again.
    repeat = row.repeat if row.repeat is not None else known.get(sign, len(known))
    if not 0 <= repeat < REPEATS:
        return
    known.setdefault(sign, repeat)
    made.answer(at, repeat, row.answer)
    made.ask(row.item.id, at, repeat, row.request)
    for one in row.scores:
        failed = isinstance(row.answer, Failure)
        outcome = one.outcome or (Outcome.CORRECT if one.value == 1 else Outcome.INCORRECT)
        if one.value is None:
            outcome = Outcome.FAILED if failed else Outcome.UNSCORED
        made.score(one.reading, at, repeat, one.value, outcome)
    if not row.scores:
        made.bare(at, repeat, isinstance(row.answer, Failure))
