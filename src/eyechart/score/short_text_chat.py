"""Small talk around an answer: what is said in passing to whoever asked, and claims nothing."""

from __future__ import annotations

import re

_SOUND = r"h+m+|u+h*m*|ah+|aha+|oh+|ooh+|(?:ha)+|wow|hey|well|why|okay|ok|phew|yay"
_ADVERB = (
    r"naturally|certainly|obviously|actually|(?:un)?surprisingly|interestingly|funnily|honestly|basically|apparently|probably"
    r"|presumably|clearly|evidently|surely|ironically|incidentally|technically|famously|simply|undoubtedly|definitely|frankly|indeed"
)
_SURE = (
    r"of course|in (?:fact|short|other words|a nutshell|my (?:opinion|view|humble opinion))|by the way|by far|no (?:doubt|question)(?: about (?:it|that))?|without a? ?doubt|for sure|hands down|needless to say"
    r"|(?:i|we) (?:do |would |really |personally |honestly |still )?(?:think|believe|guess|suppose|reckon|bet|recall|suspect|imagine)(?: so)?|i(?:'m| am) (?:pretty |quite |very |fairly |almost |absolutely |reasonably )?(?:sure|certain|confident)"
    r"|if (?:i|memory|my)\b[^,.!?;:\n]{1,40}|as (?:far as )?(?:i|you|we)\b[^,.!?;:\n]{1,40}|from what i[^,.!?;:\n]{1,40}"
    r"|believe it or not|to be (?:honest|fair|sure|precise|exact)|off the top of my head|(?:to the best|best) of my (?:knowledge|memory)"
)
_YOU = r"my (?:dear |good )?friend|mate|buddy|pal|dude|folks|friend|my dear"
_LABEL = r"fun fact|tl;?dr|(?:short|quick|brief) (?:answer|version)|spoiler(?: alert)?|trivia(?: time)?"
_ASIDE = rf"(?:{_SOUND}|(?:{_ADVERB})(?: enough)?|{_SURE}|{_YOU}|{_LABEL})"
_PASSING = re.compile(
    rf"(?P<head>^\s*|[.!?;\n]\W{{0,3}}\s|\s-\s|,\s{{0,3}})(?:{_ASIDE}\s?,\s{{0,3}}){{0,2}}{_ASIDE}"
    r"(?P<tail>\s?[,:]\s{0,3}|(?=\s?(?:[.!?;\n]|-\s|$)))",
    re.IGNORECASE,
)
_INSERTED = re.compile(
    r"(?P<verb>\b(?:is|are|was|were|be|it's|that's)),\s(?:as|at|believe|by|for|from|i|if|in|of|on|to|without|you)\b(?![^,\n]{0,50}\b(?:not|never|no)\b)"
    r"(?![^,\n]{0,50}n't)[a-z' ]{0,50},\s"
)
_VERB = re.compile(r"(?:\b(?:is|are|was|were|be|been|by|called|named|and|or|but|that)|'s)$", re.IGNORECASE)
_BYE = re.compile(
    r"(?P<stop>[.!?\n])\W{0,6}(?:i )?(?:(?:really )?hope (?:this|that|it|you)|let me know|feel free|cheers|have (?:a|fun)|good luck|happy to|glad|anything else|enjoy|you're welcome"
    r"|thanks|thank you|just (?:ask|let)|if you(?:'d| have| need| want| would)|would you like|want me|shall i)\b[^.!?\n]{0,200}",
    re.IGNORECASE,
)
_NONE_OTHER = re.compile(r"\b(?:none|no one|nobody) (?:other|else) (?:than|but)\s", re.IGNORECASE)
_SOUGHT = re.compile(
    r"(?P<head>^\s*|[.!?;,\n]\W{0,3}\s|\s-\s)(?:(?:i (?:think|believe|guess|suspect|assume)|it sounds like|sounds like|looks like)(?: that)? )?"
    r"you(?:(?:'re| are|'ll be) (?:\w+ly )?(?:looking for|thinking of|thinking about|after)|(?: \w+ly| must)? mean)\s",
    re.IGNORECASE,
)
_DASH = re.compile(
    r"(?<![\w-])([^\W_]{2,40})-(?=(?:not|no|it|it's|that's|which|who|where|when|though|but|because|people|some|many|most|named|known|the|an?)\s)"
)


def chatless(text: str) -> str:
    """`text` without what is said in passing; one who `is looking for` something is told that it `is` that.

    >>> chatless("Hmm, if I remember well, it is, of course, Oslo. Hope that helps!")
    'it is Oslo.!'
    >>> chatless("You're looking for Oslo, mate - not Bergen"), chatless("It was none other than Grieg-the composer")
    ('It is Oslo - not Bergen', 'It was Grieg - the composer')
    >>> chatless("Of course")
    'Of course'
    """
    rest = _BYE.sub(r"\g<stop>", text)
    if "-" in rest:
        rest = _DASH.sub(r"\1 - ", rest)
    rest = _INSERTED.sub(r"\g<verb> ", rest)
    rest = _PASSING.sub(_pass, rest)
    rest = _SOUGHT.sub(r"\g<head>It is ", _NONE_OTHER.sub("", rest))
    return rest if re.search(r"\w", rest) else text


def _pass(match: re.Match[str]) -> str:
    """What is left of an aside: the comma that parted what stands before it from what follows, unless a verb does."""
    head, tail = match["head"], match["tail"]
    if not head.startswith(","):
        return head
    if not tail.strip():
        return ""
    return " " if _VERB.search(match.string[max(0, match.start() - 8) : match.start()]) else ", "
