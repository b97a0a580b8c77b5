"""Corrected rates on TriviaQA verdicts of nine exam-takers, in target and with borrowed labels; what is refused."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.analysis.judged_rates import audit_rates
from eyechart.analysis.judgements import Binary
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.corrected import Homogeneity, Powered, ppi_mean, rogan_gladen, rogan_gladen_value

Floats = NDArray[np.float64]
Trivia = dict[str, dict[str, Floats]]


@pytest.fixture(scope="module")
def trivia(shared: Path) -> Trivia:
    """Exam-taker to judge to verdicts; `HumanJudgement` among the judges; rows without a label or verdict left out."""
    with gzip.open(shared / "data" / "triviaqa_judges_V1.csv.gz", "rt", newline="") as file:
        rows = [r for r in csv.DictReader(file) if all(r[c] in ("0", "1") for c in (*IN_TARGET, "HumanJudgement"))]
    out: Trivia = {}
    for taker in dict.fromkeys(r["exam_taker"] for r in rows):
        mine = [r for r in rows if r["exam_taker"] == taker]
        columns = [c for c in mine[0] if c not in ("exam_taker", "question_id")]
        out[taker] = {c: np.array([float(r[c]) if r[c] else np.nan for r in mine]) for c in columns}
    return out


def turned(judge: Floats, said: Floats, true: Floats) -> Estimate | NotEstimable:
    right, wrong = true == 1, true == 0
    hits, refused = (int(said[right].sum()), int(right.sum())), (int((1 - said[wrong]).sum()), int(wrong.sum()))
    return rogan_gladen((int(judge.sum()), judge.size), hits, refused)


def in_target(trivia: Trivia, judge: str, draws: int) -> dict[str, tuple[float, float, float]]:
    """Mean error, coverage and width in points of PPI++, RG and labels alone, 100 of about 400 labelled."""
    rng = np.random.default_rng(0)
    seen: dict[str, list[tuple[float, float, float]]] = {"ppi": [], "rg": [], "human": []}
    for columns in trivia.values():
        keep = ~np.isnan(columns[judge])
        f, y = columns[judge][keep], columns["HumanJudgement"][keep]
        for _ in range(draws):
            order = rng.permutation(y.size)
            lab, rest = order[:100], order[100:]
            powered = ppi_mean(f[lab], y[lab], f[rest])
            alone = ppi_mean(f[lab], y[lab], f[rest], weight=0)
            assert isinstance(powered, Powered)
            assert isinstance(alone, Powered)
            for name, e in (("ppi", powered.mean), ("rg", turned(f, f[lab], y[lab])), ("human", alone.mean)):
                if isinstance(e, Estimate):
                    assert e.interval is not None
                    i, truth = e.interval, float(y.mean())
                    seen[name].append(
                        (abs(e.value - truth) * 100, float(i.low <= truth <= i.high), (i.high - i.low) * 100)
                    )
    return {name: tuple(np.mean(rows, axis=0).tolist()) for name, rows in seen.items() if rows}  # pyright: ignore[reportReturnType]


IN_TARGET = {
    "GPT-4": ((1.72, 0.986, 12.2), (4.41, 0.991, 24.6)),
    "Llama3-70B": ((1.85, 0.982, 12.2), (3.43, 0.978, 19.9)),
    "Contains": ((2.11, 0.978, 13.4), (4.25, 0.959, 23.9)),
    "JudgeLM": ((2.32, 0.979, 14.4), (5.44, 0.958, 29.5)),
    "EM": ((2.45, 0.979, 15.0), (6.24, 0.956, 32.4)),
}


def test_in_target_bands_in_a_tenth_of_the_draws(trivia: Trivia) -> None:
    check_in_target(trivia, 20, ("GPT-4", "EM"), slack=0.35)


@pytest.mark.slow
def test_in_target_bands(trivia: Trivia) -> None:
    check_in_target(trivia, 200, tuple(IN_TARGET), slack=0.15)


def check_in_target(trivia: Trivia, draws: int, judges: tuple[str, ...], slack: float) -> None:
    """Widths of PPI++ are up to .8 points above the published z intervals: two errors are added where few were seen.

    Draws whose Youden's J may be .05 or less are refused here and were counted there, so that the error of
    Rogan-Gladen is smaller; the published one is not to be reached with them left out.
    """
    for judge in judges:
        found, ((error, _, width), (rg_error, _, _)) = in_target(trivia, judge, draws), IN_TARGET[judge]
        assert found["ppi"][0] == pytest.approx(error, abs=slack)
        assert found["ppi"][1] >= 0.96
        assert width - 0.2 <= found["ppi"][2] <= width + 0.8
        assert found["human"][0] == pytest.approx(3.0, abs=slack)
        assert found["human"][2] == pytest.approx(17.3, abs=0.3)
        assert found["rg"][0] < rg_error
        assert found["rg"][1] >= 0.95
        assert found["ppi"][0] < found["human"][0]


SHARED = {
    "GPT-4": ((1.5, 4.0), (3.4, 6.5), (1.0, 2.8)),
    "Llama3-70B": ((4.8, 12.0), (3.5, 6.3), (2.2, 8.1)),
    "Contains": ((14.7, 21.3), (3.5, 7.7), (2.9, 7.4)),
    "JudgeLM": ((16.1, 24.0), (6.1, 19.2), (4.5, 8.9)),
    "EM": ((29.1, 56.2), (23.5, 56.1), (13.0, 30.5)),
    "Gemma-2B": ((13.4, 43.8), (25.7, 56.5), (14.7, 37.2)),
}


@pytest.mark.parametrize("judge", list(SHARED))
def test_labels_of_the_other_eight_exam_takers_mislead(trivia: Trivia, judge: str) -> None:
    errors: list[tuple[float, float, float]] = []
    for taker, columns in trivia.items():
        f, y = columns[judge], columns["HumanJudgement"]
        others = [c for name, c in trivia.items() if name != taker]
        said, true = (np.concatenate([c[k] for c in others]) for k in (judge, "HumanJudgement"))
        e, plain = turned(f, said, true), ppi_mean(said, true, f, weight=1)
        assert isinstance(e, Estimate)
        assert isinstance(plain, Powered)
        errors.append(tuple(abs(100 * (v - y.mean())) for v in (f.mean(), e.value, plain.mean.value)))  # pyright: ignore[reportArgumentType]
    for column, (mean, worst) in zip(np.array(errors).T, SHARED[judge], strict=True):
        assert column.mean() == pytest.approx(mean, abs=0.051)
        assert column.max() == pytest.approx(worst, abs=0.051)


def together(trivia: Trivia, judge: str, labelled: float, skip: str = "") -> Binary:
    rng = np.random.default_rng(1)
    f, y = (np.concatenate([c[k] for c in trivia.values()]) for k in (judge, "HumanJudgement"))
    takers = tuple(name for name, c in trivia.items() for _ in c[judge])
    asked = (rng.random(y.size) < labelled) & np.array([t != skip for t in takers])
    items = tuple(map(str, range(y.size)))
    return Binary(source="t", items=items, judge=f, human=np.where(asked, y, np.nan), targets=takers)


def test_each_target_by_its_own_labels_and_error_rates_that_differ(trivia: Trivia) -> None:
    audit = audit_rates(together(trivia, "Llama3-70B", 0.25))
    assert audit.overall.basis == "ppi"
    assert len(audit.targets) == 9
    covered = 0
    for target in audit.targets:
        assert target.basis == "ppi"
        assert isinstance(target.ppi, Estimate)
        i, truth = target.ppi.interval, float(trivia[target.target]["HumanJudgement"].mean())
        covered += i is not None and i.low <= truth <= i.high
    assert covered >= 8
    full = audit_rates(together(trivia, "EM", 1.1)).homogeneity
    assert isinstance(full, Homogeneity)
    assert full.p < 1e-6


def test_a_target_without_labels_borrows_aloud_and_is_refused_ppi(trivia: Trivia) -> None:
    audit = audit_rates(together(trivia, "GPT-4", 0.25, skip="gpt-4t"))
    alone = next(t for t in audit.targets if t.target == "gpt-4t")
    assert isinstance(alone.ppi, NotEstimable)
    # Those who answered otherwise are judged otherwise: the errors on others do not hold here either.
    assert alone.basis == "none"
    assert isinstance(alone.rogan_gladen, NotEstimable)
    assert "errs otherwise on other targets" in alone.rogan_gladen.reason
    assert any("calibration borrowed" in w for w in alone.warnings)
    assert isinstance(audit.overall.ppi, NotEstimable)
    assert "gpt-4t" in audit.overall.ppi.reason


def test_a_slice_picked_by_the_verdict_is_refused(trivia: Trivia) -> None:
    binary = together(trivia, "GPT-4", 1.1)
    picked = np.where((binary.judge == 0) & (np.arange(binary.judge.size) % 3 == 0), binary.human, np.nan)
    picked[:300] = binary.human[:300]
    found = audit_rates(Binary(source="t", items=binary.items, judge=binary.judge, human=picked)).overall
    assert isinstance(found.ppi, NotEstimable)
    assert "no random slice" in found.ppi.reason
    assert found.basis == "rogan_gladen"


def test_unreadable_verdicts_are_in_no_rate_and_a_constant_judge_gives_no_nan() -> None:
    judge = np.array([1.0] * 50 + [np.nan] * 10)
    human = np.array([1.0, 0.0] * 10 + [np.nan] * 40)
    found = audit_rates(Binary(source="t", items=tuple(map(str, range(60))), judge=judge, human=human)).overall
    assert (found.n, found.unreadable, found.weight) == (50, 10, 0.0)
    assert isinstance(found.ppi, Estimate)
    assert found.ppi.value == 0.5
    assert isinstance(found.rogan_gladen, NotEstimable)
    assert any("10 verdicts could not be read" in w for w in found.warnings)
    assert rogan_gladen_value(0.7, sensitivity=0.9, specificity=0.8) == pytest.approx(5 / 7)
