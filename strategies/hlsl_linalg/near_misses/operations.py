"""Near misses of operations between matrices: casts, sums, products, and what the device multiplies and adds."""

from __future__ import annotations

from functools import partial
from math import lcm
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct
from mmaspec.programs.hlsl_linalg.components import NATIVE, ArrayType, ComponentType, components_of
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Cast,
    InterlockedAccumulate,
    Layout,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Scope,
    SharedArray,
    Use,
    Vector,
    VectorAccumulate,
)
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN
from mmaspec.strategies.hlsl_linalg.builder.sizes import LEAST_K, construction_of, made
from mmaspec.strategies.hlsl_linalg.near_misses.base import even, square
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, form, forms, joined


def _cast(edit: Edit, transpose: bool = False, **changes: Any) -> Edit:
    """One more Cast of A, to a matrix of its type and size but for the changes."""
    matrix = replace(edit.matrix("A", use="B"), **changes)
    return edit.more(Cast("X", "A", transpose), matrices=(matrix,))


def _from_group(edit: Edit) -> Edit:
    matrix = edit.matrix("A", scope="ThreadGroup")
    return edit.more(Cast("T", "X"), matrices=(matrix,))


CAST_SCOPE = joined(
    forms(
        {
            "Wave to ThreadGroup": lambda edit: _cast(edit, scope="ThreadGroup"),
            "ThreadGroup to Wave": _from_group,
            "Wave to ThreadGroup, transposed": lambda edit: _cast(
                edit, transpose=True, scope="ThreadGroup", m=edit.program.matrix("A").n, n=edit.program.matrix("A").m
            ),
        }
    )
)
"""LINALG-CAST-SCOPE."""


def _sized(edit: Edit, rows: int, columns: int, use: Use, *, transpose: bool = False) -> Edit:
    a = edit.program.matrix("A")
    return _cast(edit, transpose, m=rows * a.m, n=columns * a.n, use=use)


def _exchanged(edit: Edit, *, transpose: bool) -> Edit | None:
    a = edit.program.matrix("A")
    if a.m == a.n:
        return None
    size = {"m": a.m, "n": a.n} if transpose else {"m": a.n, "n": a.m}
    return _cast(edit, transpose, use="Accumulator", **size)


def _oblong(row: Any, caps: Any) -> bool:
    size = even(caps, row.entry.answer.component)
    return size[0] != size[1]


CAST_SHAPE = joined(
    forms(
        {
            "twice the rows": lambda edit: _sized(edit, 2, 1, "Accumulator"),
            "twice the columns": lambda edit: _sized(edit, 1, 2, "Accumulator"),
            "twice the rows of B": lambda edit: _sized(edit, 2, 1, "B"),
            "twice the columns of A": lambda edit: _sized(edit, 1, 2, "A"),
            "transposed, twice the rows": lambda edit: _sized(edit, 2, 2, "Accumulator", transpose=True),
        }
    ),
    forms(
        {
            "rows and columns exchanged": lambda edit: _exchanged(edit, transpose=False),
            "transposed, rows and columns as they were": lambda edit: _exchanged(edit, transpose=True),
        },
        possible=_oblong,
    ),
)
"""LINALG-CAST-SHAPE."""


ACCUMULATE_USES = joined(
    forms(
        {
            "an accumulator added": lambda edit: edit.more(Accumulate("C", "D")),
            "A added to A": lambda edit: edit.more(Accumulate("A", "A")),
            "B added to A": lambda edit: edit.more(Accumulate("A", "B")),
            "A added to B": lambda edit: edit.more(Accumulate("B", "A")),
            "an accumulator added to itself": lambda edit: edit.more(Accumulate("C", "C")),
        }
    )
)
"""LINALG-ACCUMULATE-USES."""


def _added(edit: Edit, use: Use, rows: int = 1, columns: int = 1, scope: Scope = "Wave") -> Edit:
    a = edit.program.matrix("A")
    matrix = edit.matrix("A", m=rows * a.m, n=columns * a.n, use=use, scope=scope)
    return edit.more(Accumulate("C", "X"), matrices=(matrix,))


ACCUMULATE_SHAPE = joined(
    forms(
        {
            "twice the rows of A": lambda edit: _added(edit, "A", rows=2),
            "twice the columns of A": lambda edit: _added(edit, "A", columns=2),
            "twice the rows of B": lambda edit: _added(edit, "B", rows=2),
            "twice the columns of B": lambda edit: _added(edit, "B", columns=2),
            "A of ThreadGroup scope": lambda edit: _added(edit, "A", scope="ThreadGroup"),
            "B of ThreadGroup scope": lambda edit: _added(edit, "B", scope="ThreadGroup"),
        }
    )
)
"""LINALG-ACCUMULATE-SHAPE."""


