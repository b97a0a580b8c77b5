"""Which words differ: nothing is lost or made up, common words are common, and the work is bounded."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.report import differences as module
from eyechart.report.blocks import DiffCase, Piece
from eyechart.report.differences import WORK, differences
from eyechart.report.pictures import HEAD, SIDE, SIGNS, TAIL, Gap, elided, marked, sides

words = st.lists(st.sampled_from(("a", "b", "the", " ", "  ", "\n", ".", "答", "案", "नमस्ते", "👩‍👩‍👧")), max_size=30)
texts = st.one_of(words.map("".join), st.text(max_size=60))


def joined(pieces: tuple[Piece, ...], changed: bool | None = None) -> str:
    return "".join(p.text for p in pieces if changed is None or p.changed is changed)


def longest_common(a: str, b: str) -> int:
    """By the table, slowly: the length of the longest common subsequence of letters."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for at, y in enumerate(b, 1):
            kept = row[at]
            row[at] = before + 1 if x == y else max(row[at], row[at - 1])
            before = kept
    return row[-1]


@settings(max_examples=100, deadline=None)
@given(texts, texts, st.sampled_from((0, 40, WORK)))
def test_the_pieces_are_the_texts_whatever_the_budget(left: str, right: str, work: int) -> None:
    a, b = differences(left, right, work=work)
    assert (joined(a), joined(b)) == (left, right)
    assert joined(a, changed=False) == joined(b, changed=False)
    assert len(joined(a, changed=False)) <= longest_common(left, right)


@settings(max_examples=50, deadline=None)
@given(texts)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert not joined(differences(text, text)[0], changed=True)


def test_texts_without_a_common_word_differ_altogether() -> None:
    a, b = differences("one two three", "uno_dos_tres")
    assert [p.changed for p in (*a, *b)] == [True, True]


def test_words_are_whole_and_letters_of_chinese_are_single() -> None:
    a, b = differences("The capital is Paris.", "The capital is Parma.")
    assert joined(a, changed=True) == "Paris"
    a, b = differences("नमस्ते दुनिया", "नमस्ते दुनियां")
    assert joined(a, changed=True) == "दुनिया"  # not a vowel sign torn from its letter
    a, b = differences("答案是甲，因为", "答案是乙，因为")
    assert (joined(a, changed=True), joined(b, changed=True)) == ("甲", "乙")


def test_words_changed_in_a_row_are_one_change() -> None:
    a, _ = differences("I think it is Rome now", "I think that was Rome now")
    assert [p.text for p in a if p.changed] == ["it is"]


def test_a_few_changes_in_a_long_text_are_found() -> None:
    draw = random.Random(5)
    known = [f"w{i}" for i in range(400)]
    lines = [" ".join(draw.choice(known) for _ in range(12)) for _ in range(900)]
    other = [f"{line} x" if i % 90 == 0 else line for i, line in enumerate(lines)]
    a, b = differences("\n".join(lines), "\n".join(other))
    assert joined(a, changed=True) == ""
    assert joined(b, changed=True).split() == ["x"] * 10


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a b " * 20_000, "a a b b " * 10_000),
        (" ".join(map(str, range(20_000))), " ".join(map(str, range(20_000, 0, -1)))),
        ("中文" * 40_000, "文中" * 40_000),
        ("x\n" * 50_000 + "y", "z\n" + "x\n\n" * 40_000),
        (" " * 100_000 + "a", "\n" * 100_000 + "b"),
    ],
)
def test_the_work_is_bounded_on_hostile_texts(left: str, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[int] = []
    pays = module._Budget.pays  # pyright: ignore[reportPrivateUsage]

    def counted(self: module._Budget, steps: int) -> bool:  # pyright: ignore[reportPrivateUsage]
        took = pays(self, steps)
        paid.append(steps if took else 0)
        return took

    monkeypatch.setattr(module._Budget, "pays", counted)  # pyright: ignore[reportPrivateUsage]
    a, b = differences(left, right)
    assert (joined(a), joined(b)) == (left, right)
    assert sum(paid) <= WORK


def test_long_common_stretches_are_left_out_and_counted() -> None:
    a, b = differences("same " * 500 + "old" + " end" * 500, "same " * 500 + "new" + " end" * 500)
    shown = elided(a)
    gaps = [p.characters for p in shown if isinstance(p, Gap)]
    assert gaps == [2500 - TAIL, 2000 - HEAD]
    kept = sum(len(p.text) for p in shown if isinstance(p, Piece))
    assert kept + sum(gaps) == len(joined(a))
    assert [p.text for p in elided(b) if isinstance(p, Piece) and p.changed] == ["new"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=300), st.booleans()), max_size=8), st.sampled_from((0, 50, SIDE)))
def test_what_is_left_out_is_counted_to_the_letter(parts: list[tuple[str, bool]], limit: int) -> None:
    shown = elided([Piece(text=text, changed=changed) for text, changed in parts], limit)
    letters = sum(part.characters if isinstance(part, Gap) else len(part.text) for part in shown)
    assert letters == sum(len(text) for text, _ in parts)
    assert sum(len(part.text) for part in shown if isinstance(part, Piece)) <= limit


def test_changes_stand_between_signs() -> None:
    left, right = differences("So A.", "So B.")
    case = DiffCase(name="x", left=left, right=right)
    assert ["".join(marked(elided(p), "", signs)) for p, _, signs in sides(case)] == ["So [-A-].", "So {+B+}."]
    assert SIGNS == (("[-", "-]"), ("{+", "+}"))
