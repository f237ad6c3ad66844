"""Errors that a user can correct: one line that says what is wrong, where, and what was expected."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 600
"""Characters of a message; what is named in a damaged file may be of any length."""


class BadInput(ValueError):
    """Input that cannot be used; the message is one complete line. The command line exits with 2."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class Halted(RuntimeError):
    """Work that cannot go on though its input is good; the message is one line. The command line exits with 4."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


_OUTSIDE = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, *([errno.EDQUOT] if hasattr(errno, "EDQUOT") else [])})
"""Errors of writing that no other input would avoid: the disk is full, or broken."""


def unwritable(where: object, error: OSError) -> Halted | BadInput:
    """The error to raise for a file or folder that cannot be written."""
    kind = Halted if error.errno in _OUTSIDE else BadInput
    return kind(f"{where}: cannot be written: {error.strerror or error}")


@contextmanager
def writing(where: object) -> Iterator[None]:
    """Turn an error of the system in this block, which makes ready to write, into that of ``unwritable``."""
    try:
        yield
    except OSError as error:
        raise unwritable(error.filename or where, error) from error


def text_of(error: object) -> str:
    """The text of somebody else's exception, or of anything; it may have none, or fail to say it."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - whatever happens, there is no text
        return "its text cannot be printed"


def one_line(message: str) -> str:
    """A message made safe to print: one line, no control characters, of bounded length."""
    words = " ".join(message.split())
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in words)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 4]} ..."
