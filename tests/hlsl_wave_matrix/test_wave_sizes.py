"""The wave size of a program, by hand, under devices that need other waves than 32 lanes or different ones by row.

Oracle and reference device each decide it; what neither may accept, and what only the oracle knows, is told apart.
"""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_size, wave_sizes
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.hlsl_wave_matrix.program import Branch, Fill, Matrix, Simple, Store, WaveMatrixProgram

BYTES = Matrix("A", "left", "s8", 16, 16, 16)
HALVES = Matrix("H", "left", "f16", 16, 16, 16)
FLOATS = Matrix("F", "left", "f32", 16, 16, 16)
SUM = Matrix("C", "accumulator", "f32", 16, 16)
TOTAL = Matrix("T", "accumulator", "s32", 16, 16)


def caps(byte: int, half: int, single: int, lanes: tuple[int, int]) -> WaveMmaCaps:
    """A device with every datatype in one size, each with a required wave size."""
    return WaveMmaCaps(
        (
            WaveMmaSupport("byte", 16, 16, True, 16, 2, byte),
            WaveMmaSupport("float16", 16, 16, True, 16, 2, half),
            WaveMmaSupport("float", 16, 16, True, 16, 2, single),
        ),
        lanes,
    )


def program(*matrices: Matrix, threads: int = 0, size: int = 0, waves: int = 1) -> WaveMatrixProgram:
    """Every matrix filled."""
    fills = tuple(Fill(matrix.name, Literal(0)) for matrix in matrices)
    return WaveMatrixProgram((Buffer("out", 64),), matrices, fills, waves, threads=threads, wave_size=size)


SIZES: tuple[tuple[WaveMmaCaps, tuple[Matrix, ...], set[int]], ...] = (
    (caps(32, 64, 0, (32, 64)), (BYTES,), {32}),
    (caps(32, 64, 0, (32, 64)), (TOTAL,), {32}),
    (caps(32, 64, 0, (16, 128)), (FLOATS,), {16, 32, 64, 128}),
    # f32 sums are listed by two rows: alone they run at a size that both allow, beside a factor at its own.
    (caps(32, 64, 0, (16, 128)), (SUM,), {64}),
    (caps(32, 64, 0, (16, 128)), (FLOATS, SUM), {16, 32, 64, 128}),
    (caps(32, 64, 32, (32, 64)), (SUM,), set()),
    (caps(32, 64, 32, (32, 64)), (HALVES, SUM), {64}),
    (caps(32, 64, 32, (32, 64)), (FLOATS, SUM), {32}),
    (caps(32, 64, 32, (32, 64)), (BYTES, HALVES), set()),
    (caps(32, 64, 0, (32, 64)), (BYTES, SUM), set()),
    (caps(32, 64, 0, (32, 64)), (), {32, 64}),
    (caps(0, 0, 0, (4, 128)), (BYTES, HALVES, FLOATS, SUM), {4, 8, 16, 32, 64, 128}),
)


@pytest.mark.parametrize(("device", "matrices", "wanted"), SIZES, ids=range(len(SIZES)))
def test_sizes_that_all_matrices_allow(device: WaveMmaCaps, matrices: tuple[Matrix, ...], wanted: set[int]) -> None:
    """WM-CAPS-WAVESIZE, WM-SIZE-AGREE: a size of every row; none where rows require different ones."""
    made = program(*matrices)
    assert wave_sizes(made, device) == wanted
    assert SPEC.undefined(made, device) == (set() if wanted else {"WM-SIZE-AGREE"})
    if wanted:
        assert wave_size(made, device) == min(wanted)
        assert f"[wavesize({min(wanted)})]" in SPEC.text(made, device)


def refused(made: WaveMatrixProgram, device: WaveMmaCaps) -> frozenset[str]:
    """The clauses by which the reference device refuses a program."""
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: WaveMatrixDevice})
    backend.report(SPEC.name, device)
    inputs = {"out": np.zeros((1, 64 + 16), np.uint8)}
    try:
        backend.run(SPEC.name, made, inputs)
    except Refused as refusal:
        return frozenset(refusal.clauses)
    return frozenset()


WHOLE, PART = frozenset[str](), frozenset({"WM-TG-DIVIS"})
GROUPS: tuple[tuple[WaveMmaCaps, WaveMatrixProgram, frozenset[str]], ...] = (
    (caps(64, 64, 64, (32, 64)), program(TOTAL, threads=64), WHOLE),
    (caps(64, 64, 64, (32, 64)), program(TOTAL, threads=32), PART),
    (caps(64, 64, 64, (32, 64)), program(BYTES, threads=96), PART),
    (caps(0, 0, 0, (32, 64)), program(FLOATS, threads=64), WHOLE),
    (caps(0, 0, 0, (32, 64)), program(FLOATS, threads=32), WHOLE),
    (caps(0, 0, 0, (32, 64)), program(FLOATS, threads=48), PART),
    (caps(0, 0, 0, (16, 64)), program(FLOATS, threads=48, size=32), PART),
    (caps(0, 0, 0, (16, 64)), program(FLOATS, threads=128, size=64, waves=2), WHOLE),
    (caps(8, 8, 8, (8, 32)), program(BYTES, threads=12), PART),
    (caps(4, 4, 4, (4, 32)), program(BYTES, threads=4), WHOLE),
    # Rows of two sizes: a group that one of the factors leaves part of a wave of is certainly wrong.
    (caps(32, 64, 32, (32, 64)), program(BYTES, HALVES, threads=32), PART),
    (caps(32, 64, 32, (32, 64)), program(BYTES, HALVES, threads=64), WHOLE),
    (caps(32, 64, 32, (32, 64)), program(SUM, threads=32), WHOLE),
)


@pytest.mark.parametrize(("device", "made", "wanted"), GROUPS, ids=range(len(GROUPS)))
def test_groups_are_whole_waves(device: WaveMmaCaps, made: WaveMatrixProgram, wanted: frozenset[str]) -> None:
    """WM-TG-DIVIS, by the oracle and by the reference device, which share no code."""
    assert SPEC.rejected(made, device) == wanted
    assert refused(made, device) == wanted


@pytest.mark.parametrize(
    ("made", "about"),
    [
        (program(BYTES, size=64), "written for waves of 64; the caps allow 32"),
        (program(FLOATS, size=16), "written for waves of 16; the caps allow 32 or 64"),
        (program(FLOATS, threads=128), "128 threads are not 1 waves of 32 or 64"),
        (program(FLOATS, threads=64, size=32), "64 threads are not 1 waves of 32"),
        (program(FLOATS, size=2048), "wave size 2048"),
    ],
)
def test_written_for_other_waves(made: WaveMatrixProgram, about: str) -> None:
    with pytest.raises(BadInput, match=about):
        SPEC.rejected(made, caps(32, 32, 0, (32, 64)))


@pytest.mark.parametrize(("threads", "lanes", "diverges"), [(64, 32, True), (32, 32, False), (0, 32, False)])
def test_a_branch_diverges_by_the_size_that_the_threads_say(threads: int, lanes: int, *, diverges: bool) -> None:
    """WM-DIVERGENT: 32 of 64 lanes are some, 32 of 32 are all."""
    body: tuple[Simple, ...] = (Fill("C", Literal(0)), Store("C", "out", 0, 64))
    made = WaveMatrixProgram((Buffer("out", 2048),), (SUM,), (Branch(lanes, body),), threads=threads)
    device = caps(0, 0, 0, (32, 64))
    assert not SPEC.rejected(made, device)
    assert SPEC.undefined(made, device) == ({"WM-DIVERGENT"} if diverges else set())
