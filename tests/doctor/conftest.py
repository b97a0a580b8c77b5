"""Runs of the planted faults need no report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import eyechart.app.run
import eyechart.app.study
from eyechart.app.runtime import observe

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def observed() -> dict[str, Any]:
    """The machine, looked at once for all runs."""
    return observe(Path())


@pytest.fixture
def unreported(monkeypatch: pytest.MonkeyPatch, observed: dict[str, Any]) -> None:
    """No report is written behind a run: nobody looks at it here."""
    monkeypatch.setattr(eyechart.app.run, "observe", lambda folder: observed)
    monkeypatch.setattr(eyechart.app.study, "_conclude", lambda folder: None)
