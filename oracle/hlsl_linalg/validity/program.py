"""All validity rules together, and the readings under which a valid program is invalid after all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.caps_support import check_sizes_reported, check_written_for
from mmaspec.oracle.hlsl_linalg.revisions import by_revision
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.oracle.hlsl_linalg.validity.arrays import ARRAY_RULES, PACKED, has_type_of
from mmaspec.oracle.hlsl_linalg.validity.caps import CAPS_RULES
from mmaspec.oracle.hlsl_linalg.validity.memory import MEMORY_RULES, Access
from mmaspec.oracle.hlsl_linalg.validity.operations import OPERATION_RULES
from mmaspec.oracle.hlsl_linalg.validity.removed import REMOVED_RULES
from mmaspec.oracle.hlsl_linalg.validity.types import TYPE_RULES, Rule
from mmaspec.oracle.rule_context import broken
from mmaspec.oracle.spec import InvalidUnder
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import (
    InterlockedAccumulate,
    LinalgProgram,
    Matrix,
    SharedArray,
    simple_instructions,
)
from mmaspec.programs.hlsl_linalg.well_formed import check_well_formed

RULES: Mapping[str, Rule] = MappingProxyType(
    {**TYPE_RULES, **MEMORY_RULES, **ARRAY_RULES, **OPERATION_RULES, **REMOVED_RULES, **CAPS_RULES}
)
"""Clause -> whether a program breaks it."""
IN_FORCE = by_revision(RULES)
"""The same for each revision of the text."""

WORDS = ("int", "uint", PACKED)
"""The elements of arrays that DXIL has as words of 32 bits."""


def rejected(program: LinalgProgram, caps: LinalgCaps) -> frozenset[str]:
    """Every validity clause that a resolved program breaks; ``BadInput`` if it is no program."""
    check_well_formed(program)
    check_written_for(program, caps)
    found = broken(IN_FORCE[caps.revision], Context(program, caps))
    if not found:
        check_sizes_reported(program, caps)
    return found


def _shared(program: LinalgProgram) -> Iterator[tuple[Access, Matrix, SharedArray]]:
    for one, _ in simple_instructions(program):
        if isinstance(one, Access) and (array := program.array(one.memory)) is not None:
            yield one, program.matrix(one.matrix), array


def invalid_under(program: LinalgProgram, revision: Revision = "later") -> tuple[InvalidUnder, ...]:
    """The readings under which a valid program breaks a clause.

    LINALG-AMB-07: sums in arrays at ThreadGroup scope. LINALG-AMB-30: integers that are no words of 32 bits.
    LINALG-AMB-31: sums in an array of another type, which has no words of 32 bits. The last two are no matter of the
    text of 2025-09-19, where arrays have any type.
    """
    found = set()
    for one, matrix, array in _shared(program):
        other = revision == "later" and not has_type_of(array, matrix) and array.element not in WORDS
        if not isinstance(one, InterlockedAccumulate):
            if other:
                found.add(InvalidUnder("LINALG-AMB-30", "words", "LINALG-GS-TYPE"))
            continue
        if matrix.scope == "ThreadGroup":
            found.add(InvalidUnder("LINALG-AMB-07", "wave", "LINALG-SCOPE-TABLE"))
        if other:
            found.add(InvalidUnder("LINALG-AMB-31", "refused", "LINALG-ACC-GS-TARGET"))
    return tuple(sorted(found, key=lambda one: one.ambiguity))
