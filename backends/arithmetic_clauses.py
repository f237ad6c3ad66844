"""Which clauses an arithmetic unit carries out by itself, and which are the work of the code around it.

Validity (V), memory and layout (M) and caps (C) are always the surrounding code's. Clauses about values are sorted here
one by one: ``ARITHMETIC`` are those that ``mma`` can get wrong, products, sums, their exactness, signs,
overflow, what becomes of C; ``AROUND`` are values that it never sees or is handed ready-made.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from mmaspec.oracle.spec import SPECS, spec_named

ARITHMETIC: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "amd-rdna3-wmma": frozenset(
            {
                "RDNA3-MMA",
                "RDNA3-IU-SIGN",
                "RDNA3-IU-ACC",
                "RDNA3-IU-DOT-RANGE",
                "RDNA3-IU-NOCLAMP",
                "RDNA3-FP-ACC",
                "RDNA3-FP-NAN",
            }
        ),
        "hlsl-wave-matrix": frozenset(
            {
                "WM-DEPTH-ELEMS",  # it is given K, and has to sum all of it
                "WM-MUL",
                "WM-MAC",
                "WM-MUL-MIXSIGN",
                "WM-INT-EXACT",
                "WM-FP-SUM",
                "WM-TILING",  # a product of 64 reaches it whole
            }
        ),
        "nv-coopmat2": frozenset({"KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-WRAP", "KHRCM-INT-EXT"}),
    }
)
"""Specification -> clauses about values that the arithmetic carries out."""

AROUND: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "amd-rdna3-wmma": frozenset(
            {
                "RDNA3-IU-CLAMP",  # mma has no flag for it
                "RDNA3-INPLACE",
                "RDNA3-ZERO-C",  # how a fragment or a literal becomes the zeros that mma gets
                "RDNA3-TILE",
                "RDNA3-SAMPLE",  # how constants fill fragments
            }
        ),
        "hlsl-wave-matrix": frozenset(
            {
                "WM-ONE-PER-WAVE",
                "WM-FIRST-LANE",
                "WM-FILL",
                "WM-SUMACC-LEFT",  # sums of one operand, sums of accumulators and scalar operations are no products
                "WM-SUMACC-RIGHT",
                "WM-ADD-COL",
                "WM-ADD-ROW",
                "WM-ADD-FULL",
                "WM-ADD-CAST",
                "WM-SCALAR-OPS",
            }
        ),
        "nv-coopmat2": frozenset(
            {
                "KHRCM-SPLAT",
                "KHRCM-SAT-ADD",  # mma has no flag for it
                "KHRCM-CONVERT",  # operations on elements are no products
                "KHRCM-ARITH",
                "NVCM2-CONVERT-USE",
                "NVCM2-TRANSPOSE",
                "NVCM2-REDUCE-ROW",
                "NVCM2-REDUCE-COL",
                "NVCM2-REDUCE-ALL",
                "NVCM2-REDUCE-2X2",
                "NVCM2-REDUCE-ORDER",
                "NVCM2-PERELEM",
                "NVCM2-CREATE-LAYOUT",
                "NVCM2-FUNCTIONAL",
                "NVCM2-SETDIM",
                "NVCM2-SETDIM-ORDER",
                "NVCM2-SETSTRIDE",
                "NVCM2-SLICE",
                "NVCM2-CLAMPVALUE",
                "NVCM2-LINEAR",
                "NVCM2-SPANCOORD",
                "NVCM2-OFFSET",
                "NVCM2-CLAMP-CONST",
                "NVCM2-CLAMP-EDGE",
                "NVCM2-CLAMP-REPEAT",
                "NVCM2-CLAMP-MIRROR",
                "NVCM2-CLAMP-PERDIM",
                "NVCM2-STRIDE-SUM",
                "NVCM2-LOAD-INOUT",
                "NVCM2-BLOCK",
                "NVCM2-CLIP-INDEX",
                "NVCM2-CREATE-VIEW",
                "NVCM2-SETBLOCK",
                "NVCM2-SETCLIP",
                "NVCM2-SETVIEWDIM",
                "NVCM2-SETVIEWSTRIDE",
                "NVCM2-VIEW-LINEAR",
                "NVCM2-VIEW-UNRAVEL",
            }
        ),
    }
)
"""Specification -> clauses about values that the code around the arithmetic carries out."""

ALWAYS_AROUND = frozenset({"V", "M", "C"})
"""Kinds of clauses that no arithmetic carries out."""


@cache
def borrowed_clauses() -> tuple[str, ...]:
    """Every testable clause, of any specification, that an arithmetic-only backend borrows."""
    return tuple(
        name
        for spec in SPECS
        for name, clause in sorted(spec_named(spec).catalogue.clause.items())
        if clause.testable and name not in ARITHMETIC.get(spec, frozenset())
    )
