"""The words of a report in Chinese: flips, typical cases, and the ledger of two evaluations."""

from __future__ import annotations

ZH: dict[str, str] = {
    "section.flips": "改变的判定",
    "flips.cause.other_gold": "标准答案不同",
    "flips.cases": "判定改变的典型样例：{factor} = {level}",
    "flips.cases.side": "{factor} = {level}",
    "flips.cases.note": "{noise}{chosen}",
    "flips.cases.beyond": "在变动超出噪声且有判定改变的水平中，该水平的变动最大。",
    "flips.cases.within": "有判定改变的水平中，没有一个的变动超出噪声；其中该水平的变动最大。",
    "flips.chosen": "{total} 个改变的判定中的 {n} 个，最常见的原因在前；每个原因取文本长度与其余各例最接近者（中心样例），"
    "再取次近者。",
    "flips.between": "改变的判定：{a} 与 {b}",
    "flips.case": "题目 {item}，重复 {repeat}：{cause}",
    "flips.case.of": "题目 {item}，重复 {repeat}，{a} 至 {b}：{cause}",
    "flips.read": "{outcome}；读取为：{read}",
    "flips.read.scored": "{outcome}；对选项打分，未生成文本；所选：{read}",
    "flips.read.gold": "{said}；标准答案：{gold}",
    "flips.pair": "典型样例对照",
    "flips.caption.pair": "一侧正确而另一侧错误。新增：仅在 {b} 中正确。读取不同：文本完全相同。写法不同：答案相同，"
    "其中一方的读取漏掉了它。",
    "flips.col.cause": "原因",
    "flips.col.gained": "新增",
    "flips.col.lost": "失去",
    "flips.said": "{a} 与 {b} 之间，{compared} 个判定中有 {n} 个不同：{b} 新增 {gained} 个正确，失去 {lost} 个。",
    "flips.said.none": "{a} 与 {b} 的 {compared} 个判定全部相同。",
    "flips.said.nothing": "{a} 与 {b} 无法比较：没有一个回答在两者中都有评分。",
    "flips.left.only_a.one": "有 {n} 道题只在 {a} 中提问。",
    "flips.left.only_a.many": "有 {n} 道题只在 {a} 中提问。",
    "flips.left.only_b.one": "有 {n} 道题只在 {b} 中提问。",
    "flips.left.only_b.many": "有 {n} 道题只在 {b} 中提问。",
    "flips.left.other_question.one": "有 {n} 道题在两者中编号相同而内容不同，未作比较。",
    "flips.left.other_question.many": "有 {n} 道题在两者中编号相同而内容不同，未作比较。",
    "flips.left.unpaired.one": "共有题目的 {n} 个回答，其重复序号在另一侧不存在。",
    "flips.left.unpaired.many": "共有题目的 {n} 个回答，其重复序号在另一侧不存在。",
    "flips.left.uncounted.one": "略去 {n} 对：调用失败，或回答无法评分。",
    "flips.left.uncounted.many": "略去 {n} 对：调用失败，或回答无法评分。",
    "flips.left.other_gold.one": "所比较的题目中，有 {n} 道在 {b} 中的标准答案与 {a} 不同。",
    "flips.left.other_gold.many": "所比较的题目中，有 {n} 道在 {b} 中的标准答案与 {a} 不同。",
    "flips.again": "再问一次，{name} 自身会有 {share} % 的判定改变（95 % 区间 {low} 至 {high}"
    "，由其重复得出）：这样多的翻转仅凭采样即可产生。",
    "flips.again.unsaid": "未说明 {name} 是否使用采样，且只问过一次：其自身会改变多少判定尚不可知。",
    "flips.again.unknown": "{name} 使用采样，其自身会改变多少判定尚不可知：{reason}。",
}
