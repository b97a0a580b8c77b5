"""eyechart holds the model still, moves the evaluation, and says how far the score moves and why.

    import eyechart as ec

    study = ec.load("study.yaml")      # an evaluation and how it is moved
    study.plan()                       # cells, calls, tokens, time: nothing is asked yet
    run = study.run()                  # asks what is missing; given again, it goes on
    run.scores()                       # every set-up with its two intervals
    run.heatmap()                      # factor x level: signed change against the baseline
    run.curves()                       # score against each ordered parameter
    run.shares()                       # which factor makes how much of the spread, and what to do about it
    run.compare(other)                 # which is better, item by item
    run.report("report.html")          # one file, readable without network or scripts

    scores = ec.table("scores.csv")    # scores from anywhere, one row a score
    scores.summarize("model")          # two intervals for each, and whether its repeats can be believed

    ec.grade("answers.jsonl")          # verdicts with the steps that led to them
    ec.reread("answers.jsonl")         # the same answers under other graders

    run = ec.open("eyechart-runs/study")   # the same, later

The grammar has few words. A *spec* says what an evaluation is; a *factor* is a dotted path into it
with levels; a *cell* is the spec with one level of each factor; a *request* is what a cell sends for
an item; a *response* is read (*extraction*), compared (*score*) and counted (*outcome*). Everything
after the response is free: a change of reader never calls a model again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eyechart.version import __version__

_NAMES = {
    "verify": "eyechart.app.verify",
    "reproduce": "eyechart.app.reproduce",
    "rank": "eyechart.app.rank",
    "history": "eyechart.app.history",
    "gate": "eyechart.app.gate",
    "export": "eyechart.app.export",
    "disclose": "eyechart.app.disclose",
    "diff": "eyechart.app.diff",
    "check": "eyechart.app.check",
    "audit": "eyechart.app.audit",
    "load": "eyechart.app.study",
    "loads": "eyechart.app.study",
    "open": "eyechart.app.opened",
    "grade": "eyechart.app.grade",
    "reread": "eyechart.app.reread",
    "diagnose": "eyechart.app.doctor",
    "explain": "eyechart.app.explain",
    "import_log": "eyechart.app.importing",
    "probe_decoding": "eyechart.app.probe_decoding",
    "probe_determinism": "eyechart.app.probe_determinism",
    "probe_pairs": "eyechart.app.pairs",
    "probe_prompt": "eyechart.app.probe_prompt",
    "table": "eyechart.app.tables",
    "Table": "eyechart.app.tables",
    "Study": "eyechart.app.study",
    "Run": "eyechart.app.opened",
    "Spec": "eyechart.core.spec",
    "EyechartError": "eyechart.core.errors",
    "InputError": "eyechart.core.errors",
}

__all__ = [
    "EyechartError",
    "InputError",
    "Run",
    "Spec",
    "Study",
    "Table",
    "__version__",
    "audit",
    "check",
    "diagnose",
    "diff",
    "disclose",
    "explain",
    "export",
    "gate",
    "grade",
    "history",
    "import_log",
    "load",
    "loads",
    "open",
    "probe_decoding",
    "probe_determinism",
    "probe_pairs",
    "probe_prompt",
    "rank",
    "reproduce",
    "reread",
    "table",
    "verify",
]

if TYPE_CHECKING:
    from eyechart.app.audit import audit
    from eyechart.app.check import check
    from eyechart.app.diff import diff
    from eyechart.app.disclose import disclose
    from eyechart.app.doctor import diagnose
    from eyechart.app.explain import explain
    from eyechart.app.export import export
    from eyechart.app.gate import gate
    from eyechart.app.grade import grade
    from eyechart.app.history import history
    from eyechart.app.importing import import_log
    from eyechart.app.opened import Run, open
    from eyechart.app.pairs import probe_pairs
    from eyechart.app.probe_decoding import probe_decoding
    from eyechart.app.probe_determinism import probe_determinism
    from eyechart.app.probe_prompt import probe_prompt
    from eyechart.app.rank import rank
    from eyechart.app.reproduce import reproduce
    from eyechart.app.reread import reread
    from eyechart.app.study import Study, load, loads
    from eyechart.app.tables import Table, table
    from eyechart.app.verify import verify
    from eyechart.core.errors import EyechartError, InputError
    from eyechart.core.spec import Spec


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: `import eyechart` stays light."""
    if name not in _NAMES:
        raise AttributeError(f"module 'eyechart' has no attribute {name!r}")
    return getattr(import_module(_NAMES[name]), name)


def __dir__() -> list[str]:
    return __all__
