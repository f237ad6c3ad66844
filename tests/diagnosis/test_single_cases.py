"""What is blamed in single cases, where one check of the diagnosis decides."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Shader, WaveMatrixDevice
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.expect import expect
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.score.classes.proofs import smoke
from tests.case_lists import case_list

from .blamed import finding, findings, listed, of_device, shortest
from .planted import DEVICES

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


def test_the_argument_that_differs_from_wave_to_wave_is_named_and_its_clause_blamed() -> None:
    planted = next(each for each in DEVICES if each.name == "SliceOfFirstWave")
    backend: Any = resolve(planted.backend)
    recipes = [recipe for recipe in listed(backend, planted.spec, "tensor-region") if recipe.program.waves > 1]
    found = [one for one in (finding(backend, recipe) for recipe in recipes) if one is not None]
    assert found
    for one in found:
        assert one.blamed[0] == "NVCM2-SLICE"
        assert "slice offsets the same in every wave" in one.only


class SmallIsInfinite(SequentialUnit):
    """Sums below 2^-40 but not zero become infinite: no accumulator of any precision does that."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        found = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        exponent = found >> np.uint64(23) & np.uint64(0xFF)
        small = (exponent > 0) & (exponent < 127 - 40) & (c_fmt == "f32")
        return np.where(small, np.uint64(0x7F800000), found)


def test_an_infinity_in_place_of_a_small_sum_breaks_the_document() -> None:
    backend = NumpyBackend(SmallIsInfinite(), {"amd-rdna3-wmma": WmmaDevice}, name="small", profile=PRACTICE)
    recipes = [
        recipe for recipe in listed(backend, "amd-rdna3-wmma", "product-subnormal") if recipe.row.startswith("f32")
    ]
    found = [one for one in (finding(backend, recipe) for recipe in recipes) if one is not None]
    assert found
    assert [one.practice_only for one in found] == [False] * len(found)
    assert all(one.gross for one in found)


class InfinityIsLost(SequentialUnit):
    """A sum that is infinite becomes 0: a narrower accumulator would reach infinity as well, and sooner."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        found = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        infinite = (found & np.uint64(0x7FFFFFFF) == 0x7F800000) & (c_fmt == "f32")
        return np.where(infinite, np.uint64(0), found)


def test_a_zero_in_place_of_an_infinity_breaks_the_document() -> None:
    backend = NumpyBackend(InfinityIsLost(), {"amd-rdna3-wmma": WmmaDevice}, name="lost", profile=PRACTICE)
    regimes = ("specials", "wild", "infinities")
    recipes = [one for one in smoke("amd-rdna3-wmma") if one.row.startswith("f32") and one.regime in regimes]
    found = [one for one in (finding(backend, recipe) for recipe in recipes) if one is not None]
    assert found
    assert [one.practice_only for one in found] == [False] * len(found)
    assert all(one.gross for one in found)
    assert any(one.element and one.element.nan_allowed for one in found)
    assert all(("inf or nan" in one.says) == (one.element is not None and one.element.nan_allowed) for one in found)


class LowSumsAreWrong(SequentialUnit):
    """Sums of products below -2^17 have a wrong bit: signs bring them out, and are read as they should be."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        found = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        if c_fmt != "s32":
            return found
        sums = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, np.zeros_like(c)).astype(np.uint32).astype(np.int32)
        return np.where(sums < -(1 << 17), found ^ np.uint64(4), found)


