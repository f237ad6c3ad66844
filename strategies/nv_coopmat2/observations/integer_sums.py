"""What happens in the integer sums of a product."""

from __future__ import annotations

from itertools import accumulate

from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every
from mmaspec.strategies.nv_coopmat2.observations.sums import Sum, product_data


def sums(subject: Subject, thing: Thing) -> Answer:
    """What happens in an integer sum."""
    assert thing.place is not None
    data = product_data(subject, thing.place)
    if data is None or data.result.is_float or data.parts[0][0].is_float:
        return None
    fmt = data.result
    found: set[str] = set()
    beyond: dict[tuple[int, int], set[bool]] = {}
    for one in data.sums:
        found.update(_sum(fmt, one))
        beyond.setdefault(one.item, set()).add(fmt.min_value <= one.total <= fmt.max_value)
    high = any(bool((bits[sure] >> (kind.bits - 1) > 0).any()) for kind, bits, sure in data.parts[:2])
    return found | set(
        every(("saturates-some", any(len(both) == 2 for both in beyond.values())), ("sign-matters", high))
    )


def _sum(fmt: Format, one: Sum) -> tuple[str, ...]:
    total, product = one.total, sum(one.terms)
    low, high = fmt.min_value, fmt.max_value

    def inside(number: int) -> bool:
        return low <= number <= high

    left = not all(map(inside, accumulate(one.terms, initial=one.c)))
    return every(
        ("zero", total == 0),
        ("small", 0 < abs(total) < 1 << 16),
        ("at-upper-end", total == high),
        ("one-above", total == high + 1),
        ("at-lower-end", fmt.signed and total == low),
        ("one-below", total == low - 1),
        ("far-above", total > high + 1 and inside(product)),
        ("far-below", total < low - 1 and inside(product)),
        ("product-leaves-c-returns", not inside(product) and inside(total)),
        ("partial-leaves", left and inside(total)),
        ("unsigned-below-zero", not fmt.signed and total < 0),
        ("beyond-16-bits", abs(total) >= 1 << 16),
        ("beyond-24-bits", abs(total) > 1 << 24),
        ("c-beyond-24-bits", abs(one.c) > 1 << 24),
        ("top-bit-c", not fmt.signed and one.c >> (fmt.bits - 1)),
    )


LOOKS: dict[str, Look] = {"integer-sum": sums}
"""Axis -> how its classes are seen."""
