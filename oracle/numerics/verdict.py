"""Is every D legal? The same answer as the legal set gives, without computing the set.

The envelope x - B <= D <= x + B is compared in float64, with the error of x and B on the strict side; a D equal to the
float64 sum lies in every legal set there is. What remains (D at the edge, sums inside the exact window that are not
exact, specials, overflow, and of course whatever is wrong) is judged by its legal set, tile by tile.
"""

from __future__ import annotations

import math

import numpy as np

from mmaspec.oracle.numerics.bulk import products
from mmaspec.oracle.numerics.bulk.certificate import MAX_K
from mmaspec.oracle.numerics.bulk.environment import require_ieee
from mmaspec.oracle.numerics.bulk.operands import finite_operand, known_addend, lowest_bits
from mmaspec.oracle.numerics.bulk.rounded import CHUNK
from mmaspec.oracle.numerics.bulk.tiles import along_one_axis, chunks
from mmaspec.oracle.numerics.contract import multiply_add
from mmaspec.oracle.numerics.legal import Legal, illegal
from mmaspec.oracle.numerics.ordinals import AnyBits, Doubles, Flags, exact_float64
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format


def illegal_sums(
    *, a_fmt: Format, a: AnyBits, b_fmt: Format, b: AnyBits, c_fmt: Format, c: AnyBits, got: AnyBits, rules: FloatRules
) -> Flags:
    """Where `got`, of C's format and shape, is not a legal content of A*B + C: `illegal(multiply_add(...), got)`.

    a (..., M, K), b (..., K, N), c and got (..., M, N) are bits of any unsigned type; leading dimensions broadcast.
    Float formats up to f32, K up to 4096, and an accumulator with infinities; ValueError otherwise.
    """
    if not all(fmt.is_float and fmt.bits <= 32 for fmt in (a_fmt, b_fmt, c_fmt)) or not c_fmt.infinities:
        raise ValueError(f"no verdict on {a_fmt.name} x {b_fmt.name} + {c_fmt.name}")
    (m, k), n = a.shape[-2:], b.shape[-1]
    if k != b.shape[-2] or c.shape[-2:] != (m, n) or got.shape[-2:] != (m, n) or k > MAX_K:
        raise ValueError(f"shapes {a.shape}, {b.shape}, {c.shape} and {got.shape} do not fit, or K is beyond {MAX_K}")
    require_ieee()
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2], got.shape[:-2])
    a, b, c, got = along_one_axis(lead, a, b, c, got)
    wrong = np.zeros(c.shape, np.bool_)
    for part in chunks(CHUNK, a, b, c) if wrong.size else ():
        own = a[part], b[part], c[part], got[part]
        with np.errstate(invalid="ignore"):
            open_tiles = ~_surely_legal(a_fmt, b_fmt, c_fmt, own, rules).all(axis=(1, 2))
        if open_tiles.any():
            wide = [each[open_tiles].astype(np.uint64) for each in own]
            third = Legal.from_bits(c_fmt, wide[2])
            legal = multiply_add(a_fmt=a_fmt, a=wide[0], b_fmt=b_fmt, b=wide[1], c=third, rules=rules)
            wrong[part][open_tiles] = illegal(legal, wide[3])
    return wrong.reshape(*lead, m, n)


def _surely_legal(
    a_fmt: Format, b_fmt: Format, c_fmt: Format, data: tuple[AnyBits, AnyBits, AnyBits, AnyBits], rules: FloatRules
) -> Flags:
    """Where D is legal at first sight; not near overflow, and nowhere in chunks with specials."""
    nothing = np.zeros(data[2].shape, np.bool_)
    if rules.rounding is not None or rules.final_rounding is not None or rules.model is not None:
        return nothing
    raw_a, raw_b = exact_float64(a_fmt, data[0]), exact_float64(b_fmt, data[1])
    c, d = exact_float64(c_fmt, data[2]), exact_float64(c_fmt, data[3])
    left, right = finite_operand(a_fmt, raw_a, rules), finite_operand(b_fmt, raw_b, rules)
    sums = products.add_up(c_fmt, left, right, known_addend(c_fmt, c, rules), rules)
    if not np.isfinite(sums.star.max(initial=0.0)):  # every entry is in some sum: one special shows
        return nothing
    x = sums.product
    x += c
    # Exact where it is 0, else off by at most a unit in the last place of |x| + |d|, which the slack has; NaN or
    # infinite where D is, and so not inside.
    off = x - d
    same = off == 0
    np.abs(off, out=off)
    reach = sums.star + sums.bound
    significand, exponent = c_fmt.largest
    omega = math.ldexp(significand, exponent) * (1 - 2 * sums.relative)
    near = reach >= omega if reach.max(initial=0.0) >= omega else None
    reach *= sums.relative
    off += reach
    inside = off <= sums.bound
    if rules.window == "required":
        doubtful = _fits(x, reach, rules.window_bits(c_fmt))
        doubtful &= inside
        doubtful &= ~same
        if doubtful.any():
            inside &= ~_inside_window(sums, doubtful)
    inside |= same
    if near is not None:
        inside &= ~near
    return inside


def _inside_window(sums: products.Sums, doubtful: Flags) -> Flags:
    """Which of the doubtful may lie in the exact window: S* has no more bits above every term's lowest than fit.

    They are few: what the lowest bit of C does not decide, the lowest of a row and a column do.
    """
    a, b = sums.left.values, sums.right.values
    at = np.flatnonzero(doubtful)
    limit = sums.star.reshape(-1)[at] * (2.0 ** -sums.rules.window_bits(sums.fmt) * (1 - 2 * sums.relative))
    open_to = limit < lowest_bits(sums.addend.lo.reshape(-1)[at])
    at, limit = at[open_to], limit[open_to]
    row, j = np.divmod(at, doubtful.shape[-1])
    t, i = np.divmod(row, doubtful.shape[-2])
    quanta = lowest_bits(a[t, i]).min(axis=-1, initial=np.inf)
    quanta *= lowest_bits(b[t, :, j]).min(axis=-1, initial=np.inf)
    found = np.zeros(doubtful.shape, np.bool_)
    found.reshape(-1)[at] = limit < quanta
    return found


def _fits(x: Doubles, slack: Doubles, bits: int) -> Flags:
    """Where a number with so many significant bits lies within the slack of x.

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
