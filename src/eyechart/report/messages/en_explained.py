"""The words of a report in English: why two evaluations differ."""

from __future__ import annotations

EN: dict[str, str] = {
    "explained.title": "Why the score moved",
    "explained.gap": "A scores {a} and B {b} on the same {items}: a gap of {gap} points, {ends}.",
    "explained.no_gap": "A scores {a} and B {b} on the same {items}: the gap of {gap} points, {ends}, is not beyond noise.",
    "explained.gap.unknown": "The gap cannot be known: {reason}.",
    "explained.of": "{gap} Of the {size} points, {parts}.",
    "explained.shares": "{gap} By field: {parts}.",
    "explained.part": "{share} are {field}",
    "explained.against": "{field} pulls the other way by {share}",
    "explained.sides": "A is {a}, B is {b}.",
    "explained.nothing": "{field} explains nothing (within {tolerance})",
    "explained.nothings": "{fields} explain nothing (each within {tolerance})",
    "explained.unknown": "the part of {fields} cannot be told by these items",
    "explained.clause": "{first}; {second}",
    "explained.exact": "Exact shares: all mixtures of the fields were read ({mixtures} ways of asking of {of}).",
    "explained.sampled": "Shares from {draws} of the orders of the fields, each with its reverse: {mixtures} ways of asking"
    " in place of {of}. The intervals hold over items and over orders.",
    "explained.unshared": "No shares: {reason}.",
    "explained.one_pair": "One order and its reverse: exact where no three fields interact, which the intervals take for"
    " granted.",
    "explained.calls": "Calls: {needed} needed, {stored} answered before, {made} made, {failed} failed.",
    "explained.excluded": "{n} items are left out: one of the mixtures has no score for them.",
    "explained.settle": "No call was made, so {fields} stand together as what was asked: {calls} more calls would divide"
    " it.",
    "explained.apart": "No call was made, so {fields} stand together as what was asked; where only logs exist, nothing"
    " can divide it.",
    "explained.own": "On its own {items} B scores {score}: {change} points more are who was asked, which is not paired and"
    " has no interval here. The gap above is on the items of A.",
    "explained.closing.least": "Smallest set that closes the gap here: {fields} as in B, all else as in A, leaves {left}"
    " points. Every smaller set leaves a gap that is told from 0.",
    "explained.closing.minimal": "A set that closes the gap here: {fields} as in B, all else as in A, leaves {left} points."
    " Without any one of its fields a gap is left that is told from 0.",
    "explained.closing.unseen": "A set that closes the gap here: {fields} as in B, all else as in A, leaves {left} points."
    " No smaller set was seen to close it, but these items cannot tell whether one does.",
    "explained.closing.seen": "A set that closes the gap here: {fields} as in B, all else as in A, leaves {left} points. It"
    " is the smallest of those measured; these items cannot tell whether fewer fields do.",
    "explained.closing.alike": "It is one of {n} measured sets of that size whose gap is not told from 0: these items cannot"
    " tell which of them close it.",
    "explained.closing.items": "The closing set is told on the {items} with a score in every mixture that was tried for it.",
    "explained.closing.none": "No measured mixture closes the gap.",
    "explained.pair": "{first} and {second} together do {index} points beyond what each does alone.",
    "explained.bars": "What each field explains",
    "explained.caption": "Shapley values: what a field does, averaged over all orders in which the fields could be set from"
    " A to B. They add up to the gap. In brackets: {level} % interval over items like these; p is corrected for all"
    " fields (Holm).",
    "explained.col.field": "Field",
    "explained.col.a": "In A",
    "explained.col.b": "In B",
    "explained.col.share": "Share of the gap, points",
    "explained.col.ends": "Interval",
    "explained.col.p": "p",
    "explained.col.verdict": "Says",
    "explained.verdict.explains": "explains",
    "explained.verdict.nothing": "explains nothing",
    "explained.verdict.unknown": "cannot tell",
    "explained.unstated": "(not stated)",
    "explained.inert": "Differ, and take no effect here",
    "explained.col.reason": "Why",
    "explained.pairs": "Pairs of fields that interact",
    "explained.pairs.none": "No pair of fields does together other than each alone, beyond noise and the tolerance.",
    "explained.pairs.unknown": "Interactions of pairs are told where all mixtures are read; here they were sampled.",
    "explained.col.pair": "Fields",
    "explained.col.index": "Together, points",
    "explained.why.apart": "how often something is asked moves no score",
    "explained.why.same": "it takes no effect: the evaluation is the same with either",
    "explained.own_key": "By its own answer key B scores {score} on {items}: {change} points more are the answer key (the"
    " questions are the same), without an interval here. The gap above is by the key of A.",
}
