"""Forms that break their clause under the later text alone, by the names that they have there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.hlsl_linalg.near_misses.removed import NAMES as REMOVED

_TRANSPOSED = tuple(
    f"as {one}" for one in ("MulOptimalTranspose", "OuterProductOptimalTranspose")
)  # whose layouts the other text does not have at all

LATER_ALONE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": (
            *(f"Packed{sign}8x32 matrix{how}" for sign in "SU" for how in ("", ", loaded")),
            "conversion of PackedU8x32", "sum in Invalid", "sum in PackedS8x32",
        ),
        "LINALG-SCOPE-TABLE": (
            "sum in an array at Thread scope", "a Wave matrix times a vector", "a ThreadGroup matrix times a vector",
            "a Wave matrix times a vector, without a bias", "OuterProduct at Wave scope",
            "OuterProduct at ThreadGroup scope", *REMOVED,
        ),
        "LINALG-DIM-THREAD-WAVE": ("K 129 at Thread scope", "K 3 at Thread scope", "K 1 at Thread scope"),
        "LINALG-CONSTRUCT": ("n of A",),
        "LINALG-LOAD-SRC": ("a matrix that is loaded alone",),
        "LINALG-STORE-LAYOUT": (*(f"C {one}" for one in _TRANSPOSED), "D to an array as MulOptimalTranspose"),
        "LINALG-STORE-TARGET": ("sum of a vector",),
        "LINALG-STORE-GS-SIZE": ("vectors",),
        "LINALG-ACC-LAYOUT": (*_TRANSPOSED, "of Thread scope as OuterProductOptimalTranspose"),
        "LINALG-ATOMIC-CAPS": ("sum of a vector",),
        "LINALG-CAST-SCOPE": ("Wave to ThreadGroup, transposed",),
        "LINALG-CAST-SHAPE": ("transposed, twice the rows", "transposed, rows and columns as they were"),
        "LINALG-VEC-INTERP": (
            "PackedS8x32 declared", "PackedU8x32 declared", "I1 as bias", "PackedU8x32 as bias", "UNormF16 as bias",
        ),
        "LINALG-VEC-CAPS": ("another type of bias in memory", "another type of bias", "another type of the vector"),
        "LINALG-VEC-LEN": (
            "a vector that is too long", "a vector that is too short", "a bias that is too long",
            "a bias that is too short",
        ),
        "LINALG-VEC-USE": ("a B",),
        "LINALG-VEC-NATIVE": (
            "a packed result", "a packed bias", "a packed sum", "packed factors", "a packed sum, in an outer row",
        ),
    }
)  # fmt: skip
"""Clause of both texts -> its forms that need what only the later one has, or break something else as well here."""
