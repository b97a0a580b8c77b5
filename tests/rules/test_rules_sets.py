"""Sets of rules in YAML: those that come with eyechart, and those of somebody else."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.app.rules import own_set
from eyechart.core.codec import read_yaml
from eyechart.core.errors import InputError
from eyechart.report.messages import EN, ZH, say
from eyechart.rules.apply import apply, merged
from eyechart.rules.builtin import BY_ID, ENTRIES, SETS
from eyechart.rules.own import HOWS
from eyechart.rules.sets import Named, parse_set, schema
from eyechart.rules.values import Field, Known, Setup


def known(**facts: Any) -> Known:
    fields = {
        "decoding.temperature": Field(value=0.7, state="stated"),
        "decoding.max_new_tokens": Field(value=32, state="default"),
        "decoding.top_p": Field(value=None, state="unset"),
        "decoding.stop": Field(value=("###", "\n\n"), state="stated"),
        "decoding.seed": Field(value=0, state="inert"),
        "model.name": Field(value="Qwen/Qwen3-8B", state="stated"),
        "model.tokenizer": Field(value="Qwen/Qwen3-8B", state="stated"),
        "model.options": Field(value={"accuracy": 0.5, "deep": {"er": 1}}, state="stated"),
        "prompt.chat_template": Field(value=True, state="stated"),
    }
    return Known(name="k", kind="run", fields=fields, facts=facts, setups=(Setup(id="c000"),))


def own(line: str, **facts: Any) -> tuple[str, str]:
    (found,) = apply([parse_set(f"rules:\n- {{id: mine, {line}}}")], known(**facts))
    return found.state, say(found.evidence, "en")


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("field: decoding.temperature, stated: true", "kept"),
        ("field: decoding.max_new_tokens, stated: true", "broken"),
        ("field: decoding.top_p, stated: true", "broken"),
        ("field: decoding.seed, stated: true", "kept"),
        ("field: runtime.command, stated: true", "unknown"),
        ("field: decoding.temperature, equals: 0.7", "kept"),
        ("field: decoding.max_new_tokens, equals: 32.0", "kept"),
        ("field: decoding.temperature, equals: '0.7'", "broken"),
        ("field: prompt.chat_template, equals: 1", "broken"),
        ("field: decoding.stop, equals: ['###', \"\\n\\n\"]", "kept"),
        ("field: decoding.seed, equals: 7", "kept"),  # without effect
        ("field: decoding.top_p, equals: 1", "broken"),  # nobody set it
        ("field: decoding.temperature, one_of: [0, 0.7]", "kept"),
        ("field: decoding.temperature, one_of: [0]", "broken"),
        ("field: decoding.temperature, at_most: 0.7", "kept"),
        ("field: decoding.temperature, at_most: 0.5", "broken"),
        ("field: decoding.temperature, at_least: 0.7", "kept"),
        ("field: decoding.temperature, at_least: 1", "broken"),
        ("field: model.name, at_least: 1", "unknown"),
        ("field: prompt.chat_template, at_most: 1", "unknown"),  # true is no number
        ("field: model.name, matches: '^Qwen/.*B$'", "kept"),
        ("field: model.name, matches: '^Llama'", "broken"),
        ("field: decoding.stop, matches: '###'", "kept"),
        ("field: model.name, same_as: model.tokenizer", "kept"),
        ("field: model.name, same_as: decoding.temperature", "broken"),
        ("field: model.name, same_as: engine.name", "unknown"),
        ("field: model.options.accuracy, at_most: 0.6", "kept"),
        ("field: model.options.deep.er, equals: 1", "kept"),
        ("field: model.options.accuracy.no, stated: true", "unknown"),
        ("field: score.half_width, at_most: 0.02", "unknown"),
        ("field: runtime.packages.torch, matches: '^2'", "unknown"),
    ],
)
def test_every_operator_is_kept_broken_or_unknown(line: str, state: str) -> None:
    assert own(line)[0] == state


def test_facts_are_looked_at_and_evidence_names_both_sides() -> None:
    assert own("field: score.half_width, at_most: 0.02", **{"score.half_width": 0.031}) == (
        "broken", "score.half_width = 0.031; wanted: at most 0.02",
    )  # fmt: skip
    assert own("field: runtime.git.dirty, equals: false", **{"runtime.git.dirty": False})[0] == "kept"
    assert own("field: model.name, same_as: engine.name", **{"engine.name": "other"})[1] == (
        "model.name = Qwen/Qwen3-8B; engine.name = other"
    )
    assert own("field: runtime.command, matches: x", **{"runtime.command": "x" * 20_000})[0] == "unknown"


MISTAKES = """\
rules:
- seed_statd
- id: cool
  severity: eror
  field: decoding.temprature
  at_most: warm
