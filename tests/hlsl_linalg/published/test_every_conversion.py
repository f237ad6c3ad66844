"""Every code of every 8- and 16-bit type through Convert: oracle and device against ml_dtypes, from float32 only.

From wider numbers some of its casts round twice; every number of these types is one of float32. The conversions of
`mmaspec.oracle.numerics` are held against gfloat as well, in `tests/numerics/test_saturating_conversion.py`.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.hlsl_linalg.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.numerics.ordinals import is_nan, is_subnormal, to_ordinal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import COMPONENTS, Convert, LinalgProgram, Vector, VectorLoad, VectorStore
from mmaspec.programs.profile import PRACTICE
from tests.hlsl_linalg.by_hand import ambiguities

TYPES: dict[str, Any] = {
    "I8": np.int8, "U8": np.uint8, "I16": np.int16, "U16": np.uint16, "F16": np.float16,
    "BFloat16": ml_dtypes.bfloat16, "F8_E4M3FN": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2,
    "F32": np.float32,
}  # fmt: skip
SHORT = [name for name in TYPES if name != "F32"]
LENGTH = 256
"""Components of a vector; as many items hold all codes."""
Words = NDArray[np.uint64]


def codes_of(name: str) -> Words:
    """All codes of a type, a row for each item."""
    return np.arange(1 << FORMATS[COMPONENTS[name].fmt].bits, dtype=np.uint64).reshape(-1, LENGTH)


def program_of(source: str, target: str) -> LinalgProgram:
    sizes = (LENGTH * COMPONENTS[name].format.nbytes for name in (source, target))
    buffers = tuple(Buffer(name, size, 128) for name, size in zip(("in", "out"), sizes, strict=True))
    vectors = (Vector("s", source, LENGTH), Vector("t", target, LENGTH))
    body = (VectorLoad("s", "in", 0), Convert("t", "s"), VectorStore("t", "out", 0))
    return LinalgProgram(buffers, body, vectors=vectors, wave_size=1)


def rounded(source: str, target: str, codes: Words) -> Words:
    """What ml_dtypes or numpy make of the codes, by way of float32; integers to nearest even and kept in range."""
    single = codes.astype(f"u{COMPONENTS[source].format.nbytes}").view(TYPES[source]).astype(np.float32)
    kind, width = TYPES[target], COMPONENTS[target].format.nbytes
    if COMPONENTS[target].format.is_float:
        return single.astype(kind).view(f"u{width}").astype(np.uint64)
    limits = np.iinfo(kind)
    whole = np.clip(np.rint(np.nan_to_num(single, nan=0.0, posinf=1e9, neginf=-1e9)), limits.min, limits.max)
    return whole.astype(np.int64).astype(kind).view(f"u{width}").astype(np.uint64)


@pytest.mark.exhaustive(every=3)
@pytest.mark.filterwarnings("ignore:overflow|invalid|divide:RuntimeWarning")
@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize("source", SHORT)
def test_every_code(source: str, target: str) -> None:
    program, codes = program_of(source, target), codes_of(source)
    fmt = COMPONENTS[target].format
    start = Memory(program.buffers, len(codes))
    addresses = np.arange(LENGTH) * COMPONENTS[source].format.nbytes
    start.place("in", addresses, codes, COMPONENTS[source].format)
    given = {name: image.copy() for name, image in start.initial().items()}
    memory = start.again()
    execute(program, memory, PRACTICE, Readings(ambiguities()))
    (region,) = memory.regions()
    legal = region.legal.reshape(len(codes), LENGTH)

    device = LinalgDevice(ExactUnit())
    found = device.run(program, given)["out"][:, 128 : 128 + LENGTH * fmt.nbytes]
    left = np.ascontiguousarray(found).view(f"<u{fmt.nbytes}").astype(np.uint64)
    wanted = rounded(source, target, codes)
    assert not illegal(legal, left).any()
    assert not illegal(legal, wanted)[legal.why == 0].any()

    known = COMPONENTS[source].format
    nan = is_nan(known, codes) if known.is_float else np.zeros(codes.shape, np.bool_)
    if fmt.is_float:
        assert is_nan(fmt, wanted)[nan].all()
        assert (legal.nan & (legal.lo > legal.hi))[nan].all(), "NaN stays NaN"
        plain = ~nan & ~is_nan(fmt, wanted)
        inside = plain & (np.abs(to_ordinal(fmt, wanted)) < fmt.largest_magnitude)
        assert np.array_equal(to_ordinal(fmt, left)[inside], to_ordinal(fmt, wanted)[inside])
    else:
        assert (legal.why != 0)[nan].all()
        assert (legal.why == 0)[~nan].all()
        assert np.array_equal(left[~nan], wanted[~nan])
        inside = ~nan
    flushed = is_subnormal(known, codes) if known.is_float else np.zeros(codes.shape, np.bool_)
    far = [to_ordinal(fmt, wanted) + step for step in (-2, 2)]
    normal = 1 << fmt.fraction_bits if fmt.is_float else 0
    for ordinals in far:
        seen = inside & (ordinals >= fmt.min_ordinal) & (ordinals <= fmt.max_ordinal)
        seen &= np.minimum(np.abs(ordinals), np.abs(to_ordinal(fmt, wanted))) >= normal  # else it may be flushed
        seen &= ~flushed
        beyond = (legal.lo > ordinals) | (legal.hi < ordinals)
        assert beyond[seen].all()
        assert seen.any()
