"""The alignment argument of an access to a buffer beside base, offset, row and stride."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.addresses import BUFFER_ALIGNMENT, memory_row_bytes
from mmaspec.strategies.axes.observation import Look
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Access, of_access
from mmaspec.strategies.hlsl_wave_matrix.observations.strides import POWERS, factor

ALLOCATION = 256
"""The alignment of an allocation, the most that is known of an address."""


def true_alignment(access: Access) -> int:
    """The largest power of two, up to that of an allocation, that divides the address of the first element."""
    return factor(access.base + access.offset | ALLOCATION)


def _and_row(access: Access) -> str:
    said, row = access.instruction.alignment, memory_row_bytes(access.matrix, access.col_major)
    if not said:
        return "unspecified"
    if said < row:
        return "below-row"
    if said == row:
        return "is-row" if access.stride == row else "is-row-padded"
    return "beyond-row-is-stride" if said == access.stride else "beyond-row"


def _and_element_stride(access: Access) -> str:
    said = access.instruction.alignment
    if not said:
        return "unspecified-broken" if access.stride % BUFFER_ALIGNMENT else "unspecified"
    if said > access.end - access.first:
        return "beyond-fragment"
    if access.stride % said == 0:
        return "followed"
    return "broken-smaller" if said > access.stride else "broken-larger"


def _truth(access: Access) -> str:
    said, true = access.instruction.alignment, true_alignment(access)
    if not said:
        return "unsaid-and-least" if true == BUFFER_ALIGNMENT else "unsaid-and-more"
    return "exact" if said >= true else "understated"


def _base_and_offset(access: Access) -> str:
    said, base, offset = access.instruction.alignment or BUFFER_ALIGNMENT, access.base, access.offset
    whole = base + offset
    rules = (
        ("both-zero", base == 0 and offset == 0),
        ("base-zero", base == 0),
        ("offset-zero", offset == 0),
        ("compensate", bool(base % said and offset % said) and whole % said == 0),
        ("together-256", bool(base % ALLOCATION and offset % ALLOCATION) and whole % ALLOCATION == 0),
        ("off-16", whole % 16 != 0),
    )
    return next((name for name, holds in rules if holds), "other")


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "alignment": of_access(lambda access: access.instruction.alignment),
        "alignment-and-row": of_access(_and_row),
        "alignment-and-element-stride": of_access(_and_element_stride),
        "true-alignment": of_access(lambda access: POWERS[true_alignment(access)]),
        "alignment-truth": of_access(_truth),
        "base-and-offset": of_access(_base_and_offset),
    }
)
"""Axis -> how it is seen in an access to a buffer."""
