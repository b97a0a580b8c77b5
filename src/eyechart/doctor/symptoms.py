"""Words to causes: what a symptom usually comes from, where nothing was measured.

The order of causes is experience put down by hand (what people found behind such complaints), not a probability.

>>> [s.id for s in recognise("Same seed, different answers every time")]
['seed_differs']
>>> recognise("同样的种子，结果却不一样")[0].causes[0]
'seed_ignored'
>>> recognise("the coffee is cold")
()
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A complaint in words, and what it usually comes from."""

    id: str
    """`doctor.symptom.<id>` of the catalogue says it."""
    pattern: re.Pattern[str]
    """Any of these words."""
    causes: tuple[str, ...]
    """The usual ones, the commonest first."""


def _symptom(id: str, pattern: str, *causes: str) -> Symptom:
    return Symptom(id=id, pattern=re.compile(pattern, re.IGNORECASE | re.DOTALL), causes=causes)


SYMPTOMS: tuple[Symptom, ...] = (
    _symptom(
        "seed_differs",
        r"same seed|fixed seed|seed.{0,30}(differ|not reproduc|ignored|no effect|chang)|not reproducib|non.?determin|irreproducib"
        r"|temperature (0|zero).{0,40}(differ|chang|random|var)|(differ|chang)\w*.{0,30}(every|each) (time|run)"
        r"|温度.{0,6}(0|零).{0,20}(不同|不一样|变)|种子.{0,12}(不同|不一样|无效|没用)|不可复现|无法复现|每次.{0,8}不(同|一样)|不确定性|随机性",
        "seed_ignored", "sampling_unseeded", "unsteady", "batch", "served_changed", "temperature_inert",
    ),
    _symptom(
        "runs_equal",
        r"(same (score|result|answer|output|text|accuracy)s?|identical|equal)\b.{0,30}(every|each|all|across|over).{0,15}(run|repeat|seed|sample|time)|no variance|zero variance|std.{0,10}\b0(?:\.0*)?\b"
        r"|(repeats?|runs?|samples?|seeds)\b.{0,20}(identical|equal|the same)|两次.{0,6}(完全)?(相同|一样)|方差为(0|零)|重复.{0,10}(相同|一样)",
        "temperature_inert", "repeats_copied", "seed_ignored", "stale_cache", "seed_shared",
    ),
    _symptom(
        "runs_spread",
        r"(huge|large|high|wild|big).{0,15}(variance|spread|fluctuat|swing)|fluctuat|swings?\b|unstable|noisy|volatil|波动|方差(很|太)?大|不稳定|忽高忽低",
        "seed_shared", "runs_uneven", "served_changed", "items_differ", "truncated",
    ),
    _symptom(
        "batch",
        r"batch|concurren|throughput|parallel|thread|load.?balanc|批(次|量|大小)|并发|线程",
        "batch", "unsteady", "served_changed", "machine",
    ),
    _symptom(
        "unread",
        r"(extract|pars|regex|format)\w*.{0,30}(fail|wrong|miss|strict|error|can|no)|correct answer.{0,25}(marked|graded|scored).{0,10}wrong|right answer.{0,25}wrong|marked wrong"
        r"|(提取|解析|抽取|格式).{0,10}(失败|错|不到|严|问题)|答对.{0,8}(判|算).{0,3}错|判错",
        "reader_strict", "format_missed", "truncated", "template_foreign", "reader_loose", "parser_changed",
    ),
    _symptom(
        "too_high",
        r"(too|suspicious\w*|unbeliev\w*|implausib\w*|surprisingly).{0,12}(high|good)|contaminat|leak|cheat|too good|过高|太高|虚高|泄[漏露]|污染|作弊",
        "gold_in_prompt", "shot_overlap", "reader_loose", "too_high", "duplicated_items", "stale_cache",
    ),
    _symptom(
        "at_chance",
        r"chance|random guess|guess|coin.?flip|25 ?%|always (answers? )?.?[A-E]\b|same (letter|option)|近似?随机|瞎猜|随机水平|总是选|一直选|都选",
        "at_chance", "position_bias", "below_chance", "double_bos", "template_foreign", "reader_strict",
    ),
    _symptom(
        "zero",
        r"(score|accuracy|result)s?.{0,15}(is|are|of|=|was|drops? to|fell to)? ?(0|zero)\b|all wrong|everything.{0,10}wrong|empty|blank|no (output|answer|text)|nothing comes|全错|零分|得分为(0|零)|空(回答|输出|白)|没有(输出|回答)",
        "format_missed", "empty", "truncated", "reader_strict", "template_foreign", "stop_cuts", "machine",
    ),
    _symptom(
        "cut",
        r"cut (off|short)|truncat|max.?(new.?)?tokens|too short|stops? (early|in the middle|mid)|unfinished|incomplete|截断|不完整|没(说|写|答)完|被切|token.?(上限|限制)",
        "truncated", "stop_cuts", "context_full", "token_limit",
    ),
    _symptom(
        "claimed",
        r"\b(paper|official|published|leaderboard|model card)\b|(report\w*|claim\w*|others?)\b.{0,60}(higher|lower|differ|mine|reproduc|but|match|get|got)|can ?not reproduce|can.t reproduce|doesn.t match|lower than|higher than"
        r"|(论文|官方|榜单|公布|报告).{0,20}(不一致|对不上|更?高|更?低|不同|复现)|复现不(了|出)|对不上",
        "template_differs", "chat_template", "shots_drawn", "reader_strict", "double_bos", "items_differ",
        "data_version", "token_limit", "precision", "decoding_differs", "key_differs", "harness_version",
    ),
    _symptom(
        "lower",
        r"(drop|fell|fall|decreas|lower|worse|degrad|regress)\w*|(too|very|so|unexpectedly|surprisingly).{0,6}(low|bad|poor)\b|(下降|降低|变差|掉了|掉点|低了|退步|(太|过|很|偏|特别)(低|差))",
        "reader_strict", "truncated", "template_differs", "precision", "shots_drawn", "other_model", "harness_version",
        "items_differ", "key_differs",
    ),
    _symptom(
        "engines",
        r"(vllm|llama\.?cpp|ollama|sglang|\btgi\b|hugging ?face|transformers|\bhf\b|openvino|lm.?studio|backend|engine|框架|后端|引擎)"
        r".{0,80}(other|differ|not (the )?same|than|versus|\bvs\b|mismatch|disagree|不同|不一样|不一致|对不上)",
        "chat_template", "double_bos", "precision", "backend", "template_foreign", "stop_differs", "batch",
    ),
    _symptom(
        "quantized",
        r"quanti[sz]|int4|int8|gguf|awq|gptq|fp8|bf16|precision|dtype|q4|量化|精度",
        "precision", "template_foreign", "other_model", "batch",
    ),
    _symptom(
        "upgraded",
        r"(upgrad|updat|new version|newer|since (the )?(last|new)|after.{0,15}(updat|upgrad|version|install))|升级|更新|新版本|换了版本",
        "harness_version", "parser_changed", "served_changed", "data_version", "key_differs", "judge_changed",
    ),
    _symptom(
        "judge",
        r"judge|grader|llm.as.a|裁判|评委|评判|打分模型",
        "judge_changed", "judge_drift", "position_bias", "format_missed",
    ),
    _symptom(
        "failing",
        r"time.?out|timed out|out of memory|\boom\b|crash|429|rate.?limit|5\d\d\b|connection|killed|超时|显存|内存不足|崩溃|限流|连接",
        "machine", "missing_items", "context_full",
    ),
    _symptom(
        "subset",
        r"subset|limit|first \d+|sampl\w* of (the )?items|different (items|questions|data)|(子集|前ｎ|前n|前\d+|抽样|题目不同|数据不同|数据集版本)",
        "first_n", "items_differ", "data_version", "missing_items",
    ),
    _symptom(
        "tasks",
        r"(one|some) (tasks?|benchmarks?|subjects?).{0,40}(other|while|but)|contradict|opposite (direction|trend)|相反|互相矛盾|此消彼长",
        "tasks_contradict", "contradicting_items", "shots_drawn", "truncated",
    ),
    _symptom(
        "refused",
        r"refus|declin|i can.?not help|safety|拒绝|拒答|安全",
        "refusals", "chat_template", "instruction_extra", "template_foreign",
    ),
)  # fmt: skip


