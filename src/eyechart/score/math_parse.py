"""Tokens of mathematics to a tree, by recursive descent, bounded in size and depth."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from eyechart.score.math_tokens import FUNCTIONS, LONGEST, UNIT_WORDS, WRAPPED, Token, Unreadable, spelt, tokens

_DEPTH = 60


class Node(NamedTuple):
    """`num`, `const` (pi, e, i, inf), `sym`, `add`, `mul`, `div`, `pow`, `neg`, `fact`, `fun`, `pm`, `percent`; and what is
    no one number: `list` (unordered), `tuple`, `interval`, `rel`, `matrix`, `text`."""

    kind: str
    args: tuple[Node, ...] = ()
    value: Fraction | str = ""


_RELATIONS = frozenset("=<>≤≥≠∈≈")


class _Parser:
    """Recursive descent; every method takes off the tokens that it understands."""

    def __init__(self, stream: list[Token]) -> None:
        self.stream, self.at, self.depth, self.bars = stream, 0, 0, 0
        self.degrees = False
        """Whether a sign of degrees was met: what stands in a sine is in degrees then."""

    def peek(self) -> Token:
        return self.stream[self.at] if self.at < len(self.stream) else Token("end", "")

    def take(self, text: str) -> bool:
        token = self.peek()
        if token.text == text and token.kind in ("op", "cmd"):
            self.at += 1
            return True
        return False

    def need(self, text: str) -> None:
        if not self.take(text):
            raise Unreadable(f"{text} is missing")

    def top(self) -> Node:
        node = self.items(top=True)
        if self.at < len(self.stream):
            raise Unreadable(f"{self.peek().text!r} is not understood here")
        return node

    def items(self, *, top: bool = False) -> Node:
        out = [self.relation()]
        either = False
        while True:
            if self.take(",") or self.take(";"):
                while self.take("and") or self.take("or"):
                    pass
                if self.peek().kind == "end":
                    break
            elif self.take("or"):
                either = True
            elif not self.take("and"):
                break
            out.append(self.relation())
        if either and any(node.kind == "list" for node in out):
            return Node("text", (), "one set or another")
        return out[0] if len(out) == 1 else Node("list", tuple(out))

    def relation(self) -> Node:
        parts = [self.union()]
        signs: list[str] = []
        while self.peek().kind == "op" and self.peek().text in _RELATIONS:
            signs.append(self.peek().text)
            self.at += 1
            parts.append(self.union())
        return Node("rel", tuple(parts), " ".join(signs)) if signs else parts[0]

    def union(self) -> Node:
        parts = [self.ratio()]
        while self.take("∪"):
            parts.append(self.ratio())
        return parts[0] if len(parts) == 1 else Node("list", tuple(parts))

    def ratio(self) -> Node:
        parts = [self.sum()]
        while self.take(":"):
            parts.append(self.sum())
        return parts[0] if len(parts) == 1 else Node("ratio", tuple(parts))

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > _DEPTH:
            raise Unreadable("too deep")
        token = self.peek()
        if self.take("±"):
            node = Node("pm", (Node("num", (), Fraction(0)), self.product()))
        elif self.take("-"):
            node = Node("neg", (self.product(),))
        else:
            self.take("+")
            node = self.product()
        while True:
            token = self.peek()
            if self.take("+"):
                node = Node("add", (node, self.product()))
            elif self.take("-"):
                node = Node("add", (node, Node("neg", (self.product(),))))
            elif token.text == "±" and self.take("±"):
                node = Node("pm", (node, self.product()))
            else:
                break
        self.depth -= 1
        return node

    def product(self) -> Node:
        node = self.signed()
        while True:
            if self.take("*"):
                node = Node("mul", (node, self.signed()))
            elif self.take("/"):
                node = Node("div", (node, self.signed()))
            elif self.juxtaposed():
                node = self.adjacent(node)
            else:
                return node

    def adjacent(self, node: Node) -> Node:
        """A factor without a sign between; `3 1/2` and `3\\frac12` are mixed numbers."""
        token = self.peek()
        if token.kind == "text":
            self.at += 1
            if node.kind == "text":
                return Node("text", (), f"{node.value} {token.text}")
            return node  # a unit or a noun behind the value
        mixed = node.kind == "num" and isinstance(node.value, Fraction) and node.value.denominator == 1
        factor = self.power()
        if mixed and token.kind == "cmd" and token.text == "frac" and all(a.kind == "num" for a in factor.args):
            return Node("add", (node, factor))
        if mixed and token.kind == "num":
            if factor.kind != "num" or not self.take("/"):
                raise Unreadable("two numbers side by side")
            return Node("add", (node, Node("div", (factor, self.power()))))
        return Node("mul", (node, factor))

    def juxtaposed(self) -> bool:
        token = self.peek()
        if token.kind in ("num", "name", "text", "open"):
            return True
        if token.kind == "cmd":
            return token.text not in ("and", "or", "row", "mod")
        return token.kind == "op" and (
            token.text in ("(", "√", "π", "∞", "{", "θ", "⌊", "⌈") or (token.text == "|" and not self.bars)
        )

    def signed(self) -> Node:
        if self.take("-"):
            self.depth += 1
            if self.depth > _DEPTH:
                raise Unreadable("too deep")
            node = Node("neg", (self.signed(),))
            self.depth -= 1
            return node
        if self.take("+"):
            return self.signed()
        return self.power()

    def power(self) -> Node:
        node = self.postfix(self.atom())
        if self.take("^"):
            if self.take("°"):
                self.degrees = True
                return node
            if self.peek().text == "{" and [t.text for t in self.stream[self.at : self.at + 3]] == ["{", "°", "}"]:
                self.at += 3
                self.degrees = True
                return node
            node = Node("pow", (node, self.exponent()))
            node = self.postfix(node)
        return node

    def exponent(self) -> Node:
        if self.peek().text == "{":
            return self.group()
        if self.take("-"):
            return Node("neg", (self.exponent(),))
        node = self.postfix(self.atom())
        return Node("pow", (node, self.exponent())) if self.take("^") else node

    def postfix(self, node: Node) -> Node:
        while True:
            if self.take("!"):
                node = Node("fact", (node,))
            elif self.take("%"):
                node = Node("percent", (node,))
            elif self.take("°"):
                self.degrees = True
            else:
                return node

    def group(self) -> Node:
        """`{...}` of LaTeX, or the one token in its place: `\\frac12`."""
        if self.take("{"):
            node = self.items()
            self.need("}")
            return node
        token = self.peek()
        if token.kind == "num" and len(token.text) > 1 and "." not in token.text:
            self.stream[self.at] = Token("num", token.text[1:])
            return Node("num", (), Fraction(token.text[0]))
        return self.atom()

    def atom(self) -> Node:
        token = self.peek()
        self.at += 1
        if token.kind == "num":
            if len(token.text) > 400:
                raise Unreadable("too long a number")
            return Node("num", (), Fraction(token.text.replace("{,}", "")))
        if token.kind == "text":
            if self.peek().kind in ("num", "cmd") or self.peek().text in ("(", "-"):
                raise Unreadable("words before the mathematics")
            return Node("text", (), token.text)
        if token.kind == "name":
            return self.name(token.text)
        if token.kind == "open":
            return self.matrix()
        if token.kind == "cmd":
            return self.command(token.text)
        return self.bracketed(token.text)

    def name(self, letter: str) -> Node:
        if self.take("_"):
            under = self.group()
            letter += f"_{under.value}"
        return Node("const", (), letter) if letter in ("e", "i") else Node("sym", (), letter)

    def bracketed(self, text: str) -> Node:
        if text in ("π", "∞"):
            return Node("const", (), {"π": "pi", "∞": "inf"}[text])
        if text == "θ":
            return Node("sym", (), "θ")
        if text == "√":
            return Node("fun", (self.atom(),), "sqrt")
        if text == "|":
            self.bars += 1
            node = Node("fun", (self.sum(),), "abs")
            self.bars -= 1
            self.need("|")
            return node
        if text in "⌊⌈":
            node = Node("fun", (self.sum(),), "floor" if text == "⌊" else "ceil")
            self.need("⌋" if text == "⌊" else "⌉")
            return node
        if text in ("{", "\\{"):
            if self.take("}") or self.take("\\}"):
                return Node("set", (), "")
            node = self.items()
            if not (self.take("}") or self.take("\\}")):
                raise Unreadable("a brace is open")
            return (
                Node("list", node.args if node.kind == "list" else (node,))
                if text == "\\{" or node.kind == "list"
                else node
            )
        if text in ("(", "["):
            bars, self.bars = self.bars, 0
            node = self.items()
            self.bars = bars
            closing = self.peek().text
            self.at += 1
            if closing not in (")", "]"):
                raise Unreadable("a bracket is open")
            if node.kind != "list":
                return node
            if text == "(" and closing == ")":
                return Node("tuple", node.args)
            if len(node.args) != 2:
                return Node("tuple", node.args, "[")
            return Node("interval", node.args, text + closing)
        raise Unreadable(f"{text!r} is not understood here")

    def command(self, name: str) -> Node:
        if name == "frac":
            above = self.group()
            return Node("div", (above, self.group()))
        if name == "binom":
            above = self.group()
            return Node("fun", (above, self.group()), "binom")
        if name in FUNCTIONS:
            return self.function(name)
        if name in (
            "alpha",
            "beta",
            "gamma",
            "delta",
            "theta",
            "lambda",
            "mu",
            "phi",
            "omega",
            "sigma",
            "rho",
            "epsilon",
        ):
            return self.name("θ" if name == "theta" else name)
        if name in ("emptyset", "varnothing"):
            return Node("set", (), "")
        raise Unreadable(f"\\{name} is not understood")

    def function(self, name: str) -> Node:
        under: Node | None = None
        if name == "sqrt" and self.take("["):
            under = self.sum()
            self.need("]")
        elif name in ("log", "lg") and self.take("_"):
            under = self.group()
        self.degrees = False
        raised = self.exponent() if name != "sqrt" and self.take("^") else None
        if self.peek().text == "{":
            argument = self.group()
        elif self.peek().text == "(":
            argument = self.atom()
        else:
            argument = self.postfix(self.atom()) if name in ("sqrt", "abs") else self.argument()
        if self.degrees and name in ("sin", "cos", "tan", "sec", "csc", "cot"):
            argument = Node("mul", (argument, Node("div", (Node("const", (), "pi"), Node("num", (), Fraction(180))))))
        args = argument.args if argument.kind in ("tuple", "list") else (argument,)
        node = Node("fun", (*args, under) if under else args, "root" if name == "sqrt" and under else name)
        return Node("pow", (node, raised)) if raised else node

    def argument(self) -> Node:
        """`\\sin 2x`: the factors that follow without a sign."""
        node = self.power()
        while self.peek().kind in ("name", "num") or (self.peek().text == "π"):
            node = Node("mul", (node, self.power()))
        if self.peek().text == "/" and node.kind in ("const", "num", "mul"):
            self.at += 1
            node = Node("div", (node, self.power()))
        return node

    def matrix(self) -> Node:
        rows: list[Node] = []
        cells: list[Node] = []
        while True:
            cells.append(self.sum())
            token = self.peek()
            self.at += 1
            if token.text == "&":
                continue
            if token.text == "row" or token.kind == "close":
                rows.append(Node("tuple", tuple(cells)))
                cells = []
                if token.kind == "close":
                    return Node("matrix", tuple(rows))
                if self.peek().kind == "close":
                    self.at += 1
                    return Node("matrix", tuple(rows))
                continue
            raise Unreadable("a matrix is open")


_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_ENVIRONMENT = re.compile(r"\\(?:begin|end) ?\{[a-z]{1,12}\}")
_KNOWN = FUNCTIONS | frozenset(("pi", "inf", "infty", "infinity", "and", "or", "frac", "union"))


def parse(text: str) -> Node:
    """The tree of `text`. Raises Unreadable for what is no mathematics, is too long or too deep.

    >>> parse("2x").kind, parse("(1, 2)").kind, parse("[1, 2)").value, parse("x = 5").kind
    ('mul', 'tuple', '[)', 'rel')
    """
    text = spelt(text)
    bare = _ENVIRONMENT.sub(" ", WRAPPED.sub(" ", text))
    for word in _WORDS.findall(bare[:LONGEST]):
        if word not in _KNOWN and not re.fullmatch(r"[a-z]{2,3}", word) and word.lower() not in UNIT_WORDS:
            raise Unreadable(f"{word} is a word")
    text = re.sub(
        r"(?<=[0-9}π)] )(?:" + "|".join(sorted(UNIT_WORDS, key=len, reverse=True)) + r")\b\.?(?:\^ ?\{?[23]\}?|[²³])?",
        "",
        text,
    )
    try:
        return _Parser(tokens(text)).top()
    except RecursionError:
        raise Unreadable("too deep") from None
