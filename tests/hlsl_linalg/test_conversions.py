"""Conversions by the later text's section, with answers written down by hand; Cast, Convert and Splat apply them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from mmaspec.programs.base import Buffer, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Cast,
    Convert,
    LinalgProgram,
    Load,
    Matrix,
    Splat,
    Store,
    Vector,
    VectorLoad,
    VectorStore,
)

from .by_hand import HALF, SINGLE, expected, image, is_right, left, octets

TYPES = {
    "I8": np.int8, "U8": np.uint8, "I16": np.int16, "U16": np.uint16, "I32": np.int32, "U32": np.uint32,
    "I64": np.int64, "U64": np.uint64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
    "BFloat16": ml_dtypes.bfloat16, "F8_E4M3FN": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip

INF, NAN = float("inf"), float("nan")

# Source, value, target, and every result that the text allows.
RULES = [
    # integers saturate
    ("I16", -1, "U8", [0]),
    ("I16", 300, "U8", [255]),
    ("I16", -300, "I8", [-128]),
    ("I16", 128, "I8", [127]),
    ("U64", 2**64 - 1, "I64", [2**63 - 1]),
    ("I64", -(2**63), "U64", [0]),
    ("I64", -(2**63), "I32", [-(2**31)]),
    ("U64", 2**63, "U32", [2**32 - 1]),
    ("U32", 2**31, "I32", [2**31 - 1]),
    ("I8", -7, "I64", [-7]),
    # integers to floats: to nearest, ties to even
    ("I32", 2049, "F16", [2048]),
    ("I32", 2051, "F16", [2052]),
    ("U16", 257, "BFloat16", [256]),
    ("U16", 259, "BFloat16", [260]),
    ("I32", 2**24 + 1, "F32", [2**24]),
    ("I32", -(2**24) - 3, "F32", [-(2**24) - 4]),
    ("U64", 2**64 - 1, "F64", [2.0**64]),
    ("I64", 2**53 + 1, "F64", [2.0**53]),
    ("I64", 2**53 + 3, "F64", [2.0**53 + 4]),
    ("I8", 17, "F8_E4M3FN", [16]),
    ("I8", 19, "F8_E4M3FN", [20]),
    ("U16", 65535, "F16", [65504, INF]),
    ("U16", 500, "F8_E4M3FN", [448, NAN]),
    ("U16", 464, "F8_E4M3FN", [448]),
    # floats to integers: to nearest, ties to even, saturated
    ("F32", 0.5, "I32", [0]),
    ("F32", 1.5, "I32", [2]),
    ("F32", -2.5, "I32", [-2]),
    ("F16", 2.75, "I8", [3]),
    ("F16", -0.75, "U8", [0]),
    ("F16", -3, "U16", [0]),
    ("F16", 65504, "I16", [32767]),
    ("F32", 3e9, "I32", [2**31 - 1]),
    ("F32", -3e9, "I32", [-(2**31)]),
    ("F32", INF, "U64", [2**64 - 1]),
    ("F64", -INF, "I64", [-(2**63)]),
    ("F64", 2.0**63, "I64", [2**63 - 1]),
    ("F64", 2.0**53 + 2, "U64", [2**53 + 2]),
    ("F8_E5M2", 57344, "I16", [32767]),
    ("F8_E4M3FN", 2.25, "I8", [2]),
    ("BFloat16", 3.5, "U8", [4]),
    # floats to floats: exact, or a neighbour
    ("F32", 1 + 2.0**-11, "F16", [1, 1 + 2.0**-10]),
    ("F32", 1 + 2.0**-10, "F16", [1 + 2.0**-10]),
    ("F32", 1 + 2.0**-9, "BFloat16", [1, 1 + 2.0**-7]),
    ("F64", 1 + 2.0**-52, "F32", [1, 1 + 2.0**-23]),
    ("F16", 17, "F8_E4M3FN", [16, 18]),
    ("F16", 448, "F8_E4M3FN", [448]),
    ("F16", 2.0**-9, "F8_E4M3FN", [2.0**-9, 0]),
    ("F32", 65520, "F16", [65504, INF, NAN]),
    ("F32", 1e6, "F8_E5M2", [57344, INF, NAN]),
    ("F32", -449, "F8_E4M3FN", [-448, NAN]),
    ("F16", INF, "F32", [INF]),
    ("F16", INF, "F8_E5M2", [INF]),
    ("F16", -INF, "F8_E4M3FN", [-448, NAN]),
    ("F16", NAN, "F64", [NAN]),
    ("F8_E4M3FN", NAN, "F16", [NAN]),
    ("F8_E5M2", INF, "BFloat16", [INF]),
]

IDS = [f"{source}-{value}-{target}" for source, value, target, _ in RULES]


def candidates(target, allowed):
    """Values of the target to try: the allowed ones, their neighbours, and what other rules would give."""
    kind = TYPES[target]
    found = [0, 1, 2, 3, 127, -1, -2, -128, INF, -INF, NAN]
    if target[0] in "IU":
        limits = np.iinfo(kind)
        near = [value + step for value in allowed for step in (-1, 0, 1, 2)]
        found = [*[0, 1, 2, 3, 4, limits.min, limits.max, limits.max - 1], *near]
        return sorted({value for value in found if limits.min <= value <= limits.max})
    for value in allowed:
        one = np.array([value], kind)
        bits = one.view(f"u{one.itemsize}")
        for step in (0, 1, 2):
            codes = (bits + bits.dtype.type(step), bits - bits.dtype.type(step))
            found += [float(code.view(kind)[0]) for code in codes]
    values = {float(np.array([value]).astype(kind)[0]) for value in found}
    return [*sorted(value for value in values if value == value), NAN]


def agrees(value, allowed):
    return any(value == one or (value != value and one != one) for one in allowed)


def convert_program(source, target):
    return LinalgProgram(
        buffers=(Buffer("in", 64), Buffer("out", 64)),
        vectors=(Vector("s", source, 4), Vector("t", target, 4)),
        body=(VectorLoad("s", "in", 0), Convert("t", "s"), VectorStore("t", "out", 0)),
        wave_size=1,
    )


@pytest.mark.filterwarnings("ignore:overflow|invalid|divide:RuntimeWarning")
@pytest.mark.parametrize(("source", "value", "target", "allowed"), RULES, ids=IDS)
def test_the_rules_of_the_text(source, value, target, allowed):
    """LINALG-CONV-INT, LINALG-CONV-INT-FLOAT, LINALG-CONV-FLOAT-INT and LINALG-CONV-FLOAT."""
    program = convert_program(source, target)
    held = {"in": image(64, (0, octets(*[value] * 4, dtype=TYPES[source])))}
    tried = 0
    for answer in candidates(target, allowed):
        first = octets(answer, dtype=TYPES[target])
        good = next(one for one in allowed)
        rest = octets(good, good, good, dtype=TYPES[target])
        demanded_left = poisoned(program, held, first + rest)
        assert is_right(program, held, {"out": demanded_left}) == agrees(answer, allowed), answer
        tried += 1
    assert tried > 3


def poisoned(program, held, written):
    """The output view: poison everywhere but where the program writes."""
    whole = expected(program, held).images["out"][0, 64:128].tobytes()
    return written + whole[len(written) :]


def test_nan_to_an_integer_is_not_judged():
    program = convert_program("F32", "I32")
    held = {"in": image(64, (0, octets(NAN, 1, 1, 1, dtype=SINGLE)))}
    for answer in (0, 7, -(2**31), 2**31 - 1):
        assert is_right(program, held, {"out": poisoned(program, held, octets(answer, 1, 1, 1, dtype=np.int32))})
    assert not is_right(program, held, {"out": poisoned(program, held, octets(0, 2, 1, 1, dtype=np.int32))})


def splat_program(component, value, scalar):
    return LinalgProgram(
        buffers=(Buffer("in", 64, 0), Buffer("out", 256, 0)),
        matrices=(Matrix("C", component, 4, 4, "Accumulator"),),
        body=(Splat("C", scalar, value), Store("C", "out", 0, 16)),
    )


def rows_of(values, dtype):
    """A 4 x 4 matrix in an output of 256 bytes, rows 16 bytes apart."""
    size = np.dtype(dtype).itemsize * 4
    return [(row * 16, octets(*values, dtype=dtype)[:size]) for row in range(4)]


def test_a_splat_converts_by_these_rules_and_not_by_the_language():
    bits = int(np.array([-7.5], np.float32).view(np.uint32)[0])
    program = splat_program("U8", Literal(bits), "float")
    assert is_right(program, {}, left(program, {}, "out", *rows_of([0] * 4, np.uint8)))
    assert not is_right(program, {}, left(program, {}, "out", *rows_of([249] * 4, np.uint8)))
    program = splat_program("I8", Literal(bits), "float")
    assert is_right(program, {}, left(program, {}, "out", *rows_of([-8] * 4, np.int8)))
    assert not is_right(program, {}, left(program, {}, "out", *rows_of([-7] * 4, np.int8)))


def test_a_splat_from_memory_is_converted_too():
    program = splat_program("F16", FromBuffer("in", 8), "uint64_t")
    held = {"in": image(64, (8, octets(4099, dtype=np.uint64)))}
    assert is_right(program, held, left(program, held, "out", *rows_of([4100] * 4, HALF)))
    assert not is_right(program, held, left(program, held, "out", *rows_of([4096] * 4, HALF)))


def test_a_cast_converts_every_element():
    program = LinalgProgram(
        buffers=(Buffer("in", 256, 0), Buffer("out", 256, 0)),
        matrices=(Matrix("A", "F32", 4, 4, "A"), Matrix("B", "I16", 4, 4, "B")),
        body=(Load("A", "in", 0, 16), Cast("B", "A"), Store("B", "out", 0, 16)),
    )
    held = {"in": image(256, *[(row * 16, octets(0.5, 1.5, -2.5, 40000, dtype=SINGLE)) for row in range(4)])}
    assert is_right(program, held, left(program, held, "out", *rows_of([0, 2, -2, 32767], np.int16)))
    assert not is_right(program, held, left(program, held, "out", *rows_of([0, 2, -3, 32767], np.int16)))
    assert not is_right(program, held, left(program, held, "out", *rows_of([0, 2, -2, -25536], np.int16)))
