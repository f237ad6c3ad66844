"""The ambiguities on which answers depend, by name, and the choices that a device has anew in each operation."""

from __future__ import annotations

PACKING = "LINALG-AMB-12"
"""Where the components of a packed vector or word lie in it."""
LOWEST_FIRST, HIGHEST_FIRST = "lowest-first", "highest-first"

OVERFLOW = "LINALG-AMB-17"
"""What a sum of integers beyond the range of its type leaves."""
WRAP, SATURATE, SATURATE_STEPS, UNDEFINED = "wrap", "saturate", "saturate-steps", "undefined"

SPLAT_PACKED = "LINALG-AMB-22"
"""Whether each component of a packed type takes the scalar, or each word of them does."""
COMPONENT, WORD = "component", "word"

ACCUMULATOR_LAYOUT = "LINALG-AMB-28"
"""What the query for the layout of accumulators answers; a device is the same throughout."""
LAYOUTS = ("like-a", "like-b")
"""Its readings, in the order of the answers."""

BOUNDS_UNIT = "LINALG-AMB-29"
"""What a bounds check that is not about the whole operation is about."""
BY_ELEMENT, BY_DWORD = "element", "dword"

EACH, WHOLE = "each", "whole"
"""Bounds checks of elements one by one, or of all that an operation touches (LINALG-OOB-LOAD, LINALG-OOB-STORE)."""

ROUNDED, UNROUNDED = "rounded", "unrounded"
"""A conversion to an 8-bit float that is made, or left out (LINALG-FP8-EMULATE)."""
