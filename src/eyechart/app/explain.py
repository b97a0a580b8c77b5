"""explain: the gap between two evaluations, divided among the fields in which they differ.

Re-reading comes first, since it is free. Mixtures of A and B are asked only where a field changes a request, every
answer that A, B or a shared store holds is used, and what is asked is kept in a folder, so that it is asked once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from eyechart.analysis.explained import Explained, Game, Verdict, closes, explained, smallest_closing
from eyechart.analysis.explanation import Asked, Explanation, OwnItems
from eyechart.app.explain_grid import MOST_READ, NAME, Laid
from eyechart.app.explain_read import Scores, plain, scores
from eyechart.app.explain_work import EXACT, PAIRS, Given, Wish, Work, prepare
from eyechart.app.finished import finished
from eyechart.app.paper import paper, write_paper
from eyechart.app.plan import Plan, make_plan
from eyechart.app.run import run
from eyechart.core.codec import dump_study
from eyechart.core.effective import stated_digest
from eyechart.core.errors import InputError, Stopped
from eyechart.core.identity import rng_for
from eyechart.core.spec import Budget
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment
from eyechart.report.sections.explained import explained_parts
from eyechart.stats.ddmin import ddmin
from eyechart.stats.inputs import FloatArray
from eyechart.stats.shapley import mask, shapley_weights
from eyechart.stats.shapley_sampled import Weights, antithetic, sampled_weights
from eyechart.store.store import Store

MOST_CELLS = 4096
"""Mixtures that are laid out one by one: a few seconds."""
FREE = "replay"
"""A backend whose calls cost nothing: it looks answers up."""

OTHER = " (what is stored was answered by another engine: version, model file or settings)"


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """What `explain` would do, before anything is asked."""

    work: Work
    weights: Weights
    plan: Plan
    asked: Asked


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

    `options` are the fields of `Wish`: `explain("a.yaml", "b.yaml", budget=2000)`. Raises InputError where they cannot be compared, Stopped where the budget does not reach, TooManyFailures.
    """
    wish = wish or wished(options)
    work = prepare(a, b, wish)
    if not wish.calls:
        return _settled(work.together(), work, wish)
    weights, laid, plan = _designed(work, wish)
    doing = _Doing(work, wish)
    doing.measure(laid, plan)
    found = explained(doing.game, weights, tolerance=wish.tolerance, level=wish.level)
    found = doing.closed(found, weights)
    return _told(work, found, doing, None)


def foresee(a: Given, b: Given, wish: Wish | None = None) -> Foreseen:
    """The plan: fields, what is inert, mixtures, calls needed and stored, and what they would cost."""
    wish = wish or Wish()
    work = prepare(a, b, wish)
    if not wish.calls:
        work = work.together()
    weights, laid, plan = _designed(work, wish)
    return Foreseen(work=work, weights=weights, plan=plan, asked=_counted(work, laid, plan))


def _designed(work: Work, wish: Wish) -> tuple[Weights, Laid, Plan]:
    """The best design that the budget reaches: all mixtures, else pairs of orders, the more the better."""
    tried: list[int] = []
    for weights in _designs(work, wish):
        laid = work.lay(weights.coalitions)
        plan = make_plan(laid.grid, work.stores(wish))
        if not wish.calls or wish.budget is None or len(plan.new) <= wish.budget:
            return weights, laid, plan
        tried.append(len(plan.new))
    raise Stopped(
        f"the smallest design needs {min(tried):,} calls, and the budget is {wish.budget:,}; --no-calls tells what "
        "re-reading explains"
    )


def _designs(work: Work, wish: Wish) -> Iterable[Weights]:
    count = len(work.groups)
    asking = [j for j in range(count) if work.asks[j]]
    reading = [j for j in range(count) if not work.asks[j]]
    pairs = wish.pairs or PAIRS
    if len(reading) > MOST_READ or max(2, 2 * pairs * len(asking)) << len(reading) > MOST_CELLS:
        asking, reading = list(range(count)), []
    small = 1 << count <= MOST_CELLS
    every = small and (wish.exact or (sum(work.asks) <= EXACT and wish.pairs is None))
    if every or (wish.budget is not None and small and wish.pairs is None):
        yield Weights(coalitions=tuple(range(2**count)), weights=shapley_weights(count)[None], exact=True)
    if wish.exact:
        if not every:
            raise InputError(f"{count} fields have too many mixtures to try them all: leave --exact out")
        return
    for fewer in range(pairs, 0, -1):
        rng = rng_for(wish.seed, "explain", work.key, "orders")
        yield sampled_weights(antithetic(len(asking), fewer, rng), asking, reading)


