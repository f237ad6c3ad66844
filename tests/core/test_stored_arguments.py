"""A program that stores over an argument before its last use: a compiler may load it before that or after."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace as with_fields

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined, Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.stored_arguments import check_arguments
from mmaspec.programs.base import Buffer, Index, RunTime, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Load, Store
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.recipe import materialise
from tests.case_lists import case_list

F32 = format_named("f32")


@pytest.fixture(scope="module")
def overwritten() -> Case:
    """A load and a store of one instance; the load's offset lies where the store goes."""
    for recipe in case_list(SPEC.name, DEFAULT_CAPS, "quick"):
        body = () if recipe.target or recipe.program.waves > 1 else recipe.program.body
        if [type(one) for one in body] != [Load, Store] or type(body[0].offset) is not int:
            continue
        case = materialise(recipe).item(0)
        found = expect(case)
        assert isinstance(found, Defined)
        load, store = body
        argument = RunTime(store.buffer, int(found.regions[0].addresses.min()) // 4 * 4)
        if not isinstance(store.offset, int):
            continue
        word = Word(argument.buffer, argument.offset, load.offset)
        return replace(changed(case, with_fields(load, offset=argument), store), words=(*case.words, word))
    raise AssertionError("no listed case has one load and one store")


def changed(case: Case, *body: object) -> Case:
    program: CoopMatProgram = case.program  # type: ignore[assignment]
    return case.with_program(with_fields(program, body=body))


def test_a_store_after_the_last_use_changes_nothing(overwritten: Case) -> None:
    found = expect(overwritten)
    assert isinstance(found, Defined)
    load = overwritten.program.body[0]
    region = found.regions[0]
    assert load.offset.offset in range(int(region.addresses.min()), int(region.addresses.max()) + 4)


def test_a_use_after_the_store_is_refused(overwritten: Case) -> None:
    load, store = overwritten.program.body
    assert isinstance(load, Load)
    assert isinstance(store, Store)
    again = with_fields(load, data=None)
    with pytest.raises(BadInput, match=f"over the argument at byte {load.offset.offset} of buffer {store.buffer}"):
        expect(changed(overwritten, load, store, again))
    literal = resolve(changed(overwritten, load, store, again).program, overwritten.words)
    assert isinstance(expect(overwritten.with_program(literal)), Defined)


class Act(Struct, frozen=True):
    """Uses an argument, or stores."""

    where: Index = 0


class Loop(Struct, frozen=True):
    count: int
    body: tuple[Act, ...]


class Toy(Struct, frozen=True):
    body: tuple[Act | Loop, ...]
    waves: int = 1
    buffers: tuple[Buffer, ...] = (Buffer("out", 64),)


USE, STORE = Act(RunTime("out", 8)), Act()


def refused(program: Toy, stored: int = 8) -> bool:
    """Whether a program is refused whose ``STORE`` writes four bytes of each wave from there on."""
    memory = Memory(program.buffers, 1)
    steps = []
    for place, act in unrolled(program):
        steps.append(Step(place, "out", (), None))
        if act == STORE:
            addresses = (stored + 4 * np.arange(program.waves)).reshape(-1, 1, 1)
            memory.store(
                "out", addresses, Legal.from_bits(F32, np.zeros((1, *addresses.shape), np.uint64)), len(steps) - 1
            )
    try:
        check_arguments(program, memory, steps)
    except BadInput:
        return True
    return False


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ((USE, STORE), False),
        ((STORE, USE), True),
        ((USE, STORE, USE), True),
        ((USE, Loop(1, (USE, STORE))), False),
        ((USE, Loop(2, (USE, STORE))), True),
        ((USE, Loop(2, (STORE,))), False),
        ((Loop(2, (USE,)), STORE), False),
        ((STORE, STORE), False),
    ],
)
def test_uses_and_stores_are_taken_in_the_order_of_execution(body: tuple[Act | Loop, ...], *, wrong: bool) -> None:
    assert refused(Toy(body)) is wrong


@pytest.mark.parametrize(("stored", "wrong"), [(4, False), (5, True), (8, True), (11, True), (12, False)])
def test_every_byte_of_it_counts(stored: int, *, wrong: bool) -> None:
    assert refused(Toy((STORE, USE)), stored) is wrong
    assert not refused(Toy((USE, STORE)), stored)


def test_nothing_orders_the_store_of_one_wave_and_the_load_of_another() -> None:
    assert refused(Toy((USE, STORE), waves=2))
    assert refused(Toy((USE, STORE), waves=2), 4)
    assert not refused(Toy((USE, STORE), waves=2), 16)


def test_an_argument_of_the_store_itself_is_used_before_it_stores(overwritten: Case) -> None:
    load, store = overwritten.program.body
    own = with_fields(store, stride=load.offset)
    assert isinstance(expect(changed(overwritten, load, own)), Defined)
    beyond = Word(store.buffer, 4, load.offset.offset)
    assert isinstance(expect(replace(overwritten, words=(*overwritten.words, beyond))), Defined)
