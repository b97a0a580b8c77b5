"""From rows to items.

>>> row = Row(line=1, values={"question": "1 + 1?", "choices": ["1", "2"], "answer": "B", "subject": "sums"})
>>> mapped = map_rows(Rows(given="a.jsonl", rows=(row,)), Fields())
>>> item = mapped.items[0]; item.gold, item.gold_index, item.group, sorted(item.fields)
(('2',), 1, 'sums', ['choices', 'question', 'subject'])
>>> item.id
'h-834434ab1fe1'

The column of the answer is not among the fields of an item, under its own name or any other: no template
can show it, not by mistake either. All other columns are kept, and `question` is always there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from eyechart.core.effective import ALPHABET
from eyechart.core.errors import InputError
from eyechart.core.identity import canonical_json
from eyechart.core.records import Item
from eyechart.core.spec import Fields
from eyechart.data.answers import Reading, choose_reading, position, why_not
from eyechart.data.columns import Columns, find_columns
from eyechart.data.options import Options, read_options
from eyechart.data.values import Problem, Row, RowError, Rows, as_text, missing, quoted, shown

_FINAL = re.compile(r"(?:^|\n)\s*####[ \t]*(\S.*?)\s*$")
_LONG = 64
"""A cluster named by more characters than this is a passage itself; its hash names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    items: tuple[Item, ...]
    problems: tuple[Problem, ...]
    """Rows that could not be read, cannot be used, or stand there twice; by line."""
    notes: tuple[str, ...]
    """Guesses and decisions, to be said aloud."""
    reading: Reading | None
    """How answers were read; None where no row has choices."""
    labels: Mapping[str, tuple[str, ...]]
    """Of the choices, by item id, for rows that bring their own."""


@dataclass(frozen=True, slots=True)
class _Draft:
    row: Row
    question: str
    options: Options | None
    answers: tuple[str, ...]
    content: str
    """The whole row in canonical form: what makes two rows the same row."""


def map_rows(rows: Rows, fields: Fields, *, prefer: Reading | None = None, open_ended: bool = False) -> Mapped:
    """Items of all rows that can be used, and a problem for each that cannot. `open_ended`: a row needs no right
    answer.

    Raises InputError where a column is missing, or where no row, or less than half of them, can be used.
    """
    if not rows.rows:
        raise _too_few(rows.given, rows.problems, 0)
    columns, notes = find_columns(rows.rows, fields, rows.given, open_ended=open_ended)
    problems = list(rows.problems)
    drafts: list[_Draft] = []
    for row in rows.rows:
        try:
            drafts.append(_draft(row, columns, open_ended))
        except RowError as error:
            problems.append(Problem(line=row.line, reason=str(error), file=rows.given))
    drafts, reading, said = _read(drafts, rows.given, problems, prefer)
    notes += (*said, *_few_choices(drafts, columns))
    columns, said = _usable_id(columns, drafts, fields)
    notes += said
    items = _unique([(d, _item(d, columns, reading)) for d in drafts], rows.given, problems)
    bad = [p for p in problems if not p.duplicate]
    if not items or len(bad) > len(items):
        raise _too_few(rows.given, sorted(bad or problems, key=_line), len(items))
    kept, said = _without_answer(items, columns)
    problems.sort(key=_line)
    labels = {item.id: draft.options.labels for draft, item in items if draft.options and draft.options.labels}
    return Mapped(items=kept, problems=tuple(problems), notes=notes + said, reading=reading, labels=labels)


def _line(problem: Problem) -> int:
    return problem.line or 0


def _too_few(given: str, problems: Sequence[Problem], usable: int) -> InputError:
    first = problems[0]
    total = usable + len(problems)
    head = f"{len(problems)} of {total} rows cannot be used, the first: " if total > 1 else "cannot be used: "
    return InputError(head + first.reason, file=given, line=first.line)


