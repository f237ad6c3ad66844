"""An adapter in any language as a backend: ``cmd:COMMAND``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from importlib.metadata import version
from itertools import count
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Array, Shape, Types
from mmaspec.backends.external.command import Command
from mmaspec.backends.external.file_transport import Asked, FileTransport
from mmaspec.backends.external.lines import Body, Message
from mmaspec.backends.external.messages import (
    OLDER,
    PROTOCOL,
    Extent,
    Failure,
    Hello,
    Introduction,
    Mma,
    Product,
    Ran,
    Refusal,
    Reply,
    Run,
)
from mmaspec.backends.external.transport import PipeTransport, Transport
from mmaspec.backends.failures import BadReply, Died, Raised, error_line
from mmaspec.backends.processes.isolated import START_LIMIT, IsolatedBackend
from mmaspec.backends.processes.wire import Extent as Shaped
from mmaspec.backends.processes.wire import Garbage, caps_of, images_of
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.oracle.spec import SPECS
from mmaspec.programs.errors import BadInput

MOST_PREFETCHED = 64 << 20
"""Bytes of bodies in one file of several requests, about."""

MOST_TOGETHER = 32
"""Requests in one file: a limit of time is that of all together, and one crash has all behind it asked again."""

Done = TypeVar("Done", Ran, Product)
"""The answer that is hoped for."""


class ExternalBackend(IsolatedBackend):
    """The adapter that ``command`` starts. Raises ``BadInput`` if it cannot be started or its ``hello`` is wrong."""

    def __init__(self, command: str, *, timeout_s: float = 60.0, start_timeout_s: float = START_LIMIT) -> None:
        super().__init__(timeout_s=timeout_s, start_timeout_s=start_timeout_s)
        self._command = Command(command)
        made = FileTransport if self._command.transport == "files" else PipeTransport
        self._transport: Transport = made(self._command)
        self._introduction: Introduction | None = None
        self._early: dict[bytes, tuple[Run, Message | Died | BadReply]] = {}
        self._arithmetic: _Arithmetic | None = None
        self._ids = count(1)

    def describe(self) -> Description:
        """The description by the adapter; at the arithmetic-only level the borrowed clauses are added."""
        introduction = self._introduced()
        if self._arithmetic is not None:
            return self._arithmetic.describe()
        return Description(
            name=introduction.name,
            version=introduction.version,
            roles=introduction.roles,
            borrowed=introduction.borrowed,
            enforces=introduction.enforces,
            profile=introduction.profile,
            sparse=introduction.sparse,
        )

    def caps(self, spec: str) -> Any | None:
        """The caps it reports, decoded strictly; ``BadReply`` where they do not decode."""
        introduction = self._introduced()
        if self._arithmetic is not None:
            return self._arithmetic.caps(spec)
        if spec not in introduction.caps:
            return None
        return caps_of(spec, introduction.caps[spec], msgspec.json.decode)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Have the adapter execute the program, a part of the batch at a time if it cannot take all."""
        introduction = self._introduced()
        if self._arithmetic is not None:
            return self._arithmetic.run(spec, program, inputs)
        encoded = msgspec.Raw(msgspec.json.encode(program))
        if self._early and (early := self._early.pop(_key(spec, encoded, inputs), None)):
            return _images(*self._wanted(*early, Ran), early[0].batch)
        parts = []
        for request, images in self._requests(spec, encoded, inputs, introduction):
            parts.append(_images(*self._ask(request, images, request.body, Ran), request.batch))
        if len(parts) == 1:
            return parts[0]
        if any(part.keys() != parts[0].keys() for part in parts):
            raise BadReply("the parts of a batch came back with different buffers")
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _requests(
        self, spec: str, encoded: msgspec.Raw, inputs: Images, introduction: Introduction
    ) -> Iterator[tuple[Run, list[NDArray[np.uint8]]]]:
        """The parts in which a batch is sent, and their buffers."""
        batch = next((image.shape[0] for image in inputs.values()), 1)
        extents = tuple(Extent(name, image.shape[1]) for name, image in inputs.items())
        item = sum(extent.bytes for extent in extents)
        for start, stop in _parts(batch, item, introduction):
            count = stop - start
            request = Run(next(self._ids), spec, encoded, count, extents, item * count)
            yield request, [image[start:stop] for image in inputs.values()]

    def prefetch(self, runs: Iterable[tuple[str, Any, Images]]) -> None:
        """See ``IsolatedBackend``: if a file may hold several requests, send as many as it may in one file."""
        introduction = self._introduced()
        transport, most = self._transport, min(introduction.max_requests, MOST_TOGETHER)
        self._early.clear()
        if most == 1 or self._arithmetic is not None or not isinstance(transport, FileTransport):
            return
        asked: list[Asked] = []
        early: list[tuple[bytes, Run]] = []
        room = MOST_PREFETCHED
        for spec, program, inputs in runs:
            encoded = msgspec.Raw(msgspec.json.encode(program))
            parts = list(self._requests(spec, encoded, inputs, introduction))
            if len(parts) == 1:
                request, images = parts[0]
                asked.append(Asked(request, _bytes(images), request.body))
                early.append((_key(spec, encoded, inputs), request))
                room -= request.body
            if len(asked) == most or room <= 0:
                break
        if asked:
            answers = transport.ask_each(asked, self._timeout * len(asked))
            for (key, request), answer in zip(early, answers, strict=False):
                self._early[key] = request, answer if len(asked) == 1 else _among(request, answer)

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        """Have the adapter multiply and add, a part of the batch at a time if it cannot take all."""
        introduction = self._introduced()
        order = ">" if introduction.byte_order == "big" else "<"
        operands = [array.view(_unsigned(array)).astype(_unsigned(array, order), copy=False) for array in (a, b, c)]
        product = np.empty_like(c)
        bits = product.view(_unsigned(c))
        item = sum(array[:1].nbytes for array in operands)
        for start, stop in _parts(len(c), item, introduction):
            expected = c[start:stop].nbytes
            request = Mma(next(self._ids), *shape, (types.a, types.b, types.c), stop - start, item * (stop - start))
            _, body = self._ask(request, [array[start:stop] for array in operands], expected, Product)
            if body.nbytes != expected:
                raise BadReply(f"D came back with {body.nbytes} bytes; expected {expected}")
            bits[start:stop] = body.view(_unsigned(c, order)).reshape(c[start:stop].shape)
        return product

    def close(self) -> None:
        """Let the program go; a later request starts it again."""
        self._transport.close()

    def _introduced(self) -> Introduction:
        """The introduction of the program; every process that is started is asked for it."""
        if self._introduction is not None and self._transport.introduced:
            return self._introduction
        head = self._greeted()
        if isinstance(head, Failure):
            self.close()
            if self._introduction is not None:  # it worked before, so this is its doing and not the user's
                raise Died("crash", f"does not work after it was started again: {error_line(head.text)}")
            raise BadInput(f"{self._command}: {error_line(head.text)}")
        if not isinstance(head, Introduction):
            self._astray(f"answered {head.__struct_config__.tag!r} to hello")
        if trouble := _trouble(head):
            self.close()
            raise BadInput(f"{self._command}: {trouble}")
        if self._introduction is not None and msgspec.json.encode(head) != msgspec.json.encode(self._introduction):
            self._astray("says something else of itself after it was started again")
        self._introduction = head
        if head.level == "mma" and self._arithmetic is None:
            self._arithmetic = _Arithmetic(self, head)
        return head

    def _greeted(self) -> Reply:
        """The answer to hello. An adapter may know older versions only, and say that it does not know this one."""
        said = version("mmaspec")
        first = self._transport.ask(Hello(PROTOCOL, said), (), 0, self._start_timeout).head
        if not isinstance(first, Failure):
            return first
        for older in OLDER:
            try:
                head = self._transport.ask(Hello(older, said), (), 0, self._start_timeout).head
            except Died:
                return first
            if isinstance(head, Introduction):
                return head
        return first

    def _ask(
        self, request: Run | Mma, arrays: Iterable[NDArray[Any]], most: int, wanted: type[Done]
    ) -> tuple[Done, Body]:
        """The answer to this request, of the wanted kind, and its body of at most ``most`` bytes."""
        self._introduced()  # the program may have died over the part before
        return self._wanted(request, self._transport.ask(request, _bytes(arrays), most, self._timeout), wanted)

    def _wanted(self, request: Run | Mma, message: Message | Died | BadReply, wanted: type[Done]) -> tuple[Done, Body]:
        """The answer and its body, if it is of the wanted kind."""
        if not isinstance(message, Message):
            raise message
        if not isinstance(message.head, wanted) or message.head.id != request.id:
            self._unexpected(request, message)
        return message.head, message.body

    def _unexpected(self, request: Run | Mma, message: Message) -> NoReturn:
        """Raise the error for an answer of another kind than expected."""
        match message.head:
            case Refusal(id=request.id, reason=reason, clauses=clauses):
                raise Refused(error_line(reason), clauses)
            case Failure(text=text, id=about) if about in {0, request.id}:
                raise Raised(error_line(text))
        answer, asked = message.head.__struct_config__.tag, request.__struct_config__.tag
        self._astray(f"answered {answer!r} of request {getattr(message.head, 'id', 0)} to {asked} {request.id}")

    def _astray(self, how: str) -> NoReturn:
        """The program is not to be talked to any more."""
        self.close()
        raise Died("garbage", how)


