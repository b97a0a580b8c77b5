"""The layers of a report, in order: one function and one line each.

A section takes a `ReportInput` and returns blocks; it never sees HTML. A third party adds one from its
own package through the entry-point group `eyechart.section`: a function of the same shape, shown after
the ones below under the name of its entry point.
"""

from __future__ import annotations

from collections.abc import Callable

from eyechart.core.registry import Registry
from eyechart.report.blocks import Block, Part, Text, message
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import knows
from eyechart.report.sections.compliance import compliance
from eyechart.report.sections.dashboard import dashboard
from eyechart.report.sections.judges import judges
from eyechart.report.sections.ledger import ledger
from eyechart.report.sections.score import score
from eyechart.report.sections.verdict import verdict

Section = Callable[[ReportInput], list[Block]]

SECTIONS: tuple[tuple[str, Section], ...] = (
    ("verdict", verdict),
    ("score", score),
    ("judges", judges),
    ("dashboard", dashboard),
    ("ledger", ledger),
    ("compliance", compliance),
)

EXTRA: Registry[Section] = Registry("section")


def build(given: ReportInput, names: tuple[str, ...] = ()) -> tuple[Part, ...]:
    """The report as data: every section in order, or those of `names`. One that has nothing to say is left out.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> [part.name for part in build(ReportInput(title="a study", analysis=nothing))][:5]
    ['verdict', 'score', 'dashboard', 'ledger', 'compliance']
    """
    everything = (*SECTIONS, *((name, EXTRA.get(name)) for name in EXTRA.names()))
    chosen = [(name, tuple(section(given))) for name, section in everything if not names or name in names]
    made = tuple(Part(name=name, title=title_of(name), blocks=blocks) for name, blocks in chosen if blocks)
    return (*made, *(part for part in given.more if not names or part.name in names))


def title_of(name: str) -> Text:
    return message(f"section.{name}") if knows(f"section.{name}") else name
