"""Programs that know the tested inputs instead of working the answer out, seen without running them.

Three sure signs: no argument that the asserts vary is read, or one is not and the rest is compared with tested
inputs; every result is a constant and which one is decided by comparing with the tested inputs; anything
is computed for the tested inputs only. What else could be a table (weekdays, colours, bits) is let through.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from eyechart.score.codeflow import Flow, function, literal, parameters

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?|\d+")
_CALENDAR = 31
"""Whole numbers up to here may name things (days, months, floors), so that a yes or no about some is no table of tests."""
_LARGEST = 20_000
"""Nodes of the largest program that is looked through."""
Atom = float | str | None
_USUAL: frozenset[Atom] = frozenset({0.0, 1.0, -1.0, "", None})
"""What is in every program, and says nothing of the tests."""


class Trial(NamedTuple):
    """One assert: what is put in and what is to come out."""

    given: tuple[Any, ...]
    expected: Any


def hard_coded(code: ast.Module | None, gold: ast.Module | None) -> str | None:
    """Why `code` is no solution though it passes the asserts of `gold`; None where nothing says so.

    Only asserts on calls with literal arguments are understood; one that is not makes its function safe.

    >>> gold = ast.parse("assert f(1) == 4\\nassert f(2) == 5\\nassert f(3) == 7")
    >>> hard_coded(ast.parse("def f(x):\\n    return {1: 4, 2: 5, 3: 7}.get(x, 0)"), gold)
    'f only looks up the tested inputs'
    >>> hard_coded(ast.parse("def f(x):\\n    return {1: 4, 2: 5, 3: 7, 4: 9, 5: 11}[x]"), gold)
    """
    if code is None or gold is None or sum(1 for _ in ast.walk(code)) > _LARGEST:
        return None
    try:
        return _found(code, gold)
    except RecursionError:
        return None


def _found(code: ast.Module, gold: ast.Module) -> str | None:
    for name, trials in _trials(gold, code).items():
        node = function(code, name)
        if node is None or not trials:
            continue
        flow = Flow(node, code)
        if why := _unread(flow, trials) or _looked_up(flow, trials) or _gated(flow, trials):
            return f"{name} {why}"
    return None


def _trials(gold: ast.Module, code: ast.Module) -> dict[str, tuple[Trial, ...]]:
    """By function; none for a function of which one assert is not understood."""
    names = {n.name for n in ast.walk(code) if isinstance(n, ast.FunctionDef)}
    names |= {t.id for n in code.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    entry = next((n.args[0].id for n in ast.walk(gold) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "check"
                  and n.args and isinstance(n.args[0], ast.Name)), "")  # fmt: skip
    calls = [node for node in ast.walk(gold) if isinstance(node, ast.Call)]
    found: dict[str, list[Trial]] = {name: [] for call in calls if (name := _called(call, entry)) in names}
    unclear: set[str] = set()
    for node in ast.walk(gold):
        if isinstance(node, ast.Assert):
            for name in found:
                calls = [c for c in ast.walk(node.test) if isinstance(c, ast.Call) and _called(c, entry) == name]
                trial = _trial(node.test, calls[0]) if len(calls) == 1 else None
                if trial is not None:
                    found[name].append(trial)
                elif calls:
                    unclear.add(name)
    return {name: tuple(each) for name, each in found.items() if name not in unclear}


def _called(call: ast.Call, entry: str) -> str:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return entry if name == "candidate" else name


def _trial(test: ast.expr, call: ast.Call) -> Trial | None:
    given = literal(ast.Tuple(elts=call.args, ctx=ast.Load()))
    if call.keywords or given is None:
        return None
    inputs: tuple[Any, ...] = given[0]
    if test is call or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and test.operand is call):
        return Trial(inputs, test is call)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
        sides = [test.left, test.comparators[0]]
        found = literal(sides[1] if sides[0] is call else sides[0]) if call in sides else None
        if found is not None:
            return Trial(inputs, found[0])
    inside = set(ast.walk(call))
    others = [found for n in ast.walk(test) if n not in inside and (found := literal(n)) is not None]
    numbers = [value for (value,) in others if isinstance(value, int | float)]
    return Trial(inputs, numbers[0]) if numbers and not isinstance(test, ast.BoolOp) else None


def _unread(flow: Flow, trials: tuple[Trial, ...]) -> str | None:
    """A parameter that the asserts vary, and the function never reads, where it is no length of another argument."""
    names = parameters(flow.node)
    unread: list[str] = []
    for at, name in enumerate(names):
        values = [t.given[at] for t in trials if len(t.given) > at]
        if name in flow.read or len(values) < len(trials) or (len(trials) > 1 and len(set(map(repr, values))) < 2):
            continue
        others = [[_size(v) for i, v in enumerate(t.given) if i != at] for t in trials]
        if not all(value in sizes for value, sizes in zip(values, others, strict=True)) or not any(others):
            unread.append(name)
    if not unread:
        return None
    expected = {repr(t.expected) for t in trials}
    plain = all(isinstance(t.expected, bool) or _dull(t.expected) for t in trials)
    nothing = not any(name in flow.read for name in names)
    told = f"never reads its argument {unread[0]}, which the asserts vary"
    if nothing and len(expected) > 1:
        return told
    if nothing and len(trials) == 1 and flow.finite and not plain:
        return f"returns the tested result and never reads its argument {unread[0]}"
    tested = {a for t in trials for a in _atoms(t.given)} - _USUAL
    compared = {_plain(value) for part in flow.body for value in Flow.selectors(part)}
    return told if len(expected) > 1 and not plain and (flow.finite or tested & compared) else None


def _size(value: Any) -> Any:
    return len(value) if hasattr(value, "__len__") else value


def _dull(value: Any) -> bool:
    """Of what an empty or first case gives, and much else."""
    return value in (None, 0, 1, -1, "", (), [], {}) or (type(value) is not str and _size(value) in (0, 1))


def _looked_up(flow: Flow, trials: tuple[Trial, ...]) -> str | None:
    """Nothing is worked out, and all that is written down is what the asserts say: what is asked, what is to come out."""
    if not flow.finite or flow.computes or len(trials) < 2:  # of one test nobody can tell
        return None
    known = _known(flow, trials)
    inputs = [_atoms(_relevant(flow, t)) for t in trials]
    covered = [atoms for atoms in inputs if atoms and atoms <= known]
    told = {atom for atoms in inputs for atom in atoms} | {atom for t in trials for atom in _atoms(t.expected)}
    kinds = {type(atom) for atoms in inputs for atom in atoms}
    excess = {atom for atom in known - told - _USUAL if type(atom) in kinds}
    if len(excess) > (1 if flow.positions else 0) or not {a for atoms in covered for a in atoms} - _USUAL:
        return None
    missing = [t for t in trials if not isinstance(t.expected, bool) and t.expected not in t.given]
    if len(trials) - len(covered) > 1 or any(not _atoms(t.expected) <= known for t in missing):
        return None
    return "only looks up the tested inputs" if _free(trials, len(trials) - len(covered)) else None


def _gated(flow: Flow, trials: tuple[Trial, ...]) -> str | None:
    """`if input in (the tested ones): work it out` and nothing but constants otherwise."""
    if len(trials) < 2 or not _free(trials, 0):
        return None
    for test, other in flow.gates():
        keys = {_plain(value) for value in Flow.selectors(test)}
        if other and all(_atoms(_relevant(flow, t)) <= keys for t in trials):
            return "works for the tested inputs only"
    return None


def _relevant(flow: Flow, trial: Trial) -> tuple[Any, ...]:
    """The arguments that the function reads."""
    names = parameters(flow.node)
    return tuple(v for i, v in enumerate(trial.given) if i >= len(names) or names[i] in flow.read)


def _known(flow: Flow, trials: tuple[Trial, ...]) -> set[Atom]:
    """The constants of the program; numbers inside texts too where the inputs are numbers."""
    numeric = all(isinstance(atom, float) for t in trials for atom in _atoms(t.given))
    found: set[Atom] = set()
    for value in flow.constants():
        found.update((_numbers(value) if numeric else ()) or (_plain(value),))
    return found


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(n) for n in _NUMBER.findall(value[:2000]) if len(n) < 300) if isinstance(value, str) else ()


def _plain(value: Any) -> Atom:
    if isinstance(value, bool | int | float):
        return float(value) if abs(value) < 1e300 else repr(value)
    return value if isinstance(value, str) or value is None else repr(value)


def _atoms(value: Any) -> frozenset[Atom]:
    return frozenset(_leaves(value))


def _leaves(value: Any) -> Iterator[Atom]:
    if isinstance(value, list | tuple | set | frozenset):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(part)
    elif isinstance(value, dict):
        for pair in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(pair)
    else:
        yield _plain(value)


def _free(trials: tuple[Trial, ...], uncovered: int) -> bool:
    """Whether the inputs are any numbers, texts or lists, rather than bits or the names of a few things."""
    given = [v for t in trials for v in t.given]
    if any(isinstance(v, list | tuple | dict | set) for v in given):
        return True
    numbers = [v for v in given if isinstance(v, int | float) and not isinstance(v, bool)]
    expected = [t.expected for t in trials]
    texts = [v for v in given if isinstance(v, str)]
    if any(v not in (0, 1) for v in numbers):
        if all(isinstance(e, bool) for e in expected):
            return any(isinstance(v, float) or not 0 <= v <= _CALENDAR for v in numbers)
        if all(isinstance(e, str) for e in expected) and not any(_numbers(e) for e in expected):
            whole = sorted({int(v) for v in numbers})
            return uncovered == 0 and len(trials) > 2 and whole != list(range(whole[0], whole[0] + len(whole)))
        return True
    if not texts:
        return False
    made = all(isinstance(t.expected, str) and set(t.expected) <= set("".join(map(str, t.given))) for t in trials)
    counted = all(
        type(t.expected) is int and t.expected == len(t.given[0])
        for t in trials
        if t.given and isinstance(t.given[0], str)
    )
    named = all(re.fullmatch(r"[\w+*/#$%&^<>=!?-]{1,30}", text) for text in texts)
    return made or counted or not named
