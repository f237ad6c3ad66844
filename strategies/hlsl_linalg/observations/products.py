"""Products of matrices, with vectors, outer products, and what is added to an accumulator."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.programs.base import Affine, at
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    LinalgProgram,
    Load,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    VectorLoad,
)
from mmaspec.programs.hlsl_linalg.threads import by_thread
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.axes.space import space_of
from mmaspec.strategies.hlsl_linalg.observations.declared import oblong, short
from mmaspec.strategies.hlsl_linalg.observations.flow import destination, flow_of, origin

SPEC = "hlsl-linalg"
Product = Multiply | MultiplyAccumulate


def _method(_: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    return "accumulate" if isinstance(one, MultiplyAccumulate) else "typed" if one.typed else "inferred"


def named(axis: str, *components: str) -> str:
    """Types as a class of an axis, ``other`` where it has none for them."""
    found = "-".join(short(one) for one in components)
    return found if found in space_of(SPEC).axis[axis].classes else "other"


def _types(subject: Subject, thing: Thing) -> Answer:
    program, one = subject.program, thing.of.instruction
    return named("product-types", *(program.matrix(name).component for name in (one.a, one.b, one.matrix)))


def _shape_of(program: LinalgProgram, caps: LinalgCaps, one: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """M, K and N of a product, and those of the first shape of which they are multiples."""
    a, b, c = (program.matrix(name) for name in (one.a, one.b, one.matrix))
    sizes = (c.m, a.n, c.n)
    listed: list[MatrixProduct] = [
        row for row in caps.products
        if (row.a, row.b, row.accumulator) == (a.component, b.component, c.component)
    ]  # fmt: skip
    shapes = (shape for row in listed for shape in row.shapes)
    fitting = (one for one in shapes if all(size % unit == 0 for size, unit in zip(sizes, one, strict=True)))
    shape = next(fitting, None)
    return None if shape is None else (sizes, shape)


def _tiles(side: int) -> Look:
    def look(subject: Subject, thing: Thing) -> Answer:
        found = _shape_of(subject.program, subject.caps, thing.of.instruction)
        return None if found is None else found[0][side] // found[1][side]

    return look


def _from(field: str, *, total: bool = False) -> Look:
    def look(subject: Subject, thing: Thing) -> Answer:
        one = thing.of.instruction
        found = origin(flow_of(subject), getattr(one, field), thing.of)
        if total:
            return "product" if found == "accumulate" else found
        return found if found in ("load", "array-load", "splat", "cast", "elements") else None

    return look


def _c_from(subject: Subject, thing: Thing) -> Answer:
    if isinstance(thing.of.instruction, Multiply):
        return "nothing"
    found = origin(flow_of(subject), thing.of.instruction.matrix, thing.of)
    return "product" if found == "accumulate" else found if found != "vectors" else None


def _again(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    found = set()
    for field in ("a", "b"):
        name = getattr(one, field)
        gave = flow.gave(name, thing.of)
        since = flow.events[gave.turn if gave else 0 : thing.of.turn]
        if any(isinstance(e.instruction, Product) and name in (e.instruction.a, e.instruction.b) for e in since):
            found.add(field)
    return "both" if len(found) == 2 else next(iter(found), "none")


_GOES = {"conversion": "cast", "accumulate": "accumulate", "operand": "addition"}


def _goes(subject: Subject, thing: Thing) -> Answer:
    found = destination(flow_of(subject), thing.of.instruction.matrix, thing.of)
    return _GOES.get(found, found)


def _added_again(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    gave = flow.gave(one.operand, thing.of)
    since = flow.events[gave.turn if gave else 0 : thing.of.turn]
    added = [e.instruction for e in since if isinstance(e.instruction, Accumulate)]
    return sum(bool(each.operand == one.operand) for each in added)


def _vector_types(subject: Subject, thing: Thing) -> Answer:
    program, one = subject.program, thing.of.instruction
    source, result = program.vector(one.source).component, program.vector(one.vector).component
    return named("vector-types", source, program.matrix(one.matrix).component, result)


def _bias(_: Subject, thing: Thing) -> Answer:
    one: MultiplyVector = thing.of.instruction
    if one.bias is None:
        return "none"
    return "memory" if isinstance(one.bias, MemoryBias) else "source" if one.bias == one.source else "vector"


def _bias_type(subject: Subject, thing: Thing) -> Answer:
    one: MultiplyVector = thing.of.instruction
    if one.bias is None:
        return "none"
    own = one.bias.component if isinstance(one.bias, MemoryBias) else subject.program.vector(one.bias).component
    return "result" if own == subject.program.vector(one.vector).component else "converted"


_LAYOUTS = {"RowMajor": "row-major", "ColMajor": "col-major", "MulOptimalTranspose": "transposed",
            "OuterProductOptimalTranspose": "transposed"}  # fmt: skip


def _matrix_from(subject: Subject, thing: Thing) -> Answer:
    gave = flow_of(subject).gave(thing.of.instruction.matrix, thing.of)
    load = None if gave is None else gave.instruction
    return _LAYOUTS.get(load.layout, "optimal") if isinstance(load, Load) else None


def _differs(subject: Subject, thing: Thing, name: str) -> str | None:
    """Whether what was loaded lies in another place for every thread, or wave."""
    program: LinalgProgram = subject.program
    gave = flow_of(subject).gave(name, thing.of)
    if program.group == 1:
        return "one-thread"
    if gave is None or not isinstance(gave.instruction, Load | VectorLoad):
        return None
    index = gave.instruction.offset
    if not isinstance(index, Affine) or len(set(by_thread(program, index, gave.place.loop))) == 1:
        return "same"
    return "by-thread" if index.lane else "by-wave"


def _source_differs(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    found = _differs(subject, thing, one.source if isinstance(one, MultiplyVector) else one.column)
    return "by-thread" if found == "by-wave" else found


def _source_from(subject: Subject, thing: Thing) -> Answer:
    return origin(flow_of(subject), thing.of.instruction.source, thing.of)


def _vector_goes(subject: Subject, thing: Thing) -> Answer:
    found = destination(flow_of(subject), thing.of.instruction.vector, thing.of)
    return {"conversion": "convert", "factor": "product"}.get(found, found)


def _in_place(_: Subject, thing: Thing) -> Answer:
    one: MultiplyVector = thing.of.instruction
    source, bias = one.vector == one.source, one.vector == one.bias
    return "both" if source and bias else "source" if source else "bias" if bias else "apart"


def _outer_types(subject: Subject, thing: Thing) -> Answer:
    program, one = subject.program, thing.of.instruction
    return named("outer-types", program.vector(one.column).component, program.matrix(one.matrix).component)


def _outer_shape(subject: Subject, thing: Thing) -> Answer:
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    return oblong(matrix.m, matrix.n)


def _outer_operands(_: Subject, thing: Thing) -> Answer:
    one: OuterProduct = thing.of.instruction
    return "one" if one.column == one.row else "two"


def _moved_component(subject: Subject, thing: Thing) -> Answer:
    return COMPONENTS[subject.program.vector(thing.of.instruction.vector).component].format.name


def _vector_offset(_: Subject, thing: Thing) -> Answer:
    return at(thing.of.instruction.offset, 0, thing.of.place.loop)


def _vector_align(_: Subject, thing: Thing) -> Answer:
    align = thing.of.instruction.align
    return "default" if not align else "same" if align == 64 else "larger"


def _asked(_: Subject, thing: Thing) -> Answer:
    index = thing.of.instruction.offset
    return "all" if not isinstance(index, Affine) else "threads" if index.lane else "waves" if index.wave else "all"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "method": _method,
        "product-types": _types,
        "m-tiles": _tiles(0),
        "k-tiles": _tiles(1),
        "n-tiles": _tiles(2),
        "a-from": _from("a"),
        "b-from": _from("b"),
        "c-from": _c_from,
        "operands-again": _again,
        "product-goes": _goes,
        "added-from": _from("operand"),
        "total-from": _from("matrix", total=True),
        "added-again": _added_again,
        "moved-component": _moved_component,
        "vector-offset": _vector_offset,
        "vector-align": _vector_align,
        "summed-length": lambda subject, thing: subject.program.vector(thing.of.instruction.vector).length,
        "vector-types": _vector_types,
        "bias": _bias,
        "bias-type": _bias_type,
        "matrix-from": _matrix_from,
        "matrix-differs": lambda subject, thing: _differs(subject, thing, thing.of.instruction.matrix),
        "source-differs": _source_differs,
        "source-from": _source_from,
        "vector-rows": lambda subject, thing: subject.program.matrix(thing.of.instruction.matrix).m,
        "vector-k": lambda subject, thing: subject.program.matrix(thing.of.instruction.matrix).n,
        "vector-goes": _vector_goes,
        "vector-in-place": _in_place,
        "outer-types": _outer_types,
        "outer-shape": _outer_shape,
        "outer-operands": _outer_operands,
        "asked-place": _vector_offset,
        "asked-words": _asked,
    }
)
"""Axis -> how it is seen in a product."""
