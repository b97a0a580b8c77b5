"""What is said in the words of a catalogue, so that it can be said in another language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """Words of the catalogue, by key, and what is put into them."""

    key: str
    params: tuple[tuple[str, Text], ...] = ()


Text = str | Message


def message(key: str, /, **params: Text | int) -> Message:
    """
    >>> message("count.setups.many", n=12)
    Message(key='count.setups.many', params=(('n', '12'),))
    """
    return Message(key, tuple((k, str(v) if isinstance(v, int) else v) for k, v in params.items()))
