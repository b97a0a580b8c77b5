from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from eyechart.analysis.difficulty import Difficulty
from eyechart.analysis.draws import DrawGroup, Draws
from eyechart.app.difficulty import Candidates, draws_of, examples_of, measure, shown_file, write_difficulty
from eyechart.app.opened import open as open_run
from eyechart.app.paper import writable, write_paper
from eyechart.app.study import load
from eyechart.cli.numbers_in import Fraction
from eyechart.cli.output import Answer, Progress, answers, clean, points
from eyechart.core.errors import InputError
from eyechart.core.factors import advice
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.core.registry import hint
from eyechart.core.spec import Model
from eyechart.data.difficulty import plain_row
from eyechart.report.blocks import Part, message
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.sections.difficulty import difficulty as difficulty_section
from eyechart.report.sections.difficulty import draws as draws_section
from eyechart.report.sections.difficulty import likelihood, middle_of, nat, sentence, why
from eyechart.report.table_data import data_of
from eyechart.report.text import short
from eyechart.stats.draws import PairedRatio, Variance

EXAMPLE = 60


@click.command("difficulty")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Of a study: the file; STUDY.difficulty.json unless given."
)
@click.option(
    "--model", "model", metavar="KEY=VALUE", multiple=True, help="Reference model, e.g. backend=embedded; the study's."
)
@click.option("--level", type=Fraction(open=True), default=0.95, help="Of intervals.")
@click.option("--report", type=click.Path(path_type=Path), help="A report to write as well: .html, .md or .json.")
@click.option(
    "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help="Of the report; en."
)
@click.option("--quiet", is_flag=True, help="No progress.")
@answers("difficulty")
def command(
    source: Path,
    out: Path | None,
    model: tuple[str, ...],
    level: float,
    report: Path | None,
    language: Language,
    quiet: bool,
) -> Answer:
    """Measure how hard the few-shot candidates are, for balanced draws.

    SOURCE: a study, whose reference model gives each candidate the probability p of its right answer (D = -log p; easy,
    middle and hard by k-means); a file that was written so, to show it; or the folder of a run that varies
    few_shot.difficulty and few_shot.seed, to compare the spread over draws.
    """
    writable(report)
    if source.is_dir():
        return _run(source, level, report, language)
    if source.suffix == ".json" and _is_file(source):
        known, texts, found, place = shown_file(source), {}, None, source
    else:
        study, progress = load(source), Progress(quiet)
        place = out or _beside(study.path)
        found = measure(study, model=_model(model), progress=progress)
        progress.end()
        known, texts = found.difficulty, examples_of(found.pool)
        write_difficulty(known, place)
    if report:
        part = Part(
            name="difficulty",
            title=message("section.difficulty"),
            blocks=tuple(difficulty_section(known, texts)),
        )
        write_paper(report, place.name, [part], language)
    return _measured(known, texts, found, place)


