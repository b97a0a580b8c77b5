"""The words by which an answer to a choice question is given, denied or weighed, in the languages read here.

All patterns are for lower case. Those that are looked for everywhere come with the words they begin with: to
find these first, as plain strings, is many times faster than to try a pattern at every place.
"""

from __future__ import annotations

import re


class Sought:
    """A pattern and the words one of which each of its matches begins with.

    A word that may go on, as `premi` does, ends with `*`; `_` stands for a space.

    >>> [m.group() for m in Sought(r"cats?|dog", "cat cats dog").finditer("dog, cats, concat")]
    ['dog', 'cats']
    """

    def __init__(self, pattern: str, begins: str) -> None:
        self._pattern = re.compile(pattern)
        words = begins.replace("_", " ").split("|") if "|" in begins else begins.split()
        stems = [w for w in words if not w[0].isalpha() or w[0] >= _APART or w.endswith("*")]
        self._ascii = tuple(w.rstrip("*") for w in stems if w.isascii())
        self._stems = tuple(w.rstrip("*") for w in stems)
        self._after: dict[str, tuple[str, ...]] = {}
        """The words that begin with this run of letters."""
        for word in words:
            if word not in stems and (run := _RUN.match(word)):
                self._after[run.group()] = (*self._after.get(run.group(), ()), word)
        self._first = frozenset(self._after)

    def finditer(self, low: str, known: frozenset[str] | None = None) -> list[re.Match[str]]:
        """Matches in `low`, which is in lower case, that begin no inside of a word; in order, none overlapping.

        `known`: its runs of letters, where the caller has them.
        """
        begins = [w for w in (self._ascii if low.isascii() else self._stems) if w in low]
        if known is None:
            known = frozenset(_RUN.findall(low))
        if not self._first.isdisjoint(known):
            for run in self._first & known:
                begins += self._after[run]
        if not begins:
            return []
        places: set[int] = set()
        for word in begins:
            at = low.find(word)
            while at >= 0:
                places.add(at)
                at = low.find(word, at + len(word))
        end, out = 0, list[re.Match[str]]()
        for place in sorted(places):
            if place < end or (place and low[place].isalpha() and low[place - 1].isalpha() and low[place] < _APART):
                continue
            match = self._pattern.match(low, place)
            if match:
                end = match.end()
                out.append(match)
        return out


_RUN = re.compile(r"[^\W\d_]+")
_APART = "\u0900"
"""Scripts from here on do not set their words apart, or write them with marks that are no letters."""

_NOUN = (
    r"(?:answers?|ans|antwort|lösung|r[ée]ponse|respuesta|resposta|risposta|jawaban(?:nya)?|ответ|antwoord"
    r"|cevap|odpowiedź|đáp án|(?:correct|right|best|final|my|chosen|selected) (?:option|choice|letter|one|pick|selection"
    r"|response|statement)s?|richtige option|opción correcta|opção correta|bonne option|opzione corretta)(?![^\W_])"
    r"|答案|答え|正解|解答|回答|正确选项|正確選項|정답|답|الجواب|الإجابة|الاجابة|الإجابه|उत्तर|जवाब|উত্তর|απάντηση"
)
_MORE = (
    r"(?:\s+(?:choice|option|letter|to|for|this|the|that|question|here|i|would|give|choose|correct\w*|right|best|richtige"
    r"|korrekte|corr?ett?[ao]|exacte|juste|bonne|finale?|yang|benar|tepat|paling|الصحيحة|الصحيح|النهائي|है|सही)(?![^\W_])){0,5}"
)
_LINK = (
    r"\s{0,3}[*_`\"')]{0,5}\s{0,3}(?:[:=→—–]|->|-(?=\s)|'s(?![^\W_])|(?:is|are|was|(?:would|should|must|will|has to|have to|can only"
    r"|could only) be|ist|lautet|w[äa]re|est|es|é|è|adalah|ialah|является|هي|هو|है|হলো|হচ্ছে|হল)(?![^\W_])|应该是|应该选|应为|应是|应选|是|为|為"
    r"|】|选|選|は|은|는|[*_:]{0,4}[ \t]{0,4}\n|\s?(?=[(\[*]{0,3}[a-zकखगघকখগঘ][)\]*]{0,3}\s?(?:[.。।]?\s?$|[.。।]?\n|है)))"
)
SLOT = Sought(
    rf"(?:{_NOUN}){_MORE}{_LINK}|<(?:final_?)?answer>|\\boxed\s?\{{|\\fbox\s?\{{"
    r"|\"(?:final_?answer|choice|option|letter|label|selection|selected\w{0,9})\"\s{0,3}:"
    r"|(?<![不误誤若没勿错])(?:选择?|選擇?)(?![项項择擇出])|####(?!#)",
    "answer|answers|ans|antwort|lösung|réponse|reponse|respuesta|resposta|risposta|jawaban|jawabannya|ответ|antwoord|cevap|odpowiedź|đáp án"
    "|correct_|right_|best_|final|my_|chosen_|selected_|richtige_option|opción_c|opção_c|bonne_o|opzione_c|答|正解|解答|回答|正确选|正確選|정답|답"
    '|الجواب*|الإجابة*|الاجابة*|الإجابه*|उत्तर|जवाब|উত্তর|απάντηση|<answer|<final|\\boxed|\\fbox|"|####|选|選',
)
"""Where an answer is announced; what is announced begins at the end of the match."""

