"""Arrays: every case has the classes that were chosen for it, and is judged; data show what they promise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mmaspec.programs.amd_rdna3_wmma import BELOW_COMPILERS, Load, VWmma, Wmma
from mmaspec.programs.tree import walk
from mmaspec.strategies.amd_rdna3_wmma.arrays import ARRAYS
from mmaspec.strategies.amd_rdna3_wmma.observations import OBSERVER, halves, instructions
from mmaspec.strategies.axes.observation import Subject, Thing
from mmaspec.strategies.recipe import materialise
from tests.register_kernel_arrays import Arrays


def own_things(subject: Subject) -> Iterator[Thing]:
    """Calls with 16-bit C and D, and instructions."""
    yield from halves.things(subject)
    if instructions.written_out(subject):
        yield from instructions.things(subject)


FOUND = Arrays("amd-rdna3-wmma", OBSERVER, own=own_things)
BELOW = Arrays("amd-rdna3-wmma", OBSERVER, BELOW_COMPILERS, own=own_things)
NAMES = [array.name for array in ARRAYS]
DEVICES = {"builtins": FOUND, "instructions": BELOW}
MADE = [
    pytest.param(device, array.name, id=f"{kind}-{array.name}")
    for kind, device in DEVICES.items()
    for array in ARRAYS
    if not array.rows or any(row.tags & set(array.rows) for row in device.spec.rows(device.caps))
]
"""The arrays of which a device has some row."""
OWN = {"data", "turn", "scene", "flags", "signs", "neighbour", "which-copies"}
"""The name of a regime; where a round of classes begins; the name of a kernel; four axes that meet all together; both
signs of a call; what stands beside it; which further copies are unequal."""


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize(("device", "name"), MADE)
def test_every_case_shows_the_classes_chosen_for_it(device: Arrays, name: str, times: int) -> None:
    device.shows_what_was_chosen(name, times)


@pytest.mark.parametrize("name", NAMES)
def test_axes_and_classes_are_those_of_the_space(name: str) -> None:
    FOUND.is_of_the_space(name, OWN)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("device", "name"), MADE)
def test_nothing_impossible_is_chosen(device: Arrays, name: str) -> None:
    device.chooses_nothing_impossible(name)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize(("device", "name"), MADE)
def test_pairs_of_a_case_that_cannot_be_made_are_elsewhere(device: Arrays, name: str) -> None:
    device.loses_no_pair(name)


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize(("device", "name"), MADE)
def test_every_case_is_judged_and_the_reference_device_passes(device: Arrays, name: str, times: int) -> None:
    device.is_judged_and_passed(name, times)


def test_the_ends_of_integer_sums_meet_every_pair_of_signs_in_every_form() -> None:
    """Where a range ends is a matter of both signs."""
    ends = [one for one in FOUND.chosen("integer-data") if one["data"] == "integer-ends"]
    met = {(one["row"], one["a-sign"], one["b-sign"], one["clamp"]) for one in ends}
    assert len(met) == 4 * 2 * 2 * 2


def test_a_device_of_instructions_has_every_array_that_one_of_builtins_has() -> None:
    """But for that of tied builtins: an instruction has no such form."""
    without = {name for name in NAMES if not BELOW.chosen(name)}
    assert without == {"halves-in-turn"}


def test_signs_change_in_kernels_that_are_about_something_else() -> None:
    """And in some of them do not, so that what is wrong without signs is seen without them."""
    for name in ("loops", "crossed-factors", "memory-flows", "tilings"):
        kernels = [
            [step.neg_lo + step.neg_hi for _, step, _ in walk(recipe.program) if isinstance(step, VWmma)]
            for chosen, recipe in BELOW.made(name)
            if "_i32_" not in chosen["row"]
        ]
        assert {any(map(any, bits)) for bits in kernels} == {True, False}, name


def test_many_factors_are_alive_at_once() -> None:
    """All are loaded before the first product; of floats more than 256 registers hold."""
    cases = [recipe for one, recipe in FOUND.made("extremes") if one["scene"] == "many"]
    assert {"f32_16x16x16_f16_w32", "i32_16x16x16_iu4_w64"} <= {recipe.row for recipe in cases}
    for recipe in cases:
        program = materialise(recipe).program
        first = next(number for number, step in enumerate(program.body) if isinstance(step, Wmma))
        loaded = {step.into for step in program.body[:first] if isinstance(step, Load)}
        read = {name for step in program.body[first:] if isinstance(step, Wmma) for name in (step.a, step.b)}
        assert read <= loaded
        assert len(read) > 36
        held = sum(program.fragment(name).vector_bytes // 4 for name in read)
        assert held > 256 or "iu" in recipe.row


PROMISED = {
    "float-data": {
        "pattern": "single identity anti-diagonal permutation rows-equal columns-equal symmetric antisymmetric "
        "triangular checkerboard half-matrix banded",
        "k-mismatch": "equal same-word next-word reversed plus-eight",
        "special-count": "one one-row one-column one-word one-register all-but-one all",
        "nan-spread": "one-element one-row one-column cross all-but-one-row all diagonal",
        "a-float": "quiet-nan signalling-nan low-payload-nan negative-nan all-ones-nan",
        "b-float": "quiet-nan signalling-nan low-payload-nan negative-nan all-ones-nan",
        "c-float": "low-payload-nan all-ones-nan quiet-nan signalling-nan "
        "least-subnormal largest-subnormal least-normal largest-finite one-ulp-off",
        "nan-cause": "infinity-times-subnormal subnormal-times-infinity by-chain",
        "infinite-cause": "infinity-times-tiny tiny-times-infinity negative-times-infinity",
        "zero-result": "all-positive-zero all-negative-zero mixed-zeros negative-c-only negative-products-only",
        "rounding": "carry-out",
        "c-weight": "half-place accumulated-above",
        "large-position": "pair-with-c ascending descending",
        "exact-integers": "at-limit beyond-limit",
        "subnormals": "result-boundary",
        "overflow-place": "largest",
        "result-distinct": "only-c-distinct columns-distinct",
        "single-against-half": "bf16-infinity-bits",
        "row-position": " ".join(f"at-{n}" for n in range(16)),
        "column-position": "at-2",
    },
    "integer-data": {
        "part-of-word": "byte-0 byte-1 byte-2 byte-3",
        "dot": "lowest near-lowest near-highest highest mixed-magnitude signed-16-largest",
        "sum-place": "most-over most-under zero over-after-chain under-after-chain",
        "partial-range": "by-chain",
        "clamp-spread": "one one-row one-column all",
        "term-signs": "alternating",
        "row-position": " ".join(f"at-{n}" for n in range(16)),
        "column-position": " ".join(f"at-{n}" for n in range(16)),
        "k-position": " ".join(f"at-{n}" for n in range(16)),
        "chain-cancels": "overflow-then-back",
    },
}
"""Array -> axis -> classes that its regimes are made for."""


@pytest.mark.parametrize("name", PROMISED)
def test_data_show_what_their_regimes_are_for(name: str) -> None:
    FOUND.keeps_promises(name, PROMISED[name])
