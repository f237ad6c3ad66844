"""The templates of operations on matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates import operations
from mmaspec.strategies.nv_coopmat2.templates.moving import Part
from mmaspec.strategies.nv_coopmat2.templates.regimes import Regime, any_size, chosen, combined, plain

PARTS: Mapping[Part, str] = MappingProxyType(
    {
        operations.converted: "converts",
        operations.used: "converts-use",
        operations.transposed: "transposes",
        operations.arithmetic: "arithmetic",
        operations.components: "arithmetic",
        operations.elements: "per-element",
        operations.reduced: "reduces",
        operations.summed: "sums",
        operations.halved: "halves",
    }
)
"""Part -> the tag of the rows that have it."""


def possible(row: Row[object]) -> tuple[Part, ...]:
    """The parts that a row has."""
    return tuple(part for part, tag in PARTS.items() if tag in row.tags)


def operated(regime: Regime, *parts: Part) -> Callable[[DrawContext[CoopMatCaps]], Draft | None]:
    """A program of those parts that a row has; none where it has none."""

    def build(context: DrawContext[CoopMatCaps]) -> Draft | None:
        wanted = [part for part in parts if part in possible(context.row)]
        if not wanted:
            return None
        builder = ProgramBuilder(context, most_waves=2)
        for part in wanted:
            part(builder)
        return builder.draft(chosen(regime, context))

    return build


OPERATION_TEMPLATES = (
    Template(
        "conversions",
        ("KHRCM-CONVERT", "NVCM2-CONVERT-USE", "NVCM2-TRANSPOSE"),
        operated(plain, operations.converted, operations.used, operations.transposed),
    ),
    Template(
        "element-wise",
        ("KHRCM-ARITH", "KHRCM-DIVIDE-INT", "KHRCM-F64", "KHRCM-LENGTH", "NVCM2-PERELEM"),
        operated(any_size, operations.arithmetic, operations.components, operations.elements),
    ),
    Template(
        "reductions",
        ("NVCM2-REDUCE-ROW", "NVCM2-REDUCE-COL", "NVCM2-REDUCE-ALL", "NVCM2-REDUCE-2X2", "NVCM2-REDUCE-ORDER"),
        operated(combined, operations.reduced, operations.halved),
        rows=("reduces", "halves"),
    ),
    Template("sums", ("NVCM2-REDUCE-ORDER",), operated(plain, operations.summed), rows=("sums",)),
)
"""One case of each in every row that has it."""
