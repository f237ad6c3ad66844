"""clang's assembler takes the lines of listed instructions, and refuses those of near misses.

A compiler hands inline assembly on as it is written, so that only the assembler has something to say.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expect import resolve
from mmaspec.programs.amd_rdna3_wmma.caps import BELOW_COMPILERS
from mmaspec.programs.amd_rdna3_wmma.instruction import INLINE_FLOATS, OPCODES, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list

from .hip import STRICT, WIDE, assembly, body, clang, joined, mode, unassembled
from .programs import written

CLANG = clang()
pytestmark = pytest.mark.skipif(
    CLANG is None, reason="NOTHING IS ASSEMBLED: no clang knows gfx1100, `ziglang` is absent"
)
MODES = pytest.mark.parametrize("option", ["", WIDE], ids=["wave32", "wave64"])


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases of instructions."""
    listed = case_list(SPEC.name, BELOW_COMPILERS, "quick")
    return [one for one in listed if one.row.startswith("v_") and one.template != "registers"]


def products_of(programs: Iterable[WmmaProgram], option: str) -> list[str]:
    """The lines of all instructions in kernels of one wave size, with registers as the compiler chose them."""
    assert CLANG is not None
    texts = dict.fromkeys(SPEC.text(program, BELOW_COMPILERS) for program in programs)
    mine = [body(text) for text in texts if mode(text) == option]
    return [line for line in assembly(CLANG, option, joined(mine), STRICT) if line.startswith("v_wmma_")]


@MODES
def test_listed_instructions_are_assembled(recipes: list[Recipe], option: str, times: int) -> None:
    assert CLANG is not None
    valid = [resolve(one.program, one.words) for one in recipes if not one.target]
    lines = products_of(valid if times > 1 else valid[::3], option)
    assert {line.split()[0] for line in lines} == set(OPCODES)
    assert not unassembled(CLANG, option, lines)


@MODES
def test_near_misses_are_not(recipes: list[Recipe], option: str) -> None:
    """RDNA3-OPSEL-BITS, RDNA3-FP-CLAMP: each by itself."""
    assert CLANG is not None
    seen = set()
    for one in recipes:
        if one.target and one.program.wave_size == (64 if option else 32):
            lines = products_of([resolve(one.program, one.words)], option)
            assert unassembled(CLANG, option, lines), one.labels
            seen.add(one.target)
    assert seen == {"RDNA3-OPSEL-BITS", "RDNA3-FP-CLAMP"}


def test_every_constant_is_assembled_and_no_other() -> None:
    """RDNA3-C-INLINE: integers from -16 to 64, and nine numbers, in all six forms."""
    assert CLANG is not None
    for opcode in OPCODES:
        narrow = opcode.startswith(("v_wmma_bf16", "v_wmma_i32"))
        constants = (-16, -1, 0, 64, *(() if narrow else INLINE_FLOATS))
        programs = [written(f"{opcode}_w32", inline=constant) for constant in constants]
        lines = products_of(programs, "")
        assert len(lines) == len(constants)
        assert not unassembled(CLANG, "", lines)
        for constant in (-17, 65, "3.0"):
            other = [line.replace(" -16", f" {constant}") for line in lines[:1]]
            assert other != lines[:1]
            assert unassembled(CLANG, "", other)


JUDGED_BY_NOBODY = {
    "neg_lo of integers for C": ("v_wmma_i32_16x16x16_iu8", {"neg_lo": (False, False, True)}, "RDNA3-IU-NEG-ZERO"),
    "neg_hi of integers": ("v_wmma_i32_16x16x16_iu4", {"neg_hi": (True, True, True)}, "RDNA3-IU-NEG-ZERO"),
    "first bit of OPSEL": ("v_wmma_f16_16x16x16_f16", {"op_sel": (True, False, False)}, "RDNA3-OPSEL-BITS"),
    "second bit of OPSEL": ("v_wmma_bf16_16x16x16_bf16", {"op_sel": (False, True, False)}, "RDNA3-OPSEL-BITS"),
}


@pytest.mark.parametrize("what", JUDGED_BY_NOBODY)
def test_what_the_assembler_takes_is_no_near_miss(recipes: list[Recipe], what: str) -> None:
    """Invalid all the same, by the calculator; nobody is judged by a program that breaks it so."""
    assert CLANG is not None
    opcode, modifiers, clause = JUDGED_BY_NOBODY[what]
    program = written(f"{opcode}_w32", **modifiers)
    assert SPEC.rejected(program, BELOW_COMPILERS) == {clause}
    assert not unassembled(CLANG, "", products_of([program], ""))
    for one in recipes:
        for step in one.program.body if one.target == clause else ():
            if isinstance(step, VWmma):
                assert step.opcode.startswith(("v_wmma_f32", "v_wmma_i32"))
