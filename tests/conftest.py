"""What several test modules share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # faults.py, the server that fails on purpose

from faults import fault_server

__all__ = ["fault_server"]

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference material beside the project: real benchmark items and published numbers."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside the project: no reference data to compare with")
    return SHARED


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in a folder of its own: nothing is written into the project."""
    monkeypatch.chdir(tmp_path)