def _step(edit: Edit) -> int:
    return edit.find(Multiply)


def _multiplied(edit: Edit, total: str = "C", a: str = "A", b: str = "B", *, accumulates: bool = False) -> Edit:
    kind = MultiplyAccumulate if accumulates else Multiply
    return edit.put(_step(edit), kind(total, a, b))


MUL_INFER = joined(forms({"a type is inferred of three": lambda edit: edit.set(_step(edit), typed=False)}))
"""LINALG-MUL-INFER."""


def _redeclared(edit: Edit, name: str, use: Use, *, accumulates: bool = False) -> Edit:
    edit.declare(name, use=use)
    return _multiplied(edit, accumulates=accumulates)


def _every_use(row: Any, caps: Any) -> bool:
    """Whether the device constructs what the base multiplies."""
    answer = row.entry.answer
    return all(construction_of(caps, one) is not None for one in (answer.a, answer.b, answer.accumulator))


MUL_USES = joined(
    forms(
        {
            "B first": lambda edit: _redeclared(edit, "A", "B"),
            "A second": lambda edit: _redeclared(edit, "B", "A"),
            "an accumulator first": lambda edit: _redeclared(edit, "A", "Accumulator"),
            "an accumulator second": lambda edit: _redeclared(edit, "B", "Accumulator", accumulates=True),
            "a result that is an A": lambda edit: _redeclared(edit, "C", "A"),
            "an addend that is a B": lambda edit: _redeclared(edit, "C", "B", accumulates=True),
            "operands exchanged": lambda edit: _multiplied(edit, a="B", b="A"),
            "operands exchanged, added": lambda edit: _multiplied(edit, a="B", b="A", accumulates=True),
        },
        possible=_every_use,
    )
)
"""LINALG-MUL-USES."""


def _larger(edit: Edit, name: str, side: str, *, accumulates: bool = False) -> Edit:
    edit.declare(name, **{side: 2 * getattr(edit.program.matrix(name), side)})
    return _multiplied(edit, accumulates=accumulates)


MUL_SHAPE = joined(
    forms(
        {
            f"twice the {words} of {name}": partial(_larger, name=name, side=side, accumulates=accumulates)
            for name, side, words, accumulates in (
                ("A", "m", "rows", False),
                ("A", "n", "columns", False),
                ("B", "m", "rows", True),
                ("B", "n", "columns", False),
                ("C", "m", "rows", True),
                ("C", "n", "columns", False),
            )
        },
        possible=_every_use,
    )
)
"""LINALG-MUL-SHAPE."""


def _rescoped(edit: Edit, name: str, *, accumulates: bool = False) -> Edit:
    other: Scope = "Wave" if edit.program.matrix("A").scope == "ThreadGroup" else "ThreadGroup"
    edit.declare(name, scope=other)
    return _multiplied(edit, accumulates=accumulates)


MUL_SCOPE = joined(
    forms(
        {
            f"{name} of another scope{words}": partial(_rescoped, name=name, accumulates=bool(words))
            for name, words in (("A", ""), ("B", ""), ("C", ""), ("C", ", added"))
        },
        possible=_every_use,
    )
)
"""LINALG-MUL-SCOPE."""


def _combinations(caps: Any) -> set[tuple[ComponentType, ComponentType, ComponentType]]:
    return {(one.a, one.b, one.accumulator) for one in caps.products}


def _others(row: Any, caps: Any, place: int) -> tuple[ComponentType, ...]:
    """Types that can be constructed in these sizes, and are not multiplied together with the others."""
    answer = row.entry.answer
    types = [answer.a, answer.b, answer.accumulator]
    size = square(caps, answer)[0]
    found = []
    for one in made(caps):
        least = construction_of(caps, one)
        assert least is not None
        whole = all(size % side == 0 for side in (least.min_m, least.min_k, least.min_n))
        if whole and (*types[:place], one, *types[place + 1 :]) not in _combinations(caps):
            found.append(one)
    return tuple(found)


def _other_type(place: int, edit: Edit) -> Edit:
    name = "ABC"[place]
    return edit.declare(name, component=edit.one_of(_others(edit.context.row, edit.caps, place)))


