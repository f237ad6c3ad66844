"""A group of commands that lets through what typer would make an exit code of its own of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup


class Passing(Exception):
    """Carries an error past typer, which ends with code 1, a verdict, if a pipe breaks or input ends."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Commands(TyperGroup):
    """The commands; an interrupt or an error of the system comes out as ``Passing``."""

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
