"""Counterfactuals of what a device answers to queries: the reference device with other answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, Shape

_misreport = partial(planting.misreport, "hlsl-linalg", LinalgDevice)
Change = Callable[[LinalgCaps], LinalgCaps]

_LARGE: Shape = (64, 512, 64)


def _no_least_depth(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, construction=tuple(replace(row, min_k=0) for row in caps.construction))


def _no_shapes(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, products=tuple(replace(row, shapes=()) for row in caps.products))


def _large_shapes(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, products=tuple(replace(row, shapes=(_LARGE,)) for row in caps.products))


def _backward_groups(caps: LinalgCaps) -> LinalgCaps:
    """The most threads below the least."""
    turned = (replace(row, group_threads=row.group_threads[::-1]) for row in caps.products)
    return replace(caps, products=tuple(turned))


def _emulates_everything(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, vector_products=tuple(replace(row, emulated_inputs=True) for row in caps.vector_products))


def _no_bias(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, vector_products=tuple(replace(row, biases=()) for row in caps.vector_products))


def _no_sums(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, atomics=tuple(replace(row, buffers=False) for row in caps.atomics))


def _odd_sizes(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, optimal=tuple(replace(row, nbytes=row.nbytes + 8) for row in caps.optimal))


def _tier_0(caps: LinalgCaps) -> LinalgCaps:
    return replace(caps, tier=0)


def _without_bytes(caps: LinalgCaps) -> LinalgCaps:
    """Without the products of bytes of one sign."""
    return replace(caps, products=tuple(row for row in caps.products if row.a != row.b or row.accumulator != "I32"))


def _without_vectors(caps: LinalgCaps) -> LinalgCaps:
    """Without products of vectors."""
    return replace(caps, vector_products=())


_REPORTS: tuple[tuple[str, str, str, Change, tuple[str, ...]], ...] = (
    ("reports-no-least-depth", "LINALG-CAPS-CONSTRUCT", "the least K could be 0 alone", _no_least_depth, ()),
    ("reports-no-shapes", "LINALG-CAPS-SHAPES", "a product needed no shapes", _no_shapes, ()),
    ("reports-large-shapes", "LINALG-CAPS-SMALL", "all shapes could be large", _large_shapes, ()),
    ("reports-groups-backward", "LINALG-CAPS-GROUP", "the most threads came first", _backward_groups, ("group",)),
    ("reports-all-emulated", "LINALG-CAPS-EMULATED", "any input could be emulated", _emulates_everything, ()),
    ("reports-no-bias", "LINALG-CAPS-BIAS", "a product with a vector needed no bias", _no_bias, ()),
    ("reports-no-sums", "LINALG-CAPS-OUTER", "outer products could not be accumulated", _no_sums, ()),
    ("reports-odd-sizes", "LINALG-CAPS-SIZE", "sizes of optimal layouts were multiples of 8", _odd_sizes, ()),
    ("reports-tier-0", "LINALG-CAPS-TIER", "a device of tier 0 could support something", _tier_0, ()),
    ("reports-no-bytes", "LINALG-TIER1-PRODUCTS", "products of bytes were optional", _without_bytes, ()),
    ("reports-no-vectors", "LINALG-TIER1-VECTORS", "products with vectors were optional", _without_vectors, ()),
)

REPORTS: tuple[Fault, ...] = tuple(
    _misreport(f"linalg-{name}", clause, says, change, rows) for name, clause, says, change, rows in _REPORTS
)
"""They report wrongly, and run every program as they should."""
