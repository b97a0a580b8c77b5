"""A run folder is worked out again from itself alone: clean runs are silent, every kind of tampering is named."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import verify_runs as kinds
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.folder import Folder
from eyechart.app.relaid import OPERATIONAL
from eyechart.app.verify import Verified, verify
from eyechart.cli import main
from eyechart.core.plugins import BACKENDS
from eyechart.core.spec import Model
from eyechart.sandbox.isolation import isolation
from eyechart.store.store import Store

WEAK = isolation().kind == "weak"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with shots drawn for each item, repeats, failures, and set-ups that differ in reading alone."""
    place, before = tmp_path_factory.mktemp("sampled"), Path.cwd()
    os.chdir(place)
    try:
        return kinds.made(kinds.SAMPLED, "run").resolve()
    finally:
        os.chdir(before)


def told(found: Verified) -> list[tuple[str, str]]:
    return [(f.id, f"{f.evidence} [{f.file}]") for f in found.findings if f.state != "kept"]


@pytest.mark.parametrize("kind", list(kinds.KINDS))
def test_a_clean_run_is_silent_and_is_left_as_it_was(kind):
    run = kinds.made(kinds.KINDS[kind], "run")
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    found = verify(run)
    if kind == "judged":  # what is said of a judge hangs on the day
        assert {id_ for id_, _ in told(found)} <= {"report", "page"}
    else:
        assert told(found) == []
        assert found.code == "verified"
        assert "every number follows" in found.sentence
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_run_can_be_verified_elsewhere_without_its_data(sampled: Path):
    shutil.copytree(sampled, "elsewhere/another-name")
    found = verify("elsewhere/another-name")
    assert found.code == "verified", told(found)
    assert found.effective is not None
    assert found.effective.startswith("e1:")


