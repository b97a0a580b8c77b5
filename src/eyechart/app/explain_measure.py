"""Measures mixtures: asks what is missing, once, within the budget, and reads what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eyechart.analysis.explained import Explained, Game, Verdict, closes, smallest_closing, told
from eyechart.app.assess import wanted
from eyechart.app.explain_design import Designed, judges_left, keep, lacking
from eyechart.app.explain_grid import NAME, Laid
from eyechart.app.explain_read import Scores, plain, scores
from eyechart.app.explain_work import Wish, Work
from eyechart.app.finished import finished
from eyechart.app.plan import Plan, make_plan
from eyechart.app.run import Progress, run
from eyechart.core.codec import dump_study
from eyechart.core.effective import stated_digest
from eyechart.core.errors import InputError, Stopped, TooManyFailures
from eyechart.runner.fulfil import Tally
from eyechart.stats.ddmin import ddmin
from eyechart.stats.inputs import FloatArray
from eyechart.stats.shapley import mask
from eyechart.stats.shapley_sampled import Weights
from eyechart.store.store import Store

FREE = "replay"
"""A backend whose calls cost nothing: it looks answers up."""


class _Ended:
    """Counts calls as they end, also where an error ends the run; and passes the progress on."""

    def __init__(self, then: Progress | None) -> None:
        self.then = then
        self.rounds: dict[float, tuple[int, int]] = {}

    def __call__(self, tally: Tally) -> None:
        # A round of asking (of models, of judges) has one start, and its counts only grow.
        self.rounds[tally.started] = (tally.done, tally.failed)
        if self.then is not None:
            self.then(tally)

    @property
    def done(self) -> int:
        return sum(done for done, _ in self.rounds.values())

    @property
    def failed(self) -> int:
        return sum(failed for _, failed in self.rounds.values())


class Measuring:
    """Measures mixtures, and remembers what was measured."""

    def __init__(self, work: Work, wish: Wish, design: Designed) -> None:
        self.work, self.wish, self.design = work, wish, design
        self.answered = self.failed = 0
        self.lost: set[str] = set()
        """Store keys of calls that failed for good: not asked again in one command."""
        self.given_up: TooManyFailures | None = None
        self.laid: Laid | None = None
        self.read: Scores | None = None
        self.notes: dict[str, None] = {}
        self.game = Game(fields=(), asks=(), values={}, clusters=())

    @property
    def made(self) -> int:
        """Calls made, those that failed included."""
        return self.answered + self.failed

    def measure(self, laid: Laid, plan: Plan) -> None:
        """Ask what is missing, and read every mixture of `laid`."""
        free = all(laid.grid.engines[engine].engine.backend == FREE for engine, _ in plan.new)
        asking = any(planned.key not in self.lost for _, planned in plan.new) and (self.wish.calls or free)
        if not plain(laid.grid) and not self.wish.calls:
            raise InputError("answers that a judge reads, or that are run as programs, need more than re-reading; "
                             "leave --no-calls out")  # fmt: skip
        if asking or not plain(laid.grid):
            self._run(laid)
        self.laid = laid
        self.read = scores(laid.grid, self.work.stores(self.wish)) if plain(laid.grid) else self._finished(laid)
        self._note(laid)
        self._remember(laid, self.read)

    def end(self) -> None:
        """All is measured: given again, it is the same."""
        if self.made:
            keep(self.work, self.wish, self.design.weights, done=True)

    def _run(self, laid: Laid) -> None:
        work, wish, grid = self.work, self.wish, laid.grid
        folder = work.folder
        self._mine()
        folder.prepare()
        keys = [planned.key for _, planned in grid.calls()]
        with Store(folder.store) as target:
            for path in (work.a.store, work.b.store):
                if path is not None and path.exists():
                    with Store(path, create=False) as source:
                        entries = list(source.entries(source.known(keys) - target.known(keys)))
                    for use in grid.engines:
                        target.put_engine(use.engine)
                    target.put(entries)
        if not self.made:
            keep(work, wish, self.design.weights)
        ended = _Ended(wish.progress)
        stopped = None
        try:
            # No budget is handed on: `designed` and `_more` let nothing through that could exceed it.
            stopped = run(
                grid,
                dump_study(grid.study),
                folder,
                shared=wish.store,
                progress=ended,
                weak_sandbox=wish.weak_sandbox,
                skip=frozenset(self.lost),
            ).stopped
        except TooManyFailures as error:
            self.given_up = error
        self.answered += ended.done
        self.failed += ended.failed
        if stopped:
            raise Stopped(f"{stopped}; what was answered is stored: the same command goes on")
        self._lose(laid, keys)

    def _lose(self, laid: Laid, keys: Sequence[str]) -> None:
        with Store(self.work.folder.store, create=False) as store:
            every = {*keys, *wanted(laid.grid, store)}
            self.lost |= store.failures(every).keys()
        if self.given_up is not None:
            if lacking(every, (self.work.folder.store,)):
                raise self.given_up
            self.notes[f"{self.given_up} (the numbers are of the answers that are stored)"] = None

    def _mine(self) -> None:
        """Mixtures are never written over another run: a folder of `explain` is one of this very A."""
        folder = self.work.folder
        if not (folder.path / "run.json").exists():
            return
        facts = folder.read_json("run.json")
        if facts.get("name") != NAME or facts.get("digests", {}).get("stated") != stated_digest(self.work.spec):
            raise InputError(f"{folder.path} holds another run; name another folder with --out")

    def _finished(self, laid: Laid) -> Scores:
        done = finished(self.work.folder)
        seen = done.observations
        order = {name: i for i, name in enumerate(seen.items)}
        out = Scores(cells=[])
        for at, cell in enumerate(laid.grid.cells):
            means = seen.means(at)
            out.cells.append(np.array([means[order[item.id]] for item in laid.grid.asks[cell.ask].items]))
        with Store(self.work.folder.store, create=False) as store:
            every = {*(planned.key for _, planned in laid.grid.calls()), *wanted(laid.grid, store)}
            out.failed = Counter(f"{failure.kind}: {failure.reason}" for failure in store.failures(every).values())
        out.unscored = Counter(done.facts["unscored"])
        return out

    def _note(self, laid: Laid) -> None:
        self.notes |= dict.fromkeys(laid.grid.notes)
        for cell in laid.grid.cells:
            asking = cell.effective.asking
            if asking.sampled and asking.seed_scope != "item":
                self.notes[
                    f"decoding.seed_scope is {asking.seed_scope}: all items share one draw, so that the intervals "
                    "know nothing of its luck; repeat with other seeds"
                ] = None

    def lacks(self) -> list[str]:
        """What failed and what could not be scored, once each: of everything that was measured at the end."""
        if self.read is None:
            return []
        return [
            f"{count:,} {what}: {reason}"
            for what, reasons in (
                ("calls failed", self.read.failed),
                ("readings could not be scored", self.read.unscored),
            )
            for reason, count in reasons.most_common(3)
        ]

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

    def counts(self) -> tuple[int, int]:
        """Calls needed for what was measured (of judges too, where there are any), and of these answered before."""
        if self.laid is None:
            return 0, 0
        grid = self.laid.grid
        every = {planned.key for _, planned in grid.calls()}
        if any(cell.judge is not None for cell in grid.cells) and self.work.folder.store.exists():
            with Store(self.work.folder.store, create=False) as store:
                every |= wanted(grid, store).keys()
        known: set[str] = set()
        for path in self.work.stores(self.wish):
            if path.exists():
                with Store(path, create=False) as store:
                    known |= store.known(every)
        return len(every), len(known) - self.answered

    def closed(self, found: Explained, weights: Weights) -> Explained:
        """`found` with its closing set looked for by delta debugging, where a few more mixtures are needed for it.

        The named fields first, then those with the next largest shares, until the gap is closed; then what can be left
        out again is. A gap that is not told from 0 has none, and asks no more.
        """
        if weights.exact or not found.of(Verdict.EXPLAINS) or not told(found.gap):
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
            tried = next(looking)
            while True:
                tried = looking.send(self._closes(mask(tuple(closing[i] for i in tried))))
        except StopIteration:
            return

    def _closes(self, coalition: int) -> bool:
        if not self._more([coalition]):
            return False
        return closes(self.game, coalition, tolerance=self.wish.tolerance, level=self.wish.level)

    def _more(self, coalitions: Sequence[int]) -> bool:
        """Measure these too; False where the budget does not reach, or no more is to be asked."""
        if all(coalition in self.game.values for coalition in coalitions):
            return True
        laid = self.work.lay((*self.game.values, *coalitions))
        stores = self.work.stores(self.wish)
        plan = make_plan(laid.grid, stores)
        if self.given_up is not None or self.design.settled or not self.wish.calls:
            left = {planned.key for _, planned in plan.new} - self.lost
            if lacking(left, stores) or judges_left(laid, plan, stores, self.lost | left):
                return False
            self.lost |= left  # what failed an earlier time is not tried again now
        new = [planned for _, planned in plan.new if planned.key not in self.lost]
        most = len(new) + judges_left(laid, plan, stores, self.lost)
        if self.wish.budget is not None and most > self.wish.budget - self.made:
            return False
        if new and 4 * len({laid.asks(c) for c in laid.cell}) > 3 * 2 ** sum(self.work.asks):
            return False  # what was saved on the shares is not spent on the set
        self.measure(laid, plan)
        return True
