"""Runs of the planted faults need no report, and one clean run serves them all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import eyechart.app.study

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def unreported(monkeypatch: pytest.MonkeyPatch) -> None:
    """No report is written behind a run: nobody looks at it here."""
    monkeypatch.setattr(eyechart.app.study, "_conclude", lambda folder: None)
