"""check: a run, a log, a study or a snapshot held against sets of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.known import known_of, known_of_study, known_of_words
from eyechart.app.known_facts import plain_runtime
from eyechart.app.known_foreign import aggregates, known_of_foreign
from eyechart.app.place import as_run
from eyechart.app.rules import Checked, checked, sets_for, sets_of
from eyechart.app.study import Study, load
from eyechart.core.codec import Document, read_yaml
from eyechart.core.errors import InputError
from eyechart.core.flat import is_flat
from eyechart.rules.values import Known, Ruled

Given = Path | str | Finished | Study
"""A run folder, a log of another harness, a study, a fingerprint or snapshot file; or a run or study held already."""


def check(given: Given, rules: Sequence[str | Path] = ()) -> Checked:
    """Hold an evaluation against `rules`: names of sets and files of your own, the later ones going before.

    Without `rules`: the set of the goal that a study states, else `internal`. Calls no model; of a study neither data
    nor model is opened.

    Raises InputError for what is not there, is no evaluation, or for a mistake in a file of rules.
    """
    sets = sets_of(rules)  # before anything is read: a mistake in a small file is told at once
    known = known_from(given)
    found = checked(known, sets or sets_for(known.preset))
    path = given if isinstance(given, Path | str) else given.path if isinstance(given, Study) else None
    if known.kind == "study" and path is not None and str(path) != "-":
        return replace(found, findings=_placed(found.findings, Path(path)))
    return found


def _placed(findings: Sequence[Ruled], path: Path) -> tuple[Ruled, ...]:
    """With file and line of the field that was looked at, where it is written; else of the file."""
    document = read_yaml(path.read_text(encoding="utf-8-sig"), str(path))
    return tuple(replace(one, file=str(path), line=_line(document, one.looked)) for one in findings)


def _line(document: Document, looked: Sequence[str]) -> int | None:
    spots = [tuple(name.split(".")) for name in looked]
    exact = next((document.lines[spot] for spot in spots if spot in document.lines), None)
    return exact if exact is not None else next((n for spot in spots if (n := document.line(spot)) is not None), None)


def known_from(given: Given) -> Known:
    if isinstance(given, Finished):
        return known_of(given)
    if isinstance(given, Study):
        return _of_text(given, given.name)
    foreign = aggregates(given)
    if foreign is not None:
        return known_of_foreign(foreign)
    text = as_run(given)
    path = Path(text)
    if path.is_dir():
        return known_of_folder(path, str(given))[0]
    if text != "-" and "#" in text and not path.exists():
        raise InputError("rules are about a whole run: name its folder, without #", field=text)
    study = load(path)
    return _of_text(study, str(given) if text != "-" else study.name)


def known_of_folder(path: Path, name: str) -> tuple[Known, Finished]:
    """Of a run folder, and the run. Raises InputError where it is none, or was changed by somebody into something else."""
    run = finished(Folder(path))
    try:
        return known_of(run, name=name), run
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        told = f"{type(error).__name__}: {error}"[:100]
        raise InputError(f"the run is damaged ({told}); run the study again", file=str(path)) from None


def _of_text(study: Study, name: str) -> Known:
    data: Any = read_yaml(study.text, str(study.path) if study.path else None).data
    if isinstance(data, Mapping) and is_flat(cast("Mapping[str, Any]", data)):
        return known_of_words(study.spec.spec, name, flat_facts(cast("Mapping[str, Any]", data)))
    return known_of_study(study.spec, name, plain_runtime(data))


def flat_facts(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a flat snapshot says that is observed, by the names of facts."""
    out: dict[str, Any] = {}
    for theirs, ours in (("hardware", "runtime.hardware"), ("framework_version", "runtime.framework_version")):
        if data.get(theirs) is not None:
            out[ours] = str(data[theirs])
    score = data.get("score")
    if isinstance(score, Mapping):
        out |= {f"score.{k}": v for k, v in cast("Mapping[str, Any]", score).items() if v is not None}
    elif score is not None:
        out["score"] = score
    return out
