"""Pairwise judges: published rates on real verdicts, planted biases found, and how often one is seen where none is."""

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.analysis import judged_joint, judged_pairs
from eyechart.analysis.judged_joint import audit_pairs
from eyechart.analysis.judged_pairs import Number, PairAudit, favour_of, position_share, rates_of
from eyechart.analysis.judgements import Effect, Pairs
from eyechart.app.judge_audit import audit_table
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.data.judge_tables import read_judgements
from eyechart.stats.logistic import expit

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    return path


def value(number: Number | None) -> float:
    assert isinstance(number, Estimate), number
    return number.value


def pairwise() -> Pairs:
    ((_, judged),) = read_judgements(shared("judge_pairwise.csv")).groups
    assert isinstance(judged, Pairs)
    return judged


@dataclass(kw_only=True)
class World:
    """A judge of known biases, in log-odds, and people who vote once a pair."""

    n: int = 200
    own: float = 0.0
    length: float = 0.0
    first: float = 0.0
    gap: float = 0.5
    """By how much the answers of M1 are better."""
    votes_are_all: bool = False
    """Whether the judge sees of quality what people voted, and nothing else; else both see the same quality, each once more."""
    trouble: float = 0.04

    def draw(self, rng: np.random.Generator) -> Pairs:
        n = self.n
        who = [rng.choice(3, 2, replace=False) for _ in range(n)]
        own = np.array([float(a == 0) - float(b == 0) for a, b in who])
        lengths = np.exp(rng.normal(5.3, 0.6, (n, 2)))
        longer = np.log(lengths[:, 0] / lengths[:, 1])
        quality = 1.5 * (self.gap * own + 0.2 * longer + rng.normal(0, 1, n))
        human = np.where(rng.random(n) < expit(quality), 1.0, -1.0)
        human[rng.random(n) < 0.1] = 0.0
        seen = 0.8 * human if self.votes_are_all else quality

        def verdicts(slot: float) -> NDArray[np.float64]:
            chance = expit(seen + self.own * own + self.length * longer + slot * self.first / 2)
            out = np.where(rng.random(n) < chance, 1.0, -1.0)
            out[rng.random(n) < self.trouble] = 0.0
            out[rng.random(n) < self.trouble] = np.nan
            return out

        return Pairs(
            source="simulated",
            items=tuple(map(str, range(n))),
            ab=verdicts(1.0),
            ba=verdicts(-1.0),
            human=human,
            models=tuple((f"M{a + 1}", f"M{b + 1}") for a, b in who),
            lengths=lengths,
        )


