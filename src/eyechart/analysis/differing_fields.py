"""Two evaluations, compared field by field: what differs, who filled in what nobody stated, and what to beware of.

>>> a = Told(name="a", stated={"decoding.temperature": 0, "decoding.top_p": 0.9}, effective={"decoding.temperature": 0.0},
...          inert={"decoding.top_p": "temperature is 0: the likeliest token is taken"})
>>> b = Told(name="b", stated={"decoding.temperature": 0.7}, effective={"decoding.temperature": 0.7})
>>> [(d.path, d.kind) for d in differences(a, b)]
[('decoding.temperature', 'scores'), ('decoding.top_p', 'inert')]
>>> differences(a, a)
()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eyechart.analysis.differing import KINDS, LAYERS, Difference, Filled, Kind, Told, Unset, Who, missing, same
from eyechart.analysis.differing_rules import (
    OFF,
    PROVENANCE,
    around,
    dialect_of,
    judged,
    layer_of,
    left_to_server,
    stands_for,
)
from eyechart.core.words import Text, message

NAMED = ("dataset.name", "dataset.path", "dataset.version", "dataset.revision", "dataset.sha256", "dataset.fields")
"""What data is called, and where it lies: nothing, where the items are known to be the same."""
MODEL = ("revision", "tokenizer", "dtype", "quantization", "context_length", "batch_size", "threads")
"""Fields of a model that somebody settles where they are not stated."""


def differences(
    a: Told, b: Told, *, items_same: bool | None = None, shown_equal: Mapping[str, Text] | None = None
) -> tuple[Difference, ...]:
    """Every field in which `a` and `b` differ, by layer, what scores differently first.

    `items_same`: whether both ask the same items with the same answer keys; None: not known. `shown_equal`: fields of
    which a probe showed that they move no bit, with what it saw.
    """
    found = [*_effective(a, b, items_same), *_written(a, b, items_same), *around(a, b)]
    known = shown_equal or {}
    settled = [_settled(one, known[one.path]) if one.kind == "may" and one.path in known else one for one in found]
    return tuple(sorted(settled, key=lambda d: (LAYERS.index(d.layer), KINDS.index(d.kind))))


def _settled(one: Difference, seen: Text) -> Difference:
    return Difference(path=one.path, layer=one.layer, kind="inert", a=one.a, b=one.b, why=seen)


def _apart(a: Told, b: Told) -> list[str]:
    paths = dict.fromkeys((*a.effective, *b.effective))
    return [path for path in paths if not same(a.effective.get(path), b.effective.get(path))]


def _effective(a: Told, b: Told, items_same: bool | None) -> Iterator[Difference]:
    for path in _apart(a, b):
        x, y = a.effective.get(path), b.effective.get(path)
        found = judged(path, x, y, a, b)
        if path == "dataset.items" and items_same:  # other columns or ids: a template may show them
            found = "may", message("diff.why.columns")
        if found is not None:
            shown = (_or_fact(path, told) for told in (a, b))
            yield Difference(path=path, layer=layer_of(path), kind=found[0], a=next(shown), b=next(shown), why=found[1])


def _or_fact(path: str, told: Told) -> object:
    """What takes effect; of a model's field that nobody stated what the engine says it used."""
    value = told.effective.get(path)
    if missing(value) and path.startswith("model.") and path.removeprefix("model.") in MODEL:
        return told.engine.get(f"engine.{path.removeprefix('model.')}")
    return value


def _written(a: Told, b: Told, items_same: bool | None) -> Iterator[Difference]:
    """Fields that are stated otherwise, and are in no effective form, or take the same effect."""
    apart = set(_apart(a, b))
    for path in dict.fromkeys((*a.stated, *b.stated)):
        x, y = a.stated.get(path), b.stated.get(path)
        if same(x, y) or path in apart:
            continue
        settled = [told.stated.get(path, told.settled.get(path)) for told in (a, b)]
        if not missing(settled[0]) and same(*settled):
            kind, why = "inert", message("diff.why.default")
        elif path.startswith("dataset.") and path not in a.effective and path not in b.effective:
            kind, why = _dataset(path, items_same)
        elif path in a.inert or path in b.inert:
            kind, why = "inert", message("diff.why.inert", reason=_reason(path, a, b))
        elif any(one in apart for one in stands_for(path)):
            continue  # what it is short for is listed itself
        elif (nameless := _undescribed(path, x, y, a, b)) is not None:
            kind, why = "may", message("diff.why.unstated", name=nameless)
        elif path in PROVENANCE:
            kind, why = "provenance", message("diff.why.provenance")
        elif path.startswith("evaluation.framework"):
            kind, why = "may", message("diff.why.harness")
        elif path.startswith("evaluation.reference"):
            kind, why = _dataset(path, items_same)
            why = message("diff.why.which_key") if kind == "scores" else why
        else:
            spelt = (missing(x) or missing(y)) and not stands_for(path)
            key = "default" if spelt else "same_effect"
            kind, why = "inert", message(f"diff.why.{key}")
        yield Difference(path=path, layer=layer_of(path), kind=kind, a=x, b=y, why=why)


