"""The words in which judges give verdicts, in the languages they write: heads of slots, turns, hedges, praise and blame."""

from __future__ import annotations

import re

STRONG = (
    "verdict|grade|score|rating|winner|judge?ment|decision|urteil|bewertung|wertung|punktzahl|gewinner|gagnant|veredicto|veredito"
    "|puntuación|calificación|pontuação|ganador|vencedor|punteggio|giudizio|vincitore|voto|оценка|вердикт|балл|победитель"
)
WEAK = "(?:better|preferred|best)(?: (?:answer|response|output|one|choice))?|answer|choice|label|result|preference|antwort|réponse|respuesta|resposta|risposta|ответ|note|nota"
"""They name a verdict where nothing stronger does: `Answer:` may head the answer that is judged, `Note:` a remark."""
UNSPACED = "裁判结果|评判结果|判定|评分|评级|得分|分数|结论|胜者|获胜者|裁决|评价|評価|評分|スコア|勝者|점수|평가|판정|التقييم|الدرجة|الحكم"
UNSPACED_WEAK = "答案|选择|الإجابة"

HEAD = re.compile(
    rf"(?:(?<![^\W_])(?<!-)(?:(?P<strong>{STRONG})|(?P<weak>{WEAK}))(?![^\W_])"
    rf"|(?P<dense>{UNSPACED})|(?P<thin>{UNSPACED_WEAK}))"
    r"(?:[ \t](?P<last>final|finale|définitif|definitivo|globale?)(?![^\W_]))?"
    r"[\"'*_`\]】」]{0,4}(?:[ \t]?\([^()\n]{0,40}\))?[\"'*_`]{0,4}"
    r"(?:[ \t]{0,3}(?::|=>?|->)[\"'*_`]{0,4}|[ \t]{1,3}(?:is|was|ist|est|es|è|é)(?![^\W_]):?|[ \t]{1,3}-(?=[ \t])"
    r"|[ \t]?(?:为|是):?|(?<=[】\]])|(?P<tag>>)|(?P<bare>[ \t]{0,3}(?=\n))|(?P<gap>[ \t])(?=\d[\d./]{0,8}[ \t]{0,3}(?:\n|$)))"
    r"[\s*_\"'`\[({<$#|✅❌✓✗✔✘☑✖⭐\ufe0f]{0,12}(?:\\boxed\{)?(?:\\text(?:bf)?\{)?",
    re.IGNORECASE,
)
"""The head of a verdict slot, up to where its value begins."""
BRACKETS = re.compile(r"\[\[(?=[^\[\]\n]{1,60}\]\])\s?|\\boxed\{(?=[^\n]{1,60}\})(?:\\text(?:bf)?\{)?")
"""What holds a verdict by itself: `[[A]]`, `\\boxed{A}`."""
FINAL = frozenset(
    [
        "final",
        "overall",
        "total",
        "finale",
        "finales",
        "endgültiges",
        "gesamte",
        "最终",
        "综合",
        "总",
        "revised",
        "updated",
        "amended",
    ]
)
ASIDE = frozenset(
    [
        "max",
        "maximum",
        "min",
        "minimum",
        "possible",
        "highest",
        "lowest",
        "expected",
        "previous",
        "reference",
        "human",
        "suggested",
        "claimed",
        "confidence",
        "passing",
        "perfect",
        "full",
        "minimal",
        "target",
        "own",
    ]
)
"""In front of a head: it is no verdict of this judge."""
FIRST = frozenset(["initial", "preliminary", "tentative", "first", "provisional"])
NEUTRAL = frozenset(
    [
        "my",
        "the",
        "your",
        "a",
        "an",
        "is",
        "so",
        "thus",
        "therefore",
        "this",
        "and",
        "hence",
        "our",
        "i",
        "in",
        "conclusion",
        "summary",
        "here",
        "it",
        "s",
        "le",
        "la",
        "el",
        "il",
        "mein",
        "meine",
        "das",
        "die",
        "mi",
        "mon",
        "ma",
        "json",
        "output",
        "now",
        "correct",
        "to",
        "conclude",
        "quality",
    ]
)
REPORTED = re.compile(
    r"(?:\b(?:says?|(?<!i )said|saying|claims?|claiming|states?|writes?|wrote|contains?|asks? for|demands?|instructs?|tells|reads)\b|声称|写道|写着|说)"
    r"[^\w\n.!?。]{0,4}(?:(?:that|its|the|a|to)\s)?$",
    re.IGNORECASE,
)
"""Just in front of a head: someone else's words are told."""
TURN = re.compile(
    r"\b(?:wait|actually|scratch that|correction|on (?:reflection|second thoughts?)|let me re\w*|reconsider\w*|i (?:was|am) (?:wrong|mistaken)"
    r"|i take that back|my mistake|oops|hold on|revised?|i misread|changed? my mind|i meant|upon review)\b"
    r"|等等|等一下|更正|纠正|重新|再想|仔细想|待って|잠깐",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"\b(?:but|however|though|although|nevertheless|that said|on the other hand|yet|still)\b|但|不过|然而",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:if|whether|might|could|may|initially|originally|thought|at first|at first glance|at first sight|some (?:may|might|would)|one (?:may|might|could)|do not|don't"
    r"|cannot|can't|unless|not sure|require\w*)\b|如果|假如|是否|可能|乍一看",
    re.IGNORECASE,
)
PRAISE = re.compile(
    r"\b(?:good|excellent|great|correct|right|pass(?:ed|es)?|perfect|strong|outstanding|acceptable)\b|优秀|很好|正确|通过",
    re.IGNORECASE,
)
BLAME = re.compile(
    r"\b(?:bad|poor|wrong|incorrect|fail(?:ed|s)?|terrible|weak|awful|unacceptable|not (?:good|correct|acceptable))\b|很差|错误|不合格",
    re.IGNORECASE,
)
NOUNS = "answer|response|assistant|output|model|candidate|option|reply|completion|summary|text|system|solution|essay|translation"
FOREIGN_NOUNS = (
    "antwort|modell|réponse|modèle|respuesta|modelo|resposta|risposta|modello|asistente|assistente|ответ|модель"
)
HAN_NOUNS = "回答|答案|助手|模型|选项|回复|文本|译文|候选"
TIES = (
    "tie", "tied", "a tie", "it's a tie", "it is a tie", "draw", "a draw", "equal", "equally good", "both", "both equal",
    "both are equally good", "both equally good", "equal quality", "平局", "平手", "打平", "一样好", "两者相当", "不分上下", "引き分け",
)  # fmt: skip
TIED = re.compile(
    r"\bboth (?:\w+ )?(?:are |were )?(?:equal|equally)\b|\bequally (?:good|bad|strong|helpful|correct)\b|(?<!not )\ba (?:tie|draw)\b"
    r"|\bneither (?:\w+ )?is better\b|\bno clear winner\b|两(?:个|者|份)?[^。\n]{0,6}(?:一样好|相当|不相上下)|平局|平手",
    re.IGNORECASE,
)
OPPOSITES = (
    (
        "no|nein|non|нет|não|否|不是|いいえ|아니오|لا",
        "yes|ja|oui|sí|да|sim|是|是的|はい|예|نعم",
    ),
    (
        "incorrect|wrong|inaccurate|not correct|not right|不正确|不正確|错误|錯誤|错|不对|falsch|incorrecto|incorrect|неверно|неправильно",
        "correct|right|accurate|not incorrect|not wrong|正确|正確|对|richtig|correcto|верно|правильно",
    ),
    ("false|not true|假|falsch|faux|falso", "true|not false|真|wahr|vrai|verdadero"),
    ("fail|failed|fails|not pass|不通过|不合格|未通过", "pass|passed|passes|通过|合格"),
)
"""Words for the lower and the upper end of a menu of two."""
