"""Harnesses that run whole evaluations by themselves: they can be started, and not be asked single questions."""

from __future__ import annotations

from eyechart.core.errors import InputError
from eyechart.core.plugins import Backend
from eyechart.core.spec import Model


def open_backend(model: Model) -> Backend:
    """Raises InputError, always: `eyechart plan` and `eyechart run` know such studies without it."""
    raise InputError(
        f"{model.backend} runs whole evaluations, and cannot be asked single questions: `eyechart plan` and `eyechart "
        "run` start it; for this, write a backend that asks the model itself",
        field="model.backend",
    )
