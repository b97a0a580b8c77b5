"""`eyechart difficulty` from end to end: measured, stored, drawn by, shown; rules compared over draws."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.difficulty import Difficulty, bucketed
from eyechart.analysis.draws import Draw, Draws, compare_draws
from eyechart.app.difficulty import asked, measure
from eyechart.backends import gguf
from eyechart.cli import main
from eyechart.core.effective import effective
from eyechart.core.errors import InputError
from eyechart.core.flows import canned
from eyechart.core.records import Call, Estimate, Failure, Item, NotEstimable, Response
from eyechart.core.spec import Spec
from eyechart.report.blocks import BarsBlock, Table
from eyechart.report.messages import say
from eyechart.report.sections.difficulty import difficulty, draws, likelihood

STUDY = """
dataset: {name: chart, subset: sentiment, limit: 30}
model: {backend: synthetic, options: {accuracy: 0.6, item_sd: 0.3}}
prompt:
  template: "Review: {{question}}\\nSentiment:"
  few_shot: {count: 3, reference: study.difficulty.json}
evaluation: {extraction: lenient}
design: {kind: factorial}
factors:
  - {prompt.few_shot.difficulty: [random, balanced]}
  - {prompt.few_shot.seed: [0, 1, 2, 3, 4, 5]}
"""


def run(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


def envelope(*words: str) -> dict[str, Any]:
    done = run(*words, "--json")
    return {**json.loads(done.stdout), "exit": done.exit_code}


def study(text: str = STUDY) -> Path:
    path = Path("study.yaml")
    path.write_text(text, encoding="utf-8")
    return path


def test_measured_drawn_by_and_compared() -> None:
    study()
    first = run("difficulty", "study.yaml", "--report", "d.html")
    assert first.exit_code == 0, first.stderr
    assert first.stdout.startswith("40 candidates: easy ")
    assert "40 calls made, 0 answered before" in first.stdout
    assert "prompt: {few_shot: {count: 3, difficulty: balanced, reference: study.difficulty.json}}" in first.stdout
    assert "Buckets of difficulty" in Path("d.html").read_text("utf-8")
    before = Path("study.difficulty.json").read_bytes()
    again = envelope("difficulty", "study.yaml")
    assert "0 calls made, 40 answered before" in again["verdict"]["text"]
    assert Path("study.difficulty.json").read_bytes() == before
    shown = envelope("difficulty", "study.difficulty.json")
    assert shown["data"]["digest"] == again["data"]["digest"]
    assert sum(b["count"] for b in shown["data"]["buckets"]) == 40

    ran = run("run", "study.yaml", "--out", "out")
    assert ran.exit_code == 0, ran.stderr
    seen = run("show", "out")
    assert "balanced shots, seed 5:" in ran.stderr
    assert "difficulty of few-shot candidates" in seen.stdout
    found = envelope("difficulty", "out")
    assert (found["exit"], found["verdict"]["code"]) == (0, "compared")
    (group,) = found["data"]["groups"]
    assert {r["rule"]: len(r["seeds"]) for r in group["rules"]} == {"random": 6, "balanced": 6}
    assert (group["items"], group["contrasts"][0]["mode"]) == (30, "fixed")
    assert "ratio" in group["contrasts"][0]["ratio"]
    told = run("difficulty", "out", "--report", "draws.md", "--language", "zh")
    assert "variance of balanced over that of random" in told.stdout or "varies" in told.stdout
    assert "各规则多次抽取的得分" in Path("draws.md").read_text("utf-8")


def test_the_shots_of_a_run_are_those_of_the_file() -> None:
    study()
    run("difficulty", "study.yaml")
    buckets = {r["id"]: r["bucket"] for r in json.loads(Path("study.difficulty.json").read_text("utf-8"))["items"]}
    questions = {i.fields["question"]: i.id for i in measure(ec.load("study.yaml")).pool}
    grid = ec.load("study.yaml").grid
    balanced = [c for c in grid.cells if dict(c.cell.levels)["prompt.few_shot.difficulty"] == "balanced"]
    assert len(balanced) == 6
    for cell in balanced:
        prompt = str(grid.asks[cell.ask].planned[0][0].call.request.prompt)
        shots = [name for question, name in questions.items() if f"Review: {question}\n" in prompt]
        assert sorted(str(buckets[name]) for name in shots) == ["easy", "hard", "middle"]


def test_a_file_that_is_stale_missing_or_not_asked_for() -> None:
    study()
    missing = run("plan", "study.yaml")
    assert missing.exit_code == 2
    assert "there is no file study.difficulty.json; `eyechart difficulty STUDY" in missing.stderr
    run("difficulty", "study.yaml")
    other = STUDY.replace("subset: sentiment", "subset: facts")
    stale = run("plan", str(study(other)))
    assert stale.exit_code == 2
    assert stale.stderr.count("\n") == 1
    assert "was measured on another pool" in stale.stderr
    none = STUDY.replace(", reference: study.difficulty.json", "")
    assert "balanced needs difficulty" in run("plan", str(study(none))).stderr
    Path("study.difficulty.json").unlink()
    unused = STUDY.replace("[random, balanced]", "[random, first]")
    plan = run("plan", str(study(unused)))
    assert plan.exit_code == 0
    assert "prompt.few_shot.reference: the shots are not chosen by difficulty" in plan.stdout


def test_another_reference_and_backends_that_show_nothing() -> None:
    study(STUDY.replace("backend: synthetic, options: {accuracy: 0.6, item_sd: 0.3}", "backend: echo"))
    refused = run("difficulty", "study.yaml")
    assert refused.exit_code == 2
    assert "not measurable here" in refused.stderr
    assert not Path("study.difficulty.json").exists()
    done = run("difficulty", "study.yaml", "--model", "backend=synthetic", "--out", "other.json")
    assert done.exit_code == 0
    assert json.loads(Path("other.json").read_text("utf-8"))["engine"]["backend"] == "synthetic"
    assert "write KEY=VALUE" in run("difficulty", "study.yaml", "--model", "synthetic").stderr
    assert (
        "--model: a model has no pat; did you mean path?" in run("difficulty", "study.yaml", "--model", "pat=x").stderr
    )
    assert "--model threads: 'two' does not fit" in run("difficulty", "study.yaml", "--model", "threads=two").stderr
    with pytest.raises(InputError, match="there is no file"):
        ec.load("study.yaml").plan()


def test_calls_that_fail_leave_a_candidate_out_and_too_many_are_said() -> None:
    study(STUDY.replace("item_sd: 0.3", "item_sd: 0.3, failing: 0.3"))
    done = run("difficulty", "study.yaml")
    rows = json.loads(Path("study.difficulty.json").read_text("utf-8"))["items"]
    lost = [r for r in rows if r["d"] is None]
    assert 3 <= len(lost) <= 25
    assert all(r["bucket"] is None and "planted failure" in r["reason"] for r in lost)
    assert f"{len(lost)} without D are never drawn by difficulty" in done.stderr
    study(STUDY.replace("item_sd: 0.3", "item_sd: 0.3, failing: 1.0"))
    assert run("difficulty", "study.yaml").exit_code == 3


def test_a_pool_of_two_kinds_is_said_and_small_p_is_not_nought() -> None:
    study("dataset: {name: chart, subset: copying}\nmodel: {backend: function, path: 'json:dumps'}\n")
    assert "not measurable here" in run("difficulty", "study.yaml").stderr
    known = bucketed([("a", "x"), ("b", "y")], [0.5, 12.0], {"measure": ["options", "text"]})
    assert known.notes[0].startswith("items with and without options have p of two kinds")
    assert say(difficulty(known, {})[3].text, "en").startswith("Items with and without options")  # type: ignore[union-attr]
    assert [likelihood(d) for d in (0.0, 12.0, 5000.0, math.inf)] == ["1.000", "6e-06", "1e-2171", "0"]


def test_what_is_asked_of_items_with_and_without_options() -> None:
    asking = effective(Spec.model_validate({"prompt": {"template": "Q: {{question}}", "cue": "\nA:"},
                                            "evaluation": {"elicit": "options"}})).asking  # fmt: skip
    pool = [
        Item(id="c", fields={"question": "one?"}, choices=("x", "y"), gold=("y",), gold_index=1),
        Item(id="o", fields={"question": "two?", "answer": "raw"}, gold=("4", "four")),
        Item(id="n", fields={"question": "three?"}),
    ]
    seen: list[Call] = []

    def answer(call: Call) -> Response | Failure:
        seen.append(call)
        if len(call.request.options) == 1:
            return Response(option_logprobs=((-2.0, -1.0),))
        return Response(option_logprobs=((-math.inf,), (-3.0,)))

    found = canned(asked(pool, asking), answer)
    assert found == [0.0, 3.0, "it has no right answer"]
    assert [(c.request.prompt, c.request.options) for c in seen] == [
        ("Q: one?\nA:", (" x", " y")),
        ("Q: two?\nA:", (" 4",)),
    ]
    chat = effective(
        Spec.model_validate({"prompt": {"chat_template": True}, "evaluation": {"elicit": "options"}})
    ).asking
    seen.clear()
    canned(asked(pool[1:2], chat), answer)
    assert seen[0].request.options == ("4",)
    assert seen[0].request.messages[0].content.startswith("Question: two?")


# Rules over draws


def planted(
    rng: np.random.Generator, spreads: dict[str, float], seeds: int, *, mode: str = "fixed", rest: str = ""
) -> list[Draw]:
    easy = rng.random(150)
    return [
        Draw(
            cell=f"{rule}-{mode}-{seed}", rule=rule, seed=seed, mode=mode, rest=rest,
            scores=(rng.random(150) < np.clip(easy + spread * rng.normal(), 0, 1)).astype(float),
        )
        for rule, spread in spreads.items() for seed in range(seeds)
    ]  # fmt: skip


def only(found: Draws | NotEstimable) -> Any:
    assert isinstance(found, Draws)
    return found.groups[0].contrasts[0]


def test_rules_that_vary_alike_are_not_told_apart() -> None:
    rng = np.random.default_rng(4)
    flagged = [only(compare_draws(planted(rng, {"balanced": 0.1, "random": 0.1}, 8))).p_holm < 0.05 for _ in range(200)]
    assert np.mean(flagged) <= 0.09


def test_a_rule_that_varies_less_is_found() -> None:
    rng = np.random.default_rng(4)
    found = [only(compare_draws(planted(rng, {"balanced": 0.0, "random": 0.25}, 12))) for _ in range(40)]
    assert np.mean([c.p_holm < 0.05 and c.ratio.ratio < 1 for c in found]) > 0.9


def test_only_equal_draws_are_compared() -> None:
    rng = np.random.default_rng(5)
    mixed = planted(rng, {"random": 0.1}, 6) + planted(rng, {"balanced": 0.1}, 6, mode="per_item")
    found = compare_draws(mixed)
    assert isinstance(found, Draws)
    assert [len(g.contrasts) for g in found.groups] == [0, 0]
    assert found.unequal == (("random", "balanced"),)
    text = " ".join(say(b.text, "en") for b in draws(found) if hasattr(b, "text"))
    assert "Not compared: random, drawn once for all items, with balanced, drawn anew for each" in text
    apart = planted(rng, {"random": 0.1}, 6, rest="a") + planted(rng, {"balanced": 0.1}, 6, rest="b")
    other = compare_draws(apart)
    assert isinstance(other, Draws)
    assert [len(g.contrasts) for g in other.groups] == [0, 0]
    assert other.unequal == ()


def test_few_draws_missing_scores_and_rules_that_draw_nothing() -> None:
    rng = np.random.default_rng(6)
    made = planted(rng, {"balanced": 0.1, "random": 0.1}, 4)
    found = only(compare_draws(made))
    assert isinstance(found.ratio, NotEstimable)
    assert found.ratio.reason == "fewer than 5 draws by both rules"
    assert isinstance(found.change, Estimate)  # of the mean score something is known
    made = planted(rng, {"balanced": 0.1, "random": 0.1}, 6)
    made[3].scores[7] = np.nan
    one = compare_draws(made)
    assert isinstance(one, Draws)
    assert (one.groups[0].items, one.groups[0].excluded) == (149, 1)
    easiest = Draw(cell="e", rule="easiest", seed=None, mode="none", rest="", scores=np.ones(150))
    assert isinstance(compare_draws([easiest]), NotEstimable)
    both = compare_draws([*made, easiest])
    assert isinstance(both, Draws)
    assert both.still == ("easiest",)


def test_every_word_is_there_in_both_languages() -> None:
    known = bucketed([(str(i), "d1:") for i in range(6)], [0.1, 0.1, math.inf, 0.1, "timeout: slow", 0.1])
    assert isinstance(known, Difficulty)
    rng = np.random.default_rng(6)
    made = planted(rng, {"balanced": 0.1, "random": 0.1}, 5) + planted(rng, {"random": 0.1}, 5, mode="per_item")
    still = Draw(cell="e", rule="easiest", seed=None, mode="none", rest="", scores=np.ones(150))
    sections = [
        difficulty(known, {"0": "a question"}),
        draws(compare_draws([*made, still])),
        draws(compare_draws([still])),
    ]
    blocks = [block for section in sections for block in section]
    assert any(isinstance(b, BarsBlock) for b in blocks)
    tables = [b for b in blocks if isinstance(b, Table)] + [b.twin for b in blocks if isinstance(b, BarsBlock)]
    for language in ("en", "zh"):
        for shown in tables:
            assert all(say(cell.text, language) for row in shown.rows for cell in row.cells)
            assert all(say(column.title, language) for column in shown.columns)
    assert "fewer" in say(blocks[1].text, "en")  # type: ignore[union-attr]


def test_failed_calls_are_not_answered_before() -> None:
    study(STUDY.replace("item_sd: 0.3", "item_sd: 0.3, failing: 0.3"))
    first, again = (envelope("difficulty", "study.yaml", "--quiet") for _ in range(2))
    failed = sum(item["d"] is None for item in first["data"]["items"])
    assert 0 < failed < 40
    assert first["data"]["calls"] == {"made": 40, "failed": failed, "stored": 0}
    assert f"; 40 calls made, {failed} of them failed, 0 answered before." in first["verdict"]["text"]
    assert again["data"]["calls"] == {"made": failed, "failed": failed, "stored": 40 - failed}
    shown = envelope("difficulty", "study.difficulty.json")
    assert shown["data"]["calls"] is None


def test_candidates_that_ask_the_same_are_one_call() -> None:
    lines = [json.dumps({"question": f"Is {n} odd?", "choices": ["yes", "no"], "answer": "yes"}) for n in range(8)]
    Path("validation.jsonl").write_text("\n".join([*lines, lines[0].replace("{", '{"id": "x", ')]), encoding="utf-8")
    Path("test.jsonl").write_text(lines[0].replace("0", "99"), encoding="utf-8")
    data = "dataset: {splits: {test: test.jsonl, validation: validation.jsonl}}"
    found = measure(ec.loads(f"{data}\nmodel: {{backend: synthetic}}\nprompt: {{few_shot: {{count: 1}}}}\n"))
    assert (len(found.difficulty.rows), found.calls, found.failed, found.stored) == (9, 8, 0, 0)


embedded = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]


class TestEmbedded:
    pytestmark = embedded

    def test_the_embedded_model_finds_the_chart_as_hard_as_it_did(self) -> None:
        found = measure(
            ec.loads(STUDY.replace("backend: synthetic, options: {accuracy: 0.6, item_sd: 0.3}", "backend: embedded"))
        )
        counts = {b.name: b.count for b in found.difficulty.buckets}
        assert found.calls == 40
        assert counts == {"easy": 22, "middle": 14, "hard": 4}
        rows = found.difficulty.rows
        assert all(r.d is not None and math.isfinite(r.d) for r in rows)
        assert rows[0].p == pytest.approx(0.64188, abs=1e-4)
        assert "<svg" in found._repr_html_() or "<table" in found._repr_html_()