@pytest.fixture
def without_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The joint model alone: rates with their resampled kappa would take most of the time of a simulation."""

    def nothing(*_: Any) -> None:
        return None

    monkeypatch.setattr(judged_joint, "rates_of", nothing)
    monkeypatch.setattr(judged_joint, "favour_of", nothing)


def effect(audit: PairAudit, name: str) -> Effect:
    return next(e for e in audit.effects if e.name == name)


# Published and shared numbers


def test_marginal_rates_are_those_of_the_reference() -> None:
    pairs = pairwise()
    told: dict[str, Any] = json.loads(shared("judge_reference.json").read_text())["pair"]
    rates, own = rates_of(pairs), favour_of(pairs, "M1")
    found = {
        "ties_ab": rates.ties_ab,
        "ties_ba": rates.ties_ba,
        "n_decided_both": rates.decided,
        "position_consistency_all (incl ties equal)": value(rates.consistency),
        "position_consistency_decided_both": value(rates.consistency_decided),
        "first_slot_share_decided": value(rates.first_slot),
        "primacy_count(both first)": rates.primacy,
        "recency_count(both second)": rates.recency,
        "agree_human_ab": value(rates.agreement_ab),
        "agree_human_ba": value(rates.agreement_ba),
        "agree_human_consistent_only": value(rates.agreement_consistent),
        "kappa_human_vs_consensus(3cat)": value(rates.kappa),
        "sign_test_primacy_p": rates.sign_p,
        "own_n": own.n,
        "judge_own_rate": value(own.judge),
        "human_own_rate": value(own.people),
        "EO self-pref = P(own|human own)-P(other|human other)": value(own.opportunity_gap),
    }
    assert found == pytest.approx({key: told[key] for key in found}, abs=6e-7)
    assert (rates.primacy_half, rates.recency_half) == (43, 15)
    assert value(rates.fairness) == pytest.approx(-0.14)


def test_longer_answers_leave_out_the_pair_of_equal_length() -> None:
    """The reference counts the one pair of equal lengths as if b were the longer; the definition leaves it out."""
    pairs = pairwise()
    assert pairs.lengths is not None
    equal = pairs.lengths[:, 0] == pairs.lengths[:, 1]
    assert int(equal.sum()) == 1
    rates = rates_of(pairs)
    pairs.lengths[equal, 1] += 1
    as_told = rates_of(pairs)
    assert value(as_told.longer) == pytest.approx(0.636598, abs=6e-7)
    assert value(as_told.longer_people) == pytest.approx(0.56, abs=6e-7)
    assert value(rates.longer) == pytest.approx(0.63731, abs=1e-5)
    assert isinstance(rates.longer, Estimate)
    assert rates.longer.n == 199


def test_the_joint_model_of_the_reference() -> None:
    audit = audit_pairs(pairwise(), own="M1")
    odds = {e.name: e.log_odds for e in audit.effects}
    for name, coefficient, se in (("position", 0.79, 0.2013), ("length", 1.025, 0.206), ("own_model", 0.635, 0.1807)):
        estimate = odds[name]
        assert isinstance(estimate, Estimate)
        assert estimate.value == pytest.approx(coefficient, abs=0.0006)
        assert estimate.se == pytest.approx(se, abs=0.0006)
    assert value(audit.quality) == pytest.approx(0.91, abs=0.001)
    assert all(e.p_adjusted is not None and e.p_adjusted < 0.001 for e in audit.effects)
    # Single votes do not tell favour from quality here, whatever the p: only the slot is no quality of any answer.
    assert [e.finding for e in audit.effects] == ["biased", "unsure", "unsure"]
    (won,) = audit.win_rates
    assert (won.model, won.n) == ("M1", 130)
    assert value(won.people) < value(won.raw)
    assert won.without == won.raw  # both orders even the slot out, and nothing else is shown to be bias
    assert value(won.votes) == pytest.approx(0.5557, abs=1e-4)


def test_the_own_model_need_not_be_told() -> None:
    told, found = audit_pairs(pairwise(), own="M1"), audit_pairs(pairwise())
    assert effect(found, "own_model").towards == "M1 (its own model, if the judge is M1: say --own M1)"
    assert value(effect(found, "own_model").value) == value(effect(told, "own_model").value)
    assert {e.name for e in found.effects} == {"position", "length", "own_model", "model M2", "model M3"}
    assert (effect(found, "own_model").p_adjusted or 0) > (effect(told, "own_model").p_adjusted or 1)


def test_what_votes_do_not_tell_of_the_own_model_is_said() -> None:
    """People, too, prefer M1 there, and one vote a pair is a noisy measure of quality."""
    own = effect(audit_pairs(pairwise(), own="M1"), "own_model")
    assert own.finding == "unsure"
    assert "this may be quality that people's votes miss" in own.notes[0]
    assert isinstance(own.needed, NotEstimable)


def test_llmbar_325_published_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """None counts as wrong, and None twice as the same, as published; honest rates stand beside them."""
    # Kappa is resampled, and no part of these cells.
    monkeypatch.setattr(judged_pairs, "cohen_kappa", lambda *_, **__: NotEstimable(name="kappa", reason="not asked"))
    with gzip.open(shared("llmbar_published_stats.csv.gz"), "rt") as file:
        published = {(r["subset"], r["judge"], r["strategy"]): r for r in csv.DictReader(file)}
    read = read_judgements(shared("llmbar_verdicts.csv.gz"), by=("subset", "judge", "strategy"))
    assert len(read.groups) == len(published) == 325
    for labels, pairs in read.groups:
        assert isinstance(pairs, Pairs)
        told, rates = published[labels[0][1], labels[1][1], labels[2][1]], rates_of(pairs)
        assert 100 * value(rates.accuracy) == pytest.approx(float(told["pub_accuracy_pct"]), abs=0.006)
        assert 100 * value(rates.positional) == pytest.approx(float(told["pub_positional_agreement_pct"]), abs=0.006)
        assert (value(rates.accuracy_read) > value(rates.accuracy)) == (pairs.unreadable > 0)
        if labels == (("subset", "Natural"), ("judge", "PaLM2"), ("strategy", "Vanilla_NoRules")):
            assert 100 * value(rates.accuracy) == pytest.approx(82.0)
            assert 100 * value(rates.accuracy_read) == pytest.approx(84.54, abs=0.005)


def test_falcon_is_decided_by_position() -> None:
    """Components of the ten strategies that all judges share, as published to two decimals of a per cent."""
    told = {"GPT-4": 5.16, "ChatGPT": 37.99, "LLaMA2": 10.65, "Falcon": 72.61, "ChatGPT-0301": 49.51}
    ten = {"Vanilla_NoRules", "Vanilla", "Vanilla_1shot", "Vanilla_2shot", "CoT"} | {
        "Metrics", "Reference", "Metrics_Reference", "Swap", "Swap_CoT"
    }  # fmt: skip
    families: dict[str, list[Pairs]] = {}
    for labels, pairs in read_judgements(shared("llmbar_verdicts.csv.gz"), by=("judge", "strategy")).groups:
        if labels[1][1] in ten and isinstance(pairs, Pairs):
            families.setdefault(labels[0][1], []).append(pairs)
    found = {judge: 100 * value(position_share(families[judge])) for judge in told}
    assert found == pytest.approx(told, abs=0.0051)


# Planted truth


@pytest.mark.usefixtures("without_rates")
def test_planted_effects_are_recovered_and_covered() -> None:
    rng, world = np.random.default_rng(4), World(own=0.6, length=0.9, first=0.7, gap=0.0, votes_are_all=True)
    truth = {"position": 0.7, "length": 0.9, "own_model": 0.6}
    hits, values = dict.fromkeys(truth, 0), {name: list[float]() for name in truth}
    for _ in range(120):
        audit = audit_pairs(world.draw(rng), own="M1")
        for name, planted in truth.items():
            odds = effect(audit, name).log_odds
            assert isinstance(odds, Estimate)
            assert odds.interval is not None
            hits[name] += odds.interval.low <= planted <= odds.interval.high
            values[name].append(odds.value)
    assert all(0.89 <= h / 120 <= 0.995 for h in hits.values()), hits
    assert {n: float(np.mean(v)) for n, v in values.items()} == pytest.approx(truth, abs=0.09)


def alarms(world: World, rounds: int, own: str | None, seed: int) -> float:
    rng = np.random.default_rng(seed)
    found = (audit_pairs(world.draw(rng), own=own).effects for _ in range(rounds))
    return float(np.mean([any(e.finding == "biased" for e in effects) for effects in found]))


@pytest.mark.usefixtures("without_rates")
@pytest.mark.parametrize("votes_are_all", [False, True])
def test_fair_judges_are_seldom_called_biased(votes_are_all: bool) -> None:
    """M1 is really better and longer answers too; 200 judges, so that 5 % may show as up to 9.6 % (three errors)."""
    assert alarms(World(votes_are_all=votes_are_all), 200, "M1" if votes_are_all else None, 6) <= 0.096


@pytest.mark.slow
@pytest.mark.usefixtures("without_rates")
@pytest.mark.parametrize("own", [None, "M1"])
@pytest.mark.parametrize("votes_are_all", [False, True])
def test_fair_judges_at_the_stated_rate(votes_are_all: bool, own: str | None) -> None:
    assert alarms(World(votes_are_all=votes_are_all), 1000, own, 60) <= 0.05 + 3 * 0.0069


@pytest.mark.usefixtures("without_rates")
def test_votes_taken_for_quality_would_accuse_fair_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why the votes must show it too, the other way round: without that most fair judges here would be accused."""
    monkeypatch.setattr(judged_joint, "_against", lambda *_: True)
    assert alarms(World(), 60, "M1", 6) > 0.4


