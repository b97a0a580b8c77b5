"""For each cause a pair of runs that differ in it alone, or one run that has it: drawing and reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from planted import SAMPLED, Came, causes, clean, cut, every, greedy_text, look, merge, noisy, number, run, text, wordy

from eyechart.core.records import Call, Failure, Response

pytestmark = pytest.mark.usefixtures("unreported")


def test_truncated_answers():
    b = run("b", change=every(3, cut))
    found = look(clean(), b)
    assert causes(found)[0] == "truncated"
    first = found.causes[0]
    assert first.where == "b"
    assert first.strength == "present"  # what the answers cut off would have been, nobody knows
    assert first.share == pytest.approx(40 / 120)
    assert first.experiment.calls == 120  # another limit is another request: all are asked again
    assert causes(look(b))[0] == "truncated"


def test_a_lower_limit_of_tokens_is_named_by_what_it_does():
    def limited(call: Call, came: Came) -> Came:
        return cut(call, came) if call.request.param("max_new_tokens") < 10 and number(call) % 3 == 0 else came

    a, b = (run(name, change=limited, decoding={"max_new_tokens": n}) for name, n in (("a", 64), ("b", 8)))
    found = look(a, b)
    assert causes(found)[0] == "truncated"
    assert any(f.key == "field" and dict(f.params)["path"].endswith("max_new_tokens") for f in found.causes[0].facts)


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


def test_a_seed_that_is_ignored_by_a_server_that_draws_anew():
    a = run("a", **SAMPLED)
    b = run("b", change=noisy, **SAMPLED)
    found = look(a, b)
    assert causes(found)[0] == "seed_ignored"
    assert found.causes[0].strength == "present"


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
