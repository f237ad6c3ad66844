"""The caps rows: one for each form, which has a function for every number of rows."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.caps_support import FORMATS
from mmaspec.oracle.spec import Row
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps, Form


def rows(caps: Caps) -> tuple[Row[Form], ...]:
    """One row a form; tags: ``int`` or ``float``, the sub-group size, width of factors, formats of all matrices."""
    found = []
    for name in caps.in_reach:
        form = FORMS[name]
        kind = "int" if form.integer else "float"
        acc = FORMATS.get(form.acc, form.acc)
        tags = {kind, f"n{caps.sub_group_size}", f"bits-{form.bits}", f"a-{form.a}", f"b-{form.b}", f"acc-{acc}"}
        found.append(Row(f"n{caps.sub_group_size}_{name}", f"{kind}{form.bits}", frozenset(tags), form))
    return tuple(found)
