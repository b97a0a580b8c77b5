"""Logs of lm-evaluation-harness: `results_*.json` and `samples_*.jsonl`, as its versions 0.3 and 0.4 write them.

One run a task; the tasks of a group are one run, its items grouped by task. The effective parameters are those
that stand in the samples; what the command line said is kept apart. Its prompt hashes cover no parameter and are
not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.logs.kinds import first_line, top_keys
from eyechart.logs.lm_eval_rows import params_of, requests_of, rows
from eyechart.logs.plain import (
    dig,
    mapping,
    moment,
    number,
    pairs_of,
    read_json,
    sequence,
    short,
    stand_in,
    text,
    whole,
    written,
)
from eyechart.logs.values import Claim, Foreign, Found, Setting, Unreadable

HARNESS = "lm-evaluation-harness"
STAMP = re.compile(r"_?(\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:][\d.]+)\.jsonl?$")
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "acc": {"elicit": "options", "normalize": "none"},
    "acc_norm": {"elicit": "options", "normalize": "characters"},
    "acc_bytes": {"elicit": "options", "normalize": "bytes"},
}
"""Its metrics of options that this house works out too; `acc_norm` divides by characters (its issue 3278)."""
NO_MEAN = ("f1", "mcc", "bleu", "chrf", "ter", "rouge", "perplexity", "bits_per_byte", "gmean")
"""Metrics whose aggregate is not the mean of the scores of items."""


def find(files: Sequence[Path]) -> Iterator[Found]:
    """Results and samples of one time stamp and folder are one log; a file alone finds its mates beside it."""
    groups: dict[tuple[Path, str], set[Path]] = {}
    for path in files:
        if is_results(path) or is_samples(path):
            stamp = stamp_of(path)
            group = groups.setdefault((path.parent, stamp), set())
            group.add(path)
            if stamp:
                mates = path.parent.glob(f"*{glob_safe(stamp)}.json*")
                group |= {m for m in mates if not m.is_symlink() and (is_results(m) or is_samples(m) or _is_place(m))}
    for members in groups.values():
        results = sorted(p for p in members if p.suffix == ".json")
        samples = sorted(p for p in members if p.suffix == ".jsonl")
        parts = [(r, samples if i == 0 else []) for i, r in enumerate(results)] or [(None, samples)]
        for result, with_samples in parts:
            mine = tuple(p for p in (result, *with_samples) if p is not None)
            yield Found(harness=HARNESS, path=mine[0], files=mine, read=partial(read, result, with_samples))


def stamp_of(path: Path) -> str:
    found = STAMP.search(path.name)
    return found[1] if found else ""


def glob_safe(stamp: str) -> str:
    return re.sub(r"[^\w.:-]", "?", stamp)


def is_results(path: Path) -> bool:
    if path.suffix != ".json":
        return False
    keys = top_keys(path)
    others = {"group_subtasks", "configs", "versions", "groups", "n-shot", "config"}
    return keys[:1] == ("results",) and bool(others.intersection(keys) or path.name.startswith("results"))


def is_samples(path: Path) -> bool:
    if path.suffix != ".jsonl":
        return False
    row = first_line(path)
    return "doc_id" in row and bool({"resps", "arguments", "filtered_resps"}.intersection(row))


def _is_place(path: Path) -> bool:
    """Whether a file is named like samples and stands where they should: what it lacks is said of its task."""
    return path.suffix == ".jsonl" and path.name.startswith("samples_") and path.is_file()


def read(result: Path | None, samples: Sequence[Path]) -> Iterator[Foreign]:
    """Raises Unreadable where the results are damaged; samples without results are read alone."""
    facts = mapping(read_json(result)) if result else mapping(None)
    found = mapping(facts.get("results"))
    if result and not found:
        raise Unreadable("holds no results")
    tasks = [*found, *mapping(facts.get("configs"))]
    by_task = {task_of(path, tasks): path for path in samples if is_samples(path)}
    others = [path for path in samples if not is_samples(path)]
    lost = {task_of(path, tasks): f"{path.name} {stand_in(path) or 'holds no row of samples'}" for path in others}
    members = _members(facts)
    inside = {leaf for leaves in members.values() for leaf in leaves}
    log = _Log(facts, result, lost)
    for group, leaves in members.items():
        have = [(leaf, by_task[leaf]) for leaf in leaves if leaf in by_task]
        yield _foreign(log, group, have, [leaf for leaf in leaves if leaf not in by_task])
    for task in dict.fromkeys([*by_task, *found, *lost]):
        if task in by_task and task not in inside:
            yield _foreign(log, task, [(task, by_task[task])], [])
        elif task not in inside and task not in _groups(facts):
            yield _foreign(log, task, [], [])


def task_of(path: Path, tasks: Iterable[str]) -> str:
    """The task of a file of samples: by its name, and of the old names by their end.

    >>> task_of(Path("samples_gsm8k_cot_2025-01-02T03-04-05.678.jsonl"), [])
    'gsm8k_cot'
    >>> task_of(Path("pretrained__EleutherAI__pythia_arc_easy.jsonl"), ["arc", "arc_easy"])
    'arc_easy'
    """
    name = STAMP.sub("", path.name).removesuffix(".jsonl").removesuffix("_")
    if name.startswith("samples_"):
        return name.removeprefix("samples_")
    ends = [task for task in tasks if name == task or name.endswith(f"_{task}")]
    return max(ends, key=len) if ends else name


def _groups(facts: Mapping[str, Any]) -> set[str]:
    """Names that stand for several tasks: their rows are derived and hold no items of their own."""
    nested = {g for g, tasks in mapping(facts.get("group_subtasks")).items() if sequence(tasks)}
    return nested | set(mapping(facts.get("groups")))


def _members(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """The outermost groups whose tasks ask alike, and the tasks at their ends; others are taken apart."""
    nested = {g: [str(t) for t in sequence(ts)] for g, ts in mapping(facts.get("group_subtasks")).items()}
    inner = {task for tasks in nested.values() for task in tasks}

    def ends(task: str, seen: frozenset[str]) -> Iterator[str]:
        below = [t for t in nested.get(task, ()) if t not in seen]
        if not below and task not in seen:
            yield task
        for one in below:
            yield from ends(one, seen | {task})

    def alike(tasks: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
        for task in tasks:
            below = [t for t in dict.fromkeys(ends(task, frozenset())) if t != task]
            if below and len({_manner(facts, leaf) for leaf in below}) == 1:
                yield task, below
            elif below and task not in opened:
                opened.add(task)
                yield from alike(nested[task])

    opened: set[str] = set()
    return dict(alike(g for g in nested if nested[g] and g not in inner))


def _manner(facts: Mapping[str, Any], task: str) -> tuple[Any, ...]:
    """How a task asks and scores; tasks of which nothing is known are alike."""
    config = mapping(dig(facts, "configs", task))
    metrics = sorted(str(dig(m, "metric")) for m in sequence(config.get("metric_list")))
    return (text(config.get("output_type")), *metrics)


@dataclass(frozen=True)
class _Log:
    facts: Mapping[str, Any]
    result: Path | None
    lost: Mapping[str, str]
    """Task to why the file that should hold its samples holds none."""


def _foreign(log: _Log, task: str, have: Sequence[tuple[str, Path]], lacking: Sequence[str]) -> Foreign:
    facts = log.facts
    leaves = [leaf for leaf, _ in have] or [task]
    config = mapping(dig(facts, "configs", leaves[0]))
    first = first_line(have[0][1]) if have else mapping(None)
    kind = text(config.get("output_type")) or _guess(first)
    grouped = len(have) > 1 or (bool(have) and have[0][0] != task)
    rated = {leaf: mapping(dig(facts, "higher_is_better", leaf)) for leaf in leaves}
    down = {m for r in rated.values() for m, up in r.items() if up is False}
    findings = [f"{metric}: lower is better, so it is no score and is left out" for metric in sorted(down)]
    if lacking:
        findings.append(f"{len(lacking)} tasks of the group have no samples: {short(', '.join(lacking))}")
    findings += [log.lost[one] for one in (task, *lacking) if one in log.lost]
    if log.result is None:
        findings.append("no results beside the samples: how they were made stands nowhere")
    settings, said = _settings(log, task, leaves, config, kind, first)
    shared = [_settings(log, leaf, [leaf], mapping(dig(facts, "configs", leaf)), kind, first)[0] for leaf in leaves[1:]]
    kept, differ = _shared(settings, shared)
    findings += said + [f"{path} is not the same for all tasks of the group" for path in differ]
    total = [_total(facts, leaf) for leaf in leaves]
    there = [whole(dig(facts, "n-samples", leaf, "original")) for leaf in leaves]
    of = sum(n for n in there if n is not None) if None not in there else None
    if of is not None:  # of a group all its tasks together
        kept.append(Setting(path="dataset.count", value=of, by="n-samples.original"))
    return Foreign(
        harness=HARNESS,
        version=text(facts.get("lm_eval_version")),
        task=task,
        model=_model(facts),
        files=tuple(p for p in (log.result, *(path for _, path in have)) if p is not None),
        rows=partial(rows, have, kind, grouped, frozenset(down), _filters(facts, task)) if have else None,
        elicit="generate" if kind == "generate_until" else "options",
        settings=tuple(kept),
        readings=OPTIONS if kind == "multiple_choice" else {},
        claims=tuple(_claims(facts, task, leaves if grouped else [], down)),
        total=sum(t for t in total if t is not None) if None not in total else None,
        of=of,
        limit=number(dig(facts, "config", "limit")),
        findings=tuple(findings),
        started=moment(facts.get("date")),
        finished=_finished(facts),
        packages=_packages(facts),
        platform=_platform(facts),
    )


def _guess(row: Mapping[str, Any]) -> str:
    sent = requests_of(row)
    if sent and isinstance(sent[0][1], str):
        return "multiple_choice" if len(sent) > 1 else "loglikelihood"
    return "generate_until"


def _model(facts: Mapping[str, Any]) -> str | None:
    args = pairs_of(dig(facts, "config", "model_args"))
    named = [facts.get("model_name"), args.get("pretrained"), args.get("model"), dig(facts, "config", "model")]
    return next((name for name in map(text, named) if name), None)


def _filters(facts: Mapping[str, Any], task: str) -> tuple[str, ...]:
    """Its filters in their order: before 0.4.3 rows did not name theirs."""
    keys = mapping(dig(facts, "results", task))
    named = [key.partition(",")[2] for key in keys if "," in key and not key.partition(",")[0].endswith("_stderr")]
    return tuple(dict.fromkeys(named))


def _total(facts: Mapping[str, Any], task: str) -> int | None:
    found = whole(dig(facts, "n-samples", task, "effective"))
    return found if found is not None else whole(dig(facts, "results", task, "sample_len"))


def _claims(facts: Mapping[str, Any], task: str, leaves: Sequence[str], down: set[str]) -> Iterator[Claim]:
    for name in (task, *leaves):
        found = mapping(dig(facts, "results", name)) or mapping(dig(facts, "groups", name))
        listed = sequence(dig(facts, "configs", name, "metric_list"))
        how = {str(dig(m, "metric")): dig(m, "aggregation") for m in listed}
        for key, value in found.items():
            metric, _, filtered = key.partition(",")
            if (
                number(value) is None
                or metric.endswith("_stderr")
                or metric in ("alias", "sample_len", "sample_count", "bypass", *down)
            ):
                continue
            yield Claim(
                reading=metric if filtered in ("", "none") else f"{metric}@{filtered}",
                key=key,
                value=number(value),
                se=number(found.get(f"{metric}_stderr{',' if filtered else ''}{filtered}")),
                n=n if (n := whole(dig(found, "sample_count", key))) is not None else _total(facts, name),
                mean=how.get(metric) in (None, "mean", "nanmean") and not metric.startswith(NO_MEAN),
                group=name if name != task else None,
            )


def _settings(
    log: _Log, task: str, leaves: Sequence[str], config: Mapping[str, Any], kind: str, first: Mapping[str, Any]
) -> tuple[list[Setting], list[str]]:
    facts, leaf = log.facts, leaves[0]
    run = mapping(facts.get("config"))
    shots = whole(config.get("num_fewshot"))
    shots = whole(dig(facts, "n-shot", leaf)) if shots is None else shots
    shots = whole(run.get("num_fewshot")) if shots is None else shots  # before 0.4
    template = text(config.get("doc_to_text"))
    dtype = text(run.get("model_dtype"))
    batch = text(run.get("batch_size"))
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(config.get("dataset_path")), "configs.dataset_path"),
        ("dataset.subset", text(config.get("dataset_name")), "configs.dataset_name"),
        ("dataset.split", text(config.get("test_split")) or text(config.get("validation_split")), "configs"),
        ("prompt.template", template if template and "{{" in template else None, "configs.doc_to_text"),
        ("prompt.system", text(facts.get("system_instruction")), "system_instruction"),
        ("prompt.chat_template", facts["chat_template"] is not None if "chat_template" in facts else None, "results"),
        ("prompt.few_shot.count", shots, "configs.num_fewshot"),
        ("model.name", _model(facts), "config.model_args"),
        ("model.revision", text(run.get("model_sha")) or text(run.get("model_revision")), "config.model_sha"),
        ("model.dtype", dtype.removeprefix("torch.") if dtype else None, "config.model_dtype"),
        ("model.batch_size", int(batch) if batch and batch.isdecimal() and int(batch) > 0 else None, "config"),
        ("model.chat_template_sha256", text(facts.get("chat_template_sha")), "chat_template_sha"),
        ("repeats.count", whole(config.get("repeats")), "configs.repeats"),
        ("evaluation.framework_version", text(facts.get("lm_eval_version")), "lm_eval_version"),
    ]
    if shots:
        given += [
            ("prompt.few_shot.source", text(config.get("fewshot_split")), "configs.fewshot_split"),
            ("prompt.few_shot.seed", whole(run.get("fewshot_seed")), "config.fewshot_seed"),
            ("prompt.separator", text(config.get("fewshot_delimiter")), "configs.fewshot_delimiter"),
        ]
    said: list[str] = []
    if kind == "generate_until":
        sent = requests_of(first)
        used = params_of(sent[0][1]) if sent else params_of(config.get("generation_kwargs"))
        by = "samples, arg_1" if sent else "configs.generation_kwargs"
        given += [(f"decoding.{name}", value, by) for name, value in used.items()]
        said += _overridden(pairs_of(run.get("gen_kwargs")), sent[0][1] if sent else config.get("generation_kwargs"))
    if (limit := run.get("limit")) is not None and number(limit) is not None:
        said.append(f"limit {limit:g}: the first items of the data were taken, not a sample of them")
    own = {f"task_config.{k}": v for k, v in config.items()} | {f"config.{k}": v for k, v in run.items()}
    own["config.model_args"] = pairs_of(run.get("model_args"))
    own["task_version"] = dig(facts, "versions", leaf)
    own["task_hash"] = dig(facts, "task_hashes", leaf)
    own |= {k: facts.get(k) for k in ("git_hash", "max_length", "fewshot_as_multiturn", "eot_token_id")}
    out = [Setting(path=path, value=value, by=by) for path, value, by in given if value is not None]
    out += [Setting(path=f"lm_eval.{k}", value=v, by="results") for k, v in own.items() if v is not None]
    return out, said


def _overridden(given: Mapping[str, Any], used: Any) -> Iterator[str]:
    """What the command line asked for and the requests did not carry."""
    sent = mapping(used)
    for key, value in given.items():
        if str(sent.get(key)).lower() != str(value).lower():
            yield f"gen_kwargs asked for {key}={short(value, 40)}, and what was sent has {short(sent.get(key), 40)}"


def _shared(first: Sequence[Setting], others: Sequence[Sequence[Setting]]) -> tuple[list[Setting], list[str]]:
    """The settings that all tasks of a group share, and the fields of the fingerprint in which they differ."""
    kept: list[Setting] = []
    differ: list[str] = []
    known = [{s.path: s.value for s in one} for one in others]
    for one in first:
        if all(other.get(one.path) == one.value for other in known):
            kept.append(one)
        elif not one.path.startswith("lm_eval."):
            differ.append(one.path)
    return kept, differ


def _finished(facts: Mapping[str, Any]) -> str | None:
    """`date` is when it began; its other times are of a clock of its own."""
    begun, took = number(facts.get("date")), written(facts.get("total_evaluation_time_seconds"))
    return moment(begun + took) if begun is not None and took is not None else None


def _packages(facts: Mapping[str, Any]) -> dict[str, str]:
    out = {"lm_eval": text(facts.get("lm_eval_version")), "transformers": text(facts.get("transformers_version"))}
    told = text(facts.get("pretty_env_info")) or ""
    out |= dict(re.findall(r"\[pip3\] (torch|vllm|numpy)==(\S+)", told))
    return {name: version for name, version in out.items() if version and version != "N/A"}


def _platform(facts: Mapping[str, Any]) -> str | None:
    told = text(facts.get("pretty_env_info")) or ""
    found = [m[1].strip() for k in ("OS", "Python platform", "GPU 0") if (m := re.search(rf"(?m)^{k}: (.+)$", told))]
    return "; ".join(dict.fromkeys(found)) or None
