"""doctor: runs, or words, in; ranked causes out. Never calls a model: it says what the deciding call would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from eyechart.analysis.observations import OUTCOMES
from eyechart.app.answers import kind_of
from eyechart.app.evaluated import Evaluated, evaluated
from eyechart.app.finished import Finished
from eyechart.app.paper import write_paper
from eyechart.core.effective import Asking, Reading
from eyechart.core.errors import InputError
from eyechart.core.graders import CAREFUL, grader
from eyechart.core.identity import rng_for
from eyechart.core.records import Extraction, Item, Outcome, Request, Response, Score
from eyechart.doctor.case import Answer, Case, Diagnosis, Side
from eyechart.doctor.claims import parse_claim
from eyechart.doctor.examined import Examined
from eyechart.doctor.rank import Findings
from eyechart.doctor.rank import diagnose as found_in
from eyechart.doctor.symptoms import recognise, usual
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.report.blocks import Part, message
from eyechart.report.html import Ui, environment, safe, style
from eyechart.report.inputs import Language
from eyechart.report.messages import EN, ZH
from eyechart.report.sections.doctor import doctor_blocks
from eyechart.score.options import NORMALIZE, score_options
from eyechart.store.store import Entry, Store

OPINIONS = ("judge", "code", "function", "verdict")
"""Scorers that are not read again: a program would run, a judge would be asked, or the user's own code be called."""
NOT_AGAIN = (*OPINIONS, "recorded")
"""And verdicts that a foreign log holds: what gave them is not here."""
LOOKED = 20_000
"""Answers that are looked at; of a larger run a seeded sample of items, each with all its repeats."""


@dataclass(frozen=True, kw_only=True)
class Consultation(Examined):
    """What `doctor` found, as a notebook shows it."""

    @property
    def causes(self) -> tuple[Diagnosis, ...]:
        """The likeliest first; empty where nothing was found or measured."""
        return self.findings.causes if self.findings else ()

    def part(self) -> Part:
        """The section of a report."""
        return Part(name="doctor", title=message("section.doctor"), blocks=tuple(doctor_blocks(self)))

    def report(self, path: Path | str, language: Language = "en") -> None:
        """Write it as HTML, Markdown or JSON, by the ending of `path`."""
        write_paper(Path(path), "eyechart doctor", (self.part(),), language)

    def _repr_html_(self) -> str:
        prefix = f"ec{sha256(repr(self).encode('utf-8', 'backslashreplace')).hexdigest()[:8]}-"
        return (
            environment()
            .get_template("fragment.html.j2")
            .render(
                ui=Ui(lang="en", prefix=prefix),
                title="eyechart doctor",
                style=safe(style("style.css")),
                blocks=doctor_blocks(self),
            )
        )


Given = Path | str | Finished
"""A run folder, `RUN#cell`, or a run that is held already."""


def diagnose(
    a: Given | None = None, b: Given | None = None, *, symptom: str | None = None, claimed: str | None = None
) -> Consultation:
    """What may be wrong with run `a`, or why `a` and `b` differ: ranked causes with evidence, experiment and remedy.

    `a` and `b` are run folders, `RUN#cell` or runs. `symptom` in words, English or Chinese, alone or beside runs.
    `claimed` is a score that somebody states for `a`, as written: the usual ways of counting are tried on it.

    Raises InputError where nothing is given, a run is not there or was not run, or a claim is no score.

    >>> diagnose(symptom="the answers are cut off").usual[:2]
    ('truncated', 'stop_cuts')
    """
    if a is None and symptom is None:
        raise InputError("name a run, two, or a symptom in words: eyechart doctor --symptom 'same seed, other answers'")
    if a is None and (b is not None or claimed is not None):
        raise InputError("a claimed score needs the run it is claimed for")
    if claimed is not None:
        parse_claim(claimed)
    expected = () if symptom is None else usual(symptom, _names())
    if symptom is not None and not expected:
        raise InputError(f"no known symptom is in these words: {symptom[:80]!r}; {HINT}", field="--symptom")
    found: Findings | None = None
    notes: list[str] = []
    if a is not None:
        sides = [evaluated(_named(one)) for one in (a, b) if one is not None]
        for one in sides:
            notes += one.notes
        case = case_of(sides, claimed)
        for side in (case.a, case.b):
            if side is not None and side.whole > len(side.answers):
                notes.append(
                    f"{side.name}: {len(side.answers):,} of {side.whole:,} answers were looked at, a seeded sample of items"
                )
        found = found_in(case)
        fitting = [one for one in found.causes if one.cause in expected]
        found = replace(found, causes=(*fitting, *(one for one in found.causes if one.cause not in expected)))
    return Consultation(
        findings=found,
        symptom=symptom,
        symptoms=recognise(symptom or ""),
        usual=expected,
        notes=tuple(dict.fromkeys(notes)),
    )


