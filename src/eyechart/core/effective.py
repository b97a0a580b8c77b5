"""From what was stated to what takes effect: defaults filled in, inert fields left out and named.

Two evaluations with one effective form are the same evaluation, however they were written:
`{do_sample: false, temperature: 0.8}` is greedy, `few_shot.seed` does nothing at zero shots, and
options scored by log-probability know no decoding at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.judging import expanded
from eyechart.core.methods import METHODS, SCORED_AS
from eyechart.core.spec import Decoding, Model, Name, Prompt, Spec

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

DEFAULTS: Mapping[str, Any] = {
    "dataset.split": "test",
    "dataset.seed": 0,
    "prompt.template": "Question: {{question}}\n{% if options %}{{options}}\n{% endif %}",
    "prompt.cue": "Answer:",  # only where no template is stated; a stated template stands as it is
    "prompt.answer": " {{answer}}",
    "prompt.separator": "\n\n",
    "prompt.options.labels": ALPHABET,
    "prompt.options.style": "{label}) {text}",
    "prompt.options.separator": "\n",
    "prompt.options.order": "given",
    "prompt.few_shot.count": 0,
    "prompt.few_shot.source": "validation",
    "prompt.few_shot.difficulty": "random",
    "prompt.few_shot.seed": 0,
    "prompt.few_shot.order": "drawn",
    "prompt.few_shot.format": "inline",
    "prompt.few_shot.draw": "fixed",
    "decoding.temperature": 0.0,  # 1.0 where do_sample is true and no temperature is stated
    "decoding.max_new_tokens": 32,
    "decoding.seed": 0,
    "decoding.seed_scope": "item",
    "model.backend": "embedded",
    "evaluation.elicit": "generate",
    "evaluation.options": "texts",
    "evaluation.normalize": "none",
    "evaluation.extraction": "whole",
    "evaluation.postprocess": "none",
    "evaluation.score": "exact",
    "evaluation.transform": "none",
    "repeats.count": 1,
}
"""What stands for a field that nobody stated. A change here changes effective digests: their tag moves."""

_OFF: Mapping[str, Any] = {
    "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inert:
    """A stated field that cannot move this evaluation, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything after the response. Changing it never needs a call."""

    elicit: str
    extraction: Name = "whole"
    postprocess: str = "none"
    score: Name = "exact"
    normalize: str = "none"
    transform: str = "none"

    def body(self) -> dict[str, Any]:
        if self.elicit == "options":
            return {"normalize": self.normalize, "transform": self.transform}
        return {
            "extraction": self.extraction,
            "postprocess": self.postprocess,
            "score": self.score,
            "transform": self.transform,
        }

    @classmethod
    def from_body(cls, elicit: str, body: Mapping[str, Any]) -> Reading:
        return cls(elicit=elicit, **body)

    @property
    def key(self) -> str:
        return digest("v1", {"elicit": self.elicit, **self.body()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Everything up to the request, except the items and the engine."""

    prompt: Mapping[str, Any]
    """Prompt with defaults filled in; `few_shot` absent at zero shots."""
    elicit: str
    options: str
    params: tuple[tuple[str, Any], ...]
    """Effective decoding, sorted, without the seed."""
    sampled: bool
    seed: int
    seed_scope: str

    def body(self) -> dict[str, Any]:
        out: dict[str, Any] = {"prompt": dict(self.prompt), "elicit": self.elicit}
        if self.elicit == "options":
            out["options"] = self.options
        else:
            out["decoding"] = dict(self.params)
        if self.sampled:
            out["seed"] = {"base": self.seed, "scope": self.seed_scope}
        return out

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Asking:
        seed = body.get("seed")
        decoding: Mapping[str, Any] = body.get("decoding", {})
        params = {k: tuple(cast("list[Any]", v)) if isinstance(v, list) else v for k, v in decoding.items()}
        return cls(
            prompt=body["prompt"],
            elicit=body["elicit"],
            options=body.get("options", DEFAULTS["evaluation.options"]),
            params=tuple(sorted(params.items())),
            sampled=seed is not None,
            seed=seed["base"] if seed else 0,
            seed_scope=seed["scope"] if seed else DEFAULTS["decoding.seed_scope"],
        )

    @property
    def key(self) -> str:
        return digest("q1", self.body())


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    asking: Asking
    reading: Reading
    repeats: int
    model: Mapping[str, Any]
    judge: Effective | None = None
    """Who reads the answers, where that is a judge."""
    inert: tuple[Inert, ...] = field(default=(), compare=False)

    def body(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **({"judge": self.judge.judging()} if self.judge else {}),
            "dataset": dict(data),
            "asking": self.asking.body(),
            "model": dict(self.model),
            "reading": self.reading.body(),
            "repeats": self.repeats,
        }

    def judging(self) -> dict[str, Any]:
        """`body` of a judge: its items are the answers, which other parts say."""
        return {name: part for name, part in self.body({}).items() if name != "dataset"}

    def digest(self, data: Mapping[str, Any]) -> str:
        """`data` says which items and shots, by content: `Loaded.identity`, `Chooser.identity`."""
        return digest("e1", self.body(data))


