"""The report as plain data: JSON with stable keys, for programs.

`report_data` has these keys:

    schema        "eyechart-report/1"
    title, language
    verdict       {"tone": moves | quiet | unknown, "sentences": [range, mover, certainty]}
    analysis      scores, heat, spreads, curves, range, samples, groups, level, warnings; attribution (variance
                  shares, decision study, advice), contest (models against each other), subjects
    fingerprint   [{path, value, state}]
    inert         [{path, reason}]
    digests       {stated, effective, study}
    facts         {model, engine, command, started, finished, versions, calls, notes}
    rule_sets     names of the sets of rules
    rules         [{id, state, severity, text, evidence, reason, remedy, subject}]
    parts         the sections as blocks: what the other media show

Sections that stand alone (what `explain`, `flips`, a probe, `difficulty`, `doctor` or a judge audit found: chosen by
name, the verdict of a study not among them) have `schema`, `title`, `language`, `headline` (where the first of them
begins with a sentence) and `parts`, and nothing about a study, of which they know nothing.

Scores and changes are fractions of 1. An estimate is an object with `value`, `se`, `interval` as
`[low, high]`, `df`, `level`, `method`, `p`, `n`, `excluded`, `seed` and `warnings`. What is absent is null,
with the reason beside it: `reason` for a value, `<key>_reason` for anything else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from eyechart.analysis.compare import Compared
from eyechart.analysis.results import (
    Analysis,
    CellScore,
    Curve,
    FactorSpread,
    HeatEntry,
    Range,
    Sample,
)
from eyechart.analysis.shares import Attributed
from eyechart.core.findings import Finding
from eyechart.core.records import NotEstimable
from eyechart.report.blocks import Message, Note, Prose, Text, Verdict
from eyechart.report.inputs import Facts, ReportInput
from eyechart.report.messages import say
from eyechart.report.number_data import NOT_FINITE, Data, number_data, put
from eyechart.report.sections import build
from eyechart.report.sections.compliance import reason_of
from eyechart.report.sentences import plain_sentences, tone_of
from eyechart.report.table_data import data_of
from eyechart.stats.variances import SubjectSpread

SCHEMA = "eyechart-report/1"
VERDICT = "verdict"
"""The section that speaks for the whole study."""


def render_json(given: ReportInput, *, names: tuple[str, ...] = ()) -> str:
    """`report_data` as text: valid JSON whatever the numbers and texts are. `names`: only these sections.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> json.loads(render_json(ReportInput(title="a study", analysis=nothing)))["schema"]
    'eyechart-report/1'
    """
    return dumps(report_data(given, names))


def dumps(data: Data) -> str:
    """JSON in UTF-8, with lone surrogates as escapes."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def report_data(given: ReportInput, names: tuple[str, ...] = ()) -> Data:
    language = given.language
    if names and VERDICT not in names:
        return _alone(given, names)
    sentences = given.sentences or plain_sentences(given.analysis)
    return {
        "schema": SCHEMA,
        "title": given.title,
        "language": language,
        "verdict": {"tone": tone_of(given.analysis), "sentences": [_say(s, language) for s in sentences]},
        "analysis": analysis_data(given.analysis),
        "fingerprint": [put({"path": f.path, "state": f.state}, value=(f.value, "unknown")) for f in given.fingerprint],
        "inert": [{"path": f.path, "reason": _say(f.reason, language)} for f in given.inert],
        "digests": put(
            {},
            stated=(given.digests.stated, "not recorded"),
            effective=(given.digests.effective, "not recorded"),
            study=(given.digests.study, "not recorded"),
        ),
        "facts": _facts(given.facts, language),
        "flips": [_whole(count) for count in given.flips],
        "graders": [_whole(fact) for fact in given.graders],
        "rule_sets": list(given.rule_sets),
        "rules": [_rule(rule, language) for rule in given.rules],
        "parts": [_plain(part, language) for part in build(given, names)],
    } | put(
        {}, readers=(None if given.readers is None else _whole(given.readers), "the answers hold no text to read again")
    )


