"""The templates of operations on matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, Template
from mmaspec.strategies.nv_coopmat2 import operations
from mmaspec.strategies.nv_coopmat2.builder import Sketch
from mmaspec.strategies.nv_coopmat2.moving import Part

PARTS: Mapping[Part, str] = MappingProxyType(
    {
        operations.converted: "converts",
        operations.used: "converts-use",
        operations.transposed: "transposes",
        operations.arithmetic: "arithmetic",
        operations.elements: "per-element",
        operations.reduced: "reduces",
        operations.summed: "reduces",
        operations.halved: "halves",
    }
)
"""Part -> the tag of the rows that have it."""


def possible(row: Row) -> tuple[Part, ...]:
    """The parts that a row has."""
    return tuple(part for part, tag in PARTS.items() if tag in row.tags)


def operated(
    regime: Callable[[Choices, Row], str], *parts: Part
) -> Callable[[Choices, Row, CoopMatCaps], Draft | None]:
    """A program of those parts that a row has; none where it has none."""

    def build(choices: Choices, row: Row, caps: CoopMatCaps) -> Draft | None:
        wanted = [part for part in parts if part in possible(row)]
        if not wanted:
            return None
        sketch = Sketch(choices, row, caps, most_waves=2)
        for part in wanted:
            part(sketch)
        return sketch.draft(regime(choices, row))

    return build


def plain(choices: Choices, row: Row) -> str:  # noqa: ARG001 - all regimes have one signature
    """Numbers with fractions, or integers that every conversion can hold."""
    return "normal" if "float" in row.tags else "small"


def any_size(choices: Choices, row: Row) -> str:
    """Numbers with fractions, or integers whose products wrap now and then."""
    return "normal" if "float" in row.tags else choices.one_of(("small", "wild"))


def whole(choices: Choices, row: Row) -> str:  # noqa: ARG001
    """Whole numbers, whose sums are exact in every order."""
    return "whole"


OPERATION_TEMPLATES = (
    Template(
        "conversions",
        ("KHRCM-CONVERT", "NVCM2-CONVERT-USE", "NVCM2-TRANSPOSE"),
        operated(plain, operations.converted, operations.used, operations.transposed),
    ),
    Template(
        "element-wise",
        ("KHRCM-ARITH", "NVCM2-PERELEM"),
        operated(any_size, operations.arithmetic, operations.elements),
    ),
    Template(
        "reductions",
        ("NVCM2-REDUCE-ROW", "NVCM2-REDUCE-COL", "NVCM2-REDUCE-ALL", "NVCM2-REDUCE-2X2", "NVCM2-REDUCE-ORDER"),
        operated(whole, operations.reduced, operations.halved),
        rows=("reduces", "halves"),
    ),
    Template("sums", ("NVCM2-REDUCE-ORDER",), operated(plain, operations.summed), rows=("reduces",)),
)
"""One case of each in every row that has it."""
