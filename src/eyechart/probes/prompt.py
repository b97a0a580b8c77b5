"""The prompt probe: what a change of wording, or of the build of a model, does behind the prompt.

Two wordings are compared at the *decisive positions*: behind the prompt; where the two greedy paths part; and at the
first token of the answer that was read, where the paths are the same up to there. Behind the parting the texts differ,
and nothing there is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from eyechart.core.flows import Came, Flow
from eyechart.core.records import Candidate, Capabilities, Estimate, Failure, NotEstimable, PathStep, Response
from eyechart.probes.attention import NAME as ATTENTION
from eyechart.probes.attention import attention_change
from eyechart.probes.decoding import prompt_of
from eyechart.probes.prompt_values import (
    AttentionChange,
    Failed,
    Family,
    OptionShift,
    Pair,
    Position,
    Question,
    Side,
    counted,
)
from eyechart.probes.seen import NOT_HERE, Kind, Place, Seen, deepen, gather, given, places, whole_of
from eyechart.stats.divergence import (
    Divergence,
    Floats,
    SeenDivergence,
    bits,
    divergence,
    entropy,
    seen,
    seen_divergence,
)
from eyechart.stats.intervals import mean_clustered, wilson
from eyechart.stats.packed import unpack

SHOWN = 5
"""Likeliest tokens kept of each side."""


def probe(
    pairs: Sequence[tuple[str, Question, Question]], able: Capabilities, *, attention: bool = True
) -> Flow[tuple[Pair | Failed, ...]]:
    """All pairs of (name of the change, first wording, second wording), put to one model."""
    sides = yield from gather([q for _, a, b in pairs for q in (a, b)], able, attention=attention)
    firsts, seconds = sides[::2], sides[1::2]
    spots = [places(a, b) for a, b in zip(firsts, seconds, strict=True)]
    deep = yield from deepen([(side, spots[i // 2]) for i, side in enumerate(sides)], able)
    return tuple(
        compare(change, a, b, spots[i], (deep[2 * i], deep[2 * i + 1]))
        for i, ((change, _, _), a, b) in enumerate(zip(pairs, firsts, seconds, strict=True))
    )


def compare(
    change: str,
    a: Seen,
    b: Seen,
    spots: Sequence[Place],
    deep: tuple[Mapping[int, Came], Mapping[int, Came]],
    apart: str | None = None,
    *,
    builds: bool = False,
) -> Pair | Failed:
    """Two sides that were asked. `apart`: why their tokens are not those of one vocabulary; None where they are.
    `builds`: the sides were put to two models, so that the same prompt is no sign of the same question."""
    item = a.question.item.id if a.question.item is not None else None
    for side in (a, b):
        if side.failure is not None:
            return Failed(change=change, item=item, reason=f"{side.question.name}: {side.failure.reason}")
    return Pair(
        change=change,
        item=item,
        cluster=a.question.item.cluster if a.question.item is not None else None,
        a=_side(a),
        b=_side(b),
        positions=tuple(_position(place, a, b, deep, apart) for place in spots),
        options=_options(a, b),
        attention=_attention(a, b, apart),
        same_prompt=not builds and a.question.request == b.question.request,
    )


def other_vocabulary(a: Seen, b: Seen) -> str | None:
    """Why the tokens of two models are not those of one vocabulary; None where nothing speaks against it."""
    whole = whole_of(a.came.get("next")), whole_of(b.came.get("next"))
    if whole[0] is not None and whole[1] is not None and whole[0].size != whole[1].size:
        return f"the vocabularies have {whole[0].size:,} and {whole[1].size:,} tokens"
    known: list[dict[str, int]] = []
    for side in (a, b):
        response = side.response("next") or side.response("top") or side.response("answer")
        rows = zip(response.pieces or (), response.prompt_ids or (), strict=False) if response else ()
        known.append({piece: number for piece, number in rows if "\ufffd" not in piece})
    if any(known[1].get(piece, number) != number for piece, number in known[0].items()):
        return "the same tokens have other numbers: two vocabularies"
    return None


def summary(pairs: Sequence[Pair], failed: Sequence[Failed]) -> tuple[Family, ...]:
    """Each change over its items, the largest mean divergence first."""
    out = [_family(c, [p for p in pairs if p.change == c], failed) for c in counted(pairs, failed)]
    known = [isinstance(f.divergence, Estimate) and f.divergence.value for f in out]
    return tuple(f for _, f in sorted(zip(known, out, strict=True), key=lambda row: -float(row[0])))


def first_divergence(pair: Pair) -> tuple[float, bool] | None:
    """Jensen-Shannon behind the prompt in bits, and whether it is only a lower bound; None where it is not known."""
    between = pair.positions[0].between
    if isinstance(between, Divergence):
        return bits(between.jensen_shannon), False
    return (bits(between.jensen_shannon.low), True) if isinstance(between, SeenDivergence) else None


def _family(change: str, pairs: Sequence[Pair], failed: Sequence[Failed]) -> Family:
    shown = [(pair, found) for pair in pairs if (found := first_divergence(pair)) is not None]
    known = [found for _, found in shown]
    reasons = [p.positions[0].between.reason for p in pairs if isinstance(p.positions[0].between, NotEstimable)]
    mean: Estimate | NotEstimable = NotEstimable(name="divergence", reason=reasons[0] if reasons else "no items")
    if known:
        values = np.clip([value for value, _ in known], 0.0, 1.0)
        clusters = [pair.cluster or f"item {pair.item}" for pair, _ in shown]
        mean = mean_clustered(values, clusters if any(pair.cluster for pair, _ in shown) else None, name="divergence")
        if isinstance(mean, NotEstimable) and len(known) == 1:
            mean = Estimate(name="divergence", value=float(values[0]), n=1, warnings=(mean.reason,))
    flips = sum(pair.flips for pair in pairs)
    return Family(
        change=change,
        n=len(pairs),
        failed=sum(f.change == change for f in failed),
        same_prompt=sum(pair.same_prompt for pair in pairs),
        divergence=mean,
        bound=any(bound for _, bound in known),
        flips=flips,
        flip_rate=wilson(flips, len(pairs)) if pairs else None,
        gained=sum(pair.turned == 1 for pair in pairs),
        lost=sum(pair.turned == -1 for pair in pairs),
    )


def _side(side: Seen) -> Side:
    response = side.response("next") or side.response("attention") or side.response("answer")
    answer = side.response("answer")
    return Side(
        name=side.question.name,
        prompt=prompt_of(side.question.request),
        pieces=response.pieces if response else None,
        given=given(side),
        text=answer.text if answer else None,
    )


def _position(
    place: Place, a: Seen, b: Seen, deep: tuple[Mapping[int, Came], Mapping[int, Came]], apart: str | None
) -> Position:
    whole = [_deep(side, place, found) for side, found in zip((a, b), deep, strict=True)]
    steps = [side.path[place.step] if place.step < len(side.path) else None for side in (a, b)]
    first, second = ((step.candidates[:SHOWN] if step else ()) for step in steps)
    one, two = (
        entropy(w) if w is not None else (step.entropy if step else None) for w, step in zip(whole, steps, strict=True)
    )
    return Position(
        where=place.where,
        step=place.step,
        between=_between(whole, steps, apart),
        top=(first, second),
        entropies=(one, two),
    )


def _deep(side: Seen, place: Place, found: Mapping[int, Came]) -> Floats | None:
    """The whole distribution at a place; None where it is not shown, or where the prompt and what was generated
    are other tokens when they are put together."""
    if place.step == 0:
        return whole_of(side.came.get("next"))
    response, answer = found.get(place.step), side.response("answer")
    if not isinstance(response, Response) or answer is None or answer.prompt_ids is None:
        return None
    done = tuple(step.id for step in side.path[: place.step])
    return whole_of(response) if response.prompt_ids == answer.prompt_ids + done else None


def _between(
    whole: Sequence[Floats | None], steps: Sequence[PathStep | None], apart: str | None
) -> Divergence | SeenDivergence | NotEstimable:
    name = "divergence"
    if apart is not None:
        return NotEstimable(name=name, reason=f"{apart}; only options can be compared")
    one, two = whole
    if one is not None and two is not None:
        if np.array_equal(one, two):  # exactly nothing, where rounding would leave 1e-17
            same = entropy(one)
            return Divergence(
                forward=0.0, backward=0.0, jensen_shannon=0.0, total_variation=0.0, entropies=(same, same)
            )
        return divergence(one, two)
    first, second = ((step.candidates if step else ()) for step in steps)
    if not first or not second:
        return NotEstimable(name=name, reason=NOT_HERE)
    if any(c.id is None for c in (*first, *second)):
        first, second = ([Candidate(c.token, c.logprob) for c in row] for row in (first, second))
    return seen_divergence(seen(first), seen(second))


def _options(a: Seen, b: Seen) -> tuple[OptionShift, ...] | NotEstimable:
    name = "options"
    rows: list[dict[str, float]] = []
    moved = (a.question.item and a.question.item.choices) != (b.question.item and b.question.item.choices)
    for side in (a, b):
        content = _content(side.question)
        kind: Kind = "answer" if side.question.request.elicit == "options" else "options"
        texts = side.question.request.options or side.question.options
        response = side.response(kind)
        if not texts:
            return NotEstimable(name=name, reason="the question has no options")
        if response is None or response.option_logprobs is None:
            failed = side.came.get(kind)
            reason = failed.reason if isinstance(failed, Failure) else "not measurable here: no option is scored"
            return NotEstimable(name=name, reason=reason)
        named = [content(text) for text in texts] if moved else texts
        rows.append({text: sum(tokens) for text, tokens in zip(named, response.option_logprobs, strict=True)})
    one, two = rows
    if set(one) != set(two):
        return NotEstimable(name=name, reason="the two are asked with other options")
    shares = [_shares([row[text] for text in one]) for row in (one, two)]
    return tuple(
        OptionShift(text=text, logprobs=(one[text], two[text]), shares=(shares[0][i], shares[1][i]))
        for i, text in enumerate(one)
    )


def _content(question: Question) -> Callable[[str], str]:
    """What an option says, where it is asked for by its letter: letters mean other options where these moved."""
    item, labels = question.item, question.labels
    if item is None or len(labels) != len(item.choices):
        return str.strip
    says = dict(zip(labels, item.choices, strict=True))
    return lambda text: says.get(text.strip(), text.strip())


def _shares(logs: Sequence[float]) -> list[float]:
    raised = np.exp(np.array(logs) - max(logs))
    return [float(x) for x in raised / raised.sum()]


def _attention(a: Seen, b: Seen, apart: str | None) -> AttentionChange | NotEstimable:
    one, two = a.came.get("attention"), b.came.get("attention")
    for found in (one, two):
        if isinstance(found, Failure):
            return NotEstimable(name=ATTENTION, reason=found.reason)
    if not isinstance(one, Response) or not isinstance(two, Response) or not one.attention or not two.attention:
        return NotEstimable(
            name=ATTENTION,
            reason="not measurable here: this backend shows no attention (Transformers does: model.options.attention: eager)",
        )
    if apart is not None or one.pieces is None or two.pieces is None:
        return NotEstimable(name=ATTENTION, reason=apart or "the backend does not show the tokens of the prompt")
    return attention_change(unpack(one.attention), unpack(two.attention), one.pieces, two.pieces)
