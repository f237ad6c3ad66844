"""The oracle accepts what the reference device and its legal variants leave: two readings of one text, made apart."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.variants import VARIANTS
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.memory import Memory
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import (
    Barrier,
    Cast,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    Multiply,
    Repeat,
    Splat,
    Store,
)

from .judging import expected_from, is_accepted, sized
from .small_programs import BASES


def conversions():
    """Casts and splats between types of every kind, stored as they are."""
    names = ("A", "B", "C", "D", "E", "F")
    kinds = ("F32", "I16", "F8_E4M3FN", "BFloat16", "U8", "F16")
    body = [Load("A", "a", 0, 64)]
    body += [Cast(name, "A") for name in names[1:]]
    body += [Store(name, "out", 1024 * number, 64) for number, name in enumerate(names)]
    matrices = tuple(Matrix(name, kind, 8, 16, "A") for name, kind in zip(names, kinds, strict=True))
    return LinalgProgram((Buffer("a", 8192, 128), Buffer("out", 8192, 128)), tuple(body), matrices)


def bounds():
    """A load, a store and a sum that each reach beyond their buffer."""
    matrices = (Matrix("A", "F16", 8, 16, "A"), Matrix("C", "F32", 8, 16, "Accumulator"))
    body = (
        Load("A", "a", 128, 64),
        Store("A", "small", 0, 64, "ColMajor"),
        Load("C", "b", 0, 64),
        InterlockedAccumulate("C", "sum", 0, 64),
    )
    buffers = (Buffer("a", 530, 128), Buffer("b", 8192, 128), Buffer("small", 700, 128), Buffer("sum", 500, 128))
    return LinalgProgram(buffers, body, matrices)


def several_waves():
    """Waves that add to one place, in two passes, with a product between."""
    matrices = (
        Matrix("A", "F16", 16, 16, "A"),
        Matrix("B", "F16", 16, 16, "B"),
        Matrix("C", "F32", 16, 16, "Accumulator"),
    )
    body = (
        Splat("B", "int", Literal(1), lane=1, wave=2),
        Repeat(2, (
            Load("A", "a", Affine(0, 512, 1024), 32), Multiply("C", "A", "B"), InterlockedAccumulate("C", "out", 0, 64),
        )),
        Barrier(),
        InterlockedAccumulate("C", "out", Affine(0, 2048), 64, "ColMajor"),
    )  # fmt: skip
    return LinalgProgram((Buffer("a", 8192, 128), Buffer("out", 8192, 128)), body, matrices, waves=2)


PROGRAMS = {**BASES, "conversions": conversions, "bounds": bounds, "several-waves": several_waves}


def contents(program, seed, small):
    """Bytes for every buffer: halves that are small integers, or anything."""
    rng = np.random.default_rng(seed)
    found = {}
    for buffer in program.buffers:
        values = rng.integers(-4, 5, buffer.size // 2 + 1).astype(np.float16)
        whole = values.tobytes() if small else rng.bytes(buffer.size)
        found[buffer.name] = np.frombuffer(whole[: buffer.size], np.uint8)
    return found


def started(program, held):
    memory = Memory(program.buffers, 1)
    for name, view in held.items():
        memory.place(name, np.arange(view.size), view.astype(np.uint64)[np.newaxis], FORMATS["u8"])
    return memory


def accepted(program, start, device):
    """Whether some combination of readings explains what the device leaves."""
    after = device.run(program, {name: image.copy() for name, image in start.initial().items()})
    return is_accepted(program, start, expected_from(program, start), after)


@pytest.mark.parametrize("small", [True, False], ids=["small", "any-bits"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_device_leaves_is_legal(name, small):
    program = sized(PROGRAMS[name]())
    for seed in range(3):
        start = started(program, contents(program, seed, small))
        assert accepted(program, start, LinalgDevice(ExactUnit()))


OWN = [variant for variant in VARIANTS if variant.make is not None]


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("variant", OWN, ids=[variant.name for variant in OWN])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_its_legal_variants_leave_is_legal(name, variant):
    program = sized(PROGRAMS[name]())
    device = variant.make(ExactUnit())
    device.caps = variant.caps or device.caps
    start = started(program, contents(program, 7, name != "conversions"))
    assert accepted(program, start, device)
