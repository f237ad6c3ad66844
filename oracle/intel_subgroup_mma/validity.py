"""Validity, by the document's functions: one function for each clause. No device matters here, only the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.intel_subgroup_mma.caps_support import check_in_reach
from mmaspec.oracle.intel_subgroup_mma.functions import Name, Signature, overloads, parse
from mmaspec.oracle.intel_subgroup_mma.rule_context import Context, Types, types
from mmaspec.oracle.rule_context import broken
from mmaspec.programs.intel_subgroup_mma.caps import ROWS, Caps
from mmaspec.programs.intel_subgroup_mma.program import MadProgram
from mmaspec.programs.intel_subgroup_mma.well_formed import check_well_formed

BITS = {"i8": 8, "u8": 8, "i4": 4, "u4": 4, "f16": 16, "bf16": 16}
"""Elements of A and B -> their width."""

FLOATS = ("f16", "bf16")

WIDE, NARROW = ("int", "uint", "float"), ("short", "ushort", "half")
"""Components of 32 bits, and of 16."""


def _names(context: Context) -> Iterator[Name]:
    """The names of all calls, taken apart, where they follow the syntax."""
    for mad in context.calls:
        name = parse(mad.function)
        if name is not None:
            yield name


def functions(context: Context) -> bool:
    """ISGMMA-FUNCS: there are 88 functions of ten names; a call that fits none of them is no call of this extension."""
    return any(signature is None for signature in context.meant)


def k_by_type(context: Context) -> bool:
    """ISGMMA-K-BY-TYPE: K is 32 for elements of 8 bits, 64 for those of 4, 16 for those of 16."""
    return any(name.a in BITS and name.k * BITS[name.a] != 256 for name in _names(context))


def int_combos(context: Context) -> bool:
    """ISGMMA-INT-COMBOS: either sign meets either, of one width; 8 bits do not meet 4."""
    integers = [name for name in BITS if name not in FLOATS]
    return any(name.a in integers and name.b in integers and BITS[name.a] != BITS[name.b] for name in _names(context))


def _known(context: Context) -> Iterator[tuple[Types, tuple[Signature, ...]]]:
    """The vectors of each call that fits no function though its name exists, and the functions of that name."""
    for mad, signature in zip(context.calls, context.meant, strict=True):
        found = overloads(mad.function)
        if found and signature is None:
            yield types(context.program, mad), found


def rows(context: Context) -> bool:
    """ISGMMA-M: A, accumulator and result have one number of components, which is 1, 2, 4 or 8."""
    return any(
        given.result[1] not in ROWS or len({given.a[1], given.acc[1], given.result[1]}) > 1
        for given, _ in _known(context)
    )


def fp_acc(context: Context) -> bool:
    """ISGMMA-FP-ACC: sums of floats are float, or in sub-groups of 16 as A and B; result as accumulator."""
    size = context.program.sub_group_size
    return any(
        found[0].form.startswith(FLOATS)
        and all({given.acc[0], given.result[0]} != {one.acc[0]} for one in found if one.size == size)
        for given, found in _known(context)
    )


def arg_a(wide: bool) -> Callable[[Context], bool]:
    """ISGMMA-ARG-A8, ISGMMA-ARG-A16: each row of A is one component, signed but for u8 and u4."""

    def rule(context: Context) -> bool:
        return any(
            given.a[0] in (WIDE if wide else NARROW) and all(given.a[0] != one.a[0] for one in found)
            for given, found in _known(context)
        )

    return rule


def arg_b(context: Context) -> bool:
    """ISGMMA-ARG-B: B is eight components of 32 bits, unsigned for u8 and u4 only."""
    return any(all(given.b != one.b for one in found) for given, found in _known(context))


RULES: Mapping[str, Callable[[Context], bool]] = MappingProxyType(
    {
        "ISGMMA-FUNCS": functions,
        "ISGMMA-K-BY-TYPE": k_by_type,
        "ISGMMA-INT-COMBOS": int_combos,
        "ISGMMA-M": rows,
        "ISGMMA-FP-ACC": fp_acc,
        "ISGMMA-ARG-A8": arg_a(wide=True),
        "ISGMMA-ARG-A16": arg_a(wide=False),
        "ISGMMA-ARG-B": arg_b,
    }
)
"""Clause -> whether a program breaks it."""


def rejected(program: MadProgram, caps: Caps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks; ``BadInput`` if it is no program."""
    check_well_formed(program)
    check_in_reach(program, caps)
    return broken(RULES, Context(program, caps))
