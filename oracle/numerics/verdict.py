"""Whether every D is legal: the same answer as with the legal set, without computing the set.

Envelope: x - B <= D <= x + B is compared in float64, with the error of x and B on the strict side; a D equal to the
float64 sum lies in every such set. Rounded to nearest: the same with half the distance of D to its neighbours in place
of B, as what is nearer than that rounds to D; a D equal to a float64 sum without error is right too. What remains (D at
the edge, sums inside the exact window that are not exact, specials, overflow, and of course whatever is wrong) is
judged by its legal set, tile by tile.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk import products
from mmaspec.oracle.numerics.bulk.certificate import MAX_K
from mmaspec.oracle.numerics.bulk.environment import require_ieee
from mmaspec.oracle.numerics.bulk.operands import (
    Addend,
    addend,
    finite_operand,
    known_addend,
    lowest_bits,
    mixed_signs,
    quantum,
)
from mmaspec.oracle.numerics.bulk.rounded import CHUNK
from mmaspec.oracle.numerics.bulk.tiles import along_one_axis, chunks
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import AnyBits, Doubles, Flags, exact_float64
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

_FEW = 8
"""Where one element in so many is doubtful, the lowest bits of all rows and columns are found at once."""


def illegal_sums(
    *,
    a_fmt: Format,
    a: AnyBits,
    b_fmt: Format,
    b: AnyBits,
    c_fmt: Format,
    c: AnyBits | Legal,
    got: AnyBits,
    rules: FloatRules,
) -> Flags:
    """Where `got`, of C's format and shape, is not a legal content of A*B + C: `illegal(multiply_add(...), got)`.

    a (..., M, K), b (..., K, N), c and got (..., M, N) are bits of any unsigned type, or c is a set; leading dimensions
    broadcast. Float formats up to f32, K up to 4096, and an accumulator with infinities; ValueError otherwise.
    """
    return judged_sums(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c_fmt=c_fmt, c=c, got=got, rules=rules)[0]


def judged_sums(
    *,
    a_fmt: Format,
    a: AnyBits,
    b_fmt: Format,
    b: AnyBits,
    c_fmt: Format,
    c: AnyBits | Legal,
    got: AnyBits,
    rules: FloatRules,
) -> tuple[Flags, bool]:
    """The same, and whether that took the legal set of some tile."""
    (m, k), n = a.shape[-2:], b.shape[-1]
    if not has_verdict(a_fmt, b_fmt, c_fmt, 0) or (isinstance(c, Legal) and c.fmt != c_fmt):
        raise ValueError(f"no verdict on {a_fmt.name} x {b_fmt.name} + {c_fmt.name}")
    if k != b.shape[-2] or c.shape[-2:] != (m, n) or got.shape[-2:] != (m, n) or k > MAX_K:
        raise ValueError(f"shapes {a.shape}, {b.shape}, {c.shape} and {got.shape} do not fit, or K is beyond {MAX_K}")
    require_ieee()
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2], got.shape[:-2])
    a, b, got = along_one_axis(lead, a, b, got)
    c = _along_one_axis(lead, c)
    wrong, sets = np.zeros(got.shape, np.bool_), False
    for part in chunks(CHUNK, a, b, got) if wrong.size else ():
        own, third = (a[part], b[part], got[part]), c.index(part) if isinstance(c, Legal) else c[part]
        with np.errstate(invalid="ignore"):
            open_tiles = ~_surely_legal(a_fmt, b_fmt, c_fmt, own, third, rules).all(axis=(1, 2))
        if open_tiles.any():
            sets = True
            wide = [each[open_tiles].astype(np.uint64) for each in own]
            third = third.index(open_tiles) if isinstance(third, Legal) else _moved(c_fmt, third[open_tiles])
            legal = multiply_add(a_fmt=a_fmt, a=wide[0], b_fmt=b_fmt, b=wide[1], c=third, rules=rules)
            wrong[part][open_tiles] = illegal(legal, wide[2])
    return wrong.reshape(*lead, m, n), sets


def has_verdict(a_fmt: Format, b_fmt: Format, c_fmt: Format, k: int) -> bool:
    """Whether `illegal_sums` takes sums of k products of these formats."""
    return all(fmt.is_float and fmt.bits <= 32 for fmt in (a_fmt, b_fmt, c_fmt)) and c_fmt.infinities and k <= MAX_K


def seen_at_once(rules: FloatRules) -> bool:
    """Whether verdicts without sets exist under these rules."""
    return rules.rounding in (None, Mode.NEAREST_EVEN) and rules.final_rounding is None and rules.model is None


def some_hazard(
    a_fmt: Format, a: AnyBits, b_fmt: Format, b: AnyBits, c_fmt: Format, c: AnyBits | Legal, rules: FloatRules
) -> bool | None:
    """Whether some sum of finite terms may overflow in one order and not in another (rule N4); None: it is close."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
    a, b = along_one_axis(lead, a, b)
    c = _along_one_axis(lead, c)
    for part in chunks(CHUNK, a, b):
        third = _third(c_fmt, c.index(part) if isinstance(c, Legal) else c[part], rules)
        if third is None:
            return None
        left = finite_operand(a_fmt, exact_float64(a_fmt, a[part]), rules)
        right = finite_operand(b_fmt, exact_float64(b_fmt, b[part]), rules)
        if left.unbounded is not None or right.unbounded is not None:
            return None
        hazard, sure = products.near_overflow(products.add_up(c_fmt, left, right, third, rules))
        if hazard is None or sure is None:
            continue
        if not sure.all():
            return None
        if (hazard & mixed_signs(left, right, third)).any():
            return True
    return False


