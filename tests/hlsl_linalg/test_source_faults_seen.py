"""The oracle accepts the device and its variants under the text of 2025-09-19, and rejects every counterfactual."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.variants import VARIANTS
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.validity import rejected
from mmaspec.oracle.memory import Memory
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS

from .bench import program
from .every_source_instruction import PROGRAMS
from .judging import expected_from, is_accepted, sized
from .test_source_faults import OTHERS, SPEC

OWN = [variant for variant in VARIANTS if variant.make is not None]


@cache
def demanded(number):
    """A program, its initial memory, and what is demanded of it under every combination of readings."""
    body, given, fields = PROGRAMS[number]
    made = sized(program(body, given, **fields))
    start = Memory(made.buffers, 1)
    for name, what in given.items():
        if not isinstance(what, int):
            view = np.frombuffer(np.asarray(what).tobytes(), np.uint8)
            start.place(name, np.arange(view.size), view.astype(np.uint64)[np.newaxis], FORMATS["u8"])
    return made, start, expected_from(made, start, SOURCE_CAPS.revision)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_programs_are_valid_and_defined(number):
    made, _, _ = demanded(number)
    assert not rejected(made, SOURCE_CAPS)
    assert not undefined(made, SOURCE_CAPS)


def accepted(backend, number):
    made, start, demands = demanded(number)
    backend.report(SPEC, SOURCE_CAPS)
    after = backend.run(SPEC, made, {name: image.copy() for name, image in start.initial().items()})
    return is_accepted(made, start, demands, after)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_reference_device_is_right(number):
    assert accepted(NumpyBackend(SequentialUnit(), {SPEC: LinalgDevice}), number)


@pytest.mark.parametrize("variant", OWN, ids=[variant.name for variant in OWN])
def test_its_legal_variants_are_right(variant):
    for number in range(len(PROGRAMS)):
        assert accepted(NumpyBackend(SequentialUnit(), {SPEC: variant.make}), number)


@pytest.mark.parametrize("fault", OTHERS, ids=[fault.name for fault in OTHERS])
def test_each_counterfactual_is_wrong_somewhere(fault):
    backend = fault.make()
    assert not all(accepted(backend, number) for number in range(len(PROGRAMS)))
