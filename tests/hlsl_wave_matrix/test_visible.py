"""A breach that a compiler can see is one under whatever caps: no offline compiler is judged on a device's answers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.rule_context import Context
from mmaspec.oracle.hlsl_wave_matrix.validity import RULES
from mmaspec.programs.hlsl_wave_matrix.caps import (
    ACCUMULATORS,
    DEFAULT_CAPS,
    DEFAULT_DEPTH,
    DIMENSIONS,
    WaveMmaCaps,
    WaveMmaSupport,
)
from mmaspec.strategies.hlsl_wave_matrix import GRAMMAR
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.near_miss import unenforced
from tests.case_lists import case_list

EVERYTHING = WaveMmaCaps(
    tuple(
        WaveMmaSupport(datatype, m, n, True, depth, sum(ACCUMULATORS[datatype]), 0)
        for datatype, depth in DEFAULT_DEPTH.items()
        for m in DIMENSIONS
        for n in DIMENSIONS
    ),
    (4, 128),
)
"""A device that supports whatever can be asked for, in waves of every size."""
COMPILER = Description(name="offline", version="1", roles=("validates",), enforces="compile")
SEEN = sorted(clause for clause in GRAMMAR.near_misses if not unenforced(SPEC.catalogue, clause, COMPILER))
"""The clauses that an offline compiler is judged on."""


def near_misses(clause: str) -> list[Recipe]:
    """Those of a clause in the quick list."""
    return [recipe for recipe in case_list(SPEC.name, DEFAULT_CAPS, "quick") if recipe.target == clause]


@pytest.mark.parametrize("clause", SEEN)
def test_a_compiler_needs_no_answers_of_a_device(clause: str) -> None:
    found = near_misses(clause)
    assert found
    for recipe in found:
        program = resolve(recipe.program, recipe.words)
        assert RULES[clause](Context(program, EVERYTHING)), recipe.id


@pytest.mark.parametrize("clause", ["WM-MUL-CAPS", "WM-TG-DIVIS", "WM-TYPE-SUPPORTED"])
def test_answers_of_a_device_are_seen_at_run_time(clause: str) -> None:
    """Some near miss of each is right on another device, or in a group of other waves."""
    assert SPEC.catalogue.clause[clause].visible == "run"
    assert unenforced(SPEC.catalogue, clause, COMPILER)
    assert not unenforced(SPEC.catalogue, clause, replace(COMPILER, enforces="all"))
    assert near_misses(clause)
