"""Elements of D of an integer form: their products, sums and ways through the range of 32 bits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.axes.observation import Subject
from mmaspec.strategies.register_kernels.observations.chains import chain_at, previous
from mmaspec.strategies.register_kernels.observations.contents import Contents, known_elements, operand_of
from mmaspec.strategies.register_kernels.observations.elements.terms import put_term_signs
from mmaspec.strategies.register_kernels.observations.flow import Event
from mmaspec.strategies.register_kernels.observations.matrices import every
from mmaspec.strategies.register_kernels.observations.spread import distinct_results, lines_of, range_spread
from mmaspec.strategies.register_kernels.observations.table import Table
from mmaspec.strategies.register_kernels.observations.values import (
    addend_classes,
    addend_matrices,
    integer_classes,
    integer_matrices,
)

Integers = NDArray[np.int64]

TOP, BOTTOM = (1 << 31) - 1, -(1 << 31)

MUCH = 16
"""How many times larger than all others a product is that dominates: one of two random ones is mostly larger."""


@lru_cache(maxsize=32)
def products_of(subject: Subject, event: Event) -> tuple[Integers, Integers, Flags]:
    """Products ``(batch, waves, i, j, k)``, C ``(batch, waves, i, j)``, and where all of an element is known."""
    a, b, c = (operand_of(subject, event, role) for role in "abc")
    products = a.values[..., :, None, :] * np.swapaxes(b.values, -1, -2)[..., None, :, :]
    return products, c.values, known_elements(a, b, c)


def dots_of(subject: Subject, event: Event) -> Integers:
    """Sums of products of each element."""
    found: Integers = products_of(subject, event)[0].sum(axis=-1)
    return found


@lru_cache(maxsize=64)
def integer_table(subject: Subject, event: Event) -> Table:
    """Every element of every item and wave."""
    products, c, known = products_of(subject, event)
    dot, table = products.sum(axis=-1), Table(subject, c.shape)
    total = c + dot
    a, b = (operand_of(subject, event, role) for role in "ab")
    bits = a.fmt.bits
    _of_values(subject, event, table)
    table.number("dot", dot, known)
    table.put("single-product", {k: v & known for k, v in _single(a, b, products).items()})
    table.put("pair-sum", {k: v & known for k, v in _pairs(products, bits).items()})
    table.put("sum-place", {k: v & known for k, v in _place(products, bits, c, total).items()})
    table.put("partial-range", {k: v & known for k, v in _ranges(products, c, total).items()})
    _along_chain(subject, event, table, known)
    out = (total > TOP) | (total < BOTTOM)
    whole = every(known)[..., None, None]
    table.put(
        event.flow.dialect.range_axis, {k: v & whole for k, v in range_spread(total > TOP, total < BOTTOM).items()}
    )
    terms = (products != 0).sum(axis=-1)
    table.number("terms", terms, known)
    put_term_signs(table, np.sign(products), np.sign(c), known)
    saturates = event.flow.dialect.saturates(event.call)
    left = np.clip(total, BOTTOM, TOP) if saturates else (total + (1 << 31)) % (1 << 32) - (1 << 31)
    table.put("result-distinct", {k: v & whole for k, v in distinct_results(left, dot, c).items()})
    row, column = lines_of(out)
    table.number("row-position", np.broadcast_to(row, c.shape), known)
    table.number("column-position", np.broadcast_to(column, c.shape), known)
    table.number("k-position", np.where(terms == 1, (products != 0).argmax(axis=-1), -1), known)
    return table


def _of_values(subject: Subject, event: Event, table: Table) -> None:
    a, b, c = (operand_of(subject, event, role) for role in "abc")
    for axis, one, lines in (("a-integer", a, -1), ("b-integer", b, -2)):
        spread = -1 if lines == -1 else -2
        for name, here in integer_classes(one.fmt, one.bits).items():
            table.put(axis, {name: np.expand_dims((here & one.known).any(axis=lines), spread)})
        whole = every(one.known)
        table.put(axis, {k: (v & whole)[..., None, None] for k, v in integer_matrices(one.fmt, one.bits).items()})
    table.put("c-integer", {k: v & c.known for k, v in addend_classes(c.values).items()})
    whole = every(c.known)
    table.put("c-integer", {k: (v & whole)[..., None, None] for k, v in addend_matrices(c.values).items()})


def _single(a: Contents, b: Contents, products: Integers) -> dict[str, Flags]:
    """Bytes and nibbles have these products in one way each, but for 1, 0 and -1, whose factors are looked at."""
    most, top = (1 << a.fmt.bits) - 1, 1 << (a.fmt.bits - 1)
    values = {
        "unsigned-largest": most * most,
        "mixed-lowest": -top * most,
        "mixed-largest": (top - 1) * most,
        "signed-largest": top * top,
        "signed-lowest": -top * (top - 1),
        "minus-one-times-one": -1,
        "by-zero": 0,
    }
    found = {name: (products == value).any(axis=-1) for name, value in values.items()}
    found["minus-one-squared"] = ((products == 1) & (a.values[..., :, None, :] == -1)).any(axis=-1)
    signs = (a.fmt.min_value < 0, b.fmt.min_value < 0)
    kept = {(False, False): {"unsigned-largest"}, (True, True): {"signed-largest", "signed-lowest"}}
    mixed = {"mixed-lowest", "mixed-largest"}
    always = {"minus-one-squared", "minus-one-times-one", "by-zero"} | kept.get(signs, mixed)
    return {name: here for name, here in found.items() if name in always}


def _pairs(products: Integers, bits: int) -> dict[str, Flags]:
    """Of words of 32 bits, and of two or four neighbours of any width."""
    pairs = products[..., 0::2] + products[..., 1::2]
    quads = pairs[..., 0::2] + pairs[..., 1::2]
    some = (products != 0).any(axis=-1)
    reach = (pairs.max(axis=-1) <= 32767) & (pairs.min(axis=-1) >= -32768)
    packed = products.reshape(*products.shape[:-1], -1, 32 // bits)
    cancel = ((packed != 0).any(axis=-1) & (packed.sum(axis=-1) == 0)).any(axis=-1)
    total = products.sum(axis=-1) == 0
    # What would be beyond any pair: two of 255 * 255, or two of 255 * -128.
    beyond = (quads.max(axis=-1) > 130050) | (quads.min(axis=-1) < -65280)
    return {
        "within-16-bits": reach & (quads.max(axis=-1) <= 32767) & (quads.min(axis=-1) >= -32768),
        "pair-beyond-signed-16": pairs.max(axis=-1) > 32767,
        "pair-below-signed-16": pairs.min(axis=-1) < -32768,
        "pair-beyond-unsigned-16": pairs.max(axis=-1) > 65535,
        "quad-beyond": beyond,
        "cancels-in-word": cancel,
        "cancels-across-words": total & some & ~cancel,
    }


def _place(products: Integers, bits: int, c: Integers, total: Integers) -> dict[str, Flags]:
    """By the ends of the range, and by the largest and least sums of products, whatever the signs of their factors."""
    dot, unsigned = products.sum(axis=-1), (1 << bits) - 1
    one, most = unsigned * unsigned, products.shape[-1] * unsigned * unsigned
    least = -products.shape[-1] * unsigned * (1 << (bits - 1))
    return {
        "inside": (total < TOP - most) & (total > BOTTOM + most),
        "two-below-upper": total == TOP - 1,
        "upper": (total == TOP) & (dot != 0),
        "one-over": total == TOP + 1,
        "over": (total > TOP + 1) & (total <= TOP + one),
        "most-over": (c == TOP) & (dot == most),
        "two-above-lower": total == BOTTOM + 1,
        "lower": (total == BOTTOM) & (dot != 0),
        "one-under": total == BOTTOM - 1,
        "under": (total < BOTTOM - 1) & (total >= BOTTOM - one),
        "most-under": (c == BOTTOM) & (dot == least),
        "zero": (total == 0) & (c != 0),
        "minus-one": (total == -1) & (c != 0) & (dot != 0),
        "crosses-zero": (np.sign(c) * np.sign(total) == -1) & (total >= BOTTOM) & (total <= TOP),
    }


def _ranges(products: Integers, c: Integers, total: Integers) -> dict[str, Flags]:
    """Running sums from C on, k ascending and k descending."""
    up = c[..., None] + np.cumsum(products, axis=-1)
    down = c[..., None] + np.cumsum(products[..., ::-1], axis=-1)
    over, under = (up > TOP).any(axis=-1), (up < BOTTOM).any(axis=-1)
    back = (down > TOP).any(axis=-1) | (down < BOTTOM).any(axis=-1)
    inside = (total >= BOTTOM) & (total <= TOP)
    best = c + np.maximum(products, 0).sum(axis=-1)
    worst = c + np.minimum(products, 0).sum(axis=-1)
    left = over | under
    return {
        "never": (best <= TOP) & (worst >= BOTTOM),
        "over-and-back": inside & over,
        "under-and-back": inside & under,
        "back-and-over": inside & ~left & back,
        "both-orders": inside & left & back,
        "over-then-partly-back": (total > TOP) & (up.max(axis=-1) > total),
        "under-then-partly-back": (total < BOTTOM) & (up.min(axis=-1) < total),
        "equal-ends": left & ((total == TOP) | (total == BOTTOM)),
    }


def _along_chain(subject: Subject, event: Event, table: Table, known: Flags) -> None:
    """What only shows with the products before: ``c`` is then what they left."""
    chain = chain_at(subject)[event.turn].before(event)
    if len(chain) < 2 or previous(subject, event) is None or not event.reads["c"]:
        return
    dots = np.stack([dots_of(subject, one) for one in chain], axis=-1)
    _, first, sure = products_of(subject, chain[0])
    sums = first[..., None] + np.cumsum(dots, axis=-1)
    here = known & sure
    total, before = sums[..., -1], sums[..., -2]
    alone = first + dots[..., -1]
    was_in = (sums[..., :-1] <= TOP).all(axis=-1) & (sums[..., :-1] >= BOTTOM).all(axis=-1)
    inside = (total >= BOTTOM) & (total <= TOP)
    table.put("sum-place", {
        "over-after-chain": here & was_in & (total > TOP) & (alone <= TOP),
        "under-after-chain": here & was_in & (total < BOTTOM) & (alone >= BOTTOM),
    })  # fmt: skip
    table.put("partial-range", {"by-chain": here & inside & ((before > TOP) | (before < BOTTOM))})
    sizes = np.abs(dots)
    rest = sizes.sum(axis=-1)
    classes = {
        "cancels-exactly": (dots[..., -1] == -dots[..., -2]) & (dots[..., -1] != 0),
        "same-sign": (dots > 0).all(axis=-1) | (dots < 0).all(axis=-1),
        "first-dominates": sizes[..., 0] > MUCH * (rest - sizes[..., 0]),
        "last-dominates": sizes[..., -1] > MUCH * (rest - sizes[..., -1]),
        "overflow-then-back": inside & ((sums > TOP) | (sums < BOTTOM)).any(axis=-1),
    }
    table.put("chain-cancels", {k: v & here for k, v in classes.items()})
    table.put("chain-cancels", {"unrelated": here & ~np.any(list(classes.values()), axis=0)})
