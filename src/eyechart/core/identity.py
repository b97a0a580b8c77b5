"""Canonical form, digest, and randomness keyed by purpose.

The canonical form of a value is JSON with sorted keys, no white space, ASCII only; `None`, empty
lists and empty mappings are omitted; a number is written by its value, so that 1 and 1.0 are one;
NaN and infinity are refused. Text is hashed as it stands: no Unicode form is imposed, since the
bytes of a prompt are part of the evaluation. A digest is SHA-256 of that text behind a tag that
names the form and its version (`s1:`, `e1:`, `r1:`, ...).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from numpy.random import Generator

    from eyechart.core.records import Call, Engine, Request, Response


def canonical(value: Any) -> Any:
    """The plain, ordered form of `value`: dict, list, str, int, float, bool.

    >>> canonical({"b": 1.0, "a": None, "c": (), "d": {"x": 2.5}})
    {'b': 1, 'd': {'x': 2.5}}

    Raises ValueError on NaN or infinity, TypeError on anything that has no plain form.
    """
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no canonical form: write a finite number, or leave the field out")
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, Mapping):
        out = {str(k): canonical(v) for k, v in cast("Mapping[Any, Any]", value).items() if not _absent(v)}
        return {k: v for k, v in out.items() if not _absent(v)}
    if isinstance(value, AbstractSet):
        return sorted(canonical(v) for v in cast("AbstractSet[Any]", value))
    if isinstance(value, Sequence):
        return [canonical(v) for v in cast("Sequence[Any]", value)]
    raise TypeError(f"{type(value).__name__} has no canonical form")


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping | tuple | list) and not value)


def canonical_json(value: Any) -> str:
    """One line of ASCII; equal for equal values.

    >>> canonical_json({"t": 0.30, "a": ["é", 1.0]})
    '{"a":["\\\\u00e9",1],"t":0.3}'
    """
    return json.dumps(canonical(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(tag: str, value: Any) -> str:
    """`tag:` and the SHA-256 of the canonical form, 64 hexadecimal digits.

    >>> digest("s1", {"a": 1}) == digest("s1", {"a": 1.0, "b": None})
    True
    """
    return _sha(tag, canonical_json(value))


def _sha(tag: str, text: str) -> str:
    return f"{tag}:" + hashlib.sha256((tag + "\n" + text).encode("ascii")).hexdigest()


def plain_json(body: Any) -> str:
    """The stored text of a body that is plain already (the hot path: one a request)."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def request_digest(request: Request) -> str:
    """What was sent. Parameters are typed, so 0.0 and 0 cannot both occur for one of them."""
    return request_text_digest(plain_json(request.body()))


def request_text_digest(text: str) -> str:
    """`request_digest` of a body that is written already."""
    return _sha("r1", text)


def engine_digest(engine: Engine) -> str:
    return digest("g1", engine.body())


def response_digest(response: Response) -> str:
    """Over the stored body, so that a changed byte in a store is found by `store verify`."""
    return response_text_digest(plain_json(response.body()))


def response_text_digest(text: str) -> str:
    """`response_digest` of a body that is written already."""
    return _sha("a1", text)


def call_key(request: str, engine: str, repeat: int) -> str:
    """The store's key: digest of request x engine x repeat."""
    return _sha("k1", f"{request}\n{engine}\n{repeat}")


def key_of(call: Call, engine: str) -> str:
    return call_key(request_digest(call.request), engine, call.repeat)


def short(digest_: str, length: int = 12) -> str:
    """A digest for the eye: the tag and the first hexadecimal digits.

    >>> short("s1:0123456789abcdef", 4)
    's1:0123'
    """
    tag, _, hexa = digest_.partition(":")
    return f"{tag}:{hexa[:length]}"


def seed_for(seed: int, *purpose: str | int) -> int:
    """A 31-bit seed for one purpose, e.g. `seed_for(42, item.id, repeat)`.

    Keyed, never drawn in sequence: a subset of items gets the same seeds as the whole.

    >>> seed_for(42, "item-7", 0) == seed_for(42, "item-7", 0)
    True
    >>> seed_for(42, "item-7", 0) == seed_for(42, "item-7", 1)
    False
    """
    text = "\x1f".join(str(part) for part in (seed, *purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def rng_for(seed: int, *purpose: str | int) -> Generator:
    """A NumPy generator keyed by seed and purpose; imported here alone, and lazily."""
    from numpy.random import Generator, Philox

    text = "\x1f".join(str(part) for part in (seed, *purpose))
    return Generator(Philox(key=int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")))