def _least_sizes(answer: MatrixProduct, caps: LinalgCaps) -> tuple[int, int, int]:
    """M, K and N of the least matrices that can be constructed and go together."""
    least = [construction_of(caps, one) for one in (answer.a, answer.b, answer.accumulator)]
    a, b, c = (one for one in least if one is not None)
    k = lcm(a.min_k, b.min_k)
    while k < LEAST_K:
        k *= 2
    return lcm(a.min_m, c.min_m), k, lcm(b.min_n, c.min_n)


def _odd_sizes(answer: MatrixProduct, caps: LinalgCaps) -> tuple[tuple[int, int, int], ...]:
    """Sizes that no shape divides, one extent of them or all."""
    m, k, n = _least_sizes(answer, caps)
    full = square(caps, answer)[0]
    sizes = ((m, full, full), (full, k, full), (full, full, n), (m, k, n))
    return tuple(one for one in sizes if not _has_shape(answer, one))


def _odd_shape(edit: Edit) -> Edit:
    m, k, n = edit.one_of(_odd_sizes(edit.context.row.entry.answer, edit.caps))
    return edit.declare("A", m=m, n=k).declare("B", m=k, n=n).declare("C", m=m, n=n)


def _has_shape(answer: MatrixProduct, sizes: tuple[int, int, int]) -> bool:
    return any(all(size % unit == 0 for size, unit in zip(sizes, shape, strict=True)) for shape in answer.shapes)


MUL_CAPS = joined(
    tuple(
        form(
            f"another type of {'ABC'[place]}",
            partial(_other_type, place),
            possible=lambda row, caps, place=place: bool(_every_use(row, caps) and _others(row, caps, place)),  # type: ignore[misc]
        )
        for place in range(3)
    ),
    forms(
        {"a size that no shape divides": _odd_shape},
        possible=lambda row, caps: _every_use(row, caps) and bool(_odd_sizes(row.entry.answer, caps)),
    ),
)
"""LINALG-MUL-CAPS."""


MOST_WAVES = 64
"""Waves of a program."""


