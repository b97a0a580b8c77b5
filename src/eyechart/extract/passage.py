"""What is to be read of a raw output: without hidden reasoning, end marks and the next question it made up.

Every character of the passage knows where it stood in the raw text, so that a trace can point there.
Nothing is looked for more than once from the same place: time is linear in the length of the output.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from eyechart.core.records import Step

_THINK = (
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reasoning_content|scratchpad|inner_monologue|reflection|analysis|cot)"
)
_TAG = re.compile(
    rf"<\s?(/?)\s?(?:[a-z]{{1,12}}:)?({_THINK})\s?>|[\[◁](/?)({_THINK})[\]▷]|<\|(begin|start|end)_(?:of_)?(thought|thinking)\|>",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s?(\w+)(?:[^<\n]{0,80})<\|message\|>")
_SOLUTION = re.compile(r"<\|(?:(?:begin|end)_of_solution|(?:START|END)_(?:RESPONSE|TEXT))\|>")
_MARKUP = re.compile(r"<\|(?:start|end|return|call|channel|message)\|>")
_ENDS = re.compile(
    r"<\|(?:im_end|im_start|eot_id|eom_id|endoftext|end_of_text|end_of_turn|user|assistant|system|start_header_id|endofprompt)\|>"
    r"|<(?:end_of_turn|start_of_turn|eos|EOS)>|</s>|<\uff5cend\u2581of\u2581sentence\uff5c>|<\uff5cUser\uff5c>"
    r"|\[INST\]|\[/INST\]"
)
_ASKER = re.compile(
    r"<\|im_start\|>\s?user\b|<start_of_turn>\s?user\b|<\|start_header_id\|>\s?user\b|<\|user\|>|<\uff5cUser\uff5c>"
)
_ROLES = (
    r"question|problem|exercise|input|user|human|instruction|next question|new question|q"
    r"|frage|aufgabe|domanda|pregunta|pergunta|soal|pertanyaan|вопрос|задача|प्रश्न|سؤال|السؤال"
    r"|问题|問題|题目|題目|问|問|質問|설문|질문|문제|用户|下一题"
)
_RUN_ON = re.compile(
    rf"\n[ \t>*_#]{{0,6}}(?:(?:{_ROLES})[ \t]?(?:[0-9]{{1,3}})?[ \t]?[*_]{{0,2}}[:：.][*_]{{0,2}}|###[ \t]?(?:instruction|question|problem|user|human)\b)",
    re.IGNORECASE,
)
"""On a line of its own, and never the first: the line end at its head is what a search leaps to."""
_TOLD = re.compile(
    r"<\|im_start\|>\s?(?:think|thinking|reasoning|analysis)\b.{0,20000}?<\|im_end\|>\s{0,4}<\|im_start\|>\s?assistant\s"
    r"|analysis(?=[A-Z\s]).{0,200000}?assistantfinal",
    re.DOTALL,
)
"""Reasoning in a turn of its own, and in a channel whose marks the server has dropped."""
_QUOTED = "`'\"“‘「『"

_SAME_LENGTH = {
    **{chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},  # full-width forms
    **{chr(0x24B6 + i): chr(65 + i) for i in range(26)},  # circled capitals
    **{chr(0x24D0 + i): chr(97 + i) for i in range(26)},
    **{chr(0x249C + i): chr(97 + i) for i in range(26)},  # parenthesised
    **{chr(0x1F110 + i): chr(65 + i) for i in range(26)},
    **{chr(0x1F130 + i): chr(65 + i) for i in range(26)},  # squared
    **{chr(0x1F150 + i): chr(65 + i) for i in range(26)},
    **{chr(0x1F170 + i): chr(65 + i) for i in range(26)},
    **{chr(0x2460 + i): chr(49 + i) for i in range(9)},  # circled digits
    **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\u2015\ufe58\ufe63", "-"),
    **dict.fromkeys(
        "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2028\u2029\x0b\x0c\x85", "\n"),
    "\u3002": "\u3002",
    "\u066b": ".",
    "\u066c": ",",
    "\u2236": ":",
    "\ufe55": ":",
}
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069\r]")
_ODD = re.compile(r"[^\x00-\x7f]")


class _Folding(dict[int, str]):
    """One character to one character, learnt as it is met: decimal digits and letters of mathematical alphabets."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        known = _SAME_LENGTH.get(char)
        if known is None:
            digit = unicodedata.decimal(char, None)
            if digit is not None:
                known = str(digit)
            elif 0x1D400 <= code <= 0x1D7FF:
                known = unicodedata.normalize("NFKC", char)
        folded = known if known is not None and len(known) == 1 else char
        if len(self) < 50_000:
            self[code] = folded
        return folded


