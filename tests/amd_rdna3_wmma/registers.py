"""Which element each field of the registers holds to the oracle, found from outside: one element after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined, Region
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


def one_by_one(program: WmmaProgram, matrix: str) -> Defined:
    """What is expected where each element of one matrix in turn has all bits set, and the rest is zero."""
    values = {}
    for source in SPEC.sources(program):
        made = np.zeros((256, *source.shape), np.uint64)
        if source.name == matrix:
            made.reshape(256, 256)[np.arange(256), np.arange(256)] = source.fmt.mask
        values[source.name] = made
    found = expect(Case(SPEC.name, "one by one", "by hand", program, SPEC.default_caps, 256, values))
    assert isinstance(found, Defined)
    return found


def operand(builtin: BuiltinName, opsel: int | None, matrix: str) -> dict[Element, set[Field]]:
    """The fields of each element of A, B or C, from the bytes that are loaded."""
    program = called(builtin, opsel)
    (load,) = (step for step in program.body if isinstance(step, Load) and step.data == matrix)
    bits = block_of(program, load, one_by_one(program, matrix).images[load.buffer])
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


def results(builtin: BuiltinName, opsel: int | None) -> tuple[dict[Element, set[Field]], Region]:
    """The field of each element of D, from the addresses that are stored; and what the store leaves, C by elements."""
    program = called(builtin, opsel)
    found = one_by_one(program, "C").regions
    judged = [region for region in found if region.buffer == "out" and not region.legal.why.all()]
    assert len(judged) == 1, "the half that OPSEL does not select is in no region, or not judged"
    (region,) = judged
    assert region.live.all()
    vector = program.fragment("d").vector_bytes
    places = {}
    for element in np.ndindex(16, 16):
        lane, byte = divmod(int(region.addresses[0][element]), vector)
        places[element] = {Field(lane, byte // 4, byte % 4 * 8, width(builtin, "D"))}
    return places, region  # type: ignore[return-value]
