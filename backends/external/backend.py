"""An adapter in any language as a backend: ``cmd:COMMAND``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import count
from types import TracebackType
from typing import Any, NoReturn, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Array, Shape, Types
from mmaspec.backends.external.command import Command
from mmaspec.backends.external.file_transport import FileTransport
from mmaspec.backends.external.lines import Body, Message
from mmaspec.backends.external.messages import (
    PROTOCOL,
    Extent,
    Failure,
    Hello,
    Introduction,
    Mma,
    Product,
    Ran,
    Refusal,
    Run,
)
from mmaspec.backends.external.transport import PipeTransport, Transport
from mmaspec.backends.failures import BadReply, Died, Raised, one_line
from mmaspec.backends.process import START_LIMIT
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.spec import SPECS, spec_named


class ExternalBackend:
    """The adapter that ``command`` starts; started anew after it died. Not for several threads at once.

    A request without an answer in ``timeout_s`` seconds, or after which the program is gone, raises ``Died``;
    other misbehaviour arrives as ``Refused``, ``Raised`` or ``BadReply``, and ``BadInput`` where the program
    cannot be started or is not what it should be.
    """

    def __init__(self, command: str, *, timeout_s: float = 60.0, start_timeout_s: float = START_LIMIT) -> None:
        self._command = Command(command)
        self._timeout = timeout_s
        self._start_timeout = start_timeout_s
        made = FileTransport if self._command.transport == "files" else PipeTransport
        self._transport: Transport = made(self._command)
        self._introduction: Introduction | None = None
        self._arithmetic: _Arithmetic | None = None
        self._ids = count(1)

    def describe(self) -> Description:
        """What the adapter says of itself; at the arithmetic-only level the borrowed clauses are added."""
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
        )

    def caps(self, spec: str) -> Any | None:
        """The caps it reports, decoded strictly; ``BadReply`` where they do not decode."""
        introduction = self._introduced()
        if self._arithmetic is not None:
            return self._arithmetic.caps(spec)
        if spec not in introduction.caps:
            return None
        try:
            return msgspec.json.decode(introduction.caps[spec], type=spec_named(spec).caps_type | None)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadReply(f"caps for {spec} are not valid: {one_line(error)}") from error

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Have the adapter execute the program, a part of the batch at a time if it cannot take all."""
        introduction = self._introduced()
        if self._arithmetic is not None:
            return self._arithmetic.run(spec, program, inputs)
        encoded = msgspec.Raw(msgspec.json.encode(program))
        batch = next((image.shape[0] for image in inputs.values()), 1)
        item = sum(image.shape[1] for image in inputs.values())
        parts = []
        for start, stop in _parts(batch, item, introduction):
            images = {name: image[start:stop] for name, image in inputs.items()}
            extents = tuple(Extent(name, image.shape[1]) for name, image in images.items())
            body = item * (stop - start)
            request = Run(next(self._ids), spec, encoded, stop - start, extents, body)
            message = self._ask(request, images.values(), body)
            if not isinstance(message.head, Ran) or message.head.id != request.id:
                self._unexpected(request, message)
            parts.append(_images(message.head, message.body, stop - start))
        if len(parts) == 1:
            return parts[0]
        if any(part.keys() != parts[0].keys() for part in parts):
            raise BadReply("the parts of a batch came back with different buffers")
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        """Have the adapter multiply and add, a part of the batch at a time if it cannot take all."""
        introduction = self._introduced()
        swapped = introduction.byte_order == "big"
        operands = [_elements(array, swapped=swapped) for array in (a, b, c)]
        product = np.empty_like(c)
        item = sum(array[:1].nbytes for array in operands)
        for start, stop in _parts(len(c), item, introduction):
            expected = c[start:stop].nbytes
            request = Mma(next(self._ids), *shape, (types.a, types.b, types.c), stop - start, item * (stop - start))
            message = self._ask(request, [array[start:stop] for array in operands], expected)
            if not isinstance(message.head, Product) or message.head.id != request.id:
                self._unexpected(request, message)
            if message.body.nbytes != expected:
                raise BadReply(f"D came back with {message.body.nbytes} bytes; expected {expected}")
            found = message.body.view(f"{'>' if swapped else '<'}u{c.dtype.itemsize}").astype(f"u{c.dtype.itemsize}")
            product[start:stop] = found.view(c.dtype).reshape(c[start:stop].shape)
        return product

    def close(self) -> None:
        """Let the program go; a later request starts it again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _introduced(self) -> Introduction:
        """What the program said of itself; asked of every process that is started."""
        if self._introduction is not None and self._transport.introduced:
            return self._introduction
        request = Hello(PROTOCOL, version("mmaspec"))
        head = self._transport.ask(request, (), 0, self._start_timeout).head
        if isinstance(head, Failure):
            self.close()
            if self._introduction is not None:  # it worked before, so this is its doing and not the user's
                raise Died("crash", f"does not work after it was started again: {one_line(head.text)}")
            raise BadInput(f"{self._command}: {one_line(head.text)}")
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

    def _ask(self, request: Run | Mma, arrays: Iterable[NDArray[Any]], most: int) -> Message:
        self._introduced()  # the program may have died over the part before
        body = [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in arrays]
        return self._transport.ask(request, body, most, self._timeout)

    def _unexpected(self, request: Run | Mma, message: Message) -> NoReturn:
        """Raise what an answer other than the hoped-for one stands for."""
        match message.head:
            case Refusal(id=request.id, reason=reason, clauses=clauses):
                raise Refused(one_line(reason), clauses)
            case Failure(text=text):
                raise Raised(one_line(text))
        answer, asked = message.head.__struct_config__.tag, request.__struct_config__.tag
        self._astray(f"answered {answer!r} of request {getattr(message.head, 'id', 0)} to {asked} {request.id}")

    def _astray(self, how: str) -> NoReturn:
        """The program is not to be talked to any more."""
        self.close()
        raise Died("garbage", how)


def _trouble(head: Introduction) -> str:
    """What keeps mmaspec from working with a program that says this of itself; empty: nothing."""
    if head.protocol != PROTOCOL:
        return f"speaks protocol {head.protocol}; this version of mmaspec {PROTOCOL}"
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
        """What the adapter listed."""
        return tuple(types) in self._types

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:
        """See ``ArithmeticOnly.mma``."""
        return self._backend.mma(shape, types, a, b, c)


def _elements(array: Array, *, swapped: bool) -> NDArray[Any]:
    """The elements as unsigned integers in the adapter's byte order."""
    width = array.dtype.itemsize
    return array.view(f"u{width}").astype(f"{'>' if swapped else '<'}u{width}")


def _parts(batch: int, item: int, introduction: Introduction) -> Iterator[tuple[int, int]]:
    """First and last-plus-one item of every request."""
    if introduction.max_body is not None and item > introduction.max_body:
        raise Refused(f"one item has {item} bytes; the adapter takes at most {introduction.max_body}")
    most = min(introduction.max_batch or batch, (introduction.max_body or item * batch) // max(item, 1))
    step = max(1, min(batch, most))
    for start in range(0, batch, step):
        yield start, min(batch, start + step)


def _images(head: Ran, body: Body, batch: int) -> Images:
    """The images of a reply. Raises ``BadReply`` where its sizes contradict each other."""
    sizes = [extent.bytes * batch for extent in head.buffers]
    if sum(sizes) != len(body):
        raise BadReply(f"buffers of {sum(sizes)} bytes in a body of {len(body)}")
    return {extent.name: image for extent, image in zip(head.buffers, _cut(body, sizes, batch), strict=True)}


def _cut(body: Body, sizes: Sequence[int], batch: int) -> Iterator[Body]:
    start = 0
    for size in sizes:
        yield body[start : start + size].reshape(batch, -1) if size else np.empty((batch, 0), np.uint8)
        start += size