_FOLD = _Folding()


def fold(text: str) -> str:
    """Width, digits, dashes, spaces and quotation marks in their plain forms; the length stays.

    >>> fold("（Ｂ）： ４２ − ٤٢ “x” ½ 10⁵")
    '(B): 42 - 42 "x" ½ 10⁵'
    """
    if text.isascii():
        return text
    for char in set(_ODD.findall(text)):  # few differ, and fewer change: quicker than to look up every character
        folded = _FOLD[ord(char)]
        if folded != char:
            text = text.replace(char, folded)
    return text


class Passage(NamedTuple):
    """What is to be read of `raw`."""

    raw: str
    text: str
    """Folded; hidden reasoning, end marks and run-on cut away."""
    steps: tuple[Step, ...] = ()
    unfinished: bool = False
    """The output ends inside its hidden reasoning: nothing in it was meant as the answer."""
    pieces: tuple[tuple[int, int], ...] = ((0, 0),)
    """Start in `text` and in `raw` of each stretch that was left in, in order."""
    uncut: str = ""
    """The text with the run-on; empty where nothing ran on."""

    def at(self, position: int) -> int:
        """Where the character at `position` of `text` stands in `raw`."""
        low, high = 0, len(self.pieces)
        while high - low > 1:
            middle = (low + high) // 2
            if self.pieces[middle][0] <= position:
                low = middle
            else:
                high = middle
        mine, theirs = self.pieces[low]
        return min(theirs + position - mine, len(self.raw))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """
        >>> found = passage("<think>A?</think>**B**")
        >>> start = found.text.index("B")
        >>> found.raw[slice(*found.span(start, start + 1))]
        'B'
        """
        if len(self.pieces) == 1 and end > start:
            mine, theirs = self.pieces[0]
            off, most = theirs - mine, len(self.raw)
            return min(start + off, most), min(end - 1 + off, most) + 1
        return (self.at(start), self.at(end - 1) + 1) if end > start else (self.at(start), self.at(start))

    def whole(self) -> Passage:
        """With the run-on: for where nothing was found before it."""
        if not self.uncut:
            return self
        steps = tuple(s for s in self.steps if s.reason != RUN_ON)
        return self._replace(text=self.uncut, uncut="", steps=steps)


RUN_ON = "runs on into another question"
HIDDEN = "hidden reasoning"
ENDED = "behind the end mark of the turn"


@lru_cache(maxsize=64)
def passage(raw: str) -> Passage:
    """What is to be read of `raw`.

    >>> passage("<think>So A... no.</think>Answer: B\\n\\nQuestion: and Spain?\\nAnswer: D").text
    'Answer: B\\n\\n'
    >>> passage("<think>I wonder").unfinished
    True

    A tag of reasoning counts where it opens the output or is closed before anything else is said; one
    that is quoted, or stands within a sentence of the answer, is text.
    """
    steps: list[Step] = []
    unfinished = False
    pieces: tuple[tuple[int, int], ...] = ((0, 0),)
    if "<" in raw or "[" in raw or "◁" in raw or raw.startswith("analysis"):
        kept, unfinished = _answering(raw, steps)
        text, pieces = _joined(raw, kept)
    elif "\r" in raw if raw.isascii() else _INVISIBLE.search(raw):
        text, pieces = _joined(raw, [(0, len(raw))])
    else:
        text = fold(raw)
    cut = _run_on(text)
    if cut is None:
        return Passage(raw, text, tuple(steps), unfinished, pieces)
    found = Passage(raw, text, (), unfinished, pieces, text)
    steps.append(Step("cut", RUN_ON, found.span(cut, len(text))))
    return found._replace(text=text[:cut], steps=tuple(steps))


