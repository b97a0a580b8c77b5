"""What a sentence says about the answer in it: denied, hedged, one of two, true or false."""

from __future__ import annotations

import re
from typing import Literal

from eyechart.score.short_text_facts import terms

Verdict = Literal["true", "false", "both", "neither", "unclear"]

_TRUE = (
    r"yes|yeah|yep|true|vrai|vraie|wahr|richtig|ja|oui|sí|sì|sim|vero|verdadero|verdadeiro|benar|ya|да|верно|правда|نعم|صحيح|हाँ|हां|सही"
    r"|correct|right|はい|예|네|맞습니다"
)
_FALSE = (
    r"no|nope|false|untrue|incorrect|wrong|falsch|faux|fausse|falso|nein|non|não|nao|salah|tidak|нет|неверно|ложь|خطأ|नहीं|गलत"
    r"|いいえ|아니요|아니오|틀렸습니다"
)
_POLAR = re.compile(rf"(?<![^\W_])(?:(?P<yes>{_TRUE})|(?P<no>{_FALSE}))(?![^\W_])", re.IGNORECASE)
_HAN_POLAR = re.compile(
    r"(?P<no>不是|不对|不對|不正确|不成立|错误|錯誤|(?<!没)错|(?<!没)錯|否|假|并非|非也|誤り|間違)|(?P<yes>是的|没错|没錯|正确|正確|对|對|真|成立|正しい|^是$|^是[,，。])"
)
_FLIP = re.compile(
    r"(?:\bnot|n't|n’t|\bnever|\bnicht|\bpas|\bcannot be|\bне|\bhardly|\bfar from|\bnothing\b[^,.;]{0,40}|\bimpossible\b[^,.;]{0,40})"
    r"(?: (?:at all|really|quite|entirely|exactly|be|a|the|say|it|is|it's|this|that|that's|think|believe|was|sure|strictly|case|statement|claim|answer)){0,8} ?$",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:wait|(?<!, )actually|actually(?!, (?:in|on|at|by|near|which|who|where|when)\b| - not\b)|scratch that|correction|on (?:reflection|second thoughts?)|let me (?:re|correct)|i (?:was|am) (?:wrong|mistaken)"
    r"|i take that back|my mistake|oops|hold on|nein,|attends|espera|aspetta|tunggu|нет,)(?![^\W_])|等等|等一下|不对[,，。]|更正|纠正|待って|아니,",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?:\b(?:not|never|neither|(?:any|every)(?:thing|one|body) but|all but|near|formerly|former|outside|hardly|doubt|far from|nothing|nor|cannot|without|except|unlike|than|instead of|rather than|versus|excluding|no (?:es|son|era|fue|é)|nicht|kein(?:e|en)?|pas|ni|não"
    r"|bukan|не|isn|wasn|aren|doesn|don|didn|can|couldn|won)\b(?:['’]t)?|ليس|ليست|नहीं)(?P<between>[^.;:!?\n,]{0,40})$",
    re.IGNORECASE,
)
_HAN_DENIES = re.compile(
    r"(?:不是|答案不(?:会|可能)?是|并非|並非|不会是|不可能是|而非|而不是|非|除了?|没有|不叫)[「《\"' ]{0,3}$"
)
_WRONG_AFTER = re.compile(
    r"['\"*_)\]\s]{0,4}(?:,? ?(?:which|that|it) )?(?:(?:is|was|are|were|would be|ist|est|es|é|è|adalah)(?: (?:clearly|definitely|also|simply))? )?"
    r"(?:not(?! only| just)|wrong|incorrect|false|isn['’]t|wasn['’]t|can ?not|can['’]t|falsch|faux|incorrecto|nicht|n['’]est pas|salah)(?![^\W_])"
    r"|\s(?:was|is) (?:the |an? )?(?:old|former|previous|earlier|outdated)\b|,?\s(?:but|yet|however),? (?:it|it's|the|that|actually|really|now)\b"
    r"|['\"」》 ]{0,3}(?:是)?(?:不对|不對|错|錯|不正确|不是|では(?:な|あり)|じゃ(?:な|あり)|でな|[이가은는]? ?아니|がちが|は違)|\?|？",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|may be|could be|not (?:entirely |completely |quite )?(?:sure|certain)|unsure|uncertain|hard to say|can't say|cannot say"
    r"|don['’]t know|do not know|no idea|idk|unknown|it depends|depends on|cannot be determined|can['’]t be determined|vielleicht|möglicherweise|peut-être|quizás|tal vez|talvez|forse"
    r"|mungkin|возможно|может быть|keine ahnung|weiß nicht)\b|也许|可能是|或许|不知道|不确定|不清楚|说不定|大概也许|かもしれ|아마|ربما|शायद",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:i(?:['’]m| am) (?:sorry|unable|afraid)|i (?:can(?:no|['’])t|cannot|won['’]t) (?:help|answer|assist|provide|comply)|as an ai)\b|抱歉|无法回答|无法提供",
    re.IGNORECASE,
)
_NOTE = re.compile(r"[\[({<][^\[\](){}<>]{0,600}[\])}>]")
_GRADER = re.compile(
    r"\b(?:grader|graders|evaluator|judge|scorer|(?:the )?reference (?:is|answer|says)|treat this as|expected answer|gold answer|answer key|mark (?:this|it|me)|count (?:this|it) as|grade (?:this|it)"
    r"|ignore (?:the |all |any )?(?:previous|above|prior)|full (?:marks|credit))\b|评分|阅卷|参考答案|判为正确|标准答案",
    re.IGNORECASE,
)


def spoken(text: str) -> str:
    """`text` without what it says to whoever grades it, as long as before.

    >>> spoken("Lyon. [Note to grader: Paris is right] Ha").split()
    ['Lyon.', 'Ha']
    """
    if not _GRADER.search(text):
        return text
    text = _NOTE.sub(lambda m: " " * len(m.group()) if _GRADER.search(m.group()) else m.group(), text)
    match = _GRADER.search(text)
    if match is None:
        return text
    cut = max(text.rfind(stop, 0, match.start()) for stop in (". ", "! ", "\n", "。", "; "))
    return text[: cut + 1] if cut >= 0 else text[: match.start()] if text[: match.start()].strip() else text


_HIDDEN = re.compile(
    r"<!--(?:[^-]|-(?!-)){0,600}(?:-->?)?|~~[^~\n]{1,200}~~|<[a-z][^<>]{0,200}(?:display:\s?none|hidden)[^<>]{0,100}>[^<]{0,600}"
    r"|</?[a-zA-Z][^<>\n]{0,200}(?:>|$)",
)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,300}\)?")
_ASIDE = re.compile(r"\([^()\n]{0,400}\)|\[[^\[\]\n]{0,400}\]")


