"""The variable that an instruction writes."""

from __future__ import annotations

from mmaspec.programs.intel_subgroup_mma.program import Mad, Plain, Store


def writes(instruction: Plain) -> str | None:
    """The variable that an instruction writes; None for a store."""
    if isinstance(instruction, Store):
        return None
    return instruction.d if isinstance(instruction, Mad) else instruction.into
