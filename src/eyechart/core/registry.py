"""Names to things: one registry a kind of plug-in, filled by one line a plug-in and by entry points.

A name that is not found lists what exists and the nearest right one; a clash is an error, never a
silent renaming. Third parties add to a registry from their own package through the entry-point
group `eyechart.<kind>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from eyechart.core.errors import InputError

T = TypeVar("T")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The closest right spelling, or None.

    >>> nearest("tempreture", ["temperature", "top_p"])
    'temperature'
    """
    found = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return found[0] if found else None


def hint(name: str, names: Iterable[str]) -> str:
    """What to write instead: the nearest right name, else all there are.

    >>> hint("tempreture", ["temperature", "top_p"]), hint("x", ["a", "b"]), hint("x", [])
    ('did you mean temperature?', 'there are: a, b', 'there are: none')
    """
    known = list(names)
    close = nearest(name, known)
    return f"did you mean {close}?" if close else f"there are: {', '.join(known) or 'none'}"


class Registry(Generic[T]):
    """`Registry("reader")`; `add("last_number", LastNumber)`; `get("last_number")`.

    A thing may be given as a string `module:attribute`, imported when first asked for, so that
    heavy packages stay unimported until they are used.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T | str] = {}
        self._asked_entry_points = False

    def add(self, name: str, thing: T | str) -> None:
        if name in self._things:
            raise ValueError(f"two {self.kind}s are named {name!r}; rename one")
        self._things[name] = thing

    def register(self, name: str) -> Callable[[T], T]:
        def put(thing: T) -> T:
            self.add(name, thing)
            return thing

        return put

    def get(self, name: str) -> T:
        """Raises InputError naming the nearest right name and all that exist."""
        if name not in self._things:
            self._load_entry_points()
        if name not in self._things:
            close = nearest(name, self._things)
            hint = f"did you mean {close!r}? " if close else ""
            raise InputError(f"no {self.kind} is named {name!r}; {hint}there are: {', '.join(self.names())}")
        thing = self._things[name]
        if isinstance(thing, str):
            module, _, attribute = thing.partition(":")
            thing = cast("T", getattr(import_module(module), attribute))
            self._things[name] = thing
        return thing

    def names(self) -> tuple[str, ...]:
        self._load_entry_points()
        return tuple(sorted(self._things))

    def __contains__(self, name: object) -> bool:
        return name in self._things or (self._load_entry_points() or name in self._things)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _load_entry_points(self) -> None:
        if self._asked_entry_points:
            return
        from importlib.metadata import entry_points  # slow to import, and only a name that is not ours needs it

        self._asked_entry_points = True
        for point in entry_points(group=f"eyechart.{self.kind}"):
            self.add(point.name, cast("Any", point.value))
