"""Analyses to draw: a realistic one, hostile ones, empty ones. Numbers are made by hand and seeded."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eyechart.analysis.results import (
    Analysis,
    CellScore,
    Curve,
    FactorSpread,
    HeatEntry,
    Number,
    Range,
    Sample,
)
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.report.inputs import Calls, Digests, Facts, FieldRow, InertField, ReportInput
from eyechart.rules.values import Ruled

FACTORS: Mapping[str, tuple[tuple[str, float], ...]] = {
    "temperature": (
        ("0", 0.0),
        ("0.2", -0.003),
        ("0.4", -0.011),
        ("0.6", -0.02),
        ("0.8", -0.034),
        ("1", -0.061),
    ),
    "template": (
        ("question-answer", 0.0),
        ("letter first", 0.018),
        ("step by step", 0.064),
        ("全角标点", -0.047),
    ),
    "shots": (("0", 0.0), ("3", 0.021), ("5", 0.028)),
    "reader": (("first_letter", 0.0), ("last_letter", -0.092), ("strict regex", -0.148)),
    "quantization": (("bf16", 0.0), ("int4", -0.008)),
}
LAYERS = (
    ("temperature", "decoding"),
    ("template", "prompt"),
    ("shots", "prompt"),
    ("reader", "evaluation"),
    ("quantization", "model"),
)
SUBJECTS = ("algebra", "anatomy", "astronomy", "chemistry", "history", "law", "medicine", "逻辑")


def estimate(value: float, half: float, n: int = 300, p: float | None = None, method: str = "t") -> Estimate:
    interval = Interval(low=value - half, high=value + half, level=0.95, method=method)
    return Estimate(name="score", value=value, se=half / 1.96, interval=interval, n=n, p=p)


def _cells() -> list[tuple[tuple[str, str], ...]]:
    base = {factor: levels[0][0] for factor, levels in FACTORS.items()}
    out = [base]
    for factor, levels in FACTORS.items():
        out += [{**base, factor: level} for level, _ in levels[1:]]
    for template, temperature, reader in (
        ("step by step", "0.8", "first_letter"),
        ("step by step", "1", "strict regex"),
        ("全角标点", "0.8", "last_letter"),
        ("letter first", "0.4", "first_letter"),
        ("step by step", "0", "last_letter"),
    ):
        out.append({**base, "template": template, "temperature": temperature, "reader": reader})
    return [tuple(cell.items()) for cell in out]


def _score(index: int, levels: tuple[tuple[str, str], ...], draw: random.Random) -> CellScore:
    effect = sum(dict(FACTORS[factor])[level] for factor, level in levels)
    value = 0.652 + effect + draw.gauss(0, 0.004)
    hot = float(dict(levels)["temperature"])
    runs = tuple(value + draw.gauss(0, 0.003 + 0.014 * hot) for _ in range(5)) if hot else (value,) * 1
    mean = sum(runs) / len(runs)
    again: Number = estimate(mean, 0.006 + 0.016 * hot, len(runs), method="t over runs")
    if not hot:
        again = NotEstimable(name="score", reason="every run gave the same answers by construction", n=1)
    right = round(mean * 300 * len(runs))
    lost = 24 if "strict" in dict(levels)["reader"] else 4
    outcomes = {
        "correct": right,
        "incorrect": 300 * len(runs) - right - lost * len(runs) - 3,
        "unparseable": lost * len(runs),
        "truncated": 2,
        "failed": 1 if index == 7 else 0,
        "refused": 1,
    }
    return CellScore(
        cell=f"c{index:03d}",
        levels=levels,
        baseline=index == 0,
        digest=f"e1:{draw.getrandbits(160):040x}",
        new_items=estimate(mean, 0.051, 300, method="t, CR1 by item"),
        repeat_it=again,
        runs=runs,
        outcomes=outcomes,
        read_only=right / (right + outcomes["incorrect"]),
        chance=0.25,
        above_chance=True,
        items=300,
        repeats=len(runs),
    )


def _heat(draw: random.Random) -> tuple[HeatEntry, ...]:
    out: list[HeatEntry] = []
    for factor, levels in FACTORS.items():
        for index, (level, effect) in enumerate(levels):
            groups = tuple(
                (
                    s,
                    estimate(effect + draw.gauss(0, 0.02), 0.06, 38, 0.2),
                    abs(effect) > 0.05 and draw.random() < 0.5,
                )
                for s in SUBJECTS
            )
            if index == 0:
                change: Number = NotEstimable(name="change", reason="this is the baseline level")
            elif level == "int4":
                change = NotEstimable(name="change", reason="fewer than two items or clusters")
                groups = tuple((s, change, False) for s in SUBJECTS)
            else:
                change = estimate(effect + draw.gauss(0, 0.002), 0.018, 300, 0.001 if abs(effect) > 0.03 else 0.3)
            many = factor in ("temperature", "template", "reader")
            out.append(
                HeatEntry(
                    factor=factor,
                    level=level,
                    baseline=index == 0,
                    change=change,
                    p_corrected=None if index == 0 or level == "int4" else (0.0004 if abs(effect) > 0.03 else 0.41),
                    flagged=index > 0 and abs(effect) > 0.03,
                    contexts=0 if index == 0 else 4 if many else 1,
                    inert=1 if factor == "shots" else 0,
                    sd_raw=0.021 if many and index else None,
                    sd_corrected=0.013 if many and index else None,
                    groups=() if index == 0 else groups,
                )
            )
    return tuple(out)


def _spreads(scores: tuple[CellScore, ...]) -> tuple[FactorSpread, ...]:
    out: list[FactorSpread] = []
    for factor, levels in FACTORS.items():
        means: list[tuple[str, float]] = []
        for level, _ in levels:
            on = [sum(s.runs) / len(s.runs) for s in scores if dict(s.levels)[factor] == level]
            means.append((level, sum(on) / len(on)))
        values = [mean for _, mean in means]
        middle = sum(values) / len(values)
        sd = math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1))
        known = None if factor == "quantization" else max(0.0, sd - 0.004)
        out.append(
            FactorSpread(
                factor=factor,
                means=tuple(means),
                range=max(values) - min(values),
                sd_raw=sd,
                sd_corrected=known,
                reason=None if known is not None else "two levels alone do not tell noise from spread",
            )
        )
    return tuple(out)


def _curves() -> tuple[Curve, ...]:
    x = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    down = (0.652, 0.650, 0.641, 0.631, 0.618, 0.591)
    shots = (0.0, 3.0, 5.0)
    return (
        Curve(
            factor="temperature",
            x=x,
            points=tuple(estimate(y, 0.02 + 0.01 * t) for t, y in zip(x, down, strict=True)),
            slope=estimate(-0.059, 0.021),
            slope_per_tenth=estimate(-0.0059, 0.0021),
            verdict="slopes",
            sentence="slopes",
            bound=0.02,
            jumps=("between 0.8 and 1: −2.7 points",),
            monotone=True,
            contexts=4,
        ),
        Curve(
            factor="shots",
            x=shots,
            points=(estimate(0.652, 0.05), estimate(0.673, 0.05), estimate(0.68, 0.05)),
            slope=estimate(0.0056, 0.0102),
            slope_per_tenth=estimate(0.00056, 0.00102),
            verdict="cannot tell",
            sentence="cannot tell",
            bound=0.02,
        ),
        Curve(
            factor="max_new_tokens",
            x=(32.0, 64.0, 128.0, 256.0),
            points=(
                estimate(0.651, 0.012),
                NotEstimable(name="score", reason="no items"),
                estimate(0.652, 0.012),
                estimate(0.654, 0.013),
            ),
            slope=estimate(0.00001, 0.00004),
            slope_per_tenth=estimate(0.000001, 0.000004),
            verdict="flat",
            sentence="flat within 2.0 points",
            bound=0.02,
            monotone=False,
        ),
    )


def _samples() -> tuple[Sample, ...]:
    long = (
        "Let me think step by step.\n\nThe question asks for the organ that filters blood. The liver stores glycogen,"
        " the kidneys filter. So the answer is clearly the kidneys, the second of the choices."
    )
    texts = (
        long,
        "**Answer:** B\n\nExplanation: the second law forbids it.",
        "As an AI language model I cannot give legal advice.",
        "答案是选项二，因为题干中已经排除了其他情况。",
        "<script>window.__pwned=1</script><img src=x onerror='window.__pwned=1'> A\x1b[31m\u202e)B(",
    )
    levels = (
        ("reader", "strict regex"),
        ("reader", "last_letter"),
        ("template", "全角标点"),
        ("temperature", "1"),
    )
    out: list[Sample] = []
    for place, (factor, level) in enumerate(levels):
        for index, text in enumerate(texts[: 5 if place == 0 else 3 if place < 3 else 2]):
            out.append(
                Sample(
                    cell=f"c{9 + place:03d}",
                    item=f"anatomy/{17 + 3 * index}",
                    group=SUBJECTS[(place + index) % len(SUBJECTS)],
                    prompt="Answer with one letter.\n\n"
                    + "Question: Which organ filters blood?\nA) liver\nB) kidneys\n" * (1 + 20 * (index == 1))
                    + "Answer:",
                    text=text * (1 if index < 4 else 30),
                    outcome=("unparseable", "incorrect", "refused", "truncated", "incorrect")[index],
                    extracted=None if index in (0, 2) else "A",
                    gold="B",
                    reason="no single letter stands alone" if index in (0, 2) else None,
                    factor=factor,
                    level=level,
                )
            )
    return tuple(out)


def realistic() -> Analysis:
    draw = random.Random(7)
    scores = tuple(_score(index, levels, draw) for index, levels in enumerate(_cells()))
    means = {s.cell: sum(s.runs) / len(s.runs) for s in scores}
    low, high = min(means, key=lambda c: means[c]), max(means, key=lambda c: means[c])
    pairs = [(a, b) for a in means for b in means if a < b]
    return Analysis(
        scores=scores,
        heat=_heat(draw),
        spreads=_spreads(scores),
        curves=_curves(),
        range=Range(
            low=means[low],
            high=means[high],
            low_cell=low,
            high_cell=high,
            cells=len(scores),
            luck=0.037,
            median=sorted(means.values())[len(means) // 2],
            sd_raw=0.061,
            sd_corrected=0.056,
            divergent_pairs=sum(abs(means[a] - means[b]) > 0.05 for a, b in pairs),
            pairs=len(pairs),
        ),
        samples=_samples(),
        groups=SUBJECTS,
        warnings=("8 of 300 items share a passage with others; intervals are clustered",),
    )


FIELDS = (
    ("dataset.name", "mmlu", "stated"),
    ("dataset.revision", "c30699e8356da336a370243923dbaf21066bb9fe", "stated"),
    ("dataset.split", "test", "default"),
    ("dataset.hash", None, "unknown"),
    ("prompt.template", "Question: {{question}}\n{{options}}\n", "default"),
    ("prompt.few_shot.count", "5", "stated"),
    ("prompt.few_shot.source", "validation", "default"),
    ("decoding.temperature", "0", "stated"),
    ("decoding.top_p", "0.9", "inert"),
    ("decoding.seed", "0", "inert"),
    ("decoding.max_new_tokens", "32", "default"),
    ("model.name", "example-1b-instruct", "stated"),
    ("model.revision", None, "unknown"),
    ("model.dtype", "bf16", "stated"),
    ("evaluation.extraction", "first_letter", "stated"),
    ("repeats.count", "5", "stated"),
)


def report(analysis: Analysis | None = None, **changes: Any) -> ReportInput:
    """The realistic report, with `changes` put on it."""
    given = ReportInput(
        title="example-1b-instruct on MMLU, eight subjects",
        analysis=analysis or realistic(),
        fingerprint=tuple(FieldRow(path=p, value=v, state=s) for p, v, s in FIELDS),  # pyright: ignore[reportArgumentType]
        inert=(
            InertField(path="decoding.top_p", reason="temperature is 0, so nothing is sampled"),
            InertField(path="decoding.seed", reason="temperature is 0, so nothing is sampled"),
        ),
        digests=Digests(
            effective="e1:4f1d9a6c0b7e2f5a8d3c6b9e0f1a2d4c5b6e7f80",
            stated="s1:0a9b8c7d6e5f40312233445566778899aabbccdd",
        ),
        facts=Facts(
            model="example-1b-instruct",
            engine=(("backend", "embedded"), ("precision", "bf16"), ("threads", "2"), ("batch size", "8")),
            command="eyechart run study.yaml --budget calls=30000",
            started="2026-11-29 18:12 UTC",
            finished="2026-11-29 19:40 UTC",
            versions=(("eyechart", "0.1.0"), ("openvino", "2026.1")),
            calls=Calls(made=21300, stored=2700, failed=1),
            notes=(
                "line 41 of mmlu.jsonl cannot be used: no gold answer",
                "300 of 1,204 items drawn with seed 0",
            ),
        ),
        rules=(
            Ruled(
                id="drawn_ids",
                state="kept",
                severity="warning",
                text="The ids are recorded.",
                evidence="300 ids",
                reason="Without them nobody can ask again.",
                remedy="Publish them.",
            ),
            Ruled(
                id="seed_stated",
                state="broken",
                severity="warning",
                text="The seed is stated.",
                evidence="nobody did",
                reason="It can be drawn again with it.",
                remedy="State it.",
            ),
            Ruled(id="mine", state="unknown", severity="note", text="A rule of mine.", evidence="not known"),
        ),
        layers=LAYERS,
    )
    return replace(given, **changes)


def empty() -> Analysis:
    return Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())


def many(cells: int = 200) -> Analysis:
    """Many set-ups with long names."""
    draw = random.Random(3)
    base = realistic()
    long = "a very long name of a factor that goes on and on" * 3
    scores = tuple(
        replace(
            _score(index, _cells()[index % len(_cells())], draw),
            cell=f"c{index:03d}",
            baseline=index == 0,
            levels=((long, f"level {index} " + "x" * 200), ("温度与提示词模板", "全角标点 / 换行")),
        )
        for index in range(cells)
    )
    return replace(base, scores=scores)
