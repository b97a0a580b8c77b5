"""Programs and their gold asserts to scores."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.core.records import Score
from eyechart.sandbox.isolation import Limits
from eyechart.sandbox.run import Ask, run
from eyechart.score.code import Asserts, judge, plan, refused


def grade_programs(
    pairs: Sequence[tuple[str, str | tuple[str, ...]]],
    *,
    limits: Limits | None = None,
    weak: bool = False,
    tables: bool = True,
) -> list[Score]:
    """A Score for each pair of program text and gold asserts, in order.

    `correct` where every assert holds; `incorrect` where one does not, or the program fails to load,
    ends early, or uses up `limits`; `unparseable` for an empty program; `unscored` where the asserts
    themselves cannot be used or there is no sandbox. `weak` allows the weak sandbox; `tables=False`
    lets programs pass that only look the tested inputs up.
    """
    scores: list[Score | None] = []
    asks: list[Ask] = []
    for code, gold in pairs:
        tests = plan(gold, code)
        early = tests if isinstance(tests, Score) else refused(code)
        scores.append(early)
        if early is None and isinstance(tests, Asserts):
            asks.append(Ask(code=code, tests=tests))
    judged = (
        judge(ask.code, ask.tests, ran, tables=tables)
        for ask, ran in zip(asks, run(asks, limits=limits, weak=weak), strict=True)
    )
    return [next(judged) if score is None else score for score in scores]
