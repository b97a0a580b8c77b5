"""Rows from a Python function: `python:module:function`, called without arguments, returns mappings.

A function that has a parameter `split` is given the split that is asked for, so that few-shot examples can
come from another one. The working folder is importable while the function is found and run.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import EyechartError, InputError
from eyechart.core.registry import nearest
from eyechart.data.values import Rows, listed, plain_rows


def read_function(given: str, split: str | None, field: str) -> Rows:
    """Raises InputError where the function is not found, fails, or returns no rows."""
    with _working_folder():
        function = _find(given, field)
        arguments = {"split": split} if takes_split(function) else {}
        try:
            source = function(**arguments)
            if isinstance(source, str | bytes | dict) or not isinstance(source, Iterable):
                raise InputError(
                    f"{given} returned {type(cast('Any', source)).__name__}; return a list of mappings",
                    field=field,
                )
            rows, problems, notes = plain_rows(cast("Iterable[Any]", source), given)
        except EyechartError:
            raise
        except Exception as error:
            raise InputError(f"{given} failed: {_said(error)}", field=field) from None
    if not rows and not problems:
        raise InputError(f"{given} returned no rows", field=field)
    return Rows(given=given, rows=rows, problems=problems, notes=notes)


def function_takes_split(given: str, field: str) -> bool:
    """Whether `python:module:function` can be asked for another split."""
    with _working_folder():
        return takes_split(_find(given, field))


def takes_split(function: Callable[..., Any]) -> bool:
    """
    >>> takes_split(lambda split: []), takes_split(lambda: [])
    (True, False)
    """
    try:
        return "split" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _find(given: str, field: str) -> Callable[..., Any]:
    module_name, _, name = given.removeprefix("python:").partition(":")
    if not module_name or not name:
        raise InputError(f"{given} names no function; write python:module:function", field=field)
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        hint = f"; looked in {Path.cwd()} and among installed packages" if error.name == module_name else ""
        raise InputError(f"{given}: there is no module {error.name}{hint}", field=field) from None
    except Exception as error:
        raise InputError(f"{given}: the module cannot be imported: {_said(error)}", field=field) from None
    function = getattr(module, name, None)
    if not callable(function):
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        close = nearest(name, names)
        hint = f"did you mean {close}?" if close else f"there are: {listed(names) or 'none'}"
        raise InputError(f"{given}: module {module_name} has no function {name}; {hint}", field=field)
    return cast("Callable[..., Any]", function)


def _said(error: Exception) -> str:
    """Kind and text of an error in somebody's code, and the line of theirs it comes from."""
    text = str(error).partition("\n")[0][:200]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"


@contextmanager
def _working_folder() -> Generator[None]:
    folder = str(Path.cwd())
    added = folder not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        if added and folder in sys.path:
            sys.path.remove(folder)
