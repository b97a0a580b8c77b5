"""Mentions that belong together: a letter with its text, options in a list, the menu repeated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from eyechart.extract.choice_menu import Mention, Menu

Join = Literal["one", "and", "or", "clash"]


class Group(NamedTuple):
    """Mentions that stand or fall together; `join` is how they are put side by side."""

    members: tuple[Mention, ...]
    join: Join

    @property
    def last(self) -> Mention:
        return self.members[-1]

    @property
    def options(self) -> tuple[int, ...]:
        return tuple(sorted({m.option for m in self.members}))


_PAIR = re.compile(
    r"[ \t.,:;()\-*_\"'`=\]}$、。\\]{0,8}(?:(?:which |that )?(?:is|means|says|reads)|即|是|i\.e\.)?[ \t(*_\"'`:,]{0,4}(?:the )?"
)
_BACK = re.compile(r"[ \t*_\"'`:,]{0,4}[(\[][ \t*_]{0,3}(?:option |choice |answer )?[ \t*_]{0,3}", re.IGNORECASE)
_SO = re.compile(
    r"[*_\"'\s]{0,4}[,.;，。；]?\s?(?:so|therefore|thus|hence|which (?:is|means|corresponds to)|making|因此|所以|故|也就是)[,，]? ?(?:it is )?"
    r"(?:the )?(?:correct |final |right )?(?:answer|option|choice|答案|选项|选)?(?: is| must be| choice is|:|是|为|选|应选)? ?"
    r"(?:option |choice |选项)?[(*\"']{0,4}",
    re.IGNORECASE,
)
_MAYBE = (
    r"(?:maybe|perhaps|possibly|vielleicht|peut-être|quizás?|talvez|forse|mungkin|возможно|也许|或许|可能)(?![a-z])"
)
_JOIN = re.compile(
    rf"(?P<also>[,;-]? ?(?:(?:and|or|und|oder|et|ou|y|o|e) |或者?|或是|也)?{_MAYBE}(?:是|選|选)?|\. ?or {_MAYBE})(?: (?:also|even|it's|option))?|"
    r"(?:,|、|/|&|\+|;|\|)?\s{0,3}(?:(?P<and>and(?: also)?|und|et|y|e|和|与|與|及|以及|dan|и|と|와|과|및|و|और|as well as|plus|along with)"
    r"|(?P<or>or|nor|oder|ou|o|或|或者|还是|atau|или|または|また|또는|أو|या|vs\.?|and/or))?(?: (?:the|option|choice|answer|either|also) ?|选项)?",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"[*_)\]\"']{0,3} (?:is|was|has|looks?|seems?|sounds?|would|could|might|may) ")
"""What is only said of an option: `B (maybe A is tempting)`."""
_MOST = 32
"""Members of a group: more are no answer, and joining them one by one would take time that grows as their square."""
_EDGES = "*_`()[]{}$\"'<> \t\n「」"
_PLURAL = re.compile(
    r"[\s*_)\]\"'`]{0,4}(?:both |all )?(?:are|were|cannot|can't|do|don't|can|sont|sind|son|são|sono|seem|look|fail|都|均|也都|неверны|неправильны)(?![a-z])",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[ \t*_\"'`)\]}]{0,5}(?:$|[.,;!)\n。，；！])")


def pairs(text: str, found: Sequence[Mention]) -> list[Mention | None]:
    """`found` with each letter and its text made one; None where a letter and the text put with it contradict."""
    out: list[Mention | None] = []
    i = 0
    while i < len(found):
        here = found[i]
        then = found[i + 1] if i + 1 < len(found) else None
        gap = text[here.end : then.start] if then and then.start - here.end < 60 else None
        if (
            then is None
            or gap is None
            or {here.kind, then.kind} != {"label", "text"}
            or -1 in (here.option, then.option)
        ):
            out.append(here)
            i += 1
            continue
        near = bool((_PAIR if here.kind == "label" else _BACK).fullmatch(gap))
        leads = here.kind == "text" and bool(_SO.fullmatch(gap))
        if here.option == then.option and (near or leads):
            out.append(_merged(here, then))
            i += 2
            continue
        if ((near and _CLOSED.match(text, then.end)) or leads) and here.stance == then.stance == "said":
            out.append(None)
            i += 2
            continue
        out.append(here)
        i += 1
    return out


def _merged(here: Mention, then: Mention) -> Mention:
    stance = here.stance if here.stance != "said" else then.stance
    aside = here.kind == "text" and then.strength == 3  # the brackets of `Paris (A)` put nothing forward
    strength = here.strength if aside else max(here.strength, then.strength)
    return Mention(here.start, then.end, here.option, "text", strength, stance)


def unlisted(
    options: Menu, text: str, found: Sequence[Mention | None], before: Sequence[Mention]
) -> list[Mention | None]:
    """Without the options where they are only listed, each letter with its text, one after the other."""
    letters = {m.start for m in before if m.kind == "label"}
    listed = [m for m in found if m and m.kind == "text" and m.start in letters and m.strength != 3]
    runs: list[list[Mention]] = []
    for mention in listed:
        gap = text[runs[-1][-1].end : mention.start] if runs else "x"
        if runs and len(gap) < 12 and not gap.strip(_EDGES + ".,;-|/"):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    least = min(3, len(options.texts))
    drop = {m for run in runs if len(run) >= max(2, least) for m in run}
    return [m for m in found if m not in drop]


def groups(text: str, found: Sequence[Mention | None]) -> list[Group]:
    """Mentions side by side, joined by `and`, a comma, `or`; denied together where they are denied together."""
    out: list[Group] = []
    for mention in found:
        if mention is None:
            out.append(Group((), "clash"))
            continue
        last = out[-1] if out and out[-1].members else None
        join = _joined(text, last.last, mention) if last else None
        if last is None or join is None or len(last.members) >= _MOST:
            out.append(Group((mention,), "one"))
            continue
        mixed = last.last.stance != mention.stance
        if mixed and mention.option == last.last.option:
            out.append(Group((mention,), "one"))
            continue
        if mixed and mention.stance != "hedged" and ";" in text[last.last.end : mention.start]:
            out.append(Group((mention,), "one"))
            continue
        both = mention.stance == "denied" and _PLURAL.match(text, mention.end)
        listed = last.last.stance == "denied" and join != ","
        apart = mixed and not both and not listed and "denied" in (mention.stance, last.last.stance)
        if apart and not (last.last.stance == "denied" and mention.strength < 2):
            out.append(Group((mention,), "one"))
            continue
        kind: Join = "or" if "or" in (last.join, join) else "and"
        members = (*last.members, mention)
        stance = "denied" if both or last.last.stance == "denied" else last.last.stance
        firm = max(m.strength for m in members)
        if last.last.stance == "weighed" or (mention.stance == "weighed" and stance == "said"):
            stance = "weighed" if mention.stance == "weighed" and last.last.strength < 4 else stance
        out[-1] = Group(tuple(m._replace(stance=stance, strength=firm) for m in members), kind)
    return out


def _joined(text: str, here: Mention, then: Mention) -> Literal["and", "or", ","] | None:
    if then.start - here.end > 24 or here.option < 0 or then.option < 0:
        return None
    gap = text[here.end : then.start]
    bare = gap.strip(_EDGES)
    if not gap or (then.strength < 4 and gap.count("\n") == 1 and not bare.strip("-•+") and _line_ends(text, then.end)):
        return ","
    if "\n\n" in gap:
        return None
    match = _JOIN.fullmatch(bare) if bare else None
    if match is None:
        return None
    if match["also"]:
        return None if _TOPIC.match(text, then.end) else "or"
    if match["or"] or bare in ("/", "|"):
        return "or"
    return "and" if match["and"] or bare in "&+" else ","


def _line_ends(text: str, end: int) -> bool:
    return not text[end : end + 4].split("\n", 1)[0].strip(_EDGES + ".,")
