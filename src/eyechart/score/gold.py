"""What every scorer needs: the right answers of an item, and the scores that say right, wrong and why not."""

from __future__ import annotations

from eyechart.core.records import Item, Outcome, Score


def right(yes: bool, reason: str | None = None) -> Score:
    """
    >>> right(True).value, right(False).outcome.value
    (1.0, 'incorrect')
    """
    return Score(outcome=Outcome.CORRECT if yes else Outcome.INCORRECT, value=float(yes), reason=reason)


def unparseable(reason: str) -> Score:
    """An answer came and stands for none that can be compared: no credit, counted apart."""
    return Score(outcome=Outcome.UNPARSEABLE, value=0.0, reason=reason)


def unscored(reason: str) -> Score:
    """Nothing can be said about the model: not in the denominator."""
    return Score(outcome=Outcome.UNSCORED, value=None, reason=reason)


def golds(item: Item) -> tuple[str, ...]:
    """The gold texts that are more than white space.

    >>> golds(Item(id="1", fields={}, gold=("Paris", " ")))
    ('Paris',)
    """
    return tuple(text for text in item.gold if text.strip())