def stated_digest(spec: Spec) -> str:
    """Digest of what was written, spelling and order of keys aside."""
    return digest("s1", spec.stated())


def effective(spec: Spec, model_facts: Mapping[str, Any] | None = None, operational: tuple[str, ...] = ()) -> Effective:
    """Resolve `spec`. `model_facts` (file hash) replace the stated path and name; options of the
    backend that are `operational` cannot move an answer and are left out.

    >>> e = effective(Spec(decoding={"do_sample": False, "temperature": 0.8}))
    >>> e.asking.params, [i.path for i in e.inert]
    ((('max_new_tokens', 32), ('temperature', 0.0)), ['decoding.temperature'])

    Raises InputError where two stated fields contradict each other.
    """
    inert: list[Inert] = []
    spec = expanded(spec)
    elicit, options, reading = _evaluation(spec, inert)
    params, sampled = _decoding(spec.decoding, elicit, inert)
    prompt = _prompt(spec.prompt, spec.model, elicit, inert)
    seed = spec.decoding.seed
    if seed is None:
        seed = spec.repeats.seed if spec.repeats.seed is not None else DEFAULTS["decoding.seed"]
    elif spec.repeats.seed is not None:
        inert.append(Inert("repeats.seed", "decoding.seed is stated"))
    if not sampled:
        for name in ("seed", "seed_scope"):
            if getattr(spec.decoding, name) is not None:
                inert.append(Inert(f"decoding.{name}", "nothing is sampled"))
    asking = Asking(
        prompt=prompt,
        elicit=elicit,
        options=options,
        params=params,
        sampled=sampled,
        seed=seed,
        seed_scope=spec.decoding.seed_scope or DEFAULTS["decoding.seed_scope"],
    )
    return Effective(
        asking=asking,
        reading=reading,
        repeats=_repeats(spec, sampled),
        model=_model(spec.model, model_facts, operational),
        inert=tuple(inert),
    )


def _repeats(spec: Spec, sampled: bool) -> int:
    count = spec.repeats.count or DEFAULTS["repeats.count"]
    if not sampled and spec.repeats.greedy is not None:
        return spec.repeats.greedy
    return count


