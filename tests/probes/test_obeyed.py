"""Which parameters a server follows: right for servers that follow all, some and none, and silent where it cannot tell."""

from __future__ import annotations

import pytest
from toy import Toy

from eyechart.core.flows import canned
from eyechart.core.records import Call, Failure, PathStep, Response
from eyechart.probes.obeyed import ALPHA, NAMES, SHORT, Probed, probe_parameters
from eyechart.report.messages import say
from eyechart.report.sections.determinism import parameters, sayings

ALL = "temperature top_p top_k seed max_new_tokens stop"


def probed(toy: Toy, *, shows: bool = False, **options: object) -> Probed:
    def answer(call: Call) -> Response:
        request = call.request
        params = dict(request.params)
        prompt = request.prompt if request.prompt is not None else request.messages[-1].content
        text = toy.text(prompt, params)
        words = text.split()
        path = tuple(PathStep(w, -0.7, ()) for w in words) if shows and "candidates" in params else None
        limit = len(words) >= params["max_new_tokens"]
        return Response(text=text, finish_reason="length" if limit else "stop", completion_tokens=len(words), path=path)

    return canned(probe_parameters(shows=shows, **options), answer)


def verdicts(found: Probed) -> dict[str, str]:
    return {one.name: one.verdict for one in found.parameters}


def without(*names: str) -> str:
    return " ".join(name for name in ALL.split() if name not in names)


@pytest.mark.parametrize("chat", [False, True])
def test_all_are_followed(chat):
    found = probed(Toy(), chat=chat)
    assert verdicts(found) == dict.fromkeys(NAMES, "obeyed")
    assert (found.open_prompts, found.failed, found.notes) == (3, 0, ())
    assert all(one.p is None or one.p <= ALPHA for one in found.parameters)


@pytest.mark.parametrize("name", ALL.split())
def test_one_is_ignored_and_no_other_is_blamed(name):
    """temperature ignored: a server that always draws at temperature 1."""
    found = verdicts(probed(Toy(without(name))))
    assert found.pop(name) == "ignored"
    # At a temperature that is not followed the limit and the stop cannot be read off one answer, unless seeds are.
    blamed = {n for n, v in found.items() if v == "ignored"}
    assert not blamed
    if name != "temperature":
        assert set(found.values()) == {"obeyed"}


def test_several_are_ignored():
    """A seed, a temperature and a top_p at the top level, where this server looks for them under `options`."""
    found = verdicts(probed(Toy("max_new_tokens")))
    assert {n: found[n] for n in ("temperature", "top_p", "top_k", "seed")} == dict.fromkeys(
        ("temperature", "top_p", "top_k", "seed"), "ignored"
    )
    assert found["max_new_tokens"] == "obeyed"


def test_a_seed_that_never_changes_the_draw():
    """One stream for all requests: equal twins, and other seeds equal as well."""
    found = probed(Toy(one_stream=True))
    (seed,) = [one for one in found.parameters if one.name == "seed"]
    assert (seed.verdict, seed.p <= ALPHA) == ("ignored", True)


def test_a_seed_that_is_fixed_where_none_is_sent_does_not_pass_for_a_temperature():
    """Always drawn at temperature 1, with seed 0 unless another is sent."""

    class Fixed(Toy):
        def text(self, prompt, params):
            return super().text(prompt, {"seed": 0, **params})

    assert verdicts(probed(Fixed(without("temperature"))))["temperature"] == "ignored"


def test_a_model_that_is_sure_of_every_word_makes_nothing_ignored():
    found = probed(Toy(peaked=True))
    seen = verdicts(found)
    assert {seen[n] for n in ("temperature", "top_p", "top_k", "seed")} == {"cannot tell"}
    assert "ignored" not in seen.values()
    assert found.open_prompts == 0
    assert [key for key, _ in found.notes] == ["same_text"]


def test_a_server_that_is_always_greedy():
    """Without log-probabilities it looks like a sure model; with them it does not."""
    assert verdicts(probed(Toy(forced=0.0)))["temperature"] == "cannot tell"
    found = probed(Toy(forced=0.0), shows=True)
    (one,) = [one for one in found.parameters if one.name == "temperature"]
    assert (one.verdict, one.p <= ALPHA) == ("ignored", True)
    assert "greedy_only" in [key for key, _ in one.evidence]


def test_greedy_answers_that_flip_now_and_then_are_followed_still():
    found = probed(Toy(flips=0.01))
    (one,) = [one for one in found.parameters if one.name == "temperature"]
    assert one.verdict == "obeyed"
    assert "something_else" in [key for key, _ in one.evidence]


def test_parameters_that_are_not_sent_are_not_judged():
    found = probed(Toy(), ignores=("top_k",))
    assert verdicts(found)["top_k"] == "cannot tell"
    found = probed(Toy(without("seed")), ignores=("seed", "top_k"))
    assert verdicts(found)["seed"] == "cannot tell"
    assert verdicts(found)["temperature"] == "obeyed"
    asked = probed(Toy(), ignores=("temperature",))
    assert (asked.calls, set(verdicts(asked).values())) == (0, {"cannot tell"})


def test_failures_are_no_evidence():
    broken = canned(probe_parameters(), lambda call: Failure(kind="server_error", reason="down"))
    assert set(verdicts(broken).values()) == {"cannot tell"}
    assert broken.failed == broken.calls > 0
    toy = Toy()

    def half(call: Call) -> Response | Failure:
        if toy.count % 5 == 4:
            toy.count += 1
            return Failure(kind="timeout", reason="slow")
        text = toy.text(call.request.prompt or "", dict(call.request.params))
        return Response(text=text, completion_tokens=len(text.split()))

    assert "ignored" not in verdicts(canned(probe_parameters(), half)).values()


@pytest.mark.parametrize("runs", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_false_verdicts_are_rare(runs):
    """Servers that follow all, and as many that follow none: no wrong word about what is drawn."""
    for run in range(runs):
        prompts = tuple(f"Open prompt {run} {i} goes" for i in range(3))
        right, wrong = probed(Toy(), prompts=prompts), probed(Toy("max_new_tokens"), prompts=prompts)
        assert "ignored" not in verdicts(right).values()
        assert "obeyed" not in {verdicts(wrong)[n] for n in ("temperature", "top_p", "top_k", "seed")}


def test_blank_answers_say_nothing():
    blank = canned(probe_parameters(), lambda call: Response(text="", completion_tokens=0))
    assert set(verdicts(blank).values()) == {"cannot tell"}


def test_a_limit_that_the_text_itself_shows_to_be_passed():
    """A server that counts no tokens."""
    text = " ".join(str(n) for n in range(SHORT + 3))
    found = canned(probe_parameters(), lambda call: Response(text=text))
    assert verdicts(found)["max_new_tokens"] == "ignored"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_saying_has_words(language):
    for toy in (Toy(), Toy(""), Toy(peaked=True), Toy(one_stream=True), Toy(forced=0.0)):
        found = probed(toy, shows=True)
        for one in found.parameters:
            assert "{" not in say(sayings(one.evidence), language)
        assert parameters(found)