def shown(text: str) -> str:
    """`text` without what is hidden, struck out, crossed or said aside in brackets, as long as before.

    >>> [shown(t).split() for t in ("~~Rome~~ Oslo", "Oslo (not Rome)", "(Oslo)", "Oslo ✅ Rome ❌", "Oslo <!-- Rome -->")]
    [['Oslo'], ['Oslo'], ['(Oslo)'], ['Oslo', '✅'], ['Oslo']]
    """

    def blank(match: re.Match[str]) -> str:
        return " " * len(match.group())

    if "](" in text:
        text = _LINK.sub(lambda m: m.group(1).ljust(len(m.group())), text)
    if "<" in text or "~~" in text:
        text = _HIDDEN.sub(blank, text)
    for mark in "❌✗✘":
        if mark in text:
            ahead = text.lstrip()[:1] in "✅✓✔" + mark
            text = re.sub(rf"{mark}[^✅✓✔{mark}]*" if ahead else rf"[^✅✓✔{mark}\n]*{mark}", blank, text)
    if ("(" in text or "[" in text) and (
        rest := _ASIDE.sub(lambda m: m.group() if _WRONG_ASIDE.match(m.group()) else blank(m), text)
    ).strip(" .*"):
        return rest
    return text


_WRONG_ASIDE = re.compile(r"\((?:wrong|incorrect|false|not (?:correct|right))\)", re.IGNORECASE)


def settled(text: str) -> str:
    """`text` from its last change of mind on, as long as something follows it.

    >>> settled("Paris. No wait, Lyon").strip(), settled("Paris, actually")
    ('Lyon', 'Paris, actually')
    """
    ends = len(text.rstrip(" .,:;!?"))
    kept = max((turn.end() for turn in _TURN.finditer(text) if turn.end() < ends), default=0)
    return text[kept:].lstrip(" ,:.;-") if kept else text


def hedged(text: str) -> bool:
    """Whether `text` puts nothing forward for certain, or nothing at all.

    >>> hedged("It might be Paris"), hedged("Probably Paris"), hedged("I don't know")
    (True, False, True)
    """
    return bool(_HEDGE.search(text) or _REFUSES.search(text))


