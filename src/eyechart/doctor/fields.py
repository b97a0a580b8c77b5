"""What two evaluations differ in, field by field, and which cause each field stands for.

A field that does nothing is not in an effective form, so it cannot be named here. The base of the seeds is left
out as well: other draws of the same evaluation are noise, not a cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from eyechart.doctor.case import Side

GROUPS: tuple[tuple[str, str], ...] = (
    ("asking.elicit", "asked_differently"),
    ("asking.options", "asked_differently"),
    ("asking.prompt.few_shot.count", "shots_count"),
    ("asking.prompt.few_shot", "shots_drawn"),
    ("dataset.shots", "shots_pool"),
    ("dataset.difficulty", "shots_drawn"),
    ("asking.prompt.instruction", "instruction_extra"),
    ("asking.prompt.system", "instruction_extra"),
    ("asking.prompt.chat_template", "chat_template"),
    ("asking.prompt.options.order", "option_order"),
    ("asking.prompt.edits", "prompt_edited"),
    ("asking.prompt.unicode_form", "prompt_edited"),
    ("asking.prompt.line_ends", "prompt_edited"),
    ("asking.prompt", "template_differs"),
    ("asking.decoding.max_new_tokens", "token_limit"),
    ("asking.decoding.stop", "stop_differs"),
    ("asking.decoding", "decoding_differs"),
    ("asking.seed.scope", "seed_scope"),
    ("reading.normalize", "normalize_differs"),
    ("reading", "reader_differs"),
    ("judge", "judge_changed"),
)
"""Path and what it stands for; the first that fits."""
PRECISION = ("dtype", "precision", "quant", "bits")
BATCH = ("batch", "thread", "concurren", "parallel", "cache", "stream", "schedul")
VERSION = ("version", "build", "openvino", "torch", "transformers", "xllamacpp", "framework")
_WEIGHTS = re.compile(r"(?i)[-_. ]?(?:i?q\d\w*|bf16|f16|fp16|f32|fp32|int[48]|fp8|awq|gptq|nf4)(?=[-_. ]|$)")


class Difference(NamedTuple):
    cause: str
    path: str
    a: str
    b: str


def differences(a: Side, b: Side) -> tuple[Difference, ...]:
    """Every field in which the two differ and that can move an answer or its reading, in a fixed order."""
    out = list(_asked(a, b))
    seen = {one.cause for one in out}
    if "asked_differently" in seen:  # what is decoded and read follows from how it is asked
        out = [d for d in out if d.cause not in ("decoding_differs", "token_limit", "stop_differs", "reader_differs",
                                                 "normalize_differs", "seed_scope")]  # fmt: skip
    if "shots_count" in seen:
        out = [
            d
            for d in out
            if d.cause != "shots_drawn" and d.path not in ("asking.prompt.answer", "asking.prompt.separator")
        ]
    if a.sampled != b.sampled:  # seeds come with sampling: that is the difference
        out = [d for d in out if d.cause != "seed_scope"]
    out += _engine(a, b)
    return tuple(d for d in out if not any(_unsaid(side, d) for side in (a, b)))


def _unsaid(side: Side, one: Difference) -> bool:
    """Whether a foreign log says nothing of this field."""
    name = one.path.replace("asking.", "").replace("reading.", "evaluation.").replace("engine.", "model.")
    return any(name == path or name.startswith(f"{path}.") for path in side.unknown)


_READ = ("evaluation.extraction", "evaluation.postprocess", "evaluation.score", "evaluation.normalize",
         "evaluation.pattern", "evaluation.function", "evaluation.transform", "evaluation.framework")  # fmt: skip


WRITTEN = (
    ("asking.seed.scope", "decoding.seed_scope"),
    ("asking.seed.base", "decoding.seed"),
    ("asking.elicit", "evaluation.elicit"),
    ("asking.options", "evaluation.options"),
    ("asking.", ""),
    ("reading.", "evaluation."),
    ("dataset.shots", "dataset.splits"),
)
"""Paths of the effective fingerprint, and as one writes them into a study."""


def written(path: str) -> str:
    """
    >>> written("reading.extraction"), written("asking.prompt.template"), written("asking.seed.scope")
    ('evaluation.extraction', 'prompt.template', 'decoding.seed_scope')
    """
    for start, name in WRITTEN:
        if path.startswith(start):
            return name + path.removeprefix(start)
    return path


def moved_nothing(a: Side, b: Side) -> tuple[Difference, ...]:
    """Every field of the two effective fingerprints that differs, whether a cause is known for it or not."""
    one, other = (dict(_flat({k: v for k, v in s.effective.items() if k != "model"}, "")) for s in (a, b))
    out = [
        Difference("", path, shown(one.get(path)), shown(other.get(path)))
        for path in dict.fromkeys((*one, *other))
        if one.get(path) != other.get(path)
    ]
    out += _engine(a, b)
    return tuple(d for d in out if not any(_unsaid(side, d) for side in (a, b)))


def stated_apart(a: Side, b: Side) -> int:
    """Stated fields in which the two ask differently: what `explain` mixes. Reading is free, inert fields do nothing."""
    one, other = ({k: v for k, v in _flat(side.stated, "") if k not in dict(side.inert)} for side in (a, b))
    paths = {path for path in (*one, *other) if one.get(path) != other.get(path) and not path.startswith(_READ)}
    whole = {
        "prompt.few_shot" if path.startswith("prompt.few_shot.") else path for path in paths
    }  # one choice of shots
    return len(whole - {"evaluation.method", "repeats.count"})


def _asked(a: Side, b: Side) -> Iterator[Difference]:
    one, other = (_effective(side) for side in (a, b))
    for path in dict.fromkeys((*one, *other)):
        x, y = one.get(path), other.get(path)
        cause = next((cause for start, cause in GROUPS if path == start or path.startswith(f"{start}.")), None)
        if cause is not None and x != y:
            yield Difference(cause, path, shown(x), shown(y))
    if a.judge != b.judge and None not in (a.judge, b.judge):
        yield Difference("judge_changed", "judge.engine", shown(a.judge), shown(b.judge))


def _effective(side: Side) -> dict[str, Any]:
    body = {k: v for k, v in side.effective.items() if k not in ("model", "repeats")}
    flat = dict(_flat(body, ""))
    # Sampling or not is told by the temperature; its seed is a draw.
    for path in ("asking.seed.base", "dataset.items"):
        flat.pop(path, None)
    if not side.sampled:
        flat.pop("asking.seed.scope", None)
    return {k: v for k, v in flat.items() if v not in (None, "", [], ())}


def _flat(value: Mapping[str, Any], head: str) -> Iterator[tuple[str, Any]]:
    for key, part in value.items():
        path = f"{head}.{key}" if head else str(key)
        if isinstance(part, Mapping):
            yield from _flat(cast("Mapping[str, Any]", part), path)
        else:
            yield path, list(cast("list[Any]", part)) if isinstance(part, tuple) else part


def _engine(a: Side, b: Side) -> Iterator[Difference]:
    """What answered: by the facts of the engine, and by what was stated of the model where they do not say it."""
    facts = [dict(_flat({k: v for k, v in side.engine.items() if k != "digest"}, "engine")) for side in (a, b)]
    models = [dict(_flat(side.effective.get("model", {}), "model")) for side in (a, b)]
    known = {path.rpartition(".")[2] for path in (*facts[0], *facts[1])}
    out: list[Difference] = []
    for one, other in (facts, models):
        for path in dict.fromkeys((*one, *other)):
            x, y = one.get(path), other.get(path)
            if x == y or (path.startswith("model.") and path.rpartition(".")[2] in known):
                continue
            if path.startswith("model.options.") and not _named(path, PRECISION + BATCH) and facts[0] == facts[1]:
                continue  # the engine is the same with it: it moves nothing
            out.append(Difference(_engine_cause(path, x, y), path, shown(x), shown(y)))
    if _same_weights(a, b):
        out = [d._replace(cause="precision") if d.cause == "other_model" else d for d in out]
    if any(d.cause == "precision" for d in out):  # how the embedded engine forms batches follows from its precision
        out = [d for d in out if d.path != "engine.batching"]
    if any(d.cause == "backend" for d in out):
        # Another backend has other facts: one difference, not ten. Another model only where both name theirs.
        named = [d for d in out if d.path.endswith((".name", ".sha256")) and "-" not in (d.a, d.b)]
        out = [d for d in out if d.cause == "backend" or (d.cause == "other_model" and d in named)]
    yield from out


def _engine_cause(path: str, x: object, y: object) -> str:
    if path in ("engine.backend", "model.backend"):
        return "backend"
    if _named(path, PRECISION):
        return "precision"
    if _named(path, BATCH):
        return "batch"
    if _named(path, VERSION):
        return "harness_version"
    return "other_model"


def _named(path: str, words: tuple[str, ...]) -> bool:
    return any(word in path.rpartition(".")[2].lower() for word in words)


def _same_weights(a: Side, b: Side) -> bool:
    """Whether two models are builds of one, by their names: `m-Q8_0.gguf` and `m-Q4_K_M.gguf`."""
    names = [str(side.section("model").get(key) or "") for side in (a, b) for key in ("path", "name")]
    for one, other in zip(names[:2], names[2:], strict=True):
        if one and other and one != other and _WEIGHTS.sub("", one) == _WEIGHTS.sub("", other):
            return True
    return False


def shown(value: object) -> str:
    """A value in a line of evidence.

    >>> shown(None), shown("a" * 80)[-6:], shown([1])
    ('-', 'aa ...', '[1]')
    """
    text = "-" if value is None else value if isinstance(value, str) else str(value)
    text = text.encode("unicode_escape").decode() if not text.isprintable() else text
    return text if len(text) <= 60 else f"{text[:56]} ..."
