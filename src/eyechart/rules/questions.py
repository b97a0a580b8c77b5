"""What a number does not say, as questions to those who published it.

Only what is not known is asked, and only what could matter there: nobody is asked for the seed of a greedy answer.

>>> from eyechart.rules.values import Field
>>> told = {"decoding.temperature": Field(value=0.0, state="stated")}
>>> known = Known(name="a board", kind="described", fields=told, setups=(Setup(id="", sampled=False, shots=0),))
>>> [q.id for q in questions(known) if q.group == "decoding"]
['max_new_tokens', 'stop']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from eyechart.analysis.readers import ReaderSpread
from eyechart.core.words import Text, message
from eyechart.rules.observed import COUNTS, ERRORS, certified
from eyechart.rules.stated import WITHOUT_WEIGHTS, floating
from eyechart.rules.values import Known, Setup

Group = Literal["data", "prompt", "decoding", "model", "reading", "numbers"]
GROUPS: tuple[Group, ...] = ("data", "prompt", "decoding", "model", "reading", "numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something to be asked. Its words stand in the catalogue under `disclose.ask.ID`, in both languages."""

    id: str
    group: Group
    text: Text
    reason: Text
    """Why it matters."""
    paths: tuple[str, ...]
    """Fields and facts of which any would have answered it."""
    effect: Text | None = None
    """How far it can move a score, by numbers of this very run; None: no number here says so."""
    size: float | None = None
    """That distance, a fraction of 1: between the ends of an interval, between readers, the share of answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    id: str
    group: Group
    paths: tuple[str, ...]
    rule: str
    """Whose reason it has."""
    applies: Callable[[Known], bool]
    answered: Callable[[Known], bool] | None = None
    """None: where one of `paths` is known."""


def questions(known: Known, readers: ReaderSpread | None = None) -> tuple[Question, ...]:
    """Those that `known` leaves open, in the order of the layers. `readers`: the same answers under usual graders."""
    out: list[Question] = []
    for ask in _ASKS:
        if not ask.applies(known):
            continue
        if ask.answered(known) if ask.answered else any(_said(known, path) for path in ask.paths):
            continue
        effect = _effect(ask, known, readers)
        out.append(
            Question(
                id=ask.id,
                group=ask.group,
                text=message(f"disclose.ask.{ask.id}"),
                reason=message(f"rule.{ask.rule}.reason"),
                paths=ask.paths,
                effect=effect[0] if effect else None,
                size=effect[1] if effect else None,
            )
        )
    return tuple(out)


def _said(known: Known, path: str) -> bool:
    """Whether somebody stated it, or it was seen. What this house would fill in is nobody's word before it was run."""
    field = known.fields.get(path)
    if field is not None and known.kind == "run":  # what was filled in stands in the run, unless a server did it
        served = known.value("model.backend") == "openai"
        return field.state != "unset" or not (served and path.startswith("decoding."))
    if field is not None:
        return field.state in ("stated", "inert") and (field.value is not None or field.state == "inert")
    return known.facts.get(path) is not None


def _points(value: float) -> str:
    return f"{abs(value) * 100:.1f}"


def _effect(ask: _Ask, known: Known, readers: ReaderSpread | None) -> tuple[Text, float] | None:
    """In words, and the distance that is named in them. Numbers in somebody's words have no known unit, and are not used."""
    if known.kind not in ("run", "imported"):
        return None
    if ask.id == "extraction" and readers is not None and readers.widest is not None:
        spread = readers.widest.spread
        if spread is not None:
            return message("disclose.readers", points=_points(spread), n=len(readers.graders)), spread
    moved = [known.moved[path] for path in ask.paths if path in known.moved]
    if moved:
        most = max(moved, key=lambda one: abs(one.change))
        key = f"disclose.moved.{'beyond' if most.beyond else 'within'}"
        return message(key, points=_points(most.change)), abs(most.change)
    truncated = known.value("outcomes.truncated")
    if ask.id in ("max_new_tokens", "stop") and truncated:
        return message("disclose.truncated", points=_points(truncated)), truncated
    lost = (known.value("outcomes.failed") or 0) + (known.value("outcomes.unscored") or 0)
    if ask.id == "failures" and lost:
        return message("disclose.failures", points=_points(lost)), lost
    return _between(ask, known)


def _between(ask: _Ask, known: Known) -> tuple[Text, float] | None:
    """What an interval of the run says of what is asked."""
    kinds = {"items": "", "interval": "", "seed": "repeat_", "repeats": "repeat_"}
    if ask.id not in kinds:
        return None
    low, high = (known.value(f"score.{kinds[ask.id]}{end}") for end in ("low", "high"))
    if low is None or high is None:
        return None
    told = {"low": _points(low), "high": _points(high)}
    if kinds[ask.id]:
        return message("disclose.repeats", **told), high - low
    return message("disclose.items", n=str(known.value("data.count") or "?"), **told), high - low


# What applies


def _always(known: Known) -> bool:
    return True


def _decodes(known: Known) -> bool:
    return known.setup().options is not True


def _draws(known: Known) -> bool:
    return _decodes(known) and any(s.sampled is not False for s in known.setups or (Setup(id=""),))


def _shots(known: Known) -> bool:
    return any(s.shots != 0 for s in known.setups or (Setup(id=""),))


def _weights(known: Known) -> bool:
    return known.value("model.backend") not in WITHOUT_WEIGHTS


def _elsewhere(known: Known) -> bool:
    """Whether somebody else published it, so that what happened beside the log is not known."""
    return not known.told


def _judged(known: Known) -> bool:
    return bool(known.judges)


# What is answered


