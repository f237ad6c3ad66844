"""What is blamed where stores write over each other, and where observing a failure hides it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import islice, pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Shader, WaveMatrixDevice
from mmaspec.backends.protocol import Images
from mmaspec.backends.resolve import resolve
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.judging.explain import LiveExplainer
from mmaspec.suites.judging.reduction import Reduction
from mmaspec.suites.score.classes.proofs import smoke

from .blamed import acting, finding, findings, of_device, shortest
from .planted import DEVICES

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


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


class ForwardedHalf(WmmaDevice):
    """A WMMA right after the one that made its C gets the half just written as C, whichever OPSEL names."""

    before: Any = None

    def run(self, program: Any, inputs: Images) -> Images:
        self.before = None
        return super().run(program, inputs)

    def step(self, state: State, step: Any) -> None:
        super().step(state, step)
        self.before = step if isinstance(step, Wmma) else None

    def addends(self, step: Any, words: Any) -> Any:
        last = self.before
        forwarded = last is not None and last.opsel is not None and last.d == step.c
        return super().addends(last if forwarded else step, words)


def test_what_opsel_selects_is_blamed_for_the_half_that_is_handed_on() -> None:
    """A store between the two calls hides it, as all of them with one OPSEL do."""
    found = findings(of_device("amd-rdna3-wmma", ForwardedHalf), "amd-rdna3-wmma", "back-to-back")
    assert found
    for one in found:
        assert one.how == "vanishes when observed"
        assert one.blamed in (("RDNA3-OPSEL-LOW",), ("RDNA3-OPSEL-HIGH",))
        assert one.only[1] == "its OPSEL in all other calls"


class OldAddend(StaleAddend):
    """A WMMA right after the one that made its C takes it as it was before, if it was anything."""

    def addend(self, state: State, step: Wmma) -> Registers:
        if step.c is not None and self.before and self.before[0] == step.c:
            return self.before[1]  # type: ignore[no-any-return]
        return WmmaDevice.addend(self, state, step)


def test_no_counterfactual_explains_what_a_store_beside_it_heals() -> None:
    """The old C looks like that of a device which takes a literal zero for the destination, and is none."""
    backend = of_device("amd-rdna3-wmma", OldAddend)
    some = shortest(recipe for recipe in smoke("amd-rdna3-wmma") if zero_first(recipe))
    found = [one for recipe in some[:8] if (one := finding(backend, recipe))]
    hidden = [one for one in found if one.how == "vanishes when observed"]
    assert hidden
    assert all(not one.cause and not one.candidates for one in hidden)


def zero_first(recipe: Recipe) -> bool:
    """A program in which a product with a literal zero is the C of the next one."""
    made = [step for step in recipe.program.body if isinstance(step, Wmma)]
    return any(one.c is None and other.c == one.d for one, other in pairwise(made)) and not recipe.target


class StaleBehindLoops(WmmaDevice):
    """In wave64 a product right behind a loop takes its C as it was before the last product in the loop."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.before: tuple[str, Any] | None = None

    def run(self, program: Any, inputs: Images) -> Images:
        self.before = None
        return super().run(program, inputs)

    def step(self, state: State, step: Any) -> None:
        old = state.registers.get(step.d) if isinstance(step, Wmma) else None
        looped = bool(state.loop)
        super().step(state, step)
        self.before = (step.d, old) if looped and old is not None else None

    def addend(self, state: State, step: Wmma) -> Registers:
        if state.loop == 0 and step.c is not None and self.before and self.before[0] == step.c:
            return self.before[1]  # type: ignore[no-any-return]
        return super().addend(state, step)


def test_a_store_in_a_loop_is_one_in_every_pass_and_what_is_wrong_stands_behind_it(
    one_in: Callable[[int], int],
) -> None:
    backend = of_device("amd-rdna3-wmma", StaleBehindLoops)
    some = [one for one in smoke("amd-rdna3-wmma") if one.template in ("loops", "accumulators", "neighbours")]
    found = (told for one in shortest(some) if (told := finding(backend, one)) is not None)
    looped = (one for one in found if one.how == "vanishes when observed" and "in every pass" in one.only[0])
    hazards = list(islice(looped, 4 // one_in(2)))
    assert hazards
    assert all("." not in one.place for one in hazards)


class SumsOnce(WaveMatrixDevice):
    """The second of two equal SumAccumulates in a row does nothing."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.last: Any = None

    def run(self, program: Any, inputs: Images) -> Images:
        self.last = None
        return super().run(program, inputs)

    def execute(self, shader: Shader, instruction: Any, loop: int) -> None:
        super().execute(shader, instruction, loop)
        self.last = instruction

    def sum_accumulate(self, shader: Shader, method: Any, matrix: Any) -> Any:
        return shader.contents(matrix.name) if self.last == method else super().sum_accumulate(shader, method, matrix)


def test_a_hazard_is_no_question_of_accuracy_and_a_needed_store_is_named() -> None:
    """With small whole numbers the sums are exact; it happens twice in a program, so that no single store is enough."""
    found = findings(of_device("hlsl-wave-matrix", SumsOnce), "hlsl-wave-matrix", "relations")
    assert found
    for one in found:
        assert one.how == "vanishes when observed"
        assert one.blamed[0].startswith("WM-SUMACC-")
        assert not one.practice_only
        assert one.only[0].startswith("all intermediate results stored, a store after instruction ")


def test_a_case_whose_rest_shows_another_mistake_is_kept_whole() -> None:
    """Who mends the other one would take this one for mended too."""
    backend = of_device("hlsl-wave-matrix", ShortOffsets)
    recipe = next(one for one in smoke("hlsl-wave-matrix") if one.template == "moved-bits" and finding(backend, one))
    case, found = materialise(recipe), finding(backend, recipe)
    assert found is not None
    another = replace(found, blamed=("WM-MUL",))
    explainer = LiveExplainer(backend, PRACTICE, frozenset(), ())
    assert len(explainer.reduced(case, found, acting(case)).case.program.body) < len(case.program.body)
    assert explainer.reduced(case, another, acting(case)).case.program == case.program


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
