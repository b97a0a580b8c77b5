"""Every rule of the house: kept, broken and unknown, each seen in a real small run, a log, a study or a snapshot."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eyechart as ec
from eyechart.app import known_answers, shelf
from eyechart.app.check import check
from eyechart.app.difficulty import measure
from eyechart.app.known_answers import _copies  # pyright: ignore[reportPrivateUsage]
from eyechart.app.rules import Checked
from eyechart.core.errors import InputError
from eyechart.core.records import Outcome
from eyechart.report.messages import say
from eyechart.rules.builtin import BY_ID

ALL = ("internal", "production")
CLEAN = """
name: clean
dataset: {name: chart, subset: sentiment, split: test, limit: 12, seed: 1}
prompt:
  template: "Review: {{question}}\\n{{options}}\\nSentiment:"
  chat_template: false
  few_shot: {count: 3, source: validation, difficulty: balanced, seed: 3, reference: known.json}
decoding: {temperature: 0.7, top_p: 0.9, max_new_tokens: 16, stop: ["\\n"], seed: 5}
model: {backend: synthetic, options: {accuracy: 0.6}}
evaluation: {method: option_letter}
factors: [{decoding.temperature: [0.7, 0]}]
repeats: {count: 3, greedy: 1}
"""
BARE = """
dataset: {name: chart, subset: sentiment, limit: 8}
model: {backend: synthetic, options: {accuracy: 0.6}}
decoding: {temperature: 0.7}
prompt: {few_shot: {count: 2}}
"""
FLAT = {"model_name": "m", "decode": {"do_sample": True, "top_k": 3}, "task": {"name": "gsm8k"}}


def git(folder: Path, *words: str) -> None:
    said = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *said, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`clean/run` stands in a git checkout without changes, `bare/run` in none."""
    root = tmp_path_factory.mktemp("runs")
    clean, bare = root / "clean", root / "bare"
    for folder, text in ((clean, CLEAN), (bare, BARE)):
        folder.mkdir()
        (folder / "study.yaml").write_text(text, encoding="utf-8")
    for_pool = ec.loads(CLEAN.replace(", difficulty: balanced", "").replace(", reference: known.json", ""))
    measure(for_pool).save(clean / "known.json")
    git(clean, "init", "-q")
    git(clean, "add", "-A")
    git(clean, "commit", "-q", "-m", "a study")
    for folder in (clean, bare):
        ec.load(folder / "study.yaml").run(root / f"{folder.name}-run")
    return root


def found(given: Any, rules: tuple[str, ...] = ALL) -> dict[str, tuple[str, str]]:
    return {one.id: (one.state, say(one.evidence, "en")) for one in check(given, rules).findings}


def flat(**more: Any) -> Path:
    path = Path("flat.yaml")
    path.write_text(json.dumps({**FLAT, **more}), encoding="utf-8")
    return path


def study(text: str) -> ec.Study:
    return ec.loads(text)


