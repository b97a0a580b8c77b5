"""The stress test: cases to the grader, verdicts to a `Report`. No clock, no input or output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import get_args

from eyechart.core.errors import InputError
from eyechart.stress.battery import pairs as triples_of
from eyechart.stress.battery import right, wrong
from eyechart.stress.cases import KINDS, Answered, Case, Family, Kind, Verdict, Verdicts
from eyechart.stress.hostile import MEGABYTE, hostile
from eyechart.stress.report import Failed, Five, Group, Pairs, Report, Slowest, Tally, Times

_SHOWN = 400
_SOLUTIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many cases of each kind; none where 0.

    3,000 without a failure show 99.9 % at 95 % confidence (2,995 would do); fewer show less.
    """

    right: int = 3000
    wrong: int = 3000
    pairs: int = 500
    hostile: int = MEGABYTE
    """Characters of each hostile input."""

    def __post_init__(self) -> None:
        for name in ("right", "wrong", "pairs", "hostile"):
            if getattr(self, name) < 0:
                raise InputError(f"write a count of 0 or more, not {getattr(self, name)}", field=name)


Judged = tuple[Case, Answered]


def stress(grader: Verdicts, *, kinds: Sequence[Kind] = KINDS, seed: int = 0, counts: Counts | None = None) -> Report:
    """Tries `grader` on generated cases of known verdict.

    The grader is called once for each family and kind, so that the hostile inputs of one kind (about 50 MB)
    are all that is held at a time. InputError: a kind that is not there, no case asked for, or a number of
    answers that is not the number of cases.

    >>> def always(cases):
    ...     return [Answered(verdict="correct", seconds=0.0) for case in cases]
    >>> report = stress(always, kinds=["number"], counts=Counts(right=50, wrong=50, pairs=5, hostile=100))
    >>> [(tally.family, tally.failures, tally.n) for tally in report.tallies][:2]
    [('right', 0, 50), ('wrong', 50, 50)]
    >>> report.pairs[0].kept, report.pairs[0].turned
    (5, 0)
    """
    counts, wanted = counts or Counts(), tuple(dict.fromkeys(kinds))
    for kind in wanted:
        if kind not in KINDS:
            raise InputError(f"no kind {kind!r}: write {', '.join(KINDS)}")
    judged: list[Judged] = []
    pairs: list[Pairs] = []
    slowest: list[Slowest] = []
    for kind in wanted:
        judged += _ask(grader, right(kind, seed, counts.right))
        judged += _ask(grader, wrong(kind, seed, counts.wrong))
        triples = triples_of(kind, seed, counts.pairs)
        if triples:
            found = _ask(grader, tuple(chain.from_iterable(triples)))
            pairs.append(_turned(kind, found))
            judged += [pair for pair in found if _broken(pair[1])]
        if counts.hostile:
            found = _ask(grader, hostile(kind, counts.hostile))
            judged += [(_short(case), answer) for case, answer in found]
            slowest.append(_slowest(kind, found))
    if not any(case.family in ("right", "wrong") for case, _ in judged):
        raise InputError("nothing to test: ask for at least one kind and one right or wrong case")
    return _report(wanted, seed, judged, pairs, slowest)


def _ask(grader: Verdicts, cases: Sequence[Case]) -> list[Judged]:
    if not cases:
        return []
    answers = grader(cases)
    if len(answers) != len(cases):
        raise InputError(f"the grader gave {len(answers)} answers to {len(cases)} cases: give one a case, in order")
    return list(zip(cases, answers, strict=True))


def _short(case: Case) -> Case:
    """Without the bulk of a hostile output, so that it need not be held."""
    return replace(case, output=case.output[:_SHOWN])


def _broken(answer: Answered) -> bool:
    return answer.error is not None or answer.verdict not in get_args(Verdict)


def failing(case: Case, answer: Answered) -> bool:
    """Whether the verdict is not the one expected, or is none.

    >>> case = right("number", 0, 1)[0]
    >>> failing(case, Answered(verdict="correct", seconds=0)), failing(case, Answered(verdict=None, seconds=0))
    (False, True)
    """
    return _broken(answer) or (answer.verdict == "correct") != (case.expected == "correct")


