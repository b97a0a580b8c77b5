from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from eyechart.app.signing import new_key, sign
from eyechart.app.verify import Verified, verify
from eyechart.cli.output import Answer, answers, clean
from eyechart.cli.places import PLACE
from eyechart.core.errors import InputError
from eyechart.core.findings import Finding
from eyechart.report.checks import data as finding_data
from eyechart.report.checks import github, junit
from eyechart.report.checks import lines as finding_lines

EXITS = {"broken": 1, "cannot_tell": 3, "partly": 0, "verified": 0}
"""Worst first."""
_FILE = click.Path(path_type=Path)


@click.command("verify")
@click.argument("runs", nargs=-1, type=PLACE)
@click.option(
    "--public-key", metavar="KEY", help="Whose signature it must have: a public key of minisign, or its file."
)
@click.option("--sign", "key", type=_FILE, help="Sign what holds, with a secret key of minisign.")
@click.option("--new-key", type=_FILE, help="Make a key to sign with: KEY, to be kept secret, and KEY.pub.")
@click.option("--source", type=_FILE, multiple=True, help="Where the log of an imported run is: a file or folder.")
@click.option(
    "--run-code", is_flag=True, help="Run programs again in the sandbox, and the study's own scoring function."
)
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@click.option("--junit", "junit_file", type=_FILE, help="Write the checks as JUnit XML.")
@click.option("--github", "as_github", is_flag=True, help="Print annotations of GitHub.")
@answers("verify")
def command(
    runs: tuple[Path, ...],
    public_key: str | None,
    key: Path | None,
    new_key: Path | None,
    source: tuple[Path, ...],
    junit_file: Path | None,
    **how: bool,
) -> Answer:
    """Recompute every number of RUN from its folder alone, and check every digest and its seal.

    \b
    eyechart verify RUN                           one sentence, exit code 1 if anything does not fit
    eyechart verify RUN --public-key KEY.pub      and whether it is the folder that they signed
    eyechart verify RUN --sign KEY                sign the seal of your own run

    Exit code 3: there is no seal, so that no file can be told from a changed one; or it says that another version of
    eyechart made it, and this one comes to something else.

    An imported run takes answers and scores over from a log. RUN alone gives its seal, digests, items and means;
    --source LOG imports the log again and compares all of it.

    Nothing is asked of a model, nothing is written into the folder but a signature, and nothing of the study's
    author is run unless --run-code says so.
    """
    if new_key is not None:
        return _made(new_key)
    if not runs:
        raise InputError("name a run folder: eyechart verify RUN")
    found = [
        verify(
            run,
            public_key=public_key,
            source=source,
            run_code=how["run_code"],
            allow_weak_sandbox=how["allow_weak_sandbox"],
        )
        for run in runs
    ]
    signed = [] if key is None else [_signed(one, key) for one in found]
    if junit_file is not None:
        _write(junit_file, junit(_named(found), "eyechart verify"))
    return _answer(found, signed, as_github=how["as_github"])


def _made(path: Path) -> Answer:
    from eyechart.app.signing import read_public

    public = new_key(path)
    text = f"{path} signs, and stays with you; give {public} to others: they check with it."
    data = {"secret": str(path), "public": str(public), "key": read_public(public).name}
    return Answer(code="key_made", text=text, data=data)


def _signed(one: Verified, key: Path) -> Path:
    if one.code in ("broken", "cannot_tell"):
        raise InputError(f"is not signed: {one.sentence}")
    return sign(one.path, key)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def _named(found: Sequence[Verified]) -> list[Finding]:
    """With several runs each finding says of which it is."""
    from dataclasses import replace

    if len(found) == 1:
        return list(found[0].findings)
    return [replace(f, subject=str(one.path)) for one in found for f in one.findings]


def _answer(found: Sequence[Verified], signed: Sequence[Path], *, as_github: bool) -> Answer:
    codes = [one.code for one in found]
    code = next(one for one in EXITS if one in codes)
    text = found[0].sentence
    if len(found) > 1:
        broken = [one for one in found if one.code == "broken"]
        untold = codes.count("cannot_tell")
        text = f"{len(found) - len(broken) - untold} of {len(found)} runs hold."
        text += f" Of {untold} it cannot be told." if untold else ""
        text += f" First that does not: {broken[0].sentence}" if broken else ""
    return Answer(
        code=code,
        text=text,
        data={"runs": [_data(one) for one in found], "signed": [str(path) for path in signed]},
        lines=_lines(found, signed, as_github),
        exit_code=EXITS[code],
    )


def _data(one: Verified) -> dict[str, Any]:
    out: dict[str, Any] = {
        "run": str(one.path),
        "code": one.code,
        "sentence": one.sentence,
        "root": one.root,
        "effective": one.effective,
        "findings": [finding_data(finding) for finding in one.findings],
    }
    if one.root is None:
        out["root_reason"] = "the folder has no seal that can be read"
    if one.effective is None:
        out["effective_reason"] = "not recorded: an imported log, or a folder that cannot be read"
    return out


def _lines(found: Sequence[Verified], signed: Sequence[Path], as_github: bool) -> Iterator[str]:
    if as_github:
        yield from (clean(line) for line in github(_named(found)))
    for one in found:
        if len(found) > 1:
            yield ""
            yield one.sentence
        yield from finding_lines(one.findings)
        if one.root is not None:
            yield f"  root of the seal: {one.root}"
        if one.effective is not None:
            yield f"  effective digest: {one.effective}"
    yield from (f"signed: {path}" for path in signed)
