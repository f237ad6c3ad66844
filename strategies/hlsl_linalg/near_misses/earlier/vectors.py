"""Near misses of row vectors, of their biases, and of layouts and arrays that the text does not know."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    Layout,
    Load,
    MultiplyVector,
    Store,
    Vector,
)
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes
from mmaspec.strategies.hlsl_linalg.near_misses.earlier.declarations import NOT_YET
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, forms
from mmaspec.strategies.hlsl_linalg.near_misses.vectors import known

TURNED: tuple[Layout, ...] = ("MulOptimalTranspose", "OuterProductOptimalTranspose")
PACKED: tuple[ComponentType, ...] = ("PackedS8x32", "PackedU8x32")


def _writable(edit: Edit) -> Edit:
    """One more Thread matrix, from a read-write buffer."""
    matrix = edit.matrix("M", m=16, n=16)
    return edit.more(
        Load("X", "again", 0, 16 * element_bytes(matrix.component)), matrices=(matrix,), buffers=("again",)
    )


LOAD_SRC = forms({"a B that is loaded alone": _writable})
"""LINALG-LOAD-SRC."""


def _load(edit: Edit, layout: Layout) -> Edit:
    return edit.set(edit.find(Load, "M"), layout=layout, stride=0)


def _conversion(edit: Edit, *, last: bool, **fields: Any) -> Edit:
    numbers = [number for number, one in enumerate(edit.program.body) if isinstance(one, ConvertLayout)]
    return edit.set(numbers[-1 if last else 0], **fields)


LAYOUT_FOUR = (
    *forms({f"a load of {layout}": partial(_load, layout=layout) for layout in TURNED}),
    *forms(
        {
            "a conversion into MulOptimalTranspose": partial(
                _conversion, last=False, target_layout="MulOptimalTranspose"
            ),
            "a conversion into OuterProductOptimalTranspose": partial(
                _conversion, last=False, target_layout="OuterProductOptimalTranspose"
            ),
            "a conversion from MulOptimalTranspose": partial(
                _conversion, last=True, source_layout="MulOptimalTranspose"
            ),
        },
        rows=("optimal",),
    ),
)
"""LINALG-LAYOUT-FOUR."""


def _of_vectors(edit: Edit, kind: type, width: int) -> Edit:
    """An access of D to an array of vectors, as long in elements as the other one."""
    step = edit.step(edit.find(kind, "D"))
    (array,) = (one for one in edit.program.arrays if one.name == step.memory)
    new = replace(array, name="wide", length=-(-array.length // width), width=width)
    return edit.more(replace(step, memory="wide"), arrays=(new,))


GS_ARITH = forms(
    {
        f"{kind.__name__} and an array of {width} each": partial(_of_vectors, kind=kind, width=width)
        for kind, width in ((Load, 2), (Load, 3), (Load, 4), (Store, 2), (Store, 4), (Store, 8))
    }
)
"""LINALG-GS-ARITH."""

VEC_INTERP = forms(
    {
        f"{name} declared": lambda edit, name=name: edit.more(vectors=(Vector("u", name, 4),))  # type: ignore[misc]
        for name in NOT_YET
    }
)
"""LINALG-VEC-INTERP."""


def _asked(caps: Any) -> set[tuple[ComponentType, ComponentType, ComponentType]]:
    return {(one.vector, one.matrix, one.result) for one in caps.vector_products}


def _other_sources(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    answer = row.entry.answer
    return tuple(
        one for one in known(caps) if COMPONENTS[one].native and (one, answer.matrix, answer.result) not in _asked(caps)
    )


def _other_biases(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    answer = row.entry.answer
    own = (answer.vector, answer.matrix, answer.result)
    there = {name for one in caps.vector_products if (one.vector, one.matrix, one.result) == own for name in one.biases}
    return tuple(one for one in known(caps) if COMPONENTS[one].native and one not in there)


def _bias(edit: Edit, component: ComponentType, by: int = 0) -> Edit:
    """Another vector as bias."""
    vector = Vector("u", component, edit.program.matrix("M").n + by)
    return edit.set(edit.find(MultiplyVector), bias="u").more(vectors=(vector,))


VEC_CAPS = (
    *forms(
        {
            "another type of a row vector": lambda edit: edit.declare(
                "x", component=edit.one_of(_other_sources(edit.context.row, edit.caps))
            )
        },
        possible=lambda row, caps: bool(_other_sources(row, caps)),
    ),
    *forms(
        {"another type of a bias": lambda edit: _bias(edit, edit.one_of(_other_biases(edit.context.row, edit.caps)))},
        possible=lambda row, caps: bool(_other_biases(row, caps)),
    ),
)
"""LINALG-VEC-CAPS."""


def _longer(edit: Edit, by: int) -> Edit:
    return edit.declare("x", length=edit.program.vector("x").length + by)


def _other_shape(edit: Edit) -> Edit | None:
    """A vector as long as the matrix has columns."""
    matrix = edit.program.matrix("M")
    return None if matrix.m == matrix.n else edit.declare("x", length=matrix.n)


def _oblong(component: ComponentType, caps: Any) -> bool:
    return all(one.m != one.n for one in caps.optimal if one.component == component)


VEC_LEN = (
    *forms({"a row that is too long": partial(_longer, by=1), "a row that is too short": partial(_longer, by=-1)}),
    *forms(
        {"a row as long as the matrix has columns": _other_shape},
        possible=lambda row, caps: all(
            one.m != one.n for one in caps.optimal if one.component == row.entry.answer.matrix
        ),
    ),
    *forms(
        {
            "an addend that is too long": lambda edit: _bias(edit, edit.context.row.entry.answer.result, 1),
            "an addend that is too short": lambda edit: _bias(edit, edit.context.row.entry.answer.result, -1),
        },
        rows=("bias",),
    ),
)
"""LINALG-VEC-LEN."""

VEC_USE = forms(
    {"an A": lambda edit: edit.set(edit.find(MultiplyVector), matrix="X").more(matrices=(edit.matrix("M", use="A"),))}
)
"""LINALG-VEC-USE."""


def _packed_result(edit: Edit) -> Edit:
    return edit.declare("y", component=edit.one_of(PACKED))


def _packed_factors(edit: Edit) -> Edit:
    component = edit.one_of(PACKED)
    return edit.declare("c", component=component).declare("r", component=component)


VEC_NATIVE = (
    *forms(
        {
            "a packed row": lambda edit: edit.declare("x", component=edit.one_of(PACKED)),
            "packed components of a result": _packed_result,
        },
        rows=("vector",),
    ),
    *forms({"packed components of a bias": lambda edit: _bias(edit, edit.one_of(PACKED))}, rows=("bias",)),
    *forms({"packed components of factors": _packed_factors}, rows=("outer",)),
)
"""LINALG-VEC-NATIVE."""
