"""What a prompt probe finds: two wordings of one question, or one wording put to two builds of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.core.effective import Reading
from eyechart.core.records import Candidate, Estimate, Interval, Item, NotEstimable, Outcome, Request
from eyechart.probes.wording import Change, Unit
from eyechart.stats.divergence import Divergence, SeenDivergence

Where = Literal["first", "parting", "answer"]
"""A decisive position. `first`: behind the prompt. `parting`: where the two greedy paths part, if not at once.
`answer`: the first token of what was read as the answer, if the paths are the same up to there."""


Minimal = Literal["minimum", "minimal", "1-minimal", "unfinished"]
"""How small a change is. `minimum`: no smaller number of parts does it. `minimal`: no proper part of it does, all were
tried. `1-minimal`: none of its parts can be left out alone. Of these two another choice of fewer may exist.
`unfinished`: it does it, and the search was given up before it was made smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One wording of one question, as it is asked."""

    name: str
    request: Request
    """As the evaluation asks it: `generate` or `options`; `next` where only the next token is the answer."""
    options: tuple[str, ...] = ()
    """Continuations whose probabilities are wanted beside; for `request.elicit == "options"` its own."""
    item: Item | None = None
    """As prepared; None for a bare text, whose answer is its likeliest option, or its likeliest next token."""
    labels: tuple[str, ...] = ()
    reading: Reading | None = None
    """How the answer is read; None for a bare text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The answer of one wording."""

    answer: str | None
    """By content: where labels were read, the text of the option. None: none was found."""
    reason: str | None = None
    """Why none was found."""
    outcome: Outcome | None = None
    """None for a bare text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one wording showed."""

    name: str
    prompt: str
    pieces: tuple[str, ...] | None
    """Its tokens, where the backend shows them."""
    given: Given
    text: str | None
    """What was generated, greedily; None where nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The distribution of the next token at one decisive position, on both sides."""

    where: Where
    step: int
    """Tokens generated before it, the same on both sides."""
    between: Divergence | SeenDivergence | NotEstimable
    """In nats. `SeenDivergence`: bounds, because only the likeliest tokens are visible."""
    top: tuple[tuple[Candidate, ...], tuple[Candidate, ...]]
    """The likeliest tokens of each side; empty where none is visible."""
    entropies: tuple[float | None, float | None]
    """In nats; None where not all of a distribution is visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionShift:
    """One option, before and after."""

    text: str
    logprobs: tuple[float, float]
    """Of the whole option behind the prompt, natural."""
    shares: tuple[float, float]
    """Its probability among the options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A token of the prompts and how much the last position looks at it, mean over layers and heads."""

    text: str
    weights: tuple[float | None, float | None]
    """In [0, 1]; None on the side that lacks the token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """How far the attention of one layer moved: total variation over aligned tokens, in [0, 1]."""

    layer: int
    mean: float
    """Over its heads."""
    head: int
    """The head that moved most."""
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionChange:
    tokens: tuple[Looked, ...]
    """In the order of the prompts, aligned."""
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Smallest:
    """A smallest part of a change that still changes the answer."""

    kind: Literal["change", "deletion"]
    unit: Unit
    chosen: tuple[Change, ...]
    of: int
    """Parts of the whole change, or units that could be left out."""
    prompt: str
    """The first wording with only the chosen parts."""
    before: Given
    after: Given
    looks: int
    """Prompts that were tried, the two ends included."""
    minimal: Minimal
    also: tuple[Change, ...] = ()
    """Of a deletion of one unit: the other units that do it alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two wordings of one question, or one wording and two builds."""

    change: str
    """What sets `b` apart from `a`: the name of an edit, or of `b`."""
    item: str | None
    cluster: str | None
    """Items that share a passage; None where the item stands alone."""
    a: Side
    b: Side
    positions: tuple[Position, ...]
    options: tuple[OptionShift, ...] | NotEstimable
    attention: AttentionChange | NotEstimable
    smallest: Smallest | NotEstimable | None = None
    """None: not looked for."""
    same_prompt: bool = False
    """Both sides were asked the very same: the change does not touch this question."""

    @property
    def flips(self) -> bool:
        """Whether the answer differs, by content; no answer beside an answer differs as well."""
        return self.a.given.answer != self.b.given.answer

    @property
    def turned(self) -> int:
        """1: wrong before and right after; -1: the other way; 0: neither, or not known."""
        right = [side.given.outcome is Outcome.CORRECT for side in (self.a, self.b)]
        known = [side.given.outcome is not None and side.given.outcome.counted for side in (self.a, self.b)]
        return int(right[1]) - int(right[0]) if all(known) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A pair that could not be had, because a call failed."""

    change: str
    item: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One change over all items."""

    change: str
    n: int
    """Pairs that were answered on both sides."""
    failed: int
    same_prompt: int
    """Pairs of which both sides were asked the very same; they are counted, with a divergence of 0."""
    divergence: Estimate | NotEstimable
    """Mean Jensen-Shannon divergence behind the prompt, in bits, in [0, 1]; over items as a sample."""
    bound: bool
    """True: each is only a lower bound, since only the likeliest tokens are visible."""
    flips: int
    flip_rate: Interval | None
    """Wilson; None without items."""
    gained: int
    lost: int
    """Verdicts that became right, and that became wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """One wording by itself, and what can be left out of it so that the answer changes."""

    item: str | None
    name: str
    prompt: str
    smallest: Smallest | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptProbe:
    """What the probe found."""

    pairs: tuple[Pair, ...] = ()
    families: tuple[Family, ...] = ()
    failed: tuple[Failed, ...] = ()
    alone: tuple[Alone, ...] = ()
    notes: tuple[str, ...] = ()


def counted(pairs: Sequence[Pair], failed: Sequence[Failed]) -> tuple[str, ...]:
    """Names of the changes, in the order in which they first appear.

    >>> counted((), (Failed(change="typos", item="1", reason="timeout"),))
    ('typos',)
    """
    return tuple(dict.fromkeys([p.change for p in pairs] + [f.change for f in failed]))
