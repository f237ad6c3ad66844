"""What is seen of small kernels: which functions follow which, with how many rows, through registers and memory."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.intel_subgroup_mma.program import Fill, Fragment, Load, Mad, MadProgram, Repeat, Store

from .observed_cases import I4, SAVE, A, B, C, Kernel, case, found_in, shown

TWO = Kernel()
PLAIN = case(TWO.program(A, B, C, TWO.call(), SAVE))
IN_PLACE = case(TWO.program(A, B, C, TWO.call(d="acc"), Store("acc", "out", 0)))
LITERAL = case(TWO.program(A, B, TWO.call(c=None), SAVE))
DECLARED = Kernel(fills={"acc": 0})
ZERO = case(DECLARED.program(A, B, DECLARED.call(), SAVE))
REFILLED = case(
    TWO.program(
        A, B, C, TWO.call(d="acc"), Store("acc", "out", 0), Fill("acc", 0), TWO.call(d="acc"), Store("acc", "out", 1)
    )
)
STRIDES = (Load("a", "in_a", Affine(0, loop=1), "A"), Load("b", "in_b", Affine(2, loop=2), "B"))
LOOP = case(TWO.program(C, Repeat(3, (*STRIDES, TWO.call(d="acc"))), Store("acc", "out", 0)))
WAVES = case(
    TWO.program(
        A, Load("b", "in_b", Affine(1, wave=2), "B"), C, TWO.call(), Store("d", "out", Affine(0, wave=1)), waves=3
    )
)
BACK = case(TWO.program(A, B, C, TWO.call(), SAVE, Load("acc", "out", 0), TWO.call(), Store("d", "out", 0)))
AS_A = case(TWO.program(A, B, C, TWO.call(), SAVE, Load("a", "out", 0), TWO.call(), Store("d", "out", 1)))

EIGHT = Kernel(rows=8)
_OTHERS = (
    Fragment("a1", "a", "s8", "int", 1),
    Fragment("c1", "cd", "s32", "int", 1),
    Fragment("u", "b", "u8", "uint", 8),
    Fragment("n", "a", "s4", "int", 8),
    Fragment("m", "b", "s4", "int", 8),
)
FEWER = case(
    EIGHT.program(
        A, B, C, EIGHT.call(d="acc"), Load("a1", "in_a", 9, "A1"),
        Mad("i8_i8_matrix_mad_k32", "c1", "a1", "b"), Store("acc", "out", 0), Store("c1", "out", 15), extra=_OTHERS[:2],
    )
)  # fmt: skip
"""Nine rows: eight, and the rest."""
SIGNS = case(
    EIGHT.program(
        A, B, C, Load("u", "in_b", 1, "U"), EIGHT.call(d="acc"), Mad("i8_u8_matrix_mad_k32", "acc", "a", "u", "acc"),
        Store("acc", "out", 0), extra=(_OTHERS[2],),
    )
)  # fmt: skip
WIDTHS = case(
    EIGHT.program(
        A, B, C, Load("n", "in_a", 1, "N"), Load("m", "in_b", 1, "M"), EIGHT.call(d="acc"),
        Mad("i4_i4_matrix_mad_k64", "acc", "n", "m", "acc"), Store("acc", "out", 0), extra=_OTHERS[3:],
    )
)  # fmt: skip


def narrow_and_wide() -> Case:
    """One product of bf16 into single precision, and again into 16 bits."""
    wide, narrow = Kernel("bf16_bf16_f32", 16, 4), Kernel("bf16_bf16_bf16", 16, 4)
    held = (*wide.fragments[:2], replace(wide.fragments[3], name="d"), replace(narrow.fragments[3], name="h"))
    buffers = tuple(Buffer(name, 16 * 512) for name in ("in_a", "in_b", "out", "other"))
    function = wide.signature.function
    body = (A, B, Mad(function, "d", "a", "b"), Mad(function, "h", "a", "b"), SAVE, Store("h", "other", 0))
    return case(MadProgram(16, buffers, held, body))


BOTH = narrow_and_wide()
ONE = Kernel(rows=1)
_UNLIKE = tuple(Fragment(name, "cd", "s32", "uint", 1) for name in "xy")
CONVERTED = case(
    ONE.program(A, B, Load("x", "in_acc", 0, "C"), ONE.call(d="y", c="x"), Store("y", "out", 0), extra=_UNLIKE)
)

GOLDEN: tuple[tuple[str, Case, str, str, set[str]], ...] = (
    ("plain", PLAIN, "product", "c-source", {"loaded"}),
    ("plain", PLAIN, "product", "destination", {"apart-fresh"}),
    ("plain", PLAIN, "program", "sub-group-size", {"eight"}),
    ("plain", PLAIN, "product", "rows", {"two"}),
    ("plain", PLAIN, "product", "rows-before", {"none"}),
    ("plain", PLAIN, "product", "format", {"i8-i8-i32"}),
    ("plain", PLAIN, "fragment", "vector-bytes", {"eight", "thirty-two"}),
    ("plain", PLAIN, "fragment", "fragment-component", {"int"}),
    ("plain", PLAIN, "program", "statement-order", {"phases", "c-last"}),
    ("in place", IN_PLACE, "product", "destination", {"in-place"}),
    ("in place", IN_PLACE, "store", "store-source", {"result-in-place"}),
    ("a literal", LITERAL, "product", "c-source", {"literal"}),
    ("a declared zero", ZERO, "product", "c-source", {"zero-declared"}),
    ("refilled", REFILLED, "fill", "fill-when", {"between", "directly-before"}),
    ("refilled", REFILLED, "fill", "fill-source", {"literal"}),
    ("a loop", LOOP, "loop", "loop-carries", {"accumulator"}),
    ("a loop", LOOP, "loop", "loop-index-used", {"a-and-b-unequal"}),
    ("a loop", LOOP, "sequence", "chain-length", {"three"}),
    ("a loop", LOOP, "tiling", "k-tiles", {"three"}),
    ("sub-groups", WAVES, "program", "waves-work", {"same-a"}),
    ("sub-groups", WAVES, "program", "waves", {"three"}),
    ("by memory", BACK, "load", "reinterpreted", {"no"}),
    ("by memory", BACK, "sequence", "chain-link", {"by-memory"}),
    ("a result as a factor", AS_A, "load", "reinterpreted", {"cd-as-a", "other-elements"}),
    ("eight and one", FEWER, "program", "rows-together", {"fewer"}),
    ("eight and one", FEWER, "product", "rows-before", {"none", "eight"}),
    ("eight and one", FEWER, "sequence", "shared-by-rows", {"other-rows"}),
    ("eight and one", FEWER, "tiling", "tile-rows", {"ragged"}),
    ("eight and one", FEWER, "fragment", "fragment-functions", {"one", "rows"}),
    ("signs", SIGNS, "program", "distinct-forms", {"signs"}),
    ("signs", SIGNS, "sequence", "chain-formats", {"signs"}),
    ("signs", SIGNS, "fragment", "fragment-functions", {"one", "signs"}),
    ("widths", WIDTHS, "program", "distinct-forms", {"widths"}),
    ("widths", WIDTHS, "sequence", "chain-formats", {"widths"}),
    ("scalars", CONVERTED, "product", "converted-scalars", {"addend", "result"}),
    ("scalars", PLAIN, "product", "converted-scalars", {"none"}),
    ("narrow and wide", BOTH, "program", "distinct-forms", {"accumulators"}),
    ("narrow and wide", BOTH, "fragment", "fragment-component", {"short", "int", "float"}),
    ("narrow and wide", BOTH, "fragment", "fragment-functions", {"one", "accumulators"}),
)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("name", "of", "group", "axis", "expected"), GOLDEN)
def test_programs_show_their_classes(name: str, of: Case, group: str, axis: str, expected: set[str]) -> None:
    assert shown(of, group, axis) == expected, name


def test_a_store_has_the_loads_that_find_its_own_bytes() -> None:
    """The first store is seen as a factor, as an addend the second, and the last one is never loaded."""
    stores = (SAVE, Store("d", "out", 1), Store("d", "out", 2))
    again = (Load("a", "out", 0), Load("acc", "out", 1))
    of = case(TWO.program(A, B, C, TWO.call(), *stores, *again, TWO.call(), Store("d", "out", 3)))
    seen = [thing.classes.get("reinterpreted") for thing in found_in(of) if thing.thing.group == "store"]
    assert seen == [{"cd-as-a", "other-elements"}, {"no"}, None, None]


@pytest.mark.parametrize("form", [I4, "f16_f16_f16"])
def test_every_number_of_rows_is_told_apart(form: str) -> None:
    for rows, name in ((1, "one"), (2, "two"), (4, "four"), (8, "eight")):
        assert shown(Kernel(form, 16, rows).plain(), "operand", "rows") == {name}
