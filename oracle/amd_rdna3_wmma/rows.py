"""The caps rows: one for each builtin."""

from __future__ import annotations

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps, Form


def rows(caps: Caps) -> tuple[Row[Form], ...]:
    """One row a builtin; tags: ``float`` or ``int``, formats of operands and accumulator, wave size, ``tied``."""
    found = []
    for name in caps.in_reach:
        form = FORMS[name]
        accumulator = "s32" if form.integer else form.result
        kind = "int" if form.integer else "float"
        tags = {kind, form.operands, form.wave, f"acc-{accumulator}"} | ({"tied"} if form.tied else set())
        found.append(Row(name, f"{kind}-{form.wave}", frozenset(tags), form))
    return tuple(found)
