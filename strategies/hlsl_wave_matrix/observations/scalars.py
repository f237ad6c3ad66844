"""The scalars of Fills and of operations with a scalar: where they come from, how often, and what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.memory import gather
from mmaspec.oracle.numerics.ordinals import exact_float64, is_inf, is_nan
from mmaspec.programs.base import Literal, Scalar
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    MatrixDepth,
    Repeat,
    ScalarDivide,
    ScalarOperation,
    is_packed,
)
from mmaspec.programs.windows import image_places
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import flow_of
from mmaspec.strategies.hlsl_wave_matrix.observations.operands import tag_of
from mmaspec.strategies.hlsl_wave_matrix.observations.provenance import all_touches
from mmaspec.strategies.hlsl_wave_matrix.observations.values import kinds_of, quiet

DWORD = FORMATS["u32"]
SINGLE, HALF = FORMATS["f32"], FORMATS["f16"]


def scalar_codes(subject: Subject, value: Scalar, fmt: Format) -> Codes:
    """The bits of a scalar operand in every item of the batch (once, if it is a literal)."""
    if isinstance(value, Literal):
        return np.array([value.bits], np.uint64)
    expected = subject.expectation
    assert isinstance(expected, Defined)
    buffer = next(buffer for buffer in subject.program.buffers if buffer.name == value.buffer)
    place = image_places(buffer, np.array([value.offset], np.int64))
    return gather(expected.images[value.buffer], place, fmt.nbytes)[:, 0]


def operand_format(subject: Subject, thing: Thing) -> Format:
    """The format of the scalar of a Fill or an operation: a dword for a packed matrix."""
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    return DWORD if is_packed(matrix) else FORMATS[matrix.element]


def own_codes(subject: Subject, thing: Thing) -> Codes:
    """The bits of the scalar of a Fill or an operation."""
    return scalar_codes(subject, thing.of.instruction.value, operand_format(subject, thing))


def _source(subject: Subject, thing: Thing) -> Answer:
    value = thing.of.instruction.value
    if isinstance(value, Literal):
        return "literal"
    bytes_of = set(range(value.offset, value.offset + operand_format(subject, thing).nbytes))
    found: set[str] = set()
    for touch in all_touches(subject):
        if touch.memory != value.buffer or not bytes_of & set(touch.places.tolist()):
            continue
        if touch.writes and touch.event.turn < thing.of.turn:
            found.add("depth" if isinstance(touch.event.instruction, MatrixDepth) else "own-result")
        elif isinstance(touch.event.instruction, Load):
            found.add("source-element")
    return found or ("read-only" if value.buffer in subject.program.read_only else "read-write")


def _offset(_: Subject, thing: Thing) -> Answer:
    value = thing.of.instruction.value
    if isinstance(value, Literal):
        return "literal"
    for least, name in ((1 << 16, "beyond-16-bits"), (1 << 12, "beyond-12-bits")):
        if value.offset >= least:
            return name
    return "zero" if value.offset == 0 else "high-half" if value.offset % 4 == 2 else "low-half"


def _repeats(subject: Subject, thing: Thing) -> Answer:
    flow, event, found = flow_of(subject), thing.of, set()
    one, program = event.instruction, subject.program
    around = flow.around(event)
    if isinstance(around, Repeat) and around.count > 1:
        found.add("each-pass")
    for other in flow.events:
        if not isinstance(other.instruction, Fill | ScalarOperation) or other.path == event.path:
            continue
        if not _same(one.value, other.instruction.value):
            continue
        if other.instruction.matrix != one.matrix:
            found.add("several-objects")
        if program.matrix(other.instruction.matrix).element != program.matrix(one.matrix).element:
            found.add("several-types")
    return found or "once"


def _same(one: Scalar, other: Scalar) -> bool:
    if isinstance(one, Literal) or isinstance(other, Literal):
        return one == other
    return (one.buffer, one.offset) == (other.buffer, other.offset)


def _for_float(subject: Subject, thing: Thing) -> Answer:
    return f"{tag_of(thing.of.instruction).removeprefix('scalar-')}-{operand_format(subject, thing).name}"


def _for_packed(subject: Subject, thing: Thing) -> Answer:
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    return f"{matrix.kind}-{matrix.element}"


_AS_FLOATS = {
    "zero": "zero", "negative-zero": "negative-zero", "least-subnormal": "least-subnormal",
    "largest-subnormal": "largest-subnormal", "least-normal": "least-normal", "largest": "largest",
    "full-significand": "full-significand", "quiet-nan": "quiet-nan", "quiet-nan-payload": "quiet-nan",
    "signalling-nan": "signalling-nan", "low-payload-nan": "low-payload-nan", "negative-nan": "negative-nan",
    "all-bits": "all-bits",
}  # fmt: skip
"""Kinds of floats that are classes of scalars; the others are told by their value."""


def _float_value(subject: Subject, thing: Thing) -> Answer:
    fmt = operand_format(subject, thing)
    return {name for code in np.unique(own_codes(subject, thing)) for name in float_names(fmt, int(code))}


def float_names(fmt: Format, code: int) -> Iterator[str]:
    """What is said of one float as a scalar."""
    bits = np.array([code], np.uint64)
    kinds = kinds_of(fmt, bits)
    named = {_AS_FLOATS[kind] for kind in kinds if kind in _AS_FLOATS}
    if is_inf(fmt, bits)[0]:
        named.add("negative-infinity" if code & fmt.sign_bit else "infinity")
    if "subnormal" in kinds and not named:
        named.add("subnormal")
    yield from named
    value = float(exact_float64(fmt, bits)[0])
    if is_nan(fmt, bits)[0] or is_inf(fmt, bits)[0] or value == 0:
        return
    if fmt is SINGLE and not _half_holds(value):
        yield "not-in-half"
    if _reciprocal_is_extreme(fmt, value):
        yield "reciprocal-overflows"
    if not named:
        yield _plain(fmt, code, value)


def _half_holds(value: float) -> bool:
    """Whether a finite float is a half."""
    scaled = value * 2.0**-HALF.qmin
    whole = scaled == int(scaled) if abs(value) <= 65504 else False
    return whole and int(abs(scaled)).bit_length() - _trailing(int(abs(scaled))) <= HALF.precision


def _trailing(number: int) -> int:
    return (number & -number).bit_length() - 1


def _reciprocal_is_extreme(fmt: Format, value: float) -> bool:
    """Whether the reciprocal is beyond the largest finite number, or subnormal."""
    largest = float(fmt.largest[0]) * 2.0 ** fmt.largest[1]
    return abs(value) * largest < 1 or abs(value) > 2.0**-fmt.emin


def _plain(fmt: Format, code: int, value: float) -> str:
    one = fmt.bias << fmt.fraction_bits
    size = code & ~fmt.sign_bit
    if size == one:
        return "minus-one" if code & fmt.sign_bit else "one"
    if abs(value) in (2.0, 0.5):
        return "two-or-half"
    if abs(size - one) == 1:
        return "next-to-one"
    if size % (1 << fmt.fraction_bits) == 0:
        return "power-up" if abs(value) > 1 else "power-down"
    if abs(value) in (3.0, 10.0) or _nearest_reciprocal(fmt, abs(value)):
        return "third"
    return "integer" if value == int(value) and abs(value) < 1 << 11 else "random"


def _nearest_reciprocal(fmt: Format, value: float) -> bool:
    """Whether a value is the format's neighbour of 1/3 or 1/10."""
    return any(abs(value - 1 / by) <= 2.0 ** -(fmt.precision + 1) / by for by in (3, 10))


