"""Why so high? The score by simple features of the items: their length, their options, where the right one stands.

A benchmark whose right options are the longest, or share the most words with the question, can be done well without the
skill it names. A feature that goes with the score is a lead and no proof: features go together, and so do other things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.results import Number
from eyechart.core.identity import rng_for
from eyechart.core.records import Item
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.multiple import holm

Floats = NDArray[np.float64]
DRAWS = 2_000
FEWEST = 10
"""Items with a feature, from which it is looked at."""
CLASSES = 3


@dataclass(frozen=True, kw_only=True)
class FeatureClass:
    low: float
    high: float
    items: int
    score: Number


@dataclass(frozen=True, kw_only=True)
class FeatureScore:
    """The score by one feature of the items."""

    feature: str
    items: int
    classes: tuple[FeatureClass, ...]
    """By rank in up to three classes of about equal size; features of few values by value."""
    p: float
    """Permutation of scores over items: of "the score has nothing to do with the class"."""
    p_holm: float


def features_of(item: Item, question: str) -> Mapping[str, float]:
    """Simple features of an item as it is asked; those that it does not have are left out.

    >>> item = Item(id="1", fields={}, choices=("a red dog", "cat"), gold=("a red dog",), gold_index=0)
    >>> found = features_of(item, "Which dog is red?")
    >>> {name: round(value, 2) for name, value in found.items()}
    {'words': 4.0, 'options': 2.0, 'right place': 1.0, 'right length': 1.0, 'right overlap': 0.67}
    """
    asked = _words(question)
    out = {"words": float(len(asked))}
    if item.gold_index is None or len(item.choices) < 2:
        return out
    lengths = [len(choice) for choice in item.choices]
    shared = [_overlap(asked, choice) for choice in item.choices]
    others = [s for i, s in enumerate(shared) if i != item.gold_index]
    out["options"] = float(len(item.choices))
    out["right place"] = float(item.gold_index + 1)
    out["right length"] = float(sum(n < lengths[item.gold_index] for n in lengths)) / (len(lengths) - 1)
    out["right overlap"] = shared[item.gold_index] - sum(others) / len(others)
    return out


def by_features(
    scores: Floats, features: Sequence[Mapping[str, float]], *, level: float = 0.95, seed: int = 0
) -> tuple[FeatureScore, ...]:
    """The score by every feature that two items and more differ in. `scores` [items], NaN where missing.

    Statistic: variance of the class means weighed by their items. p by permutation of scores over items (one item
    is one unit: items that share a passage are more alike, and p is then too small); Holm over the features.

    >>> right = np.array([1.0, 0.0] * 30)
    >>> found = by_features(right, [{"words": float(i % 2), "options": float(i % 3)} for i in range(60)])
    >>> [(f.feature, f.p_holm < 0.01) for f in found]
    [('words', True), ('options', False)]
    """
    names = dict.fromkeys(name for one in features for name in one)
    found = [_one(name, scores, features, level, seed) for name in names]
    known = [f for f in found if f is not None]
    adjusted = holm([f.p for f in known]).tolist()
    return tuple(replace(f, p_holm=p) for f, p in zip(known, adjusted, strict=True))


def _one(
    name: str, scores: Floats, features: Sequence[Mapping[str, float]], level: float, seed: int
) -> FeatureScore | None:
    held = [i for i, one in enumerate(features) if name in one and not np.isnan(scores[i])]
    values, mine = np.array([features[i][name] for i in held]), scores[held]
    if len(held) < FEWEST or np.ptp(values) == 0:
        return None
    at = _classes(values)
    sizes = np.bincount(at).astype(np.float64)

    def statistic(drawn: Floats) -> float:
        return float((np.bincount(at, drawn) ** 2 / sizes).sum())

    observed = statistic(mine) * (1 - 1e-12)
    rng = rng_for(seed, "features", name)
    hits = sum(statistic(rng.permutation(mine)) >= observed for _ in range(DRAWS))
    p = (1 + hits) / (1 + DRAWS)
    classes = [
        FeatureClass(
            low=float(values[at == c].min()),
            high=float(values[at == c].max()),
            items=int((at == c).sum()),
            score=mean_clustered(mine[at == c], level=level),
        )
        for c in range(len(sizes))
    ]
    return FeatureScore(feature=name, items=len(held), classes=tuple(classes), p=p, p_holm=p)


def _classes(values: Floats) -> NDArray[np.intp]:
    """A class an item: its value where there are few, else its third by rank; equal values share a class."""
    distinct = np.unique(values)
    if distinct.size <= CLASSES + 1:
        return np.searchsorted(distinct, values)
    cuts = np.unique(np.quantile(values, [i / CLASSES for i in range(1, CLASSES)], method="lower"))
    at = np.searchsorted(cuts, values, side="left")
    return np.unique(at, return_inverse=True)[1].astype(np.intp)


def _overlap(asked: Sequence[str], choice: str) -> float:
    words = _words(choice)
    return sum(word in asked for word in words) / len(words) if words else 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
