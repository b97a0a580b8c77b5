"""Logs of promptfoo (`-o out.json`): one run a prompt and provider, an item a test case.

A row that ended in an error of the provider is a failure and no wrong answer. Rows with equal variables and assertions
are one item and its repeats; answers that came from its cache are no repeats, unless the cache tells repeats apart.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Item, Request, Response
from eyechart.logs.kinds import head, top_keys
from eyechart.logs.lm_eval_rows import QUESTIONS, params_of
from eyechart.logs.plain import (
    dig,
    failed,
    generated,
    harmless,
    item_of,
    mapping,
    messages,
    moment,
    number,
    read_json,
    sequence,
    short,
    text,
    whole,
)
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "promptfoo"
ERROR = 2
"""Its `failureReason` of a call that broke off; 1 is a failed assertion."""
_OLD = re.compile(rb'\s*\{\s*"results"\s*:\s*\{\s*"(?:version|timestamp|prompts|results|stats)"')
Arm = tuple[str, str, str]
"""Prompt, provider, and its label: one provider stands there twice where its parameters were varied."""


def find(files: Sequence[Path]) -> Iterator[Found]:
    for path in files:
        if path.suffix == ".json" and _is_log(path):
            yield Found(harness=HARNESS, path=path, files=(path,), read=partial(read, path))


def _is_log(path: Path) -> bool:
    """Before evaluations had ids, the results alone tell."""
    keys = set(top_keys(path))
    return {"evalId", "results"} <= keys or ({"config", "results"} <= keys and bool(_OLD.match(head(path))))


def read(path: Path) -> Iterator[Foreign]:
    """Raises Unreadable."""
    log = mapping(read_json(path))
    found = mapping(log.get("results"))
    rows_, copies = _once([mapping(r) for r in sequence(found.get("results"))])
    if not rows_:
        raise Unreadable("holds no results")
    arms = dict.fromkeys(_arm(row) for row in rows_)
    prompts, labels = ({arm[part] for arm in arms} for part in (0, 2))
    for arm in arms:
        mine = [row for row in rows_ if _arm(row) == arm]
        several = (len(prompts) > 1, len(labels) > 1)
        yield _foreign(path, log, found, mine, several, [row for row in copies if _arm(row) == arm])


def _once(given: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Rows, and copies: of one `id`, which promptfoo gives to each call, and the same throughout. A copy is no repeat."""
    kept: list[Mapping[str, Any]] = []
    copies: list[Mapping[str, Any]] = []
    known: dict[str, list[Mapping[str, Any]]] = {}
    for row in given:
        same = known.setdefault(name, []) if (name := text(row.get("id"))) is not None else []
        (copies if row in same else kept).append(row)
        same.append(row)
    return kept, copies


def _arm(row: Mapping[str, Any]) -> Arm:
    prompt = text(row.get("promptId")) or text(row.get("promptIdx")) or short(dig(row, "prompt", "label") or "")
    provider = text(dig(row, "provider", "id")) or text(row.get("provider")) or ""
    return prompt, provider, text(dig(row, "provider", "label")) or ""


def _foreign(
    path: Path, log: Mapping[str, Any], found: Mapping[str, Any], rows_: Sequence[Mapping[str, Any]],
    several: tuple[bool, bool], copies: Sequence[Mapping[str, Any]],
) -> Foreign:  # fmt: skip
    first = rows_[0]
    _, provider, label = _arm(first)
    config = _provider(log, provider, label)
    said = text(dig(log, "config", "description")) or path.stem
    prompt = short(dig(first, "prompt", "label") or "", 40)
    told = ", ".join(
        part for part, wanted in zip((said, prompt, label), (True, *several), strict=True) if part and wanted
    )
    params = params_of(config)
    findings = [] if config else ["the configuration does not hold the provider: its parameters stand nowhere"]
    if copies:
        many = f"{len(copies):,} rows are" if len(copies) > 1 else "1 row is"
        findings.append(f"{many} there twice under one id: a copy is no repeat, and was left out")
    given: list[tuple[str, Any, str]] = [
        ("model.name", provider or None, "provider.id"),
        ("prompt.template", _template(log, first), "results.prompts.raw"),
        ("repeats.count", max(Counter(_test(row)[2] for row in rows_).values()), "results"),
        ("evaluation.framework_version", text(dig(log, "metadata", "promptfooVersion")), "metadata"),
    ]
    given += [(f"decoding.{k}", v, "config.providers") for k, v in params.items()]
    settings = [Setting(path=p, value=v, by=by) for p, v, by in given if v is not None]
    settings.append(Setting(path="promptfoo.provider_config", value=harmless(config), by="config.providers"))
    settings.append(Setting(path="promptfoo.evaluateOptions", value=dig(log, "config", "evaluateOptions"), by="config"))
    return Foreign(
        harness=HARNESS,
        version=text(dig(log, "metadata", "promptfooVersion")),
        task=told,
        model=provider or label or None,
        files=(path,),
        rows=partial(rows, rows_, tuple(sorted(params.items()))),
        settings=tuple(settings),
        claims=tuple(_claims(found, first)),
        findings=tuple(findings),
        started=moment(found.get("timestamp")) or moment(dig(log, "metadata", "evaluationCreatedAt")),
    )


def _provider(log: Mapping[str, Any], name: str, label: str) -> Mapping[str, Any]:
    """The parameters of a provider stand in the configuration alone; where two have one id, the label tells."""
    given = dig(log, "config", "providers")
    every: Sequence[Any] = sequence(given) or [given]
    fits = [one for one in every if name and text(dig(one, "id")) == name]
    labelled = [one for one in every if label and text(dig(one, "label")) == label]
    both = [one for one in labelled if one in fits]
    if len(fits) > 1 and not both:
        return {}  # which of them, nobody says
    for one in (*both, *labelled, *fits):
        return mapping(dig(one, "config"))
    for one in every:
        inner = mapping(one).get(name)
        if isinstance(inner, dict):
            return mapping(dig(inner, "config"))
    return {}


