"""What is observed, not chosen: recorded beside a run, never hashed."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("eyechart", "numpy", "scipy", "pydantic", "aiohttp", "openvino", "openvino-genai", "openvino-tokenizers",
            "xllamacpp", "torch", "transformers")  # fmt: skip


def observe(folder: Path) -> dict[str, Any]:
    """Machine, versions, command line and the git state of `folder`. Unknown parts are left out."""
    versions: dict[str, str] = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    out: dict[str, Any] = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": versions,
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]) if sys.argv else None,
        "git": _git(folder),
    }
    return {k: v for k, v in out.items() if v is not None}


def _processor() -> str | None:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or None


def _git(folder: Path) -> dict[str, Any] | None:
    def ask(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), *words], capture_output=True, text=True, timeout=5, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = ask("rev-parse", "HEAD")
    if not commit:
        return None
    return {"commit": commit, "dirty": bool(ask("status", "--porcelain"))}
