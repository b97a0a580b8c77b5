"""What is unusual and sound is no error: clusters, means over samples, cut digits, unprinted weights, bootstraps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from audited import board, broken
from simulated import exhibit

from eyechart.analysis.together import spread_of_runs
from eyechart.app.audit import audit
from eyechart.auditing.evidence import Claimed, Dossier, Scores
from eyechart.auditing.examine import examine
from eyechart.auditing.numbers import alone, of_exhibit, tolerance
from eyechart.auditing.said import Where
from eyechart.core.findings import Finding

HERE = Where("a", "a.csv")


def seen(header: str, rows: list[tuple[object, ...]]) -> list[Finding]:
    return broken(audit(board(Path("b.csv"), rows, header)), notes=True)


def weights(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.id, str(one.severity)) for one in found]


def test_clustered_errors_are_one_note_and_one_among_others_is_a_warning():
    rng = np.random.default_rng(2)
    shares = rng.uniform(0.3, 0.9, 10).round(2)
    fair = [(f"m{i}", p, round((p * (1 - p) / 500) ** 0.5, 4), 500) for i, p in enumerate(shares)]
    wide = [(m, p, round(2 * se, 4), n) for m, p, se, n in fair]
    assert weights(seen("model,accuracy,stderr,n", wide)) == [("board.rule", "note")]
    assert weights(seen("model,accuracy,stderr,n", [*fair[1:], wide[0]])) == [("se.impossible", "warning")]
    beyond = (*fair[0][:2], 0.6, 500)  # no single score varies so much
    assert weights(seen("model,accuracy,stderr,n", [*fair[1:], beyond])) == [("se.impossible", "error")]


@pytest.mark.parametrize("column", ["accuracy", "pass@1", "score"])
def test_means_over_samples_of_each_item_are_one_note_at_most(column: str):
    rng = np.random.default_rng(3)
    rows: list[tuple[object, ...]] = []
    for i in range(12):
        each = rng.binomial(16, rng.beta(2, 2, 30)) / 16
        rows.append((f"m{i}", f"{100 * each.mean():.1f}", f"{100 * each.std(ddof=1) / 30**0.5:.1f}", 30))
    assert weights(seen(f"model,{column},stderr,n", rows)) in ([], [("board.rule", "note")])
    assert column == "score" or weights(seen(f"model,{column},n", [(m, p, n) for m, p, _, n in rows])) == [
        ("board.rule", "note")
    ]


def test_one_mean_over_samples_among_shares_says_so():
    (one,) = alone(Claimed(key="accuracy", value=0.779, n=30, off=0.0005, binary=True), HERE)
    assert (one.id, one.severity) == ("claim.grim", "warning")
    assert dict(one.evidence.params)["k"] == "8"  # type: ignore[union-attr]  # 187 of 240 are 77.92; no share of 60, 90, ... 210 fits


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_a_share_that_was_cut_is_a_share(digits: int):
    step = 10.0 ** -(digits + 2)
    for n in range(1, 131):
        for right in range(n + 1):
            value = np.floor(right / n / step + 1e-9) * step
            claim = Claimed(key="acc", value=value, n=n, off=step / 2, binary=True)
            assert list(alone(claim, HERE)) == [], (n, right)


@pytest.mark.parametrize("replicates", [100, 1000])
def test_bootstraps_of_the_right_size_pass(replicates: int):
    """Over 40 boards of 100 rows: at most one with a finding, where CHANCE allows .04 of them."""
    rng = np.random.default_rng(replicates)
    alarms = 0
    for _ in range(40):
        p = rng.binomial(500, rng.uniform(0.3, 0.9, 100)) / 500
        se = (rng.binomial(500, p, (replicates, 100)) / 500).std(axis=0, ddof=1)
        claims = [Claimed(key="acc", value=a, se=b, n=500, binary=True) for a, b in zip(p, se, strict=True)]
        alarms += any(f for claim in claims for f in alone(claim, HERE, len(claims)))
    assert alarms <= 1
    assert tolerance(100) < 0.5


def test_a_model_stands_once_in_each_setting():
    for column, a, b in (("shots", 0, 5), ("precision", "fp16", "int4"), ("seed", 1, 2), ("temperature", 0.0, 0.8)):
        rows = [(m, s, v + i / 500, 500) for m, v in (("a", 0.7), ("b", 0.6)) for i, s in enumerate((a, b))]
        assert seen(f"model,{column},accuracy,n", rows) == [], column
    same = [("a", 5, 0.7, 500), ("a", 5, 0.69, 500), ("b", 5, 0.6, 500)]
    assert weights(seen("model,shots,accuracy,n", same)) == [("board.twice", "error")]
    unknown = [("a", 1.25, 0.7, 500), ("a", 3.5, 0.69, 500), ("b", 2.0, 0.6, 500)]
    assert weights(seen("model,latency,accuracy,n", unknown)) == [("board.twice", "warning")]


def test_weights_and_scales_that_are_not_printed():
    rng = np.random.default_rng(5)
    parts = rng.uniform(30, 80, (8, 4)).round(1)
    header = "model,a,b,c,d,average"

    def rows(means: np.ndarray) -> list[tuple[object, ...]]:
        return [(f"m{i}", *p, f"{m:.1f}") for i, (p, m) in enumerate(zip(parts.tolist(), means, strict=True))]

    weighed = parts @ np.array([0.7, 0.1, 0.1, 0.1])
    plain = parts.mean(axis=1)
    assert weights(seen(header, rows(weighed))) == [("board.rule", "note")]
    assert weights(seen(header, rows(plain))) == []
    assert weights(seen(header, rows(np.where(np.arange(8) == 3, weighed, plain)))) == [("board.average", "warning")]
    beyond = np.where(np.arange(8) == 3, parts.max(axis=1) + 1, plain)
    assert weights(seen(header, rows(beyond))) == [("board.average", "error")]
    of_ten = [(f"m{i}", a, a / 10, a) for i, a in enumerate((46.2, 77.3, 63.3, 36.4))]
    assert seen("model,mmlu,mt_bench,average", [(m, a, f"{b:.2f}", c) for m, a, b, c in of_ten]) == []


def clustered(seed: int, shared: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    """40 passages of 5 items, whose draws go together within a passage: sound repeats."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(40), 5)
    luck = rng.random((40, 5))[codes]
    own = rng.random((200, 5))
    return np.where(rng.random((200, 5)) < shared, luck, own) < rng.beta(2, 2, (200, 1)), codes


