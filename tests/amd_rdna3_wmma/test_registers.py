"""Every field of every register, for every builtin, against the layouts of AMD's matrix instruction calculator.

The calculator knows instructions: their registers are those of the vectors that a builtin takes, slot by slot.
"""

from __future__ import annotations

from collections import Counter

import pytest

from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName
from mmaspec.programs.amd_rdna3_wmma.program import Load

from .calculator import Use, layouts
from .registers import LANES, SHORT, Element, Field, block_of, called, fields, one_by_one, operand, results, width


def opsels(builtin: BuiltinName) -> tuple[int | None, ...]:
    """The values of OPSEL that a builtin can have."""
    return (0, 1) if FORMS[builtin].result in SHORT else (None,)


CALLS = [(builtin, opsel) for builtin in FORMS for opsel in opsels(builtin)]
CALL = pytest.mark.parametrize(
    ("builtin", "opsel"), CALLS, ids=[name if opsel is None else f"{name}-opsel{opsel}" for name, opsel in CALLS]
)


def table(builtin: BuiltinName, matrix: str, opsel: int | None) -> dict[Element, set[Field]]:
    """The calculator's layout of a matrix; ``KeyError`` if there is none. A builtin that is tied is no other."""
    form = FORMS[builtin]
    instruction = f"v_wmma_{form.result}_16x16x16_{form.operands}"
    found: dict[Element, set[Field]] = {}
    selected = opsel if matrix in "CD" else None
    for field, element in layouts()[Use(instruction, matrix, LANES[form.wave], selected)].items():
        found.setdefault(element, set()).add(field)
    return found


@pytest.mark.exhaustive(every=3)
@CALL
@pytest.mark.parametrize("matrix", ["A", "B", "C"])
def test_operands_stand_where_the_calculator_says(builtin: BuiltinName, opsel: int | None, matrix: str) -> None:
    assert operand(builtin, opsel, matrix) == table(builtin, matrix, opsel)


@pytest.mark.exhaustive(every=3)
@CALL
def test_results_stand_where_the_calculator_says(builtin: BuiltinName, opsel: int | None) -> None:
    assert results(builtin, opsel) == table(builtin, "D", opsel)


@CALL
def test_every_builtin_has_its_table_for_registers_of_its_vectors(builtin: BuiltinName, opsel: int | None) -> None:
    program = called(builtin, opsel)
    for matrix in "ABCD":
        found = [field for places in table(builtin, matrix, opsel).values() for field in places]
        assert {field.width for field in found} == {width(builtin, matrix)}
        vector = program.fragment(matrix.lower()).vector_bytes
        assert {field.vgpr for field in found} == set(range(vector // 4))
        assert {field.lane for field in found} == set(range(program.wave_size))


def test_the_table_has_everything_once() -> None:
    uses = Counter((use.matrix, use.wave, use.opsel) for use in layouts())
    plain = {(matrix, wave, None): 6 if matrix in "AB" else 4 for matrix in "ABCD" for wave in (32, 64)}
    halves = {(matrix, wave, opsel): 2 for matrix in "CD" for wave in (32, 64) for opsel in (0, 1)}
    assert uses == plain | halves
    for use, elements in layouts().items():
        copies = use.wave // 16 if use.matrix in "AB" else 1
        assert Counter(elements.values()) == {(i, j): copies for i in range(16) for j in range(16)}


def test_another_layout_is_seen() -> None:
    """No matrix's table is that of another in the same registers; and a field is found, of its own width alone."""
    assert table("f32_16x16x16_f16_w32", "A", None) != table("f32_16x16x16_f16_w32", "B", None)
    assert table("i32_16x16x16_iu8_w32", "D", None) != table("i32_16x16x16_iu8_w64", "D", None)
    program = called("f32_16x16x16_f16_w32", None)
    (load,) = (step for step in program.body if isinstance(step, Load) and step.data == "A")
    bits = block_of(program, load, one_by_one(program, "A").images["in"])
    assert fields(bits[5], 16) == {Field(lane, 2, 16, 16) for lane in (0, 16)}
    with pytest.raises(AssertionError):
        fields(bits[5], 32)
