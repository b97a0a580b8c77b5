"""difficulty: how hard each few-shot candidate is for a reference model; and what a run says of rules of choice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.analysis.difficulty import Difficulty, bucketed, difficulty_of
from eyechart.analysis.draws import Draw, Draws, compare_draws
from eyechart.app.finished import Finished
from eyechart.app.study import Study
from eyechart.core.effective import DEFAULTS, Asking, effective
from eyechart.core.errors import InputError, TooManyFailures
from eyechart.core.flows import Came, Flow
from eyechart.core.identity import digest, request_digest
from eyechart.core.plugins import BACKENDS, Backend
from eyechart.core.records import Call, Item, NotEstimable, Request, Response
from eyechart.core.spec import Model, Spec
from eyechart.data.difficulty import content_of, read_difficulty, written
from eyechart.data.load import load, load_pool
from eyechart.data.shots import check_overlap
from eyechart.data.values import as_text
from eyechart.render import Renderer
from eyechart.report.blocks import Block, Part, message
from eyechart.report.notebook import fragment
from eyechart.report.sections.difficulty import difficulty as section
from eyechart.runner.drive import drive
from eyechart.runner.fulfil import Tally
from eyechart.store.lock import locked
from eyechart.store.store import Store

OPTIONS = "share of the right option in the probability of all options, each written behind the prompt without shots"
TEXT = "probability of the right answer, the first accepted one, written behind the prompt without shots"


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """A pool with its difficulty, as Python users hold it."""

    difficulty: Difficulty
    pool: tuple[Item, ...]
    calls: int
    """Made now, those that failed included; likewise `failed`."""
    failed: int = 0
    stored: int = 0
    """Answered before, and not asked again. Candidates that ask the same are one call."""

    def save(self, path: Path | str) -> Path:
        """Write the file that `prompt.few_shot.reference` names."""
        return write_difficulty(self.difficulty, Path(path))

    def examples(self) -> dict[str, str]:
        """Question of each candidate, by id."""
        return examples_of(self.pool)

    def part(self) -> Part:
        blocks: tuple[Block, ...] = tuple(section(self.difficulty, self.examples()))
        return Part(name="difficulty", title=message("section.difficulty"), blocks=blocks)

    def _repr_html_(self) -> str:
        from eyechart.app.paper import paper

        return fragment(paper("difficulty", [self.part()]))


def measure(study: Study, *, model: Model | None = None, progress: Callable[[Tally], None] | None = None) -> Candidates:
    """Ask `model`, or that of the study, for the probability of every candidate's right answer.

    The prompt is that of the study's baseline, without shots. Answers are kept in the store of the study's run
    folder: given again, nothing is asked twice. Raises InputError where pool and test overlap or the model shows
    no log-probability; TooManyFailures where no candidate could be measured.
    """
    spec = _bare(study.spec.spec, model)
    few = study.spec.spec.prompt.few_shot
    source = (few.source if few else None) or DEFAULTS["prompt.few_shot.source"]
    loaded = load(spec.dataset.model_copy(update={"limit": None}), study.base)
    pool = load_pool(spec.dataset, study.base, source, loaded).items
    check_overlap(pool, loaded.items, source)
    backend = BACKENDS.get(spec.model.backend or DEFAULTS["model.backend"])(_located(spec.model, study.base))
    if not backend.capabilities.options:
        message_ = "not measurable here: this backend gives no log-probability of a given answer"
        raise InputError(f"{message_}; name another by --model backend=embedded", field="model.backend")
    asking = effective(spec, backend.facts(), backend.capabilities.operational).asking
    folder = study.folder()
    folder.prepare()
    made = Tally(total=0)

    def shown(tally: Tally) -> None:
        made.done, made.failed, made.total = tally.done, tally.failed, tally.total
        if progress:
            progress(tally)

    with locked(folder.path), Store(folder.store) as store:
        ds = _blocking(lambda: _driven(asked(pool, asking), backend, store, shown))
    known = bucketed([(item.id, content_of(item)) for item in pool], ds, _about(pool, asking, backend, source))
    if not known.buckets:
        reason = known.unknown[0].reason if known.unknown else "the pool is empty"
        raise TooManyFailures(f"no candidate could be measured: {reason}")
    needed = {request_digest(r) for r in _requests(Renderer(asking), pool) if isinstance(r, Request)}
    stored = len(needed) - made.total
    return Candidates(difficulty=known, pool=pool, calls=made.done + made.failed, failed=made.failed, stored=stored)


def asked(pool: Sequence[Item], asking: Asking) -> Flow[list[float | str]]:
    """D of each item, or why there is none; one call an item."""
    renderer = Renderer(asking)
    requests = _requests(renderer, pool)
    wanted = [(i, r) for i, r in enumerate(requests) if isinstance(r, Request)]
    came = yield [Call(request=request, repeat=0, item=renderer.prepared(pool[i])) for i, request in wanted]
    out: list[float | str] = [r if isinstance(r, str) else "" for r in requests]
    for (i, _), answer in zip(wanted, came, strict=True):
        out[i] = _d(answer, renderer.prepared(pool[i]))
    return out


def _d(answer: Came, item: Item) -> float | str:
    if not isinstance(answer, Response):
        return f"{answer.kind}: {answer.reason}"
    return difficulty_of(answer, item.gold_index if item.choices else None)


def _requests(renderer: Renderer, pool: Sequence[Item]) -> list[Request | str]:
    return [_request(renderer, item) for item in pool]


def _request(renderer: Renderer, item: Item) -> Request | str:
    """What is asked about `item`, or why nothing can be."""
    item = renderer.prepared(item)
    if item.choices:
        return renderer.request(item, (), 0) if item.gold_index is not None else "none of its options is the right one"
    if not item.gold:
        return "it has no right answer"
    plain = Renderer(replace(renderer.asking, elicit="generate")).request(item, (), 0)
    prompt = renderer.asking.prompt
    bare: dict[str, Any] = {
        **prompt,
        "template": prompt["answer"],
        "cue": "",
        "instruction": "",
        "edits": [],
        "chat_template": False,
    }
    answer = Renderer(replace(renderer.asking, elicit="generate", prompt=bare))
    text = answer.request(replace(item, fields={**item.fields, "answer": item.gold[0]}), (), 0).prompt or ""
    if not text.strip():
        return "its right answer is empty"
    options = (text.lstrip() if prompt["chat_template"] else text,)
    return Request(elicit="options", prompt=plain.prompt, messages=plain.messages, options=options)


def _bare(spec: Spec, model: Model | None) -> Spec:
    """The baseline asked for the probability of its options, without shots and without a limit."""
    prompt = spec.prompt.model_copy(update={"few_shot": None, "separator": None})
    evaluation = spec.evaluation.model_copy(update={"elicit": "options", "transform": None})
    update: dict[str, Any] = {"prompt": prompt, "evaluation": evaluation}
    return spec.model_copy(update=update | ({"model": model} if model else {}))


def _about(pool: Sequence[Item], asking: Asking, backend: Backend, source: str) -> dict[str, Any]:
    kinds = {bool(item.choices) for item in pool}
    return {
        "split": source,
        "measure": ["options" if kind else "text" for kind in sorted(kinds, reverse=True)],
        "p": [OPTIONS if kind else TEXT for kind in sorted(kinds, reverse=True)],
        "options": asking.options,
        "engine": backend.engine().body(),
        "asking": asking.key,
        "clusters": "least sum of squares over D, three clusters; exact, so there is no seed",
    }


def write_difficulty(known: Difficulty, path: Path) -> Path:
    try:
        path.write_text(written(known), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field="--out") from None
    return path


def examples_of(pool: Sequence[Item]) -> dict[str, str]:
    return {item.id: as_text(item.fields.get("question", "")) for item in pool}


def shown_file(path: Path) -> Difficulty:
    """A file that was written before. Raises InputError where it is not one."""
    return read_difficulty(path.name, path.parent)


def draws_of(run: Finished, level: float = 0.95) -> Draws | NotEstimable:
    """What the rules of few-shot choice in `run` did to score and spread, over the seeds they were drawn with."""
    seen = run.observations
    draws: list[Draw] = []
    for at, cell in enumerate(run.facts["cells"]):
        body = dict(cell["effective"])
        asking = dict(body["asking"])
        prompt = dict(asking["prompt"])
        few = prompt.get("few_shot")
        if few is None or "ids" in few:
            continue
        prompt["few_shot"] = {k: v for k, v in few.items() if k not in ("difficulty", "seed", "draw")}
        rest = digest("d1", {**body, "asking": {**asking, "prompt": prompt}})
        draws.append(
            Draw(
                cell=str(cell["id"]),
                rule=str(few["difficulty"]),
                seed=few.get("seed"),
                mode=str(few.get("draw", "none")),
                rest=rest,
                scores=seen.means(at),
            )
        )
    return compare_draws(draws, seen.cluster_codes, level=level)


async def _driven(
    flow: Flow[list[float | str]], backend: Backend, store: Store, progress: Callable[[Tally], None]
) -> list[float | str]:
    try:
        return await drive(flow, backend, store, progress=progress)
    finally:
        await backend.close()


def _blocking(work: Callable[[], Any]) -> Any:
    """Runs to the end, also from a notebook, whose thread has a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()


def _located(model: Model, base: Path) -> Model:
    """A relative model path is looked for beside the study first."""
    if model.path and not Path(model.path).is_absolute() and (base / model.path).exists():
        return model.model_copy(update={"path": str(base / model.path)})
    return model
