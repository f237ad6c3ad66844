"""In every specification: what blame and the reducer make names nothing that its text does not declare."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Program
from mmaspec.programs.specifications import ours
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.declared import undeclared
from tests.variations import of_blame, of_circumstances, of_reduction

EVERY = {
    "amd-rdna3-wmma": 72,
    "hlsl-linalg": 200,
    "hlsl-wave-matrix": 120,
    "intel-subgroup-mma": 36,
    "nv-coopmat2": 80,
}
"""One case of that many, unless ``--long`` takes all."""
REGISTER = re.compile(r"[tu]\d+")
"""Where HLSL binds a buffer: programs with more buffers have more of them."""
BUDGET = 30
"""Candidates of the reducer in one case."""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void f() { const uint i = 0; a[2 * i]; }", "void a"),
        ("void f() { for (uint i = 0; i < 3; ++i) { g(i); } g(i); }", "void for g i"),
        ("for (uint i = 0; i < 3; ++i) g(i); g(i);", "for g i"),
        ("for (int j = 0; j < c.length(); ++j) c[j] = 0x3u; { t<3, x> y; } y.z;", "for c t x y"),
        ("void f(char* p, char* q) { q[2 * p]; } // p\n/* q */ q;", "void q"),
        ("layout(set = 0) buffer Block { float a[]; };\nvoid f() { a[0] = wave; }", "layout set buffer void wave"),
    ],
)
def test_the_scanner_sees_blocks_and_loops(text: str, found: str) -> None:
    types = {"uint", "int", "char", "float", "const"}
    assert undeclared(text) - types == set(found.split())


def chosen(recipes: list[Recipe], every: int) -> Iterator[tuple[str, Program]]:
    """What blame and the reducer make of some of the cases."""
    for one in recipes[::every]:
        made = [*of_blame(spec_named(one.spec), resolve(one.program, one.words))]
        made += [*of_circumstances(one), *of_reduction(one, BUDGET)]
        yield from ((f"{one.template}: {what}", program) for what, program in made)


@pytest.mark.parametrize("name", ours())
def test_variations_name_nothing_that_they_do_not_declare(name: str, times: int) -> None:
    spec = spec_named(name)
    caps = spec.default_caps
    recipes = [one for one in case_list(name, caps, "quick") if not one.target]
    texts = {spec.text(one.program, caps) for one in recipes}
    listed = len(texts)
    language = frozenset[str]().union(*map(undeclared, texts))
    assert not language & {"i", "wave", "lane"}
    odd: dict[frozenset[str], str] = {}
    for what, program in chosen(recipes, 1 if times > 1 else EVERY[name]):
        text = spec.text(program, caps)
        if text not in texts and (
            unknown := {word for word in undeclared(text) - language if not REGISTER.fullmatch(word)}
        ):
            odd.setdefault(frozenset(unknown), f"{what}\n{text}")
        texts.add(text)
    assert not odd
    assert len(texts) > listed + 100


@pytest.mark.parametrize("name", ours())
def test_programs_of_blame_are_defined_and_find_the_values_of_the_case(name: str, times: int) -> None:
    spec = spec_named(name)
    caps = spec.default_caps
    recipes = [one for one in case_list(name, caps, "quick") if not one.target]
    odd: list[str] = []
    made = 0
    for one in recipes[:: 1 if times > 1 else EVERY[name]]:
        resolved = resolve(one.program, one.words)
        shapes = {source.name: source.shape for source in spec.sources(resolved)}
        for what, program in of_blame(spec, resolved):
            made += 1
            found = {source.name: source.shape for source in spec.sources(program)}
            broken = spec.rejected(program, caps) or spec.undefined(program, caps)
            if broken or not found.items() <= shapes.items():
                odd.append(f"{one.row}, {one.template}: {what}: {sorted(broken)} {found}")
    assert not odd
    assert made > 100
