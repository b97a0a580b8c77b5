"""A GGUF file, made ready for OpenVINO once and kept in the cache.

Two things are changed on the way. The reader rounds the minima of Q4_1 weights to four bits; the exact
ones are put back, so that the weights are those of the file. And logits are computed only at the
positions asked for: a prompt's other rows are nobody's business.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.backends.gguf import cache
from eyechart.core.errors import EyechartError, InputError

FORMAT = 1
"""Moves when the same file would be made ready in another way; part of the engine's identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the file says of itself."""

    architecture: str
    context_length: int
    bos: int | None
    eos: int | None
    chat_template: str | None


def prepared(gguf: Path, sha256: str, version: str) -> Path:
    """The folder of the model made ready; made first where need be (about ten seconds).

    Made beside its place and moved there whole, so that an interrupted build leaves nothing under the name.
    Raises InputError for a file that this engine cannot read.
    """
    goal = cache() / "openvino" / f"{sha256[:16]}-{version}-{FORMAT}"
    if (goal / "model.xml").exists():
        return goal
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=goal.parent, prefix=".build-"))
    except OSError as error:
        raise EyechartError(f"cannot write to the cache {goal.parent}: {error.strerror}") from None
    try:
        _build(gguf, draft)
        os.replace(draft, goal)
    except OSError as error:
        if not (goal / "model.xml").exists():  # else another process was first
            raise EyechartError(f"cannot write to the cache {goal}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return goal


def facts_of(folder: Path) -> Facts:
    return Facts(**json.loads((folder / "facts.json").read_text(encoding="utf-8")))


def _build(gguf: Path, draft: Path) -> None:
    genai: Any = import_module("openvino_genai")
    openvino: Any = import_module("openvino")
    reader: Any = import_module("gguf").GGUFReader(str(gguf))
    link = draft / "source.gguf"
    link.symlink_to(gguf.resolve())  # the converter writes beside the path it is given
    try:
        genai.LLMPipeline(str(link), "CPU", enable_save_ov_model=True)
        model = openvino.Core().read_model(draft / "openvino_model.xml")
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1][:200]
        raise InputError(
            f"OpenVINO cannot read {gguf.name} ({said}); try backend: llamacpp, which reads every GGUF file",
            field="model.path",
        ) from None
    _restore_minima(openvino, model, reader, gguf)
    _gather_logits(openvino, model, gguf)
    openvino.save_model(model, draft / "model.xml", compress_to_fp16=False)
    del model
    for name in ("source.gguf", "openvino_model.xml", "openvino_model.bin"):
        (draft / name).unlink(missing_ok=True)
    (draft / "facts.json").write_text(json.dumps(asdict(_facts(reader))), encoding="utf-8")


def _facts(reader: Any) -> Facts:
    def value(name: str) -> Any:
        found = reader.get_field(name)
        return None if found is None else found.contents()

    architecture = str(value("general.architecture"))
    return Facts(
        architecture=architecture,
        context_length=int(value(f"{architecture}.context_length") or 2048),
        bos=value("tokenizer.ggml.bos_token_id"),
        eos=value("tokenizer.ggml.eos_token_id"),
        chat_template=value("tokenizer.chat_template"),
    )


_BLOCK = np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)])
"""One Q4_1 block: scale, minimum, and 32 weights of four bits; weight = d * q + m."""


def _restore_minima(openvino: Any, model: Any, reader: Any, gguf: Path) -> None:
    """weight = d * (q - z) with z = -m / d, which the converter rounds to an integer: put the exact z back."""
    tables = _q4_1(reader)
    opset: Any = openvino.opset13
    for multiply in model.get_ops():
        if multiply.get_type_name() != "Multiply":
            continue
        subtract, scale = (multiply.input_value(i).get_node() for i in (0, 1))
        if subtract.get_type_name() != "Subtract" or scale.get_type_name() != "Constant":
            continue
        if subtract.input_value(0).get_node().input_value(0).get_element_type() != openvino.Type.u4:
            continue
        key = np.array(scale.get_data()).astype(np.float16).tobytes()
        if key not in tables:
            continue  # another four-bit type, whose zero points are integers
        d, m = tables.pop(key)
        zero = (-m.astype(np.float64) / d.astype(np.float64))[..., None].astype(np.float16)
        subtract.input(1).replace_source_output(opset.constant(zero).output(0))
    if tables:
        raise InputError(
            f"the weights of {gguf.name} could not be matched with OpenVINO's; try backend: llamacpp",
            field="model.path",
        )


def _q4_1(reader: Any) -> dict[bytes, tuple[Any, Any]]:
    """Scales and minima of every Q4_1 tensor, by the bytes of its scales in the converter's row order."""
    out: dict[bytes, tuple[Any, Any]] = {}
    rope = reader.get_field("llama.rope.dimension_count")
    half = int(rope.contents()) // 2 if rope is not None else None
    for tensor in reader.tensors:
        if tensor.tensor_type.name != "Q4_1":
            continue
        columns, rows = (int(n) for n in tensor.shape[:2])
        blocks = np.frombuffer(tensor.data.tobytes(), _BLOCK).reshape(rows, columns // 32)
        if half and tensor.name.endswith(("attn_q.weight", "attn_k.weight")):
            # The converter un-interleaves the rotary rows of each head.
            blocks = blocks.reshape(-1, half, 2, columns // 32).swapaxes(1, 2).reshape(rows, columns // 32)
        out[np.ascontiguousarray(blocks["d"]).tobytes()] = (blocks["d"], blocks["m"])
    return out


def _gather_logits(openvino: Any, model: Any, gguf: Path) -> None:
    """Adds the input `logit_idx` [B, K]: positions of the present chunk whose logits are wanted."""
    opset: Any = openvino.opset13
    head = model.output("logits").get_node().input_value(0).get_node()
    if head.get_type_name() != "MatMul":
        raise InputError(f"the output of {gguf.name} has an unknown form; try backend: llamacpp", field="model.path")
    wanted = opset.parameter([-1, -1], np.int64, name="logit_idx")
    wanted.output(0).set_names({"logit_idx"})
    hidden = opset.gather(head.input_value(0), wanted, np.int64(1), batch_dims=1)
    head.input(0).replace_source_output(hidden.output(0))
    model.add_parameters([wanted])
    model.validate_nodes_and_infer_types()


def properties(dtype: str, threads: int) -> Mapping[str, Any]:
    """How the model is compiled: nothing is quantised on the fly, and no thread is pinned."""
    return {
        "INFERENCE_PRECISION_HINT": dtype,
        "KV_CACHE_PRECISION": "f32" if dtype == "f32" else "f16",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": "1",
        "ENABLE_CPU_PINNING": False,
        "INFERENCE_NUM_THREADS": threads,
    }
