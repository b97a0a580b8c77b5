"""What may stand around an answer: the frame it is given in, and what comes before and after.

A styled answer is a form in a frame in a context. Everything here must be beyond doubt: a context that
names other answers (`decoy`) goes only with a frame that marks the answer as the final one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from eyechart.stress.cases import Kind
from eyechart.stress.forms import FORMS, Form
from eyechart.stress.tasks import Task

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    name: str
    template: str
    """`{x}` is the answer; `{json}` the same as a JSON string."""
    marked: bool = True
    """Says that this is the answer; not so where the answer merely stands alone."""
    plain: bool = False
    """Takes plain forms only."""
    colon: bool = False
    """Nothing but a label stands before the answer, and nothing after it: `strict` forms may stand here."""
    letter: bool = False
    """Fits option letters only."""
    kinds: tuple[Kind, ...] = ("choice", "number", "math", "text")

    @property
    def language(self) -> str | None:
        """The one that its name begins with; None for English and for no words at all."""
        word = self.name.removeprefix("label ").split(" ")[0].rstrip(",")
        return word if word in _COMMAS or word in _OTHERS else None


_COMMAS = frozenset({"German", "French", "Spanish", "Portuguese", "Italian", "Indonesian", "Russian"})
"""Write 1,5 for one and a half."""
_OTHERS = frozenset({"Chinese", "Japanese", "Korean", "Arabic", "Hindi"})


def _labels() -> tuple[Frame, ...]:
    """`Answer: x` in the languages that models answer in."""
    labels = {
        "English": "Answer: ", "English, final": "Final answer: ", "English, the": "The answer is: ",
        "German": "Antwort: ", "French": "Réponse : ", "Spanish": "Respuesta: ", "Portuguese": "Resposta: ",
        "Italian": "Risposta: ", "Indonesian": "Jawaban: ", "Chinese": "答案：", "Chinese, final": "最终答案：",
        "Chinese, ASCII colon": "答案: ", "Japanese": "答え：", "Korean": "정답: ", "Russian": "Ответ: ",
        "Arabic": "الإجابة: ", "Hindi": "उत्तर: ", "capitals": "ANSWER: ",
    }  # fmt: skip
    return tuple(Frame(name=f"label {name}", template=label + "{x}", colon=True) for name, label in labels.items())


FRAMES: tuple[Frame, ...] = (
    *_labels(),
    Frame(name="alone", template="{x}", marked=False, colon=True),
    Frame(name="alone, full stop", template="{x}.", marked=False),
    Frame(name="fence", template="```\n{x}\n```", marked=False, plain=True, colon=True),
    Frame(name="bold label", template="**Answer:** {x}", colon=True),
    Frame(name="bold label, colon out", template="**Answer**: {x}", colon=True),
    Frame(name="bold line", template="**Answer: {x}**", plain=True, colon=True),
    Frame(name="bold final answer", template="**Final Answer**\n\n{x}", colon=True),
    Frame(name="heading", template="### Final Answer\n\n{x}", colon=True),
    Frame(name="heading, one line", template="## Answer: {x}", colon=True),
    Frame(name="bullet", template="- **Answer:** {x}", colon=True),
    Frame(name="quotation", template="> Answer: {x}", colon=True),
    Frame(name="answer tag", template="<answer>{x}</answer>", colon=True),
    Frame(name="answer tag, lines", template="<answer>\n{x}\n</answer>", colon=True),
    Frame(name="JSON", template='{"answer": {json}}', plain=True, colon=True),
    Frame(name="prose, JSON", template='Here is my response:\n{"answer": {json}}', plain=True, colon=True),
    Frame(name="fenced JSON", template='```json\n{"answer": {json}}\n```', plain=True, colon=True),
    Frame(name="JSON with reasoning", template='{"reasoning": "as shown above", "answer": {json}}', plain=True,
          colon=True),
    Frame(name="sentence", template="The answer is {x}."),
    Frame(name="sentence, correct", template="The correct answer is {x}."),
    Frame(name="sentence, final", template="So the final answer is {x}."),
    Frame(name="sentence, therefore", template="Therefore, the answer is {x}."),
    Frame(name="sentence, no full stop", template="the answer is {x}"),
    Frame(name="my answer", template="My answer is {x}."),
    Frame(name="hence", template="Hence the answer is {x}!", kinds=("choice", "number", "text")),
    Frame(name="Chinese sentence", template="答案是{x}。"),
    Frame(name="Chinese therefore", template="因此，答案是 {x}。"),
    Frame(name="Chinese correct", template="正确答案是{x}。"),
    Frame(name="Chinese brackets", template="【答案】{x}", colon=True),
    Frame(name="Chinese therefore final", template="综上所述，最终答案为{x}。"),
    Frame(name="German sentence", template="Die richtige Antwort ist {x}."),
    Frame(name="French sentence", template="La bonne réponse est {x}."),
    Frame(name="Spanish sentence", template="La respuesta correcta es {x}."),
    Frame(name="Portuguese sentence", template="A resposta correta é {x}."),
    Frame(name="Italian sentence", template="La risposta corretta è {x}."),
    Frame(name="Russian sentence", template="Правильный ответ: {x}."),
    Frame(name="Japanese sentence", template="答えは{x}です。"),
    Frame(name="Korean sentence", template="정답은 {x}입니다."),
    Frame(name="hashes", template="#### {x}", kinds=("number",), plain=True),
    Frame(name="hashes, no space", template="####{x}", kinds=("number",), plain=True),
    Frame(name="Chinese 故选", template="故选{x}。", kinds=("choice",), letter=True),
    Frame(name="Chinese 应选", template="所以应选择 {x}", kinds=("choice",), letter=True),
    Frame(name="Chinese 选项", template="选项{x}是正确的。", kinds=("choice",), letter=True),
    Frame(name="option is correct", template="Option {x} is correct.", kinds=("choice",), letter=True),
    Frame(name="correct option", template="The correct option is {x}.", kinds=("choice",), letter=True),
    Frame(name="I choose", template="I choose option {x}.", kinds=("choice",), letter=True),
    Frame(name="go with", template="I'd go with {x}.", kinds=("choice",), letter=True),
    Frame(name="correct choice label", template="Correct choice: {x}", kinds=("choice",), letter=True, colon=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """`template` holds `{answer}` once; `{decoy}` is another answer, `{question}` the task's question."""

    name: str
    template: str
    kinds: tuple[Kind, ...] = ("choice", "number", "math", "text")
    marked: bool = True
    """Needs a frame that marks the answer."""


