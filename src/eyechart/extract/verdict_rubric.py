"""One verdict for every criterion of a rubric."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eyechart.extract.verdict_menu import Menu
from eyechart.extract.verdict_slots import Pairs, fields, masked, objects, slots
from eyechart.extract.verdict_words import TURN

_LINK = (
    r"[\"'*_`]{0,4}(?: (?:score|rating|grade))?[\"'*_`]{0,4}(?:[ \t]?\([^()\n]{0,40}\))?[\"'*_`]{0,4}"
    r"[ \t]{0,3}(?::|=|\||-(?=[ \t])|为|得分)[\s*_\"'`\[({]{0,8}"
)
_MARK = r"[ \t]{0,4}(?:[0-9]{1,2}[.)]|[-*#]{1,6})?[ \t]{0,3}[*_]{0,3}(?:[0-9]{1,2}[.)] )?"
_STOP = r"[*_]{0,3}(?:[ ]?\([^()\n]{0,40}\))?[*_]{0,3}[ ]?(?::|$|[-–—](?=\s))"
_FLAGS = re.IGNORECASE | re.MULTILINE
_INNER = ("score", "rating", "grade", "value", "verdict", "得分", "评分", "分数")


def rubric(text: str, criteria: Sequence[str], menu: Menu) -> tuple[str | None, str, tuple[int, int]]:
    """`clarity=4;truth=2`, or None and the reason; and where it stood in `text`.

    >>> from eyechart.extract.verdict_menu import Scale
    >>> rubric("Truth: 2/5, Clarity: 4", ("clarity", "truth"), Scale(1, 5))[0]
    'clarity=4;truth=2'
    >>> rubric("Truth: 2", ("clarity", "truth"), Scale(1, 5))[1]
    'no score for clarity'
    """
    seen = masked(text)
    tables = [(start, end, found) for start, end, found in objects(text) if seen[start].strip()]
    for start, end, _ in tables:
        seen = seen[:start] + " " * (end - start) + seen[end:]
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    for name in criteria:
        found = [
            *(one for start, end, table in tables for one in _fielded(table, name, menu, (start, end))),
            *_lined(seen, name, menu),
        ]
        found = found or _sectioned(seen, name, criteria, menu) or _given(seen, name, menu)
        for k in range(len(found) - 1, 0, -1):
            if TURN.search(text, found[k - 1][2][1], max(found[k - 1][2][1], found[k][2][0])):
                found = found[k:]
                break
        values = list(dict.fromkeys(value for value, _, _ in found if value is not None))
        if len(values) > 1:
            return None, f"conflict: {name} {values[0]} against {name} {values[-1]}", (0, 0)
        if not values or found[-1][0] is None:
            why = found[-1][1] if found else ""
            return None, f"{name}: {why}" if why else f"no score for {name}", (0, 0)
        parts.append(f"{name}={values[0]}")
        spans.append(found[-1][2])
    return ";".join(parts), "", (min(s for s, _ in spans), max(e for _, e in spans))


_Found = tuple[str | None, str, tuple[int, int]]


def _fielded(table: object, name: str, menu: Menu, span: tuple[int, int]) -> list[_Found]:
    out: list[_Found] = []
    for value in _under(table, name.lower()):
        inner = [v for k, v in fields(value) if k.lower() in _INNER] if isinstance(value, Pairs) else [value]
        for one in inner:
            if isinstance(one, bool) or not isinstance(one, str | int | float):
                continue
            said = menu.said(str(one).strip()[:100])
            if said.value is not None or said.reason:
                out.append((said.value, said.reason, span))
    return out


def _under(table: object, name: str, depth: int = 0) -> list[object]:
    if not isinstance(table, Pairs) or depth > 4:
        return []
    out: list[object] = []
    for key, value in table:
        low = key.lower().replace("_", " ").strip()
        if low in (name, f"{name} score", f"{name} rating"):
            out.append(value)
        else:
            out.extend(_under(value, name, depth + 1))
    return out


def _lined(text: str, name: str, menu: Menu) -> list[_Found]:
    out: list[_Found] = []
    words = r"[ _]".join(map(re.escape, name.split()))
    for match in re.finditer(
        rf"(?<![^\W_])(?<!-)(?:{words}{_LINK}|(?<=<){words}(?:[ _]score)?>\s{{0,4}})", text, re.IGNORECASE
    ):
        said = menu.said(text[match.end() : match.end() + 100])
        if said.value is not None or said.reason:
            out.append((said.value, said.reason, (match.start(), match.end() + max(said.end, 1))))
    return out


def _sectioned(text: str, name: str, criteria: Sequence[str], menu: Menu) -> list[_Found]:
    """The slots between the line that names the criterion first and the next such line, or the next head."""
    either = "|".join(r"[ _]".join(map(re.escape, one.split())) for one in criteria)
    heads = list(re.finditer(rf"^{_MARK}(?:(?P<name>{either}){_STOP}|(?=#|overall|total))", text, _FLAGS))
    out: list[_Found] = []
    for k, head in enumerate(heads):
        if head["name"] is None or head["name"].lower().replace("_", " ") != name.lower():
            continue
        start, end = head.end(), heads[k + 1].start() if k + 1 < len(heads) else len(text)
        for slot in slots(text[start:end], menu):
            if slot.flag is None and slot.strength == 2:
                out.append((slot.value, slot.reason, (start + slot.start, start + slot.end)))
    return out


def _given(text: str, name: str, menu: Menu) -> list[_Found]:
    """`5 for accuracy and 4 for style`."""
    words = r"[ _]".join(map(re.escape, name.split()))
    out: list[_Found] = []
    for match in re.finditer(
        rf"(?<![\w./-])([0-9][0-9./]{{0,9}}) (?:for|on) (?:the |its )?{words}(?!\w)", text, _FLAGS
    ):
        said = menu.said(match.group(1))
        if said.value is not None or said.reason:
            out.append((said.value, said.reason, match.span()))
    return out
