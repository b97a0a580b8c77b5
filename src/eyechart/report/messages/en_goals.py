"""The words of a report in English: what a study is for, and what its numbers say of that."""

from __future__ import annotations

EN: dict[str, str] = {
    "goal.ceiling": "What can the model do: the best of {n} scores {high} points ({name}). The best of many is partly luck,"
    " and the set-up was chosen for it: measured on other items it would be expected to score less.",
    "goal.ceiling.interval": "What can the model do: the best of {n} scores {high} points {interval} ({name}). The best of"
    " many is partly luck, and its interval does not know that it was chosen: measured on other items it would be expected"
    " to score less.",
    "goal.ceiling.none": "What can the model do: fewer than two set-ups have a complete score, and one is no ceiling.",
    "goal.production": "What will the deployment see: the set-up with the deployed decoding, the baseline, scores {score}"
    " points; over other questions of this kind {interval} ({level} % interval). What users ask may be of another kind.",
    "goal.production.no_interval": "What will the deployment see: the set-up with the deployed decoding, the baseline,"
    " scores {score} points on these questions; what it would score on others cannot be told.",
    "goal.production.none": "What will the deployment see: the baseline has no complete score, so it cannot be told.",
    "goal.sensitivity.beyond": "How much does the chart matter: over {n}, the score moves by {width} points; luck"
    " alone would give about {luck}.",
    "goal.sensitivity.within": "How much does the chart matter: over {n}, the score moves by {width} points, no more"
    " than luck alone would give (about {luck}). That is no proof that the chart does not matter.",
    "goal.sensitivity.no_luck": "How much does the chart matter: over {n}, the score moves by {width} points; how much"
    " of it luck alone would give is not known.",
    "goal.sensitivity.none": "How much does the chart matter: fewer than two set-ups have a complete score, so it cannot be"
    " told.",
}