class BytesAreSigned(SequentialUnit):
    """Unsigned bytes of A are read as signed ones beside signed ones of B."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        mixed = (a_fmt, b_fmt) == ("u8", "s8")
        return super().multiply_add("s8" if mixed else a_fmt, a, b_fmt, b, c_fmt, c, overflow)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(("unit", "clause"), [(LowSumsAreWrong, "RDNA3-MMA"), (BytesAreSigned, "RDNA3-IU-SIGN")])
def test_signs_are_blamed_where_a_factor_alone_is_misread(unit: type[SequentialUnit], clause: str) -> None:
    backend = NumpyBackend(unit(), {"amd-rdna3-wmma": WmmaDevice}, name="sums", profile=PRACTICE)
    some = (one for one in smoke("amd-rdna3-wmma") if one.template == "accumulators" and one.row.startswith("i32"))
    found = [one for one in (finding(backend, recipe) for recipe in shortest(some)[:4]) if one is not None]
    assert len(found) > 2
    first = [one.blamed[0] for one in found]
    assert first.count(clause) >= 0.9 * len(first)


def test_constants_of_a_program_have_signs_whatever_data_is_drawn(one_in: Callable[[int], int]) -> None:
    backend = NumpyBackend(BytesAreSigned(), {"amd-rdna3-wmma": WmmaDevice}, name="sums", profile=PRACTICE)
    found = findings(backend, "amd-rdna3-wmma", "fills", 6 // one_in(3))
    assert found
    assert {one.blamed[0] for one in found} == {"RDNA3-IU-SIGN"}


class ZeroOnce(WmmaDevice):
    """A literal zero C is written before a loop instead of in each pass."""

    def addend(self, state: State, step: Wmma) -> Registers:
        return state.registers[step.d] if step.c is None and state.loop else super().addend(state, step)


class ClampOnce(WmmaDevice):
    """Clamp counts in the first pass of a loop only."""

    def overflow(self, step: Wmma) -> Overflow:
        return "wrap" if self.later else super().overflow(step)

    later = False

    def wmma(self, state: State, step: Wmma) -> None:
        self.later = bool(state.loop)
        super().wmma(state, step)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("device", "clause", "template"),
    [(ZeroOnce, "RDNA3-ZERO-C", "loops"), (ClampOnce, "RDNA3-IU-CLAMP", "fills")],
    ids=["zero", "clamp"],
)
def test_what_goes_away_without_the_loop_acquits_no_clause_of_its_step(
    device: type[WmmaDevice], clause: str, template: str, one_in: Callable[[int], int]
) -> None:
    """The loop may only bring out what the step does wrong: its own clauses stay suspected, and so do not pass."""
    backend = NumpyBackend(SequentialUnit(), {"amd-rdna3-wmma": device}, name="once", profile=PRACTICE)
    spec = spec_named("amd-rdna3-wmma")
    recipes = shortest(one for one in smoke(spec.name) if one.template == template)
    about = islice((recipe for recipe in recipes if clause in expect(materialise(recipe)).clauses), 8)
    found = (one for one in (finding(backend, recipe) for recipe in about) if one is not None)
    looped = list(islice((one for one in found if "the loop written out" in one.only), 8 // one_in(4)))
    assert looped
    assert all(clause in one.blamed for one in looped)


class FirstFragments(WaveMatrixDevice):
    """From the third wave on, a sum with a row takes the fragment of the first wave."""

    def add(self, shader: Shader, method: Any, matrix: Any) -> Any:
        kept = shader.contents(method.operand)
        if shader.program.matrix(method.operand).kind == "right-row-acc":
            wrong = kept.copy()
            wrong[:, 2:] = wrong[:, :1]
            shader.matrices[method.operand] = wrong
        found = super().add(shader, method, matrix)
        shader.matrices[method.operand] = kept
        return found


def test_one_wave_alone_is_tried_where_a_program_states_its_threads() -> None:
    found = findings(of_device("hlsl-wave-matrix", FirstFragments), "hlsl-wave-matrix", "thread-groups", 3)
    assert found
    assert all(one.blamed[0] == "WM-ADD-ROW" and "one wave" in one.only for one in found)


class FirstTwice(CoopMat2Device):
    """A reduction of everything takes the first element twice, as its seed and in turn."""

    def everything(self, fmt: Format, bits: Bits, name: str) -> Bits:
        every = bits.reshape(*bits.shape[:-2], 1, -1)
        return self.fold(fmt, np.concatenate([every, every[..., :1]], axis=-1), name)


def test_an_element_that_counts_twice_is_no_question_of_order() -> None:
    """Sums of small whole numbers are the same in any order; with the largest element in its place it goes away."""
    found = findings(of_device("nv-coopmat2", FirstTwice), "nv-coopmat2", "reductions")
    assert found
    assert {one.blamed[0] for one in found} == {"NVCM2-REDUCE-ALL"}


def test_a_product_that_is_left_out_is_no_matter_of_signs() -> None:
    """Whatever data is drawn, constants of the program may be signed; what is wrong is that a product is missing."""
    device = next(planted for planted in DEVICES if planted.name == "LastPassOfOddLoopsLost")
    backend = resolve(device.backend)
    found = [finding(backend, one) for one in case_list(device.spec, backend.caps(device.spec), "quick") if odd(one)]
    assert {one.blamed[0] for one in found if one is not None} == {"KHRCM-MULADD"}


def odd(recipe: Recipe) -> bool:
    """An integer program with a loop of three passes."""
    loops = [getattr(step, "count", 0) for step in recipe.program.body]
    return 3 in loops and not recipe.target and recipe.row.startswith("s8")
