"""probe pairs: a study's baseline with one small edit a family, run like any study, and what answers owe to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.features import FeatureScore, by_features, features_of
from eyechart.analysis.pairs import Answers, Family, Pairs, minimal_pairs
from eyechart.app.grid import Ask, Grid
from eyechart.app.opened import Run
from eyechart.app.opened import open as open_run
from eyechart.app.paper import paper
from eyechart.app.read import read_one
from eyechart.app.run import Progress, Ran
from eyechart.app.study import Study
from eyechart.core.codec import dump_study
from eyechart.core.errors import InputError
from eyechart.core.records import Item, Response
from eyechart.core.registry import hint
from eyechart.core.spec import Design, Factor, Name, Repeats
from eyechart.report.blocks import Part, message
from eyechart.report.notebook import fragment
from eyechart.report.sections.pairs import features as by_feature
from eyechart.report.sections.pairs import pairs as section
from eyechart.store.store import Store

FAMILIES: Mapping[str, Name] = {
    "renaming": "rename_identifiers",
    "indentation": {"in_question": {"edit": "indentation"}},
    "spaces": {"in_question": {"edit": {"spaces": {"style": "double"}}}},
    "punctuation": {"in_question": {"edit": "fullwidth_punctuation"}},
    "last_mark": {"in_question": {"edit": "trailing_punctuation"}},
    "quotes": {"in_question": {"edit": {"quotation_marks": {"style": "curly"}}}},
    "case": "question_case",
    "synonyms": {"in_question": {"edit": "synonyms"}},
    "order": "option_order",
}
"""Family to its edit: none of them changes what is asked, nor which answer is right."""
OFF = "none"
NOTHING = "\x00no answer"
"""What an answer in which none was found counts as: not the same as any that was."""
REPEATS = 2
"""Of every prompt, also the greedy ones, unless told otherwise: else nobody knows what the engine does by itself."""


@dataclass(frozen=True, kw_only=True)
class Probed:
    """What the pairs showed, and the run they came from."""

    pairs: Pairs
    run: Run
    ran: Ran
    idle: tuple[str, ...]
    """Families whose edit changed nothing here, and which were not asked."""

    def features(self) -> tuple[FeatureScore, ...]:
        """The baseline's score by simple features of the items."""
        seen, items = self.run.observations, self.run.items
        found = [features_of(items[name], str(items[name].fields.get("question", ""))) for name in seen.items]
        return by_features(seen.means(0), found, level=self.pairs.level)

    def part(self, features: bool = False) -> Part:
        texts = {name: str(item.fields.get("question", "")) for name, item in self.run.items.items()}
        blocks = (*section(self.pairs, texts, self.idle), *(by_feature(self.features()) if features else ()))
        return Part(name="pairs", title=message("section.pairs"), blocks=blocks)

    def _repr_html_(self) -> str:
        return fragment(paper("minimal pairs", [self.part()]))


def probe_pairs(
    study: Study,
    families: Sequence[str] = (),
    *,
    out: Path | str | None = None,
    repeats: int | None = None,
    level: float = 0.95,
    progress: Progress | None = None,
    allow_weak_sandbox: bool = False,
) -> Probed:
    """Ask the baseline of `study` with each of `families` (all that change something, unless named), and compare.

    `repeats`: of every prompt, greedy ones included; those of the study where it states more than one, else 2. It
    goes on where it stopped. Raises InputError for a family that is not there, and whatever a run raises.
    """
    made, idle = paired_study(study, families, repeats)
    ran = made.execute(out, progress=progress, allow_weak_sandbox=allow_weak_sandbox)
    run = open_run(ran.folder.path)
    with Store(run.folder.store, create=False) as store:
        found = compared(made.grid, run, store, level)
    return Probed(pairs=found, run=run, ran=ran, idle=idle)


def paired_study(
    study: Study, families: Sequence[str] = (), repeats: int | None = None
) -> tuple[Study, tuple[str, ...]]:
    """The study that is run, with a factor a family, and the families that change nothing in these items.

    Raises InputError where no family is left.
    """
    for name in families:
        if name not in FAMILIES:
            raise InputError(f"there is no family {name}; {hint(name, FAMILIES)}", field="--families")
    wanted = {name: FAMILIES[name] for name in families or FAMILIES}
    whole = _study(study, wanted, repeats)
    base, grid = whole.grid.asks[whole.grid.cells[0].ask], whole.grid
    acting = {name for name, ask in _asks(grid).items() if touched(base, ask).any()}
    idle = tuple(name for name in wanted if name not in acting)
    if not acting:
        raise InputError(
            f"none of these edits changes anything in these items: {', '.join(wanted)}", field="--families"
        )
    return (_study(study, {n: e for n, e in wanted.items() if n in acting}, repeats) if idle else whole), idle


