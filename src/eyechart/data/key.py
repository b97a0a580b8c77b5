"""An answer key: a file of answers by item id that replaces those of the data.

    evaluation: {reference_source: keys/corrected.csv}     columns: id, answer

A bare name that is not a file is kept as a label (whose key it was), and said; a name with a folder in it
was meant as a file, and is refused where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eyechart.core.errors import InputError
from eyechart.core.records import Item
from eyechart.core.spec import Evaluation
from eyechart.data.answers import Reading, choose_reading, position, why_not
from eyechart.data.columns import NAMES
from eyechart.data.load import Loaded
from eyechart.data.options import Options
from eyechart.data.readers import read_rows
from eyechart.data.values import Problem, Rows, as_text, listed, missing, quoted, shown

FIELD = "evaluation.reference_source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """The items with their new gold answers, and how that went."""

    loaded: Loaded
    sha256: str | None = None
    """Of the key; None where there is no key, or a label only."""
    changed: tuple[str, ...] = ()
    """Ids of items whose gold answer is another one now."""
    missing: tuple[str, ...] = ()
    """Ids of items without an answer in the key: they keep the answer of the data."""
    problems: tuple[Problem, ...] = ()
    """Rows of the key that cannot be used."""
    notes: tuple[str, ...] = ()


def apply_key(loaded: Loaded, evaluation: Evaluation, base: Path) -> Keyed:
    """`loaded` with the answers of `evaluation.reference_source`; as it is where none is stated.

    Raises InputError for a file that is not there, has another hash than stated, names an item twice with two
    answers, or knows none of the items.
    """
    given = evaluation.reference_source
    if given is None:
        return Keyed(loaded=loaded)
    if _is_label(given, base):
        note = f"{FIELD}: {given} is taken as a label only: there is no such file; the answers of the data count"
        return Keyed(loaded=loaded, notes=(note,))
    rows = read_rows(given, base, field=FIELD)
    stated = evaluation.reference_sha256
    if stated is not None and stated.strip().lower().removeprefix("sha256:") != rows.sha256:
        message = f"{given} has the hash {rows.sha256}, and {stated} is stated; get the key that was meant"
        raise InputError(message, field="evaluation.reference_sha256")
    answers, problems = _answers(rows)
    return _replaced(loaded, rows, answers, problems)


def _is_label(given: str, base: Path) -> bool:
    place = given.startswith(("python:", "package:", "~")) or "/" in given or "\\" in given
    return not place and not (base / given).exists()


def _answers(rows: Rows) -> tuple[dict[str, tuple[str, int]], list[Problem]]:
    """Answer and line by item id."""
    problems = list(rows.problems)
    names = list(dict.fromkeys(name for row in rows.rows for name in row.values))
    columns: list[str] = []
    for role in ("id", "answer"):
        column = next((n for n in NAMES[role] if n in names), None)
        if column is None:
            wanted = f"name it {role}; there are: {listed(names) or 'none'}"
            raise InputError(f"the key has no column for the {role}; {wanted}", file=rows.given)
        columns.append(column)
    answers: dict[str, tuple[str, int]] = {}
    for row in rows.rows:
        key, answer = (row.values.get(column) for column in columns)
        if missing(key) or missing(answer) or isinstance(answer, list | dict):
            reason = "has no id" if missing(key) else "has no answer that is one text"
            problems.append(Problem(line=row.line, reason=reason, file=rows.given))
            continue
        name, text = as_text(key).strip(), as_text(answer)
        known, line = answers.setdefault(name, (text, row.line))
        if known != text:
            message = f"gives item {shown(name)} another answer than line {line}; keep one"
            raise InputError(message, file=rows.given, line=row.line)
    return answers, problems


def _replaced(loaded: Loaded, rows: Rows, answers: Mapping[str, tuple[str, int]], problems: list[Problem]) -> Keyed:
    known = [item for item in loaded.items if item.id in answers]
    if not known:
        shown = f"the data has {listed((i.id for i in loaded.items), 2)}, the key {listed(answers, 2)}"
        raise InputError(f"the key knows none of the items: {shown}", file=rows.given)
    pairs = [(answers[item.id][0], _options(loaded, item)) for item in known if item.choices]
    reading, notes = choose_reading(pairs, loaded.reading) if pairs else (None, ())
    items: list[Item] = []
    absent: list[str] = []
    for item in loaded.items:
        if item.id not in answers:
            absent.append(item.id)
            items.append(item)
            continue
        text, line = answers[item.id]
        new = _with_answer(item, text, _options(loaded, item), reading)
        if new is None:
            reason = f"item {quoted(item.id)}: {why_not(reading or 'text', text, _options(loaded, item))}"
            problems.append(Problem(line=line, reason=reason, file=rows.given))
            absent.append(item.id)
        items.append(new or item)
    before = {item.id: item for item in loaded.items}
    changed = tuple(i.id for i in items if (i.gold, i.gold_index) != (before[i.id].gold, before[i.id].gold_index))
    said = tuple(note.replace("answers", "answers of the key", 1) for note in notes)
    return Keyed(
        loaded=replace(loaded, items=tuple(items)),
        sha256=rows.sha256,
        changed=changed,
        missing=tuple(absent),
        problems=tuple(problems),
        notes=(*rows.notes, *said, *_said(rows, len(items), changed, absent, len(problems))),
    )


def _options(loaded: Loaded, item: Item) -> Options:
    return Options(item.choices, loaded.labels.get(item.id, ()))


def _with_answer(item: Item, answer: str, options: Options, reading: Reading | None) -> Item | None:
    """The item with another gold answer; None where the answer means none of its choices."""
    if not item.choices:
        return replace(item, gold=(answer,))
    at = position(reading or "text", answer, options)
    return None if at is None else replace(item, gold=(item.choices[at],), gold_index=at)


def _said(rows: Rows, total: int, changed: Sequence[str], absent: Sequence[str], problems: int) -> tuple[str, ...]:
    notes = [f"answers are those of {rows.given}: {len(changed)} of {total} differ from the data"]
    if absent:
        notes.append(
            f"{rows.given} has no usable answer for {len(absent)} of {total} items ({listed(absent, 3)}); "
            "they keep the answer of the data"
        )
    if problems:
        notes.append(f"{problems} rows of {rows.given} cannot be used")
    return tuple(notes)
