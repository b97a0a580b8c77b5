"""Logs of Inspect: `.eval` archives (also of runs that broke off) and `.json`, old versions and new.

The parameters are those of the first model call in a sample, where it is logged, else those of the plan over those of
the model. A sample that ended in an error is a failure. NaN is a score that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Outcome, Request, Response
from eyechart.logs.archive import opened
from eyechart.logs.kinds import top_keys
from eyechart.logs.plain import (
    content_of,
    dig,
    failed,
    generated,
    item_of,
    letter_of,
    mapping,
    messages,
    moment,
    number,
    read_json,
    scored,
    sequence,
    short,
    stand_in,
    text,
    whole,
    written,
)
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "Inspect"
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "max_tokens": "max_new_tokens",
         "seed": "seed", "stop_seqs": "stop", "frequency_penalty": "frequency_penalty",
         "presence_penalty": "presence_penalty"}  # fmt: skip
WIRE = {"max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens"), "stop_seqs": ("stop", "stop_seqs")}
"""Names of parameters in requests of the OpenAI kind, where they are others."""
STOPS = {"max_tokens": "length", "model_length": "length"}
MEANS = ("accuracy", "mean")
ERRORS = ("stderr", "bootstrap_stderr")
ATTACHED = "attachment://"


def find(files: Sequence[Path]) -> Iterator[Found]:
    for path in files:
        if path.suffix == ".eval" or (path.suffix == ".json" and _is_log(path)):
            yield Found(harness=HARNESS, path=path, files=(path,), read=partial(read, path))


def _is_log(path: Path) -> bool:
    keys = top_keys(path)
    return "eval" in keys[:4] and bool({"version", "status", "plan"}.intersection(keys[:5]))


def read(path: Path) -> Iterator[Foreign]:
    """Raises Unreadable."""
    if path.suffix != ".json" and (why := stand_in(path)):
        raise Unreadable(why)
    if path.suffix == ".json":
        log = mapping(read_json(path))
        first = next(iter(sequence(log.get("samples"))), None)
    else:
        with opened(path) as archive:
            start = "header.json" if "header.json" in archive.members else "_journal/start.json"
            if start not in archive.members:
                raise Unreadable("holds neither a header nor a journal")
            log = mapping(archive.json(start))
            names = archive.names("samples/")
            first = archive.json(names[0]) if names else None
    if not mapping(log.get("eval")):
        raise Unreadable("holds no description of an evaluation")
    yield _foreign(path, log, mapping(first))


def _foreign(path: Path, log: Mapping[str, Any], first: Mapping[str, Any]) -> Foreign:
    about = mapping(log.get("eval"))
    status = text(log.get("status"))
    findings: list[str] = []
    if status != "success":
        why = text(dig(log, "error", "message"))
        findings.append(f"its status is {status or 'unknown: it broke off'}" + (f": {short(why, 100)}" if why else ""))
    if dig(about, "revision", "dirty") is True:
        findings.append(
            "made from a repository with changes that were not committed: its commit does not tell the code"
        )
    limit = None if dig(about, "dataset", "shuffled") else dig(about, "config", "limit")
    ids = sequence(dig(about, "dataset", "sample_ids"))
    asked, there = _total(log, len(ids)), whole(dig(about, "dataset", "samples")) or None
    if limit is not None and (asked is None or there is None or asked < there):
        findings.append(f"limit {short(limit, 30)}: the first items of the data were taken, not a sample of them")
    steps = sequence(dig(log, "plan", "steps"))
    if any(dig(step, "params", "shuffle") for step in steps):
        findings.append("options were shuffled when asked: read again by letter, answers may be taken for others")
    settings, calls = _settings(log, about, first, steps)
    params = {s.path.removeprefix("decoding."): s.value for s in settings if s.path.startswith("decoding.")}
    claims = sorted(_claims(log), key=lambda claim: claim.mean)  # of several reducers the mean is the one to hold on to
    named = tuple(claim.reading for claim in claims)
    for score in map(mapping, sequence(dig(log, "results", "scores"))):
        lost, had = whole(score.get("unscored_samples")), whole(score.get("scored_samples"))
        if lost and had is not None:
            findings.append(
                f"{text(score.get('name'))}: the harness could not score {lost:,} of {lost + had:,} answers"
            )
    return Foreign(
        harness=HARNESS,
        version=text(dig(about, "packages", "inspect_ai")),
        task=text(about.get("task")) or path.stem,
        model=text(about.get("model")),
        files=(path,),
        rows=partial(rows, path, tuple(sorted(params.items())), named, _group_key(log)) if first else None,
        settings=tuple(settings),
        claims=tuple(claims),
        total=asked,
        of=there,
        limit=limit if limit is None or number(limit) is not None else short(limit, 30),
        findings=(*findings, *calls),
        started=moment(dig(log, "stats", "started_at")) or moment(about.get("created")),
        finished=moment(dig(log, "stats", "completed_at")),
        packages={k: v for k, v in mapping(about.get("packages")).items() if isinstance(v, str)},
        complete=status == "success",
    )


def _group_key(log: Mapping[str, Any]) -> str | None:
    """The column of metadata by which metrics are grouped."""
    for score in sequence(dig(log, "results", "scores")):
        for metric in mapping(dig(score, "metrics")).values():
            if (found := text(dig(metric, "params", "group_key"))) is not None:
                return found
    return None


def _total(log: Mapping[str, Any], named: int) -> int | None:
    """Items that were asked: those named, or as many as there were samples in each epoch."""
    epochs = whole(dig(log, "eval", "config", "epochs")) or 1
    samples = whole(dig(log, "results", "total_samples")) or 0
    return max(named, samples // max(epochs, 1)) or None


def _settings(
    log: Mapping[str, Any], about: Mapping[str, Any], first: Mapping[str, Any], steps: Sequence[Any]
) -> tuple[list[Setting], list[str]]:
    system = next((dig(s, "params", "template") for s in steps if dig(s, "solver") == "system_message"), None)
    given: list[tuple[str, Any, str]] = [
        ("dataset.name", text(dig(about, "dataset", "name")), "eval.dataset"),
        ("dataset.count", whole(dig(about, "dataset", "samples")) or None, "eval.dataset.samples"),
        ("prompt.system", text(system), "plan.steps"),
        ("model.name", text(about.get("model")), "eval.model"),
        ("model.url", text(about.get("model_base_url")), "eval.model_base_url"),
        ("repeats.count", whole(dig(about, "config", "epochs")) or None, "eval.config.epochs"),
        ("evaluation.framework_version", text(dig(about, "packages", "inspect_ai")), "eval.packages"),
    ]
    planned = {**mapping(about.get("model_generate_config")), **_stated(dig(log, "plan", "config"))}
    called = _called(first)
    used, by = (planned, "plan.config") if called is None else (_stated(called), "samples, events.config")
    for name, path in NAMES.items():
        value = used.get(name)
        if path == "stop":
            value = tuple(s for s in sequence(value) if isinstance(s, str)) or None
        elif path in ("max_new_tokens", "seed", "top_k"):
            value = whole(value)
        elif value is not None:
            value = None if isinstance(value, bool) else number(value)
        given.append((f"decoding.{path}", value, by))
    out = [Setting(path=path, value=value, by=source) for path, value, source in given if value is not None]
    own = {f"eval.{k}": v for k, v in about.items()} | {"plan": log.get("plan"), "log_version": log.get("version")}
    out += [Setting(path=f"inspect.{k}", value=v, by="header") for k, v in own.items() if v is not None]
    differ = [k for k in NAMES if called is not None and k in planned and planned[k] != used.get(k)]
    said = [f"{k} {short(planned[k], 40)} was planned, and {short(used.get(k), 40)} was sent" for k in differ]
    return out, said + list(_lost(first))


def _lost(sample: Mapping[str, Any]) -> Iterator[str]:
    """What the first model call set, and its request, where it is logged as it went out, did not carry."""
    event = next((e for e in sequence(sample.get("events")) if dig(e, "event") == "model"), None)
    request = mapping(dig(event, "call", "request"))
    if not any(name in request for name in NAMES):  # providers of other dialects nest theirs: nothing can be told
        return
    for name, value in _stated(dig(event, "config")).items():
        known = next((request[key] for key in WIRE.get(name, (name,)) if request.get(key) is not None), None)
        if name in NAMES and known != value:
            yield f"{name} {short(value, 40)} was set, and the request to the model had {short(known, 40)}"


def _stated(config: Any) -> dict[str, Any]:
    return {k: v for k, v in mapping(config).items() if v is not None}


def _called(sample: Mapping[str, Any]) -> Any:
    """Parameters of the first model call of a sample; None where calls are not logged."""
    for event in sequence(sample.get("events")):
        if dig(event, "event") == "model":
            return dig(event, "config")
    return None


def _claims(log: Mapping[str, Any]) -> Iterator[Claim]:
    results = mapping(log.get("results"))
    scores = [mapping(s) for s in sequence(results.get("scores")) or sequence(results.get("scorers"))]
    if not scores and results.get("metrics"):  # before scores had names of their own
        scores = [{"name": dig(results, "scorer", "name") or "score", "metrics": results["metrics"]}]
    epochs = whole(dig(log, "eval", "config", "epochs")) or 1
    asked = whole(results.get("completed_samples"))
    for one in scores:
        name, scorer = text(one.get("name")) or "score", text(one.get("scorer"))
        reading = f"{scorer}/{name}" if scorer and scorer != name else name
        reducer = text(one.get("reducer"))
        over = whole(one.get("scored_samples"))  # of this scorer, each item once however often it was asked
        if over is None and epochs == 1:
            over = asked
        metrics = mapping(one.get("metrics"))
        for key, metric in metrics.items():
            if key.rpartition("/")[2] in ERRORS:
                continue
            part = key if dig(metric, "params", "group_key") is not None and key != "all" else None
            inner = text(dig(metric, "params", "metric", "name")) or key
            plain = reducer in (None, "mean", "mean_score")
            yield Claim(
                reading=reading,
                key=f"{name} {inner if part else key}" + ("" if plain else f" by {reducer}"),
                value=number(dig(metric, "value")),
                se=number(dig(metrics, "stderr", "value")),
                n=over if part is None else None,
                mean=plain and inner.rpartition("/")[2] in MEANS,
                group=part,
            )


def rows(
    path: Path, params: tuple[tuple[str, Any], ...], named: Sequence[str], group_key: str | None, notes: Notes
) -> Iterator[Row]:
    """`group_key`: the column of metadata that says which group an item is of."""
    for sample in _samples(path, notes):
        yield from _row(sample, params, named, group_key, notes)


def _samples(path: Path, notes: Notes) -> Iterator[Mapping[str, Any]]:
    if path.suffix == ".json":
        for sample in sequence(mapping(read_json(path)).get("samples")):
            yield mapping(sample)
        return
    with opened(path) as archive:
        for name in archive.names("samples/"):
            try:
                yield mapping(archive.json(name))
            except Unreadable as error:
                notes.say(f"a sample could not be read: {error}")


def _row(
    sample: Mapping[str, Any],
    params: tuple[tuple[str, Any], ...],
    named: Sequence[str],
    group_key: str | None,
    notes: Notes,
) -> Iterator[Row]:
    name = text(sample.get("id"))
    if name is None:
        notes.say("a sample without id was left out")
        return
    attached = mapping(sample.get("attachments"))
    sample = {k: v for k, v in sample.items() if k not in ("events", "store", "attachments", "transcript")}
    if attached:
        sample = _attached(sample, attached, 8)
    epoch = whole(sample.get("epoch"))
    scores = tuple(_scores(sample, notes))
    if not scores and named and sample.get("error") is None:
        scores = tuple(Scored(reading, None) for reading in dict.fromkeys(named))
    talk = messages(sample.get("messages")) or messages(sample.get("input"))
    last = max((i for i, m in enumerate(talk) if m.role == "assistant"), default=len(talk))
    asked = talk[:last]
    prompt = sample.get("input") if not asked and isinstance(sample.get("input"), str) else None
    request = Request(elicit="generate", prompt=prompt if asked == () else None, messages=asked, params=params)
    if not asked and prompt is None:
        request = Request(elicit="generate", prompt="", params=params)
    yield Row(
        item=_item(name, sample, group_key),
        request=request,
        answer=_answer(sample),
        scores=scores if sample.get("error") is None or scores else (),
        repeat=epoch - 1 if epoch is not None and epoch > 0 else None,
    )


def _attached(value: Any, attached: Mapping[str, Any], depth: int) -> Any:
    """`attachment://HASH` by what it stands for."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        found = attached.get(value.removeprefix(ATTACHED))
        return found if isinstance(found, str) else value
    if depth and isinstance(value, dict):
        return {k: _attached(v, attached, depth - 1) for k, v in mapping(value).items()}
    if depth and isinstance(value, list):
        return [_attached(v, attached, depth - 1) for v in sequence(value)]
    return value


