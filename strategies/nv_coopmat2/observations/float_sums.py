"""What happens in the float sums of a product."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every
from mmaspec.strategies.nv_coopmat2.observations.sums import ProductData, Sum, product_data
from mmaspec.strategies.nv_coopmat2.observations.values import Lies

FAR = 8
"""Terms so far apart in K lie in different steps of any hardware."""
TF32 = (1 << 13) - 1
"""The bits of an f32 operand that a reduced precision would drop."""


def _floats(subject: Subject, thing: Thing) -> ProductData | None:
    assert thing.place is not None
    data = product_data(subject, thing.place)
    return data if data is not None and data.result.is_float and data.parts[0][0].is_float else None


def exact_in_any_order(data: ProductData, one: Sum) -> bool:
    """Whether every partial sum, in whatever order, is a number of the result's format."""
    numbers = [abs(number) for number in (*one.terms, one.c) if number]
    if not numbers:
        return True
    least = min((number & -number).bit_length() - 1 for number in numbers)
    total = sum(numbers)
    return (
        total.bit_length() - least <= data.result.precision
        and least + data.unit >= data.result.qmin
        and total <= Lies(data.result, 0, data.unit).largest
    )


def terms(subject: Subject, thing: Thing) -> Answer:
    """Non-zero terms."""
    data = _floats(subject, thing)
    if data is None:
        return None
    found: set[str] = set()
    single: dict[tuple[int, int], set[int]] = {}
    for one in data.sums:
        at = [k for k, term in enumerate(one.terms) if term]
        found.update(_terms(data, one, at))
        if len(at) == 1:
            single.setdefault(one.item, set()).add(at[0])
    deep = data.parts[0][1].shape[-1]
    if any(len(ks) == deep for ks in single.values()):
        found.add("one-each-k")
    return found


def _terms(data: ProductData, one: Sum, at: list[int]) -> tuple[str, ...]:
    n, k = len(at), len(one.terms)
    exact = n > 2 and exact_in_any_order(data, one)
    return every(
        ("none", n == 0),
        ("one-first", at == [0]),
        ("one-last", at == [k - 1]),
        ("one-without-c", n == 1 and not one.c),
        ("one-with-c", n == 1 and one.c),
        ("two", n == 2),
        ("two-far-apart", n == 2 and at[1] - at[0] >= FAR),
        ("few-exact", 2 < n < k and exact),
        ("all-exact", n == k and exact),
        ("all-inexact", n == k and n > 2 and not exact),
    )


def sums(subject: Subject, thing: Thing) -> Answer:
    """What happens in a float sum."""
    data = _floats(subject, thing)
    if data is None:
        return None
    found: set[str] = set()
    for one in data.sums:
        if any(one.terms) or one.c:
            found.update(_terms_of(data, one))
            found.update(_whole(data, one))
    return found | set(_operands(data))


def _operands(data: ProductData) -> Iterator[str]:
    for fmt, bits, sure in data.parts[:2]:
        if fmt.name == "f32" and bool(((bits & TF32) > 0)[sure].any()):
            yield "operand-f32-bits"
    full = []
    for fmt, bits, sure in data.parts[:2]:
        mask = (1 << fmt.fraction_bits) - 1
        full.append(((bits & mask) == mask) & sure & ((bits & (fmt.sign_bit - 1)) <= fmt.largest_magnitude))
    if bool((full[0].any(axis=-2) & full[1].any(axis=-1)).any()):
        yield "full-significands"


def _terms_of(data: ProductData, one: Sum) -> tuple[str, ...]:
    used = [abs(term) for term in one.terms if term]
    if not used:
        return ()
    fmt, operand = data.result, data.parts[0][0]
    top, low = max(used), min(used)
    limits = Lies(operand, 0, data.unit)
    bits = [number.bit_length() - (number & -number).bit_length() + 1 for number in used]
    last = 1 << max(top.bit_length() - fmt.precision, 0)
    small = [number for number in used if 2 * number < last]
    n, k = len(used), len(one.terms)
    signs = [term > 0 for term in one.terms]
    mine = Lies(fmt, 0, data.unit)
    tiny = [number for number in used if number < mine.least_normal]
    return every(
        ("powers-of-two", all(width == 1 for width in bits)),
        ("product-width", any(operand.precision < width <= fmt.precision for width in bits)),
        ("wide-exponents", top.bit_length() - low.bit_length() > fmt.precision),
        ("alignment-one-below", any(number.bit_length() == top.bit_length() - fmt.precision for number in used)),
        ("sticky", len(small) > 2 and 2 * sum(small) > last),
        ("overflow-product", any(limits.largest < number <= mine.largest for number in used)),
        ("underflow-product", tiny),
        ("subnormal-product-large-c", tiny and abs(one.c) >= mine.least_normal),
        ("all-negative", n == k and not any(signs)),
        ("alternating", n == k > 1 and all(a != b for a, b in pairwise(signs))),
    )


def _whole(data: ProductData, one: Sum) -> tuple[str, ...]:
    product, total = sum(one.terms), one.total
    lies = Lies(data.result, total, data.unit)
    top = max(map(abs, one.terms), default=0)
    ends = lies.largest
    above = sum(number for number in (*one.terms, one.c) if number > 0)
    below = -sum(number for number in (*one.terms, one.c) if number < 0)
    precision = data.result.precision
    many = sum(map(bool, one.terms)) > 1
    return every(
        ("cancellation-exact", many and total and top >= abs(total) << 8),
        ("cancellation-total", many and product == 0 and not one.c),
        ("cancellation-with-c", product and one.c and abs(total) << 8 <= abs(one.c)),
        ("tie", lies.tie),
        ("near-tie", lies.near_tie),
        ("overflow-result", lies.overflow),
        ("overflow-intermediate", max(above, below) > ends and not lies.overflow and abs(total) <= ends),
        ("largest-finite", abs(total) == ends),
        ("just-below-overflow", ends < abs(total) and not lies.overflow),
        ("subnormal-result", lies.subnormal),
        ("c-dominates", product and abs(one.c) > abs(product) << precision),
        ("product-dominates", one.c and abs(product) > abs(one.c) << precision),
    )


LOOKS: dict[str, Look] = {"float-terms": terms, "float-sum": sums}
"""Axis -> how its classes are seen."""