def _joined(raw: str, kept: Iterable[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The stretches of `raw`, folded and without invisible characters, and where each came from."""
    visible = "\r" not in raw if raw.isascii() else _INVISIBLE.search(raw) is None
    parts: list[str] = []
    pieces: list[tuple[int, int]] = []
    length = 0
    for start, end in kept:
        at = start
        for match in () if visible else _INVISIBLE.finditer(raw, start, end):
            if match.start() > at:
                pieces.append((length, at))
                parts.append(raw[at : match.start()])
                length += match.start() - at
            at = match.end()
        if end > at:
            pieces.append((length, at))
            parts.append(raw[at:end])
            length += end - at
    return fold("".join(parts)), tuple(pieces) or ((0, 0),)


def _answering(raw: str, steps: list[Step]) -> tuple[list[tuple[int, int]], bool]:
    """The stretches of `raw` that answer, and whether it ends before it came to answer."""
    start, end = 0, len(raw)
    channels = list(_CHANNEL.finditer(raw)) if "<|channel|>" in raw else []
    if channels:
        final = [m for m in channels if m.group(1).lower() == "final"]
        if not final:
            steps.append(Step("cut", HIDDEN, (0, end)))
            return [(end, end)], True
        start = final[-1].end()
        steps.append(Step("cut", HIDDEN, (0, start)))
        stop = _MARKUP.search(raw, start)
        return [(start, stop.start() if stop else end)], False
    start, unfinished = _after_reasoning(raw)
    if start:
        steps.append(Step("cut", HIDDEN, (0, start)))
    if unfinished:
        return [(end, end)], True
    return _turn(raw, start, end, steps), False


def _turn(raw: str, start: int, end: int, steps: list[Step]) -> list[tuple[int, int]]:
    """Without end marks; what stands behind the first that follows something is another turn."""
    kept: list[tuple[int, int]] = []
    at = start
    for match in _ENDS.finditer(raw, start):
        if raw[at : match.start()].strip():
            kept.append((at, match.start()))
            if raw[match.end() :].strip():
                steps.append(Step("cut", ENDED, (match.start(), end)))
            return kept
        if match.start() and _ASKER.match(raw, match.start()) and raw[: match.start()].strip():
            steps.append(Step("cut", ENDED, (match.start(), end)))
            return kept
        at = match.end()
    for match in _SOLUTION.finditer(raw, at):
        kept.append((at, match.start()))
        at = match.end()
    kept.append((at, end))
    return kept


def _after_reasoning(raw: str) -> tuple[int, bool]:
    """Where the answer begins, and whether it never does.

    The block at the head, nested ones with it, is reasoning. So is all before the first closing tag where
    no opening one came: the template had opened it. Blocks that follow one another are all reasoning.
    """
    told = _TOLD.match(raw)
    if told:
        return told.end(), False
    start, depth, inline = 0, 0, 0
    opened = False
    for match in _TAG.finditer(raw):
        closing = match.group(1) == "/" or match.group(3) == "/" or (match.group(5) or "").lower() == "end"
        quoted = match.start() > 0 and raw[match.start() - 1] in _QUOTED
        if depth:
            if closing:
                depth -= 1
                start = match.end() if not depth else start
            elif not quoted:
                depth += 1
            continue
        if quoted:
            continue
        if closing and inline:
            inline -= 1
            continue
        if closing:
            if not opened:  # the template had opened it
                start, opened = match.end(), True
                continue
            if _only_leftover(raw, start, match.start()):
                start = match.end()
            continue
        if not raw[start : match.start()].strip(" \t\r\n*>"):
            depth, opened = 1, True
        elif _own_line(raw, match.start()) and not opened:
            opened, depth = True, 1
        else:
            inline += 1
    return start, depth > 0


def _only_leftover(raw: str, start: int, end: int) -> bool:
    """Whether a second closing tag, with no opening one, ends reasoning that went on on a line of its own."""
    return end - start < 2_000 and raw[end - 1 : end] == "\n" and not raw[start:end].strip()


def _own_line(raw: str, position: int) -> bool:
    return position == 0 or raw[position - 1] == "\n"


def _run_on(text: str) -> int | None:
    """Where another question begins that the model asked itself; None where it asked none."""
    for match in _RUN_ON.finditer(text):
        if text[: match.start()].strip():
            return match.start() + 1
    return None