def _study(study: Study, families: Mapping[str, Name], repeats: int | None) -> Study:
    spec = study.spec.spec
    stated = spec.repeats
    count = repeats or (stated.count if (stated.count or 1) > 1 else REPEATS)
    greedy = repeats or stated.greedy or REPEATS
    asked = Repeats(count=count, greedy=greedy, seed=stated.seed)
    factors = tuple(
        Factor(name=name, path="prompt.edits+", levels=((OFF, OFF), (name, edit))) for name, edit in families.items()
    )
    moved = study.spec.model_copy(
        update={
            "name": f"{study.name} pairs",
            "spec": spec.model_copy(update={"repeats": asked}),
            "factors": factors,
            "design": Design(),
            "preset": None,
            "deployment": None,
        }
    )
    return Study(moved, dump_study(moved), study.path)


def _asks(grid: Grid) -> dict[str, Ask]:
    """Family to how its cell asks."""
    out: dict[str, Ask] = {}
    for cell in grid.cells[1:]:
        (name,) = (level for _, level in cell.cell.levels if level != OFF)
        out[name] = grid.asks[cell.ask]
    return out


def touched(base: Ask, edited: Ask) -> NDArray[np.bool_]:
    """[items]: whether what is asked of the item is another request than in the baseline."""
    pairs = zip(base.planned, edited.planned, strict=True)
    return np.array([a[0].request_digest != b[0].request_digest for a, b in pairs], dtype=bool)


def compared(grid: Grid, run: Run, store: Store, level: float = 0.95) -> Pairs:
    """The families of a run that `paired_study` laid out. Calls no model."""
    codes: dict[str, int] = {}
    base = grid.asks[grid.cells[0].ask]
    answers = [_answers(grid, at, base, run, store, codes) for at in range(len(grid.cells))]
    asks = _asks(grid)
    edits = {f.name: _shown(f.levels[1][1]) for f in grid.study.factors}
    families = [
        Family(name=name, edit=edits[name], touched=touched(base, ask), answers=answers[1 + at])
        for at, (name, ask) in enumerate(asks.items())
    ]
    items = [item.id for item in base.items]
    return minimal_pairs(items, answers[0], families, [item.cluster for item in base.items], level=level)


def _answers(grid: Grid, at: int, base: Ask, run: Run, store: Store, codes: dict[str, int]) -> Answers:
    cell, ask, seen = grid.cells[at], grid.asks[grid.cells[at].ask], run.observations
    place = {name: i for i, name in enumerate(seen.items)}
    scores = np.full((len(ask.items), cell.repeats), np.nan)
    where = {place[item.id]: i for i, item in enumerate(ask.items) if item.id in place}
    rows = seen.rows(at)
    for row in range(rows.start, rows.stop):
        if seen.scored[row] and int(seen.item[row]) in where:
            scores[where[int(seen.item[row])], int(seen.repeat[row])] = seen.value[row]
    said = np.full(scores.shape, -1, dtype=np.int64)
    got = store.answers([p.key for row in ask.planned for p in row])
    for i, planned in enumerate(ask.planned):
        for repeat, one in enumerate(planned[: cell.repeats]):
            answer = got.get(one.key)
            if isinstance(answer, Response):
                found, _ = read_one(answer, ask.items[i], ask, i, cell.effective.reading)
                text = NOTHING
                if found.value is not None:
                    text = same_answer(found.value, ask.items[i], ask.labels[i], base.items[i])
                said[i, repeat] = codes.setdefault(text, len(codes))
    return Answers(scores=scores, said=said)


def same_answer(value: str, item: Item, labels: Sequence[str], base: Item) -> str:
    """An answer by what it means and not by how it is written: options moved or rewritten are the options they were.

    >>> base = Item(id="1", fields={}, choices=("red", "green"))
    >>> moved = Item(id="1", fields={}, choices=("green", "red"))
    >>> same_answer("A", moved, ("A", "B"), base) == same_answer("B", base, ("A", "B"), base)
    True
    """
    texts = [choice.strip().casefold() for choice in item.choices]
    plain = value.strip().casefold()
    marks = [label.casefold() for label in labels]
    at = texts.index(plain) if plain in texts else marks.index(plain) if plain in marks else None
    if at is None:
        return plain
    usual = [choice.strip().casefold() for choice in base.choices]
    if sorted(texts) == sorted(usual) and len(set(texts)) == len(texts):
        at = usual.index(texts[at])
    return f"\x00{at}"


def _shown(edit: Any) -> str:
    """`in_question: spaces: style: double` as one short text.

    >>> _shown({"in_question": {"edit": {"spaces": {"style": "double"}}}}), _shown("question_case")
    ('spaces (style=double) in the question', 'question_case')
    """
    if isinstance(edit, str):
        return edit
    ((name, told),) = edit.items()
    if name == "in_question":
        return f"{_shown(told['edit'])} in the question"
    return f"{name} ({', '.join(f'{k}={v}' for k, v in told.items())})" if told else str(name)
