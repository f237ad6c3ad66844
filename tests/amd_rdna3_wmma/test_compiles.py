"""clang compiles every listed program, and what blame and the reducer make of one, for gfx1100 in both wave sizes.

Many kernels go into one file; vectors are not converted into each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expect import resolve
from mmaspec.programs.base import Program
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.variations import of_blame, of_circumstances, of_reduction

from .hip import STRICT, WIDE, body, clang, complaints, joined, mode
from .programs import product

FILE = 300
"""Kernels in one file."""
BUDGET = 40
"""Candidates of the reducer in one case."""

CLANG = clang()
pytestmark = pytest.mark.skipif(CLANG is None, reason="no HIP IS COMPILED: no clang knows gfx1100, `ziglang` is absent")


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases, near misses apart."""
    return [one for one in case_list("amd-rdna3-wmma", SPEC.default_caps, "quick") if not one.target]


def refused(programs: Iterable[Program]) -> list[str]:
    """What clang says of the kernels."""
    assert CLANG is not None
    texts = dict.fromkeys(SPEC.text(program, SPEC.default_caps) for program in programs)
    assert texts
    found: list[str] = []
    for option in ("", WIDE):
        bodies = [body(text) for text in texts if mode(text) == option]
        for start in range(0, len(bodies), FILE):
            found += complaints(CLANG, option, joined(bodies[start : start + FILE]), STRICT)
    return found


def test_what_does_not_compile_is_seen() -> None:
    assert CLANG is not None
    text = body(SPEC.text(product(), SPEC.default_caps))
    assert not complaints(CLANG, "", text)
    assert complaints(CLANG, "", text.replace("* 32", "* i", 1))
    assert complaints(CLANG, "", re.sub(r"wmma_\w+_w32", r"\g<0>_", text))


def test_every_listed_program_compiles(recipes: list[Recipe]) -> None:
    assert not refused(one.program for one in recipes)


def test_every_program_of_blame_compiles(recipes: list[Recipe], times: int) -> None:
    def programs() -> Iterator[Program]:
        for one in recipes if times > 1 else recipes[::4]:
            yield from (program for _, program in of_blame(SPEC, resolve(one.program, one.words)))

    assert not refused(programs())


def test_every_circumstance_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::4]
    assert not refused(program for one in some for _, program in of_circumstances(one))


def test_every_program_of_the_reducer_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::8]
    assert not refused(program for one in some for _, program in of_reduction(one, BUDGET))