def _item(name: str, sample: Mapping[str, Any], group_key: str | None) -> Any:
    given = sample.get("input")
    asked = [m.content for m in messages(given) if m.role == "user"]
    question = given if isinstance(given, str) else (asked[-1] if asked else None)
    target = sample.get("target")
    gold = [t for one in (sequence(target) or [target]) if (t := text(one)) is not None]
    choices = [str(c) for c in sequence(sample.get("choices")) if isinstance(c, str)]
    at = letter_of(gold[0]) if len(gold) == 1 and choices else None
    if at is None or at >= len(choices):
        choices, at = [], None
    more = mapping(sample.get("metadata"))
    group = text(more.get(group_key)) if group_key is not None else None
    return item_of(name, question, gold=[g.strip() for g in gold], choices=choices, at=at, group=group, more=more)


def _answer(sample: Mapping[str, Any]) -> Response | Failure:
    output = mapping(sample.get("output"))
    choice = next(iter(sequence(output.get("choices"))), None)
    said = content_of(dig(choice, "message", "content"))
    said = said if said is not None else output.get("completion")
    if sample.get("error") is not None and not (said and sample.get("scores")):
        return failed(dig(sample, "error", "message") or sample.get("error"))
    stop = text(dig(choice, "stop_reason")) or text(output.get("stop_reason"))
    return generated(
        said if isinstance(said, str) else None,
        finish_reason=STOPS.get(stop, stop) if stop else None,
        prompt_tokens=whole(dig(output, "usage", "input_tokens")),
        completion_tokens=whole(dig(output, "usage", "output_tokens")),
        served_model=text(output.get("model")),
    )


def _scores(sample: Mapping[str, Any], notes: Notes) -> Iterator[Scored]:
    found = mapping(sample.get("scores"))
    if not found and isinstance(sample.get("score"), dict):
        found = {"score": sample["score"]}
    for name, score in found.items():
        value = dig(score, "value")
        if isinstance(value, dict):
            for key, part in mapping(value).items():
                yield _scored(f"{name}/{key}", part)
        elif isinstance(value, list):
            notes.say(f"{name} gives a list for each item, which is no score, and is left out")
        else:
            yield _scored(str(name), value)


def _scored(name: str, value: Any) -> Scored:
    if isinstance(value, str):
        known = VALUES.get(value, VALUES.get(value.lower()))
        return scored(name, written(value) if known is None else known, unread=value == "N")
    found = number(value)
    return Scored(name, found, Outcome.UNSCORED if found is None else None)
