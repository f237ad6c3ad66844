"""What is blamed in single cases, where one check of the diagnosis decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Shader, WaveMatrixDevice
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.tensors import Region
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.nv_coopmat2.program import Branch, CoopMatProgram, SetBlockSize, SetClip, SetViewStride
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.judging.reduction import Reduction
from mmaspec.suites.score.classes.proofs import smoke

from .planted import DEVICES


def finding(backend: Any, recipe: Recipe) -> Finding | None:
    judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
    return judge.judge_listed(recipe)[0].finding


def listed(backend: Any, spec: str, template: str) -> list[Recipe]:
    recipes = case_list(spec, backend.caps(spec), "quick")
    return [recipe for recipe in recipes if recipe.template == template and not recipe.target]


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


@pytest.mark.parametrize(
    ("device", "clause", "template"),
    [(ZeroOnce, "RDNA3-ZERO-C", "loops"), (ClampOnce, "RDNA3-IU-CLAMP", "fills")],
    ids=["zero", "clamp"],
)
def test_what_goes_away_without_the_loop_acquits_no_clause_of_its_step(
    device: type[WmmaDevice], clause: str, template: str
) -> None:
    """The loop may only bring out what the step does wrong: its own clauses stay suspected, and so do not pass."""
    backend = NumpyBackend(SequentialUnit(), {"amd-rdna3-wmma": device}, name="once", profile=PRACTICE)
    spec = spec_named("amd-rdna3-wmma")
    recipes = [one for one in smoke(spec.name) if one.template == template]
    about = [recipe for recipe in recipes if clause in expect(materialise(recipe)).clauses]
    found = [one for one in (finding(backend, recipe) for recipe in about) if one is not None]
    looped = [one for one in found if "the loop written out" in one.only]
    assert looped
    assert all(clause in one.blamed for one in looped)


class ClipAgain(CoopMat2Device):
    """A second clip lies within the first one."""

    def set_clip(self, window: Window, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        if "SetClip" in window.history:
            rows, cols = _within(window.rows, rows), _within(window.cols, cols)
        super().set_clip(window, rows, cols)


def _within(outer: tuple[int, int], inner: tuple[int, int]) -> tuple[int, int]:
    return (outer[0] + inner[0]) % 2**32, min(inner[1], max(outer[1] - inner[0], 0))


class OldViewStride(CoopMat2Device):
    """The first strides of a view stay."""

    def set_view_stride(self, window: Window, steps: list[int]) -> None:
        if "SetViewStride" not in window.history:
            super().set_view_stride(window, steps)


class OldBlocks(CoopMat2Device):
    """The first block sizes of a layout stay."""

    def set_block(self, region: Region, blocks: list[int]) -> None:
        if "SetBlockSize" not in region.history:
            super().set_block(region, blocks)


class Untaken(CoopMat2Device):
    """No branch is taken."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        body = tuple(one for one in program.body if not isinstance(one, Branch))
        return super().run(replace(program, body=body), inputs)


def coopmat2_findings(device: type[CoopMat2Device], has: Callable[[CoopMatProgram], bool]) -> list[Finding]:
    """Those of the smoke list, in cases whose program has something."""
    backend = NumpyBackend(SequentialUnit(), {"nv-coopmat2": device}, name=device.__name__, profile=PRACTICE)
    some = [one for one in smoke("nv-coopmat2") if not one.target and has(one.program)]  # type: ignore[arg-type]
    return [found for one in some if (found := finding(backend, one)) is not None]


def called_again(kind: type[Any]) -> Callable[[CoopMatProgram], bool]:
    """Whether a layout or view has a setter of this kind twice."""
    return lambda program: any(
        sum(isinstance(call, kind) for call in one.calls) > 1 for one in (*program.layouts, *program.views)
    )


@pytest.mark.parametrize(
    ("device", "kind", "clause"),
    [
        (ClipAgain, SetClip, "NVCM2-SETCLIP"),
        (OldViewStride, SetViewStride, "NVCM2-SETVIEWSTRIDE"),
        (OldBlocks, SetBlockSize, "NVCM2-SETBLOCK"),
    ],
    ids=["clip", "view-stride", "block-size"],
)
def test_a_setter_that_does_not_replace_what_was_set_before_is_blamed(
    device: type[CoopMat2Device], kind: type[Any], clause: str
) -> None:
    found = coopmat2_findings(device, called_again(kind))
    assert found
    for one in found:
        assert one.blamed[0] == clause
        assert one.instead.endswith("called once, with the last arguments")


def test_what_a_branch_alone_brings_out_is_said() -> None:
    found = coopmat2_findings(Untaken, lambda program: any(isinstance(one, Branch) for one in program.body))
    assert found
    assert all("the branch written out" in one.only for one in found)