def _alone(given: ReportInput, names: tuple[str, ...]) -> Data:
    """Sections without a study."""
    parts = build(given, names)
    out: Data = {"schema": SCHEMA, "title": given.title, "language": given.language}
    first = parts[0].blocks[0] if parts and parts[0].blocks else None
    if isinstance(first, Verdict | Prose | Note):
        out["headline"] = _say(first.text, given.language)
    return out | {"parts": [_plain(part, given.language) for part in parts]}


def analysis_data(analysis: Analysis) -> Data:
    """The analysis alone, for `--json` of commands that show no report."""
    return put(
        {
            "level": analysis.level,
            "scores": [_score(s) for s in analysis.scores],
            "heat": [_heat(e) for e in analysis.heat],
            "spreads": [_spread(s) for s in analysis.spreads],
            "curves": [_curve(c) for c in analysis.curves],
            "samples": [_sample(s) for s in analysis.samples],
            "groups": list(analysis.groups),
            "warnings": list(analysis.warnings),
        },
        range=(None if analysis.range is None else _range(analysis.range), "fewer than two scored set-ups"),
        attribution=_found(analysis.attribution, "nothing was moved, or nothing was scored"),
        contest=_found(analysis.contest, "no model was moved"),
    ) | {"subjects": [_subject(s) for s in analysis.subjects]}


_ORIGIN = frozenset({"source", "fingerprint", "notes"})
"""Of a plain table; a report says elsewhere, and better, what it is of."""


def _found(found: Attributed | Compared | NotEstimable | None, reason: str) -> tuple[Any, str]:
    if found is None or isinstance(found, NotEstimable):
        return None, found.reason if found else reason
    return {key: part for key, part in _whole(found).items() if key not in _ORIGIN}, ""


def _subject(found: SubjectSpread | NotEstimable) -> Data:
    if isinstance(found, NotEstimable):
        return {"subject": found.name, "items": found.n, "value": None, "reason": found.reason}
    return _whole(found)


def _whole(value: Any) -> Any:
    """`data_of`, with null for ends of intervals that are no finite numbers."""
    return _bounded(data_of(value))


