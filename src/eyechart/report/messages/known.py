"""English sentences that other rooms hand over as plain text, and that the catalogue knows in Chinese too.

Estimators say in English why a number cannot be known. Where such a sentence is word for word in the
catalogue (keys under `why.`), it is shown in the language of the report; any other is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from eyechart.core.words import Text, message

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
    "why.one_run_unsaid": "one run, and whether it samples is not said: what another run would give is not known",
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
    "why.one_run_still": "one run shows no run-to-run variance",
    "why.needs_repeats": "needs repeats at this level and at the baseline",
    "why.runs_alike": "the runs never differ",
    "why.runs_alike_a": "the runs of a never differ",
    "why.runs_alike_b": "the runs of b never differ",
    "why.run_noise": "one run: the noise of runs cannot be told from the items",
    "why.two_items_spread": "fewer than two items have no spread",
    "why.asked_once": "it was asked once",
    "why.unsaid_once": "whether it samples is not said, and it was asked once",
    "why.one_draw": "its repeats are equal on every item: one draw repeated is still one draw",
    "why.no_flips": "no item changed between runs: see the bound of {where}",
    "why.one_run_compared": "one run cannot be compared with another",
    "why.no_change_runs": "no complete item changed between {k} runs",
    "why.no_values": "no values",
    "why.not_passes": "scores between 0 and 1 are not passes or failures",
    "why.no_shares": "no spread beyond noise: shares of nothing",
    "why.noise_more": "noise explains more than all of it in nearly all draws",
    "why.draws_few": "{n} draws are too few for a level of {level}",
    "why.confounded": "confounded: {names} (their levels move together in these configurations)",
    "why.same_items": "no item was scored in every set-up; shares need the same items",
    "why.set_ups_alike": "set-ups do not differ beyond noise",
    "why.no_facet": "{part} is no facet of a full factorial",
    "why.all_equal": "all {n} scores are equal: there is no variance",
    "why.gauge_parts": "no variance but that of the parts",
    "why.one_cell_resampled": "one item or cluster cannot be resampled",
    "why.signs_still": "no spread in the values, or all draws on one side",
    "why.means_alone": "means alone do not show their noise",
    "why.no_noise": "no noise",
    "why.no_p": "no p in any configuration",
    "why.no_shared": "no item has scores of both",
    "why.one_alike": "the items' variances are in one proportion",
    "why.uneven": "{factor} = {level} does not do the same everywhere: over {n} settings of the other factors its "
    "effect has a standard deviation of {sd} points, more than its mean; it may turn its sign, so "
    "read it setting by setting",
    "why.runs_more": "the runs are not repeats of one another: they spread by {seen} points where independent items "
    "allow {allowed}: one seed for all items, another subset, or a changed set-up",
    "why.runs_equal": "the runs are too equal: {seen} points apart where independent draws give {allowed}: copies, or "
    "answers stored in an order",
    "why.runs_copies": "runs {runs} are equal on every item, while other runs differ: copies, or a cache",
    "why.runs_one_draw": "all {n} runs are equal on every item: one draw repeated is still one draw (did the seed reach "
    "the model?)",
    "why.run_odd": "run {run} stands out at {score} points (p = {p}); it is not dropped",
    "why.left_out": "{n} items lack a score in some set-up and are left out",
    "why.left_out_model": "{n} of {every} items lack a score of some model and are left out",
    "why.fitted": "some combinations of levels were not measured: shares are fitted (Shapley), interactions stay "
    "together",
    "why.saturated": "no configuration to spare: interactions cannot be told from main effects",
    "why.one_run_cell": "without repeats of every answer the residual holds run noise and the highest interaction alike",
    "why.few_clusters": "{n} effective clusters, under {few}: the noise is poorly known",
    "why.tiny_change": "p speaks for a change, but one smaller than {bound}",
    "why.short_tries": "{n} of {every} items were tried fewer than {k} times",
    "why.bound_only": "no item changed between runs: the interval is a bound, not a measured spread",
    "why.equal_values": "all {n} values are equal: the interval is a bound, not a measured spread",
    "why.few_items": "only {n} items: a t interval of so few leans on normality",
    "why.few_units": "{n} effective clusters (of {every}), under {few}: the interval may be too narrow",
    "why.sparse": "only {n} of {every} items differ from {score}: the interval may be too narrow",
    "why.sparse_clusters": "only {n} of {every} clusters differ from {score}: the interval may be too narrow",
    "why.lacking_runs": "{n} of {every} items lack a run in some set-up: the table of single answers is of the others",
    "why.runs_not_apart": "runs are not told apart in the table of single answers: {reason}",
    "why.runs_differ": "set-ups hold {low} to {high} runs: each set-up counts the same, however many it has",
    "why.concentrated": "nearly all of the spread lies in {n} of {every} items: the interval may be too narrow",
    "why.concentrated_clusters": "nearly all of the spread lies in {n} of {every} clusters: the interval may be too "
    "narrow",
    "why.gaps_unseen": "runs with gaps share too few items to see whether they move together",
    "why.gaps_uncompared": "runs share too few items to be compared",
    "why.moved_together": "runs move together more than independent items can (shared seed or changed set-up?)",
    "why.not_deterministic": "said to be deterministic, but {n} of {every} items differ between runs",
    "why.run_once": "{n} items were run once: their noise is taken to be that of the others",
    "why.failed": "{n} of {every} failed, not counted",
    "why.unscored": "{n} of {every} unscored, not counted",
    "why.one_pair": "one pair of orders: the interval holds where no three fields interact",
    "why.two_pairs": "two pairs of orders: where three fields do much together the intervals may be too narrow",
    "why.orders_disagree": "the orders of the fields disagree about {names}: three or more fields act together, and more "
    "pairs of orders or all mixtures would tell more",
    "why.unread": "no answer found in more than half of the responses: the score is mostly the reader's",
    "why.gate_run": "1 run of an item; {wanted} wanted (repeats.count)",
    "why.gate_runs": "{have} runs of an item; {wanted} wanted (repeats.count)",
    "why.gate_subject": "a subject: {reason}",
    "why.gate_levels": "its levels were not measured side by side",
    "why.gate_shared": "no item was scored in all set-ups",
    "why.gate_readers": "fewer than two items that every reader can score",
    "why.gate_greedy": "one run, without sampling",
    "why.gate_one_run": "one run: what another would give is not known; set repeats",
    "why.gate_partial": "scores between right and wrong: no run is simply right",
    "why.gate_people": "all agree in full: how far that may move is not known",
    "why.gate_person": "one person labelled: agreement needs two",
    "why.gate_clusters": "all clusters have the same mean",
    "why.gate_alike": "a subject's items are all alike: its noise is not known",
    "why.gate_subjects": "no subject could be estimated",
    "why.gate_set_up": "one set-up does not move",
    "why.gate_one_subject": "one subject does not spread",
    "why.two_times": "two times wanted",
    "why.two_units": "two items or clusters wanted",
    "why.no_error": "no standard error was worked out",
    "why.one_number": "one number for a run: no interval of its change was worked out",
    "why.first_run": "the first run of the series",
    "why.no_pair": "fewer than two models make no pair",
    "why.no_item_all": "no item has scores of all models",
    "why.no_change_error": "no standard error of the change",
    "why.runs_no_noise": "one run of each shows no noise of runs",
    "why.groups_alone": "{n} group(s) hold one item, so their spread cannot be known",
    "why.other_runs": "the other runs are all equal: their spread is not known",
    "why.three_runs": "fewer than three runs: none is the odd one",
    "why.two_models": "two models and two configurations wanted",
    "why.one_model": "one model and two configurations wanted",
    "why.two_values": "two different values in each list wanted",
    "why.sides": "fewer than two items seen on both sides",
    "why.never_moved": "resampling never moved the value; a width of 0 is not certainty",
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
    "why.one_run_unsaid": "只有一次运行，且未说明是否采样：再次运行会得到什么尚不可知",
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
    "why.one_run_still": "只运行了一次，看不出运行间差异",
    "why.needs_repeats": "该水平与基线都要有重复运行",
    "why.runs_alike": "各次运行从无差异",
    "why.runs_alike_a": "前者的各次运行从无差异",
    "why.runs_alike_b": "后者的各次运行从无差异",
    "why.run_noise": "只运行了一次，无法区分运行噪声与题目差异",
    "why.two_items_spread": "题目不足两道，谈不上离散",
    "why.asked_once": "只问过一次",
    "why.unsaid_once": "未说明是否采样，且只问过一次",
    "why.one_draw": "各次重复在每道题上都相同：同一次抽样重复多遍仍是一次",
    "why.no_flips": "各次运行之间没有一道题改变；上限见 {where}",
    "why.one_run_compared": "只运行了一次，无从比较",
    "why.no_change_runs": "{k} 次运行之间没有一道完整的题改变",
    "why.no_values": "没有数值",
    "why.not_passes": "得分介于 0 与 1 之间，谈不上通过与否",
    "why.no_shares": "没有超出噪声的差异，无从分摊",
    "why.noise_more": "几乎每次重抽样中，噪声都足以解释全部差异",
    "why.draws_few": "{n} 次抽样不足以给出 {level} 的水平",
    "why.confounded": "相互混淆：{names}（在这些配置中水平同步变化）",
    "why.same_items": "没有一道题在每种配置中都得到评分；计算份额需要相同的题目",
    "why.set_ups_alike": "各配置之间没有超出噪声的差异",
    "why.no_facet": "{part} 不是完整析因设计中的一个因素",
    "why.all_equal": "{n} 个得分全部相同，没有方差",
    "why.gauge_parts": "除被测对象外没有其他方差",
    "why.one_cell_resampled": "只有一道题或一个簇，无法重抽样",
    "why.signs_still": "数值没有离散，或所有抽样都在同一侧",
    "why.means_alone": "仅凭均值看不出噪声",
    "why.no_noise": "没有噪声",
    "why.no_p": "没有哪种配置能给出 p 值",
    "why.no_shared": "没有一道题在两者中都有得分",
    "why.one_alike": "各题的方差成同一比例",
    "why.uneven": "{factor} = {level} 在各处的作用不同：在其余因素的 {n} 种组合中，其作用的标准差为 {sd} 分，超过其均值；方向可能相反，请逐一查看各组合",
    "why.runs_more": "各次运行并非互为重复：相差 {seen} 分，而题目相互独立时只应有 {allowed} 分；可能是所有题目共用一个种子、换了子集，或配置有变",
    "why.runs_equal": "各次运行过于一致：相差 {seen} 分，而独立抽样应有 {allowed} 分；可能是副本，或回答按某种顺序存放",
    "why.runs_copies": "第 {runs} 次运行逐题相同，而其他运行不同：可能是副本或缓存",
    "why.runs_one_draw": "全部 {n} 次运行逐题相同：同一次抽样重复多少遍仍是一次抽样（种子真的传给模型了吗？）",
    "why.run_odd": "第 {run} 次运行明显离群，为 {score} 分（p = {p}）；未被剔除",
    "why.left_out": "{n} 道题在某些配置中没有得分，未计入",
    "why.left_out_model": "{every} 道题中有 {n} 道缺少某个模型的得分，未计入",
    "why.fitted": "部分水平组合没有测量：份额由拟合得出（Shapley），交互作用合并计算",
    "why.saturated": "没有多余的配置，无法区分交互作用与主效应",
    "why.one_run_cell": "残差同时含有运行噪声与最高阶交互作用（每格按一次运行计）",
    "why.few_clusters": "有效簇数为 {n}，少于 {few}：噪声估计不可靠",
    "why.tiny_change": "p 值表明有变动，但小于 {bound}",
    "why.short_tries": "{every} 道题中有 {n} 道尝试不足 {k} 次",
    "why.bound_only": "各次运行之间没有一道题改变：区间只是上限，并非实测离散",
    "why.equal_values": "{n} 个数值全部相同：区间只是上限，并非实测离散",
    "why.few_items": "只有 {n} 道题：如此少的题目，t 区间依赖正态假设",
    "why.few_units": "{every} 个簇中有效簇数为 {n}，少于 {few}：区间可能偏窄",
    "why.sparse": "{every} 道题中只有 {n} 道不等于 {score}：区间可能偏窄",
    "why.sparse_clusters": "{every} 个簇中只有 {n} 个不等于 {score}：区间可能偏窄",
    "why.lacking_runs": "{every} 道题中有 {n} 道在某些配置中缺少一次运行：单次回答的表格只含其余题目",
    "why.runs_not_apart": "单次回答的表格无法区分各次运行：{reason}",
    "why.runs_differ": "各配置有 {low} 至 {high} 次运行：无论多少，每种配置权重相同",
    "why.concentrated": "几乎全部离散来自 {every} 道题中的 {n} 道：区间可能偏窄",
    "why.concentrated_clusters": "几乎全部离散来自 {every} 个簇中的 {n} 个：区间可能偏窄",
    "why.gaps_unseen": "有缺失的各次运行共有题目太少，看不出是否同步变动",
    "why.gaps_uncompared": "各次运行共有题目太少，无法比较",
    "why.moved_together": "各次运行的同步变动超出题目相互独立时的程度（共用种子，或配置有变？）",
    "why.not_deterministic": "声称结果确定，但 {every} 道题中有 {n} 道在各次运行之间不同",
    "why.run_once": "{n} 道题只运行了一次：其噪声按其他题目估计",
    "why.failed": "{every} 条中有 {n} 条调用失败，未计入",
    "why.unscored": "{every} 条中有 {n} 条未评分，未计入",
    "why.one_pair": "只有一对次序：区间在没有三个字段交互时成立",
    "why.two_pairs": "只有两对次序：若三个字段一起作用很大，区间可能偏窄",
    "why.orders_disagree": "各次序对 {names} 的结论不一致：有三个或更多字段一起起作用，更多对次序或全部组合能说明更多",
    "why.unread": "半数以上的回答中找不到答案：得分主要反映的是读取方式",
    "why.gate_run": "每题只有 1 次运行，需要 {wanted} 次（repeats.count）",
    "why.gate_runs": "每题有 {have} 次运行，需要 {wanted} 次（repeats.count）",
    "why.gate_subject": "某一科目：{reason}",
    "why.gate_levels": "各水平没有并排测量",
    "why.gate_shared": "没有一道题在所有配置中都得到评分",
    "why.gate_readers": "能被每种读取方式评分的题目不足两道",
    "why.gate_greedy": "只运行了一次，且没有采样",
    "why.gate_one_run": "只运行了一次，再运行会怎样尚不可知；请设置 repeats",
    "why.gate_partial": "得分介于对错之间，没有哪次运行可以简单算作正确",
    "why.gate_people": "各人完全一致，无法得知其波动",
    "why.gate_person": "只有一人标注，一致性至少需要两人",
    "why.gate_clusters": "各簇均值相同",
    "why.gate_alike": "某一科目的题目得分全部相同，噪声未知",
    "why.gate_subjects": "没有一个科目可以估计",
    "why.gate_set_up": "只有一种配置，谈不上变动",
    "why.gate_one_subject": "只有一个科目，谈不上离散",
    "why.two_times": "至少需要两个时间点",
    "why.two_units": "至少需要两道题或两个簇",
    "why.no_error": "没有算出标准误",
    "why.one_number": "每次运行只有一个数，没有算出其变动的区间",
    "why.first_run": "序列中的第一次运行",
    "why.no_pair": "模型不足两个，无法配对",
    "why.no_item_all": "没有一道题有全部模型的得分",
    "why.no_change_error": "变动没有标准误",
    "why.runs_no_noise": "各只有一次运行，看不出运行噪声",
    "why.groups_alone": "{n} 个组只有一道题，无法得知其离散程度",
    "why.other_runs": "其余各次运行完全相同，其离散程度未知",
    "why.three_runs": "运行不足三次，谈不上离群",
    "why.two_models": "至少需要两个模型和两种配置",
    "why.one_model": "至少需要一个模型和两种配置",
    "why.two_values": "每列至少需要两个不同的值",
    "why.sides": "两边都有的题目不足两道",
    "why.never_moved": "重抽样从未改变该值；宽度为 0 并不等于确定",
}

HOW_EN: dict[str, str] = {
    "how.and": "{first}, {rest}",
    "how.t_items": "t({df}) over items",
    "how.t_runs": "t({df}) over runs",
    "how.t": "t({df})",
    "how.clusters": "{kind} over clusters",
    "how.wilson_shape": "Wilson shape",
    "how.wilson": "Wilson",
    "how.exact": "Clopper-Pearson",
    "how.run_noise": "run noise of each item",
    "how.added": "a 0 and a 1 added",
    "how.two_added": "two more added (Bonett and Price)",
    "how.bound": "exact bound: 0 of {n} repeated draws differed",
    "how.bca": "bootstrap BCa",
    "how.pivot": "bootstrap pivot over items",
    "how.draws": "{n} draws",
    "how.equal": "equal answer by answer",
}
"""Parts of `Interval.method`, which says in English how an interval was obtained."""

HOW_ZH: dict[str, str] = {
    "how.and": "{first}，{rest}",
    "how.t_items": "按题的 t 区间（自由度 {df}）",
    "how.t_runs": "按次运行的 t 区间（自由度 {df}）",
    "how.t": "t 区间（自由度 {df}）",
    "how.clusters": "按簇的 {kind}",
    "how.wilson_shape": "Wilson 形",
    "how.wilson": "Wilson 区间",
    "how.exact": "Clopper-Pearson 区间",
    "how.run_noise": "各题的运行噪声",
    "how.added": "另加一个 0 和一个 1",
    "how.two_added": "另加两个（Bonett 与 Price）",
    "how.bound": "精确上限：{n} 次重复抽样无一不同",
    "how.bca": "自助法 BCa",
    "how.pivot": "按题的自助法枢轴",
    "how.draws": "{n} 次抽样",
    "how.equal": "逐条回答相同",
}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((key, _pattern(text)) for key, text in WHY_EN.items())


@cache
def _ways() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((key, _pattern(text)) for key, text in HOW_EN.items() if key != "how.and")


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
    return _found(text, _patterns())


def recognised_method(text: str) -> Text:
    """How an interval was obtained, part by part.

    >>> recognised_method("t(99) over items, Wilson shape").params[1][1].key
    'how.wilson_shape'
    """
    first, *more = (_found(part, _ways()) for part in text.split(", "))
    for part in more:
        first = message("how.and", first=first, rest=part)
    return first


def _found(text: str, known: tuple[tuple[str, re.Pattern[str]], ...]) -> Text:
    for key, pattern in known:
        if found := pattern.fullmatch(text[:400]):
            if key == "why.gate_subject":  # a reason within a reason
                return message(key, reason=recognised(found["reason"]))
            return message(key, **found.groupdict())
    return text
