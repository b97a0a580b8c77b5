"""rank: contestants under one procedure, with the ranks that each may have; what is of another procedure stands apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.results import Number
from eyechart.analysis.setups import CONTESTANT, Difference, SetUp, divided, separated
from eyechart.analysis.together import SEED, moving
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.records import NotEstimable
from eyechart.core.words import Text, message
from eyechart.stats.compare import Comparisons, Pair, compare_all
from eyechart.stats.places import rank_ranges, surely_better
from eyechart.stats.ranks import RiskAdjusted, Rule, risk_adjusted
from eyechart.stats.suites import letter_groups

SURE = ("a is better", "b is better")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One contestant among those of its procedure."""

    name: str
    sources: tuple[str, ...]
    """Runs (and set-ups of them) that its score is made of."""
    fingerprints: tuple[str, ...]
    """Effective digest of each of `sources`; empty for a plain table."""
    contestant: tuple[tuple[str, str], ...]
    """The fields by which it is another contestant."""
    low: int
    """The best rank that it may have; likewise `high`, the worst."""
    high: int
    score: Number
    """Mean over set-ups, another sample of items; its interval is that of one score, and decides no rank."""
    repeats: int | None
    """None where a table does not say."""
    reliable: float | None
    """The score by the rule of `League.risk`; None with one set-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """Contestants under one procedure, or under the same several set-ups."""

    procedure: tuple[tuple[str, str], ...]
    """Fields and values that all share; empty for a plain table."""
    set_ups: tuple[tuple[tuple[str, str], ...], ...]
    """Of several set-ups the fields that set each apart; one empty entry where there is one."""
    items: int
    left_out: int
    """Items that lack a score of some contestant."""
    clusters: int | None
    places: tuple[Place, ...]
    """By lowest possible rank, then by score."""
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Largest sets within which no difference is sure."""
    risk: RiskAdjusted | NotEstimable | None
    """Order by a rule over set-ups, positions in `places`; None with one set-up."""
    warnings: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """A run that is not ranked with the others, and what separates it."""

    name: str
    source: str
    set_ups: int
    """How many set-ups of it stand apart."""
    against: str
    """The source whose procedure is the nearest to its own; empty where there is none."""
    differences: tuple[Difference, ...]
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Everything that a ranking says."""

    leagues: tuple[League, ...]
    apart: tuple[Apart, ...]
    contestant: tuple[str, ...]
    """Fields that make a contestant; all others are the procedure."""
    mixed: tuple[str, ...]
    """Fields of the procedure that no two contestants share a value of, where nothing could be ranked."""
    level: float
    fingerprint: str | None
    """None: a plain table, ranked by force."""
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a ranking is made."""

    contestant: tuple[str, ...] = CONTESTANT
    level: float = 0.95
    bound: float = 0.01
    rule: Rule = "mean-sd"
    weight: float = 1.0
    quantile: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    at: SetUp
    who: str
    how: str
    fields: Mapping[str, str]


def rank(set_ups: Sequence[SetUp], rules: Rules | None = None) -> Ranked:
    """Contestants of one procedure against each other; a procedure is every field that is not the contestant's, and
    the items.

    Set-ups that the same contestants share make one league: each item is averaged over them. Whether one is better
    than another is settled item by item, clustered, by Holm over all pairs of a league; ranks are the range that these
    leave (`stats.places.rank_ranges`). Overlapping intervals decide nothing. A set-up whose items move together
    (`analysis.together`) stands apart: none of its pairs can be settled item by item.

    Raises InputError without a set-up, or for a field of `contestant` that no run has.
    """
    rules = rules or Rules()
    if not set_ups:
        raise InputError("there is no run to rank")
    _check(set_ups, rules.contestant)
    scored = [one for one in set_ups if one.scored]
    luck = moving(scored)
    entries = [_entry(one, rules.contestant) for one, why in zip(scored, luck, strict=True) if why is None]
    empty = [_stands(one, 1, "", (), message("rank.apart.unscored")) for one in set_ups if not one.scored]
    empty += [_moves(one, why) for one, why in zip(scored, luck, strict=True) if why is not None]
    kept, repeated = _distinct(entries)
    fields: dict[tuple[frozenset[str], str], list[str]] = {}
    by_how: dict[str, dict[str, _Entry]] = {}
    for entry in kept:
        by_how.setdefault(entry.how, {})[entry.who] = entry
    for how, row in by_how.items():
        asked = next(iter(row.values())).at.asked
        fields.setdefault((frozenset(row), asked), []).append(how)
    ranked = [([by_how[h] for h in hows]) for (who, _), hows in fields.items() if len(who) > 1]
    ranked.sort(key=lambda rows: (-len(rows[0]), -len(rows)))
    leagues = tuple(_league(rows, rules) for rows in ranked)
    inside = {id(entry) for rows in ranked for row in rows for entry in row.values()}
    lonely = [entry for entry in kept if id(entry) not in inside]
    models = [entry for rows in ranked for entry in rows[0].values()]
    stand = (*_apart(lonely, models, rules.contestant), *repeated, *empty)
    mixed = () if leagues else _mixed(lonely)
    return Ranked(
        leagues=leagues,
        apart=stand,
        contestant=rules.contestant,
        mixed=mixed,
        level=rules.level,
        fingerprint=digest("r1", sorted({one.digest for one in set_ups})),
        notes=_notes(set_ups, kept, leagues, sum(why is not None for why in luck)),
    )


