"""The line between the program and the asserts, and the stand-ins for what is no data.

The wire is a length (4 bytes, big-endian) and JSON; `Peer.encode` and `Peer.decode` say what stands for what.
"""

from __future__ import annotations

import builtins
import json
import os
import sys

from eyechart.sandbox.values import (
    CONTAINERS,
    DEEPEST,
    KNOWN,
    OPS,
    PLAIN,
    SCALARS,
    bare,
    describe,
    kind_of,
    mro,
    parts,
    refill,
    standard,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` costs a third of the start
    from collections.abc import Callable
    from typing import Any

LARGEST = 1 << 20
"""Bytes of the largest message."""
NUMERIC = ("bool", "int", "float", "index", "neg", "pos", "abs", "invert", "round", "contains")
SOLUTION: dict[str, Any] = {}


class Gone(BaseException):
    """The program's process ended, or what it sent cannot be used. No `except Exception` of the asserts stops it."""


class Foreign(BaseException):
    """The asserts would have to ask the program whether it is right."""


class Peer:
    """One end: asks the other, and serves it while waiting."""

    def __init__(self, fd: int, strict: bool) -> None:
        self.fd, self.strict = fd, strict
        self.lent: dict[int, Any] = {}
        self.proxies: dict[int, Any] = {}
        self.classes: dict[str, type[BaseException]] = {}
        self.trouble: str | None = None
        self.wanted: tuple[str, ...] = ()
        self.printed: Any = None

    # the wire

    def send(self, message: Any) -> None:
        data = json.dumps(message).encode()
        if len(data) > LARGEST:
            raise OverflowError(f"a value of more than {LARGEST} bytes")
        view = memoryview(len(data).to_bytes(4, "big") + data)
        while view:
            view = view[os.write(self.fd, view) :]

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self.fd, min(size, 1 << 16))
            if not part:
                raise Gone("the program ended the process")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def receive(self) -> Any:
        size = int.from_bytes(self._exactly(4), "big")
        if size > LARGEST:
            raise Gone("the program sent more than fits")
        return json.loads(self._exactly(size))

    # values

    def encode(self, value: Any, depth: int = 0) -> Any:
        kind = kind_of(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -(1 << 53) < value < 1 << 53 else ["i", hex(value)]
        if kind is float:
            return ["f", value.hex()]
        if kind is Proxy and object.__getattribute__(value, "peer") is self:
            return ["m", object.__getattribute__(value, "oid")]
        if depth < DEEPEST and (found := self._data(value, kind, depth + 1)) is not None:
            return found
        if isinstance(value, type) and issubclass(value, BaseException):
            return ["E", mro(value)]
        return ["o", self.lend(value), str(kind.__name__), not standard(kind)]

    def lend(self, value: Any) -> int:
        self.lent[id(value)] = value
        return id(value)

    def _data(self, value: Any, kind: Any, depth: int) -> Any:
        if kind is complex:
            return ["c", value.real.hex(), value.imag.hex()]
        if kind is bytes or kind is bytearray:
            return ["b" if kind is bytes else "y", value.hex()]
        if kind is range:
            return ["r", [self.encode(part) for part in (value.start, value.stop, value.step)]]
        if kind is dict:
            return ["d", [[self.encode(k, depth), self.encode(v, depth)] for k, v in value.items()]]
        for tag, container in CONTAINERS.items():
            if kind is container:
                return [tag, [self.encode(part, depth) for part in value]]
        return self._derived(value, kind, depth)

    def _derived(self, value: Any, kind: Any, depth: int) -> Any:
        """Types of the standard library by their parts, and subclasses that leave equality alone as their base."""
        name = (getattr(kind, "__module__", None), kind.__name__)
        if name in KNOWN and kind is getattr(sys.modules.get(str(name[0])), str(name[1]), None):
            return ["x", *name, self.encode(parts(value, kind.__name__), depth)]
        for base in PLAIN:
            if issubclass(kind, base):
                if kind.__eq__ is not base.__eq__ and kind.__name__ != "defaultdict":
                    return None
                fields = getattr(kind, "_fields", None)
                if base is tuple and type(fields) is tuple:
                    return ["n", kind.__name__, self.encode(fields), [self.encode(part, depth) for part in value]]
                return self.encode(bare(value, base), depth)
        return None

    def decode(self, wire: Any, depth: int = 0) -> Any:
        if wire is None or isinstance(wire, str | bool | int):
            return wire
        if depth > DEEPEST + 4:
            raise Gone("the program sent a value nested too deep")
        tag, first = wire[0], wire[1]
        if tag in CONTAINERS:
            items = [self.decode(part, depth + 1) for part in first]
            return range(*items) if tag == "r" else CONTAINERS[tag](items)
        if tag == "d":
            return {self.decode(k, depth + 1): self.decode(v, depth + 1) for k, v in first}
        if tag == "x" and (first, wire[2]) in KNOWN:
            content = self.decode(wire[3], depth + 1)
            made = getattr(__import__(first), wire[2])
            return made(content) if wire[2] in ("Counter", "OrderedDict", "deque") else made(*content)
        if tag == "n":
            made = __import__("collections").namedtuple(wire[1], self.decode(wire[2]))
            return made(*(self.decode(part, depth + 1) for part in wire[3]))
        if tag == "o":
            return self.proxies.setdefault(first, Proxy(self, first, str(wire[2])[:80], wire[3] is True))
        if tag == "E":
            return self.exception(first)
        return self.lent[first] if tag == "m" else SCALARS[tag](*wire[1:])

    # exceptions

    def exception(self, names: list[str]) -> type[BaseException]:
        """The built-in class of that name, or one of our own below the nearest built-in."""
        for name in names:
            base = getattr(builtins, name, None)
            if isinstance(base, type) and issubclass(base, BaseException):
                if name == names[0]:
                    return base
                if names[0] not in self.classes:
                    self.classes[names[0]] = type(names[0], (base,), {})
                return self.classes[names[0]]
        return Exception

    def rebuilt(self, names: list[str], args: Any, text: str) -> BaseException:
        kind = self.exception(names)
        try:
            error = kind(*self.decode(args))
        except Exception:
            error = RuntimeError(text)
        error.far = text  # type: ignore[attr-defined]
        return error

    # asking and serving

    def ask(self, op: str, *args: Any) -> Any:
        """The answer of the other side. Raises what it raised; Gone where there is no more other side."""
        arguments = list(args[1:2]) if op == "call" else []
        try:
            self.send(["?", op, [self.encode(arg) for arg in args]])
            while (reply := self.receive())[0] == "?":
                self.serve(reply)
            if reply[0] == "dead":
                raise Gone(str(reply[1])[:300])
            if reply[-1]:
                sys.stdout.write(str(reply[-1]))
            if reply[0] == "!":
                raise self.rebuilt(reply[1], reply[2], str(reply[3])[:300])
            for place, wire in reply[2]:
                refill(arguments[0][place], self.decode(wire))
            wire = reply[1]
            return arguments[0][wire[1]] if isinstance(wire, list) and wire[0] == "a" else self.decode(wire)
        except Gone as error:
            self.trouble = str(error)
            raise
        except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
            if getattr(error, "far", None) is not None:
                raise
            self.trouble = f"the program's answer cannot be used ({type(error).__name__})"
            raise Gone(self.trouble) from None

    def serve(self, message: Any) -> None:
        try:
            args = [self.decode(arg) for arg in message[2]]
            before: list[Any] = message[2][1][1] if message[1] == "call" else []
            value = self.perform(message[1], args)
            changed = [[i, after] for i, arg in enumerate(args[1])
                       if isinstance(arg, list | dict | set | bytearray) and (after := self.encode(arg)) != before[i]
                       ] if message[1] == "call" else []  # fmt: skip
            same = [i for i, arg in enumerate(args[1]) if value is arg and isinstance(arg, list | dict | set)
                    ] if message[1] == "call" else []  # fmt: skip
            self.send(["=", ["a", same[0]] if same else self.encode(value), changed, self.echo()])
        except Gone:
            raise
        except BaseException as error:
            try:
                args = self.encode(tuple(arg for arg in error.args if isinstance(arg, str | int | float | bytes)))
                self.send(["!", mro(type(error)), args, describe(error), self.echo()])
            except BaseException:
                self.send(["!", ["Exception"], ["t", []], "an error that cannot be shown", ""])

    def echo(self) -> str:
        """What has been printed since it was last asked; only where the asserts look at it."""
        if self.printed is None:
            return ""
        text = str(self.printed.getvalue())
        self.printed.seek(0)
        self.printed.truncate()
        return text[: LARGEST // 8]

    def perform(self, op: str, args: list[Any]) -> Any:
        if op == "call":
            return args[0](*args[1], **args[2])
        if op == "op":
            return OPS[args[0]](*args[1:])
        if self.strict and (type(args[0]).__module__ != "asserts" or str(args[1]).startswith("_")):
            raise AttributeError(f"{args[1]} is not for the program to see")
        if op == "attr":
            return getattr(args[0], args[1])
        if op == "set":
            return setattr(*args)
        if op == "name":
            return SOLUTION[args[0]]
        raise ValueError(op)


class Proxy:
    """Stands for an object of the other side."""

    def __init__(self, peer: Peer, oid: int, kind: str, own: bool) -> None:
        for name, value in (("peer", peer), ("oid", oid), ("kind", kind), ("own", own)):
            object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return peer_of(self).ask("call", self, list(args), named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return peer_of(self).ask("attr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        peer_of(self).ask("set", self, name, value)

    def __await__(self) -> Any:
        return peer_of(self).ask("op", "await", self)
        yield

    def __instancecheck__(self, value: Any) -> bool:
        return type(value) is Proxy and bool(peer_of(self).ask("op", "isinstance", value, self))


def peer_of(proxy: Proxy) -> Peer:
    return object.__getattribute__(proxy, "peer")


def passed_on(op: str) -> Callable[..., Any]:
    def method(self: Proxy, *args: Any) -> Any:
        if op in NUMERIC:
            data_wanted(self)
        if op == "exit":
            args = (args[0], tuple(each for each in getattr(args[1], "args", ()) if kind_of(each) in (str, int)), None)
        return peer_of(self).ask("op", op, self, *args)

    return method


def data_wanted(proxy: Proxy) -> None:
    """A number or a truth is asked of an object: of a type that the program has made up, that is no result."""
    peer, own, kind = (object.__getattribute__(proxy, name) for name in ("peer", "own", "kind"))
    named = kind in peer.wanted and kind[:1].isupper()  # a class that is asked for may have a length or a truth
    if peer.strict and own and not named:
        peer.trouble = f"returned an object of its own type {kind}, where data is wanted"
        raise Foreign(peer.trouble)


def between(op: str, swapped: bool = False) -> Callable[..., Any]:
    """An operator that the asserts pass on between two stand-ins only: else the program would judge itself."""

    def method(self: Proxy, other: Any) -> Any:
        peer = peer_of(self)
        if type(other) is not Proxy:
            if op in ("eq", "ne") and (other is None or not peer.strict):
                return op == "ne"
            if peer.strict:
                kind = object.__getattribute__(self, "kind")
                peer.trouble = f"returned an object of its own type {kind}, where data is compared"
                raise Foreign(peer.trouble)
        return peer.ask("op", op, other, self) if swapped else peer.ask("op", op, self, other)

    return method


for _op in ("getitem", "setitem", "delitem", "len", "iter", "next", "str", "repr", "hash", "reversed", "enter", "exit",
            *NUMERIC):  # fmt: skip
    setattr(Proxy, f"__{_op}__", passed_on(_op))
for _op in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_",
            "or_", "xor", "matmul"):  # fmt: skip
    setattr(Proxy, f"__{_op.rstrip('_')}__", between(_op))
    if _op not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Proxy, f"__r{_op.rstrip('_')}__", between(_op, swapped=True))
