"""Logs of lighteval: `results_*.json`, and details as Parquet, of its versions before 0.10 and since.

Rows of results that are means of other rows (`all`, `:_average|`) are derived and left out. Its hashes of full prompts
are hashes of nothing and are not used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import MissingExtra
from eyechart.core.records import Failure, Item, Request, Response
from eyechart.logs.kinds import top_keys
from eyechart.logs.lm_eval_rows import params_of
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

HARNESS = "lighteval"
DETAILS = re.compile(r"details_(.+)_(\d{4}-\d{2}-\d{2}T[\d:.-]+)\.parquet$")
STAMP = re.compile(r"results_(\d{4}-\d{2}-\d{2}T[\d:.-]+)\.json$")
BATCH = 500


def find(files: Sequence[Path]) -> Iterator[Found]:
    results = [p for p in files if p.suffix == ".json" and top_keys(p)[:1] == ("config_general",)]
    details = [p for p in files if DETAILS.search(p.name)]
    taken: set[Path] = set()
    for path in results:
        mine = [p for p in _beside(path, details) if p not in taken]
        taken.update(mine)
        yield Found(harness=HARNESS, path=path, files=(path, *mine), read=partial(read, path, mine))
    for path in details:
        if path not in taken:
            yield Found(harness=HARNESS, path=path, files=(path,), read=partial(read, None, [path]))


def _beside(path: Path, known: Sequence[Path]) -> list[Path]:
    """Details of the same moment: where lighteval puts them, else among the files at hand."""
    stamp = STAMP.search(path.name)
    if stamp is None:
        return []
    for above in path.parents[:5]:
        if above.name == "results":
            folder = above.parent / "details" / path.parent.relative_to(above) / stamp[1]
            if found := sorted(p for p in folder.glob("details_*.parquet") if not p.is_symlink()):
                return found
    return sorted(p for p in known if p.name.endswith(f"_{stamp[1]}.parquet"))


def read(path: Path | None, details: Sequence[Path]) -> Iterator[Foreign]:
    """Raises Unreadable, MissingExtra."""
    log = mapping(read_json(path)) if path else mapping(None)
    tables: dict[str, Path] = {}
    for one in details:
        found = DETAILS.search(one.name)
        if found:
            tables[found[1]] = one
    named = [n for n in mapping(log.get("results")) if n != "all" and ":_average|" not in n]
    for name in dict.fromkeys([*named, *(n for n in tables if n not in named)]):
        table = tables.get(name)
        if path and not named and not tables:
            raise Unreadable("holds no results")
        yield _foreign(path, log, name, table)


def _foreign(path: Path | None, log: Mapping[str, Any], name: str, table: Path | None) -> Foreign:
    general = mapping(log.get("config_general"))
    model = mapping(general.get("model_config"))
    task = mapping(dig(log, "config_tasks", name)) or mapping(dig(log, "config_tasks", name.rpartition("|")[0]))
    called = text(general.get("model_name")) or text(model.get("model_name"))
    listed = [mapping(m) for m in sequence(task.get("metrics")) or sequence(task.get("metric"))]
    down = {text(m.get("metric_name")) for m in listed if m.get("higher_is_better") is False} - {None}
    first = mapping(next(_records(table), None) if table else None)
    options = _is_options(first)
    sha = text(general.get("lighteval_sha"))
    settings = _settings(general, model, task, name, called, options)
    params = {s.path.removeprefix("decoding."): s.value for s in settings if s.path.startswith("decoding.")}
    findings = [f"{metric}: lower is better, so it is no score and is left out" for metric in sorted(map(str, down))]
    if (most := general.get("max_samples")) is not None:
        findings.append(f"max_samples {short(most, 20)}: the first items of the data were taken, not a sample of them")
    if path is None:
        findings.append("no results beside the details: how they were made stands nowhere")
    readings: dict[str, Mapping[str, Any]] = {}
    for metric in listed if options else ():
        if "logprob_normalization=None" in (text(metric.get("sample_level_fn")) or ""):
            readings[text(metric.get("metric_name")) or ""] = {"elicit": "options", "normalize": "none"}
    return Foreign(
        harness=HARNESS,
        version=None if sha in (None, "?") else sha,
        task=name,
        model=called,
        files=tuple(p for p in (path, table) if p is not None),
        rows=partial(rows, table, tuple(sorted(params.items())), options, frozenset(map(str, down))) if table else None,
        elicit="options" if options else "generate",
        settings=settings,
        readings=readings,
        claims=tuple(_claims(mapping(dig(log, "results", name)), listed)),
        total=n if (n := whole(task.get("effective_num_docs"))) is not None and n > 0 else None,
        of=n if (n := whole(task.get("original_num_docs"))) is not None and n > 0 else None,
        limit=most if most is None or number(most) is not None else short(most, 20),
        findings=tuple(findings),
    )


def _settings(
    general: Mapping[str, Any], model: Mapping[str, Any], task: Mapping[str, Any], name: str, called: str | None,
    options: bool,
) -> tuple[Setting, ...]:  # fmt: skip
    shots = name.rpartition("|")[2]
    count = whole(task.get("num_fewshots"))
    splits = [text(s) for s in sequence(task.get("evaluation_splits"))]
    dtype, batch = text(model.get("dtype")) or text(general.get("model_dtype")), whole(model.get("batch_size"))
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(task.get("hf_repo")), "config_tasks.hf_repo"),
        ("dataset.subset", text(task.get("hf_subset")), "config_tasks.hf_subset"),
        ("dataset.revision", text(task.get("hf_revision")), "config_tasks.hf_revision"),
        ("dataset.split", splits[0] if len(splits) == 1 else None, "config_tasks.evaluation_splits"),
        ("prompt.system", text(model.get("system_prompt")), "model_config.system_prompt"),
        ("prompt.few_shot.count", int(shots) if shots.isdecimal() and len(shots) < 4 else count, "task name"),
        ("model.name", called, "config_general.model_name"),
        ("model.revision", text(model.get("revision")) or text(general.get("model_sha")), "model_config.revision"),
        ("model.dtype", dtype.removeprefix("torch.") if dtype else None, "model_config.dtype"),
        ("model.batch_size", batch if batch and batch > 0 else None, "model_config.batch_size"),
    ]
    if shots not in ("", "0"):
        given.append(("prompt.few_shot.source", text(task.get("few_shots_split")), "config_tasks.few_shots_split"))
    if not options:
        generation = mapping(model.get("generation_parameters")) or mapping(general.get("generation_parameters"))
        used = params_of({**generation, "until": generation.get("stop_tokens") or task.get("stop_sequence") or []})
        used.setdefault("max_new_tokens", whole(task.get("generation_size")))
        given += [(f"decoding.{k}", v, "generation_parameters") for k, v in used.items()]
    out = [Setting(path=path, value=value, by=by) for path, value, by in given if value is not None]
    own = {f"config_general.{k}": v for k, v in general.items()} | {f"config_task.{k}": v for k, v in task.items()}
    return (*out, *(Setting(path=f"lighteval.{k}", value=v, by="results") for k, v in own.items() if v is not None))


def _claims(found: Mapping[str, Any], listed: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    how = {text(m.get("metric_name")): text(m.get("corpus_level_fn")) for m in listed}
    for key, value in found.items():
        if key.endswith("_stderr") or number(value) is None:
            continue
        made = how.get(key)
        mean = made is None or "mean" in made
        yield Claim(reading=key, key=key, value=number(value), se=number(found.get(f"{key}_stderr")), mean=mean)


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    """Rows of a Parquet file. Raises Unreadable for one that is damaged, MissingExtra without pyarrow."""
    try:
        parquet = cast("Any", import_module("pyarrow.parquet"))
        broken = cast("Any", import_module("pyarrow")).ArrowException
    except ImportError:
        raise MissingExtra("details of lighteval", "pyarrow", "parquet") from None
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BATCH):
                for row in batch.to_pylist():
                    yield mapping(row)
    except (broken, OSError, ValueError, KeyError) as error:
        raise Unreadable(f"{path.name} is no whole Parquet file: {short(error, 80)}") from None


def _listed(value: Any) -> Sequence[Any]:
    """A list, or one that was written as text: `"['a', 'b']"` of old details."""
    if isinstance(value, str) and value[:1] == "[" and len(value) < 1_000_000:
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return ()
    if isinstance(value, str):
        return (value,)
    return sequence(value) or ((value,) if number(value) is not None else ())


def _split(row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]:
    """Document, answer and scores of a row, new style or old."""
    if "doc" in row or "model_response" in row:
        metric = mapping(row.get("metric")) or mapping(row.get("metrics"))
        return mapping(row.get("doc")), mapping(row.get("model_response")), metric
    doc = {
        "query": row.get("example"), "choices": row.get("choices"), "gold_index": row.get("gold_index"),
        "gold": row.get("gold"), "instruction": row.get("instruction"),
    }  # fmt: skip
    answer = {"input": row.get("full_prompt"), "text": row.get("predictions"), "logprobs": row.get("pred_logits")}
    return doc, answer, mapping(row.get("metrics"))


def _is_options(row: Mapping[str, Any]) -> bool:
    doc, answer, _ = _split(row)
    said = [t for t in _listed(answer.get("text")) if isinstance(t, str) and t]
    losses, choices = _listed(answer.get("logprobs")), _listed(doc.get("choices"))
    return not said and len(choices) > 1 and len(losses) == len(choices)


def rows(
    path: Path, params: tuple[tuple[str, Any], ...], options: bool, down: frozenset[str], notes: Notes
) -> Iterator[Row]:
    for at, row in enumerate(_records(path)):
        doc, answer, metric = _split(row)
        scores: list[Scored] = []
        for name, value in metric.items():
            if isinstance(value, list | dict):
                notes.say(f"{name} is no score of an item (the harness pools it) and is left out")
            elif name not in down and (value is not None):
                scores.append(Scored(name, number(value)))
        prompt = answer.get("input") if answer.get("input") is not None else doc.get("query")
        item = _item(text(doc.get("id")) or str(at), doc, options)
        if options:
            yield _options(item, doc, answer, prompt, tuple(scores))
        else:
            yield from _generated(item, answer, prompt, params, tuple(scores))


def _item(name: str, doc: Mapping[str, Any], options: bool) -> Item:
    question = text(doc.get("original_query")) or text(doc.get("query"))
    choices = [str(c) for c in _listed(doc.get("choices"))]
    golds = [i for g in _listed(doc.get("gold_index")) if (i := whole(g)) is not None and 0 <= i < len(choices)]
    told = [choices[i].strip() for i in golds] or [str(g).strip() for g in _listed(doc.get("gold"))]
    if options and len(golds) == 1 and len(choices) > 1:
        return item_of(name, question, choices=[c.strip() for c in choices], at=golds[0], more=doc)
    return item_of(name, question, gold=told, more=doc)


def _prompt(prompt: Any) -> tuple[str | None, Any]:
    talk = messages(prompt)
    return (None, talk) if talk else (prompt if isinstance(prompt, str) else "", ())


def _options(
    item: Item, doc: Mapping[str, Any], answer: Mapping[str, Any], prompt: Any, scores: tuple[Scored, ...]
) -> Row:
    asked, talk = _prompt(prompt)
    texts = tuple(str(c) for c in _listed(doc.get("choices")))
    losses = [number(x) for x in _listed(answer.get("logprobs"))]
    known = [x for x in losses if x is not None]
    got: Response | Failure = failed("the log lacks the log-probability of an option")
    if texts and len(known) == len(texts):
        got = Response(option_logprobs=tuple((x,) for x in known))
    request = Request(elicit="options", prompt=asked, messages=talk, options=texts)
    return Row(item=item, request=request, answer=got, scores=scores)


def _generated(
    item: Item, answer: Mapping[str, Any], prompt: Any, params: tuple[tuple[str, Any], ...], scores: tuple[Scored, ...]
) -> Iterator[Row]:
    """Several samples of an item have one score together: it stands with the first."""
    asked, talk = _prompt(prompt)
    request = Request(elicit="generate", prompt=asked, messages=talk, params=params)
    texts = _listed(answer.get("text"))
    for repeat, one in enumerate(texts or (None,)):
        mine = scores if repeat == 0 else tuple(Scored(s.reading, None) for s in scores)
        said = generated(one if isinstance(one, str) else None)
        yield Row(item=item, request=request, answer=said, scores=mine, repeat=repeat if len(texts) > 1 else None)