def _integer_value(subject: Subject, thing: Thing) -> Answer:
    return {name for code in np.unique(own_codes(subject, thing)) for name in integer_names(int(code))}


def integer_names(code: int) -> Iterator[str]:
    """What is said of one 32-bit integer as a scalar."""
    value = code - (1 << 32) if code >> 31 else code
    size = abs(value)
    bits = np.array([code], np.uint64)
    named = {0: "zero", 1: "one", -1: "minus-one", 2: "two", -2: "minus-two", 1 << 30: "half-range",
             (1 << 31) - 1: "largest", 1 - (1 << 31): "near-least", -(1 << 31): "least"}.get(value)  # fmt: skip
    if code == 0x3F800000:
        yield "float-one-bits"
    if is_nan(SINGLE, bits)[0] and not quiet(SINGLE, bits)[0]:
        yield "nan-bits"
    if 0 < code < 1 << 23:
        yield "subnormal-bits"
    if named:
        yield named
    elif value in (3, 5, 7):
        yield "three"
    elif value in (-3, -5, -7):
        yield "negative-odd"
    elif size & (size - 1) == 0:
        yield "power" if value > 0 else "minus-power"
    elif value > 0 and value & (value + 1) == 0:
        yield "below-power"
    elif value > 0 and value % 2 == 0 and value < 1 << 11:
        yield "ten"
    elif value % 2 and 1 << 23 < size < 1 << 26:
        yield "about-24-bits"
    else:
        yield "to-16-bits" if size < 1 << 16 else "to-30-bits"


def _packed_value(subject: Subject, thing: Thing) -> Answer:
    return {name for code in np.unique(own_codes(subject, thing)) for name in packed_names(int(code))}


def packed_names(dword: int) -> Iterator[str]:
    """What is said of the four bytes of a packed Fill."""
    four = [dword >> shift & 0xFF for shift in (0, 8, 16, 24)]
    bits = np.array([dword], np.uint64)
    if is_nan(SINGLE, bits)[0] and not quiet(SINGLE, bits)[0]:
        yield "nan-bits"
    if len(set(four)) == 1:
        named = {0: "zero", 1: "ones", 127: "alike-127", 128: "alike-128", 255: "all-bits"}
        yield named.get(four[0]) or ("alike-low" if four[0] < 128 else "alike-high")
    elif four[0] == four[2] and four[1] == four[3]:
        yield "two-alternate"
    elif not any(four[1:]):
        yield "one-low"
    elif not any(four[:3]):
        yield "one-high"
    elif len(set(four)) == 4:
        yield "distinct-high" if max(four) > 127 else "distinct"


def _lanes(subject: Subject, thing: Thing) -> Answer:
    """Beside lane 0, whose scalar counts; other lanes are those of the smallest wave."""
    one, fmt = thing.of.instruction, operand_format(subject, thing)
    lane = one.lane
    if lane in (0, 1):
        return ("zero", "one")[lane]
    if lane == fmt.sign_bit:
        return "sign"
    others = {
        int(code) + lane * other & fmt.mask for code in np.unique(own_codes(subject, thing)) for other in range(1, 4)
    }
    bits = np.array(sorted(others), np.uint64)
    bad = is_nan(fmt, bits) | is_inf(fmt, bits) if fmt.is_float else (bits == 0) & isinstance(one, ScalarDivide)
    return "to-nan" if bad.any() else "exponent"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "scalar-source": _source,
        "scalar-offset": _offset,
        "scalar-repeats": _repeats,
        "scalar-lanes": _lanes,
        "float-scalar-for": _for_float,
        "integer-scalar-for": lambda _, thing: tag_of(thing.of.instruction).removeprefix("scalar-"),
        "packed-for": _for_packed,
        "float-scalar-value": _float_value,
        "integer-scalar-value": _integer_value,
        "packed-value": _packed_value,
    }
)
"""Axis -> how it is seen in a Fill or an operation with a scalar."""
