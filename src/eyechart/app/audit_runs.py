"""Run folders of this house as dossiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.analysis.observations import OUTCOMES
from eyechart.app.audit_gather import PROMPTS, Gatherer
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.harness_facts import made_by_harness
from eyechart.auditing.evidence import Claimed, Dossier, Exhibit
from eyechart.auditing.said import Where, found
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.findings import Finding
from eyechart.core.identity import plain_json
from eyechart.core.records import Response
from eyechart.store.store import Store

NO_PROCEDURE = ("model.name", "model.path", "model.url", "model.options")
"""What is the contestant, or says where it was found."""


def read_run(path: Path, name: str, label: tuple[str, ...], unreadable: list[Finding]) -> Iterator[Dossier]:
    """The run in a folder; an imported log is one of its harness. Raises EyechartError where it is none."""
    run = finished(Folder(path))
    facts = run.facts
    try:
        yield _dossier(run, facts, name, label, unreadable)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise InputError(f"its files do not fit each other ({type(error).__name__})", file=str(path)) from None


def _dossier(
    run: Finished, facts: Mapping[str, Any], name: str, label: tuple[str, ...], unreadable: list[Finding]
) -> Dossier:
    source = _source(run) if facts.get("imported") else None
    exhibits = tuple(_exhibits(run, facts, name, source, unreadable))
    first = facts["cells"][0]
    effective = first["effective"]
    asked: Mapping[str, Any] = first["stated"] if source else effective["asking"]  # at zero shots nothing takes effect
    few: Mapping[str, Any] | None = asked.get("prompt", {}).get("few_shot")
    shots = few.get("count") if few else None if source else 0
    model = effective.get("model", {})
    precision = " ".join(str(model[key]) for key in ("quantization", "dtype") if model.get(key))
    heat = effective.get("asking", {}).get("decoding", {}).get("temperature")
    return Dossier(
        name=name,
        file=str(run.folder.path / "run.json"),
        kind="log" if source and not made_by_harness(facts) else "run",
        maker=source["harness"] if source else "eyechart",
        label=label,
        exhibits=exhibits,
        model=exhibits[0].model if exhibits else None,
        task=source["task"] if source else str(facts["name"]),
        shots=shots if isinstance(shots, int) else None,
        temperature=float(heat) if isinstance(heat, int | float) and first.get("sampled", True) else None,
        precision=precision or None,
        seal=tuple(run.folder.broken_seal()),
        sums=tuple((f["name"], f["sha256"]) for f in source["files"] if of_answers(str(f["name"]))) if source else (),
        missing=int(facts["missing"]),
        needed=int(facts["calls"]["needed"]),
        stopped=facts["stopped"],
        turned=tuple(_turned(source["findings"])) if source else (),
        said=tuple(remarks(source["findings"])) if source else (),
        complete=not (source and any(str(f).startswith(BROKE_OFF) for f in source["findings"])),
    )


def of_answers(name: str) -> bool:
    """Whether a file of a log may hold answers or scores: not its data, nor how it was configured.

    >>> [of_answers(n) for n in ("scenario_state.json", "out.eval", "scenario.json", "task_config_17.yaml")]
    [True, True, False, False]
    """
    return name not in SHARED and not name.endswith((".yaml", ".yml"))


SHARED = ("scenario.json", "run_spec.json")
"""Files of HELM that are the same for every model."""
BROKE_OFF = "the log says that it is not complete"
_FIRST = ": the first items of the data were taken"
_ASKED = ("the log holds ", BROKE_OFF, "a row repeats another", "its status is ")


def remarks(said: Any) -> Iterator[str]:
    """What a reader of a log noticed, without what rules here ask themselves."""
    for text in said:
        own = ("the log claims" in text) or ("claimed over" in text) or ("answers broke off" in text)
        own = own or _FIRST in text or "marked as replayed" in text or TURNED.search(str(text)) is not None
        if not str(text).startswith(_ASKED) and not own:
            yield str(text)


TURNED = re.compile(r"^(.+): ([\d,]+) scores of items are not what the log-probabilities")
CACHED = re.compile(r"^([\d,]+) answers are marked as replayed")
"""What an import found that rules here ask as well."""


def _turned(said: Any) -> Iterator[tuple[str, int]]:
    for text in said:
        if found_ := TURNED.search(str(text)):
            yield found_[1], int(found_[2].replace(",", ""))


def _left_out(made: Gatherer, said: Any) -> None:
    """What an import put together or left out: how often an item was asked cannot be counted in the run any more."""
    for text in map(str, said):
        if found_ := CACHED.search(text):
            made.cached = int(found_[1].replace(",", ""))
        if text.startswith(("a row repeats another", "all repeats of every item are equal")):
            made.asked = {"": Counter(range(len(made.items)))}


def limit_of(said: Any) -> str | None:
    """`limit 100`, where the log says that the first items were taken.

    >>> limit_of(["limit 10: the first items of the data were taken, not a sample of them"])
    'limit 10'
    """
    return next((str(t).partition(":")[0] for t in said if _FIRST in str(t)), None)


def _source(run: Finished) -> Mapping[str, Any]:
    return Folder(run.folder.path / "source").read_json("log.json")


def _exhibits(
    run: Finished, facts: Mapping[str, Any], name: str, source: Mapping[str, Any] | None, unreadable: list[Finding]
) -> Iterator[Exhibit]:
    seen, cells = run.observations, facts["cells"]
    answers, sent = _stored(run, name, unreadable)
    controlled = made_by_harness(facts)
    log = None if controlled else source  # who claims numbers: a log its own, a run of ours those of report.json
    stated = _stated(run) if log is None else {}
    sizes = [d["of"] for d in facts["data"]]
    of = None if None in sizes else sum(map(int, sizes))  # a log may not say how many items its data has
    numbers = [run.items[item] for item in seen.items]
    groups, own = _evaluations(cells, source, controlled)
    for members in groups:
        made = Gatherer()
        at = [made.item(item) for item in numbers]
        claims: dict[str, list[Claimed]] = {}
        for number in members:
            rows = seen.rows(number)
            reading = str(cells[number]["levels"].get(own) or _reading(log))
            claims[reading] = list(_claims(cells[number], reading, stated, log))
            for row in range(rows.start, rows.stop):
                item, repeat = at[int(seen.item[row])], int(seen.repeat[row])
                outcome = OUTCOMES[int(seen.outcome[row])]
                key = run.keys[int(seen.call[row])] if int(seen.call[row]) >= 0 else ""
                if number == members[0]:
                    made.answer(item, repeat, answers.get(key))
                    if key in sent:
                        made.ask(seen.items[int(seen.item[row])], item, repeat, sent[key])
                value = float(seen.value[row]) if bool(seen.scored[row]) else None
                made.score(reading, item, repeat, value, outcome)
        if source:
            _left_out(made, source["findings"])
        cell = cells[members[0]]
        model = cell["effective"].get("model", {})
        yield made.exhibit(
            claims,
            name=name if len(groups) == 1 else f"{name}#{cell['id']}",
            file=str(run.folder.path / "run.json"),
            model=source["model"] if source else str(model.get("name") or model.get("path") or model.get("backend")),
            task=source["task"] if source else _data(facts),
            procedure=procedure(cell["effective"]) | (_shots(cell) if controlled else {}),
            sampled=cell["sampled"] if not source or _heat_known(cell) else None,
            total=_asked(facts, cell, source, controlled),
            of=of,
            first=limit_of(source["findings"]) if source else None,
        )


def _evaluations(
    cells: Sequence[Mapping[str, Any]], source: Mapping[str, Any] | None, controlled: bool
) -> tuple[list[list[int]], str]:
    """Set-ups that share every answer, and the level that tells them apart.

    Readings of a log are set-ups of its run: they share every answer, and are one evaluation. Where a harness was run
    by a study, `source/log.json` has the set-ups that were run, and run.json each of them under each reading: what
    run.json has beyond it is the reading, whatever its name. Set-ups that were run apart share no answer.
    """
    if source is None:
        return [[number] for number in range(len(cells))], "reading"
    if not controlled:
        return [list(range(len(cells)))], "reading"
    told: Mapping[str, Any] = source["setups"][0]["levels"]
    own = next((name for name in cells[0]["levels"] if name not in told), "")
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for number, cell in enumerate(cells):
        groups.setdefault(tuple((k, str(v)) for k, v in cell["levels"].items() if k != own), []).append(number)
    return list(groups.values()), own


def _shots(cell: Mapping[str, Any]) -> dict[str, str]:
    """How many a harness was told to show; which ones it showed is in its prompts alone, so that none take effect."""
    few: Mapping[str, Any] | None = cell["stated"].get("prompt", {}).get("few_shot")
    count = few.get("count") if few else None
    return {} if count is None else {"prompt.few_shot.count": str(count)}


def _asked(
    facts: Mapping[str, Any], cell: Mapping[str, Any], source: Mapping[str, Any] | None, controlled: bool
) -> int:
    """Items that were asked for: all of the data, or as many of them as the study says."""
    if source is None:
        return sum(int(d["count"]) for d in facts["data"])
    data = facts["data"][0]
    told = data["of"] if controlled else data.get("asked", data["of"])
    of = int(data["count"] if told is None else told)
    limit = cell["stated"].get("dataset", {}).get("limit") if controlled else None
    return min(of, limit) if isinstance(limit, int) else of


def _heat_known(cell: Mapping[str, Any]) -> bool:
    return cell["effective"].get("asking", {}).get("decoding", {}).get("temperature") is not None


def _data(facts: Mapping[str, Any]) -> str:
    return "+".join(str(d["given"]) for d in facts["data"])


def _reading(source: Mapping[str, Any] | None) -> str:
    """Where there is one alone, which has no level."""
    if source is None:
        return "score"
    known = dict.fromkeys(c["reading"] for c in source["claims"] if c.get("group") is None)
    return next(iter(known), "score")


def _stored(run: Finished, name: str, unreadable: list[Finding]) -> tuple[dict[str, Response], dict[str, Any]]:
    """Answers by key, and of some the request; a store that cannot be read is a finding, and the rest is audited."""
    sent: dict[str, Any] = {}
    try:
        with Store(run.folder.store, create=False) as store:
            answers = store.answers(dict.fromkeys(run.keys))
            for entry in store.entries(_some(run)):
                sent[entry.key] = entry.request
    except EyechartError as error:
        unreadable.append(found("unreadable", Where(name, str(run.folder.store)), {"why": str(error)}, state="unknown"))
        return {}, {}
    except (ValueError, TypeError, KeyError) as error:
        why = f"an answer in it is damaged ({type(error).__name__})"
        unreadable.append(found("unreadable", Where(name, str(run.folder.store)), {"why": why}, state="unknown"))
        return {}, {}
    return answers, sent


def _some(run: Finished) -> Iterator[str]:
    """Keys of the first items of each set-up: prompts and seeds are alike in all of them, or not."""
    seen = run.observations
    for cell in range(len(seen.cells)):
        rows = seen.rows(cell)
        most = PROMPTS * (1 + int(seen.repeat[rows].max()) if rows.stop > rows.start else 1)
        yield from (run.keys[int(call)] for call in seen.call[rows][:most] if call >= 0)


def _stated(run: Finished) -> dict[str, Mapping[str, Any]]:
    """What report.json says of each set-up; nothing where there is no report."""
    try:
        return {s["cell"]: s for s in run.folder.read_json("report.json")["analysis"]["scores"]}
    except (InputError, KeyError, TypeError):
        return {}


def _claims(
    cell: Mapping[str, Any], reading: str, stated: Mapping[str, Any], source: Mapping[str, Any] | None
) -> Iterator[Claimed]:
    if source is not None:
        for claim in source["claims"]:
            if claim["reading"] == reading:
                known = {k: claim[k] for k in ("key", "value", "se", "n", "mean", "off", "group")}
                yield Claimed(**known, se_off=max(1e-6, 2 * float(claim["off"])))
        return
    score = stated.get(cell["id"])
    value = score["new_items"].get("value") if score else None
    if score and isinstance(value, int | float):
        yield Claimed(key="report.json", value=float(value), n=None, off=1e-9)


def procedure(effective: Mapping[str, Any]) -> dict[str, str]:
    """The effective fingerprint as dotted paths, without what is the contestant.

    >>> procedure({"asking": {"decoding": {"temperature": 0.7}}, "model": {"name": "a", "dtype": "fp16"}})
    {'decoding.temperature': '0.7', 'model.dtype': 'fp16'}
    """
    out: dict[str, str] = {}

    def walk(path: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for key, inside in value.items():  # pyright: ignore[reportUnknownVariableType]
                walk(f"{path}.{key}" if path else str(key), inside)  # pyright: ignore[reportUnknownArgumentType]
        elif value is not None and not path.startswith(NO_PROCEDURE) and path != "repeats":
            out[path] = value if isinstance(value, str) else plain_json(value)

    for section, body in effective.items():
        walk("" if section == "asking" else section, body)
    return out
