"""One graded output as HTML: what was taken, passed over and cut away, marked in the raw text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from eyechart.core.records import Step

_STYLES = {
    "taken": "background:#cdeac0;font-weight:600",
    "passed": "background:#ffe3c2;text-decoration:line-through",
    "cut": "color:#888;text-decoration:line-through",
}
_LONGEST = 20_000
"""Characters shown; more are counted."""


def trace_html(output: str, verdict: str | None, extracted: str | None, steps: Sequence[Step]) -> str:
    """Verdict, marked text and steps. Everything from a model is escaped.

    >>> trace_html("So <b>4</b>", "correct", "4", [Step("taken", "the answer", (6, 7))])[:60]
    '<div><p><b>correct</b>, read as <code>4</code></p><pre style'
    """
    shown = output[:_LONGEST]
    marks = [""] * len(shown)
    for step in steps:
        if step.span is not None and step.what in _STYLES:
            for i in range(step.span[0], min(step.span[1], len(shown))):
                marks[i] = step.what
    parts: list[str] = []
    start = 0
    for end in range(1, len(shown) + 1):
        if end == len(shown) or marks[end] != marks[start]:
            text = escape(_visible(shown[start:end]))
            style = _STYLES.get(marks[start])
            parts.append(f'<span style="{style}">{text}</span>' if style else text)
            start = end
    more = f"<p>and {len(output) - _LONGEST:,} more characters</p>" if len(output) > _LONGEST else ""
    read = "nothing read" if extracted is None else f"read as <code>{escape(_visible(extracted))}</code>"
    told = "".join(f"<li>{step.what}: {escape(step.reason)}</li>" for step in steps)
    return (
        f"<div><p><b>{escape(verdict or 'not graded')}</b>, {read}</p>"
        f'<pre style="white-space:pre-wrap">{"".join(parts)}</pre>{more}<ol>{told}</ol></div>'
    )


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