def _along_one_axis(lead: tuple[int, ...], c: AnyBits | Legal) -> AnyBits | Legal:
    """The addend as (tiles, rows, columns)."""
    if isinstance(c, Legal):
        return c.broadcast_to((*lead, *c.shape[-2:])).reshape(math.prod(lead), *c.shape[-2:])
    return along_one_axis(lead, c)[0]


def _moved(fmt: Format, bits: AnyBits) -> Legal:
    return Legal.from_bits(fmt, bits.astype(np.uint64))


def _surely_legal(
    a_fmt: Format,
    b_fmt: Format,
    c_fmt: Format,
    data: tuple[AnyBits, AnyBits, AnyBits],
    c: AnyBits | Legal,
    rules: FloatRules,
) -> Flags:
    """Where D, the last of the data, is legal at first sight; nowhere in chunks with specials."""
    nothing = np.zeros(data[2].shape, np.bool_)
    third = _third(c_fmt, c, rules) if seen_at_once(rules) else None
    if third is None:
        return nothing
    d = exact_float64(c_fmt, data[2])
    left = finite_operand(a_fmt, exact_float64(a_fmt, data[0]), rules)
    right = finite_operand(b_fmt, exact_float64(b_fmt, data[1]), rules)
    if left.unbounded is not None or right.unbounded is not None:
        return nothing
    sums = products.add_up(c_fmt, left, right, third, rules)
    if not np.isfinite(sums.star.max(initial=0.0)):  # every entry is in some sum: one special shows
        return nothing
    x = sums.product if sums.point else sums.high + third.hi
    off = _outside(sums, x, d)
    reach = sums.star + sums.bound
    if rules.rounding is None:
        return _in_envelope(sums, x, off, reach)
    return _rounds_to(sums, d, off, reach, data[2])


def _third(fmt: Format, c: AnyBits | Legal, rules: FloatRules) -> Addend | None:
    """C from its bits, whatever they are; from a set only if every element of it holds a finite number."""
    if not isinstance(c, Legal):
        return known_addend(fmt, exact_float64(fmt, c), rules)
    top = fmt.largest_magnitude
    if ((c.lo > c.hi) | (c.lo > top) | (c.hi < -top)).any():
        return None
    return addend(c, rules)


def _outside(sums: products.Sums, x: Doubles, d: Doubles) -> Doubles:
    """The distance of d from the float64 sums; 0 inside. x has the upper ends of the sums, and is overwritten.

    Exact where it is 0, else off by at most a unit in the last place of |x| + |d|, which the slack has; NaN or infinite
    where d is, and so not inside.
    """
    if sums.point:
        x += sums.addend.lo
        off = x - d
        np.abs(off, out=off)
        return off
    above = d - x
    below = sums.low + sums.addend.lo
    below -= d
    np.maximum(above, below, out=above)
    inside = above < 0
    np.copyto(above, 0.0, where=inside)
    return above


def _in_envelope(sums: products.Sums, x: Doubles, off: Doubles, reach: Doubles) -> Flags:
    """Rules E and X. `off` and `reach`, S* + B, are used up.

    Near overflow there may be more that is legal, never less (rule N4).
    """
    same = off == 0
    reach *= sums.relative
    off += reach
    inside: Flags = off <= sums.bound
    rules = sums.rules
    if rules.window == "required":
        doubtful = _fits(x, reach, rules.window_bits(sums.fmt))
        doubtful &= inside
        doubtful &= ~same
        if sums.addend.point is not None:  # the window is for one addend
            doubtful &= sums.addend.point
        if sums.open is not None:  # and for operands that are read as they are
            doubtful &= ~sums.open
        if doubtful.any():
            inside &= ~_inside_window(sums, doubtful)
    inside |= same
    return inside


