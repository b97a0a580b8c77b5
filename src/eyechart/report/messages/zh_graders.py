"""The words of a report in Chinese: readers, changed verdicts, certificates of graders."""

from __future__ import annotations

ZH: dict[str, str] = {
    "readers.title": "其中有多少来自读取方式？",
    "readers.widest": "同一批回答，由不同的评分器读取，得分从 {low}（{low_reader}）到 {high}（{high_reader}）："
    "{subject}，{n} 种评分器，没有新的调用。这一部分得分与模型无关。",
    "readers.small": "同一批回答由不同的评分器读取，得分最多从 {low}（{low_reader}）到 {high}（{high_reader}）："
    "{subject}，{n} 种评分器。这里读取方式几乎没有影响。",
    "readers.none": "能给这些回答评分的评分器不足两种。",
    "readers.turned": "用 {ahead} 读取时，{a} 比 {b} 高 {up} 分；用 {behind} 读取时则低 {down} 分；两个差异都大于题目噪声（已对所有配对和评分器校正）。",
    "readers.table": "同一批回答在其他评分器下的得分",
    "readers.caption": "列出所有提问方式不同的配置，读取差异最大的在前。{left}careful 按细心的人的方式读取；"
    "其余为常用规则，保留其错误。括号内：评分器未找到答案的比例。回答相同，因此这些差异没有抽样误差。"
    "次序因评分器而颠倒：{pairs} 对配置中有 {turned} 对，其中 {certain} 对两侧都超出题目噪声。",
    "readers.left": "另有 {n} 个未列出。",
    "readers.blind": "{reader}，有 {share} % 的回答未找到答案",
    "readers.col.spread": "读取差异",
    "readers.cell": "{score}（{unread} %）",
    "readers.one": "能给这些回答评分的评分器不足两种",
    "readers.unscored": "该评分器无法给任何回答评分",
    "flips.title": "判定为何改变",
    "flips.caption": "同一题目、同一次重复，在该水平与基线之间一对一错的回答：+ 为该水平新增的正确，− 为失去的正确。"
    "读取不同：文本完全相同。写法不同：其中的答案相同，而有一方的读取漏掉了它。其余为回答本身不同：变的是模型，而非读取。",
    "flips.col.changed": "改变的判定",
    "flips.of": "{compared} 个中的 {n} 个",
    "flips.cell": "+{gained} −{lost}",
    "flips.cause.read_differently": "读取不同",
    "flips.cause.written_differently": "写法不同",
    "flips.cause.truncated": "被截断",
    "flips.cause.refused": "拒绝回答",
    "flips.cause.no_answer_found": "未找到答案",
    "flips.cause.changed_answer": "回答不同",
    # 证书
    "graders.title": "评分器及其证书",
    "graders.caption": "来自每个评分器的压力测试：换一种写法的正确回答被拒绝的数量、看似合理的错误回答被接受的数量，"
    "以及这么多题目下仍可能的最大比率（单侧精确 95 % 上界）。题目由程序生成；上界只对该生成器成立，不对任何模型成立。",
    "graders.col.grader": "评分器",
    "graders.col.kind": "题型",
    "graders.col.state": "证书",
    "graders.col.rejected": "拒绝正确回答",
    "graders.col.accepted": "接受错误回答",
    "graders.col.made": "eyechart 版本",
    "graders.count": "{n} 个中有 {failures} 个，至多 {bound} %",
    "graders.none": "未测试",
    "graders.state.certified": "已认证",
    "graders.state.failing": "未达标",
    "graders.state.stale": "已过期：评分器有改动",
    "graders.state.untested": "不适用于该题型",
    "graders.state.none": "无",
    "graders.kind.choice": "选择题",
    "graders.kind.number": "数值",
    "graders.kind.math": "数学",
    "graders.kind.text": "短文本",
    "graders.kind.code": "代码",
}
