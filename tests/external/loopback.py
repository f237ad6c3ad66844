"""A transport without a process: an in-process backend answers, but through the lines and bytes of the protocol."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np

from mmaspec.backends.checked import call
from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.lines import Message, line_of, read_message
from mmaspec.backends.external.messages import Hello, Request, Run
from mmaspec.backends.failures import Died
from mmaspec.backends.protocol import Backend, Refused
from mmaspec.oracle.spec import SPECS, spec_named

Change = Callable[[bytes], bytes]


class Loopback:
    """Answers for ``backend``; ``change`` is done to every reply on its way."""

    introduced = False

    def __init__(self, backend: Backend, change: Change = bytes) -> None:
        self._backend = backend
        self.change = change

    def ask(self, request: Request, body: Iterable[memoryview], most: int, limit: float) -> Message:
        assert limit > 0
        line = line_of(request)
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        if isinstance(request, Hello):
            reply = self._hello()
            self.introduced = True
        else:
            reply = self._run(msgspec.json.decode(line, type=Run), b"".join(body))
        message = read_message(io.BufferedReader(io.BytesIO(self.change(reply))), lambda: most)
        if message is None:
            raise Died("crash", "the end of the pipe")
        return message

    def close(self) -> None:
        self.introduced = False

    def _hello(self) -> bytes:
        described = msgspec.to_builtins(self._backend.describe())
        caps = {spec: found for spec in SPECS if (found := self._backend.caps(spec)) is not None}
        return msgspec.json.encode({"type": "hello", "protocol": 2, **described, "caps": caps}) + b"\n"

    def _run(self, request: Run, body: bytes) -> bytes:
        program: Any = msgspec.json.decode(request.program, type=spec_named(request.spec).program_type)
        assert len(body) == request.body
        inputs, start = {}, 0
        for extent in request.buffers:
            size = extent.bytes * request.batch
            inputs[extent.name] = np.frombuffer(body, np.uint8, size, start).reshape(request.batch, extent.bytes)
            start += size
        head: dict[str, Any] = {"id": request.id}
        try:
            after = call(self._backend, request.spec, program, inputs, request.batch)
        except Refused as refusal:
            head |= {"type": "refused", "reason": refusal.reason, "clauses": refusal.clauses}
            return msgspec.json.encode(head) + b"\n"
        buffers = [{"name": name, "bytes": image.shape[1]} for name, image in after.items()]
        head |= {"type": "ran", "buffers": buffers, "body": sum(image.size for image in after.values())}
        return msgspec.json.encode(head) + b"\n" + b"".join(image.tobytes() for image in after.values())


def external(backend: Backend, change: Change = bytes) -> ExternalBackend:
    """The same backend, behind the protocol."""
    found = ExternalBackend("loopback")
    found._transport = Loopback(backend, change)
    return found
