"""Cases: a program and a batch of input values, in memory and as one self-contained file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mmaspec.oracle.caps_report import check_written
from mmaspec.programs.allowed_values import telling_allowed
from mmaspec.programs.base import Buffer, Program, Word
from mmaspec.programs.canonical import canonical
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import check_keys, check_schema, strictly

SCHEMA = "mmaspec.case/1"
MAX_FILE = 32 << 20
"""Largest case file that is read, in bytes."""
MAX_IMAGE = 64 << 20
"""Largest sum of all allocations of a case, batch included, in bytes."""
MAX_HELD = 1 << 30
"""Largest sum of all images that an expectation is worked out for: blame adds items and buffers to a case."""
MAX_BATCH = 4096
MAX_FOUND = 64 << 10
"""Longest text of what a run found in a case, in bytes."""

Bits = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A program under caps, and the values that its loads find, per batch item.

    ``values`` maps the name of a source (``mmaspec.oracle.source.Source``) to the bits of its elements, shape
    ``(batch, *source.shape)``. Values belong to loads, not to memory images, so that a layout can change
    while the values stay. ``target`` is the one validity clause that a near miss breaks.
    """

    spec: str
    row: str
    template: str
    program: Program
    caps: object
    batch: int
    values: Mapping[str, Bits]
    words: tuple[Word, ...] = ()
    target: str = ""
    origin: str = ""
    """ID of the listed case that this one came from."""
    labels: tuple[str, ...] = field(default=())
    """What was drawn, in words: the regime of the data, the frame."""
    found: bytes = b""
    """What a run found, as JSON; nothing here depends on it. ``mmaspec.suites.judging.telling.found`` reads it."""

    @property
    def identity(self) -> str:
        """The ID of the listed case that it came from, or else of its own contents, whatever was found in it."""
        return self.origin or self.content_id

    @property
    def content_id(self) -> str:
        """The ID of its own contents, whatever was found in it."""
        return content_hash(encode_case(replace(self, found=b"")))

    def item(self, index: int) -> Case:
        """The same case with only one batch item."""
        return replace(self, batch=1, values={name: bits[index : index + 1] for name, bits in self.values.items()})

    def items(self, some: slice) -> Case:
        """The same case with only part of its batch."""
        values = {name: bits[some] for name, bits in self.values.items()}
        return replace(self, batch=len(range(self.batch)[some]), values=values)

    def head(self, count: int) -> Case:
        """The same case with the first ``count`` items of its batch (all, if there are fewer)."""
        values = {name: bits[:count] for name, bits in self.values.items()}
        return replace(self, batch=min(count, self.batch), values=values)

    def with_program(self, program: Program) -> Case:
        """The same values under another program."""
        return replace(self, program=program)


