"""probe decoding: step by step what came, what else could have, and where two settings, seeds or models part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from eyechart.app.evaluated import Evaluated, evaluated
from eyechart.app.paper import paper, writable, write_paper
from eyechart.app.probing import ABSENCES, Laid, Prober, Progress, drawn, lay, probed, reasons
from eyechart.core.codec import level_name
from eyechart.core.errors import InputError
from eyechart.core.records import Request
from eyechart.probes.decoding import CANDIDATES, DecodingProbe, joined, walk
from eyechart.report.blocks import Part, message
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment
from eyechart.report.sections.decoding import decoding
from eyechart.report.table_data import data_of

PART = "decoding"
STATED = "as stated"
MOST = 50
"""Candidates a step, at most."""


@dataclass(frozen=True, kw_only=True)
class ProbedDecoding:
    """What `probe_decoding` found, and its picture."""

    probe: DecodingProbe
    made: int
    """Calls that had not been answered before."""
    folder: Path
    """Where the answers are kept."""

    def part(self) -> Part:
        """The section of a report."""
        return Part(name=PART, title=message(f"section.{PART}"), blocks=tuple(decoding(self.probe)))

    def report(self, path: Path | str, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`."""
        write_paper(Path(path), "eyechart probe decoding", (self.part(),), language)
        return Path(path)

    def data(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        found = data_of(self.probe)
        for walk_, row in zip(self.probe.walks, found["walks"], strict=True):
            row["open"] = list(walk_.open)
        return {
            "calls": {"made": self.made},
            "folder": str(self.folder),
            "parting": self.probe.parting,
            **({} if self.probe.parting is not None else {"parting_reason": ABSENCES["parting"]}),
            **reasons(found),
        }

    def _repr_html_(self) -> str:
        return fragment(paper("eyechart probe decoding", (self.part(),)))


@dataclass(frozen=True, kw_only=True)
class _Line:
    name: str
    laid: Laid
    request: Request


# More parameters than usual: each is an option of the command, under the same name.
def probe_decoding(
    a: str | Path,
    b: str | Path | None = None,
    *,
    item: str | None = None,
    changes: Mapping[str, Any] | None = None,
    seeds: Sequence[int] = (),
    steps: int | None = None,
    candidates: int = CANDIDATES,
    out: Path | str | None = None,
    report: Path | None = None,
    progress: Progress | None = None,
) -> ProbedDecoding:
    """The decoding paths of one item: of `a`, beside it of `b`, of `a` with `changes`, or one a seed.

    `a`, `b`: a study or fingerprint, a run folder, or `RUN#cell`. `item`: its id; without it one is drawn. `changes`:
    path to value, all put on together (`{"decoding.temperature": 0.7}`); beside them stands `a` as stated. With two
    `seeds` or more there is one path a seed, all under `changes`. `steps`: tokens at most, in place of
    `decoding.max_new_tokens`. Answers are kept in `out`: given again, nothing is asked.

    Raises InputError where two paths would be asked for by the very same request, where the model shows no
    candidates, or for what is not there; Stopped where a budget ends it.
    """
    writable(report)
    if b is not None and (changes or seeds):
        raise InputError("compare with a second evaluation or with settings, not both", field="--set")
    if not 2 <= candidates <= MOST:
        raise InputError(f"write a number from 2 to {MOST}", field="--candidates")
    if steps is not None and steps < 1:
        raise InputError("write a number of tokens, 1 or more", field="--steps")
    laid = _laid(a, b, changes or {}, seeds)
    first = laid[0][1]
    shared = [i.id for i in first.ask.items if all(i.id in {o.id for o in one.ask.items} for _, one in laid)]
    if not shared:
        raise InputError("the two share no item", field="--item")
    chosen = item if item is not None else drawn(shared, 1)[0]
    lines = [_Line(name=name, laid=one, request=_request(one, chosen, steps)) for name, one in laid]
    _check(lines)
    notes = list(dict.fromkeys(note for _, one in laid for note in one.notes))
    if any(one.request(chosen).elicit != "generate" for _, one in laid):
        notes.append("the evaluation generates nothing: the model goes on from the same prompt")
    if len({(line.request.prompt, line.request.messages) for line in lines}) > 1:
        notes.append("the prompts differ: the paths start from different texts")

    async def work(prober: Prober) -> DecodingProbe:
        parts: list[DecodingProbe] = []
        for _, same in groupby(lines, lambda line: line.laid.target.use.digest):
            group = list(same)
            flow = walk([(line.name, line.request) for line in group], item=chosen, candidates=candidates)
            parts.append(await prober.ask(group[0].laid.target, flow))
        return joined(parts, notes)

    done = probed(out, progress, work)
    return ProbedDecoding(probe=done.result, made=done.made, folder=done.folder)


def _laid(
    a: str | Path, b: str | Path | None, changes: Mapping[str, Any], seeds: Sequence[int]
) -> list[tuple[str, Laid]]:
    """Names of the paths, and how each is asked for."""
    first = evaluated(str(a))
    if b is not None:
        second = evaluated(str(b))
        if first.name == second.name:
            raise InputError(f"{first.name} compared with itself says nothing; name another, or give --set")
        return [(first.name, lay(first)), (second.name, lay(second))]
    moved = ", ".join(f"{path}={level_name(value)}" for path, value in changes.items())
    if len(seeds) > 1:
        if len(set(seeds)) < len(seeds):
            raise InputError("the same seed twice is the same path", field="--seed")
        return [(f"seed {seed}", lay(first, {**changes, "decoding.seed": seed})) for seed in seeds]
    if seeds:
        changes = {**changes, "decoding.seed": seeds[0]}
        moved = ", ".join(part for part in (moved, f"seed {seeds[0]}") if part)
    stated = [(STATED, lay(first))]
    return [*stated, (moved, lay(first, changes))] if changes else stated


def _request(laid: Laid, item: str, steps: int | None) -> Request:
    """What is generated for an item. Where the evaluation only scores options, the same prompt is gone on from, under
    the decoding that is stated or usual."""
    request = laid.request(item)
    if request.elicit != "generate":
        given = Evaluated(name=laid.name, spec=laid.spec, base=laid.base)
        other = lay(given, {"evaluation.elicit": "generate"}).request(item)
        request = replace(other, prompt=request.prompt, messages=request.messages)
    if steps is None:
        return request
    return replace(request, params=tuple(sorted({**dict(request.params), "max_new_tokens": steps}.items())))


def _check(lines: Sequence[_Line]) -> None:
    seen: dict[tuple[str, Request], str] = {}
    for line in lines:
        able, digest = line.laid.target.able, line.laid.target.use.digest
        if not able.token_logprobs:
            raise InputError(
                f"not measurable here: {line.laid.target.use.engine.backend} does not show what else could have come",
                field="model.backend",
            )
        if (digest, line.request) in seen:
            other = seen[digest, line.request]
            raise InputError(
                f"{other} and {line.name} ask for the very same: at temperature 0 a seed, top_p and top_k do nothing; "
                "write --set decoding.temperature=0.7",
                field="--seed" if "seed" in line.name else "--set",
            )
        seen[digest, line.request] = line.name