def _is_file(path: Path) -> bool:
    """Whether it looks like one of ours; a study may be JSON too."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(plain, Mapping) and "format" in plain


def _beside(study: Path | None) -> Path:
    if study is None or str(study) == "-":
        return Path("study.difficulty.json")
    return study.with_name(f"{study.stem}.difficulty.json")


def _model(pairs: Sequence[str]) -> Model | None:
    if not pairs:
        return None
    stated: dict[str, Any] = {}
    for pair in pairs:
        key, mark, value = pair.partition("=")
        if not mark:
            raise InputError(f"write KEY=VALUE, as in backend=embedded, not {pair!r}", field="--model")
        name = key.strip().removeprefix("model.")
        if name not in Model.model_fields:
            raise InputError(f"a model has no {name}; {hint(name, Model.model_fields)}", field="--model")
        stated[name] = int(value) if value.isdecimal() else value
    try:
        return Model.model_validate(stated)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(advice(first), field=f"--model {'.'.join(str(p) for p in first['loc'])}") from None


def _measured(known: Difficulty, texts: Mapping[str, str], found: Candidates | None, place: Path) -> Answer:
    counts = ", ".join(f"{b.name} {b.count}" for b in known.buckets) or "none measured"
    return Answer(
        code="shown" if found is None else "measured",
        text=f"{len(known.rows):,} candidates: {counts}{_asked(found)}.",
        data={
            "file": str(place),
            "digest": known.identity(),
            "about": dict(known.about),
            "buckets": data_of(known.buckets),
            "items": [plain_row(row) for row in known.rows],
            "infinite": known.infinite,
            **_calls(found),
        },
        lines=_lines(known, texts, place),
        warnings=list(known.notes),
    )


def _asked(found: Candidates | None) -> str:
    if found is None:
        return ""
    failed = f", {found.failed:,} of them failed" if found.failed else ""
    return f"; {found.calls:,} calls made{failed}, {found.stored:,} answered before"


def _calls(found: Candidates | None) -> dict[str, Any]:
    """Nothing of a file that is only shown."""
    if found is None:
        return {"calls": None, "calls_reason": "the file is shown; nothing was asked"}
    return {"calls": {"made": found.calls, "failed": found.failed, "stored": found.stored}}


def _lines(known: Difficulty, texts: Mapping[str, str], place: Path) -> Iterator[str]:
    for text in known.about.get("p", ()):
        yield f"p: {text}"
    yield ""
    yield f"{'bucket':<8}{'n':>5}  {'D':<15}{'p':<17}example"
    for bucket in known.buckets:
        row = middle_of(bucket, known.rows)
        text = " ".join(texts.get(row.id, "").split())
        d = f"{nat(bucket.low)} to {nat(bucket.high)}"
        p = f"{likelihood(bucket.low)} to {likelihood(bucket.high)}"
        shown = f"{row.id}: {text}" if text else row.id
        yield f"{bucket.name:<8}{bucket.count:>5}  {d:<15}{p:<17}{short(shown, EXAMPLE)}"
    yield ""
    yield f"{place}"
    yield f"In the study: prompt: {{few_shot: {{count: 3, difficulty: balanced, reference: {place.name}}}}}"


def _run(path: Path, level: float, report: Path | None, language: Language) -> Answer:
    found = draws_of(open_run(path), level)
    if report:
        part = Part(name="draws", title=message("section.draws"), blocks=tuple(draws_section(found)))
        write_paper(report, path.name, [part], language)
    if isinstance(found, NotEstimable):
        text = f"Nothing to compare: {found.reason}."
        return Answer(code="not_estimable", text=text, data=data_of(found), exit_code=3)
    contrasts = [c for group in found.groups for c in group.contrasts]
    known = any(isinstance(c.ratio, PairedRatio) for c in contrasts)
    said = [clean(say(sentence(c), "en")) for c in contrasts]
    warnings = [clean(say(message("draws.unequal", fixed=a, own=b), "en")) for a, b in found.unequal]
    return Answer(
        code="compared" if known else "not_estimable",
        text=said[0] if said else "No two rules were drawn in the same way; each rule's spread stands below.",
        data=data_of(found),
        lines=[*said[1:], *_tables(found)],
        warnings=warnings,
        exit_code=0 if known else 3,
    )


def _tables(found: Draws) -> Iterator[str]:
    for group in found.groups:
        yield from _table(group)
    if found.still:
        yield f"Nothing is drawn, so no variance over draws: {', '.join(found.still)}"


def _table(group: DrawGroup) -> Iterator[str]:
    left = f", {group.excluded:,} more lack a score in some draw" if group.excluded else ""
    yield f"\n{group.items:,} items{left}; in points, variance in points squared"
    yield f"{'rule':<12}{'drawn':<10}{'draws':>6}{'mean':>7}{'SD':>7}  {'interval':<16}variance  interval"
    for rule in group.rules:
        head = f"{rule.rule:<12}{rule.mode:<10}{len(rule.seeds):>6}{points(rule.mean):>7}"
        if isinstance(rule.variance, Variance):
            yield f"{head}{100 * rule.variance.sd:>7.2f}  {_ends(rule.variance)}"
        else:
            yield f"{head}{'–':>7}  {say(why(rule.variance.reason), 'en')}"
    for c in group.contrasts:
        if isinstance(c.change, Estimate) and c.change.interval:
            low, high = (points(x, signed=True) for x in (c.change.interval.low, c.change.interval.high))
            yield f"mean of {c.a} less {c.b}: {points(c.change.value, signed=True)} [{low}, {high}]"


def _ends(spread: Variance) -> str:
    if not isinstance(spread.interval, Interval):
        return f"{'–':<16}{1e4 * spread.value:>8.2f}  {spread.interval.reason}"
    low, high = spread.interval.low, spread.interval.high
    sd = f"[{100 * low**0.5:.2f}, {100 * high**0.5:.2f}]"
    return f"{sd:<16}{1e4 * spread.value:>8.2f}  [{1e4 * low:.2f}, {1e4 * high:.2f}]"
