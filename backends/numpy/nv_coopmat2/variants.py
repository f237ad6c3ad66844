"""Legal variants of coopmat2 alone."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import OwnVariant
from mmaspec.backends.numpy.nv_coopmat2.single_doubles import SingleDoubles
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize

DOUBLES = CoopMatCaps((FixedSize(16, 8, 4, "f64", "f64", "f64", "f64"),))
"""A device of f64 alone, which the default caps do not have."""

VARIANTS: tuple[OwnVariant[CoopMatCaps], ...] = (
    OwnVariant(
        "f64-single",
        "Vulkan promises no more than single precision of operations in f64. More is practice, which it breaks.",
        SingleDoubles,
        DOUBLES,
        rows=("acc-f64",),
        liberties=frozenset({"order"}),
        authority="document",
    ),
)
