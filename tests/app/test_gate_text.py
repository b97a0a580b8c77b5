"""Limits as people write them: what is understood, and one line for each mistake."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.analysis.gate_text import DEFINITIONS, read_limit
from eyechart.app.gate_file import limits_of, schema, with_ids
from eyechart.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("score >= 70", "70 of what? write 70 points"),
        ("score >= 0.7", "write 0.7 points (of 100), or 0.007 of 1"),
        ("score >= 70 grams", "grams is no unit"),
        ("score > 70 points", "write >= in place of >"),
        ("scores >= 70 points", "did you mean score?"),
        ("score", "no limit"),
        ("", "no limit"),
        ("score >= many points", "many points is no number"),
        ("slope <= 1 points", "slope of what? write slope(FACTOR, [group])"),
        ("score(groups) >= 1 points", "score takes no groups"),
        ("volatility(group=) <= 1 points", "say group once"),
        ("volatility(group, group) <= 1 points", "say group once"),
        ("pass_all(x) >= 1 %", "K is a number of runs"),
        ("score^2 >= 1 %", "is no estimate"),
        ("slope(t) <= 1 points per x", "per x is no step"),
        ("people >= 60 %", "people has no unit"),
    ],
)
def test_a_limit_that_cannot_be_understood_says_what_to_write(text, words):
    with pytest.raises(InputError) as error:
        read_limit(text)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("score >= 70 points", 0.7), ("score>=70%", 0.7), ("score at least 0.7 of 1", 0.7), ("score ≥ 70 pp", 0.7),
        ("slope(t) <= 0.5 points", 0.005), ("slope(t) <= 0.5 points per 0.1", 0.005), ("slope(t) <= 5 points per 1", 0.005),
        ("drop <= -1 points", -0.01), ("people >= .6", 0.6), ("volatility(group) at most 1.0 point", 0.01),
    ],
)  # fmt: skip
def test_units_are_what_they_say(text, bound):
    assert read_limit(text).bound == pytest.approx(bound)


def test_names_with_commas_stand_in_quotes():
    limit = read_limit('volatility(group="law, civil") <= 1 points')
    assert limit.options == (("group", "law, civil"),)


@given(st.text(max_size=60))
def test_any_text_is_a_limit_or_one_line(text):
    with suppress(InputError):
        assert read_limit(text).estimate in DEFINITIONS


def test_a_file_of_limits_tells_every_mistake_with_its_line():
    text = "limits:\n- score >= 1\n- {limit: score >= 1 %, severty: note}\n- 7\nrte: 0.1\n"
    with pytest.raises(InputError) as error:
        limits_of(text, "gate.yaml", Path())
    lines = str(error.value).splitlines()
    assert [line.split(":")[1] for line in lines] == ["5", "2", "3", "4"]
    assert "did you mean rate?" in lines[0]
    assert "did you mean severity?" in lines[2]
    for bad in (
        "limits: []\n",
        "rate: 0.1\n",
        "- {limit: score >= 1 %, severity: fatal}\n",
        "limits:\n- {id: a}\n",
        "7\n",
    ):
        with pytest.raises(InputError):
            limits_of(bad, "gate.yaml", Path())
    twice = "- {limit: score >= 1 %, id: a}\n- {limit: score >= 2 %, id: a}\n"
    with pytest.raises(InputError, match=r"gate\.yaml:2: the id a stands twice"):
        limits_of(twice, "gate.yaml", Path())


def test_paths_of_a_file_are_relative_to_it():
    found = limits_of(
        "limits: [score >= 1 %]\nbaseline: last\nlabels: l.csv\ncontestant: model\n", "x/g.yaml", Path("x")
    )
    assert (found.baseline, found.labels, found.contestant) == (str(Path("x/last")), Path("x/l.csv"), ("model",))


def test_the_schema_takes_what_is_right_and_refuses_what_is_not():
    import jsonschema

    check = jsonschema.Draft202012Validator(schema())
    assert check.is_valid(
        {"limits": ["score >= 60 points", {"limit": "pass^5 >= 10 %", "severity": "note"}], "rate": 0.1}
    )
    for bad in (
        {"limits": ["scor >= 60 points"]},
        {"limits": []},
        {"limit": []},
        {"limits": [{"limit": "score >= 1 %", "x": 1}]},
    ):
        assert not check.is_valid(bad)
    assert [limit.id for limit in with_ids([read_limit("score >= 1 %")] * 2)] == ["score", "score-2"]
