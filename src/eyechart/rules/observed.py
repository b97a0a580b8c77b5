"""Rules about what was seen: repeats, graders, intervals, failures, the sample, the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from eyechart.core.records import Estimate, NotEstimable
from eyechart.core.words import Text, message
from eyechart.rules.stated import found, line, shown
from eyechart.rules.values import Answer, Judge, Known

CALIBRATED = ("never_calibrated", "borrowed", "judge_outdated", "rubric_outdated", "old")
"""Cautions of which one is enough for a judge not to count as calibrated."""
ENOUGH = 3
"""Repeats from which a spread over runs can be seen at all."""
ERRORS = ("se", "stderr", "std_err", "ci", "interval", "low", "lower", "confidence", "error", "half_width")
"""Parts of names under which a snapshot gives how sure its score is."""
BEST = ("max", "best", "top", "highest")
COUNTS = ("n", "runs", "configs", "configurations", "setups", "trials", "seeds", "count")
BETWEEN = re.compile(r"dev|dirty|\+|latest|main|master|nightly|unknown", re.IGNORECASE)
"""Parts of versions that name no release."""
NO_HARDWARE = ("", "unknown", "n/a", "na", "none", "?", "-", "gpu", "gpus", "cpu", "cloud", "server", "cluster")
"""Words that name no machine."""
NOT_RUN = message("rule.not_run")


def seed_acts(known: Known) -> Answer:
    """Kept where repeats of what is sampled differ. That they are all equal is no proof that the seed is lost: a sure
    model repeats itself; but a repeat that is the copy of another one is no repeat."""
    drawing = [s for s in known.setups if s.sampled is not False]
    if known.setups and not drawing:
        return Answer("kept", message("rule.seed_stated.inert"))
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    if not known.varied:
        return Answer("unknown", message("rule.seed_acts.once" if known.scores else "rule.not_told"))
    if known.value("decoding.seed_scope") == "fixed":
        return Answer("broken", message("rule.seed_acts.fixed"))
    copied = [v for v in known.varied if v.copies]
    if copied:
        runs = ", ".join(str(r + 1) for r in copied[0].copies)
        return Answer("broken", message("rule.seed_acts.copies", setup=copied[0].setup, runs=runs))
    still = [v for v in known.varied if not v.differ]
    one = (still or list(known.varied))[0]
    told = {"setup": one.setup, "items": one.items, "differ": one.differ}
    if known.probe is not None and known.probe.differ > 0:
        lost = {"share": f"{known.probe.differ:.0%}", "calls": f"{known.probe.calls:,}"}
        return Answer("broken", message("rule.seed_acts.lost", **lost))
    if still:
        return Answer("unknown", message("rule.seed_acts.still", **told))
    if known.probe is not None:
        return Answer("kept", message("rule.seed_acts.kept", calls=f"{known.probe.calls:,}", **told))
    return Answer("kept", message("rule.seed_acts.differ", **told))


def command(known: Known) -> Answer:
    got = known.value("runtime.command")
    if got:
        return Answer("kept", line(str(got)))
    if known.kind == "run":
        return Answer("broken", message("rule.command_kept.lost"))
    return Answer("unknown", NOT_RUN if known.kind == "study" else message("reason.not_recorded"))


def certified(known: Known) -> Answer:
    """Kept where every grader has a certificate that is of today and meets its targets for what it read."""
    early = _no_graders(known)
    if early:
        return early
    graders = known.graders or ()
    bad = [g for g in graders if g.state in ("failing", "stale")]
    lacking = [g for g in graders if g.state in ("none", "untested")]
    names = line(", ".join(f"{g.name} ({g.kind})" for g in (bad or lacking or graders)[:6]))
    if bad:
        return Answer("broken", message("rule.grader_certified.bad", names=names))
    if lacking:
        return Answer("unknown", message("rule.grader_certified.lacking", names=names))
    return Answer("kept", names)


def grader_tests(known: Known) -> Answer:
    """Kept where the tests of every grader are on record with their number, whatever came of them."""
    early = _no_graders(known)
    if early:
        return early
    graders = known.graders or ()
    lacking = [g for g in graders if not g.tests]
    if lacking:
        names = line(", ".join(f"{g.name} ({g.kind})" for g in lacking[:6]))
        foreign = known.kind != "run"
        return Answer("unknown" if foreign else "broken", message("rule.grader_tests.none", names=names))
    told = ", ".join(f"{g.name} ({g.kind}): {g.tests:,}" for g in graders[:6])
    return Answer("kept", message("rule.grader_tests.counts", names=line(told)))


def _no_graders(known: Known) -> Answer | None:
    if known.setups and all(s.options for s in known.setups):
        return Answer("kept", message("rule.options_scored"))
    if known.graders:
        return None
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    return Answer("unknown", message("rule.grader_certified.unread"))


def reproducible(known: Known) -> Answer:
    """The same answers, read twice today: twice the same verdict, and the one that the run holds."""
    if known.setups and all(s.options for s in known.setups):
        return Answer("kept", message("rule.options_scored"))
    seen = known.reread
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    if seen is None or seen.left is not None or not seen.answers:
        left = "nothing" if seen is None or seen.left is None else seen.left
        return Answer("unknown", message(f"rule.grader_reproducible.{left}"))
    told = {"n": f"{seen.answers:,}", "apart": f"{seen.apart:,}", "moved": f"{seen.moved:,}"}
    if seen.apart:
        return Answer("broken", message("rule.grader_reproducible.apart", **told))
    if seen.moved:
        return Answer("broken", message("rule.grader_reproducible.moved", **told))
    return Answer("kept", message("rule.grader_reproducible.same", **told))


def repeats(known: Known) -> Answer:
    """Of every set-up that samples; asked again, a greedy one gives its answer again."""
    if not known.setups:
        return Answer("unknown", message("rule.no_baseline"))
    base = known.setup()
    few = [s for s in known.setups if s.repeats is None or s.repeats < ENOUGH]
    unsaid = [s for s in few if s.sampled is not False and s.repeats is None]
    told = {"n": "?" if base.repeats is None else str(base.repeats)}
    if not few:
        return Answer("kept", message("rule.repeats.enough", **told))
    if all(s.sampled is False for s in few):
        return Answer("kept", message("rule.repeats.greedy", n=len(few)))
    if unsaid:
        return Answer("unknown", message("rule.not_in_fingerprint", path="repeats.count"))
    if any(s.sampled for s in few):
        one = next(s for s in few if s.sampled)
        return Answer("broken", message("rule.repeats.few", n=one.repeats or 0, setup=one.id or "–"))
    return Answer("unknown", message("rule.repeats.unclear", **told))


def intervals(known: Known) -> Answer:
    if known.scores is None:
        return _of_words(known)
    if not known.scores:
        return Answer("unknown", message("rule.no_scores"))
    have = sum(isinstance(s.new_items, Estimate) and s.new_items.interval is not None for s in known.scores)
    state = "kept" if have == len(known.scores) else "broken"
    return Answer(state, message("rule.intervals.count", have=have, n=len(known.scores)))


def _of_words(known: Known) -> Answer:
    """What a snapshot says beside its score."""
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    names = _score_names(known)
    if not names:
        return Answer("unknown", message("rule.no_scores"))
    sure = [name for name in names if any(part in name.rpartition(".")[2].lower() for part in ERRORS)]
    if sure:
        return Answer("kept", found(sure[0], known.value(sure[0])))
    return Answer("broken", message("rule.intervals.bare", names=", ".join(names[:4])))


def _score_names(known: Known) -> list[str]:
    return [name for name in known.facts if name == "score" or name.startswith("score.")]


def failures(known: Known) -> Answer:
    """Counted means: every call that was wanted ended as an answer, or as a failure that stands outside the score."""
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    scores = known.scores
    if not scores or any(not s.outcomes for s in scores):
        return Answer("unknown", message("rule.no_outcomes"))
    missing = known.value("run.missing") or 0
    if missing:
        return Answer("broken", message("rule.failures_counted.missing", n=f"{missing:,}"))
    count, of = known.value("data.count"), known.value("data.of")
    if known.kind == "imported" and isinstance(count, int) and isinstance(of, int) and count < of:
        return Answer("unknown", message("rule.failures_counted.part", n=f"{count:,}", of=f"{of:,}"))
    failed = sum(s.outcomes.get("failed", 0) + s.outcomes.get("unscored", 0) for s in scores)
    total = sum(sum(s.outcomes.values()) for s in scores)
    return Answer("kept", message("rule.failures_counted.count", failed=f"{failed:,}", total=f"{total:,}"))


def drawn_ids(known: Known) -> Answer:
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    ids, count, of = (known.value(name) for name in ("data.ids", "data.count", "data.of"))
    if ids is None or count is None:
        return Answer("unknown", message("rule.not_told"))
    told = {"have": f"{ids:,}", "n": f"{count:,}", "of": f"{of:,}" if isinstance(of, int) else "?"}
    return Answer("kept" if ids == count else "broken", message("rule.drawn_ids.count", **told))


def not_first(known: Known) -> Answer:
    """A sample of this house is drawn with a seed. A foreign log may state a limit, and the ids may show that it is the
    beginning; it may also not say how many items there are."""
    count, of = known.value("data.count"), known.value("data.of")
    limit = known.value("dataset.limit")
    if known.kind == "study":
        if limit is None:
            return Answer("kept", message("rule.not_first_n.whole"))
        seed = known.value("dataset.seed")
        return Answer("kept", message("rule.not_first_n.drawn", n=f"{limit:,}", seed=shown(seed)))
    if cut := known.value("data.limit"):
        n, there = (f"{some:,}" if isinstance(some, int) else "?" for some in (count, of))
        return Answer("broken", message("rule.not_first_n.limit", limit=shown(cut), n=n, of=there))
    if not isinstance(count, int) or not isinstance(of, int):
        return Answer("unknown", message("rule.not_first_n.unknown"))
    told = {"n": f"{count:,}", "of": f"{of:,}"}
    if count >= of:
        return Answer("kept", message("rule.not_first_n.all", **told))
    if known.kind == "run":
        return Answer("kept", message("rule.not_first_n.seed", **told, seed=shown(known.value("dataset.seed"))))
    if known.value("data.first"):
        return Answer("broken", message("rule.not_first_n.first", **told))
    return Answer("unknown", message("rule.not_first_n.part", **told))


def maximum(known: Known) -> Answer:
    """A maximum is published with the number of tries and their middle. Here the report does so wherever all set-ups
    have a score; of what others publish the number is asked for."""
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    if known.kind == "run":
        tried, scored = len(known.setups), len([s for s in known.scores or () if isinstance(s.new_items, Estimate)])
        if tried == 1:
            return Answer("kept", message("rule.maximum_with_count.one"))
        if scored < tried:
            return Answer("broken", message("rule.maximum_with_count.some", n=scored, of=tried))
        return Answer("kept", message("rule.maximum_with_count.all", n=tried))
    names = _score_names(known)
    if known.value("score.configurations") is not None or any(
        name.rpartition(".")[2].lower() in COUNTS for name in names
    ):
        return Answer("kept", message("rule.maximum_with_count.said"))
    best = [name for name in names if any(word in name.rpartition(".")[2].lower() for word in BEST)]
    if best:
        return Answer("broken", message("rule.maximum_with_count.bare", name=best[0]))
    return Answer("unknown", message("rule.maximum_with_count.unknown"))


def hardware(known: Known) -> Answer:
    """Of the machine that computed the answers; a server's is not the one that asked it."""
    told = known.value("runtime.hardware")
    if told is not None:
        empty = str(told).strip().lower() in NO_HARDWARE
        return Answer("broken" if empty else "kept", message("rule.hardware_stated.empty", value=shown(told)) if empty
                      else found("runtime.hardware", told))  # fmt: skip
    if known.kind == "study":
        return Answer("unknown", NOT_RUN)
    if known.value("model.backend") == "openai":
        return Answer("unknown", message("rule.hardware_stated.server"))
    for name in ("runtime.processor", "runtime.platform"):
        if known.value(name) is not None:
            return Answer("kept", found(name, known.value(name)))
    return Answer("unknown", message("reason.not_recorded"))


