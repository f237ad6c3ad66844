"""Near misses of sizes, component types and scopes."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
    ReadElements,
    Scope,
    Simple,
    Splat,
    Store,
    Use,
    Vector,
    VectorAccumulate,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import FromThreadVectors, GetThreadVector, Operate, SumAccumulate, Unary
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes
from mmaspec.strategies.hlsl_linalg.builder.sizes import construction_of
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, forms

NOT_YET: tuple[ComponentType, ...] = ("I8", "U8", "F8_E4M3FN", "F8_E5M2", "BFloat16")
"""Component types that later texts added."""
USES: tuple[Use, ...] = ("A", "B")


def _unknown(edit: Edit, component: ComponentType, how: str) -> Edit:
    matrix = Matrix("X", component, 16, 16, "A" if how == "declared" else "B")
    if how == "declared":
        return edit.more(matrices=(matrix,))
    if how == "converted":
        step = ConvertLayout(component, 8, 8, "extra", 0, "RowMajor", "other", 0, "RowMajor", 128, 128)
        edit.more(buffers=("extra", "other"))
        return edit.put(0, step, edit.step(0))
    return edit.more(Load("X", "extra", 0, 128), matrices=(matrix,), buffers=("extra",))


COMP_ENUM = (
    *forms({f"{name} matrix": partial(_unknown, component=name, how="declared") for name in NOT_YET}),
    *forms({f"{name} matrix, loaded": partial(_unknown, component=name, how="loaded") for name in ("I8", "BFloat16")}),
    *forms({f"conversion of {name}": partial(_unknown, component=name, how="converted") for name in ("U8", "F8_E5M2")}),
)
"""LINALG-COMP-ENUM."""


def _deep(edit: Edit, use: Use, k: int, scope: Scope, how: str) -> Edit | None:
    """A matrix with that K, which the device could construct."""
    component = edit.program.matrix("A").component
    answer = construction_of(edit.caps, component)
    assert answer is not None
    if k % answer.min_k:
        return None
    size = (side(answer.min_m), k) if use == "A" else (k, side(answer.min_n))
    matrix = Matrix("X", component, *size, use, scope)
    match how:
        case "declared":
            return edit.more(matrices=(matrix,))
        case "made":
            return edit.more(Splat("X", "int", Literal(1)), matrices=(matrix,))
        case _:
            stride = size[1] * element_bytes(component)
            return edit.more(Load("X", "extra", 0, stride), matrices=(matrix,), buffers=("extra",))


def side(least: int) -> int:
    """An extent that is a multiple of the least one and four at least."""
    return max(least, 4 * least if least < 4 else least)


def _thread_depth(edit: Edit, k: int) -> Edit:
    """A row vector of that length times a Thread matrix of so many rows."""
    return edit.declare("x", length=k).declare("M", m=k)


def _native_matrix(row: Any, _: Any) -> bool:
    return COMPONENTS[row.entry.answer.matrix].native


def _packed_matrix(row: Any, _: Any) -> bool:
    return not COMPONENTS[row.entry.answer.matrix].native


DIM_THREAD_WAVE = forms(
    {f"{k} rows at Thread scope": partial(_thread_depth, k=k) for k in (1, 2, 3, 129, 256)},
    rows=("vector",),
    possible=_native_matrix,
)
"""LINALG-DIM-THREAD-WAVE."""


def _steps_of_eight(_: Any, caps: Any) -> bool:
    """Whether K of the first type that can be made may be any multiple of 8."""
    (first, *_) = caps.construction
    return bool(8 % first.min_k == 0)


DIM_POWER = (
    *forms(
        {
            f"K {k} of {use}, {how}": partial(_deep, use=use, k=k, scope="Wave", how=how)  # type: ignore[arg-type]
            for k, use, how in (
                (24, "A", "declared"), (40, "B", "declared"), (48, "A", "loaded"), (120, "B", "loaded"),
                (96, "B", "made"), (56, "A", "made"),
            )
        },
        rows=("untyped",),
        possible=_steps_of_eight,
    ),
    *forms(
        {f"{k} rows at Thread scope": partial(_thread_depth, k=k) for k in (5, 6, 12, 24, 100, 127)},
        rows=("vector",),
        possible=_native_matrix,
    ),
)  # fmt: skip
"""LINALG-DIM-POWER."""


def _steps_of_sixteen(row: Any, _: Any) -> bool:
    return bool(16 % row.entry.answer.min_k == 0)


DIM_PACKED = forms(
    {
        f"K {k} of {use} at {scope} scope, {how}": partial(_deep, use=use, k=k, scope=scope, how=how)  # type: ignore[arg-type]
        for k, use, scope, how in (
            (48, "A", "Wave", "declared"), (80, "B", "Wave", "declared"), (96, "A", "Wave", "loaded"),
            (48, "B", "Wave", "made"), (528, "A", "Wave", "declared"), (1024, "B", "Wave", "declared"),
        )
    },
    possible=_steps_of_sixteen,
)  # fmt: skip
"""LINALG-DIM-PACKED."""


def _half_of_a(edit: Edit) -> Edit:
    """A K that is a power of two in range, and less than the device constructs."""
    component = edit.program.matrix("A").component
    answer = construction_of(edit.caps, component)
    assert answer is not None
    return edit.more(matrices=(Matrix("X", component, side(answer.min_m), answer.min_k // 2, "A", "Wave"),))


def _coarse(_: Any, caps: Any) -> bool:
    (first, *_) = caps.construction
    return bool(first.min_k >= 8 and not first.min_k & (first.min_k - 1) and COMPONENTS[first.component].native)


CONSTRUCT = forms({"half the columns of A": _half_of_a}, possible=_coarse)
"""LINALG-CONSTRUCT."""


def _alone(edit: Edit, use: Use, *steps: Simple) -> Edit:
    """A Thread matrix of the size of A, and what it has no method for."""
    return edit.more(*steps, matrices=(edit.matrix("A", use=use, scope="Thread"),), buffers=("extra",))


def _thread_sum(edit: Edit) -> Edit:
    names = (("S", "X"), ("A2", "Y"), ("B2", "Z"))
    return edit.more(
        SumAccumulate("X", "Y", "Z"), matrices=tuple(edit.matrix(old, new, scope="Thread") for old, new in names)
    )


def _thread_vector(edit: Edit, *, into: bool) -> Edit:
    matrix = edit.matrix("A", scope="Thread")
    vector = Vector("u", matrix.component, matrix.m)
    step: Simple = FromThreadVectors("X", "u") if into else GetThreadVector("u", "X")
    return edit.more(step, matrices=(matrix,), vectors=(vector,))


def _array_sum(edit: Edit) -> Edit:
    matrix = edit.matrix("C", scope="Thread")
    return edit.more(InterlockedAccumulate("X", "to", 0, 0, "OuterProductOptimal"), matrices=(matrix,))


def _native(row: Any, _: Any) -> bool:
    return COMPONENTS[row.entry.answer.component].native


def _summed(_: Any, caps: Any) -> bool:
    (first, *_) = caps.construction
    return any(one.component == first.component and one.arrays for one in caps.atomics)


def _scalar(edit: Edit) -> Any:
    return COMPONENTS[edit.program.matrix("A").component].scalar


def _exchanged(edit: Edit) -> Edit:
    a = edit.program.matrix("A")
    return edit.more(Cast("X", "A", transpose=True), matrices=(edit.matrix("A", m=a.n, n=a.m, use="Accumulator"),))


def _targeted(edit: Edit) -> Edit:
    component = edit.program.matrix("D").component
    one = edit.step(edit.find(Store, "D"))
    return edit.more(InterlockedAccumulate("D", "to", one.offset, one.stride, one.layout, target=component))


def _vector_sum(edit: Edit) -> Edit:
    component = edit.one_of(_summed_natives(edit.caps))
    return edit.more(VectorAccumulate("u", "extra", 0), vectors=(Vector("u", component, 4),), buffers=("extra",))


def _summed_natives(caps: Any) -> tuple[ComponentType, ...]:
    return tuple(one.component for one in caps.atomics if one.buffers and COMPONENTS[one.component].native)


def _bias_in_memory(edit: Edit) -> Edit:
    number = edit.find(MultiplyVector)
    bias = MemoryBias("other", 0, edit.one_of(edit.context.row.entry.answer.biases))
    return edit.set(number, bias=bias).more(read_only=("other",))


def _converted(edit: Edit) -> Edit:
    x = edit.program.vector("x")
    return edit.more(Convert("u", "x"), vectors=(Vector("u", "F32", x.length),))


SCOPE_TABLE = (
    *forms(
        {
            "an operator at Thread scope": lambda edit: _alone(
                edit, "A", Operate("X", "add", _scalar(edit), Literal(1))
            ),
            "ApplyUnaryOperation at Thread scope": lambda edit: _alone(edit, "B", Unary("X", "nop", "X")),
            "SumAccumulate at Thread scope": _thread_sum,
            "FromThreadVectors at Thread scope": partial(_thread_vector, into=True),
            "GetThreadVector at Thread scope": partial(_thread_vector, into=False),
            "Accumulate, which later texts have": lambda edit: edit.more(Accumulate("C", "A")),
            "a Cast that transposes": _exchanged,
        },
        rows=("untyped",),
    ),
    *forms(
        {
            "Length, which later texts have": lambda edit: edit.more(
                CountElements("A", "extra", 0), buffers=("extra",)
            ),
            "Get, which later texts have": lambda edit: edit.more(
                ReadElements("B", "extra", 0, 256), buffers=("extra",)
            ),
            "Set, which later texts have": lambda edit: edit.more(
                WriteElements("C", "extra", 0, 256), buffers=("extra",)
            ),
            "an index beyond, which later texts have": lambda edit: edit.more(
                Beyond("A", "extra", 0), buffers=("extra",)
            ),
        },
        rows=("untyped",),
        possible=_native,
    ),
    *forms(
        {"an outer product's layout in an array": _array_sum, "a sum whose type is named": _targeted},
        rows=("untyped",),
        possible=lambda row, caps: _native(row, caps) and _summed(row, caps),
    ),
    *forms({"a bias in memory": _bias_in_memory}, rows=("bias",)),
    *forms({"a Convert of a vector": _converted}, rows=("vector",)),
    *forms({"a sum of a vector": _vector_sum}, rows=("vector",), possible=lambda _, caps: bool(_summed_natives(caps))),
)
"""LINALG-SCOPE-TABLE."""
