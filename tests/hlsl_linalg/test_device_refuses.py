"""What the device refuses: one edit of a valid program for each form in which a clause can be broken, and no other."""

from __future__ import annotations

import pytest

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.validity import CHECKS
from mmaspec.backends.numpy.hlsl_linalg.variants import WITHOUT_FP8
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.hlsl_linalg import DEFAULT_CAPS, LinalgCaps, LinalgProgram, Load, MultiplyVector
from tests.hlsl_linalg.invalid_programs import BODY, ENTAILED, FORMS, made, with_matrix


def refused(made: LinalgProgram, caps: LinalgCaps = DEFAULT_CAPS) -> set[str]:
    device = LinalgDevice(ExactUnit())
    device.caps = caps
    return set(device.broken(Submitted(made, {})))


def test_the_program_that_is_edited_is_valid() -> None:
    assert refused(made(*BODY)) == set()


@pytest.mark.parametrize(("clause", "form", "broken"), FORMS, ids=[f"{clause}-{form}" for clause, form, _ in FORMS])
def test_one_edit_breaks_one_clause(clause: str, form: str, broken: LinalgProgram) -> None:
    assert form
    assert refused(broken) == {clause} | ENTAILED.get(clause, set())


def test_fp8_that_is_emulated_comes_from_an_optimal_layout() -> None:
    body = (Load("W", "r", 0, 16), MultiplyVector("y", "W", "x"))
    emulated = made(*body, matrices=with_matrix("W", component="F8_E4M3FN"))
    assert refused(emulated) == set()
    assert refused(emulated, WITHOUT_FP8) == {"LINALG-FP8-OPTIMAL"}


def test_every_check_is_tried() -> None:
    assert {clause for clause, _, _ in FORMS} | {"LINALG-FP8-OPTIMAL"} == set(CHECKS)


def test_a_clause_that_is_not_checked_is_not_named() -> None:
    device = LinalgDevice(ExactUnit())
    device.unchecked = frozenset({"LINALG-STRIDE-16"})
    assert device.broken(Submitted(made(Load("A", "m", 0, 40)), {})) == ()
