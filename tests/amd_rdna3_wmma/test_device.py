"""The reference device, which shares no code with the oracle's rules and layouts, meets it on every listed case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expectation import Defined
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.invalid import outline


def backend(unit: type[Any]) -> NumpyBackend:
    return NumpyBackend(unit(), {SPEC.name: WmmaDevice})


@pytest.mark.parametrize("unit", [SequentialUnit, ExactUnit])
def test_it_meets_the_oracle(smoke, unit: type[Any], one_in) -> None:  # type: ignore[no-untyped-def]
    """Of the exact unit ``mmaspec check`` asks the same of all cases of the smoke tier."""
    for case, expected in smoke[:: one_in(12)]:
        if not isinstance(expected.first, Defined):
            with pytest.raises(Refused) as refused:
                backend(unit).run(SPEC.name, case.program, outline(case))
            assert refused.value.clauses == (case.target,)
            continue
        held = hold(case, expected, ask(backend(unit), case, expected.first))
        assert held.legal, (case.row, case.template, held.judgement.wrong[:1])


def test_nearly_everything_is_judged_and_integers_exactly(smoke) -> None:  # type: ignore[no-untyped-def]
    for case, expected in smoke:
        if isinstance(expected.first, Defined) and case.row.removeprefix("v_wmma_").startswith("i32"):
            for _, variant in expected.variants:
                for region in variant.regions:
                    assert (region.legal.why == 0).all()
    shares: dict[bool, list[float]] = {False: [], True: []}
    for case, expected in smoke:
        if isinstance(expected.first, Defined):
            free = case.row.removeprefix("v_wmma_").startswith(("f16", "bf16")) and "tied" not in case.row
            shares[free] += [float(np.mean(region.legal.why == 0)) for region in expected.first.regions]
    assert np.mean(shares[False]) > 0.95
    # Of the halves of registers nothing is stated that OPSEL does not name.
    assert np.mean(shares[True]) > 0.55


def test_inputs_stay_as_they_are(smoke) -> None:  # type: ignore[no-untyped-def]
    for case, expected in smoke[:8]:
        if isinstance(expected.first, Defined):
            before = {name: image.copy() for name, image in expected.first.images.items()}
            backend(SequentialUnit).run(SPEC.name, case.program, expected.first.images)
            assert all(np.array_equal(before[name], image) for name, image in expected.first.images.items())