FILL = re.compile(
    r"(?:[\s*_`\"'$(\[{<:=>→—–-]|\\(?:boxed|fbox|text(?:bf|rm|tt|it|sf)?|math(?:rm|bf|tt|sf))\s?\{|\\[(\[]"
    r"|(?:definitely|clearly|probably|likely|surely|certainly|most|simply|just|option|choice|letter|answer|the|therefore|thus"
    r"|so|indeed|obviously|only|option[es]?|opción|opção|opzione|pilihan|вариант|actually|is|buchstabe|lettre|letra"
    r"|lettera|huruf|буква|الخيار|विकल्प|clairement|sicher|eindeutig)(?![^\W_])|应该|肯定|选项|選項|选|選|是|为|選択肢|보기){0,24}",
)
"""What may stand between an announcement and the answer; bounded, so that a repeated phrase costs linear time."""

PLACEHOLDER = re.compile(
    r"[\[<({$]{0,2}(?:(?:the |your |correct |option |final |chosen |single )*(?:letter|answer|choice|字母)s?(?: here| only)?"
    r"|x|insert[^\]>\n]{0,30}|one of[^\]>\n]{0,30}|\.\.\.|_{2,})[\]>)}]{1,2}|\$?letter\b|[\[<({](?:[a-p][/|,] ?)+[a-p][\]>)}]"
    r"|\[?字母\]?|x{2,}\b|(?:[a-p] ?\| ?){2,}[a-p]\b",
)
"""The format asked for, repeated instead of filled in: `ANSWER: [LETTER]`, `Answer: <your answer>`, `[A/B/C/D]`."""

NO_OPTION = re.compile(
    r"(?:it )?(?:cannot|can't|can not|could not|couldn't) be (?:determined|known|answered|decided)|undetermined|indeterminate"
    r"|(?:there is )?not enough info\w*|(?:none|neither|no one|nothing)(?: of (?:the|these|those|them)\b[^.\n]{0,30})?(?=[\s.,;!*]|$)"
    r"|(?:there is |there's |there are )no (?:correct |right |valid )?(?:answer|option|choice|solution)s?"
    r"|(?:the (?:correct |right )?answer |it )?(?:isn't|is not) (?:listed|among)|all of (?:the|these|them)\b[^.\n]{0,20}|无法确定|不能确定|都不对|都不是|以上都不|没有正确|以上皆非|無法確定"
    r"|keine (?:der|davon|von)|aucune? (?:de|des)|ninguna? de|nenhuma? d[aeo]s?|nessun[ao] d|tidak ada",
)
"""A definite answer that is none of the options (unless an option's text says the same: that is looked at first)."""

