"""clang compiles every listed program, and refuses of the near misses exactly those that a compiler can see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.hlsl_linalg.text.names import TAKEN
from mmaspec.programs.base import Buffer, Program
from mmaspec.programs.hlsl_linalg import LinalgProgram, Load, Matrix, SharedArray, Vector, VectorLoad
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.hlsl_linalg.small_programs import product
from tests.variations import of_blame, of_circumstances, of_reduction

from .front_end import complaints, declarations_alone, front_end
from .seen import NOT_SEEN, SEEN, is_seen

CLANG = front_end()
pytestmark = pytest.mark.skipif(CLANG is None, reason="no HLSL IS COMPILED: no clang knows it, and `ziglang` is absent")

FILE = 200
"""Shaders in one file."""
BUDGET = 40
"""Candidates of the reducer in one case."""
EVERY_CASE, EVERY_REDUCTION = 12, 60


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases."""
    return list(case_list(SPEC.name, SPEC.default_caps, "quick"))


@pytest.fixture(scope="module")
def valid(recipes: list[Recipe]) -> list[Recipe]:
    """Those that are no near misses."""
    return [one for one in recipes if not one.target]


def text(program: Program) -> str:
    assert isinstance(program, LinalgProgram)
    return SPEC.text(program, SPEC.default_caps)


def said(texts: Iterable[str]) -> list[list[str]]:
    """What clang says against each text."""
    assert CLANG is not None
    every = list(texts)
    return [one for start in range(0, len(every), FILE) for one in complaints(CLANG, every[start : start + FILE])]


def refused(programs: Iterable[Program]) -> list[str]:
    """What clang says of the programs, a line of each that it does not compile, with the text."""
    texts = list(dict.fromkeys(text(program) for program in programs))
    assert texts
    return [f"{errors[0]}\n{one}" for one, errors in zip(texts, said(texts), strict=True) if errors]


def test_what_does_not_compile_is_seen() -> None:
    good = text(product())
    wrong = [
        good.replace("MatrixUse::B", "MatrixUse::A"),
        good.replace("Load(a", "Load(nothing"),
        good.replace("MatrixLayout::RowMajor", "MatrixLayout::RowMinor", 1),
        good.replace("/ 32", "/ wave", 1).replace("const uint wave", "const uint waves"),
    ]
    assert [bool(errors) for errors in said([good, *wrong, good])] == [False, True, True, True, True, False]


def test_every_listed_program_compiles(valid: list[Recipe]) -> None:
    assert refused(one.program for one in valid) == []


def test_buffers_are_declared_as_the_language_has_them(valid: list[Recipe]) -> None:
    """In the shaders above they have types of ours, which have methods."""
    assert CLANG is not None
    found = text(valid[0].program)
    assert declarations_alone(CLANG, found) == ""
    assert declarations_alone(CLANG, found.replace("register(u0)", "register(t0)")) != ""
    for one in valid[1::60]:
        assert declarations_alone(CLANG, text(one.program)) == ""


def test_near_misses_are_refused_where_a_compiler_can_see_them(recipes: list[Recipe]) -> None:
    near = [one for one in recipes if one.target]
    found = dict.fromkeys((one.target, one.labels[-1], text(one.program)) for one in near)
    answers = [bool(errors) for errors in said(shown for _, _, shown in found)]
    wrong = {
        (clause, form): answer
        for (clause, form, _), answer in zip(found, answers, strict=True)
        if answer != is_seen(str(clause), form)
    }
    assert wrong == {}
    assert {one.target for one in near} >= SEEN | NOT_SEEN.keys()
    assert all(any(is_seen(str(one.target), one.labels[-1]) is seen for one in near) for seen in (True, False))


def test_every_program_of_blame_compiles(valid: list[Recipe], times: int) -> None:
    def programs() -> Iterator[Program]:
        for one in valid if times > 1 else valid[::EVERY_CASE]:
            yield from (program for _, program in of_blame(SPEC, resolve(one.program, one.words)))

    assert refused(programs()) == []


def test_every_circumstance_compiles(valid: list[Recipe], times: int) -> None:
    some = valid if times > 1 else valid[::EVERY_CASE]
    assert refused(program for one in some for _, program in of_circumstances(one)) == []


def test_every_program_of_the_reducer_compiles(valid: list[Recipe], times: int) -> None:
    some = valid if times > 1 else valid[::EVERY_REDUCTION]
    assert refused(program for one in some for _, program in of_reduction(one, BUDGET)) == []


def test_any_name_is_made_a_word() -> None:
    """Names of matrices and of vectors are one set, those of buffers and arrays another."""

    def programs() -> Iterator[Program]:
        for name in (*sorted(TAKEN), "2", "a b", "é", "_", "x\ny", "pass3", "in_", "AType", "memoryBias"):
            body = (Load(name, name, 0, 32), VectorLoad(f"{name}!", name, 0), Load(f"{name}?", f"{name}!", 0, 8))
            matrices = (Matrix(name, "F16", 8, 16, "A"), Matrix(f"{name}?", "F16", 8, 16, "A"))
            vectors = (Vector(f"{name}!", "F16", 8),)
            arrays = (SharedArray(f"{name}!", "half", 128),)
            yield LinalgProgram((Buffer(name, 512),), body, matrices, vectors, arrays)

    assert refused(programs()) == []


def test_names_that_differ_only_in_what_is_added_stay_apart() -> None:
    matrices = tuple(Matrix(name, "F16", 8, 16, "A") for name in ("A", "A_", "A__", "AType", "AType_"))
    body = tuple(Load(one.name, "in", 0, 32) for one in matrices)
    assert refused([LinalgProgram((Buffer("in", 512), Buffer("in_", 512)), body, matrices)]) == []
