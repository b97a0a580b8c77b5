"""Programs, judged by asserts: what is to be run, and what the run says. Running them is the sandbox's."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import warnings
from dataclasses import dataclass
from typing import Literal

from eyechart.core.records import Score
from eyechart.score.codetable import hard_coded
from eyechart.score.gold import right, unparseable, unscored

_BUILTIN = frozenset(dir(builtins))
_LONGEST = 1_000_000
"""Characters of the longest program that is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserts:
    """The asserts of one item, ready to run."""

    source: str
    wanted: tuple[str, ...]
    """Names that the asserts use and do not define: what the program must provide."""
    modules: tuple[str, ...] = ()
    """Modules of the standard library that the asserts use without an import."""


Status = Literal["passed", "failed", "timeout", "gone", "broken", "no_sandbox"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How the run of one program ended.

    `passed`: every assert held. `failed`: one did not, or the program raised. `timeout`: out of CPU or wall
    time. `gone`: the process ended by itself or was killed. `broken`: the asserts fail without the
    program's doing. `no_sandbox`: nothing was run.
    """

    status: Status
    reason: str = ""
    line: int | None = None
    """Of the asserts, from 1."""
    seconds: float = 0.0


def parse(source: str) -> ast.Module | None:
    """The syntax tree; None where `source` is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def plan(gold: tuple[str, ...] | str, code: str = "") -> Asserts | Score:
    """The asserts in `gold` (one text, several, or a Python list of texts) as something to run.

    A function `check(candidate)` that is never called, as in HumanEval, is called with the last function
    that `code` defines. A Score, always `unscored`, where there is nothing to run.

    >>> plan("import math\\nassert math.isclose(mean([1, 2]), 1.5)").wanted
    ('mean',)
    >>> plan("assert add(1, 2) = 3").reason
    'the asserts are not Python: line 1'
    """
    texts = (gold,) if isinstance(gold, str) else gold
    source = "\n".join(_unlisted(text) for text in texts if text.strip())
    if not source.strip():
        return unscored("the item has no asserts")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return unscored("the asserts are not Python" + (f": line {line}" if line else ""))
    if not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return unscored("the gold answer holds no assert")
    free = _free(tree)
    if call := _uncalled_check(tree):
        entry = next((name for name in _defined(parse(code)) if name in free), None) or _last_function(code)
        source += f"\n{call}({entry})"
        free = tuple(dict.fromkeys((*free, entry)))
    modules = tuple(n for n in free if n in sys.stdlib_module_names and _only_attributes(tree, n))
    return Asserts(source=source, wanted=tuple(n for n in free if n not in modules), modules=modules)


def judge(code: str | None, tests: Asserts, ran: Ran, *, tables: bool = True) -> Score:
    """What a run says of the program: correct, incorrect; unscored where it was no run or the asserts are at fault.

    `tables=False` lets a program pass that only looks the tested inputs up (`score.codetable`).

    >>> tests = plan("assert add(1, 2) == 3")
    >>> judge("...", tests, Ran(status="failed", reason="does not hold", line=1)).reason
    'line 1: does not hold'
    >>> judge("...", tests, Ran(status="no_sandbox", reason="no bwrap")).outcome.value
    'unscored'
    """
    if code is None or not code.strip():
        return unparseable("there is no code in the answer")
    where = f"line {ran.line}: " if ran.line else ""
    if ran.status in ("broken", "no_sandbox"):
        return unscored(
            f"the asserts fail by themselves: {where}{ran.reason}" if ran.status == "broken" else ran.reason
        )
    if ran.status == "passed" and tables and (why := hard_coded(parse(code), parse(tests.source))):
        return right(False, why)
    return right(ran.status == "passed", None if ran.status == "passed" else where + ran.reason)


def refused(code: str) -> Score | None:
    """The verdict where a program need not be run: none there, or too long."""
    if not code.strip():
        return unparseable("there is no code in the answer")
    return right(False, f"a program of more than {_LONGEST} characters") if len(code) > _LONGEST else None


def _unlisted(text: str) -> str:
    tree = parse(text) if text.lstrip().startswith("[") else None
    if tree and len(tree.body) == 1 and isinstance(node := tree.body[0], ast.Expr) and isinstance(node.value, ast.List):
        parts = [part.value for part in node.value.elts if isinstance(part, ast.Constant)]
        if len(parts) == len(node.value.elts) and all(isinstance(part, str) for part in parts):
            return "\n".join(map(str, parts))
    return text


def _bound(tree: ast.Module) -> set[str]:
    """Every name that is given a value anywhere in `tree`; scopes are not told apart."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _free(tree: ast.Module) -> tuple[str, ...]:
    """Names used and nowhere bound, in order; where only built-in ones are, those that an assert calls.

    A name imported from a module that is not of the standard library (`from solution import add`) is
    no help here: the import fails in the sandbox, and that is said.
    """
    bound = _bound(tree)
    used = [
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in bound
    ]
    free = tuple(dict.fromkeys(name for name in used if name not in _BUILTIN))
    if free or _uncalled_check(tree):
        return free
    called = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return tuple(dict.fromkeys(name for name in called if name in used))


def _only_attributes(tree: ast.Module, name: str) -> bool:
    bases = [n.value for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    uses = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))
    return uses == sum(isinstance(base, ast.Name) and base.id == name for base in bases)


def _uncalled_check(tree: ast.Module) -> str | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "check" and len(node.args.args) == 1:
            called = any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "check"
                         for n in ast.walk(tree))  # fmt: skip
            return None if called else "check"
    return None


def _defined(tree: ast.Module | None) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] if tree else []


def _last_function(code: str) -> str:
    names = [name for name in _defined(parse(code)) if name not in ("main", "check")]
    found = names or re.findall(r"^def ([A-Za-z_]\w*)", code, re.MULTILINE)
    return found[-1] if found else "solution"
