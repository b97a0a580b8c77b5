"""Variables of Python code inside an item, renamed.

Only names that can be renamed everywhere are: a name that also stands in a string, a comment or the prose around, where
it may be a plain word, stays, and so does whatever is seen from outside (functions, classes, attributes, keywords).
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent
from typing import TYPE_CHECKING, ClassVar

from eyechart.core.errors import InputError
from eyechart.core.records import Item
from eyechart.core.registry import hint
from eyechart.edits.styles import some_text

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

CODE = frozenset({tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.NEWLINE, tokenize.NL, tokenize.INDENT,
                  tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING})  # fmt: skip
"""All but strings and comments; the parts of f-strings are tokens of their own from Python 3.12 on."""
LONGEST = 20_000
"""Characters of a text in which code is looked for."""
_FENCE = re.compile(r"(?P<open>^ *```[^\n]*\n)(?P<code>.*?)(?=^ *```)", re.DOTALL | re.MULTILINE)
_CODEISH = re.compile(
    r"^\s*(?:$|#|@\w|(?:def|class|for|while|if|elif|else|try|except|finally|with|return|import|from|print|assert|pass|"
    r"break|continue|raise|yield|lambda|global|nonlocal|del)\b(?!\s+[a-z]+\s+[a-z]+\s+[a-z])|[\w.,\[\]()*\s]+[-+*/%|&^]?=[^=]|\w[\w.]*\(|\s+\S)"
)
_FIXED = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "self", "cls", "_"})
_WORDS = frozenset({"a", "A", "i", "I", "o", "O"})
"""Single letters that are words too."""


@dataclass(frozen=True, kw_only=True)
class RenameIdentifiers:
    """Variables and parameters of Python code in the question become `v1`, `v2`, ...; the gold answer moves along.

    Draws nothing. Functions, classes, imports, attributes and keyword arguments keep their names, and so does a name
    that stands in a string or comment, or as what may be a plain word in the prose, the options or the answer. Where the answer is
    itself code (tests), a name in it stays. An item without such code is left as it is.

    >>> item = Item(id="1", fields={"question": "What is y at the end?\\nx = 2\\ny = x + 1"}, gold=("3",))
    >>> print(RenameIdentifiers().apply(item, rng=None).fields["question"])
    What is v2 at the end?
    v1 = 2
    v2 = v1 + 1
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "item"
    random: ClassVar[bool] = False

    field: str = "question"
    prefix: str = "v"

    def __post_init__(self) -> None:
        some_text("field", self.field)
        some_text("prefix", self.prefix)
        if not self.prefix.isidentifier() or keyword.iskeyword(self.prefix):
            raise ValueError(f"prefix must be the start of a name, not {self.prefix!r}")

    def apply(self, item: Item, rng: Rng) -> Item:
        text = item.fields.get(self.field)
        if self.field not in item.fields:
            raise InputError(
                f"item {item.id} has no column {self.field}; {hint(self.field, item.fields)}", field="prompt.edits"
            )
        if not isinstance(text, str):
            return item
        names = renamed(text, (*item.choices, *item.gold), self.prefix)
        if not names:
            return item
        # Names in strings and comments were left out, so that in code, too, whole words are names.
        return replace(
            item,
            fields={**item.fields, self.field: _written(text, names)},
            choices=tuple(_written(choice, names) for choice in item.choices),
            gold=tuple(_written(gold, names) for gold in item.gold),
        )


def renamed(text: str, answers: Sequence[str], prefix: str = "v") -> Mapping[str, str]:
    """Old name to new one, for what can be renamed in `text` and `answers`; in order of appearance.

    >>> dict(renamed("total = 0\\nfor n in data:\\n    total += n\\nprint(total, 'n')", ()))
    {'total': 'v1'}
    """
    parts = list(_parts(text))
    code = [part for part, is_code in parts if is_code]
    prose = [part for part, is_code in parts if not is_code]
    prose += [answer for answer in answers if not _program(answer)]
    outside = "\n".join(answer for answer in answers if _program(answer))
    bound: dict[str, None] = {}
    fixed: set[str] = set()
    for part in code:
        tree = _parsed(part)
        if tree is not None:
            fixed |= _fixed(tree, part)
            bound |= dict.fromkeys(_bound(tree))
    chosen = [
        name
        for name in bound
        if name not in fixed
        and not name.startswith("__")
        and not (_ambiguous(name) and any(_mentions(name, words) for words in prose))
        and not _mentions(name, outside)
    ]
    taken = set(re.findall(r"\w+", "\n".join((text, *answers))))
    fresh = (f"{prefix}{i}" for i in range(1, len(taken) + len(chosen) + 2))
    free = (name for name in fresh if name not in taken)
    return dict(zip(chosen, free, strict=False))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, in order: which of them are Python that binds a name."""
    if len(text) > LONGEST or "\x00" in text:
        yield text, False
        return
    if _binds(text):
        yield text, True
        return
    done = 0
    for fence in _FENCE.finditer(text):
        yield from _runs(text[done : fence.start("code")])
        yield fence["code"], _binds(fence["code"])
        done = fence.end()
    yield from _runs(text[done:])


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Prose with code between its lines: runs of lines that look like code, where they are."""
    run: list[str] = []
    codeish = False
    for line in text.splitlines(keepends=True):
        mine = bool(_CODEISH.match(line))
        if run and mine != codeish:
            yield "".join(run), codeish and _binds("".join(run))
            run = []
        codeish = mine
        run.append(line)
    if run:
        yield "".join(run), codeish and _binds("".join(run))


def _binds(code: str) -> bool:
    tree = _parsed(code)
    return tree is not None and any(True for _ in _bound(tree))


def _parsed(code: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash in somebody's string
            return ast.parse(dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _fixed(tree: ast.Module, code: str) -> set[str]:
    """Names that are seen from outside, or stand where they cannot be told from words."""
    out = set(_FIXED)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                out.add(name)
            case ast.ClassDef(name=name, body=body):
                out.add(name)
                out |= {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)}
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                out |= {(alias.asname or alias.name).split(".")[0] for alias in names}
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                out |= set(names)
            case ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
                out.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                out.add(name)
            case ast.MatchMapping(rest=str(rest)):
                out.add(rest)
            case _:
                pass
    for token in _tokens(code):
        if token.type not in CODE:
            out |= set(re.findall(r"\w+", token.string))
    return out


def _tokens(code: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        try:  # indented as a whole, as in a fence inside a list
            return list(tokenize.generate_tokens(io.StringIO("if 1:\n" + code).readline))
        except (tokenize.TokenError, SyntaxError, ValueError):
            return []


def _written(text: str, names: Mapping[str, str]) -> str:
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?!\w)")
    return pattern.sub(lambda m: names[m.group()], text)


def _mentions(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _ambiguous(name: str) -> bool:
    """Whether `name` in prose may be a word.

    >>> [_ambiguous(name) for name in ("x", "a", "total", "max_sum", "t2")]
    [False, True, True, False, False]
    """
    return name in _WORDS if len(name) == 1 else name.isalpha()


def _program(text: str) -> bool:
    """Whether an answer is code that must stay as it is, such as the tests of a program."""
    return "\n" in text or text.lstrip().startswith(("assert ", "def ", "import "))
