"""explain: the gap between two evaluations, divided among the fields in which they differ.

Re-reading comes first, since it is free. Mixtures of A and B are asked only where a field changes a request, every
answer that A, B or a shared store holds is used, and what is asked is kept in a folder, so that it is asked once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from eyechart.analysis.explained import Explained, explained
from eyechart.analysis.explanation import Asked, Explanation
from eyechart.app.explain_design import answered, designed
from eyechart.app.explain_grid import Laid
from eyechart.app.explain_items import fewer_repeats, own_items
from eyechart.app.explain_measure import FREE, Measuring
from eyechart.app.explain_work import Given, Wish, Work, prepare
from eyechart.app.paper import paper, write_paper
from eyechart.app.plan import Plan, make_plan
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment
from eyechart.report.sections.explained import explained_parts
from eyechart.stats.shapley_sampled import Weights

OTHER = " (what is stored was answered by another engine: version, model file or settings)"


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """What `explain` would do, before anything is asked."""

    work: Work
    weights: Weights
    plan: Plan
    asked: Asked
    judges: int
    """Calls of judges beside it, at most."""
    calls: bool
    """Whether any call would be made."""


@dataclass(frozen=True, kw_only=True)
class Explaining(Explanation):
    """An explanation as a person holds it in Python."""

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`."""
        write_paper(Path(path), f"{self.a} / {self.b}", explained_parts(self), language)
        return Path(path)

    def _repr_html_(self) -> str:
        return fragment(paper(f"{self.a} / {self.b}", explained_parts(self)))


def explain(a: Given, b: Given, wish: Wish | None = None, **options: object) -> Explaining:
    """Why `b` scores other than `a`: run folders, `RUN#cell`, fingerprint files, studies or runs.

    `options` are the fields of `Wish`: `explain("a.yaml", "b.yaml", budget=2000)`. Raises InputError where they cannot be
    compared, Stopped where the budget does not reach, TooManyFailures where too little came back to say anything.
    """
    wish = wish or wished(options)
    work = prepare(a, b, wish)
    design = designed(work, wish) if wish.calls else answered(work, wish)
    if design is None:
        return _settled(work.together(), work, wish)
    doing = Measuring(work, wish, design)
    doing.measure(design.laid, design.plan)
    found = explained(doing.game, design.weights, tolerance=wish.tolerance, level=wish.level)
    if doing.given_up is not None and isinstance(found.gap, NotEstimable):
        raise doing.given_up
    found = doing.closed(found, design.weights)
    doing.end()
    return _told(work, found, doing, None)


def foresee(a: Given, b: Given, wish: Wish | None = None) -> Foreseen:
    """The plan: fields, what is inert, mixtures, calls needed and stored, and what they would cost."""
    wish = wish or Wish()
    work = prepare(a, b, wish)
    design = designed(work, wish) if wish.calls else answered(work, wish)
    if design is None:
        work = work.together()
        design = designed(work, replace(wish, budget=None))
    counted = _counted(work, design.laid, design.plan)
    return Foreseen(
        work=work, weights=design.weights, plan=design.plan, asked=counted, judges=design.judges, calls=wish.calls
    )


def _settled(work: Work, apart: Work, wish: Wish) -> Explaining:
    """What re-reading alone explains, and how many calls would settle the rest."""
    free = replace(wish, budget=None)
    design = designed(work, free)
    doing = Measuring(work, wish, design)
    doing.measure(design.laid, design.plan)
    if not doing.game.whole(design.weights.coalitions).any():
        lacking = [e.name for e in (work.a, work.b) if e.store is None]
        raise InputError(
            f"{work.a.name} and {work.b.name} share no item that both have answered"
            + (f" ({' and '.join(lacking)} {'was' if len(lacking) == 1 else 'were'} not run)" if lacking else OTHER)
            + "; leave --no-calls out, or run them"
        )
    found = explained(doing.game, design.weights, tolerance=wish.tolerance, level=wish.level)
    settle = None
    if work.merged and not all(use.engine.backend == FREE for use in design.laid.grid.engines):
        more = designed(apart, replace(free, calls=True))
        settle = len(more.plan.new) + more.judges
    return _told(work, found, doing, settle)


def _told(work: Work, found: Explained, doing: Measuring, settle: int | None) -> Explaining:
    laid = doing.laid
    if laid is None:
        raise RuntimeError("nothing was measured")
    needed, stored = doing.counts()
    asked = replace(
        _counted(work, laid, make_plan(laid.grid)),
        needed=needed,
        stored=stored,
        made=doing.made,
        failed=doing.failed,
        missing=max(0, needed - stored - doing.made),
        settle=settle,
    )
    repeats = (
        fewer_repeats(work.a, laid, 0, found.score_a),
        fewer_repeats(work.b, laid, 2 ** len(work.groups) - 1, found.score_b),
    )
    return Explaining(
        a=work.a.name,
        b=work.b.name,
        fields=work.moved(),
        inert=work.inert,
        found=found,
        asked=asked,
        own=None if work.data is None else own_items(work.b, laid),
        merged=work.merged,
        folder=str(work.folder.path) if work.folder.store.exists() else None,
        notes=(*work.notes, *(note for note in repeats if note), *doing.notes, *doing.lacks()),
    )


def _counted(work: Work, laid: Laid, plan: Plan) -> Asked:
    return Asked(
        mixtures=len({laid.asks(c) for c in laid.cell}),
        of=2 ** sum(work.asks),
        needed=plan.needed,
        stored=plan.stored,
        made=0,
        failed=0,
        missing=0,
    )


def wished(options: Mapping[str, object]) -> Wish:
    """A `Wish` from keywords. Raises InputError for one that is not there."""
    known = [f.name for f in fields(Wish)]
    for name in options:
        if name not in known:
            raise InputError(f"explain has no option {name}; there are {', '.join(known)}")
    given = {k: Path(v) if k in ("out", "store") and isinstance(v, str) else v for k, v in options.items()}
    return Wish(**given)  # pyright: ignore[reportArgumentType]
