"""Signatures are those of minisign: made here and checked there, made there and checked here."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import verify_runs as kinds
from click.testing import CliRunner

import eyechart as ec
from eyechart.app import signing
from eyechart.app.folder import Folder
from eyechart.app.signing import new_key, read_public, read_secret, sign
from eyechart.app.verify import verify
from eyechart.cli import main

pytestmark = pytest.mark.skipif(find_spec("cryptography") is None, reason="the extra `sign` is not installed")
minisign = pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is not installed")


@pytest.fixture
def run() -> Path:
    return kinds.made(kinds.KINDS["echo"], "run")


def signed(found) -> list[tuple[str, str]]:
    return [(f.state, str(f.evidence)) for f in found.findings if f.id == "signature"]


@minisign
def test_minisign_checks_what_is_signed_here(run: Path):
    public = new_key(Path("eye.key"))
    assert stat.S_IMODE(Path("eye.key").stat().st_mode) == 0o600
    sign(run, Path("eye.key"))
    done = subprocess.run(["minisign", "-Vm", run / "seal.json", "-p", public], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    root = json.loads((run / "seal.json").read_text())["root"]
    assert f"Trusted comment: eyechart root:{root}" in done.stdout
    Path("note").write_text("signed by minisign with the key that was made here")
    subprocess.run(["minisign", "-S", "-m", "note", "-s", "eye.key"], check=True, capture_output=True)
    subprocess.run(["minisign", "-Vm", "note", "-p", public], check=True, capture_output=True)
    with (run / "seal.json").open("a") as file:
        file.write("\n")
    done = subprocess.run(["minisign", "-Vm", run / "seal.json", "-p", public], capture_output=True, text=True)
    assert done.returncode != 0


@minisign
@pytest.mark.parametrize("legacy", [False, True])
def test_what_minisign_signs_is_checked_here(run: Path, legacy):
    subprocess.run(["minisign", "-G", "-W", "-p", "eye.pub", "-s", "eye.key"], check=True, capture_output=True)
    command = [
        "minisign",
        "-S",
        "-m",
        str(run / "seal.json"),
        "-s",
        "eye.key",
        "-t",
        "by hand",
        *(["-l"] if legacy else []),
    ]
    subprocess.run(command, check=True, capture_output=True)
    ((state, text),) = signed(verify(run, public_key="eye.pub"))
    assert state == "kept", text
    assert text.endswith("by hand")
    assert sign(run, Path("eye.key")).exists()  # its secret key is read here
    ((state, _),) = signed(verify(run, public_key=Path("eye.pub").read_text().splitlines()[1]))
    assert state == "kept"


@minisign
@pytest.mark.slow  # opening one takes a gigabyte and seconds, by design
def test_a_key_of_minisign_under_a_password(run: Path, monkeypatch: pytest.MonkeyPatch):
    done = subprocess.run(
        ["minisign", "-G", "-p", "eye.pub", "-s", "eye.key"], input="open\nopen\n", capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip("this minisign reads a password from a terminal alone")
    with pytest.raises(ec.InputError, match=signing.PASSWORD):
        sign(run, Path("eye.key"))
    monkeypatch.setenv(signing.PASSWORD, "shut")
    with pytest.raises(ec.InputError, match="is EYECHART_KEY_PASSWORD its password"):
        sign(run, Path("eye.key"))
    monkeypatch.setenv(signing.PASSWORD, "open")
    sign(run, Path("eye.key"))
    assert signed(verify(run, public_key="eye.pub"))[0][0] == "kept"


def test_a_forger_who_seals_again_is_found_by_the_signature_alone(run: Path):
    public = new_key(Path("eye.key"))
    sign(run, Path("eye.key"))
    assert verify(run, public_key=public).code == "verified"
    kinds.words("study.yaml", "Be brief.", "Be exact.")(run)
    ec.load(run / "study.yaml")  # still a study
    Folder(run).seal()
    ((state, text),) = signed(verify(run, public_key=public))
    assert (state, "sealed again" in text) == ("broken", True)


def test_another_key_no_signature_and_a_changed_comment(run: Path):
    public, other = new_key(Path("eye.key")), new_key(Path("other.key"))
    assert "not signed" in signed(verify(run, public_key=public))[0][1]
    path = sign(run, Path("eye.key"))
    assert "is signed by the key" in signed(verify(run, public_key=other))[0][1]
    text = path.read_text()
    path.write_text(text.replace("eyechart root", "eyechart goot"))
    assert "comment" in signed(verify(run, public_key=public))[0][1]
    path.write_text(text[:100])
    assert signed(verify(run, public_key=public))[0][0] == "broken"
    path.write_text(text.replace("\n", "\r\n"))
    assert signed(verify(run, public_key=public))[0][0] == "kept"


def test_keys_stay_out_of_the_folder_and_out_of_sight(run: Path):
    new_key(run / "eye.key")
    with pytest.raises(ec.InputError, match="no place in a run folder"):
        sign(run, run / "eye.key")
    shown = repr(read_secret(run / "eye.key"))
    assert shown == "SecretKey(...)"
    with pytest.raises(ec.InputError, match="there already"):
        new_key(run / "eye.key")


@pytest.mark.parametrize(
    "content", ["", "x\n", "untrusted comment: a\nAAAA\n", "a\n" * 9000, "untrusted comment: a\n" + "A" * 212]
)
def test_rubbish_is_no_key(run: Path, content):
    Path("bad").write_text(content)
    with pytest.raises(ec.InputError, match="minisign"):
        read_public("bad")
    with pytest.raises(ec.InputError, match="minisign"):
        read_secret(Path("bad"))
    done = CliRunner().invoke(main, ["verify", "run", "--public-key", "bad"])
    assert done.exit_code == 2


def test_the_command_signs_what_holds_and_nothing_else(run: Path):
    made = CliRunner().invoke(main, ["verify", "--new-key", "eye.key"])
    assert made.exit_code == 0, made.stderr
    done = CliRunner().invoke(main, ["verify", "run", "--sign", "eye.key"])
    assert done.exit_code == 0, done.stderr
    assert "signed: run/seal.json.minisig" in done.stdout
    done = CliRunner().invoke(main, ["verify", "run", "--public-key", "eye.key.pub"])
    assert done.exit_code == 0
    kinds.words("report.html", "points", "p0ints")(run)
    done = CliRunner().invoke(main, ["verify", "run", "--sign", "eye.key"])
    assert done.exit_code == 2
    assert "is not signed" in done.stderr


def test_without_the_library_the_extra_is_named(run: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    done = CliRunner().invoke(main, ["verify", "--new-key", "eye.key"])
    assert done.exit_code == 2
    assert "eyechart[sign]" in done.stderr
