"""The report as Markdown, for issues, pull requests and summaries of checks; and a block for a model card.

What a model or file wrote can neither format, nor link, nor load a picture, nor call a person: inline
it is escaped, and whole answers stand in a fence longer than any run of backticks within.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    ChecklistBlock,
    CurveBlock,
    DiffBlock,
    Heading,
    Note,
    PathBlock,
    Prose,
    SamplesBlock,
    SampleView,
    Table,
    Text,
    TokensBlock,
    Verdict,
    message,
)
from eyechart.report.common import baseline_of, checklist_table
from eyechart.report.inputs import ReportInput
from eyechart.report.letters import difference_lines, path_lines, tokens_lines
from eyechart.report.messages import say
from eyechart.report.plain import analysis_data
from eyechart.report.sections import build
from eyechart.report.sentences import baseline_value, plain_sentences
from eyechart.report.text import ELLIPSIS, clean, clean_lines, clip, clip_middle

ANSWER, PROMPT_HEAD, PROMPT_TAIL, WORDS = 800, 200, 400, 400

_NUMERIC = re.compile(r"[\d\s\[\],.:+%<>e\N{MINUS SIGN}-]*")
_ACTIVE = re.compile(r"[\\`*_{}\[\]#|~$!]")


def inline(text: str) -> str:
    r"""Raw text on one line of Markdown, inert.

    >>> print(inline("![x](http://a.b) <i> @you | `c`"))
    \!\[x\](http:&#47;&#47;a.b) &lt;i&gt; &#64;you \| \`c\`
    >>> inline("[60.0, 70.2]")
    '[60.0, 70.2]'
    """
    shown, left = clip(text, WORDS)
    line = clean(shown)
    if _NUMERIC.fullmatch(line):
        return line
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _ACTIVE.sub(lambda match: f"\\{match[0]}", line)
    line = line.replace("@", "&#64;").replace("://", ":&#47;&#47;").replace("www.", "www&#46;")
    return line + (f"{ELLIPSIS} (+{left})" if left else "")


def fence(text: str) -> str:
    """Raw text of several lines, in a fence that it cannot close.

    >>> print(fence("a ``` b"))
    ````text
    a ``` b
    ````
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}text\n{clean_lines(text)}\n{ticks}"


def render_markdown(given: ReportInput, *, names: tuple[str, ...] = ()) -> str:
    """The whole report, or the sections of `names`.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> render_markdown(ReportInput(title="a *study*", analysis=nothing)).splitlines()[0]
    '# a \\\\*study\\\\*'
    """
    return "\n\n".join(_report(given, names)) + "\n"


def _report(given: ReportInput, names: tuple[str, ...]) -> Iterator[str]:
    yield f"# {inline(given.title)}"
    for part in build(given, names):
        if part.name != "verdict":
            yield f"## {_say(part.title, given.language)}"
        for block in part.blocks:
            yield from _block(block, given.language)


def _say(text: Text, language: str) -> str:
    return say(text, language, inline)


def _block(block: Block, language: str) -> Iterator[str]:
    match block:
        case Verdict():
            yield f"**{_say(message(f'tone.{block.tone}'), language)}.** {_say(block.text, language)}"
            yield from (_say(line, language) for line in block.details)
        case Heading():
            yield f"{'#' * block.level} {_say(block.text, language)}"
        case Prose():
            yield _say(block.text, language)
        case Note():
            yield f"> **{_say(message(f'ui.{block.kind}'), language)}** {_say(block.text, language)}"
        case Table():
            yield from _titled(block.title, block.caption, language)
            yield _table(block, language)
        case ChecklistBlock():
            yield from _titled(block.title, None, language)
            yield _table(checklist_table(block), language)
        case CurveBlock():
            yield from _titled(block.title, block.caption, language)
            for view in block.curves:
                yield f"**{_say(view.factor, language)}.** {_say(view.verdict, language)}"
                yield from _bullets(_say(line, language) for line in view.details)
                yield _table(view.twin, language)
        case SamplesBlock():
            yield f"#### {_say(block.title, language)}"
            if block.side is not None:
                yield _say(block.side, language)
            for sample in block.samples:
                yield from _sample(sample, language)
            if block.note is not None:
                yield f"*{_say(block.note, language)}*"
        case TokensBlock() | PathBlock():
            yield from _titled(block.title, block.caption, language)
            lines = tokens_lines(block, language) if isinstance(block, TokensBlock) else path_lines(block, language)
            yield fence("\n".join(lines))
            yield _table(block.twin, language)
        case DiffBlock():
            yield from _titled(block.title, block.note, language)
            yield inline(say(message("pictures.signs", open="{", close="}"), language))
            for case in block.cases:
                yield from [f"#### {_say(case.name, language)}"] if case.name else []
                for name, text, note in difference_lines(block, case, language):
                    yield f"{_say(name, language)}:"
                    yield fence(text)
                    yield from [_say(note, language)] if note else []
        case _:
            caption = getattr(block, "caption", None)
            yield from _titled(block.title, caption, language)
            yield _table(block.twin, language)


def _titled(title: Text | None, caption: Text | None, language: str) -> Iterator[str]:
    if title is not None:
        yield f"### {_say(title, language)}"
    if caption is not None:
        yield _say(caption, language)


def _bullets(lines: Iterable[str]) -> Iterator[str]:
    text = "\n".join(f"- {line}" for line in lines)
    if text:
        yield text


def _table(table: Table, language: str) -> str:
    heads = [
        _say(
            column.title if column.group is None else message("list.join", first=column.group, second=column.title),
            language,
        )
        for column in table.columns
    ]
    lines = [heads, ["---:" if column.numeric else "---" for column in table.columns]]
    lines += [[_cell(cell, language) for cell in row.cells] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell, language: str) -> str:
    text = _say(cell.text, language)
    if cell.heat is not None and cell.mark == "flagged":
        return f"**{text}** {'▲' if cell.heat > 0 else '▼'}"
    return f"**{text}**" if cell.mark in ("broken", "apart") and text else text


def _sample(sample: SampleView, language: str) -> Iterator[str]:
    facts: list[tuple[str, Text | None]] = [
        ("ui.setup", sample.cell),
        ("ui.item", sample.item),
        ("ui.subject", sample.group),
        ("ui.outcome", sample.outcome),
        ("ui.extracted", sample.extracted if sample.extracted is not None else message("ui.nothing_read")),
        ("ui.gold", sample.gold),
        ("ui.why", sample.reason),
    ]
    yield from _bullets(f"{_say(message(k), language)}: {_say(v, language)}" for k, v in facts if v is not None)
    head, tail, cut = clip_middle(sample.prompt, PROMPT_HEAD, PROMPT_TAIL)
    if cut:
        head = f"{head}\n{say(message('ui.cut', n=cut), language)}\n{tail}"
    yield f"{_say(message('ui.prompt'), language)}:"
    yield fence(head)
    text, left = clip(sample.text, ANSWER)
    yield f"{_say(message('ui.answer'), language)}:"
    yield fence(text or say(message("ui.empty"), language))
    if left:
        yield _say(message("ui.left_out", n=left), language)


def seal(given: ReportInput) -> str:
    """Digest of the numbers of a report and of what they are of: the same for the same analysis.

    `r1:` and the SHA-256 of `analysis_data` and the digests, as JSON with sorted keys.
    """
    digests = given.digests
    data = {
        "analysis": analysis_data(given.analysis),
        "digests": [digests.stated, digests.effective, digests.study],
    }
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"r1:{sha256(text.encode()).hexdigest()}"


def model_card(given: ReportInput) -> str:
    """A short block for a model card: score, intervals, range, and the digest to check it by."""
    analysis, language = given.analysis, given.language
    sentences = given.sentences or plain_sentences(analysis)
    base = baseline_of(analysis)
    value = baseline_value(base)
    rows: list[tuple[Text, Text]] = []
    if base is not None and value is not None:
        rows.append((message("setups.score"), numbers.points(value)))
        for key, number in (("setups.again", base.repeat_it), ("setups.items", base.new_items)):
            interval = numbers.interval_of(number)
            rows.append((message(key), numbers.ends(interval) if interval else message("spans.unknown")))
    if analysis.range is not None:
        spread = f"{numbers.points(analysis.range.low)} – {numbers.points(analysis.range.high)}"
        rows.append((message("score.range"), message("card.range", ends=spread, n=analysis.range.cells)))
    effective: Text = given.digests.effective or message("reason.no_digest")
    rows += [(message("card.effective"), effective), (message("card.seal"), seal(given))]
    lines = [f"**{inline(given.title)}** (eyechart)", "", *(_say(s, language) for s in sentences), ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {_say(name, language)} | {_say(text, language)} |" for name, text in rows]
    return "\n".join(lines) + "\n"
