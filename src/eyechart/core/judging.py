"""What a judge is short for: a prompt, a reader of verdicts and a scorer.

A judge is an evaluation like any other. Its items are answers (`output`, or `output_a` and `output_b`), its
model is the judge, and its score is what it says of them: the part of the scale, or 1 where it prefers a.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.core.errors import InputError
from eyechart.core.spec import Judge, Name, Spec

DEFAULTS: Mapping[str, Any] = {
    "mode": "pointwise",
    "rubric": {
        "pairwise": "Judge how correct, helpful and complete each answer is. Neither its length nor its place matters.",
        "pointwise": "Judge how correct, helpful and complete the answer is. Its length does not matter.",
    },
    "labels": ("A", "B"),
    "tie": False,
    "order": "given",
    "low": 1.0,
    "high": 5.0,
    "direction": "up",
    "reference": False,
    "reasoning": False,
    "wording": 1,
}
"""What stands for a field of `judge` that nobody stated. A change here changes effective digests."""

SWAP = "swap_outputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A judge with its defaults filled in.

    >>> judging(Judge(mode="pairwise")).reader
    {'verdict': {'labels': ['A', 'B']}}
    >>> judging(Judge()).scorer
    {'verdict': {'low': 1, 'high': 5, 'mode': 'pointwise'}}
    """

    mode: str
    rubric: str
    labels: tuple[str, ...]
    """Words on the menu: of a pair first, second and perhaps the tie; else from the worst to the best; or none."""
    tie: str | None
    low: float
    high: float
    down: bool
    criteria: tuple[str, ...]
    swapped: bool
    reference: bool
    reasoning: bool
    wording: int

    @property
    def reader(self) -> Name:
        return {"verdict": self._menu()}

    @property
    def scorer(self) -> Name:
        more: dict[str, Any] = {"tie": True} if self.tie else {}
        if self.down:
            more["down"] = True
        return {"verdict": {**self._menu(), **more, "mode": self.mode}}

    def _menu(self) -> dict[str, Any]:
        if self.labels:
            return {"labels": list(self.labels)}
        out: dict[str, Any] = {"low": _plain(self.low), "high": _plain(self.high)}
        return out | ({"criteria": list(self.criteria)} if self.criteria else {})

    @property
    def template(self) -> str:
        """The prompt of one item, in Jinja."""
        opening, asking = (_PAIR if self.mode == "pairwise" else _SINGLE)[self.wording - 1]
        parts = [opening, self.rubric, *([_CRITERIA + ", ".join(self.criteria) + "."] if self.criteria else [])]
        parts.append("Question:\n{{question}}")
        if self.reference:
            parts.append("Reference answer:\n{{reference}}")
        if self.mode == "pairwise":
            first, second = self.labels[:2]
            parts += [f"Answer {first}:\n{{{{output_a}}}}", f"Answer {second}:\n{{{{output_b}}}}"]
        else:
            parts.append("Answer:\n{{output}}")
        parts.append(f"{asking} {self._form()}")
        return "\n\n".join(parts)

    @property
    def answer(self) -> str:
        """How people's verdict on a judged example is written: by the name its slot has there."""
        if self.mode != "pairwise":
            return " {{answer}}"
        first, second = (json.dumps(label, ensure_ascii=False) for label in self.labels[:2])
        turned = "(swapped is defined and swapped)"
        names = f'"a": {second} if {turned} else {first}, "b": {first} if {turned} else {second}'
        tie = f', "tie": {json.dumps(self.tie, ensure_ascii=False)}' if self.tie else ""
        return f" {{{{ {{{names}{tie}}}[answer] }}}}"

    def _form(self) -> str:
        """How the verdict is to be written; the last sentence of every wording."""
        thought = "First compare briefly. Then end" if self.mode == "pairwise" else "First reason briefly. Then end"
        if self.criteria:
            lines = " ".join(f"`{name}: N`" for name in self.criteria)
            how = f"{thought} with" if self.reasoning else "Write"
            return f"{how} one line for each criterion, {lines}, where N is a number {self._range()}."
        what = f"one of: {', '.join(self.labels)}" if self.labels else f"a number {self._range()}"
        if self.reasoning:
            return f"{thought} with a line `Verdict: X`, where X is {what}."
        return f"Write nothing but {what}."

    def _range(self) -> str:
        worst, best = (self.high, self.low) if self.down else (self.low, self.high)
        low, high = ((best, "best"), (worst, "worst")) if self.down else ((worst, "worst"), (best, "best"))
        return f"from {_plain(low[0])} ({low[1]}) to {_plain(high[0])} ({high[1]})"


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


