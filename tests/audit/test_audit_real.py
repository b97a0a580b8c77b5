"""Published numbers from raw scores, by the command line; real logs of four harnesses."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from eyechart.app.audit import audit
from eyechart.cli import main


def run(*words: str | Path, code: int) -> dict[str, Any]:
    done = CliRunner().invoke(main, ["audit", *map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_llmbar_is_verified_cell_by_cell(shared: Path):
    claims, raw = shared / "data/llmbar_published_stats.csv.gz", shared / "data/llmbar_verdicts.csv.gz"
    told = ("--by", "subset,judge,strategy", "--score", "winner_order0,winner_order1", "--gold", "gold")
    metrics = ("--metric", "pub_accuracy_pct=accuracy", "--metric", "pub_positional_agreement_pct=agreement")
    got = run("--claims", claims, "--raw", raw, *told, *metrics, code=0)
    looked, ids = got["data"]["looked"], {f["id"] for f in got["data"]["findings"] if f["state"] == "broken"}
    assert (looked["results"], looked["claims"], looked["recomputed"]) == (325, 650, 650)
    assert ids == {"failures.wrong"}  # every number is exact; missing verdicts were counted as wrong
    # How many cells hold a missing verdict, counted by hand.
    missing = defaultdict(int)
    for row in rows(raw):
        missing[row["subset"], row["judge"], row["strategy"]] += sum(row[f"winner_order{k}"] == "None" for k in (0, 1))
    counted = [f for f in got["data"]["findings"] if f["id"] == "failures.wrong"]
    some = {", ".join(key) for key, n in missing.items() if n}
    assert {f["subject"] for f in counted} <= some
    one = next(f for f in counted if f["subject"] == "Natural, PaLM2, Vanilla_NoRules")
    assert "82 points" in one["evidence"]
    assert "84.536" in one["evidence"]


def test_a_changed_cell_of_llmbar_is_found(shared: Path, tmp_path: Path):
    """The control: one digit of one cell."""
    source = rows(shared / "data/llmbar_published_stats.csv.gz")
    source[7]["pub_accuracy_pct"] = str(float(source[7]["pub_accuracy_pct"]) + 0.5)
    with (tmp_path / "claims.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, source[0])
        out.writeheader()
        out.writerows(source)
    told = {"score": ("winner_order0", "winner_order1"), "gold": "gold"}
    found = audit(claims="claims.csv", raw=shared / "data/llmbar_verdicts.csv.gz", **told)
    (one,) = found.of("claim.score")
    assert one.line == 9
    assert one.subject == ", ".join(source[7][k] for k in ("subset", "judge", "strategy"))


def test_cruxeval_is_verified_file_by_file(shared: Path):
    claims, raw = shared / "data/cruxeval_published_passk.csv.gz", shared / "data/cruxeval_correct.csv.gz"
    got = run("--claims", claims, "--raw", raw, "--by", "model,cot,temperature,task", code=1)
    data = got["data"]
    assert (data["looked"]["results"], data["looked"]["recomputed"]) == (134, 268)
    broken = [f for f in data["findings"] if f["state"] == "broken"]
    # pass@1 of all 134 and pass@5 of 122 are exact; of the 12 with one to three samples pass@5 is not estimable.
    assert not [f for f in broken if f["id"].startswith("claim.") and f["id"] != "claim.not_estimable"]
    short = [f for f in broken if f["id"] == "claim.not_estimable"]
    assert len(short) == 12
    assert all("pub_pass_at_5" in f["evidence"] for f in short)
    (ten,) = [one for one in data["looked"]["repeats"]["by_runs"] if one["runs"] == 10]
    assert (ten["tested"], ten["below_001"], ten["after_bonferroni"]) == (122, 69, 64)
    named = {f["subject"] for f in broken if f["id"] == "repeats.spread"}
    assert "codellama-13b, 0, 0.8, input" in named


def test_logs_of_four_harnesses_are_clean_or_truly_wanting(shared: Path):
    found = audit(shared / "fixtures")
    seen = {(f.id, Path(f.file or "").name) for f in found.findings if f.state == "broken" and f.severity != "note"}
    assert seen == {
        ("items.first", "gsm8k.json"),
        ("items.first", "log_formats.eval"),
        ("items.first", "popularity.json"),
        ("items.first", "pubmedqa.json"),
        ("log.incomplete", "popularity.json"),
        ("claim.none", "log_with_nan.json"),
        ("items.missing", "results_2026-01-21T03-44-18.458309.json"),
    }
    assert found.errors == 0
    assert found.looked.recomputed == 10
    assert len(found.skipped) == 2  # the two schemas


def test_nothing_is_written_where_it_reads(shared: Path, clean: Path):
    def state(root: Path) -> dict[str, bytes]:
        return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}

    before = state(clean)
    audit(clean)
    assert state(clean) == before