class _Doing:
    """Measures mixtures, and remembers what was measured."""

    def __init__(self, work: Work, wish: Wish) -> None:
        self.work, self.wish = work, wish
        self.made = self.failed = 0
        self.first: Plan | None = None
        self.laid: Laid | None = None
        self.read: Scores | None = None
        self.notes: dict[str, None] = {}
        self.game = Game(fields=(), asks=(), values={}, clusters=())

    def measure(self, laid: Laid, plan: Plan) -> None:
        """Ask what is missing, and read every mixture of `laid`."""
        self.first = self.first or plan
        free = all(laid.grid.engines[engine].engine.backend == FREE for engine, _ in plan.new)
        asking = bool(plan.new) and (self.wish.calls or free)
        if not plain(laid.grid) and not self.wish.calls:
            raise InputError("answers that a judge reads, or that are run as programs, need more than re-reading; "
                             "leave --no-calls out")  # fmt: skip
        if asking or not plain(laid.grid):
            self._run(laid)
        self.laid = laid
        self.read = scores(laid.grid, self.work.stores(self.wish)) if plain(laid.grid) else self._finished(laid)
        self._note(laid)
        self._remember(laid, self.read)

    def _run(self, laid: Laid) -> None:
        work, wish = self.work, self.wish
        folder = work.folder
        self._mine()
        folder.prepare()
        keys = [planned.key for _, planned in laid.grid.calls()]
        with Store(folder.store) as target:
            for path in (work.a.store, work.b.store):
                if path is not None and path.exists():
                    with Store(path, create=False) as source:
                        entries = list(source.entries(source.known(keys) - target.known(keys)))
                    for use in laid.grid.engines:
                        target.put_engine(use.engine)
                    target.put(entries)
        grid = laid.grid
        if wish.budget is not None:
            left = Budget(calls=max(1, wish.budget - self.made))
            grid = replace(grid, study=grid.study.model_copy(update={"budget": left}))
        ran = run(
            grid,
            dump_study(grid.study),
            folder,
            shared=wish.store,
            progress=wish.progress,
            weak_sandbox=wish.weak_sandbox,
        )
        self.made += ran.made
        self.failed += ran.failed
        if ran.stopped:
            raise Stopped(f"{ran.stopped}; what was answered is stored: the same command goes on")

    def _mine(self) -> None:
        """Mixtures are never written over another run: a folder of `explain` is one of this very A."""
        folder = self.work.folder
        if not (folder.path / "run.json").exists():
            return
        facts = folder.read_json("run.json")
        if facts.get("name") != NAME or facts.get("digests", {}).get("stated") != stated_digest(self.work.spec):
            raise InputError(f"{folder.path} holds another run; name another folder with --out")

    def _finished(self, laid: Laid) -> Scores:
        seen = finished(self.work.folder).observations
        order = {name: i for i, name in enumerate(seen.items)}
        out = Scores(cells=[])
        for at, cell in enumerate(laid.grid.cells):
            means = seen.means(at)
            out.cells.append(np.array([means[order[item.id]] for item in laid.grid.asks[cell.ask].items]))
        return out

    def _note(self, laid: Laid) -> None:
        self.notes |= dict.fromkeys(laid.grid.notes)
        if self.read is None:
            return
        for what, reasons in (("calls failed", self.read.failed), ("readings could not be scored", self.read.unscored)):
            for reason, count in reasons.most_common(3):
                self.notes[f"{count:,} {what}: {reason}"] = None
        for cell in laid.grid.cells:
            asking = cell.effective.asking
            if asking.sampled and asking.seed_scope != "item":
                self.notes[
                    f"decoding.seed_scope is {asking.seed_scope}: all items share one draw, so that the intervals "
                    "know nothing of its luck; repeat with other seeds"
                ] = None

    def _remember(self, laid: Laid, read: Scores) -> None:
        cells = laid.grid.cells
        items = laid.grid.asks[cells[laid.cell[0]].ask].items
        arrays: dict[int, FloatArray] = {}
        for coalition in sorted(laid.cell):
            at = laid.cell[coalition]
            if at not in arrays:
                here = laid.grid.asks[cells[at].ask].items
                by_id = dict(zip((item.id for item in here), read.cells[at], strict=True))
                arrays[at] = np.array([by_id.get(item.id, np.nan) for item in items])
        self.game = Game(
            fields=tuple(group.name for group in self.work.groups),
            asks=self.work.asks,
            values={c: arrays[at] for c, at in laid.cell.items()},
            clusters=tuple(item.cluster for item in items),
        )

    def closed(self, found: Explained, weights: Weights) -> Explained:
        """`found` with its closing set looked for by delta debugging, where a few more mixtures are needed for it.

        The named fields first, then those with the next largest shares, until the gap is closed; then what can be left
        out again is.
        """
        if weights.exact or not found.of(Verdict.EXPLAINS):
            return found
        ranked = [self.game.fields.index(part.field) for part in found.parts if part.verdict is not Verdict.NOTHING]
        named = tuple(ranked[: len(found.of(Verdict.EXPLAINS))])
        less = [mask(tuple(other for other in named if other != one)) for one in named]
        self._more([mask(named), *less])  # at once: with them the search has most of what it asks for
        for many in range(len(named), len(ranked)):
            tried = tuple(sorted(ranked[:many]))
            if self._closes(mask(tried)):
                self._cut_down(tried)
                break
        return replace(found, closing=smallest_closing(self.game, tolerance=self.wish.tolerance, level=self.wish.level))

    def _cut_down(self, closing: Sequence[int]) -> None:
        looking = ddmin(len(closing))
        try:
            wanted = next(looking)
            while True:
                wanted = looking.send(self._closes(mask(tuple(closing[i] for i in wanted))))
        except StopIteration:
            return

    def _closes(self, coalition: int) -> bool:
        if not self._more([coalition]):
            return False
        return closes(self.game, coalition, tolerance=self.wish.tolerance, level=self.wish.level)

    def _more(self, coalitions: Sequence[int]) -> bool:
        """Measure these too; False where the budget does not reach."""
        if all(coalition in self.game.values for coalition in coalitions):
            return True
        laid = self.work.lay((*self.game.values, *coalitions))
        plan = make_plan(laid.grid, self.work.stores(self.wish))
        if self.wish.budget is not None and len(plan.new) > self.wish.budget - self.made:
            return False
        if plan.new and 4 * len({laid.asks(c) for c in laid.cell}) > 3 * 2 ** sum(self.work.asks):
            return False  # what was saved on the shares is not spent on the set
        self.measure(laid, plan)
        return True


