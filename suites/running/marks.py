"""Rows as lines of a file, each with a mark that depends on every line before it and on the run.

A line that was edited, moved, or taken out of the middle does not fit the marks, and neither does a file of another run
or under another name. This is for accidents and careless edits: whoever computes the marks anew is not noticed.
"""

from __future__ import annotations

import hashlib

import msgspec

from mmaspec.suites.judging.record import Opened, Row

DIGITS = 16
"""Hexadecimal digits of a mark."""

_decoder = msgspec.json.Decoder(Row)


class Marks:
    """The marks of one file, as far as its lines are known."""

    def __init__(self, opened: Opened) -> None:
        self._state = hashlib.sha256(msgspec.json.encode(opened)).digest()

    def mark(self, row: bytes) -> bytes:
        """The mark of the next line, which holds ``row``."""
        self._state = hashlib.sha256(self._state + row).digest()
        return self._state.hex()[:DIGITS].encode()


def write_line(marks: Marks, row: Row) -> bytes:
    """The next line of a file."""
    data = msgspec.json.encode(row)
    return marks.mark(data) + b" " + data + b"\n"


def read_line(marks: Marks, line: bytes) -> Row | None:
    """The row in the next line of a file, without its end; None if it is not the line that was written there."""
    mark, space, data = line[:DIGITS], line[DIGITS : DIGITS + 1], line[DIGITS + 1 :]
    if space != b" " or marks.mark(data) != mark:
        return None
    try:
        row: Row = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return row
