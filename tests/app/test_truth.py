"""A model of known truth: planted effects are found, and where nothing is planted nothing is."""

from __future__ import annotations

import json

import numpy as np
import pytest

import eyechart as ec
from eyechart.analysis.analyse import analyse
from eyechart.app.finished import layout_of
from eyechart.app.read import read
from eyechart.app.run import describe, run
from eyechart.core.records import Estimate


def measured(effects: list, seed: int = 0, repeats: int = 1, factors: str = "", limit: int = 120):
    text = f"""
dataset: {{name: chart, subset: sentiment, limit: {limit}}}
prompt: {{template: "{{{{question}}}}"}}
model: {{backend: synthetic, options: {{accuracy: 0.6, item_sd: 0.1, seed: {seed}, effects: {json.dumps(effects)}}}}}
evaluation: {{extraction: lenient}}
repeats: {repeats}
design: factorial
factors: {factors or '[{decoding.temperature: [0.2, 0.4, 0.6, 0.8]}, {prompt.cue: ["", " A:", " B:"]}]'}
"""
    one = ec.loads(text)
    ran = run(one.grid, one.text, one.folder(f"run{seed}"))
    return ec.open(ran.folder.path)


def test_planted_effects_are_recovered():
    effects = [{"when": {"contains": " B:"}, "add": -0.2}, {"when": {"temperature": 0.8}, "add": -0.12}]
    found = measured(effects, repeats=5)
    heat = {(e.factor, e.level): e for e in found.heatmap()}
    truth = {
        ("prompt.cue", "A:"): 0.0, ("prompt.cue", "B:"): -0.2, ("decoding.temperature", "0.4"): 0.0,
        ("decoding.temperature", "0.6"): 0.0, ("decoding.temperature", "0.8"): -0.12,
    }  # fmt: skip
    for key, planted in truth.items():
        change = heat[key].change
        assert isinstance(change, Estimate)
        assert change.interval is not None
        width = change.interval.high - change.interval.low
        assert abs(change.value - planted) < width  # twice the half-width: a miss here is no bad luck
        assert heat[key].flagged == (planted != 0), key
    curve = found.curves()[0]
    assert curve.factor == "decoding.temperature"
    assert curve.verdict in ("slopes", "bends")
    assert isinstance(curve.slope, Estimate)
    assert curve.slope.value < 0


def test_a_planted_line_is_recovered_as_a_slope():
    """Without bias, and with standard errors that tell how far it misses."""
    effects = [{"when": {"temperature": t}, "add": -0.25 * (t - 0.2)} for t in (0.4, 0.6, 0.8)]
    misses = []
    for seed in range(8):
        (curve,) = measured(
            effects, seed=seed, repeats=5, factors="[{decoding.temperature: [0.2, 0.4, 0.6, 0.8]}]"
        ).curves()
        slope = curve.slope_per_tenth
        assert isinstance(slope, Estimate)
        assert slope.se is not None
        assert slope.value < 0
        misses.append((slope.value + 0.025) / slope.se)
    assert abs(np.mean(misses)) * 8**0.5 < 3
    assert np.std(misses, ddof=1) < 1.9  # chi-square: more has probability .001 where the errors are right


def null_map(seed: int) -> tuple[int, int, int, int]:
    """Flagged anywhere, entries whose own interval misses 0, entries, curves that are said to slope."""
    one = ec.loads(f"""
dataset: {{name: chart, subset: sentiment, limit: 60}}
prompt: {{template: "{{{{question}}}}"}}
model: {{backend: synthetic, options: {{accuracy: 0.6, item_sd: 0.1, seed: {seed}}}}}
evaluation: {{extraction: lenient}}
design: factorial
factors: [{{decoding.temperature: [0.2, 0.4, 0.6]}}, {{prompt.cue: ["", " A:", " B:"]}}]
""")
    ran = run(one.grid, one.text, one.folder(f"null{seed}"))
    found = ec.open(ran.folder.path)
    entries = [e for e in found.heatmap() if not e.baseline]
    anywhere = any(e.flagged or any(g[2] for g in e.groups) for e in entries)
    missed = 0
    for e in entries:
        assert isinstance(e.change, Estimate)
        assert e.change.interval is not None
        missed += not e.change.interval.low <= 0 <= e.change.interval.high
    return (
        int(anywhere),
        missed,
        len(entries),
        sum(c.verdict != "cannot tell" and c.verdict != "flat" for c in found.curves()),
    )


def test_where_nothing_is_planted_nothing_is_found():
    """At the stated rate: a map is falsely flagged in 5 % of studies, an interval misses in 5 %."""
    rounds = 40
    results = [null_map(seed) for seed in range(rounds)]
    false_maps = sum(r[0] for r in results)
    missed, entries = sum(r[1] for r in results), sum(r[2] for r in results)
    assert false_maps <= 6  # binomial(40, .05): more than 6 has probability .003
    assert missed / entries < 0.11
    assert sum(r[3] for r in results) <= 10  # slopes and bends are each said in 5 % of flat curves


def test_intervals_cover_what_they_name():
    """*Repeat it* covers the score of the same items; *new items* also what the items might have been."""
    covered_repeat = covered_items = 0
    rounds = 60
    for seed in range(rounds):
        one = ec.loads(f"""
dataset: {{name: chart, subset: sentiment, limit: 40}}
model: {{backend: synthetic, options: {{accuracy: 0.6, item_sd: 0.2, seed: {seed}}}}}
evaluation: {{extraction: lenient}}
decoding: {{temperature: 0.7}}
repeats: 4
""")
        ran = run(one.grid, one.text, one.folder(f"cover{seed}"))
        (score,) = ec.open(ran.folder.path).scores()
        backend, ask = one.grid.engines[0].backend, one.grid.asks[0]
        truth = np.mean([backend.probability(row[0].call.request, row[0].call.item) for row in ask.planned])
        for number, target in ((score.repeat_it, float(truth)), (score.new_items, 0.6)):
            assert isinstance(number, Estimate)
            assert number.interval is not None
            inside = number.interval.low <= target <= number.interval.high
            if number is score.repeat_it:
                covered_repeat += inside
            else:
                covered_items += inside
    assert covered_repeat >= 52  # binomial(60, .95): fewer has probability .003
    assert covered_items >= 52


def test_reading_twice_gives_the_same(tmp_path):
    one = ec.loads("dataset: {name: chart, subset: sentiment, limit: 9}\nmodel: {backend: synthetic}\n")
    ran = run(one.grid, one.text, one.folder("r"))
    from datetime import UTC, datetime

    from eyechart.store.store import Store

    with Store(ran.folder.store) as store:
        readings = read(one.grid, store)
    facts = describe(one.grid, ran, datetime.now(UTC))
    assert analyse(readings.observations, layout_of(facts)) == ec.open("r").analysis


def test_a_frame_has_one_row_a_score_and_no_zero_for_unknown():
    pytest.importorskip("pandas")
    one = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 30}\nmodel: {backend: synthetic, options: {failing: 0.4}}\n"
        "evaluation: {extraction: lenient}\nfactors: [{decoding.temperature: [0, 0.5]}]"
    )
    ran = run(one.grid, one.text, one.folder("r"))
    frame = ec.open(ran.folder.path).frame()
    assert len(frame) == 60
    assert set(frame["decoding.temperature"]) == {"0", "0.5"}
    assert (frame["outcome"] == "failed").sum() == frame["score"].isna().sum() == ran.failed
