"""The errors that a person sees: one clear line each, and the exit code that goes with it.

EyechartError            exit code 2 unless it says otherwise
├── InputError           wrong usage or input: what is wrong, where, what to write instead
├── MissingExtra         an optional package is absent: names the extra to install
├── TooManyFailures      ran, but too little came back to say anything (exit code 3)
└── Stopped              by budget or interrupt; the same command goes on (exit code 4)
"""

from __future__ import annotations


class EyechartError(Exception):
    exit_code = 2


class InputError(EyechartError):
    """`file`, `line` and `field` say where, when they are known.

    >>> print(InputError("write a number", file="a.yaml", line=3, field="decoding.top_p"))
    a.yaml:3: decoding.top_p: write a number
    """

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        self.message, self.file, self.line, self.field = message, file, line, field
        where = ":".join(str(part) for part in (file, line) if part is not None)
        super().__init__(": ".join(part for part in (where, field, message) if part))


class MissingExtra(EyechartError):
    """
    >>> print(MissingExtra("the embedded model", "openvino", "local"))
    the embedded model needs the package openvino: pip install 'eyechart[local]'
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs the package {package}: pip install 'eyechart[{extra}]'")


class TooManyFailures(EyechartError):
    exit_code = 3


class Stopped(EyechartError):
    exit_code = 4
