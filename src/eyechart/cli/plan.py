from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from eyechart.app.harness_plan import harness_of
from eyechart.app.plan import Plan
from eyechart.app.study import load
from eyechart.cli.output import Answer, Progress, answers, duration
from eyechart.core.goals import Aim


@click.command("plan")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Run folder to compare with.")
@click.option("--store", type=click.Path(path_type=Path), help="A shared store to compare with as well.")
@click.option(
    "--measure", type=click.IntRange(min=1), help="Make so many calls, keep their answers, and know the pace."
)
@answers("plan")
def command(study: Path, out: Path | None, store: Path | None, measure: int | None) -> Answer:
    """Show what STUDY would ask and cost. Nothing is called unless --measure is given."""
    progress = Progress()
    given = load(study)
    if harness_of(given.spec) is not None:
        from eyechart.cli import harness  # its readers of logs are many

        return harness.planned(given, out)
    plan = given.plan(out, stores=[store] if store else [], measure_calls=measure or 0, progress=progress)
    progress.end()
    return answer(plan, given.aim)


def answer(plan: Plan, aim: Aim | None = None) -> Answer:
    grid = plan.grid
    text = (
        f"{plan.scores:,} scores from {plan.needed:,} calls, {plan.stored:,} of them stored: {len(plan.new):,} to make."
    )
    data = plan.data() | goal_data(aim)
    lines = [*goal_lines(aim), *_lines(plan)]
    return Answer(code="plan", text=text, data=data, lines=lines, warnings=list(grid.notes))


def goal_data(aim: Aim | None) -> dict[str, Any]:
    """The goal of a study, and what it set, for programs."""
    if aim is None:
        return {"goal": None, "goal_reason": "the study states no preset"}
    filled = [{"path": one.path, "value": one.value, "by": one.by} for one in aim.filled]
    return {"goal": {"name": aim.goal, "question": aim.question, "rules": aim.rules, "filled": filled}}


def goal_lines(aim: Aim | None) -> Iterator[str]:
    """The goal of a study, and what it set, for people."""
    if aim is None:
        return
    yield f"  goal      {aim.goal}: {aim.question}?"
    for by, words in (
        ("preset", "not stated, so set by the preset"),
        ("deployment", "not stated, so taken from the deployment"),
    ):
        if mine := [f"{one.path} {one.value}" for one in aim.filled if one.by == by]:
            yield f"            {words}: {', '.join(mine)}"


def _lines(plan: Plan) -> Iterator[str]:
    grid, expected = plan.grid, plan.expected
    items = " + ".join(f"{len(use.items):,} of {use.loaded.all_items:,}" for use in grid.data)
    yield f"  cells     {len(grid.cells):,} ({grid.study.design.kind.replace('_', ' ')}), {items} items"
    for factor in grid.study.factors:
        yield f"            {factor.name}: {', '.join(name for name, _ in factor.levels)}"
    for use in grid.engines:
        yield f"  engine    {use.engine.backend}: " + ", ".join(f"{k} {str(v)[:40]}" for k, v in use.engine.facts)
    if grid.judged:
        yield f"  judges    up to {grid.judged:,} calls more, once the answers are there (equal answers are judged once)"
    yield f"  tokens    {_tokens(plan)}"
    seconds = "unknown" if expected.seconds is None else f"about {duration(expected.seconds)}"
    yield f"  time      {seconds}"
    if expected.money is not None:
        yield f"  money     about {expected.money:.4g} {expected.currency}"
    else:
        yield "  money     unknown" + ("" if grid.study.prices else " (no prices given)")
    if expected.reason:
        yield f"            {expected.reason}"
    for use in grid.data:
        for problem in use.loaded.problems[:10]:
            yield f"  unusable  {problem}"
        if len(use.loaded.problems) > 10:
            yield f"  unusable  and {len(use.loaded.problems) - 10:,} more rows"
    if grid.dropped:
        yield f"  dropped   {len(grid.dropped):,} combinations:"
        for one in grid.dropped[:12]:
            yield f"            {one.label}: {one.reason}"
        if len(grid.dropped) > 12:
            yield f"            and {len(grid.dropped) - 12:,} more (--json lists all)"
    for inert, count in Counter(inert for _, inert in plan.inert).items():
        where = "" if count == len(grid.cells) else f" ({count} of {len(grid.cells)} cells)"
        yield f"  inert     {inert.path}: {inert.reason}{where}"


def _tokens(plan: Plan) -> str:
    expected = plan.expected
    prompt = "unknown" if expected.prompt_tokens is None else f"about {expected.prompt_tokens:,.0f}"
    done = "unknown" if expected.completion_tokens is None else f"about {expected.completion_tokens:,.0f}"
    most = expected.completion_tokens_at_most
    return f"{prompt} in, {done} out" + (f" (at most {most:,})" if most else "")
