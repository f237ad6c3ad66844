"""What is seen in cases of the sub-group functions: every axis has its look or its reason, and nothing contradicts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import MadProgram
from mmaspec.strategies.axes.complete import flaws
from mmaspec.strategies.axes.reached import contradictions
from tests.unseen_classes import every_axis_is_seen_or_unseen, exists_and_has_a_reason, not_all_classes_are_unseen

from .observed_cases import CATALOGUE, OBSERVER, SPACE, Kernel, case, found_in
from .programs import named
from .running import KINDS, program


def test_the_space_forgets_nothing() -> None:
    spec: Any = SimpleNamespace(catalogue=CATALOGUE, program_type=MadProgram, caps_type=Caps)
    assert list(flaws(SPACE, spec)) == []


def test_every_axis_is_seen_or_unseen() -> None:
    every_axis_is_seen_or_unseen(SPACE, OBSERVER)


@pytest.mark.parametrize("name", OBSERVER.unseen)
def test_what_is_unseen_exists_and_has_a_reason(name: str) -> None:
    exists_and_has_a_reason(SPACE, OBSERVER, name)


def test_not_all_classes_of_an_axis_with_a_look_are_unseen() -> None:
    not_all_classes_are_unseen(SPACE, OBSERVER, {"count-source", "background", "argument-lane"})


def drawn(signature: Signature, seed: int) -> dict[str, object]:
    """Any bits, zeros but for a few, and the ends of the range."""
    draw = np.random.default_rng(seed)
    kernel, found = Kernel(signature.form, signature.size, signature.rows), {}
    for name, bits in kernel.plain().values.items():
        fmt = format_named(kernel.fragments["ABC".index(name)].holds)
        values = draw.integers(0, fmt.mask, bits.shape, np.uint64, endpoint=True)
        if seed == 1:
            values = values * (draw.random(bits.shape) < 0.05).astype(np.uint64)
        elif seed == 2:
            ends = np.array([0, 1, fmt.mask, 1 << (fmt.bits - 1), fmt.mask >> 1], np.uint64)
            values = draw.choice(ends, bits.shape)
        found[name] = values
    return found


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("signature", signatures()[::3], ids=named)
def test_data_show_nothing_impossible(signature: Signature, seed: int) -> None:
    kernel = Kernel(signature.form, signature.size, signature.rows)
    holds_together(kernel.plain(**drawn(signature, seed)))


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("signature", signatures()[1::9], ids=named)
def test_programs_show_nothing_impossible(signature: Signature, kind: str) -> None:
    holds_together(case(program(signature, kind)))


def holds_together(of: Any) -> None:
    found = found_in(of)
    assert [rule.together for rule, _ in contradictions(SPACE, found)] == []
    shown = {f"{axis}={one}" for thing in found for axis, classes in thing.classes.items() for one in classes}
    assert not shown & OBSERVER.unseen.keys()
    assert {thing.thing.group for thing in found} <= SPACE.group.keys()
