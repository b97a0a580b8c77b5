"""What is noticed: wrong prompts, wrong templates, wrong files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers_asking import answer, ask_all, backend_of, choose, failure, say

from eyechart.core.errors import InputError
from eyechart.core.identity import engine_digest
from eyechart.core.records import Call, Message, Request, Response

pytestmark = pytest.mark.slow


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(folder, tmp_path / "own"))


def change_weights(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    (folder / "model.safetensors").unlink()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def change_json(file: Path, **fields: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def refused(backend: Any, request: Request | None = None) -> str:
    with pytest.raises(InputError) as caught:
        ask_all(backend, [request or say("a")])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_rendered_prompt_is_what_is_recorded(folder: Path) -> None:
    found = answer(backend_of(folder), say("Hello", chat=True))
    assert found.sent == "<s>[user]\nHello</s>\n[assistant]\n"
    assert found.prompt_ids is not None
    assert found.prompt_ids[0] == 0
    assert found.prompt_ids.count(0) == 1
    assert found.prompt_tokens == len(found.prompt_ids)
    assert found.notes == ()
    scored = answer(backend_of(folder), choose("Hello", "yes", "no", chat=True))
    assert (scored.sent, scored.prompt_ids) == (found.sent, found.prompt_ids)
    assert answer(backend_of(folder), say("Hello")).sent is None


def test_all_messages_are_rendered(folder: Path) -> None:
    turns = (("system", "Be brief."), ("user", "1"), ("assistant", "2"), ("user", "3"))
    messages = tuple(Message(role=role, content=text) for role, text in turns)
    request = Request(elicit="generate", messages=messages, params=(("max_new_tokens", 2),))
    found = answer(backend_of(folder), request)
    assert found.sent == "<s>[system]\nBe brief.</s>\n[user]\n1</s>\n[assistant]\n2</s>\n[user]\n3</s>\n[assistant]\n"
    assert found.notes == ()


def test_a_template_applied_twice_is_noted(folder: Path) -> None:
    backend = backend_of(folder)
    once = answer(backend, say("Hello", chat=True)).sent
    assert once is not None
    assert answer(backend, say(once, chat=True)).notes == ("template_twice",)
    assert answer(backend, say(once.removeprefix("<s>"), chat=True)).notes == ("template_twice",)
    assert answer(backend, say("a [user] of this", chat=True)).notes == ("template_twice",)


def test_a_doubled_bos_is_noted(folder: Path) -> None:
    backend = backend_of(folder)
    assert answer(backend, say("<s>Hello")).notes == ("double_bos",)
    assert answer(backend, say("Hello <s>")).notes == ()


def test_a_bos_that_is_the_turn_token_hides_no_marker() -> None:
    """SmolLM2: the BOS is <|im_start|>, and the word `user` marks nothing."""
    from eyechart.backends.transformers_loading import user_marker

    class Fake:
        bos_token = "<|im_start|>"
        shape = "<|im_start|>user\n{}<|im_end|>\n"

        def apply_chat_template(self, messages: Any, tokenize: bool) -> str:
            return self.shape.format(messages[0]["content"])

    fake = Fake()
    assert user_marker(fake) == "<|im_start|>user"
    fake.bos_token, fake.shape = "<s>", "<s>[INST] {} [/INST]"
    assert user_marker(fake) == "[INST]"
    fake.shape = "{}"
    assert user_marker(fake) == ""


def test_a_template_that_tells_the_date_is_noted(own: Path) -> None:
    text = "{{ strftime_now('%Y') }}{% for m in messages %}{{ m.content }}{% endfor %}"
    (own / "chat_template.jinja").write_text(text)
    assert "template_tells_date" in answer(backend_of(own), say("Hello", chat=True)).notes


def test_a_template_that_refuses_is_a_failure(own: Path) -> None:
    (own / "chat_template.jinja").write_text("{{ raise_exception('no system turn') }}")
    found = failure(backend_of(own), say("Hello", chat=True))
    assert (found.kind, found.reason) == ("bad_request", "the chat template cannot show these messages: no system turn")


def test_no_template_is_a_failure(own: Path) -> None:
    (own / "chat_template.jinja").unlink()
    found = failure(backend_of(own), say("Hello", chat=True))
    assert found.kind == "bad_request"
    assert "prompt.chat_template: false" in found.reason


def test_the_hash_of_the_template_is_checked(own: Path) -> None:
    right = hashlib.sha256((own / "chat_template.jinja").read_bytes()).hexdigest()
    answer(backend_of(own, chat_template_sha256=right), say("a"))
    assert f"the hash of the chat template is {right}" in refused(backend_of(own, chat_template_sha256="00"))


def test_a_closing_token_is_dropped_and_noted(build: Callable[..., Path]) -> None:
    found = answer(backend_of(build("llama", "closed")), choose("The cat", " sat", " dog"))
    plain = answer(backend_of(build()), choose("The cat", " sat", " dog"))
    assert found.notes == ("closing_token_dropped",)
    assert found.prompt_ids == plain.prompt_ids
    assert found.option_logprobs == plain.option_logprobs


def test_a_prompt_beyond_the_context_is_too_long(folder: Path) -> None:
    found = failure(backend_of(folder), say("cat " * 300))
    assert found.kind == "too_long"
    assert "the context 256" in found.reason
    assert failure(backend_of(folder, context_length=4), choose("The cat sat on", " it")).kind == "too_long"


def test_the_context_ends_an_answer(folder: Path) -> None:
    backend = backend_of(folder, context_length=20)
    asked = [say("The cat", max_new_tokens=100, temperature=1.0, seed=seed) for seed in range(9)]
    found = next(r for r in ask_all(backend, asked) if isinstance(r, Response) and r.finish_reason == "length")
    assert found.notes == ("context_full",)
    assert (found.prompt_tokens or 0) + (found.completion_tokens or 0) == 20
    assert "context_length: the model has 256 positions" in refused(backend_of(folder, context_length=1000))


def test_nothing_to_go_on_from_is_a_failure(own: Path) -> None:
    change_json(own / "tokenizer.json", post_processor=None)
    backend = backend_of(own)
    assert failure(backend, say("")).kind == "bad_request"
    assert failure(backend, choose("a", "")).kind == "not_measurable"


def test_weights_that_lack_a_tensor_are_not_filled_up(own: Path) -> None:
    change_weights(own, lambda tensors: tensors.pop("model.layers.1.mlp.up_proj.weight"))
    assert "lack or do not fit 1 tensors (model.layers.1.mlp.up_proj.weight)" in refused(backend_of(own))


def test_weights_of_another_size_are_not_used(own: Path) -> None:
    change_json(own / "config.json", intermediate_size=48)
    assert "model.path" in refused(backend_of(own))


def test_changed_weights_are_another_engine_with_other_answers(own: Path) -> None:
    before, engine = answer(backend_of(own), choose("The cat", " sat")), engine_digest(backend_of(own).engine())
    change_weights(own, lambda tensors: tensors["lm_head.weight"].mul_(1.01))
    after = answer(backend_of(own), choose("The cat", " sat"))
    assert engine_digest(backend_of(own).engine()) != engine
    assert after.option_logprobs != before.option_logprobs


def test_files_that_change_after_the_start_are_not_answered_for(own: Path) -> None:
    backend = backend_of(own)
    backend.engine()
    change_weights(own, lambda tensors: tensors["lm_head.weight"].mul_(2))
    assert "have changed since the start" in refused(backend)


def test_scores_that_are_no_numbers_are_a_failure(own: Path) -> None:
    change_weights(own, lambda tensors: tensors["model.norm.weight"].fill_(float("nan")))
    for request in (say("The cat"), choose("The cat", " sat")):
        found = failure(backend_of(own), request)
        assert found.kind == "crashed"
        assert "state another dtype" in found.reason


@pytest.mark.parametrize(("name", "text"), [("config.json", '{"model_type": "t5"}'), ("model.safetensors", "x")])
def test_files_that_cannot_be_loaded_are_one_line(own: Path, name: str, text: str) -> None:
    (own / name).write_text(text)
    assert refused(backend_of(own)).startswith("model.path: Transformers cannot load own: ")


def test_a_hub_model_without_a_network_is_one_line(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    said = refused(backend_of(None, name="nobody/no-such-model"))
    assert said.startswith("model.name: Transformers cannot load nobody/no-such-model: ")
    assert said.endswith("where there is no network, name a local folder in model.path")


def test_a_hub_model_is_taken_from_the_cache_with_its_commit(folder: Path, tmp_path: Path) -> None:
    """In a process of its own: where the cache lies is read when the library is imported."""
    home = tmp_path / "home"
    place = home / "hub" / "models--org--tiny"
    shutil.copytree(folder, place / "snapshots" / ("c" * 40))
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("c" * 40)
    code = (
        "from transformers_asking import answer, backend_of, choose\n"
        "found = answer(backend_of(None, name='org/tiny'), choose('The cat', ' sat'))\n"
        "print(found.served_model, found.system_fingerprint, found.option_logprobs[0][0])"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    env |= {"HF_HOME": str(home), "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    name, commit, logprob = done.stdout.split()
    assert (name, commit) == ("org/tiny", "c" * 40)
    plain = answer(backend_of(folder), choose("The cat", " sat")).option_logprobs
    assert plain is not None
    assert float(logprob) == plain[0][0]
    assert done.stderr == ""


def test_a_device_that_is_not_here_is_one_line(folder: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device here")
    assert "cannot load" in refused(backend_of(folder, options={"device": "cuda"}))


@pytest.mark.parametrize("fields", [{"dtype": "bfloat16"}, {"options": {"attention": "eager"}}, {"dtype": "auto"}])
def test_precision_and_attention_are_honoured(folder: Path, fields: dict[str, Any]) -> None:
    plain = answer(backend_of(folder), choose("The cat sat on the", " mat", " log"))
    other = answer(backend_of(folder, **fields), choose("The cat sat on the", " mat", " log"))
    assert plain.option_logprobs is not None
    assert other.option_logprobs is not None
    near = 0.5 if fields.get("dtype") == "bfloat16" else 1e-4
    assert [sum(r) for r in other.option_logprobs] == pytest.approx([sum(r) for r in plain.option_logprobs], abs=near)
    if "dtype" in fields:  # eager and sdpa give equal bits in some versions of torch
        assert (other.option_logprobs == plain.option_logprobs) == (fields["dtype"] == "auto")


def test_an_attention_that_a_model_lacks_names_the_other(build: Callable[..., Path]) -> None:
    said = refused(backend_of(build("mamba")))
    assert said.endswith("it does not know sdpa attention; write model.options.attention: eager")


def test_threads_are_those_stated_whoever_answered_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from eyechart.backends.transformers_loaded import Loaded

    seen: list[int] = []
    answered = Loaded.answer

    def watched(self: Loaded, *given: Any) -> Response:
        seen.append(torch.get_num_threads())
        return answered(self, *given)

    monkeypatch.setattr(Loaded, "answer", watched)
    backends = {n: backend_of(folder, threads=n) for n in (1, 2)}

    async def ask() -> None:
        for n in (1, 2, 1, 2):
            await backends[n].ask([Call(request=say("a", max_new_tokens=1), repeat=0)])

    asyncio.run(ask())
    assert seen == [1, 2, 1, 2]


def test_loading_is_quiet(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    answer(backend_of(folder), say("a"))
    assert capfd.readouterr() == ("", "")
