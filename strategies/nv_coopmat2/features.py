"""The features of the NV extension that parts of programs need: a device may lack any of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps

Feature = Literal["tensor_addressing", "block_loads", "conversions", "reductions", "per_element"]
"""A field of ``Features``."""

TENSORS: tuple[Feature, ...] = ("tensor_addressing",)
"""Needed by loads from tensors and stores into them."""
DECODING: tuple[Feature, ...] = ("tensor_addressing", "block_loads")
"""Needed by loads with a decode function."""


def has(caps: CoopMatCaps, needs: Collection[Feature]) -> bool:
    """Whether a device has all of these features."""
    return all(getattr(caps.features, feature) for feature in needs)


CONVERTING: tuple[Feature, ...] = ("conversions",)
"""Needed by changes of use, and by transposes."""
REDUCING: tuple[Feature, ...] = ("reductions",)
"""Needed by reductions."""
PER_ELEMENT: tuple[Feature, ...] = ("per_element",)
"""Needed by functions of elements."""


NEEDS: Mapping[str, tuple[Feature, ...]] = MappingProxyType(
    {
        "NVCM2-CONVERT-TYPES": ("conversions",),
        "NVCM2-TRANSPOSE-TYPES": ("conversions",),
        "NVCM2-REDUCE-USE": ("reductions",),
        "NVCM2-REDUCE-MASK": ("reductions",),
        "NVCM2-REDUCE-SHAPE": ("reductions",),
        "NVCM2-PERELEM-SIG": ("per_element",),
        "NVCM2-DIM-RANGE": TENSORS,
        "NVCM2-ENUMS": TENSORS,
        "NVCM2-VIEW-PERM": TENSORS,
        "NVCM2-TYPE-PARAMS": TENSORS,
        "NVCM2-SETSTRIDE-MIN": TENSORS,
        "NVCM2-BASE-ALIGN": TENSORS,
        "NVCM2-STORE-NOBLOCK": DECODING,
        "NVCM2-DECODE-SIG": DECODING,
    }
)
"""Clause -> what its near miss uses besides the broken rule, and needs to have."""
