"""What is seen alike and is not: byte-order mark and Unicode form."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

_MARK = "\ufeff"


@dataclass(frozen=True, kw_only=True)
class ByteOrderMark:
    """A byte-order mark (U+FEFF) in front, as files saved on Windows have; never a second one. Draws nothing.

    >>> ByteOrderMark().apply("Question:", rng=None)
    '\\ufeffQuestion:'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "first"
    random: ClassVar[bool] = False

    def apply(self, text: str, rng: Rng) -> str:
        return text if text.startswith(_MARK) else _MARK + text


Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


@dataclass(frozen=True, kw_only=True)
class UnicodeForm:
    """The prompt in a Unicode normal form (UAX #15). Draws nothing.

    `NFC` and `NFD` look alike: `é` is one code point or two. `NFKC` and `NFKD` also fold full-width
    letters, ligatures and superscripts, so that `2²` becomes `22`.

    >>> len(UnicodeForm(form="NFD").apply("é", rng=None)), UnicodeForm(form="NFKC").apply("Ａ２²", rng=None)
    (2, 'A22')
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    form: Form = "NFC"

    def __post_init__(self) -> None:
        one_of("form", self.form, get_args(Form))

    def apply(self, text: str, rng: Rng) -> str:
        return unicodedata.normalize(self.form, text)
