"""The options of a command that writes a report: where, and in which language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
LANGUAGE = "Of what is written: reports, lists, summaries. The terminal and --json speak English. [default: en]"
"""One rule for every command: what is written is for readers, and what a terminal shows is searched and pasted."""


def language(command: F) -> F:
    """`--language`, as the parameter `language`."""
    option = click.option(
        "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help=LANGUAGE
    )
    return option(command)


def reported(command: F) -> F:
    """`--report` and `--language`, as the parameters `report` and `language`."""
    option = click.option("--report", type=click.Path(path_type=Path), help="Write it as .html, .md or .json.")
    return option(language(command))
