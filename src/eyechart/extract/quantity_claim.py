"""What one sentence, line or box commits to: a quantity, several, a range, a bound, or none."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from eyechart.core.numerals import Quantity, scan
from eyechart.core.numerals_units import NAMED, UNITS, base
from eyechart.core.numerals_words import ZERO
from eyechart.core.numerals_write import write
from eyechart.core.records import Step
from eyechart.extract.quantity_algebra import chained, expression, leading_expression, rounded
from eyechart.extract.quantity_cues import (
    ABOUT,
    ABOUT_AFTER,
    ADJUNCT,
    ALTERNATIVE,
    APPROX,
    ASKED,
    BETWEEN,
    BOLD,
    BOUND,
    BOUND_AFTER,
    CLAUSE,
    COMMAND,
    COPULA,
    CORRECTED,
    CUE,
    CUES,
    DIGIT,
    EQUALS,
    EQUATED,
    FOREIGN,
    GLOSS,
    LISTED,
    MONTH,
    MOVED,
    NEGATED,
    NEGATED_AFTER,
    NEXT,
    NO_SOLUTION,
    OPERATOR,
    ORDINAL,
    OTHERWISE,
    PLAINLY,
    PRECISION,
    RANK,
    SIMPLE,
    SO,
    STATED,
    STEPPED,
    SUPPOSED,
    TO,
    WORDED,
    aside,
    struck,
)

_MARKS = "*_`\"'$})]\\.!\u3002\n"
"""Nothing but these behind a number says nothing about it."""


class Claim(NamedTuple):
    """`value` None where the words contradict themselves; `reason` then says how. Spans are of the text given."""

    value: str | None
    start: int
    end: int
    steps: tuple[Step, ...]
    reason: str | None = None
    """With a value: why it can be no right one whatever is asked."""
    committed: bool = True


def _name(unit: str | None) -> str | None:
    return NAMED[unit] if unit else None


def _size(q: Quantity) -> tuple[Fraction, str]:
    if q.unit in (None, "%"):
        return (q.value / 100 if q.unit else q.value), ""
    unit = UNITS[q.unit]
    return base(q.value, unit), unit.dimension


def _text(q: Quantity) -> str:
    one = write(q.value, _name(q.unit))
    if not q.both:
        return one
    return f"{one} or {write(-q.value, _name(q.unit))}"


def _cued(before: str) -> bool:
    """Whether any word in `before` could make the number behind it something other than plainly the answer."""
    if not before or before.isspace():
        return False
    return (
        (not before.isascii() and FOREIGN.search(before.lower()) is not None)
        or "n't" in before
        or "!=" in before
        or not CUES.isdisjoint(found := CUE.findall(before.lower()))
        or bool({"<", ">", "~", "#", "\\"}.intersection(found))
    )


def _span(text: str, q: Quantity) -> tuple[int, int]:
    """Where `q` stands, or the expression that it is a part of."""
    return expression(text, q) or (q.start, q.end)


def _skipped(text: str, q: Quantity, span: tuple[int, int]) -> str | None:
    """Why `q`, which stands or is a part of what stands at `span`, cannot be the answer; None where it can."""
    start, end = span
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    cued = _cued(before)
    if cued and NEGATED.search(before):
        return "negated"
    said = bool(after.strip(_MARKS))
    if said and NEGATED_AFTER.match(after):
        return "negated"
    if said and not before.strip(" \n*_#") and LISTED.match(after) and not q.unit and not q.words:
        return "the number of a list item"
    if cued and STEPPED.search(before):
        return "the number of a step or question"
    if cued and SUPPOSED.search(text, max(0, start - 60), start):
        return "said to be what others say, or was said before"
    if said and PRECISION.match(after):
        return "how many digits"
    if before.endswith(" ") and not q.unit and MONTH.search(before) and q.value < 32:
        return "the day of a month"
    if said and ORDINAL.match(after) and not q.unit and not RANK.fullmatch(text):
        return "an ordinal or part of a name"
    return None


def _alternatives(text: str, rest: list[Quantity], first: Quantity) -> list[Quantity]:
    """`first` and what is offered beside it: `12 or 13`, `10, 20, 30`."""
    out = [first]
    for q in rest:
        gap = text[out[-1].end : q.start]
        if gap in (" ", "  ", " -") and not WORDED.search(text):  # nothing but numbers
            out.append(q)
            continue
        match = NEXT.fullmatch(gap) if len(gap) < 60 else None
        if (match is None or (match["noun"] and not match["alt"])) and not OTHERWISE.search(text, q.end, q.end + 30):
            break
        out.append(q)
    return out


def _bounded(text: str, q: Quantity, start: int) -> str:
    before, after = text[max(start, q.start - 40) : q.start], text[q.end : q.end + 16]
    value = _text(q)
    cued = _cued(before)
    if cued and (match := BOUND.search(before)):
        return f"{'>' if match['low'] else '<' if match['high'] else '~'} {value}"
    said = bool(after.strip(_MARKS))
    if said and (match := BOUND_AFTER.match(after)):
        return f"{'<' if match['high'] else '>'} {value}"
    if (cued and ABOUT.search(before)) or (said and ABOUT_AFTER.match(after)):
        return f"about {value}"
    return value


def _decide(text: str, start: int, first: Quantity, rest: list[Quantity], run: tuple[int, int]) -> Claim:
    """What the text says about `first`, which stands or is a part of what stands at `run`, with what follows it."""
    end = first.end
    if run != (first.start, end):
        alone = ALTERNATIVE.match(text, run[1]) is None
        reason = None if alone else "several, and no choice between them"
        return Claim(text[run[0] : run[1]], *run, _taken(*run, reason or "an expression"), reason)
    if rest:
        second = rest[0]
        gap = text[first.end : second.start]
        if second.both and not first.both and not gap.strip():
            low, high = (
                _text(first._replace(value=first.value - second.value)),
                _text(first._replace(value=first.value + second.value)),
            )
            span = first.start, second.end
            return Claim(f"[{low}, {high}]", *span, _taken(*span, "a range"))
        if APPROX.fullmatch(gap):
            span, value = (first.start, second.end), f"{_text(first)} ≈ {_text(second)}"
            return Claim(value, *span, _taken(*span, "a value and what it is about"))
        if first.words != second.words and _glossed(gap):
            if _size(first)[0] != _size(second)[0]:
                return Claim(None, first.start, second.end, (), "words and digits contradict each other")
        elif _ranged(text, start, first, second, gap):
            low, high = _text(first), _text(second)
            return Claim(f"[{low}, {high}]", first.start, second.end, _taken(first.start, second.end, "a range"))
        elif OPERATOR.fullmatch(gap) and gap.strip() and "=" not in text[first.end :]:
            end = rest[-1].end
            if text[end : end + 1].isalpha() and not text[end + 1 : end + 2].isalpha():  # an unknown: `80 - 54x`
                end += 1
            return Claim(text[first.start : end], first.start, end, _taken(first.start, end, "an expression"))
        offered = _alternatives(text, rest, first)
        if len({_size(q) for q in offered}) > 1:
            end = offered[-1].end
            value = " or ".join(dict.fromkeys(_text(q) for q in offered))
            return Claim(value, first.start, end, _taken(first.start, end, "several, and no choice between them"))
    value = _bounded(text, first, start)
    return Claim(value, first.start, end, _taken(first.start, end, "the answer", value, text[first.start : end]))


def _ranged(text: str, start: int, first: Quantity, second: Quantity, gap: str) -> bool:
    before = text[max(start, first.start - 30) : first.start]
    lower = gap.strip().lower()
    if not TO.fullmatch(gap) or ((first.unit == "%") != (second.unit == "%") and first.unit):
        return False
    if lower in ("and", "und", "et", "y", "e", "और"):
        return bool(BETWEEN.search(before))
    if gap.startswith(" ") and lower == "-":
        return False
    return not (lower == "to" and MOVED.search(text[start : first.start]))


def _taken(start: int, end: int, why: str, value: str = "", raw: str = "") -> tuple[Step, ...]:
    taken = Step("taken", why, (start, end))
    return (taken, Step("read", f"as {value}", (start, end))) if value and value != raw else (taken,)


def _bare(text: str, start: int, simple: re.Match[str]) -> Claim:
    """A number and nothing else: a factorial where that is all of the text or of a box, and `!` its only mark."""
    value, whole = simple[1], simple[0]
    alone = start == 0 or text[start - 1] == "{"
    if alone and "!" in whole and "." not in value and whole.strip(" *_`$\n") == value + "!":
        span = start + simple.start(1), start + simple.end(1) + 1
        return Claim(value + "!", *span, (Step("taken", "a factorial", span),))
    span = start + simple.start(1), start + simple.end(1)
    return Claim(value, *span, (Step("taken", "the answer", span),))


def claim(text: str, start: int, end: int, *, slotted: bool) -> Claim | None:
    """What `text[start:end]`, announced as the answer, says; None where it holds no quantity.

    >>> claim("12 or 13", 0, 8, slotted=True).value, claim("5 x 4 = 20.", 0, 11, slotted=True).value
    ('12 or 13', '20')
    >>> claim("between 40 and 45", 0, 17, slotted=True).value, claim("no solution", 0, 11, slotted=True).value
    ('[40, 45]', 'no solution')
    """
    whole = struck(text[start:end])
    if simple := SIMPLE.fullmatch(whole):
        return _bare(text, start, simple)
    if not whole.strip(" \n*_`$.\"'\\[]()"):
        return None
    visible = aside(whole)
    if visible is not whole and not DIGIT.search(visible) and not scan(visible):
        visible = whole
    at = chained(visible, 0)
    quantities = scan(visible[at:])
    if at:
        quantities = tuple([q._replace(start=q.start + at, end=q.end + at) for q in quantities])
    if slotted and (run := leading_expression(visible, at, quantities)):
        span = start + run[0], start + run[1]
        return Claim(visible[run[0] : run[1]], *span, (Step("taken", "an expression", span),))
    body = whole
    if not at and "(" in body:  # `forty-two (42)`, `42 (forty-two)`
        full = scan(body)
        if len(full) > 1 and full[0].words != full[1].words and _glossed(body[full[0].end : full[1].start]):
            quantities = full
    if quantities and quantities[0].words and all(q.words for q in quantities) and ZERO.match(whole):
        return _wordless(whole, start)
    steps: list[Step] = []
    negated: tuple[Quantity, tuple[int, int]] | None = None
    past = 0
    for k, q in enumerate(quantities):
        if q.start < past:
            continue
        wide = _span(body, q)
        past = wide[1]
        why = _skipped(body, q, wide)
        if why:
            negated = (q, wide) if why == "negated" else negated
            steps.append(Step("passed", why, (wide[0] + start, wide[1] + start)))
            continue
        rest = quantities[k + 1 :]
        if rest and _superseded(body, q, rest[0]):
            steps.append(Step("passed", "taken back", (q.start + start, q.end + start)))
            continue
        found = _decide(body, at, q, [r for r in rest if not _skipped(body, r, _span(body, r))], wide)
        return moved(found, start, tuple(steps))
    if negated:
        q, wide = negated
        value = _text(q) if wide == (q.start, q.end) else body[slice(*wide)]
        return Claim(f"not {value}", wide[0] + start, wide[1] + start, tuple(steps))
    return _wordless(whole, start)


def _superseded(text: str, q: Quantity, following: Quantity) -> bool:
    gap = text[q.end : following.start]
    return bool(len(gap) < 80 and (CORRECTED.search(gap) or ASKED.match(gap)))


def moved(found: Claim, start: int, before: tuple[Step, ...] = ()) -> Claim:
    if not start and not before:
        return found
    value, first, end, steps, reason, committed = found
    shifted = [Step(what, why, (at[0] + start, at[1] + start) if at else None) for what, why, at in steps]
    return Claim(value, first + start, end + start, (*before[-3:], *shifted), reason, committed)


def _wordless(text: str, start: int) -> Claim | None:
    """Statements without a number that are definite all the same: none of them, no solution."""
    span = (start, start + len(text))
    if NO_SOLUTION.search(text):
        return Claim("no solution", *span, (Step("taken", "says that there is no number", span),))
    if ZERO.match(text):
        return Claim("0", *span, (Step("taken", "says that there is none", span), Step("read", "as 0", span)))
    return None


def _main(body: str) -> tuple[int, int] | None:
    """The part of a sentence that concludes: before its reason, or behind its `so`; None where that is all of it."""
    cut = CLAUSE.search(body)
    if cut and DIGIT.search(body, 0, cut.start()) and body[: cut.start()].rstrip(" *")[-1:] != ":":
        return 0, cut.start()
    for so in reversed(list(SO.finditer(body))):
        if DIGIT.search(body, so.end()):
            return so.end(), len(body)
    return None


def concluded(text: str, start: int, end: int, *, whole: bool) -> Claim | None:
    """What the sentence `text[start:end]` concludes with: after its last `=`, in bold, after its verb, or its last number.

    >>> t = "So Janet makes 9 * $2 = $18 every day for 7 days"
    >>> concluded(t, 0, len(t), whole=False).value
    '18 $'
    """
    body = struck(text[start:end])
    if part := _main(body):
        return concluded(text, start + part[0], start + part[1], whole=whole and not part[0])
    visible = aside(body)
    if ":" in visible and (colon := STATED.search(visible)) and DIGIT.search(visible, colon.end()):
        return concluded(text, start, start + colon.end(1), whole=whole)
    equals = 0
    for match in EQUALS.finditer(visible):
        if EQUATED.search(visible, max(0, match.start() - 2), match.end() + 40):
            equals = 0
            break
        if rounded(visible, equals, match):
            break
        equals = match.end()
    if equals and (mine := claim(text, start + equals, end, slotted=True)):
        return mine
    bold = list(BOLD.finditer(body))
    if len(bold) == 1 and not _skipped(body, one := Quantity(*bold[0].span(1), Fraction(0)), _span(body, one)):
        mine = claim(text, start + bold[0].start(1), start + bold[0].end(1), slotted=True)
        if mine:
            return mine
    quantities = scan(visible)
    if any(q.words for q in quantities) and "(" in body:
        quantities = scan(body)
    if len(quantities) < 2:
        return claim(text, start, end, slotted=whole)
    usable = [q for q in quantities if not _skipped(body, q, _span(body, q))]
    verbs = [q for q in usable if COPULA.search(visible[max(0, q.start - 30) : q.start])]
    if len(usable) <= 1 or (whole and len(body) < 40 and not verbs and not PLAINLY.search(COMMAND.sub("", body))):
        return claim(text, start, end, slotted=whole)
    digits = [q for q in usable if not q.words] or usable
    free: list[Quantity] = []
    for k, q in enumerate(digits):
        linked = k > 0 and digits[k - 1] not in free and NEXT.fullmatch(visible[digits[k - 1].end : q.start])
        if not linked and not ADJUNCT.search(visible[max(0, q.start - 30) : q.start]):
            free.append(q)
    chosen = (verbs or free or digits)[-1]
    for q in usable:  # the first of alternatives stands for them
        if text[start + q.end : start + q.end + 1] == "," and ADJUNCT.search(visible[max(0, q.start - 30) : q.start]):
            continue  # `Over 5 days, 450 were sold`
        offered = _alternatives(body, [r for r in usable if r.start > q.start], q)
        if chosen in offered or (usable.index(chosen) and _pair(body, usable, q, chosen)):
            chosen = q
            break
    passed = tuple(
        Step("passed", "not what the sentence concludes", (q.start + start, q.end + start))
        for q in usable
        if q.end <= chosen.start
    )
    rest = [q for q in usable if q.start > chosen.start]
    return moved(_decide(body, 0, chosen, rest, _span(body, chosen)), start, passed[-2:])


def _pair(text: str, usable: list[Quantity], first: Quantity, second: Quantity) -> bool:
    adjacent = usable.index(second) == usable.index(first) + 1
    gap = text[first.end : second.start]
    return adjacent and bool(
        _ranged(text, 0, first, second, gap) or APPROX.fullmatch(gap) or (first.words != second.words and _glossed(gap))
    )


def _glossed(gap: str) -> bool:
    """Whether `gap` opens a bracket right behind a number: `forty-two (42)`."""
    return bool(GLOSS.fullmatch(gap))
