"""The oracle rejects every counterfactual of what devices leave, on programs with every instruction."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.memory import Memory
from mmaspec.programs.formats import FORMATS

from .bench import program
from .every_instruction import PROGRAMS
from .judging import expected_from, is_accepted, sized
from .test_device_faults import OTHERS, SPEC


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
    return made, start, expected_from(made, start)


def accepted(backend, number):
    made, start, demands = demanded(number)
    after = backend.run(SPEC, made, {name: image.copy() for name, image in start.initial().items()})
    return is_accepted(made, start, demands, after)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_reference_device_is_right(number):
    assert accepted(NumpyBackend(SequentialUnit(), {SPEC: LinalgDevice}), number)


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("fault", OTHERS, ids=[fault.name for fault in OTHERS])
def test_each_counterfactual_is_wrong_somewhere(fault):
    backend = fault.make()
    assert not all(accepted(backend, number) for number in range(len(PROGRAMS)))
