"""Where the results of a function come from: constants picked by comparing its arguments, or work done on them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

_CHOOSING = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__", "__next__"})
_KEEPING = frozenset({"int", "str", "float", "bool", "list", "tuple", "set", "dict", "iter", "next", "loads", "split",
                      "literal_eval", "strip", "cycle", "count", "copy", "reversed", "deque", "eval", "chr", "zip"})  # fmt: skip
_WRITING = frozenset({"str", "repr", "hash", "tuple", "list", "format", "join", "map", "int", "float", "print", "dumps",
                      "frozenset", "sorted", "encode", "get", "isinstance", "index", "strip", "lower", "dict", "pop",
                      "setdefault", "__getitem__"})  # fmt: skip
_ALL = frozenset({"eval", "exec", "locals", "vars"})
"""What reads every argument without naming it."""
Function = ast.FunctionDef | ast.Lambda
_GATES = 30
_CHOICE = ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot


def literal(node: ast.AST) -> tuple[Any] | None:
    """The value of a literal, in a tuple of its own, since it may be None."""
    try:
        return (ast.literal_eval(node),)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def function(code: ast.Module, name: str) -> Function | None:
    """The last definition of `name`: a function, a method, or a name for something that can be called."""
    found: Function | None = None
    for node in ast.walk(code):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            found = node
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = _callable(node.value, code)
    return found


def _callable(value: ast.expr, code: ast.Module) -> Function | None:
    """`lambda`, `Class()` of a class with `__call__`, or a method of a value, as a function of its own."""
    if isinstance(value, ast.Lambda):
        return value
    if isinstance(value, ast.Attribute):
        one = ast.arguments(posonlyargs=[], args=[ast.arg("_0")], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Lambda(args=one, body=ast.Call(value, [ast.Name("_0", ast.Load())], []))
    made = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None
    kinds = [n for n in ast.walk(code) if isinstance(n, ast.ClassDef) and n.name == made]
    methods = [n for kind in kinds for n in kind.body if isinstance(n, ast.FunctionDef) and n.name == "__call__"]
    return methods[-1] if methods else None


def parameters(node: Function) -> list[str]:
    """By position; `self` is none."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    return names[1:] if names[:1] == ["self"] else names


