"""Programs that look the tested inputs up instead of working the answer out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_HARMLESS = frozenset({"get", "tuple", "str", "repr", "list", "int", "print", "frozenset", "sorted", "dict"})
_FEWEST = 3
"""Tests, below which a table of them says nothing."""


def hard_coded(code: ast.Module | None, gold: ast.Module | None) -> bool:
    """Whether `code` is a table of just the inputs and outputs that the asserts of `gold` test.

    On the safe side: at least three asserts `f(literals) == literal`; each of them, and nothing else,
    stands in the function or in a table beside it as a literal pair; and nothing is computed, no
    operator, loop or call. So a table of weekdays passes unless all seven are tested and nothing else is done,
    and a cheat that also computes is not seen: only inputs held back would show it.

    >>> gold = ast.parse("assert f(1) == 4\\nassert f(2) == 5\\nassert f(3) == 7")
    >>> hard_coded(ast.parse("def f(x):\\n    return {1: 4, 2: 5, 3: 7}.get(x, 0)"), gold)
    True
    >>> hard_coded(ast.parse("def f(x):\\n    return {1: 4, 2: 5, 3: 7, 4: 9}[x]"), gold)
    False
    """
    if code is None or gold is None:
        return False
    tests = _tests(gold)
    if tests is None or len(tests) < _FEWEST or _computes(code):
        return False
    return set(_pairs(code)) == tests


def _literal(node: ast.AST) -> str | None:
    try:
        return repr(ast.literal_eval(node))  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _key(parts: list[str]) -> str:
    """One input as a text; the order of parameters is not looked at."""
    return "|".join(sorted(parts))


def _input(node: ast.expr) -> str | None:
    """A literal as an input: a tuple is the arguments of a call."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    texts = [_literal(part) for part in parts]
    return None if None in texts else _key([text for text in texts if text is not None])


def _tests(gold: ast.Module) -> set[tuple[str, str]] | None:
    """Input and output of each assert; None where one is not a literal pair."""
    found: set[tuple[str, str]] = set()
    for node in gold.body:
        if not isinstance(node, ast.Assert):
            continue
        test = node.test
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is)
                and isinstance(test.left, ast.Call) and not test.left.keywords):  # fmt: skip
            return None
        arguments = test.left.args
        given = _input(arguments[0]) if len(arguments) == 1 else _input(ast.Tuple(elts=arguments))
        expected = _literal(test.comparators[0])
        if given is None or expected is None:
            return None
        found.add((given, expected))
    return found


def _computes(code: ast.Module) -> bool:
    for node in ast.walk(code):
        if isinstance(node, ast.BinOp | ast.For | ast.While | ast.comprehension | ast.AugAssign):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _HARMLESS:
                return True
    return False


def _pairs(code: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(code):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from _pair(_input(key) if key else None, value)
        elif isinstance(node, ast.IfExp):
            yield from _pair(_compared(node.test), node.body)
        elif isinstance(node, ast.If):
            for inner in node.body:
                if isinstance(inner, ast.Return | ast.Assign) and inner.value is not None:
                    yield from _pair(_compared(node.test), inner.value)
        elif isinstance(node, ast.match_case):
            for inner in node.body:
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from _pair(_matched(node.pattern), inner.value)


def _pair(given: str | None, value: ast.expr) -> Iterator[tuple[str, str]]:
    if given is not None and (expected := _literal(value)) is not None:
        yield given, expected


def _compared(test: ast.expr) -> str | None:
    """What `a == 2 and b == 3` or `(a, b) == (2, 3)` lets through."""
    tests = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    parts: list[str] = []
    for each in tests:
        if not (isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], ast.Eq | ast.Is)):
            return None
        side = each.comparators[0] if _literal(each.comparators[0]) is not None else each.left
        inner = side.elts if isinstance(side, ast.Tuple) else [side]
        for part in inner:
            if (text := _literal(part)) is None:
                return None
            parts.append(text)
    return _key(parts)


def _matched(pattern: ast.pattern) -> str | None:
    if isinstance(pattern, ast.MatchValue):
        return _input(pattern.value)
    if isinstance(pattern, ast.MatchSequence):
        texts = [_literal(part.value) if isinstance(part, ast.MatchValue) else None for part in pattern.patterns]
        return None if None in texts else _key([text for text in texts if text is not None])
    return None
