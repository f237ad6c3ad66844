"""DXC takes the declarations and the listed programs without long vectors, with buffers and functions of its own.

The one that can be had knows no linear algebra and vectors of four at most. It complains that nothing defines what is
declared only after it has taken all of a shader, so that this complaint is as good as none. What it has no check for is
the layout, and the stride, of a call.
"""

from __future__ import annotations

import re

import pytest

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.hlsl_linalg.text.program import HEADER
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.hlsl_wave_matrix import dxc
from tests.hlsl_wave_matrix.dxc import Dxc, library

from .declarations import header
from .seen import NOT_SEEN, SEEN

DXC = library()
pytestmark = pytest.mark.skipif(
    DXC is None, reason="no HLSL IS COMPILED BY DXC: the extra `compilers` is absent, or not for Linux"
)

LANGUAGE = """
#define SIZE int
#define ONLY_IF(condition)
#define NEVER_IF(condition)
template <typename A> struct element_of { using type = A; };
template <typename A, int N> struct element_of<A[N]> { using type = A; };
#define ELEMENT(A) typename scalar_of<typename element_of<A>::type>::type
"""
NOT_DEFINED = "External function used in non-library profile"
LAYOUTS = {"LINALG-ACC-LAYOUT", "LINALG-LOAD-LAYOUT", "LINALG-STORE-LAYOUT"}
VECTOR = re.compile(r"vector<\w+, (\d+)>")
LONGEST = 4
EVERY = 4


@pytest.fixture(scope="module")
def compiler() -> Dxc:
    assert DXC is not None
    return Dxc(DXC)


def complaint(compiler: Dxc, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What DXC has against a printed program."""
    monkeypatch.setattr(dxc, "OPTIONS", ("-T", "cs_6_8", "-E", "CSMain", "-HV", "2021", "-enable-16bit-types", "-Vd"))
    include = f"#include <{HEADER}>\n"
    assert text.startswith(include)
    said = compiler.complaint(LANGUAGE + header("later") + text.removeprefix(include))
    return "" if NOT_DEFINED in said else said


def recipes(*, near_misses: bool) -> list[tuple[Recipe, str]]:
    """Listed cases with vectors that DXC has, and their texts."""
    listed = case_list(SPEC.name, SPEC.default_caps, "quick")
    found = [(one, SPEC.text(one.program, SPEC.default_caps)) for one in listed if bool(one.target) == near_misses]
    return [(one, text) for one, text in found if all(int(size) <= LONGEST for size in VECTOR.findall(text))]


def test_listed_programs_compile(compiler: Dxc, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    some = recipes(near_misses=False)[:: 1 if times > 1 else EVERY]
    assert len(some) > 100
    said = {text: complaint(compiler, text, monkeypatch) for _, text in some}
    assert [f"{what}\n{text}" for text, what in said.items() if what] == []


def test_near_misses_are_refused(compiler: Dxc, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    some = recipes(near_misses=True)[:: 1 if times > 1 else 2]
    seen = {one.target for one, _ in some} & (SEEN - LAYOUTS)
    assert len(seen) > 10
    for one, text in some:
        if one.target in SEEN - LAYOUTS:
            assert complaint(compiler, text, monkeypatch), f"{one.target}, {one.labels[-1]}\n{text}"
        elif one.target not in NOT_SEEN.keys() | LAYOUTS:
            assert not complaint(compiler, text, monkeypatch), f"{one.target}, {one.labels[-1]}\n{text}"
