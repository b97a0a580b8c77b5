"""Flips: verdicts that changed, by cause, and typical cases with the words that differ side by side."""

from __future__ import annotations

from eyechart.analysis.flips import UNSAID, Flip, FlipCase, Ledger, Side, typical_of_each
from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, DiffBlock, DiffCase, Note, Part, Prose, Table, Text, message
from eyechart.report.common import read_by, reason_for, row, table
from eyechart.report.differences import differences
from eyechart.report.inputs import ReportInput
from eyechart.report.text import short

CASES = 8
"""Typical flips shown of a ledger."""
ANSWER = 120
"""Characters of an answer as it was read, in the note under its text."""


def typical_cases(given: ReportInput) -> list[Block]:
    """Typical changed verdicts of the level that moved the score most; nothing where none changed."""
    found = given.cases
    if found is None or not found.cases:
        return []
    noise = message("flips.cases.beyond" if found.beyond_noise else "flips.cases.within")
    shown = {"n": len(found.cases), "total": numbers.whole(found.total)}
    return [
        DiffBlock(
            title=message("flips.cases", factor=found.factor, level=found.level),
            left=message("flips.cases.side", factor=found.factor, level=found.baseline),
            right=message("flips.cases.side", factor=found.factor, level=found.level),
            cases=tuple(_case(case.flip, setups=case) for case in found.cases),
            note=message("flips.cases.note", noise=noise, chosen=message("flips.chosen", **shown)),
        )
    ]


def ledger_part(found: Ledger) -> Part:
    """The ledger of two evaluations: how many verdicts differ, why, and typical cases."""
    # No verdict with a tone: how many verdicts differ says nothing yet about whether a score moved beyond noise.
    said = ledger_sentence(found)
    blocks: list[Block] = [Prose(text=said) if found.compared else Note(kind="missing", text=said)]
    blocks += [Note(kind="info", text=line) for line in left_out(found)]
    if found.flips:
        blocks += [_causes(found), _side_by_side(found)]
    return Part(name="flips", title=message("section.flips"), blocks=tuple(blocks))


def ledger_sentence(found: Ledger) -> Text:
    """How many verdicts differ, in one sentence."""
    names = {"a": found.a, "b": found.b, "compared": numbers.whole(found.compared)}
    if not found.compared:
        return message("flips.said.nothing", a=found.a, b=found.b)
    if not found.flips:
        return message("flips.said.none", **names)
    lost = len(found.flips) - found.gained
    counts = {"n": len(found.flips), "gained": found.gained, "lost": lost}
    return message("flips.said", **names, **{key: numbers.whole(n) for key, n in counts.items()})


def left_out(found: Ledger) -> list[Text]:
    """What was not compared, and what makes a comparison doubtful; one line each, nothing where nothing is."""
    lines: tuple[tuple[str, int], ...] = (
        ("only_a", found.only_a),
        ("only_b", found.only_b),
        ("other_question", found.other_question),
        ("unpaired", found.unpaired),
        ("uncounted", found.uncounted),
        ("other_gold", found.other_gold),
    )
    names = {"a": found.a, "b": found.b}
    said: list[Text] = [
        message(f"flips.left.{key}.{'one' if n == 1 else 'many'}", n=numbers.whole(n), **names) for key, n in lines if n
    ]
    both = ((found.a, found.again_a), (found.b, found.again_b))
    return said + [_again(name, again) for name, again in both if again is not None]


def _again(name: str, again: Number) -> Text:
    """What a set-up that samples changes by itself: so many flips need no other cause."""
    known, interval = numbers.known(again), numbers.interval_of(again)
    if known is None or interval is None:
        if isinstance(again, NotEstimable) and again.reason == UNSAID:
            return message("flips.again.unsaid", name=name)
        return message("flips.again.unknown", name=name, reason=reason_for(again))
    low, high = (numbers.decimal(100 * end) for end in (interval.low, interval.high))
    return message("flips.again", name=name, share=numbers.decimal(100 * known.value), low=low, high=high)


def _causes(found: Ledger) -> Table:
    columns = [(message("flips.col.cause"), False), *((message(f"flips.col.{key}"), True) for key in _COUNTS)]
    rows = [
        row(
            message(f"flips.cause.{cause}"),
            *(Cell(text=numbers.whole(n), value=float(n)) for n in (count, gained, count - gained)),
        )
        for cause, count in found.causes.items()
        for gained in (sum(flip.gained for flip in found.of(cause)),)
    ]
    return table(columns, rows, title=message("flips.title"), caption=message("flips.caption.pair", b=found.b))


_COUNTS = ("changed", "gained", "lost")


def _side_by_side(found: Ledger) -> DiffBlock:
    shown = typical_of_each(found.flips, CASES)
    chosen = message("flips.chosen", n=len(shown), total=numbers.whole(len(found.flips)))
    return DiffBlock(
        title=message("flips.pair"),
        left=found.a,
        right=found.b,
        cases=tuple(_case(flip) for flip in shown),
        note=chosen,
    )


def _case(flip: Flip, setups: FlipCase | None = None) -> DiffCase:
    left, right = differences(flip.a.text or "", flip.b.text or "")
    said = {"item": flip.item, "repeat": str(flip.repeat), "cause": message(f"flips.cause.{flip.cause}")}
    name = message("flips.case", **said) if setups is None else message("flips.case.of", a=setups.a, b=setups.b, **said)
    return DiffCase(name=name, left=left, right=right, left_note=_note(flip.a), right_note=_note(flip.b))


def _note(side: Side) -> Text:
    """How an answer was read and what it got."""
    outcome = message(f"outcome.{side.outcome}")
    read: Text
    if side.extracted is not None:
        read = short(side.extracted, ANSWER)
    else:
        read = message("ui.nothing_read") if side.rule is None else read_by(side.rule)
    key = "flips.read" if side.text is not None else "flips.read.scored"
    said = message(key, outcome=outcome, read=read)
    gold = "; ".join(short(answer, ANSWER) for answer in side.gold)
    return message("flips.read.gold", said=said, gold=gold) if gold else said