class TakesAll(CoopMat2Device):
    """Every branch is taken."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        body = tuple(replace(one, taken=1) if isinstance(one, Branch) else one for one in program.body)
        return super().run(replace(program, body=body), inputs)


def test_a_device_that_takes_every_branch_is_noticed() -> None:
    def passed_by(program: CoopMatProgram) -> bool:
        return any(isinstance(one, Branch) and one.taken == 0 for one in program.body)

    assert coopmat2_findings(TakesAll, passed_by)


def test_a_store_is_cleared_by_its_own_elements_where_others_are_wrong_too() -> None:
    """Several stores with rounded strides in a program: without the stride of one, the others are wrong as before."""
    planted = next(each for each in DEVICES if each.name == "PitchRoundedDown")
    backend: Any = resolve(planted.backend)
    recipes = [one for one in smoke(planted.spec) if one.template == "tensor-far"]
    found = [one for one in (finding(backend, recipe) for recipe in recipes) if one is not None]
    patterns = [one for one in found if one.pattern]
    assert patterns
    assert {one.blamed[0] for one in found} == {"NVCM2-SETSTRIDE"}
    # Which values stand where is told apart from what it goes away with.
    assert all(one.pattern not in one.instead and " instead of `coopMat" in one.instead for one in patterns)


def findings(backend: Any, spec: str, template: str) -> list[Finding]:
    """Those of the smoke list, in cases of one template."""
    some = [one for one in smoke(spec) if one.template == template and not one.target]
    return [found for one in some if (found := finding(backend, one)) is not None]


def of_device(spec: str, device: type[Any]) -> NumpyBackend:
    return NumpyBackend(SequentialUnit(), {spec: device}, name=device.__name__, profile=PRACTICE)


class ShortOffsets(WaveMatrixDevice):
    """A literal offset of a fragment in a byte-address buffer keeps its low twelve bits."""

    def arguments(self, shader: Shader, access: Any, loop: int) -> list[Any]:
        found = super().arguments(shader, access, loop)
        literal = isinstance(access.offset, int) and shader.program.matrix(access.matrix).is_fragment
        if literal and shader.array(access.buffer) is None:
            return [dataclasses.replace(one, start=one.start & 0xFFF) for one in found]
        return list(found)


def test_a_store_that_writes_over_another_is_blamed_and_not_the_other() -> None:
    """A fragment goes to where a matrix was stored before: the first wrong element is the matrix's."""
    found = findings(of_device("hlsl-wave-matrix", ShortOffsets), "hlsl-wave-matrix", "moved-bits")
    assert found
    assert {one.blamed[0] for one in found} == {"WM-ADDR-FRAG"}


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
    found = findings(of_device("hlsl-wave-matrix", FirstFragments), "hlsl-wave-matrix", "thread-groups")
    assert found
    assert all(one.blamed[0] == "WM-ADD-ROW" and "one wave" in one.only for one in found)


class StaleAddend(WmmaDevice):
    """In wave64 a WMMA right after the one that made its C finds C's last register as it was before."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.before: tuple[str, Any] | None = None

    def run(self, program: Any, inputs: Images) -> Images:
        self.before = None
        return super().run(program, inputs)

    def step(self, state: State, step: Any) -> None:
        made = isinstance(step, Wmma)
        old = state.registers.get(step.d) if made else None
        super().step(state, step)
        self.before = (step.d, old) if made and old is not None else None

    def addend(self, state: State, step: Wmma) -> Registers:
        found = super().addend(state, step)
        if state.program.wave_size == 64 and step.c is not None and self.before and self.before[0] == step.c:
            found = found.copy()
            found[..., -1] = self.before[1][..., -1]
        return found


def test_a_hazard_is_told_by_the_store_that_is_enough_to_avoid_it() -> None:
    found = findings(of_device("amd-rdna3-wmma", StaleAddend), "amd-rdna3-wmma", "addends")
    assert found
    for one in found:
        assert one.how == "vanishes when observed"
        assert one.blamed[0] == "RDNA3-MMA"
        assert one.only[0].startswith("a store after instruction ")


class SwappedRows(WmmaDevice):
    """In wave64 two quarters of the lanes of an integer D are exchanged, unless D is C."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if state.program.wave_size == 64 and step.builtin.startswith("i32") and step.d != step.c:
            found = state.registers[step.d].copy()
            found[:, :, 32:64] = np.roll(found[:, :, 32:64], 16, axis=2)
            state.registers[step.d] = found


class EmptyRegister(WmmaDevice):
    """In wave64 the last register of D is not written."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        if state.program.wave_size == 64:
            found = state.registers[step.d].copy()
            found[..., -1] = 0
            state.registers[step.d] = found


def test_few_wrong_rows_are_named() -> None:
    found = findings(of_device("amd-rdna3-wmma", EmptyRegister), "amd-rdna3-wmma", "neighbours")
    assert found
    assert all("rows 12 to 15" in one.says and not one.pattern for one in found)


def test_what_stands_in_wrong_places_says_more_than_a_product_without_its_addend() -> None:
    """Of a product of zeros nothing is left without C, whatever is exchanged in it."""
    found = findings(of_device("amd-rdna3-wmma", SwappedRows), "amd-rdna3-wmma", "neighbours")
    assert found
    assert {one.blamed[0] for one in found} == {"RDNA3-CD-W64"}


def test_what_is_left_of_a_case_still_has_the_clause_that_is_blamed() -> None:
    """Of a wrong product and a wrong store behind it, the smaller case of the two could be the store's."""
    backend = of_device("hlsl-wave-matrix", ShortOffsets)
    for recipe in smoke("hlsl-wave-matrix"):
        case = None if recipe.template != "moved-bits" or recipe.target else materialise(recipe)
        if case is not None and {"WM-ADDR-FRAG", "WM-ADDR-ROW"} <= acting(case):
            reduction = Reduction(backend, PRACTICE)
            if reduction.symptom(case) == "value":
                assert "WM-ADDR-ROW" in acting(reduction.smallest(case, 0, "value", "WM-ADDR-ROW"))
                assert "WM-ADDR-ROW" not in acting(reduction.smallest(case, 0, "value"))
                return
    raise AssertionError("no case with both")


def acting(case: Case) -> frozenset[str]:
    expected = expect(case, PRACTICE)
    return expected.clauses if isinstance(expected, Defined) else frozenset()
