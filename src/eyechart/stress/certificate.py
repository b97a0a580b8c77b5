"""The certificate of a grader: what was tried, what failed, and what the counts show; stale when the grader changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.stress.cases import KINDS, Family, Kind
from eyechart.stress.hostile import MEGABYTE
from eyechart.stress.report import Failed, Five, Group, Pairs, Report, Slowest, Tally, Times

TARGET = 0.001
"""Most right answers rejected, and most wrong ones accepted, that a certified grader may have: a fraction of 1."""
SECONDS = 1.0
"""Longest time that a certified grader may take for a million hostile characters."""
CAVEAT = (
    "The bounds treat the generated variants as independent draws from this generator, not from the answers of any"
    " model. Variants of one base task are clustered; failures are given by base task as well. A table of every"
    " tested input cannot be told from a solution by running it, and is not among the cheats tried."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Belongs to one grader by name and digest, and to one version of eyechart, whose cases these are."""

    grader: str
    digest: str
    """Of the grader's source or build, given by whoever made it."""
    version: str
    """Of eyechart."""
    report: Report

    @property
    def refused(self) -> tuple[str, ...]:
        """Why it is not certified, a line each; empty where it is."""
        return tuple(line for kind in self.report.kinds for line in self._refused(kind))

    def _refused(self, kind: Kind) -> list[str]:
        out: list[str] = []
        families: dict[Family, str] = {"right": "right answers rejected", "wrong": "wrong answers accepted"}
        for family, words in families.items():
            tally = self.report.tally(family, kind)
            if tally is None:
                out.append(f"{kind}: {words} not tested")
            elif tally.bound > TARGET:
                share = f"bound {tally.bound:.3%}, wanted {TARGET:.1%}"
                out.append(f"{kind}: {words} {tally.failures:,} of {tally.n:,} ({share})")
        out += self._hostile(kind)
        if kind == "code":
            five = self.report.five
            if five is None or five.passed < five.tasks:
                count = "not tested" if five is None else f"pass for {five.passed} of {five.tasks} tasks"
                out.append(f"code: all five equivalent solutions {count}")
        return out

    def _hostile(self, kind: Kind) -> list[str]:
        tally = self.report.tally("hostile", kind)
        worst = next((slow for slow in self.report.slowest if slow.kind == kind), None)
        if tally is None or worst is None:
            return [f"{kind}: hostile inputs not tested"]
        out: list[str] = []
        if tally.failures:
            out.append(f"{kind}: {tally.failures} of {tally.n} hostile inputs accepted or not answered")
        if worst.length < MEGABYTE:
            out.append(f"{kind}: hostile inputs of {worst.length:,} characters tried, wanted {MEGABYTE:,}")
        if worst.seconds >= SECONDS:
            out.append(f"{kind}: {worst.seconds:.2f} s a megabyte of {worst.style}, wanted under {SECONDS:g}")
        return out

    @property
    def certified(self) -> bool:
        """Whether every kind tested meets every target; says nothing of kinds not tested."""
        return not self.refused

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of which it may be used: those that meet their targets."""
        return tuple(kind for kind in self.report.kinds if not self._refused(kind))

    @property
    def untested(self) -> tuple[Kind, ...]:
        return tuple(kind for kind in KINDS if kind not in self.report.kinds)

    @property
    def statements(self) -> tuple[str, ...]:
        """What the counts show, a sentence for each kind and family."""
        tallies = (t for t in self.report.tallies if t.family in ("right", "wrong"))
        return (*(f"{t.kind}: {t.statement}" for t in tallies), *(f"{k}: not tested" for k in self.untested))

    def holds_for(self, digest: str, version: str) -> bool:
        """Whether it still speaks of this grader under this eyechart; stale otherwise."""
        return (digest, version) == (self.digest, self.version)


def as_data(certificate: Certificate) -> dict[str, Any]:
    """Plain JSON, rates as fractions of 1. What is derived stands there for readers, and is worked out anew by
    `from_data`: a word changed in a file certifies nothing."""
    report = certificate.report
    tallies = [
        asdict(tally)
        | {"rate": tally.rate, "interval": [tally.interval.low, tally.interval.high], "bound": tally.bound}
        | ({} if tally.family == "hostile" else {"statement": tally.statement})
        for tally in report.tallies
    ]
    plain = _lists(asdict(report) | {"tallies": tallies})
    return {
        "certificate": 1,
        "grader": certificate.grader,
        "digest": certificate.digest,
        "version": certificate.version,
        "certified": certificate.certified,
        "certified_kinds": list(certificate.kinds),
        "refused": list(certificate.refused),
        "statements": list(certificate.statements),
        "not_tested": list(certificate.untested),
        "targets": {"rejected": TARGET, "accepted": TARGET, "level": 0.95, "hostile_seconds": SECONDS},
        "caveat": CAVEAT,
        "report": plain,
    }


def from_data(data: Mapping[str, Any]) -> Certificate:
    """The certificate that `as_data` wrote. InputError for anything else."""
    if data.get("certificate") != 1:
        raise InputError("no certificate of version 1: give the JSON that the stress test wrote")
    try:
        return Certificate(
            grader=data["grader"], digest=data["digest"], version=data["version"], report=_report(data["report"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"damaged certificate ({type(error).__name__}: {error}): run the stress test again") from None


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lists(v) for k, v in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_lists(v) for v in cast("list[Any]", value)]
    return value


def _report(data: Mapping[str, Any]) -> Report:
    stated = ("family", "kind", "n", "failures", "errors")
    five = data["five"]
    return Report(
        seed=data["seed"],
        kinds=tuple(data["kinds"]),
        tallies=tuple(Tally(**{name: row[name] for name in stated}) for row in data["tallies"]),
        styles=tuple(Group(**row) for row in data["styles"]),
        tasks=tuple(Group(**row) for row in data["tasks"]),
        failed=tuple(Failed(**row) for row in data["failed"]),
        pairs=tuple(Pairs(**row) for row in data["pairs"]),
        times=Times(**data["times"]),
        slowest=tuple(Slowest(**row) for row in data["slowest"]),
        five=None if five is None else Five(**(five | {"failed": tuple(five["failed"])})),
    )
