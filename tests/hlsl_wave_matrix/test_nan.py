"""NaN (WM-FP-NAN): where it is due, by hand, and devices that lose it in products, sums, Add or scalars."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mmaspec.backends.faults import fault_named
from mmaspec.backends.faults.hlsl_wave_matrix.catalogue import FAULTS
from mmaspec.backends.legal import LEGAL
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    ElementType,
    Fill,
    Instruction,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    SumAccumulate,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED, row_cases
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.sensitivity import escapes
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted, prepare
from mmaspec.suites.verdict.assemble import assemble
from mmaspec.suites.verdict.verdicts import fails

from .by_hand import acted, answer, program, tight

CLAUSE = "WM-FP-NAN"
ELEMENTS: tuple[ElementType, ...] = ("f16", "f32")
CODES = {
    "f16": {"nan": 0x7E00, "inf": 0x7C00, "-inf": 0xFC00, "0": 0, "1": 0x3C00, "2": 0x4000},
    "f32": {"nan": 0x7FC0_0000, "inf": 0x7F80_0000, "-inf": 0xFF80_0000, "0": 0, "1": 0x3F80_0000, "2": 0x4000_0000},
}
TOTAL, OTHER = "C", "D"


def of(element: ElementType, *wanted: Instruction) -> Defined:
    """What is left in C of matrices of one type, whose kinds follow from their names."""
    kinds = {"A": "left", "B": "right", TOTAL: "accumulator", OTHER: "accumulator", "L": "left-col-acc"}
    sizes = {"A": 16, "B": 16}
    matrices = {name: Matrix(name, kind, element, 16, 16, sizes.get(name, 0)) for name, kind in kinds.items()}  # type: ignore[arg-type]
    last = matrices[wanted[-1].matrix]  # type: ignore[union-attr]
    return answer(program(tuple(matrices.values()), *wanted, tight(last)))


def fill(element: ElementType, name: str, value: str) -> Fill:
    return Fill(name, Literal(CODES[element][value]))


def is_nan(found: Defined, element: ElementType) -> bool:
    """Whether every element has to be a NaN, whichever, and nothing else may be there."""
    legal, codes = found.regions[-1].legal, CODES[element]
    numbers = [codes[name] for name in ("0", "1", "inf", "-inf")]
    nans = [codes["nan"], codes["nan"] | 1, codes["inf"] | 1, codes["-inf"] | 5]
    wrong = [illegal(legal, np.full(legal.shape, code, np.uint64)) for code in (*numbers, *nans)]
    return all(one.all() for one in wrong[:4]) and not any(one.any() for one in wrong[4:])


PRODUCTS = [("nan", "0", "0"), ("1", "nan", "1"), ("1", "1", "nan"), ("inf", "0", "1"), ("0", "-inf", "0"),
            ("inf", "1", "-inf"), ("-inf", "2", "inf")]  # fmt: skip


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize(("a", "b", "c"), PRODUCTS)
def test_nan_comes_of_these_products(element: ElementType, a: str, b: str, c: str) -> None:
    fills = (fill(element, "A", a), fill(element, "B", b), fill(element, TOTAL, c))
    found = of(element, *fills, MultiplyAccumulate(TOTAL, "A", "B"))
    assert is_nan(found, element)
    assert CLAUSE in acted(found)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize(("operand", "before"), [("nan", "0"), ("1", "nan"), ("inf", "-inf")])
def test_nan_comes_of_these_sums(element: ElementType, operand: str, before: str) -> None:
    found = of(element, fill(element, "A", operand), fill(element, "L", before), SumAccumulate("L", "A"))
    assert is_nan(found, element)
    assert CLAUSE in acted(found)


OPERATIONS = [(ScalarMultiply, "inf", "0"), (ScalarMultiply, "0", "inf"), (ScalarMultiply, "nan", "0"),
              (ScalarAdd, "inf", "-inf"), (ScalarAdd, "1", "nan"), (ScalarSubtract, "inf", "inf"),
              (ScalarSubtract, "nan", "nan"), (ScalarDivide, "nan", "2")]  # fmt: skip


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize(("method", "start", "value"), OPERATIONS)
def test_nan_comes_of_these_operations(element: ElementType, method: type[ScalarAdd], start: str, value: str) -> None:
    by = method(TOTAL, Literal(CODES[element][value]))
    found = of(element, fill(element, TOTAL, start), by)
    assert is_nan(found, element)
    assert CLAUSE in acted(found)
    if method is ScalarAdd:
        added = of(element, fill(element, TOTAL, start), fill(element, OTHER, value), Add(TOTAL, OTHER))
        assert is_nan(added, element)
        assert CLAUSE in acted(added)


def test_numbers_and_moves_are_not_its_business() -> None:
    """A NaN that is only moved is the work of Load, Fill and Store; the quotient of zeros is not judged."""
    moved = of("f32", fill("f32", TOTAL, "nan"))
    product = of(
        "f32", fill("f32", "A", "1"), fill("f32", "B", "2"), fill("f32", TOTAL, "inf"), Multiply(TOTAL, "A", "B")
    )
    infinite = of("f32", fill("f32", TOTAL, "inf"), ScalarMultiply(TOTAL, Literal(CODES["f32"]["2"])))
    quotient = of("f32", fill("f32", TOTAL, "0"), ScalarDivide(TOTAL, Literal(0)))
    assert not any(CLAUSE in acted(found) for found in (moved, product, infinite, quotient))


LOSING = [fault for fault in FAULTS if fault.clause == CLAUSE]
ROWS = {row.name: row.tags for row in SPEC.rows(DEFAULT_CAPS) if "float" in row.tags}


@cache
def cases(row: str) -> tuple[tuple[Recipe, ByReading], ...]:
    """The smoke cases of a row that are about NaN."""
    listed = row_cases(SPEC.name, DEFAULT_CAPS, "quick", DEFAULT_SEED, row)
    about = [recipe for recipe in listed if "specials" in recipe.template and not recipe.target]
    return tuple((recipe, expect_by_reading(materialise(recipe), PRACTICE)) for recipe in about)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("fault", LOSING, ids=lambda fault: fault.name)
def test_a_device_that_loses_it_anywhere_is_caught_in_every_row(fault: object, row: str) -> None:
    backend = fault_named(fault.name).make()  # type: ignore[attr-defined]
    assert any(escapes(backend, materialise(recipe), expected) for recipe, expected in cases(row))


@cache
def planned() -> Plan:
    """A plan on the authority of the document, which is the same for all of these devices but for their names."""
    wanted = Wanted(backend="test", specs=(SPEC.name,), tier="quick", authority="document")
    return prepare(wanted, fault_named(LOSING[0].name).make())[0]


OF_ARITHMETIC = ("wm-nan-in-c-is-zero", "wm-nan-is-infinite", "wm-nan-is-largest", "wm-zero-times-infinity-is-zero")


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("name", [*(fault.name for fault in LOSING), *OF_ARITHMETIC])
def test_a_device_that_gives_no_nan_breaks_the_document(name: str) -> None:
    """Whatever the authority: Direct3D's rules for floats are no matter of practice."""
    backend, plan = fault_named(name).make(), planned()
    assert plan.profile == PRACTICE
    recipes = [recipe for row in ("f16-16x16-f16", "f32-64x16-f32") for recipe, _ in cases(row)]
    case_judge = CaseJudge(backend, plan.description, plan.profile, {recipe.id: () for recipe in recipes}, limit=0)
    results = [case_judge.judge_listed(recipe)[0] for recipe in recipes]
    failed = [result for result in results if result.outcome != "legal"]
    assert failed
    for result in failed:
        assert result.finding is not None
        assert result.finding.blamed[0] == CLAUSE
        assert fails(result, "document")
    run = assemble(plan, results, {})
    assert run.verdict == "not conformant"
    assert run.specs[SPEC.name].clauses[CLAUSE].status == "fail"


@pytest.mark.parametrize("name", ["wm-infinity-is-nan", "wm-infinity-is-zero", "wm-nan-spreads"])
def test_where_no_nan_is_missing_another_clause_is_named(name: str) -> None:
    """Though NaN was due elsewhere in the same product."""
    backend = fault_named(name).make()
    recipes = [recipe for recipe, _ in cases("f16-16x16-f16")]
    case_judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: () for recipe in recipes}, limit=0)
    results = [case_judge.judge_listed(recipe)[0] for recipe in recipes]
    found = [result.finding.blamed for result in results if result.finding is not None]
    assert found
    right = {fault_named(name).clause, *fault_named(name).also}
    assert all(blamed[0] in right for blamed in found)


def test_nobody_may_leave_it_out_here() -> None:
    """In GLSL a NaN need not be produced, so that such a device is a legal variant elsewhere."""
    assert SPEC.name not in LEGAL["no-nan"].specs
    assert SPEC.catalogue.clause[CLAUSE].basis == "language"
