"""Rules about the fingerprint: what has to be stated so that somebody else can do the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from eyechart.core.words import Text, message
from eyechart.rules.values import Answer, Check, Field, Known

WITHOUT_WEIGHTS = ("synthetic", "echo", "function", "command", "simulated_judge")
"""Backends that answer by a program: there are no weights, no precision and no chat template to state."""
FLOATING = ("main", "master", "latest", "default", "head", "dev", "nightly", "trunk")
"""Versions that say nothing: what they stand for changes."""
HASH = re.compile(r"(?:sha256:|d1:|sha1:)?[0-9a-fA-F]{7,64}")
LONGEST = 80


def shown(value: Any) -> str:
    """A value as one short text.

    >>> shown(True), shown(0.7), shown(("a", "b")), shown("x" * 90)[-3:]
    ('true', '0.7', '["a", "b"]', 'xx…')
    """
    if isinstance(value, str):
        text = value
    elif isinstance(value, tuple | list | dict | bool) or value is None:
        text = json.dumps(value, ensure_ascii=False, default=str)
    else:
        text = f"{value:g}" if isinstance(value, float) else str(value)
    return line(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def line(text: str) -> str:
    """One line, alike in every medium: what cannot be seen is spelt out here, and not by each of them in its own way.

    >>> print(line("two" + chr(10) + "lines"))
    two\\nlines
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def by_state(path: str, field: Field) -> Answer:
    """Kept where it was stated or cannot matter; broken where this house filled it in or left it out."""
    if field.state == "inert":
        return Answer("kept", idle(path, field.value))
    if field.state == "stated" and field.value is not None:
        return Answer("kept", message("rule.field.stated", path=path, value=shown(field.value)))
    if field.state == "default":
        return Answer("broken", message("rule.field.default", path=path, value=shown(field.value)))
    if field.state == "unset":
        return Answer("broken", message("rule.field.unset", path=path))
    return Answer("unknown", message("rule.not_in_fingerprint", path=path))


def idle(path: str, value: Any) -> Text:
    """What is without effect here, whether it was stated or not."""
    if value is None:
        return message("rule.field.idle", path=path)
    return message("rule.field.inert", path=path, value=shown(value))


def stated(path: str) -> Check:
    """The rule that `path` be stated."""

    def check(known: Known) -> Answer:
        return by_state(path, known.field(path))

    return check


def first_known(known: Known, paths: Sequence[str]) -> tuple[str, Any] | None:
    """The first of `paths` that has a value which was stated or observed."""
    for path in paths:
        field = known.fields.get(path)
        if field is not None and field.value is not None and field.state in ("stated", "inert"):
            return path, field.value
        if field is None and known.facts.get(path) is not None:
            return path, known.facts[path]
    return None


def found(path: str, value: Any) -> Text:
    return message("rule.fact", path=path, value=shown(value))


def by_program(known: Known) -> Answer | None:
    """Kept where a program answers, and no model; else nothing."""
    backend = known.value("model.backend")
    if backend in WITHOUT_WEIGHTS:
        return Answer("kept", message("rule.by_program", backend=str(backend)))
    return None


def floating(value: Any) -> bool:
    return str(value).strip().lower() in FLOATING


def weights(known: Known) -> Answer:
    """A hash of the files, or a commit: a name alone says nothing."""
    program = by_program(known)
    if program:
        return program
    got = first_known(known, ("model.sha256", "engine.sha256"))
    if got:
        return Answer("kept", found(*got))
    got = first_known(known, ("model.revision", "engine.revision"))
    if got is None:
        if known.kind == "run":  # what was answered by is seen from here, and nothing fixed it
            return Answer("broken", message("rule.weights_fixed.name", name=shown(_model(known))))
        return Answer("unknown", message("rule.weights_fixed.unknown", name=shown(_model(known))))
    if floating(got[1]):
        return Answer("broken", message("rule.floating", path=got[0], value=shown(got[1])))
    return Answer("kept", found(*got))


