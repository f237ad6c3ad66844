"""The support that caps give to a program, and which programs can be judged at all."""

from __future__ import annotations

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, spelled
from mmaspec.oracle.intel_subgroup_mma.rule_context import converted, meant, types
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps
from mmaspec.programs.intel_subgroup_mma.program import Mad, MadProgram
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import where

FORMATS = {"i8": "s8", "i4": "s4", "i32": "s32"}
"""Elements that the functions' names spell otherwise than the formats."""


def check_in_reach(program: MadProgram, caps: Caps) -> None:
    """Raise ``BadInput`` for what the language has, but what is not checked under these caps.

    That is a function of a form out of reach, a fragment given to a function that takes its vector for elements of
    another format than it was declared to hold, and a call that fits a function only by the language's conversion of
    a scalar: whether it compiles hangs on what else is declared (ISGMMA-AMB-05).
    """
    for place, step, _ in walk(program):
        if not isinstance(step, Mad):
            continue
        signature = meant(program, step)
        if signature is None:
            _check_not_converted(program, step, where(place))
            continue
        if signature.size == caps.sub_group_size and signature.form not in caps.in_reach:
            reach = ", ".join(caps.in_reach)
            raise BadInput(f"{where(place)}: form {signature.form} is not among those in reach: {reach}")
        _check_held(program, step, signature, where(place))


def _check_not_converted(program: MadProgram, mad: Mad, at: str) -> None:
    found = converted(program, mad)
    if found is not None:
        given = ", ".join(map(spelled, types(program, mad)))
        raise BadInput(
            f"{at}: {mad.function} with vectors {given} (A, B, accumulator, result) fits `{found.declaration}` only as "
            "the language converts scalars; such calls are not judged"
        )


def _check_held(program: MadProgram, mad: Mad, signature: Signature, at: str) -> None:
    form = FORMS[signature.form]
    for name, element in ((mad.a, form.a), (mad.b, form.b), (mad.c, form.acc), (mad.d, form.acc)):
        if name is None:
            continue
        held, taken = format_named(program.fragment(name).holds), format_named(FORMATS.get(element, element))
        # Signs are read by the function alone.
        if held != taken and (held.is_float or taken.is_float or held.bits != taken.bits):
            raise BadInput(f"{at}: fragment {name} is declared to hold {held.name}; the function takes {taken.name}")