class _Values(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    shape: tuple[int, ...]
    bytes_per_element: int
    little_endian: bytes


class _CaseFile(Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    spec: str
    row: str
    template: str
    caps: msgspec.Raw
    program: msgspec.Raw
    batch: int
    words: tuple[Word, ...]
    values: tuple[_Values, ...]
    target: str = ""
    origin: str = ""
    labels: tuple[str, ...] = ()
    found: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def content_hash(data: bytes) -> str:
    """The identity of something encoded: 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def encode_case(case: Case) -> bytes:
    """A case as JSON text, the same bytes for the same case."""
    values = []
    for name in sorted(case.values):
        bits = case.values[name]
        top = int(bits.max()) if bits.size else 0
        width = next(width for width in (1, 2, 4, 8) if top < 1 << (8 * width))
        values.append(_Values(name, tuple(bits.shape), width, bits.astype(f"<u{width}").tobytes()))
    encoder = msgspec.json.Encoder(order="deterministic")
    caps, program = (msgspec.Raw(encoder.encode(canonical(part))) for part in (case.caps, case.program))
    body = _CaseFile(
        SCHEMA, case.spec, case.row, case.template, caps, program,
        case.batch, case.words, tuple(values), case.target, case.origin, case.labels,
        msgspec.Raw(case.found) if case.found else msgspec.UNSET,
    )  # fmt: skip
    return msgspec.json.format(encoder.encode(body), indent=1) + b"\n"


def _part(raw: msgspec.Raw, wanted: type[Any], name: str) -> Any:
    """A part of a case file that is decoded by itself; an error in it says where in the whole file that is."""
    try:
        with telling_allowed(wanted):
            return msgspec.json.decode(raw, type=wanted)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(str(error).replace("`$", f"`$.{name}", 1)) from error


def decode_case(data: bytes, where: str) -> Case:
    """Read a case file strictly; ``where`` names it in messages. Raises ``BadInput``."""
    from mmaspec.oracle.spec import spec_named

    if len(data) > MAX_FILE:
        raise BadInput(f"{where}: {len(data)} bytes; a case file has at most {MAX_FILE}")
    with strictly(where, "a valid case"):
        body = msgspec.json.decode(data, type=_CaseFile)
        check_keys(data)
        check_schema(body.schema, SCHEMA, where)
        spec = spec_named(body.spec)
        caps: object = _part(body.caps, spec.caps_type, "caps")
        program: Program = _part(body.program, spec.program_type, "program")
    check_written(spec.reported(caps), f"{where}: caps")
    if body.row not in {row.name for row in spec.rows(caps)}:
        raise BadInput(f"{where}: row {body.row!r}: no row of its caps has this name")
    check_size(program, body.batch, where)
    if body.target and body.target not in spec.catalogue.clause:
        raise BadInput(f"{where}: target {body.target!r}: no clause of {spec.name} has this ID")
    values: dict[str, Bits] = {}
    for stored in body.values:
        if stored.name in values:
            raise BadInput(f"{where}: values {stored.name}: given twice; expected once")
        values[stored.name] = _bits(stored, body.batch, where)
    found = b"" if body.found is msgspec.UNSET else bytes(body.found)
    if len(found) > MAX_FOUND:
        raise BadInput(f"{where}: found: {len(found)} bytes; expected at most {MAX_FOUND}")
    return Case(
        body.spec,
        body.row,
        body.template,
        program,
        caps,
        body.batch,
        values,
        body.words,
        body.target,
        body.origin,
        body.labels,
        found,
    )


def check_size(program: Program, batch: int, where: str) -> None:
    """Raise ``BadInput`` for a case that would not fit into memory."""
    if not 1 <= batch <= MAX_BATCH:
        raise BadInput(f"{where}: batch {batch}; expected 1 to {MAX_BATCH}")
    total = sum(_bytes(buffer) for buffer in program.buffers) * batch
    if total > MAX_IMAGE:
        raise BadInput(f"{where}: buffers of {total} bytes in all; expected at most {MAX_IMAGE}")


def fits(program: Program, batch: int) -> bool:
    """Whether there is memory for an expectation."""
    return sum(_bytes(buffer) for buffer in program.buffers) * batch <= MAX_HELD


def _bytes(buffer: Buffer) -> int:
    if buffer.windows:
        return sum(max(length, 0) for _, length in buffer.windows)
    return max(buffer.size, 0) + max(buffer.base, 0)


def _bits(stored: _Values, batch: int, where: str) -> Bits:
    if stored.bytes_per_element not in (1, 2, 4, 8):
        width = stored.bytes_per_element
        raise BadInput(f"{where}: values {stored.name}: {width} bytes an element; expected 1, 2, 4 or 8")
    if not stored.shape or stored.shape[0] != batch or any(extent < 0 for extent in stored.shape):
        raise BadInput(f"{where}: values {stored.name}: shape {list(stored.shape)}; expected [{batch}, ...]")
    count = 1
    for extent in stored.shape:
        count *= extent
    if len(stored.little_endian) != count * stored.bytes_per_element:
        found, needed = len(stored.little_endian), count * stored.bytes_per_element
        raise BadInput(f"{where}: values {stored.name}: {found} bytes; shape and width need {needed}")
    flat = np.frombuffer(stored.little_endian, dtype=f"<u{stored.bytes_per_element}")
    try:
        return flat.astype(np.uint64).reshape(stored.shape)
    except ValueError as error:  # more dimensions than an array can have, or empty ones beyond all bounds
        raise BadInput(f"{where}: values {stored.name}: {error}") from error
