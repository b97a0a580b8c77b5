"""Every text that a model, a file or a person can write, written by an enemy."""

from __future__ import annotations

from dataclasses import replace

from report_cases import FACTORS, report
from report_measured import measured, planted, subjects

from eyechart.analysis.compare import Compared, compare
from eyechart.analysis.results import Analysis, CellScore, HeatEntry, Sample
from eyechart.analysis.shares import Attributed, attribute
from eyechart.core.records import NotEstimable
from eyechart.report.inputs import Digests, Facts, FieldRow, InertField, ReportInput
from eyechart.rules.values import Ruled

HOSTILE = (
    "<script>window.__pwned=1</script>",
    '<img src=x onerror="window.__pwned=1">',
    "</style></script></title><svg onload='window.__pwned=1'>",
    "\x1b[31mred\x1b[0m\x07 \x00NUL \u202etxt.exe\u202c \u200bzero\ufeff",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "[link](javascript:alert(1)) ![x](http://evil.example/a.png) `code` | pipe | @someone <http://evil.example>",
    "{{ 7 * 7 }} {% raw %} {0} {name} %s",
    "![[]]$$\\frac{}{}$$ ``` ~~~ ```` [red]rich[/red]",
    "&amp;&lt;\"'`=\r\n\t--><!-- ]]>",
    "بسم الله \u2066שלום\u2069 한국어 漢字 🙂👩‍👩‍👧",
    "e" + "\u0301" * 60,
    "\ud800 lone surrogate \udfff \uffff",
)


NAMES = {factor: f"{factor}{HOSTILE[i]}" for i, factor in enumerate(FACTORS)}


def _pick(index: int) -> str:
    return HOSTILE[index % len(HOSTILE)]


def _score(s: CellScore, i: int) -> CellScore:
    levels = tuple((NAMES[factor], level + _pick(i)) for factor, level in s.levels)
    return replace(s, cell=s.cell + _pick(i), digest=_pick(i), levels=levels, warnings=(_pick(i),))


def _entry(e: HeatEntry, i: int) -> HeatEntry:
    groups = tuple((g + _pick(j), n, m) for j, (g, n, m) in enumerate(e.groups))
    return replace(e, factor=NAMES[e.factor], level=e.level + _pick(i), groups=groups)


def _sample(s: Sample, i: int, cell: str, entry: HeatEntry) -> Sample:
    return replace(
        s,
        cell=cell,
        item=_pick(i),
        group=_pick(i + 1),
        prompt=_pick(i + 2) * 300,
        text=_pick(i) * (1 if i % 3 else 20_000),
        outcome=_pick(i + 3),
        extracted=_pick(i + 4),
        gold=_pick(i + 5),
        reason=_pick(i + 6),
        factor=entry.factor if i % 2 else _pick(i),
        level=entry.level,
    )


def _contested() -> tuple[Attributed, Compared]:
    """Names of factors and levels are what an enemy wrote, and so are the warnings."""
    levels = {HOSTILE[0]: HOSTILE[1:3], HOSTILE[3]: HOSTILE[4:6], HOSTILE[6]: HOSTILE[7:9]}
    effects = {(i, j, k): 0.3 * (1 if i == j else -1) for i in (0, 1) for j in (0, 1) for k in (0, 1)}
    table = planted(levels, effects, items=60)
    first, *others = levels
    divided = replace(attribute(table, tuple(levels), draws=100), warnings=HOSTILE)
    return divided, replace(compare(table, first, over=others), warnings=HOSTILE)


def hostile_analysis() -> Analysis:
    base = measured()
    attribution, contest = _contested()
    scores = tuple(_score(s, i) for i, s in enumerate(base.scores))
    heat = tuple(_entry(e, i) for i, e in enumerate(base.heat))
    return replace(
        base,
        scores=scores,
        heat=heat,
        samples=tuple(_sample(s, i, scores[i % len(scores)].cell, heat[10]) for i, s in enumerate(base.samples)),
        spreads=tuple(replace(s, factor=NAMES[s.factor], reason=_pick(1)) for s in base.spreads),
        curves=tuple(
            replace(c, factor=_pick(i), verdict=_pick(i), sentence=_pick(i + 1), jumps=(_pick(2),))
            for i, c in enumerate(base.curves)
        ),
        groups=tuple(g + _pick(j) for j, g in enumerate(base.groups)),
        warnings=HOSTILE,
        attribution=attribution,
        contest=contest,
        subjects=(*subjects(HOSTILE[:3]), NotEstimable(name=HOSTILE[0], reason=HOSTILE[1])),
    )


def hostile() -> ReportInput:
    return report(
        hostile_analysis(),
        title=HOSTILE[2] + HOSTILE[3],
        fingerprint=tuple(FieldRow(path=t, value=t, state="stated") for t in HOSTILE),
        inert=tuple(InertField(path=t, reason=t) for t in HOSTILE),
        digests=Digests(stated=HOSTILE[0], effective=HOSTILE[1], study=HOSTILE[4]),
        facts=Facts(
            model=HOSTILE[0],
            engine=tuple((t, t) for t in HOSTILE),
            command=HOSTILE[4],
            started=HOSTILE[8],
            finished=HOSTILE[9],
            versions=((HOSTILE[0], HOSTILE[1]),),
            notes=HOSTILE,
        ),
        rules=tuple(
            Ruled(id="own", state="broken", severity="error", text=t, evidence=t, reason=t, remedy=t, subject=t)
            for t in HOSTILE
        ),
        layers=tuple((name, HOSTILE[i]) for i, name in enumerate(NAMES.values())),
    )
