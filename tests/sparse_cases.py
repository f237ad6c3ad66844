"""Cases with a sparse buffer, written by hand, and devices that take windows or do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.devices import DEVICES
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.protocol import Description, Images
from mmaspec.oracle.case import Case
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma import program as rdna3
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Wmma, WmmaProgram
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix import program as wave_matrix
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS as WAVE_MATRICES
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import ROW_MAJOR, USE_ACCUMULATOR, CoopMatProgram, Load, Matrix, Store
from mmaspec.programs.windows import around

SPEC = "nv-coopmat2"
SIDE = 16


def lines(start: int, stride: int) -> Any:
    """Every byte of 16 rows of 16 words, ``stride`` bytes apart."""
    rows = start + stride * np.arange(SIDE, dtype=np.int64)[:, np.newaxis]
    return (rows + np.arange(4 * SIDE)).ravel()


def case(load: tuple[int, int], store: tuple[int, int], size: int) -> Case:
    """A matrix is loaded and stored in one buffer; the start and stride of each in words."""
    taken = [lines(4 * start, 4 * stride) for start, stride in (load, store)]
    program = CoopMatProgram(
        (around(Buffer("far", size), taken),),
        (Matrix("c", "s32", SIDE, SIDE, USE_ACCUMULATOR),),
        (Load("c", "far", *load, ROW_MAJOR, "", "C"), Store("c", "far", *store, ROW_MAJOR)),
    )
    values = np.random.default_rng(1).integers(1, 1 << 32, (2, 1, 1, SIDE, SIDE), np.uint64)
    return Case(SPEC, spec_named(SPEC).rows(DEFAULT_CAPS)[0].name, "by hand", program, DEFAULT_CAPS, 2, {"C": values})


HUGE = case((1 << 24, 1 << 24), ((1 << 24) + 64, 1 << 26), (1 << 32) - 1)
"""Its last element lies less than 64 MiB below 4 GiB."""
MODERATE = case((1 << 10, 1 << 14), ((1 << 10) + 64, 1 << 18), 1 << 24)
"""16 MiB."""


def shader(load: tuple[int, int], store: tuple[int, int], size: int) -> Case:
    """The same in bytes, as a shader with WaveMatrix objects."""
    taken = [lines(*load), lines(*store)]
    program = WaveMatrixProgram(
        (around(Buffer("far", size), taken),),
        (wave_matrix.Matrix("c", "accumulator", "f32", SIDE, SIDE),),
        (wave_matrix.Load("c", "far", *load, data="C"), wave_matrix.Store("c", "far", *store)),
        wave_size=32,
    )
    values = 0x3F80_0000 + np.arange(2 * SIDE * SIDE, dtype=np.uint64).reshape(2, 1, 1, SIDE, SIDE)
    return Case(
        "hlsl-wave-matrix",
        spec_named("hlsl-wave-matrix").rows(WAVE_MATRICES)[0].name,
        "by hand",
        program,
        WAVE_MATRICES,
        2,
        {"C": values},
    )


HUGE_SHADER = shader((1 << 26, 1 << 26), ((1 << 26) + 256, 1 << 28), (1 << 32) - 1)


def kernel() -> Case:
    """A loads and a store of whole blocks of an integer product, most of them 512 MiB apart."""
    taken = [block * 512 + np.arange(512, dtype=np.int64) for block in (0, 1 << 20)]
    results = (1 << 19) * 1024 + np.arange(1024, dtype=np.int64)
    program = WmmaProgram(
        wave_size=32,
        buffers=(around(Buffer("in", (1 << 29) + 4096), taken), around(Buffer("out", (1 << 29) + 1024), [results])),
        fragments=(
            Fragment("a", "a", "int", 4), Fragment("b", "b", "int", 4), Fragment("d", "cd", "int", 8),
        ),
        body=(
            rdna3.Load("a", "in", 0, "A"),
            rdna3.Load("b", "in", 1 << 20, "B"),
            Wmma("i32_16x16x16_iu8_w32", "d", "a", "b", None, True, False, False),
            rdna3.Store("d", "out", 1 << 19),
        ),
    )  # fmt: skip
    spec = spec_named("amd-rdna3-wmma")
    bits = np.random.default_rng(2)
    values = {one.name: bits.integers(0, 256, (2, *one.shape), np.uint64) for one in spec.sources(program)}
    row = spec.rows(spec.default_caps)[0].name
    return Case(spec.name, row, "by hand", program, spec.default_caps, 2, values)


KERNEL = kernel()


class Takes(NumpyBackend):
    """The numpy backend, which says that it takes sparse buffers of so many bytes, and keeps what it is asked."""

    def __init__(self, sparse: int, device: type[CoopMat2Device] = CoopMat2Device) -> None:
        super().__init__(ExactUnit(), {**DEVICES, SPEC: device})
        self._sparse = sparse
        self.asked: list[Any] = []

    def describe(self) -> Description:
        return replace(super().describe(), sparse=self._sparse)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.asked.append(program)
        return super().run(spec, program, inputs)


class Spills(CoopMat2Device):
    """Stores write the byte behind their last element too."""

    def store(self, running: Any, access: Store, loop: int) -> None:
        super().store(running, access, loop)
        last = np.array([self.lines(running, access, loop).max() + 4])
        self.put(running, access.buffer, last, np.full((running.batch, 1), 0xEE, np.uint64), 1)


class SpillsFar(CoopMat2Device):
    """Stores write a byte somewhere else too, which lies in no window."""

    def store(self, running: Any, access: Store, loop: int) -> None:
        super().store(running, access, loop)
        self.put(running, access.buffer, np.array([1 << 23]), np.full((running.batch, 1), 0xEE, np.uint64), 1)
