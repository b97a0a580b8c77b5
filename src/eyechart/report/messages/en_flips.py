"""The words of a report in English: flips, typical cases, and the ledger of two evaluations."""

from __future__ import annotations

EN: dict[str, str] = {
    "section.flips": "Changed verdicts",
    "flips.cause.other_gold": "The answer key differs",
    "flips.cases": "Typical changed verdicts: {factor} = {level}",
    "flips.cases.side": "{factor} = {level}",
    "flips.cases.note": "{noise} {chosen}",
    "flips.cases.beyond": "Of the levels that moved the score beyond noise and changed verdicts, this one moved it most.",
    "flips.cases.within": "No level that changed verdicts moved the score beyond noise; of them this one moved it most.",
    "flips.chosen": "{n} of {total} changed verdicts, the most frequent cause first; of each cause the texts whose lengths"
    " are nearest to all the others (the medoid), then the next nearest.",
    "flips.between": "Changed verdicts: {a} against {b}",
    "flips.case": "Item {item}, repeat {repeat}: {cause}",
    "flips.case.of": "Item {item}, repeat {repeat}, {a} to {b}: {cause}",
    "flips.read": "{outcome}; read as: {read}",
    "flips.read.scored": "{outcome}; options were scored, no text was written; chosen: {read}",
    "flips.read.gold": "{said}; right answer: {gold}",
    "flips.pair": "Typical cases, side by side",
    "flips.caption.pair": "Right on one side and wrong on the other. Gained: right in {b} only. Read differently: the very"
    " same text. Written differently: the same answer in it, and one of the readings missed it.",
    "flips.col.cause": "Cause",
    "flips.col.gained": "Gained",
    "flips.col.lost": "Lost",
    "flips.said": "{n} of {compared} verdicts differ between {a} and {b}: {b} gains {gained} and loses {lost}.",
    "flips.said.none": "No verdict of {compared} differs between {a} and {b}.",
    "flips.said.nothing": "{a} and {b} cannot be compared: they share no answer that was scored in both.",
    "flips.left.only_a.one": "{n} item was asked in {a} only.",
    "flips.left.only_a.many": "{n} items were asked in {a} only.",
    "flips.left.only_b.one": "{n} item was asked in {b} only.",
    "flips.left.only_b.many": "{n} items were asked in {b} only.",
    "flips.left.other_question.one": "{n} item has the same id in both and asks something else; not compared.",
    "flips.left.other_question.many": "{n} items have the same id in both and ask something else; they are not compared.",
    "flips.left.unpaired.one": "{n} answer to a shared item is of a repeat that the other side does not have.",
    "flips.left.unpaired.many": "{n} answers to shared items are of a repeat that the other side does not have.",
    "flips.left.uncounted.one": "{n} pair is left out: a call failed, or the answer could not be scored.",
    "flips.left.uncounted.many": "{n} pairs are left out: a call failed, or the answer could not be scored.",
    "flips.left.other_gold.one": "{n} of the items compared has another answer key in {b} than in {a}.",
    "flips.left.other_gold.many": "{n} of the items compared have another answer key in {b} than in {a}.",
    "flips.again": "Asked again, {name} changes {share} % of its own verdicts (95 % interval {low}"
    " to {high}, from its repeats): so many flips need no other cause than sampling.",
    "flips.again.unsaid": "Whether {name} samples is not said, and it was asked once: how many of its verdicts change by"
    " themselves is not known.",
    "flips.again.unknown": "{name} samples, and how many of its verdicts change by themselves is not known: {reason}.",
}
