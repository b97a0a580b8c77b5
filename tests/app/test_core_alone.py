"""The core without any extra: the line from a fingerprint to a report, and one clear line for what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKED = ("openvino", "openvino_genai", "openvino_tokenizers", "gguf", "xllamacpp", "torch", "transformers", "datasets",
           "pyarrow", "pandas")  # fmt: skip

RUNNER = f"""
import importlib.abc, importlib.metadata, importlib.util, sys
blocked = {BLOCKED!r}
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
find, version = importlib.util.find_spec, importlib.metadata.version
importlib.util.find_spec = lambda n, *a: None if n in blocked else find(n, *a)
def absent(n):
    if n.replace("-", "_") in blocked:
        raise importlib.metadata.PackageNotFoundError(n)
    return version(n)
importlib.metadata.version = absent
from eyechart.cli import main
main(sys.argv[1:])
"""

STUDY = "dataset: {{name: chart, subset: sentiment, limit: 12}}\nmodel: {{backend: {backend}}}\nfactors: [{{decoding.temperature: [0, 1]}}]\n"


def alone(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", RUNNER, *words], capture_output=True, text=True, check=False)


def test_the_core_runs_alone():
    Path("study.yaml").write_text(STUDY.format(backend="synthetic"))
    done = alone("run", "study.yaml", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert Path("run/report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("backend", "name", "extra"),
    [("embedded", "", "local"), ("llamacpp", "", "llamacpp"), ("transformers", "some/model", "transformers")],
)
def test_a_missing_extra_is_named(backend, name, extra):
    Path("study.yaml").write_text(STUDY.format(backend=f"{backend}, name: {name}" if name else backend))
    done = alone("plan", "study.yaml")
    assert done.returncode == 2
    assert f"pip install 'eyechart[{extra}]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_it_installs_and_runs_alone_in_a_fresh_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "fresh"], check=True)
    subprocess.run(["fresh/bin/pip", "install", "-q", str(ROOT)], check=True)
    Path("study.yaml").write_text(STUDY.format(backend="synthetic"))
    done = subprocess.run(["fresh/bin/eyechart", "run", "study.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
