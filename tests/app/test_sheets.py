"""Sheets for people: blind on the way out, exact on the way back, and deaf to what a spreadsheet does to them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyechart.analysis.sheets import (
    Filled,
    Key,
    Thing,
    majority,
    make_key,
    read_sheets,
    second_round,
    sheet_of,
)
from eyechart.app.sheets import export_sheets, read_labels
from eyechart.cli.judge_sheet import command
from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for
from eyechart.core.records import Estimate, NotEstimable
from eyechart.data.sheets import escape_cell, key_text, parse_key, read_filled, sheet_csv, unescape_cell

TEXT = st.text(max_size=20) | st.sampled_from(
    ['=1+1"', "'", "''x", "-5", "a\r\nb", "\t=x", "1/2", "TRUE", ',;"\n', "@x"]
)
WORDS = st.sampled_from(["a", "b", "tie", None])


def pairs(n: int = 12) -> list[Thing]:
    return [Thing(id=f"q{i}", outputs=(f"left {i}", f"right {i}"), question=f"what {i}?") for i in range(n)]


def word_for(key: Key, place_key: str, label: str | None) -> str:
    """What a person writes who means output a, b, or a tie: the naive twin of the mapping back."""
    if label is None or label == "tie" or key.scale is not None:
        return label or ""
    place = next(p for p in key.places if p.key == place_key)
    thing, (row,) = key.things[place.thing], [r for r in sheet_of(key, place.person).rows if r.key == place_key]
    meant = thing.outputs["ab".index(label)]
    return "1" if row.outputs[0] == meant else "2"


def filled_csv(key: Key, person: int, labels: dict[str, str | None]) -> str:
    """The sheet of one person with `labels` by id filled in, as a program would write it."""
    rows = list(csv.reader(io.StringIO(sheet_csv(sheet_of(key, person)).removeprefix("\ufeff"), newline="")))
    column = next(i for i, name in enumerate(rows[0]) if name.startswith("verdict"))
    ids = {place.key: key.things[place.thing].id for place in key.places}
    for row in rows[1:]:
        row[column] = word_for(key, row[1], labels.get(ids[row[1]]))
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), people=st.integers(1, 3), seed=st.integers(0, 9), shuffle=st.booleans())
def test_what_is_planted_is_read_whatever_the_texts(
    tmp_path: Path, data: st.DataObject, people: int, seed: int, shuffle: bool
) -> None:
    texts = data.draw(st.lists(st.tuples(TEXT, TEXT).filter(lambda t: t[0] != t[1]), min_size=1, max_size=6))
    things = [Thing(id=f"i{i}", outputs=t, question=t[0]) for i, t in enumerate(texts)]
    key = make_key(things, people=people, seed=seed, shuffle=shuffle)
    key = parse_key(key_text(key))
    planted = [{t.id: data.draw(WORDS) for t in things} for _ in range(people)]
    rows: list[Filled] = []
    for person, labels in enumerate(planted):
        path = tmp_path / f"s{person}.csv"
        path.write_text(filled_csv(key, person, labels), encoding="utf-8", newline="")
        rows += read_filled(path)
    found = read_sheets(key, rows)
    assert found.problems == ()
    for one in found.labels:
        assert one.first == tuple(labels[one.thing.id] for labels in planted)
        votes = Counter(word for word in one.first if word)
        best = [word for word, n in votes.items() if n == max(votes.values())]
        assert one.human == (best[0] if len(best) == 1 else None)


@given(TEXT)
def test_no_cell_begins_with_what_a_spreadsheet_runs(text: str) -> None:
    cell = escape_cell(text)
    assert unescape_cell(cell) == text
    assert not cell or cell[0] == "'" or cell[0].isalpha()


def table(path: Path, n: int = 12) -> Path:
    rows = [
        {"item_id": f"q{i}", "question": f"what {i}?", "output_a": f"left {i}", "output_b": f"right {i}"}
        | {"model_a": "secret-one", "model_b": "secret-two", "judge_ab": "a", "judge_ba": "tie", "human": "b"}
        for i in range(n)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["csv", "html"])
def test_a_sheet_shows_no_model_no_verdict_and_no_id(tmp_path: Path, kind: str) -> None:
    made = export_sheets(str(table(tmp_path / "t.jsonl")), tmp_path / f"sheet.{kind}", people=2)
    assert [path.name for path in made.sheets] == [f"sheet1.{kind}", f"sheet2.{kind}"]
    for path in made.sheets:
        text = path.read_text(encoding="utf-8")
        assert "left 3" in text
        for hidden in ("secret", "judge", "model", "q3", "human", "tie\n"):
            assert hidden not in text
    assert "secret-one" in made.key.read_text(encoding="utf-8")


def test_orders_differ_between_people_and_follow_the_seed() -> None:
    key = make_key(pairs(60), people=3, seed=5)
    by = [[(p.thing, p.swapped) for p in key.places if p.person == k] for k in range(3)]
    orders = [[thing for thing, _ in rows] for rows in by]
    assert len({tuple(order) for order in orders}) == 3
    slots = [dict(rows) for rows in by]
    assert all(slots[0][i] != slots[1][i] for i in range(60))
    # 60 fair coins: 15 to 45 heads but for one time in 10,000
    assert 15 <= sum(slots[0].values()) <= 45
    assert key == make_key(pairs(60), people=3, seed=5) != make_key(pairs(60), people=3, seed=6)
    assert len({p.key for p in key.places}) == 180


def test_without_shuffling_all_is_as_given() -> None:
    key = make_key(pairs(), people=2, shuffle=False)
    assert [p.thing for p in key.places] == [*range(12), *range(12)]
    assert not any(p.swapped for p in key.places)


def test_a_larger_draw_holds_the_smaller_one_and_is_not_the_first_n() -> None:
    draws = [{t.id for t in make_key(pairs(100), count=n).things} for n in (10, 30)]
    assert draws[0] < draws[1]
    assert draws[0] != {f"q{i}" for i in range(10)}


def test_random_answers_agree_by_chance_and_slot_lovers_are_undone() -> None:
    """Two people who always take the first slot see opposite outputs first: they never agree, and alpha is negative."""
    key = make_key(pairs(200), people=2, seed=1)
    first = [Filled(file=f"s{p.person}", line=2, key=p.key, word="1") for p in key.places]
    found = read_sheets(key, first)
    assert found.count("undecided") == 200
    assert isinstance(found.alpha, Estimate)
    assert found.alpha.value < -0.9
    rng = rng_for(1, "coins")
    coins = [Filled(file=f"s{p.person}", line=2, key=p.key, word=str(rng.integers(1, 3))) for p in key.places]
    alpha = read_sheets(key, coins).alpha
    assert isinstance(alpha, Estimate)
    assert alpha.interval is not None
    assert alpha.interval.low < 0 < alpha.interval.high


def test_agreement_is_that_of_the_same_ratings_elsewhere() -> None:
    """Against the definition, 1 - observed / expected disagreement over pairs of values (nominal, no gaps)."""
    key = make_key(pairs(50), people=2, seed=2)
    rng = rng_for(2, "labels")
    labels = [{f"q{i}": str(rng.choice(["a", "a", "b", "tie"])) for i in range(50)} for _ in range(2)]
    labels[1] = {k: v if rng.random() < 0.5 else labels[0][k] for k, v in labels[1].items()}
    rows = [
        Filled(file=f"{p.person}", line=1, key=p.key, word=word_for(key, p.key, labels[p.person][f"q{p.thing}"]))
        for p in key.places
    ]
    found = read_sheets(key, rows)
    a, b = (np.array([labels[k][f"q{i}"] for i in range(50)]) for k in range(2))
    both = np.concatenate([a, b])
    expected = sum((both[i] != both[j]) for i in range(100) for j in range(100) if i != j) / (100 * 99)
    assert isinstance(found.alpha, Estimate)
    assert found.alpha.value == pytest.approx(1 - np.mean(a != b) / expected)
    chance = sum(np.mean(a == w) * np.mean(b == w) for w in ("a", "b", "tie"))
    ((name, kappa),) = found.kappas
    assert name == "1 and 2"
    assert isinstance(kappa, Estimate)
    assert kappa.value == pytest.approx((np.mean(a == b) - chance) / (1 - chance))


def test_bad_rows_are_told_one_by_one_and_the_rest_is_read(tmp_path: Path) -> None:
    key = make_key(pairs(), people=1)
    rows = list(csv.reader(io.StringIO(filled_csv(key, 0, dict.fromkeys((f"q{i}" for i in range(12)), "a")))))
    column = len(rows[0]) - 2
    rows[1][1] = "r000k"
    rows[2][column] = "left"
    rows[3][rows[0].index("first")], rows[3][rows[0].index("second")] = rows[3][4:6][::-1]
    rows[4][column] = ""
    rows.append([*rows[5][:column], "tie", ""])
    rows.append(["", "", "", "", "", "", "", ""])
    rows.append(rows[6])
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    found = read_sheets(key, read_filled(path))
    assert [p.partition(": ")[0].removeprefix(f"{path}:") for p in found.problems] == ["2", "3", "4", "14"]
    for said, line in zip(("not of this key", "no verdict", "the first is not", "twice"), found.problems, strict=True):
        assert said in line
    assert sum(one.human == "a" for one in found.labels) == 12 - 5
    assert found.count("none") == 5


def test_a_second_file_of_one_person_is_not_read_as_another_person() -> None:
    key = make_key(pairs(3), people=2)
    mine = [p.key for p in key.places if p.person == 0]
    rows = [Filled(file=name, line=2, key=k, word="tie") for name in ("s1.csv", "copy.csv") for k in mine]
    found = read_sheets(key, rows)
    assert found.problems == ("copy.csv: is the sheet of person 1, as is s1.csv, and is not read",)
    assert all(one.first == ("tie", None) for one in found.labels)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16"])
def test_as_spreadsheets_save_it(tmp_path: Path, mark: str, coding: str) -> None:
    things = [Thing(id="q", outputs=("=1+1\nüñ,;\t", "0012"), question=" ' ")]
    key = make_key(things)
    rows = list(csv.reader(io.StringIO(filled_csv(key, 0, {"q": "b"}), newline="")))
    rows[1] = [cell.replace("\n", "\r\n") for cell in rows[1]]
    path = tmp_path / "s.csv"
    with path.open("w", encoding=coding, newline="") as file:
        csv.writer(file, delimiter=mark).writerows(rows)
    found = read_sheets(key, read_filled(path))
    assert (found.problems, found.labels[0].human) == ((), "b")


@pytest.mark.parametrize(
    ("scale", "text", "word"),
    [((1, 5), "4.0", "4"), ((1, 5), " 3 ", "3"), ((1, 5), "2,0", "2"), ((0, 1), "Right", "1"), ((0, 1), "no", "0"),
     ((-2, 2), "-1", "-1"), ((1, 5), "6", None), ((1, 5), "4.5", None), ((1, 5), "nan", None), ((0, 1), "2", None)],
)  # fmt: skip
def test_grades(scale: tuple[int, int], text: str, word: str | None) -> None:
    key = make_key([Thing(id="q", outputs=("x",))], scale=scale)
    found = read_sheets(key, [Filled(file="s", line=2, key=key.places[0].key, word=text)])
    assert found.labels[0].human == word
    assert bool(found.problems) == (word is None)


def test_majority_is_the_most_voices_and_a_tie_of_voices_is_declared() -> None:
    assert majority(["5", "4", "4", None]) == ("4", "majority")
    assert majority(["5", "4", "4", "5"]) == (None, "undecided")
    assert majority(["tie", "tie"]) == ("tie", "agreed")


def test_a_second_round_holds_the_disagreements_and_joins_both(tmp_path: Path) -> None:
    made = export_sheets(str(table(tmp_path / "t.jsonl")), tmp_path / "sheet.csv", people=2, seed=4)
    key = parse_key(made.key.read_text(encoding="utf-8"))
    first = [{f"q{i}": "a" for i in range(12)}, {f"q{i}": "b" if i < 5 else "a" for i in range(11)}]
    for person, path in enumerate(made.sheets):
        path.write_text(filled_csv(key, person, first[person]), encoding="utf-8", newline="")
    kept = read_labels(made.sheets, made.key, tmp_path / "labels.csv", second=tmp_path / "round2.csv")
    assert kept.second is not None
    assert [path.name for path in kept.second.sheets] == ["round2-1.csv", "round2-2.csv"]
    again = parse_key(kept.second.key.read_text(encoding="utf-8"))
    assert {again.things[p.thing].id for p in again.places} == {f"q{i}" for i in range(5)}
    assert not {p.key for p in again.places} & {p.key for p in key.places}
    assert "secret" not in kept.second.sheets[0].read_text(encoding="utf-8")
    second = [{"q0": "a", "q1": "b", "q2": "a"}, {"q0": "a", "q1": "b", "q2": "tie"}]
    for person, path in enumerate(kept.second.sheets):
        path.write_text(filled_csv(again, person, second[person]), encoding="utf-8", newline="")
    end = read_labels(kept.second.sheets, kept.second.key, tmp_path / "labels2.csv")
    with (tmp_path / "labels2.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["item_id"]: row for row in csv.DictReader(file)}
    assert [rows[f"q{i}"]["human"] for i in (0, 1, 2, 3, 11)] == ["a", "b", "", "", "a"]
    assert [rows["q1"][name] for name in ("human_1", "human_2", "second_1", "second_2")] == ["a", "b", "b", "b"]
    assert (rows["q1"]["judge_ab"], rows["q1"]["model_a"], rows["q1"]["human_before"]) == ("a", "secret-one", "b")
    assert (rows["q1"]["len_a"], rows["q1"]["len_b"]) == ("6", "7")
    # People who know that they disagreed are no second opinion: agreement stays that of the first round.
    assert end.reading.alpha == kept.reading.alpha
    with pytest.raises(ValueError, match="second round already"):
        second_round(end.reading)


def test_where_all_agree_there_is_no_second_round(tmp_path: Path) -> None:
    made = export_sheets(str(table(tmp_path / "t.jsonl", 3)), tmp_path / "sheet.csv", people=2)
    key = parse_key(made.key.read_text(encoding="utf-8"))
    for person, path in enumerate(made.sheets):
        path.write_text(filled_csv(key, person, {f"q{i}": "tie" for i in range(3)}), encoding="utf-8", newline="")
    kept = read_labels(made.sheets, made.key, tmp_path / "labels.csv", second=tmp_path / "round2.csv")
    assert kept.second is None
    assert kept.notes == ("people disagree on nothing: there is no second round to hold",)


@pytest.mark.parametrize("part", ["swapped", "thing", "output", "first"])
def test_a_key_that_was_changed_is_refused(part: str) -> None:
    key = make_key(pairs(4), people=2)
    body = json.loads(key_text(key))
    if part == "swapped":
        body["places"][0][3] = not body["places"][0][3]
    elif part == "thing":
        body["places"][0][2] = (body["places"][0][2] + 1) % 4
    elif part == "output":
        body["things"][0]["outputs"] = body["things"][0]["outputs"][::-1]
    else:
        body["first"] = [["a", "a"]] * 4
    with pytest.raises(InputError, match="was changed"):
        parse_key(json.dumps(body), "k")
    assert parse_key(json.dumps(json.loads(key_text(key)))) == key


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"eyechart_sheet_key": 1}', "[" * 100_000, "\x00"])
def test_no_key(text: str) -> None:
    with pytest.raises(InputError, match="no key"):
        parse_key(text, "k")


@pytest.mark.parametrize(
    ("content", "says"),
    [("id\n1\n", "needs the columns"), ("id,output\n,x\n", "holds nothing in id"), ("id,output\n1,x\n1,y\n", "more than once"),
     ("id,output\n", "no rows"), ("", "no header")],
)  # fmt: skip
def test_tables_that_cannot_be_used_are_one_line(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    done = CliRunner().invoke(command, ["export", str(path), "--out", "s.csv"])
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path("s.csv").exists()


def test_an_item_answered_by_several_models_is_several_things(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item_id,model,output,j0\nq,M1,I am M1-large,3\nq,M2,two,4\n", encoding="utf-8")
    made = export_sheets(str(path), tmp_path / "sheet.csv")
    assert made.things == 2
    key = parse_key(made.key.read_text(encoding="utf-8"))
    made.sheets[0].write_text(filled_csv(key, 0, {"q": "4"}), encoding="utf-8", newline="")
    read_labels(made.sheets, made.key, tmp_path / "labels.csv")
    text = (tmp_path / "labels.csv").read_text(encoding="utf-8")
    assert text.splitlines() == ["item_id,human,human_1,model,j0,len", "q,4,4,M1,3,13", "q,4,4,M2,4,3"]


def test_the_commands_from_one_end_to_the_other(tmp_path: Path) -> None:
    table(Path("t.jsonl"))
    run = CliRunner()
    args = ["export", "t.jsonl", "--out", "sheet.csv", "--count", "8", "--seed", "3"]
    done = run.invoke(command, args)
    assert done.exit_code == 0, done.output
    assert "2 sheets (sheet1.csv, sheet2.csv) on 8 of 12 things." in done.stdout
    assert "next: eyechart judge sheet read sheet1.csv sheet2.csv --key sheet.key.json --out labels.csv" in done.stdout
    again = run.invoke(command, args)
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    empty = run.invoke(command, ["read", "sheet1.csv", "sheet2.csv", "--key", "sheet.key.json"])
    assert empty.exit_code == 2
    assert "no verdict is filled in" in empty.stderr
    key = parse_key(Path("sheet.key.json").read_text(encoding="utf-8"))
    for person in range(2):
        labels: dict[str, str | None] = {t.id: "ab"[i % 2] if i else "ab"[person] for i, t in enumerate(key.things)}
        Path(f"sheet{person + 1}.csv").write_text(filled_csv(key, person, labels), encoding="utf-8", newline="")
    done = run.invoke(command, ["read", "sheet1.csv", "sheet2.csv", "--key", "sheet.key.json", "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)["data"]
    assert (data["things"], data["agreed"], data["undecided"]) == (8, 7, 1)
    assert 0 < data["alpha"]["value"] < 1
    done = run.invoke(command, ["read", "sheet1.csv", "nothing.csv", "--key", "sheet.key.json", "--force"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    done = run.invoke(command, ["read", "sheet1.csv", "--key", "sheet1.csv", "--force"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_one_person_has_no_agreement() -> None:
    key = make_key(pairs(2))
    found = read_sheets(key, [Filled(file="s", line=2, key=key.places[0].key, word="1")])
    assert isinstance(found.alpha, NotEstimable)
    assert found.kappas == ()


def test_labels_file_runs_nothing_in_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('item_id,output,judge,model\n"=cmd()",x,-0.5,"@SUM(1)"\n', encoding="utf-8")
    made = export_sheets(str(path), tmp_path / "sheet.csv")
    key = parse_key(made.key.read_text(encoding="utf-8"))
    made.sheets[0].write_text(filled_csv(key, 0, {"=cmd()": "5"}), encoding="utf-8", newline="")
    read_labels(made.sheets, made.key, tmp_path / "labels.csv")
    assert "'=cmd(),5,5,-0.5,'@SUM(1),1" in (tmp_path / "labels.csv").read_text(encoding="utf-8")


def through_sheets(said: dict[str, tuple[str, str]], scale: tuple[int, int] | None) -> tuple[Estimate, Estimate]:
    """Alpha and kappa of two people who say `said`, by way of their blinded and shuffled sheets."""
    outputs = ("x", "y") if scale is None else ("x",)
    key = make_key([Thing(id=name, outputs=outputs) for name in said], people=2, scale=scale, seed=7)
    rows = [
        Filled(file=str(p.person), line=1, key=p.key, word=word_for(key, p.key, said[key.things[p.thing].id][p.person]))
        for p in key.places
    ]
    found = read_sheets(key, rows)
    kappa = found.kappas[0][1]
    assert isinstance(found.alpha, Estimate)
    assert isinstance(kappa, Estimate)
    return found.alpha, kappa


def test_reference_numbers_come_back_through_sheets(shared: Path) -> None:
    """Ordinal alpha and quadratic kappa of grades; nominal kappa of pairs (a split verdict is a tie), and of right or
    wrong where a person was asked."""
    known = json.loads((shared / "data" / "judge_reference.json").read_text(encoding="utf-8"))

    def rows(name: str) -> list[dict[str, str]]:
        with (shared / "data" / f"judge_{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    alpha, kappa = through_sheets({r["item_id"]: (r["human"], r["j0"]) for r in rows("graded")}, (1, 5))
    assert alpha.value == pytest.approx(known["graded"]["alpha_judge_human_ordinal"], abs=1e-6)
    assert kappa.value == pytest.approx(known["graded"]["kappa_quad"], abs=1e-6)
    consensus = {
        r["item_id"]: (r["human"], r["judge_ab"] if r["judge_ab"] == r["judge_ba"] else "tie") for r in rows("pairwise")
    }
    kappa = through_sheets(consensus, None)[1]
    assert kappa.value == pytest.approx(known["pair"]["kappa_human_vs_consensus(3cat)"], abs=1e-6)
    kappa = through_sheets({r["item_id"]: (r["human"], r["judge"]) for r in rows("binary") if r["human"]}, (0, 1))[1]
    assert kappa.value == pytest.approx(known["binary"]["kappa labeled"], abs=1e-6)


def test_an_output_longer_than_any_cell_comes_back_whole_or_cut(tmp_path: Path) -> None:
    long = "".join(str(rng_for(0, "long", i).integers(1, 9)) for i in range(5000)) * 40
    key = make_key([Thing(id="q", outputs=(long, "short"))])
    (row,) = sheet_of(key, 0).rows
    whole = f"key,first,second,verdict\n{row.key},{row.outputs[0]},{row.outputs[1]},1\n"
    for text, told in ((whole, 0), (whole.replace(long, long[:32_766]), 0), (whole.replace(long, long[:99]), 1)):
        (tmp_path / "s.csv").write_text(text, encoding="utf-8", newline="")
        assert len(read_sheets(key, read_filled(tmp_path / "s.csv")).problems) == told
