"""How much YAML is read: a file of a few thousand characters may otherwise take a minute, or the memory of a machine."""

from __future__ import annotations

from typing import Any, cast

from eyechart.core.errors import InputError

DEEPEST = 64
"""Lists and mappings within each other; a study needs ten. The parser takes a time that grows with the square of them."""
MOST = 50_000
"""Values of a file, with each alias counted as often as it is used: a few lines of aliases can stand for billions."""
LONGEST = 4_000_000
"""Characters of a file."""
TOO_DEEP = f"is nested more than {DEEPEST} deep, which no file of eyechart needs"
TOO_MANY = f"holds more than {MOST:,} values; keep items in a data file"


def bounded(file: str | None) -> Any:
    """A composer of ruamel.yaml that raises InputError at the first value too deep or too many, before the parser has
    read on. What aliases stand for is not seen here: whoever walks the tree counts again, or takes `whole`, which counts
    it before any value is made of it."""
    from ruamel.yaml.composer import Composer

    class Bounded(Composer):
        nested = 0  # `depth` is a name that newer versions of the parser use themselves
        made = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.nested += 1
            self.made += 1
            if self.nested > DEEPEST + 1 or self.made > MOST:  # the document itself is no list
                mark = cast("Any", self).parser.peek_event().start_mark
                raise InputError(TOO_DEEP if self.made <= MOST else TOO_MANY, file=file, line=int(mark.line) + 1)
            try:
                return cast("Any", super()).compose_node(parent, index)
            finally:
                self.nested -= 1

    return Bounded


def whole(file: str | None) -> Any:
    """As `bounded`, and what aliases stand for is counted before a value is made of it: a mapping merged into another by
    `<<`, nine times over in nine lines, would otherwise be written out while it is read."""

    base: Any = bounded(file)

    class Whole(base):
        def get_single_node(self) -> Any:
            root: Any = base.get_single_node(self)
            if (problem := outgrown(root)) is not None:
                raise InputError(problem, file=file)
            return root

    return Whole


def outgrown(root: Any) -> str | None:
    """What is wrong with a tree of nodes whose parts may be one node, or hold themselves; None where it can be walked.
    It stops at the first value too many: after no more than `MOST` steps."""
    left, seen = [(root, 0)], 0
    while left:
        node, depth = left.pop()
        seen += 1
        if seen > MOST or depth > DEEPEST:
            return TOO_MANY if seen > MOST else TOO_DEEP
        value = getattr(node, "value", None)
        if isinstance(value, list):
            for part in cast("list[Any]", value):
                pair = cast("tuple[Any, ...]", part if isinstance(part, tuple) else (part,))
                left += [(one, depth + 1) for one in pair]
    return None
