"""The templates: the parts of each, and how its data are drawn."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.programs.base import FromBuffer
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, Splat
from mmaspec.programs.nv_coopmat2.well_formed_arrays import MAX_SHARED
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import has
from mmaspec.strategies.nv_coopmat2.templates import products
from mmaspec.strategies.nv_coopmat2.templates.catalogue_operations import OPERATION_TEMPLATES, possible
from mmaspec.strategies.nv_coopmat2.templates.catalogue_tensors import PART_NEEDS, TENSOR_TEMPLATES
from mmaspec.strategies.nv_coopmat2.templates.moving import Part, moved
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.regimes import HARD, Regime, chosen, exact, mixed


def multiplied(part: Part, regime: Regime) -> Callable[[DrawContext[CoopMatCaps]], Draft]:
    """A program around products, with a quarter of the items in rows after the first of their kind."""

    def build(context: DrawContext[CoopMatCaps]) -> Draft:
        builder = ProgramBuilder(context, most_waves=3)
        part(builder)
        fewer = max(2, builder.batch() // 4)
        return builder.draft(chosen(regime, context), 0 if "addresses" in context.row.tags else fewer)

    return build


def lines(layout: int) -> Part:
    """A load in one order; the store takes the other, so that swapping both would show."""

    def part(builder: ProgramBuilder) -> None:
        matrix = builder.any_matrix()
        repeated = builder.choices.chance(15)
        other = COLUMN_MAJOR if layout == ROW_MAJOR else ROW_MAJOR
        builder.add(load(builder, matrix, layout=layout, repeated=repeated), store(builder, matrix, layout=other))

    return part


def other_arrays(builder: ProgramBuilder) -> None:
    """Loads and stores through arrays of another element type than the component's."""
    matrix = builder.any_matrix()
    builder.add(load(builder, matrix, array=builder.other_array(matrix)))
    builder.add(store(builder, matrix, array=builder.other_array(matrix)))


MOST_SHARED = MAX_SHARED // 4 * 3
"""Bytes of shared arrays in a program: blame needs room besides."""


def shared_arrays(context: DrawContext[CoopMatCaps]) -> Draft:
    """Plain loads from and stores to shared arrays, one in each order; to buffers where matrices are too large."""
    builder = ProgramBuilder(context, most_waves=2)
    given, taken = builder.shared_array("staged-in"), builder.shared_array("staged-out")
    for layout, other in ((ROW_MAJOR, COLUMN_MAJOR), (COLUMN_MAJOR, ROW_MAJOR)):
        matrix = builder.any_matrix()
        builder.add(
            load(builder, matrix, layout=layout, array="uvec4", buffer=given),
            store(builder, matrix, layout=other, array="uvec4", buffer=taken),
        )
    if sum(builder.used[name] for name in builder.shared) > MOST_SHARED:
        builder.shared.clear()
    return builder.draft("distinct")


def splatted(builder: ProgramBuilder) -> None:
    """A matrix made from a scalar, over what it held."""
    matrix = builder.any_matrix()
    if builder.choices.chance(60):
        builder.add(load(builder, matrix))
    buffer = builder.buffer("in")
    builder.add(Splat(matrix.name, FromBuffer(buffer, builder.region(buffer, 16), builder.name("S"))))
    builder.add(store(builder, matrix))


TEMPLATES = (
    Template(
        "mul-add",
        ("KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-EXT", "NVCM2-STORE-ONLY-ELEMS"),
        multiplied(products.single, exact),
        weight=2,
    ),
    Template("mul-add-chain", ("KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-EXT"), multiplied(products.chain, mixed)),
    Template(
        "mul-add-overflow",
        ("KHRCM-INT-WRAP", "KHRCM-SAT-ADD"),
        multiplied(products.single, "overflow"),
        rows=("int",),
    ),
    *(
        Template(f"mul-add-{regime}", ("KHRCM-FP-ORDER",), multiplied(products.single, regime), rows=("float",))
        for regime in HARD
    ),
    Template(
        "load-row-major", ("KHRCM-LOAD-ROW", "NVCM2-STORE-ONLY-ELEMS"), moved(lines(ROW_MAJOR)), rows=("addresses",)
    ),
    Template(
        "load-column-major",
        ("KHRCM-LOAD-COL", "NVCM2-STORE-ONLY-ELEMS"),
        moved(lines(COLUMN_MAJOR)),
        rows=("addresses",),
    ),
    Template("other-arrays", ("KHRCM-STRIDE-UNITS",), moved(other_arrays), rows=("addresses",)),
    Template("shared-arrays", ("KHRCM-LOAD-ROW", "KHRCM-LOAD-COL"), shared_arrays, rows=("shared",)),
    Template("splat", ("KHRCM-SPLAT",), moved(splatted)),
    *OPERATION_TEMPLATES,
    *TENSOR_TEMPLATES,
)
"""One case of each in every row at the smoke tier."""

PARTS: tuple[Part, ...] = (
    lines(ROW_MAJOR),
    lines(COLUMN_MAJOR),
    other_arrays,
    splatted,
    *PART_NEEDS,
    products.single,
    products.chain,
)
"""What free programs are made of, beside operations that not every row has."""


def parts(context: DrawContext[CoopMatCaps]) -> tuple[Part, ...]:
    """What free programs of a row are made of: the parts and operations that its device has."""
    usable = (part for part in PARTS if has(context.caps, PART_NEEDS.get(part, ())))
    return (*usable, *possible(context.row))