def _bounded(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _bounded(part) for key, part in data.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(data, list):
        return [_bounded(part) for part in data]  # pyright: ignore[reportUnknownVariableType]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _or_reason(value: Any, absent: str) -> tuple[Any, str]:
    if value is None or isinstance(value, NotEstimable):
        return None, absent if value is None else value.reason
    return _whole(value), ""


def _floats(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def _score(s: CellScore) -> Data:
    out: Data = {
        "cell": s.cell,
        "levels": dict(s.levels),
        "baseline": s.baseline,
        "digest": s.digest,
        "new_items": number_data(s.new_items),
        "repeat_it": number_data(s.repeat_it),
        "runs": _floats(s.runs),
        "outcomes": dict(s.outcomes),
        "items": s.items,
        "repeats": s.repeats,
        "warnings": list(s.warnings),
    }
    return put(
        out,
        answered_only=(s.read_only, "no answer could be read"),
        chance=(s.chance, "chance level not known"),
        above_chance=(s.above_chance, "cannot be told"),
        checks=_or_reason(s.checks, "one run, or nothing was sampled"),
    )


def _heat(e: HeatEntry) -> Data:
    few = "fewer than two settings to compare"
    out: Data = {
        "factor": e.factor,
        "level": e.level,
        "baseline": e.baseline,
        "change": number_data(e.change),
        "flagged": e.flagged,
        "contexts": e.contexts,
        "inert": e.inert,
        "groups": [{"group": g, "change": number_data(n), "flagged": flag} for g, n, flag in e.groups],
    }
    return put(
        out,
        p_corrected=(e.p_corrected, "no test was made"),
        sd_raw=(e.sd_raw, few),
        sd_corrected=(e.sd_corrected, few if e.contexts < 2 else "the noise is not known"),
        noise_ratio=_or_reason(e.noise_ratio, "this is the baseline level" if e.baseline else "not worked out"),
    )


def _spread(s: FactorSpread) -> Data:
    why = s.reason or "the noise is not known"
    means = [put({"level": level}, mean=(mean, NOT_FINITE)) for level, mean in s.means]
    return put(
        {"factor": s.factor, "means": means},
        range=(s.range, why),
        sd_raw=(s.sd_raw, why),
        sd_corrected=(s.sd_corrected, why),
    )


def _curve(c: Curve) -> Data:
    return put(
        {
            "factor": c.factor,
            "x": _floats(c.x),
            "points": [number_data(p) for p in c.points],
            "slope": number_data(c.slope),
            "slope_per_tenth": number_data(c.slope_per_tenth),
            "verdict": c.verdict,
            "sentence": c.sentence,
            "jumps": list(c.jumps),
            "contexts": c.contexts,
            "band": [number_data(p) for p in c.band],
        },
        bound=(c.bound, NOT_FINITE),
        monotone=(c.monotone, "cannot be told"),
    )


def _range(r: Range) -> Data:
    out: Data = {"low_cell": r.low_cell, "high_cell": r.high_cell, "cells": r.cells}
    put(out, low=(r.low, NOT_FINITE), high=(r.high, NOT_FINITE), median=(r.median, NOT_FINITE))
    put(out, luck=(r.luck, "the noise is not known"), sd_raw=(r.sd_raw, NOT_FINITE))
    put(out, sd_corrected=(r.sd_corrected, "the noise is not known"))
    return out | {"divergent_pairs": r.divergent_pairs, "pairs": r.pairs}


def _sample(s: Sample) -> Data:
    out: Data = {"cell": s.cell, "item": s.item, "prompt": s.prompt, "text": s.text}
    out |= {"outcome": s.outcome, "gold": s.gold}
    put(
        out,
        group=(s.group, "the items have no groups"),
        extracted=(s.extracted, s.reason or "no answer found"),
    )
    put(out, why=(s.reason, "none was given"))
    return put(out, factor=(s.factor, "belongs to no level"), level=(s.level, "belongs to no level"))


def _facts(facts: Facts, language: str) -> Data:
    calls = facts.calls
    told = None if calls is None else {"made": calls.made, "stored": calls.stored, "failed": calls.failed}
    none = "not recorded"
    out: Data = {"engine": dict(facts.engine), "versions": dict(facts.versions)}
    put(out, model=(facts.model, none), command=(facts.command, none), calls=(told, none))
    put(out, started=(facts.started, none), finished=(facts.finished, none))
    return out | {"notes": [_say(note, language) for note in facts.notes]}


def _rule(rule: Finding, language: str) -> Data:
    """One finding; `reason` is why the rule is there, `remedy` what to do where it is not kept."""
    words = {"text": rule.text, "evidence": rule.evidence, "reason": reason_of(rule), "remedy": rule.remedy}
    told = {key: None if text is None else _say(text, language) for key, text in words.items()}
    return {"id": rule.id, "state": rule.state, "severity": rule.severity, **told, "subject": rule.subject}


def _same(text: str) -> str:
    return text


def _say(text: Text, language: str) -> str:
    """Data is handed over untouched: it is the reader's to make safe."""
    return say(text, language, _same)


def _plain(value: Any, language: str) -> Any:
    """Blocks as objects with a `type`; what a block does not have is left out."""
    if isinstance(value, Message):
        return _say(value, language)
    if is_dataclass(value) and not isinstance(value, type):
        out: Data = {"type": _kind(type(value).__name__)}
        for field in fields(value):
            part = getattr(value, field.name)
            if isinstance(part, float) and not math.isfinite(part):
                put(out, **{field.name: (part, NOT_FINITE)})
            elif part is None and field.name in _NUMBERS:
                put(out, **{field.name: (None, _NUMBERS[field.name])})
            elif part is not None and part != "" and part != ():
                out[field.name] = _plain(part, language)
        return out
    if isinstance(value, Mapping):
        return {key: _plain(part, language) for key, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [_plain(part, language) for part in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


_FEW = ("low", "high", "point", "change", "y", "corrected", "raw", "mean")
_NUMBERS = dict.fromkeys(_FEW, "not estimable") | {
    "weight": "nothing is known of this token",
    "p": "the backend does not show it",
    "entropy": "the backend does not show the whole distribution",
    "margin": "fewer than two candidates are known",
    "parting": "the lines never differ, or there is one",
}
"""Fields of blocks that hold a number, or None because it could not be known; and why, in a few words."""


def _kind(name: str) -> str:
    """
    >>> _kind("HeatMapBlock"), _kind("Table")
    ('heat_map', 'table')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Block")).lower()
