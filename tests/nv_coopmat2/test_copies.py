"""Which elements of a reduction's result are one value, and when that is forgotten."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import fault_named
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.nv_coopmat2.matrices.reduction import copies
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import REDUCE_2X2, REDUCE_COLUMN, REDUCE_ROW, Combine, Reduce
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.blaming.blame import blame
from mmaspec.suites.judging.blaming.trial import Trial
from mmaspec.suites.vectors.recorded_run import suspects
from tests.case_lists import case_list

BOTH = REDUCE_ROW | REDUCE_COLUMN
SHAPES = {REDUCE_ROW: (4, 3), REDUCE_COLUMN: (5, 6), BOTH: (2, 7), REDUCE_2X2: (2, 3)}


@pytest.mark.parametrize("mask", sorted(SHAPES))
def test_elements_are_one_value_exactly_where_they_depend_on_the_same_elements(mask: int) -> None:
    batch, waves, rows, cols = 1, 2, 4, 6
    shape = (batch, waves, *SHAPES[mask])
    zero = np.zeros((batch, waves, rows, cols), np.uint64)
    depends = []
    for index in np.ndindex(zero.shape):
        one = zero.copy()
        one[index] = 0x3F80_0000
        found = CoopMat2Device(ExactUnit()).reduce(FORMATS["f32"], one, Reduce("d", "c", mask, Combine("add")))
        depends.append(np.broadcast_to(found, shape) != 0)
    on = np.stack(depends, axis=-1).reshape(-1, zero.size)
    same = copies(Legal.from_bits(FORMATS["f32"], zero), mask, shape).ravel()
    alike = (on[:, None, :] == on[None, :, :]).all(axis=-1)
    assert ((same[:, None] == same[None, :]) == alike).all()
    assert (same >= 0).all()


def test_nothing_is_said_of_groups_with_nan_or_without_a_verdict() -> None:
    bits = np.full((2, 1, 3, 4), 0x3F80_0000, np.uint64)
    bits[0, 0, 1, 2] = 0x7FC0_0000
    unknown = np.zeros(bits.shape, np.bool_)
    unknown[1, 0, 2, 0] = True
    legal = Legal.from_bits(FORMATS["f32"], bits).not_judged(unknown, Reason.INEXACT_OPERAND)
    same = copies(legal, REDUCE_ROW, bits.shape)
    assert (same[..., 0] < 0).tolist() == [[[False, True, False]], [[False, False, True]]]


def _case() -> Case:
    recipes = [found for found in case_list("nv-coopmat2", DEFAULT_CAPS, "quick") if found.template == "sums"]
    return materialise(min(recipes, key=lambda found: (found.batch, found.row)))


def _same(case: Case) -> list[bool]:
    by_reading = expect_by_reading(case, PRACTICE).first
    assert isinstance(by_reading, Defined)
    return [region.same is not None for region in by_reading.regions]


def test_a_result_that_something_else_overwrites_is_no_longer_one_value() -> None:
    case = _case()
    program = case.program
    reduces = [instruction for instruction in program.body if isinstance(instruction, Reduce)]
    assert _same(case) == [True] * len(reduces)
    source, result = program.matrix(reduces[0].matrix), reduces[0].result
    load, after = replace(program.body[0], matrix=result), program.body.index(reduces[0]) + 1
    like = tuple(replace(source, name=result) if matrix.name == result else matrix for matrix in program.matrices)
    changed = replace(program, matrices=like, body=(*program.body[:after], load, *program.body[after:]))
    assert _same(case.with_program(changed)) == [False, *[True] * (len(reduces) - 1)]


def test_the_clause_that_leaves_the_value_open_is_blamed_with_its_reason() -> None:
    case, backend = _case(), fault_named("cm-reduce-order-by-place").make()
    by_reading = expect_by_reading(case, PRACTICE)
    assert isinstance(by_reading.first, Defined)
    held = hold(case, by_reading, ask(backend, case, by_reading.first))
    for found in (blame(Trial(backend, PRACTICE, case), held), suspects(case, held, ())):
        assert (found.clauses, found.how) == (("NVCM2-REDUCE-ORDER",), "copies differ")
