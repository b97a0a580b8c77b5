"""Answers that go on where the prompt leaves off: the body of a function of which the prompt gives the head."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from eyechart.extract.codeblocks import PYTHON, Block, fenced, parse


def unfinished(prompt: str) -> Block | None:
    r"""The code of a prompt that ends in a function without a body; None where it does not.

    >>> unfinished("import math\n\ndef area(r):\n    'Of a circle.'\n").tree.body[-1].name
    'area'
    >>> unfinished("Write a function area(r).")
    """
    source = prompt.rstrip() + "\n"
    tree = parse(source + "    pass\n")
    last = tree.body[-1] if tree else None
    if tree is None or type(last).__name__ not in ("FunctionDef", "AsyncFunctionDef"):
        return None
    return Block(source=source, tag="python", span=(0, len(source)), tree=tree)


def continued(head: Block, text: str) -> Block | None:
    r"""`head` with the body that `text` gives, in a fence or as all that is said; None where that is no program.

    >>> head = unfinished("def double(x):\n    'Twice x.'\n")
    >>> continued(head, "```python\nreturn 2 * x\n```").source
    "def double(x):\n    'Twice x.'\n    return 2 * x\n"
    >>> continued(head, "You double it.")
    """
    whole = Block(source=text, tag="", span=(0, len(text)))
    for body in [*(b for b in reversed(fenced(text)) if PYTHON.fullmatch(b.tag)), whole]:
        for lines in (
            body.source,
            "    " + body.source.lstrip(),
            textwrap.indent(textwrap.dedent(body.source), "    "),
        ):
            source = head.source + lines.lstrip("\r\n")
            tree = parse(source) if lines.strip() and lines.lstrip("\r\n")[:1] in (" ", "\t") else None
            if tree is not None:
                return replace(body, source=source, tree=tree)
    return None
