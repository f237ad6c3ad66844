"""Every field of every register, for every builtin, against the layouts of AMD's matrix instruction calculator.

The calculator knows instructions: the registers of D are those of the vector that a builtin returns, slot by slot.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import certain_bits
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName
from mmaspec.programs.amd_rdna3_wmma.program import Load, Store, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .calculator import Element, Field, Use, layouts
from .programs import product

LANES = {"w32": 32, "w64": 64}
SHORT = ("f16", "bf16")
"""Results of these formats stand in one half of a register, which OPSEL selects."""


def instruction(builtin: BuiltinName) -> str:
    """What the calculator calls it: a builtin of a shape that is tied or not is one instruction."""
    form = FORMS[builtin]
    return f"v_wmma_{form.result}_16x16x16_{form.operands}"


def opsels(builtin: BuiltinName) -> tuple[int | None, ...]:
    """The values of OPSEL that a builtin can have."""
    return (0, 1) if FORMS[builtin].result in SHORT else (None,)


CALLS = [(builtin, opsel) for builtin in FORMS for opsel in opsels(builtin)]
CALL = pytest.mark.parametrize(
    ("builtin", "opsel"), CALLS, ids=[f"{b}{'' if o is None else f'-{o}'}" for b, o in CALLS]
)


def table(builtin: BuiltinName, matrix: str, opsel: int | None) -> dict[Field, Element]:
    """The calculator's layout of a matrix; `KeyError` if there is none."""
    selected = opsel if matrix in "CD" else None
    return layouts()[Use(instruction(builtin), matrix, LANES[FORMS[builtin].wave], selected)]


def called(builtin: BuiltinName, opsel: int | None) -> WmmaProgram:
    """D = A*B + C, loaded from and stored to blocks of memory that hold the lanes' vectors as they are."""
    program = product(builtin)
    return program if opsel is None else with_calls(program, opsel=bool(opsel))


def one_by_one(program: WmmaProgram, name: str) -> Defined:
    """What is expected where each element of one matrix in turn has all bits set, and the rest is zero."""
    values = {}
    for source in SPEC.sources(program):
        made = np.zeros((256, *source.shape), np.uint64)
        if source.name == name:
            flat = made.reshape(256, 256)
            flat[np.arange(256), np.arange(256)] = source.fmt.mask
        values[source.name] = made
    found = expect(Case(SPEC.name, "one by one", "by hand", program, SPEC.default_caps, 256, values))
    assert isinstance(found, Defined)
    return found


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


@CALL
@pytest.mark.parametrize("matrix", ["A", "B", "C"])
def test_operands_stand_where_the_calculator_says(builtin: BuiltinName, opsel: int | None, matrix: str) -> None:
    program = called(builtin, opsel)
    (load,) = (step for step in program.body if isinstance(step, Load) and step.data == matrix)
    wanted: dict[Element, set[Field]] = {}
    for field, element in table(builtin, matrix, opsel).items():
        wanted.setdefault(element, set()).add(field)
    (width,) = {field.width for places in wanted.values() for field in places}
    bits = block_of(program, load, one_by_one(program, matrix).images[load.buffer])
    assert bits.shape[2] == 1 + max(field.vgpr for places in wanted.values() for field in places)
    found = {divmod(element, 16): fields(item, width) for element, item in enumerate(bits)}
    assert found == wanted


@CALL
def test_results_stand_where_the_calculator_says(builtin: BuiltinName, opsel: int | None) -> None:
    """The address of every element that is stored, and its value: each element of A with one of B, and of C itself."""
    program = called(builtin, opsel)
    vector = program.fragment("d").vector_bytes
    wanted = {
        element: field.lane * vector + field.vgpr * 4 + field.bit // 8
        for field, element in table(builtin, "D", opsel).items()
    }
    assert len(wanted) == len(set(wanted.values())) == 256
    assert {field.width for field in table(builtin, "D", opsel)} == {16 if FORMS[builtin].result in SHORT else 32}
    found = one_by_one(program, "C")
    judged = [region for region in found.regions if region.buffer == "out" and not region.legal.why.all()]
    assert len(judged) == 1, "the half that OPSEL does not select is in no region, or not judged"
    (region,) = judged
    assert region.live.all()
    assert {(i, j): int(region.addresses[0, i, j]) for i, j in np.ndindex(16, 16)} == wanted
    if FORMS[builtin].result.startswith("i"):
        bits, known = certain_bits(region.legal)
        assert known.all()
        assert (bits.reshape(256, 256) == np.eye(256, dtype=np.uint64) * 0xFFFF_FFFF).all()


def test_the_table_has_everything_once() -> None:
    uses = Counter((use.matrix, use.wave, use.opsel) for use in layouts())
    plain = {(matrix, wave, None): 6 if matrix in "AB" else 4 for matrix in "ABCD" for wave in (32, 64)}
    halves = {(matrix, wave, opsel): 2 for matrix in "CD" for wave in (32, 64) for opsel in (0, 1)}
    assert uses == plain | halves
    for use, elements in layouts().items():
        copies = use.wave // 16 if use.matrix in "AB" else 1
        assert set(Counter(elements.values()).items()) == {((i, j), copies) for i in range(16) for j in range(16)}


def test_every_builtin_has_its_table() -> None:
    for builtin, opsel in CALLS:
        for matrix in "ABCD":
            assert table(builtin, matrix, opsel)


def test_another_layout_is_seen() -> None:
    """Of two builtins no table is the other's, and no matrix's that of another in the same registers."""
    assert table("f32_16x16x16_f16_w32", "A", None) != table("f32_16x16x16_f16_w32", "B", None)
    assert table("i32_16x16x16_iu8_w32", "D", None) != table("i32_16x16x16_iu8_w64", "D", None)
    program = called("f32_16x16x16_f16_w32", None)
    bits = block_of(program, program.body[0], one_by_one(program, "A").images["in"])  # type: ignore[arg-type]
    assert fields(bits[5], 16) == {Field(lane, 2, 16, 16) for lane in (0, 16)}
    with pytest.raises(AssertionError):
        fields(bits[5], 32)
