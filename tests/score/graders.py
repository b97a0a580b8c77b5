"""Functions a user might name as a scorer, good and bad."""

from __future__ import annotations

from typing import Any

import numpy as np


def same(answer: str, gold: tuple[str, ...]) -> bool:
    return answer in gold


def seen(answer: str, gold: tuple[str, ...]) -> float:
    """The share of gold texts that occur."""
    return sum(text in answer for text in gold) / len(gold)


def numpy_bool(answer: str, gold: tuple[str, ...]) -> Any:
    return np.bool_(answer in gold)


def percent(answer: str, gold: tuple[str, ...]) -> float:
    return 100.0


def nan(answer: str, gold: tuple[str, ...]) -> float:
    return float("nan")


def words(answer: str, gold: tuple[str, ...]) -> str:
    return "yes"


def nothing(answer: str, gold: tuple[str, ...]) -> None:
    return None


def raises(answer: str, gold: tuple[str, ...]) -> bool:
    raise KeyError("no such\nanswer")


def one_argument(answer: str) -> bool:
    return True


not_a_function = 3