def recognise(text: str) -> tuple[Symptom, ...]:
    """Symptoms that `text` (English or Chinese) speaks of, in the order in which they are spoken of."""
    line = " ".join(text.split())[:2000]
    found = [(match.start(), symptom) for symptom in SYMPTOMS if (match := symptom.pattern.search(line))]
    return tuple(symptom for _, symptom in sorted(found, key=lambda pair: pair[0]))


STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "gives",
        "has",
        "have",
        "i",
        "in",
        "is",
        "it",
        "its",
        "my",
        "no",
        "not",
        "of",
        "off",
        "on",
        "one's",
        "or",
        "other",
        "others",
        "another",
        "so",
        "some",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "too",
        "was",
        "we",
        "were",
        "when",
        "which",
        "why",
        "with",
    ]
)
"""Words that name nothing."""
NEAR, ALL = 0.7, 0.8
"""Share of a name that must be said, or of what was said that must be in the name."""


def named(text: str, names: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Causes whose own name `text` comes near, the nearest first. `names`: of each cause, in any language.

    >>> names = {"template_twice": ["the chat template is applied twice", "聊天模板被套了两次"], "empty": ["answers are empty"]}
    >>> named("chat template twice", names), named("聊天模板套了两次", names), named("the coffee is cold", names)
    (('template_twice',), ('template_twice',), ())
    """
    near: dict[str, float] = {}
    said = _words(text[:2000])
    for cause, many in names.items():
        for name in (cause.replace("_", " "), *many):
            known = _words(name)
            shared = len(said & known)
            if not shared or (shared < 2 and len(said) > 1):
                continue
            if shared >= NEAR * len(known) or shared >= ALL * len(said):
                near[cause] = max(near.get(cause, 0.0), shared / len(known | said))
    return tuple(sorted(near, key=lambda cause: -near[cause]))


def _words(text: str) -> frozenset[str]:
    """Stems of words that name something, and pairs of neighbouring Chinese letters."""
    low = text.casefold()
    latin = {w.removesuffix("s") if len(w) > 3 else w for w in re.findall(r"[a-z]+", low) if w not in STOP}
    runs = re.findall(r"[\u4e00-\u9fff]+", low)
    return frozenset(latin) | {run[i : i + 2] for run in runs for i in range(len(run) - 1)}


def usual(text: str, names: Mapping[str, Iterable[str]] | None = None) -> tuple[str, ...]:
    """Causes that are all but named, then those of all recognised symptoms: named by several first, then by place.

    >>> usual("answers are cut off")[0]
    'truncated'
    """
    first = named(text, names or {})
    return tuple(dict.fromkeys((*first, *_usual(text))))


def _usual(text: str) -> tuple[str, ...]:
    weight: dict[str, float] = {}
    for symptom in recognise(text):
        for place, cause in enumerate(symptom.causes):
            weight[cause] = weight.get(cause, 0.0) + 1 / (1 + place)
    return tuple(sorted(weight, key=lambda cause: -weight[cause]))
