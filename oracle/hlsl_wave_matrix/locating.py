"""The data of a program's loads: which elements there are and where each lies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, access_addresses
from mmaspec.oracle.hlsl_wave_matrix.check import is_packed
from mmaspec.oracle.hlsl_wave_matrix.program import Fill, Load, Matrix, WaveMatrixProgram, simple_instructions
from mmaspec.oracle.numerics.formats import FORMATS, Format
from mmaspec.oracle.program import Affine, FromBuffer, Index
from mmaspec.oracle.source import Role, Source

_ROLES: dict[str, Role] = {"left": "a", "right": "b", "accumulator": "c"}


@dataclass
class _Found:
    role: Role
    fmt: Format
    buffer: str
    copies: list[Addresses] = field(default_factory=list)


def sources(program: WaveMatrixProgram) -> tuple[Source, ...]:
    """Every named source of a resolved program, in program order; ``BadInput`` where two of them collide.

    Loads that share a name find the same elements, each at its own place.
    """
    found: dict[str, _Found] = {}
    for instruction, passes in simple_instructions(program):
        match instruction:
            case Load(data=str(name)):
                matrix = program.matrix(instruction.matrix)
                addresses = _load_addresses(instruction, matrix, program.waves, passes)
                _add(found, name, _Found(_ROLES[matrix.kind], FORMATS[matrix.element], instruction.buffer), addresses)
            case Fill(value=FromBuffer(data=str(name)) as scalar):
                matrix = program.matrix(instruction.matrix)
                fresh = _Found("scalar", FORMATS[matrix.element], scalar.buffer)
                # The four bytes of a packed value are equal (WM-AMB-10): four copies of one element.
                for byte in range(4 if is_packed(matrix) else 1):
                    _add(found, name, fresh, np.full((1, 1, 1, 1), scalar.offset + byte, np.int64))
            case _:
                pass
    located = tuple(Source(name, one.role, one.fmt, one.buffer, np.stack(one.copies)) for name, one in found.items())
    _check_apart(program, located)
    return located


def depends(arguments: tuple[Index, ...]) -> tuple[bool, bool]:
    """Whether any of the arguments differs between waves, and between passes."""
    affine = [index for index in arguments if isinstance(index, Affine)]
    return any(index.wave for index in affine), any(index.loop for index in affine)


def _load_addresses(load: Load, matrix: Matrix, waves: int, passes: int) -> Addresses:
    by_wave, by_pass = depends((load.offset, load.stride, load.col_major))
    return np.stack(
        [
            np.stack([access_addresses(load, matrix, wave, loop) for loop in range(passes if by_pass else 1)])
            for wave in range(waves if by_wave else 1)
        ]
    )


def _add(found: dict[str, _Found], name: str, fresh: _Found, addresses: Addresses) -> None:
    known = found.setdefault(name, fresh)
    if (known.fmt.nbytes, known.buffer) != (fresh.fmt.nbytes, fresh.buffer):
        raise BadInput(f"program: data {name!r} is loaded from two buffers, or as elements of two widths")
    if known.copies and known.copies[0].shape != addresses.shape:
        shapes = f"{list(known.copies[0].shape)} and {list(addresses.shape)}"
        raise BadInput(f"program: data {name!r} is loaded in two shapes: {shapes} (waves, passes, rows, columns)")
    if not any(np.array_equal(copy, addresses) for copy in known.copies):
        known.copies.append(addresses)


def _check_apart(program: WaveMatrixProgram, located: tuple[Source, ...]) -> None:
    """No byte may be two different pieces of data."""
    owner = {buffer.name: np.full(buffer.size, -1, np.int64) for buffer in program.buffers}
    first = 0
    for source in located:
        bytes_of = source.addresses[..., np.newaxis] + np.arange(source.fmt.nbytes)
        if bytes_of.size and (bytes_of.min() < 0 or bytes_of.max() >= owner[source.buffer].size):
            raise BadInput(f"program: data {source.name!r} lies outside the view of buffer {source.buffer}")
        numbers = first + np.arange(bytes_of[0].size).reshape(bytes_of.shape[1:])
        for copy in bytes_of:
            before = owner[source.buffer][copy]
            if ((before >= 0) & (before != numbers)).any():
                raise BadInput(f"program: data {source.name!r} overlaps other data in buffer {source.buffer}")
            owner[source.buffer][copy] = numbers
            if (owner[source.buffer][copy] != numbers).any():
                raise BadInput(f"program: elements of data {source.name!r} overlap in buffer {source.buffer}")
        first += bytes_of[0].size