def _free(name: str, template: str) -> Context:
    return Context(name=name, template=template, marked=False)


CONTEXTS: tuple[Context, ...] = (
    _free("white space around", "\n\n  {answer}  \n\n"),
    _free("CRLF", "\r\n{answer}\r\n"),
    _free("byte order mark", "\ufeff{answer}"),
    _free("end token im_end", "{answer}<|im_end|>"),
    _free("end token s", "{answer}</s>"),
    _free("end token eot", "{answer}<|eot_id|>"),
    _free("end of text", "{answer}\n<|endoftext|>"),
    _free("think", "<think>It could be {decoy}. Let me check: no, that fails.</think>\n{answer}"),
    _free("think, lines", "<think>\nIs it {decoy}?\nThe answer might be {decoy}. Hmm, no.\n</think>\n\n{answer}"),
    _free("think, answer label inside", "<think>Answer: {decoy}. Wait, that is wrong.</think>\n\n{answer}"),
    _free("think, only closed", "First idea: {decoy}. No, that cannot be.\n</think>\n\n{answer}"),
    _free("think, empty", "<think>\n\n</think>\n\n{answer}"),
    _free("thinking", "<thinking>Perhaps {decoy}.</thinking>\n{answer}"),
    _free("channels", "<|channel|>analysis<|message|>Could be {decoy}.<|end|><|start|>assistant<|channel|>final"
          "<|message|>{answer}"),
    Context(name="chain of thought", template="Let me work through this step by step.\n\n1. Read the question.\n"
            "2. Recall what is known.\n3. Put the 2 parts together.\n\n{answer}"),
    Context(name="sums before", template="First, 12 + 5 = 17. Then 17 - 3 = 14, which is only a side step.\n\n{answer}",
            kinds=("number", "math")),
    Context(name="restated question", template="The question is: {question}\n\n{answer}"),
    Context(name="preamble", template="Sure! Here is my answer.\n\n{answer}"),
    Context(name="courtesy", template="{answer}\n\nI hope this helps! Let me know if you have 2 more questions."),
    Context(name="courtesy, Chinese", template="{answer}\n\n希望这对你有帮助！"),
    Context(name="thanks", template="{answer}\n\nThank you, and have a nice day."),
    Context(name="first thought", template="At first I thought it was {decoy}, but that is wrong.\n\n{answer}"),
    Context(name="wait, no", template="Answer: {decoy}\n\nWait, no, that is a mistake. Let me correct it.\n\n{answer}"),
    Context(name="rhetorical", template="Is it {decoy}? No, that does not fit.\n\n{answer}"),
    Context(name="not the other", template="It is certainly not {decoy}.\n\n{answer}"),
    Context(name="Chinese first thought", template="一开始我以为是{decoy}，但那是错的。\n\n{answer}"),
    Context(name="run-on question", template="{answer}\n\nQuestion: And what about the next one?\nAnswer: {decoy}"),
    Context(name="run-on user", template="{answer}\n\nUser: And the next one?\nAssistant: The answer is {decoy}."),
    Context(name="run-on Chinese", template="{answer}\n\n问题：下一题呢？\n答案：{decoy}"),
    Context(name="others rejected", template="{others}\n\n{answer}", kinds=("choice",)),
    Context(name="others rejected, Chinese", template="{others_zh}\n\n{answer}", kinds=("choice",)),
)  # fmt: skip


