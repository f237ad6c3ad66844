"""A small valid program that the tests edit, and the reference device under test."""

from __future__ import annotations

import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    SetDimension,
    SetStride,
    Slice,
    Store,
    StoreTensor,
)


@pytest.fixture(scope="session")
def product() -> CoopMatProgram:
    """D = A * B + C on bytes; C comes from a tensor, D goes to an array and to a tensor."""
    return CoopMatProgram(
        buffers=tuple(Buffer(name, 8192) for name in ("a", "b", "c", "out", "tensor")),
        matrices=(
            Matrix("A", "s8", 16, 32, 0),
            Matrix("B", "s8", 32, 16, 1),
            Matrix("C", "s32", 16, 16, 2),
            Matrix("D", "s32", 16, 16, 2),
        ),
        layouts=(
            Layout("t", (SetDimension((20, 24)), SetStride((50, 2)), Slice((1, 2), (16, 16))), clamp_mode=CONSTANT),
        ),
        body=(
            Load("A", "a", 0, 32, data="A"),
            Load("B", "b", 0, 16, data="B"),
            LoadTensor("C", "c", 0, "t", data="T"),
            MulAdd("D", "A", "B", "C"),
            Store("D", "out", 0, 16),
            StoreTensor("D", "tensor", 0, "t"),
        ),
    )


@pytest.fixture(scope="session")
def device() -> NumpyBackend:
    """The embedded backend with nothing but this device."""
    return NumpyBackend(SequentialUnit(), {"nv-coopmat2": CoopMat2Device})
