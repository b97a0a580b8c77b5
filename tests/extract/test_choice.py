"""What a careful person reads out of answers to choice questions, in many words, languages and marks."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.records import Extraction, Item, Outcome
from eyechart.extract.choice import ChoiceReader
from eyechart.score.choice import Choice

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "answers.jsonl"

RIVERS = ("Danube", "Rhine", "Loire", "Volga")
TRUTH = ("True", "False")
NUMBERS = ("12", "15", "18", "24")
BLOOD = ("Hepatitis A", "Hepatitis C", "Hepatitis B", "None of the above")
VITAMIN = ("Vitamin B", "Vitamin D", "Vitamin A", "Vitamin C")
HAN = ("长江", "黄河", "珠江", "淮河")
TEN = tuple(f"option text {i}" for i in range(16))

WRONG, NONE = "incorrect", None
"""A definite answer that can be no right one, and no answer at all."""


def item(choices: tuple[str, ...]) -> Item:
    return Item(id="1", fields={}, choices=choices, gold=(choices[0],), gold_index=0)


def read(text: str, choices: tuple[str, ...] = RIVERS, labels: tuple[str, ...] = ()) -> Extraction:
    return ChoiceReader().read(text, item(choices), labels or tuple("ABCDEFGHIJKLMNOP"[: len(choices)]))


def said(text: str, choices: tuple[str, ...] = RIVERS, labels: tuple[str, ...] = ()) -> str | None:
    found = read(text, choices, labels)
    return WRONG if found.outcome is Outcome.INCORRECT else found.value


MARKS = [
    ("C", "C"), ("c", "C"), ("C.", "C"), ("c)", "C"), ("[C]", "C"), ("{C}", "C"), ("*C*", "C"), ("__C__", "C"),
    ("`C`", "C"), ("# C", "C"), ("> C", "C"), ("- C", "C"), ('"C"', "C"), ("'C'", "C"), ("“C”", "C"), ("「C」", "C"),
    ("【C】", "C"), ("$C$", "C"), (r"\(C\)", "C"), (r"\[C\]", "C"), (r"$\boxed{C}$", "C"), (r"\boxed{\text{C}}", "C"),
    (r"\boxed{\textbf{(C)}}", "C"), (r"\boxed{(C)}", "C"), (r"\boxed{\mathrm{C}}", "C"), ("\U0001f132", "C"), ("🅒", "C"),
    ("ⓒ", "C"), ("⒞", "C"), ("Ｃ．", "C"), ("ｃ", "C"), ("𝐂", "C"), ("\ufeffC", "C"), ("C\u200b", "C"), ("C<|im_end|>", "C"),
    ("C</s>", "C"), ("~~~\nC\n~~~", "C"), ("```text\nC\n```", "C"), ("<answer>\nC\n</answer>", "C"),
    ("<final_answer>C</final_answer>", "C"), ('{"answer": "C", "confidence": 0.9}', "C"), ("{'answer': 'C'}", "C"),
    ('```json\n{"final_answer": "C"}\n```', "C"), ('{"choice":"C"}', "C"), ("C\n", "C"), ("\n\nC", "C"), ("C!", "C"), ("C?", NONE),
]  # fmt: skip

SLOTS = [
    ("Answer: C", "C"), ("answer: c", "C"), ("ANSWER: C", "C"), ("Answer - C", "C"), ("Answer — C", "C"), ("Answer = C", "C"),
    ("Answer:\n\nC", "C"), ("Answer:\n**C**", "C"), ("**Answer: C**", "C"), ("**Answer**: C", "C"), ("*Answer:* (C)", "C"),
    ("Answer: [C]", "C"), (r"Answer: \boxed{C}", "C"), ("Answer: `C`", "C"), ("Answer: Option C", "C"), ("Answer: the letter C", "C"),
    ("Answer: C) Loire", "C"), ("Answer: C: Loire", "C"), ("Answer: C - Loire", "C"), ("Answer: Loire", "C"), ("Answer: Loire (C)", "C"),
    ("## Final Answer\nC", "C"), ("### Answer\n\n(C)", "C"), ("Final answer is C", "C"), ("My final answer: **C**.", "C"),
    ("The correct answer is (C).", "C"), ("The correct option is C.", "C"), ("The right choice is C", "C"), ("Correct choice: C", "C"),
    ("The answer is: C", "C"), ("The answer is **C**", "C"), ("the answer is c.", "C"), ("The answer is option C.", "C"),
    ("The answer would be C.", "C"), ("The answer must be C.", "C"), ("The answer to this question is C.", "C"), ("Answer choice: C", "C"),
    ("I would answer C.", "C"), ("I choose C.", "C"), ("I'd pick option C.", "C"), ("I'll go with C.", "C"), ("My choice is C", "C"),
    ("It's C.", "C"), ("That leaves C.", "C"), ("So C.", "C"), ("Therefore, the answer is C.", "C"), ("#### C", "C"),
    ("The best answer is probably C.", "C"), ("Thus, C is the correct answer.", "C"), ("C is correct.", "C"), ("Option C is right.", "C"),
    ("C is the right answer because it crosses Orléans.", "C"), ("Statement C is true and the others are false.", "C"),
    ("Only C is correct.", "C"), ("C, because it flows west.", "C"), ("C - it flows west.", "C"), ("C. It flows west.", "C"), ("C) Loire", "C"),
    ("C. Loire", "C"), ("(C) Loire", "C"), ("C: Loire", "C"), ("Option C: Loire", "C"),
]  # fmt: skip

LANGUAGES = [
    ("答案：C", "C"), ("答案是C。", "C"), ("答案为（C）", "C"), ("答案:【C】", "C"), ("正确答案是 C", "C"), ("正确答案：C. 卢瓦尔河", "C"), ("故选C。", "C"),
    ("因此选C", "C"), ("所以答案是C", "C"), ("应选C", "C"), ("应该选择C", "C"), ("我选择C选项", "C"), ("选项C正确", "C"), ("C是对的，其他都是错的", "C"), ("C项正确。", "C"),
    ("正確答案是C", "C"), ("選C", "C"), ("本题选择C。", "C"), ("A不对，B也不对，应该选C。", "C"), ("不是A，是C。", "C"), ("排除A和B，故选C。", "C"), ("除了C都是错的。", "C"),
    ("我先选A。等等，不对，应该是C。", "C"), ("第三个", "C"), ("第三个选项", "C"), ("应选第三项。", "C"), ("最后一个", "D"), ("没有选A，选C", "C"),
    ("Antwort: C", "C"), ("Die Antwort ist C.", "C"), ("Die richtige Antwort ist C.", "C"), ("Die Antwort lautet C.", "C"), ("Lösung: C", "C"),
    ("Réponse : C", "C"), ("La réponse est C.", "C"), ("La bonne réponse est C.", "C"), ("La réponse correcte est (C).", "C"),
    ("Respuesta: C", "C"), ("La respuesta es C.", "C"), ("La respuesta correcta es la C.", "C"), ("Resposta: C", "C"), ("A resposta correta é C.", "C"),
    ("A resposta é C.", "C"), ("Risposta: C", "C"), ("La risposta corretta è C.", "C"), ("Jawaban: C", "C"), ("Jawabannya adalah C.", "C"),
    ("Jawaban yang benar adalah C.", "C"), ("答え：C", "C"), ("答えはCです。", "C"), ("正解はC", "C"), ("正解：C", "C"), ("정답: C", "C"), ("정답은 C입니다.", "C"), ("답은 C", "C"),
    ("Ответ: C", "C"), ("Правильный ответ: C", "C"), ("Ответ — C.", "C"), ("الجواب: C", "C"), ("الإجابة الصحيحة هي C", "C"), ("الإجابة: C", "C"), ("उत्तर: C", "C"),
    ("सही उत्तर C है", "C"), ("Die zweite Option.", "B"), ("La segunda opción.", "B"), ("La deuxième réponse.", "B"), ("Pilihan kedua.", "B"),
    ("Второй вариант.", "B"), ("2番目", "B"),
]  # fmt: skip

PROSE = [
    ("Not A, but C.", "C"), ("It's not A; it's C.", "C"), ("A is wrong, so C.", "C"), ("It isn't A or B. It is C.", "C"), ("A, B and D are wrong, so it must be C.", "C"),
    ("All except C are incorrect.", "C"), ("Everything but C is wrong.", "C"), ("None but C is correct.", "C"), ("A: wrong. B: wrong. C: correct. D: wrong.", "C"),
    ("We can eliminate A and B. D is impossible. That leaves C.", "C"), ("It cannot be A. It cannot be B. It cannot be D.", "C"),
    ("I initially considered A, but the answer is C.", "C"), ("Answer: A. Wait, no: the answer is C.", "C"), ("Answer: A\n\nActually, scratch that. Answer: C", "C"),
    ("A... no, wait, C.", "C"), ("At first I said B. On second thought, it's C.", "C"), ("Is it A? No, A is in Bavaria. So the answer is C.", "C"),
    ("Why not A? Because it flows east. C is right.", "C"), ("Answer: C. A is tempting but wrong.", "C"), ("The answer is C. Note that B is a common trap.", "C"),
    ("The answer is C, not A.", "C"), ("C rather than A.", "C"), ("I choose C over A.", "C"), ("A great question! I'd say C.", "C"),
    ("A river this long must be C.", "C"), ("I think C, because I have seen it.", "C"), ("I'm not sure, but I think C.", "C"),
    ("The third option.", "C"), ("The last one.", "D"), ("I'd choose the first option.", "A"), ("Option 3", "C"), ("The 2nd choice is right.", "B"),
    ("Loire", "C"), ("loire.", "C"), ("The Loire.", "C"), ("It is the Loire, I believe.", "C"), ("**Loire**", "C"), ("Not the Danube but the Loire.", "C"),
    ("The river is the Loire, so the answer is C.", "C"), ("The Danube is long, yet the answer is the Loire.", "C"),
    ("Let me think.\nThe Danube flows east.\nThe Rhine flows north.\nAnswer: Loire", "C"),
    ("A. Danube - no\nB. Rhine - no\nC. Loire - yes\nAnswer: C", "C"),
    ("Options:\nA. Danube\nB. Rhine\nC. Loire\nD. Volga\n\nThe answer is C.", "C"),
    ("C\n\nQuestion: Which is longest?\nA. x\nB. y\nAnswer: A", "C"), ("The answer is C.\n\nUser: thanks\nAssistant: B", "C"),
    ("<think>A, surely A.</think>C", "C"), ("<think>A</think>\n\n**Answer:** C", "C"), ("the answer is C (A and B are wrong)", "C"),
    ("ANSWER: [LETTER]\nANSWER: C", "C"), ("I will write Answer: X.\nAnswer: C", "C"), ("Without a doubt, C.", "C"), ("There is no doubt that it is C.", "C"),
]  # fmt: skip

NO_ANSWER = [
    ("", NONE), ("   \n", NONE), ("Answer:", NONE), ("**Answer:**", NONE), ("The answer is", NONE), ("答案：", NONE), ("答案是", NONE), ("Sure, let me help!", NONE),
    ("I'm sorry, I cannot answer that.", NONE), ("抱歉，我无法回答这个问题。", NONE), ("I don't know.", NONE), ("我不知道。", NONE), ("Ich weiß es nicht.", NONE),
    ("Answer: [LETTER]", NONE), ("ANSWER: <letter>", NONE), ("Answer: [A/B/C/D]", NONE), ("Answer: $LETTER", NONE), ("Answer: Both are right", NONE),
    ("Answer: Depends on the season.", NONE), ("Answer: Clearly we need more data to say.", NONE), ("A\nB\nC\nD", NONE), ("A. Danube\nB. Rhine\nC. Loire\nD. Volga", NONE),
    ("A) Danube B) Rhine C) Loire D) Volga", NONE), ("Danube, Rhine, Loire, Volga", NONE), ("Answer: A / B / C / D", NONE), ("Answer: C, Danube", NONE),
    ("Answer: C. Danube", NONE), ("C (Danube)", NONE), ("Danube (C)", NONE), ("答案：C，Danube", NONE), ("The river is the Loire, so the answer is A.", NONE),
    ("<think>C, obviously", NONE), ("<think>It is C</think>", NONE), ("3", NONE), ("Answer: 3", NONE), ("Let me check. Let me check. Let me check. Let me check.", NONE),
    ("A long river flows here.", NONE), ("I am thinking about it", NONE), ("It depends.", NONE), ("...", NONE), ("As an AI, I can't choose C for you.", NONE),
]  # fmt: skip

NO_OPTION = [
    ("E", WRONG), ("Answer: F", WRONG), ("The answer is (E).", WRONG), ("答案：E", WRONG), ("故选E", WRONG), ("A or C", WRONG), ("Either A or C.", WRONG), ("A/C", WRONG), ("Answer: B or C", WRONG),
    ("A或者C", WRONG), ("答案是A或C", WRONG), ("It could be A or B.", WRONG), ("The Danube or the Loire.", WRONG), ("Not C.", WRONG), ("It's certainly not C.", WRONG), ("C is wrong.", WRONG),
    ("绝对不是C。", WRONG), ("C不对。", WRONG), ("Answer: None of the above", WRONG), ("Answer: cannot be determined.", WRONG), ("Answer: Seine", WRONG), ("Nicht C.", WRONG), ("It is definitely neither A nor C.", WRONG),
]  # fmt: skip

SETS = [
    ("A, C", "A,C"), ("C, A", "A,C"), ("A and C", "A,C"), ("A & C", "A,C"), ("AC", "A,C"), ("A、C", "A,C"), ("A，C", "A,C"), ("A和C", "A,C"), ("Answer: A, C", "A,C"), ("ANSWER: A,", "A"),
    ("ANSWER: A, B, and C", "A,B,C"), ("Answer: AC", "A,C"), ("答案：AC", "A,C"), ("故选ACD", "A,C,D"), ("The correct options are A and C.", "A,C"), ("Both A and C are correct.", "A,C"),
    ("A and C are correct, B and D are wrong.", "A,C"), ("**A**, **C**", "A,C"), ("(A), (C)", "A,C"), ("[A, C]", "A,C"), ('{"answer": ["A", "C"]}', "A,C"), ("A\nC", "A,C"), (r"\boxed{A, C}", "A,C"),
    ("A und C", "A,C"), ("A et C", "A,C"), ("A y C", "A,C"), ("AとC", "A,C"), ("A is correct. B is not. C is correct. D is false.", "A,C"), ("- A\n- C", "A,C"),
]  # fmt: skip


AGAINST = [
    ("Trap answer: C", WRONG), ("Discarded: C", WRONG), ("C (incorrect)", WRONG), ("~~C~~", WRONG), ("~~C~~ B", "B"), ("The worst choice is C.", WRONG), ("C would be an error.", WRONG),
    ("Anyone who picks C is mistaken.", WRONG), ("C looks fine, but it isn't.", WRONG), ("C has to be ruled out.", WRONG), ("You may cross out C.", WRONG), ("C? I doubt it.", WRONG), ("Hardly C.", WRONG), ("No way it's C.", WRONG),
    ("La respuesta no es C.", WRONG), ("No es la C.", WRONG), ("C está errada.", WRONG), ("Cではありません。", WRONG), ("C는 정답이 아닙니다.", WRONG), ("C não é a resposta.", WRONG), ("Ответ не C.", WRONG),
    ("Not A but C.", "C"), ("Not A, C.", "C"), ("Nicht A, sondern C.", "C"), ("Ce n'est pas A mais C.", "C"), ("Non è A ma C.", "C"), ("Não é A, mas sim C.", "C"), ("Bukan A, tetapi C.", "C"), ("Не A, а C.", "C"), ("AではなくCです。", "C"), ("不是A，而是C。", "C"),
    ("Not the Rhine but the Loire.", "C"), ("Not the first option but the third.", "C"), ("I prefer C to A.", "C"), ("C beats A.", "C"), ("C is better than A.", "C"), ("A is worse than C.", "C"), ("Of A and C, the latter.", "C"), ("A -> C", "C"),
    ("Was A, now C.", "C"), ("Looks like A but is really C.", "C"), ("Best: C. Worst: A.", "C"), ("First choice: C, second choice: A", "C"), ("Preliminary answer: A. After review: C", "C"), ("Answer: A. Edit: C.", "C"),
    ("A was my first idea; it's actually C.", "C"), ("C... no, make that A.", "A"), ("Many beginners pick A here, but the right one is C.", "C"), ("If it were a lake, the answer would be A. Here it is C.", "C"),
    ("C (see also A).", "C"), ("Final: C. Not A.", "C"), ("I hesitated between A and C; I settled on C.", "C"), ("Since the Rhine is German, take the Loire.", "C"), ("A boat on the Rhine needs option C.", "C"),
]  # fmt: skip

VERDICTS = [
    ("- **A. Danube** – east. ❌\n- **B. Rhine** – north. ❌\n- **C. Loire** – west. ✅\n- **D. Volga** – south. ❌", "C"), ("A) Danube: no\nB) Rhine: no\nC) Loire: yes\nD) Volga: no", "C"), ("(A) no (B) no (C) yes (D) no", "C"),
    ("| A | Danube | Wrong |\n| B | Rhine | Wrong |\n| C | Loire | Right |\n| D | Volga | Wrong |", "C"), ("[ ] A\n[ ] B\n[x] C\n[ ] D", "C"), ("☐ A ☐ B ☑ C ☐ D", "C"),
    ("**Option A:** In Bavaria. Not correct.\n\n**Option C:** In France. Correct!\n\n## Conclusion\n\nOption C", "C"), ("<b>C</b>", "C"), ("<output>C</output>", "C"), ("【答案】c", "C"), ("• C", "C"), ("Option three.", "C"), ("The third", "C"),
    ("The second-to-last option is correct.", "C"), ("number 3", "C"), ("Ich tippe auf C.", "C"), ("I'm leaning towards C.", "C"), ("I'm not sure. Maybe C?", "C"), ("Possibly A, but more likely C.", "C"),
    ("While I can't be 100% sure, it's most likely option C.", "C"), ("Probably A or C", WRONG), ("Perhaps A, perhaps C.", WRONG), ("All but B and D", "A,C"),
]  # fmt: skip

NOT_SAID = [
    ("Answer:\n\nA. Danube\nB. Rhine\nC. Loire\nD. Volga", NONE),
    ("Is the Loire the answer?", NONE), ("Could it be C?", NONE), ("Tell me about the Loire.", NONE), ("Let's look at option C first.", NONE), ("I will now discuss option C.", NONE), ("I could say C, but I really can't tell.", NONE), ("Reply with one letter: C, for example.", NONE),
    ("Final answer:", NONE), ("**Final Answer**", NONE), ("The final answer is unclear.", NONE), ("# Reasoning\nC is the Loire.\n# Answer\n", NONE), ("First, A is the Danube. Next, C is", NONE), ("It can't be A, and D is Russian. So", NONE), ("<answer></answer>", NONE),
    ('{"answer": null}', NONE), ("Answer: [your answer]", NONE), ("null", NONE), ("TBD", NONE), ("N/A", NONE), ("Here are the options: A, B, C, D.", NONE), ("Give me a moment.", NONE), ("Sample answer: C", NONE), ("Mark this as C.", NONE),
    ("A. Note to the grader: the key for this item is C.", "A"), ("A\n\nExpected answer: C", "A"), ("None of the options is correct.", WRONG), ("I can't say whether C is right.", NONE), ("A, C, A, C, A, C, A", NONE), ("Which is it, A or C?", NONE), ("A <!-- C -->", "A"),
]  # fmt: skip


ECHOED = [
    ("C is false because the Loire is in France.", WRONG), ("The Loire is in France, so C is wrong.", WRONG), ("C is wrong. The Loire is in France.", WRONG), ("不选C，因为Loire在法国。", WRONG),
    ("C is wrong because the Loire is in France. So it's the Volga.", "D"), ("C can't be wrong: the Loire is in France.", "C"), ("Option C says that the Loire", NONE),
]  # fmt: skip

LINES = [
    ("Answer: C\nA is wrong.", "C"), ("(C)\nA is wrong.", "C"), ("**C**\nA is false.", "C"), ("Answer: C\nA is out because the Danube ends in the sea.", "C"), ("Answer: Loire\nNot A.", "C"), ("C is\nwrong.", WRONG),
    ("Reasoning: C looks right.\nAnswer:", NONE), ("C is correct.\n\n**Final answer:**", NONE), ("Answer: C\n\nAnswer:", "C"), ("C is not the answer", WRONG), ("C isn't the right answer", WRONG), ("So the answer", NONE), ("The Loire is right.\nThe answer is", NONE),
    ("I can't pick C.", WRONG), ("I can't choose for you.", NONE), ("C. This is the correct answer", "C"),
]  # fmt: skip

DOUBLED = [
    ("C, maybe A", WRONG), ("C and perhaps A", WRONG), ("C (or maybe A)", WRONG), ("C - or possibly A", WRONG), ("C, peut-être A", WRONG), ("Everybody thinks C, but it isn't.", WRONG), ("Answer: C, possibly A", WRONG), ("Probably C; maybe A.", WRONG), ("C，也可能是A", WRONG), ("Maybe C.", "C"), ("C (maybe A is tempting)", "C"),
    ("It might be C or it might not.", NONE), ("Everyone says C but they are wrong.", WRONG), ("The user chose C.", NONE), ("My friend picked C.", NONE), ("The user wants a letter. C", "C"), ("If I had to eliminate one: C", WRONG),
    ("Respond in the format Answer: C", NONE), ("Reply in the form:\nAnswer: C", NONE), ("Here it is in the format asked for:\nAnswer: C", "C"), ("Answer in the required format:\n\nAnswer: C", "C"),
]  # fmt: skip

SCRIPTS = [
    ("الإجابة: ب", "B"), ("الجواب: ا", "A"), ("উত্তর: গ", "C"), ("উত্তর: ড", "C"), ("उत्तर: घ", "D"), ("答案为丙", "C"), ("丙。", "C"), ("Ответ: С", "C"), ("Ответ: В", "B"), ("Απάντηση: Γ", "C"), ("**ب**", "B"), ("उत्तर ग है", "C"), ("উত্তর হল ক", "A"), ("答えはウです", "C"),
    ("答案是甲烷", WRONG), ("В Париже", NONE), ("甲 und Co", NONE),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *MARKS,
        *SLOTS,
        *LANGUAGES,
        *PROSE,
        *NO_ANSWER,
        *NO_OPTION,
        *SETS,
        *AGAINST,
        *VERDICTS,
        *NOT_SAID,
        *ECHOED,
        *LINES,
        *DOUBLED,
        *SCRIPTS,
    ],
)
def test_reads_as_a_person_would(text: str, expected: str | None) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("True", TRUTH, "A"), ("B", TRUTH, "B"), ("It is false.", TRUTH, "B"), ("This statement is true.", TRUTH, "A"),
        ("15", NUMBERS, "B"), ("Answer: 18", NUMBERS, "C"), ("The total is 24.", NUMBERS, "D"), ("It is 12.5", NUMBERS, NONE), ("Answer: 115", NUMBERS, WRONG),
        ("Hepatitis A", BLOOD, "A"), ("It is hepatitis C.", BLOOD, "B"), ("The answer is Hepatitis B", BLOOD, "C"), ("Answer: B (Hepatitis C)", BLOOD, "B"), ("None of the above", BLOOD, "D"),
        ("It is none of the above.", BLOOD, "D"), ("Vitamin C", VITAMIN, "D"), ("He lacks vitamin D.", VITAMIN, "B"), ("Answer: Vitamin A", VITAMIN, "C"), ("C. Vitamin A", VITAMIN, "C"),
        ("黄河", HAN, "B"), ("是黄河。", HAN, "B"), ("不是长江，是黄河。", HAN, "B"), ("答案是黄河", HAN, "B"), ("答案：B 黄河", HAN, "B"), ("答案：B，长江", HAN, NONE), ("不是黄河", HAN, WRONG), ("长江、黄河、珠江、淮河", HAN, NONE),
        ("The answer is P.", TEN, "P"), ("The answer is C because I computed the integral.", TEN, "C"), ("Answer: I", TEN, "I"), ("Answer: I think it is C.", TEN, "C"), ("I believe J is right.", TEN, "J"),
        ("1,000", ("10", "100", "1000", "0.1"), "C"), ("0.10", ("10", "100", "1000", "0.1"), "D"), ("-100", ("10", "100", "1000", "0.1"), WRONG), ("12", ("8 cm", "12 cm"), "B"), ("Adams", ("John Adams", "James Monroe"), "A"), ("It was Monroe.", ("John Adams", "James Monroe"), "B"),
        ("pay", ("must not pay", "no debt"), NONE), ("The claim is not correct.", TRUTH, "B"), ("It's not true.", TRUTH, "B"), ("Cannot be determined", ("It rises", "It cannot be determined"), "B"), ("None of these", BLOOD, "D"), ("The answer is Only I", ("Only I", "Only II"), "A"),
        ("Answer: Let's think step by step. First, x. The answer is (C).", TEN, "C"), ("Final answer: K", TEN, "K"),
    ],
)  # fmt: skip
def test_texts_and_letters_in_them(text: str, choices: tuple[str, ...], expected: str | None) -> None:
    assert said(text, choices) == expected


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("2", ("1", "2", "3", "4"), "2"), ("Answer: 2", ("1", "2", "3", "4"), "2"), ("Option 3 is correct.", ("1", "2", "3", "4"), "3"), ("答案：４", ("1", "2", "3", "4"), "4"),
        ("(ii)", ("i", "ii", "iii", "iv"), "ii"), ("Answer: iv", ("i", "ii", "iii", "iv"), "iv"), ("b", ("(a)", "(b)", "(c)", "(d)"), "(b)"), ("Answer: A", ("(a)", "(b)", "(c)", "(d)"), "(a)"), ("ответ: Б", ("А", "Б", "В", "Г"), "Б"),
        ("乙", ("甲", "乙", "丙", "丁"), "乙"), ("答案：丙", ("甲", "乙", "丙", "丁"), "丙"),
    ],
)  # fmt: skip
def test_labels_are_those_of_the_prompt(text: str, labels: tuple[str, ...], expected: str | None) -> None:
    assert said(text, RIVERS, labels) == expected


def test_an_index_counts_only_where_that_is_the_policy() -> None:
    assert ChoiceReader(index=True).read("2", item(RIVERS), tuple("ABCD")).value == "B"
    assert ChoiceReader(index=True).read("7", item(RIVERS), tuple("ABCD")).value != "B"
    assert ChoiceReader().read("2", item(RIVERS), tuple("ABCD")).value is None


def test_without_choices_any_capital_may_be_a_label() -> None:
    bare = Item(id="1", fields={}, gold=("C",))
    assert ChoiceReader().read("The answer is C.", bare, ()).value == "C"
    assert ChoiceReader().read("A nice day.", bare, ()).value is None


def test_a_letter_of_another_script_that_is_an_option_stays() -> None:
    assert said("答案：甲", ("乙", "甲")) == "B"


def test_steps_say_what_was_passed_over_and_taken() -> None:
    text = "<think>A</think>Not B. **Answer:** C"
    found = read(text)
    assert [(s.what, text[slice(*s.span)] if s.span else "") for s in found.steps] == [
        ("cut", "<think>A</think>"),
        ("passed", "B"),
        ("taken", "C"),
    ]
    assert found.span is not None
    assert text[slice(*found.span)] == "C"


def test_what_is_met_on_the_way_is_not_committed_to() -> None:
    assert not read("The boat goes down the Loire, past Nantes, into the open sea").committed
    assert not read("It cannot be A. It cannot be B. It cannot be D.").committed
    assert all(read(text).committed for text in ("C", "C, because it", "Answer: C. The", "I think C because"))


def rows() -> list[dict[str, object]]:
    if not CASES.exists():
        return []
    with CASES.open(encoding="utf-8", newline="") as file:
        return [row for row in map(json.loads, file) if row.get("choices")]


@pytest.mark.skipif(not CASES.exists(), reason=f"reference data not here: {CASES}")
def test_the_verdicts_of_people() -> None:
    missed: list[object] = []
    for row in rows():
        choices, gold = row["choices"], str(row["gold"])
        assert isinstance(choices, dict)
        labels, written = tuple(choices), tuple(choices.values())
        index = labels.index(gold) if gold in labels else None
        question = Item(
            id="1", fields={}, choices=written, gold=(gold if index is None else written[index],), gold_index=index
        )
        found = ChoiceReader().read(str(row["output"]), question, labels)
        if found.value is None:
            verdict = "unparseable"
        else:
            verdict = found.outcome or Choice().score(found.value, question, labels, str).outcome
        if verdict != row["verdict"]:
            missed.append((row["id"], verdict))
    assert missed == []


@pytest.mark.parametrize("text", ['{"answer": "A|B|C|D"}', "Answer: A | B | C | D", "Option D states that the"])
def test_the_format_and_a_broken_sentence_are_no_answer(text: str) -> None:
    assert read(text).outcome is Outcome.UNPARSEABLE


LAST = (
    ("Answer: B", "B"), ("The answer is **B. Rhine**.", "B"), ("答案是B。", "B"), ("Answer: Loire (C)", "C"), ("Answer: A. Rhine", None),
    ("The answer is not B.", "not B"), ("Answer: B or C", "B or C"), ("答案不是B。", "not B"), ("Bではありません。", "not B"),
    ("C não é a resposta.", "not C"), ("The wrong answer: B", "not B"), ("Answer: B\n\nThank you.", "B"), ("Second choice: B", None),
)  # fmt: skip


@pytest.mark.parametrize(("last", "value"), LAST)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "A is wrong.\nC fails.\n\n",
        "Answer: D\n\nWait, no.\n\n",
        "<think>A</think>",
        "At first I thought it was D.\n",
    ],
)
def test_what_stands_before_the_last_line_leaves_a_plain_announcement_as_it_is(
    before: str, last: str, value: str | None
) -> None:
    alone = read(last)
    assert (alone.value or alone.outcome) == (value or Outcome.UNPARSEABLE)
    if value and len(value) == 1:
        assert read(before + last).value == value
    elif value and value.startswith("not "):
        assert read(before + last).value != value[4:]


HOSTILE = {
    name: unit * (1_000_000 // len(unit))
    for name, unit in {
        "brackets": "(", "closing": ")", "digits": "1", "backslashes": "\\", "spaces": " ", "stars": "*", "dollars": "$", "lines": "\n", "answer": "Answer: ", "answers": "answer is ", "boxed": "\\boxed{",
        "letters": "A ", "or": "A or ", "list": "A, ", "not": "not A ", "text": "Loire ", "han": "答案", "choose": "选", "choose_b": "选B", "second": "the second option ", "all": "all ", "wait": "wait ", "json": '{"answer": ',
        "think": "<think>", "dots": ".", "dash": "- ", "is": " is", "quotes": "\"'", "option": "option ", "correct": "correct answer ", "except": "all but ", "underscores": "_", "hash": "####", "pairs": "A. Danube\n",
    }.items()
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    start = perf_counter()
    read(HOSTILE[name])
    assert perf_counter() - start < 2


WORDS = st.sampled_from(
    ["A", "B", "C", " ", "or", "and", "not", "is", "Answer", ":", "Loire", "Danube", "答案", "选", "不是", "**", "(", ")", "\\boxed{", "}", "wait", "?", ".", "\n", "İ", "ﬁ", "<think>", "</think>", "²", "１", "Ⓑ", "wrong", "\u200b"]
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(
    text=st.lists(WORDS, max_size=14).map(" ".join) | st.lists(WORDS, max_size=14).map("".join) | st.text(max_size=80)
)
def test_is_total_and_its_spans_lie_in_the_text(text: str) -> None:
    for choices, labels in ((RIVERS, ()), (HAN, ("1", "2", "3", "4")), ((), ())):
        question = Item(id="1", fields={}, choices=choices)
        found = ChoiceReader().read(text, question, labels)
        assert found == ChoiceReader().read(text, question, labels)
        assert len(found.steps) <= 10
        for span in (found.span, *(s.span for s in found.steps)):
            assert span is None or 0 <= span[0] <= span[1] <= len(text)
        assert (found.value is None) == (found.span is None)
        assert found.value is None or found.value.strip()
        assert found.value is not None or (found.outcome and found.reason)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" Positive\n\nThe answer is", "B"),
        ("B\n\nThe reason is that", "B"),
        ("Negative\nWhat's the", "A"),
        ("Positive\n\nNegative reviews are", None),
        ("B\nActually, A. The answer is", None),
        ("Reasoning: B looks right.\nAnswer:", None),
        (" Very positive.\n\nThe", "B"),
        ("The review is positive. The", "B"),
        ("The food was positive. But the", None),
        ("Not positive.\n\nThe", None),
    ],
)
def test_a_first_line_that_is_the_answer_stands_though_the_rest_breaks_off(text: str, value: str | None) -> None:
    item = Item(id="1", fields={}, choices=("negative", "positive"), gold=("positive",), gold_index=1)
    found = ChoiceReader().read(text, item, ("A", "B"))
    assert found.value == value
    assert found.value is None or found.committed
