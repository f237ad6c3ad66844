"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mmaspec.oracle.hlsl_wave_matrix.addresses import Addresses, all_addresses, cells, copied, wave_addresses
from mmaspec.oracle.source import OperandRole, Source
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    ScalarOperation,
    Stage,
    Store,
    WaveMatrixProgram,
    is_packed,
    simple_instructions,
)
from mmaspec.programs.tree import unrolled
from mmaspec.programs.windows import image_places, within

_ROLES: dict[str, OperandRole] = {"left": "a", "right": "b"}


@dataclass
class _Found:
    role: OperandRole
    fmt: Format
    buffer: str
    copies: list[Addresses] = field(default_factory=list)


def role_of(matrix: Matrix) -> OperandRole:
    """The role of a matrix in a product: accumulators and fragments are addends."""
    return _ROLES.get(matrix.kind, "c")


def sources(program: WaveMatrixProgram) -> tuple[Source, ...]:
    """Every named source of a resolved program, in program order; ``BadInput`` where two of them collide.

    Loads that share a name find the same elements, each at its own place. The data of a Load from an array lie
    where they were staged from.
    """
    found: dict[str, _Found] = {}
    origins = _origins(program)
    for number, (instruction, passes) in enumerate(simple_instructions(program)):
        match instruction:
            case Load(data=str(name)):
                matrix = program.matrix(instruction.matrix)
                if program.array(instruction.buffer) is None:
                    addresses = _load_addresses(instruction, matrix, program.waves, passes)
                    buffer = instruction.buffer
                else:
                    buffer, addresses = origins.of(number, name)
                _add(found, name, _Found(role_of(matrix), FORMATS[matrix.element], buffer), addresses)
            case Stage(data=str(name)):
                fresh, addresses = _staged(program, instruction, passes)
                _add(found, name, fresh, addresses)
            case Fill() | ScalarOperation() if isinstance(instruction.value, FromBuffer):
                _add_scalar(found, instruction.value, program.matrix(instruction.matrix))
            case _:
                pass
    located = tuple(Source(name, one.role, one.fmt, one.buffer, _stacked(one.copies)) for name, one in found.items())
    _check_apart(program, located)
    return located


def depends(arguments: tuple[Index, ...]) -> tuple[bool, bool]:
    """Whether any argument differs between waves, and whether any differs between passes."""
    affine = [index for index in arguments if isinstance(index, Affine)]
    return any(index.wave or index.row for index in affine), any(index.loop for index in affine)


def _load_addresses(load: Load, matrix: Matrix, waves: int, passes: int) -> Addresses:
    by_wave, by_pass = depends((load.offset, load.stride, load.col_major))
    return all_addresses(load, matrix, range(waves if by_wave else 1), range(passes if by_pass else 1))


def _add_scalar(found: dict[str, _Found], scalar: FromBuffer, matrix: Matrix) -> None:
    if scalar.data is None:
        return
    fresh = _Found("scalar", FORMATS[matrix.element], scalar.buffer)
    # The four bytes of a packed value are equal (WM-AMB-10): four copies of one element.
    for byte in range(4 if is_packed(matrix) else 1):
        _add(found, scalar.data, fresh, np.full((1, 1, 1, 1), scalar.offset + byte, np.int64))


def _staged(program: WaveMatrixProgram, stage: Stage, passes: int) -> tuple[_Found, Addresses]:
    """The runs of a Stage as rows of a matrix, or as its columns where the array is loaded column-major."""
    array = program.array(stage.array)
    assert array is not None
    by_pass = depends((stage.start,))[1]
    tiles = np.stack([copied(stage, array.element, loop)[0] for loop in range(passes if by_pass else 1)])
    loads = [i for i, _ in simple_instructions(program) if isinstance(i, Load) and i.buffer == stage.array]
    role = role_of(program.matrix(loads[0].matrix)) if loads else "c"
    if loads and loads[0].col_major == 1:
        tiles = np.swapaxes(tiles, -1, -2)
    return _Found(role, FORMATS[array.element], stage.buffer), tiles[np.newaxis]


@dataclass
class _Origins:
    """The instruction, by number, that staged each element which Loads find in arrays."""

    buffers: tuple[str, ...]
    found: dict[int, list[tuple[Addresses, Addresses]]]
    """Per pass, buffer numbers and byte addresses, each ``(waves, rows, cols)``."""

    def of(self, number: int, name: str) -> tuple[str, Addresses]:
        """Buffer and addresses ``(waves, passes, rows, cols)``; ``BadInput`` where there is no one buffer."""
        numbers = np.stack([one for one, _ in self.found[number]], axis=1)
        if numbers.min() < 0 or numbers.min() != numbers.max():
            raise BadInput(f"program: data {name!r} is loaded from an array that was not staged from one buffer")
        addresses = np.stack([one for _, one in self.found[number]], axis=1)
        for axis in (0, 1):
            first = addresses.take([0], axis=axis)
            addresses = first if (addresses == first).all() else addresses
        return self.buffers[int(numbers.flat[0])], addresses


