"""Near misses of flexible sizes: off the multiples of a property, or above the maximum."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.program_support import beside, off_granularity, unmatched
from mmaspec.programs.base import Literal
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import Matrix, Splat
from mmaspec.programs.nv_coopmat2.well_formed import MAX_MATRIX
from mmaspec.strategies.grammar import Draft, DrawContext, Forms, in_forms
from mmaspec.strategies.nv_coopmat2.builder.program import with_program

SIZES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"M": ("A.rows", "C.rows"), "N": ("B.cols", "C.cols"), "K": ("A.cols", "B.rows")}
)
"""A size of a product -> the extents that it is."""
HOWS = ("half a multiple", "a multiple plus 1", "above the maximum", "half the granularity")


def _off(context: DrawContext[CoopMatCaps], size: int, unit: int, how: str) -> int:
    if how == "above the maximum":
        return (context.caps.maximum // unit + 1) * unit
    if how == "half the granularity":
        return unit // 2
    return size + (1 if how == "a multiple plus 1" else unit // 2)


def flexible_caps(
    context: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[tuple[str, ...], str, str]
) -> Draft | None:
    """Extents off the granularity, or too large, which no other property lists: of a product, or one matrix more."""
    extents, size, how = wrong
    entry, program = context.row.entry, draft.program
    unit = getattr(entry, size.lower())
    matrices = list(program.matrices)
    odd: Matrix | None = None
    for extent in extents:
        role, field = extent.split(".")
        for number in (2, 3) if role == "C" else ("ABC".index(role),):
            matrix = matrices[number]
            wrong_one = replace(matrix, **{field: _off(context, getattr(matrix, field), unit, how)})
            if len(extents) > 1:
                matrices[number] = wrong_one
            else:
                odd = replace(wrong_one, name="odd")
    if odd is not None:
        matrices.append(odd)
    if any(matrix.rows * matrix.cols > MAX_MATRIX for matrix in matrices):
        return None
    body = program.body if len(extents) > 1 else (*program.body, Splat("odd", Literal(1)))
    grown = replace(program, matrices=tuple(matrices), body=body)
    # In workgroups of the row's own size, and whatever the size: another property may list what this one does not.
    for caps in (beside(context.caps, entry), context.caps):
        if not off_granularity(grown, caps) or unmatched(grown, caps):
            return None
    return with_program(draft, grown)


def flexible_forms() -> Forms:
    """The forms of NVCM2-FLEX-CAPS."""
    table: dict[str, tuple[tuple[str, ...], str, str]] = {
        f"{size} of a product {how}": (extents, size, how) for size, extents in SIZES.items() for how in HOWS
    }
    for size, extents in SIZES.items():
        table[f"{size} of a lone {extents[0][0]} {HOWS[0]}"] = (extents[:1], size, HOWS[0])
    return in_forms(flexible_caps, table, ("flexible",))
