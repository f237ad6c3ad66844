"""The child process of ``ChildBackend``: ``python -m mmaspec.backends.child BACKEND``."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from io import BufferedReader, BufferedWriter
from queue import Queue
from threading import Thread
from typing import Any

import msgspec

from mmaspec.backends.checked import call
from mmaspec.backends.failures import BadReply, Raised, error_line
from mmaspec.backends.processes.wire import (
    Answer,
    AskCaps,
    BadAnswer,
    CapsAre,
    Describe,
    Described,
    NotLoaded,
    RaisedAnswer,
    Ran,
    Ready,
    Refusal,
    Request,
    RunRequest,
    extents_of,
    framed,
    images_of,
    read_frame,
    request_of,
)
from mmaspec.backends.protocol import Backend, Description, Images, Refused
from mmaspec.backends.resolve import resolve
from mmaspec.programs.errors import BadInput

_GRACE = 5.0
"""Seconds that a backend gets to finish once nobody is left to answer."""


def own_pipes() -> tuple[BufferedReader, BufferedWriter]:
    """Move the two pipes to descriptors that nobody else knows.

    Whatever the backend prints goes to the error stream, and what it starts inherits neither pipe.
    """
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (requests, answers):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def main(backend_text: str) -> int:
    """Load the backend, say so, then answer requests until they end."""
    requests, answers = own_pipes()
    # An interrupt from the keyboard reaches every process of the terminal; it is the parent's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    arrived: Queue[tuple[bytes, bytes] | None] = Queue()
    Thread(target=_read, args=(requests, arrived), daemon=True).start()
    try:
        backend = resolve(backend_text)
    except BadInput as error:
        _send(answers, NotLoaded(error_line(error)))
        return 2
    _send(answers, Ready())
    while (message := arrived.get()) is not None:
        head, body = message
        _send(answers, *answer(backend, request_of(head), body))
    gc.freeze()  # somebody waits for the end, and Python would look for cycles among all values first
    return 0


def _read(pipe: BufferedReader, arrived: Queue[tuple[bytes, bytes] | None]) -> None:
    try:
        while message := read_frame(pipe):
            arrived.put(message)
    finally:
        arrived.put(None)
    time.sleep(_GRACE)
    os._exit(1)  # a backend that hangs must not outlive its parent


def _send(pipe: BufferedWriter, head: Answer, images: Images | None = None) -> None:
    pipe.writelines(framed(head, images))
    pipe.flush()


def answer(backend: Backend, request: Request, body: bytes = b"") -> tuple[Answer, Images | None]:
    """The answer of the backend to one request."""
    try:
        match request:
            case Describe():
                return _described(backend), None
            case AskCaps(spec):
                return CapsAre(msgspec.Raw(msgspec.msgpack.encode(backend.caps(spec)))), None
            case RunRequest():
                outputs = _run(backend, request, body)
                return Ran(extents_of(outputs)), outputs
    except Refused as refusal:
        return Refusal(error_line(refusal.reason), tuple(refusal.clauses)), None
    except BadReply as error:
        return BadAnswer(error_line(error)), None
    except Raised as error:
        return RaisedAnswer(error_line(error)), None
    except BaseException as error:  # noqa: BLE001 - whatever a backend raises is its answer; nobody interrupts us
        return RaisedAnswer(str(Raised.by(error))), None


def _described(backend: Backend) -> Answer:
    description: object = backend.describe()
    if not isinstance(description, Description):
        return BadAnswer(f"describe() returned a {type(description).__name__}; expected a Description")
    return Described(description)


def _run(backend: Backend, request: RunRequest, body: bytes) -> Images:
    from mmaspec.oracle.spec import spec_named

    program: Any = msgspec.msgpack.decode(request.program, type=spec_named(request.spec).program_type)
    return call(backend, request.spec, program, images_of(request.images, body), request.batch)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