def _turned(kind: Kind, found: Sequence[Judged]) -> Pairs:
    kept = turned = 0
    for i in range(0, len(found), 3):
        plain, restyled, swapped = (None if _broken(a) else a.verdict == "correct" for _, a in found[i : i + 3])
        kept += plain is not None and plain == restyled
        turned += None not in (restyled, swapped) and restyled != swapped
    return Pairs(kind=kind, n=len(found) // 3, kept=kept, turned=turned)


def _report(
    kinds: tuple[Kind, ...],
    seed: int,
    judged: Sequence[Judged],
    pairs: Sequence[Pairs],
    slowest: Sequence[Slowest],
) -> Report:
    styles = _groups(judged, lambda case: tuple(dict.fromkeys(case.operators)))
    place = {(group.family, group.name): i for i, group in enumerate(styles)}
    failed = [_failed(case, answer) for case, answer in judged if failing(case, answer)]
    return Report(
        seed=seed,
        kinds=kinds,
        tallies=tuple(_tallies(judged)),
        styles=styles,
        tasks=_groups(judged, lambda case: (case.base,)),
        failed=tuple(sorted(failed, key=lambda one: min(place[one.family, name] for name in one.style.split(" + ")))),
        pairs=tuple(pairs),
        times=_times([answer.seconds for case, answer in judged if case.family != "hostile"]),
        slowest=tuple(slowest),
        five=_five(judged) if "code" in kinds else None,
    )


def _tallies(judged: Sequence[Judged]) -> Iterator[Tally]:
    cells: dict[tuple[Family, Kind], list[Judged]] = {}
    for case, answer in judged:
        if case.family != "pairs":
            cells.setdefault((case.family, case.kind), []).append((case, answer))
    for (family, kind), rows in cells.items():
        failures, errors = sum(failing(c, a) for c, a in rows), sum(_broken(a) for _, a in rows)
        yield Tally(family=family, kind=kind, n=len(rows), failures=failures, errors=errors)


def _groups(judged: Sequence[Judged], names: Callable[[Case], Iterable[str]]) -> tuple[Group, ...]:
    n: Counter[tuple[Family, str]] = Counter()
    failures: Counter[tuple[Family, str]] = Counter()
    for case, answer in judged:
        bad = failing(case, answer)
        for name in names(case):
            n[case.family, name] += 1
            failures[case.family, name] += bad
    # Of two as frequent, the one that fails more surely names the fault better.
    order = sorted(+failures, key=lambda key: (-failures[key], n[key], key))
    return tuple(Group(family=key[0], name=key[1], n=n[key], failures=failures[key]) for key in order)


def _failed(case: Case, answer: Answered) -> Failed:
    return Failed(
        id=case.id,
        kind=case.kind,
        family=case.family,
        style=case.style,
        base=case.base,
        gold=case.gold,
        expected=case.expected,
        verdict=answer.verdict,
        output=case.output[:_SHOWN],
        error=answer.error,
    )


def _slowest(kind: Kind, found: Sequence[Judged]) -> Slowest:
    case, answer = max(found, key=lambda pair: pair[1].seconds)
    length = len(case.output)
    return Slowest(kind=kind, style=case.style, seconds=answer.seconds * MEGABYTE / length, length=length)


def _times(seconds: Sequence[float]) -> Times:
    """Nearest-rank quantiles: each is a time that was measured."""
    ordered = sorted(seconds)
    rank = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99)]
    return Times(median=rank[0], p99=rank[1], largest=ordered[-1])


def _five(judged: Sequence[Judged]) -> Five | None:
    """Of the plainly fenced programs, the tasks whose five all pass; None unless all five of some task were tried."""
    plain = [(c, a) for c, a in judged if c.kind == "code" and c.family == "right" and c.style.endswith(_PLAIN)]
    tried: dict[str, set[str]] = {}
    for case, _ in plain:
        tried.setdefault(case.base, set()).add(case.operators[0])
    whole = [base for base, solutions in tried.items() if len(solutions) == _SOLUTIONS]
    bad = {case.base for case, answer in plain if failing(case, answer)}
    failed = tuple(base for base in whole if base in bad)
    return Five(tasks=len(whole), passed=len(whole) - len(failed), failed=failed) if whole else None


_PLAIN = " + as it is + fence python"
