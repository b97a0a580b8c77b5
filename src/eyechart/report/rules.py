"""Rules of thumb that a report can check by itself, from what it was given.

A rule that `ReportInput.rules` already answers is left alone. What cannot be told is `unknown`, never
`kept`; greedy decoding needs no seed and no repeats, and is said to need none. A rule about what was not
used (`judge_calibrated` without a judge) is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from eyechart.analysis.results import CellScore
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Message, State, Text, message
from eyechart.report.common import NAME, baseline_of, counted, listed
from eyechart.report.inputs import FieldRow, JudgeSaid, ReportInput, Rule
from eyechart.report.messages import in_words
from eyechart.report.messages.known import recognised
from eyechart.report.text import short

Answer = tuple[State, Text]

CALIBRATED = ("never_calibrated", "borrowed", "judge_outdated", "rubric_outdated", "old")
"""Cautions of which one is enough for a judge not to count as calibrated."""
ENOUGH = 3
"""Repeats from which a spread over runs can be seen at all."""


def rules_of_thumb(given: ReportInput) -> tuple[Rule, ...]:
    """Those not answered in `given.rules`, in a fixed order."""
    answered = {rule.id for rule in given.rules}
    fields = {field.path: field for field in given.fingerprint}
    out: list[Rule] = []
    for name, check in _CHECKS:
        if name not in answered:
            answer = check(given, fields)
            if answer is not None:
                out.append(Rule(id=name, state=answer[0], evidence=answer[1]))
    return tuple(out)


def sampled(fields: dict[str, FieldRow]) -> bool | None:
    """Whether the baseline draws its answers at random; None where the fingerprint does not say.

    >>> cold = FieldRow(path="decoding.temperature", value="0.0", state="default")
    >>> sampled({"decoding.temperature": cold}), sampled({})
    (False, None)
    """
    seed, heat, draws = (fields.get(f"decoding.{name}") for name in ("seed", "temperature", "do_sample"))
    if any(field is not None and field.state == "inert" for field in (seed, heat)):
        return False
    if draws is not None and draws.value in ("false", "False"):
        return False
    if heat is None or heat.value is None:
        return None
    try:
        return float(heat.value) > 0.0
    except ValueError:
        return None


def _moves_decoding(given: ReportInput) -> bool:
    """Whether a factor may turn sampling on or off; so it may, where layers were not stated."""
    layers = {layer for _, layer in given.layers}
    return not given.layers or not layers.isdisjoint(("decoding", "several"))


def _seed(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    field = fields.get("decoding.seed")
    if field is not None and field.value is not None and field.state in ("stated", "inert"):
        return "kept", message(f"rule.field.{field.state}", path=field.path, value=field.value)
    if sampled(fields) is False and not _moves_decoding(given):
        return "kept", message("rule.seed_stated.inert")
    if field is None or field.value is None:
        return "unknown", message("rule.not_in_fingerprint", path="decoding.seed")
    return "broken", message("rule.field.default", path=field.path, value=field.value)


def _stated(path: str) -> Callable[[ReportInput, dict[str, FieldRow]], Answer]:
    def check(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
        field = fields.get(path)
        if field is None or field.state == "unknown" or field.value is None:
            return "unknown", message("rule.not_in_fingerprint", path=path)
        key = {"stated": "rule.field.stated", "default": "rule.field.default", "inert": "rule.field.inert"}
        state: State = "broken" if field.state == "default" else "kept"
        return state, message(key[field.state], path=path, value=field.value)

    return check


def _samples_nothing(score: CellScore) -> bool:
    """Whether the analysis says of this set-up that another run would draw nothing anew."""
    number = score.repeat_it
    reason = recognised(number.reason) if isinstance(number, NotEstimable) else ""
    return isinstance(reason, Message) and reason.key in ("why.one_run_greedy", "why.construction")


def _repeats(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    base = baseline_of(given.analysis)
    if base is None:
        return "unknown", message("rule.no_baseline")
    n = counted("count.repeats", base.repeats)
    few = [s for s in given.analysis.scores if s.repeats < ENOUGH]
    if not few:
        return "kept", message("rule.repeats.enough", n=n)
    if all(_samples_nothing(s) for s in few):
        return "kept", message("rule.repeats.mixed", greedy=counted("count.setups", len(few)))
    draws = sampled(fields)
    if draws is None:
        return "unknown", message("rule.repeats.unclear", n=n)
    if draws:
        return "broken", message("rule.repeats.few", n=n)
    if _moves_decoding(given):
        return "unknown", message("rule.repeats.some", few=counted("count.setups", len(few)))
    return "kept", message("rule.repeats.greedy", n=n)


def _intervals(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    scores = given.analysis.scores
    if not scores:
        return "unknown", message("rule.no_scores")
    have = sum(numbers.interval_of(s.new_items) is not None for s in scores)
    state: State = "kept" if have == len(scores) else "broken"
    return state, message("rule.intervals.count", have=have, n=counted("count.setups", len(scores)))


def _failures(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    scores = given.analysis.scores
    if not scores or any(not s.outcomes for s in scores):
        return "unknown", message("rule.no_outcomes")
    failed = sum(s.outcomes.get("failed", 0) + s.outcomes.get("unscored", 0) for s in scores)
    return "kept", message(
        "rule.failures_counted.count", failed=failed, total=sum(sum(s.outcomes.values()) for s in scores)
    )


def _shots(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    count, source, split = (
        fields.get(path) for path in ("prompt.few_shot.count", "prompt.few_shot.source", "dataset.split")
    )
    if count is not None and count.value == "0":
        return "kept", message("rule.few_shot_split.none")
    if source is None or split is None or source.value is None or split.value is None:
        return "unknown", message("rule.not_in_fingerprint", path="prompt.few_shot.source")
    said = {"source": source.value, "split": split.value}
    if source.value == split.value:
        return "broken", message("rule.few_shot_split.same", **said)
    return "kept", message("rule.few_shot_split.apart", **said)


def _grader(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    """Kept where every grader has a certificate that is of today and meets its targets for what it read."""
    if not given.graders:
        return "unknown", message("rule.grader_certified.unread")
    bad = [g for g in given.graders if g.state in ("failing", "stale")]
    lacking = [g for g in given.graders if g.state in ("none", "untested")]
    names = ", ".join(f"{g.grader} ({g.kind})" for g in (bad or lacking or given.graders)[:6])
    if bad:
        return "broken", message("rule.grader_certified.bad", names=names)
    if lacking:
        return "unknown", message("rule.grader_certified.lacking", names=names)
    return "kept", names


def _judge(given: ReportInput, fields: dict[str, FieldRow]) -> Answer | None:
    """Kept where every judge was looked at and nothing says that its calibration is absent, another's or outdated."""
    if not given.judges:
        return None
    answers: tuple[tuple[str, State], ...] = (("found", "broken"), ("unknown", "unknown"))
    for wanted, state in answers:
        texts = [text for said in given.judges if (text := _doubt(said, wanted)) is not None]
        if texts:
            return state, listed(texts[:6])
    return "kept", listed(short(said.name, NAME) for said in given.judges[:6])


