"""Planted faults are found, by the right name, at the right file; what is clean stays silent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from audit_planted import FAULTS, each
from audited import broken, lm_log

from eyechart.app.audit import audit
from eyechart.report.messages import say


def test_clean_folders_are_silent(clean: Path):
    found = audit(clean / "logs", clean / "runs")
    assert found.looked.dossiers == 7
    assert [f for f in found.findings if f.state != "kept"] == []
    assert len(found.of("clean")) == 7
    assert found.looked.recomputed == 7
    assert found.looked.pairs >= 4
    assert found.looked.repeats.tested == 4


def test_there_are_faults_enough():
    assert len(FAULTS) >= 50
    assert len({name for name, *_ in FAULTS}) >= 40


@pytest.mark.parametrize(("name", "file", "part", "plant"), FAULTS, ids=[plant.__name__ for *_, plant in FAULTS])
def test_a_planted_fault_is_found(copied: Callable[[str], Path], name: str, file: str, part: str, plant):
    root = copied(part)
    plant(root)
    found = audit(root)
    hits = [f for f in found.of(name) if f.state in ("broken", "unknown")]
    assert hits, [(f.id, f.file) for f in broken(found, notes=True)]
    # Which of two is the copy cannot be told: one is the subject, and the other is named.
    assert any(file in f"{f.file} {say(f.evidence, 'en')}" for f in hits), [f.file for f in hits]
    for one in found.findings:  # every word has what it asks for, in both languages
        assert all(say(part, lang) for part in (one.text, one.evidence, one.remedy) if part for lang in ("en", "zh"))
    # Nobody else is accused: what is broken is at the file of the fault, or of its twin.
    others = {f.file for f in broken(found) if file not in (f.file or "")}
    assert len(others) <= (1 if name.startswith(("copy.", "mixed.")) else 0), [(f.id, f.file) for f in broken(found)]


def test_a_common_instruction_makes_no_copies(tmp_path: Path):
    """One instruction for all items, and the texts in another field: no item is twice, and no key is another one."""

    def told(i: int, row: dict[str, Any]) -> dict[str, Any]:
        doc = {
            "question": "Sum up the text.",
            "article": f"Article number {i} is about the number {i}.",
            "answer": row["target"],
        }
        return row | {"doc": doc}

    for model in ("org/alpha-7b", "org/beta-13b"):
        lm_log(tmp_path / "lm", model, rows=each(told))
    found = audit(tmp_path / "lm")
    assert broken(found, notes=True) == []
    assert found.looked.pairs == 1
