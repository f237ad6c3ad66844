"""Near misses of vectors: their lengths and types, and products with matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, components_of
from mmaspec.programs.hlsl_linalg.program import (
    Convert,
    InterlockedAccumulate,
    Layout,
    Load,
    MemoryBias,
    MultiplyVector,
    Use,
    Vector,
    VectorAccumulate,
)
from mmaspec.strategies.hlsl_linalg.builder.optimal import STRIDE_UNIT
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.near_misses.declarations import NONE
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, form, forms, joined


def known(caps: Any) -> tuple[ComponentType, ...]:
    """The component types of the text that the device follows."""
    found: list[ComponentType] = [one.name for one in components_of(caps.revision)]  # type: ignore[misc]
    return tuple(found)


def _linear(edit: Edit, layout: Layout = "RowMajor", memory: str = "matrix") -> Edit:
    """The matrix loaded from a linear layout."""
    matrix = edit.program.matrix("M")
    length = matrix.n if layout == "RowMajor" else matrix.m
    stride = up(length * element_bytes(matrix.component), STRIDE_UNIT)
    base = next((one.base for one in edit.program.buffers if one.name == memory), 0)
    return edit.set(edit.find(Load, "M"), memory=memory, offset=-base % 128, stride=stride, layout=layout)


def _combinations(caps: Any) -> set[tuple[ComponentType, ComponentType, ComponentType]]:
    return {(one.vector, one.matrix, one.result) for one in caps.vector_products}


def _others(row: Any, caps: Any, place: int) -> tuple[ComponentType, ...]:
    """Types that no product of the device has together with the two others."""
    answer = row.entry.answer
    types = [answer.vector, answer.matrix, answer.result]
    packed = max(COMPONENTS[one].packed for one in types[:2])
    found = []
    for one in known(caps):
        native = COMPONENTS[one].native or (place < 2 and COMPONENTS[one].packed <= packed)
        if native and (*types[:place], one, *types[place + 1 :]) not in _combinations(caps):
            found.append(one)
    return tuple(found)


def _other_type(place: int, edit: Edit) -> Edit:
    component = edit.one_of(_others(edit.context.row, edit.caps, place))
    if place == 1:
        edit.declare("M", component=component)
        return _linear(edit)
    return edit.declare("xMy"[place], component=component)


def _other_biases(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    answer = row.entry.answer
    there = {
        bias
        for one in caps.vector_products
        if (one.vector, one.matrix, one.result) == (answer.vector, answer.matrix, answer.result)
        for bias in one.biases
    }
    return tuple(one for one in known(caps) if one not in there)


def _other_bias(in_memory: bool, edit: Edit) -> Edit:
    options = _other_biases(edit.context.row, edit.caps)
    number, m = edit.find(MultiplyVector), edit.program.matrix("M").m
    if in_memory:
        edit.set(number, bias=MemoryBias("other", 0, edit.one_of(options)))
        return edit.more(read_only=("other",))
    vector = Vector("u", edit.one_of(one for one in options if COMPONENTS[one].native), m)
    return edit.set(number, bias="u").more(vectors=(vector,))


VEC_CAPS = joined(
    tuple(
        form(
            f"another type of {words}",
            partial(_other_type, place),
            possible=lambda row, caps, place=place: bool(_others(row, caps, place)),  # type: ignore[misc]
        )
        for place, words in enumerate(("the vector", "the matrix", "the result"))
    ),
    forms(
        {"another type of bias in memory": partial(_other_bias, True)},
        possible=lambda row, caps: bool(_other_biases(row, caps)),
    ),
    forms(
        {"another type of bias": partial(_other_bias, False)},
        possible=lambda row, caps: any(COMPONENTS[one].native for one in _other_biases(row, caps)),
    ),
)
"""LINALG-VEC-CAPS."""

FP8_OPTIMAL = joined(
    forms(
        {
            "row-major": _linear,
            "column-major": lambda edit: _linear(edit, "ColMajor"),
            "OuterProductOptimal": lambda edit: edit.set(edit.find(Load, "M"), layout="OuterProductOptimal", stride=0),
        }
    )
)
"""LINALG-FP8-OPTIMAL."""


def _as_layout(edit: Edit, layout: Layout) -> Edit:
    return edit.set(edit.find(Load, "M"), layout=layout, stride=0)


def _emulated(row: Any, _: Any) -> bool:
    return bool(row.entry.answer.emulated_inputs)


TRANSPOSE_CAPS = joined(
    forms({"through MulOptimalTranspose": partial(_as_layout, layout="MulOptimalTranspose")}),
    forms(
        {"through OuterProductOptimalTranspose": partial(_as_layout, layout="OuterProductOptimalTranspose")},
        possible=lambda row, caps: not _emulated(row, caps),
    ),
)
"""LINALG-TRANSPOSE-CAPS."""


def _more_load(edit: Edit, use: Use, layout: Layout = "RowMajor") -> Edit:
    """One more Thread matrix that is loaded, of another use."""
    matrix = edit.matrix("M", m=8, n=8, use=use)
    stride = up(8 * element_bytes(matrix.component), STRIDE_UNIT)
    return edit.more(Load("X", "again", 0, stride, layout), matrices=(matrix,), read_only=("again",))


LOAD_USE = joined(
    forms(
        {
            "a B, row-major": lambda edit: _more_load(edit, "B"),
            "a B, column-major": lambda edit: _more_load(edit, "B", "ColMajor"),
            "an accumulator": lambda edit: _more_load(edit, "Accumulator"),
        }
    )
)
"""LINALG-LOAD-USE."""


def _writable(edit: Edit) -> Edit:
    return edit.writable(edit.step(edit.find(Load, "M")).memory)


def _writable_elsewhere(edit: Edit) -> Edit:
    """One more Thread matrix, from a read-write buffer."""
    matrix = edit.matrix("M", m=8, n=8)
    stride = up(8 * element_bytes(matrix.component), STRIDE_UNIT)
    return edit.more(Load("X", "again", 0, stride), matrices=(matrix,), buffers=("again",))


LOAD_SRC = joined(
    forms({"the matrix that is multiplied": _writable, "a matrix that is loaded alone": _writable_elsewhere})
)
"""LINALG-LOAD-SRC."""


def _stride(edit: Edit, kind: type, by: int, when: Any = "") -> Edit:
    return edit.wrong(edit.find(kind), "stride", by, when)


LOAD_STRIDE0 = joined(
    forms(
        {
            "load, 16": partial(_stride, kind=Load, by=16),
            "load, 1": partial(_stride, kind=Load, by=1),
            "load, 32, at run time": partial(_stride, kind=Load, by=32, when="at run time"),
            "load, 128, other lanes": partial(_stride, kind=Load, by=128, when="other lanes"),
        },
        rows=("optimal",),
    ),
    forms(
        {
            "sum, 16": partial(_stride, kind=InterlockedAccumulate, by=16),
            "sum, 32, at run time": partial(_stride, kind=InterlockedAccumulate, by=32, when="at run time"),
            "sum, 4, last pass": partial(_stride, kind=InterlockedAccumulate, by=4, when="last pass"),
        },
        rows=("outer",),
    ),
)
"""LINALG-LOAD-STRIDE0."""


def _unknown_vector(edit: Edit, component: ComponentType, length: int = 4) -> Edit:
    return edit.more(vectors=(Vector("u", component, length),))


def _unknown_source(edit: Edit, component: ComponentType) -> Edit:
    return edit.declare("x", component=component)


def _unknown_bias(edit: Edit, component: ComponentType) -> Edit:
    edit.set(edit.find(MultiplyVector), bias=MemoryBias("other", 0, component))
    return edit.more(read_only=("other",))


VEC_INTERP = joined(
    forms({f"{name} declared": partial(_unknown_vector, component=name) for name in NONE}),
    forms(
        {f"{name} multiplied": partial(_unknown_source, component=name) for name in ("Invalid", "SNormF32")},
        possible=lambda row, _: COMPONENTS[row.entry.answer.vector].native,
    ),
    forms({f"{name} as bias": partial(_unknown_bias, component=name) for name in ("I1", "PackedU8x32", "UNormF16")}),
)
"""LINALG-VEC-INTERP."""


def _bias_writable(edit: Edit) -> Edit:
    """A bias in a read-write buffer."""
    number = edit.find(MultiplyVector)
    answer = edit.context.row.entry.answer
    edit.set(number, bias=MemoryBias("other", 0, edit.one_of(answer.biases)))
    return edit.more(buffers=("other",))


BIAS_SOURCE = joined(forms({"a read-write buffer": _bias_writable}))
"""LINALG-BIAS-SOURCE."""


def _longer(edit: Edit, name: str, by: int) -> Edit | None:
    length = edit.program.vector(name).length + by
    return edit.declare(name, length=length) if length > 0 else None


def _long_source(edit: Edit, by: int) -> Edit | None:
    """X is converted too; so that only the product is wrong, that Convert has another source."""
    x = edit.program.vector("x")
    edit.more(vectors=(replace(x, name="x0"),))
    edit.set(edit.find(Convert), source="x0")
    return _longer(edit, "x", by * COMPONENTS[x.component].packed)


def _long_bias(edit: Edit, by: int) -> Edit | None:
    answer = edit.context.row.entry.answer
    options = [one for one in answer.biases if COMPONENTS[one].native]
    length = edit.program.matrix("M").m + by
    if not options or length < 1:
        return None
    edit.set(edit.find(MultiplyVector), bias="u")
    return edit.more(vectors=(Vector("u", edit.one_of(options), length),))


def _part_of_a_word(edit: Edit) -> Edit:
    """A K that does not fill the last word, and no bias in a vector."""
    k = edit.program.matrix("M").n - 1
    edit.set(edit.find(MultiplyVector), bias=None)
    x = edit.program.vector("x")
    edit.more(vectors=(replace(x, name="x0"),)).set(edit.find(Convert), source="x0")
    return edit.declare("x", length=k).declare("M", n=k)


def _native_bias(row: Any, _: Any) -> bool:
    return any(COMPONENTS[one].native for one in row.entry.answer.biases)


VEC_LEN = joined(
    forms(
        {
            "a vector that is too long": partial(_long_source, by=1),
            "a vector that is too short": partial(_long_source, by=-1),
            "a result that is too long": partial(_longer, name="y", by=1),
            "a result that is too short": partial(_longer, name="y", by=-1),
        }
    ),
    forms(
        {
            "a bias that is too long": partial(_long_bias, by=1),
            "a bias that is too short": partial(_long_bias, by=-1),
        },
        possible=_native_bias,
    ),
    forms(
        {"a last word that is not full": _part_of_a_word},
        possible=lambda row, _: not COMPONENTS[row.entry.answer.vector].native,
    ),
)
"""LINALG-VEC-LEN."""


def _of_use(edit: Edit, use: Use) -> Edit:
    """A matrix of another use in place of the one that is multiplied."""
    return edit.set(edit.find(MultiplyVector), matrix="X").more(matrices=(edit.matrix("M", use=use),))


VEC_USE = joined(
    forms({"an accumulator": partial(_of_use, use="Accumulator")}),
    forms(
        {"a B": partial(_of_use, use="B")},
        possible=lambda row, caps: all(one.m >= 4 for one in caps.optimal if one.component == row.entry.answer.matrix),
    ),
)
"""LINALG-VEC-USE."""


def _packed_result(edit: Edit) -> Edit:
    return edit.declare("y", component=edit.one_of(("I8", "U8", "F8_E5M2", "BFloat16")))


def _packed_bias(edit: Edit) -> Edit:
    m = edit.program.matrix("M").m
    edit.set(edit.find(MultiplyVector), bias="u")
    return edit.more(vectors=(Vector("u", edit.one_of(("I8", "U8", "F8_E4M3FN", "BFloat16")), m),))


def _packed_factors(edit: Edit) -> Edit:
    component = edit.one_of(("I8", "F8_E4M3FN", "BFloat16"))
    return edit.declare("c", component=component).declare("r", component=component)


def _packed_sum(edit: Edit) -> Edit:
    vector = Vector("u", edit.one_of(("I8", "U8", "BFloat16")), 8)
    return edit.more(VectorAccumulate("u", "other", 0), vectors=(vector,), buffers=("other",))


VEC_NATIVE = joined(
    forms({"a packed result": _packed_result, "a packed bias": _packed_bias, "a packed sum": _packed_sum}, ("vector",)),
    forms({"packed factors": _packed_factors, "a packed sum, in an outer row": _packed_sum}, ("outer",)),
)
"""LINALG-VEC-NATIVE."""


def _convert(edit: Edit, component: ComponentType, by: int) -> Edit | None:
    """One more Convert, whose result has too many or too few words."""
    x = edit.program.vector("x")
    row = COMPONENTS[x.component]
    held = -(-x.length // row.packed) * row.packed
    packed = COMPONENTS[component].packed
    words = -(-held // packed) + by
    if words < 1:
        return None
    return edit.more(Convert("u", "x"), vectors=(Vector("u", component, words * packed),))


CONVERT_LEN = joined(
    forms(
        {
            f"to {component}, {abs(by)} {'more' if by > 0 else 'fewer'}": partial(_convert, component=component, by=by)  # type: ignore[arg-type]
            for component, by in (
                ("F32", 1),
                ("F32", -1),
                ("I8", 1),
                ("I8", -1),
                ("BFloat16", 1),
                ("F64", -1),
                ("F8_E4M3FN", 2),
            )
        }
    )
)
"""LINALG-CONVERT-LEN."""
