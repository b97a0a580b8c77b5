from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from pathlib import Path

import click

from eyechart.app.probe_prompt import LOOKED_INTO, ProbedPrompt, probe_prompt
from eyechart.cli.output import Answer, Progress, answers
from eyechart.core.errors import InputError
from eyechart.core.records import Candidate, NotEstimable
from eyechart.probes.prompt_values import AttentionChange, Family, Given, Pair, Position, PromptProbe, Smallest
from eyechart.probes.wording import UNITS, Change
from eyechart.report.pictures import shown
from eyechart.report.sections.prompts import ranked, small
from eyechart.stats.divergence import Bounds, Divergence, SeenDivergence, bits

WHERE = {"first": "behind the prompt", "parting": "where the paths part", "answer": "at the answer"}
MINIMAL = {
    "minimum": "no smaller number of parts does it",
    "minimal": "no part of these does it; all were tried",
    "1-minimal": "none of these can be left out alone",
    "unfinished": "given up here: some of these may not be needed",
}
PAIRS = 3
"""Shown in full; the report has more, and --json all."""
TOP = 3


@click.command("prompt")
@click.argument("evaluations", nargs=-1, metavar="[A [B] | RUN C1 C2]")
@click.option("--item", "named", multiple=True, metavar="ID", help="An item by its id; may be given again.")
@click.option(
    "--items", "count", type=click.IntRange(1), help="How many items to draw where none is named; 10 unless given."
)
@click.option(
    "--edit", "edits", multiple=True, help="A text edit of `eyechart factors`; several are compared one by one."
)
@click.option(
    "--text", "texts", multiple=True, help="A wording of your own, twice or more; A then only says which model."
)
@click.option(
    "--options", "options", multiple=True, metavar="TEXT", help="A continuation to score; given again, another."
)
@click.option(
    "--smallest", type=click.Choice(UNITS), help="Find the smallest part of the change that turns the answer."
)
@click.option("--flips", is_flag=True, help="Of RUN C1 C2: the items whose verdict differs.")
@click.option("--no-attention", is_flag=True, help="Do not ask for attention where the model shows it.")
@click.option("--out", type=click.Path(path_type=Path), help="Where answers are kept; eyechart-probes unless given.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report too: .html, .md or .json.")
@click.option(
    "--language",
    "--lang",
    "language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Of the report.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
@answers("probe prompt")
def prompt(
    evaluations: tuple[str, ...],
    named: tuple[str, ...],
    count: int | None,
    smallest: str | None,
    report: Path | None,
    language: str,
    quiet: bool,
    no_attention: bool,
    **rest: object,
) -> Answer:
    """What a change of wording does to the answer, and behind the prompt.

    A with each --edit, A with B (two studies, RUN#c000 and RUN#c003, two builds of one model), or several --text. Answers
    are kept: the same command again asks nothing.

    \b
    eyechart probe prompt study.yaml --edit fullwidth_punctuation --edit typos --items 20
    eyechart probe prompt study.yaml --item q17 --edit polite --smallest words
    eyechart probe prompt study.yaml --item q17 --smallest words      (the smallest deletion)
    eyechart probe prompt f32.yaml bf16.yaml --items 20
    eyechart probe prompt --text "Is it good?" --text "Is it bad?" --options " Yes" --options " No"
    """
    a, b = _two(evaluations)
    if named and count is not None:
        raise InputError("name items or say how many to draw, not both", field="--items")
    progress = Progress(quiet)
    found = probe_prompt(
        a,
        b,
        items=named or count,
        smallest=smallest,
        attention=not no_attention,
        report=report,
        progress=progress,
        **rest,  # pyright: ignore[reportArgumentType]
    )
    progress.end()
    if report is not None:
        found.report(report, "zh" if language == "zh" else "en")
    return answer(found, report, bool(named))


def _two(evaluations: Sequence[str]) -> tuple[str | None, str | None]:
    """A and B; `RUN C1 C2` is short for `RUN#C1 RUN#C2`."""
    if len(evaluations) == 3:
        run, *cells = evaluations
        return f"{run}#{cells[0]}", f"{run}#{cells[1]}"
    if len(evaluations) > 3:
        raise InputError("give A, A and B, or RUN and two of its set-ups")
    a, b = (*evaluations, None, None)[:2]
    return a, b


def answer(found: ProbedPrompt, report: Path | None, named: bool) -> Answer:
    """What the probe found, for both kinds of reader."""
    probe = found.probe
    lines = [*_lines(probe, named), f"{found.made:,} calls made; answers are kept in {found.folder}"]
    if report is not None:
        lines.append(str(report))
    nothing = bool(probe.failed) and not probe.pairs
    return Answer(
        code="too_little_data" if nothing else "probed",
        text=_sentence(probe),
        data=found.data(),
        lines=lines,
        warnings=[*probe.notes, *(f"{f.change}, item {f.item}: {f.reason}" for f in probe.failed[:PAIRS])],
        exit_code=3 if nothing else 0,
    )


def _sentence(probe: PromptProbe) -> str:
    if not probe.pairs:
        if probe.alone:
            found = sum(isinstance(one.smallest, Smallest) for one in probe.alone)
            return f"A deletion that turns the answer was found for {found:,} of {len(probe.alone):,}."
        return "Nothing was answered on both sides."
    flips, n = sum(pair.flips for pair in probe.pairs), len(probe.pairs)
    if n == 1:
        return "The answer turns." if flips else "The answer stays."
    return f"{flips:,} of {n:,} pairs turn the answer." if flips else f"{n:,} pairs asked, and no answer turns."


def _lines(probe: PromptProbe, named: bool) -> Iterator[str]:
    if len(probe.families) > 1 or any(f.n > 1 for f in probe.families):
        yield "\nDivergence of the next token behind the prompt (mean JS):"
        width = max(len(f.change) for f in probe.families)
        for family in probe.families:
            yield f"  {family.change:<{width}}  {_family(family)}"
    if probe.pairs:
        yield ""
        yield "In bits. JS: Jensen-Shannon, 0 the same, 1 nothing in common. KL: first to second / second to first."
    chosen = list(probe.pairs) if named and len(probe.pairs) <= PAIRS else ranked(probe.pairs)[:PAIRS]
    for pair in chosen:
        yield ""
        yield from _pair(pair)
    if len(probe.pairs) > len(chosen):
        yield f"\n{len(probe.pairs) - len(chosen):,} more pairs: --report FILE shows some, --json all."
    if not named and sum(pair.flips for pair in probe.pairs) > LOOKED_INTO and any(p.smallest for p in probe.pairs):
        yield f"The smallest change was looked for in {LOOKED_INTO} of those that turn; --item names others."
    for alone in probe.alone:
        yield f"\n{_head(alone.item, alone.name)}"
        yield from _smallest(alone.smallest)


def _family(found: Family) -> str:
    mean = found.divergence
    if isinstance(mean, NotEstimable):
        said = mean.reason
    else:
        low = ">= " if found.bound else ""
        within = f" [{small(mean.interval.low)}, {small(mean.interval.high)}]" if mean.interval else ""
        said = f"{low}{small(mean.value)}{within}"
    turned = f"{found.flips} of {found.n} turn (+{found.gained} -{found.lost})"
    same = f", {found.same_prompt} prompts unchanged" if found.same_prompt else ""
    failed = f", {found.failed} failed" if found.failed else ""
    return f"{said}  {turned}{same}{failed}"


def _head(item: str | None, change: str) -> str:
    return f"item {item}: {change}" if item is not None else change


def _pair(pair: Pair) -> Iterator[str]:
    yield f"{_head(pair.item, pair.change)}{'  [the answer turns]' if pair.flips else ''}"
    yield f"  answer        {_given(pair.a.given)} -> {_given(pair.b.given)}"
    if pair.same_prompt:
        yield "  the change leaves this prompt as it is: both sides are one and the same call"
        return
    for at in pair.positions:
        yield f"  {WHERE[at.where]}{f' (token {at.step + 1})' if at.step else ''}"
        yield f"    {_between(at)}"
        if any(at.top):
            yield f"    first   {_top(at.top[0])}"
            yield f"    second  {_top(at.top[1])}"
    if not isinstance(pair.options, NotEstimable):
        shares = "   ".join(f"{shown(o.text, 20)} {o.shares[0]:.1%} -> {o.shares[1]:.1%}" for o in pair.options)
        yield f"  options       {shares}"
    if isinstance(pair.attention, AttentionChange):
        yield from _attention(pair.attention)
    if pair.smallest is not None:
        yield from _smallest(pair.smallest)


def _given(given: Given) -> str:
    if given.answer is None:
        reason = (given.reason or "").split(" (")[0]
        return f"no answer ({reason[:48]})" if reason else "no answer"
    outcome = f" ({given.outcome.value})" if given.outcome is not None else ""
    return f"“{shown(given.answer, 30)}”{outcome}"


def _between(at: Position) -> str:
    found = at.between
    if isinstance(found, NotEstimable):
        return f"divergence not known: {found.reason}"
    if isinstance(found, Divergence):
        forward, backward = (_nats(value) for value in (found.forward, found.backward))
        shannon = small(bits(found.jensen_shannon))
    else:
        forward, backward, shannon = (_bounds(x) for x in (found.forward, found.backward, found.jensen_shannon))
    entropies = [f"{bits(x):.2f}" for x in at.entropies if x is not None]
    said = f"  entropy {entropies[0]} -> {entropies[1]}" if len(entropies) == 2 else ""
    bound = " (bounds)" if isinstance(found, SeenDivergence) else ""
    return f"JS {shannon}  KL {forward} / {backward} bits{bound}{said}"


def _nats(value: float | NotEstimable) -> str:
    return "infinite" if isinstance(value, NotEstimable) else small(bits(value))


def _bounds(found: Bounds) -> str:
    low = small(bits(found.low))
    return f">={low}" if found.high is None else f"{low}..{small(bits(found.high))}"


def _top(candidates: Sequence[Candidate]) -> str:
    return "  ".join(f"{shown(c.token, 16)} {exp(c.logprob):.1%}" for c in candidates[:TOP]) or "not visible here"


def _attention(found: AttentionChange) -> Iterator[str]:
    most = max(found.layers, key=lambda layer: layer.mean)
    yield f"  attention     moves most in layer {most.layer} ({most.mean:.1%}; head {most.head} {most.most:.1%})"
    moved = sorted(found.tokens, key=lambda t: (t.weights[1] or 0.0) - (t.weights[0] or 0.0))
    for word, tokens in (("from", moved[:TOP]), ("to", moved[: -TOP - 1 : -1])):
        said = "  ".join(
            f"{shown(t.text, 12)} {100 * ((t.weights[1] or 0) - (t.weights[0] or 0)):+.1f}" for t in tokens
        )
        yield f"    {word:<6}{said}"


def _smallest(found: Smallest | NotEstimable) -> Iterator[str]:
    if isinstance(found, NotEstimable):
        yield f"  smallest      none: {found.reason}"
        return
    said = " | ".join(_part(change) for change in found.chosen[:TOP])
    more = f" and {len(found.chosen) - TOP} more" if len(found.chosen) > TOP else ""
    yield f"  smallest      {said}{more}"
    yield f"    {len(found.chosen)} of {found.of} {found.unit}: {_given(found.before)} -> {_given(found.after)}"
    yield f"    {MINIMAL[found.minimal]}; {found.looks} prompts tried"
    if found.also:
        also = "  ".join(f"“{shown(c.before, 16)}”" for c in found.also[:TOP])
        yield f"    {len(found.also)} others do it alone as well: {also}"


def _part(change: Change) -> str:
    before, after = f"“{shown(change.before, 24)}”", f"“{shown(change.after, 24)}”"
    if not change.before:
        return f"put in {after}"
    return f"{before} -> {after}" if change.after else f"leave out {before}"