def harness(known: Known) -> Answer:
    """A version that names a release; a state between two releases is none that others can install."""
    names = ("runtime.packages.eyechart",) if known.kind == "run" else ()
    names += ("harness.version", "evaluation.framework_version", "runtime.framework_version")
    got: tuple[str, Any] | None = next(((n, known.value(n)) for n in names if known.value(n) is not None), None)
    if got is None:
        return Answer("unknown", NOT_RUN if known.kind == "study" else message("reason.not_recorded"))
    version = str(got[1])
    if any(c.isdigit() for c in version) and not BETWEEN.search(version):
        return Answer("kept", found(*got))
    return Answer("broken", message("rule.harness_version.none", path=got[0], value=shown(got[1])))


def clean(known: Known) -> Answer:
    """The study stood in a git checkout without changes, so that its commit says what was run."""
    commit, dirty = known.value("runtime.git.commit"), known.value("runtime.git.dirty")
    if commit is None:
        return Answer("unknown", NOT_RUN if known.kind == "study" else message("rule.git_clean.none"))
    if dirty is None:
        return Answer("unknown", message("rule.git_clean.unsaid", commit=shown(commit)))
    return Answer("broken" if dirty else "kept", message(f"rule.git_clean.{'dirty' if dirty else 'clean'}",
                                                         commit=shown(commit)))  # fmt: skip


