"""One name, several procedures: what is known of two of them, and differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from eyechart.auditing.evidence import Dossier, Exhibit
from eyechart.auditing.labels import squeezed
from eyechart.auditing.said import Where, found, listed
from eyechart.core.findings import Finding

FREE = ("decoding.seed", "seed.base", "repeats", "model.batch_size", "model.threads", "model.parallel")
"""Fields in which replicates of one procedure differ, or that are set by the machine; `eyechart diff` names them."""
OF_MODEL = ("model.", "prompt.chat_template")
"""Fields that belong to the contestant, not to the procedure."""


def differences(a: Mapping[str, str], b: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Fields that are known of both and differ, with both values, shortened.

    >>> differences({"t": "0", "k": "5"}, {"t": "0.8", "n": "1"})
    [('t', '0', '0.8')]
    """
    return [(path, short(a[path]), short(b[path])) for path in a if path in b and a[path] != b[path]]


def short(text: str, most: int = 60) -> str:
    """
    >>> short("a" * 99, 5)
    'aaaa…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def of_all(dossiers: Sequence[Dossier]) -> Iterator[Finding]:
    """Mixed fingerprints under one name, and models of one task that were not asked alike."""
    names: dict[tuple[str, str, str], list[tuple[Dossier, Exhibit]]] = defaultdict(list)
    tasks: dict[tuple[str, str], list[tuple[Dossier, Exhibit]]] = defaultdict(list)
    for dossier in dossiers:
        if dossier.exhibits and dossier.kind in ("run", "log"):
            one = dossier.exhibits[0]
            task = dossier.task or one.task or ""
            names[dossier.maker, task, squeezed((one.model or "").rpartition("/")[2])].append((dossier, one))
            tasks[dossier.maker, one.task or task].append((dossier, one))
    told = set[str]()
    for (_, task, model), members in names.items():
        if task and model:
            for dossier, apart, usual in _odd(members, FREE):
                told.add(dossier.name)
                yield found('mixed.name', Where(dossier.name, dossier.file), {"fields": apart, "a": usual, "task": task, "model": members[0][1].model or '?', "n": len(members)})  # fmt: skip
    for (_, task), members in tasks.items():
        if len({squeezed(one.model or "") for _, one in members}) > 1:
            for dossier, apart, usual in _odd(members, (*FREE, *OF_MODEL)):
                if dossier.name not in told:
                    yield found(
                        "mixed.task", Where(dossier.name, dossier.file), {"fields": apart, "a": usual, "task": task}
                    )


def _odd(members: Sequence[tuple[Dossier, Exhibit]], without: Sequence[str]) -> Iterator[tuple[Dossier, str, str]]:
    """Members that differ from what most of them are in some field; of a tie the first counts as usual."""
    paths = dict.fromkeys(path for _, one in members for path in one.procedure if not path.startswith(tuple(without)))
    usual: dict[str, tuple[str, str]] = {}
    for path in paths:
        known = [(one.procedure[path], dossier.name) for dossier, one in members if path in one.procedure]
        value = Counter(value for value, _ in known).most_common(1)[0][0]
        usual[path] = value, next(name for v, name in known if v == value)
    for dossier, one in members:
        apart = [path for path in paths if path in one.procedure and one.procedure[path] != usual[path][0]]
        if apart:
            said = [f"{path}: {short(one.procedure[path])} here, {short(usual[path][0])} there" for path in apart]
            yield dossier, listed(said), usual[apart[0]][1]
