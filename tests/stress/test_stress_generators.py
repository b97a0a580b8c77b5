"""The cases: seeded, stable under subsets, of all styles, and of the verdict they claim, by an oracle of its own."""

import math
import re
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.stress import KINDS, Case, Counts, stress
from eyechart.stress.battery import pairs, right, wrong
from eyechart.stress.forms import FORMS, spell
from eyechart.stress.hostile import hostile
from eyechart.stress.programs import programs
from eyechart.stress.styles import CONTEXTS, FRAMES
from eyechart.stress.tasks import choices, decimal, near, numbers
from eyechart.stress.words import expressions, phrases
from eyechart.stress.wrong import SPECIALS

STYLED = ("choice", "number", "math", "text")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [right, wrong])
def test_fewer_cases_are_the_first_of_more_and_another_seed_gives_others(make, kind):
    whole = make(kind, 7, 400)
    assert whole[:150] == make(kind, 7, 150)
    assert [case.output for case in whole[200:]] != [case.output for case in make(kind, 8, 400)[200:]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [right, wrong])
def test_the_default_number_of_cases_is_there_without_duplicates(make, kind):
    cases = make(kind, 0, Counts().right)
    assert len(cases) >= 2995
    assert len({(case.output, case.gold, tuple((case.choices or {}).values())) for case in cases}) > 0.95 * len(cases)
    assert len({case.id for case in cases}) == len(cases)
    assert {case.expected for case in cases} == {"correct" if make is right else "not_correct"}


@pytest.mark.parametrize("kind", STYLED)
def test_every_style_is_used(kind):
    used = {name for case in right(kind, 0, 3000) for name in case.operators}
    asked = {form.name for form in FORMS[kind]}
    asked |= {frame.name for frame in FRAMES if kind in frame.kinds}
    asked |= {context.name for context in CONTEXTS if kind in context.kinds}
    assert asked - used == set()
    assert set(SPECIALS[kind]) - {name for case in wrong(kind, 0, 3000) for name in case.operators} == set()


def test_names_of_styles_are_unique_within_a_kind():
    for kind in STYLED:
        for group in (FORMS[kind], FRAMES, CONTEXTS):
            names = [part.name for part in group]
            assert len(set(names)) == len(names)


# The oracle for numbers: all the values that a text names, by rules of its own.

SMALL = {spell(n): n for n in range(1, 100)}


def from_words(text: str) -> int | None:
    total = part = 0
    for word in text.replace(" and ", " ").split():
        if word in SMALL:
            part += SMALL[word]
        elif word == "hundred":
            part *= 100
        elif word == "thousand":
            total, part = total + part * 1000, 0
        else:
            return None
    return total + part


def values(text: str) -> set[Fraction]:
    text = "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text.replace("{,}", ""))
    text = text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹−–", "0123456789--"))
    text = re.sub(r"(?<=\d)[,\u202f](?=\d{3})", "", text)
    for sign, ratio in (("½", "1/2"), ("¼", "1/4"), ("¾", "3/4")):
        text = text.replace(sign, f" {ratio}")
    text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    found = {Fraction(m) for m in re.findall(r"-?\d+(?:\.\d+)?", text)}
    number = r"(-?\d+(?:\.\d+)?)"
    for a, n in re.findall(number + r"(?: × 10\^?| \\times 10\^\{|e)(\d+)", text):
        found.add(Fraction(a) * 10 ** int(n))
    found |= {Fraction(a) * 1_000_000 for a in re.findall(number + " million", text)}
    found |= {Fraction(a) * 10_000 for a in re.findall(number + "万", text)}
    found |= {Fraction(int(a), int(b)) for a, b in re.findall(r"(-?\d+)/(\d+)", text) if int(b)}
    found |= {int(w) + Fraction(int(a), int(b)) for w, a, b in re.findall(r"(\d+) (\d+)/(\d+)", text) if int(b)}
    words = re.findall(r"[a-z]+(?:-[a-z]+)?", text)
    for start, first in enumerate(words):
        for end in range(start + 1, min(start + 9, len(words)) + 1) if first in SMALL else ():
            spelt = from_words(" ".join(words[start:end])) or 0
            found.add(Fraction(-spelt if words[start - 1] == "minus" else spelt))
    return found


def test_every_right_number_names_the_gold_value():
    for case in right("number", 3, 1500):
        assert Fraction(case.gold.removesuffix("%")) in values(case.output), case


def test_every_right_choice_names_its_letter_or_its_text():
    for case in right("choice", 3, 1500):
        folded = unicodedata.normalize("NFKC", case.output)
        letter = re.search(rf"(?<![A-Za-z]){case.gold}(?![A-Za-z])", folded, re.IGNORECASE)
        assert letter or case.choices[case.gold] in folded, case
        texts = [text for text in case.choices.values() if text in folded]
        assert texts in ([], [case.choices[case.gold]]), case


