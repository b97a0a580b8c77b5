"""The rule by which another harness read an answer, where only its name is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def recorded_rule(extraction: object) -> str | None:
    """Name of the rule of a foreign log, "" where it gives none; None for an extraction of this house.

    >>> recorded_rule({"recorded": {"rule": "strict-match"}}), recorded_rule({"recorded": {}}), recorded_rule("careful")
    ('strict-match', '', None)
    """
    inner: Any = cast("Mapping[str, Any]", extraction).get("recorded") if isinstance(extraction, Mapping) else None
    if extraction == "recorded":
        return ""
    return str(inner.get("rule") or "") if isinstance(inner, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