def _evaluation(spec: Spec, inert: list[Inert]) -> tuple[str, str, Reading]:
    ev = spec.evaluation
    if ev.transform == "above_chance":
        raise InputError("not rescaled yet: leave it out, chance is shown anyway", field="evaluation.transform")
    base = METHODS.get(ev.method or "", {})
    elicit: str = ev.elicit or base.get("elicit", DEFAULTS["evaluation.elicit"])
    options: str = ev.options or base.get("options", DEFAULTS["evaluation.options"])
    if elicit == "options":
        for name in ("extraction", "postprocess", "score", "pattern", "function"):
            if getattr(ev, name) is not None:
                inert.append(Inert(f"evaluation.{name}", "options are scored by log-probability; no text is read"))
        normalize = ev.normalize or DEFAULTS["evaluation.normalize"]
        transform = ev.transform or DEFAULTS["evaluation.transform"]
        return elicit, options, Reading(elicit=elicit, normalize=normalize, transform=transform)
    for name in ("options", "normalize"):
        if getattr(ev, name) is not None:
            inert.append(Inert(f"evaluation.{name}", "the answer is generated, no option is scored"))
    extraction: Name = ev.extraction or base.get("extraction", DEFAULTS["evaluation.extraction"])
    usual = SCORED_AS.get(extraction, DEFAULTS["evaluation.score"]) if isinstance(extraction, str) else None
    score: Name = ev.score or base.get("score") or usual or DEFAULTS["evaluation.score"]
    if extraction == "regex":
        if ev.pattern is None:
            raise InputError("reading by regex needs a pattern, e.g. 'answer is (\\w+)'", field="evaluation.pattern")
        extraction = {"regex": {"pattern": ev.pattern}}
    elif ev.pattern is not None:
        inert.append(Inert("evaluation.pattern", "the answer is not read by regex"))
    if score == "function":
        if ev.function is None:
            raise InputError("name the scorer as module:function", field="evaluation.function")
        score = {"function": {"path": ev.function}}
    elif ev.function is not None:
        inert.append(Inert("evaluation.function", "the score is not a function's"))
    if ev.judge is not None and score != "judge":
        inert.append(Inert("evaluation.judge", "the score is not a judge's"))
    postprocess = ev.postprocess or DEFAULTS["evaluation.postprocess"]
    if score == "numeric" and ev.postprocess is not None:
        inert.append(Inert("evaluation.postprocess", "numbers are compared by value"))
        postprocess = DEFAULTS["evaluation.postprocess"]
    return (
        elicit,
        options,
        Reading(
            elicit=elicit,
            extraction=extraction,
            postprocess=postprocess,
            score=score,
            transform=ev.transform or DEFAULTS["evaluation.transform"],
        ),
    )


def _decoding(dec: Decoding, elicit: str, inert: list[Inert]) -> tuple[tuple[tuple[str, Any], ...], bool]:
    """Effective parameters and whether anything is sampled."""
    if elicit == "options":
        for name in dec.stated():
            inert.append(Inert(f"decoding.{name}", "options are scored by log-probability; nothing is decoded"))
        return (), False
    temperature = dec.temperature
    if temperature is None:
        temperature = 1.0 if dec.do_sample else DEFAULTS["decoding.temperature"]
    sampled = dec.do_sample is not False and temperature > 0
    if dec.do_sample is False and temperature > 0:
        inert.append(Inert("decoding.temperature", "do_sample is false: greedy"))
    params: dict[str, Any] = {
        "temperature": float(temperature) if sampled else 0.0,
        "max_new_tokens": dec.max_new_tokens or DEFAULTS["decoding.max_new_tokens"],
    }
    if dec.stop:
        params["stop"] = dec.stop
    for name, off in _OFF.items():
        value = getattr(dec, name)
        if value is not None and value != off:
            params[name] = value
    if dec.top_k is not None and dec.top_k > 0:
        params["top_k"] = dec.top_k
    if not sampled:
        for name in ("top_p", "top_k", "min_p"):
            if getattr(dec, name) is not None:
                inert.append(Inert(f"decoding.{name}", "temperature is 0: the likeliest token is taken"))
            params.pop(name, None)
    return tuple(sorted(params.items())), sampled