def _settled(work: Work, apart: Work, wish: Wish) -> Explaining:
    """What re-reading alone explains, and how many calls would settle the rest."""
    weights, laid, plan = _designed(work, wish)
    doing = _Doing(work, wish)
    doing.measure(laid, plan)
    if not doing.game.whole(weights.coalitions).any():
        lacking = [e.name for e in (work.a, work.b) if e.store is None]
        raise InputError(
            f"{work.a.name} and {work.b.name} share no item that both have answered"
            + (f" ({' and '.join(lacking)} {'was' if len(lacking) == 1 else 'were'} not run)" if lacking else OTHER)
            + "; leave --no-calls out, or run them"
        )
    found = explained(doing.game, weights, tolerance=wish.tolerance, level=wish.level)
    settle = None
    if work.merged and not all(use.engine.backend == FREE for use in laid.grid.engines):
        settle = len(_designed(apart, replace(wish, calls=True, budget=None))[2].new)
    return _told(work, found, doing, settle)


def _told(work: Work, found: Explained, doing: _Doing, settle: int | None) -> Explaining:
    laid, plan, read = doing.laid, doing.first, doing.read
    if laid is None or plan is None or read is None:
        raise RuntimeError("nothing was measured")
    counted = _counted(work, laid, make_plan(laid.grid))
    asked = replace(
        counted,
        stored=max(0, counted.needed - doing.made - doing.failed - read.missing),
        made=doing.made,
        failed=doing.failed,
        missing=read.missing,
        settle=settle,
    )
    return Explaining(
        a=work.a.name,
        b=work.b.name,
        fields=work.moved(),
        inert=work.inert,
        found=found,
        asked=asked,
        own=_own(work),
        merged=work.merged,
        folder=str(work.folder.path) if work.folder.store.exists() else None,
        notes=(*work.notes, *doing.notes),
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


def _own(work: Work) -> OwnItems | None:
    if work.data is None or work.b.run is None or work.b.cell is None:
        return None
    means = work.b.run.observations.means(work.b.cell)
    known = means[np.isfinite(means)]
    return OwnItems(score=float(known.mean()), items=int(known.size)) if known.size else None


def wished(options: Mapping[str, object]) -> Wish:
    """A `Wish` from keywords. Raises InputError for one that is not there."""
    known = [f.name for f in fields(Wish)]
    for name in options:
        if name not in known:
            raise InputError(f"explain has no option {name}; there are {', '.join(known)}")
    given = {k: Path(v) if k in ("out", "store") and isinstance(v, str) else v for k, v in options.items()}
    return Wish(**given)  # pyright: ignore[reportArgumentType]
