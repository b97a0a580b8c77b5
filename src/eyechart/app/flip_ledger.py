"""The flip ledger of two evaluations as a person holds it: counts, cases, a report. Never calls a model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from eyechart.analysis.flips import Ledger
from eyechart.app.finished import Finished
from eyechart.app.flips import ledger
from eyechart.app.paper import paper, write_paper
from eyechart.report.blocks import message
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.notebook import fragment
from eyechart.report.sections.flips import ledger_part


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLedger(Ledger):
    """A `Ledger` with its pictures."""

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be."""
        write_paper(Path(path), _title(self, language), [ledger_part(self)], language)
        return Path(path)

    def _repr_html_(self) -> str:
        return fragment(paper(_title(self, "en"), [ledger_part(self)]))


def _title(found: Ledger, language: Language) -> str:
    return say(message("flips.between", a=found.a, b=found.b), language)


def between_runs(one: Finished, two: Finished) -> FlipLedger:
    """The baseline of one run against that of another."""
    names = (str(one.folder.path), str(two.folder.path))
    return with_pictures(ledger(one, _baseline(one), two, _baseline(two), names=names))


def within(run: Finished, a: str, b: str) -> FlipLedger:
    """Two set-ups of one run, by their short ids."""
    return with_pictures(ledger(run, a, run, b))


def _baseline(run: Finished) -> str:
    return str(run.facts["cells"][0]["id"])


def with_pictures(found: Ledger) -> FlipLedger:
    return FlipLedger(**{field.name: getattr(found, field.name) for field in fields(found)})
