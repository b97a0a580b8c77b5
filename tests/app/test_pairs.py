"""Minimal pairs: nothing is found where nothing depends, what is planted is found, and what is asked is asked twice."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.features import by_features, features_of
from eyechart.analysis.pairs import Answers, Dependence, Family, Pairs, minimal_pairs
from eyechart.app.pairs import paired_study, probe_pairs, same_answer
from eyechart.backends import gguf
from eyechart.cli.probe_pairs import pairs as command
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, Item, NotEstimable
from eyechart.report.blocks import Note, Prose, Table
from eyechart.report.messages import say
from eyechart.report.sections.pairs import features as features_section
from eyechart.report.sections.pairs import pairs as section
from eyechart.report.sections.pairs import sentence

STUDY = """
name: facts
dataset: {{name: chart, subset: facts, limit: {limit}}}
model: {{backend: synthetic, options: {{accuracy: 0.6, item_sd: 0.2, seed: {seed}, effects: [{effects}]}}}}
decoding: {{temperature: {temperature}, max_new_tokens: 8}}
evaluation: {{extraction: lenient}}
repeats: 3
"""


def study(limit: int = 60, seed: int = 0, effects: str = "", temperature: float = 0.7) -> ec.Study:
    return ec.loads(STUDY.format(limit=limit, seed=seed, effects=effects, temperature=temperature))


def answers(scores: Any, said: Any = None) -> Answers:
    scores = np.asarray(scores, dtype=float)
    return Answers(scores=scores, said=np.zeros(scores.shape, dtype=np.int64) if said is None else np.asarray(said))


def family(scores: Any, name: str = "f", touched: Any = None, said: Any = None) -> Family:
    n = len(np.asarray(scores))
    return Family(
        name=name, edit=name, answers=answers(scores, said),
        touched=np.ones(n, dtype=bool) if touched is None else np.asarray(touched),
    )  # fmt: skip


def found(base: Any, *families: Family, **more: Any) -> Pairs:
    base = np.asarray(base, dtype=float)
    return minimal_pairs([f"i{i}" for i in range(len(base))], answers(base), families, **more)


def value(number: Any) -> float:
    assert isinstance(number, Estimate)
    return number.value


# What is not known is not said to be none


@pytest.mark.parametrize(
    ("items", "repeats", "here", "not_here"),
    [
        (60, 2, ["None of 2 families", "beyond plain repeatability"], ["not known"]),
        (
            60,
            1,
            ["None of 2 families", "moves the score", "by itself is not known: asked once"],
            ["plain repeatability"],
        ),
        (1, 2, ["Whether the score moves is not known: too few", "by itself is not known: too few"], ["None of"]),
        (1, 1, ["Whether the score moves is not known: too few", "by itself is not known: asked once"], ["None of"]),
    ],
)
def test_what_could_not_be_tested_is_unknown(items: int, repeats: int, here: list[str], not_here: list[str]) -> None:
    base = np.resize([1.0, 1.0, 0.0], (items, 1)).repeat(repeats, axis=1)
    seen = found(base, family(base, "a"), family(base, "b"))
    text = say(sentence(seen), "en")
    assert all(part in text for part in here), text
    assert not any(part in text for part in not_here), text
    assert say(sentence(seen), "zh").count("不知道") == text.count("not known")


def test_a_family_without_enough_items_is_named() -> None:
    base = np.resize([1.0, 1.0, 0.0], (60, 1)).repeat(2, axis=1)
    hurt = base.copy()
    hurt[:24] = 0.0
    one = family(base, "rare", touched=np.arange(60) == 3)
    quiet, moved = (say(sentence(found(base, family(other, "a"), one)), "en") for other in (base, hurt))
    assert quiet.startswith("None of 1 families of small edits that could be tested")
    assert "The score moves with a" in moved
    for text in (quiet, moved):
        assert "Whether the score moves is not known for rare" in text
        assert "by itself is not known for rare: too few" in text


# Against naive counting


def test_shares_by_counting_pairs() -> None:
    rng = np.random.default_rng(1)
    base, edited = (rng.random((40, 3)) < 0.5).astype(float), (rng.random((40, 4)) < 0.6).astype(float)
    said = rng.integers(0, 3, (40, 4))
    (f,) = found(base, family(edited, said=said)).families
    turn = np.mean([[a != b for a, b in product(x, y)] for x, y in zip(base, edited, strict=True)])
    inside = [np.mean([[a != b for a, b in combinations(row, 2)] for row in side]) for side in (base, edited)]
    assert value(f.turn) == pytest.approx(turn)
    assert value(f.repeat) == pytest.approx(inside[0])
    assert value(f.beyond) == pytest.approx(turn - sum(inside) / 2)
    assert value(f.said) == pytest.approx(np.mean([np.mean(row != 0) for row in said]))
    assert value(f.change) == pytest.approx(edited.mean() - base.mean())


def test_the_permutation_test_by_going_through_all() -> None:
    base, edited = np.array([[1.0, 1], [1, 0], [0, 0], [1, 1]]), np.array([[0.0, 0], [0, 0], [0, 1], [1, 1]])

    def statistic(a: Any, b: Any) -> float:
        between = [np.mean([x != y for x, y in product(p, q)]) for p, q in zip(a, b, strict=True)]
        within = [float(p[0] != p[1]) + float(q[0] != q[1]) for p, q in zip(a, b, strict=True)]
        return float(np.sum(between) - np.sum(within) / 2)

    splits = list(combinations(range(4), 2))
    pooled = np.hstack([edited, base])
    every = [
        statistic([row[list(s)] for row, s in zip(pooled, way, strict=True)],
                  [np.delete(row, list(s)) for row, s in zip(pooled, way, strict=True)])
        for way in product(splits, repeat=4)
    ]  # fmt: skip
    exact = np.mean(np.array(every) >= statistic(edited, base) - 1e-9)
    (f,) = found(base, family(edited)).families
    assert f.p_beyond == pytest.approx(exact, abs=0.02)


# Simulations with known truth


def simulated(rng: np.random.Generator, shift: float, runs: int = 3, n: int = 60) -> tuple[Any, Any]:
    """Items of their own p; under the edit half of them gain `shift`, half lose it."""
    p = rng.beta(2, 2, n)[:, None]
    sign = np.where(np.arange(n) % 2, 1, -1)[:, None]
    return rng.random((n, runs)) < p, rng.random((n, runs)) < np.clip(p + sign * shift, 0, 1)


def test_where_nothing_depends_nothing_is_found_after_correction() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(60):
        truth = rng.beta(2, 2, (60, 1))
        base = rng.random((60, 3)) < truth
        made = [family(rng.random((60, 3)) < truth, name=str(k)) for k in range(3)]
        result = found(base, *made)
        alarms += any(f.moves or f.turns for f in result.families)
    assert alarms <= 8  # 3 meant; beyond 8 lies one run of 300


def test_an_edit_that_helps_as_many_as_it_hurts_moves_no_score_and_is_found() -> None:
    rng = np.random.default_rng(3)
    result = [found(*(lambda b, e: (b, family(e)))(*simulated(rng, 0.35))).families[0] for _ in range(40)]
    assert np.mean([f.turns for f in result]) >= 0.7
    assert np.mean([f.moves for f in result]) < 0.2
    assert np.mean([value(f.beyond) for f in result]) == pytest.approx(0.1, abs=0.03)  # near the squared shift


# Absence


def test_one_answer_a_prompt_says_nothing_of_repeatability() -> None:
    base = np.array([[1.0]] * 20 + [[0.0]] * 10)
    edited = base.copy()
    edited[:8] = 0
    (f,) = found(base, family(edited)).families
    assert isinstance(f.repeat, NotEstimable)
    assert f.repeat.reason == "no prompt was asked twice: plain repeatability is not known"
    assert isinstance(f.beyond, NotEstimable)
    assert (f.p_beyond, f.turns) == (None, False)
    assert f.p_change == pytest.approx(2 * 0.5**8)  # exact McNemar, 8 to 0
    assert f.moves
    assert [t.item for t in f.turned] == [f"i{i}" for i in range(8)]


def test_untouched_and_failed_items_are_not_compared() -> None:
    base = np.array([[1.0, 1]] * 30)
    edited = np.array([[0.0, 0]] * 10 + [[1.0, 1]] * 20)
    edited[5] = np.nan
    edited[6, 1] = np.nan
    (f,) = found(base, family(edited, touched=[True] * 12 + [False] * 18)).families
    assert (f.items, f.untouched, f.excluded) == (11, 18, 1)
    assert len(f.turned) == 9
    assert min(t.repeats for t in f.turned) == 1
    (g,) = found(base, family(edited, touched=[False] * 30)).families
    assert isinstance(g.change, NotEstimable)
    assert (g.p_change, g.p_beyond, g.p_change_holm, g.turned) == (None, None, None, ())


def test_items_that_hang_on_several_families() -> None:
    base = np.ones((6, 2))
    one, two = base.copy(), base.copy()
    one[[0, 1]] = 0
    two[[1, 2]] = 0
    result = found(base, family(one, "a"), family(two, "b"))
    assert result.several == (("i1", ("a", "b")),)
    clustered = found(base, family(one, "a"), clusters=["p", "p", None, None, "q", "q"]).families[0]
    assert isinstance(clustered.change, Estimate)
    assert clustered.change.n == 4


def test_every_word_is_there_in_both_languages() -> None:
    rng = np.random.default_rng(3)
    moved = family(np.zeros((60, 2)), "moves")
    base, turned = simulated(rng, 0.5, 2)
    cases = [
        found(np.ones((60, 2)), moved),
        found(base, family(turned, "turns"), family(base, "quiet")),
        found(base, family(base, "quiet"), family(base, "still")),
        found(np.ones((60, 1)), family(np.ones((60, 1)), "once"), family(np.ones((60, 1)), "idle", [False] * 60)),
        found(np.vstack([np.ones((60, 2)), base]), family(np.vstack([np.zeros((60, 2)), base]), "moves"),
              family(np.vstack([np.ones((60, 2)), turned]), "turns")),
    ]  # fmt: skip
    said = set()
    for case in cases:
        blocks = section(case, {"i0": "a question"}, ("renaming",))
        for language in ("en", "zh"):
            said |= {say(b.text, language) for b in blocks if isinstance(b, Prose | Note)}
            for shown in (b for b in blocks if isinstance(b, Table)):
                assert all(say(cell.text, language) for row in shown.rows for cell in row.cells if cell.text)
                assert all(say(column.title, language) for column in shown.columns)
    assert {text[:17] for text in said if text[0] in "TVN"} >= {
        "The score moves w",
        "Verdicts turn wit",
        "None of 2 familie",
    }


# Why so high


def test_the_score_by_a_feature_by_hand() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(1, 4, 40)
    scores = (rng.random(40) < 0.5).astype(float)
    scores[7] = np.nan
    (f,) = by_features(scores, [{"options": float(v)} for v in values])
    assert f.items == 39
    for c in f.classes:
        mine = scores[(values == c.low) & ~np.isnan(scores)]
        assert (c.low, c.items) == (c.high, len(mine))
        assert value(c.score) == pytest.approx(mine.mean())


def test_features_that_say_nothing_are_not_flagged_and_a_planted_one_is() -> None:
    rng = np.random.default_rng(6)
    alarms, hits = 0, 0
    for trial in range(25):
        told = [
            {"words": float(w), "right place": float(p)}
            for w, p in zip(rng.integers(5, 40, 80), rng.integers(1, 5, 80), strict=True)
        ]
        alarms += any(f.p_holm < 0.05 for f in by_features((rng.random(80) < 0.6).astype(float), told, seed=trial))
        chance = np.array([0.9 if one["right place"] == 1 else 0.45 for one in told])
        found = by_features((rng.random(80) < chance).astype(float), told, seed=trial)
        hits += {f.feature: f.p_holm < 0.05 for f in found}["right place"]
    assert alarms <= 5
    assert hits >= 18


def test_features_of_items() -> None:
    item = Item(id="1", fields={}, choices=("same", "the river bank", "x"), gold=("x",), gold_index=2)
    found = features_of(item, "Where is the river?")
    assert found == {
        "words": 4,
        "options": 3,
        "right place": 3,
        "right length": 0,
        "right overlap": pytest.approx(-1 / 3),
    }
    assert features_of(Item(id="2", fields={}, gold=("4",)), "2 + 2 = ?") == {"words": 2}
    assert by_features(np.ones(40), [{"words": 3.0}] * 40) == ()
    assert by_features(np.ones(9), [{"words": float(i)} for i in range(9)]) == ()
    (f,) = by_features(np.ones(90), [{"words": float(i)} for i in range(90)])
    assert ([c.items for c in f.classes], f.p) == ([30, 30, 30], 1.0)
    for language in ("en", "zh"):
        for shown in (b for b in features_section((f,)) if isinstance(b, Table)):
            assert all(say(column.title, language) for column in shown.columns)
            assert say(shown.rows[0].cells[0].text, language)
    assert isinstance(features_section(())[0], Note)


# End to end


def test_a_model_that_ignores_the_edits_depends_on_none(tmp_path: Path) -> None:
    """Negative control: the synthetic model draws anew for a changed prompt, with the same probability."""
    result = probe_pairs(study(40, seed=3), out=tmp_path / "out")
    assert result.idle == ("renaming", "indentation")
    assert {f.family for f in result.pairs.families} == {
        "spaces", "punctuation", "last_mark", "quotes", "case", "synonyms", "order",
    }  # fmt: skip
    assert not any(f.moves or f.turns for f in result.pairs.families)
    assert all(value(f.turn) > 0.1 for f in result.pairs.families if f.items > 20)  # it does turn, by itself
    assert "section" in result._repr_html_() or "<table" in result._repr_html_()


def test_a_planted_dependence_is_found_and_the_others_are_not(tmp_path: Path) -> None:
    result = probe_pairs(
        study(seed=1, effects='{when: {contains: "？"}, add: -0.45}'),
        ["punctuation", "case", "order"],
        out=tmp_path / "out",
    )
    by_name: dict[str, Dependence] = {f.family: f for f in result.pairs.families}
    assert by_name["punctuation"].moves
    assert value(by_name["punctuation"].change) < -0.25
    assert not any(by_name[name].moves or by_name[name].turns for name in ("case", "order"))


def test_greedy_prompts_are_asked_twice_and_again_nothing_is_asked(tmp_path: Path) -> None:
    made, idle = paired_study(
        ec.loads(STUDY.format(limit=12, seed=0, effects="", temperature=0).replace("repeats: 3", ""))
    )
    assert (made.spec.spec.repeats.count, made.spec.spec.repeats.greedy) == (2, 2)
    assert "renaming" in idle
    assert ec.loads(made.text).spec == made.spec
    once, _ = paired_study(study(), ["case"], repeats=1)
    assert once.spec.spec.repeats.greedy == 1
    sampled, _ = paired_study(study(12), ["case"])
    first = sampled.execute(tmp_path / "out")
    assert sampled.execute(tmp_path / "out").made == 0 < first.made


def test_an_answer_is_what_it_means() -> None:
    base = Item(id="1", fields={}, choices=("Red", "Green", "Blue"))
    moved = Item(id="1", fields={}, choices=("Blue", "Green", "Red"))
    cased = Item(id="1", fields={}, choices=("RED", "GREEN", "BLUE"))
    wide = Item(id="1", fields={}, choices=("R！", "G！", "B！"))
    labels = ("A", "B", "C")
    want = same_answer("A", base, labels, base)
    assert want == same_answer("C", moved, labels, base) == same_answer("red", moved, labels, base)
    assert want == same_answer("RED", cased, labels, base) == same_answer("R！", wide, labels, base)
    assert want != same_answer("A", moved, labels, base)
    assert same_answer("42", Item(id="2", fields={}), (), Item(id="2", fields={})) == "42"


def test_the_command(tmp_path: Path) -> None:
    Path("facts.yaml").write_text(STUDY.format(limit=30, seed=0, effects="", temperature=0.7), encoding="utf-8")
    done = CliRunner().invoke(
        command, ["facts.yaml", "--families", "case, spaces", "--features", "--report", "p.html", "--quiet"]
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("None of 2 families")
    assert "Place of the right option" in done.stdout
    assert "Why so high?" in Path("p.html").read_text("utf-8")
    assert "What each edit does to the score" in Path("p.html").read_text("utf-8")
    plain = CliRunner().invoke(command, ["facts.yaml", "--families", "case,spaces", "--json", "--quiet"])
    data = json.loads(plain.stdout)["data"]
    assert data["calls"]["made"] == 0
    assert [f["family"] for f in data["families"]] == ["case", "spaces"]
    assert -1 <= data["families"][0]["change"]["value"] <= 1
    for words, said in (
        (["facts.yaml", "--families", "cases"], "there is no family cases; did you mean case"),
        (["facts.yaml", "--families", "renaming"], "none of these edits changes anything in these items: renaming"),
        (["nothing.yaml"], "there is no such file"),
    ):
        refused = CliRunner().invoke(command, words)
        assert refused.exit_code == 2
        assert said in refused.stderr
        assert refused.stderr.count("\n") == 1
    with pytest.raises(InputError):
        paired_study(study(), ["nope"])


@pytest.mark.model
@pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed")
@pytest.mark.skipif(
    not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
)
def test_the_embedded_model_repeats_itself_and_some_verdicts_hang_on_the_case(tmp_path: Path) -> None:
    reviews = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 12}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:"}\n'
        "decoding: {max_new_tokens: 3}\nevaluation: {extraction: lenient}\n"
    )
    result = probe_pairs(reviews, ["case", "last_mark"], out=tmp_path / "out")
    assert result.ran.failed == 0
    for f in result.pairs.families:
        assert f.items == 12
        assert value(f.repeat) == 0  # greedy, asked twice: the same bits
        assert value(f.turn) == value(f.beyond) == len(f.turned) / 12
