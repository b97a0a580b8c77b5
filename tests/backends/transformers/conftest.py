"""Tiny models with random weights, built here: nothing is downloaded."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # transformers_asking

TEXTS = (
    "The cat sat on the mat and the dog sat on the log.",
    "The capital of France is Paris, and the capital of Italy is Rome.",
    "Question: which is larger, ten or two? Answer: ten is larger than two.",
    "The weather is good today; the weather was bad yesterday.",
)
CHAT = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]\n{{ m.content }}{{ eos_token }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]\n{% endif %}"
)


def needed() -> None:
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'eyechart[transformers]'")


def tokenizer(kind: str = "bytes") -> Any:
    """`bytes`: byte-level BPE that opens a text with <s>, as Llama 3. `closed`: and closes it with </s>.
    `words`: spaces written as ▁, as Llama 2."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made: Any = Tokenizer(models.BPE(unk_token="<unk>"))
    special = ["<s>", "</s>", "<unk>"]
    if kind == "words":
        made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
        trainer: Any = trainers.BpeTrainer(vocab_size=160, special_tokens=special)
    else:
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    made.train_from_iterator(TEXTS, trainer)
    single = "<s> $A </s>" if kind == "closed" else "<s> $A"
    made.post_processor = processors.TemplateProcessing(single=single, special_tokens=[("<s>", 0), ("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>", chat_template=CHAT
    )


def network(kind: str, vocabulary: int, length: int) -> Any:
    import torch
    import transformers

    torch.manual_seed(0)
    same: dict[str, Any] = {
        "vocab_size": vocabulary, "num_hidden_layers": 2, "hidden_size": 32, "bos_token_id": 0, "eos_token_id": 1,
        "initializer_range": 0.3,  # wide, so that the likeliest token is not the same everywhere
    }  # fmt: skip
    attention: dict[str, Any] = same | {
        "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": length,
    }  # fmt: skip
    if kind == "gpt2":
        config = transformers.GPT2Config(**same, num_attention_heads=4, max_position_embeddings=length)
    elif kind == "window":
        config = transformers.MistralConfig(**attention, sliding_window=6)
    elif kind == "mamba":
        config = transformers.MambaConfig(**same, state_size=8)
    elif kind == "convolution":
        config = transformers.Lfm2Config(**attention, layer_types=["conv", "full_attention"])
    elif kind == "lightning":
        kinds = ["linear_attention", "full_attention"]
        config = transformers.MiniMaxConfig(**attention, layer_types=kinds, num_local_experts=2, block_size=4)
    else:
        config = transformers.LlamaConfig(**attention)
    return transformers.AutoModelForCausalLM.from_config(config)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`build(network="llama", tokens="bytes", length=256)`: the folder of such a model; made once each."""
    needed()
    made: dict[tuple[str, str, int], Path] = {}

    def get(net: str = "llama", tokens: str = "bytes", length: int = 256) -> Path:
        key = (net, tokens, length)
        if key not in made:
            made[key] = folder = tmp_path_factory.mktemp(f"{net}-{tokens}-{length}")
            words = tokenizer(tokens)
            words.save_pretrained(folder)
            network(net, len(words), length).save_pretrained(folder)
        return made[key]

    return get


@pytest.fixture
def folder(build: Callable[..., Path]) -> Path:
    return build()
