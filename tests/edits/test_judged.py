"""Edits of judged answers: what stays of the text, whose content was changed, and that nothing else moves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

from eyechart.core.identity import rng_for
from eyechart.core.records import Item
from eyechart.edits import judged, judged_text
from eyechart.edits.judged import PROBES, Bandwagon, NameModels, SwapOutputs
from eyechart.edits.judged_side import Probe, sentences
from eyechart.edits.judged_text import (
    CiteOutput,
    DistractOutput,
    EmptyOutput,
    FallacyOutput,
    FormatOutput,
    InstructOutput,
    PadOutput,
    ToneOutput,
    TruncateOutput,
)

ENGLISH = "Paris is the capital. It lies on the Seine, and has 2.1 million people!\nIs it old? Yes."
CHINESE = "巴黎是首都。它位于塞纳河畔，有210万人！历史悠久吗？是的。"
PAIR = Item(
    id="p-1",
    fields={
        "question": "Capital of France?",
        "output_a": ENGLISH,
        "output_b": "London. It is big.",
        "model_a": "m-1",
        "model_b": "m-2",
        "a_tokens": 20,
        "b_tokens": 5,
        "note_a": "only one",
    },
    gold=("A",),
)
ONE = Item(id="o-1", fields={"question": "首都？", "output": CHINESE, "model": "m-1"})
PLAIN = Item(id="n-1", fields={"question": "?"})
HOSTILE = "\x00\u202e</div>\u2066 {} %s [[A]] **\u0301\ud800 \x1b[31m"

ADDING: tuple[tuple[type[Probe], tuple[str, ...]], ...] = (
    (PadOutput, get_args(judged_text.Padding)),
    (CiteOutput, get_args(judged_text.Citation)),
    (ToneOutput, get_args(judged_text.Tone)),
    (FallacyOutput, get_args(judged_text.Fallacy)),
    (InstructOutput, get_args(judged_text.Instruction)),
    (DistractOutput, ()),
)
ADDERS: list[Any] = [
    (kind, {"style": style} if style else {}) for kind, styles in ADDING for style in (styles or ("",))
]
FORMS: list[Any] = [(FormatOutput, {"style": style}) for style in get_args(judged_text.Format)]
LOSSES: list[Any] = [(EmptyOutput, {"style": style}) for style in get_args(judged_text.Empty)] + [(TruncateOutput, {})]
PROBED = [*ADDERS, *FORMS, *LOSSES]
texts = st.text(st.sampled_from("ab .!?\n,-*#`巴黎。！，\x00\u202e{}%"), max_size=60) | st.text(max_size=60)


def keyed(key: str) -> Callable[[], Generator]:
    return lambda: rng_for(0, key, "test")


def never() -> Generator:
    raise AssertionError("asked for the generator")


def one(text: str) -> Item:
    return Item(id="1", fields={"output": text})


@pytest.mark.parametrize(("kind", "arguments"), ADDERS)
@settings(deadline=None, max_examples=60)
@given(text=texts)
def test_adding_keeps_every_character(kind: Any, arguments: dict[str, str], text: str) -> None:
    after = kind(**arguments).apply(one(text), never).fields["output"]
    assert text in after
    assert bool(text.strip()) or after == text


@pytest.mark.parametrize(("kind", "arguments"), ADDERS)
@pytest.mark.parametrize("text", [ENGLISH, CHINESE, HOSTILE + "x."])
def test_adding_adds(kind: Any, arguments: dict[str, str], text: str) -> None:
    moved = kind(**arguments).apply(one(text), never)
    assert len(moved.fields["output"]) > len(text)
    assert moved.fields["probed"] == "output"


def bare(text: str) -> str:
    return re.sub(r"\s|[*#-]", "", text)


@pytest.mark.parametrize("style", get_args(judged_text.Format))
@settings(deadline=None, max_examples=60)
@given(text=texts)
def test_form_keeps_every_word_in_order(style: Any, text: str) -> None:
    after = FormatOutput(style=style).apply(one(text), never).fields["output"]
    assert bare(after).removeprefix("Answer").removeprefix("回答") == bare(text).removeprefix("Answer").removeprefix(
        "回答"
    )


@pytest.mark.parametrize("text", ["# A\nb", "- x\n- y", "**b** c", "1. x", "```\ncode\n```", "| a |"])
def test_form_leaves_markdown_as_it_is(text: str) -> None:
    assert FormatOutput().apply(one(text), never) == one(text)


@pytest.mark.parametrize(("kind", "arguments"), PROBED)
@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_the_words_added_are_in_the_script_of_the_answer(kind: Any, arguments: dict[str, str], text: str) -> None:
    after = str(kind(**arguments).apply(one(text), never).fields["output"])
    if kind is EmptyOutput:
        return
    han = len(re.findall(r"[\u4e00-\u9fff]", after.replace(text, "")))
    assert bool(han) is (text == CHINESE)


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, "One. Two. Three.", "一。二。三。" * 20, ENGLISH * 20])
@pytest.mark.parametrize("style", ["restate", "filler", "repeat_list"])
def test_padding_about_doubles_a_text(text: str, style: Any) -> None:
    ratio = len(PadOutput(style=style).apply(one(text), never).fields["output"]) / len(text)
    assert 1.6 < ratio < 9
    if len(text) > 60 and "One" not in text and "一。" not in text:
        assert ratio < 3.2


def test_padding_says_every_sentence_again() -> None:
    after = str(PadOutput().apply(one(ENGLISH), never).fields["output"])
    for sentence in sentences(ENGLISH):
        assert after.count(sentence) == 2 * ENGLISH.count(sentence)


@pytest.mark.parametrize(("kind", "arguments"), LOSSES)
def test_losses_lose(kind: Any, arguments: dict[str, str]) -> None:
    edit = kind(**arguments)
    assert edit.fair == "down"
    for text in (ENGLISH, CHINESE * 2):
        after = str(edit.apply(one(text), never).fields["output"])
        assert len(after) < len(text)
        assert kind is EmptyOutput or text.startswith(after)


@settings(deadline=None, max_examples=60)
@given(text=texts, keep=st.floats(0.01, 0.99))
def test_truncation_keeps_a_head_and_never_all_of_it(text: str, keep: float) -> None:
    moved = TruncateOutput(keep=keep).apply(one(text), never)
    after = str(moved.fields["output"])
    if moved == one(text):
        return
    assert after.strip()
    assert text.strip().startswith(after)
    assert len(after) < len(text.strip())


@pytest.mark.parametrize("text", ["", "  \n", "\t"])
@pytest.mark.parametrize(("kind", "arguments"), PROBED)
def test_a_blank_answer_stays(kind: Any, arguments: dict[str, str], text: str) -> None:
    assert kind(**arguments).apply(one(text), never) == one(text)


ALL = [*PROBED, (Bandwagon, {}), (NameModels, {}), (NameModels, {"style": "exchanged"}), (SwapOutputs, {})]


@pytest.mark.parametrize(("kind", "arguments"), ALL)
def test_an_item_without_answers_stays(kind: Any, arguments: dict[str, str]) -> None:
    odd = Item(id="2", fields={"output": 3, "output_a": "x", "output_b": None})
    for item in (PLAIN, odd):
        assert kind(**arguments).apply(item, never) == item


@pytest.mark.parametrize(("kind", "arguments"), ALL)
def test_only_what_is_probed_moves(kind: Any, arguments: dict[str, str]) -> None:
    before = dict(PAIR.fields)
    edit = kind(**arguments)
    for key in map(str, range(8)):
        moved = edit.apply(PAIR, keyed(key))
        assert moved == edit.apply(PAIR, keyed(key))
        assert (moved.id, moved.gold, moved.choices) == (PAIR.id, PAIR.gold, PAIR.choices)
        assert dict(PAIR.fields) == before
        if kind is SwapOutputs:
            continue
        assert (moved.fields["model_a"], moved.fields["model_b"]) == ("m-1", "m-2")
        differ = {k for k in before if moved.fields[k] != before[k]}
        if kind is Bandwagon:
            assert differ == {"question"}
        elif kind is NameModels:
            assert (differ, moved.fields["probed"]) == ({"output_a", "output_b"}, "both")
        else:
            assert differ == {f"output_{moved.fields['probed']}"}


@pytest.mark.parametrize(("kind", "arguments"), [*PROBED, (Bandwagon, {})])
def test_a_side_that_is_stated_draws_nothing(kind: Any, arguments: dict[str, str]) -> None:
    for side in ("a", "b"):
        edit = kind(side=side, **arguments)
        assert not edit.random
        assert edit.apply(PAIR, never).fields["probed"] == side
    assert kind(**arguments).random
    drawn = [kind(**arguments).apply(PAIR, keyed(str(k))).fields["probed"] for k in range(200)]
    assert 60 < drawn.count("a") < 140


@pytest.mark.parametrize(("kind", "arguments"), ALL[:-1])
def test_a_probe_and_a_swap_may_be_made_in_either_order(kind: Any, arguments: dict[str, str]) -> None:
    swap, edit = SwapOutputs(), kind(**arguments)
    for key in "1234":
        first = swap.apply(edit.apply(PAIR, keyed(key)), never)
        second = edit.apply(swap.apply(PAIR, never), keyed(key))
        assert dict(first.fields) == dict(second.fields)


def test_bandwagon_and_swap_in_chinese() -> None:
    item = Item(id="1", fields={"question": "首都是哪里？", "output_a": "x", "output_b": "y"})
    crowd, swap = Bandwagon(side="a", percent=75), SwapOutputs()
    assert crowd.apply(item, never).fields["question"] == "首都是哪里？\n\n（75%的读者更喜欢第一个回答。）"
    assert swap.apply(crowd.apply(item, never), never).fields == crowd.apply(swap.apply(item, never), never).fields


def test_swap_leaves_a_question_alone_that_only_sounds_like_it() -> None:
    question = "Why?\n\n(90% of readers prefer the first answer.)"
    item = Item(id="1", fields={"question": question, "output_a": "x", "output_b": "y"})
    assert SwapOutputs().apply(item, never).fields["question"] == question


def test_swap_exchanges_pairs_of_columns_and_twice_is_as_it_was() -> None:
    once = SwapOutputs().apply(PAIR, never)
    assert once.fields["output_a"] == "London. It is big."
    assert (once.fields["model_a"], once.fields["a_tokens"], once.fields["note_a"]) == ("m-2", 5, "only one")
    assert once.fields["swapped"] is True
    assert SwapOutputs().apply(once, never) == PAIR


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["output_a", "output_b", "a_x", "b_x", "x_a", "x_b", "question", "a_", "_a"]), texts
    )
)
def test_swapping_twice_is_nothing(fields: dict[str, str]) -> None:
    item = Item(id="1", fields=fields)
    assert SwapOutputs().apply(SwapOutputs().apply(item, never), never) == item


def test_probes_put_together_change_one_answer() -> None:
    for key in map(str, range(10)):
        moved = CiteOutput().apply(PadOutput().apply(PAIR, keyed(key)), keyed(f"{key} again"))
        assert sum(moved.fields[k] != PAIR.fields[k] for k in ("output_a", "output_b")) == 1


def test_names_are_true_or_exchanged() -> None:
    true = NameModels().apply(PAIR, never).fields
    assert (true["output_a"][:15], true["output_b"][:15]) == ("[Answer of m-1]", "[Answer of m-2]")
    other = NameModels(style="exchanged").apply(PAIR, never).fields
    assert (other["output_a"][:15], other["output_b"][:15]) == ("[Answer of m-2]", "[Answer of m-1]")
    assert str(NameModels().apply(ONE, never).fields["output"]).startswith("【m-1的回答】\n")
    nameless = Item(id="1", fields={"output_a": "x", "output_b": "y", "model_a": "m"})
    assert NameModels().apply(nameless, never) == nameless


@pytest.mark.parametrize("name", PROBES)
def test_the_table_names_edits_that_are_there(name: str) -> None:
    row = PROBES[name]
    edit, chosen = (row.edit, {}) if isinstance(row.edit, str) else next(iter(row.edit.items()))
    kinds = {k: v for m in (judged, judged_text) for k, v in inspect.getmembers(m, inspect.isclass)}
    kind: Any = kinds["".join(part.title() for part in edit.split("_"))]
    moved = kind(**(chosen or {})).apply(PAIR, keyed("1"))
    assert moved != PAIR
    assert (row.towards, row.fair) == (kind.towards, kind.fair)
    assert f"{'own' if row.fair == 'down' else 'not move'}" in (inspect.getdoc(kind) or "")


@pytest.mark.parametrize(
    ("kind", "arguments", "said"),
    [
        (PadOutput, {"style": "long"}, "must be one of restate"),
        (PadOutput, {"side": "c"}, "side must be one of a, b, random"),
        (ToneOutput, {"style": "angri"}, "did you mean angry?"),
        (TruncateOutput, {"keep": 1}, "above 0 and below 1, not 1"),
        (TruncateOutput, {"keep": True}, "not True"),
        (TruncateOutput, {"keep": float("nan")}, "not nan"),
        (TruncateOutput, {"keep": "half"}, "not 'half'"),
        (Bandwagon, {"percent": 10}, "from 51 to 100, not 10"),
        (NameModels, {"style": "false"}, "must be one of true, exchanged"),
    ],
)
def test_a_bad_parameter_is_refused(kind: Any, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        kind(**arguments)


@pytest.mark.parametrize(("kind", "arguments"), ALL)
def test_long_and_hostile_answers_are_taken(kind: Any, arguments: dict[str, str]) -> None:
    for text in (HOSTILE, "x" * 200_000, "a. " * 20_000, "\n" * 50_000 + "x", "。" * 50_000, "- " * 50_000):
        kind(**arguments).apply(Item(id="1", fields={"question": text, "output": text, "model": text}), never)
