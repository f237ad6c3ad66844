"""Correctly rounded dot products for whole batches: the exact sum A*B + C, rounded once.

Three stages, each sure of what it answers:

1. a float64 product d and a bound e of its error: where d - e and d + e round alike, rounding being monotone, that is
   the answer;
2. elsewhere (ties, near ties, cancellation) the sum again without error, rounded to odd and then once (`undecided`);
3. the few elements whose terms spread over more than float64 pairs can hold, in fractions.

Products of A and B are exact in float64: at most 24 + 24 significand bits, exponents far inside its range, from 2^-298
to 2^256, so that nothing underflows or overflows either. `certificate` has the bound.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mmaspec.oracle.numerics.bulk import single, undecided
from mmaspec.oracle.numerics.bulk.certificate import MAX_K, certain_ordinals, nearest_sizes, relative_error
from mmaspec.oracle.numerics.bulk.environment import require_ieee
from mmaspec.oracle.numerics.bulk.fixed_point import round_ordinals, signed
from mmaspec.oracle.numerics.bulk.tiles import along_one_axis, chunks
from mmaspec.oracle.numerics.ordinals import AnyBits, Bits, Doubles, Flags, Ordinals, exact_float64
from mmaspec.oracle.numerics.rounding import round_to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

CHUNK = 1 << 15
"""Elements of the largest matrix in one chunk: 128 tiles of 16x16, temporaries of a quarter of a megabyte."""


def dot(
    *,
    a_fmt: Format,
    a: AnyBits,
    b_fmt: Format,
    b: AnyBits,
    c_fmt: Format,
    c: AnyBits,
    d_fmt: Format | None = None,
    mode: Mode = Mode.NEAREST_EVEN,
) -> Bits:
    """Bits of A*B + C in `d_fmt` (None: the format of C), each element the exact sum rounded once in `mode`.

    a (..., M, K), b (..., K, N) and c (..., M, N) are bits of any unsigned type; leading dimensions broadcast. Float
    formats up to f32, K up to 4096, and infinities in `d_fmt`; ValueError otherwise. NaN operands, Inf x 0 and
    Inf - Inf give the quiet NaN with the sign clear, an infinity beside finite terms itself. An exact zero is +0; a
    result that underflows to zero keeps its sign.
    """
    d_fmt = d_fmt or c_fmt
    _check((a_fmt, b_fmt, c_fmt, d_fmt), a, b, c)
    require_ieee()
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
    a, b, c = along_one_axis(lead, a, b, c)
    out = np.empty(c.shape, np.uint64)
    for part in chunks(CHUNK, a, b, c) if out.size else ():
        values = exact_float64(a_fmt, a[part]), exact_float64(b_fmt, b[part]), exact_float64(c_fmt, c[part])
        out[part] = _chunk(d_fmt, *values, mode)
    return out.reshape(*lead, *c.shape[-2:])


def _check(formats: tuple[Format, ...], a: AnyBits, b: AnyBits, c: AnyBits) -> None:
    if not all(fmt.is_float and fmt.bits <= 32 for fmt in formats) or not formats[-1].infinities:
        raise ValueError(f"no rounded dot product of {', '.join(fmt.name for fmt in formats)}")
    if min(a.ndim, b.ndim, c.ndim) < 2 or a.shape[-1] != b.shape[-2] or c.shape[-2:] != (a.shape[-2], b.shape[-1]):
        raise ValueError(f"shapes {a.shape}, {b.shape} and {c.shape} do not fit")
    if a.shape[-1] > MAX_K:
        raise ValueError(f"K = {a.shape[-1]} is beyond the {MAX_K} for which the error bound is proved")


def _chunk(fmt: Format, a: Doubles, b: Doubles, c: Doubles, mode: Mode) -> Bits:
    with np.errstate(invalid="ignore"):
        error = np.abs(a) @ np.abs(b)
    error += np.abs(c)
    if np.isfinite(error.max(initial=0.0)):  # every entry of A and B is in some sum: one special shows
        return _finite(fmt, (a, b, c), error, mode)
    clean = np.nan_to_num(a, nan=0, posinf=0, neginf=0), np.nan_to_num(b, nan=0, posinf=0, neginf=0)
    addend = np.nan_to_num(c, nan=0, posinf=0, neginf=0)
    found = _finite(fmt, (*clean, addend), np.abs(clean[0]) @ np.abs(clean[1]) + np.abs(addend), mode)
    # IEEE arithmetic on the classes alone (0, 1, Inf, NaN with their signs) gives NaN and Inf where they belong.
    left, right, third = (np.where(np.isfinite(each), np.sign(each), each) for each in (a, b, c))
    with np.errstate(invalid="ignore"):
        classes = left @ right + third
    sign = np.where(classes < 0, np.uint64(fmt.sign_bit), np.uint64(0))
    found = np.where(np.isinf(classes), np.uint64(fmt.infinity_magnitude) | sign, found)
    return np.where(np.isnan(classes), np.uint64(fmt.nan_bits), found)


def _finite(fmt: Format, operands: tuple[Doubles, Doubles, Doubles], size: Doubles, mode: Mode) -> Bits:
    """A chunk without specials; `size`, the sum of all sizes, is used up."""
    a, b, c = operands
    total = a @ b
    total += c
    error = size
    relative = relative_error(a.shape[-1])
    error *= relative
    if fmt.name == "f32" and mode is Mode.NEAREST_EVEN:
        return _single(operands, total, error, relative)
    if mode is Mode.NEAREST_EVEN:
        found, sure = nearest_sizes(fmt, total, error)
    else:
        found, sure = certain_ordinals(fmt, total, error, mode)
    zero = found == 0
    if zero.any():  # the sign counts too, and an exact zero is +0
        total += 0.0
        sure &= ~zero | (np.abs(total) > error) | (error == 0)
    if not sure.all():
        found = second_stage(fmt, operands, ~sure, (total, signed(np.abs(found), total)), mode)
    if mode is not Mode.NEAREST_EVEN or found.min() < 0:
        np.abs(found, out=found)
    bits = found.view(np.uint64)
    sign = total.view(np.uint64) >> np.uint64(63)
    sign <<= np.uint64(fmt.bits - 1)
    bits |= sign
    return bits


def _single(operands: tuple[Doubles, Doubles, Doubles], total: Doubles, error: Doubles, relative: float) -> Bits:
    """The same into f32, to nearest: most results are proposed and proved, exact sums need one rounding."""
    codes, proved = single.proposed(total, error)
    bits = codes.astype(np.uint64)
    at = np.flatnonzero(~proved)
    if not at.size:
        return bits
    known = single.exact_sums(operands, at, error.reshape(-1)[at] / relative, relative)
    undecided_at = at[~known]
    mode, ordinals = Mode.NEAREST_EVEN, np.zeros(0, np.int64)
    if undecided_at.size:
        wanted = np.zeros(total.shape, np.bool_)
        wanted.reshape(-1)[undecided_at] = True
        nothing = np.zeros(total.shape, np.int64)
        ordinals = second_stage(single.F32, operands, wanted, (total, nothing), mode).reshape(-1)[undecided_at]
    values = total.reshape(-1)[at] + 0.0  # an exact zero is +0
    found = round_ordinals(single.F32, values, mode)
    found[~known] = ordinals
    sign = (values.view(np.uint64) >> np.uint64(63)) << np.uint64(31)
    bits.reshape(-1)[at] = np.abs(found).view(np.uint64) | sign
    return bits


def second_stage(
    fmt: Format, operands: tuple[Doubles, Doubles, Doubles], wanted: Flags, result: tuple[Doubles, Ordinals], mode: Mode
) -> Ordinals:
    """Ordinals of all the sums: of the wanted ones from exact sums, of the others as `result` has them.

    Totals are changed, in place, to values that round alike and have the right sign.
    """
    total, ordinals = result
    assert ordinals.flags.c_contiguous, "exact results are written through a flat view"
    found = undecided.settle(*operands, wanted, total)
    if found.tiles:  # the other totals are certain to round as they are
        ordinals = round_ordinals(fmt, total, mode)
    else:
        ordinals = ordinals.copy()
        ordinals.reshape(-1)[found.elements] = round_ordinals(fmt, total.reshape(-1)[found.elements], mode)
    for flat in found.left.tolist():
        at = tuple(int(n) for n in np.unravel_index(flat, total.shape))
        x = exact(*operands, (at[0], at[1], at[2]))
        total[at] = float(np.sign(x.numerator))
        ordinals[at] = round_to_ordinal(fmt, x, mode)
    return ordinals


def exact(a: Doubles, b: Doubles, c: Doubles, at: tuple[int, int, int]) -> Fraction:
    """The exact sum of one element."""
    t, i, j = at
    pairs = zip(a[t, i].tolist(), b[t, :, j].tolist(), strict=True)
    return sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(c[t, i, j].item()))
