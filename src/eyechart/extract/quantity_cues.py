"""The words and marks around a number that say what it is: denied, taken back, a bound, a step, one of several."""

from __future__ import annotations

import re

CORRECTED = re.compile(
    r"(?:\b(?:no,? wait|wait|no,|no\.|nope|actually,|correction|scratch that|i mean|make that|oops|sorry,|my mistake|let me correct (?:that|myself)|that(?:'s| is) (?:wrong|incorrect|not right))"
    r"|不对|不對|更正|等等|我错了|nein,|doch,|non,|нет,|稍等)",
    re.IGNORECASE,
)
OR = r"(?:or|oder|ou|o|u|или|atau|maybe|perhaps|possibly|vielleicht|peut-être)"
NEXT = re.compile(
    rf"[*_`$)}}\" ]{{0,4}}(?:\\text ?\{{ ?)?(?:(?P<noun>[^\W\d_]{{1,20}} )?(?:(?P<alt>,? ?\(?\b{OR}\b|或者?|还是|または|또는|か|/|\||أو|या)|(?P<list>[,;、，；&]|,? ?\b(?:and|und|et|y|e|dan|и)\b|和|与|及))) ?"
    rf"(?:\b(?:and|{OR}|it (?:is|could be|might be))\b ?)?[*_`$\\(\"'{{}} ]{{0,6}}(?:[a-z] ?= ?)?[-$\\(\"' ]{{0,4}}",
    re.IGNORECASE,
)
TO = re.compile(
    r" ?(?:-|--|to|~|bis|à|a|hasta|до|through|sampai|至|到|에서|から|〜|～|and|und|et|y|और) ?\$?", re.IGNORECASE
)
BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|antara|между|from|range)\W*$|介于$|在$", re.IGNORECASE)
MOVED = re.compile(
    r"\b(?:grew|rose|fell|dropped|went|increased?|decreased?|changed?|reduced?|goes|falls|rises)\b", re.I
)
OPERATOR = re.compile(r" ?(?:[+*×÷:·]|\\times|\\cdot|\\div|x|-(?= )|−) ?\$?")
NEGATED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot be|can't be|instead of|rather than|anything but|doubt (?:that )?(?:it|the answer) is|nicht|kein|pas|bukan|не|(?:non|não|nao|no)(?: (?:è|e|é|es|son|sono|são))?)|n't(?: be)?|!=|不是|并非|並非|不为|不等于|绝非|≠|\\ne|\\neq|ليس|ليست)"
    r"(?: (?:equal to|be|a|the|simply|just|el|la|le|der|das|die|sur|in fact|actually|really))? ?[*_`\"'$(]{0,4}$",
    re.IGNORECASE,
)
NEGATED_AFTER = re.compile(
    r"[*_`\"'$)}\] ]{0,4}(?:(?:is|was|would be|can be|could be) (?:definitely |clearly |obviously |certainly )?(?:wrong|incorrect|not (?:the )?(?:correct|right|answer)|false|a mistake)"
    r"|(?:is|was)n't (?:the )?(?:right|correct|answer)|,? (?:but )?(?:which|that|this) (?:is|was) (?:wrong|incorrect|not|a mistake)|(?:ist|wäre) (?:falsch|nicht)|n'est pas|(?:es|está|é|è) (?:incorrect[oa]?|falso|errado|sbagliat[oa]|errat[oa])\b|no es\b|não é\b|non è\b|не (?:является|верн)|ではありません|ではあり|[은는이가] 아[니닙]|是错|是不对|不对|ではなく|ではない|じゃな|가 아니|이 아니|नहीं)",
    re.IGNORECASE,
)
ABOUT = re.compile(
    r"(?:\b(?:approximately|approx\.?|about|around|roughly|circa|ca\.|some|close to|ungefähr|etwa|rund|environ|aproximadamente|alrededor de|cerca de|circa|около|примерно|sekitar)|≈|\\approx|大约|大約|约|約|大概|差不多|将近|约为|약|およそ|लगभग|حوالي) ?(?:is |equal to )?[*_`$\\(]{0,4}$",
    re.IGNORECASE,
)
ABOUT_AFTER = re.compile(r" ?(?:左右|上下|or so\b|-ish\b|ish\b|ほど|程度|정도)")
BOUND = re.compile(
    r"(?:(?P<low>(?<!<b)(?<!<i)(?<!<u)(?<!em)(?<!strong)(?<!span)(?<!<p)(?<!td)>=?|≥|\\geq?|\\gt|\b(?:more than|greater than|higher than|larger than|exceeds?|exceeding|at least|no (?:less|fewer) than|not (?:less|fewer) than|over|above|mehr als|mindestens|plus de|más de|mais de|più di|lebih dari|более)|超过|至少|多于|大于|不少于|不低于)"
    r"|(?P<high><=?|≤|\\leq?|\\lt|\b(?:less than|fewer than|smaller than|lower than|shorter than|nearly|almost|just under|short of|at most|no more than|not more than|up to|under|below|weniger als|höchstens|moins de|menos de|kurang dari|менее)|不到|至多|少于|小于|不超过|最多)|(?P<loose>~|〜|～)) ?[*_`$\\(]{0,4}$",
    re.IGNORECASE,
)
BOUND_AFTER = re.compile(
    r" ?(?:is too (?:low|small|little|few)\b|or (?:more|greater|above|higher|over)|\+(?=$|[ .])|以上|及以上)|(?P<high> ?(?:is too (?:high|large|big|much|many)\b|or (?:less|fewer|below|under)|以下|以内))",
    re.I,
)
NO_SOLUTION = re.compile(
    r"\b(?:no (?:real |integer |valid |such )?(?:solutions?|answer exists|roots?|number)|does not exist|doesn't exist|undefined|infinit(?:e|y|ely)|impossible|not possible|(?:isn't|aren't|is not|are not) (?:any|a) (?:[a-z]+ )?solutions?|keine lösung|sin solución|pas de solution|aucune solution|нет решений)\b|∞|\\infty|无解|無解|不存在|无穷|没有解|なし|해가 없",
    re.IGNORECASE,
)
STEPPED = re.compile(
    r"(?:\b(?:step|question|problem|example|part|case|equation|eq\.?|figure|fig\.?|table|section|chapter|page|exercise|option|item|no\.?|number of the|rule|line|schritt|frage|étape|paso|шаг)|[A-Za-z] ?#|第|步骤|例|问题|题) ?\(?$",
    re.IGNORECASE,
)
ADJUNCT = re.compile(
    r"\b(?:in|after|per|for|every|each|of|from|with|by|at|than|over|within|during|on|before|until|since|among|between|all|the (?:first|last|other|next|remaining)|if|when|these|those|his|her|their|its|nach|pro|für|mit|von|aus|dans|pour|après|de|des|du|para|por|con|em|за|из|для)"
    r"(?: (?:the|his|her|their|its|all|another|each|those|these|only))? ?[*_`$(]{0,4}$",
    re.IGNORECASE,
)
COPULA = re.compile(
    r"\b(?:is|are|was|were|be|equals?|makes?|made|totals?|gives?|gave|yields?|becomes?|costs?|spen[dt]s?|earn(?:s|ed)?|has|have|had|gets?|got|needs?|takes?|took|pays?|paid|left with|total of|comes to|ist|sind|beträgt|est|sont|es|son|é|são|è|sono|adalah|равно|равен)\b(?: (?:equal to|exactly|only|just|a total of|now|still|therefore|about|approximately|left with))?[ :*_`$\\(]{0,8}$|[是为有共剩得花需要了:：=≈→][ *_`$\\(]{0,6}$",
    re.IGNORECASE,
)
CUE = re.compile(r"[a-z]+|[<>~#\\]")
LISTED = re.compile(r"\. +[A-Za-z*]|\) +\S")
ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|[A-Za-z]-|-[a-zA-Z]")
ASKED = re.compile(r" ?[?？]")
DIGIT = re.compile(r"[0-9½¼¾⅓⅔]")
SIDE = re.compile(r"[0-9½¼¾]")
INNER = re.compile(r"\\text\{[^{}]*\}")
STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
BRACKET = re.compile(r"\([^()\n]{0,300}\)")
SIMPLE = re.compile(r"[\s*_`\"'(]{0,8}((?:-?[1-9][0-9]{0,14}|0)(?:\.[0-9]{0,8}[1-9])?)[\s*_`\"').!}。]{0,8}")
"""A number as the reader itself would write it, and marks."""
BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")
PLAINLY = re.compile(r"[A-Za-z]{3,}|[\u4e00-\u9fff]")
GLOSS = re.compile(r"[*_` ]{0,3}\([*_` ]{0,3}\$?")
TERM = r"\(?\$?[0-9][0-9.,]{0,15}%?(?: ?[A-Za-z]{1,20}){0,3}(?:/[A-Za-z]{1,20})?\)?"
SUM = re.compile(rf"[\s=*_`$]{{0,6}}{TERM}(?: ?[-+*/×÷x·] ?{TERM}){{1,8}} ?")
EQUALS = re.compile(r"(?<![<>!≠=])=(?![=>])|=>|->|→|≈|\\approx")
COMMAND = re.compile(r"\\[a-zA-Z]+")
SUPPOSED = re.compile(
    r"(?:\b(?:(?:some|one|many|others|people|you|students) (?:may|might|could|would)|previously|mistakenly|wrongly|common (?:mistake|error)|tempt(?:ed|ing)|at first|unlike|other (?:option|answer)s?|(?:first|initially) (?:thought|said|got|wrote)|i (?:thought|said|wrote))\b|乍一看|有人可能)[^.;:!?\n,]{0,30}$",
    re.IGNORECASE,
)
"""What stands before a number that somebody else, or an earlier self, might have said."""
PRECISION = re.compile(r" ?(?:significant|decimal|sig\.?)[ -](?:figures?|places?|digits?|figs?)\b", re.IGNORECASE)
MONTH = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? $",
    re.IGNORECASE,
)
OTHERWISE = re.compile(r"\b(?:otherwise|or else|else|sonst|sinon)\b")
CLAUSE = re.compile(
    r"[ ,;因](?:(?:(?<=[,;]) |(?<= ))(?:since|because|as (?:he|she|it|they|we|there)|given that|nämlich|denn|weil|parce que|puisque|porque|pues|já que|perché|poiché|потому что|так как|karena)\b(?<! and since)(?<! and because)|(?:(?<=[,;]) |(?<= ))(?:instead of|rather than|compared (?:to|with))\b(?![^=]*=)|(?<=,) car (?=il|elle|on|nous|l)"
    r"|(?<=因)[为為]|(?:(?<=,) |(?<= ))which (?:is|was|are|were) (?=[^,.;\n]{0,30}\b(?:less|more|fewer|greater|higher|lower|smaller|larger|older|younger|taller|shorter) than))",
    re.IGNORECASE,
)
"""Where a reason or a comparison begins that a sentence gives after what it states."""
ECHOED = re.compile(
    r"[\s*_#]{0,6}(?:question|problem|options?|choices|q|given|find|solve|frage|问题|题目)[*_]{0,2} ?[:：]",
    re.IGNORECASE,
)
"""Where a sentence repeats the task."""
OFFERED = re.compile(rf"\( ?{OR} ", re.IGNORECASE)
STATED = re.compile(
    r"\b(?:is|are|was|were|beträgt|est|es|é|è) [$*_]{0,3}[0-9][0-9.,]{0,15}[*_]{0,2}(?: [^\W\d_]{1,20}){0,3}[*_]{0,2}():(?= )(?![^=]*=)",
    re.IGNORECASE,
)
"""A statement that a colon ends: `The difference is 4 years: Tom is 12, his sister is 8`."""
EQUATED = re.compile(
    r"(?P<name>[a-z]) ?= ?[-$]{0,2}[0-9][0-9.,/]{0,15}\$?,? (?:and|or|und|oder|et|ou|y|o|e|u) \$?(?P=name) ?="
)
"""`x = 2 or x = 3`: not the last of a chain, but one of several."""
_CUED = " ".join(p.pattern.lower() for p in (NEGATED, STEPPED, ABOUT, BOUND, SUPPOSED))
CUES = frozenset(re.findall(r"[a-z]{2,}", _CUED))
FOREIGN = re.compile(
    "|".join(
        sorted({t for t in re.findall(r"[^\W\d_]+|[^\x00-\x7f]", _CUED) if not t.isascii()}, key=len, reverse=True)
    )
)
"""The words and signs of those patterns that are not ASCII."""
WORDED = re.compile(r"[^\W\d_]")
QUESTION = re.compile(r"[^\W\d_] ?[^\W\d_]{2}")
"""Words enough to ask something: `Is it 42?`, but not `42?`."""
APPROX = re.compile(r"[ $]{0,3}(?:≈|\\approx)[ $]{0,3}")
ALTERNATIVE = re.compile(r"[$*_`)} ]{0,4},? ?(?:\b(?:or|oder|ou)\b(?! (?:so|more|less)\b)|或)", re.IGNORECASE)
RANK = re.compile(r"\W*(?:the )?[0-9]{1,9}(?:st|nd|rd|th)\W*", re.IGNORECASE)
"""An ordinal that is the whole answer."""
SO = re.compile(r"[,;] (?:and )?(?:so|therefore|thus|hence|leaving|which means|meaning|bringing)\b", re.IGNORECASE)
"""Where a sentence comes to its conclusion."""


def struck(text: str) -> str:
    """`text` with what is struck out (`~~41~~`) blanked."""
    return STRUCK.sub(lambda m: " " * len(m[0]), text) if "~~" in text else text


def aside(text: str) -> str:
    """`text` with what stands in round brackets blanked, unless nothing else holds a digit or the bracket leads."""
    if "(" not in text:
        return text
    out = BRACKET.sub(lambda m: m[0] if OFFERED.match(m[0]) else " " * len(m[0]), text)
    cut = out.find("(")
    if cut > 0 and ")" not in out[cut:]:
        out = out[:cut] + " " * (len(out) - cut)
    return out
