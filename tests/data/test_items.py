"""Rows to items: columns, choices, answers, ids; and nothing that leaks or is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.records import Item
from eyechart.core.spec import Fields
from eyechart.data.answers import position
from eyechart.data.items import Mapped, map_rows
from eyechart.data.options import Options
from eyechart.data.values import Problem, Row, Rows

Map = Callable[..., Mapped]
Message = Callable[..., str]


def only(mapped: Mapped) -> Item:
    assert mapped.problems == ()
    (item,) = mapped.items
    return item


SPELLINGS: list[tuple[dict[str, Any], Any]] = [
    ({"choices": ["ice", "steam", "fog"]}, "B"),
    ({"choices": ["ice", "steam", "fog"]}, "b"),
    ({"choices": ["ice", "steam", "fog"]}, "(B)"),
    ({"choices": ["ice", "steam", "fog"]}, "B."),
    ({"choices": ["ice", "steam", "fog"]}, "steam"),
    ({"choices": ["ice", "steam", "fog"]}, " Steam "),
    ({"choices": ["ice", "steam", "fog"]}, ["steam"]),
    ({"choices": ["ice", "steam", "fog"]}, 1),
    ({"choices": ["ice", "steam", "fog"]}, "1"),
    ({"choices": ["ice", "steam", "fog"]}, 1.0),
    ({"choices": '["ice", "steam", "fog"]'}, "B"),
    ({"choices": "['ice', 'steam', 'fog']"}, "B"),
    ({"options": ["ice", "steam", "fog"]}, "B"),
    ({"choices": {"A": "ice", "B": "steam", "C": "fog"}}, "B"),
    ({"choices": {"1": "ice", "2": "steam", "3": "fog"}}, "2"),
    ({"choices": {"1": "ice", "2": "steam", "3": "fog"}}, 2),
    ({"choices": {"A": "ice", "B": "steam", "C": "fog", "D": None}}, "B"),
    ({"choices": {"text": ["ice", "steam", "fog"], "label": ["A", "B", "C"]}}, "B"),
    ({"choices": {"text": ["ice", "steam", "fog"], "label": ["1", "2", "3"]}}, "2"),
    ({"choices": {"text": ["ice", "steam", "fog"]}}, "B"),
    ({"choices": [{"label": "x", "text": "ice"}, {"label": "y", "text": "steam"}, {"label": "z", "text": "fog"}]}, "y"),
    ({"choice_a": "ice", "choice_b": "steam", "choice_c": "fog"}, "B"),
    ({"choice_a": "ice", "choice_b": "steam", "choice_c": "fog", "choice_d": ""}, "B"),
    ({"A": "ice", "B": "steam", "C": "fog"}, "B"),
    ({"option_a": "ice", "option_b": "steam", "option_c": "fog"}, "steam"),
    ({"option1": "ice", "option2": "steam", "option3": "fog"}, "2"),
    ({"ending0": "ice", "ending1": "steam", "ending2": "fog"}, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "answer"), SPELLINGS)
def test_every_spelling_of_choices_and_answer(choices: dict[str, Any], answer: Any, mapped: Map) -> None:
    item = only(mapped([{"question": "Which one is hot?", **choices, "answer": answer}]))
    assert item.choices == ("ice", "steam", "fog")
    assert (item.gold, item.gold_index) == (("steam",), 1)
    assert "answer" not in item.fields


def test_the_reading_that_fits_most_rows_is_taken_for_all(mapped: Map) -> None:
    """Mercury_402547 of ARC-Challenge: the answer C is a label, though the first choice reads C."""
    rows = [{"question": f"q{i}", "choices": {"A": "w", "B": "x", "C": "y"}, "answer": "ABC"[i % 3]} for i in range(9)]
    rows.append({"question": "Which is diatomic?", "choices": {"A": "C", "B": "NO_{2}", "C": "O_{2}"}, "answer": "C"})
    found = mapped(rows)
    assert found.reading == "label"
    assert found.items[-1].gold == ("O_{2}",)


def test_positions_from_one_are_told_from_positions_from_zero(mapped: Map) -> None:
    def rows(answers: list[int]) -> list[dict[str, Any]]:
        return [{"question": f"q{i}", "choices": ["w", "x", "y"], "answer": a} for i, a in enumerate(answers)]

    zero, one, either = mapped(rows([0, 1, 2])), mapped(rows([1, 2, 3])), mapped(rows([1, 2, 1]))
    assert [i.gold_index for i in zero.items] == [i.gold_index for i in one.items] == [0, 1, 2]
    assert "answers are read as positions, counted from 0" in zero.notes
    assert "answers are read as positions, counted from 1" in one.notes
    assert [i.gold_index for i in either.items] == [1, 2, 1]
    assert any("would fit as positions, counted from 1 just as well" in note for note in either.notes)
    like_test = mapped(rows([1, 2, 1]), prefer="number")
    assert [i.gold_index for i in like_test.items] == [0, 1, 0]
    assert not any("just as well" in note for note in like_test.notes)


def test_texts_that_are_letters_or_digits(mapped: Map) -> None:
    rows = [{"question": f"q{i}", "choices": ["B", "A"], "answer": a} for i, a in enumerate("AB")]
    found = mapped(rows)
    assert [i.gold for i in found.items] == [("A",), ("B",)]
    assert any("would fit as labels of the choices" in note for note in found.notes)
    digits = mapped([{"question": "q", "choices": ["44", "26"], "answer": "44"}])
    assert (digits.items[0].gold_index, digits.notes) == (0, ("answers are read as texts of the choices",))


def test_an_answer_that_does_not_fit_the_rest_is_listed_not_read_otherwise(mapped: Map) -> None:
    rows = [{"question": f"q{i}", "choices": ["x", "y"], "answer": a} for i, a in enumerate(["A", "B", "A", "y", "E"])]
    found = mapped(rows)
    assert len(found.items) == 3
    assert [(p.line, p.reason) for p in found.problems] == [
        (4, "answer 'y' is none of the labels A, B"),
        (5, "answer 'E' is none of the labels A, B"),
    ]


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        (
            ["x", "y", "v", "w"],
            ["answer 'v' is none of the choices 'x', 'y'", "answer 'w' is none of the choices 'x', 'y'"],
        ),
        ([0, 1, 0, 2], ["answer '2' is no position from 0 to 1"]),
        ([1, 2, 2, 3], ["answer '3' is no position from 1 to 2"]),
    ],
)
def test_what_does_not_fit_is_said_in_the_words_of_the_reading(
    answers: list[Any], reasons: list[str], mapped: Map
) -> None:
    found = mapped([{"question": f"q{i}", "choices": ["x", "y"], "answer": a} for i, a in enumerate(answers)])
    assert [p.reason for p in found.problems] == reasons


def test_a_file_without_one_readable_row(message: Message) -> None:
    problems = (Problem(line=4, reason="is not valid JSON", file="r"),)
    said = message(lambda: map_rows(Rows(given="r", rows=(), problems=problems), Fields()))
    assert said == "r:4: cannot be used: is not valid JSON"


def test_rows_with_and_without_choices(mapped: Map) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "Larger?", "choices": ["44", "26"], "answer": "44"},
        {"question": "6 plus 7?", "answer": "13"},
        {"question": "7 plus 7?", "choices": [], "answer": 14},
    ]
    found = mapped(rows)
    assert [(i.gold, i.gold_index, i.choices) for i in found.items] == [
        (("44",), 0, ("44", "26")), (("13",), None, ()), (("14",), None, ()),
    ]  # fmt: skip
    assert "2 of 3 rows have no choices and are open questions" in found.notes
    letters = mapped(
        [{"question": f"q{i}", "choices": ["x", "y"], "answer": "B"} for i in range(2)]
        + [{"question": "z", "answer": "B"}]
    )
    assert [p.reason for p in letters.problems] == ["has no choices, and answers 'B' as if it had"]


BAD_ROWS: list[tuple[dict[str, Any], str]] = [
    ({"answer": "A", "choices": ["x", "y"]}, "has no question (column question)"),
    ({"question": " ", "answer": "A", "choices": ["x", "y"]}, "has no question (column question)"),
    ({"question": ["?"], "answer": "A", "choices": ["x", "y"]}, "question is '[\"?\"]'; write text"),
    ({"question": "?", "choices": ["x", "y"]}, "has no answer (column answer)"),
    ({"question": "?", "answer": "", "choices": ["x", "y"]}, "has no answer (column answer)"),
    ({"question": "?", "answer": [None], "choices": ["x", "y"]}, "has no answer (column answer)"),
    ({"question": "?", "answer": {"x": 1}, "choices": ["x", "y"]}, "answer is '{\"x\": 1}'; write text or a list of texts"),
    ({"question": "?", "answer": [["A"]], "choices": ["x", "y"]}, "answer is '[[\"A\"]]'; write text or a list of texts"),
    ({"question": "?", "answer": ["A", "B"], "choices": ["x", "y"]}, "has 2 right answers; a row with choices has one"),
    ({"question": "?", "answer": "C", "choices": ["x", "y"]}, "answer 'C' is none of the labels A, B"),
    ({"question": "?", "answer": True, "choices": ["x", "y"]}, "answer 'true' is none of the labels A, B"),
    ({"question": "?", "answer": "A", "choices": ["x"]}, "has only one choice, 'x'; give two or more, or none"),
    ({"question": "?", "answer": "A", "choices": ["x", ""]}, "choice 2 is empty"),
    ({"question": "?", "answer": "A", "choices": ["x", ["y"]]}, "a choice is '[\"y\"]'; write text"),
    ({"question": "?", "answer": "A", "choices": 7}, 'choices are \'7\'; write a list such as ["red", "blue"]'),
    ({"question": "?", "answer": "A", "choices": "x | y"}, "choices are 'x | y'; write a list"),
    ({"question": "?", "answer": "A", "choices": {"text": ["x", "y"], "label": ["A"]}}, "has 2 choices and 1 labels"),
    ({"question": "?", "answer": "A", "choices": {"text": []}}, "has an empty list of choices"),
    ({"question": "?", "answer": "A", "choices": {"A": None}}, "has an empty mapping of choices"),
    ({"question": "?", "answer": "A", "choices": {"A": "x", "a": "y"}}, "has two choices with one label"),
]  # fmt: skip
GOOD = [{"question": f"good {i}", "choices": ["x", "y"], "answer": "AB"[i % 2]} for i in range(3)]


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS)
def test_a_row_that_cannot_be_used_is_listed(row: dict[str, Any], reason: str, mapped: Map, message: Message) -> None:
    found = mapped([*GOOD, row])
    assert len(found.items) == 3
    (problem,) = found.problems
    assert (problem.line, problem.file) == (4, "rows.jsonl")
    assert reason in problem.reason
    assert "\n" not in problem.reason
    most = [row] * 4
    numbered = [{**bad, "n": i} for i, bad in enumerate(most)]
    said = message(lambda: mapped([*GOOD, *numbered]))
    assert said.startswith("rows.jsonl:4: 4 of 7 rows cannot be used, the first: ")
    assert reason in said


def test_a_gap_between_columns_of_options(mapped: Map) -> None:
    rows = [{"question": f"q{i}", "option_a": "x", "option_b": "y", "option_c": "z", "answer": "A"} for i in range(3)]
    rows[1]["option_b"] = ""
    found = mapped(rows)
    assert [p.reason for p in found.problems] == ["column option_b is empty, and a later option is not"]


def test_a_text_that_stands_twice_among_the_choices(mapped: Map) -> None:
    rows = [{"question": f"q{i}", "choices": ["x", "y", "z"], "answer": "x"} for i in range(2)]
    found = mapped([*rows, {"question": "twice", "choices": ["x", "x", "y"], "answer": "x"}])
    assert [p.reason for p in found.problems] == ["answer 'x' stands twice among the choices; answer by label"]
    labels = mapped([{"question": "twice", "choices": ["x", "x", "y"], "answer": "C"}])
    assert labels.items[0].gold_index == 2


def test_final_answers_of_worked_solutions(mapped: Map) -> None:
    found = mapped(
        [{"question": "q", "answer": "2 + 3 = <<2+3=5>>5 eggs.\n#### 1,005 \n"}, {"question": "r", "answer": "7"}]
    )
    assert [i.gold for i in found.items] == [("1,005",), ("7",)]
    assert "answers end in `#### x`: x alone is the gold answer (1 rows)" in found.notes
    assert all("eggs" not in str(i.fields) for i in found.items)


def test_several_accepted_answers(mapped: Map) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "a", "answer": ["Bonn", "City of Bonn", "Bonn"]},
        {"question": "b", "answer": {"value": "Bonn", "aliases": ["City of Bonn"]}},
        {"question": "c", "answer": {"text": ["Bonn", "City of Bonn"], "answer_start": [3, 4]}},
    ]
    assert {i.gold for i in mapped(rows).items} == {("Bonn", "City of Bonn")}


def test_columns_that_repeat_the_answer_are_kept_from_templates(mapped: Map) -> None:
    rows = [
        {
            "question": f"q{i}", "choices": ["x", "y", "z"], "answer": i % 3, "answer_text": "xyz"[i % 3],
            "key": "ABC"[i % 3], "nth": i % 3 + 1, "level": 1, "row": i, "hint": "xyz"[i % 3] if i else None,
        }
        for i in range(6)
    ]  # fmt: skip
    found = mapped(rows)
    assert set(found.items[0].fields) == {"question", "choices", "level", "row"}
    assert sum("repeats the answer and is kept from templates" in note for note in found.notes) == 4
    grouped = mapped([{"question": f"q{i}", "answer": "ab"[i % 2], "group": "ab"[i % 2]} for i in range(4)])
    assert "group" not in grouped.items[0].fields
    assert any("a template with {{group}} would show the answer" in note for note in grouped.notes)


def test_a_constant_column_is_no_leak(mapped: Map) -> None:
    found = mapped([{"question": f"q{i}", "answer": "yes", "flag": "yes"} for i in range(3)])
    assert "flag" in found.items[0].fields


def test_ids_belong_to_the_record(mapped: Map) -> None:
    rows = [{"question": f"q{i}", "answer": str(i)} for i in range(20)]
    forward, backward = mapped(rows).items, mapped(rows[::-1]).items
    assert {i.id: i.gold for i in forward} == {i.id: i.gold for i in backward}
    assert all(len(i.id) == 14 and i.id.startswith("h-") for i in forward)
    assert forward[3].id == mapped(rows[3:4]).items[0].id


def test_duplicates_are_listed(mapped: Map) -> None:
    rows = [{"id": i, "question": f"q{i}", "answer": "a"} for i in range(12)]
    again, other = dict(rows[2]), {**rows[5], "question": "another"}
    found = mapped([*rows, again, other])
    assert len(found.items) == 12
    assert [(p.line, p.duplicate) for p in found.problems] == [(13, True), (14, False)]
    assert found.problems[0].reason == "is the row of line 3 again"
    assert found.problems[1].reason == "has the id '5' of line 6, and other content; give each row its own id"
    assert len(mapped([again] * 9).items) == 1


def test_a_guessed_id_that_repeats_itself_is_no_id(mapped: Map) -> None:
    rows = [{"id": i % 5, "subject": s, "question": f"{s}{i}", "answer": "a"} for i in range(5) for s in "xyz"]
    found = mapped(rows)
    assert len({i.id for i in found.items}) == 15
    assert "column id repeats itself in 10 of 15 rows and is not taken for an id" in found.notes
    with pytest.raises(Exception, match=r"^rows.jsonl:2: 10 of 15 rows cannot be used, the first: has the id '0'"):
        mapped(rows, id="id")


def test_a_passage_as_cluster_is_named_by_its_hash(mapped: Map) -> None:
    items = mapped(
        [{"question": f"q{i}", "answer": "a", "passage": "long " * 30 + "ab"[i // 2]} for i in range(4)]
    ).items
    assert len({i.cluster for i in items}) == 2
    assert all(i.cluster and i.cluster.startswith("p-") for i in items)


words = st.text(st.characters(categories=["L"]), min_size=2, max_size=6)


@given(st.lists(words, min_size=2, max_size=6, unique_by=str.casefold), st.data())
def test_every_reading_finds_the_choice_it_was_written_for(texts: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    options = Options(tuple(texts))
    assert position("text", texts[at], options) == at
    assert position("label", "ABCDEF"[at], options) == at
    assert position("index", str(at), options) == at
    assert position("number", str(at + 1), options) == at
    labelled = Options(tuple(texts), tuple(str(i) for i in range(1, len(texts) + 1)))
    assert position("label", str(at + 1), labelled) == at


@pytest.mark.parametrize(
    ("answer", "texts", "at"),
    [
        ("a ", ["a", "A"], 0),
        ("a", ["A", "a"], 1),
        ("STRASSE", ["straße", "weg"], 0),
        ("A", ["a", " a"], None),
        ("a", ["a", "a"], None),
    ],
)
def test_case_and_white_space_count_only_where_they_decide(answer: str, texts: list[str], at: int | None) -> None:
    assert position("text", answer, Options(tuple(texts))) == at


cells = st.one_of(words, st.integers(), st.booleans(), st.none(), st.lists(words))


@given(
    st.lists(
        st.fixed_dictionaries({"question": words, "answer": words}, optional={"level": cells, "note": cells}),
        min_size=1,
        max_size=9,
    )
)
def test_no_row_is_lost_and_no_answer_is_shown(rows: list[dict[str, Any]]) -> None:
    numbered = tuple(Row(line=i, values=row) for i, row in enumerate(rows, 1))
    asked = Counter(row["question"] for row in rows)
    if sum(asked.values()) - len(asked) > len(rows) / 2:  # one question with several answers, in most rows
        return
    found = map_rows(Rows(given="r", rows=numbered), Fields())
    assert sorted([i.line or 0 for i in found.items] + [p.line or 0 for p in found.problems]) == [
        r.line for r in numbered
    ]
    for item in found.items:
        row = rows[(item.line or 0) - 1]
        assert item.gold == (row["answer"],)
        assert "answer" not in item.fields
        assert item.fields["question"] == row["question"]
        assert {k: v for k, v in row.items() if k in item.fields} == dict(item.fields)
