"""report: from a run folder to what a report is made of, and to the files in every medium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.app.cautions import calibration_of, cautions, hold, is_judge, sitting_of
from eyechart.app.findings import QUIET, in_words
from eyechart.app.finished import Finished, finished
from eyechart.app.flips import changes
from eyechart.app.folder import Folder
from eyechart.app.judge_probes import audit_of
from eyechart.app.ledger import samples
from eyechart.app.reread import reread_run
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
    JudgeSaid,
    Language,
    ReportInput,
    Rule,
    Sentence,
)
from eyechart.report.sentences import plain_sentences
from eyechart.stats.intervals import mean_clustered

Plain = Mapping[str, Any]


def report_input(run: Finished, language: Language = "en") -> ReportInput:
    """Everything a report of `run` shows, raw answers included. Calls no model."""
    facts = run.facts
    analysis = run.analysis
    flips, cases = changes(run, analysis)
    return ReportInput(
        title=facts["name"] or run.folder.path.name,
        analysis=replace(analysis, samples=samples(run, analysis)),
        fingerprint=tuple(_fingerprint(facts["cells"], facts["engines"], facts.get("imported"))),
        inert=tuple(_inert(facts["cells"])),
        digests=Digests(**facts["digests"]),
        facts=_facts(facts, _slices(run)),
        rules=(_drawn(facts), *_over_cells(facts)),
        language=language,
        sentences=sentences(run),
        layers=tuple((f["name"], (f["path"] or "several").split(".")[0]) for f in facts["factors"]),
        readers=reread_run(run),
        flips=flips,
        cases=cases,
        graders=facts_of_graders(run),
        judges=_judges(run),
        sentences_allowed=_allowed(run),
    )


def _judges(run: Finished) -> tuple[JudgeSaid, ...]:
    """The judge of a run: audited where it is the model, else what speaks for and against it."""
    sitting = sitting_of(run)
    if sitting is None:
        return ()
    today = date.today()  # noqa: DTZ011
    if not is_judge(run):
        return (JudgeSaid(name=sitting.name, cautions=cautions(run, today)),)
    audit = audit_of(run)
    return (
        JudgeSaid(
            name=sitting.name,
            audit=audit.base,
            effects=audit.effects,
            retest=audit.retest if audit.retest.repeats > 1 else None,
            cautions=cautions(run, today, calibration_of(run, audit, made=today)),
            notes=audit.notes,
        ),
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
    """Range, what moved it most, how sure; the first says when the run is not complete."""
    first, *rest = plain_sentences(run.analysis)
    facts = run.facts
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


def _over_cells(facts: Plain) -> Iterable[Rule]:
    """Rules that the baseline alone would answer wrongly, since other set-ups sample or have shots."""
    cells = facts["cells"]
    shots = [c["effective"]["asking"]["prompt"].get("few_shot") for c in cells]
    some = [s for s in shots if s]
    if some:
        sources = ", ".join(sorted({s["source"] for s in some}))
        evidence = f"{len(some)} of {len(cells)} set-ups have shots, from {sources}; overlap with the test is refused"
        yield Rule(id="few_shot_split", state="kept", evidence=evidence)
    sampling = [c for c in cells if c["sampled"]]
    if sampling and len(sampling) < len(cells):
        stated = [c for c in sampling if c["stated"].get("decoding", {}).get("seed") is not None]
        evidence = f"{len(sampling)} of {len(cells)} set-ups sample; decoding.seed is stated in {len(stated)} of them"
        yield Rule(id="seed_stated", state="kept" if len(stated) == len(sampling) else "broken", evidence=evidence)


def _drawn(facts: Plain) -> Rule:
    """The ids of the sample are in `run.json`, so that the same items can be asked again."""
    uses = facts["data"]
    told = ", ".join(f"{use['count']} of {use['of']}" for use in uses)
    kept = all(len(use["drawn"]) == use["count"] for use in uses)
    return Rule(id="drawn_ids", state="kept" if kept else "broken", evidence=f"run.json, {told}")


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