HINT = (
    "say it with words such as seed, temperature 0, truncated, extraction, too low, chance, chat template, quantized,"
    " vllm differs, upgrade, judge; 或：种子、截断、提取、分数太低、随机水平、模板、量化、后端、升级"
)


def _names() -> dict[str, list[str]]:
    head = "doctor.cause."
    return {key.removeprefix(head): [EN[key], ZH[key]] for key in EN if key.startswith(head)}


def _named(one: Given) -> str:
    return str(one.folder.path) if isinstance(one, Finished) else str(one)


doctor = diagnose
"""As the command is called. `ec.doctor` would be the room of that name, so that Python users are given `diagnose`."""


def case_of(sides: Sequence[Evaluated], claimed: str | None = None) -> Case:
    """Raises InputError where one of them was not run."""
    readings = [_reading_of(_run_of(one), one.cell or 0) for one in sides]
    others = [readings[1], readings[0]] if len(sides) > 1 else [None]
    made = [side_of(one, other, whole=claimed is not None) for one, other in zip(sides, others, strict=True)]
    return Case(a=made[0], b=made[1] if len(made) > 1 else None, claimed=claimed)


def _run_of(one: Evaluated) -> Finished:
    if one.run is None:
        raise InputError(f"{one.name} was not run yet: `eyechart run {one.name}` first, or name a symptom")
    return one.run


def _cell(run: Finished, at: int) -> Mapping[str, Any]:
    return run.facts["cells"][at]


def _reading_of(run: Finished, at: int) -> Reading:
    body = _cell(run, at)["effective"]
    return Reading.from_body(body["asking"]["elicit"], body["reading"])


def side_of(one: Evaluated, other: Reading | None = None, *, whole: bool = False) -> Side:
    """One set-up of a run; its answers are read again by its own reading, a careful one, and `other`."""
    run, at = _run_of(one), one.cell or 0
    cell, facts, seen = _cell(run, at), run.facts, run.observations
    rows = seen.rows(at)
    looked = list(range(*rows.indices(len(seen)))) if whole else _looked(run, at)
    answers = tuple(_answers(run, at, looked, other))
    data: Sequence[Mapping[str, Any]] = facts["data"]
    engines: list[Mapping[str, Any]] = [e for e in facts["engines"] if e["digest"] == cell["engine"]]
    imported: Mapping[str, Any] | None = facts.get("imported")
    names = dict.fromkeys(seen.items[int(i)] for i in seen.item[rows])
    return Side(
        name=one.name,
        folder=str(run.folder.path),
        effective=cell["effective"],
        digest=str(cell.get("digest", "")),
        stated=cell["stated"],
        inert=tuple((i["path"], i["reason"]) for i in cell["inert"]),
        engine=engines[0] if engines else {},
        data=data[0] if len(data) == 1 else {},
        runtime=facts["runtime"],
        version=str(facts.get("eyechart", "?")),
        judge=cell.get("judge"),
        calls=len({int(call) for call in seen.call[rows]}),
        retries=int(facts.get("retries", 0)),
        missing=int(facts["missing"]),
        stopped=facts["stopped"],
        notes=tuple(facts["notes"]),
        foreign=str(imported["harness"]) if imported else None,
        unknown=tuple(imported.get("unknown", ())) if imported else (),
        items={name: run.items[name] for name in names},
        answers=answers,
        whole=rows.stop - rows.start,
        setups=_setups(run),
    )


def _setups(run: Finished) -> tuple[tuple[str, float], ...]:
    seen, out = run.observations, list[tuple[str, float]]()
    for at, name in enumerate(seen.cells):
        rows = seen.rows(at)
        if seen.scored[rows].any():
            out.append((name, float(seen.value[rows][seen.scored[rows]].mean())))
    return tuple(out)


