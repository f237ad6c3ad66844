"""The standard streams of a command: made usable at its start, and let go at its end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Literal, TextIO


def make_usable() -> None:
    """Open the standard streams that are closed, as empty ones, and let the others print any name.

    Without this a file that is opened later takes the number of a closed one, and the output of a child goes there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            with suppress(OSError):
                os.set_inheritable(number, True)
    if sys.stdout is None:
        sys.stdout = _nothing()
    if sys.stderr is None:
        sys.stderr = _nothing()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nothing() -> TextIO:
    """A stream that takes everything and keeps nothing."""
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def written_out() -> Literal["all", "not all", "no reader"]:
    """Whether all that was printed has left this process, and if not, whether somebody was there to read it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return "no reader"
    except (OSError, ValueError):
        return "not all"
    return "all"


def let_go(stream: TextIO) -> None:
    """Give up what could not be printed, which Python would try to print once more, and fail, at the end."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def say(line: str) -> None:
    """Print a line on the error stream, if that is possible."""
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        let_go(sys.stderr)
