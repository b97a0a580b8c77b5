"""What a limit looks at that is not the set-ups: the noise of runs, readers of the same answers, people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eyechart.analysis.gate import Member
from eyechart.analysis.gate_estimates import Given, cells, lacking, mean_member, widest
from eyechart.analysis.gate_lost import gone, over_setups
from eyechart.analysis.gate_text import Limit
from eyechart.analysis.gate_values import Values, copies, item_values, together
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Bounded, Deviation, Evidence, Rooted, Share
from eyechart.stats.limits import mean_shown


def run_noise(given: Given, limit: Limit) -> Iterator[Member]:
    for cell in cells(given, limit):
        name = given.observed.cells[cell] if limit.option("cell") == "" else None
        matrix, mask, codes = given.observed.matrix(cell)
        info = given.layout.cells[cell]
        whole = mask.all(axis=1) if matrix.size else np.zeros(0, dtype=bool)
        x, items = matrix[whole], codes[whole]
        every = np.ones(len(given.observed.items), dtype=bool)
        n, k = x.shape if x.size else (0, 0)
        if n < 2 or k < 2:
            reason = {
                True: "one run: what another would give is not known; set repeats",
                False: "one run, without sampling",
                None: "one run, and whether it samples is not said: what another run would give is not known",
            }[info.sampled]
            yield lacking(reason, n, name)
            continue
        if info.sampled is False and np.ptp(x, axis=1).max() <= 0:
            yield lacking(
                "nothing is sampled, and no run differed: greedy decoding has no run noise to measure", n, name
            )
            continue
        reason = copies(matrix, mask)
        if reason is not None:
            yield lacking(reason, n, name)
            continue
        sd = float(x.mean(axis=0).std(ddof=1))
        if info.own_draws and info.sampled and cell not in given.shared:
            variances = x.var(axis=1, ddof=1)
            most = (k // 2) * (k - k // 2) / (k * (k - 1))  # of k scores in [0, 1]: half of them at either end
            inner = mean_shown(
                np.minimum(variances / most, 1.0), kind="share"
            )  # draws are independent, clusters or not
            evidence: Evidence | NotEstimable = inner
            if isinstance(inner, Share | Bounded):
                evidence = Rooted(value=float((variances.mean() / n) ** 0.5), inner=inner, factor=n / most)
            member = Member(subject=name, evidence=evidence, items=n, runs=k)
            yield over_setups(given.observed, [cell], every, items, member, (most / n) ** 0.5)
            continue
        member = Member(subject=name, evidence=Deviation(value=sd, df=k - 1.0), items=n, runs=k)
        yield over_setups(given.observed, [cell], every, items, member, 0.0)


def reader_spread(given: Given, limit: Limit) -> Iterator[Member]:
    for cell in cells(given, limit):
        name = given.observed.cells[cell] if limit.option("cell") == "" else None
        found = given.readers.get((cell, limit.named), "its answers were not read again")
        if isinstance(found, str):
            yield lacking(found, 0, name)
            continue
        items = np.flatnonzero(~np.isnan(found.table).any(axis=0)).astype(np.int64)
        reason = together(given.observed, cell, cell in given.shared)
        if reason is None and len(items) < 2:
            reason = "fewer than two items that every reader can score"
        if reason is not None:
            yield lacking(reason, len(items), name)
            continue
        evidence = widest(found.table[:, items], given.clusters(items))
        every = np.ones(len(given.observed.items), dtype=bool)
        member = Member(subject=name, evidence=evidence, items=len(items))
        yield over_setups(given.observed, [cell], every, items, member, 1.0)


def labelled(given: Given, limit: Limit) -> Iterator[Member]:
    labels = given.labels
    if labels is None:
        raise InputError(f"{limit.text}: needs the labels of people; name the file with --labels")
    if limit.estimate == "people":
        yield Member(subject=None, evidence=labels.alpha, items=len(labels.right))
        return
    values = item_values(given.observed, given.cell, "score")
    agreed = np.array([labels.right.get(item, np.nan) for item in given.observed.items])
    # Of an item asked several times: the share of its verdicts that people share.
    same = 1 - np.abs(values.values - agreed)
    found, left = Values(values=same, runs=values.runs), gone(given.observed, given.cell)
    yield mean_member(given, found, left, ~np.isnan(agreed))