def _looked(run: Finished, at: int) -> list[int]:
    """Rows of the set-up; of a large one those of a seeded sample of items, in their order."""
    seen = run.observations
    rows = range(*seen.rows(at).indices(len(seen)))
    if len(rows) <= LOOKED:
        return list(rows)
    codes = sorted({int(seen.item[row]) for row in rows})
    few = max(1, LOOKED * len(codes) // len(rows))
    ranked = sorted(codes, key=lambda code: rng_for(0, seen.items[code], "doctor").random())
    kept = set(ranked[:few])
    return [row for row in rows if int(seen.item[row]) in kept]


def _scorer(reading: Reading) -> str:
    return reading.score if isinstance(reading.score, str) else next(iter(reading.score))


def _answers(run: Finished, at: int, rows: Sequence[int], other: Reading | None) -> list[Answer]:
    seen = run.observations
    body: Mapping[str, Any] = _cell(run, at)["effective"]
    renderer = Renderer(Asking.from_body(body["asking"]))
    reader = _Reader(renderer, _reading_of(run, at), other, judged="judge" in body)
    wanted = {run.keys[int(seen.call[row])] for row in rows}
    prepared: dict[int, Item] = {}
    with Store(run.folder.store, create=False) as store:
        entries = {entry.key: entry for entry in store.entries(wanted)}
        failures = store.failures(wanted - set(entries))
    out: list[Answer] = []
    for row in rows:
        code, key = int(seen.item[row]), run.keys[int(seen.call[row])]
        if code not in prepared:
            prepared[code] = renderer.prepared(run.items[seen.items[code]])
        item = prepared[code]
        plain = Answer(
            item=item.id,
            repeat=int(seen.repeat[row]),
            outcome=OUTCOMES[int(seen.outcome[row])],
            value=float(seen.value[row]) if seen.scored[row] else None,
            gold=item.gold_index,
            options=len(item.choices),
        )
        if key in entries:
            out.append(reader.filled(plain, entries[key], item))
        else:
            failed = failures.get(key)
            out.append(replace(plain, failure=f"{failed.kind}: {failed.reason}" if failed else None))
    return out


@dataclass(frozen=True)
class _Reader:
    """Reads an answer by its own reading, a careful one and that of the other evaluation."""

    renderer: Renderer
    reading: Reading
    other: Reading | None
    judged: bool

    def filled(self, plain: Answer, entry: Entry, item: Item) -> Answer:
        request, response = entry.request, entry.response
        labels = tuple(self.renderer.labels(item))
        sent = request.prompt if request.prompt is not None else "\n".join(m.content for m in request.messages)
        found = self._read(response, item, labels, self.reading, request)
        careful, picked = self._careful(response, item, labels, found)
        other = self._read(response, item, labels, self.other, request) if self.other else None
        return replace(
            plain,
            prompt=sent,
            last=request.prompt if request.prompt is not None else request.messages[-1].content,
            request=entry.request_digest,
            seed=request.param("seed"),
            text=response.text,
            finish=response.finish_reason,
            tokens=response.completion_tokens,
            again=found[1].outcome if found else None,
            careful=careful,
            other=other[1].outcome if other else None,
            picked=picked,
            by_length=self._by_length(response, item, request),
            notes=response.notes,
            served=response.served_model,
            fingerprint=response.system_fingerprint,
        )

    def _read(
        self, response: Response, item: Item, labels: tuple[str, ...], reading: Reading, request: Request
    ) -> tuple[Extraction, Score] | None:
        """None where it cannot be read again without running, asking or calling anything."""
        if self.judged or _scorer(reading) in NOT_AGAIN or reading.elicit != self.reading.elicit:
            return None
        return read_response(response, item, labels, reading, request.options)

    def _careful(
        self, response: Response, item: Item, labels: tuple[str, ...], found: tuple[Extraction, Score] | None
    ) -> tuple[Outcome | None, int | None]:
        """Outcome of the careful reader, and the place of the option it (or the scored options) chose."""
        if self.reading.elicit == "options":
            value = found[0].value if found else None
            texts = [o.strip() for o in (labels if self.renderer.asking.options == "letters" else item.choices)]
            return None, texts.index(value) if value in texts else None
        if response.text is None or not item.gold or self.judged or _scorer(self.reading) in OPINIONS:
            return None, None
        kind = kind_of(self.reading, item)
        if kind == "code":
            return None, None
        read, score = read_response(response, item, labels, grader(CAREFUL, kind))
        picked = labels.index(read.value) if item.choices and read.value in labels else None
        return score.outcome, picked

    def _by_length(self, response: Response, item: Item, request: Request) -> tuple[tuple[str, Outcome], ...]:
        if response.option_logprobs is None:
            return ()
        return tuple(
            (name, score_options(response.option_logprobs, request.options, item, name)[1].outcome)
            for name in NORMALIZE
        )