def _check(set_ups: Sequence[SetUp], contestant: Sequence[str]) -> None:
    known = dict.fromkeys(path for one in set_ups for path in one.fields)
    for path in contestant:
        if path not in CONTESTANT and not divided(dict.fromkeys(known, ""), [path])[0]:
            shown = ", ".join(name for name in known if name.partition(".")[0] in ("model", "engine", "hardware"))
            raise InputError(f"no run has a field {path}; there are: {shown}", field="--contestant")


def _entry(one: SetUp, contestant: Sequence[str]) -> _Entry:
    who, how = divided(one.fields, contestant)
    return _Entry(one, digest("w1", who), digest("p1", [how, one.asked]), how)


def _distinct(entries: Sequence[_Entry]) -> tuple[list[_Entry], list[Apart]]:
    """Of several runs of one contestant under one procedure the first one given; the others are named."""
    kept: dict[tuple[str, str], _Entry] = {}
    again: list[Apart] = []
    for entry in entries:
        first = kept.setdefault((entry.who, entry.how), entry)
        if first is not entry:
            text = message("rank.apart.again", other=first.at.source)
            again.append(_stands(entry.at, 1, first.at.source, (), text))
    return list(kept.values()), again


def _moves(one: SetUp, why: str) -> Apart:
    """Its items share their luck: pairs of items would say how sure that luck is, and nothing of the contestant."""
    return _stands(one, 1, "", (), message("rank.apart.seed" if why == SEED else "rank.apart.spread"))


def _stands(one: SetUp, count: int, against: str, differences: tuple[Difference, ...], reason: Text) -> Apart:
    return Apart(
        name=one.name, source=one.source, set_ups=count, against=against, differences=differences, reason=reason
    )


def _apart(lonely: Sequence[_Entry], models: Sequence[_Entry], who: Sequence[str]) -> list[Apart]:
    """One line for each run and contestant, with the nearest procedure of those that are ranked (or of the first run)."""
    near: dict[tuple[str, str], list[tuple[tuple[Difference, ...], _Entry, str]]] = {}
    others = list(models) or list(lonely[:1])
    for entry in lonely:
        found = [(separated(entry.at, other.at, who), other) for other in others if other is not entry]
        best = min(found, key=lambda pair: len(pair[0]), default=None)
        differences, source = ((), "") if best is None else (best[0], best[1].at.source)
        near.setdefault((entry.at.run, entry.who), []).append((differences, entry, source))
    out: list[Apart] = []
    for rows in near.values():
        differences, entry, source = min(rows, key=lambda row: (row[2] == "", len(row[0])))
        key = "rank.apart.other" if differences else "rank.apart.alone" if not source else "rank.apart.set_ups"
        out.append(_stands(entry.at, len(rows), source, differences, message(key)))
    return out


def _mixed(lonely: Sequence[_Entry]) -> tuple[str, ...]:
    """Fields of the engine that tell as many values apart as there are contestants: each has its own."""
    who = {entry.who for entry in lonely}
    if len(who) < 2:
        return ()
    values: dict[str, dict[str, set[str]]] = {}
    for entry in lonely:
        for path in {path for other in lonely for path in other.fields}:
            if path.partition(".")[0] in ("model", "engine", "hardware"):
                values.setdefault(path, {}).setdefault(entry.fields.get(path, ""), set()).add(entry.who)
    return tuple(sorted(p for p, of in values.items() if len(of) > 1 and all(len(names) == 1 for names in of.values())))


