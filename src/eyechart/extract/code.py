"""The program in an answer."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.codeblocks import MOST, PYTHON, Block, fenced, loose, parse, understood
from eyechart.extract.codeprompt import continued, unfinished
from eyechart.extract.passage import HIDDEN, passage

_END = re.compile(r"(?:<\|[a-z_]{1,20}\|>|</s>|<end_of_turn>|<eos>|\[DONE\])$")
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|buggy|broken|faulty|flawed|anti-?pattern"
    r"|(?:do not|don't|never|avoid|rather than|unlike) (?:use|do|writ\w+|doing|using|this|the following)"
    r"|bad (?:example|version|code)|falsch\w*|fehlerhaft\w*|faux|fausse|erroné\w*"
    r"|incorrect[oa]|erróne[oa]|errad[oa]|sbagliat[oa]|salah|неверн\w+|неправильн\w+|ошибочн\w+)\b"
    r"|错误|有误|不正确|不對|錯誤|間違|誤った|잘못|틀린|خاطئ|خطأ|गलत",
    re.IGNORECASE,
)
_RIGHTED = re.compile(
    r"\b(?:correct(?:ed|ion)?|fix(?:ed)?|right|instead|improved|nothing wrong|not wrong|richtig\w*|korrigiert\w*|corrigé\w*|corregid[oa]|corrigid[oa]"
    r"|corrett[oa]|benar|исправлен\w+)\b|修正|改正|更正|正确|正しい|수정|올바른|सही|صحيح",
    re.IGNORECASE,
)
_NO_CODE = re.compile(
    r"ba?sh|z?sh|shell\S*|console|terminal|cmd|powershell|te?xt|plain\S*|output|out|json|ya?ml|toml|xml|md|markdown|diff|latex"
    r"|tex|math|mermaid|csv|log|none|html|http|ini|regex|dot",
    re.IGNORECASE,
)
"""What is named at a fence that shows no program. Every other language is one, if not one that runs here."""
_BUILTIN = frozenset(dir(builtins))
_LONGEST = 100_000
"""Characters at the end of an answer that are looked at."""


@dataclass(frozen=True, kw_only=True)
class CodeReader:
    r"""The program: the last complete solution, with the imports and helpers that it needs from other blocks.

    Fences of any kind, or code standing in the prose; hidden reasoning, blocks in other languages,
    output and examples are left out. Of several blocks that define what the asserts (the item's gold)
    call, the last that parses, is no stub and is not announced as wrong. Code that is cut off is still
    code. Where the item's field `prompt` ends in an unfinished function (HumanEval), a bare body continues it, and
    its imports count. No code at all is unparseable. The span is that of the main block in the raw text.

    >>> item = Item(id="1", fields={}, gold=("assert add(1, 2) == 3",))
    >>> CodeReader().read("Sure:\n```Python\ndef add(a, b):\n    return a + b\n```\nDone.", item, ()).value
    'def add(a, b):\n    return a + b\n'
    >>> CodeReader().read("You simply add both arguments.", item, ()).reason
    'no code in the answer'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        view = passage(text).whole()
        if view.unfinished:
            return Extraction(
                value=None, reason="ends inside its hidden reasoning", outcome=Outcome.UNPARSEABLE, steps=view.steps
            )
        start = max((s.span[1] for s in view.steps if s.reason == HIDDEN and s.span), default=0)
        start = max(start, len(text) - _LONGEST)
        visible, cut = text[start:], tuple(s for s in view.steps if s.reason == HIDDEN)
        visible = _unended(visible)
        begun = item.fields.get("prompt")
        asked = unfinished(begun) if isinstance(begun, str) else None
        wanted = _mentioned("\n".join(item.gold)) | (_defines(asked) if asked else set[str]())
        blocks = _blocks(visible, wanted)
        if asked and not any(_defines(b) & wanted for b in blocks) and (body := continued(asked, visible)):
            blocks = [body]
        if not blocks:
            reason = "no code in the answer" if visible.strip() else "empty answer"
            return Extraction(value=None, reason=reason, outcome=Outcome.UNPARSEABLE, steps=cut)
        chosen, passed = _chosen(blocks, wanted)
        main = chosen[-1]
        span = (start + main.span[0], start + main.span[1])
        steps = [Step("passed", why, (start + b.span[0], start + b.span[1])) for b, why in passed[:5]]
        steps.append(Step("taken", "the last complete program" if main.tree else "code that does not parse", span))
        parts = [block.source for block in _in_order(chosen)]
        if asked and asked.tree and main.source[: len(asked.source)] != asked.source:
            parts = [ast.unparse(n) for n in asked.tree.body if isinstance(n, ast.Import | ast.ImportFrom)] + parts
        source = "\n".join(part.rstrip("\r\n") for part in parts) + "\n"
        return Extraction(value=source, span=span, committed=main.tree is not None, steps=(*cut, *steps))


def _unended(text: str) -> str:
    text = text.rstrip()
    while match := _END.search(text[-40:]):
        text = text[: len(text) - len(match.group())].rstrip()
    return text + "\n"


def _mentioned(gold: str) -> frozenset[str]:
    tree = parse(gold)
    if tree is None:
        return frozenset(re.findall(r"\b([^\W\d]\w*)\(", gold[:10_000])) - _BUILTIN
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _blocks(text: str, wanted: frozenset[str]) -> list[Block]:
    """Every stretch of Python in `text` that defines something, or that does not parse but should."""
    if text.lstrip().startswith("{") and (inner := _in_json(text)) is not None:
        return [understood(Block(source=inner, tag="python", span=(0, len(text))))]
    every = [understood(block) for block in fenced(text)[-MOST:]]
    blocks = [b for b in every if PYTHON.fullmatch(b.tag) and (_defines(b) if b.tree else b.tag or _looks(b))]
    if not any(_defines(b) & wanted for b in blocks):
        blocks = [b for b in every if b in blocks or (PYTHON.fullmatch(b.tag) and _writes(b))]
    if not any(_defines(b) & wanted for b in blocks):
        blocks += [b for b in every if b not in blocks and _defines(b) & wanted]  # a fence with the wrong language
    if any(_functions(b) or b.tree is None for b in blocks):
        return blocks
    outside = _without(text, every)
    found = [b for b in loose(outside) if b.tree is None or _defines(b)]
    blocks = blocks + found if any(_functions(b) or b.tree is None for b in found) else blocks
    return blocks or [b for b in every if (b.tag and not _NO_CODE.fullmatch(b.tag)) or (not b.tag and _looks(b))][-1:]


def _in_json(text: str) -> str | None:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    for key in ("code", "solution", "answer", "program", "python", "completion"):
        value = content.get(key) if isinstance(content, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(value, str) and ("def " in value or "lambda" in value or "class " in value):
            inner = fenced(value)
            return inner[-1].source if inner else value
    return None


def _without(text: str, blocks: list[Block]) -> str:
    """`text` with the blocks blanked, so that spans stay."""
    parts: list[str] = []
    at = 0
    for block in blocks:
        start, end = block.span
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _looks(block: Block) -> bool:
    return bool(re.search(r"\b(?:def|class|lambda|import|return)\b", block.source[:5000]))


def _writes(block: Block) -> bool:
    """Whether names may come into being otherwise than by statements."""
    return bool(re.search(r"\b(?:exec|globals|setattr|locals|vars)\(", block.source[:5000]))


def _defines(block: Block) -> frozenset[str]:
    """Names that the block binds at its top level."""
    names: set[str] = set()
    for node in block.tree.body if block.tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif not isinstance(node, ast.Expr):
            names.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(names)


def _imports(block: Block) -> frozenset[str]:
    names = [n.names for n in (block.tree.body if block.tree else ()) if isinstance(n, ast.Import | ast.ImportFrom)]
    return frozenset((alias.asname or alias.name).split(".")[0] for each in names for alias in each)


def _functions(block: Block) -> bool:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    return block.tree is not None and any(isinstance(node, kinds) for node in ast.walk(block.tree))


def _needs(block: Block) -> frozenset[str]:
    if block.tree is None:
        return frozenset(re.findall(r"\b[^\W\d]\w*\b", block.source[:20_000]))
    loaded = {n.id for n in ast.walk(block.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return frozenset(loaded - _defines(block) - _BUILTIN)


def _stub(block: Block, wanted: frozenset[str]) -> bool:
    """Whether the wanted function is there in name only: a docstring, `pass`, `...` or NotImplementedError."""
    for node in block.tree.body if block.tree else ():
        if isinstance(node, ast.FunctionDef) and node.name in wanted:
            return all(isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
                       or (isinstance(s, ast.Raise) and "NotImplemented" in ast.dump(s)) for s in node.body)  # fmt: skip
    return False


def _announced_wrong(block: Block) -> bool:
    first = block.source.lstrip().split("\n", 1)[0]
    said = f"{block.before[-200:]} {first[:200] if first.startswith('#') else ''}"
    return bool(_WRONG.search(said)) and not _RIGHTED.search(_WRONG.sub(" ", said))


def _chosen(blocks: list[Block], wanted: frozenset[str]) -> tuple[list[Block], list[tuple[Block, str]]]:
    """The main block, last, behind the others that it needs; and those passed over, with the reason."""
    passed: list[tuple[Block, str]] = []
    solving = [b for b in blocks if _defines(b) & wanted]
    solving = [b for b in solving if not _imports(b) >= _defines(b) & wanted] or solving  # a test file imports them
    if not solving:
        return _unnamed(blocks), passed
    good: list[Block] = []
    for block in solving:
        wrong, stub = _announced_wrong(block), _stub(block, wanted)
        if wrong or stub:
            passed.append((block, "announced as wrong" if wrong else "a stub"))
        else:
            good.append(block)
    main = (good or [b for b in solving if not _stub(b, wanted)] or solving)[-1]
    passed += [(b, "an earlier version") for b in good if b is not main]
    chosen = [main]
    missing = set(_needs(main) | (wanted - _defines(main)))
    for block in [*reversed(blocks[: blocks.index(main)]), *blocks[blocks.index(main) + 1 :]]:
        if block is not main and block.tree and not _defines(block) & _defines(main) and _defines(block) & missing:
            chosen.insert(0, replace(block, source=_definitions(block)))
            missing = (missing | _needs(block)) - _defines(block)
    return chosen, passed


def _unnamed(blocks: list[Block]) -> list[Block]:
    """Where nothing wanted is defined: all that parses, in order, the last version of a name winning; else the last block."""
    whole = [b for b in blocks if b.tree is not None and not _announced_wrong(b)]
    broken = [b for b in blocks if b.tree is None]
    if broken and not any(_functions(b) for b in whole):
        return [*whole, broken[-1]]
    return whole or [blocks[-1]]


def _definitions(block: Block) -> str:
    """A helper block without its examples: calls at the top level are no part of a solution."""
    if block.tree is None or not any(isinstance(node, ast.Expr) for node in block.tree.body):
        return block.source
    kept = [node for node in block.tree.body if not isinstance(node, ast.Expr)]
    return "\n".join(ast.unparse(node) for node in kept) + "\n"


def _in_order(blocks: list[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.span)
