"""The signs around an option by which it is chosen, denied or weighed, in the languages read here; in lower case."""

from __future__ import annotations

import re


def wordset(words: str) -> frozenset[str]:
    """The words of a list written as one text.

    >>> sorted(wordset("no not"))
    ['no', 'not']
    """
    return frozenset(words.split())


NEGATIVE = wordset(
    "ain't aren't bukan can't cannot couldn't didn't discard dismiss doesn't don't dont disagree doubt doubtful eliminate hardly nobody "
    "eliminated eliminates eliminating except exclude excluded excludes excluding isn't isnt jamais kein keine "
    "neither nem never ni nicht no non nor not nunca não pas reject rejected rejecting rejects shouldn't tidak "
    "unlike wasn't won't wouldn't не нет لا ليس ليست नहीं"
)
"""Anywhere before the option in its clause, these deny it."""

WEIGHING = wordset(
    "almost nearly analyze analyse analyzing discuss discussing explain examine although argue assume assuming check checking compare comparing consider considered considering "
    "d'abord despite distractor earlier evaluate evaluating examine falls first had hypothetically if initially "
    "jika look looking looks originally sight tell previously prima primeiro primero si suppose tempted tempting though unless versus vs wenn "
    "whether while why zuerst zunächst если сначала"
)
"""Before an option in its clause, these only consider it."""

HEDGES = wordset("could may maybe might perhaps possibly seem seems vielleicht quizás talvez forse mungkin")
"""These put it forward without being sure."""

LEADS = (
    NEGATIVE
    | WEIGHING
    | HEDGES
    | wordset(
        "a adalah also and answer answers antwort are as atau be because believe between both bukan but by c'est "
        "candidate choice choices choisis choose chose chosen dan das der die donc dunque e either el elijo eliminate escludo "
        "es escolho est et except exclude for from guess hence however i'd if into is ist it it's its jadi jawaban "
        "rather says answers chooses now picks selects confident dirais saya auf würde edit eher than finalmente here hier in lean leaning lettera letra lettre buchstabe mean meant needs of on prefer sim tetapi toward towards use yes yet zu "
        "être thinks l'option la le leave leaves leaving letter like like: ma mais maka mark marked mas me melainkan nehme "
        "neither ni nicht no non nor not não o oder of: only opción option options opzione opção or ou out pas pero "
        "pick picked pilih pilihan reject resposta respuesta risposta rule ruled rules réponse said say scelgo select "
        "selected since sind sino so son sondern sono sont statement statements são tapi than that that's thats then верно правильно "
        "therefore think thought thus tidak to und versus vs was whether while with would wähle y è é а вариант "
        "выбираю и или но ответ это الخيار هو هي विकल्प"
    )
)
"""Words after which a capital letter by itself may be an option; after any other it is part of a name, as in vitamin C."""

STRONG_LEADS = wordset(
    "says been equals get gives makes now dirais saya auf würde eher finalmente prefer sim верно правильно adalah also answer are be believe bet c'est choisis choose chose donc elijo es escolho est guess guessing "
    "hence is ist it's its jadi leave leaves leaving melainkan nehme only pick picked pilih say scelgo select "
    "receive given use meant edit toward towards confident yes verdict conclusion selected sino so sondern that's thats then therefore think thus wähle è é выбираю это"
)
"""Those of them that lead up to the option chosen."""

AFTER_A = wordset(
    "- adalah although and answer appears are as beats because but by can can't cannot choice correct could dan "
    "definitely describes does doesn't due e es est et false fits for has have here holds if is isn't ist it karena "
    "matches must not option or parce perché porque refers right says seems since so states than that then therefore "
    "though и true und was weil which while works would wrong y è é"
)
"""Words that may follow the option A; before any other, `A` is the article."""

SLIGHT = wordset("a an the it is was it's of these those them above this that are were be to")
"""Words that tell no option from another."""

TURNED = wordset("not no never none nor neither without cannot can't non")
"""Words that turn what an option says into its opposite."""

INVERTED = wordset("could can might may is would")
"""A clause that begins with one of these before its subject asks."""

GO = wordset("go going went settle settled settling opt opting stick sticking land lean leaning decide vote")
"""With a preposition behind them, these lead up to the option chosen."""

ARTICLES = wordset("the an la le el il die der das option choice answer letter only letra lettre lettera buchstabe")
"""Passed over on the way back to the word that leads up to an option."""

_WRONG = (
    r"wrong|incorrect|false|untrue|out\b|ruled out|eliminated|excluded|invalid|impossible|inaccurate|mistaken?|errors?|traps?|misconceptions?|least|worst|not|unlikely|rejected"
    r"|falsch|nicht|faux|fausse|incorrecte?|incorrect[oa]|fals[oa]|errad[oa]|errat[oa]|sbagliat[oa]|salah|неверн\w*|неправильн\w*"
)

