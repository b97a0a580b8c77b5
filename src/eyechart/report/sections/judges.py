"""Judges, whose opinion is the metric: what moves them, how far they can be trusted, and what may be said.

An audit speaks English; its words are looked up in the catalogue, and names of models are shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eyechart.analysis.judged_grades import GradeAudit
from eyechart.analysis.judged_pairs import PairAudit
from eyechart.analysis.judged_rates import RateAudit
from eyechart.analysis.judgements import Effect
from eyechart.analysis.results import Number
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    Heading,
    Message,
    Note,
    Prose,
    Row,
    Span,
    SpanBlock,
    Table,
    Text,
    message,
)
from eyechart.report.common import NAME, interval_cell, missing, p_cell, row, score_cell, table
from eyechart.report.inputs import JudgeSaid, ReportInput, Sentence
from eyechart.report.messages import in_words, knows
from eyechart.report.sections.judge_tables import (
    corrected_scores,
    measures,
    plain_cell,
    score_of,
    share_cell,
    win_rates,
)
from eyechart.report.text import short, slug

AGAINST = {
    "judges.said.first": "judges.against.first",
    "judges.said.longer": "judges.against.longer",
    "judges.said.longer_answers": "judges.against.longer",
    "judges.said.higher": "judges.against.higher",
    "judges.said.wider": "judges.against.wider",
}
"""What a negative effect favours, where there is a word for it."""
GRADES = ("leniency", "compression")
"""Effects on grades as such, which favour no answer."""
OTHERWISE = "another verdict"
"""What asking in other words favours."""
THINGS, NOTES = 6, 12
"""Things named in a sentence, notes under a judge; more are counted."""


def judges(given: ReportInput) -> list[Block]:
    """Nothing where there is no judge, and no scheme whose sentences were worked out."""
    blocks = [block for said in given.judges for block in _judge(said)]
    return blocks + ([_sentences(given.sentences_allowed)] if given.sentences_allowed else [])


def _judge(said: JudgeSaid) -> Iterator[Block]:
    name, audit = short(said.name, NAME), said.audit
    yield Heading(text=message("judges.title", name=name), level=3, anchor=slug("judge", said.name[:NAME]))
    if audit is None:
        yield Prose(text=message("judges.unaudited"))
        yield from _cautions(said)
        return
    effects = said.effects or (() if isinstance(audit, RateAudit) else audit.effects)
    yield Prose(text=score_of(audit.overall) if isinstance(audit, RateAudit) else verdict(effects, _own(said)))
    if isinstance(audit, PairAudit) and audit.by_position:
        yield Note(kind="warning", text=message("judges.by_position"))
    yield from _cautions(said)
    if any(numbers.known(effect.value) for effect in effects):
        yield _chart(effects, _own(said))
    if effects:
        yield _effects(effects, _own(said))
    if isinstance(audit, PairAudit) and audit.win_rates:
        yield win_rates(audit)
    if isinstance(audit, RateAudit):
        yield from corrected_scores(audit)
    yield from measures(said)
    yield Prose(text=_unreadable(audit))
    yield from _notes(said, effects)


def _own(said: JudgeSaid) -> str | None:
    return None if said.audit is None or isinstance(said.audit, RateAudit) else said.audit.own


def verdict(effects: Sequence[Effect], own: str | None = None) -> Text:
    """What moves this judge, and what is not known yet, as one text.

    `own`: the model that was told to be the judge's own.

    >>> from eyechart.report.messages import say
    >>> absent = Effect(name="length", towards="the longer answer", value=NotEstimable(name="x", reason="no lengths"))
    >>> say(verdict([absent]), "en")
    'Nothing can be told of what moves this judge.'
    """
    biased = [e for e in effects if e.finding == "biased"]
    doubted = [e for e in effects if _doubted(e)]
    unsure = [e for e in effects if e.finding == "unsure" and not _doubted(e)]
    negligible = [e for e in effects if e.finding == "negligible"]
    groups = (
        ("favours", [_favours(e, own) for e in biased if e.name not in GRADES and e.towards != OTHERWISE]),
        ("gives", [_favours(e, own) for e in biased if e.name in GRADES]),
        ("turns", [_name(e, own) for e in biased if e.towards == OTHERWISE]),
    )
    what = [message(f"judges.{key}", things=_things(things)) for key, things in groups if things]
    said: list[Text] = [message("judges.biased", what=_joined(what, "list.join"))] if what else []
    if doubted:
        key = "judges.doubted" if what else "judges.doubted.first"
        said.append(message(key, things=_things([_favours(e, own) for e in doubted])))
    if unsure:
        said += [] if said else [message("judges.unshown")]
        said.append(message("judges.unsure", things=_things([_name(e, own) for e in unsure])))
    if not said and negligible:
        tolerance = numbers.points(max(e.tolerance for e in negligible))
        things = _things([_name(e, own) for e in negligible])
        said.append(message("judges.negligible", things=things, tolerance=tolerance))
    return _joined(said or [message("judges.nothing")], "judges.sentences")


def _doubted(effect: Effect) -> bool:
    """Shown to be there, but perhaps quality: its test finds it, and the audit would not call it a bias."""
    interval, p = numbers.interval_of(effect.value), effect.p_adjusted
    return effect.finding == "unsure" and interval is not None and p is not None and p <= 1 - interval.level


def _joined(texts: Sequence[Text], key: str) -> Text:
    out = texts[0]
    for text in texts[1:]:
        out = message(key, first=out, second=text)
    return out


def _things(texts: Sequence[Text]) -> Text:
    once = list(dict.fromkeys(texts))
    more = len(once) - THINGS
    shown = once if more <= 0 else [*once[:THINGS], message("judges.more", n=numbers.whole(more))]
    return _joined(shown, "judges.list")


def _name(effect: Effect, own: str | None) -> Text:
    """An effect by its name; of a model, by the model."""
    if _model(effect) is not None:
        return _towards(effect, own)
    key = f"judges.effect.{effect.name}"
    return message(key) if knows(key) else short(effect.name.replace("_", " "), NAME)


def _model(effect: Effect) -> str | None:
    """The model whose favour it is."""
    if effect.name != "own_model" and not effect.name.startswith("model "):
        return None
    for model in (effect.unit.removesuffix(" instead of another's answer"), effect.unit.removeprefix("written by ")):
        if model != effect.unit:
            return model
    return None


def _towards(effect: Effect, own: str | None) -> Text:
    """What a positive value favours."""
    model = _model(effect)
    if model is None:
        found = in_words(effect.towards)
        return short(found, NAME) if isinstance(found, str) else found
    if effect.name != "own_model":
        return short(model, NAME)
    return message("judges.own" if own is not None else "judges.own.perhaps", model=short(model, NAME))


def _favours(effect: Effect, own: str | None) -> Text:
    """What it favours, by its sign."""
    towards, value = _towards(effect, own), numbers.known(effect.value)
    if value is None or value.value >= 0 or effect.towards == OTHERWISE:
        return towards
    against = AGAINST.get(towards.key) if isinstance(towards, Message) else None
    return message(against) if against else message("judges.others", thing=towards)


def _chart(effects: Sequence[Effect], own: str | None) -> SpanBlock:
    """Every effect with its interval, below the smallest effect of interest around nothing."""
    zone = max(effect.tolerance for effect in effects)
    ends = f"{numbers.signed(-zone)}, {numbers.signed(zone)}"
    first = Span(name=message("judges.chart.zone"), low=-zone, high=zone, point=0.0, value=ends, kind="repeat")
    spans = [first, *(_span(effect, own) for effect in effects)]
    columns = ((message("judges.col.effect"), False), (message("judges.col.points"), True))
    twin = table(columns, [row(span.name, Cell(text=span.value, value=span.point)) for span in spans])
    return SpanBlock(title=message("judges.chart"), spans=tuple(spans), twin=twin)


def _span(effect: Effect, own: str | None) -> Span:
    value, interval = numbers.known(effect.value), numbers.interval_of(effect.value)
    name, towards = _name(effect, own), _towards(effect, own)
    return Span(
        name=name if name == towards else message("judges.thing", name=name, favours=towards),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        point=value.value if value else None,
        value=_signed(effect.value) if value else message("spans.unknown"),
        kind="items",
    )


def _signed(number: Number) -> Text:
    value, interval = numbers.known(number), numbers.interval_of(number)
    if value is None:
        return message("missing")
    shown = numbers.signed(value.value)
    ends = interval and numbers.ends(interval, change=True)
    return message("spans.interval", score=shown, ends=ends) if ends else shown


def _ends(effect: Effect, usual: float) -> Cell:
    """The interval; its level where that is another one, as of the most favoured of several models."""
    cell, interval = interval_cell(effect.value, change=True), numbers.interval_of(effect.value)
    lowest = interval is None or interval.level <= usual
    return (
        cell
        if lowest or interval is None
        else replace(cell, text=f"{numbers.ends(interval, change=True)} ({interval.level:.0%})")
    )


def _effects(effects: Sequence[Effect], own: str | None) -> Table:
    edited = any(effect.robustness is not None for effect in effects)
    odds = any(effect.log_odds is not None for effect in effects)
    keys = ["effect", "favours", "points", "ends", *(["odds"] if odds else []), "p", "finding", "needed"]
    keys += ["kept", "again"] if edited else []
    level = min((i.level for e in effects if (i := numbers.interval_of(e.value))), default=0.95)
    caption: Text = message(
        "judges.effects.caption",
        level=numbers.percent(level),
        tolerance=numbers.points(max(effect.tolerance for effect in effects)),
    )
    if edited:
        caption = message("judges.sentences", first=caption, second=message("judges.effects.kept"))
    rows: list[Row] = []
    for effect in effects:
        cells = {
            "effect": _effect(effect, own),
            "favours": _towards(effect, own),
            "points": score_cell(effect.value, change=True),
            "ends": _ends(effect, level),
            "odds": plain_cell(effect.log_odds, message("judges.no_odds"), signed=True),
            "p": p_cell(effect.p_adjusted),
            "finding": Cell(
                text=message(f"judges.finding.{effect.finding}"), mark="flagged" if effect.finding == "biased" else ""
            ),
            "needed": _needed(effect),
            "kept": _kept(effect.robustness),
            "again": _kept(effect.repeatability),
        }
        rows.append(row(*(cells[key] for key in keys)))
    columns = [(message(f"judges.col.{key}"), key not in ("effect", "favours", "finding")) for key in keys]
    details = [place for place, key in enumerate(keys) if key in ("odds", "needed", "kept", "again")]
    return table(columns, rows, title=message("judges.effects"), caption=caption, details=details)


def _effect(effect: Effect, own: str | None) -> Text:
    model, unit = _model(effect), in_words(effect.unit)
    if model is not None:
        named = message("judges.effect.model", model=short(model, NAME))
        return message("judges.effect.own_model") if effect.name == "own_model" else named
    name = _name(effect, own)
    return message("judges.effect.of", name=name, unit=unit) if isinstance(unit, Message) else name


def _needed(effect: Effect) -> Cell:
    needed = effect.needed
    if isinstance(needed, int):
        return Cell(text=numbers.whole(needed), value=float(needed))
    return missing(in_words(needed.reason) if needed else message("judges.no_needed"))


def _kept(number: Number | None) -> Cell:
    return missing(message("judges.no_edit")) if number is None else share_cell(number)


def _unreadable(audit: PairAudit | GradeAudit | RateAudit) -> Text:
    if isinstance(audit, GradeAudit):
        return message("judges.unreadable.some", n=numbers.whole(audit.unreadable))
    if isinstance(audit, RateAudit):
        lost, total = audit.overall.unreadable, audit.overall.n + audit.overall.unreadable
    else:
        lost, total = audit.unreadable, 2 * audit.n
    return message("judges.unreadable", n=numbers.whole(lost), total=numbers.whole(total))


def _cautions(said: JudgeSaid) -> Iterator[Block]:
    """Found: a warning with its evidence and what helps. Not to be told: a row that says what is missing."""
    if said.cautions is None:
        yield Note(kind="missing", text=message("judges.unchecked"))
        return
    for one in said.cautions:
        if one.state == "found":
            parts = {name: in_words(text) for name, text in (("text", one.text), ("evidence", one.evidence))}
            yield Note(kind="warning", text=message("judges.caution", remedy=in_words(one.remedy), **parts))
    rows = [
        row(in_words(one.text), in_words(one.evidence), in_words(one.remedy))
        for one in said.cautions
        if one.state == "unknown"
    ]
    if rows:
        columns = [(message(f"judges.open.{key}"), False) for key in ("what", "lacking", "remedy")]
        yield table(columns, rows, title=message("judges.open"))


def _notes(said: JudgeSaid, effects: Sequence[Effect]) -> Iterator[Note]:
    own = _own(said)
    found: list[Text] = []
    for effect in effects:
        texts = [*effect.notes, *(effect.value.warnings if isinstance(effect.value, Estimate) else ())]
        texts += [effect.value.reason] if isinstance(effect.value, NotEstimable) else []
        found += [message("judges.note", name=_name(effect, own), text=in_words(text)) for text in texts]
    more = said.audit.overall.warnings if isinstance(said.audit, RateAudit) else ()
    found += [in_words(text) for text in (*more, *(said.audit.notes if said.audit else ()), *said.notes)]
    once = list(dict.fromkeys(found))
    yield from (Note(kind="info", text=text) for text in once[:NOTES])
    if len(once) > NOTES:
        yield Note(kind="info", text=message("judges.notes.more", n=numbers.whole(len(once) - NOTES)))


def _sentences(found: Sequence[Sentence]) -> Table:
    """What the scheme supports, and what must not be said of it."""
    columns = [(message(f"judges.may.col.{key}"), False) for key in ("sentence", "supported", "by")]
    rows: list[Row] = []
    for one in found:
        key = f"judges.may.{one.id}"
        state = Cell(text=message("judges.may.yes" if one.supported else "judges.may.no"),
                     mark="kept" if one.supported else "broken")  # fmt: skip
        rows.append(row(message(key) if knows(key) else one.text, state, in_words(one.by)))
    return table(columns, rows, title=message("judges.may"), caption=message("judges.may.caption"))
