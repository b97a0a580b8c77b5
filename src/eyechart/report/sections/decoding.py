"""The decoding probe as blocks: the paths side by side, where they part, and the open steps."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.probes.decoding import OPEN, DecodingProbe, Parting, Step, Walk
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    Note,
    PathBlock,
    PathLine,
    PathPoint,
    Prose,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import listed, missing, row, table
from eyechart.report.pictures import quoted
from eyechart.report.sections.prompts import why
from eyechart.report.text import short

SHOWN = 5
TEXT = 1000
"""Characters of a text shown below the picture."""
ROWS = 1000
"""Steps in the table beside the picture."""


def decoding(found: DecodingProbe) -> list[Block]:
    """What they come to, the paths, their texts."""
    blocks: list[Block] = []
    if found.walks:
        blocks += [_sentence(found), Prose(text=_asked(found)), _summary(found.walks)]
    blocks += [Note(kind="info", text=why(note)) for note in found.notes]
    blocks += [
        Note(kind="missing", text=message("probes.no_path", name=m.name, reason=why(m.reason))) for m in found.missing
    ]
    if found.walks:
        blocks.append(path_block(found))
        blocks += [Prose(text=message("probes.path.text", name=w.name, text=short(w.text, TEXT))) for w in found.walks]
    if len(found.walks) > 2:
        blocks.append(_partings(found.partings))
    return blocks


def _sentence(found: DecodingProbe) -> Block:
    opens = sum(len(walk.open) for walk in found.walks)
    steps = sum(len(walk.steps) for walk in found.walks)
    said = {"open": numbers.whole(opens), "steps": numbers.whole(steps)}
    if len(found.walks) == 1:
        return Prose(text=message("probes.path.one", **said))
    if found.parting is None:
        return Prose(text=message("probes.path.same", **said))
    return Prose(text=message("probes.path.parts", n=numbers.whole(found.parting + 1), **said))


def _asked(found: DecodingProbe) -> Text:
    prompt = short(found.prompt, TEXT)
    return message("probes.path.item", item=found.item, prompt=prompt) if found.item is not None else prompt


def _summary(walks: Sequence[Walk]) -> Table:
    keys = ("path", "steps", "open", "other", "logprob", "ended")
    columns = [(message(f"probes.col.{key}"), key in ("steps", "open", "other", "logprob")) for key in keys]
    rows: list[Row] = []
    for walk in walks:
        whole = walk.logprob
        known = [step.greedy for step in walk.steps if step.greedy is not None]
        other = sum(not greedy for greedy in known)
        rows.append(
            row(
                walk.name,
                Cell(text=numbers.whole(len(walk.steps)), value=len(walk.steps)),
                Cell(text=numbers.whole(len(walk.open)), value=len(walk.open)),
                Cell(text=numbers.whole(other), value=other) if known else missing(message("probes.not_visible")),
                Cell(text=numbers.decimal(whole, 2), value=whole)
                if numbers.finite(whole)
                else missing(message("probes.not_visible")),
                _finish(walk.finish),
            )
        )
    caption = message("probes.paths.caption", share=numbers.percent(1 - OPEN), p=numbers.percent(OPEN))
    return table(columns, rows, title=message("probes.paths"), caption=caption)


def _finish(finish: str | None) -> Text:
    if finish in ("stop", "length"):
        return message(f"probes.finish.{finish}")
    return message("missing") if finish is None else finish


def path_block(found: DecodingProbe) -> PathBlock:
    """All paths as one picture."""
    return PathBlock(
        title=message("probes.path"),
        caption=message("probes.path.caption", p=numbers.percent(OPEN)),
        lines=tuple(
            PathLine(name=walk.name, points=tuple(point_of(step) for step in walk.steps)) for walk in found.walks
        ),
        parting=found.parting,
        twin=_steps(found.walks),
    )


def point_of(step: Step) -> PathPoint:
    """One step as a picture wants it."""
    return PathPoint(
        token=step.token,
        p=step.p,
        entropy=step.entropy,
        margin=step.margin,
        open=bool(step.open),
        candidates=step.candidates[:SHOWN],
    )


def _steps(walks: Sequence[Walk]) -> Table:
    keys = ("path", "step", "token", "p", "entropy", "margin", "open", "candidates")
    columns = [(message(f"probes.col.{key}"), key in ("step", "p", "entropy", "margin")) for key in keys]
    rows = [_step(walk.name, i, step) for walk in walks for i, step in enumerate(walk.steps)]
    return table(columns, rows[:ROWS], title=message("probes.steps"), caption=message("probes.steps.caption"))


def _step(name: str, i: int, step: Step) -> Row:
    others = listed(f"{quoted(token)} {numbers.part(p)} %" for token, p in step.candidates[:SHOWN])
    hidden = missing(message("probes.not_visible"))
    return row(
        name,
        Cell(text=numbers.whole(i + 1), value=i + 1),
        Cell(text=step.token, code=True),
        hidden if step.p is None else Cell(text=f"{numbers.part(step.p)} %", value=step.p),
        hidden if step.entropy is None else Cell(text=numbers.decimal(step.entropy, 2), value=step.entropy),
        hidden if step.margin is None else Cell(text=numbers.points(step.margin), value=step.margin),
        message("probes.yes") if step.open else "",
        Cell(text=others) if step.candidates else hidden,
    )


def _partings(partings: Sequence[Parting]) -> Table:
    keys = ("path", "other_path", "parting", "token", "other_token", "open")
    columns = [(message(f"probes.col.{key}"), key == "parting") for key in keys]
    rows: list[Row] = []
    for one in partings:
        if one.step is None:
            rows.append(row(one.first, one.second, message("probes.never"), "", "", ""))
            continue
        took = (message("probes.ended") if token is None else Cell(text=token, code=True) for token in one.tokens)
        step = Cell(text=numbers.whole(one.step + 1), value=one.step + 1)
        rows.append(row(one.first, one.second, step, *took, message("probes.yes") if one.open else ""))
    return table(columns, rows, title=message("probes.partings"), caption=message("probes.partings.caption"))
