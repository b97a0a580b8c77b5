"""rules: sets of rules by name or file, applied to what is known of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from eyechart.app.finished import Finished
from eyechart.app.known import known_of
from eyechart.core.errors import InputError
from eyechart.core.findings import State, counted, exit_code
from eyechart.core.registry import hint
from eyechart.report.inputs import JudgeSaid
from eyechart.rules.apply import apply
from eyechart.rules.builtin import SETS, USUAL
from eyechart.rules.sets import RuleSet, parse_set
from eyechart.rules.values import Known, Ruled


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What the rules say of one evaluation.

    >>> import eyechart as ec
    >>> from eyechart.app.check import check
    >>> found = check(ec.loads("decoding: {temperature: 0}"), rules=["paper"])
    >>> found.counts()["kept"] > 0, found.exit_code(), found.of("temperature_stated").state
    (True, 1, 'kept')
    """

    name: str
    sets: tuple[str, ...]
    """Names of the sets, in the order in which they were applied."""
    findings: tuple[Ruled, ...]

    def counts(self) -> Mapping[State, int]:
        return counted(self.findings)

    def exit_code(self, *, strict: bool = False) -> int:
        """1 where an error is broken, or, if `strict`, cannot be told; else 0."""
        return exit_code(self.findings, untold=1 if strict else 0)

    def of(self, name: str) -> Ruled:
        """The finding of one rule. Raises InputError where there is none."""
        found = {one.id: one for one in self.findings}
        if name not in found:
            raise InputError(f"no rule {name} was applied; {hint(name, found)}")
        return found[name]

    @property
    def sentence(self) -> str:
        """Counts, the worst first."""
        counts = self.counts()
        errors = sum(one.fails for one in self.findings)
        weight = f" ({errors} error{'s' * (errors != 1)})" if errors else ""
        return (
            f"{counts['broken']} broken{weight}, {counts['unknown']} cannot be told, {counts['kept']} kept: {self.name} "
            f"against the rules {', '.join(self.sets)}."
        )

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from eyechart.app.paper import paper
        from eyechart.report.notebook import fragment
        from eyechart.report.sections.compliance import part

        return fragment(paper(self.name, [part(self.findings)]))


def checked(known: Known, sets: Sequence[RuleSet]) -> Checked:
    return Checked(name=known.name, sets=tuple(one.name for one in sets), findings=apply(_whole(sets), known))


def of_run(run: Finished, judges: Sequence[JudgeSaid] | None = None) -> Checked:
    """As `check` without rules, for the report of a run."""
    known = known_of(run, judges)
    return checked(known, sets_for(known.preset))


def sets_of(rules: Sequence[str | Path]) -> tuple[RuleSet, ...]:
    """Sets by name or file. Raises InputError naming the nearest right name."""
    out: list[RuleSet] = []
    for one in rules:
        name = str(one)
        if name in SETS:
            out.append(own_set(name))
            continue
        path = Path(one)
        if not path.is_file():
            raise InputError(f"there is no set of rules and no file {name}; {hint(name, SETS)}", field="--rules")
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {type(error).__name__}", file=name) from None
        found = parse_set(text, name)
        out.append(found)
    return tuple(out)


def sets_for(preset: str | None) -> tuple[RuleSet, ...]:
    """The set of a goal; without one, `internal`."""
    return (own_set(preset if preset in SETS else USUAL),)


@cache
def own_set(name: str) -> RuleSet:
    """One that comes with eyechart."""
    text = files("eyechart").joinpath("rules", "sets", f"{name}.yaml").read_text(encoding="utf-8")
    return parse_set(text, f"{name}.yaml")


def _whole(sets: Sequence[RuleSet]) -> list[RuleSet]:
    """Each set behind those that it includes."""
    out: list[RuleSet] = []
    for one in sets:
        out += [*_whole([own_set(name) for name in one.include]), one]
    return out
