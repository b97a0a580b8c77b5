"""What differs between two evaluations, by field, and which fields can only move together.

A *group* is the smallest set of fields that can stand as in A or as in B whatever the others do. The rules are one
table (`TOGETHER`); all other fields are groups of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.core.factors import field_names, get, put
from eyechart.core.spec import Factor, Spec

DATA = "dataset"
"""The group of everything that says which items are asked: it is no mixture of ours, see `app.explain`."""
APART = ("repeats.count", "repeats.greedy")
"""How often something is asked moves no score, only how well it is known."""
READ = (
    "evaluation.extraction", "evaluation.postprocess", "evaluation.score", "evaluation.pattern",
    "evaluation.function", "evaluation.judge", "evaluation.normalize", "evaluation.transform",
    "evaluation.reference_source", "evaluation.reference_sha256", "evaluation.framework",
    "evaluation.framework_version",
)  # fmt: skip
WHO = ("model.backend", "model.name", "model.path", "model.url", "model.revision", "model.tokenizer")
UNSTATED = "(not stated)"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One field, and what each side states: None where it states nothing."""

    path: str
    a: Any
    b: Any

    def shown(self, side: str, limit: int = 60) -> str:
        value = self.a if side == "a" else self.b
        if value is None:
            return UNSTATED
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, kw_only=True)
class Group:
    name: str
    changes: tuple[Change, ...]

    @property
    def factor(self) -> Factor:
        levels = ({c.path: c.a for c in self.changes}, {c.path: c.b for c in self.changes})
        return Factor(name=self.name, path="", levels=(("A", levels[0]), ("B", levels[1])))

    @property
    def reads(self) -> bool:
        """Whether all of its fields stand behind the response."""
        return all(_within(change.path, READ) for change in self.changes)


Rule = tuple[str, Callable[[Spec, Spec], bool], tuple[str, ...]]


def _differs(*paths: str) -> Callable[[Spec, Spec], bool]:
    return lambda a, b: any(get(a, path) != get(b, path) for path in paths)


def _all_differ(*paths: str) -> Callable[[Spec, Spec], bool]:
    return lambda a, b: all(get(a, path) != get(b, path) for path in paths)


def _shots_or_none(a: Spec, b: Spec) -> bool:
    return bool(_shots(a)) != bool(_shots(b)) or _differs("prompt.few_shot.ids")(a, b)


def _shots(spec: Spec) -> int:
    few = spec.prompt.few_shot
    return 0 if few is None else len(few.ids or ()) or few.count or 0


def _elicits(a: Spec, b: Spec) -> bool:
    return _differs("evaluation.method", "evaluation.elicit")(a, b)


