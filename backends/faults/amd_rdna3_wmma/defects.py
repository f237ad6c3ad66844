"""Known defects under the RDNA3 matrix builtins: the clause that each breaks, and defects of memory."""

from __future__ import annotations

from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.faults.register_kernels import DefectiveMemory
from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice


class _Registers(DefectiveMemory, WmmaDevice):
    """Lines are lanes, places are VGPRs."""


DEFECTS = Plan(
    prefix="rdna3",
    traits=frozenset({"registers", "unsigned-bytes", "wraps", "nan", "direct-c"}),
    clauses={
        "sum": "RDNA3-FP-ACC",
        "product": "RDNA3-MMA",
        "addend": "RDNA3-MMA",
        "addend-value": "RDNA3-MMA",
        "nan": "RDNA3-FP-NAN",
        "int": "RDNA3-IU-DOT-RANGE",
        "int-addend": "RDNA3-MMA",
        "int-range": "RDNA3-IU-ACC",
        "sign": "RDNA3-IU-SIGN",
        "wrap": "RDNA3-IU-NOCLAMP",
        "load-any": "RDNA3-MEM-FREE",
        "store-any": "RDNA3-MEM-FREE",
        "skip-any": "RDNA3-MEM-FREE",
        "spill-any": "RDNA3-STORE-ONLY",
        "pairs-of-a-exchanged": "RDNA3-AB-PACK16",
        "pairs-of-b-exchanged": "RDNA3-AB-PACK16",
        "int-bytes-of-a-reversed": "RDNA3-AB-PACK8",
        "infinity-in-c-is-largest": "RDNA3-MMA",
        "halves-added-apart": "RDNA3-IU-ACC",
    },
    memory=_Registers,
    also={
        # A partial sum that is clamped also makes sums wrong that end within the range.
        "clamped-too-early": frozenset({"RDNA3-IU-ACC"}),
        # An error beyond any rounding is one of the product.
        "sum": frozenset({"RDNA3-MMA"}),
        "addend-value": frozenset({"RDNA3-FP-ACC"}),
        # What stands in the wrong place may be said of the register that holds it.
        "product": frozenset({"RDNA3-CD-W32", "RDNA3-CD-W64", "RDNA3-CD-NOREP", "RDNA3-AB-ROWCOL"}),
        "int": frozenset({"RDNA3-IU-ACC"}),
        "c-of-neighbour": frozenset({"RDNA3-CD-W32", "RDNA3-CD-W64", "RDNA3-CD-NOREP"}),
        "c-of-first-row": frozenset({"RDNA3-CD-W32", "RDNA3-CD-W64", "RDNA3-CD-NOREP"}),
        # What the other half of k holds is what the other lanes do.
        "halves-of-b-exchanged": frozenset({"RDNA3-W32-REPLICATE", "RDNA3-W64-REPLICATE"}),
        "infinity-in-c-is-largest": frozenset({"RDNA3-FP-ACC"}),
        "c-of-16-bits": frozenset({"RDNA3-IU-ACC"}),
        "halves-added-apart": frozenset({"RDNA3-MMA"}),
        "nibbles-of-a": frozenset({"RDNA3-MMA"}),
        # It goes away where the four bytes of a register are alike: more cannot be seen from outside.
        "int-zero-skips-group": frozenset({"RDNA3-AB-PACK8"}),
    },
)
