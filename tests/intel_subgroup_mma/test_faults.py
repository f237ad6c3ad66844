"""Every counterfactual is caught in every row where it differs, with calls written here; others it leaves alone."""

from __future__ import annotations

from functools import cache
from itertools import product as pairs

import numpy as np
import pytest

from mmaspec.backends.faults.defects import integers, values, width, wiring
from mmaspec.backends.faults.defects.defect import Defect
from mmaspec.backends.faults.defects.defective_unit import DefectiveUnit
from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.intel_subgroup_mma import DEFECTS, FAULTS
from mmaspec.backends.faults.intel_subgroup_mma.catalogue import LIMITED, SPEC
from mmaspec.backends.faults.intel_subgroup_mma.devices import calls, tags
from mmaspec.backends.faults.intel_subgroup_mma.spoiling import Spoiling
from mmaspec.backends.faults.register_kernels import OnlyWhere
from mmaspec.backends.faults.spoiling import Turn
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice, MadState
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Images, Refused
from mmaspec.oracle.expect import Expecting
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.intel_subgroup_mma.functions import signatures
from mmaspec.oracle.intel_subgroup_mma.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps, Form
from mmaspec.programs.intel_subgroup_mma.program import Mad, MadProgram, Store
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list

from .programs import function
from .running import KINDS, REGIMES, defined, program
from .test_rules import REFUSED

VALIDITY = {
    "ISGMMA-FUNCS",
    "ISGMMA-K-BY-TYPE",
    "ISGMMA-INT-COMBOS",
    "ISGMMA-M",
    "ISGMMA-FP-ACC",
    "ISGMMA-ARG-A8",
    "ISGMMA-ARG-A16",
    "ISGMMA-ARG-B",
}
TESTABLE = VALIDITY | {
    "ISGMMA-OP",
    "ISGMMA-BY-VALUE",
    "ISGMMA-A-COLS",
    "ISGMMA-K32-PACK-A",
    "ISGMMA-K64-PACK-A",
    "ISGMMA-K16-PACK-A",
    "ISGMMA-B-COL",
    "ISGMMA-ACC-COL",
    "ISGMMA-BIT-TYPES",
    "ISGMMA-SIGN",
    "ISGMMA-INT-ACC",
    "ISGMMA-INT-EXACT",
    "ISGMMA-INT-WRAP",
    "ISGMMA-FP-ORDER",
    "ISGMMA-FP-NAN",
    "ISGMMA-ROW-INDEP",
    "ISGMMA-MEM-FREE",
    "ISGMMA-STORE-ONLY",
}
LENIENT = tuple(fault for fault in FAULTS if fault.clause in VALIDITY)
DEVIATING = tuple(fault for fault in FAULTS if fault not in LENIENT)
ROWS = [(size, row) for size in (8, 16) for row in rows(Caps(size, FORMS_OF[size]))]


def applies(fault: Fault, row: Row[Form]) -> bool:
    """Whether a row is one of the clause's, and one of those where the fault differs."""
    limit = LIMITED.get(fault.clause)
    return (limit is None or limit in row.tags) and (not fault.rows or not row.tags.isdisjoint(fault.rows))


@cache
def case(size: int, form: str, count: int, kind: str, regime: str) -> tuple[MadProgram, Defined, Images]:
    """A program, what the oracle has of it, and what the reference device leaves."""
    signature = function(size, form, count)
    run = program(signature, kind)
    expected = defined(run, signature, regime, 7)
    return run, expected, MadDevice(SequentialUnit()).run(run, expected.images)


def runs(count: int) -> list[tuple[int, str, str]]:
    """Rows, kind and regime."""
    return [(count, kind, regime) for regime, kind in pairs(REGIMES, KINDS)]


def test_every_testable_clause_has_a_counterfactual_and_no_other() -> None:
    assert {fault.clause for fault in FAULTS} == TESTABLE
    assert set(LIMITED) <= {fault.clause for fault in FAULTS}
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 45
    assert len({fault.behaves_as_if for fault in FAULTS}) == len(FAULTS)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("signature", signatures(), ids=str)
def test_a_device_sees_the_row_that_a_call_belongs_to(signature) -> None:  # type: ignore[no-untyped-def]
    (row,) = (row for size, row in ROWS if (size, row.name) == (signature.size, f"n{signature.size}_{signature.form}"))
    whole = program(signature, "loop")
    assert {tags(whole, call) for call in calls(whole)} == {row.tags}
    assert tags(whole, None) < row.tags


class Zero(MadDevice):
    """Results are zero, and addends of loops with them."""

    def multiply(self, state: MadState, step: Mad) -> None:
        super().multiply(state, step)
        state.registers[step.d] = np.zeros_like(state.registers[step.d])


