"""Near misses of vectors: their lengths and types, products with matrices, outer products, and layouts."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, ComponentType, components_of
from mmaspec.programs.hlsl_linalg.program import (
    Convert,
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    Load,
    MemoryBias,
    MultiplyVector,
    OuterProduct,
    Use,
    Vector,
    VectorAccumulate,
)
from mmaspec.strategies.hlsl_linalg.builder.optimal import STRIDE_UNIT
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.near_misses.declarations import NONE
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, form, forms, joined


def _known(caps: Any) -> tuple[ComponentType, ...]:
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
    for one in _known(caps):
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
    return tuple(one for one in _known(caps) if one not in there)


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


def _outer(edit: Edit, **changes: Any) -> Edit:
    """One more outer product, of a matrix that is not added anywhere."""
    return edit.more(OuterProduct("X", "c", "r"), matrices=(edit.matrix("O", **changes),))


def _row(edit: Edit, **changes: Any) -> Edit:
    row = replace(edit.program.vector("r"), name="s", **changes)
    return edit.set(edit.find(OuterProduct), row="s").more(vectors=(row,))


def _column(edit: Edit, **changes: Any) -> Edit:
    column = replace(edit.program.vector("c"), name="s", **changes)
    return edit.set(edit.find(OuterProduct), column="s").more(vectors=(column,))


OUTER_USE = joined(forms({f"into {use}": partial(_outer, use=use) for use in ("A", "B")}))
"""LINALG-OUTER-USE."""


def _length(edit: Edit, name: str) -> int:
    return edit.program.vector(name).length


OUTER_LEN = joined(
    forms(
        {
            "a column that is too long": lambda edit: _column(edit, length=_length(edit, "c") + 1),
            "a column that is too short": lambda edit: _column(edit, length=_length(edit, "c") - 1),
            "a row that is too long": lambda edit: _row(edit, length=_length(edit, "r") + 1),
            "a row that is too short": lambda edit: _row(edit, length=_length(edit, "r") - 1),
        }
    ),
    forms(
        {"column and row exchanged": lambda edit: edit.set(edit.find(OuterProduct), column="r", row="c")},
        possible=lambda row, caps: all(
            one.m != one.n for one in caps.optimal if one.component == row.entry.answer.matrix
        ),
    ),
)
"""LINALG-OUTER-LEN."""


def _another(edit: Edit) -> ComponentType:
    own = edit.program.vector("c").component
    found: ComponentType = edit.one_of(one for one in NATIVE.values() if one != own)
    return found


OUTER_TYPES = joined(
    forms(
        {
            "another type of row": lambda edit: _row(edit, component=_another(edit)),
            "another type of column": lambda edit: _column(edit, component=_another(edit)),
        }
    )
)
"""LINALG-OUTER-TYPES."""


def _outer_combinations(caps: Any) -> set[tuple[ComponentType, ComponentType]]:
    return {(one.vector, one.matrix) for one in caps.outer_products}


def _other_matrices(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    own = row.entry.answer.vector
    return tuple(one for one in _known(caps) if (own, one) not in _outer_combinations(caps))


def _other_factors(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    own = row.entry.answer.matrix
    return tuple(one for one in NATIVE.values() if (one, own) not in _outer_combinations(caps))  # type: ignore[misc]


def _other_both(edit: Edit) -> Edit:
    component = edit.one_of(_other_factors(edit.context.row, edit.caps))
    return edit.declare("c", component=component).declare("r", component=component)


OUTER_CAPS = joined(
    forms(
        {
            "another type of matrix": lambda edit: _outer(
                edit, component=edit.one_of(_other_matrices(edit.context.row, edit.caps))
            )
        },
        possible=lambda row, caps: bool(_other_matrices(row, caps)),
    ),
    forms({"another type of both vectors": _other_both}, possible=lambda row, caps: bool(_other_factors(row, caps))),
)
"""LINALG-OUTER-CAPS."""


def _conversion(edit: Edit, last: bool = False, **fields: Any) -> Edit:
    """The first conversion of the command list, or the last one, otherwise."""
    numbers = [number for number, one in enumerate(edit.program.body) if isinstance(one, ConvertLayout)]
    return edit.set(numbers[-1 if last else 0], **fields)


def _first(edit: Edit) -> Any:
    return edit.step(edit.find(ConvertLayout))


def _last(edit: Edit) -> Any:
    return [one for one in edit.program.body if isinstance(one, ConvertLayout)][-1]


LAYOUT_KINDS = joined(
    forms(
        {
            "into MulOptimalTranspose": partial(_conversion, target_layout="MulOptimalTranspose"),
            "into OuterProductOptimalTranspose": partial(_conversion, target_layout="OuterProductOptimalTranspose"),
            "from MulOptimalTranspose": partial(_conversion, last=True, source_layout="MulOptimalTranspose"),
        }
    )
)
"""LINALG-LAYOUT-KINDS."""


def _line(one: Any, layout: Layout) -> int:
    return int((one.n if layout == "RowMajor" else one.m) * element_bytes(one.component))


def _short_source(edit: Edit) -> Edit:
    one = _first(edit)
    return _conversion(edit, source_stride=_line(one, one.source_layout) - element_bytes(one.component))


def _short_target(edit: Edit) -> Edit | None:
    one = _last(edit)
    stride = (_line(one, one.target_layout) - 1) // STRIDE_UNIT * STRIDE_UNIT
    return _conversion(edit, last=True, target_stride=stride)


LAYOUT_STRIDE = joined(
    forms(
        {
            "of an optimal target": partial(_conversion, target_stride=128),
            "of an optimal source": partial(_conversion, last=True, source_stride=64),
            "of the source, too short": _short_source,
            "of the target, too short": _short_target,
            "of the target, 8 bytes on": lambda edit: _conversion(
                edit, last=True, target_stride=_last(edit).target_stride + 8
            ),
            "of the target, none": partial(_conversion, last=True, target_stride=0),
        }
    ),
    forms(
        {"of the source, a byte on": lambda edit: _conversion(edit, source_stride=_first(edit).source_stride + 1)},
        possible=lambda row, _: element_bytes(row.entry.answer.matrix) > 1,
    ),
)
"""LINALG-LAYOUT-STRIDE."""


LAYOUT_ALIGN = joined(
    forms(
        {
            "64 bytes on": lambda edit: _conversion(edit, target_offset=_first(edit).target_offset + 64),
            "16 bytes on": lambda edit: _conversion(edit, target_offset=_first(edit).target_offset + 16),
            "of a linear target": lambda edit: _conversion(
                edit, last=True, target_offset=_last(edit).target_offset + 64
            ),
            "by the view's address": lambda edit: edit.rebased("back", 64),
        }
    )
)
"""LINALG-LAYOUT-ALIGN."""


def _unmultiplied(caps: Any) -> tuple[ComponentType, ...]:
    there = {name for one in caps.products for name in (one.a, one.b, one.accumulator)}
    there |= {name for one in caps.vector_products for name in (one.vector, one.matrix)}
    return tuple(one for one in _known(caps) if one not in there)


def _unconverted(edit: Edit, layout: Layout) -> Edit:
    component = edit.one_of(_unmultiplied(edit.caps))
    stride = 0 if layout == "MulOptimal" else 128
    step = ConvertLayout(component, 8, 8, "extra", 0, "RowMajor", "other", 0, layout, 128, stride)
    edit.more(buffers=("extra", "other"))
    return edit.put(0, step, edit.step(0))


LAYOUT_TYPE = joined(
    forms(
        {
            "into a linear layout": partial(_unconverted, layout="ColMajor"),
            "into an optimal layout": partial(_unconverted, layout="MulOptimal"),
        },
        possible=lambda _, caps: bool(_unmultiplied(caps)),
    )
)
"""LINALG-LAYOUT-TYPE."""
