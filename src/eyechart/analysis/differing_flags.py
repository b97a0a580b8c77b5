"""What to beware of when two evaluations are set side by side: findings beside the list of fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from eyechart.analysis.differing import Difference, Told, same
from eyechart.analysis.differing_rules import likeliest
from eyechart.core.findings import Finding, Severity
from eyechart.core.words import Text, message

BOS = ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "[BOS]", "<｜begin▁of▁sentence｜>",
       "<|endoftext|>", "<|bos|>")  # fmt: skip
"""How a text that holds the token of the beginning already starts. A turn marker (`<|im_start|>`) says nothing."""
DEAD = ("hash_full_prompts", "hash_input_tokens", "hash_cont_tokens")
"""Hashes that lighteval still writes and no longer fills from prompts."""
BLIND = ("task_hash",)
"""Hashes over items and prompts that do not cover how answers are decoded or read."""
SEEN = ("parameter_ignored", "template_twice", "served_other_model")
"""What replies may teach that belongs beside a list of fields: what was stated was not what was done."""
CHANCES = tuple(1 / k for k in range(2, 11))
DIGITS = 6e-4
"""How far a published score may be off, for the digits that are kept."""


def flags(
    a: Told, b: Told, found: Sequence[Difference], verdicts: tuple[int, int] | None = None
) -> tuple[Finding, ...]:
    """`verdicts`: how many pairs of answers to equal requests were compared, and in how many the verdict differs; None
    where that was not looked at.

    >>> greedy = {"decoding.temperature": 0.0}
    >>> a = Told(name="a", form="run", effective=greedy, stated={"decoding.seed": 1})
    >>> b = Told(name="b", form="run", effective=greedy, stated={"decoding.seed": 2})
    >>> [(f.id, f.state) for f in flags(a, b, (), (100, 3))]
    [('nondeterminism', 'broken')]
    """
    return (*_repeats_itself(a, b, verdicts), *_hashes(a, b, found), *_scale(a, b), *_each(a), *_each(b))


def _finding(name: str, evidence: Text, severity: Severity = "warning", subject: str | None = None) -> Finding:
    return Finding(
        id=name,
        state="broken",
        severity=severity,
        text=message(f"diff.flag.{name}"),
        evidence=evidence,
        remedy=message(f"diff.flag.{name}.remedy"),
        subject=subject,
    )


def _repeats_itself(a: Told, b: Told, verdicts: tuple[int, int] | None) -> Iterator[Finding]:
    """Equal requests, nothing drawn, other verdicts: the engine does not repeat itself."""
    if verdicts is None or not verdicts[1] or not (likeliest(a) and likeliest(b)):
        return
    seeds = [told.stated.get("decoding.seed", told.stated.get("repeats.seed")) for told in (a, b)]
    key = "diff.flag.nondeterminism.seen" if same(*seeds) else "diff.flag.nondeterminism.seeds"
    seen = {"n": verdicts[1], "of": verdicts[0], "a": str(seeds[0]), "b": str(seeds[1])}
    yield _finding("nondeterminism", message(key, **seen))


def _hashes(a: Told, b: Told, found: Sequence[Difference]) -> Iterator[Finding]:
    for path in a.further:
        last = path.rpartition(".")[2]
        if b.further.get(path) is None or not same(a.further[path], b.further[path]):
            continue
        if last in DEAD:
            yield _finding("dead_hash", message("diff.flag.dead_hash.seen", name=path), "note")
        moved = [one.path for one in found if one.kind == "scores"]
        if last in BLIND and moved:
            seen = message("diff.flag.blind_hash.seen", name=path, fields=", ".join(moved[:4]))
            yield _finding("blind_hash", seen, "note")


def _scale(a: Told, b: Told) -> Iterator[Finding]:
    """One score is the other above chance, whose chance is known: by the items, or one over the number of options."""
    for key in a.claims.keys() & b.claims.keys() or (
        (*a.claims, *b.claims) if len(a.claims) == len(b.claims) == 1 else ()
    ):
        x, y = a.claims.get(key, next(iter(a.claims.values()))), b.claims.get(key, next(iter(b.claims.values())))
        low, high = min(x, y), max(x, y)
        if not 0 <= low < high < 1:
            return
        chance = (high - low) / (1 - low)
        known = [told.chance for told in (a, b) if told.chance is not None]
        if not known and same(a.effective.get("model.name"), b.effective.get("model.name")):
            known = CHANCES  # of two models some pair of scores fits by accident
        if any(abs((high - one) / (1 - one) - low) <= DIGITS for one in known):
            seen = message("diff.flag.transform.seen", low=f"{low:.4g}", high=f"{high:.4g}", chance=f"{chance:.3g}")
            yield _finding("transform", seen)
        return


def _each(told: Told) -> Iterator[Finding]:
    if n := told.replies.get("double_bos"):
        yield _finding("double_bos", message("diff.flag.double_bos.replies", n=n), subject=told.name)
    elif (adds := _adds_bos(told)) is not False and (start := _opens(told.opening or "")) is not None:
        key = "diff.flag.double_bos.sent" if adds else "diff.flag.double_bos.perhaps"
        seen = message(key, start=start, setting="add_bos_token")
        yield replace(_finding("double_bos", seen, subject=told.name), state="broken" if adds else "unknown")
    for name, n in sorted(told.replies.items()):
        kind, _, what = name.partition(":")
        if kind in SEEN and n:
            seen = message(f"diff.flag.{kind}.seen", n=n, what=what)
            yield _finding(kind, seen, subject=told.name)
    if told.runtime.get("git.dirty") is True or any("not committed" in note for note in told.notes):
        yield _finding("dirty", message("diff.flag.dirty.seen"), "note", subject=told.name)
    for note in told.notes:
        if "replayed from a cache" in note:
            yield _finding("cached", note, subject=told.name)


def _adds_bos(told: Told) -> bool | None:
    """Whether a harness was told to put the token of the beginning in front of every text; None where it was told
    something that was not kept."""
    said = {str(v).lower() for path, v in told.further.items() if path.endswith("add_bos_token")}
    return True if "true" in said else None if said - {"false"} else False


def _opens(text: str) -> str | None:
    """The token of the beginning that `text` starts with.

    >>> _opens("<s>[INST] Hi"), _opens("Hi <s>")
    ('<s>', None)
    """
    found = re.match("|".join(map(re.escape, BOS)), text)
    return None if found is None else found[0]
