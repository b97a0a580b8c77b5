"""Planted faults of what is asked: templates, shots, instructions, options, and fields that merely differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from planted import BASE, SHOTS, Came, causes, clean, every, look, number, pool, rows, run, study, text, wordy, write

from eyechart.core.records import Call, Response

pytestmark = pytest.mark.usefixtures("unreported")


def test_a_template_inside_the_template():
    inside = "<|im_start|>user\n{{question}}\n{{options}}<|im_end|>\n<|im_start|>assistant\n"
    a = run("a", prompt={"chat_template": True, "template": "{{question}}\n{{options}}"})
    b = run("b", prompt={"chat_template": True, "template": inside})
    assert causes(look(a, b))[0] == "template_twice"
    assert causes(look(b))[0] == "template_twice"


def test_the_wrong_chat_template():
    def echo(call: Call, came: Came) -> Came:
        return text(came, f"{came.text}<|im_end|>\n<|im_start|>user\nWhich") if isinstance(came, Response) else came

    b = run("b", change=every(2, echo), evaluation={"extraction": "whole", "score": "choice"})
    a = run("a", evaluation={"extraction": "whole", "score": "choice"})
    assert "template_foreign" in causes(look(b))[:2]
    assert "template_foreign" in causes(look(a, b))[:2]


def test_two_begin_of_text_tokens():
    b = run("b", change=every(1, lambda call, came: replace(came, notes=("double_bos",))))  # type: ignore[arg-type]
    assert causes(look(b)) == ["double_bos"]
    assert causes(look(clean(), b))[0] == "double_bos"


def test_a_begin_of_text_token_written_into_the_template():
    template = "Question: {{question}}\n{{options}}\nAnswer:"
    a, b = (run(name, prompt={"template": t}) for name, t in (("a", template), ("b", "<s>" + template)))
    assert causes(look(a, b))[0] == "double_bos"


def test_white_space_at_the_end_of_the_prompt():
    a, b = run("a"), run("b", prompt={"cue": "Answer: "})
    assert causes(look(a, b))[0] == "prompt_tail"
    assert causes(look(b)) == ["prompt_tail"]


def test_shots_drawn_with_another_seed():
    pool()
    a, b = (run(n, dataset=SHOTS, prompt={"few_shot": {"count": 3, "seed": s}}) for n, s in (("a", 1), ("b", 2)))
    found = look(a, b)
    assert causes(found)[0] == "shots_drawn"
    assert found.causes[0].experiment.command == "eyechart flips a b"  # one field leaves nothing to divide
    two = look(a, run("c", dataset=SHOTS, prompt={"few_shot": {"count": 3, "seed": 2}, "cue": "Reply:"}))
    assert {one.experiment.command for one in two.causes} == {"eyechart explain a c"}


def test_another_number_of_shots():
    pool()
    a, b = (run(n, dataset=SHOTS, prompt={"few_shot": {"count": c}}) for n, c in (("a", 0), ("b", 4)))
    assert causes(look(a, b)) == ["shots_count"]


def test_shots_taken_from_the_test():
    known = rows()
    shots = "\n\n".join(f"Question: {r['question']}\nAnswer: {r['answer']}" for r in known[10:16])
    a, b = run("a"), run("b", prompt={"instruction": shots})
    found = look(a, b)
    assert causes(found)[0] == "shot_overlap"
    assert causes(look(b))[0] == "shot_overlap"
    assert dict(found.causes[0].facts[0].params)["n"] == "6"
    assert dict(found.causes[0].facts[0].params)["answered"] == "6"


def test_the_answer_in_the_prompt():
    write("items.jsonl", [dict(r, question=f"Name number {i}.", hint=f"it is code{i * 17 + 100}", answer=f"code{i * 17 + 100}",
                               choices=None) for i, r in enumerate(rows())])  # fmt: skip
    text = study(BASE, evaluation={"extraction": "short_text"})
    plain = "{{question}}\nAnswer:"
    a = run("a", text, prompt={"template": plain})
    b = run("b", text, prompt={"template": "{{question}} ({{hint}})\nAnswer:"})
    assert causes(look(b))[0] == "gold_in_prompt"
    assert causes(look(a, b))[0] == "gold_in_prompt"


def test_an_extra_instruction():
    a, b = run("a"), run("b", prompt={"instruction": "You are a helpful assistant. Think well."})
    found = look(a, b)
    assert causes(found) == ["instruction_extra"]


def test_another_template():
    a, b = run("a"), run("b", prompt={"template": "Q: {{question}}\n{{options}}\nA:"})
    assert causes(look(a, b)) == ["template_differs"]


def test_another_order_of_options():
    a, b = run("a"), run("b", prompt={"options": {"order": "reversed"}})
    assert causes(look(a, b)) == ["option_order"]


def test_an_edit_of_the_prompt():
    a, b = run("a"), run("b", prompt={"line_ends": "crlf"})
    assert causes(look(a, b)) == ["prompt_edited"]


def test_with_and_without_the_chat_template():
    a, b = run("a"), run("b", prompt={"chat_template": True})
    assert causes(look(a, b)) == ["chat_template"]


def test_other_decoding_parameters():
    a, b = run("a", decoding={"temperature": 0.8}), run("b", decoding={"temperature": 0.8, "top_p": 0.5})
    assert causes(look(a, b)) == ["decoding_differs"]


def test_generated_against_scored():
    a, b = run("a"), run("b", evaluation={"extraction": None, "elicit": "options"})
    assert causes(look(a, b))[0] == "asked_differently"


def test_lengths_by_which_options_are_divided():
    def long(call: Call, came: Came) -> Came:
        """The wrong option is longer, and wins once lengths are divided by."""
        assert call.item is not None
        gold = call.item.gold_index or 0
        scores = tuple((-3.0,) if i == gold else (-3.0 - 0.2 * len(c),) for i, c in enumerate(call.item.choices))
        other = (gold + 1) % 4
        tokens = tuple((-0.8,) * 5 if i == other and number(call) % 2 else row for i, row in enumerate(scores))
        return replace(came, option_logprobs=tokens)  # type: ignore[arg-type]

    options = {"extraction": None, "elicit": "options"}
    a = run("a", change=long, evaluation={**options, "normalize": "none"})
    b = run("b", change=long, evaluation={**options, "normalize": "tokens"})
    assert causes(look(a, b)) == ["normalize_differs"]


def test_other_stop_texts():
    def stopped(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if call.request.param("stop") and number(call) % 3 == 0 else came

    a, b = run("a", change=stopped), run("b", change=stopped, decoding={"stop": ["\n\n"]})
    assert causes(look(a, b))[0] == "stop_differs"


def test_several_fields_at_once_are_likely_and_explain_is_priced():
    """No single field can be proven where several differ; what a reader did is told apart all the same."""
    a = run("a", change=every(2, wordy))
    b = run(
        "b",
        change=every(2, wordy),
        prompt={"instruction": "Be brief.", "cue": "A:"},
        evaluation={"extraction": "whole", "score": "choice"},
    )
    found = look(a, b)
    assert causes(found)[0] == "reader_strict"
    rest = [one for one in found.causes if one.experiment.what == "explain"]
    assert {one.cause for one in rest} == {"instruction_extra", "template_differs"}
    assert all(one.strength == "likely" for one in rest)
    assert all(one.experiment.calls == 120 * (2**2 - 2) for one in rest)
