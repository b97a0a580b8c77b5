"""Questions to the authors of a number: as blocks, and as a letter in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eyechart.report.blocks import Block, Heading, Note, Part, Prose, Row, Table, Text, message
from eyechart.report.common import missing, row, table
from eyechart.report.inputs import Language
from eyechart.report.markdown import inline
from eyechart.report.messages import say
from eyechart.rules.questions import GROUPS, Question

NAME = "disclose"


def part(asked: Sequence[Question]) -> Part:
    return Part(name=NAME, title=message("disclose.section"), blocks=tuple(disclose(asked)))


def disclose(asked: Sequence[Question]) -> list[Block]:
    """Grouped by layer, numbered through, each with why it matters and how far it moves the score, where that is known."""
    if not asked:
        return [Note(kind="info", text=message("disclose.nothing"))]
    out: list[Block] = [Prose(text=message("disclose.intro", n=len(asked)))]
    for group, members in grouped(asked):
        out.append(Heading(text=message(f"disclose.group.{group}"), level=3, anchor=f"disclose-{group}"))
        out.append(_table(members))
    return out


def _table(members: Sequence[tuple[int, Question]]) -> Table:
    rows: list[Row] = []
    for number, one in members:
        effect = missing(message("disclose.no_effect")) if one.effect is None else one.effect
        rows.append(row(str(number), one.text, one.reason, effect))
    titles = ("disclose.col.number", "disclose.col.question", "disclose.col.why", "disclose.col.effect")
    return table([(message(title), False) for title in titles], rows)


def grouped(asked: Sequence[Question]) -> Iterator[tuple[str, list[tuple[int, Question]]]]:
    """Each group that has questions, with their numbers from 1."""
    number = 0
    for group in GROUPS:
        members: list[tuple[int, Question]] = []
        for one in asked:
            if one.group == group:
                number += 1
                members.append((number, one))
        if members:
            yield group, members


def letter(name: str, asked: Sequence[Question], language: Language = "en") -> str:
    """A list in Markdown that can be sent as it is. `name` may be hostile: nothing of it acts."""

    def words(text: Text) -> str:
        return inline(say(text, language))

    lines = [f"# {words(message('disclose.title', name=name))}", ""]
    lines += [words(message("disclose.intro", n=len(asked)) if asked else message("disclose.nothing")), ""]
    for group, members in grouped(asked):
        lines += [f"## {words(message(f'disclose.group.{group}'))}", ""]
        for number, one in members:
            lines.append(f"{number}. {words(one.text)}  ")
            lines.append(f"   {words(message('disclose.why', reason=one.reason))}")
            if one.effect is not None:
                lines[-1] += "  "
                lines.append(f"   {words(message('disclose.effect', effect=one.effect))}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def spoken(asked: Sequence[Question], language: Language = "en") -> Iterator[str]:
    """As a terminal shows them."""
    for group, members in grouped(asked):
        yield ""
        yield say(message(f"disclose.group.{group}"), language)
        for number, one in members:
            yield f"{number:>3}. {say(one.text, language)}"
            yield f"     {say(message('disclose.why', reason=one.reason), language)}"
            if one.effect is not None:
                yield f"     {say(message('disclose.effect', effect=one.effect), language)}"
