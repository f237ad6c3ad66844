"""Known defects under the sub-group matrix functions: the clause that each breaks, and defects of memory."""

from __future__ import annotations

from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.faults.register_kernels import DefectiveMemory
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice


class _Vectors(DefectiveMemory, MadDevice):
    """Lines are work-items, places are components."""


DEFECTS = Plan(
    prefix="isgmma",
    traits=frozenset({"registers", "unsigned-bytes", "wraps", "nan", "direct-c", "exact-window"}),
    clauses={
        "sum": "ISGMMA-FP-ORDER",
        "product": "ISGMMA-OP",
        "addend": "ISGMMA-OP",
        "addend-value": "ISGMMA-OP",
        "nan": "ISGMMA-FP-NAN",
        "int": "ISGMMA-INT-EXACT",
        "int-addend": "ISGMMA-OP",
        "int-range": "ISGMMA-INT-ACC",
        "sign": "ISGMMA-SIGN",
        "wrap": "ISGMMA-INT-WRAP",
        "load-any": "ISGMMA-MEM-FREE",
        "store-any": "ISGMMA-MEM-FREE",
        "skip-any": "ISGMMA-MEM-FREE",
        "spill-any": "ISGMMA-STORE-ONLY",
        "pairs-of-a-exchanged": "ISGMMA-K16-PACK-A",
        "pairs-of-b-exchanged": "ISGMMA-B-COL",
        "int-bytes-of-a-reversed": "ISGMMA-K32-PACK-A",
        "infinity-in-c-is-largest": "ISGMMA-OP",
        "halves-added-apart": "ISGMMA-INT-ACC",
    },
    memory=_Vectors,
    also={
        # A partial sum that is clamped also makes sums wrong that end within the range.
        "clamped-too-early": frozenset({"ISGMMA-INT-ACC"}),
        # An error beyond any rounding is one of the product.
        "sum": frozenset({"ISGMMA-OP"}),
        "addend-value": frozenset({"ISGMMA-FP-ORDER"}),
        # What stands in the wrong place may be said of the work-item that holds it.
        "product": frozenset({"ISGMMA-A-COLS", "ISGMMA-B-COL", "ISGMMA-ACC-COL", "ISGMMA-ROW-INDEP"}),
        "int": frozenset({"ISGMMA-INT-ACC"}),
        "c-of-neighbour": frozenset({"ISGMMA-ACC-COL", "ISGMMA-ROW-INDEP"}),
        "c-of-first-row": frozenset({"ISGMMA-ACC-COL", "ISGMMA-ROW-INDEP"}),
        # What neighbours in k hold is what the other half of a word does, or the next work-item.
        "pairs-of-a-exchanged": frozenset({"ISGMMA-A-COLS"}),
        # A sum is the same whether neighbours in k change places in A or in B.
        "pairs-of-b-exchanged": frozenset({"ISGMMA-K16-PACK-A"}),
        # Four neighbours in k are half a word of nibbles.
        "int-bytes-of-a-reversed": frozenset({"ISGMMA-K64-PACK-A", "ISGMMA-A-COLS"}),
        "int-zero-skips-group": frozenset({"ISGMMA-K32-PACK-A", "ISGMMA-K64-PACK-A"}),
        "infinity-in-c-is-largest": frozenset({"ISGMMA-FP-ORDER"}),
        "c-of-16-bits": frozenset({"ISGMMA-INT-ACC"}),
        "halves-added-apart": frozenset({"ISGMMA-OP"}),
        # Bytes of which the high half is lost have lost their signs as well.
        "nibbles-of-a": frozenset({"ISGMMA-OP", "ISGMMA-SIGN"}),
        # One wrong product goes away where there are none.
        "smallest-byte-moved": frozenset({"ISGMMA-INT-EXACT"}),
    },
)
