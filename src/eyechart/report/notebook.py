"""The short form of a report for a notebook cell: score, heat map and curves, from the same partials.

It holds no script, so that it looks the same in a notebook that is not trusted.
"""

from __future__ import annotations

from hashlib import sha256

from eyechart.report.blocks import Block, CurveBlock, HeatMapBlock, Note, SpanBlock, Verdict
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
    parts = {part.name: part.blocks for part in build(given, ("verdict", "dashboard"))}
    blocks: list[Block] = [b for b in parts["verdict"] if isinstance(b, (*KEPT, Note))]
    blocks += [b for b in parts["dashboard"] if isinstance(b, KEPT)]
    # Ids must differ between the cells of one notebook, and be the same when a cell is run again.
    prefix = f"ec{sha256(repr(given).encode('utf-8', 'backslashreplace')).hexdigest()[:8]}-"
    return (
        environment()
        .get_template("fragment.html.j2")
        .render(
            ui=Ui(lang=given.language, prefix=prefix),
            title=given.title,
            style=safe(style("style.css")),
            blocks=blocks,
        )
    )
