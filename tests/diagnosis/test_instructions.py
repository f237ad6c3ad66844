"""What lists notice, and what is told first, of devices that are wrong about modifiers, constants, fills and moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmaspec.oracle.amd_rdna3_wmma.alike import words
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.score.classes.proofs import smoke

from . import instructed
from .blamed import finding, of_device, shortest

RDNA3 = "amd-rdna3-wmma"


def cases(template: str, rows: str) -> list[Recipe]:
    """The smoke list's cases of one template in some rows, the shortest first."""
    return shortest(one for one in smoke(RDNA3) if one.template == template and rows in one.row and not one.target)


def found(device: type[Any], template: str, rows: str, most: int = 3) -> list[Finding]:
    """What is found in the first cases of one template that fail."""
    backend, failing = of_device(RDNA3, device), []
    for recipe in cases(template, rows):
        one = finding(backend, recipe)
        failing += [] if one is None else [one]
        if len(failing) == most:
            break
    return failing


LOADS, STORES = instructed.FlushesWhereItLoads, instructed.FlushesWhereItStores
MOVES = [
    (LOADS, "float", "cd", "f32_"),
    (LOADS, "half", "a", "_f16_w"),
    (LOADS, "short", "cd", "bf16_16x16x16_bf16"),
    (STORES, "float", "cd", "f32_"),
    (STORES, "half", "cd", "f16_16x16x16_f16"),
    (STORES, "short", "b", "_bf16_w"),
]


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("base", "element", "use", "rows"), MOVES)
def test_a_move_that_flushes_subnormals_is_noticed(base: type[Any], element: str, use: str, rows: str) -> None:
    """Of builtins and of instructions; arithmetic may flush them."""
    device = type("Flushes", (base,), {"element": element, "use": use})
    backend = of_device(RDNA3, device)
    every = cases("registers", rows)
    for kind in (False, True):
        some = [one for one in every if one.row.startswith("v_") is kind]
        told = [finding(backend, one) for one in some]
        assert some
        assert [one.blamed[0] for one in told if one is not None] == ["RDNA3-MEM-FREE"] * len(some)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("device", "clause"), [(instructed.ClampsTwo, "RDNA3-IU-CLAMP"), (instructed.AlwaysClampsOne, "RDNA3-IU-NOCLAMP")]
)
@pytest.mark.parametrize(
    ("template", "rows"), [("signs-of-both-factors", "i32_"), ("integer-instructions", "v_wmma_i32")]
)
def test_clamp_does_not_hang_on_which_registers_a_and_b_are(
    device: type[Any], clause: str, template: str, rows: str
) -> None:
    told = found(device, template, rows)
    assert told
    assert {one.blamed[0] for one in told} == {clause}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("value", [63, -7])
def test_one_wrong_integer_among_the_constants_is_noticed_in_every_row(
    value: int, one_in: Callable[[int], int]
) -> None:
    device = type("Wrong", (instructed.OneConstantWrong,), {"integer": value})
    for row in ("iu8_w32", "iu4_w64", "iu8_w64", "iu4_w32")[:: one_in(2)]:
        told = found(device, "inline-constants", f"v_wmma_i32_16x16x16_{row}", 1)
        assert [one.blamed[0] for one in told] == ["RDNA3-C-INLINE"], row


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("rows", "times"), [("v_wmma_f32", 1.0001), ("v_wmma_f32", 1.2), ("v_wmma_f16", 1.1), ("v_wmma_f16", 0.8)]
)
def test_a_wrong_constant_is_no_matter_of_accuracy(rows: str, times: float) -> None:
    """The same sum is right with the same number in registers."""
    told = found(type("Wrong", (instructed.OneConstantWrong,), {"times": times}), "inline-constants", rows, 2)
    assert len(told) == 2
    assert {one.blamed[0] for one in told} == {"RDNA3-C-INLINE"}
    assert [one.practice_only for one in told] == [False] * len(told)


LANES = {"one in sixteen": slice(3, None, 16), "upper groups": slice(16, None), "eight": slice(8, 16)}


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("rows", ["iu8", "iu4", "f32_16x16x16_f16"])
def test_lanes_that_a_constant_does_not_reach_are_not_packed_wrongly(lanes: str, rows: str) -> None:
    told = found(type("Misses", (instructed.FillsMissLanes,), {"lanes": LANES[lanes]}), "filled", rows)
    assert len(told) == 3
    assert {one.blamed[0] for one in told} == {"RDNA3-MEM-FREE"}


def test_a_constant_that_reaches_half_of_its_elements_is() -> None:
    told = found(instructed.FillsLowHalves, "filled", "f32_16x16x16_f16")
    assert len(told) == 3
    assert {one.blamed[0] for one in told} == {"RDNA3-AB-PACK16"}


STAYS = [
    (instructed.ClampOfBefore, "sums-clamp", "v_wmma_i32", {"RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP"}, "clamp"),
    (instructed.ClampOfBefore, "sums-at-ends", "v_wmma_i32", {"RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP"}, "clamp"),
    (instructed.ClampOfBefore, "sums-clamp", "i32_", {"RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP"}, "clamp"),
    (instructed.SignsOfFirst, "reuse", "v_wmma_i32", {"RDNA3-IU-SIGN"}, "signs"),
    (instructed.SignsOfFirst, "signs", "v_wmma_i32", {"RDNA3-IU-SIGN"}, "signs"),
    (instructed.SignsOfFirst, "chain", "i32_", {"RDNA3-IU-SIGN"}, "signs"),
    (instructed.ChangesOfSignStay, "signed-operands", "v_wmma_f32", {"RDNA3-FP-NEG"}, "changes of sign"),
    (instructed.ChangesOfSignStay, "reuse", "v_wmma_", {"RDNA3-FP-NEG"}, "changes of sign"),
    (instructed.ChangesOfSignOfBefore, "signed-operands", "v_wmma_f16", {"RDNA3-FP-NEG"}, "changes of sign"),
    (instructed.ConstantOfBefore, "inline-constants", "v_wmma_f32", {"RDNA3-C-INLINE"}, "constant"),
    (instructed.ConstantOfBefore, "inline-constants", "v_wmma_i32", {"RDNA3-C-INLINE"}, "constant"),
]


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize(("device", "template", "rows", "clauses", "flags"), STAYS)
def test_what_another_call_left_on_is_a_matter_of_what_it_left(
    device: type[Any], template: str, rows: str, clauses: set[str], flags: str
) -> None:
    """With the same in all calls it is right: neither the product nor its range is suspected first."""
    told = found(device, template, rows)
    assert told
    assert {one.blamed[0] for one in told} <= clauses
    assert words(flags) in {one.instead for one in told}


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("template", ["tiles", "float-data", "chain", "product-specials"])
def test_an_infinity_that_is_finite_is_a_matter_of_the_value(template: str) -> None:
    """In place or not, in a loop or not, and in whatever registers it is."""
    told = found(instructed.InfinityIsFinite, template, "f16_16x16x16_f16")
    assert told
    assert {one.blamed[0] for one in told} <= {"RDNA3-MMA", "RDNA3-FP-NAN"}
    assert "RDNA3-MMA" in {one.blamed[0] for one in told}