Tamper = Callable[[Path], None]
NONE = ("nothing",)
# What is done, the file that must be named, and the checks that find it when the forger seals the folder again.
TAMPERED: dict[str, tuple[Tamper, str, tuple[str, ...]]] = {
    "a byte of the study": (kinds.flip("study.yaml", 0.3), "study.yaml", ("study", "readable", "laid_out")),
    "a byte of run.json": (kinds.flip("run.json", 0.05), "run.json", ("readable", "study", "set_ups", "laid_out")),
    "a byte of the items": (kinds.flip("items.jsonl", 0.45), "items.jsonl", ("set_ups", "laid_out")),
    "a byte of the inputs": (kinds.flip("inputs.json", 0.6), "inputs.json", ("set_ups", "laid_out")),
    "a byte of the observations": (kinds.flip("observations.npz"), "observations.npz", ("requests", "scores")),
    "a byte of the report": (kinds.flip("report.json", 0.2), "report.json", ("report",)),
    "a byte of the page": (kinds.flip("report.html", 0.7), "report.html", ("page",)),
    "a byte of the seal": (kinds.flip("seal.json", 0.2), "seal.json", NONE),
    "a score": (kinds.table(kinds.better), "observations.npz", ("scores",)),
    "an answer": (kinds.answer(forged=False), "store.sqlite", ("store_digests",)),
    "an answer and its digest": (kinds.answer(forged=True), "store.sqlite", ("scores",)),
    "a right answer": (kinds.words("items.jsonl", '"gold": ["3"]', '"gold": ["4"]'), "items.jsonl", ("set_ups",)),
    "an answer deleted": (
        kinds.sql("DELETE FROM response WHERE rowid IN (SELECT rowid FROM response LIMIT 1)"),
        "store.sqlite",
        ("answers", "scores", "counts"),
    ),
    "a score deleted": (kinds.table(kinds.without(3)), "observations.npz", ("scores",)),
    "two answers swapped": (kinds.swap, "store.sqlite", ("scores",)),
    "a seed": (kinds.words("study.yaml", "seed: 5", "seed: 6"), "study.yaml", ("study", "set_ups")),
    "a number of the page": (kinds.words("report.html", "points", "p0ints"), "report.html", ("page",)),
    "a number of the report": (
        kinds.facts(lambda r: r["analysis"]["scores"][0]["new_items"].update(value=0.99), "report.json"),
        "report.json",
        ("report",),
    ),
    "an interval of the report": (
        kinds.facts(lambda r: r["analysis"]["scores"][1]["repeat_it"].update(interval=[0.5, 0.51]), "report.json"),
        "report.json",
        ("report",),
    ),
    "a file added": (lambda run: (run / "notes.txt").write_text("trust me") and None, "notes.txt", NONE),
    "a file taken away": (lambda run: (run / "items.jsonl").unlink(), "items.jsonl", ("laid_out",)),
    "the root of the seal": (kinds.facts(lambda s: s.update(root="z2:" + "0" * 64), "seal.json"), "seal.json", NONE),
    "a digest in the seal": (
        kinds.facts(lambda s: s["files"].update({"run.json": "0" * 64}), "seal.json"),
        "seal.json",
        NONE,
    ),
    "an interval in the store's seal": (
        kinds.facts(lambda s: s["store"]["response"].update(rows=1), "seal.json"),
        "seal.json",
        NONE,
    ),
    "a set-up left out": (kinds.facts(lambda r: r["cells"].pop()), "run.json", ("complete",)),
    "an effective digest": (kinds.facts(lambda r: r["cells"][1].update(digest="e1:" + "0" * 64)), "run.json", ("set_ups",)),
    "an effective field": (
        kinds.facts(lambda r: r["cells"][0]["effective"]["asking"]["decoding"].update(temperature=0.1)),
        "run.json",
        ("set_ups",),
    ),
    "the failures hidden": (kinds.facts(lambda r: r["calls"].update(failed=0)), "run.json", ("counts",)),
    "more calls than were made": (kinds.facts(lambda r: r["calls"].update(made=9_999)), "run.json", ("counts",)),
    "the engine": (kinds.facts(lambda r: r["engines"][0].update(version=2)), "run.json", ("engines",)),
    "a prompt": (kinds.request, "store.sqlite", ("answers", "scores")),
    "a prompt's text": (
        kinds.sql("UPDATE request SET body = replace(body, 'Q: ', 'A: ') WHERE rowid = 1"),
        "store.sqlite",
        ("store_digests",),
    ),
    "a shot": (kinds.words("inputs.json", "100 = ?", "101 = ?"), "inputs.json", ("set_ups", "requests")),
    "a failure made an answer": (
        kinds.sql("UPDATE attempt SET kind = 'answer' WHERE kind != 'answer'"),
        "store.sqlite",
        ("answers", "counts", "scores"),
    ),
    "a view in a table's place": (kinds.sql("CREATE VIEW more AS SELECT * FROM request"), "store.sqlite", ("store_tables",)),
    "a repeat that is a copy": (kinds.table(kinds.copied), "observations.npz", ("requests",)),
    "an item counted twice": (
        kinds.facts(lambda r: r["data"][0]["drawn"].append(r["data"][0]["drawn"][0])),
        "run.json",
        ("items",),
    ),
    "a level renamed": (kinds.facts(lambda r: r["factors"][0]["levels"][0].update(name="0.0")), "run.json", ("study",)),
}  # fmt: skip


LIKE_OTHERS = (
    "a byte of the report", "an interval in the store's seal", "a digest in the seal", "an interval of the report",
    "more calls than were made", "an effective field", "a prompt's text", "a level renamed", "an item counted twice",
)  # fmt: skip
"""Found by the same lines of code as others: tried before a release."""


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.slow) if what in LIKE_OTHERS else what for what in TAMPERED]
)
def test_tampering_is_found_and_the_file_named(sampled: Path, what):
    change, file, found_by = TAMPERED[what]
    shutil.copytree(sampled, "run")
    change(Path("run"))
    lines = Folder(Path("run")).broken_seal()
    assert file in {line.partition(":")[0] for line in lines}, lines
    if found_by == NONE:
        found = verify("run")
        assert found.code == "broken"
        assert file in {f.file for f in found.findings if f.id == "seal"}, told(found)
        return
    Folder(Path("run")).seal()  # the forger seals it again: the seal says nothing then
    forged = verify("run")
    assert not {f.id for f in forged.findings if f.state == "broken"} & {"seal", "resealed"}
    assert forged.code == "broken", told(forged)
    assert {f.id for f in forged.findings if f.state == "broken"} & set(found_by), told(forged)


