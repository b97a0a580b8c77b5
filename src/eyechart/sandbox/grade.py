"""Programs and their gold asserts to scores."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.core.records import Score
from eyechart.sandbox.isolation import Limits
from eyechart.sandbox.run import Ask, run
from eyechart.score.code import judge, plan, refused


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
    plans = [plan(gold, code) for code, gold in pairs]
    early = [
        tests if isinstance(tests, Score) else refused(code) for tests, (code, _) in zip(plans, pairs, strict=True)
    ]
    asks = [
        Ask(code=code, tests=tests)
        for tests, score, (code, _) in zip(plans, early, pairs, strict=True)
        if score is None and not isinstance(tests, Score)
    ]
    runs = iter(run(asks, limits=limits, weak=weak) if asks else ())
    return [
        score if score is not None or isinstance(tests, Score) else judge(code, tests, next(runs), tables=tables)
        for tests, score, (code, _) in zip(plans, early, pairs, strict=True)
    ]