class Flow:
    """What one function does with its arguments.

    >>> code = ast.parse("def f(a, b):\\n    return 5 if a == 2 else 0")
    >>> flow = Flow(code.body[0], code)  # pyright: ignore[reportArgumentType]
    >>> flow.finite, flow.computes, sorted(flow.read), list(flow.constants())
    (True, False, ['a'], [2, 5, 0])
    """

    def __init__(self, node: Function, code: ast.Module) -> None:
        self.node, self.code = node, code
        self.body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.names = {arg.arg for arg in [*every, arguments.vararg, arguments.kwarg] if arg}
        self.bound = self._bound()
        given = [*zip(reversed([*arguments.posonlyargs, *arguments.args]), reversed(arguments.defaults), strict=False)]
        self.defaults = {arg.arg: value for arg, value in given}
        self.read = {n.id for part in self.body if not _idle(part) for n in ast.walk(part)
                     if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in self.names}  # fmt: skip
        if any(isinstance(n, ast.Name) and n.id in _ALL for n in self._walk()):
            self.read = set(self.names)
        self.seen: dict[str, bool] = {}
        self.tables = list(self._tables())
        self.finite = self._finite()
        self.computes = any(self._works(part) for part in self.body)
        self.positions = self._positions()

    def _walk(self) -> Iterator[ast.AST]:
        for part in self.body:
            yield from ast.walk(part)

    def _bound(self) -> dict[str, list[ast.expr | None]]:
        """What each name is given, in the function or, if not there, in the module; None where that is not an expression."""
        bound: dict[str, list[ast.expr | None]] = {}
        for scope in (self._walk(), iter(self.code.body)):
            here: dict[str, list[ast.expr | None]] = {}
            for node in scope:
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        if isinstance(target, ast.Name):
                            here.setdefault(target.id, []).append(node.value)
                elif isinstance(node, ast.AugAssign | ast.For):
                    made = node.iter if isinstance(node, ast.For) else None
                    for target in ast.walk(node.target):
                        if isinstance(target, ast.Name):
                            here.setdefault(target.id, []).append(made)
            bound = here | bound
        return bound

    def _value(self, node: ast.expr) -> ast.expr | None:
        """What a name stands for, where it is given one value only."""
        if not isinstance(node, ast.Name):
            return node
        values = self.bound.get(node.id, [self.defaults[node.id]] if node.id in self.defaults else [])
        return values[0] if len(values) == 1 else None

    def _tables(self) -> Iterator[ast.AST]:
        """Literal tables in the function or behind a name that it reads."""
        named = [self._value(n) for n in self._walk() if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        for root in dict.fromkeys([*self.body, *(n for n in named if n is not None)]):
            for node in ast.walk(root):
                if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
                    yield node
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[:1] in "{[":
                    try:
                        yield ast.parse(repr(json.loads(node.value)), mode="eval").body
                    except (ValueError, SyntaxError, RecursionError, MemoryError):
                        continue

    def _finite(self) -> bool:
        """Whether every result is one of the constants written down."""
        if isinstance(self.node, ast.Lambda):
            return self._constant(self.node.body, 0)
        results = [n.value for n in self._walk() if isinstance(n, ast.Return | ast.Yield) and n.value is not None]
        return bool(results) and all(self._constant(value, 0) for value in results)

    def _constant(self, node: ast.expr | None, depth: int) -> bool:
        if node is None or depth > 20:
            return False
        below = depth + 1
        match node:
            case ast.Constant() | ast.Compare():
                return True
            case ast.List() | ast.Tuple() | ast.Set():
                return all(self._constant(part, below) for part in node.elts)
            case ast.Dict():
                return all(self._constant(part, below) for part in node.values)
            case ast.IfExp():
                return self._constant(node.body, below) and self._constant(node.orelse, below)
            case ast.BoolOp():
                return all(self._constant(part, below) for part in node.values)
            case ast.UnaryOp():
                return self._constant(node.operand, below)
            case ast.BinOp():
                return self._constant(node.left, below) and self._constant(node.right, below)
            case ast.Subscript() | ast.Starred() | ast.NamedExpr():
                return self._constant(node.value, below)
            case ast.Name():
                return self._named(node.id, below)
            case ast.Call():
                return self._call(node, below)
            case _:
                return False

    def _named(self, name: str, depth: int) -> bool:
        """Asked once for each name; one that is made of itself is no constant."""
        if name not in self.seen:
            self.seen[name] = False
            values = self.bound.get(name) or ([self.defaults[name]] if name in self.defaults else [])
            free = name in self.names and name not in self.defaults
            self.seen[name] = not free and bool(values) and all(self._constant(value, depth) for value in values)
        return self.seen[name]

    def _call(self, node: ast.Call, depth: int) -> bool:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in _CHOOSING:
            rest = [arg for arg in node.args[1:] if not (isinstance(arg, ast.Name) and arg.id in self.names)]
            return self._constant(called.value, depth) and all(self._constant(arg, depth) for arg in rest)
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _KEEPING:
            on = called.value if isinstance(called, ast.Attribute) and not _module(called.value, self.bound) else None
            return all(self._constant(part, depth) for part in (*node.args, *([on] if on else [])))
        key = f"{name}()"
        if key not in self.seen:
            other = function(self.code, name) if not node.args and not node.keywords else None
            made = other if isinstance(other, ast.FunctionDef) and other is not self.node else None
            self.seen[key] = made is not None and Flow(made, ast.Module([], [])).finite
        return self.seen[key]

    def _uses(self, node: ast.AST) -> bool:
        """Whether an argument, or a name made from one, is in `node` otherwise than to be compared."""
        if isinstance(node, ast.Compare):
            return False
        if isinstance(node, ast.Name):
            made = [v for v in self.bound.get(node.id, []) if v is not None] if node.id not in self.names else []
            return node.id in self.names or any(
                n.id in self.names for v in made for n in ast.walk(v) if isinstance(n, ast.Name)
            )
        return any(self._uses(child) for child in ast.iter_child_nodes(node))

    def _works(self, node: ast.AST) -> bool:
        """Whether anything is worked out from an argument, other than writing it in another way."""
        if isinstance(node, ast.While) or (isinstance(node, ast.For | ast.comprehension) and self._uses(node.iter)):
            return True
        if isinstance(node, ast.BinOp | ast.AugAssign) and self._uses(node) and not _text(node):
            return True
        if isinstance(node, ast.Attribute) and self._uses(node.value) and node.attr not in _WRITING:
            return True
        if isinstance(node, ast.Subscript) and self._uses(node.value):
            return True
        if isinstance(node, ast.Call) and self._uses(node):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _WRITING:
                return True
        if isinstance(node, ast.Compare) and not all(isinstance(op, _CHOICE) for op in node.ops):
            return True
        return any(self._works(child) for child in ast.iter_child_nodes(node))

    @staticmethod
    def selectors(root: ast.AST) -> Iterator[Any]:
        """Constants that something is compared with in `root`."""
        for node in ast.walk(root):
            if isinstance(node, ast.Compare) and all(isinstance(op, _CHOICE) for op in node.ops):
                for side in (node.left, *node.comparators):
                    yield from _constants(side)
            elif isinstance(node, ast.MatchValue):
                yield from _constants(node.value)
            elif isinstance(node, ast.MatchSingleton):
                yield node.value

    def constants(self) -> Iterator[Any]:
        """Every constant of the function and its tables."""
        for root in (*self.body, *self.tables):
            yield from _constants(root)
        for size in self.positions:
            yield from range(size)

    def _positions(self) -> list[int]:
        """Lengths of the rows of constants that are read at a place which an argument says."""
        found: dict[int, int] = {}
        for node in self._walk():
            if isinstance(node, ast.Subscript) and self._uses(node.slice):
                row = self._value(node.value)
                if isinstance(row, ast.List | ast.Tuple) and not any(
                    isinstance(n, ast.Compare) for n in ast.walk(node.slice)
                ):
                    found[id(row)] = len(row.elts)
        return list(found.values())

    def gates(self) -> Iterator[tuple[ast.AST, bool]]:
        """Each condition, with whether nothing but constants comes of it where it does not hold; the first ones only."""
        chosen = [n for n in self._walk() if isinstance(n, ast.IfExp)]
        for node in chosen[:_GATES]:
            yield node.test, self._constant(node.orelse, 0) and not self._constant(node.body, 0)
        for at, node in enumerate(self.body[:_GATES]):
            if not isinstance(node, ast.If):
                continue
            rest = [*node.orelse, *self.body[at + 1 :]]
            results = [n for part in rest for n in ast.walk(part) if isinstance(n, ast.Return | ast.Raise)]
            fixed = all(isinstance(n, ast.Raise) or n.value is None or self._constant(n.value, 0) for n in results)
            yield node.test, fixed and not any(isinstance(p, ast.For | ast.While) for p in rest)
            negative = isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.NotIn | ast.NotEq)
            yield node.test, negative and all(isinstance(part, ast.Raise) for part in node.body)


def _idle(node: ast.AST) -> bool:
    """A statement that reads for show: `a`, `_ = a, b`, `del a`."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) and set(target.id) == {"_"} for target in node.targets)
    return isinstance(node, ast.Delete) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Name | ast.Tuple))


def _text(node: ast.AST) -> bool:
    """`str(a) + "," + str(b)` or `"%d,%d" % (a, b)`: writing, not arithmetic."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return _text(node.left) or (isinstance(node.op, ast.Add) and _text(node.right))
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("str", "repr")
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _module(node: ast.expr, bound: dict[str, list[ast.expr | None]]) -> bool:
    return isinstance(node, ast.Name) and node.id not in bound


def _constants(root: ast.AST) -> Iterator[Any]:
    """Numbers with their sign, texts and the rest."""
    if isinstance(root, ast.Raise | ast.JoinedStr) or (
        isinstance(root, ast.Expr) and isinstance(root.value, ast.Constant)
    ):
        return
    if isinstance(root, ast.UnaryOp) and isinstance(root.op, ast.USub) and (found := literal(root)) is not None:
        yield found[0]
    elif isinstance(root, ast.Constant):
        yield root.value
    else:
        for child in ast.iter_child_nodes(root):
            yield from _constants(child)
