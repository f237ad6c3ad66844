"""Functions of elements in which every two classes of function, extras, use and identity meet."""

from __future__ import annotations

from typing import Any, Literal

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Scalar
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import Component, ElementFunction, Matrix, PerElement
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays import destinations, origins
from mmaspec.strategies.nv_coopmat2.arrays.arithmetic import USES, scalar
from mmaspec.strategies.nv_coopmat2.arrays.conversions import batch
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

FUNCTIONS: dict[str, Literal["triangle", "place", "add", "select"]] = {
    "triangle": "triangle", "place": "place", "add": "add", "select": "select",
}  # fmt: skip

EXTRAS = {
    "none": "",
    "one-scalar": "s",
    "scalar-matrix": "sm",
    "two-matrices": "tm",
    "same-matrix": "o",
    "two-scalars": "ss",
}
"""Class of ``element-extras`` -> a matrix, one from a tensor, the source itself, or a scalar."""


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if not caps.features.per_element:
        return False
    if axis == "element-function" and name == "add":
        return "bf16" not in (row.entry.a, row.entry.b, row.entry.c)
    return True


def _extra(builder: ProgramBuilder, source: Matrix, kind: str) -> str | Scalar:
    if kind == "s":
        return scalar(builder, source, builder.choices.one_of(("literal", "memory")))
    if kind == "o":
        return source.name
    other = like(builder, source)
    builder.add(*(origins.made(builder, other, "tensor-load") if kind == "t" else [load(builder, other)]))
    return other.name


def _applied(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    source = builder.matrix(USES[chosen["use"]])
    builder.add(*origins.drawn(builder, source, share=35))
    extras = tuple(_extra(builder, source, kind) for kind in EXTRAS[chosen["element-extras"]])
    own: Component | None = source.component if chosen["types"] == "named" else None
    function = ElementFunction(FUNCTIONS[chosen["element-function"]], own, tuple(own for _ in extras), own)
    identity = chosen["result-identity"]
    result = source if identity == "first-operand" else like(builder, source)
    if identity == "second-operand":
        names = [extra for extra in extras if isinstance(extra, str)]
        result = next(matrix for matrix in builder.matrices if matrix.name == names[-1])
    if identity == "reused":
        builder.add(load(builder, result))
    if builder.choices.chance(30):
        builder.add(store(builder, source))
    builder.add(PerElement(result.name, source.name, function, extras))
    if chosen["calls"] == "two":
        again = like(builder, source)
        builder.add(PerElement(again.name, source.name, function, extras), store(builder, again))
    builder.add(*destinations.drawn(builder, result))
    return builder.draft("operands", batch=batch(source))


ELEMENT_FUNCTIONS = Array(
    name="element-functions",
    focus=("NVCM2-PERELEM",),
    axes={
        "element-function": tuple(FUNCTIONS),
        "element-extras": tuple(EXTRAS),
        "use": tuple(USES),
        "types": ("left", "named"),
        "result-identity": ("fresh", "reused", "first-operand", "second-operand"),
        "calls": ("one", "two"),
    },
    build=_applied,
    rules=(
        "element-function=triangle|place"
        " with element-extras=one-scalar|scalar-matrix|two-matrices|same-matrix|two-scalars",
        "element-function=add|select with element-extras=none",
        "result-identity=second-operand with element-extras=none|one-scalar|two-scalars|same-matrix",
        # The second call would find what the first one made.
        "calls=two with result-identity=first-operand|second-operand",
    ),
    rows=("bf16", "u16"),
    fits=_fits,
)
"""One call, or the same call twice; ``types=named``: the function names the component type."""
