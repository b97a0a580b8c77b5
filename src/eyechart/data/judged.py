"""From rows to things to be judged: a question, one answer or two, and what people said of them.

>>> row = Row(line=1, values={"id": "7", "prompt": "1 + 1?", "response_a": "2", "response_b": "3", "human": "A"})
>>> item = map_judged(Rows(given="a.jsonl", rows=(row,)), Fields()).items[0]
>>> item.id, item.fields["output_a"], item.fields["question"], item.gold
('7', '2', '1 + 1?', ('a',))

The verdict of people is no field of the item: no template can show it to the judge. A single answer stands
in `output`, two in `output_a` and `output_b`, whatever their columns are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eyechart.core.errors import InputError
from eyechart.core.identity import canonical_json
from eyechart.core.records import Item
from eyechart.core.spec import Fields
from eyechart.data.items import Mapped, hashed, label_of
from eyechart.data.values import Problem, Row, Rows, as_text, listed, missing, quoted, shown

STEMS = ("output", "response", "answer", "completion", "generation", "text", "prediction")
"""What the column of a judged answer is called, likeliest first; two end in `_a` and `_b`, or in `_1` and `_2`."""
ENDS = (("_a", "_b"), ("_1", "_2"), ("_A", "_B"))
NAMES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "prompt", "instruction", "input", "problem", "query"),
    "answer": ("human", "human_verdict", "verdict", "human_label", "human_score", "preference", "winner"),
    "reference": ("reference", "reference_answer", "gold", "target", "correct_answer"),
    "id": ("id", "item_id", "question_id", "doc_id"),
    "group": ("group", "subject", "category", "task"),
    "cluster": ("cluster", "passage_id", "passage"),
    "slice": ("slice",),
}
_PREFERRED: Mapping[str, str] = {
    "a": "a", "1": "a", "model_a": "a", "b": "b", "2": "b", "model_b": "b",
    "tie": "tie", "c": "tie", "both": "tie", "equal": "tie", "draw": "tie",
}  # fmt: skip


def map_judged(rows: Rows, fields: Fields) -> Mapped:
    """Items of all rows that can be used, and a problem for each that cannot.

    Raises InputError where there is no column of answers, or where more rows cannot be used than can.
    """
    if not rows.rows:
        raise InputError("holds no rows" if not rows.problems else rows.problems[0].reason, file=rows.given)
    header = list(dict.fromkeys(name for row in rows.rows for name in row.values))
    outputs = _outputs(header, rows.given)
    roles = {role: _column(role, names, header, fields, outputs, rows.given) for role, names in NAMES.items()}
    items: dict[str, Item] = {}
    lines: dict[str, tuple[int, str]] = {}
    problems = list(rows.problems)
    for row in rows.rows:
        item = _item(row, roles, outputs)
        content = canonical_json(row.values)
        if isinstance(item, str):
            problems.append(Problem(line=row.line, reason=item, file=rows.given))
        elif item.id not in items:
            items[item.id], lines[item.id] = item, (row.line, content)
        else:
            first, known = lines[item.id]
            same = known == content
            reason = f"is the row of line {first} again" if same else (
                f"has the id {quoted(item.id)} of line {first}, and other content; give each row its own id"
            )  # fmt: skip
            problems.append(Problem(line=row.line, reason=reason, file=rows.given, duplicate=same))
    bad = [p for p in problems if not p.duplicate]
    if not items or len(bad) > len(items):
        first = min(bad or problems, key=lambda p: p.line or 0)
        raise InputError(
            f"{len(bad)} of {len(rows.rows)} rows cannot be used, the first: {first.reason}",
            file=rows.given,
            line=first.line,
        )
    return Mapped(
        items=tuple(items.values()), problems=tuple(problems), notes=_notes(roles, outputs), reading=None, labels={}
    )


def _outputs(header: Sequence[str], given: str) -> Mapping[str, str]:
    """Name in the item to column: `output`, or `output_a` and `output_b`."""
    for stem in STEMS:
        for first, second in ENDS:
            if stem + first in header and stem + second in header:
                return {"output_a": stem + first, "output_b": stem + second}
    for stem in STEMS:
        if stem in header:
            return {"output": stem}
    raise InputError(
        f"no column holds what is to be judged; call it output, or output_a and output_b for a pair; there are: "
        f"{listed(header)}",
        file=given,
    )


def _column(
    role: str, names: Sequence[str], header: Sequence[str], fields: Fields, outputs: Mapping[str, str], given: str
) -> str | None:
    stated: str | None = getattr(fields, role, None)
    if stated is not None:
        if stated and stated not in header:
            raise InputError(
                f"{given} has no column {stated}; there are: {listed(header)}", field=f"dataset.fields.{role}"
            )
        return stated or None
    return next((name for name in names if name in header and name not in outputs.values()), None)


def _item(row: Row, roles: Mapping[str, str | None], outputs: Mapping[str, str]) -> Item | str:
    """The item of a row, or why there is none."""
    values = row.values
    texts: dict[str, str] = {}
    for name, column in outputs.items():
        value = values.get(column)
        if column not in values or value is None:
            return f"has no answer to judge (column {column})"
        texts[name] = value if isinstance(value, str) else as_text(value)
    gold = _verdict(values.get(roles["answer"]) if roles["answer"] else None, "output_a" in outputs)
    if gold is None:
        return f"has the verdict {quoted(values.get(roles['answer'] or ''))}; write a, b or tie"
    hidden = {roles["answer"], *outputs.values()}
    kept: dict[str, Any] = {name: value for name, value in values.items() if name not in hidden} | texts
    kept["question"] = as_text(values.get(roles["question"])) if roles["question"] else ""
    if roles["reference"]:
        kept["reference"] = as_text(values.get(roles["reference"]))
    own = values.get(roles["id"]) if roles["id"] else None
    asked = canonical_json({name: value for name, value in values.items() if name != roles["answer"]})
    return Item(
        id=hashed("h-", asked) if missing(own) else as_text(own).strip(),
        fields=kept,
        gold=gold,
        group=label_of(values, roles["group"]),
        cluster=label_of(values, roles["cluster"]),
        slice=label_of(values, roles["slice"]),
        line=row.line,
    )


def _verdict(value: Any, pair: bool) -> tuple[str, ...] | None:
    """What people said; empty where nobody was asked, None where it cannot be understood."""
    if missing(value):
        return ()
    text = as_text(value).strip()
    if not pair:
        return (text,)
    known = _PREFERRED.get(text.casefold())
    return (known,) if known else None


def _notes(roles: Mapping[str, str | None], outputs: Mapping[str, str]) -> tuple[str, ...]:
    words = {"answer": "human verdict"}
    pairs = [*outputs.items(), *((words.get(role, role), column) for role, column in roles.items())]
    said = [f"{name} <- column {shown(column)}" for name, column in pairs if column is not None and column != name]
    if roles["answer"] is None:
        said.append("no column of human verdicts: nothing will be said about agreement with people")
    return tuple(said)
