"""The room itself: light imports, no NaN let in, nothing but arrays and results."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from eyechart.stats import laws
from eyechart.stats.inputs import cluster_codes, matrix, vector

ROOM = Path(laws.__file__).parent


def test_scipy_is_not_imported_until_needed() -> None:
    names = ",".join(f"eyechart.stats.{p.stem}" for p in sorted(ROOM.glob("*.py")) if p.stem != "__init__")
    code = f"import sys, {names}; print('scipy' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_files_stay_short() -> None:
    assert all(len(p.read_text().splitlines()) < 400 for p in ROOM.glob("*.py"))


def test_inputs_are_not_written_to() -> None:
    original = np.array([0.0, 1.0, 0.5])
    vector(original, "v", (0, 1))
    assert original.tolist() == [0.0, 1.0, 0.5]
    assert vector([], "v", (0, 1)).size == 0
    with pytest.raises(ValueError, match="2 dimension"):
        matrix([1.0], "m")


def test_cluster_codes() -> None:
    assert cluster_codes(None, 3) is None
    assert cluster_codes([], 0) is None
    codes = cluster_codes([7, 7, 3], 3)
    assert codes is not None
    assert codes.tolist() == [1, 1, 0]


def test_laws_against_tables() -> None:
    assert laws.t_quantile(0.975, 24) == pytest.approx(2.0639, abs=5e-5)
    assert laws.t_quantile(0.975, 1e9) == pytest.approx(1.95996, abs=5e-5)
    assert laws.t_two_sided(0.0, 5) == 1.0
    assert laws.chi2_upper(3.8415, 1) == pytest.approx(0.05, abs=1e-5)
    assert laws.f_upper(4.2597, 1, 24) == pytest.approx(0.05, abs=1e-5)
    assert laws.binomial_cdf(3, 10, 0.5) == pytest.approx(0.171875)
    assert laws.beta_quantile(0.025, 1, 10) == pytest.approx(1 - 0.975**0.1)
    assert laws.normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
