"""verify: a run that was imported from the log of another harness.

Its prompts and most of its scores are the log's own: they cannot be made again from the folder. What can be: the
digests, scores of options from their log-probabilities, and claimed aggregates from the scores of the items. With the
log at hand (`source`) it is imported anew, and everything is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.app.folder import Folder
from eyechart.app.importing import import_logs
from eyechart.app.relaid import first_difference
from eyechart.app.verify_case import MOST, Case, Check, short
from eyechart.app.verify_claims import CERTIFICATES, ENGINES, ITEMS, RUN, STUDY, told
from eyechart.app.verify_scores import PAGE, REPORT
from eyechart.core.effective import stated_digest
from eyechart.core.findings import Finding
from eyechart.core.identity import short as cut
from eyechart.core.records import Outcome
from eyechart.core.spec import Spec
from eyechart.score.options import score_options
from eyechart.store.store import Store

LOG = "source/log.json"
BATCH = 10_000
"""Answers that are held at once."""
_KEPT = "the log scores an answer that it does not hold"
_TURNED = "scores of items are not what the log-probabilities in the log give"


def _log(case: Case) -> Mapping[str, Any]:
    return Folder(case.copy.path / "source").read_json("log.json")


def _cells(case: Case, check: Check) -> Iterator[Finding]:
    wrong = 0
    for said in case.facts["cells"]:
        derived = stated_digest(Spec.model_validate(said["stated"]))
        if said["digest"] != derived:
            wrong += 1
            text = f"set-up {said['id']}: what it states has the digest {cut(derived)}, run.json says {short(said['digest'], 24)}"
            yield check.broken(text, file=RUN)
    base, stated = case.study.spec.stated(), case.facts["cells"][0]["stated"]
    if found := first_difference(stated, base, "stated"):
        wrong += 1
        yield check.broken(told(found, derived="study.yaml"), file=RUN)
    names = [said["id"] for said in case.facts["cells"]]
    if list(case.table[0].cells) != names:
        wrong += 1
        yield check.broken("observations.npz has other readings than run.json", file="observations.npz")
    if not wrong:
        yield check.kept(f"{len(names)} readings of the log, {cut(case.facts['cells'][0]['digest'])}")


def _answers(case: Case, check: Check) -> Iterator[Finding]:
    """Every score has its answer, and every answer its place."""
    seen, keys = case.table
    with Store(case.copy.store, create=False) as store:
        stored = {line.split(" ", 1)[0] for line in store.digests()}
    there = np.fromiter((key in stored for key in keys), dtype=np.bool_, count=len(keys))
    calls, wrong = case.facts["calls"], 0
    if strange := stored.difference(keys):
        wrong += 1
        yield check.broken(f"{len(strange):,} answers of the store belong to no score", file="store.sqlite")
    bare = np.flatnonzero(seen.scored & ~there[seen.call])
    if len(bare) and not any(_KEPT in text for text in _log(case)["findings"]):
        wrong += 1
        row = int(bare[0])
        where = f"item {short(seen.items[int(seen.item[row])])}, repeat {int(seen.repeat[row])}"
        yield check.broken(f"{len(bare):,} scores have no answer in the store, first {where}", file="store.sqlite")
    if calls["stored"] != len(stored) or calls["needed"] != calls["stored"] + calls["failed"]:
        wrong += 1
        text = f"the store holds {len(stored):,} answers; run.json says {calls['stored']:,} of {calls['needed']:,}"
        yield check.broken(text, file=RUN)
    if not wrong:
        yield check.kept(f"{len(stored):,} answers, each with its scores")


def _scores(case: Case, check: Check) -> Iterator[Finding]:
    seen, keys = case.table
    items = case.items
    recorded = list[str]()
    for at, said in enumerate(case.facts["cells"]):
        if said["effective"]["asking"]["elicit"] != "options" or "recorded" in str(said["stated"].get("evaluation")):
            recorded.append(said["id"])
            continue
        normalize = said["effective"]["reading"].get("normalize", "none")
        wrong, first, compared, tied = 0, "", 0, 0
        rows = range(seen.rows(at).start, seen.rows(at).stop)
        for part in (rows[i : i + BATCH] for i in range(0, len(rows), BATCH)):
            with Store(case.copy.store, create=False) as store:
                entries = {e.key: e for e in store.entries({keys[int(seen.call[r])] for r in part})}
            for row in part:
                entry = entries.get(keys[int(seen.call[row])])
                if entry is None or not seen.scored[row]:
                    continue
                item = items[seen.items[int(seen.item[row])]]
                _, score = score_options(entry.response.option_logprobs, entry.request.options, item, normalize)
                if score.value is None or score.outcome is Outcome.UNPARSEABLE:
                    tied += 1  # a tie has no winner here, and the first of them there
                    continue
                compared += 1
                if score.value != float(seen.value[row]):
                    wrong += 1
                    where = f"item {short(item.id)}, repeat {int(seen.repeat[row])}"
                    first = first or f"{where}: {float(seen.value[row]):g} claimed, {score.value:g} follows"
        yield _options(case, check, said["id"], (wrong, compared, first))
        if tied and not case.memory.get("source"):
            yield check.unknown(f"set-up {said['id']}: {tied:,} scores are of ties, or of no numbers", severity="note")
    if recorded and case.memory.get("source"):
        yield check.kept(f"the scores of {', '.join(recorded[:5])} are the log's own, and are those in it")
    elif recorded:
        text = f"the scores of {', '.join(recorded[:5])} are the log's own, which it does not say how to make again"
        yield check.unknown(
            text, remedy="give the log: eyechart verify RUN --source LOG; eyechart reread RUN reads the answers"
        )


def _options(case: Case, check: Check, cell: str, found: tuple[int, int, str]) -> Finding:
    wrong, compared, first = found
    if not wrong:
        return check.kept(f"set-up {cell}: {compared:,} scores follow from the log-probabilities")
    if any(text.endswith(f"{wrong:,} {_TURNED}") for text in _log(case)["findings"]):
        return check.kept(
            f"set-up {cell}: {wrong:,} scores do not follow from the log-probabilities, as the import said"
        )
    return check.broken(f"set-up {cell}: {wrong:,} scores do not follow, first {first}", file="observations.npz")


def _claims(case: Case, check: Check) -> Iterator[Finding]:
    """Claimed aggregates against the scores of the items; what the import said does not fit may not fit."""
    seen, _ = case.table
    log, wrong, held = _log(case), 0, 0
    names = _readings(case, log)
    for claim in log["claims"]:
        name = f"{claim['key']} of {claim['group']}" if claim["group"] else claim["key"]
        if claim["value"] is None or not claim["mean"] or claim["reading"] not in names:
            continue
        means = seen.means(names[claim["reading"]])
        some = ~np.isnan(means) & _group(seen, claim["group"])
        if not some.any():
            continue
        held += 1
        mean = fmean(means[some].tolist())
        if abs(mean - claim["value"]) > claim["off"] + 1e-9:
            if any(text.startswith(name) and f"{mean:.6g}" in text for text in log["findings"]):
                continue
            wrong += 1
            text = f"{name}: the log claims {claim['value']:.6g}, and the scores of {int(some.sum()):,} items give {mean:.6g}"
            yield check.broken(text, file="observations.npz")
    if not held:
        yield check.unknown("the log claims no mean that could be held against the scores", severity="note")
    elif not wrong:
        yield check.kept(f"{held} claimed means are those of the scores, or were said not to be")


def _group(seen: Observations, group: str | None) -> NDArray[np.bool_]:
    if group is None:
        return np.ones(len(seen.items), dtype=np.bool_)
    return np.array([one == group for one in seen.groups], dtype=np.bool_)


def _readings(case: Case, log: Mapping[str, Any]) -> dict[str, int]:
    """Reading of the log to its set-up. One alone has no level, and is told by what it records."""
    cells = case.facts["cells"]
    if len(cells) > 1:
        return {cell["levels"]["reading"]: at for at, cell in enumerate(cells)}
    evaluation = cells[0]["stated"].get("evaluation", {})
    score, rule = evaluation.get("score"), evaluation.get("extraction")
    if isinstance(score, Mapping) and "recorded" in score:
        metric = cast("Any", score)["recorded"].get("metric", "")
        at = cast("Any", rule)["recorded"].get("rule", "") if isinstance(rule, Mapping) else ""
        return {f"{metric}@{at}" if at else metric: 0}
    claimed = {claim["reading"] for claim in log["claims"]}
    return {next(iter(claimed)): 0} if len(claimed) == 1 else {}


def _source(case: Case, check: Check) -> Iterator[Finding]:
    """The log itself: the very files, imported anew and compared to the letter."""
    log = _log(case)
    wanted = {f["sha256"]: f["name"] for f in log["files"]}
    found = _located(wanted, (case.copy.path / "source", *case.sources))
    lost = [name for sha, name in wanted.items() if sha not in found]
    if lost:
        why = "none was given" if not case.sources else f"{len(lost)} of {len(wanted)} are not among the files given"
        text = f"the files of the log are needed to tell where its scores come from, and {why} ({short(lost[0])})"
        yield check.unknown(text, remedy="give the log: eyechart verify RUN --source LOG")
        return
    out = case.copy.path.parent / "again"
    made = import_logs(*found.values(), out=out, report=False)
    same = [one for one in made.runs if (one.task, one.model) == (log["task"], log["model"])]
    if len(same) != 1:
        yield check.broken("the log does not give such a run when it is imported again", file=LOG)
        return
    wrong = list(_compared(case, same[0].folder))
    for file, text in wrong[:MOST]:
        yield check.broken(text, file=file)
    if not wrong:
        case.memory["source"] = True
        yield check.kept(f"{len(found)} files of the log, imported again, give the same items, answers and scores")


def _located(wanted: Mapping[str, str], places: Sequence[Path]) -> dict[str, Path]:
    """Digest to file, among `places` and the files below them."""
    names, found = set(wanted.values()), dict[str, Path]()
    for place in places:
        files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
        for path in files:
            if path.name in names and not path.is_symlink():
                with path.open("rb") as file:
                    found.setdefault(hashlib.file_digest(file, "sha256").hexdigest(), path)
    return {sha: path for sha, path in found.items() if sha in wanted}


def _compared(case: Case, folder: Path) -> Iterator[tuple[str, str]]:
    again = Folder(folder)
    if (case.copy.path / "items.jsonl").read_bytes() != (folder / "items.jsonl").read_bytes():
        mine, theirs = case.items, again.read_items()
        first = next((n for n in dict.fromkeys((*mine, *theirs)) if mine.get(n) != theirs.get(n)), "their order")
        yield "items.jsonl", f"item {short(first)} is not that of the log"
    with Store(case.copy.store, create=False) as one, Store(again.store, create=False) as other:
        mine, theirs = set(one.digests()), set(other.digests())
    if mine != theirs:
        yield "store.sqlite", f"{len(mine ^ theirs):,} answers are not those of the log"
    (seen, keys), (new, new_keys) = case.table, again.read_observations()
    if len(seen) != len(new) or seen.items != new.items or keys != new_keys:
        yield "observations.npz", "it has other scores or items than the log"
        return
    for name in ("cell", "item", "repeat", "outcome", "scored", "value", "call"):
        differ = np.flatnonzero(getattr(seen, name) != getattr(new, name))
        if len(differ):
            row = int(differ[0])
            where = f"set-up {seen.cells[int(seen.cell[row])]}, item {short(seen.items[int(seen.item[row])])}"
            was, is_ = (f"{OUTCOMES[int(o.outcome[row])].value} ({float(o.value[row]):g})" for o in (seen, new))
            yield "observations.npz", f"{where}: {was} is claimed, and the log gives {is_}"
            return


CHECKS = (
    STUDY,
    ENGINES,
    Check("set_ups", "What every reading states has the digest it is listed under.", _cells),
    ITEMS,
    Check("source", "The log gives the run.", _source),
    Check("answers", "Every score has its answer, and every answer its score.", _answers),
    Check("scores", "Scores follow from the answers.", _scores),
    Check("claims", "What the log claims is what its scores give.", _claims),
    CERTIFICATES,
    REPORT,
    PAGE,
)
