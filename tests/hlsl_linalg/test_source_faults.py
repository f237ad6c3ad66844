"""Counterfactuals of the text of 2025-09-19 differ from the reference device: in what they refuse or leave."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.faults.hlsl_linalg.source import SOURCE_FAULTS, SOURCE_UNCHECKED
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.earlier.checks import SOURCE_CHECKS
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.programs.base import GUARD
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS, LinalgProgram, Removed, simple_instructions
from tests.hlsl_linalg.bench import BASE, UNTOUCHED, program
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.every_instruction import OPAQUE
from tests.hlsl_linalg.every_source_instruction import PROGRAMS
from tests.hlsl_linalg.test_source_refuses import FORMS

SPEC = "hlsl-linalg"
LENIENT = [fault for fault in SOURCE_FAULTS if fault.clause in SOURCE_CHECKS]
OTHERS = [fault for fault in SOURCE_FAULTS if fault.clause not in SOURCE_CHECKS]


def images(made: LinalgProgram) -> dict[str, NDArray[np.uint8]]:
    return {one.name: np.zeros((1, one.total), np.uint8) for one in made.buffers}


def left(backend: Any, number: int) -> dict[str, bytes]:
    """What a backend leaves of one program, guard zones included, of everything that is compared."""
    body, given, fields = PROGRAMS[number]
    one, found = program(body, given, **fields), {}
    for name, what in given.items():
        content = np.full(what, UNTOUCHED, np.uint8) if isinstance(what, int) else np.asarray(what)
        found[name] = np.full((1, BASE + content.nbytes + GUARD), UNTOUCHED, np.uint8)
        found[name][0, BASE : BASE + content.nbytes] = np.frombuffer(content.tobytes(), np.uint8)
    backend.report(SPEC, SOURCE_CAPS)
    after = backend.run(SPEC, one, found)
    return {name: image.tobytes() for name, image in after.items() if name != OPAQUE}


@cache
def right(number: int) -> dict[str, bytes]:
    return left(NumpyBackend(SequentialUnit(), {SPEC: LinalgDevice}), number)


def test_the_programs_have_every_removed_instruction() -> None:
    there = {
        type(found)
        for body, given, fields in PROGRAMS
        for found, _ in simple_instructions(program(body, given, **fields))
    }
    assert there >= set(Removed.__args__)


@pytest.mark.parametrize("fault", OTHERS, ids=lambda fault: fault.name)
def test_what_is_left_differs(fault: Fault) -> None:
    backend = fault.make()
    assert any(left(backend, number) != right(number) for number in range(len(PROGRAMS)))


@pytest.mark.parametrize("fault", LENIENT, ids=lambda fault: fault.name)
def test_what_is_refused_differs(fault: Fault) -> None:
    backend = fault.make()
    backend.report(SPEC, SOURCE_CAPS)
    forms = [broken for clause, _, broken in FORMS if clause == fault.clause]
    assert forms
    for broken in forms:
        backend.run(SPEC, broken, images(broken))
    other = next(broken for clause, _, broken in FORMS if clause != fault.clause)
    with pytest.raises(Refused):
        backend.run(SPEC, other, images(other))


def test_there_is_one_for_each_clause_of_this_text_alone() -> None:
    alone = {name for name, one in catalogue().clause.items() if one.testable and one.revision == "2025-09-19"}
    assert alone <= {fault.clause for fault in SOURCE_FAULTS}
    assert {clause for _, clause, _ in SOURCE_UNCHECKED} == {name for name in alone if name in SOURCE_CHECKS}
    assert len({fault.name for fault in SOURCE_FAULTS}) == len(SOURCE_FAULTS) >= 25
