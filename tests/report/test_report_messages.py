"""One catalogue, two languages: the same keys, the same places to fill, no word missing or idle."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import eyechart.report
from eyechart.report.blocks import message
from eyechart.report.messages import EN, ZH, say
from eyechart.report.messages.known import recognised

SOURCE = Path(eyechart.report.__file__).parent
KEY = re.compile(r"""["']([a-z_]+(?:\.[a-z_]+)+)["']""")
FAMILIES = ("count.", "heat.col.", "ledger.col.", "spread.col.", "mark.", "outcome.", "layer.", "tone.", "curve.",
            "digest.", "rule.", "section.", "intro.", "nav.", "why.", "heat.tip.", "sentence.mover.", "ui.", "how.")  # fmt: skip


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def written(source: Path = SOURCE) -> str:
    files = [*source.rglob("*.py"), *source.rglob("*.j2")]
    return "\n".join(f.read_text("utf-8") for f in files if f.name[:-3].split("_")[0] not in ("en", "zh"))


def test_both_languages_have_the_same_keys() -> None:
    assert list(EN) == list(ZH)


@pytest.mark.parametrize("key", EN)
def test_the_same_places_are_filled(key: str) -> None:
    assert places(EN[key]) == places(ZH[key])
    assert EN[key].strip() == EN[key] != ""
    assert ZH[key].strip() == ZH[key] != ""


@pytest.mark.parametrize("key", EN)
def test_words_need_no_escaping(key: str) -> None:
    """Catalogue words go into Markdown as they are, so they hold nothing that Markdown acts on."""
    assert not re.search(r"[`*_<>|\\#]", re.sub(r"\{.*?\}", "", EN[key] + ZH[key]))


def test_chinese_is_chinese() -> None:
    """Every text with words in it has them in Chinese; `SD` and `p` are symbols."""
    for key, text in ZH.items():
        letters = re.sub(r"\{.*?\}|SD", "", text)
        assert re.search("[\u4e00-\u9fff]", letters) or not re.search("[A-Za-z]", letters), key


def test_no_key_is_asked_for_that_is_not_there() -> None:
    asked = {key for key in KEY.findall(written()) if key.split(".")[0] in {k.split(".")[0] for k in EN}}
    paths = {"prompt.few_shot.count", "prompt.few_shot.source"}
    loose = {key for key in asked if key not in EN and key not in paths}
    assert not {key for key in loose if not any(known.startswith(f"{key}.") for known in EN)}


def test_no_word_is_idle() -> None:
    text = written(SOURCE.parent)  # other rooms hand over words too
    built = tuple(re.findall(r'f"([a-z_]+\.[a-z_.]*)\{', text))  # families whose last part is put in by the code
    idle = [key for key in EN if f'"{key}"' not in text and not key.startswith(FAMILIES + built)]
    assert not [key for key in idle if f'"{key.rpartition(".")[0]}"' not in text]


def test_a_missing_parameter_is_an_error() -> None:
    with pytest.raises(KeyError):
        say(message("heat.sd"), "en")


def test_raw_text_is_never_translated() -> None:
    assert say("baseline", "zh") == "baseline"
    assert say(message("heat.sd", sd="baseline"), "zh") == "SD baseline"


def test_braces_in_raw_text_are_only_letters() -> None:
    assert say(message("heat.sd", sd="{0}{x!r}"), "en") == "SD {0}{x!r}"


def test_known_reasons_are_said_in_the_language_of_the_report() -> None:
    assert say(recognised("no items"), "zh") == "没有题目"
    assert say(recognised("no items"), "en") == "no items"


SPREAD = "the runs are not repeats of one another: they spread by 7.4 points where independent items allow 3.0"


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        (
            f"{SPREAD}: one seed for all items, another subset, or a changed set-up",
            "相差 7.4 分，而题目相互独立时只应有 3.0 分",
        ),
        (
            "all 4 runs are equal on every item: one draw repeated is still one draw (did the seed reach the model?)",
            "全部 4 次",
        ),
        ("run 3 stands out at 41.0 points (p = 0.004); it is not dropped", "第 3 次运行明显离群，为 41.0 分"),
        ("3 of 960 failed, not counted", "960 条中有 3 条调用失败"),
        ("12.3 effective clusters (of 15), under 20: the interval may be too narrow", "15 个簇中有效簇数为 12.3"),
        ("1,204 items lack a score in some set-up and are left out", "1,204 道题在某些配置中没有得分"),
    ],
)
def test_known_warnings_keep_their_numbers(text: str, chinese: str) -> None:
    assert chinese in say(recognised(text), "zh")
    assert say(recognised(text), "en") == text


@pytest.mark.parametrize("key", [key for key in EN if key.startswith("why.") and "{" not in EN[key]])
def test_every_known_reason_is_recognised(key: str) -> None:
    assert recognised(EN[key]) == message(key)
