"""Questions of the test that stand in the prompts of others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

SHORT = 20
"""Characters under which a line may stand in two questions by chance."""
SHARED = 3
"""Questions that may share a line before it is a passage or an instruction, and tells nothing."""
TIMES = 2
"""Prompts in which a foreign question must stand."""
_HEAD = re.compile(r"^\s*(?:[A-Za-z]{1,12}(?: \d{1,4})?|\d{1,4}|问题?|题目?)\s*[:.)：、]\s*")


def in_prompts(questions: Sequence[tuple[str, str]], prompts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Pairs of an item whose question stands in a prompt, and the other item that this prompt asks.

    `questions`: id and text of every item; `prompts`: id and what was sent. A question is known by its lines, with or
    without a heading such as `Question:`; a line that the asked item has as well, or that stands in many questions (an
    instruction, a passage), tells nothing. Time is linear in the length of all texts.

    >>> asked = [("a", "How many apples has Tom left?"), ("b", "How far is the moon from here?"), ("c", "What is it?")]
    >>> shot = "Question: How many apples has Tom left?\\nAnswer: 3\\n\\nQuestion: "
    >>> in_prompts(asked, [(name, shot + text) for name, text in asked])
    (('a', 'b'), ('a', 'c'))
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for name, text in questions:
        for one in text.splitlines():
            if len(line := _plain(one)) >= SHORT:
                owners[line].add(name)
    known = {line: names for line, names in owners.items() if len(names) <= SHARED}
    out: dict[tuple[str, str], None] = {}
    for name, prompt in prompts:
        for one in prompt.splitlines():
            line = _plain(one)
            if len(line) < SHORT:
                continue
            found = known.get(line) or known.get(_plain(_HEAD.sub("", one)))
            if found and name not in found:
                out.setdefault((min(found), name))
    times = Counter(shot for shot, _ in out)
    return tuple(pair for pair in out if times[pair[0]] >= TIMES)


def _plain(line: str) -> str:
    return " ".join(_HEAD.sub("", line).split())
