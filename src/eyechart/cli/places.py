"""A file or folder as an argument: an empty name is none, where click would take it for the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eyechart.app.pointed import existing
from eyechart.core.errors import InputError


class Place(click.Path):
    """A Path that somebody named. It may be absent: whoever opens it says what is wrong."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            existing(value, plain=False)
        except InputError as error:
            self.fail(str(error), param, ctx)
        return super().convert(value, param, ctx)


PLACE = Place()
