"""The probe as a user has it: every pass really asked, as its name says, kept, and gone on with."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.probe_determinism import probe_determinism
from eyechart.app.probe_passes import Occasion, ordered
from eyechart.app.probe_trials import trials, wanted
from eyechart.backends import gguf
from eyechart.backends.openai import open_backend as open_openai
from eyechart.cli.probe_determinism import determinism as command
from eyechart.core.errors import InputError, Stopped
from eyechart.core.plugins import BACKENDS
from eyechart.core.records import Capabilities, Engine, Failure, Response
from eyechart.core.spec import Model

HAS_MODEL = find_spec("openvino_genai") is not None and gguf.target(gguf.CATALOGUE[0]).exists()
ABLE = Capabilities(generate=True, seeds=True)
STUDY = """
dataset: {name: chart, subset: sentiment, limit: 12}
model: {backend: recording}
decoding: {max_new_tokens: 4}
evaluation: {extraction: lenient}
"""


@dataclass(kw_only=True)
class Recording:
    """Answers `positive` to all, unless it is told otherwise; keeps what it was asked."""

    log: list
    threads: int = 2
    batch: int = 5
    concurrency: int = 1
    broken: set = field(default_factory=set)
    moods: dict = field(default_factory=dict)
    capabilities: Capabilities = ABLE

    def engine(self):
        return Engine(backend="recording", facts=(("threads", self.threads),))

    def facts(self):
        return {}

    async def ask(self, calls):
        self.log.append((self.threads, tuple(c.request.prompt for c in calls)))
        await asyncio.sleep(0)
        out = []
        for _ in calls:
            if len(self.log) in self.broken:
                out.append(Failure(kind="server_error", reason="planted"))
            else:
                text = self.moods.get(self.threads, "positive")
                out.append(Response(text=text, finish_reason="stop", served_model="r"))
        return out

    async def close(self):
        self.log.append("closed")


@pytest.fixture
def log(monkeypatch):
    seen: list = []
    made: list[Recording] = []

    def open_backend(model):
        options = dict(model.options or {})
        moods = {int(k): v for k, v in options.get("moods", {}).items()}
        made.append(
            Recording(
                log=seen, threads=model.threads or 2, moods=moods, broken=set(options.get("broken", ())),
                concurrency=options.get("concurrency", 1),
            )
        )  # fmt: skip
        return made[-1]

    monkeypatch.setitem(BACKENDS._things, "recording", open_backend)
    return seen


def asked(log):
    """The `ask`s, without what was closed."""
    return [one for one in log if one != "closed"]


def test_every_pass_is_asked_and_as_its_name_says(log):
    study = ec.loads(STUDY)
    conditions = dict.fromkeys(("again", "batch", "threads", "order"), ())
    found = probe_determinism(study, "out", conditions=conditions, repeats=2)
    assert found.calls == 8 * 12  # stated, 2 x again, batches of 1 and 7, 1 thread, 2 orders
    asks = asked(log)
    sizes = [len(prompts) for _, prompts in asks]
    assert sizes[:9] == [5, 5, 2] * 3
    assert sizes[9:21] == [1] * 12
    assert sizes[21:23] == [7, 5]
    given = [p for _, prompts in asks[:3] for p in prompts]
    assert [p for _, prompts in asks[3:6] for p in prompts] == given
    one_thread = asks[23:26]
    assert {threads for threads, _ in one_thread} == {1}
    assert {threads for threads, _ in asks[:23]} == {2}
    backwards = [p for _, prompts in asks[26:29] for p in prompts]
    assert backwards == given[::-1]
    shuffled = [p for _, prompts in asks[29:32] for p in prompts]
    assert shuffled == [given[i] for i in ordered(12, "shuffled")]
    assert sorted(shuffled) == sorted(given)
    assert shuffled != given
    seen = {(m.condition, m.setting): m.seen for m in found.found.measured}
    assert seen[("batch", "batches of 1")].batch == 1
    assert seen[("batch", "batches of 7")].batch == 7
    assert all(m.other_text.value == 0 for m in found.found.measured)


def test_given_again_it_asks_nothing_and_goes_on(log):
    study = ec.loads(STUDY)
    first = probe_determinism(study, "out", conditions={"again": ()}, repeats=1)
    count = len(asked(log))
    again = probe_determinism(study, "out", conditions={"again": ()}, repeats=1)
    assert (again.calls, len(asked(log))) == (0, count)
    assert [m.other_text for m in again.found.measured] == [m.other_text for m in first.found.measured]
    assert again.found.measured[0].seen == first.found.measured[0].seen  # told by passes.json
    assert "No answer of 12 items differed" in again._repr_html_()
    more = probe_determinism(study, "out", conditions={"again": ()}, repeats=3)
    assert more.calls == 24
    assert more.found.measured[0].passes == 3


def test_a_pass_that_was_cut_is_asked_anew_as_a_whole(log):
    """Half a pass would have other neighbours and another order."""
    study = ec.loads(STUDY + "budget: {calls: 17}\n")
    with pytest.raises(Stopped):
        probe_determinism(study, "out", conditions={"order": ()})
    assert sum(len(p) for _, p in asked(log)) == 17  # a whole pass, and five calls of the next
    done = probe_determinism(ec.loads(STUDY), "out", conditions={"order": ()})
    assert done.calls == 24
    assert [len(p) for _, p in asked(log)][-6:] == [5, 5, 2, 5, 5, 2]


def test_what_differs_is_found(log):
    study = ec.loads(STUDY.replace("{backend: recording}", "{backend: recording, options: {moods: {1: negative}}}"))
    found = probe_determinism(study, "out", conditions={"threads": (), "again": ()}, repeats=1).found
    again, threads = found.measured
    assert (again.other_text.value, threads.other_text.value) == (0.0, 1.0)
    assert threads.other_verdict.value == 1.0
    assert threads.gained + threads.lost == 12
    assert found.noise.value == 0 < found.noise_settings.value


def test_what_cannot_be_tried_says_why(log):
    done = CliRunner().invoke(command, [str(_written()), "--out", "out", "--conditions", "cache,concurrency", "--json"])
    assert done.exit_code == 3
    data = json.loads(done.stdout)
    assert data["verdict"]["code"] == "too_little_data"
    assert data["data"]["untried"] == [
        {"condition": "concurrency", "reason": "this backend is asked one call at a time"},
        {"condition": "cache", "reason": "this backend keeps nothing of one call for the next"},
    ]


def _written(text=STUDY):
    Path("s.yaml").write_text(text)
    return Path("s.yaml")


def test_the_command_and_its_report(log):
    options = [str(_written()), "--out", "out", "--conditions", "again,batch:3,order", "--items", "8", "--quiet"]
    done = CliRunner().invoke(command, [*options, "--report", "r.html"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("No answer of 8 items differed in 4 settings; in each, up to 36.9 %")
    assert "batches of 3" in done.stdout
    page = Path("r.html").read_text("utf-8")
    assert "Every setting against the study as stated" in page
    zh = CliRunner().invoke(command, [*options, "--report", "r.md", "--lang", "zh"])
    assert zh.exit_code == 0
    assert "再问一次" in Path("r.md").read_text("utf-8")
    data = json.loads(CliRunner().invoke(command, [*options, "--json"]).stdout)["data"]
    assert data["calls"] == 0
    first = data["settings"][0]
    assert (first["equal"], first["other_text"]["value"], first["condition"]) == (None, 0.0, "again")
    assert first["equal_reason"] == "the backend shows no log-probabilities here"
    kept = json.loads(Path("out/determinism.json").read_text("utf-8"))
    assert kept["engine"] == {"backend": "recording", "threads": 2}
    assert [one["setting"] for one in kept["settings"]][1:] == ["batches of 3", "reversed", "shuffled"]
    assert data["noise"]["interval"][1] > 0


def test_wrong_use_is_one_line(log):
    for words, said in (
        (["--conditions", "agian"], "did you mean again"),
        (["--conditions", "batch:x"], "batch:x: a whole number"),
        (["--conditions", "order:2"], "order:2"),
        (["--report", "r.doc"], "ends in .html"),
    ):
        done = CliRunner().invoke(command, [str(_written()), *words])
        assert done.exit_code == 2
        assert said in done.stderr
    with pytest.raises(InputError, match="replay"):
        _replay()


def _replay():
    Path("answers.jsonl").write_text('{"prompt": "x", "output": "y"}\n')
    text = STUDY.replace("{backend: recording}", "{backend: replay, path: answers.jsonl}")
    probe_determinism(ec.loads(text), "out2")


def test_a_folder_that_holds_a_run_is_left_alone(log):
    ec.loads(STUDY).execute("out")
    with pytest.raises(InputError, match="holds a run"):
        probe_determinism(ec.loads(STUDY), "out")


def test_failures_are_told_and_no_difference(log):
    """The pass as stated is answered (three times it asks), the next one fails, and is asked anew when given again."""
    broken = ", ".join(str(n) for n in range(4, 7))
    text = STUDY.replace("{backend: recording}", f"{{backend: recording, options: {{broken: [{broken}]}}}}")
    options = [str(_written(text)), "--out", "out", "--conditions", "again", "--repeats", "1", "--json"]
    done = CliRunner().invoke(command, options)
    assert done.exit_code == 3
    data = json.loads(done.stdout)["data"]["settings"][0]
    assert (data["failed"], data["calls"], data["other_text"]["value"]) == (12, 0, None)
    again = CliRunner().invoke(command, options)
    assert again.exit_code == 0
    data = json.loads(again.stdout)["data"]
    assert (data["calls"], data["settings"][0]["failed"], data["settings"][0]["calls"]) == (12, 0, 12)


def test_settings_of_a_server():
    model = Model(backend="openai", name="m", url="http://127.0.0.1:9/v1", options={"dialect": "llamacpp"})
    found, untried = trials(model, open_openai(model), wanted("again,fresh,batch,threads,concurrency,cache"), 2)
    assert [(t.condition, t.setting) for t in found] == [
        ("as stated", "as stated"), ("again", "as stated"), ("concurrency", "1 at once"), ("concurrency", "4 at once"),
        ("cache", "prefix cache off"), ("cache", "prefix cache on"),
    ]  # fmt: skip
    assert found[4].model.options["extra_body"] == {"cache_prompt": False}
    assert [one.condition for one in untried] == ["fresh", "batch", "threads"]
    plain = Model(backend="openai", name="m", url="http://127.0.0.1:9/v1")
    assert [u.condition for u in trials(plain, open_openai(plain), wanted("cache"), 1)[1]] == ["cache"]
    salted = plain.model_copy(update={"options": {"dialect": "vllm"}})
    (_, vllm), _ = trials(salted, open_openai(salted), wanted("cache"), 1)
    assert "cache_salt" in vllm.model.options["extra_body"]


def test_an_occasion_is_an_engine_of_its_own(log):
    inner = BACKENDS.get("recording")(Model(backend="recording"))
    marks = [{"condition": "again", "setting": "as stated", "occasion": n, "attempt": 0} for n in (0, 1)]
    engines = [Occasion(inner, mark).engine() for mark in marks]
    assert engines[0] != engines[1]
    assert engines[0].backend == "recording"
    assert dict(engines[0].facts)["threads"] == 2


def test_a_fresh_process_asks_too():
    """Another process, the same store; the synthetic model needs its items there."""
    text = STUDY.replace("{backend: recording}", "{backend: synthetic, options: {accuracy: 0.7}}")
    found = probe_determinism(ec.loads(text), "out", conditions={"fresh": (), "concurrency": ()})
    fresh, *others = found.found.measured
    assert (fresh.condition, fresh.calls, fresh.failed) == ("fresh", 12, 0)
    assert fresh.other_text.value == 0.0
    assert fresh.seen.calls == 12
    assert [m.seen.at_once for m in others] == [1]


@pytest.mark.model
@pytest.mark.skipif(not HAS_MODEL, reason="the embedded model was not fetched: eyechart models fetch")
def test_the_embedded_model_in_float32_repeats_to_the_bit():
    text = STUDY.replace("recording", "embedded").replace("limit: 12", "limit: 4")
    found = probe_determinism(ec.loads(text), "out", items=4, conditions={"batch": (1,)}).found
    assert [(m.visible, m.equal, m.calls) for m in found.measured] == [("tokens", 4, 4)] * len(found.measured)
    assert found.noise_settings.value == 0 < found.noise_settings.interval.high


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.skipif(not HAS_MODEL, reason="the embedded model was not fetched: eyechart models fetch")
def test_the_embedded_model_follows_everything():
    text = STUDY.replace("recording", "embedded").replace("limit: 12", "limit: 2")
    found = probe_determinism(ec.loads(text), "out", items=2, conditions={"again": ()}, repeats=1, obeyed=True)
    assert {one.name: one.verdict for one in found.obeyed.parameters} == dict.fromkeys(
        ("temperature", "top_p", "top_k", "seed", "max_new_tokens", "stop"), "obeyed"
    )
