"""The command of ``cmd:COMMAND``: its words, and the transport that its placeholders select."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mmaspec.programs.errors import BadInput

TransportName = Literal["pipes", "standard streams", "files"]
STDIO, REQUEST, REPLY = "{stdio}", "{request}", "{reply}"
"""Words of a command that choose a transport other than pipes."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line with its placeholders."""

    text: str

    def __post_init__(self) -> None:
        """Raise ``BadInput`` for a command that makes no sense."""
        if not self.text.replace(STDIO, "").strip():
            raise BadInput("backend 'cmd:' names no command; expected cmd:COMMAND")
        files = [name in self.text for name in (REQUEST, REPLY)]
        if any(files) and not all(files):
            raise BadInput(f"{self}: needs both {REQUEST} and {REPLY}, or neither")
        if all(files) and STDIO in self.text:
            raise BadInput(f"{self}: {STDIO} and {REQUEST} are two transports; choose one")
        try:
            self.words({})
        except ValueError as error:
            raise BadInput(f"{self}: not a command line: {error}") from error

    def __str__(self) -> str:
        return f"cmd:{self.text}"

    @property
    def transport(self) -> TransportName:
        """The transport that the placeholders select."""
        if REQUEST in self.text:
            return "files"
        return "standard streams" if STDIO in self.text else "pipes"

    def words(self, places: Mapping[str, str]) -> list[str] | str:
        """The words that start the program, with ``places`` filled in; on Windows the line itself."""
        if os.name == "nt":
            line = self.text.replace(STDIO, "")
            for name, place in places.items():
                line = line.replace(name, f'"{place}"')
            return line
        found = [word for word in shlex.split(self.text) if word != STDIO]
        for name, place in places.items():
            found = [word.replace(name, place) for word in found]
        return found
