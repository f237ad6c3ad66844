"""The programs of blame: what shows every state, and every ablation, is valid, defined, and finds the case's data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.spec import PLAIN
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Literal, Place
from mmaspec.programs.hlsl_linalg import LinalgProgram
from mmaspec.programs.hlsl_linalg.caps import DEFAULT_CAPS, LinalgCaps
from mmaspec.programs.hlsl_linalg.operands import writes
from mmaspec.programs.hlsl_linalg.program import (
    ConvertLayout,
    MemoryBias,
    MultiplyVector,
    ReadElements,
    Splat,
    Store,
    Vector,
    VectorStore,
)
from mmaspec.programs.hlsl_linalg.well_formed import check_well_formed
from mmaspec.programs.windows import around
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list

from . import small_programs

MOSTLY = 0.95
"""The part of the ablations that a device takes: in some programs what is left has no shape or type that it knows."""
FAR_AWAY = 1 << 30
Programs = list[tuple[LinalgProgram, LinalgCaps]]


@pytest.fixture(scope="module")
def programs() -> Programs:
    """A valid program of every template of the quick list, with literal arguments."""
    recipes: list[Recipe] = [one for one in case_list(SPEC.name, DEFAULT_CAPS, "quick") if not one.target]
    some = {one.template: one for one in reversed(recipes)}
    return [(resolve(one.program, one.words), one.caps) for one in some.values()]


def flaws(program: LinalgProgram, caps: LinalgCaps) -> frozenset[str]:
    """The clauses that a program breaks, or by which it is undefined."""
    check_well_formed(program)
    return SPEC.rejected(program, caps) or SPEC.undefined(program, caps)


def shapes(program: LinalgProgram) -> dict[str, tuple[int, ...]]:
    """The data of a program."""
    return {source.name: source.shape for source in SPEC.sources(program)}


def test_programs_that_show_states_are_valid_and_find_the_same_data(programs: Programs) -> None:
    assert SPEC.instrumented_otherwise is not None
    for program, caps in programs:
        first = tree.at(program, Place(tree.paths(program)[0]))
        for shown in (SPEC.instrumented(program), SPEC.instrumented_otherwise(program, first)):
            assert not flaws(shown.program, caps)
            assert shapes(shown.program) == shapes(program)
            assert set(shown.shows) <= {buffer.name for buffer in shown.program.buffers}


def test_every_state_that_can_be_stored_is(programs: Programs) -> None:
    """Those of Thread matrices cannot; of sets of a group's matrix they are where a barrier stands behind."""
    for program, _ in programs:
        thread = {matrix.name for matrix in program.matrices if matrix.scope == "Thread"}
        shown = {place.path for place in SPEC.instrumented(program).shows.values()}
        written = {place.path for place, one, _ in tree.walk(program) if (writes(one) or "") not in {"", *thread}}
        optimal = {
            place.path
            for place, one, _ in tree.walk(program)
            if isinstance(one, ConvertLayout) and one.target_layout.endswith("Optimal")
        }
        assert shown == written | optimal


def test_the_other_kind_of_store_writes_elements_one_by_one_or_in_the_other_layout() -> None:
    assert SPEC.instrumented_otherwise is not None
    for program, kinds in (
        (small_programs.product(), {ReadElements}),
        (small_programs.arrays(), {ReadElements, Store}),
        (small_programs.vectors(), {VectorStore}),
    ):
        shown = SPEC.instrumented_otherwise(program, program.body[0])
        added = [one for _, one, _ in tree.walk(shown.program) if names(one) & set(shown.shows)]
        assert {type(one) for one in added} == kinds
        assert all(one.layout == "ColMajor" for one in added if isinstance(one, Store))


def names(instruction: object) -> set[str]:
    """The memory that an instruction names."""
    return {getattr(instruction, field, "") for field in ("memory", "buffer")}


