"""How hard the few-shot candidates are; and what balancing by difficulty did to the spread over draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from eyechart.analysis.difficulty import BucketFact, Difficulty, Measured
from eyechart.analysis.draws import DrawGroup, Draws, RuleContrast, RuleDraws
from eyechart.core.records import Interval, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Bar, BarsBlock, Block, Cell, Note, Prose, Row, Text, message
from eyechart.report.common import interval_cell, listed, missing, p_cell, row, score_cell, table
from eyechart.report.text import short
from eyechart.stats.draws import PairedRatio, Variance

BARS = 12
"""Classes of the picture of D, of equal width; infinite D have one of their own."""
EXAMPLE = 90
KINDS = ("options", "text")


def difficulty(known: Difficulty, examples: Mapping[str, str]) -> list[Block]:
    """Counts, range of D and an example of each bucket, and a picture of all D. `examples`: a text by item id."""
    buckets = [_bucket(b, known.rows, examples) for b in known.buckets]
    keys = ("bucket", "count", "d", "p", "example")
    columns = [(message(f"difficulty.col.{key}"), key in ("count", "d", "p")) for key in keys]
    counts = listed([message("difficulty.of", name=name_of(b.name), n=numbers.whole(b.count)) for b in known.buckets])
    blocks: list[Block] = [Prose(text=message("difficulty.sentence", n=numbers.whole(len(known.rows)), buckets=counts))]
    blocks += [Prose(text=message(f"difficulty.p.{kind}")) for kind in known.about.get("measure", ()) if kind in KINDS]
    blocks += notes(known)
    blocks.append(table(columns, buckets, title=message("difficulty.title"), caption=message("difficulty.caption")))
    return [*blocks, _picture(known)]


def notes(known: Difficulty) -> list[Block]:
    """What speaks against resting on the buckets."""
    out: list[Block] = []
    if known.mixed:
        out.append(Note(kind="warning", text=message("difficulty.mixed")))
    if 0 < len(known.buckets) < 3:
        out.append(Note(kind="warning", text=message("difficulty.fewer", n=len(known.buckets))))
    if known.infinite:
        out.append(Note(kind="info", text=message("difficulty.infinite", n=known.infinite)))
    if known.unknown:
        first = known.unknown[0]
        said = message("difficulty.unknown", n=len(known.unknown), id=first.id, reason=first.reason or "")
        out.append(Note(kind="missing", text=said))
    return out


def name_of(bucket: str) -> Text:
    return message(f"difficulty.bucket.{bucket}")


def middle_of(bucket: BucketFact, rows: Sequence[Measured]) -> Measured:
    """The candidate nearest to the centre of its bucket; ties to the first id."""
    mine = [r for r in rows if r.bucket == bucket.name and r.d is not None]
    centre = bucket.centre
    return min(mine, key=lambda r: (abs((r.d or 0.0) - centre) if centre is not None else 0.0, r.id))


def nat(d: float) -> str:
    return "∞" if d == math.inf else numbers.decimal(d, 2)


def likelihood(d: float) -> str:
    """p of a D; what is not nothing is never shown as 0.

    >>> likelihood(0.1), likelihood(12.0), likelihood(math.inf)
    ('0.905', '6e-06', '0')
    """
    p = math.exp(-d)
    return f"{p:.3f}" if p >= 0.001 else "0" if d == math.inf else f"{p:.0e}" if p > 0 else f"1e-{d / math.log(10):.0f}"


def _bucket(bucket: BucketFact, rows: Sequence[Measured], examples: Mapping[str, str]) -> Row:
    example = middle_of(bucket, rows)
    return row(
        name_of(bucket.name),
        Cell(text=numbers.whole(bucket.count), value=float(bucket.count)),
        Cell(text=_range(nat(bucket.low), nat(bucket.high)), value=bucket.centre),
        Cell(text=_range(likelihood(bucket.low), likelihood(bucket.high)), value=math.exp(-bucket.low)),
        short(": ".join(filter(None, (example.id, " ".join(examples.get(example.id, "").split())))), EXAMPLE),
    )


def _range(first: str, last: str) -> Text:
    return first if first == last else message("difficulty.range", low=first, high=last)


def _picture(known: Difficulty) -> Block:
    ds = [r.d for r in known.rows if r.d is not None and math.isfinite(r.d)]
    low, high = (min(ds), max(ds)) if ds else (0.0, 0.0)
    width = (high - low) / BARS
    classes = [(low + i * width, low + (i + 1) * width) for i in range(BARS if width > 0 else bool(ds))]
    counts = [0] * len(classes)
    for d in ds:
        counts[min(int((d - low) / width), BARS - 1) if width > 0 else 0] += 1
    names: list[Text] = [_range(nat(a), nat(b)) for a, b in classes]
    if known.infinite:
        names, counts = [*names, nat(math.inf)], [*counts, known.infinite]
    bars = [
        Bar(name=n, value=c / max(1, sum(counts)), text=numbers.whole(c)) for n, c in zip(names, counts, strict=True)
    ]
    rows = [row(n, Cell(text=numbers.whole(c), value=float(c))) for n, c in zip(names, counts, strict=True)]
    twin = table([(message("difficulty.col.d"), True), (message("difficulty.col.count"), True)], rows)
    caption = message("difficulty.bars.caption")
    return BarsBlock(title=message("difficulty.bars"), caption=caption, bars=tuple(bars), twin=twin)


def draws(found: Draws | NotEstimable) -> list[Block]:
    """Score and spread over draws for each rule, and the rules against each other."""
    if isinstance(found, NotEstimable):
        return [Note(kind="missing", text=message("draws.none", reason=why(found.reason)))]
    blocks: list[Block] = []
    for group in found.groups:
        blocks += [Prose(text=sentence(c)) for c in group.contrasts]
        blocks.append(_rules(group, found.level))
        if group.contrasts:
            blocks.append(_contrasts(group, found.level))
    blocks += [Note(kind="warning", text=message("draws.unequal", fixed=a, own=b)) for a, b in found.unequal]
    if found.still:
        blocks.append(Note(kind="info", text=message("draws.still", rules=", ".join(found.still))))
    return blocks


WHY = {
    "no set-up has shots that were drawn with a seed": "no_draws",
    "fewer than 5 draws": "few",
    "fewer than 5 draws by both rules": "few_pairs",
    "all draws give one score": "alike",
    "all draws of a rule give one score": "rule_alike",
    "one draw alone makes the spread": "lone",
    "one draw alone makes a rule's spread": "rule_lone",
    "no seed in common": "no_seed",
}


def why(reason: str) -> Text:
    """A reason of `analysis.draws` in the language of the report."""
    return message(f"draws.why.{WHY[reason]}") if reason in WHY else reason


def sentence(c: RuleContrast) -> Text:
    """What the draws show about the two rules, in one sentence."""
    said: dict[str, Text] = {"a": c.a, "b": c.b, "n": str(c.seeds)}
    if isinstance(c.ratio, NotEstimable):
        return message("draws.unknown", reason=why(c.ratio.reason), **said)
    said["ratio"] = numbers.decimal(c.ratio.ratio, 2)
    said["ends"] = _ends(c.ratio.interval)
    said["p"] = "–" if c.p_holm is None else numbers.probability(c.p_holm)
    if c.p_holm is None or c.p_holm >= 0.05:
        return message("draws.open", **said)
    return message("draws.less" if c.ratio.ratio < 1 else "draws.more", **said)


def _ends(interval: Interval | NotEstimable) -> Text:
    if isinstance(interval, NotEstimable):
        return why(interval.reason)
    return f"[{numbers.decimal(interval.low, 2)}, {numbers.decimal(interval.high, 2)}]"


def _rules(group: DrawGroup, level: float) -> Block:
    keys = ("rule", "mode", "draws", "mean", "sd", "ends", "variance")
    titles = [(message(f"draws.col.{key}", level=numbers.percent(level)), key not in ("rule", "mode")) for key in keys]
    caption = message("draws.caption", items=numbers.whole(group.items), excluded=numbers.whole(group.excluded))
    return table(titles, [_rule(rule) for rule in group.rules], title=message("draws.title"), caption=caption)


def _rule(rule: RuleDraws) -> Row:
    spread = rule.variance
    cells: list[Cell | Text] = [
        Cell(text=rule.rule, code=True),
        message(f"draws.mode.{rule.mode}"),
        Cell(text=numbers.whole(len(rule.seeds)), value=float(len(rule.seeds))),
        Cell(text=numbers.points(rule.mean), value=rule.mean),
    ]
    if not isinstance(spread, Variance):
        return row(*cells, *[missing(why(spread.reason))] * 3)
    ends = spread.interval
    cells.append(Cell(text=numbers.points(spread.sd, 2), value=spread.sd))
    if isinstance(ends, Interval):
        text = f"[{numbers.points(ends.low**0.5, 2)}, {numbers.points(ends.high**0.5, 2)}]"
        cells.append(Cell(text=text, value=ends.low**0.5))
    else:
        cells.append(missing(why(ends.reason)))
    return row(*cells, Cell(text=numbers.decimal(1e4 * spread.value, 2), value=spread.value))


def _contrasts(group: DrawGroup, level: float) -> Block:
    keys = ("rules", "draws", "ratio", "ends", "p", "change", "change_ends")
    titles = [(message(f"draws.col.{key}", level=numbers.percent(level)), key != "rules") for key in keys]
    rows = [_contrast(c) for c in group.contrasts]
    return table(titles, rows, title=message("draws.against"), caption=message("draws.against.caption"))


def _contrast(c: RuleContrast) -> Row:
    ratio = c.ratio
    known = isinstance(ratio, PairedRatio)
    reason = why(ratio.reason) if isinstance(ratio, NotEstimable) else ""
    return row(
        message("draws.versus", a=c.a, b=c.b),
        Cell(text=str(c.seeds), value=float(c.seeds)),
        Cell(text=numbers.decimal(ratio.ratio, 2), value=ratio.ratio) if known else missing(reason),
        Cell(text=_ends(ratio.interval)) if known else missing(reason),
        p_cell(c.p_holm),
        score_cell(c.change, change=True),
        interval_cell(c.change, change=True),
    )
