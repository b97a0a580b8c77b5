"""The commands about judges, each in a file of its own, imported when it is given."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "run": ("eyechart.cli.judge_run", "Ask a judge about answers: both orders, repeats, probes."),
    "audit": ("eyechart.cli.judge_audit", "What moves a judge, how strongly, and the score without that."),
    "drift": ("eyechart.cli.judge_drift", "Has a judge changed? The same anchors at two dates or more."),
    "correct": ("eyechart.cli.judge_correct", "A judged score, corrected by human labels."),
    "labels": ("eyechart.cli.judge_labels", "How many human labels for a wished half-width."),
    "sheet": ("eyechart.cli.judge_sheet", "Blind sheets for human labels, and what comes back."),
}


class Judge(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return import_module(COMMANDS[cmd_name][0]).command if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command("judge", cls=Judge)
def command() -> None:
    """Judges are models, and make mistakes of their own: ask them, audit them, correct what they say."""