def _draft(row: Row, columns: Columns, open_ended: bool) -> _Draft:
    question = row.values.get(columns.question)
    if missing(question):
        raise RowError(f"has no question (column {columns.question})")
    if isinstance(question, list | dict):
        raise RowError(f"question is {quoted(question)}; write text")
    options = read_options(row.values, columns.choices, columns.labels, columns.single)
    given = row.values.get(columns.answer)
    answers = () if open_ended and missing(given) else _answers(given, columns.answer)
    return _Draft(row, as_text(question), options, answers, canonical_json(row.values))


def _answers(value: Any, column: str) -> tuple[str, ...]:
    """Accepted answers: text, a list, or a mapping as in SQuAD (`text`) and TriviaQA (`value`, `aliases`)."""
    if isinstance(value, Mapping):
        known = cast("Mapping[str, Any]", value)
        if not known.keys() & {"text", "value", "aliases"}:
            raise RowError(f"answer is {quoted(known)}; write text or a list of texts")
        value = [known.get("value"), *_as_list(known.get("text")), *_as_list(known.get("aliases"))]
    entries = [v for v in _as_list(value) if not missing(v)]
    if not entries:
        raise RowError(f"has no answer (column {column})")
    if any(isinstance(v, list | dict) for v in entries):
        raise RowError(f"answer is {quoted(value)}; write text or a list of texts")
    return tuple(dict.fromkeys(as_text(v) for v in entries))


def _as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _read(
    drafts: Sequence[_Draft], given: str, problems: list[Problem], prefer: Reading | None
) -> tuple[list[_Draft], Reading | None, tuple[str, ...]]:
    """The drafts whose answer can be read, how it is read where there are choices, and notes."""
    pairs = [(d.answers[0], d.options) for d in drafts if d.options and len(d.answers) == 1]
    reading, notes = choose_reading(pairs, prefer) if pairs else (None, ())
    kept: list[_Draft] = []
    final = 0
    for draft in drafts:
        reason = _unreadable(draft, reading)
        if reason:
            problems.append(Problem(line=draft.row.line, reason=reason, file=given))
            continue
        if not draft.options and any(_FINAL.search(a) for a in draft.answers):
            draft = replace(draft, answers=tuple(m[1] if (m := _FINAL.search(a)) else a for a in draft.answers))
            final += 1
        kept.append(draft)
    if final:
        notes = (*notes, f"answers end in `#### x`: x alone is the gold answer ({final} rows)")
    return kept, reading, notes


def _unreadable(draft: _Draft, reading: Reading | None) -> str | None:
    if not draft.answers:
        return None
    first, *more = draft.answers
    if draft.options is None:
        if reading in (None, "text"):
            return None
        return f"has no choices, and answers {quoted(first)} as if it had"
    if more:
        return f"has {len(draft.answers)} right answers; a row with choices has one"
    if reading and position(reading, first, draft.options) is None:
        return why_not(reading, first, draft.options)
    return None


def _few_choices(drafts: Sequence[_Draft], columns: Columns) -> tuple[str, ...]:
    without = sum(d.options is None for d in drafts)
    if not columns.choices or not without:
        return ()
    return (f"{without} of {len(drafts)} rows have no choices and are open questions",)


def _usable_id(columns: Columns, drafts: Sequence[_Draft], fields: Fields) -> tuple[Columns, tuple[str, ...]]:
    """A guessed id column that mostly repeats itself (a number within its subject) is no id."""
    if columns.id is None or fields.id is not None:
        return columns, ()
    rows = {d.content: d.row.values.get(columns.id) for d in drafts}
    known = [as_text(v) for v in rows.values() if not missing(v)]
    repeated = len(known) - len(set(known))
    if repeated * 10 <= len(known):
        return columns, ()
    note = f"column {shown(columns.id)} repeats itself in {repeated} of {len(known)} rows and is not taken for an id"
    return replace(columns, id=None), (note,)


def _item(draft: _Draft, columns: Columns, reading: Reading | None) -> Item:
    values = draft.row.values
    gold, index = draft.answers, None
    texts = draft.options.texts if draft.options else ()
    if draft.options and reading and gold:
        index = position(reading, draft.answers[0], draft.options)
        gold = (texts[cast("int", index)],)
    own = values.get(columns.id) if columns.id else None
    fields = {name: value for name, value in values.items() if name != columns.answer}
    return Item(
        id=_asked_id(values, columns) if missing(own) else as_text(own).strip(),
        fields=fields | {"question": draft.question},
        gold=gold,
        choices=texts,
        gold_index=index,
        group=label_of(values, columns.group),
        cluster=_cluster(values, columns.cluster),
        slice=label_of(values, columns.slice),
        line=draft.row.line,
    )


