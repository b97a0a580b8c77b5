from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast

import click

from eyechart.cli.output import Answer, answers
from eyechart.core.effective import DEFAULTS
from eyechart.core.factors import field_names
from eyechart.core.methods import METHODS
from eyechart.core.plugins import BACKENDS, DESIGNS, EDITS, POSTPROCESSES, READERS, SCORERS
from eyechart.core.registry import Registry

KINDS: dict[str, tuple[Registry[Any], str]] = {
    "edits": (EDITS, "prompt.edits+"),
    "readers": (READERS, "evaluation.extraction"),
    "postprocesses": (POSTPROCESSES, "evaluation.postprocess"),
    "scorers": (SCORERS, "evaluation.score"),
    "designs": (DESIGNS, "design.kind"),
    "backends": (BACKENDS, "model.backend"),
}


@click.command("factors")
@answers("factors")
def command() -> Answer:
    """List what can be moved: every field of a fingerprint, and every text edit, reader and scorer by name."""
    kinds = {
        kind: {"path": path, "names": {name: _summary(registry, name) for name in registry.names()}}
        for kind, (registry, path) in KINDS.items()
        if kind != "backends"
    }
    paths = [p for p in field_names() if not any(other.startswith(f"{p}.") for other in field_names())]
    data = {"paths": {p: DEFAULTS.get(p) for p in paths}, "methods": sorted(METHODS), **kinds}
    return Answer(
        code="listed",
        text="A factor is a path and its levels, e.g. `- {decoding.temperature: [0, 0.7]}`.",
        data=data,
        lines=_lines(paths, kinds),
    )


def _lines(paths: list[str], kinds: dict[str, Any]) -> Iterator[str]:
    yield "\nPaths (default in brackets):"
    for path in paths:
        default = DEFAULTS.get(path)
        yield f"  {path}" + (
            "" if default is None else f"  [{str(default)[:40]!r}]" if isinstance(default, str) else f"  [{default}]"
        )
    for kind, part in kinds.items():
        yield f"\n{kind.capitalize()}, for {part['path']}:"
        for name, summary in part["names"].items():
            yield f"  {name:<32} {summary}"


def _summary(registry: Registry[Callable[..., Any]], name: str) -> str:
    plugin = registry.get(name)
    text = (plugin.__doc__ or "").strip().split("\n")[0]
    given = fields(cast("Any", plugin)) if is_dataclass(plugin) else ()
    shown = ", ".join(f.name if f.default is MISSING else f"{f.name}: {f.default!r}" for f in given)
    return f"{text} {{{shown}}}" if shown else text
