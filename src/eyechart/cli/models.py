from __future__ import annotations

from collections.abc import Iterator

import click

from eyechart.app import models
from eyechart.cli.output import Answer, answers


@click.command("models")
@click.argument("action", type=click.Choice(["list", "fetch"]), default="list")
@click.argument("name", required=False)
@answers("models")
def command(action: str, name: str | None) -> Answer:
    """List backends and models; `models fetch [NAME]` brings the embedded model here, once."""
    if action == "fetch":
        path = models.fetch(name)
        return Answer(code="fetched", text=f"The embedded model is here: {path}", data={"path": str(path)})
    backends, listed = models.backends(), models.listed()
    data = {
        "backends": [{"name": b.backend, "installed": b.installed, "extra": b.extra} for b in backends],
        "models": [
            {"name": one.name, "licence": one.licence, "sha256": one.sha256, "path": str(path) if path else None}
            for one, path in listed
        ],
    }
    ready = sum(b.installed for b in backends)
    return Answer(
        code="listed", text=f"{ready} of {len(backends)} backends can be used here.", data=data, lines=_lines(backends)
    )


def _lines(backends: list[models.Available]) -> Iterator[str]:
    for one in backends:
        yield f"  {one.backend:<14}" + ("ready" if one.installed else f"pip install 'eyechart[{one.extra}]'")
    yield "\nEmbedded models (model.name; any GGUF file by model.path):"
    for model, path in models.listed():
        yield f"  {model.name:<24} {model.about}"
        yield f"  {'':<24} {path or 'not fetched yet: eyechart models fetch'}"