def test_repeats_are_tested_by_clusters():
    plain, by = 0, 0
    for seed in range(150):
        right, codes = clustered(seed)
        whole = np.ones(right.shape, dtype=np.bool_)
        first, second = (spread_of_runs(right * 1.0, whole, c) for c in (None, codes))
        assert first is not None
        assert second is not None
        plain, by = plain + (first.p_more < 0.01), by + (second.p_more < 0.01)
    assert plain >= 10  # the fault that is mended
    assert by <= 6
    right, codes = clustered(1)
    right[:, 2] = True  # one run that is another one: clusters hide it no more than items
    moved = spread_of_runs(right * 1.0, np.ones(right.shape, dtype=np.bool_), codes)
    assert moved is not None
    assert moved.p_more < 1e-3


def test_an_audit_permutes_by_cluster():
    warned = 0
    for seed in range(60):
        right, codes = clustered(seed, 0.9)
        one = exhibit("run", "m", right, np.arange(1, right.size + 1).reshape(right.shape), False, True)
        object.__setattr__(one, "clusters", codes.astype(np.int64))
        made = Dossier(name="run", file="run", kind="log", maker="sim", exhibits=(one,), model="m")
        warned += any(f.id.startswith("repeats.") for f in broken(examine([made])))
    assert warned == 0


def test_a_larger_error_beside_its_items_may_be_clustered():
    values = np.random.default_rng(0).integers(0, 2, (200, 1)).astype(float)
    mean, plain = float(values.mean()), float(values.std(ddof=1)) / 200**0.5
    for factor, severity in ((3.0, "warning"), (0.2, "error"), (30.0, "error")):
        one = exhibit("a", "m", values, np.ones((200, 1), dtype=np.int64), False, False)
        claim = Claimed(key="acc", value=mean, se=factor * plain, n=200)
        object.__setattr__(one, "scores", (Scores(name="acc", values=values, scored=values >= 0, claims=(claim,)),))
        assert weights(list(of_exhibit(one, "a", "a"))) == [("se.impossible", severity)], factor
