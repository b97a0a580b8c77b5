"""init: a study for somebody's own questions, in one step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from eyechart.app.init_goals import CHART, Aimed, goal_factors, goal_text
from eyechart.app.schemes import Task
from eyechart.core.errors import InputError
from eyechart.core.plugins import BACKENDS
from eyechart.core.spec import Dataset
from eyechart.data.load import Loaded, Sort, load


@dataclass(frozen=True, kw_only=True)
class Written:
    items: int | None
    """None: the data is not there yet."""
    factors: int
    notes: tuple[str, ...]
    task: Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a scheme is chosen by; the defaults are what stands for a question nobody answered."""

    task: Task | None = None
    """None: seen from the data."""
    people: bool = False
    """Whether people can label answers."""
    labels: int = 200
    """How many things they label, where they do."""
    sampling: bool = False
    """Whether answers are drawn at random, as users see them; otherwise greedy."""
    budget: int | None = None
    """Most calls."""


def write_study(
    data: Path | None,
    out: Path,
    *,
    function: str | None = None,
    backend: str | None = None,
    url: str | None = None,
    model: str | None = None,
    force: bool = False,
    wishes: Wishes | None = None,
    aimed: Aimed | None = None,
) -> Written:
    """Reads `data` once, so that what is written will load. With `wishes`, a study of the fitting scheme; with `aimed`,
    one of that goal, which sets design and repeats.

    Raises InputError, and never overwrites a file unless `force`.
    """
    if out.exists() and not force:
        raise InputError("is there already; name another file with --out, or give --force", file=str(out))
    if backend is not None:
        BACKENDS.get(backend)  # says which there are
    elif url is not None:
        backend = "openai"
    if data is not None and not data.exists():
        raise InputError("there is no such file", file=str(data))
    task, loaded = _looked_at(data, wishes)
    where = _where(data, out, task)
    asked = _model(function, backend, url, model)
    if aimed is not None:
        chart = data is None and task == "choice"
        text = goal_text(aimed, task, out, where, (CHART if chart else _prompt(task)) + asked)
        factors = goal_factors(aimed.goal, task, chart=chart)
    elif wishes is None:
        text = _HEAD + where + _prompt(task) + asked + _EVALUATION[task == "choice"]
        factors = _choice_factors() if task == "choice" else _text_factors()
    else:
        text = _scheme_head(task, wishes) + where + _asking(task, wishes, asked) + _limits(wishes)
        factors = _scheme_factors(task, wishes) + _people(task, wishes)
    try:
        out.write_text(text + factors, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(out)) from None
    notes = (f"{_PLACE[task]} is not there yet: {_COLUMNS[task]}",) if loaded is None else _notes(loaded)
    items = None if loaded is None else len(loaded.items)
    return Written(items=items, factors=factors.count("\n  - "), notes=notes, task=task)


_CHART = ("choice", "number")
"""Tasks for which the built-in chart has items."""
_SUBSET = {"choice": "sentiment", "number": "copying"}
_PLACE = {"text": "questions.jsonl", "code": "problems.jsonl", "open": "questions.jsonl", "pairwise": "pairs.jsonl"}
_COLUMNS = {
    "text": "one line an item, with question and answer",
    "code": "one line a problem, with question and its tests",
    "open": "one line an item, with question",
    "pairwise": "one line a pair, with question, output_a and output_b",
}
_SORT: dict[str, Sort] = {"open": "open", "pairwise": "judged"}


def _looked_at(data: Path | None, wishes: Wishes | None) -> tuple[Task, Loaded | None]:
    """The task, as stated or as the data looks, and the items; None where there are none yet."""
    task = wishes.task if wishes else None
    if data is None:
        task = task or "choice"
        if task not in _CHART:
            return task, None
        return task, load(Dataset(name="chart", subset=_SUBSET[task], limit=60), Path())
    dataset = Dataset(path=str(data.resolve()))
    if task is not None:
        return task, load(dataset, Path(), _SORT.get(task, "asked"))
    try:
        loaded = load(dataset, Path())
    except InputError:
        if wishes is None:
            raise
        return _judged(dataset)
    if all(item.choices for item in loaded.items):
        return "choice", loaded
    plain = wishes is not None and all(_numeric(text) for item in loaded.items for text in item.gold)
    return "number" if plain else "text", loaded


def _judged(dataset: Dataset) -> tuple[Task, Loaded]:
    """Data without right answers: pairs to compare, or questions whose answers are judged."""
    try:
        loaded = load(dataset, Path(), "judged")
        if all("output_b" in item.fields for item in loaded.items):
            return "pairwise", loaded
    except InputError:
        pass
    return "open", load(dataset, Path(), "open")


