"""Files of sheets: the table of things to judge, the CSV that people fill in, the key, and the table of labels.

A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@` or a tab, and rewrites one that looks like a number or a
date. So whatever does not begin with a letter is written behind an apostrophe, which is taken off again on reading.

>>> escape_cell('=HYPERLINK("http://x")'), unescape_cell("'=1+1"), escape_cell("plain"), unescape_cell(escape_cell("'"))
('\\'=HYPERLINK("http://x")', '=1+1', 'plain', "'")
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

from eyechart.analysis.sheets import CUT, Filled, Key, Place, Reading, Sheet, Thing, shown
from eyechart.core.errors import InputError
from eyechart.data.judged import ENDS, NAMES, STEMS
from eyechart.data.table_files import Rows, open_columns
from eyechart.data.values import as_text, listed, missing, quoted
from eyechart.report.text import clean_lines

MODELS = ("model", "model_a", "model_b")
MARK = "eyechart_sheet_key"
VERDICT = "verdict"


def escape_cell(text: str) -> str:
    """`text` as a cell that a spreadsheet neither runs nor rewrites; `unescape_cell` undoes it exactly."""
    return text if not text or text[0].isalpha() else f"'{text}"


def unescape_cell(text: str) -> str:
    """
    >>> [unescape_cell(text) for text in ("'-1", "don't", "")]
    ['-1', "don't", '']
    """
    return text.removeprefix("'")


def read_things(name: str) -> tuple[tuple[Thing, ...], tuple[str, ...]]:
    """Things to judge from a CSV, TSV or JSON Lines file, and what is worth saying about them.

    Columns: `id`, `question`, `output` or `output_a` and `output_b`, `reference`, or what else `data.judged` takes
    for them; all others are kept apart, and shown on no sheet. Raises InputError for a file without an id or output.
    """
    if ".parquet" in Path(name).suffixes:
        raise InputError("is Parquet; give CSV or JSON Lines", file=name)
    with ExitStack() as files:
        names, found = open_columns(name, lambda header: header, files)
        roles, notes = _roles(name, list(names))
        things: list[Thing] = []
        for line, cells in cast("Rows", found):
            row = {c: "" if v is None else as_text(v) for c, v in zip(names, cells, strict=True)}
            row = {
                c: clean_lines(v.encode("utf-8", "surrogateescape").decode("utf-8", "replace")) for c, v in row.items()
            }
            if missing(row[roles["id"]]):
                raise InputError(
                    f"holds nothing in {roles['id']}; each row needs an id of its own", file=name, line=line
                )
            things.append(_thing(row, roles))
    if not things:
        raise InputError("holds no rows", file=name)
    return tuple(things), (*notes, *_doubts(things))


def _roles(name: str, header: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    known = {role: (role, *NAMES[role]) for role in ("id", "question", "reference")} | {"output": STEMS}
    known |= {f"output_{end}": tuple(stem + ends[i] for stem in STEMS for ends in ENDS) for i, end in enumerate("ab")}
    roles = {role: found for role, names in known.items() if (found := next((c for c in names if c in header), None))}
    pair = "output_a" in roles and "output_b" in roles
    if "id" not in roles or not (pair or "output" in roles):
        wanted = "needs the columns id and output, or id, output_a and output_b"
        raise InputError(f"{wanted}; it has {listed(header)}", file=name)
    for role in ("output",) if pair else ("output_a", "output_b"):
        roles.pop(role, None)
    guessed = [f"{role} is read from {column}" for role, column in roles.items() if role != column]
    return roles, tuple(guessed)


def _thing(row: dict[str, str], roles: dict[str, str]) -> Thing:
    outputs = tuple(row[roles[r]] for r in ("output_a", "output_b", "output") if r in roles)
    kept = {c: v for c, v in row.items() if c not in roles.values()}
    lengths = ("len",) if len(outputs) == 1 else ("len_a", "len_b")
    kept |= {c: str(len(text)) for c, text in zip(lengths, outputs, strict=True) if c not in kept}
    return Thing(
        id=row[roles["id"]],
        unit="/".join(row[c] for c in MODELS if c in row),
        question=row.get(roles.get("question", ""), ""),
        reference=row.get(roles.get("reference", ""), ""),
        outputs=outputs,
        kept=tuple(kept.items()),
    )


def _doubts(things: Sequence[Thing]) -> tuple[str, ...]:
    """What may spoil blinded labels: outputs that name their model, and texts that a spreadsheet cuts."""
    out: list[str] = []
    told = sum(
        any(v.casefold() in text.casefold() for c, v in t.kept if c in MODELS and len(v) > 3 for text in t.outputs)
        for t in things
    )
    if told:
        out.append(f"{told} of {len(things)} things hold the name of their model in an output: they are not blind")
    empty = sum(any(missing(text) for text in t.outputs) for t in things)
    if empty:
        out.append(f"{empty} of {len(things)} things have an empty output")
    long = sum(any(len(text) > CUT for text in t.outputs) for t in things)
    if long:
        out.append(
            f"{long} outputs are longer than the {CUT:,} characters that Excel shows; give people the page instead"
        )
    return tuple(out)


def sheet_csv(sheet: Sheet) -> str:
    """The sheet as CSV with a byte order mark, every cell quoted; the last columns are to be filled in."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    names = [name for name, _ in shown(sheet.rows[0])] if sheet.rows else []
    writer.writerow(["row", "key", *names, f"{VERDICT}: {words_of(sheet)}", "note"])
    for number, row in enumerate(sheet.rows, 1):
        writer.writerow([number, row.key, *(escape_cell(text) for _, text in shown(row)), "", ""])
    return "\ufeff" + out.getvalue()


