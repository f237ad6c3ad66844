"""The ``vectors`` command group, in which the subcommand ``write`` may be left out."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class WordOrWrite(TyperGroup):
    """A command group that runs ``write`` if the first word names no command: ``vectors SPEC ...``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert ``write`` where the command is left out."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["write", *args]
        return super().parse_args(ctx, args)
