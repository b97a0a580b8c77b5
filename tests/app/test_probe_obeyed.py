"""Over real HTTP: servers that follow every parameter, or leave some out, as the probe sees them through the client."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.probe_determinism import probe_determinism
from eyechart.backends import gguf
from eyechart.cli.probe_determinism import determinism as command

sys.path.insert(0, str(Path(__file__).parents[1] / "probes"))

from toy import Toy

FILE = gguf.target(gguf.CATALOGUE[0])
DRAWN = ("temperature", "top_p", "top_k", "seed")
ALL = (*DRAWN, "max_new_tokens", "stop")


def study(url, options="{dialect: llamacpp, concurrency: 4}", more="decoding: {max_new_tokens: 3}"):
    return (
        f"dataset: {{name: chart, subset: sentiment, limit: 4}}\n"
        f"model: {{backend: openai, name: m, url: '{url}', options: {options}}}\n"
        f"{more}\nevaluation: {{extraction: lenient}}\n"
    )


def served(server, toy: Toy, where: str = "top") -> None:
    """`where`: whether parameters are read at the top of a body, or under `options` only."""

    def answer(seen) -> str:
        body = seen.body if where == "top" else seen.body.get("options", {})
        names = {"max_tokens": "max_new_tokens"}
        params = {names.get(key, key): value for key, value in body.items() if value is not None}
        params["stop"] = tuple(params.get("stop") or ())
        return toy.text(seen.prompt, params | {"max_new_tokens": seen.body["max_tokens"]})

    server.answer = answer


def verdicts(url) -> dict[str, str]:
    found = probe_determinism(ec.loads(study(url)), "out", items=2, conditions={"again": ()}, repeats=1, obeyed=True)
    assert found.obeyed.failed == 0
    return {one.name: one.verdict for one in found.obeyed.parameters}


def test_a_server_that_follows_all(fault_server):
    served(fault_server, Toy())
    assert verdicts(fault_server.url) == dict.fromkeys(ALL, "obeyed")


@pytest.mark.parametrize("name", ["seed", "top_p"])
def test_a_server_that_drops_one(fault_server, name):
    served(fault_server, Toy(" ".join(n for n in ALL if n != name)))
    assert verdicts(fault_server.url) == dict.fromkeys(ALL, "obeyed") | {name: "ignored"}


def test_a_server_that_drops_the_temperature(fault_server):
    served(fault_server, Toy("top_p top_k seed max_new_tokens stop"))
    found = verdicts(fault_server.url)
    assert found.pop("temperature") == "ignored"
    assert "ignored" not in found.values()


def test_a_server_that_looks_under_options(fault_server):
    """Taken without a word and dropped, as on /api routes that want them elsewhere."""
    served(fault_server, Toy(), where="options")
    found = verdicts(fault_server.url)
    assert {name: found[name] for name in DRAWN} == dict.fromkeys(DRAWN, "ignored")


def test_replicas_are_told_apart(fault_server):
    turn = itertools.count()

    def answer(seen):
        which = next(turn) % 3 == 0
        text = " negative" if which else " positive"
        return {
            "id": "x", "object": "text_completion", "model": "m", "system_fingerprint": f"fp_{which}",
            "choices": [{"index": 0, "text": text, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }  # fmt: skip

    fault_server.default = answer
    found = probe_determinism(
        ec.loads(study(fault_server.url)), "out", items=4, conditions={"again": ()}, repeats=3
    ).found
    replicas = found.replicas
    assert {s.fingerprint for s in replicas.served} == {"fp_True", "fp_False"}
    assert sum(s.calls for s in replicas.served) == 16
    assert replicas.same[0] == 0
    assert replicas.across[0] == replicas.across[1] > 0
    assert found.measured[0].other_text.value > 0


def test_concurrency_is_what_the_server_saw(fault_server):
    fault_server.answer, fault_server.latency = (lambda seen: " positive"), 0.05
    text = study(fault_server.url, "{dialect: llamacpp, concurrency: 1}").replace("limit: 4", "limit: 8")
    found = probe_determinism(ec.loads(text), "out", items=8, conditions={"concurrency": ()}).found
    (one,) = found.measured
    assert (one.setting, one.seen.at_once, found.stated.seen.at_once) == ("4 at once", 4, 1)
    assert fault_server.peak == 4
    assert len(fault_server.seen) == 17  # one asked whether it shows log-probabilities


def test_the_cache_field_is_really_sent(fault_server):
    fault_server.answer = lambda seen: " positive"
    done = CliRunner().invoke(
        command,
        [str(written(study(fault_server.url))), "--out", "out", "--conditions", "cache", "--items", "4", "--json"],
    )
    assert done.exit_code == 0, done.stderr
    sent = [seen.body.get("cache_prompt") for seen in fault_server.seen]
    assert sent == [None] * 5 + [False] * 4 + [True] * 4
    remedies = json.loads(done.stdout)["data"]["remedies"]
    assert any("prefix cache: off" in one["cost"] for one in remedies)


def written(text) -> Path:
    Path("s.yaml").write_text(text, encoding="utf-8")
    return Path("s.yaml")


SERVE = """
import sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.n_parallel, p.n_ctx, p.verbosity = sys.argv[1], 4, 8192, 0
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 2
p.port = 0
server = xllamacpp.Server(p)
print("AT", server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def real() -> Iterator[str]:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed: pip install 'eyechart[llamacpp]'")
    if not FILE.exists():
        pytest.skip("the embedded model was not fetched: eyechart models fetch")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(FILE)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )  # fmt: skip
    with process:
        try:
            yield next(line.split()[1] for line in process.stdout if line.startswith("AT ")) + "/v1"
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.real_server
def test_a_real_server_follows_all(real):
    text = study(real, "{dialect: llamacpp, concurrency: 1, extra_body: {cache_prompt: false}}")
    found = probe_determinism(ec.loads(text), "out", items=2, conditions={"again": ()}, repeats=1, obeyed=True)
    assert {one.name: one.verdict for one in found.obeyed.parameters} == dict.fromkeys(ALL, "obeyed")
    assert found.found.measured[0].other_text.value == 0


@pytest.mark.slow
@pytest.mark.real_server
def test_the_prefix_cache_of_a_real_server_moves_bits(real):
    """The known finding: with a shared prefix in the cache no log-probability is the same, without it all are."""
    text = study(
        real, "{dialect: llamacpp, concurrency: 1, extra_body: {cache_prompt: false}}",
        'prompt: {template: "Review: {{question}}\\nSentiment:", few_shot: {count: 3}}',
    ).replace("extraction: lenient", "elicit: options").replace("limit: 4", "limit: 12")  # fmt: skip
    found = probe_determinism(ec.loads(text), "out", items=12, conditions={"again": (), "cache": ()}, repeats=1).found
    again, cache = found.measured
    assert (again.visible, again.equal, again.calls) == ("options", 12, 12)
    assert cache.equal < 12
    assert cache.largest > 0
