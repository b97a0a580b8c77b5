from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from eyechart.app.paper import writable, write_paper
from eyechart.app.probe_determinism import ITEMS, DeterminismProbe, probe_determinism
from eyechart.app.probe_trials import wanted
from eyechart.app.study import load
from eyechart.cli.output import Answer, Progress, answers, points
from eyechart.core.records import Estimate, NotEstimable
from eyechart.probes.determinism import CONDITIONS, Measured, Replicas, swing
from eyechart.probes.obeyed import Probed
from eyechart.report.blocks import Text
from eyechart.report.messages import say
from eyechart.report.sections.determinism import part, remedy, sayings, untried_why
from eyechart.report.table_data import data_of
from eyechart.runner.fulfil import Tally


@click.command("determinism")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--items", type=click.IntRange(2), default=ITEMS, show_default=True, help="A seeded sample of so many.")
@click.option(
    "--conditions",
    default=",".join(CONDITIONS),
    show_default=True,
    help="Which; batch:8, threads:1, concurrency:4 too.",
)
@click.option("--repeats", type=click.IntRange(1), default=2, show_default=True, help="Passes of `again`.")
@click.option("--obeyed", is_flag=True, help="Also: are seed, temperature, top_p and others followed? 84 calls.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder; eyechart-runs/NAME-determinism unless given.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report: .html, .md or .json.")
@click.option(
    "--language", "--lang", "lang", type=click.Choice(["en", "zh"]), default="en", help="Language of the report."
)
@click.option("--quiet", is_flag=True, help="No progress.")
@answers("probe determinism")
def determinism(
    study: Path, items: int, conditions: str, repeats: int, obeyed: bool, out: Path | None, report: Path | None,
    lang: str, quiet: bool,
) -> Answer:  # fmt: skip
    """Ask the baseline of STUDY again under other conditions: what stays equal to the bit, and what the score noise is.

    Every pass is really asked, never taken from a cache; given again, the command goes on where it stopped.
    """
    writable(report)
    progress = Progress(quiet)

    def show(tally: Tally) -> None:
        progress.next = min(progress.next, tally.seconds + progress.every)  # every pass has a clock of its own
        progress(tally)

    found = probe_determinism(
        load(study), out, items=items, conditions=wanted(conditions), repeats=repeats, obeyed=obeyed, progress=show
    )
    progress.end()
    if report is not None:
        write_paper(report, found.name, [part(**found.shown())], "zh" if lang == "zh" else "en")
    return answer(found, report)


def answer(probe: DeterminismProbe, report: Path | None = None) -> Answer:
    found = probe.found
    compared = sum(one.calls for one in found.measured)
    failed = sum(one.failed for one in found.measured)
    if not compared:
        text = "Nothing could be compared: " + ("every call failed." if failed else "no condition could be tried here.")
        return Answer(
            code="too_little_data", text=text, data=_data(probe, report), lines=list(_lines(probe)), exit_code=3
        )
    moved = [one for one in found.measured if _moves(one)]
    return Answer(
        code="differs" if moved else "no_difference_seen",
        text=_sentence(probe, moved),
        data=_data(probe, report),
        lines=[*_lines(probe), *([str(report)] if report else [])],
        warnings=list(probe.notes),
        exit_code=3 if failed * 5 > compared + failed else 0,
    )


def _moves(one: Measured) -> bool:
    return (isinstance(one.other_text, Estimate) and one.other_text.value > 0) or (
        one.equal is not None and one.equal < one.calls
    )


def _sentence(probe: DeterminismProbe, moved: list[Measured]) -> str:
    found = probe.found
    if not moved:
        most = max((_upper(one.other_text) or 0.0 for one in found.measured), default=0.0)
        return (
            f"No answer of {found.items:,} items differed in {len(found.measured)} settings; in each, up to "
            f"{points(most)} % of such items still might (95 %)."
        )
    words = ", ".join(dict.fromkeys(f"{one.condition} ({one.setting})" for one in moved))
    return f"Answers are not the same to the bit: {words}."


def _upper(number: Estimate | NotEstimable) -> float | None:
    if isinstance(number, NotEstimable) or number.interval is None:
        return None
    return number.interval.high


def _lines(probe: DeterminismProbe) -> Iterator[str]:
    found = probe.found
    yield ""
    yield f"as stated: {found.items:,} items, score {points(found.stated.score)}"
    for one in found.measured:
        yield f"{one.condition}, {one.setting}: {_texts(one)}; {_bits(one)}; {_verdicts(one)}{_pace(one)}"
        for parting in one.departures[:1]:
            margin = f", {parting.margin:.2g} nats apart" if parting.margin is not None else ""
            yield (
                f"    first at {parting.unit} {parting.at} of item {parting.item}: {parting.stated!r} as stated, "
                f"{parting.other!r} here{margin}"
            )
    for one in probe.untried:
        yield f"{one.condition}: not tried: {_said(untried_why(one.why, one.detail))}"
    yield ""
    yield f"Score noise of one pass, all as stated: {_noise(found.noise)}"
    yield f"Score noise of one pass, these settings left open: {_noise(found.noise_settings)}"
    yield from _served(found.replicas)
    if probe.obeyed is not None:
        yield ""
        yield f"Parameters ({probe.obeyed.calls} calls, {probe.obeyed.open_prompts} open prompts):"
        for one in probe.obeyed.parameters:
            yield f"  {one.name}: {one.verdict}: {_said(sayings(one.evidence))}"
        for note in probe.obeyed.notes:
            yield f"  - {_said(sayings([note]))}"
    yield ""
    for one in probe.remedies:
        helps, holds, cost = (_said(text) for text in remedy(one.name, one.paces))
        yield f"{one.setting} ({one.state}): {helps}. Holds for: {holds}. Cost: {cost}."


