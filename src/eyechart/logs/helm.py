"""Logs of HELM: the folder of a run with `run_spec`, `scenario_state`, `per_instance_stats` and `stats`.

The parameters are those of the requests, not of the adapter. Perturbed copies of an instance are left out. Train trials
are repeats with other shots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Request, Response
from eyechart.logs.plain import (
    dig,
    failed,
    generated,
    item_of,
    mapping,
    messages,
    number,
    read_json,
    sequence,
    short,
    text,
    whole,
)
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "HELM"
FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json", "stats.json", "scenario.json")
USUAL = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score",
         "math_equiv", "math_equiv_chain_of_thought", "final_number_exact_match", "chain_of_thought_correctness",
         "rouge_l", "bleu_1", "bleu_4", "code_eval_acc", "ifeval_strict_accuracy", "bbq_accuracy")  # fmt: skip
"""Scores among its many statistics, unless the run names others."""
KEPT = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_new_tokens",
        "presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty"}  # fmt: skip


def find(files: Sequence[Path]) -> Iterator[Found]:
    folders = dict.fromkeys(path.parent for path in files if path.name in FILES[:4])
    for folder in folders:
        mine = tuple(folder / name for name in FILES if (folder / name).is_file())
        if any(path.name in FILES[:3] for path in mine):
            yield Found(harness=HARNESS, path=folder, files=mine, read=partial(read, folder, mine))


def _part(folder: Path, name: str) -> Any:
    try:
        return read_json(folder / name) if (folder / name).is_file() else None
    except Unreadable as error:
        raise Unreadable(f"{name}: {error}") from None


def read(folder: Path, files: Sequence[Path]) -> Iterator[Foreign]:
    """Raises Unreadable."""
    spec, stats = mapping(_part(folder, "run_spec.json")), _part(folder, "stats.json")
    state = mapping(_part(folder, "scenario_state.json"))
    adapter = mapping(spec.get("adapter_spec")) or mapping(state.get("adapter_spec"))
    states = [mapping(s) for s in sequence(state.get("request_states"))]
    if not states and not spec:
        raise Unreadable("holds neither a specification nor requests")
    names = _metrics(spec)
    findings = (
        [] if (folder / "per_instance_stats.json").is_file() else ["no per_instance_stats.json: no scores of items"]
    )
    if not states:
        findings.append("no scenario_state.json: no answers")
    settings, said = _settings(spec, adapter, states)
    perturbed = sum(1 for s in states if dig(s, "instance", "perturbation"))
    if perturbed:
        findings.append(f"{perturbed:,} answers to perturbed copies of items are left out")
    yield Foreign(
        harness=HARNESS,
        version=None,
        task=text(spec.get("name")) or folder.name,
        model=text(adapter.get("model")),
        files=tuple(files),
        rows=partial(rows, folder, names) if states else None,
        elicit="options" if any(s.get("reference_index") is not None for s in states[:1]) else "generate",
        settings=tuple(settings),
        claims=tuple(_claims(stats, states, names)),
        findings=(*findings, *said),
    )


def _metrics(spec: Mapping[str, Any]) -> tuple[str, ...]:
    named = [text(n) for m in sequence(spec.get("metric_specs")) for n in sequence(dig(m, "args", "names"))]
    return tuple(dict.fromkeys([n for n in named if n] + list(USUAL)))


def _settings(
    spec: Mapping[str, Any], adapter: Mapping[str, Any], states: Sequence[Mapping[str, Any]]
) -> tuple[list[Setting], list[str]]:
    sent = mapping(dig(states[0], "request") if states else None)
    used, by = (sent, "scenario_state, request") if sent else (adapter, "adapter_spec")
    shots = {whole(s.get("num_train_instances")) for s in states}
    splits = {text(dig(s, "instance", "split")) for s in states}
    seen: set[Any] = {short(dig(s, "request", "temperature")) for s in states}
    stop = tuple(s for s in sequence(used.get("stop_sequences")) if isinstance(s, str))
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(dig(spec, "scenario_spec", "class_name")), "scenario_spec"),
        ("dataset.split", next(iter(splits)) if len(splits) == 1 else None, "instance.split"),
        ("prompt.few_shot.count", next(iter(shots)) if len(shots) == 1 else None, "num_train_instances"),
        ("prompt.chat_template", bool(sent.get("messages")) or None, "request.messages"),
        ("model.name", text(adapter.get("model")), "adapter_spec.model"),
        ("decoding.stop", stop if "stop_sequences" in used else None, by),
        ("repeats.count", whole(adapter.get("num_train_trials")), "adapter_spec.num_train_trials"),
    ]
    for key, path in KEPT.items():
        value = whole(used.get(key)) if path == "max_new_tokens" else number(used.get(key))
        if not (key == "temperature" and len(seen) > 1):
            given.append((f"decoding.{path}", value, by))
    out = [Setting(path=path, value=value, by=source) for path, value, source in given if value is not None]
    own = {f"adapter_spec.{k}": v for k, v in adapter.items()} | {
        k: spec.get(k) for k in ("name", "scenario_spec", "metric_specs", "data_augmenter_spec", "groups")
    }
    out += [Setting(path=f"helm.{k}", value=v, by="run_spec") for k, v in own.items() if v is not None]
    said = [
        f"{key}: the adapter asked for {short(adapter[key], 40)}, and what was sent has {short(sent.get(key), 40)}"
        for key in (*KEPT, "stop_sequences")
        if sent and key in adapter and key in sent and adapter[key] != sent.get(key)
    ]
    if (whole(adapter.get("num_train_trials")) or 1) > 1:
        said.append("repeats are train trials: each has other shots")
    return out, said


def _plain_stat(stat: Any, split: str | None) -> tuple[str, float | None] | None:
    """Name and mean of a statistic of unperturbed instances; None for others."""
    named = mapping(dig(stat, "name"))
    if named.get("perturbation") or named.get("sub_split") or (split is not None and named.get("split") != split):
        return None
    name = text(named.get("name"))
    mean = number(dig(stat, "mean"))
    count, total = number(dig(stat, "count")), number(dig(stat, "sum"))
    if mean is None and count and total is not None:
        mean = total / count
    return (name, mean) if name else None


def _claims(stats: Any, states: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[Claim]:
    """One for each split: a run may hold items of several, and no statistic is over all of them."""
    splits = dict.fromkeys(s for s in (text(dig(one, "instance", "split")) for one in states) if s)
    for split in splits or {None: None}:
        for stat in sequence(stats):
            found = _plain_stat(stat, split)
            if found and found[0] in names:
                group = split if len(splits) > 1 else None
                yield Claim(reading=found[0], key=found[0], value=found[1], group=group)


def rows(folder: Path, names: Sequence[str], notes: Notes) -> Iterator[Row]:
    scores: dict[tuple[str, int], dict[str, float | None]] = {}
    present: dict[str, None] = {}
    for one in sequence(_part(folder, "per_instance_stats.json")):
        if dig(one, "perturbation"):
            continue
        key = (text(dig(one, "instance_id")) or "", whole(dig(one, "train_trial_index")) or 0)
        for stat in sequence(dig(one, "stats")):
            found = _plain_stat(stat, None)
            if found and found[0] in names:
                scores.setdefault(key, {})[found[0]] = found[1]
                present.setdefault(found[0])
    order = [name for name in names if name in present]
    together: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for state in sequence(mapping(_part(folder, "scenario_state.json")).get("request_states")):
        name = text(dig(state, "instance", "id"))
        if name is None:
            notes.say("an instance without id was left out")
        elif not dig(state, "instance", "perturbation"):
            together.setdefault((name, whole(dig(state, "train_trial_index")) or 0), []).append(mapping(state))
    several = len({trial for _, trial in together}) > 1
    apart = len({text(dig(states[0], "instance", "split")) for states in together.values()}) > 1
    for (name, trial), states in together.items():
        mine = scores.get((name, trial), {})
        if not mine and scores:
            notes.say("an item has answers and no statistics")
        told = tuple(Scored(metric, mine.get(metric)) for metric in order)
        split = text(dig(states[0], "instance", "split")) if apart else None
        yield _row(name, states, told, trial if several else None, split)


def _row(
    name: str,
    states: Sequence[Mapping[str, Any]],
    told: tuple[Scored, ...],
    repeat: int | None,
    split: str | None,
) -> Row:
    first = states[0]
    instance, mapped = mapping(first.get("instance")), mapping(first.get("output_mapping"))
    references = [text(dig(r, "output", "text")) or "" for r in sequence(instance.get("references"))]
    right = [
        references[i]
        for i, r in enumerate(sequence(instance.get("references")))
        if "correct" in sequence(dig(r, "tags"))
    ]
    shown = [str(v) for v in mapped.values()]
    apart = [
        s for s in states if whole(s.get("reference_index")) is not None and s.get("request_mode") != "calibration"
    ]
    choices = shown or (references if apart else [])
    at = choices.index(right[0]) if right and right[0] in choices else None
    question = text(dig(instance, "input", "text"))
    group = split or text(instance.get("sub_split"))
    item = item_of(name, question, gold=right, choices=choices if at is not None else [], at=at, group=group)
    asked = mapping(first.get("request"))
    params = {path: number(asked.get(key)) for key, path in KEPT.items() if number(asked.get(key)) is not None}
    if "max_new_tokens" in params:
        params["max_new_tokens"] = whole(asked.get("max_tokens"))
    result = mapping(first.get("result"))
    cached = result.get("cached") is True
    if apart and not shown:
        request, answer = _apart(apart, references)
    else:
        talk = messages(asked.get("messages"))
        prompt = None if talk else (text(asked.get("prompt")) or "")
        request = Request(elicit="generate", prompt=prompt, messages=talk, params=tuple(sorted(params.items())))
        answer = _answer(result)
    return Row(item=item, request=request, answer=answer, scores=told, repeat=repeat, cached=cached)


def _answer(result: Mapping[str, Any]) -> Response | Failure:
    first = next(iter(sequence(result.get("completions"))), None)
    said = dig(first, "text")
    if result.get("success") is False and not isinstance(said, str):
        return failed(result.get("error"))
    why = dig(first, "finish_reason", "reason") or dig(first, "finish_reason")
    return generated(said if isinstance(said, str) else None, finish_reason=text(why))


def _apart(states: Sequence[Mapping[str, Any]], references: Sequence[str]) -> tuple[Request, Response | Failure]:
    """Each reference was scored by a request of its own: what is kept is its log-probability."""
    found: dict[int, float] = {}
    for state in states:
        at = whole(state.get("reference_index"))
        first = next(iter(sequence(dig(state, "result", "completions"))), None)
        value = number(dig(first, "logprob"))
        if at is not None and value is not None:
            found.setdefault(at, value)
    request = Request(elicit="options", prompt="", options=tuple(references))
    if not references or set(found) != set(range(len(references))):
        return request, failed("the log lacks the log-probability of a reference")
    return request, Response(option_logprobs=tuple((found[i],) for i in range(len(references))))
