"""The ``vectors`` command group, in which the subcommand ``write`` may be left out."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from mmaspec.oracle.spec import spec_named


class WordOrWrite(TyperGroup):
    """A command group that runs ``write`` if the first word names no command: ``vectors SPEC ...``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert ``write`` where the command is left out."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            if not args[0].startswith("-"):
                spec_named(args[0])  # a name that is none is a mistake before any option that is missing
            args = ["write", *args]
        return super().parse_args(ctx, args)
