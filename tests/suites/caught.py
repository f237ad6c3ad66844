"""The cases of an array that a device gets wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mmaspec.backends.numpy.backend import NumpyBackend, ReferenceDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.oracle.case import Case
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import ROW, tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask, lawful

Listed = tuple[Case, ByReading]
CASES = 64
"""More than the arrays of a specification have: they are few."""


@cache
def expected(spec_name: str, array: str) -> tuple[Listed, ...]:
    """The cases of an array in the list of the default seed, with what is expected of them."""
    spec = spec_named(spec_name)
    lister = Lister(spec, grammar_of(spec_name), spec.default_caps, DEFAULT_SEED)
    found = []
    for chosen in tuples(arrays_of(spec_name)[array], spec.default_caps, spec.rows(spec.default_caps), 2):
        recipe = lister.met(spec.row(spec.default_caps, chosen[ROW]), arrays_of(spec_name)[array], chosen)
        assert recipe is not None, chosen
        case = materialise(recipe)
        found.append((case, expect_by_reading(case, PRACTICE)))
    assert len(found) < CASES
    return tuple(found)


def listed(spec_name: str, array: str) -> tuple[Case, ...]:
    """The cases alone."""
    return tuple(case for case, _ in expected(spec_name, array))


def caught(
    spec_name: str, array: str, device: type[ReferenceDevice], unit: type[ArithmeticUnit] = ExactUnit
) -> Iterator[Case]:
    """The cases that a device does not get right, or over which it breaks down."""
    backend = NumpyBackend(unit(), {spec_name: device})
    for case, by_reading in expected(spec_name, array):
        try:
            if not lawful(case, by_reading, ask(backend, case, by_reading.first)):  # type: ignore[arg-type]
                yield case
        except Exception:  # noqa: BLE001 - a store that goes astray
            yield case