def _origins(program: WaveMatrixProgram) -> _Origins:
    """Follow every array element back to the buffer that it was staged from."""
    buffers = tuple(buffer.name for buffer in program.buffers)
    origins = _Origins(buffers, {})
    if not program.arrays:
        return origins
    numbers: dict[tuple[int, ...], int] = {}
    for place, _ in unrolled(program):
        numbers.setdefault(place.path, len(numbers))
    sizes = {array.name: array.length * cells(array.element) for array in program.arrays}
    owner = {name: np.full(size, -1, np.int64) for name, size in sizes.items()}
    origin = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
    for place, instruction in unrolled(program):
        match instruction:
            case Stage():
                array = program.array(instruction.array)
                assert array is not None
                addresses, places = copied(instruction, array.element, place.loop)
                if _within(places, sizes[array.name]):
                    owner[array.name][places] = buffers.index(instruction.buffer)
                    origin[array.name][places] = addresses
            case Load() | Store() if instruction.buffer in sizes:
                matrix, name = program.matrix(instruction.matrix), instruction.buffer
                places = wave_addresses(instruction, matrix, program.waves, place.loop, shared=True)
                inside = _within(places, sizes[name])
                if isinstance(instruction, Store):
                    owner[name][places if inside else []] = -1
                    continue
                nowhere = np.full(places.shape, -1, np.int64)
                pair = (owner[name][places], origin[name][places]) if inside else (nowhere, nowhere)
                origins.found.setdefault(numbers[Place(place.path).path], []).append(pair)
            case _:
                pass
    return origins


def _within(places: Addresses, size: int) -> bool:
    return bool(places.min() >= 0 and places.max() < size)


def _add(found: dict[str, _Found], name: str, fresh: _Found, addresses: Addresses) -> None:
    known = found.setdefault(name, fresh)
    if (known.fmt.nbytes, known.buffer) != (fresh.fmt.nbytes, fresh.buffer):
        raise BadInput(f"program: data {name!r} is loaded from two buffers, or as elements of two widths")
    if known.copies and known.copies[0].shape != addresses.shape:
        shapes = f"{list(known.copies[0].shape)} and {list(addresses.shape)}"
        raise BadInput(f"program: data {name!r} is loaded in two shapes: {shapes} (waves, passes, rows, columns)")
    if not any(np.array_equal(copy, addresses) for copy in known.copies):
        known.copies.append(addresses)


def _stacked(copies: Sequence[Addresses]) -> Addresses:
    return copies[0][np.newaxis] if len(copies) == 1 else np.stack(copies)


def _plainly_apart(buffer: Buffer, own: Sequence[Source]) -> bool:
    """Whether as many bytes of a view are some data as the elements in it have, each inside."""
    marked = np.zeros(buffer.total, np.bool_)
    expected = 0
    for source in own:
        nbytes, addresses = source.fmt.nbytes, source.addresses
        if not addresses.size or addresses.min() < 0 or addresses.max() + nbytes > buffer.size:
            return False
        if buffer.windows and not within(buffer, addresses, nbytes).all():
            return False
        places = image_places(buffer, addresses)
        for byte in range(nbytes):
            marked[places + byte] = True
        expected += nbytes * addresses.size
    return int(np.count_nonzero(marked)) == expected


def _check_apart(program: WaveMatrixProgram, located: tuple[Source, ...]) -> None:
    """No byte may be two different pieces of data."""
    buffers = {buffer.name: buffer for buffer in program.buffers}
    by_buffer: dict[str, list[Source]] = {}
    for source in located:
        by_buffer.setdefault(source.buffer, []).append(source)
    if all(_plainly_apart(buffers[name], own) for name, own in by_buffer.items()):
        return
    # Counted from 1, as pages of zeros that nobody writes cost nothing.
    owner = {name: np.zeros(buffer.total, np.int64) for name, buffer in buffers.items()}
    first = 1
    for source in located:
        bytes_of = source.addresses[..., np.newaxis] + np.arange(source.fmt.nbytes)
        buffer = buffers[source.buffer]
        if bytes_of.size and (bytes_of.min() < 0 or bytes_of.max() >= buffer.size):
            raise BadInput(f"program: data {source.name!r} lies outside the view of buffer {source.buffer}")
        if buffer.windows and not within(buffer, bytes_of).all():
            raise BadInput(f"program: data {source.name!r} lies outside the windows of buffer {source.buffer}")
        bytes_of = image_places(buffer, bytes_of)
        numbers = first + np.arange(bytes_of[0].size).reshape(bytes_of.shape[1:])
        for copy in bytes_of:
            before = owner[source.buffer][copy]
            if ((before > 0) & (before != numbers)).any():
                raise BadInput(f"program: data {source.name!r} overlaps other data in buffer {source.buffer}")
            owner[source.buffer][copy] = numbers
            if (owner[source.buffer][copy] != numbers).any():
                raise BadInput(f"program: elements of data {source.name!r} overlap in buffer {source.buffer}")
        first += bytes_of[0].size
