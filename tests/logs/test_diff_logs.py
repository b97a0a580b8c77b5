"""diff of logs of other harnesses: what they say, what they do not, and what their hashes do not cover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from made_logs import (
    STAMP,
    gsm8k,
    inspect_json,
    inspect_sample,
    lighteval,
    lm_results,
    lm_row,
    promptfoo,
    put,
    put_lines,
)

from eyechart.analysis.differing import Told
from eyechart.analysis.differing_fields import differences
from eyechart.analysis.differing_flags import flags
from eyechart.app.diff import Diffed, diff
from eyechart.app.evaluated import evaluated
from eyechart.app.place import as_run, place
from eyechart.cli import main
from eyechart.core.errors import InputError


def lm(
    folder: Path, used: dict[str, Any] | None = None, prompt: str = "Q: {}", target: str = "", **config: Any
) -> Path:
    """A log of ten sums, of which the model gets those with an even number right."""
    rows: list[dict[str, Any]] = []
    for doc in range(10):
        right = str(2 * doc) if target != "other" or doc > 1 else "nothing"
        row = lm_row(doc, str(2 * doc if doc % 2 == 0 else 0), right, float(doc % 2 == 0 and right != "nothing"))
        sent = {"until": ["\n\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 256} | (used or {})
        row["arguments"] = {"gen_args_0": {"arg_0": prompt.format(doc), "arg_1": sent}}
        rows.append(row)
    score = sum(row["exact_match"] for row in rows) / 10
    made = lm_results("sums", {"exact_match,strict-match": score}, 10)
    made["config"] |= config
    put(folder / "m" / f"results_{STAMP}.json", made)
    put_lines(folder / "m" / f"samples_sums_{STAMP}.jsonl", rows)
    return folder


def kinds(found: Diffed) -> dict[str, str]:
    return {one.path: one.kind for one in found.differences}


def names(found: Diffed) -> set[str]:
    return {one.id for one in found.flags}


def test_a_log_does_not_differ_from_itself(tmp_path: Path) -> None:
    log = str(lm(tmp_path / "a"))
    found = diff(log, log)
    assert found.differences == ()
    assert found.flags == ()
    assert found.items is None


def test_a_setting_that_the_hash_of_the_harness_does_not_cover(tmp_path: Path) -> None:
    found = diff(str(lm(tmp_path / "a")), str(lm(tmp_path / "b", {"until": ["\n\n", "Q:"]})))
    assert kinds(found)["decoding.stop"] == "scores"
    assert "blind_hash" in names(found)


def test_arguments_as_a_text_and_as_a_mapping_are_the_same(tmp_path: Path) -> None:
    found = diff(
        str(lm(tmp_path / "a", model_args="pretrained=org/small,dtype=float16")),
        str(lm(tmp_path / "b", model_args={"dtype": "float16", "pretrained": "org/small"})),
    )
    assert found.differences == ()


def test_one_model_name_and_two_revisions_are_two_models(tmp_path: Path) -> None:
    found = diff(str(lm(tmp_path / "a")), str(lm(tmp_path / "b", model_sha="fff")))
    assert kinds(found) == {"model.revision": "scores"}
    nameless = diff(str(lm(tmp_path / "c", model_sha=None)), str(lm(tmp_path / "d", model_sha=None)))
    assert kinds(nameless) == {"model.sha256": "may"}


def test_what_a_log_does_not_say_may_differ_and_is_listed_as_unknown(tmp_path: Path) -> None:
    found = diff(str(lm(tmp_path / "a")), str(lm(tmp_path / "b", model_dtype=None)))
    assert kinds(found) == {"model.dtype": "may"}
    listed = {one.path: one for one in found.unset}
    assert (listed["model.dtype"].a.by, listed["model.dtype"].b.by) == ("log", "unknown")
    assert listed["model.quantization"].a.by == listed["model.quantization"].b.by == "unknown"


def test_greedy_by_either_name_is_the_same(tmp_path: Path) -> None:
    found = diff(
        str(lm(tmp_path / "a", {"do_sample": False, "temperature": 0.8})),
        str(lm(tmp_path / "b", {"do_sample": False, "temperature": 0.0})),
    )
    assert kinds(found) == {"decoding.temperature": "inert"}
    sampled = diff(str(lm(tmp_path / "c", {"do_sample": True, "temperature": 0.8})), str(tmp_path / "b"))
    assert kinds(sampled)["decoding.temperature"] == "scores"


def test_seeds_do_nothing_at_temperature_0_and_other_verdicts_under_them_are_a_finding(tmp_path: Path) -> None:
    a, b = lm(tmp_path / "a", torch_seed=1), lm(tmp_path / "b", torch_seed=2)
    found = diff(str(a), str(b))
    assert kinds(found) == {"lm_eval.config.torch_seed": "inert"}
    assert found.flags == ()
    path = next(b.glob("m/samples*"))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[1] |= {"resps": [["2"]], "filtered_resps": ["2"], "exact_match": 1.0}
    put_lines(path, rows)
    assert "nondeterminism" in names(diff(str(a), str(tmp_path / "b")))


def test_the_seed_of_shots_does_nothing_where_there_are_none() -> None:
    a, b = (
        Told(
            name=name, form="log", effective={"prompt.few_shot.count": 0}, further={"lm_eval.config.fewshot_seed": seed}
        )
        for name, seed in (("a", 1), ("b", 2))
    )
    assert [(d.path, d.kind) for d in differences(a, b)] == [("lm_eval.config.fewshot_seed", "inert")]


def test_a_doubled_bos_is_seen_in_what_was_sent(tmp_path: Path) -> None:
    text = "pretrained=org/small,add_bos_token=True"
    for at, args in enumerate(({"pretrained": "org/small", "add_bos_token": True}, text)):
        a = lm(tmp_path / f"a{at}", prompt="<|begin_of_text|>Q: {}", model_args=args)
        found = diff(str(a), str(lm(tmp_path / f"b{at}", model_args=args)))
        (flag,) = [one for one in found.flags if one.id == "double_bos"]
        assert (flag.subject, flag.state) == (str(a), "broken")
    off = lm(tmp_path / "off", prompt="<s>Q: {}", model_args={"pretrained": "org/small", "add_bos_token": False})
    assert "double_bos" not in names(diff(str(off), str(tmp_path / "b0")))


def test_a_dirty_revision_and_replayed_answers_are_said(tmp_path: Path) -> None:
    samples = [inspect_sample(n, "C") for n in range(4)]
    clean = inspect_json(tmp_path / "a.json", samples, 1.0)
    log = json.loads(clean.read_text(encoding="utf-8"))
    log["eval"]["revision"] = {"type": "git", "commit": "abc", "dirty": True}
    dirty = put(tmp_path / "b.json", log)
    found = diff(str(clean), str(dirty))
    assert {(one.id, one.subject) for one in found.flags} == {("dirty", str(dirty))}
    log = json.loads(promptfoo(tmp_path / "p.json").read_text(encoding="utf-8"))
    for row in log["results"]["results"][:8]:  # the second answer of each is the first one again
        row["response"] |= {"output": "City 1", "cached": row["testIdx"] % 2 == 1}
    replayed = put(tmp_path / "q.json", log)
    found = diff(str(tmp_path / "p.json"), str(replayed))
    assert {(one.id, one.subject) for one in found.flags} == {("cached", str(replayed))}


def test_hashes_that_are_filled_from_nothing_are_no_evidence() -> None:
    a, b = (Told(name=n, form="log", further={"lighteval.hashes.hash_full_prompts": "ef46"}) for n in "ab")
    assert [one.id for one in flags(a, b, ())] == ["dead_hash"]


@pytest.mark.parametrize(("chance", "seen"), [(0.30, True), (0.25, False), (None, False)])
def test_a_rescaled_score_is_seen_where_chance_is_known(chance: float | None, seen: bool) -> None:
    # A public leaderboard shows 0.5593 for a raw accuracy of 0.6915: above a chance of 0.30.
    a = Told(name="a", form="log", claims={"acc": 0.5593}, chance=chance)
    b = Told(name="b", form="log", claims={"acc": 0.6915})
    assert [one.id for one in flags(a, b, ())] == (["transform"] if seen else [])
    assert [one.id for one in flags(b, a, ())] == (["transform"] if seen else [])


def test_another_answer_key_of_a_log_is_read_again_by_the_careful_grader(tmp_path: Path) -> None:
    found = diff(str(lm(tmp_path / "a")), str(lm(tmp_path / "b", target="other")))
    assert found.items is not None
    assert [(c.item, c.what) for c in found.items.changes] == [("0", "relabelled"), ("1", "relabelled")]
    of_a, of_b = found.items.effects
    assert of_a.careful
    assert of_b.careful
    # The model gets 0, 2, 4, 6 and 8 right; under the other key 0 is wrong.
    assert (of_a.own, of_a.other) == (pytest.approx(0.5), pytest.approx(0.4))
    assert (of_b.own, of_b.other) == (pytest.approx(0.4), pytest.approx(0.5))


def test_a_log_beside_a_fingerprint_and_beside_another_harness(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    Path("s.yaml").write_text("dataset: {name: chart, limit: 5}\nmodel: {backend: synthetic}\n", encoding="utf-8")
    log = str(lm(tmp_path / "a"))
    found = diff(log, "s.yaml")
    assert kinds(found)["dataset.items"] == "scores"
    assert kinds(found)["decoding.temperature"] == kinds(found)["decoding.do_sample"] == "inert", "greedy in both"
    other = diff(log, str(lighteval(tmp_path / "l")))
    assert kinds(other)["evaluation.framework"] == "may"


def test_a_log_stands_where_a_run_is_wanted(tmp_path: Path) -> None:
    log = str(lm(tmp_path / "a"))
    runner = CliRunner()
    for words in (["show", log], ["summarize", log], ["reread", log], ["flips", log, log], ["doctor", log],
                  ["report", log, "--out", "r.md"]):  # fmt: skip
        done = runner.invoke(main, words)
        assert done.exit_code in (0, 3), (words, done.output, done.stderr)
    done = runner.invoke(main, ["compare", log, str(lm(tmp_path / "b", target="other"))])
    assert done.exit_code == 0
    assert "eyechart-log" not in done.output
    done = runner.invoke(main, ["report", log])
    assert (done.exit_code, "--out" in done.stderr) == (2, True)
    assert sorted(p.name for p in Path(log).rglob("*") if p.is_file()) == [
        f"results_{STAMP}.json",
        f"samples_sums_{STAMP}.jsonl",
    ]


def test_a_log_of_several_runs_is_one_line_that_names_them(tmp_path: Path) -> None:
    lm(tmp_path / "all" / "a")
    gsm8k(tmp_path / "all" / "b")
    with pytest.raises(
        InputError, match=r"holds 2 runs: sums-small, gsm8k-small; name one, e.g. .*#sums-small"
    ) as error:
        place(str(tmp_path / "all"))
    assert "\n" not in str(error.value)
    named = evaluated(f"{tmp_path / 'all'}#gsm8k-small")
    assert named.run is not None
    assert len(named.run.items) == 20
    assert evaluated(f"{tmp_path / 'all' / 'b'}#c001").cell == 1
    with pytest.raises(InputError, match="holds no run gsm; "):
        place(f"{tmp_path / 'all'}#gsm")


def test_what_is_no_log_is_left_as_it_is(tmp_path: Path) -> None:
    table = put_lines(tmp_path / "scores.jsonl", [{"item": "1", "score": 1}, {"item": "2", "score": 0}])
    assert as_run(table) == str(table)
    assert as_run("-") == "-"
    assert CliRunner().invoke(main, ["summarize", str(table)]).exit_code == 0


def test_real_logs(shared: Path) -> None:
    logs = shared / "fixtures"
    found = diff(logs / "evalscope" / "qwen-plus", logs / "evalscope" / "qwen3-max")
    assert {path for path, kind in kinds(found).items() if kind == "scores"} == {"model.name"}
    assert {kind for path, kind in kinds(found).items() if path != "model.name"} == {"provenance"}
    helm = diff(logs / "helm" / "hellaswag-pythia-1b", f"{logs / 'helm' / 'hellaswag-pythia-1b'}#c002")
    assert {path for path, kind in kinds(helm).items() if kind == "scores"} == {"evaluation.score"}
    for a in (logs / "lm_eval", logs / "inspect" / "popularity.json", logs / "helm" / "hellaswag-pythia-1b"):
        for b in (logs / "inspect" / "log_formats.eval", logs / "inspect" / "pubmedqa.json"):
            one, other = diff(a, b), diff(b, a)
            assert one.counts == other.counts
            assert one.of("scores")
    assert not list(logs.rglob("run.json"))


def test_logs_stand_where_rank_and_history_take_runs(tmp_path: Path) -> None:
    a, b = (str(lm(tmp_path / name, model=name)) for name in "ab")
    for command in ("rank", "history"):
        done = CliRunner().invoke(main, [command, a, b, "--json", *(["--order", "given"] * (command == "history"))])
        assert done.exit_code in (0, 3), done.output
        assert a in done.stdout
        assert b in done.stdout
    done = CliRunner().invoke(main, ["rank", str(tmp_path / "nothing")])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "no run folder, log or RUN#cell" in done.stderr
