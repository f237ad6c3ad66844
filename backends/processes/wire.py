"""Messages between mmaspec and a backend in a child process, over two pipes.

A message is a frame: the four bytes ``MMA1``, two unsigned 64-bit little-endian lengths, that many bytes
of MessagePack (the *head*: one of the structs below, as a map with its ``type``), that many bytes of
buffers (the *body*, one after the other, as the head lists them). The child speaks first, with ``ready``
or ``not-loaded``; after that every request gets one reply. Requests end with the pipe.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import accumulate
from math import prod
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mmaspec.backends.failures import BadReply, error_line
from mmaspec.backends.protocol import Description, Images
from mmaspec.programs.allowed_values import telling_allowed

MAGIC = b"MMA1"
_LENGTHS = struct.Struct("<4sQQ")
MAX_HEAD = 64 << 20
MAX_BODY = 1 << 30
"""Longest head and body, in bytes, that are believed."""


class Garbage(Exception):
    """Bytes that are not a message."""


class Extent(Struct, frozen=True, forbid_unknown_fields=True):
    """A buffer of a body: bytes of shape (batch, whole allocation)."""

    name: str
    shape: tuple[int, int]


class Describe(Struct, frozen=True, forbid_unknown_fields=True, tag="describe"):
    """Request for the description. Answered by ``described``."""


class AskCaps(Struct, frozen=True, forbid_unknown_fields=True, tag="caps"):
    """Request for the caps of a specification. Answered by ``caps-are``."""

    spec: str


class RunRequest(Struct, frozen=True, forbid_unknown_fields=True, tag="run"):
    """Request: run a program on the images in the body. Answered by ``ran`` or ``refused``."""

    spec: str
    program: msgspec.Raw
    batch: int
    images: tuple[Extent, ...]


class Ready(Struct, frozen=True, forbid_unknown_fields=True, tag="ready"):
    """The backend is loaded."""


class NotLoaded(Struct, frozen=True, forbid_unknown_fields=True, tag="not-loaded"):
    """The backend cannot be loaded: bad input."""

    text: str


class Described(Struct, frozen=True, forbid_unknown_fields=True, tag="described"):
    """Answer to ``describe``."""

    description: Description


class CapsAre(Struct, frozen=True, forbid_unknown_fields=True, tag="caps-are"):
    """Answer to ``caps``; nil where the specification is not supported."""

    caps: msgspec.Raw


class Ran(Struct, frozen=True, forbid_unknown_fields=True, tag="ran"):
    """Answer to ``run``: every buffer, in the body."""

    images: tuple[Extent, ...]


class Refusal(Struct, frozen=True, forbid_unknown_fields=True, tag="refused"):
    """Answer to ``run``: the program is not accepted."""

    reason: str
    clauses: tuple[str, ...] = ()


class RaisedAnswer(Struct, frozen=True, forbid_unknown_fields=True, tag="raised"):
    """Answer to any request: the backend raised an exception."""

    text: str


class BadAnswer(Struct, frozen=True, forbid_unknown_fields=True, tag="bad-reply"):
    """Answer to any request: the reply of the backend has a wrong form."""

    text: str


Request = Describe | AskCaps | RunRequest
Answer = Ready | NotLoaded | Described | CapsAre | Ran | Refusal | RaisedAnswer | BadAnswer

_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)


def extents_of(images: Images) -> tuple[Extent, ...]:
    """The names and sizes of the images in a body, from its head."""
    return tuple(Extent(name, (image.shape[0], image.shape[1])) for name, image in images.items())


def framed(head: Request | Answer, images: Images | None = None) -> Iterator[bytes | memoryview]:
    """The pieces of a message."""
    encoded = msgspec.msgpack.encode(head)
    pieces = [] if images is None else [np.ascontiguousarray(image).reshape(-1).data for image in images.values()]
    yield _LENGTHS.pack(MAGIC, len(encoded), sum(piece.nbytes for piece in pieces)) + encoded
    yield from pieces


def read_frame(pipe: BufferedReader) -> tuple[bytes, bytes] | None:
    """The next head and body, or None where the pipe ends, inside a message too. Raises ``Garbage``."""
    start = pipe.read1(_LENGTHS.size)
    # Judged by what there is: a stray word is shorter than a message, and nothing may follow it for long.
    if not MAGIC.startswith(start[: len(MAGIC)]):
        raise Garbage(f"{start!r} is not the start of a message")
    start += pipe.read(_LENGTHS.size - len(start)) if start else b""
    if not MAGIC.startswith(start[: len(MAGIC)]):
        raise Garbage(f"{start!r} is not the start of a message")
    if len(start) < _LENGTHS.size:
        return None
    _, head_length, body_length = _LENGTHS.unpack(start)
    if head_length > MAX_HEAD or body_length > MAX_BODY:
        raise Garbage(f"a message of {head_length} and {body_length} bytes is not believable")
    head, body = pipe.read(head_length), pipe.read(body_length)
    return (head, body) if len(head) == head_length and len(body) == body_length else None


def request_of(head: bytes) -> Request:
    """Decode a request. Raises ``Garbage``."""
    try:
        return _requests.decode(head)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Garbage(f"a request that cannot be read: {error}") from error


def answer_of(head: bytes) -> Answer:
    """Decode an answer. Raises ``Garbage``."""
    try:
        return _answers.decode(head)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Garbage(f"an answer that cannot be read: {error}") from error


def images_of(extents: tuple[Extent, ...], body: bytes | NDArray[np.uint8]) -> Images:
    """The images of a body, without a copy. Raises ``Garbage`` where the lengths do not add up."""
    sizes = [prod(extent.shape) for extent in extents]
    if any(side < 0 for extent in extents for side in extent.shape) or sum(sizes) != len(body):
        raise Garbage(f"buffers of {sum(sizes)} bytes in a body of {len(body)}")
    starts = accumulate(sizes, initial=0)
    return {
        extent.name: np.frombuffer(body, np.uint8, size, start).reshape(extent.shape)
        for extent, size, start in zip(extents, sizes, starts, strict=False)
    }


def caps_of(spec: str, encoded: msgspec.Raw, decode: Callable[..., Any]) -> Any | None:
    """The caps that came over a pipe, decoded strictly; ``BadReply`` where they do not decode."""
    from mmaspec.oracle.spec import spec_named

    try:
        kind = spec_named(spec).caps_type | None
        with telling_allowed(kind):
            return decode(encoded, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadReply(f"caps for {spec} are not valid: {error_line(error)}") from error
