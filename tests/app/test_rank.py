"""rank: models that answer by a plan, procedures that differ in known ways, a published table, the embedded model."""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.rank import Ranking, rank
from eyechart.backends import gguf
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable

MODEL = """
import zlib


def _says(prompt, share, salt):
    n = prompt.split("number ")[1].split()[0].strip("?.")
    return n if zlib.crc32(f"{salt}{n}".encode()) % 100 < share else "0"


def small(prompt):
    return _says(prompt, 55, "a")


def middle(prompt):
    return _says(prompt, 60, "b")


def large(prompt):
    return _says(prompt, 85, "c")
"""


def run(name: str, model: str, more: str = "", data: str = "q.jsonl") -> ec.Run:
    text = (
        f"dataset: {{path: {data}}}\nmodel: {{backend: function, path: 'ranked:{model}'}}\n"
        f"evaluation: {{extraction: whole, score: exact}}\n{more}"
    )
    return ec.loads(text).run(name)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, models and a run of each, made once."""
    base = tmp_path_factory.mktemp("made")
    (base / "ranked.py").write_text(MODEL, encoding="utf-8")
    rows = [{"id": f"q{n}", "question": f"Say the number {n}.", "answer": str(n)} for n in range(100, 200)]
    (base / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(base)
        patch.syspath_prepend(str(base))
        sys.modules.pop("ranked", None)
        for name in ("small", "middle", "large"):
            run(f"runs/{name}", name)
    sys.modules.pop("ranked", None)
    return base


@pytest.fixture
def models(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ranked.py", "q.jsonl"):
        shutil.copy(made / name, name)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("ranked", None)


@pytest.fixture
def three(made: Path, models: None) -> Ranking:
    shutil.copytree(made / "runs", "runs")
    return rank("runs")


def told(*words: str) -> tuple[int, dict[str, object], str]:
    done = CliRunner().invoke(main, ["rank", *words, "--json"])
    return done.exit_code, json.loads(done.stdout), done.stderr


def test_three_models_of_one_procedure(three: Ranking) -> None:
    (league,) = three.leagues
    assert {p.name: (p.low, p.high) for p in league.places} == {
        "ranked:large": (1, 1),
        "ranked:middle": (2, 3),
        "ranked:small": (2, 3),
    }
    assert [set(group) for group in league.groups] == [{"ranked:large"}, {"ranked:middle", "ranked:small"}]
    assert league.places[0].contestant == (("model.function", "ranked:large"),)
    assert dict(league.procedure)["decoding.temperature"] == "0.0"
    assert "model.backend" in dict(league.procedure)
    assert not three.apart
    assert three.fingerprint is not None
    assert three.fingerprint.startswith("r1:")
    assert all(p.fingerprints[0].startswith("e1:") for p in league.places)
    assert league.risk is None


def test_what_differs_in_the_procedure_stands_apart_by_name(three: Ranking) -> None:
    run("other/cue", "small", "prompt: {cue: 'Number:'}\n")
    run("other/half", "middle", data="q.jsonl, limit: 40")
    run("other/again", "large")
    run("other/reading", "small", "repeats: {count: 1}\n").folder  # noqa: B018  # an explicit default is no difference
    found = rank("runs", "other")
    assert found.leagues[0].places == three.leagues[0].places
    by = {Path(one.source).name: one for one in found.apart}
    assert [(d.field, d.here, d.there) for d in by["cue"].differences] == [("prompt.cue", "Number:", "Answer:")]
    assert [(d.field, d.here, d.there) for d in by["half"].differences] == [
        ("dataset.items", "40 items", "100 items (40 shared)")
    ]
    assert by["again"].differences == by["reading"].differences == ()
    code, data, _ = told("runs", "other")
    assert code == 0
    assert data["verdict"]["text"].endswith("4 runs stand apart.")  # type: ignore[index]


def test_a_stated_value_that_takes_no_effect_separates_nothing(models: None) -> None:
    run("runs/small", "small", "decoding: {do_sample: false, temperature: 0.8}\n")
    run("runs/large", "large", "decoding: {temperature: 0}\n")
    assert len(rank("runs").leagues[0].places) == 2


def test_over_set_ups_a_rule_says_what_can_be_relied_on(models: None) -> None:
    for name in ("small", "large"):
        run(f"runs/{name}", name, "factors: [{prompt.cue: ['Answer:', 'Number:', 'Say:']}]\n")
    found = rank("runs", rule="mean-sd", weight=2.0)
    (league,) = found.leagues
    assert [dict(one)["prompt.cue"] for one in league.set_ups] == ["Answer:", "Number:", "Say:"]
    assert not isinstance(league.risk, NotEstimable)
    assert league.risk is not None
    assert league.risk.rule == "mean - 2 sd"
    # The cue moves nothing here, so that what can be relied on is the score itself.
    score = league.places[0].score
    assert isinstance(score, Estimate)
    assert league.places[0].reliable == pytest.approx(score.value)
    assert league.places[0].sources[0].endswith("#c000")
    one = rank("runs/small#c001", "runs/large#c001")
    assert len(one.leagues[0].set_ups) == 1


def test_models_with_a_backend_each_are_not_ranked_and_it_is_said(models: None) -> None:
    run("runs/small", "small")
    ec.loads(
        "dataset: {path: q.jsonl}\nmodel: {backend: synthetic}\nevaluation: {extraction: whole, score: exact}\n"
    ).run("runs/synthetic")
    found = rank("runs")
    assert not found.leagues
    assert "model.backend" in found.mixed
    code, data, _ = told("runs")
    assert code == 3
    assert "cannot be told" in data["verdict"]["text"]  # type: ignore[index]
    joined = rank("runs", contestant=found.mixed)  # they are counted to the contestant
    assert len(joined.leagues[0].places) == 2
    assert "model.backend" in joined.contestant


def test_a_number_without_a_fingerprint_is_refused_unless_forced() -> None:
    Path("t.csv").write_text(
        "model,item,score\n"
        + "".join(f"{m},{i},{int(i % k > 0)}\n" for m, k in (("a", 9), ("b", 2)) for i in range(60)),
        encoding="utf-8",
    )
    code, data, said = told("t.csv")
    assert code == 2
    assert "has no fingerprint" in said
    code, data, _ = told("t.csv", "--force")
    assert code == 0
    assert data["data"]["fingerprint"] is None  # type: ignore[index]
    assert "no fingerprint" in data["data"]["fingerprint_reason"]  # type: ignore[index]
    assert [(p["name"], p["low"], p["high"]) for p in data["data"]["leagues"][0]["places"]] == [
        ("a", 1, 1),
        ("b", 2, 2),
    ]  # type: ignore[index]
    shown = CliRunner().invoke(main, ["rank", "t.csv", "--force"]).stdout
    assert shown.rstrip().endswith("no fingerprint")


def test_the_published_pair_of_models(shared: Path) -> None:
    """statsmodels: clustered, B - A = 0.0864 with p = 0.000845 over five runs."""
    found = rank(
        shared / "data" / "repeated_runs.csv", force=True,
        columns={"item": "question_id", "cluster": "cluster_id", "run": "sample"},
    )  # fmt: skip
    (pair,) = found.leagues[0].pairs
    assert isinstance(pair.comparison.change, Estimate)
    assert abs(pair.comparison.change.value) == pytest.approx(0.0864, abs=1e-4)
    assert [(p.low, p.high) for p in found.leagues[0].places] == [(1, 1), (2, 2)]


def test_imported_logs_of_one_harness_are_ranked_and_what_they_do_not_say_is_named(shared: Path) -> None:
    from eyechart.app.importing import import_logs

    import_logs(shared / "fixtures" / "evalscope", out="runs")
    import_logs(shared / "fixtures" / "lm_eval", out="others/lm")
    found = rank("runs", "others")
    assert {p.name for p in found.leagues[0].places} == {"qwen-plus", "qwen3-max"}
    assert all((p.low, p.high) == (1, 2) for p in found.leagues[0].places)
    assert any("prompt.template" in str(note) for note in found.notes)
    (other,) = found.apart
    assert "(not said)" in {d.there for d in other.differences}
    assert not any(d.field.startswith("model.name") for d in other.differences)


def test_every_face_says_the_same(three: Ranking) -> None:
    for name in ("r.html", "r.md", "r.json"):
        three.report(name)
    assert "2–3" in Path("r.md").read_text(encoding="utf-8")
    assert three.report("zh.md", language="zh").read_text(encoding="utf-8").count("名次") >= 2
    assert "<table" in three._repr_html_()
    shown = CliRunner().invoke(main, ["rank", "runs"])
    assert shown.exit_code == 0
    assert "ranked:large is better than all others." in shown.stdout
    assert "no difference is sure among: ranked:" in shown.stdout


def test_wrong_input_is_one_line(three: Ranking) -> None:
    for words, part in (
        (["nix"], "no run folder"),
        (
            ["runs", "--contestant", "model.quantisation"],
            "no field model.quantisation; did you mean model.quantization?",
        ),
        (["runs/small#c9"], "has no set-up c9"),
        (["runs", "--report", "x.pdf"], "write a name that ends"),
    ):
        done = CliRunner().invoke(main, ["rank", *words])
        assert done.exit_code == 2
        assert part in done.stderr
        assert done.stderr.count("\n") == 1
    assert CliRunner().invoke(main, ["rank", "runs/small"]).exit_code == 3
    with pytest.raises(InputError, match="name runs"):
        rank()


def test_a_damaged_run_among_others_is_said_and_left_out(three: Ranking) -> None:
    Path("runs/small/observations.npz").write_bytes(b"PK")
    found = rank("runs")
    assert {p.name for p in found.leagues[0].places} == {"ranked:large", "ranked:middle"}
    assert "is damaged" in CliRunner().invoke(main, ["rank", "runs"]).stdout
    done = CliRunner().invoke(main, ["rank", "runs/small"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


def test_a_hostile_name_never_steers_a_terminal(models: None) -> None:
    run("runs/small", "small", 'prompt: {cue: "\\x1b[31m<script>alert(1)</script>"}\n')
    run("runs/large", "large")
    shown = CliRunner().invoke(main, ["rank", "runs", "--report", "r.html"]).stdout
    assert "\x1b" not in shown
    assert "<script>alert" not in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed")
@pytest.mark.skipif(
    not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
)
def test_precision_is_the_procedure_unless_it_is_said_otherwise() -> None:
    for dtype in ("f32", "bf16"):
        ec.loads(
            "dataset: {name: chart, subset: facts, limit: 4}\nevaluation: {extraction: choice}\n"
            f"decoding: {{max_new_tokens: 2}}\nmodel: {{dtype: {dtype}}}\n"
        ).run(f"runs/{dtype}")
    found = rank("runs")
    assert not found.leagues
    assert {"model.dtype", "engine.batching"} <= {d.field for one in found.apart for d in one.differences}
    assert any(path.startswith("hardware.") for path in ec_fields("runs/f32"))
    joined = rank("runs", contestant=("model.dtype", "engine.batching"))
    assert [dict(p.contestant)["model.dtype"] for p in joined.leagues[0].places] in (["bf16", "f32"], ["f32", "bf16"])


def ec_fields(path: str) -> dict[str, str]:
    from eyechart.app.setups import runs_in, set_ups_of

    return dict(set_ups_of(runs_in([path])[0][0])[0].fields)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> str:
    """docs/rank.md, its models written and run."""
    text = (Path(__file__).parents[2] / "docs" / "rank.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (study,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    Path("bots.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("bots", None)
    for name in ("optimist", "few_words", "many_words"):
        ec.loads(study.replace("few_words", name)).run(f"runs/{name}")
    ec.loads(study.replace("Sentiment:", "Is it positive or negative?")).run("runs/asked")
    sys.modules.pop("bots", None)
    return text


def test_the_page_prints_what_it_shows(page: str) -> None:
    (shown,) = re.findall(r"```console\n\$ eyechart rank runs\n(.*?)```", page, re.DOTALL)
    printed = CliRunner().invoke(main, ["rank", "runs"]).stdout.splitlines()
    assert [line for line in shown.splitlines() if line not in printed] == []
