"""A report of a few ready sections, without a run: what `explain`, a probe or `doctor` found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eyechart.analysis.results import Analysis
from eyechart.core.errors import InputError
from eyechart.report.blocks import Note, Part
from eyechart.report.inputs import Language, ReportInput

ENDINGS = (".html", ".md", ".json")


def writable(path: Path | None) -> None:
    """Before anything is asked: whether a report can be of that name. Raises InputError where not."""
    if path is None:
        return
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: write a name that ends in .html, .md or .json", field="--report")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first", field="--report")


def write_paper(path: Path, title: str, parts: Sequence[Part], language: Language = "en") -> None:
    """`parts` as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be written."""
    write_sections(path, paper(title, parts, language), tuple(part.name for part in parts))


def write_sections(path: Path, given: ReportInput, names: tuple[str, ...]) -> None:
    """The sections `names` of a report, by the ending of `path`. Raises InputError where it cannot be written."""
    from eyechart.report.html import render_html
    from eyechart.report.markdown import render_markdown
    from eyechart.report.plain import render_json

    writable(path)
    media = {".html": render_html, ".md": render_markdown, ".json": render_json}
    try:
        path.write_text(media[path.suffix](given, names=names), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field="--report") from None


def doubted(part: Part, doubts: Sequence[str]) -> Part:
    """`part` with what makes its numbers doubtful right behind its first block, the verdict."""
    first, *rest = part.blocks
    return replace(part, blocks=(first, *(Note(kind="warning", text=text) for text in doubts), *rest))


def paper(title: str, parts: Sequence[Part], language: Language = "en") -> ReportInput:
    nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    return ReportInput(title=title, analysis=nothing, language=language, more=tuple(parts))
