"""The command line: one file a command, each a thin layer over one call in `app/`.

Commands are imported when they are given, so that `eyechart --help` stays light.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from eyechart.version import __version__

COMMANDS = {
    "demo": "Move the evaluation of the embedded model on the built-in chart; ends with a report.",
    "init": "Write a study for your own data.",
    "fingerprint": "Check a study or fingerprint and print its digests.",
    "plan": "Show what a study would ask and cost, before anything runs.",
    "run": "Run a study; given again, it goes on where it stopped.",
    "report": "Write the report of a run: HTML, Markdown or JSON, English or Chinese.",
    "show": "Show a run in the terminal.",
    "summarize": "How sure is each score of a table: two intervals, repeats, pass@k.",
    "compare": "Which is better, item by item: models of a table, or levels of a run.",
    "shares": "What made the scores of a table or run move, and what to fix or average over.",
    "power": "How many runs and items for a wished precision, and what yours buy.",
    "suite": "Several benchmarks together: an aggregate, contradictory trends, agreement of ranks.",
    "grade": "Grade outputs as a careful person would, show why, and where other graders disagree.",
    "import": "Logs of other harnesses in: what they say, what they do not, as runs to be read again.",
    "export": "Runs out: Every Eval Ever, results of a model card, CSV, Parquet.",
    "reread": "The same answers under several graders: what the reading alone is worth.",
    "diff": "Field by field, how two evaluations differ, and whether that can move a score.",
    "flips": "Why verdicts differ between two set-ups: read, written or answered differently.",
    "explain": "Divide the gap between two evaluations among the fields in which they differ.",
    "doctor": "Symptoms or runs in, ranked causes out: evidence, a cheap experiment, the remedy.",
    "probe": "What an answer hangs on: prompt, decoding path, determinism, minimal pairs.",
    "difficulty": "Measure how hard the few-shot candidates are, for balanced draws.",
    "grader": "Put a grader to the test, and write its certificate.",
    "judge": "Judge the judges: run one, audit it, correct its scores, ask people.",
    "check": "Operating rules against a run or study: kept, broken, or cannot be told.",
    "disclose": "What a number does not say, as questions to its authors.",
    "verify": "Recompute every number of a run from its folder alone, and check its seal.",
    "reproduce": "Run it again, and judge the new score against the interval that was claimed.",
    "audit": "Runs and logs, many at once: what does not fit, with evidence.",
    "gate": "Limits on any estimate, for continuous integration: kept, broken, or cannot tell.",
    "rank": "Only runs of one procedure are ranked together; ties where the data cannot tell.",
    "history": "One fixed set over time: change points, error terms, what was fixed.",
    "store": "Check or merge stores of answers.",
    "models": "List backends and models, and fetch the embedded model.",
    "factors": "List what can be moved: fields, text edits, readers, scorers.",
}

EPILOG = """\b
Start here:
  eyechart demo                     the embedded model, the built-in chart, a report
  eyechart init my_questions.csv    a study of your own data
  eyechart plan study.yaml          what it asks and costs
  eyechart run study.yaml           ask, read, report; goes on when given again

\b
Exit codes: 0 done, 1 a check failed, 2 wrong usage or input,
3 too many failures or too little data, 4 stopped and can be taken up again.
"""


class Commands(click.Group):
    """Finds a command by name and imports its file only then."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """As click's, but wrong usage is one line here too, with where to read on."""
        if not standalone_mode:
            return super().main(*args, standalone_mode=False, **extra)
        try:
            sys.exit(super().main(*args, standalone_mode=False, **extra) or 0)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            from eyechart.cli.output import misused

            misused(error)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        file = "import_" if cmd_name == "import" else cmd_name  # a word of the language cannot name a module
        return import_module(f"eyechart.cli.{file}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from eyechart.core.registry import hint

            advice = hint(args[0], COMMANDS)
            raise click.UsageError(f"there is no command {args[0]}; {advice}", ctx)
        return super().resolve_command(ctx, args)


@click.command(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="eyechart")
def main() -> None:
    """Holds the model still, moves the evaluation, and says how far the score moves and why."""
    # A study may name `module:function` beside it. At the end, so that no file here shadows a package.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
