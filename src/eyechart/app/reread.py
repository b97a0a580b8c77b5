"""reread: the same answers under a set of graders, without a call to the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.analysis.readers import Read, ReaderSpread, spread_over_readers
from eyechart.app.answers import of_run
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.grade import Graded, given, grade_lines
from eyechart.app.lines import Line, Unusable
from eyechart.core.errors import InputError
from eyechart.core.graders import CAREFUL, USUAL, Kind
from eyechart.core.records import Outcome

ALL = "all answers"
"""The one subject where no line says who wrote it."""


def reread(
    source: Path | str | Iterable[Mapping[str, Any]], graders: Sequence[str] = (), *, allow_weak_sandbox: bool = False
) -> ReaderSpread:
    """Scores of a run folder, a file of lines or mappings under each of `graders`, and what they turn.

    Subjects are the set-ups of a run that asked something different, or the `model` of each line. Without
    `graders`: the careful one and the rules that are usual for such questions.

    Raises InputError where nothing can be read, or a grader is not there.
    """
    if isinstance(source, Path | str) and Path(source).is_dir():
        run = finished(Folder(Path(source)))
        return reread_lines(_asked(run), graders, weak=allow_weak_sandbox)
    found = given(source)
    bad = [line for line in found if isinstance(line, Unusable)]
    if bad:
        more = f" (and {len(bad) - 1:,} more lines)" if len(bad) > 1 else ""
        raise InputError(f"{bad[0].reason}{more}", line=bad[0].line)
    return reread_lines([line for line in found if isinstance(line, Line)], graders, weak=allow_weak_sandbox)


def reread_run(run: Finished, graders: Sequence[str] = ()) -> ReaderSpread | None:
    """As `reread`, for the report of a run. None where it asked for no text, ran programs, or asked a judge: a
    verdict is no answer to a question."""
    scores = [cell["effective"]["reading"].get("score") for cell in run.facts["cells"]]
    if any(score == "judge" or (isinstance(score, Mapping) and "verdict" in score) for score in scores):
        return None
    found = _asked(run)
    if not found or any(line.kind == "code" for line in found):
        return None
    return reread_lines(found, graders)


def _asked(run: Finished) -> Sequence[Line]:
    """The answers of one set-up for each way of asking: those that differ in reading alone hold the same ones."""
    first: dict[tuple[int, ...], str] = {}
    seen = run.observations
    for number, cell in enumerate(run.facts["cells"]):
        first.setdefault(tuple(int(call) for call in seen.call[seen.rows(number)]), cell["id"])
    return tuple(of_run(run, set(first.values())))


def reread_lines(of: Sequence[Line], graders: Sequence[str] = (), *, weak: bool = False) -> ReaderSpread:
    if not of:
        raise InputError("there are no answers to read again")
    chosen = tuple(dict.fromkeys(graders)) or usual({line.kind for line in of})
    subjects: dict[str, list[int]] = {}
    for at, line in enumerate(of):
        subjects.setdefault(line.model or ALL, []).append(at)
    graded = [grade_lines(of, name, allow_weak_sandbox=weak) for name in chosen]
    reads = [
        Read(
            name=name,
            items=tuple(of[i].item.id for i in rows),
            clusters=_clusters([of[i] for i in rows]),
            values=np.array([[_value(one[i]) for i in rows] for one in graded]),
            found=np.array([[one[i].outcome in (Outcome.CORRECT, Outcome.INCORRECT) for i in rows] for one in graded]),
        )
        for name, rows in subjects.items()
    ]
    return spread_over_readers(chosen, reads)


def usual(kinds: set[Kind]) -> tuple[str, ...]:
    """The careful reader, and the rules that fit every kind of question that is there.

    >>> usual({"number"})[:3]
    ('careful', 'last_number', 'lm_eval_flexible')
    >>> usual({"number", "choice"})
    ('careful', 'exact', 'exact_strip_punctuation_and_lowercase', 'squad', 'first_line', 'contains')
    """
    kind: Kind = next(iter(kinds)) if len(kinds) == 1 else "text"
    return (CAREFUL, *USUAL[kind])


def _value(graded: Graded) -> float:
    return float("nan") if graded.value is None else graded.value


def _clusters(of: Sequence[Line]) -> Mapping[str, str]:
    """Item to its cluster; empty unless all items have one."""
    known = {line.item.id: line.item.cluster for line in of}
    return {item: cluster for item, cluster in known.items() if cluster} if all(known.values()) else {}
