"""Fragments that are read before anything has written them."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.register_kernels import Fill, Load, RegisterProgram, Store, writes
from mmaspec.programs.tree import unrolled


def reads_unset(program: RegisterProgram) -> bool:
    """Whether an executed statement reads a fragment that holds nothing."""
    held = {fragment.name for fragment in program.fragments if fragment.fill is not None}
    for _, step in unrolled(program):
        if any(name is not None and name not in held for name in _read(step)):
            return True
        written = writes(step)
        if written is not None:
            held.add(written)
    return False


def _read(step: Any) -> tuple[str | None, ...]:
    """The fragments that a statement reads."""
    if isinstance(step, Store):
        return (step.fragment,)
    return () if isinstance(step, (Load, Fill)) else (step.a, step.b, step.c)
