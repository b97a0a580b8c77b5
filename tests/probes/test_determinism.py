"""What the same requests gave under other conditions: counted as a person would count it."""

from __future__ import annotations

from math import sqrt

import pytest

from eyechart.core.records import Candidate, Failure, NotEstimable, PathStep, Response
from eyechart.probes.determinism import Pass, Seen, determinism, swing
from eyechart.report.blocks import Note, Table, Verdict
from eyechart.report.messages import say
from eyechart.report.sections.determinism import determinism as section
from eyechart.report.sections.determinism import named, part


def a_pass(*came, condition="again", setting="as stated", occasion=0, scores=None, seen=None):
    texts = tuple(c.text if isinstance(c, Response) else None for c in came)
    given = tuple(scores) if scores is not None else tuple(1.0 if t and "y" in t else 0.0 for t in texts)
    return Pass(
        condition=condition,
        setting=setting,
        occasion=occasion,
        came=tuple(came),
        answers=texts,
        scores=given,
        seen=seen,
    )


def texts(*words, **more):
    return a_pass(*(Response(text=w) for w in words), **more)


def path(*steps):
    return Response(
        text="".join(t for t, _, _ in steps),
        path=tuple(PathStep(t, lp, tuple(Candidate(*c) for c in cs)) for t, lp, cs in steps),
    )


def test_texts_alone():
    stated = texts("yes", "no", "yes")
    found = determinism(list("abc"), [stated, texts("yes", "not", "yes"), texts("yes", "no", "no", occasion=1)])
    (one,) = found.measured
    assert (one.passes, one.items, one.calls, one.failed) == (2, 3, 6, 0)
    assert (one.visible, one.equal, one.largest) == ("no", None, None)
    assert one.other_text.value == pytest.approx(2 / 3)
    assert one.other_verdict.value == pytest.approx(1 / 3)
    assert (one.gained, one.lost, one.scores) == (0, 1, (2 / 3, 1 / 3))
    assert [(d.item, d.unit, d.at, d.stated, d.other) for d in one.departures] == [
        ("c", "character", 0, "yes", "no"),
        ("b", "character", 2, "", "t"),
    ]
    assert one.earliest == 0
    assert found.noise.value == pytest.approx(sqrt((1 / 3) / 3 / 3))  # variances 0, 0, 1/3


def test_nothing_moved_has_an_upper_end():
    n = 60
    found = determinism([str(i) for i in range(n)], [texts(*["yes"] * n), texts(*["yes"] * n)])
    one = found.measured[0]
    assert (one.other_text.value, one.departures, one.earliest) == (0.0, (), None)
    assert one.other_text.interval.high == pytest.approx(0.0596, abs=1e-4)
    assert swing(found.noise) == pytest.approx(1.96 * sqrt(2) * sqrt(0.0596 / 2 / 60), rel=1e-3)
    assert "no proof" in say(section(found)[0].text, "en")


def test_options_to_the_last_bit():
    def options(*rows, **more):
        return a_pass(*(Response(option_logprobs=r) for r in rows), scores=[1.0] * len(rows), **more)

    row, near = ((-0.5, -1.25), (-2.0,)), ((-0.5, -1.25), (-2.0000000000000004,))
    found = determinism(list("ab"), [options(row, row), options(row, near), options(row, ((-0.5,), (-2.0,)))])
    one = found.measured[0]
    assert (one.visible, one.equal, one.calls) == ("options", 2, 4)
    assert one.largest == pytest.approx(4.4e-16, rel=0.01)  # rows of other lengths are not equal, and have no distance


def test_tokens_and_a_near_tie():
    stated = path((" a", -0.1, ()), (" b", -0.700, [(" b", -0.700), (" c", -0.702)]), (" x", -0.1, ()))
    other = path((" a", -0.1, ()), (" c", -0.699, ()), (" y", -3.0, ()))
    moved = path((" a", -0.11, ()), (" b", -0.700, ()), (" x", -0.1, ()))
    found = determinism(list("ab"), [a_pass(stated, stated), a_pass(other, moved)])
    one = found.measured[0]
    assert (one.visible, one.equal, one.largest) == ("tokens", 0, pytest.approx(0.01))
    assert one.departures[0].at == 1
    assert (one.departures[0].stated, one.departures[0].other) == (" b", " c")
    assert one.departures[0].margin == pytest.approx(0.002)


def test_a_shorter_answer_departs_where_it_ends():
    stated, other = path((" a", -0.1, ()), (" b", -0.2, ())), path((" a", -0.1, ()))
    found = determinism(["i"], [a_pass(stated), a_pass(other)])
    assert [(d.at, d.stated, d.other, d.margin) for d in found.measured[0].departures] == [(1, " b", "", None)]


def test_a_failed_call_is_no_difference():
    broken = Failure(kind="timeout", reason="slow")
    stated = texts("yes", "no", "yes")
    other = a_pass(Response(text="yes"), broken, Response(text="yes"), scores=[1.0, None, 1.0])
    one = determinism(list("abc"), [stated, other]).measured[0]
    assert (one.items, one.calls, one.failed, one.other_text.value) == (2, 2, 1, 0.0)
    nothing = determinism(["a"], [a_pass(broken, scores=[None]), a_pass(broken, scores=[None])])
    assert isinstance(nothing.measured[0].other_text, NotEstimable)
    assert isinstance(nothing.noise, NotEstimable)
    assert swing(nothing.noise) is None
    assert say(section(nothing)[0].text, "en").startswith("Nothing could be compared")