def test_a_constant_takes_the_place_of_what_is_written(programs: Programs) -> None:
    assert SPEC.filled is not None
    for program, caps in programs:
        for place, one, _ in tree.walk(program):
            found = SPEC.filled(program, place)
            if found is not None:
                constant = tree.at(found, place)
                assert isinstance(constant, Splat)
                assert constant.matrix == writes(one)
                assert not flaws(found, caps)
    found = SPEC.filled(small_programs.product(), Place((0,)))
    assert found is not None
    assert found.body[0] == Splat("A", "half", Literal(PLAIN & 0xFFFF))
    assert SPEC.filled(small_programs.vectors(), Place((0,))) is None


def test_ablations_change_the_program_find_its_data_and_are_mostly_valid(
    programs: Programs, one_in: Callable[[int], int]
) -> None:
    good, bad = Counter[str](), Counter[str]()
    for program, caps in programs[:: one_in(3)]:
        known = shapes(program)
        for place, _, _ in tree.walk(program):
            for ablation in SPEC.ablations(program, place):
                changed = ablation.program
                assert isinstance(changed, LinalgProgram)
                assert ablation.clause in SPEC.catalogue.clause
                assert changed != program or ablation.data
                assert shapes(changed).items() <= known.items()
                assert tree.at(changed, ablation.place or place)
                clean = not flaws(changed, caps) and not flaws(SPEC.instrumented(changed).program, caps)
                (good if clean else bad)[ablation.clause] += 1
    assert sum(good.values()) >= MOSTLY * (sum(good.values()) + sum(bad.values())), bad
    assert not set(bad) - set(good), bad


def test_every_clause_about_memory_and_values_has_an_ablation_somewhere(programs: Programs) -> None:
    """But for those that are left when all others are cleared, and those that a symptom tells."""
    found = {
        ablation.clause
        for program, _ in programs
        for place, _, _ in tree.walk(program)
        for ablation in SPEC.ablations(program, place)
    }
    assert {
        "LINALG-LOAD-ADDR",
        "LINALG-LOAD-NOCONV",
        "LINALG-STORE-NOCONV",
        "LINALG-OOB-LOAD",
        "LINALG-OOB-STORE",
        "LINALG-OOB-ACC",
        "LINALG-GS-UNITS",
        "LINALG-GS-NOCONV",
        "LINALG-ATOMIC",
        "LINALG-ACC-ADD",
        "LINALG-SCOPE-OWN",
        "LINALG-SPLAT-FIRST",
        "LINALG-FILL-CONV",
        "LINALG-CAST-TRANSPOSE",
        "LINALG-GET-BEYOND",
        "LINALG-SET-BEYOND",
        "LINALG-TILING",
        "LINALG-VEC-OWN",
        "LINALG-BIAS-MEMORY",
        "LINALG-OPT-LOAD",
        "LINALG-OUTER",
        "LINALG-OUTER-SUM",
    } <= found


def test_a_bias_far_away_stays_there_in_a_small_image() -> None:
    """Its type is changed and not its place, so that nobody is cleared whose offsets are too short."""
    program = small_programs.vectors()
    far = around(Buffer("far", 1 << 31, 128), [np.arange(FAR_AWAY, FAR_AWAY + 32)])
    product = MultiplyVector("sum", "M", "x", MemoryBias("far", FAR_AWAY, "F16"))
    program = replace(
        program,
        buffers=(*program.buffers, far),
        read_only=(*program.read_only, "far"),
        vectors=(*program.vectors, Vector("sum", "F32", 8)),
        body=(*program.body[:2], product, VectorStore("sum", "out", Affine(0, 1024, lane=32))),
    )
    assert not flaws(program, DEFAULT_CAPS)
    every = [one for place, _, _ in tree.walk(program) for one in SPEC.ablations(program, place)]
    assert {"LINALG-BIAS-CONV", "LINALG-BIAS-MEMORY"} <= {one.clause for one in every}
    for one in every:
        assert max(buffer.total for buffer in one.program.buffers) < 1 << 16
    (found,) = (one.program for one in every if one.clause == "LINALG-BIAS-CONV")
    assert isinstance(found, LinalgProgram)
    assert not flaws(found, DEFAULT_CAPS)
    changed = tree.at(found, Place((2,)))
    assert (changed.bias.offset, changed.bias.component) == (FAR_AWAY, "F32")
