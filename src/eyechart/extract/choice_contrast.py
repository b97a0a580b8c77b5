"""Options weighed against each other: not B but C, C over B, a mark at the end of each line, a box that is ticked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from eyechart.extract.choice_clues import Clues
from eyechart.extract.choice_menu import Mention

_REACH = 60
"""Characters between two options that are still set against each other, and after one for a verdict on it."""

_IT = r"(?: ?(?:is|it's|it is|that's|really|actually|rather|also|the|option|choice|answer|die|das|la|el|le|o|por|en|sim|c'est|é|es|è|верно|это)\b){0,4}"
_BUT = re.compile(
    rf"(?:[,;.→]? ?(?:but|sondern|mais|ma|mas|sino|pero|tetapi|tapi|melainkan|بل|बल्कि|а|но|yet|而是|应该?是|instead){_IT}"
    r"|(?:では|じゃ)なくて?、?|[이가]? ?아니라|[,;])"
)
"""Between an option denied and the one put in its place."""
_OVER = re.compile(
    r"(?:(?:is |was |seems |looks |fits |works )?(?:clearly |much |far |slightly )?(?:better|stronger|likelier|preferable|more [a-z]+)"
    r"(?: [a-z]+)? (?:than|to)|makes more sense than|beats|over|rather than|instead of|unlike|and not|als|statt|anstatt|plutôt que|en lugar de|bukan|而不是|而非)(?: the| option| choice)*"
)
_UNDER = re.compile(
    r"(?:is |was |seems |looks |fits )?(?:worse|weaker|less [a-z]+)(?: [a-z]+)? than(?: option)?|より|(?:is )?not as [a-z]+ as"
)
_ARROW = re.compile(r"(?:->|=>|→)(?: option)?")
_TO = re.compile(r"(?:,? ?now|to|nach|à|a)(?: option| choice)?")
_YET = re.compile(
    r"[^.\n]{0,50}\b(?:but|yet|however,?) (?:(?:it's|it is|the (?:right |correct )?answer is)|i(?:'d| would)? (?:say|choose|pick|go with))(?: the| option)?"
)
_LEFT = re.compile(r"(?:from|was:?|von|de|statt|anstatt|instead of|seems like|looks? like)(?: the| option| choice)?$")
_PAIR_OF = re.compile(r"\b(?:between|of|zwischen|entre)(?: the)?(?: options?| choices?)?$")
_AND = re.compile(r"(?:,|and|or|und|et|y|e|to|vs\.?)")
_FORMER = re.compile(r"[\s,*.)]{0,4}(?:i(?:'d| would)? (?:choose|pick|say|prefer) )?(?:the )?(former|latter)\b")
_REALLY = re.compile(r",? ?but (?:it's |it is |is )?(?:really|actually|in fact)")
_EDGES = "*_`\"'()[]{}$ \t"

_FELL = re.compile(
    r"[^.\n?!]{0,40}\b(?:but|yet|though|although|however)\b[ ,]{0,2}(?:it(?:'s| is) |it |they(?:'re| are) |that(?:'s| is) |is |was |ultimately |still )*"
    r"(?:not|wrong|incorrect|false|isn't|doesn't|fails)(?![^\W_])(?! (?:the )?\(?[a-z]\b)"
    r"|[^.\n?!]{0,40}[,;] ?(?:which|that|this) (?:rules|makes|eliminates|excludes) (?:it|this|that) (?:out|wrong|impossible|incorrect)"
    r"|[^.\n?!]{0,40}[;.] (?:they're|they are|that's|that is|this is) (?:all )?(?:wrong|incorrect|mistaken)[.,;!]"
    r"|[^.\n]{0,30}[.?!:] (?:let me check[:.] )?(?:no|nope|it isn't|it's not|it is not|not quite|wrong|(?:certainly|definitely|absolutely|probably|of course) not|hardly|i doubt it)[.,;!]"
)
"""What was said for an option is taken back in the next breath."""
_FALLS = frozenset(
    [
        "but",
        "yet",
        "though",
        "although",
        "however",
        "rules",
        "makes",
        "eliminates",
        "excludes",
        "wrong",
        "incorrect",
        "mistaken",
        "no",
        "nope",
        "isn",
        "not",
        "hardly",
        "doubt",
    ]
)
"""One of these is in it."""

_VERDICT = re.compile(
    r"(?:(?:^|[:.|,(—–!-]|\b(?:is|so))[\s*_(]{0,4}(?:(?P<no>(?:this is |that is |it is )?(?:not (?:correct|right|true|the answer|it)"
    r"|incorrect|wrong|false|no|nope|eliminated|rejected|falsch|faux|incorrecto|falso|salah|неверно|错误|不正确|错|不对))"
    r"|(?P<yes>(?:this is |that is |it is )?(?:correct|right|true|yes|the answer|richtig|vrai|correcto|benar|верно|正确|对)))"
    r"|(?P<bad>[❌✗✘✖])|(?P<good>[✅✔✓☑]))[\ufe0f\s*_.|!)~]{0,8}$"
)
_TICKED = re.compile(r"(?:\[ ?(?P<x>[x✓✔]) ?\]|(?P<box>[☑☒]\ufe0f?)|\[ ?\]|[☐□])[ *_(]{0,3}(?:option )?$")
_HEAD = re.compile(
    r"\b(?:(?:wrong|incorrect|false|trap|rejected|ruled out|eliminated|excluded|discarded|worst|least \w+|distractor|irrelevant|not the|(?:to |would |'d |i |must )(?:eliminate|exclude|reject|discard|rule out|cross out|remove|drop))"
    r"|(?P<aside>second|2nd|third|3rd|runner-up|preliminary|initial|tentative|previous|earlier|original|expected|reference|sample|example"
    r"|official|ground truth|correct answer key|key|grader|next best|first (?:guess|thought|impression|instinct)))\b"
    r"(?: (?:choice|answer|option|guess|item|pick|answers|options|one|best|for|this|is|key|here|could|it))*"
    r"[\"*_]{0,3}(?: ?[:=-]| is| are| was| says| would be| might be| it would be)[\s\"*_(]{0,5}(?:the |option |choice )*$"
)
_LINKS = (":", "=", "-", " is", " are", " was", " be", " says", " the", "option", "choice")
"""How a heading ends: asked for first, which is many times faster."""
_OPEN = r"\banswer(?: is)?:|\banswer is\b|(?:(?<=[.\n,;!:])|^)[\s#*_]{0,6}(?:(?:so|thus|therefore|hence),? )?(?:the |my )?(?:\w{4,7} )?answer|答案[:是为]?"
"""The announcement of an answer that does not come."""
_BROKEN = re.compile(
    r"(?:\b(?:so|is|the|and|but|therefore|be|have|we|thus|of|to|that|because|hence|with|or|are|the correct|next|then|whether|if|step \d+)[,:]?"
    rf"|{_OPEN})[\s*_]{{0,4}}$"
)
_SLOT = re.compile(rf"(?:{_OPEN})[\s*_]{{0,4}}$")


def headed(low: str, start: int) -> Literal["denied", "weighed"] | None:
    """What the heading right before `start` makes of what it heads.

    >>> headed("wrong answer: b", 14), headed("second choice: b", 15), headed("best answer: b", 13)
    ('denied', 'weighed', None)
    """
    window = low[max(0, start - 48) : start]
    if not window.rstrip(' "*_(').endswith(_LINKS):
        return None
    found = _HEAD.search(window)
    if found is None:
        return None
    return "weighed" if found["aside"] else "denied"


def breaks_off(low: str, *, slot: bool = False) -> bool:
    """Whether the text ends in the middle of a sentence (unless `slot`), or with the announcement of an answer.

    >>> breaks_off("b is london. so"), breaks_off("it's b."), breaks_off("# reasoning\\nb.\\n# answer\\n")
    (True, False, True)
    >>> breaks_off("b is not the answer"), breaks_off("b is right.\\nanswer:", slot=True)
    (False, True)
    """
    return (_SLOT if slot else _BROKEN).search(low[-60:]) is not None


def contrasted(clue: Clues, found: list[Mention]) -> list[Mention]:
    """`found` with the stances that options have beside one another, and by the marks on their lines."""
    low = clue.low
    if clue.plain and len(found) == 1:
        return found if found[0].end >= clue.end else [_lined(low, found[0], ())]
    out = list(found)
    for i, here in enumerate(out):
        then = out[i + 1] if i + 1 < len(out) else None
        if not clue.plain:
            here = _judged_alone(clue, here, then.start if then else len(low) + _REACH)
        if here.end < clue.end:
            here = _lined(low, here, out[i + 1 : i + 4])
        out[i] = here
        if then is None or then.start - here.end > _REACH or then.start < here.end or then.option == here.option:
            continue
        gap = low[here.end : then.start].strip(_EDGES)
        change = _against(low, here, then, gap)
        if change:
            first, second = change
            out[i] = here._replace(stance=first, strength=max(here.strength, 2) if first == "said" else here.strength)
            out[i + 1] = then._replace(stance=second, strength=max(then.strength, 2))
            continue
        if _AND.fullmatch(gap) and _PAIR_OF.search(low[max(0, here.start - 24) : here.start].rstrip(_EDGES)):
            picked = _FORMER.match(low, then.end)
            if picked:  # the other is spoken of no more
                out[i], out[i + 1] = (here, here) if picked[1] == "former" else (then, then)
                continue
            out[i] = here._replace(stance="weighed", strength=2)
            out[i + 1] = then._replace(stance="weighed", strength=2)
    out = list(dict.fromkeys(out))
    if clue.plain and all(mention.stance == "said" for mention in out):
        return out
    return [_echoed(low, mention, out[max(0, i - 4) : i + 5]) for i, mention in enumerate(out)]


def _echoed(low: str, here: Mention, around: Sequence[Mention]) -> Mention:
    """`here`, a text only named, as its letter stands in the same sentence: `A is wrong because Paris is in France`."""
    if here.kind != "text" or here.strength > 1 or here.stance != "said":
        return here
    for other in around:
        if other.option != here.option or other.kind != "label" or other.stance not in ("denied", "weighed"):
            continue
        first, then = sorted((other, here))
        gap = low[first.end : then.start]
        if other.stance == "denied" and _SAME.fullmatch(gap):
            return here._replace(stance="denied")
        if other.stance == "weighed" and _SAYS.match(gap) and not low[here.end :].strip(_EDGES + ".,\n"):
            return here._replace(stance="weighed")
    return here


_SAME = re.compile(r"[^.!?;\n。]{0,120}(?:[.;] (?:the )?)?")
"""Between two places of one sentence, or of one and the beginning of the next."""
_SAYS = re.compile(r"[*_)\]\"']{0,3} (?:says|states|claims|reads|mentions|means|refers to)\b[^.!?\n]{0,60}$")


def _against(
    low: str, here: Mention, then: Mention, gap: str
) -> tuple[Literal["said", "denied"], Literal["said", "denied"]] | None:
    """The stances of two options that stand side by side; None where neither is set against the other."""
    before = low[max(0, here.start - 24) : here.start].rstrip(_EDGES)
    if _REALLY.fullmatch(gap):
        return "denied", "said"
    if here.stance == "denied":
        bare = gap in (",", ";")
        if _BUT.fullmatch(gap) and (not bare or (before.endswith(("not", "nicht", "不是", "no")) and _last(low, then))):
            return "denied", "said"
        return None
    if here.stance == "said":
        if _OVER.fullmatch(gap) or (gap == "to" and before.endswith("prefer")):
            return "said", "denied"
        if then.stance == "said" and _YET.fullmatch(gap):
            return "denied", "said"
        if _UNDER.fullmatch(gap) or _ARROW.fullmatch(gap) or gap.startswith(("ではなく", "じゃなく")):
            return "denied", "said"
    if (_TO.fullmatch(gap) or gap == ",") and _LEFT.search(before) and not before.endswith("range from"):
        return "denied", "said"
    return None


def _last(low: str, mention: Mention) -> bool:
    return low[mention.end : mention.end + 3].strip(_EDGES)[:1] in ("", ".", "!", "\n", "。", ";")


def _judged_alone(clue: Clues, here: Mention, until: int) -> Mention:
    """`here` with the verdict that stands on its line, or is given in the next breath."""
    low = clue.low
    if low[here.start - 2 : here.start] == "~~" == low[here.end : here.end + 2]:
        return here._replace(stance="denied")
    ticked = _TICKED.search(low, max(0, here.start - 12), here.start) if "[" in low or not low.isascii() else None
    if ticked:
        return here._replace(stance="said" if ticked["x"] or ticked["box"] else "denied", strength=3)
    if here.stance == "denied" or here.strength > 3 or here.end >= clue.end or _FALLS.isdisjoint(clue.words):
        return here
    fell = _FELL.match(low, here.end, here.end + _REACH + 30)
    if fell and fell.end() <= until and (low[fell.end() - 1] in ".,;!" or low[fell.end() : until].strip(_EDGES + ".!")):
        return here._replace(stance="denied")
    if fell and fell.end() <= until and until >= len(low):
        return here._replace(stance="denied")
    return here


def _lined(low: str, here: Mention, following: Sequence[Mention]) -> Mention:
    """`here`, where its line begins with it, with the verdict that the line ends with."""
    left = low.rfind("\n", max(0, here.start - 16), here.start) + 1
    head = low[left : here.start] if left or here.start < 16 else "x"
    if head.strip(_EDGES + "-|.:#>•0123456789").removeprefix("option").strip():
        return here
    if low[here.end : here.end + 4].lstrip(" ")[:1] not in tuple(".):|-*_]?✅❌✔✗✘✓"):
        return here
    right = low.find("\n", here.end, here.end + 300)
    right = right if right >= 0 else len(low)
    same = [m for m in following if m.start < right]
    if right - here.end > 300 or any(m.kind == "label" for m in same):
        return here
    verdict = _VERDICT.search(low, max(here.end, right - 40, *(m.end for m in same)), right)
    if verdict is None:
        return here
    return here._replace(stance="said" if verdict["yes"] or verdict["good"] else "denied", strength=3)
