"""The probes of prompts and of decoding on the real embedded model: against plain arithmetic on what was stored, and
taken up again without a call."""

from __future__ import annotations

import json
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import rel_entr

import eyechart as ec
from eyechart.app.probe_decoding import probe_decoding
from eyechart.app.probe_prompt import probe_prompt
from eyechart.app.probing import drawn
from eyechart.backends import gguf
from eyechart.backends.embedded import Embedded
from eyechart.backends.embedded_session import Session
from eyechart.cli import main
from eyechart.stats.divergence import Divergence
from eyechart.stats.packed import unpack
from eyechart.store.store import Entry, Store

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]

STUDY = """\
dataset: {name: chart, subset: sentiment, limit: 60, seed: 1}
prompt: {template: "Review: {{question}}\\nSentiment (positive or negative):"}
decoding: {max_new_tokens: 4, seed: 1}
evaluation: {elicit: options}
"""
ITEM = "sentiment-test-062"


@pytest.fixture(scope="module", autouse=True)
def _loaded_once():
    """The model is let go after every probe; here it is kept, since loading it takes longer than all the calls."""
    sessions: dict[tuple[str, int], Session] = {}
    whole = Embedded.session

    def session(self: Embedded) -> Session:
        key = (self.dtype, self.threads)
        if key not in sessions:
            sessions[key] = whole(self)
        return sessions[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Embedded, "session", session)
        yield


@pytest.fixture
def study() -> str:
    Path("s.yaml").write_text(STUDY, encoding="utf-8")
    return "s.yaml"


def told(*words: str, code: int = 0) -> dict:
    done = CliRunner().invoke(main, ["probe", *words, "--json"])
    assert done.exit_code == code, (words, done.output, done.stderr)
    return json.loads(done.stdout.splitlines()[0])


def stored(path: Path) -> list[Entry]:
    with Store(path / "store.sqlite") as store:
        keys = [row[0] for row in store._db.execute("SELECT key FROM response")]
        return list(store.entries(keys))


def test_it_is_plain_arithmetic_on_what_was_stored_and_asks_nothing_twice(study):
    words = (
        "prompt",
        study,
        "--items",
        "3",
        "--edit",
        "fullwidth_punctuation",
        "--edit",
        "trailing_space",
        "--smallest",
        "marks",
    )
    first = told(*words)
    assert first["data"]["calls"]["made"] >= 27
    second = told(*words)
    assert second["data"]["calls"] == {"made": 0}
    assert {k: v for k, v in second["data"].items() if k != "calls"} == {
        k: v for k, v in first["data"].items() if k != "calls"
    }
    shown = {e.request.prompt: unpack(e.response.distribution).astype(float) for e in stored(Path("eyechart-probes"))
             if e.request.elicit == "next"}  # fmt: skip
    values: dict[str, list[float]] = {}
    assert len(first["data"]["pairs"]) == 6
    for pair in first["data"]["pairs"]:
        a, b = (np.exp(shown[pair[side]["prompt"]]) for side in "ab")
        a, b = a / a.sum(), b / b.sum()
        middle = (a + b) / 2
        found = pair["positions"][0]["between"]
        shannon = (rel_entr(a, middle).sum() + rel_entr(b, middle).sum()) / 2
        assert found["forward"] == pytest.approx(rel_entr(a, b).sum(), rel=1e-6, abs=1e-9)
        assert found["backward"] == pytest.approx(rel_entr(b, a).sum(), rel=1e-6, abs=1e-9)
        assert found["jensen_shannon"] == pytest.approx(shannon, rel=1e-6, abs=1e-9)
        values.setdefault(pair["change"], []).append(shannon / np.log(2))
    for family in first["data"]["families"]:
        assert family["divergence"]["value"] == pytest.approx(np.mean(values[family["change"]]), rel=1e-5)
        assert family["n"] == 3


def test_the_smallest_change_turns_the_answer_when_it_is_really_asked(study):
    found = probe_prompt(study, items=[ITEM, "sentiment-test-026"], edits=["fullwidth_punctuation"], smallest="marks")
    turned = [pair for pair in found.probe.pairs if pair.flips]
    assert turned
    answers = {e.request.prompt: e for e in stored(found.folder) if e.request.elicit == "options"}
    for pair in turned:
        entry = answers[pair.smallest.prompt]
        sums = [sum(tokens) for tokens in entry.response.option_logprobs]
        assert entry.request.options[int(np.argmax(sums))].strip() == pair.b.given.answer != pair.a.given.answer
        assert pair.smallest.minimal in ("minimum", "minimal", "1-minimal")
    picture = found._repr_html_()
    assert "<script" not in picture
    assert "smallest" in picture


