"""Golden cases: edit, parameters, before, after. Each `after` was written down by hand."""

from __future__ import annotations

from typing import Any

import pytest

from eyechart.core.identity import rng_for
from eyechart.core.plugins import EDITS, make
from eyechart.core.records import Item

CASES: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("fullwidth_punctuation", {}, "Hi, you! Why? a: b; (c).", "Hi， you！ Why？ a： b； （c）。"),
    ("fullwidth_punctuation", {}, "1,000.50 at 12:30, e.g. x.y", "1,000.50 at 12:30， e.g。 x.y"),
    ("fullwidth_punctuation", {}, "Answer:5 [a] 50%", "Answer：5 [a] 50%"),
    ("fullwidth_punctuation", {}, "...", "。。。"),
    ("halfwidth_punctuation", {}, "你好，吗？（是）。狗、猫", "你好,吗?(是).狗、猫"),
    ("list_commas", {"style": "enumeration"}, "a, b,c\nd,\n", "a、b、c\nd,\n"),
    ("list_commas", {"style": "enumeration"}, "1,000, 2, 3", "1,000、2、3"),
    ("list_commas", {"style": "spaced"}, "a,b、c, d", "a, b, c, d"),
    ("list_commas", {"style": "spaced"}, "狗、猫、鱼", "狗, 猫, 鱼"),
    ("list_commas", {"style": "tight"}, "a, b、c and 1, 2、3", "a,b,c and 1, 2, 3"),
    ("list_commas", {"style": "tight"}, "a,  b", "a,  b"),
    ("quotation_marks", {"style": "curly"}, 'a "b" "c"', "a “b” “c”"),
    ("quotation_marks", {"style": "curly"}, '他说"你好"。', "他说“你好”。"),
    ("quotation_marks", {"style": "curly"}, 'a 5" pipe\n"b" c', "a 5” pipe\n“b” c"),
    ("quotation_marks", {"style": "curly"}, '("a" b "c', "(“a” b “c"),
    ("quotation_marks", {"style": "straight"}, "“a” «b» 「c」 it’s 'd'", '"a" "b" "c" it’s \'d\''),
    ("quotation_marks", {"style": "guillemets"}, "“a” 「b」", "«a» «b»"),
    ("quotation_marks", {"style": "corner"}, 'say "a"', "say 「a」"),
    ("trailing_punctuation", {"style": "remove"}, "Q?\nAnswer:", "Q?\nAnswer"),
    ("trailing_punctuation", {"style": "remove"}, "Really?! . \n", "Really \n"),
    ("trailing_punctuation", {"style": "remove"}, "答案：", "答案"),
    ("trailing_punctuation", {"style": "remove"}, "Answer \n", "Answer \n"),
    ("trailing_punctuation", {"style": "remove"}, "...", ""),
    ("trailing_punctuation", {"style": "add"}, "Say it \n", "Say it. \n"),
    ("trailing_punctuation", {"style": "add", "mark": "："}, "答案", "答案："),
    ("trailing_punctuation", {"style": "add"}, "Answer:", "Answer:"),
    ("trailing_punctuation", {"style": "add"}, "  ", "  "),
    ("spaces", {"style": "single"}, "  a   b \n c  d", "  a b \n c d"),
    ("spaces", {"style": "double"}, "a b\nc   d ", "a  b\nc  d "),
    ("spaces", {"style": "none_after_punctuation"}, "A. a, b; 1. 2 (3: 4)", "A.a,b;1. 2 (3: 4)"),
    ("spaces", {"style": "none_after_punctuation"}, ". 5", ".5"),
    ("spaces", {"style": "double_after_sentence"}, "One. Two?   Three, four.", "One.  Two?  Three, four."),
    ("trailing_space", {"count": 2}, "Answer:", "Answer:  "),
    ("strip_trailing", {}, "a \nAnswer: \u3000\n", "a \nAnswer:"),
    ("strip_trailing", {"each_line": True}, "a \n\nb\t\n", "a\n\nb\n"),
    ("no_break_space", {}, "a b\nc", "a\u00a0b\nc"),
    ("ideographic_space", {}, "a b\nc", "a\u3000b\nc"),
    ("line_breaks", {"style": "single"}, "a\n\n\nb\r\n\r\nc\n", "a\nb\nc\n"),
    ("line_breaks", {"style": "double"}, "a\nb\rc", "a\n\nb\n\nc"),
    ("line_breaks", {"style": "none"}, "a\n\nb\nAnswer:", "a b Answer:"),
    ("case", {"style": "lower"}, "Is ÉCOLE so?", "is école so?"),
    ("case", {"style": "upper"}, "is it, straße?", "IS IT, STRASSE?"),
    ("case", {"style": "title"}, "they're HERE 2nd l’été", "They're Here 2Nd L’été"),
    ("case", {"style": "sentence"}, "IS IT? yes. NO\nA) A DOG", "Is it? Yes. No\nA) a dog"),
    ("case", {"style": "sentence"}, "答。abc 3.5 m", "答。Abc 3.5 m"),
    ("byte_order_mark", {}, "a", "\ufeffa"),
    ("byte_order_mark", {}, "\ufeffa", "\ufeffa"),
    ("unicode_form", {"form": "NFC"}, "e\u0301", "é"),
    ("unicode_form", {"form": "NFD"}, "é", "e\u0301"),
    ("unicode_form", {"form": "NFKC"}, "ﬁ，１", "fi,1"),
    ("unicode_form", {"form": "NFKD"}, "ﬁé", "fie\u0301"),
    ("typos", {"rate": 0}, "Question", "Question"),
    ("chain_of_thought", {}, "Answer:", "Answer:\nLet's think step by step."),
    ("chain_of_thought", {}, "Answer:\n", "Answer:\nLet's think step by step."),
    ("chain_of_thought", {"text": "请一步一步思考。"}, "", "请一步一步思考。"),
    ("polite", {"text": "Please."}, "2 + 2?", "Please.\n2 + 2?"),
)