def fits(form: Form, frame: Frame, kind: Kind) -> bool:
    """Whether the two may stand together without a doubt."""
    return (
        kind in frame.kinds
        and (form.plain or not frame.plain)
        and (frame.colon or not form.strict)
        and (form.letter or not frame.letter)
        and not (form.english and frame.language)
        and not (form.comma and frame.language in _COMMAS)
    )


def framed(frame: Frame, answer: str) -> str:
    """
    >>> framed(Frame(name="", template='{"answer": {json}}'), '1"')
    '{"answer": "1\\\\""}'
    """
    return put(frame.template, {"{json}": json.dumps(answer, ensure_ascii=False), "{x}": answer})


def placed(context: Context, answer: str, task: Task, decoy: str, given: str) -> str:
    """`answer` in its context; `given` is the bare answer, which is not among the rejected others."""
    others = [letter for letter in task.choices if letter != given]
    fields = {
        "{others}": "\n".join(f"{letter} is wrong." for letter in others),
        "{others_zh}": "".join(f"选项{letter}不正确。" for letter in others),
        "{question}": task.question,
        "{decoy}": decoy,
    }
    return put(context.template, fields | {"{answer}": answer})


def put(template: str, fields: Mapping[str, str]) -> str:
    """All places filled at once: an answer such as `\\frac{x}{y}` holds what looks like one.

    >>> put("{x} or {y}", {"{x}": "{y}", "{y}": "2"})
    '{y} or 2'
    """
    return re.sub("|".join(map(re.escape, fields)), lambda match: fields[match[0]], template)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One form, one frame, and at most one context."""

    form: Form
    frame: Frame
    context: Context | None

    @property
    def name(self) -> str:
        return " + ".join(part.name for part in (self.form, self.frame, self.context) if part is not None)

    def wear(self, task: Task, given: str, decoy: str) -> str | None:
        """The output that gives `given`; None where the form does not fit that answer."""
        written = self.form.write(task, given)
        if written is None:
            return None
        answer = framed(self.frame, written)
        return answer if self.context is None else placed(self.context, answer, task, decoy, given)


@cache
def _frames(kind: Kind, place: int) -> tuple[Frame, ...]:
    return tuple(frame for frame in FRAMES if fits(FORMS[kind][place], frame, kind))


@cache
def _contexts(kind: Kind, marked: bool) -> tuple[Context, ...]:
    return tuple(c for c in CONTEXTS if kind in c.kinds and (marked or not c.marked))


def draw(kind: Kind, rng: Generator) -> Style:
    """A style at random, of parts that fit together; two in three have a context."""
    place = int(rng.integers(len(FORMS[kind])))
    frames = _frames(kind, place)
    frame = frames[int(rng.integers(len(frames)))]
    contexts = _contexts(kind, frame.marked)
    context = contexts[int(rng.integers(len(contexts)))] if rng.random() < 2 / 3 else None
    return Style(form=FORMS[kind][place], frame=frame, context=context)