def _numeric(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


def _where(data: Path | None, out: Path, task: Task) -> str:
    if data is None and task in _CHART:
        return f"dataset:\n  name: chart             # the built-in one; `path: my.csv` for your own\n  subset: {_SUBSET[task]}\n  limit: 60               # drawn with a seed, stratified by group\n"
    if data is None:
        return f"dataset:\n  path: {_PLACE[task]}   # {_COLUMNS[task]}\n"
    path = data.resolve()
    relative = path.relative_to(out.parent.resolve()) if path.is_relative_to(out.parent.resolve()) else path
    return f"dataset:\n  path: {json.dumps(str(relative), ensure_ascii=False)}\n"


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


def _prompt(task: Task) -> str:
    shown = "    Question: {{question}}\n" + ("    {{options}}\n" if task == "choice" else "")
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


_METHOD = {"choice": "choice", "number": "number", "text": "short_text", "code": "code"}
"""The careful reader and scorer of each task."""
_TOKENS = {"choice": 32, "number": 256, "text": 32, "code": 512, "open": 512, "pairwise": 8}
_RUBRIC = {
    "open": "Judge how correct, helpful and complete the answer is. Its length does not matter.",
    "pairwise": "Judge how correct, helpful and complete each answer is. Neither its length nor its place matters.",
}
_GRADED = "an exact grader"
_MIX = {"open": "a judge for each answer", "pairwise": "a judge that compares two answers, each shown first once"}


def _scheme_head(task: Task, wishes: Wishes) -> str:
    parts = [_MIX.get(task, _GRADED), "a fixed seed"]
    if wishes.sampling:
        parts.append("5 repeats of drawn answers")
    if wishes.people:
        parts.append(f"labels of people on {wishes.labels:,} answers")
    return f"# Scheme for the task {task}: {', '.join(parts)}.\n# Which sentence needs which part: docs/schemes.md\n"


def _asking(task: Task, wishes: Wishes, model: str) -> str:
    """How is asked and read: of a pairwise task the judge is the model."""
    heat = "0.7" if wishes.sampling and task != "pairwise" else "0.0"
    decoding = f"decoding:\n  temperature: {heat}\n  max_new_tokens: {_TOKENS[task]}\n  seed: 1\n"
    repeats = "repeats: {count: 5, greedy: 1}\n"
    if task == "pairwise":
        judge = f"judge:\n  mode: pairwise\n  rubric: {json.dumps(_RUBRIC[task])}\n"
        return model.replace("model:\n", "model:                    # the judge\n", 1) + decoding + judge + repeats
    if task == "open":
        inner = "".join(f"    {line}\n" for line in model.splitlines())
        judge = (
            "evaluation:\n  method: judge\n  judge:\n    mode: pointwise\n"
            f"    rubric: {json.dumps(_RUBRIC[task])}\n    scale: {{low: 1, high: 5}}\n"
            f"{inner.replace('model:', 'model:                # better one of another family than the judged', 1)}"
        )
        return _prompt(task) + model + decoding + judge + repeats
    method = _METHOD[task]
    evaluation = f"evaluation:\n  elicit: generate\n  extraction: {method}\n  score: {method}\n"
    prompt = 'prompt:\n  template: "{{question}}"\n' if task == "code" else _prompt(task)
    return prompt + model + decoding + evaluation + repeats


def _limits(wishes: Wishes) -> str:
    return "" if wishes.budget is None else f"budget: {{calls: {wishes.budget}}}\n"


def _scheme_factors(task: Task, wishes: Wishes) -> str:
    lines = ["design: factorial", "factors:"]
    if task == "pairwise":
        return "\n".join([*lines, "  - {judge.order: [given, swapped]}", "  - {judge.wording: [1, 2, 3]}\n"])
    if wishes.sampling:
        lines.append("  - {decoding.temperature: [0.7, 0.0]}")
    if task == "code":
        lines.append('  - {prompt.instruction: {plain: "Write the code.", only: "Answer with code only."}}')
    else:
        lines.append('  - {prompt.cue: {answer: "\\nAnswer:", final: "\\nThe final answer is:"}}')
    return "\n".join(lines) + "\n"


def _people(task: Task, wishes: Wishes) -> str:
    if not wishes.people:
        return ""
    table = _PLACE["pairwise"] if task == "pairwise" else "answers.jsonl"
    return (
        f"# People label {wishes.labels:,} answers, drawn at random, each by two, blind:\n"
        f"#   eyechart judge sheet export {table} --count {wishes.labels} --people 2 --out sheet.csv\n"
        "#   eyechart judge sheet read sheet1.csv sheet2.csv --key sheet.key.json --out labels.csv\n"
    )


def _notes(loaded: Loaded) -> tuple[str, ...]:
    unusable = tuple(f"row not used: {problem}" for problem in loaded.problems[:10])
    more = len(loaded.problems) - len(unusable)
    return (*loaded.notes, *unusable, *((f"and {more} more rows not used",) if more > 0 else ()))
