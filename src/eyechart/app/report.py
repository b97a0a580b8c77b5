"""report: from a run folder to what a report is made of, and to the files in every medium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.app.cautions import hold, is_judge, sitting_of
from eyechart.app.findings import QUIET, in_words
from eyechart.app.finished import Finished, finished
from eyechart.app.flips import changes
from eyechart.app.folder import Folder
from eyechart.app.known import judges_said
from eyechart.app.ledger import samples
from eyechart.app.reread import reread_run
from eyechart.app.rules import of_run
from eyechart.app.schemes import scheme_of
from eyechart.app.schemes import sentences as sentences_of
from eyechart.app.shelf import SHELF, hang
from eyechart.app.shelf import facts as facts_of_graders
from eyechart.core.codec import load_study
from eyechart.core.effective import DEFAULTS
from eyechart.core.errors import InputError
from eyechart.core.factors import field_names
from eyechart.core.records import NotEstimable
from eyechart.report.blocks import Text, message
from eyechart.report.inputs import (
    Calls,
    Digests,
    Facts,
    FieldRow,
    InertField,
    Language,
    ReportInput,
    Sentence,
)
from eyechart.report.sentences import goal_sentence, plain_sentences
from eyechart.stats.intervals import mean_clustered

Plain = Mapping[str, Any]


def report_input(run: Finished, language: Language = "en") -> ReportInput:
    """Everything a report of `run` shows, raw answers included. Calls no model."""
    facts = run.facts
    analysis = run.analysis
    flips, cases = changes(run, analysis)
    judges = judges_said(run)
    ruled = of_run(run, judges)
    return ReportInput(
        title=facts["name"] or run.folder.path.name,
        analysis=replace(analysis, samples=samples(run, analysis)),
        fingerprint=tuple(_fingerprint(facts["cells"], facts["engines"], facts.get("imported"))),
        inert=tuple(_inert(facts["cells"])),
        digests=Digests(**facts["digests"]),
        facts=_facts(facts, _slices(run)),
        rules=ruled.findings,
        rule_sets=ruled.sets,
        language=language,
        sentences=sentences(run),
        layers=tuple((f["name"], (f["path"] or "several").split(".")[0]) for f in facts["factors"]),
        readers=reread_run(run),
        flips=flips,
        cases=cases,
        graders=facts_of_graders(run),
        judges=judges,
        sentences_allowed=_allowed(run),
    )


def _allowed(run: Finished) -> tuple[Sentence, ...]:
    """What this scheme may say; nothing where no judge is part of it and nothing needs saying."""
    if sitting_of(run) is None:
        return ()
    study = load_study((run.folder.path / "study.yaml").read_text(encoding="utf-8"))
    labels = sum(bool(item.gold) for item in run.items.values()) if is_judge(run) else 0
    scheme = scheme_of(study, labels=labels, people=min(1, labels))
    return tuple(Sentence(id=s.id, text=s.text, supported=s.supported, by=s.by) for s in sentences_of(scheme))


def sentences(run: Finished) -> tuple[Text, ...]:
    """What it was for, where that is stated; range, what moved it most, how sure. The first says when the run is not
    complete."""
    facts = run.facts
    first, *rest = plain_sentences(run.analysis)
    if (goal := goal_sentence(facts.get("preset"), run.analysis)) is not None:
        first, rest = goal, [first, *rest]
    lacking = facts["missing"] + facts["calls"]["failed"]
    if facts["missing"]:
        needed = facts["calls"]["needed"]
        first = message("sentence.incomplete", done=needed - lacking, needed=needed, rest=first)
    return (first, *rest)


def write_report(folder: Folder, path: Path | None = None, language: Language = "en", shelf: Path = SHELF) -> Path:
    """HTML (or Markdown or JSON, by the ending of `path`). Without `path`: report.html and report.json
    in the run folder. Certificates of its graders on `shelf` are kept in the run folder."""
    from eyechart.report.html import render_html
    from eyechart.report.markdown import render_markdown
    from eyechart.report.plain import render_json

    run = finished(folder)
    intact = not folder.broken_seal()
    hang(run, shelf)
    hold(run)
    made = report_input(run, language)
    if path is None:
        folder.write("report.json", render_json(made))
        folder.write("report.html", render_html(made))
        if intact:  # what somebody else changed stays told
            folder.seal()
        return folder.report
    media = {".html": render_html, ".md": render_markdown, ".json": render_json}
    if path.suffix not in media:
        raise InputError(f"{path}: write a name that ends in .html, .md or .json")
    try:
        path.write_text(media[path.suffix](made), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    if intact:  # a certificate may have been hung into the folder
        folder.seal()
    return path


def _fingerprint(cells: Sequence[Plain], engines: Iterable[Plain], imported: Plain | None) -> Iterable[FieldRow]:
    """Every field of the baseline: stated, filled in by a default, inert in every set-up, or not known: nobody knows
    what stood for a field that an imported log does not state."""
    cell = cells[0]
    stated = dict(_leaves(cell["stated"]))
    inert = set[str].intersection(*({str(i["path"]) for i in c["inert"]} for c in cells))
    sections = [name for name in field_names() if "." not in name]
    for path in field_names():
        if path in sections or any(other.startswith(f"{path}.") for other in field_names()):
            continue
        value = stated.get(path)
        if path in inert:
            yield FieldRow(path=path, value=_words(value), state="inert")
        elif value is not None:
            yield FieldRow(path=path, value=_words(value), state="stated")
        elif imported is not None:
            if path in DEFAULTS or path in imported["unknown"]:
                yield FieldRow(path=path, value=None, state="unknown")
        elif path in DEFAULTS:
            yield FieldRow(path=path, value=_words(DEFAULTS[path]), state="default")
    for engine in engines:
        if engine["digest"] == cell["engine"]:
            for key, value in engine.items():
                if key not in ("digest", "backend"):
                    yield FieldRow(path=f"engine.{key}", value=_words(value), state="stated")


def _leaves(value: Plain, prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, part in value.items():
        path = f"{prefix}{key}"
        yield path, part
        if isinstance(part, Mapping):
            yield from _leaves(part, f"{path}.")  # pyright: ignore[reportUnknownArgumentType]


def _words(value: Any) -> str | None:
    if value is None:
        return None
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _inert(cells: Sequence[Plain]) -> Iterable[InertField]:
    """Each inert field once, with the number of set-ups in which it is."""
    stated = {path for cell in cells for path, _ in _leaves(cell["stated"])}  # of an imported log others are listed too
    seen = Counter((str(i["path"]), str(i["reason"])) for cell in cells for i in cell["inert"] if i["path"] in stated)
    for (path, reason), count in seen.items():
        where = "" if count == len(cells) else f" ({count} of {len(cells)} set-ups)"
        yield InertField(path=path, reason=reason + where)


def _slices(run: Finished) -> list[str]:
    """The baseline score of each slice of edge cases, the worst first."""
    seen = run.observations
    names = [run.items[name].slice for name in seen.items]
    means = seen.means(0)
    found: list[tuple[float, str]] = []
    for name in dict.fromkeys(n for n in names if n is not None):
        values = [float(m) for m, n in zip(means, names, strict=True) if n == name and not np.isnan(m)]
        if not values:
            found.append((2.0, f"slice {name}: no answer could be scored"))
            continue
        estimate = mean_clustered(values, name=name)
        if isinstance(estimate, NotEstimable) or estimate.interval is None:
            found.append((float(np.mean(values)), f"slice {name}: {len(values)} items, not estimable"))
            continue
        low, high = estimate.interval.low * 100, estimate.interval.high * 100
        text = f"slice {name}: {estimate.value * 100:.1f} points [{low:.1f}, {high:.1f}] on {len(values)} items"
        found.append((estimate.value, text))
    found.sort()
    return [text + (" (the worst slice)" if i == 0 and len(found) > 1 else "") for i, (_, text) in enumerate(found)]


def _facts(facts: Plain, slices: Iterable[str]) -> Facts:
    runtime, engine = facts["runtime"], facts["engines"][0]
    notes = [*facts["notes"], *slices]
    for use in facts["data"]:
        notes += [f"row not used: {problem}" for problem in use["problems"][:20]]
        if len(use["problems"]) > 20:
            notes.append(f"and {len(use['problems']) - 20} more rows not used")
    notes += [f"{count} x {reason}" for reason, count in facts["failures"].items()]
    notes += [f"{count} readings could not be scored: {reason}" for reason, count in facts["unscored"].items()]
    notes += [in_words(name, count) for name, count in facts["findings"].items() if name not in QUIET]
    if facts["stopped"]:
        notes.append(f"not complete: {facts['stopped']}; {facts['missing']} calls were not made")
    versions = {"python": runtime["python"], **runtime["packages"], "platform": runtime["platform"]}
    return Facts(
        model=facts["cells"][0]["stated"].get("model", {}).get("name") or engine["backend"],
        engine=tuple((k, str(v)) for k, v in engine.items() if v is not None),
        command=runtime.get("command"),
        started=_time(facts["started"]),
        finished=_time(facts["finished"]),
        versions=tuple(versions.items()),
        calls=Calls(made=facts["calls"]["made"], stored=facts["calls"]["stored"], failed=facts["calls"]["failed"]),
        notes=tuple(notes),
    )


def _time(iso: str) -> str:
    return iso.replace("T", " ").replace("+00:00", " UTC")