def _trouble(head: Introduction) -> str:
    """Why mmaspec cannot work with a program that introduces itself like this; empty if it can."""
    if head.protocol not in (PROTOCOL, *OLDER):
        known = " and ".join(map(str, (*OLDER, PROTOCOL)))
        return f"speaks protocol {head.protocol}; this version of mmaspec {known}"
    if head.sparse and (head.protocol < PROTOCOL or head.level == "mma"):
        return "takes sparse buffers: that is for protocol 2 and the level 'full'"
    if unknown := [spec for spec in head.caps if spec not in SPECS]:
        return f"has caps for {unknown[0]!r}; there are {', '.join(SPECS)}"
    if unknown := [fmt for types in head.types for fmt in types if fmt not in DTYPES]:
        return f"has the type {unknown[0]!r}; there are {', '.join(DTYPES)}"
    if bool(head.types) != (head.level == "mma") or (head.caps and head.level == "mma"):
        return f"level {head.level!r}: caps are for the level 'full', types for the level 'mma'"
    return ""


class _Arithmetic(ArithmeticOnly):
    """The arithmetic-only level: products by the adapter, everything else borrowed."""

    def __init__(self, backend: ExternalBackend, introduction: Introduction) -> None:
        self.name = introduction.name
        self.version = introduction.version
        self.profile = introduction.profile
        self._backend = backend
        self._types = frozenset(introduction.types)

    def supports(self, types: Types) -> bool:
        """Whether the adapter listed these types."""
        return tuple(types) in self._types

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        """See ``ArithmeticOnly.mma``."""
        return self._backend.mma(shape, types, a, b, c)


