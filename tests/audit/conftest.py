"""Makes `planted` here, and the small logs of `made_logs`, importable; clean folders are made once."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "logs"))

from audited import clean_logs, clean_runs


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two harnesses, and runs of the synthetic model, in which nothing is wrong."""
    root = tmp_path_factory.mktemp("clean")
    here = Path.cwd()
    os.chdir(root)
    try:
        clean_logs(root / "logs")
        clean_runs(root / "runs")
    finally:
        os.chdir(here)
    return root


@pytest.fixture
def copied(clean: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a part of them, to plant a fault in."""

    def copy(part: str) -> Path:
        if part:
            shutil.copytree(clean / part, tmp_path / part)
        return tmp_path

    return copy
