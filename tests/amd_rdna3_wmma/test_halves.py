"""16-bit C and D: halves, slots, what a tied builtin keeps, sums in f16 and bf16, and chains through both halves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.numerics.legal import Reason, illegal
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Fill, Load, Store, Wmma, WmmaProgram
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import NARROW, TIED, product

Cells = dict[tuple[int, int], float]
PLAIN = tuple(name for name in NARROW if name not in TIED)


def code(builtin: str, value: float) -> int:
    """A number of few bits in the format of all four matrices."""
    single = int(np.float32(value).view(np.uint32))
    return single >> 16 if builtin.startswith("bf16") else int(np.float16(value).view(np.uint16))


def answer(program: WmmaProgram, **cells: Cells) -> Defined:
    """What is expected where these elements hold these numbers and the rest is zero."""
    name = next(step.builtin for step in program.body if isinstance(step, Wmma))
    values = {}
    for source in SPEC.sources(program):
        values[source.name] = np.zeros((1, *source.shape), np.uint64)
        for (row, col), value in cells.get(source.name, {}).items():
            values[source.name][..., row, col] = code(name, value)
    found = expect(Case(SPEC.name, "by hand", "by hand", program, SPEC.default_caps, 1, values))
    assert isinstance(found, Defined)
    return found


def low_and_high(found: Defined, store: int = -1) -> tuple[Region, Region]:
    """The two matrices of a store."""
    numbers = sorted({region.step for region in found.regions})
    low, high = (region for region in found.regions if region.step == numbers[store])
    assert (high.addresses - low.addresses == 2).all()
    return low, high


def takes(region: Region, builtin: str, value: float, row: int = 0, col: int = 0) -> bool:
    """Whether the element may be this."""
    got = np.full(region.legal.shape, code(builtin, value), np.uint64)
    return not illegal(region.legal, got)[0, 0, row, col]


@pytest.mark.parametrize("builtin", NARROW)
@pytest.mark.parametrize("opsel", [False, True])
def test_opsel_says_which_half_is_read_and_written(builtin: str, opsel: bool) -> None:
    """RDNA3-OPSEL-LOW, RDNA3-OPSEL-HIGH: 1*1 and the 3 of the named half, not the 100 of the other one."""
    cells: dict[str, Cells] = {"A": {(0, 0): 1}, "B": {(0, 0): 1}}
    cells |= {("High" if opsel else "C"): {(0, 0): 3}, ("C" if opsel else "High"): {(0, 0): 100}}
    found = answer(product(builtin, opsel=opsel), **cells)
    named = low_and_high(found)[opsel]
    assert takes(named, builtin, 4)
    assert not takes(named, builtin, 101)
    assert not takes(named, builtin, 100)
    named_clause = "RDNA3-OPSEL-HIGH" if opsel else "RDNA3-OPSEL-LOW"
    assert {named_clause, "RDNA3-OPSEL-SLOT", "RDNA3-CD-UNPACKED"} <= found.clauses


@pytest.mark.parametrize("builtin", PLAIN)
@pytest.mark.parametrize("opsel", [False, True])
def test_beside_a_result_anything_may_stand(builtin: str, opsel: bool) -> None:
    """RDNA3-OPSEL-OTHER, of a builtin that is not tied."""
    other = low_and_high(answer(product(builtin, opsel=opsel), High={(0, 0): 7}))[not opsel]
    assert (other.legal.why == Reason.SPEC_SILENT).all()


@pytest.mark.parametrize("builtin", TIED)
@pytest.mark.parametrize("opsel", [False, True])
def test_a_tied_builtin_keeps_what_c_has_there(builtin: str, opsel: bool) -> None:
    """RDNA3-OPSEL-OTHER: to the bit, -0 and NaN included, whatever D held."""
    program = product(builtin, opsel=opsel)
    grown = replace(program, body=(Fill("d", code(builtin, 9)), *program.body))
    name = "C" if opsel else "High"
    found = answer(grown, **{name: {(0, 0): 7, (1, 1): -0.0, (15, 15): -3}})
    other = low_and_high(found)[not opsel]
    assert takes(other, builtin, 7)
    assert not takes(other, builtin, 9)
    assert takes(other, builtin, -0.0, 1, 1)
    assert not takes(other, builtin, 0.0, 1, 1)
    assert takes(other, builtin, -3, 15, 15)
    assert takes(other, builtin, 0, 4, 5)
    assert "RDNA3-OPSEL-OTHER" in found.clauses


@pytest.mark.parametrize("builtin", TIED)
def test_beside_a_literal_of_zeros_there_are_zeros(builtin: str) -> None:
    """RDNA3-OPSEL-OTHER, RDNA3-ZERO-C: C is a vector of zeros, both halves of it."""
    program = with_calls(product(builtin, opsel=True), c=None)
    low, high = low_and_high(answer(replace(program, body=(Fill("d", code(builtin, 9)), *program.body))))
    assert all(takes(part, builtin, 0) and not takes(part, builtin, 9) for part in (low, high))


def twice(builtin: str, *, first: bool) -> WmmaProgram:
    """Two products in place, one in each half, and a store."""
    program = product(builtin)
    a, b, c, call, _ = program.body
    assert isinstance(call, Wmma)
    calls = tuple(replace(call, d="c", opsel=opsel) for opsel in (first, not first))
    return replace(program, body=(a, b, c, *calls, Store("c", "out")))


@pytest.mark.parametrize("builtin", NARROW)
@pytest.mark.parametrize("first", [False, True])
def test_both_halves_of_one_fragment(builtin: str, first: bool) -> None:
    """The result of the first product stays beside that of the second one if both are tied.

    If they are not, nobody knows what the second one reads as C, nor what it leaves of the first one's result.
    """
    cells: dict[str, Cells] = {"A": {(0, 0): 2}, "B": {(0, 0): 3}, "C": {(0, 0): 2}, "High": {(0, 0): 50}}
    parts = low_and_high(answer(twice(builtin, first=first), **cells))
    for high, part in enumerate(parts):
        if builtin in PLAIN:
            assert (part.legal.why != 0).all()
        else:
            assert takes(part, builtin, 56 if high else 8)
            assert not takes(part, builtin, 20)
            assert not takes(part, builtin, 2 if high else 50)


@pytest.mark.parametrize("builtin", NARROW)
def test_what_is_undefined_goes_on_as_such(builtin: str) -> None:
    """A result in one half, then the other half of it as C: of a tied builtin that is what the first C had there."""
    program = product(builtin)
    fragments = (*program.fragments, replace(program.fragment("d"), name="e"))
    call = program.body[3]
    assert isinstance(call, Wmma)
    body = (*program.body[:4], replace(call, d="e", c="d", opsel=True), Store("e", "out"))
    found = answer(replace(program, fragments=fragments, body=body), A={(0, 0): 1}, B={(0, 0): 1}, High={(0, 0): 8})
    high = low_and_high(found)[1]
    if builtin in TIED:
        assert takes(high, builtin, 9)
        assert not takes(high, builtin, 1)
    else:
        assert (high.legal.why != 0).all()


@pytest.mark.parametrize("builtin", NARROW)
def test_what_is_loaded_without_a_name_is_not_known(builtin: str) -> None:
    program = product(builtin, opsel=True)
    body = tuple(replace(step, high=None) if isinstance(step, Load) else step for step in program.body)
    low, high = low_and_high(answer(replace(program, body=body), A={(0, 0): 1}, B={(0, 0): 1}))
    assert (high.legal.why != 0).all()
    assert (low.legal.why != 0).all() == (builtin in PLAIN)


@pytest.mark.parametrize("builtin", NARROW)
def test_both_halves_may_have_one_name(builtin: str) -> None:
    program = product(builtin)
    body = tuple(
        replace(step, high="C") if isinstance(step, Load) and step.into == "c" else step for step in program.body
    )
    found = answer(replace(program, body=(*body, Store("c", "addend"))), C={(3, 4): 5})
    for part in low_and_high(found):
        assert takes(part, builtin, 5, 3, 4)
        assert not takes(part, builtin, 0, 3, 4)
    source = next(one for one in SPEC.sources(replace(program, body=body)) if one.name == "C")
    assert source.addresses.shape[0] == 2


@pytest.mark.parametrize("builtin", NARROW)
def test_a_store_and_a_load_bring_both_halves_back(builtin: str) -> None:
    program = product(builtin)
    body = (*program.body[:3], Store("c", "out"), Load("d", "out"), Store("d", "again"))
    made = replace(program, buffers=(*program.buffers, Buffer("again", 1024)), body=(*body, program.body[3]))
    for part, value in zip(low_and_high(answer(made, C={(2, 2): 5}, High={(2, 2): 6})), (5, 6), strict=True):
        assert takes(part, builtin, value, 2, 2)
        assert part.legal.moved.all()


SUMS: list[tuple[str, Cells, Cells, Cells, float, tuple[float, ...]]] = [
    ("C alone", {}, {}, {(0, 0): 1}, 1, (0, 2)),
    ("one product", {(0, 0): 3}, {(0, 0): 0.5}, {}, 1.5, (0, 3, 0.5)),
    ("two products", {(0, 0): 3, (0, 9): 8}, {(0, 0): 0.5, (9, 0): 4}, {}, 33.5, (1.5, 64)),
    ("all", {(0, k): 2 for k in range(16)}, {(k, 0): 4 for k in range(16)}, {(0, 0): 8}, 136, (8, 64, 272)),
]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("builtin", NARROW)
@pytest.mark.parametrize(("a", "b", "c", "right", "wrong"), [one[1:] for one in SUMS], ids=[one[0] for one in SUMS])
def test_sums_in_the_format_of_c(
    builtin: str, a: Cells, b: Cells, c: Cells, right: float, wrong: tuple[float, ...]
) -> None:
    """RDNA3-MMA, RDNA3-FP-ACC: with few terms or many the result is near the exact one, and what is far away is not."""
    named = low_and_high(answer(product(builtin), A=a, B=b, C=c))[0]
    assert takes(named, builtin, right)
    assert not any(takes(named, builtin, value) for value in wrong)


WIDE: dict[str, tuple[float, float, float]] = {
    "f32_16x16x16_bf16_w32": (2.0**100, 2.0**20, 2.0**120),
    "f32_16x16x16_bf16_w64": (2.0**-100, 2.0**-20, 2.0**-120),
}


@pytest.mark.parametrize("builtin", WIDE)
def test_bf16_has_the_range_of_f32(builtin: str) -> None:
    """RDNA3-MMA: a short is the upper half of a single."""
    a, b, product_of_both = WIDE[builtin]
    program = product(builtin)
    values: dict[str, Any] = {source.name: np.zeros((1, *source.shape), np.uint64) for source in SPEC.sources(program)}
    values["A"][..., 0, 0] = int(np.float32(a).view(np.uint32)) >> 16
    values["B"][..., 0, 0] = int(np.float32(b).view(np.uint32)) >> 16
    found = expect(Case(SPEC.name, builtin, "by hand", program, SPEC.default_caps, 1, values))
    assert isinstance(found, Defined)
    legal = found.regions[-1].legal
    got = np.full(legal.shape, int(np.float32(product_of_both).view(np.uint32)), np.uint64)
    assert not illegal(legal, got)[0, 0, 0, 0]
    assert illegal(legal, got * np.uint64(0))[0, 0, 0, 0]