@pytest.mark.usefixtures("without_rates")
def test_a_real_favour_is_still_found_beside_noisy_votes() -> None:
    rng = np.random.default_rng(12)
    world = World(n=800, own=1.2, gap=-0.7)  # worse answers that it prefers all the same
    found = [effect(audit_pairs(world.draw(rng), own="M1"), "own_model").finding for _ in range(20)]
    assert found.count("biased") >= 17


def test_marginal_rates_miss_and_invent_what_the_joint_model_tells() -> None:
    rng = np.random.default_rng(21)
    # Its own answers are worse: the plain rate is about one half, and the favour is real.
    hidden = World(n=800, own=0.5, gap=-0.7, votes_are_all=True).draw(rng)
    audit = audit_pairs(hidden, own="M1")
    assert value(favour_of(hidden, "M1").judge) < 0.55
    assert effect(audit, "own_model").finding == "biased"
    # No favour at all, but better answers: the plain rate and the equal-opportunity gap both accuse.
    fair = World(n=800, gap=0.7).draw(rng)
    gap = favour_of(fair, "M1").opportunity_gap
    assert isinstance(gap, Estimate)
    assert gap.p is not None
    assert gap.p < 0.01
    assert effect(audit_pairs(fair, own="M1"), "own_model").finding != "biased"


