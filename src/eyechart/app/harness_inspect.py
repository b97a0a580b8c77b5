"""Inspect as a controlled procedure: the fields of a study as its command line.

Its epochs share one seed, so a repeat is a run of its own with a seed of its own. Arguments of tasks and models go
through configuration files: on its command line a comma makes a list of a text.
"""

from __future__ import annotations

import json
import re
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
    words_option,
)
from eyechart.core.errors import InputError
from eyechart.core.spec import Spec

NAME = "Inspect"
ABLE = (
    "model.name", "model.backend", "model.url", "model.api_key_env", "decoding.temperature", "decoding.top_p",
    "decoding.top_k", "decoding.presence_penalty", "decoding.frequency_penalty", "decoding.max_new_tokens",
    "decoding.stop", "decoding.seed", "decoding.seed_scope", "prompt.system", "dataset.limit", "dataset.seed",
    "repeats.count", "repeats.greedy", "repeats.seed", "evaluation.framework", "evaluation.framework_version",
)  # fmt: skip
OPTIONS = ("task", "task_args", "model_args", "max_connections", "python", "timeout", "args")
_TASK = "an argument of the task can: model.options.task_args.NAME"
INSTEAD = {
    "dataset": f"the task says which data; {_TASK}",
    "prompt": f"the task writes the prompt; {_TASK}",
    "prompt.few_shot": f"it has no shots of its own; {_TASK}",
    "evaluation": "the task scores the answers; `eyechart reread RUN` reads them again in other ways",
    "decoding": "pass what the model takes in model.options.model_args",
    "decoding.do_sample": "write decoding.temperature: 0",
    "model": "pass what the model takes in model.options.model_args",
    "model.batch_size": "write model.options.max_connections",
    "judge": "judges are asked by eyechart itself; leave the section out",
}
FLAGS = {
    "temperature": "--temperature", "top_p": "--top-p", "top_k": "--top-k", "max_new_tokens": "--max-tokens",
    "presence_penalty": "--presence-penalty", "frequency_penalty": "--frequency-penalty",
}  # fmt: skip
TAKEN = (
    *FLAGS.values(), "--model", "--model-base-url", "-M", "--model-config", "-T", "--task-config", "--limit", "--epochs",
    "--sample-shuffle", "--seed", "--stop-seqs", "--generate-config", "--system-message", "--log-dir", "--log-format",
    "--display", "--max-connections", "--no-log-samples", "--no-score", "--cache", "--run-config",
)  # fmt: skip
"""Flags that the study sets. A cache would answer a repeat with the answer of another run."""


def _line(spec: Spec, base: Path, seed: int | None, /) -> Line:
    refuse_others(spec, NAME, ABLE, OPTIONS, INSTEAD)
    tasks = words_option(spec, "task")
    if not tasks:
        raise InputError("say what to run, e.g. task: my_task.py", field="model.options.task")
    if spec.model.name is None:
        raise InputError("say which model, e.g. openai-api/local/my-model", field="model.name")
    words = ["-m", "inspect_ai", "eval", *tasks, "--model", spec.model.name]
    wanted: list[tuple[str, Any]] = [("model.name", spec.model.name)]
    if spec.model.url is not None:
        words += ["--model-base-url", spec.model.url]
        wanted.append(("model.url", spec.model.url))
    for name, flag in FLAGS.items():
        value = getattr(spec.decoding, name)
        if value is not None:
            words += [flag, str(value)]
            wanted.append((f"decoding.{name}", value))
    if seed is not None:
        words += ["--seed", str(seed)]
        wanted.append(("decoding.seed", seed))
    if spec.prompt.system is not None:
        words += ["--system-message", spec.prompt.system]
        wanted.append(("system", spec.prompt.system))
    for more, looked in (_data(spec), _written_words(spec)):
        words += more
        wanted += looked
    written = tuple(_written(spec))
    if spec.decoding.stop is not None:
        wanted.append(("decoding.stop", spec.decoding.stop))
    words += [
        "--epochs",
        "1",
        "--no-fail-on-error",
        "--display",
        "plain",
        "--log-format",
        "eval",
        *further(spec, TAKEN),
    ]
    return Line(
        words=tuple(words),
        wanted=tuple(wanted),
        files=tuple(base / t.partition("@")[0] for t in tasks),
        written=written,
        keys=keys_of(spec, _variable(spec.model.name)),
    )


def _data(spec: Spec) -> tuple[list[str], list[tuple[str, Any]]]:
    words: list[str] = []
    wanted: list[tuple[str, Any]] = []
    if spec.dataset.limit is not None:
        words += ["--limit", str(spec.dataset.limit)]
        wanted.append(("items.limit", spec.dataset.limit))
    if spec.dataset.seed is not None:
        if spec.dataset.limit is None:
            raise InputError("does nothing without dataset.limit: leave it out, or state a limit", field="dataset.seed")
        words += ["--sample-shuffle", str(spec.dataset.seed)]
        wanted.append(("inspect.eval.config.sample_shuffle", spec.dataset.seed))
    return words, wanted


def _written_words(spec: Spec) -> tuple[list[str], list[tuple[str, Any]]]:
    wanted = [(f"inspect.eval.task_args.{k}", v) for k, v in mapping_option(spec, "task_args").items()]
    most = option(spec, "max_connections")
    if most is None:
        return [], wanted
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise InputError("write a whole number above 0", field="model.options.max_connections")
    return ["--max-connections", str(most)], wanted


def _written(spec: Spec) -> list[tuple[str, str, str]]:
    out: list[tuple[str, str, str]] = []
    for flag, name in (("--task-config", "task_args"), ("--model-config", "model_args")):
        if found := mapping_option(spec, name):
            out.append((flag, f"{name}.json", json.dumps(found, indent=1)))
    if spec.decoding.stop is not None:
        out.append(
            ("--generate-config", "generate.json", json.dumps({"stop_seqs": list(spec.decoding.stop)}, indent=1))
        )
    return out


def _variable(name: str) -> str:
    """Where a provider looks for its key.

    >>> _variable("openai-api/my-server/m"), _variable("openai/gpt-4o"), _variable("google/g")
    ('MY_SERVER_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY')
    """
    parts = name.split("/")
    provider = parts[1] if parts[0] == "openai-api" and len(parts) > 1 else parts[0]
    return re.sub(r"\W", "_", provider).upper() + "_API_KEY"


def _log(folder: Path) -> tuple[str, ...]:
    return ("--log-dir", str(folder))


INSPECT = Harness(
    backend="inspect", name=NAME, package="inspect_ai", extra="inspect", line=_line, log=_log, oldest="0.3.100", dropped="INSPECT_EVAL_"
)  # fmt: skip
