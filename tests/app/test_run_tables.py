"""A run is a table: summarised, compared and divided in the same words as scores from anywhere."""

from pathlib import Path

import numpy as np
import pytest

import eyechart as ec
from eyechart.core.records import NotEstimable

STUDY = """
name: {name}
dataset: {{name: chart, subset: sentiment, limit: 80, seed: 1}}
model: {{backend: synthetic, options: {{accuracy: {accuracy}}}}}
decoding: {{temperature: 0.7}}
evaluation: {{extraction: lenient}}
repeats: {{count: 3}}
design: factorial
factors:
  - {{decoding.temperature: [0.3, 0.7]}}
  - {{evaluation.extraction: [lenient, first_word]}}
"""


def finished(folder: Path, name: str, accuracy: float) -> ec.Run:
    study = ec.loads(STUDY.format(name=name, accuracy=accuracy))
    return study.run(folder / name)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[ec.Run, ec.Run]:
    folder = tmp_path_factory.mktemp("runs")
    return finished(folder, "worse", 0.6), finished(folder, "better", 0.9)


def test_a_run_and_its_frame_say_the_same(runs: tuple[ec.Run, ec.Run]) -> None:
    found = runs[0].table().summarize("cell")
    by_cell = {s.cell: s for s in runs[0].scores()}
    for group in found.groups:
        cell = by_cell[group.name]
        assert group.new_items == cell.new_items or group.score == pytest.approx(getattr(cell.new_items, "value", None))
    assert found.fingerprint == runs[0].facts["digests"]["study"]


def test_two_runs_are_compared_item_by_item(runs: tuple[ec.Run, ec.Run]) -> None:
    found = runs[0].compare(runs[1])
    pair = found.comparisons.pairs[0]
    assert pair.verdict == "b is better"
    assert found.items == 80
    assert found.over is not None
    assert len(found.over.set_ups) == 4
    _, _, beats = found.over.beats[0]
    assert not isinstance(beats, NotEstimable)
    assert beats.share == 0.0
    with pytest.raises(ec.InputError, match="says nothing"):
        runs[0].compare(runs[0])


def test_shares_of_a_run_use_its_factors(runs: tuple[ec.Run, ec.Run]) -> None:
    found = runs[0].shares()
    assert set(found.factors) == {"decoding.temperature", "evaluation.extraction"}
    assert found.design == "factorial"
    assert runs[0].analysis.attribution is not None
    assert np.isclose(found.high, max(g.score for g in runs[0].table().summarize("cell").groups))


def test_levels_of_a_factor_over_the_others(runs: tuple[ec.Run, ec.Run]) -> None:
    found = runs[0].table().compare("temperature", over=("extraction",))
    heat = next(e for e in runs[0].heatmap() if e.factor == "decoding.temperature" and not e.baseline)
    change = found.comparisons.pairs[0].comparison.change
    assert not isinstance(change, NotEstimable)
    assert not isinstance(heat.change, NotEstimable)
    assert abs(change.value) == pytest.approx(abs(heat.change.value))
    assert change.se == pytest.approx(heat.change.se)