def test_a_link_is_not_followed(sampled: Path):
    shutil.copytree(sampled, "run")
    Path("secret.txt").write_text("of somebody else", encoding="utf-8")
    Path("run/report.html").unlink()
    Path("run/report.html").symlink_to(Path("secret.txt").resolve())
    found = verify("run")
    assert any(f.file == "report.html" and "link" in str(f.evidence) for f in found.findings)
    assert "of somebody else" not in str(found.findings)


def test_what_changed_is_told_to_the_byte_and_the_row(sampled: Path):
    shutil.copytree(sampled, "run")
    kinds.flip("report.json", 0.99)(Path("run"))
    kinds.sql("DELETE FROM response WHERE rowid = 7")(Path("run"))
    said = {f.file: str(f.evidence) for f in verify("run").findings if f.id == "seal"}
    assert "first in bytes 131,072 to" in said["report.json"] or "first in bytes 65,536 to" in said["report.json"]
    assert "table response was changed" in said["store.sqlite"]
    assert "in place of" in said["store.sqlite"]


def test_a_wrong_score_is_told_with_item_and_repeat(sampled: Path):
    shutil.copytree(sampled, "run")
    kinds.table(kinds.better)(Path("run"))
    (first, *_) = [str(f.evidence) for f in verify("run").findings if f.id == "scores"]
    assert first.startswith("set-up c000, item 'i")
    assert "observations.npz says correct, and the stored answer reads as incorrect" in first


# Sealing again


def test_a_run_given_again_is_sealed_again_and_holds(sampled: Path):
    run = kinds.made(kinds.KINDS["greedy"], "run")
    first = verify(run).root
    ec.load("study.yaml").run("run")
    ec.open("run").report()
    again = verify(run)
    assert again.code == "verified", told(again)
    assert again.root != first  # run.json holds the time


def test_a_change_by_somebody_else_stays_told_after_the_run_is_taken_up_again():
    run = kinds.made(kinds.KINDS["greedy"], "run")
    kinds.answer(forged=True)(run)
    ec.load("study.yaml").run("run")  # reads the forged answer, writes new numbers: all of them fit
    found = verify(run)
    assert [f.id for f in found.findings if f.state == "broken"] == ["resealed"]
    ec.load("study.yaml").run("run")
    assert verify(run).code == "broken"


def test_a_run_that_was_killed_goes_on_without_suspicion():
    text = kinds.KINDS["greedy"].replace("}\nprompt", "}\nbudget: {calls: 5}\nprompt", 1)
    run = kinds.made(text, "run")
    assert ec.open(run).facts["stopped"] is not None
    assert verify(run).code == "verified", told(verify(run))
    # As after kill -9: the run was begun, answers were added, and nothing else was written.
    folder = Folder(run)
    folder.unseal()
    assert verify(run).code == "partly"
    with (
        Store(run / "store.sqlite") as store,
        Store(kinds.made(kinds.KINDS["greedy"], "whole") / "store.sqlite") as more,
    ):
        keys = [line.split()[0] for line in more.digests()]
        store.put(list(more.entries(keys)))
    Path("study.yaml").write_text(text.replace("budget: {calls: 5}\n", ""), encoding="utf-8")
    ec.load("study.yaml").run("run")
    assert verify(run).code == "verified", told(verify(run))


def test_a_row_taken_away_while_a_run_is_under_way_is_told():
    run = kinds.made(kinds.KINDS["greedy"], "run")
    Folder(run).unseal()
    kinds.sql("DELETE FROM response WHERE rowid = 1")(run)
    ec.load("study.yaml").run("run")  # asks it again
    assert [f.id for f in verify(run).findings if f.state == "broken"] == ["resealed"]


def test_measuring_and_merging_are_no_tampering():
    """Answers that are added are none that were changed."""
    text = kinds.KINDS["greedy"].replace("}\nprompt", "}\nbudget: {calls: 5}\nprompt", 1)
    run = kinds.made(text, "run")
    ec.load("study.yaml").plan("run", measure_calls=2)
    found = verify(run)
    assert {f.id for f in found.findings if f.state == "broken"} == {"answers", "scores", "counts"}
    assert "give the run again, and it is read" in str([f.evidence for f in found.findings])
    other = kinds.made(kinds.KINDS["greedy"], "other")
    with Store(run / "store.sqlite") as store:
        store.merge(other / "store.sqlite")
    assert "table response was changed" in str(Folder(run).broken_seal())  # nobody has read them yet
    Path("study.yaml").write_text(text.replace("budget: {calls: 5}\n", ""), encoding="utf-8")
    ec.load("study.yaml").run("run")
    assert verify(run).code == "verified", told(verify(run))


