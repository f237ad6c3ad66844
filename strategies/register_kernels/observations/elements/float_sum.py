"""Elements of D of a float form."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Bits, Flags
from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.chains import chain_at
from mmaspec.strategies.register_kernels.observations.elements.cancelling import (
    put_c_weight,
    put_cancellation,
    put_large,
    put_spread,
)
from mmaspec.strategies.register_kernels.observations.elements.exact import UNIT
from mmaspec.strategies.register_kernels.observations.elements.float_terms import Terms, terms_of
from mmaspec.strategies.register_kernels.observations.elements.ranges import double_rounding
from mmaspec.strategies.register_kernels.observations.elements.rounding import put_rounding, put_subnormals, put_zero
from mmaspec.strategies.register_kernels.observations.elements.specials import put_specials
from mmaspec.strategies.register_kernels.observations.elements.terms import put_term_signs
from mmaspec.strategies.register_kernels.observations.flow import Event
from mmaspec.strategies.register_kernels.observations.matrices import every
from mmaspec.strategies.register_kernels.observations.spread import distinct_results, lines_of
from mmaspec.strategies.register_kernels.observations.table import Table
from mmaspec.strategies.register_kernels.observations.values import float_classes, float_matrices

Integers = NDArray[np.int64]

BEYOND_F16 = 0x4780
"""2^16 in bf16."""


@lru_cache(maxsize=64)
def float_table(subject: Subject, event: Event) -> Table:
    """Every element of every item and wave."""
    terms = terms_of(subject, event)
    table = Table(subject, terms.shape)
    fmt = terms.matrices[2].fmt
    _put_values(terms, table)
    special = put_specials(subject, event, terms, table)
    put_zero(terms, table, fmt)
    put_rounding(terms, table, fmt)
    put_subnormals(terms, table, fmt)
    put_cancellation(terms, table, fmt)
    put_large(terms, table)
    put_spread(terms, table)
    put_c_weight(terms, table, fmt)
    products = ~(terms.a.zero | terms.b.zero)
    count = products.sum(axis=-1)
    table.number("terms", count, terms.known)
    put_term_signs(table, np.sign(terms.number), np.sign(terms.c.number), terms.finite)
    table.put("double-rounding", double_rounding(terms, fmt))
    _put_width(terms, table, fmt)
    _put_integers(terms, table, fmt)
    _put_formats(terms, table)
    _put_distinct(terms, table)
    row, column = lines_of(special & terms.known)
    table.number("row-position", np.broadcast_to(row, terms.shape), terms.known)
    table.number("column-position", np.broadcast_to(column, terms.shape), terms.known)
    apart = (terms.a.nan | terms.a.infinite) | (terms.b.nan | terms.b.infinite)
    only = np.where(count == 1, products.argmax(axis=-1), np.where(apart.sum(axis=-1) == 1, apart.argmax(axis=-1), -1))
    table.number("k-position", only, terms.known)
    _put_chain(subject, event, table)
    return table


def _put_values(terms: Terms, table: Table) -> None:
    a, b, c = terms.matrices
    for axis, one, lines in (("a-float", a, -1), ("b-float", b, -2)):
        for name, here in float_classes(one.fmt, one.bits, c.fmt, factor=True).items():
            table.put(axis, {name: np.expand_dims((here & one.known).any(axis=lines), lines)})
    table.put(
        "c-float",
        {
            k: v & c.known & np.bool_(not c.computed or "nan" not in k)
            for k, v in float_classes(c.fmt, c.bits, c.fmt, factor=False).items()
        },
    )
    for axis, one in (("a-float", a), ("b-float", b), ("c-float", c)):
        whole = every(one.known)
        table.put(axis, {k: (v & whole)[..., None, None] for k, v in float_matrices(one.fmt, one.bits).items()})


def _put_width(terms: Terms, table: Table, fmt: Format) -> None:
    width = terms.top[..., :-1] - terms.low[..., :-1] + 1
    product, most = (terms.number != 0) & terms.finite[..., None], 2 * terms.matrices[0].fmt.precision
    full = (product & (width >= most)).any(axis=-1)
    table.put("product-width", {
        "one-bit": (product & (width == 1)).any(axis=-1),
        "few": (product & (width > 1) & (width < most)).any(axis=-1),
        "full": full,
        "beyond-d": (product & (width > fmt.precision)).any(axis=-1),
        "full-with-c": full & (terms.top[..., -1] - terms.low[..., -1] == fmt.fraction_bits),
    })  # fmt: skip


def _put_integers(terms: Terms, table: Table, fmt: Format) -> None:
    """Sums of magnitudes in units of the lowest bit: as long as each term is below 2^26, doubles hold them exactly."""
    low = np.minimum(terms.low.min(axis=-1), 1 << 19)
    unit = np.where(low > -UNIT, 0, low + UNIT)
    some = (terms.top >= 0).any(axis=-1)
    fits = terms.finite & some & (terms.top.max(axis=-1) - (unit - UNIT) < 26)
    scaled = np.ldexp(np.where(fits[..., None], np.abs(terms.values), 0.0), -unit[..., None].astype(np.int32))
    total, limit = scaled.sum(axis=-1), float(1 << fmt.precision)
    whole = fits & (unit >= 0)
    values = terms.values
    ones = (values[..., :-1] == 1).all(axis=-1) & ((values[..., -1] == 0) | (values[..., -1] == 1))
    single = (terms.a.number * terms.b.number != 0).all(axis=-1) & ones
    found: dict[str, Flags] = {
        "ones": terms.finite & single,
        "small": whole & (total < limit),
        "at-limit": whole & (total == limit),
        "beyond-limit": whole & (total == limit + 1),
        "fractions": fits & ~whole & (total <= limit),
    }
    table.put("exact-integers", {**found, "no": terms.finite & ~np.any(list(found.values()), axis=0)})


def _put_formats(terms: Terms, table: Table) -> None:
    """By the bits of the factors of an element."""
    wide, known = terms.matrices[0].fmt.name == "bf16", terms.known
    for side in (terms.a, terms.b):
        size: Bits = side.bits & np.uint64(0x7FFF)
        lowest = side.number & -side.number
        fine = (np.abs(side.number) >= lowest << 8) & (side.number != 0)
        table.put("single-against-half", {
            "bits-differ": (size != 0).any(axis=-1) & known,
            "f16-infinity-bits": (size == 0x7C00).any(axis=-1) & known,
            "bf16-infinity-bits": (size == 0x7F80).any(axis=-1) & known,
            "beyond-f16": (wide & (size >= BEYOND_F16) & (size < 0x7F80)).any(axis=-1) & known,
            "f16-fine": fine.any(axis=-1) & known,
        })  # fmt: skip
    nothing = terms.a.zero.all(axis=-1) & terms.b.zero.all(axis=-1)
    table.put("single-against-half", {"same-meaning": nothing & terms.known})


def _put_distinct(terms: Terms, table: Table) -> None:
    whole = every(terms.finite)[..., None, None]
    if not whole.any():
        return
    left, products, c = (_numbered(one.limbs).reshape(terms.shape) for one in (terms.total, terms.dot, terms.addend))
    table.put("result-distinct", {k: v & whole for k, v in distinct_results(left, products, c).items()})


def _numbered(limbs: Integers) -> Integers:
    """Equal sums get equal numbers."""
    codes = np.ascontiguousarray(limbs.T).view(np.dtype((np.void, limbs.shape[0] * 8))).reshape(-1)
    found: Integers = np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)
    return found


def _put_chain(subject: Subject, event: Event, table: Table) -> None:
    """How the sums of products of a chain relate, where all of its factors are finite."""
    chain = chain_at(subject)[event.turn].before(event)
    if len(chain) < 2:
        return
    parts = [terms_of(subject, one) for one in chain]
    here = np.logical_and.reduce([~(t.a.nan | t.a.infinite | t.b.nan | t.b.infinite).any(axis=-1) for t in parts])
    here = here & np.logical_and.reduce([one.matrices[0].known.all() and one.matrices[1].known.all() for one in parts])
    sizes = [one.dot_size for one in parts]
    signs = np.stack([one.dot.sign for one in parts])
    tops = np.stack([size.top() for size in sizes])
    opposite = (parts[-1].dot.plus(parts[-2].dot).sign == 0) & (signs[-1] != 0)
    much = 4 + len(chain).bit_length()
    classes = {
        "cancels-exactly": opposite,
        "same-sign": (signs > 0).all(axis=0) | (signs < 0).all(axis=0),
        "first-dominates": tops[0] >= tops[1:].max(axis=0) + much,
        "last-dominates": tops[-1] >= tops[:-1].max(axis=0) + much,
    }
    shaped = {name: parts[-1].shaped(flags) & here for name, flags in classes.items()}
    table.put("chain-cancels", shaped)
    table.put("chain-cancels", {"unrelated": here & ~np.any(list(shaped.values()), axis=0)})
