"""Undefined behaviour: one function for each clause, which tells whether a valid program has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.intel_subgroup_mma.caps_support import check_in_reach
from mmaspec.oracle.intel_subgroup_mma.rule_context import Context
from mmaspec.oracle.register_kernels.accesses import Span, aliased, beyond, raced, spans
from mmaspec.oracle.register_kernels.unset import reads_unset
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import MadProgram
from mmaspec.programs.intel_subgroup_mma.well_formed import check_well_formed


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
    """ISGMMA-UNSET: a vector that nothing has written holds nothing; the language leaves reading it undefined."""
    return reads_unset(context.program)


def _spans(context: Context) -> Iterator[Span]:
    """The language lets signed and unsigned forms of one type stand for each other."""
    return spans(context.program, lambda fragment: fragment.type_name.removeprefix("u"))


def bounds(context: Context) -> bool:
    """ISGMMA-BOUNDS: a kernel that reads or writes beyond its buffers has no meaning in the language."""
    return beyond(context.program, _spans(context))


def race(context: Context) -> bool:
    """ISGMMA-RACE: what one work-item writes no other may touch: nothing orders two of them."""
    return raced(context.program, _spans(context))


def alias(context: Context) -> bool:
    """ISGMMA-ALIAS: what was stored as a vector of one type is loaded as one of that type, not of another."""
    return aliased(context.program, _spans(context))


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
