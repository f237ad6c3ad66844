"""A small valid program that the tests edit, and the reference device under test."""

from __future__ import annotations

import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix, MultiplyAccumulate, Store, WaveMatrixProgram


@pytest.fixture(scope="session")
def product() -> WaveMatrixProgram:
    """C += A * B on bytes, everything row-major and tight."""
    buffers = tuple(Buffer(name, 8192) for name in ("a", "b", "c", "out"))
    matrices = (
        Matrix("A", "left", "u8", 16, 16, 32),
        Matrix("B", "right", "s8", 16, 16, 32),
        Matrix("C", "accumulator", "s32", 16, 16),
    )
    loads = (Load("A", "a", 0, 32, data="A"), Load("B", "b", 0, 16, data="B"), Load("C", "c", 0, 64, data="C"))
    body = (*loads, MultiplyAccumulate("C", "A", "B"), Store("C", "out", 0, 64))
    return WaveMatrixProgram(buffers, matrices, body)


@pytest.fixture(scope="session")
def device() -> NumpyBackend:
    """The embedded backend with nothing but this device."""
    return NumpyBackend(SequentialUnit(), {"hlsl-wave-matrix": WaveMatrixDevice})
