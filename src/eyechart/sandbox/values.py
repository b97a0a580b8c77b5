"""What passes between the two sides as plain data, and what can be asked of what does not."""

from __future__ import annotations

import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` costs a third of the start
    from collections.abc import Callable
    from typing import Any

DEEPEST = 60
"""Levels of nesting of the deepest value; what is deeper, or contains itself, stays where it is."""

CONTAINERS: dict[str, Any] = {"l": list, "t": tuple, "s": set, "z": frozenset, "r": range}
PLAIN: tuple[Any, ...] = (int, float, str, bytes, list, tuple, dict, set, frozenset, complex)
KNOWN = {("fractions", "Fraction"), ("decimal", "Decimal"), ("datetime", "date"), ("datetime", "datetime"),
         ("datetime", "timedelta"), ("collections", "Counter"), ("collections", "OrderedDict"),
         ("collections", "deque")}  # fmt: skip


def bare(value: Any, base: Any) -> Any:
    """The data in a value of a type derived from `base`, past whatever that type says of itself."""
    name: str = base.__name__
    if name in ("set", "frozenset"):
        return base.__or__(base(), value)
    if name in ("tuple", "bytes"):
        return base.__getitem__(value, slice(None))
    return getattr(base, "copy" if name in ("list", "dict") else f"__{name}__")(value)


def entered(value: Any) -> Any:
    return kind_of(value).__enter__(value)


def left(value: Any, kind: Any, error: Any, _: None) -> Any:
    """`error` is what the exception was made with."""
    return kind_of(value).__exit__(value, kind, kind(*error) if kind else None, None)


def awaited(value: Any) -> Any:
    return __import__("asyncio").run(waiting(value))


async def waiting(value: Any) -> Any:
    return await value


OPS: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in ("getitem", "setitem", "delitem", "index", "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_",
                 "or_", "xor", "matmul", "neg", "pos", "abs", "invert", "contains", "eq", "ne", "lt", "le", "gt", "ge")
} | {kind.__name__: kind for kind in (len, iter, next, bool, str, repr, int, float, hash, round, reversed, isinstance)
} | {"enter": entered, "exit": left, "await": awaited}  # fmt: skip
FLAGS: Callable[[Any], int] = type.__dict__["__flags__"].__get__
MADE = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: a class made at run time, by a `class` statement among others."""


def parts(value: Any, name: str) -> Any:
    if name in ("Counter", "OrderedDict"):
        return dict(value)
    if name == "deque":
        return list(value)
    if name == "Fraction":
        return (value.numerator, value.denominator)
    if name == "Decimal":
        return (str(value),)
    if name == "timedelta":
        return (value.days, value.seconds, value.microseconds)
    date = (value.year, value.month, value.day)
    return (*date, value.hour, value.minute, value.second, value.microsecond) if name == "datetime" else date


def refill(old: Any, new: Any) -> None:
    """The argument as the call left it; only ever one of the same kind."""
    if type(old) is not type(new):
        raise TypeError
    if isinstance(old, list | bytearray):
        old[:] = new
    else:
        old.clear()
        old.update(new)


def mro(kind: type) -> list[str]:
    return [str(each.__name__) for each in kind.__mro__][:20]


def describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {str(error)[:200]}"
    except BaseException:
        return "an error that cannot be shown"


def kind_of(value: Any) -> Any:
    return type(value)  # pyright: ignore[reportUnknownVariableType]


def standard(kind: Any) -> bool:
    """Whether `kind` is of the interpreter or the standard library, and not made up by the program."""
    if not FLAGS(kind) & MADE:
        return True
    name = getattr(kind, "__module__", None)
    return name in sys.stdlib_module_names and getattr(sys.modules.get(str(name)), kind.__name__, None) is kind


def integer(text: str) -> int:
    return int(text, 16)


def imaginary(real: str, imag: str) -> complex:
    return complex(float.fromhex(real), float.fromhex(imag))


SCALARS: dict[str, Callable[..., Any]] = {
    "i": integer,
    "f": float.fromhex,
    "c": imaginary,
    "b": bytes.fromhex,
    "y": bytearray.fromhex,
}
