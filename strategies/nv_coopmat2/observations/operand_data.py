"""The axes about values of operands: special ones, zeros, and symmetry."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import FromBuffer, Literal, Scalar
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.operands import reads, scalars
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every, facts
from mmaspec.strategies.nv_coopmat2.observations.sums import product_data
from mmaspec.strategies.nv_coopmat2.observations.values import Bits, certain, float_classes, integer_classes

Flags = NDArray[np.bool_]


def scalar_bits(subject: Subject, value: Scalar, fmt: Format) -> Bits | None:
    """The bits of a scalar operand over the batch; None where the program itself stored them."""
    if isinstance(value, Literal):
        return np.array([value.bits & fmt.mask], np.uint64)
    assert isinstance(value, FromBuffer)
    found = None if value.data is None else subject.case.values.get(value.data)
    return None if found is None else np.unique(found)


def operand_bits(subject: Subject, thing: Thing) -> Iterator[tuple[Format, Bits]]:
    """The exact bits of every operand, scalars among them."""
    assert thing.place is not None
    known = facts(subject)
    for name in dict.fromkeys(reads(thing.of)):
        held = subject.held(name, thing.place)
        if held is not None:
            yield held.fmt, certain(held)
    for name, scalar in scalars(thing.of):
        fmt = format_named(known.matrix(name).component)
        bits = scalar_bits(subject, scalar, fmt)
        if bits is not None:
            yield fmt, bits


def floats(subject: Subject, thing: Thing) -> Answer:
    """Special values of float operands."""
    return {name for fmt, bits in operand_bits(subject, thing) if fmt.is_float for name in float_classes(fmt, bits)}


def integers(subject: Subject, thing: Thing) -> Answer:
    """Special values of integer operands."""
    found = operand_bits(subject, thing)
    return {name for fmt, bits in found if not fmt.is_float for name in integer_classes(fmt, bits)}


def special_places(subject: Subject, thing: Thing) -> Answer:
    """Which operand of a product holds special values, and what they meet."""
    assert thing.place is not None
    data = product_data(subject, thing.place)
    if data is None or not data.result.is_float:
        return None
    specials = list(data.specials())
    there = [bool(inf.any() or nan.any()) for inf, nan, _ in specials] + [False]
    (inf_a, nan_a, a), (inf_b, nan_b, b) = specials[:2]
    fa, fb = data.parts[0][0], data.parts[1][0]
    found = set(every(("a", there[:3] == [True, False, False]), ("b", there[:3] == [False, True, False])))
    found |= set(every(("c", there[:3] == [False, False, True])))
    zero_a, tiny_a, zero_b, tiny_b = *_small(fa, a), *_small(fb, b)
    found |= set(
        every(
            ("infinity-by-zero", _meet(inf_a, zero_b) or _meet(zero_a, inf_b)),
            ("infinity-by-subnormal", _meet(inf_a, tiny_b) or _meet(tiny_a, inf_b)),
            ("nan-by-zero", _meet(nan_a, zero_b) or _meet(zero_a, nan_b)),
            ("one-row-only", _lines(inf_a | nan_a, 2)),
            ("one-column-only", _lines(inf_b | nan_b, 3)),
        )
    )
    plus, minus = _infinite_terms(fa, fb, a, b, inf_a, inf_b)
    found |= set(every(("infinity-minus-infinity", (plus & minus).any())))
    found |= set(_signed_zeros(data.parts, a, b, fa, fb))
    if len(specials) > 2:
        inf_c, nan_c, c = specials[2]
        negative = c >= data.parts[2][0].sign_bit
        opposed = (inf_c & ~negative & minus) | (inf_c & negative & plus)
        found |= set(every(("nan-in-c", nan_c.any()), ("infinity-in-c-opposed", opposed.any())))
    return found


def _small(fmt: Format, bits: Bits) -> tuple[Flags, Flags]:
    magnitude = bits & np.uint64(fmt.sign_bit - 1)
    zero: Flags = magnitude == 0
    tiny: Flags = (magnitude > 0) & (magnitude < 1 << fmt.fraction_bits)
    return zero, tiny


def _meet(left: Flags, right: Flags) -> bool:
    """Whether elements of A and B that are multiplied have these properties."""
    return bool((left.any(axis=-2) & right.any(axis=-1)).any())


def _lines(special: Flags, axis: int) -> bool:
    """Whether one row (or column) of a wave has a special value, and no other has."""
    other = 3 if axis == 2 else 2
    lines = special.any(axis=other)
    return bool((lines.sum(axis=-1) == 1).any())


def _infinite_terms(fa: Format, fb: Format, a: Bits, b: Bits, inf_a: Flags, inf_b: Flags) -> tuple[Flags, Flags]:
    """Where some term is an infinity, ``(batch, waves, m, n)``, positive and negative."""
    negative_a, negative_b = a >= fa.sign_bit, b >= fb.sign_bit
    zero_a, zero_b = _small(fa, a)[0], _small(fb, b)[0]

    def terms(left: Flags, right: Flags) -> Flags:
        found: Flags = np.matmul(left.astype(np.int64), right.astype(np.int64)) > 0
        return found

    def of_sign(x: bool, y: bool) -> Flags:
        first = terms(inf_a & (negative_a == x), ~zero_b & (negative_b == y))
        return first | terms(~zero_a & (negative_a == x), inf_b & (negative_b == y))

    return of_sign(False, False) | of_sign(True, True), of_sign(False, True) | of_sign(True, False)


def _signed_zeros(parts: list[tuple[Format, Bits, Flags]], a: Bits, b: Bits, fa: Format, fb: Format) -> tuple[str, ...]:
    """Sums of zeros whose signs show."""
    if len(parts) < 3:
        return ()
    fc, c, _ = parts[2]
    zero_a, zero_b = _small(fa, a)[0], _small(fb, b)[0]
    negative_a, negative_b = a >= fa.sign_bit, b >= fb.sign_bit
    k = a.shape[-1]

    def count(left: Flags, right: Flags) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.matmul(left.astype(np.int64), right.astype(np.int64))
        return found

    zeros = k - count(~zero_a, ~zero_b)
    minus = count(zero_a & negative_a, ~negative_b) + count(zero_a & ~negative_a, negative_b)
    minus = minus + count(~zero_a & negative_a, zero_b & ~negative_b)
    minus = minus + count(~zero_a & ~negative_a, zero_b & negative_b)
    held = c == fc.sign_bit
    return every(
        ("minus-zero-sum", (held & (zeros == k) & (minus == k)).any()),
        ("minus-zero-c-only", (held & (zeros == k) & (minus == 0)).any()),
    )


def nonzero(fmt: Format, bits: Bits) -> Flags:
    """Which patterns are no zero of either sign."""
    found: Flags = (bits & np.uint64(fmt.sign_bit - 1 if fmt.is_float else fmt.mask)) != 0
    return found


def zero_pattern(subject: Subject, thing: Thing) -> Answer:
    """Where the operands of a product are zero."""
    assert thing.place is not None
    data = product_data(subject, thing.place)
    if data is None:
        return None
    a, b = (nonzero(fmt, bits) | ~sure for fmt, bits, sure in data.parts[:2])
    c = None if len(data.parts) < 3 else nonzero(*data.parts[2][:2]) | ~data.parts[2][2]
    found: set[str] = set()
    for item in range(a.shape[0]):
        for wave in range(a.shape[1]):
            pick = np.s_[item, wave]
            found |= set(_pattern(a[pick], b[pick], None if c is None else c[pick]))
    ones = {fmt.name: ((fmt.bias << fmt.fraction_bits) if fmt.is_float else 1) for fmt, _, _ in data.parts[:2]}
    unit_a, unit_b = ((bits == ones[fmt.name]) | ~nonzero(fmt, bits) for fmt, bits, _ in data.parts[:2])
    eye_a = any(_identity(x) and y.all() for x, y in zip(_flat(a), _flat(unit_a), strict=True))
    eye_b = any(_identity(x) and y.all() for x, y in zip(_flat(b), _flat(unit_b), strict=True))
    return found | set(every(("identity-a", eye_a), ("identity-b", eye_b)))


def _flat(some: Flags) -> Iterator[Flags]:
    yield from some.reshape(-1, *some.shape[-2:])


def _identity(there: Flags) -> bool:
    return there.shape[0] == there.shape[1] and bool((there == np.eye(there.shape[0], dtype=np.bool_)).all())


def _permutation(there: Flags) -> bool:
    square = there.shape[0] == there.shape[1] and not _identity(there)
    return square and bool((there.sum(axis=0) == 1).all() and (there.sum(axis=1) == 1).all())


def _pattern(a: Flags, b: Flags, c: Flags | None) -> tuple[str, ...]:
    k = a.shape[1]
    some_a, some_b = bool(a.any()), bool(b.any())
    fours = a[:, : k - k % 4].reshape(a.shape[0], -1, 4).sum(axis=-1)
    nowhere = bool(a.all() and b.all()) and (c is None or bool(c.all()))
    return every(
        ("nowhere", nowhere),
        ("row-of-a", some_a and (~a.any(axis=1)).any()),
        ("column-of-a", some_a and (~a.any(axis=0)).any()),
        ("row-of-b", some_b and (~b.any(axis=1)).any()),
        ("column-of-b", some_b and (~b.any(axis=0)).any()),
        ("a", not some_a),
        ("b", not some_b),
        ("c", c is not None and not c.any()),
        ("permutation", _permutation(a) or _permutation(b)),
        ("two-of-four", fours.size and (fours == 2).all()),
        ("first-half-k", k > 1 and some_a and not a[:, : k // 2].any()),
        ("everything", not some_a and not some_b and (c is None or not c.any())),
    )


def symmetry(subject: Subject, thing: Thing) -> Answer:
    """Whether the data show exchanged rows and columns."""
    assert thing.place is not None
    found: set[str] = set()
    for name in dict.fromkeys(reads(thing.of)):
        held = subject.held(name, thing.place)
        if held is not None:
            found |= set(_symmetry(held))
    return found


def _symmetry(held: Legal) -> Iterator[str]:
    bits, sure = held.certain_bits()
    for matrix, known in zip(_words(bits), _words(sure), strict=True):
        if known.all() and matrix.size > 1:
            rows, cols = bool((matrix == matrix[:1]).all()), bool((matrix == matrix[:, :1]).all())
            square = matrix.shape[0] == matrix.shape[1]
            yield from every(
                ("all-elements-differ", np.unique(matrix).size == matrix.size),
                ("rows-alike", rows and not cols),
                ("columns-alike", cols and not rows),
                ("symmetric", square and not (rows and cols) and (matrix == matrix.T).all()),
                ("all-alike", rows and cols),
            )


def _words(some: NDArray[np.generic]) -> NDArray[np.generic]:
    return some.reshape(-1, *some.shape[-2:])


LOOKS: dict[str, Look] = {
    "float-operand-value": floats,
    "integer-operand-value": integers,
    "special-operand-place": special_places,
    "zero-pattern": zero_pattern,
    "operand-symmetry": symmetry,
}
"""Axis -> how its classes are seen."""
