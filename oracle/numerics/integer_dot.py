"""Exact integer dot products of whole batches, through float BLAS wherever every partial sum fits its significand.

A float product of integers has no rounding as long as no partial sum, in whatever order, reaches 2^24 (float32) or 2^53
(float64); both are known beforehand from the widths and K.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk.tiles import along_one_axis, chunks
from mmaspec.oracle.numerics.ordinals import AnyBits, Bits, Ordinals, to_ordinal
from mmaspec.programs.formats import Format

MAX_K = 4096
"""Products per element for which every sum of 16-bit operands and a 32-bit addend stays far inside int64."""

CHUNK = 1 << 16
"""Elements of the largest matrix in one chunk: a quarter of a megabyte in float32."""


def product_type(a_fmt: Format, b_fmt: Format, k: int) -> type[np.float32 | np.float64]:
    """The narrower float that holds every partial sum of K products exactly. ValueError where none does."""
    largest = max(abs(a_fmt.min_value), a_fmt.max_value) * max(abs(b_fmt.min_value), b_fmt.max_value) * k
    if largest <= 1 << 24:
        return np.float32
    if largest <= 1 << 53:
        return np.float64
    raise ValueError(f"sums of {k} products of {a_fmt.name} and {b_fmt.name} do not fit float64")


def integer_product(a_fmt: Format, a: AnyBits, b_fmt: Format, b: AnyBits) -> NDArray[np.floating[Any]]:
    """A*B for a (..., M, K) and b (..., K, N), bits of any unsigned type; exact integers as float32 or float64."""
    dtype = product_type(a_fmt, b_fmt, a.shape[-1])
    product: NDArray[np.floating[Any]] = _values(a_fmt, a).astype(dtype) @ _values(b_fmt, b).astype(dtype)
    return product


def sizes_product(a_fmt: Format, a: AnyBits, b_fmt: Format, b: AnyBits) -> Ordinals:
    """Sums of the magnitudes of the products."""
    dtype = product_type(a_fmt, b_fmt, a.shape[-1])
    product = np.abs(_values(a_fmt, a).astype(dtype)) @ np.abs(_values(b_fmt, b).astype(dtype))
    sizes: Ordinals = product.astype(np.int64)
    return sizes


def _values(fmt: Format, bits: AnyBits) -> NDArray[np.integer[Any]]:
    """Values of codes of at most 16 bits, in the narrowest type that has them."""
    if fmt.bits == 4:
        small = bits.astype(np.int8)
        return (small ^ 8) - 8 if fmt.signed else small
    width = fmt.nbytes
    narrow = bits if bits.dtype == np.dtype(f"u{width}") else bits.astype(f"u{width}")
    return np.ascontiguousarray(narrow).view(f"i{width}") if fmt.signed else narrow


def integer_dot(
    *,
    a_fmt: Format,
    a: AnyBits,
    b_fmt: Format,
    b: AnyBits,
    c_fmt: Format,
    c: AnyBits,
    overflow: Literal["wrap", "saturate"] = "wrap",
) -> Bits:
    """Bits of A*B + C in the integer format of C: modulo 2^bits, or the exact sum clamped once.

    a (..., M, K), b (..., K, N) and c (..., M, N) are bits of any unsigned type; leading dimensions broadcast. Operands
    of up to 16 bits, an accumulator of up to 32, K up to 4096; ValueError otherwise.
    """
    if any(fmt.is_float for fmt in (a_fmt, b_fmt, c_fmt)) or max(a_fmt.bits, b_fmt.bits) > 16 or c_fmt.bits > 32:
        raise ValueError(f"no integer dot product of {a_fmt.name} x {b_fmt.name} + {c_fmt.name}")
    (m, k), n = a.shape[-2:], b.shape[-1]
    if k > MAX_K or k != b.shape[-2] or c.shape[-2:] != (m, n):
        raise ValueError(f"shapes {a.shape}, {b.shape} and {c.shape} do not fit, or K is beyond {MAX_K}")
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2])
    a, b, c = along_one_axis(lead, a, b, c)
    out = np.empty(c.shape, np.int64)
    for part in chunks(CHUNK, a, b, c) if out.size else ():
        total = integer_product(a_fmt, a[part], b_fmt, b[part]).astype(np.int64)
        if overflow == "saturate":
            total += to_ordinal(c_fmt, c[part].astype(np.uint64))
            np.clip(total, c_fmt.min_value, c_fmt.max_value, out=total)
        else:
            total += c[part].astype(np.int64)  # modulo 2^bits a code is as good as its value
        np.bitwise_and(total, c_fmt.mask, out=out[part])
    return out.view(np.uint64).reshape(*lead, m, n)
