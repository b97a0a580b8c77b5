"""Logs of OpenCompass: `predictions/MODEL/DATASET.json` and `results/MODEL/DATASET.json` of one output folder.

Its configuration is a program, which is not run: what only it says stays unknown. Its scores are per cent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.core.records import Failure, Item, Message, Request, Response
from eyechart.logs.kinds import top_keys
from eyechart.logs.plain import dig, failed, generated, item_of, mapping, number, read_json, sequence, short, text
from eyechart.logs.values import Claim, Foreign, Found, Notes, Row, Scored, Setting, Unreadable

HARNESS = "OpenCompass"
ROLES = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}
_PART = re.compile(r"_\d+$")


def find(files: Sequence[Path]) -> Iterator[Found]:
    groups: dict[tuple[Path, str, str], dict[str, list[Path]]] = {}
    for path in files:
        kind = path.parent.parent.name if len(path.parts) > 3 else ""
        if path.suffix != ".json" or kind not in ("predictions", "results") or not _is_part(path, kind):
            continue
        root, model = path.parents[2], path.parent.name
        for one in ("predictions", "results"):  # a file given alone finds the other beside it
            there = [p for p in sorted((root / one / model).glob("*.json")) if _is_part(p, one)]
            for mate in there:
                if _name(mate, one, there) == _name(path, kind, [path, *there]):
                    found = groups.setdefault(
                        (root, model, _name(mate, one, there)), {"predictions": [], "results": []}
                    )
                    if mate not in found[one]:
                        found[one].append(mate)
    for (root, model, dataset), found in groups.items():
        parts = sorted(found["predictions"], key=_number)
        result = next(iter(found["results"]), None)
        mine = (*([result] if result else []), *parts)
        yield Found(
            harness=HARNESS, path=mine[0], files=mine, read=partial(read, root, model, dataset, tuple(parts), result)
        )


def _is_part(path: Path, kind: str) -> bool:
    if path.is_symlink():
        return False
    keys = top_keys(path)
    if kind == "predictions":
        return keys[:1] == ("0",)
    return bool({"details", "accuracy", "score"}.intersection(keys)) and "config_general" not in keys


def _name(path: Path, kind: str, there: Sequence[Path]) -> str:
    """A large data set is split: `DATASET_0.json`, `DATASET_1.json`, unless a result has the name as it stands."""
    stem = path.stem
    if kind == "predictions" and _PART.search(stem) and not (path.parents[2] / "results" / path.parent.name / path.name).exists():  # fmt: skip
        return _PART.sub("", stem)
    return stem


def _number(path: Path) -> int:
    found = _PART.search(path.stem)
    return int(found.group()[1:8]) if found else -1


def read(root: Path, model: str, dataset: str, parts: Sequence[Path], result: Path | None) -> Iterator[Foreign]:
    """Raises Unreadable."""
    told = mapping(read_json(result)) if result else mapping(None)
    details = told.get("details")
    findings: list[str] = []
    if result is None:
        findings.append("no result beside the predictions: no score is claimed")
    elif not details:
        findings.append("the result has no details: no score of an item")
    if (root / "configs").is_dir():
        findings.append("its configuration is a program and was not run: parameters are unknown")
    claims = [Claim(reading="correct", key=key, value=value / 100, mean=key == "accuracy", off=1e-6)
              for key in ("accuracy", "score") if (value := number(told.get(key))) is not None]  # fmt: skip
    kind = text(dig(details, "type"))
    yield Foreign(
        harness=HARNESS,
        version=None,
        task=dataset,
        model=model,
        files=tuple(p for p in (result, *parts) if p is not None),
        rows=partial(rows, tuple(parts), details, kind == "PPL") if parts or details else None,
        elicit="options" if kind == "PPL" else "generate",
        settings=(
            Setting(path="dataset.name", value=dataset, by="file name"),
            Setting(path="model.name", value=model, by="folder"),
            Setting(path="opencompass.result", value={k: v for k, v in told.items() if k != "details"}, by="results"),
        ),
        claims=tuple(claims),
        findings=tuple(findings),
    )


def rows(parts: Sequence[Path], details: Any, options: bool, notes: Notes) -> Iterator[Row]:
    judged = _details(details)
    start, seen = 0, 0
    for path in parts:
        try:
            found = mapping(read_json(path))
        except Unreadable as error:
            notes.say(f"{path.name} {error}")
            continue
        numbered = [(int(key), mapping(row)) for key, row in found.items() if key.isdecimal() and len(key) < 10]
        for at, row in sorted(numbered, key=lambda pair: pair[0]):
            yield from _rows(str(start + at), row, judged.get(start + at), options)
            seen += 1
        start += len(numbered)
    if not parts:
        for at, detail in judged.items():
            yield from _rows(str(at), detail, detail, options)
    elif judged and seen != len(judged):
        notes.say(f"{seen:,} predictions and {len(judged):,} details: they do not belong together one by one")


def _details(details: Any) -> dict[int, Mapping[str, Any]]:
    if isinstance(details, list):
        return dict(enumerate(mapping(one) for one in sequence(details)))
    pairs = mapping(details).items()
    return {int(key): mapping(one) for key, one in pairs if key.isdecimal() and len(key) < 10}


def _rows(name: str, row: Mapping[str, Any], judged: Mapping[str, Any] | None, options: bool) -> Iterator[Row]:
    gold = row.get("gold", dig(judged, "references"))
    golds = [t for one in (sequence(gold) or [gold]) if (t := text(one)) is not None]
    asked = _asked(row.get("origin_prompt", row.get("prompt")))
    question = asked.prompt if asked.prompt is not None else next((m.content for m in reversed(asked.messages)), None)
    item = item_of(name, question, gold=golds)
    values = _correct(judged)
    labels = {k.removeprefix("label: "): v for k, v in row.items() if k.startswith("label: ")}
    if options and labels:
        yield _ppl(item, labels, golds, values[0] if values else None)
        return
    said = row.get("prediction", row.get("origin_prediction"))
    texts = list(sequence(said)) or [said]
    for repeat, one in enumerate(texts):
        value = values[repeat] if repeat < len(values) else None
        yield Row(
            item=item,
            request=asked,
            answer=generated(one if isinstance(one, str) else None),
            scores=(Scored("correct", value),),
            repeat=repeat if len(texts) > 1 else None,
        )


def _correct(judged: Mapping[str, Any] | None) -> list[float | None]:
    found = dig(judged, "correct")
    many = sequence(found)
    return [number(one) for one in many] if many else [number(found)]


def _asked(given: Any) -> Request:
    talk: list[Message] = []
    for one in sequence(given):
        role, said = ROLES.get(text(dig(one, "role")) or ""), dig(one, "prompt")
        if isinstance(said, str):
            talk.append(Message(role=role or "user", content=said))  # pyright: ignore[reportArgumentType]
    if talk:
        return Request(elicit="generate", messages=tuple(talk))
    return Request(elicit="generate", prompt=given if isinstance(given, str) else "")


def _ppl(item: Item, labels: Mapping[str, Any], golds: Sequence[str], value: float | None) -> Row:
    """Options were compared by the mean loss of the whole text with each; what is kept is its negative."""
    names = list(labels)
    losses = [number(dig(one, "PPL")) for one in labels.values()]
    known = [-loss for loss in losses if loss is not None]
    at = names.index(golds[0]) if golds and golds[0] in names else None
    told = item_of(item.id, text(item.fields.get("question")), gold=golds, choices=names, at=at)
    answer: Response | Failure = failed("the log lacks the loss of an option")
    if len(known) == len(names):
        answer = Response(option_logprobs=tuple((loss,) for loss in known))
    prompts = [short(dig(one, "prompt") or dig(one, "testing input") or "", 4000) for one in labels.values()]
    request = Request(elicit="options", prompt="", options=tuple(prompts))
    return Row(item=told, request=request, answer=answer, scores=(Scored("correct", value),))
