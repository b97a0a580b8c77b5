"""The words of a report in Chinese: minimal pairs."""

from __future__ import annotations

ZH: dict[str, str] = {
    "section.pairs": "回答取决于什么",
    "pairs.none": "对全部检验校正之后，{n} 类小改动中没有一类使得分变化，或使判定的翻转超出重复本身的波动。这并不证明回答与它们无关：请看区间。",
    "pairs.moves": "得分随 {moved} 变化：{n} 类本不该有影响的小改动之中，已对全部检验校正。",
    "pairs.turns": "判定随 {turned} 翻转，尽管得分未必变化：{n} 类本不该有影响的小改动之中，已对全部检验校正。",
    "pairs.both": "得分随 {moved} 变化；判定也随 {turned} 翻转，尽管得分未必变化：{n} 类本不该有影响的小改动之中，已对全部检验校正。",
    "pairs.idle": "在这些题目中没有可改之处，因此没有询问：{families}。",
    "pairs.scores": "每类改动对得分的影响",
    "pairs.scores.caption": "只含被改动的题目。变化：改动后的平均得分减去改动前，逐题计算。p 已对两张表的全部检验作 Holm 校正。"
    "得与失：每次重复中判定都不同的题目。",
    "pairs.turned": "判定的翻转，与重复本身的波动相对照",
    "pairs.turned.caption": "成对回答所占的百分比。翻转：改动后与改动前各取一个回答，判定不同。自身：对同一未改动提示的两个回答，判定不同。"
    "超出：翻转减去两侧重复之间的差异，无偏，因此可能小于零；p 由题内置换得出。回答：同样的比较，针对所答内容，因为一个错误答案可能变成另一个错误"
    "答案。",
    "pairs.items": "判定取决于改动的题目",
    "pairs.items.caption": "{n} 个题目在某类改动下每次重复的判定都不同，其中 {several} 个涉及多类。未列出：{left}。对抽样的回答，若重复次数少，"
    "有些会出于偶然。",
    "pairs.gained": "{family}（得）",
    "pairs.lost": "{family}（失）",
    "pairs.col.family": "类别",
    "pairs.col.edit": "改动",
    "pairs.col.items": "被改动的题目",
    "pairs.col.change": "变化",
    "pairs.col.ends": "{level} % 区间",
    "pairs.col.p": "p（Holm 校正）",
    "pairs.col.gained": "得",
    "pairs.col.lost": "失",
    "pairs.col.turn": "翻转",
    "pairs.col.repeat": "自身",
    "pairs.col.beyond": "超出",
    "pairs.col.said": "回答不同",
    "pairs.col.said_repeat": "自身不同",
    "pairs.col.item": "题目",
    "pairs.col.families": "类别数",
    "pairs.col.which": "哪些",
    "pairs.col.question": "问题",
    "pairs.features": "为什么这么高？按题目的简单特征看得分",
    "pairs.features.caption": "针对基线。正确项长度：其他选项中比正确项短的份额。正确项重合：正确项的词出现在问题中的份额，减去其他选项的平均。"
    "p 由得分在题目间的置换得出，已对各特征作 Holm 校正。这是线索而非证明：特征彼此相关。",
    "pairs.features.none": "没有一个特征在十个以上题目之间有差别。",
    "pairs.feature.words": "问题的词数",
    "pairs.feature.options": "选项数",
    "pairs.feature.right_place": "正确项的位置",
    "pairs.feature.right_length": "正确项长度",
    "pairs.feature.right_overlap": "正确项重合",
    "pairs.col.feature": "特征",
    "pairs.col.class": "取值",
    "pairs.col.items_of": "题目数",
    "pairs.col.score": "得分",
    "pairs.col.interval": "区间",
    "pairs.col.p_feature": "p（Holm 校正）",
    "pairs.why.once": "没有提示问过两次：不知道重复本身的波动",
    "pairs.why.nothing": "改动没有改变所问的内容",
    "pairs.why.empty": "没有可比较的",
}
