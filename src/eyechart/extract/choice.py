"""The option that a text chooses, read as a careful person would; how it was found is kept in steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.choice_announced import announced_last
from eyechart.extract.choice_clues import Clues, clues
from eyechart.extract.choice_contrast import breaks_off
from eyechart.extract.choice_groups import Group, groups, pairs, unlisted
from eyechart.extract.choice_menu import EDGES, Mention, Menu, alike, lower, menu, polar
from eyechart.extract.choice_script import latinised
from eyechart.extract.choice_stance import mentions
from eyechart.extract.choice_view import HEAD, TAIL, said_first, seen
from eyechart.extract.choice_whole import CLOSERS, bare_number, whole_answer
from eyechart.extract.choice_words import FILL, NO_OPTION, PLACEHOLDER, SLOT, TURN
from eyechart.extract.declined import declined
from eyechart.extract.passage import Passage, passage


def _thing(line: str) -> str:
    found = _IS.match(line)
    return found.group() if found else ""


_IS = re.compile(r"(?:[Ii]t|[Tt]hat|[Tt]he [\w ]{1,30}?) (?:is|was) (?:the )?")
_SYMBOL = re.compile(r"[A-Za-z]|\(?[A-Za-z0-9]\)|-?\d[\d.,]*|[A-Z][\w-]*(?: [A-Z][\w-]*){0,2}")
"""What is meant as an answer even without an announcement."""
_BLANK = re.compile(
    r"(?:done|final|yes|null|none|nil|undefined|tbd|n/?a|todo|nan|error\b.*|\[?object object\]?|\?+|/answer|(?:your|the|correct|with) .*)$"
)
"""What stands where nothing was filled in."""
_ALL_BUT = re.compile(r"\b(?:all|every\w*)\b[^.\n]{0,20}\b(?:but|except(?: for)?)\b[^.\n]{0,12}$")
_PASSED = {"denied": "ruled out", "weighed": "only considered", "hedged": "put forward with a hedge"}
_REASONS = {
    4: "in the answer slot",
    3: "put forward by itself",
    2: "named as the answer",
    1: "the only option named",
}
_EMPTY = re.compile(
    r"(?:both|because|since|let|let's|it|i|i'm|we|as|to|based|here|given|first|sure|okay|ok|well|depends|don'?t|unknown|unsure|idk|maybe|unclear|the|this|that|there|option|an?"
    r"|see|please|not|yes|no|so|if|in|on|for|of course|certainly|wait|hmm)(?![^\W_])|因为|由于|首先|让我|根据|我们|这|好的",
)
"""How a sentence begins that is no short answer."""
_ANNOUNCED = re.compile(
    r"(?:so |thus |therefore )?(?:the |my |la |die |a )?(?:final |correct )?(?:answer|option|choice|antwort|réponse|respuesta|resposta|risposta|jawaban|ответ|答案)\W{0,3}(?:is|ist|est|es|é|è|adalah|是|为)?"
)
_HINTS = re.compile(
    r"can't|cannot|can not|sorry|unable|know|sure|apolog|as an ai|declin|refus|won't|will not|should|idea|clue|certain|n/a|allowed|recall"
    r"|remember|enough|give up|idk|against|tut mir|kann|ahnung|peux|sais|siento|puedo|desculp|posso|spiace|maaf|tidak|lo so"
)
_STEPS = 8


@dataclass(frozen=True, kw_only=True)
class ChoiceReader:
    """The label of the option chosen; `A,C` where several are chosen together, in the order of the options.

    Evidence in order of strength: behind an announcement (`Answer:`, `\\\\boxed{}`, 答案, Antwort ...), by
    itself on a line or in bold or called right, led up to (`it's D`, `so B`), named at all. Of the
    strongest kind the last counts, and what follows a change of mind counts before what it corrects.
    Options denied or only weighed are passed over; so are the article `A`, the pronoun `I`, and letters in
    names. An option is its label, its text as whole words (which beats a letter inside that text), or its place.

    A definite answer that can be no option (`E`, `A or B`, `not B`, `cannot be determined`) is a value with the
    outcome `incorrect`. Where no single answer can be attributed there is no value: refusal, the menu repeated,
    a letter and a text that contradict, `Answer: [LETTER]`.

    >>> item = Item(id="1", fields={}, choices=("Paris", "London", "Berlin"))
    >>> texts = ("**Answer:** b", "A? No wait. It's London.", "A and C", "A or B", "Answer: B, Paris", "2")
    >>> for found in (ChoiceReader().read(text, item, ("A", "B", "C")) for text in texts):
    ...     print(found.value, found.outcome, found.reason)
    B None None
    B None None
    A,C None None
    A or B incorrect names several options and chooses none
    None unparseable the letter and the text put with it contradict
    None unparseable a bare number: an index from 0 or from 1?
    """

    version: ClassVar[int] = 1
    index: bool = False
    """Whether a bare `2` is the second option. It may as well count from 0, so by default it is no answer."""

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        view = passage(text)
        if view.unfinished:
            return _nothing(view, "ends inside its hidden reasoning", Outcome.TRUNCATED)
        options = menu(item, labels)
        found = self._read(view, options)
        if found.value is None and view.uncut and found.reason not in (_CLASH, _ECHO):
            again = self._read(view.whole(), options)
            return again if again.value is not None else found
        return found if found.value is not None and found.committed else self._before_the_cut(view, options) or found

    def _before_the_cut(self, view: Passage, options: Menu) -> Extraction | None:
        """The answer of a short text that goes on behind it and breaks off, where what follows names no other option.

        A model that was asked for a word says it and goes on until the token limit: `Positive\\n\\nThe answer is`. A line
        by itself is an answer; a sentence is one unless what follows goes on to conclude something from it.
        """
        text = seen(view.text)
        line, sentence = said_first(text)
        found = self._read(view._replace(text=line), options) if line and whole_answer(options, line) else None
        if found is None and sentence:
            found = self._read(view._replace(text=sentence), options)
        if found is None or found.value is None or found.outcome is not None or not found.committed:
            return None
        clue = clues(lower(text))
        named = mentions(options, text, clue, SLOT.finditer(clue.low, clue.words))
        return found if all(options.labels[m.option] == found.value for m in named if m.option >= 0) else None

    def _read(self, view: Passage, options: Menu) -> Extraction:
        text = latinised(options, seen(view.text))
        if text is not view.text:
            middle = Step("cut", "the middle of a very long text", view.span(HEAD, len(text) - TAIL))
            steps = (*view.steps, middle) if len(text) > HEAD + TAIL else view.steps
            view = view._replace(text=text, steps=steps)
        short = whole_answer(options, text)
        if short is not None:
            start, end, chosen = short
            return _taken(view, options, chosen, (start, end), "the whole answer")
        bare = bare_number(text, options)
        if bare is not None:
            if self.index and 0 < bare[2] <= len(options.labels):
                return _taken(view, options, (bare[2] - 1,), bare[:2], "the option at this place, from 1")
            if bare[2] <= len(options.labels):
                return _nothing(view, "a bare number: an index from 0 or from 1?")
        clue = clues(lower(text))
        heads = SLOT.finditer(clue.low, clue.words)
        last = announced_last(options, text, clue, heads) if heads else None
        if last is not None:
            return _taken(view, options, last[2:], last[:2], _REASONS[4])
        named = mentions(options, text, clue, heads)
        if not named:
            return _unnamed(view, options)
        only = named[0]
        cut = only.strength == 3 and breaks_off(clue.low, slot=True)
        if len(named) == 1 and only.strength > 2 and only.stance == "said" and only.option >= 0 and not cut:
            return _taken(view, options, (only.option,), only[:2], _REASONS[only.strength])
        joined = groups(text, unlisted(options, text, pairs(text, named), named))
        return _resolved(view, options, _after_turn(text, joined, clue))


_CLASH = "the letter and the text put with it contradict"
_ECHO = "repeats the options"


def _after_turn(text: str, joined: list[Group], clue: Clues) -> list[Group]:
    """Without what stands before the last change of mind that is followed by a choice."""
    turns = TURN.finditer(clue.low, clue.words) if len(joined) > 1 else ()
    firm = [g for g in joined if g.members and g.last.stance == "said" and _firm(text, g.last)] if turns else ()
    if not firm:
        return joined
    latest, kept = firm[-1].members[0].start, joined
    for turn in turns:
        if turn.start() > latest:
            break
        kept = [g for g in joined if not g.members or g.members[0].start >= turn.start()]
    return kept


def _firm(text: str, mention: Mention) -> bool:
    if mention.strength >= 2 or mention.kind == "label":
        return True
    return text[mention.end : mention.end + 2].strip(" *_\"'")[:1] in ("", ".", "!", "\n", "。")


def _resolved(view: Passage, options: Menu, joined: Sequence[Group]) -> Extraction:
    """The groups weighed against each other."""
    live = [g for g in joined if g.join != "clash"]
    passed = _passed(view, live)
    if len(live) < len(joined) and (not live or joined[-1].join == "clash" or max(_force(g) for g in live) < 3):
        return _nothing(view, _CLASH, steps=passed)
    said = [g for g in live if g.last.stance == "said"]
    hedged = [g for g in live if g.last.stance == "hedged"]
    if not said and not hedged and len(live) == 1 and len(live[0].options) > 1 and live[0].last.stance == "weighed":
        where = (live[0].members[0].start, live[0].last.end)
        if view.text.rstrip(CLOSERS)[-1:] == "?" or declined(view.text):
            return _nothing(view, "asks or weighs, and chooses none", steps=passed)
        return _wrong(view, view.text[slice(*where)], where, "names several options and chooses none", passed)
    if not said and not hedged:
        if _breaks_off(view.text, live):
            return _nothing(view, "breaks off before it comes to an answer", steps=passed)
        return _denied(view, options, live, passed) or _unnamed(view, options, met=True)
    tier = max(g.last.strength for g in said) if said else 1
    if tier < 4 and _breaks_off(view.text, live, slot=tier == 3):
        return _nothing(view, "breaks off before it comes to an answer", steps=passed)
    if tier < 4 and len(options.labels) > 2 and any(_menu_lines(view.text, g, options) for g in said):
        return _nothing(view, _ECHO, steps=passed)
    best = [g for g in said if g.last.strength == tier] if said else hedged
    chosen = best[-1]
    if tier < 2 and _may_decline(view.text) and (why := _declines(view.text, chosen)):
        return _nothing(view, why[1], why[0], steps=passed)
    if len(live[-1].members) > len(options.labels) + 1:
        return _nothing(view, "goes back and forth", steps=passed)
    if tier <= 1 and (labelled := [g for g in best if any(m.kind == "label" for m in g.members)]):
        best, chosen = labelled, labelled[-1]
    if tier == 3 and len({o for g in best for o in g.options}) > 1:
        return _several(view, options, best, passed)
    if tier <= 1 and (head := _head(view.text, best)):
        chosen = head
    elif tier <= 1 and not said and len({g.options for g in best}) > 1:
        where = (best[0].members[0].start, best[-1].last.end)
        return _wrong(view, view.text[slice(*where)], where, "names several options and chooses none", passed)
    elif tier <= 1 and len({g.options for g in best}) > 1:
        return _nothing(view, "names several options and chooses none", steps=passed)
    where = (chosen.members[0].start, chosen.last.end)
    if len(chosen.options) == len(options.labels) > 2 and tier < 3 and len(view.text) > where[1] - where[0] + 3:
        return _nothing(view, _ECHO, steps=passed)
    if chosen.options[0] < 0:
        value = view.text[where[0] : where[1]]
        return _wrong(view, value, where, "no option of the question", passed)
    if (chosen.join == "or" and len(chosen.options) > 1) or (len(chosen.options) > 2 and _all_texts(chosen, options)):
        if len(chosen.options) == len(options.labels) > 2:
            return _nothing(view, _ECHO, steps=passed)
        return _wrong(view, view.text[slice(*where)], where, "names several options and chooses none", passed)
    committed = tier > 2 or _put_forward(view.text, chosen, tier)
    return _taken(view, options, chosen.options, where, _REASONS[tier], passed, committed=committed)


def _may_decline(text: str) -> bool:
    """Whether it is worth while to ask `declined`, which is the slower."""
    return len(text) > 80 or not text.isascii() or _HINTS.search(text.lower()) is not None


def _declines(text: str, chosen: Group) -> tuple[Outcome, str] | None:
    """Whether `text` declines to answer; that somebody is not sure counts only where nothing is guessed after it."""
    why = declined(text)
    if why is None or why[0] is Outcome.REFUSED:
        return why
    behind = text[chosen.last.end :]
    return declined(behind) if behind.strip(EDGES) else None


def _put_forward(text: str, chosen: Group, tier: int) -> bool:
    """Whether an option is the answer of the text, not only met on the way: led up to, or where the text begins or ends."""
    if (tier == 2 and chosen.last.kind == "label") or (len(text) < 60 and text.rstrip()[-1:] in ".!。"):
        return True  # a short sentence that is whole
    return not (text[: chosen.members[0].start].strip(EDGES) and text[chosen.last.end :].strip(EDGES))


def _breaks_off(text: str, live: Sequence[Group], *, slot: bool = False) -> bool:
    return bool(live and text[live[-1].last.end :].strip(EDGES)) and breaks_off(lower(text[-80:]), slot=slot)


def _force(group: Group) -> int:
    return group.last.strength if group.last.stance == "said" else 0


def _head(text: str, best: Sequence[Group]) -> Group | None:
    """The option that the text begins with, set off by a mark, where no other line begins with one: `B. (A is ...)`."""
    first = best[0]
    start, end = first.members[0].start, first.last.end
    if text[:start].strip(EDGES) or text[end : end + 1] not in tuple(".):,;\n"):
        return None
    others = [g for g in best[1:] if not text[text.rfind("\n", 0, g.last.start) + 1 : g.last.start].strip(EDGES)]
    return None if others else first


def _menu_lines(text: str, group: Group, options: Menu) -> bool:
    """Whether every label stands on a line of its own: the menu, and no choice."""
    if len(group.members) < len(options.labels):
        return False
    return len(group.options) == len(options.labels) and text[group.members[0].start : group.last.end].count("\n") > 1


def _all_texts(group: Group, options: Menu) -> bool:
    return len(group.options) == len(options.labels) and all(m.kind == "text" for m in group.members)


def _several(view: Passage, options: Menu, best: Sequence[Group], passed: tuple[Step, ...]) -> Extraction:
    """Several options each put forward: the one that ends the text, else all of them together."""
    last = best[-1]
    if not view.text[last.last.end :].strip(EDGES) and "\n" in view.text[: last.last.start]:
        where = (last.members[0].start, last.last.end)
        return _taken(view, options, last.options, where, _REASONS[3], passed)
    together = tuple(sorted({o for g in best for o in g.options if o >= 0}))
    if len(together) == len(options.labels) > 2 or not together:
        return _nothing(view, _ECHO, steps=passed)
    return _taken(view, options, together, (best[0].members[0].start, last.last.end), "each put forward", passed)


def _denied(view: Passage, options: Menu, live: Sequence[Group], passed: tuple[Step, ...]) -> Extraction | None:
    """Where options are only denied: the one that is left, or none."""
    out = {m.option for g in live for m in g.members if m.stance == "denied" and m.option >= 0}
    if not out:
        return None
    if (why := declined(view.text)) and why[0] is Outcome.REFUSED:
        return _nothing(view, why[1], why[0], steps=passed)
    where = (live[0].members[0].start, live[-1].last.end)
    left = [i for i in range(len(options.labels)) if i not in out]
    if left and _ALL_BUT.search(lower(view.text[max(0, where[0] - 40) : where[0]])):
        return _taken(view, options, tuple(left), where, "all but those ruled out", passed)
    if len(left) == 1:
        return _taken(view, options, tuple(left), where, "the only option not ruled out", passed, committed=False)
    value = "not " + ",".join(options.labels[i] for i in sorted(out))
    return _wrong(view, value, where, "rules out and chooses none", passed)


def _unnamed(view: Passage, options: Menu, *, met: bool = False) -> Extraction:
    """Where no option is named: a short answer that is none of them, or no answer; `met`: options were, and chosen none."""
    start, low = 0, lower(view.text)
    for slot in SLOT.finditer(low):
        start = slot.end()
    filled = FILL.match(low, start)
    begin = filled.end() if filled else start
    begin -= low[begin - 1 : begin] == "-" and low[begin : begin + 1].isdigit()
    end = view.text.find("\n", begin)
    line = view.text[begin : end if end >= 0 else len(view.text)][:200].strip(EDGES)
    alone = not met and (start > 0 or len(view.text.strip()) <= len(line) + 12)
    stated = line if start else view.text.strip(EDGES)
    named = stated.removeprefix(_thing(stated)).lower()
    if alone and ((near := alike(options, line.lower())) is not None or (near := alike(options, named)) is not None):
        where = view.text.index(line, begin)
        return _taken(view, options, (near,), (where, where + len(line)), "the only option with these words")
    if why := declined(view.text):
        return _nothing(view, why[1], why[0])
    if alone and (told := polar(options, low.strip(EDGES))) is not None:
        where = view.text.index(line, begin)
        return _taken(view, options, (told,), (where, where + len(line)), "calls it true or false")
    if line.lower() in ("none", "null", "nil"):
        return _nothing(view, "nothing filled in")
    if other := NO_OPTION.match(low, begin):
        return _wrong(view, line, other.span(), "no option of the question", ())
    if (
        not line
        or (line == low.strip(EDGES) and _ANNOUNCED.fullmatch(line.lower()))
        or PLACEHOLDER.match(low, start)
        or _EMPTY.match(line.lower())
        or _BLANK.match(line.lower())
        or (not start and not _SYMBOL.fullmatch(line.removeprefix(_thing(line))))
    ):
        return _nothing(view, "chooses no option")
    if _ANNOUNCED.fullmatch(line.lower()):
        return _nothing(view, "nothing behind the announcement of an answer")
    if all(word in options.by_label for word in line.split()):
        return _nothing(view, _ECHO)
    if len(line.split()) > 4 or len(line) > 40 or (not start and len(view.text.strip()) > len(line) + 12):
        return _nothing(view, "chooses no option")
    where = view.text.index(line, begin)
    return _wrong(view, line, (where, where + len(line)), "no option of the question", ())


def _passed(view: Passage, live: Iterable[Group]) -> tuple[Step, ...]:
    out: list[Step] = []
    for group in live:
        if group.last.stance != "said" and len(out) < _STEPS - 3:
            out.append(Step("passed", _PASSED[group.last.stance], view.span(group.members[0].start, group.last.end)))
    return tuple(out)


def _taken(
    view: Passage,
    options: Menu,
    chosen: tuple[int, ...],
    where: tuple[int, int],
    reason: str,
    passed: tuple[Step, ...] = (),
    *,
    committed: bool = True,
) -> Extraction:
    value = options.labels[chosen[0]] if len(chosen) == 1 else ",".join([options.labels[i] for i in chosen])
    span = view.span(*where)
    steps = (*view.steps[:3], *passed, Step("taken", reason, span))
    return Extraction(value=value, span=span, committed=committed, steps=steps)


def _wrong(view: Passage, value: str, where: tuple[int, int], reason: str, passed: tuple[Step, ...]) -> Extraction:
    span = view.span(*where)
    steps = (*view.steps[:3], *passed, Step("taken", reason, span))
    return Extraction(value=value.strip()[:80], span=span, reason=reason, outcome=Outcome.INCORRECT, steps=steps)


def _nothing(
    view: Passage, reason: str, outcome: Outcome = Outcome.UNPARSEABLE, *, steps: tuple[Step, ...] = ()
) -> Extraction:
    return Extraction(value=None, reason=reason, outcome=outcome, steps=(*view.steps[:3], *steps))