_CRITERIA = "Judge by these criteria: "
_PAIR = (
    ("Two answers to one question are to be compared.", "Which answer is better?"),
    ("Here are a question and two candidate answers.", "Decide which of the two answers is the better one."),
    ("You are an impartial judge. Compare the two answers below.", "Say which answer you prefer."),
)
_SINGLE = (
    ("An answer to a question is to be graded.", "How good is the answer?"),
    ("Here are a question and a candidate answer.", "Decide how good this answer is."),
    ("You are an impartial judge. Assess the answer below.", "Say what the answer deserves."),
)


def judging(judge: Judge) -> Judging:
    """`judge` with its defaults. Raises InputError where its fields contradict each other."""
    mode = judge.mode or DEFAULTS["mode"]
    pairwise = mode == "pairwise"
    _check(judge, pairwise)
    scale = judge.scale
    low = _or(scale.low if scale else None, DEFAULTS["low"])
    high = _or(scale.high if scale else None, DEFAULTS["high"])
    if not low < high:
        raise InputError(f"runs from {low:g} to {high:g}; state low < high", field="judge.scale")
    tie: str | None = judge.tie or None
    labels = judge.labels or (DEFAULTS["labels"] if pairwise else ())
    return Judging(
        mode=mode,
        rubric=judge.rubric if judge.rubric is not None else DEFAULTS["rubric"][mode],
        labels=(*labels, *([tie] if tie else [])),
        tie=tie,
        low=low,
        high=high,
        down=(scale.direction if scale else None) == "down",
        criteria=judge.criteria or (),
        swapped=judge.order == "swapped",
        reference=bool(judge.reference),
        reasoning=bool(judge.reasoning),
        wording=judge.wording or DEFAULTS["wording"],
    )


def _check(judge: Judge, pairwise: bool) -> None:
    if pairwise:
        for name, value in (("scale", judge.scale), ("criteria", judge.criteria)):
            if value is not None:
                raise InputError("is for a judge of single answers; leave it out", field=f"judge.{name}")
        if judge.labels is not None and len(judge.labels) != 2:
            raise InputError("names the two answers, e.g. [A, B]; a tie is judge.tie", field="judge.labels")
    else:
        for name, value in (("tie", judge.tie), ("order", judge.order)):
            if value is not None:
                raise InputError("is for pairs; write mode: pairwise, or leave it out", field=f"judge.{name}")
        if judge.labels is not None and len(judge.labels) < 2:
            raise InputError("needs two words or more, the worst first", field="judge.labels")
        if judge.labels is not None and (judge.scale is not None or judge.criteria is not None):
            raise InputError("words and numbers exclude each other; state labels or a scale", field="judge.labels")
    words = [w.casefold() for w in (*(judge.labels or DEFAULTS["labels"]), *([judge.tie] if judge.tie else []))]
    if len(set(words)) < len(words):
        raise InputError(f"two verdicts are called alike: {', '.join(words)}", field="judge.labels")


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def expanded(spec: Spec) -> Spec:
    """`spec` with what its `judge` is short for written out; what is stated besides stands as it is.

    >>> from eyechart.core.spec import Evaluation
    >>> spec = expanded(Spec(judge=Judge(mode="pairwise", order="swapped")))
    >>> spec.evaluation.score, spec.prompt.edits
    ({'verdict': {'labels': ['A', 'B'], 'mode': 'pairwise'}}, ('swap_outputs',))
    """
    if spec.judge is None:
        return spec
    made = judging(spec.judge)
    prompt = spec.prompt.stated()
    prompt.setdefault("template", made.template)
    if "few_shot" in prompt:
        prompt.setdefault("answer", made.answer)
    if made.swapped:
        prompt["edits"] = [*prompt.get("edits", ()), SWAP]
    evaluation = spec.evaluation.stated()
    if "method" not in evaluation:
        evaluation.setdefault("extraction", made.reader)
        evaluation.setdefault("score", made.scorer)
    return Spec.model_validate({**spec.stated(), "prompt": prompt, "evaluation": evaluation})


def judge_of(spec: Spec) -> Spec | None:
    """The judge that reads the answers of `spec`, as an evaluation of its own; None where it has none.

    Raises InputError where the method is `judge` and no judge is stated.
    """
    evaluation = spec.evaluation
    if evaluation.method != "judge" and evaluation.score != "judge":
        return None
    if evaluation.judge is None:
        raise InputError("say who judges, e.g. judge: {model: {...}, rubric: ...}", field="evaluation.judge")
    plain = evaluation.judge.stated()
    if plain.get("mode") == "pairwise":
        raise InputError(
            "compares two answers; here there is one: write mode: pointwise", field="evaluation.judge.mode"
        )
    parts = {name: plain.pop(name) for name in ("prompt", "decoding", "model") if name in plain}
    repeats = plain.pop("repeats", None)
    return Spec.model_validate({**parts, "judge": plain, "repeats": {"count": repeats} if repeats else {}})