def _model(known: Known) -> str:
    return str(known.value("model.name") or known.value("model.path") or known.value("model.backend") or "?")


def precision(known: Known) -> Answer:
    program = by_program(known)
    if program:
        return program
    got = first_known(known, ("model.dtype", "model.quantization", "engine.dtype", "engine.quantization"))
    if got:
        return Answer("kept", found(*got))
    own = known.told and known.kind == "study"
    return Answer("broken" if own else "unknown", message("rule.none_of", paths="model.dtype, model.quantization"))


def template(known: Known) -> Answer:
    if known.value("judge") is not None:
        return Answer("kept", message("rule.template_stated.judge"))
    return by_state("prompt.template", known.field("prompt.template"))


def chat_template(known: Known) -> Answer:
    field = known.field("prompt.chat_template")
    if field.state in ("stated", "inert") and field.value is not None:
        return by_state("prompt.chat_template", field)
    program = by_program(known)
    if program:
        return program
    for path in ("model.api", "prompt.system"):
        value = known.value(path)
        if value is not None and (path != "model.api" or value == "chat"):
            return Answer("kept", message("rule.chat_template_stated.follows", path=path, value=shown(value)))
    return by_state("prompt.chat_template", field)


def data_version(known: Known) -> Answer:
    got = first_known(known, ("dataset.sha256", "data.sha256", "dataset.revision", "data.resolved", "dataset.version"))
    if got is None:
        if known.value("dataset.name") == "chart":
            return Answer("kept", message("rule.dataset_version.chart"))
        waits = known.kind == "study" and known.value("dataset.path") is not None
        key = "rule.dataset_version.waits" if waits else "rule.none_of"
        return Answer("unknown", message(key, paths="dataset.sha256, dataset.revision, dataset.version"))
    if floating(got[1]):
        return Answer("broken", message("rule.floating", path=got[0], value=shown(got[1])))
    return Answer("kept", found(*got))


def extraction(known: Known) -> Answer:
    """How the answer is taken out of the text; a log that names a filter states it."""
    if known.setup().options:
        return Answer("kept", message("rule.options_scored"))
    if known.value("judge") is not None:
        return Answer("kept", message("rule.template_stated.judge"))
    method = known.value("evaluation.method")
    if method is not None and known.field("evaluation.method").state == "stated":
        return Answer("kept", found("evaluation.method", method))
    reader = known.field("evaluation.extraction")
    value: Any = reader.value
    recorded: Any = cast("Mapping[str, Any]", value).get("recorded") if isinstance(value, Mapping) else None
    if isinstance(recorded, Mapping):
        rule = str(cast("Mapping[str, Any]", recorded).get("rule") or "")
        if rule:
            return Answer("kept", found("evaluation.extraction", rule))
        return Answer("unknown", message("rule.not_in_fingerprint", path="evaluation.extraction"))
    return by_state("evaluation.extraction", reader)


def shot_split(known: Known) -> Answer:
    """Over all set-ups, since another one may have shots where the baseline has none."""
    with_shots = [setup for setup in known.setups if setup.shots != 0]
    if known.setups and not with_shots:
        return Answer("kept", message("rule.few_shot_split.none"))
    same = [s for s in with_shots if s.shots and s.source is not None and s.source == s.split]
    if same:
        one = same[0]
        return Answer("broken", message("rule.few_shot_split.same", source=str(one.source), split=str(one.split)))
    lacking = [s for s in with_shots if s.shots is None or s.source is None or s.split is None]
    if lacking or not with_shots:
        unsaid = not with_shots or lacking[0].shots is None
        path = "prompt.few_shot.count" if unsaid else "prompt.few_shot.source"
        return Answer("unknown", message("rule.not_in_fingerprint", path=path))
    one = with_shots[0]
    return Answer("kept", message("rule.few_shot_split.apart", source=str(one.source), split=str(one.split)))


