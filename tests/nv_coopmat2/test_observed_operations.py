"""Operations written by hand, and the classes that they must show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mmaspec.programs.base import Affine, FromBuffer
from mmaspec.programs.base import Literal as Word
from mmaspec.programs.nv_coopmat2.program import (
    Arithmetic,
    Combine,
    Component,
    Convert,
    EachComponent,
    ElementFunction,
    Instruction,
    Load,
    Matrix,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Repeat,
    Splat,
    Store,
    Transpose,
)

from .shown import OTHER, WORDS, A, B, C, D, shown, written

Shown = dict[str, set[str]]
ONE_F16, ONE_F32 = 0x3C00, 0x3F80_0000
IDENTITY = (np.eye(16, dtype=np.uint64) * np.uint64(ONE_F16)).ravel()
ZEROS = np.zeros(256, np.uint64)


def product(a: object = IDENTITY, b: object = IDENTITY, c: object = ZEROS, result: str = "D") -> Shown:
    """D = A * B + C of f16 and f32."""
    return shown(
        written(
            Load("A", "in", 0, 16, data="A"),
            Load("B", "in", 512, 16, data="B"),
            Load("C", "more", 0, 16, data="C"),
            MulAdd(result, "A", "B", "C"),
            Store(result, "out", 0, 16),
            matrices=(A, B, C, D),
        ),
        {"A": a, "B": b, "C": c},
    )


def accumulators(*body: Instruction, kind: Component = "s32", values: object = None, more: object = None) -> Shown:
    """Operations on X and Y, loaded accumulators of one type, into R; R is stored."""
    matrices = tuple(Matrix(name, kind, 16, 16, 2) for name in "XYR")
    made = written(
        Load("X", "in", 0, 16, data="X"),
        Load("Y", "more", 0, 16, data="Y"),
        *body,
        Store("R", "out", 0, 16),
        matrices=matrices,
    )
    given = {"X": values, "Y": more}
    return shown(made, {name: words for name, words in given.items() if words is not None})


def convert(old: Matrix, new: Matrix, words: object) -> Shown:
    """A construction of one from the other."""
    return shown(
        written(
            Load(old.name, "in", 0, 16, data="X"), Convert(new.name, old.name), Store(new.name, "out", 0, 16),
            matrices=(old, new),
        ),
        {"X": words},
    )  # fmt: skip


HALVES = Matrix("H", "f16", 16, 16, 2)
CASES: dict[str, tuple[str, Callable[[], Shown], dict[str, set[str]]]] = {
    "identities": (
        "product",
        product,
        {
            "product-types": {"f16-f32"},
            "product-shape": {"cube"},
            "product-k": {"sixteen"},
            "product-addend": {"loaded"},
            "product-chain": {"single"},
            "float-terms": {"none", "one-first", "one-last", "one-without-c", "one-each-k"},
            "zero-pattern": {"identity-a", "identity-b", "c"},
            "saturating": {"without"},
            "size-listing": {"fixed"},
            "matrix-origin": {"plain-load"},
            "result-destination": {"plain-store"},
            "result-identity": {"fresh"},
            "source-kept": {"dead"},
            "acting-instance": {"all-alike"},
            "operand-symmetry": {"symmetric", "all-alike"},
        },
    ),
    "into its addend": (
        "product",
        lambda: product(result="C"),
        {"result-identity": {"first-operand"}, "product-addend": {"self"}, "operand-identity": {"c-and-result"}},
    ),
    "a term that is midway": (
        "product",
        lambda: product(c=[0x4B80_0000], a=IDENTITY),  # 2^24 + 1
        {"float-sum": {"tie"}, "float-terms": {"one-with-c"}, "zero-pattern": {"identity-a"}},
    ),
    "infinity by zero": (
        "product",
        lambda: product(a=[0x7C00], b=ZEROS),
        {"special-operand-place": {"a", "infinity-by-zero"}, "float-operand-value": {"infinity", "zero"}},
    ),
    "total cancellation": (
        "product",
        lambda: product(a=[ONE_F16, ONE_F16 | 0x8000], b=[ONE_F16]),
        {"float-sum": {"cancellation-total", "alternating", "powers-of-two"}, "float-terms": {"all-exact"}},
    ),
    "wrapping words": (
        "arithmetic",
        lambda: accumulators(Arithmetic("R", "X", "+", "Y"), values=[0x7FFF_FFFF], more=[1]),
        {
            "operator": {"plus"},
            "right-operand": {"matrix"},
            "arithmetic-integer-data": {"wraps-above"},
            "component": {"s32"},
        },
    ),
    "quotients": (
        "arithmetic",
        lambda: accumulators(Arithmetic("R", "X", "/", "Y"), values=[-7 & 0xFFFF_FFFF, 9], more=[2, 3]),
        {"integer-divisor": {"negative-dividend", "exact", "power-of-two"}, "operator": {"divide"}},
    ),
    "a rounded sum": (
        "arithmetic",
        lambda: accumulators(Arithmetic("R", "X", "+", "Y"), kind="f32", values=[ONE_F32], more=[0x3380_0000]),
        {"arithmetic-float-data": {"tie", "inexact"}},
    ),
    "itself": (
        "arithmetic",
        lambda: accumulators(Arithmetic("R", "X", "-", "X"), kind="f32", values=[ONE_F32]),
        {"right-operand": {"itself"}, "arithmetic-float-data": {"equal-difference", "exact"}},
    ),
    "a multiple": (
        "arithmetic",
        lambda: accumulators(Arithmetic("R", "X", "*", Word(ONE_F32), True), kind="f32", values=[0]),
        {"right-operand": {"scalar-before"}, "scalar-form": {"literal"}, "each-component-value": {"neutral"}},
    ),
    "negation": (
        "negation",
        lambda: accumulators(Negate("R", "X"), kind="f32", values=[0, 1 << 31, 0x7F80_0000, 1]),
        {"negation-data": {"zero", "minus-zero", "infinity", "subnormal"}},
    ),
    "components": (
        "each-component",
        lambda: accumulators(EachComponent("X", "add", Word(3)), Arithmetic("R", "X", "+", "Y")),
        {"each-component-function": {"add"}, "each-component-value": {"small"}},
    ),
    "sum of rows": (
        "reduction",
        lambda: accumulators(Reduce("R", "X", 1, Combine("add")), kind="f32", values=[ONE_F32]),
        {
            "reduce-mask": {"row"},
            "reduce-shape": {"same"},
            "reduce-types": {"floats"},
            "combine": {"add"},
            "reduce-source-size": {"sixteen"},
            "reduce-data": {"all-ones", "all-exact", "all-positive"},
            "function-sharing": {"one"},
            "function-qualifier": {"const-in"},
        },
    ),
    "extremes": (
        "reduction",
        lambda: accumulators(Reduce("R", "X", 3, Combine("max")), kind="f32", values=[0xBF80_0000, 0xC000_0000]),
        {"reduce-mask": {"all"}, "reduce-data": {"all-negative"}, "reduce-source-size": {"two-hundred-fifty-six"}},
    ),
    "triangle": (
        "per-element",
        lambda: accumulators(PerElement("R", "X", ElementFunction("triangle")), kind="f32", values=[0x7F80_0000]),
        {
            "element-function": {"triangle"},
            "element-extras": {"none"},
            "element-place-value": {"small", "diagonal"},
            "element-data": {"special-chosen", "special-not-chosen"},
            "element-result": {"same"},
        },
    ),
    "an added extra": (
        "per-element",
        lambda: accumulators(
            PerElement("R", "X", ElementFunction("add", extras=(None, None)), ("Y", FromBuffer("in", 2048, "S"))),
            values=[0x7FFF_FFFF],
            more=[1],
        ),
        {"element-extras": {"matrix-scalar"}, "element-data": {"exact", "overflow"}, "scalar-form": {"from-buffer"}},
    ),
    "narrowed floats": (
        "conversion",
        lambda: convert(C, HALVES, [ONE_F32, 0x3F80_1000, 0x477F_F000, 0x7F80_0001, 0x3300_0001]),
        {
            "conversion-kind": {"float-narrowing"},
            "conversion-uses": {"accumulator-accumulator"},
            "conversion-rule": {"right"},
            "conversion-chain": {"single"},
            "conversion-float-value": {"exact", "tie-even-below", "far-above", "nan-payload-lost"},
        },
    ),
    "floats to words": (
        "conversion",
        lambda: convert(C, WORDS, [0x3FC0_0000, 0xBFC0_0000, 0x4F00_0000, 0x7FC0_0000, 0x4EFF_FFFF]),
        {
            "conversion-kind": {"float-to-signed"},
            "conversion-integer-value": {
                "half",
                "fraction-positive",
                "fraction-negative",
                "one-beyond",
                "nan",
                "largest-in-range",
                "beside-undefined",
            },
        },
    ),
    "a change of use": (
        "conversion",
        lambda: convert(HALVES, A, [ONE_F16]),
        {"conversion-kind": {"same-type"}, "conversion-uses": {"accumulator-a"}},
    ),
    "transpose": (
        "transpose",
        lambda: shown(
            written(
                Load("H", "in", 0, 16, data="X"),
                Transpose("B", "H"),
                Store("B", "out", 0, 16, 1),
                matrices=(HALVES, B),
            )
        ),
        {"transpose-types": {"right"}, "transpose-again": {"stored-column"}, "matrix-origin": {"plain-load"}},
    ),
    "splat": (
        "splat",
        lambda: accumulators(Splat("R", Word(0x0102_0304)), Arithmetic("R", "R", "+", "X")),
        {"splat-value": {"all-bytes-differ"}, "scalar-form": {"literal"}, "result-destination": {"arithmetic-left"}},
    ),
    "accumulation in a loop": (
        "product",
        lambda: shown(
            written(
                Load("A", "in", 0, 16, data="A"),
                Load("C", "more", 0, 16, data="C"),
                Repeat(20, (Load("B", "in", Affine(512, 0, 256), 16, data="B"), MulAdd("C", "A", "B", "C"))),
                Store("C", "out", 0, 16),
                matrices=(A, B, C),
            ),
            {"A": ZEROS, "B": ZEROS, "C": ZEROS},
        ),
        {
            "product-chain": {"through-c", "through-c-long"},
            "loop-carried": {"one-accumulator"},
            "matrix-origin": {"plain-load", "previous-pass", "product"},
            "zero-pattern": {"everything"},
        },
    ),
    "stored and loaded again": (
        "plain-load",
        lambda: shown(
            written(
                Load("W", "in", 0, 16, data="X"),
                Store("W", "out", 0, 16),
                Load("V", "out", 0, 16, 1),
                Store("V", "out", 1024, 20),
                matrices=(WORDS, OTHER),
            )
        ),
        {
            "memory-order": {"input-only", "own-store-other-layout"},
            "plain-major": {"row", "column"},
            "access-buffer": {"own", "a-store"},
            "plain-stride-kind": {"exact"},
            "plain-alignment": {"more"},
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_operations_show_their_classes(name: str) -> None:
    group, made, expected = CASES[name]
    found = made()
    for axis, classes in expected.items():
        assert classes <= found.get(f"{group}/{axis}", set()), (axis, found.get(f"{group}/{axis}"))


def test_what_is_not_there_is_not_seen() -> None:
    found = product(c=[ONE_F32])
    assert found["product/float-terms"] & {"none", "all-exact", "two"} == {"none"}
    assert not found["product/zero-pattern"] & {"c", "everything", "a", "b"}
    assert "product/integer-sum" not in found
    assert "product/special-operand-place" not in found
