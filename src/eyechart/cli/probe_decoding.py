from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eyechart.app.probe_decoding import ProbedDecoding, probe_decoding
from eyechart.app.probing import told
from eyechart.cli.output import Answer, Progress, answers
from eyechart.probes.decoding import CANDIDATES, OPEN, DecodingProbe, Step, Walk
from eyechart.report.letters import path_lines
from eyechart.report.pictures import shown
from eyechart.report.sections.decoding import path_block

LISTED = 40
"""Steps shown one by one; a longer path is drawn in rows of bars, with its open steps below."""
TOKEN = 16


@click.command("decoding")
@click.argument("a")
@click.argument("b", required=False)
@click.option("--item", metavar="ID", help="The item; one is drawn unless given.")
@click.option("--set", "changes", multiple=True, metavar="PATH=VALUE", help="A field to move; given again, one more.")
@click.option("--seed", "seeds", multiple=True, type=int, help="decoding.seed; given twice or more, a path for each.")
@click.option("--steps", type=click.IntRange(1), help="Tokens at most, in place of decoding.max_new_tokens.")
@click.option("--candidates", type=int, default=CANDIDATES, show_default=True, help="Shown at every step, 2 to 50.")
@click.option("--out", type=click.Path(path_type=Path), help="Where answers are kept; eyechart-probes unless given.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report too: .html, .md or .json.")
@click.option(
    "--language",
    "--lang",
    "language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Of the report.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
@answers("probe decoding")
def decoding(
    a: str,
    b: str | None,
    item: str | None,
    changes: tuple[str, ...],
    seeds: tuple[int, ...],
    steps: int | None,
    candidates: int,
    out: Path | None,
    report: Path | None,
    language: str,
    quiet: bool,
) -> Answer:
    """Step by step what came, what else could have come, and where two paths part.

    A alone; A as stated beside A with --set; a path for each --seed; or A beside B. Answers are kept: the same command
    again asks nothing.

    \b
    eyechart probe decoding study.yaml --item q17 --steps 60
    eyechart probe decoding study.yaml --item q17 --set decoding.temperature=0.7
    eyechart probe decoding study.yaml --item q17 --set decoding.temperature=0.7 --seed 1 --seed 2
    """
    progress = Progress(quiet)
    found = probe_decoding(
        a,
        b,
        item=item,
        changes=dict(told(text) for text in changes),
        seeds=seeds,
        steps=steps,
        candidates=candidates,
        out=out,
        report=report,
        progress=progress,
    )
    progress.end()
    if report is not None:
        found.report(report, "zh" if language == "zh" else "en")
    return answer(found, report)


def answer(found: ProbedDecoding, report: Path | None) -> Answer:
    """What the probe found, for both kinds of reader."""
    probe = found.probe
    lines = [*_lines(probe), f"{found.made:,} calls made; answers are kept in {found.folder}"]
    if report is not None:
        lines.append(str(report))
    nothing = not probe.walks
    return Answer(
        code="too_little_data" if nothing else "probed",
        text=_sentence(probe),
        data=found.data(),
        lines=lines,
        warnings=[*probe.notes, *(f"{m.name}: {m.reason}" for m in probe.missing)],
        exit_code=3 if nothing else 0,
    )


def _sentence(probe: DecodingProbe) -> str:
    if not probe.walks:
        return f"Item {probe.item}: no path could be had."
    counts = [f"{len(w.open):,} of {len(w.steps):,}" for w in probe.walks]
    opens = f"open steps: {', '.join(counts)}"
    if len(probe.walks) == 1:
        return f"Item {probe.item}: {opens}."
    if probe.parting is None:
        return f"Item {probe.item}: the paths are the same to their end; {opens}."
    return f"Item {probe.item}: the paths part at step {probe.parting + 1}; {opens}."


def _lines(probe: DecodingProbe) -> Iterator[str]:
    if not probe.walks:
        return
    yield f"Open (*): the likeliest token has less than {OPEN:.0%}. Probabilities at temperature 1, entropy in nats."
    if max(len(walk.steps) for walk in probe.walks) > LISTED:
        yield ""
        yield from path_lines(path_block(probe), "en")
    else:
        yield from _listed(probe)
    yield ""
    for walk in probe.walks:
        yield _text(walk)


def _listed(probe: DecodingProbe) -> Iterator[str]:
    """Every step: once where the paths are the same, and path by path behind the parting."""
    first, parting = probe.walks[0], probe.parting
    common = len(first.steps) if parting is None else parting
    if common or len(probe.walks) == 1:
        yield ""
        yield "all paths" if len(probe.walks) > 1 else first.name
        yield from _steps(first.steps[:common], 0)
    if parting is not None:
        for walk in probe.walks:
            yield ""
            yield f"{walk.name}, from step {parting + 1}" + ("" if len(walk.steps) > parting else ": had ended")
            yield from _steps(walk.steps[parting:], parting)


def _steps(steps: Sequence[Step], start: int) -> Iterator[str]:
    if steps:
        yield f"  {'step':>5}  {'token':<{TOKEN}} {'p':>6} {'entropy':>7}  instead"
    for i, step in enumerate(steps):
        yield _step(step, start + i)


def _step(step: Step, at: int) -> str:
    taken = next((i for i, (token, _) in enumerate(step.candidates) if token == step.token), None)
    others = [one for i, one in enumerate(step.candidates) if i != taken][:3]
    instead = "  ".join(f"{shown(token, 10)} {p:.0%}" for token, p in others if p >= 0.01)
    mark = "*" if step.open else " "
    p = "     –" if step.p is None else f"{step.p:6.1%}"
    entropy = "      –" if step.entropy is None else f"{step.entropy:7.2f}"
    return f"{mark} {at + 1:>5}  {shown(step.token, TOKEN):<{TOKEN}} {p} {entropy}  {instead}".rstrip()


def _text(walk: Walk) -> str:
    text = " ".join(walk.text.split())
    shown_ = text if len(text) <= 160 else f"{text[:75]} … {text[-75:]}"
    ended = {"stop": "ended by itself", "length": "cut at the limit"}.get(
        walk.finish or "", walk.finish or "end unknown"
    )
    return f"{walk.name} ({ended}): {shown_}"
