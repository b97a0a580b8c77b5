from __future__ import annotations

from pathlib import Path

import click

from eyechart.app.folder import RUNS, Folder
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError
from eyechart.store.store import Store


@click.group("store")
def command() -> None:
    """Check or merge stores of answers. A store is named by its file or by its run folder."""


def _file(path: Path) -> Path:
    return Folder(path).store if path.is_dir() else path


@command.command("verify")
@click.argument("stores", nargs=-1, type=click.Path(path_type=Path))
@answers("store verify")
def verify(stores: tuple[Path, ...]) -> Answer:
    """Derive every digest in STORES again; without any, in all runs below eyechart-runs.

    Where a run folder is named, its other files are compared with its seal as well. Exit code 1 when something does not fit.
    """
    folders = [p for p in stores if p.is_dir()] or ([] if stores else sorted(RUNS.glob("*")))
    paths = [_file(p) for p in stores] or sorted(RUNS.glob("*/store.sqlite"))
    if not paths:
        raise InputError(f"there is no store below {RUNS}; name one")
    data: list[dict[str, object]] = []
    lines: list[str] = []
    answered = 0
    for path in paths:
        with Store(path, create=False) as store:
            problems, counts = store.verify(), store.counts()
        answered += counts.responses
        lines += [f"{path}: {problem}" for problem in problems]
        data.append({"store": str(path), "responses": counts.responses, "requests": counts.requests,
                     "engines": counts.engines, "failures": counts.failures, "problems": problems})  # fmt: skip
    for folder in folders:
        if (folder / "run.json").exists():
            lines += [f"{folder}: {problem}" for problem in Folder(folder).broken_seal()]
    if lines:
        text = f"{len(lines):,} things do not fit in {answered:,} answers."
        return Answer(code="broken", text=text, data=data, lines=lines, exit_code=1)
    return Answer(code="intact", text=f"Every digest fits: {answered:,} answers in {len(paths)} stores.", data=data)


@command.command("merge")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path))
@answers("store merge")
def merge(target: Path, others: tuple[Path, ...]) -> Answer:
    """Add what OTHERS hold to TARGET; they are left as they are."""
    added = 0
    with Store(_file(target)) as store:
        for other in others:
            added += store.merge(_file(other))
        total = store.counts().responses
    return Answer(
        code="merged",
        text=f"{added:,} answers are new; {target} holds {total:,}.",
        data={"added": added, "responses": total},
    )
