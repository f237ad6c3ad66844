"""Arrays: every case has the classes that were chosen for it, and is judged; data show what they promise."""

from __future__ import annotations

import pytest

from mmaspec.programs.intel_subgroup_mma.caps import DEFAULT_CAPS, FORMS_OF, Caps
from mmaspec.strategies.intel_subgroup_mma.arrays import ARRAYS
from mmaspec.strategies.intel_subgroup_mma.observations import OBSERVER
from tests.register_kernel_arrays import Arrays

EIGHT, SIXTEEN = (Arrays("intel-subgroup-mma", OBSERVER, caps) for caps in (DEFAULT_CAPS, Caps(16, FORMS_OF[16])))
"""Devices of both sub-group sizes."""

NAMES = [array.name for array in ARRAYS]
OWN = {"data", "turn", "scene", "neighbour"}
"""The name of a regime; where a round of classes begins; the name of a kernel; what stands beside it."""


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("device", [EIGHT, SIXTEEN], ids=["n8", "n16"])
def test_every_case_shows_the_classes_chosen_for_it(name: str, device: Arrays) -> None:
    device.shows_what_was_chosen(name)


@pytest.mark.parametrize("name", NAMES)
def test_axes_and_classes_are_those_of_the_space(name: str) -> None:
    EIGHT.is_of_the_space(name, OWN)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_impossible_is_chosen(name: str) -> None:
    EIGHT.chooses_nothing_impossible(name)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_a_case_that_cannot_be_made_are_elsewhere(name: str) -> None:
    EIGHT.loses_no_pair(name)


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("device", [EIGHT, SIXTEEN], ids=["n8", "n16"])
def test_every_case_is_judged_and_the_reference_device_passes(name: str, device: Arrays) -> None:
    device.is_judged_and_passed(name)


PROMISED = {
    "float-data": {
        "pattern": "single identity anti-diagonal rows-equal columns-equal checkerboard half-matrix banded",
        "special-count": "one one-row one-column all-but-one all",
        "a-float": "quiet-nan signalling-nan low-payload-nan negative-nan all-ones-nan",
        "rows-apart": "special-in-some",
    },
    "integer-data": {
        "part-of-word": " ".join([*(f"byte-{n}" for n in range(4)), *(f"nibble-{n}" for n in range(8))]),
        "dot": "lowest near-lowest near-highest highest signed-16-largest unsigned-16-largest",
        "sum-place": "most-over most-under zero over-after-chain under-after-chain",
        "term-signs": "alternating halves",
        "k-position": " ".join(f"at-{n}" for n in range(64)),
        "column-position": " ".join(f"at-{n}" for n in range(8)),
        "row-position": " ".join(f"at-{n}" for n in range(8)),
        "chain-cancels": "overflow-then-back",
    },
    "functions": {"rows": "one two four eight"},
}
"""Array -> axis -> classes that its regimes are made for."""


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("name", PROMISED)
def test_data_show_what_their_regimes_are_for(name: str) -> None:
    EIGHT.keeps_promises(name, PROMISED[name])
