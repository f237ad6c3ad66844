"""Near misses of declarations: component types, sizes, scopes, and what the device can construct."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, components_of
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Beyond,
    Cast,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Scope,
    SharedArray,
    Simple,
    Splat,
    Store,
    Use,
    WriteElements,
)
from mmaspec.strategies.grammar import Forms
from mmaspec.strategies.hlsl_linalg.builder.optimal import STRIDE_UNIT, optimal_sizes
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.sizes import LARGEST, construction_of, made, unit_of
from mmaspec.strategies.hlsl_linalg.near_misses.base import at_wave_scope
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Change, Edit, Possible, form, forms, joined
from mmaspec.strategies.hlsl_linalg.near_misses.removed import REMOVED

NONE: tuple[ComponentType, ...] = (
    "Invalid", "I1", "SNormF16", "UNormF16", "SNormF32", "UNormF32", "SNormF64", "UNormF64",
    "PackedS8x32", "PackedU8x32",
)  # fmt: skip
"""Names in the enumeration that are no component types of this text."""
DEEPEST = 1024
"""The largest K at ThreadGroup scope."""
LEAST_DEPTH = 4


def _declared(component: ComponentType, use: Use, scope: Scope, edit: Edit) -> Edit:
    return edit.more(matrices=(Matrix("X", component, 16, 16, use, scope),))


def _loaded(component: ComponentType, edit: Edit) -> Edit:
    matrix = Matrix("X", component, 16, 16, "A")
    return edit.more(Load("X", "extra", 0, 128), matrices=(matrix,), buffers=("extra",))


def _as_target(component: ComponentType, edit: Edit) -> Edit:
    matrix = edit.matrix("C")
    array = SharedArray("words", "uint8_t4_packed", matrix.m * matrix.n * 4)
    stride = up(matrix.n, 128)
    return edit.more(InterlockedAccumulate("C", "words", 0, stride, target=component), arrays=(array,))


def _array_sums(_: Any, caps: Any) -> bool:
    """Whether matrices of the first type that can be made are added in arrays."""
    (first, *_) = made(caps)
    return any(one.component == first and one.arrays for one in caps.atomics)


def _converted(component: ComponentType, edit: Edit) -> Edit:
    step = ConvertLayout(component, 8, 8, "extra", 0, "RowMajor", "other", 0, "RowMajor", 128, 128)
    edit.more(buffers=("extra", "other"))
    return edit.put(0, step, edit.step(0))


UNKNOWN: tuple[tuple[ComponentType, Use, Scope], ...] = (
    ("Invalid", "A", "Wave"),
    ("I1", "B", "Wave"),
    ("PackedS8x32", "A", "Wave"),
    ("PackedU8x32", "B", "ThreadGroup"),
    ("SNormF16", "Accumulator", "Wave"),
    ("UNormF32", "A", "Thread"),
)
COMP_ENUM = joined(
    *(
        forms(
            {
                f"{name} matrix": partial(_declared, name, use, scope),
                f"{name} matrix, loaded": partial(_loaded, name),
            }
        )
        for name, use, scope in UNKNOWN
    ),
    forms({f"{name} matrix": partial(_declared, name, "A", "Wave") for name in ("UNormF16", "SNormF32")}),
    forms({f"{name} matrix": partial(_declared, name, "B", "ThreadGroup") for name in ("SNormF64", "UNormF64")}),
    forms({f"conversion of {name}": partial(_converted, name) for name in ("I1", "PackedU8x32", "SNormF32")}),
    forms({f"sum in {name}": partial(_as_target, name) for name in ("Invalid", "PackedS8x32")}, possible=_array_sums),
)
"""LINALG-COMP-ENUM."""


def _depth(use: Use, k: int, how: str, scope: Scope, edit: Edit) -> Edit | None:
    """A matrix with a K out of range, that is a multiple of what the device can construct."""
    component = edit.program.matrix("A").component
    answer = construction_of(edit.caps, component)
    assert answer is not None
    if k > LARGEST:
        k = k + -k % answer.min_k
    if k % answer.min_k:
        return None
    size = (answer.min_m, k) if use == "A" else (k, answer.min_n)
    matrix = Matrix("X", component, *size, use, scope)
    if how == "declared":
        return edit.more(matrices=(matrix,))
    if how == "made":
        return edit.more(Splat("X", "int", Literal(1)), matrices=(matrix,))
    stride = up(size[1] * element_bytes(component), STRIDE_UNIT)
    return edit.more(Load("X", "extra", 0, stride), matrices=(matrix,), buffers=("extra",))


def _shallow(_: Any, caps: Any) -> bool:
    (first, *_) = made(caps)
    return bool(construction_of(caps, first).min_k < LEAST_DEPTH)  # type: ignore[union-attr]


DEPTHS = (("A", "declared"), ("B", "declared"), ("A", "loaded"), ("B", "loaded"), ("A", "made"), ("B", "made"))


def _deep(scope: Scope, first: int) -> Mapping[str, Change]:
    return {
        f"K from {first} of {use}, {how}": partial(_depth, use, first, how, scope)  # type: ignore[arg-type]
        for use, how in DEPTHS
    }


def _deep_thread(k: int, edit: Edit) -> Edit | None:
    """A vector and a Thread matrix with a K out of range."""
    packed = max(COMPONENTS[edit.program.vector("x").component].packed, 1)
    if k > LARGEST:
        k += -k % packed
    elif packed > 1:
        return None
    edit.declare("x", length=k)
    edit.declare("M", n=k)
    return edit if "v" not in {one.name for one in edit.program.vectors} else edit.declare("v", length=k)


DIM_THREAD_WAVE = joined(
    forms(_deep("Wave", LARGEST + 1), rows=("untyped",)),
    forms({"K 3 of A": partial(_depth, "A", 3, "declared", "Wave")}, rows=("untyped",), possible=_shallow),
    forms({"K 129 at Thread scope": partial(_deep_thread, LARGEST + 1)}, rows=("vector",)),
    forms(
        {"K 3 at Thread scope": partial(_deep_thread, 3), "K 1 at Thread scope": partial(_deep_thread, 1)},
        rows=("vector",),
        possible=lambda row, _: COMPONENTS[row.entry.answer.vector].native,
    ),
)
"""LINALG-DIM-THREAD-WAVE."""

DIM_GROUP = joined(forms(_deep("ThreadGroup", DEEPEST + 1)))
"""LINALG-DIM-GROUP."""


def _known(caps: Any) -> tuple[ComponentType, ...]:
    found: list[ComponentType] = [one.name for one in components_of(caps.revision)]  # type: ignore[misc]
    return tuple(found)


def _some_unmade(_: Any, caps: Any) -> bool:
    return any(construction_of(caps, name) is None for name in _known(caps))


def _of_unmade(use: Use, scope: Scope, how: str, edit: Edit) -> Edit:
    component = edit.one_of(name for name in _known(edit.caps) if construction_of(edit.caps, name) is None)
    matrix = Matrix("X", component, 16, 16, use, scope)
    if how == "loaded":
        return edit.more(Load("X", "extra", 0, 128), matrices=(matrix,), buffers=("extra",))
    if how == "made":
        return edit.more(Splat("X", "float", Literal(0)), matrices=(matrix,))
    return edit.more(matrices=(matrix,))


def _odd_size(use: Use, side: str, scope: Scope, edit: Edit) -> Edit | None:
    """A size that is one more than a multiple of the least one."""
    component = edit.program.matrix("A").component
    answer = construction_of(edit.caps, component)
    assert answer is not None
    unit = unit_of(answer, use)
    least = {"m": unit.rows, "n": unit.columns}[side]
    size = {"m": up(LEAST_DEPTH, unit.rows), "n": up(LEAST_DEPTH, unit.columns)}
    if least == 1:
        return None
    size[side] += least // 2 if edit.context.choices.chance(50) else 1
    return edit.more(matrices=(Matrix("X", component, size["m"], size["n"], use, scope),))


def _coarse(attribute: str) -> Possible:
    def possible(_: Any, caps: Any) -> bool:
        (first, *_) = made(caps)
        return bool(getattr(construction_of(caps, first), attribute) > 1)

    return possible


_SIDES: tuple[tuple[Use, str, Scope, str], ...] = (
    ("A", "m", "Wave", "min_m"),
    ("A", "n", "Wave", "min_k"),
    ("B", "m", "ThreadGroup", "min_k"),
    ("B", "n", "Wave", "min_n"),
    ("Accumulator", "m", "Wave", "min_m"),
    ("Accumulator", "n", "ThreadGroup", "min_n"),
)
CONSTRUCT = joined(
    forms(
        {
            f"{use} of another type at {scope} scope, {how}": partial(_of_unmade, use, scope, how)  # type: ignore[arg-type]
            for use, scope, how in (
                ("A", "Wave", "declared"),
                ("B", "ThreadGroup", "declared"),
                ("Accumulator", "Wave", "declared"),
                ("A", "Wave", "loaded"),
                ("B", "Wave", "made"),
                ("Accumulator", "ThreadGroup", "made"),
            )
        },
        possible=_some_unmade,
    ),
    tuple(
        form(f"{side} of {use}", partial(_odd_size, use, side, scope), possible=_coarse(attribute))
        for use, side, scope, attribute in _SIDES
    ),
)
"""LINALG-CONSTRUCT."""


def _thread(use: Use, *steps: Simple, edit: Edit) -> Edit:
    """A Thread matrix of the size of A, and what it has no method for."""
    return edit.more(*steps, matrices=(edit.matrix("A", use=use, scope="Thread"),), buffers=("extra",))


def _thread_cast(edit: Edit) -> Edit:
    matrices = (edit.matrix("A", scope="Thread"), edit.matrix("A", "Y", use="B", scope="Thread"))
    return edit.more(Cast("Y", "X"), matrices=matrices)


def _thread_sum(edit: Edit) -> Edit:
    matrices = (edit.matrix("C", scope="Thread"), edit.matrix("A", "Y", scope="Thread"))
    return edit.more(Accumulate("X", "Y"), matrices=matrices)


def _thread_from_array(edit: Edit) -> Edit:
    step = edit.step(edit.find(Load, "D"))
    return edit.more(Load("X", "from", step.offset, step.stride), matrices=(edit.matrix("A", scope="Thread"),))


def _thread_to_array(edit: Edit) -> Edit:
    step = edit.step(edit.find(Store, "D"))
    return edit.more(Store("X", "to", step.offset, step.stride), matrices=(edit.matrix("A", scope="Thread"),))


def _thread_sum_in_array(edit: Edit) -> Edit:
    step = edit.step(edit.find(Store, "D"))
    added = InterlockedAccumulate("X", "to", step.offset, step.stride)
    for array in edit.program.arrays:
        edit.declare(array.name, length=4 * array.length)  # nothing says how it lies there
    return edit.more(added, matrices=(edit.matrix("C", scope="Thread"),))


_THREAD_METHODS: Mapping[str, Change] = MappingProxyType(
    {
        "Splat at Thread scope": lambda edit: _thread("Accumulator", Splat("X", "int", Literal(1)), edit=edit),
        "Cast at Thread scope": _thread_cast,
        "Accumulate at Thread scope": _thread_sum,
        "Store at Thread scope": lambda edit: _thread("A", Store("X", "extra", 0, 128), edit=edit),
        "Load from an array at Thread scope": _thread_from_array,
        "Store to an array at Thread scope": _thread_to_array,
    }
)
_THREAD_ELEMENTS: Mapping[str, Change] = MappingProxyType(
    {
        "Length at Thread scope": lambda edit: _thread("A", CountElements("X", "extra", 0), edit=edit),
        "Get at Thread scope": lambda edit: _thread("A", ReadElements("X", "extra", 0, 256), edit=edit),
        "Set at Thread scope": lambda edit: _thread("A", WriteElements("X", "extra", 0, 256), edit=edit),
        "an index beyond at Thread scope": lambda edit: _thread("A", Beyond("X", "extra", 0), edit=edit),
    }
)


def _native(row: Any, _: Any) -> bool:
    return COMPONENTS[row.entry.answer.component].native


def _thread_product(step: Simple, edit: Edit) -> Edit:
    """Thread matrices, and nothing but their product: they are neither loaded nor stored so."""
    for name in ("A", "B", "C"):
        edit.declare(name, scope="Thread")
    return edit.only(step)


def _shared_vector(scope: Scope, edit: Edit) -> Edit | None:
    """A matrix of Wave or ThreadGroup scope times a vector."""
    matrix = edit.program.matrix("M")
    edit.declare("M", scope=scope)
    number = edit.find(Load, "M")
    return edit.set(number, layout="RowMajor", stride=up(matrix.n * element_bytes(matrix.component), STRIDE_UNIT))


def _filled_vector(edit: Edit) -> Edit:
    """The same where loads have to come from optimal layouts, which a Wave matrix has not: it is filled instead."""
    edit.declare("M", scope="Wave")
    return edit.put(edit.find(Load, "M"), Splat("M", "float", Literal(0)))


def _constructible(row: Any, caps: Any) -> bool:
    """Whether the matrix of the base can be one of Wave scope too: the base has such sizes where nothing else says."""
    return not getattr(row.entry.answer, "emulated_inputs", False) and _sized(row, caps)


def _sized(row: Any, caps: Any) -> bool:
    answer = row.entry.answer
    found = construction_of(caps, answer.matrix)
    if found is None:
        return False
    sizes = [(one.m, one.n) for one in caps.optimal if one.component == answer.matrix]
    if hasattr(answer, "result"):
        packed = max(COMPONENTS[answer.vector].packed, COMPONENTS[answer.matrix].packed)
        multiplied = optimal_sizes(caps, answer.matrix, "MulOptimal", packed)
        return not multiplied or any(at_wave_scope(caps, answer.matrix, size) for size in multiplied)
    return all(m % found.min_m == n % found.min_n == 0 for m, n in sizes)


def _shared_outer(scope: Scope, edit: Edit) -> Edit:
    """A product of two vectors as a matrix of Wave or ThreadGroup scope."""
    matrix = edit.program.matrix("O")
    return edit.more(OuterProduct("X", "c", "r"), matrices=(edit.matrix(matrix.name, scope=scope),))


def _times_vector(edit: Edit) -> Edit:
    return edit.set(edit.find(MultiplyVector), bias=None)


SCOPE_TABLE = joined(
    forms(_THREAD_METHODS, rows=("untyped",)),
    forms(_THREAD_ELEMENTS, rows=("untyped",), possible=_native),
    forms({"sum in an array at Thread scope": _thread_sum_in_array}, rows=("untyped",), possible=_array_sums),
    forms(
        {
            "Multiply at Thread scope": partial(_thread_product, Multiply("C", "A", "B")),
            "MultiplyAccumulate at Thread scope": partial(_thread_product, MultiplyAccumulate("C", "A", "B")),
        },
        rows=("product",),
    ),
    forms(
        {
            "a Wave matrix times a vector": partial(_shared_vector, "Wave"),
            "a ThreadGroup matrix times a vector": partial(_shared_vector, "ThreadGroup"),
            "a Wave matrix times a vector, without a bias": lambda edit: _shared_vector("Wave", _times_vector(edit)),
        },
        rows=("vector",),
        possible=_constructible,
    ),
    forms({"a Wave matrix in an emulated product": _filled_vector}, rows=("emulated",), possible=_sized),
    forms(
        {
            "OuterProduct at Wave scope": partial(_shared_outer, "Wave"),
            "OuterProduct at ThreadGroup scope": partial(_shared_outer, "ThreadGroup"),
        },
        rows=("outer",),
        possible=_constructible,
    ),
    REMOVED,
)
"""LINALG-SCOPE-TABLE."""

_ELEMENTS: Mapping[str, Change] = MappingProxyType(
    {
        "Length of A": lambda edit: edit.more(CountElements("A", "extra", 0), buffers=("extra",)),
        "Get of B": lambda edit: edit.more(ReadElements("B", "extra", 0, 256), buffers=("extra",)),
        "Get of C": lambda edit: edit.more(ReadElements("C", "extra", 0, 256), buffers=("extra",)),
        "Set of A": lambda edit: edit.more(WriteElements("A", "extra", 0, 256), buffers=("extra",)),
        "Set of C, every second": lambda edit: edit.more(WriteElements("C", "extra", 0, 256, 2, 1), buffers=("extra",)),
        "an index beyond, of B": lambda edit: edit.more(Beyond("B", "extra", 0, 3), buffers=("extra",)),
    }
)
ELEM_NATIVE: Forms = joined(forms(_ELEMENTS))
"""LINALG-ELEM-NATIVE."""
