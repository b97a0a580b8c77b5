"""judge run: a judge asked about answers, in both orders and with whatever edit it should not mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eyechart.app.study import Study
from eyechart.core.codec import dump_study
from eyechart.core.errors import InputError
from eyechart.core.factors import get
from eyechart.core.judging import judging
from eyechart.core.registry import hint
from eyechart.core.spec import Factor, Judge, StudySpec
from eyechart.edits.judged import PROBES

ORDER = "order"
REWORDINGS: dict[str, Factor] = {
    "wording": Factor(name="wording", path="judge.wording", levels=(("1", 1), ("2", 2), ("3", 3))),
    "direction": Factor(name="direction", path="judge.scale.direction", levels=(("up", "up"), ("down", "down"))),
    "labels": Factor(name="labels", path="judge.labels", levels=(("A B", ["A", "B"]), ("1 2", ["1", "2"]))),
}
"""The same judge asked in other words: its prompt, the direction of its scale, its words for the two answers."""
_SWAPPED = Factor(name=ORDER, path="judge.order", levels=(("given", "given"), ("swapped", "swapped")))


USUAL = (
    "padding", "format", "authority", "cheerful", "bandwagon", "distraction", "fallacy", "instruction", "empty",
    "master_thought", "names", "wording", "labels", "direction",
)  # fmt: skip
"""One of each kind: what `--probes usual` asks, as far as it fits."""


def probes_for(judge: Judge) -> tuple[str, ...]:
    """Names of all probes that fit a judge. (Both orders of a pair are asked anyway.)

    >>> "direction" in probes_for(Judge()), "direction" in probes_for(Judge(mode="pairwise"))
    (True, False)
    """
    rewordings = ["wording"]
    if judge.mode == "pairwise":
        rewordings += ["labels"] if judge.labels is None else []
    elif judge.labels is None:
        rewordings += ["direction"]
    return (*(name for name in PROBES if name != "position"), *rewordings)


def judge_study(study: StudySpec, probes: Sequence[str], *, repeats: int | None = None) -> StudySpec:
    """`study`, of a judge, with a factor for each of `probes`, and both orders of pairs.

    Raises InputError for a study without `judge`, or a probe that is not there or does not fit it.
    """
    judge = study.spec.judge
    if judge is None:
        raise InputError("states no judge; write e.g. judge: {mode: pairwise, rubric: ...}", field="judge")
    known = probes_for(judge)
    own = {f.path for f in study.factors}
    factors = list(study.factors)
    if judging(judge).mode == "pairwise" and _SWAPPED.path not in own:
        factors.append(_from(study, _SWAPPED))
    for name in dict.fromkeys(probes):
        if name not in known:
            raise InputError(f"there is no probe {name} for this judge; {hint(name, known)}", field="probes")
        factor = REWORDINGS.get(name) or _edit(name)
        if factor.path in own and factor.path != "prompt.edits+":
            continue
        factors.append(_from(study, factor))
    spec = study.spec
    if repeats is not None:
        spec = spec.model_copy(update={"repeats": spec.repeats.model_copy(update={"count": repeats})})
    return study.model_copy(update={"factors": tuple(factors), "spec": spec})


def _edit(name: str) -> Factor:
    return Factor(name=name, path="prompt.edits+", levels=(("none", "none"), ("edited", PROBES[name].edit)))


def _from(study: StudySpec, factor: Factor) -> Factor:
    """`factor` with the level the judge stands on in front of the others."""
    now = get(study.spec, factor.path)
    if factor.path.endswith("+") or now is None:
        return factor
    first = [level for level in factor.levels if level[1] == now] or [(str(now), now)]
    return factor.model_copy(update={"levels": (*first, *(level for level in factor.levels if level[1] != now))})


def judged_study(study: Study, probes: Sequence[str], *, repeats: int | None = None) -> Study:
    """As `judge_study`, with the text that a run folder will hold."""
    spec = judge_study(study.spec, probes, repeats=repeats)
    if spec == study.spec:
        return study
    return replace(study, spec=spec.model_copy(update={"name": study.name}), text=dump_study(spec))


def named_probes(text: str | None, judge: Judge | None) -> tuple[str, ...]:
    """`all`, `usual`, `none`, or names.

    >>> named_probes("authority, wording", Judge())
    ('authority', 'wording')
    """
    if text is None or text == "none" or judge is None:
        return ()
    if text in ("all", "usual"):
        return tuple(name for name in probes_for(judge) if text == "all" or name in USUAL)
    return tuple(name.strip() for name in text.split(",") if name.strip())
