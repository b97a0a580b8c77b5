"""Any analysis at all: numbers that cannot be known or shown, no curves, one cell, hostile names."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from report_hostile import HOSTILE
from report_measured import attributed, compared, repeated

from eyechart.analysis.results import Analysis, CellScore, Curve, FactorSpread, HeatEntry, Range, Repeats, Sample
from eyechart.core.records import Estimate, Interval, NotEstimable, Outcome
from eyechart.report.inputs import Calls, Digests, Facts, FieldRow, InertField, ReportInput
from eyechart.rules.values import Ruled
from eyechart.stats.runs import Centre, OddRun
from eyechart.stats.variances import SubjectSpread, VarianceRatio

any_report = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),  # explaining takes longer than finding
)

texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.sampled_from(("temperature", "模板", "", "a" * 900, "baseline")),
    st.text(st.characters(codec=None), max_size=40),
)
floats = st.one_of(
    st.floats(0, 1),
    st.floats(-1, 1),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from((0.0, -0.0, 1.0, 1e300, -1e300, 5e-324)),
)
counts = st.integers(0, 10**9)
maybe = st.one_of(st.none(), floats)


def some(strategy: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


intervals = st.builds(Interval, low=floats, high=floats, level=st.sampled_from((0.9, 0.95)), method=texts)
numbers = st.one_of(
    st.builds(NotEstimable, name=texts, reason=texts, n=counts),
    st.builds(
        Estimate,
        name=texts,
        value=floats,
        se=maybe,
        interval=st.one_of(st.none(), intervals),
        p=maybe,
        n=counts,
        seed=st.one_of(st.none(), counts),
        excluded=counts,
        warnings=some(texts, 1),
    ),
)
absent = st.builds(NotEstimable, name=texts, reason=texts, n=counts)
checks = st.builds(
    Repeats,
    noise=st.one_of(absent, st.just(repeated().noise)),
    exchangeable=st.one_of(absent, st.just(repeated("together").exchangeable)),
    same_runs=st.sampled_from(((), repeated("copies").same_runs, repeated("equal").same_runs)),
    centre=st.one_of(absent, st.builds(Centre, n=counts, mean=floats, median=floats, trimmed=floats)),
    odd_runs=some(st.builds(OddRun, run=counts, value=floats, deviation=floats, p=floats), 2),
    pass_all=numbers,
)
ratios = st.builds(
    VarianceRatio,
    ratio=floats,
    interval=st.one_of(absent, intervals),
    p=maybe,
    variance_a=floats,
    variance_b=floats,
    n=counts,
    test=texts,
)
widths = st.builds(
    SubjectSpread,
    subject=texts,
    items=counts,
    observed_sd=floats,
    noise_sd=floats,
    sd=st.one_of(absent, floats),
    scaled=floats,
    p=floats,
    p_holm=floats,
)
attributions = st.one_of(st.none(), absent, st.sampled_from(("strong", "nothing", "once", "holes")).map(attributed))
names = st.sampled_from(("c000", "c001", "c002", "温度", *HOSTILE[:2]))
scores = st.builds(
    CellScore,
    cell=names,
    levels=some(st.tuples(texts, texts), 3),
    baseline=st.booleans(),
    digest=texts,
    new_items=numbers,
    repeat_it=numbers,
    runs=some(floats, 3),
    outcomes=st.dictionaries(st.one_of(st.sampled_from([o.value for o in Outcome]), texts), counts, max_size=3),
    read_only=maybe,
    chance=maybe,
    above_chance=st.one_of(st.none(), st.booleans()),
    items=counts,
    repeats=counts,
    checks=st.one_of(st.none(), checks),
    warnings=some(texts, 1),
)
heat = st.builds(
    HeatEntry,
    factor=texts,
    level=texts,
    baseline=st.booleans(),
    change=numbers,
    p_corrected=maybe,
    flagged=st.booleans(),
    contexts=st.integers(0, 5),
    inert=st.integers(0, 5),
    sd_raw=maybe,
    sd_corrected=maybe,
    groups=some(st.tuples(texts, numbers, st.booleans()), 3),
    noise_ratio=st.one_of(st.none(), absent, ratios),
)
spreads = st.builds(
    FactorSpread,
    factor=texts,
    means=some(st.tuples(texts, floats), 3),
    range=floats,
    sd_raw=maybe,
    sd_corrected=maybe,
    reason=st.one_of(st.none(), texts),
)


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    n = draw(st.integers(0, 5))
    return Curve(
        factor=draw(texts),
        x=tuple(draw(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=n, max_size=n))),
        points=tuple(draw(st.lists(numbers, min_size=n, max_size=n))),
        slope=draw(numbers),
        slope_per_tenth=draw(numbers),
        verdict=draw(st.sampled_from(("flat", "slopes", "bends", "cannot tell", "<b>new</b>"))),
        sentence=draw(texts),
        bound=draw(floats),
        jumps=draw(some(texts, 1)),
        monotone=draw(st.one_of(st.none(), st.booleans())),
        contexts=draw(st.integers(0, 9)),
        band=tuple(draw(st.lists(numbers, max_size=n))),
    )


ranges = st.builds(
    Range,
    low=floats,
    high=floats,
    low_cell=names,
    high_cell=names,
    cells=st.integers(0, 300),
    luck=maybe,
    median=floats,
    sd_raw=floats,
    sd_corrected=maybe,
    divergent_pairs=counts,
    pairs=counts,
)
optional = st.one_of(st.none(), texts)
samples = st.builds(
    Sample,
    cell=names,
    item=texts,
    group=optional,
    prompt=texts,
    text=texts,
    outcome=st.one_of(texts, st.sampled_from([o.value for o in Outcome])),
    extracted=optional,
    gold=texts,
    reason=optional,
    factor=optional,
    level=optional,
)
analyses = st.builds(
    Analysis,
    scores=some(scores),
    heat=some(heat),
    spreads=some(spreads, 5),
    curves=some(curves(), 2),
    range=st.one_of(st.none(), ranges),
    samples=some(samples, 3),
    groups=some(texts, 3),
    level=st.sampled_from((0.9, 0.95, 0.99)),
    warnings=some(texts, 2),
    attribution=attributions,
    contest=st.sampled_from((None, compared(), compared("many"), compared("alone"))),
    subjects=some(st.one_of(absent, widths), 3),
)
states = st.sampled_from(("stated", "default", "inert", "unknown"))
paths = st.one_of(texts, st.sampled_from(("decoding.seed", "decoding.temperature", "prompt.few_shot.count")))
inputs = st.builds(
    ReportInput,
    title=texts,
    analysis=analyses,
    fingerprint=some(st.builds(FieldRow, path=paths, value=optional, state=states)),
    inert=some(st.builds(InertField, path=texts, reason=texts), 2),
    digests=st.builds(Digests, stated=optional, effective=optional, study=optional),
    facts=st.builds(
        Facts,
        model=optional,
        engine=some(st.tuples(texts, texts), 2),
        command=optional,
        started=optional,
        finished=optional,
        versions=some(st.tuples(texts, texts), 2),
        calls=st.one_of(st.none(), st.builds(Calls, made=counts, stored=counts, failed=counts)),
        notes=some(texts, 2),
    ),
    rules=some(
        st.builds(
            Ruled,
            id=texts,
            state=st.sampled_from(("kept", "broken", "unknown")),
            evidence=texts,
            text=texts,
            severity=st.sampled_from(("error", "warning", "note")),
            reason=optional,
            remedy=optional,
        ),
        2,
    ),
    language=st.sampled_from(("en", "zh")),
    sentences=st.one_of(st.just(()), st.tuples(texts, texts, texts)),
    layers=some(st.tuples(texts, texts), 3),
)