TURN = Sought(
    r"\b(?:wait|no[,.:;!]? wait|actually|scratch that|just kidding|correction|on (?:reflection|second thoughts?)|let me (?:re|correct)"
    r"|i (?:was|am) (?:wrong|mistaken)|i take that back|my mistake|i made (?:a mistake|an error)|sorry|oops|hold on|moment|edit|update|after review|revised|make (?:that|it)|i meant?"
    r"|nein,|attends|non,|espera|aspetta|perdão|tunggu|нет,|подождите)(?![^\W_])"
    r"|等等|等一下|不对[,，。]|不對[,，。]|更正|纠正|重新|仔细想|再想|待って|いや|違う|아니|잠깐",
    "wait|no|actually|scratch|just|correction|on_|let_me|i_|my_|sorry|oops|hold|moment|edit|update|after|revised|make|nein|attends|non|espera|aspetta|perdão|tunggu|нет|подождите"
    "|等|不对|不對|更正|纠正|重新|仔细想|再想|待って|いや|違う|아니|잠깐",
)
"""Where the writer changes their mind: what is committed to after it counts."""

ORDINAL = Sought(
    r"(?:(?P<pen>second[- ]to[- ]last|second last|next[- ]to[- ]last|penultimate|last but one)\s(?:option|choice|one|answer)(?![^\W_])"
    r"|(?<=the )(?P<bare>first|second|third|fourth|fifth|last)(?=[.!;*]|$| is (?:right|correct|wrong|true|false))"
    r"|(?P<en>first|second|third|fourth|fifth|sixth|seventh|eighth|last|1st|2nd|3rd|4th|5th|6th)"
    r"\s(?:option|choice|one|answer|alternative|statement|item)(?![^\W_])"
    r"|(?:option|choice|answer)\s(?:number |no\. ?|#)?(?P<n>[1-9]|one|two|three|four|five|six)(?![\w%])(?!\.\d)"
    r"|(?P<de>erste|zweite|dritte|vierte|fünfte|letzte)[nrs]?\s(?:option|antwort|möglichkeit)"
    r"|(?P<fr>premi[eè]re|premier|deuxi[eè]me|seconde|troisi[eè]me|quatri[eè]me|derni[eè]re)\s(?:option|réponse|proposition)"
    r"|(?P<es>primera|segunda|tercera|cuarta|última|primeira|terceira|quarta|prima|seconda|terza|ultima)\s"
    r"(?:opción|respuesta|opção|resposta|alternativa|opzione|risposta)"
    r"|(?:pilihan|opsi|jawaban)\s(?P<id>pertama|kedua|ketiga|keempat|terakhir)"
    r"|(?P<ru>перв|втор|трет|четв[её]рт|последн)\w{1,3}\s(?:вариант|ответ))"
    r"|(?<!倒数)(?<!倒數)第(?P<zh>[一二三四五六七八1-8])(?:个|項|项|個|种|条|选|つ)|(?P<zl>最后一|最後一|最后那|最後の)(?:个|項|项|個|選択肢)?|(?P<ja>[一二三四五1-5])(?:番目|つ目)"
    r"|(?P<ko>첫|두|세|네|마지막) ?번째",
    "next|penultimate|first|second|third|fourth|fifth|sixth|seventh|eighth|last|1st|2nd|3rd|4th|5th|6th|option_|choice_|answer_"
    "|erste*|zweite*|dritte*|vierte*|fünfte*|letzte*|premi*|deuxi*|seconde|troisi*|quatri*|derni*|primera|segunda|tercera|cuarta|última|primeira|terceira|quarta"
    "|prima|seconda|terza|ultima|pilihan|opsi|jawaban|перв*|втор*|трет*|четв*|последн*|第|最后|最後|一番|二番|三番|四番|五番|1番|2番|3番|4番|5番|一つ|二つ|三つ|四つ|첫|두|세|네|마지막",
)
_RANKS = {
    0: "first 1st one 1 erste premiere première premier primera primeira prima pertama перв 一 첫",
    1: "second 2nd two 2 zweite deuxieme deuxième seconde segunda seconda kedua втор 二 두",
    2: "third 3rd three 3 dritte troisieme troisième tercera terceira terza ketiga трет 三 세",
    3: "fourth 4th four 4 vierte quatrieme quatrième cuarta quarta keempat четверт четвёрт 四 네",
    4: "fifth 5th five 5 fünfte 五",
    5: "sixth 6th six 6 六",
    6: "seventh 7 七",
    7: "eighth 8 八",
    -2: "second-to-last next-to-last penultimate",
    -1: "last letzte derniere dernière última ultima terakhir последн 最后一 最後一 最后那 最後の 마지막",
}
RANK = {word: rank for rank, words in _RANKS.items() for word in words.split()}
"""What an ordinal counts from 0; -1 is the last."""
