"""Of which kind a difference is: the tables and rules of `differing_fields`.

Every rule errs towards *may differ*: that nothing can move a score is said only where it follows from what is stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from eyechart.analysis.differing import LAYERS, Difference, Kind, Layer, Told, missing, same
from eyechart.core.words import Text, message

Judged = tuple[Kind, Text]

ENGINE = ("model.batch_size", "model.threads", "model.parallel", "model.options")
"""Fields of a model that say how it is run, and not which it is."""
NAMES = ("model.name", "model.path", "model.revision", "model.url")
"""What a model is called, and where it lies: nothing, where a hash says what it is."""
PRECISION = ("dtype", "precision", "quantization", "bits", "adapters")
PROVENANCE = ("model.api_key_env", "dataset.count", "dataset.sha256", "evaluation.reference_sha256")
"""Stated fields that check or name something, and change nothing."""
DECODED = tuple(f"decoding.{name}" for name in ("temperature", "top_k", "top_p", "min_p", "seed", "seed_scope"))
OFF = ("top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty", "stop")
"""Decoding that is off unless it is stated."""
SENT: Mapping[str, tuple[str, ...]] = {
    "vllm": ("top_p", "top_k", "min_p", "repetition_penalty", "stop"),
    "llamacpp": ("top_p", "top_k", "min_p", "repetition_penalty", "stop"),
    "ollama": ("top_p", "stop"),
    "openai": ("stop",),
}
"""Of a server, by dialect: what is sent as off. The rest is left to the server."""
LIBRARIES = ("openvino", "torch", "transformers", "xllamacpp", "vllm", "llama", "sglang", "onnx", "tokenizers", "cuda")
"""Packages that compute answers; a part of the name is enough."""
MACHINE = ("platform", "machine", "processor", "cores")
UNPINNED = ("openai", "transformers", "imported")
"""Backends that may know their model by name alone."""
MIRRORED = (
    "task_config.doc_to_text", "task_config.generation_kwargs", "task_config.num_fewshot", "task_config.repeats",
    "task_config.dataset_path", "task_config.dataset_name", "task_config.test_split", "task_config.fewshot_split",
    "task_config.fewshot_delimiter", "config.model_args", "config.model_sha", "config.model_dtype",
    "config.batch_size", "config.model_revision", "eval.model", "eval.dataset", "eval.packages", "eval.revision",
    "plan", "generation_config", "model", "model_id", "api_url", "repeats", "evalscope_version", "dataset_args",
    "config_general.model_config", "config_general.model_name", "adapter_spec", "provider_config",
)  # fmt: skip
"""Settings of logs that are fields of a fingerprint already."""
ORIGIN = ("date", "created", "run_id", "task_id", "eval_id", "git", "commit", "work_dir", "cache", "dir", "location",
          "task_file", "time", "job_id", "start", "end", "output", "command", "log_version", "debug")  # fmt: skip
"""Words in names of settings that say where and when, not how."""


def layer_of(path: str) -> Layer:
    """
    >>> [layer_of(p) for p in ("prompt.cue", "model.threads", "evaluation.judge.rubric", "packages.torch", "git.commit")]
    ['prompt', 'engine', 'judge', 'runtime', 'runtime']
    """
    section = path.split(".")[0]
    if path.startswith("evaluation.judge"):
        return "judge"
    if section == "engine" or any(path == name or path.startswith(f"{name}.") for name in ENGINE):
        return "engine"
    return section if section in LAYERS else "runtime"


def stands_for(path: str) -> tuple[str, ...]:
    """The fields through which a stated one takes effect, where it is none of them itself.

    >>> stands_for("decoding.do_sample")[0], stands_for("prompt.cue")
    ('decoding.temperature', ())
    """
    if path == "evaluation.method":
        return tuple(f"evaluation.{name}" for name in ("elicit", "options", "extraction", "score", "normalize"))
    if path == "judge" or path.startswith("judge."):
        return ("prompt.template", "prompt.edits", "prompt.answer", "evaluation.extraction", "evaluation.score")
    if path.startswith("evaluation.judge."):
        short = ("prompt.template", "prompt.edits", "prompt.answer", "evaluation.extraction", "evaluation.score",
                 "repeats.count", "decoding.temperature")  # fmt: skip
        return tuple(f"evaluation.judge.{name}" for name in short)
    return {
        "decoding.do_sample": DECODED,
        "evaluation.pattern": ("evaluation.extraction",),
        "evaluation.function": ("evaluation.score",),
        "repeats.seed": ("decoding.seed",),
        "repeats.greedy": ("repeats.count",),
        "model.api": ("prompt.chat_template",),
        "prompt.few_shot.ids": ("prompt.few_shot.count", "dataset.shots"),
        "prompt.few_shot.reference": ("dataset.shots", "dataset.difficulty"),
    }.get(path, ())


def judged(path: str, x: Any, y: Any, a: Told, b: Told) -> Judged | None:
    """Of which kind a difference in what takes effect is, and why; None where it is no difference that is known."""
    if (unsaid := _unsaid(path, x, y, a, b)) is not None:
        return unsaid[0]
    section = path.split(".")[0]
    if path.startswith("evaluation.judge.model.") or section == "model":
        return _model(path, x, y, a, b)
    if path == "repeats.count":
        return "may", message("diff.why.repeats")
    if path in ("evaluation.framework", "evaluation.framework_version"):
        return "may", message("diff.why.harness")
    if path.startswith("evaluation.judge"):
        return "scores", message("diff.why.judge")
    if path == "decoding.do_sample":  # of a log that says no temperature: the temperature tells what differs
        return None
    if section == "decoding":
        return _decoding(path, x, y, a, b)
    if path == "evaluation.transform":
        return "scores", message("diff.why.transform")
    known = {"prompt": "diff.why.asked", "evaluation": "diff.why.read", "dataset": "diff.why.items"}
    return "scores", message(known.get(section, "diff.why.effective"))


def _unsaid(path: str, x: Any, y: Any, a: Told, b: Told) -> tuple[Judged | None] | None:
    """Where a log, or a description, says nothing of a field that the other side has: it may be the same."""
    for value, other, mine, theirs in ((x, y, a, b), (y, x, b, a)):
        if mine.described and missing(value) and not missing(other) and not path.startswith("dataset."):
            return None if path in mine.inert else (("may", message("diff.why.unstated", name=mine.name)),)
        if mine.form == "log" and missing(value) and not missing(other):
            if path == "decoding.temperature" and same(other, 0) and mine.effective.get("decoding.do_sample") is True:
                return None  # drawn, at whatever temperature: that is not greedy
            asked = path in mine.unknown or (path in theirs.stated and path not in mine.inert)
            return (("may", message("diff.why.unsaid", name=mine.name)) if asked else None,)
    return None


def assumed(path: str, told: Told) -> bool:
    """Whether what takes effect at `path` is a default of eyechart that nobody stated, by its own name or a short one.

    >>> brief = Told(name="a", stated={"evaluation.method": "letter"}, effective={"evaluation.elicit": "generate",
    ...              "prompt.cue": "", "prompt.options.order": "given"})
    >>> [assumed(path, brief) for path in ("evaluation.elicit", "prompt.cue", "prompt.options.order")]
    [False, True, True]
    """
    if told.form != "fingerprint" or path.startswith("dataset.") or path.endswith("model.sha256"):
        return False  # which data and which file: settled by looking, not by a default
    stated = [name for name, value in told.stated.items() if not missing(value)]
    ways = (name == path or path.startswith(f"{name}.") or name.startswith(f"{path}.") for name in stated)
    return not any(ways) and not any(path in stands_for(name) for name in stated)


def likeliest(told: Told) -> bool:
    """Whether it takes the likeliest token at every step, by one name or another."""
    at = told.effective
    return told.sampled is False or same(at.get("decoding.temperature"), 0) or same(at.get("decoding.top_k"), 1)


def dialect_of(told: Told) -> str:
    """How a server is spoken to."""
    return str(told.effective.get("model.options.dialect") or told.engine.get("engine.dialect") or "openai")


def left_to_server(path: str, told: Told) -> bool:
    """Whether nothing is sent for a decoding parameter, so that the server (or the model's own generation settings, which
    servers read) fills it in.

    >>> remote = Told(name="a", effective={"model.backend": "openai"}, sampled=True)
    >>> left_to_server("decoding.top_p", remote), left_to_server("decoding.stop", remote)
    (True, False)
    """
    name = path.removeprefix("decoding.")
    if told.form == "log" or told.backend != "openai" or name not in OFF or not missing(told.effective.get(path)):
        return False
    if told.effective.get("evaluation.elicit") == "options" or (told.sampled is False and path in DECODED):
        return False
    return name not in SENT.get(dialect_of(told), ())


def _decoding(path: str, x: Any, y: Any, a: Told, b: Told) -> Judged:
    if (missing(x) and left_to_server(path, a)) or (missing(y) and left_to_server(path, b)):
        return "may", message("diff.why.server_default")
    if path in DECODED and likeliest(a) and likeliest(b):
        return "may", message("diff.why.likeliest")
    if path in ("decoding.seed", "decoding.seed_scope"):
        one_draws = a.sampled != b.sampled and None not in (a.sampled, b.sampled)
        return "may", message("diff.why.sampling" if one_draws else "diff.why.draws")
    return "scores", message("diff.why.decoded")


def _model(path: str, x: Any, y: Any, a: Told, b: Told) -> Judged | None:
    if path == "model.sha256":
        if missing(x) or missing(y):
            return "may", message("diff.why.one_hash")
        return "scores", message("diff.why.hash")
    if path in NAMES:
        if hashed(a, b):
            return "provenance", message("diff.why.same_file")
        if path == "model.url" and same(a.effective.get("model.name"), b.effective.get("model.name")):
            return "may", message("diff.why.server")
        if missing(x) or missing(y):
            return "may", message("diff.why.one_name")
        return "scores", message("diff.why.model")
    if path == "model.backend":
        return "may", message("diff.why.backend")
    if path.startswith("model.options"):
        return "may", message("diff.why.option")
    if layer_of(path) == "engine" or path == "model.context_length":
        return "may", message("diff.why.numerics")
    fact = f"engine.{path.rpartition('.')[2]}"
    one, other = (v if not missing(v) else told.engine.get(fact) for v, told in ((x, a), (y, b)))
    if one is not None and same(one, other):
        return "inert", message("diff.why.default")
    if missing(one) or missing(other):
        return "may", message("diff.why.engine_default")
    return "scores", message("diff.why.precision")


def hashed(a: Told, b: Told) -> bool:
    """Whether both are known to be the same model file."""
    known = [t.effective.get("model.sha256") or t.engine.get("engine.sha256") for t in (a, b)]
    return known[0] is not None and known[0] == known[1]


def around(a: Told, b: Told) -> Iterator[Difference]:
    """What differs around two evaluations: engines, machines, settings of a harness; and models that nothing pins."""
    yield from _unpinned(a, b)
    yield from _left(a, b)
    yield from _engines(a, b)
    yield from _runtimes(a, b)
    if a.form == b.form == "log":
        yield from _further(a, b)


def _left(a: Told, b: Told) -> Iterator[Difference]:
    """Off on one side, and left to the server on the other: the same as stated, and perhaps not as sent."""
    if "log" in (a.form, b.form):
        return
    for path in (f"decoding.{name}" for name in OFF):
        off = missing(a.effective.get(path)) and missing(b.effective.get(path)) and a.backend == b.backend
        if off and left_to_server(path, a) != left_to_server(path, b):
            why = message("diff.why.server_default")
            yield Difference(path=path, layer="decoding", kind="may", a=None, b=None, why=why)


def _unpinned(a: Told, b: Told) -> Iterator[Difference]:
    """The same name at two times, or of two logs, is the same model only where something says so."""
    if "fingerprint" in (a.form, b.form) or a.name == b.name or a.backend not in UNPINNED or a.backend != b.backend:
        return
    names = [told.effective.get("model.name") or told.engine.get("engine.name") for told in (a, b)]
    pins = [
        tuple(told.effective.get(f"model.{pin}") or told.engine.get(f"engine.{pin}") for pin in ("sha256", "revision"))
        for told in (a, b)
    ]
    pinned = any(x is not None and x == y for x, y in zip(*pins, strict=True))
    other = any(x is not None and y is not None and x != y for x, y in zip(*pins, strict=True))
    if names[0] is not None and names[0] == names[1] and not pinned and not other:
        why = message("diff.why.no_hash", model=str(names[0]))
        yield Difference(path="model.sha256", layer="model", kind="may", a=pins[0][0], b=pins[1][0], why=why)


def _engines(a: Told, b: Told) -> Iterator[Difference]:
    told_apart = {p for p in (*a.effective, *b.effective) if not same(a.effective.get(p), b.effective.get(p))}
    alike = a.backend == b.backend
    if not a.engine or not b.engine:
        return  # a fingerprint that was not opened
    for path in dict.fromkeys((*a.engine, *b.engine)):
        x, y, name = a.engine.get(path), b.engine.get(path), path.removeprefix("engine.")
        if (
            same(x, y)
            or f"model.{name}" in told_apart
            or name in ("backend", "digest", "sha256", "name", "url", "model")
        ):
            continue
        if name in ("revision", "harness", "harness_version") or (not alike and (missing(x) or missing(y))):
            continue  # another backend has other facts: that it is another one is said already
        kind, why = ("scores", "precision") if name in PRECISION else ("may", "build" if _built(name) else "numerics")
        why = "option" if name == "settings" else why
        if alike or not _built(name):
            yield Difference(path=path, layer="engine", kind=kind, a=x, b=y, why=message(f"diff.why.{why}"))


def _built(name: str) -> bool:
    return name == "version" or any(word in name for word in LIBRARIES)


def _runtimes(a: Told, b: Told) -> Iterator[Difference]:
    away = a.served and b.served
    for path in dict.fromkeys((*a.runtime, *b.runtime)):
        x, y = a.runtime.get(path), b.runtime.get(path)
        if same(x, y) or ((missing(x) or missing(y)) and not path.startswith(("git", "command"))):
            continue
        kind, why = "provenance", "provenance"
        if path in MACHINE and not away:
            kind, why = "may", "machine"
        elif path.startswith("packages.") and any(word in path for word in LIBRARIES):
            kind, why = ("provenance", "elsewhere") if away and "log" not in (a.form, b.form) else ("may", "build")
        elif path == "eyechart" or (path.startswith("packages.") and "log" in (a.form, b.form)):
            kind, why = "may", "harness"
        yield Difference(path=path, layer="runtime", kind=cast("Kind", kind), a=x, b=y, why=message(f"diff.why.{why}"))


def _further(a: Told, b: Told) -> Iterator[Difference]:
    shots = [told.effective.get("prompt.few_shot.count") for told in (a, b)]
    alone: tuple[list[str], list[str]] = ([], [])
    for path in dict.fromkeys((*a.further, *b.further)):
        x, y, name = a.further.get(path), b.further.get(path), path.partition(".")[2]
        if same(x, y) or any(name == one or name.startswith(f"{one}.") for one in MIRRORED):
            continue
        kind, why = _setting(name, greedy=likeliest(a) and likeliest(b), shots=shots)
        if kind == "may" and (missing(x) or missing(y)):
            alone[missing(x)].append(path)
            continue
        layer: Layer = "evaluation" if name.startswith(("task_", "config_task")) else "runtime"
        yield Difference(path=path, layer=layer, kind=kind, a=x, b=y, why=why)
    if any(alone):  # two versions of a harness write down other things: one line, not twenty
        why = message("diff.why.settings")
        yield Difference(path="settings", layer="runtime", kind="may", a=alone[0], b=alone[1], why=why)


def _setting(name: str, *, greedy: bool, shots: list[Any]) -> Judged:
    if "hash" in name:
        return "provenance", message("diff.why.hash_of_log")
    if "seed" in name and "fewshot" in name.replace("_", "") and all(same(n, 0) for n in shots):
        return "inert", message("diff.why.no_shots")
    if "seed" in name and "fewshot" not in name.replace("_", "") and greedy:
        return "inert", message("diff.why.seed_greedy")
    if any(word in name.lower().split(".")[-1] for word in ORIGIN):
        return "provenance", message("diff.why.provenance")
    return "may", message("diff.why.setting")
