"""The prompt probe as blocks: how far wordings move the next token, which answers turn, and on what they turn.

Divergences and entropies are shown in bits: a Jensen-Shannon divergence of 1 is two distributions with nothing in
common, 0 the very same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp

from eyechart.core.records import Candidate, NotEstimable
from eyechart.probes.prompt import first_divergence
from eyechart.probes.prompt_values import Family, Given, Pair, Position, PromptProbe, Smallest
from eyechart.probes.wording import Change
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    DiffBlock,
    DiffCase,
    Heading,
    Note,
    Prose,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import counted, listed, missing, row, table
from eyechart.report.messages import EN
from eyechart.report.pictures import quoted
from eyechart.report.sections.prompts_tokens import pieces_of, tokens
from eyechart.report.text import short, slug
from eyechart.stats.divergence import Bounds, Divergence, SeenDivergence, bits

PAIRS = 5
"""Pairs shown in full: those that turn first, then those that diverge most."""
TOP = 3
ANSWER = 60
_WHY = {EN[key]: key for key in EN if key == f"probes.why.{key.rpartition('.')[2]}"}
"""Reasons that the probes give in English, word for word, and their keys."""


def prompts(found: PromptProbe) -> list[Block]:
    """Nothing where nothing was asked."""
    blocks: list[Block] = []
    if found.families:
        blocks += [_sentence(found), _families(found.families)]
    blocks += [Note(kind="info", text=why(note)) for note in found.notes]
    blocks += [
        Note(kind="warning", text=message("probes.failed", change=f.change, item=f.item or "", reason=why(f.reason)))
        for f in found.failed[:PAIRS]
    ]
    for pair in ranked(found.pairs)[:PAIRS]:
        blocks += _pair(pair)
    if len(found.pairs) > PAIRS:
        blocks.append(Prose(text=message("probes.more", n=numbers.whole(len(found.pairs) - PAIRS))))
    for alone in found.alone:
        title = message("probes.alone", item=alone.item or alone.name)
        blocks.append(Heading(text=title, level=3, anchor=slug("alone", alone.item or alone.name)))
        blocks += _smallest(alone.prompt, alone.smallest)
    return blocks


def ranked(pairs: Sequence[Pair]) -> list[Pair]:
    """Those whose answer turns first, then those that diverge most."""
    return sorted(pairs, key=lambda p: (not p.flips, -(first_divergence(p) or (0.0, False))[0]))


def small(value: float) -> str:
    """A divergence in bits; what is not nothing is never shown as 0.

    >>> small(0.1234), small(0.0001), small(0.0)
    ('0.123', '< 0.001', '0')
    """
    if value == 0:
        return "0"
    return "< 0.001" if value < 0.001 else numbers.decimal(value, 3)


def why(reason: str) -> Text:
    """A reason of a probe in the language of the report; any other as it is.

    >>> why("the question has no options").key, why("another")
    ('probes.why.no_options', 'another')
    """
    return message(_WHY[reason]) if reason in _WHY else reason


def _sentence(found: PromptProbe) -> Block:
    flips, n = sum(f.flips for f in found.families), sum(f.n for f in found.families)
    if n == 0:
        return Note(kind="missing", text=message("probes.verdict.nothing"))
    said = {"flips": numbers.whole(flips), "n": counted("probes.count.pairs", n)}
    return Prose(text=message("probes.verdict.turns" if flips else "probes.verdict.same", **said))


def _families(families: Sequence[Family]) -> Table:
    keys = ("change", "pairs", "divergence", "interval", "flips", "gained")
    if any(f.same_prompt for f in families):
        keys = (*keys, "same")
    columns = [(message(f"probes.col.{key}"), key != "change") for key in keys]
    return table(
        columns,
        [Row(cells=_family(f).cells[: len(columns)]) for f in families],
        title=message("probes.families"),
        caption=message("probes.families.bound" if any(f.bound for f in families) else "probes.families.caption"),
    )


def _family(found: Family) -> Row:
    mean = numbers.known(found.divergence)
    if mean is None:
        reason = found.divergence.reason if isinstance(found.divergence, NotEstimable) else ""
        values = [missing(why(reason)), missing(why(reason))]
    else:
        value = small(mean.value)
        interval = numbers.interval_of(found.divergence)
        values = [
            Cell(text=message("probes.at_least", value=value) if found.bound else value, value=mean.value),
            missing(message("probes.one_item"))
            if interval is None
            else Cell(text=f"[{small(interval.low)}, {small(interval.high)}]", value=interval.low),
        ]
    rate = found.flip_rate
    flips: Text = numbers.whole(found.flips)
    if rate is not None:
        flips = message("probes.flips", flips=flips, low=numbers.part(rate.low), high=numbers.part(rate.high))
    turned = message("flips.cell", gained=numbers.whole(found.gained), lost=numbers.whole(found.lost))
    return row(
        found.change,
        Cell(text=numbers.whole(found.n), value=found.n),
        *values,
        Cell(text=flips, value=found.flips),
        Cell(text=turned, value=found.gained + found.lost),
        Cell(text=numbers.whole(found.same_prompt), value=found.same_prompt),
    )


def _pair(pair: Pair) -> Iterator[Block]:
    name = short(pair.change, ANSWER)
    title = message("probes.pair", item=pair.item, change=name) if pair.item is not None else name
    yield Heading(text=title, level=3, anchor=slug("pair", pair.change, pair.item or ""))
    yield Prose(
        text=message(
            "probes.turned" if pair.flips else "probes.stayed",
            a=_given(pair.a.given), b=_given(pair.b.given),
        )
    )  # fmt: skip
    if pair.same_prompt:
        yield Note(kind="info", text=message("probes.same_prompt"))
        return
    yield _positions(pair.positions)
    yield _likeliest(pair.positions)
    if isinstance(pair.options, NotEstimable):
        yield Note(kind="missing", text=message("probes.no_options", reason=why(pair.options.reason)))
    else:
        columns = [(message(f"probes.col.{key}"), key != "option") for key in ("option", "first", "second")]
        rows = [
            row(Cell(text=o.text, code=True), *(Cell(text=f"{numbers.part(s)} %", value=s) for s in o.shares))
            for o in pair.options
        ]
        yield table(columns, rows, title=message("probes.options"))
    yield from tokens(pair, why)
    if pair.smallest is not None:
        yield from _smallest(pair.a.prompt, pair.smallest)


def _given(given: Given) -> Text:
    if given.answer is None:
        return message("probes.no_answer", reason=why(given.reason or ""))
    said = quoted(short(given.answer, ANSWER))
    if given.outcome is None:
        return said
    return message("probes.answer", answer=said, outcome=message(f"outcome.{given.outcome.value}"))


def _positions(positions: Sequence[Position]) -> Table:
    keys = ("position", "forward", "backward", "shannon", "entropies")
    columns = [(message(f"probes.col.{key}"), key in ("forward", "backward", "shannon")) for key in keys]
    rows: list[Row] = []
    for at in positions:
        entropies = [None if value is None else numbers.decimal(bits(value), 2) for value in at.entropies]
        shown: list[Text] = [message("missing") if value is None else value for value in entropies]
        rows.append(row(_where(at), *_between(at.between), Cell(text=message("probes.to", a=shown[0], b=shown[1]))))
    bound = any(isinstance(at.between, SeenDivergence) for at in positions)
    caption = message("probes.positions.bound" if bound else "probes.positions.caption")
    return table(columns, rows, title=message("probes.positions"), caption=caption)


def _likeliest(positions: Sequence[Position]) -> Table:
    columns = [(message(f"probes.col.{key}"), False) for key in ("position", "first", "second")]
    rows = [
        row(_where(at), *(Cell(text=_top(side)) if side else missing(message("probes.not_visible")) for side in at.top))
        for at in positions
    ]
    return table(columns, rows, title=message("probes.likeliest"))


def _where(at: Position) -> Text:
    return message(f"probes.where.{at.where}", n=numbers.whole(at.step + 1))


def _between(between: Divergence | SeenDivergence | NotEstimable) -> list[Cell]:
    if isinstance(between, NotEstimable):
        return [missing(why(between.reason))] * 3
    if isinstance(between, Divergence):
        return [_bits(value) for value in (between.forward, between.backward, between.jensen_shannon)]
    return [_bounds(value) for value in (between.forward, between.backward, between.jensen_shannon)]


def _bits(value: float | NotEstimable) -> Cell:
    if isinstance(value, NotEstimable):
        return missing(why(value.reason))
    return Cell(text=small(bits(value)), value=bits(value))


def _bounds(bounds: Bounds) -> Cell:
    low = small(bits(bounds.low))
    if bounds.high is None:
        return Cell(text=message("probes.at_least", value=low), value=bits(bounds.low))
    return Cell(text=message("probes.between", low=low, high=small(bits(bounds.high))), value=bits(bounds.low))


def _top(candidates: Sequence[Candidate]) -> Text:
    return " · ".join(f"{quoted(c.token)} {numbers.part(exp(c.logprob))} %" for c in candidates[:TOP])


def _smallest(prompt: str, found: Smallest | NotEstimable) -> Iterator[Block]:
    if isinstance(found, NotEstimable):
        yield Note(kind="missing", text=message("probes.no_smallest", reason=why(found.reason)))
        return
    parts = listed(_part(change) for change in found.chosen)
    yield Prose(
        text=message(
            f"probes.smallest.{found.kind}",
            n=numbers.whole(len(found.chosen)),
            of=numbers.whole(found.of),
            unit=message(f"probes.unit.{found.unit}"),
            parts=parts,
            answer=_given(found.after),
            minimal=message(f"probes.minimal.{found.minimal.replace('-', '_').replace('1', 'one')}"),
            looks=numbers.whole(found.looks),
        )
    )
    if found.also:
        also = listed(quoted(short(c.before, ANSWER)) for c in found.also[:PAIRS])
        yield Prose(text=message("probes.also", n=numbers.whole(len(found.also)), parts=also))
    left, right = pieces_of(prompt, found.prompt)
    case = DiffCase(
        name="",
        left=left,
        right=right,
        left_note=_given(found.before),
        right_note=_given(found.after),
    )
    yield DiffBlock(
        title=message("probes.smallest.title"),
        left=message("probes.col.first"),
        right=message("probes.col.smallest"),
        cases=(case,),
    )


def _part(change: Change) -> Text:
    before, after = quoted(short(change.before, ANSWER)), quoted(short(change.after, ANSWER))
    if not change.before:
        return message("probes.put_in", after=after)
    return message("probes.part", before=before, after=after) if change.after else before
