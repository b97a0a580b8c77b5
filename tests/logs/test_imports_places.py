"""Where an imported run goes, what it says of its data, and what it does not know."""

from __future__ import annotations

import json
from pathlib import Path

import made_logs as made
import pytest
from click.testing import CliRunner, Result

from eyechart.app.check import check
from eyechart.app.importing import import_logs
from eyechart.app.opened import open as open_run
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.report.messages import say


def eyechart(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(w) for w in words])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def limited(folder: Path, limit: float | None, effective: int, original: int | None) -> Path:
    """A log of one task whose results state a limit, and how many documents there are."""
    made.gsm8k(folder, n=6)
    (results,) = folder.rglob("results_*.json")
    facts = json.loads(results.read_text())
    facts["config"]["limit"] = limit
    counts = {"effective": effective} | ({"original": original} if original is not None else {})
    facts["n-samples"] = {"gsm8k": counts}
    results.write_text(json.dumps(facts))
    return folder


def silent(folder: Path) -> Path:
    """A log that states neither a temperature nor `do_sample`."""
    made.gsm8k(folder)
    for path in folder.rglob("samples*.jsonl"):
        path.write_text(path.read_text().replace('"do_sample": false, "temperature": 0.0, ', ""))
    return folder


# Where it goes


def test_another_log_does_not_take_the_place_of_a_run():
    import_logs(made.gsm8k(Path("one")), out="run", report=False)
    kept = contents(Path("run"))
    other = made.gsm8k(Path("two"), n=8)
    told = eyechart("import", other, "--out", "run")
    assert told.exit_code == 2
    assert "run holds the run of another log, and not this log; name another folder with --out" in told.output
    assert "Traceback" not in told.output
    assert contents(Path("run")) == kept


def test_a_run_of_ours_is_not_taken_for_an_import():
    Path("study.yaml").write_text("dataset: {name: chart, subset: sentiment, limit: 4}\nmodel: {backend: echo}\n")
    assert eyechart("run", "study.yaml", "--out", "mine", "--quiet").exit_code == 0
    kept = contents(Path("mine"))
    with pytest.raises(InputError, match="mine holds another run"):
        import_logs(made.gsm8k(Path("log")), out="mine", report=False)
    assert contents(Path("mine")) == kept


def test_the_same_log_renews_its_run_and_an_empty_folder_is_free():
    log = made.gsm8k(Path("log"))
    Path("run").mkdir()
    import_logs(log, out="run", report=False)
    items = Path("run/items.jsonl").read_bytes()
    (again,) = import_logs(log, out="run", report=False).runs
    assert again.folder == Path("run")
    assert Path("run/items.jsonl").read_bytes() == items


def test_no_run_goes_into_a_run():
    log = made.gsm8k(Path("log"))
    import_logs(log, out="run", report=False)
    made.choices(Path("two"))
    made.gsm8k(Path("two"))
    kept = contents(Path("run"))
    for paths, out in ((("two",), "run"), ((log,), "run/inside"), (("two",), "run/deep/inside")):
        with pytest.raises(InputError, match="run is a run, and other runs cannot go into it"):
            import_logs(*paths, out=out, report=False)
    assert contents(Path("run")) == kept


# How much of the data was asked


@pytest.mark.parametrize(
    ("limit", "effective", "original", "of", "state", "said"),
    [
        (6.0, 6, 120, 120, "broken", "6 of 120 items: the log states a limit of 6"),
        (0.05, 6, 120, 120, "broken", "a limit of 0.05"),
        (6.0, 6, None, None, "broken", "6 of ? items"),
        (500.0, 6, 6, 6, "kept", "all 6 items were asked"),
        (500.0, 6, None, None, "unknown", "how many items there are"),
        (None, 6, 6, 6, "kept", "all 6 items were asked"),
        (None, 6, None, None, "unknown", "how many items there are"),
    ],
)
def test_a_limit_of_the_log_is_no_whole_and_no_sample(limit, effective, original, of, state, said):
    import_logs(limited(Path("log"), limit, effective, original), out="run", report=False)
    data = json.loads(Path("run/run.json").read_text())["data"][0]
    assert (data["count"], data["of"], data["asked"]) == (6, of, 6)
    (found,) = [f for f in check("run", ("paper",)).findings if f.id == "not_first_n"]
    assert found.state == state
    assert said in say(found.evidence, "en")
    assert eyechart("audit", "run").exit_code in (0, 1)


def test_items_and_repeats_are_those_of_a_reading():
    rows = [made.lm_row(n, ["a", "b", "a"], "a", 1.0) for n in range(4)]
    made.put_lines(Path(f"log/samples_t_{made.STAMP}.jsonl"), rows)
    results = {"exact_match,strict-match": 1.0, "exact_match_stderr,strict-match": 0.0, "sample_len": 8,
               "sample_count": {"exact_match,strict-match": 4}}  # fmt: skip
    made.put(Path(f"log/results_{made.STAMP}.json"), made.lm_results("t", results, 8))
    (run,) = import_logs("log", out="run", report=False).runs
    (reading,) = run.readings
    assert (run.items, run.repeats) == (4, 3)
    assert (reading.items, reading.repeats) == (4, 1)  # the harness gives its repeats one score
    assert not any("claimed over" in finding for finding in run.findings)
    row = next(line for line in eyechart("import", "log", "--out", "run").stdout.splitlines() if "exact_match" in line)
    assert row.split()[-2:] == ["4", "1"]


# What is not known


def test_a_temperature_that_the_log_does_not_state_is_no_fact():
    import_logs(silent(Path("log")), out="run", report=False)
    assert {cell.sampled for cell in open_run("run").layout.cells} == {None}
    shown = eyechart("flips", "run", "c000", "c001").stdout
    assert "c000 samples, and" not in shown
    assert "Whether c000 samples is not said, and it was asked once" in " ".join(shown.split())
    assert "whether it samples is not said" in str(open_run("run").scores()[0].repeat_it)


def test_what_the_log_read_is_said_to_be_unknown_here_and_not_nothing():
    import_logs(made.gsm8k(Path("log")), out="run", report=False)
    shown = eyechart("flips", "run", "c000", "c001", "--report", "flips.md").stdout
    assert "read by the log's own rule strict-match" in shown
    assert "read as –" not in shown
    written = Path("flips.md").read_text()
    assert "the log's own rule flexible-extract read it" in written.replace("\\", "")
    assert "read as: none" not in written