# What cannot be told


def test_an_old_folder_is_partly_checked(sampled: Path):
    shutil.copytree(sampled, "run")
    Path("run/inputs.json").unlink()
    Path("run/seal.json").unlink()
    Folder(Path("run")).seal()
    found = verify("run")
    assert found.code == "partly"
    assert "inputs.json" in found.sentence
    assert {f.id for f in found.findings if f.state == "unknown"} == {"laid_out"}
    plain = kinds.made(kinds.KINDS["greedy"], "plain")
    (plain / "inputs.json").unlink()
    (plain / "seal.json").unlink()
    Folder(plain).seal()
    assert verify(plain).code == "verified"  # without shots the items alone are enough


# What differs, and the check that finds it: this version may read, render or say otherwise than the one that wrote it.
OTHERWISE: dict[str, tuple[Tamper, str]] = {
    "a word of the page": (kinds.words("report.html", "points", "p0ints"), "page"),
    "a number of the report": (
        kinds.facts(lambda r: r["analysis"]["scores"][0]["new_items"].update(value=0.99), "report.json"),
        "report",
    ),
    "scores": (kinds.table(kinds.better), "scores"),
    "a count": (kinds.facts(lambda r: r["calls"].update(needed=r["calls"]["needed"] + 1)), "counts"),
    "an effective field": (
        kinds.facts(lambda r: r["cells"][0]["effective"]["asking"]["decoding"].update(temperature=0.1)),
        "set_ups",
    ),
    "a format": (kinds.facts(lambda r: r.update(format=2)), "readable"),
    "no inputs": (lambda run: (run / "inputs.json").unlink(), "laid_out"),
}


def by_version(sampled: Path, change: Tamper, version: str) -> Path:
    """A copy with a change, sealed again as its forger, or another version, would."""
    run = Path(f"by-{version}")
    shutil.copytree(sampled, run)
    change(run)
    if version != ec.__version__:
        kinds.facts(lambda r: r.update(eyechart=version))(run)
    (run / "seal.json").unlink()
    Folder(run).seal()
    return run


@pytest.mark.parametrize("what", list(OTHERWISE))
def test_what_another_version_may_have_made_otherwise_is_unknown_and_never_holds(sampled: Path, what):
    change, check = OTHERWISE[what]
    run = by_version(sampled, change, "0.0.1")
    found = verify(run)
    assert found.code == "cannot_tell", told(found)
    assert "Nothing is verified beyond its seal" in found.sentence
    assert f"made by version 0.0.1, this is {ec.__version__}: " in found.sentence
    assert ("its scores" in found.sentence) == (check in ("page", "report", "counts", "set_ups"))
    of = [f for f in found.findings if f.id == check]
    assert [f.state for f in of] == ["unknown"], "one finding a check, with its first difference"
    assert {f.state for f in found.findings if f.id in ("seal", "store_digests")} == {"kept"}
    done = CliRunner().invoke(main, ["verify", str(run)])
    assert done.exit_code == 3
    assert " holds:" not in done.output
    refused = CliRunner().invoke(main, ["verify", str(run), "--sign", "no.key"])
    assert (refused.exit_code, "is not signed" in refused.output) == (2, True)
    # The control: of this version it is broken.
    if what != "no inputs":
        assert verify(by_version(sampled, change, ec.__version__)).code == "broken"


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (kinds.answer(forged=False), "store_digests"),
        (kinds.facts(lambda r: r["engines"][0].update(version=2)), "engines"),
        (kinds.words("study.yaml", "seed: 5", "seed: 6"), "study"),
        (kinds.facts(lambda r: r["cells"].pop()), "complete"),
    ],
)
def test_another_version_does_not_excuse_a_digest(sampled: Path, change, check):
    found = verify(by_version(sampled, change, "0.0.1"))
    assert found.code == "broken"
    assert check in {f.id for f in found.findings if f.state == "broken"}


