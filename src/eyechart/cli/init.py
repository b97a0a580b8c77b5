from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from eyechart.app.init import Wishes, Written, write_study
from eyechart.app.init_goals import Aimed
from eyechart.app.schemes import TASKS, Task
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError
from eyechart.core.spec import Goal

GOALS: tuple[Goal, ...] = ("ceiling", "production", "sensitivity")

QUESTIONS: tuple[tuple[str, str, Any], ...] = (
    ("task", "What is asked for", click.Choice(TASKS)),
    ("people", "Can people label some answers", click.BOOL),
    ("labels", "How many answers can they label", click.IntRange(1)),
    ("sampling", "Are answers drawn at random, as users see them (else greedy)", click.BOOL),
)


@click.command("init")
@click.argument("data", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("study.yaml"), show_default=True, help="File to write."
)
@click.option("--function", help="A rule system to sit the same test, as module:function.")
@click.option("--backend", help="Backend of the model; the embedded one unless given.")
@click.option("--url", help="Server of an OpenAI-compatible backend, ending in /v1.")
@click.option("--model", help="Name of the model as the server knows it.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@click.option("--scheme", is_flag=True, help="Choose graders, judge, repeats and labels by task; asks on a terminal.")
@click.option("--task", type=click.Choice(TASKS), help="What is asked for; seen from DATA unless given.")
@click.option("--people", type=click.BOOL, metavar="yes|no", help="Whether people can label answers.")
@click.option("--labels", type=click.IntRange(1), metavar="N", help="Answers that people label.")
@click.option("--sampling", type=click.BOOL, metavar="yes|no", help="Answers drawn at random, or greedy.")
@click.option("--budget", type=click.IntRange(1), metavar="CALLS", help="Most calls.")
@click.option("--goal", type=click.Choice(GOALS), help="What the study is for; sets design and repeats.")
@click.option("--deployment", type=click.Path(path_type=Path), help="Goal production: what is deployed, a file.")
@answers("init")
def command(
    data: Path | None,
    out: Path,
    scheme: bool,
    goal: Goal | None = None,
    deployment: Path | None = None,
    **options: Any,
) -> Answer:
    """Write a study for DATA (CSV, JSON Lines or Parquet); without DATA, one on the built-in chart.

    The study moves temperature, answer cue and reader, with three repeats: a first look, to be edited. With
    --scheme, or one of the options behind it, it has the parts that the task needs: exact grader or judge,
    repeats, seeds, labels of people. With --goal it asks one question: what can the model do (ceiling), what will my
    deployment see (production), how much does the chart matter (sensitivity).
    """
    if deployment is not None and goal != "production":
        raise InputError("is read where --goal production is given", field="--deployment")
    aimed = None if goal is None else Aimed(goal=goal, deployment=deployment)
    given = {name: options.pop(name) for name in ("task", "people", "labels", "sampling", "budget")}
    known = {name: value for name, value in given.items() if value is not None}
    if not scheme and not known:
        return _answer(out, write_study(data, out, aimed=aimed, **options), [])
    if aimed is not None:
        raise InputError("chooses the parts of a study, as --scheme does: give one of them", field="--goal")
    if "labels" in known:
        known.setdefault("people", True)
    asks = scheme and sys.stdin.isatty()
    if asks:
        known = _asked(known, has_data=data is not None)
    wishes = Wishes(**known)
    made = write_study(data, out, wishes=wishes, **options)
    return _answer(out, made, [] if asks else _said(wishes, known, made.task))


def _asked(known: dict[str, Any], *, has_data: bool) -> dict[str, Any]:
    out = dict(known)
    for name, text, kind in QUESTIONS:
        if name in out or (name == "task" and has_data) or (name == "labels" and not out["people"]):
            continue
        default: Any = "choice" if name == "task" else getattr(Wishes(), name)
        out[name] = click.prompt(text, default=default, type=kind, err=True)
    return out


def _said(wishes: Wishes, known: dict[str, Any], task: Task) -> list[str]:
    """The defaults that stand for what was not stated."""
    words = {"people": "yes" if wishes.people else "no", "sampling": "yes" if wishes.sampling else "no"}
    words |= {"labels": str(wishes.labels)} if wishes.people else {}
    words |= {"task": task, "budget": "none"}
    out = [f"{name} {words[name]}" for name in ("task", "people", "labels", "sampling", "budget") if name in words]
    unstated = [text for text in out if text.split()[0] not in known]
    return [f"not stated, so: {', '.join(unstated)}"] if unstated else []


def _answer(out: Path, made: Written, said: list[str]) -> Answer:
    items = "no items yet" if made.items is None else f"{made.items:,} items"
    return Answer(
        code="written",
        text=f"{out}: {items}, {made.factors} factors.",
        data={"study": str(out), "items": made.items, "notes": list(made.notes)},
        lines=[*(f"  {note}" for note in (*said, *made.notes)), f"next: eyechart plan {out}"],
    )
