"""Reference data shared with the other workers; tests that need it are skipped, aloud, where it is absent."""

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def _open_or_skip(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    return path


@pytest.fixture(scope="session")
def repeated_rows() -> list[dict[str, str]]:
    """125 questions in 25 unequal clusters, models A and B, five runs, scores 0 or 1."""
    with _open_or_skip("repeated_runs.csv").open(newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: (row["question_id"], int(row["sample"])))


@pytest.fixture(scope="session")
def repeated_runs(repeated_rows: list[dict[str, str]]) -> dict[str, NDArray[np.float64]]:
    """Scores [125 questions, 5 runs] by model."""
    return {
        model: np.array([float(row["score"]) for row in repeated_rows if row["model"] == model]).reshape(-1, 5)
        for model in "AB"
    }


@pytest.fixture(scope="session")
def passages(repeated_rows: list[dict[str, str]]) -> list[str]:
    """Cluster of each of the 125 questions."""
    return [row["cluster_id"] for row in repeated_rows if (row["model"], row["sample"]) == ("A", "0")]


@pytest.fixture(scope="session")
def template_rows() -> list[dict[str, str]]:
    with gzip.open(_open_or_skip("mmlu_template_matrix_qwen25.csv.gz"), "rt", newline="") as file:
        return list(csv.DictReader(file))


# Imported before the tests run: Hypothesis makes an import inside an example several times slower.


def _oracle(name: str) -> Any:
    return pytest.importorskip(name)


@pytest.fixture(scope="session")
def scipy_stats() -> Any:
    return _oracle("scipy.stats")


@pytest.fixture(scope="session")
def pandas() -> Any:
    return _oracle("pandas")


@pytest.fixture(scope="session")
def statsmodels() -> Callable[[str], Any]:
    """A module of statsmodels by its name, or a skip."""
    _oracle("statsmodels.stats.api")
    return lambda name: _oracle(f"statsmodels.{name}")