def test_settings_are_kept_apart_and_noise_of_both_kinds():
    base = ["yes"] * 9 + ["no"]
    stated, again = texts(*base), texts(*base)
    cache = texts(*["no"] * 3, *base[3:], condition="cache", setting="prefix cache on")
    found = determinism([str(i) for i in range(10)], [stated, again, cache])
    assert [(m.condition, m.setting) for m in found.measured] == [("again", "as stated"), ("cache", "prefix cache on")]
    assert found.noise.value == 0
    assert found.noise_settings.value > 0
    assert found.measured[1].lost == 3
    fresh = texts(*["no"] * 2, *base[2:], condition="fresh", setting="another process")
    assert determinism([str(i) for i in range(10)], [stated, fresh]).noise.value > 0  # no setting was changed


def test_clusters_are_not_items():
    ids = [str(i) for i in range(12)]
    stated, other = texts(*["yes"] * 12), texts(*["no"] * 3, *["yes"] * 9)
    alone, together = (determinism(ids, [stated, other], c).measured[0] for c in (None, list("aaabbbcccddd")))
    assert alone.other_text.value == together.other_text.value == 0.25
    width = [m.other_text.interval.high - m.other_text.interval.low for m in (alone, together)]
    assert width[1] > width[0]


def test_replicas_and_which_answers_hang_on_them():
    def served(*pairs, **more):
        return a_pass(*(Response(text=t, served_model="m", system_fingerprint=f) for t, f in pairs), **more)

    stated = served(("yes", "fp1"), ("no", "fp1"), ("yes", "fp1"))
    again = served(("yes", "fp1"), ("not", "fp2"), ("yes", "fp2"))
    more = served(("yes", "fp1"), ("no", "fp1"), ("no", "fp1"), occasion=1)
    found = determinism(list("abc"), [stated, again, more])
    replicas = found.replicas
    assert [(s.fingerprint, s.calls) for s in replicas.served] == [("fp1", 7), ("fp2", 2)]
    assert replicas.same == (1, 5)
    assert replicas.across == (3, 4)
    assert replicas.items == ("b",)  # c differs within one name as well
    tables = [b for b in section(found) if isinstance(b, Table)]
    assert "fp2" in str(tables[-1])
    assert not determinism(["a"], [texts("yes"), texts("yes")]).replicas.items


def test_pace_is_a_ratio_within_one_run():
    slow, fast = Seen(calls=10, seconds=10, batch=1, at_once=1), Seen(calls=10, seconds=2, batch=5, at_once=1)
    found = determinism(["a"], [texts("yes", seen=slow), texts("yes", seen=fast)])
    assert found.measured[0].pace == pytest.approx(5)
    assert determinism(["a"], [texts("yes"), texts("yes", seen=fast)]).measured[0].pace is None


def test_the_tone_is_that_of_the_score():
    """Texts that move while no verdict does: nothing stands out of the noise of the score."""
    stated = texts("yes, a", "no")
    moved = determinism(list("ab"), [stated, texts("yes, b", "no")])
    turned = determinism(list("ab"), [stated, texts("no", "no")])
    assert [section(found)[0].tone for found in (moved, turned)] == ["quiet", "moves"]
    assert "50.0 % of the items" in say(section(moved)[0].text, "en")


@pytest.mark.parametrize(
    "setting",
    [
        "as stated",
        "another process",
        "batches of 7",
        "1 threads",
        "reversed",
        "shuffled",
        "4 at once",
        "prefix cache on",
    ],
)
def test_settings_have_names_in_chinese(setting):
    assert say(named(setting), "zh") != setting
    assert named("something else") == "something else"


def test_a_difference_of_scores_is_never_more_than_all():
    assert swing(determinism(["a", "b"], [texts("yes", "no"), texts("no", "yes")]).noise) == 1.0


def test_passes_over_other_items_are_refused():
    with pytest.raises(ValueError, match="same items"):
        determinism(["a", "b"], [texts("yes")])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_part_has_words(language):
    hostile = "\x1b[31m<script>"
    found = determinism(
        list("ab"),
        [texts("yes", hostile), texts("yes", "no", condition="order", setting="reversed"), texts("no", "no")],
    )
    made = part(
        found=found,
        untried=(("cache", "keeps_nothing", ""), ("threads", "error", "2 threads: no")),
        remedies=(
            ("llamacpp_cache", "x: 1", "not set", (("cache", "prefix cache on", 1.25),)),
            ("average", "r", "unknown", ()),
        ),
        environment=(("cores", "2"),),
        sampled=True,
    )
    assert isinstance(made.blocks[0], Verdict)
    assert sum(isinstance(b, Note) for b in made.blocks) == 2
    words = [say(made.title, language)]
    for block in made.blocks:
        if isinstance(block, Table):
            words += [say(c.text, language) for r in block.rows for c in r.cells]
            words += [say(c.title, language) for c in block.columns]
        elif isinstance(block, Verdict):
            words += [say(block.text, language), *(say(d, language) for d in block.details)]
    assert all("\x1b" not in w and "{" not in w for w in words)
    assert any("1.25" in w for w in words)
