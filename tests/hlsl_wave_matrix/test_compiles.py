"""DXC compiles every listed program, and what blame and the reducer make of one: all with ``--long``, else a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.base import Program
from mmaspec.programs.hlsl_wave_matrix.program import WaveMatrixProgram
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.variations import of_blame, of_circumstances, of_reduction

from .dxc import Dxc, library

DXC = library()
pytestmark = pytest.mark.skipif(
    DXC is None, reason="no HLSL IS COMPILED: the extra `compilers` is absent, or not for Linux"
)

EVERY_CASE, EVERY_PROGRAM, EVERY_REDUCTION = 7, 5, 40
BUDGET = 40
"""Candidates of the reducer in one case."""


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases, near misses apart."""
    return [one for one in case_list("hlsl-wave-matrix", SPEC.default_caps, "quick") if not one.target]


def refused(programs: Iterable[tuple[str, Program]]) -> dict[str, str]:
    """What DXC says of the texts that it does not compile; of each complaint one program."""
    assert DXC is not None
    compiler, seen, found = Dxc(DXC), set[str](), dict[str, str]()
    for what, program in programs:
        assert isinstance(program, WaveMatrixProgram)
        text = SPEC.text(program, SPEC.default_caps)
        if text not in seen and (complaint := compiler.complaint(text)):
            found.setdefault(complaint.partition("error:")[2], f"{what}\n{text}")
        seen.add(text)
    assert seen
    return found


def test_what_does_not_compile_is_seen(product: WaveMatrixProgram) -> None:
    assert DXC is not None
    text = SPEC.text(product, SPEC.default_caps)
    assert not Dxc(DXC).complaint(text)
    assert "wave" in Dxc(DXC).complaint(text.replace("Load(", "Load(wave + ", 1))


def test_every_listed_program_compiles(recipes: list[Recipe]) -> None:
    assert not refused((one.template, one.program) for one in recipes)


def test_every_program_of_blame_compiles(recipes: list[Recipe], times: int) -> None:
    def programs() -> Iterator[tuple[str, Program]]:
        for one in recipes if times > 1 else recipes[::EVERY_CASE]:
            made = list(of_blame(SPEC, resolve(one.program, one.words)))
            yield from made if times > 1 else (*made[:2], *made[2::EVERY_PROGRAM])

    assert not refused(programs())


def test_every_circumstance_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::EVERY_CASE]
    assert not refused(found for one in some for found in of_circumstances(one))


def test_every_program_of_the_reducer_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::EVERY_REDUCTION]
    assert not refused(found for one in some for found in of_reduction(one, BUDGET))