def _rounds_to(sums: products.Sums, d: Doubles, off: Doubles, reach: Doubles, bits: AnyBits) -> Flags:
    """Rule R to nearest: where all that the sum may be rounds to d, of these bits. `reach`, S* and more, is used up."""
    gaps = _half_gaps(sums.fmt, d)
    reach *= sums.relative
    reach += off
    inside: Flags = reach < gaps
    if not inside.all():
        doubtful = off <= gaps
        doubtful &= ~inside
        doubtful &= np.isfinite(off)  # an infinite D is infinitely far from its neighbours too
        even = (bits & bits.dtype.type(1)) == 0
        doubtful &= even | (off < gaps)  # ties go to even
        if sums.open is not None:
            doubtful &= ~sums.open
        if doubtful.any():
            inside |= _exact(sums, doubtful)
    return inside


def _half_gaps(fmt: Format, d: Doubles) -> Doubles:
    """Not more than half the distance from each value of the format to its nearer neighbour."""
    bits = d.view(np.int64)
    gaps = (bits & (0x7FF << 52)).view(np.float64)
    gaps *= 2.0 ** -(fmt.fraction_bits + 1)
    np.copyto(gaps, gaps / 2, where=(bits & (1 << 52) - 1) == 0)  # below a power of two they stand closer
    return np.maximum(gaps, math.ldexp(1.0, fmt.qmin - 1), out=gaps)


def _exact(sums: products.Sums, wanted: Flags) -> Flags:
    """Which of the wanted sums have no error in float64: S* is less than 2^53 of every term's lowest bits."""
    at, limit = _where(sums, wanted, 2.0**-53 * (1 + 2 * sums.relative))
    third = sums.addend
    if at.size * _FEW > wanted.size:
        quanta = quantum(sums.left, sums.right, third).reshape(-1)[at]
    else:
        quanta = np.minimum(_quanta(sums, at), _lowest(third.lo, at))
        quanta = quanta if third.hi is third.lo else np.minimum(quanta, _lowest(third.hi, at))
    found = np.zeros(wanted.shape, np.bool_)
    found.reshape(-1)[at] = limit < quanta
    return found


def _inside_window(sums: products.Sums, doubtful: Flags) -> Flags:
    """Which of the doubtful may lie in the exact window: S* has no more bits above every term's lowest than fit.

    They are few: what the lowest bit of C does not decide, the lowest of a row and a column do.
    """
    at, limit = _where(sums, doubtful, 2.0 ** -sums.rules.window_bits(sums.fmt) * (1 - 2 * sums.relative))
    open_to = limit < _lowest(sums.addend.lo, at)
    at, limit = at[open_to], limit[open_to]
    found = np.zeros(doubtful.shape, np.bool_)
    found.reshape(-1)[at] = limit < _quanta(sums, at)
    return found


def _where(sums: products.Sums, wanted: Flags, factor: float) -> tuple[NDArray[np.intp], Doubles]:
    """Places of the wanted elements in the flat batch, and S* there times the factor."""
    at = np.flatnonzero(wanted)
    return at, sums.star.reshape(-1)[at] * factor


def _lowest(v: Doubles, at: NDArray[np.intp]) -> Doubles:
    """The lowest bits at these places."""
    return lowest_bits(v.reshape(-1)[at])


def _quanta(sums: products.Sums, at: NDArray[np.intp]) -> Doubles:
    """A power of two that divides every product of these elements: lowest bits of the row times those of the column."""
    a, b = sums.left.values, sums.right.values
    row, j = np.divmod(at, b.shape[-1])
    t, i = np.divmod(row, a.shape[-2])
    found: Doubles = lowest_bits(a[t, i]).min(axis=-1, initial=np.inf)
    found *= lowest_bits(b[t, :, j]).min(axis=-1, initial=np.inf)
    return found


def _fits(x: Doubles, slack: Doubles, bits: int) -> Flags:
    """Elements where a number with that many significant bits lies within the slack of x.

    Inside the exact window the sum has no more than w bits. Veltkamp's splitting finds the nearest such number (on
    ties one of two, equally far), and its distance is exact in float64.
    """
    scaled = x * (2.0 ** (53 - bits) + 1)
    nearest = scaled - x
    np.subtract(scaled, nearest, out=nearest)
    np.subtract(x, nearest, out=nearest)
    np.abs(nearest, out=nearest)
    found: Flags = nearest <= slack
    return found
