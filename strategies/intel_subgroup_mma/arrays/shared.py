"""The arrays that are shared with other specifications of matrices in registers."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.strategies.intel_subgroup_mma.arrays.kernel import EightRowsKernel, MadKernel, TallKernel
from mmaspec.strategies.intel_subgroup_mma.arrays.spread import in_one, in_two, one_of_each_width
from mmaspec.strategies.intel_subgroup_mma.builder import UNLIKE, unlike
from mmaspec.strategies.register_kernels.arrays.access import access
from mmaspec.strategies.register_kernels.arrays.addends import addends
from mmaspec.strategies.register_kernels.arrays.around import around
from mmaspec.strategies.register_kernels.arrays.chains import chains
from mmaspec.strategies.register_kernels.arrays.data import float_data, integer_data
from mmaspec.strategies.register_kernels.arrays.fills import fills
from mmaspec.strategies.register_kernels.arrays.flows import flows, reinterpreted
from mmaspec.strategies.register_kernels.arrays.loops import loops
from mmaspec.strategies.register_kernels.arrays.programs import ONE_FORM, programs
from mmaspec.strategies.register_kernels.arrays.shared import shared
from mmaspec.strategies.register_kernels.arrays.tilings import tilings
from mmaspec.strategies.register_kernels.arrays.words import words


def same_vector(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """A, B and accumulator have one vector type where A's components have 32 bits, and the accumulator is of words."""
    del axis, name
    return "n8" in row.tags


def contained(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Of 16-bit components of A blocks are half of those of B, and of an accumulator's of 32 bits; others are alike."""
    differ = "n16" in row.tags and not row.tags.isdisjoint({"acc-s32", "acc-f32"})
    if axis == "load-place-shared":
        return name != "a-and-b" or "n8" in row.tags
    return axis != "blocks-overlap" or name != "contained" or differ


def several(row: Row[Any], caps: Any, axis: str, name: str) -> bool:
    """Two forms take a device that has another one of that kind."""
    return axis != "distinct-forms" or name == ONE_FORM or bool(unlike(row.entry, caps, name))


REGISTERS = {
    "many": (68, 124), "half": (128, 128), "upper-half": (132, 252), "full": (256, 256), "spills": (260, 400),
}  # fmt: skip
"""Classes of ``live-registers``: there are 128 of 32 bytes, or 256."""

_MOVED, _VALUES, _BOTH = (
    ("ISGMMA-MEM-FREE", "ISGMMA-STORE-ONLY"),
    ("ISGMMA-BY-VALUE", "ISGMMA-OP"),
    ("ISGMMA-BY-VALUE", "ISGMMA-MEM-FREE"),
)
_FACTORS = ("ISGMMA-A-COLS", "ISGMMA-B-COL", "ISGMMA-K32-PACK-A", "ISGMMA-K64-PACK-A", "ISGMMA-K16-PACK-A")

ACCESS = access(TallKernel, _MOVED, in_one(1))
FLOWS = flows(MadKernel, (*_MOVED, "ISGMMA-OP"), in_two(2))
REINTERPRETED = reinterpreted(EightRowsKernel, ("ISGMMA-MEM-FREE", *_FACTORS), in_two(3, same_vector), "a-as-cd")
SHARED = shared(EightRowsKernel, ("ISGMMA-MEM-FREE", "ISGMMA-A-COLS"), in_two(2, contained))
WORDS = words(MadKernel, ("ISGMMA-MEM-FREE",), in_two(5))
ADDENDS = addends(MadKernel, _VALUES, in_two(6))
AROUND = around(MadKernel, _VALUES, in_two(7))
FILLS = fills(MadKernel, _BOTH, one_of_each_width())
LOOPS = loops(MadKernel, _BOTH, in_one(2))
CHAINS = chains(TallKernel, _VALUES, in_two(7), REGISTERS)
TILINGS = tilings(EightRowsKernel, _BOTH, in_one(4))
PROGRAMS = programs(MadKernel, _BOTH, ("distinct-forms", tuple(UNLIKE)), in_two(2, several))
FLOAT_DATA = float_data(MadKernel, ("ISGMMA-FP-ORDER", "ISGMMA-FP-NAN", "ISGMMA-BIT-TYPES", *_FACTORS))
INTEGER_DATA = integer_data(
    EightRowsKernel,
    ("ISGMMA-SIGN", "ISGMMA-INT-EXACT", "ISGMMA-INT-WRAP", "ISGMMA-INT-ACC", *_FACTORS),
    ends="ends-by-depth",
)