def _unsigned(array: Array, order: str = "=") -> np.dtype[Any]:
    """The unsigned integers that hold an array's elements, with their bytes in an order."""
    return np.dtype(f"{order}u{array.dtype.itemsize}")


def _among(request: Run, answer: Message | Died | BadReply) -> Message | Died:
    """An answer to one of several requests. If it is malformed, another of them may be the cause."""
    if isinstance(answer, Message):
        own = {0, request.id} if isinstance(answer.head, Failure) else {request.id}
        if getattr(answer.head, "id", None) in own:
            return answer
        answer = Died("garbage", f"an answer among several to something else than run {request.id}")
    died = answer if isinstance(answer, Died) else Died("garbage", error_line(answer))
    died.shared = True
    return died


def _bytes(arrays: Iterable[NDArray[Any]]) -> list[memoryview]:
    """The bytes of arrays, one after the other."""
    return [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in arrays]


def _key(spec: str, encoded: msgspec.Raw, inputs: Images) -> bytes:
    """The key of a run: equal for equal programs and inputs."""
    digest = blake2b(f"{spec}\0".encode() + bytes(encoded))
    for name, image in inputs.items():
        digest.update(f"\0{name}\0{image.shape}".encode())
        digest.update(np.ascontiguousarray(image).data)
    return digest.digest()


def _parts(batch: int, item: int, introduction: Introduction) -> Iterator[tuple[int, int]]:
    """First and last-plus-one item of every request."""
    if introduction.max_body is not None and item > introduction.max_body:
        raise Refused(f"one item has {item} bytes; the adapter takes at most {introduction.max_body}")
    step = introduction.max_batch or max(batch, 1)
    if introduction.max_body is not None and item:
        step = min(step, introduction.max_body // item)
    for start in range(0, batch, step):
        yield start, min(batch, start + step)


def _images(head: Ran, body: Body, batch: int) -> Images:
    """The images of a reply. Raises ``BadReply`` where its sizes contradict each other."""
    try:
        return images_of(tuple(Shaped(extent.name, (batch, extent.bytes)) for extent in head.buffers), body)
    except Garbage as error:
        raise BadReply(error_line(error)) from error