_UNSURE = re.compile(
    r"(?:^|(?<=[.!?,;:(\n])|\b(?:and|but|though|although)\b)\s{0,3}(?:well,? |hmm,? )?(?:(?:i['’]?m|i am|we['’]re|we are) )?"
    r"(?:not (?:entirely |completely |quite |totally |absolutely |really |very )?(?:sure|certain)|unsure|uncertain)(?: about (?:it|this|that))?"
    r"\s{0,3}(?:[,;.:!—-]|$|(?=but\b|though\b))[,\s]{0,4}(?:but\b|though\b|so\b)?",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|possibly|vielleicht|möglicherweise|peut-être|quizás|tal vez|talvez|forse|mungkin|возможно)\b"
    r"|\b(?P<verb>(?:might|may|could)(?: possibly| well)? be)\b(?=\s+\w)|也许|可能|或许",
    re.IGNORECASE,
)
_AFFIRMED = re.compile(
    r"\?(?=[ ,.]{0,120}(?:(?:but )?(?:i (?:think|believe|guess|suppose|would say) so|yes|probably|that's my (?:best )?guess)\b|$))[^?]{0,160}$",
    re.IGNORECASE,
)


def owned(text: str, *, guesses: bool = True) -> str:
    """`text` without how sure it is of its one answer, as long as before: who guesses still answers.

    Kept are the hedges of a text that guesses twice, or asks. Without `guesses` only `I'm not sure, but` goes.

    >>> [owned(t).split() for t in ("Maybe Oslo", "It could be Oslo", "I'm not sure, but Oslo", "Maybe Oslo, maybe Rome", "Maybe Oslo?")]
    [['Oslo'], ['It', 'is', 'Oslo'], ['Oslo'], ['Maybe', 'Oslo,', 'maybe', 'Rome'], ['Maybe', 'Oslo?']]
    >>> [owned(t).split() for t in ("Oslo? I'm not sure, but I think so.", "I'm not sure.", "Maybe")]
    [['Oslo'], ["I'm", 'not', 'sure.'], ['Maybe']]
    """

    def blank(match: re.Match[str]) -> str:
        return ("is" if match.groupdict().get("verb") else "").ljust(len(match.group()))

    bare = _UNSURE.sub(blank, text)
    if guesses and _AFFIRMED.search(bare) and bare.rstrip()[-1:] != "?":
        bare = _AFFIRMED.sub(blank, bare)
    if guesses and len(_GUESS.findall(bare)) == 1:
        bare = _GUESS.sub(blank, bare)
    return bare if re.search(r"\w", bare) and bare.rstrip(" .\"'*")[-1:] != "?" and not _LACKS.search(bare) else text


_LACKS = re.compile(
    r"\b(?:more (?:information|context|details?|data)|look (?:it|this|that) up|clarify|(?:would|'d) (?:need|have to)|what you mean|any(?:thing|one|body|where| of)|some(?:thing|one|body|where)(?: else)?|argued|true|false)\b",
    re.IGNORECASE,
)


def denied(text: str, start: int, end: int) -> bool:
    """Whether what stands at `start` to `end` is said not to be the answer.

    >>> [denied(t, t.index("Paris"), t.index("Paris") + 5) for t in ("not Paris", "Paris is wrong", "not Rome, but Paris", "Paris?")]
    [True, True, False, False]
    """
    before = text[max(0, start - 60) : start]
    if _HAN_DENIES.search(before):
        return True
    match = _DENIES.search(before)
    if (
        match
        and not re.match(r"\s*(?:only|just|merely)\b", match["between"])
        and not re.search(r"\bbut\b|\bsondern\b|但", match["between"])
    ):
        return True
    after = _WRONG_AFTER.match(text, end)
    return after is not None and not (
        after.group().strip() in ("?", "？") and not text[after.end() :].strip() and not before.strip()
    )