def words_of(sheet: Sheet) -> str:
    """
    >>> words_of(Sheet(person=0, round=1, scale=(1, 9), words=tuple("123456789"), rows=(), digest=""))
    '1 to 9'
    >>> words_of(Sheet(person=0, round=1, scale=None, words=("1", "2", "tie"), rows=(), digest=""))
    '1, 2 or tie'
    """
    if sheet.scale is None:
        return "1, 2 or tie"
    low, high = sheet.scale
    return "1 right, 0 wrong" if (low, high) == (0, 1) else f"{low} to {high}"


def read_filled(path: Path) -> tuple[Filled, ...]:
    """The rows of a sheet as it came back, as spreadsheets save it: comma, semicolon or tab, with or without mark.

    Raises InputError for a file that is no sheet.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    if raw[:2] == b"PK":
        raise InputError("is a spreadsheet; save it as CSV (UTF-8)", file=str(path))
    coding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(coding)
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save it as CSV UTF-8", file=str(path)) from None
    first = text.partition("\n")[0]
    limit = csv.field_size_limit(len(text) + 1)  # an output may be longer than the 131,072 that Python allows a cell
    try:
        return tuple(
            _rows(str(path), csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count)))
        )
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=str(path)) from None
    finally:
        csv.field_size_limit(limit)


def _rows(file: str, reader: Any) -> Iterator[Filled]:
    header = [cell.strip() for cell in next(reader, list[str]())]
    verdict = next((c for c in header if c.casefold().startswith(VERDICT)), None)
    if "key" not in header or verdict is None:
        raise InputError("is no sheet: it has no columns key and verdict", file=file, line=1)
    line: int = reader.line_num + 1
    for cells in cast("Iterator[list[str]]", reader):
        row = dict(zip(header, (*cells, *[""] * (len(header) - len(cells))), strict=False))
        texts = tuple((c, unescape_cell(row[c])) for c in header if c not in ("row", "key", verdict, "note"))
        word = unescape_cell(row[verdict].strip())
        if any(cell.strip() for cell in cells):
            yield Filled(file=file, line=line, key=row["key"].strip(), word=word, texts=texts or None)
        line = reader.line_num + 1


def key_text(key: Key) -> str:
    """The key as JSON; whoever labels must not see it."""
    things = [
        {"id": t.id, "unit": t.unit, "question": t.question, "reference": t.reference, "outputs": t.outputs}
        | {"kept": dict(t.kept)}
        for t in key.things
    ]
    body = {
        MARK: 1,
        "digest": key.digest,
        "people": key.people,
        "seed": key.seed,
        "scale": key.scale,
        "round": key.round,
        "whole": key.whole,
        "things": things,
        "places": [[p.key, p.person, p.thing, p.swapped] for p in key.places],
        "first": key.first,
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def parse_key(text: str, file: str | None = None) -> Key:
    """Raises InputError for what is no key, or is not as it was written.

    >>> key = Key(things=(Thing(id="q", outputs=("x",)),), places=(), people=1, seed=0, scale=(1, 5))
    >>> parse_key(key_text(key)) == key
    True
    """
    try:
        body: Any = json.loads(text)
        if body[MARK] != 1:
            raise InputError(f"is a key of version {quoted(body[MARK], 20)}; this eyechart reads version 1", file=file)
        key = Key(
            things=tuple(
                Thing(
                    id=t["id"],
                    unit=t["unit"],
                    question=t["question"],
                    reference=t["reference"],
                    outputs=tuple(t["outputs"]),
                    kept=tuple(t["kept"].items()),
                )
                for t in body["things"]
            ),
            places=tuple(Place(key=k, person=p, thing=t, swapped=s) for k, p, t, s in body["places"]),
            people=body["people"],
            seed=body["seed"],
            scale=None if body["scale"] is None else (body["scale"][0], body["scale"][1]),
            round=body["round"],
            whole=body["whole"],
            first=tuple(tuple(said) for said in body["first"]),
        )
        same = key.digest == body["digest"]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise InputError("is no key of sheets; name the .key.json written beside them", file=file) from None
    if not same:
        raise InputError("was changed since it was written; labels cannot be mapped back with it", file=file)
    return key


def columns(reading: Reading) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Header and rows of the table of labels: `item_id`, `human`, `human_1` ..., then what no sheet showed.

    `human_k` is what person k said on their own; `second_k` in the second round. An earlier column of the same
    name is kept as `human_before`. Blank: no label, or undecided.
    """
    people = range(1, reading.key.people + 1)
    own = ["item_id", "human", *(f"human_{k}" for k in people)]
    own += [f"second_{k}" for k in people] if reading.key.round > 1 else []
    kept = list(dict.fromkeys(name for one in reading.labels for name, _ in one.thing.kept))
    header = (*own, *(f"{name}_before" if name in own else name for name in kept))
    rows: list[tuple[str, ...]] = []
    for one in reading.labels:
        aside = dict(one.thing.kept)
        said = (word or "" for word in (*one.first, *one.second))
        rows.append((one.thing.id, one.human or "", *said, *(aside.get(name, "") for name in kept)))
    return header, tuple(rows)


def labels_csv(reading: Reading) -> str:
    """The table of labels; a cell that a spreadsheet would run is written behind an apostrophe, numbers are not."""
    header, rows = columns(reading)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_harmless(cell) for cell in header])
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return out.getvalue()


def _harmless(cell: str) -> str:
    """
    >>> _harmless("-0.5"), _harmless("-cmd|x"), _harmless("a")
    ('-0.5', "'-cmd|x", 'a')
    """
    if cell.lstrip()[:1] not in ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20") and cell[:1] not in "\t\r":
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}" if cell else cell
    return cell
