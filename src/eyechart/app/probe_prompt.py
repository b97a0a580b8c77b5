"""probe prompt: what a change of wording, or of the build of a model, does to the answer and behind the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.app.evaluated import Evaluated, evaluated
from eyechart.app.flips import flips as changed_verdicts
from eyechart.app.paper import paper, writable, write_paper
from eyechart.app.probing import Prober, Progress, Target, drawn, lay, plain, probed, reasons, target_of
from eyechart.core.effective import effective
from eyechart.core.errors import InputError
from eyechart.core.records import Message, NotEstimable, Request
from eyechart.probes.prompt import compare, first_divergence, other_vocabulary, probe, summary
from eyechart.probes.prompt_values import Alone, Failed, Pair, PromptProbe, Question, Smallest
from eyechart.probes.seen import deepen, gather, places
from eyechart.probes.smallest import smallest_change, smallest_deletion
from eyechart.probes.wording import Unit, unit_of
from eyechart.report.blocks import Part, message
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment
from eyechart.report.sections.prompts import prompts
from eyechart.report.table_data import data_of

ITEMS = 10
"""Drawn where none is named."""
LOOKED_INTO = 3
"""Pairs whose smallest change is looked for, those that flip and diverge most, where no item is named."""
PART = "prompts"


@dataclass(frozen=True, kw_only=True)
class ProbedPrompt:
    """What `probe_prompt` found, and its picture."""

    probe: PromptProbe
    made: int
    """Calls that had not been answered before."""
    folder: Path
    """Where the answers are kept."""

    def part(self) -> Part:
        """The section of a report."""
        return Part(name=PART, title=message(f"section.{PART}"), blocks=tuple(prompts(self.probe)))

    def report(self, path: Path | str, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`."""
        write_paper(Path(path), "eyechart probe prompt", (self.part(),), language)
        return Path(path)

    def data(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {"calls": {"made": self.made}, "folder": str(self.folder), **reasons(data_of(self.probe))}

    def _repr_html_(self) -> str:
        return fragment(paper("eyechart probe prompt", (self.part(),)))


@dataclass(frozen=True, kw_only=True)
class _Contrast:
    """Two evaluations of the same items, or of the same bare texts."""

    change: str
    a: Target
    b: Target
    pairs: tuple[tuple[Question, Question], ...]


# More parameters than usual: each is an option of the command, under the same name.
def probe_prompt(
    a: str | Path | None = None,
    b: str | Path | None = None,
    *,
    items: Sequence[str] | int | None = None,
    edits: Sequence[str] = (),
    texts: Sequence[str] = (),
    options: Sequence[str] = (),
    smallest: str | None = None,
    flips: bool = False,
    attention: bool = True,
    out: Path | str | None = None,
    report: Path | None = None,
    progress: Progress | None = None,
) -> ProbedPrompt:
    """Compare wordings, item by item: `a` with each of `edits`, or `a` with `b`, or `texts` with the first of them.

    `a`, `b`: a study or fingerprint, a run folder, or `RUN#cell`. `edits`: names as `eyechart factors` lists them, each
    a change of its own. `texts` stand for themselves; `a` then only says which model (the embedded one without it).
    `items`: ids, or how many to draw (by their ids, so that more hold the fewer); with `flips`, of those whose verdict
    differs in the two set-ups of a run. `options` are continuations, in place of those of the items. `smallest`: look
    also for the smallest part of the change, in `tokens`, `marks`, `words` or `lines`, that turns the answer; without
    any change, for the smallest deletion that does. Answers are kept in `out`: given again, nothing is asked.

    Raises InputError for what cannot be compared, Stopped where a budget ends it.
    """
    unit = None if smallest is None else unit_of(smallest)
    writable(report)
    known = [evaluated(str(one)) for one in (a, b) if one is not None]
    _check(known, edits, texts, unit, flips)
    notes: list[str] = []
    contrasts = _bare(known, texts, options) if texts else _laid(known, edits, items, options, flips, notes)
    named = texts or not isinstance(items, int | None)

    async def work(prober: Prober) -> PromptProbe:
        found: list[Pair | Failed] = []
        alone: list[Alone] = []
        for contrast in contrasts:
            if contrast.change:
                found += await _compared(prober, contrast, attention)
            else:
                alone += [await _deleted(prober, contrast.a, one, unit or "words") for one, _ in contrast.pairs]
        pairs = [one for one in found if isinstance(one, Pair)]
        if unit is not None:
            pairs = await _smallest(prober, contrasts, pairs, unit, None if named else LOOKED_INTO)
        failed = tuple(one for one in found if isinstance(one, Failed))
        return PromptProbe(
            pairs=tuple(pairs), families=summary(pairs, failed), failed=failed, alone=tuple(alone), notes=tuple(notes)
        )

    done = probed(out, progress, work)
    return ProbedPrompt(probe=done.result, made=done.made, folder=done.folder)


def _check(
    known: Sequence[Evaluated], edits: Sequence[str], texts: Sequence[str], unit: Unit | None, flips: bool
) -> None:
    if not known and not texts:
        raise InputError("name a study, or give two wordings by --text")
    if texts and (edits or len(known) > 1 or flips):
        raise InputError("wordings given by --text stand for themselves: leave out --edit, --flips and the second name")
    if len(texts) == 1 and unit is None:
        raise InputError("one wording cannot be compared: give a second --text, or --smallest", field="--text")
    if len(known) > 1 and edits:
        raise InputError("compare with a second evaluation or with edits, not both", field="--edit")
    if len(known) == 1 and not edits and not texts and unit is None:
        raise InputError("nothing to compare with: give --edit, a second evaluation, or --smallest")
    if flips and (len(known) < 2 or any(one.run is None for one in known)):
        raise InputError("verdicts that flipped are known of two set-ups of runs: RUN c000 c003", field="--flips")


def _bare(known: Sequence[Evaluated], texts: Sequence[str], options: Sequence[str]) -> list[_Contrast]:
    if any(not text for text in texts):
        raise InputError("is empty; write the prompt as the model is to see it", field="--text")
    given = known[0] if known else None
    target = target_of(given)
    if options and not target.able.options:
        raise InputError(
            "not measurable here: this backend gives no log-probability of a given answer", field="--options"
        )
    asking: Mapping[str, Any] = effective(given.spec).asking.prompt if given else {}
    asked = [
        Question(name=f"text {i}", request=_request(text, asking), options=tuple(options))
        for i, text in enumerate(texts, 1)
    ]
    if len(asked) == 1:
        return [_Contrast(change="", a=target, b=target, pairs=((asked[0], asked[0]),))]
    return [_Contrast(change=one.name, a=target, b=target, pairs=((asked[0], one),)) for one in asked[1:]]


def _request(text: str, asking: Mapping[str, Any]) -> Request:
    if not asking.get("chat_template"):
        return Request(elicit="next", prompt=text)
    system = asking.get("system")
    turns = (Message(role="system", content=system),) if system else ()
    return Request(elicit="next", messages=(*turns, Message(role="user", content=text)))


def _laid(
    known: Sequence[Evaluated],
    edits: Sequence[str],
    items: Sequence[str] | int | None,
    options: Sequence[str],
    flips: bool,
    notes: list[str],
) -> list[_Contrast]:
    first = lay(known[0])
    if len(known) > 1:
        others = [lay(known[1])]
        if first.name == others[0].name:
            raise InputError(f"{first.name} compared with itself says nothing; name another set-up, or an --edit")
    else:
        others = [lay(known[0], {"prompt.edits+": plain(edit, "--edit")}, edit) for edit in edits]
    notes += dict.fromkeys(note for one in (first, *others) for note in one.notes)
    if any(one.ask.asking.sampled for one in (first, *others)):
        notes.append("sampling is switched off for this probe: answers are the greedy ones")
    shared = [i.id for i in first.ask.items if all(i.id in {o.id for o in other.ask.items} for other in others)]
    if len(known) > 1 and known[0].spec.dataset.stated() != known[1].spec.dataset.stated():
        notes.append("the two have other data; items are paired by their ids")
    if flips:
        shared = _flipped(known, shared)
    if not shared:
        raise InputError("the two share no item" if not flips else "no verdict differs between the two", field="--item")
    chosen = drawn(shared, ITEMS if items is None else items) if isinstance(items, int | None) else tuple(items)
    if isinstance(items, int | None) and len(chosen) < len(shared):
        notes.append(f"{len(chosen)} of {len(shared):,} items, drawn by their ids")
    if not others:
        asked = tuple((question, question) for item in chosen for question in (first.question(item, options),))
        return [_Contrast(change="", a=first.target, b=first.target, pairs=asked)]
    return [
        _Contrast(
            change=other.name,
            a=first.target,
            b=other.target,
            pairs=tuple((first.question(item, options), other.question(item, options)) for item in chosen),
        )
        for other in others
    ]


def _flipped(known: Sequence[Evaluated], shared: Sequence[str]) -> list[str]:
    a, b = known
    if a.run is None or b.run is None or a.run.folder.path != b.run.folder.path:
        raise InputError("flips are looked up in one run: write RUN c000 c003", field="--flips")
    cells = [str(a.run.facts["cells"][one.cell or 0]["id"]) for one in known]
    changed = {flip.item for flip in changed_verdicts(a.run, cells[0], cells[1])}
    return [item for item in shared if item in changed]


async def _compared(prober: Prober, contrast: _Contrast, attention: bool) -> list[Pair | Failed]:
    a, b = contrast.a, contrast.b
    if a.use.digest == b.use.digest:
        asked = [(contrast.change, one, two) for one, two in contrast.pairs]
        return list(await prober.ask(a, probe(asked, a.able, attention=attention)))
    firsts = await prober.ask(a, gather([one for one, _ in contrast.pairs], a.able, attention=attention))
    seconds = await prober.ask(b, gather([two for _, two in contrast.pairs], b.able, attention=attention))
    spots = [places(one, two) for one, two in zip(firsts, seconds, strict=True)]
    deep_b = await prober.ask(b, deepen(list(zip(seconds, spots, strict=True)), b.able))
    deep_a = await prober.ask(a, deepen(list(zip(firsts, spots, strict=True)), a.able))
    return [
        compare(contrast.change, one, two, spots[i], (deep_a[i], deep_b[i]), other_vocabulary(one, two), builds=True)
        for i, (one, two) in enumerate(zip(firsts, seconds, strict=True))
    ]


async def _smallest(
    prober: Prober, contrasts: Sequence[_Contrast], pairs: Sequence[Pair], unit: Unit, most: int | None
) -> list[Pair]:
    """`pairs` with the smallest change of those that flip; of the `most` that diverge most."""
    known = {
        (contrast.change, one.item.id if one.item else None): (contrast, one, two)
        for contrast in contrasts
        for one, two in contrast.pairs
    }
    turned = [i for i, pair in enumerate(pairs) if pair.flips]
    turned.sort(key=lambda i: -(first_divergence(pairs[i]) or (0.0, False))[0])
    out = list(pairs)
    for i in turned[:most]:
        pair = out[i]
        contrast, one, two = known[pair.change, pair.item]
        found: Smallest | NotEstimable = NotEstimable(name="smallest change", reason="the two are put to other models")
        if contrast.a.use.digest == contrast.b.use.digest:
            pieces = pair.a.pieces, pair.b.pieces
            found = await prober.ask(contrast.a, smallest_change(one, two, unit, contrast.a.able, pieces=pieces))
        out[i] = replace(pair, smallest=found)
    return out


async def _deleted(prober: Prober, target: Target, question: Question, unit: Unit) -> Alone:
    (seen,) = await prober.ask(target, gather([question], target.able, attention=False))
    shown = seen.response("next")
    pieces = shown.pieces if shown else None
    found = await prober.ask(target, smallest_deletion(question, unit, target.able, pieces=pieces))
    item = question.item.id if question.item else None
    texts = question.request.prompt or "\n\n".join(m.content for m in question.request.messages)
    return Alone(item=item, name=question.name, prompt=texts, smallest=found)
