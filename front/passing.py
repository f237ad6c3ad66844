"""A group of commands that lets through what typer would make an exit code of its own of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from mmaspec.programs.errors import BadInput

UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What a wrong command line raises; typer has it from click, or from a copy of click that it brings along."""


class Passing(Exception):
    """Carries an error past typer, which ends with code 1, a verdict, if a pipe breaks or input ends."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Commands(TyperGroup):
    """The commands; an interrupt or an error of the system comes out as ``Passing``, a wrong use as ``BadInput``."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Read the command line, and maybe print help."""
        with _carried():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _carried():
            return super().invoke(ctx)


@contextmanager
def _carried() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, EOFError, OSError) as error:
        raise Passing(error) from error
    except UsageError as error:
        raise _one_line(error) from error


def _one_line(error: Any) -> Exception:
    """One line for a wrong command line; the error itself where it means to print help."""
    if type(error).show is not UsageError.show:  # type: ignore[attr-defined]
        return error  # type: ignore[no-any-return]
    command = "mmaspec" if error.ctx is None else error.ctx.command_path
    return BadInput(f"{_with_value(error).removesuffix('.')}; see {command} --help")


def _with_value(error: Any) -> str:
    """The message of a wrong command line; of a wrong value with the value and with what was expected."""
    told: str = error.format_message()
    errors: Any = getattr(error.__cause__, "errors", None)  # of pydantic, with which some versions of typer read values
    details: Any = errors() if callable(errors) else None
    if not details:
        return told
    says, given = str(details[0].get("msg", "")), details[0].get("input")
    expected = says.partition(",")[0].removeprefix("Input should be ").replace("a valid integer", "a whole number")
    for words, plainer in (("greater than or equal to", "at least"), ("less than or equal to", "at most")):
        expected = expected.replace(words, plainer)
    return told.replace(says, f"{given!r}; expected {expected.replace('a valid ', 'a ')}")