def _fixed(*paths: str) -> Callable[[Known], bool]:
    """Known, and no name that moves."""

    def check(known: Known) -> bool:
        return any(_said(known, path) and not floating(known.value(path)) for path in paths)

    return check


def _versioned(known: Known) -> bool:
    paths = ("dataset.sha256", "dataset.revision", "dataset.version", "data.sha256", "data.resolved")
    return known.value("dataset.name") == "chart" or _fixed(*paths)(known)


def _extracted(known: Known) -> bool:
    field = known.fields.get("evaluation.extraction")
    value: Any = field.value if field is not None and field.state in ("stated", "inert") else None
    if isinstance(value, dict):
        inner: Any = value.get("recorded")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return not isinstance(inner, dict) or bool(inner.get("rule"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return value is not None or _said(known, "evaluation.method") or known.setup().options is True


def _graded(known: Known) -> bool:
    return not known.graders or certified(known).state == "kept"


def _all_items(known: Known) -> bool:
    count, of = known.value("data.count"), known.value("data.of")
    if _said(known, "dataset.limit") and _said(known, "dataset.seed"):
        return True
    if isinstance(count, int) and isinstance(of, int) and known.kind != "described":
        return count >= of or known.kind == "run"
    return known.kind == "run"


def _seeded(known: Known) -> bool:
    return all(s.seed for s in known.setups if s.sampled is not False) and bool(known.setups)


def _repeated(known: Known) -> bool:
    return all(s.repeats is not None for s in known.setups) and bool(known.setups)


def _sure(known: Known) -> bool:
    if known.scores:
        return any(not hasattr(s.new_items, "reason") for s in known.scores)
    names = [name.rpartition(".")[2].lower() for name in known.facts if name.startswith("score.")]
    return any(part in name for name in names for part in ERRORS)


def _tries(known: Known) -> bool:
    names = [name.rpartition(".")[2].lower() for name in known.facts if name.startswith("score.")]
    return known.kind == "run" or "configurations" in names or any(name in COUNTS for name in names)


def _counted(known: Known) -> bool:
    return bool(known.scores) and all(s.outcomes for s in known.scores or ()) and _all_items(known)


def _calibrated(known: Known) -> bool:
    from eyechart.rules.observed import calibrated

    found = calibrated(known)
    return found is None or found.state == "kept"


def _one(
    name: str,
    group: Group,
    rule: str,
    *paths: str,
    where: Callable[[Known], bool] = _always,
    answered: Callable[[Known], bool] | None = None,
) -> _Ask:
    return _Ask(id=name, group=group, rule=rule, paths=paths, applies=where, answered=answered)


_FEW = "prompt.few_shot"
_ASKS: tuple[_Ask, ...] = (
    _one("data_name", "data", "dataset_version", "dataset.name", "dataset.path"),
    _one("data_version", "data", "dataset_version", "dataset.revision", "dataset.sha256", "dataset.version",
         answered=_versioned),
    _one("split", "data", "split_stated", "dataset.split"),
    _one("items", "data", "not_first_n", "data.count", "dataset.limit", "dataset.seed", answered=_all_items),
    _one("template", "prompt", "template_stated", "prompt.template"),
    _one("chat_template", "prompt", "chat_template_stated", "prompt.chat_template", "model.api"),
    _one("shots", "prompt", "shots_stated", f"{_FEW}.count"),
    _one("shot_source", "prompt", "few_shot_split", f"{_FEW}.source", where=_shots),
    _one("shot_choice", "prompt", "shot_difficulty", f"{_FEW}.difficulty", f"{_FEW}.ids", f"{_FEW}.seed", where=_shots),
    _one("temperature", "decoding", "temperature_stated", "decoding.temperature", "decoding.do_sample", where=_decodes),
    _one("top_p", "decoding", "top_p_stated", "decoding.top_p", where=_draws),
    _one("max_new_tokens", "decoding", "max_new_tokens_stated", "decoding.max_new_tokens", where=_decodes),
    _one("stop", "decoding", "stop_stated", "decoding.stop", where=_decodes),
    _one("seed", "decoding", "seed_stated", "decoding.seed", where=_draws, answered=_seeded),
    _one("model_name", "model", "weights_fixed", "model.name", "model.path", where=_weights),
    _one("weights", "model", "weights_fixed", "model.revision", "model.sha256", "engine.sha256", where=_weights,
         answered=_fixed("model.revision", "model.sha256", "engine.sha256", "engine.revision")),
    _one("dtype", "model", "precision_stated", "model.dtype", "engine.dtype", where=_weights),
    _one("quantization", "model", "precision_stated", "model.quantization", "engine.quantization", where=_weights),
    _one("batch_size", "model", "hardware_stated", "model.batch_size", "engine.batching", "engine.batch",
         where=_weights),
    _one("hardware", "model", "hardware_stated", "runtime.hardware", "runtime.processor", "runtime.platform",
         where=_weights),
    _one("extraction", "reading", "extraction_stated", "evaluation.extraction", "evaluation.method",
         answered=_extracted),
    _one("grader", "reading", "grader_certified", "evaluation", where=_elsewhere, answered=_graded),
    _one("judge", "reading", "judge_calibrated", "evaluation.judge", "judge", where=_judged, answered=_calibrated),
    _one("harness_version", "reading", "harness_version", "harness.version", "evaluation.framework_version",
         "runtime.framework_version"),
    _one("repeats", "numbers", "repeats", "repeats.count", where=_draws, answered=_repeated),
    _one("interval", "numbers", "intervals", "score", answered=_sure),
    _one("failures", "numbers", "failures_counted", "outcomes.failed", answered=_counted),
    _one("tries", "numbers", "maximum_with_count", "score.configurations", answered=_tries),
    _one("command", "numbers", "command_kept", "runtime.command"),
)  # fmt: skip