- {id: re, field: model.name, matches: "(a)\\\\1"}
- {id: two, field: model.name, equals: a, one_of: [b]}
- {id: none, field: model.name}
- {id: all, field: model.name, stated: false}
- {id: lst, field: model.name, one_of: a}
- {id: same, field: model.name, same_as: model.nme}
- {id: seed_stated, field: model.name, equals: a}
- {id: "a b", field: model.name, equals: a}
- {id: text, field: model.name, equals: a, text: 7}
- {id: part, feld: model.name, equals: a}
- {severity: error}
- 7
- seed_acts
- seed_acts
- {id: repeats, text: other words}
includ: paper
include: papr
"""
TOLD = {
    2: "there is no rule seed_statd; did you mean seed_stated?",
    4: "there is no severity eror; did you mean error?",
    5: "there is no field or fact decoding.temprature; did you mean decoding.temperature?",
    6: "'warm' does not fit: write a number",
    7: "is no pattern that can be used",
    8: "two has equals and one_of",
    9: "a rule", 10: "write true", 11: "write a list of values",
    12: "there is no field or fact model.nme; did you mean model.name?",
    13: "seed_stated is a rule of the house", 14: "does not fit: write an id", 15: "write a text",
    16: "a rule has no part feld; did you mean field?", 17: "a rule needs an id", 18: "write the id of a rule",
    20: "two rules are named seed_acts", 21: "whose text is given",
    22: "did you mean include?", 23: "there is no set papr; did you mean paper?",
}  # fmt: skip


def test_every_mistake_has_its_line_and_the_nearest_right_name() -> None:
    with pytest.raises(InputError) as caught:
        parse_set(MISTAKES, "mine.yaml")
    lines = str(caught.value).split("\n")
    for number, part in TOLD.items():
        mine = [line for line in lines if line.startswith(f"mine.yaml:{number}:")]
        if number == 9:
            assert any("none has none" in line for line in mine), lines
        else:
            assert any(part in line for line in mine), (number, part, lines)


@pytest.mark.parametrize("text", ["7", "[]", "{}", "rules: {}", "rules: []", "rules: 7", "a: [", "rules: [a: b: c]"])
def test_what_is_no_set_is_one_line(text: str) -> None:
    with pytest.raises(InputError):
        parse_set(text, "x.yaml")


def test_later_sets_go_before_and_off_takes_away() -> None:
    first = parse_set("rules: [{id: seed_stated, severity: note, reason: because}, git_clean, intervals]")
    second = parse_set("rules: [seed_stated: error, git_clean: off, {id: intervals, severity: warning}]")
    rules = {rule.id: rule for rule in merged([first, second])}
    assert set(rules) == {"seed_stated", "intervals"}
    seed = rules["seed_stated"]
    assert isinstance(seed, Named)
    assert (seed.severity, seed.reason) == ("error", "because")
    found = apply([first, second], known())
    assert (found[0].id, found[0].severity, found[0].reason) == ("seed_stated", "error", "because")


@pytest.mark.parametrize("name", SETS)
def test_the_sets_that_come_with_it_read_and_fit_the_schema(name: str) -> None:
    found = own_set(name)
    assert found.name == name
    assert found.about
    assert found.rules
    text = (_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    jsonschema.validate(read_yaml(text).data, schema())


def _folder() -> Any:
    from importlib.resources import files

    return files("eyechart").joinpath("rules", "sets")


def test_every_rule_is_in_a_set_and_has_its_words_in_both_languages() -> None:
    internal = {rule.id for rule in own_set("internal").rules}
    assert {entry.id for entry in ENTRIES} == internal | {"decoding_as_deployed"}
    for name in BY_ID:
        for key in (f"rule.{name}", f"rule.{name}.reason", f"rule.{name}.remedy"):
            assert EN[key] != ZH[key]


def test_the_schema_takes_what_is_read_and_refuses_what_is_not() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    good = """
    name: ours
    include: paper
    rules: [seed_stated, git_clean: off, {id: cool, severity: error, field: decoding.temperature, at_most: 0.3,
            reason: r, remedy: m, text: t}, {id: repeats, severity: note}]
    """
    parse_set(good)
    assert not list(validator.iter_errors(read_yaml(good).data))
    for line in ("seed_statd", "{id: a, field: b}", "{id: a, field: b, equals: 1, at_most: 2}", "{id: a, x: 1}",
                 "{id: a, field: b, at_most: x}", "{id: a, severity: fatal, field: b, equals: 1}"):  # fmt: skip
        assert list(validator.iter_errors(read_yaml(f"rules: [{line}]").data)), line
    assert set(HOWS) <= set(schema()["properties"]["rules"]["items"]["anyOf"][3]["properties"])


WORDS = st.sampled_from(
    ["id", "rules", "field", "equals", "one_of", "at_most", "matches", "same_as", "stated", "severity", "seed_stated",
     "error", "off", "decoding.temperature", "model.name", "include", "paper", "name", "x", "text", "(a", "score.low"]
)  # fmt: skip
DATA = st.recursive(
    st.one_of(WORDS, st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=5)),
    max_leaves=12,
)


@given(st.one_of(DATA, st.fixed_dictionaries({"rules": st.lists(DATA, max_size=4)})))
@settings(max_examples=300, deadline=None)
def test_whatever_a_file_holds_it_is_a_set_or_lines_that_say_why(data: Any) -> None:
    try:
        found = parse_set(json.dumps(data), "f.yaml")
    except InputError as error:
        told = str(error)
    else:
        told = ""
        for one in apply([found], known()):  # a set that was taken can be applied
            assert say(one.text, "en")
            assert say(one.evidence, "zh")
    assert all(line.startswith("f.yaml") for line in told.split("\n") if line)
