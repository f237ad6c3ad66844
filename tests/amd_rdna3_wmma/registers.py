"""Which element each field of the registers holds to the oracle, found from outside: one element after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName
from mmaspec.programs.amd_rdna3_wmma.program import Load, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import product

LANES = {"w32": 32, "w64": 64}
SHORT = ("f16", "bf16")
"""Results of these formats stand in one half of a register, which OPSEL selects."""


class Field(NamedTuple):
    """Bits of one register of one lane: ``width`` of them, from ``bit`` on."""

    lane: int
    vgpr: int
    bit: int
    width: int


Element = tuple[int, int]
"""Row and column."""


def called(builtin: BuiltinName, opsel: int | None) -> WmmaProgram:
    """D = A*B + C, loaded from and stored to blocks of memory that hold the lanes' vectors as they are."""
    program = product(builtin)
    return program if opsel is None else with_calls(program, opsel=bool(opsel))


def width(builtin: BuiltinName, matrix: str) -> int:
    """Bits of an element of a matrix."""
    form = FORMS[builtin]
    return int((form.operands if matrix in "AB" else form.result).strip("iubf"))


ONE = {"f32": 0x3F80_0000, "f16": 0x3C00, "bf16": 0x3F80, "i32": 1}


def one_by_one(program: WmmaProgram, name: str, code: int | None = None) -> Defined:
    """What is expected where each element of one matrix in turn has this code, and the rest is zero.

    None: all of its bits are set.
    """
    values = {}
    for source in SPEC.sources(program):
        made = np.zeros((256, *source.shape), np.uint64)
        if source.name == name:
            made.reshape(256, 256)[np.arange(256), np.arange(256)] = source.fmt.mask if code is None else code
        values[source.name] = made
    assert name in values
    found = expect(Case(SPEC.name, "one by one", "by hand", program, SPEC.default_caps, 256, values))
    assert isinstance(found, Defined)
    return found


def data_of(matrix: str, opsel: int | None) -> str:
    """The name of a matrix's data: two matrices stand beside each other in registers with halves."""
    return "High" if matrix == "C" and opsel else matrix


def operand(builtin: BuiltinName, opsel: int | None, matrix: str) -> dict[Element, set[Field]]:
    """The fields of each element of A, B or C, from the bytes that are loaded."""
    program = called(builtin, opsel)
    (load,) = (step for step in program.body if isinstance(step, Load) and step.data == matrix)
    bits = block_of(program, load, one_by_one(program, data_of(matrix, opsel)).images[load.buffer])
    return {divmod(number, 16): fields(item, width(builtin, matrix)) for number, item in enumerate(bits)}


def block_of(program: WmmaProgram, access: Load | Store, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bits of the lanes' vectors in memory: ``(batch, lanes, VGPRs, 32)``."""
    fragment = program.fragment(access.into if isinstance(access, Load) else access.fragment)
    size = program.wave_size * fragment.vector_bytes
    assert isinstance(access.block, int)
    (base,) = (buffer.base for buffer in program.buffers if buffer.name == access.buffer)
    start = base + access.block * size
    bits = np.unpackbits(image[:, start : start + size], axis=1, bitorder="little")
    return bits.reshape(len(image), program.wave_size, -1, 32)


def fields(bits: NDArray[np.uint8], width: int) -> set[Field]:
    """The fields of that width that are all ones; everything else has to be zero."""
    parts = bits.reshape(*bits.shape[:2], -1, width)
    assert (parts.min(axis=-1) == parts.max(axis=-1)).all()
    return {Field(int(lane), int(vgpr), width * int(part), width) for lane, vgpr, part in np.argwhere(parts[..., 0])}


def results(builtin: BuiltinName, opsel: int | None) -> dict[Element, set[Field]]:
    """The field of each element of D, from the addresses that are stored: where each element of C by itself comes out.

    Nothing else may be anything but zero, except what is not judged.
    """
    program = called(builtin, opsel)
    vector = program.fragment("d").vector_bytes
    found: dict[Element, set[Field]] = {}
    for region in one_by_one(program, data_of("C", opsel), ONE[FORMS[builtin].result]).regions:
        assert region.live.all()
        not_zero = illegal(region.legal, np.zeros(region.legal.shape, np.uint64))
        one = illegal(region.legal, np.full(region.legal.shape, ONE[FORMS[builtin].result], np.uint64))
        assert (one == ~not_zero)[region.legal.why == 0].all()
        for number, at in np.argwhere(not_zero.reshape(256, -1)):
            lane, byte = divmod(int(region.addresses.flat[at]), vector)
            field = Field(lane, byte // 4, byte % 4 * 8, width(builtin, "D"))
            found.setdefault(divmod(int(number), 16), set()).add(field)
    return found
