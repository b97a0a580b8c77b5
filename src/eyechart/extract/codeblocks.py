"""Where the code stands in an answer: fences of all kinds, and code written straight into the prose."""

from __future__ import annotations

import ast
import html
import re
import textwrap
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

LONGEST = 50_000
"""Characters of the longest text that is parsed; more is no program that anybody asked for."""
MOST = 40
"""Blocks, the last ones, that are looked at."""

PYTHON = re.compile(r"(?:i?py(?:thon)?[0-9.]*|pycon|python-repl|sage|tool_code|code)?", re.IGNORECASE)
_OPEN = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?:\{\.?)?(?P<tag>[\w+#.-]*)[^`~\n]*$")
_INLINE = re.compile(r"(?P<mark>`{3,}|~{3,})(?:python[0-9]?|py)?[ \t]*(?P<code>[^`~\n]+)(?P=mark)", re.IGNORECASE)
_TAGS = re.compile(
    r"\[(?P<a>PYTHON|CODE|BEGIN)\]|(?P<b><(?:code|pre|python|answer|solution)(?: [^<>]*)?>)+|\\begin\{(?P<c>\w+)\}.*",
    re.I,
)
_UNTAGS = r"</(?:code|pre|python|answer|solution)>"
_LABEL = r"(?i:python[0-9]?|py|code|answer|solution)?[ \t]*"
_STARTS = re.compile(
    r"(?:(?:async )?def [^\W\d]\w*[ \t]*\(|class [^\W\d]\w*[ \t]*[(:]|@[^\W\d][\w.]*(?:\(|$)|import [\w., ]+(?:$|[;#])|from [\w.]+ import "
    r"|[^\W\d]\w*(?:[ \t]*:[ \t]*[\w\[\], .]+)?[ \t]*=(?!=)|if __name__|>>> )"
)
_INSIDE = re.compile(r"[^\W\d]\w*[ \t]*=[ \t]*lambda\b|(?:async )?def [^\W\d]\w*[ \t]*\(|class [^\W\d]\w*[ \t]*[(:]")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)")
_INVISIBLE = str.maketrans({**dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060\u200e\u200f"), "\u00a0": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One stretch of code."""

    source: str
    tag: str
    """The language named at the fence, in lower case; empty where none is."""
    span: tuple[int, int]
    """In the text that was cut up."""
    before: str = ""
    """The last words said before it."""
    tree: ast.Module | None = None
    fenced: bool = True


def parse(source: str) -> ast.Module | None:
    """
    >>> parse("def f(: pass") is None
    True
    """
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def understood(block: Block) -> Block:
    """The block with its tree, and with what the page did to the code undone if only then it is Python."""
    for repair in (_plain, _dedented, _prompted, _visible, _unescaped, _newlines):
        source = repair(block.source)
        if source is not None and (tree := parse(source)) is not None:
            return replace(block, source=source, tree=tree)
    return replace(block, source=textwrap.dedent(block.source))


def _plain(source: str) -> str | None:
    return source


def _dedented(source: str) -> str | None:
    """Moved left by the indent of the first line: in a list the others may stand further left by mistake."""
    lines = source.splitlines()
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join(line.removeprefix(indent) for line in lines)


def _prompted(source: str) -> str | None:
    """A session at the prompt without prompts and output."""
    lines = [line for line in source.splitlines() if _PROMPT.match(line)]
    return "\n".join(re.sub(r"^[ \t]*(?:>>>|\.\.\.) ?", "", line) for line in lines) if lines else None


def _visible(source: str) -> str | None:
    return textwrap.dedent(source.translate(_INVISIBLE))


def _unescaped(source: str) -> str | None:
    return html.unescape(source) if "&" in source else None


def _newlines(source: str) -> str | None:
    if "\\n" not in source or "\n" in source.strip():
        return None
    return source.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').strip('"')


def fenced(text: str) -> list[Block]:
    r"""The blocks of `text` between fences, in order; the last may lack its closing fence.

    A fence is not closed while a triple-quoted string is open, if it is closed again further on.

    >>> [b.tag for b in fenced("~~~Python\nx = 1\n~~~\nand\n```bash\nls")]
    ['python', 'bash']
    """
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    blocks: list[Block] = []
    at, said = 0, ""
    while at < len(lines):
        opened = _opening(lines[at])
        if opened is None:
            inline = _INLINE.search(lines[at][:1000]) if "```" in lines[at] or "~~~" in lines[at] else None
            if inline:
                span = (starts[at] + inline.start("code"), starts[at] + inline.end("code"))
                blocks.append(Block(source=inline["code"], tag="", span=span, before=said))
            said = lines[at].strip()[-200:] or said
            at += 1
            continue
        tag, closing, quote, ahead, rest = opened
        if rest is None and closing.flags & re.IGNORECASE and _fence_next(lines, at + 1):
            at += 1  # a tag around a fence: the fence is what counts
            continue
        end = _closing(lines, at + 1, closing, quote) if rest is None else _closing(lines, at, closing, quote)
        source = "".join(line.removeprefix(quote).removeprefix(quote.rstrip()) for line in lines[at + 1 : end])
        if rest is not None and end > at:
            source = lines[at][rest:] + source
        before = (ahead[-200:] or said) if ahead.strip() else said
        span = (starts[at + 1] if rest is None else starts[at] + rest, starts[min(end, len(lines))])
        if tail := closing.search(lines[end]) if end < len(lines) and closing.flags & re.IGNORECASE else None:
            source += lines[end][rest if rest is not None and end == at else 0 : tail.start()]
            span = (span[0], starts[end] + tail.start())
        blocks.append(Block(source=source, tag=tag.lower(), span=span, before=before.strip()))
        at, said = end + 1, ""
    return blocks


def _fence_next(lines: list[str], start: int) -> bool:
    line = next((line for line in lines[start : start + 5] if line.strip()), "")
    return len(line) < 1000 and bool(_OPEN.search(line.rstrip()))


def _opening(line: str) -> tuple[str, re.Pattern[str], str, str, int | None] | None:
    """Language, closing mark, prefix of a quotation, what stands before the mark, and where code begins behind it."""
    if len(line) > 1000:
        return None
    stripped = line.rstrip()
    quote = line[: len(line) - len(line.lstrip("> "))] if line.startswith(">") else ""
    if match := _OPEN.search(stripped):
        mark = match["mark"]
        closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*(?:{_UNTAGS})*$")
        return match["tag"], closing, quote, stripped[: match.start()].removeprefix(quote), None
    if match := _TAGS.search(stripped):
        rest = len(line) - len(line[match.end() :].lstrip()) if stripped[match.end() :].strip() else None
        if rest is not None and not (_STARTS.match(stripped[rest:]) and match["b"]):
            return None
        name = match["a"] or match["c"] or ""
        if match["c"] and name.lower() not in ("python", "lstlisting", "minted", "verbatim", "code"):
            return None
        ends = rf"\[/{name}\]|\[DONE\]|\[END\]" if match["a"] else _UNTAGS if match["b"] else rf"\\end\{{{name}\}}"
        return "", re.compile(ends, re.IGNORECASE), quote, stripped[: match.start()], rest
    return None


def _closing(lines: list[str], start: int, closing: re.Pattern[str], quote: str) -> int:
    """The line that closes the fence opened before `start`; the number of lines where none does."""
    first = None
    inside: str | None = None
    for at in range(start, len(lines)):
        line = lines[at]
        if len(line) < 1000 and closing.search(line.rstrip()):
            if inside is None:
                return at
            first = at if first is None else first
        elif first is not None and _opening(line) and not line.startswith((" ", "\t")):
            return first  # the quotes never close before the next block: it was a stray quotation mark
        inside = _quoted(line, inside)
    if first is None and start < len(lines):
        last = max((at for at in range(start, len(lines)) if lines[at].strip()), default=start)
        if len(lines[last]) < 1000 and closing.search(re.sub(r"[a-zA-Z]+\s*$", "", lines[last])):
            return last  # closed as it was opened, with the language
    return len(lines) if first is None else first


def _quoted(line: str, inside: str | None) -> str | None:
    """The triple quotation mark that is open behind `line`, given the one open before it."""
    at = 0
    while True:
        if inside is not None:
            at = line.find(inside, at)
            if at < 0:
                return inside
            at, inside = at + 3, None
            continue
        places = [(place, mark) for mark in ('"""', "'''", "#") if (place := line.find(mark, at)) >= 0]
        if not places or min(places)[1] == "#":
            return None
        at, inside = min(places)
        at += 3


def loose(text: str) -> Iterator[Block]:
    r"""Code written without fences: stretches of lines that read as code, less the prose that follows them.

    >>> [b.source for b in loose("Sure, here:\ndef f():\n    return 1\nThat is all.")]
    ['def f():\n    return 1\n']
    """
    lines = text.splitlines(keepends=True)
    at, place = 0, 0
    said = ""
    found: deque[tuple[str, tuple[int, int], str]] = deque(maxlen=MOST)
    while at < len(lines):
        line = lines[at]
        inner = _begins(line)
        if inner is None:
            said = line.strip()[-200:] or said
            place, at = place + len(line), at + 1
            continue
        end = _run(lines, at)
        if inner and line[inner - 1] == "`":  # inline code: it ends where its mark does
            end, source = at + 1, line[inner:].split("`", 1)[0]
        elif inner:
            source = line[inner:].rstrip("\r\n ") + "\n" + "".join(lines[at + 1 : end])
        else:
            source = "".join(lines[at:end])
        found.append((source, (place + inner, place + sum(map(len, lines[at:end]))), said))
        place, at = place + sum(map(len, lines[at:end])), end
    for source, span, words in found:
        if block := _trimmed(source, span, words):
            yield block


def _begins(line: str) -> int | None:
    """Where in `line` code begins; None where it does not."""
    if len(line) > 5000:
        return None
    bare = line.lstrip(" \t\ufeff\u200b")
    if _STARTS.match(bare.rstrip()):
        return 0
    found = _INSIDE.search(line)
    return found.start() if found and line[found.start() :].find(":") > 0 else None


def _run(lines: list[str], start: int) -> int:
    """The first line after `start` that no longer looks like code: not indented, not blank, no start of a statement."""
    inside = _quoted(lines[start], None)
    for at in range(start + 1, len(lines)):
        line = lines[at]
        follows = not line.strip() or line[0] in " \t)]}#@>." or _STARTS.match(line.rstrip()) or inside is not None
        follows = follows or re.match(r"(?:else|elif|except|finally|try|for|while|with|if|return|assert|print)\b", line)
        if not follows or line.startswith(("```", "~~~")):
            return at
        inside = _quoted(line, inside)
    return len(lines)


def _trimmed(source: str, span: tuple[int, int], said: str) -> Block | None:
    """The beginning up to the line that is no Python; the whole where that leaves nothing."""
    whole = understood(Block(source=source, tag="", span=span, before=said, fenced=False))
    lines = whole.source.splitlines(keepends=True)
    block = whole
    for _ in range(3):
        if block.tree is not None and block.tree.body:
            return block
        bad = _first_bad_line(block.source)
        if not bad or bad > len(lines):
            break
        block = replace(whole, source="".join(lines[: bad - 1]))
        block = replace(block, tree=parse(block.source))
    return whole if re.search(r"\b(?:def|class|lambda|import)\b", source[:LONGEST]) else None


def _first_bad_line(source: str) -> int | None:
    """From 1; None where `source` is Python, or fails for no line in particular."""
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        return error.lineno
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
