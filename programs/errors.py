"""Errors that a user can correct: one line that says what is wrong, where, and what was expected."""

from __future__ import annotations

LONGEST = 600
"""Characters of a message; what is named in a damaged file may be of any length."""


class BadInput(ValueError):
    """Input that cannot be used; the message is one complete line. The command line exits with 2."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(message: str) -> str:
    """A message made safe to print: one line, no control characters, of bounded length."""
    words = " ".join(message.split())
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in words)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 4]} ..."
