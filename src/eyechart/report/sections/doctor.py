"""What may be wrong: the causes that the doctor found, with evidence, what would decide, and the remedy."""

from __future__ import annotations

from shlex import split

from eyechart.core.records import Estimate
from eyechart.doctor.case import Diagnosis
from eyechart.doctor.claims import Reproduced, claim_in_points
from eyechart.doctor.examined import Examined
from eyechart.doctor.fields import written
from eyechart.doctor.rank import Findings
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Heading, Note, Prose, Table, Text, message
from eyechart.report.common import listed, missing, row, table

MOST_FIELDS = 8
"""Fields that differ without a cause, shown at most."""
ELSEWHERE = ("missing_items", "machine")
"""Causes whose remedy is to run on, which a log of another harness cannot."""


def doctor_blocks(found: Examined) -> list[Block]:
    """The whole section: verdict, causes in order, faults that both have, the claim, the symptom."""
    blocks: list[Block] = []
    if found.findings is not None:
        blocks += _measured(found.findings)
    if found.symptom is not None:
        blocks += _symptom(found)
    return blocks


def headline(found: Examined) -> Text:
    """The answer in one sentence."""
    if found.findings is None:
        return symptom_line(found)
    seen = found.findings
    if seen.causes:
        first = seen.causes[0]
        if calm(seen):
            found_one = message(f"doctor.cause.{first.cause}")
            strong = message(f"doctor.strength.{first.strength}")
            return _change(
                "doctor.found.noise", seen, cause=found_one, strength=strong, k=numbers.whole(len(seen.causes))
            )
        return message(
            "doctor.found",
            cause=message(f"doctor.cause.{first.cause}"),
            strength=message(f"doctor.strength.{first.strength}"),
            n=numbers.whole(len(seen.causes)),
        )
    if seen.gap is None:
        return message("doctor.nothing", n=numbers.whole(len(seen.case.a.answers)))
    if not seen.gap.pairs:
        return message("doctor.apart")
    if not seen.gap.flips:
        return message("doctor.same", n=numbers.whole(len(seen.gap.pairs)))
    return _change("doctor.unexplained" if seen.beyond else "doctor.noise", seen)


def calm(seen: Findings) -> bool:
    """Whether causes were found between two evaluations whose difference is noise, none of which surely moved it: the
    headline then says the difference."""
    return seen.change is not None and not seen.beyond and bool(seen.causes) and seen.causes[0].strength != "proven"


def apart(seen: Findings) -> list[Text]:
    """Of two evaluations in which no cause was found: the fields of their fingerprints that differ all the same."""
    if seen.hidden:
        return [message("doctor.hidden")]
    if not seen.differs:
        return []
    lines = [
        message("doctor.said.field", path=written(one.path), a=one.a, b=one.b) for one in seen.differs[:MOST_FIELDS]
    ]
    return [message("doctor.differs", n=numbers.whole(len(seen.differs))), *lines]


def _change(key: str, seen: Findings, **more: Text) -> Text:
    change = seen.change
    if change is None:
        return message("doctor.apart")
    ends = numbers.interval_of(change)
    return message(
        key,
        change=numbers.signed(change.value),
        ends=numbers.ends(ends, change=True) if ends else "",
        level=f"{100 * ends.level:.0f}" if ends else "",
        n=numbers.whole(change.n),
        **more,
    )


def difference(seen: Findings) -> Text | None:
    """How the two scores differ; None where there is one evaluation, or nothing shared."""
    if seen.gap is None or not isinstance(seen.gap.change, Estimate):
        return None
    return _change("doctor.difference", seen, verdict=message("doctor.beyond" if seen.beyond else "doctor.within"))


def symptom_line(found: Examined) -> Text:
    if not found.usual:
        return message("doctor.symptom.unknown")
    if found.findings is None:
        return message("doctor.symptom.measured")
    fitting = [one.cause for one in found.findings.causes if one.cause in found.usual]
    if not fitting:
        return message("doctor.symptom.none")
    return message("doctor.symptom.found", causes=listed([message(f"doctor.cause.{cause}") for cause in fitting]))


def left(found: Examined) -> tuple[str, ...]:
    """Usual causes of the symptom that were not found in the runs; all of them where none was given."""
    seen = {one.cause for one in found.findings.causes} if found.findings else set[str]()
    return tuple(cause for cause in found.usual if cause not in seen)


def name_of(one: Diagnosis, pair: bool) -> Text:
    cause = message(f"doctor.cause.{one.cause}")
    if not pair or one.where == "between":
        return cause
    return message("doctor.fault", cause=cause, where=message(f"doctor.where.{one.where}"))


def evidence(one: Diagnosis, tested: int) -> list[Text]:
    """Every line of evidence, the share of verdicts, and the test where there was one."""
    out: list[Text] = [message(f"doctor.said.{fact.key}", **dict(fact.params)) for fact in one.facts]
    if one.explains is not None:
        out.append(message("doctor.explains", points=numbers.signed(one.explains)))
    elif one.share:
        out.append(message("doctor.share", share=numbers.points(one.share)))
    if one.p is not None and tested:
        out.append(message("doctor.tested", p=numbers.probability(one.p), n=numbers.whole(tested)))
    return out


def trial(one: Diagnosis) -> Text:
    """What would decide, and its price."""
    price = one.experiment.calls
    said: Text = message("doctor.calls.foreign" if one.experiment.what == "foreign" else "doctor.calls.unknown")
    if price is not None:
        said = message("doctor.calls.some", n=numbers.whole(price)) if price else message("doctor.calls.none")
    return message(
        "doctor.decide",
        text=message("doctor.join", what=message(f"doctor.try.{one.experiment.what}"), command=command(one)),
        price=said,
    )