@pytest.mark.parametrize(("name", "arguments", "before", "after"), CASES)
def test_case(name: str, arguments: dict[str, Any], before: str, after: str) -> None:
    plugin: Any = make(EDITS, {name: arguments})
    assert plugin.apply(before, None) == after


ITEM = Item(
    id="1",
    fields={"question": "Which, then?", "other": "Kept, I hope"},
    choices=("Red", "Green, dark", "Blue", "grey"),
    gold=("Blue",),
    gold_index=2,
)

ITEM_CASES: tuple[tuple[str, dict[str, Any], tuple[str, ...], int, str], ...] = (
    ("option_order", {}, ("grey", "Blue", "Green, dark", "Red"), 1, "Blue"),
    ("option_order", {"style": "rotated"}, ("Green, dark", "Blue", "grey", "Red"), 1, "Blue"),
    ("option_order", {"style": "rotated", "by": 3}, ("grey", "Red", "Green, dark", "Blue"), 3, "Blue"),
    ("option_case", {"style": "upper"}, ("RED", "GREEN, DARK", "BLUE", "GREY"), 2, "BLUE"),
    ("in_options", {"edit": "fullwidth_punctuation"}, ("Red", "Green， dark", "Blue", "grey"), 2, "Blue"),
)


@pytest.mark.parametrize(("name", "arguments", "choices", "index", "gold"), ITEM_CASES)
def test_options(name: str, arguments: dict[str, Any], choices: tuple[str, ...], index: int, gold: str) -> None:
    plugin: Any = make(EDITS, {name: arguments})
    moved = plugin.apply(ITEM, None)
    assert (moved.choices, moved.gold_index, moved.gold) == (choices, index, (gold,))
    assert moved.fields == ITEM.fields


@pytest.mark.parametrize(
    ("name", "arguments", "after"),
    [
        ("question_case", {"style": "upper"}, {"question": "WHICH, THEN?", "other": "Kept, I hope"}),
        ("question_case", {"field": "other"}, {"question": "Which, then?", "other": "kept, i hope"}),
        ("in_question", {"edit": "list_commas"}, {"question": "Which、then?", "other": "Kept, I hope"}),
    ],
)
def test_question(name: str, arguments: dict[str, Any], after: dict[str, str]) -> None:
    plugin: Any = make(EDITS, {name: arguments})
    moved = plugin.apply(ITEM, None)
    assert moved.fields == after
    assert (moved.choices, moved.gold, moved.gold_index) == (ITEM.choices, ITEM.gold, ITEM.gold_index)


def test_shuffling_by_edit_and_by_the_options_field_gives_one_order() -> None:
    from eyechart.core.effective import effective
    from eyechart.core.spec import Spec
    from eyechart.render import Renderer

    def choices(prompt: dict[str, Any]) -> tuple[str, ...]:
        spec = Spec.model_validate({"prompt": prompt})
        return Renderer(effective(spec).asking).prepared(ITEM).choices

    by_edit = choices({"edits": [{"option_order": {"style": "shuffled"}}]})
    assert by_edit == choices({"options": {"order": "shuffled"}})
    assert sorted(by_edit) == sorted(ITEM.choices)


def test_typos_in_options_depend_on_the_text_and_not_on_the_place() -> None:
    plugin: Any = make(EDITS, {"in_options": {"edit": {"typos": {"rate": 1}}}})
    words = ("elephant", "mosquito", "kangaroo")
    item = Item(id="1", fields={}, choices=words, gold=("mosquito",), gold_index=1)
    turned = Item(id="1", fields={}, choices=words[::-1], gold=("mosquito",), gold_index=1)
    rng = lambda: rng_for(0, "1", "in_options")  # noqa: E731
    assert plugin.apply(item, rng).choices == plugin.apply(turned, rng).choices[::-1]
    assert plugin.apply(item, rng).choices != words
