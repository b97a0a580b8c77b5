"""The short form of a report for a notebook cell: score, heat map and curves, from the same partials.

Ready sections (`ReportInput.more`) are shown whole; where there is nothing else, they are all there is.

It holds no script, so that it looks the same in a notebook that is not trusted.
"""

from __future__ import annotations

from hashlib import sha256

from eyechart.report.blocks import Block, CurveBlock, Heading, HeatMapBlock, Note, SpanBlock, Verdict
from eyechart.report.html import Ui, environment, safe, style
from eyechart.report.inputs import ReportInput
from eyechart.report.sections import build

KEPT = (Verdict, SpanBlock, HeatMapBlock, CurveBlock)


def fragment(given: ReportInput) -> str:
    """What `_repr_html_` returns.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> "<script" in fragment(ReportInput(title="a study", analysis=nothing))
    False
    """
    blocks: list[Block] = []
    if given.analysis.scores or not given.more:
        parts = {part.name: part.blocks for part in build(given, ("verdict", "dashboard"))}
        blocks += [b for b in parts["verdict"] if isinstance(b, (*KEPT, Note))]
        blocks += [b for b in parts["dashboard"] if isinstance(b, KEPT)]
    for part in given.more:
        if len(given.more) > 1:
            blocks.append(Heading(text=part.title, level=3, anchor=part.name))
        blocks += part.blocks
    # Ids must differ between the cells of one notebook, and be the same when a cell is run again.
    prefix = f"ec{sha256(repr(given).encode('utf-8', 'backslashreplace')).hexdigest()[:8]}-"
    return (
        environment()
        .get_template("fragment.html.j2")
        .render(
            ui=Ui(lang=given.language, prefix=prefix),
            title=given.title,
            style=safe(style("style.css", "drawn.css")),
            blocks=blocks,
        )
    )