@pytest.mark.usefixtures("without_rates")
def test_forecast_of_pairs_needed_equals_monte_carlo() -> None:
    rng, planted = np.random.default_rng(31), 0.1
    big = World(n=4000, first=0.43, votes_are_all=True, trouble=0.02)
    position = effect(audit_pairs(big.draw(rng), own="M1", tolerance=planted), "position")
    assert value(position.value) == pytest.approx(planted, abs=0.025)
    assert isinstance(position.needed, int)
    needed = round(position.needed * (planted / value(position.value)) ** 2)
    seen = 0
    for _ in range(100):
        found = effect(
            audit_pairs(World(n=needed, first=0.43, votes_are_all=True, trouble=0.02).draw(rng), own="M1"), "position"
        )
        seen += isinstance(found.value, Estimate) and found.value.p is not None and found.value.p <= 0.05
    assert 0.68 <= seen / 100 <= 0.92


# What is missing


def test_calling_the_answers_otherwise_changes_nothing() -> None:
    pairs = World().draw(np.random.default_rng(5))
    assert pairs.human is not None
    assert pairs.models is not None
    assert pairs.lengths is not None
    other = Pairs(
        source="t", items=pairs.items, ab=-pairs.ba, ba=-pairs.ab, human=-pairs.human,
        models=tuple((b, a) for a, b in pairs.models), lengths=pairs.lengths[:, ::-1].copy(),
    )  # fmt: skip
    one, two = audit_pairs(pairs), audit_pairs(other)
    for e, f in zip(one.effects, two.effects, strict=True):
        assert value(f.value) == pytest.approx(value(e.value), abs=1e-9)
        assert (f.finding, f.needed) == (e.finding, e.needed)
    assert two.rates.first_slot == one.rates.first_slot


def flat(ab: list[float], ba: list[float], **more: Any) -> Pairs:
    return Pairs(source="t", items=tuple(map(str, range(len(ab)))), ab=np.array(ab), ba=np.array(ba), **more)


def test_a_judge_that_agrees_with_people_always_has_no_position_effect() -> None:
    human = np.array([1.0, -1.0] * 50)
    found = audit_pairs(flat(human.tolist(), human.tolist(), human=human))
    assert (effect(found, "position").finding, value(effect(found, "position").value)) == ("negligible", 0.0)
    assert isinstance(effect(found, "position").log_odds, NotEstimable)


def test_a_judge_that_always_takes_the_first_is_decided_by_position() -> None:
    found = audit_pairs(flat([1.0] * 60, [-1.0] * 60, human=np.array([1.0, -1.0] * 30)))
    assert found.by_position
    assert effect(found, "position").finding == "biased"
    assert value(effect(found, "position").value) == 1.0


