"""What four graders took from a hundred outputs on which they disagree, beside a reading by eye.

`python benchmarks/disagreements_page.py OUTPUTS` reads docs/disagreements.csv (the reading by eye) and OUTPUTS, the
outputs themselves (JSON lines with model, id, gold and output; also .gz), and writes docs/disagreements.md. What a
reader took is always the program's answer of today, never typed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from eyechart import grade

DOCS = Path(__file__).parents[1] / "docs"
READINGS, PAGE = DOCS / "disagreements.csv", DOCS / "disagreements.md"
READERS = ("careful", "last_number", "lm_eval_flexible", "json_fenced")
SILENT = ("none", "cut off", "two answers")
"""What the eye says where no single answer can be attributed."""

TIME = re.compile(r"(\d{1,2}):(\d\d)(?: ?(am|pm))?")
AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
MIXED = re.compile(r"(?:(\d+) )?(\d+)/(\d+)")


class Seen(NamedTuple):
    """One row of the reading by eye."""

    model: str
    item: str
    gold: str
    by_eye: str
    right: bool
    why: str


class Taken(NamedTuple):
    """What one reader made of the same output."""

    value: str | None
    verdict: str | None
    agrees: bool


def readings() -> list[Seen]:
    with READINGS.open(encoding="utf-8", newline="") as file:
        return [
            Seen(r["model"], r["item"], r["gold"], r["by_eye"], r["right"] == "yes", r["why"])
            for r in csv.DictReader(file)
        ]


def outputs(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return {(row["model"], row["id"]): row for row in map(json.loads, file)}


def amount(text: str) -> Fraction | None:
    """The number that `text` names, whatever stands around it; a time of day in minutes; None where there is none.

    >>> amount("$1,234.50"), amount("3 1/3"), amount("2:00 pm") == amount("14:00"), amount("none")
    (Fraction(2469, 2), Fraction(10, 3), True, None)
    """
    if time := TIME.search(text):
        hour, minute, half = int(time[1]), int(time[2]), time[3]
        return Fraction((hour % 12 + 12 * (half == "pm") if half else hour) * 60 + minute)
    if mixed := MIXED.search(text):
        return int(mixed[1] or 0) + Fraction(int(mixed[2]), int(mixed[3]))
    plain = AMOUNT.search(text)
    return Fraction(plain[0].replace(",", "")) if plain else None


def same(value: str, by_eye: str) -> bool:
    """Whether two readings name one number; `about 8.96` is any number that rounds to it."""
    one, other = amount(value), amount(by_eye)
    if value.startswith("about ") and one is not None and other is not None:
        digits = len(value.split()[1].partition(".")[2])
        return round(other, digits) == one
    return one == other


def agrees(seen: Seen, value: str | None, verdict: str | None) -> bool:
    """The same number and the same verdict; where the eye sees no single answer, no number taken."""
    if seen.by_eye in SILENT:
        return verdict == "unparseable" or (verdict == "incorrect" and amount(value or "") is None)
    return value is not None and verdict == ("correct" if seen.right else "incorrect") and same(value, seen.by_eye)


def read(seen: Sequence[Seen], rows: dict[tuple[str, str], dict[str, Any]]) -> list[dict[str, Taken]]:
    """For each row, what each reader takes and whether it agrees with the eye."""
    missing = [one for one in seen if (one.model, one.item) not in rows]
    if missing:
        raise SystemExit(f"the outputs have no {missing[0].item} of {missing[0].model}")
    asked = [rows[one.model, one.item] for one in seen]
    graded = {name: grade(asked, name) for name in READERS}
    return [
        {
            name: Taken(g[i].extracted, g[i].verdict, agrees(one, g[i].extracted, g[i].verdict))
            for name, g in graded.items()
        }
        for i, one in enumerate(seen)
    ]


# the page

INTRO = """\
# A hundred disagreements, read by eye

This page is made by `python benchmarks/disagreements_page.py OUTPUTS` from `docs/disagreements.csv`, and never by hand.
OUTPUTS are 5,276 outputs of four models on GSM8K, published by ZeroEval: the models were asked for JSON with the fields
`reasoning` and `answer`.

- **How drawn.** From the 2,320 outputs on which the verdicts of {readers}
  were not all equal on the day of the draw, 25 for each model. All 50 on which `careful` and `last_number` gave other
  verdicts (24), or `last_number` and `json_fenced` both took a value and not the same one (27), are among them; the
  rest are random (`numpy.random.default_rng(0)`). The CSV records the draw: readers that change do not change it.
- **How read.** Read one by one, by one reader (a language model, no person), in full, before the readers' values or the gold answer were looked at,
  each output once. By eye: the answer as the model gives it; *none* where it gives no number or says there is none;
  *two answers* where two are given and none preferred; *cut off* where the text ends before an answer. It is right
  where its number is that of gold: a unit, a percent sign or the `:00` of an hour makes no difference. The question
  itself was not shown. There was no second reading, so nothing is said of how far two people would agree.
