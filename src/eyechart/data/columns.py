"""Which column holds what: stated in `dataset.fields`, or guessed by name and said aloud.

>>> from eyechart.data.values import Row
>>> rows = [Row(line=1, values={"text": "good", "label": "positive"})]
>>> columns, notes = find_columns(rows, Fields(), "a.jsonl")
>>> columns.question, columns.answer, notes
('text', 'label', ('question <- column text', 'answer <- column label'))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eyechart.core.effective import ALPHABET
from eyechart.core.errors import InputError
from eyechart.core.registry import nearest
from eyechart.core.spec import Fields
from eyechart.data.values import Row, listed, missing, shown

NAMES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "text", "input", "prompt", "problem", "sentence"),
    "choices": ("choices", "options"),
    "answer": ("answer", "label", "target", "gold", "output", "answer_key", "answerKey"),
    "id": ("id", "item_id", "question_id", "doc_id"),
    "group": ("group", "subject", "category", "task"),
    "cluster": ("cluster", "passage_id", "passage"),
    "slice": ("slice",),
}
"""Names that are guessed, likeliest first; an exact spelling goes before one in another case."""

_PREFIXES = ("choice_", "option_", "choice", "option", "ending", "op", "")
_SUFFIXES = (ALPHABET.lower(), ALPHABET, "0123456789", "123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    question: str
    answer: str
    """Empty: there is no right answer."""
    choices: tuple[str, ...] = ()
    """One column that holds a list or mapping, or a column an option; empty: no choices."""
    labels: tuple[str, ...] = ()
    """What single columns call their options, where not A, B, C: `1`, `2` for `option1`, `option2`."""
    single: bool = False
    """Whether `choices` is one column that holds them all."""
    id: str | None = None
    group: str | None = None
    cluster: str | None = None
    slice: str | None = None


def find_columns(
    rows: Sequence[Row], fields: Fields, given: str, *, open_ended: bool = False
) -> tuple[Columns, tuple[str, ...]]:
    """The columns and what was guessed. A stated name of "" means: there is none, do not guess. `open_ended`:
    there need not be a right answer.

    Raises InputError for a stated column that no row has, and where question or answer cannot be found.
    """
    filled = _counts(rows)
    stated: dict[str, tuple[str, ...]] = {}
    for role in NAMES:
        value: str | tuple[str, ...] | None = getattr(fields, role)
        if value is not None:
            stated[role] = tuple(name for name in ((value,) if isinstance(value, str) else value) if name)
            _check(role, stated[role], filled, given)
    taken = {name for names in stated.values() for name in names}
    found: dict[str, str | None] = {}
    notes: list[str] = []
    choices, labels, single = _stated_choices(fields, stated)
    for role in NAMES:
        if role in stated:
            found[role] = stated[role][0] if stated[role] else None
            continue
        name = _guess(NAMES[role], filled, len(rows), taken)
        if role == "choices":
            choices, labels, single = ((name,), (), True) if name else (*_family(filled, taken), False)
            taken.update(choices)
            if choices and choices != ("choices",):
                notes.append(f"choices <- column{'s' * (len(choices) > 1)} {listed(choices, 26)}")
            continue
        found[role] = name
        if name is not None:
            taken.add(name)
            if name != role:
                notes.append(f"{role} <- column {shown(name)}")
    for role in ("question",) if open_ended else ("question", "answer"):
        _check_found(role, found[role], filled, given)
    if found["answer"] and (found["answer"] == found["question"] or found["answer"] in choices):
        message = (
            f"column {shown(found['answer'] or '')} is named for the answer and for what is asked; name two columns"
        )
        raise InputError(message, field="dataset.fields.answer")
    columns = Columns(
        question=found["question"] or "",
        answer=found["answer"] or "",
        choices=choices,
        labels=labels,
        single=single,
        id=found["id"],
        group=found["group"],
        cluster=found["cluster"],
        slice=found["slice"],
    )
    return columns, tuple(notes)


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows fill each column, in the order in which the columns first occur."""
    counts: dict[str, int] = {}
    for row in rows:
        for name, value in row.values.items():
            counts[name] = counts.get(name, 0) + (not missing(value))
    return counts


def _stated_choices(
    fields: Fields, stated: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    names = stated.get("choices", ())
    if isinstance(fields.choices, tuple) and len(fields.choices) == 1:
        message = "one column is no choice; name two or more, or a column of lists as text: `choices: NAME`"
        raise InputError(message, field="dataset.fields.choices")
    return names, (), bool(names) and isinstance(fields.choices, str)


def _guess(names: Sequence[str], filled: Mapping[str, int], n: int, taken: Iterable[str]) -> str | None:
    """The likeliest name that at least half of the rows fill; else the likeliest that any row fills."""
    known = [c for c in filled if c not in set(taken) and filled[c]]
    fits = [c for name in names for c in known if c == name]
    fits += [c for name in names for c in known if c != name and c.casefold() == name.casefold()]
    return next((c for c in fits if 2 * filled[c] >= n), fits[0] if fits else None)


def _family(filled: Mapping[str, int], taken: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns of single options, at least two, and what they call them.

    >>> _family({"A": 1, "B": 1, "option1": 1, "option2": 1}, ())
    (('option1', 'option2'), ('1', '2'))
    """
    free = set(filled) - set(taken)
    for prefix in _PREFIXES:
        for suffixes in _SUFFIXES:
            if prefix == "" and suffixes != ALPHABET:
                continue
            names: list[str] = []
            for suffix in suffixes:
                if prefix + suffix not in free:
                    break
                names.append(prefix + suffix)
            if len(names) > 1:
                letters = suffixes in (ALPHABET, ALPHABET.lower())
                return tuple(names), () if letters else tuple(suffixes[: len(names)])
    return (), ()


def _check(role: str, names: Iterable[str], filled: Mapping[str, int], given: str) -> None:
    for name in names:
        if name not in filled:
            close = nearest(name, filled)
            hint = f"did you mean {shown(close)}?" if close else f"there are: {listed(filled)}"
            raise InputError(f"{given} has no column {name}; {hint}", field=f"dataset.fields.{role}")


def _check_found(role: str, name: str | None, filled: Mapping[str, int], given: str) -> None:
    if name is None:
        what = "what is asked" if role == "question" else "the right answer"
        message = f"no column of {given} is known to hold {what}; name one of: {listed(filled)}"
        raise InputError(message, field=f"dataset.fields.{role}")
