"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.intel_subgroup_mma.addresses import block_start
from mmaspec.oracle.intel_subgroup_mma.caps_support import check_in_reach
from mmaspec.oracle.intel_subgroup_mma.rule_context import Context
from mmaspec.oracle.rule_context import broken
from mmaspec.oracle.vector_accesses import Span, Vector, aliased, beyond, raced
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.operands import writes
from mmaspec.programs.intel_subgroup_mma.program import Load, Mad, MadProgram, Plain, Store
from mmaspec.programs.intel_subgroup_mma.well_formed import check_well_formed
from mmaspec.programs.tree import unrolled


def sub_group_size(context: Context) -> bool:
    """ISGMMA-SGSIZE-UB: a function is for devices, and kernels, of one sub-group size; elsewhere it means nothing.

    A call whose arguments are those of the other size's function is such a call (ISGMMA-AMB-05): nobody has to refuse
    it, and nobody has to compute anything.
    """
    sizes = (context.program.sub_group_size, context.caps.sub_group_size)
    return any(signature is not None and sizes != (signature.size,) * 2 for signature in context.meant)


def converged(context: Context) -> bool:
    """ISGMMA-CONVERGED: every work-item of a whole sub-group reaches the call."""
    short = context.program.last not in (None, context.program.sub_group_size)
    return any(short or not mad.converged for mad in context.calls)


def unset(context: Context) -> bool:
    """ISGMMA-UNSET: a fragment that nothing has written holds nothing; the language leaves reading it undefined."""
    held = {fragment.name for fragment in context.program.fragments if fragment.fill is not None}
    for _, step in unrolled(context.program):
        if any(name is not None and name not in held for name in _reads(step)):
            return True
        written = writes(step)
        if written is not None:
            held.add(written)
    return False


def _reads(step: Plain) -> tuple[str | None, ...]:
    """The fragments that an instruction reads."""
    if isinstance(step, Mad):
        return step.a, step.b, step.c
    return (step.fragment,) if isinstance(step, Store) else ()


def _spans(program: MadProgram) -> Iterator[Span]:
    """Every load and store, sub-group by sub-group and pass by pass, in program order."""
    size = program.sub_group_size
    for place, step in unrolled(program):
        if not isinstance(step, (Load, Store)):
            continue
        fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
        # The language lets signed and unsigned forms of one type stand for each other.
        vector = Vector(fragment.type_name.removeprefix("u"), fragment.vector_bytes)
        for wave in range(program.waves):
            start = block_start(step, fragment, size, wave, place.loop)
            yield Span(step.buffer, start, size, wave, vector, isinstance(step, Store))


def bounds(context: Context) -> bool:
    """ISGMMA-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    return beyond(context.program, _spans(context.program))


def race(context: Context) -> bool:
    """ISGMMA-RACE: what one work-item writes no other may touch: nothing orders two of them."""
    return raced(context.program, _spans(context.program))


def alias(context: Context) -> bool:
    """ISGMMA-ALIAS: what was stored as a vector of one type is loaded as one of that type, not of another."""
    return aliased(context.program, _spans(context.program))


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "ISGMMA-SGSIZE-UB": sub_group_size,
        "ISGMMA-CONVERGED": converged,
        "ISGMMA-UNSET": unset,
        "ISGMMA-BOUNDS": bounds,
        "ISGMMA-RACE": race,
        "ISGMMA-ALIAS": alias,
    }
)
"""Clause -> whether a program crosses it."""


def undefined(program: MadProgram, caps: Caps) -> frozenset[str]:
    """Every clause by which a valid, resolved program has undefined behaviour."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
