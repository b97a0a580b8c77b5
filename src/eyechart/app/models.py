"""models: what can answer here, and the embedded model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from eyechart.backends import gguf
from eyechart.core.plugins import BACKENDS

NEEDS = {
    "embedded": ("openvino_genai", "local"),
    "llamacpp": ("xllamacpp", "llamacpp"),
    "transformers": ("transformers", "transformers"),
    "lm_eval": ("lm_eval", "lm-eval"),
    "inspect": ("inspect_ai", "inspect"),
}
"""Package that a backend needs beyond the core, and the extra that installs it."""


@dataclass(frozen=True, kw_only=True)
class Available:
    backend: str
    installed: bool
    extra: str | None


def backends() -> list[Available]:
    out: list[Available] = []
    for name in BACKENDS.names():
        package, extra = NEEDS.get(name, (None, None))
        out.append(Available(backend=name, installed=package is None or find_spec(package) is not None, extra=extra))
    return out


def listed() -> list[tuple[gguf.Listed, Path | None]]:
    """Embedded models, each with its file where it was fetched."""
    return [(one, path if (path := gguf.target(one)).exists() else None) for one in gguf.CATALOGUE]


def fetch(name: str | None = None, say: Callable[[str], None] | None = None) -> Path:
    """Fetch an embedded model, by default the first. Raises InputError for a name that is not there."""
    from eyechart.core.spec import Model

    return gguf.locate(Model(name=name)).ready(say)