def test_one_wording_and_what_its_answer_hangs_on(study):
    found = probe_prompt(study, items=[ITEM], smallest="words", attention=False)
    (alone,) = found.probe.alone
    assert alone.smallest.kind == "deletion"
    assert alone.smallest.after.answer != alone.smallest.before.answer
    assert not found.probe.pairs


def test_wordings_of_ones_own():
    texts = ("Is ice cold? Answer:", "Is ice cold? Answer:", "Is ice hot? Answer:")
    found = probe_prompt(texts=texts, options=(" Yes", " No"))
    same, other = found.probe.pairs
    assert same.positions[0].between.jensen_shannon == 0.0
    assert same.same_prompt
    assert other.positions[0].between.jensen_shannon > 0
    assert sum(o.shares[1] for o in other.options) == pytest.approx(1.0)


def test_two_builds_of_the_model_on_one_prompt(study):
    Path("low.yaml").write_text(STUDY + "model: {backend: embedded, dtype: bf16}\n", encoding="utf-8")
    found = probe_prompt(study, "low.yaml", items=[ITEM])
    (pair,) = found.probe.pairs
    between = pair.positions[0].between
    assert isinstance(between, Divergence)
    assert 0 < between.jensen_shannon < 0.02  # rounding moves it, and little
    assert not pair.same_prompt
    assert probe_prompt(study, "low.yaml", items=[ITEM]).made == 0


def test_paths_are_those_of_the_run_itself():
    text = STUDY.replace("{elicit: options}", "{extraction: lenient}")
    text = text.replace("limit: 60", "limit: 3") + "factors: [{decoding.temperature: [0, 1.0]}]\n"
    run = ec.loads(text).run("run")
    item = drawn(list(run.items), 1)[0]
    found = probe_decoding("run#c000", "run#c001")
    assert found.probe.item == item
    seen = run.observations
    with Store(run.folder.store) as store:
        for cell, walk in enumerate(found.probe.walks):
            row = next(r for r in range(len(seen)) if seen.cell[r] == cell and seen.items[seen.item[r]] == item)
            key = run.keys[int(seen.call[row])]
            assert store.answers([key])[key].text == walk.text  # bit for bit, greedy and sampled
    again = probe_decoding("run#c000", "run#c001")
    assert (again.made, again.probe) == (0, found.probe)
    assert all(step.entropy is not None for walk in found.probe.walks for step in walk.steps)


def test_seeds_part_and_long_paths_are_drawn():
    Path("s.yaml").write_text(STUDY, encoding="utf-8")
    words = ("decoding", "s.yaml", "--item", ITEM, "--set", "decoding.temperature=1.0", "--steps", "50")
    data = told(*words, "--seed", "1", "--seed", "2")["data"]
    a, b = data["walks"]
    naive = next(i for i, (x, y) in enumerate(zip(a["steps"], b["steps"], strict=False)) if x["id"] != y["id"])
    assert data["parting"] == naive
    assert a["open"] == [i for i, s in enumerate(a["steps"]) if s["candidates"][0][1] < 0.8]
    done = CliRunner().invoke(main, ["probe", *words, "--seed", "1", "--seed", "2", "--report", "d.html"])
    assert "0 calls made" in done.stdout
    assert "1–50" in done.stdout
    assert Path("d.html").read_text(encoding="utf-8").count("<svg") >= 1


def test_flipped_items_of_a_run(study):
    text = STUDY.replace("limit: 60", "limit: 6") + "factors: [{prompt.edits+: [none, fullwidth_punctuation]}]\n"
    run = ec.loads(text).run("run")
    flipped = {flip.item for flip in run.flips("c000", "c001")}
    assert flipped
    data = told("prompt", "run", "c000", "c001", "--flips", "--items", "3")["data"]
    assert {pair["item"] for pair in data["pairs"]} <= flipped
    assert len(data["pairs"]) == min(3, len(flipped))
    assert all(pair["a"]["given"]["answer"] != pair["b"]["given"]["answer"] for pair in data["pairs"])


@pytest.mark.slow
def test_the_page_about_probes_shows_what_happens():
    """Each command runs, and prints lines of the shape that is shown; digits may differ on another processor."""
    page = (Path(__file__).parents[2] / "docs" / "probes.md").read_text(encoding="utf-8")
    yaml, *_ = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    Path("probes.yaml").write_text(yaml, encoding="utf-8")
    shown = 0
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        command, *lines = block.strip().splitlines()
        done = CliRunner().invoke(main, shlex.split(command)[2:])
        assert done.exit_code == 0, (command, done.output, done.stderr)
        printed = {tuple(line.split()[:1]) for line in done.stdout.splitlines()}
        for line in lines:
            assert tuple(line.split()[:1]) in printed, (command, line)
            shown += 1
    assert shown > 40
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    assert Path("prompt.html").stat().st_size > 10_000
