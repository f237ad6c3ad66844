"""The rows of a table of caps: one a builtin."""

from __future__ import annotations

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Caps


def rows(caps: Caps) -> tuple[Row, ...]:
    """One row a builtin; tags: ``float`` or ``int``, the formats of operands and accumulator, the wave size."""
    found = []
    for name in caps.builtins:
        results, _, operands, wave = name.split("_")
        accumulator = "s32" if results == "i32" else results
        kind = "int" if operands == "iu8" else "float"
        found.append(Row(name, f"{kind}-{wave}", frozenset({kind, operands, wave, f"acc-{accumulator}"})))
    return tuple(found)
