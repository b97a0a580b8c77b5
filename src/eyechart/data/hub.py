"""Rows of a data set on the Hugging Face hub, by its name; needs the extra `hub`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, cast

from eyechart.core.errors import EyechartError, InputError, MissingExtra
from eyechart.data.values import Rows, listed, plain_rows, shown


class MissingHub(MissingExtra):
    """
    >>> print(MissingHub("cais/mmlu"))
    the data set cais/mmlu is on the Hugging Face hub, which needs the extra hub: \
pip install 'eyechart[hub]'; or give a local copy: dataset.path: mmlu.jsonl
    """

    def __init__(self, name: str) -> None:
        EyechartError.__init__(
            self,
            f"the data set {name} is on the Hugging Face hub, which needs the extra hub: "
            f"pip install 'eyechart[hub]'; or give a local copy: {local_copy(name)}",
        )


def local_copy(name: str) -> str:
    """
    >>> local_copy("cais/mmlu")
    'dataset.path: mmlu.jsonl'
    """
    return f"dataset.path: {name.rpartition('/')[2]}.jsonl"


def read_hub(name: str, subset: str | None, split: str, revision: str | None) -> Rows:
    """Raises MissingHub without the package `datasets`, InputError where the hub does not give the data."""
    try:
        datasets = import_module("datasets")
    except ImportError:
        raise MissingHub(name) from None
    try:
        table: Any = datasets.load_dataset(name, subset, split=split, revision=revision)
        named = _class_names(table)
        rows, problems, notes = plain_rows(_spelt(cast("Iterable[Any]", table), named), name)
    except Exception as error:  # connection, unknown name, subset or split: each has its own type
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"the data set {name} could not be read from the Hugging Face hub: {reason}; check "
            f"dataset.subset, dataset.split and the connection, or give a local copy: {local_copy(name)}",
            field="dataset.name",
        ) from None
    if not rows and not problems:
        raise InputError(f"split {split} of {name} holds no rows", field="dataset.split")
    said = tuple(f"column {shown(c)}: numbers are replaced by their names ({listed(n)})" for c, n in named.items())
    return Rows(given=name, rows=rows, problems=problems, notes=(*notes, *said), revision=_commit(name, revision))


def _class_names(table: Any) -> dict[str, tuple[str, ...]]:
    """Columns whose numbers stand for names; on the hub `label: 1` means `positive`."""
    features = cast("Mapping[str, Any]", getattr(table, "features", None) or {})
    return {c: tuple(f.names) for c, f in features.items() if type(f).__name__ == "ClassLabel"}


def _spelt(table: Iterable[Any], named: Mapping[str, tuple[str, ...]]) -> Iterator[Any]:
    for row in table:
        values = dict(row)
        for column, names in named.items():
            code = values.get(column)
            if isinstance(code, int):  # -1: the answer is withheld
                values[column] = names[code] if 0 <= code < len(names) else None
        yield values


def _commit(name: str, revision: str | None) -> str | None:
    """The commit that `revision` stands for; None where the hub cannot say."""
    try:
        info = import_module("huggingface_hub").dataset_info(name, revision=revision)
        return str(info.sha) if info.sha else None
    except Exception:  # the rows are here already, and are hashed: not knowing the commit is no failure
        return None
