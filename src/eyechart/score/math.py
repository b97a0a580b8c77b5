"""Mathematics, compared by meaning: exactly where rational, else by identity testing at fixed points.

Two expressions that agree at several random points to many digits are one with overwhelming probability
(Schwartz 1980, Zippel 1979); the points here are fixed, so that the same answers get the same verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unparseable, unscored
from eyechart.score.math_parse import Node, Unreadable, parse
from eyechart.score.math_value import evaluate, exact, names, near, points

_BASE = re.compile(r"(?<=[0-9])_\{?[0-9]{1,2}\}?")
_LOG = re.compile(r"log(?! ?_)")
_MOST = 40
"""Members of the longest list compared; matching them is quadratic."""


def _expanded(node: Node) -> list[Node]:
    """Both readings of every ± in `node`, taken with one sign throughout."""
    if not _has(node, "pm"):
        return [node]
    return [_signed(node, plus=True), _signed(node, plus=False)]


def _has(node: Node, kind: str) -> bool:
    return node.kind == kind or any(_has(arg, kind) for arg in node.args)


def _signed(node: Node, *, plus: bool) -> Node:
    args = tuple(_signed(arg, plus=plus) for arg in node.args)
    if node.kind == "pm":
        return Node("add", (args[0], args[1] if plus else Node("neg", (args[1],))))
    return node._replace(args=args)


def _interval(node: Node) -> Node | None:
    """`1 < x < 2` and `x >= 3` as the intervals they are."""
    signs = str(node.value).split()
    low, high = Node("neg", (Node("const", (), "inf"),)), Node("const", (), "inf")
    if signs == ["∈"]:
        return node.args[1]
    if len(signs) == 2 and node.args[1].kind == "sym":
        left, right_ = node.args[0], node.args[2]
        if all(s in "<≤" for s in signs):
            return Node(
                "interval", (left, right_), ("(" if signs[0] == "<" else "[") + (")" if signs[1] == "<" else "]")
            )
        if all(s in ">≥" for s in signs):
            return Node(
                "interval", (right_, left), ("(" if signs[1] == ">" else "[") + (")" if signs[0] == ">" else "]")
            )
    if len(signs) != 1 or signs[0] not in ("<", "≤", ">", "≥"):
        return None
    left, right_ = node.args
    sign = signs[0]
    if right_.kind == "sym" and left.kind != "sym":
        left, right_, sign = right_, left, {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}[sign]
    if left.kind != "sym" or names(right_):
        return None
    if sign in "<≤":
        return Node("interval", (low, right_), "(" + (")" if sign == "<" else "]"))
    return Node("interval", (right_, high), ("(" if sign == ">" else "[") + ")")


def _members(node: Node) -> list[Node]:
    """The unordered members of a list, set, union or ±; the node itself where it is one thing."""
    if node.kind == "list":
        flat = [m for arg in node.args for m in _members(arg)]
        return flat[:_MOST] if len(flat) <= _MOST else flat
    if node.kind == "rel":
        found = _interval(node)
        if found is not None:
            return _members(found)
        signs = str(node.value).split()
        if set(signs) == {"="} and (node.args[0].kind == "sym" or _application(node.args[0])):
            last = node.args[-1]
            if last.kind == "list":  # `S = {2, 3}`
                return _members(last)
            return [Node("rel", (node.args[0], e), "=") for e in _members(last)] if _has(last, "pm") else [node]
        return [node]
    return _expanded(node)


def _application(node: Node) -> bool:
    """`f(x)`: a letter and one in brackets."""
    return node.kind == "mul" and all(arg.kind == "sym" for arg in node.args)


def _side(node: Node) -> Node:
    """What an equation says its variable is, the exact side of an approximation; anything else as it stands."""
    if node.kind != "rel":
        return node
    signs = str(node.value).split()
    if "≈" in signs and set(signs) <= {"=", "≈"}:
        exactly = node.args[signs.index("≈")]
        return exactly if exactly.kind != "sym" else node.args[-1]
    if set(signs) == {"="}:
        head, last = node.args[0], node.args[-1]
        if head.kind == "sym" or _application(head) or len(node.args) > 2 or not names(head):
            return last
    return node


def _alike(one: Node, other: Node) -> bool:
    """Whether two trees, neither a list, mean the same."""
    if one.kind == "rel" and other.kind == "rel" and "≈" not in f"{one.value}{other.value}":
        return _same_relation(one, other)
    one, other = _side(one), _side(other)
    kinds = {one.kind, other.kind}
    if kinds == {"tuple", "interval"}:
        pair, interval = (one, other) if one.kind == "tuple" else (other, one)
        return interval.value == "()" and _ordered(pair, interval)
    if kinds == {"ratio"} and len(one.args) == len(other.args) == 2:
        return _equal_values(Node("div", one.args), Node("div", other.args))
    for kind in ("tuple", "interval", "matrix", "ratio"):
        if kind in kinds:
            return len(kinds) == 1 and (kind == "tuple" or one.value == other.value) and _ordered(one, other)
    if "rel" in kinds:
        return False
    if kinds & {"text", "set"}:
        return len(kinds) == 1 and _folded(str(one.value)) == _folded(str(other.value))
    return _equal_values(one, other)


def _ordered(one: Node, other: Node) -> bool:
    return len(one.args) == len(other.args) and all(_same(a, b) for a, b in zip(one.args, other.args, strict=True))


def _same_relation(one: Node, other: Node) -> bool:
    if one.value == other.value == "=":
        sides = _side(one), _side(other)
        if sides[0] is not one and sides[1] is not other and one.args[0] == other.args[0]:
            return _same(*sides)
        return _proportional(_difference(one), _difference(other))
    return one.value == other.value and _ordered(one, other)


def _difference(node: Node) -> Node:
    return Node("add", (node.args[0], Node("neg", (node.args[1],))))


def _proportional(one: Node, other: Node) -> bool:
    """Whether `one = 0` and `other = 0` are the same equation up to a constant factor."""
    variables = names(one) | names(other)
    if not variables or names(one) != names(other):
        return False
    ratio, agreed = Node("div", (one, other)), 0
    first = None
    for at in points(variables):
        value = evaluate(ratio, at)
        if first is not None and not near(first, value):
            return False
        first, agreed = value, agreed + 1
    return agreed >= 3 and bool(first and first.number)


def _equal_values(one: Node, other: Node) -> bool:
    mine, theirs = exact(one), exact(other)
    if mine is not None and theirs is not None:
        return mine == theirs
    variables = names(one) | names(other)
    agreed = 0
    for at in points(variables):
        try:
            value, wanted = evaluate(one, at), evaluate(other, at)
        except Unreadable:
            if not variables:
                raise
            continue
        if not near(value, wanted):
            return False
        agreed += 1
    return agreed >= (3 if variables else 1)


def _same(one: Node, other: Node) -> bool:
    mine, theirs = _members(one), _members(other)
    if len(mine) == len(theirs) == 1:
        return _alike(mine[0], theirs[0])
    if {one.kind, other.kind} == {"list", "tuple"}:
        listed, pair = (one, other) if one.kind == "list" else (other, one)
        return _ordered(listed, pair)
    if len(mine) > _MOST or len(theirs) > _MOST:
        raise Unreadable("too many members")
    mine, theirs = _distinct(mine), _distinct(theirs)
    if len(mine) != len(theirs):
        return False
    left = list(theirs)
    for member in mine:
        found = next((k for k, candidate in enumerate(left) if _alike(member, candidate)), None)
        if found is None:
            return False
        del left[found]
    return True


def _distinct(nodes: list[Node]) -> list[Node]:
    out: list[Node] = []
    for node in nodes:
        if not any(_alike(node, other) for other in out):
            out.append(node)
    return out


def _folded(text: str) -> str:
    """Text without what does not matter: white space, case, markup, a full stop."""
    text = re.sub(r"\\(?:text|textbf|mathrm|mathbf|mbox) ?\{([^{}]{0,400})\}", r"\1", text[:4_000])
    return re.sub(r"[\s$*`]|\\[,;! ()\[\]]|\\left|\\right", "", text).rstrip(".").casefold()


@lru_cache(maxsize=2048)
def tree(text: str) -> Node | None:
    try:
        return parse(text)
    except Unreadable:
        return None


def _percent(node: Node) -> Node | None:
    return node.args[0] if node.kind == "percent" else None


def _other_base(one: str, other: str) -> bool:
    """Whether `one` has a `log` without base where `other` has `ln`: the same to some, base ten to others."""
    return bool(_LOG.search(one) and "ln" in other and not _LOG.search(other))


def equal(answer: str, gold: str) -> bool | None:
    """Whether `answer` means what `gold` means; None where one of them cannot be read.

    >>> equal("\\\\sqrt{18}", "3\\\\sqrt{2}"), equal("(x+1)^2", "x^2+2x+1"), equal("3.14", "\\\\pi"), equal("[1, 2]", "(1, 2)")
    (True, True, False, False)
    >>> equal("1 < x < 2", "(1, 2)"), equal("x = \\\\pm 5", "5, -5"), equal("\\\\text{even}", "Even"), equal("who knows", "7")
    (True, True, True, None)
    """
    if ("_" in answer) != ("_" in gold):
        answer, gold = _BASE.sub("", answer), _BASE.sub("", gold)
    one, other = tree(answer), tree(gold)
    if one is None or other is None:
        return True if _folded(answer) and _folded(answer) == _folded(gold) else None
    try:
        if _same(one, other):
            return None if _other_base(answer, gold) or _other_base(gold, answer) else True
        bare = _percent(other)
        return bool(bare and one.kind != "percent" and _same(one, bare))
    except (Unreadable, RecursionError):
        return True if _folded(answer) == _folded(gold) else None


@dataclass(frozen=True, kw_only=True)
class MathScore:
    """Right if the answer means what any gold answer means: numbers, expressions, sets, pairs, intervals, equations.

    An approximation is not the exact answer. What cannot be read is right only as the very text of the gold answer.

    >>> item = Item(id="1", fields={}, gold=("\\\\frac{\\\\sqrt{3}}{3}",))
    >>> [MathScore().score(a, item, (), str).outcome.value for a in ("1/\\\\sqrt{3}", "0.577", "a root")]
    ['correct', 'incorrect', 'unparseable']
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored("the item has no gold answer")
        if not answer.strip():
            return unparseable("empty answer")
        if answer == "no solution" and any((gold := tree(t)) is not None and gold.kind == "set" for t in texts):
            return right(True)
        if answer == "no solution" and not any(tree(t) is None or _has_text(t) for t in texts):
            return right(False, "says that there is none")
        if answer.startswith("not "):
            if any(equal(answer[4:], gold) for gold in texts):
                return right(False, "rejects the right answer")
            return unparseable("only says what the answer is not")
        answer = answer.removeprefix("about ")
        verdicts = [equal(answer, gold) for gold in texts]
        if True in verdicts:
            return right(True)
        if None in verdicts:
            return unparseable("the answer or the gold cannot be read as mathematics")
        return right(False)


def _has_text(gold: str) -> bool:
    found = tree(gold)
    return found is not None and found.kind in ("text", "set")