def _undescribed(path: str, x: object, y: object, a: Told, b: Told) -> str | None:
    """Which description does not state a field that the other side does."""
    if path in PROVENANCE or path.startswith(("evaluation.framework", "evaluation.reference")):
        return None
    return next((told.name for told, value in ((a, x), (b, y)) if told.described and missing(value)), None)


def _reason(path: str, a: Told, b: Told) -> str:
    return "; ".join(sorted({told.inert[path] for told in (a, b) if path in told.inert}))


def _dataset(path: str, items_same: bool | None) -> tuple[Kind, Text]:
    """A stated field of the data, by what is known of the items."""
    if path == "dataset.count":
        return "provenance", message("diff.why.provenance")
    if items_same is None:
        return "may", message("diff.why.items_unknown")
    if items_same:
        return ("provenance" if path.startswith(NAMED) else "inert"), message("diff.why.same_items")
    return "scores", message("diff.why.which_items")


def unset(a: Told, b: Told) -> tuple[Unset, ...]:
    """Every field that at least one side does not state, and who filled it in on each.

    Fields of a judge are its own evaluation, and are left out.
    """
    known = [path for told in (a, b) if told.form != "log" for path in told.effective]
    wanted = (*known, *a.unknown, *b.unknown, *(f"decoding.{n}" for n in OFF), *(f"model.{n}" for n in MODEL),
              "dataset.split")  # fmt: skip
    out: list[Unset] = []
    for path in dict.fromkeys(wanted):
        if path.startswith(("evaluation.judge.", "model.options", "model.sha256", "dataset.items", "dataset.shots")):
            continue
        if not missing(a.stated.get(path)) and not missing(b.stated.get(path)):
            continue
        one, other = filled(path, a), filled(path, b)
        if {one.by, other.by} != {"inert"}:
            out.append(Unset(path=path, layer=layer_of(path), a=one, b=other))
    return tuple(sorted(out, key=lambda one: (LAYERS.index(one.layer), one.path)))


def filled(path: str, told: Told) -> Filled:
    """What `path` is on one side, and who says so.

    >>> filled("prompt.cue", Told(name="a", effective={"prompt.cue": "Answer:"}))
    Filled(by='eyechart', value='Answer:', detail=None)
    >>> filled("decoding.top_p", Told(name="a", form="log"))
    Filled(by='unknown', value=None, detail=None)
    """
    stated = told.stated.get(path)
    if path in told.inert:
        return Filled(by="inert", value=stated, detail=told.inert[path])
    if not missing(stated):
        by = told.by.get(path)
        return Filled(by="stated" if by is None else _teller(by), value=stated, detail=by)
    section, _, name = path.partition(".")
    if told.described:
        return Filled(by="unknown")
    if told.form == "log":
        silent = section == "decoding" and name != "max_new_tokens" and name != "stop" and told.sampled is False
        return Filled(by="inert" if silent or told.effective.get("evaluation.elicit") == "options" else "unknown")
    if section == "model" and name != "backend":
        fact = told.engine.get(f"engine.{name}")
        return Filled(by="unknown" if fact is None else "engine", value=fact)
    if section == "decoding" and name in OFF and path not in told.effective:
        return _off(name, told)
    if path in told.effective or path in told.settled:
        return Filled(by="eyechart", value=told.effective.get(path, told.settled.get(path)))
    return Filled(by="unknown" if section == "dataset" else "inert")


def _off(name: str, told: Told) -> Filled:
    if told.sampled is False and name in ("top_p", "top_k", "min_p"):
        return Filled(by="inert")
    if "evaluation.elicit" in told.effective and told.effective["evaluation.elicit"] == "options":
        return Filled(by="inert")
    if left_to_server(f"decoding.{name}", told):
        return Filled(by="server", detail=dialect_of(told))
    return Filled(by="eyechart")


def _teller(by: str) -> Who:
    """Who states a field of a log: its words name a file and a key.

    >>> [_teller(by) for by in ("configs.doc_to_text", "samples, arg_1", "config.model_args")]
    ['harness', 'stated', 'log']
    """
    if by.startswith(("samples", "events", "request")):
        return "stated"
    if by.startswith(("configs", "config_tasks", "dataset_args", "adapter_spec", "task")):
        return "harness"
    return "model" if "generation_config.json" in by else "log"
