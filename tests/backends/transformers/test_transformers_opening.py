"""What is known, and what is refused, before anything is loaded. Needs neither torch nor transformers."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from transformers_asking import backend_of

from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.identity import engine_digest


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were here: opening reads versions and imports nothing."""
    monkeypatch.setattr(metadata, "version", lambda name: f"9.{len(name)}")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    place = tmp_path / "model"
    place.mkdir()
    (place / "config.json").write_text('{"model_type": "llama"}')
    (place / "model.safetensors").write_bytes(b"weights")
    (place / "tokenizer.json").write_text("{}")
    (place / "README.md").write_text("about")
    return place


def digest(path: Path, **fields: Any) -> str:
    return engine_digest(backend_of(path, **fields).engine())


def test_the_engine_says_what_moves_numbers(model: Path) -> None:
    body = backend_of(model, threads=3).engine().body()
    assert body.pop("sha256") == backend_of(model).facts()["sha256"]
    assert body == {
        "backend": "transformers", "version": 1, "torch": "9.5", "transformers": "9.12", "tokenizers": "9.10",
        "dtype": "float32", "device": "cpu", "attention": "sdpa", "threads": 3, "batch": 1,
    }  # fmt: skip


def test_a_hub_model_is_known_by_name_and_revision() -> None:
    backend = backend_of(None, name="org/model", revision="abc")
    body = backend.engine().body()
    assert (body["name"], body["revision"]) == ("org/model", "abc")
    assert "sha256" not in body
    assert backend.facts() == {}


def test_the_hash_of_a_folder_is_that_of_sha256sum(model: Path) -> None:
    names = ("config.json", "model.safetensors", "tokenizer.json")
    lines = "".join(f"{hashlib.sha256((model / n).read_bytes()).hexdigest()}  {n}\n" for n in names)
    assert backend_of(model).facts()["sha256"] == hashlib.sha256(lines.encode()).hexdigest()


def test_the_hash_of_a_gguf_file_is_that_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF and more")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    assert backend_of(file).facts() == backend_of(tmp_path).facts() == {"sha256": found}
    assert backend_of(file).engine().body()["gguf"] == "9.4"


def test_where_the_model_lies_does_not_matter(model: Path) -> None:
    before = digest(model, threads=1)
    model.rename(model.parent / "elsewhere")
    assert digest(model.parent / "elsewhere", threads=1) == before


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja"])
def test_a_changed_file_is_another_engine(model: Path, name: str) -> None:
    before = digest(model)
    (model / name).write_bytes(b'{"other": 1}')
    assert digest(model) != before


def test_a_changed_file_of_the_same_size_is_another_engine(model: Path) -> None:
    before = digest(model)
    (model / "model.safetensors").write_bytes(b"WEIGHTS")
    os.utime(model / "model.safetensors", ns=(1, 1))
    assert digest(model) != before


def test_a_changed_read_me_is_not(model: Path) -> None:
    before = digest(model)
    (model / "README.md").write_text("more about")
    assert digest(model) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": "bf16"}, {"threads": 64}, {"context_length": 99}, {"options": {"attention": "eager"}},
        {"options": {"device": "cuda:1"}}, {"tokenizer": "org/other"}, {"chat_template_sha256": "0" * 64},
    ],
)  # fmt: skip
def test_a_setting_that_moves_numbers_is_another_engine(model: Path, fields: dict[str, Any]) -> None:
    assert digest(model, **fields) != digest(model)


@pytest.mark.parametrize("fields", [{"dtype": "fp32"}, {"dtype": "torch.float32"}, {"batch_size": 1}, {"name": "x"}])
def test_another_spelling_is_the_same_engine(model: Path, fields: dict[str, Any]) -> None:
    assert digest(model, **fields) == digest(model)


def test_the_shards_of_an_index_are_the_weights(model: Path) -> None:
    (model / "model.safetensors").unlink()
    index = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    (model / "one.safetensors").write_bytes(b"1")
    with pytest.raises(InputError, match=r"lacks two\.safetensors"):
        backend_of(model)
    (model / "two.safetensors").write_bytes(b"2")
    before = digest(model)
    (model / "two.safetensors").write_bytes(b"22")
    assert digest(model) != before


