"""A regular expression that cannot hang: time is linear in the text, whatever the pattern.

Patterns come from a file that somebody hands on, texts from a log or a model. Python's `re` may take time that doubles
with every letter (`(a+)+$`), and no time limit can stop it inside one process. So the pattern becomes a set of states
that are walked all at once, one character at a time (K. Thompson, "Regular Expression Search Algorithm", CACM 11(6),
1968). What needs memory of the text, back references and look-around, has no such form and is refused.

>>> found = compiled("^(Qwen|Llama)[-/].*[0-9]+B$")
>>> found.search("Qwen/Qwen3-8B"), found.search("Qwen"), compiled("(a+)+$").search("a" * 5000 + "b")
(True, False, False)
>>> compiled(r"(a)\\1")
Traceback (most recent call last):
ValueError: at character 3: \\1 refers back, which cannot be matched in bounded time
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

STATES = 500
"""Most states of a pattern, its counted repetitions written out."""
LONGEST = 10_000
"""Characters of a text that is matched."""

Test = Callable[[str], bool]
_CLASSES: dict[str, Test] = {
    "d": str.isdecimal,
    "w": lambda c: c.isalnum() or c == "_",
    "s": str.isspace,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_ENDS = {"^": "begin", "$": "end", "A": "begin", "Z": "last"}


@dataclass(slots=True)
class _State:
    """Either takes one character that passes `test`, or goes on without one to `free`, at `edge` alone if set."""

    test: Test | None = None
    to: int = -1
    free: list[int] = field(default_factory=list[int])
    edge: str | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    source: str
    states: tuple[_State, ...]
    start: int
    accept: int

    def search(self, text: str) -> bool:
        """Whether the pattern occurs in `text`; the first `LONGEST` characters are looked at.

        Its `$` stands before a last line end as well, as in `re`; letters are told apart unless it begins with (?i).
        """
        text = text[:LONGEST]
        now: set[int] = set()
        cache: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        for at in range(len(text) + 1):
            now = self._closed(now | {self.start}, at, text)
            if self.accept in now:
                return True
            if at == len(text):
                return False
            key = (frozenset(now), text[at])
            if key not in cache:
                cache[key] = frozenset(s.to for i in now if (s := self.states[i]).test is not None and s.test(text[at]))
            now = set(cache[key])
        return False

    def _closed(self, found: set[int], at: int, text: str) -> set[int]:
        """With every state that is reached without a character."""
        edges = {"begin"} if at == 0 else set[str]()
        if at == len(text):
            edges |= {"end", "last"}
        elif at == len(text) - 1 and text[at] == "\n":
            edges.add("end")
        waiting = list(found)
        while waiting:
            state = self.states[waiting.pop()]
            if state.test is not None or (state.edge is not None and state.edge not in edges):
                continue
            for to in state.free:
                if to not in found:
                    found.add(to)
                    waiting.append(to)
        return found


def compiled(source: str) -> Pattern:
    """Raises ValueError, with the place, for what is no pattern, or none that can be matched in bounded time."""
    fold = source.startswith("(?i)")
    parser = _Parser(source, 4 if fold else 0, fold)
    start, end = parser.alternatives()
    if parser.at < len(source):
        raise parser.wrong("this ) closes nothing")
    return Pattern(source, tuple(parser.states), start, end)


_Part = tuple[int, int]
"""First and last state."""


class _Parser:
    def __init__(self, source: str, at: int, fold: bool) -> None:
        self.source = source
        self.at: int = at
        self.fold = fold
        self.states: list[_State] = []
        self.depth = 0

    def wrong(self, text: str) -> ValueError:
        return ValueError(f"at character {self.at}: {text}")

    def peek(self) -> str:
        return self.source[self.at] if self.at < len(self.source) else ""

    def state(self, state: _State) -> int:
        if len(self.states) >= STATES:
            raise ValueError(f"the pattern is too large: more than {STATES} states; write it shorter")
        self.states.append(state)
        return len(self.states) - 1

    def alternatives(self) -> _Part:
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        if len(parts) == 1:
            return parts[0]
        end = self.state(_State())
        start = self.state(_State(free=[first for first, _ in parts]))
        for _, last in parts:
            self.states[last].free.append(end)
        return start, end

    def sequence(self) -> _Part:
        start = end = self.state(_State())
        while self.peek() not in ("", "|", ")"):
            first, last = self.repeated()
            self.states[end].free.append(first)
            end = last
        return start, end

    def repeated(self) -> _Part:
        begun = self.at
        part = self.atom()
        after = self.at
        low, high = self._times()
        if self.at == after:
            return part
        done = self.at
        if self.peek() == "?":  # lazy: whether there is a match is the same
            self.at += 1
            done = self.at
        if self.peek() in ("*", "+", "{") and self._times() != (1, 1):
            raise self.wrong("a repetition of a repetition; put the first one in brackets")
        out = self._copies(part, begun, low, high)
        self.at = done
        return out

    def _times(self) -> tuple[int, int | None]:
        mark = self.peek()
        if mark in ("*", "+", "?") and mark:
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[mark]
        close = self.source.find("}", self.at)
        if mark != "{" or close < 0:
            return 1, 1
        low, comma, high = self.source[self.at + 1 : close].partition(",")
        if not ((low.isascii() and low.isdigit()) or (comma and not low)) or (high and not high.isdigit()):
            return 1, 1  # a brace that counts nothing is a letter
        self.at = close + 1
        ends = int(low or 0), (int(high) if high else None) if comma else int(low)
        if max(ends[0], ends[1] or 0) > STATES or (ends[1] is not None and ends[1] < ends[0]):
            raise self.wrong(f"a repetition from {ends[0]} to {ends[1]} times")
        return ends

    def _copies(self, first: _Part, begun: int, low: int, high: int | None) -> _Part:
        """The part written out `low` times, then what may follow."""
        start = end = self.state(_State())
        count = max(low, 1) if high is None else high
        parts = [first] + [self._again(begun) for _ in range(count - 1)]
        skips: list[int] = []
        for number, (head, tail) in enumerate(parts[:count]):
            if number >= low:
                skips.append(end)
            self.states[end].free.append(head)
            end = tail
        out = self.state(_State())
        if count:
            self.states[end].free.append(out)
            if high is None:
                self.states[end].free.append(parts[-1][0])
        else:
            self.states[start].free.append(out)
        for skipped in skips:
            self.states[skipped].free.append(out)
        return start, out

    def _again(self, begun: int) -> _Part:
        self.at = begun
        return self.atom()

    def atom(self) -> _Part:
        char = self.peek()
        if char == "(":
            return self._group()
        if char == "[":
            return self._take(self._class())
        if char in "*+?":
            raise self.wrong(f"nothing stands before {char}")
        self.at += 1
        if char in ("^", "$"):
            return self._edge(_ENDS[char])
        if char == ".":
            return self._take(lambda c: c != "\n")
        if char == "\\":
            if self.peek() in ("A", "Z"):
                self.at += 1
                return self._edge(_ENDS[self.source[self.at - 1]])
            return self._take(self._escaped())
        return self._take(self._letter(char))

    def _edge(self, kind: str) -> _Part:
        end = self.state(_State())
        return self.state(_State(free=[end], edge=kind)), end

    def _take(self, test: Test) -> _Part:
        end = self.state(_State())
        return self.state(_State(test=test, to=end)), end

    def _letter(self, char: str) -> Test:
        if not self.fold:
            return lambda c: c == char
        return lambda c: c.casefold() == char.casefold()

    def _group(self) -> _Part:
        self.depth += 1
        if self.depth > 50:
            raise self.wrong("more than 50 brackets inside one another")
        self.at += 1
        if self.peek() == "?":
            if self.source[self.at : self.at + 2] != "?:":
                raise self.wrong(
                    "(? begins what cannot be matched in bounded time; there is (?:...), and (?i) in front"
                )
            self.at += 2
        part = self.alternatives()
        if self.peek() != ")":
            raise self.wrong("a ( is not closed")
        self.at += 1
        self.depth -= 1
        return part

    def _escaped(self) -> Test:
        char = self.peek()
        self.at += 1
        if not char:
            raise self.wrong("nothing stands behind the last \\")
        if char.lower() in _CLASSES:
            inside = _CLASSES[char.lower()]
            return inside if char.islower() else lambda c: not inside(c)
        if char in _ESCAPES:
            return self._letter(_ESCAPES[char])
        if char.isdigit():
            self.at -= 2
            raise self.wrong(f"\\{char} refers back, which cannot be matched in bounded time")
        if char.isalpha():
            raise self.wrong(f"\\{char} is not known here; there are \\d \\w \\s \\n \\t, and signs such as \\.")
        return self._letter(char)

    def _class(self) -> Test:
        self.at += 1
        out = self.peek() == "^"
        self.at += out
        tests: list[Test] = []
        first = True
        while self.peek() != "]" or first:
            char = self.peek()
            if not char:
                raise self.wrong("a [ is not closed")
            first = False
            self.at += 1
            if char == "\\":
                escaped = self.peek()
                if escaped.lower() in _CLASSES or escaped in _ESCAPES or escaped.isalnum() or not escaped:
                    tests.append(self._escaped())
                    continue
                char = escaped
                self.at += 1
            if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                tests.append(self._range(char))
                continue
            tests.append(self._letter(char))
        self.at += 1
        return (lambda c: not any(test(c) for test in tests)) if out else (lambda c: any(test(c) for test in tests))

    def _range(self, low: str) -> Test:
        high = self.peek()
        self.at += 1
        if high == "\\":
            high = self.peek()
            self.at += 1
        if high < low:
            raise self.wrong(f"the range {low}-{high} is upside down")
        if not self.fold:
            return lambda c: low <= c <= high
        return lambda c: any(low <= form <= high for form in (c, c.lower(), c.upper()))