def test_one_order_says_nothing_of_position() -> None:
    found = audit_pairs(flat([1.0, -1.0, 1.0] * 20, [np.nan] * 60, human=np.array([1.0, 1.0, -1.0] * 20)))
    position = effect(found, "position").value
    assert isinstance(position, NotEstimable)
    assert "one order only" in position.reason
    assert isinstance(found.rates.fairness, NotEstimable)


def test_without_people_only_position_is_clean() -> None:
    pairs = World(n=400, own=1.0, length=1.0, first=1.0).draw(np.random.default_rng(3))
    found = audit_pairs(
        Pairs(source="t", items=pairs.items, ab=pairs.ab, ba=pairs.ba, models=pairs.models, lengths=pairs.lengths)
    )
    assert [e.finding for e in found.effects[:3]] == ["biased", "unknown", "unknown"]
    assert all(isinstance(w.without, NotEstimable) for w in found.win_rates)
    assert "without people's verdicts" in found.effects[1].notes[0]
    assert isinstance(found.rates.kappa, NotEstimable)


def test_unreadable_verdicts_are_in_no_rate_and_counted() -> None:
    found = audit_pairs(flat([1.0, np.nan, -1.0, 1.0], [1.0, 1.0, np.nan, -1.0]))
    assert (found.unreadable, found.rates.unreadable_ab, found.rates.unreadable_ba) == (2, 1, 1)
    assert value(found.rates.consistency) == 0.5
    assert found.rates.consistency.n == 2


def test_a_model_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="no answer is by M4"):
        audit_pairs(pairwise(), own="M4")
    with pytest.raises(ValueError, match=r"between 0 and 1 \(as in .05\)"):
        audit_pairs(pairwise(), tolerance=5)


def test_a_table_of_several_judges_is_audited_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    rows = [f"{i},{j},{'ab'[(i + (j == 'x')) % 2]},{'ab'[i % 2]}" for i in range(40) for j in ("x", "y")]
    path.write_text("\n".join(["item_id,judge,judge_ab,judge_ba", *rows]))
    found = audit_table(path, by=("judge",))
    assert [a.labels for a in found.audits] == [(("judge", "x"),), (("judge", "y"),)]
    assert [value(a.result.rates.consistency) for a in found.audits] == [0.0, 1.0]


@given(
    st.lists(
        st.tuples(*[st.sampled_from([1.0, -1.0, 0.0, np.nan])] * 3, st.sampled_from("MNO"), st.sampled_from("MNO")),
        min_size=1,
        max_size=40,
    )
)
@settings(max_examples=25, deadline=None)
def test_few_odd_verdicts_give_a_number_or_a_reason(rows: list[tuple[float, float, float, str, str]]) -> None:
    ab, ba, human, first, second = zip(*rows, strict=True)
    lengths = np.arange(1.0, 2 * len(rows) + 1).reshape(-1, 2)
    more: dict[str, Any] = {"models": tuple(zip(first, second, strict=True)), "lengths": lengths}
    for people, own in ((np.array(human), None), (None, first[0])):
        for e in audit_pairs(flat(list(ab), list(ba), human=people, **more), own=own).effects:
            assert isinstance(e.value, NotEstimable) or np.isfinite(e.value.value)


def test_a_judge_whose_verdicts_never_turn_has_an_interval_of_position_all_the_same() -> None:
    rng = np.random.default_rng(11)
    verdicts = np.sign(rng.normal(size=120))
    human = np.where(rng.random(120) < 0.8, verdicts, -verdicts)
    found = audit_pairs(Pairs(source="t", items=tuple(map(str, range(120))), ab=verdicts, ba=verdicts, human=human))
    position = found.effects[0]
    assert isinstance(position.value, Estimate)
    assert position.value.value == 0
    assert position.value.interval is not None
    assert position.value.interval.high > 0.01  # no spread was seen, which is not certainty
    assert isinstance(position.log_odds, NotEstimable)
