from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from eyechart.analysis.judged_rates import ALL, Corrected, Number
from eyechart.app.judge_correct import CorrectedTable, Judged, judge_correct
from eyechart.cli.columns import columned, split
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers, points
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.corrected import Homogeneity


@click.command("correct")
@click.argument("table")
@click.option("--judge", metavar="COLUMN", help="Column of the judge's verdicts: right, wrong, or a score in [0, 1].")
@click.option("--human", metavar="COLUMN", help="Column of people's labels; empty where nobody was asked.")
@click.option("--target", metavar="COLUMN", help="Whose answers they are: each is corrected by its own labels.")
@click.option("--item", metavar="COLUMN", help="Column that names the item.")
@click.option("--cluster", metavar="COLUMN", help="Items that go together, as of one passage.")
@click.option("--calibration", metavar="OTHER", help="Labels of other answers: borrowed error rates, and said so.")
@click.option("--by", metavar="COLUMN,...", help="Columns that tell several judges apart.")
@click.option("--level", type=Finite(0.5, 0.9999), default=0.95, show_default=True)
@answers("judge correct")
def command(table: str, calibration: str | None, by: str | None, level: float, **told: str | None) -> Answer:
    """What share of the answers in TABLE is right: a judge's verdicts, corrected by human labels of some.

    Labels of a random slice of the same answers correct any judge (PPI++). Error rates turned around
    (Rogan-Gladen) and the labels alone stand beside it, and the sentence that may be said.
    """
    found = judge_correct(table, told=told, calibration=calibration, by=split(by), level=level)
    first = found.judges[0].audit.overall
    nothing = all(_nothing(judged) for judged in found.judges)
    return Answer(
        code="too_little_data" if nothing else "corrected",
        text=sentence(first)
        if len(found.judges) == 1
        else f"{len(found.judges)} judges, each corrected by its labels.",
        data=data_of(found) | {"sentences": [sentence(j.audit.overall) for j in found.judges]},
        lines=_lines(found),
        warnings=[*found.notes, *_warnings(found.judges)],
        exit_code=3 if nothing else 0,
    )


def _nothing(judged: Judged) -> bool:
    return all(c.basis == "none" for c in (judged.audit.overall, *judged.audit.targets))


def _warnings(judges: Sequence[Judged]) -> Iterator[str]:
    for judged in judges:
        head = "".join(f"{label}: " for _, label in judged.labels)
        for c in (judged.audit.overall, *judged.audit.targets):
            name = "" if c.target == ALL else f"{c.target}: "
            best = c.best
            more = best.warnings if isinstance(best, Estimate) else ()
            yield from (f"{head}{name}{w}" for w in dict.fromkeys((*c.warnings, *more)))


def sentence(c: Corrected) -> str:
    """The one line that says what the score is, or that none can be had."""
    raw = f"The judge passes {points(_value(c.raw))} %"
    best = c.best
    if isinstance(best, NotEstimable):
        return f"{raw}; what share is right cannot be said ({best.reason})."
    if c.basis == "human":
        return f"{raw}; all {c.labelled:,} answers are labelled, and by the labels {_span(best, ' %')} are right."
    if c.basis == "ppi":
        alone = f"labels alone {_span(c.human)}" if isinstance(c.human, Estimate) else "labels alone: not known"
        return f"{raw}; with {c.labelled:,} labels {_span(best, ' %')} are right (PPI++; {alone})."
    return f"{raw}; {_span(best, ' %')} are right if the judge errs here as on the labelled answers (Rogan-Gladen)."


def _value(number: Number) -> float | None:
    return number.value if isinstance(number, Estimate) else None


def _span(number: Number, unit: str = "") -> str:
    if isinstance(number, NotEstimable):
        return "not known"
    i = number.interval
    return points(number.value) + unit + (f" ({points(i.low)} to {points(i.high)})" if i is not None else "")


def _lines(found: CorrectedTable) -> Iterator[str]:
    for judged in found.judges:
        audit = judged.audit
        if judged.labels:
            yield ""
            yield ", ".join(f"{column} {label}" for column, label in judged.labels) + ": " + sentence(audit.overall)
        yield ""
        yield from _ways(audit.overall)
        yield from _errors(audit.overall)
        yield from _may(audit.overall)
        if audit.targets:
            yield ""
            header = ["target", "labels", "judge", "PPI++", "Rogan-Gladen", "labels alone"]
            rows = [[c.target, f"{c.labelled:,}", *(_span(x) for x in _numbers(c))] for c in audit.targets]
            yield from columned(header, rows)
        h = audit.homogeneity
        if isinstance(h, Homogeneity):
            word = "differ" if h.p < 0.05 else "are not seen to differ"
            yield f"error rates {word} between targets (p {h.p:.2g}): " + (
                "labels of one do not stand for another" if h.p < 0.05 else "that does not make them equal"
            )


def _numbers(c: Corrected) -> tuple[Number, Number, Number, Number]:
    return c.raw, c.ppi, c.rogan_gladen, c.human


def _ways(c: Corrected) -> Iterator[str]:
    names = (
        "as judged, errors and all",
        "labels and judge (PPI++)",
        "errors turned around (Rogan-Gladen)",
        "labels alone",
    )
    rows = [[name, _span(x)] for name, x in zip(names, _numbers(c), strict=True)]
    yield from columned(["share that is right, points", ""], rows)
    for name, number in zip(names, _numbers(c), strict=True):
        if isinstance(number, NotEstimable):
            yield f"{name}: not known ({number.reason})"


def _errors(c: Corrected) -> Iterator[str]:
    r = c.rates
    if r is None:
        if isinstance(c.correlation, Estimate):
            yield f"judge and people correlate at {c.correlation.value:.2f}"
        return
    yield (
        f"of {r.positives:,} right answers it passes {_span(r.sensitivity)}, of {r.negatives:,} wrong ones it fails "
        f"{_span(r.specificity)}"
    )
    if isinstance(c.kappa, Estimate):
        yield f"kappa with people {c.kappa.value:.2f}, agreement {_span(c.agreement)}"


def _may(c: Corrected) -> Iterator[str]:
    best: Any = c.best
    yield ""
    if c.basis == "ppi":
        yield f'May be said: "{_span(best, " %")} are right" - provided the labelled were picked at random among these answers.'
    elif c.basis == "human":
        yield f'May be said: "{_span(best, " %")} are right" - by people\'s labels; the judge adds nothing.'
    elif c.basis == "rogan_gladen":
        yield f'May be said: "{_span(best, " %")} are right, if the judge errs on these answers as on the labelled ones."'
    else:
        yield f'May be said: "this judge passes {points(_value(c.raw))} %". That is no score; label a random slice of the answers.'
