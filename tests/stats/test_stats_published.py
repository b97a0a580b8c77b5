"""The published coverage page: what it says is what its program measures."""

import math
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from eyechart.core.records import Interval
from eyechart.stats.intervals import clopper_pearson, wilson

ROOT = Path(__file__).parents[2]
PROGRAM, PAGE = ROOT / "benchmarks" / "coverage_page.py", ROOT / "docs" / "coverage.md"

Cells = dict[str, str]


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = spec_from_file_location("coverage_page", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # annotations of its classes are looked up there
    sys.path.insert(0, str(PROGRAM.parent))  # its parts lie beside it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(PROGRAM.parent))
    return module


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def printed(text: str) -> dict[str, list[Cells]]:
    """The lines of all tables, cell by head, by the title above them."""
    found: dict[str, list[Cells]] = {}
    for section in text.split("\n## ")[1:]:
        rows = [[c.strip() for c in line[1:-1].split("|")] for line in section.splitlines() if line.startswith("|")]
        if rows:
            heads = rows[0]
            found[section.splitlines()[0]] = [dict(zip(heads, row, strict=True)) for row in rows[2:]]
    return found


@pytest.fixture(scope="module")
def rows(program: ModuleType) -> dict[str, Any]:
    return {row.name: row for table in program.tables() for row in table.rows}


@pytest.mark.parametrize(
    "name",
    [
        "25 clusters of 3 to 7, ICC 0.3, mean 0.6",
        "one seed for all 100 items, logits moved by sd 0.25, 10 runs",
        "independent runs, 200 items, 10 runs",
    ],
)
def test_rows_are_made_again(program: ModuleType, rows: dict[str, Any], text: str, name: str) -> None:
    """One by one, with the seed and rounds of the page: the same text to the last digit."""
    lines = program.measure(rows[name], program.ROUNDS)
    assert len(lines) >= 2
    for line in lines:
        assert f"\n{program.show(line)}\n" in text


def test_another_seed_prints_other_numbers(program: ModuleType, rows: dict[str, Any], text: str) -> None:
    """That the comparison above can fail."""
    row = rows["one seed for all 100 items, logits moved by sd 0.25, 10 runs"]
    lines = program.measure(row._replace(name=f"{row.name} again"), program.ROUNDS)
    assert all(program.show(line).replace(" again", "") not in text for line in lines)


def test_all_rows_are_printed_and_no_others(
    program: ModuleType, rows: dict[str, Any], printed: dict[str, list[Cells]]
) -> None:
    wanted = [program.line_name(row, arm) for row in rows.values() for arm in row.arms]
    found = [next(iter(cells.values())) for lines in printed.values() for cells in lines]
    assert found == wanted
    assert len(set(found)) == len(found)


def test_there_are_twelve_designs_and_more(printed: dict[str, list[Cells]]) -> None:
    intervals = {c["Design"].split(":")[0] for lines in printed.values() for c in lines if "Covered %" in c}
    assert len(intervals) >= 12
    for title in ("New items", "Repeat it", "Paired changes", "Resampling", "Several tries", "Other intervals"):
        assert printed[title]


def test_every_line_outside_the_band_is_marked(printed: dict[str, list[Cells]], text: str) -> None:
    """Judged here from the printed numbers alone."""
    summary = text.split("## All that falls short")[1]
    lines = [cells for table in printed.values() for cells in table]
    for cells in lines:
        if "Covered %" in cells:
            value = float(cells["Covered %"])
            word = "wide" if value > 97 else "short" if value < 93 else ""
            assert cells["Mark"].replace("*", "").startswith(word), cells
            assert bool(cells["Mark"]) == bool(word), cells
            if "**short**" in cells["Mark"]:
                told = "cannot warn" if cells["Warned %"] == "-" else f"warned in {float(cells['Warned %']):.0f} %"
                assert told in cells["Mark"], cells
        elif cells.get("Promised %", "").startswith("at most"):
            promise, rounds = float(cells["Promised %"].removeprefix("at most ")), int(cells["Rounds"])
            error = 100 * (promise / 100 * (1 - promise / 100) / rounds) ** 0.5
            assert ("too many" in cells["Mark"]) == (float(cells["Seen %"]) > promise + 3 * error), cells
        elif cells.get("Promised %", "").replace(".", "").isdigit():
            promise, seen = float(cells["Promised %"]), float(cells["Seen %"])
            outside = not 0.6 * promise <= seen <= 1.4 * promise
            assert bool(cells["Mark"]) == outside, cells
        if "**" in cells["Mark"]:
            assert next(iter(cells.values())) in summary, cells


def test_exact_methods_keep_their_promise(program: ModuleType, rows: dict[str, Any], printed: Any) -> None:
    """At least 95 %, but for three errors of the simulation."""
    exact = {program.line_name(row, a) for row in rows.values() for a in row.arms if a.kind == "exact"}
    lines = [cells for table in printed.values() for cells in table if cells.get("Design") in exact]
    assert len(lines) == len(exact) >= 3
    assert all(float(c["Covered %"]) >= 95 - 300 * (0.95 * 0.05 / int(c["Rounds"])) ** 0.5 for c in lines)


@pytest.mark.parametrize(
    ("name", "interval", "p", "n"),
    [(f"single runs, p {p}, n {n}", wilson, p, n) for p in (0.5, 0.9, 0.97) for n in (30, 50, 300)]
    + [(f"`clopper_pearson`, p {p}, n {n}", clopper_pearson, p, n) for p, n in ((0.5, 20), (0.9, 50), (0.97, 300))],
)
def test_counts_have_the_coverage_of_the_binomial_law(
    printed: dict[str, list[Cells]], name: str, interval: Callable[[int, int], Interval], p: float, n: int
) -> None:
    """What needs no simulation: the sum over all counts whose interval holds p."""
    held = (x for x in range(n + 1) if interval(x, n).low <= p <= interval(x, n).high)
    exact = 100 * sum(math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in held)
    (cells,) = [c for c in printed["New items"] if c["Design"] == name]
    assert abs(float(cells["Covered %"]) - exact) < 4 * float(cells["±"]) + 0.05


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("8 clusters of 10, ICC 0.05", 94.3),
        ("8 clusters of 10, ICC 0.3", 94.2),
        ("10 skewed clusters (40 to 3), ICC 0.05", 89.7),
        ("10 skewed clusters (40 to 3), ICC 0.3", 86.8),
        ("25 clusters of 3 to 7, ICC 0.3", 93.7),
        ("60 clusters of 5, ICC 0.3", 95.2),
    ],
)
def test_cr1_as_in_another_simulation(printed: dict[str, list[Cells]], name: str, covered: float) -> None:
    """CR1 with t(G-1) by a program that shares no line with this one, 3,000 rounds each."""
    (cells,) = [c for c in printed["New items"] if c["Design"] == f"{name}, mean 0.6: CR1, t(G-1)"]
    error = (float(cells["±"]) ** 2 + covered * (100 - covered) / 3000) ** 0.5
    assert abs(float(cells["Covered %"]) - covered) < 4 * error


def test_percentiles_of_few_runs_are_no_better_than_z(printed: dict[str, list[Cells]], scipy_stats: Any) -> None:
    """Normal scores of k runs: percentiles with the n - 1 spread cover what z does, P(|t| < 1.96)."""
    for k in (5, 10, 50):
        name = f"by=runs, shared: run scores alone, {k} runs: percentiles"
        (cells,) = [c for c in printed["Resampling"] if c["Design"] == name]
        exact = 100 * (2 * scipy_stats.t.cdf(1.959964, k - 1) - 1)
        assert abs(float(cells["Covered %"]) - exact) < 4 * float(cells["±"]) + 0.05


@pytest.mark.slow
def test_the_page_is_made_again_byte_for_byte(program: ModuleType, text: str) -> None:
    assert program.page(program.ROUNDS) == text
