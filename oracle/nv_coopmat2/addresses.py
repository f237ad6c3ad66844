"""The bytes that an access touches, for every wave; rules, semantics and sources use them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.latest_programs import LatestPrograms
from mmaspec.oracle.nv_coopmat2.matrices.addresses import matrix_bytes
from mmaspec.oracle.nv_coopmat2.tensors.decoding import bytes_read
from mmaspec.oracle.nv_coopmat2.tensors.elements import Elements, tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout, evaluate, lineage
from mmaspec.oracle.nv_coopmat2.tensors.readings import ADDRESS_READINGS, CEILING, DEFAULT, WRAPS, AddressReading
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, evaluate_view, view_lineage, wraps
from mmaspec.programs.base import at
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    Access,
    CoopMatProgram,
    Decode,
    Load,
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClip,
    Store,
    StoreTensor,
)


def component_bytes(matrix: Matrix) -> int:
    """Bytes of one component."""
    return format_named(matrix.component).nbytes


def array_bytes(access: Access, matrix: Matrix) -> int:
    """Bytes of one element of the array that an access names."""
    return ARRAY_BYTES.get(access.array) or component_bytes(matrix)


def base_byte(program: CoopMatProgram, access: Access, wave: int, loop: int) -> int:
    """Byte of ``&buf[offset]`` from the start of the view."""
    return at(access.offset, wave, loop) * array_bytes(access, program.matrix(access.matrix))


def decode_of(access: Access) -> Decode | None:
    """The decode function of a load that has one."""
    return access.decode if isinstance(access, LoadTensor) else None


def index_bytes(program: CoopMatProgram, access: Access) -> int:
    """Bytes per step of an index: NVCM2-BYTEADDR, a component; NVCM2-DECODE-ADDR, the struct of a decode function."""
    decode = decode_of(access)
    return component_bytes(program.matrix(access.matrix)) if decode is None else decode.struct_bytes


def address_readings(program: CoopMatProgram, access: Access) -> tuple[AddressReading, ...]:
    """Every way in which the ambiguous points that an access can depend on are read; the default one first."""
    blocks = clips = False
    if isinstance(access, LoadTensor | StoreTensor):
        blocks = any(isinstance(call, SetBlockSize) for call in lineage(program, access.tensor)[1])
        if access.view is not None:
            clips = any(isinstance(call, SetClip) for call in view_lineage(program, access.view)[1])
    return tuple(
        reading
        for reading in ADDRESS_READINGS
        if (blocks or reading.partial_blocks == CEILING) and (clips or reading.clip_end == WRAPS)
    )


def elements(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, wave: int, loop: int, reading: AddressReading = DEFAULT
) -> Elements:
    """The places of the elements of one wave in the tensor."""
    matrix = program.matrix(access.matrix)
    v = view_of(program, access, wave, loop)
    # Where the end of a clip does not wrap, both readings are one and the same calculation.
    clip_end = reading.clip_end if v is not None and wraps(v) else WRAPS
    return tensor_elements(
        evaluate(program, access.tensor, wave, loop, reading),
        matrix.rows,
        matrix.cols,
        store=isinstance(access, StoreTensor),
        v=v,
        clip_end=clip_end,
    )


def addresses(
    program: CoopMatProgram, access: Access, loop: int, reading: AddressReading = DEFAULT
) -> NDArray[np.int64]:
    """Byte of every element (of its struct, under a decode function) in the buffer's view, ``(waves, rows, cols)``.

    Elements of tensor accesses without an index hold the (negative) value of their ``Ended``. The array is read-only.
    """
    known = _addresses.about(program)
    key = (id(access), loop, reading.partial_blocks, reading.clip_end)
    if key not in known:
        found = _worked_out(program, access, loop, reading)
        found.flags.writeable = False
        known[key] = access, found
    return known[key][1]


_addresses: LatestPrograms[tuple[int, int, str, str], tuple[Access, NDArray[np.int64]]] = LatestPrograms()
"""Addresses, with their access, so that no other object takes its place."""


def _worked_out(program: CoopMatProgram, access: Access, loop: int, reading: AddressReading) -> NDArray[np.int64]:
    if isinstance(access, Load | Store):
        return _plain(program, access, loop)
    matrix = program.matrix(access.matrix)
    found = np.empty((program.waves, matrix.rows, matrix.cols), np.int64)
    step = index_bytes(program, access)
    for wave in range(program.waves):
        index = elements(program, access, wave, loop, reading).index
        # NVCM2-BYTEADDR: the index counts components, whatever the array's element type is.
        found[wave] = np.where(index < 0, index, base_byte(program, access, wave, loop) + index * step)
    return found


def coordinates(
    program: CoopMatProgram, access: LoadTensor, loop: int, reading: AddressReading = DEFAULT
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``blockCoord`` and ``coordInBlock`` of every element, ``(waves, rows, cols, rank)``; 0 without an index."""
    found = [elements(program, access, wave, loop, reading) for wave in range(program.waves)]
    return np.stack([one.block for one in found]), np.stack([one.within for one in found])


def touched(
    program: CoopMatProgram,
    access: Access,
    loop: int,
    reading: AddressReading = DEFAULT,
    found: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], ...]:
    """Per wave the bytes that its elements take, one element after the other; a byte may come twice.

    ``found`` are their ``addresses`` where they are already known.
    """
    if found is None:
        found = addresses(program, access, loop, reading)
    decode = decode_of(access)
    if decode is None:
        step = np.arange(component_bytes(program.matrix(access.matrix)), dtype=np.int64)
        return tuple((where[where >= 0][:, np.newaxis] + step).ravel() for where in found)
    assert isinstance(access, LoadTensor)
    taken = []
    for wave, where in enumerate(found):
        within = elements(program, access, wave, loop, reading).within[where >= 0]
        taken.append((where[where >= 0][:, np.newaxis] + bytes_read(decode, within)).ravel())
    return tuple(taken)


def _plain(program: CoopMatProgram, access: Load | Store, loop: int) -> NDArray[np.int64]:
    matrix = program.matrix(access.matrix)
    unit, nbytes = array_bytes(access, matrix), component_bytes(matrix)
    return np.stack(
        [
            _matrix_bytes(
                at(access.offset, wave, loop),
                at(access.stride, wave, loop),
                access.layout,
                unit,
                nbytes,
                matrix.rows,
                matrix.cols,
            )
            for wave in range(program.waves)
        ]
    )


@lru_cache(maxsize=512)
def _matrix_bytes(
    element: int, stride: int, layout: int, unit: int, nbytes: int, rows: int, cols: int
) -> NDArray[np.int64]:
    return matrix_bytes(element, stride, layout, unit, nbytes, rows, cols)


def ended(found: NDArray[np.int64], reason: Ended) -> bool:
    """Whether some element of an access has no index for this reason."""
    return bool((found == reason.value).any())


def layouts_of(
    program: CoopMatProgram, access: LoadTensor | StoreTensor, loop: int, reading: AddressReading = DEFAULT
) -> tuple[TensorLayout, ...]:
    """The value of the layout of a tensor access, per wave."""
    return tuple(evaluate(program, access.tensor, wave, loop, reading) for wave in range(program.waves))


def view_of(program: CoopMatProgram, access: LoadTensor | StoreTensor, wave: int, loop: int) -> TensorView | None:
    """The value of the view of a tensor access; None where it has none."""
    return None if access.view is None else evaluate_view(program, access.view, wave, loop)