def _said(text: Text) -> str:
    return say(text, "en")


def _texts(one: Measured) -> str:
    share = one.other_text
    if isinstance(share, NotEstimable):
        return share.reason
    return f"{round(share.value * one.items):,} of {one.items:,} answers differ ({_ends(share)} %)"


def _ends(share: Estimate) -> str:
    if share.interval is None:
        return "no interval"
    if share.value == 0:
        return f"at most {points(share.interval.high)}"
    return f"{points(share.interval.low)} to {points(share.interval.high)}"


def _bits(one: Measured) -> str:
    if one.equal is None:
        return "log-probabilities not visible"
    size = f", by up to {one.largest:.2g} nats" if one.equal < one.calls and one.largest is not None else ""
    return f"{one.equal:,} of {one.calls:,} equal to the bit{size}"


def _verdicts(one: Measured) -> str:
    share = one.other_verdict
    if isinstance(share, NotEstimable):
        return "no verdicts to compare"
    scores = ", ".join(points(score) for score in one.scores)
    return f"{round(share.value * share.n):,} verdicts (+{one.gained} -{one.lost}), score {scores}"


def _pace(one: Measured) -> str:
    return f"; {one.pace:.2f} times the pace" if one.pace is not None else ""


def _noise(number: Estimate | NotEstimable) -> str:
    if isinstance(number, NotEstimable):
        return number.reason
    far = swing(number)
    ends = number.interval
    inside = f" ({points(ends.low)} to {points(ends.high)})" if ends else ""
    apart = (
        f"; two scores of one pass each may differ by up to {points(far)} points by it alone" if far is not None else ""
    )
    return f"sd {points(number.value)} points{inside}{apart}"


def _served(replicas: Replicas) -> Iterator[str]:
    if len(replicas.served) < 2:
        return
    yield f"{len(replicas.served)} names answered, as replies tell it:"
    for one in replicas.served:
        yield f"  {one.model or 'no model name'}, fingerprint {one.fingerprint or 'not told'}: {one.calls:,} replies"
    yield (
        f"  pairs of answers that differ: {replicas.same[0]:,} of {replicas.same[1]:,} from one name, "
        f"{replicas.across[0]:,} of {replicas.across[1]:,} from two; only across names: "
        f"{', '.join(replicas.items[:10]) or 'no item'}"
    )


def _data(probe: DeterminismProbe, report: Path | None) -> dict[str, object]:
    found = probe.found
    stated = found.stated
    return {
        "folder": str(probe.folder.path),
        "report": str(report) if report else None,
        "calls": probe.calls,
        "items": found.items,
        "sampled": probe.sampled,
        "stated": {"score": stated.score, "seen": data_of(stated.seen) if stated.seen else None},
        "settings": [_setting(one) for one in found.measured],
        "untried": [
            {"condition": one.condition, "reason": _said(untried_why(one.why, one.detail))} for one in probe.untried
        ],
        "noise": data_of(found.noise),
        "noise_settings": data_of(found.noise_settings),
        "swing": swing(found.noise),
        "swing_settings": swing(found.noise_settings),
        "replicas": data_of(found.replicas),
        "obeyed": _obeyed(probe.obeyed) if probe.obeyed is not None else None,
        "environment": {fact.name: fact.value for fact in probe.environment},
        "remedies": [
            {"setting": one.setting, "state": one.state}
            | dict(zip(("helps", "holds", "cost"), map(_said, remedy(one.name, one.paces)), strict=True))
            for one in probe.remedies
        ],
    }


def _setting(one: Measured) -> dict[str, object]:
    out: dict[str, object] = data_of(one)
    for name in ("equal", "largest"):
        if out[name] is None:
            out[f"{name}_reason"] = "the backend shows no log-probabilities here"
    if one.pace is None:
        out["pace_reason"] = "a pass of an earlier process: its pace is not known"
    return out


def _obeyed(found: Probed) -> dict[str, object]:
    return {
        "calls": found.calls,
        "failed": found.failed,
        "open_prompts": found.open_prompts,
        "parameters": {
            one.name: {
                "verdict": one.verdict,
                "evidence": _said(sayings(one.evidence)),
                "calls": one.calls,
                "p": one.p,
                **({} if one.p is not None else {"p_reason": "no test was made"}),
            }
            for one in found.parameters
        },
        "notes": [_said(sayings([note])) for note in found.notes],
    }
