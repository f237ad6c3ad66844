"""Calls with every use, scope, type, memory and layout: clang refuses those, and only those, that the rules refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product as product_of
from typing import get_args

import pytest

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.hlsl_linalg.validity.arrays import PACKED
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.hlsl_linalg import COMPONENTS as TABLE
from mmaspec.programs.hlsl_linalg import (
    LINEAR,
    Accumulate,
    ArrayType,
    Cast,
    CountElements,
    Instruction,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Scope,
    SharedArray,
    Splat,
    Store,
    Use,
    Vector,
    components_of,
)
from tests.hlsl_linalg.published.samples import AS_THEY_STAND

from .front_end import complaints, front_end
from .seen import SEEN

CLANG = front_end()
pytestmark = pytest.mark.skipif(CLANG is None, reason="no HLSL IS COMPILED: no clang knows it, and `ziglang` is absent")

FILE = 200
"""Shaders in one file."""
USES: tuple[Use, ...] = get_args(Use)
SCOPES: tuple[Scope, ...] = get_args(Scope)
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
COMPONENTS = tuple(row.name for row in components_of("later"))
SOME = ("F16", "F32", "I8", "BFloat16")
BUFFERS = (Buffer("ro", 1 << 14, 128), Buffer("rw", 1 << 14, 128))
WHOLE = SEEN | {"LINALG-LOAD-STRIDE0"}
"""With that the literal strides below break."""


def program(body: tuple[Instruction, ...], *matrices: Matrix, **fields: object) -> LinalgProgram:
    return LinalgProgram(BUFFERS, body, matrices, read_only=("ro",), **fields)  # type: ignore[arg-type]


def matrix(name: str, use: Use, scope: Scope, component: str = "F16", m: int = 16, n: int = 16) -> Matrix:
    return Matrix(name, component, m, n, use, scope)  # type: ignore[arg-type]


def three(uses: Iterable[Use], scopes: Iterable[Scope], types: Iterable[str] = ("F16",) * 3) -> tuple[Matrix, ...]:
    """A, B and C of these uses, scopes and types."""
    return tuple(matrix(*one) for one in zip("ABC", uses, scopes, types, strict=True))


def products() -> Iterator[LinalgProgram]:
    """Products of matrices of any uses at one scope, of any scopes with the right uses, and of any types."""
    both = (MultiplyAccumulate("C", "A", "B"), Multiply("C", "A", "B"), Multiply("C", "A", "B", typed=False))
    named: list[tuple[Matrix, ...]] = [
        *(three(uses, (scope,) * 3) for scope in SCOPES for uses in product_of(USES, USES, USES)),
        *(three(USES, scopes) for scopes in product_of(SCOPES, SCOPES, SCOPES)),
        *(three(USES, ("Wave",) * 3, types) for types in product_of(SOME, SOME, SOME)),
    ]
    for m, k, j, n in product_of((8, 16), (8, 16), (8, 16), (8, 16)):
        a, b = matrix("A", "A", "Wave", m=m, n=k), matrix("B", "B", "Wave", m=j, n=n)
        named += [(a, b, matrix("C", "Accumulator", "Wave", m=rows, n=8)) for rows in (8, 16)]
    for matrices, one in product_of(named, both):
        yield program((one,), *matrices)


def on_matrices() -> Iterator[LinalgProgram]:
    """What is done with one matrix or two: casts, sums, single elements, values everywhere."""
    for use, other, scope, there in product_of(USES, USES, SCOPES, SCOPES):
        a, b = matrix("A", use, scope), matrix("B", other, there)
        yield program((Accumulate("A", "B"),), a, b)
        yield program((Cast("A", "B"),), a, b)
        yield program((Cast("A", "B", True),), a, matrix("B", other, there, "F32", 8, 16))
    for component, scope, use in product_of(COMPONENTS, SCOPES, USES):
        a = matrix("A", use, scope, component)
        for one in (Splat("A", "int", Literal(1)), CountElements("A", "rw", 0), ReadElements("A", "rw", 0, 128)):
            yield program((one,), a)


def in_buffers() -> Iterator[LinalgProgram]:
    """Loads, stores and sums of any use and scope in either kind of buffer and any layout."""
    for use, scope, memory, layout in product_of(USES, SCOPES, ("ro", "rw"), LAYOUTS):
        stride = 32 if layout in LINEAR else 0
        for kind in (Load, Store, InterlockedAccumulate):
            if kind is not InterlockedAccumulate or scope != "Thread" or layout in ("RowMajor", "MulOptimal"):
                given = 0 if kind is InterlockedAccumulate and scope == "Thread" else stride
                yield program((kind("A", memory, 0, given, layout),), matrix("A", use, scope))


def in_arrays() -> Iterator[LinalgProgram]:
    """The same in arrays of any type, plain or of vectors, and sums with any type named.

    Not of words of packed bytes as something that is not packed: the document declares such sums where it lists the
    methods of a matrix, and not where it describes them, and no listed program has one.
    """
    for element, width, component, scope in product_of(get_args(ArrayType), (0, 4), SOME, SCOPES):
        array = SharedArray("g", element, 1024, width)
        for one in (Load("A", "g", 0, 32), Store("A", "g", 0, 32), InterlockedAccumulate("A", "g", 0, 32)):
            if not (isinstance(one, InterlockedAccumulate) and element == PACKED and TABLE[component].native):
                yield program((one,), matrix("A", "Accumulator", scope, component), arrays=(array,))
    for element, target in product_of(get_args(ArrayType), SOME):
        if element != PACKED or not TABLE[target].native:
            one = InterlockedAccumulate("A", "g", 0, 32, target=target)
            yield program((one,), matrix("A", "Accumulator", "Wave"), arrays=(SharedArray("g", element, 1024),))


def with_vectors() -> Iterator[LinalgProgram]:
    """Products with vectors of any type and of other lengths, with every bias, and outer products."""
    biases = (None, "z", MemoryBias("ro", 0, "F16"), MemoryBias("rw", 0, "F16"))
    for use, scope, bias in product_of(USES, SCOPES, biases):
        vectors = (Vector("x", "F16", 16), Vector("y", "F16", 16), Vector("z", "F16", 16))
        yield program((MultiplyVector("y", "M", "x", bias),), matrix("M", use, scope), vectors=vectors)
    for component, k, m, bias in product_of(SOME, (8, 12, 16), (4, 8), biases[:3]):
        vectors = (Vector("x", component, k), Vector("y", "F32", m), Vector("z", "F16", 4))  # type: ignore[arg-type]
        yield program((MultiplyVector("y", "M", "x", bias),), matrix("M", "A", "Thread", m=4, n=12), vectors=vectors)
    for use, scope, column, row in product_of(USES, SCOPES, SOME, SOME):
        vectors = (Vector("u", column, 16), Vector("v", row, 8))  # type: ignore[arg-type]
        yield program((OuterProduct("O", "u", "v"),), matrix("O", use, scope, m=16, n=8), vectors=vectors)


@pytest.mark.parametrize("calls", [products, on_matrices, in_buffers, in_arrays, with_vectors])
def test_calls_are_refused_exactly_where_the_rules_refuse_them(calls: object) -> None:
    assert CLANG is not None
    every = list(calls())  # type: ignore[operator]
    texts = [SPEC.text(one, SPEC.default_caps) for one in every]
    found: list[bool] = []
    for start in range(0, len(texts), FILE):
        found += [bool(errors) for errors in complaints(CLANG, texts[start : start + FILE])]
    wanted = [bool(set(SPEC.rejected(one, SPEC.default_caps)) & WHOLE) for one in every]
    other = [
        (said, sorted(SPEC.rejected(one, SPEC.default_caps)), text)
        for one, text, said, right in zip(every, texts, found, wanted, strict=True)
        if said != right
    ]
    assert [(said, clauses, text[-700:]) for said, clauses, text in other] == []
    assert 10 < sum(found) < len(found) - 10


@pytest.mark.parametrize("name", AS_THEY_STAND)
def test_the_documents_examples_compile_as_they_stand(name: str) -> None:
    """What is wrong in them no compiler sees, but for the line that is said to be an error."""
    assert CLANG is not None
    pair = [AS_THEY_STAND[name], next(products())]
    found, _ = complaints(CLANG, [SPEC.text(program, SPEC.default_caps) for program in pair])
    assert bool(found) == ("an error" in name)
