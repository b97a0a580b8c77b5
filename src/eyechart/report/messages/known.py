"""English sentences that other rooms hand over as plain text, and that the catalogue knows in Chinese too.

Estimators say in English why a number cannot be known. Where such a sentence is word for word in the
catalogue (keys under `why.`), it is shown in the language of the report; any other is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from eyechart.report.blocks import Text, message

WHY_EN: dict[str, str] = {
    "why.no_items": "no items",
    "why.no_scores": "no scores",
    "why.no_answer": "no answer could be scored",
    "why.one_item": "one item says nothing about other items",
    "why.one_cluster": "all items share one cluster; other clusters are unknown",
    "why.cluster_means": "all clusters have the same mean, so the spread between them cannot be known",
    "why.run_means": "all runs have the same mean, so the spread between them cannot be known",
    "why.equal": "all {n} scores are {score}: their spread cannot be known",
    "why.two_items": "fewer than two items or clusters",
    "why.construction": "every run gave the same answers by construction",
    "why.one_run": "one run; run it again to see how far it moves",
    "why.one_run_sampled": "one run: what another run of the same would give is not known; set repeats",
    "why.one_run_greedy": "one run without sampling; whether the engine repeats itself was not measured",
    "why.gaps": "runs with gaps cannot be compared by their means",
    "why.baseline": "this is the baseline level",
    "why.same": "the same evaluation as the baseline level",
    "why.beside": "not measured beside the baseline",
    "why.levels": "its levels were not measured beside each other",
    "why.shared": "no item was scored in all set-ups compared",
    "why.two_configurations": "fewer than two configurations have no spread",
    "why.one_unit": "one item or cluster: noise and spread cannot be told apart",
    "why.alike": "all configurations move all items alike: there is no noise to compare with",
    "why.no_spread": "no spread beyond noise",
    "why.no_group_spread": "no spread in any group",
}

WHY_ZH: dict[str, str] = {
    "why.no_items": "没有题目",
    "why.no_scores": "没有得分",
    "why.no_answer": "没有一条回答可以评分",
    "why.one_item": "只有一道题，无从推断其他题目",
    "why.one_cluster": "所有题目同属一个簇，其他簇的情况未知",
    "why.cluster_means": "各簇均值相同，无法得知簇间差异",
    "why.run_means": "各次运行均值相同，无法得知运行间差异",
    "why.equal": "{n} 个得分全为 {score}，无法得知其离散程度",
    "why.two_items": "题目或簇不足两个",
    "why.construction": "各次运行的回答必然相同",
    "why.one_run": "只运行了一次；再运行一次才能看出波动",
    "why.one_run_sampled": "只运行了一次，再运行会怎样尚不可知；请设置 repeats",
    "why.one_run_greedy": "只运行了一次且没有采样；引擎能否复现自身结果没有测过",
    "why.gaps": "有缺失的运行不能按均值比较",
    "why.baseline": "即基线水平",
    "why.same": "与基线水平是同一评测",
    "why.beside": "没有与基线对照测量",
    "why.levels": "各水平没有对照测量",
    "why.shared": "没有一道题在所比较的配置中都得到评分",
    "why.two_configurations": "配置不足两种，谈不上离散",
    "why.one_unit": "只有一道题或一个簇，无法区分噪声与差异",
    "why.alike": "所有配置对所有题目的影响相同，没有可比较的噪声",
    "why.no_spread": "没有超出噪声的差异",
    "why.no_group_spread": "各组内部都没有差异",
}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((key, _pattern(text)) for key, text in WHY_EN.items())


def _pattern(text: str) -> re.Pattern[str]:
    parts = [
        re.escape(words) + ("" if name is None else f"(?P<{name}>.+?)") for words, name, _, _ in Formatter().parse(text)
    ]
    return re.compile("".join(parts), re.DOTALL)


def recognised(text: str) -> Text:
    """
    >>> recognised("no items").key
    'why.no_items'
    >>> recognised("all 7 scores are 1: their spread cannot be known").params
    (('n', '7'), ('score', '1'))
    >>> recognised("something new")
    'something new'
    """
    for key, pattern in _patterns():
        if found := pattern.fullmatch(text[:400]):
            return message(key, **found.groupdict())
    return text
