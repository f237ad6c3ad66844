"""Coverage points: the clauses that an executed instruction carries out, and in which circumstance."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.functions import Signature
from mmaspec.programs.base import Place
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.program import Mad

PACKED = {8: "ISGMMA-K32-PACK-A", 4: "ISGMMA-K64-PACK-A", 16: "ISGMMA-K16-PACK-A"}
"""Width of an element of A -> the clause of its packing."""


def of_load(place: Place) -> tuple[str, ...]:
    """ISGMMA-MEM-FREE: a vector is read from wherever the kernel keeps it."""
    return ("ISGMMA-MEM-FREE/pass" if len(place.path) > 1 else "ISGMMA-MEM-FREE/load",)


def of_fill() -> tuple[str, ...]:
    """A constant in every place is the same, whatever the layout."""
    return ("ISGMMA-MEM-FREE/fill",)


def of_store() -> tuple[str, ...]:
    """ISGMMA-MEM-FREE, ISGMMA-STORE-ONLY."""
    return ("ISGMMA-MEM-FREE/store", "ISGMMA-STORE-ONLY")


def of_mad(mad: Mad, signature: Signature, place: Place) -> tuple[str, ...]:
    """The layouts, the arithmetic, and where the addend comes from."""
    form = FORMS[signature.form]
    points = ["ISGMMA-A-COLS", PACKED[form.bits], "ISGMMA-B-COL", "ISGMMA-ACC-COL"]
    if form.integer:
        points += [f"ISGMMA-SIGN/{form.a[0]}{form.b[0]}", "ISGMMA-INT-ACC", "ISGMMA-INT-EXACT"]
    else:
        points += ["ISGMMA-BIT-TYPES", "ISGMMA-FP-ORDER"]
    if signature.rows > 1:
        points.append("ISGMMA-ROW-INDEP")
    if mad.c is None:
        points.append("ISGMMA-BY-VALUE/zero")
    elif mad.c == mad.d:
        points.append("ISGMMA-BY-VALUE/in-place")
    if len(place.path) > 1:
        points.append("ISGMMA-BY-VALUE/pass")
    return (*points, "ISGMMA-OP")