def shot_difficulty(known: Known) -> Answer:
    """Listed means: measured, and in the run for every shot, or for the buckets that they are drawn from."""
    with_shots = [setup for setup in known.setups if setup.shots != 0]
    if known.setups and not with_shots:
        return Answer("kept", message("rule.few_shot_split.none"))
    if not with_shots or any(s.shots is None for s in with_shots) or not known.told:
        if known.told and with_shots:
            return Answer("unknown", message("rule.not_in_fingerprint", path="prompt.few_shot.count"))
        return Answer("unknown", message("rule.shot_difficulty.unknown"))
    without = [s for s in with_shots if s.reference is None or s.choice not in ("balanced", "easiest")]
    if without:
        one = without[0]
        many = {"n": len(without), "of": len(with_shots)}
        return Answer("broken", message("rule.shot_difficulty.unmeasured", choice=shown(one.choice or "?"), **many))
    if known.kind == "study":
        return Answer("kept", found("prompt.few_shot.reference", with_shots[0].reference))
    if known.listed:
        return Answer("kept", known.listed[0])
    return Answer("unknown", message("rule.shot_difficulty.unlisted", file=str(with_shots[0].reference)))


def seed_stated(known: Known) -> Answer:
    """Of every set-up that samples; where nothing is sampled no seed acts."""
    drawing = [setup for setup in known.setups if setup.sampled is not False]
    if known.setups and not drawing:
        return Answer("kept", message("rule.seed_stated.inert"))
    have = sum(setup.seed for setup in drawing)
    if drawing and have == len(drawing):
        return Answer("kept", message("rule.seed_stated.all", n=have, of=len(known.setups)))
    unsure = not drawing or any(s.sampled is None for s in drawing if not s.seed)
    if unsure or not known.told:
        return Answer("unknown", message("rule.not_in_fingerprint", path="decoding.seed"))
    return Answer("broken", message("rule.seed_stated.some", n=have, of=len(drawing)))


def as_deployed(known: Known) -> Answer:
    """Field by field, as it takes effect; what is not known of the evaluation is unknown, and broken goes before."""
    if known.deployment is None:
        return Answer("unknown", message("rule.decoding_as_deployed.none"))
    if known.setup().options:
        return Answer("broken", message("rule.decoding_as_deployed.options"))
    if known.decoding is None:
        return Answer("unknown", message("rule.decoding_as_deployed.unknown", fields="decoding"))
    other = {k: (v, known.decoding[k]) for k, v in known.deployment.items() if k in known.decoding}
    apart = [f"{k}: {shown(a)} / {shown(b)}" for k, (a, b) in other.items() if not same(a, b)]
    if apart:
        return Answer("broken", message("rule.decoding_as_deployed.apart", fields=", ".join(apart[:6])))
    lacking = [k for k in known.deployment if k not in known.decoding]
    if lacking:
        return Answer("unknown", message("rule.decoding_as_deployed.unknown", fields=", ".join(lacking[:6])))
    silent = [k for k in known.decoding if k not in known.deployment]
    if silent:
        return Answer("unknown", message("rule.decoding_as_deployed.silent", fields=", ".join(silent[:6])))
    fields = ", ".join(f"{k} = {shown(v)}" for k, v in known.deployment.items())
    return Answer("kept", message("rule.decoding_as_deployed.same", fields=fields or "–"))


def same(a: Any, b: Any) -> bool:
    """Equal by value: 1 and 1.0 are one number, true is no number, a tuple is its list.

    >>> same(1, 1.0), same(True, 1), same(("a",), ["a"]), same("1", 1)
    (True, False, True, False)
    """
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        left, right = list(a), list(b)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return len(left) == len(right) and all(same(x, y) for x, y in zip(left, right, strict=True))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return float(a) == float(b)
    return bool(a == b)