def test_every_right_text_holds_the_gold_words():
    def tidy(text: str) -> str:
        text = unicodedata.normalize("NFKC", text).replace("\u200b", "").replace("’", "'").replace("‐", "-")
        return re.sub(r"\b(?:the|a|an) ", "", " ".join(text.casefold().split()))

    for case in right("text", 3, 1500):
        assert tidy(case.gold) in tidy(case.output), case


# The oracle for expressions: their value at a point.


def evaluated(latex: str) -> object:
    text = latex.replace("{,}", "").replace(r"\left", "").replace(r"\right", "").replace(" ", "")
    text = re.sub(r"(?<=\d),(?=\d{3}$)", "", text)
    if text.startswith(r"\{"):
        return frozenset(evaluated(part) for part in text[2:-2].split(","))
    if text[0] in "([" and text[-1] in ")]" and "," in text:
        return (text[0], *(evaluated(part) for part in text[1:-1].split(",")), text[-1])
    text = text.replace(r"\infty", "W").replace(r"^\circ", "").replace(r"^{\circ}", "").replace("°", "")
    text = re.sub(r"\\[dt]frac", r"\\frac", text)
    text = re.sub(r"\\frac(\d)(\d)", r"\\frac{\1}{\2}", text).replace(r"\cdot", "*")
    text = text.replace("\\pi", "P").replace("π", "P")
    text = re.sub(r"\\sqrt\{([^{}]*)\}", r"[(\1)**0.5]", text)
    text = re.sub(r"\\ln\{?\(?([^{}()\\]+|\\frac\{1\}\{2\})\}?\)?", lambda m: f"[L({m[1]})]", text)
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"[(\1)/(\2)]", text)
    text = re.sub(r"\^\{([^{}]*)\}", r"^[\1]", text).replace("^", "**").replace("[", "(").replace("]", ")")
    text = re.sub(r"(?<=[\dxyabeiP)])(?=[xyabeiP(])(?<!\*\*)", "*", text)
    names = {"x": 1.7, "y": 2.3, "a": 3.1, "b": 0.9, "e": math.e, "i": 1j, "P": math.pi, "L": math.log, "W": 1e99}
    value = complex(eval(text, {"__builtins__": {}}, names))  # of our own table
    return round(value.real, 9), round(value.imag, 9)


@pytest.mark.parametrize("task", expressions(), ids=lambda task: task.gold)
def test_equal_expressions_are_equal_and_unequal_ones_are_not(task):
    gold = evaluated(task.gold)
    assert [spelling for spelling in task.same if evaluated(spelling) != gold] == []
    assert [other for other in task.wrong if evaluated(other) == gold] == []


def test_base_tasks_are_many_and_their_wrong_answers_are_wrong():
    assert len(choices()) >= 120
    assert len(numbers()) == 120
    assert len(expressions()) == len(phrases()) == 40
    for task in choices():
        assert len(set(task.choices.values())) == 4
        assert task.gold not in task.wrong
        texts = list(task.choices.values())
        assert not any(a in b for a in texts for b in texts if a != b)
    for task in phrases():
        assert not {text.casefold() for text in task.wrong} & {text.casefold() for text in (task.gold, *task.same)}


@given(st.fractions(-(10**6), 10**6).map(lambda x: Fraction(round(x * 100), 100)).filter(bool))
def test_near_misses_are_never_the_value_nor_the_same_in_per_cent(value):
    assert not {value, value * 100, value / 100} & set(near(value))
    assert len(near(value)) >= 2
    assert Fraction(decimal(value)) == value


@given(st.integers(1, 999_999))
@settings(deadline=None)
def test_spelt_numbers_are_read_back(n):
    assert from_words(spell(n)) == n


def test_pairs_differ_in_style_or_in_the_answer_alone():
    for plain, restyled, swapped in pairs("number", 5, 200):
        assert plain.base == restyled.base == swapped.base
        assert restyled.style == swapped.style
        assert restyled.output != swapped.output
        assert [case.expected for case in (plain, restyled, swapped)] == ["correct", "correct", "not_correct"]
    assert pairs("code", 5, 10) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_inputs_are_as_long_as_asked_and_do_not_name_the_gold(kind):
    cases = hostile(kind, 5000)
    assert len(cases) > 40
    for case in cases:
        assert len(case.output) == 5000
        assert case.expected == "not_correct"
        assert case.gold not in case.output


def test_programs_are_thirty_of_five_with_asserts():
    assert len(programs()) >= 30
    for task in programs():
        assert len(task.checks) >= 4
        assert len(set(task.right)) == 5
        assert task.wrong


def test_wrong_requests_are_refused_in_one_line():
    def nobody(cases: list[Case]) -> list:
        return []

    with pytest.raises(InputError, match="no kind 'essay': write choice"):
        stress(nobody, kinds=["essay"])
    with pytest.raises(InputError, match="0 answers to 10 cases"):
        stress(nobody, kinds=["text"], counts=Counts(right=10))
    with pytest.raises(InputError, match="write a count of 0 or more"):
        Counts(right=-1)
    with pytest.raises(InputError, match="nothing to test"):
        stress(nobody, kinds=[])
