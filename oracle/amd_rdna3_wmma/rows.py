"""The caps rows: one for each builtin."""

from __future__ import annotations

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps, Form


def rows(caps: Caps) -> tuple[Row[Form], ...]:
    """One row a builtin; tags: ``float`` or ``int``, the formats of operands and accumulator, the wave size."""
    found = []
    for name in caps.in_reach:
        form = FORMS[name]
        accumulator = "s32" if form.result == "i32" else form.result
        kind = "int" if form.operands == "iu8" else "float"
        tags = frozenset({kind, form.operands, form.wave, f"acc-{accumulator}"})
        found.append(Row(name, f"{kind}-{form.wave}", tags, form))
    return tuple(found)
