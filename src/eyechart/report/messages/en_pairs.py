"""The words of a report in English: minimal pairs."""

from __future__ import annotations

EN: dict[str, str] = {
    "section.pairs": "What answers depend on",
    "pairs.none": "None of {n} families of small edits moves the score or turns verdicts beyond plain repeatability, after"
    " correction for all tests. That is no proof that nothing depends on them: see the intervals.",
    "pairs.none.score": "None of {known} families of small edits that could be tested for it moves the score, after"
    " correction for all tests. That is no proof that it depends on none: see the intervals.",
    "pairs.none.turn": "None of {known} families of small edits that could be tested for it turns verdicts beyond plain"
    " repeatability, after correction for all tests.",
    "pairs.unknown.score.all": "Whether the score moves is not known: too few items.",
    "pairs.unknown.score.some": "Whether the score moves is not known for {families}: too few items.",
    "pairs.unknown.once.all": "Whether verdicts turn beyond what the model does by itself is not known: asked once.",
    "pairs.unknown.once.some": "Whether verdicts turn beyond what the model does by itself is not known for {families}: asked once.",
    "pairs.unknown.few.all": "Whether verdicts turn beyond what the model does by itself is not known: too few items.",
    "pairs.unknown.few.some": "Whether verdicts turn beyond what the model does by itself is not known for {families}: too few items.",
    "pairs.then": "{first} {second}",
    "pairs.moves": "The score moves with {moved}: of {n} families of small edits that should change nothing, after"
    " correction for all tests.",
    "pairs.turns": "Verdicts turn with {turned}, though the score does not surely move: of {n} families of small edits that"
    " should change nothing, after correction for all tests.",
    "pairs.both": "The score moves with {moved}; verdicts turn with {turned} too, though the score does not surely move: of"
    " {n} families of small edits that should change nothing, after correction for all tests.",
    "pairs.idle": "Nothing to change in these items, so not asked: {families}.",
    "pairs.scores": "What each edit does to the score",
    "pairs.scores.caption": "Only items that the edit changed. Change: mean score with the edit less without, item by item."
    " p is corrected (Holm) for all tests of both tables. Gained and lost: items whose verdict is another one in every repeat.",
    "pairs.turned": "Verdicts that turn, beside plain repeatability",
    "pairs.turned.caption": "Share of pairs of answers in per cent. Turned: one answer with the edit and one without get"
    " another verdict. By itself: two answers to the same unchanged prompt do. Beyond: turned less what repeats differ among"
    " themselves, unbiased, so that it may be below zero; p by permutation of answers within items. Answers: the same for what"
    " was answered, since a wrong answer may become another wrong one.",
    "pairs.items": "Items whose verdict hangs on an edit",
    "pairs.items.caption": "{n} items get another verdict in every repeat under some edit, {several} of them under several."
    " Not shown: {left}. With few repeats of sampled answers some do so by chance.",
    "pairs.gained": "{family} (gained)",
    "pairs.lost": "{family} (lost)",
    "pairs.col.family": "Family",
    "pairs.col.edit": "Edit",
    "pairs.col.items": "Items changed",
    "pairs.col.change": "Change",
    "pairs.col.ends": "{level} % interval",
    "pairs.col.p": "p (Holm)",
    "pairs.col.gained": "Gained",
    "pairs.col.lost": "Lost",
    "pairs.col.turn": "Turned",
    "pairs.col.repeat": "By itself",
    "pairs.col.beyond": "Beyond",
    "pairs.col.said": "Answers that differ",
    "pairs.col.said_repeat": "By themselves",
    "pairs.col.item": "Item",
    "pairs.col.families": "Families",
    "pairs.col.which": "Which",
    "pairs.col.question": "Question",
    "pairs.features": "Why so high? The score by simple features of the items",
    "pairs.features.caption": "Of the baseline. Right length: share of the other options that are shorter than the right one."
    " Right overlap: share of the words of the right option that stand in the question, less the mean of the other options. p by"
    " permutation of scores over items, corrected (Holm) for the features. A lead and no proof: features go together.",
    "pairs.features.none": "No feature in which ten items and more differ.",
    "pairs.feature.words": "Words of the question",
    "pairs.feature.options": "Number of options",
    "pairs.feature.right_place": "Place of the right option",
    "pairs.feature.right_length": "Right length",
    "pairs.feature.right_overlap": "Right overlap",
    "pairs.col.feature": "Feature",
    "pairs.col.class": "Value",
    "pairs.col.items_of": "Items",
    "pairs.col.score": "Score",
    "pairs.col.interval": "Interval",
    "pairs.col.p_feature": "p (Holm)",
    "pairs.why.once": "no prompt was asked twice: plain repeatability is not known",
    "pairs.why.nothing": "the edit changed nothing that was asked",
    "pairs.why.empty": "nothing to compare",
}
