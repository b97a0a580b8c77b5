"""What folders and file names say a log is, against what stands in it.

A name speaks only where it is plain: a known family, a size, a number of shots, a scheme of quantization. It
contradicts a log only if it names another one of its kind and not the right one: `llama-vs-qwen/qwen.json` is fine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from eyechart.auditing.evidence import Dossier
from eyechart.auditing.said import Where, found, listed
from eyechart.core.findings import Finding

FAMILIES = (
    "llama", "qwen", "mistral", "mixtral", "gemma", "phi", "gpt", "claude", "deepseek", "yi", "falcon", "pythia",
    "olmo", "gemini", "grok", "internlm", "baichuan", "chatglm", "glm", "starcoder", "smollm", "granite", "nemotron",
    "minicpm", "command-r",
)  # fmt: skip
TASKS = (
    "gsm8k", "mmlu", "hellaswag", "truthfulqa", "winogrande", "humaneval", "mbpp", "gpqa", "ifeval", "bbh", "triviaqa",
    "boolq", "piqa", "aime", "ceval", "cmmlu", "squad", "pubmedqa", "mtbench", "simpleqa", "livecodebench", "cruxeval",
    "llmbar", "agieval", "commonsenseqa", "openbookqa",
)  # fmt: skip
"""Words that name nothing else: a folder `math` may hold any task of mathematics, and `opt` any run."""
SCHEMES = ("awq", "gptq", "int8", "int4", "fp8", "fp16", "bf16", "fp32", "q4", "q5", "q6", "q8", "nf4", "8bit", "4bit")
ALIKE: dict[str, str] = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "half": "fp16", "i8": "int8", "i4": "int4",
         "8bit": "int8", "4bit": "int4", "nf4": "int4"}  # fmt: skip
_WORD = re.compile(r"[a-z]+\d*(?:\.\d+)?|\d+(?:\.\d+)?[a-z]*|[一-鿿]+")
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_SHOTS = re.compile(
    r"(?<![a-z0-9.])(?:(\d{1,3})[-_ ]?shots?|(?:few|shots?)[-_=]?(\d{1,3})|(zero)[-_ ]?shot)(?![a-z0-9])"
)
_HEAT = re.compile(r"(?<![a-z0-9])(?:temp(?:erature)?)[-_=]?(\d(?:\.\d+)?)(?![0-9])")


def of_labels(one: Dossier, models: Collection[str] = (), tasks: Collection[str] = ()) -> Iterator[Finding]:
    """`models` and `tasks`: those of all dossiers, names that a folder may carry."""
    label = [part for part in one.label if part]
    if not label:
        return
    place = Where(one.name, one.file)
    text = "/".join(label).lower()
    wrong = set[str]()
    if one.model:
        if other := _other_model(one.model, label, models):
            wrong.add("model")
            yield found("label.model", place, {"label": other, "inside": one.model})
        sizes, own = _sizes(text), _sizes(one.model.lower())
        if own and sizes and not own & sizes and not wrong:
            yield found("label.size", place, {"label": listed(sorted(sizes)), "inside": one.model})
    if one.task and (other := _other_task(one.task, text, tasks, one.model or "")):
        yield found("label.task", place, {"label": other, "inside": one.task})
    shots = {int(a or b or 0) for a, b, _ in _SHOTS.findall(text)}
    if shots and one.shots is not None and one.shots not in shots:
        yield found("label.shots", place, {"label": listed(sorted(map(str, shots))), "inside": str(one.shots)})
    heats = {float(t) for t in _HEAT.findall(text)}
    if heats and one.temperature is not None and one.temperature not in heats:
        yield found('label.temperature', place, {"label": listed(sorted(f'{t:g}' for t in heats)), "inside": f'{one.temperature:g}'})  # fmt: skip
    schemes = _schemes(text)
    stated = _schemes(f"{one.precision or ''} {one.model or ''}".lower())
    if schemes and one.precision is not None and stated and not schemes & stated:
        yield found("label.quantization", place, {"label": listed(sorted(schemes)), "inside": listed(sorted(stated))})


def _other_model(model: str, label: Sequence[str], models: Collection[str]) -> str | None:
    """What a path names instead of `model`; None where it names it, or nothing."""
    text = squeezed("/".join(label))
    own = squeezed(model.rpartition("/")[2])
    if own and own in text:
        return None
    named = [m for m in models if len(squeezed(m.rpartition("/")[2])) >= 5 and squeezed(m.rpartition("/")[2]) in text]
    named = [m for m in named if not same_model(m, model) and not own.startswith(squeezed(m.rpartition("/")[2]))]
    if named:
        return max(named, key=len)
    words, inside = set(_families("/".join(label))), set(_families(model))
    return listed(sorted(words)) if words and inside and not words & inside else None


def _families(text: str) -> Iterator[str]:
    words = [re.sub(r"[\d.]+$", "", w) for w in _WORD.findall(text.lower())]
    joined = "-".join(words)
    for family in FAMILIES:
        if family in words or ("-" in family and f"-{family}-" in f"-{joined}-"):
            yield family


def _other_task(task: str, text: str, tasks: Collection[str], model: str) -> str | None:
    own = set(_WORD.findall(task.lower())) | {squeezed(task)}
    words = set(_WORD.findall(text)) - set(_WORD.findall(model.lower()))
    known = set(TASKS) | {t.lower() for t in tasks if len(t) >= 4 and re.fullmatch(r"[a-z0-9]+", t.lower())}
    named = {t for t in known if t in words}
    if not named or any(t in squeezed(task) for t in named):
        return None
    # Only a task of which the list knows the name can be contradicted: an own name may mean anything.
    if not own & known and not any(t in squeezed(task) for t in TASKS if len(t) > 4):
        return None
    return listed(sorted(named))


def _sizes(text: str) -> set[str]:
    return {f"{float(number):g}{unit}" for number, unit in _SIZE.findall(text)}


def _schemes(text: str) -> set[str]:
    words: list[str] = re.findall(r"[a-z0-9]+", text.replace("torch.", ""))
    plain = [re.sub(r"^(q[4568])(?:0|1|k|ks|km|kl)?$", r"\1", ALIKE.get(word) or word) for word in words]
    return {word for word in plain if word in SCHEMES or word in ALIKE.values()}


def squeezed(name: str) -> str:
    """
    >>> squeezed("Qwen/Qwen2.5-7B_Instruct")
    'qwenqwen257binstruct'
    """
    return re.sub(r"[^a-z0-9一-鿿]", "", name.lower())


def same_model(a: str, b: str) -> bool:
    """Whether two names are one model: another owner, another case, a tag of the latest build.

    >>> same_model("openai/azure/gpt-4o", "openai/GPT-4o"), same_model("a-7b", "a-7b-int4")
    (True, False)
    """
    one, two = (squeezed(name.rpartition("/")[2].removesuffix(":latest")) for name in (a, b))
    return one == two