def _template(log: Mapping[str, Any], row: Mapping[str, Any]) -> str | None:
    at = whole(row.get("promptIdx"))
    prompts = sequence(dig(log, "results", "prompts"))
    raw = dig(prompts[at], "raw") if at is not None and 0 <= at < len(prompts) else None
    return raw if isinstance(raw, str) and "{{" in raw else None


def _claims(found: Mapping[str, Any], first: Mapping[str, Any]) -> Iterator[Claim]:
    at = whole(first.get("promptIdx"))
    prompts = sequence(found.get("prompts")) or sequence(dig(found, "table", "head", "prompts"))
    known = at is not None and 0 <= at < len(prompts)
    metrics = mapping(dig(prompts[at], "metrics") if at is not None and known else None)
    passed, lost = whole(metrics.get("testPassCount")), whole(metrics.get("testFailCount"))
    if passed is not None and lost is not None and passed + lost > 0:
        yield Claim(reading="pass", key="pass rate", value=passed / (passed + lost))


def rows(found: Sequence[Mapping[str, Any]], params: tuple[tuple[str, Any], ...], notes: Notes) -> Iterator[Row]:
    names: dict[str, str] = {}
    counted: Counter[str] = Counter()
    apart = _keeps_repeats_apart(found)
    if apart:
        notes.say("answers came from a cache that holds an answer of its own for each repeat: they are kept")
    for row in found:
        test, told, alike = _test(row)
        # Not by `testIdx`, which counts repeats on, nor by `evaluateOptions`, which lacks what the command line said.
        name = names.setdefault(alike, str(len(names)))
        repeat = counted[name]
        counted[name] += 1
        asked = _asked(row, params)
        scores = tuple(_scores(row))
        cached = _cached(row) and not apart
        answer = _answer(row)
        if isinstance(answer, Failure):
            scores = ()
        elif row.get("success") is None and row.get("score") is None:
            notes.say("a row says neither whether it passed nor its score")
        yield Row(item=_item(name, row, told, test), request=asked, answer=answer, scores=scores, repeat=repeat,
                  cached=cached)  # fmt: skip


def _test(row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any], str]:
    """Its test case, the variables, and what rows of one item have alike."""
    test = mapping(row.get("testCase"))
    told = mapping(row.get("vars")) or mapping(test.get("vars"))
    return test, told, json.dumps(harmless([told, test.get("assert")]), sort_keys=True)


def _cached(row: Mapping[str, Any]) -> bool:
    return dig(row, "response", "cached") is True


def _keeps_repeats_apart(found: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a replayed answer differs from another one to its item: then the cache knows the repeat, as that of newer
    versions does. To leave out only the equal ones would keep those that differ, and make noise of it."""
    texts: dict[str, set[str]] = {}
    replayed: set[str] = set()
    for row in found:
        alike = _test(row)[2]
        output = dig(row, "response", "output")
        if output is not None:
            texts.setdefault(alike, set()).add(json.dumps(harmless(output), sort_keys=True))
            if _cached(row):
                replayed.add(alike)
    return any(len(texts[alike]) > 1 for alike in replayed)


def _asked(row: Mapping[str, Any], params: tuple[tuple[str, Any], ...]) -> Request:
    raw = dig(row, "prompt", "raw")
    talk = messages(raw)
    if isinstance(raw, str) and raw.lstrip().startswith("["):
        try:
            talk = messages(json.loads(raw))
        except (ValueError, RecursionError):
            talk = ()
    if talk:
        return Request(elicit="generate", messages=talk, params=params)
    return Request(elicit="generate", prompt=raw if isinstance(raw, str) else "", params=params)


def _answer(row: Mapping[str, Any]) -> Response | Failure:
    response = mapping(row.get("response"))
    output = response.get("output")
    if row.get("failureReason") == ERROR or (output is None and (row.get("error") or response.get("error"))):
        return failed(row.get("error") or response.get("error"))
    said = output if isinstance(output, str) or output is None else json.dumps(harmless(output), ensure_ascii=False)
    stop = text(response.get("finishReason"))
    return generated(
        said,
        finish_reason=stop,
        prompt_tokens=whole(dig(response, "tokenUsage", "prompt")),
        completion_tokens=whole(dig(response, "tokenUsage", "completion")),
    )


def _scores(row: Mapping[str, Any]) -> Iterator[Scored]:
    passed, score = row.get("success"), number(row.get("score"))
    if isinstance(passed, bool):
        yield Scored("pass", float(passed))
    if score is not None:
        yield Scored("score", score)
    for name, value in mapping(row.get("namedScores")).items():
        yield Scored(f"named/{name}", number(value))


def _item(name: str, row: Mapping[str, Any], told: Mapping[str, Any], test: Mapping[str, Any]) -> Item:
    question = next((told[key] for key in QUESTIONS if isinstance(told.get(key), str)), None)
    if question is None:
        texts = [v for v in told.values() if isinstance(v, str)]
        raw = dig(row, "prompt", "raw")
        question = texts[0] if len(texts) == 1 else raw if isinstance(raw, str) else None
    gold = [
        t
        for one in sequence(test.get("assert"))
        if dig(one, "type") in ("equals", "contains", "icontains", "similar") and (t := text(dig(one, "value")))
    ]
    return item_of(name, question, gold=gold, more=told)
