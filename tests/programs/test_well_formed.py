"""One set of limits and messages: all specifications say the same of the same mistake, and take the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.programs import well_formed
from mmaspec.programs.amd_rdna3_wmma import program as rdna3
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed as check_rdna3
from mmaspec.programs.base import Affine, Buffer, Literal, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix import program as wave_matrix
from mmaspec.programs.hlsl_wave_matrix.well_formed import check_well_formed as check_wave_matrix
from mmaspec.programs.nv_coopmat2 import program as coopmat2
from mmaspec.programs.nv_coopmat2.well_formed import check_well_formed as check_coopmat2

Check = Callable[[Any], None]
BUFFERS = (Buffer("in", 4096), Buffer("out", 4096))
SPECS: dict[str, tuple[Check, Any, Any, Any]] = {
    "amd-rdna3-wmma": (
        check_rdna3,
        rdna3.WmmaProgram(32, BUFFERS, (rdna3.Fragment("c", "cd", "float", 8),), (rdna3.Fill("c", 0),)),
        rdna3.Repeat,
        lambda index: rdna3.Store("c", "out", index),
    ),
    "hlsl-wave-matrix": (
        check_wave_matrix,
        wave_matrix.WaveMatrixProgram(
            BUFFERS,
            (wave_matrix.Matrix("c", "accumulator", "f32", 16, 16),),
            (wave_matrix.Fill("c", Literal(0)),),
        ),
        wave_matrix.Repeat,
        lambda index: wave_matrix.Store("c", "out", index, 64),
    ),
    "nv-coopmat2": (
        check_coopmat2,
        coopmat2.CoopMatProgram(BUFFERS, (coopmat2.Matrix("c", "f32", 16, 16, 2),), (coopmat2.Splat("c", Literal(0)),)),
        coopmat2.Repeat,
        lambda index: coopmat2.Store("c", "out", index, 16),
    ),
}
"""Specification -> its check under its own caps, a program of one instruction, its loop, a store at an index."""


def repeated(program: Any, loop: Any, passes: int, length: int = 1) -> Any:
    return replace(program, body=(loop(passes, program.body * length),))


def buffers(program: Any, **changes: Any) -> Any:
    return replace(program, buffers=(replace(BUFFERS[0], **changes), BUFFERS[1]))


WRONG: dict[str, tuple[str, Callable[[Any, Any, Any], Any]]] = {
    "no waves": ("program: 0 waves; expected 1 to 64", lambda p, *_: replace(p, waves=0)),
    "waves": ("program: 65 waves; expected 1 to 64", lambda p, *_: replace(p, waves=65)),
    "no passes": ("program: instruction 1: -1 passes; expected ", lambda p, loop, _: repeated(p, loop, -1)),
    "passes": ("program: instruction 1: 1025 passes; expected ", lambda p, loop, _: repeated(p, loop, 1025)),
    "instructions": (
        "program: 66560 executed instructions; expected at most 65536",
        lambda p, loop, _: repeated(p, loop, 1024, 65),
    ),
    "two buffers": ("program: buffer 'in' is declared twice", lambda p, *_: replace(p, buffers=BUFFERS + BUFFERS)),
    "negative size": ("buffer in: size -1; expected 0 to 67108864", lambda p, *_: buffers(p, size=-1)),
    "size": ("buffer in: size 67108865; expected 0 to 67108864", lambda p, *_: buffers(p, size=(1 << 26) + 1)),
    "negative base": ("buffer in: base -32; expected a multiple of ", lambda p, *_: buffers(p, base=-32)),
    "unaligned base": ("buffer in: base 40; expected a multiple of ", lambda p, *_: buffers(p, base=40)),
    "base": ("buffer in: base 67108896; expected a multiple of ", lambda p, *_: buffers(p, base=(1 << 26) + 32)),
    "no such buffer": (
        "program: instruction 1: no buffer named 'out'; there are in",
        lambda p, _, store: replace(p, buffers=BUFFERS[:1], body=(store(0),)),
    ),
    "unresolved": (
        "program: argument read from in is not resolved",
        lambda p, _, store: replace(p, body=(store(RunTime("in", 0)),)),
    ),
    "a negative index in the last wave": (
        "program: instruction 1: ",
        lambda p, _, store: replace(p, waves=3, body=(store(Affine(32, -32)),)),
    ),
    "a negative index in the last pass": (
        "program: instruction 1.1: ",
        lambda p, loop, store: replace(p, body=(loop(4, (store(Affine(64, 0, -32)),)),)),
    ),
}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", WRONG)
def test_all_specifications_say_the_same(name: str, spec: str) -> None:
    check, program, loop, store = SPECS[spec]
    says, edit = WRONG[name]
    with pytest.raises(BadInput) as raised:
        check(edit(program, loop, store))
    assert str(raised.value).startswith(says)


@pytest.mark.parametrize("spec", SPECS)
def test_loops_of_no_pass_are_programs_of_one_specification(spec: str) -> None:
    check, program, loop, _ = SPECS[spec]
    if spec == "nv-coopmat2":
        check(repeated(program, loop, 0))
        return
    with pytest.raises(BadInput, match="0 passes; expected 1 to 1024"):
        check(repeated(program, loop, 0))


@pytest.mark.parametrize("spec", SPECS)
def test_the_limits_themselves_are_taken(spec: str) -> None:
    check, program, loop, store = SPECS[spec]
    check(program)
    check(replace(program, waves=64))
    check(repeated(program, loop, 1024, 64))
    check(buffers(program, size=1 << 26, base=1 << 26))
    check(replace(program, waves=3, body=(loop(4, (store(Affine(160, -32, -32)),)),)))


@pytest.mark.parametrize("spec", SPECS)
def test_declarations_of_a_kind_have_names_of_their_own(spec: str) -> None:
    check, program, *_ = SPECS[spec]
    field, what = ("fragments", "fragment") if spec == "amd-rdna3-wmma" else ("matrices", "matrix")
    with pytest.raises(BadInput, match=f"^program: {what} 'c' is declared twice$"):
        check(replace(program, **{field: getattr(program, field) * 2}))


def test_elements_over_all_waves_and_passes_are_bounded() -> None:
    for spec in ("amd-rdna3-wmma", "hlsl-wave-matrix"):
        check, program, loop, store = SPECS[spec]
        many = replace(program, waves=64, body=(loop(1024, (store(0),)),))
        with pytest.raises(BadInput, match=f"elements over all waves and passes; expected at most {1 << 22}$"):
            check(many)


def test_one_name_and_one_signature() -> None:
    for check in (check_rdna3, check_wave_matrix, check_coopmat2):
        assert check.__name__ == "check_well_formed"
        assert list(inspect.signature(check).parameters) == ["program"]


def test_no_case_is_larger_than_a_buffer_may_be() -> None:
    """What fits a case is never refused for the size of its buffers."""
    from mmaspec.oracle.case import MAX_IMAGE

    assert well_formed.MAX_BYTES >= MAX_IMAGE
