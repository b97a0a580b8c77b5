"""Arrays as text: what a store keeps of distributions and attention.

float32, little-endian, C order, behind the shape, in base64: `1x3:...`. What goes in comes out bit for bit.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray


def pack(values: NDArray[np.floating]) -> str:
    """
    >>> pack(np.array([[0.5, -1.0]], dtype=np.float32))
    '1x2:AAAAPwAAgL8='
    """
    plain = np.ascontiguousarray(values, dtype="<f4")
    return "x".join(str(n) for n in plain.shape) + ":" + b64encode(plain.tobytes()).decode()


def unpack(text: str) -> NDArray[np.float32]:
    """
    >>> unpack("1x2:AAAAPwAAgL8=").tolist()
    [[0.5, -1.0]]

    Raises ValueError for a text that `pack` did not write.
    """
    shape, _, body = text.partition(":")
    return np.frombuffer(b64decode(body, validate=True), dtype="<f4").reshape([int(n) for n in shape.split("x")])
