"""The fragment that an instruction writes."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.program import Plain, Store, Wmma


def writes(instruction: Plain) -> str | None:
    """The fragment that an instruction writes; None for a store."""
    if isinstance(instruction, Store):
        return None
    return instruction.d if isinstance(instruction, Wmma) else instruction.into
