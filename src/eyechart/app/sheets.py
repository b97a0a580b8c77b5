"""Sheets for human labels: written for people, read back as a table that `judge audit` and `judge correct` take."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.analysis.sheets import Key, Reading, make_key, read_sheets, second_round, sheet_of
from eyechart.core.errors import InputError
from eyechart.data.sheets import key_text, labels_csv, parse_key, read_filled, read_things, sheet_csv
from eyechart.report.sheet import render_sheet

GRADES = (1, 5)
"""The scale of single outputs where none is stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written."""

    sheets: tuple[Path, ...]
    """One a person."""
    key: Path
    things: int
    whole: int
    """Things in the table they were drawn from."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was read, and where it lies."""

    reading: Reading
    out: Path
    second: Exported | None = None
    """The sheets of a second round, where one was asked for and people disagree."""
    notes: tuple[str, ...] = ()


def export_sheets(
    table: str,
    out: Path,
    *,
    count: int | None = None,
    seed: int = 0,
    people: int = 1,
    scale: tuple[int, int] | None = None,
    shuffle: bool = True,
    force: bool = False,
) -> Exported:
    """A blinded sheet for each of `people` on `count` things of `table` (all: None), and the key beside them.

    `out` ends in .csv (a spreadsheet) or .html (a page that saves a CSV). `scale`: ends of the scale of single
    outputs; (0, 1) is right or wrong. Raises InputError; no file is overwritten unless `force`.
    """
    things, notes = read_things(table)
    pairs = len(things[0].outputs) == 2
    if pairs and scale is not None:
        raise InputError("is for single outputs; pairs are judged 1, 2 or tie", field="--scale")
    if scale is not None and not scale[0] < scale[1] <= scale[0] + 100:
        raise InputError("write the lower number first, and at most 101 grades, as in --scale 1 5", field="--scale")
    try:
        grades = None if pairs else scale or GRADES
        key = make_key(things, people=people, seed=seed, count=count, scale=grades, shuffle=shuffle)
    except ValueError as error:
        raise InputError(f"{error}; give each row an id of its own", file=table) from None
    if count is not None and count > len(things):
        notes = (*notes, f"the table holds {len(things)} things, not {count}; all of them are on the sheet")
    return _written(key, out, force, notes)


def _written(key: Key, out: Path, force: bool, notes: tuple[str, ...] = ()) -> Exported:
    kind = out.suffix.lower()
    if kind not in (".csv", ".html"):
        raise InputError("is no kind of sheet; name a file that ends in .csv or .html", field="--out", file=str(out))
    dash = "-" if out.stem[-1:].isdigit() else ""
    names = [out] if key.people == 1 else [out.with_stem(f"{out.stem}{dash}{k + 1}") for k in range(key.people)]
    beside = out.with_name(f"{out.stem}.key.json")
    render = sheet_csv if kind == ".csv" else render_sheet
    texts = {beside: key_text(key)} | {path: render(sheet_of(key, k)) for k, path in enumerate(names)}
    write_all(texts, force)
    return Exported(sheets=tuple(names), key=beside, things=len(key.things), whole=key.whole, notes=notes)


def write_all(texts: Mapping[Path, str], force: bool) -> None:
    """Writes each text whole or not at all, and none where one of the files is there already (unless `force`).

    A sheet that is overwritten may hold hours of somebody's work.
    """
    if not force and (there := next((path for path in texts if path.exists()), None)):
        raise InputError("is there already; name another file with --out, or give --force", file=str(there))
    for path, text in texts.items():
        draft = path.with_name(f".{path.name}.part")
        try:
            draft.write_text(text, encoding="utf-8", newline="")
            os.replace(draft, path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None


def read_labels(
    sheets: Sequence[Path], key: Path, out: Path, *, second: Path | None = None, force: bool = False
) -> Kept:
    """Labels of filled-in `sheets`, mapped back with `key`, written to `out` as a judge table.

    `second`: where to write the sheets of a second round, on what people disagree about; read them with the key
    written beside them, and both rounds are joined. Raises InputError where not one label could be read.
    """
    try:
        text = key.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(key)) from None
    except UnicodeDecodeError:
        raise InputError("is no key of sheets; name the .key.json written beside them", file=str(key)) from None
    known = parse_key(text, str(key))
    reading = read_sheets(known, [row for path in sheets for row in read_filled(path)])
    given = sum(word is not None for one in reading.labels for word in (one.second or one.first))
    if not given:
        why = f"; {reading.problems[0]}" if reading.problems else ""
        raise InputError(f"no verdict is filled in on {', '.join(map(str, sheets))}{why}")
    write_all({out: labels_csv(reading)}, force)
    if second is None:
        return Kept(reading=reading, out=out)
    try:
        again = second_round(reading)
    except ValueError as error:
        return Kept(reading=reading, out=out, notes=(str(error),))
    return Kept(reading=reading, out=out, second=_written(again, second, force))
