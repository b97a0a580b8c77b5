from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eyechart.analysis.features import FeatureScore
from eyechart.analysis.pairs import Dependence, Pairs
from eyechart.app.pairs import FAMILIES, Probed, probe_pairs
from eyechart.app.paper import writable, write_paper
from eyechart.app.study import load
from eyechart.cli.numbers_in import Fraction
from eyechart.cli.output import Answer, Progress, answers, clean, points
from eyechart.core.records import Estimate
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.sections.pairs import class_of, feature_name, sentence
from eyechart.report.table_data import data_of

SHOWN = 8


@click.command("pairs")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--families", metavar="NAME,...", help=f"Of: {', '.join(FAMILIES)}; all that change something.")
@click.option(
    "--repeats", type=click.IntRange(1), help="Of every prompt, greedy ones too; the study's if above 1, else 2."
)
@click.option("--features", is_flag=True, help="Also the score by simple features of the items: why so high?")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; eyechart-runs/NAME-pairs unless given.")
@click.option("--level", type=Fraction(open=True), default=0.95, help="Of intervals.")
@click.option("--report", type=click.Path(path_type=Path), help="A report to write as well: .html, .md or .json.")
@click.option(
    "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help="Of the report; en."
)
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@answers("probe pairs")
def pairs(
    study: Path,
    families: str | None,
    repeats: int | None,
    features: bool,
    out: Path | None,
    level: float,
    report: Path | None,
    language: Language,
    **flags: bool,
) -> Answer:
    """Families of small edits that should change nothing: which of them answers depend on.

    The baseline of STUDY is asked as it is and with one edit at a time (variables renamed, indentation, spaces,
    punctuation, case, synonyms, options in another order); its own factors are left alone. Given again, it goes on.
    """
    writable(report)
    named = [name.strip() for name in families.split(",") if name.strip()] if families else []
    progress = Progress(flags.pop("quiet"))
    found = probe_pairs(
        load(study),
        named,
        out=out,
        repeats=repeats,
        level=level,
        progress=progress,
        **flags,
    )
    progress.end()
    if report:
        write_paper(report, study.name, [found.part(features)], language)
    return _answer(found, found.features() if features else None)


def _answer(found: Probed, features: Sequence[FeatureScore] | None) -> Answer:
    known = any(f.scored or f.repeated for f in found.pairs.families)
    calls = found.ran.calls()
    warnings = [f"{count:,} calls failed: {reason}" for reason, count in found.ran.reasons.items()]
    if found.ran.stopped:
        warnings.insert(0, f"stopped: {found.ran.stopped}; the same command goes on")
    return Answer(
        code="stopped" if found.ran.stopped else "compared" if known else "not_estimable",
        text=clean(say(sentence(found.pairs), "en")),
        data={
            "folder": str(found.run.folder.path),
            "calls": calls,
            "idle": list(found.idle),
            **data_of(found.pairs),
            **({} if features is None else {"features": data_of(features)}),
        },
        lines=[*_lines(found), *_features(features or ()), str(found.run.folder.report)],
        warnings=warnings,
        exit_code=4 if found.ran.stopped else 0 if known else 3,
    )


def _lines(found: Probed) -> Iterator[str]:
    pairs = found.pairs
    score = pairs.score
    yield ""
    if isinstance(score, Estimate) and score.interval:
        ends = f"[{points(score.interval.low)}, {points(score.interval.high)}]"
        yield f"baseline: {points(score.value)} {ends}"
    yield (
        f"{'family':<13}{'items':>6}{'change':>8}  {'interval':<15}{'p':>6}{'gained':>8}{'lost':>6}"
        f"{'turned':>8}{'itself':>8}{'beyond':>8}{'p':>7}{'answers':>9}"
    )
    for f in pairs.families:
        yield _row(f)
    yield "turned, itself, beyond, answers: per cent of pairs of answers; p is corrected for all tests (Holm)"
    if found.idle:
        yield f"nothing to change in these items: {', '.join(found.idle)}"
    yield from _items(pairs)


def _features(features: Sequence[FeatureScore]) -> Iterator[str]:
    if features:
        yield "\nscore by features of the items (value: score, items), p by permutation (Holm)"
    for f in features:
        classes = [
            f"{say(class_of(c), 'en')}: {points(c.score.value if isinstance(c.score, Estimate) else None)} ({c.items})"
            for c in f.classes
        ]
        yield f"  {say(feature_name(f.feature), 'en'):<26} p {_p(f.p_holm):<6} {' · '.join(classes)}"


def _row(f: Dependence) -> str:
    interval = "–"
    if isinstance(f.change, Estimate) and f.change.interval:
        low, high = f.change.interval.low, f.change.interval.high
        interval = f"[{points(low, signed=True)}, {points(high, signed=True)}]"
    gained = sum(t.gained for t in f.turned)
    change = f.change.value if isinstance(f.change, Estimate) else None
    shares = [n.value if isinstance(n, Estimate) else None for n in (f.turn, f.repeat, f.beyond, f.said)]
    turn, repeat, beyond, said = (points(share) for share in shares)
    return (
        f"{f.family:<13}{f.items:>6}{points(change, signed=True):>8}  {interval:<15}{_p(f.p_change_holm):>6}"
        f"{gained:>8}{len(f.turned) - gained:>6}{turn:>8}{repeat:>8}{beyond:>8}{_p(f.p_beyond_holm):>7}{said:>9}"
    )


def _p(p: float | None) -> str:
    return "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}"


def _items(pairs: Pairs) -> Iterator[str]:
    turned = {t.item for f in pairs.families for t in f.turned}
    if not turned:
        return
    yield f"{len(turned):,} items get another verdict in every repeat, {len(pairs.several):,} of them under several families"
    for item, families in pairs.several[:SHOWN]:
        yield f"  {item}: {', '.join(families)}"
