"""Whether a judge may be trusted here: its calibration, and warnings that name their evidence.

A calibration says what was measured, when, on whose labels, of which judge with which rubric. It holds for that judge,
that rubric and those targets: each departure is a warning. What would be needed to tell is often not recorded; then
that is said, and not passed over.

>>> judge = Sitting(name="gpt-4o", rubric="j1:ab")
>>> use = Use(sittings=(judge,), targets=("gpt-4o-mini", "claude-3-haiku"))
>>> [(w.code, w.state) for w in warnings_for(use, None, date(2026, 3, 1))]
[('same_family', 'found'), ('never_calibrated', 'found')]
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal, NamedTuple, cast

from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.laws import normal_quantile

DAYS = 90
"""Age in days at which a calibration is called old where no limit is stated: a convention of ours."""
WIDE = 0.1
"""Half-width of an interval, as a fraction of 1, beyond which labels are called too few: a convention of ours."""
MARK = "eyechart_calibration"

State = Literal["found", "unknown"]
"""`found`: the evidence shows it. `unknown`: it cannot be told from what is recorded. What is in order is not said."""
Severity = Literal["high", "low"]


class Lineage(NamedTuple):
    """Whose model it is, and which family it belongs to; a distilled or merged one has several."""

    vendor: str
    family: str


# One line a family: vendor, family, words of names. A family holds what was trained from one another or from the same
# research: gemma with gemini, mixtral with mistral, vicuna with llama. GPT-2's imitations are not OpenAI's.
_FAMILIES = (
    ("openai", "gpt", r"(?:chat)?gpt[- ]?[1-9]\w*|gpt-oss|o[134](?:-mini|-preview|-pro)?|text-davinci|davinci|codex"),
    ("anthropic", "claude", r"claude"),
    ("google", "gemini", r"gemini|gemma\d?|codegemma|medgemma|palm-?2?|text-bison|learnlm"),
    ("google", "t5", r"flan(?:-t5)?|t5"),
    ("meta", "llama", r"(?:code-?|tiny-?)?llama-?\d*|vicuna|alpaca|guanaco|wizardlm"),
    ("meta", "opt", r"opt-\d+(?:\.\d+)?[bm]"),
    ("mistral", "mistral", r"mistral|mixtral|ministral|codestral|magistral|devstral|pixtral|zephyr"),
    ("alibaba", "qwen", r"qwen-?\d*|qwq|qvq"),
    ("deepseek", "deepseek", r"deepseek"),
    ("microsoft", "phi", r"phi-?\d*"),
    ("huggingface", "smollm", r"smollm\d?|smolvlm\d?"),
    ("tii", "falcon", r"falcon\d?"),
    ("cohere", "command", r"command-(?:[ra]\d*|light|nightly|xlarge)\+?|c4ai|aya"),
    ("xai", "grok", r"grok"),
    ("amazon", "nova", r"nova-(?:micro|lite|pro|premier)|titan-text"),
    ("01.ai", "yi", r"yi-(?:\d|large|lightning|medium|spark|vision|coder)\w*"),
    ("zhipu", "glm", r"(?:chat)?glm-?\d*"),
    ("shanghai ai lab", "internlm", r"internlm\d?"),
    ("allen ai", "olmo", r"olmo\w*"),
    ("eleutherai", "pythia", r"pythia|gpt-neox?|gpt-?j|polyglot"),
    ("ibm", "granite", r"granite"),
    ("nvidia", "nemotron", r"nemotron"),
    ("moonshot", "kimi", r"kimi|moonlight"),
    ("minimax", "minimax", r"minimax|abab\d"),
    ("ai21", "jamba", r"jamba|jurassic|j2-\w+"),
    ("databricks", "dbrx", r"dbrx|dolly"),
    ("mosaicml", "mpt", r"mpt-\d+b"),
    ("bigscience", "bloom", r"bloomz?"),
    ("upstage", "solar", r"solar"),
    ("baidu", "ernie", r"ernie"),
)
_KNOWN = tuple((Lineage(v, f), re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z])")) for v, f, words in _FAMILIES)
_TOOLS = re.compile(r"llama[-. ]?(?:index|cpp|file|factory|hub|parse|stack)|gpt4all")
"""Programs named after a model."""


def lineage(name: str) -> tuple[Lineage, ...]:
    """Vendor and family that a model's name gives away; empty where it gives away none.

    A guess from the name alone: `my-finetune-v3` may be anything, and says so by being empty.

    >>> lineage("meta-llama/Llama-2-7b-chat-hf"), lineage("google/gemma-2-9b-it")
    ((Lineage(vendor='meta', family='llama'),), (Lineage(vendor='google', family='gemini'),))
    >>> [one.family for one in lineage("DeepSeek-R1-Distill-Qwen-7B")], lineage("llama-index"), lineage("gpt-neo-2.7B")
    (['qwen', 'deepseek'], (), (Lineage(vendor='eleutherai', family='pythia'),))
    """
    text = _TOOLS.sub(" ", name.casefold().replace("_", "-"))
    owner, slash, model = text.rpartition("/")
    found = tuple(line for line, words in _KNOWN if words.search(model))
    # The folder says whose it is only where the name does not: `meta-llama/…` holds others' models too.
    return found or tuple(line for line, words in _KNOWN if slash and words.search(owner))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A judge as it sat in one run; None: not recorded."""

    name: str
    engine: str | None = None
    """Digest of the engine."""
    served_model: str | None = None
    """What the server said it was."""
    system_fingerprint: str | None = None
    rubric: str | None = None
    """Digest of what the judge is asked: rubric, scale, order, template."""
    run: str = ""
    """Which run it was, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What a judge is used for."""

    sittings: tuple[Sitting, ...]
    """One for each run that is reported or compared."""
    targets: tuple[str, ...]
    """Models whose answers are judged; empty: not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A judge measured against people."""

    judge: Sitting
    targets: tuple[str, ...]
    """Whose answers were labelled; empty: not told."""
    made: date
    labels: int
    """Things with a label of people and a readable verdict of the judge."""
    random: bool | None = None
    """Whether they were drawn at random from what is judged; None: not told."""
    source: str = ""
    """Where the labels come from, in words or as a file name."""
    measures: tuple[Estimate | NotEstimable, ...] = ()
    """`sensitivity`, `specificity`, `kappa`, `alpha`, ..., each by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """One warning about a judge."""

    code: str
    state: State
    severity: Severity
    text: str
    """What it means, as a sentence."""
    evidence: str
    """What it was seen from, or what is missing."""
    remedy: str


def warnings_for(
    use: Use, calibration: Calibration | None, today: date, *, days: int = DAYS, wide: float = WIDE
) -> tuple[Caution, ...]:
    """What speaks against trusting the judge in `use`, the grave first; what is in order is left out.

    `days`: age from which a calibration is old. `wide`: half-width of an interval, as a fraction of 1, from which
    labels are too few. Raises ValueError for a use without a sitting.
    """
    if not use.sittings:
        raise ValueError("a use names at least one sitting of a judge")
    found = [*_related(use), *_changed(use)]
    if calibration is None:
        names = ", ".join(dict.fromkeys(one.name for one in use.sittings))
        text = "the judge was never compared with people: its scores are its own opinion"
        remedy = "label a random part (eyechart judge sheet export) and compare (eyechart judge audit)"
        found.append(_found("never_calibrated", text, f"no calibration of {names} was given", remedy))
    else:
        found += [*_borrowed(use, calibration), *_outdated(use, calibration)]
        found += [*_aged(calibration, today, days), *_few(calibration, wide), *_drawn(calibration)]
    return tuple(sorted(found, key=lambda one: (one.severity != "high", one.state != "found")))


def _same_name(a: str, b: str) -> bool:
    """
    >>> _same_name("openai/GPT-4o", "gpt-4o"), _same_name("org/a", "other/a")
    (True, False)
    """
    (first, second), (left, right) = (a.casefold().rpartition("/")[::2], b.casefold().rpartition("/")[::2])
    return second == right and (first == left or not first or not left)


def _related(use: Use) -> Iterator[Caution]:
    remedy = "judge with a model of another vendor as well, and compare; or correct with labels of people"
    if not use.targets:
        yield _unknown("same_family", "whose answers are judged is not recorded", "name the models that are judged")
        return
    close: dict[tuple[str, Severity, str], list[str]] = {}
    unclear: list[str] = []
    for judge in dict.fromkeys(one.name for one in use.sittings):
        own = lineage(judge)
        for target in dict.fromkeys(use.targets):
            theirs = lineage(target)
            shared = sorted({line.family for line in own} & {line.family for line in theirs})
            vendors = sorted({line.vendor for line in own} & {line.vendor for line in theirs})
            pair = f"{judge} judges {target}"
            if _same_name(judge, target):
                close.setdefault(("same_model", "high", "the judge judges itself"), []).append(pair)
            elif shared:
                text = "judge and judged are of one family, and may share what they like"
                close.setdefault(("same_family", "high", text), []).append(f"{pair} ({', '.join(shared)})")
            elif vendors:
                text = "judge and judged come from one vendor"
                close.setdefault(("same_vendor", "low", text), []).append(f"{pair} ({', '.join(vendors)})")
            elif not own or not theirs:
                unclear.append(judge if not own else target)
    for (code, severity, text), pairs in close.items():
        told = "; ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")
        yield _found(code, text, f"by their names: {told}", remedy, severity)
    if unclear:
        names = ", ".join(list(dict.fromkeys(unclear))[:6])
        yield _unknown("same_family", f"the name gives away no family: {names}", "say which models these are made from")


def _found(code: str, text: str, evidence: str, remedy: str, severity: Severity = "high") -> Caution:
    return Caution(code=code, state="found", severity=severity, text=text, evidence=evidence, remedy=remedy)


def _unknown(code: str, evidence: str, remedy: str) -> Caution:
    return Caution(code=code, state="unknown", severity="low", text=_OPEN[code], evidence=evidence, remedy=remedy)


_OPEN = {
    "same_family": "whether judge and judged are related cannot be told",
    "judge_changed": "whether the judge was the same in all runs cannot be told",
    "rubric_changed": "whether the rubric was the same in all runs cannot be told",
    "judge_outdated": "whether the judge is still the one that was calibrated cannot be told",
    "rubric_outdated": "whether the rubric is still the one that was calibrated cannot be told",
    "borrowed": "whether the calibration is of these targets cannot be told",
    "old": "how old the calibration is cannot be told",
    "not_random": "whether the labels were drawn at random cannot be told",
}
_PARTS = (
    ("name", "name"),
    ("engine", "engine digest"),
    ("served_model", "served model"),
    ("system_fingerprint", "system fingerprint"),
)


def _differences(sittings: tuple[Sitting, ...]) -> tuple[list[str], bool]:
    """Which parts of the judge's version differ, and whether any is recorded for all of them.

    The name alone is no version: a served name may hide another model behind it next month.
    """
    out: list[str] = []
    told = False
    for attribute, words in _PARTS:
        values = [cast("str | None", getattr(one, attribute)) for one in sittings]
        known = list(dict.fromkeys(value for value in values if value is not None))
        if len(known) > 1:
            out.append(f"{words}: {' then '.join(value[:40] for value in known[:4])}")
        told = told or (attribute != "name" and None not in values)
    return out, told


def _changed(use: Use) -> Iterator[Caution]:
    if len(use.sittings) < 2:
        return
    differ, told = _differences(use.sittings)
    remedy = "judge all runs again with one judge and one rubric; the answers are stored, only the judge is called"
    if differ:
        text = "runs that are compared had different judges: their difference is partly the judges'"
        yield _found("judge_changed", text, "; ".join(differ), remedy)
    elif not told:
        missing = "no engine digest, served model or system fingerprint is recorded for every run"
        yield _unknown("judge_changed", missing, remedy)
    rubrics = [one.rubric for one in use.sittings]
    known = list(dict.fromkeys(rubric for rubric in rubrics if rubric is not None))
    if len(known) > 1:
        text = "runs that are compared were judged by different rubrics"
        yield _found("rubric_changed", text, " then ".join(r[:20] for r in known[:4]), remedy)
    elif None in rubrics:
        yield _unknown("rubric_changed", f"no rubric is recorded for {rubrics.count(None)} of the runs", remedy)


def _borrowed(use: Use, calibration: Calibration) -> Iterator[Caution]:
    remedy = "label a random part of the answers of each target that is judged"
    if not use.targets or not calibration.targets:
        side = "judged" if not use.targets else "labelled"
        yield _unknown("borrowed", f"whose answers were {side} is not recorded", remedy)
        return
    strange = [t for t in dict.fromkeys(use.targets) if not any(_same_name(t, c) for c in calibration.targets)]
    if strange:
        text = "the calibration is borrowed: labels of one target say nothing sure about another"
        evidence = f"labelled: {', '.join(calibration.targets[:6])}; judged without labels: {', '.join(strange[:6])}"
        yield _found("borrowed", text, evidence, remedy)


def _outdated(use: Use, calibration: Calibration) -> Iterator[Caution]:
    remedy = "calibrate again: let this judge, with this rubric, judge what people labelled"
    compared = [_differences((calibration.judge, one)) for one in use.sittings]
    differ = list(dict.fromkeys(line for lines, _ in compared for line in lines))
    if differ:
        yield _found("judge_outdated", "the judge is not the one that was calibrated", "; ".join(differ[:6]), remedy)
    elif not all(told for _, told in compared):
        missing = "no engine digest, served model or system fingerprint is recorded on both sides"
        yield _unknown("judge_outdated", missing, remedy)
    rubrics = [one.rubric for one in use.sittings]
    was = calibration.judge.rubric
    other = [r for r in dict.fromkeys(rubrics) if was is not None and r is not None and r != was]
    if other:
        text = "the rubric is not the one that was calibrated"
        yield _found("rubric_outdated", text, f"{cast('str', was)[:20]} then {other[0][:20]}", remedy)
    elif was is None or None in rubrics:
        side = "calibration" if was is None else "runs"
        yield _unknown("rubric_outdated", f"no rubric is recorded for the {side}", remedy)


def _aged(calibration: Calibration, today: date, days: int) -> Iterator[Caution]:
    age = (today - calibration.made).days
    if age < 0:
        yield _unknown("old", f"it is dated {calibration.made}, after today ({today})", "correct the date")
    elif age > days:
        evidence = f"made {calibration.made}, {age:,} days ago; the limit is {days:,}"
        remedy = "label a few new answers and see whether the judge still agrees with people"
        yield _found("old", "the calibration is old", evidence, remedy, "low")


def _few(calibration: Calibration, wide: float) -> Iterator[Caution]:
    text = "there are too few labels to say how good the judge is"
    remedy = "label more answers; eyechart judge audit says how many"
    known = [(one, one.interval) for one in calibration.measures if isinstance(one, Estimate) and one.interval]
    lacking = [one for one in calibration.measures if isinstance(one, NotEstimable)]
    spans = [(one, (interval.high - interval.low) / 2) for one, interval in known]
    broad = [f"{one.name} {one.value:.2f} ± {half:.2f}" for one, half in spans if not half <= wide]
    broad += [f"{one.name}: {one.reason}" for one in lacking]
    enough = math.ceil((normal_quantile(0.975) / (2 * wide)) ** 2)  # half-width of a share of one half, at its worst
    if broad:
        evidence = f"{calibration.labels:,} labels: {'; '.join(broad[:4])}; the limit is ± {wide:.2f}"
        yield _found("few_labels", text, evidence, remedy)
    elif not known and calibration.labels < enough:
        evidence = f"{calibration.labels:,} labels; a share within ± {wide:.2f} may need {enough:,}"
        yield _found("few_labels", text, evidence, remedy)


def _drawn(calibration: Calibration) -> Iterator[Caution]:
    remedy = "draw at random from what is judged (eyechart judge sheet export --count draws so)"
    source = calibration.source or "a source that is not named"
    if calibration.random is None:
        yield _unknown("not_random", f"labels from {source}; how they were chosen is not recorded", remedy)
    elif not calibration.random:
        text = "the labelled answers were not drawn at random: neither rates nor corrections carry over to the rest"
        yield _found("not_random", text, f"labels from {source}", remedy)


def calibration_text(calibration: Calibration) -> str:
    """As JSON, one object; `parse_calibration` reads it back.

    >>> one = Calibration(judge=Sitting(name="gpt-4o"), targets=("m",), made=date(2026, 3, 1), labels=150)
    >>> parse_calibration(calibration_text(one)) == one
    True
    """
    body = asdict(calibration) | {"made": calibration.made.isoformat()}
    return json.dumps({MARK: 1} | body, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def parse_calibration(text: str, file: str | None = None) -> Calibration:
    """Raises InputError for what is no calibration."""
    try:
        body: dict[str, Any] = json.loads(text)
        if body.pop(MARK) != 1:
            raise InputError("is a calibration of another version; this eyechart reads version 1", file=file)
        wanted: dict[str, Callable[[Any], Any]] = {
            "judge": _sitting,
            "targets": lambda v: tuple(map(_text, v)),
            "made": date.fromisoformat,
            "measures": lambda v: tuple(map(_measure, v)),
        }
        found = Calibration(**{name: wanted.get(name, lambda v: v)(value) for name, value in body.items()})
        if not isinstance(found.labels, int) or found.labels < 0 or found.random not in (None, True, False):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("is no calibration; eyechart judge audit writes one", file=file) from None
    return found


def _sitting(body: dict[str, Any]) -> Sitting:
    return Sitting(**cast("Any", {name: part if part is None else _text(part) for name, part in body.items()}))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _measure(body: dict[str, Any]) -> Estimate | NotEstimable:
    if "reason" in body:
        return NotEstimable(**body)
    interval = Interval(**body["interval"]) if body.get("interval") else None
    return Estimate(**cast("Any", body | {"interval": interval, "warnings": tuple(body.get("warnings", ()))}))
