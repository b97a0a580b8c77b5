"""The words of a report in Chinese: what a study is for, and what its numbers say of that."""

from __future__ import annotations

ZH: dict[str, str] = {
    "goal.ceiling": "模型最多能做到什么：{n}中最好的一种得 {high} 分（{name}）。多中取优总带运气，且该配置正是因得分高而被选中：换一批题重测，"
    "预计会低一些。",
    "goal.ceiling.interval": "模型最多能做到什么：{n}中最好的一种得 {high} 分 {interval}（{name}）。多中取优总带运气，而这个区间并不知道该配置"
    "是挑出来的：换一批题重测，预计会低一些。",
    "goal.ceiling.none": "模型最多能做到什么：得分完整的配置不足两种，单一配置谈不上上限。",
    "goal.production": "部署后会看到什么：采用部署解码设置的配置（即基线）得 {score} 分；换成同类的其他题目为 {interval}（{level}% 区间）。"
    "用户实际提出的问题可能属于另一类。",
    "goal.production.no_interval": "部署后会看到什么：采用部署解码设置的配置（即基线）在这些题上得 {score} 分；换一批题会得多少无法判断。",
    "goal.production.none": "部署后会看到什么：基线没有完整得分，无法判断。",
    "goal.sensitivity.beyond": "评测设置有多大影响：在 {n}之间，得分变动 {width} 分；仅凭运气约为 {luck} 分。",
    "goal.sensitivity.within": "评测设置有多大影响：在 {n}之间，得分变动 {width} 分，未超出仅凭运气的范围（约 {luck} 分）。"
    "这并不证明评测设置没有影响。",
    "goal.sensitivity.no_luck": "评测设置有多大影响：在 {n}之间，得分变动 {width} 分；其中有多少出于运气尚不清楚。",
    "goal.sensitivity.none": "评测设置有多大影响：得分完整的配置不足两种，无法判断。",
}
