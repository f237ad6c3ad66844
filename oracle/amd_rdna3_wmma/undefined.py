"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.amd_rdna3_wmma.caps_support import check_in_reach
from mmaspec.oracle.amd_rdna3_wmma.rule_context import Context
from mmaspec.oracle.register_kernels.accesses import Span, aliased, beyond, raced, spans
from mmaspec.oracle.register_kernels.unset import reads_unset
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fill, Load, WmmaProgram
from mmaspec.programs.amd_rdna3_wmma.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled


def replicate_broken(context: Context) -> bool:
    """RDNA3-REPLICATE-BROKEN: an operand whose copies differ between groups of sixteen lanes has no stated result."""
    unequal: set[str] = set()
    for _, step in unrolled(context.program):
        if isinstance(step, Load):
            differ = any(name != step.data for name in step.replicas)
            unequal = unequal | {step.into} if differ else unequal - {step.into}
        elif isinstance(step, Fill):
            unequal = unequal - {step.into}
        elif isinstance(step, AnyWmma) and not unequal.isdisjoint((step.a, step.b)):
            return True
    return False


def unset(context: Context) -> bool:
    """RDNA3-UNSET: a fragment that nothing has written holds nothing; the language leaves reading it undefined."""
    return reads_unset(context.program)


def _spans(context: Context) -> Iterator[Span]:
    return spans(context.program, lambda fragment: fragment.type_name)


def bounds(context: Context) -> bool:
    """RDNA3-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    return beyond(context.program, _spans(context))


def race(context: Context) -> bool:
    """RDNA3-RACE: what one lane writes no other lane may touch: a lane is a thread, and nothing orders two of them."""
    return raced(context.program, _spans(context))


def alias(context: Context) -> bool:
    """RDNA3-ALIAS: what was stored as a vector of one type is loaded as one of that type, not of another."""
    return aliased(context.program, _spans(context))


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "RDNA3-REPLICATE-BROKEN": replicate_broken,
        "RDNA3-UNSET": unset,
        "RDNA3-BOUNDS": bounds,
        "RDNA3-RACE": race,
        "RDNA3-ALIAS": alias,
    }
)
"""Clause -> whether a program crosses it."""


def undefined(program: WmmaProgram, caps: Caps) -> frozenset[str]:
    """Every clause by which a valid, resolved program has undefined behaviour."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
