"""What answers depend on: families of small edits that should change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eyechart.analysis.features import FeatureClass, FeatureScore
from eyechart.analysis.pairs import Dependence, Pairs
from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Note, Prose, Row, Text, message
from eyechart.report.common import interval_cell, listed, missing, p_cell, reason_of, row, score_cell, table
from eyechart.report.text import short

MOST = 20
"""Items shown."""
EXAMPLE = 90
WHY = {
    "no prompt was asked twice: plain repeatability is not known": "once",
    "the edit changed nothing that was asked": "nothing",
    "nothing to compare": "empty",
}


def pairs(found: Pairs, texts: Mapping[str, str], idle: Sequence[str] = ()) -> list[Block]:
    """`texts`: the question of each item. `idle`: families that had nothing to change."""
    blocks: list[Block] = [Prose(text=sentence(found))]
    if idle:
        blocks.append(Note(kind="info", text=message("pairs.idle", families=", ".join(idle))))
    blocks.append(_scores(found))
    blocks.append(_turns(found))
    if any(f.turned for f in found.families):
        blocks.append(_items(found, texts))
    return blocks


def features(found: Sequence[FeatureScore]) -> list[Block]:
    """The score by simple features of the items; a note where there is none to look at."""
    if not found:
        return [Note(kind="missing", text=message("pairs.features.none"))]
    rows = [
        row(
            feature_name(f.feature) if place == 0 else "",
            Cell(text=class_of(c), value=c.low),
            Cell(text=numbers.whole(c.items), value=float(c.items)),
            score_cell(c.score),
            interval_cell(c.score),
            p_cell(f.p_holm) if place == 0 else Cell(),
        )
        for f in found
        for place, c in enumerate(f.classes)
    ]
    keys = ("feature", "class", "items_of", "score", "interval", "p_feature")
    titles = [(message(f"pairs.col.{key}"), key != "feature") for key in keys]
    return [table(titles, rows, title=message("pairs.features"), caption=message("pairs.features.caption"))]


def feature_name(name: str) -> Text:
    return message(f"pairs.feature.{name.replace(' ', '_')}")


def class_of(c: FeatureClass) -> Text:
    """From the lowest to the highest value of a class."""
    low, high = (numbers.plain(round(x, 2)) for x in (c.low, c.high))
    return low if low == high else message("difficulty.range", low=low, high=high)


def sentence(found: Pairs) -> Text:
    """What answers depend on, after the correction for all tests; what could not be tested is unknown, never none."""
    said = [*_tested(found.families), *_unknown(found.families)]
    out = said[0]
    for more in said[1:]:
        out = message("pairs.then", first=out, second=more)
    return out


def _tested(families: Sequence[Dependence]) -> list[Text]:
    moved = ", ".join(f.family for f in families if f.moves)
    turned = ", ".join(f.family for f in families if f.turns and not f.moves)
    n = len(families)
    if moved and turned:
        return [message("pairs.both", moved=moved, turned=turned, n=n)]
    if moved:
        return [message("pairs.moves", moved=moved, n=n)]
    if turned:
        return [message("pairs.turns", turned=turned, n=n)]
    if all(f.scored and f.repeated for f in families):
        return [message("pairs.none", n=n)]
    scored, repeated = sum(f.scored for f in families), sum(f.repeated for f in families)
    return [
        *([message("pairs.none.score", known=scored)] if scored else []),
        *([message("pairs.none.turn", known=repeated)] if repeated else []),
    ]


def _unknown(families: Sequence[Dependence]) -> list[Text]:
    """Of which families the score, or the turning of verdicts, is not known; and why."""
    unknown = {
        "score": [f.family for f in families if not f.scored],
        "once": [f.family for f in families if not f.repeated and _asked_once(f)],
        "few": [f.family for f in families if not f.repeated and not _asked_once(f)],
    }
    return [
        message(f"pairs.unknown.{reason}.all")
        if len(names) == len(families)
        else message(f"pairs.unknown.{reason}.some", families=", ".join(names))
        for reason, names in unknown.items()
        if names
    ]


def _asked_once(f: Dependence) -> bool:
    return isinstance(f.beyond, NotEstimable) and WHY.get(f.beyond.reason) == "once"


def why(number: Number) -> Text:
    """Why there is no number, in the language of the report."""
    if isinstance(number, NotEstimable) and number.reason in WHY:
        return message(f"pairs.why.{WHY[number.reason]}")
    return reason_of(number)


def _scores(found: Pairs) -> Block:
    keys = ("family", "edit", "items", "change", "ends", "p", "gained", "lost")
    titles = [(message(f"pairs.col.{key}", level=numbers.percent(found.level)), key not in keys[:2]) for key in keys]
    rows = [_score(f) for f in found.families]
    return table(titles, rows, title=message("pairs.scores"), caption=message("pairs.scores.caption"), details=(1,))


def _score(f: Dependence) -> Row:
    gained = sum(t.gained for t in f.turned)
    lost = len(f.turned) - gained
    return row(
        f.family,
        Cell(text=f.edit, code=True),
        Cell(text=numbers.whole(f.items), value=float(f.items)),
        score_cell(f.change, change=True),
        interval_cell(f.change, change=True),
        p_cell(f.p_change_holm),
        Cell(text=numbers.whole(gained), value=float(gained)),
        Cell(text=numbers.whole(lost), value=float(lost)),
    )


def _turns(found: Pairs) -> Block:
    keys = ("family", "turn", "repeat", "beyond", "ends", "p", "said", "said_repeat")
    titles = [(message(f"pairs.col.{key}", level=numbers.percent(found.level)), key != "family") for key in keys]
    rows = [
        row(
            f.family,
            _cell(f.turn),
            _cell(f.repeat),
            _cell(f.beyond),
            interval_cell(f.beyond, change=True) if not isinstance(f.beyond, NotEstimable) else missing(why(f.beyond)),
            p_cell(f.p_beyond_holm),
            _cell(f.said),
            _cell(f.said_repeat),
        )
        for f in found.families
    ]
    return table(titles, rows, title=message("pairs.turned"), caption=message("pairs.turned.caption"))


def _cell(number: Number) -> Cell:
    """A share in per cent."""
    estimate = numbers.known(number)
    return missing(why(number)) if estimate is None else Cell(text=numbers.points(estimate.value), value=estimate.value)


def _items(found: Pairs, texts: Mapping[str, str]) -> Block:
    under: dict[str, list[Text]] = {}
    for f in found.families:
        for t in f.turned:
            name = message("pairs.gained" if t.gained else "pairs.lost", family=f.family)
            under.setdefault(t.item, []).append(name)
    ordered = sorted(under.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows = [
        row(
            Cell(text=short(name, 40), code=True),
            Cell(text=numbers.whole(len(families)), value=float(len(families))),
            listed(families),
            short(" ".join(texts.get(name, "").split()), EXAMPLE),
        )
        for name, families in ordered[:MOST]
    ]
    keys = ("item", "families", "which", "question")
    titles = [(message(f"pairs.col.{key}"), key == "families") for key in keys]
    left = max(0, len(ordered) - MOST)
    caption = message("pairs.items.caption", n=numbers.whole(len(ordered)), several=len(found.several), left=left)
    return table(titles, rows, title=message("pairs.items"), caption=caption)
