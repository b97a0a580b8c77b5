"""What a log of aggregates alone says: there are no answers, and no run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eyechart.app.imported_facts import spec_of
from eyechart.app.known import known_of_words
from eyechart.app.known_facts import limited
from eyechart.app.pointed import existing
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.registry import hint
from eyechart.logs.find import search
from eyechart.logs.values import Foreign, Notes, Unreadable
from eyechart.rules.values import Known


def aggregates(given: Path | str) -> Foreign | None:
    """The evaluation of a log that holds no answers, `LOG#task` where it has several; None where it is something else.

    Raises InputError where it has several and none, or another one, is named.
    """
    text, wanted = str(given), None
    if text != "-" and existing(text) is None:
        text, _, wanted = text.rpartition("#")
    path = Path(text)
    if not text or not path.exists() or path.suffix in (".yaml", ".yml") or (path / "run.json").exists():
        return None
    try:
        inside = [foreign for one in search([path]).found for foreign in one.read()]
    except (Unreadable, MissingExtra, ValueError, TypeError, KeyError, OSError):
        return None  # whoever imports it says what is wrong
    if not inside or any(foreign.rows is not None for foreign in inside):
        return None
    names = [foreign.task for foreign in inside]
    if wanted is None and len(inside) == 1:
        return inside[0]
    if wanted is None or wanted not in names:
        asked = (
            f"there is no evaluation {wanted} in it; {hint(wanted, names)}"
            if wanted
            else f"name one, e.g. {path}#{names[0]}"
        )
        raise InputError(f"holds {len(names)} evaluations without answers: {asked}", file=str(path))
    return inside[names.index(wanted)]


def known_of_foreign(foreign: Foreign) -> Known:
    facts = dict(_facts(foreign))
    spec = spec_of(foreign, foreign.claims[0].reading if foreign.claims else "", Notes())
    return known_of_words(spec, f"{foreign.task}, {foreign.model or 'unknown model'}", facts, options=_options(foreign))


def _options(foreign: Foreign) -> bool | None:
    return True if foreign.elicit == "options" else None


def _facts(foreign: Foreign) -> Iterator[tuple[str, Any]]:
    yield "harness.name", foreign.harness
    if foreign.version is not None:
        yield "harness.version", foreign.version
    if foreign.platform is not None:
        yield "runtime.platform", foreign.platform
    if foreign.total is not None:
        yield "data.count", foreign.total
    if foreign.of is not None:
        yield "data.of", foreign.of
    yield from limited(foreign.limit, foreign.total, foreign.of)
    for claim in foreign.claims:
        if claim.value is not None:
            yield f"score.{claim.key.replace('.', '_')}", claim.value
        if claim.se is not None:
            yield "score.stderr", claim.se
