"""Programs without one circumstance: loops written out, arguments the same in every wave."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.backends.protocol import Runner
from mmaspec.backends.resolve import resolve as backend_named
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.spec import spec_named
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Program
from mmaspec.programs.specifications import ours
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import ask_once
from mmaspec.suites.judging.blaming.circumstances import Variation, run_time_fields
from mmaspec.suites.judging.blaming.differing import Each, alike_in, called
from mmaspec.suites.judging.blaming.straight import all_straight, straight
from tests.case_lists import case_list
from tests.diagnosis.blamed import shortest

EVERY = {"intel-subgroup-mma": 3, "nv-coopmat2": 3}
MOST = 9
"""One listed case of so many, unless ``--long`` takes all."""


def cases(spec: str, times: int) -> Iterator[tuple[Case, Program]]:
    """Some listed cases of one or two items, and their programs with literal arguments."""
    recipes = [one for one in case_list(spec, spec_named(spec).default_caps, "quick") if not one.target]
    for recipe in recipes[:: 1 if times > 1 else EVERY.get(spec, MOST)]:
        case = materialise(msgspec.structs.replace(recipe, batch=min(recipe.batch, 2)))
        yield case, resolve(case.program, case.words)


def changed(case: Case, variation: Variation) -> Case:
    return replace(case.with_program(variation.program), values=dict(variation.values))


def defined(case: Case) -> Defined:
    found = expect(case)
    assert isinstance(found, Defined)
    return found


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_a_loop_written_out_finds_and_leaves_the_same_bytes(spec: str, times: int) -> None:
    backend: Runner = backend_named("numpy")
    compared = 0
    for case, program in cases(spec, times):
        for place in dict.fromkeys(place for place, _, _ in tree.walk(program) if len(place.path) > 1):
            written = straight(case, program, place)
            if written is None:
                continue
            loops = sum(tree.nested(step) is not None for step in program.body)
            assert sum(tree.nested(step) is not None for step in written.program.body) == loops - 1
            before, after = defined(case), defined(changed(case, written))
            for name, image in before.images.items():
                assert np.array_equal(image, after.images[name]), (case.template, name)
            left = ask_once(backend, case, before, 0).after
            for name, image in ask_once(backend, changed(case, written), after, 0).after.items():
                assert np.array_equal(image, left[name]), (case.template, name)
            compared += 1
            break
    assert compared > 1


def is_loop(step: Any) -> bool:
    return {"body", "count"} <= set(step.__struct_fields__)


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", ours())
def test_all_loops_written_out_find_and_leave_the_same_bytes(spec: str) -> None:
    backend: Runner = backend_named("numpy")
    some = [one for one in case_list(spec, spec_named(spec).default_caps, "smoke") if not one.target]
    looped = shortest(one for one in some if sum(map(is_loop, one.program.body)) > 1)
    # Passes that find what overlaps cannot be told apart by the names of their data: a few programs are left out.
    cases = [
        (case, resolve(case.program, case.words))
        for case in map(materialise, (msgspec.structs.replace(one, batch=min(one.batch, 2)) for one in looped[:6]))
    ]
    made = [(case, written) for case, program in cases if (written := all_straight(case, program)) is not None]
    assert len(made) >= min(2, len(cases)) > 0
    for case, written in made[:2]:
        assert not any(map(is_loop, written.program.body))
        before, after = defined(case), defined(changed(case, written))
        left = ask_once(backend, case, before, 0).after
        for name, image in ask_once(backend, changed(case, written), after, 0).after.items():
            assert np.array_equal(after.images[name], before.images[name])
            assert np.array_equal(image, left[name])
    once = next(one for one in some if not any(map(is_loop, one.program.body)))
    assert all_straight(materialise(once), once.program) is None


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("each", ["wave", "pass"])
@pytest.mark.parametrize("spec", ours())
def test_an_argument_made_the_same_everywhere_is_that_of_the_first(spec: str, each: Each, times: int) -> None:
    arguments = set()
    for case, program in cases(spec, times):
        for place, _, _ in tree.walk(program):
            if program.waves == 1 if each == "wave" else len(place.path) == 1:
                continue
            for argument, alike in alike_in(each, case, program, place):
                arguments.add(argument)
                assert _named(each, alike.program) < _named(each, program)
                found = expect(changed(case, alike))
                if isinstance(found, Defined):  # stores of all waves to one place are not
                    for name, image in defined(case).images.items():
                        known = found.known[name]
                        assert np.array_equal(image[:, known], found.images[name][:, known])
    assert {name for name in arguments if name.startswith(("load.", "slice."))}


def _named(each: Each, node: Any) -> int:
    """How many arguments differ from wave to wave, or from pass to pass."""
    if isinstance(node, Affine):
        return int(bool(node.wave or node.row)) if each == "wave" else int(bool(node.loop))
    if isinstance(node, msgspec.Struct):
        return sum(_named(each, getattr(node, name)) for name in node.__struct_fields__)
    return sum(_named(each, one) for one in node) if isinstance(node, tuple) else 0


@pytest.mark.parametrize("spec", ours())
def test_arguments_of_clauses_are_arguments_of_instructions(spec: str) -> None:
    module = importlib.import_module(f"mmaspec.programs.{spec.replace('-', '_')}.program")
    structs = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    fields = {(kind, field) for kind in structs for field in run_time_fields(kind)}
    known = {field for _, field in fields} | {called(kind, field) for kind, field in fields}
    stated = {name for clause in spec_named(spec).catalogue.clause.values() for name in clause.arguments}
    assert stated
    assert stated <= known
