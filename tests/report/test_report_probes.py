"""What the probes found, in every medium and both languages, whatever a model wrote."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "probes"))  # tiny.py

from tiny import ALL, Tiny, prompted

from eyechart.app.paper import paper
from eyechart.core.flows import canned
from eyechart.core.records import Capabilities, Item, Request
from eyechart.probes.decoding import walk
from eyechart.probes.prompt import probe, summary
from eyechart.probes.prompt_values import Alone, Failed, PromptProbe, Question
from eyechart.probes.smallest import smallest_change, smallest_deletion
from eyechart.report.blocks import DiffBlock, Part, PathBlock, Prose, TokensBlock, message
from eyechart.report.html import render_html
from eyechart.report.markdown import render_markdown
from eyechart.report.messages import EN, ZH
from eyechart.report.notebook import fragment
from eyechart.report.plain import render_json
from eyechart.report.sections.decoding import decoding
from eyechart.report.sections.prompts import prompts, small, why
from eyechart.report.terminal import render_terminal

HOSTILE = "<script>alert(1)</script>\x1b[31m{0}"


def found(able: Capabilities = ALL) -> PromptProbe:
    model = Tiny(1)

    def question(text: str, item: str) -> Question:
        one = Item(id=item, fields={})
        return Question(name=text, request=Request(elicit="next", prompt=text), options=(" yes", " no"), item=one)

    asked = [("edit", question(f"Is {i} good?", i), question(f"Was {i} bad, {HOSTILE}?", i)) for i in "abcdef"]
    asked.append(("none", question("Is it?", "g"), question("Is it?", "g")))
    pairs = list(canned(probe(asked, able), model))
    turned = [i for i, pair in enumerate(pairs) if pair.flips]
    for i in turned:
        change = canned(smallest_change(asked[i][1], asked[i][2], "words", able), model)
        pairs[i] = replace(pairs[i], smallest=change)
    deletion = canned(smallest_deletion(asked[0][1], "words", able), model)
    failed = (Failed(change="edit", item=HOSTILE, reason="no answer in 60 s"),)
    return PromptProbe(
        pairs=tuple(pairs),
        families=summary(pairs, failed),
        failed=failed,
        alone=(Alone(item="a", name="s.yaml", prompt="Is a good?", smallest=deletion),),
        notes=("the two have other data; items are paired by their ids",),
    )


def parts() -> tuple[Part, ...]:
    requests = [(f"seed {s}", prompted("p", temperature=1.0, seed=s, max_new_tokens=90)) for s in (1, 2, 3)]
    sections = (
        ("prompts", prompts(found())),
        ("prompts_blind", prompts(found(Capabilities(options=True)))),
        ("decoding", decoding(canned(walk(requests, item="1"), Tiny(2, sharp=0.5)))),
        ("decoding_one", decoding(canned(walk(requests[:1]), Tiny(2)))),
        ("decoding_none", decoding(canned(walk(requests), lambda call: Tiny(2)(replace_request(call))))),
    )
    return tuple(Part(name=name, title=message("section.prompts"), blocks=tuple(blocks)) for name, blocks in sections)


def replace_request(call):
    return replace(call, request=prompted("p"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_medium_shows_them(language):
    given = paper("probes", parts(), language)
    names = tuple(part.name for part in given.more)
    page = render_html(given, names=names)
    assert "<script>alert" not in page
    assert "\x1b" not in page
    terminal = render_terminal(given, names=names, width=80)
    assert "\x1b[31m" not in terminal
    markdown = render_markdown(given, names=names)
    assert "<script>" not in markdown
    assert len(json.loads(render_json(given, names=names))["parts"]) == len(names)
    assert "<script" not in fragment(given)
    if language == "zh":
        assert "答案改变" in page
        assert "items are paired by their ids" not in page


def test_data_of_sections_alone_claim_no_empty_study():
    """No verdict of scores that nobody was asked for, and no rule about a fingerprint that was not given."""
    given = paper("probes", parts(), "en")
    data = json.loads(render_json(given, names=tuple(part.name for part in given.more)))
    assert set(data) <= {"schema", "title", "language", "headline", "parts"}
    for text in (json.dumps(data), render_markdown(given, names=("prompts",)), render_html(given, names=("prompts",))):
        assert "no set-up has a complete score" not in text
        assert "not in the fingerprint given" not in text
    said = Part(name="said", title="Said", blocks=(Prose(text="So it is."),))
    alone = json.loads(render_json(paper("x", [said], "en"), names=("said",)))
    assert alone["headline"] == "So it is."
    assert "verdict" in json.loads(render_json(paper("x", [said], "en")))


def test_the_pictures_are_there():
    blocks = prompts(found())
    kinds = {type(block) for block in blocks}
    assert {TokensBlock, DiffBlock} <= kinds
    (tokens, *_) = [b for b in blocks if isinstance(b, TokensBlock)]
    assert all(-1 <= (t.weight or 0) <= 1 for row in tokens.rows for t in row.tokens)
    assert len(tokens.rows) == 3  # first, second, and how attention moved
    blind = [b for b in prompts(found(Capabilities(options=True))) if isinstance(b, TokensBlock)]
    assert all(len(block.rows) == 2 for block in blind)
    paths = [b for b in parts()[2].blocks if isinstance(b, PathBlock)]
    assert len(paths) == 1
    assert paths[0].parting is not None


def test_nothing_asked_is_nothing_said():
    assert prompts(PromptProbe()) == []


def test_what_is_small_is_not_nothing():
    assert small(0.0) == "0"
    assert small(1e-9) == "< 0.001"


def test_reasons_of_the_probes_have_chinese_words():
    for key in EN:
        if key.startswith("probes.why."):
            assert why(EN[key]) == message(key)
            assert ZH[key] != EN[key]
