"""The stress test of graders: seeded cases of known verdict, a harness of pure functions, and the certificate.

- `tasks`, `words`, `listing`: the small tasks underneath, written for this test
- `forms`, `styles`: how a right or wrong answer may be written, framed and surrounded
- `wrong`, `programs`, `hostile`: what must not pass, programs right and wrong, megabytes of brackets
- `battery`: cases by number, seeded
- `harness`: `stress(grader, ...)` gives a `Report`; `certificate`: what it shows, for which grader

The room reads no clock and runs nothing: verdicts and their times come in from whoever calls the grader.
"""

from eyechart.stress.cases import KINDS, Answered, Case, Kind, Verdicts
from eyechart.stress.certificate import Certificate, as_data, from_data
from eyechart.stress.harness import Counts, stress
from eyechart.stress.report import Report

__all__ = [
    "KINDS", "Answered", "Case", "Certificate", "Counts", "Kind", "Report", "Verdicts", "as_data", "from_data", "stress",
]  # fmt: skip