def _threads(edit: Edit, threads: int) -> Edit | None:
    size = edit.program.wave_size
    waves = -(-threads // size)
    if not 1 <= threads <= edit.caps.largest_group or waves > MOST_WAVES:
        return None
    edit.program = replace(edit.program, waves=waves, threads=threads)
    return edit


def _range(row: Any) -> tuple[int, int]:
    low, high = row.entry.answer.group_threads
    return low, high


GROUP_CAPS = joined(
    forms(
        {
            "one thread less than the least": lambda edit: _threads(edit, _range(edit.context.row)[0] - 1),
            "half the least": lambda edit: _threads(edit, _range(edit.context.row)[0] // 2),
        },
        possible=lambda row, _: _range(row)[0] > 1,
    ),
    forms(
        {"no multiple of the least": lambda edit: _threads(edit, _range(edit.context.row)[0] * 3 // 2)},
        possible=lambda row, caps: (
            _range(row)[0] > 1 and _range(row)[0] * 3 // 2 <= min(_range(row)[1], caps.largest_group)
        ),
    ),
    forms(
        {"more than the most": lambda edit: _threads(edit, _more(edit.context.row))},
        possible=lambda row, caps: _more(row) <= min(caps.largest_group, MOST_WAVES * min(caps.wave_sizes)),
    ),
)
"""LINALG-GROUP-CAPS."""


def _more(row: Any) -> int:
    low, high = _range(row)
    return high // low * low + low


def _no_sums(caps: Any, *, arrays: bool) -> tuple[ComponentType, ...]:
    """Types of matrices that can be made and not be added so."""
    there = {one.component for one in caps.atomics if (one.arrays if arrays else one.buffers)}
    return tuple(one for one in made(caps) if one not in there)


def _unsummed(edit: Edit, *, arrays: bool) -> Edit:
    component = edit.one_of(_no_sums(edit.caps, arrays=arrays))
    m, n = even(edit.caps, component)
    matrix = Matrix("X", component, m, n, "Accumulator")
    size = element_bytes(component)
    stride = up(n * size, 16)
    if not arrays:
        return edit.more(InterlockedAccumulate("X", "extra", 0, stride), matrices=(matrix,), buffers=("extra",))
    array = SharedArray("sums", OWN.get(component, "uint8_t4_packed"), m * stride)
    return edit.more(InterlockedAccumulate("X", "sums", 0, stride // size), matrices=(matrix,), arrays=(array,))


def _no_vectors(caps: Any) -> tuple[ComponentType, ...]:
    there = {one.component for one in caps.atomics if one.buffers}
    return tuple(one for one in NATIVE.values() if one not in there)  # type: ignore[misc]


def _unsummed_vector(edit: Edit) -> Edit:
    vector = Vector("u", edit.one_of(_no_vectors(edit.caps)), 4)
    return edit.more(VectorAccumulate("u", "extra", 0), vectors=(vector,), buffers=("extra",))


ATOMIC_CAPS = joined(
    forms(
        {"sum of a matrix": lambda edit: _unsummed(edit, arrays=False)},
        possible=lambda _, caps: bool(_no_sums(caps, arrays=False)),
    ),
    forms(
        {"sum of a matrix in an array": lambda edit: _unsummed(edit, arrays=True)},
        possible=lambda _, caps: bool(_no_sums(caps, arrays=True)),
    ),
    forms({"sum of a vector": _unsummed_vector}, possible=lambda _, caps: bool(_no_vectors(caps))),
)
"""LINALG-ATOMIC-CAPS."""


def _of_use(edit: Edit, use: Use) -> Edit:
    step = edit.step(edit.find(InterlockedAccumulate, "C", "sum"))
    new = InterlockedAccumulate("X", "sum", step.offset, step.stride, step.layout)
    return edit.more(new, matrices=(edit.matrix("C", use=use),))


ACC_USE = joined(
    forms({f"sum of {use}": partial(_of_use, use=use) for use in ("A", "B")}),
    forms(
        {
            f"sum of {use} in an array": lambda edit: edit.more(
                replace(edit.step(edit.find(InterlockedAccumulate, "C", "g")), matrix="X"),
                matrices=(edit.matrix("C", use="A"),),
            )
            for use in ("A",)
        },
        rows=("array-sums",),
    ),
)
"""LINALG-ACC-USE."""


def _sum_layout(edit: Edit, layout: Layout, memory: str = "sum") -> Edit:
    return edit.set(edit.find(InterlockedAccumulate, memory=memory), layout=layout, stride=0)


ACC_LAYOUT = joined(
    forms(
        {
            f"as {layout}": partial(_sum_layout, layout=layout)
            for layout in ("MulOptimal", "OuterProductOptimal", "MulOptimalTranspose", "OuterProductOptimalTranspose")
        },
        rows=("matrix-sums",),
    ),
    forms(
        {"in an array as MulOptimal": partial(_sum_layout, layout="MulOptimal", memory="g")},
        rows=("matrix-sums",),
        possible=lambda row, _: "array-sums" in row.tags,
    ),
    forms(
        {
            f"of Thread scope as {layout}": partial(_sum_layout, layout=layout)
            for layout in ("ColMajor", "MulOptimal", "OuterProductOptimalTranspose")
        },
        rows=("outer",),
    ),
)
"""LINALG-ACC-LAYOUT."""


WORDS = ("int", "uint")
"""Arrays of words of 32 bits, in which DXIL lets every type be named and HLSL has no way to name one."""


def _named(edit: Edit, same_size: bool) -> Edit | None:
    """A type that is named and is not the array's."""
    number = edit.find(InterlockedAccumulate, memory="g")
    own: ComponentType = edit.program.matrix("C").component
    known: list[ComponentType] = [one.name for one in components_of(edit.caps.revision)]  # type: ignore[misc]
    options = [one for one in known if one != own and (element_bytes(one) == element_bytes(own)) == same_size]
    target = edit.one_of(options)
    # Offset 0; a stride that is a multiple of 16 bytes in either type, and an array that is long enough.
    stride = up(edit.program.matrix("C").n, 128)
    for array in edit.program.arrays:
        edit.declare(array.name, length=16 * array.length + 4096)
    return edit.set(number, target=target, stride=stride)


def _other_element(edit: Edit) -> Edit:
    """An array of another type, and the matrix's own that is named."""
    own: ComponentType = edit.program.matrix("C").component
    elements: tuple[ArrayType, ...] = ("float", "double", "int64_t", "uint64_t")
    element = edit.one_of(one for one in elements if NATIVE[one] != own)
    step = edit.step(edit.find(InterlockedAccumulate, memory="g"))
    array = SharedArray("other", element, 1 << 15)
    stride = up(edit.program.matrix("C").n, 128)
    return edit.more(replace(step, memory="other", stride=stride, target=own), arrays=(array,))


ACC_GS_TARGET = joined(
    forms(
        {
            "another type of that size is named": partial(_named, same_size=True),
            "a type of another size is named": partial(_named, same_size=False),
        },
        possible=lambda row, _: OWN.get(row.entry.answer.component, "int") not in WORDS,
    ),
    forms({"an array of another type": _other_element}),
)
"""LINALG-ACC-GS-TARGET."""