def _doubt(said: JudgeSaid, wanted: str) -> Text | None:
    """Why this judge may not count as calibrated, of cautions in that state; None where there is no reason."""
    if said.cautions is None:
        name = short(said.name, NAME)
        return message("rule.judge_calibrated.unchecked", name=name) if wanted == "unknown" else None
    found = [c for c in said.cautions if c.state == wanted and c.code in CALIBRATED]
    if not found:
        return None
    first = found[0]
    return message("rule.judge_calibrated.doubt", name=short(said.name, NAME), text=in_words(first.text),
                   evidence=in_words(first.evidence))  # fmt: skip


def _command(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    if given.facts.command:
        return "kept", given.facts.command
    return "unknown", message("reason.not_recorded")


def _drawn(given: ReportInput, fields: dict[str, FieldRow]) -> Answer:
    return "unknown", message("rule.not_told")


_CHECKS: tuple[tuple[str, Callable[[ReportInput, dict[str, FieldRow]], Answer | None]], ...] = (
    ("seed_stated", _seed),
    ("temperature_stated", _stated("decoding.temperature")),
    ("max_new_tokens_stated", _stated("decoding.max_new_tokens")),
    ("repeats", _repeats),
    ("intervals", _intervals),
    ("few_shot_split", _shots),
    ("failures_counted", _failures),
    ("grader_certified", _grader),
    ("judge_calibrated", _judge),
    ("drawn_ids", _drawn),
    ("command_kept", _command),
)