def command(one: Diagnosis) -> Text:
    tried = one.experiment
    if not tried.change:
        return tried.command
    if tried.study is None:
        return message("doctor.elsewhere", command=tried.command, line=tried.change)
    copy = next((word for word in split(tried.command) if word.endswith(".yaml")), "")
    return message("doctor.change", command=tried.command, copy=copy, study=tried.study, line=tried.change)


def remedy_words(one: Diagnosis) -> Text:
    """What to do about it; of a log of another harness what can be done there."""
    if one.experiment.what == "foreign" and one.cause in ELSEWHERE:
        return message(f"doctor.elsewhere.{one.cause}", harness=one.experiment.command)
    return message(f"doctor.remedy.{one.cause}")


def remedy(one: Diagnosis) -> Text:
    return message("doctor.remedy", text=remedy_words(one))


def _measured(seen: Findings) -> list[Block]:
    pair = seen.case.b is not None
    # No `Verdict`: its words for a screen reader speak of scores that move over set-ups.
    kind = "warning" if seen.causes or seen.beyond else "info"
    blocks: list[Block] = [Note(kind=kind, text=headline(Examined(findings=seen)))]
    blocks += [Prose(text=line) for line in apart(seen)]
    gap = difference(seen)
    if gap is not None and seen.causes and not calm(seen):
        blocks.append(Prose(text=gap))
    for letter, side in (("a", seen.case.a), ("b", seen.case.b)):
        if side is not None and pair:
            blocks.append(Prose(text=message("doctor.side", letter=letter, name=side.name)))
    if seen.causes:
        blocks.append(_table(seen, pair))
    for at, one in enumerate(seen.causes):
        blocks.append(Heading(text=name_of(one, pair), level=3, anchor=f"doctor-{at + 1}"))
        blocks += [Prose(text=line) for line in evidence(one, seen.tested)]
        blocks += [Prose(text=trial(one)), Note(kind="info", text=remedy(one))]
    if seen.shared:
        blocks.append(Heading(text=message("doctor.shared.title"), level=3, anchor="doctor-shared"))
        blocks.append(Prose(text=message("doctor.shared")))
        for one in seen.shared:
            blocks.append(Prose(text=listed([name_of(one, pair), *evidence(one, 0)[:1]])))
    if seen.claimed and seen.case.claimed is not None:
        blocks += _claim(seen.case.claimed, seen.claimed)
    return blocks


def _table(seen: Findings, pair: bool) -> Table:
    keys = ["cause", "strength", *(["where"] if pair else []), "share", "command", "calls"]
    columns = [(message(f"doctor.col.{key}"), key in ("share", "calls")) for key in keys]
    rows = [
        row(
            Cell(text=message(f"doctor.cause.{one.cause}"), href=f"doctor-{at + 1}"),
            message(f"doctor.strength.{one.strength}"),
            *([message(f"doctor.where.{one.where}")] if pair else []),
            Cell(text=numbers.points(one.share), value=one.share) if one.share else missing(message("doctor.unseen")),
            Cell(text=one.experiment.command, code=True),
            missing(message("doctor.unmeasured.foreign" if one.experiment.what == "foreign" else "doctor.unmeasured"))
            if one.experiment.calls is None
            else Cell(text=numbers.whole(one.experiment.calls), value=float(one.experiment.calls)),
        )
        for at, one in enumerate(seen.causes)
    ]
    return table(columns, rows, title=message("doctor.table"), caption=message("doctor.scale"))


def claim_line(ways: tuple[Reproduced, ...]) -> Text:
    """Which ways of counting give the claimed number."""
    fitting = [one for one in ways if one.fits]
    if not fitting:
        near = ways[0]
        return message("doctor.claim.none", way=way_of(near), value=numbers.points(near.value))
    if any(one.way == "plain" for one in fitting):
        return message("doctor.claim.plain")
    return message("doctor.claim.some", ways=listed([way_of(one) for one in fitting]))


def way_of(one: Reproduced) -> Text:
    return message(f"doctor.way.{one.way}", detail=one.detail)


def _claim(claim: str, ways: tuple[Reproduced, ...]) -> list[Block]:
    columns = [(message("doctor.col.way"), False), (message("doctor.col.value"), True)]
    rows = [
        row(
            Cell(text=way_of(one), mark="flagged" if one.fits else ""),
            Cell(text=numbers.points(one.value, 2), value=one.value),
        )
        for one in ways
    ]
    blocks: list[Block] = [
        Heading(text=message("doctor.claim.title", claim=claim_in_points(claim)), level=3, anchor="doctor-claim")
    ]
    blocks += [Prose(text=claim_line(ways)), table(columns, rows)]
    if sum(one.fits for one in ways) > 1:
        blocks.append(Note(kind="info", text=message("doctor.claim.caution")))
    return blocks


def _symptom(found: Examined) -> list[Block]:
    blocks: list[Block] = [Heading(text=message("doctor.symptom.title"), level=3, anchor="doctor-symptom")]
    if found.symptoms:
        heard = listed([message(f"doctor.symptom.{one.id}") for one in found.symptoms])
        blocks.append(Prose(text=message("doctor.symptom.heard", text=heard)))
    blocks.append(Note(kind="info", text=symptom_line(found)))
    if left(found):
        columns = [(message("doctor.col.cause"), False), (message("doctor.col.remedy"), False)]
        rows = [row(message(f"doctor.cause.{c}"), message(f"doctor.remedy.{c}")) for c in left(found)]
        blocks.append(table(columns, rows))
    return blocks
