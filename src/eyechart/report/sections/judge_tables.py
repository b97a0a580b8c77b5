"""Tables of a judge in numbers: win rates, corrected scores, agreement with people and with itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from eyechart.analysis.grade_agreement import AgainstPeople, Repeats
from eyechart.analysis.judged_grades import GradeAudit
from eyechart.analysis.judged_pairs import PairAudit
from eyechart.analysis.judged_rates import Corrected, RateAudit
from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Message, Note, Prose, Row, Table, Text, message
from eyechart.report.common import NAME, interval_cell, missing, reason_of, row, score_cell, table
from eyechart.report.inputs import JudgeSaid
from eyechart.report.messages import in_words
from eyechart.report.text import short

MOST = 12
"""Refusals told in words."""
SHARES = ("consistency", "consistency_decided", "first_slot", "agreement_ties", "agreement_untied",
          "agreement_consistent", "kappa", "longer", "longer_people")  # fmt: skip
PEOPLE = ("exact", "within_one", "alpha_ordinal", "kappa_quadratic", "single", "consistency", "spearman", "sd_ratio",
          "slope")  # fmt: skip
REPEATS = ("alpha_ordinal", "single", "averaged", "stability", "unanimous")
PLAIN = ("kappa", "alpha", "single", "averaged", "spearman", "sd_ratio", "slope", "youden", "correlation", "quality")
"""Measures that are no shares: shown as they are."""

Measure = tuple[Text, Number, str]
"""What it is, the number, and the name of its field."""


def share_cell(number: Number) -> Cell:
    return score_cell(number) if numbers.known(number) else missing(why(number))


def plain_cell(number: Number | None, absent: Text, *, signed: bool = False) -> Cell:
    """A number that is no share: as it is, not in points."""
    value = numbers.known(number)
    if value is None:
        return missing(absent if number is None else why(number))
    plus = "+" if signed and value.value > 0 else ""
    return Cell(text=plus + numbers.decimal(value.value, 2), value=value.value)


def why(number: Number) -> Text:
    return in_words(number.reason) if isinstance(number, NotEstimable) else reason_of(number)


def both_cell(number: Number) -> Cell:
    """Value and interval of a share in one cell."""
    value, interval = numbers.known(number), numbers.interval_of(number)
    if value is None:
        return missing(why(number))
    shown = numbers.points(value.value)
    text = message("spans.interval", score=shown, ends=numbers.ends(interval)) if interval else shown
    return Cell(text=text, value=value.value)


def win_rates(audit: PairAudit) -> Table:
    keys = ("model", "n", "raw", "without", "votes", "people")
    rows = [
        row(short(win.model, NAME), Cell(text=numbers.whole(win.n), value=float(win.n)),
            both_cell(win.raw), both_cell(win.without), both_cell(win.votes), both_cell(win.people))
        for win in audit.win_rates
    ]  # fmt: skip
    columns = [(message(f"judges.wins.{key}"), key != "model") for key in keys]
    return table(columns, rows, title=message("judges.wins"), caption=message("judges.wins.caption"))


def score_of(found: Corrected) -> Text:
    raw, best = both_cell(found.raw).text, both_cell(found.best).text
    return (
        message("judges.score.none", raw=raw) if found.basis == "none" else message("judges.score", raw=raw, best=best)
    )


def corrected_scores(audit: RateAudit) -> Iterator[Block]:
    """The score of all answers and of each target, in every way, and why a way was refused."""
    every = (audit.overall, *audit.targets)
    keys = ("target", "labels", "raw", "human", "ppi", "rogan_gladen", "basis")
    rows = [
        row(_target(found), Cell(text=numbers.whole(found.labelled), value=float(found.labelled)), both_cell(found.raw),
            both_cell(found.human), both_cell(found.ppi), both_cell(found.rogan_gladen), message(f"judges.basis.{found.basis}"))
        for found in every
    ]  # fmt: skip
    columns = [(message(f"judges.scores.{key}"), key not in ("target", "basis")) for key in keys]
    yield table(columns, rows, title=message("judges.scores"), caption=message("judges.scores.caption"))
    refused = [
        message("judges.refused", target=_target(found), what=message(f"judges.scores.{key}"), reason=why(number))
        for found in every
        for key, number in (("ppi", found.ppi), ("rogan_gladen", found.rogan_gladen))
        if numbers.known(number) is None
    ]
    yield from (Note(kind="missing", text=text) for text in refused[:MOST])
    if not isinstance(audit.homogeneity, NotEstimable):
        yield Prose(text=message("judges.alike", p=numbers.probability(audit.homogeneity.p)))


def _target(found: Corrected) -> Text:
    words = in_words(found.target)
    return short(words, NAME) if isinstance(words, str) else words


def measures(said: JudgeSaid) -> Iterator[Table]:
    found = [*_of_audit(said), *_of_retest(said)]
    if not found:
        return
    rows: list[Row] = []
    for what, number, field in found:
        plain = field.startswith(PLAIN) or (field == "consistency" and isinstance(said.audit, GradeAudit))
        n = "" if numbers.known(number) is None else numbers.whole(number.n)
        value = plain_cell(number, "") if plain else share_cell(number)
        rows.append(row(what, value, _ends(number, plain=plain), Cell(text=n, value=float(number.n) if n else None)))
    columns = [(message(f"judges.measures.{key}"), key != "what") for key in ("what", "value", "ends", "n")]
    yield table(columns, rows, title=message("judges.measures"), caption=message("judges.measures.caption"))


def _ends(number: Number, *, plain: bool) -> Cell:
    interval = numbers.interval_of(number)
    if interval is None or not plain:
        return interval_cell(number)
    text = f"[{numbers.decimal(interval.low, 2)}, {numbers.decimal(interval.high, 2)}]"
    return Cell(text=text, value=interval.low)


def _of_audit(said: JudgeSaid) -> Iterator[Measure]:
    audit = said.audit
    if isinstance(audit, PairAudit):
        yield from _fields(audit.rates, SHARES, lambda field: message(f"judges.m.{field}"))
        if audit.quality is not None:
            yield message("judges.m.quality"), audit.quality, "quality"
    elif isinstance(audit, GradeAudit):
        for key, part, names in (("people", audit.people, PEOPLE), ("repeats", audit.repeats, REPEATS)):
            yield from _part(key, part, names)
    elif audit is not None:
        overall = audit.overall
        yield from _fields(overall, ("agreement", "kappa", "correlation"), lambda field: message(f"judges.m.{field}"))
        if overall.rates is not None:
            yield from _fields(overall.rates, ("sensitivity", "specificity", "youden", "bias"),
                               lambda field: message(f"judges.m.{field}"))  # fmt: skip


def _part(key: str, part: AgainstPeople | Repeats | NotEstimable, names: Sequence[str]) -> Iterator[Measure]:
    if isinstance(part, NotEstimable):
        yield message(f"judges.m.{key}"), part, key
        return
    floor = numbers.points(part.floor) if isinstance(part, Repeats) else ""
    yield from _fields(part, names, lambda field: message(f"judges.m.{key}_{field}", floor=floor))


def _fields(value: object, names: Sequence[str], called: Callable[[str], Message]) -> Iterator[Measure]:
    for name in names:
        yield called(name), getattr(value, name), name


def _of_retest(said: JudgeSaid) -> Iterator[Measure]:
    found = said.retest
    if found is not None and found.repeats > 1:
        floor = numbers.points(found.floor)
        yield from _fields(found, ("alpha", "stability", "repeatability"),
                           lambda field: message(f"judges.m.retest_{field}", floor=floor))  # fmt: skip
