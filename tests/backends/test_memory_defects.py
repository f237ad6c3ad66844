"""Defects of memory in the reference device of each specification: exactly the bytes that they should reach differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.sequential import SequentialUnit
from mmaspec.programs.amd_rdna3_wmma import program as rdna3
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.hlsl_linalg import program as linalg
from mmaspec.programs.hlsl_wave_matrix import program as wave_matrix
from mmaspec.programs.intel_subgroup_mma import program as intel
from mmaspec.programs.nv_coopmat2 import program as coopmat2
from mmaspec.programs.specifications import ours, part

START = 1024
"""Byte of the view at which each program stores 256 elements of four bytes, without gaps."""
BASE = 128
"""Byte of the allocation at which a view begins."""
OUT = Buffer("out", 4096, BASE)
HELD = 0x11223344
PLANS = {spec: part(spec, "faults", "DEFECTS", Plan) for spec in ours()}


def program_of(spec: str, *, by_columns: bool) -> Any:
    """A matrix of one constant, stored."""
    if spec == "amd-rdna3-wmma":
        fragment = rdna3.Fragment("d", "cd", "int", 8, fill=HELD)
        return rdna3.WmmaProgram(32, (OUT,), (fragment,), (rdna3.Store("d", "out", 1),))
    if spec == "intel-subgroup-mma":
        vector = intel.Fragment("d", "cd", "s32", "int", 16, fill=HELD)
        return intel.MadProgram(16, (OUT,), (vector,), (intel.Store("d", "out", 1),))
    if spec == "hlsl-linalg":
        layout: linalg.Layout = "ColMajor" if by_columns else "RowMajor"
        steps = (linalg.Splat("c", "int", Literal(HELD)), linalg.Store("c", "out", START, 64, layout))
        return linalg.LinalgProgram((OUT,), steps, (linalg.Matrix("c", "I32", 16, 16, "Accumulator"),))
    order = int(by_columns)
    if spec == "hlsl-wave-matrix":
        body = (wave_matrix.Fill("c", Literal(HELD)), wave_matrix.Store("c", "out", START, 64, order))
        return wave_matrix.WaveMatrixProgram((OUT,), (wave_matrix.Matrix("c", "accumulator", "s32", 16, 16),), body)
    moves = (coopmat2.Splat("c", Literal(HELD)), coopmat2.Store("c", "out", START // 4, 16, order))
    return coopmat2.CoopMatProgram((OUT,), (coopmat2.Matrix("c", "s32", 16, 16, 2),), moves)


def stored(spec: str, defect: MemoryDefect, *, by_columns: bool) -> np.ndarray:
    """The view after the program, zero before it; bytes of its guard zones stand at their own numbers too."""
    backend = NumpyBackend(SequentialUnit(), {spec: lambda unit: PLANS[spec].memory(unit, defect)})
    program = program_of(spec, by_columns=by_columns)
    return backend.run(spec, program, {"out": np.zeros((1, OUT.total), np.uint8)})["out"][0]


def changed(spec: str, defect: MemoryDefect, *, by_columns: bool) -> dict[int, int]:
    """Byte of the view -> what is there, wherever that is not what it should be."""
    found = stored(spec, defect, by_columns=by_columns)
    wanted = np.zeros(OUT.total, np.uint8)
    wanted[BASE + START : BASE + START + 1024].view("<u4")[:] = HELD
    return {int(byte) - BASE: int(found[byte]) for byte in np.flatnonzero(found != wanted)}


NONE = MemoryDefect("none", "nothing were wrong", "nothing", "spill", reach=0)
SPILLS = [
    (spec, one)
    for one in MEMORY
    if one.verb == "spill"
    for spec, plan in PLANS.items()
    if plan.has(one.name, one.where)
]
SKIPS = [
    (spec, one) for one in MEMORY if one.verb == "skip" for spec, plan in PLANS.items() if plan.has(one.name, one.where)
]


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("spec", sorted(PLANS))
def test_without_a_defect_the_device_is_right(spec: str, by_columns: bool) -> None:
    assert changed(spec, NONE, by_columns=by_columns) == {}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize(("spec", "defect"), SPILLS, ids=[f"{spec}-{one.name}" for spec, one in SPILLS])
def test_a_spill_overwrites_the_bytes_beside_a_store(spec: str, defect: MemoryDefect, by_columns: bool) -> None:
    end = START + 1024
    beside = range(end, end + defect.reach) if defect.reach > 0 else range(START + defect.reach, START)
    assert changed(spec, defect, by_columns=by_columns) == dict.fromkeys(beside, 0xEE)


@pytest.mark.parametrize(("spec", "defect"), SKIPS, ids=[f"{spec}-{one.name}" for spec, one in SKIPS])
def test_a_skip_leaves_the_last_line_as_it_was(spec: str, defect: MemoryDefect) -> None:
    """The last lane, eight VGPRs of it or sixteen components; else the last row of a column-major store."""
    lanes = {"amd-rdna3-wmma": 32, "intel-subgroup-mma": 64}
    row = [START + 64 * col + 4 * 15 + byte for col in range(16) for byte in range(4)]
    missed = range(START + 1024 - lanes[spec], START + 1024) if spec in lanes else row
    assert changed(spec, defect, by_columns=True) == dict.fromkeys(missed, 0)
    if defect.way == "column":
        assert changed(spec, defect, by_columns=False) == {}
