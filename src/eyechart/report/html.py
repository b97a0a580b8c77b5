"""The report as one HTML file: readable without network and without scripts.

The page carries its own style and pictures, and a content security policy that allows nothing else;
its few lines of script (tooltips, sorting, filtering, light and dark) are allowed by their hash, so
that nothing a model wrote could run even if it came through unescaped.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from html import escape as escape_html
from itertools import groupby
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    Chart,
    ChecklistBlock,
    Column,
    CurveView,
    DiffBlock,
    HeatMapBlock,
    Part,
    PathBlock,
    Piece,
    Table,
    Text,
    TokenRow,
    TokensBlock,
    Verdict,
    message,
)
from eyechart.report.common import checklist_table
from eyechart.report.html_pictures import cards_html, key_html, side_html, signed, tokens_html
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import knows, say
from eyechart.report.pictures import CARDS, TOKENS, height_key, heights, names, parted, steps
from eyechart.report.sections import build
from eyechart.report.sections.score import short_digest
from eyechart.report.svg import Pen, draw, heat_class
from eyechart.report.text import ELLIPSIS, clean, clip, clip_middle, pieces, turns

ANSWER = 1600
"""Characters of a raw answer that are shown; how many are left out is said."""
PROMPT_HEAD, PROMPT_TAIL = 300, 900
"""The end of a prompt holds the question, its beginning the instruction."""
SHORT, LONG = 24, 40
"""Cells of a table with so few characters are kept on one line; with so many, they get some room."""
SHORT_TITLE = 9
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
WORDS = 700
"""Characters of any other text that is shown as it is: names, values, reasons."""


@cache
def environment() -> Environment:
    return Environment(
        loader=PackageLoader("eyechart.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def source(name: str) -> str:
    """A style sheet or script, as it stands beside the templates."""
    env = environment()
    if env.loader is None:
        raise RuntimeError("the environment of the templates has no loader")
    # A browser reads CRLF as LF, and the hash of the script is of what it reads.
    return env.loader.get_source(env, name)[0].replace("\r\n", "\n").strip()


def safe(html: str) -> Markup:
    """The one door past autoescaping: for what this module and `svg` have escaped themselves."""
    return Markup(html)  # noqa: S704


def isolated(text: str) -> str:
    """Raw text as HTML: escaped, clipped, and kept apart where its letters run from right to left."""
    shown, left = clip(text, WORDS)
    out = escape_html(clean(shown)) + (f"{ELLIPSIS} (+{left})" if left else "")
    return f"<bdi>{out}</bdi>" if turns(shown) else out


def _words(text: str) -> str:
    """Words of the catalogue as HTML; an option of a command is not broken at its hyphens."""
    return _OPTION.sub(r'<span class="opt">\1</span>', escape_html(text))


def visible(text: str) -> str:
    """Raw text of several lines as HTML, each hidden character set apart as an escape."""
    return "".join(
        f'<span class="esc">{escape_html(part)}</span>' if hidden else escape_html(part)
        for part, hidden in pieces(text)
    )


@dataclass(slots=True)
class Ui:
    """What the templates may ask for. One for each page: it knows which ids are taken."""

    lang: str
    prefix: str = ""
    states = frozenset({"stated", "default", "unknown", "kept", "broken", "inert"})
    _taken: set[str] = field(default_factory=set[str])
    _drawn: int = 0

    @property
    def locale(self) -> str:
        """What the `lang` attribute says: of Chinese, which glyphs are meant."""
        return "zh-Hans" if self.lang == "zh" else self.lang

    def t(self, text: Text) -> Markup:
        return safe(say(text, self.lang, isolated, _words))

    def plain(self, text: Text) -> str:
        return clip(say(text, self.lang), WORDS)[0]

    def word(self, key: str, **params: Text) -> Markup:
        return self.t(message(key, **params))

    def plain_word(self, key: str, **params: Text) -> str:
        return self.plain(message(key, **params))

    def id(self, anchor: str | None) -> Markup:
        """An id attribute; none where another element has it already."""
        if anchor is None or anchor in self._taken:
            return Markup()
        self._taken.add(anchor)
        return safe(f' id="{escape_html(self.prefix + anchor)}"')

    def fresh(self, kind: str) -> str:
        self._drawn += 1
        return f"{self.prefix}{kind}-{self._drawn}"

    def tone(self, block: Verdict) -> Text:
        return message(f"tone.{block.tone}")

    def svg(self, chart: Chart | CurveView, wide: bool = False) -> Markup:
        return safe(draw(chart, Pen(language=self.lang, fresh=self.fresh, wide=wide)))

    def scrolls(self, chart: Chart) -> bool:
        return isinstance(chart, HeatMapBlock)

    def classes(self, cell: Cell, column: Column) -> str:
        parts = ["n"] if column.numeric else []
        if cell.heat is not None:
            parts.append(heat_class(cell.heat))
        if cell.mark in ("flagged", "apart"):
            parts.append(cell.mark)
        if cell.mark == "missing":
            parts.append("none")
        if cell.heat is None and not column.numeric:
            size = len(say(cell.text, self.lang))
            parts += ["short"] if size <= SHORT else ["long"] if size > LONG else []
        return " ".join(parts)

    def head(self, column: Column) -> Markup:
        """The class of a column's title: short ones are not broken."""
        parts = ["n"] if column.numeric else []
        parts += ["short"] if len(say(column.title, self.lang)) <= SHORT_TITLE else []
        return safe(f' class="{" ".join(parts)}"') if parts else Markup()

    def is_map(self, table: Table) -> bool:
        return any(cell.heat is not None for row in table.rows for cell in row.cells)

    def groups(self, table: Table) -> list[tuple[Text, int]]:
        """Titles over several columns, each with the number of columns; empty where there are none."""
        if all(column.group is None for column in table.columns):
            return []
        return [(title or "", len(list(same))) for title, same in groupby(c.group for c in table.columns)]

    def answer(self, text: str) -> Markup:
        if not text:
            return safe(f'<span class="none">{self.word("ui.empty")}</span>')
        return safe(visible(clip(text, ANSWER)[0]))

    def left_out(self, text: str) -> Markup:
        left = clip(text, ANSWER)[1]
        return self.word("ui.left_out", n=numbers.whole(left)) if left else Markup()

    def prompt(self, text: str) -> Markup:
        head, tail, left = clip_middle(text, PROMPT_HEAD, PROMPT_TAIL)
        if not left:
            return safe(visible(head))
        cut = self.word("ui.cut", n=numbers.whole(left))
        return safe(f'{visible(head)}\n<span class="none">{cut}</span>\n{visible(tail)}')

    def checklist(self, block: ChecklistBlock) -> Table:
        return checklist_table(block)

    def tokens(self, row: TokenRow) -> Markup:
        return safe(tokens_html(row, self))

    def undrawn(self, row: TokenRow) -> Markup:
        left = len(row.tokens) - TOKENS
        return self.word("pictures.more", n=numbers.whole(left)) if left > 0 else Markup()

    def key(self, block: TokensBlock) -> Markup:
        return safe(key_html(block, self))

    def signed(self, block: TokensBlock) -> bool:
        return signed(block)

    def cards(self, block: PathBlock) -> Markup:
        """The steps one by one; empty where there are too many for that."""
        return safe(cards_html(block, self)) if steps(block) <= CARDS else Markup()

    def path_key(self, block: PathBlock) -> list[Text]:
        """What a path needs said: its lines, the parting, and what is drawn."""
        letters, together = names(block), parted(block)
        said: list[Text] = [
            message("pictures.line", letter=letter, name=line.name) if letter else line.name
            for letter, line in zip(letters, block.lines, strict=True)
        ]
        said += [] if together is None else [together]
        if steps(block) <= CARDS:
            return [*said, message("pictures.key.bar")]
        unknown = any(value is None for line in heights(block) for value in line)
        said += [height_key(block), message("pictures.key.labels")]
        return [*said, message("pictures.key.absent")] if unknown else said

    def side(self, pieces: tuple[Piece, ...], right: bool) -> Markup:
        return safe(side_html(pieces, right, self)) or safe(f'<span class="none">{self.word("ui.empty")}</span>')

    def block(self, block: Block) -> Markup:
        name = "pictures" if isinstance(block, TokensBlock | PathBlock | DiffBlock) else "blocks"
        macros = cast("Any", environment().get_template(f"{name}.html.j2").module)
        macro: Callable[[Block, Ui], str] = getattr(macros, type(block).__name__.lower())
        return safe(macro(block, self))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A part as the page shows it."""

    name: str
    title: Text
    short: Text
    intro: Text | None
    blocks: tuple[Block, ...]


def _shown(part: Part) -> _Shown:
    intro = message(f"intro.{part.name}") if knows(f"intro.{part.name}") else None
    short = message(f"nav.{part.name}") if knows(f"nav.{part.name}") else part.title
    return _Shown(part.name, part.title, short, intro, part.blocks)


def style(*names: str) -> str:
    """Style sheets, without the spaces that only people need."""
    return re.sub(r"\n+", "\n", "\n".join(source(name) for name in names))


def policy(script: str) -> str:
    """Nothing but the page's own style, its one script, and pictures that it carries itself."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _meta(given: ReportInput) -> list[Text]:
    facts, digests = given.facts, given.digests
    known: list[Text] = [text for text in (facts.model, facts.finished or facts.started) if text]
    digest = digests.effective or digests.stated
    return [message("ui.report"), *known, *([short_digest(digest)] if digest else [])]


def render_html(given: ReportInput, *, names: tuple[str, ...] = ()) -> str:
    """The whole report, or the sections of `names`, as one HTML file.

    >>> from eyechart.analysis.results import Analysis
    >>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    >>> page = render_html(ReportInput(title="<b>a study</b>", analysis=nothing))
    >>> "<h1>&lt;b&gt;a study&lt;/b&gt;</h1>" in page
    True
    """
    ui = Ui(lang=given.language)
    script, parts = source("page.js"), build(given, names)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            ui=ui,
            title=given.title,
            meta=_meta(given),
            parts=[_shown(part) for part in parts],
            # The title of the page is that of its only section; what it found comes first.
            alone=len(parts) == 1 and parts[0] in given.more,
            style=safe(style("style.css", "drawn.css", "page.css")),
            script=safe(script),
            csp=safe(policy(script)),
        )
    )
