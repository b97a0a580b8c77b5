"""The probes, each in a file of its own, imported when it is given."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "prompt": (
        "eyechart.cli.probe_prompt:prompt",
        "What a change of wording does, and the smallest one that turns it.",
    ),
    "decoding": (
        "eyechart.cli.probe_decoding:decoding",
        "Step by step what came, and where two settings or seeds part.",
    ),
    "determinism": ("eyechart.cli.probe_determinism:determinism", "The same request again: is the answer the same?"),
    "pairs": ("eyechart.cli.probe_pairs:pairs", "Families of small edits: which feature answers depend on."),
}


class Probes(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        return getattr(import_module(module), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from eyechart.core.registry import hint

            raise click.UsageError(f"there is no probe {args[0]}; {hint(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)


@click.command("probe", cls=Probes)
def command() -> None:
    """What an answer hangs on: its wording, the way it is decoded, the engine, small edits of the question."""
