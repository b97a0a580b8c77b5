"""A sheet as one page: no network, keyboard or mouse, progress kept in the browser, labels saved as CSV.

The texts come from models and are data of the page, escaped by the template; the policy allows only the page's own
script, by its hash.
"""

from __future__ import annotations

from eyechart.analysis.sheets import BINARY, Sheet, shown
from eyechart.report.html import environment, policy, safe, source
from eyechart.report.text import clean_lines

TEMPLATE = "sheet.html.j2"
MOST_BUTTONS = 11
"""Grades up to which each has a button; beyond, a number is typed."""


def render_sheet(sheet: Sheet) -> str:
    """One HTML file. Its button saves `key,verdict,note`, which `judge sheet read` takes.

    >>> from eyechart.analysis.sheets import Row
    >>> row = Row(key="r1k", question="<script>", reference="", outputs=("x", "y"))
    >>> page = render_sheet(Sheet(person=0, round=1, scale=None, words=("1", "2", "tie"), rows=(row,), digest="h1:0"))
    >>> "&lt;script&gt;" in page, page.count("<script>")
    (True, 1)
    """
    script = source(TEMPLATE).partition("<script>")[2].partition("</script>")[0]
    template = environment().get_template(TEMPLATE)
    return template.render(
        rows=[(row.key, [(name, clean_lines(text)) for name, text in shown(row) if text]) for row in sheet.rows],
        choices=_choices(sheet),
        low=sheet.words[0],
        high=sheet.words[-1],
        pairs=sheet.scale is None,
        person=sheet.person + 1,
        round=sheet.round,
        store=f"eyechart-sheet-{sheet.digest}-{sheet.person}",
        csp=safe(policy(script)),
    )


def _choices(sheet: Sheet) -> list[tuple[str, str, str]]:
    """Word, what its button says, and the key of the keyboard; empty where a number is typed."""
    if sheet.scale is None:
        return [("1", "First is better", "1"), ("2", "Second is better", "2"), ("tie", "Equally good", "0")]
    if sheet.scale == BINARY:
        return [("1", "Right", "1"), ("0", "Wrong", "0")]
    if len(sheet.words) > MOST_BUTTONS:
        return []
    return [(word, word, word if len(word) == 1 else "") for word in sheet.words]
