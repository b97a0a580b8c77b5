"""What a backend is asked to show beside its answer, and the word of those that cannot. Imports nothing heavy."""

from __future__ import annotations

from eyechart.core.records import Capabilities, Failure, Request

MOST = 50
"""Candidates a step, at most."""


def candidates_of(request: Request) -> int:
    """How many candidates a step are asked for; 0 for none."""
    return int(request.param("candidates", 0) or 0)


def refused(request: Request, able: Capabilities) -> Failure | None:
    """The failure of what a backend cannot show, or of what cannot be asked; None where all is well.

    >>> refused(Request(elicit="attention", prompt="Hi"), Capabilities()).reason
    'not measurable here: this backend shows no attention'
    >>> refused(Request(elicit="generate", prompt="Hi", params=(("candidates", 99),)), Capabilities()).kind
    'bad_request'
    """
    asked = request.param("candidates", 1)
    if type(asked) is not int or not 1 <= asked <= MOST:
        return Failure(kind="bad_request", reason=f"candidates is a whole number from 1 to {MOST}, not {asked}")
    reason = able.lacks(request)
    return None if reason is None else Failure(kind="not_measurable", reason=reason)