def changed(run: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of a run with another `run.json`: what a forger, or an older version, might have left."""
    out = Path("changed")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(run, out)
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    change(facts)
    (out / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    return out


def test_a_clean_full_fingerprint_breaks_nothing(runs: Path) -> None:
    """The negative control: everything is stated, measured and recorded, and nothing is called broken."""
    seen = found(runs / "clean-run", ("paper", "internal"))
    stale = next(iter(shelf.own().values()), None) is None or seen["grader_certified"][1].startswith("stale")
    broken = {name for name, (state, _) in seen.items() if state == "broken"}
    assert broken <= ({"grader_certified"} if stale else set())
    assert not {name for name, (state, _) in seen.items() if state == "unknown"}
    assert seen["seed_acts"][0] == "kept"
    assert seen["shot_difficulty"][1].startswith("balanced shots, seed 3: ")
    assert seen["git_clean"][1].endswith("without changes")
    assert "0 apart, and 0 other" in seen["grader_reproducible"][1]


@pytest.mark.parametrize("name", sorted(set(BY_ID) - {"judge_calibrated", "decoding_as_deployed", "grader_certified"}))
def test_what_the_clean_run_keeps_a_snapshot_that_says_little_cannot_tell(runs: Path, name: str) -> None:
    assert found(runs / "clean-run")[name][0] == "kept"
    assert found(flat())[name][0] == "unknown"


@pytest.mark.parametrize(
    "name",
    ["split_stated", "template_stated", "top_p_stated", "max_new_tokens_stated", "stop_stated", "seed_stated",
     "shot_difficulty", "extraction_stated", "repeats", "grader_tests"],
)  # fmt: skip
def test_what_nobody_stated_is_broken_where_it_was_filled_in(runs: Path, name: str) -> None:
    assert found(runs / "bare-run")[name][0] == "broken"


def put(**values: Any) -> Callable[[dict[str, Any]], None]:
    """Dotted with `__`: `runtime__command=None`."""

    def change(facts: dict[str, Any]) -> None:
        for path, value in values.items():
            *parts, last = path.split("__")
            node: Any = facts
            for part in parts:
                node = node[int(part) if part.isdigit() else part]
            node[last] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "state", "part"),
    [
        ("command_kept", put(runtime__command=None), "broken", "no command line"),
        ("harness_version", put(runtime__packages__eyechart="0.1.dev3+g12"), "broken", "names no release"),
        ("drawn_ids", put(data__0__drawn=["a"]), "broken", "1 ids for 12 items of 120"),
        ("failures_counted", put(missing=4), "broken", "4 calls were never made"),
        ("git_clean", put(runtime__git={"commit": "abc", "dirty": True}), "broken", "in no commit"),
        ("git_clean", put(runtime__git=None), "unknown", "no commit is recorded"),
        ("git_clean", put(runtime__git={"commit": "abc"}), "unknown", "is not said"),
        ("weights_fixed", put(cells__0__stated__model={"backend": "openai", "name": "gpt"}), "broken", "a name alone"),
        ("weights_fixed", put(cells__0__stated__model={"backend": "transformers", "revision": "main"}), "broken", "tomorrow"),
        ("weights_fixed", put(cells__0__stated__model={"backend": "transformers", "revision": "a1b2c3d"}), "kept", "a1b2c3d"),
        ("hardware_stated", put(cells__0__stated__model={"backend": "openai", "name": "gpt"}), "unknown", "a server"),
        ("dataset_version", put(data__0__sha256=None, data__0__resolved="main"), "broken", "tomorrow"),
        ("decoding_as_deployed", put(), "unknown", "no deployment"),
        ("decoding_as_deployed",
         put(deployment={"decoding": {"temperature": 0.7, "top_p": 0.9, "max_new_tokens": 16, "stop": ["\n"]}}),
         "kept", "as deployed: temperature = 0.7, top_p = 0.9, max_new_tokens = 16"),
        ("decoding_as_deployed", put(deployment={"decoding": {"temperature": 1, "top_p": 0.9}}), "broken",
         "temperature: 1 / 0.7"),
        ("decoding_as_deployed", put(deployment={"decoding": {"temperature": 0.7, "min_p": 0.1}}), "unknown", "min_p"),
        ("decoding_as_deployed", put(deployment={"decoding": {"temperature": 0.7, "top_p": 0.9, "max_new_tokens": 16}}),
         "unknown", "says nothing of these: stop"),
    ],
)  # fmt: skip
def test_a_run_that_holds_something_else(
    runs: Path, name: str, change: Callable[[dict[str, Any]], None], state: str, part: str
) -> None:
    seen = found(changed(runs / "clean-run", change))[name]
    assert seen[0] == state
    assert part in seen[1]


def test_a_forged_verdict_is_found_by_reading_again(runs: Path) -> None:
    out = changed(runs / "clean-run", put())
    with np.load(out / "observations.npz") as kept:
        arrays = {name: kept[name] for name in kept.files}
    arrays["outcome"][:3] = 1 - np.minimum(arrays["outcome"][:3], 1)
    arrays["value"][:3] = 1 - arrays["value"][:3]
    np.savez(out / "observations.npz", **arrays)
    assert found(out)["grader_reproducible"] == (
        "broken", "of 48 answers, 3 get another verdict than the run holds",
    )  # fmt: skip


def test_set_ups_without_a_score_are_no_range(runs: Path) -> None:
    out = changed(runs / "clean-run", put())
    with np.load(out / "observations.npz") as kept:
        arrays = {name: kept[name] for name in kept.files}
    arrays["scored"][arrays["cell"] == 1] = False
    np.savez(out / "observations.npz", **arrays)
    assert found(out)["maximum_with_count"] == (
        "broken", "1 of 2 set-ups have a score, so the best of them is not the best of all",
    )  # fmt: skip
    assert found(out)["intervals"][0] == "broken"


def test_a_probe_beside_the_run_says_whether_the_seed_is_obeyed(runs: Path) -> None:
    out = changed(runs / "clean-run", put())
    facts = json.loads((out / "run.json").read_text("utf-8"))
    engine = {k: v for k, v in facts["engines"][0].items() if k != "digest"}
    setting = {"condition": "again", "setting": "2", "calls": 60, "other_text": 0.0}
    beside = Path("changed-determinism")
    beside.mkdir()
    kept = beside / "determinism.json"
    kept.write_text(json.dumps({"engine": engine, "settings": [setting]}), encoding="utf-8")
    assert "all 60 answers of a probe were equal" in found(out)["seed_acts"][1]
    kept.write_text(json.dumps({"engine": engine, "settings": [setting | {"other_text": 0.4}]}), encoding="utf-8")
    assert found(out)["seed_acts"] == ("broken", "asked again with one seed, 40% of 60 answers of a probe differ")
    kept.write_text(json.dumps({"engine": {"backend": "other"}, "settings": [setting]}), encoding="utf-8")
    assert "probe" not in found(out)["seed_acts"][1]


def test_repeats_that_are_all_equal_prove_nothing_and_one_tells_nothing() -> None:
    one = study(BARE).run("one")
    assert found(one.folder.path)["seed_acts"] == (
        "unknown",
        "what is sampled was asked once, so nothing can be seen of it",
    )
    sure = study(BARE.replace("0.6", "1") + "repeats: 3\n").run("sure")
    assert found(sure.folder.path)["seed_acts"][0] == "unknown"
    cold = study(BARE.replace("0.7", "0")).run("cold")
    for name in ("seed_acts", "seed_stated", "repeats", "top_p_stated"):
        assert found(cold.folder.path)[name][0] == "kept", name


def test_copies_are_found_and_independent_runs_are_not_called_copies() -> None:
    rng = np.random.default_rng(0)

    def table(runs: np.ndarray) -> list[dict[int, str]]:
        return [{k: str(v) for k, v in enumerate(row)} for row in runs]

    draws = rng.integers(0, 4, size=(40, 3))
    draws[:, 2] = draws[:, 0]
    assert _copies(table(draws)) == (0, 2)
    assert _copies(table(np.zeros((40, 3), int))) == ()  # a sure model
    assert _copies(table(draws[:, [0, 2]])) == ()  # of two, nobody can tell
    for _ in range(500):  # nearly sure models repeat themselves by chance
        sure = rng.random((30, 1)) < 0.9
        runs = np.where(sure, 0, rng.integers(0, 2, size=(30, 3)))
        assert _copies(table(runs)) == ()


STUDY = "dataset: {name: a/b%s}\nmodel: {%s}\ndecoding: {temperature: 0.5}\n%s"


@pytest.mark.parametrize(
    ("name", "text", "state"),
    [
        ("dataset_version", STUDY % (", revision: main", "backend: echo", ""), "broken"),
        ("dataset_version", STUDY % (", revision: 1a2b3c4", "backend: echo", ""), "kept"),
        ("dataset_version", STUDY % ("", "backend: echo", ""), "unknown"),
        ("few_shot_split", STUDY % (", split: dev", "backend: echo", "prompt: {few_shot: {count: 2, source: dev}}"), "broken"),
        ("few_shot_split", STUDY % ("", "backend: echo", "factors: [{prompt.few_shot.count: [0, 2]}]"), "kept"),
        ("few_shot_split", STUDY % ("", "backend: echo", ""), "kept"),
        ("shots_stated", STUDY % ("", "backend: echo", ""), "broken"),
        ("chat_template_stated", STUDY % ("", "backend: openai, api: chat, url: 'http://h/v1'", ""), "kept"),
        ("chat_template_stated", STUDY % ("", "backend: transformers", "prompt: {system: be brief}"), "kept"),
        ("chat_template_stated", STUDY % ("", "backend: transformers", ""), "broken"),
        ("precision_stated", STUDY % ("", "backend: transformers", ""), "broken"),
        ("precision_stated", STUDY % ("", "backend: transformers, dtype: bf16", ""), "kept"),
        ("seed_stated", STUDY % ("", "backend: echo", ""), "broken"),
        ("seed_stated", STUDY % ("", "backend: echo", "repeats: {seed: 3}"), "kept"),
        ("temperature_stated", "dataset: {name: a/b}", "broken"),
        ("temperature_stated", "dataset: {name: a/b}\nevaluation: {method: option_logprob}", "kept"),
        ("not_first_n", STUDY % (", limit: 9", "backend: echo", ""), "kept"),
        ("repeats", STUDY % ("", "backend: echo", "repeats: 2"), "broken"),
        ("repeats", "decoding: {temperature: 0}\nfactors: [{decoding.temperature: [0, 1]}]", "broken"),
        ("hardware_stated", STUDY % ("", "backend: echo", "runtime: {hardware: 2 x A100 80 GB}"), "kept"),
        ("hardware_stated", STUDY % ("", "backend: echo", "runtime: {hardware: GPU}"), "broken"),
        ("hardware_stated", STUDY % ("", "backend: echo", ""), "unknown"),
        ("grader_reproducible", STUDY % ("", "backend: echo", ""), "unknown"),
        ("template_stated", "judge: {mode: pairwise}", "kept"),
    ],
)  # fmt: skip
def test_a_study_is_checked_before_anything_is_opened(name: str, text: str, state: str) -> None:
    assert found(study(text))[name][0] == state


def test_what_was_not_run_is_unknown_and_its_remedy_is_to_run_it() -> None:
    for one in check(study(CLEAN.replace("known.json", "not-there.json")), ALL).findings:
        if say(one.evidence, "en") == "it was not run yet":
            assert one.remedy is not None
            assert "eyechart run" in say(one.remedy, "en")
            assert one.state == "unknown"


@pytest.mark.parametrize(
    ("name", "more", "state"),
    [
        ("intervals", {"score": {"acc": 0.7}}, "broken"),
        ("intervals", {"score": {"acc": 0.7, "acc_stderr": 0.01}}, "kept"),
        ("intervals", {"score": 0.7}, "broken"),
        ("maximum_with_count", {"score": {"best": 0.7}}, "broken"),
        ("maximum_with_count", {"score": {"best": 0.7, "runs": 20}}, "kept"),
        ("maximum_with_count", {"score": {"acc": 0.7}}, "unknown"),
        ("harness_version", {"framework_version": "lm_eval 0.4.2"}, "kept"),
        ("harness_version", {"framework_version": "main branch"}, "broken"),
        ("hardware_stated", {"hardware": "A100"}, "kept"),
        ("precision_stated", {"quantization": "AWQ"}, "kept"),
        ("few_shot_split", {"task": {"name": "g", "fewshot": 0}}, "kept"),
        ("few_shot_split", {"task": {"name": "g", "fewshot": 5}}, "unknown"),
        ("repeats", {"task": {"name": "g", "repeat_times": 1}}, "broken"),
        ("repeats", {"task": {"name": "g", "repeat_times": 5}}, "kept"),
        ("seed_stated", {"decode": {"do_sample": True, "seed": 1}}, "kept"),
        ("seed_stated", {"decode": {"do_sample": False}}, "kept"),
    ],
)
def test_a_snapshot_is_somebodys_words(name: str, more: dict[str, Any], state: str) -> None:
    assert found(flat(**more))[name][0] == state


def test_certificates_are_kept_stale_failing_or_lacking(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs / "clean-run"
    monkeypatch.setattr(shelf, "current", lambda certificate: True)
    assert found(run)["grader_certified"] == ("kept", "careful (choice)")
    monkeypatch.setattr(shelf, "current", lambda certificate: False)
    assert found(run)["grader_certified"] == ("broken", "stale or failing: careful (choice)")
    assert found(runs / "bare-run")["grader_certified"][0] == "unknown"


def test_options_that_are_scored_need_no_grader_and_no_seed() -> None:
    run = study("dataset: {name: chart, subset: sentiment, limit: 6}\nmodel: {backend: synthetic}\n"
                "evaluation: {method: option_logprob}").run("options")  # fmt: skip
    seen = found(run.folder.path)
    for name in ("grader_certified", "grader_tests", "grader_reproducible", "extraction_stated", "seed_stated",
                 "seed_acts", "temperature_stated", "top_p_stated", "stop_stated", "repeats"):  # fmt: skip
        assert seen[name][0] == "kept", name


def test_a_log_whose_ids_are_the_first_ones_is_no_sample(shared: Path) -> None:
    seen = found(shared / "fixtures" / "lm_eval", ("paper",))
    assert seen["not_first_n"] == ("broken", "10 of 5,000 items, and their ids are the first ones")
    assert seen["failures_counted"][0] == "unknown"
    assert seen["weights_fixed"] == ("kept", "model.revision = 82047f5e5d5245c1b3a4cd75ad98aa441d6487cd")
    assert seen["grader_reproducible"] == ("unknown", "the scores were made elsewhere, by a grader that is not here")
    assert "judge_calibrated" not in seen


def test_the_goal_of_a_study_chooses_the_set_and_one_rule_is_found_by_name() -> None:
    assert check(study("decoding: {temperature: 0}\npreset: ceiling")).sets == ("ceiling",)
    plain = check(study("decoding: {temperature: 0}"))
    assert plain.sets == ("internal",)
    assert isinstance(plain, Checked)
    with pytest.raises(InputError, match="did you mean seed_stated"):
        plain.of("seed_statd")
    assert plain.exit_code() == 0
    assert plain.exit_code(strict=True) == 1


def test_a_production_study_is_held_against_its_deployment_before_and_after() -> None:
    Path("deployed.json").write_text(json.dumps({"temperature": 0.7, "top_p": 0.9, "max_tokens": 64}), encoding="utf-8")
    text = (
        "preset: production\ndeployment: deployed.json\ndataset: {name: chart, subset: sentiment, limit: 6}\n"
        "model: {backend: synthetic}\nevaluation: {method: option_letter}\n"
    )
    Path("prod.yaml").write_text(text, encoding="utf-8")
    expected = ("kept", "as deployed: temperature = 0.7, top_p = 0.9, max_new_tokens = 64")
    for given in ("prod.yaml", ec.load("prod.yaml").run("prod")):
        found_ = check(given)
        assert found_.sets == ("production",)
        one = found_.of("decoding_as_deployed")
        assert (one.state, say(one.evidence, "en")) == expected


def test_runs_that_broke_off_or_failed_whole_are_checked_too() -> None:
    part = ec.loads(BARE + "repeats: 3\nbudget: {calls: 5}\n")
    part.execute("part")
    seen = found("part")
    assert seen["failures_counted"][0] == "broken"
    assert "calls were never made" in seen["failures_counted"][1]
    none = study(BARE).run("none")
    out = changed(none.folder.path, put())
    with np.load(out / "observations.npz") as kept:
        arrays = {name: kept[name] for name in kept.files}
    arrays["scored"][:] = False
    arrays["outcome"][:] = list(arrays["outcomes"]).index("failed")
    np.savez(out / "observations.npz", **arrays)
    seen = found(out)
    assert seen["intervals"][0] == "broken"
    assert seen["grader_reproducible"][0] == "unknown"
    assert seen["failures_counted"] == ("kept", "8 failed or unscored of 8, outside every score")


def test_an_empty_list_of_stop_texts_is_stated_and_a_function_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    Path("mine_ruled.py").write_text("def same(answer, gold):\n    return answer in gold\n", encoding="utf-8")
    text = BARE.replace("{temperature: 0.7}", "{temperature: 0.7, stop: []}")
    run = study(text + "evaluation: {method: function, function: 'mine_ruled:same'}\n").run("mine")
    seen = found(run.folder.path)
    assert seen["stop_stated"] == ("kept", "decoding.stop = [], stated")
    assert seen["grader_reproducible"] == ("unknown", "a function of yours scores the answers, and is not called here")


def test_one_seed_for_all_repeats_is_no_repeat(runs: Path) -> None:
    run = study(BARE.replace("0.7}", "0.7, seed_scope: fixed}") + "repeats: 3\n").run("fixed")
    assert found(run.folder.path)["seed_acts"][0] == "broken"


def test_a_reader_that_changes_its_mind_is_told(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, count = known_answers.read_response, iter(range(10**6))

    def moody(*given: Any) -> Any:
        read, score = real(*given)
        return read, replace(score, outcome=Outcome.UNPARSEABLE) if next(count) % 20 == 0 else score

    monkeypatch.setattr(known_answers, "read_response", moody)
    state, told = found(runs / "clean-run")["grader_reproducible"]
    assert state == "broken"
    assert re.fullmatch(r"of 48 answers read twice, \d got two verdicts", told)


def test_a_damaged_run_is_one_line_and_never_a_traceback(runs: Path) -> None:
    out = changed(runs / "bare-run", put())
    facts = json.loads((out / "run.json").read_text("utf-8"))
    told: list[str] = []
    for key in facts:
        for value in ({}, "x", None):
            (out / "run.json").write_text(json.dumps(facts | {key: value}), encoding="utf-8")
            try:
                check(out)
            except InputError as error:
                told.append(str(error))
    assert len(told) > 20
    assert all("\n" not in line for line in told)