def _prompt(prompt: Prompt, model: Model, elicit: str, inert: list[Inert]) -> dict[str, Any]:
    chat = prompt.chat_template
    if chat is None:
        chat = model.api == "chat" or prompt.system is not None
    elif not chat and model.api == "chat":
        raise InputError(
            "a chat endpoint always applies the model's chat template; write model.api: completions",
            field="prompt.chat_template",
        )
    out: dict[str, Any] = {
        "template": prompt.template if prompt.template is not None else DEFAULTS["prompt.template"],
        "instruction": prompt.instruction or "",
        "cue": _or(prompt.cue, "" if prompt.template is not None else DEFAULTS["prompt.cue"]),
        "chat_template": chat,
        "options": _option_format(prompt, inert),
        "edits": list(prompt.edits or ()),
        "unicode_form": prompt.unicode_form,
        "line_ends": prompt.line_ends if prompt.line_ends != "lf" else None,
    }
    if chat:
        out["system"] = prompt.system
    elif prompt.system is not None:
        inert.append(Inert("prompt.system", "the chat template is off: there is no system turn"))
    shots = _few_shot(prompt, chat, inert)
    if shots or elicit == "options":  # an option continues the prompt just as a shot's answer does
        out["answer"] = _or(prompt.answer, DEFAULTS["prompt.answer"])
    elif prompt.answer is not None:
        inert.append(Inert("prompt.answer", "there are no shots"))
    return out | shots


def _option_format(prompt: Prompt, inert: list[Inert]) -> dict[str, Any]:
    stated = prompt.options.stated() if prompt.options else {}
    names = ("labels", "style", "separator", "order")
    out = {n: stated.get(n, DEFAULTS[f"prompt.options.{n}"]) for n in names}
    if prompt.template is not None and "options" not in prompt.template:
        for name in ("style", "separator"):
            if name in stated:
                inert.append(Inert(f"prompt.options.{name}", "the template does not use {{options}}"))
            del out[name]
    return out


def _few_shot(prompt: Prompt, chat: bool, inert: list[Inert]) -> dict[str, Any]:
    few = prompt.few_shot
    stated = few.stated() if few else {}
    count = len(few.ids) if few and few.ids else stated.get("count", DEFAULTS["prompt.few_shot.count"])
    if count == 0:
        for name in stated:
            if name != "count":
                inert.append(Inert(f"prompt.few_shot.{name}", "there are no shots"))
        if prompt.separator is not None:
            inert.append(Inert("prompt.separator", "there are no shots"))
        return {}
    names = ("source", "difficulty", "seed", "order", "format", "draw")
    out = {n: stated.get(n, DEFAULTS[f"prompt.few_shot.{n}"]) for n in names} | {"count": count}
    named = bool(few and few.ids)
    if "reference" in stated and (named or out["difficulty"] in ("random", "first")):
        inert.append(Inert("prompt.few_shot.reference", "the shots are not chosen by difficulty"))
    reason = "the shots are named" if named else f"the {out['difficulty']} shots are taken"
    if few and few.ids:
        out["ids"] = list(few.ids)
    if named or out["difficulty"] in ("first", "easiest"):
        for name in ("seed", "draw") + (("difficulty", "count") if few and few.ids else ()):
            if name in stated:
                inert.append(Inert(f"prompt.few_shot.{name}", reason))
            out.pop(name, None)
    if out["format"] == "turns" and not chat:
        inert.append(Inert("prompt.few_shot.format", "the chat template is off: there are no turns"))
        out["format"] = "inline"
    return {
        "few_shot": out,
        "separator": _or(prompt.separator, DEFAULTS["prompt.separator"]),
    }


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _model(model: Model, facts: Mapping[str, Any] | None, operational: tuple[str, ...]) -> dict[str, Any]:
    out = model.stated()
    out["options"] = {k: v for k, v in out.get("options", {}).items() if k not in operational}
    out.setdefault("backend", DEFAULTS["model.backend"])
    out.pop("api_key_env", None)  # whose key was used does not move a score
    out.pop("api", None)  # follows from the chat template
    if facts:
        for provenance in ("path", "name", "revision"):
            out.pop(provenance, None)
        out |= facts
    return out
