"""summarize, compare, shares and power as a user gives them: real data, numbers of reference, one-line errors."""

import csv
import gzip
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from eyechart.cli import main

SHARED = Path(__file__).parents[3] / "shared" / "data"
REPEATED = SHARED / "repeated_runs.csv"
here = pytest.mark.skipif(not REPEATED.exists(), reason=f"reference data not here: {SHARED}")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def data(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    assert set(found) == {"eyechart", "command", "verdict", "warnings", "data"}
    return found


@pytest.fixture(scope="module")
def crux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CRUXEval as a tidy table, one row a score, of one model."""
    source = SHARED / "cruxeval_correct.csv.gz"
    if not source.exists():
        pytest.skip(f"reference data not here: {source}")
    path = tmp_path_factory.mktemp("crux") / "crux.csv"
    with gzip.open(source, "rt") as lines, path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["model", "cot", "temperature", "task", "item", "run", "score"])
        for row in csv.DictReader(lines):
            if row["model"] == "gpt-4-0613":
                base = [row[k] for k in ("model", "cot", "temperature", "task", "item")]
                writer.writerows([*base, k, score] for k, score in enumerate(row["samples01"]))
    return path


@here
def test_the_newcomer_with_repeated_runs() -> None:
    result = run("compare", REPEATED)
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()[:2]
    assert first.startswith("B is better than A by 8.6 points")
    assert "anything from 0.0 to +20.8" in second
    assert "difference +8.64 points, standard error 2.27" in result.stdout
    assert "taken as item: question_id; as cluster: cluster_id; as run: sample" in result.stderr
    found = data("compare", REPEATED, "--by", "model", "A", "B")
    assert found["verdict"]["code"] == "b_is_better"
    comparison = found["data"]["comparisons"]["pairs"][0]["comparison"]
    assert comparison["change"]["value"] == pytest.approx(0.0864, abs=1e-9)
    assert comparison["change"]["se"] == pytest.approx(0.0227, abs=5e-5)
    assert comparison["single_runs"]["lowest"] == pytest.approx(0.0, abs=1e-9)
    assert comparison["single_runs"]["highest"] == pytest.approx(0.208, abs=1e-9)
    assert comparison["n"] == 125
    assert found["data"]["clusters"] == 25
    assert found["data"]["fingerprint"] is None
    assert "no fingerprint" in found["data"]["fingerprint_reason"]


@here
def test_the_order_of_the_labels_decides_the_sign() -> None:
    change = data("compare", REPEATED, "B", "A")["data"]["comparisons"]["pairs"][0]["comparison"]["change"]
    assert change["value"] == pytest.approx(-0.0864, abs=1e-9)


@here
def test_summarize_has_two_named_intervals() -> None:
    found = data("summarize", REPEATED, "--by", "model", "--k", "1,5")["data"]
    a = found["groups"][0]
    assert a["name"] == "A"
    assert a["score"] == pytest.approx(0.5616)
    assert (a["items"], a["clusters"], a["runs"], a["rows"]) == (125, 25, 5, 625)
    assert a["naive_se"] == pytest.approx(0.019864, abs=1e-6)
    assert a["new_items"]["se"] == pytest.approx(0.0302, abs=5e-5)
    assert a["repeat_it"]["se"] == pytest.approx(0.017889, abs=1e-6)
    assert a["new_items"]["interval"][0] < a["repeat_it"]["interval"][0] < a["score"]
    assert a["checks"]["noise"]["flipping"] == 98
    assert a["checks"]["exchangeable"]["verdict"] == "exchangeable"
    assert [p["any"]["value"] for p in a["passes"]] == pytest.approx([0.5616, 0.920])
    assert a["passes"][1]["every"]["value"] == pytest.approx(0.136)
    assert a["resampled_items"]["interval"] == pytest.approx(a["new_items"]["interval"], abs=0.01)


@here
def test_power_from_a_table_and_typed_in() -> None:
    found = data("power", "--sd", "1.8pt", "--half-width", "0.5pt", "--runs", "10", "--pilot", "10")
    numbers = found["data"]
    assert (numbers["runs_needed"]["normal"], numbers["runs_needed"]["t"]) == (50, 53)
    assert numbers["runs_buy"]["t"] == pytest.approx(0.0129, abs=5e-5)
    assert numbers["limit"]["covered"] < 0.92
    text = run("power", "--sd", "0.018", "--half-width", "0.5pt", "--runs", "10").stdout
    assert "10 runs resampled a thousand times are still 10 runs" in text
    pair = data("power", REPEATED, "A", "B", "--delta", "5pt", "--cluster", "none")["data"]
    assert pair["items_needed"] == 260
    assert pair["items_buy"] == pytest.approx(0.07210, abs=1e-5)
    single = data("power", REPEATED, "A", "B", "--delta", "5pt", "--cluster", "none", "--where", "sample=1")["data"]
    assert single["items_needed"] == 1537
    assert single["items_buy"] == pytest.approx(0.17530, abs=1e-5)


def test_shares_of_real_runs(crux: Path) -> None:
    found = data("shares", crux, "--factors", "cot,temperature", "--where", "task=output")["data"]
    shares = {e["name"]: 100 * e["share"] for e in found["anova"]["effects"]}
    expected = {"cot": 0.98, "temperature": 0.00, "item": 68.58, "cot x temperature": 0.00, "cot x item": 13.34,
                "temperature x item": 1.23, "cot x temperature x item": 1.22, "run": 14.64}  # fmt: skip
    assert shares == pytest.approx(expected, abs=0.006)
    top = found["shares"]["parts"][0]
    assert top["name"] == "cot"
    assert top["share_interval"][0] > 0.95
    advice = {a["factor"]: a["disposition"] for a in found["advice"]}
    assert advice == {"cot": "declare as a boundary", "temperature": "annotate"}
    by_plan = {f["plan"]: f for f in found["forecasts"]}
    ratio = by_plan["as measured"]["se_fixed"] / by_plan["twice the items"]["se_fixed"]
    assert ratio == pytest.approx(2**0.5, rel=1e-6)
    guessed = run("shares", crux, "--where", "task=output")
    assert "taken as factors: cot, temperature" in guessed.stderr


def test_comparing_over_set_ups(crux: Path) -> None:
    found = data("compare", crux, "--by", "cot", "0", "1", "--over", "temperature", "--where", "task=output")["data"]
    over = found["over"]
    assert over["set_ups"] == [["0.2"], ["0.8"]]
    a, b, beats = over["beats"][0]
    assert (a, b, beats["share"]) == ("0", "1", 0.0)
    assert over["turns"][0][2]["seen"] is None
    change = found["comparisons"]["pairs"][0]["comparison"]["change"]["value"]
    single = data("compare", crux, "--by", "cot", "--where", "task=output", "--where", "temperature=0.2")["data"]
    assert single["comparisons"]["pairs"][0]["comparison"]["change"]["value"] == pytest.approx(0.0841, abs=5e-5)
    assert change == pytest.approx(0.0879, abs=5e-4)


def scored(path: Path, rows: list[tuple[Any, ...]], header: str) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_over_set_ups_every_run_counts(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    chance = rng.beta(2, 2, 200)
    rows = [
        (i, model, decode, run, int(rng.random() < min(1, chance[i] + 0.05 * (model == "b"))))
        for model in "ab" for decode, runs in (("greedy", 1), ("hot", 10)) for i in range(200) for run in range(runs)
    ]  # fmt: skip
    path = scored(tmp_path / "o.csv", rows, "item,model,decode,run,score")
    found = data("compare", path, "--over", "decode")
    means = {
        (m, d): np.mean([r[4] for r in rows if r[1] == m and r[2] == d]) for m in "ab" for d in ("greedy", "hot")
    }  # fmt: skip
    change = found["data"]["comparisons"]["pairs"][0]["comparison"]
    wanted = sum(means["b", d] - means["a", d] for d in ("greedy", "hot")) / 2
    assert change["change"]["value"] == pytest.approx(wanted)
    assert change["change"]["value"] * wanted > 0
    # Run 0 is the only one that both set-ups have.
    assert len(change["single_runs"]["differences"]) == 1
    assert any("set-ups hold 1 to 10 runs" in w for w in found["warnings"])


def test_over_set_ups_what_is_missing_takes_nothing_else_with_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    chance = rng.beta(2, 2, 200)
    rows = [
        (f"q{i}", model, prompt, run, int(rng.random() < min(1, chance[i] + 0.05 * (model == "b"))))
        for model in "ab" for prompt in ("p1", "p2", "p3", "p4") for i in range(200) for run in range(3)
        if rng.random() > 0.2
    ]  # fmt: skip
    path = scored(tmp_path / "o.csv", rows, "item,model,prompt,run,score")
    found = data("compare", path, "--over", "prompt")
    cells: dict[tuple[str, str, str], list[int]] = {}
    for item, model, prompt, _, score in rows:
        cells.setdefault((item, model, prompt), []).append(score)
    prompts = ("p1", "p2", "p3", "p4")
    held = [f"q{i}" for i in range(200) if all((f"q{i}", m, p) in cells for m in "ab" for p in prompts)]
    apart = [np.mean([np.mean(cells[i, "b", p]) - np.mean(cells[i, "a", p]) for p in prompts]) for i in held]
    change = found["data"]["comparisons"]["pairs"][0]["comparison"]["change"]
    assert change["value"] == pytest.approx(np.mean(apart))
    assert change["se"] == pytest.approx(np.std(apart, ddof=1) / len(held) ** 0.5)
    said = f"{200 - len(held)} of 200 items lack a score of some model in some set-up and are left out"
    assert said in found["warnings"]


def test_runs_of_set_ups_are_matched_by_their_labels(tmp_path: Path) -> None:
    rows = [
        (i, model, prompt, run, int((i + run + (model == "b")) % 3 > 0))
        for model in "ab" for prompt, runs in (("p1", (1, 2)), ("p2", (2, 3))) for i in range(40) for run in runs
    ]  # fmt: skip
    path = scored(tmp_path / "o.csv", rows, "item,model,prompt,run,score")
    single = data("compare", path, "--over", "prompt")["data"]["comparisons"]["pairs"][0]["comparison"]["single_runs"]
    second = {m: np.mean([r[4] for r in rows if r[1] == m and r[3] == 2]) for m in "ab"}
    assert single["differences"] == pytest.approx([second["b"] - second["a"]])
    none = [r for r in rows if r[3] != 2]
    path = scored(tmp_path / "n.csv", none, "item,model,prompt,run,score")
    assert (
        data("compare", path, "--over", "prompt")["data"]["comparisons"]["pairs"][0]["comparison"]["single_runs"]
        is None
    )


def test_the_level_reaches_the_set_ups(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (i, m, p, int(rng.random() < 0.5 + 0.1 * (m == "b") * (p - 1)))
        for i in range(60) for m in "ab" for p in range(4)
    ]  # fmt: skip
    path = scored(tmp_path / "o.csv", rows, "item,model,prompt,score")
    over = data("compare", path, "--over", "prompt", "--level", "0.8")["data"]["over"]
    wide = data("compare", path, "--over", "prompt", "--level", "0.99")["data"]["over"]
    narrow, wider = (d["beats"][0][2]["interval"] for d in (over, wide))
    assert narrow != wider
    assert over["reliability"] != wide["reliability"]


def test_few_clusters_are_warned_of_and_flipped(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [(i, i // 40, m, int(rng.random() < p)) for i in range(200) for m, p in (("a", 0.4), ("b", 0.5))]
    result = run("compare", scored(tmp_path / "five.csv", rows, "item,cluster,model,score"))
    assert "5.0 effective clusters (of 5), under 20" in result.stderr
    assert "sign flips of clusters: p" in result.stdout
    assert "sign flips of items" not in result.stdout
    if "more items" in result.stdout:
        assert "more items in more clusters" in result.stdout


def test_one_shared_item_plans_nothing(tmp_path: Path) -> None:
    rows = [("q1", "a", 1), ("q2", "a", 0), ("q1", "b", 0), ("q3", "b", 1)]
    result = run("power", scored(tmp_path / "s.csv", rows, "item,model,score"), "a", "b", "--delta", "5pt")
    assert result.exit_code == 2
    assert "a and b have one item in common" in result.stderr


TABLE = "item,model,run,score\nq1,A,0,1\nq1,A,1,0\nq2,A,0,1\nq2,A,1,1\nq1,B,0,0\nq1,B,1,0\nq3,B,0,1\nq3,B,1,0\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["summarize"],
            "2 rows too many: two for item q1, run 0; name what tells them apart: the run (--run), or a column of model",
        ),
        (["compare", "--by", "modle"], "there is no column modle; did you mean model?"),
        (["compare", "A", "C"], "no row has model = C; there are: A, B"),
        (["compare", "A"], "one label (A); name another: B"),
        (["compare", "--over", "model"], "model is what is compared, and cannot be averaged over"),
        (["compare", "--over", "item"], "item is the item, and cannot be averaged over"),
        (["compare", "--by", "model", "--where", "model=A"], "column model holds one value (A)"),
        (["shares", "--factors", "model", "--where", "model=A"], "column model holds one value (A): leave it out"),
        (["summarize", "--by", "model", "--where", "model"], "write COLUMN=LABEL, not model"),
        (["summarize", "--by", "model", "--range", "1", "0"], "write the lower number first"),
        (["power", "--sd", "1pt"], "standard deviations come from the table"),
    ],
)
def test_one_line_for_each_mistake(small: Path, arguments: list[str], line: str) -> None:
    result = run(arguments[0], small, *arguments[1:])
    assert result.exit_code == 2, result.output
    assert line in result.stderr
    assert "Traceback" not in result.output


def test_copies_are_named(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("item,run,score\nq1,0,1\nq1,0,1\nq2,0,0\n")
    result = run("summarize", path)
    assert result.exit_code == 2
    assert "1 rows too many: two for item q1, run 0; they are equal: remove the copies" in result.stderr


def test_pairs_that_do_not_match_are_counted(small: Path) -> None:
    found = data("compare", small, code=3)
    assert "2 of 3 items lack a score of some model and are left out" in found["warnings"]
    assert found["verdict"]["code"] == "too_little_data"


def test_no_item_in_common(small: Path) -> None:
    small.write_text(TABLE.replace("q1,B", "q4,B"))
    result = run("compare", small)
    assert result.exit_code == 2
    assert "A and B have no item in common" in result.stderr


def test_rows_without_a_run_column_are_repeats_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,score\n" + "".join(f"q{i % 30},{(i * 7) % 3 % 2}\n" for i in range(90)))
    found = data("summarize", path)
    assert found["data"]["groups"][0]["runs"] == 3
    assert any("no column numbers the runs" in w for w in found["warnings"])


def test_an_item_in_two_clusters(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,cluster,run,score\nq1,c1,0,1\nq1,c2,1,0\nq2,c2,0,1\n")
    result = run("summarize", path)
    assert result.exit_code == 2
    assert "item q1 stands in two clusters" in result.stderr


def test_hostile_labels_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,model,score\n" + "".join(f"q{i},\x1b[31m{m},{i % 2}\n" for i in range(40) for m in "AB"))
    for command in ("summarize", "compare", "shares"):
        result = run(command, path, "--by", "model") if command != "shares" else run(command, path)
        assert result.exit_code in (0, 3), result.output
        assert "\x1b" not in result.output


def test_a_constant_score_is_bounded_not_certain(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,model,score\n" + "".join(f"q{i},{m},1\n" for i in range(40) for m in "AB"))
    found = data("summarize", path, "--by", "model")["data"]["groups"][0]
    assert found["new_items"]["interval"][0] == pytest.approx(0.9124, abs=1e-3)
    change = data("compare", path)["data"]["comparisons"]["pairs"][0]["comparison"]
    assert change["change"]["interval"][1] > 0.05
    assert change["verdict"] == "not distinguishable"


def test_the_change_that_turns_the_order_is_named_with_its_commands(tmp_path: Path) -> None:
    rows = ["item,model,shots,cue,score"]
    for i in range(80):
        for shots in "05":
            for cue in ("a b", "c"):
                a, b = (1, int(i % 2)) if cue == "c" else (int(i % 2), 1)
                rows += [f"q{i},A,{shots},{cue},{a}", f"q{i},B,{shots},{cue},{b}"]
    path = tmp_path / "turn.csv"
    path.write_text("\n".join(rows) + "\n")
    text = run("compare", path, "--over", "shots,cue").stdout
    assert "cue from c to a b" in text
    commands = [line.split(maxsplit=1)[1] for line in text.splitlines() if line.strip().startswith("eyechart compare")]
    assert len(commands) == 2
    verdicts = [data(*shlex.split(command))["verdict"]["code"] for command in commands]
    assert verdicts == ["a_is_better", "b_is_better"]


def test_labels_are_numbers_too(crux: Path) -> None:
    first = data("compare", crux, "--by", "temperature", "0.2", "0.8", "--where", "task=output", "--where", "cot=0")
    again = data("compare", crux, "--by", "temperature", ".2", "0.80", "--where", "task=output", "--where", "cot=0.0")
    assert first == again


def test_models_are_not_taken_for_repeats(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,model,score\n" + "".join(f"q{i},{m},{i % 2}\n" for i in range(40) for m in "AB"))
    result = run("summarize", path)
    assert result.exit_code == 2
    assert "rows of item q0 differ in model: name it in --by or --factors" in result.stderr
    numbered = path.with_name("n.csv")
    numbered.write_text(
        "item,try,score\n" + "".join(f"q{i},{k},{(i * 7 + k) % 3 % 2}\n" for i in range(40) for k in (1, 2))
    )
    assert "name it with --run" in run("summarize", numbered).stderr
    assert data("summarize", numbered, "--run", "try")["data"]["groups"][0]["runs"] == 2


def test_what_is_asked_about_is_not_a_cluster(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = [
        f"{s}-{i},{s},{m},{(i * 7 + len(m)) % 3 % 2}" for s in ("law", "math") for i in range(30) for m in ("A", "BB")
    ]
    path.write_text("item,subject,model,score\n" + "\n".join(rows) + "\n")
    assert data("summarize", path, "--by", "subject,model")["data"]["groups"][0]["clusters"] is None
    one = data("compare", path, "--where", "subject=law")
    assert one["data"]["clusters"] is None
    assert data("compare", path, "--where", "model=A", "--by", "subject", code=2)["verdict"]["code"] == "error"


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("s.csv", b"i\x00t\x00e\x00m\x00,\x00", "is not text"),
        ("s.csv", "item,score\na,1\n".encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("s.csv", b"PK\x03\x04junk", "is a zip file or spreadsheet"),
        ("s.csv", "item,model,score\na,é,1\n".encode("latin-1"), "is not UTF-8; save the file as UTF-8"),
        ("s.csv", b"item;score\na;0,5\n", "score '0,5' is not a number; write a point in place of the comma"),
        ("s.csv", b"item,score\na,1_0\n", "score '1_0' is not a number"),
    ],
)
def test_files_that_are_not_what_they_seem(tmp_path: Path, name: str, content: bytes, line: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = run("summarize", path)
    assert result.exit_code == 2
    assert line in result.stderr


@pytest.mark.parametrize("mark", ["\t", "|", ";"])
def test_other_separators(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text("item,score\nq1,1\nq2,0\nq3,1\n".replace(",", mark))
    assert data("summarize", path)["data"]["groups"][0]["items"] == 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--by", "score"], "column score holds the scores: they are not labels"),
        (["--cluster", "score"], "column score was named as the cluster; name the score with --score"),
        (["--cluster", "item"], "column item was named as the cluster; name the item with --item"),
        (["--item", "model", "--run", "model"], "column model cannot be two things at once"),
    ],
)
def test_a_column_named_for_the_wrong_part(small: Path, words: list[str], line: str) -> None:
    result = run("summarize", small, *words)
    assert result.exit_code == 2
    assert line in result.stderr


def test_no_label_steers_the_terminal_in_any_line(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    models = ["a\x1b[31m", "b\u202e", "c\x07"]
    rows = [f"q{i},{k},{m},{(i * 5 + k + len(m)) % 3 % 2}" for i in range(30) for k in (0, 1) for m in models]
    path.write_text("item,run,model,score\n" + "\n".join(rows) + "\n")
    for words in (["compare", path], ["compare", path, *models[:2]], ["summarize", path, "--by", "model"]):
        result = run(*words)
        assert result.exit_code == 0, result.output
        assert not set(result.output) & {"\x1b", "\x07", "\u202e"}


def test_resampled_runs_claim_no_more_than_their_closed_form(tmp_path: Path) -> None:
    """One seed for all items of a run: drawn item by item, the resampled interval would be far too narrow."""
    rng = np.random.default_rng(3)
    shift, easy = rng.normal(0, 0.6, 8), rng.normal(0, 1, 150)
    lines = ["item,run,score"]
    for k in range(8):
        right = rng.random(150) < 1 / (1 + np.exp(-(easy + shift[k])))
        lines += [f"q{i},{k},{int(r)}" for i, r in enumerate(right)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(lines) + "\n")
    widths: dict[str, list[float]] = {}
    for words in ([], ["--shared-draws"]):
        group = data("summarize", path, *words)["data"]["groups"][0]
        closed, drawn = (group[key]["interval"] for key in ("repeat_it", "resampled_runs"))
        widths[str(words)] = [closed[1] - closed[0], drawn[1] - drawn[0]]
        assert widths[str(words)][1] > 0.6 * widths[str(words)][0]
    text = run("summarize", path, "--shared-draws").stdout
    assert "--own-draws" not in text
    assert "--own-draws" in run("summarize", path).stdout


def test_set_ups_that_lack_a_label_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = [f"q{i},{m},{c},{(i * 7 + len(c)) % 3 % 2}" for i in range(30) for m in "AB" for c in ("x", "yy", "zzz")]
    path.write_text("item,model,cue,score\n" + "\n".join(r for r in rows if ",B,zzz," not in r) + "\n")
    found = data("compare", path, "--over", "cue")
    assert "1 of 3 set-ups were not measured with all that is compared, and are left out" in found["warnings"]