def _notes(set_ups: Sequence[SetUp], kept: Sequence[_Entry], leagues: Sequence[League], luck: int) -> tuple[Text, ...]:
    out: list[Text] = [message("rank.note.together", n=luck)] if luck else []
    unknown = dict.fromkeys(path for one in set_ups for path in one.unknown)
    if unknown:
        runs = len({one.run for one in set_ups if one.unknown})
        out.append(message("rank.note.unknown", n=runs, fields=", ".join(unknown)))
    served = {entry.at.run for entry in kept if not any(path.startswith("hardware.") for path in entry.fields)}
    if leagues and served:
        out.append(message("rank.note.hardware", n=len(served)))
    return tuple(out)


def _names(rows: Sequence[Mapping[str, _Entry]]) -> dict[str, str]:
    """What each contestant is called; by its run as well where two are called alike."""
    first = {who: entry.at for who, entry in rows[0].items()}
    plain = [one.name for one in first.values()]
    return {who: one.name if plain.count(one.name) == 1 else f"{one.name} ({one.source})" for who, one in first.items()}


def _stack(parts: Sequence[SetUp]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores and gaps of one contestant over set-ups, [n, K, S], items sorted by id."""
    most = max(one.values.shape[1] for one in parts)
    shape = (len(parts[0].items), most, len(parts))
    values, missing = np.zeros(shape), np.ones(shape, dtype=np.bool_)
    for s, one in enumerate(parts):
        order = np.argsort(np.array(one.items))
        width = one.values.shape[1]
        values[:, :width, s], missing[:, :width, s] = one.values[order], one.missing[order]
    return values, missing


def _league(rows: Sequence[Mapping[str, _Entry]], rules: Rules) -> League:
    names = _names(rows)
    parts = {names[who]: [row[who].at for row in rows] for who in names}
    stacks = {name: _stack(of) for name, of in parts.items()}
    first = next(iter(parts.values()))[0]
    order = np.argsort(np.array(first.items))
    clusters = None if first.clusters is None else np.array(first.clusters)[order]
    found = compare_all(
        {name: values for name, (values, _) in stacks.items()},
        clusters,
        masks={name: gaps for name, (_, gaps) in stacks.items()},
        bound=rules.bound,
        level=rules.level,
        seed=rules.seed,
    )
    if isinstance(found, NotEstimable):
        raise InputError(f"{', '.join(parts)}: {found.reason}")
    ordered = [name for name, _ in found.means]
    risk = _risk(rows, [stacks[name] for name in ordered], clusters, rules)
    who = {name: next(row for key, row in rows[0].items() if names[key] == name) for name in ordered}
    shared, set_ups = _procedure(rows)
    return League(
        procedure=shared,
        set_ups=set_ups,
        items=found.n,
        left_out=found.excluded,
        clusters=None if clusters is None else len(np.unique(clusters)),
        places=_places(found, parts, {n: divided(e.at.fields, rules.contestant)[0] for n, e in who.items()}, risk),
        pairs=found.pairs,
        groups=_groups(found),
        risk=risk,
        warnings=_warnings(parts, found),
    )


def _procedure(
    rows: Sequence[Mapping[str, _Entry]],
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[tuple[str, str], ...], ...]]:
    """Fields that all set-ups share, and by which fields each of them stands apart."""
    every = [next(iter(row.values())).fields for row in rows]
    shared = {p: v for p, v in every[0].items() if all(one.get(p) == v for one in every)}
    paths = sorted({path for one in every for path in one if path not in shared})
    return tuple(shared.items()), tuple(tuple((p, one.get(p, "(none)")) for p in paths) for one in every)


def _risk(
    rows: Sequence[object],
    stacks: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]],
    clusters: NDArray[np.str_] | None,
    rules: Rules,
) -> RiskAdjusted | NotEstimable | None:
    if len(rows) < 2:
        return None
    whole = np.logical_and.reduce([(~gaps).sum(axis=1).min(axis=1) > 0 for _, gaps in stacks])
    if not whole.any():
        return NotEstimable(name="risk_adjusted", reason="no item was scored in all set-ups")
    table = np.array([(v * ~g).sum(axis=1)[whole] / (~g).sum(axis=1)[whole] for v, g in stacks])
    kept = None if clusters is None else clusters[whole]
    return risk_adjusted(table.transpose(0, 2, 1), kept, rule=rules.rule, weight=rules.weight, quantile=rules.quantile)


def better_pairs(names: Sequence[str], pairs: Iterable[Pair]) -> list[tuple[int, int]]:
    """Positions in `names` of (better, worse), where a pair can be told apart."""
    sure = [(p.b, p.a) if p.verdict == "b is better" else (p.a, p.b) for p in pairs if p.verdict in SURE]
    return [(names.index(one), names.index(other)) for one, other in sure]


def _places(
    found: Comparisons,
    parts: Mapping[str, Sequence[SetUp]],
    who: Mapping[str, Mapping[str, str]],
    risk: RiskAdjusted | NotEstimable | None,
) -> tuple[Place, ...]:
    """In the order of the means: whoever is surely better has the higher mean, so the lower best rank comes first."""
    names = [name for name, _ in found.means]
    ranges = rank_ranges(len(names), better_pairs(names, found.pairs))
    scores = {p.a: p.comparison.mean_a for p in found.pairs} | {p.b: p.comparison.mean_b for p in found.pairs}
    reliable = None if not isinstance(risk, RiskAdjusted) else _by_rule(risk)
    varied = {path for fields in who.values() for path in fields
              if len({other.get(path) for other in who.values()}) > 1}  # fmt: skip
    return tuple(
        Place(
            name=name,
            sources=tuple(one.source for one in parts[name]),
            fingerprints=tuple(one.digest for one in parts[name]),
            contestant=tuple((path, value) for path, value in who[name].items() if path in varied),
            low=low,
            high=high,
            score=scores[name],
            repeats=max(one.values.shape[1] for one in parts[name]),
            reliable=None if reliable is None else reliable[place],
        )
        for place, (name, (low, high)) in enumerate(zip(names, ranges, strict=True))
    )


def _by_rule(risk: RiskAdjusted) -> tuple[float, ...]:
    return risk.raw if isinstance(risk.corrected, NotEstimable) else risk.corrected


def _groups(found: Comparisons) -> tuple[tuple[str, ...], ...]:
    """As `Comparisons.groups`, with what follows from sure differences taken as sure."""
    names = [name for name, _ in found.means]
    better = surely_better(len(names), better_pairs(names, found.pairs))
    return letter_groups(names, [(names[int(i)], names[int(j)]) for i, j in np.argwhere(better)])


def _warnings(parts: Mapping[str, Sequence[SetUp]], found: Comparisons) -> tuple[Text, ...]:
    out: list[Text] = []
    if found.excluded:
        out.append(message("rank.warn.left_out", n=found.excluded, all=found.n + found.excluded))
    widths = {name: {one.values.shape[1] for one in of} for name, of in parts.items()}
    runs = {width for of in widths.values() for width in of}
    if len(runs) > 1:
        out.append(message("rank.warn.repeats", low=min(runs), high=max(runs)))
    return tuple(out)


def forced(found: Comparisons, *, level: float, source: str, clusters: int | None, note: Text) -> Ranked:
    """The ranking of a plain table, which does not say how its scores came about: marked, with no fingerprint."""
    names = [name for name, _ in found.means]
    ranges = rank_ranges(len(names), better_pairs(names, found.pairs))
    scores = {p.a: p.comparison.mean_a for p in found.pairs} | {p.b: p.comparison.mean_b for p in found.pairs}
    places = tuple(
        Place(
            name=name, sources=(source,), fingerprints=(), contestant=(), low=low, high=high, score=scores[name],
            repeats=None, reliable=None,
        )
        for name, (low, high) in zip(names, ranges, strict=True)
    )  # fmt: skip
    league = League(
        procedure=(), set_ups=((),), items=found.n, left_out=found.excluded, clusters=clusters, places=places,
        pairs=found.pairs, groups=_groups(found), risk=None, warnings=_warnings({}, found),
    )  # fmt: skip
    return Ranked(leagues=(league,), apart=(), contestant=(), mixed=(), level=level, fingerprint=None, notes=(note,))