TOGETHER: tuple[Rule, ...] = (
    # Name of the group, when it holds, and the fields (or sections) that then move as one.
    (DATA, lambda a, b: True, ("dataset",)),
    # Another model brings its own precision, context and options; those of one model can move alone.
    ("model", _differs(*WHO), ("model",)),
    # Greedy by `do_sample: false` or by `temperature: 0`: half of each would be a third way.
    ("sampling", _all_differ("decoding.do_sample", "decoding.temperature"), ("decoding.do_sample", "decoding.temperature")),
    ("decoding.seed", lambda a, b: True, ("decoding.seed", "decoding.seed_scope", "repeats.seed")),
    # A method is short for these; and how an option is scored is no way to read a text.
    ("evaluation.method", _elicits, ("evaluation.method", "evaluation.elicit", "evaluation.options",
     "evaluation.extraction", "evaluation.score", "evaluation.pattern", "evaluation.function", "evaluation.normalize")),
    # A reader and its scorer belong together (letters against texts are always wrong), and so do a reader and its
    # pattern, a scorer and its function or judge.
    ("reader", _all_differ("evaluation.extraction", "evaluation.score"), ("evaluation.extraction", "evaluation.score",
     "evaluation.pattern", "evaluation.function", "evaluation.judge")),
    ("evaluation.extraction", _differs("evaluation.extraction"), ("evaluation.extraction", "evaluation.pattern")),
    ("evaluation.score", _differs("evaluation.score"), ("evaluation.score", "evaluation.function", "evaluation.judge")),
    ("evaluation.judge", lambda a, b: True, ("evaluation.judge",)),
    ("evaluation.reference_source", lambda a, b: True, ("evaluation.reference_source", "evaluation.reference_sha256")),
    # A system turn needs the chat template, and switches it on where it is not stated.
    ("prompt.chat_template", _differs("prompt.chat_template", "prompt.system"), ("prompt.chat_template", "prompt.system")),
    # Without shots the rest says nothing, so there is no half of it.
    ("prompt.few_shot", _shots_or_none, ("prompt.few_shot", "prompt.separator", "prompt.answer")),
    ("judge", lambda a, b: True, ("judge",)),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Differences:
    groups: tuple[Group, ...]
    """Those that a mixture can mix."""
    data: Group | None
    """Which items are asked."""
    apart: tuple[Change, ...]
    """Fields that move no score."""


def differences(a: Spec, b: Spec) -> Differences:
    """Where the stated fields of two evaluations differ, in the order of the fields.

    >>> found = differences(
    ...     Spec(prompt={"cue": "Answer:"}, decoding={"do_sample": False, "temperature": 0.8}),
    ...     Spec(decoding={"do_sample": True, "temperature": 1, "top_p": 0.9}),
    ... )
    >>> [(group.name, [c.path for c in group.changes]) for group in found.groups]
    [('prompt.cue', ['prompt.cue']), ('sampling', ['decoding.do_sample', 'decoding.temperature']), ('decoding.top_p', ['decoding.top_p'])]
    """
    known = dict.fromkeys(_whole(path, a, b) for path in leaves())
    changed = [Change(path=p, a=get(a, p), b=get(b, p)) for p in known if get(a, p) != get(b, p)]
    apart = tuple(change for change in changed if change.path in APART)
    left = {change.path: change for change in changed if change.path not in APART}
    groups: dict[str, list[Change]] = {}
    for name, holds, paths in TOGETHER:
        mine = [path for path in left if _within(path, paths)]
        if mine and holds(a, b):
            groups[mine[0] if len(mine) == 1 and name != DATA else name] = [left.pop(path) for path in mine]
    groups |= {path: [change] for path, change in left.items()}
    order = {path: i for i, path in enumerate(known)}
    made = sorted(
        (Group(name=name, changes=tuple(changes)) for name, changes in groups.items()),
        key=lambda group: order[group.changes[0].path],
    )
    data = next((group for group in made if group.name == DATA), None)
    return Differences(groups=tuple(g for g in made if g is not data), data=data, apart=apart)


def leaves() -> tuple[str, ...]:
    """All fields of an evaluation that hold a value, and not further fields.

    >>> "prompt.few_shot.count" in leaves(), "prompt.few_shot" in leaves(), "model.options" in leaves()
    (True, False, True)
    """
    names = field_names()
    inner = {name.rpartition(".")[0] for name in names}
    return tuple(name for name in names if name not in inner)


def _whole(path: str, a: Spec, b: Spec) -> str:
    """Where one side has no such section, or states it in one word, the section is one value: an empty judge is
    not the same thing as none."""
    for section in ("judge", "evaluation.judge", "model.quantization"):
        if path.startswith(f"{section}.") and not all(isinstance(get(spec, section), Mapping) for spec in (a, b)):
            return section
    return path


def merged(groups: Sequence[Group], name: str) -> Group:
    """Several groups as one."""
    return Group(name=name, changes=tuple(change for group in groups for change in group.changes))


def located(spec: Spec, base: Path) -> Spec:
    """`spec` with the files it names relative to `base` written in full, so that two of them can be mixed."""
    changes: dict[str, Any] = {}
    for path in ("dataset.path", "model.path", "evaluation.reference_source"):
        value = get(spec, path)
        if isinstance(value, str) and not Path(value).is_absolute() and (base / value).exists():
            changes[path] = str((base / value).resolve())
    splits: Mapping[str, str] = get(spec, "dataset.splits") or {}
    if splits:
        changes["dataset.splits"] = {
            k: str((base / v).resolve()) if (base / v).exists() else v for k, v in splits.items()
        }
    return put(spec, changes) if changes else spec


def _within(path: str, parts: Sequence[str]) -> bool:
    return any(path == part or path.startswith(f"{part}.") for part in parts)


def said(changes: Sequence[Change]) -> Iterator[str]:
    """
    >>> list(said([Change(path="prompt.cue", a=None, b="Answer:")]))
    ['prompt.cue: (not stated) -> Answer:']
    """
    for change in changes:
        yield f"{change.path}: {change.shown('a')} -> {change.shown('b')}"
