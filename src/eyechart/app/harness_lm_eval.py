"""lm-evaluation-harness as a controlled procedure: the fields of a study as its command line.

Its `--seed` has four parts (Python, NumPy, PyTorch, few-shot) and none of them is sent to a server: the seed of
generation goes into `--gen_kwargs` for models behind an API and vLLM, and stays PyTorch's for the others. Mappings are
written as JSON, which versions since 0.4.9 read, so that no comma is taken apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eyechart.app.harness_kinds import (
    Harness,
    Line,
    further,
    keys_of,
    mapping_option,
    option,
    refuse_others,
    text_option,
    words_option,
)
from eyechart.core.errors import InputError
from eyechart.core.spec import Spec

NAME = "lm-evaluation-harness"
FEWSHOT_SEED = 1234
"""Its own default, written out so that it stands in the command line."""
ABLE = (
    "model.name", "model.backend", "model.url", "model.api_key_env", "model.revision", "model.dtype", "model.tokenizer",
    "model.context_length", "model.batch_size", "decoding.do_sample", "decoding.temperature", "decoding.top_p",
    "decoding.top_k", "decoding.min_p", "decoding.repetition_penalty", "decoding.presence_penalty",
    "decoding.frequency_penalty", "decoding.max_new_tokens", "decoding.stop", "decoding.seed", "decoding.seed_scope",
    "prompt.few_shot.count", "prompt.few_shot.seed", "prompt.few_shot.format", "prompt.system", "prompt.chat_template",
    "dataset.limit", "repeats.count", "repeats.greedy", "repeats.seed", "evaluation.framework",
    "evaluation.framework_version",
)  # fmt: skip
OPTIONS = ("task", "include_path", "model", "model_args", "samples", "device", "python", "timeout", "args")
INSTEAD = {
    "dataset": "the task says which data; name it in model.options.task, or write a task of your own",
    "dataset.seed": "its limit takes the first documents; model.options.samples: {TASK: [0, 5, 7]} takes others",
    "prompt": "the task writes the prompt; write a task of your own, and its folder in model.options.include_path",
    "evaluation": "the task scores the answers; `eyechart reread RUN` reads them again in other ways",
    "decoding": "pass what the model takes in model.options.model_args",
    "model": "pass what the model takes in model.options.model_args",
    "judge": "judges are asked by eyechart itself; leave the section out",
}
TAKEN = (
    "--model", "-M", "--model_args", "-a", "--tasks", "-t", "--include_path", "--gen_kwargs", "--num_fewshot", "-f",
    "--batch_size", "-b", "--limit", "-L", "--samples", "-E", "--seed", "--output_path", "-o", "--log_samples", "-s",
    "--system_instruction", "--apply_chat_template", "--fewshot_as_multiturn", "--device", "--use_cache", "-c",
    "--config", "-C",
)  # fmt: skip
"""Flags that the study sets. A cache would answer a repeat with the answer of another run."""
NAMED = {"max_new_tokens": "max_gen_toks", "stop": "until"}
SENT = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty",
        "max_new_tokens", "stop", "do_sample")  # fmt: skip


def _line(spec: Spec, base: Path, seed: int | None, /) -> Line:
    refuse_others(spec, NAME, ABLE, OPTIONS, INSTEAD)
    tasks = words_option(spec, "task")
    if not tasks:
        raise InputError("say what to run, e.g. task: gsm8k", field="model.options.task")
    kind = text_option(spec, "model", needed="hf, vllm or local-completions") or ""
    api = kind.endswith("completions")
    words = ["-m", "lm_eval", "--model", kind, "--tasks", ",".join(tasks)]
    if arguments := _model_args(spec, api):
        words += ["--model_args", _json(arguments)]
    sent = _gen_kwargs(spec)
    if seed is not None and (api or kind.startswith("vllm")):
        sent["seed"] = seed
    if sent:
        words += ["--gen_kwargs", _json(sent)]
    wanted = [(f"decoding.{name}", _value(spec, name)) for name in SENT if _value(spec, name) is not None]
    wanted += [("decoding.seed", seed)] if "seed" in sent else []
    for more, looked in (_seeds(spec, seed), _prompt(spec), _data(spec), _model(spec, kind)):
        words += more
        wanted += looked
    include = text_option(spec, "include_path")
    if include is not None:
        if not (base / include).is_dir():
            raise InputError(f"there is no folder {base / include}", field="model.options.include_path")
        words += ["--include_path", include]
    words += further(spec, TAKEN)
    files = (base / include,) if include else ()
    return Line(
        words=tuple(words), wanted=tuple(wanted), files=files, keys=keys_of(spec, "OPENAI_API_KEY") if api else ()
    )


def _value(spec: Spec, name: str) -> Any:
    return getattr(spec.decoding, name)


def _json(value: Any) -> str:
    """One line of ASCII, keys in the order given: the harness prints it as it stands."""
    return json.dumps(value, separators=(",", ":"))


def _model_args(spec: Spec, api: bool) -> dict[str, Any]:
    """`model.options.model_args`, and the fields of the fingerprint under the names of the harness."""
    out = mapping_option(spec, "model_args")
    fields = {
        "name": "model" if api else "pretrained",
        "url": "base_url",
        "revision": "revision",
        "dtype": "dtype",
        "tokenizer": "tokenizer",
        "context_length": "max_length",
    }
    for field, name in fields.items():
        value = getattr(spec.model, field)
        if value is None:
            continue
        if out.get(name, value) != value:
            raise InputError(
                f"is not what model.{field} says: state one of them", field=f"model.options.model_args.{name}"
            )
        out[name] = value
    return out


def _gen_kwargs(spec: Spec) -> dict[str, Any]:
    """Decoding under the names of the harness. Local models sample only where `do_sample` is true."""
    out: dict[str, Any] = {}
    for name in SENT:
        value = _value(spec, name)
        if value is not None:
            out[NAMED.get(name, name)] = list(value) if name == "stop" else value
    if out.get("temperature") is not None and "do_sample" not in out:
        out["do_sample"] = out["temperature"] > 0
    return out


def _seeds(spec: Spec, seed: int | None) -> tuple[list[str], list[tuple[str, Any]]]:
    """The four parts of `--seed`. The shots keep theirs over the repeats: else repeats would move them too."""
    few = spec.prompt.few_shot
    shots = few.seed if few is not None and few.seed is not None else FEWSHOT_SEED
    python, others = ("0", "1234") if seed is None else (str(seed), str(seed))
    wanted: list[tuple[str, Any]] = [("lm_eval.config.fewshot_seed", shots)]
    if seed is not None:
        wanted += [(f"lm_eval.config.{name}_seed", seed) for name in ("random", "numpy", "torch")]
    return ["--seed", f"{python},{others},{others},{shots}"], wanted


def _prompt(spec: Spec) -> tuple[list[str], list[tuple[str, Any]]]:
    words: list[str] = []
    wanted: list[tuple[str, Any]] = []
    few = spec.prompt.few_shot
    if few is not None and few.count is not None:
        words += ["--num_fewshot", str(few.count)]
        wanted.append(("prompt.few_shot.count", few.count))
    if spec.prompt.system is not None:
        words += ["--system_instruction", spec.prompt.system]
        wanted.append(("prompt.system", spec.prompt.system))
    if spec.prompt.chat_template:
        words.append("--apply_chat_template")
        wanted.append(("chat", True))
    if few is not None and few.format is not None:
        if few.format == "turns" and not spec.prompt.chat_template:
            raise InputError("shots as turns need prompt.chat_template: true", field="prompt.few_shot.format")
        if spec.prompt.chat_template:
            words += ["--fewshot_as_multiturn", "true" if few.format == "turns" else "false"]
            wanted.append(("lm_eval.fewshot_as_multiturn", few.format == "turns"))
    return words, wanted


def _data(spec: Spec) -> tuple[list[str], list[tuple[str, Any]]]:
    words: list[str] = []
    wanted: list[tuple[str, Any]] = []
    samples = mapping_option(spec, "samples")
    if samples and spec.dataset.limit is not None:
        raise InputError("state either dataset.limit or model.options.samples", field="model.options.samples")
    if spec.dataset.limit is not None:
        words += ["--limit", str(spec.dataset.limit)]
        wanted.append(("items.limit", spec.dataset.limit))
    if samples:
        words += ["--samples", _json(samples)]
        wanted.append(("items", sum(len(some) for some in samples.values())))
    return words, wanted


def _model(spec: Spec, kind: str) -> tuple[list[str], list[tuple[str, Any]]]:
    words: list[str] = []
    wanted: list[tuple[str, Any]] = []
    if spec.model.name is not None:
        wanted.append(("model.name", spec.model.name))
    if (size := spec.model.batch_size) is not None:
        if size > 1 and kind.endswith("chat-completions"):
            raise InputError(
                f"{NAME} asks chat servers one by one whatever the batch size, and logs the size all the same: "
                "write model.options.model_args.num_concurrent",
                field="model.batch_size",
            )
        words += ["--batch_size", str(size)]
        wanted.append(("model.batch_size", size))
    if option(spec, "device") is not None:
        words += ["--device", text_option(spec, "device") or ""]
        wanted.append(("lm_eval.config.device", option(spec, "device")))
    return words, wanted


def _log(folder: Path) -> tuple[str, ...]:
    return ("--output_path", str(folder), "--log_samples")


LM_EVAL = Harness(
    backend="lm_eval", name=NAME, package="lm_eval", extra="lm-eval", line=_line, log=_log, oldest="0.4.9", dropped="LMEVAL_"
)  # fmt: skip
