"""Counterfactuals differ from the reference device: in what they refuse, in what they leave, or in what they report."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.faults.defects.memory import MEMORY, MemoryDefect
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_linalg import DEFECTS, FAULTS
from mmaspec.backends.faults.hlsl_linalg.source import SOURCE_FAULTS, SOURCE_UNCHECKED
from mmaspec.backends.faults.hlsl_linalg.unchecked import UNCHECKED
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.validity import CHECKS
from mmaspec.backends.numpy.hlsl_linalg.variants import VARIANTS, WITHOUT_FP8
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.programs.base import GUARD
from mmaspec.programs.hlsl_linalg import DEFAULT_CAPS, LinalgProgram, Load, MultiplyVector, Removed, simple_instructions
from mmaspec.programs.hlsl_linalg.program import Simple
from tests.hlsl_linalg.bench import BASE, UNTOUCHED, program, run
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.every_instruction import OPAQUE, PROGRAMS
from tests.hlsl_linalg.invalid_programs import FORMS, made, with_matrix

SPEC = "hlsl-linalg"
OF_LATER = [fault for fault in FAULTS if fault not in SOURCE_FAULTS]
LENIENT = [fault for fault in OF_LATER if fault.clause in CHECKS]
OTHERS = [fault for fault in OF_LATER if fault.clause not in CHECKS and fault.misreports is None]
REPORTING = [fault for fault in OF_LATER if fault.misreports is not None]


def images(made_of: LinalgProgram) -> dict[str, NDArray[np.uint8]]:
    return {one.name: np.zeros((1, one.total), np.uint8) for one in made_of.buffers}


def left(backend: Any, number: int) -> dict[str, bytes]:
    """What a backend leaves of one program, guard zones included, of everything that is compared."""
    body, given, fields = PROGRAMS[number]
    one, found = program(body, given, **fields), {}
    for name, what in given.items():
        content = np.full(what, UNTOUCHED, np.uint8) if isinstance(what, int) else np.asarray(what)
        found[name] = np.full((1, BASE + content.nbytes + GUARD), UNTOUCHED, np.uint8)
        found[name][0, BASE : BASE + content.nbytes] = np.frombuffer(content.tobytes(), np.uint8)
    after = backend.run(SPEC, one, found)
    return {name: image.tobytes() for name, image in after.items() if name not in (OPAQUE, "sums") or number != 4}


@cache
def right(number: int) -> dict[str, bytes]:
    return left(NumpyBackend(SequentialUnit(), {SPEC: LinalgDevice}), number)


def test_the_programs_have_every_instruction() -> None:
    there = {
        type(found)
        for body, given, fields in PROGRAMS
        for found, _ in simple_instructions(program(body, given, **fields))
    }
    assert there == set(Simple.__args__) - set(Removed.__args__)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("fault", OTHERS, ids=lambda fault: fault.name)
def test_what_is_left_differs(fault: Fault) -> None:
    backend = fault.make()
    assert any(left(backend, number) != right(number) for number in range(len(PROGRAMS)))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("fault", LENIENT, ids=lambda fault: fault.name)
def test_what_is_refused_differs(fault: Fault) -> None:
    backend = fault.make()
    forms = [broken for clause, _, broken in FORMS if clause == fault.clause]
    if fault.clause == "LINALG-FP8-OPTIMAL":
        backend.report(SPEC, WITHOUT_FP8)
        body = (Load("W", "r", 0, 16), MultiplyVector("y", "W", "x"))
        forms = [made(*body, matrices=with_matrix("W", component="F8_E4M3FN"))]
    assert forms
    for broken in forms:
        backend.run(SPEC, broken, images(broken))
    other = next(broken for clause, _, broken in FORMS if clause != fault.clause and clause != "LINALG-LOAD-SRC")
    with pytest.raises(Refused):
        backend.run(SPEC, other, images(other))


@pytest.mark.parametrize("fault", REPORTING, ids=lambda fault: fault.name)
def test_what_is_reported_differs(fault: Fault) -> None:
    assert fault.make().caps(SPEC) != DEFAULT_CAPS


@pytest.mark.parametrize("defect", MEMORY, ids=lambda defect: defect.name)
def test_a_defect_of_memory_shows(defect: MemoryDefect) -> None:
    if not DEFECTS.has(defect.name, defect.where):
        assert defect.where == "registers"
        return
    backend = NumpyBackend(SequentialUnit(), {SPEC: lambda unit: DEFECTS.memory(unit, defect)})
    assert any(left(backend, number) != right(number) for number in range(len(PROGRAMS)))


def test_names_and_clauses() -> None:
    testable = {name for name, clause in catalogue().clause.items() if clause.testable}
    assert {fault.clause for fault in FAULTS} == testable
    assert not list(DEFECTS.flaws(testable))
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    unchecked = [clause for _, clause, _ in (*UNCHECKED, *SOURCE_UNCHECKED)]
    assert len(unchecked) == len(set(unchecked))


PLACING = ("plain-optimal-layouts", "shared-elements", "idle-threads", "wave-after-wave")


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one.name in PLACING], ids=lambda variant: variant.name)
def test_variants_that_change_no_value_leave_what_the_reference_device_leaves(variant: Any) -> None:
    """Those that only place things elsewhere agree on all that is compared."""
    for number, (body, given, fields) in enumerate(PROGRAMS):
        device = variant.make(SequentialUnit())
        device.caps = variant.caps or device.caps
        found = run(body, given, device, **fields)
        count = found.pop("count", None)
        opaque = (OPAQUE, "sums") if number == 4 else ()
        expected = right(number)
        for name, view in found.items():
            assert name in opaque or view.tobytes() == expected[name][BASE:-GUARD], name
        assert count is None or count.sum() > 0
