"""shelf: a folder of certificates, and those of the graders that a run was read by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from eyechart.app.answers import kind_of
from eyechart.app.certify import current, slug
from eyechart.app.finished import Finished
from eyechart.app.folder import Folder
from eyechart.core.effective import Reading
from eyechart.core.errors import InputError
from eyechart.core.graders import CAREFUL, KINDS, PRACTICE, Kind, grader
from eyechart.report.inputs import CertificateState, Counted, GraderFact
from eyechart.stress.certificate import Certificate, as_data, from_data

SHELF = Path("eyechart-graders")
"""Where certificates are looked for and put, unless another folder is named."""
HUNG = "certificates.json"
"""Of a run folder."""


def put(certificate: Certificate, shelf: Path = SHELF) -> Path:
    """Write it; one grader has one certificate on a shelf."""
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        path = shelf / f"{slug(certificate.grader)}.json"
        path.write_text(json.dumps(as_data(certificate), ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {shelf}: {error.strerror}") from None
    return path


def take(path: Path) -> Certificate:
    """Raises InputError, with the file, where it holds none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError("is no certificate: give the JSON that `eyechart grader test` wrote", file=str(path)) from None
    if not isinstance(data, dict):
        raise InputError("is no certificate: give the JSON that `eyechart grader test` wrote", file=str(path))
    try:
        return from_data(data)  # pyright: ignore[reportUnknownArgumentType]
    except InputError as error:
        raise InputError(error.message, file=str(path)) from None


def certificates(shelf: Path = SHELF) -> dict[str, Certificate]:
    """By grader: the one that comes with eyechart, and those on `shelf`, which go before."""
    found = dict(own())
    if shelf.is_dir():
        for path in sorted(shelf.glob("*.json")):
            with suppress(InputError):  # told by `broken`; one bad file hides no other
                certificate = take(path)
                found[certificate.grader] = certificate
    return found


def broken(shelf: Path = SHELF) -> tuple[Path, ...]:
    """Files on `shelf` that are no certificates."""
    out: list[Path] = []
    for path in sorted(shelf.glob("*.json")) if shelf.is_dir() else ():
        try:
            take(path)
        except InputError:
            out.append(path)
    return tuple(out)


@lru_cache(maxsize=1)
def own() -> Mapping[str, Certificate]:
    """The certificate of the careful grader, made by `just certify` for this very source."""
    path = files("eyechart").joinpath("data", "certificates", "careful.json")
    if not path.is_file():
        return {}
    certificate = from_data(json.loads(path.read_text(encoding="utf-8")))
    return {certificate.grader: certificate}


def hung(folder: Folder) -> dict[str, Certificate]:
    """By grader: the one that comes with eyechart, and those that hang in a run folder."""
    path = folder.path / HUNG
    if not path.exists():
        return dict(own())
    held = folder.read_json(HUNG)
    return dict(own()) | {name: from_data(data) for name, data in held.items()}


def hang(run: Finished, shelf: Path = SHELF) -> None:
    """Keep the certificates of a run's graders beside its score, so that the folder alone tells them."""
    known = certificates(shelf)
    wanted = {name_of(reading, kind) for reading, kind in read_by(run)}
    found = {name: as_data(known[name]) for name in sorted(wanted & known.keys() - own().keys())}
    if found:
        run.folder.write_json(HUNG, found)


def read_by(run: Finished) -> list[tuple[Reading, Kind]]:
    """Every reading of generated text in a run, with each kind of question it read."""
    out: list[tuple[Reading, Kind]] = []
    for cell in run.facts["cells"]:
        body = cell["effective"]
        if body["asking"]["elicit"] != "generate":
            continue
        reading = Reading.from_body("generate", body["reading"])
        for item in run.items.values():
            pair = reading, kind_of(reading, item)
            if pair not in out:
                out.append(pair)
    return out


def facts(run: Finished) -> tuple[GraderFact, ...]:
    """What a report says of the graders of a run."""
    known = hung(run.folder)
    found = [_fact(name_of(reading, kind), kind, known) for reading, kind in read_by(run)]
    return tuple(dict.fromkeys(found))


def _fact(name: str, kind: Kind, known: Mapping[str, Certificate]) -> GraderFact:
    certificate = known.get(name)
    if certificate is None:
        return GraderFact(grader=name, kind=kind, state="none")
    state: CertificateState = "certified" if kind in certificate.kinds else "failing"
    if kind not in certificate.report.kinds:
        state = "untested"
    elif current(certificate) is False:
        state = "stale"
    return GraderFact(
        grader=name,
        kind=kind,
        state=state,
        rejected=_counted(certificate, "right", kind),
        accepted=_counted(certificate, "wrong", kind),
        digest=certificate.digest,
        version=certificate.version,
    )


def _counted(certificate: Certificate, family: Literal["right", "wrong"], kind: Kind) -> Counted | None:
    tally = certificate.report.tally(family, kind)
    return None if tally is None else Counted(failures=tally.failures, n=tally.n, bound=tally.bound)


def name_of(reading: Reading, kind: Kind) -> str:
    """The grader that a reading is, by the name people know it by.

    >>> name_of(grader("careful", "number"), "number"), name_of(grader("last_word/none/exact", "text"), "text")
    ('careful', 'last_word/none/exact')
    """
    if any(reading == grader(CAREFUL, k) for k in KINDS):
        return CAREFUL
    for name, one in PRACTICE.items():
        if reading == one:
            return name
    score: Any = reading.score
    rule: Any = reading.extraction
    if isinstance(rule, Mapping) and "recorded" in rule and isinstance(score, Mapping) and "recorded" in score:
        told: Any = cast("Any", score)["recorded"].get("metric"), cast("Any", rule)["recorded"].get("rule")
        return "the log's " + "@".join(str(part) for part in told if part)
    if isinstance(score, Mapping) and "function" in score and reading.extraction == "whole":
        return str(cast("Any", score["function"])["path"])
    return "/".join(str(part) for part in (reading.extraction, reading.postprocess, reading.score))
