"""Framing: a line of JSON, then raw bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedIOBase, BufferedReader

import msgspec
import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.external.messages import Reply, Request
from mmaspec.backends.failures import error_line
from mmaspec.backends.processes.wire import Garbage

MAX_LINE = 16 << 20
"""Longest line that is believed, in bytes."""
_SHOWN = 60
"""Bytes of garbage that a message shows."""

_replies: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
_encoder = msgspec.json.Encoder()

Body = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Message:
    """A reply and its body."""

    head: Reply
    body: Body


class CutShort(Garbage):
    """The reply ended too early."""


class TooLong(Garbage):
    """The reply announces more bytes than it may have."""


def line_of(request: Request) -> bytes:
    """A request as a line."""
    return _encoder.encode(request) + b"\n"


def reply_of(line: bytes) -> Reply:
    """Decode a line. Raises ``Garbage``."""
    try:
        return _replies.decode(line)
    except RecursionError as error:
        raise Garbage("a reply that is nested too deeply") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Garbage(f"{line[:_SHOWN]!r} is no reply: {error_line(error)}") from error


def read_message(pipe: BufferedReader, most: Callable[[], int]) -> Message | None:
    """The next reply, or None where the pipe ends before one; ``most()`` is the longest body that it may have.

    Raises ``Garbage``, ``CutShort`` and ``TooLong``.
    """
    # Judged by its first byte: a stray word may have no line end, and nothing may follow it for long.
    start = pipe.peek(1)
    if not start:
        return None
    if start[:1] != b"{":
        raise Garbage(f"{start[:_SHOWN]!r} is not the start of a reply")
    line = pipe.readline(MAX_LINE)
    if not line.endswith(b"\n"):
        if len(line) >= MAX_LINE:
            raise TooLong(f"a line of over {MAX_LINE} bytes")
        raise CutShort(f"{len(line)} bytes of a line without its end")
    head = reply_of(line)
    length = getattr(head, "body", 0)
    if length > most():
        raise TooLong(f"a body of {length} bytes is announced where {most()} are expected")
    return Message(head, read_body(pipe, length))


def read_body(pipe: BufferedIOBase, length: int) -> Body:
    """So many bytes. Raises ``CutShort`` where there are fewer."""
    body = np.empty(length, np.uint8)
    view, got = body.data, 0
    while got < length:
        count = pipe.readinto(view[got:])
        if not count:
            raise CutShort(f"{got} of {length} bytes of a body")
        got += count
    return body
