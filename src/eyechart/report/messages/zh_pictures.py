"""The words of a report in Chinese: tokens, decoding paths, texts side by side."""

from __future__ import annotations

ZH: dict[str, str] = {
    "pictures.join": "{first}；{second}",
    # Tokens
    "pictures.key.signed": "下划线：大于 0；点线：小于 0",
    "pictures.key.space": "圆点表示空格，↵ 表示换行，⇥ 表示制表符",
    "pictures.key.raised": "上标数字：权重占最大值的五分之几，带正负号",
    "pictures.key.unknown": "无颜色：未知",
    "pictures.key.framed": "方括号：标出的词元",
    "pictures.mark.apart": "不同",
    "pictures.more": "另有 {n} 个词元未画出，见表格。",
    "pictures.rows": "表格共 {n} 行，见本报告的 HTML、Markdown 与 JSON。",
    # Paths
    "pictures.step": "第 {n} 步：{token} {p}，熵 {entropy}",
    "pictures.others": "其他可能：{tokens}",
    "pictures.open": "此处很可能出现另一个词元",
    "pictures.key.open": "此处很可能出现另一个词元",
    "pictures.key.entropy": "条的高度：下一个词元的熵（奈特）；满行为 {top}。",
    "pictures.key.doubt": "条的高度：1 减去所选词元的概率。",
    "pictures.key.absent": "点线：未知。",
    "pictures.key.asked": "问号：未知。",
    "pictures.key.labels": "条上方的文字：未定步所选的词元（位置足够时显示）。",
    "pictures.key.bar": "条为所选词元在温度 1 下的概率；其下为原本可能出现的词元。",
    "pictures.line": "{letter}：{name}",
    "pictures.range": "第 {first} 至 {last} 步",
    "pictures.range.parts": "第 {first} 至 {last} 步；两行在第 {n} 步分开",
    "pictures.parts": "各行在第 {n} 步分开。",
    "pictures.part.here": "分开",
    "pictures.together": "各行始终相同。",
    "pictures.opens": "很可能出现另一个词元的步：",
    "pictures.opened": "第 {n} 步：{token} {p}；其他可能 {tokens}",
    "pictures.opened.alone": "第 {n} 步：{token} {p}",
    "pictures.opened.more": "另有 {n} 个未定步",
    "pictures.no_steps": "没有任何一步。",
    # Differences
    "pictures.gap": "［… 略去 {n} 个字符 …］",
    "pictures.signs": "[-仅见于左侧-] {open}+仅见于右侧+{close}",
    "pictures.key.changed": "仅见于一侧的文字：左侧加删除线，右侧加下划线。",
}