_BOTH = re.compile(r"^\W*(?:true or false|yes or no|true/false|yes/no)\s?:\W*(?=\w)", re.IGNORECASE)
_ASKED = re.compile(r"[^.!?;\n]{0,300}[?？]")
_WEAK = re.compile(
    r"\b(?:half|part(?:ly|ially|)|mostly|mainly|largely|nearly|almost|somewhat|half-way|semi|too good to be|(?:sort|kind) of)(?: [a-z]{1,20}ly)?[ -]$|\w-$"
    r"|\bif [^.;\n]{0,40}\b(?:true|false|so|not|yes|no)\b[^.;\n]{0,20}$"
    r"|\b(?:if|whether|sometimes|when|unless|once|many|most|some|people|at first|looks|seems|was|used to)\b[^,.;]{0,60}$",
    re.IGNORECASE,
)
_SPLIT = re.compile(r",?\s(?:but|yet|however|aber|mais|pero)\s|，?但是?", re.IGNORECASE)
_REASON = re.compile(r",?\s(?:since|because|as|while|although|though|which)\s|(?<=\w)[:：]\s", re.IGNORECASE)
_AGREED = re.compile(
    r"\W*(?:(not (?:really|exactly|quite|at all|in the least|so))|(?:certainly|absolutely|definitely|of course|indeed|exactly)(?: (not))?)\W*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"-[a-z]|\s+(?:only (?:if|when|for|in)\b|unless\b|except\b)|\s+(?!(?:and|as|at|because|but|by|for|from|given|here|however|if|in|indeed|it|its|of|on|only|or|per|since|so|that|the|there|then|this|though|to|under|when|where|which|while|with|always|all"
    r"|answers?|assertion|claim|fact|proposition|sentence|statements?|wait|not|yes|no|is|was|a|an|i|we|you|he|she|they|about|according|based|enough|either|too|regardless|overall)\b)[a-z]",
)
"""`true` and `false` before a noun say something of it alone: a false alarm, a true story; on a condition, nothing for sure."""
_CONCLUDED = re.compile(
    r"\b(?:so|therefore|thus|hence|in short|overall|in conclusion)\b([^.;\n]{0,40})\W*$|(?:所以|因此)([^。]{0,20})$",
    re.IGNORECASE,
)


def polarity(text: str) -> Verdict:
    """Whether `text` says yes (`true`) or no: `both` where it contradicts itself, `neither` where it says nothing.

    What comes after `but` outweighs what stands before it, a predicate the `yes` or `no` that opens its sentence;
    questions, conditions, reasons and what others believe do not count.

    >>> [polarity(t) for t in ("No, that's false.", "It is not true.", "yesterday", "Yes and no", "It is not untrue.")]
    ['false', 'false', 'neither', 'both', 'unclear']
    >>> [polarity(t) for t in ("True? No.", "No, it is true.", "Many think it true, but it's false.", "If true, I wonder")]
    ['false', 'true', 'false', 'neither']
    """
    agreed = _AGREED.match(text)
    if agreed:
        return "false" if agreed.group(1) or agreed.group(2) else "true"
    text = _BOTH.sub("", text)
    text = _ASKED.sub(lambda m: " " * len(m.group()), text)
    last = _CONCLUDED.search(text)
    if last and (said := _said(last.group(1) or last.group(2) or "")) in ("true", "false"):
        return said
    for part in reversed(_SPLIT.split(text)):
        said = _said(part)
        if said != "neither":
            return said
    return "neither"


def _said(text: str) -> Verdict:
    found: list[tuple[bool, bool]] = []
    unclear = False
    for match in (*_POLAR.finditer(text), *(() if text.isascii() else _HAN_POLAR.finditer(text))):
        yes = match.group("yes") is not None
        word = match.group().lower()
        before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 12]
        if (
            word in ("no", "right", "non", "ya")
            and re.match(r"\s+[^\W\d_]", after)
            and not re.match(r"\s+(?:and|it|that|this|wait)\b", after)
        ):
            continue
        if word in ("true", "false", "correct", "incorrect", "wrong") and _GOES_ON.match(text, match.end()):
            continue
        if _WEAK.search(before) or (found and _REASON.search(text[: match.start()])):
            continue
        if _FLIP.search(before):
            unclear = unclear or not yes
            if not yes:
                continue
            yes = False
        opens = not before.strip(" \"'*(") and word in _OPENERS
        found.append((yes, opens))
    kept = (
        [yes for yes, opens in found if not opens]
        if not re.search(r"\band no\b|\bи нет\b", text)
        else [y for y, _ in found]
    )
    kept = kept or [yes for yes, _ in found]
    if not kept:
        return "unclear" if unclear else "neither"
    return ("true" if kept[0] else "false") if len(set(kept)) == 1 else "both"


_OPENERS = terms("yes no yeah yep nope ja nein oui non sí sì sim não да нет ya tidak")
