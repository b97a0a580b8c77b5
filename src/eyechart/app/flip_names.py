"""The ledger of two evaluations by name. Apart from `flip_ledger`, which a Run gives: names are read by what gives Runs."""

from __future__ import annotations

from eyechart.app.evaluated import Evaluated, evaluated
from eyechart.app.finished import Finished
from eyechart.app.flip_ledger import FlipLedger, with_pictures
from eyechart.app.flips import ledger
from eyechart.core.errors import InputError


def ledger_of(a: str, b: str) -> FlipLedger:
    """The ledger of two evaluations that were run: a run folder (its baseline set-up) or RUN#cell each.

    Raises InputError for what is not there or was not run.
    """
    first, second = (_run_of(evaluated(text)) for text in (a, b))
    return with_pictures(ledger(*first, *second, names=(a, b)))


def _run_of(found: Evaluated) -> tuple[Finished, str]:
    if found.run is None or found.cell is None:
        raise InputError(f"{found.name} has no answers yet; run it (eyechart run {found.name}) and name the run folder")
    return found.run, str(found.run.facts["cells"][found.cell]["id"])