def _asked_id(values: Mapping[str, Any], columns: Columns) -> str:
    """An id from all that is asked, without the answer: a corrected answer is read again, never asked again."""
    return hashed("h-", canonical_json({name: value for name, value in values.items() if name != columns.answer}))


def hashed(prefix: str, content: str) -> str:
    """A name that belongs to the content, not to its place in the file."""
    return prefix + hashlib.sha256(content.encode()).hexdigest()[:12]


def label_of(values: Mapping[str, Any], column: str | None) -> str | None:
    value = values.get(column) if column else None
    return None if missing(value) else as_text(value).strip()


def _cluster(values: Mapping[str, Any], column: str | None) -> str | None:
    label = label_of(values, column)
    if label is None or len(label) <= _LONG:
        return label
    return hashed("p-", label)


def _unique(pairs: Sequence[tuple[_Draft, Item]], given: str, problems: list[Problem]) -> list[tuple[_Draft, Item]]:
    """Each id once. The same row again is listed; the same id with other content cannot be used."""
    first: dict[str, tuple[int, str]] = {}
    kept: list[tuple[_Draft, Item]] = []
    for draft, item in pairs:
        line, known = first.setdefault(item.id, (draft.row.line, draft.content))
        if line == draft.row.line:
            kept.append((draft, item))
        elif known == draft.content:
            reason = f"is the row of line {line} again"
            problems.append(Problem(line=draft.row.line, reason=reason, file=given, duplicate=True))
        else:
            reason = f"has the id {quoted(item.id)} of line {line}, and other content; give each row its own id"
            problems.append(Problem(line=draft.row.line, reason=reason, file=given))
    return kept


def _without_answer(pairs: Sequence[tuple[_Draft, Item]], columns: Columns) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Items without the columns that repeat the answer, row by row, in whatever spelling."""
    if not all(item.gold for _, item in pairs):
        return tuple(item for _, item in pairs), ()
    spellings = [_spellings(draft, item, columns) for draft, item in pairs]
    if len({s["gold"] for s in spellings}) < 2:  # a constant column is equal by chance
        return tuple(item for _, item in pairs), ()
    mapped = {columns.question, "question", *columns.choices}
    names = dict.fromkeys(name for _, item in pairs for name in item.fields if name not in mapped)
    twins = [name for name in names if _repeats(name, pairs, spellings)]
    notes = [f"column {shown(name)} repeats the answer and is kept from templates" for name in twins]
    if columns.group in twins:
        notes.append(
            f"column {shown(columns.group or '')} is also the group: a template with {{{{group}}}} would show the answer"
        )
    items = tuple(
        replace(item, fields={k: v for k, v in item.fields.items() if k not in twins}) if twins else item
        for _, item in pairs
    )
    return items, tuple(notes)


def _spellings(draft: _Draft, item: Item, columns: Columns) -> dict[str, str]:
    out = {"cell": as_text(draft.row.values.get(columns.answer)), "gold": item.gold[0]}
    if item.gold_index is not None and draft.options:
        out["index"] = str(item.gold_index)
        out["number"] = str(item.gold_index + 1)
        out["letter"] = (ALPHABET + "?" * len(item.choices))[item.gold_index]
        out["label"] = (draft.options.labels or ("?",) * len(item.choices))[item.gold_index]
    return out


def _repeats(name: str, pairs: Sequence[tuple[_Draft, Item]], spellings: Sequence[Mapping[str, str]]) -> bool:
    alive: set[str] | None = None
    for (_, item), known in zip(pairs, spellings, strict=True):
        value = item.fields.get(name)
        if missing(value):
            continue
        text = as_text(value)
        fits = {key for key, spelt in known.items() if spelt == text}
        alive = fits if alive is None else alive & fits
        if not alive:
            return False
    return bool(alive)
