"""tested: the process in which a grader of others, a Python function, is put to the test.

`python -m eyechart.app.tested module:function` reads lines of JSON (`id, output, gold, choices`) and writes one for
each: `{"id", "outcome" or "error", "seconds"}`. A process of its own, because a grader may print, hang, end the
process or eat memory, and the test must go on and say so.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
from typing import Any, TextIO

from eyechart.app.limits import within
from eyechart.core.records import Outcome
from eyechart.score.function import imported, judged

LIMIT = 20.0
"""Seconds after which one verdict is given up."""
PATIENCE = 3
"""Verdicts given up in a row, after which the grader is not asked any more."""


def main(path: str, lines: TextIO, out: TextIO) -> None:
    function = imported(path)
    try:
        takes_choices = "choices" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_choices = False
    late = 0
    for line in lines:
        row: dict[str, Any] = json.loads(line)
        if late >= PATIENCE:
            out.write(json.dumps({"id": row["id"], "error": f"not asked: given up {PATIENCE} times in a row"}) + "\n")
            continue
        golds = (row["gold"],) if not row["choices"] else (row["gold"], row["choices"][row["gold"]])
        more = {"choices": row["choices"]} if takes_choices and row["choices"] else {}
        start = time.perf_counter()
        said: dict[str, Any] = {"id": row["id"]}
        try:
            score = judged(
                within(LIMIT, lambda golds=golds, more=more, row=row: function(row["output"], golds, **more))
            )
            if score.outcome is Outcome.UNSCORED:
                said["error"] = score.reason
            else:
                said["outcome"] = score.outcome.value
            late = 0
        except TimeoutError:
            late += 1
            said["error"] = f"no verdict within {LIMIT:g} s"
        except (Exception, SystemExit) as error:
            late = 0
            said["error"] = f"{type(error).__name__}: {str(error)!r:.100}"
        said["seconds"] = time.perf_counter() - start
        out.write(json.dumps(said) + "\n")
        out.flush()


if __name__ == "__main__":
    # What the grader prints goes to standard error; only this file knows where the answers go.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    main(sys.argv[1], sys.stdin, channel)
