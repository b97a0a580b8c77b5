"""What of this machine and its software can move the last bit, and which setting helps, by backend and version.

`state` is what can be seen from here; nobody can look into a server.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from eyechart.app.runtime import PACKAGES, observe
from eyechart.core.records import Engine
from eyechart.core.spec import Model
from eyechart.probes.determinism import Determinism

State = Literal["set", "not set", "unknown"]
VARIABLES = (
    "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "MKL_CBWR", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "CUBLAS_WORKSPACE_CONFIG", "NVIDIA_TF32_OVERRIDE", "PYTHONHASHSEED", "VLLM_BATCH_INVARIANT",
    "VLLM_ENABLE_V1_MULTIPROCESSING",
)  # fmt: skip
DRIVER = Path("/proc/driver/nvidia/version")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is so."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One setting. What it helps against, for which versions it holds and what it costs stands in the catalogue of
    reports under its name (`determinism.helps.NAME`, ...)."""

    name: str
    setting: str
    """To be written or given, letter by letter."""
    state: State
    paces: tuple[tuple[str, str, float], ...] = ()
    """What this probe measured of its cost: condition, setting, calls a second over those of the pass as stated."""


def facts(engine: Engine) -> tuple[Fact, ...]:
    """Of this machine, of the packages that compute, and of the engine."""
    return tuple(Fact(name=name, value=value) for name, value in _facts(engine))


def _facts(engine: Engine) -> Iterator[tuple[str, str]]:
    seen = observe(Path())
    yield "processor", str(seen.get("processor") or "unknown")
    yield "cores", str(seen.get("cores") or "unknown")
    yield "platform", str(seen["platform"])
    packages: Mapping[str, str] = seen["packages"]
    for name in PACKAGES:
        if name in packages and name not in ("eyechart", "scipy", "pydantic", "aiohttp"):
            yield name, packages[name]
    for name, value in engine.facts:
        if name != "version" and not name.startswith("sha"):
            yield f"engine: {name}", str(value)
    for name in VARIABLES:
        if (value := os.environ.get(name)) is not None:
            yield name, value
    with suppress(OSError, IndexError):
        yield "NVIDIA driver", DRIVER.read_text(encoding="utf-8").splitlines()[0]
    yield from _torch()


def _torch() -> Iterator[tuple[str, str]]:
    """Flags of a torch that is loaded already; it is never loaded for this."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return
    yield "torch.are_deterministic_algorithms_enabled()", str(torch.are_deterministic_algorithms_enabled())
    yield "torch.get_float32_matmul_precision()", str(torch.get_float32_matmul_precision())
    yield "torch.get_num_threads()", str(torch.get_num_threads())
    yield "torch.backends.cudnn.benchmark", str(torch.backends.cudnn.benchmark)
    if torch.cuda.is_available():
        yield "CUDA device", str(torch.cuda.get_device_name(0))


def remedies(model: Model, engine: Engine, known: tuple[Fact, ...], found: Determinism) -> tuple[Remedy, ...]:
    """Those for this backend, the ones that are not set yet first."""
    dialect = str((model.options or {}).get("dialect", "openai"))
    kind = dialect if engine.backend == "openai" else engine.backend
    made = [
        *_OF.get(kind, _others)(model, engine, {fact.name: fact.value for fact in known}, found),
        Remedy(name="average", setting="repeats: {greedy: 3}", state="unknown"),
    ]
    return tuple(sorted(made, key=lambda one: ("not set", "unknown", "set").index(one.state)))


Made = Iterator[Remedy]


def _embedded(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    dtype = dict(engine.facts).get("dtype")
    yield Remedy(name="openvino_precision", setting="model.dtype: f32", state=_state(dtype == "f32"))
    yield Remedy(name="threads", setting="model.threads: 2", state="set")


def _llamacpp(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    own = engine.backend == "llamacpp"
    cached = dict(engine.facts).get("prefix_cache") if own else _extra(model).get("cache_prompt")
    setting = "model.options.prefix_cache: false" if own else "model.options.extra_body: {cache_prompt: false}"
    yield Remedy(name="llamacpp_cache", setting=setting, state=_state(cached is False), paces=_paces(found, "cache"))
    yield Remedy(
        name="llamacpp_alone",
        setting="model.options.concurrency: 1",
        state=_state(own or _options(model).get("concurrency") == 1),
        paces=_paces(found, "concurrency"),
    )
    if own:
        yield Remedy(name="threads", setting="model.threads: 2", state="set")
    else:
        yield Remedy(name="server_threads", setting="--threads 2", state="unknown")


def _vllm(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    yield Remedy(name="vllm_invariant", setting="VLLM_BATCH_INVARIANT=1", state="unknown")
    yield Remedy(name="sglang", setting="--enable-deterministic-inference", state="unknown")
    yield Remedy(name="vllm_scheduling", setting="VLLM_ENABLE_V1_MULTIPROCESSING=0", state="unknown")
    yield Remedy(name="vllm_cache", setting="--no-enable-prefix-caching", state="unknown", paces=_paces(found, "cache"))
    yield _alone(model, found)


def _ollama(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    yield Remedy(name="ollama_options", setting="options: {seed: 1, temperature: 0}", state="unknown")
    yield Remedy(
        name="ollama_parallel", setting="OLLAMA_NUM_PARALLEL=1", state="unknown", paces=_paces(found, "concurrency")
    )
    yield _alone(model, found)


def _transformers(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    flag = known.get("torch.are_deterministic_algorithms_enabled()")
    yield Remedy(
        name="torch_flag",
        setting="torch.use_deterministic_algorithms(True)",
        state="unknown" if flag is None else _state(flag == "True"),
    )
    if str(_options(model).get("device", "cpu")).startswith("cuda"):
        yield Remedy(
            name="cublas",
            setting="CUBLAS_WORKSPACE_CONFIG=:4096:8",
            state=_state("CUBLAS_WORKSPACE_CONFIG" in os.environ),
        )
        full = model.dtype in (None, "float32", "fp32", "f32")
        yield Remedy(name="torch_precision", setting="model.dtype: float32", state=_state(full))
    yield Remedy(name="threads", setting="model.threads: 2", state=_state(model.threads is not None))


def _openai(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    yield _alone(model, found)
    yield Remedy(name="hosted_seed", setting="decoding.seed: 1", state="unknown")


def _alone(model: Model, found: Determinism) -> Remedy:
    return Remedy(
        name="alone",
        setting="model.options.concurrency: 1",
        state=_state(_options(model).get("concurrency") == 1),
        paces=_paces(found, "concurrency"),
    )


def _others(model: Model, engine: Engine, known: Mapping[str, str], found: Determinism) -> Made:
    yield from ()


def _options(model: Model) -> Mapping[str, Any]:
    return model.options or {}


def _extra(model: Model) -> Mapping[str, Any]:
    found = _options(model).get("extra_body")
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _state(there: bool) -> State:
    return "set" if there else "not set"


def _paces(found: Determinism, condition: str) -> tuple[tuple[str, str, float], ...]:
    """What this very probe measured, as ratios within one run: the machine may be busy, but then it was for all."""
    return tuple(
        (condition, one.setting, one.pace) for one in found.measured if one.condition == condition and one.pace
    )


_OF = {
    "embedded": _embedded, "llamacpp": _llamacpp, "vllm": _vllm, "ollama": _ollama, "transformers": _transformers,
    "openai": _openai,
}  # fmt: skip
