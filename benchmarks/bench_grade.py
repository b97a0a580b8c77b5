"""Verdicts a second on one core, beside math-verify and the filters of lm-evaluation-harness on the same lines.

Short answers are those of the stress test (right ones, restyled); chains of thought are short answers behind 150
words of working. `--gsm8k FILE` takes real outputs instead (JSON lines with output and gold). The peers are measured
where they are installed (`pip install math-verify[antlr4_13_2] lm-eval`), and are left out, with a word, where not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eyechart.app.grade import grade_lines
from eyechart.app.lines import Line, line_of
from eyechart.core.graders import USUAL
from eyechart.extract.passage import passage
from eyechart.stress import battery

THOUGHT = (
    "Let me work through this step by step. First I look at what is given and what is asked. There are several "
    "quantities here, such as 12 boxes with 15 pieces each, and 3 of them are lost on the way, so 12 * 15 = 180 and "
    "180 - 3 = 177 pieces are left. "
) * 3


def lines_of(kind: Any, n: int, before: str = "") -> list[Line]:
    rows = [{"output": before + c.output, "gold": c.gold, "choices": c.choices and dict(c.choices), "kind": kind}
            for c in battery.right(kind, 0, n)]  # fmt: skip
    return [line for row in rows if isinstance(line := line_of(row, 1), Line)]


PLAIN = {
    "choice": ("{}", "({})", "{}.", "Answer: {}", "The answer is {}.", "**{}**"),
    "number": ("{}", "#### {}", "Answer: {}", "The answer is {}.", "\\boxed{{{}}}", "**{}**"),
}
"""As models answer when they are asked for no more than the answer."""


def plain_lines(kind: Any, n: int) -> list[Line]:
    choices = {"A": "Paris", "B": "London", "C": "Berlin", "D": "Madrid"} if kind == "choice" else None
    golds = "ABCD" if choices else [str(7 * i + 3) for i in range(n)]
    rows = [{"output": PLAIN[kind][i % 6].format(golds[i % len(golds)]), "gold": golds[i % len(golds)],
             "choices": choices, "kind": kind} for i in range(n)]  # fmt: skip
    return [line for row in rows if isinstance(line := line_of(row, 1), Line)]


def seconds(call: Callable[[], Any]) -> float:
    """The best of three: noise only adds."""
    best = float("inf")
    for _ in range(3):
        passage.cache_clear()
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def rate(name: str, n: int, call: Callable[[], Any], reference: float | None = None) -> float:
    taken = seconds(call) / n
    beside = "" if reference is None else f"   {taken / reference:8.1f} x the time of careful"
    print(f"  {name:<28}{1 / taken:>12,.0f} a second  {taken * 1e6:>9.1f} µs{beside}")
    return taken


def peers(lines: Sequence[Line], ours: float) -> None:
    outputs, golds = [line.response.text or "" for line in lines], [line.item.gold[0] for line in lines]
    try:
        from math_verify import parse, verify

        few = list(zip(outputs, golds, strict=True))[:300]
        rate("math-verify", len(few), lambda: [verify(parse(f"${g}$"), parse(o)) for o, g in few], ours)
    except ImportError:
        print("  math-verify is not installed")
    try:
        from lm_eval.filters.extraction import RegexFilter

        flexible = RegexFilter(group_select=-1, regex_pattern=r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
        rate(
            "lm-eval flexible-extract",
            len(outputs),
            lambda: flexible.apply([[o] for o in outputs], [{}] * len(outputs)),
            ours,
        )
    except ImportError:
        print("  lm-evaluation-harness is not installed")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gsm8k", type=Path, help="real outputs, JSON lines, also .gz")
    given = arguments.parse_args()
    for kind in ("choice", "number", "math", "text"):
        short, long = lines_of(kind, 3000), lines_of(kind, 600, THOUGHT)
        print(f"{kind}: short answers, and behind a chain of thought of {len(THOUGHT)} characters")
        if kind in PLAIN:
            plain = plain_lines(kind, 6000)
            rate("careful, plain answers", len(plain), lambda plain=plain: grade_lines(plain))
        ours = rate("careful", len(short), lambda short=short: grade_lines(short))
        rate("careful, chain of thought", len(long), lambda long=long: grade_lines(long))
        for name in USUAL[kind][:2]:
            rate(name, len(short), lambda short=short, name=name: grade_lines(short, name), ours)
        if kind in ("number", "math"):
            peers(short, ours)
    if given.gsm8k:
        opened = gzip.open if given.gsm8k.suffix == ".gz" else open
        with opened(given.gsm8k, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file][:1319]
        real = [line for row in rows if isinstance(line := line_of(row, 1), Line)]
        six = ("careful", "last_number", "first_number", "lm_eval_strict", "lm_eval_flexible", "json_fenced")
        taken = seconds(lambda: [grade_lines(real, name) for name in six])
        print(f"{len(real):,} GSM8K outputs under six graders: {taken:.2f} s")
        ours = rate("careful", len(real), lambda: grade_lines(real))
        peers(real, ours)


if __name__ == "__main__":
    main()
