"""Errors between asking a backend and using its answer."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from traceback import walk_tb
from typing import Literal

from mmaspec.programs.errors import BadInput, text_of

Death = Literal["crash", "hang", "garbage", "partial reply", "flood"]
"""How the process of a backend went. A *partial reply* ends too early; a *flood* is on the error stream."""


LONGEST = 2000
"""Characters of a message that a backend can make as long as it likes, and that every report repeats."""


def error_line(text: object) -> str:
    """A message of bounded length with every run of white space, line ends included, made one space."""
    said = text_of(text)
    line = " ".join(said[: 4 * LONGEST].split())
    return line if len(line) <= LONGEST and len(said) <= 4 * LONGEST else f"{line[: LONGEST - 4]} ..."


class BadReply(Exception):
    """A backend answered with something that is not all of a program's buffers; the message is one line."""


class Raised(Exception):
    """A backend raised an exception of its own; the message is its type, its text and its place, one line."""

    @classmethod
    def by(cls, error: BaseException) -> Raised:
        """The exception that stands for ``error``."""
        text, place = error_line(error), raised_at(error)
        told = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return cls(f"{told} ({place})" if place else told)


def raised_at(error: BaseException) -> str:
    """File and line where an exception left the code of a backend; empty if it came from ours, or libraries, alone.

    Without folders, which differ from machine to machine.
    """
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if not path.startswith(("<", *_NOT_THEIRS)):
            place = f"{Path(path).name}, line {line}"
    return place


_NOT_THEIRS = tuple({str(Path(__file__).parent.parent), *sysconfig.get_paths().values()})
"""Where our own modules and installed ones are."""


class Unasked(BadInput):
    """A request that never reached a backend: no process could be started, or no file written. Not a failure of it."""


class Died(Exception):
    """The process of a backend is gone: it crashed, or was killed because it hung or sent garbage."""

    shared = False
    """Whether it happened among several requests: maybe over another one than that of which it is told."""

    def __init__(self, kind: Death, detail: str, said: str = "") -> None:
        """``said`` is the last line that it printed; empty: none."""
        self.kind: Death = kind
        self.detail: str = f"{detail}; it last said: {said}" if said else detail
        super().__init__(f"{kind}: {self.detail}")


class Unanswered(Died):
    """A case without an answer, neither right nor wrong. It is passed on wherever a death of the backend is."""

    def __init__(self, why: str) -> None:
        super().__init__("crash", why)
        self.why = why
