"""init: a study for somebody's own questions, in one step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from eyechart.core.errors import InputError
from eyechart.core.plugins import BACKENDS
from eyechart.core.spec import Dataset
from eyechart.data.load import Loaded, load


@dataclass(frozen=True, kw_only=True)
class Written:
    items: int
    factors: int
    notes: tuple[str, ...]


def write_study(
    data: Path | None,
    out: Path,
    *,
    function: str | None = None,
    backend: str | None = None,
    url: str | None = None,
    model: str | None = None,
    force: bool = False,
) -> Written:
    """Reads `data` once, so that what is written will load. Raises InputError, and never overwrites
    a file unless `force`."""
    if out.exists() and not force:
        raise InputError("is there already; name another file with --out, or give --force", file=str(out))
    if backend is not None:
        BACKENDS.get(backend)  # says which there are
    elif url is not None:
        backend = "openai"
    if data is None:
        dataset = Dataset(name="chart", subset="sentiment", limit=60)
        where = "dataset:\n  name: chart             # the built-in one; `path: my.csv` for your own\n  subset: sentiment\n  limit: 60               # drawn with a seed, stratified by group\n"
    else:
        if not data.exists():
            raise InputError("there is no such file", file=str(data))
        path = data.resolve()
        relative = path.relative_to(out.parent.resolve()) if path.is_relative_to(out.parent.resolve()) else path
        dataset = Dataset(path=str(path))
        where = f"dataset:\n  path: {json.dumps(str(relative), ensure_ascii=False)}\n"
    loaded = load(dataset, Path())
    choices = all(item.choices for item in loaded.items)
    factors = _choice_factors() if choices else _text_factors()
    text = _HEAD + where + _prompt(choices) + _model(function, backend, url, model) + _EVALUATION[choices] + factors
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(out)) from None
    return Written(items=len(loaded.items), factors=factors.count("\n  - "), notes=_notes(loaded))


_HEAD = "# A first look: how far does the score move when only the evaluation moves?\n"

_EVALUATION = {
    True: (
        "decoding:\n  temperature: 0.0\n  max_new_tokens: 8\n  seed: 1\n"
        "evaluation:\n  elicit: options         # log-probability of each option; `generate` asks for text\n"
        "  extraction: lenient     # how generated text is read; `eyechart factors` lists all readers\n"
        "  postprocess: strip_punctuation_and_lowercase\n"
        "repeats: {count: 3, greedy: 1}\n"
    ),
    False: (
        "decoding:\n  temperature: 0.0\n  max_new_tokens: 32\n  seed: 1\n"
        "evaluation:\n  extraction: first_line  # how the answer is read; `eyechart factors` lists all readers\n"
        "  postprocess: strip_punctuation_and_lowercase\n"
        "repeats: {count: 3, greedy: 1}\n"
    ),
}


def _prompt(choices: bool) -> str:
    shown = "    Question: {{question}}\n" + ("    {{options}}\n" if choices else "")
    return f'prompt:\n  template: |-\n{shown}  cue: "\\nAnswer:"\n'


def _model(function: str | None, backend: str | None, url: str | None, name: str | None) -> str:
    if function:
        return f"model:\n  backend: function\n  path: {json.dumps(function)}\n"
    lines = [f"model:\n  backend: {backend or 'embedded'}"]
    for key, value in (("url", url), ("name", name)):
        if value:
            lines.append(f"  {key}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _choice_factors() -> str:
    return (
        "design: factorial\nfactors:\n"
        "  - {evaluation.elicit: [options, generate]}\n"
        "  - {decoding.temperature: [0.0, 0.7]}\n"
        '  - {prompt.cue: {answer: "\\nAnswer:", right: "\\nThe right option is:"}}\n'
        "  - {evaluation.extraction: [lenient, first_word, last_word]}\n"
    )


def _text_factors() -> str:
    return (
        "design: factorial\nfactors:\n"
        "  - {decoding.temperature: [0.0, 0.7]}\n"
        '  - {prompt.cue: {answer: "\\nAnswer:", short: "\\nAnswer in one word:"}}\n'
        "  - {evaluation.extraction: [first_line, first_word, last_word]}\n"
    )


def _notes(loaded: Loaded) -> tuple[str, ...]:
    unusable = tuple(f"row not used: {problem}" for problem in loaded.problems[:10])
    more = len(loaded.problems) - len(unusable)
    return (*loaded.notes, *unusable, *((f"and {more} more rows not used",) if more > 0 else ()))