DENIED_AFTER = re.compile(
    r"['\"*_`)\]}:$ >-]{0,6}(?:(?:option|choice|answer)\s)?(?:\([^()\n]{0,30}\)\s)?(?:"
    r"(?:is|are|was|were|would be|seems?|looks?|can be|must be|being|ist|sind|est|es|é|è|adalah|both|also|all|clearly|obviously"
    r"|definitely|therefore|thus|would|will|be|the|an?(?! (?:is|was|has|can|does)\b)|está| |(?<= is)\n|(?<= are)\n|(?<= was)\n){0,8}"
    rf"(?:{_WRONG})(?![^\W_])(?! (?:wrong|false|incorrect|only|just|merely))|(?:isn't|aren't|wasn't|doesn't|don't|cannot|can't|couldn't|won't"
    r"|wouldn't|does not|do not|did not|didn't|could not|would not|fails?|contradicts|no longer|no es|não é|non è|n'est pas|не|(?:has|have|had|needs?|must|should|can|is) (?:to )?be (?:safely )?(?:excluded|eliminated|ruled out|rejected|discarded|discounted|dismissed))(?![^\W_])"
    r"(?! (?:be )?(?:wrong|false|incorrect|mistaken|denied|excluded|eliminated|ruled out|rejected|dismissed))"
    r"|(?:项|項|选项|選項|都|均|也|是|明显|显然)*(?:不对|不對|不正确|不正確|不符|不成立|不是|不选|不可能|错|錯|有误|排除|非)"
    r"|(?:は|が|も)?(?:間違|誤り|違|不正解|ではな|ではありま|じゃな)|(?:은|는|이|가)? ?(?:정답이 ?)?(?:틀|오답|아니|아닙)|[):>]\s{0,2}[*_]{0,2}(?:no|nein|non|não|否)(?=[.,;\n]| ?[(\[]|$)|✗|❌|✘|×|\((?:no|wrong|incorrect|false|rejected|eliminated)\)|خطأ|गलत|नहीं)",
)

SAID_AFTER = re.compile(
    r"['\"*_`)\]}:$ >-]{0,6}(?:(?:option|choice|answer)\s)?(?:\([^()\n]{0,30}\)\s)?(?:"
    r"(?:is|are|was|would be|must be|seems|looks|ist|sind|est|es|é|è|adalah|both|clearly|definitely|obviously|therefore|thus|indeed"
    r"|the|a|most|only|one|best|my|also|la|le|el|die|der|das|o|yang| ){1,8}"
    r"(?:correct|right|true|best|better|preferable|accurate|appropriate|answer|choice|valid|suitable|fitting|richtig\w*|korrekt\w*|antwort|correcte?"
    r"|correct[oa]|corrett[oa]|corret[oa]|juste|bonne|vrai|verdader[oa]|réponse|respuesta|resposta|risposta|benar|tepat|jawaban)(?![^\W_])(?! (?:option|answer)? ?if\b)"
    r"|is (?:the |my )?(?:most|best) (?!tempt|common|popular|plausib|obvious|attract|unlikely)\w+ (?:option|answer|choice)"
    r"|it is(?![^\W_])|(?:项|項|选项|才|就|是|为|完全|的说法)*(?:是?对的|正确|正確|對的|符合|成立|是?答案|没错)"
    r"|(?:は|が)(?:正し|正解|答え)|(?:이|가) ?(?:정답|맞|옳)|[):>]\s{0,2}[*_]{0,2}(?:yes|ja|oui|sí|sim|是)(?=[.,;\n]| ?[(\[]|$)|✓|✔|✅|верн\w*|правильн\w*|- верн|صحيح|सही)",
)

WEIGHED_AFTER = re.compile(
    r"['\"*_`)\]}$\s]{0,4}(?:(?:is|are|was|would be|might be|may be|could be|seems|looks|can be) (?:an? |the |also |only |very |more |too )*"
    r"(?:common|distract\w+|trap|tempting|plausible|close|popular|misconception|possib\w+|option|candidate|contender|second|runner|partial\w*|near)\b"
    r"|(?:if|unless)\b|or (?:\w+ ){0,2}not\b|might|may\b|could\b|\?|earlier|initially|originally|at first|first\b|,? (?:for example|for instance|e\.g\.))",
)
"""Spoken of without being chosen."""

EXCEPT_BEFORE = re.compile(
    r"(?:\b(?:all|every\w*|any\w*|none|nothing|nobody|no (?:other )?(?:option|choice|answer)|each)\b[^.!?\n]{0,24}?"
    r"(?:but|except(?: for)?|besides|other than|apart from|aside from)|除了?|除)\s?(?:options?|choice|选项)?\s?[*_(\"']{0,3}$",
)

EXCEPT_AFTER = re.compile(r"[\s*_)\"']{0,4}(?:外|之外|以外|,)*\s?(?:其他|其余|其它)?(?:的?选项)?")

HAN_LEADS = tuple("选選是为為案项項故和与與或非除应應即有了但只择擇把将看则則及以到者と也も是は가는은や、기くの")

HAN_NAMES = tuple("型股级級区區组組类類座轮点點班肝细細族片罩栏")

HAN_DENIED = re.compile(
    r"(?:不是|并非|並非|不选|不選|排除了?|不可能是|不应选|不应该选|不能选|而不是|不会是|不會是|不应是|绝不是|误选|错选|不为)"
    r"(?:选项|選項|答案|选)?[\s(*\"'《「]{0,3}$"
)
