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
    "explained.one_pair": "One order and its reverse: exact where no three fields interact, which the intervals take for"
    " granted.",
    "explained.calls": "Calls: {needed} needed, {stored} answered before, {made} made, {failed} failed.",
    "explained.excluded": "{n} items are left out: one of the mixtures has no score for them.",
    "explained.settle": "No call was made, so {fields} stand together as what was asked: {calls} more calls would divide"
    " it.",
    "explained.apart": "No call was made, so {fields} stand together as what was asked; where only logs exist, nothing"
    " can divide it.",
    "explained.own": "On its own {items} B scores {score}: {change} points more are who was asked. The gap above is on the"
    " items of A.",
    "explained.closing.least": "Smallest set that closes the gap: {fields} as in B, all else as in A, leaves {left}"
    " points. No smaller set does.",
    "explained.closing.minimal": "A set that closes the gap: {fields} as in B, all else as in A, leaves {left} points. None"
    " of its fields can be left out.",
    "explained.closing.seen": "A set that closes the gap: {fields} as in B, all else as in A, leaves {left} points. It is"
    " the smallest of those measured.",
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
}
