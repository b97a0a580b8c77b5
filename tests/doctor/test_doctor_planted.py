"""For each cause a pair of runs that differ in it alone, or one run that has it: the planted cause is ranked first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planted import BASE, Came, causes, look, number, rows, run, study, write

from eyechart.app.doctor import case_of
from eyechart.app.evaluated import evaluated
from eyechart.core.records import Call, Failure, Item, Request, Response

pytestmark = pytest.mark.usefixtures("unreported")

Plant = Callable[[], tuple[str, str]]


def text(came: Came, new: str, **more: Any) -> Came:
    return replace(came, text=new, **more) if isinstance(came, Response) else came


def every(n: int, make: Callable[[Call, Came], Came]) -> Callable[[Call, Came], Came]:
    """`make` on every n-th item."""
    return lambda call, came: make(call, came) if number(call) % n == 0 else came


def clean(**parts: Any) -> str:
    return run("a", **parts)


# What one run shows


def cut(call: Call, came: Came) -> Came:
    return text(came, "Let me think about this picture step by step. First,", finish_reason="length")


def noisy(call: Call, came: Came) -> Came:
    """Another text each time, whatever the seed: the draw of a server that ignores it."""
    assert isinstance(came, Response)
    count[0] += 1
    return text(came, f"{came.text} ({count[0]})") if count[0] % 3 else came


count = [0]


def greedy_text(call: Call, came: Came) -> Came:
    """One text an item: sampling never reached the model."""
    assert call.item is not None
    right = number(call) % 3 > 0
    options = call.item.choices
    words = options[call.item.gold_index or 0] if right else options[((call.item.gold_index or 0) + 1) % 4]
    return text(
        came, "I have looked at all of the words that are offered here, one after the other, and I say: " + words
    )


SAMPLED = {"decoding": {"temperature": 0.8}, "repeats": {"count": 4}, "dataset": {"limit": 60}}


def test_truncated_answers():
    b = run("b", change=every(3, cut))
    found = look(clean(), b)
    assert causes(found)[0] == "truncated"
    first = found.causes[0]
    assert first.where == "b"
    assert first.strength == "proven"
    assert first.share == pytest.approx(40 / 120)
    assert first.experiment.calls == 40  # only what hangs is asked again
    assert causes(look(b))[0] == "truncated"


def test_a_lower_limit_of_tokens_is_named_by_what_it_does():
    def limited(call: Call, came: Came) -> Came:
        return cut(call, came) if call.request.param("max_new_tokens") < 10 and number(call) % 3 == 0 else came

    a, b = (run(name, change=limited, decoding={"max_new_tokens": n}) for name, n in (("a", 64), ("b", 8)))
    found = look(a, b)
    assert causes(found)[0] == "truncated"
    assert any(f.key == "field" and dict(f.params)["path"].endswith("max_new_tokens") for f in found.causes[0].facts)


def wordy(call: Call, came: Came) -> Came:
    return text(came, f"After some thought, the answer is{came.text}.") if isinstance(came, Response) else came


def test_a_reader_that_is_too_strict():
    a = run("a", change=every(2, wordy))
    b = run("b", change=every(2, wordy), evaluation={"extraction": "whole", "score": "choice"})
    found = look(a, b)
    assert causes(found)[0] == "reader_strict"
    first = found.causes[0]
    assert first.experiment.command.startswith("eyechart reread")
    assert first.experiment.calls == 0
    # to the last answer: what the careful reading of the same texts gives back
    gap = found.findings.gap.all_items if found.findings and found.findings.gap else None
    assert first.explains == pytest.approx(gap)
    assert causes(look(b))[0] == "reader_strict"


def test_a_reader_that_is_too_loose():
    def hedged(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, "It could be any of these: " + ", ".join(call.item.choices))

    loose = {"extraction": "whole", "score": "contains"}
    a = run("a", change=every(3, hedged))
    b = run("b", change=every(3, hedged), evaluation=loose)
    found = look(a, b)
    assert causes(found)[0] == "reader_loose"
    assert causes(look(b))[0] == "reader_loose"


def test_another_reader_that_is_neither():
    """Two careful people may differ: the reading is named, and its share is exact."""

    def spelled(call: Call, came: Came) -> Came:
        return text(came, "apple or river? river") if isinstance(came, Response) else came

    a = run("a", change=every(3, spelled), evaluation={"extraction": "first_word", "score": "choice"})
    b = run("b", change=every(3, spelled), evaluation={"extraction": "last_word", "score": "choice"})
    found = look(a, b)
    assert causes(found)[0] in ("reader_differs", "reader_strict", "reader_loose")


def test_refusals():
    b = run("b", change=every(4, lambda call, came: text(came, "I'm sorry, but I cannot help with that.")))
    assert causes(look(clean(), b))[0] == "refusals"
    assert causes(look(b))[0] == "refusals"


def test_empty_answers():
    b = run("b", change=every(4, lambda call, came: text(came, "")))
    assert causes(look(clean(), b))[0] == "empty"
    assert causes(look(b)) == ["empty"]


def test_answers_that_keep_to_no_format():
    b = run("b", change=every(3, lambda call, came: text(came, "What a lovely picture that is!")))
    assert causes(look(clean(), b))[0] == "format_missed"
    assert causes(look(b))[0] == "format_missed"


def test_a_stop_text_that_cuts():
    def stopped(call: Call, came: Came) -> Came:
        return text(came, "") if call.request.param("stop") and number(call) % 3 == 0 else came

    a = run("a", change=stopped)
    b = run("b", change=stopped, decoding={"stop": [" "]})
    assert causes(look(a, b))[0] == "stop_cuts"
    assert causes(look(b))[0] == "stop_cuts"


def test_a_machine_out_of_memory():
    def broken(call: Call, came: Came) -> Came:
        return Failure(kind="crashed", reason="CUDA error: out of memory") if number(call) % 12 == 0 else came

    b = run("b", change=broken)
    found = look(clean(), b)
    assert causes(found)[0] == "machine"
    assert any(f.key == "memory" for f in found.causes[0].facts)
    assert causes(look(b))[0] == "machine"


def test_one_seed_for_all_items():
    a = run("a", **SAMPLED)
    b = run("b", **merge(SAMPLED, decoding={"seed_scope": "run"}))
    found = look(a, b)
    assert causes(found)[0] == "seed_shared"
    assert causes(look(b))[0] == "seed_shared"


def merge(base: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {key: {**base.get(key, {}), **parts.get(key, {})} for key in {**base, **parts}}


def test_a_seed_that_is_ignored_by_a_server_that_draws_anew():
    a = run("a", **SAMPLED)
    b = run("b", change=noisy, **SAMPLED)
    found = look(a, b)
    assert causes(found)[0] == "seed_ignored"
    assert found.causes[0].strength == "proven"


def test_a_seed_that_is_ignored_by_a_server_that_is_greedy():
    a = run("a", **SAMPLED)
    b = run("b", change=greedy_text, **SAMPLED)
    assert causes(look(b))[0] == "seed_ignored"
    assert "seed_ignored" in causes(look(a, b))[:2]


def test_a_server_that_says_that_it_ignores_the_seed():
    noted = every(1, lambda call, came: replace(came, notes=("parameter_ignored:seed",)))  # type: ignore[arg-type]
    b = run("b", change=noted, **SAMPLED)
    assert causes(look(run("a", **SAMPLED), b))[0] == "seed_ignored"
    assert causes(look(b)) == ["seed_ignored"]


def test_another_parameter_that_is_ignored():
    noted = every(1, lambda call, came: replace(came, notes=("parameter_ignored:stop",)))  # type: ignore[arg-type]
    b = run("b", change=noted)
    assert causes(look(b)) == ["parameter_ignored"]


def test_sampling_without_a_seed():
    Path("seedless.py").write_text(
        "def f(prompt):\n    return 'apple' if len(prompt) % 2 else 'river'\n", encoding="utf-8"
    )
    model = {"backend": "function", "path": "seedless:f", "options": None}
    b = run("b", model=model, **SAMPLED)
    assert causes(look(b))[0] == "sampling_unseeded"


def test_a_temperature_beside_do_sample_false():
    a = run("a", decoding={"do_sample": True, "temperature": 0.8})
    b = run("b", decoding={"do_sample": False, "temperature": 0.8})
    found = look(a, b)
    assert causes(found)[0] == "temperature_inert"
    assert causes(look(b)) == ["temperature_inert"]


def test_repeats_from_a_cache():
    kept: dict[tuple[str, int], Came] = {}

    def cached(call: Call, came: Came) -> Came:
        assert call.item is not None
        kept[call.item.id, call.repeat] = came
        return kept.get((call.item.id, 0), came) if call.repeat == 3 else came

    b = run("b", change=cached, **SAMPLED)
    assert causes(look(b))[0] == "repeats_copied"
    assert causes(look(run("a", **SAMPLED), b))[0] == "repeats_copied"


def test_a_second_run_that_is_the_first_one_from_a_cache():
    kept: dict[tuple[str, int], Came] = {}

    def first(call: Call, came: Came) -> Came:
        assert call.item is not None
        return kept.setdefault((call.item.id, call.repeat), came)

    a = run("a", change=first, decoding={"temperature": 0.8, "seed": 1})
    b = run("b", change=first, decoding={"temperature": 0.8, "seed": 2})
    assert causes(look(a, b))[0] == "repeats_copied"


def test_a_stale_cache_that_serves_another_model():
    kept: dict[str, Came] = {}

    def first(call: Call, came: Came) -> Came:
        assert call.item is not None
        return kept.setdefault(call.item.id, came)

    a = run("a", change=first)
    b = run("b", change=first, model={"options": {"accuracy": 0.3}})
    assert causes(look(a, b))[0] == "stale_cache"


def test_runs_that_are_no_repeats():
    def worse(call: Call, came: Came) -> Came:
        assert call.item is not None
        wrong = call.item.choices[((call.item.gold_index or 0) + 1) % 4]
        return text(came, wrong) if call.repeat == 2 and number(call) % 3 else came

    b = run("b", change=worse, **SAMPLED)
    assert causes(look(b))[0] == "runs_uneven"


def test_the_same_request_and_another_answer():
    """Batches, kernels or replicas: nothing is sampled, and the repeats differ."""

    def unsteady(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[call.repeat % 4]) if number(call) % 4 == 0 else came

    b = run("b", change=unsteady, repeats={"count": 3})
    assert causes(look(b))[0] == "unsteady"
    assert causes(look(run("a", repeats={"count": 3}), b))[0] == "unsteady"


def test_another_batch_size():
    def batched(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 5 == 0 else came

    a = run("a")
    b = run("b", change=batched, model={"batch_size": 8})
    assert causes(look(a, b))[0] == "batch"


def test_another_precision():
    def coarse(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 5 == 0 else came

    a = run("a", model={"quantization": "none"})
    b = run("b", change=coarse, model={"quantization": "int4"})
    found = look(a, b)
    assert causes(found)[0] == "precision"


def test_two_builds_of_one_model_by_their_names():
    a = run("a", model={"name": "m-7b-F16"})
    b = run("b", change=every(5, lambda c, came: text(came, c.item.choices[0])), model={"name": "m-7b-Q4_K_M"})  # type: ignore[union-attr]
    assert causes(look(a, b))[0] == "precision"


def test_another_model():
    a, b = run("a"), run("b", model={"options": {"accuracy": 0.3}})
    assert causes(look(a, b))[0] == "other_model"


def test_the_model_behind_the_server_changed():
    def other(call: Call, came: Came) -> Came:
        assert call.item is not None
        if number(call) < 60 or not isinstance(came, Response):
            return came
        return replace(came, served_model="synthetic-2", text=call.item.choices[0])

    b = run("b", change=other)
    assert causes(look(b))[0] == "served_changed"
    assert causes(look(clean(), b))[0] == "served_changed"


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


def pool(n: int = 20) -> None:
    write("items.jsonl", rows())
    more = [dict(row, id=f"v{i}", question=f"Which word goes with drawing {i}?") for i, row in enumerate(rows(n))]
    write("pool.jsonl", more)


SHOTS = {"path": None, "splits": {"test": "items.jsonl", "validation": "pool.jsonl"}}


def test_shots_drawn_with_another_seed():
    pool()
    a, b = (run(n, dataset=SHOTS, prompt={"few_shot": {"count": 3, "seed": s}}) for n, s in (("a", 1), ("b", 2)))
    found = look(a, b)
    assert causes(found)[0] == "shots_drawn"
    assert found.causes[0].experiment.command == "eyechart explain a b"


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


def test_another_answer_key():
    a = run("a")
    other = [dict(r, answer=r["choices"][(r["choices"].index(r["answer"]) + 1) % 4]) if i % 4 == 0 else r
             for i, r in enumerate(rows())]  # fmt: skip
    write("items.jsonl", other)

    def as_before(call: Call, came: Came) -> Came:
        return text(came, answers[number(call)])

    answers = {number(call): call_text for call, call_text in kept_answers(a)}
    b = run("b", change=as_before)
    found = look(a, b)
    assert causes(found)[0] == "key_differs"
    assert found.causes[0].explains == pytest.approx(found.findings.gap.change.value)  # type: ignore[union-attr]


def kept_answers(name: str) -> list[tuple[Call, str]]:
    side = case_of([evaluated(name)]).a
    blank = Request(elicit="generate", prompt="")
    return [(Call(request=blank, repeat=0, item=Item(id=a.item, fields={})), a.text or "") for a in side.answers]


def test_another_version_of_the_data():
    a = run("a")
    write("items.jsonl", [dict(r, question=r["question"].replace("picture", "image")) if i % 3 == 0 else r
                          for i, r in enumerate(rows())])  # fmt: skip
    b = run("b")
    assert causes(look(a, b))[0] == "data_version"


def test_other_items():
    a = run("a", dataset={"limit": 60, "seed": 1})
    b = run("b", dataset={"limit": 60, "seed": 2})
    assert causes(look(a, b))[0] == "items_differ"


def test_the_first_n_items_of_grouped_data():
    a = run("a")
    write("items.jsonl", rows()[:40])
    found = look(a, run("b"))
    assert causes(found)[0] == "first_n"
    params = dict(found.causes[0].facts[-1].params)
    assert (params["n"], params["groups"], params["all"]) == ("40", "1", "3")


def test_items_that_stand_there_twice():
    write("items.jsonl", [*rows(60), *(dict(r, id=r["id"].replace("q", "q9")) for r in rows(60)[:12])])
    assert causes(look(run("b")))[0] == "duplicated_items"


def test_items_that_contradict_each_other():
    twice = [dict(r, id=r["id"].replace("q", "q9"), answer=r["choices"][(r["choices"].index(r["answer"]) + 1) % 4])
             for r in rows(60)[:6]]  # fmt: skip
    write("items.jsonl", [*rows(60), *twice])
    assert causes(look(run("b")))[0] == "contradicting_items"


def test_tasks_that_move_against_each_other():
    def shifted(call: Call, came: Came) -> Came:
        assert call.item is not None
        gold = call.item.gold_index or 0
        if call.item.group == "a":
            return text(came, call.item.choices[gold])
        return text(came, call.item.choices[(gold + 1) % 4]) if call.item.group == "b" else came

    half = {"options": {"accuracy": 0.5}}
    a = run("a", model=half)
    b = run("b", change=shifted, model=half, prompt={"instruction": "Be brief."})
    assert "tasks_contradict" in causes(look(a, b))


def test_a_run_at_chance():
    b = (
        run("b", model={"options": {"accuracy": 0.25, "item_sd": 0.0}}, dataset={"path": "many.jsonl"})
        if many()
        else ""
    )
    assert causes(look(b)) == ["at_chance"]


def many(n: int = 400) -> bool:
    write("items.jsonl", rows(12))
    write("many.jsonl", rows(n))
    return True


def test_labels_that_are_shifted_by_one():
    def shifted(call: Call, came: Came) -> Came:
        assert call.item is not None
        at = ((call.item.gold_index or 0) + (number(call) % 10 > 0)) % 4
        return text(came, call.item.choices[at])

    found = look(run("b", change=shifted))
    assert causes(found)[0] == "below_chance"
    assert any(f.key == "shifted" for f in found.causes[0].facts)


def test_always_the_first_option():
    def first(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 2 else came

    b = run("b", change=first)
    assert causes(look(b))[0] == "position_bias"


def test_a_score_that_is_too_good():
    b = (
        run("b", change=lambda call, came: text(came, call.item.gold[0]), dataset={"path": "many.jsonl"})
        if many()
        else ""
    )  # type: ignore[union-attr]
    assert causes(look(b)) == ["too_high"]


def test_a_run_that_was_stopped():
    write("items.jsonl", rows())
    b = run("b", study(BASE, budget={"calls": 60}))
    found = look(b)
    assert causes(found)[0] == "missing_items"
    assert found.causes[0].experiment.calls == 60


def test_a_run_that_was_read_by_another_version():
    """Verdicts in the folder that the same reading of the same texts does not give any more."""
    a, b = run("a"), run("b")
    turn_verdicts(b, 12)
    assert causes(look(b))[0] == "parser_changed"
    assert causes(look(a, b))[0] == "parser_changed"


def turn_verdicts(name: str, n: int) -> None:
    import numpy as np

    from eyechart.analysis.observations import OUTCOMES
    from eyechart.core.records import Outcome

    path = Path(name) / "observations.npz"
    with np.load(path, allow_pickle=False) as data:
        arrays = {key: data[key] for key in data.files}
    code = {o: i for i, o in enumerate(OUTCOMES)}
    for row in np.flatnonzero(arrays["value"] > 0.5)[:n]:
        arrays["value"][row], arrays["outcome"][row] = 0.0, code[Outcome.INCORRECT]
    np.savez_compressed(path, **arrays)


def test_another_version_of_the_software():
    a = run("a")
    b = run("b", change=every(5, lambda c, came: text(came, c.item.choices[0])))  # type: ignore[union-attr]
    facts = json.loads(Path(b, "run.json").read_text("utf-8"))
    facts["runtime"]["packages"]["openvino"] = "1.0"
    for engine, cell in zip(facts["engines"], facts["cells"], strict=True):
        engine["version"] = 2
        cell["engine"] = engine["digest"] = "g1:" + hashlib.sha256(b"2").hexdigest()
    Path(b, "run.json").write_text(json.dumps(facts), encoding="utf-8")
    assert causes(look(a, b))[0] == "harness_version"


JUDGED = """
dataset: {path: items.jsonl, fields: {id: id}}
model: {backend: synthetic, options: {accuracy: 0.5}}
evaluation: {method: judge, judge: {rubric: Is it true?, reference: true, model: {backend: simulated_judge}}}
"""


def open_rows() -> None:
    write("items.jsonl", [{"id": r["id"], "question": r["question"], "answer": r["answer"]} for r in rows(60)])


def test_another_judge():
    open_rows()
    a = run("a", JUDGED)
    b = run("b", JUDGED, evaluation={"judge": {"model": {"options": {"leniency": 2.0}}}})
    assert causes(look(a, b))[0] == "judge_changed"


def test_a_judge_that_says_otherwise_of_the_same_answers():
    open_rows()
    a, b = run("a", JUDGED), run("b", JUDGED)
    turn_verdicts(b, 12)
    assert causes(look(a, b))[0] == "judge_drift"


def test_a_context_that_is_full():
    full = every(4, lambda c, came: text(came, "So the answer", finish_reason="length", notes=("context_full",)))
    b = run("b", change=full, prompt={"instruction": "Look well. " * 50})
    assert "context_full" in causes(look(b))[:2]
    assert "context_full" in causes(look(clean(), b))[:2]


def test_another_backend():
    source = """
import hashlib

def f(prompt):
    options = [line.partition(") ")[2] for line in prompt.splitlines() if ") " in line]
    return options[hashlib.sha256(prompt.encode()).digest()[0] % len(options)]
"""
    Path("other.py").write_text(source, encoding="utf-8")
    a = run("a")
    b = run("b", model={"backend": "function", "path": "other:f", "options": None})
    assert causes(look(a, b))[0] == "backend"


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
