"""The caps rows: one for each builtin, and one for each instruction."""

from __future__ import annotations

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form


def rows(caps: Caps) -> tuple[Row[Form], ...]:
    """Tags: ``float`` or ``int``, formats of operands and accumulator, wave size, ``tied``.

    In rows of instructions kind and accumulator are called ``v-float``, ``v-acc-f16`` and so on: clauses on the
    arguments of builtins have no meaning there.
    """
    found = []
    for form in caps.forms:
        accumulator = "s32" if form.integer else form.result
        kind = "int" if form.integer else "float"
        below = "v-" if form.instruction else ""
        tags = {f"{below}{kind}", form.operands, form.wave, f"{below}acc-{accumulator}"}
        tags |= {"tied"} if form.tied else set()
        found.append(Row(form.name, f"{below}{kind}-{form.wave}", frozenset(tags), form))
    return tuple(found)
