"""What the smoke list draws: sums at both ends of the range, constants that reach results, subnormal addends, waves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import ByReading, expect_by_reading
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Store, Wmma
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.profile import PROFILES
from mmaspec.suites.judging.sensitivity import escapes

Smoke = list[tuple[Case, ByReading]]
Ints = NDArray[np.int64]

LOW, HIGH = -(1 << 31), (1 << 31) - 1
SIGNS = [(a, b) for a in (False, True) for b in (False, True)]
INTEGER = [row.name for row in SPEC.rows(SPEC.default_caps) if "int" in row.tags]
FLOAT = [row.name for row in SPEC.rows(SPEC.default_caps) if "float" in row.tags]

PLACES: Mapping[str, tuple[int, int]] = {
    "far below": (-(1 << 40), LOW - 2),
    "one below": (LOW - 1, LOW - 1),
    "lowest": (LOW, LOW),
    "highest": (HIGH, HIGH),
    "one above": (HIGH + 1, HIGH + 1),
    "far above": (HIGH + 2, 1 << 40),
}


def numbers(bits: NDArray[np.uint64], width: int, *, signed: bool) -> Ints:
    """Values of integer codes."""
    values = bits.astype(np.int64)
    return values - (values >> (width - 1) << width) if signed else values


def integer_sums(smoke: Smoke, row: str) -> dict[tuple[bool, bool, bool], Ints]:
    """The exact sums of every product of a row whose operands are loaded for it alone, by signs and clamp."""
    found: dict[tuple[bool, bool, bool], list[Ints]] = {}
    for case, expected in smoke:
        if case.row != row or not isinstance(expected.first, Defined):
            continue
        loaded: dict[str, str] = {}
        for step in case.program.body:
            if isinstance(step, Load) and step.data is not None:
                loaded[step.into] = step.data
            elif isinstance(step, Fill):
                loaded.pop(step.into, None)
            elif isinstance(step, Wmma):
                if step.c is not None and {step.a, step.b, step.c} <= set(loaded):
                    width = 4 if "iu4" in row else 8
                    a = numbers(case.values[loaded[step.a]], width, signed=step.a_sign is True)
                    b = numbers(case.values[loaded[step.b]], width, signed=step.b_sign is True)
                    c = numbers(case.values[loaded[step.c]], 32, signed=True)
                    key = (step.a_sign is True, step.b_sign is True, step.clamp is True)
                    found.setdefault(key, []).append(np.ravel(a @ b + c))
                loaded.pop(step.d, None)
    return {key: np.concatenate(sums) for key, sums in found.items()}


@pytest.mark.parametrize("row", INTEGER)
def test_sums_meet_both_ends_of_the_range_with_every_pair_of_signs(smoke: Smoke, row: str) -> None:
    sums = integer_sums(smoke, row)
    for a_sign, b_sign in SIGNS:
        for clamp in (False, True):
            drawn = sums[a_sign, b_sign, clamp]
            missing = {place for place, (low, high) in PLACES.items() if not ((drawn >= low) & (drawn <= high)).any()}
            # No sum of unsigned products is below the addend.
            impossible = set() if a_sign or b_sign else {"far below", "one below"}
            assert missing == impossible, (row, a_sign, b_sign, clamp)


def made(device: type[WmmaDevice], **attributes: object) -> NumpyBackend:
    """A backend of a device that deviates."""
    return NumpyBackend(SequentialUnit(), {SPEC.name: type(device.__name__, (device,), attributes)})


def caught(smoke: Smoke, row: str, backend: NumpyBackend) -> bool:
    """Whether a case of the row shows the planted fault."""
    return any(
        escapes(backend, case, expected)
        for case, expected in smoke
        if case.row == row and isinstance(expected.first, Defined)
    )


class WrongPlace(WmmaDevice):
    """Without clamp, sums of one pair of signs in one place relative to the range have the other sign."""

    signs: tuple[bool, bool]
    place: tuple[int, int]
    clamp: bool

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        found = super().product(step, a, b, c)
        if (step.a_sign, step.b_sign) != self.signs or step.clamp is not self.clamp:
            return found
        left, right = (numbers(x, 8, signed=sign) for x, sign in zip((a, b), self.signs, strict=True))
        exact = left @ right + numbers(c, 32, signed=True)
        low, high = self.place
        return np.where((exact >= low) & (exact <= high), found ^ np.uint64(1 << 31), found)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("signs", SIGNS, ids=lambda signs: "".join("us"[sign] for sign in signs))
def test_a_device_that_is_wrong_in_one_place_is_found(smoke: Smoke, signs: tuple[bool, bool], clamp: bool) -> None:
    for place in ("one below", "highest") if any(signs) else ("lowest", "one above"):
        backend = made(WrongPlace, signs=signs, place=PLACES[place], clamp=clamp)
        assert caught(smoke, INTEGER[0], backend), place


class FillsOther(WmmaDevice):
    """A fill of one use, if not with zeros, or a declared constant, has another lowest bit."""

    use: str
    declared = False

    def word_of(self, fragment: Fragment, bits: int) -> int:
        declared = bits == fragment.fill
        changed = bool(bits) and fragment.use == self.use and declared == self.declared
        return super().word_of(fragment, bits ^ 1 if changed else bits)


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("row", [*INTEGER, *FLOAT])
def test_constants_reach_judged_bytes(smoke: Smoke, row: str) -> None:
    for use in ("a", "b", "cd"):
        assert caught(smoke, row, made(FillsOther, use=use)), use
    assert caught(smoke, row, made(FillsOther, use="cd", declared=True))


class ConstantAddend(WmmaDevice):
    """A constant addend other than zero counts as zero, though it is stored as it is."""

    def addend(self, state: State, step: Wmma) -> Registers:
        found = super().addend(state, step)
        return np.zeros_like(found) if (found == found.flat[0]).all() else found


@pytest.mark.parametrize("row", [*INTEGER, *FLOAT])
def test_constants_are_added(smoke: Smoke, row: str) -> None:
    assert caught(smoke, row, made(ConstantAddend))


class ThreeWavesStore(WmmaDevice):
    """Waves beyond the third store nothing."""

    def stretches(self, state: State, step: Load | Store, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        for wave, stretch in super().stretches(state, step, fragment):
            if wave < 3 or isinstance(step, Load):
                yield wave, stretch


@pytest.mark.parametrize("row", [*INTEGER, *FLOAT])
def test_more_than_three_waves_multiply(smoke: Smoke, row: str) -> None:
    assert caught(smoke, row, made(ThreeWavesStore))


class DoublesSubnormalAddends(WmmaDevice):
    """Subnormal addends are read twice as large."""

    def addends(self, step: Wmma, words: Bits) -> Bits:
        bits = super().addends(step, words)
        fmt = FORMATS.get(self.results_in(step))
        if fmt is None:
            return bits
        magnitude, sign = bits & np.uint64(fmt.sign_bit - 1), bits & np.uint64(fmt.sign_bit)
        return np.where(magnitude < 1 << fmt.fraction_bits, sign | magnitude << np.uint64(1), bits)


@pytest.mark.parametrize("row", FLOAT)
def test_subnormal_addends_meet_products_that_vanish(smoke: Smoke, row: str) -> None:
    """Where subnormals may be flushed the bound hides what becomes of them; a profile that keeps them does not."""
    keeping = PROFILES["ieee-subnormals"]
    kept = [
        (case, expect_by_reading(case, keeping))
        for case, expected in smoke
        if case.template == "product-subnormal" and isinstance(expected.first, Defined)
    ]
    assert caught(kept, row, made(DoublesSubnormalAddends))
    assert not caught(kept, row, made(WmmaDevice))
