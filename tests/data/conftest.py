"""Small files to read, and the one shape that every message has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from eyechart.core.errors import EyechartError
from eyechart.core.spec import Dataset, Fields
from eyechart.data.items import Mapped, map_rows
from eyechart.data.load import Loaded, load
from eyechart.data.values import Row, Rows

Write = Callable[[str, Iterable[Mapping[str, Any]]], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes JSON Lines into the folder of the study and returns the name."""

    def put(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return put


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Loaded]:
    return lambda **dataset: load(Dataset(**dataset), tmp_path)


@pytest.fixture
def mapped() -> Callable[..., Mapped]:
    """Items of rows given as mappings, numbered from 1."""

    def of(rows: Iterable[Mapping[str, Any]], prefer: Any = None, **fields: Any) -> Mapped:
        numbered = tuple(Row(line=i, values=row) for i, row in enumerate(rows, 1))
        return map_rows(Rows(given="rows.jsonl", rows=numbered), Fields(**fields), prefer=prefer)

    return of


@pytest.fixture
def message() -> Callable[[Callable[[], Any]], str]:
    """The text of the error that a call ends in, which is one line."""

    def of(call: Callable[[], Any]) -> str:
        with pytest.raises(EyechartError) as caught:
            call()
        text = str(caught.value)
        assert "\n" not in text
        assert len(text) < 500
        return text

    return of
