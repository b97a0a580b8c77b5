from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal

import click

from eyechart.analysis.differing import KINDS, LAYERS, Difference, Filled, Items, Kind, Told, Unset
from eyechart.app.diff import Diffed, diff
from eyechart.cli import reported
from eyechart.cli.output import Answer, answers, clean
from eyechart.core.words import message
from eyechart.report.diff_words import filled, headline, item_sentences, shown, values
from eyechart.report.messages import say

SIGNS: dict[Kind, str] = {"scores": "≠", "may": "?", "inert": "=", "provenance": "·"}
COLOURS: dict[Kind, str] = {"scores": "31", "may": "33", "inert": "2", "provenance": "2"}
WIDTH = 110
VALUE = 44
"""Characters of a value in the terminal."""
ITEMS = 10
"""Items shown in the terminal."""


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--exit-code", is_flag=True, help="End with 1 where something scores differently, as git diff does.")
@click.option("--brief", is_flag=True, help="Leave out what is inert, provenance, and who filled in what.")
@reported.reported
@answers("diff")
def command(a: str, b: str, exit_code: bool, brief: bool, report: Path | None, language: Literal["en", "zh"]) -> Answer:
    """Field by field, how evaluations A and B differ, and whether that can move a score.

    A and B: fingerprints or studies, run folders, set-ups of runs (RUN#c003), or logs of other harnesses. No model is
    called. What takes effect is compared, not what is written; other answer keys are compared item by item, and stored
    answers read again under each.

    \b
    ≠ scores differently   ? may differ   = inert   · provenance only
    """
    if report is not None:
        from eyechart.app.paper import writable

        writable(report)
    found = diff(a, b)
    if report is not None:
        found.report(report, language=language)
    moves = bool(found.of("scores"))
    code = "same" if found.same else "scores_differently" if moves else "may_differ" if found.of("may") else "equal"
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return Answer(
        code=code,
        text=say(headline(found), "en"),
        data=_data(found, report),
        lines=[*_lines(found, brief=brief, coloured=coloured), *([] if report is None else ["", f"report: {report}"])],
        coloured=coloured,
        warnings=list(found.notes),
        exit_code=1 if exit_code and moves else 0,
    )


def _lines(found: Diffed, *, brief: bool, coloured: bool) -> Iterator[str]:
    for text in item_sentences(found):
        yield clean(say(text, "en"))
    if found.flags:
        from eyechart.report.checks import lines

        yield ""
        yield from (clean(line) for line in lines(found.flags))
    kinds = KINDS[:2] if brief else KINDS
    wanted = [one for one in found.differences if one.kind in kinds]
    width = max((len(one.path) for one in wanted), default=0)
    for layer in LAYERS:
        mine = [one for one in wanted if one.layer == layer]
        if mine:
            yield ""
            yield clean(say(message(f"diff.layer.{layer}"), "en"))
            for one in mine:
                yield from _field(one, min(width, 40), coloured)
    if found.items is not None:
        yield from _items(found.items)
    if not brief:
        yield from _unset(found)


def _field(one: Difference, width: int, coloured: bool) -> Iterator[str]:
    a, b = (say(text, "en") for text in values(one, VALUE))
    head = f"{SIGNS[one.kind]} {clean(one.path).ljust(width)}  {clean(a)} -> {clean(b)}"
    yield f"  \x1b[{COLOURS[one.kind]}m{head}\x1b[0m" if coloured else f"  {head}"
    yield f"      {clean(say(message(f'diff.kind.{one.kind}'), 'en'))}: {clean(say(one.why, 'en'))}"


def _items(found: Items) -> Iterator[str]:
    yield ""
    yield "Items"
    for one in found.changes[:ITEMS]:
        a, b = (("–" if text is None else shown(text))[:VALUE] for text in (one.a, one.b))
        yield clean(f"  {one.what} {one.item[:40]}: {a} -> {b}")
    if len(found.changes) > ITEMS:
        yield f"  and {len(found.changes) - ITEMS:,} more; --json has all"


def _unset(found: Diffed) -> Iterator[str]:
    """Who filled in what, a line a teller."""
    groups: dict[str, list[str]] = {}
    for one in found.unset:
        for who, text in _told(one, found):
            groups.setdefault(who, []).append(text)
    if groups:
        yield ""
        yield "Not set, and who filled it in"
    for who, texts in groups.items():
        yield from wrap(clean(f"  {who}: {', '.join(texts)}"), WIDTH, subsequent_indent="    ", break_long_words=False)


def _told(one: Unset, found: Diffed) -> Iterator[tuple[str, str]]:
    sides = ((found.a.name, one.a), (found.b.name, one.b))
    if one.a == one.b:
        yield f"{_who(one.a)}, in both", _value(one.path, one.a)
        return
    for name, side in sides:
        if side.by not in ("stated", "log", "inert"):
            yield f"{_who(side)}, in {name}", _value(one.path, side)


def _who(side: Filled) -> str:
    return say(filled(Filled(by=side.by)), "en") if side.by != "eyechart" else "default of eyechart"


def _value(path: str, side: Filled) -> str:
    if side.value is None:
        return f"{path} off" if side.by == "eyechart" else path
    return f"{path} = {shown(side.value)[:VALUE]}"


def _data(found: Diffed, report: Path | None) -> dict[str, Any]:
    return {
        "same": found.same,
        "counts": dict(found.counts),
        "a": _told_data(found.a),
        "b": _told_data(found.b),
        "differences": [
            {"path": d.path, "layer": d.layer, "kind": d.kind, "a": d.a, "b": d.b, "why": say(d.why, "en")}
            for d in found.differences
        ],
        "unset": [{"path": u.path, "layer": u.layer, "a": _side(u.a), "b": _side(u.b)} for u in found.unset],
        "items": None if found.items is None else _item_data(found.items),
        "items_reason": _why_no_items(found),
        "flags": _flags(found),
        "report": None if report is None else str(report),
    }


def _told_data(one: Told) -> dict[str, Any]:
    reason = None
    if one.digest is None:
        said = "a log does not say all of it", "nothing but what it states was needed, and its data was not read"
        reason = said[one.form == "fingerprint"]
    return {"name": one.name, "form": one.form, "digest": one.digest, "digest_reason": reason}


def _why_no_items(found: Diffed) -> str | None:
    if found.items is not None:
        return None
    return "the items are the same" if found.items_unknown is None else say(found.items_unknown, "en")


def _side(one: Filled) -> dict[str, Any]:
    return {"by": one.by, "value": one.value, "detail": one.detail}


def _item_data(found: Items) -> dict[str, Any]:
    return {
        "shared": found.shared,
        **{what: found.count(what) for what in ("added", "dropped", "relabelled", "changed")},
        "changes": [{"item": c.item, "what": c.what, "a": c.a, "b": c.b} for c in found.changes],
        "effects": [
            {
                "side": e.side, "n": e.n, "own": e.own, "other": e.other, "change": e.change, "moved": e.moved,
                "careful": e.careful,
            }
            for e in found.effects
        ],
        "unknown": [{"side": side, "reason": say(reason, "en")} for side, reason in found.untold],
    }  # fmt: skip


def _flags(found: Diffed) -> list[dict[str, Any]]:
    if not found.flags:
        return []
    from eyechart.report.checks import data

    return [data(flag) for flag in found.flags]
