"""SmolLM2-135M from its GGUF file: EYECHART_MODEL, else the one in ~/.cache/eyechart/models/.

Loading takes half a minute: Transformers unpacks the weights in Python. All is asked in one test for that.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from transformers_asking import ask_all, backend_of, choose, say

from eyechart.core.records import Response

pytestmark = pytest.mark.slow

FILE = Path(os.environ.get("EYECHART_MODEL", "~/.cache/eyechart/models/SmolLM2-135M-Instruct.Q4_1.gguf")).expanduser()
SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def test_smollm2_answers_as_it_does_elsewhere(capfd: pytest.CaptureFixture[str]) -> None:
    for package in ("torch", "transformers", "gguf", "accelerate"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'eyechart[transformers]'")
    if not FILE.exists():
        pytest.skip(f"no model file at {FILE}; name one in EYECHART_MODEL")
    backend = backend_of(FILE)
    if backend.facts()["sha256"] != SMOLLM2:
        pytest.skip(f"{FILE} is another model than the one whose numbers are known")
    prompt = "The capital of France is"
    asked = [
        choose(prompt, " Paris", " Rome", " the city of light"),
        say(prompt, max_new_tokens=2),
        say("What is 2+2?", chat=True, max_new_tokens=20),
        say("<|im_start|>user\nWhat is 2+2?<|im_end|>\n<|im_start|>assistant\n", chat=True, max_new_tokens=1),
    ]
    results = ask_all(backend, asked)
    assert capfd.readouterr() == ("", "")
    found = [r for r in results if isinstance(r, Response)]
    assert len(found) == len(asked), results
    scored, greedy, chat, twice = found
    assert scored.option_logprobs is not None
    # llama.cpp on the packed weights says -.2589, OpenVINO in float32 -.2579
    assert scored.option_logprobs[0] == pytest.approx([-0.2581], abs=2e-4)
    assert sum(scored.option_logprobs[1]) == pytest.approx(-7.5706, abs=2e-3)
    assert len(scored.option_logprobs[2]) == 4
    assert (scored.prompt_ids, scored.notes) == ((504, 3575, 282, 4649, 314), ())
    assert (greedy.text, greedy.completion_ids) == (" Paris.", (7042, 30))
    assert chat.sent is not None
    assert chat.sent.endswith("<|im_start|>user\nWhat is 2+2?<|im_end|>\n<|im_start|>assistant\n")
    assert chat.finish_reason == "stop"
    assert chat.completion_ids is not None
    assert chat.completion_ids[-1] == 2
    assert (chat.notes, twice.notes) == ((), ("template_twice",))
