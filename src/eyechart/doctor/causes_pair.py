"""Causes that take two evaluations to see: other items, another key, copied outputs, unlike verdicts on like texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from shlex import quote

from eyechart.core.records import Estimate, Outcome
from eyechart.doctor.case import Case, Diagnosis, Experiment, Fact, Side, Strength, fact, ids, points
from eyechart.doctor.causes_data import asked_of, gold_of
from eyechart.doctor.fields import Difference, differences, shown, stated_apart, written
from eyechart.doctor.gap import Gap
from eyechart.stats.multiple import holm
from eyechart.stats.paired import mcnemar_exact

COPIED = 20
"""Shared answers from which equality of all of them says something."""
WRONG = 5
"""Wrong answers that two models gave alike."""
LINES = 4


def between(case: Case, gap: Gap) -> Iterator[Diagnosis]:
    """Everything that differs and can explain the difference."""
    a, b = case.a, case.b
    if b is None:
        return
    found = differences(a, b)
    fields = [
        *_items(a, b, gap),
        *_key(a, b, gap),
        *_pool(a, b, gap, found),
        *_fields(a, b, gap, found),
        *_versions(a, b, gap),
    ]
    # Other items cannot move the score of the shared ones, which is what is called more than noise.
    named = {d.cause for d in fields if d.cause not in ("items_differ", "first_n")} | {d.cause for d in found}
    if gap.flips and len(named) == 1 and (named == {"shots_pool"} or not _pools_apart(a, b)):
        alone = fact("only") if gap.beyond else fact("only_within")
        fields = [replace(d, facts=(*d.facts, alone)) if d.cause in named else d for d in fields]
    yield from fields
    yield from _copies(a, b, gap, found)
    yield from _same_asked(a, b, gap, found)
    yield from _verdicts(a, b, gap, found)
    yield from _tasks(a, b, gap)


def _pools_apart(a: Side, b: Side) -> bool:
    """Whether shots may come from other pools: a file elsewhere may hold the same ones."""
    one, other = (side.section("dataset").get("splits") for side in (a, b))
    return one != other and bool(a.asking.get("prompt", {}).get("few_shot"))


def explain(a: Side, b: Side) -> Experiment:
    """`explain` mixes the evaluations: with k fields that need calls, at most 2^k - 2 mixtures are new."""
    fields = stated_apart(a, b)
    # The model of a foreign log is not here to be asked; and one field leaves nothing to divide.
    if a.foreign is not None or b.foreign is not None or fields <= 1:
        return flips(a, b)
    calls = max(a.calls, b.calls) * max(0, 2**fields - 2) if fields <= 4 else None
    return Experiment(what="explain", command=f"eyechart explain {quote(a.name)} {quote(b.name)}", calls=calls)


def flips(a: Side, b: Side) -> Experiment:
    """Stored answers beside each other: no call."""
    return Experiment(what="flips", command=f"eyechart flips {quote(a.name)} {quote(b.name)}", calls=0)


def _items(a: Side, b: Side, gap: Gap) -> Iterator[Diagnosis]:
    only_a, only_b = (
        [n for n in a.items if n not in gap.twins],
        [n for n in b.items if n not in set(gap.twins.values())],
    )
    changed = [x for x, y in gap.twins.items() if asked_of(a.items[x]) != asked_of(b.items[y])]
    total = len(gap.twins) + len(only_a) + len(only_b)
    explains = None
    if gap.all_items is not None and isinstance(gap.change, Estimate):
        explains = gap.all_items - gap.change.value
    if changed:
        facts = (fact("texts_differ", n=len(changed), of=len(gap.twins), items=ids(changed)),)
        yield _made("data_version", facts, explain(a, b), len(changed) / max(1, total))
    if not only_a and not only_b:
        return
    share = (len(only_a) + len(only_b)) / max(1, total)
    facts = [fact("items_differ", a=len(only_a), b=len(only_b), shared=len(gap.twins))]
    if explains is not None and gap.all_items is not None:
        facts.append(fact("items_explain", all=points(gap.all_items), shared=points(gap.all_items - explains)))
    for one, other, flip in ((a, b, False), (b, a, True)):
        line = _first_n(one, other, gap, flip)
        if line:
            yield _made("first_n", (*facts, line), explain(a, b), share, explains=explains)
            return
    yield _made("items_differ", tuple(facts), explain(a, b), share, explains=explains)


def _first_n(whole: Side, part: Side, gap: Gap, flip: bool) -> Fact | None:
    """Whether the items of `part` are the first of `whole`, and miss some of its groups."""
    twins = {y: x for x, y in gap.twins.items()} if flip else gap.twins
    n = len(part.items)
    if n >= len(whole.items) or len(twins) < n or not all(name in twins for name in list(whole.items)[:n]):
        return None
    groups, kept = ({item.group for item in side.items.values()} for side in (whole, part))
    if len(groups) > 1 and len(kept) == len(groups):
        return None
    return fact("first_n", n=n, of=len(whole.items), groups=len(kept), all=len(groups), name=part.name)


def _key(a: Side, b: Side, gap: Gap) -> Iterator[Diagnosis]:
    other = [x for x, y in gap.twins.items() if gold_of(a.items[x]) != gold_of(b.items[y])]
    if not other:
        return
    first = other[0]
    said = {"one": " | ".join(a.items[first].gold)[:60], "other": " | ".join(b.items[gap.twins[first]].gold)[:60]}
    facts = [fact("key_differs", n=len(other), of=len(gap.twins), item=first, items=ids(other), **said)]
    same = set(gap.twins).difference(other)
    rest = [b.means[gap.twins[x]] - a.means[x] for x in same if x in a.means and gap.twins[x] in b.means]
    explains = None
    if rest and isinstance(gap.change, Estimate):
        explains = gap.change.value - sum(rest) / len(rest)
        facts.append(fact("key_explains", all=points(gap.change.value), rest=points(sum(rest) / len(rest))))
    yield _made("key_differs", tuple(facts), flips(a, b), len(other) / len(gap.twins), explains=explains)


def _fields(a: Side, b: Side, gap: Gap, found: tuple[Difference, ...]) -> Iterator[Diagnosis]:
    """One diagnosis a group of differing fields, where any verdict or answer differs at all."""
    if not gap.flips and gap.pairs:
        return
    groups: dict[str, list[Difference]] = defaultdict(list)
    for one in found:
        groups[one.cause].append(one)
    left = _left(gap)
    asked = [cause for cause in groups if cause not in ("reader_differs", "normalize_differs")]
    for cause, many in groups.items():
        facts = [fact("field", path=written(d.path), a=d.a, b=d.b) for d in many[:LINES]]
        share, explains = left, None
        if cause in asked and gap.pairs and not left:
            continue  # read alike, no verdict differs: it moved nothing
        if cause in ("reader_differs", "normalize_differs"):
            read = _reading_effect(a, b)
            if read is not None:
                share, explains = read
                if not share:
                    continue
                facts.append(fact("reading_moves", share=points(share), points=points(explains)))
        strength: Strength = "proven" if explains else "likely" if gap.beyond else "possible"
        experiment = explain(a, b) if cause in asked else a.reread()
        yield _made(cause, tuple(facts), experiment, share, strength, explains)


def _pool(a: Side, b: Side, gap: Gap, found: tuple[Difference, ...]) -> Iterator[Diagnosis]:
    """Prompts that differ though every rule of the prompt and the item are alike: the shots are other ones."""
    shots = [side.asking.get("prompt", {}).get("few_shot") for side in (a, b)]
    if not all(shots) or any(d.path.startswith("asking.prompt") for d in found):
        return
    asked = [(x, y) for x, y in gap.pairs if x.repeat == 0 and x.prompt and y.prompt]
    same = [
        (x, y)
        for x, y in asked
        if a.items[x.item].fields == b.items[y.item].fields and a.items[x.item].choices == b.items[y.item].choices
    ]
    other = [x.item for x, y in same if x.prompt != y.prompt]
    if not other:
        return
    facts = [fact("shots_pool", n=len(other), of=len(same), items=ids(other))]
    facts += [
        fact(
            "field",
            path=f"dataset.{key}",
            a=shown(a.section("dataset").get(key)),
            b=shown(b.section("dataset").get(key)),
        )
        for key in ("splits", "path", "subset", "revision")
        if a.section("dataset").get(key) != b.section("dataset").get(key)
    ]
    yield _made("shots_pool", tuple(facts), flips(a, b), _left(gap))


def _left(gap: Gap) -> float:
    """Share of verdicts that differ although both answers are read by the reading of b: what reading cannot explain."""
    turned = sum((x.right if x.other is None else x.other is Outcome.CORRECT) != y.right for x, y in gap.pairs)
    return turned / len(gap.pairs) if gap.pairs else 0.0


def _reading_effect(a: Side, b: Side) -> tuple[float, float] | None:
    """Share of verdicts that the other reading turns, and the mean change of score from a's to b's reading."""
    turned, moved, n = 0, 0.0, 0
    for side, sign in ((a, 1), (b, -1)):
        for one in side.counted:
            if one.other is None:
                continue
            right = one.other is Outcome.CORRECT
            n += 1
            turned += right != one.right
            moved += sign * (right - one.right)
    return (turned / n, moved / n) if n else None


def _copies(a: Side, b: Side, gap: Gap, found: tuple[Difference, ...]) -> Iterator[Diagnosis]:
    """Outputs that are equal where they should not be."""
    if gap.texts < COPIED or gap.same_texts < gap.texts:
        return
    wrong = sum(not x.right for x, _ in gap.pairs)
    if any(d.cause == "other_model" for d in found) and wrong >= WRONG:
        names = next((d.a, d.b) for d in found if d.cause == "other_model")
        facts = (fact("models_alike", n=gap.texts, wrong=wrong, a=names[0], b=names[1]),)
        yield _made("stale_cache", facts, b.determinism(), 1.0, "likely")
    if a.sampled and b.sampled and not found and _other_seeds(gap):
        facts = (fact("draws_alike", n=gap.texts, wrong=wrong),)
        yield _made("repeats_copied", facts, b.determinism(), 1.0, "likely")


def _other_seeds(gap: Gap) -> bool:
    return all(x.seed != y.seed for x, y in gap.pairs if x.seed is not None)


def _same_asked(a: Side, b: Side, gap: Gap, found: tuple[Difference, ...]) -> Iterator[Diagnosis]:
    """The same engine got the same request and wrote another text."""
    if any(d.path.startswith(("engine.", "model.")) for d in found):
        return
    same = [(x, y) for x, y in gap.pairs if x.request and x.request == y.request and x.text is not None]
    other = [(x, y) for x, y in same if x.text != y.text]
    if not other:
        return
    moved = len({one.served for pair in other for one in pair if one.served}) > 1
    moved = moved or len({one.fingerprint for pair in other for one in pair if one.fingerprint}) > 1
    key = "same_seed_other_text" if a.sampled else "same_request_other_text"
    facts = [fact(key, n=len(other), of=len(same), items=ids(x.item for x, _ in other))]
    if moved:
        served = sorted({str(one.served or one.fingerprint) for pair in other for one in pair})
        facts.append(fact("served_several", n=len(served), names=", ".join(served[:4])))
    cause = "served_changed" if moved else "seed_ignored" if a.sampled else "unsteady"
    turned = sum(x.right != y.right for x, y in other)
    yield _made(cause, tuple(facts), b.determinism(), turned / max(1, len(gap.pairs)))


def _verdicts(a: Side, b: Side, gap: Gap, found: tuple[Difference, ...]) -> Iterator[Diagnosis]:
    """The same text to the same question with another verdict, though the reading is the same."""
    if any(d.cause in ("reader_differs", "normalize_differs", "judge_changed") for d in found):
        return
    same = [(x, y) for x, y in gap.pairs if x.text is not None and x.text == y.text and x.gold == y.gold]
    same = [(x, y) for x, y in same if gold_of(a.items[x.item]) == gold_of(b.items[y.item])]
    turned = [(x, y) for x, y in same if x.right != y.right]
    if not turned:
        return
    judged = "judge" in a.effective
    said = {"n": len(turned), "of": len(same), "items": ids(x.item for x, _ in turned)}
    facts = (fact("judge_drift" if judged else "like_text_other_verdict", **said),)
    moved = sum(y.right - x.right for x, y in turned) / len(gap.pairs)
    cause = "judge_drift" if judged else "parser_changed"
    yield _made(cause, facts, b.reread(), len(turned) / len(gap.pairs), explains=moved)


def _versions(a: Side, b: Side, gap: Gap) -> Iterator[Diagnosis]:
    """Software or machine that differs, where anything that was answered or read differs at all."""
    if not gap.flips and gap.same_texts == gap.texts:
        return
    machine = ("processor", "machine", "cores")
    one, other = (
        {"eyechart": s.version, **s.runtime.get("packages", {})} | {k: s.runtime[k] for k in machine if k in s.runtime}
        for s in (a, b)
    )
    framework = [str(s.section("evaluation").get("framework_version") or "") for s in (a, b)]
    moved = [(k, one.get(k), other.get(k)) for k in dict.fromkeys((*one, *other)) if one.get(k) != other.get(k)]
    if framework[0] != framework[1]:
        moved.append(("framework", framework[0] or None, framework[1] or None))
    if not moved:
        return
    facts = tuple(fact("field", path=k, a=str(x or "-"), b=str(y or "-")) for k, x, y in moved[:LINES])
    yield _made("harness_version", facts, explain(a, b), gap.share, "likely" if gap.beyond else "possible")


def _tasks(a: Side, b: Side, gap: Gap) -> Iterator[Diagnosis]:
    """Groups of items that moved against each other, each surely: the mean over them hides it."""
    groups: dict[str, list[int]] = defaultdict(list)
    for x, y in gap.pairs:
        group = a.items[x.item].group if x.item in a.items else None
        if group is not None and x.repeat == 0:
            groups[group].append(y.right - x.right)
    if len(groups) < 2:
        return
    names = list(groups)
    counts = {name: (groups[name].count(1), groups[name].count(-1)) for name in names}
    sure = dict(zip(names, holm([mcnemar_exact(*counts[name]) for name in names]).tolist(), strict=True))
    up = [n for n in names if sure[n] < 0.01 and counts[n][0] > counts[n][1]]
    down = [n for n in names if sure[n] < 0.01 and counts[n][0] < counts[n][1]]
    if up and down:
        facts = (fact("tasks", up=ids(up), down=ids(down)),)
        yield _made("tasks_contradict", facts, explain(a, b), 0.0)


def _made(
    cause: str,
    facts: tuple[Fact, ...],
    experiment: Experiment,
    share: float,
    strength: Strength = "proven",
    explains: float | None = None,
) -> Diagnosis:
    return Diagnosis(
        cause=cause,
        strength=strength,
        facts=facts,
        experiment=experiment,
        where="between",
        share=share,
        explains=explains,
    )
