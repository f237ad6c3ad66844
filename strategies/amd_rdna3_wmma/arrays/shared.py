"""The arrays that RDNA3 shares with other specifications of matrices in registers."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import ELEMENT_BYTES
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.arrays.spread import in_four, one_of_each_format
from mmaspec.strategies.amd_rdna3_wmma.builder import UNLIKE, unlike, vector_of
from mmaspec.strategies.register_kernels.arrays.access import access
from mmaspec.strategies.register_kernels.arrays.addends import addends
from mmaspec.strategies.register_kernels.arrays.around import around
from mmaspec.strategies.register_kernels.arrays.chains import chains
from mmaspec.strategies.register_kernels.arrays.fills import fills
from mmaspec.strategies.register_kernels.arrays.flows import flows, reinterpreted
from mmaspec.strategies.register_kernels.arrays.loops import loops
from mmaspec.strategies.register_kernels.arrays.programs import ONE_FORM, programs
from mmaspec.strategies.register_kernels.arrays.shared import shared
from mmaspec.strategies.register_kernels.arrays.tilings import tilings
from mmaspec.strategies.register_kernels.arrays.words import words


def in_group(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """A group of waves of 64 lanes has at most sixteen."""
    return axis != "waves" or name not in ("seventeen-to-31", "thirty-two") or "w64" not in row.tags


def same_vector(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Of the integer forms that of bytes in waves of 64 lanes has one vector type for A, B and C."""
    del axis, name
    return row.tags >= {"iu8", "w64"}


def contained(row: Row[Any], _: object, axis: str, name: str) -> bool:
    """Blocks of A and C are of different size in most forms."""
    sizes = {count * ELEMENT_BYTES[element] for element, count in (vector_of(row.entry, use) for use in ("a", "cd"))}
    return axis != "blocks-overlap" or name != "contained" or len(sizes) > 1


def has_both(row: Row[Any], caps: Any, axis: str, name: str) -> bool:
    """Two forms take a device that has both for one wave size."""
    return axis != "distinct-builtins" or name == ONE_FORM or bool(unlike(row.entry, caps, name))


_MOVED, _SUMS = ("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"), ("RDNA3-TILE", "RDNA3-INPLACE")

ACCESS = access(WmmaKernel, _MOVED, in_four(0, in_group))
FLOWS = flows(WmmaKernel, (*_MOVED, "RDNA3-MMA"), in_four(1, in_group))
REINTERPRETED = reinterpreted(WmmaKernel, ("RDNA3-AB-PACK8", "RDNA3-MEM-FREE"), same_vector)
SHARED = shared(WmmaKernel, ("RDNA3-MEM-FREE", "RDNA3-AB-ROWCOL"), in_four(2, contained))
WORDS = words(WmmaKernel, ("RDNA3-MEM-FREE",), in_four(5))
ADDENDS = addends(WmmaKernel, ("RDNA3-MMA", "RDNA3-INPLACE", "RDNA3-ZERO-C"), in_four(4), square=True)
AROUND = around(WmmaKernel, ("RDNA3-MMA", "RDNA3-INPLACE"), in_four(6))
FILLS = fills(WmmaKernel, ("RDNA3-ZERO-C", "RDNA3-MEM-FREE", "RDNA3-MMA"), one_of_each_format(7))
LOOPS = loops(WmmaKernel, (*_SUMS, "RDNA3-MEM-FREE"), in_four(8))
CHAINS = chains(WmmaKernel, _SUMS, in_four(0))
TILINGS = tilings(WmmaKernel, ("RDNA3-TILE", "RDNA3-MEM-FREE"), in_four(0))
PROGRAMS = programs(
    WmmaKernel,
    ("RDNA3-TILE", "RDNA3-MEM-FREE", "RDNA3-MMA"),
    ("distinct-builtins", tuple(UNLIKE)),
    in_four(2, has_both),
)