@pytest.mark.parametrize("tag", ["bits-4", "bits-8", "bits-16", "a-u8", "float"])
def test_a_deviation_of_some_rows_leaves_other_calls_of_a_program_alone(tag: str) -> None:
    """In kernels with calls of several forms, of which each result is stored once."""
    device = OnlyWhere(
        SequentialUnit(), device=Zero, plain=MadDevice, meant=lambda whole, call: tag in tags(whole, call)
    )
    plain = MadDevice(SequentialUnit())
    mixed = 0
    for recipe in (one for one in case_list(SPEC, Caps(), "quick") if one.template == "forms"):
        case = materialise(recipe)
        meant = {call.d: tag in tags(case.program, call) for call in calls(case.program)}
        start = Expecting(case).start()
        assert start is not None
        images = start.images
        got, right = device.run(case.program, images), plain.run(case.program, images)
        same = all(np.array_equal(got[name], right[name]) for name in right)
        assert same == (not any(meant.values()))
        stored = {one.fragment: one.buffer for one in case.program.body if isinstance(one, Store)}
        for buffer in set(stored.values()):
            if not any(meant[d] for d in stored if stored[d] == buffer):
                assert np.array_equal(got[buffer], right[buffer])
        mixed += len(set(meant.values())) > 1
    assert mixed > 3


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("fault", DEVIATING, ids=lambda fault: fault.name)
def test_it_is_caught_in_every_row(fault: Fault) -> None:
    meant = [(size, row) for size, row in ROWS if applies(fault, row)]
    assert meant, "it differs in no row"
    backend = fault.make()
    for size, row in meant:
        form = row.name.removeprefix(f"n{size}_")
        for count, kind, regime in (*runs(8), *runs(1)):
            run, expected, _ = case(size, form, count, kind, regime)
            found = backend.run(SPEC, run, expected.images)
            if not is_legal(expected, expected.images, found, {buffer.name: buffer for buffer in run.buffers}):
                break
        else:
            pytest.fail(row.name)


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("fault", DEVIATING, ids=lambda fault: fault.name)
def test_it_leaves_other_rows_alone(fault: Fault) -> None:
    backend = fault.make()
    for size, row in ROWS:
        if applies(fault, row):
            continue
        for kind, regime in (("loop", "ends"), ("zeros", "marked"), ("constants of b", "bytes")):
            run, expected, wanted = case(size, row.name.removeprefix(f"n{size}_"), 8, kind, regime)
            found = backend.run(SPEC, run, expected.images)
            assert all(np.array_equal(found[name], image) for name, image in wanted.items()), row.name


@pytest.mark.parametrize("fault", LENIENT, ids=lambda fault: fault.name)
def test_a_lenient_device_accepts_what_breaks_its_clause_alone(fault: Fault) -> None:
    accepted = set()
    for what, (invalid, _) in REFUSED.items():
        images = {buffer.name: np.zeros((1, buffer.total), np.uint8) for buffer in invalid.buffers}
        try:
            fault.make().run(SPEC, invalid, images)
        except Refused:
            continue
        accepted.add(what)
    alone = {fault.clause, "ISGMMA-FUNCS"}
    meant = {what for what, (_, clauses) in REFUSED.items() if fault.clause in clauses and clauses <= alone}
    assert meant
    assert accepted == meant


UNITS = [
    (defect, family)
    for family, table in (
        ("arithmetic", (*width.DEFECTS, *wiring.DEFECTS, *values.DEFECTS)),
        ("integer", integers.DEFECTS),
    )
    for defect in table
    if DEFECTS.has(defect.name, defect.where)
]


def shows(device: MadDevice, forms: list[tuple[int, Row[Form]]]) -> bool:
    """Whether a device leaves what it should not in any row."""
    for (size, row), (count, kind, regime) in pairs(forms, (*runs(8), *runs(1))):
        run, expected, _ = case(size, row.name.removeprefix(f"n{size}_"), count, kind, regime)
        found = device.run(run, expected.images)
        if not is_legal(expected, expected.images, found, {buffer.name: buffer for buffer in run.buffers}):
            return True
    return False


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize(("defect", "family"), UNITS, ids=lambda one: getattr(one, "name", one))
def test_a_known_defect_of_arithmetic_shows(defect: Defect, family: str) -> None:
    unit = DefectiveUnit(defect.deviation, floats=family == "arithmetic")
    forms = [(size, row) for size, row in ROWS if not row.tags.isdisjoint(defect.rows)]
    role = "int" if family == "integer" and defect.role == "sum" else defect.role
    assert {defect.name, role} & set(DEFECTS.clauses), "it breaks no clause"
    assert not forms or shows(MadDevice(unit), forms)


@pytest.mark.parametrize(
    "defect", [one for one in MEMORY if DEFECTS.has(one.name, one.where)], ids=lambda one: one.name
)
def test_a_known_defect_of_memory_shows(defect: MemoryDefect) -> None:
    assert {defect.name, f"{defect.verb}-{defect.way}"} & set(DEFECTS.clauses), "it breaks no clause"
    assert shows(DEFECTS.memory(SequentialUnit(), defect), ROWS)  # type: ignore[arg-type]


def test_defects_name_clauses_that_there_are() -> None:
    assert list(DEFECTS.flaws(TESTABLE)) == []
    names = {f"{DEFECTS.prefix}-{one.name}" for one in (*(defect for defect, _ in UNITS), *MEMORY)}
    assert names.isdisjoint(fault.name for fault in FAULTS)


@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize("form", ["i4_u4_i32", "f16_f16_f32", "u8_i8_i32"])
def test_what_is_spoilt_is_seen(size: int, form: str) -> None:
    """Every instruction of a program leaves something that matters."""
    run, expected, wanted = case(size, form, 4, "loop", "small")
    for place, _ in unrolled(run):
        found = Spoiling(Turn(run, place)).run(run, expected.images)
        assert any(not np.array_equal(found[name], image) for name, image in wanted.items()), place
