"""demo: a study in which only the evaluation moves, on the embedded model and the built-in chart."""

from __future__ import annotations

from importlib.resources import files

from eyechart.app.study import Study, loads


def demo_study(backend: str | None = None) -> Study:
    """The study of `eyechart demo`; `backend` other than the embedded model for trying it out."""
    study = loads(files("eyechart.app").joinpath("demo.yaml").read_text(encoding="utf-8"))
    if backend is None:
        return study
    return loads(study.text.replace("backend: embedded", f"backend: {backend}"))
