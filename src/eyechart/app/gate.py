"""gate: limits on the numbers of a run, against numbers or against a stored run. Calls no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.analysis.gate import RATE, Held, Look, hold
from eyechart.analysis.gate_estimates import Given, Labels
from eyechart.analysis.gate_members import members
from eyechart.analysis.gate_text import Limit, read_limit
from eyechart.app.evaluated import evaluated
from eyechart.app.finished import Finished
from eyechart.app.gate_compared import comparable
from eyechart.app.gate_file import LimitFile, limits_of, read_limits, with_ids
from eyechart.app.gate_inputs import labels_of, readers_of
from eyechart.app.paper import paper, write_paper
from eyechart.app.seeds import shared_seeds
from eyechart.core.errors import InputError
from eyechart.core.findings import Finding, exit_code
from eyechart.report import checks
from eyechart.report.blocks import Part, message
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.notebook import fragment
from eyechart.report.sections.gate import finding, looked, verdict
from eyechart.report.sections.gate import gate as section
from eyechart.stats.means import FEW, effective_clusters

SUITE = "eyechart gate"
Limits = str | Path | Sequence[str | Limit]


@dataclass(frozen=True, kw_only=True)
class Gated:
    """Limits, judged. `passed`, `findings`, and the same for other tools: `junit()`, `github()`, `markdown()`."""

    name: str
    """The run, as it was given."""
    held: tuple[Held, ...]
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding(one) for one in self.held)

    @property
    def passed(self) -> bool:
        """Whether every limit that counts is shown to be kept."""
        return self.exit_code() == 0

    def exit_code(self, *, unknown_passes: bool = False) -> int:
        """0: all kept; 1: one is shown to be broken; 3: cannot tell."""
        return exit_code(self.findings, untold=0 if unknown_passes else 3)

    def sentence(self, language: Language = "en") -> str:
        return say(verdict(self.findings), language)

    def looked(self, language: Language = "en") -> str:
        """What was looked at, and how often such a gate is wrong."""
        return say(looked(self.held[0]), language)

    def junit(self, language: Language = "en") -> str:
        return checks.junit(self.findings, SUITE, language)

    def github(self, language: Language = "en") -> list[str]:
        return checks.github(self.findings, language)

    def markdown(self, language: Language = "en") -> str:
        said = checks.markdown(self.findings, f"{SUITE} {self.name}: {self.sentence(language)}", language)
        return f"{said}\n{self.looked(language)}\n"

    def part(self) -> Part:
        return Part(name="gate", title=message("section.gate"), blocks=tuple(section(self.held)))

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write the limits and every number behind them as .html, .md or .json."""
        write_paper(Path(path), f"{self.name}: {say(message('section.gate'), language)}", [self.part()], language)
        return Path(path)

    def __str__(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        return fragment(paper(self.name, [self.part()]))


def gate(
    run: Finished | Path | str,
    limits: Limits,
    *,
    baseline: Finished | Path | str | None = None,
    contestant: Sequence[str] | None = None,
    labels: Path | str | None = None,
    rate: float | None = None,
) -> Gated:
    """Judge `limits` on `run`: each is kept, broken, or cannot be told.

    `run`, `baseline`: a run, its folder, `RUN#cell`, or a log. `limits`: one limit, several, or a file of them
    (`gate.yaml`). `contestant`: fields in which run and baseline may differ, `model` unless others are named.
    `labels`: a table of `judge sheet read`. `rate`: the chance, over all limits together, that one is called broken
    while all are kept; 0.05.

    Raises InputError for a limit that cannot be understood, names that the run does not have, a baseline that was
    measured by another procedure, and a folder whose seal does not fit.
    """
    file = limits_given(limits)
    rate = rate if rate is not None else file.rate if file.rate is not None else RATE
    if not 0 < rate <= 0.5:
        raise InputError("write a chance above 0 and up to 0.5, e.g. 0.05", field="--rate")
    name, mine, cell, notes = _opened(run, "RUN")
    against = baseline if baseline is not None else file.baseline
    base: Given | None = None
    if against is not None:
        other, theirs, at, said = _opened(against, "--baseline")
        allowed = tuple(contestant) if contestant is not None else file.contestant or ("model",)
        notes = [*notes, *said, *comparable((name, mine, cell), (other, theirs, at), allowed)]
        base = Given(observed=theirs.observations, layout=theirs.layout, shared=shared_seeds(theirs), cell=at)
    sheet = labels if labels is not None else file.labels
    found: Labels | None = None
    if sheet is not None:
        found, more = labels_of(Path(sheet), mine)
        notes = [*notes, *more]
    notes += _few_clusters(mine)
    given = Given(
        observed=mine.observations,
        layout=mine.layout,
        shared=shared_seeds(mine),
        readers=readers_of(mine, cell, file.limits),
        baseline=base,
        labels=found,
        cell=cell,
    )
    asked = [(limit, members_of(given, limit)) for limit in file.limits]
    held = hold(asked, rate)
    return Gated(name=name, held=held, notes=(*notes, *_left_out(held)))


def members_of(given: Given, limit: Limit) -> Any:
    try:
        return members(given, limit)
    except InputError as error:
        raise InputError(error.message, file=limit.file, line=limit.line, field=error.field) from None


def limits_given(limits: Limits) -> LimitFile:
    """Limits as Python users and the command line give them: a file, a text, or several."""
    if isinstance(limits, Path) or (isinstance(limits, str) and limits.endswith((".yaml", ".yml", ".json"))):
        return read_limits(Path(limits))
    if isinstance(limits, str) and "\n" in limits:
        return limits_of(limits, "limits", Path())
    several = [limits] if isinstance(limits, str) else limits
    made = [read_limit(one) if isinstance(one, str) else one for one in several]
    if not made:
        raise InputError("no limit is given; write one, e.g. volatility(group) <= 1.0 points")
    return LimitFile(limits=with_ids(made))


def _opened(run: Finished | Path | str, field: str) -> tuple[str, Finished, int, list[str]]:
    """Raises InputError where its numbers are not those that were sealed: a forged score is not judged."""
    if isinstance(run, Finished):
        _intact(run, field)
        return str(run.folder.path), run, 0, []
    found = evaluated(str(run))
    if found.run is None or found.cell is None:
        raise InputError(f"{run} was not run: a gate looks at measured scores; name a run folder")
    _intact(found.run, field)
    # Which set-up stands for a run is told by the limits; that a run has several is no news to a gate.
    notes = [note for note in found.notes if "set-ups" not in note]
    return str(run), found.run, found.cell, notes


def _intact(run: Finished, field: str) -> None:
    if run.doubt is not None:
        raise InputError(f"not judged: {run.doubt}", field=field)


def _few_clusters(run: Finished) -> list[str]:
    codes = run.observations.cluster_codes
    n = FEW if codes is None else effective_clusters(codes.astype(np.intp))
    if n >= FEW:
        return []
    return [f"{n:.1f} effective clusters, under {FEW}: what is called kept or broken may be so too easily"]


WHY = {
    "failed": "calls failed",
    "unscored": "answers unscored",
    "unasked": "items not asked",
    "few": "with too few runs",
}


def _left_out(held: Sequence[Held]) -> list[str]:
    """What each limit leaves out, and why; limits that leave out the same share a line."""
    found: dict[str, list[str]] = {}
    for one in held:
        looks = [look for look in one.looks if look.member.lost is not None]
        if looks:
            found.setdefault(_lost_words(looks), []).append(one.limit.id)
    return [f"{', '.join(ids)}: {words}" for words, ids in found.items()]


def _lost_words(looks: Sequence[Look]) -> str:
    """Of the number that leaves out most."""
    losses = [(look.member.lost, look.member.subject) for look in looks]
    lost, subject = max(((a, b) for a, b in losses if a is not None), key=lambda one: one[0].items / max(1, one[0].of))
    why = ", ".join(f"{n:,} {WHY[name]}" for name, n in lost.why)
    where = f" in {subject}" if subject else ""
    more = f", and it leaves out some in {len(looks) - 1} more" if len(looks) > 1 else ""
    if not lost.items:
        return f"some answers of {lost.of:,} items{where} have no score ({why}){more}"
    return f"{lost.items:,} of {lost.of:,} items{where} have no score and are left out ({why}){more}"


def as_data(found: Gated) -> Mapping[str, Any]:
    """As `--json` gives it: scores as fractions of 1, absent as null with a reason."""
    from eyechart.app.gate_data import data_of_gate

    return data_of_gate(found.held, found.findings)
