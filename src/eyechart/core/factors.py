"""Putting factors on a Spec: paths, cells, clashes.

A path is dotted (`decoding.temperature`) and names a field of Spec; `prompt.edits+` appends to a
list. A cell is the baseline with one level of each factor put on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError

from eyechart.core.errors import InputError
from eyechart.core.registry import nearest
from eyechart.core.spec import Factor, Spec

BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One set-up: which level each factor stands on, and the Spec that follows."""

    levels: tuple[tuple[str, str], ...]
    """Factor name and level name, for every factor of the study."""
    spec: Spec

    @property
    def label(self) -> str:
        return " ".join(f"{factor}={level}" for factor, level in self.levels) or BASELINE

    def level(self, factor: str) -> str | None:
        return dict(self.levels).get(factor)


def paths_of(factor: Factor) -> tuple[str, ...]:
    """Every path that the factor writes.

    >>> paths_of(Factor(name="t", path="decoding.temperature", levels=(("0", 0.0),)))
    ('decoding.temperature',)
    """
    if factor.path:
        return (factor.path,)
    seen: dict[str, None] = {}
    for _, level in factor.levels:
        seen |= dict.fromkeys(cast("Mapping[str, Any]", level))
    return tuple(seen)


@lru_cache
def field_names(prefix: str = "") -> tuple[str, ...]:
    """All paths of Spec, sections included, e.g. for messages and for `eyechart factors`."""
    return tuple(_walk(Spec, prefix))


def _walk(model: type[BaseModel], prefix: str) -> Iterable[str]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        yield path
        for part in (info.annotation, *get_args(info.annotation)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _walk(part, f"{path}.")


def check_path(path: str) -> None:
    """Raises InputError naming the nearest right path."""
    plain = path.removesuffix("+")
    names = field_names()
    free = tuple(f"{where}model.{part}." for where in ("", "evaluation.judge.") for part in ("options", "parallel"))
    if plain in names or plain.startswith(free):
        if path.endswith("+") and plain != "prompt.edits":
            raise InputError(f"{path}: only prompt.edits can be appended to", field=path)
        return
    close = nearest(plain, names)
    hint = f"; did you mean {close}?" if close else "; `eyechart factors` lists all paths"
    raise InputError(f"there is no field {plain}{hint}", field=path)


def check_clashes(factors: Sequence[Factor]) -> None:
    """Two factors that would overwrite each other are refused."""
    seen: list[tuple[str, str]] = []
    names: set[str] = set()
    for factor in factors:
        if factor.name in names:
            raise InputError(f"two factors are named {factor.name}; rename one", field="factors")
        names.add(factor.name)
        for path in paths_of(factor):
            for other_path, other in seen:
                if _overlap(path, other_path):
                    raise InputError(
                        f"factors {other} and {factor.name} would overwrite each other: "
                        f"both write {path if len(path) >= len(other_path) else other_path}; drop one, "
                        "or make one factor whose levels set both",
                        field="factors",
                    )
            seen.append((path, factor.name))


def _overlap(a: str, b: str) -> bool:
    if a.endswith("+") and b.endswith("+"):
        return False  # appending twice overwrites nothing
    a, b = a.removesuffix("+"), b.removesuffix("+")
    return a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")


def put(spec: Spec, changes: Mapping[str, Any]) -> Spec:
    """`spec` with each path set to its value.

    >>> put(Spec(), {"decoding.temperature": 1}).decoding.temperature
    1.0

    Raises InputError for an unknown path or a value of the wrong kind.
    """
    plain = spec.stated()
    for path, value in changes.items():
        parts = path.removesuffix("+").split(".")
        node = plain
        for part in parts[:-1]:
            child = node.get(part)
            node[part] = dict(cast("Mapping[str, Any]", child)) if isinstance(child, Mapping) else {}
            node = node[part]
        if path.endswith("+"):
            node[parts[-1]] = [*node.get(parts[-1], ()), *_appended(value)]
        else:
            node[parts[-1]] = value
    try:
        return Spec.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        path = next(iter(changes)) if len(changes) == 1 else ".".join(str(p) for p in first["loc"])
        raise InputError(advice(first), field=path) from None


def _appended(value: Any) -> list[Any]:
    """What a level adds to a list: nothing, one thing, or several."""
    if value in (None, "none"):
        return []
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else [value]


_WANTED = {
    "string_type": "write a text (in quotes, if it looks like a number)",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "finite_number": "write a finite number",
    "dict_type": "write a mapping",
    "tuple_type": "write a list",
    "model_type": "write a mapping",
}


def advice(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors in the words of a person: what does not fit, and what to write instead."""
    kind = str(error["type"])
    if kind == "missing":
        return "must be stated"
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    wanted = _WANTED.get(kind)
    if wanted is None:
        wanted = str(error["msg"]).replace("Input should be", "write a value that is")
    return f"{value_of(error)} does not fit: {wanted}"


def value_of(error: Mapping[str, Any]) -> str:
    text = repr(error.get("input"))
    return text if len(text) <= 60 else text[:57] + "..."


def changes_of(factor: Factor, level: Any) -> dict[str, Any]:
    return {factor.path: level} if factor.path else dict(cast("Mapping[str, Any]", level))


def get(spec: Spec, path: str) -> Any:
    """What `spec` states at `path`; None where it states nothing."""
    node: Any = spec.stated()
    for part in path.removesuffix("+").split("."):
        if not isinstance(node, Mapping) or part not in node:
            return None
        node = cast("Mapping[str, Any]", node)[part]
    return node


def cell(spec: Spec, factors: Sequence[Factor], chosen: Sequence[int]) -> Cell:
    """The cell with level `chosen[i]` of factor `i`."""
    changes: dict[str, Any] = {}
    levels: list[tuple[str, str]] = []
    appended: list[Any] = []
    for factor, index in zip(factors, chosen, strict=True):
        name, level = factor.levels[index]
        levels.append((factor.name, name))
        for path, value in changes_of(factor, level).items():
            if path.endswith("+"):
                appended += _appended(value)
            else:
                changes[path] = value
    if appended:
        changes["prompt.edits+"] = appended
    return Cell(levels=tuple(levels), spec=put(spec, changes))
