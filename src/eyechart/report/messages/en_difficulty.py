"""The words of a report in English: how hard few-shot candidates are, and what balanced draws did."""

from __future__ import annotations

EN: dict[str, str] = {
    "section.difficulty": "How hard the few-shot candidates are",
    "section.draws": "Draws of few-shot examples",
    "difficulty.sentence": "{n} candidates: {buckets}.",
    "difficulty.of": "{name} {n}",
    "difficulty.bucket.easy": "easy",
    "difficulty.bucket.middle": "middle",
    "difficulty.bucket.hard": "hard",
    "difficulty.title": "Buckets of difficulty",
    "difficulty.caption": "p is the probability that the reference model gives to the right answer of a candidate, without"
    " shots; D is its negative natural logarithm. The buckets are the three clusters of D with the least sum of squares. The"
    " example is the candidate nearest to the centre of its bucket.",
    "difficulty.p.options": "For candidates with options p is the share of the right option in the probability of all options,"
    " each written behind the prompt.",
    "difficulty.p.text": "For candidates without options p is the probability of the right answer itself, the first accepted"
    " one, written behind the prompt.",
    "difficulty.col.bucket": "Bucket",
    "difficulty.col.count": "Candidates",
    "difficulty.col.d": "D",
    "difficulty.col.p": "p",
    "difficulty.col.example": "Example",
    "difficulty.range": "{low} to {high}",
    "difficulty.mixed": "Items with and without options have p of two kinds, so that D has two scales: items without options are hard by"
    " that alone. Better to measure them apart.",
    "difficulty.fewer": "There are fewer than three distinct D, so there are only {n} of three buckets.",
    "difficulty.infinite": "{n} candidates have p = 0, so that D is infinite: they are in the hardest bucket, and in no"
    " centre.",
    "difficulty.unknown": "{n} candidates have no D and are never drawn by difficulty; the first is {id}: {reason}.",
    "difficulty.bars": "All D",
    "difficulty.bars.caption": "Shares of all candidates by D, in classes of equal width; the number of candidates stands beside each.",
    "draws.none": "Nothing to say of draws: {reason}.",
    "draws.open": "Over {n} draws, variance of {a} over that of {b}: {ratio}, interval {ends}, p = {p}. That does not show"
    " that one rule varies less than the other, nor that they vary alike.",
    "draws.less": "Over {n} draws {a} varies less than {b}: ratio of variances {ratio}, interval {ends}, p = {p}.",
    "draws.more": "Over {n} draws {a} varies more than {b}: ratio of variances {ratio}, interval {ends}, p = {p}.",
    "draws.unknown": "{a} and {b} over {n} draws: no ratio of variances, {reason}.",
    "draws.title": "Score over draws, by rule",
    "draws.caption": "Each draw is one seed, scored on the same {items} items ({excluded} more lack a score in some draw)."
    " SD and variance are over draws: they say how far the score hangs on which examples were drawn. The variance is in"
    " points squared. The interval is for other draws by the same rule; for skewed scores it is too narrow, covering as few"
    " as 83 instead of 95 %.",
    "draws.mode.fixed": "once for all items",
    "draws.mode.per_item": "anew for each item",
    "draws.col.rule": "Rule",
    "draws.col.mode": "Drawn",
    "draws.col.draws": "Draws",
    "draws.col.mean": "Mean score",
    "draws.col.sd": "SD",
    "draws.col.ends": "{level} % interval",
    "draws.col.variance": "Variance",
    "draws.col.rules": "Rules",
    "draws.col.ratio": "Ratio of variances",
    "draws.col.p": "p (Holm)",
    "draws.col.change": "Change of the mean",
    "draws.col.change_ends": "{level} % interval of the change",
    "draws.against": "Rules against each other",
    "draws.against.caption": "Draws from one seed are paired. p is of equal variances, from the distances of the draws"
    " from their median. The change of the mean score is item by item, averaged over the draws; its interval is for other"
    " items, with these draws.",
    "draws.unequal": "Not compared: {fixed}, drawn once for all items, with {own}, drawn anew for each. Redrawing alone"
    " averages noise, so that a claim for balancing needs equal draws.",
    "draws.still": "Without variance over draws, since nothing is drawn: {rules}.",
    "draws.why.no_draws": "no set-up has shots that were drawn with a seed",
    "draws.why.few": "fewer than 5 draws",
    "draws.why.few_pairs": "fewer than 5 draws by both rules",
    "draws.why.alike": "all draws give one score",
    "draws.why.rule_alike": "all draws of a rule give one score",
    "draws.why.lone": "one draw alone makes the spread",
    "draws.why.rule_lone": "one draw alone makes a rule's spread",
    "draws.why.no_seed": "no seed in common",
    "draws.versus": "{a} against {b}",
}
