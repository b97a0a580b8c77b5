"""What answered an imported log: it can be looked at, and not be asked."""

from __future__ import annotations

from eyechart.core.errors import InputError
from eyechart.core.plugins import Backend
from eyechart.core.spec import Model


def open_backend(model: Model) -> Backend:
    """Raises InputError, always."""
    raise InputError(
        "this needs calls, and this is an imported log: nothing can be asked of it; to ask the model, write "
        "another backend",
        field="model.backend",
    )