def test_a_tokenizer_from_elsewhere_is_known_by_its_files(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "words"
    other.mkdir()
    with pytest.raises(InputError, match="no folder with a tokenizer"):
        backend_of(model, tokenizer=str(other))
    (other / "tokenizer.json").write_text("{}")
    backend = backend_of(model, tokenizer=str(other))
    assert backend.facts()["tokenizer"] == backend.engine().body()["tokenizer_sha256"]


def test_a_hash_that_is_stated_is_checked(model: Path) -> None:
    found = str(backend_of(model).facts()["sha256"])
    backend_of(model, sha256=found.upper())
    with pytest.raises(InputError, match=f"sha256: the model's files have the hash {found}, not 00"):
        backend_of(model, sha256="00")


def test_quantization_that_is_stated_is_checked(model: Path) -> None:
    backend_of(model, quantization="none")
    with pytest.raises(InputError, match="stored with quantization none and used as stored"):
        backend_of(model, quantization={"scheme": "gptq", "bits": 4})
    (model / "config.json").write_text('{"quantization_config": {"quant_method": "gptq"}}')
    body = backend_of(model, quantization={"scheme": "gptq", "bits": 4}).engine().body()
    assert body["quantization"] == '{"bits":4,"scheme":"gptq"}'


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "model.path: name a local folder"),
        ({"path": "nowhere"}, "there is no folder or file nowhere; a model of the Hugging Face hub goes by model.name"),
        ({"name": "here"}, "here is a folder here: write it as model.path"),
        ({"path": "here"}, "here holds no model"),
        ({"path": "two"}, "two holds 2 .gguf files: name one of them"),
        ({"path": "two/a.gguf"}, "is not a GGUF file"),
        ({"path": "adapter"}, "holds an adapter; merge it"),
        ({"path": "file.txt"}, "name the model's folder or a .gguf file"),
        ({"name": "a/b", "url": "http://x"}, "model.url: the Transformers backend runs the model itself"),
        ({"name": "a/b", "parallel": {"tensor": 2}}, "model.parallel"),
        ({"name": "a/b", "adapters": ({"path": "x"},)}, "model.adapters"),
        ({"name": "a/b", "batch_size": 8}, "model.batch_size: one call is answered at a time"),
        ({"name": "a/b", "sha256": "00"}, "model.sha256: only local files can be checked"),
        ({"name": "a/b", "dtype": "int8"}, "model.dtype: int8 is none of: float32, bfloat16, float16, auto"),
        ({"name": "a/b", "options": {"divice": "cpu"}}, "no option divice; did you mean device"),
        ({"name": "a/b", "options": {"device": "gpu"}}, "model.options.device: write cpu, cuda"),
        ({"name": "a/b", "options": {"attention": "fast"}}, "model.options.attention"),
    ],
)
def test_what_cannot_be_honoured_is_refused_in_one_line(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    for name in ("here", "two", "adapter"):
        (tmp_path / name).mkdir()
    for name in ("two/a.gguf", "two/b.gguf", "adapter/adapter_config.json", "file.txt"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(InputError) as caught:
        backend_of(None, **fields)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_config_that_cannot_be_read_is_one_line(model: Path) -> None:
    (model / "config.json").write_text("{")
    with pytest.raises(InputError, match=r"config\.json cannot be read: Expecting"):
        backend_of(model)


@pytest.mark.parametrize(
    ("device", "quantized", "packages"),
    [("cpu", False, ()), ("cuda", False, ("flash-attn",)), ("cpu", True, ("gptqmodel",))],
)
def test_packages_that_compute_in_place_of_torch_are_told(
    model: Path, monkeypatch: pytest.MonkeyPatch, device: str, quantized: bool, packages: tuple[str, ...]
) -> None:
    here = ("torch", "transformers", "tokenizers", "flash-attn", "gptqmodel")

    def version(name: str) -> str:
        if name not in here:
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", version)
    if quantized:
        (model / "config.json").write_text('{"quantization_config": {"quant_method": "gptq"}}')
    body = backend_of(model, options={"device": device}).engine().body()
    assert tuple(name for name in here[3:] if name in body) == packages


@pytest.mark.parametrize(("gone", "path"), [("torch", "model"), ("transformers", "model"), ("gguf", "m.gguf")])
def test_an_absent_package_names_the_extra(model: Path, monkeypatch: pytest.MonkeyPatch, gone: str, path: str) -> None:
    (model.parent / "m.gguf").write_bytes(b"GGUF")

    def version(name: str) -> str:
        if name == gone:
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(MissingExtra, match=rf"{gone}: pip install 'eyechart\[transformers\]'"):
        backend_of(model.parent / path)


def test_opening_imports_nothing_heavy(model: Path) -> None:
    code = (
        "import sys; from importlib import metadata; metadata.version = lambda name: '1'\n"
        "from eyechart.backends.transformers import open_backend; from eyechart.core.spec import Model\n"
        f"open_backend(Model(path={str(model)!r})).engine()\n"
        "print([m for m in ('torch', 'transformers', 'tokenizers', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
