"""grade: outputs in, verdicts out, each with the steps that led to it. Never calls a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from eyechart.app.lines import Line, Unusable, lines
from eyechart.app.programs import settled
from eyechart.core.effective import Reading
from eyechart.core.graders import CAREFUL, Kind, grader
from eyechart.core.records import Extraction, Outcome, Score, Step
from eyechart.reading import read_response
from eyechart.report.trace import trace_html

VERDICTS: Mapping[Outcome, str | None] = {
    Outcome.CORRECT: "correct",
    Outcome.INCORRECT: "incorrect",
    Outcome.UNPARSEABLE: "unparseable",
    Outcome.REFUSED: "unparseable",
    Outcome.TRUNCATED: "unparseable",
    Outcome.FAILED: None,
    Outcome.UNSCORED: None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What became of one line."""

    id: str
    kind: Kind | None
    outcome: Outcome
    extracted: str | None
    reason: str | None
    span: tuple[int, int] | None = None
    """Where in the output the answer stood."""
    steps: tuple[Step, ...] = ()
    value: float | None = None
    """Credit, in [0, 1]; None where the grader could not say."""
    usable: bool = True
    """False where the line itself is at fault: it has no output, or no gold answer."""
    line: int | None = None
    output: str = field(default="", repr=False)

    @property
    def verdict(self) -> str | None:
        """`correct`, `incorrect` or `unparseable`; None where the grader could not say."""
        return VERDICTS[self.outcome]

    def _repr_html_(self) -> str:
        return trace_html(self.output, self.verdict, self.extracted, self.steps)

    def row(self) -> dict[str, Any]:
        """The object of one line of output."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "outcome": self.outcome.value,
            "extracted": self.extracted,
            "reason": self.reason,
            "kind": self.kind,
        }


def grade(
    source: Path | str | Mapping[str, Any] | Iterable[Mapping[str, Any]],
    method: str = CAREFUL,
    *,
    allow_weak_sandbox: bool = False,
    **switches: Any,
) -> list[Graded]:
    """A verdict for each line of `source`, in order: a file, a run folder, mappings, or one mapping.

    A line has `output` and `gold`, and may have `id`, `kind` (choice, number, math, text, code), `choices`,
    `model` and `finish_reason`. `method` is the name of a grader: `careful`, a rule in wide use such as
    `last_number`, `module:function`, or `reader/postprocess/scorer`. `switches` are policies of the careful
    grader, such as `percent="points"` (docs/graders.md). Programs run in the sandbox only.

    >>> [graded] = grade({"output": "The answer is not 42 but 24.", "gold": "24"})
    >>> graded.verdict, graded.extracted
    ('correct', '24')

    Raises InputError for a source or method that is not there.
    """
    return grade_lines(given(source), method, allow_weak_sandbox=allow_weak_sandbox, switches=switches)


def given(source: Path | str | Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Sequence[Line | Unusable]:
    """The lines of `source`, whatever it is."""
    if isinstance(source, Path | str):
        if Path(source).is_dir():
            from eyechart.app.answers import of_folder  # what a run needs is not imported for a file

            return tuple(of_folder(Path(source)))
        return lines(source)
    if isinstance(source, Mapping):
        return lines([cast("Mapping[str, Any]", source)])
    return lines(source)


def grade_lines(
    of: Sequence[Line | Unusable],
    method: str = CAREFUL,
    *,
    allow_weak_sandbox: bool = False,
    switches: Mapping[str, Any] | None = None,
) -> list[Graded]:
    kinds: set[Kind] = {line.kind for line in of if isinstance(line, Line)}
    how = {kind: grader(method, kind, switches) for kind in kinds}
    read = [_read(line, how[line.kind]) if isinstance(line, Line) else None for line in of]
    programs = {
        at: (one[0], line.item)
        for at, (one, line) in enumerate(zip(read, of, strict=True))
        if one is not None and isinstance(line, Line) and _runs(how[line.kind], one[0])
    }
    ran = dict(zip(programs, settled(list(programs.values()), weak=allow_weak_sandbox), strict=True))
    out: list[Graded] = []
    for at, (one, line) in enumerate(zip(read, of, strict=True)):
        if one is None or isinstance(line, Unusable):
            reason = line.reason if isinstance(line, Unusable) else None
            out.append(
                Graded(
                    id=line.id,
                    kind=None,
                    outcome=Outcome.UNSCORED,
                    extracted=None,
                    reason=reason,
                    usable=False,
                    line=line.line,
                )
            )
            continue
        found, score = one[0], ran.get(at, one[1])
        out.append(
            Graded(
                id=line.id,
                kind=line.kind,
                outcome=score.outcome,
                extracted=found.value,
                reason=score.reason or found.reason,
                span=found.span,
                steps=found.steps or _bare(found),
                value=score.value,
                output=line.response.text or "",
                line=line.line,
            )
        )
    return out


def _runs(reading: Reading, found: Extraction) -> bool:
    return found.value is not None and reading.score == "code"


def _read(line: Line, reading: Reading) -> tuple[Extraction, Score]:
    return read_response(line.response, line.item, line.labels, reading)


def _bare(found: Extraction) -> tuple[Step, ...]:
    """The one step of a rule that keeps none."""
    if found.value is None:
        return ()
    return (Step("taken", "matched by the rule", found.span),)