- **What agreement is.** The same number and the verdict that follows from it. Where the eye sees no single answer,
  a reader agrees that takes no number. `12.00` taken and called wrong beside gold `12` is no agreement.
- **What it is not.** These are disagreements, and all of the kinds named above are here: the counts say how readers
  differ where they differ, not how often they err. The authors of `careful`
  have these rows in sight: its count is no result on unseen outputs.

"""


def summary(seen: Sequence[Seen], taken: Sequence[dict[str, Taken]]) -> str:
    body = (
        "## Summary\n\n"
        "| Reader | As the eye | Otherwise | Credit the eye does not give | Credit refused that the eye gives |\n"
        "|---|---|---|---|---|\n"
    )
    for name in READERS:
        mine = [row[name] for row in taken]
        good = sum(t.agrees for t in mine)
        given = sum(t.verdict == "correct" and not one.right for one, t in zip(seen, mine, strict=True))
        refused = sum(t.verdict != "correct" and one.right for one, t in zip(seen, mine, strict=True))
        body += f"| `{name}` | {good} | {len(mine) - good} | {given} | {refused} |\n"
    right, silent = sum(one.right for one in seen), sum(one.by_eye in SILENT for one in seen)
    return body + (
        f"\nBy eye, {right} of {len(seen)} answers are right, {len(seen) - right - silent} are wrong, "
        f"and {silent} outputs give no single answer.\n\n"
    )


def cell(taken: Taken) -> str:
    if taken.value is None:
        return "-"
    flat = " ".join(taken.value.split()).replace("|", "\\|").replace("`", "'")
    called = {"correct": "right", "incorrect": "wrong"}.get(taken.verdict or "", "not read")
    return f"`{flat if len(flat) <= 24 else flat[:23] + '…'}` ({called})"


def table(seen: Sequence[Seen], taken: Sequence[dict[str, Taken]]) -> str:
    heads = ("Model", "Item", "Gold", "By eye", *(f"`{name}`" for name in READERS), "Who was right", "Why")
    body = (
        "## All rows\n\nBeside each value stands what the reader called it (*not read*: taken, but unparseable); "
        "`-` is nothing taken.\n\n"
        f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
    )
    for one, row in zip(seen, taken, strict=True):
        who = [name for name in READERS if row[name].agrees]
        right = "all" if len(who) == len(READERS) else ", ".join(who) or "nobody"
        eye = f"{one.by_eye} ({'right' if one.right else 'wrong'})" if one.by_eye not in SILENT else one.by_eye
        cells = (
            one.model,
            one.item.rpartition("-")[2],
            one.gold,
            eye,
            *(cell(row[n]) for n in READERS),
            right,
            one.why,
        )
        body += f"| {' | '.join(cells)} |\n"
    return body + "\n"


def learnt(seen: Sequence[Seen], taken: Sequence[dict[str, Taken]]) -> str:
    pairs = list(zip(seen, taken, strict=True))
    plain = [(one, row) for one, row in pairs if one.by_eye not in SILENT]
    silent = [row for one, row in pairs if one.by_eye in SILENT]
    unread = sum(row["json_fenced"].verdict == "unparseable" for _, row in plain)
    cents = sum(
        not row["lm_eval_flexible"].agrees and same(row["lm_eval_flexible"].value or "", one.by_eye)
        for one, row in plain
    )
    other = sum(not same(row["last_number"].value or "", one.by_eye) for one, row in plain)
    invented = sum(row["last_number"].verdict != "unparseable" for row in silent)
    credited = sum(row["last_number"].verdict == "correct" for row in silent)
    missed = sum(not row["careful"].agrees for row in silent)
    return (
        "## What we learnt\n\n"
        f"- Where there is an answer ({len(plain)} outputs), `json_fenced` could read none in {unread}: prose around "
        "the object, line breaks inside a string, or a unit or a sum in the field hide it. Its agreement with "
        "the eye elsewhere is silence.\n"
        f"- In {other} of them `last_number` took another number, most often from text that follows the answer.\n"
        f"- `lm_eval_flexible` found the number of the eye and still called it otherwise in {cents}: strings are "
        "compared, so `.00` costs the point.\n"
        f"- Where there is no single answer ({len(silent)} outputs), `last_number` took a number in {invented} and "
        f"gave credit in {credited}; a reader needs a way to say that there is nothing to read.\n"
        f"- `careful` took a number in {missed} of those. Several quantities without a total, and a field that "
        "declines over working that names a number, are the hardest kinds.\n"
    )


def page(path: Path) -> str:
    """The whole text of docs/disagreements.md, from the outputs at `path`."""
    seen = readings()
    taken = read(seen, outputs(path))
    named = ", ".join(f"`{name}`" for name in READERS)
    return INTRO.format(readers=named) + summary(seen, taken) + table(seen, taken) + learnt(seen, taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outputs", type=Path, help="JSON lines with model, id, gold and output; also .gz")
    PAGE.write_text(page(parser.parse_args().outputs), encoding="utf-8")


if __name__ == "__main__":
    main()
