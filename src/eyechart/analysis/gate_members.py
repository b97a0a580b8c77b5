"""Which function gives the numbers of which estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from eyechart.analysis.gate import Member
from eyechart.analysis.gate_baseline import against_baseline
from eyechart.analysis.gate_estimates import (
    Given,
    counted,
    means,
    slope,
    subject_spread,
    volatility,
    widths,
)
from eyechart.analysis.gate_runs import labelled, reader_spread, run_noise
from eyechart.analysis.gate_text import Limit
from eyechart.analysis.gate_values import COUNTS


def members(given: Given, limit: Limit) -> tuple[Member, ...]:
    """The numbers that `limit` looks at; one at least. Raises InputError for names that the run does not have."""
    return tuple(_ESTIMATES[limit.estimate](given, limit))


_ESTIMATES: dict[str, Callable[[Given, Limit], Iterator[Member]]] = {
    **dict.fromkeys(("score", "unparsed", "refused", "truncated", "flips", "pass_all"), means),
    **dict.fromkeys(COUNTS, counted),
    "volatility": volatility,
    "subject_spread": subject_spread,
    "slope": slope,
    "range": widths,
    "run_noise": run_noise,
    "extractor_spread": reader_spread,
    "spot_check": labelled,
    "people": labelled,
    **dict.fromkeys(("drop", "moved", "change"), against_baseline),
}
