"""The templates: which parts make a program, and how its data are drawn."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, Splat
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, Template
from mmaspec.strategies.nv_coopmat2 import products
from mmaspec.strategies.nv_coopmat2.builder import Sketch
from mmaspec.strategies.nv_coopmat2.moving import Part, moved
from mmaspec.strategies.nv_coopmat2.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates_operations import OPERATION_TEMPLATES, possible
from mmaspec.strategies.nv_coopmat2.templates_tensors import TENSOR_PARTS, TENSOR_TEMPLATES

HARD = ("normal", "wild", "subnormal", "cancelling", "near-tie", "specials", "overflow-edge")
"""Regimes of floating-point products beyond the exact window."""


def multiplied(part: Part, regime: Callable[[Choices, Row], str]) -> Callable[[Choices, Row, CoopMatCaps], Draft]:
    """A program around products, with a quarter of the items in rows after the first of their kind."""

    def build(choices: Choices, row: Row, caps: CoopMatCaps) -> Draft:
        sketch = Sketch(choices, row, caps, most_waves=3)
        part(sketch)
        fewer = max(2, sketch.batch() // 4)
        return sketch.draft(regime(choices, row), 0 if "addresses" in row.tags else fewer)

    return build


def lines(layout: int) -> Part:
    """A load in one order; the store takes the other, so that swapping both would show."""

    def part(sketch: Sketch) -> None:
        matrix = sketch.any_matrix()
        repeated = sketch.choices.chance(15)
        other = COLUMN_MAJOR if layout == ROW_MAJOR else ROW_MAJOR
        sketch.add(load(sketch, matrix, layout=layout, repeated=repeated), store(sketch, matrix, layout=other))

    return part


def other_arrays(sketch: Sketch) -> None:
    """Loads and stores through arrays of another element type than the component's."""
    matrix = sketch.any_matrix()
    sketch.add(load(sketch, matrix, array=sketch.other_array(matrix)))
    sketch.add(store(sketch, matrix, array=sketch.other_array(matrix)))


def splatted(sketch: Sketch) -> None:
    """A matrix made from a scalar, over what it held."""
    matrix = sketch.any_matrix()
    if sketch.choices.chance(60):
        sketch.add(load(sketch, matrix))
    buffer = sketch.buffer("in")
    sketch.add(Splat(matrix.name, FromBuffer(buffer, sketch.region(buffer, 16), sketch.name("S"))))
    sketch.add(store(sketch, matrix))


def exact(choices: Choices, row: Row) -> str:  # noqa: ARG001 - all regimes have one signature
    """Sums that are exact for floats; bytes of both signs for integers."""
    return "window" if "float" in row.tags else "wild"


def mixed(choices: Choices, row: Row) -> str:
    """Mostly exact sums, some that round."""
    if "float" in row.tags:
        return choices.weighted([(3, "window"), (1, "normal"), (1, "cancelling")])
    return choices.one_of(("small", "wild"))


def always(regime: str) -> Callable[[Choices, Row], str]:
    """One regime."""

    def chosen(choices: Choices, row: Row) -> str:  # noqa: ARG001 - all regimes have one signature
        return regime

    return chosen


TEMPLATES = (
    Template(
        "mul-add",
        ("KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-EXT", "KHRCM-STORE-ONCE"),
        multiplied(products.single, exact),
        weight=2,
    ),
    Template("mul-add-chain", ("KHRCM-MULADD", "KHRCM-FP-ORDER", "KHRCM-INT-EXT"), multiplied(products.chain, mixed)),
    Template(
        "mul-add-overflow",
        ("KHRCM-INT-WRAP", "KHRCM-SAT-ADD"),
        multiplied(products.single, always("overflow")),
        rows=("int",),
    ),
    *(
        Template(f"mul-add-{regime}", ("KHRCM-FP-ORDER",), multiplied(products.single, always(regime)), rows=("float",))
        for regime in HARD
    ),
    Template("load-row-major", ("KHRCM-LOAD-ROW", "KHRCM-STORE-ONCE"), moved(lines(ROW_MAJOR)), rows=("addresses",)),
    Template(
        "load-column-major", ("KHRCM-LOAD-COL", "KHRCM-STORE-ONCE"), moved(lines(COLUMN_MAJOR)), rows=("addresses",)
    ),
    Template("other-arrays", ("KHRCM-STRIDE-UNITS",), moved(other_arrays), rows=("addresses",)),
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
    *TENSOR_PARTS,
    products.single,
    products.chain,
)
"""What free programs are made of, beside operations that not every row has."""


def free(choices: Choices, row: Row, caps: CoopMatCaps) -> Draft:
    """Two or three parts at random, at most about ten instructions."""
    sketch = Sketch(choices, row, caps, most_waves=3)
    for _ in range(choices.integer(2, 3)):
        choices.one_of((*PARTS, *possible(row)))(sketch)
    return sketch.draft(mixed(choices, row))