@pytest.mark.parametrize("version", ["", "trust me", "9" * 100, None, 1, ["0.0.1"]])
def test_what_is_no_version_excuses_nothing(sampled: Path, version):
    change = kinds.words("report.html", "points", "p0ints")
    run = by_version(sampled, change, "0.0.1")
    kinds.facts(lambda r: r.update(eyechart=version))(run)
    (run / "seal.json").unlink()
    Folder(run).seal()
    assert verify(run).code == "broken"


def test_a_run_of_another_version_from_which_all_follows_here_holds(sampled: Path):
    """Whoever made it: every number was worked out again by this version, so that a forger has gained nothing."""
    found = verify(by_version(sampled, lambda run: None, "0.0.1"))
    assert told(found) == []
    assert found.code == "verified"


def test_of_several_runs_the_worst_decides(sampled: Path):
    other = by_version(sampled, kinds.words("report.html", "points", "p0ints"), "0.0.1")
    done = CliRunner().invoke(main, ["verify", str(sampled), str(other)])
    assert done.exit_code == 3
    assert "1 of 2 runs hold. Of 1 it cannot be told." in done.output


def test_no_code_of_a_stranger_is_run_unless_asked(monkeypatch: pytest.MonkeyPatch):
    kinds.data()
    Path("theirs.py").write_text(
        "from pathlib import Path\ndef score(output, item):\n    Path('ran').touch()\n    return 1.0\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("theirs", None)
    text = kinds.OWN + "model: {backend: echo}\nprompt: {template: '{{question}}'}\n"
    more = "factors: [{prompt.cue: [' A:', ' B:']}]\n"  # so that the report shows answers, and reads them again
    run = kinds.made(text + "evaluation: {method: function, function: 'theirs:score'}\n" + more, "run")
    Path("ran").unlink()
    found = verify(run)
    assert not Path("ran").exists()
    assert found.code == "partly"
    assert "--run-code" in str([f.evidence for f in found.findings if f.id == "scores"])
    assert {f.id for f in found.findings if f.state == "unknown" and f.severity == "error"} == {
        "scores",
        "report",
        "page",
    }
    assert verify(run, run_code=True).code == "verified"
    assert Path("ran").exists()
    Path("ran").unlink()
    hidden = {"function": {"path": "theirs:score"}}  # in run.json alone, where only a report looks
    plain = kinds.made(text + more, "plain")
    kinds.facts(lambda r: [c["effective"]["reading"].update(score=hidden) for c in r["cells"]] and None)(plain)
    assert verify(plain).code == "broken"
    assert not Path("ran").exists()


def test_programs_are_run_again_only_when_asked(monkeypatch: pytest.MonkeyPatch):
    if isolation().kind == "none":
        pytest.skip("nothing here keeps a program in")
    Path("coder.py").write_text("def f(prompt):\n    return '```python\\ndef add(a, b):\\n    return a + b\\n```'\n")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("coder", None)
    rows = [{"question": f"Write add, {i}.", "answer": f"assert add(2, {i}) == {2 + i - i % 2}"} for i in range(4)]
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    study = ec.loads(
        "dataset: {path: mine.jsonl}\nmodel: {backend: function, path: 'coder:f'}\nevaluation: {method: code}\n"
    )
    run = study.run("run", allow_weak_sandbox=WEAK).folder.path
    found = verify(run)
    assert [f.id for f in found.findings if f.state == "unknown"] == ["scores"]
    assert verify(run, run_code=True, allow_weak_sandbox=WEAK).code == "verified"
    kinds.table(kinds.better)(run)
    Folder(run).seal()
    assert verify(run, run_code=True, allow_weak_sandbox=WEAK).code == "broken"


def test_operational_options_are_those_of_the_backends():
    models = {
        "synthetic": Model(backend="synthetic"),
        "openai": Model(backend="openai", url="http://127.0.0.1:1", name="x"),
        "echo": Model(backend="echo"),
        "simulated_judge": Model(backend="simulated_judge"),
    }
    for name, model in models.items():
        assert BACKENDS.get(name)(model).capabilities.operational == OPERATIONAL.get(name, ())


@pytest.mark.parametrize(
    "name", ["study.yaml", "run.json", "items.jsonl", "inputs.json", "observations.npz", "store.sqlite"]
)
@pytest.mark.parametrize(
    "content", [b"", pytest.param(b"\x00\xff" * 50, marks=pytest.mark.slow), b'{"format": 1, "cells": 3}']
)
def test_rubbish_is_a_finding_never_a_traceback(sampled: Path, name, content):
    shutil.copytree(sampled, "run")
    (Path("run") / name).write_bytes(content)
    (Path("run") / "seal.json").unlink()
    done = CliRunner().invoke(main, ["verify", "run"])
    assert done.exit_code == 1, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


# The command


def test_the_command_says_one_sentence_and_ends_by_it(sampled: Path):
    shutil.copytree(sampled, "run")
    done = CliRunner().invoke(main, ["verify", "run", "--json"])
    assert done.exit_code == 0, done.output
    told_ = json.loads(done.stdout)
    assert told_["verdict"]["code"] == "verified"
    (one,) = told_["data"]["runs"]
    assert one["root"].startswith("z2:")
    assert {f["state"] for f in one["findings"]} == {"kept"}
    kinds.words("report.html", "points", "p0ints")(Path("run"))
    done = CliRunner().invoke(main, ["verify", "run", "--junit", "out.xml", "--github"])
    assert done.exit_code == 1
    assert done.stdout.startswith("run does not hold: 2 of 16 checks fail.")
    assert "::error file=report.html" in done.stdout
    assert 'failures="2"' in Path("out.xml").read_text(encoding="utf-8")
    assert CliRunner().invoke(main, ["verify", "nowhere"]).exit_code == 2
    assert CliRunner().invoke(main, ["verify"]).exit_code == 2
    done = CliRunner().invoke(main, ["verify", "run", str(sampled)])
    assert done.exit_code == 1
    assert "1 of 2 runs hold" in done.stdout


def test_a_store_that_needs_repair_is_no_traceback(sampled: Path):
    shutil.copytree(sampled, "run")
    content = bytearray(Path("run/store.sqlite").read_bytes())
    content[4096:8192] = os.urandom(4096)
    Path("run/store.sqlite").write_bytes(content)
    found = verify("run")
    assert found.code == "broken"
    with pytest.raises(sqlite3.Error):
        sqlite3.connect("run/store.sqlite").execute("SELECT count(*), max(body) FROM request").fetchall()


def test_shots_by_difficulty_are_chosen_again(tmp_path: Path):
    """The buckets are in the folder: which shots are balanced follows from them."""
    from eyechart.analysis.difficulty import Difficulty, Measured
    from eyechart.data.difficulty import content_of, written
    from eyechart.data.load import load_pool

    kinds.data()
    text = (
        kinds.OWN + "model: {backend: synthetic}\nprompt: {template: '{{question}}', few_shot: {count: 3, "
        "difficulty: balanced, draw: per_item, reference: hard.json}}\n"
    )
    spec = ec.loads(text).spec.spec
    pool = load_pool(spec.dataset, Path(), "validation").items
    names = ("easy", "middle", "hard")
    rows = [
        Measured(id=item.id, content=content_of(item), d=float("inf") if i == 8 else float(i % 3), bucket=names[i % 3])
        for i, item in enumerate(pool)
    ]
    Path("hard.json").write_text(written(Difficulty(rows=tuple(rows))), encoding="utf-8")
    run = kinds.made(text, "run")
    assert verify(run).code == "verified", told(verify(run))
    kinds.words("inputs.json", '"bucket": "easy"', '"bucket": "middle"')(run)
    Folder(run).seal()
    assert "set_ups" in {f.id for f in verify(run).findings if f.state == "broken"}


def test_a_forger_who_works_everything_out_again_is_found_by_the_answers(sampled: Path):
    """Better scores, a report of them, and a seal: all fit one another, and not the answers."""
    shutil.copytree(sampled, "run")
    kinds.table(kinds.better)(Path("run"))
    ec.open("run").report()
    Folder(Path("run")).seal()
    broken = {f.id for f in verify("run").findings if f.state == "broken"}
    assert broken == {"scores"}
