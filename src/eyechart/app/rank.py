"""rank: runs of one procedure in an order that the data bear out. Never calls a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.analysis.compare import compare
from eyechart.analysis.rank import Ranked, Rules, forced
from eyechart.analysis.rank import rank as ranked
from eyechart.analysis.setups import CONTESTANT
from eyechart.app.paper import doubted, paper, write_paper
from eyechart.app.pointed import existing
from eyechart.app.setups import doubts_of, read_all, runs_in
from eyechart.app.tables import table
from eyechart.core.errors import InputError
from eyechart.core.words import message
from eyechart.report.blocks import Part
from eyechart.report.inputs import Language
from eyechart.report.messages import say
from eyechart.report.notebook import fragment
from eyechart.report.sections.rank import rank_part, sentence, title


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Ranked):
    """A `Ranked` with its pictures."""

    doubts: tuple[str, ...] = ()
    """Runs whose numbers are not as they were sealed."""

    def part(self) -> Part:
        return doubted(rank_part(self), self.doubts)

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be."""
        write_paper(Path(path), say(title(self), language), [self.part()], language)
        return Path(path)

    def __str__(self) -> str:
        return say(sentence(self), "en")

    def _repr_html_(self) -> str:
        return fragment(paper(say(title(self), "en"), [self.part()]))


def rank(
    *runs: str | Path,
    contestant: Sequence[str] = (),
    force: bool = False,
    by: str = "model",
    columns: dict[str, Any] | None = None,
    **rules: Any,
) -> Ranking:
    """Runs, set-ups of runs (`RUN#c001`) or folders of runs, ranked within each procedure.

    `contestant`: fields that make a contestant beside the usual ones (`analysis.setups.CONTESTANT`). `rules`: `level`,
    `bound`, and `rule` with `weight` or `quantile` of the order over set-ups: fields of `analysis.rank.Rules`.

    A plain table has no fingerprint and is refused unless `force`; `by` is then its column of contestants, `columns` names
    others (`score`, `item`, `cluster`, `run`). Raises InputError.
    """
    if not runs:
        raise InputError("name runs to rank, or a folder that holds them")
    tables = [str(one) for one in runs if _is_table(str(one))]
    made = Rules(contestant=tuple(dict.fromkeys((*CONTESTANT, *contestant))), **rules)
    if not tables:
        found, refused = runs_in(runs)
        out = ranked([one for _, one in read_all(found, refused)], made)
        unread = tuple(message("rank.unread", text=text) for text in refused)
        return _whole(replace(out, notes=(*out.notes, *unread)), doubts_of(found))
    if not force:
        raise InputError(
            f"{tables[0]} has no fingerprint: nobody can tell whether one procedure made its scores; give run folders "
            "(`eyechart import` makes one of a log), or --force to rank it all the same, marked"
        )
    if len(runs) > 1:
        raise InputError("a table is ranked by itself: its scores cannot be held against those of a run")
    return _whole(_forced(tables[0], by, columns or {}, made))


def _is_table(path: str) -> bool:
    return path == "-" or (existing(path) is not None and Path(path).is_file())


def _forced(path: str, by: str, columns: dict[str, Any], rules: Rules) -> Ranked:
    read = table(path, columns=[by], **columns)
    found = compare(read, by, level=rules.level, bound=rules.bound, seed=rules.seed)
    clusters = read.item_clusters
    return forced(
        found.comparisons,
        level=rules.level,
        source=read.source,
        clusters=None if clusters is None else len(np.unique(clusters[clusters >= 0])),
        note=message("rank.forced"),
    )


def _whole(found: Ranked, doubts: tuple[str, ...] = ()) -> Ranking:
    return Ranking(doubts=doubts, **{field.name: getattr(found, field.name) for field in fields(Ranked)})