def calibrated(known: Known) -> Answer | None:
    """Kept where every judge was looked at and nothing says that its calibration is absent, another's or outdated."""
    if known.judges is not None and not known.judges:
        return None
    if known.judges is None:
        return None if known.kind != "study" else Answer("unknown", NOT_RUN)
    for wanted, state in (("found", "broken"), ("unknown", "unknown")):
        texts = [text for judge in known.judges if (text := _doubt(judge, wanted)) is not None]
        if texts:
            return Answer("broken" if state == "broken" else "unknown", _joined(texts[:6]))
    return Answer("kept", line(", ".join(judge.name for judge in known.judges[:6])))


def _doubt(judge: Judge, wanted: str) -> Text | None:
    """Why this judge may not count as calibrated, of cautions in that state; None where there is no reason."""
    if judge.doubts is None:
        return message("rule.judge_calibrated.unchecked", name=judge.name) if wanted == "unknown" else None
    first = next((c for c in judge.doubts if c.state == wanted and c.code in CALIBRATED), None)
    if first is None:
        return None
    return message("rule.judge_calibrated.doubt", name=judge.name, text=first.text, evidence=first.evidence)


def _joined(texts: Sequence[Text]) -> Text:
    out = texts[0]
    for text in texts[1:]:
        out = message("list.join", first=out, second=text)
    return out


def width(number: Estimate | NotEstimable) -> float | None:
    """Half of an interval, as a fraction of 1; None where there is none."""
    if isinstance(number, NotEstimable) or number.interval is None:
        return None
    return (number.interval.high - number.interval.low) / 2
