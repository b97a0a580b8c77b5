"""The short block of a model card: score, intervals, fingerprint, and the command that checks them."""

from __future__ import annotations

from eyechart.core.records import Estimate, NotEstimable
from eyechart.report import numbers
from eyechart.report.markdown import inline
from eyechart.share.told import Setup, Told


def block(told: Told, setup: Setup) -> str:
    """Markdown of one set-up; what a file or a model wrote in it is inert. Raises ValueError where it has no score."""
    value = setup.value
    if value is None:
        raise ValueError(f"set-up {setup.id} has no score")
    score = setup.score
    rows = [
        ("score", f"{numbers.points(value)} points"),
        _ends("with new items of this kind", score.new_items),
        _ends("the same items asked again", score.repeat_it),
        ("items", f"{score.items:,}, asked {score.repeats} {'time' if score.repeats == 1 else 'times'} each"),
    ]
    lost = [f"{n:,} {name}" for name, n in score.outcomes.items() if name in ("failed", "unscored") and n]
    if lost:
        rows.append(("not counted", f"{' and '.join(lost)}: neither right nor wrong"))
    if told.missing:
        rows.append(("not complete", f"{told.missing:,} calls of the run were never answered"))
    known = [one.value for one in told.setups if one.value is not None]
    if len(known) > 1:
        ends = f"{numbers.points(min(known))} to {numbers.points(max(known))} points"
        rows.append((f"over the {len(known):,} set-ups of the run", ends))
    levels = ", ".join(f"{name} = {level}" for name, level in setup.levels)
    if levels:
        rows.append(("this set-up", f"{setup.id}: {levels}"))
    stamp = told.stamp(setup)
    kind = "fingerprint" if "fingerprint_effective" in stamp else "fingerprint (as stated; the log does not say all)"
    rows += [(kind, setup.digest), ("seal", told.seal), ("checked by", told.verify)]
    lines = [f"**{inline(told.name)}** (eyechart)", "", "| | |", "|---|---|"]
    return "\n".join([*lines, *(f"| {inline(name)} | {inline(text)} |" for name, text in rows)]) + "\n"


def _ends(name: str, number: Estimate | NotEstimable) -> tuple[str, str]:
    if isinstance(number, NotEstimable):
        return name, f"not estimable: {number.reason}"
    if number.interval is None:
        return name, "no interval"
    return f"{name}, {numbers.percent(number.interval.level)} % interval", numbers.ends(number.interval)
