"""Write the copying task of the chart: repeat a word, pick the larger number, add.

The two files depend only on this script and its seed, so running it again
reproduces them byte for byte:

    python scripts/make_chart_tasks.py            # write into src/eyechart/data/chart
    python scripts/make_chart_tasks.py --out DIR  # write somewhere else
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

SEED = 20
PER_GROUP = {"test": 30, "validation": 10}
TOTAL = sum(PER_GROUP.values())
CHART = Path(__file__).resolve().parents[1] / "src" / "eyechart" / "data" / "chart"

# Three words for each of the 40 `repeat` questions: every word is used once, so no
# answer repeats and the two splits share no word.
WORD_LIST = """
apple arrow badge banana barrel basket beach bell blanket boat bottle bridge
broom bucket butter button cabin camera candle carpet castle ceiling cherry circle
cloud coat coffee corner cottage cotton curtain desert diamond dinner doctor door
dragon drawer eagle engine farmer feather fence finger flower forest garden giant
glass glove grass hammer harbour helmet honey horse island jacket jungle kettle
kitchen ladder lake lemon letter lizard market meadow mirror monkey mountain mouse
needle ocean orange oven paper parrot pencil pepper piano picture pillow planet
pocket pond potato prince puzzle rabbit ribbon river rocket saddle salt school
shadow shirt silver snow soup spider spoon stone sugar summer table teacher
temple tiger tomato tower train tunnel uncle valley violin wagon whistle window
"""
WORDS = WORD_LIST.split()


class _Required(TypedDict):
    question: str
    answer: str
    group: str


class Task(_Required, total=False):
    """One question; `choices` is there only where the question offers any."""

    choices: list[str]


def repeat_tasks(rng: random.Random) -> list[Task]:
    """Ask for the last of three words."""
    words = rng.sample(WORDS, 3 * TOTAL)
    return [
        Task(
            question=f"Repeat the last word of this list: {', '.join(words[i : i + 3])}.",
            answer=words[i + 2],
            group="repeat",
        )
        for i in range(0, len(words), 3)
    ]


def larger_tasks(rng: random.Random) -> list[Task]:
    """Ask for the larger of two two-digit numbers; in every split half have it first."""
    # The numbers differ in the tens digit, and no pair is asked twice in either order.
    pairs = [(a, b) for a in range(10, 100) for b in range(a + 1, 100) if a // 10 != b // 10]
    chosen = rng.sample(pairs, TOTAL)
    tasks: list[Task] = []
    for size in PER_GROUP.values():
        larger_first = [i % 2 == 0 for i in range(size)]
        rng.shuffle(larger_first)
        for swap in larger_first:
            small, large = chosen[len(tasks)]
            shown = (large, small) if swap else (small, large)
            tasks.append(
                Task(
                    question=f"Which number is larger, {shown[0]} or {shown[1]}?",
                    choices=[str(number) for number in shown],
                    answer=str(large),
                    group="larger",
                )
            )
    return tasks


def sum_tasks(rng: random.Random) -> list[Task]:
    """Ask for the sum of two digits from 1 to 9; no pair is asked twice in either order."""
    pairs = [(a, b) for a in range(1, 10) for b in range(a, 10)]
    tasks: list[Task] = []
    for pair in rng.sample(pairs, TOTAL):
        a, b = rng.sample(pair, 2)
        tasks.append(Task(question=f"What is {a} plus {b}?", answer=str(a + b), group="sum"))
    return tasks


def build() -> dict[str, list[Task]]:
    """Return the tasks of each split, mixed over the groups."""
    rng = random.Random(SEED)
    families: Sequence[list[Task]] = (repeat_tasks(rng), larger_tasks(rng), sum_tasks(rng))
    splits: dict[str, list[Task]] = {}
    start = 0
    for split, size in PER_GROUP.items():
        splits[split] = [task for family in families for task in family[start : start + size]]
        rng.shuffle(splits[split])
        start += size
    return splits


def render(split: str, tasks: Sequence[Task]) -> str:
    """Return one split as JSON Lines, keys in the order the chart uses."""
    lines: list[str] = []
    for number, task in enumerate(tasks, start=1):
        row: dict[str, object] = {
            "id": f"copying-{split}-{number:03d}",
            "question": task["question"],
        }
        if "choices" in task:
            row["choices"] = task["choices"]
        row["answer"] = task["answer"]
        row["group"] = task["group"]
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def write(out: Path) -> list[Path]:
    """Write both files into `out` and return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for split, tasks in build().items():
        path = out / f"copying_{split}.jsonl"
        path.write_bytes(render(split, tasks).encode("utf-8"))
        paths.append(path)
    return paths


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=CHART, help="folder to write into")
    for path in write(parser.parse_args().out):
        print(path)


if __name__ == "__main__":
    main()
